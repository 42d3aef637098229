/* SPDX-License-Identifier: BSD-2-Clause */
/* What a replay adds to the report. Nothing, or null, where frames were made. */
#ifndef APP_REPLAY_REPORT_H
#define APP_REPLAY_REPORT_H

#include <stdio.h>

struct json_maker;
struct report;

void replay_report_text(const struct report *report, FILE *out);
/* Sets the member `replay`. */
void replay_report_json(const struct report *report, struct json_maker *document);

#endif
