/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests to a network device: device_request.h. */
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>
#include <linux/sockios.h>

#include "device_request.h"

static int request(const char *interface, unsigned long number, struct ifreq *ifr)
{
	/* Any socket carries them; a UNIX one always exists. */
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0), err = 0;

	if (fd < 0)
		return -errno;
	snprintf(ifr->ifr_name, sizeof(ifr->ifr_name), "%s", interface);
	if (ioctl(fd, number, ifr) < 0)
		err = -errno;
	close(fd);
	return err;
}

int device_flags(const char *interface, short *flags)
{
	struct ifreq ifr = { 0 };
	int err = request(interface, SIOCGIFFLAGS, &ifr);

	*flags = ifr.ifr_flags;
	return err;
}

int device_set_up(const char *interface, bool up)
{
	struct ifreq ifr = { 0 };
	int err = request(interface, SIOCGIFFLAGS, &ifr);

	if (err)
		return err;
	ifr.ifr_flags = (short)(up ? ifr.ifr_flags | IFF_UP : ifr.ifr_flags & ~IFF_UP);
	return request(interface, SIOCSIFFLAGS, &ifr);
}

int device_ethtool(const char *interface, void *data)
{
	struct ifreq ifr = { .ifr_data = data };

	return request(interface, SIOCETHTOOL, &ifr);
}
