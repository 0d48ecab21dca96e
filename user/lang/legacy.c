// SPDX-License-Identifier: GPL-2.0-only
/*
 * legacy.c - the p and r lines of 2009, whose arguments are words.
 */
#include "lang/filter.h"
#include "lang/legacy.h"

#include <errno.h>

#include "base/number.h"
#include "lang/def_words.h"
#include "lang/expr.h"
#include "lang/name.h"
#include "lang/place.h"
#include "lang/type.h"

struct vocabulary {
	const char *name;
	unsigned first_arg, last_arg;	/* N of aN */
	const char *caller;		/* the word for the return address */
	bool is_v13;
	const char *words;		/* all words, for help */
};

static const struct vocabulary vocabularies[DIALECT_COUNT] = {
	[DIALECT_RFC_V2] = {
		"rfc-v2", 1, LANG_MAX_STACK, "rp", false,
		"aN (from a1), rN, sN, mADDR, and in 'r' lines rv, rp",
	},
	[DIALECT_V13] = {	/* 16 is the source's own limit */
		"v13", 0, 16, "ra", true,
		"aN (from a0), sN, sa, %REG, @ADDR, @SYM, +-OFFS(...), and in 'r' lines rv, ra",
	},
};

static const struct vocabulary *vocabulary(const struct parse *p)
{
	return &vocabularies[p->def->dialect];
}

/* ---- words ---- */

/* Reads the number behind a word's letter. False: there is no number. */
static bool word_number(const struct parse *p, struct span at, uint64_t *ret)
{
	struct span digits = span_tail(at, 1);

	return digits.len && char_is_digit(*span_ptr(p, digits)) &&
	       !number_u64(span_ptr(p, digits), digits.len, 10, ret);
}

/* Argument @n from 0. If the place is not the entry, this is what the register or the stack word holds there. */
static int fetch_param(struct parse *p, struct span at, uint64_t n, struct expr *e)
{
	const struct vocabulary *v = vocabulary(p);

	if (n < v->first_arg || n > v->last_arg)
		return diag_at(p->diag, -EINVAL, at, "%s has the arguments a%u to a%u", v->name,
			       v->first_arg, v->last_arg);
	n -= v->first_arg;
	if (def_reaches_args(p->def)) {
		e->kind = EXPR_ARG;
		e->n = (unsigned)n + 1;
	} else if (n < REG_PARAMS) {
		e->kind = EXPR_REG;
		e->reg = reg_params[n];
	} else {
		e->kind = EXPR_STACKN;
		e->n = (unsigned)n - REG_PARAMS + STACK_PARAMS;
	}
	return 0;
}

static int fetch_stack(struct parse *p, struct span at, uint64_t n, struct expr *e)
{
	if (n > LANG_MAX_STACK)
		return diag_at(p->diag, -EINVAL, at, "the highest stack entry is s%d", LANG_MAX_STACK);
	e->kind = EXPR_STACKN;
	e->n = (unsigned)n;
	return 0;
}

/* The N-th word of struct pt_regs. The posting did not say which number is which register. */
static int fetch_register(struct parse *p, struct span at, uint64_t n, struct expr *e)
{
	int err;

	if (n < REG_COUNT) {
		e->kind = EXPR_REG;
		e->reg = (enum reg)n;
		return 0;
	}
	err = diag_at(p->diag, -EINVAL, at, "registers are numbered from r0 to r%d", REG_COUNT - 1);
	diag_note(p->diag, "help: in the order of struct pt_regs: r0 is %%%s, r14 %%%s, r20 %%%s",
		  reg_name(0), reg_name(14), reg_name(20));
	return err;
}

static int fetch_memory(struct parse *p, struct span at, struct expr *e)
{
	struct span number = span_tail(at, 1);
	int err = number_u64(span_ptr(p, number), number.len, span_starts(p, number, "0x") ? 16 : 10, &e->value);

	e->kind = EXPR_MEM;
	if (err)
		diag_at(p->diag, err, at, err == -ERANGE ? "the address does not fit in 64 bits" :
			"'%s' is not a memory address", span_quote(p, number));
	return err;
}

/*
 * The return value is an unsigned long, no matter what BTF says. The return address is the
 * instruction pointer that a return probe of 6.12 sees. The sources of 2009 gave the address of
 * their trampoline instead.
 */
static int fetch_return(struct parse *p, struct span at, struct expr *e)
{
	int err;

	if (p->def->kind == DEF_RETURN) {
		e->kind = span_is(p, at, "rv") ? EXPR_RETVAL : EXPR_REG;
		e->reg = REG_IP;
		return 0;
	}
	err = diag_at(p->diag, -EINVAL, at, "there is no %s at this place", span_quote(p, at));
	diag_note(p->diag, "help: it exists only when the function returns: write r instead of p");
	return err;
}

/* For words of the other dialects, suggests the equal words of this dialect. */
static void suggest_word(struct parse *p, struct span at)
{
	const struct vocabulary *v = vocabulary(p);
	const char *word = span_quote(p, at);
	char first = at.len ? *span_ptr(p, at) : '\0';

	if (span_is(p, at, "ra") || span_is(p, at, "rp"))
		diag_note(p->diag, "help: in this dialect the address to which the function returns is %s", v->caller);
	else if (span_is(p, at, "$retval"))
		diag_note(p->diag, "help: in this dialect the return value is rv");
	else if (first == '$' || first == '\\' || char_is_alpha(first) || (first && strchr("%@+-", first)))
		diag_note(p->diag, "help: if this is a word of kprobe_events, add --dialect=kprobe");
	if (v->is_v13 && first == 'm' && at.len > 1 && char_is_digit(word[1]))
		diag_note(p->diag, "help: in this dialect memory is written @%s", word + 1);
	diag_note(p->diag, "help: the words of this dialect are %s", v->words);
}

static int refuse_word(struct parse *p, struct span at)
{
	int err = at.len ? diag_at(p->diag, -EINVAL, at, "'%s' is not a word of %s", span_quote(p, at),
				   vocabulary(p)->name)
			 : diag_at(p->diag, -EINVAL, at, "nothing to fetch");

	suggest_word(p, at);
	return err;
}

static int word_fetch(struct parse *p, struct span at, struct expr *e)
{
	const struct vocabulary *v = vocabulary(p);
	char first = at.len ? *span_ptr(p, at) : '\0';
	uint64_t n;

	if (span_is(p, at, "rv") || span_is(p, at, v->caller))
		return fetch_return(p, at, e);
	if (v->is_v13 && span_is(p, at, "sa")) {
		e->kind = EXPR_STACK;
		return 0;
	}
	if (first == 'm' && !v->is_v13 && at.len > 1 && char_is_digit(span_ptr(p, at)[1]))
		return fetch_memory(p, at, e);
	if (!word_number(p, at, &n))
		return refuse_word(p, at);
	if (first == 'a')
		return fetch_param(p, at, n, e);
	if (first == 's')
		return fetch_stack(p, at, n, e);
	if (first == 'r' && !v->is_v13)
		return fetch_register(p, at, n, e);
	return refuse_word(p, at);
}

/* A parse.word function: turns one word into the equal expression of kprobe_events. */
static int word_parse(struct parse *p, struct span at, struct expr **ret)
{
	struct expr *e = arena_new(p->arena, struct expr);
	int err;

	e->at = at;
	err = word_fetch(p, at, e);
	if (!err)
		*ret = e;
	return err;
}

/* The innermost part of dereferences: +8(-4(a0)) gives a0. */
static struct span innermost(const struct parse *p, struct span at)
{
	uint32_t open = span_find_last(p, at, '(');

	if (open == at.len || !strchr("+-", *span_ptr(p, at)))
		return at;
	at = span_tail(at, open + 1);
	return span_head(at, span_find(p, at, ")"));
}

bool legacy_is_word(const struct parse *p, struct span at)
{
	static const char *const words[] = { "rv", "ra", "rp", "sa" };
	uint64_t n;

	at = innermost(p, at);
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		if (span_is(p, at, words[i]))
			return true;
	}
	if (at.len > 2 && *span_ptr(p, at) == 'm' && span_starts(p, span_tail(at, 1), "0x"))
		return true;
	return at.len && strchr("asrm", *span_ptr(p, at)) && word_number(p, at, &n);
}

bool legacy_is_a0(const struct parse *p, struct span at)
{
	return span_is(p, innermost(p, at), "a0");
}

const struct arg *legacy_find_vague(const struct probe_def *def)
{
	const struct arg *vague = NULL;

	for (unsigned i = 0; def->dialect == DIALECT_RFC_V2 && i < def->nr_args; i++) {
		struct span at = def->args[i].at;
		const char *word = def->text + at.off;

		if (at.len == 2 && !strncmp(word, "rp", 2))
			return NULL;
		if (!vague && at.len > 1 && char_is_digit(word[1]) &&
		    (*word == 'r' || (*word == 'm' && !(at.len > 2 && word[2] == 'x'))))
			vague = &def->args[i];
	}
	return vague;
}

/* ---- arguments ---- */

static bool name_taken(const struct probe_def *def, const char *name, unsigned i)
{
	for (unsigned j = 0; j < i; j++) {
		if (!strcmp(def->args[j].name, name))
			return true;
	}
	return false;
}

/* A word is the argument's name the first time. Otherwise arguments get numbers, as in kprobe_events. */
static void arg_name(struct parse *p, struct arg *arg, unsigned i)
{
	const char *word = span_dup(p, arg->at);

	arg->label = word;
	if (arg->at.len <= LANG_MAX_ARG_NAME && name_is_ident(word, arg->at.len) && !name_taken(p->def, word, i))
		arg->name = word;
	else
		arg->name = arena_printf(p->arena, "arg%u", i + 1);
}

static int refuse_modern(struct parse *p, struct span at, struct span bad, const char *what)
{
	int err = diag_at(p->diag, -EINVAL, bad, "%s has no %s", vocabulary(p)->name, what);

	diag_note(p->diag, "help: if '%s' is a word of kprobe_events, add --dialect=kprobe", span_quote(p, at));
	return err;
}

/* v13 is older than +uOFFS(...). */
static int check_user(struct parse *p, const struct arg *arg)
{
	for (const struct expr *e = arg->expr; e; e = e->inner) {
		if (e->kind == EXPR_DEREF && e->user)
			return refuse_modern(p, arg->at, e->at, "reads of user memory only");
	}
	return 0;
}

static int arg_parse(struct parse *p, struct arg *arg, unsigned i)
{
	uint32_t equal = span_find(p, arg->at, "="), colon = span_find(p, arg->at, ":");
	int err;

	arg->body_at = arg->at;
	if (equal < arg->at.len)
		return refuse_modern(p, arg->at, span_head(arg->at, equal + 1), "names of arguments");
	if (colon < arg->at.len)
		return refuse_modern(p, arg->at, span_tail(arg->at, colon), "types");
	err = vocabulary(p)->is_v13 ? expr_parse(p, arg->at, &arg->expr) : word_parse(p, arg->at, &arg->expr);
	if (!err)
		err = check_user(p, arg);
	if (err)
		return err;
	if (arg->expr->kind == EXPR_RETVAL)
		arg->type = (struct type){ .kind = TYPE_HEX, .size = 8 };
	arg_name(p, arg, i);
	return type_check(p, arg);
}

static int args_parse_words(struct parse *p, const struct span *words, unsigned nr)
{
	struct probe_def *def = p->def;
	int err = 0;

	if (nr > LANG_MAX_ARGS)
		return diag_at(p->diag, -E2BIG, words[LANG_MAX_ARGS],
			       "%u arguments: a definition can have at most %d", nr, LANG_MAX_ARGS);
	def->args = arena_array(p->arena, struct arg, nr);
	def->nr_args = nr;
	for (unsigned i = 0; !err && i < nr; i++) {
		def->args[i].at = words[i];
		err = arg_parse(p, &def->args[i], i);
	}
	return err;
}

/* ---- the line ---- */

static int refuse_head(struct parse *p)
{
	struct span head = p->def->head_at;
	int err = diag_at(p->diag, -EINVAL, head, "a definition of %s starts with 'p' or 'r', not with '%s'",
			  vocabulary(p)->name, span_quote(p, head));

	diag_note(p->diag, "help: p FUNCTION at its entry, r FUNCTION at its return");
	return err;
}

/* p and r; v13 also p:EVENT and r:EVENT. */
static int head_parse(struct parse *p)
{
	struct probe_def *def = p->def;
	struct span rest = span_tail(def->head_at, 1);
	char letter = *span_ptr(p, def->head_at);
	int err;

	if (letter != 'p' && letter != 'r')
		return refuse_head(p);
	def->kind = letter == 'r' ? DEF_RETURN : DEF_ENTRY;
	if (!rest.len)
		return 0;
	if (*span_ptr(p, rest) != ':')
		return refuse_head(p);
	if (!vocabulary(p)->is_v13)
		return refuse_modern(p, def->head_at, rest, "names of events");
	err = name_parse(p, span_tail(rest, 1));
	if (!err && def->group)
		return refuse_modern(p, def->head_at, def->group_at, "groups of events");
	return err;
}

static int point_parse(struct parse *p, struct span at)
{
	const struct probe_def *def = p->def;
	int err = place_parse(p, at);

	if (err)
		return err;
	if (def->suffix_return)
		return refuse_modern(p, at, span_tail(at, span_find(p, at, "%")), "%return");
	if (def->place.module)
		return refuse_modern(p, at, def->place.module_at, "modules before symbols");
	if (def->kind != DEF_RETURN)
		return 0;
	if (!def->place.symbol)
		return diag_at(p->diag, -EINVAL, at, "a return probe needs a function's name, not an address");
	if (def->place.off)
		return diag_at(p->diag, -EINVAL, def->place.off_at,
			       "a return probe is placed at a function's entry, not at %s",
			       span_quote(p, def->place.off_at));
	return 0;
}

static int line_parse(struct parse *p, const struct def_words *words)
{
	int err;

	p->def->head_at = words->at[0];
	err = head_parse(p);
	if (!err && words->nr < 2) {
		err = diag_at(p->diag, -EINVAL, span_end(words->at[0]), "nothing to probe after '%s'",
			      span_quote(p, words->at[0]));
		diag_note(p->diag, "help: write a function's name, as in %s vfs_read", span_quote(p, words->at[0]));
	}
	if (!err)
		err = point_parse(p, words->at[1]);
	if (err)
		return err;
	name_generate(p);
	err = args_parse_words(p, words->at + 2, words->nr - 2);
	if (!err && words->has_filter)
		err = filter_parse(p->arena, p->text, words->filter, &p->def->filter, p->diag);
	return err;
}

int legacy_parse(struct arena *arena, const char *text, enum dialect dialect,
		 struct probe_def **ret_def, struct diag *diag)
{
	struct parse p = { .arena = arena, .diag = diag, .word = word_parse };
	size_t len = strcspn(text, "\n");
	struct def_words words;
	int err;

	p.text = arena_strndup(arena, text, len);
	words = def_words_split(&p);
	err = text_check(text, words.has_filter ? words.filter.off : len, diag);
	if (err)
		return err;
	if (!words.nr) {
		*ret_def = NULL;
		return 0;
	}
	p.def = arena_new(arena, struct probe_def);
	p.def->text = p.text;
	p.def->dialect = dialect;
	p.def->from_tree = true;
	err = line_parse(&p, &words);
	if (err)
		diag->text = p.text;
	else
		*ret_def = p.def;
	return err;
}
