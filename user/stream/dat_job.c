// SPDX-License-Identifier: GPL-2.0-only
/*
 * dat_job.c - completes a trace.dat in a thread.
 */
#include "stream/dat_job.h"

#include "base/progress.h"

/* As long as the tracing continues, a pending signal is meant for the tracing, which reads it. It does not end the job. */
static bool goes_on(void *ctx, uint64_t done)
{
	const struct dat_job *j = ctx;

	(void)done;
	return !__atomic_load_n(&j->may_stop, __ATOMIC_ACQUIRE) || !progress_interrupted();
}

static void *job_main(void *ctx)
{
	struct dat_job *j = ctx;
	struct dat_progress steps = { goes_on, j };

	j->err = dat_part_join(&j->part, &j->meta, j->packing, &steps);
	return NULL;
}

void dat_job_start(struct dat_job *j, const struct dat_part *part, const struct dat_meta *meta, const struct buf *comms,
		   const struct buf *version, const struct dat_packing *packing)
{
	*j = (struct dat_job){ .runs = true, .part = *part, .meta = *meta, .comms = *comms, .version = *version, .packing = packing };
	j->threaded = !pthread_create(&j->thread, NULL, job_main, j);
	if (!j->threaded)
		job_main(j);
}

int dat_job_end(struct dat_job *j, bool may_stop)
{
	if (!j->runs)
		return 0;
	__atomic_store_n(&j->may_stop, may_stop, __ATOMIC_RELEASE);
	if (j->threaded)
		pthread_join(j->thread, NULL);
	j->runs = false;
	dat_part_report(&j->part, j->err);
	dat_part_close(&j->part);
	buf_fini(&j->comms);
	buf_fini(&j->version);
	return j->err;
}
