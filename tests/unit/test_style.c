// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_style.c - the lines and headers of older kernels and documents, from definitions of their dialects.
 *
 * The expected lines are those of the documents, with the values that the test puts into records.
 */
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kernel/release.h"
#include "kernel/syms/ksyms.h"
#include "lang/dialect.h"
#include "plan/plan.h"
#include "print/sink.h"
#include "print/text.h"

#include "put_values.h"
#include "tap.h"

/* do_sys_open is 0xd6 bytes long, sys_open 0x1d. */
static const char table[] =
	"ffffffff81000000 T _stext\n"
	"ffffffff81000000 T _text\n"
	"ffffffff81000010 T do_sys_open\n"
	"ffffffff810000e6 T sys_open\n"
	"ffffffff81000103 T do_syscall_64\n"
	"ffffffff81000200 T __x64_sys_openat\n"
	"ffffffff81000300 T vfs_read\n"
	"ffffffff81000380 t __kretprobe_trampoline\n"
	"ffffffff810003a0 t same_name\n"
	"ffffffff810003b0 t same_name_behind\n"
	"ffffffff810003c0 t same_name\n"
	"ffffffff81000400 T _etext\n"
	"ffffffff81002000 B _end\n";

#define TWICE	0xffffffff810003a0u
#define ENTRY	0xffffffff81000010u
#define CALLER	0xffffffff81000101u		/* sys_open+0x1b */
#define PARENT	0xffffffff81000113u		/* do_syscall_64+0x10 */

static struct ksyms *ks;

struct line {
	enum dialect dialect;
	enum style style;
	const char *def;
	uint64_t addr;
	struct value values[6];
	const char *line;			/* what is printed */
	bool commas;				/* --arrays=commas */
};

#define OLD	"              wl-42    [003] "	/* task, pid, CPU: 16, 5, 3 characters */
#define TIME	"1234567.890123: "

static const struct line lines[] = {
	{ DIALECT_RFC_V2, STYLE_OWN, "p do_sys_open a1 a2 a3 a4", ENTRY,
	  { { 0xffffff9c }, { 0x98db83e }, { 0x8880 }, { 0 } },
	  OLD TIME "do_sys_open: @do_sys_open+0 0xffffff9c 0x98db83e 0x8880 0x0" },
	{ DIALECT_RFC_V2, STYLE_OWN, "p do_sys_open+16 r14", ENTRY + 16, { { 5 } },
	  OLD TIME "do_sys_open: @do_sys_open+16 0x5" },
	/* an ENDBR does not move an entry */
	{ DIALECT_RFC_V2, STYLE_OWN, "p do_sys_open", ENTRY + 4, { { 0 } }, OLD TIME "do_sys_open: @do_sys_open+0" },
	{ DIALECT_RFC_V2, STYLE_OWN, "r do_sys_open rv rp", ENTRY, { { 5 }, { 0xc06e8ebb } },
	  OLD TIME "sys_open: <-do_sys_open+0 0x5 0xc06e8ebb" },
	{ DIALECT_V13, STYLE_OWN, "p:myprobe do_sys_open a0 a1 a2 a3", ENTRY,
	  { { 0xffffff9c }, { 0x40413c }, { 0x8000 }, { 0x1b6 } },
	  OLD TIME "do_sys_open+0x0/0xd6: 0xffffff9c 0x40413c 0x8000 0x1b6" },
	{ DIALECT_V13, STYLE_OWN, "p do_sys_open", ENTRY, { { 0 } }, OLD TIME "do_sys_open+0x0/0xd6:" },
	{ DIALECT_V13, STYLE_OWN, "p do_sys_open", ENTRY + 4, { { 0 } }, OLD TIME "do_sys_open+0x0/0xd6:" },
	{ DIALECT_V13, STYLE_OWN, "p do_sys_open+4", ENTRY + 4, { { 0 } }, OLD TIME "do_sys_open+0x4/0xd6:" },
	{ DIALECT_KPROBE, STYLE_2_6, "p:e do_sys_open", ENTRY + 4, { { 0 } }, OLD TIME "e: (do_sys_open+0x0/0xd6)" },
	{ DIALECT_KPROBE, STYLE_3_X, "p:e do_sys_open", ENTRY + 4, { { 0 } }, OLD "...1 " TIME "e: (do_sys_open+0x0/0xd6)" },
	/* nor one given by address, directly or by the next symbol; an address that is entry + 4 is no entry */
	{ DIALECT_RFC_V2, STYLE_OWN, "p 0xffffffff81000010", ENTRY + 4, { { 0 } }, OLD TIME "do_sys_open: @do_sys_open+0" },
	{ DIALECT_V13, STYLE_OWN, "p 0xffffffff81000010", ENTRY + 4, { { 0 } }, OLD TIME "do_sys_open+0x0/0xd6:" },
	{ DIALECT_V13, STYLE_OWN, "p sys_open-214", ENTRY + 4, { { 0 } }, OLD TIME "do_sys_open+0x0/0xd6:" },
	{ DIALECT_V13, STYLE_OWN, "p same_name_behind-16", TWICE + 4, { { 0 } }, OLD TIME "same_name+0x0/0x10:" },
	{ DIALECT_V13, STYLE_OWN, "p 0xffffffff81000014", ENTRY + 4, { { 0 } }, OLD TIME "do_sys_open+0x4/0xd6:" },
	{ DIALECT_KPROBE, STYLE_3_X, "p:e do_sys_open+4", ENTRY + 4, { { 0 } },
	  OLD "...1 " TIME "e: (do_sys_open+0x4/0xd6)" },
	{ DIALECT_V13, STYLE_OWN, "r:myretprobe do_sys_open rv ra", ENTRY, { { 3 }, { 0xffffffff81367a3a } },
	  OLD TIME "sys_open+0x1b/0x1d <- do_sys_open: 0x3 0xffffffff81367a3a" },
	{ DIALECT_V13, STYLE_OWN, "p do_sys_open +8(a0)", ENTRY, { { .fault = true } },
	  OLD TIME "do_sys_open+0x0/0xd6: (fault)" },
	{ DIALECT_FUNCTION, STYLE_OWN, "SyS_openat(int dfd, string path, x32 flags, x16 mode)",
	  0xffffffff81000200, { { PARENT }, { (uint64_t)-100 }, { .s = "/etc/passwd" }, { 0x8000 }, { 0 } },
	  OLD "...1 " TIME "do_syscall_64->SyS_openat(dfd=-100, path=/etc/passwd, flags=8000, mode=0)" },
	{ DIALECT_FUNCTION, STYLE_OWN, "r SyS_openat(int dfd, long $retval)", 0xffffffff81000200,
	  { { (uint64_t)-100 }, { (uint64_t)-2 } },
	  OLD "...1 " TIME "sys_open<-SyS_openat(dfd=-100, retval=-2)" },
	{ DIALECT_FUNCTION, STYLE_OWN, "vfs_read()", 0xffffffff81000300, { { PARENT } },
	  OLD "...1 " TIME "do_syscall_64->vfs_read()" },
	{ DIALECT_FUNCTION, STYLE_OWN, "vfs_read(char c, symbol s | symbol z, u8 u, s16 n)", 0xffffffff81000300,
	  { { PARENT }, { 'x' }, { ENTRY + 1 }, { 0 }, { 255 }, { (uint64_t)-1 } },
	  OLD "...1 " TIME "do_syscall_64->vfs_read(c=x, s=do_sys_open+0x1/0xd6, z=          (null), u=255, n=-1)" },
	{ DIALECT_FUNCTION, STYLE_OWN, "vfs_read(string a | int b[1], int 0xffffffff81000000)", 0xffffffff81000300,
	  { { PARENT }, { .fault = true }, { .fault = true }, { 7 } },
	  OLD "...1 " TIME "do_syscall_64->vfs_read(a=(fault), b=(fault), 0xffffffff81000000=7)" },
	{ DIALECT_FUNCTION, STYLE_OWN, "vfs_read(x8[3] a | char[3] b)", 0xffffffff81000300,
	  { { PARENT }, { 0x05b4b5 }, { 'h' | 'i' << 8 } },
	  OLD "...1 " TIME "do_syscall_64->vfs_read(a={b5:b4:5}, b=hi)" },
	/* as the document shows them (its perm_addr), which no other document does */
	{ DIALECT_FUNCTION, STYLE_OWN, "vfs_read(x8[6] perm_addr | char[3] b | x8[1] c)", 0xffffffff81000300,
	  { { PARENT }, { 0x0504032fb5b4 }, { 'h' | 'i' << 8 }, { 5 } },
	  OLD "...1 " TIME "do_syscall_64->vfs_read(perm_addr=b4,b5,2f,3,4,5, b=hi, c=5)", .commas = true },
	{ DIALECT_FUNCTION, STYLE_3_X, "vfs_read(x8[2] a)", 0xffffffff81000300, { { PARENT }, { 0x0201 } },
	  OLD "...1 " TIME "vfs_read: (vfs_read+0x0/0x80) __parent=do_syscall_64+0x10/0xfd a={0x1,0x2}", .commas = true },
	{ DIALECT_FUNCTION, STYLE_KPROBE, "vfs_read(int dfd, x16 mode)", 0xffffffff81000300,
	  { { PARENT }, { (uint64_t)-100 }, { 0x1b6 } },
	  "              wl-42      [003] ...1. " TIME "vfs_read: (vfs_read+0x0/0x80) "
	  "__parent=do_syscall_64+0x10/0xfd dfd=-100 mode=0x1b6" },
	{ DIALECT_KPROBE, STYLE_2_6, "p:myprobe do_sys_open dfd=%ax filename=%dx flags=%cx mode=+4($stack)", ENTRY,
	  { { 3 }, { 0x7fffd1ec4440 }, { 0x8000 }, { 0 } },
	  OLD TIME "myprobe: (do_sys_open+0x0/0xd6) dfd=3 filename=7fffd1ec4440 flags=8000 mode=0" },
	{ DIALECT_KPROBE, STYLE_2_6, "r:myretprobe do_sys_open $retval", ENTRY, { { (uint64_t)-2 } },
	  OLD TIME "myretprobe: (sys_open+0x1b/0x1d <- do_sys_open) $retval=fffffffffffffffe" },
	{ DIALECT_KPROBE, STYLE_2_6, "p:e do_sys_open %di +8(%si):s32 @_end", ENTRY,
	  { { 1 }, { (uint64_t)-1 }, { 2 } },
	  OLD TIME "e: (do_sys_open+0x0/0xd6) %di=1 +8(%si):s32=ffffffffffffffff @_end=2" },
	{ DIALECT_V13, STYLE_2_6, "p:e do_sys_open a0 +8(a0)", ENTRY, { { 1 }, { 2 } },
	  OLD TIME "e: (do_sys_open+0x0/0xd6) a0=1 +8(a0)=2" },
	{ DIALECT_KPROBE, STYLE_3_X, "p:doforkprobe do_sys_open a=%ax b=%dx:s32 c=%dx:u8 d=+0(%si):string", ENTRY,
	  { { 0xffffffff8106c470 }, { (uint64_t)-1 }, { 9 }, { .s = "a\"b\n" } },
	  OLD "...1 " TIME "doforkprobe: (do_sys_open+0x0/0xd6) a=0xffffffff8106c470 b=-1 c=0x9 d=\"a\\\"b\\n\"" },
	{ DIALECT_KPROBE, STYLE_V13, "p:e do_sys_open a=%di:s32 b=+0(%si):string", ENTRY, { { 1 }, { .s = "x" } },
	  OLD TIME "do_sys_open+0x0/0xd6: 0x1 \"x\"" },
	{ DIALECT_KPROBE, STYLE_FUNCTION, "p:e do_sys_open a=%di:s32", ENTRY, { { (uint64_t)-5 } },
	  OLD "...1 " TIME "do_sys_open(a=-5)" },
};

/* Who hits, and where its line goes. */
struct reader {
	const char *comm;
	bool terminal, ascii;
};

static void print_line(const struct line *c, const struct plan *plan, const struct reader *r, struct buf *out)
{
	const struct sink *sink = style_sink(c->style);
	_Alignas(8) unsigned char bytes[1024] = { 0 };
	struct bp_rec *rec = (void *)bytes;
	uint64_t location[2] = { c->addr, CALLER };
	struct text text = { .ks = ks, .style = c->style, .comma_arrays = c->commas, .ascii = r->ascii };
	struct event ev;

	*rec = (struct bp_rec){
		.ts = 1234567890123456ull, .cpu = 3, .preempt = 0x80000002, .eflags = 0x246, .migrate = 1,
		.common_pid = 42,
	};
	memcpy(rec->comm, r->comm, strlen(r->comm));
	context_rules_init(&text.rules, RELEASE(6, 12), true);
	memcpy(rec + 1, location, plan->target.is_return ? 16 : 8);
	put_values(bytes + BP_BODY_OFF, &plan->layout, c->values);
	if (event_decode(&plan->layout, rec, sizeof(bytes), &ev))
		(r->terminal ? sink->on_terminal : sink)->event(NULL, &text, &ev, out);
	text_fini(&text);
}

static void check_line(const struct line *c, const struct reader *r)
{
	struct arena arena = { 0 };
	struct facts facts = { .ks = ks };
	struct probe_def *def = NULL;
	struct plan *plan = NULL;
	struct diag diag = { 0 };
	struct buf got = { 0 };

	if (CHECK(!dialect_parse(&arena, c->def, c->dialect, &def, &diag) &&
		  !plan_resolve(&arena, def, &facts, &plan, &diag), "'%s' is resolved: %s", c->def, buf_str(&diag.msg)))
		print_line(c, plan, r, &got);
	if (got.len)
		got.data[got.len - 1] = '\0';	/* the newline */
	if (!CHECK(!strcmp(buf_str(&got), c->line), "'%s' prints its line", c->def))
		printf("# got  %s\n# want %s\n", buf_str(&got), c->line);
	buf_fini(&got);
	diag_fini(&diag);
	arena_fini(&arena);
}

/* The address to which a function returns: what the record has, or the trampoline. */
static void test_faithful(void)
{
	static const struct {
		bool faithful;
		enum dialect dialect;
		const char *def;
		enum fetch_src src;
		uint64_t value;
	} cases[] = {
		{ false, DIALECT_V13, "r f rv ra", FETCH_CALLER, 0 },
		{ true, DIALECT_V13, "r f rv ra", FETCH_VALUE, 0xffffffff81000380 },
		{ true, DIALECT_RFC_V2, "r f rv rp", FETCH_VALUE, 0xffffffff81000380 },
		{ true, DIALECT_KPROBE, "r f %ax %ip", FETCH_CALLER, 0 },
		{ false, DIALECT_KPROBE, "p f %ax %ip", FETCH_REG, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct arena arena = { 0 };
		struct facts facts = { .ks = ks, .faithful = cases[i].faithful };
		struct probe_def *def = NULL;
		struct plan *plan = NULL;
		struct diag diag = { 0 };

		if (!dialect_parse(&arena, cases[i].def, cases[i].dialect, &def, &diag)) {
			def->place.symbol = "do_sys_open";
			plan_resolve(&arena, def, &facts, &plan, &diag);
		}
		CHECK(plan && plan->fetches[1].src == cases[i].src && plan->fetches[1].value == cases[i].value,
		      "'%s' %s: where it returns to", cases[i].def, cases[i].faithful ? "as in 2009" : "today");
		diag_fini(&diag);
		arena_fini(&arena);
	}
}

/* If the trampoline's address is hidden (0), the definition is refused; --explain goes on. */
static void test_faithful_hidden(void)
{
	static const char hidden[] = "0000000000000000 T _text\n0000000000000000 T do_sys_open\n"
				     "0000000000000000 t __kretprobe_trampoline\n";
	static const char none[] = "ffffffff81000000 T _text\nffffffff81000010 T do_sys_open\nffffffff81000400 T _etext\n";
	static const struct {
		const char *table, *says;
		bool explains;
	} cases[] = {
		{ hidden, "hides", false }, { none, "is not among", false }, { hidden, NULL, true }, { none, NULL, true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		int fd = memfd_create("kallsyms", MFD_CLOEXEC);
		struct facts facts = { .faithful = true, .explains = cases[i].explains };
		struct probe_def *def = NULL;
		struct plan *plan = NULL;
		struct arena arena = { 0 };
		struct ksyms *other = NULL;
		struct diag diag = { 0 };
		struct buf path = { 0 };
		int err;

		buf_addf(&path, "/proc/self/fd/%d", fd);
		if (CHECK(write(fd, cases[i].table, strlen(cases[i].table)) > 0 &&
			  !ksyms_load_with(buf_str(&path), NULL, &other, &diag) &&
			  !dialect_parse(&arena, "r do_sys_open rv ra", DIALECT_V13, &def, &diag), "symbols %zu", i)) {
			facts.ks = other;
			err = plan_resolve(&arena, def, &facts, &plan, &diag);
			CHECK(err == (cases[i].says ? -EOPNOTSUPP : 0) &&
			      (!cases[i].says || (strstr(buf_str(&diag.msg), cases[i].says) && diag.at.off == 17)),
			      "symbols %zu: %d, %s", i, err, buf_str(&diag.msg));
		}
		ksyms_close(other);
		close(fd);
		buf_fini(&path);
		diag_fini(&diag);
		arena_fini(&arena);
	}
}

#define COMM	"w\x9b\xc3\xa9"
#define STRING	"\xc2\x9b\x9b\xc3\xa4\xe2\x80\xae\\n"	/* in a file, */
#define BYTES	"\xc2\x9b\x9b\xc3\xa4\xe2\x80\xae\n"	/* and in memory */

/*
 * In a file or a pipe, bytes from 0x80 on are the kernel's. On a terminal nothing may be a command or change the order of the
 * line: C1 as U+009B and as a byte, U+202E. Where the locale is not UTF-8, a terminal may take any such byte for C1.
 */
static void test_terminal(void)
{
	static const struct { enum style style; const char *pid; } heads[] = {
		{ STYLE_KPROBE, "-42      [003] ...1. " TIME }, { STYLE_2_6, "-42    [003] " TIME },
	};
	static const struct { struct reader reader; const char *task, *string; } cases[] = {
		{ { COMM, false, false }, COMM, STRING },
		{ { COMM, true, false }, "w\\x9b\xc3\xa9", "\\xc2\\x9b\\x9b\xc3\xa4\\xe2\\x80\\xae\\n" },
		{ { COMM, true, true }, "w\\x9b\\xc3\\xa9", "\\xc2\\x9b\\x9b\\xc3\\xa4\\xe2\\x80\\xae\\n" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(heads) * ARRAY_SIZE(cases); i++) {
		size_t at = i / ARRAY_SIZE(heads), head = i % ARRAY_SIZE(heads);
		struct buf want = { 0 };
		struct line c = { DIALECT_KPROBE, heads[head].style, "p:e do_sys_open s=+0(%si):string", ENTRY, { { .s = BYTES } } };

		/* 16 bytes for the name, of which COMM has four */
		buf_addf(&want, "            %s%se: (do_sys_open+0x0/0xd6) s=\"%s\"", cases[at].task, heads[head].pid, cases[at].string);
		c.line = buf_str(&want);
		check_line(&c, &cases[at].reader);
		buf_fini(&want);
	}
}

static unsigned count_lines(const char *text)
{
	unsigned n = 0;

	while ((text = strchr(text, '\n'))) {
		text++;
		n++;
	}
	return n;
}

static void test_headers(void)
{
	static const struct {
		enum style style;
		unsigned lines;
		const char *last;
	} headers[] = {
		{ STYLE_KPROBE, 10, "#              | |         |   |||||     |         |\n" },
		{ STYLE_2_6, 4, "#              | |       |          |         |\n" },
		{ STYLE_RFC_V2, 4, "#              | |       |          |         |\n" },
		{ STYLE_V13, 4, "#              | |       |          |         |\n" },
		{ STYLE_3_X, 9, "#              | |       |   ||||       |         |\n" },
		{ STYLE_FUNCTION, 9, "#              | |       |   ||||       |         |\n" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(headers); i++) {
		struct buf text = { 0 };
		size_t len = strlen(headers[i].last);

		style_header(headers[i].style, &(struct columns){ 0 }, NULL, &text);
		CHECK(count_lines(buf_str(&text)) == headers[i].lines && text.len > len &&
		      !strcmp(text.data + text.len - len, headers[i].last), "header %zu", i);
		buf_fini(&text);
	}
}

/* As Wind River's document shows it; 2.6 had no such line. */
static void test_entries(void)
{
	static const char line[] = "# tracer: nop\n#\n# entries-in-buffer/entries-written: 3/3   #P:1\n#\n#      ";
	static const struct entries three = { .in_buffer = 3, .written = 3, .cpus = 1 };
	struct buf text = { 0 };

	style_header(STYLE_3_X, &(struct columns){ 0 }, &three, &text);
	CHECK(!strncmp(buf_str(&text), line, strlen(line)), "3.x counts the entries");
	buf_reset(&text);
	style_header(STYLE_KPROBE, &(struct columns){ 0 }, &three, &text);
	CHECK(!strncmp(buf_str(&text), line, strlen(line)), "today's header does, too");
	buf_reset(&text);
	style_header(STYLE_2_6, &(struct columns){ 0 }, &three, &text);
	CHECK(count_lines(buf_str(&text)) == 4, "2.6's does not");
	buf_fini(&text);
}

static void test_names(void)
{
	struct buf names = { 0 };
	enum style style;

	CHECK(style_find("2.6", &style) && style == STYLE_2_6 && style_find("kprobe", &style) && style == STYLE_KPROBE,
	      "styles have names");
	style_names_taking(STYLE_TAKES_TIME, &names);
	CHECK(!strcmp(buf_str(&names), "kprobe and short"), "styles that take --time: %s", buf_str(&names));
	buf_reset(&names);
	style_names_taking(STYLE_TAKES_COLUMNS, &names);
	CHECK(!strcmp(buf_str(&names), "kprobe"), "... and --flags: %s", buf_str(&names));
	buf_reset(&names);
	style_names(&names);
	CHECK(!strcmp(buf_str(&names), "kprobe, 2.6, 3.x, rfc-v2, v13, function or short"), "all: %s", buf_str(&names));
	buf_fini(&names);
	CHECK(!style_find("own", &style) && !style_find("4.x", &style), "others have none");
}

int main(void)
{
	int fd = memfd_create("kallsyms", MFD_CLOEXEC);
	struct diag d = { 0 };
	struct buf path = { 0 };

	buf_addf(&path, "/proc/self/fd/%d", fd);
	if (fd < 0 || write(fd, table, sizeof(table) - 1) != sizeof(table) - 1 ||
	    ksyms_load_with(buf_str(&path), NULL, &ks, &d)) {
		printf("Bail out! no symbols: %s\n", buf_str(&d.msg));
		return 1;
	}
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		check_line(&lines[i], &(struct reader){ .comm = "wl" });
	test_faithful();
	test_faithful_hidden();
	test_terminal();
	test_headers();
	test_entries();
	test_names();
	ksyms_close(ks);
	close(fd);
	buf_fini(&path);
	diag_fini(&d);
	return tap_done();
}
