/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Frame memory: mapped, given a NUMA policy, touched by the thread that will
 * use it, and looked up afterwards.
 */
#include <errno.h>
#include <fcntl.h>
#include <numaif.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "queue_private.h"
#include "small_file.h"

#define HUGE_PAGE_BYTES (2u << 20)
#define MAX_NODES 1024
#define LOOKUP_BLOCK 512
/* include/uapi/asm-generic/mman-common.h, Linux 5.14 */
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif
#ifndef MAP_HUGE_2MB
#define MAP_HUGE_2MB (21 << 26)
#endif

static size_t round_up(size_t bytes, size_t unit)
{
	return (bytes + unit - 1) / unit * unit;
}

/* A count of 2 MiB pages, 0 when unknown. Only for the text of an error. */
static uint64_t read_huge_pages(const char *path)
{
	long pages;

	return dxmit_file_number(AT_FDCWD, path, &pages) == 0 && pages > 0
		       ? (uint64_t)pages
		       : 0;
}

static uint64_t free_huge_pages(void)
{
	return read_huge_pages(
		"/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages");
}

static uint64_t used_huge_pages(void)
{
	uint64_t all =
		read_huge_pages("/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages");
	uint64_t unused = free_huge_pages();

	return all > unused ? all - unused : 0;
}

static void *map(size_t bytes, int flags)
{
	void *area = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);

	return area == MAP_FAILED ? NULL : area;
}

/*
 * Ask for a node. A preference, not a binding: with a binding the first touch
 * of a page the node cannot give kills the process. Where the pages ended up
 * is looked up later (dxmit_queue_residence), so a refusal here is no error.
 */
static void prefer_node(const struct umem_memory *memory, int node)
{
	unsigned long mask[MAX_NODES / (8 * sizeof(unsigned long))] = { 0 };
	unsigned int bits = 8 * sizeof(unsigned long);

	if (node < 0 || node >= MAX_NODES)
		return;
	mask[(unsigned int)node / bits] |= 1ul << ((unsigned int)node % bits);
	/* maxnode counts one bit more than there are (mbind(2), NOTES). */
	(void)mbind(memory->area, memory->mapped_bytes, MPOL_PREFERRED, mask,
		    MAX_NODES + 1, 0);
}

/*
 * Make every huge page present. One that was promised and is not there (a
 * cgroup's limit; two promised the same, seen on 6.18) would end the process
 * with SIGBUS when touched; here it is an answer. Before Linux 5.14 there is
 * none, and the promise has to do.
 */
static bool populate(const struct umem_memory *memory)
{
	return madvise(memory->area, memory->mapped_bytes, MADV_POPULATE_WRITE) == 0 ||
	       errno == EINVAL;
}

/* Map 2 MiB pages; on failure note how many are missing. */
static void map_huge(struct umem_memory *memory, int node)
{
	size_t bytes = round_up(memory->used_bytes, HUGE_PAGE_BYTES);
	uint64_t missing, unused;

	memory->area = map(bytes, MAP_HUGETLB | MAP_HUGE_2MB);
	if (memory->area) {
		memory->mapped_bytes = bytes;
		memory->page_size = HUGE_PAGE_BYTES;
		prefer_node(memory, node);
		if (populate(memory))
			return;
		dxmit_umem_free(memory);
	}
	missing = bytes / HUGE_PAGE_BYTES;
	unused = free_huge_pages();
	if (missing > unused)
		missing -= unused;
	memory->huge_missing = (uint32_t)missing;
}

int dxmit_umem_allocate(struct dxmit_queue_private *p, struct dxmit_error *error)
{
	const struct dxmit_queue_options *o = &p->options;
	struct umem_memory *memory = &p->memory;

	memory->used_bytes = umem_bytes(
		o->frames, frame_room(o->max_length, o->frame_size), o->frame_size);
	/* Less than one huge page has nothing to gain from it. */
	if (o->huge == DXMIT_HUGE_ON ||
	    (o->huge == DXMIT_HUGE_AUTO && memory->used_bytes >= HUGE_PAGE_BYTES))
		map_huge(memory, o->node_plus_1 - 1);
	while (!memory->area && o->huge == DXMIT_HUGE_ON &&
	       memory->huge_missing <= used_huge_pages() && dxmit_socket_wait(p))
		map_huge(memory, o->node_plus_1 - 1);
	if (!memory->area && o->huge == DXMIT_HUGE_ON) {
		uint64_t wanted =
			round_up(memory->used_bytes, HUGE_PAGE_BYTES) / HUGE_PAGE_BYTES;

		return dxmit_error_set(error, DXMIT_STAGE_HUGE_PAGES, ENOMEM,
				       "huge pages", wanted,
				       wanted - memory->huge_missing, used_huge_pages());
	}
	if (!memory->area) {
		memory->page_size = (uint32_t)sysconf(_SC_PAGESIZE);
		memory->mapped_bytes = round_up(memory->used_bytes, memory->page_size);
		memory->area = map(memory->mapped_bytes, 0);
		if (memory->area)
			prefer_node(memory, o->node_plus_1 - 1);
	}
	if (!memory->area)
		return dxmit_error_set(error, DXMIT_STAGE_MEMORY, errno, "frame memory",
				       memory->used_bytes, 0, 0);
	memset(memory->area, 0, memory->mapped_bytes);
	return 0;
}

void dxmit_umem_free(struct umem_memory *memory)
{
	if (memory->area)
		munmap(memory->area, memory->mapped_bytes);
	memory->area = NULL;
}

/* Count the nodes of up to LOOKUP_BLOCK pages from `first` on. */
static int lookup_block(const struct umem_memory *memory, size_t first, size_t count,
			uint32_t pages_of_node[MAX_NODES])
{
	void *page[LOOKUP_BLOCK];
	int status[LOOKUP_BLOCK];
	size_t i;

	for (i = 0; i < count; i++)
		page[i] = (char *)memory->area + (first + i) * memory->page_size;
	if (move_pages(0, count, page, NULL, status, 0) < 0)
		return errno;
	for (i = 0; i < count; i++) {
		if (status[i] < 0 || status[i] >= MAX_NODES)
			return status[i] < 0 ? -status[i] : ERANGE;
		pages_of_node[status[i]]++;
	}
	return 0;
}

int dxmit_queue_residence(const struct dxmit_queue *q, struct dxmit_residence *out)
{
	struct dxmit_residence found = { .size = sizeof(found), .node = -1 };
	uint32_t pages_of_node[MAX_NODES] = { 0 };
	const struct umem_memory *memory;
	int wanted, node, best = 0;
	size_t first = 0;

	if (!q || !out)
		return -EINVAL;
	memory = &q->priv->memory;
	wanted = q->priv->options.node_plus_1 - 1;
	found.pages = memory->mapped_bytes / memory->page_size;
	while (first < found.pages && found.reason == 0) {
		size_t count = found.pages - first;

		if (count > LOOKUP_BLOCK)
			count = LOOKUP_BLOCK;
		found.reason = lookup_block(memory, first, count, pages_of_node);
		first += count;
	}
	if (found.reason == 0) {
		for (node = 1; node < MAX_NODES; node++)
			if (pages_of_node[node] > pages_of_node[best])
				best = node;
		found.verified = 1;
		found.node = best;
		found.pages_on_node = wanted < 0           ? found.pages
				      : wanted < MAX_NODES ? pages_of_node[wanted]
							   : 0;
	}
	return dxmit_copy_out(out, &found, sizeof(found));
}
