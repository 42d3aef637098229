/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Before the first leg of a comparison: the interface, the settings with a plan
 * for each, the witness, and what the results say about the machine.
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "compare.h"
#include "message.h"
#include "planning.h"
#include "sender.h"
#include "session.h"
#include "signals.h"
#include "yardstick.h"

#define LINK_POLL_NS 10000000ull
#define LINE_BYTES 512

int compare_out_of_memory(void)
{
	return fail(EXIT_RUNTIME, "compare", "out of memory; free some and try again");
}

bool compare_stopped(struct compare *c)
{
	if (!c->interrupted && signals_take(c->signal_fd))
		c->interrupted = true;
	/* signals.c gives a process 2 s to end; putting the interface back can take
	 * longer, and has deadlines of its own. */
	if (c->interrupted)
		alarm(0);
	return c->interrupted;
}

void compare_sleep(struct compare *c, uint64_t ns)
{
	struct timespec timeout = { .tv_sec = (time_t)(ns / 1000000000u),
				    .tv_nsec = (long)(ns % 1000000000u) };
	struct pollfd fd = { .fd = c->signal_fd, .events = POLLIN };

	if (!compare_stopped(c) && ns)
		ppoll(&fd, 1, &timeout, NULL);
	compare_stopped(c);
}

/* ---- interface ---- */

int compare_no_witness(const struct compare *c)
{
	return fail(EXIT_RUNTIME, "--witness",
		    "the command %s; it is to print the packets seen so far, a whole "
		    "number, try it by hand",
		    c->witness.command.fault ? c->witness.command.fault
					     : "could not be started");
}

/* Once before anything is sent, to see that it can be done. */
static int open_command(struct compare *c)
{
	struct witness_count now;
	int err;

	c->witness.command.text = c->config->compare.witness;
	if (!c->witness.command.text)
		return 0;
	err = witness_command_read(&c->witness.command, c->signal_fd, &now);
	return err == 0 || compare_stopped(c) ? 0 : compare_no_witness(c);
}

static int open_interface(struct compare *c)
{
	const char *name = c->config->interface;
	struct dxmit_error error = { 0 };
	int err;

	if (c->config->sandbox) {
		err = sandbox_open(c->config->sandbox_queues, &c->sandbox);
		if (err)
			return err;
		err = yardstick_prepare_sandbox(c->config, c->sandbox.ifindex);
		if (err)
			return err;
		name = SANDBOX_INTERFACE;
	}
	if (dxmit_nic_read(name, &c->nic, &error) < 0)
		return fail_library(&error);
	err = preflight_interface(c->config, &c->nic);
	if (err)
		return err;
	err = witness_open(&c->sandbox, &c->nic, &c->witness);
	return err ? fail(EXIT_RUNTIME, c->nic.name,
			  "its counters cannot be read: %s; check `ulimit -n`",
			  strerror(-err))
		   : open_command(c);
}

bool compare_wait_link(struct compare *c)
{
	uint64_t deadline_ns = clock_ns() + c->config->carrier_wait_ns;
	struct witness_count now = { 0 };

	for (;;) {
		if (compare_stopped(c) || witness_read(&c->witness, &now) < 0)
			return false;
		if (now.link)
			return true;
		if (clock_ns() >= deadline_ns)
			return false;
		compare_sleep(c, LINK_POLL_NS);
	}
}

static int check_link(struct compare *c)
{
	struct dxmit_nic now;

	if (compare_wait_link(c) || c->interrupted)
		return 0;
	if (dxmit_nic_read_index(c->nic.ifindex, &now, NULL) < 0)
		now = c->nic;
	return preflight_link_failed(&c->nic, now.up);
}

/* ---- settings ---- */

static size_t at_least_one(const struct number_list *list)
{
	return list->count ? list->count : 1;
}

static uint32_t value_of(const struct number_list *list, size_t i, uint32_t otherwise)
{
	return list->count ? list->value[i] : otherwise;
}

/* What the sweeps say, sizes outermost. */
static void fill_setting(const struct config *config, size_t number,
			 struct compare_setting *s)
{
	const struct compare_config *sweep = &config->compare;
	size_t rings = at_least_one(&sweep->rings);
	size_t batches = at_least_one(&sweep->batches);
	size_t queues = at_least_one(&sweep->queues);

	s->config = *config;
	s->ring = value_of(&sweep->rings, number % rings, 0);
	number /= rings;
	s->batch = value_of(&sweep->batches, number % batches, 0);
	number /= batches;
	s->queues = value_of(&sweep->queues, number % queues, 1);
	number /= queues;
	s->config.ring = s->ring;
	s->config.batch = s->batch;
	if (sweep->sizes.count) {
		s->size = (struct size_entry){ sweep->sizes.value[number], 1 };
		s->config.sizes = (struct size_mix){ &s->size, 1, false };
		s->config.wire_size = s->size.wire_size;
		s->config.frame.length = s->size.wire_size - DXMIT_FCS_BYTES;
		planning_chunk(&s->config);
	}
	s->wire_size = s->config.sizes.entries == 1 ? s->config.wire_size : 0;
}

/* Queues 0 up and, from the plan, their CPUs. */
static int plan_setting(const struct compare *c, struct compare_setting *s)
{
	struct dxmit_topology *topology = NULL;
	int code;
	size_t i;

	if (s->queues > c->nic.tx_queues)
		return fail(EXIT_USAGE, "--queues",
			    "%" PRIu32 " are more than the %" PRIu32
			    " active ones of %s; use at most that, or `ethtool -L`",
			    s->queues, c->nic.tx_queues, c->nic.name);
	s->queue = calloc(s->queues, sizeof(*s->queue));
	s->cpu = calloc(s->queues, sizeof(*s->cpu));
	if (!s->queue || !s->cpu)
		return compare_out_of_memory();
	for (i = 0; i < s->queues; i++)
		s->queue[i] = (uint32_t)i;
	s->config.queues = (struct number_list){ s->queue, s->queues };
	code = make_plan(&s->config, &c->nic, &topology, &s->plan);
	dxmit_topology_free(&topology);
	if (code)
		return code;
	for (i = 0; i < s->queues; i++)
		s->cpu[i] = s->plan->queue[i].cpu;
	s->config.cpus = (struct number_list){ s->cpu, s->queues };
	return cpu_watch_open(s->cpu, s->queues, &s->cpus) ? compare_out_of_memory() : 0;
}

static int make_settings(struct compare *c)
{
	const struct compare_config *sweep = &c->config->compare;
	int code = 0;
	size_t i;

	c->settings = at_least_one(&sweep->sizes) * at_least_one(&sweep->queues) *
		      at_least_one(&sweep->batches) * at_least_one(&sweep->rings);
	c->setting = calloc(c->settings, sizeof(*c->setting));
	if (!c->setting)
		return compare_out_of_memory();
	for (i = 0; i < c->settings && !code; i++) {
		fill_setting(c->config, i, &c->setting[i]);
		code = plan_setting(c, &c->setting[i]);
	}
	return code;
}

/* ---- results ---- */

static int make_cells(struct compare *c)
{
	struct comparison *r = &c->result;
	size_t i;

	r->cells = c->settings * c->legs.count;
	r->cell = calloc(r->cells, sizeof(*r->cell));
	if (!r->cell)
		return compare_out_of_memory();
	for (i = 0; i < r->cells; i++) {
		const struct compare_setting *s = &c->setting[i / c->legs.count];
		struct comparison_cell *cell = &r->cell[i];

		cell->leg = strdup(c->legs.leg[i % c->legs.count].name);
		cell->wire_size = s->wire_size;
		cell->queues = s->queues;
		cell->batch = s->batch;
		cell->ring = s->ring;
		if (!cell->leg)
			return compare_out_of_memory();
	}
	return 0;
}

/* "model name : …" of the first CPU; other architectures have other lines. */
static char *read_machine(const char *otherwise)
{
	FILE *file = fopen("/proc/cpuinfo", "re");
	char line[LINE_BYTES], *found = NULL;

	while (file && !found && fgets(line, sizeof(line), file)) {
		char *value = strchr(line, ':');

		if (value && strncmp(line, "model name", strlen("model name")) == 0) {
			value += 1 + strspn(value + 1, " ");
			value[strcspn(value, "\n")] = '\0';
			found = strdup(value);
		}
	}
	if (file)
		fclose(file);
	return found ? found : strdup(otherwise);
}

/* Of the setting with the most queues: the others use its first ones. */
static char *placement_text(const struct compare *c)
{
	const struct compare_setting *widest = &c->setting[0];
	char *text = NULL;
	size_t length = 0, i;
	FILE *out;

	for (i = 1; i < c->settings; i++)
		if (c->setting[i].queues > widest->queues)
			widest = &c->setting[i];
	out = open_memstream(&text, &length);
	if (!out)
		return NULL;
	for (i = 0; i < widest->plan->queues; i++) {
		const struct dxmit_plan_queue *q = &widest->plan->queue[i];

		fprintf(out, "%squeue %" PRIu32 " on CPU %" PRIu32, i ? "; " : "",
			q->queue, q->cpu);
		if (q->cpu_node >= 0)
			fprintf(out, ", node %" PRIi32, q->cpu_node);
	}
	if (fclose(out) == 0)
		return text;
	free(text);
	return NULL;
}

uint64_t compare_unix_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* The words of this process, as they were given. */
static char *command_line(void)
{
	char text[4096];
	FILE *file = fopen("/proc/self/cmdline", "re");
	size_t n = file ? fread(text, 1, sizeof(text) - 1, file) : 0, i;

	if (file)
		fclose(file);
	while (n > 0 && text[n - 1] == '\0')
		n--;
	for (i = 0; i < n; i++)
		if (text[i] == '\0')
			text[i] = ' ';
	text[n] = '\0';
	return strdup(text);
}

static int describe(struct compare *c)
{
	const struct compare_config *asked = &c->config->compare;
	struct comparison *r = &c->result;
	struct utsname names = { 0 };
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	(void)uname(&names);
	r->kernel = strdup(names.release);
	r->machine = read_machine(names.machine);
	r->hostname = strdup(names.nodename);
	r->cpus = cpus > 0 ? (uint32_t)cpus : 0;
	r->interface = strdup(c->nic.name);
	r->driver = strdup(c->nic.driver);
	r->placement = placement_text(c);
	r->command_line = command_line();
	r->version = strdup(DXMIT_VERSION_STRING);
	r->start_unix_ns = compare_unix_ns();
	r->window_seconds = (double)asked->window_ns / 1e9;
	r->warm_up_seconds = (double)asked->warm_up_ns / 1e9;
	r->cool_down_seconds = (double)asked->cool_down_ns / 1e9;
	r->seed = asked->seed_given ? asked->seed : r->start_unix_ns % 1000000000u;
	r->until = (double)asked->until_ppm / 1e6;
	return r->kernel && r->machine && r->hostname && r->interface && r->driver &&
			       r->placement && r->command_line && r->version
		       ? 0
		       : compare_out_of_memory();
}

int compare_open(struct compare *c)
{
	int code = legs_parse(c->config->compare.legs, &c->legs);

	if (!code)
		code = open_interface(c);
	if (!code)
		code = make_settings(c);
	if (!code)
		code = make_cells(c);
	if (!code)
		code = describe(c);
	if (!code)
		code = check_link(c);
	if (!code)
		restore_record(&c->nic, &c->before);
	return code;
}

void compare_close(struct compare *c)
{
	size_t i;

	for (i = 0; i < c->settings && c->setting; i++) {
		cpu_watch_close(&c->setting[i].cpus);
		dxmit_plan_free(&c->setting[i].plan);
		free(c->setting[i].queue);
		free(c->setting[i].cpu);
	}
	free(c->setting);
	legs_free(&c->legs);
	restore_close(&c->before);
	leg_strangers_free(&c->strangers);
	witness_close(&c->witness);
	comparison_free(&c->result);
	sandbox_close(&c->sandbox);
}
