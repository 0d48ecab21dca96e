// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_program.c - any bytes as a program that is to be probed: its functions, places and markers.
 *
 *	clang -fsanitize=fuzzer,address ...		libFuzzer's own driver
 *	cc -DSTANDALONE ...; fuzz_program FILE N [SEED]
 *
 * The second changes FILE (run.sh assembles program.S) N times with a fixed seed of chance.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "elf/markers.h"
#include "elf/program.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int good, const char *what)
{
	if (!good) {
		fprintf(stderr, "fuzz_program: %s\n", what);
		abort();
	}
}

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

#include "../roll.h"
#include "seeds.h"

/* The headers at the start, the sections' at the end, and everything between: names, symbols, notes. */
static void mutate(uint8_t *data, size_t len)
{
	size_t from = roll(3) ? len - len / 3 : 0, at = from + roll((uint32_t)(len - from));

	switch (roll(4)) {
	case 0:
		data[at] = (uint8_t)roll(256);
		break;
	case 1:
		data[at] ^= (uint8_t)(1u << roll(8));
		break;
	case 2:
		memset(data + at, 0xff, len - at < 8 ? len - at : 8);
		break;
	default:
		memmove(data + at, data + roll((uint32_t)len - 8), len - at < 8 ? len - at : 8);
	}
}

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
	static uint8_t whole[1 << 16], data[1 << 16];
	unsigned long n = argc > 2 ? strtoul(argv[2], NULL, 0) : 100000;
	const char *dir = seeds_asked(argc, argv), *path = dir ? argv[3] : argc > 1 ? argv[1] : NULL;
	FILE *f = path ? fopen(path, "re") : NULL;
	size_t len = f ? fread(whole, 1, sizeof(whole), f) : 0;

	if (argc > 3 && !dir)
		seed = strtoull(argv[3], NULL, 0) | 1;
	if (len < 64) {
		fprintf(stderr, "fuzz_program: no file to change\n");
		return 1;
	}
	fclose(f);
	check_seed(path);
	if (dir) {
		seed_write(dir, whole, len);
		return 0;
	}
	for (unsigned long i = 0; i < n; i++) {
		size_t size = roll(50) ? len : roll((uint32_t)len) + 1;

		memcpy(data, whole, size);
		for (unsigned m = roll(8); size == len && m; m--)
			mutate(data, size);
		LLVMFuzzerTestOneInput(data, size);
	}
	printf("fuzz_program: %lu files from one of %zu bytes\n", n, len);
	return 0;
}

#endif
