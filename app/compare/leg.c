/* SPDX-License-Identifier: BSD-2-Clause */
/* The legs' part of the command line: from the text of --legs to a list. Pure. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "leg.h"
#include "message.h"
#include "nearest.h"
#include "parse.h"

#define OBJECT "--legs"
#define SHOWN_LEN 64

static const char *const kind_name[LEG_KINDS] = {
	[LEG_COPY] = "copy",
	[LEG_DIRECT] = "direct",
	[LEG_DIRECT_VALIDATE] = "direct-validate",
	[LEG_ZEROCOPY] = "zerocopy",
	[LEG_AF_PACKET] = "af_packet",
	[LEG_AF_PACKET_BYPASS] = "af_packet-bypass",
	[LEG_AF_PACKET_RING] = "af_packet-ring",
	[LEG_UDP] = "udp",
	[LEG_UDP_GSO] = "udp-gso",
	[LEG_PKTGEN] = "pktgen",
	[LEG_PKTGEN_CLONE] = "pktgen-clone",
	[LEG_PKTGEN_QUEUE] = "pktgen-queue",
	[LEG_PKTGEN_RX] = "pktgen-rx",
	[LEG_EXEC] = "exec",
};

const char *leg_kind_name(enum leg_kind kind)
{
	return kind_name[kind];
}

bool leg_is_xdp(enum leg_kind kind)
{
	return kind <= LEG_ZEROCOPY;
}

bool leg_is_pktgen(enum leg_kind kind)
{
	return kind >= LEG_PKTGEN && kind <= LEG_PKTGEN_RX;
}

static int out_of_memory(void)
{
	return fail(EXIT_RUNTIME, OBJECT, "out of memory; free some and try again");
}

/* ---- dividing ---- */

/* Length of the first item of a list: up to a comma that no quotes hide. Quotes
 * that are not closed hide all that follows. */
static size_t item_length(const char *text)
{
	char quote = '\0';
	size_t i;

	for (i = 0; text[i] && (quote || text[i] != ','); i++) {
		if (quote)
			quote = text[i] == quote ? '\0' : quote;
		else if (text[i] == '\'' || text[i] == '"')
			quote = text[i];
	}
	return i;
}

/* ---- one leg ---- */

static int fail_kind(const char *typed)
{
	const char *near = NULL;
	char shown[SHOWN_LEN];
	size_t i;

	parse_printable(shown, sizeof(shown), typed);
	for (i = 0; i < LEG_KINDS && !near; i++)
		if (nearest_matches(typed, kind_name[i]))
			near = kind_name[i];
	if (near)
		return fail(EXIT_USAGE, OBJECT,
			    "there is no leg '%s'; perhaps %s is "
			    "meant, see 'dxmit compare --help'",
			    shown, near);
	return fail(EXIT_USAGE, OBJECT,
		    "there is no leg '%s'; see 'dxmit compare --help'", shown);
}

static int read_kind(const char *text, struct leg *leg)
{
	size_t length = strcspn(text, ":"), i;
	char typed[SHOWN_LEN];

	for (i = 0; i < LEG_KINDS; i++)
		if (strncmp(kind_name[i], text, length) == 0 && !kind_name[i][length]) {
			leg->kind = (enum leg_kind)i;
			return 0;
		}
	snprintf(typed, sizeof(typed), "%.*s", (int)length, text);
	return fail_kind(typed);
}

/* The first word of a command, without its directory. */
static char *first_word(const char *command)
{
	const char *begin = command + strspn(command, " \t"), *at;
	size_t length = strcspn(begin, " \t;|&");

	for (at = begin; at < begin + length; at++)
		if (*at == '/' && at + 1 < begin + length)
			begin = at + 1;
	return strndup(begin,
		       length - (size_t)(begin - (command + strspn(command, " \t"))));
}

static int read_exec(const char *text, struct leg *leg)
{
	const char *command = text + strlen(kind_name[LEG_EXEC]);

	if (*command == ':')
		command++;
	if (command[strspn(command, " \t")] == '\0')
		return fail(EXIT_USAGE, OBJECT,
			    "leg exec has no command; write exec:COMMAND");
	leg->command = strdup(command);
	if (!leg->name)
		leg->name = first_word(command);
	return leg->command && leg->name ? 0 : out_of_memory();
}

static int read_built_in(const char *text, struct leg *leg)
{
	const char *settings = strchr(text, ':');

	if (!leg->name)
		leg->name = strdup(text);
	if (settings)
		leg->settings = strdup(settings + 1);
	if (!leg->name || (settings && !leg->settings))
		return out_of_memory();
	return leg_check_settings(leg);
}

/* A name stands before the first "=" if that comes before any ":". */
static int read_name(char **text, struct leg *leg)
{
	size_t length = strcspn(*text, "=:'\"");

	if ((*text)[length] != '=')
		return 0;
	if (length == 0)
		return fail(EXIT_USAGE, OBJECT,
			    "a name before = is empty; write NAME=KIND");
	leg->name = strndup(*text, length);
	*text += length + 1;
	return leg->name ? 0 : out_of_memory();
}

static int read_leg(char *text, struct leg *leg)
{
	int code = read_name(&text, leg);

	if (!code)
		code = read_kind(text, leg);
	if (code)
		return code;
	return leg->kind == LEG_EXEC ? read_exec(text, leg) : read_built_in(text, leg);
}

/* Results are told apart by name. */
static int check_name(const struct legs *legs)
{
	const char *name = legs->leg[legs->count - 1].name;
	char shown[SHOWN_LEN];
	size_t i;

	parse_printable(shown, sizeof(shown), name);
	for (i = 0; i + 1 < legs->count; i++)
		if (strcmp(legs->leg[i].name, name) == 0)
			return fail(EXIT_USAGE, OBJECT,
				    "two legs are called '%s'; give "
				    "one another name with NAME=",
				    shown);
	return 0;
}

static int add_leg(const char *text, size_t length, struct legs *legs)
{
	struct leg *grown = reallocarray(legs->leg, legs->count + 1, sizeof(*grown));
	char *item = strndup(text, length);
	int code;

	if (grown)
		legs->leg = grown;
	if (!grown || !item) {
		free(item);
		return out_of_memory();
	}
	memset(&grown[legs->count], 0, sizeof(*grown));
	code = read_leg(item, &grown[legs->count++]);
	free(item);
	return code ? code : check_name(legs);
}

int legs_parse(const char *text, struct legs *out)
{
	size_t length;
	int code;

	memset(out, 0, sizeof(*out));
	do {
		length = item_length(text);
		if (length == 0)
			return fail(EXIT_USAGE, OBJECT,
				    "an item is empty; write LEG or LEG,LEG");
		code = add_leg(text, length, out);
		text += length;
	} while (!code && *text++ == ',');
	return code;
}

void legs_free(struct legs *legs)
{
	size_t i;

	for (i = 0; i < legs->count; i++) {
		free(legs->leg[i].name);
		free(legs->leg[i].settings);
		free(legs->leg[i].command);
	}
	free(legs->leg);
	memset(legs, 0, sizeof(*legs));
}

/* ---- commands ---- */

char *leg_expand(const char *command, const char *interface, uint32_t queue, uint32_t cpu,
		 uint32_t wire_size)
{
	char *text = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&text, &length);

	if (!out)
		return NULL;
	for (; *command; command++) {
		if (command[0] != '%' || !command[1] || !strchr("iqcs%", command[1])) {
			putc(*command, out);
			continue;
		}
		switch (*++command) {
		case 'i':
			fputs(interface, out);
			break;
		case '%':
			putc('%', out);
			break;
		default:
			fprintf(out, "%u",
				*command == 'q'   ? queue
				: *command == 'c' ? cpu
						  : wire_size);
			break;
		}
	}
	if (fclose(out) == 0)
		return text;
	free(text);
	return NULL;
}
