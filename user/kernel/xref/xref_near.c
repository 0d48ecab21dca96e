// SPDX-License-Identifier: GPL-2.0-only
/*
 * xref_near.c - jumps to a function from its neighbours.
 *
 * The assembler makes a tail call only two bytes long, on some CPUs, if the function is static and close enough. Assembly
 * code can also continue into the next symbol. Two bytes are too few to search for in any text, so the instructions
 * around the function are decoded. That costs more than everything else together, so it is only for functions that
 * nothing else refers to.
 */
#include <errno.h>

#include "arch/insn.h"
#include "arch/kernel.h"
#include "arch/text.h"
#include "base/cleanup.h"
#include "base/macros.h"
#include "kernel/mem/kmem.h"
#include "kernel/syms/ksyms.h"
#include "kernel/xref/xref_priv.h"

#define REACH		((uint64_t)NEAR_REACH)
#define BODY_MAX	((uint64_t)1 << 16)	/* longer functions are not looked at */

/* A neighbour and its bytes. */
struct body {
	uint64_t addr, end;
	const uint8_t *bytes;
};

static bool leads_to(const struct xref *ref, uint64_t target)
{
	return target == ref->addr || (target == ref->addr + ENTRY_PAD_SIZE && ref->entry >= ENTRY_PAD);
}

static void look_at(const struct body *b, struct xref *ref)
{
	bool runs_on = false;
	struct insn insn;
	int len;

	for (uint64_t at = b->addr; at < b->end; at += (uint64_t)len) {
		const uint8_t *bytes = b->bytes + (at - b->addr);

		len = insn_decode(bytes, (size_t)(b->end - at), &insn);
		if (len < 0)
			return;
		if (!len) {
			len = 1;
			runs_on = false;
			continue;
		}
		if ((insn.flow == INSN_JMP || insn.flow == INSN_JCC) &&
		    leads_to(ref, at + insn.len + (uint64_t)(int64_t)insn.rel))
			ref->branches++;
		if (insn.flow != INSN_BREAKPOINT && !text_is_filler(bytes, insn.len))
			runs_on = insn.flow == INSN_NEXT || insn.flow == INSN_JCC;
	}
	if (runs_on && b->end == ref->addr)
		ref->branches++;
}

void xref_near(struct kmem *km, const struct ksyms *ks, struct xref *ref)
{
	auto_free uint8_t *room = malloc(BODY_MAX);
	uint64_t at = ref->addr - REACH, size;

	while (room && at < ref->end + REACH) {
		const struct ksym *sym = ksyms_lookup(ks, at, &size);

		if (!sym || !size) {
			at++;
			continue;
		}
		if (sym->addr != ref->addr && size <= BODY_MAX && !ksym_is_marker(sym) &&
		    !kmem_read(km, sym->addr, room, (size_t)size))
			look_at(&(struct body){ sym->addr, sym->addr + size, room }, ref);
		at = sym->addr + size;
	}
}
