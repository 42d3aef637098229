/* SPDX-License-Identifier: BSD-2-Clause */
/* The manual page in man(7): prose from a file, options from the table. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "docgen.h"
#include "expression.h"
#include "options.h"

/* The day the prose was last changed; a build's own date would make two builds
 * of the same sources differ. */
#define MAN_DATE "2026-12-01"

/* Text for roff: a backslash is printable, a minus stays a minus that can be
 * copied, and no line begins with a control character. */
static void put_text(const char *text, FILE *out)
{
	if (*text == '.' || *text == '\'')
		fputs("\\&", out);
	for (; *text; text++) {
		if (*text == '\\')
			fputs("\\e", out);
		else if (*text == '-')
			fputs("\\-", out);
		else
			putc(*text, out);
	}
}

static void put_flag(const struct option_row *row, FILE *out)
{
	fputs("\\fB\\-\\-", out);
	put_text(row->name, out);
	fputs("\\fR", out);
}

/* A list of the commands that take the option. */
static void put_commands_of(const struct option_row *row, FILE *out)
{
	const char *joint = "";
	size_t i;

	for (i = 0; i < COMMANDS; i++)
		if (row->commands & commands[i].mask) {
			fprintf(out, "%s\\fB%s\\fR", joint, commands[i].name);
			joint = ", ";
		}
}

static void put_option(const struct option_row *row, FILE *out)
{
	const char *fallback = row->fallback ? row->fallback : row->otherwise;
	char legal[OPTION_LEGAL_LEN];

	fputs(".TP\n", out);
	if (row->letter)
		fprintf(out, "\\fB\\-%c\\fR, ", row->letter);
	put_flag(row, out);
	if (row->argument)
		fprintf(out, row->type == VALUE_SANDBOX ? "[=\\fI%s\\fR]" : "=\\fI%s\\fR",
			row->argument);
	putc('\n', out);
	put_text(row->help, out);
	putc('\n', out);
	option_legal(row, legal);
	if (row->argument) {
		fputs("Value (", out);
		put_text(row->unit, out);
		fputs("): ", out);
		put_text(legal, out);
		fputs(".\n", out);
	}
	if (fallback) {
		fputs("Default: ", out);
		put_text(fallback, out);
		fputs(".\n", out);
	}
	fputs("Taken by ", out);
	put_commands_of(row, out);
	fputs(".\n", out);
}

static void put_header(FILE *out)
{
	fprintf(out, ".TH DXMIT 1 \"%s\" \"dxmit %s\" \"User Commands\"\n", MAN_DATE,
		DXMIT_VERSION_STRING);
}

static void put_commands(FILE *out)
{
	size_t i, j;

	for (i = 0; i < COMMANDS; i++) {
		const char *joint = "Options: ";

		fprintf(out, ".SS dxmit %s\n", commands[i].name);
		putc(toupper((unsigned char)commands[i].summary[0]), out);
		put_text(commands[i].summary + 1, out);
		fputs(".\n.PP\n", out);
		for (j = 0; j < OPTIONS; j++)
			if (option_table[j].commands & commands[i].mask) {
				fputs(joint, out);
				put_flag(&option_table[j], out);
				joint = ",\n";
			}
		fputs(".\n", out);
	}
}

static void put_options(FILE *out)
{
	int group = -1;
	size_t i;

	for (i = 0; i < OPTIONS; i++) {
		const struct option_row *row = &option_table[i];

		if ((int)row->group != group) {
			group = (int)row->group;
			fprintf(out, ".SS %s\n", option_group_titles[group]);
		}
		put_option(row, out);
	}
}

/* As `--frame help` prints it. */
static void put_frame(FILE *out)
{
	char *text = NULL, *line, *rest;
	size_t length = 0;
	FILE *in = open_memstream(&text, &length);

	if (!in)
		return;
	expression_help(in);
	if (fclose(in) != 0)
		return;
	fputs(".nf\n", out);
	rest = text;
	while ((line = strsep(&rest, "\n")) && rest) {
		put_text(line, out);
		putc('\n', out);
	}
	fputs(".fi\n", out);
	free(text);
}

bool docgen_man(FILE *prose, FILE *out)
{
	static const struct {
		const char *line;
		void (*put)(FILE *out);
	} parts[] = {
		{ "@HEADER@\n", put_header },
		{ "@COMMANDS@\n", put_commands },
		{ "@OPTIONS@\n", put_options },
		{ "@FRAME@\n", put_frame },
	};
	const unsigned all = (1u << (sizeof(parts) / sizeof(parts[0]))) - 1;
	unsigned found = 0;
	char *line = NULL;
	size_t room = 0, i;

	while (getline(&line, &room, prose) >= 0) {
		for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
			if (strcmp(line, parts[i].line) == 0)
				break;
		if (i == sizeof(parts) / sizeof(parts[0])) {
			fputs(line, out);
			continue;
		}
		parts[i].put(out);
		found |= 1u << i;
	}
	free(line);
	return found == all;
}
