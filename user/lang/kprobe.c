// SPDX-License-Identifier: GPL-2.0-only
/*
 * kprobe.c - the language of dynamic_events: p, r, f, t, e and -. One line, word by word.
 *
 * Accepts what Linux 6.12 accepts, and finds errors in the same order. By design it
 * also refuses what the kernel ignores because it cannot understand it: junk behind
 * the letter, text behind a closing parenthesis, an address outside of the kernel.
 */
#include "lang/kprobe.h"

#include <errno.h>

#include "base/number.h"
#include "lang/arg.h"
#include "lang/def_words.h"
#include "lang/filter.h"
#include "lang/foreign.h"
#include "lang/kind.h"
#include "lang/name.h"
#include "lang/parse.h"

static int maxactive_parse(struct parse *p, struct span at)
{
	uint64_t n;

	p->def->maxactive_at = at;
	if (*span_ptr(p, p->def->head_at) == 'p') {
		diag_at(p->diag, -EINVAL, at, "only 'r' can have a number of instances");
		diag_note(p->diag, "help: write r%s for a return probe, or p", span_quote(p, at));
		return -EINVAL;
	}
	if (number_u64(span_ptr(p, at), at.len, 0, &n) || !n || n > UINT32_MAX)
		return diag_at(p->diag, -EINVAL, at, "'%s' is not a number of instances",
			       span_quote(p, at));
	if (n > LANG_MAX_MAXACTIVE)
		return diag_at(p->diag, -EINVAL, at, "%llu instances are too many, at most %d fit",
			       (unsigned long long)n, LANG_MAX_MAXACTIVE);
	p->def->maxactive = (unsigned)n;
	return 0;
}

/* Only now it is known whether the definition is a return, and of what. */
static int maxactive_check(struct parse *p)
{
	struct span at = p->def->maxactive_at;

	if (!p->def->maxactive)
		return 0;
	if (p->def->probe == PROBE_UPROBE)
		return diag_at(p->diag, -EINVAL, at, "user probes have no number of instances");
	if (p->def->kind == DEF_RETURN)
		return 0;
	diag_at(p->diag, -EINVAL, at, "only a return can have a number of instances");
	if (p->def->probe == PROBE_FPROBE)
		diag_note(p->diag, "help: write f%s FUNCTION%%return, or f", span_quote(p, at));
	return -EINVAL;
}

/* The kernel ignores text between the letter and ':'. */
static int refuse_junk(struct parse *p, struct span at)
{
	struct span head = p->def->head_at;
	char letter = *span_ptr(p, head);
	int err = diag_at(p->diag, -EINVAL, at, "'%s' after '%c'", span_quote(p, at), letter);

	if (at.len + 1 < head.len)
		diag_note(p->diag, "help: write %c%s", letter,
			  span_quote(p, span_tail(head, at.len + 1)));
	else
		diag_note(p->diag, "help: a name needs a colon: %c:%s; to probe a function "
				   "called %s write: p %s", letter, span_quote(p, at),
			  span_quote(p, head), span_quote(p, head));
	return err;
}

static int refuse_letter(struct parse *p)
{
	struct span head = p->def->head_at;
	char letter = *span_ptr(p, head);
	bool capital = strchr("PRFTE", letter) && (head.len == 1 || span_ptr(p, head)[1] == ':');
	int err = capital ? 0 : foreign_refuse(p, head);

	if (err)
		return err;
	err = diag_at(p->diag, -EINVAL, head, "a definition starts with 'p', 'r', 'f', 't', 'e' or '-', "
		      "not with '%s'", span_quote(p, head));
	if (capital)
		diag_note(p->diag, "help: write a small '%c'", letter - 'A' + 'a');
	else
		diag_note(p->diag, "help: p FUNCTION at its entry, r FUNCTION at its return, t TRACEPOINT, e GROUP.EVENT");
	return err;
}

/* Parses the letter and MAXACTIVE. *ret_name is the rest, from ':' on. */
static int head_parse(struct parse *p, struct span *ret_name)
{
	struct span rest = span_tail(p->def->head_at, 1);
	uint32_t colon = span_find(p, rest, ":");
	struct span between = span_head(rest, colon);
	int err = 0;

	if (between.len && char_is_digit(*span_ptr(p, between)))
		err = maxactive_parse(p, between);
	else if (between.len)
		err = refuse_junk(p, between);
	*ret_name = span_tail(rest, colon);
	return err;
}

static int place_word_parse(struct parse *p, struct span at, bool has_name)
{
	int err;

	/* The kernel would wait for a module without a name, for ever. */
	if (!has_name && *span_ptr(p, at) == ':') {
		err = diag_at(p->diag, -EINVAL, at, "the name must follow the letter without a space");
		diag_note(p->diag, "help: write %s%s", span_quote(p, p->def->head_at),
			  span_quote(p, at));
		return err;
	}
	return kind_of(p->def->probe)->parse(p, at);
}

static const char *lonely_help(const struct parse *p, const char *word)
{
	switch (*word) {
	case 't':
		return arena_printf(p->arena, "a tracepoint's name, as in %s sched_switch", word);
	case 'e':
		return arena_printf(p->arena, "an event's group and name, as in %s sched.sched_switch", word);
	default:
		return arena_printf(p->arena, "a function's name, as in %s vfs_read", word);
	}
}

static int refuse_lonely_head(struct parse *p)
{
	struct span head = p->def->head_at;
	const char *word = span_quote(p, head);
	int err = foreign_refuse_lonely(p, head);

	if (err)
		return err;
	err = diag_at(p->diag, -EINVAL, span_end(head), "nothing to probe after '%s'", word);
	if (strchr(p->text, '#'))
		diag_note(p->diag, "help: '#' starts a comment, even inside a definition");
	else if (head.len > 1 && span_find(p, head, ":") == head.len)
		diag_note(p->diag, "help: to probe a function called %s write: p %s", word, word);
	else
		diag_note(p->diag, "help: write %s", lonely_help(p, word));
	return err;
}

/* "p::vfs_read": either a name is missing between the colons, or both colons are wrong. */
static int refuse_colons(struct parse *p)
{
	struct span head = p->def->head_at;
	const char *symbol = span_quote(p, span_tail(head, 3));
	char letter = *span_ptr(p, head);
	int err = diag_at(p->diag, -EINVAL, span_head(span_tail(head, 1), 2), "no name between the colons");

	diag_note(p->diag, "help: %c %s%s, or with a name %c:NAME %s%s", letter, symbol, p->text + head.off + head.len, letter,
		  symbol, p->text + head.off + head.len);
	return err;
}

/* The syntax of other tracers may begin with these letters, too: "rcu:rcu_utilization", "read_write.c:460", "profile:hz:99 {". */
static bool is_foreign(const struct parse *p)
{
	struct span head = p->def->head_at;
	char second = head.len > 1 ? span_ptr(p, head)[1] : ':';

	return second != ':' && !char_is_digit(second) && span_find(p, head, ":/") < head.len && foreign_is_alone(p, head);
}

/*
 * f is a return if an argument has $retval, even without %return (6.12, kernel/trace/trace_fprobe.c, parse_symbol_and_return()).
 */
static void take_retval(struct parse *p, const struct def_words *words)
{
	static const char retval[] = "$retval";
	uint32_t len = sizeof(retval) - 1;

	for (unsigned i = 2; p->def->probe == PROBE_FPROBE && i < words->nr; i++) {
		struct span at = words->at[i];

		for (; at.len >= len; at = span_tail(at, 1)) {
			char next = at.len > len ? span_ptr(p, at)[len] : '\0';

			if (!span_starts(p, at, retval) || char_is_alpha(next) || char_is_digit(next) || next == '_')
				continue;
			p->def->kind = DEF_RETURN;
			p->def->suffix_return = true;
		}
	}
}

static int probe_parse(struct parse *p, const struct def_words *words)
{
	struct span name;
	int err;

	p->def->kind = *span_ptr(p, p->def->head_at) == 'r' ? DEF_RETURN : DEF_ENTRY;
	p->def->probe = PROBE_KPROBE;
	if (p->def->head_at.len > 3 && span_starts(p, span_tail(p->def->head_at, 1), "::"))
		return refuse_colons(p);
	err = is_foreign(p) ? foreign_refuse(p, p->def->head_at) : 0;
	if (err)
		return err;
	if (words->nr < 2)
		return refuse_lonely_head(p);
	err = kind_find(p, p->def->head_at, words->at[1], &p->def->probe);
	if (!err)
		err = head_parse(p, &name);
	if (!err)
		err = place_word_parse(p, words->at[1], name.len != 0);
	if (!err) {
		take_retval(p, words);
		err = maxactive_check(p);
	}
	if (!err && name.len)
		err = name_parse(p, span_tail(name, 1));
	if (err)
		return err;
	name_generate(p);
	err = args_parse(p, words->at + 2, words->nr - 2);
	if (!err && words->has_filter)
		err = filter_parse(p->arena, p->text, words->filter, &p->def->filter, p->diag);
	return err;
}

/*
 * -:[GRP/]EVENT or -:GRP/, and words that select some of its probes. dynamic_events also accepts '!' with the letter of the
 * definition, and ignores that letter (6.12, kernel/trace/trace_dynevent.c, dyn_event_release()).
 */
static int remove_parse(struct parse *p, const struct def_words *words)
{
	struct probe_def *def = p->def;
	struct span head = def->head_at;
	char sign = *span_ptr(p, head);
	uint32_t colon = sign == '-' ? 1 : span_find(p, head, ":");
	int err;

	def->kind = DEF_REMOVE;
	if (head.off)
		return diag_at(p->diag, -EINVAL, ((struct span){ 0, head.off }),
			       "nothing may come before '%c'", sign);
	if (head.len <= colon || span_ptr(p, head)[colon] != ':') {
		err = diag_at(p->diag, -EINVAL, head, "'%c' needs ':' and a name", sign);
		if (sign == '!' && head.len > 1)
			diag_note(p->diag, "help: to remove an event called %s write -:%s",
				  span_quote(p, span_tail(head, 1)), span_quote(p, span_tail(head, 1)));
		else
			diag_note(p->diag, "help: write -:EVENT, -:GROUP/EVENT, or -:GROUP/ "
					   "for a whole group");
		return err;
	}
	err = name_parse_removed(p, span_tail(head, colon + 1));
	if (err)
		return err;
	def->nr_matches = words->nr - 1;
	def->matches = arena_array(p->arena, struct match, def->nr_matches);
	for (unsigned i = 0; i < def->nr_matches; i++)
		def->matches[i] = (struct match){
			.text = span_dup(p, words->at[i + 1]),
			.at = words->at[i + 1],
		};
	return 0;
}

/* Many words of other tracers and types of C begin with these letters, too: "tracepoint:...", "enum". "f vfs_read" is a definition. */
static bool is_head(const struct parse *p)
{
	struct span head = p->def->head_at;
	char second = head.len > 1 ? span_ptr(p, head)[1] : ':';

	return second == ':' || char_is_digit(second);
}

static int parse_text(struct arena *arena, const char *text, bool names_program, bool in_source, struct probe_def **ret_def,
		      struct diag *diag)
{
	struct parse p = { .arena = arena, .diag = diag, .names_program = names_program, .in_source = in_source };
	struct def_words words;
	int err;

	p.text = arena_strndup(arena, text, strcspn(text, "\n"));
	words = def_words_split(&p);
	err = text_check(text, words.has_filter ? words.filter.off : strlen(p.text), diag);
	if (err)
		return err;
	if (!words.nr) {
		*ret_def = NULL;
		return 0;
	}
	p.def = arena_new(arena, struct probe_def);
	p.def->text = p.text;
	p.def->head_at = words.at[0];
	switch (*span_ptr(&p, words.at[0])) {
	case 'p':
	case 'r':
		err = probe_parse(&p, &words);
		break;
	case 'f':
	case 't':
	case 'e':
		err = is_head(&p) ? probe_parse(&p, &words) : refuse_letter(&p);
		break;
	case '-':
	case '!':
		err = remove_parse(&p, &words);
		break;
	default:
		err = refuse_letter(&p);
	}
	if (err)
		diag->text = p.text;
	else
		*ret_def = p.def;
	return err;
}

int kprobe_parse(struct arena *arena, const char *text, struct probe_def **ret_def, struct diag *diag)
{
	return parse_text(arena, text, false, false, ret_def, diag);
}

int kprobe_parse_program(struct arena *arena, const char *text, struct probe_def **ret_def, struct diag *diag)
{
	return parse_text(arena, text, true, false, ret_def, diag);
}

int kprobe_parse_source(struct arena *arena, const char *text, bool names_program, struct probe_def **ret_def, struct diag *diag)
{
	return parse_text(arena, text, names_program, true, ret_def, diag);
}
