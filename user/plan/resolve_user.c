// SPDX-License-Identifier: GPL-2.0-only
/*
 * resolve_user.c - where to attach a user probe: the file, and the place in it.
 */
#include <errno.h>
#include <inttypes.h>

#include "arch/kernel.h"
#include "elf/demangle.h"
#include "elf/programs.h"
#include "kernel/features.h"
#include "plan/resolver.h"
#include "plan/user.h"

enum { CANDIDATES_SHOWN = 10 };

/* Repeats an error of elf/, which knows no text, with the caret at @at. */
static int refuse(struct diag *diag, struct span at, int err, struct diag *why)
{
	diag_at(diag, err, at, "%s", buf_str(&why->msg));
	buf_adds(&diag->notes, buf_str(&why->notes));
	diag_fini(why);
	return err;
}

int user_program(const struct probe_def *def, const struct facts *facts, struct program **ret, struct diag *diag)
{
	struct diag why = { 0 };
	int err = facts->programs ? programs_open(facts->programs, def->place.path, ret, &why)
				  : diag_set(&why, -EOPNOTSUPP, "no programs can be read here");

	if (!err)
		return 0;
	diag->text = def->text;
	return refuse(diag, def->place.owner_at.len ? def->place.owner_at : def->place.at, err, &why);
}

int user_no_function(struct arena *arena, const struct probe_def *def, struct program *program, struct diag *diag)
{
	const struct place *place = &def->place;
	const char *similar[PROGRAM_SIMILAR];
	bool whole = false;
	size_t nr = program_functions(program, &whole), found;

	diag->text = def->text;
	diag_at(diag, -ENOENT, place->symbol_at, nr ? "%s has no function '%s'" : "%s has no names of functions, so '%s' cannot be found",
		program->shown, place->symbol);
	found = place->pattern ? 0 : program_similar(program, arena, place->symbol, similar);
	for (size_t i = 0; i < found; i++)
		diag_note(diag, "%s %s", i ? "     " : "help:", similar[i]);
	if (!whole)
		diag_note(diag, "%sonly names that it exports are known: it is stripped, and there is no debug file for it (build id %s)",
			  found ? "" : "help: ", program_build_id(program) ? program_build_id(program) : "none");
	return -ENOENT;
}

static int ambiguous(const struct resolver *r, const struct program_function *f, size_t n)
{
	const struct place *place = &r->def->place;
	struct buf name = { 0 };

	diag_at(r->diag, -ENOTUNIQ, place->symbol_at, "'%s' is the name of %zu functions", place->symbol, n);
	diag_note(r->diag, "help: write the offset of the one that you want:");
	for (size_t i = 0; i < n && i < CANDIDATES_SHOWN; i++) {
		buf_reset(&name);
		diag_note(r->diag, "      %s:0x%" PRIx64 "  %s", place->path, f[i].off, demangle(f[i].name, &name) ? buf_str(&name) : f[i].name);
	}
	buf_fini(&name);
	if (n > CANDIDATES_SHOWN)
		diag_note(r->diag, "      ... and %zu more", n - CANDIDATES_SHOWN);
	return -ENOTUNIQ;
}

/* The function at @off as it can be typed: by its name, if only it has that name. */
static const char *name_of(const struct resolver *r, struct program *program, uint64_t off)
{
	const struct program_function *f;
	struct program_place at;

	if (program_symbol_at(program, off, &at) && !at.off && program_find(program, r->arena, at.name, &f) == 1 && f->off == off)
		return at.name;
	return arena_printf(r->arena, "0x%" PRIx64, off);
}

static void note_chosen(const struct resolver *r, struct program *program, const struct program_function *f)
{
	const char *path = r->def->place.path, *name;
	uint64_t off, first;
	uint32_t asked = program_chosen(program, f, &off);

	if (!asked)
		return;
	name = name_of(r, program, off);
	if (!program_first_place(program, off, &first))
		diag_note(r->diag, "help: in process %" PRIu32 " calls of it run %s:%s, and the kernel cannot probe its first 64 bytes", asked, path, name);
	else if (first == off)
		diag_note(r->diag, "help: in process %" PRIu32 " calls of it run this code: %s:%s", asked, path, name);
	else
		diag_note(r->diag, "help: in process %" PRIu32 " calls of it run %s:%s, and the first place there that the kernel can probe is this: %s:%s",
			  asked, path, name, path, strncmp(name, "0x", 2) ? arena_printf(r->arena, "%s+%" PRIu64, name, first - off)
									    : arena_printf(r->arena, "0x%" PRIx64, first));
}

/* The function runs once, when the program starts, and tells which code calls of this name run. Nobody who types its name means it. */
static int refuse_ifunc(const struct resolver *r, struct program *program, const struct program_function *f)
{
	const struct place *place = &r->def->place;

	diag_at(r->diag, -EOPNOTSUPP, place->symbol_at, "'%s' only chooses, when a program starts, which code its calls run (IFUNC)",
		place->symbol);
	note_chosen(r, program, f);
	diag_note(r->diag, "help: 'bprobe --functions %s:*%s*' lists functions with such names", place->path, place->symbol);
	diag_note(r->diag, "help: the code that chooses is %s:0x%" PRIx64, place->path, f->off);
	return -EOPNOTSUPP;
}

/* The function that the place names, and the place in it. */
static int find_function(const struct resolver *r, struct program *program, struct target *t)
{
	const struct place *place = &r->def->place;
	const struct program_function *f;
	size_t n = program_find(program, r->arena, place->symbol, &f);

	if (!n)
		return user_no_function(r->arena, r->def, program, r->diag);
	if (n > 1)
		return ambiguous(r, f, n);
	if (f->is_ifunc)
		return refuse_ifunc(r, program, f);
	if (f->size && place->off >= f->size)
		return diag_at(r->diag, -EINVAL, place->off_at, "%s is %" PRIu64 " bytes long: +%" PRIu64 " is not in it", place->symbol,
			       f->size, place->off);
	if (t->is_return && (place->off || !f->is_whole)) {
		diag_at(r->diag, -EINVAL, place->off ? place->off_at : place->symbol_at, "a return probe is placed at a function's entry");
		diag_note(r->diag, "help: write the function's name alone: r %s:%s", place->path, place->symbol);
		return -EINVAL;
	}
	t->file_off = f->off + place->off;
	t->site_func = place->symbol;
	t->site_off = place->off;
	return 0;
}

/* The kernel puts its own return address into the stack. Go copies stacks when they grow, and finds an address that it does not know. */
static int refuse_go(const struct resolver *r)
{
	diag_at(r->diag, -EOPNOTSUPP, r->def->place.symbol_at.len ? r->def->place.symbol_at : r->def->place.at,
		"a return probe ends a program of Go ('unexpected return pc') as soon as a goroutine's stack grows");
	diag_note(r->diag, "help: probe the entry, or the function's ret instructions: p PATH:FUNCTION+OFFSET; the first result is in %s there",
		  REG_NAME_RETURN);
	return -EOPNOTSUPP;
}

/* An offset in the file: which function has it is for people. */
static void name_offset(struct program *program, struct target *t)
{
	struct program_place at;

	t->site_off = t->file_off;
	if (!program_symbol_at(program, t->file_off, &at))
		return;
	t->site_func = at.name;
	t->site_off = at.off;
}

/*
 * On some kernels a probe on a nop of five bytes damages the program (FEATURE_UPROBE_DAMAGES). Such a nop does nothing: behind it all values
 * are the same. So the probe goes there, if nothing else leads there.
 */
static int avoid_nop(const struct resolver *r, struct program *program, struct target *t)
{
	const struct place *place = &r->def->place;
	uint64_t next;
	bool alone;
	int err;

	if (t->is_return || !r->facts->features || !program_call_damages(program, t->file_off, &next, &alone) ||
	    !feature(r->facts->features, FEATURE_UPROBE_DAMAGES))
		return 0;
	if (alone) {
		t->site_off += next - t->file_off;
		t->file_off = next;
		t->behind_nop = true;
		return avoid_nop(r, program, t);	/* there may be another one */
	}
	err = diag_at(r->diag, -EOPNOTSUPP, place->off_at.len ? place->off_at : place->at, "on this kernel a probe on this nop of five bytes "
		      "writes into the program's stack, where the function may keep its data");
	diag_note(r->diag, "help: probe the instruction behind it, %s:0x%" PRIx64 ", which also runs where a jump leads there", place->path, next);
	return err;
}

int resolve_user(struct resolver *r, struct target *ret)
{
	const struct place *place = &r->def->place;
	struct target t = { .is_return = r->def->kind == DEF_RETURN, .file_off = place->addr, .ref_ctr = place->ref_ctr };
	struct program *program;
	struct diag why = { 0 };
	int err = user_program(r->def, r->facts, &program, r->diag);

	if (!err && place->symbol)
		err = find_function(r, program, &t);
	else if (!err)
		name_offset(program, &t);
	if (err)
		return err;
	err = program_boundary(program, t.file_off, &t.doubt, &why);
	if (err)
		return refuse(r->diag, place->off_at.len ? place->off_at : place->symbol_at, err, &why);
	if (place->provider)		/* the compiler has put an instruction there for this */
		t.doubt = NULL;
	t.replaced = program->replaced;
	t.is_go = program_is_go(program);
	t.throws = t.is_return && program_throws(program);
	if (t.is_go && t.is_return)
		return refuse_go(r);
	err = avoid_nop(r, program, &t);
	if (err)
		return err;
	t.path = program->path;
	t.site_name = program->shown;
	r->file_off = t.file_off;
	*ret = t;
	return 0;
}
