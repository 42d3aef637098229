/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The bash completion: a script that needs no helper functions and completes
 * commands, options, interfaces, files and words of choice.
 */
#include <string.h>

#include "docgen.h"
#include "options.h"

/* "--flag=" splits into three words, as = is one of COMP_WORDBREAKS. */
static const char head[] =
	"# bash completion for dxmit, generated from its option table\n"
	"\n"
	"_dxmit_interfaces()\n"
	"{\n"
	"\tlocal path\n"
	"\tfor path in /sys/class/net/*; do\n"
	"\t\t[[ -d $path ]] && printf '%s\\n' \"${path##*/}\"\n"
	"\tdone\n"
	"}\n"
	"\n"
	"_dxmit()\n"
	"{\n"
	"\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
	"\tlocal options= words=\n"
	"\tlocal IFS=$' \\t\\n'\n"
	"\n"
	"\tCOMPREPLY=()\n"
	"\tif [[ $cur == '=' ]]; then\n"
	"\t\tcur=\n"
	"\telif [[ $prev == '=' ]] && ((COMP_CWORD >= 2)); then\n"
	"\t\tprev=${COMP_WORDS[COMP_CWORD-2]}\n"
	"\tfi\n";

static const char tail[] = "}\n"
			   "\n"
			   "complete -F _dxmit dxmit\n";

/* What the options of the command given as first word are. */
static void put_options(FILE *out)
{
	size_t i, j;

	fputs("\n\tif ((COMP_CWORD == 1)); then\n\t\toptions='", out);
	for (i = 0; i < COMMANDS; i++)
		fprintf(out, "%s ", commands[i].name);
	fputs("--help --version'\n", out);
	fprintf(out, "%s",
		"\t\tCOMPREPLY=($(compgen -W \"$options\" -- \"$cur\"))\n"
		"\t\treturn\n\tfi\n\n\tcase ${COMP_WORDS[1]} in\n");
	for (i = 0; i < COMMANDS; i++) {
		fprintf(out, "\t%s)\n\t\toptions='", commands[i].name);
		for (j = 0; j < OPTIONS; j++) {
			const struct option_row *row = &option_table[j];

			if (!(row->commands & commands[i].mask))
				continue;
			if (row->letter)
				fprintf(out, "-%c ", row->letter);
			fprintf(out, "--%s ", row->name);
		}
		fputs("' ;;\n", out);
	}
	fputs("\tesac\n", out);
}

/* The shell command that lists candidates for the option's value. */
static void put_candidates(const struct option_row *row, FILE *out)
{
	const struct option_choice *choice;

	switch (row->type) {
	case VALUE_INTERFACE:
		fputs("\t\twords=$(_dxmit_interfaces) ;;\n", out);
		return;
	case VALUE_FILE:
	case VALUE_TOPOLOGY:
		fputs("\t\tcompopt -o filenames 2>/dev/null\n"
		      "\t\tIFS=$'\\n'\n"
		      "\t\tCOMPREPLY=($(compgen -f -- \"$cur\"))\n"
		      "\t\treturn ;;\n",
		      out);
		return;
	default:
		break;
	}
	fputs("\t\twords='", out);
	for (choice = row->choices; choice && choice->word; choice++)
		fprintf(out, "%s ", choice->word);
	if (!row->choices && row->fallback)
		fputs(row->fallback, out);
	fputs("' ;;\n", out);
}

static bool shares_name(const struct option_row *row)
{
	size_t i;

	for (i = 0; i < OPTIONS; i++)
		if (&option_table[i] != row &&
		    strcmp(option_table[i].name, row->name) == 0)
			return true;
	return false;
}

static void put_pattern(const char *command, const struct option_row *row,
			const char *joint, FILE *out)
{
	fprintf(out, "%s%s\\ --%s", joint, command, row->name);
	if (row->letter)
		fprintf(out, "|%s\\ -%c", command, row->letter);
}

/* Command and option, the former only where it matters. */
static void put_patterns(const struct option_row *row, FILE *out)
{
	const char *joint = "\t";
	size_t i;

	if (!shares_name(row)) {
		put_pattern("*", row, joint, out);
		return;
	}
	for (i = 0; i < COMMANDS; i++)
		if (row->commands & commands[i].mask) {
			put_pattern(commands[i].name, row, joint, out);
			joint = "|";
		}
}

static void put_values(FILE *out)
{
	size_t i;

	fputs("\n\tcase \"${COMP_WORDS[1]} $prev\" in\n", out);
	for (i = 0; i < OPTIONS; i++) {
		const struct option_row *row = &option_table[i];

		fprintf(out, "\t# --%s: %s\n", row->name, row->help);
		/* An optional value is never the next word. */
		if (!row->argument || row->type == VALUE_SANDBOX)
			continue;
		put_patterns(row, out);
		fputs(")\n", out);
		put_candidates(row, out);
	}
	fputs("\t*)\n"
	      "\t\tif [[ ${COMP_WORDS[1]} == report && $cur != -* ]]; then\n"
	      "\t\t\tcompopt -o filenames 2>/dev/null\n"
	      "\t\t\tIFS=$'\\n'\n"
	      "\t\t\tCOMPREPLY=($(compgen -f -- \"$cur\"))\n"
	      "\t\t\treturn\n"
	      "\t\tfi\n"
	      "\t\tCOMPREPLY=($(compgen -W \"$options\" -- \"$cur\"))\n"
	      "\t\treturn ;;\n\tesac\n"
	      "\tCOMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n",
	      out);
}

void docgen_bash(FILE *out)
{
	fputs(head, out);
	put_options(out);
	put_values(out);
	fputs(tail, out);
}
