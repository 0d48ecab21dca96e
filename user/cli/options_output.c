// SPDX-License-Identifier: GPL-2.0-only
/*
 * options_output.c - the options for files of events.
 */
#include "cli/options_output.h"

#include <errno.h>

#include "base/number.h"
#include "dat/dat_pack.h"
#include "stream/lines.h"
#include "stream/record.h"

/* Debian's trace-cmd reads only zstd. So zstd is the default if bprobe was built with it. */
int options_packing(const char *text, const struct dat_packing **ret, struct diag *diag)
{
	const struct dat_packing *zstd = dat_packing_find("zstd"), *p = text ? dat_packing_find(text) : zstd;

	if (!p && text)
		return diag_set(diag, -EINVAL, "--compress wants zlib%s, not '%s'",
				zstd ? " or zstd" : " (this bprobe was built without zstd)", text);
	*ret = p ? p : dat_packing_find("zlib");
	return 0;
}

/* Was something asked for that only lines have? */
static bool asks_for_lines(const struct options *o)
{
	return o->lines.sink || o->lines.raw_strings || o->lines.style != STYLE_OWN || o->lines.columns_by || o->lines.time_given;
}

/* Nothing but events is in a file. */
static int refuse_lines(const struct record_kind *kind, const char *file, bool snapshot, struct diag *diag)
{
	const char *where = snapshot ? "a snapshot in " : "-o writes", *name = snapshot ? kind->name : "", *has = snapshot ? " has" : "";

	if (kind->takes & RECORD_IS_READ)
		return diag_set(diag, -EINVAL, "%s%s%s no lines: give --json, --raw-strings, --style, --flags and the like to 'bprobe "
				"--read %s'", where, name, has, file);
	return diag_set(diag, -EINVAL, "%s%s%s no lines: --json, --raw-strings, --style, --flags and the like have no meaning for %s", where,
			name, has, file);
}

static int refuse_counters(const char *counter, struct diag *diag)
{
	struct buf names = { 0 };

	record_names(RECORD_COUNTERS, &names);
	diag_set(diag, -EINVAL, "--counter %s is for -o with %s", counter, buf_str(&names));
	buf_fini(&names);
	return -EINVAL;
}

/* @kind: of -o. */
static int check_kind(const struct options *o, const struct record_kind *kind, struct diag *diag)
{
	struct buf names = { 0 };

	if (!(o->verb->takes & (TAKES_OUTPUT | TAKES_CONVERSION)))
		return diag_set(diag, -EINVAL, "-o is for tracing, --pipe, --read, --report and --metrics");
	if (!(o->verb->takes & TAKES_CONVERSION) || kind->takes & RECORD_CONVERSION)
		return asks_for_lines(o) ? refuse_lines(kind, o->record.output, false, diag) : 0;
	record_names(RECORD_CONVERSION, &names);
	diag_set(diag, -EINVAL, "%s makes %s of a trace.dat, not %s", o->verb->option, buf_str(&names), o->record.output);
	buf_fini(&names);
	return -EINVAL;
}

int options_output_check(const struct options *o, struct diag *diag)
{
	bool other = o->verb->takes & (TAKES_METRICS | TAKES_REPORT);
	const struct record_kind *kind = other || !o->record.output ? NULL : record_kind_of(o->record.output);
	const struct record_kind *snapshot = other ? NULL : lines_snapshot_kind(o);
	unsigned takes = kind ? kind->takes : 0, any = takes | (snapshot ? snapshot->takes : 0);

	if ((o->record.packing && !(any & RECORD_PACKING)) || (o->record.rotate && !(takes & RECORD_ROTATION)))
		return diag_set(diag, -EINVAL, "--compress and --rotate are for a trace.dat: -o FILE.dat");
	if (o->record.nr_counters && !(any & RECORD_COUNTERS))
		return refuse_counters(o->record.counters[0], diag);
	if (snapshot && !(o->verb->takes & TAKES_OUTPUT) && asks_for_lines(o))
		return refuse_lines(snapshot, o->record.snapshot, true, diag);
	return kind ? check_kind(o, kind, diag) : 0;
}
