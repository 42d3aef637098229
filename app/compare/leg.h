/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Legs: the ways to send that `dxmit compare` knows, as named on its command line,
 * and what each runs in its child process.
 */
#ifndef APP_LEG_H
#define APP_LEG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config.h"

enum leg_kind {
	LEG_COPY,
	LEG_DIRECT,
	LEG_DIRECT_VALIDATE,
	LEG_ZEROCOPY,
	LEG_AF_PACKET,        /* sendmmsg() */
	LEG_AF_PACKET_BYPASS, /* the same with PACKET_QDISC_BYPASS */
	LEG_AF_PACKET_RING,   /* PACKET_TX_RING, version 2 */
	LEG_UDP,              /* sendmmsg() */
	LEG_UDP_GSO,          /* UDP_SEGMENT */
	LEG_PKTGEN,           /* clone_skb 0, burst 1 */
	LEG_PKTGEN_CLONE,
	LEG_PKTGEN_QUEUE, /* xmit_mode queue_xmit */
	LEG_PKTGEN_RX,    /* xmit_mode netif_receive */
	LEG_EXEC,
	LEG_KINDS
};

/* One leg as asked for: "copy", "copy:batch=64:budget=32", "exec:COMMAND",
 * "NAME=exec:COMMAND". Settings are long options of `dxmit tx`. */
struct leg {
	enum leg_kind kind;
	char *name;     /* what results call it */
	char *settings; /* "batch=64:budget=32"; NULL: none */
	char *command;  /* of LEG_EXEC, else NULL */
};

#define LEGS_DEFAULT                                                                  \
	"copy,direct,zerocopy,af_packet,af_packet-bypass,af_packet-ring,udp,udp-gso," \
	"pktgen"

struct legs {
	struct leg *leg;
	size_t count;
};

/*
 * Read LEG[,LEG…], LEG being [NAME=]KIND[:OPTION=VALUE…] or [NAME=]exec:COMMAND.
 * Commas within quotes do not divide, and the quotes stay, for the shell. A leg
 * without a name is called as it was written; a command by its first word. Returns
 * 0, or an exit code after the one line on stderr; legs_free() is due in both cases.
 */
int legs_parse(const char *text, struct legs *out);
void legs_free(struct legs *legs);

/* "copy" …, as on the command line. */
const char *leg_kind_name(enum leg_kind kind);
/* Sent by `dxmit tx`, and not by a yardstick or a foreign program. */
bool leg_is_xdp(enum leg_kind kind);
bool leg_is_pktgen(enum leg_kind kind);

/* Whether its settings are legal. Returns 0, or EXIT_USAGE after the one line. */
int leg_check_settings(const struct leg *leg);

/*
 * Put the leg's settings into *config, over what stands there. They were checked by
 * legs_parse(). Nothing in *config is then owned that was not before.
 */
void leg_configure(const struct leg *leg, struct config *config);

/* The command with %i, %q, %c, %s and %% replaced; to be freed; NULL: no memory. */
char *leg_expand(const char *command, const char *interface, uint32_t queue, uint32_t cpu,
		 uint32_t wire_size);

#endif
