/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sizes of frames: which ones a stream sends and in what proportion. Read from
 * the text of --size and laid out as a cycle in which each size occurs exactly
 * as often as its weight says, spread as evenly as whole frames allow. Pure.
 */
#ifndef APP_SIZES_H
#define APP_SIZES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct parse_reason;

/* A cycle must fit in memory and repeat within a run of seconds. */
#define SIZES_MAX_CYCLE (1u << 20)

struct size_entry {
	uint32_t wire_size; /* bytes on the wire with FCS */
	uint32_t weight;    /* frames of it per cycle */
};

struct size_mix {
	struct size_entry *entry; /* in the order given; freed by sizes_free() */
	size_t entries;
	bool random; /* the order in the cycle is shuffled */
};

/*
 * Read
 *	128                     one size
 *	64,128,1518             several, equally often
 *	64:7,594:4,1518:1       with weights
 *	64-1518  64-1518:32     a range, in steps of 1 or 32; may stand in a list
 *	random:LIST             any of those in shuffled order
 *	imix                    64:7,594:4,1518:1
 * A size may carry k (1024). Returns true and overwrites *mix, or false with a
 * reason. Whether a size can be sent is not judged here, only that it lies in
 * min … max.
 */
bool sizes_parse(const char *text, uint32_t min, uint32_t max, struct size_mix *mix,
		 struct parse_reason *reason);
void sizes_free(struct size_mix *mix);

/* The mean is bytes / frames, those of one cycle. */
void sizes_mean(const struct size_mix *mix, uint64_t *bytes, uint64_t *frames);
uint32_t sizes_longest(const struct size_mix *mix);
uint32_t sizes_shortest(const struct size_mix *mix);

/*
 * The order of one cycle over `choices` weighted things: the j-th of w frames of
 * a choice stands where (2j + 1) / 2w of the cycle has passed. Returns the
 * length of the cycle, the sum of the weights after division by what they have in
 * common, and *order (to be freed), or -EINVAL (no weight, a zero weight, or a
 * cycle longer than SIZES_MAX_CYCLE), -ENOMEM. With `random` the order is shuffled
 * after the cycle was repeated to at least 4096 frames, the same way every time.
 */
int cycle_make(const uint64_t *weight, size_t choices, bool random, uint32_t **order);

#endif
