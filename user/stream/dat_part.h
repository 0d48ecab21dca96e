/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dat_part.h - one trace.dat while it is written, and the files beside it.
 *
 *	FILE.dat	the head of a version 6 file: formats and symbols; some room; the pages of the CPU that had the first event
 *	FILE.dat.cpuN	the pages of each other CPU that has any
 *
 * At the end the pages beside FILE.dat are put behind its own, and its own stay where they are. What names their places goes
 * into the room behind the head. Then the files beside it are removed. Until then 'bprobe --read FILE.dat' finds everything it
 * needs there, however bprobe ended.
 */
#ifndef STREAM_DAT_PART_H
#define STREAM_DAT_PART_H

#include "dat/dat.h"

enum { DAT_PART_CPUS = 8192 };		/* as many as a kernel can have (6.12, NR_CPUS) */

struct dat_part {
	char *path;
	int fd;
	uint64_t head_len;
	unsigned nr_cpus;
	uint32_t page_size;
	struct dat_stripe *cpus;	/* one for each CPU; fd -1: it has no pages */
	struct dat_stripe *first;	/* the CPU whose pages are in FILE.dat itself; NULL: none yet */
	bool beside;			/* pages are written only beside FILE.dat: there was too little room behind its head */
};

/* Could dat_part_open() open @path? Nothing is created or changed. -errno with @diag. */
int dat_part_check(const char *path, struct diag *diag);

/*
 * Creates a file that takes the place of @path, and removes what an earlier run left beside it. The file belongs to this
 * user. Only this user may read it, since it contains kernel addresses. A symbolic link is refused. -errno with @diag; then
 * @path is unchanged. The caller closes with dat_part_close().
 */
int dat_part_open(struct dat_part *p, const char *path, unsigned nr_cpus, struct diag *diag);

/* Writes the head, or replaces it. -errno. */
int dat_part_head(struct dat_part *p, const struct dat_meta *m);

/* Writes at byte @at of the pages of @cpu. -errno. */
int dat_part_write(struct dat_part *p, unsigned cpu, uint64_t at, const void *data, size_t len);

/* Number of bytes in the pages of all CPUs. */
uint64_t dat_part_size(const struct dat_part *p);

/* Completes the file: version 6, or 7 with @packing. -errno: the files stay as they are. */
int dat_part_join(struct dat_part *p, const struct dat_meta *m, const struct dat_packing *packing,
		  const struct dat_progress *progress);

/*
 * Prints to standard error what happened to a file that could not be completed. @err: what dat_part_join() returned; 0:
 * prints nothing.
 */
void dat_part_report(const struct dat_part *p, int err);

void dat_part_close(struct dat_part *p);

/* Removes a file that could not be completed, and those beside it. */
void dat_part_remove(const char *path);

/*
 * Opens the files beside @path, as *ret_nr stripes in @arena. The caller closes them, also after an error. -errno with @diag
 * if one of them exists but cannot be opened.
 */
int dat_part_find(struct arena *arena, const char *path, struct dat_stripe **ret, unsigned *ret_nr, struct diag *diag);

#endif
