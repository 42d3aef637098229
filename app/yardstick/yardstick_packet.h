/* SPDX-License-Identifier: BSD-2-Clause */
/* Packet sockets of the yardsticks: what those with and without a ring share. */
#ifndef APP_YARDSTICK_PACKET_H
#define APP_YARDSTICK_PACKET_H

#include "yardstick_parts.h"

/* t->fd, with the send buffer asked for. Returns EXIT_DONE or an exit code. */
int yardstick_packet_socket(struct yardstick_thread *t);
/* To the interface, receiving nothing. As above. */
int yardstick_packet_bind(struct yardstick_thread *t);
/* The exit code after the one line: `what` was answered with an errno. */
int yardstick_packet_refused(const char *interface, const char *what, int error);

#endif
