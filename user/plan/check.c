// SPDX-License-Identifier: GPL-2.0-only
/*
 * check.c - whether the kernel will accept a probe at a place, and if not, why.
 *
 * The kernel answers only EINVAL or EILSEQ. Its criteria can be read in its memory, so
 * bprobe explains the reason before it attaches anything.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "arch/text.h"
#include "kernel/syms/ksyms.h"
#include "kernel/text/ktext.h"
#include "plan/resolver.h"

/* ---- code that the kernel keeps to itself ---- */

static const struct reason {
	const char *what;	/* "SYM+OFF is ..." */
	const char *help;	/* or NULL */
} reasons[] = {
	[KTEXT_NO_CODE] = { "is data, and only code can be probed",
			    "help: data is fetched with @SYMBOL" },
	[KTEXT_BOOT] = { "is boot code (__init), which the kernel has thrown away", NULL },
	[KTEXT_PREAMBLE] = { "is padding before a function, not part of it",
			     "help: probe the function itself: write its name without __pfx_ or __cfi_" },
	[KTEXT_ENTRY] = { "is entry code (.entry.text): a probe there would trap before the kernel can handle traps",
			  "help: probe what it calls" },
	[KTEXT_NOINSTR] = { "is marked noinstr: it runs where the kernel cannot be traced",
			    "help: probe what calls it, or what it calls" },
	[KTEXT_KPROBES] = { "is marked __kprobes: the kernel runs it while it handles a probe",
			    "help: probe what calls it, or what it calls" },
	[KTEXT_NOKPROBE] = { "is on the kernel's kprobe blacklist (NOKPROBE_SYMBOL): the kernel may run it while it handles a "
			     "probe",
			     "help: probe what calls it, or what it calls" },
	[KTEXT_NOTRACE] = { "is marked notrace: the kernel may run it while it handles a probe",
			    "help: probe what calls it, or what it calls" },
	[KTEXT_JUMP_LABEL] = { "is a branch that the kernel patches itself (a static key)", NULL },
	[KTEXT_STATIC_CALL] = { "is a call that the kernel patches itself (a static call)", NULL },
	[KTEXT_BUG] = { "is the trapping instruction of a BUG() or WARN()", NULL },
	[KTEXT_BREAKPOINT] = { "is " A_BREAKPOINT " that the compiler put after a jump: nothing runs it", NULL },
};

/* The place as typed; for an address also the symbol that contains it. */
static const char *place_text(const struct resolver *r, const struct target *t)
{
	const struct place *place = &r->def->place;
	const char *typed = arena_strndup(r->arena, r->def->text + place->at.off, place->at.len);
	const struct ksym *sym = place->symbol ? NULL : ksyms_lookup(r->ks, t->addr, NULL);

	return sym ? arena_printf(r->arena, "%s (%s+%" PRIu64 ")", typed, sym->name, t->addr - sym->addr) : typed;
}

/* The next instruction in the same symbol that may be probed as far as is known. */
static uint64_t next_free(struct ktext *text, uint64_t start, uint64_t addr, uint64_t end)
{
	struct ktext_where where;

	while (++addr < end) {
		if (ktext_boundary(text, start, addr, &where) == KTEXT_BOUNDARY && !ktext_banned(text, addr))
			return addr;
	}
	return 0;
}

/* Data is a mistake in the definition (-EINVAL). All other reasons depend on this kernel (-EOPNOTSUPP). */
static int refuse_ban(const struct resolver *r, const struct target *t, enum ktext_ban ban)
{
	const struct reason *reason = &reasons[ban];
	int err = diag_at(r->diag, ban == KTEXT_NO_CODE ? -EINVAL : -EOPNOTSUPP, r->def->place.at, "%s %s", place_text(r, t),
			  reason->what);
	uint64_t size, next = 0;
	const struct ksym *sym = ksyms_lookup(r->ks, t->addr, &size);

	if (reason->help)
		diag_note(r->diag, "%s", reason->help);
	else if (sym && ban >= KTEXT_JUMP_LABEL)
		next = next_free(r->facts->text, sym->addr, t->addr, sym->addr + size);
	if (next)
		diag_note(r->diag, "help: the next possible place is %s+%" PRIu64, sym->name, next - sym->addr);
	return err;
}

/* ---- instructions ---- */

/* The name for places near @t: the typed name if it is a name of @sym, else @sym's own name. */
static const char *near_name(const struct target *t, const struct ksym *sym)
{
	return t->symbol && t->func == sym->addr ? t->symbol : sym->name;
}

/* Prints "+0x3a" in @width columns, then the bytes. */
static void note_insn(const struct resolver *r, const struct ktext_insn *insn, uint64_t start,
		      int width, uint64_t inside)
{
	struct buf line = { 0 };

	if (insn->len) {
		char off[24];

		snprintf(off, sizeof(off), "+0x%" PRIx64, insn->addr - start);
		buf_addf(&line, "%-*s ", width, off);
		for (unsigned i = 0; i < insn->len; i++)
			buf_addf(&line, " %02x", insn->bytes[i]);
		if (inside)
			buf_addf(&line, "    <- +%" PRIu64 " is in here", inside - start);
		diag_note(r->diag, "%s", buf_str(&line));
	}
	buf_fini(&line);
}

static int refuse_inside(const struct resolver *r, const struct target *t, const struct ksym *sym,
			 uint64_t size, const struct ktext_where *where)
{
	uint64_t before = where->at.addr - sym->addr, after = before + where->at.len;
	const char *name = near_name(t, sym);
	int width = snprintf(NULL, 0, "+0x%" PRIx64, after);
	int err = diag_at(r->diag, -EILSEQ, r->def->place.at, "%s is inside an instruction", place_text(r, t));

	note_insn(r, &where->before, sym->addr, width, 0);
	note_insn(r, &where->at, sym->addr, width, t->addr);
	if (!size || after < size)
		note_insn(r, &where->after, sym->addr, width, 0);
	if (!size || after < size)
		diag_note(r->diag, "nearest: %s+%" PRIu64 "%s, %s+%" PRIu64, name, before,
			  before ? "" : " (entry)", name, after);
	else
		diag_note(r->diag, "nearest: %s+%" PRIu64 "%s", name, before, before ? "" : " (entry)");
	return err;
}

static int check_boundary(const struct resolver *r, struct target *t)
{
	uint64_t size;
	const struct ksym *sym = ksyms_lookup(r->ks, t->addr, &size);
	struct ktext_where where;

	if (!sym || sym->addr == t->addr)
		return 0;
	switch (ktext_boundary(r->facts->text, sym->addr, t->addr, &where)) {
	case KTEXT_BOUNDARY:
		return 0;
	case KTEXT_INSIDE:
		return refuse_inside(r, t, sym, size, &where);
	case KTEXT_PATCHED:
		t->doubt = arena_printf(r->arena, "another probe is at %s+%" PRIu64 " and hides the instruction there",
					sym->name, where.stop - sym->addr);
		return 0;
	case KTEXT_UNDECODED:
		t->doubt = arena_printf(r->arena, "the bytes at %s+%" PRIu64 " are not an instruction",
					sym->name, where.stop - sym->addr);
		return 0;
	case KTEXT_UNREADABLE:
		t->doubt = arena_printf(r->arena, "the code at %s+%" PRIu64 " cannot be read", sym->name,
					where.stop - sym->addr);
	}
	return 0;
}

/* The entry is behind a landing pad if the function begins with one, and only then. */
static int check_entry(const struct resolver *r, const struct target *t)
{
	const struct place *place = &r->def->place;
	uint8_t byte;
	int err;

	if (!t->is_return || t->addr == t->func || !ktext_read(r->facts->text, t->func, &byte, 1) ||
	    ktext_has_pad(r->facts->text, t->func))
		return 0;
	err = diag_at(r->diag, -EINVAL, place->off_at.len ? place->off_at : place->at,
		      "a return probe is placed at a function's entry, not at +%" PRIu64 " in it", t->addr - t->func);
	if (place->symbol)
		diag_note(r->diag, "help: write the function's name alone: r %s", place->symbol);
	return err;
}

int check_code(const struct resolver *r, struct target *t)
{
	enum ktext_ban ban = ktext_banned(r->facts->text, t->addr);
	int err = check_entry(r, t);

	if (err)
		return err;
	return ban ? refuse_ban(r, t, ban) : check_boundary(r, t);
}
