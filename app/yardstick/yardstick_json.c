/* SPDX-License-Identifier: BSD-2-Clause */
/* What a yardstick did, in the words of `dxmit tx --json`. */
#include <errno.h>
#include <string.h>

#include "json_parts.h"
#include "message.h"
#include "yardstick_parts.h"

static void set_share(struct json_maker *part, const struct yardstick_share *share)
{
	json_set_u64(part, "packets", share->packets);
	if (share->kicks == YARDSTICK_UNKNOWN)
		json_set_null(part, "kicks");
	else
		json_set_u64(part, "kicks", share->kicks);
	json_set_u64(part, "lost", share->lost);
	json_set_real(part, "cpu_user_seconds", (double)share->cpu_user_ns / 1e9);
	json_set_real(part, "cpu_system_seconds", (double)share->cpu_system_ns / 1e9);
}

static void add(struct yardstick_share *total, const struct yardstick_share *share)
{
	total->packets += share->packets;
	total->lost += share->lost;
	if (share->kicks == YARDSTICK_UNKNOWN)
		total->kicks = YARDSTICK_UNKNOWN;
	else
		total->kicks += share->kicks;
	total->cpu_user_ns += share->cpu_user_ns;
	total->cpu_system_ns += share->cpu_system_ns;
}

int yardstick_json(const struct yardstick *yardstick,
		   const struct yardstick_result *result, FILE *out)
{
	struct json_maker document = json_make_object(), queues = json_make_array();
	struct json_maker part = json_make_object();
	struct yardstick_share total = { 0 };
	size_t i;
	int err;

	for (i = 0; i < yardstick->plan->queues; i++) {
		const struct dxmit_plan_queue *plan = &yardstick->plan->queue[i];
		struct json_maker queue = json_make_object();

		json_set_u64(&queue, "queue", plan->queue);
		json_set_u64(&queue, "cpu", plan->cpu);
		set_share(&queue, &result->share[i]);
		json_set_text(&queue, "mode", leg_kind_name(yardstick->kind));
		json_set_text(&queue, "path", "kernel");
		json_append_part(&queues, queue);
		add(&total, &result->share[i]);
	}
	set_share(&part, &total);
	json_set_real(&part, "seconds", (double)result->ns / 1e9);
	json_set_part(&document, "total", part);
	json_set_part(&document, "queues", queues);
	err = json_write(document, out);
	return err ? fail(EXIT_RUNTIME, leg_kind_name(yardstick->kind),
			  "its result cannot be written: %s; check what reads it",
			  strerror(-err))
		   : EXIT_DONE;
}
