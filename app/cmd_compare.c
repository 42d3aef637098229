/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `dxmit compare`: the order of a comparison. Outputs and signals first, then the
 * interface and a plan for each setting, then the rounds, and the results of
 * whatever was measured.
 *
 * This process keeps its privileges to the end: each leg is a child that needs them
 * to open its sockets and gives them up then, and what a leg leaves behind is to be
 * undone. It sends nothing itself and has one thread.
 */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "compare.h"
#include "compare_outputs.h"
#include "leg_child.h"
#include "message.h"
#include "signals.h"

#define ALL_CPUS 8192
#define OUTPUT_LIMIT_S 60 /* after a stop: gnuplot takes a while */

/* Out of the way, with a command that is the witness, if there is a CPU that no leg
 * uses. */
static void leave_cpus(struct compare *c)
{
	size_t bytes = CPU_ALLOC_SIZE(ALL_CPUS), i, j;
	cpu_set_t *set = CPU_ALLOC(ALL_CPUS);

	if (!set || sched_getaffinity(0, bytes, set) < 0)
		goto out;
	for (i = 0; i < c->settings; i++)
		for (j = 0; j < c->setting[i].cpus.cpus; j++)
			CPU_CLR_S(c->setting[i].cpus.cpu[j], bytes, set);
	c->witness.command.shares_cpus = CPU_COUNT_S(bytes, set) == 0;
	if (!c->witness.command.shares_cpus)
		(void)sched_setaffinity(0, bytes, set);
out:
	CPU_FREE(set);
}

static bool has_foreign(const struct compare *c)
{
	size_t i;

	for (i = 0; i < c->legs.count; i++)
		if (c->legs.leg[i].kind == LEG_EXEC)
			return true;
	return false;
}

/* Each leg was looked after; this is for the last time. */
static int put_back(const struct compare *c)
{
	char what[RESTORE_TEXT];

	return restore_apply(&c->before, has_foreign(c), what)
		       ? 0
		       : fail(EXIT_RUNTIME, c->nic.name, "%s", what);
}

static int measure(struct compare *c)
{
	int code, restored;

	leave_cpus(c);
	if (leg_child_adopt(&c->strangers))
		return fail(EXIT_RUNTIME, "compare",
			    "out of memory; free some and try again");
	code = compare_rounds(c);
	if (!c->interrupted && c->config->compare.profile && compare_wait_link(c))
		compare_profile(c);
	restored = put_back(c);
	return code ? code : restored;
}

static int run(struct compare *c, struct compare_outputs *outputs)
{
	int code = compare_outputs_open(c->config, outputs), written;

	if (code)
		return code;
	c->signal_fd = signals_open();
	if (c->signal_fd < 0)
		return fail(EXIT_RUNTIME, "signals",
			    "cannot be taken: %s; check "
			    "`ulimit -n`",
			    strerror(-c->signal_fd));
	code = compare_open(c);
	if (code || c->interrupted)
		return code;
	code = measure(c);
	c->result.exit_code = code;
	if (c->interrupted)
		alarm(OUTPUT_LIMIT_S);
	written = compare_outputs_write(&c->result, outputs);
	return code ? code : written;
}

int cmd_compare(const struct config *config)
{
	struct compare c = { .config = config,
			     .signal_fd = -1,
			     .before = { .program_fd = -1 } };
	struct compare_outputs outputs;
	int code = run(&c, &outputs);

	compare_outputs_close(&outputs);
	compare_close(&c);
	return code;
}
