/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ring of profiler_ring.h. The kernel writes data_head and the records before
 * it; we write data_tail, up to which it may write again.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "profiler_ring.h"

/* A sample has 24 bytes: at 4000 a second this holds 1.3 s, ten times what passes
 * between two drains. */
#define RING_BYTES (128u << 10)

int profiler_ring_map(int fd, struct profiler_ring *out)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t data = RING_BYTES > page ? RING_BYTES : page;

	/* EPERM: beyond kernel.perf_event_mlock_kb and RLIMIT_MEMLOCK. */
	for (;; data /= 2) {
		void *map = mmap(NULL, page + data, PROT_READ | PROT_WRITE, MAP_SHARED,
				 fd, 0);

		if (map != MAP_FAILED) {
			out->page = map;
			out->bytes = page + data;
			return 0;
		}
		if ((errno != EPERM && errno != ENOMEM) || data / 2 < page)
			return -errno;
	}
}

/* Copy out of the ring, whose end continues at its begin. */
static void copy(const struct perf_event_mmap_page *page, uint64_t at, void *out,
		 size_t bytes)
{
	const char *data = (const char *)page + page->data_offset;
	size_t offset = (size_t)(at & (page->data_size - 1));
	size_t first = (size_t)page->data_size - offset;

	if (first > bytes)
		first = bytes;
	memcpy(out, data + offset, first);
	memcpy((char *)out + first, data, bytes - first);
}

unsigned int profiler_ring_drain(struct profiler_ring *ring,
				 void (*take)(void *context,
					      const struct perf_event_header *record),
				 void *context)
{
	struct perf_event_mmap_page *page = ring->page;
	uint64_t record[PROFILER_RECORD_BYTES / sizeof(uint64_t)];
	struct perf_event_header *header = (struct perf_event_header *)record;
	unsigned int broken = 0;
	uint64_t head, tail;

	if (!page)
		return 0;
	/* Acquire: pairs with the kernel's barrier between records and head
	 * (kernel/events/ring_buffer.c, perf_output_put_handle()). */
	head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
	tail = page->data_tail; /* ours alone */
	while (tail != head) {
		memset(record, 0, sizeof(record));
		if (head - tail >= sizeof(*header))
			copy(page, tail, header, sizeof(*header));
		if (header->size < sizeof(*header) || header->size > head - tail ||
		    head - tail > page->data_size) {
			broken = 1;
			tail = head;
			break;
		}
		if (header->size <= sizeof(record)) {
			copy(page, tail, record, header->size);
			take(context, header);
		}
		tail += header->size;
	}
	/* Release: our reads end before the kernel may write there. */
	__atomic_store_n(&page->data_tail, tail, __ATOMIC_RELEASE);
	return broken;
}

bool profiler_ring_is_full(const struct profiler_ring *ring)
{
	const struct perf_event_mmap_page *page = ring->page;
	uint64_t used;

	if (!page)
		return false;
	used = __atomic_load_n(&page->data_head, __ATOMIC_RELAXED) - page->data_tail;
	return used + PROFILER_RECORD_BYTES > page->data_size;
}

void profiler_ring_unmap(struct profiler_ring *ring)
{
	if (ring->page)
		munmap(ring->page, ring->bytes);
	*ring = (struct profiler_ring){ 0 };
}
