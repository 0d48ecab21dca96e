// SPDX-License-Identifier: GPL-2.0-only
/*
 * answers_show.c - prints the histograms of a run.
 *
 * --trigger prints what the kernel's hist file has. The short forms are for people: on a terminal they are drawn to its width, once a
 * second, each time over the last one. With --json each histogram is an object on a line, each time.
 */
#include "trace/answers_show.h"

#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/terminal.h"
#include "hist/hist_draw.h"
#include "hist/hist_text.h"
#include "run/count_map.h"
#include "set/trigger_run.h"
#include "trace/tracer.h"

enum { PLAIN_WIDTH = 80, LIVE_NS = 1000000000, SPARE_LINES = 2 };

struct printer {
	struct tracer *tracer;
	struct buf *out;
	struct hist_view view;
	uint64_t now;
	bool several, begun;
};

static bool is_live(const struct tracer *t)
{
	const struct options *o = t->opts;

	return o->set.answers.wanted && !(o->lines.sink && o->lines.sink->objects) && !t->command.argv && isatty(STDOUT_FILENO);
}

void answers_begin(struct tracer *t)
{
	struct answers_show *s = &t->answers;

	if (t->opts->set.answers.live) {
		t->live = live_show_open(t);
		s->interval_ns = live_show_interval(t->live);
		s->next_ns = now_ns() + s->interval_ns;
		return;
	}
	if (!t->triggers)
		return;
	s->live = is_live(t);
	s->interval_ns = t->opts->run.interval_ns ? t->opts->run.interval_ns : s->live ? LIVE_NS : 0;
	s->next_ns = s->interval_ns ? now_ns() + s->interval_ns : 0;
}

/* ---- one time ---- */

static void print_json(void *ctx, struct histogram *h, const struct hist_table *table)
{
	struct printer *p = ctx;
	const struct sink *sink = p->tracer->stream.sink;
	size_t from = p->out->len;

	hist_text_json(h, table, &p->tracer->stream.text, p->now, p->tracer->opts->run.top, p->out);
	if (sink->reform)
		sink->reform(p->out, from);
}

static void print_drawn(void *ctx, struct histogram *h, const struct hist_table *table)
{
	struct printer *p = ctx;

	if (p->begun)
		buf_addc(p->out, '\n');
	p->begun = true;
	hist_draw(h, table, &p->tracer->stream.text, &p->view, p->out);
}

static unsigned count_lines(const char *text, size_t len)
{
	unsigned nr = 0;

	for (const char *at = text; (at = memchr(at, '\n', len - (size_t)(at - text))); at++)
		nr++;
	return nr;
}

/* Goes back to the first line of the last text, as far as the terminal has it, and clears what is below. */
static void go_back(struct answers_show *s, struct buf *out)
{
	unsigned height = terminal_height(STDOUT_FILENO), up = height ? MIN(s->lines, height - 1) : s->lines;

	if (up)
		buf_addf(out, "\033[%uA", up);
	buf_adds(out, "\r\033[J");
}

static void fit(const struct tracer *t, struct hist_view *view)
{
	unsigned width = terminal_width(STDOUT_FILENO);

	view->width = width ? width : PLAIN_WIDTH;
	view->utf8 = width && terminal_is_utf8();
	view->top = t->opts->run.top;
}

/* Text that will be printed over must not be longer than the terminal. */
static void cut(struct buf *out, size_t from)
{
	unsigned height = terminal_height(STDOUT_FILENO), room = height > SPARE_LINES ? height - SPARE_LINES : 1, rest;
	char *at = out->data + from;

	rest = count_lines(at, out->len - from);
	if (rest <= room)
		return;
	for (unsigned i = 0; i < room; i++)
		at = (char *)memchr(at, '\n', out->len - (size_t)(at - out->data)) + 1;
	out->len = (size_t)(at - out->data);
	buf_addf(out, "... and %u more lines\n", rest - room);
}

static int print(struct tracer *t, bool last, struct buf *out)
{
	struct printer p = { .tracer = t, .out = out, .now = now_ns() };
	bool takes = t->opts->run.reset && !last;
	struct triggers_reading how = { .read = takes ? count_map_take : count_map_read, .clears = takes, .ctx = &p };

	how.show = t->stream.sink->objects ? print_json : print_drawn;
	triggers_read_states(t->triggers, count_map_state);
	if (!t->stream.sink->objects && !t->opts->set.answers.wanted)
		return triggers_show(t->triggers, &t->stream.text, how.read, takes, out);
	fit(t, &p.view);
	return triggers_each(t->triggers, &how);
}

/* The events go to a file, which has no place for histograms: they are all that is printed. */
static void show_beside_file(struct buf *out, size_t from)
{
	fwrite(out->data + from, 1, out->len - from, stdout);
	fflush(stdout);
	out->len = from;
}

void answers_print(struct tracer *t, bool last)
{
	struct answers_show *s = &t->answers;
	struct buf *out = &t->stream.out.text;
	size_t before = out->len;
	int err;

	if (t->live) {
		live_show_print(t->live, last);
		s->next_ns = MAX(s->next_ns + s->interval_ns, now_ns());
		return;
	}
	if (!t->triggers)
		return;
	if (s->live)
		go_back(s, out);
	else if (s->begun && !t->stream.sink->objects)
		buf_addc(out, '\n');
	s->begun = true;
	err = print(t, last, out);
	if (err)
		fprintf(stderr, "bprobe: a table could not be read: %s\n", strerror(-err));
	if (t->record)
		show_beside_file(out, before);
	if (s->live && !last)
		cut(out, before);
	s->lines = count_lines(out->data + before, out->len - before);
	if (s->interval_ns)
		s->next_ns = MAX(s->next_ns + s->interval_ns, now_ns());
}
