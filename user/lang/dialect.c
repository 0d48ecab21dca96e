// SPDX-License-Identifier: GPL-2.0-only
/*
 * dialect.c - a definition in any of the languages.
 */
#include "lang/dialect.h"

#include <errno.h>

#include "arch/kernel.h"
#include "lang/def_words.h"
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

bool dialect_is_untyped(enum dialect dialect)
{
	return dialect == DIALECT_RFC_V2 || dialect == DIALECT_V13;
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

/* Does @text have words of the old dialects? They show its dialect. *ret_a0: a0 is one of them. */
static bool has_legacy_words(struct arena *arena, const char *text, bool *ret_a0)
{
	struct parse p = { .arena = arena, .text = text };
	struct def_words words = def_words_split(&p);
	bool found = false;

	*ret_a0 = false;
	for (unsigned i = 2; i < words.nr; i++) {
		found = found || legacy_is_word(&p, words.at[i]);
		*ret_a0 = *ret_a0 || legacy_is_a0(&p, words.at[i]);
	}
	return found;
}

/* The definition in that dialect; NULL: @text is not valid there. Prints no message. */
static struct probe_def *try_as(struct arena *arena, const char *text, enum dialect dialect)
{
	struct probe_def *def = NULL;
	struct diag why = { 0 };

	if (parse_as(arena, text, dialect, &def, &why))
		def = NULL;
	diag_fini(&why);
	return def;
}

bool dialect_is_vague(const struct probe_def *as)
{
	return legacy_find_vague(as);
}

struct probe_def *dialect_take(struct probe_def *as)
{
	as->detected = as->dialect != DIALECT_KPROBE;
	as->readings = NULL;
	return as;
}

static void note_reading(const struct probe_def *as, bool first, struct diag *diag)
{
	struct buf text = { 0 };

	def_print(as, &text);
	diag_note(diag, "%s --dialect=%s reads %s", first ? "help:" : "     ", dialect_name(as->dialect), buf_str(&text));
	buf_fini(&text);
}

/* Only one reading is left, but the user may not mean it. Returns the result of diag_at(). */
static int refuse_vague(const struct probe_def *as, struct diag *diag)
{
	const struct arg *vague = legacy_find_vague(as);
	int err = diag_at(diag, -EINVAL, vague->at, "'%.*s' is a word of rfc-v2, which is read only with --dialect=rfc-v2",
			  (int)vague->at.len, as->text + vague->at.off);

	if (as->text[vague->at.off] == 'r')
		diag_note(diag, "help: a register of kprobe_events begins with %%, as in %s and %s", REG_NAME_NUMBERED, REG_NAME_FIRST);
	return err;
}

int dialect_refuse(const struct probe_def *def, const char *no_names, struct diag *diag)
{
	bool names = def->readings[DIALECT_KPROBE] && !no_names;
	unsigned nr = names, shown = 0;
	int err;

	for (unsigned i = DIALECT_KPROBE + 1; i < DIALECT_COUNT; i++)
		nr += def->readings[i] != NULL;
	diag->text = def->text;
	if (nr == 1)
		err = refuse_vague(def->readings[DIALECT_RFC_V2], diag);
	else
		err = diag_at(diag, -EINVAL, def->nr_args ? def->args[0].at : def->head_at,
			      "this can be read in %s ways: choose one with --dialect", nr == 2 ? "two" : "three");
	for (unsigned i = DIALECT_KPROBE + 1; i < DIALECT_COUNT; i++) {
		if (def->readings[i])
			note_reading(def->readings[i], !shown++, diag);
	}
	if (names)
		diag_note(diag, "      --dialect=kprobe reads the words as names of parameters");
	else if (def->readings[DIALECT_KPROBE])
		diag_note(diag, "      --dialect=kprobe would read the words as names of parameters, but %s", no_names);
	return err;
}

/* Text that is not valid in kprobe_events is another dialect's. a0 is one, too, unless BTF has a parameter of that name. */
static int parse_words(struct arena *arena, const char *text, bool a0, struct probe_def **ret_def,
		       struct diag *diag)
{
	struct probe_def **all = arena_array(arena, struct probe_def *, DIALECT_COUNT);
	struct probe_def *rfc_v2 = try_as(arena, text, DIALECT_RFC_V2), *v13 = try_as(arena, text, DIALECT_V13);
	struct probe_def *only = rfc_v2 && v13 ? NULL : rfc_v2 ? rfc_v2 : v13, *def = NULL;
	int err = kprobe_parse(arena, text, &def, diag);

	all[DIALECT_KPROBE] = def;
	all[DIALECT_RFC_V2] = rfc_v2;
	all[DIALECT_V13] = v13;
	if (err && !rfc_v2 && !v13)
		return err;
	if (err) {
		diag_fini(diag);
		if (only && !dialect_is_vague(only)) {
			*ret_def = dialect_take(only);
			return 0;
		}
		rfc_v2->readings = all;
		return dialect_refuse(rfc_v2, NULL, diag);
	}
	if (only && a0)
		def = dialect_take(only);
	if (rfc_v2 || v13)
		def->readings = all;
	*ret_def = def;
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
	char first = text[strspn(text, PARSE_SPACE)];

	if (first == '-' || first == '!')
		return kprobe_parse(arena, text, ret_def, diag);
	if (wanted == DIALECT_DETECT)
		return parse_detected(arena, text, ret_def, diag);
	return parse_as(arena, text, wanted, ret_def, diag);
}

/* ---- remarks ---- */

/* Was the program counter typed as a register? With ra and rp the user asks for the return address instead. */
static bool is_typed_ip(const struct probe_def *def, const struct expr *e)
{
	const char *typed = def->text + e->at.off;

	return def->dialect != DIALECT_FUNCTION && e->kind == EXPR_REG && e->reg == REG_IP &&
	       (*typed == '%' || char_is_digit(typed[1]));
}

/* Does a definition in an old dialect fetch the return address? */
static bool asks_caller(const struct probe_def *def)
{
	for (unsigned i = 0; i < def->nr_args; i++) {
		const struct expr *e = expr_innermost(def->args[i].expr);

		if (def->dialect != DIALECT_KPROBE && def->kind == DEF_RETURN && e->kind == EXPR_REG && e->reg == REG_IP)
			return true;
	}
	return false;
}

/*
 * A probe's handler has always seen the address behind its breakpoint (KPROBE_IP_BEHIND). But now an entry may begin with a
 * landing pad, and 6.12's return probes see the return address.
 */
static void add_ip_remark(const struct probe_def *def, const struct arg *arg, struct buf *out)
{
	const char *separator = out->len ? "; " : "";

	if (def->kind == DEF_RETURN)
		buf_addf(out, "%s%s is where the function returns to, and was the trampoline's address", separator, arg->name);
	else if (KPROBE_IP_BEHIND && def_reaches_args(def) && !def->place.off)
		buf_addf(out, "%s%s was %s+%d, and is %s+%d where that begins with %s", separator, arg->name, def->place.symbol,
			 KPROBE_IP_BEHIND, def->place.symbol, KPROBE_IP_BEHIND + ENTRY_PAD_SIZE, ENTRY_PAD_NAME);
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
	else if (is_typed_ip(def, expr_innermost(arg->expr)))
		add_ip_remark(def, arg, out);
}

void dialect_print_remarks(const struct probe_def *def, struct buf *out)
{
	struct buf text = { 0 };

	for (unsigned i = 0; def->dialect != DIALECT_KPROBE && i < def->nr_args; i++)
		add_remark(def, &def->args[i], &text);
	buf_adds(out, buf_str(&text));
	buf_fini(&text);
}

/* Adds a remark: "  # " stands in front of the first one, "; " between them. */
static void add_listed(struct buf *out, bool *first, const char *text)
{
	buf_addf(out, "%s%s", *first ? "  # " : "; ", text);
	*first = false;
}

void dialect_print_listed(const struct probe_def *def, bool faithful, struct buf *out)
{
	bool first = true;

	for (unsigned i = 0; i < def->nr_args; i++) {
		const struct arg *arg = &def->args[i];

		if (arg->expr->kind != EXPR_SUM)
			continue;
		add_listed(out, &first, arg->name);
		buf_addf(out, " is this + %lld", (long long)arg->expr->off);
	}
	if (faithful && asks_caller(def))
		add_listed(out, &first, "--faithful: " REG_NAME_IP " is the trampoline's address");
}
