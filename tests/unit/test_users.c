// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_users.c - what is mapped where, and the functions there. The files are this program itself, whose addresses the compiler knows.
 */
#include "elf/users.h"

#include <fcntl.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/macros.h"
#include "tap.h"

enum { SECOND = 1000000000 };

/* A function of a known size class, and its address while this program runs. */
NOINLINE __attribute__((used)) int marked_function(int n);
NOINLINE __attribute__((used)) int marked_function(int n)
{
	return n + 1;
}

static uint64_t address(void)
{
	return (uint64_t)(uintptr_t)marked_function;
}

static bool is_named(struct users *u, uint32_t tgid, uint64_t ts, uint64_t addr, const char *name)
{
	struct user_frame f;

	users_find(u, tgid, ts, addr, &f);
	return f.symbol ? name && !strcmp(f.symbol->name, name) : !name;
}

/* /proc/PID/maps of this process, which nobody has told about. */
static void test_proc(void)
{
	struct users *u = users_new(NULL, NULL);
	uint32_t tgid = (uint32_t)getpid();
	struct user_frame f;

	users_find(u, tgid, 1, address() + 1, &f);
	CHECK(f.symbol && !strcmp(f.symbol->name, "marked_function") && f.off == f.symbol->addr + 1 && f.symbol->size, "a function of this program");
	CHECK(f.path && strstr(f.path, "test_users") != NULL, "its file");
	users_find(u, tgid, 1, 8, &f);
	CHECK(!f.path && !f.symbol, "nothing is mapped at 8");
	CHECK(is_named(u, tgid, 1, (uint64_t)(uintptr_t)getauxval, "getauxval") || is_named(u, tgid, 1, (uint64_t)(uintptr_t)getauxval, "__getauxval"),
	      "a function of a library, by its exported names");
	users_find(u, 0x7ffffff0, 1, address(), &f);
	CHECK(!f.path, "a process that does not exist");
	users_free(u);
	u = users_new(NULL, NULL);
	users_read_all(u);
	CHECK(is_named(u, tgid, 1, address(), "marked_function"), "all processes were read");
	users_free(u);
}

/* This program's file, as if it were mapped at @start. */
static struct user_map map_of(const char *path, uint64_t start, uint64_t len, uint64_t off)
{
	struct stat st = { 0 };

	CHECK(!stat(path, &st), "the file");
	return (struct user_map){ start, start + len, off, { major(st.st_dev), minor(st.st_dev), st.st_ino }, path };
}

/* Processes that exist only here. Their numbers are above every number of the kernel, so /proc has none of them. */
enum { PARENT = 0x7f000001, CHILD, OTHER };

static void test_history(void)
{
	static const char exe[] = "/proc/self/exe";
	struct users *u = users_new(NULL, NULL);
	struct elf_symbols *s = NULL;
	int fd = open(exe, O_RDONLY | O_CLOEXEC);
	uint64_t addr, off = 0;
	struct user_map m;

	if (!CHECK(!elf_symbols_read(fd, &s), "this program's symbols"))
		return;
	/* The place of the function in the file: where its offset has its address. */
	for (addr = 0; !(elf_symbols_addr(s, off, &addr) && elf_symbols_find(s, addr) &&
			 !strcmp(elf_symbols_find(s, addr)->name, "marked_function")) && off < 1 << 26; off++)
		;
	CHECK(off < 1 << 26 && elf_symbols_find(s, addr)->addr == addr, "the first byte of the function");
	CHECK(elf_symbols_whole(s), "it has a .symtab");
	m = map_of(exe, 0x10000, 0x8000000, 0);
	users_map(u, PARENT, &m);
	CHECK(is_named(u, PARENT, SECOND, 0x10000 + off, "marked_function"), "mapped");
	CHECK(is_named(u, PARENT, SECOND, 0xffff, NULL) && is_named(u, PARENT, SECOND, 0x10000 + 0x8000000, NULL), "not before and behind it");
	users_fork(u, PARENT, CHILD);
	CHECK(is_named(u, CHILD, SECOND, 0x10000 + off, "marked_function"), "a child has what its parent has");
	users_exec(u, CHILD);
	CHECK(is_named(u, CHILD, 2ull * SECOND, 0x10000 + off, NULL) && is_named(u, PARENT, SECOND, 0x10000 + off, "marked_function"),
	      "another program has nothing of it, and the parent keeps it");
	m = map_of(exe, 0x900000000, 0x8000000, 0);
	users_map(u, CHILD, &m);
	CHECK(is_named(u, CHILD, 3ull * SECOND, 0x900000000 + off, "marked_function"), "what the new program maps");

	/* One byte of the function is covered by another mapping, which has nothing there. */
	m = map_of(exe, 0x10000 + off, 1, 1ull << 40);
	users_map(u, PARENT, &m);
	CHECK(is_named(u, PARENT, 4ull * SECOND, 0x10000 + off, NULL), "a later mapping covers an earlier one");
	CHECK(is_named(u, PARENT, 4ull * SECOND, 0x10000 + off + 1, "marked_function"), "... and what is behind it keeps its place in the file");

	users_exit(u, PARENT);
	CHECK(is_named(u, PARENT, 5ull * SECOND, 0x10000 + off + 1, "marked_function"), "other threads of a process that has ended");
	for (uint32_t i = 0; i < 4096; i++)
		users_exit(u, OTHER + i);
	CHECK(is_named(u, PARENT, 6ull * SECOND, 0x10000 + off + 1, NULL), "4096 processes later it is forgotten");
	users_fork(u, OTHER, CHILD);
	CHECK(is_named(u, CHILD, 7ull * SECOND, 0x900000000 + off, NULL), "a child of an unknown process, with a number of before");

	/* Another file of the same name must not give its names. */
	m = map_of(exe, 0x10000, 0x8000000, 0);
	m.inode.ino++;
	users_map(u, OTHER, &m);
	CHECK(is_named(u, OTHER, 8ull * SECOND, 0x10000 + off, NULL), "another inode is another file");
	elf_symbols_free(s);
	users_free(u);
	close(fd);
}

static uint64_t told;

static void tell(void *ctx, uint64_t ts)
{
	(void)ctx;
	told = ts;
}

static void test_sync(void)
{
	struct users *u = users_new(tell, NULL);
	struct user_frame f;

	users_find(u, OTHER, 17, address(), &f);
	CHECK(told == 17, "the caller is asked for what happened up to the time");
	users_free(u);
}

static void test_files(void)
{
	struct elf_symbols *s = NULL;
	int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);

	CHECK(elf_symbols_read(fd, &s) && !s, "a device is no program");
	close(fd);
	fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
	CHECK(elf_symbols_read(fd, &s) && !s, "text is no program");
	close(fd);
	CHECK(elf_symbols_image("\177ELF", 4, &s) && !s, "four bytes are no program");
}

int main(void)
{
	test_proc();
	test_history();
	test_sync();
	test_files();
	return tap_done();
}
