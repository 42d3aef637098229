/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The process of a leg: started, watched, ended and reaped, whatever it does, with
 * all that it started. What it writes goes into memory and is read afterwards.
 */
#ifndef APP_LEG_CHILD_H
#define APP_LEG_CHILD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

struct leg_child {
	pid_t pid;    /* 0: none; leader of a process group of its own */
	int pidfd;    /* readable when it has ended */
	int out, err; /* what it wrote to standard output and error */
	bool ended;   /* and reaped */
	int status;   /* as of waitpid(2), then */
	struct rusage usage;
	const struct leg_strangers *strangers; /* as given at its start */
};

/* Children that this process had before its first leg: a shell that executes dxmit
 * leaves it those it started, a process substitution among them. Not to be ended. */
struct leg_strangers {
	pid_t *pid; /* owned */
	size_t count;
};

/*
 * To be called once, before the first child: from now on processes that lose their
 * parent become children of this one, so that none escapes. Those that are children
 * already are put down in `strangers`, to be freed with leg_strangers_free(). Returns
 * 0 or -ENOMEM.
 */
int leg_child_adopt(struct leg_strangers *strangers);
void leg_strangers_free(struct leg_strangers *strangers);

/*
 * Run `run(context)` in a child process; its result is the exit code. There the
 * stop signals are as the shell has them, standard input is /dev/null, all CPUs of
 * `affinity` are allowed, and the process is killed when this one ends. `strangers`
 * must outlive it; NULL for one that leg_child_stop() is not to end. Returns 0 or
 * -errno; leg_child_close() is due in both cases.
 */
int leg_child_start(struct leg_child *child, const struct leg_strangers *strangers,
		    const void *affinity, size_t affinity_bytes,
		    int (*run)(const void *context), const void *context);

/* Has it ended? Never waits. */
bool leg_child_ended(struct leg_child *child);

/*
 * Send `signal`, wait, and kill what is left of it after `grace_ns`. A stop signal
 * of this process (readable stop_fd) shortens the grace. True: it ended within the
 * grace, false: it had to be killed. All it started is gone afterwards.
 */
bool leg_child_stop(struct leg_child *child, int signal, uint64_t grace_ns, int stop_fd);

/* Bound the memory that what it writes takes: of each descriptor the last MiB stay.
 * For a sender that talks without end; to be called some times a second. */
void leg_child_trim(const struct leg_child *child);

/* What it wrote to one of its descriptors, at most the last `limit` bytes, as a
 * string to be freed; NULL: no memory. */
char *leg_child_text(int fd, size_t limit);

/* Kill every child of this process but strangers, what becomes one by that included;
 * bounded. */
void leg_child_end_adopted(const struct leg_strangers *strangers);

/* Kills it if it runs. Idempotent. */
void leg_child_close(struct leg_child *child);

#endif
