// SPDX-License-Identifier: GPL-2.0-only
/*
 * frames.c - the stack that a program and its functions need together.
 */
#include "gen/frames.h"

#include <stdbool.h>

#include "base/macros.h"
#include "gen/code.h"

struct frames {
	const struct bpf_insn *insns;
	unsigned nr, unit;
	bool *starts;			/* for each instruction: a function begins here */
	unsigned *most;			/* for the first one of each function: bytes with all that it calls; 0: not known yet */
};

static unsigned called(unsigned i, const struct bpf_insn *call)
{
	return i + 1 + (unsigned)call->imm;
}

/* Follows addresses of the stack from instruction to instruction: code makes them where it uses them, or keeps them in a register. */
struct addresses {
	bool known[MAX_BPF_REG];
	int at[MAX_BPF_REG];		/* distance from r10 */
};

static bool writes_dst(const struct bpf_insn *i)
{
	unsigned class = BPF_CLASS(i->code);

	return class == BPF_ALU || class == BPF_ALU64 || class == BPF_LDX || class == BPF_LD;
}

/* Returns the lowest byte that the instruction uses, or makes the address of: 0, or less. */
static int follow(struct addresses *a, const struct bpf_insn *i)
{
	unsigned class = BPF_CLASS(i->code);

	if (class == BPF_STX || class == BPF_ST)
		return a->known[i->dst_reg] ? MIN(a->at[i->dst_reg] + i->off, 0) : 0;
	if (i->code == (BPF_ALU64 | BPF_MOV | BPF_X)) {
		a->known[i->dst_reg] = a->known[i->src_reg];
		a->at[i->dst_reg] = a->at[i->src_reg];
		return 0;
	}
	if (i->code == (BPF_ALU64 | BPF_ADD | BPF_K) && a->known[i->dst_reg]) {
		a->at[i->dst_reg] += i->imm;
		return MIN(a->at[i->dst_reg], 0);
	}
	if (class == BPF_LDX && a->known[i->src_reg]) {
		int low = MIN(a->at[i->src_reg] + i->off, 0);

		a->known[i->dst_reg] = false;
		return low;
	}
	if (writes_dst(i))
		a->known[i->dst_reg] = false;
	return 0;
}

static unsigned most_of(struct frames *f, unsigned start)
{
	struct addresses a = { .known[BPF_REG_10] = true };
	unsigned deepest = 0;
	int low = -1;

	if (f->most[start])
		return f->most[start];
	for (unsigned i = start; i < f->nr && (i == start || !f->starts[i]); i++) {
		const struct bpf_insn *insn = &f->insns[i];
		int used = follow(&a, insn);
		unsigned more = code_is_local_call(insn) && called(i, insn) < f->nr ? most_of(f, called(i, insn)) : 0;

		low = MIN(low, used);
		deepest = MAX(deepest, more);
		i += code_is_wide(insn);
	}
	f->most[start] = ROUND_UP((unsigned)-low, f->unit) + deepest;
	return f->most[start];
}

unsigned frames_most(const struct bpf_insn *insns, unsigned nr, unsigned unit, struct arena *arena)
{
	struct frames f = { .insns = insns, .nr = nr, .unit = unit, .starts = arena_array(arena, bool, nr + 1), .most = arena_array(arena, unsigned, nr + 1) };

	for (unsigned i = 0; i < nr; i++) {
		if (code_is_local_call(&insns[i]) && called(i, &insns[i]) < nr)
			f.starts[called(i, &insns[i])] = true;
		i += code_is_wide(&insns[i]);
	}
	return nr ? most_of(&f, 0) : 0;
}
