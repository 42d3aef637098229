// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory for the heads of skbs: pages of the attachment's own, cut into heads, and
 * cut again once all of these have been freed.
 *
 * The kernel's page fragments (napi_alloc_frag) use a page again only if none of
 * its heads is alive at the moment it is used up. With a skb made ahead there
 * always is one, and a new page of 32 KiB is zeroed in Debian's kernels
 * (init_on_alloc): 410 of 1500 instructions for each frame of 64 bytes. Heads
 * from a slab would be zeroed one by one.
 */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/page_ref.h>

#include "internal.h"

#define HEAD_PAGE_ORDER get_order(32768)
#define HEAD_PAGE_BYTES (PAGE_SIZE << HEAD_PAGE_ORDER)
/* More than heads fit on a page: what we hold of its references never runs out. */
#define HEAD_PAGE_REFS (HEAD_PAGE_BYTES / SMP_CACHE_BYTES)

/* Have all its heads been freed? Each drops one reference. The stores of whoever
 * uses the page again depend on the answer, so they come after it. */
static bool unused(const struct head_page *head_page)
{
	return head_page->page && page_ref_count(head_page->page) == head_page->refs;
}

static void let_go(struct head_page *head_page)
{
	if (head_page->page)
		__page_frag_cache_drain(head_page->page, head_page->refs);
	head_page->page = NULL;
}

/*
 * The first page that is unused: so no more of them are in turn, and in the CPU's
 * cache, than the device keeps busy. Else an empty place. Else a page is given up,
 * each in its turn.
 */
static struct head_page *choose(struct heads *heads)
{
	struct head_page *empty = NULL;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(heads->pages); i++) {
		if (unused(&heads->pages[i]))
			return &heads->pages[i];
		if (!empty && !heads->pages[i].page)
			empty = &heads->pages[i];
	}
	heads->victim = (heads->victim + 1) % ARRAY_SIZE(heads->pages);
	return empty ? empty : &heads->pages[heads->victim];
}

static bool next_page(struct heads *heads)
{
	struct head_page *next = choose(heads);

	if (unused(next) && dev_page_is_reusable(next->page)) {
		page_ref_add(next->page, HEAD_PAGE_REFS - next->refs);
	} else {
		let_go(next);
		next->page = alloc_pages(GFP_ATOMIC | __GFP_COMP | __GFP_NOWARN |
					 __GFP_NORETRY | __GFP_NOMEMALLOC,
					 HEAD_PAGE_ORDER);
		if (!next->page) {
			heads->at = NULL;       /* may have been on that page */
			heads->end = NULL;
			return false;
		}
		page_ref_add(next->page, HEAD_PAGE_REFS - 1);
	}
	next->refs = HEAD_PAGE_REFS;
	heads->in_hand = next;
	heads->at = page_address(next->page);
	heads->end = heads->at + HEAD_PAGE_BYTES;
	return true;
}

void *heads_alloc(struct heads *heads, u32 size)
{
	void *head;

	if (unlikely(heads->end - heads->at < size) &&
	    (size > HEAD_PAGE_BYTES || !next_page(heads)))
		return napi_alloc_frag(size);
	head = heads->at;
	heads->at += size;
	heads->in_hand->refs--;
	return head;
}

void heads_free(struct heads *heads)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(heads->pages); i++)
		let_go(&heads->pages[i]);
	heads->at = NULL;
	heads->end = NULL;
}
