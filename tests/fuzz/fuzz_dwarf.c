// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_dwarf.c - any bytes as a program with debug information: lines, functions, variables and C expressions are asked for. Each answer is a text
 * that the parent can read or refuse.
 *
 *	clang -fsanitize=fuzzer,address ...		libFuzzer's own driver
 *	cc -DSTANDALONE ...; fuzz_dwarf FILE N [SEED]
 *
 * The second changes FILE (run.sh compiles traced.c) N times with a fixed seed of chance, mostly its sections of debug information.
 *
 * bprobe reads such files in a child without privileges; here they are read in this process, so that what they reach is counted. libdw is not
 * built with sanitizers. A signal in its code is not bprobe's: it ends this input alone, and is counted. What libdw hands to memcpy() and the like is
 * seen by ASan, and so is found. The child ends with its memory, so leaks are not looked for.
 */
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/macros.h"
#include "elf/dwarf/answer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
const char *__asan_default_options(void);

static sigjmp_buf again;
static unsigned long answers, libdw_died;

const char *__asan_default_options(void)
{
	return "detect_leaks=0:allow_user_segv_handler=1:handle_abort=0";
}

static void require(int good, const char *what)
{
	if (!good) {
		fprintf(stderr, "fuzz_dwarf: %s\n", what);
		abort();
	}
}

static bool is_library(const void *pc)
{
	Dl_info info;

	return dladdr(pc, &info) && info.dli_fname && (strstr(info.dli_fname, "libdw") || strstr(info.dli_fname, "libelf"));
}

/* Of libdw's code: this input ends. Of any other: as without this. */
static void on_signal(int sig, siginfo_t *info, void *context)
{
	const ucontext_t *uc = context;

	(void)info;
	if (is_library((const void *)uc->uc_mcontext.gregs[REG_RIP])) {
		libdw_died++;
		siglongjmp(again, 1);
	}
	signal(sig, SIG_DFL);
}

static void catch_signals(void)
{
	static const int signals[] = { SIGSEGV, SIGBUS, SIGFPE };
	struct sigaction act = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_NODEFER };

	for (unsigned i = 0; i < ARRAY_SIZE(signals); i++)
		sigaction(signals[i], &act, NULL);
}

/* The text that the child would send, and what the parent makes of it. */
static void take_answer(void *ctx, const struct lines_query *q, const struct lines_answer *a)
{
	struct arena arena = { 0 };
	struct lines_answer back;
	struct buf out = { 0 };
	char *text, *end;

	(void)ctx;
	answer_print(a, q, &out);
	text = arena_strdup(&arena, buf_str(&out));
	end = answer_end(text);
	require(end && !*end, "an answer that does not end, or goes on");
	answers += !answer_read(&arena, text, q, &back);
	buf_fini(&out);
	arena_fini(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct lines_expr exprs[] = {
		{ "t->number", false }, { "t->name", true }, { "flags", false }, { "copy.cube[1][2]", false }, { "t->high+part", false }, { "global.all", false },
		{ "$arg2", false }, { "nosuch", false }, { "*t->next", false }, { "t->call", false }, { "own", false },
	};
	static const char *const functions[] = { "weigh", "sum", "nosuch" };
	static const struct lines_address addresses[] = {
		{ NULL, 0x1010, NULL, 0, false }, { "sum", 4, "sum", 4, true }, { "entry", 20, NULL, 0, true }, { "nosuch", 1, NULL, 0, false },
	};
	static const unsigned numbers[] = { 2, 5 };
	static const struct elf_segment segments[] = { { 0, 0, 1 << 20, true } };
	struct lines_query queries[] = {
		{ .function = "sum", .exprs = exprs, .nr_exprs = ARRAY_SIZE(exprs), .lists = true, .describes = true },
		{ .function = "weigh", .exprs = exprs, .nr_exprs = 3, .has_line = true, .line = 3 },
		{ .file = "traced.c", .has_line = true, .line = 44, .exprs = exprs, .nr_exprs = ARRAY_SIZE(exprs) },
		{ .function = "entry", .off = 4, .exprs = exprs, .nr_exprs = 2, .is_return = true },
		{ .function = "sum", .numbers = numbers, .nr_numbers = 2 },
		{ .want = LINES_WITH_CODE, .function = "sum" }, { .want = LINES_WITH_CODE, .file = "traced.c" },
		{ .want = LINES_INLINED, .functions = functions, .nr_functions = ARRAY_SIZE(functions) },
		{ .want = LINES_OF_ADDRESSES, .addresses = addresses, .nr_addresses = ARRAY_SIZE(addresses) },
	};
	struct arena arena = { 0 };
	struct diag d = { 0 };
	int fd = memfd_create("fuzz", MFD_CLOEXEC), err;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	catch_signals();
	/* As of a program, and as of a kernel. */
	for (unsigned i = 0; size && data[size - 1] & 1 && i < ARRAY_SIZE(queries); i++) {
		queries[i].segments = segments;
		queries[i].nr_segments = 1;
		queries[i].program_fd = fd;
	}
	if (!sigsetjmp(again, 1)) {
		err = lines_look(&arena, fd, "fuzz", queries, ARRAY_SIZE(queries), take_answer, NULL, &d);
		require(!err || (err == d.err && d.msg.len), "refused without a reason");
	}
	close(fd);
	diag_fini(&d);
	arena_fini(&arena);
	return 0;
}

#ifdef STANDALONE

#include "../roll.h"
#include "seeds.h"

/* Where the debug information begins and ends: its sections lie together. */
static void find_debug(const uint8_t *data, size_t len, size_t *ret_from, size_t *ret_to)
{
	const Elf64_Ehdr *eh = (const void *)data;
	const Elf64_Shdr *sh = (const void *)(data + eh->e_shoff);

	*ret_from = len;
	*ret_to = 0;
	for (unsigned i = 0; i < eh->e_shnum; i++) {
		if (strncmp((const char *)data + sh[eh->e_shstrndx].sh_offset + sh[i].sh_name, ".debug_", 7))
			continue;
		*ret_from = MIN(*ret_from, (size_t)sh[i].sh_offset);
		*ret_to = MAX(*ret_to, (size_t)(sh[i].sh_offset + sh[i].sh_size));
	}
	if (*ret_from >= *ret_to)
		abort();
}

static void mutate(uint8_t *data, size_t len, size_t from, size_t to)
{
	size_t at = roll(8) ? from + roll((uint32_t)(to - from)) : roll((uint32_t)len);

	switch (roll(5)) {
	case 0:
		data[at] = (uint8_t)roll(256);
		break;
	case 1:
		data[at] ^= (uint8_t)(1u << roll(8));
		break;
	case 2:
		memset(data + at, roll(2) ? 0xff : 0, MIN(len - at, (size_t)4));
		break;
	case 3:
		data[at] = (uint8_t)roll(64);
		break;
	default:
		memmove(data + at, data + from + roll((uint32_t)(to - from) - 8), MIN(len - at, (size_t)8));
	}
}

int main(int argc, char **argv)
{
	static uint8_t whole[1 << 18], data[1 << 18];
	const char *dir = seeds_asked(argc, argv), *path = dir ? argv[3] : argc > 1 ? argv[1] : "";
	unsigned long n = argc > 2 ? strtoul(argv[2], NULL, 0) : 1000;
	FILE *f = fopen(path, "re");
	size_t len = f ? fread(whole, 1, sizeof(whole), f) : 0, from, to;

	if (!lines_is_known) {
		printf("fuzz_dwarf: this build has no libdw\n");
		return 0;
	}
	if (len < 64 || len == sizeof(whole)) {
		fprintf(stderr, "fuzz_dwarf: no file to change\n");
		return 1;
	}
	fclose(f);
	find_debug(whole, len, &from, &to);
	LLVMFuzzerTestOneInput(whole, len);
	require(answers == 9, "the file that is changed");
	if (dir) {
		seed_write(dir, whole, len);
		n = 0;
	} else if (argc > 3) {
		seed = strtoull(argv[3], NULL, 0) | 1;
	}
	for (unsigned long i = 0; i < n; i++) {
		size_t size = roll(50) ? len : roll((uint32_t)len) + 1;

		memcpy(data, whole, size);
		for (unsigned m = 1 + roll(12); size == len && m; m--)
			mutate(data, size, from, to);
		LLVMFuzzerTestOneInput(data, size);
	}
	printf("fuzz_dwarf: %lu files from one of %zu bytes, %lu answers; %lu ended in libdw\n", n, len, answers, libdw_died);
	return 0;
}

#endif
