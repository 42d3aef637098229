/* SPDX-License-Identifier: BSD-2-Clause */
/* The witness of witness_command.h. */
#include <ctype.h>
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cpu.h"
#include "leg_child.h"
#include "leg_start.h"
#include "sender.h"
#include "witness.h"
#include "witness_command.h"

#define LIMIT_NS 5000000000ull
#define KILLED_NS 1000000000ull /* for a killed one to be gone */
#define OUTPUT_LIMIT 256
#define ALL_CPUS 8192

/* First in line where it has to share: a leg that comes between its reading of a
 * counter and its end would send what belongs to neither side. */
static int run_shell(const void *context)
{
	const struct witness_command *witness = context;

	if (witness->shares_cpus)
		(void)setpriority(PRIO_PROCESS, 0, -20); /* not everyone may */
	leg_shell(witness->text);
}

/* On the CPUs of this process, which keeps off the legs' where it can. */
static int start(const struct witness_command *witness, struct leg_child *child)
{
	size_t bytes = CPU_ALLOC_SIZE(ALL_CPUS);
	cpu_set_t *own = CPU_ALLOC(ALL_CPUS);
	int err = -ENOMEM;

	if (own && sched_getaffinity(0, bytes, own) == 0)
		err = leg_child_start(child, NULL, own, bytes, run_shell, witness);
	CPU_FREE(own);
	return err;
}

/* Until it has ended: 0; or -ETIME, or -EINTR. */
static int wait_for_end(struct leg_child *child, uint64_t limit_ns, int stop_fd)
{
	uint64_t deadline_ns = clock_ns() + limit_ns;

	while (!leg_child_ended(child)) {
		uint64_t now_ns = clock_ns();
		struct pollfd fd[] = { { .fd = child->pidfd, .events = POLLIN },
				       { .fd = stop_fd, .events = POLLIN } };

		if (now_ns >= deadline_ns)
			return -ETIME;
		/* A millisecond late at most, and never early. */
		(void)poll(fd, 2, (int)((deadline_ns - now_ns) / 1000000u) + 1);
		if (fd[1].revents)
			return -EINTR;
	}
	return 0;
}

/* leg_child_stop() would end the leg, too, which is a child of this process. */
static void end_it(struct leg_child *child)
{
	if (child->ended || child->pid <= 0)
		return;
	kill(-child->pid, SIGKILL);
	(void)wait_for_end(child, KILLED_NS, -1);
}

static int wrong(struct witness_command *witness, const char *fault)
{
	witness->fault = fault;
	return -EPROTO;
}

static int parse(struct witness_command *witness, const char *said)
{
	unsigned long long value;
	char *end;

	said += strspn(said, " \t\n");
	errno = 0;
	value = strtoull(said, &end, 10);
	if (!isdigit((unsigned char)*said) || errno || end[strspn(end, " \t\n")] != '\0')
		return wrong(witness, "did not print one whole number");
	if (value < witness->packets)
		return wrong(witness, "counted backwards");
	witness->packets = value;
	return 0;
}

static int take_answer(struct witness_command *witness, struct leg_child *child)
{
	char *said;
	int err;

	if (!WIFEXITED(child->status) || WEXITSTATUS(child->status))
		return wrong(witness, "failed");
	said = leg_child_text(child->out, OUTPUT_LIMIT);
	if (!said)
		return -ENOMEM;
	err = parse(witness, said);
	free(said);
	return err;
}

static uint64_t cpu_ns(const struct rusage *usage)
{
	return cpu_timeval_ns(&usage->ru_utime) + cpu_timeval_ns(&usage->ru_stime);
}

int witness_command_read(struct witness_command *witness, int stop_fd,
			 struct witness_count *out)
{
	struct leg_child child = { .pidfd = -1, .out = -1, .err = -1 };
	int err = start(witness, &child);

	if (!err)
		err = wait_for_end(&child, LIMIT_NS, stop_fd);
	out->ns = clock_ns();
	end_it(&child);
	if (err == -ETIME)
		err = wrong(witness, "did not end within 5 s");
	if (!err)
		err = take_answer(witness, &child);
	out->packets = witness->packets;
	out->cost_ns = witness->shares_cpus ? cpu_ns(&child.usage) : 0;
	leg_child_close(&child);
	return err;
}
