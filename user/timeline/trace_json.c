// SPDX-License-Identifier: GPL-2.0-only
/*
 * trace_json.c - a timeline in the trace-event format, which Perfetto, Chrome and Speedscope open.
 *
 * One object; its list traceEvents has a line for each slice, instant and sample, so a file that was cut can be repaired by hand. Times are
 * microseconds with three decimals. What a double cannot hold is a string.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "print/json_string.h"
#include "timeline/encoder.h"

#define EXACT	(1ull << 53)		/* a double can hold every whole number up to this one */

/*
 * A task has a number up to 2^22 (6.12, include/linux/threads.h, PID_MAX_LIMIT); tracks that are none have others. All those of a machine
 * begin at a multiple of 2^23.
 */
enum { MACHINE_PIDS = 1 << 23, MACHINE_PID = (1 << 22) + 1, FIRST_CPU = MACHINE_PID + 1, FIRST_IDLE = FIRST_CPU + (1 << 16),
       FIRST_LANE = FIRST_IDLE + (1 << 16) };

struct json {
	const struct recording *machines;
	unsigned nr;
	bool comma;
};

/* A text from outside: it may have any bytes. */
static void add_raw(struct buf *out, const char *key, const char *s)
{
	struct details text = { 0 };

	details_copy(&text, s, strlen(s));
	buf_adds(out, key);
	json_text(out, details_at(&text, 0));
	details_fini(&text);
}

/* ---- args ---- */

static void add_members(struct buf *out, const struct details *a, unsigned from, unsigned to, bool first);

static void add_number(struct buf *out, uint64_t n, bool is_signed)
{
	bool negative = is_signed && (int64_t)n < 0, exact;

	n = negative ? 0 - n : n;
	exact = n <= EXACT;
	buf_adds(out, exact ? "" : "\"");
	buf_adds(out, negative ? "-" : "");
	buf_dec(out, n);
	buf_adds(out, exact ? "" : "\"");
}

/* Returns the index of the arg behind it. */
static unsigned add_value(struct buf *out, const struct details *a, unsigned i)
{
	const struct detail *arg = &a->all[i];

	switch (arg->kind) {
	case DETAIL_FAULT:
		buf_adds(out, "null");
		break;
	case DETAIL_UNSIGNED:
	case DETAIL_SIGNED:
		add_number(out, arg->n, arg->kind == DETAIL_SIGNED);
		break;
	case DETAIL_HEX:
		buf_addf(out, "\"0x%" PRIx64 "\"", arg->n);
		break;
	case DETAIL_FLAG:
		buf_adds(out, "true");
		break;
	case DETAIL_TEXT:
		json_text(out, details_at(a, arg->at));
		break;
	default:
		buf_addc(out, arg->kind == DETAIL_LIST ? '[' : '{');
		add_members(out, a, i + 1, i + 1 + (unsigned)arg->n, true);
		buf_addc(out, arg->kind == DETAIL_LIST ? ']' : '}');
		return i + 1 + (unsigned)arg->n;
	}
	return i + 1;
}

static void add_members(struct buf *out, const struct details *a, unsigned from, unsigned to, bool first)
{
	for (unsigned i = from; i < to; first = false) {
		if (!first)
			buf_addc(out, ',');
		if (a->all[i].name != DETAIL_NO_NAME) {
			json_text(out, details_at(a, a->all[i].name));
			buf_addc(out, ':');
		}
		i = add_value(out, a, i);
	}
}

static void add_args(struct buf *out, const struct details *a, const struct details *rest)
{
	buf_adds(out, ",\"args\":{");
	add_members(out, a, 0, a->nr, true);
	if (rest)
		add_members(out, rest, 0, rest->nr, !a->nr);
	buf_addc(out, '}');
}

/* ---- tracks ---- */

static uint64_t pid_of(const struct track *t)
{
	uint64_t pid = t->kind == TRACK_PROCESS ? t->number : t->kind == TRACK_THREAD ? t->pid : t->kind == TRACK_IDLE ? 0 : MACHINE_PID;

	return pid + (uint64_t)t->machine * MACHINE_PIDS;
}

/* Idle tasks all have the number 0, so they get others. */
static uint64_t tid_of(const struct track *t)
{
	static const uint32_t first[TRACK_KINDS] = {
		[TRACK_CPU] = FIRST_CPU, [TRACK_IDLE] = FIRST_IDLE, [TRACK_LANE] = FIRST_LANE, [TRACK_MACHINE] = MACHINE_PID,
	};
	uint64_t number = t->kind == TRACK_COUNTER ? MACHINE_PID : first[t->kind] + t->number;

	return number + (uint64_t)t->machine * MACHINE_PIDS;
}

static void begin(struct json *j, const char *phase, const struct track *t, struct buf *out)
{
	buf_adds(out, j->comma ? ",\n" : "\n");
	j->comma = true;
	buf_addf(out, "{\"ph\":\"%s\",\"pid\":%" PRIu64 ",\"tid\":%" PRIu64, phase, pid_of(t), tid_of(t));
}

static void add_time(struct buf *out, const char *key, uint64_t ns)
{
	buf_adds(out, key);
	buf_dec(out, ns / 1000);
	buf_addf(out, ".%03u", (unsigned)(ns % 1000));
}

static void add_name(struct buf *out, const char *name, const char *category)
{
	buf_adds(out, ",\"name\":");
	json_text(out, name);
	buf_adds(out, ",\"cat\":");
	json_text(out, category);
}

/* The kernel's idle tasks are one process, of which nothing else speaks. */
static void name_process(struct json *j, const struct track *t, const char *name, struct buf *out)
{
	begin(j, "M", t, out);
	buf_adds(out, ",\"name\":\"process_name\",\"args\":{\"name\":");
	if (j->nr > 1 && t->kind != TRACK_MACHINE) {
		struct buf both = { 0 };

		buf_addf(&both, "%s: %s", j->machines[t->machine].host, name);
		add_raw(out, "", buf_str(&both));
		buf_fini(&both);
	} else {
		json_text(out, name);
	}
	buf_adds(out, "}}");
}

static void put_track(void *e, const struct track *t, struct buf *out)
{
	struct json *j = e;

	if (t->kind == TRACK_MACHINE || t->kind == TRACK_PROCESS) {
		name_process(j, t, t->name, out);
		return;
	}
	if (t->kind == TRACK_COUNTER)		/* its samples have its name */
		return;
	if (t->kind == TRACK_IDLE)
		name_process(j, t, "swapper", out);
	begin(j, "M", t, out);
	buf_adds(out, ",\"name\":\"thread_name\",\"args\":{\"name\":");
	json_text(out, t->name);
	buf_adds(out, "}}");
}

/* ---- events ---- */

static void put_slice(void *e, const struct slice *s, struct buf *out)
{
	begin(e, s->unfinished ? "B" : "X", &s->track, out);
	add_time(out, ",\"ts\":", s->start);
	if (!s->unfinished)
		add_time(out, ",\"dur\":", s->end - s->start);
	add_name(out, s->name, s->category);
	add_args(out, s->args, s->rest);
	buf_addc(out, '}');
}

static void put_instant(void *e, const struct slice *s, struct buf *out)
{
	begin(e, "i", &s->track, out);
	add_time(out, ",\"ts\":", s->start);
	buf_adds(out, ",\"s\":\"t\"");
	add_name(out, s->name, s->category);
	add_args(out, s->args, NULL);
	buf_addc(out, '}');
}

static void put_counter(void *e, const struct sample *s, struct buf *out)
{
	begin(e, "C", &s->track, out);
	add_time(out, ",\"ts\":", s->at);
	buf_adds(out, ",\"name\":");
	json_text(out, s->name);
	buf_adds(out, ",\"args\":{\"value\":");
	/* A string is no height of a curve, so here a number is as exact as a double is. */
	if (s->is_signed ? s->n + EXACT > 2 * EXACT : s->n > EXACT)
		buf_addf(out, "%.17g", s->is_signed ? (double)(int64_t)s->n : (double)s->n);
	else
		add_number(out, s->n, s->is_signed);
	buf_adds(out, "}}");
}

/* ---- the file ---- */

/* What the first reading says, and the clock of the times. Offsets are what is added to these times. */
static void add_machine(struct buf *out, const struct recording *m)
{
	add_raw(out, "{\"host\":", m->host);
	add_raw(out, ",\"boot_id\":", m->boot_id);
	add_raw(out, ",\"kernel\":", m->release);
	add_raw(out, ",\"machine\":", m->machine);
	buf_addf(out, ",\"clock\":\"%s\"", timebase_name(m->clock));
	if (m->nr_readings) {
		uint64_t own = clock_reading_of(&m->readings[0], m->clock);

		buf_addf(out, ",\"realtime_offset_ns\":\"%" PRId64 "\",\"boottime_offset_ns\":\"%" PRId64 "\"",
			 (int64_t)(m->readings[0].real - own), (int64_t)(m->readings[0].boot - own));
	}
	buf_addc(out, '}');
}

static void *open_json(const struct recording *machines, unsigned nr, const char *version, struct buf *out)
{
	struct json *j = must(calloc(1, sizeof(*j)));

	*j = (struct json){ .machines = machines, .nr = nr };
	add_raw(out, "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"writer\":", version);
	buf_adds(out, ",\"machines\":[");
	for (unsigned i = 0; i < nr; i++) {
		buf_adds(out, i ? "," : "");
		add_machine(out, &machines[i]);
	}
	buf_adds(out, "]},\"traceEvents\":[");
	return j;
}

static void end_json(void *e, struct buf *out)
{
	(void)e;
	buf_adds(out, "\n]}\n");
}

const struct encoder encoder_json = {
	.name = "trace-event JSON", .open = open_json, .track = put_track, .slice = put_slice, .instant = put_instant,
	.counter = put_counter, .end = end_json, .close = free,
};
