/* SPDX-License-Identifier: BSD-2-Clause */
/* The counting of profiler_hits.h: open addressing, at most half full. */
#include <stdbool.h>
#include <stdlib.h>

#include "profiler_hits.h"

#define ROOM_FIRST 4096u
/* 48 MiB. At 4000 samples a second and CPU no window comes near. */
#define ROOM_MOST (2u << 20)

/* The finalizer of splitmix64 spreads addresses that differ in few bits. */
static size_t slot_of(const struct profiler_hits *hits, const struct hit *key)
{
	uint64_t x = key->address ^ ((uint64_t)key->pid << 40) ^ (uint64_t)key->kind;

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
	return (size_t)(x ^ (x >> 31)) & (hits->room - 1);
}

static bool same(const struct hit *a, const struct hit *b)
{
	return a->address == b->address && a->pid == b->pid && a->kind == b->kind;
}

/* The slot of a key, which may be free. */
static struct hit *find(struct profiler_hits *hits, const struct hit *key)
{
	size_t i = slot_of(hits, key);

	while (hits->hit[i].count && !same(&hits->hit[i], key))
		i = (i + 1) & (hits->room - 1);
	return &hits->hit[i];
}

static bool grow(struct profiler_hits *hits)
{
	struct profiler_hits larger = { .room = hits->room ? hits->room * 2 : ROOM_FIRST,
					.used = hits->used };
	size_t i;

	if (larger.room > ROOM_MOST)
		return false;
	larger.hit = calloc(larger.room, sizeof(*larger.hit));
	if (!larger.hit)
		return false;
	for (i = 0; i < hits->room; i++)
		if (hits->hit[i].count)
			*find(&larger, &hits->hit[i]) = hits->hit[i];
	free(hits->hit);
	*hits = larger;
	return true;
}

void profiler_hits_add(struct profiler_hits *hits, enum hit_kind kind, uint32_t pid,
		       uint64_t address)
{
	struct hit key = { .address = address, .pid = pid, .kind = kind };
	struct hit *slot;

	if (hits->used >= hits->room / 2 && !grow(hits))
		return;
	slot = find(hits, &key);
	if (slot->count == 0) {
		*slot = key;
		hits->used++;
	}
	slot->count++;
}

static int compare(const void *left, const void *right)
{
	const struct hit *a = left, *b = right;

	if (!a->count || !b->count)
		return !a->count - !b->count;
	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	return a->address < b->address ? -1 : a->address > b->address;
}

void profiler_hits_by_process(struct profiler_hits *hits)
{
	if (hits->used)
		qsort(hits->hit, hits->room, sizeof(*hits->hit), compare);
}

void profiler_hits_free(struct profiler_hits *hits)
{
	free(hits->hit);
	*hits = (struct profiler_hits){ 0 };
}
