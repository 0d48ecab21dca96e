/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dat_job.h - a trace.dat that is completed by a thread, so that the rings do not fill up behind a copy of gigabytes.
 */
#ifndef TRACE_DAT_JOB_H
#define TRACE_DAT_JOB_H

#include <pthread.h>

#include "trace/dat_part.h"

/* All zeroes: none runs. */
struct dat_job {
	pthread_t thread;
	bool runs, threaded;		/* not ended yet; by a thread, if there could be one */
	bool may_stop;			/* a signal ends it; read by the thread at any time */
	struct dat_part part;
	struct dat_meta meta;
	struct buf comms;
	const struct dat_packing *packing;
	int err;
};

/*
 * Completes @part, which is the job's from now on, as is what @comms holds; what else @meta points to stays the caller's
 * until the job has ended. None may run.
 */
void dat_job_start(struct dat_job *j, const struct dat_part *part, const struct dat_meta *meta, const struct buf *comms,
		   const struct dat_packing *packing);

/*
 * Waits for the thread, and says on standard error what went wrong. With @may_stop a signal that is to end bprobe ends it
 * (progress_interrupted()): only for where the one that ended the tracing has been taken. 0, also where none ran, or
 * -errno.
 */
int dat_job_end(struct dat_job *j, bool may_stop);

#endif
