/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Offloads, by the ethtool ioctl: names are a string set, and their place in it is
 * a bit in blocks of 32 (include/uapi/linux/ethtool.h).
 */
#include <errno.h>
#include <net/if.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>

#include "offload.h"

#define MAX_BLOCKS 16

struct device {
	int fd;
	struct ifreq request;
};

static int ask(struct device *device, void *data)
{
	device->request.ifr_data = data;
	return ioctl(device->fd, SIOCETHTOOL, &device->request) < 0 ? -errno : 0;
}

/* Requests end in an array without a length, so each lies in plain memory. */
union request {
	struct ethtool_sset_info names;
	struct ethtool_gfeatures get;
	struct ethtool_sfeatures set;
	uint8_t room[sizeof(struct ethtool_gfeatures) +
		     MAX_BLOCKS * sizeof(struct ethtool_get_features_block)];
};

/* How many names the set has, or -errno. */
static int count_names(struct device *device)
{
	union request request = { .room = { 0 } };
	int err;

	request.names.cmd = ETHTOOL_GSSET_INFO;
	request.names.sset_mask = UINT64_C(1) << ETH_SS_FEATURES;
	err = ask(device, &request);
	if (err)
		return err;
	if (request.names.sset_mask == 0 || request.names.data[0] > 32 * MAX_BLOCKS)
		return -EOPNOTSUPP;
	return (int)request.names.data[0];
}

/* The place of a name, or -errno. */
static int find(struct device *device, const char *offload)
{
	struct ethtool_gstrings *names;
	int n = count_names(device), i, err;

	if (n < 0)
		return n;
	names = calloc(1, sizeof(*names) + (size_t)n * ETH_GSTRING_LEN);
	if (!names)
		return -ENOMEM;
	names->cmd = ETHTOOL_GSTRINGS;
	names->string_set = ETH_SS_FEATURES;
	names->len = (uint32_t)n;
	err = ask(device, names);
	if (!err)
		err = -EOPNOTSUPP;
	for (i = 0; err == -EOPNOTSUPP && i < n; i++)
		if (!strncmp((char *)names->data + (size_t)i * ETH_GSTRING_LEN, offload,
			     ETH_GSTRING_LEN))
			err = i;
	free(names);
	return err;
}

static int is_on(struct device *device, int place, bool *on)
{
	union request request = { .room = { 0 } };
	int err;

	request.get.cmd = ETHTOOL_GFEATURES;
	request.get.size = MAX_BLOCKS;
	err = ask(device, &request);
	*on = request.get.features[place / 32].active >> place % 32 & 1;
	return err;
}

static int open_device(const char *interface, struct device *device)
{
	memset(device, 0, sizeof(*device));
	strncpy(device->request.ifr_name, interface,
		sizeof(device->request.ifr_name) - 1);
	device->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	return device->fd < 0 ? -errno : 0;
}

int offload_read(const char *interface, const char *offload, bool *on)
{
	struct device device;
	int err = open_device(interface, &device), place;

	*on = false;
	if (err)
		return err;
	place = find(&device, offload);
	err = place < 0 ? place : is_on(&device, place, on);
	close(device.fd);
	return err;
}

static int set(struct device *device, int place, bool on)
{
	union request request = { .room = { 0 } };
	int count = count_names(device);

	if (count < 0)
		return count;
	request.set.cmd = ETHTOOL_SFEATURES;
	/* The kernel wants a block for each of its bits. */
	request.set.size = ((uint32_t)count + 31) / 32;
	request.set.features[place / 32].valid = 1u << place % 32;
	request.set.features[place / 32].requested = on ? 1u << place % 32 : 0;
	return ask(device, &request);
}

int offload_set(const char *interface, const char *offload, bool on)
{
	struct device device;
	int err = open_device(interface, &device), place;
	bool now = !on;

	if (err)
		return err;
	place = find(&device, offload);
	err = place < 0 ? place : set(&device, place, on);
	if (!err)
		err = is_on(&device, place, &now);
	close(device.fd);
	return err ? err : now == on ? 0 : -EBUSY;
}
