// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_dat.c - any bytes as a trace.dat: it is read or refused, and what is read is printed in every way, and summed up. The sanitizers check that
 * nothing outside of the file is read.
 *
 *	clang -fsanitize=fuzzer,address ...		libFuzzer's own driver
 *	cc -DSTANDALONE ...; fuzz_dat - N [SEED]	N files with one changed byte, of versions 6 and 7 (by each packing)
 */
#include <sys/mman.h>
#include <unistd.h>

#include "dat/dat_cursor.h"
#include "dat/dat_pack.h"
#include "elf/builds.h"
#include "print/json.h"
#include "print/json_flat.h"
#include "print/frames.h"
#include "print/sink.h"
#include "print/stack.h"
#include "report/data.h"
#include "report/report.h"
#include "timeline/timeline.h"
#include "trace/recorded.h"
#include "trace/recorded_symbols.h"

#include "../unit/dat_sheet.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SUMMED_UP = 20 };		/* each so many files: it takes longer than to print the lines */

static unsigned damaged_lines;
static unsigned long recorded_records;

/* What --lines-in-stacks asks of each frame. */
static void find_places(const struct text *text, const struct event *ev)
{
	for (unsigned kind = 0; kind < STACK_KINDS; kind++) {
		struct stack stack;
		struct frame frame;

		if (!stack_get(ev, (enum stack_kind)kind, &stack))
			continue;
		for (unsigned i = 0; i < stack.nr; i++)
			stack_place(text, ev, &stack, i, &frame);
	}
}

/* The file as a timeline, in each form that this build has. */
struct pictures {
	struct timeline *all[2];
	struct buf out;
};

static void pictures_begin(struct pictures *p, const struct recording *recording, const struct dat_format *forms, unsigned nr)
{
	static const struct encoder *const encoders[] = { &encoder_json, &encoder_pftrace };
	static const char *const counters[] = { "*" };
	const struct layout **of = calloc(nr + 1, sizeof(*of));

	for (unsigned i = 0; i < nr; i++)
		of[i] = &forms[i].layout;
	for (unsigned i = 0; i < ARRAY_SIZE(encoders); i++) {
		if (encoders[i]->missing)
			continue;
		p->all[i] = timeline_new(&(struct timeline_opts){ .encoder = encoders[i], .version = "fuzz", .machines = recording,
					 .nr_machines = 1, .counters = counters, .nr_counters = 1 }, &p->out);
		timeline_learn(p->all[i], of, nr);
	}
	free(of);
}

static void pictures_event(struct pictures *p, const struct text *text, struct bp_rec *rec, unsigned which, const struct event *ev)
{
	rec->probe = which;
	for (unsigned i = 0; i < ARRAY_SIZE(p->all); i++) {
		if (p->all[i] && timeline_knows(p->all[i], ev))
			timeline_event(p->all[i], 0, text, ev, &p->out);
	}
	buf_reset(&p->out);
}

static void pictures_end(struct pictures *p)
{
	for (unsigned i = 0; i < ARRAY_SIZE(p->all); i++) {
		if (p->all[i])
			timeline_end(p->all[i], NULL, &p->out);
		timeline_free(p->all[i]);
	}
	buf_fini(&p->out);
}

/* Prints a record of the file in each way, with the layout that is in the file: number @which. */
static void print_damaged(struct text *text, const struct dat_format *form, struct dat_extras *extras, const struct dat_hit *hit,
			  struct report *report, struct buf *room, struct buf *out, struct pictures *pictures, unsigned which)
{
	struct event ev;

	if (dat_record_unpack(form, extras, hit->record, hit->len, room) ||
	    !event_decode(&form->layout, (const void *)room->data, (uint32_t)room->len, &ev))
		return;
	buf_reset(out);
	json_event(text, &ev, out);
	json_flatten(out, 0);
	for (enum style style = STYLE_KPROBE; style < STYLE_COUNT; style++) {
		text->style = style;
		text_symbols(text, text->ks);	/* nobody prints in two styles, so they share a table */
		style_sink(style)->event(NULL, text, &ev, out);
	}
	find_places(text, &ev);
	pictures_event(pictures, text, (struct bp_rec *)room->data, which, &ev);
	if (report)
		sink_report.event(report, text, &ev, NULL);
	damaged_lines++;
}

/* With little room for texts, so that they are cut. */
static void print_report(struct report *r, struct buf *out)
{
	buf_reset(out);
	report_end(r);
	report_text(r, &(struct report_view){ .width = 80, .utf8 = true }, out);
	data_put(r, 20000, out);
	report_fini(r);
}

static bool read_damaged(int fd)
{
	static unsigned files;
	struct report report = { .for_page = true };
	bool sums_up = files % SUMMED_UP == 0;
	struct text text = { 0 };
	struct arena arena = { 0 };
	struct diag diag = { 0 };
	struct buf room = { 0 }, out = { 0 };
	struct dat_file f;
	struct dat_hit hit;
	int err = dat_open(&arena, fd, &f, &diag);

	context_rules_init(&text.rules, RELEASE(6, 12), true);
	report_init(&report);
	if (!err) {
		struct dat_cursors *cursors = dat_cursors_open(&arena, f.stripes, f.nr_stripes, f.page_size);
		struct dat_format *forms = arena_array(&arena, struct dat_format, f.nr_events);
		struct dat_extras extras = { 0 };
		struct recording recording = recording_parse(&arena, f.writer, f.uname, f.clock);
		struct pictures pictures = { 0 };
		unsigned nr = 0;

		for (unsigned i = 0; i < f.nr_events; i++) {
			nr += !dat_format_parse(&arena, f.events[i].text, &forms[nr]);
			forms[nr ? nr - 1 : 0].layout.group = f.events[i].system;
		}
		if (files++ % 4 == 0)	/* they need as long as all else */
			pictures_begin(&pictures, &recording, forms, nr);
		/* With each layout, not only its own: the damaged part may be the number of the event. */
		for (unsigned n = 0; nr && n < 50 && dat_cursors_next(cursors, &hit); n++) {
			if (hit.lost && sums_up)
				sink_report.lost(&report, &text, hit.cpu, hit.lost, NULL);
			if (hit.record)
				print_damaged(&text, &forms[n % nr], &extras, &hit, sums_up ? &report : NULL, &room, &out, &pictures, n % nr);
		}
		pictures_end(&pictures);
		if (sums_up)
			print_report(&report, &out);
		dat_cursors_close(cursors);
		dat_extras_fini(&extras);
	}
	text_fini(&text);
	buf_fini(&room);
	buf_fini(&out);
	diag_fini(&diag);
	arena_fini(&arena);
	return !err;
}

/* As --read does it: with its symbols and builds, and each record in the ring's form. */
static void read_recording(int fd)
{
	struct recorded_symbols symbols = { 0 };
	struct builds builds = { 0 };
	struct buf room = { 0 };
	struct diag diag = { 0 };
	struct recorded r;
	char path[40];
	int err;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	err = recorded_open(&r, path, &symbols, &builds, &diag);
	if (err && (err != diag.err || !diag.msg.len))
		abort();
	if (!err) {
		const struct recorded_event *e;
		const struct bp_rec *rec;

		recorded_look(&r);
		recorded_begin(&r);
		for (unsigned n = 0; n < 200 && r.has_hit; n++) {
			rec = r.hit.record ? recorded_unpack(&r, &room, &e) : NULL;
			if (rec && (rec->probe >= r.nr_events || rec->cpu >= r.nr_cpus || rec->ts != r.hit.ts))
				abort();
			recorded_records += rec != NULL;
			recorded_next(&r);
		}
	}
	recorded_close(&r);
	recorded_symbols_fini(&symbols);
	builds_fini(&builds);
	buf_fini(&room);
	diag_fini(&diag);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", 0);

	if (write(fd, data, size) == (ssize_t)size) {
		read_damaged(fd);
		read_recording(fd);
	}
	close(fd);
	return 0;
}

#ifdef STANDALONE

#include <stdlib.h>

#include "../roll.h"
#include "seeds.h"

/* Changes a byte near the start, where the counts and the formats are, @n times. Every second one is in the first @head bytes. */
static void damage(int fd, size_t head, unsigned long n, unsigned long *read, unsigned long *refused)
{
	for (unsigned long i = 0; i < n; i++) {
		off_t at = (off_t)roll((uint32_t)(i % 2 ? head : 3 * head));
		char was, is = (char)roll(256);

		if (pread(fd, &was, 1, at) != 1 || pwrite(fd, &is, 1, at) != 1)
			continue;
		if (read_damaged(fd))
			++*read;
		else
			++*refused;
		read_recording(fd);
		if (pwrite(fd, &was, 1, at) != 1)
			abort();
	}
}

static void write_file(const char *dir, int fd)
{
	static uint8_t data[1 << 20];
	ssize_t len = pread(fd, data, sizeof(data), 0);

	if (len <= 0 || len == sizeof(data))
		abort();
	seed_write(dir, data, (size_t)len);
}

int main(int argc, char **argv)
{
	static const char *const packings[] = { "zlib", "zstd" };
	const char *dir = seeds_asked(argc, argv);
	unsigned long n = argc > 2 ? strtoul(argv[2], NULL, 0) : 1500, read = 0, refused = 0;
	struct dat_stripe stripes[CPUS];
	struct text text = { 0 };
	struct sheet s = { 0 };
	struct buf head = { 0 };
	struct arena arena = { 0 };
	int fd = memfd_create("v6", 0);

	if (argc > 3)
		seed = strtoull(argv[3], NULL, 0) | 1;
	sheet_is_small = dir;
	sheet_records = dir ? 30 : NR;
	sheet_init(&s, &text, stripes, &arena);
	dat_head(&s.meta, &head);
	if (pwrite(fd, head.data, head.len, 0) != (ssize_t)head.len || dat_join(fd, &s.meta, head.len, stripes, CPUS, NULL))
		abort();
	if (dir)
		write_file(dir, fd);
	else
		damage(fd, head.len, n / 3, &read, &refused);
	close(fd);
	for (unsigned i = 0; i < ARRAY_SIZE(packings); i++) {
		const struct dat_packing *packing = dat_packing_find(packings[i]);

		if (!packing)
			continue;
		fd = memfd_create("v7", 0);
		if (dat_join_compressed(fd, &s.meta, packing, stripes, CPUS, NULL))
			abort();
		if (dir)
			write_file(dir, fd);
		else
			damage(fd, 2000, n / 3, &read, &refused);
		close(fd);
	}
	if (!dir && (!read || !refused || !damaged_lines || !recorded_records))
		abort();
	printf("fuzz_dat: %lu damaged files: %lu read, of which %u records are printed, %lu refused\n", read + refused, read,
	       damaged_lines, refused);
	sheet_fini(&s);
	buf_fini(&head);
	arena_fini(&arena);
	return 0;
}

#endif
