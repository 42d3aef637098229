/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The handler of signals.h. A handler and not a signalfd, because the main
 * thread may be blocked in a write that nobody reads: a terminal on hold, a
 * full pipe.
 */
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "message.h"
#include "sender.h"
#include "signals.h"

/* timeout(1) signals its child and then the whole group: one stop, not two.
 * No person is that fast. */
#define SAME_STOP_NS 30000000ull
#define OUTPUT_LIMIT_S 2 /* for a report that nobody takes */

/* Handlers have no argument for these. */
static int stop_fd = -1;
static _Atomic uint64_t first_stop_ns;

static void on_stop(int number)
{
	const uint64_t one = 1;
	int saved = errno;
	uint64_t now_ns = clock_ns(), first_ns = 0;
	ssize_t n;

	(void)number;
	if (!atomic_compare_exchange_strong(&first_stop_ns, &first_ns, now_ns)) {
		if (now_ns - first_ns > SAME_STOP_NS)
			_exit(EXIT_RUNTIME);
		return;
	}
	alarm(OUTPUT_LIMIT_S);
	n = write(stop_fd, &one, sizeof(one));
	(void)n; /* an empty counter takes it */
	errno = saved;
}

static void on_output_limit(int number)
{
	(void)number;
	_exit(EXIT_RUNTIME);
}

static void handle(int number, void (*handler)(int), sigset_t *handled)
{
	/* Restarting keeps a report whole whose write was interrupted. */
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART };

	sigaction(number, &action, NULL);
	sigaddset(handled, number);
}

static int is_ignored(int number)
{
	struct sigaction action;

	return sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

int signals_open(void)
{
	sigset_t handled;

	stop_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (stop_fd < 0)
		return -errno;
	sigemptyset(&handled);
	handle(SIGALRM, on_output_limit, &handled);
	handle(SIGINT, on_stop, &handled);
	handle(SIGTERM, on_stop, &handled);
	if (!is_ignored(SIGHUP))
		handle(SIGHUP, on_stop, &handled);
	sigprocmask(SIG_UNBLOCK, &handled, NULL);
	return stop_fd;
}

int signals_take(int fd)
{
	uint64_t stops;

	return read(fd, &stops, sizeof(stops)) == (ssize_t)sizeof(stops);
}
