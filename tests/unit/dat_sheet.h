/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dat_sheet.h - records of all types as the pages of a trace.dat, and the lines that they are. test_dat reads what is written of
 * them, fuzz_dat damages it.
 */
#ifndef DAT_SHEET_H
#define DAT_SHEET_H

#include <sys/mman.h>
#include <unistd.h>

#include "attach/backends.h"
#include "dat/dat.h"
#include "dat/dat_record.h"
#include "kernel/release.h"
#include "print/text.h"

static uint64_t random_u64(void)
{
	static uint64_t state = 88172645463325252u;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

/* Numbers of each length, not only long ones. */
static uint64_t some_number(void)
{
	return random_u64() >> random_u64() % 64;
}

/* The fields of each layout. */
static struct layout_field of_entry[] = {
	{ .name = "a", .type = { .kind = TYPE_HEX, .size = 8 }, .count = 1 },
	{ .name = "s", .type = { .kind = TYPE_STRING }, .count = 1, .room = 64, .grows = true },
	{ .name = "list", .type = { .kind = TYPE_SIGNED, .size = 2, .count = 3 }, .count = 3, .mark = LAYOUT_NO_MARK },
	{ .name = "texts", .type = { .kind = TYPE_STRING, .count = 2 }, .count = 2, .room = 64, .grows = true },
	{ .name = "sym", .type = { .kind = TYPE_SYMSTR }, .count = 1, .room = 8, .mark = LAYOUT_NO_MARK },
	{ .name = "c", .type = { .kind = TYPE_CHAR, .size = 1 }, .count = 1, .mark = LAYOUT_NO_MARK },
	{ .name = "vec", .type = { .kind = TYPE_STRING, .count = LANG_MAX_VECTOR + 1, .until_null = true }, .count = LANG_MAX_VECTOR + 1,
	  .room = 64, .grows = true },
	{ .name = "addr", .type = { .kind = TYPE_BLOCK, .show = SHOW_SOCKADDR }, .count = 1, .room = LAYOUT_BLOCK },
	{ .name = "macs", .type = { .kind = TYPE_BYTES, .size = 6, .count = 2, .show = SHOW_MAC }, .count = 2 },
	{ .name = "raw", .type = { .kind = TYPE_BUFFER, .show = SHOW_BYTES }, .count = 1, .room = 64, .grows = true },
	{ .name = "digits", .type = { .kind = TYPE_BUFFER, .show = SHOW_HEX }, .count = 1, .room = 64, .grows = true },
	{ .name = "err", .type = { .kind = TYPE_SIGNED, .size = 4, .show = SHOW_ERRNO }, .count = 1, .mark = LAYOUT_NO_MARK },
};

static struct layout_field of_ret[ARRAY_SIZE(of_entry)];

static struct layout layouts[] = {
	{ .backend = &backend_kprobe, .group = "kprobes", .event = "entry", .func = "f", .fields = of_entry, .nr_fields = ARRAY_SIZE(of_entry) },
	{ .backend = &backend_kprobe, .group = "mine", .event = "ret", .func = "f", .fields = of_ret, .nr_fields = ARRAY_SIZE(of_ret), .is_return = true },
};

/* Fills in a value of @room bytes, of which up to @longest are text. Returns how many it has; 0: it could not be read. */
static uint32_t make_string(char *at, const struct layout_field *f, uint32_t longest)
{
	static const char families[] = { 0, 1, 2, 10, 16, 17 };
	bool is_symbol = f->type.kind == TYPE_SYMSTR, is_block = f->type.kind == TYPE_BLOCK;
	uint32_t len = is_symbol || is_block ? f->room : 1 + (uint32_t)(random_u64() % longest);

	if (random_u64() % 5 == 0)
		return 0;
	for (uint32_t n = 0; n < len; n++)
		at[n] = is_symbol ? (char)random_u64() : n + 1 < len ? (char)(1 + random_u64() % 255) : '\0';
	if (is_block) {
		at[0] = families[random_u64() % sizeof(families)];
		at[1] = 0;
		at[len - 1] = (char)(2 + random_u64() % 109);		/* bytes that could be read */
	}
	return len;
}

/* The strings of an argument, from @at in the body on. Returns where they end. */
static uint32_t make_strings(char *body, const struct layout_field *f, uint32_t at)
{
	uint32_t nr = f->type.until_null ? (uint32_t)(random_u64() % (f->count + 1)) : f->count;
	uint32_t longest = f->type.until_null || !f->grows || random_u64() % 4 ? 60 : 4096;

	for (uint32_t k = 0; k < nr; k++) {
		uint32_t len = make_string(body + at, f, longest), loc = len << 16 | at;

		if (f->type.kind == TYPE_BUFFER && len)		/* no NUL is behind it, so it may have 0 bytes */
			loc = --len << 16 | at;
		else if (f->type.kind == TYPE_BUFFER)
			loc = 0;
		memcpy(body + f->off + 4 * k, &loc, 4);
		at += len + (uint32_t)(random_u64() % 70);
	}
	for (uint32_t k = nr; k < f->count; k++)
		memset(body + f->off + 4 * k, 0, 4);
	return at;
}

/* A record as in the ring: each string has room for a longer one. Returns the record's length. */
static uint32_t make_record(char *bytes, const struct layout *l, uint64_t ts, unsigned cpu)
{
	struct bp_rec *rec = (void *)bytes;
	char *body = bytes + BP_BODY_OFF;
	uint32_t at = l->dyn_off;

	memset(bytes, 0, BP_BODY_OFF + l->dyn_off);
	for (uint32_t i = LAYOUT_COMMON; i < l->fixed; i++)
		body[i] = (char)random_u64();
	for (uint32_t i = 0; i < l->nr_marks; i++)
		body[l->marks_off + i / 8] |= (char)((random_u64() % 4 == 0) << i % 8);
	*rec = (struct bp_rec){ .ts = ts, .cpu = (uint16_t)cpu, .migrate = 1, .preempt = 0x80000000 | random_u64() % 3,
				.tgid = 1 + random_u64() % 1000, .tif = random_u64() % 2 ? 8 : 0,
				.eflags = random_u64() % 2 ? 0x200 : 0, .common_pid = (int32_t)(random_u64() % (random_u64() % 2 ? 5 : 5000)),
				.comm = "task" };
	rec->comm[4] = random_u64() % 4 ? '\0' : (char)('0' + random_u64() % 3);	/* a task may get another name */
	for (unsigned i = 0; i < l->nr_fields; i++) {
		const struct layout_field *f = &l->fields[i];
		int32_t err = -(int32_t)(random_u64() % 140);

		if (f->names)
			memcpy(body + f->off, &err, sizeof(err));
		if (type_is_dynamic(&f->type))
			at = make_strings(body, f, at);
	}
	return BP_BODY_OFF + at;
}

static void add_line(struct text *text, const struct layout *l, const char *bytes, uint32_t len, struct buf *out)
{
	struct event ev;

	if (event_decode(l, (const void *)bytes, len, &ev))
		text_event(text, &ev, out);
	else
		buf_adds(out, "not decoded\n");
}

enum { NR = 4000, CPUS = 3 };

/* How many records there are, and whether each of them is short. */
static unsigned sheet_records = NR;
static bool sheet_is_small;

/* The lines of the written records, to compare them with the lines of the read records. */
struct sheet {
	struct buf lines, formats[ARRAY_SIZE(layouts)];
	struct dat_event events[ARRAY_SIZE(layouts)];
	struct dat_meta meta;
	int cpu_fd[CPUS];
	uint64_t size[CPUS], lost[CPUS];
};

static void flush(struct sheet *s, unsigned cpu, struct dat_page *p)
{
	dat_page_seal(p);
	if (p->len > DAT_PAGE_HEAD || p->lost)
		s->size[cpu] += (uint64_t)pwrite(s->cpu_fd[cpu], p->bytes, p->size, (off_t)s->size[cpu]);
	dat_page_start(p, p->ts, 0);
}

static void fill(struct sheet *s, struct text *text)
{
	static char bytes[65536] __attribute__((aligned(8)));
	static struct dat_pen pens[CPUS];
	struct dat_shape shapes[ARRAY_SIZE(layouts)];
	struct arena arena = { 0 };
	uint32_t size = dat_page_size(dat_record_max(&layouts[1]));
	uint64_t ts = 1000000000;

	for (unsigned i = 0; i < ARRAY_SIZE(layouts); i++)
		dat_shape_init(&shapes[i], &layouts[i], false, 2000 + i, &arena);
	for (unsigned i = 0; i < CPUS; i++) {
		s->cpu_fd[i] = memfd_create("cpu", 0);
		pens[i] = (struct dat_pen){ .page = { .bytes = malloc(size + DAT_PEN_SLACK), .size = size } };
		dat_page_start(&pens[i].page, 0, 0);
	}
	for (unsigned i = 0; i < sheet_records; i++) {
		unsigned cpu = (unsigned)(random_u64() % CPUS), which = (unsigned)(random_u64() % ARRAY_SIZE(layouts));
		const struct layout *l = &layouts[which];
		struct dat_page *p = &pens[cpu].page;
		uint32_t len;
		struct event ev;

		ts += 1 + some_number() % (random_u64() % 2 ? 1000u : 10000000000u);
		len = make_record(bytes, l, ts, cpu);
		if (!event_decode(l, (void *)bytes, len, &ev))
			continue;
		if (random_u64() % 100 == 0) {
			uint64_t lost = 1 + random_u64() % 1000;

			text_lost(cpu, lost, &s->lines);
			flush(s, cpu, p);
			dat_page_start(p, ts, lost);
			s->lost[cpu] += lost;
		}
		add_line(text, l, bytes, len, &s->lines);
		if (dat_record_add(&pens[cpu], &shapes[which], &ev, ts, text) != DAT_NO_ROOM)
			continue;
		flush(s, cpu, p);
		dat_page_start(p, ts, 0);
		if (dat_record_add(&pens[cpu], &shapes[which], &ev, ts, text) != DAT_ADDED_EXTRA)
			buf_adds(&s->lines, "a record too long, or a page that does not say all about its first one\n");
	}
	for (unsigned i = 0; i < CPUS; i++) {
		flush(s, i, &pens[i].page);
		free(pens[i].page.bytes);
		dat_pen_fini(&pens[i]);
	}
	arena_fini(&arena);
	for (unsigned i = 0; i < ARRAY_SIZE(layouts); i++) {
		dat_format_print(&layouts[i], 2000 + i, RELEASE(6, 12), true, &s->formats[i]);
		s->events[i] = (struct dat_event){ layouts[i].group, s->formats[i].data };
	}
	s->meta = (struct dat_meta){ .page_size = size, .events = s->events, .nr_events = ARRAY_SIZE(layouts),
				     .kallsyms = "ffffffff81000000 T f\n", .kallsyms_len = 21, .modules = "m 1 0 - Live 0x0\n",
				     .comms = "1 task\n", .clock = "mono", .uname = "Linux", .version = "test", .lost = s->lost,
				     .nr_cpus = CPUS };
}

/* Fills @s with sheet_records records, and @stripes with the places of their pages. @arena lives as long as @s. */
static void sheet_init(struct sheet *s, struct text *text, struct dat_stripe *stripes, struct arena *arena)
{
	of_entry[ARRAY_SIZE(of_entry) - 1].names = names_of_errors(arena, 32);
	for (unsigned i = 0; sheet_is_small && i < ARRAY_SIZE(of_entry); i++)
		of_entry[i].grows = false;
	memcpy(of_ret, of_entry, sizeof(of_ret));
	for (unsigned i = 0; i < ARRAY_SIZE(layouts); i++)
		layout_compute(&layouts[i]);
	context_rules_init(&text->rules, RELEASE(6, 12), true);
	fill(s, text);
	text_fini(text);
	for (unsigned i = 0; i < CPUS; i++)
		stripes[i] = (struct dat_stripe){ .fd = s->cpu_fd[i], .cpu = i, .size = s->size[i] };
}

static void sheet_fini(struct sheet *s)
{
	for (unsigned i = 0; i < CPUS; i++)
		close(s->cpu_fd[i]);
	for (unsigned i = 0; i < ARRAY_SIZE(layouts); i++)
		buf_fini(&s->formats[i]);
	buf_fini(&s->lines);
}

#endif
