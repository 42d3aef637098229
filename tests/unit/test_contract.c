/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Guards the library's promises about structs, for which no other file is the
 * place: layouts that are compiled into programs, options and results of
 * callers built with another version, what can be read back. ../contract.txt
 * lists all promises.
 */
#include "pair_fixture.h"

#include <sys/socket.h>
#include <unistd.h>

#include "queue_private.h"

/* Where a struct's padding begins, given its last member. */
#define END_OF(type, last) (offsetof(type, last) + sizeof(((type *)0)->last))

/* What an option struct must have at least. */
#define LEAST_OPTIONS offsetof(struct dxmit_queue_options, ring_size)

/* ---- layout ----------------------------------------------------------- */

#define AT(member, at)                                            \
	{                                                         \
#member, offsetof(struct dxmit_queue, member), at \
	}

/* Programs have these offsets compiled in: never change one, only add after
 * `priv` (and allocate in the library alone). */
static void hot_struct_is_frozen(void **state)
{
	static const struct {
		const char *name;
		size_t is, was;
	} member[] = {
		AT(tx_producer, 0),   AT(tx_consumer, 8),
		AT(tx_descs, 16),     AT(cq_producer, 24),
		AT(cq_consumer, 32),  AT(cq_addrs, 40),
		AT(umem, 48),         AT(free_addrs, 56),
		AT(tx_mask, 64),      AT(cq_mask, 68),
		AT(free_mask, 72),    AT(frame_size, 76),
		AT(frames, 80),       AT(fixed_slots, 84),
		AT(fixed_length, 88), AT(fixed_unwritten, 92),
		AT(tx_position, 96),  AT(cq_position, 100),
		AT(free_head, 104),   AT(free_tail, 108),
		AT(in_flight, 112),   AT(reserved, 116),
		AT(submitted, 120),   AT(completed, 128),
		AT(kicks, 136),       AT(retries, 144),
		AT(down, 152),        AT(lost, 160),
		AT(priv, 168),        AT(segments, 176),
	};
	size_t i;

	(void)state;
	if (sizeof(void *) != 8)
		skip();
	for (i = 0; i < sizeof(member) / sizeof(member[0]); i++)
		if (member[i].is != member[i].was)
			fail_msg("%s is at %zu and was at %zu", member[i].name,
				 member[i].is, member[i].was);
	assert_int_equal(sizeof(struct dxmit_queue), 184);
}

/* The size comes first, and what the first version had stays where it was. */
static void sized_structs_only_grow(void **state)
{
	(void)state;
	assert_int_equal(offsetof(struct dxmit_queue_options, size), 0);
	assert_int_equal(offsetof(struct dxmit_queue_info, size), 0);
	assert_int_equal(offsetof(struct dxmit_queue_stats, size), 0);
	assert_int_equal(offsetof(struct dxmit_residence, size), 0);
	assert_int_equal(offsetof(struct dxmit_direct_stats, size), 0);
	assert_int_equal(offsetof(struct dxmit_direct_module, size), 0);
	assert_int_equal(offsetof(struct dxmit_udp_spec, size), 0);
	assert_int_equal(offsetof(struct dxmit_wishes, size), 0);
	assert_int_equal(offsetof(struct dxmit_packet_spec, size), 0);
	assert_int_equal(offsetof(struct dxmit_packet_map, size), 0);
	assert_int_equal(offsetof(struct dxmit_modify_spec, size), 0);
	if (sizeof(void *) != 8)
		skip();
	assert_int_equal(offsetof(struct dxmit_queue_options, max_length), 68);
	assert_int_equal(offsetof(struct dxmit_queue_options, direct_shadow_every), 84);
	assert_int_equal(offsetof(struct dxmit_queue_info, program_attached), 96);
	assert_int_equal(offsetof(struct dxmit_queue_info, direct_batch), 112);
	assert_int_equal(offsetof(struct dxmit_direct_stats, assertions), 120);
	assert_int_equal(offsetof(struct dxmit_direct_module, version), 20);
	assert_int_equal(offsetof(struct dxmit_queue_stats, last_error), 96);
	assert_int_equal(offsetof(struct dxmit_residence, node), 32);
	assert_int_equal(offsetof(struct dxmit_udp_spec, payload_byte), 44);
	assert_int_equal(offsetof(struct dxmit_wishes, count), 64);
	assert_int_equal(offsetof(struct dxmit_packet_spec, payload_byte), 28);
	assert_int_equal(offsetof(struct dxmit_packet_map, checksum), 220);
	assert_int_equal(offsetof(struct dxmit_modify_spec, queues), 56);
}

/* Those that callers or arrays hold and that do not say their size cannot. */
static void other_structs_stay_as_they_are(void **state)
{
	(void)state;
	if (sizeof(void *) != 8)
		skip();
	assert_int_equal(sizeof(struct dxmit_error), 64);
	assert_int_equal(sizeof(struct dxmit_nic), 3208);
	assert_int_equal(sizeof(struct dxmit_irq), 12);
	assert_int_equal(sizeof(struct dxmit_nic_counters), 64);
	assert_int_equal(sizeof(struct dxmit_stamp), 16);
	assert_int_equal(sizeof(struct dxmit_cpu), 24);
	assert_int_equal(sizeof(struct dxmit_node), 24);
	assert_int_equal(sizeof(struct dxmit_plan_queue), 80);
	assert_int_equal(sizeof(struct dxmit_field), 48);
	assert_int_equal(sizeof(struct dxmit_layer_info), 32);
	assert_int_equal(sizeof(struct dxmit_field_value), 24);
	assert_int_equal(sizeof(struct dxmit_layer), 32);
	assert_int_equal(sizeof(struct dxmit_packet_layer), 12);
	assert_int_equal(sizeof(struct dxmit_packet_checksum), 28);
	assert_int_equal(sizeof(struct dxmit_packet_error), 40);
	assert_int_equal(sizeof(struct dxmit_stamp_place), 12);
	assert_int_equal(sizeof(struct dxmit_stamp_full), 32);
	assert_int_equal(sizeof(struct dxmit_modifier), 96);
}

/* ---- options and results ---------------------------------------------- */

static void zero_means_default(void **state)
{
	struct dxmit_queue_options zero = options_for(0), said = options_for(1);
	struct dxmit_queue *a, *b;
	struct dxmit_queue_info x, y;

	(void)state;
	NEED_DEVICES();
	said.ring_size = 512;
	said.frames = 512;
	said.frame_size = 2048;
	said.max_length = 2048;
	said.completion_size = 512;
	said.bind_wait_ms = DXMIT_BIND_WAIT_MS;
	said.carrier_wait_ms = 10000;
	said.mode = DXMIT_MODE_COPY;
	said.huge = DXMIT_HUGE_AUTO;
	said.kick = DXMIT_KICK_AUTO;
	said.direct = DXMIT_DIRECT_OFF;
	a = open_with(&zero);
	b = open_with(&said);
	assert_int_equal(a->priv->options.bind_wait_ms, said.bind_wait_ms);
	assert_int_equal(a->priv->options.carrier_wait_ms, said.carrier_wait_ms);
	x = info_of(a);
	y = info_of(b);
	assert_int_equal(x.ring_size, 512);
	if (x.budget_settable)
		assert_int_equal(x.budget, x.ring_size);
	assert_true(x.sndbuf_frames >= x.ring_size || x.sndbuf < x.sndbuf_wanted);
	assert_int_equal(y.queue, x.queue + 1);
	y.fd = x.fd;
	y.queue = x.queue;
	y.bind_retries = x.bind_retries;
	assert_memory_equal(&x, &y, END_OF(struct dxmit_queue_info, direct_batch));
	assert_int_equal(dxmit_queue_locked_bytes(&zero), 512 * 2048);
	dxmit_queue_close(&a);
	dxmit_queue_close(&b);
}

static void obtained_can_be_read_back(void **state)
{
	struct dxmit_queue_options options = options_for(3);
	struct xdp_options kernel = { 0 };
	socklen_t len = sizeof(kernel), int_len = sizeof(int);
	struct dxmit_queue_info info;
	struct dxmit_queue *q;
	int sndbuf = 0;

	(void)state;
	NEED_DEVICES();
	options.ring_size = 128;
	options.frames = 200;
	options.frame_size = 4096;
	options.completion_size = 1024;
	options.sndbuf = 98304;
	options.huge = DXMIT_HUGE_OFF;
	options.kick = DXMIT_KICK_POLL;
	q = open_with(&options);
	info = info_of(q);
	assert_int_equal(info.ifindex, options.ifindex);
	assert_int_equal(info.queue, 3);
	assert_int_equal(info.ring_size, 128);
	assert_int_equal(info.frames, 200);
	assert_int_equal(info.frame_size, 4096);
	assert_int_equal(info.completion_size, 1024);
	assert_int_equal(info.umem_bytes, 200 * 4096);
	assert_int_equal(info.kick, DXMIT_KICK_POLL);
	assert_int_equal(info.page_size, sysconf(_SC_PAGESIZE));
	assert_int_equal(info.huge_missing, 0);
	assert_int_equal(info.program_attached, 0);
	assert_int_equal(info.budget, info.budget_settable ? 128 : 32);
	/* The kernel's own word for the rest. */
	assert_int_equal(getsockopt(info.fd, SOL_SOCKET, SO_SNDBUF, &sndbuf, &int_len),
			 0);
	assert_int_equal(info.sndbuf, sndbuf);
	assert_int_equal(info.sndbuf_wanted, 98304);
	assert_int_equal(getsockopt(info.fd, SOL_XDP, XDP_OPTIONS, &kernel, &len), 0);
	assert_int_equal(kernel.flags & XDP_OPTIONS_ZEROCOPY, 0);
	assert_int_equal(info.mode, DXMIT_MODE_COPY);
	dxmit_queue_close(&q);

	/* The method chosen is told, not "auto", and how frames are packed. */
	options.max_length = 60;
	options.kick = DXMIT_KICK_AUTO;
	options.budget = 32;
	q = open_with(&options);
	assert_int_equal(info_of(q).budget, 32);
	assert_int_equal(info_of(q).kick, DXMIT_KICK_POLL);
	assert_int_equal(info_of(q).frame_size, 4096);
	assert_int_equal(info_of(q).frame_room, 64);
	dxmit_queue_close(&q);
}

static void callers_of_other_versions_are_served(void **state)
{
	struct {
		struct dxmit_queue_options known;
		uint64_t later[2];
	} newer = { .known = options_for(0) };
	struct dxmit_queue_options older;
	struct dxmit_error error;
	struct dxmit_queue *q;

	(void)state;
	NEED_DEVICES();
	newer.known.size = sizeof(newer);
	q = open_with(&newer.known);
	dxmit_queue_close(&q);
	newer.later[1] = 1;
	assert_int_equal(dxmit_queue_open(&newer.known, &q, &error), -E2BIG);
	assert_null(q);
	assert_int_equal(error.stage, DXMIT_STAGE_OPTIONS);
	assert_int_equal(dxmit_queue_locked_bytes(&newer.known), 0);

	/* What an older caller does not have is not read: here, nonsense. */
	memset(&older, 0xa5, sizeof(older));
	older.size = LEAST_OPTIONS;
	older.ifindex = newer.known.ifindex;
	older.queue = 0;
	q = open_with(&older);
	assert_int_equal(info_of(q).ring_size, 512);
	dxmit_queue_close(&q);
	older.size = offsetof(struct dxmit_queue_options, frames);
	older.ring_size = 64;
	q = open_with(&older);
	assert_int_equal(info_of(q).frames, 64);
	dxmit_queue_close(&q);
	for (older.size = 0; older.size < LEAST_OPTIONS; older.size += 4)
		assert_int_equal(dxmit_queue_open(&older, &q, NULL), -EINVAL);
}

/* Ask for `size` bytes of one of the results. */
static int result(const struct dxmit_queue *q, int which, void *to, size_t size)
{
	memcpy(to, &size, sizeof(size));
	return which == 0   ? dxmit_queue_info(q, to)
	       : which == 1 ? dxmit_queue_stats(q, to)
			    : dxmit_queue_residence(q, to);
}

static void results_are_cut_or_filled_with_zero(void **state)
{
	static const size_t full[] = { sizeof(struct dxmit_queue_info),
				       sizeof(struct dxmit_queue_stats),
				       sizeof(struct dxmit_residence) };
	static const size_t used[] = { END_OF(struct dxmit_queue_info, direct_batch),
				       END_OF(struct dxmit_queue_stats, last_error),
				       END_OF(struct dxmit_residence, node) };
	struct dxmit_queue_options options = options_for(0);
	unsigned char whole[256], got[256], untouched[256], none[256] = { 0 };
	struct dxmit_queue *q;
	size_t size;
	int i;

	(void)state;
	NEED_DEVICES();
	memset(untouched, 0xa5, sizeof(untouched));
	q = open_with(&options);
	assert_true(send_frames(q, 10));
	for (i = 0; i < 3; i++) {
		assert_int_equal(result(q, i, whole, full[i]), 0);
		for (size = sizeof(size_t); size <= full[i] + 64; size += 4) {
			size_t known = size < used[i] ? size : used[i];
			size_t beyond = size < full[i] ? size : full[i];

			memset(got, 0xa5, sizeof(got));
			assert_int_equal(result(q, i, got, size), 0);
			assert_memory_equal(got, &size, sizeof(size));
			assert_memory_equal(got + sizeof(size), whole + sizeof(size),
					    known - sizeof(size));
			assert_memory_equal(got + beyond, none, size - beyond);
			assert_memory_equal(got + size, untouched, sizeof(got) - size);
		}
		assert_int_equal(result(q, i, got, 0), -EINVAL);
		assert_int_equal(result(q, i, got, sizeof(size_t) - 1), -EINVAL);
	}
	dxmit_queue_close(&q);
}

static void nonsense_is_refused(void **state)
{
	struct dxmit_queue_options options = { .size = sizeof(options), .ifindex = 1 };
	struct dxmit_queue_info info = { .size = sizeof(info) };
	struct dxmit_queue_stats stats = { .size = sizeof(stats) };
	struct dxmit_residence residence = { .size = sizeof(residence) };
	struct dxmit_direct_stats direct = { .size = sizeof(direct) };
	struct dxmit_queue *q;
	struct dxmit_error error;

	(void)state;
	assert_int_equal(dxmit_queue_open(&options, NULL, &error), -EINVAL);
	assert_int_equal(dxmit_queue_open(NULL, &q, &error), -EINVAL);
	assert_null(q);
	assert_int_equal(error.stage, DXMIT_STAGE_OPTIONS);
	assert_int_equal(error.code, EINVAL);
	assert_int_equal(dxmit_queue_open(NULL, &q, NULL), -EINVAL);
	assert_int_equal(dxmit_queue_info(NULL, &info), -EINVAL);
	assert_int_equal(dxmit_queue_stats(NULL, &stats), -EINVAL);
	assert_int_equal(dxmit_queue_residence(NULL, &residence), -EINVAL);
	assert_int_equal(dxmit_queue_direct(NULL, &direct), -EINVAL);
	assert_int_equal(dxmit_direct_module(NULL), -EINVAL);
	assert_int_equal(dxmit_queue_locked_bytes(NULL), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hot_struct_is_frozen),
		cmocka_unit_test(sized_structs_only_grow),
		cmocka_unit_test(other_structs_stay_as_they_are),
		cmocka_unit_test(zero_means_default),
		cmocka_unit_test(obtained_can_be_read_back),
		cmocka_unit_test(callers_of_other_versions_are_served),
		cmocka_unit_test(results_are_cut_or_filled_with_zero),
		cmocka_unit_test(nonsense_is_refused),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("contract", tests, make_pair, NULL);
}
