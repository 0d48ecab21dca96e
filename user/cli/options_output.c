// SPDX-License-Identifier: GPL-2.0-only
/*
 * options_output.c - the options for the content of a trace.dat, and sizes.
 */
#include "cli/options_output.h"

#include <errno.h>

#include "base/number.h"
#include "dat/dat_pack.h"
#include "stream/lines.h"

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

int options_output_check(const struct options *o, struct diag *diag)
{
	bool metrics = o->verb->takes & TAKES_METRICS, dat = !metrics && (o->record.output || lines_snapshot_is_dat(o));

	if ((o->record.packing && !dat) || (o->record.rotate && (metrics || !o->record.output)))
		return diag_set(diag, -EINVAL, "--compress and --rotate are for a trace.dat: -o FILE.dat");
	if (metrics)
		return 0;
	if (o->record.output && !(o->verb->takes & TAKES_OUTPUT))
		return diag_set(diag, -EINVAL, "-o is for tracing and --pipe");
	if (lines_snapshot_is_dat(o) && !(o->verb->takes & TAKES_OUTPUT) && asks_for_lines(o))
		return diag_set(diag, -EINVAL, "a snapshot in a trace.dat has no lines: give --json, --raw-strings, --style, --flags and "
				"the like to 'bprobe --read %s'", o->record.snapshot);
	if (o->record.output && asks_for_lines(o))
		return diag_set(diag, -EINVAL,
				"-o writes no lines: give --json, --raw-strings, --style, --flags and the like to 'bprobe --read "
				"%s'", o->record.output);
	return 0;
}
