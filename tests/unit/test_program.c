// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_program.c - finding programs and libraries, their functions by name, and places in them. The files are assembled here; behind the first
 * instruction of a function there may be a text, by which the test finds the function in the file itself.
 */
#include "elf/program.h"

#include <errno.h>
#include <fnmatch.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "elf/debug_file.h"
#include "elf/demangle.h"
#include "elf/library.h"
#include "made_file.h"
#include "tap.h"

static struct arena arena;

/* ---- the file ---- */

static const char source[] =
	".macro func name, type=%function\n"
	".type \\name, \\type\n"
	"\\name: nop\n"
	".ascii \"<\\name>\"\n"
	"ret\n"
	".size \\name, .-\\name\n"
	".endm\n"
	".data\n"
	".globl variable\n"
	".type variable, @object\n"
	"variable: .8byte 1\n"
	".size variable, 8\n"
	".text\n"
	".globl alpha, alpha_alias, chosen, beta_one, beta_two\n"
	"alpha_alias = alpha\n"
	".type alpha_alias, @function\n"
	"func alpha\n"
	".weak gamma\n"
	"func gamma\n"
	"func beta_one\n"
	"func beta_two\n"
	"beta_label: nop\n"				/* no type and no size */
	"func beta_two.cold\n"
	"func twin\n"
	".globl old_1, old_2\n"
	"func old_1\n"
	"func old_2\n"
	".symver old_1, versioned@V_1\n"
	".symver old_2, versioned@@V_2\n"
	"func chosen, %gnu_indirect_function\n"
	/* net::Socket::read(char*, unsigned long), and a clone of it; net::Socket::Socket(int), twice; int max<int>(int, int); net::f() */
	"func _ZN3net6Socket4readEPcm\n"
	"func _ZN3net6Socket4readEPcm.constprop.0\n"
	"func _ZN3net6SocketC1Ei\n"
	"func _ZN3net6SocketC2Ei\n"
	"func _Z3maxIiET_S0_S0_\n"
	"func _ZN3net1fEv\n"
	"func _ZN3net1fEi\n"
	"func _RNvNtCs_3std2io4copy\n"
	"func _ZN3net4onlyEv.cold\n"
	/* 1 + 3 + 5 + 2 bytes, lock inc of 3, ret */
	".type steps, @function\n"
	"steps: push %rbp\n"
	"mov %rsp, %rbp\n"
	"call alpha\n"
	"xor %eax, %eax\n"
	"lock incl (%rdi)\n"
	"ret\n"
	".size steps, .-steps\n"
	".type undecodable, @function\n"
	"undecodable: .byte 0x06, 0x90, 0x90\n"
	".size undecodable, .-undecodable\n"
	".byte 0x90\n"					/* of no function */
	".type last, @function\n"
	"last: ret\n"
	".size last, .-last\n";

static const char other[] = ".text\n.type twin, @function\ntwin: nop\n.ascii \"<other>\"\nret\n.size twin, .-twin\n";

static const char versions[] = "V_1 { global: alpha*; beta*; gamma; chosen; versioned; local: *; };\nV_2 { global: versioned; } V_1;\n";

static bool make_files(void)
{
	made_write("a.S", source, sizeof(source) - 1);
	made_write("b.S", other, sizeof(other) - 1);
	made_write("versions", versions, sizeof(versions) - 1);
	return !run("gcc -c a.S b.S && gcc -shared -nostdlib -Wl,--build-id=sha1,--version-script=versions -o lib.so b.o a.o");
}

static struct program *open_of(const char *name, unsigned pid)
{
	struct program *p = NULL;
	struct diag d = { 0 };
	int err = program_open(&arena, name, pid, &p, &d);

	if (!CHECK(!err, "'%s' of %u is opened: %s", name, pid ? 1 : 0, err ? buf_str(&d.msg) : p->shown))
		p = NULL;
	diag_fini(&d);
	return p;
}

/* An error and its notes. */
static const char *one_line(const struct diag *d)
{
	char *text = arena_printf(&arena, "%s\n%s", buf_str(&d->msg), buf_str(&d->notes));

	for (char *at = text; *at; at++)
		*at = *at == '\n' ? '|' : *at;
	return text;
}

/* ---- names ---- */

/* The texts of the functions in the file, with a blank before each. */
static const char *texts(struct program *p, const struct program_function *f, size_t nr)
{
	static char out[1000];
	size_t len = 0;

	out[0] = '\0';
	for (size_t i = 0; i < nr && len < 900; i++) {
		char bytes[64] = "";

		if (pread(p->fd, bytes, sizeof(bytes) - 1, (off_t)f[i].off) > 2 && bytes[1] == '<')
			len += (size_t)snprintf(out + len, sizeof(out) - len, " %.*s", (int)strcspn(bytes + 2, ">"), bytes + 2);
		else
			len += (size_t)snprintf(out + len, sizeof(out) - len, " ?");
	}
	return out;
}

static void test_find(struct program *p)
{
	static const struct { const char *name, *found; bool demangled; } cases[] = {
		{ "alpha", " alpha" }, { "alpha_alias", " alpha" }, { "gamma", " gamma" }, { "twin", " other twin" },
		{ "beta_two", " beta_two" }, { "beta_two.cold", " beta_two.cold" }, { "beta", "" }, { "", "" }, { "@", "" }, { "variable", "" },
		{ "versioned", " old_2" }, { "versioned@V_1", " old_1" }, { "versioned@V_2", " old_2" }, { "versioned@@V_2", " old_2" }, { "versioned@V_3", "" },
		{ "alpha@V_1", " alpha" }, { "alpha@V_2", "" }, { "twin@ANY", " other twin" }, { "chosen", " chosen" },
		{ "_ZN3net6Socket4readEPcm", " _ZN3net6Socket4readEPcm" },
		{ "net::Socket::read", " _ZN3net6Socket4readEPcm", true }, { "net::Socket::read(char*, unsigned long)", " _ZN3net6Socket4readEPcm", true },
		{ "net::Socket::read( char *,unsigned long )", " _ZN3net6Socket4readEPcm", true }, { "net::Socket::read(char*)", "", true },
		{ "net::Socket::Socket", " _ZN3net6SocketC1Ei _ZN3net6SocketC2Ei", true }, { "Socket::read", "", true },
		{ "net::f", " _ZN3net1fEv _ZN3net1fEi", true }, { "net::f(int)", " _ZN3net1fEi", true }, { "net::f()", " _ZN3net1fEv", true },
		{ "max<int>", " _Z3maxIiET_S0_S0_", true }, { "int max<int>(int, int)", " _Z3maxIiET_S0_S0_", true }, { "std::io::copy", " _RNvNtCs_3std2io4copy", true },
		{ "net::only", " _ZN3net4onlyEv.cold", true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct program_function *f;
		size_t nr = program_find(p, &arena, cases[i].name, &f);

		if (!cases[i].demangled || demangle_is_known)
			CHECK(!strcmp(texts(p, f, nr), cases[i].found), "'%s' is%s: %s", cases[i].name, cases[i].found, texts(p, f, nr));
	}
}

static const struct program_function *only(struct program *p, const char *name)
{
	static const struct program_function none = { .name = "" };
	const struct program_function *f;

	return program_find(p, &arena, name, &f) == 1 ? f : &none;
}

static void test_facts(struct program *p)
{
	const struct program_function *f;
	bool whole;

	CHECK(program_functions(p, &whole) > 20 && whole, "it has a .symtab");
	CHECK(only(p, "chosen")->is_ifunc && !only(p, "alpha")->is_ifunc, "a function that chooses another one");
	CHECK(only(p, "alpha")->is_whole && !only(p, "beta_label")->is_whole && !only(p, "beta_two.cold")->is_whole, "a function, a label, a part");
	CHECK(only(p, "alpha")->size == 9 && only(p, "alpha")->addr && only(p, "alpha")->off, "nop, <alpha> and ret are 9 bytes");
	f = only(p, "versioned@V_1");
	CHECK(f->is_old && f->version && !strcmp(f->version, "V_1") && !strcmp(f->name, "versioned"), "the older version");
	f = only(p, "versioned");
	CHECK(!f->is_old && f->version && !strcmp(f->version, "V_2"), "the default version");
	CHECK(!only(p, "steps")->version, "a function that is not exported has no version");
	CHECK(program_build_id(p) && strlen(program_build_id(p)) == 40, "a build id of 20 bytes (SHA1)");
}

static bool matches(void *ctx, const char *name)
{
	return !fnmatch(ctx, name, 0);
}

static void test_match(struct program *p)
{
	static const struct { char pattern[24]; const char *found; bool demangled; } cases[] = {
		{ "beta*", " beta_one beta_two" }, { "alpha*", " alpha" }, { "twin", " other twin" }, { "versioned", " old_2" }, { "old_*", "" }, { "zeta*", "" },
		{ "net::*", " _ZN3net6Socket4readEPcm _ZN3net6Socket4readEPcm.constprop.0 _ZN3net6SocketC1Ei _ZN3net6SocketC2Ei _ZN3net1fEv _ZN3net1fEi", true },
		{ "*(*", "", true }, { "_ZN3net1f*", " _ZN3net1fEv _ZN3net1fEi" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct program_function *f;
		size_t nr = program_match(p, &arena, matches, (void *)(uintptr_t)cases[i].pattern, &f);

		/* old_1 and old_2 have these names in .symtab, too. */
		if (!strcmp(cases[i].pattern, "old_*"))
			CHECK(nr == 2, "the names that only this file uses: %zu", nr);
		else if (!cases[i].demangled || demangle_is_known)
			CHECK(!strcmp(texts(p, f, nr), cases[i].found), "'%s' are%s: %s", cases[i].pattern, cases[i].found, texts(p, f, nr));
	}
}

static void test_similar(struct program *p)
{
	const char *names[PROGRAM_SIMILAR];
	size_t nr = program_similar(p, &arena, "beta_tow", names);

	CHECK(nr && !strcmp(names[0], "beta_two"), "two letters changed their places");
	nr = program_similar(p, &arena, "alpha_alia", names);
	CHECK(nr && !strcmp(names[0], "alpha_alias"), "one letter is missing");
	CHECK(!program_similar(p, &arena, "something_else", names), "nothing is like it");
	CHECK(!program_similar(p, &arena, "", names), "nothing is like nothing");
	nr = demangle_is_known ? program_similar(p, &arena, "net::Socket::raed", names) : 1;
	CHECK(nr && (!demangle_is_known || !strcmp(names[0], "net::Socket::read")), "a name of C++");
}

/* ---- places ---- */

static void test_symbol_at(struct program *p)
{
	const struct program_function *f = only(p, "beta_one");
	struct program_place at;

	CHECK(program_symbol_at(p, f->off, &at) && !strcmp(at.name, "beta_one") && !at.off && at.addr == f->addr && at.size == f->size, "the first byte");
	CHECK(program_symbol_at(p, f->off + f->size - 1, &at) && !strcmp(at.name, "beta_one") && at.off == f->size - 1, "the last byte");
	CHECK(program_symbol_at(p, f->off + f->size, &at) && !strcmp(at.name, "beta_two") && !at.off, "the byte behind it");
	CHECK(!program_symbol_at(p, 0, &at), "the file's header is no function");
	CHECK(!program_symbol_at(p, 1ull << 40, &at), "behind the file");
	f = only(p, "last");
	CHECK(program_symbol_at(p, f->off, &at) && !program_symbol_at(p, f->off + 1, &at), "the last function, and one byte behind it");
}

/* The error, the doubt and the message. */
static int boundary(struct program *p, uint64_t off, const char **ret_doubt, const char **ret_said)
{
	struct diag d = { 0 };
	int err = program_boundary(p, off, ret_doubt, &d);

	*ret_said = one_line(&d);
	diag_fini(&d);
	return err;
}

static void test_boundary(struct program *p)
{
	/* push of 1 byte, mov of 3, call of 5, xor of 2, lock incl of 3, ret of 1 */
	const struct program_function *f = only(p, "steps"), *last = only(p, "last");
	const char *doubt, *said;
	int err;

	CHECK(f->size == 15, "the function's instructions have 15 bytes: %d", (int)f->size);
	for (unsigned i = 0; i < 15; i++) {
		bool start = i == 0 || i == 1 || i == 4 || i == 9 || i == 11 || i == 14;

		err = boundary(p, f->off + i, &doubt, &said);
		CHECK(err == (i == 11 ? -EOPNOTSUPP : start ? 0 : -EILSEQ) && !doubt, "steps+%u: %d %s", i, err, said);
	}
	err = boundary(p, f->off + 5, &doubt, &said);
	CHECK(strstr(said, "steps+4") && strstr(said, "steps+9") && strstr(said, "steps+5 of"), "it says where the instructions begin");
	err = boundary(p, f->off + 11, &doubt, &said);
	CHECK(strstr(said, "LOCK"), "it says why the kernel refuses it");
	err = boundary(p, only(p, "undecodable")->off + 1, &doubt, &said);
	CHECK(!err && doubt && strstr(doubt, "not an instruction"), "behind bytes that are none: %s", doubt);
	err = boundary(p, last->off - 1, &doubt, &said);
	CHECK(!err && doubt && strstr(doubt, "no function is known"), "of no function: %s", doubt);
	err = boundary(p, last->off, &doubt, &said);
	CHECK(err == 0 && !doubt, "the last byte of the code");
	err = boundary(p, last->off + 1, &doubt, &said);
	CHECK(err == -EINVAL, "behind the last byte of the code: %s", said);
	err = boundary(p, 0, &doubt, &said);
	CHECK(err == -EINVAL && strstr(said, "data"), "the header of the file: %s", said);
	err = boundary(p, 1ull << 40, &doubt, &said);
	CHECK(err == -EINVAL, "behind the file: %s", said);
	err = boundary(p, UINT64_MAX, &doubt, &said);
	CHECK(err == -EINVAL, "the largest number");
}

/* ---- what is no program ---- */

static void check_refused(const char *name, unsigned pid, int err, const char *text)
{
	struct program *p = NULL;
	struct diag d = { 0 };
	int got = program_open(&arena, name, pid, &p, &d);

	CHECK(got == err && d.err == err && !p && strstr(buf_str(&d.msg), text), "'%s' is refused (%d): %d %s", name, err, got, buf_str(&d.msg));
	program_close(p);
	diag_fini(&d);
}

/* lib.so with one byte of its header changed. */
static const char *patched(const char *name, unsigned at, char byte)
{
	FILE *f;

	run("cp lib.so %s", name);
	f = fopen(made(name), "r+e");
	if (!f || fseek(f, at, SEEK_SET) || fputc(byte, f) == EOF || fclose(f))
		abort();
	return made(name);
}

static void test_refused(void)
{
	made_write("script", "#! /bin/interpreter -x\n", 23);
	made_write("text", "hello\n", 6);
	made_write("empty", "", 0);
	made_write("short", "\177ELF", 4);
	CHECK(!run("mkfifo fifo && mkdir directory && objcopy --only-keep-debug lib.so symbols.debug"), "files");
	check_refused("", 0, -EINVAL, "missing");
	check_refused(made("absent"), 0, -ENOENT, "no file");
	check_refused(made("directory"), 0, -EISDIR, "a directory");
	check_refused(made("script"), 0, -ENOEXEC, "script: the program that runs is /bin/interpreter");
	check_refused(made("text"), 0, -ENOEXEC, "no program");
	check_refused(made("empty"), 0, -ENOEXEC, "no program");
	check_refused(made("short"), 0, -ENOEXEC, "");
	check_refused(made("fifo"), 0, -ENOEXEC, "no ordinary file");
	check_refused("/dev/null", 0, -ENOEXEC, "no ordinary file");
	check_refused(made("a.o"), 0, -ENOEXEC, "object file");
	check_refused(made("symbols.debug"), 0, -ENOEXEC, "only the symbols");
	/* e_machine is the 16 bits at 18: 183 is AArch64; e_ident[4] 1 is 32 bits; e_type at 16: 4 is a core dump. */
	check_refused(patched("aarch64", 18, (char)183), 0, -ENOEXEC, "another CPU (ELF machine 183)");
	check_refused(patched("i386", 18, 3), 0, -ENOEXEC, "32 bits");
	check_refused(patched("x32", 4, 1), 0, -ENOEXEC, "");
	check_refused(patched("core", 16, 4), 0, -ENOEXEC, "core dump");
	check_refused("no-such-program-anywhere", 0, -ENOENT, "no library or program");
	check_refused("/bin/sh", 0x7ffffff0, -ESRCH, "no process");
	check_refused("libc", 0x7ffffff0, -ESRCH, "no process");
}

/* ---- the loader's cache ---- */

struct row {
	uint32_t flags, name, path, os;
	uint64_t hwcap;
};

/* The cache's header is 48 bytes, then rows of 24, then texts; numbers are distances from the header. @shift: bytes of the older header. */
static void make_cache(const char *name, const char *magic, size_t shift, uint32_t rows_said)
{
	static char out[2000];
	char *header = out + shift;
	struct row rows[8] = { { .flags = 0 } };
	uint32_t texts_at = 48 + sizeof(rows), at = texts_at;
	static const struct { uint32_t flags; uint64_t hwcap; const char *name, *file; } libs[8] = {
		{ 0x0003, 0, "libmade.so.1", "text" },			/* 32 bits */
		{ 0x0303, 1ull << 62, "libmade.so.1", "text" },		/* for better CPUs */
		{ 0x0303, 0, "libmade.so.1", "lib.so" },
		{ 0x0303, 0, "libmade.so", "lib.so" },			/* the same file */
		{ 0x0303, 0, "libgone.so.1", "gone" },
		{ 0x0303, 0, "libtwo.so.1", "lib.so" },
		{ 0x0303, 0, "libtwo-2.so", "text" },
		{ 0x0303, 0, "libbad.so", NULL },			/* its path is behind the file */
	};

	memset(out, 0, sizeof(out));
	if (shift) {
		memcpy(out, "ld.so-1.7.0", 11);
		*(uint32_t *)(void *)(out + 12) = (uint32_t)(shift - 16) / 12;
	}
	memcpy(header, magic, 20);
	memcpy(header + 20, &rows_said, 4);
	for (unsigned i = 0; i < 8; i++) {
		rows[i] = (struct row){ libs[i].flags, at, 0, 0, libs[i].hwcap };
		at += (uint32_t)snprintf(header + at, 40, "%s", libs[i].name) + 1;
		rows[i].path = libs[i].file ? at : 1 << 20;
		if (libs[i].file)
			at += (uint32_t)snprintf(header + at, 100, "%s/%s", made_dir, libs[i].file) + 1;
	}
	memcpy(header + 48, rows, sizeof(rows));
	made_write(name, out, shift + at);
}

static int find_in(const char *cache, const char *name, const char **ret)
{
	static const char *const no_dirs[] = { NULL };
	struct library_places places = { made(cache), no_dirs, "" };
	struct diag d = { 0 };
	int err;

	*ret = "";
	err = library_find(&arena, &places, name, ret, &d);
	if (err)
		*ret = one_line(&d);
	diag_fini(&d);
	return err;
}

static void test_cache(void)
{
	static const char magic[] = "glibc-ld.so.cache1.1";
	const char *found;
	int err;

	make_cache("cache", magic, 0, 8);
	make_cache("cache.both", magic, 16 + 12 * 2, 8);	/* 40 is a multiple of 8, as the format wants it */
	make_cache("cache.many", magic, 0, 1000);
	make_cache("cache.huge", magic, 0, UINT32_MAX);
	make_cache("cache.none", magic, 0, 0);
	make_cache("cache.other", "glibc-ld.so.cache1.2", 0, 8);
	err = find_in("cache", "libmade.so.1", &found);
	CHECK(!err && strstr(found, "/lib.so"), "a library of this CPU: %s", found);
	err = find_in("cache.both", "libmade.so.1", &found);
	CHECK(!err && strstr(found, "/lib.so"), "behind the older header: %s", found);
	err = find_in("cache", "libmade", &found);
	CHECK(!err && strstr(found, "/lib.so"), "its name without a version; two names are one file: %s", found);
	err = find_in("cache", "libgone.so.1", &found);
	CHECK(err == -ENOENT, "a library that was removed");
	err = find_in("cache", "libtwo", &found);
	CHECK(err == -EEXIST && strstr(found, "/lib.so") && strstr(found, "/text"), "two libraries: %s", found);
	err = find_in("cache", "libbad.so", &found);
	CHECK(err == -ENOENT, "a path behind the end");
	err = find_in("cache.many", "libmade.so.1", &found);
	CHECK(err == -ENOENT, "fewer rows than it says");
	err = find_in("cache.huge", "libmade.so.1", &found);
	CHECK(err == -ENOENT, "as many rows as a number can say");
	err = find_in("cache.none", "libmade.so.1", &found);
	CHECK(err == -ENOENT, "no rows");
	err = find_in("cache.other", "libmade.so.1", &found);
	CHECK(err == -ENOENT, "another format");
	err = find_in("absent", "libmade.so.1", &found);
	CHECK(err == -ENOENT, "no cache");
	/* Every length of a cut cache: nothing is read behind it. */
	for (unsigned len = 0; len < 400; len++) {
		char bytes[400];
		int fd = open(made("cache.both"), O_RDONLY | O_CLOEXEC);

		if (fd < 0 || read(fd, bytes, len) != (ssize_t)len)
			abort();
		close(fd);
		made_write("cache.cut", bytes, len);
		if (!find_in("cache.cut", "libmade.so.1", &found))
			CHECK(false, "found in %u bytes", len);
	}
}

static void test_dirs(void)
{
	const char *dirs[] = { "/nonexistent", made_dir, NULL };
	struct library_places places = { "/nonexistent", dirs, arena_printf(&arena, ":/nonexistent:%s/bin:%s", made_dir, made_dir) };
	struct diag d = { 0 };
	const char *found = "";
	int err;

	CHECK(!run("mkdir bin && cp lib.so bin/tool && cp lib.so bin/plain && chmod 755 bin/tool && chmod 644 bin/plain"), "files");
	err = library_find(&arena, &places, "lib.so", &found, &d);
	CHECK(!err && !strcmp(found, made("lib.so")), "in a directory of libraries: %s", found);
	err = library_find(&arena, &places, "tool", &found, &d);
	CHECK(!err && !strcmp(found, made("bin/tool")), "in PATH: %s", found);
	err = library_find(&arena, &places, "plain", &found, &d);
	CHECK(err == -ENOENT, "a file that cannot be executed is no program");
	err = library_find(&arena, &places, "bin", &found, &d);
	CHECK(err == -ENOENT, "a directory is no library");
	diag_fini(&d);
}

/* ---- processes ---- */

static void test_self(void)
{
	struct program *p = open_of("test_program", (unsigned)getpid()), *c;
	struct stat st;
	bool several;

	CHECK(p && !stat("/proc/self/exe", &st) && p->ino == st.st_ino && p->dev == st.st_dev, "this program, as it is mapped");
	CHECK(p && !stat(p->path, &st) && p->ino == st.st_ino, "the path for the kernel is the same file");
	program_close(p);
	c = open_of("libc", (unsigned)getpid());
	CHECK(c && strstr(c->shown, "libc") && program_functions(c, &several) > 1000, "libc is libc.so.6");
	program_close(c);
	check_refused("libnothing", (unsigned)getpid(), -ENOENT, "has no file 'libnothing' mapped");
	p = open_of("/proc/self/exe", 0);
	program_close(p);
	program_close(p);
	CHECK(true, "closing twice");
}

/* A process that does @prepare, has @path mapped and waits. Its number; 0: it may not do that here. */
static pid_t start(bool (*prepare)(void), const char *path, bool remove)
{
	int ready[2];
	char c = 0;
	pid_t pid;

	if (pipe(ready))
		abort();
	pid = fork();
	if (!pid) {
		int fd;

		close(ready[0]);
		if (prepare && !prepare())
			_exit(1);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0 || mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) == MAP_FAILED || (remove && unlink(path)))
			_exit(2);
		close(fd);
		if (write(ready[1], "x", 1) != 1)
			_exit(3);
		for (;;)
			pause();
	}
	close(ready[1]);
	if (read(ready[0], &c, 1) != 1) {
		waitpid(pid, NULL, 0);
		pid = 0;
	}
	close(ready[0]);
	return pid;
}

static void stop(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* As root, or in a user namespace of its own. */
static bool enter_root(void)
{
	return (!chroot(made_dir) || (!unshare(CLONE_NEWUSER) && !chroot(made_dir))) && !chdir("/");
}

static bool enter_mounts(void)
{
	return (!unshare(CLONE_NEWNS) || !unshare(CLONE_NEWUSER | CLONE_NEWNS)) && !mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) &&
	       !mount("none", made("mnt"), "tmpfs", 0, NULL) && !run("cp lib.so mnt/hidden.so");
}

static void check_process(pid_t pid, const char *name, const char *shown)
{
	struct program *p;
	const struct program_function *f;

	if (!pid) {
		TAP_SKIP("no privilege for another root or mount namespace");
		return;
	}
	p = open_of(name, (unsigned)pid);
	CHECK(p && program_find(p, &arena, "alpha", &f) == 1 && !strcmp(texts(p, f, 1), " alpha"), "its functions are found");
	CHECK(p && strstr(p->shown, shown), "it is shown as %s", p ? p->shown : "?");
	program_close(p);
}

static void test_processes(void)
{
	pid_t pid;
	struct stat st;

	CHECK(!run("mkdir -p mnt usr/lib/debug && cp lib.so doomed.so && cp lib.so inner.so && ln -s /inner.so link.so"), "files");
	pid = start(NULL, made("doomed.so"), true);
	if (stat(arena_printf(&arena, "/proc/%d/map_files", pid), &st) || geteuid())
		TAP_SKIP("only root may open a file that was removed");
	else
		check_process(pid, "doomed.so", "doomed.so (deleted)");
	stop(pid);

	pid = start(enter_root, "/inner.so", false);
	check_process(pid, "/inner.so", "/inner.so");
	check_process(pid, "/link.so", "/link.so");		/* a link that begins with '/': in the process's root */
	check_process(pid, "inner.so", "inner.so");
	if (pid) {
		check_refused("/absent.so", (unsigned)pid, -ENOENT, "sees no file '/absent.so'");
		stop(pid);
	}

	pid = start(enter_mounts, made("mnt/hidden.so"), false);
	check_process(pid, made("mnt/hidden.so"), "hidden.so");
	check_process(pid, "hidden.so", "hidden.so");
	if (pid)
		stop(pid);
	check_refused(made("mnt/hidden.so"), 0, -ENOENT, "no file");

	CHECK(!run("mkdir -p copies && cp lib.so copies/inner.so"), "files");
	pid = fork();
	if (!pid) {
		for (int i = 0; i < 2; i++)
			mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, open(made(i ? "copies/inner.so" : "inner.so"), O_RDONLY | O_CLOEXEC), 0);
		kill(getpid(), SIGSTOP);
		_exit(0);
	}
	waitpid(pid, NULL, WUNTRACED);
	check_refused("inner.so", (unsigned)pid, -EEXIST, "several files");
	stop(pid);
}

/* ---- debug files ---- */

/* steps is only in .symtab, so only the debug file has it. */
static bool has_steps(struct program *p, bool *ret_whole)
{
	const struct program_function *f;

	program_functions(p, ret_whole);
	return program_find(p, &arena, "steps", &f) == 1 && program_find(p, &arena, "versioned@V_1", &f) == 1 && program_find(p, &arena, "alpha", &f) == 1;
}

static void check_debug(const char *name, unsigned pid, bool wanted, const char *what)
{
	struct program *p = open_of(name, pid);
	const char *doubt, *said;
	bool whole;
	int err;

	if (!p)
		return;
	CHECK(has_steps(p, &whole) == wanted && whole == wanted, "%s", what);
	if (wanted) {
		uint64_t off = only(p, "steps")->off;

		err = boundary(p, off + 5, &doubt, &said);
		CHECK(err == -EILSEQ && !doubt, "... and the place is checked in it: %s", said);
	}
	program_close(p);
}

static void test_debug(void)
{
	struct program *p;
	const char *id;
	pid_t pid;
	int fd;

	CHECK(!run("mkdir -p s/.debug && objcopy --only-keep-debug lib.so s/made.debug && strip -o s/lib.so lib.so && cd s && "
		   "objcopy --add-gnu-debuglink=made.debug lib.so linked.so && mv made.debug .debug/kept"), "files");
	check_debug(made("s/lib.so"), 0, false, "a stripped file has only what it exports");
	check_debug(made("s/linked.so"), 0, false, "its debug file is not there");
	run("cp s/.debug/kept s/made.debug");
	check_debug(made("s/linked.so"), 0, true, "a debug file beside it, by .gnu_debuglink");
	run("mv s/made.debug s/.debug/made.debug");
	check_debug(made("s/linked.so"), 0, true, "a debug file in .debug/");
	run("cp a.o s/made.debug");
	check_debug(made("s/linked.so"), 0, true, "a file that does not belong to it is passed over");
	run("rm s/made.debug s/.debug/made.debug; printf x >> s/.debug/kept; mkdir -p usr/lib/debug%s/s; cp s/.debug/kept usr/lib/debug%s/s/made.debug", made_dir, made_dir);
	check_debug(made("s/linked.so"), 0, false, "/usr/lib/debug of another root is not ours");

	/* By the build id: in the root of a process. */
	p = open_of(made("s/lib.so"), 0);
	if (!p)
		return;
	id = program_build_id(p);
	CHECK(!run("mkdir -p usr/lib/debug/.build-id/%.2s && cp s/.debug/kept usr/lib/debug/.build-id/%.2s/%s.debug", id, id, id + 2), "files");
	fd = debug_file_by_id(made_dir, (const unsigned char *)"\xab\xcd", 2);
	CHECK(fd < 0, "no file of this build id");
	pid = start(enter_root, "/s/lib.so", false);
	if (pid) {
		check_debug("/s/lib.so", (unsigned)pid, true, "a debug file by the build id");
		stop(pid);
	} else {
		TAP_SKIP("no privilege for another root");
	}
	program_close(p);
}

/* No symbol at all. */
static void test_bare(void)
{
	struct program *p;
	const struct program_function *f;
	const char *doubt, *said, *names[PROGRAM_SIMILAR];
	bool whole;
	int err;

	CHECK(!run("gcc -static -nostdlib -Wl,-e,0 -o bare a.o && strip bare"), "files");
	p = open_of(made("bare"), 0);
	if (!p)
		return;
	CHECK(!program_functions(p, &whole) && !whole && !program_find(p, &arena, "alpha", &f) && !program_similar(p, &arena, "alpha", names), "nothing has a name");
	CHECK(!program_match(p, &arena, matches, (void *)(uintptr_t)"*", &f), "no pattern matches");
	err = boundary(p, 0x1000, &doubt, &said);
	CHECK(!err && doubt, "its code can be probed, with a doubt: %s", said);
	program_close(p);
}

int main(void)
{
	struct program *p;

	made_begin();
	if (!CHECK(make_files(), "the files are made"))
		return tap_done();
	p = open_of(made("lib.so"), 0);
	if (p) {
		test_find(p);
		test_facts(p);
		test_match(p);
		test_similar(p);
		test_symbol_at(p);
		test_boundary(p);
	}
	program_close(p);
	test_refused();
	test_cache();
	test_dirs();
	test_self();
	test_processes();
	test_debug();
	test_bare();
	arena_fini(&arena);
	return tap_done();
}
