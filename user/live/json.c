// SPDX-License-Identifier: GPL-2.0-only
/*
 * json.c - the live view's figures as JSON.
 */
#include <inttypes.h>
#include <string.h>

#include "live/table.h"
#include "print/json_string.h"
#include "print/sender.h"

static void put_figures(const struct live_figures *f, bool has_elapsed, struct buf *out)
{
	uint64_t ns;

	buf_addf(out, "\"hits\":%" PRIu64, f->hits);
	if (!has_elapsed)
		return;
	buf_addf(out, ",\"timed\":%" PRIu64 ",\"avg_ns\":", f->timed);
	if (live_average(f, &ns))
		buf_addf(out, "%" PRIu64, ns);
	else
		buf_adds(out, "null");
	buf_adds(out, ",\"p99_ns_at_most\":");
	if (live_percentile(f, 99, &ns))
		buf_addf(out, "%" PRIu64, ns);
	else
		buf_adds(out, "null");
}

static void put_keys(const struct live_table *table, const struct live_row *row, struct buf *out)
{
	buf_adds(out, ",\"by\":");
	json_text(out, table->key);
	buf_adds(out, ",\"keys\":[");
	for (unsigned i = 0; i < row->nr_keys; i++) {
		buf_adds(out, i ? ",{\"key\":" : "{\"key\":");
		json_text(out, row->keys[i].name);
		buf_addc(out, ',');
		put_figures(&row->keys[i].f, row->has_elapsed, out);
		buf_addc(out, '}');
	}
	buf_addf(out, "],\"other_keys\":%" PRIu64, row->nr_others);
}

void live_row_json(const struct live_table *table, const struct live_row *row, uint64_t ts, const struct sender *sender, struct buf *out)
{
	sender_begin(sender, out);
	buf_addf(out, "\"time_ns\":%" PRIu64 ",\"interval_ns\":%" PRIu64 ",\"event\":", ts, table->ns);
	json_text(out, row->event);
	buf_adds(out, ",\"group\":");
	json_text(out, row->group);
	buf_addc(out, ',');
	put_figures(&row->now, row->has_elapsed, out);
	buf_addf(out, ",\"total\":%" PRIu64 ",\"lost\":%" PRIu64 ",\"missed\":", row->all.hits, row->lost);
	if (row->missed_known)
		buf_addf(out, "%" PRIu64, row->missed);
	else
		buf_adds(out, "null");
	if (row->has_key)
		put_keys(table, row, out);
	buf_adds(out, "}\n");
}
