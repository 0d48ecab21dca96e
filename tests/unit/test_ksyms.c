// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_ksyms.c - the symbol table, with small tables that the test makes.
 */
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kernel/syms/ksyms.h"
#include "tap.h"

/* As Debian's 6.12 has it: per-cpu symbols first, then text, then the rest to _end. */
static const char table[] =
	"0000000000000000 A fixed_percpu_data\n"
	"0000000000001000 A cpu_debug_store\n"
	"ffffffff81000000 T _stext\n"
	"ffffffff81000000 T _text\n"
	"ffffffff81000010 T vfs_read\n"
	"ffffffff81000010 t alias_of_read\n"
	"ffffffff81000090 t helper.isra.0\n"
	"ffffffff810000c0 t helper.cold\n"
	"ffffffff810000d0 T __pfx_twice\n"
	"ffffffff810000e0 t twice\n"
	"ffffffff810000f0 t twice\n"
	"ffffffff81000100 W weak_one\n"
	"ffffffff81000200 T _etext\n"
	"ffffffff81001000 d vfs_raed_data\n"
	"ffffffff81002000 B _end\n"
	"ffffffff81002000 B after_end\n"
	"ffffffffc0003000 t last_of_a\t[mod_a]\n"
	"ffffffffc0002000 t first_of_a\t[mod_a]\n"
	"ffffffffc0002000 t second_name\t[mod_a]\n"
	"ffffffffc0002040 t twice\t[mod_a]\n"
	"ffffffffc0003f00 r data_of_a\t[mod_a]\n"
	"0000000000012340 a percpu_of_a\t[mod_a]\n"
	"ffffffffc0002080 U foreign\t[mod_a]\n"
	"ffffffffc0006010 T only_of_b\t[mod_b]\n"
	"ffffffffc0008000 t ftrace_trampoline\t[__builtin__ftrace]\n"
	"ffffffffc0009000 t bpf_prog_6deef7357e7b4530\t[bpf]\n"
	"ffffffffc0009100 t bpf_prog_7cc47bbf07148bfe_x\t[bpf]\n";

static const char modules[] =
	"mod_b 8192 0 - Live 0xffffffffc0006000\n"
	"mod_a 16384 1 mod_b,other Live 0xffffffffc0002000 (OE)\n"
	"hidden 4096 0 - Live 0x0000000000000000\n"
	"rubbish\n";

/* A file in memory; *ret_path names it. */
static int memory_file(const char *text, size_t len, struct buf *ret_path)
{
	int fd = memfd_create("ksyms", MFD_CLOEXEC);

	if (fd < 0 || write(fd, text, len) != (ssize_t)len) {
		perror("memfd");
		exit(1);
	}
	buf_reset(ret_path);
	buf_addf(ret_path, "/proc/self/fd/%d", fd);
	return fd;
}

static struct ksyms *load(const char *text, size_t len, const char *mods)
{
	struct buf path = { 0 }, modpath = { 0 };
	int fd = memory_file(text, len, &path), modfd = -1, err;
	struct ksyms *ks = NULL;
	struct diag d = { 0 };

	if (mods)
		modfd = memory_file(mods, strlen(mods), &modpath);
	err = ksyms_load_with(buf_str(&path), mods ? buf_str(&modpath) : NULL, &ks, &d);
	if (err) {
		printf("# %s\n", buf_str(&d.msg));
		exit(1);
	}
	/* The first lookup reads the list of modules: let that happen now. */
	ksyms_lookup(ks, 1, NULL);
	close(fd);
	if (modfd >= 0)
		close(modfd);
	buf_fini(&path);
	buf_fini(&modpath);
	diag_fini(&d);
	return ks;
}

struct lookup_case {
	uint64_t addr;
	const char *name;	/* NULL: not found */
	const char *module;
	uint64_t size;
};

static void check_lookups(const char *what, const struct ksyms *ks, const struct lookup_case *cases,
			  size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct lookup_case *c = &cases[i];
		uint64_t size = 99;
		const struct ksym *sym = ksyms_lookup(ks, c->addr, &size);

		if (!c->name) {
			CHECK(!sym && !size, "%s: no symbol covers %#lx", what, c->addr);
			continue;
		}
		CHECK(sym && !strcmp(sym->name, c->name) && size == c->size &&
		      !strcmp(sym->module ? sym->module : "", c->module ? c->module : ""),
		      "%s: %#lx is in %s, %#lx long (%s, %#lx)", what, c->addr, c->name, c->size,
		      sym ? sym->name : "nobody's", size);
	}
}

static void test_lookup(void)
{
	static const struct lookup_case cases[] = {
		{ 0 }, { 0x10 }, { 0x1004 }, { 0x7fff12345678 }, { 0xffffffff80ffffff },
		{ 0xffffffff81000000, "_stext", NULL, 0x10 },
		{ 0xffffffff8100000f, "_stext", NULL, 0x10 },
		{ 0xffffffff81000010, "vfs_read", NULL, 0x80 },
		{ 0xffffffff8100008f, "vfs_read", NULL, 0x80 },
		{ 0xffffffff81000090, "helper.isra.0", NULL, 0x30 },
		{ 0xffffffff810000f1, "twice", NULL, 0x10 },
		{ 0xffffffff81000250, "_etext", NULL, 0xe00 },
		{ 0xffffffff81001fff, "vfs_raed_data", NULL, 0x1000 },
		{ 0xffffffff81002000 }, { 0xffffffff81900000 }, { 0xffffffffc0001fff },
		{ 0xffffffffc0002000, "first_of_a", "mod_a", 0x40 },
		{ 0xffffffffc0002041, "twice", "mod_a", 0xfc0 },
		{ 0xffffffffc0002081, "twice", "mod_a", 0xfc0 },
		{ 0xffffffffc0003001, "last_of_a", "mod_a", 0xf00 },
		{ 0xffffffffc0003f04, "data_of_a", "mod_a", 0x100 },
		{ 0xffffffffc0006000 },
		{ 0xffffffffc0006010, "only_of_b", "mod_b", 0xff0 },
		{ 0xffffffffc0007001, "only_of_b", "mod_b", 0x1ff0 },
		{ 0xffffffffc0008000 }, { 0xffffffffc0008010 },
		{ 0xffffffffc0009004, "bpf_prog_6deef7357e7b4530", "bpf", 0x100 },
		{ 0xffffffffc0009104, "bpf_prog_7cc47bbf07148bfe_x", "bpf", 0 },
		{ 0xffffffffc0100000 }, { UINT64_MAX },
	};
	struct ksyms *ks = load(table, sizeof(table) - 1, modules);
	uint64_t low = 0, high = 0;

	check_lookups("lookup", ks, cases, sizeof(cases) / sizeof(cases[0]));
	CHECK(!ksyms_hidden(ks), "addresses are there");
	CHECK(ksyms_module_span(ks, &low, &high) && low == 0xffffffffc0002000 &&
	      high == 0xffffffffc0009100, "modules span %#lx to %#lx", low, high);
	CHECK(ksyms_lookup(ks, 0xffffffff81000010, NULL), "the size may be left out");
	CHECK(!ksym_brackets(ksyms_lookup(ks, 0xffffffffc0009004, NULL)), "no brackets for bpf");
	CHECK(!strcmp(ksym_brackets(ksyms_lookup(ks, 0xffffffffc0002000, NULL)), "mod_a"),
	      "brackets for a module");
	ksyms_close(ks);
}

/* Without CONFIG_KALLSYMS_ALL only functions are listed, in two texts. */
static void test_texts(void)
{
	static const char text[] =
		"ffffffff81000000 T _stext\n"
		"ffffffff81000100 t f\n"
		"ffffffff81000200 T _etext\n"
		"ffffffff81800000 D __start_rodata\n"
		"ffffffff81900000 T _sinittext\n"
		"ffffffff81900000 t setup\n"
		"ffffffff81900080 T _einittext\n"
		"ffffffff81a00000 R beyond\n";
	static const struct lookup_case cases[] = {
		{ 0xffffffff810001ff, "f", NULL, 0x100 }, { 0xffffffff81000200 },
		{ 0xffffffff81800001 }, { 0xffffffff81900010, "_sinittext", NULL, 0x80 },
		{ 0xffffffff81900080 }, { 0xffffffff81a00000 },
	};
	/* No marks at all, out of order, and no newline at the end. */
	static const char bare[] = "ffffffff81000300 T c\nffffffff81000100 T a\nffffffff81000100 T b";
	static const struct lookup_case bare_cases[] = {
		{ 0xffffffff810000ff }, { 0xffffffff81000101, "a", NULL, 0x200 },
		{ 0xffffffff81000fff, "c", NULL, 0 }, { 0xffffffff81001000 },
	};
	struct ksyms *ks = load(text, sizeof(text) - 1, NULL);

	check_lookups("texts", ks, cases, sizeof(cases) / sizeof(cases[0]));
	ksyms_close(ks);
	ks = load(bare, sizeof(bare) - 1, NULL);
	check_lookups("bare", ks, bare_cases, sizeof(bare_cases) / sizeof(bare_cases[0]));
	ksyms_close(ks);
}

static void test_find(void)
{
	static const struct {
		const char *name, *module;
		size_t count;
		uint64_t first;
	} cases[] = {
		{ "vfs_read", NULL, 1, 0xffffffff81000010 },
		{ "vfs_read", "vmlinux", 1, 0xffffffff81000010 },
		{ "vfs_read", "mod_a", 0, 0 },
		{ "twice", NULL, 3, 0xffffffff810000e0 },
		{ "twice", "vmlinux", 2, 0xffffffff810000e0 },
		{ "twice", "mod_a", 1, 0xffffffffc0002040 },
		{ "twice", "mod_b", 0, 0 },
		{ "percpu_of_a", "mod_a", 1, 0x12340 },
		{ "vfs_rea", NULL, 0, 0 }, { "", NULL, 0, 0 }, { "vfs_read ", NULL, 0, 0 },
	};
	struct ksyms *ks = load(table, sizeof(table) - 1, NULL);

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct ksym *const *first;
		size_t n = ksyms_find(ks, cases[i].name, cases[i].module, &first);

		CHECK(n == cases[i].count && (!n || first[0]->addr == cases[i].first),
		      "find '%s' in %s: %zu", cases[i].name,
		      cases[i].module ? cases[i].module : "all", n);
	}
	ksyms_close(ks);
}

/* Each name of a large table is found, whatever its hash is. */
static void test_many(void)
{
	const struct ksym *const *first;
	size_t missed = 0, wrong = 0, n;
	struct buf text = { 0 };
	struct ksyms *ks;

	for (unsigned i = 0; i < 20000; i++)
		buf_addf(&text, "%016lx t f%u\n", 0xffffffff81000000ul + i * 16ul, i / 2 * 2 % 9000);
	ks = load(text.data, text.len, NULL);
	for (unsigned i = 0; i < 9000; i += 2) {
		char name[16];

		snprintf(name, sizeof(name), "f%u", i);
		n = ksyms_find(ks, name, NULL, &first);
		missed += n != (i < 2000 ? 6 : 4);
		for (size_t k = 0; k < n; k++)
			wrong += strcmp(first[k]->name, name) || (k && first[k] < first[k - 1]);
	}
	CHECK(!missed && !wrong, "4500 names of a large table: %zu missed, %zu wrong", missed, wrong);
	ksyms_close(ks);
	buf_fini(&text);
}

static void test_long_name(void)
{
	const struct ksym *const *first;
	struct buf text = { 0 };
	struct ksyms *ks;

	buf_adds(&text, "ffffffff81000000 T ");
	buf_pad(&text, 'x', 511);
	buf_adds(&text, "\nffffffff81000010 T y\n");
	ks = load(text.data, text.len, NULL);
	text.data[19 + 511] = '\0';
	CHECK(ksyms_find(ks, text.data + 19, NULL, &first) == 1, "a name of 511 bytes");
	CHECK(!strcmp(ksyms_lookup(ks, 0xffffffff81000001, NULL)->name, text.data + 19),
	      "and its address");
	text.data[19 + 510] = '\0';
	CHECK(ksyms_similar(ks, text.data + 19, &(const struct ksym *){ NULL }, 1) == 0,
	      "too long for a comparison, not for the stack");
	ksyms_close(ks);
	buf_fini(&text);
}

static void test_hidden(void)
{
	static const char text[] = "0000000000000000 T _stext\n0000000000000000 t f\n"
				   "0000000000000000 t g\t[m]\n";
	const struct ksym *const *first;
	struct ksyms *ks = load(text, sizeof(text) - 1, NULL);

	CHECK(ksyms_hidden(ks), "all addresses 0: hidden");
	CHECK(ksyms_find(ks, "g", "m", &first) == 1, "names are there all the same");
	CHECK(!ksyms_lookup(ks, 0, NULL), "no symbol covers address 0");
	ksyms_close(ks);
}

static void test_malformed(void)
{
#define CASE(s) { s, sizeof(s) - 1 }
	static const struct {
		const char *text;
		size_t len;
	} cases[] = {
		CASE(""), CASE("\n"), CASE("hello"), CASE("ffffffff81000000"),
		CASE("ffffffff81000000 "), CASE("ffffffff81000000 T"), CASE("ffffffff81000000 T "),
		CASE("ffffffff81000000 T \n"), CASE("ffffffff81000000 1 x\n"),
		CASE(" T x\n"), CASE("00ffffffff81000000 T x\n"), CASE("ffffffff81000000 T x y\n"),
		CASE("ffffffff81000000 T x\t\n"), CASE("ffffffff81000000 T x\t[\n"),
		CASE("ffffffff81000000 T x\t[]\n"), CASE("ffffffff81000000 T x\t[m\n"),
		CASE("ffffffff81000000 T x\t[m] \n"), CASE("ffffffff81000000 T x\0y\n"),
		CASE("ffffffff81000000 T x\n\nffffffff81000000 T y\n"), CASE("\xff\xfe\xfd"),
	};
#undef CASE
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ksyms *ks = (struct ksyms *)&cases;
		struct buf path = { 0 };
		struct diag d = { 0 };
		int fd = memory_file(cases[i].text, cases[i].len, &path);
		int err = ksyms_load(buf_str(&path), &ks, &d);

		CHECK(err == -EBADMSG && d.err == err && d.msg.len && ks == (void *)&cases,
		      "malformed table %zu is refused", i);
		diag_fini(&d);
		buf_fini(&path);
		close(fd);
	}
}

static void test_unreadable(void)
{
	struct ksyms *ks = NULL;
	struct diag d = { 0 };

	CHECK(ksyms_load("/nonexistent/kallsyms", &ks, &d) == -ENOENT && d.notes.len,
	      "no such file, with help");
	CHECK(ksyms_load("/proc", &ks, &d) == -EISDIR && d.msg.len, "a directory");
	diag_fini(&d);
	ksyms_close(NULL);
}

static void check_similar(const struct ksyms *ks, const char *name, size_t max, const char *expect)
{
	const struct ksym *near[8];
	size_t n = ksyms_similar(ks, name, near, max);
	struct buf got = { 0 };

	for (size_t i = 0; i < n; i++)
		buf_addf(&got, "%s%s", i ? " " : "", near[i]->name);
	CHECK(!strcmp(buf_str(&got), expect), "near '%s': '%s'", name, buf_str(&got));
	buf_fini(&got);
}

static void test_similar(void)
{
	struct ksyms *ks = load(table, sizeof(table) - 1, NULL);

	check_similar(ks, "helper", 8, "helper.isra.0 helper.cold");
	check_similar(ks, "helper", 1, "helper.isra.0");
	check_similar(ks, "helpre", 8, "helper.isra.0 helper.cold");
	check_similar(ks, "helper.constprop.0", 8, "helper.isra.0 helper.cold");
	check_similar(ks, "vfs_raed", 8, "vfs_read");
	check_similar(ks, "vfs_wreath", 8, "vfs_read");
	check_similar(ks, "twicee", 8, "twice");
	check_similar(ks, "do_something_else", 8, "");
	check_similar(ks, "", 8, "");
	check_similar(ks, "helper", 0, "");
	ksyms_close(ks);
}

int main(void)
{
	test_lookup();
	test_texts();
	test_find();
	test_many();
	test_long_name();
	test_hidden();
	test_malformed();
	test_unreadable();
	test_similar();
	return tap_done();
}
