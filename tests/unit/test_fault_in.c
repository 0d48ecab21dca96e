// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_fault_in.c - which addresses a program waits for, and which values it counts as cold: the generated code is run by bpf_vm.h.
 *
 * The program's memory is one page that is there, and two that are not there until somebody waits for one of them.
 */
#include "attach/backends.h"
#include "gen/fault_in.h"
#include "lang/dialect.h"
#include "plan/cold.h"

#include "bpf_vm.h"
#include "tap.h"

#define THERE	0x10000000ull
#define COLD	(THERE + 4096)
#define WILD	8ull

static unsigned char page[4096], cold_page[8192];

static void fill(struct vm *vm, uint64_t si)
{
	static const uint64_t pointers[] = { COLD + 16, THERE + 64, COLD + 4096 - 3, 0, COLD + 200 };

	memset(vm, 0, sizeof(*vm));
	memcpy(page + 64, "there", 6);
	memcpy(page, pointers, sizeof(pointers));
	memcpy(cold_page + 16, "cold", 5);
	memcpy(cold_page + 4096 - 3, "on two pages", 13);
	vm->regs[X86_SI] = si;
	vm->regions[0] = (struct vm_region){ THERE, page, sizeof(page) };
	vm->nr_regions = 1;
	vm->waits[0] = (struct vm_region){ COLD, cold_page, 4096 };
	vm->waits[1] = (struct vm_region){ COLD + 4096, cold_page + 4096, 4096 };
	vm->record_size = VM_RECORD;
}

static struct plan *make_plan(struct arena *arena, const char *text)
{
	struct diag diag = { 0 };
	struct facts facts = { 0 };
	struct probe_def *def = NULL;
	struct plan *plan = NULL;

	if (!dialect_parse(arena, text, DIALECT_DETECT, &def, &diag))
		plan_resolve(arena, def, &facts, &plan, &diag);
	CHECK(plan, "%s: %s", text, buf_str(&diag.msg));
	diag_fini(&diag);
	return plan;
}

/* ---- waiting ---- */

static void test_waiting(void)
{
	static const struct { const char *def; uint64_t si; unsigned waited; const char *what; } cases[] = {
		/* The page behind a string's first one is waited for, too: it may end there. */
		{ "p f s=+0(%si):string", THERE + 64, 1, "a string that is there" },
		{ "p f s=+0(%si):string", COLD + 16, 2, "a string on a cold page" },
		{ "p f s=+0(%si):string", COLD + 4096 - 3, 2, "... on two" },
		{ "p f s=+0(%si):string", WILD, 0, "a string in no memory" },
		{ "p f n=+0(%si):u64", COLD, 1, "a number" },
		{ "p f n=+0(%si):u64", COLD + 4092, 2, "a number on two pages" },
		{ "p f n=+0(+0(%si)):u8", THERE, 1, "a number behind a pointer" },
		{ "p f n=+0(+0(%si)):u8", COLD + 600, 1, "... that is cold itself, and NULL" },
		{ "p f s=+0(%si):string[*]", THERE, 2, "strings, up to a NULL" },
		{ "p f s=+0(%si):string[2]", THERE, 2, "strings" },
		{ "p f a=%si b=$comm", COLD, 0, "nothing in memory" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		static struct vm vm;
		struct arena arena = { 0 };
		struct code code = { .arena = &arena };
		struct plan *plan = make_plan(&arena, cases[i].def);

		plan->faults_in = true;
		fault_in_emit(plan, &code);
		fill(&vm, cases[i].si);
		vm_run(&vm, code.insns, code.nr);
		CHECK(!vm.error, "%s: %s", cases[i].what, vm.error);
		CHECK(vm.nr_waited == cases[i].waited, "%s: waits for %u pages", cases[i].what, vm.nr_waited);
		arena_fini(&arena);
	}
}

/* ---- counting ---- */

/* In the place of the function that looks for mappings: only the two cold pages are mapped. */
static void emit_is_cold(struct code *c)
{
	unsigned below, above;

	code_mov_imm(c, BPF_REG_0, 0);
	code_const(c, BPF_REG_2, COLD);
	below = code_jump_reg(c, BPF_JLT, BPF_REG_1, BPF_REG_2);
	code_const(c, BPF_REG_2, COLD + sizeof(cold_page));
	above = code_jump_reg(c, BPF_JGE, BPF_REG_1, BPF_REG_2);
	code_mov_imm(c, BPF_REG_0, 1);
	code_land(c, below);
	code_land(c, above);
	code_exit(c);
}

static void set_string(struct vm *vm, const struct plan *plan, unsigned i, unsigned len)
{
	uint32_t loc = len << 16 | plan->layout.dyn_off;

	memcpy(vm->record + BP_BODY_OFF + plan->layout.fields[0].off + 4 * i, &loc, sizeof(loc));
}

static void test_counting(void)
{
	/* How long the strings are that the record has (0: one could not be read), ended by -1; a number: -2, it has a mark. */
	static const struct { const char *def; uint64_t si; int lens[4]; unsigned cold; const char *what; } cases[] = {
		{ "p f s=+0(%si):string", THERE + 64, { 6, -1 }, 0, "a string that was read" },
		{ "p f s=+0(%si):string", COLD + 16, { 0, -1 }, 1, "a cold string" },
		{ "p f s=+0(%si):string", COLD + 16, { 5, -1 }, 0, "... that was read a moment ago" },
		{ "p f s=+0(%si):string", THERE + 4090, { 0, -1 }, 1, "a string whose end is cold" },
		{ "p f s=+0(%si):string", WILD, { 0, -1 }, 0, "a string in no memory" },
		{ "p f s=+0(%si):string[3]", THERE, { 0, 6, 0, -1 }, 2, "two of three strings" },
		{ "p f s=+0(%si):string[3]", COLD, { 0, 0, 0, -1 }, 3, "an array that is cold" },
		{ "p f s=+0(%si):string[*]", THERE, { 0, 6, 0, -1 }, 2, "strings, up to a NULL" },
		{ "p f n=+0(%si):u64", COLD, { -2 }, 1, "a cold number" },
		{ "p f n=+0(%si):u64", WILD, { -2 }, 0, "a number in no memory" },
		{ "p f n=+0(%si):u64", COLD, { -1 }, 0, "a number that was read a moment ago" },
		{ "p f n=+0(+0(%si)):u8", THERE, { -2 }, 1, "a cold number behind a pointer" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		static struct vm vm;
		struct gate_env env = { .stats_fd = 3, .nr_cpus = 1, .shift = 6 };
		struct arena arena = { 0 };
		struct code code = { .arena = &arena };
		struct plan *plan = make_plan(&arena, cases[i].def);
		struct bp_stat stat;
		uint64_t marks = 0;

		plan->counts_cold = true;
		fault_in_emit_count(plan, &env, &code);
		if (code_link(&code, CODE_IS_COLD))
			emit_is_cold(&code);
		fill(&vm, cases[i].si);
		for (unsigned k = 0; k < 4 && cases[i].lens[k] >= 0; k++)
			set_string(&vm, plan, k, (unsigned)cases[i].lens[k]);
		if (cases[i].lens[0] == -2)
			marks = 1ull << plan->layout.fields[0].mark;
		if (plan->layout.nr_marks)
			memcpy(vm.record + BP_BODY_OFF + plan->layout.marks_off, &marks, sizeof(marks));
		vm_run(&vm, code.insns, code.nr);
		memcpy(&stat, vm.map, sizeof(stat));
		CHECK(!vm.error, "%s: %s", cases[i].what, vm.error);
		CHECK(stat.cold == cases[i].cold, "%s: %u cold", cases[i].what, stat.cold);
		CHECK(!vm.nr_waited, "... without waiting");
		arena_fini(&arena);
	}
}

/* ---- what is waited for ---- */

static void test_settling(void)
{
	static const struct { const char *def; bool waits, second; } cases[] = {
		{ "p f a=+96(%di):s64 s=+0(+104(%di)):string", false, true },	/* the registers of a system call are the kernel's */
		{ "p f a=+96(%di):s64 b=%si", false, false },
		{ "p f a=+u0(%si):u8 b=$comm", true, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct arena arena = { 0 };
		struct plan *plan = make_plan(&arena, cases[i].def);

		plan->faults_in = true;
		CHECK(cold_is_waited_for(plan, &plan->fetches[0]) == cases[i].waits, "%s: the first value", cases[i].def);
		CHECK(cold_is_waited_for(plan, &plan->fetches[1]) == cases[i].second, "... the second one");
		CHECK(!fault_in_acts_once(plan), "... nothing acts by the record");
		CHECK(cold_stop_waiting(plan) && !cold_stop_waiting(plan), "... until the kernel refuses it");
		CHECK(!cold_is_waited_for(plan, &plan->fetches[1]), "... then nothing is waited for");
		cold_settle(plan, NULL);
		CHECK(!plan->faults_in && !plan->counts_cold, "... and nothing is known of no kernel");
		arena_fini(&arena);
	}
}

int main(void)
{
	test_waiting();
	test_counting();
	test_settling();
	return tap_done();
}
