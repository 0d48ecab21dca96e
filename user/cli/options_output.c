// SPDX-License-Identifier: GPL-2.0-only
/*
 * options_output.c - the options for the content of a trace.dat, and sizes.
 */
#include "cli/options_output.h"

#include <errno.h>

#include "base/number.h"
#include "dat/dat_pack.h"
#include "stream/lines.h"

int options_size(const char *option, const char *text, uint64_t max, const char *most, uint64_t *ret, struct diag *diag)
{
	size_t len = strlen(text);
	unsigned shift = 0;
	uint64_t n;

	if (len && strchr("kKmMgG", text[len - 1])) {
		shift = strchr("kK", text[len - 1]) ? 10 : strchr("mM", text[len - 1]) ? 20 : 30;
		len--;
	}
	if (number_u64(text, len, 10, &n) || !n || n > max >> shift)
		return diag_set(diag, -EINVAL, "%s wants a size between 1 and %s, such as 256K or 4M, not '%s'", option, most,
				text);
	*ret = n << shift;
	return 0;
}

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
	return o->json || o->folded || o->raw_strings || o->style != STYLE_OWN || o->columns_by || o->time_given;
}

int options_output_check(const struct options *o, struct diag *diag)
{
	bool dat = o->output || lines_snapshot_is_dat(o);

	if ((o->packing && !dat) || (o->rotate && !o->output))
		return diag_set(diag, -EINVAL, "--compress and --rotate are for a trace.dat: -o FILE.dat");
	if (o->output && !(o->verb->takes & TAKES_OUTPUT))
		return diag_set(diag, -EINVAL, "-o is for tracing and --pipe");
	if (lines_snapshot_is_dat(o) && !(o->verb->takes & TAKES_OUTPUT) && asks_for_lines(o))
		return diag_set(diag, -EINVAL, "a snapshot in a trace.dat has no lines: give --json, --raw-strings, --style, --flags and "
				"the like to 'bprobe --read %s'", o->snapshot);
	if (o->output && asks_for_lines(o))
		return diag_set(diag, -EINVAL,
				"-o writes no lines: give --json, --raw-strings, --style, --flags and the like to 'bprobe --read "
				"%s'", o->output);
	return 0;
}
