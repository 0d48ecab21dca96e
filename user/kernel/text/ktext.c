// SPDX-License-Identifier: GPL-2.0-only
/*
 * ktext.c - the kernel's code as it is in memory now.
 */
#include <string.h>

#include "arch/kernel.h"
#include "arch/text.h"
#include "base/macros.h"
#include "kernel/btf/kbtf.h"
#include "kernel/mem/kmem.h"
#include "kernel/syms/ksyms.h"
#include "kernel/text/ktext_priv.h"
#include "kernel/xref/xref.h"

enum { WINDOW = 1 << 16, PAGE = 4096, PIECE = 512 };

/* ---- open and close ---- */

uint64_t ktext_symbol(const struct ktext *kt, const char *name)
{
	return ksyms_address(kt->ks, name);
}

struct ktext *ktext_open(const struct ksyms *ks, struct kbtf *btf, struct kmem *mem)
{
	static const char *const limits[SECTION_COUNT][2] = {
		[SECTION_TEXT] = { "_stext", "_etext" },
		[SECTION_BOOT] = { "__init_begin", "__init_end" },
		[SECTION_ENTRY] = { "__entry_text_start", "__entry_text_end" },
		[SECTION_NOINSTR] = { "__noinstr_text_start", "__noinstr_text_end" },
		[SECTION_KPROBES] = { "__kprobes_text_start", "__kprobes_text_end" },
	};
	struct arena arena = { 0 };
	struct ktext *kt = arena_new(&arena, struct ktext);

	*kt = (struct ktext){ .ks = ks, .btf = btf, .mem = mem };
	kt->window = arena_array(&arena, uint8_t, WINDOW);
	for (unsigned i = 0; i < SECTION_COUNT; i++) {
		kt->sections[i].start = ktext_symbol(kt, limits[i][0]);
		kt->sections[i].end = ktext_symbol(kt, limits[i][1]);
	}
	kt->arena = arena;
	return kt;
}

void ktext_close(struct ktext *kt)
{
	struct arena arena;

	if (!kt)
		return;
	arena = kt->arena;
	arena_fini(&arena);
}

bool ktext_in_section(const struct ktext *kt, enum ktext_section section, uint64_t addr)
{
	return addr >= kt->sections[section].start && addr < kt->sections[section].end;
}

/* ---- bytes ---- */

bool ktext_object(const struct ktext *kt, uint64_t addr, void *to, size_t len)
{
	return kt->mem && addr && !kmem_read(kt->mem, addr, to, len);
}

static bool in_window(const struct ktext *kt, uint64_t addr, size_t len)
{
	return addr >= kt->window_addr && addr - kt->window_addr < kt->window_len &&
	       len <= kt->window_len - (addr - kt->window_addr);
}

/*
 * Reads few bytes at a new place, and twice as much each time if callers ask for pieces that follow each other. Near the end of
 * the mapped memory it reads as much as there is.
 */
static void move_window(struct ktext *kt, uint64_t addr, size_t len)
{
	uint64_t start = addr & ~(uint64_t)(PIECE - 1);
	size_t want = ROUND_UP(addr - start + len, (size_t)PIECE);

	if (kt->window_len && start - kt->window_addr <= kt->window_len)
		want = MAX(want, MIN(2 * kt->window_len, (size_t)WINDOW));
	kt->window_addr = start;
	kt->window_len = 0;
	for (; want >= PIECE; want /= 2) {
		if (ktext_object(kt, kt->window_addr, kt->window, want)) {
			kt->window_len = want;
			return;
		}
	}
	kt->window_addr = addr;
	if (ktext_object(kt, addr, kt->window, len))
		kt->window_len = len;
}

bool ktext_read(struct ktext *kt, uint64_t addr, void *to, size_t len)
{
	if (len > PAGE)
		return ktext_object(kt, addr, to, len);
	if (!in_window(kt, addr, len))
		move_window(kt, addr, len);
	if (!in_window(kt, addr, len))
		return false;
	memcpy(to, kt->window + (addr - kt->window_addr), len);
	return true;
}

int ktext_insn_at(struct ktext *kt, uint64_t addr, struct ktext_insn *ret, struct insn *insn)
{
	size_t avail = INSN_MAX;
	int len;

	*ret = (struct ktext_insn){ .addr = addr };
	while (avail && !ktext_read(kt, addr, ret->bytes, avail))
		avail--;
	if (!avail)
		return -1;
	len = insn_decode(ret->bytes, avail, insn);
	ret->len = len > 0 ? (uint8_t)len : 0;
	return len;
}

/* ---- a function's entry ---- */

bool ktext_has_pad(struct ktext *kt, uint64_t func)
{
	uint8_t bytes[ENTRY_PAD_SIZE];

	return ktext_read(kt, func, bytes, sizeof(bytes)) && text_entry(bytes) != ENTRY_PLAIN;
}

/* ---- boundaries ---- */

static bool jumps_to_thunk(const struct ktext *kt, const struct ktext_insn *at, const struct insn *insn)
{
	const struct ksym *sym;

	if (insn->flow != INSN_JMP)
		return false;
	sym = ksyms_lookup(kt->ks, at->addr + at->len + (uint64_t)(int64_t)insn->rel, NULL);
	return sym && strstr(sym->name, "thunk");
}

/* After these instructions the compiler puts a breakpoint, which stops speculation (-mharden-sls). */
static bool is_padded(const struct ktext *kt, const struct ktext_insn *at, const struct insn *insn)
{
	return !at->len || insn->flow == INSN_RET || insn->flow == INSN_JMP_INDIRECT ||
	       insn->flow == INSN_BREAKPOINT || insn->flow == INSN_UNDEFINED || jumps_to_thunk(kt, at, insn);
}

/*
 * Did another probe overwrite the instruction at @at? The kernel's own list tells. If it cannot be read, two things
 * show a probe: a breakpoint that is no padding, or a jump to an address without code of the kernel or its modules (the jump
 * of an optimised probe; kallsyms may call the address kprobe_optinsn_page).
 */
static bool is_patched(struct ktext *kt, const struct ktext_insn *before, const struct insn *before_insn,
		       const struct ktext_insn *at, const struct insn *insn, uint64_t start)
{
	bool known, probe;

	if (insn->flow == INSN_BREAKPOINT) {
		probe = ktext_is_probe(kt, at->addr, &known);
		return known ? probe : !is_padded(kt, before, before_insn);
	}
	if (insn->flow == INSN_JMP && at->len == PROBE_JUMP_SIZE && at->addr != start) {
		uint64_t target = at->addr + at->len + (uint64_t)(int64_t)insn->rel;
		const struct ksym *sym;

		if (ktext_in_section(kt, SECTION_TEXT, target))
			return false;
		probe = ktext_is_probe(kt, at->addr, &known);
		if (known)
			return probe;
		/*
		 * Pages for probes are between the modules, so the symbol before such a page may be the last one of a
		 * module.
		 */
		sym = ksyms_lookup(kt->ks, target, NULL);
		return !(sym && ksym_brackets(sym) && strncmp(sym->module, "__builtin__", 11));
	}
	return false;
}

static enum ktext_verdict stopped(struct ktext_where *where, uint64_t addr, enum ktext_verdict verdict)
{
	where->stop = addr;
	return verdict;
}

enum ktext_verdict ktext_boundary(struct ktext *kt, uint64_t start, uint64_t addr,
				  struct ktext_where *where)
{
	struct insn insn = { 0 }, before_insn = { 0 };
	struct ktext_where ignored;

	where = where ? where : &ignored;
	*where = (struct ktext_where){ 0 };
	for (uint64_t at = start; at < addr; at += where->at.len) {
		int len;

		where->before = where->at;
		before_insn = insn;
		len = ktext_insn_at(kt, at, &where->at, &insn);
		if (len < 0)
			return stopped(where, at, KTEXT_UNREADABLE);
		if (len == 0)
			return stopped(where, at, KTEXT_UNDECODED);
		if (is_patched(kt, &where->before, &before_insn, &where->at, &insn, start))
			return stopped(where, at, KTEXT_PATCHED);
	}
	if (start > addr || where->at.addr + where->at.len <= addr)
		return KTEXT_BOUNDARY;
	ktext_insn_at(kt, where->at.addr + where->at.len, &where->after, &insn);
	return KTEXT_INSIDE;
}

/* ---- calls ---- */

static bool has(const uint64_t *list, size_t nr, uint64_t addr)
{
	while (nr--) {
		if (list[nr] == addr)
			return true;
	}
	return false;
}

size_t ktext_callees(struct ktext *kt, uint64_t func, uint64_t end, uint64_t *ret, size_t max)
{
	uint64_t at = func;
	size_t nr = 0;

	while (at < end && nr < max) {
		struct ktext_insn text;
		struct insn insn;
		uint64_t target;

		if (ktext_insn_at(kt, at, &text, &insn) <= 0)
			break;
		at += text.len;
		target = at + (uint64_t)(int64_t)insn.rel;
		if ((insn.flow == INSN_CALL || insn.flow == INSN_JMP || insn.flow == INSN_JCC) &&
		    (target < func || target >= end) && !has(ret, nr, target))
			ret[nr++] = target;
	}
	return nr;
}

/* ---- parameters ---- */

unsigned ktext_params_read(struct ktext *kt, uint64_t func)
{
	uint32_t reads = 0, written = 0;
	uint64_t len, at = func;
	unsigned nr = REG_PARAMS;

	if (!ksyms_lookup(kt->ks, func, &len))
		return 0;
	while (at < func + len) {
		struct insn_regs regs;
		struct ktext_insn text;
		struct insn insn;

		if (ktext_insn_at(kt, at, &text, &insn) <= 0)
			break;
		/* A call at the entry is ftrace's. */
		if (insn.flow == INSN_CALL && at - func <= ENTRY_PAD_SIZE) {
			at += text.len;
			continue;
		}
		if ((insn.flow != INSN_NEXT && insn.flow != INSN_JCC) || !insn_regs(text.bytes, text.len, &regs))
			break;
		reads |= regs.reads & ~written;
		written |= regs.writes;
		at += text.len;
	}
	while (nr && !(insn_params(reads) & 1u << (nr - 1)))
		nr--;
	return nr;
}
