// SPDX-License-Identifier: GPL-2.0-only
/*
 * say.c - what both forms of a report say in words.
 */
#include "report/say.h"

#include <inttypes.h>

#include "report/report.h"
#include "report/table.h"

void say_time(struct buf *out, uint64_t ns)
{
	static const struct { const char *unit; uint64_t ns; } units[] = { { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 } };
	unsigned digits = 3, unit = 0;
	uint64_t whole, part, scale;

	if (ns < 1000) {
		buf_addf(out, "%" PRIu64 " ns", ns);
		return;
	}
	while (unit + 1 < ARRAY_SIZE(units) && ns >= 999950 * (units[unit].ns / 1000))
		unit++;
	while (digits && ns / units[unit].ns >= (digits == 3 ? 10u : digits == 2 ? 100u : 1000u))
		digits--;
	scale = digits == 3 ? 1000 : digits == 2 ? 100 : digits == 1 ? 10 : 1;
	part = ns / units[unit].ns > UINT64_MAX / 2000 / scale ? ns / units[unit].ns * scale :
	       (uint64_t)(((unsigned __int128)ns * scale + units[unit].ns / 2) / units[unit].ns);
	whole = part / scale;
	if (digits)
		buf_addf(out, "%" PRIu64 ".%0*" PRIu64 " %s", whole, (int)digits, part % scale, units[unit].unit);
	else
		buf_addf(out, "%" PRIu64 " %s", whole, units[unit].unit);
}

void say_point(struct buf *out, uint64_t ns)
{
	buf_addf(out, "%" PRIu64 ".%06u", ns / 1000000000, (unsigned)(ns / 1000 % 1000000));
}

/* Appends @text in lines of @width columns, the further ones behind @indent blanks. */
static void put_wrapped(struct buf *out, const char *text, unsigned width, unsigned indent)
{
	unsigned column = indent;

	for (bool first = true; *text; first = false) {
		size_t len = strcspn(text, " ");
		unsigned columns = 0;

		for (size_t i = 0; i < len; i++)
			columns += (text[i] & 0xc0) != 0x80;
		if (!first && column + 1 + columns > width) {
			buf_addc(out, '\n');
			buf_pad(out, ' ', indent);
			column = indent;
		} else if (!first) {
			buf_addc(out, ' ');
			column++;
		}
		buf_add(out, text, len);
		column += columns;
		text += len + (text[len] == ' ');
	}
	buf_addc(out, '\n');
}

/* A line of the head. Resets @text. */
static void put_line(struct buf *out, const char *what, struct buf *text, unsigned width)
{
	enum { INDENT = 8 };

	buf_addf(out, "%-*s", INDENT, what);
	put_wrapped(out, buf_str(text), width, INDENT);
	buf_reset(text);
}

static void say_counts(const struct report *r, unsigned width, struct buf *text, struct buf *out)
{
	uint64_t span = r->last - r->first, gaps = 0;

	buf_addf(text, "%" PRIu64, r->count);
	if (span)
		buf_addf(text, ", %.*f a second", (double)r->count > 1000 * (double)span / 1e9 ? 0 : 2, (double)r->count / ((double)span / 1e9));
	put_line(out, "events", text, width);
	for (unsigned i = 0; i < r->nr_cpus; i++)
		gaps += r->cpus[i].gaps;
	if (!gaps)
		buf_adds(text, "none");
	else
		buf_addf(text, "%s%" PRIu64 " events, in %" PRIu64 " %s", r->some_lost ? "more than " : "", r->lost, gaps, gaps == 1 ? "gap" : "gaps");
	put_line(out, "lost", text, width);
}

void say_head(const struct report *r, unsigned width, struct buf *out)
{
	struct buf text = { 0 };

	buf_adds(&text, buf_str(&r->files));
	if (r->writer != INDEX_NONE)
		buf_addf(&text, " (%s)", r->names.all[r->writer].text);
	put_line(out, "file", &text, width);
	if (r->node != INDEX_NONE) {
		buf_addf(&text, "%s, Linux %s", r->names.all[r->node].text, r->names.all[r->kernel].text);
		put_line(out, "host", &text, width);
	}
	if (r->count) {
		say_point(&text, r->first);
		buf_adds(&text, " to ");
		say_point(&text, r->last);
		buf_adds(&text, " seconds: ");
		say_time(&text, r->last - r->first);
		put_line(out, "time", &text, width);
	}
	say_counts(r, width, &text, out);
	buf_fini(&text);
}

/* ---- doubts ---- */

static void say(struct buf *out, unsigned width, const char *fmt, ...) PRINTF_LIKE(3, 4);

static void say(struct buf *out, unsigned width, const char *fmt, ...)
{
	struct buf text = { 0 };
	va_list ap;

	va_start(ap, fmt);
	buf_vaddf(&text, fmt, ap);
	va_end(ap);
	buf_adds(out, "note: ");
	put_wrapped(out, buf_str(&text), width, 6);
	buf_fini(&text);
}

/* A pattern has many functions: the first SAID of each kind are enough. */
enum { SAID = 10 };

static void say_call(const struct report *r, const struct report_call *c, unsigned width, struct buf *out)
{
	const char *enters = r->names.all[r->events[c->enters].name].text, *leaves = r->names.all[r->events[c->leaves].name].text;
	uint64_t open = c->count.open + c->count.given_up;

	if (c->count.no_entry)
		say(out, width, "%s: returns without their entry (%s): %" PRIu64 ". It came before the recording%s, "
		    "its probe was not attached at that time, or a filter left it out.",
		    leaves, enters, c->count.no_entry, r->lost || r->some_lost ? ", it was lost" : "");
	if (c->count.doubtful)
		say(out, width, "%s: returns without a duration, because events were lost during their calls: %" PRIu64 ".", leaves,
		    c->count.doubtful);
	if (open)
		say(out, width, "%s: entries without their return (%s): %" PRIu64 ".", enters, leaves, open);
}

static void say_calls(const struct report *r, unsigned width, struct buf *out)
{
	unsigned said = 0, more = 0;

	for (unsigned i = 0; i < r->nr_called; i++) {
		const struct report_call *c = &r->called[i];

		if (c->enters == INDEX_NONE || c->leaves == INDEX_NONE ||
		    !(c->count.no_entry + c->count.doubtful + c->count.open + c->count.given_up))
			continue;
		if (said++ < SAID)
			say_call(r, c, width, out);
		else
			more++;
	}
	if (more)
		say(out, width, "functions, besides these, of which an entry or a return is missing: %u.", more);
}

static void say_unknown(const struct report *r, unsigned width, struct buf *out)
{
	unsigned said = 0, more = 0;

	for (unsigned i = 0; i < r->nr_latencies; i++) {
		const struct report_latency *l = &r->latencies[i];

		if (l->unknown && said++ < SAID)
			say(out, width, "%s (%s): events whose duration could not be read: %" PRIu64 ".",
			    r->names.all[r->events[l->event].name].text, r->names.all[l->function].text, l->unknown);
		else
			more += l->unknown != 0;
	}
	if (more)
		say(out, width, "functions, besides these, of which a duration could not be read: %u.", more);
}

void say_doubts(const struct report *r, unsigned width, struct buf *out)
{
	if (r->incomplete)
		say(out, width, "the recording was not completed: its events are there as far as they were written.");
	if (r->bad_pages || r->bad_events)
		say(out, width, "parts of the file that could not be read: %" PRIu64 " pages and %" PRIu64 " events.", r->bad_pages, r->bad_events);
	say_unknown(r, width, out);
	say_calls(r, width, out);
	if (r->other_sites)
		say(out, width, "events at places behind the first %d, which are counted together: %" PRIu64 ".", REPORT_ROWS, r->other_sites);
	if (r->other_tasks)
		say(out, width, "events of tasks behind the first %d, which are counted together: %" PRIu64 ".", REPORT_ROWS, r->other_tasks);
	if (r->other_gaps)
		say(out, width, "losses behind the first %d, of which the time was not kept: %" PRIu64 ".", REPORT_GAPS, r->other_gaps);
}
