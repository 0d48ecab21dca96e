// SPDX-License-Identifier: GPL-2.0-only
/*
 * recordings_order.c - puts the files on one clock, and into the order of their first records.
 *
 * Files of one boot have one clock already. If there are several boots, all times become those of the wall clock: of a boot by the offset
 * that the last of its files has, so that the order within the boot stays.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "trace/recordings_priv.h"

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/* One of the files of a --rotate: STEM.NUMBER.dat */
struct part {
	size_t stem;			/* bytes in front of ".NUMBER"; 0: it is no such file */
	unsigned long number;
};

static struct part part_of(const char *path)
{
	const char *dot = strrchr(path, '.'), *digits = dot;

	while (digits && digits > path && digits[-1] >= '0' && digits[-1] <= '9')
		digits--;
	if (!digits || dot - digits < 4 || digits < path + 2 || digits[-1] != '.')
		return (struct part){ 0 };
	return (struct part){ (size_t)(digits - 1 - path), strtoul(digits, NULL, 10) };
}

/* The last file of --rotate that was completed before @rec, which was not. NULL: there is none. */
static const struct recorded *completed_before(const struct recordings *r, const struct recorded *rec)
{
	const struct part own = part_of(rec->path);
	const struct recorded *last = NULL;
	unsigned long number = 0;

	for (unsigned i = 0; own.stem && i < r->nr_files; i++) {
		const struct recorded *other = &r->files[i]->rec;
		const struct part part = part_of(other->path);

		if (!other->home.boot || part.stem != own.stem || memcmp(other->path, rec->path, own.stem) || part.number >= own.number ||
		    part.number < number)
			continue;
		number = part.number;
		last = other;
	}
	return last;
}

/* Of which boot and machine a file is, is written when it is completed. The files before it say it. */
static void ask_neighbours(struct recordings *r)
{
	for (unsigned i = 0; i < r->nr_files; i++) {
		struct recorded *rec = &r->files[i]->rec;
		const struct recorded *other = rec->home.boot ? NULL : completed_before(r, rec);

		if (!other)
			continue;
		rec->made = other->made;
		rec->home.boot = other->home.boot;
		rec->home.host = other->home.host;
		rec->home.kernel = other->home.kernel;
	}
}

static bool same_clock(const struct recorded *a, const struct recorded *b)
{
	return a == b || (a->home.boot && same_text(a->home.boot, b->home.boot) && a->made.clock == b->made.clock);
}

static void find_homes(struct recordings *r)
{
	for (unsigned i = 0; i < r->nr_files; i++) {
		for (unsigned k = 0; k < r->nr_files; k++) {
			struct home *a = &r->files[i]->rec.home;
			const struct home *b = &r->files[k]->rec.home;

			a->other_boots |= same_text(a->host, b->host) && !home_is_same(a, b);
			r->several |= !home_is_same(a, b);
		}
	}
}

/* Of the files with the clock of @rec, the one with an offset that began last. NULL: none has an offset. */
static const struct recorded *last_offset(const struct recordings *r, const struct recorded *rec)
{
	const struct recorded *last = NULL;

	for (unsigned i = 0; i < r->nr_files; i++) {
		const struct recorded *other = &r->files[i]->rec;

		if (other->made.nr_readings && same_clock(rec, other) && (!last || other->begins > last->begins))
			last = other;
	}
	return last;
}

static int refuse(const struct recordings *r, const struct recorded *rec, struct diag *diag)
{
	const struct recorded *other = &r->files[&r->files[0]->rec == rec]->rec;

	diag_set(diag, -EINVAL, "the events of %s and %s have no common order: it is not known what time the clock of %s showed",
		 rec->path, other->path, rec->path);
	diag_note(diag, "note: a file says this, and of which boot it is, if it was completed, and not by an older bprobe");
	diag_note(diag, "help: read it alone: bprobe --read %s", rec->path);
	return diag->err;
}

static int by_begin(const void *a, const void *b)
{
	const struct recordings_file *f = *(struct recordings_file *const *)a, *g = *(struct recordings_file *const *)b;

	if (f->rec.begins != g->rec.begins)
		return f->rec.begins < g->rec.begins ? -1 : 1;
	return f->number < g->number ? -1 : f->number > g->number;
}

/* From the clock of the file to that of the wall, when it was begun. */
static int64_t offset_of(const struct recording *made)
{
	return (int64_t)(made->readings[0].real - clock_reading_of(&made->readings[0], made->clock));
}

int recordings_align(struct recordings *r, struct diag *diag)
{
	bool one_clock = true;

	ask_neighbours(r);
	find_homes(r);
	for (unsigned i = 0; i < r->nr_files; i++)
		one_clock &= same_clock(&r->files[0]->rec, &r->files[i]->rec);
	for (unsigned i = 0; !one_clock && i < r->nr_files; i++) {
		struct recorded *rec = &r->files[i]->rec;
		const struct recorded *from = last_offset(r, rec);

		if (!from)
			return refuse(r, rec, diag);
		rec->shift = offset_of(&from->made);
	}
	for (unsigned i = 0; i < r->nr_files; i++) {
		struct recorded *rec = &r->files[i]->rec;

		if (rec->begins != UINT64_MAX)
			rec->begins += (uint64_t)rec->shift;
	}
	qsort(r->files, r->nr_files, sizeof(struct recordings_file *), by_begin);
	return 0;
}
