/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests to a network device: device_request.h. */
#include <errno.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>
#include <linux/sockios.h>

#include "device_request.h"

int device_request(unsigned long number, struct ifreq *ifr)
{
	/* Any socket carries them; a UNIX one always exists. */
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0), err = 0;

	if (fd < 0)
		return -errno;
	if (ioctl(fd, number, ifr) < 0)
		err = -errno;
	close(fd);
	return err;
}

static int request_of(const char *interface, unsigned long number, struct ifreq *ifr)
{
	snprintf(ifr->ifr_name, sizeof(ifr->ifr_name), "%s", interface);
	return device_request(number, ifr);
}

int device_flags(const char *interface, short *flags)
{
	struct ifreq ifr = { 0 };
	int err = request_of(interface, SIOCGIFFLAGS, &ifr);

	*flags = ifr.ifr_flags;
	return err;
}

int device_ethtool(const char *interface, void *data)
{
	struct ifreq ifr = { .ifr_data = data };

	return request_of(interface, SIOCETHTOOL, &ifr);
}
