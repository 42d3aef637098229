/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls every request of /dev/dxmit with plausible, wrong and absurd arguments,
 * while a second thread sends through, closes, reopens and shares the sockets
 * that are being attached and detached.
 *
 *	fuzz INTERFACE QUEUES CALLS SEED
 *
 * Checks that no answer is outside of what kmod/dxmit_ioctl.h says, that a reason
 * comes with an error only, that counters are possible, that every completion
 * belongs to a frame in flight and that none is missing at the end. Prints what
 * was wrong, at most 20 lines, and then one line KEY=VALUE …
 * Exit: 0, 1 when something was wrong, 2 usage.
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <linux/capability.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "dxmit_ioctl.h"
#include "filled_queue.h"
#include "fuzz_arguments.h"
#include "fuzz_sender.h"

#define IDS 4096u /* attachments whose owner is remembered */

static uint8_t owner[IDS];
static bool privileged = true;
static uint64_t attached, refused, detached;

/* The errno, 0 for success; among those allowed, and EFAULT where it must be. */
static int request(int device, unsigned long command, void *user, enum where where,
		   const int *allowed)
{
	int err = ioctl(device, command, user) ? errno : 0;
	const int *one;

	if (where == BAD && err != EFAULT)
		complain("request %#lx answers %d for a bad address", command, err);
	if (err == EFAULT && where == GOOD)
		complain("request %#lx answers EFAULT for a good address", command);
	if (err == 0 || err == EFAULT)
		return err;
	for (one = allowed; *one; one++)
		if (*one == err)
			return err;
	complain("request %#lx answers %d", command, err);
	return err;
}

/* ---- the requests ---------------------------------------------------------- */

static const int manage_errors[] = { EINVAL, EBADF, ENOTSOCK, ENOENT, EPERM, 0 };

static struct dxmit_ioc_stats stats_of(int device, int fd, int *err)
{
	struct dxmit_ioc_stats stats = { .fd = fd };

	*err = ioctl(device, DXMIT_IOC_STATS, &stats) ? errno : 0;
	return stats;
}

static void check_attach(const struct dxmit_ioc_attach *asked,
			 const struct dxmit_ioc_attach *answer, int device, int err)
{
	bool reason = err != 0 && err != EINVAL && err != EBADF && err != ENOMEM;
	bool legal = asked->flags <= DXMIT_ATTACH_FLAGS &&
		     asked->batch <= DXMIT_BATCH_MAX &&
		     asked->budget <= DXMIT_BUDGET_MAX && !asked->reserved[0] &&
		     !asked->reserved[1];

	if (legal == (err == EINVAL))
		complain("ATTACH answers %d, flags %u batch %u budget %u", err,
			 asked->flags, asked->batch, asked->budget);
	if (reason != (answer->refusal != 0) || answer->refusal > DXMIT_REFUSED_PRIVILEGE)
		complain("ATTACH answers %d with reason %u", err, answer->refusal);
	if ((err == 0) != (answer->id != 0))
		complain("ATTACH answers %d with id %llu", err, answer->id);
	refused += err != 0;
	if (err)
		return;
	attached++;
	if (!privileged)
		complain("ATTACH without privilege");
	if (answer->id <= last_id)
		complain("id %llu after %" PRIu64, answer->id, last_id);
	last_id = answer->id;
	owner[last_id % IDS] = (uint8_t)device;
}

static void fuzz_attach(int device)
{
	static const int allowed[] = { EINVAL, EBADF,    ENOTSOCK,   EPROTOTYPE,
				       EPERM,  ENXIO,    EOPNOTSUPP, EBUSY,
				       ERANGE, EALREADY, ENOMEM,     0 };
	struct dxmit_ioc_attach asked = {
		.fd = pick_fd(),
		.flags = one_in(8) ? around(DXMIT_ATTACH_FLAGS) : below(2),
		.batch = around(DXMIT_BATCH_MAX),
		.budget = around(DXMIT_BUDGET_MAX),
		.shadow_every = around(4),
		.refusal = (uint32_t)next(&caller_state), /* only an answer */
		.id = next(&caller_state),
		.reserved = { one_in(16), one_in(16) },
	};
	struct dxmit_ioc_stats stats;
	enum where where;
	void *user = place(&asked, sizeof(asked), &where);
	int err = request(devices[device], DXMIT_IOC_ATTACH, user, where, allowed);

	if (where == GOOD)
		check_attach(&asked, user, device, err);
	if (where != READ_ONLY || err != EFAULT)
		return;
	/* It was attached; who cannot be told of his attachment has none. */
	stats = stats_of(devices[device], asked.fd, &err);
	if (stats.active)
		complain("attached, though the answer was EFAULT");
	/* Ids go on from one program to the next: ask for it. */
	last_id = !err && stats.id > last_id ? stats.id : last_id + 1;
	owner[last_id % IDS] = (uint8_t)device;
}

static void fuzz_detach(int device)
{
	struct dxmit_ioc_which which = {
		.fd = one_in(4) ? -1 : pick_fd(),
		.flags = one_in(16) ? around(1) : 0,
		.id = pick_id(),
		.reserved = { one_in(16), one_in(16) },
	};
	bool legal = !which.flags && !which.reserved[0] && !which.reserved[1];
	enum where where;
	void *user = place(&which, sizeof(which), &where);
	int err = request(devices[device], DXMIT_IOC_DETACH, user, where, manage_errors);

	if (where != BAD && legal == (err == EINVAL))
		complain("DETACH answers %d, flags %u", err, which.flags);
	if (!err && !privileged && which.fd < 0 && owner[which.id % IDS] != device)
		complain("DETACH without privilege");
	detached += err == 0;
}

/* What STATS may say of a sender of frames of one length. */
static void check_stats(const struct dxmit_ioc_stats *stats, int fd, int device)
{
	uint64_t frames = stats->packets + stats->dropped_driver + stats->kept +
			  stats->dropped_validate + stats->dropped_close +
			  stats->dropped_link;

	if (stats->fd != fd || stats->flags || stats->reserved[0] || stats->reserved[3])
		complain("STATS changed fd, flags or reserved");
	if (!stats->id || stats->id > last_id || stats->active > 1 ||
	    stats->kept > DXMIT_BATCH_MAX || stats->queue >= slot_count)
		complain("STATS: id %llu active %u kept %u queue %u", stats->id,
			 stats->active, stats->kept, stats->queue);
	if (stats->bytes != stats->packets * LENGTH || stats->invalid ||
	    stats->shadow_mismatches || stats->dropped_validate)
		complain("STATS: packets %llu bytes %llu invalid %llu mismatches %llu",
			 stats->packets, stats->bytes, stats->invalid,
			 stats->shadow_mismatches);
	if (stats->validations_skipped + stats->shadow_checks > frames)
		complain("STATS: %llu skipped, %llu checked, of %" PRIu64,
			 stats->validations_skipped, stats->shadow_checks, frames);
	if (!privileged && owner[stats->id % IDS] != device)
		complain("STATS without privilege");
}

static void fuzz_stats(int device)
{
	struct dxmit_ioc_stats asked = {
		.fd = one_in(4) ? -1 : pick_fd(),
		.flags = one_in(16) ? around(1) : 0,
		.id = pick_id(),
		.active = around(1), /* from here on only an answer, but reserved */
		.packets = next(&caller_state),
		.assertions = next(&caller_state),
	};
	enum where where;
	bool legal;
	void *user;
	int err;

	asked.reserved[below(4)] = one_in(16);
	legal = !asked.flags && !asked.reserved[0] && !asked.reserved[1] &&
		!asked.reserved[2] && !asked.reserved[3];
	user = place(&asked, sizeof(asked), &where);
	err = request(devices[device], DXMIT_IOC_STATS, user, where, manage_errors);
	if (where == GOOD && legal == (err == EINVAL))
		complain("STATS answers %d, flags %u", err, asked.flags);
	if (where == GOOD && !err)
		check_stats(user, asked.fd, device);
}

/* The ids are a second address. */
static void fuzz_list(int device)
{
	static const int allowed[] = { EINVAL, ENOMEM, 0 };
	static uint64_t ids[SLOTS * 4];
	struct dxmit_ioc_list asked = {
		.count = one_in(2) ? SLOTS * 4 : around(SLOTS),
		.flags = one_in(16) ? around(1) : 0,
		.reserved = { one_in(16), one_in(16) },
	};
	bool legal = !asked.flags && !asked.reserved[0] && !asked.reserved[1];
	enum where where, where_ids;
	const struct dxmit_ioc_list *answer;
	uint32_t i;
	int err;

	memset(ids, 0, sizeof(ids));
	asked.ids = (uintptr_t)place(ids, 0, &where_ids);
	if (where_ids == GOOD)
		asked.ids = (uintptr_t)ids;
	answer = place(&asked, sizeof(asked), &where);
	err = request(devices[device], DXMIT_IOC_LIST, (void *)(uintptr_t)answer,
		      where == GOOD && where_ids != GOOD ? READ_ONLY : where, allowed);
	if (where != GOOD)
		return;
	if (legal == (err == EINVAL) || (!err && answer->count > slot_count + DUPS))
		complain("LIST answers %d, count %u", err, answer->count);
	if (err || where_ids != GOOD)
		return;
	for (i = 0; i < SLOTS * 4; i++)
		if ((ids[i] != 0) != (i < answer->count && i < asked.count) ||
		    ids[i] > last_id)
			complain("LIST: id %" PRIu64 " at %u of %u", ids[i], i,
				 answer->count);
	if (!privileged && answer->count)
		complain("LIST without privilege");
}

static void fuzz_info(int device)
{
	static const int allowed[] = { 0 };
	struct dxmit_ioc_info nothing = { 0 };
	enum where where;
	const struct dxmit_ioc_info *info = place(&nothing, sizeof(nothing), &where);
	int err = request(devices[device], DXMIT_IOC_INFO, (void *)(uintptr_t)info, where,
			  allowed);

	if (where == GOOD && !err &&
	    (info->abi_version != DXMIT_ABI_VERSION ||
	     info->batch_max != DXMIT_BATCH_MAX || !info->version[0] ||
	     info->version[sizeof(info->version) - 1]))
		complain("INFO: version %u, batch_max %u", info->abi_version,
			 info->batch_max);
}

/* A number, a size or a direction that no request has. */
static void fuzz_unknown(int device)
{
	static const uint32_t known[] = { DXMIT_IOC_INFO, DXMIT_IOC_ATTACH,
					  DXMIT_IOC_DETACH, DXMIT_IOC_STATS,
					  DXMIT_IOC_LIST };
	uint32_t command = known[below(5)];
	uint32_t i;

	if (one_in(2))
		command ^= 1u << (16 + below(16)); /* size and direction */
	else
		command = (uint32_t)_IOC(below(4), DXMIT_IOC_MAGIC, below(256),
					 below(1u << 14));
	for (i = 0; i < 5; i++)
		if (command == known[i])
			return;
	memset(writable, 0, PAGE);
	if (ioctl(devices[device], command, one_in(4) ? NULL : writable) == 0 ||
	    errno != ENOTTY)
		complain("request %#x answers %d", command, errno);
}

/* ---- what else a program does ----------------------------------------------- */

/* A second thread in the transmit path, and second names for a socket. */
static void poke(void)
{
	struct pollfd entry = { .fd = get_fd(&slots[below(slot_count)].fd),
				.events = POLLOUT };
	int *copy = &dups[below(DUPS)];

	if (one_in(64)) {
		close(*copy);
		*copy = one_in(4) ? dup(entry.fd) : -1;
	} else if (one_in(2)) {
		sendto(entry.fd, NULL, 0, MSG_DONTWAIT, NULL, 0);
	} else {
		poll(&entry, 1, 0);
	}
}

/* Of this thread alone. */
static void change_privilege(void)
{
	struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct data[2];

	if (syscall(SYS_capget, &header, data))
		return;
	privileged = !privileged || !one_in(4);
	data[0].effective = data[0].permitted;
	if (!privileged)
		data[0].effective &= ~(1u << CAP_NET_ADMIN);
	if (syscall(SYS_capset, &header, data))
		complain("capset: %s", strerror(errno));
}

static void one_call(void)
{
	int device = (int)below(2);

	switch (below(12)) {
	case 0:
		fuzz_unknown(device);
		break;
	case 1:
		fuzz_info(device);
		break;
	case 2:
		fuzz_list(device);
		break;
	case 3:
	case 4:
		fuzz_stats(device);
		break;
	case 5:
	case 6:
		fuzz_detach(device);
		break;
	case 7:
		poke();
		break;
	default:
		fuzz_attach(device);
	}
}

/* Nothing attached, nothing missing, nothing open that holds the module. */
static uint64_t finish(void)
{
	struct dxmit_ioc_list list = { 0 };
	uint64_t lost = 0;
	unsigned int i;

	for (i = 0; i < DUPS; i++)
		close(dups[i]);
	for (i = 0; i < slot_count; i++) {
		lost += settle(&slots[i]);
		slot_close(&slots[i]);
	}
	if (ioctl(devices[0], DXMIT_IOC_LIST, &list) || list.count)
		complain("%u attachments are left", list.count);
	close(devices[0]);
	close(devices[1]);
	return lost;
}

int main(int argc, char **argv)
{
	uint64_t calls, left, lost;
	pthread_t thread;

	if (argc != 5) {
		fprintf(stderr, "usage: fuzz INTERFACE QUEUES CALLS SEED\n");
		return 2;
	}
	ifindex = (int)if_nametoindex(argv[1]);
	slot_count = (unsigned int)strtoul(argv[2], NULL, 10);
	calls = strtoull(argv[3], NULL, 10);
	caller_state = strtoull(argv[4], NULL, 10) * 2 + 1;
	if (slot_count < 1 || slot_count > SLOTS || !arguments_start() ||
	    pthread_create(&thread, NULL, sender, &caller_state)) {
		fprintf(stderr, "fuzz: cannot start\n");
		return 1;
	}
	for (left = calls; left; left--) {
		if (one_in(64))
			change_privilege();
		one_call();
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	while (!privileged)
		change_privilege();
	lost = finish();
	printf("wrong=%" PRIu64 " false=%" PRIu64 " lost=%" PRIu64 " calls=%" PRIu64
	       " attached=%" PRIu64 " refused=%" PRIu64 " detached=%" PRIu64
	       " submitted=%" PRIu64 " completed=%" PRIu64 " opened=%" PRIu64
	       " shared=%" PRIu64 " stalls=%" PRIu64 "\n",
	       wrong, false_completions, lost, calls, attached, refused, detached,
	       submitted, completed, opened, shared, stalls);
	return wrong || false_completions || lost ? 1 : 0;
}
