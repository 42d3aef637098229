/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ring through which the kernel hands over samples of one CPU
 * (include/uapi/linux/perf_event.h, struct perf_event_mmap_page).
 */
#ifndef APP_PROFILER_RING_H
#define APP_PROFILER_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/perf_event.h>

struct profiler_ring {
	struct perf_event_mmap_page *page;
	size_t bytes; /* mapped */
};

/* Longest record that is looked at; longer ones are none of those asked for. */
#define PROFILER_RECORD_BYTES 64u

/* Map the ring of an event: 128 KiB, or less where the user may not lock so much
 * memory. Returns 0 or -errno. */
int profiler_ring_map(int fd, struct profiler_ring *out);

/*
 * Give each record to `take`, oldest first, and its space back to the kernel. What
 * comes meanwhile is left for the next time. A record that cannot be one empties the
 * ring. Returns how often that happened: 0 or 1.
 */
unsigned int profiler_ring_drain(struct profiler_ring *ring,
				 void (*take)(void *context,
					      const struct perf_event_header *record),
				 void *context);

/*
 * Was there no room for another record? What was lost is told by a record that comes
 * once there is room again, so that at the end of sampling this is the only trace.
 */
bool profiler_ring_is_full(const struct profiler_ring *ring);

/* Idempotent. */
void profiler_ring_unmap(struct profiler_ring *ring);

#endif
