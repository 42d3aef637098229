/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The pktgen legs: a device per planned queue on the kernel's thread of its CPU.
 *
 *	pktgen        a new packet each time, handed to the driver
 *	pktgen-clone  the same packet over and over
 *	pktgen-queue  a new packet each time, through the queueing discipline
 *	pktgen-rx     a new packet each time, as if the interface had received it
 *
 * Its frames have dxmit's addresses, ports, DSCP and length. Its own are the TTL
 * (32), the identification (counts up, without DF), no UDP checksum, and a header at
 * the start of the payload (fill_packet_ipv4() in net/core/pktgen.c).
 */
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "message.h"
#include "pktgen.h"
#include "sender.h"
#include "yardstick_parts.h"

#define CLONES 1000000
#define MAX_COUNT UINT64_C(9999999999) /* ten digits are read */
#define SLICE_NS 10000000
#define PATIENCE_NS UINT64_C(1500000000) /* until what was told to stop has */
#define KERNEL_ENOTSUPP 524              /* include/linux/errno.h; not for programs */

struct pktgen {
	const struct yardstick *yardstick;
	const struct dxmit_plan *plan;
	const char *name; /* of the leg */
	struct yardstick_udp udp;
	uint32_t length;

	pthread_t starter;
	bool started; /* the starter, which is to be joined */
	int ended_fd; /* readable when it has ended */
	int start_error;
};

/* ---- what cannot be ---- */

static bool is_payload_zero(const struct content_variant *variant)
{
	uint32_t i;

	for (i = YARDSTICK_UDP_HEADERS; i < variant->length; i++)
		if (variant->frame[i])
			return false;
	return true;
}

static int check_frames(struct pktgen *p, const struct content *content)
{
	const struct config *config = p->yardstick->config;
	const char *why = NULL;

	if (!yardstick_udp_headers(content, &p->udp, &why))
		;
	else if (content->length == 0)
		why = "it has one length";
	else if (content->stamp || !is_payload_zero(&content->variant[0]))
		why = "the payload is its own";
	p->length = content->longest;
	if (why)
		return fail(EXIT_USAGE, p->name,
			    "pktgen cannot send these frames: %s; use plain UDP over "
			    "IPv4 of one length with a payload of zeros",
			    why);
	if (config->count_given && config->count > MAX_COUNT)
		return fail(EXIT_USAGE, p->name,
			    "counts to %" PRIu64 "; use a smaller -n", MAX_COUNT);
	return EXIT_DONE;
}

static int refused(const struct pktgen *p, const char *what, int err)
{
	if (err == -ENOENT)
		return fail(EXIT_USAGE, p->name,
			    "the kernel's pktgen is not there; `modprobe pktgen`, or "
			    "enable CONFIG_NET_PKTGEN");
	if (err == -EACCES || err == -EPERM)
		return fail(EXIT_USAGE, p->name,
			    "pktgen is for root, outside of any user namespace; run as "
			    "root");
	return fail(EXIT_USAGE, p->name, "pktgen refuses %s: %s; see the kernel's log",
		    what, strerror(-err));
}

static int check_threads(const struct pktgen *p)
{
	struct pktgen_thread thread;
	size_t i;

	for (i = 0; i < p->plan->queues; i++) {
		uint32_t cpu = p->plan->queue[i].cpu;
		int err = pktgen_read_thread(cpu, p->yardstick->nic->name, p->plan,
					     &thread);

		if (err)
			return refused(p, "its threads", err);
		if (thread.others)
			return fail(EXIT_USAGE, p->name,
				    "somebody else has set up pktgen on CPU %" PRIu32
				    "; `echo rem_device_all > "
				    "/proc/net/pktgen/kpktgend_%" PRIu32 "` or wait",
				    cpu, cpu);
	}
	return EXIT_DONE;
}

/* ---- set-up ---- */

/* Each returns 0 or -errno. */
static int set_frames(const struct pktgen *p, const char *device)
{
	const struct yardstick_udp *u = &p->udp;
	const struct in_addr from = { htonl(u->source_ip) };
	const struct in_addr to = { htonl(u->destination_ip) };
	char source[INET_ADDRSTRLEN], destination[INET_ADDRSTRLEN];
	int err;

	inet_ntop(AF_INET, &from, source, sizeof(source));
	inet_ntop(AF_INET, &to, destination, sizeof(destination));
	/* As we count: pktgen's lengths are without FCS. */
	err = pktgen_write(device, "pkt_size %" PRIu32, p->length);
	err = err ? err : pktgen_write(device, "src_min %s", source);
	err = err ? err : pktgen_write(device, "src_max %s", source);
	err = err ? err : pktgen_write(device, "dst_min %s", destination);
	err = err ? err : pktgen_write(device, "dst_max %s", destination);
	err = err ? err : pktgen_write(device, "udp_src_min %u", u->source_port);
	err = err ? err : pktgen_write(device, "udp_src_max %u", u->source_port);
	err = err ? err : pktgen_write(device, "udp_dst_min %u", u->destination_port);
	err = err ? err : pktgen_write(device, "udp_dst_max %u", u->destination_port);
	err = err ? err : pktgen_write(device, "tos %02x", u->tos);
	return err;
}

static int set_mac(const char *device, const char *key, const uint8_t mac[6])
{
	return pktgen_write(device, "%s %02x:%02x:%02x:%02x:%02x:%02x", key, mac[0],
			    mac[1], mac[2], mac[3], mac[4], mac[5]);
}

static int set_sending(const struct pktgen *p, const struct dxmit_plan_queue *queue,
		       const char *device)
{
	const enum leg_kind kind = p->yardstick->kind;
	uint64_t count = p->yardstick->config->count_given ? queue->count : 0;
	int err = pktgen_write(device, "count %" PRIu64, count);

	err = err ? err : pktgen_write(device, "delay 0");
	err = err ? err : pktgen_write(device, "burst 1");
	err = err ? err : pktgen_write(device, "queue_map_min %" PRIu32, queue->queue);
	err = err ? err : pktgen_write(device, "queue_map_max %" PRIu32, queue->queue);
	if (kind == LEG_PKTGEN_QUEUE || kind == LEG_PKTGEN_RX)
		err = err ? err
			  : pktgen_write(device, "xmit_mode %s",
					 kind == LEG_PKTGEN_RX ? "netif_receive"
							       : "queue_xmit");
	err = err ? err : set_mac(device, "dst_mac", p->udp.destination_mac);
	return err ? err : set_mac(device, "src_mac", p->udp.source_mac);
}

static int set_clones(const struct pktgen *p, const char *device)
{
	int clones = p->yardstick->kind == LEG_PKTGEN_CLONE ? CLONES : 0;
	int err = pktgen_write(device, "clone_skb %d", clones);

	if (err == -KERNEL_ENOTSUPP || err == -EOPNOTSUPP)
		return fail(EXIT_USAGE, p->name,
			    "%s does not send one packet several times (no "
			    "IFF_TX_SKB_SHARING); use pktgen",
			    p->yardstick->nic->name);
	return err ? refused(p, "clone_skb", err) : EXIT_DONE;
}

/* A queue without packets has no device: to pktgen, 0 is no limit. */
static bool is_used(const struct pktgen *p, const struct dxmit_plan_queue *queue)
{
	return !p->yardstick->config->count_given || queue->count;
}

static int set_up(const struct pktgen *p, const struct dxmit_plan_queue *queue)
{
	char thread[PKTGEN_NAME], device[PKTGEN_NAME];
	int err;

	if (!is_used(p, queue))
		return EXIT_DONE;
	pktgen_name(p->yardstick->nic->name, queue->queue, device);
	snprintf(thread, sizeof(thread), "kpktgend_%" PRIu32, queue->cpu);
	err = pktgen_write(thread, "add_device %s", device);
	if (err)
		return refused(p, "the interface", err);
	err = set_frames(p, device);
	if (!err)
		err = set_sending(p, queue, device);
	return err ? refused(p, "a setting", err) : set_clones(p, device);
}

/* ---- the run ---- */

/* "start" returns when all have stopped. */
static void *start(void *arg)
{
	struct pktgen *p = arg;
	const uint64_t one = 1;
	ssize_t n;

	p->start_error = pktgen_write("pgctrl", "start");
	n = write(p->ended_fd, &one, sizeof(one));
	(void)n; /* an empty counter takes it */
	return NULL;
}

/* Signals would end its wait; they are for the main thread. */
static int create_starter(struct pktgen *p)
{
	sigset_t all, before;
	int err;

	p->ended_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (p->ended_fd < 0)
		return -errno;
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	err = pthread_create(&p->starter, NULL, start, p);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	p->started = !err;
	return -err;
}

static bool any_running(const struct pktgen *p)
{
	struct pktgen_thread thread;
	size_t i;

	for (i = 0; i < p->plan->queues; i++)
		if (!pktgen_read_thread(p->plan->queue[i].cpu, p->yardstick->nic->name,
					p->plan, &thread) &&
		    thread.running)
			return true;
	return false;
}

/* Until all have ended by themselves (true), or the stop descriptor or the duration
 * says so. The kernel's threads begin up to 100 ms after "start", and the duration
 * with them. */
static bool wait_for_end(struct pktgen *p)
{
	struct pollfd fds[2] = { { .fd = p->ended_fd, .events = POLLIN },
				 { .fd = p->yardstick->stop_fd, .events = POLLIN } };
	const uint64_t duration_ns = p->yardstick->config->duration_ns;
	uint64_t end_ns = 0;

	for (;;) {
		struct timespec slice = { 0, SLICE_NS };
		uint64_t now_ns = clock_ns();

		if (duration_ns && !end_ns && any_running(p))
			end_ns = now_ns + duration_ns;
		if (end_ns && now_ns >= end_ns)
			return false;
		if (ppoll(fds, 2, duration_ns ? &slice : NULL, NULL) < 0)
			continue;
		if (fds[0].revents)
			return true;
		if (fds[1].revents)
			return false;
	}
}

/* A "stop" before the threads have begun is without effect: say it again. Returns
 * whether the starter has ended. */
static bool stop(struct pktgen *p)
{
	struct pollfd ended = { .fd = p->ended_fd, .events = POLLIN };
	uint64_t late_ns = clock_ns() + PATIENCE_NS;

	do {
		(void)pktgen_write("pgctrl", "stop");
		if (poll(&ended, 1, 20) > 0)
			return true;
	} while (clock_ns() < late_ns);
	return false;
}

static int read_results(struct pktgen *p, struct yardstick_result *result, bool by_itself)
{
	bool counted = p->yardstick->config->count_given;
	struct pktgen_counts counts;
	char device[PKTGEN_NAME];
	size_t i;
	int err;

	for (i = 0; i < p->plan->queues; i++) {
		const struct dxmit_plan_queue *queue = &p->plan->queue[i];

		if (!is_used(p, queue))
			continue;
		pktgen_name(p->yardstick->nic->name, queue->queue, device);
		err = pktgen_read_counts(device, &counts);
		if (err)
			return refused(p, "its result", err);
		result->share[i].packets = counts.packets;
		/* Received, an error is a packet that no protocol wanted. */
		if (p->yardstick->kind != LEG_PKTGEN_RX)
			result->share[i].lost = counts.errors;
		if (counts.ns > result->ns)
			result->ns = counts.ns;
		/* pktgen_xmit() stops where there is no link. */
		if (by_itself && (!counted || counts.packets < queue->count))
			return fail(EXIT_RUNTIME, p->yardstick->nic->name,
				    "pktgen stopped after %" PRIu64
				    " packets: it is down "
				    "or has no carrier; check `ip link`",
				    counts.packets);
	}
	return EXIT_DONE;
}

static int run(struct pktgen *p, struct yardstick_result *result)
{
	bool by_itself;
	int err = create_starter(p);

	if (err)
		return fail(EXIT_RUNTIME, p->name,
			    "no thread to start it: %s; check memory "
			    "and `ulimit -u`",
			    strerror(-err));
	by_itself = wait_for_end(p);
	if (!by_itself && !stop(p))
		/* The process ends it, whose memory it has. */
		_exit(fail(EXIT_RUNTIME, p->name,
			   "pktgen does not stop; see the kernel's log"));
	pthread_join(p->starter, NULL);
	if (p->start_error)
		return refused(p, "to start", p->start_error);
	return read_results(p, result, by_itself);
}

/* Of all queues of a CPU, so the first one has it. */
static void add_cpu_time(const struct pktgen *p, struct yardstick_result *result,
			 int sign)
{
	size_t i, j;

	for (i = 0; i < p->plan->queues; i++) {
		for (j = 0; j < i && p->plan->queue[j].cpu != p->plan->queue[i].cpu;)
			j++;
		if (j == i)
			result->share[i].cpu_system_ns +=
				(uint64_t)sign * pktgen_cpu_ns(p->plan->queue[i].cpu);
	}
}

static bool any_used(const struct pktgen *p)
{
	return !p->yardstick->config->count_given || p->yardstick->config->count;
}

int yardstick_pktgen_run(const struct yardstick *yardstick, const struct content *content,
			 struct yardstick_result *result)
{
	struct pktgen p = { .yardstick = yardstick,
			    .plan = yardstick->plan,
			    .name = leg_kind_name(yardstick->kind),
			    .ended_fd = -1 };
	int code = check_frames(&p, content);
	size_t i;

	if (!code)
		code = check_threads(&p);
	if (code)
		return code;
	/* What a run before us could not remove. */
	(void)pktgen_remove(yardstick->nic->name, p.plan);
	for (i = 0; !code && i < p.plan->queues; i++) {
		result->share[i].kicks = YARDSTICK_UNKNOWN;
		code = set_up(&p, &p.plan->queue[i]);
	}
	if (!code && any_used(&p)) {
		add_cpu_time(&p, result, -1);
		code = run(&p, result);
		add_cpu_time(&p, result, 1);
	}
	(void)pktgen_remove(yardstick->nic->name, p.plan);
	if (p.ended_fd >= 0)
		close(p.ended_fd);
	return code;
}

void yardstick_pktgen_clean_up(const struct dxmit_nic *nic, const struct dxmit_plan *plan)
{
	(void)pktgen_remove(nic->name, plan);
}
