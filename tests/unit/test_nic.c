/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Interface facts and counters on devices made for the purpose in a network
 * namespace of our own. /sys stays the outer namespace's, as after a bare
 * `unshare -n`, and an ifb0 with other queue counts may exist there.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/ethtool.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/sockios.h>
#include <net/if.h>

#include <dxmit/nic.h>

#include "skip.h"

#define LONG_ALTERNATIVE "a-rather-long-alternative-name-of-this-interface"

static bool real_root; /* not merely root of a user namespace */

static void run(const char *command)
{
	int status = system(command);

	if (status != 0)
		fail_msg("`%s` failed: %d", command, status);
}

static void write_text(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	if (f) { /* a failure shows in what the caller checks next */
		fputs(text, f);
		fclose(f);
	}
}

/* Root of a user namespace; unmapped, exec() would take the capabilities. */
static bool become_root_inside(void)
{
	char map[32];

	snprintf(map, sizeof(map), "0 %d 1", (int)getuid());
	if (unshare(CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWNS) < 0)
		return false;
	write_text("/proc/self/uid_map", map);
	return getuid() == 0;
}

static int enter_namespace(void **state)
{
	(void)state;
	real_root = unshare(CLONE_NEWNET | CLONE_NEWNS) == 0;
	if (!real_root && !become_root_inside()) {
		skip_reason = "no permission to make a network namespace";
		return 0;
	}
	/* Or the devices send frames nobody asked for. */
	write_text("/proc/sys/net/ipv6/conf/default/disable_ipv6", "1");
	if (system("ip link add va address 02:00:00:00:00:0a mtu 1400 "
		   "numtxqueues 4 numrxqueues 4 type veth "
		   "peer name vb numtxqueues 4 numrxqueues 4") ||
	    system("ip link add vc numtxqueues 1 numrxqueues 4 type veth "
		   "peer name vd numtxqueues 4 numrxqueues 1") ||
	    system("ip link property add dev va altname short-alt altname " LONG_ALTERNATIVE))
		skip_reason = "no veth with several queues here";
	return 0;
}

static struct dxmit_nic read_nic(const char *name)
{
	struct dxmit_nic nic;

	assert_int_equal(dxmit_nic_read(name, &nic, NULL), 0);
	return nic;
}

static void veth_facts(void **state)
{
	static const uint8_t mac[6] = { 2, 0, 0, 0, 0, 0x0a };
	struct dxmit_nic nic, by_index;

	(void)state;
	NEED_DEVICES();
	nic = read_nic("va");
	assert_string_equal(nic.name, "va");
	assert_int_equal(nic.ifindex, if_nametoindex("va"));
	assert_int_equal(nic.tx_queues, 4);
	assert_int_equal(nic.rx_queues, 4);
	assert_int_equal(nic.tx_queues_max, 4);
	assert_int_equal(nic.rx_queues_max, 4);
	assert_int_equal(nic.mtu, 1400);
	assert_memory_equal(nic.mac, mac, 6);
	assert_false(nic.up || nic.carrier || nic.loopback);
	assert_true(nic.ethernet);
	assert_int_equal(nic.node, -1);
	assert_int_equal(nic.speed_mbps, 10000);
	assert_string_equal(nic.driver, "veth");
	assert_string_equal(nic.bus, "");
	assert_int_equal(nic.irqs, 0);
	assert_int_not_equal(nic.zerocopy, DXMIT_ZEROCOPY_YES);
	assert_int_equal(dxmit_nic_active_tx_queues(nic.ifindex), 4);

	assert_int_equal(dxmit_nic_read_index(nic.ifindex, &by_index, NULL), 0);
	assert_memory_equal(&nic, &by_index, sizeof(nic));
}

static void loopback_facts(void **state)
{
	struct dxmit_nic nic;

	(void)state;
	NEED_DEVICES();
	nic = read_nic("lo");
	assert_true(nic.loopback && nic.ethernet);
	assert_int_equal(nic.tx_queues, 1);
	assert_int_equal(nic.rx_queues_max, 1);
	assert_int_equal(nic.mtu, 65536);
	assert_int_equal(nic.speed_mbps, 0);
}

static void queue_counts_differ_by_direction(void **state)
{
	struct dxmit_nic nic;

	(void)state;
	NEED_DEVICES();
	nic = read_nic("vc");
	assert_int_equal(nic.tx_queues, 1);
	assert_int_equal(nic.tx_queues_max, 1);
	assert_int_equal(nic.rx_queues, 4);
	nic = read_nic("vd");
	assert_int_equal(nic.tx_queues, 4);
	assert_int_equal(nic.rx_queues, 1);
}

static void set_tx_channels(const char *name, uint32_t tx, uint32_t rx)
{
	struct ethtool_channels channels = {
		.cmd = ETHTOOL_SCHANNELS,
		.tx_count = tx,
		.rx_count = rx,
	};
	struct ifreq ifr = { .ifr_data = (char *)&channels };
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	strcpy(ifr.ifr_name, name);
	assert_int_equal(ioctl(fd, SIOCETHTOOL, &ifr), 0);
	close(fd);
}

static void fewer_queues_active_than_possible(void **state)
{
	struct dxmit_nic nic;

	(void)state;
	NEED_DEVICES();
	set_tx_channels("va", 2, 4);
	nic = read_nic("va");
	assert_int_equal(nic.tx_queues, 2);
	assert_int_equal(nic.tx_queues_max, 4);
	assert_int_equal(nic.rx_queues, 4);
	assert_int_equal(dxmit_nic_active_tx_queues(nic.ifindex), 2);
	set_tx_channels("va", 4, 4);
	assert_int_equal(dxmit_nic_active_tx_queues(nic.ifindex), 4);
}

/* No ethtool channels there; up and down take different ways to the count. */
static void driver_without_channels(void **state)
{
	struct dxmit_nic nic;

	(void)state;
	NEED_DEVICES();
	if (system("ip link add ifb0 numtxqueues 3 numrxqueues 3 type ifb")) {
		print_message("# skipped: no ifb here\n");
		skip();
	}
	nic = read_nic("ifb0");
	assert_int_equal(nic.tx_queues, 3);
	assert_int_equal(nic.rx_queues, 3);
	assert_int_equal(nic.tx_queues_max, 3);
	assert_string_equal(nic.driver, "ifb");
	run("ip link set ifb0 up");
	assert_int_equal(read_nic("ifb0").tx_queues, 3);
	assert_int_equal(read_nic("ifb0").up, 1);
	assert_int_equal(dxmit_nic_active_tx_queues(nic.ifindex), 3);
	run("ip link del ifb0");
	assert_int_equal(dxmit_nic_active_tx_queues(nic.ifindex), -ENODEV);
}

/* Its channels say 0 and 256 are allocated, but the kernel has one active. */
static void tap_without_reader(void **state)
{
	struct dxmit_nic nic;

	(void)state;
	NEED_DEVICES();
	if (system("ip tuntap add tp mode tap multi_queue 2>/dev/null")) {
		print_message("# skipped: no tap here\n");
		skip();
	}
	nic = read_nic("tp");
	assert_int_equal(nic.tx_queues_max, 256);
	/* Down, only a sysfs of our own tells: that needs CAP_SYS_ADMIN. */
	assert_int_equal(nic.tx_queues, real_root ? 1 : nic.tx_queues);
	assert_string_equal(nic.driver, "tun");
	assert_string_equal(nic.bus, ""); /* the driver says "tap" */
	run("ip link del tp");
}

static void alternative_names(void **state)
{
	char too_long[200];
	struct dxmit_nic nic;
	struct dxmit_error error;

	(void)state;
	NEED_DEVICES();
	assert_string_equal(read_nic("short-alt").name, "va");
	assert_string_equal(read_nic(LONG_ALTERNATIVE).name, "va");
	assert_int_equal(dxmit_nic_read(LONG_ALTERNATIVE "x", &nic, &error), -ENODEV);
	assert_int_equal(error.stage, DXMIT_STAGE_INTERFACE);
	assert_int_equal(error.code, ENODEV);
	assert_memory_equal(error.object, LONG_ALTERNATIVE, sizeof(error.object) - 1);
	memset(too_long, 'a', sizeof(too_long) - 1);
	too_long[sizeof(too_long) - 1] = '\0';
	assert_int_equal(dxmit_nic_read(too_long, &nic, NULL), -ENODEV);
	assert_int_equal(dxmit_nic_read("", &nic, NULL), -ENODEV);
	assert_int_equal(dxmit_nic_read("../va", &nic, NULL), -ENODEV);
}

static void no_such_interface(void **state)
{
	static const int index[] = { 0, -1, 999999 };
	struct dxmit_nic_watch *watch;
	struct dxmit_error error;
	struct dxmit_nic nic;
	size_t i;

	(void)state;
	NEED_DEVICES();
	assert_int_equal(dxmit_nic_read("nope0", &nic, &error), -ENODEV);
	assert_string_equal(error.object, "nope0");
	for (i = 0; i < sizeof(index) / sizeof(index[0]); i++) {
		assert_int_equal(dxmit_nic_read_index(index[i], &nic, &error), -ENODEV);
		assert_int_equal(error.code, ENODEV);
		assert_int_equal(dxmit_nic_active_tx_queues(index[i]), -ENODEV);
		assert_int_equal(dxmit_nic_watch_open(index[i], &watch), -ENODEV);
		assert_null(watch);
	}
	dxmit_nic_watch_close(&watch);
}

/* A frame the device drops may answer ENOBUFS; the counters judge. */
static void send_frames(const char *name, int count, size_t length)
{
	uint8_t frame[1500] = { 2, 0, 0, 0, 0, 0x0b, 2, 0, 0, 0, 0, 0x0a, 0x88, 0xb5 };
	struct sockaddr_ll to = {
		.sll_family = AF_PACKET,
		.sll_ifindex = (int)if_nametoindex(name),
	};
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	while (count--)
		assert_true(sendto(fd, frame, length, 0, (struct sockaddr *)&to,
				   sizeof(to)) == (ssize_t)length ||
			    errno == ENOBUFS);
	close(fd);
}

static void counters_and_link_state(void **state)
{
	struct dxmit_nic_watch *near, *far;
	struct dxmit_nic_counters a, b, c, d;
	int i;

	(void)state;
	NEED_DEVICES();
	assert_int_equal(dxmit_nic_watch_open((int)if_nametoindex("va"), &near), 0);
	assert_int_equal(dxmit_nic_watch_open((int)if_nametoindex("vb"), &far), 0);
	assert_int_equal(dxmit_nic_watch_read(near, &a), 0);
	assert_false(a.up || a.carrier);
	run("ip link set va up");
	assert_int_equal(dxmit_nic_watch_read(near, &a), 0);
	assert_true(a.up && !a.carrier);
	run("ip link set vb up");
	/* The carrier bit follows from a work item of the kernel: up to 2 s. */
	for (i = 0; i < 200; i++) {
		assert_int_equal(dxmit_nic_watch_read(near, &a), 0);
		if (a.carrier)
			break;
		usleep(10000);
	}
	assert_true(a.up && a.carrier);
	assert_int_equal(read_nic("va").carrier, 1);
	assert_int_equal(a.mtu, 1400);

	assert_int_equal(dxmit_nic_watch_read(far, &c), 0);
	send_frames("va", 50, 60);
	send_frames("va", 7, 1000);
	assert_int_equal(dxmit_nic_watch_read(near, &b), 0);
	assert_int_equal(dxmit_nic_watch_read(far, &d), 0);
	assert_int_equal(b.tx_packets - a.tx_packets, 57);
	assert_int_equal(b.tx_bytes - a.tx_bytes, 50 * 60 + 7 * 1000);
	assert_int_equal(b.rx_packets - a.rx_packets, 0);
	assert_int_equal(d.rx_packets - c.rx_packets, 57);
	assert_int_equal(d.rx_bytes - c.rx_bytes, 50 * 60 + 7 * 1000);
	assert_int_equal(d.tx_packets - c.tx_packets, 0);
	assert_int_equal(b.tx_dropped - a.tx_dropped, 0);

	/* A length the far end's MTU refuses is a drop, and is seen as one. */
	run("ip link set vb mtu 500");
	assert_int_equal(dxmit_nic_watch_read(far, &d), 0);
	assert_int_equal(d.mtu, 500);
	send_frames("va", 3, 1000);
	assert_int_equal(dxmit_nic_watch_read(near, &a), 0);
	assert_int_equal(a.tx_dropped - b.tx_dropped, 3);
	assert_int_equal(a.tx_packets - b.tx_packets, 0);
	run("ip link set vb mtu 1400");
	dxmit_nic_watch_close(&near);
	assert_null(near);
	dxmit_nic_watch_close(&near);
	dxmit_nic_watch_close(&far);
}

static void moved_to_another_namespace(void **state)
{
	struct dxmit_nic_counters counters;
	struct dxmit_nic_watch *watch;
	char command[64];
	int ready[2], ifindex;
	pid_t child;
	char byte = 0;

	(void)state;
	NEED_DEVICES();
	ifindex = (int)if_nametoindex("vc");
	assert_int_equal(dxmit_nic_watch_open(ifindex, &watch), 0);
	assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
	child = fork();
	if (child == 0) {
		if (unshare(CLONE_NEWNET) == 0 && write(ready[1], &byte, 1) == 1)
			pause();
		_exit(1);
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	assert_int_equal(dxmit_nic_watch_read(watch, &counters), 0);
	snprintf(command, sizeof(command), "ip link set vc netns %d", (int)child);
	run(command);
	assert_int_equal(dxmit_nic_watch_read(watch, &counters), -ENODEV);
	assert_int_equal(dxmit_nic_active_tx_queues(ifindex), -ENODEV);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	dxmit_nic_watch_close(&watch);
}

static int open_descriptors(int *without_cloexec)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *entry;
	int count = 0;

	assert_non_null(dir);
	*without_cloexec = 0;
	while ((entry = readdir(dir)) != NULL) {
		int fd = atoi(entry->d_name);

		if (entry->d_name[0] == '.' || fd == dirfd(dir))
			continue;
		count++;
		*without_cloexec += !(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	}
	closedir(dir);
	return count;
}

static void nothing_leaks(void **state)
{
	int before, after, plain_before, plain_after, i;
	struct dxmit_nic_watch *watch;
	struct dxmit_nic nic;

	(void)state;
	NEED_DEVICES();
	before = open_descriptors(&plain_before);
	for (i = 0; i < 20; i++) {
		dxmit_nic_read("va", &nic, NULL);
		dxmit_nic_read("nope0", &nic, NULL);
		dxmit_nic_active_tx_queues(nic.ifindex);
		assert_true(dxmit_nic_watch_open(999999, &watch) < 0);
	}
	assert_int_equal(open_descriptors(&plain_after), before);
	assert_int_equal(dxmit_nic_watch_open((int)if_nametoindex("va"), &watch), 0);
	after = open_descriptors(&plain_after);
	assert_int_equal(after, before + 1);
	assert_int_equal(plain_after, plain_before);
	dxmit_nic_watch_close(&watch);
	assert_int_equal(open_descriptors(&plain_after), before);
}

/* Last of the namespace tests: it takes va and vb away. */
static void deleted(void **state)
{
	struct dxmit_nic_counters counters;
	struct dxmit_nic_watch *watch;
	struct dxmit_nic nic;
	int ifindex;

	(void)state;
	NEED_DEVICES();
	ifindex = (int)if_nametoindex("va");
	assert_int_equal(dxmit_nic_watch_open(ifindex, &watch), 0);
	assert_int_equal(dxmit_nic_watch_read(watch, &counters), 0);
	run("ip link del va");
	assert_int_equal(dxmit_nic_watch_read(watch, &counters), -ENODEV);
	assert_int_equal(dxmit_nic_watch_read(watch, &counters), -ENODEV);
	assert_int_equal(dxmit_nic_active_tx_queues(ifindex), -ENODEV);
	assert_int_equal(dxmit_nic_read("va", &nic, NULL), -ENODEV);
	assert_int_equal(dxmit_nic_read("short-alt", &nic, NULL), -ENODEV);
	dxmit_nic_watch_close(&watch);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(veth_facts),
		cmocka_unit_test(loopback_facts),
		cmocka_unit_test(queue_counts_differ_by_direction),
		cmocka_unit_test(fewer_queues_active_than_possible),
		cmocka_unit_test(driver_without_channels),
		cmocka_unit_test(tap_without_reader),
		cmocka_unit_test(alternative_names),
		cmocka_unit_test(no_such_interface),
		cmocka_unit_test(counters_and_link_state),
		cmocka_unit_test(moved_to_another_namespace),
		cmocka_unit_test(nothing_leaks),
		cmocka_unit_test(deleted),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("nic", tests, enter_namespace, NULL);
}
