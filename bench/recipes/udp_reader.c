/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * udp_reader: reads datagrams until it is told to end, and says what that cost.
 *
 *	udp_reader copy|discard PORT CPU
 *
 * `discard` asks for none of the bytes (MSG_TRUNC, no room): all that a datagram
 * costs but the copy to the program. It comes before everyone else on its CPU where
 * that is allowed (SCHED_FIFO), so that what has arrived is read before more is
 * sent, and has room for what one kick delivers: nothing is lost, and the time of
 * one packet is that of sending, receiving and reading it.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#define ROOM (64 << 20) /* of the socket: a ring of full-size frames and more */

static volatile sig_atomic_t ended; /* a signal handler's */

static void end(int number)
{
	(void)number;
	ended = 1;
}

static int open_socket(uint16_t port)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(port) };
	struct sigaction action = { .sa_handler = end };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), room = ROOM;

	if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof(address)))
		return -1;
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room)))
		return -1;
	sigaction(SIGINT, &action, NULL); /* without SA_RESTART: recv() ends */
	sigaction(SIGTERM, &action, NULL);
	return fd;
}

static void place(int cpu)
{
	struct sched_param first = { .sched_priority = 1 };
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((size_t)cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set) ||
	    sched_setscheduler(0, SCHED_FIFO, &first))
		fprintf(stderr, "udp_reader: not before others on CPU %d: %s\n", cpu,
			strerror(errno));
}

int main(int argc, char **argv)
{
	static char buffer[65536];
	uint64_t datagrams = 0, bytes = 0;
	struct timespec cpu;
	size_t wanted;
	int fd;

	if (argc != 4 || (strcmp(argv[1], "copy") && strcmp(argv[1], "discard"))) {
		fputs("usage: udp_reader copy|discard PORT CPU\n", stderr);
		return 2;
	}
	wanted = strcmp(argv[1], "copy") ? 0 : sizeof(buffer);
	fd = open_socket((uint16_t)strtoul(argv[2], NULL, 10));
	if (fd < 0) {
		perror("udp_reader");
		return 1;
	}
	place((int)strtol(argv[3], NULL, 10));
	while (!ended) {
		ssize_t n = recv(fd, buffer, wanted, MSG_TRUNC);

		if (n >= 0) {
			datagrams++;
			bytes += (uint64_t)n;
		} else if (errno != EINTR) {
			perror("udp_reader");
			return 1;
		}
	}
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
	printf("datagrams=%llu bytes=%llu cpu_ns=%llu\n", (unsigned long long)datagrams,
	       (unsigned long long)bytes,
	       (unsigned long long)cpu.tv_sec * 1000000000ull + (uint64_t)cpu.tv_nsec);
	return 0;
}
