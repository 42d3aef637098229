/* SPDX-License-Identifier: BSD-2-Clause */
/* What gnuplot reads and writes, made fit for a page: quoted texts, pictures. */
#include <stdbool.h>
#include <string.h>

#include "gnuplot.h"
#include "utf8.h"

void gnuplot_put_text(FILE *script, const char *text, size_t columns)
{
	size_t length = utf8_fitting(text, columns), i;
	bool cut = text[length] != '\0';

	if (cut)
		length = utf8_fitting(text, columns - 1);
	fputc('\'', script);
	for (i = 0; i < length; i++)
		fprintf(script, text[i] == '\'' ? "'%c" : "%c", text[i]);
	fputs(cut ? "…'" : "'", script);
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
