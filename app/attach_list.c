/* SPDX-License-Identifier: BSD-2-Clause */
/* `dxmit attach --list`: the sockets on the direct path, as text and JSON. */
#include <errno.h>
#include <inttypes.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attach.h"
#include "attach_list.h"
#include "json_parts.h"
#include "message.h"
#include "output_file.h"
#include "text.h"

static uint64_t dropped(const struct dxmit_ioc_stats *s)
{
	return s->dropped_driver + s->dropped_link + s->dropped_validate +
	       s->dropped_close;
}

static void list_text(const struct dxmit_ioc_stats *list, size_t count, FILE *out)
{
	char name[IF_NAMESIZE], packets[TEXT_NUMBER_BYTES], kept[TEXT_NUMBER_BYTES];
	char invalid[TEXT_NUMBER_BYTES], lost[TEXT_NUMBER_BYTES];
	size_t i;

	if (!count) {
		text_paragraph(out, "no socket is on the direct path");
		return;
	}
	fprintf(out, "%6s %7s %-10s %5s %8s %8s %8s %8s %6s\n", "id", "ifindex",
		"name here", "queue", "packets", "kept", "invalid", "dropped", "active");
	for (i = 0; i < count; i++) {
		const struct dxmit_ioc_stats *s = &list[i];

		if (!if_indextoname((unsigned int)s->ifindex, name))
			strcpy(name, "-");
		fprintf(out,
			"%6" PRIu64 " %7" PRId32 " %-10s %5" PRIu32
			" %8s %8s %8s %8s %6s\n",
			(uint64_t)s->id, s->ifindex, name, s->queue,
			text_count(s->packets, packets), text_count(s->kept, kept),
			text_count(s->invalid, invalid), text_count(dropped(s), lost),
			s->active ? "yes" : "no");
	}
}

static struct json_maker socket_part(const struct dxmit_ioc_stats *s)
{
	struct json_maker part = json_make_object();

	json_set_u64(&part, "id", s->id);
	json_set_i64(&part, "ifindex", s->ifindex);
	json_set_u64(&part, "queue", s->queue);
	json_set_bool(&part, "active", s->active);
	json_set_u64(&part, "kicks", s->kicks);
	json_set_u64(&part, "packets", s->packets);
	json_set_u64(&part, "bytes", s->bytes);
	json_set_u64(&part, "kept", s->kept);
	json_set_u64(&part, "kept_total", s->kept_total);
	json_set_u64(&part, "invalid", s->invalid);
	json_set_u64(&part, "dropped", dropped(s));
	json_set_u64(&part, "shadow_checks", s->shadow_checks);
	json_set_u64(&part, "shadow_mismatches", s->shadow_mismatches);
	json_set_u64(&part, "assertions", s->assertions);
	return part;
}

static int list_json(const struct dxmit_ioc_stats *list, size_t count, FILE *out)
{
	struct json_maker document = json_make_object();
	struct json_maker sockets = json_make_array();
	size_t i;

	for (i = 0; i < count; i++)
		json_append_part(&sockets, socket_part(&list[i]));
	json_set_text(&document, "schema", REPORT_SCHEMA);
	json_set_i64(&document, "version", REPORT_VERSION);
	json_set_text(&document, "command", "attach");
	json_set_part(&document, "sockets", sockets);
	return json_write(document, out);
}

static int print(const struct config *config, const struct dxmit_ioc_stats *list,
		 size_t count)
{
	FILE *out;
	int code;

	if (!output_is_stdout(config->json))
		list_text(list, count, stdout);
	if (!config->json)
		return EXIT_DONE;
	code = output_open(config->json, &out);
	return code ? code : output_close(config->json, out, list_json(list, count, out));
}

int attach_list(const struct config *config)
{
	struct dxmit_ioc_stats *list = NULL;
	char reason[ATTACH_REASON];
	size_t count;
	int device = attach_device();
	int code, err;

	if (device < 0)
		return EXIT_RUNTIME;
	err = attach_read_all(device, &list, &count);
	close(device);
	if (err) {
		dxmit_direct_text(-err, err == -EPERM ? DXMIT_REFUSED_PRIVILEGE : 0,
				  reason, sizeof(reason));
		code = fail(EXIT_RUNTIME, DXMIT_DEVICE, "%s", reason);
	} else {
		code = print(config, list, count);
	}
	free(list);
	return code;
}
