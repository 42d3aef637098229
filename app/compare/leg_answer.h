/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a leg said about itself: the JSON document of a run or a yardstick, and the
 * line on standard error.
 */
#ifndef APP_LEG_ANSWER_H
#define APP_LEG_ANSWER_H

#include <stdbool.h>
#include <stdint.h>

#define LEG_NOTE 96 /* as in struct comparison_sample */

struct leg_answer {
	bool valid;                    /* there was a document */
	uint64_t packets;              /* sent, as it says */
	double seconds;                /* in which */
	uint64_t kicks, lost, invalid; /* COMPARISON_UNKNOWN */
	uint64_t user_ns, system_ns;   /* likewise */
	char mode[32], path[32];       /* "": not told */
	bool fault;                    /* it was not what was asked, and `note` says so */
	char note[LEG_NOTE];
};

/* Read the document. What is missing or no document is left unknown. */
void leg_answer_read(const char *json, struct leg_answer *out);

/* The reason in what went to standard error: the first error there, else the last
 * line, without "dxmit: ". Points into the text, which is cut; "" if there is
 * nothing. */
const char *leg_answer_reason(char *text);

#endif
