/* SPDX-License-Identifier: BSD-2-Clause */
/* The files of pktgen.h. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel_threads.h"
#include "pktgen.h"

#define DIRECTORY "/proc/net/pktgen"
#define FILE_BYTES 16384 /* a thread's lists its devices */
#define LINE_BYTES 128
#define STOP_TURNS 50 /* of 10 ms */

void pktgen_name(const char *interface, uint32_t queue, char name[PKTGEN_NAME])
{
	snprintf(name, PKTGEN_NAME, "%s@%" PRIu32, interface, queue);
}

static int open_file(const char *file, int flags)
{
	char path[sizeof(DIRECTORY) + PKTGEN_NAME + 1];
	int fd;

	snprintf(path, sizeof(path), DIRECTORY "/%s", file);
	fd = open(path, flags | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int pktgen_write(const char *file, const char *format, ...)
{
	char line[LINE_BYTES];
	va_list args;
	ssize_t written;
	int fd = open_file(file, O_WRONLY), length, err = 0;

	if (fd < 0)
		return fd;
	va_start(args, format);
	length = vsnprintf(line, sizeof(line) - 1, format, args);
	va_end(args);
	if (length < 0 || (size_t)length >= sizeof(line) - 1) {
		close(fd);
		return -E2BIG;
	}
	/* The newline is not for looks: the kernel reads up to it. */
	line[length++] = '\n';
	written = write(fd, line, (size_t)length);
	if (written < 0)
		err = -errno;
	close(fd);
	return err;
}

/* All of a file; text is always terminated. Returns 0 or -errno. */
static int read_file(const char *file, char text[FILE_BYTES])
{
	size_t length = 0;
	ssize_t n = 0;
	int fd = open_file(file, O_RDONLY), err = 0;

	text[0] = '\0';
	if (fd < 0)
		return fd;
	do {
		n = read(fd, text + length, FILE_BYTES - 1 - length);
		length += n > 0 ? (size_t)n : 0;
	} while (n > 0);
	if (n < 0)
		err = -errno;
	text[length] = '\0';
	close(fd);
	return err;
}

/* ---- threads of the kernel ---- */

static bool is_ours(const char *word, const char *interface,
		    const struct dxmit_plan *plan)
{
	char name[PKTGEN_NAME];
	size_t i;

	for (i = 0; i < plan->queues; i++) {
		pktgen_name(interface, plan->queue[i].queue, name);
		if (!strcmp(word, name))
			return true;
	}
	return false;
}

/* "Running: NAME NAME …" and "Stopped: …" are lines. */
static void count_line(char *line, const char *interface, const struct dxmit_plan *plan,
		       struct pktgen_thread *thread)
{
	bool running = !strncmp(line, "Running:", 8);
	char *rest = NULL, *word;

	if (!running && strncmp(line, "Stopped:", 8))
		return;
	for (word = strtok_r(line + 8, " ", &rest); word;
	     word = strtok_r(NULL, " ", &rest)) {
		if (is_ours(word, interface, plan)) {
			thread->ours++;
			thread->running += running;
		} else {
			thread->others++;
		}
	}
}

static void thread_file(uint32_t cpu, char file[PKTGEN_NAME])
{
	snprintf(file, PKTGEN_NAME, "kpktgend_%" PRIu32, cpu);
}

int pktgen_read_thread(uint32_t cpu, const char *interface, const struct dxmit_plan *plan,
		       struct pktgen_thread *thread)
{
	char text[FILE_BYTES], file[PKTGEN_NAME], *rest = NULL, *line;
	int err;

	memset(thread, 0, sizeof(*thread));
	thread_file(cpu, file);
	err = read_file(file, text);
	for (line = err ? NULL : strtok_r(text, "\n", &rest); line;
	     line = strtok_r(NULL, "\n", &rest))
		count_line(line, interface, plan, thread);
	return err;
}

uint64_t pktgen_cpu_ns(uint32_t cpu)
{
	struct kernel_threads threads;
	uint64_t ns;

	(void)kernel_threads_find("kpktgend_", &cpu, 1, &threads);
	ns = kernel_threads_ns(&threads);
	kernel_threads_free(&threads);
	return ns;
}

/* ---- devices ---- */

int pktgen_read_counts(const char *device, struct pktgen_counts *counts)
{
	char text[FILE_BYTES];
	const char *sofar, *result;
	unsigned long long packets, errors, usec;
	int err = read_file(device, text);

	memset(counts, 0, sizeof(*counts));
	if (err)
		return err;
	sofar = strstr(text, "pkts-sofar:");
	if (!sofar ||
	    sscanf(sofar, "pkts-sofar: %llu errors: %llu", &packets, &errors) != 2)
		return -EPROTO;
	counts->packets = packets;
	counts->errors = errors;
	/* Settings answer "OK: NAME=…". */
	result = strstr(text, "Result: OK: ");
	counts->finished = result && sscanf(result, "Result: OK: %llu(c", &usec) == 1 &&
			   strstr(result, "usec,");
	if (counts->finished)
		counts->ns = (uint64_t)usec * 1000;
	return 0;
}

/* ---- removal ---- */

static uint32_t count(const char *interface, const struct dxmit_plan *plan, bool running)
{
	struct pktgen_thread thread;
	uint32_t n = 0;
	size_t i;

	for (i = 0; i < plan->queues; i++)
		if (!pktgen_read_thread(plan->queue[i].cpu, interface, plan, &thread))
			n += running ? thread.running : thread.ours;
	return n;
}

static void *remove_all(void *arg)
{
	const struct dxmit_plan_queue *queue = arg;
	char file[PKTGEN_NAME];

	thread_file(queue->cpu, file);
	(void)pktgen_write(file, "rem_device_all");
	return NULL;
}

/* Side by side: the kernel sleeps an eighth of a second in each. */
static void remove_from_threads(const char *interface, const struct dxmit_plan *plan)
{
	pthread_t *remover = calloc(plan->queues, sizeof(*remover));
	struct pktgen_thread thread;
	size_t i, started = 0;

	for (i = 0; i < plan->queues; i++) {
		struct dxmit_plan_queue *queue = &plan->queue[i];

		if (pktgen_read_thread(queue->cpu, interface, plan, &thread) ||
		    thread.ours == 0)
			continue;
		if (remover &&
		    !pthread_create(&remover[started], NULL, remove_all, queue))
			started++;
		else
			remove_all(queue);
	}
	for (i = 0; i < started; i++)
		pthread_join(remover[i], NULL);
	free(remover);
}

int pktgen_remove(const char *interface, const struct dxmit_plan *plan)
{
	int turn;

	if (count(interface, plan, false) == 0)
		return 0;
	/* Removing what runs is a warning in the kernel's log. */
	for (turn = 0; turn < STOP_TURNS && count(interface, plan, true); turn++) {
		if (turn % 10 == 0)
			(void)pktgen_write("pgctrl", "stop");
		poll(NULL, 0, 10);
	}
	for (turn = 0; turn < STOP_TURNS && count(interface, plan, false); turn++) {
		if (turn % 10 == 0)
			remove_from_threads(interface, plan);
		else
			poll(NULL, 0, 10);
	}
	return count(interface, plan, false) ? -EBUSY : 0;
}
