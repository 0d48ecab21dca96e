// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_reach.c - the verdict on a function that nothing refers to. tests/guest/suites/xref.sh tests
 * whether the rules are right.
 */
#include "kernel/syms/ksyms.h"
#include "kernel/xref/reach.h"
#include "tap.h"

static const struct {
	const char *what;
	char type;
	uint32_t branches, pointers;
	enum entry entry;
	struct reach_facts facts;
	enum reach verdict;
} cases[] = {
	{ "a call", 'T', 1, 0, ENTRY_PLAIN, { 0 }, REACH_YES },
	{ "a pointer", 't', 0, 1, ENTRY_SEALED, { .seals = true }, REACH_YES },
	{ "global, no reference, no IBT", 'T', 0, 0, ENTRY_PLAIN, { 0 }, REACH_NEVER },
	{ "weak, no reference, no IBT", 'W', 0, 0, ENTRY_PLAIN, { 0 }, REACH_NEVER },
	{ "static, no reference, no IBT", 't', 0, 0, ENTRY_PLAIN, { 0 }, REACH_UNKNOWN },
	{ "... a task is in it", 'T', 0, 0, ENTRY_PLAIN, { .on_stack = true }, REACH_YES },
	{ "... shows a seq_file", 'T', 0, 0, ENTRY_PLAIN, { .callback = true }, REACH_UNKNOWN },
	{ "global with a whole ENDBR", 'T', 0, 0, ENTRY_PAD, { .seals = true }, REACH_UNKNOWN },
	{ "static with a whole ENDBR", 't', 0, 0, ENTRY_PAD, { .seals = true }, REACH_UNKNOWN },
	{ "global with a sealed ENDBR", 'T', 0, 0, ENTRY_SEALED, { .seals = true }, REACH_NEVER },
	{ "static with a sealed ENDBR", 't', 0, 0, ENTRY_SEALED, { .seals = true }, REACH_NEVER },
	{ "static without ENDBR", 't', 0, 0, ENTRY_PLAIN, { .seals = true }, REACH_NEVER },
	{ "... that shows a seq_file", 't', 0, 0, ENTRY_PLAIN, { .seals = true, .callback = true }, REACH_NEVER },
	{ "... with a task in it", 't', 0, 0, ENTRY_PLAIN, { .seals = true, .on_stack = true }, REACH_YES },
	{ "listed for BPF", 'T', 0, 0, ENTRY_SEALED, { .seals = true, .kfunc = true }, REACH_BPF },
	{ "listed for BPF, and called", 'T', 3, 0, ENTRY_SEALED, { .seals = true, .kfunc = true }, REACH_YES },
	{ "of which no byte was seen", 'T', 0, 0, ENTRY_UNSEEN, { .seals = true }, REACH_UNKNOWN },
};

int main(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct ksym sym = { .addr = 0xffffffff81000000, .name = "f", .type = cases[i].type };
		struct xref ref = { .addr = sym.addr, .branches = cases[i].branches,
			.pointers = cases[i].pointers, .entry = cases[i].entry };
		enum reach verdict = reach_judge(&sym, &ref, &cases[i].facts);

		CHECK(verdict == cases[i].verdict, "%s: %d", cases[i].what, verdict);
		sym.module = "mod";
		verdict = reach_judge(&sym, &ref, &cases[i].facts);
		CHECK(verdict == REACH_YES || verdict == REACH_UNKNOWN, "%s, in a module: %d",
		      cases[i].what, verdict);
	}
	return tap_done();
}
