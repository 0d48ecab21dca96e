/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ktext.h - the kernel's code as it is in memory now: where instructions begin, what is patched into the code, and
 * which code the kernel lets nobody patch.
 *
 * For one thread only. Each function reads the memory that it needs when it is called.
 */
#ifndef KERNEL_TEXT_KTEXT_H
#define KERNEL_TEXT_KTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/insn.h"

struct kbtf;
struct kmem;
struct ksyms;
struct ksyms_function;
struct ktext;

/*
 * Borrows @ks, @btf (NULL: uses the layouts of 6.12) and @mem (NULL: no byte can be read, so only the symbols can
 * answer). Never fails. The caller frees the result with ktext_close().
 */
struct ktext *ktext_open(const struct ksyms *ks, struct kbtf *btf, struct kmem *mem);
void ktext_close(struct ktext *kt);	/* NULL is fine */

/* ---- code that nobody may patch ---- */

/*
 * Why register_kprobe() refuses an address with EINVAL (6.12, kernel/kprobes.c,
 * check_kprobe_address_safe(), and kernel/trace/trace_kprobe.c, within_notrace_func()).
 */
enum ktext_ban {
	KTEXT_FREE,		/* no reason against it is known */
	KTEXT_NO_CODE,		/* data, or nothing at all */
	KTEXT_BOOT,		/* __init code: its memory is freed */
	KTEXT_PREAMBLE,		/* __pfx_ and __cfi_: bytes before a function */
	KTEXT_ENTRY,		/* .entry.text */
	KTEXT_NOINSTR,		/* .noinstr.text */
	KTEXT_KPROBES,		/* .kprobes.text: __kprobes */
	KTEXT_NOKPROBE,		/* NOKPROBE_SYMBOL() and the rest of the blacklist */
	KTEXT_NOTRACE,		/* a function without an ftrace site */
	KTEXT_JUMP_LABEL,	/* a static key's branch */
	KTEXT_STATIC_CALL,
	KTEXT_BUG,		/* the trapping instruction of a BUG() or WARN() */
	KTEXT_BREAKPOINT,		/* a breakpoint from the compiler, after a return or jump: EILSEQ on some kernels */
};

/* Checks everything that the running kernel shows. The result is KTEXT_FREE for what the kernel does not show. */
enum ktext_ban ktext_banned(struct ktext *kt, uint64_t addr);

/* Is @f's first byte banned? The answer of ktext_banned(). It costs little if functions come in ascending order. */
bool ktext_function_banned(struct ktext *kt, const struct ksyms_function *f);

/* ---- instructions ---- */

enum ktext_verdict {
	KTEXT_BOUNDARY,		/* an instruction begins there */
	KTEXT_INSIDE,		/* the address is in the middle of an instruction */
	KTEXT_PATCHED,		/* another probe's bytes are in between: nobody can tell */
	KTEXT_UNDECODED,	/* the bytes in between are no valid instruction */
	KTEXT_UNREADABLE,	/* the memory cannot be read */
};

struct ktext_insn {
	uint64_t addr;
	uint8_t len;		/* 0: none */
	uint8_t bytes[INSN_MAX];
};

/* Where the answer was found. */
struct ktext_where {
	struct ktext_insn before, at, after;	/* INSIDE: at covers the address; the others are its neighbours */
	uint64_t stop;				/* PATCHED, UNDECODED, UNREADABLE: the first such byte */
};

/*
 * Decodes the code in memory from @start up to @addr. An instruction must begin at @start (a symbol's first byte).
 * Fills in *where (may be NULL) as described above.
 */
enum ktext_verdict ktext_boundary(struct ktext *kt, uint64_t start, uint64_t addr,
				  struct ktext_where *where);

/* Is there a landing pad at @func, or the instruction that the kernel writes over a sealed one? */
bool ktext_has_pad(struct ktext *kt, uint64_t func);

/*
 * The addresses outside of [@func, @end) that the code in it calls or jumps to. They are in the order of the code, none
 * twice, at most @max. Returns how many. Stops at code that cannot be decoded.
 */
size_t ktext_callees(struct ktext *kt, uint64_t func, uint64_t end, uint64_t *ret, size_t max);

/*
 * Does a BPF trampoline itself call the function at @func, outside of the program's guard against recursion? A
 * trampoline on such a function calls itself without end. *ret_known: all code that decides this could be read; if
 * false, the answer 'no' is not certain.
 */
bool ktext_trampoline_calls(struct ktext *kt, uint64_t func, bool *ret_known);

/*
 * Does the kernel's own list forbid a trampoline on the function with this number in its BTF? @is_return: one at its return (6.16 on:
 * functions that never return). False: the list does not, or this kernel does not show such a list.
 */
bool ktext_trampoline_denied(struct ktext *kt, uint32_t btf_id, bool is_return);

/*
 * Could the function at @func run while a program holds a lock that other programs take, too? A trampoline on it and a
 * second probe then stop the CPU. Kprobes do not, because all their programs share one guard per CPU. *ret_known: as
 * above.
 */
bool ktext_under_lock(struct ktext *kt, uint64_t func, bool *ret_known);

/*
 * How many parameters the function at @func certainly reads: its code reads their registers before it writes them. The
 * search ends at the first call. 0 to REG_PARAMS, in the order of the calling convention: 3 means that the third is read.
 */
unsigned ktext_params_read(struct ktext *kt, uint64_t func);

/* Copies @len bytes of text at @addr. False: they cannot be read. */
bool ktext_read(struct ktext *kt, uint64_t addr, void *to, size_t len);

#endif
