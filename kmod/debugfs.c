// SPDX-License-Identifier: GPL-2.0-only
/*
 * /sys/kernel/debug/dxmit/attachments: a line of key=value for each attachment,
 * also for a detached socket, which holds the module until it closes. For the
 * administrator who asks what is attached, by whom, and how it fares; a program
 * asks with STATS. A kernel without debugfs lacks the file, nothing else.
 */
#include <linux/debugfs.h>
#include <linux/seq_file.h>
#include <net/sock.h>

#include "internal.h"

static struct dentry *directory;

#define COUNTER(name) { #name, offsetof(struct dxmit_ioc_stats, name) }

/* In the order of the structure, and all of them. New ones go to the end. */
static const struct {
	const char *name;
	size_t offset;
} counters[] = {
	COUNTER(kicks),
	COUNTER(packets),
	COUNTER(bytes),
	COUNTER(kept_total),
	COUNTER(dropped_driver),
	COUNTER(dropped_link),
	COUNTER(dropped_validate),
	COUNTER(dropped_close),
	COUNTER(invalid),
	COUNTER(no_skb),
	COUNTER(validations_skipped),
	COUNTER(shadow_checks),
	COUNTER(shadow_mismatches),
	COUNTER(assertions),
};

static_assert(ARRAY_SIZE(counters) == (offsetof(struct dxmit_ioc_stats, reserved) -
				       offsetof(struct dxmit_ioc_stats, kicks)) /
					      sizeof(u64));

static void *attachment_start(struct seq_file *seq, loff_t *position)
{
	mutex_lock(&attachments_lock);
	return seq_list_start(&attachments, *position);
}

static void *attachment_next(struct seq_file *seq, void *item, loff_t *position)
{
	return seq_list_next(item, &attachments, position);
}

static void attachment_stop(struct seq_file *seq, void *item)
{
	mutex_unlock(&attachments_lock);
}

/* socket and netns are the numbers that /proc/PID/fd and /proc/PID/ns show. */
static int attachment_show(struct seq_file *seq, void *item)
{
	struct attachment *at = list_entry(item, struct attachment, list);
	const struct sock *sk = &at->xs->sk;
	struct dxmit_ioc_stats stats;
	size_t i;

	attachment_snapshot(at, &stats);
	seq_printf(seq, "id=%llu active=%u socket=%llu netns=%u ifindex=%d queue=%u",
		   stats.id, stats.active, (u64)SOCK_INODE(sk->sk_socket)->i_ino,
		   sock_net(sk)->ns.inum, stats.ifindex, stats.queue);
	seq_printf(seq, " batch=%u budget=%u flags=%u shadow_every=%u kept=%u", at->batch,
		   at->budget, at->flags, at->shadow_every, stats.kept);
	for (i = 0; i < ARRAY_SIZE(counters); i++)
		seq_printf(seq, " %s=%llu", counters[i].name,
			   *(u64 *)((char *)&stats + counters[i].offset));
	seq_putc(seq, '\n');
	return 0;
}

static const struct seq_operations attachment_sops = {
	.start = attachment_start,
	.next = attachment_next,
	.stop = attachment_stop,
	.show = attachment_show,
};
DEFINE_SEQ_ATTRIBUTE(attachment);

void debugfs_start(void)
{
	directory = debugfs_create_dir("dxmit", NULL);
	debugfs_create_file("attachments", 0400, directory, NULL, &attachment_fops);
}

void debugfs_stop(void)
{
	debugfs_remove(directory);
}
