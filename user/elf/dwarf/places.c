// SPDX-License-Identifier: GPL-2.0-only
/*
 * places.c - the addresses of a source line, or of a function with all its inlined copies.
 *
 * The rules are those of perf probe (6.12, tools/perf/util/dwarf-aux.c, die_walk_lines()): a line is at each row of the line table
 * that begins a statement, at the entry of a function that is declared in this line, and where a function that is called in this
 * line is inlined.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/macros.h"
#include "elf/dwarf/places_priv.h"

enum { DEEPEST = 256 };

static void add_spot(struct finder *f, const struct spot *s)
{
	f->spots = arena_grow(f->d->arena, f->spots, f->nr, &f->size);
	f->spots[f->nr++] = *s;
}

/* ---- functions ---- */

/* Its own name is looked for, without the namespaces and classes. */
static void want_function(struct debug *d, const char *name)
{
	const char *own = debug_own_name(name);

	debug_want_names(d, &own, 1);
}

bool die_begin(Dwarf_Die *die, Dwarf_Addr *ret)
{
	Dwarf_Addr base, start, end;

	if (!dwarf_entrypc(die, ret))
		return true;
	if (dwarf_ranges(die, 0, &base, &start, &end) <= 0)
		return false;
	*ret = start;
	return true;
}

typedef void (*walk_fn)(struct finder *f, Dwarf_Die *die, Dwarf_Die *around);

static void walk_inside(struct finder *f, Dwarf_Die *die, Dwarf_Die *around, walk_fn fn, unsigned depth)
{
	Dwarf_Die child;
	int err = depth < DEEPEST ? dwarf_child(die, &child) : 1;

	for (; !err; err = dwarf_siblingof(&child, &child)) {
		switch (dwarf_tag(&child)) {
		case DW_TAG_subprogram:
			fn(f, &child, NULL);
			walk_inside(f, &child, &child, fn, depth + 1);
			break;
		case DW_TAG_inlined_subroutine:
			fn(f, &child, around);
			walk_inside(f, &child, &child, fn, depth + 1);
			break;
		case DW_TAG_lexical_block:
		case DW_TAG_try_block:
		case DW_TAG_catch_block:
			walk_inside(f, &child, around, fn, depth + 1);
			break;
		default:
			break;
		}
	}
}

/* Calls @fn for each function of the unit, and for each inlined one inside; @around: what this one is inlined into, or NULL. */
static void walk(struct finder *f, walk_fn fn)
{
	struct lines_unit *u = f->unit;
	Dwarf_Addr begin;

	unit_functions(f->d, u);
	for (unsigned i = 0; i < u->nr_functions; i++) {
		Dwarf_Die *die = &u->functions[i].die;

		fn(f, die, NULL);
		if (die_begin(die, &begin))		/* else it is the description for all copies */
			walk_inside(f, die, die, fn, 0);
	}
}

static void push(struct finder *f, struct spot *s, Dwarf_Die *die)
{
	Dwarf_Die *path = arena_array(f->d->arena, Dwarf_Die, s->nr + 1);

	if (s->nr)
		memcpy(path, s->path, s->nr * sizeof(*path));
	path[s->nr++] = *die;
	s->path = path;
}

/* The spot is in @die, whatever is inlined in there. The entry of an inlined function need not be among its addresses. */
static void add_in(struct finder *f, Dwarf_Die *die, Dwarf_Addr addr)
{
	struct spot s = { .unit = f->unit, .addr = addr };
	Dwarf_Attribute attr;
	Dwarf_Word view = 0;
	unsigned nr = 0;

	if (!spot_find(f->d, &s))
		return;
	s.file = die_file(die);
	s.line = die_line(die);
	s.is_start = dwarf_tag(die) == DW_TAG_subprogram && !f->q->off;
	s.has_view = s.is_start || !dwarf_formudata(dwarf_attr(die, DW_AT_GNU_entry_view, &attr), &view);
	s.view = s.is_start ? 0 : view;
	while (nr < s.nr && s.path[nr].addr != die->addr)
		nr++;
	if (s.function.addr == die->addr)
		s.nr = 0;
	else if (nr < s.nr)
		s.nr = nr + 1;
	else
		push(f, &s, die);
	add_spot(f, &s);
}

static void take_entry(struct finder *f, Dwarf_Die *die, Dwarf_Die *around)
{
	Dwarf_Addr addr;

	if (!named_has(f, die))
		return;
	f->known = true;
	if (!die_begin(die, &addr))
		return;
	f->has_code = true;
	/* Bytes behind the entry mean the function's own code. */
	if (around && f->q->off)
		return;
	if (around && (f->q->is_return || f->q->no_inline))
		return;
	/* The compiler may divide a function, and inline its second part into its first: that is the same call. */
	if (around && named_has(f, around))
		return;
	add_in(f, die, addr + f->q->off);
}

/* ---- lines ---- */

static void note_line(struct finder *f, unsigned line)
{
	unsigned at = line - (f->q->function ? f->base : 0);

	if (at < f->q->line && at > f->below)
		f->below = at;
	if (at > f->q->line && (!f->above || at < f->above))
		f->above = at;
}

/* Is the innermost function at @s one of the named ones? A macro may have declared two functions in one line, one inlined into the other. */
static bool is_in_named(const struct finder *f, struct spot *s)
{
	unsigned line = 0;

	for (unsigned i = s->nr; i-- > 0;) {
		if (dwarf_tag(&s->path[i]) != DW_TAG_inlined_subroutine)
			continue;
		if (line && die_line(&s->path[i]) != line)
			return false;
		if (named_has(f, &s->path[i]))
			return true;
		line = die_line(&s->path[i]);
		if (!line)
			return false;
	}
	return named_has(f, &s->function) && (!line || die_line(&s->function) == line);
}

/* Is it one of the lines that are wanted, if there are several? */
static bool is_number(const struct lines_query *q, unsigned line)
{
	unsigned i = 0;

	while (i < q->nr_numbers && q->numbers[i] != line)
		i++;
	return !q->nr_numbers || i < q->nr_numbers;
}

/* The number is looked at first: it is the same for few, and the name of a file costs more. */
static bool may_be_line(const struct finder *f, unsigned line)
{
	return line && (f->any_line ? is_number(f->q, line) : line == f->line);
}

/* Is this the file of the lines that are looked for? */
static bool is_in_file(const struct finder *f, const char *file)
{
	return f->q->function || !f->wanted_file ? debug_ends(file, f->file) : file_is_wanted(f, file);
}

static bool is_line(struct finder *f, const char *file, unsigned line)
{
	if (!file || !may_be_line(f, line) || !is_in_file(f, file))
		return false;
	f->line = line;
	return true;
}

/* Is the function @die, which is inlined, called in the line? */
static bool is_called_there(struct finder *f, Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	Dwarf_Word file, line;
	Dwarf_Files *files;
	size_t nr;

	return !dwarf_formudata(dwarf_attr(die, DW_AT_call_line, &attr), &line) && line <= INT_MAX && may_be_line(f, (unsigned)line) &&
	       !dwarf_formudata(dwarf_attr(die, DW_AT_call_file, &attr), &file) && !dwarf_getsrcfiles(&f->unit->die, &files, &nr) &&
	       file < nr && is_line(f, dwarf_filesrc(files, file, NULL, NULL), (unsigned)line);
}

/* The line at which the function @die is declared, if that is in the file and not behind the line; else 0. */
static unsigned begins_before(const struct finder *f, Dwarf_Die *die)
{
	const char *file = die_file(die);
	unsigned line = die_line(die);

	return file && is_in_file(f, file) && line <= f->line ? line : 0;
}

/*
 * The line belongs to one of the functions around the address. That need not be the innermost function: the line may call what is
 * inlined there. Of those functions, the line belongs to the one whose declaration is the last before the line. A part of a function may
 * be inlined into the function itself: then it belongs to the part.
 */
static void leave_called(struct finder *f, struct spot *s)
{
	unsigned best = begins_before(f, &s->function), nr = best ? 0 : s->nr;

	for (unsigned i = 0; i < s->nr; i++) {
		unsigned begins = dwarf_tag(&s->path[i]) == DW_TAG_inlined_subroutine ? begins_before(f, &s->path[i]) : 0;

		if (begins && begins >= best)
			best = begins;
		else if (begins || dwarf_tag(&s->path[i]) != DW_TAG_lexical_block || nr != i)
			continue;
		nr = i + 1;
	}
	s->nr = nr;
}

static void add_outside(struct finder *f, const struct spot *s)
{
	f->outside = arena_grow(f->d->arena, f->outside, f->nr_outside, &f->size_outside);
	f->outside[f->nr_outside++] = *s;
}

/* A line that begins at @addr is one of the copy @die, which has no code there. */
static void take_outside(struct finder *f, Dwarf_Die *die, Dwarf_Addr addr, bool is_behind)
{
	for (unsigned i = 0; i < f->nr_outside; i++) {
		struct spot s = f->outside[i];

		if (s.addr != addr || s.is_taken)
			continue;
		f->outside[i].is_taken = true;
		s.is_behind = is_behind;
		push(f, &s, die);
		add_spot(f, &s);
	}
}

/*
 * An inlined copy may be entered, or gone on with, where none of its instructions is left: its range there is empty. gcc also puts its last
 * statement just behind its range, if the code of this statement is also that of the caller's next one.
 */
static void take_edges(struct finder *f, Dwarf_Die *die, Dwarf_Addr entry)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t i = 0;

	take_outside(f, die, entry, false);
	while ((i = dwarf_ranges(die, i, &base, &start, &end)) > 0)
		take_outside(f, die, end, start < end);
}

/* Is it declared where the lines are counted from? */
static bool is_declared_there(const struct finder *f, Dwarf_Die *die)
{
	const char *file = die_file(die);

	return file && die_line(die) == f->base && !strcmp(file, f->file);
}

/* Is the spot in another function that is declared in the same line, as those that are made of a template are? */
static bool is_in_twin(const struct finder *f, const struct spot *s)
{
	Dwarf_Die function = s->function;

	for (unsigned i = s->nr; i-- > 0;) {
		if (dwarf_tag(&s->path[i]) == DW_TAG_inlined_subroutine && is_declared_there(f, &s->path[i]))
			return true;
	}
	return is_declared_there(f, &function);
}

/* What is left of the lines outside: code that was moved out of all ranges of the function. */
static void take_moved(struct finder *f)
{
	/* gc, the compiler of Go, moves nothing out of a function. It does not say where inlined functions are declared, so their lines would be taken. */
	if (dwarf_srclang(&f->unit->die) == DW_LANG_Go)
		return;
	for (unsigned i = 0; i < f->nr_outside; i++) {
		struct spot s = f->outside[i];

		s.is_moved = true;
		if (!s.is_taken && !is_in_twin(f, &s))
			add_spot(f, &s);
	}
}

static void take_address(struct finder *f, Dwarf_Addr addr)
{
	struct spot s = { .unit = f->unit, .addr = addr, .file = f->file, .line = f->line };

	if (!spot_find(f->d, &s))
		return;
	leave_called(f, &s);
	if (!f->only_named || is_in_named(f, &s))
		add_spot(f, &s);
	else if (f->line >= f->base && f->line < f->next)
		add_outside(f, &s);
}

/* Lines that the table need not have: where a function is declared, and where an inlined one is called. */
static void take_line_of(struct finder *f, Dwarf_Die *die, Dwarf_Die *around)
{
	bool is_called = around && is_called_there(f, die);
	Dwarf_Addr addr;
	unsigned line;

	if (is_called) {
		if (die_begin(die, &addr))
			take_address(f, addr);
		if (!f->any_line)
			return;
	}
	line = die_line(die);
	if (may_be_line(f, line) && is_line(f, die_file(die), line) && die_begin(die, &addr))
		take_address(f, addr);
	if (f->only_named && around && named_has(f, die) && die_begin(die, &addr))
		take_edges(f, die, addr);
}

/* Is the line one of the named function? */
static bool is_of_named(const struct finder *f, Dwarf_Addr addr, unsigned line)
{
	struct spot s = { .unit = f->unit, .addr = addr };

	return line >= f->base && spot_find(f->d, &s) && is_in_named(f, &s);
}

/* A relative path is one from the directory where the compiler ran. */
static void note_path(struct finder *f, const char *file)
{
	Dwarf_Attribute attr;
	const char *dir = *file == '/' ? NULL : dwarf_formstring(dwarf_attr(&f->unit->die, DW_AT_comp_dir, &attr));

	if (file == f->noted_file)
		return;
	f->noted_file = file;
	file = dir ? arena_printf(f->d->arena, "%s/%s", dir, path_without_dot(file)) : file;
	for (unsigned i = 0; i < f->nr_files; i++) {
		if (!strcmp(f->files[i], file))
			return;
	}
	f->files = arena_grow(f->d->arena, f->files, f->nr_files, &f->size_files);
	f->files[f->nr_files++] = file;
}

static void find_line(struct finder *f)
{
	Dwarf_Lines *lines;
	size_t nr;

	if (dwarf_getsrclines(&f->unit->die, &lines, &nr))
		return;
	f->nr_outside = 0;
	for (size_t i = 0; i < nr; i++) {
		Dwarf_Line *row = dwarf_onesrcline(lines, i);
		bool end, begins;
		const char *file;
		Dwarf_Addr addr;
		int line;

		if (!row || dwarf_lineno(row, &line) || dwarf_lineaddr(row, &addr) || dwarf_lineendsequence(row, &end) || end ||
		    dwarf_linebeginstatement(row, &begins) || !begins || line <= 0)
			continue;
		file = dwarf_linesrc(row, NULL, NULL);
		if (!file || !is_in_file(f, file))
			continue;
		f->known = true;
		if (is_line(f, file, (unsigned)line)) {
			note_path(f, file);
			take_address(f, addr);
		} else if (!f->only_named || (f->notes && is_of_named(f, addr, (unsigned)line)))
			note_line(f, (unsigned)line);
	}
	walk(f, take_line_of);
	take_moved(f);
}

/* ---- which place ---- */

/* C has no function inside another: a line belongs to the last function that is declared before it. */
unsigned unit_next_function(struct debug *d, struct lines_unit *u, const char *file, unsigned line)
{
	unsigned next = UINT_MAX;

	unit_functions(d, u);
	for (unsigned i = 0; i < u->nr_functions; i++) {
		Dwarf_Die *die = &u->functions[i].die;
		unsigned at = dwarf_hasattr(die, DW_AT_declaration) ? 0 : die_line(die);
		const char *in = at > line && at < next ? die_file(die) : NULL;

		if (in && !strcmp(in, file))
			next = at;
	}
	return next;
}

/* Several functions may have the name (C++): each counts its lines from its own declaration. */
static void find_lines_of_named(struct finder *f)
{
	Dwarf_Die *all = f->named;
	unsigned nr = f->nr_named;
	bool *done = arena_array(f->d->arena, bool, nr);

	f->named = arena_array(f->d->arena, Dwarf_Die, nr);
	for (unsigned i = 0; i < nr; i++) {
		if (done[i] || !die_line(&all[i]) || !die_file(&all[i])) {
			f->undeclared |= !done[i];
			continue;
		}
		if (f->base && f->base != die_line(&all[i]))
			f->other_base = die_line(&all[i]);
		f->file = die_file(&all[i]);
		f->base = die_line(&all[i]);
		f->line = f->base + f->q->line;
		f->nr_named = 0;
		for (unsigned n = i; n < nr; n++) {
			if (done[n] || !is_declared_there(f, &all[n]))
				continue;
			done[n] = true;
			f->named[f->nr_named++] = all[n];
		}
		f->next = unit_next_function(f->d, f->unit, f->file, f->base);
		find_line(f);
	}
	f->named = all;
	f->nr_named = nr;
}

static int by_address(const void *a, const void *b)
{
	const struct spot *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* Is this the start of a symbol with the function's own name? The address may have more names. */
static bool is_at_symbol(struct finder *f, const struct spot *s)
{
	const char *name = f->q->function;

	/* That of C++ is mangled: named_find() has looked at it. */
	return !s->nr && (debug_own_name(name) > name ? debug_starts_symbol(f->d, s->addr) : debug_has_symbol(f->d, name, s->addr));
}

/* Other functions may have the name, too. Copies of one are declared at the same line as it. */
static void leave_namesakes(struct finder *f)
{
	const struct spot *of = f->spots, *end = f->spots + f->nr;
	unsigned nr = 0;

	while (of < end && !is_at_symbol(f, of))
		of++;
	for (unsigned i = 0; of < end && i < f->nr; i++) {
		const struct spot *s = &f->spots[i];

		if (s->line == of->line && s->file && of->file && !strcmp(s->file, of->file))
			f->spots[nr++] = *s;
	}
	f->nr = nr;
}

/*
 * The compiler may divide a function: its beginning is inlined into the callers, and calls the rest, FUNCTION.part.0. So the rest is
 * no call of its own.
 */
static void leave_parts(struct finder *f)
{
	unsigned nr = 0;

	for (unsigned i = 0; f->nr > 1 && i < f->nr; i++) {
		uint64_t off;
		const char *symbol = f->spots[i].nr ? NULL : debug_symbol_at(f->d, f->spots[i].addr, &off);

		if (!symbol || !strstr(symbol, ".part."))
			f->spots[nr++] = f->spots[i];
	}
	f->nr = nr ? nr : f->nr;
}

/* Has the copy that @s is in a spot at its entry, which is another one? */
static bool is_behind_entry(const struct finder *f, const struct spot *s)
{
	Dwarf_Die copy = spot_function(s), at_entry;
	struct spot key = { 0 };
	const struct spot *entry;

	if (!die_begin(&copy, &key.addr) || key.addr == s->addr)
		return false;
	entry = bsearch(&key, f->spots, f->nr, sizeof(key), by_address);
	if (!entry)
		return false;
	at_entry = spot_function(entry);
	return at_entry.addr == copy.addr;
}

/* Line 0 is the declaration's, and means the entry. The compiler may begin a statement of this line again, behind the entry. */
static void leave_behind_entry(struct finder *f)
{
	enum { EACH = 128 };
	struct spot *left = arena_array(f->d->arena, struct spot, f->nr);
	unsigned nr = 0;

	for (unsigned i = 0; i < f->nr; i++) {
		if (!is_behind_entry(f, &f->spots[i]))
			left[nr++] = f->spots[i];
		if (i % EACH == EACH - 1)
			debug_forget(f->d);
	}
	f->spots = left;
	f->nr = nr;
}

/* One function has many spots, one after the other. */
static void leave_overridden(struct finder *f)
{
	const char *overridden = NULL;
	const void *last = NULL;
	unsigned nr = 0;

	for (unsigned i = 0; i < f->nr; i++) {
		if (f->spots[i].function.addr != last)
			overridden = debug_overridden(f->d, &f->spots[i]);
		last = f->spots[i].function.addr;
		if (overridden)
			f->overridden = overridden;
		else
			f->spots[nr++] = f->spots[i];
	}
	f->nr = nr;
}

static void sort_spots(struct finder *f)
{
	unsigned nr = 0;

	if (f->nr)
		qsort(f->spots, f->nr, sizeof(*f->spots), by_address);
	for (unsigned i = 0; i < f->nr; i++) {
		if (!nr || f->spots[nr - 1].addr != f->spots[i].addr)
			f->spots[nr++] = f->spots[i];
	}
	f->nr = nr;
}

/*
 * A unit has its files relative to the directory of the compiler, which may itself be relative (Debian's kernels). Of a path that begins with
 * that directory, or with the end of it, the rest is the unit's path of the file. NULL: it does not begin so.
 */
static const char *rest_in_unit(struct finder *f, const char *file)
{
	Dwarf_Attribute attr;
	const char *dir = dwarf_formstring(dwarf_attr(&f->unit->die, DW_AT_comp_dir, &attr)), *rest = NULL;

	for (const char *slash = dir ? strchr(file, '/') : NULL; slash; slash = strchr(slash + 1, '/')) {
		const char *head = arena_strndup(f->d->arena, file, (size_t)(slash - file));

		if (*head && strcmp(head, ".") && debug_ends(dir, head))
			rest = slash + 1;
	}
	return rest;
}

static void find_all(struct finder *f)
{
	enum { EACH = 16 };
	const struct lines_query *q = f->q;
	unsigned nr = 0;

	for (unsigned i = 0; i < f->d->nr_units; i++) {
		f->unit = &f->d->units[i];
		if (!f->unit->wanted)
			continue;
		if (++nr % EACH == 0)
			debug_forget(f->d);
		f->wanted_file = q->file ? path_without_dot(q->file) : NULL;
		f->wanted_rest = q->file ? rest_in_unit(f, q->file) : NULL;
		f->noted_file = NULL;
		if (!q->function)
			f->file = f->wanted_file;
		f->nr_named = 0;
		if (q->function)
			named_find(f);
		if (q->function && !f->nr_named)
			continue;
		if (!q->function)
			find_line(f);
		else if (!q->has_line && !f->any_line)
			walk(f, take_entry);
		else
			find_lines_of_named(f);
	}
}

unsigned spots_find(struct debug *d, const struct lines_query *q, struct spot **ret, struct lines_answer *a)
{
	struct finder f = { .d = d, .q = q, .file = q->file, .line = q->line, .any_line = q->nr_numbers, .only_named = q->function };
	const struct lines_query as_file = { .want = q->want, .file = q->function, .has_line = true, .line = q->line };

	if (q->function)
		want_function(d, q->function);
	else
		debug_want_file(d, q->file);
	find_all(&f);
	/* What is in front of the line may be a file whose ending bprobe does not know (tg.go). */
	if (!f.known && !f.undeclared && q->function && q->has_line && !q->file) {
		f = (struct finder){ .d = d, .q = &as_file, .line = q->line };
		debug_want_file(d, q->function);
		find_all(&f);
		q = f.known ? &as_file : q;
		f.q = q;
	}
	f.notes = !f.nr && q->function && q->has_line;
	if (f.notes)
		find_all(&f);
	if (q->is_symbol && !q->has_line && !q->nr_numbers)
		leave_namesakes(&f);
	sort_spots(&f);
	leave_overridden(&f);
	debug_forget(d);
	if (q->function && q->has_line && !q->line && !q->nr_numbers)
		leave_behind_entry(&f);
	if (!q->has_line && !q->off && !q->nr_numbers)
		leave_parts(&f);
	if (!f.nr)
		spots_explain(&f, &a->trouble, &a->help, &a->is_known);
	if (f.nr_files > 1) {
		a->files = f.files;
		a->nr_files = f.nr_files;
	}
	*ret = f.spots;
	return f.nr;
}

/* ---- all lines ---- */

static int by_number(const void *a, const void *b)
{
	unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;

	return x < y ? -1 : x > y;
}

void spots_list(struct debug *d, const struct lines_query *q, struct lines_answer *ret)
{
	struct finder f = { .d = d, .q = q, .file = q->file, .any_line = true, .only_named = q->function };
	unsigned nr = 0;

	if (q->function)
		want_function(d, q->function);
	else
		debug_want_file(d, q->file);
	find_all(&f);
	leave_overridden(&f);
	if (!f.nr) {
		spots_explain(&f, &ret->trouble, &ret->help, &ret->is_known);
		return;
	}
	if (f.nr_files > 1 || f.other_base) {
		ret->trouble = f.nr_files > 1 ? arena_printf(d->arena, "several files are meant: %s and %s", f.files[0], f.files[1])
					      : arena_printf(d->arena, "several functions are called %s", q->function);
		ret->help = !q->function ? "write more of the path" : f.nr_files > 1 ? "write FUNCTION@FILE, with more of the path" :
			    "name the lines by their file: FILE:FROM-TO";
		return;
	}
	ret->path = arena_strdup(d->arena, f.nr_files ? f.files[0] : "");
	ret->base = f.base;
	ret->lines = arena_array(d->arena, unsigned, f.nr);
	for (unsigned i = 0; i < f.nr; i++)
		ret->lines[i] = f.spots[i].line;
	qsort(ret->lines, f.nr, sizeof(*ret->lines), by_number);
	/* A row may have the line of a macro in front of the function. */
	for (unsigned i = 0; i < f.nr; i++) {
		if (ret->lines[i] >= f.base && (!nr || ret->lines[nr - 1] != ret->lines[i]))
			ret->lines[nr++] = ret->lines[i];
	}
	ret->nr_lines = nr;
	if (!nr)
		ret->trouble = arena_printf(d->arena, "%s has no line with code", spots_name(&f));
}

unsigned spots_around(struct debug *d, const struct spot *s, struct spot **ret)
{
	const struct lines_query q = { .want = LINES_WITH_CODE };
	struct finder f = { .d = d, .q = &q, .unit = s->unit, .any_line = true, .only_named = true };
	Dwarf_Die function = spot_function(s);

	f.file = die_file(&function);
	f.base = die_line(&function);
	if (!f.file)
		return 0;
	named_add(&f, &function);
	*f.named = die_origin(&function);
	f.next = unit_next_function(f.d, f.unit, f.file, f.base);
	find_line(&f);
	*ret = f.spots;
	return f.nr;
}
