/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The plan for people and for programs: who sends what from where, with which
 * settings, and how much memory that takes.
 */
#include <inttypes.h>
#include <string.h>

#include "json_parts.h"
#include "path.h"
#include "planning.h"
#include "text.h"

/* Add a note; `count` says how many there are and grows. */
#define NOTE(...) snprintf(notes[count++], PLAN_NOTE_BYTES, __VA_ARGS__)

/* How many queues of the plan have a property. */
struct plan_tally {
	size_t share_cpu, share_core, remote, serve_irq;
};

static struct plan_tally tally(const struct dxmit_plan *plan)
{
	struct plan_tally sum = { 0 };
	size_t i;

	for (i = 0; i < plan->queues; i++) {
		sum.share_cpu += plan->queue[i].shares_cpu;
		sum.share_core += plan->queue[i].shares_core;
		sum.remote += plan->queue[i].remote;
		sum.serve_irq += plan->queue[i].serves_irq;
	}
	return sum;
}

static const char *plural(size_t count, const char *one, const char *many)
{
	return count == 1 ? one : many;
}

size_t plan_notes(const struct report *report,
		  char notes[PLAN_MAX_NOTES][PLAN_NOTE_BYTES])
{
	const struct dxmit_plan *plan = report->plan;
	struct plan_tally sum = tally(plan);
	size_t count = 0;

	if (plan->fewer_cpus_than_queues)
		NOTE("fewer CPUs (%" PRIu32 ") than queues (%zu): CPUs are shared",
		     plan->cpus_used, plan->queues);
	else if (sum.share_cpu)
		NOTE("%zu queues share a CPU with another queue", sum.share_cpu);
	if (sum.share_core)
		NOTE("%zu %s a core with a sibling thread that sends too", sum.share_core,
		     plural(sum.share_core, "queue shares", "queues share"));
	if (plan->nic_node_unknown)
		NOTE("the NUMA node of %s is unknown: memory follows each queue's CPU; "
		     "name a node with --numa if you know it",
		     plan->interface_name);
	if (plan->node_without_cpus)
		NOTE("the wanted NUMA node has no CPU this process may use");
	if (sum.remote)
		NOTE("%zu %s CPU or memory off the NIC's node", sum.remote,
		     plural(sum.remote, "queue has its", "queues have their"));
	if (sum.serve_irq)
		NOTE("%zu %s a CPU that also serves interrupts of the NIC", sum.serve_irq,
		     plural(sum.serve_irq, "queue is on", "queues are each on"));
	return count;
}

static void interface_text(const struct dxmit_nic *nic, FILE *out)
{
	char speed[TEXT_NUMBER_BYTES] = "speed unknown";

	if (nic->speed_mbps)
		text_scaled((double)nic->speed_mbps * 1e6, "bit/s", speed);
	text_field(out, "interface", "%s, driver %s%s%s", nic->name,
		   nic->driver[0] ? nic->driver : "unknown", nic->bus[0] ? ", bus " : "",
		   nic->bus);
	text_field(out, "link", "%s, %s, %s, MTU %" PRIu32, nic->up ? "up" : "down",
		   nic->carrier ? "carrier" : "no carrier", speed, nic->mtu);
	text_field(
		out, "queues",
		"%" PRIu32 " active TX of %" PRIu32 ", %" PRIu32 " active RX of %" PRIu32,
		nic->tx_queues, nic->tx_queues_max, nic->rx_queues, nic->rx_queues_max);
	if (nic->node >= 0)
		text_field(out, "NUMA node", "%" PRId32, nic->node);
	else
		text_field(out, "NUMA node", "unknown, or the device has none");
}

/* A setting whose 0 means that the library chooses. */
static const char *chosen(uint32_t value, const char *how, char buf[TEXT_NUMBER_BYTES])
{
	if (value)
		snprintf(buf, TEXT_NUMBER_BYTES, "%" PRIu32, value);
	else
		snprintf(buf, TEXT_NUMBER_BYTES, "%s", how);
	return buf;
}

static void load_text(const struct report *report, FILE *out)
{
	const struct config *config = report->config;
	char rate[PACE_ASKED_BYTES];
	char count[TEXT_NUMBER_BYTES] = "any number of", until[64] = "until stopped";

	if (!report_asked_text(report, rate)[0])
		strcpy(rate, "as fast as possible");
	if (config->count_given)
		snprintf(count, sizeof(count), "%" PRIu64, config->count);
	if (config->duration_ns)
		snprintf(until, sizeof(until), "for %.3f s",
			 (double)config->duration_ns / 1e9);
	else if (config->count_given)
		strcpy(until, "no time limit");
	text_field(out, "load", "%s packets, %s, %s%s", count, rate, until,
		   config->stamp ? ", stamped" : "");
	text_field(out, "frame",
		   "%s%" PRIu32 " bytes with FCS (%" PRIu32
		   " in the descriptor), at most %" PRIu32 " a kick (batch)",
		   report->frame_shortest ? "up to " : "",
		   report->frame_length + DXMIT_FCS_BYTES, report->frame_length,
		   planning_batch(config, report->plan));
	if (config->frame_text)
		text_field(out, "content", "%s", config->frame_text);
}

/* As lib/src/umem.c decides it. */
static const char *pages_words(enum dxmit_huge huge, uint64_t umem_bytes)
{
	if (huge == DXMIT_HUGE_ON)
		return "2 MiB";
	if (huge == DXMIT_HUGE_AUTO && umem_bytes >= 2u << 20)
		return "2 MiB if reserved, else 4 KiB";
	return "4 KiB";
}

static void settings_text(const struct report *report, FILE *out)
{
	const struct config *config = report->config;
	const struct dxmit_plan_queue *queue = &report->plan->queue[0];
	char budget[TEXT_NUMBER_BYTES], sndbuf[TEXT_NUMBER_BYTES];
	char completion[TEXT_NUMBER_BYTES], umem[TEXT_NUMBER_BYTES];
	char resident[TEXT_NUMBER_BYTES], path[PATH_WORDS];
	uint32_t segments = planning_segments(config, queue);

	text_field(out, "mode", "%s, %s, kick %s", json_mode_name(config->mode),
		   path_words(report, path), json_kick_name(config->kick));
	text_field(out, "each queue",
		   "ring %" PRIu32 ", completion ring %s, %" PRIu32 " frames of %" PRIu32
		   " bytes, pages %s",
		   queue->ring_size,
		   chosen(config->completion_ring, "to cover the frames", completion),
		   queue->frames, queue->frame_room,
		   pages_words(config->huge, queue->umem_bytes));
	if (segments > 1)
		text_field(out, "",
			   "up to %" PRIu32 " chunks of %" PRIu32
			   " bytes a frame, each with a descriptor (multi-buffer)",
			   segments, queue->frame_size);
	text_field(out, "", "UMEM %s, %s resident with its rings",
		   text_bytes(queue->umem_bytes, umem),
		   text_bytes(queue->resident_bytes, resident));
	text_field(out, "limits", "budget %s; send buffer %s",
		   chosen(config->budget, "whole ring (32 before Linux 6.17)", budget),
		   chosen(config->sndbuf, "enough for the ring", sndbuf));
}

/* A NUMA node for a table cell: "-" is none. */
static const char *node_cell(int32_t node, char buf[12])
{
	if (node < 0)
		strcpy(buf, "-");
	else
		snprintf(buf, 12, "%" PRId32, node);
	return buf;
}

/* 35 columns before the reason, which may take 45. */
static void queues_text(const struct dxmit_plan *plan, FILE *out)
{
	size_t i;

	fprintf(out, "%5s %4s %4s %4s %4s %7s  %s\n", "queue", "CPU", "core", "node",
		"mem", "MiB", "why");
	for (i = 0; i < plan->queues; i++) {
		const struct dxmit_plan_queue *queue = &plan->queue[i];
		double mib = (double)queue->umem_bytes / (1 << 20);
		char node[12], memory[12];

		fprintf(out, "%5" PRIu32 " %4" PRIu32 " %4" PRIu32 " %4s %4s %7.*f  %s\n",
			queue->queue, queue->cpu, queue->core,
			node_cell(queue->cpu_node, node),
			node_cell(queue->memory_node, memory), mib < 1000 ? 2 : 1, mib,
			dxmit_plan_reason(queue->reason));
	}
}

/* "24>0" is interrupt 24 on CPU 0, "25>0+3" on CPU 0 and 3 more. */
static void irqs_text(const struct dxmit_nic *nic, FILE *out)
{
	char text[3072] = ""; /* DXMIT_MAX_IRQS of 12 bytes each */
	uint32_t i;

	for (i = 0; i < nic->irqs && i < DXMIT_MAX_IRQS; i++) {
		const struct dxmit_irq *irq = &nic->irq[i];
		char cpu[16] = "?", more[16] = "";
		size_t used = strlen(text);

		if (irq->cpu >= 0)
			snprintf(cpu, sizeof(cpu), "%" PRId32, irq->cpu);
		if (irq->cpus > 1)
			snprintf(more, sizeof(more), "+%" PRIu32, irq->cpus - 1);
		snprintf(text + used, sizeof(text) - used, " %" PRIu32 ">%s%s",
			 irq->number, cpu, more);
	}
	if (nic->irqs)
		text_field(out, "interrupts", "(number>CPU)%s", text);
	else
		text_field(out, "interrupts", "none known");
}

void plan_text(const struct report *report, FILE *out)
{
	const struct dxmit_plan *plan = report->plan;
	char notes[PLAN_MAX_NOTES][PLAN_NOTE_BYTES];
	char umem[TEXT_NUMBER_BYTES], resident[TEXT_NUMBER_BYTES];
	size_t i, count = plan_notes(report, notes);

	text_paragraph(out, "plan for dxmit %s",
		       strcmp(report->command, "plan") ? report->command : "tx");
	interface_text(report->nic, out);
	load_text(report, out);
	settings_text(report, out);
	queues_text(plan, out);
	text_field(out, "memory", "UMEM %s (%s resident with the rings) over %zu %s",
		   text_bytes(plan->umem_bytes, umem),
		   text_bytes(plan->resident_bytes, resident), plan->queues,
		   plural(plan->queues, "queue", "queues"));
	text_field(out, "CPUs", "%" PRIu32 " used of %" PRIu32 " allowed",
		   plan->cpus_used, plan->cpus_allowed);
	irqs_text(report->nic, out);
	for (i = 0; i < count; i++)
		text_field(out, "note", "%s", notes[i]);
	fflush(out);
}

int plan_json(const struct report *report, FILE *out)
{
	return json_write(json_document(report), out);
}
