/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the files of the yardsticks share; for no one else. A way is one of the
 * socket kinds: yardstick.c runs its threads, yardstick_packet.c, yardstick_ring.c
 * and yardstick_udp.c say what a thread does. pktgen's threads are the kernel's.
 */
#ifndef APP_YARDSTICK_PARTS_H
#define APP_YARDSTICK_PARTS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "content.h"
#include "yardstick.h"

#define YARDSTICK_SLICE_MS 10                   /* longest wait of a thread */
#define YARDSTICK_STALL_NS UINT64_C(2000000000) /* nothing moved: give up */
#define YARDSTICK_UNKNOWN UINT64_MAX            /* a count nobody keeps */

/* What one queue's sender did. */
struct yardstick_share {
	uint64_t packets; /* that the kernel accepted */
	uint64_t lost;    /* that it said it threw away; they are not sent again */
	uint64_t kicks;   /* system calls that sent; YARDSTICK_UNKNOWN */
	uint64_t cpu_user_ns, cpu_system_ns;
};

struct yardstick_result {
	struct yardstick_share *share; /* plan->queues of them */
	uint64_t ns;
};

/* ---- frames: yardstick_frames.c ---- */

/*
 * Frames in plain memory, shaped as a queue's so that content.h fills them as it
 * fills those of `dxmit tx`: the same frames, at the same price.
 */
struct yardstick_frames {
	struct dxmit_queue memory;
	struct content_queue content;
	void *map; /* NULL: the memory is not ours */
	size_t map_bytes;
};

/* From one frame to the next: a power of two, `before` bytes of it for a header. */
uint32_t yardstick_room(const struct content *content, uint32_t before);

/* Memory of at least `slots` frames. Returns 0 or -errno. */
int yardstick_frames_map(struct yardstick_frames *frames, const struct content *content,
			 uint32_t slots);
/* Idempotent. */
void yardstick_frames_close(struct yardstick_frames *frames);

/* The headers of frames that a UDP socket or pktgen can send, too: Ethernet, IPv4
 * without options, UDP, the same in every frame. Host byte order. */
struct yardstick_udp {
	uint8_t destination_mac[6], source_mac[6];
	uint32_t source_ip, destination_ip;
	uint16_t source_port, destination_port;
	uint8_t tos, ttl;
};
#define YARDSTICK_UDP_HEADERS 42 /* where the payload begins */

/* Returns true, or false and in *why (static) what is different about them. */
bool yardstick_udp_headers(const struct content *content, struct yardstick_udp *udp,
			   const char **why);

/* ---- a run of threads: yardstick.c ---- */

struct yardstick_thread {
	struct yardstick_run *run;
	uint32_t index; /* into plan->queue */
	const struct dxmit_plan_queue *plan;
	pthread_t thread;
	bool started;

	int fd;
	uint32_t batch;
	uint64_t count; /* frames to send; UINT64_MAX: no limit */
	struct yardstick_frames frames;
	struct mmsghdr *message; /* of a batch */
	struct iovec *piece;     /* a frame each, or its payload */
	uint32_t skip;           /* bytes of a frame that the kernel makes */
	uint32_t per_message;    /* frames */
	uint64_t moved_ns;       /* last progress, once there is trouble; 0: none */

	struct yardstick_share share;
	uint64_t end_ns;
};

struct yardstick_way {
	/* Before there are threads. Returns EXIT_DONE or an exit code after the one
	 * line; NULL: nothing to check. */
	int (*check)(struct yardstick_run *run);
	/* By the pinned thread; it has the frames' content open. As above. */
	int (*open)(struct yardstick_thread *t);
	/* Until run->stop or t->count. As above. */
	int (*send)(struct yardstick_thread *t);
	/* After `open`, whatever it returned; NULL: nothing to close but the frames and
	 * the descriptor. */
	void (*close)(struct yardstick_thread *t);
};

extern const struct yardstick_way yardstick_packet_way, yardstick_ring_way,
	yardstick_udp_way;

struct yardstick_run {
	const struct yardstick *yardstick;
	const struct yardstick_way *way;
	struct content content;
	struct yardstick_udp udp; /* if the way is UDP's */
	struct yardstick_thread *thread;
	_Atomic bool stop; /* written by the main thread, read once a turn */
	_Atomic bool hold; /* likewise: no link, send nothing for now */
	int event_fd;      /* readable when a thread is ready or ends */
	uint64_t start_ns;

	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t go_changed;
	enum { YARDSTICK_WAIT, YARDSTICK_GO, YARDSTICK_ABORT } go;
	uint32_t ready, ended; /* threads; those that failed are both */
	int code;              /* exit code of the first that failed */
};

/* Whether the thread is to end; waits while there is no link. */
bool yardstick_pause(struct yardstick_thread *t);

/* Something moved: forget the trouble. */
static inline void yardstick_moved(struct yardstick_thread *t)
{
	t->moved_ns = 0;
}

/*
 * Nothing moved, because of `error` (an errno): wait a slice at most, for `events`
 * of the socket if there are any. Returns EXIT_DONE, or once it is too long an exit
 * code after the one line.
 */
int yardstick_stuck(struct yardstick_thread *t, short events, int error);
/* This errno will not go away. Returns an exit code after the one line. */
int yardstick_broken(const struct yardstick_thread *t, const char *call, int error);

/* ---- yardstick_send.c: batches by sendmmsg() ---- */

/* Messages of t->per_message frames each, of a batch. Returns 0 or -ENOMEM. */
int yardstick_messages_open(struct yardstick_thread *t);
int yardstick_messages_send(struct yardstick_thread *t);
void yardstick_messages_close(struct yardstick_thread *t);

/* ---- pktgen: yardstick_pktgen.c ---- */

int yardstick_pktgen_run(const struct yardstick *yardstick, const struct content *content,
			 struct yardstick_result *result);
void yardstick_pktgen_clean_up(const struct dxmit_nic *nic,
			       const struct dxmit_plan *plan);

/* ---- yardstick_json.c ---- */

/* Returns EXIT_DONE, or an exit code after the one line. */
int yardstick_json(const struct yardstick *yardstick,
		   const struct yardstick_result *result, FILE *out);

#endif
