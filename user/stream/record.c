// SPDX-License-Identifier: GPL-2.0-only
/*
 * record.c - kinds of files that events are written to: a row for each.
 */
#include "stream/record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* The last one takes any name. */
static const struct record_kind *const kinds[] = { &record_json, &record_pftrace, &record_dat };

static bool has_ending(const char *path, const char *ending)
{
	size_t len = strlen(path), end = strlen(ending);

	return len > end && !strcmp(path + len - end, ending) && path[len - end - 1] != '/';
}

const struct record_kind *record_kind_of(const char *path)
{
	unsigned i = 0;

	while (kinds[i]->ending && !has_ending(path, kinds[i]->ending))
		i++;
	return kinds[i];
}

const struct record_kind *record_kind_of_snapshot(const char *path)
{
	for (unsigned i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (kinds[i]->snapshot_ending && has_ending(path, kinds[i]->snapshot_ending))
			return kinds[i];
	}
	return NULL;
}

void record_names(unsigned takes, struct buf *out)
{
	const char *before = "";

	for (unsigned i = 0; i < ARRAY_SIZE(kinds); i++) {
		if ((kinds[i]->takes & takes) != takes)
			continue;
		buf_addf(out, "%sFILE%s", before, kinds[i]->ending ? kinds[i]->ending : ".dat");
		before = " and ";
	}
}

int record_open(const struct record_kind *kind, const struct options *opts, struct record **ret, struct diag *diag)
{
	struct record *r = must(calloc(1, sizeof(*r)));
	int err;

	r->kind = kind;
	err = r->kind->open(opts, &r->writer, diag);
	if (err)
		free(r);
	else
		*ret = r;
	return err;
}

int record_start(struct record *r, const struct stream *s, bool more, struct diag *diag)
{
	return r->kind->start(r->writer, s, more, diag);
}

void record_forget(struct record *r)
{
	r->kind->forget(r->writer);
}

int record_finish(struct record *r)
{
	return r->kind->finish(r->writer);
}

int record_complete(struct record *r)
{
	return r->kind->complete(r->writer);
}

void record_close(struct record *r)
{
	if (!r)
		return;
	r->kind->close(r->writer);
	free(r);
}

void *record_to(const struct record *r)
{
	return r ? r->writer : NULL;
}
