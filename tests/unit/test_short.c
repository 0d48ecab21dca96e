// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_short.c - lines for people: columns, where lines are cut, what a terminal must not see, colours.
 *
 * Expected lines follow from short.h. Widths of characters are those of Unicode 15 (EastAsianWidth.txt).
 */
#include <sys/mman.h>
#include <unistd.h>

#include "kernel/syms/ksyms.h"
#include "lang/dialect.h"
#include "plan/plan.h"
#include "print/short.h"
#include "print/sink.h"
#include "print/sites.h"
#include "print/text.h"

#include "put_values.h"
#include "tap.h"

static const char table[] =
	"ffffffff81000000 T _stext\n"
	"ffffffff81000000 T _text\n"
	"ffffffff81000010 T do_sys_open\n"
	"ffffffff810000e6 T sys_open\n"
	"ffffffff81000300 T vfs_read\n"
	"ffffffff81000400 T _etext\n"
	"ffffffff81002000 B _end\n";

#define OPEN	0xffffffff81000014u		/* do_sys_open, behind its ENDBR */
#define READ	0xffffffff81000304u

enum { START = 5000000000u, MAX_HITS = 4 };

static struct ksyms *ks;

struct hit {
	const char *def;
	uint64_t addr, ns;			/* ns: since the start */
	const char *comm;
	int32_t pid;
	struct value values[3];
};

/* Prints hits. Their layouts are gone when this returns. */
static void print_more(struct text *t, const struct hit *hits, unsigned nr, struct buf *out)
{
	struct arena arena = { 0 };
	struct facts facts = { .ks = ks };
	struct plan *plans[MAX_HITS] = { NULL };
	struct diag diag = { 0 };

	t->ks = ks;
	for (unsigned i = 0; i < nr; i++) {
		struct probe_def *def;

		if (CHECK(!dialect_parse(&arena, hits[i].def, DIALECT_DETECT, &def, &diag) &&
			  !plan_resolve(&arena, def, &facts, &plans[i], &diag), "'%s' %s", hits[i].def, buf_str(&diag.msg)))
			sink_short.learn(t, &plans[i]->layout);
	}
	for (unsigned i = 0; i < nr && plans[i]; i++) {
		_Alignas(8) unsigned char bytes[1024] = { 0 };
		struct bp_rec *rec = (void *)bytes;
		uint64_t location[2] = { hits[i].addr, 0 };
		struct event ev;

		*rec = (struct bp_rec){ .ts = START + hits[i].ns, .common_pid = hits[i].pid };
		memcpy(rec->comm, hits[i].comm, MIN(strlen(hits[i].comm), sizeof(rec->comm) - 1));
		memcpy(rec + 1, location, plans[i]->target.is_return ? 16 : 8);
		put_values(bytes + BP_BODY_OFF, &plans[i]->layout, hits[i].values);
		if (event_decode(&plans[i]->layout, rec, sizeof(bytes), &ev))
			sink_short.event(NULL, t, &ev, out);
	}
	text_renew(t, ks);
	arena_fini(&arena);
	diag_fini(&diag);
}

/* Prints the hits of one run. The caller frees @out. */
static void print_hits(struct text *t, const struct hit *hits, unsigned nr, struct buf *out)
{
	print_more(t, hits, nr, out);
	text_fini(t);
}

static void check_hits(const char *what, struct text t, const struct hit *hits, unsigned nr, const char *want)
{
	struct buf got = { 0 };

	print_hits(&t, hits, nr, &got);
	if (!CHECK(!strcmp(buf_str(&got), want), "%s", what))
		printf("# got:\n%s# want:\n%s", buf_str(&got), want);
	buf_fini(&got);
}

static void test_lines(void)
{
	static const struct hit two[] = {
		{ "p:open do_sys_open dfd=%di:s32 name=+0(%si):string", OPEN, 1234567, "cat", 159,
		  { { (uint64_t)-100 }, { .s = "/etc/xyz" } } },
		{ "r:opened do_sys_open $retval:s32", OPEN, 1301000, "cat", 159, { { 3 } } },
	};
	static const struct hit places[] = {
		{ "p:files/e do_sys_open", OPEN, 0, "a b", 1, { { 0 } } },
		{ "p:files/e vfs_read n=%dx", READ, 1000000000, "a b", 1, { { 7 } } },
		{ "p:files/e vfs_read+4", READ, 1000000000, "", 0, { { 0 } } },
	};
	static const struct hit wide[] = {
		{ "p:e vfs_read", READ, 999999999999, "fifteen_bytes_x", 4194304, { { 0 } } },
		{ "p:e vfs_read", READ, 1000000000000, "sh", 1, { { 0 } } },
	};
	static const struct hit values[] = {
		{ "r:e vfs_read ret=$retval +0(%di):x32[2] +0(%di):x32", READ, 0, "sh", 1, { { 5 }, { 0x100000002 }, { .fault = true } } },
	};
	struct text us = { .start = START }, ns = { .start = START, .columns.ns = true }, none = { 0 };

	check_hits("an entry and a return", us, two, 2,
		   "  0.001234 cat[159]          open    dfd=-100 name=\"/etc/xyz\"\n"
		   "  0.001301 cat[159]          opened  = 3\n");
	check_hits("--time=ns", ns, two, 1, "  0.001234567 cat[159]          open  dfd=-100 name=\"/etc/xyz\"\n");
	check_hits("without a start times count from the first event", none, two, 2,
		   "  0.000000 cat[159]          open    dfd=-100 name=\"/etc/xyz\"\n"
		   "  0.000066 cat[159]          opened  = 3\n");
	check_hits("another group is named, and functions where an event has several", us, places, 3,
		   "  0.000000 a b[1]            files/e  (do_sys_open)\n"
		   "  1.000000 a b[1]            files/e  (vfs_read) n=0x7\n"
		   "  1.000000 <idle>[0]         files/e  (vfs_read+0x4)\n");
	check_hits("columns grow and stay", us, wide, 2,
		   "999.999999 fifteen_bytes_x[4194304]  e\n"
		   "1000.000000 sh[1]                     e\n");
	check_hits("a name for the return value, arrays, faults", us, values, 1,
		   "  0.000000 sh[1]             e  ret=0x5 arg2={0x2,0x1} arg3=(fault)\n");
}

/*
 * An event whose layout comes late, as with a module, gives its name a second function: learn() then forgets all sites. The
 * site of this hit must have a form that still exists.
 */
static void test_late_layout(void)
{
	static const char *const defs[] = { "p:e do_sys_open", "p:e vfs_read n=%dx" };
	static const uint64_t addrs[] = { OPEN, READ };
	struct text t = { .ks = ks, .start = START };
	struct arena arena = { 0 };
	struct facts facts = { .ks = ks };
	struct diag diag = { 0 };
	struct buf got = { 0 };

	for (unsigned i = 0; i < ARRAY_SIZE(defs); i++) {
		_Alignas(8) unsigned char bytes[1024] = { 0 };
		struct bp_rec *rec = (void *)bytes;
		struct probe_def *def;
		struct plan *plan;
		struct event ev;

		if (!CHECK(!dialect_parse(&arena, defs[i], DIALECT_DETECT, &def, &diag) &&
			   !plan_resolve(&arena, def, &facts, &plan, &diag), "'%s' %s", defs[i], buf_str(&diag.msg)))
			continue;
		*rec = (struct bp_rec){ .ts = START, .common_pid = 1, .comm = "sh" };
		memcpy(rec + 1, &addrs[i], sizeof(addrs[i]));
		if (event_decode(&plan->layout, rec, sizeof(bytes), &ev)) {
			sink_short.event(NULL, &t, &ev, &got);
			CHECK(sites_find(t.sites, &ev, 0)->form->layout == &plan->layout, "'%s': its form exists", defs[i]);
		}
	}
	CHECK(!strcmp(buf_str(&got), "  0.000000 sh[1]             e\n  0.000000 sh[1]             e  (vfs_read) n=0x0\n"),
	      "a second function that comes late");
	buf_fini(&got);
	text_fini(&t);
	arena_fini(&arena);
	diag_fini(&diag);
}

static void test_header(void)
{
	struct text us = { 0 }, ns = { .columns.ns = true };
	struct buf got = { 0 };

	sink_short.header(&us, STYLE_SHORT, NULL, &got);
	CHECK(!strcmp(buf_str(&got), "   TIME(s) TASK[PID]         EVENT  ARGUMENTS\n"), "the header");
	buf_reset(&got);
	sink_short.header(&ns, STYLE_SHORT, NULL, &got);
	CHECK(!strcmp(buf_str(&got), "      TIME(s) TASK[PID]         EVENT  ARGUMENTS\n"), "... with nanoseconds");
	buf_reset(&got);
	us.width = 12;
	sink_short.header(&us, STYLE_SHORT, NULL, &got);
	CHECK(!strcmp(buf_str(&got), "   TIME(s...\n"), "... on a narrow terminal");
	buf_fini(&got);
	text_fini(&us);
	text_fini(&ns);
}

static void test_lost(void)
{
	static const struct { uint64_t count; const char *line; } cases[] = {
		{ 1, "1 event lost on CPU 2\n" }, { 3, "3 events lost on CPU 2\n" }, { UINT64_MAX, "events lost on CPU 2\n" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct text t = { 0 };
		struct buf got = { 0 };

		sink_short.lost(NULL, &t, 2, cases[i].count, &got);
		CHECK(!strcmp(buf_str(&got), cases[i].line), "lost: %s", cases[i].line);
		buf_fini(&got);
	}
}

/* The string begins at column 34: 10 of the time, 1, 16 of the task, 2, 1 of the event, 2, "s=". */
#define HEAD	"  0.000000 sh[1]             e  s="

static void test_width(void)
{
	static const struct { const char *s; unsigned width; bool utf8; const char *line; } cases[] = {
		{ "abcd", 0, true, HEAD "\"abcd\"" },
		{ "abcd", 40, true, HEAD "\"abcd\"" },		/* it needs 40 */
		{ "abcd", 39, true, HEAD "\"abc\xe2\x80\xa6" },
		{ "abcd", 39, false, HEAD "\"a..." },
		{ "abcd", 40, false, HEAD "\"abcd\"" },
		{ "a\xc3\xa4" "cd", 40, true, HEAD "\"a\xc3\xa4" "cd\"" },	/* two bytes, one column */
		{ "a\xc3\xa4" "cd", 37, true, HEAD "\"a\xe2\x80\xa6" },
		{ "a\xc3\xa4" "cd", 38, true, HEAD "\"a\xc3\xa4\xe2\x80\xa6" },
		{ "\xe2\x82\xac\xe2\x80\x98xy", 40, true, HEAD "\"\xe2\x82\xac\xe2\x80\x98xy\"" },	/* U+20AC, U+2018: narrow */
		{ "\xe6\x97\xa5\xe6\x9c\xac", 40, true, HEAD "\"\xe6\x97\xa5\xe6\x9c\xac\"" },	/* two wide ones */
		{ "\xe6\x97\xa5\xe6\x9c\xac", 39, true, HEAD "\"\xe6\x97\xa5\xe2\x80\xa6" },
		{ "\xe6\x97\xa5\xe6\x9c\xac", 37, true, HEAD "\"\xe2\x80\xa6" },	/* the first one would end at 37 */
		{ "\xf0\x9f\x98\x80", 38, true, HEAD "\"\xf0\x9f\x98\x80\"" },	/* U+1F600 */
		{ "\xf0\x9f\x98\x80", 37, true, HEAD "\"\xe2\x80\xa6" },
		{ "\x1b[31m", 44, true, HEAD "\"\\x1b[31m\"" },
		{ "\x1b[31m", 40, true, HEAD "\"\\x1b\xe2\x80\xa6" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct hit hit = { "p:e vfs_read s=+0(%di):string", READ, 0, "sh", 1, { { .s = cases[i].s } } };
		struct text t = { .start = START, .width = cases[i].width, .utf8 = cases[i].utf8 };
		char what[32], want[80];

		snprintf(what, sizeof(what), "width, case %zu", i);
		snprintf(want, sizeof(want), "%s\n", cases[i].line);
		check_hits(what, t, &hit, 1, want);
	}
}

/* No line is wider than its terminal, however narrow that is. The time begins with two blanks. */
static void test_narrow(void)
{
	static const struct hit hit = { "p:e vfs_read", READ, 0, "sh", 1, { { 0 } } };
	static const struct { unsigned width; const char *ascii, *utf8; } cases[] = {
		{ 1, ".\n", "\xe2\x80\xa6\n" },
		{ 2, "..\n", " \xe2\x80\xa6\n" },
		{ 3, "...\n", "  \xe2\x80\xa6\n" },
		{ 4, " ...\n", "  0\xe2\x80\xa6\n" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct text t = { .start = START, .width = cases[i].width };

		check_hits("a very narrow terminal", t, &hit, 1, cases[i].ascii);
		t.utf8 = true;
		check_hits("... with UTF-8", t, &hit, 1, cases[i].utf8);
	}
}

/* C0, DEL, C1 as UTF-8 and as a byte, half a character: none comes through, from strings nor from names of tasks. */
static void test_escapes(void)
{
	static const struct hit hits[] = {
		{ "p:e vfs_read s=+0(%di):string", READ, 0, "\x1b]0;x\x07", 1, { { .s = "\x1b[2J\n\"\\\x7f\xc2\x9b\x9b\xe6\x97" } } },
		{ "p:e vfs_read c=%di:char d=%si:char", READ, 0, "\x9b" "2J", 1, { { 0x1b }, { 0x9b } } },
	};
	static const struct hit high = { "p:e vfs_read s=+0(%di):string", READ, 0, "\xc3\xa9", 1, { { .s = "\xe2\x80\xae\xc3\xa4" } } };
	struct text t = { .start = START, .palette.on = false };

	check_hits("bidi controls do not change the order of a line", t, &high, 1,
		   "  0.000000 \xc3\xa9[1]              e  s=\"\\xe2\\x80\\xae\xc3\xa4\"\n");
	t.ascii = true;
	check_hits("a terminal of another locale sees only ASCII", t, &high, 1,
		   "  0.000000 \\xc3\\xa9[1]       e  s=\"\\xe2\\x80\\xae\\xc3\\xa4\"\n");
	t.ascii = false;
	check_hits("a terminal sees no command", t, hits, 2,
		   "  0.000000 \\x1b]0;x\\x07[1]   e  s=\"\\x1b[2J\\n\\\"\\\\\\x7f\\xc2\\x9b\\x9b\\xe6\\x97\"\n"
		   "  0.000000 \\x9b2J[1]         e  c='\\x1b' d='\\x9b'\n");
}

#define DIM(text)	"\033[2m" text "\033[m"
#define RED(text)	"\033[31m" text "\033[m"
#define GREEN(text)	"\033[32m" text "\033[m"

static void test_colours(void)
{
	static const struct hit hits[] = {
		{ "p:open do_sys_open n=%di:s32 s=+0(%si):string", OPEN, 0, "sh", 1, { { (uint64_t)-2 }, { .s = "x" } } },
		{ "r:opened do_sys_open $retval:s32", OPEN, 0, "sh", 1, { { (uint64_t)-2 } } },
		{ "r:opened do_sys_open $retval:s32", OPEN, 0, "sh", 1, { { (uint64_t)-4096 } } },
		{ "p:open do_sys_open n=+0(%di):s32 s=+0(%si):string", OPEN, 0, "sh", 1, { { .fault = true }, { .fault = true } } },
	};
	static const struct hit failed[] = {
		{ "r:e do_sys_open ret=$retval", OPEN, 0, "sh", 1, { { (uint64_t)-4095 } } },
		{ "r:e do_sys_open retval=%ax:u32", OPEN, 0, "sh", 1, { { 0xffffffff } } },
		{ "r:e do_sys_open n=%ax:s32", OPEN, 0, "sh", 1, { { (uint64_t)-1 } } },
	};
	struct text t = { .start = START, .palette.on = true }, narrow = { .start = START, .palette.on = true, .width = 44 };

	check_hits("colours", t, hits, 4,
		   DIM("  0.000000 ") "sh[1]             \033[36mopen\033[m    " DIM("n=") "-2 " DIM("s=")
		   GREEN("\"x\"") "\n"
		   DIM("  0.000000 ") "sh[1]             \033[33mopened\033[m  " DIM("= ") RED("-2") "\n"
		   DIM("  0.000000 ") "sh[1]             \033[33mopened\033[m  " DIM("= ") "-4096\n"
		   DIM("  0.000000 ") "sh[1]             \033[36mopen\033[m    " DIM("n=") RED("(fault)") " " DIM("s=") RED("(fault)") "\n");
	check_hits("what may be an errno", t, failed, 3,
		   DIM("  0.000000 ") "sh[1]             \033[36me\033[m  " DIM("ret=") RED("0xfffffffffffff001") "\n"
		   DIM("  0.000000 ") "sh[1]             \033[36me\033[m  " DIM("retval=") RED("4294967295") "\n"
		   DIM("  0.000000 ") "sh[1]             \033[36me\033[m  " DIM("n=") "-1\n");
	/* open is as wide as opened here: "-2" ends at column 41, and three dots at 44 */
	check_hits("a cut line has no open colour", narrow, hits, 2,
		   DIM("  0.000000 ") "sh[1]             \033[36mopen\033[m    " DIM("n=") "-2...\n"
		   DIM("  0.000000 ") "sh[1]             \033[33mopened\033[m  " DIM("= ") RED("-2") "\n");
	narrow.width = 30;
	check_hits("... within a colour", narrow, hits, 1, DIM("  0.000000 ") "sh[1]           ...\n");
	narrow.width = 32;
	narrow.utf8 = true;
	check_hits("... of the event", narrow, hits, 1, DIM("  0.000000 ") "sh[1]             \033[36mop\033[m\xe2\x80\xa6\n");
}

/* As --pipe does it when the store changes: the events are others, but the lines stay below those of before. */
static void test_renew(void)
{
	static const struct hit before[] = {
		{ "p:long_name do_sys_open", OPEN, 0, "fifteen_bytes_x", 123, { { 0 } } },
	};
	static const struct hit after[] = {
		{ "p:e vfs_read n=%dx", READ, 1000, "sh", 1, { { 7 } } },
		{ "p:long_name do_sys_open n=%di", OPEN, 2000, "sh", 1, { { 8 } } },
	};
	struct text t = { .palette.on = true };
	struct buf got = { 0 };
	static const char want[] =
		DIM("  0.000000 ") "fifteen_bytes_x[123]  \033[36mlong_name\033[m\n"
		DIM("  0.000001 ") "sh[1]                 \033[33me\033[m          " DIM("n=") "0x7\n"
		DIM("  0.000002 ") "sh[1]                 \033[36mlong_name\033[m  " DIM("n=") "0x8\n";

	print_more(&t, before, 1, &got);
	print_more(&t, after, 2, &got);
	text_fini(&t);
	if (!CHECK(!strcmp(buf_str(&got), want), "columns, colours and the start stay"))
		printf("# got:\n%s# want:\n%s", buf_str(&got), want);
	buf_fini(&got);
}

int main(void)
{
	int fd = memfd_create("kallsyms", MFD_CLOEXEC);
	struct diag diag = { 0 };
	struct buf path = { 0 };

	buf_addf(&path, "/proc/self/fd/%d", fd);
	if (CHECK(write(fd, table, sizeof(table) - 1) > 0 && !ksyms_load_with(buf_str(&path), NULL, &ks, &diag), "symbols")) {
		test_lines();
		test_late_layout();
		test_header();
		test_lost();
		test_width();
		test_narrow();
		test_escapes();
		test_colours();
		test_renew();
	}
	ksyms_close(ks);
	close(fd);
	buf_fini(&path);
	diag_fini(&diag);
	return tap_done();
}
