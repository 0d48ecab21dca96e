// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_program.c - any bytes as a program that is to be probed: its functions, places and markers. See damage.h: the original is FILE, which
 * run.sh assembles of program.S.
 */
#include <sys/mman.h>
#include <unistd.h>

static const char fuzz_name[] = "fuzz_program";

#include "damage.h"

#include "elf/markers.h"
#include "elf/program.h"

static bool any(void *ctx, const char *name)
{
	(void)ctx;
	return *name != '_';
}

static bool any_marker(void *ctx, const char *provider, const char *name)
{
	(void)ctx;
	(void)provider;
	return *name != '_';
}

static void check_functions(struct program *p, struct arena *arena, size_t size)
{
	static const char *const names[] = { "first", "second", "second@V_1", "second@@V_2", "net::Socket::read", "net::Socket::read(char*, unsigned long)", "" };
	const char *similar[PROGRAM_SIMILAR];
	const struct program_function *f;
	bool whole;
	size_t all = program_functions(p, &whole), nr = program_match(p, arena, any, NULL, &f);

	require(nr <= all, "more functions match than there are");
	for (size_t i = 0; i < nr; i++)
		require(*f[i].name && (!i || f[i - 1].addr < f[i].addr), "functions are sorted and have names");
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		require(program_find(p, arena, names[i], &f) <= all, "more functions have this name than there are");
	require(program_similar(p, arena, "frist", similar) <= PROGRAM_SIMILAR, "too many similar names");
	program_build_id(p);
	for (uint64_t off = 0; off < size + 64; off += 61) {
		struct program_place place;
		struct diag d = { 0 };
		const char *doubt;
		int err;

		program_symbol_at(p, off, &place);
		err = program_boundary(p, off, &doubt, &d);
		require(!err || (d.err == err && d.msg.len), "refused without a reason");
		diag_fini(&d);
	}
}

static void check_markers(struct program *p, struct arena *arena)
{
	const struct marker *m;
	size_t nr = markers_match(p, arena, any_marker, NULL, &m);

	for (size_t i = 0; i < nr; i++) {
		require(m[i].provider && m[i].name, "a marker has names");
		for (unsigned n = 0; n < m[i].nr_args; n++) {
			const struct marker_arg *a = &m[i].args[n];

			require(a->size == 1 || a->size == 2 || a->size == 4 || a->size == 8, "an argument's size");
			require(!a->operand.symbol && strlen(a->text), "an argument's symbol is resolved");
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena arena = { 0 };
	struct program *p = NULL;
	struct diag d = { 0 };
	char path[32];
	int fd = memfd_create("fuzz", MFD_CLOEXEC), err;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	err = program_open(&arena, path, 0, &p, &d);
	require(!err == !!p && (!err || (d.err == err && d.msg.len)), "refused without a reason");
	if (p) {
		check_functions(p, &arena, size);
		check_markers(p, &arena);
		program_close(p);
	}
	close(fd);
	diag_fini(&d);
	arena_fini(&arena);
	return 0;
}

#ifdef STANDALONE

/* The file as it is: there is something to change. */
static void check_seed(const char *path)
{
	struct arena arena = { 0 };
	struct program *p = NULL;
	struct diag d = { 0 };
	const struct program_function *f;
	const struct marker *m;

	require(!program_open(&arena, path, 0, &p, &d) && program_find(p, &arena, "second@V_1", &f) == 1 && program_find(p, &arena, "first", &f) == 1 &&
		markers_find(p, &arena, "app", "start", &m) == 1 && m->nr_args == 7, "the file that is changed");
	program_close(p);
	diag_fini(&d);
	arena_fini(&arena);
}

int main(int argc, char **argv)
{
	struct original o = { 0 };

	original_read(original_path(argc, argv), &o);
	check_seed(original_path(argc, argv));
	o.from = o.to - o.to / 3;	/* the headers of sections are at the end, and between: names, symbols, notes */
	return damage(argc, argv, &o, 1);
}

#endif
