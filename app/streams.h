/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The streams of a configuration: what each one is once the run's own settings
 * have filled what it leaves open. Without streams there is one, the run itself.
 */
#ifndef APP_STREAMS_H
#define APP_STREAMS_H

#include "config.h"

#define STREAM_NAME_LEN 64

/* Streams that share a run; at least 1. */
size_t streams_count(const struct config *config);
/* The stream's own sizes, or the run's. */
const struct size_mix *stream_sizes(const struct config *config, size_t stream);
/* Its frame expression; NULL: the fixed options. */
const char *stream_frame(const struct config *config, size_t stream);
/* Its share: frames of it against those of the others. */
uint64_t stream_weight(const struct config *config, size_t stream);
/* Its name, or its number from 1 on. */
void stream_name(const struct config *config, size_t stream, char name[STREAM_NAME_LEN]);

/* The mean length on the wire with FCS: l2_bytes / frames. */
void streams_mean(const struct config *config, struct rate_basis *mean);
/* Add a stream's lengths to a mean, by its share of the weights. */
void stream_mean_add(uint64_t weight, uint64_t weights, const struct rate_basis *lengths,
		     struct rate_basis *mean);

/* The rate a stream asks for, with frames of these lengths. Returns 0, or an exit
 * code after the one line on stderr, as the other does. */
int stream_rate(const struct config *config, size_t stream,
		const struct rate_basis *lengths, uint64_t *micro_pps);
int stream_rates_overflow(void);

/* The shortest frame in bytes without FCS, if there are several lengths, or 0. */
uint32_t streams_shortest(const struct config *config);

/*
 * Check the frame expressions of the run and its streams; make sizes that are not
 * given (`size_given`: the run's is) as short as the layers allow, the run's
 * longest size and, where the streams have rates, its rate. Returns 0, or an exit
 * code after the one line on stderr.
 */
int streams_resolve(struct config *config, bool size_given);

#endif
