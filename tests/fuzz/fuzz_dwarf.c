// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_dwarf.c - any bytes as a program with debug information: lines, functions, variables and C expressions are asked for. Each answer is a text
 * that the parent can read or refuse. See damage.h: the original is FILE, which run.sh compiles of traced.c; mostly its sections of debug
 * information are damaged.
 *
 * bprobe reads such files in a child without privileges and with limits; here they are read in this process, so that what they reach is counted.
 * libdw is not built with sanitizers. Three faults of it end an input, and are counted: a signal in its code; a stack that its calls have filled
 * (it follows units that import each other for ever); and an input that takes more than two seconds and is in libdw then. A loop of bprobe's that
 * calls libdw is not told from that. What libdw hands to memcpy() and the like is seen by ASan, and so is found. The child ends with its memory,
 * so leaks are not looked for.
 */
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

static const char fuzz_name[] = "fuzz_dwarf";

#include "damage.h"
#include "elf/dwarf/answer.h"

const char *__asan_default_options(void);

static sigjmp_buf again;
static unsigned long answers, libdw_died;
static const uintptr_t *first_frame;	/* of this input */

const char *__asan_default_options(void)
{
	return "detect_leaks=0:allow_user_segv_handler=1:handle_abort=0";
}

enum owner { NOBODY, OURS, LIBDW };

static enum owner owner_of(uintptr_t pc)
{
	Dl_info info, own;

	if (!dladdr((const void *)pc, &info) || !info.dli_fname)
		return NOBODY;
	if (strstr(info.dli_fname, "libdw") || strstr(info.dli_fname, "libelf"))
		return LIBDW;
	return dladdr((const void *)owner_of, &own) && info.dli_fbase == own.dli_fbase ? OURS : NOBODY;
}

/* Does the top of the stack have more return addresses of libdw than of ours? It is read with the red zones that ASan has put there. */
__attribute__((no_sanitize("address"))) static bool libdw_fills(const uintptr_t *sp)
{
	unsigned nr[LIBDW + 1] = { 0 };

	for (unsigned i = 0; i < 2048 && sp + i < first_frame; i++)
		nr[owner_of(sp[i])]++;
	return nr[LIBDW] > nr[OURS];
}

/* Of libdw's code: this input ends. Of any other: as without this. */
static void on_signal(int sig, siginfo_t *info, void *context)
{
	const ucontext_t *uc = context;
	uintptr_t sp = (uintptr_t)uc->uc_mcontext.gregs[REG_RSP], at = (uintptr_t)info->si_addr;
	bool full = sig == SIGSEGV && at - sp + (64 << 10) < 128 << 10;

	if (owner_of((uintptr_t)uc->uc_mcontext.gregs[REG_RIP]) == LIBDW || ((full || sig == SIGVTALRM) && libdw_fills((const uintptr_t *)sp))) {
		libdw_died++;
		siglongjmp(again, 1);
	}
	signal(sig, SIG_DFL);
	if (sig == SIGVTALRM)
		raise(sig);
}

static void catch_signals(void)
{
	static const int signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGVTALRM };
	static const struct itimerval seconds = { .it_value.tv_sec = 2 };
	static char room[64 << 10];
	static const stack_t stack = { .ss_sp = room, .ss_size = sizeof(room) };
	struct sigaction act = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK };

	first_frame = __builtin_frame_address(0);
	sigaltstack(&stack, NULL);
	for (unsigned i = 0; i < ARRAY_SIZE(signals); i++)
		sigaction(signals[i], &act, NULL);
	setitimer(ITIMER_VIRTUAL, &seconds, NULL);
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
	static const struct lines_expr parts[] = {
		{ "p.a", false }, { "b.y", false }, { "g.all[2]", false }, { "t.few[1]", false }, { "d", false }, { "n", false }, { "$arg7", false },
		{ "limit", false }, { "calls", false }, { "text", true }, { "far_away", false },
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
		{ .function = "take", .exprs = parts, .nr_exprs = ARRAY_SIZE(parts), .describes = true },
		{ .function = "sum", .numbers = numbers, .nr_numbers = 2 },
		{ .function = "later", .lists = true, .describes = true },
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
	setitimer(ITIMER_VIRTUAL, &(struct itimerval){ 0 }, NULL);
	close(fd);
	diag_fini(&d);
	arena_fini(&arena);
	return 0;
}

#ifdef STANDALONE

/* Where the sections begin and end whose names begin with @name: they lie together. */
static void find_sections(const struct original *o, const char *name, size_t *ret_from, size_t *ret_to)
{
	const char *data = o->bytes.data;
	const Elf64_Ehdr *eh = (const void *)data;
	const Elf64_Shdr *sh = (const void *)(data + eh->e_shoff);

	*ret_from = o->bytes.len;
	*ret_to = 0;
	for (unsigned i = 0; i < eh->e_shnum; i++) {
		if (strncmp(data + sh[eh->e_shstrndx].sh_offset + sh[i].sh_name, name, strlen(name)))
			continue;
		*ret_from = MIN(*ret_from, (size_t)sh[i].sh_offset);
		*ret_to = MAX(*ret_to, (size_t)(sh[i].sh_offset + sh[i].sh_size));
	}
}

/* @o with the headers of its sections where no compiler puts them: UBSan found that one was read as if it were aligned. */
static void move_headers(const struct original *o, struct original *ret)
{
	Elf64_Ehdr eh;

	memcpy(&eh, o->bytes.data, sizeof(eh));
	buf_add(&ret->bytes, o->bytes.data, o->bytes.len);
	while (ret->bytes.len % 8 != 3)
		buf_addc(&ret->bytes, '\0');
	buf_add(&ret->bytes, o->bytes.data + eh.e_shoff, (size_t)eh.e_shnum * eh.e_shentsize);
	eh.e_shoff = ret->bytes.len - (size_t)eh.e_shnum * eh.e_shentsize;
	memcpy(ret->bytes.data, &eh, sizeof(eh));
	ret->from = o->from;
	ret->to = o->to;
}

/* @o with a type whose name is empty: bprobe looked for the last character of it. */
static void empty_name(const struct original *o, struct original *ret)
{
	static const char name[] = "double";
	size_t from, to;
	char *at;

	buf_add(&ret->bytes, o->bytes.data, o->bytes.len);
	ret->from = o->from;
	ret->to = o->to;
	find_sections(o, ".debug_str", &from, &to);
	at = memmem(ret->bytes.data + from, to - from, name, sizeof(name));
	require(at != NULL, "the name of a type");
	memset(at, 0, sizeof(name));
}

int main(int argc, char **argv)
{
	struct original all[3] = { 0 };
	int status;

	if (!lines_is_known) {
		printf("fuzz_dwarf: this build has no libdw\n");
		return 0;
	}
	original_read(original_path(argc, argv), &all[0]);
	find_sections(&all[0], ".debug_", &all[0].from, &all[0].to);
	move_headers(&all[0], &all[1]);
	empty_name(&all[0], &all[2]);
	for (unsigned i = 0; i < ARRAY_SIZE(all); i++)
		LLVMFuzzerTestOneInput((const uint8_t *)all[i].bytes.data, all[i].bytes.len);
	require(answers == ARRAY_SIZE(all) * 11, "the files that are damaged");
	status = damage(argc, argv, all, ARRAY_SIZE(all));
	printf("fuzz_dwarf: %lu answers; %lu ended in libdw\n", answers, libdw_died);
	return status;
}

#endif
