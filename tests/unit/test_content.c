/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The content of frames on plain memory: streams and sizes in exact proportions
 * over any number of queues, frames that hold exactly their template with the
 * fields that change, flows that cycle exactly.
 */
#include "message.h" /* before cmocka.h, which has a fail() too */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "content.h"
#include "parse.h"

#define FRAMES 32
#define ROOM 2048
#define BATCH 17 /* does not divide the frames */

static const struct dxmit_nic nic = { .name = "nic0",
				      .mtu = 1500,
				      .mac = { 2, 0, 0, 0, 0, 1 } };

struct fake {
	struct dxmit_queue q;
	uint8_t umem[FRAMES * ROOM];
};

/* As dxmit_submit() and dxmit_reclaim() at once. */
static void sent(struct dxmit_queue *q, uint32_t n)
{
	q->tx_position += n;
	q->submitted += n;
}

static struct config make_config(const char *sizes)
{
	struct config c = {
		.frame = { .size = sizeof(c.frame),
			   .source_ip = 0x0a000001,
			   .destination_ip = 0x0a000002,
			   .source_port = 1000,
			   .destination_port = 9,
			   .destination_mac = { 2, 0, 0, 0, 0, 2 },
			   .ttl = 64,
			   .payload = DXMIT_PAYLOAD_COUNT },
	};
	struct parse_reason reason;

	assert_true(sizes_parse(sizes, 64, 4100, &c.sizes, &reason));
	return c;
}

static void set_stream(struct config *c, size_t i, const char *sizes, uint64_t weight)
{
	struct parse_reason reason;

	c->stream[i].weight = weight;
	if (sizes)
		assert_true(sizes_parse(sizes, 64, 4100, &c->stream[i].sizes, &reason));
}

static void free_config(struct config *c)
{
	size_t i;

	for (i = 0; i < c->streams; i++)
		sizes_free(&c->stream[i].sizes);
	sizes_free(&c->sizes);
}

/* Called with each frame of a run. */
typedef void (*look_fn)(const uint8_t *frame, uint32_t length, void *arg);

/* Send `count` packets over `queues` queues, split as the plan does. */
static void send_all(const struct content *c, uint64_t count, uint32_t queues,
		     look_fn look, void *arg)
{
	static struct fake f;
	uint64_t first = 0;
	uint32_t i, j;

	for (i = 0; i < queues; i++) {
		struct content_queue cq = { .queue = (uint16_t)i };
		uint64_t share = count / queues + (i < count % queues);

		f.q = (struct dxmit_queue){ .umem = f.umem,
					    .tx_mask = FRAMES - 1,
					    .frame_size = ROOM,
					    .frames = FRAMES,
					    .fixed_slots = 1 };
		assert_int_equal(content_queue_open(&cq, c, i, queues, first, BATCH), 0);
		assert_int_equal(content_queue_lay(&cq, &f.q), 0);
		while (f.q.submitted < share) {
			uint64_t left = share - f.q.submitted;
			uint32_t n = left < BATCH ? (uint32_t)left : BATCH;

			content_fill(&cq, &f.q, n);
			for (j = 0; j < n; j++)
				look(dxmit_frame(&f.q, j),
				     c->length ? c->length : cq.lengths[j], arg);
			sent(&f.q, n);
		}
		content_queue_close(&cq);
		first += share;
	}
}

struct tally {
	uint64_t by_length[1600];
	uint64_t frames;
};

static void count_frame(const uint8_t *frame, uint32_t length, void *arg)
{
	struct tally *t = arg;

	(void)frame;
	t->by_length[length]++;
	t->frames++;
}

/* It is what dxmit_udp_build() makes for that length. */
static void compare_frame(const uint8_t *frame, uint32_t length, void *arg)
{
	struct dxmit_udp_spec spec = *(const struct dxmit_udp_spec *)arg;
	uint8_t want[ROOM];

	spec.length = length;
	memcpy(spec.source_mac, nic.mac, sizeof(spec.source_mac));
	assert_int_equal(dxmit_udp_build(&spec, want, sizeof(want)), length);
	assert_memory_equal(frame, want, length);
}

static void sizes_are_exact(const char *sizes, uint64_t count, const uint32_t *length,
			    const uint64_t *want, size_t n)
{
	struct config config = make_config(sizes);
	struct content content = { 0 };
	uint32_t queues;
	size_t i;

	assert_int_equal(content_make(&config, &nic, &content), 0);
	for (queues = 1; queues <= 5; queues++) {
		struct tally tally = { 0 };

		send_all(&content, count, queues, count_frame, &tally);
		for (i = 0; i < n; i++)
			assert_int_equal(tally.by_length[length[i]], want[i]);
		assert_int_equal(tally.frames, count);
		send_all(&content, count, queues, compare_frame, &config.frame);
	}
	content_free(&content);
	free_config(&config);
}

/* Also where the count is no multiple of the cycle, or of the queues. */
static void test_sizes_are_exact(void **state)
{
	static const uint32_t imix[] = { 60, 590, 1514 }, three[] = { 60, 61, 62 };
	static const uint64_t of_1200[] = { 700, 400, 100 },
			      of_1207[] = { 704, 402, 101 };
	static const uint64_t thirds[] = { 333, 333, 333 }, more[] = { 334, 334, 333 };

	(void)state;
	sizes_are_exact("imix", 1200, imix, of_1200, 3);
	sizes_are_exact("imix", 1207, imix, of_1207, 3);
	sizes_are_exact("64,65,66", 999, three, thirds, 3);
	sizes_are_exact("64-66", 1001, three, more, 3);
	sizes_are_exact("1518:1,594:4,64:7", 1200, imix, of_1200, 3);
	sizes_are_exact("random:imix", 4104 * 2, imix,
			(const uint64_t[]){ 4788, 2736, 684 }, 3);
}

/* One length: laid once and never again. */
static void test_one_size(void **state)
{
	struct config config = make_config("128");
	struct content content = { 0 };

	(void)state;
	assert_int_equal(content_make(&config, &nic, &content), 0);
	assert_int_equal(content.length, 124);
	assert_int_equal(content.variants, 1);
	assert_int_equal(content.matches, 1);
	send_all(&content, 100, 2, compare_frame, &config.frame);
	content_free(&content);
	free_config(&config);
}

static void test_sizes_over_the_mtu_are_left_out(void **state)
{
	struct config config = make_config("2000,64,1519,1518");
	struct content content = { 0 };
	struct tally tally = { 0 };

	(void)state;
	config.oversize = OVERSIZE_SKIP;
	assert_int_equal(content_make(&config, &nic, &content), 0);
	assert_int_equal(content.longest, 1514);
	assert_int_equal(content_shortest(&content), 60);
	send_all(&content, 1000, 1, count_frame, &tally);
	assert_int_equal(tally.by_length[60], 500);
	assert_int_equal(tally.by_length[1514], 500);
	content_free(&content);
	free_config(&config);
}

static void test_streams_are_exact(void **state)
{
	struct stream_config stream[3] = { 0 };
	struct config config = make_config("100");
	struct content content = { 0 };
	uint32_t queues;

	(void)state;
	config.stream = stream;
	config.streams = 3;
	set_stream(&config, 0, "64,128", 5);
	set_stream(&config, 1, NULL, 0); /* the run's size, weight 1 */
	set_stream(&config, 2, "imix", 4);
	assert_int_equal(content_make(&config, &nic, &content), 0);
	for (queues = 1; queues <= 4; queues++) {
		struct tally t = { 0 };

		send_all(&content, 1200, queues, count_frame, &t);
		assert_int_equal(t.by_length[124], 300);
		assert_int_equal(t.by_length[96], 120);
		assert_int_equal(t.by_length[590], 160);
		assert_int_equal(t.by_length[1514], 40);
		assert_int_equal(t.by_length[60], 300 + 280);
	}
	/* The whole is the same sequence, whatever the queues and the count. */
	for (queues = 2; queues <= 5; queues++) {
		struct tally one = { 0 }, several = { 0 };

		send_all(&content, 1207, 1, count_frame, &one);
		send_all(&content, 1207, queues, count_frame, &several);
		assert_memory_equal(&one, &several, sizeof(one));
	}
	content_free(&content);
	free_config(&config);
}

/* By its own expression each; the tag allows 4 bytes more. */
static void test_streams_of_expressions(void **state)
{
	struct stream_config stream[2] = { 0 };
	struct config config = make_config("64");
	struct content content = { 0 };
	struct tally t = { 0 };

	(void)state;
	config.stream = stream;
	config.streams = 2;
	stream[0].frame = "eth/vlan:7/ip4:10.0.0.1>10.0.0.0/24/udp:1>2";
	set_stream(&config, 0, "1522", 2);
	stream[1].name = "six";
	stream[1].frame = "eth/ip6:fe80::1>fe80::2/tcp:1-9>80";
	assert_int_equal(streams_resolve(&config, false), 0);
	assert_int_equal(config.wire_size, 1522);
	assert_int_equal(streams_shortest(&config), 74); /* 14 + 40 + 20 */
	assert_int_equal(content_make(&config, &nic, &content), 0);
	assert_string_equal(content.stream[0].name, "1");
	assert_string_equal(content.stream[1].name, "six");
	assert_int_equal(content.stream[0].modifiers, 1);
	assert_int_equal(content.stream[1].modifiers, 1);
	assert_int_equal(content.matches, 2);
	assert_int_equal(content.mtu, 1500);
	send_all(&content, 300, 2, count_frame, &t);
	assert_int_equal(t.by_length[1518], 200);
	assert_int_equal(t.by_length[74], 100);
	content_free(&content);
	free_config(&config);
}

/* The run's rate is their sum, their shares are those of the rates. */
static void test_streams_with_rates(void **state)
{
	struct stream_config stream[2] = { { .rate = { RATE_PPS, 1500000000 } },
					   { .rate = { RATE_PPS, 500000000 } } };
	struct config config = make_config("64");
	struct content content = { 0 };
	struct schedule schedule;

	(void)state;
	config.stream = stream;
	config.streams = 2;
	assert_int_equal(streams_resolve(&config, true), 0);
	assert_int_equal(content_make(&config, &nic, &content), 0);
	assert_int_equal(content.cycle, 4);
	assert_int_equal(content_schedule(&content, &nic, &config, &schedule), 0);
	assert_int_equal(config.rate.micro, 2000000000);
	content_free(&content);
	config.rate.micro = 1;
	assert_int_equal(streams_resolve(&config, true), EXIT_USAGE);
	config.rate.micro = 0;
	config.profile.steps = 1;
	assert_int_equal(streams_resolve(&config, true), EXIT_USAGE);
	config.profile.steps = 0;
	config.bursts.packets = 1;
	assert_int_equal(streams_resolve(&config, true), EXIT_USAGE);
	config.bursts.packets = 0;
	stream[1].rate.micro = 0;
	assert_int_equal(streams_resolve(&config, true), EXIT_USAGE);
	free_config(&config);
}

/* Rates in bits whose packets have no common measure: 300 of 1001 all the same. */
static void test_streams_with_odd_rates(void **state)
{
	struct stream_config stream[2] = { { .rate = { RATE_L2_BPS, 300000000000000 } },
					   { .rate = { RATE_L2_BPS, 701000000000000 } } };
	struct config config = make_config("67");
	struct content content = { 0 };
	uint32_t i, first = 0;

	(void)state;
	config.stream = stream;
	config.streams = 2;
	assert_int_equal(streams_resolve(&config, true), 0);
	assert_int_equal(content_make(&config, &nic, &content), 0);
	for (i = 0; i < content.cycle; i++)
		first += content.order[i] == 0;
	assert_true((uint64_t)first * 1000000 / content.cycle - 299699 <= 2);
	content_free(&content);
	free_config(&config);
}

static void count_flow(const uint8_t *frame, uint32_t length, void *arg)
{
	uint32_t *flows = arg;

	(void)length;
	flows[frame[34] * 256u + frame[35] - 1000]++;
}

/* Each flow exactly as often as the others; and with many sizes, too. */
static void test_flows_are_exact(void **state)
{
	static const char *const sizes[] = { "64", "64-70" };
	uint32_t queues;
	size_t i, j;

	(void)state;
	for (i = 0; i < 2; i++) {
		struct config config = make_config(sizes[i]);
		struct content content = { 0 };

		config.flows = 30;
		assert_int_equal(content_make(&config, &nic, &content), 0);
		assert_int_equal(content.matches, 0);
		for (queues = 1; queues <= 4; queues++) {
			uint32_t flows[40] = { 0 };

			send_all(&content, 1200, queues, count_flow, flows);
			for (j = 0; j < 40; j++)
				assert_int_equal(flows[j], j < 30 ? 40 : 0);
		}
		content_free(&content);
		free_config(&config);
	}
}

static void count_address(const uint8_t *frame, uint32_t length, void *arg)
{
	uint8_t *seen = arg;
	uint32_t address = (uint32_t)frame[26] << 24 | (uint32_t)frame[27] << 16 |
			   (uint32_t)frame[28] << 8 | frame[29];

	(void)length;
	seen[address - 0x0a000001]++;
}

/* More than there are ports: by the address. */
static void test_many_flows(void **state)
{
	struct config config = make_config("64");
	struct content content = { 0 };
	uint8_t *seen = calloc(100000, 1);
	uint32_t i;

	(void)state;
	config.flows = 100000;
	assert_int_equal(content_make(&config, &nic, &content), 0);
	send_all(&content, 200000, 3, count_address, seen);
	for (i = 0; i < 100000; i++)
		assert_int_equal(seen[i], 2);
	free(seen);
	content_free(&content);
	free_config(&config);
}

struct stamps {
	uint64_t next[4];
};

static void check_stamp(const uint8_t *frame, uint32_t length, void *arg)
{
	struct stamps *s = arg;
	struct dxmit_stamp stamp;

	assert_int_equal(dxmit_stamp_read(frame, length, &stamp), 1);
	assert_int_equal(stamp.sequence, s->next[stamp.queue]++);
}

static void test_stamps_count_per_queue(void **state)
{
	static const char *const sizes[] = { "64", "imix" };
	size_t i;

	(void)state;
	for (i = 0; i < 2; i++) {
		struct config config = make_config(sizes[i]);
		struct content content = { 0 };
		struct stamps stamps = { 0 };

		config.stamp = true;
		config.flows = 7;
		assert_int_equal(content_make(&config, &nic, &content), 0);
		send_all(&content, 1000, 4, check_stamp, &stamps);
		assert_int_equal(stamps.next[0], 250);
		assert_int_equal(stamps.next[3], 250);
		content_free(&content);
		free_config(&config);
	}
}

struct full {
	uint64_t flow[50];
	uint64_t stream[2];
	uint64_t next[4];
};

/* The flow is the one that the port says. */
static void check_full(const uint8_t *frame, uint32_t length, void *arg)
{
	struct full *f = arg;
	struct dxmit_stamp_full stamp;

	assert_int_equal(dxmit_stamp_read_full(frame, length, &stamp), 1);
	assert_int_equal(stamp.sequence, f->next[stamp.queue]++);
	assert_int_equal(stamp.flow, frame[34] * 256u + frame[35] - 1000);
	assert_true(stamp.time_ns > UINT64_C(1600000000000000000));
	f->flow[stamp.flow]++;
	f->stream[stamp.stream]++;
}

static void test_full_stamps_name_stream_and_flow(void **state)
{
	struct stream_config stream[2] = { { .weight = 2 }, { .weight = 1 } };
	struct config config = make_config("100");
	struct content content = { 0 };
	struct full full = { .stream = { 0 } };

	(void)state;
	config.stamp = true;
	config.stamp_format = STAMP_FULL;
	config.flows = 50;
	config.stream = stream;
	config.streams = 2;
	assert_int_equal(content_make(&config, &nic, &content), 0);
	send_all(&content, 3000, 2, check_full, &full);
	assert_int_equal(full.stream[0], 2000);
	assert_int_equal(full.stream[1], 1000);
	assert_int_equal(full.flow[0], 60);
	assert_int_equal(full.flow[49], 60);
	content_free(&content);
	free_config(&config);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sizes_are_exact),
		cmocka_unit_test(test_one_size),
		cmocka_unit_test(test_sizes_over_the_mtu_are_left_out),
		cmocka_unit_test(test_streams_are_exact),
		cmocka_unit_test(test_streams_of_expressions),
		cmocka_unit_test(test_streams_with_rates),
		cmocka_unit_test(test_streams_with_odd_rates),
		cmocka_unit_test(test_flows_are_exact),
		cmocka_unit_test(test_many_flows),
		cmocka_unit_test(test_stamps_count_per_queue),
		cmocka_unit_test(test_full_stamps_name_stream_and_flow),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
