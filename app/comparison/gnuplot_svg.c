/* SPDX-License-Identifier: BSD-2-Clause */
/* What gnuplot reads and writes, made fit for a page: quoted texts, pictures. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "gnuplot.h"
#include "utf8.h"

/* A line's end would end the string, and what follows be a command: of a shell, if it
 * begins with an exclamation mark. utf8_clean() leaves none. */
void gnuplot_put_text(FILE *script, const char *text, size_t columns)
{
	char *clean = utf8_clean(text);
	const char *shown = clean ? clean : "?";
	size_t length = utf8_fitting(shown, columns), i;
	bool cut = shown[length] != '\0';

	if (cut)
		length = utf8_fitting(shown, columns - 1);
	fputc('\'', script);
	for (i = 0; i < length; i++)
		fprintf(script, shown[i] == '\'' ? "'%c" : "%c", shown[i]);
	fputs(cut ? "…'" : "'", script);
	free(clean);
}

/* What is found inside a tag, with what stands in its place. */
struct rule {
	const char *found, *instead;
	bool prefix; /* and the prefix of ids after it */
};

static const struct rule rules[] = {
	{ " id='", " id='", true },
	{ " id=\"", " id=\"", true },
	{ "href='#", "href='#", true },
	{ "href=\"#", "href=\"#", true },
	{ "url(#", "url(#", true },
	{ "'black'", "'currentColor'", false },
	{ "\"black\"", "\"currentColor\"", false },
};

/* The rule that fits at `at`, or NULL. */
static const struct rule *rule_at(const char *at)
{
	size_t i;

	for (i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		if (strncmp(at, rules[i].found, strlen(rules[i].found)) == 0)
			return &rules[i];
	return NULL;
}

/* Its <title> would be shown wherever the pointer rests. */
static const char *skip_title(const char *at)
{
	static const char begin[] = "<title>", end[] = "</title>";
	const char *after;

	if (strncmp(at, begin, strlen(begin)) != 0)
		return at;
	after = strstr(at, end);
	return after ? after + strlen(end) : at;
}

void gnuplot_put_svg(const char *svg, const char *prefix, FILE *out)
{
	static const char last[] = "</svg>";
	const char *at = strstr(svg, "<svg"), *end = strstr(svg, last);
	bool tag = false; /* texts hold no '<', tags no '>' */

	for (end += strlen(last); at < end; at++) {
		const struct rule *rule;

		at = skip_title(at);
		tag = *at == '<' || (tag && *at != '>');
		rule = tag ? rule_at(at) : NULL;
		if (!rule) {
			fputc(*at, out);
			continue;
		}
		fprintf(out, "%s%s", rule->instead, rule->prefix ? prefix : "");
		at += strlen(rule->found) - 1;
	}
}
