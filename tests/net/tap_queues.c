/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A tap whose number of transmit queues can be cut while it is in use. A tap
 * has as many as it has readers:
 *
 *	tap_queues NAME READERS
 *
 * Prints "ready", then reads and forgets. SIGUSR1 closes all readers but the
 * first; SIGTERM ends. Exit: 0, 1 with the reason, 2 usage.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <sys/ioctl.h>

#define MAX_READERS 16

static volatile sig_atomic_t cut, ended;

static void on_signal(int number)
{
	if (number == SIGUSR1)
		cut = 1;
	else
		ended = 1;
}

static int open_reader(const char *name)
{
	struct ifreq request = { .ifr_flags = IFF_TAP | IFF_NO_PI | IFF_MULTI_QUEUE };
	int fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	strncpy(request.ifr_name, name, sizeof(request.ifr_name) - 1);
	return ioctl(fd, TUNSETIFF, &request) < 0 ? -errno : fd;
}

static void read_all(struct pollfd *reader, nfds_t readers)
{
	char frame[2048];
	nfds_t i;

	poll(reader, readers, 20);
	for (i = 0; i < readers; i++)
		while (read(reader[i].fd, frame, sizeof(frame)) > 0 && !ended)
			;
}

int main(int argc, char **argv)
{
	const struct sigaction action = { .sa_handler = on_signal };
	struct pollfd reader[MAX_READERS];
	nfds_t readers, i;

	readers = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;
	if (readers < 1 || readers > MAX_READERS) {
		fprintf(stderr, "usage: tap_queues NAME READERS\n");
		return 2;
	}
	sigaction(SIGUSR1, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	for (i = 0; i < readers; i++) {
		reader[i] =
			(struct pollfd){ .fd = open_reader(argv[1]), .events = POLLIN };
		if (reader[i].fd < 0) {
			fprintf(stderr, "tap_queues: %s\n", strerror(-reader[i].fd));
			return 1;
		}
	}
	puts("ready");
	fflush(stdout);
	while (!ended) {
		read_all(reader, readers);
		while (cut && readers > 1)
			close(reader[--readers].fd);
	}
	return 0;
}
