/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The settings of a leg, "batch=64:budget=32": options of `dxmit tx` that have an
 * effect on it, read as on the command line into the configuration it runs with.
 */
#include <stdio.h>
#include <string.h>

#include "leg.h"
#include "message.h"
#include "options.h"

#define OBJECT "--legs"
#define SHOWN_LEN 64
#define SETTING_LEN 64 /* of one OPTION=VALUE */

#define BIT(id) OPTION_BIT(id)
#define RING_SETTINGS                                                             \
	(BIT(OPT_BATCH) | BIT(OPT_RING) | BIT(OPT_FRAMES) | BIT(OPT_FRAME_SIZE) | \
	 BIT(OPT_COMPLETION_RING) | BIT(OPT_HUGE) | BIT(OPT_KICK))
#define COPY_SETTINGS (RING_SETTINGS | BIT(OPT_BUDGET) | BIT(OPT_SNDBUF))

/* What has an effect on a leg. */
static option_set settings_of(enum leg_kind kind)
{
	switch (kind) {
	case LEG_COPY:
		return COPY_SETTINGS;
	case LEG_DIRECT:
	case LEG_DIRECT_VALIDATE:
		return COPY_SETTINGS | BIT(OPT_DIRECT_BATCH);
	case LEG_ZEROCOPY:
		return RING_SETTINGS;
	case LEG_AF_PACKET:
	case LEG_AF_PACKET_BYPASS:
	case LEG_UDP:
	case LEG_UDP_GSO:
		return BIT(OPT_BATCH) | BIT(OPT_SNDBUF);
	case LEG_AF_PACKET_RING:
		return BIT(OPT_BATCH) | BIT(OPT_RING) | BIT(OPT_SNDBUF);
	default:
		return 0;
	}
}

static const struct option_row *setting_row(option_set legal, const char *name)
{
	size_t i;

	for (i = 0; i < OPTIONS; i++)
		if (option_in(legal, (enum option_id)i) &&
		    strcmp(option_table[i].name, name) == 0)
			return &option_table[i];
	return NULL;
}

static void name_settings(option_set legal, char *buf, size_t len)
{
	size_t i, at = 0;

	snprintf(buf, len, "none");
	for (i = 0; i < OPTIONS && at < len; i++)
		if (option_in(legal, (enum option_id)i))
			at += (size_t)snprintf(buf + at, len - at, "%s%s", at ? ", " : "",
					       option_table[i].name);
}

static int fail_setting(const struct leg *leg, const char *setting)
{
	char shown[SHOWN_LEN], names[160];

	parse_printable(shown, sizeof(shown), setting);
	name_settings(settings_of(leg->kind), names, sizeof(names));
	return fail(EXIT_USAGE, OBJECT,
		    "'%s' is no setting of leg %s; it takes OPTION=VALUE of: %s", shown,
		    leg_kind_name(leg->kind), names);
}

/* The first of "a=1:b=2" into `buf`; returns what follows, NULL: nothing. */
static const char *next_setting(const char *settings, char buf[SETTING_LEN], bool *fits)
{
	size_t length = strcspn(settings, ":");

	*fits = length < SETTING_LEN;
	snprintf(buf, SETTING_LEN, "%.*s", (int)length, settings);
	return settings[length] ? settings + length + 1 : NULL;
}

/* Store one setting; `given` is the set of those of this leg so far. */
static int apply_setting(const struct leg *leg, char *setting, struct config *config,
			 option_set *given)
{
	char legal[OPTION_LEGAL_LEN], *value = strchr(setting, '=');
	const struct option_row *row;
	struct parse_reason reason;

	if (!value)
		return fail_setting(leg, setting);
	*value++ = '\0';
	row = setting_row(settings_of(leg->kind), setting);
	if (!row)
		return fail_setting(leg, setting);
	if (option_in(*given, (enum option_id)(row - option_table)))
		return fail(EXIT_USAGE, OBJECT,
			    "'%s' stands twice in leg %s; leave one "
			    "of them out",
			    row->name, leg->name);
	if (!option_store(row, value, config, &reason)) {
		option_legal(row, legal);
		return fail(EXIT_USAGE, OBJECT, "%s of leg %s: %s; use %s", row->name,
			    leg->name, reason.text, legal);
	}
	option_mark_given(row, config, given);
	return 0;
}

static int apply_settings(const struct leg *leg, struct config *config)
{
	const char *rest = leg->settings;
	char setting[SETTING_LEN];
	option_set given = 0;
	int code = 0;

	while (rest && !code) {
		bool fits;

		rest = next_setting(rest, setting, &fits);
		code = fits ? apply_setting(leg, setting, config, &given)
			    : fail_setting(leg, setting);
	}
	config->frame_size_given |= option_in(given, OPT_FRAME_SIZE);
	return code;
}

int leg_check_settings(const struct leg *leg)
{
	struct config scratch = { 0 };
	int code = apply_settings(leg, &scratch);

	config_free(&scratch);
	return code;
}

void leg_configure(const struct leg *leg, struct config *config)
{
	(void)apply_settings(leg, config);
	switch (leg->kind) {
	case LEG_DIRECT_VALIDATE:
		config->direct_validate = true;
		/* fall through */
	case LEG_DIRECT:
		config->direct = DXMIT_DIRECT_REQUIRE;
		break;
	case LEG_ZEROCOPY:
		config->mode = DXMIT_MODE_ZEROCOPY;
		break;
	default:
		/* Not "auto": the name must say what it is. */
		config->direct = DXMIT_DIRECT_OFF;
		break;
	}
}
