/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kick: which way of entering the kernel, batch, ring and frame memory moves
 * most frames on this kernel and device. Every combination of the lists given
 * is run once per round, in an order that rotates, and the medians over the
 * rounds are printed after the raw rows.
 */
#include <errno.h>
#include <getopt.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <dxmit/queue.h>

#include "kick_method.h"
#include "median.h"
#include "softirqd.h"

#define LIST_MAX 12
#define CASES_MAX 512
#define ROUNDS_MAX 99

struct list {
	uint32_t value[LIST_MAX];
	uint32_t count;
};

struct request {
	const char *interface;
	uint32_t queue, rounds, ms, length;
	int cpu, softirqd;
	struct list methods, batches, rings, frames, budgets, huge, stride;
};

struct kick_case {
	uint32_t method, batch, ring, frames, budget, huge, stride;
	double mpps[ROUNDS_MAX];
	double cpu_ns[ROUNDS_MAX];
	uint32_t runs;
};

static void die(const char *what, const char *why)
{
	fprintf(stderr, "kick: %s: %s\n", what, why);
	exit(2);
}

static void parse_list(struct list *list, const char *text, const char *what)
{
	char *end;

	list->count = 0;
	do {
		if (list->count == LIST_MAX)
			die(what, "list too long");
		list->value[list->count++] = (uint32_t)strtoul(text, &end, 10);
		if (end == text || (*end && *end != ','))
			die(what, "not a list of numbers");
		text = end + 1;
	} while (*end);
}

static void parse_methods(struct list *list, char *text)
{
	char *word, *rest = NULL;

	list->count = 0;
	for (word = strtok_r(text, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
		uint32_t m;

		for (m = 0; m < METHOD_COUNT; m++)
			if (!strcmp(word, kick_method_names[m]))
				break;
		if (m == METHOD_COUNT || list->count == LIST_MAX)
			die("--methods", "unknown method");
		list->value[list->count++] = m;
	}
}

/*
 * Lay frames `stride` bytes apart instead of frame_size. With starts 2048 bytes
 * apart, the 60-byte frames of a large ring fall on few sets of the caches and
 * each pair takes a page of its own; transmit permits many frames in one chunk
 * as long as none crosses its edge (xp_aligned_validate_desc, xsk_queue.h).
 */
static void place_frames(struct dxmit_queue *q, uint32_t stride)
{
	uint32_t i;

	if (stride == 0)
		return;
	q->frame_size = stride;
	for (i = 0; i < q->frames; i++)
		q->free_addrs[(q->free_head + i) & q->free_mask] = (uint64_t)i * stride;
}

static int open_case(const struct request *req, const struct kick_case *c,
		     struct dxmit_queue **q, uint32_t *budget)
{
	struct dxmit_queue_options options = {
		.size = sizeof(options),
		.ifindex = (int)if_nametoindex(req->interface),
		.queue = req->queue,
		.ring_size = c->ring,
		.frames = c->frames ? c->frames : c->ring,
		.budget = c->budget,
		.huge = c->huge ? DXMIT_HUGE_ON : DXMIT_HUGE_OFF,
	};
	struct dxmit_queue_info info = { .size = sizeof(info) };
	struct dxmit_error error;
	int err = dxmit_queue_open(&options, q, &error);

	if (err)
		return err;
	dxmit_queue_info(*q, &info);
	*budget = info.budget;
	place_frames(*q, c->stride);
	return info.fd;
}

/* The sender's loop, cut down to what the kernel sees of it. */
static int run_loop(struct dxmit_queue *q, struct kicker *kicker,
		    const struct kick_case *c, uint32_t length, uint64_t until_ns)
{
	int err = 0;

	do {
		uint32_t n;

		err = dxmit_reclaim(q);
		if (err < 0)
			return err;
		n = dxmit_reserve(q, c->batch);
		err = dxmit_submit(q, n, length);
		if (!err)
			err = kicker_kick(kicker, q->in_flight);
	} while (!err && bench_clock_ns(CLOCK_MONOTONIC) < until_ns);
	return err;
}

/* CPU time of this thread and of the softirq thread of its CPU. */
static uint64_t cpu_time_ns(const struct request *req)
{
	return bench_clock_ns(CLOCK_THREAD_CPUTIME_ID) + bench_softirqd_ns(req->softirqd);
}

static int run_case(const struct request *req, struct kick_case *c)
{
	uint64_t warm_ns = 10000000, start_ns, cpu_ns, completed = 0;
	struct dxmit_queue *q = NULL;
	struct kicker *kicker;
	uint32_t budget = 32;
	int fd = open_case(req, c, &q, &budget), err;

	if (fd < 0)
		return fd;
	kicker = kicker_open(c->method, fd, budget, c->ring);
	if (!kicker) {
		err = -errno;
		goto close_queue;
	}
	err = run_loop(q, kicker, c, req->length,
		       bench_clock_ns(CLOCK_MONOTONIC) + warm_ns);
	completed = q->completed;
	start_ns = bench_clock_ns(CLOCK_MONOTONIC);
	cpu_ns = cpu_time_ns(req);
	if (!err)
		err = run_loop(q, kicker, c, req->length,
			       start_ns + req->ms * 1000000ull);
	completed = q->completed - completed;
	if (!err && completed) {
		start_ns = bench_clock_ns(CLOCK_MONOTONIC) - start_ns;
		cpu_ns = cpu_time_ns(req) - cpu_ns;
		c->mpps[c->runs] = (double)completed * 1e3 / (double)start_ns;
		c->cpu_ns[c->runs] = (double)cpu_ns / (double)completed;
	}
	kicker_close(kicker);
close_queue:
	dxmit_queue_close(&q);
	return !err && !completed ? -ENODATA : err;
}

static void print_case(const char *tag, const struct kick_case *c)
{
	printf("%s method=%s budget=%u ring=%u frames=%u batch=%u stride=%u huge=%u", tag,
	       kick_method_names[c->method], c->budget ? c->budget : c->ring, c->ring,
	       c->frames ? c->frames : c->ring, c->batch, c->stride ? c->stride : 2048,
	       c->huge);
}

static uint32_t make_cases(const struct request *req, struct kick_case *cases)
{
	const struct list *lists[] = { &req->methods, &req->batches, &req->rings,
				       &req->frames,  &req->budgets, &req->huge,
				       &req->stride };
	const uint32_t dimensions = sizeof(lists) / sizeof(lists[0]);
	uint32_t n = 0, i, d, total = 1;

	for (d = 0; d < dimensions; d++)
		total *= lists[d]->count;
	for (i = 0; i < total; i++) {
		uint32_t v[7], rest = i;
		struct kick_case *c = &cases[n];

		for (d = 0; d < dimensions; d++) {
			v[d] = lists[d]->value[rest % lists[d]->count];
			rest /= lists[d]->count;
		}
		if (v[1] > v[2] || v[3] > v[2] || v[4] > v[2])
			continue; /* more than the ring holds */
		if (v[0] != METHOD_SENDTO && v[4] == 0)
			continue; /* one entry does it all: same as sendto */
		if (n == CASES_MAX)
			die("lists", "too many combinations");
		*c = (struct kick_case){ .method = v[0],
					 .batch = v[1],
					 .ring = v[2],
					 .frames = v[3],
					 .budget = v[4],
					 .huge = v[5],
					 .stride = v[6] };
		n++;
	}
	return n;
}

static void run_rounds(const struct request *req, struct kick_case *cases, uint32_t n)
{
	uint32_t round, i;

	for (round = 0; round < req->rounds; round++)
		for (i = 0; i < n; i++) {
			/* 7 and n share no factor often enough: each round starts
			 * elsewhere, so that no case always follows the same one. */
			struct kick_case *c = &cases[(i + round * 7) % n];
			int err = run_case(req, c);

			print_case("row", c);
			if (err) {
				printf(" round=%u failed=%s\n", round, strerror(-err));
				continue;
			}
			printf(" round=%u mpps=%.3f cpu_ns=%.1f\n", round,
			       c->mpps[c->runs], c->cpu_ns[c->runs]);
			c->runs++;
		}
	for (i = 0; i < n; i++) {
		if (!cases[i].runs)
			continue;
		print_case("median", &cases[i]);
		printf(" rounds=%u mpps=%.3f cpu_ns=%.1f\n", cases[i].runs,
		       bench_median(cases[i].mpps, cases[i].runs),
		       bench_median(cases[i].cpu_ns, cases[i].runs));
	}
}

static const struct option long_options[] = {
	{ "interface", 1, NULL, 'i' }, { "queue", 1, NULL, 'q' },
	{ "size", 1, NULL, 's' },      { "cpu", 1, NULL, 'c' },
	{ "rounds", 1, NULL, 'r' },    { "ms", 1, NULL, 't' },
	{ "methods", 1, NULL, 'm' },   { "batches", 1, NULL, 'b' },
	{ "rings", 1, NULL, 'R' },     { "frames", 1, NULL, 'f' },
	{ "budgets", 1, NULL, 'B' },   { "huge", 1, NULL, 'H' },
	{ "stride", 1, NULL, 'S' },    { NULL, 0, NULL, 0 },
};

static int parse_option(struct request *req, int option, char *text)
{
	switch (option) {
	case 'i':
		req->interface = text;
		break;
	case 'q':
		req->queue = (uint32_t)strtoul(text, NULL, 10);
		break;
	case 's':
		req->length = (uint32_t)strtoul(text, NULL, 10) - 4;
		break;
	case 'c':
		req->cpu = (int)strtol(text, NULL, 10);
		break;
	case 'r':
		req->rounds = (uint32_t)strtoul(text, NULL, 10);
		break;
	case 't':
		req->ms = (uint32_t)strtoul(text, NULL, 10);
		break;
	case 'm':
		parse_methods(&req->methods, text);
		break;
	case 'b':
		parse_list(&req->batches, text, "--batches");
		break;
	case 'R':
		parse_list(&req->rings, text, "--rings");
		break;
	case 'f':
		parse_list(&req->frames, text, "--frames");
		break;
	case 'B':
		parse_list(&req->budgets, text, "--budgets");
		break;
	case 'H':
		parse_list(&req->huge, text, "--huge");
		break;
	case 'S':
		parse_list(&req->stride, text, "--stride");
		break;
	default:
		return -1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	static struct kick_case cases[CASES_MAX];
	struct request req = {
		.rounds = 7,
		.ms = 100,
		.length = 60,
		.cpu = -1,
		.methods = { { METHOD_SENDTO, METHOD_POLL }, 2 },
		.batches = { { 32, 64, 256, 1024, 2048 }, 5 },
		.rings = { { 2048 }, 1 },
		.frames = { { 0 }, 1 },
		.budgets = { { 32, 0 }, 2 },
		.huge = { { 0 }, 1 },
		.stride = { { 0 }, 1 },
	};
	cpu_set_t set;
	int option;

	while ((option = getopt_long(argc, argv, "", long_options, NULL)) != -1)
		if (parse_option(&req, option, optarg))
			return 2;
	if (!req.interface || !if_nametoindex(req.interface))
		die("--interface", "no such interface");
	if (req.rounds == 0 || req.rounds > ROUNDS_MAX)
		die("--rounds", "1 to 99");
	if (req.cpu >= 0) {
		CPU_ZERO(&set);
		CPU_SET((size_t)req.cpu, &set);
		if (sched_setaffinity(0, sizeof(set), &set))
			die("--cpu", strerror(errno));
		req.softirqd = bench_softirqd_pid(req.cpu);
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	run_rounds(&req, cases, make_cases(&req, cases));
	return 0;
}
