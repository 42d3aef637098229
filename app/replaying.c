/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A replay as a step of the session: from what the user asked to an open
 * capture, and what is said of it before and after the run.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "message.h"
#include "planning.h"
#include "session.h"

/* Of a frame in the list of free ones, and of each chunk in the completion ring. */
#define ADDRESS_BYTES sizeof(uint64_t)

#define JUMBO_BYTES 9216 /* what switches usually carry */

static const char *name_of(const struct session *s)
{
	const char *path = s->config->replay.path;

	return strcmp(path, "-") == 0 ? "stdin" : path;
}

/* A pipe, say, and standard input unless it is a file. */
static bool is_read_once(const char *path)
{
	struct stat st;

	if (strcmp(path, "-") == 0)
		return fstat(STDIN_FILENO, &st) == 0 && !S_ISREG(st.st_mode);
	return stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

/* The longest frame that is taken from a capture: what the MTU allows with two
 * tags, or one beyond it that some network still carries, if the chunks hold it. */
static uint32_t room(const struct session *s, uint32_t chunk)
{
	uint32_t bytes = s->nic.mtu + DXMIT_ETH_HEADER_BYTES + 8;

	if (bytes < JUMBO_BYTES)
		bytes = JUMBO_BYTES;
	return bytes < DXMIT_MAX_SEGMENTS * chunk ? bytes : DXMIT_MAX_SEGMENTS * chunk;
}

static void make_setup(const struct session *s, struct replay_setup *setup)
{
	const struct config *c = s->config;
	bool limited = c->count_given || c->duration_ns;
	uint32_t chunk = c->frame_size_given ? c->frame_size : DXMIT_MAX_FRAME_SIZE;

	*setup = (struct replay_setup){
		.config = c->replay,
		.oversize = c->oversize,
		.mtu = s->nic.mtu,
		.chunk_size = chunk,
		.frame_size = room(s, chunk),
		.schedule = &s->schedule,
		.count = c->count_given ? c->count : UINT64_MAX,
	};
	if (!c->replay.loops_given)
		setup->config.loops = limited && !is_read_once(c->replay.path) ? 0 : 1;
	if (c->destination_mac_given)
		setup->rewrite.destination_mac = c->frame.destination_mac;
	if (c->source_mac_given)
		setup->rewrite.source_mac = c->frame.source_mac;
	setup->rewrite.map = c->replay.addresses.map;
	setup->rewrite.maps = c->replay.addresses.count;
	setup->rewrite.fix_checksums = c->replay.fix_checksums;
}

/* What stopped the reading, as the one line. */
static int fail_replay(const struct session *s, int err)
{
	const struct capture_fault *fault = &s->replay.stats.fault;
	char text[CAPTURE_TEXT_LEN];

	capture_fault_text(fault, text);
	if (err == -EMSGSIZE)
		return fail(EXIT_USAGE, name_of(s),
			    "%s; raise the MTU or --frame-size, or see --oversize", text);
	if (err == -ENOMEM)
		return fail(EXIT_RUNTIME, name_of(s),
			    "cannot be replayed: out of memory; free some, or raise "
			    "`ulimit -v`");
	if (err == -ENODATA)
		return fail(EXIT_RUNTIME, name_of(s),
			    "nothing in it can be sent: %s; "
			    "give a capture of Ethernet frames",
			    text);
	if (err == -EPROTO && fault->record)
		return fail(EXIT_RUNTIME, name_of(s),
			    "%s; repair the file, or --bad-record skip sends the rest",
			    text);
	return fail(err == -EPROTO || err == -EISDIR || err == -ENOENT ? EXIT_USAGE
								       : EXIT_RUNTIME,
		    name_of(s),
		    "cannot be replayed: %s; give a readable pcap or pcapng file of "
		    "Ethernet frames",
		    text);
}

/* What was left out or changed without being asked, once. */
static void tell_faults(const struct session *s)
{
	const struct replay_stats *stats = &s->replay.stats;
	char text[CAPTURE_TEXT_LEN];

	if (stats->faulty) {
		capture_fault_text(&stats->fault, text);
		warn(name_of(s), "%" PRIu64 " bad record%s left out; the first: %s",
		     stats->bad, stats->bad == 1 ? " is" : "s are", text);
	}
	if (stats->skipped)
		warn(name_of(s), "%" PRIu64 " of its frames are skipped", stats->skipped);
	if (stats->snapped)
		warn(name_of(s),
		     "%" PRIu64 " of its frames were not recorded to their end and %s",
		     stats->snapped,
		     s->config->replay.snapped == SNAPPED_PAD
			     ? "are filled up with zeros; see --snapped"
			     : "are sent as short as they are");
}

/* Rates in bits depend on lengths, which now are known or never will be. */
static int amend_schedule(struct session *s)
{
	const struct replay_stats *stats = &s->replay.stats;
	const struct config *c = s->config;
	const struct rate_basis lengths = {
		.l2_bytes = stats->bytes + stats->records * DXMIT_FCS_BYTES,
		.frames = stats->records,
	};
	bool bits = c->rate.unit != RATE_PPS;
	size_t i;

	if (s->replay.in_memory)
		return make_schedule(c, &s->nic, &lengths, &s->schedule);
	for (i = 0; i < c->profile.steps; i++)
		bits |= c->profile.step[i].from.unit != RATE_PPS ||
			c->profile.step[i].to.unit != RATE_PPS;
	return bits ? fail(EXIT_USAGE, c->profile.steps ? "--profile" : "--rate",
			   "in bits depends on lengths, which of a pipe or a capture "
			   "over 256 MiB are not known; use packets per second")
		    : 0;
}

int replaying_open(struct session *s)
{
	struct replay_setup setup;
	int err;

	if (!s->config->replay.path)
		return 0;
	make_setup(s, &setup);
	if (setup.config.loops != 1 && is_read_once(setup.config.path))
		return fail(EXIT_USAGE, "--loop",
			    "a pipe cannot be read twice; leave it out, or write the "
			    "capture to a file");
	err = replay_open(&setup, s->signal_fd, &s->replay);
	if (err == -ECANCELED) {
		s->interrupted = true;
		return 0;
	}
	if (err)
		return fail_replay(s, err);
	if (s->replay.in_memory)
		tell_faults(s);
	err = amend_schedule(s);
	if (err)
		return err;
	/* From here on the size is that of the longest frame. */
	s->amended = *s->config;
	s->amended.wire_size = s->replay.longest + DXMIT_FCS_BYTES;
	planning_chunk(&s->amended);
	s->config = &s->amended;
	s->frame_length = s->replay.longest;
	return 0;
}

/* What is now known of each queue: its frames, and the memory that suits them. */
static void amend_plan(struct session *s)
{
	size_t i;

	s->amended.count = 0;
	s->amended.count_given = true;
	for (i = 0; i < s->plan->queues; i++) {
		const struct replay_queue *queue = &s->replay.queue[i];
		struct dxmit_plan_queue *plan = &s->plan->queue[i];
		uint32_t frames = replay_frames(queue, plan->frames, plan->frame_room);
		uint64_t more = frames - plan->frames;

		if (queue->count == UINT64_MAX)
			s->amended.count_given = false;
		plan->count = queue->count;
		if (__builtin_add_overflow(s->amended.count, queue->count,
					   &s->amended.count))
			s->amended.count_given = false;
		if (s->config->frames || s->config->completion_ring)
			continue; /* the user's choice */
		plan->frames = frames;
		plan->umem_bytes += more * plan->frame_room;
		s->plan->umem_bytes += more * plan->frame_room;
		more *= plan->frame_room +
			(1 + planning_segments(s->config, plan)) * ADDRESS_BYTES;
		plan->resident_bytes += more;
		s->plan->resident_bytes += more;
	}
}

int replaying_spread(struct session *s)
{
	if (!s->config->replay.path || s->interrupted)
		return 0;
	if (replay_spread(&s->replay, s->plan->queues))
		return fail(EXIT_RUNTIME, name_of(s),
			    "out of memory; free some and try again");
	if (s->replay.in_memory)
		amend_plan(s);
	return 0;
}

/* Whole passes, as the queue that is behind most has sent them. */
static void count_loops(struct session *s)
{
	uint64_t least = UINT64_MAX;
	size_t i;

	for (i = 0; i < s->plan->queues; i++) {
		const struct sender *sender = &s->run.thread[i].sender;
		uint64_t loops;

		if (!sender->replay->frames)
			continue;
		loops = atomic_load_explicit(&sender->counters.packets,
					     memory_order_relaxed) /
			sender->replay->frames;
		if (loops < least)
			least = loops;
	}
	s->replay.stats.loops = least == UINT64_MAX ? 0 : least;
}

void replaying_finish(struct session *s)
{
	struct replay *replay = &s->replay;

	if (!s->config->replay.path || s->abandoned)
		return;
	replay_stop(replay);
	if (replay->in_memory)
		count_loops(s);
	else if (!replay->error)
		tell_faults(s);
	if (replay->privileges_error && !s->exit_code)
		s->exit_code = fail(EXIT_RUNTIME, "privileges",
				    "of the reader cannot be given up: %s; allow "
				    "prctl(2) and capset(2) for it",
				    strerror(-replay->privileges_error));
	if (replay->error && !s->exit_code)
		s->exit_code = fail_replay(s, replay->error);
	s->report.replay = &replay->stats;
}
