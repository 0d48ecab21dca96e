/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * oracle.h - the decoder under proof, the one it is held against, and what both say.
 */
#ifndef ORACLE_H
#define ORACLE_H

#include <stdbool.h>

#include "arch/insn.h"
#include "base/macros.h"

enum oracle_why {		/* why Zydis refuses; see Zydis's own list of them */
	WHY_UNKNOWN,		/* no such opcode, in this form */
	WHY_LOCK,		/* lock before what cannot be locked */
	WHY_PREFIX,		/* 66, F2, F3, lock or REX before VEX, EVEX or XOP */
	WHY_MAP,
	WHY_REGISTER,		/* a control, debug or segment register that there is not */
	WHY_VECTOR,		/* bits of EVEX or MVEX, and masks */
	WHY_KNC,		/* Knights Corner's, which Zydis takes along: that was no x86-64 (ELF's K1OM) */
	WHY_LONG,
	WHY_OTHER,
	WHY_NR,
};
extern const char *const oracle_why_names[WHY_NR];

struct answer {
	int len;		/* 0: refused */
	enum oracle_why why;
	struct insn insn;
};

void oracle_init(void);
struct answer oracle_ask(const uint8_t *bytes, size_t avail);	/* Zydis, all of its checks on */

/* Flow and target are compared where both accept. */
static inline bool same_flow(const struct insn *a, const struct insn *b)
{
	return a->flow == b->flow && a->rel == b->rel;
}

/* "48 8b 05": @buf holds three characters a byte. */
const char *hex(const uint8_t *bytes, int len, char *buf);

/* One TAP line; false lets the program fail. */
bool result(bool good, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Both return an exit status; sweep() reads objdump's listing from standard input. */
int sweep(const char *name, const char *path, const char *known);
int strings(const char *what, uint64_t count, uint64_t seed);

#endif
