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

#endif
