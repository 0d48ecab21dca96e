/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ktext.h - the kernel's code as it stands in memory now: where its instructions
 * begin, what is patched into it, and which of it the kernel lets nobody patch.
 *
 * One thread. What the questions need of memory is read when they are asked.
 */
#ifndef KERNEL_TEXT_KTEXT_H
#define KERNEL_TEXT_KTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/x86_64/insn.h"

struct kbtf;
struct kmem;
struct ksyms;
struct ktext;

/*
 * Borrows @ks, @btf (NULL: the layouts of 6.12 are taken) and @mem (NULL: no byte can
 * be read, and only the symbols answer). Never fails; the caller closes.
 */
struct ktext *ktext_open(const struct ksyms *ks, struct kbtf *btf, struct kmem *mem);
void ktext_close(struct ktext *kt);	/* NULL is fine */

/* ---- code that nobody may patch ---- */

/*
 * Why register_kprobe() refuses an address with EINVAL (6.12, kernel/kprobes.c,
 * check_kprobe_address_safe(), and kernel/trace/trace_kprobe.c, within_notrace_func()).
 */
enum ktext_ban {
	KTEXT_FREE,		/* nothing is known against it */
	KTEXT_NO_CODE,		/* data, or nothing at all */
	KTEXT_BOOT,		/* __init code: its memory is freed */
	KTEXT_PREAMBLE,		/* __pfx_ and __cfi_: bytes in front of a function */
	KTEXT_ENTRY,		/* .entry.text */
	KTEXT_NOINSTR,		/* .noinstr.text */
	KTEXT_KPROBES,		/* .kprobes.text: __kprobes */
	KTEXT_NOKPROBE,		/* NOKPROBE_SYMBOL() and the rest of the blacklist */
	KTEXT_NOTRACE,		/* a function without an ftrace site */
	KTEXT_JUMP_LABEL,	/* a static key's branch */
	KTEXT_STATIC_CALL,
	KTEXT_BUG,		/* the ud2 of a BUG() or WARN() */
	KTEXT_INT3,		/* an int3 of the compiler's, behind a ret or jmp: EILSEQ on some kernels */
};

/* Looks at everything that the running kernel shows; what it does not show is KTEXT_FREE. */
enum ktext_ban ktext_banned(struct ktext *kt, uint64_t addr);

/* ---- instructions ---- */

enum ktext_verdict {
	KTEXT_BOUNDARY,		/* an instruction begins there */
	KTEXT_INSIDE,		/* one began before, and ends behind it */
	KTEXT_PATCHED,		/* another probe's bytes stand in between: nobody can tell */
	KTEXT_UNDECODED,	/* what stands in between is no instruction */
	KTEXT_UNREADABLE,	/* the memory cannot be read */
};

struct ktext_insn {
	uint64_t addr;
	uint8_t len;		/* 0: none */
	uint8_t bytes[INSN_MAX];
};

/* Where the answer was found. */
struct ktext_where {
	struct ktext_insn before, at, after;	/* INSIDE: the one that covers it, its neighbours */
	uint64_t stop;				/* PATCHED, UNDECODED, UNREADABLE: the first such byte */
};

/*
 * Decodes live text from @start, which must begin an instruction (a symbol's first
 * byte), up to @addr. *where (may be NULL) is filled in as told above.
 */
enum ktext_verdict ktext_boundary(struct ktext *kt, uint64_t start, uint64_t addr,
				  struct ktext_where *where);

/* Does an ENDBR, or what a sealed one was made into, stand at @func? */
bool ktext_has_endbr(struct ktext *kt, uint64_t func);

/*
 * Where the code in [@func, @end) calls or jumps to outside of itself, in its order, none
 * twice, at most @max; returns how many. Stops at what cannot be decoded.
 */
size_t ktext_callees(struct ktext *kt, uint64_t func, uint64_t end, uint64_t *ret, size_t max);

/*
 * Does a BPF trampoline call the function at @func by itself, outside of the program's guard against recursion?
 * Then a trampoline on it calls itself without end. *ret_known: all of the code that this depends on could be
 * read; if false, the answer 'no' is not certain.
 */
bool ktext_trampoline_calls(struct ktext *kt, uint64_t func, bool *ret_known);

/*
 * Could the function at @func run while a program holds a lock that other programs take, too? Then a trampoline on it
 * and a second probe stop the CPU. Kprobes do not: one guard of the CPU's serves all of their programs. *ret_known as above.
 */
bool ktext_under_lock(struct ktext *kt, uint64_t func, bool *ret_known);

/*
 * How many parameters the function at @func reads for certain, by the registers that its code reads before it writes
 * them; looked for up to the first call. 0 to 6, in the order of the calling convention: 3 means that the third is read.
 */
unsigned ktext_params_read(struct ktext *kt, uint64_t func);

/* Copies @len bytes of text at @addr; false where they cannot be read. */
bool ktext_read(struct ktext *kt, uint64_t addr, void *to, size_t len);

#endif
