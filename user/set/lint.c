// SPDX-License-Identifier: GPL-2.0-only
/*
 * lint.c - finds probes that can be attached, but will never fire.
 */
#include "set/lint.h"

#include <inttypes.h>

#include "lang/dialect.h"

enum { CALLEES_MAX = 64, CALLEES_SHOWN = 6 };

/* ---- verdicts ---- */

/* One for each address: aliases are adjacent. */
static void add_refs(const struct set *s, const struct ksym *const *syms, size_t nr, struct xref *refs, size_t *nr_refs)
{
	for (size_t i = 0; i < nr; i++) {
		uint64_t size;

		ksyms_lookup(s->machine.ks, syms[i]->addr, &size);
		if (!*nr_refs || refs[*nr_refs - 1].addr != syms[i]->addr)
			refs[(*nr_refs)++] = (struct xref){ .addr = syms[i]->addr, .end = syms[i]->addr + size };
	}
}

int lint_functions(const struct set *s, const struct ksym *const *syms, size_t nr, enum reach *ret,
		   struct diag *diag)
{
	struct arena arena = { 0 };
	struct xref *refs = arena_array(&arena, struct xref, nr);
	struct reach_source *source = NULL;
	size_t nr_refs = 0;
	int err;

	add_refs(s, syms, nr, refs, &nr_refs);
	err = xref_find(s->machine.mem, s->machine.ks, refs, nr_refs, diag);
	for (size_t i = 0, at = 0; !err && i < nr; i++) {
		struct reach_facts facts = { 0 };

		at += refs[at].addr != syms[i]->addr;
		/* These facts take time, and few functions need them. */
		if (!refs[at].branches && !refs[at].pointers) {
			source = source ? source : reach_open(s->machine.mem, s->machine.ks, s->machine.btf);
			if (source)
				reach_find(source, syms[i], &facts);
		}
		ret[i] = reach_judge(syms[i], &refs[at], &facts);
	}
	reach_close(source);
	arena_fini(&arena);
	return err;
}

/* ---- what to probe instead ---- */

/* Is @text, a definition of @dialect, one that can be probed? Its arguments may not fit. */
static bool fits(const struct set *s, const char *text, enum dialect dialect)
{
	struct facts facts = { .ks = s->machine.ks, .btf = s->machine.btf, .mem = s->machine.mem, .text = s->machine.text };
	struct arena arena = { 0 };
	struct diag diag = { 0 };
	struct probe_def *def = NULL;
	struct plan *plan;
	bool good = !dialect_parse(&arena, text, dialect, &def, &diag) && def &&
		    !plan_resolve(&arena, def, &facts, &plan, &diag);

	diag_fini(&diag);
	arena_fini(&arena);
	return good;
}

/* Appends @def with @name as its place; without its arguments if they do not fit. */
static void add_definition(const struct set *s, const struct probe_def *def, const char *name,
			   struct buf *out)
{
	const struct span *at = &def->place.at;
	size_t start = out->len;

	buf_add(out, def->text, at->off);
	buf_adds(out, name);
	buf_adds(out, def->text + at->off + at->len);
	if (!fits(s, out->data + start, def->dialect)) {
		out->len = start + at->off + strlen(name);
		out->data[out->len] = '\0';
		if (def->dialect == DIALECT_FUNCTION)
			buf_adds(out, "()");
	}
}

/* Adds as definitions the functions that @func calls and that can be probed. */
static void note_callees(const struct set *s, const struct probe_def *def, uint64_t func, struct diag *diag)
{
	uint64_t callees[CALLEES_MAX], size;
	unsigned shown = 0;
	size_t nr;

	ksyms_lookup(s->machine.ks, func, &size);
	nr = s->machine.text ? ktext_callees(s->machine.text, func, func + size, callees, CALLEES_MAX) : 0;
	for (size_t i = 0; i < nr && shown < CALLEES_SHOWN; i++) {
		/* The target of a direct call may be behind a landing pad. */
		const struct ksym *sym = ksyms_lookup(s->machine.ks, callees[i], NULL);
		struct buf line = { 0 };

		if (!sym || callees[i] - sym->addr > 4 || ktext_banned(s->machine.text, sym->addr))
			continue;
		add_definition(s, def, sym->name, &line);
		if (!shown++)
			diag_note(diag, "help: probe what its body calls:");
		diag_note(diag, "      %s", buf_str(&line));
		buf_fini(&line);
	}
}

/* ---- warnings ---- */

static void warn(const struct set *s, const struct probe *p, const struct ksym *sym, enum reach reach,
		 FILE *out)
{
	const struct place *place = &p->def->place;
	struct diag diag = { .text = p->def->text, .file = p->from.file, .line = p->from.line };
	struct buf text = { 0 };

	if (reach == REACH_BPF) {
		diag_at(&diag, 0, place->at, "warning: only BPF programs can call %s: without one, this probe "
			"never fires", sym->name);
	} else {
		diag_at(&diag, 0, place->at, "warning: this probe can never fire: nothing in the kernel calls %s "
			"or points to it (it was inlined into its callers, or only boot code called it)",
			sym->name);
		note_callees(s, p->def, sym->addr, &diag);
	}
	diag_format(&diag, "bprobe", &text);
	fputs(buf_str(&text), out);
	buf_fini(&text);
	diag_fini(&diag);
}

/* The function of the probe, if it can be judged. */
static const struct ksym *function_of(const struct set *s, const struct probe *p)
{
	return p->plan && p->plan->target.addr && !p->family.def ? ksyms_lookup(s->machine.ks, p->plan->target.addr, NULL) : NULL;
}

static int compare_syms(const void *a, const void *b)
{
	const struct ksym *x = *(const struct ksym *const *)a, *y = *(const struct ksym *const *)b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* Collects the functions of all probes, each once. */
static size_t collect(const struct set *s, const struct ksym **syms)
{
	size_t nr = 0, kept = 0;

	for (unsigned i = 0; i < s->nr_probes; i++) {
		const struct ksym *sym = function_of(s, &s->probes[i]);

		if (sym)
			syms[nr++] = sym;
	}
	if (nr)
		qsort(syms, nr, sizeof(*syms), compare_syms);
	for (size_t i = 0; i < nr; i++) {
		if (!kept || syms[kept - 1] != syms[i])
			syms[kept++] = syms[i];
	}
	return kept;
}

bool lint_is_wanted(const struct set *s)
{
	for (unsigned i = 0; !s->opts->no_lint && s->machine.text && i < s->nr_probes; i++) {
		if (function_of(s, &s->probes[i]))
			return true;
	}
	return false;
}

bool lint_is_settled(const struct set *s)
{
	for (unsigned i = 0; i < s->nr_probes; i++) {
		const struct probe *p = &s->probes[i];
		struct bp_stat stat;

		if (!function_of(s, p))
			continue;
		channel_stat(p->slot.channel, p->slot.index, &stat);
		if (!stat.hits && !stat.filtered && !stat.limited)
			return false;
	}
	return true;
}

/* Leaves out the functions that are called from nearby. Returns how many are left in @syms. */
static size_t leave_out_near(const struct set *s, const struct ksym **syms, size_t nr)
{
	struct arena arena = { 0 };
	struct xref *refs = arena_array(&arena, struct xref, nr);
	size_t nr_refs = 0, kept = 0;

	add_refs(s, syms, nr, refs, &nr_refs);
	xref_find_near(s->machine.mem, s->machine.ks, refs, nr_refs);
	for (size_t i = 0, at = 0; i < nr; i++) {
		at += refs[at].addr != syms[i]->addr;
		if (!refs[at].branches && !refs[at].pointers)
			syms[kept++] = syms[i];
	}
	arena_fini(&arena);
	return kept;
}

void lint_print(struct set *s, FILE *out, void (*goes_far)(void *ctx), void *ctx)
{
	struct arena arena = { 0 };
	const struct ksym **syms;
	struct diag diag = { 0 };
	size_t nr;

	if (s->opts->no_lint || !s->machine.text)
		return;
	syms = arena_array(&arena, const struct ksym *, s->nr_probes);
	nr = leave_out_near(s, syms, collect(s, syms));
	if (nr && goes_far)
		goes_far(ctx);
	if (nr) {
		enum reach *reach = arena_array(&arena, enum reach, nr);

		if (lint_functions(s, syms, nr, reach, &diag))
			nr = 0;		/* a failed check is no reason to stop */
		for (unsigned i = 0; i < s->nr_probes; i++) {
			const struct probe *p = &s->probes[i];
			const struct ksym *sym = function_of(s, p), **at;

			at = sym && nr ? bsearch(&sym, syms, nr, sizeof(*syms), compare_syms) : NULL;
			if (at && (reach[at - syms] == REACH_NEVER || reach[at - syms] == REACH_BPF))
				warn(s, p, sym, reach[at - syms], out);
		}
	}
	diag_fini(&diag);
	arena_fini(&arena);
}
