// SPDX-License-Identifier: GPL-2.0-only
/*
 * resolve_place.c - where to attach a probe: the symbol, its address, and whether it exists.
 */
#include <errno.h>
#include <inttypes.h>

#include "arch/kernel.h"
#include "kernel/rename.h"
#include "kernel/syms/ksyms.h"
#include "kernel/text/ktext.h"
#include "plan/copies.h"
#include "plan/own_place.h"
#include "plan/resolver.h"

enum { SIMILAR_SHOWN = 5, CANDIDATES_SHOWN = 10 };

/* Suggests system calls, with the prefix that was typed. */
static size_t suggest_calls(const struct resolver *r, const char *name, const char *call)
{
	static const char wrapper[] = SYSCALL_WRAPPER;
	const struct ksym *near[SIMILAR_SHOWN];
	size_t n = ksyms_similar(r->ks, arena_printf(r->arena, "%s%s", wrapper, call), near, SIMILAR_SHOWN);

	for (size_t i = 0, shown = 0; i < n; i++) {
		if (!strncmp(near[i]->name, wrapper, strlen(wrapper)))
			diag_note(r->diag, "%s %.*s%s", shown++ ? "     " : "help:", (int)(call - name), name,
				  near[i]->name + strlen(wrapper));
	}
	return n;
}

/* Suggests names of this kernel that are similar to @name, the most similar first. */
static void suggest(const struct resolver *r, const char *name)
{
	const struct ksym *near[SIMILAR_SHOWN];
	const char *call = ksyscall_bare_name(name);
	struct ksyscall known;
	size_t n;

	if (call && suggest_calls(r, name, call))
		return;
	call = r->ks ? ksyscall_name(r->arena, r->ks, name) : NULL;
	if (call && !ksyscall_find(r->arena, r->ks, NULL, NULL, call, &known)) {
		diag_note(r->diag, "help: %s is a system call: %s", name, call);
		return;
	}
	n = ksyms_similar(r->ks, name, near, SIMILAR_SHOWN);
	for (size_t i = 0; i < n; i++)
		diag_note(r->diag, "%s %s", i ? "     " : "help:", near[i]->name);
}

int resolve_unknown_symbol(const struct resolver *r, const char *name, struct span at)
{
	int err = diag_at(r->diag, -ENOENT, at, "this kernel has no symbol '%s'", name);

	suggest(r, name);
	return err;
}

/* What means @sym alone, if it may be probed as far as is known; else NULL. */
static const char *offered(const struct resolver *r, const struct ksym *sym)
{
	bool banned = r->facts->text && !ksyms_hidden(r->ks) && ktext_banned(r->facts->text, sym->addr);

	return ksym_is_function(sym) && !banned ? own_place(r->arena, r->ks, sym) : NULL;
}

/* @syms: all symbols of the name. */
static void note_own_places(const struct resolver *r, const char *name, const struct ksym *const *syms, size_t n)
{
	size_t found = 0;

	for (size_t i = 0; i < n; i++) {
		const char *place = offered(r, syms[i]);

		if (place && !found)
			diag_note(r->diag, "help: write the one that you want:");
		if (place && found++ < CANDIDATES_SHOWN)
			diag_note(r->diag, "      %s", place);
	}
	if (found > CANDIDATES_SHOWN)
		diag_note(r->diag, "      ... and %zu more (grep -w %s /proc/kallsyms)", found - CANDIDATES_SHOWN, name);
	if (!found)
		diag_note(r->diag, ksyms_hidden(r->ks) ? "this kernel hides addresses, so they cannot be told apart" : "none of them can be probed");
}

static int ambiguous_symbol(const struct resolver *r, const char *name, struct span at,
			    const struct ksym *const *syms, size_t n)
{
	int err = diag_at(r->diag, -ENOTUNIQ, at, "'%s' is the name of %zu functions of this kernel", name,
			  own_place_count(r->ks, name, NULL));

	note_own_places(r, name, syms, n);
	return err;
}

/* SYM@ADDR */
static int choose_function(const struct resolver *r, const struct place *place, const struct ksym *const *syms, size_t n,
			   const struct ksym **ret)
{
	int err;

	if (ksyms_hidden(r->ks))
		return diag_at(r->diag, -EOPNOTSUPP, place->symbol_at, "this kernel hides addresses, so it is not known which '%s' this is",
			       place->symbol);
	for (size_t i = 0; i < n; i++) {
		if (ksym_is_function(syms[i]) && syms[i]->addr == place->addr) {
			*ret = syms[i];
			return 0;
		}
	}
	err = diag_at(r->diag, -ENOENT, place->at, "no function '%s' begins at 0x%" PRIx64, place->symbol, place->addr);
	if (n > 1)
		note_own_places(r, place->symbol, syms, n);
	else
		diag_note(r->diag, "help: there is only one of this name: write %s", place->symbol);
	return err;
}

/*
 * Finds the name in this kernel of a function of another kernel. Only the user can say that it is the
 * same function (--alias). Without that, this only prints the name.
 */
static int resolve_renamed(struct resolver *r, const struct place *place, const struct rename *renamed,
			   const struct ksym *const **ret_syms, size_t *ret_n)
{
	size_t n = ksyms_find(r->ks, renamed->now, NULL, ret_syms);
	int err;

	if (!n || r->facts->alias) {
		r->renamed = n ? renamed : NULL;
		*ret_n = n;
		return n ? 0 : resolve_unknown_symbol(r, place->symbol, place->symbol_at);
	}
	err = resolve_unknown_symbol(r, place->symbol, place->symbol_at);
	diag_note(r->diag, "help: it is %s since Linux %s (%s): write that, or add --alias", renamed->now,
		  renamed->since, renamed->note);
	return err;
}

/* No symbol has the name. There may be copies of the function, for which the definition does not stand. */
static int missing_function(const struct resolver *r, const struct place *place)
{
	struct copies c;
	int err;

	copies_find(r->arena, r->def, r->facts, &c);
	if (!c.nr || c.nr_taken)		/* taken ones are refused by their own names (set/expand_source.c) */
		return resolve_unknown_symbol(r, place->symbol, place->symbol_at);
	err = diag_at(r->diag, -ENOENT, place->symbol_at, "this kernel has only copies or parts of '%s' that the compiler made", place->symbol);
	for (unsigned i = 0; i < c.nr && i < CANDIDATES_SHOWN; i++)
		diag_note(r->diag, "%s %s is %s", i ? "     " : "help:", c.all[i].name, c.all[i].why_not);
	if (c.all[0].kind < COPY_PART)
		diag_note(r->diag, "help: without parameters and registers (and without $retval, for .isra), the name stands for the copies; debug information tells "
			  "what they get (--vmlinux FILE)");
	return err;
}

/* The function that a place names, if only one function has that name. */
static int resolve_function(struct resolver *r, const struct place *place, const struct ksym **ret)
{
	const struct ksym *const *syms;
	size_t n = ksyms_find(r->ks, place->symbol, place->is_vmlinux ? "vmlinux" : place->module, &syms), functions = 0;
	const struct rename *renamed = n || place->module ? NULL : rename_find(place->symbol);
	int err = renamed ? resolve_renamed(r, place, renamed, &syms, &n) : 0;

	if (err)
		return err;

	if (!n && !place->module &&
	    !ksyscall_find(r->arena, r->ks, r->btf, r->facts->mem, place->symbol, &r->call)) {
		*ret = r->call.wrapper;
		return 0;
	}
	if (!n)
		return missing_function(r, place);
	if (place->addr)
		return choose_function(r, place, syms, n, ret);
	*ret = syms[0];
	for (size_t i = 0; i < n; i++) {
		if (ksym_is_function(syms[i]) && !functions++)
			*ret = syms[i];
	}
	if (functions > 1)
		return ambiguous_symbol(r, place->symbol, place->symbol_at, syms, n);
	return 0;
}

static int off_the_end(const struct resolver *r, const struct ksym *sym, uint64_t size)
{
	const struct place *place = &r->def->place;
	uint64_t addr = sym->addr + place->off, ignored;
	const struct ksym *real = ksyms_lookup(r->ks, addr, &ignored);
	int err = diag_at(r->diag, -EINVAL, place->at, "%s is %" PRIu64 " bytes long: +%" PRIu64
			  " is not in it", place->symbol, size, place->off);

	if (real)
		diag_note(r->diag, "help: that place is %s+%" PRIu64, real->name, addr - real->addr);
	return err;
}

/* A place in the function that is at the address @addr. If that function's name is not unique, the address is used. */
static void set_address(const struct resolver *r, uint64_t addr, const struct ksym *sym, struct target *t)
{
	const struct ksym *const *same;

	t->addr = addr;
	t->func = sym->addr;
	t->off = t->addr - t->func;
	t->symbol = sym->module || ksyms_find(r->ks, sym->name, NULL, &same) > 1 ? NULL : sym->name;
	t->lookup = t->symbol;
	t->syscall = NULL;
	t->renamed = NULL;
}

/* SYM-OFFS: a place in the function in front of SYM. */
static int find_before(const struct resolver *r, const struct ksym *typed, struct target *t)
{
	const struct place *place = &r->def->place;
	const struct ksym *sym = place->off <= typed->addr ? ksyms_lookup(r->ks, typed->addr - place->off, NULL) : NULL;

	if (!sym)
		return diag_at(r->diag, -EINVAL, place->at, "there is no function %" PRIu64 " bytes before %s",
			       place->off, place->symbol);
	set_address(r, typed->addr - place->off, sym, t);
	return 0;
}

/*
 * _text+OFFS, as perf probe writes it for a function whose name several have: it counts from the beginning of the kernel's code.
 */
static bool counts_from_start(const struct place *place)
{
	return !place->module && place->off && (!strcmp(place->symbol, "_text") || !strcmp(place->symbol, "_stext"));
}

/* A return probe must be at the entry: +0, or behind a landing pad. */
static int check_return(const struct resolver *r, uint64_t off)
{
	const struct place *place = &r->def->place;
	int err;

	if (r->def->kind != DEF_RETURN || off == 0 || off == 4)
		return 0;
	err = diag_at(r->diag, -EINVAL, place->off_at.len ? place->off_at : place->at,
		      "a return probe is placed at a function's entry, not at +%" PRIu64 " in it", off);
	if (!counts_from_start(place))
		diag_note(r->diag, "help: write the function's name alone: r %s", place->symbol);
	return err;
}

/* A module that is not loaded may be loaded later, but its name must not be empty. */
static int check_module(const struct resolver *r)
{
	const struct place *place = &r->def->place;

	if (!place->module || !r->ks || ksyms_has_module(r->ks, place->module))
		return 0;
	if (!*place->module)
		return diag_at(r->diag, -EINVAL, place->at, "no module's name before ':'");
	return diag_at(r->diag, -EAGAIN, place->module_at, "module '%s' is not loaded", place->module);
}

/* Sets the target's name: the typed one, or the name of the function that runs the system call, or the present name. */
static void name_target(const struct resolver *r, struct target *t)
{
	const struct place *place = &r->def->place;

	t->symbol = r->call.wrapper ? r->call.wrapper->name : r->renamed ? r->renamed->now : place->symbol;
	t->syscall = r->call.wrapper ? place->symbol : NULL;
	t->renamed = r->renamed;
	t->lookup = place->module ? arena_printf(r->arena, "%s:%s", place->module, place->symbol) : t->symbol;
}

static int find_address(const struct resolver *r, const struct ksym *sym, struct target *t)
{
	const struct place *place = &r->def->place;
	uint64_t size;

	if (!sym) {		/* typed as an address */
		sym = ksyms_lookup(r->ks, place->addr, NULL);
		t->addr = place->addr;
		t->func = sym ? sym->addr : place->addr;
		return 0;
	}
	if (place->before)
		return find_before(r, sym, t);
	t->func = sym->addr;
	t->addr = sym->addr + place->off;
	if (counts_from_start(place)) {
		const struct ksym *real = ksyms_lookup(r->ks, t->addr, NULL);

		if (real && !real->module && ksym_is_function(real)) {
			set_address(r, t->addr, real, t);
			return 0;
		}
	}
	ksyms_lookup(r->ks, sym->addr, &size);
	if (size && place->off >= size)
		return off_the_end(r, sym, size);
	if (r->chosen)
		set_address(r, t->addr, sym, t);
	return 0;
}

static int resolve_code(struct resolver *r, struct target *ret)
{
	const struct place *place = &r->def->place;
	const struct ksym *sym = NULL;
	struct target t = {
		.is_return = r->def->kind == DEF_RETURN,
		.module = place->module,
		.off = place->off,
		.addr = place->symbol ? 0 : place->addr,
		.func = place->symbol ? 0 : place->addr,
	};
	int err = place->symbol && counts_from_start(place) ? 0 : check_return(r, place->off);

	if (!err)
		err = check_module(r);
	if (!err && place->pattern) {		/* match.c finds its functions */
		t.symbol = place->symbol;
		*ret = t;
		return 0;
	}
	if (!err && place->symbol && r->ks)
		err = resolve_function(r, place, &sym);
	if (err)
		return err;
	if (sym && place_is_own(place))
		r->chosen = sym;
	if (place->symbol)
		name_target(r, &t);
	if (place->before && (!r->ks || ksyms_hidden(r->ks)))
		return diag_at(r->diag, -EOPNOTSUPP, place->off_at, "only addresses tell which function is before %s, and this "
			       "kernel hides them", place->symbol);
	if (r->ks && !ksyms_hidden(r->ks)) {
		err = find_address(r, sym, &t);
		if (!err && place->symbol && counts_from_start(place))
			err = check_return(r, t.off);
		if (!err && r->facts->text)
			err = check_code(r, &t);
	}
	if (!err)
		*ret = t;
	return err;
}

int resolve_target(struct resolver *r, struct target *ret)
{
	static int (*const resolve[PROBE_KINDS])(struct resolver *, struct target *) = {
		[PROBE_KPROBE] = resolve_code, [PROBE_FPROBE] = resolve_code, [PROBE_UPROBE] = resolve_user,
		[PROBE_TRACEPOINT] = resolve_tracepoint, [PROBE_EVENT] = resolve_event,
	};

	return resolve[r->def->probe](r, ret);
}
