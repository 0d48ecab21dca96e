// SPDX-License-Identifier: GPL-2.0-only
/*
 * live_show.c - the live view of a run.
 */
#include "trace/live_show.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/escape.h"
#include "base/memory.h"
#include "base/screen.h"
#include "base/terminal.h"
#include "base/write_all.h"
#include "hist/triggers.h"
#include "live/table.h"
#include "run/channel.h"
#include "run/count_map.h"
#include "trace/tracer.h"

enum { SECOND = 1000000000, TOP_KEYS = 3 };

struct live_show {
	struct tracer *tracer;
	struct live_table table;
	struct live_view view;
	struct live_row *rows;
	unsigned nr_rows;
	uint64_t interval_ns, began, read_at;	/* CLOCK_MONOTONIC */
	bool objects, begun, paused, helps, colours;
	unsigned offset;		/* lines above the first one that the screen shows */
	unsigned nr_lines;		/* of the table */
	int said_fd, error_fd;		/* while the screen is open: what standard error got, and where it goes; -1: it is not taken */
};

static const char *const help[] = {
	"e s t a 9 l m   sort by event, hits a second, total, average, p99, lost, missed",
	"r               reverse the order",
	"p               pause: the figures stay as they are, until p",
	"arrows, pages   scroll, if there are more lines than the screen has",
	"q, Ctrl-C       end",
	"h, ?            this help, or the figures again",
	"",
	"HITS/S, AVG and P99 are those of the last interval; TOTAL, LOST and MISSED count from",
	"the beginning. P99 is an upper bound: 99 of 100 calls took no longer. Below an event are",
	"the keys with the most hits. LOST: there was no room for a record. MISSED: the kernel",
	"did not run the probe.",
};

/* ---- the rows ---- */

static bool has_elapsed(const struct probe_def *def)
{
	for (unsigned i = 0; i < def->nr_args; i++) {
		if (def->args[i].expr->kind == EXPR_ELAPSED)
			return true;
	}
	return false;
}

static struct live_row *find_row(struct live_show *s, const char *group, const char *event)
{
	for (unsigned i = 0; i < s->nr_rows; i++) {
		if (!strcmp(s->rows[i].event, event) && !strcmp(s->rows[i].group, group))
			return &s->rows[i];
	}
	return NULL;
}

/* One for each event, in the order of the definitions. The histogram of an event has durations if those of its definitions have. */
static void make_rows(struct live_show *s)
{
	const struct set *set = &s->tracer->set;

	s->rows = must(calloc(set->nr_probes + 1, sizeof(*s->rows)));
	for (unsigned i = 0; i < set->nr_probes; i++) {
		const struct probe_def *def = set->probes[i].def;

		if (find_row(s, def->group, def->event))
			continue;
		s->rows[s->nr_rows++] = (struct live_row){ .group = def->group, .event = def->event, .has_key = def->triggers,
							   .has_elapsed = def->triggers && has_elapsed(def) };
	}
}

static struct live_counters read_counters(const struct live_show *s, const struct live_row *row)
{
	const struct set *set = &s->tracer->set;
	struct live_counters all = { .missed_known = true };
	const void *table = NULL;

	for (unsigned i = 0; i < set->nr_probes; i++) {
		const struct probe *p = &set->probes[i];
		struct triggers_counted counted;
		struct bp_stat stat;
		uint64_t missed;

		if (strcmp(p->def->event, row->event) || strcmp(p->def->group, row->group))
			continue;
		counted = triggers_counted(s->tracer->triggers, i);
		if (counted.table != table)	/* definitions of one event share one */
			all.hits += counted.hits;
		table = counted.table ? counted.table : table;
		channel_stat(set->channel, i, &stat);
		all.hits += stat.hits - MIN(p->outcomes.filtered, (uint64_t)stat.hits);
		all.lost += stat.lost;
		all.missed_known &= set_missed(set, p, &missed);
		all.missed += missed;
	}
	return all;
}

static void take_histogram(void *ctx, struct histogram *h, const struct hist_table *table)
{
	struct live_show *s = ctx;
	struct live_row *row = find_row(s, h->group, h->event);
	uint64_t top = s->tracer->opts->run.top;

	if (row)
		live_row_add(row, h, table, &s->tracer->stream.text, top ? (unsigned)MIN(top, (uint64_t)UINT32_MAX) : TOP_KEYS);
}

static void read_all(struct live_show *s)
{
	struct triggers_reading how = { .read = count_map_take, .show = take_histogram, .clears = true, .ctx = s };
	uint64_t now = now_ns();
	int err;

	for (unsigned i = 0; i < s->nr_rows; i++)
		live_row_begin(&s->rows[i]);
	err = triggers_each(s->tracer->triggers, &how);
	for (unsigned i = 0; i < s->nr_rows; i++) {
		const struct live_counters counters = read_counters(s, &s->rows[i]);

		live_row_count(&s->rows[i], &counters);
	}
	if (err)
		fprintf(stderr, "bprobe: a table could not be read: %s\n", strerror(-err));
	s->table.ns = now - s->read_at;
	s->read_at = now;
}

/* ---- lines ---- */

static void print_objects(const struct live_show *s, struct buf *out)
{
	const struct stream *stream = &s->tracer->stream;

	for (unsigned i = 0; i < s->nr_rows; i++) {
		size_t from = out->len;

		live_row_json(&s->table, &s->rows[i], s->read_at, stream->text.sender, out);
		if (stream->sink->reform)
			stream->sink->reform(out, from);
	}
}

static void print_lines(struct live_show *s, struct buf *out)
{
	size_t from = out->len;

	/* The reader takes nothing: this reading is left out, so that memory does not grow. */
	if (from > OUTPUT_BLOCK)
		return;
	if (s->objects) {
		print_objects(s, out);
		return;
	}
	s->view.width = terminal_width(STDOUT_FILENO);
	if (s->begun)
		buf_addc(out, '\n');
	live_table_text(&s->table, &s->view, out);
	if (isatty(STDOUT_FILENO) && !s->view.utf8)
		escape_high(out, from, false);
}

/* ---- the screen ---- */

/* @rest: lines below it. */
static void put_status(const struct live_show *s, unsigned width, unsigned rest, struct buf *out)
{
	uint64_t lost = 0, seconds = (s->read_at - s->began) / SECOND;
	struct buf text = { 0 };

	for (unsigned i = 0; i < s->nr_rows; i++)
		lost += s->rows[i].lost;
	buf_addf(&text, "bprobe: %u event%s, %" PRIu64 ":%02" PRIu64 "%s", s->nr_rows, s->nr_rows == 1 ? "" : "s", seconds / 60, seconds % 60,
		 s->paused ? ", PAUSED" : "");
	if (lost)
		buf_addf(&text, ", %" PRIu64 " lost", lost);
	buf_adds(&text, "   q: end  ?: help  []: sort  r: reverse  p: pause");
	live_put_cut(text.data, text.len, width, out);
	buf_adds(out, rest ? SCREEN_END_LINE : "\033[K");
	buf_fini(&text);
}

/* The lines of @text that the screen has room for. The first one, with the titles, always stays. The last line of a screen has no newline. */
static void put_page(struct live_show *s, const char *text, unsigned room, struct buf *out)
{
	unsigned line = 0, shown = 0;

	for (const char *next; *text && shown < room; text = next, line++) {
		next = strchr(text, '\n') + 1;
		if (line && line <= s->offset)
			continue;
		buf_add(out, text, (size_t)(next - 1 - text));
		buf_adds(out, ++shown < room ? SCREEN_END_LINE : "\033[K");
	}
	buf_adds(out, SCREEN_CLEAR);
}

static unsigned count_lines(const char *text)
{
	unsigned nr = 0;

	for (; (text = strchr(text, '\n')); text++)
		nr++;
	return nr;
}

static void put_help(unsigned width, struct buf *text)
{
	for (size_t i = 0; i < ARRAY_SIZE(help); i++) {
		live_put_cut(help[i], strlen(help[i]), width, text);
		buf_addc(text, '\n');
	}
}

/* If the terminal has not taken the screen before, this one would only come later: it is left out. */
static void draw(struct live_show *s)
{
	struct output *o = &s->tracer->stream.out;
	unsigned width = terminal_width(STDOUT_FILENO), height = terminal_height(STDOUT_FILENO), room;
	struct buf text = { 0 };

	if (o->text.len)
		return;
	width = width ? width : 80;
	room = (height ? height : 24) - 1;
	s->view.width = width;
	buf_adds(&o->text, SCREEN_HOME);
	put_status(s, width, room, &o->text);
	if (s->helps)
		put_help(width, &text);
	else
		live_table_text(&s->table, &s->view, &text);
	s->nr_lines = count_lines(buf_str(&text));
	s->offset = MIN(s->offset, s->nr_lines > room ? s->nr_lines - room : 0);
	put_page(s, buf_str(&text), room, &o->text);
	/* A terminal that is not UTF-8 may take bytes from 0x80 on for control characters. */
	if (!s->view.utf8)
		escape_high(&o->text, 0, false);
	buf_fini(&text);
}

static void scroll(struct live_show *s, int lines)
{
	if (lines < 0)
		s->offset -= MIN(s->offset, (unsigned)-lines);
	else
		s->offset += (unsigned)lines;	/* draw() knows the end */
}

static void press(struct live_show *s, int key)
{
	int page = (int)terminal_height(STDOUT_FILENO) - 3;

	switch (key) {
	case 'q':
		tracer_end(s->tracer, END_SIGNAL);
		break;
	case 'r':
		s->view.reverse = !s->view.reverse;
		break;
	case 'p':
		s->paused = !s->paused;
		break;
	case 'h':
	case '?':
		s->helps = !s->helps;
		break;
	case SCREEN_UP:
	case SCREEN_DOWN:
		scroll(s, key == SCREEN_UP ? -1 : 1);
		break;
	case SCREEN_PAGE_UP:
	case SCREEN_PAGE_DOWN:
		scroll(s, key == SCREEN_PAGE_UP ? -MAX(page, 1) : MAX(page, 1));
		break;
	case SCREEN_BEGIN:
	case SCREEN_LAST:
		s->offset = key == SCREEN_BEGIN ? 0 : s->nr_lines;
		break;
	default:
		live_column_of(key, &s->view.sort);
		break;
	}
}

void live_show_keys(struct live_show *s)
{
	int key;

	while ((key = screen_key()) != SCREEN_NO_KEY)
		press(s, key);
	if (s->tracer->end == END_NOT)
		draw(s);
}

int live_show_fd(const struct live_show *s)
{
	return s && screen_is_open() ? screen_fd() : -1;
}

/* ---- messages ---- */

/* A message would be in the midst of the screen, and gone with it. So they wait. */
static void take_messages(struct live_show *s)
{
	if (!isatty(STDERR_FILENO))
		return;
	s->said_fd = memfd_create("messages", MFD_CLOEXEC);
	s->error_fd = s->said_fd < 0 ? -1 : fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	if (s->error_fd >= 0)
		dup2(s->said_fd, STDERR_FILENO);
}

static void give_messages(struct live_show *s)
{
	char text[4096];
	off_t at = 0;
	ssize_t len;

	if (s->error_fd >= 0) {
		fflush(stderr);
		dup2(s->error_fd, STDERR_FILENO);
		close(s->error_fd);
		while ((len = pread(s->said_fd, text, sizeof(text), at)) > 0 && !write_all(STDERR_FILENO, text, (size_t)len))
			at += len;
	}
	if (s->said_fd >= 0)
		close(s->said_fd);
	s->error_fd = s->said_fd = -1;
}

/* ---- a run ---- */

static bool wants_screen(const struct live_show *s)
{
	const struct options *o = s->tracer->opts;

	return !s->objects && !o->run.interval_ns && !o->command && screen_possible();
}

struct live_show *live_show_open(struct tracer *t)
{
	const struct options *o = t->opts;
	struct live_show *s = must(calloc(1, sizeof(*s)));

	s->tracer = t;
	s->said_fd = s->error_fd = -1;
	s->objects = t->stream.sink->objects;
	s->interval_ns = o->run.interval_ns ? o->run.interval_ns : SECOND;
	s->began = s->read_at = now_ns();
	s->view = (struct live_view){ .utf8 = isatty(STDOUT_FILENO) && terminal_is_utf8(), .sort = LIVE_RATE };
	make_rows(s);
	s->table = (struct live_table){ .rows = s->rows, .nr_rows = s->nr_rows, .key = o->set.answers.by ? o->set.answers.by : "comm" };
	if (wants_screen(s) && screen_open()) {
		s->view.letters = true;
		take_messages(s);
		lint_child_kill(&t->lint);	/* its warnings would be in the midst of the screen; --explain has them */
		if (terminal_has_colours(STDOUT_FILENO, o->lines.colour)) {
			s->view.begin = "\033[1m";
			s->view.end = "\033[0m";
		}
		read_all(s);
		draw(s);
	}
	return s;
}

void live_show_leave(struct live_show *s)
{
	struct output *o;

	if (!s || !screen_is_open())
		return;
	o = &s->tracer->stream.out;
	buf_reset(&o->text);		/* a part of a screen */
	o->done = 0;
	screen_close(&o->text);
	give_messages(s);
	/* What follows are the figures of the whole run. */
	s->table.whole = true;
	s->view = (struct live_view){ .utf8 = s->view.utf8, .sort = s->view.sort, .reverse = s->view.reverse };
}

void live_show_close(struct live_show *s)
{
	if (!s)
		return;
	live_show_leave(s);
	for (unsigned i = 0; i < s->nr_rows; i++)
		live_row_fini(&s->rows[i]);
	free(s->rows);
	free(s);
}

uint64_t live_show_interval(const struct live_show *s)
{
	return s->interval_ns;
}

void live_show_print(struct live_show *s, bool last)
{
	struct buf *out = &s->tracer->stream.out.text;

	if (screen_is_open() && !last) {
		screen_was_stopped();
		if (!s->paused)
			read_all(s);
		draw(s);
		return;
	}
	read_all(s);
	if (s->table.whole)
		s->table.ns = s->read_at - s->began;
	print_lines(s, out);
	s->begun = true;
}
