// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_context_code.c - common_flags and common_preempt_count in programs: with words by chance, each number is the one that user space
 * has for the same record. User space is the reference, and tests/guest/suites/compare.sh compares its letters with the kernel's.
 */
#include "attach/backends.h"
#include "gen/context_code.h"
#include "kernel/release.h"
#include "plan/plan.h"
#include "print/event.h"

#include "bpf_vm.h"
#include "../roll.h"
#include "tap.h"

static struct vm vm;

/* Each part of the word is often 0, so that all of them together are rare and single ones are not. */
static uint32_t some_count(void)
{
	static const uint32_t parts[] = { 0x1, 0x2, 0x3, 0x1f, 0xff, 0x100, 0x200, 0x300, 0xff00, 0x10000, 0xf0000, 0x100000, 0xf00000, 0x80000000 };
	uint32_t count = 0;

	if (!roll(20))
		return BP_PREEMPT_UNKNOWN;
	for (unsigned n = roll(4); n; n--)
		count |= parts[roll(ARRAY_SIZE(parts))];
	return count;
}

static void make_record(struct bp_rec *rec)
{
	*rec = (struct bp_rec){ .preempt = some_count(), .migrate = (uint16_t)(roll(3) ? roll(4) : roll(0x10000)), .tif = (uint16_t)roll(0x10000) };
	rec->eflags = roll(8) ? (uint16_t)roll(0x10000) : BP_EFLAGS_UNKNOWN;
}

static uint64_t run(void (*emit)(const struct filter_code *fc), const struct filter_code *fc)
{
	struct filter_code own = *fc;
	struct code code = { .arena = fc->code->arena };

	own.code = &code;
	code_mov(&code, BPF_REG_7, BPF_REG_2);
	emit(&own);
	code_mov(&code, BPF_REG_0, BPF_REG_3);
	code_exit(&code);
	return vm_run(&vm, code.insns, code.nr);
}

static bool is_same(unsigned release, bool counts, const struct backend *backend, bool at_breakpoint)
{
	struct context_rules rules;
	struct gate_env env = { .tif_resched = context_tif_resched(release) };
	struct plan plan = { .layout = { .backend = backend, .at_breakpoint = at_breakpoint } };
	struct arena arena = { 0 };
	struct code code = { .arena = &arena };
	const struct filter_code fc = { .code = &code, .plan = &plan, .env = &env, .by_record = true };
	struct bp_rec rec;
	uint8_t flags = 0, count = 0;
	bool same;

	context_rules_init(&rules, release, counts);
	if (counts && backend->adds_depth)
		env.adds_depth = backend->adds_depth(release, false);
	make_record(&rec);
	memcpy(vm.record, &rec, sizeof(rec));
	vm.record_size = sizeof(rec);
	if (!context_numbers(&rules, &rec, &plan.layout, &flags, &count))
		flags = count = 0;
	same = run(context_emit_flags, &fc) == flags && !vm.error && run(context_emit_count, &fc) == count && !vm.error;
	if (!same)
		printf("# preempt %x migrate %u tif %x eflags %x: flags %x, count %x %s\n", rec.preempt, rec.migrate, rec.tif, rec.eflags, flags, count,
		       vm.error ? vm.error : "");
	arena_fini(&arena);
	return same;
}

int main(void)
{
	static const unsigned releases[] = { 0x050a00, 0x060c00, 0x070300 };
	enum { ROUNDS = 2000 };

	for (unsigned r = 0; r < ARRAY_SIZE(releases); r++) {
		for (unsigned how = 0; how < 8; how++) {
			const struct backend *backend = how & 1 ? &backend_multi : &backend_kprobe;
			unsigned same = 0;

			while (same < ROUNDS && is_same(releases[r], how & 2, backend, how & 4))
				same++;
			CHECK(same == ROUNDS, "%x, by %s%s%s: %u of %d records", releases[r], backend->name, how & 2 ? ", preemption is counted" : "",
			      how & 4 ? ", at a breakpoint" : "", same, ROUNDS);
		}
	}
	return tap_done();
}
