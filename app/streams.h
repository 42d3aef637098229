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
/* Its share, where streams have no rates: frames of it against those of the others. */
uint64_t stream_weight(const struct config *config, size_t stream);
/* Its name, or its number from 1 on. */
void stream_name(const struct config *config, size_t stream, char name[STREAM_NAME_LEN]);

/* The shortest frame in bytes without FCS, if there are several lengths, or 0. */
uint32_t streams_shortest(const struct config *config);

/*
 * Check the frame expressions of the run and its streams; make sizes that are not
 * given (`size_given`: the run's is) as short as the layers allow, and the run's
 * longest size. Returns 0, or an exit code after the one line on stderr.
 */
int streams_resolve(struct config *config, bool size_given);

#endif
