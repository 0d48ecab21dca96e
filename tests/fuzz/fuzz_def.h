/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fuzz_def.h - further rules for the parsers of definitions (see fuzz.h): what is accepted has its parts
 * inside the text, and is printed as something that kprobe_events accepts and that prints the same.
 */
#ifndef FUZZ_DEF_H
#define FUZZ_DEF_H

#include <errno.h>

#include "fuzz.h"
#include "lang/kprobe.h"

static void check_spans(const struct probe_def *def)
{
	check_span(def->head_at, def->text);
	check_span(def->place.at, def->text);
	for (unsigned i = 0; i < def->nr_args; i++) {
		const struct arg *arg = &def->args[i];

		require(arg->name && arg->expr, "argument without name or expression", def->text);
		check_span(arg->at, def->text);
		check_span(arg->body_at, def->text);
		check_span(arg->type.at, def->text);
		for (const struct expr *e = arg->expr; e; e = e->inner)
			check_span(e->at, def->text);
		require(arg->type.kind != TYPE_BUFFER || !arg->type.length == !!arg->type.bytes, "a buffer with no length, or with two", def->text);
		for (const struct expr *e = arg->type.length ? arg->type.length->expr : NULL; e; e = e->inner)
			check_span(e->at, def->text);
	}
}

/* @printed came from @from; parsed, it must print the same. */
static void check_again(const char *printed, const char *from, int tree)
{
	struct arena arena = { 0 };
	struct probe_def *def = NULL;
	struct diag d = { 0 };
	struct buf again = { 0 };
	int err = kprobe_parse(&arena, printed, &def, &d);

	/* Canonical numbers and explicit names may be longer than what was typed. */
	if (!err) {
		require(def != NULL, "printed as nothing", from);
		def->from_tree = tree;
		def_print(def, &again);
		require(!strcmp(buf_str(&again), printed), "printed differently again", printed);
	} else {
		require(strlen(printed) > LANG_MAX_LINE || (tree && err == -E2BIG),
			"printed as what is refused", printed);
	}
	buf_fini(&again);
	diag_fini(&d);
	arena_fini(&arena);
}

#endif
