/* SPDX-License-Identifier: BSD-2-Clause */
/* The words of path.h. */
#include <errno.h>
#include <inttypes.h>

#include "path.h"
#include "text.h"

const char *path_name(enum dxmit_path path)
{
	return path == DXMIT_PATH_DIRECT ? "direct" : "kernel";
}

const char *path_asked_name(enum dxmit_direct asked)
{
	static const char *const name[] = {
		[DXMIT_DIRECT_OFF] = "kernel",
		[DXMIT_DIRECT_AUTO] = "auto",
		[DXMIT_DIRECT_REQUIRE] = "direct",
	};

	return name[asked];
}

static const char *words_before(const struct config *config)
{
	if (config->direct == DXMIT_DIRECT_REQUIRE)
		return "direct path";
	if (config->direct == DXMIT_DIRECT_AUTO && config->mode == DXMIT_MODE_COPY)
		return "direct path if it can be had";
	return "kernel path";
}

const char *path_words(const struct report *report, char buf[PATH_WORDS])
{
	size_t i, opened = 0, direct = 0;

	for (i = 0; report->queue && i < report->plan->queues; i++) {
		opened += report->queue[i].opened;
		direct += report->queue[i].opened &&
			  report->queue[i].info.path == DXMIT_PATH_DIRECT;
	}
	if (!opened)
		snprintf(buf, PATH_WORDS, "%s", words_before(report->config));
	else if (direct && direct < opened)
		snprintf(buf, PATH_WORDS, "direct path on %zu of %zu queues", direct,
			 opened);
	else
		snprintf(buf, PATH_WORDS, "%s path", direct ? "direct" : "kernel");
	return buf;
}

/* As <dxmit/queue.h> has it. */
bool path_was_lost(const struct dxmit_queue_info *info)
{
	return info->path == DXMIT_PATH_KERNEL && info->direct_refusal == 0 &&
	       (info->direct_errno == ECANCELED || info->direct_errno == EPROTO);
}

static void reason_text(const struct report_queue *queue, const char *what, FILE *out)
{
	char reason[PATH_REASON];

	dxmit_direct_text(queue->info.direct_errno, queue->info.direct_refusal, reason,
			  sizeof(reason));
	text_field(out, "path", "queue %" PRIu32 "%s: %s", queue->plan->queue, what,
		   reason);
}

/* The same reason is told for the first queue alone. */
static bool told_before(const struct report *report, size_t i)
{
	const struct dxmit_queue_info *info = &report->queue[i].info;
	size_t j;

	for (j = 0; j < i; j++)
		if (report->queue[j].opened &&
		    report->queue[j].info.direct_errno == info->direct_errno &&
		    report->queue[j].info.direct_refusal == info->direct_refusal)
			return true;
	return false;
}

static void counters_text(const struct report *report, FILE *out)
{
	struct dxmit_direct_stats sum = { 0 };
	bool any = false;
	size_t i;

	for (i = 0; i < report->plan->queues; i++) {
		const struct dxmit_direct_stats *stats = &report->queue[i].direct;

		if (!report->queue[i].direct_valid)
			continue;
		any = true;
		sum.packets += stats->packets;
		sum.kept_total += stats->kept_total;
		sum.shadow_checks += stats->shadow_checks;
		sum.shadow_mismatches += stats->shadow_mismatches;
	}
	if (!any)
		return;
	text_field(out, "module",
		   "%" PRIu64 " frames sent, %" PRIu64 " times one was kept", sum.packets,
		   sum.kept_total);
	if (sum.shadow_checks)
		text_field(out, "shadow",
			   "%" PRIu64 " frames validated on the side, %" PRIu64
			   " would have been changed",
			   sum.shadow_checks, sum.shadow_mismatches);
}

void path_text(const struct report *report, FILE *out)
{
	size_t i;

	for (i = 0; i < report->plan->queues; i++) {
		const struct report_queue *queue = &report->queue[i];

		if (!queue->opened || !queue->info.direct_errno)
			continue;
		if (path_was_lost(&queue->info))
			reason_text(queue, " lost the direct path", out);
		else if (report->config->verbose && !told_before(report, i))
			reason_text(queue, " is on the kernel path", out);
	}
	counters_text(report, out);
}
