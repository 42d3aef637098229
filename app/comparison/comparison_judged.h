/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The judgement of a comparison as parts of its JSON document: for other programs;
 * dxmit itself judges anew. Internal to the JSON writer.
 */
#ifndef APP_COMPARISON_JUDGED_H
#define APP_COMPARISON_JUDGED_H

#include "judgement.h"
#include "json_parts.h"

/* Medians of a cell; all null where it has no sample. */
struct json_maker comparison_summary_part(const struct judgement_cell *cell);
struct json_maker comparison_pairs_part(const struct comparison *c,
					const struct judgement *j);
struct json_maker comparison_curves_part(const struct comparison *c,
					 const struct judgement *j);

#endif
