/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Offloads, by the ethtool ioctl: names are a string set, and their place in it is
 * a bit in blocks of 32 (include/uapi/linux/ethtool.h).
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <linux/ethtool.h>

#include "device_request.h"
#include "offload.h"

#define MAX_BLOCKS 16

/* Requests end in an array without a length, so each lies in plain memory. */
union request {
	struct ethtool_sset_info names;
	struct ethtool_gfeatures get;
	struct ethtool_sfeatures set;
	uint8_t room[sizeof(struct ethtool_gfeatures) +
		     MAX_BLOCKS * sizeof(struct ethtool_get_features_block)];
};

/* How many names the set has, or -errno. */
static int count_names(const char *interface)
{
	union request request = { .room = { 0 } };
	int err;

	request.names.cmd = ETHTOOL_GSSET_INFO;
	request.names.sset_mask = UINT64_C(1) << ETH_SS_FEATURES;
	err = device_ethtool(interface, &request);
	if (err)
		return err;
	if (request.names.sset_mask == 0 || request.names.data[0] > 32 * MAX_BLOCKS)
		return -EOPNOTSUPP;
	return (int)request.names.data[0];
}

/* The place of a name, or -errno. */
static int find(const char *interface, const char *offload)
{
	struct ethtool_gstrings *names;
	int n = count_names(interface), i, err;

	if (n < 0)
		return n;
	names = calloc(1, sizeof(*names) + (size_t)n * ETH_GSTRING_LEN);
	if (!names)
		return -ENOMEM;
	names->cmd = ETHTOOL_GSTRINGS;
	names->string_set = ETH_SS_FEATURES;
	names->len = (uint32_t)n;
	err = device_ethtool(interface, names);
	if (!err)
		err = -EOPNOTSUPP;
	for (i = 0; err == -EOPNOTSUPP && i < n; i++)
		if (!strncmp((char *)names->data + (size_t)i * ETH_GSTRING_LEN, offload,
			     ETH_GSTRING_LEN))
			err = i;
	free(names);
	return err;
}

static int is_on(const char *interface, int place, bool *on)
{
	union request request = { .room = { 0 } };
	int err;

	request.get.cmd = ETHTOOL_GFEATURES;
	request.get.size = MAX_BLOCKS;
	err = device_ethtool(interface, &request);
	*on = request.get.features[place / 32].active >> place % 32 & 1;
	return err;
}

int offload_read(const char *interface, const char *offload, bool *on)
{
	int place = find(interface, offload);

	*on = false;
	return place < 0 ? place : is_on(interface, place, on);
}

static int set(const char *interface, int place, bool on)
{
	union request request = { .room = { 0 } };
	int count = count_names(interface);

	if (count < 0)
		return count;
	request.set.cmd = ETHTOOL_SFEATURES;
	/* The kernel wants a block for each of its bits. */
	request.set.size = ((uint32_t)count + 31) / 32;
	request.set.features[place / 32].valid = 1u << place % 32;
	request.set.features[place / 32].requested = on ? 1u << place % 32 : 0;
	return device_ethtool(interface, &request);
}

int offload_set(const char *interface, const char *offload, bool on)
{
	int place = find(interface, offload), err;
	bool now = !on;

	err = place < 0 ? place : set(interface, place, on);
	if (!err)
		err = is_on(interface, place, &now);
	return err ? err : now == on ? 0 : -EBUSY;
}
