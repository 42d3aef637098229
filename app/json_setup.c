/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The head of every JSON document: the host, the interface, the settings that
 * took effect and the plan.
 */
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "json_parts.h"
#include "path.h"
#include "planning.h"

const char *json_mode_name(enum dxmit_mode mode)
{
	return mode == DXMIT_MODE_ZEROCOPY ? "zero-copy" : "copy";
}

const char *json_kick_name(enum dxmit_kick_method kick)
{
	static const char *const name[] = {
		[DXMIT_KICK_AUTO] = "auto",
		[DXMIT_KICK_SENDTO] = "sendto",
		[DXMIT_KICK_POLL] = "poll",
	};

	return name[kick];
}

static const char *huge_name(enum dxmit_huge huge)
{
	static const char *const name[] = {
		[DXMIT_HUGE_AUTO] = "auto",
		[DXMIT_HUGE_ON] = "on",
		[DXMIT_HUGE_OFF] = "off",
	};

	return name[huge];
}

static const char *numa_name(enum dxmit_numa numa)
{
	static const char *const name[] = {
		[DXMIT_NUMA_NIC] = "nic",
		[DXMIT_NUMA_NODE] = "node",
		[DXMIT_NUMA_ANY] = "any",
	};

	return name[numa];
}

static const char *link_loss_name(enum link_loss policy)
{
	static const char *const name[] = {
		[LINK_LOSS_WAIT] = "wait",
		[LINK_LOSS_FAIL] = "fail",
		[LINK_LOSS_GO] = "go",
	};

	return name[policy];
}

static const char *oversize_name(enum oversize policy)
{
	static const char *const name[] = {
		[OVERSIZE_REFUSE] = "refuse",
		[OVERSIZE_SKIP] = "skip",
		[OVERSIZE_SEND] = "send",
	};

	return name[policy];
}

static const char *zerocopy_name(enum dxmit_zerocopy zerocopy)
{
	static const char *const name[] = {
		[DXMIT_ZEROCOPY_UNKNOWN] = "unknown",
		[DXMIT_ZEROCOPY_NO] = "no",
		[DXMIT_ZEROCOPY_YES] = "yes",
	};

	return name[zerocopy];
}

static struct json_maker host_part(void)
{
	struct json_maker host = json_make_object();
	struct utsname name;

	memset(&name, 0, sizeof(name));
	uname(&name);
	json_set_text(&host, "hostname", name.nodename);
	json_set_text(&host, "kernel", name.release);
	json_set_text(&host, "machine", name.machine);
	json_set_i64(&host, "cpus", sysconf(_SC_NPROCESSORS_ONLN));
	json_set_text(&host, "dxmit_version", dxmit_version());
	return host;
}

static struct json_maker irqs_part(const struct dxmit_nic *nic)
{
	struct json_maker irqs = json_make_array();
	uint32_t i;

	for (i = 0; i < nic->irqs && i < DXMIT_MAX_IRQS; i++) {
		struct json_maker irq = json_make_object();

		json_set_u64(&irq, "number", nic->irq[i].number);
		json_set_known(&irq, "cpu", nic->irq[i].cpu);
		json_set_u64(&irq, "cpus", nic->irq[i].cpus);
		json_append_part(&irqs, irq);
	}
	return irqs;
}

static struct json_maker interface_part(const struct dxmit_nic *nic)
{
	struct json_maker part = json_make_object();
	char mac[18];

	snprintf(mac, sizeof(mac), "%02x:%02x:%02x:%02x:%02x:%02x", nic->mac[0],
		 nic->mac[1], nic->mac[2], nic->mac[3], nic->mac[4], nic->mac[5]);
	json_set_text(&part, "name", nic->name);
	json_set_text(&part, "driver", nic->driver);
	json_set_text(&part, "bus", nic->bus);
	json_set_u64(&part, "mtu", nic->mtu);
	json_set_text(&part, "mac", mac);
	json_set_u64(&part, "tx_queues", nic->tx_queues);
	json_set_u64(&part, "rx_queues", nic->rx_queues);
	json_set_u64(&part, "tx_queues_max", nic->tx_queues_max);
	json_set_u64(&part, "rx_queues_max", nic->rx_queues_max);
	json_set_bool(&part, "up", nic->up);
	json_set_bool(&part, "carrier", nic->carrier);
	json_set_known(&part, "node", nic->node);
	json_set_text(&part, "zerocopy", zerocopy_name(nic->zerocopy));
	json_set_known(&part, "speed_mbps",
		       nic->speed_mbps ? (int64_t)nic->speed_mbps : -1);
	json_set_part(&part, "irqs", irqs_part(nic));
	return part;
}

/* What the library obtained, for the settings it chooses: of the first queue
 * that is open. NULL before a run. */
static const struct dxmit_queue_info *obtained(const struct report *report)
{
	size_t i;

	for (i = 0; report->queue && i < report->plan->queues; i++)
		if (report->queue[i].opened)
			return &report->queue[i].info;
	return NULL;
}

/* A setting the library chooses: what it obtained, else what was asked; 0 is
 * "chosen when the queue opens" and becomes null. */
static void set_chosen(struct json_maker *config, const char *key, uint64_t asked,
		       uint64_t got)
{
	uint64_t value = got ? got : asked;

	json_set_known(config, key, value ? (int64_t)value : -1);
}

static void config_memory(struct json_maker *part, const struct report *report)
{
	const struct config *config = report->config;
	const struct dxmit_plan_queue none = { 0 };
	const struct dxmit_plan_queue *first = /* a probe makes no plan */
		report->plan->queues ? &report->plan->queue[0] : &none;
	const struct dxmit_queue_info *info = obtained(report);

	set_chosen(part, "ring", first->ring_size, info ? info->ring_size : 0);
	set_chosen(part, "frames", first->frames, info ? info->frames : 0);
	set_chosen(part, "frame_size", first->frame_size, info ? info->frame_size : 0);
	set_chosen(part, "completion_ring", config->completion_ring,
		   info ? info->completion_size : 0);
	set_chosen(part, "budget", config->budget, info ? info->budget : 0);
	set_chosen(part, "sndbuf", config->sndbuf, info ? info->sndbuf : 0);
	set_chosen(part, "page_size", 0, info ? info->page_size : 0);
	json_set_text(part, "huge", huge_name(config->huge));
	json_set_text(part, "kick", json_kick_name(info ? info->kick : config->kick));
	json_set_text(part, "mode", json_mode_name(info ? info->mode : config->mode));
	json_set_text(part, "path",
		      info ? path_name(info->path) : path_asked_name(config->direct));
	json_set_text(part, "path_asked", path_asked_name(config->direct));
}

static struct json_maker config_part(const struct report *report)
{
	const struct config *config = report->config;
	struct json_maker part = json_make_object();
	char words[PROFILE_TEXT_BYTES];
	const char *asked =
		profile_text(&config->rate, &config->profile, &config->bursts, words);

	json_set_bool(&part, "sandbox", config->sandbox);
	json_set_u64(&part, "size", report->frame_length + DXMIT_FCS_BYTES);
	json_set_u64(&part, "frame_length", report->frame_length);
	json_set_u64(&part, "frame_shortest",
		     report->frame_shortest ? report->frame_shortest
					    : report->frame_length);
	json_set_u64(&part, "batch", planning_batch(config, report->plan));
	config_memory(&part, report);
	json_set_limit(&part, "rate", (double)report->asked_micro_pps / 1e6);
	json_set_text(&part, "rate_asked", asked[0] ? asked : NULL);
	json_set_known(&part, "count", config->count_given ? (int64_t)config->count : -1);
	json_set_limit(&part, "duration", (double)config->duration_ns / 1e9);
	json_set_limit(&part, "interval", (double)config->interval_ns / 1e9);
	json_set_bool(&part, "stamp", config->stamp);
	json_set_text(&part, "frame", config->frame_text);
	json_set_text(&part, "numa", numa_name(config->numa));
	json_set_known(&part, "node",
		       config->numa == DXMIT_NUMA_NODE ? config->node : -1);
	json_set_bool(&part, "avoid_irq_cpus", config->avoid_irq_cpus);
	json_set_u64(&part, "bind_wait_ms", config->bind_wait_ms);
	json_set_real(&part, "carrier_wait", (double)config->carrier_wait_ns / 1e9);
	json_set_text(&part, "link_loss", link_loss_name(config->link_loss));
	json_set_text(&part, "oversize", oversize_name(config->oversize));
	json_set_text(&part, "topology", config->topology);
	json_set_bool(&part, "force", config->force);
	return part;
}

static struct json_maker plan_queue_part(const struct config *config,
					 const struct dxmit_plan_queue *queue)
{
	struct json_maker part = json_make_object();

	json_set_u64(&part, "queue", queue->queue);
	json_set_u64(&part, "cpu", queue->cpu);
	json_set_u64(&part, "core", queue->core);
	json_set_known(&part, "node", queue->cpu_node);
	json_set_known(&part, "memory_node", queue->memory_node);
	json_set_text(&part, "reason", dxmit_plan_reason(queue->reason));
	json_set_bool(&part, "shares_cpu", queue->shares_cpu);
	json_set_bool(&part, "shares_core", queue->shares_core);
	json_set_bool(&part, "remote", queue->remote);
	json_set_bool(&part, "serves_irq", queue->serves_irq);
	json_set_u64(&part, "frames", queue->frames);
	json_set_u64(&part, "frame_size", queue->frame_size);
	json_set_u64(&part, "frame_room", queue->frame_room);
	json_set_u64(&part, "segments", planning_segments(config, queue));
	json_set_u64(&part, "ring", queue->ring_size);
	json_set_u64(&part, "bytes", queue->umem_bytes);
	json_set_u64(&part, "resident_bytes", queue->resident_bytes);
	json_set_u64(&part, "count", queue->count);
	json_set_real(&part, "rate_share", (double)queue->rate_share_ppb / 1e9);
	return part;
}

static struct json_maker plan_part(const struct report *report)
{
	const struct dxmit_plan *plan = report->plan;
	struct json_maker part = json_make_object();
	struct json_maker queues = json_make_array();
	struct json_maker notes = json_make_array();
	char note[PLAN_MAX_NOTES][PLAN_NOTE_BYTES];
	size_t i, count = plan_notes(report, note);

	for (i = 0; i < plan->queues; i++)
		json_append_part(&queues,
				 plan_queue_part(report->config, &plan->queue[i]));
	for (i = 0; i < count; i++)
		json_append_part(&notes, (struct json_maker){ json_string(note[i]), 0 });
	json_set_known(&part, "nic_node", plan->nic_node);
	json_set_u64(&part, "cpus_used", plan->cpus_used);
	json_set_u64(&part, "cpus_allowed", plan->cpus_allowed);
	json_set_u64(&part, "bytes", plan->umem_bytes);
	json_set_u64(&part, "resident_bytes", plan->resident_bytes);
	json_set_part(&part, "queues", queues);
	json_set_part(&part, "notes", notes);
	return part;
}

struct json_maker json_document(const struct report *report)
{
	struct json_maker document = json_make_object();

	json_set_text(&document, "schema", REPORT_SCHEMA);
	json_set_i64(&document, "version", REPORT_VERSION);
	json_set_text(&document, "command", report->command);
	json_set_part(&document, "host", host_part());
	json_set_part(&document, "interface", interface_part(report->nic));
	json_set_part(&document, "config", config_part(report));
	json_set_part(&document, "plan", plan_part(report));
	return document;
}
