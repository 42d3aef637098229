/* SPDX-License-Identifier: BSD-2-Clause */
/* ethtool ioctls: what the driver says about channels, itself and its speed. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <linux/ethtool.h>
#include <linux/if.h>
#include <linux/sockios.h>

#include "ethtool.h"

int dxmit_ethtool_open(void)
{
	/* Any socket carries device ioctls; a UNIX one always exists. */
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	return fd < 0 ? -errno : fd;
}

static int query(int fd, const char *name, void *command)
{
	struct ifreq ifr;

	memset(&ifr, 0, sizeof(ifr));
	snprintf(ifr.ifr_name, sizeof(ifr.ifr_name), "%.15s", name);
	ifr.ifr_data = command;
	return ioctl(fd, SIOCETHTOOL, &ifr) < 0 ? -errno : 0;
}

int dxmit_ethtool_channels(int fd, const char *name, struct dxmit_channels *out)
{
	struct ethtool_channels channels = { .cmd = ETHTOOL_GCHANNELS };
	int err = query(fd, name, &channels);

	if (err)
		return err;
	out->tx = channels.tx_count + channels.combined_count;
	out->rx = channels.rx_count + channels.combined_count;
	out->tx_max = channels.max_tx + channels.max_combined;
	out->rx_max = channels.max_rx + channels.max_combined;
	return 0;
}

int dxmit_ethtool_driver(int fd, const char *name, char driver[32], char bus[32])
{
	struct ethtool_drvinfo info = { .cmd = ETHTOOL_GDRVINFO };
	int err = query(fd, name, &info);

	if (err)
		return err;
	snprintf(driver, 32, "%.31s", info.driver);
	snprintf(bus, 32, "%.31s", info.bus_info);
	return 0;
}

int dxmit_ethtool_speed(int fd, const char *name, uint64_t *speed_mbps)
{
	union {
		struct ethtool_link_settings head;
		/* three masks of at most INT8_MAX words follow the head */
		uint32_t room[sizeof(struct ethtool_link_settings) / 4 + 3 * 127];
	} settings;
	int err;

	*speed_mbps = 0;
	/* Handshake of linux/ethtool.h: asked with 0 words the kernel answers
	 * the negated number of words its link masks need. */
	memset(&settings, 0, sizeof(settings));
	settings.head.cmd = ETHTOOL_GLINKSETTINGS;
	err = query(fd, name, &settings);
	if (err)
		return err;
	if (settings.head.link_mode_masks_nwords >= 0)
		return -EPROTO;
	settings.head.cmd = ETHTOOL_GLINKSETTINGS;
	settings.head.link_mode_masks_nwords =
		(int8_t)-settings.head.link_mode_masks_nwords;
	err = query(fd, name, &settings);
	if (err)
		return err;
	if (settings.head.speed != (uint32_t)SPEED_UNKNOWN)
		*speed_mbps = settings.head.speed;
	return 0;
}

int dxmit_ethtool_name(int fd, int ifindex, char name[16])
{
	struct ifreq ifr;

	memset(&ifr, 0, sizeof(ifr));
	ifr.ifr_ifindex = ifindex;
	if (ioctl(fd, SIOCGIFNAME, &ifr) < 0)
		return -errno;
	snprintf(name, 16, "%.15s", ifr.ifr_name);
	return 0;
}
