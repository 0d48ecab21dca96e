// SPDX-License-Identifier: GPL-2.0-only
/*
 * made.c - a trace.dat with chosen records, of a machine and a boot that need not exist.
 *
 *   made FILE HOST BOOT OFFSET SYMBOL [cut] < RECORDS
 *
 * BOOT is a number, the end of a boot id. BOOT and OFFSET (ns to the wall clock) may be '-': the file does not say it. SYMBOL is the name of the kernel's only function, where both
 * events are. With "cut" the file is not completed. A line of RECORDS:
 *
 *   TIME CPU TGID PID COMM EVENT N [LOST]		times in ns, ascending; EVENT: one (field n) or two (fields n, text)
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "attach/backends.h"
#include "dat/dat_record.h"
#include "kernel/release.h"
#include "print/text.h"
#include "stream/dat_part.h"

enum { CPUS = 4, FIRST_ID = 2000, PAGE = 4096, ADDRESS = 0x81000000 };

static struct layout_field of_one[] = {
	{ .name = "n", .type = { .kind = TYPE_UNSIGNED, .size = 8 }, .count = 1, .mark = LAYOUT_NO_MARK },
};

static struct layout_field of_two[] = {
	{ .name = "n", .type = { .kind = TYPE_UNSIGNED, .size = 8 }, .count = 1, .mark = LAYOUT_NO_MARK },
	{ .name = "text", .type = { .kind = TYPE_STRING }, .count = 1, .room = 64, .grows = true },
};

static struct layout layouts[] = {
	{ .backend = &backend_kprobe, .group = "made", .event = "one", .func = "f", .fields = of_one, .nr_fields = ARRAY_SIZE(of_one) },
	{ .backend = &backend_kprobe, .group = "made", .event = "two", .func = "f", .fields = of_two, .nr_fields = ARRAY_SIZE(of_two) },
};

struct cpu {
	struct dat_pen pen;
	uint64_t at;			/* bytes in the file */
	uint64_t all_lost;
	bool any;
};

struct maker {
	struct dat_part part;
	struct dat_shape shapes[ARRAY_SIZE(layouts)];
	struct cpu cpus[CPUS];
	struct text text;
};

static void check(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "made: %s\n", what);
	exit(1);
}

static void flush(struct maker *m, unsigned n)
{
	struct cpu *c = &m->cpus[n];

	if (!c->any)
		return;
	dat_page_seal(&c->pen.page);
	check(!dat_part_write(&m->part, n, c->at, c->pen.page.bytes, PAGE), "cannot write");
	c->at += PAGE;
	c->any = false;
}

static void begin_page(struct maker *m, unsigned n, uint64_t ts, uint64_t lost)
{
	flush(m, n);
	dat_page_start(&m->cpus[n].pen.page, ts, lost);
	m->cpus[n].all_lost += lost;
	m->cpus[n].any = true;
}

static uint64_t next_number(char **at)
{
	return strtoull(*at, at, 10);
}

static char *next_word(char **at)
{
	char *word = *at + strspn(*at, " ");

	*at = word + strcspn(word, " \n");
	if (**at)
		*(*at)++ = '\0';
	return word;
}

static uint32_t make_record(char *bytes, char *line, unsigned *ret_which, uint64_t *ret_lost)
{
	struct bp_rec *rec = (void *)bytes;
	char *body = bytes + BP_BODY_OFF;
	const struct layout *l;
	uint64_t n, address = ADDRESS + 0xffffffff00000000u;
	uint32_t len;

	memset(bytes, 0, 4096);
	*rec = (struct bp_rec){ .migrate = 1, .preempt = 0x80000000, .eflags = 0x200 };
	rec->ts = next_number(&line);
	rec->cpu = (uint16_t)next_number(&line);
	rec->tgid = (uint32_t)next_number(&line);
	rec->common_pid = (int32_t)next_number(&line);
	snprintf(rec->comm, sizeof(rec->comm), "%s", next_word(&line));
	*ret_which = !strcmp(next_word(&line), "two");
	n = next_number(&line);
	*ret_lost = next_number(&line);
	l = &layouts[*ret_which];
	memcpy(body + LAYOUT_COMMON, &address, sizeof(address));
	memcpy(body + l->fields[0].off, &n, sizeof(n));
	len = l->dyn_off;
	if (*ret_which) {
		int text = snprintf(body + l->dyn_off, 64, "text %" PRIu64, n) + 1;
		uint32_t loc = (uint32_t)text << 16 | l->dyn_off;

		memcpy(body + l->fields[1].off, &loc, sizeof(loc));
		len += (uint32_t)text;
	}
	return BP_BODY_OFF + len;
}

static void add(struct maker *m, char *line)
{
	static char bytes[4096] __attribute__((aligned(8)));
	const struct bp_rec *rec = (const void *)bytes;
	uint64_t lost;
	unsigned which;
	uint32_t len = make_record(bytes, line, &which, &lost);
	struct event ev;
	struct cpu *c;

	check(rec->cpu < CPUS && event_decode(&layouts[which], rec, len, &ev), "a line that is no record");
	c = &m->cpus[rec->cpu];
	if (lost || !c->any)
		begin_page(m, rec->cpu, rec->ts, lost);
	if (dat_record_add(&c->pen, &m->shapes[which], &ev, rec->ts, &m->text) != DAT_NO_ROOM)
		return;
	begin_page(m, rec->cpu, rec->ts, 0);
	check(dat_record_add(&c->pen, &m->shapes[which], &ev, rec->ts, &m->text) != DAT_NO_ROOM, "a record without room");
}

static bool always(void *ctx, uint64_t done)
{
	(void)ctx, (void)done;
	return true;
}

static const char *version_text(struct arena *arena, char **argv)
{
	const char *boot = strcmp(argv[3], "-") ? arena_printf(arena, "\nboot-id 9b09897c-9d3f-47b1-80aa-%012lu", strtoul(argv[3], NULL, 10)) : "";
	unsigned long real = strtoul(argv[4], NULL, 10) + 1000;
	const char *offset = strcmp(argv[4], "-") ? arena_printf(arena, "\nclocks 1000 1000 %lu %lu", real, real) : "";

	return arena_printf(arena, "bprobe made%s%s", boot, offset);
}

static void fill(struct maker *m, struct arena *arena)
{
	char *line = NULL;
	size_t size = 0;

	context_rules_init(&m->text.rules, RELEASE(6, 12), true);
	for (unsigned i = 0; i < ARRAY_SIZE(layouts); i++)
		dat_shape_init(&m->shapes[i], &layouts[i], false, FIRST_ID + i, arena);
	for (unsigned i = 0; i < CPUS; i++)
		m->cpus[i].pen.page = (struct dat_page){ .bytes = calloc(1, PAGE + DAT_PEN_SLACK), .size = PAGE };
	while (getline(&line, &size, stdin) > 0)
		add(m, line);
	for (unsigned i = 0; i < CPUS; i++)
		flush(m, i);
	free(line);
}

int main(int argc, char **argv)
{
	static struct maker m;
	const struct dat_progress steps = { always, NULL };
	struct arena arena = { 0 };
	struct dat_event events[ARRAY_SIZE(layouts)];
	struct dat_meta meta = { .page_size = PAGE, .events = events, .nr_events = ARRAY_SIZE(layouts), .modules = "m 1 0 - Live 0x0\n",
				 .comms = "1 task\n", .clock = "mono", .nr_cpus = CPUS };
	struct diag diag = { 0 };
	uint64_t lost[CPUS];

	check(argc > 5, "usage: made FILE HOST BOOT OFFSET SYMBOL [cut]");
	meta.uname = arena_printf(&arena, "Linux %s 6.12.0-made x86_64", argv[2]);
	meta.version = version_text(&arena, argv);
	meta.kallsyms = arena_printf(&arena, "ffffffff%x T %s\nffffffff%x T behind\n", ADDRESS, argv[5], ADDRESS + 256);
	meta.kallsyms_len = strlen(meta.kallsyms);
	for (unsigned i = 0; i < ARRAY_SIZE(layouts); i++) {
		struct buf text = { 0 };

		layout_compute(&layouts[i]);
		dat_format_print(&layouts[i], FIRST_ID + i, RELEASE(6, 12), true, &text);
		events[i] = (struct dat_event){ layouts[i].group, text.data };
	}
	check(!dat_part_open(&m.part, argv[1], CPUS, &diag) && !dat_part_head(&m.part, &meta), "cannot make the file");
	fill(&m, &arena);
	for (unsigned i = 0; i < CPUS; i++)
		lost[i] = m.cpus[i].all_lost;
	meta.lost = lost;
	if (argc < 7)
		check(!dat_part_join(&m.part, &meta, NULL, &steps), "cannot complete the file");
	dat_part_close(&m.part);
	return 0;
}
