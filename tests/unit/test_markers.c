// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_markers.c - USDT markers: notes that the test assembles itself (as sys/sdt.h has them), and those of programs that are here, which
 * readelf reads, too.
 */
#include "elf/markers.h"

#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "elf/file.h"
#include "made_file.h"
#include "tap.h"

/* A place is a nop with a text behind it, and so is a semaphore: the test finds them in the file by these texts. */
static const char source[] =
	".macro place name\n"
	"\\name: nop\n"
	".ascii \"<\\name>\"\n"
	".endm\n"
	".macro note place, sema, provider, name, args, moved=0\n"
	".pushsection .note.stapsdt,\"\",\"note\"\n"
	".balign 4\n"
	".4byte 8, 9920f-9910f, 3\n"
	".asciz \"stapsdt\"\n"
	"9910: .8byte \\place + \\moved, _.stapsdt.base + \\moved\n"
	".ifc \\sema,0\n"
	".8byte 0\n"
	".else\n"
	".8byte \\sema + \\moved\n"
	".endif\n"
	".asciz \"\\provider\"\n"
	".asciz \"\\name\"\n"
	".asciz \"\\args\"\n"
	"9920: .balign 4\n"
	".popsection\n"
	".endm\n"
	".section .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n"
	".weak _.stapsdt.base\n"
	".hidden _.stapsdt.base\n"
	"_.stapsdt.base: .space 1\n"
	".size _.stapsdt.base, 1\n"
	".section .probes,\"aw\"\n"
	".balign 2\n"
	"sema1: .short 0\n"
	".ascii \"SEMA\"\n"
	"sema2: .short 0\n"
	".ascii \"TWO!\"\n"
	".byte 0\n"
	"odd: .short 0\n"
	".bss\n"
	".balign 2\n"
	"nowhere: .short 0\n"
	".data\n"
	".globl counter\n"
	".balign 8\n"
	"counter: .8byte 0\n"
	".size counter, 8\n"
	".type counter, @object\n"
	".text\n"
	".globl f\n"
	".type f, @function\n"
	"f:\n"
	"place one\n"
	"place two\n"
	"place three\n"
	"ret\n"
	".size f, .-f\n"
	"note one, 0, app, start, \"8@%rdi -4@%esi 2@$-5 -1@%ah 4@-20(%rbp) 8@(%rax,%rcx,8)\"\n"
	"note three, sema1, app, start, \"8@8(,%rdx,4)\"\n"
	"note two, 0, app, start, \"\"\n"
	"note two, 0, app, start, \"\"\n"			/* twice the same */
	"note two, sema2, app, moved, \"\", 4096\n"
	"note one, 0, other, start, \"%rdi\"\n"
	"note one, 0, app, values, \"-8@counter(%rip) 8@counter+4(%rip) 8f@%xmm0 8f@-8(%rbp) 16@(%rax) %r8d (%rax, %rbx, 2) 8@nothing(%rip) 8@%fs:0 4@counter(%rax) 4@counter(,%rax,4) -4@\"\n"
	"note counter, 0, app, data, \"\"\n"
	"note two, nowhere, app, nowhere, \"\"\n"
	"note two, odd, app, odd, \"\"\n";

static struct arena arena;

static struct program *open_program(const char *path)
{
	struct program *p = NULL;
	struct diag d = { 0 };

	if (!CHECK(!program_open(&arena, path, 0, &p, &d), "%s is opened: %s", path, buf_str(&d.msg)))
		p = NULL;
	diag_fini(&d);
	return p;
}

/* The kind of argument @i and all its numbers. */
static const char *show(const struct marker *m, unsigned i)
{
	static char out[200];
	const struct marker_arg *a = &m->args[i];
	const struct asm_operand *o = &a->operand;

	if (i >= m->nr_args)
		return "none";
	if (a->unsupported)
		return a->unsupported;
	snprintf(out, sizeof(out), "%c%u %d %s%u %" PRId64 " %s*%u", a->is_signed ? 's' : 'u', a->size, o->kind, o->has_reg ? reg_name(o->reg) : "-",
		 o->shift, o->value, o->has_index ? reg_name(o->index) : "-", o->scale);
	return out;
}

static void check_args(const struct marker *m, const char *const *wanted, unsigned nr)
{
	CHECK(m->nr_args == nr, "%s:%s has %u arguments: %u", m->provider, m->name, nr, m->nr_args);
	for (unsigned i = 0; i < nr; i++)
		CHECK(strstr(show(m, i), wanted[i]), "argument %u of %s:%s is %s: %s", i + 1, m->provider, m->name, wanted[i], show(m, i));
}

/* Three places of one name; each has its own arguments. ASM_CONSTANT is 0, ASM_REGISTER 1, ASM_MEMORY 2. */
static void test_places(struct program *p)
{
	static const char *const first[] = { "u8 1 di0 0 -*0", "s4 1 si0 0 -*0", "u2 0 -0 -5 -*0", "s1 1 ax8 0 -*0", "u4 2 bp0 -20 -*0", "u8 2 ax0 0 cx*8" };
	static const char *const third[] = { "u8 2 -0 8 dx*4" };
	const struct marker *m;
	size_t nr = markers_find(p, &arena, "app", "start", &m);

	if (!CHECK(nr == 3, "a marker with three places, one of which has two notes: %zu", nr))
		return;
	CHECK(file_has(p->fd, m[0].off, "\x90<one>") && file_has(p->fd, m[1].off, "\x90<two>") && file_has(p->fd, m[2].off, "\x90<three>"), "its places in the file, in their order");
	CHECK(!m[0].semaphore && !m[1].semaphore && m[2].semaphore && file_has(p->fd, m[2].semaphore + 2, "SEMA"), "only the last one has a semaphore");
	check_args(&m[0], first, ARRAY_SIZE(first));
	check_args(&m[1], NULL, 0);
	check_args(&m[2], third, ARRAY_SIZE(third));
	CHECK(markers_find(p, &arena, NULL, "start", &m) == 4 && !strcmp(m[3].provider, "other"), "of any provider");
	CHECK(!strcmp(show(&m[3], 0), "u8 1 di0 0 -*0"), "without a size: 8 bytes, unsigned: %s", show(&m[3], 0));
	CHECK(markers_find(p, &arena, "app", "stop", &m) == 0, "none of this name");
	CHECK(markers_find(p, &arena, "ap", "start", &m) == 0, "none of this provider");
	nr = markers_find(p, &arena, "app", "moved", &m);
	CHECK(nr == 1 && file_has(p->fd, m->off, "\x90<two>") && file_has(p->fd, m->semaphore + 2, "TWO!"), "a file that was moved by 4096");
}

/* The address of a symbol, from nm. */
static int64_t address_of(const char *file, const char *symbol)
{
	char line[200];
	auto_file f = run("nm %s | awk '$3 == \"%s\" { print $1 }' > address", file, symbol) ? NULL : fopen(made("address"), "re");

	return f && fgets(line, sizeof(line), f) ? (int64_t)strtoull(line, NULL, 16) : -1;
}

static void test_values(struct program *p, const char *file)
{
	int64_t distance = address_of(file, "counter") - address_of(file, "one");
	char whole[64], second[64], third[64];
	const char *const values[] = { whole, second, "vector register", "floating point", "1, 2, 4 and 8", "u8 1 r80 0", "u8 2 ax0 0 bx*2",
				       "no symbol 'nothing'", "of the thread", "a symbol and a register", third, "empty" };
	const struct marker *m;

	snprintf(whole, sizeof(whole), "s8 2 ip0 %" PRId64 " -*0", distance);
	snprintf(second, sizeof(second), "u8 2 ip0 %" PRId64 " -*0", distance + 4);
	snprintf(third, sizeof(third), "u4 2 ip0 %" PRId64 " ax*4", distance);
	if (!CHECK(markers_find(p, &arena, "app", "values", &m) == 1 && !m->refusal, "a marker with many arguments"))
		return;
	check_args(m, values, ARRAY_SIZE(values));
	CHECK(m->args[2].is_float && m->args[3].is_float && !m->args[4].is_float, "floating point numbers are marked");
}

static void test_refused(struct program *p)
{
	static const struct { const char *name, *why; } cases[] = {
		{ "data", "not in the program's code" }, { "nowhere", "semaphore" }, { "odd", "semaphore" },
	};
	const struct marker *m;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		bool one = markers_find(p, &arena, "app", cases[i].name, &m) == 1;

		CHECK(one && m->refusal && strstr(m->refusal, cases[i].why), "app:%s: %s", cases[i].name, one ? m->refusal : "not found");
	}
}

/* ---- programs that are here ---- */

static bool all(void *ctx, const char *provider, const char *name)
{
	(void)ctx;
	return *provider && *name;
}

/* readelf's lines, one word group for each marker, in any order. */
static void list_readelf(const char *path)
{
	run("readelf -n %s | awk '/Provider:/ { p = $2 } /Name:/ { n = $2 } /Location:/ { gsub(\",\", \"\"); l = $2; s = $6 } "
	    "/Arguments:/ { sub(/^ *Arguments: */, \"\"); sub(/ *$/, \"\"); print p, n, l, s, $0 }' | sort > readelf.txt", path);
}

static void list_own(struct program *p)
{
	const struct marker *m;
	size_t nr = markers_match(p, &arena, all, NULL, &m);
	FILE *f = fopen(made("own.raw"), "we");
	unsigned unsupported = 0;

	for (size_t i = 0; f && i < nr; i++) {
		uint64_t semaphore = 0;

		/* readelf has the semaphore's address; none of these files was moved. */
		if (m[i].semaphore && !elf_file_addr(p->file, m[i].semaphore, &semaphore))
			semaphore = 1;
		fprintf(f, "%s %s 0x%016" PRIx64 " 0x%016" PRIx64, m[i].provider, m[i].name, m[i].addr, semaphore);
		for (unsigned n = 0; n < m[i].nr_args; n++) {
			fprintf(f, " %s", m[i].args[n].text);
			unsupported += m[i].args[n].unsupported != NULL;
		}
		fprintf(f, "%s\n", m[i].nr_args ? "" : " ");
	}
	if (f)
		fclose(f);
	CHECK(!unsupported, "all arguments of %s are understood", p->shown);
	run("sort own.raw > own.txt");
}

static void test_real(void)
{
	static const char *const names[] = { "/usr/bin/python3", "libstdc++.so.6", "libc.so.6", "ld-linux-x86-64.so.2" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct program *p = NULL;
		struct diag d = { 0 };

		if (program_open(&arena, names[i], 0, &p, &d)) {
			TAP_SKIP(names[i]);
		} else {
			list_readelf(p->shown);
			list_own(p);
			CHECK(!run("cmp readelf.txt own.txt || diff readelf.txt own.txt | head -20"), "the markers of %s are readelf's", p->shown);
		}
		program_close(p);
		diag_fini(&d);
	}
}

int main(void)
{
	struct program *p;

	made_begin();
	made_write("made.S", source, sizeof(source) - 1);
	if (CHECK(!run("gcc -shared -nostdlib -Wl,-z,noexecstack -o made.so made.S"), "the notes are assembled") && (p = open_program(made("made.so")))) {
		test_places(p);
		test_values(p, "made.so");
		test_refused(p);
		program_close(p);
	}
	/* Not moved by the loader, with other numbers for all. */
	if (CHECK(!run("gcc -static -nostdlib -Wl,-e,f -o made made.S"), "... as a program at a fixed address") && (p = open_program(made("made")))) {
		test_places(p);
		test_values(p, "made");
		program_close(p);
	}
	test_real();
	arena_fini(&arena);
	return tap_done();
}
