/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The facts of an interface, put together from rtnetlink, ethtool, the netdev
 * family and sysfs. Each source is asked once; a fact nobody knows keeps its
 * "unknown" value.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <unistd.h>
#include <linux/if.h>
#include <linux/if_arp.h>

#include "ethtool.h"
#include "irq.h"
#include "internal.h"
#include "netlink.h"
#include "small_file.h"

/* NETDEV_XDP_ACT_XSK_ZEROCOPY, include/uapi/linux/netdev.h (6.3). */
#define XDP_FEATURE_ZEROCOPY (1ull << 3)

struct queue_counts {
	uint32_t tx, rx;
};

/* ---- active queues ---------------------------------------------------- */

/*
 * A sysfs of the calling thread's own network namespace, attached nowhere.
 * Needs CAP_SYS_ADMIN in the namespace's user namespace.
 */
static int own_sysfs(void)
{
	int context = fsopen("sysfs", FSOPEN_CLOEXEC);
	int mount;

	if (context < 0)
		return -errno;
	if (fsconfig(context, FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0)
		mount = -errno;
	else if ((mount = fsmount(context, FSMOUNT_CLOEXEC, MOUNT_ATTR_RDONLY)) < 0)
		mount = -errno;
	close(context);
	return mount;
}

static bool file_says(int dir, const char *path, const char *expected)
{
	char text[64];

	if (dxmit_file_text(dir, path, text, sizeof(text)) < 0)
		return false;
	text[strcspn(text, "\n")] = '\0';
	return strcmp(text, expected) == 0;
}

/*
 * After a bare `unshare -n`, /sys still shows the namespace it was mounted in,
 * where the same name may be another interface: index and address tell.
 */
static bool same_interface(int dir, const struct dxmit_link *link)
{
	const uint8_t *m = link->mac;
	char index[16], address[24];

	snprintf(index, sizeof(index), "%d", link->ifindex);
	snprintf(address, sizeof(address), "%02x:%02x:%02x:%02x:%02x:%02x", m[0], m[1],
		 m[2], m[3], m[4], m[5]);
	return file_says(dir, "ifindex", index) && file_says(dir, "address", address);
}

static int count_queue_dirs(int interface, struct queue_counts *counts)
{
	int fd = openat(interface, "queues", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct dirent *entry;
	DIR *dir;

	if (fd < 0)
		return -errno;
	dir = fdopendir(fd);
	if (!dir) {
		close(fd);
		return -ENOMEM;
	}
	*counts = (struct queue_counts){ 0, 0 };
	while ((entry = readdir(dir)) != NULL) {
		counts->tx += strncmp(entry->d_name, "tx-", 3) == 0;
		counts->rx += strncmp(entry->d_name, "rx-", 3) == 0;
	}
	closedir(dir);
	return counts->tx ? 0 : -ENOENT;
}

static int queues_from_sysfs(const struct dxmit_link *link, struct queue_counts *counts)
{
	char path[64];
	int sysfs = own_sysfs();
	int interface, err = -ENOENT;

	snprintf(path, sizeof(path), "%sclass/net/%s", sysfs < 0 ? "/sys/" : "",
		 link->name);
	interface = openat(sysfs, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (interface >= 0) {
		if (same_interface(interface, link))
			err = count_queue_dirs(interface, counts);
		close(interface);
	}
	if (sysfs >= 0)
		close(sysfs);
	return err;
}

static int queues_from_netdev(const struct dxmit_link *link, struct queue_counts *counts)
{
	struct dxmit_netlink netdev;
	int err = dxmit_netlink_open(&netdev, "netdev");

	if (err)
		return err;
	err = dxmit_netlink_queues(&netdev, link->ifindex, &counts->tx, &counts->rx);
	dxmit_netlink_close(&netdev);
	return err ? err : counts->tx ? 0 : -ENOENT;
}

static uint32_t at_most(uint32_t count, uint32_t limit)
{
	return limit && count > limit ? limit : count;
}

/*
 * Active queues of a driver without ethtool channels. Measured on 6.18: ifb has
 * none, a tap without reader answers 0 and has one queue. The netdev family
 * needs no privilege but 6.8 and the interface up; sysfs needs CAP_SYS_ADMIN
 * or the right mount; the number allocated is what is left.
 */
static struct queue_counts queues_without_channels(const struct dxmit_link *link)
{
	struct queue_counts counts = { link->tx_queues_max, link->rx_queues_max };

	if (counts.tx > 1 || counts.rx > 1) {
		if (queues_from_netdev(link, &counts) < 0 &&
		    queues_from_sysfs(link, &counts) < 0)
			counts = (struct queue_counts){ link->tx_queues_max,
							link->rx_queues_max };
	}
	counts.tx = at_most(counts.tx, link->tx_queues_max);
	counts.rx = at_most(counts.rx, link->rx_queues_max);
	return counts;
}

/* ---- putting it together ---------------------------------------------- */

static void read_queues(int fd, const struct dxmit_link *link, struct dxmit_nic *nic)
{
	struct dxmit_channels channels = { 0 };
	struct queue_counts counts;

	if (dxmit_ethtool_channels(fd, link->name, &channels) == 0 && channels.tx) {
		counts.tx = at_most(channels.tx, link->tx_queues_max);
		counts.rx = at_most(channels.rx, link->rx_queues_max);
	} else {
		counts = queues_without_channels(link);
	}
	nic->tx_queues = counts.tx;
	nic->rx_queues = counts.rx;
	nic->tx_queues_max = channels.tx_max ? channels.tx_max : link->tx_queues_max;
	nic->rx_queues_max = channels.rx_max ? channels.rx_max : link->rx_queues_max;
}

/*
 * Zero-copy from the netdev family and not from libbpf's query: that asks the
 * same family, but only since libbpf 1.2, and this works with any libbpf.
 */
static void read_zerocopy(struct dxmit_nic *nic)
{
	struct dxmit_netlink netdev;
	uint64_t features;

	if (dxmit_netlink_open(&netdev, "netdev") < 0)
		return;
	if (dxmit_netlink_xdp_features(&netdev, nic->ifindex, &features) == 0)
		nic->zerocopy = features & XDP_FEATURE_ZEROCOPY ? DXMIT_ZEROCOPY_YES
								: DXMIT_ZEROCOPY_NO;
	dxmit_netlink_close(&netdev);
}

static void read_driver(int fd, const struct dxmit_link *link, struct dxmit_nic *nic)
{
	if (dxmit_ethtool_driver(fd, link->name, nic->driver, nic->bus) < 0 ||
	    !nic->driver[0])
		snprintf(nic->driver, sizeof(nic->driver), "%s", link->kind);
	/* Virtual drivers put words there ("tap"); only a parent device makes
	 * it an address. */
	if (!link->parent[0])
		nic->bus[0] = '\0';
	else if (!nic->bus[0])
		snprintf(nic->bus, sizeof(nic->bus), "%.31s", link->parent);
}

static int fill(const struct dxmit_link *link, struct dxmit_nic *nic)
{
	int fd = dxmit_ethtool_open();

	if (fd < 0)
		return fd;
	snprintf(nic->name, sizeof(nic->name), "%s", link->name);
	nic->ifindex = link->ifindex;
	nic->mtu = link->counters.mtu;
	memcpy(nic->mac, link->mac, sizeof(nic->mac));
	nic->up = link->counters.up;
	nic->carrier = link->counters.carrier;
	nic->ethernet = link->type == ARPHRD_ETHER || link->type == ARPHRD_LOOPBACK;
	nic->loopback = (link->flags & IFF_LOOPBACK) != 0;
	read_queues(fd, link, nic);
	read_driver(fd, link, nic);
	dxmit_ethtool_speed(fd, link->name, &nic->speed_mbps);
	close(fd);
	dxmit_irq_read(link->parent_bus, link->parent, nic);
	read_zerocopy(nic);
	return 0;
}

/* By name, or by index when `name` is NULL. */
static int read_nic(const char *name, int ifindex, struct dxmit_nic *nic)
{
	struct dxmit_netlink netlink;
	struct dxmit_link link;
	int err;

	memset(nic, 0, sizeof(*nic));
	nic->node = -1;
	err = dxmit_netlink_open(&netlink, NULL);
	if (err)
		return err;
	err = name ? dxmit_netlink_link_named(&netlink, name, &link)
		   : dxmit_netlink_link(&netlink, ifindex, &link);
	dxmit_netlink_close(&netlink);
	return err ? err : fill(&link, nic);
}

int dxmit_nic_read(const char *name, struct dxmit_nic *nic, struct dxmit_error *error)
{
	int err = read_nic(name, 0, nic);

	if (err)
		dxmit_error_set(error, DXMIT_STAGE_INTERFACE, -err, name, 0, 0, 0);
	return err;
}

int dxmit_nic_read_index(int ifindex, struct dxmit_nic *nic, struct dxmit_error *error)
{
	char object[32];
	int err = read_nic(NULL, ifindex, nic);

	if (err) {
		snprintf(object, sizeof(object), "interface index %d", ifindex);
		dxmit_error_set(error, DXMIT_STAGE_INTERFACE, -err, object,
				(uint64_t)ifindex, 0, 0);
	}
	return err;
}

int dxmit_nic_active_tx_queues(int ifindex)
{
	struct dxmit_channels channels = { 0 };
	struct dxmit_netlink netlink;
	struct dxmit_link link;
	char name[DXMIT_NAME_LEN];
	int fd = dxmit_ethtool_open();
	int err;

	if (fd < 0)
		return fd;
	err = dxmit_ethtool_name(fd, ifindex, name);
	if (!err)
		err = dxmit_ethtool_channels(fd, name, &channels);
	close(fd);
	if (!err && channels.tx)
		return (int)channels.tx;

	err = dxmit_netlink_open(&netlink, NULL);
	if (err)
		return err;
	err = dxmit_netlink_link(&netlink, ifindex, &link);
	dxmit_netlink_close(&netlink);
	return err ? err : (int)queues_without_channels(&link).tx;
}
