/* SPDX-License-Identifier: BSD-2-Clause */
/* The probe's facts as text and JSON, each limit with what would lift it. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "dxmit_ioctl.h"
#include "json_parts.h"
#include "path.h"
#include "probe.h"
#include "streams.h"
#include "text.h"

static void privileges_text(const struct probe *probe, FILE *out)
{
	char have[160] = "";
	unsigned int i;

	for (i = 0; i < PRIVILEGES_COUNT; i++) {
		if (!(probe->privileges.effective & 1u << i))
			continue;
		strcat(have, have[0] ? ", " : "");
		strcat(have, privilege_name((enum privilege)i));
	}
	text_field(out, "privileges", "%s%s", have[0] ? have : "none",
		   probe->privileges.initial_user_namespace
			   ? ""
			   : " (in a user namespace of our own)");
}

static bool module_is_loaded(const struct probe *probe)
{
	return probe->module_error != ENOENT && probe->module_error != ENXIO &&
	       probe->module_error != ENODEV;
}

/* Where something is missing to use it: REASON; REMEDY. "" where nothing is. */
static const char *module_reason(const struct probe *probe, char buf[PATH_REASON])
{
	buf[0] = '\0';
	if (probe->module_error)
		dxmit_direct_text(probe->module_error, 0, buf, PATH_REASON);
	else if (!(probe->privileges.effective & 1u << PRIVILEGE_NET_ADMIN))
		dxmit_direct_text(EPERM, DXMIT_REFUSED_PRIVILEGE, buf, PATH_REASON);
	return buf;
}

static void module_text(const struct probe *probe, FILE *out)
{
	char reason[PATH_REASON];

	module_reason(probe, reason);
	if (!module_is_loaded(probe))
		text_field(out, "module",
			   "not loaded, so the kernel's own path is used; `modprobe "
			   "dxmit` gives the direct one (see kmod/README.md)");
	else if (probe->module_error)
		text_field(out, "module", "there, but of no use: %s", reason);
	else
		text_field(out, "module",
			   "loaded, version %s, %" PRIu32 " frames per lock%s%s",
			   probe->module.version, probe->module.batch_default,
			   reason[0] ? "; of no use yet: " : "", reason);
}

static void kernel_text(const struct probe *probe, FILE *out)
{
	text_field(out, "kernel", "Linux %s", probe->kernel);
	if (probe->socket_error)
		text_field(out, "AF_XDP", "no: %s; run as root, or grant CAP_NET_RAW",
			   strerror(probe->socket_error));
	else
		text_field(out, "AF_XDP", "yes");
	text_field(
		out, "budget",
		probe->budget_settable
			? "settable: one sendto moves the whole ring"
			: "32 frames, fixed before Linux 6.17: poll moves several at once");
	text_field(out, "multi-buffer",
		   probe->multi_buffer ? "yes" : "no, needs Linux 6.6");
	module_text(probe, out);
}

static void limits_text(const struct probe *probe, FILE *out)
{
	char need[TEXT_NUMBER_BYTES], limit[TEXT_NUMBER_BYTES];

	text_bytes(probe->memlock_needed, need);
	if (probe->memlock_exempt || probe->memlock_limit == UINT64_MAX)
		text_field(out, "locked mem", "no limit; a queue needs %s", need);
	else
		text_field(out, "locked mem",
			   "%s allowed, a queue needs %s: room for %" PRIu64
			   " queues; `ulimit -l` raises it",
			   text_bytes(probe->memlock_limit, limit), need,
			   probe->memlock_limit / probe->memlock_needed);
	text_bytes(probe->sndbuf_needed, need);
	if (probe->privileges.effective & 1u << PRIVILEGE_NET_ADMIN &&
	    probe->privileges.initial_user_namespace)
		text_field(out, "send buffer", "can be forced to the %s a ring may need",
			   need);
	else
		text_field(
			out, "send buffer", "%s allowed, a ring may need %s%s",
			text_bytes(probe->sndbuf_max, limit), need,
			probe->sndbuf_max >= probe->sndbuf_needed
				? ""
				: "; `sysctl net.core.wmem_max` raises it (veth, lo, tap and "
				  "ifb never reach it)");
	text_field(out, "huge pages", "%" PRIu64 " of 2 MiB free%s",
		   probe->huge_pages_free,
		   probe->huge_pages_free ? ""
					  : "; `sysctl vm.nr_hugepages=N` reserves some");
}

static const char *zerocopy_words(enum dxmit_zerocopy zerocopy)
{
	switch (zerocopy) {
	case DXMIT_ZEROCOPY_YES:
		return "yes";
	case DXMIT_ZEROCOPY_NO:
		return "no: copy mode only";
	default:
		return "unknown: this kernel does not say; try -z";
	}
}

static void interface_text(const struct probe *probe, FILE *out)
{
	const struct dxmit_nic *nic = &probe->nic;

	text_field(out, "interface", "%s, driver %s, MTU %" PRIu32 ", %s", nic->name,
		   nic->driver[0] ? nic->driver : "unnamed", nic->mtu,
		   !nic->up       ? "down"
		   : nic->carrier ? "link up"
				  : "no carrier");
	text_field(out, "queues",
		   "%" PRIu32 " TX (max %" PRIu32 "), %" PRIu32 " RX (max %" PRIu32 ")",
		   nic->tx_queues, nic->tx_queues_max, nic->rx_queues,
		   nic->rx_queues_max);
	if (nic->node >= 0)
		text_field(out, "NUMA node", "%" PRId32, nic->node);
	else
		text_field(out, "NUMA node", "unknown");
	text_field(out, "zero-copy", "%s", zerocopy_words(nic->zerocopy));
	if (probe->default_route)
		text_field(out, "route",
			   "carries a default route: tx refuses it without "
			   "--force");
}

void probe_text(const struct probe *probe, FILE *out)
{
	fputs("probe\n", out);
	interface_text(probe, out);
	kernel_text(probe, out);
	privileges_text(probe, out);
	limits_text(probe, out);
	fflush(out);
}

static struct json_maker json_limits(const struct probe *probe)
{
	struct json_maker o = json_make_object();

	json_set_u64(&o, "memlock_needed_bytes", probe->memlock_needed);
	if (probe->memlock_exempt || probe->memlock_limit == UINT64_MAX)
		json_set_null(&o, "memlock_limit_bytes");
	else
		json_set_u64(&o, "memlock_limit_bytes", probe->memlock_limit);
	json_set_u64(&o, "sndbuf_max_bytes", probe->sndbuf_max);
	json_set_u64(&o, "sndbuf_needed_bytes", probe->sndbuf_needed);
	json_set_u64(&o, "huge_pages_free", probe->huge_pages_free);
	return o;
}

static struct json_maker json_privileges(const struct probe *probe)
{
	struct json_maker o = json_make_object();
	unsigned int i;

	for (i = 0; i < PRIVILEGES_COUNT; i++)
		json_set_bool(&o, privilege_name((enum privilege)i),
			      probe->privileges.effective & 1u << i);
	json_set_bool(&o, "initial_user_namespace",
		      probe->privileges.initial_user_namespace);
	return o;
}

int probe_json(const struct probe *probe, const struct config *config, FILE *out)
{
	const struct dxmit_plan no_plan = { .nic_node = probe->nic.node };
	const struct report report = { .command = "probe",
				       .config = config,
				       .nic = &probe->nic,
				       .plan = &no_plan,
				       .frame_length =
					       config->wire_size - DXMIT_FCS_BYTES,
				       .frame_shortest = streams_shortest(config) };
	struct json_maker document = json_document(&report);
	struct json_maker o = json_make_object();
	char reason[PATH_REASON];

	json_set_bool(&o, "af_xdp", probe->socket_error == 0);
	json_set_bool(&o, "budget_settable", probe->budget_settable);
	json_set_bool(&o, "multi_buffer", probe->multi_buffer);
	json_set_bool(&o, "module", module_is_loaded(probe));
	json_set_text(&o, "module_version",
		      probe->module_error ? NULL : probe->module.version);
	json_set_text(&o, "module_reason",
		      module_reason(probe, reason)[0] ? reason : NULL);
	json_set_bool(&o, "default_route", probe->default_route);
	json_set_part(&o, "limits", json_limits(probe));
	json_set_part(&o, "privileges", json_privileges(probe));
	json_set_part(&document, "probe", o);
	return json_write(document, out);
}
