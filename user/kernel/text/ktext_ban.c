// SPDX-License-Identifier: GPL-2.0-only
/*
 * ktext_ban.c - code that the kernel lets nobody patch, and the reasons.
 */
#include <string.h>

#include "arch/kernel.h"
#include "arch/text.h"
#include "base/buf.h"
#include "base/macros.h"
#include "kernel/syms/ksyms.h"
#include "kernel/text/ktext_priv.h"

/*
 * The compiler splits functions into parts (NAME.cold, NAME.isra.0). Returns the address of the whole function
 * that @sym is a part of; 0: @sym is no part.
 */
static uint64_t whole_function(const struct ktext *kt, const struct ksym *sym)
{
	const struct ksym *const *syms;
	size_t len = strcspn(sym->name, ".");
	struct buf name = { 0 };
	uint64_t addr = 0;

	if (!sym->name[len])
		return 0;
	buf_add(&name, sym->name, len);
	if (ksyms_find(kt->ks, buf_str(&name), sym->module ? sym->module : "vmlinux", &syms))
		addr = syms[0]->addr;
	buf_fini(&name);
	return addr;
}

/* Does the function have no ftrace site? */
static bool is_notrace(struct ktext *kt, uint64_t func)
{
	bool known, traceable;
	uint64_t size;

	ksyms_lookup(kt->ks, func, &size);
	traceable = ktext_is_traceable(kt, func, func + MAX(size, (uint64_t)1), &known);
	return known && !traceable;
}

/* A jump label is as long as the instruction that is there now. */
static bool in_site(struct ktext *kt, enum ktext_sites kind, const char *module, uint64_t addr)
{
	uint64_t site = ktext_site_below(kt, kind, module, addr);
	struct ktext_insn text;
	struct insn insn;

	if (!site)
		return false;
	if (kind == SITES_BUG)
		return site == addr;
	if (kind == SITES_STATIC_CALL)
		return addr - site < STATIC_CALL_SIZE;
	return ktext_insn_at(kt, site, &text, &insn) > 0 && addr - site < text.len;
}

/* Does ftrace patch this place? Known only if the kernel lists such places. */
static bool is_ftrace_site(struct ktext *kt, uint64_t addr)
{
	bool known;

	return ktext_is_traceable(kt, addr, addr + 1, &known) && known;
}

/*
 * Is it a breakpoint that is an instruction of its own, and not another probe's? While ftrace patches a place, there is one for a moment
 * (6.1, text_poke_bp_batch()).
 */
static bool is_breakpoint(struct ktext *kt, const struct ksym *sym, uint64_t addr)
{
	uint8_t bytes[BREAKPOINT_SIZE];
	bool known;

	return ktext_read(kt, addr, bytes, sizeof(bytes)) && text_is_breakpoint(bytes) && !ktext_is_probe(kt, addr, &known) && known &&
	       !is_ftrace_site(kt, addr) && ktext_boundary(kt, sym->addr, addr, NULL) == KTEXT_BOUNDARY;
}

/*
 * Is it a function's landing pad, or what ftrace has put at its entry? The kernel patches nothing else there, so the tables
 * of other patched places need not be read.
 */
static bool is_entry(struct ktext *kt, const struct ksym *sym, uint64_t addr)
{
	uint8_t bytes[BREAKPOINT_SIZE];

	return addr == sym->addr && ktext_read(kt, addr, bytes, sizeof(bytes)) && !text_is_breakpoint(bytes) &&
	       (ktext_has_pad(kt, addr) || is_ftrace_site(kt, addr));
}

static enum ktext_ban banned_section(const struct ktext *kt, uint64_t addr)
{
	static const enum ktext_ban bans[SECTION_COUNT] = {
		[SECTION_BOOT] = KTEXT_BOOT, [SECTION_ENTRY] = KTEXT_ENTRY,
		[SECTION_NOINSTR] = KTEXT_NOINSTR, [SECTION_KPROBES] = KTEXT_KPROBES,
	};

	for (unsigned i = 0; i < SECTION_COUNT; i++) {
		if (bans[i] && ktext_in_section(kt, i, addr))
			return bans[i];
	}
	return KTEXT_FREE;
}

/* A kernel with CONFIG_KPROBE_EVENTS_ON_NOTRACE does not check this, and has no __within_notrace_func. */
static bool checks_notrace(struct ktext *kt)
{
	if (!kt->notrace_asked)
		kt->checks_notrace = ktext_symbol(kt, "__within_notrace_func") != 0;
	kt->notrace_asked = true;
	return kt->checks_notrace;
}

enum ktext_ban ktext_banned(struct ktext *kt, uint64_t addr)
{
	const struct ksym *sym = ksyms_lookup(kt->ks, addr, NULL);
	enum ktext_ban ban = banned_section(kt, addr);
	const char *module;
	uint64_t whole;

	if (ban == KTEXT_BOOT && sym && !ksym_is_function(sym))
		return KTEXT_NO_CODE;
	if (ban || !kt->sections[SECTION_TEXT].end)
		return ban;
	module = sym ? ksym_brackets(sym) : NULL;
	if (!ktext_in_section(kt, SECTION_TEXT, addr) && (!sym || !sym->module || !ksym_is_function(sym)))
		return KTEXT_NO_CODE;
	if (!sym)
		return KTEXT_FREE;
	if (ksym_is_marker(sym))
		return KTEXT_PREAMBLE;
	whole = whole_function(kt, sym);
	if (ktext_blacklisted(kt, addr) || (whole && ktext_blacklisted(kt, whole)))
		return KTEXT_NOKPROBE;
	if (checks_notrace(kt) && is_notrace(kt, sym->addr) &&
	    (!whole || is_notrace(kt, whole)))
		return KTEXT_NOTRACE;
	if (is_entry(kt, sym, addr))
		return KTEXT_FREE;
	if (in_site(kt, SITES_JUMP_LABEL, module, addr))
		return KTEXT_JUMP_LABEL;
	if (in_site(kt, SITES_STATIC_CALL, module, addr))
		return KTEXT_STATIC_CALL;
	if (in_site(kt, SITES_BUG, module, addr))
		return KTEXT_BUG;
	return is_breakpoint(kt, sym, addr) ? KTEXT_BREAKPOINT : KTEXT_FREE;
}

/* ---- many functions ---- */

/* One bit for each symbol in the blacklist, by the hash of its name. So few other names must be looked up. */
enum { NAMES_BITS = 1 << 16 };

static uint32_t hash_of(const char *name, size_t len)
{
	uint32_t h = 0x811c9dc5;

	for (size_t i = 0; i < len; i++)
		h = (h ^ (unsigned char)name[i]) * 0x01000193;
	return (h ^ h >> 16) % NAMES_BITS;
}

static void add_name(void *ctx, const char *name)
{
	struct ktext *kt = ctx;
	uint32_t bit = hash_of(name, strlen(name));

	kt->banned_names[bit / 64] |= (uint64_t)1 << bit % 64;
}

/* False: the function that @name is a part of (whole_function()) is not in the blacklist. */
static bool whole_may_be_blacklisted(struct ktext *kt, const char *name)
{
	uint32_t bit = hash_of(name, strcspn(name, "."));

	if (!kt->banned_names) {
		kt->banned_names = arena_array(&kt->arena, uint64_t, NAMES_BITS / 64);
		kt->names_known = true;
		for (size_t i = 0; kt->names_known && i < kt->nr_blacklist; i++)
			kt->names_known = ksyms_names_between(kt->ks, kt->blacklist[i].at.start, kt->blacklist[i].at.end, add_name, kt);
	}
	return !kt->names_known || kt->banned_names[bit / 64] >> bit % 64 & 1;
}

/*
 * The same questions as in ktext_banned(), in the same order, as far as the lists answer them. At a function's entry there are
 * ftrace's place and a landing pad before it, and nothing else that the kernel patches, so the code need not be read.
 */
bool ktext_function_banned(struct ktext *kt, const struct ksyms_function *f)
{
	uint64_t site;
	bool known;

	if (!f->first || !kt->sections[SECTION_TEXT].end || !checks_notrace(kt))
		return ktext_banned(kt, f->addr);
	if (banned_section(kt, f->addr) || !ktext_in_section(kt, SECTION_TEXT, f->addr) || ktext_blacklisted(kt, f->addr))
		return true;
	if (f->name && whole_may_be_blacklisted(kt, f->name))
		return ktext_banned(kt, f->addr);
	site = ktext_ftrace_from(kt, f->addr, &known);
	if (!known)
		return ktext_banned(kt, f->addr);
	if (!site || site >= MAX(f->end, f->addr + 1))		/* NOTRACE; a part of a function may be allowed all the same */
		return !f->name || ktext_banned(kt, f->addr);
	return site != f->addr && site != f->addr + ENTRY_PAD_SIZE && ktext_banned(kt, f->addr);
}
