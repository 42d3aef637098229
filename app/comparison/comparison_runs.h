/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two comparisons held against each other: the same legs under the same settings,
 * measured on different days, kernels or machines.
 */
#ifndef APP_COMPARISON_RUNS_H
#define APP_COMPARISON_RUNS_H

#include "comparison_sheets.h"

struct comparison_run {
	const char *name; /* of its file */
	const struct comparison *comparison;
};

/* A row per leg and setting that both have: `run` against `base`, whose rounds
 * cannot be paired. sheet_free() is due. */
void comparison_runs_sheet(const struct comparison_run *base,
			   const struct comparison_run *run, struct sheet *sheet);
/* Conditions that differ, and cells that only one of both has. */
void comparison_runs_remarks(const struct comparison_run *base,
			     const struct comparison_run *run,
			     const struct speaker *speaker);

/* What the tables do not say; and where there is none. */
extern const char comparison_runs_legend[], comparison_runs_nothing[];

/* Writers of runs [1] … against run [0]; HTML returns 0 or -errno. */
void comparison_runs_text(const struct comparison_run *run, size_t runs, FILE *out);
void comparison_runs_markdown(const struct comparison_run *run, size_t runs, FILE *out);
int comparison_runs_html(const struct comparison_run *run, size_t runs, FILE *out);

#endif
