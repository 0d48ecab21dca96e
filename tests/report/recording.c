// SPDX-License-Identifier: GPL-2.0-only
/*
 * recording.c - a trace.dat with known events, without a kernel: for the tests of --report.
 *
 *	recording FILE KALLSYMS known CALLS	calls of alpha_fn by three tasks, with stacks, durations and a loss
 *	recording FILE KALLSYMS many EVENTS	events of many tasks and functions, with numbers
 *	recording FILE KALLSYMS hostile		names and strings that are script where a page takes them for HTML
 *	recording FILE KALLSYMS worst EVENTS	each event has another long text, of characters that a page must escape
 *
 * What is in a recording follows from the numbers of its events, so the tests know what to expect. Symbols are those of KALLSYMS.
 */
#include <inttypes.h>
#include <string.h>

#include "attach/backends.h"
#include "base/number.h"
#include "dat/dat_record.h"
#include "kernel/release.h"
#include "kernel/syms/ksyms.h"
#include "stream/record.h"
#include "stream/stream.h"

enum { CPUS = 4, FRAMES = 4, TEXT = 200 };

/* As in the files of symbols of the tests. */
enum { ALPHA = 0x1000, NAP = 0x2000, CALLER = 0x3000, OTHER_CALLER = 0x4000, SYSCALL = 0x5000 };
#define KERNEL		0xffffffff81000000u

static struct layout_field of_enter[] = {
	{ .name = "n", .type = { .kind = TYPE_UNSIGNED, .size = 8 }, .count = 1, .mark = LAYOUT_NO_MARK },
	{ .name = "name", .type = { .kind = TYPE_STRING }, .count = 1, .room = TEXT + 1 },
};
static struct layout_field of_leave[] = {
	{ .name = "ret", .type = { .kind = TYPE_SIGNED, .size = 8 }, .count = 1, .mark = LAYOUT_NO_MARK },
};
static struct layout_field of_nap[] = {
	{ .name = "slept", .type = { .kind = TYPE_UNSIGNED, .size = 8 }, .count = 1, .elapsed = ELAPSED_CALL },
};

enum { ENTER, LEAVE, NAPS, LAYOUTS };
static struct layout layouts[LAYOUTS] = {
	[ENTER] = { .backend = &backend_kprobe, .group = "demo", .event = "enter", .func = "alpha_fn", .fields = of_enter,
		    .nr_fields = ARRAY_SIZE(of_enter), .at_entry = true, .stacks = 1u << STACK_KERNEL },
	[LEAVE] = { .backend = &backend_kprobe, .group = "demo", .event = "leave", .func = "alpha_fn", .fields = of_leave,
		    .nr_fields = ARRAY_SIZE(of_leave), .is_return = true },
	[NAPS] = { .backend = &backend_kprobe, .group = "demo", .event = "naps", .func = "nap_fn", .fields = of_nap,
		   .nr_fields = ARRAY_SIZE(of_nap), .is_return = true },
};

struct maker {
	struct record *record;
	struct stream stream;
	struct ksyms *symbols;
	struct source sources[LAYOUTS];
	uint64_t nr;
};

struct wanted {
	unsigned layout, cpu;
	int32_t pid;
	const char *comm;
	uint64_t ts, place, number;
	const char *text;
	uint64_t frames[FRAMES];
	unsigned nr_frames;
};

static void add(struct maker *m, const struct wanted *w)
{
	static char bytes[1024] __attribute__((aligned(8)));
	const struct layout *l = &layouts[w->layout];
	char *body = bytes + BP_BODY_OFF;
	uint32_t at = l->dyn_off, loc;
	struct bp_rec *rec = (void *)bytes;
	uint64_t caller = KERNEL + CALLER + 8;
	struct event ev;

	memset(bytes, 0, BP_BODY_OFF + l->dyn_off);
	*rec = (struct bp_rec){ .ts = w->ts, .cpu = (uint16_t)w->cpu, .tgid = (uint32_t)w->pid, .common_pid = w->pid, .probe = (uint16_t)w->layout };
	memcpy(rec->comm, w->comm, strnlen(w->comm, BP_COMM_LEN));
	memcpy(body + LAYOUT_COMMON, &w->place, 8);
	if (l->is_return)
		memcpy(body + LAYOUT_COMMON + 8, &caller, 8);
	memcpy(body + l->fields[0].off, &w->number, 8);
	if (l->nr_strings && w->text) {
		uint32_t len = (uint32_t)strlen(w->text) + 1;

		loc = len << 16 | at;
		memcpy(body + at, w->text, len);
		memcpy(body + l->fields[1].off, &loc, 4);
		at += len;
	}
	if (w->nr_frames) {
		at = (at + 7) & ~7u;
		loc = 8 * w->nr_frames << 16 | at;
		memcpy(body + l->stack_off[STACK_KERNEL], &loc, 4);
		memcpy(body + at, w->frames, 8 * w->nr_frames);
		at += 8 * w->nr_frames;
	}
	if (event_decode(l, rec, BP_BODY_OFF + at, &ev))
		record_dat.sink->event(record_to(m->record), &m->stream.text, &ev, NULL);
	m->nr++;
}

static void lose(struct maker *m, unsigned cpu, uint64_t nr)
{
	record_dat.sink->lost(record_to(m->record), NULL, cpu, nr, NULL);
}

/*
 * Call i, of task worker i % 3 (pid 101 + i % 3) on CPU i % 3, enters at 1 s + i * 2 ms and returns 1000 * (1 + i % 100) ns later. Calls with
 * an even number come from caller_fn, the others from other_fn. After each tenth call its task has slept (i % 7 + 1) ms. While call 5 is
 * open, CPU 2 loses three events.
 */
static void make_known(struct maker *m, uint64_t calls)
{
	for (uint64_t i = 0; i < calls; i++) {
		static const char *const comms[] = { "worker0", "worker1", "worker2" };
		struct wanted w = { .layout = ENTER, .cpu = i % 3, .pid = 101 + (int32_t)(i % 3), .comm = comms[i % 3], .place = KERNEL + ALPHA,
				    .ts = 1000000000 + i * 2000000, .number = i, .text = i % 2 ? "odd" : "even", .nr_frames = 3,
				    .frames = { KERNEL + ALPHA + 1, KERNEL + (i % 2 ? OTHER_CALLER : CALLER) + 8, KERNEL + SYSCALL + 8 } };

		add(m, &w);
		if (i == 5)
			lose(m, 2, 3);
		w = (struct wanted){ .layout = LEAVE, .cpu = w.cpu, .pid = w.pid, .comm = w.comm, .place = w.place,
				     .ts = w.ts + 1000 * (1 + i % 100), .number = (uint64_t)-2 };
		add(m, &w);
		if (i % 10 == 9) {
			w.layout = NAPS;
			w.place = KERNEL + NAP;
			w.ts += 1000;
			w.number = (i % 7 + 1) * 1000000;
			add(m, &w);
		}
	}
}

static void make_many(struct maker *m, uint64_t events)
{
	for (uint64_t i = 0; i < events; i++) {
		char comm[BP_COMM_LEN + 8], text[32];
		unsigned task = (unsigned)(i * 7919 % 300);

		snprintf(comm, sizeof(comm), "task%u", task);
		snprintf(text, sizeof(text), "/tmp/file%u", (unsigned)(i % 1000));
		add(m, &(struct wanted){ .layout = ENTER, .cpu = task % CPUS, .pid = 1000 + (int32_t)task, .comm = comm, .text = text, .number = i,
					 .place = KERNEL + ALPHA, .ts = 5000000000 + i * 25000, .nr_frames = 3,
					 .frames = { KERNEL + ALPHA + 1, KERNEL + (i % 3 ? OTHER_CALLER : CALLER) + 8, KERNEL + SYSCALL + 8 } });
	}
}

static void make_hostile(struct maker *m)
{
	static const char *const comms[] = { "</script><img ", "<svg onload=a>", "\"><b onx='a'>", "\x1b[31mred\xff", "-->\\\"${`a`}" };
	static const char *const texts[] = {
		"</script><script>document.title='pwned';window.pwned=1</script>", "<img src=x onerror=\"window.pwned=1\">",
		"\"},{\"x\":\"</SCRIPT ><svg/onload=window.pwned=1>", "\xe2\x80\xa8window.pwned=1\xe2\x80\xa9//", "</noscript></pre><img src=x onerror=window.pwned=1>",
		"<!--<script>", "\xff\xfe\x80 \xed\xa0\x80 \x1b]0;title\x07", "javascript:window.pwned=1", "&lt;img src=x&gt; &amp; \\u003c", "]]></style><style>*{display:none}",
	};

	for (uint64_t i = 0; i < 50; i++)
		add(m, &(struct wanted){ .layout = ENTER, .cpu = i % CPUS, .pid = 1 + (int32_t)(i % 5), .comm = comms[i % 5], .text = texts[i % 10], .number = i,
					 .place = KERNEL + ALPHA, .ts = 1000000000 + i * 1000, .nr_frames = 3,
					 .frames = { KERNEL + ALPHA + 1, KERNEL + (i % 2 ? OTHER_CALLER : CALLER) + 8, KERNEL + SYSCALL + 8 } });
}

static void make_worst(struct maker *m, uint64_t events)
{
	static char text[TEXT + 1];

	memset(text, '<', TEXT);
	for (uint64_t i = 0; i < events; i++) {
		snprintf(text, sizeof(text), "%07u", (unsigned)i % 10000000);
		text[7] = '&';
		add(m, &(struct wanted){ .layout = ENTER, .cpu = i % CPUS, .pid = 1 + (int32_t)(i % 60000), .comm = "<<<<<<<<<<<<<<<", .text = text,
					 .number = i, .place = KERNEL + ALPHA, .ts = 1000000000 + i * 1000000007, .nr_frames = 2,
					 .frames = { KERNEL + ALPHA + 1, 0x100000 + i * 16 } });
	}
}

static int start(struct maker *m, const struct options *opts, struct diag *diag)
{
	int err;

	for (unsigned i = 0; i < LAYOUTS; i++) {
		layout_compute(&layouts[i]);
		m->sources[i].layout = &layouts[i];
	}
	m->stream = (struct stream){ .sources = m->sources, .nr_sources = LAYOUTS, .nr_cpus = CPUS };
	err = ksyms_load(opts->set.machine.kallsyms, &m->symbols, diag);
	m->stream.text.ks = m->symbols;
	context_rules_init(&m->stream.text.rules, RELEASE(6, 12), true);
	if (!err)
		err = record_open(&record_dat, opts, &m->record, diag);
	return err ? err : record_start(m->record, &m->stream, false, diag);
}

int main(int argc, char **argv)
{
	struct options opts = { 0 };
	struct maker m = { 0 };
	struct diag diag = { 0 };
	uint64_t nr = 0;
	int err;

	if (argc < 4 || (argc > 4 && number_u64(argv[4], strlen(argv[4]), 10, &nr)))
		return 64;
	opts.record.output = argv[1];
	opts.set.machine.kallsyms = argv[2];
	err = start(&m, &opts, &diag);
	if (err) {
		fprintf(stderr, "recording: %s\n", buf_str(&diag.msg));
		return 1;
	}
	if (!strcmp(argv[3], "known"))
		make_known(&m, nr);
	else if (!strcmp(argv[3], "many"))
		make_many(&m, nr);
	else if (!strcmp(argv[3], "hostile"))
		make_hostile(&m);
	else if (!strcmp(argv[3], "worst"))
		make_worst(&m, nr);
	err = record_complete(m.record);
	record_close(m.record);
	ksyms_close(m.symbols);
	return err != 0;
}
