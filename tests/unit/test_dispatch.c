// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_dispatch.c - the program for the hits of many functions, run by bpf_vm.h: each hit continues as its function's program.
 *
 * What is expected is found by going through all functions, one after the other.
 */
#include "gen/dispatch.h"

#include "bpf_vm.h"
#include "tap.h"

enum { MAP = 77, IP = 16, MANY = 4000 };

/* Ascending addresses from @first on, at distances as functions have them. */
static void place(uint64_t *funcs, unsigned nr, uint64_t first)
{
	uint32_t random = 1;

	for (unsigned i = 0; i < nr; i++) {
		funcs[i] = first;
		random = random * 1103515245 + 12345;
		first += 16 * (1 + (random >> 16) % 300);
	}
}

/* The last function that does not begin behind @ip. */
static unsigned wanted(const uint64_t *funcs, unsigned nr, uint64_t ip)
{
	unsigned i = 0;

	while (i + 1 < nr && funcs[i + 1] <= ip)
		i++;
	return i;
}

/* Does a hit at @ip continue as program @index, by one tail call? */
static bool goes_to(const struct code *code, uint64_t ip, unsigned index)
{
	static struct vm vm;

	memset(&vm, 0, sizeof(vm));
	vm.regs[IP] = ip;
	if (vm_run(&vm, code->insns, code->nr) || vm.error) {
		printf("# %s\n", vm.error ? vm.error : "its result is not 0");
		return false;
	}
	if (vm.tail_calls != 1 || vm.tail_map != MAP || vm.tail_index != index)
		printf("# %u tail calls, the last to entry %d, not %u\n", vm.tail_calls, (int)vm.tail_index, index);
	return vm.tail_calls == 1 && vm.tail_map == MAP && vm.tail_index == index;
}

static void test(unsigned nr, uint64_t first, const char *where)
{
	static uint64_t funcs[MANY];
	struct arena arena = { 0 };
	struct code code = { .arena = &arena };
	unsigned good = 0;

	place(funcs, nr, first);
	dispatch_emit(funcs, nr, MAP, IP, &code);
	/* A hit is at the first byte, or behind an ENDBR, or (by int3) behind that. */
	for (unsigned i = 0; i < nr; i++) {
		good += wanted(funcs, nr, funcs[i]) == i && goes_to(&code, funcs[i], i) && goes_to(&code, funcs[i] + 4, i) &&
			goes_to(&code, funcs[i] + 5, i);
	}
	CHECK(!code.overflow && good == nr, "%u functions %s: each hit goes to its own program", nr, where);
	arena_fini(&arena);
}

/* Jumps over half of the program have 16 bits. More functions than that must be told, and must not jump anywhere else. */
static void test_border(void)
{
	unsigned most = 1;
	bool overflow = false;

	for (unsigned nr = 1; nr <= 16384 && !overflow; nr *= 2) {
		struct arena arena = { 0 };
		struct code code = { .arena = &arena };
		uint64_t *funcs = arena_array(&arena, uint64_t, nr);

		place(funcs, nr, 0xffffffff81000000ull);
		dispatch_emit(funcs, nr, MAP, IP, &code);
		overflow = code.overflow;
		most = overflow ? most : nr;
		if (!overflow && !(goes_to(&code, funcs[0], 0) && goes_to(&code, funcs[nr - 1], nr - 1)))
			CHECK(false, "%u functions: the first and the last one", nr);
		arena_fini(&arena);
	}
	CHECK(overflow && most >= MANY, "too many functions are told, and %u are not too many", most);
}

int main(void)
{
	static const unsigned numbers[] = { 1, 2, 3, 4, 5, 7, 8, 9, 17, 100, 1000, MANY };

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		test(numbers[i], 0xffffffff80000000ull, "from the lowest address on");
	test(1000, 0xffffffffffffffffull - 1000 * 4800, "up to the highest address");
	test_border();
	return tap_done();
}
