/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dat_job.h - completes a trace.dat in a thread, so that the rings do not fill up while gigabytes are copied.
 */
#ifndef STREAM_DAT_JOB_H
#define STREAM_DAT_JOB_H

#include <pthread.h>

#include "stream/dat_part.h"

/* All zeroes: no job runs. */
struct dat_job {
	pthread_t thread;
	bool runs, threaded;		/* runs: not ended yet; threaded: by a thread, if one could be created */
	bool may_stop;			/* a signal ends the job; the thread may read this at any time */
	struct dat_part part;
	struct dat_meta meta;
	struct buf comms, version;
	const struct dat_packing *packing;
	int err;
};

/*
 * Completes @part. From now on @part and the contents of @comms and @version belong to the job. Whatever else @meta points to stays the
 * caller's until the job has ended. No other job may run.
 */
void dat_job_start(struct dat_job *j, const struct dat_part *part, const struct dat_meta *meta, const struct buf *comms,
		   const struct buf *version, const struct dat_packing *packing);

/*
 * Waits for the thread, and prints to standard error what went wrong. With @may_stop a signal that is meant to end bprobe
 * also ends the job (progress_interrupted()); use it only after the signal that ended the tracing has been read. Returns 0
 * (also if no job ran) or -errno.
 */
int dat_job_end(struct dat_job *j, bool may_stop);

#endif
