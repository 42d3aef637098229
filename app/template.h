/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The template of the frames: what --frame says, or else the fixed options of an
 * Ethernet/IPv4/UDP frame. Both become layers, so that everyone after this has
 * the bytes of a template and the map of its layers and checksums.
 */
#ifndef APP_TEMPLATE_H
#define APP_TEMPLATE_H

#include <stdint.h>

#include <dxmit/packet.h>
#include "config.h"
#include "expression.h"
#include "farend.h"

/*
 * Read a frame expression, its file included. Returns EXIT_DONE and an expression
 * for expression_free(), or an exit code after the one line on stderr, with
 * `object` (as "--frame") in front of it.
 */
int template_read(const char *object, const char *text, struct expression **out);

/* A template and everything that is known of it. */
struct template
{
	const uint8_t *frame; /* the buffer given to template_build() */
	struct dxmit_packet_map map;
	struct dxmit_stamp_place stamp; /* if config->stamp */
};

/*
 * Build the template of `length` bytes without FCS (0: the shortest the layers
 * and a stamp need) into buf. `expression` NULL: the fixed options. source_mac is
 * the interface's, for frames that name none. Returns EXIT_DONE, or an exit code
 * after the one line.
 */
int template_build(const struct config *config, const struct expression *expression,
		   const uint8_t source_mac[6], uint32_t length, void *buf, size_t room,
		   struct template *out);

/* Bytes of a stamp as config->stamp_format says. */
uint32_t template_stamp_bytes(const struct config *config);

/*
 * How the far end knows these frames: by ethertypes, protocols, addresses, ports
 * and the like of all layers, but for what modifiers change.
 */
void template_match(const struct template *template, const struct expression *expression,
		    struct farend_match *match);

/* Whether config->frame_text, if there is one, is an expression; if no size was
 * given, config->wire_size becomes the one that its layers need. Returns EXIT_DONE
 * or an exit code. */
int template_check(struct config *config, bool size_given);

#endif
