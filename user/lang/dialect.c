// SPDX-License-Identifier: GPL-2.0-only
/*
 * dialect.c - a definition in whichever of its languages.
 */
#include "lang/dialect.h"

#include <errno.h>

#include "lang/funcev.h"
#include "lang/kprobe.h"
#include "lang/legacy.h"
#include "lang/parse.h"

static const char *const dialect_names[DIALECT_COUNT + 1] = {
	[DIALECT_KPROBE] = "kprobe", [DIALECT_RFC_V2] = "rfc-v2", [DIALECT_V13] = "v13",
	[DIALECT_FUNCTION] = "function", [DIALECT_DETECT] = "detect",
};

const char *dialect_name(enum dialect dialect)
{
	return dialect_names[dialect];
}

bool dialect_find(const char *name, enum dialect *ret)
{
	for (unsigned i = 0; i < DIALECT_COUNT; i++) {
		if (!strcmp(dialect_names[i], name)) {
			*ret = (enum dialect)i;
			return true;
		}
	}
	return false;
}

static int parse_as(struct arena *arena, const char *text, enum dialect dialect,
		    struct probe_def **ret_def, struct diag *diag)
{
	switch (dialect) {
	case DIALECT_RFC_V2:
	case DIALECT_V13:
		return legacy_parse(arena, text, dialect, ret_def, diag);
	case DIALECT_FUNCTION:
		return funcev_parse(arena, text, ret_def, diag);
	default:
		return kprobe_parse(arena, text, ret_def, diag);
	}
}

/* ---- detection ---- */

/* What of @text tells its dialect: words that some of them have, and a0. */
static bool has_legacy_words(struct arena *arena, const char *text, bool *ret_a0)
{
	struct parse p = { .arena = arena, .text = text };
	struct words words = words_split(&p);
	bool found = false;

	*ret_a0 = false;
	for (unsigned i = 2; i < words.nr; i++) {
		found = found || legacy_is_word(&p, words.at[i]);
		*ret_a0 = *ret_a0 || legacy_is_a0(&p, words.at[i]);
	}
	return found;
}

/* The definition in that dialect; NULL: it is none there. Without words. */
static struct probe_def *try_as(struct arena *arena, const char *text, enum dialect dialect)
{
	struct probe_def *def = NULL;
	struct diag why = { 0 };

	if (parse_as(arena, text, dialect, &def, &why))
		def = NULL;
	diag_fini(&why);
	return def;
}

static void add_reading(const struct probe_def *def, struct buf *out)
{
	buf_addf(out, "%s --dialect=%s reads ", out->len ? "     " : "help:", dialect_name(def->dialect));
	def_print(def, out);
	buf_addc(out, '\n');
}

/* The readings as lines, in the arena. */
static const char *readings_of(struct arena *arena, const struct probe_def *const *defs, unsigned nr)
{
	struct buf text = { 0 };
	const char *copy;

	for (unsigned i = 0; i < nr; i++) {
		if (defs[i])
			add_reading(defs[i], &text);
	}
	copy = arena_strdup(arena, buf_str(&text));
	buf_fini(&text);
	return copy;
}

static int refuse_several(struct arena *arena, const char *text, const struct probe_def *const *defs,
			  struct diag *diag)
{
	struct span args = defs[0]->nr_args ? defs[0]->args[0].at : defs[0]->head_at;
	int err;

	diag->text = arena_strdup(arena, text);
	err = diag_at(diag, -EINVAL, args, "this has two readings: say which with --dialect");
	diag_note_lines(diag, readings_of(arena, defs, 2));
	return err;
}

/* p and r lines with words that kprobe_events takes for names of parameters, if anything. */
static int parse_words(struct arena *arena, const char *text, bool a0, struct probe_def **ret_def,
		       struct diag *diag)
{
	struct probe_def *legacy[] = {
		try_as(arena, text, DIALECT_RFC_V2), try_as(arena, text, DIALECT_V13),
	};
	struct probe_def *only = legacy[0] && legacy[1] ? NULL : legacy[0] ? legacy[0] : legacy[1];
	int err;

	if (only && a0) {
		only->detected = true;
		*ret_def = only;
		return 0;
	}
	err = kprobe_parse(arena, text, ret_def, diag);
	if (!err) {
		if (legacy[0] || legacy[1])
			(*ret_def)->readings = readings_of(arena, (const struct probe_def *const *)legacy, 2);
		return 0;
	}
	if (legacy[0] && legacy[1]) {
		diag_fini(diag);
		return refuse_several(arena, text, (const struct probe_def *const *)legacy, diag);
	}
	if (!only)
		return err;
	diag_fini(diag);
	only->detected = true;
	*ret_def = only;
	return 0;
}

static int parse_detected(struct arena *arena, const char *text, struct probe_def **ret_def, struct diag *diag)
{
	bool a0;
	int err;

	if (funcev_looks_like(text)) {
		err = funcev_parse(arena, text, ret_def, diag);
		if (!err)
			(*ret_def)->detected = true;
		return err;
	}
	return has_legacy_words(arena, text, &a0) ? parse_words(arena, text, a0, ret_def, diag)
						  : kprobe_parse(arena, text, ret_def, diag);
}

int dialect_parse(struct arena *arena, const char *text, enum dialect wanted,
		  struct probe_def **ret_def, struct diag *diag)
{
	if (text[strspn(text, PARSE_SPACE)] == '-')
		return kprobe_parse(arena, text, ret_def, diag);
	if (wanted == DIALECT_DETECT)
		return parse_detected(arena, text, ret_def, diag);
	return parse_as(arena, text, wanted, ret_def, diag);
}

/* ---- remarks ---- */

static bool is_syscall_name(const char *symbol)
{
	return symbol && (!strncmp(symbol, "sys_", 4) || !strncmp(symbol, "SyS_", 4));
}

static void add_remark(const struct probe_def *def, const struct arg *arg, struct buf *out)
{
	const char *separator = out->len ? "; " : "";

	if (arg->expr->kind == EXPR_SUM)
		buf_addf(out, "%s%s is this + %lld, which kprobe_events cannot add", separator, arg->name,
			 (long long)arg->expr->off);
	else if (arg->type.kind == TYPE_CHAR && arg->type.count)
		buf_addf(out, "%s%s is a text", separator, arg->name);
	else if (def->dialect == DIALECT_FUNCTION && arg->label)
		buf_addf(out, "%s%s has the name %s", separator, arg->name, arg->label);
}

void dialect_print_remarks(const struct probe_def *def, struct buf *out)
{
	struct buf text = { 0 };

	if (def->dialect == DIALECT_KPROBE)
		return;
	if (is_syscall_name(def->place.symbol))
		buf_addf(&text, "%s is a system call, and bprobe fetches its own parameters", def->place.symbol);
	for (unsigned i = 0; i < def->nr_args; i++)
		add_remark(def, &def->args[i], &text);
	buf_adds(out, buf_str(&text));
	buf_fini(&text);
}
