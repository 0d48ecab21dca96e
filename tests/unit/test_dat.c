// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_dat.c - what goes into a trace.dat comes out of it.
 */
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "attach/backends.h"
#include "dat/dat.h"
#include "dat/dat_cursor.h"
#include "dat/dat_pack.h"
#include "dat/dat_record.h"
#include "kernel/release.h"
#include "print/json.h"
#include "print/sink.h"
#include "print/text.h"

#include "dat_sheet.h"
#include "tap.h"

/* ---- pages ---- */

struct sample {
	uint64_t ts;
	uint32_t len;
	unsigned char bytes[3000];
};

/* Gaps just below and above the limit of 27 bits, lengths just below and above 112. */
static void make_sample(struct sample *s, uint64_t ts)
{
	static const uint64_t gaps[] = { 0, 1, (1u << 27) - 1, 1u << 27, 1ull << 40, (1ull << 58) + 12345 };

	s->ts = ts + (random_u64() % 2 ? some_number() >> 10 : gaps[random_u64() % ARRAY_SIZE(gaps)]) % (1ull << 59);
	s->len = (uint32_t)(random_u64() % 3 ? random_u64() % 40 : random_u64() % 700) * 4;
	for (uint32_t i = 0; i < s->len; i++)
		s->bytes[i] = (unsigned char)random_u64();
}

static void test_pages(void)
{
	static struct sample samples[2000];
	unsigned char bytes[8192];
	unsigned wrong = 0, pages = 0;

	for (unsigned round = 0; round < 300; round++) {
		struct dat_page p = { .bytes = bytes, .size = round % 2 ? 4096 : 8192 };
		uint64_t lost = round % 3 ? 0 : some_number() | 1, ts = some_number() >> 8;
		const unsigned char *record;
		struct dat_iter it;
		unsigned nr = 0;
		uint32_t len, end;

		dat_page_start(&p, ts, lost);
		for (;; nr++) {
			make_sample(&samples[nr], nr ? samples[nr - 1].ts : ts);
			if (samples[nr].ts < ts || !dat_page_add(&p, samples[nr].ts, samples[nr].bytes, samples[nr].len))
				break;
			if (random_u64() % 4 == 0)
				dat_page_seal(&p);	/* what is added later is in the page, too */
		}
		end = dat_page_seal(&p);
		for (; end < p.size; end++)
			wrong += bytes[end] != 0;	/* no byte of the page before is left */
		wrong += dat_iter_start(&it, bytes, p.size, p.size) || it.lost != lost;
		for (unsigned i = 0; i < nr; i++)
			wrong += dat_iter_next(&it, &record, &len) != 1 || it.ts != samples[i].ts || len != samples[i].len ||
				 memcmp(record, samples[i].bytes, len);
		wrong += dat_iter_next(&it, &record, &len) != 0;
		pages++;
	}
	CHECK(!wrong, "%u pages: records, times and losses: %u wrong", pages, wrong);
}

static void test_page_limits(void)
{
	unsigned char bytes[4096], record[4096] = { 0 };
	struct dat_page p = { .bytes = bytes, .size = sizeof(bytes) };

	dat_page_start(&p, 1000, 1);
	CHECK(!dat_page_add(&p, 999, record, 8), "time that goes back wants another page");
	CHECK(dat_page_add(&p, 1000, record, 4096 - DAT_PAGE_SPARE), "the longest record of a page fits beside its losses");
	CHECK(!dat_page_add(&p, 1000, record, 4), "and nothing else");
	CHECK(dat_page_size(4096 - DAT_PAGE_SPARE) == 4096, "that is a page for it");
	CHECK(dat_page_size(4096 - DAT_PAGE_SPARE + 4) == 8192, "a longer one has a larger page");
	CHECK(dat_page_size(DAT_PAGE_MAX) == 0, "there is no page for one of 64 KiB");
}

/* A page may have any bytes. */
static void test_page_noise(void)
{
	unsigned char *bytes = malloc(4096);
	const unsigned char *record;
	struct dat_iter it;
	unsigned long sum = 0;
	uint32_t len;

	for (unsigned round = 0; round < 3000; round++) {
		for (unsigned i = 0; i < 4096; i++)
			bytes[i] = (unsigned char)(random_u64() % (round % 2 ? 256 : 32));
		if (round % 3)
			memcpy(bytes + 8, &(uint64_t){ 4080 }, 8);
		if (dat_iter_start(&it, bytes, 4096, 4096))
			continue;
		while (dat_iter_next(&it, &record, &len) == 1) {
			sum += len ? record[len - 1] : 0;
			if (record < bytes || record + len > bytes + 4096)
				CHECK(false, "a record outside its page");
		}
	}
	free(bytes);
	CHECK(sum, "pages of noise are read within their bounds");
}

/* ---- records ---- */

static void check_file(struct sheet *s, struct text *text, int fd, unsigned version)
{
	struct dat_format read[ARRAY_SIZE(layouts)];
	struct dat_extras extras[CPUS] = { 0 };
	struct arena arena = { 0 };
	struct diag diag = { 0 };
	struct dat_cursors *cursors = NULL;
	struct buf lines = { 0 }, room = { 0 };
	struct dat_file f = { 0 };
	struct dat_hit hit;
	int err = dat_open(&arena, fd, &f, &diag);

	CHECK(!err && f.complete && f.version == version, "version %u: opened: %s", version, buf_str(&diag.msg));
	CHECK(!err && f.nr_events == ARRAY_SIZE(layouts) && f.page_size == s->meta.page_size, "version %u: its head", version);
	CHECK(!err && f.kallsyms && !strcmp(f.kallsyms, s->meta.kallsyms) && f.modules && !strcmp(f.modules, s->meta.modules),
	      "version %u: symbols and modules", version);
	for (unsigned i = 0; !err && i < f.nr_events; i++) {
		struct dat_format form;

		err = dat_format_parse(&arena, f.events[i].text, &form);
		if (err)
			break;
		CHECK(form.id == 2000 + i && form.release == RELEASE(6, 12) && form.counts && form.layout.dyn_off == layouts[i].dyn_off &&
		      !strcmp(form.layout.event, layouts[i].event) && !strcmp(f.events[i].system, layouts[i].group),
		      "version %u: event %s", version, layouts[i].event);
		read[i] = form;
	}
	if (!err)
		cursors = dat_cursors_open(&arena, f.stripes, f.nr_stripes, f.page_size);
	while (!err && dat_cursors_next(cursors, &hit)) {
		uint16_t id;

		if (hit.lost)
			text_lost(hit.cpu, hit.lost, &lines);
		memcpy(&id, hit.record, sizeof(id));
		if (dat_record_unpack(&read[id - 2000], &extras[hit.cpu], hit.record, hit.len, &room))
			break;
		((struct bp_rec *)room.data)->ts = hit.ts;
		((struct bp_rec *)room.data)->cpu = (uint16_t)hit.cpu;
		add_line(text, &read[id - 2000].layout, room.data, (uint32_t)room.len, &lines);
	}
	CHECK(!err && !strcmp(buf_str(&lines), buf_str(&s->lines)), "version %u: %u events are the same lines", version, NR);
	CHECK(!err && !dat_cursors_bad(cursors), "version %u: no page is damaged", version);
	dat_cursors_close(cursors);
	for (unsigned i = 0; i < CPUS; i++)
		dat_extras_fini(&extras[i]);
	buf_fini(&lines);
	buf_fini(&room);
	diag_fini(&diag);
	text_fini(text);
	arena_fini(&arena);
}

static void test_files(void)
{
	struct dat_stripe stripes[CPUS];
	struct text text = { 0 };
	struct sheet s = { 0 };
	struct buf head = { 0 };
	struct arena arena = { 0 };
	struct diag diag = { 0 };
	static const char *const packings[] = { "zlib", "zstd" };
	struct dat_file f;
	int fd;

	sheet_init(&s, &text, stripes, &arena);

	fd = memfd_create("v6", 0);
	dat_head(&s.meta, &head);
	CHECK(write(fd, head.data, head.len) == (ssize_t)head.len, "a head of %zu bytes", head.len);
	CHECK(!dat_open(&arena, fd, &f, &diag) && !f.complete && f.nr_events == ARRAY_SIZE(layouts),
	      "a head alone is a file that was not completed");
	CHECK(!ftruncate(fd, 1 << 20) && !dat_open(&arena, fd, &f, &diag) && !f.complete, "and so is one that is followed by zeroes");
	CHECK(!ftruncate(fd, 300) && dat_open(&arena, fd, &f, &diag) == -EBADMSG, "part of a head is none");
	CHECK(pwrite(fd, head.data, head.len, 0) == (ssize_t)head.len && !dat_join(fd, &s.meta, head.len, stripes, CPUS, NULL),
	      "joined");
	check_file(&s, &text, fd, 6);
	close(fd);

	for (unsigned i = 0; i < ARRAY_SIZE(packings); i++) {
		const struct dat_packing *packing = dat_packing_find(packings[i]);

		if (!packing) {
			TAP_SKIP("built without zstd");
			continue;
		}
		fd = memfd_create("v7", 0);
		CHECK(!dat_join_compressed(fd, &s.meta, packing, stripes, CPUS, NULL), "joined and compressed by %s", packings[i]);
		check_file(&s, &text, fd, 7);
		close(fd);
	}
	sheet_fini(&s);
	buf_fini(&head);
	diag_fini(&diag);
	arena_fini(&arena);
}

/* ---- the text of a long string[*] ---- */

static struct layout_field of_long[] = {
	{ .name = "vec", .type = { .kind = TYPE_STRING, .count = LANG_MAX_VECTOR + 1, .until_null = true }, .count = LANG_MAX_VECTOR + 1,
	  .room = 64, .grows = true },
};
static struct layout long_layout = { .backend = &backend_kprobe, .group = "kprobes", .event = "long", .func = "f", .fields = of_long,
				     .nr_fields = 1 };

/* 15 strings of 2000 characters, and one of @len. Returns the record's length. */
static uint32_t make_long(char *bytes, uint32_t len)
{
	struct bp_rec *rec = (void *)bytes;
	char *body = bytes + BP_BODY_OFF;
	uint32_t at = long_layout.dyn_off;

	memset(bytes, 0, BP_BODY_OFF + at);
	*rec = (struct bp_rec){ .comm = "task", .preempt = 0x80000000 };
	for (uint32_t k = 0; k < 16; k++) {
		uint32_t size = (k < 15 ? 2000 : len) + 1, loc = size << 16 | at;

		memcpy(body + of_long[0].off + 4 * k, &loc, 4);
		memset(body + at, 'x', size - 1);
		body[at + size - 1] = '\0';
		at += size;
	}
	return BP_BODY_OFF + at;
}

/* The text that other readers print for the record: 15 * 2003 + @len + 4 bytes, or less and three dots. */
static bool is_whole_text(const unsigned char *record, uint32_t len, bool *ret_good)
{
	uint32_t loc, made, want = 15 * 2003 + len + 4;
	const char *at;

	memcpy(&loc, record + of_long[0].off, sizeof(loc));
	at = (const char *)record + (loc & 0xffff);
	made = (uint32_t)strnlen(at, loc >> 16);
	*ret_good = !strncmp(at, "{\"xxx", 5) && (made == want ? at[made - 1] == '}' : made < want && !strcmp(at + made - 3, "..."));
	return made == want;
}

struct long_test {
	struct dat_pen pen;
	struct dat_shape shape;
	struct dat_format form;
	struct dat_extras extras;
	struct text text;
	unsigned wrong, unwritten;
};

/* Ready for records of @l. */
static void long_test_init(struct long_test *t, struct layout *l, struct arena *arena)
{
	uint32_t size;

	layout_compute(l);
	context_rules_init(&t->text.rules, RELEASE(6, 12), true);
	dat_shape_init(&t->shape, l, false, 2000, arena);
	size = dat_page_size(dat_record_max(l));
	t->pen.page = (struct dat_page){ .bytes = malloc(size + DAT_PEN_SLACK), .size = size };
}

static void long_test_fini(struct long_test *t)
{
	free(t->pen.page.bytes);
	dat_pen_fini(&t->pen);
	dat_extras_fini(&t->extras);
	text_fini(&t->text);
}

/* Into a page that was full of the byte @before. */
static void write_long(struct long_test *t, const struct event *ev, int before)
{
	memset(t->pen.page.bytes, before, t->pen.page.size + DAT_PEN_SLACK);
	dat_page_start(&t->pen.page, 0, 0);
	t->wrong += dat_record_add(&t->pen, &t->shape, ev, 0, &t->text) == DAT_NO_ROOM;
	dat_page_seal(&t->pen.page);
}

/* Writes such a record and reads it: bprobe must print the same line. Is its text whole? */
static bool try_long(struct long_test *t, uint32_t len)
{
	static char bytes[65536] __attribute__((aligned(8)));
	struct buf lines = { 0 }, back = { 0 }, room = { 0 }, first = { 0 };
	uint32_t have = make_long(bytes, len);
	const unsigned char *record = NULL;
	bool good = false, whole = false;
	struct dat_iter it;
	struct event ev;

	event_decode(&long_layout, (void *)bytes, have, &ev);
	text_event(&t->text, &ev, &lines);
	write_long(t, &ev, 0xa5);
	buf_add(&first, t->pen.page.bytes, t->pen.page.size);
	write_long(t, &ev, 0x5a);
	t->unwritten += memcmp(buf_str(&first), t->pen.page.bytes, t->pen.page.size) != 0;
	buf_fini(&first);
	if (!dat_iter_start(&it, t->pen.page.bytes, t->pen.page.size, t->pen.page.size) &&
	    dat_iter_next(&it, &record, &have) == 1 && !dat_record_unpack(&t->form, &t->extras, record, have, &room)) {
		whole = is_whole_text(record, len, &good);
		add_line(&t->text, &t->form.layout, room.data, (uint32_t)room.len, &back);
	}
	t->wrong += !good || strcmp(buf_str(&lines), buf_str(&back));
	buf_fini(&lines);
	buf_fini(&back);
	buf_fini(&room);
	return whole;
}

/* The text is whole up to some length, and ends with dots from the next one on. */
static void test_long_vector(void)
{
	uint32_t low = 0, high = LAYOUT_MAX_STRING;
	struct long_test t = { 0 };
	struct arena arena = { 0 };
	struct buf format = { 0 };

	long_test_init(&t, &long_layout, &arena);
	dat_format_print(&long_layout, 2000, RELEASE(6, 12), true, &format);
	CHECK(!dat_format_parse(&arena, buf_str(&format), &t.form), "its format");
	CHECK(try_long(&t, low) && !try_long(&t, high), "a text of 30 KiB is whole, one of 34 KiB beside its strings is not");
	while (low + 1 < high) {
		uint32_t middle = (low + high) / 2;

		if (try_long(&t, middle))
			low = middle;
		else
			high = middle;
	}
	CHECK(try_long(&t, low) && !try_long(&t, low + 1) && !t.wrong, "it is whole up to a string of %u, %u wrong", low, t.wrong);
	for (uint32_t len = 0; len < 16; len++)
		try_long(&t, len);
	CHECK(!t.unwritten, "each byte of a page is written, also behind strings of all lengths: in %u pages not", t.unwritten);
	long_test_fini(&t);
	buf_fini(&format);
	arena_fini(&arena);
}

/* ---- no byte of a page is what was there before ---- */

static struct layout_field of_short[] = { { .name = "s", .type = { .kind = TYPE_STRING, .count = 1 }, .count = 1, .room = 64, .grows = true } };
static struct layout short_layout = { .backend = &backend_kprobe, .group = "kprobes", .event = "short", .func = "f", .fields = of_short, .nr_fields = 1 };

/*
 * Strings of all lengths modulo 4, longer than what copy() copies at a time, each twice: the first record of a page has its task's name, the next
 * ones are copied without it.
 */
static void write_short(struct long_test *t, int before)
{
	char bytes[BP_BODY_OFF + 128] __attribute__((aligned(8)));
	struct bp_rec *rec = (void *)bytes;
	struct event ev;

	memset(t->pen.page.bytes, before, t->pen.page.size + DAT_PEN_SLACK);
	dat_page_start(&t->pen.page, 0, 0);
	for (uint32_t i = 0; i < 16; i++) {
		uint32_t at = short_layout.dyn_off, size = i / 2 + 33, loc = size << 16 | at;

		memset(bytes, before, sizeof(bytes));		/* behind the record there is another one */
		memset(bytes, 0, BP_BODY_OFF + at + size);
		*rec = (struct bp_rec){ .comm = "task", .preempt = 0x80000000 };
		memcpy(bytes + BP_BODY_OFF + of_short[0].off, &loc, sizeof(loc));
		memset(bytes + BP_BODY_OFF + at, 'x', size - 1);
		event_decode(&short_layout, rec, BP_BODY_OFF + at + size, &ev);
		t->wrong += dat_record_add(&t->pen, &t->shape, &ev, 0, &t->text) != (i ? DAT_ADDED : DAT_ADDED_EXTRA);
	}
	dat_page_seal(&t->pen.page);
}

static void test_unwritten(void)
{
	struct long_test t = { 0 };
	struct arena arena = { 0 };
	struct buf first = { 0 };

	long_test_init(&t, &short_layout, &arena);
	write_short(&t, 0xa5);
	buf_add(&first, t.pen.page.bytes, t.pen.page.size);
	write_short(&t, 0x5a);
	CHECK(!t.wrong && !memcmp(buf_str(&first), t.pen.page.bytes, t.pen.page.size), "each byte behind short strings is written, too: %u wrong", t.wrong);
	long_test_fini(&t);
	buf_fini(&first);
	arena_fini(&arena);
}

int main(void)
{
	test_unwritten();
	test_pages();
	test_page_limits();
	test_page_noise();
	test_files();
	test_long_vector();
	return tap_done();
}
