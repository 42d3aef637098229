/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Content: what the frames of a run hold. A run is a list of streams, a stream a
 * frame in one or several lengths (its variants) with modifiers; two cycles say
 * which stream and which of its variants comes next.
 *
 * struct content is made once and then only read, by all queues. Each queue has a
 * struct content_queue beside it, which knows where it is in the cycles, what
 * each of its frames holds at the moment, and what it has sent of each stream.
 *
 * Order. With a count, queue 0 sends the first part of the run's sequence of
 * streams and lengths, queue 1 the next and so on, so that the whole is that
 * sequence exactly. Without one, every queue begins at its start. Modifiers go by
 * the packets of their stream: the k-th of queue i of Q has the number k * Q + i
 * (see dxmit/modify.h).
 *
 * Filling. Where all frames are one variant they are laid once and only the
 * program runs. Otherwise a frame that holds another variant than the next one is
 * laid again from the template.
 */
#ifndef APP_CONTENT_H
#define APP_CONTENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <dxmit/dxmit.h>
#include "config.h"
#include "expression.h"
#include "farend.h"
#include "streams.h"

/* A template. */
struct content_variant {
	uint8_t *frame;
	uint32_t length; /* bytes without FCS */
};

struct content_stream {
	char name[STREAM_NAME_LEN];
	uint64_t weight;
	uint32_t first;  /* its variants in content.variant; the shortest first */
	uint32_t *order; /* of its variants, numbers in content.variant */
	uint32_t cycle;  /* length of `order` */
	struct rate_basis lengths;     /* of what it sends in such a cycle */
	struct expression *expression; /* NULL: the fixed options */
	struct dxmit_modifier *modifier;
	uint32_t modifiers;
	struct dxmit_packet_map map;    /* of the shortest variant */
	struct dxmit_stamp_place stamp; /* if content.stamp */
};

struct content {
	struct content_variant *variant;
	uint32_t variants;
	struct content_stream *stream;
	uint32_t streams;
	uint32_t *order; /* of the streams */
	uint32_t cycle;
	uint32_t longest;        /* bytes without FCS */
	uint32_t length;         /* the same, or 0 if lengths differ */
	uint32_t mtu;            /* that the longest needs, tags apart */
	uint64_t rate_micro_pps; /* sum of the streams' own rates; 0: none */
	bool stamp;
	enum stamp_format stamp_format;
	bool skip_all; /* the MTU allows none of the frames and they are skipped */
	/* How the far end knows these frames; none: it takes all for ours. */
	struct farend_match *match;
	size_t matches;
};

/*
 * content_build.c: make all templates. What the interface's MTU does not allow is
 * refused, left out with a warning, or kept, as the policy says. Returns 0, or an
 * exit code after the one line on stderr; content_free() is due in both cases.
 */
int content_make(const struct config *config, const struct dxmit_nic *nic,
		 struct content *content);
void content_free(struct content *content);
/* content_modifiers.c: the steps of it that concern modifiers: from the stream's
 * expression and map; and whether the queues' programs will compile. */
int content_add_modifiers(const struct config *config, struct content_stream *stream);
int content_try_modifiers(const struct content_stream *stream,
			  const struct content_variant *shortest);
/* What the library is to compile of them, but for the queue. */
struct dxmit_modify_spec content_modify_spec(const struct content_stream *stream,
					     const struct content_variant *shortest);

/* content_rates.c: a step of it, too: streams' rates by the lengths they send. */
int content_set_rates(const struct config *config, const struct dxmit_nic *nic,
		      struct content *content);
/*
 * When frames are due: as make_schedule(), for the lengths that are really sent.
 * Where streams have rates, config->rate becomes their sum.
 */
int content_schedule(const struct content *content, const struct dxmit_nic *nic,
		     struct config *config, struct schedule *schedule);

/* The shortest of all, bytes without FCS. */
uint32_t content_shortest(const struct content *content);

/* A stream on one queue. */
struct content_turn {
	struct dxmit_modify *program; /* NULL: no modifiers */
	uint64_t packets, bytes;      /* filled so far; read when the thread ended */
	uint64_t stamped;             /* its packets that have a stamp, for flows */
	uint32_t at;                  /* in the stream's order */
	uint32_t begin, taken;        /* of the current batch */
};

struct content_queue {
	const struct content *content;
	struct content_turn *turn; /* content->streams of them */
	uint32_t at;               /* in content->order */
	uint32_t batch;
	uint32_t index, queues;
	uint16_t queue;    /* number, for stamps */
	uint32_t *laid;    /* per frame: the variant it holds */
	uint32_t *lengths; /* of the batch */
	uint32_t *slot;    /* of the batch: stream of each frame */
	uint8_t **frame;   /* of the batch: frames, stream by stream */
};

/*
 * What queue `index` of `queues` needs: compiled programs and room for batches of
 * `batch` frames. It begins at packet `first` of the run's sequence. Returns 0 or
 * -errno; content_queue_close() is due in both cases.
 */
int content_queue_open(struct content_queue *cq, const struct content *content,
		       uint32_t index, uint32_t queues, uint64_t first, uint32_t batch);
/* Lay the first variant into every frame of the open queue. By its thread, so
 * that the memory is touched where it is used. Returns 0 or -ENOMEM. */
int content_queue_lay(struct content_queue *cq, const struct dxmit_queue *q);
void content_queue_close(struct content_queue *cq);

/*
 * Write the next n (at most a batch) packets into the frames reserved. Where
 * content->length is 0, cq->lengths says how long they are. All n must be
 * submitted.
 */
void content_fill(struct content_queue *cq, const struct dxmit_queue *q, uint32_t n);
/*
 * content_stamp.c, for content_fill(): stamp the n frames. slot[] says the stream of
 * each if there is more than one variant. The time in a stamp is that of the batch:
 * one reading of the clock, just before it is handed over.
 */
void content_stamp(struct content_queue *cq, const struct dxmit_queue *q, uint32_t n);

#endif
