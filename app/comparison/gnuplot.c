/* SPDX-License-Identifier: BSD-2-Clause */
/* gnuplot(1), run as a program that turns a script into an SVG picture. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gnuplot.h"
#include "privileges.h"
#include "sender.h"

#define MAX_BYTES (16u << 20) /* of a picture; a plain one has some 50 KB */
#define READ_BYTES 65536
#define EXIT_NO_PROGRAM 127 /* as the shell says it */
#define END_POLL_MS 5

static int milliseconds_left(uint64_t deadline_ns)
{
	uint64_t now = clock_ns();

	return now >= deadline_ns ? 0 : (int)((deadline_ns - now) / 1000000u) + 1;
}

struct run {
	pid_t child;
	int in, out; /* our ends of its stdin and stdout; -1: closed */
};

static void close_one(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* In the child. What it says on stderr is of no use to our user. */
static _Noreturn void become_gnuplot(int in, int out, pid_t parent)
{
	/* What users have in ~/.gnuplot must not change the page. */
	char program[] = "gnuplot", no_settings[] = "-d";
	char *const argv[] = { program, no_settings, NULL };
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	signal(SIGPIPE, SIG_DFL);
	/* The parent may have died before the kernel was asked to tell. */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) || getppid() != parent)
		_exit(EXIT_FAILURE);
	if (null < 0 || privileges_drop() || dup2(in, STDIN_FILENO) < 0 ||
	    dup2(out, STDOUT_FILENO) < 0 || dup2(null, STDERR_FILENO) < 0)
		_exit(EXIT_FAILURE);
	execvp(program, argv);
	_exit(errno == ENOENT || errno == EACCES ? EXIT_NO_PROGRAM : EXIT_FAILURE);
}

static int start(struct run *run)
{
	const pid_t parent = getpid();
	int in[2], out[2], err;

	if (pipe2(in, O_CLOEXEC) < 0)
		return -errno;
	if (pipe2(out, O_CLOEXEC) < 0) {
		err = -errno;
		close(in[0]);
		close(in[1]);
		return err;
	}
	run->in = in[1];
	run->out = out[0];
	run->child = fork();
	if (run->child == 0)
		become_gnuplot(in[0], out[1], parent);
	err = run->child < 0 ? -errno : 0;
	close(in[0]);
	close(out[1]);
	if (!err)
		fcntl(run->in, F_SETFL, O_NONBLOCK);
	return err;
}

/* Hand over what fits. A gnuplot that does not take it will say so by its status. */
static void feed(struct run *run, const char **script, size_t *length)
{
	ssize_t n = write(run->in, *script, *length);

	if (n > 0) {
		*script += n;
		*length -= (size_t)n;
	}
	if (*length == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
		close_one(&run->in);
}

/* Take what there is. Returns bytes, 0 at the end, or -errno. */
static ssize_t take(struct run *run, FILE *picture)
{
	char buf[READ_BYTES];
	ssize_t n = read(run->out, buf, sizeof(buf));

	if (n < 0)
		return errno == EINTR ? 1 : -errno;
	if (n > 0 && fwrite(buf, 1, (size_t)n, picture) != (size_t)n)
		return -ENOMEM;
	return n > 0 && ftell(picture) > (long)MAX_BYTES ? -EFBIG : n;
}

/* Feed and take until it closes its output. SIGPIPE is ignored: see main.c. */
static int converse(struct run *run, const char *script, size_t length,
		    uint64_t deadline_ns, FILE *picture)
{
	for (;;) {
		struct pollfd fds[] = {
			{ .fd = run->out, .events = POLLIN },
			{ .fd = run->in, .events = POLLOUT },
		};
		int ready = poll(fds, 2, milliseconds_left(deadline_ns));
		ssize_t n;

		if (ready == 0)
			return -ETIMEDOUT;
		if (ready < 0 && errno != EINTR)
			return -errno;
		if (ready > 0 && fds[1].revents)
			feed(run, &script, &length);
		if (ready > 0 && fds[0].revents) {
			n = take(run, picture);
			if (n <= 0)
				return (int)n;
		}
	}
}

/* Its end, by itself until the deadline, else by us. Returns 0 or -errno. */
static int finish(struct run *run, uint64_t deadline_ns, int err)
{
	int status = 0;
	pid_t ended;

	close_one(&run->in);
	close_one(&run->out);
	while ((ended = waitpid(run->child, &status, err ? 0 : WNOHANG)) <= 0) {
		if (ended < 0 && errno != EINTR)
			return -errno;
		if (!err && milliseconds_left(deadline_ns) == 0)
			err = -ETIMEDOUT;
		if (err)
			kill(run->child, SIGKILL);
		else
			poll(NULL, 0, END_POLL_MS);
	}
	if (err)
		return err;
	if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_NO_PROGRAM)
		return -ENOENT;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -EPROTO;
}

int gnuplot_draw(const char *script, size_t length, uint64_t deadline_ns, char **svg)
{
	struct run run = { .child = -1, .in = -1, .out = -1 };
	size_t bytes = 0;
	FILE *picture;
	int err;

	*svg = NULL;
	picture = open_memstream(svg, &bytes);
	if (!picture)
		return -ENOMEM;
	err = start(&run);
	if (!err)
		err = converse(&run, script, length, deadline_ns, picture);
	if (err && run.child > 0)
		kill(run.child, SIGKILL);
	if (run.child > 0)
		err = finish(&run, deadline_ns, err);
	close_one(&run.in);
	close_one(&run.out);
	if (fclose(picture) == EOF && !err)
		err = -ENOMEM;
	if (!err && (!strstr(*svg, "<svg") || !strstr(*svg, "</svg>")))
		err = -EPROTO;
	if (err) {
		free(*svg);
		*svg = NULL;
	}
	return err;
}
