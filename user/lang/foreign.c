// SPDX-License-Identifier: GPL-2.0-only
/*
 * foreign.c - recognizes text that is not a definition.
 */
#include "lang/foreign.h"

#include <errno.h>

/* The words in front of ':' in the syntax of other tracers (bpftrace 0.21, docs/language.adoc; perf-probe(1)). */
static const struct provider {
	const char *name;
	char letter;			/* letter of bprobe's equal definition; 't': a tracepoint; 0: bprobe has none */
} providers[] = {
	{ "kprobe", 'p' }, { "k", 'p' }, { "kretprobe", 'r' }, { "kr", 'r' },
	{ "fentry", 'p' }, { "f", 'p' }, { "kfunc", 'p' }, { "fexit", 'r' }, { "fr", 'r' }, { "kretfunc", 'r' },
	{ "tracepoint", 't' }, { "t", 't' }, { "rawtracepoint", 't' }, { "rt", 't' },
	{ "uprobe", 0 }, { "u", 0 }, { "uretprobe", 0 }, { "ur", 0 }, { "usdt", 0 }, { "U", 0 },
	{ "profile", 0 }, { "interval", 0 }, { "i", 0 }, { "software", 0 }, { "s", 0 }, { "hardware", 0 }, { "h", 0 },
	{ "watchpoint", 0 }, { "w", 0 }, { "iter", 0 }, { "it", 0 },
};

static const struct provider *find_provider(const struct parse *p, struct span name)
{
	for (size_t i = 0; i < ARRAY_SIZE(providers); i++) {
		if (span_is(p, name, providers[i].name))
			return &providers[i];
	}
	return NULL;
}

/* Is it a function's name, or a pattern of such names? */
static bool is_symbol(const struct parse *p, struct span at)
{
	for (uint32_t i = 0; i < at.len; i++) {
		char c = span_ptr(p, at)[i];

		if (!char_is_alpha(c) && !char_is_digit(c) && (!c || !strchr("_.*?[],", c)))
			return false;
	}
	return at.len && !char_is_digit(*span_ptr(p, at));
}

/* The part of @at up to the first character of @set. */
static struct span up_to(const struct parse *p, struct span at, const char *set)
{
	return span_head(at, span_find(p, at, set));
}

/* ---- lines ---- */

static bool is_number(const struct parse *p, struct span at)
{
	for (uint32_t i = 0; i < at.len; i++) {
		if (!char_is_digit(span_ptr(p, at)[i]))
			return false;
	}
	return at.len;
}

static bool is_source_file(const struct parse *p, struct span at)
{
	uint32_t dot = span_find_last(p, at, '.');
	struct span ending = span_tail(at, dot);

	return span_is(p, ending, ".c") || span_is(p, ending, ".h") || span_is(p, ending, ".S");
}

int foreign_refuse_line(struct parse *p, struct span at)
{
	uint32_t colon = span_find_last(p, at, ':');
	struct span name = span_head(at, colon), line;
	int err;

	if (colon == at.len)
		return 0;
	/* "m:4+0" and "m:4%return" are the same place as "m:4", and a listing prints them without the text behind. */
	line = up_to(p, span_tail(at, colon + 1), "+-%");
	if (!is_number(p, line))
		return 0;
	if (is_source_file(p, name)) {
		err = diag_at(p->diag, -EINVAL, at, "'%s' is a line of a source file; "
			      "bprobe knows functions and offsets in bytes, not source lines", span_quote(p, at));
		diag_note(p->diag, "help: a place in a function is written FUNCTION+BYTES; 'bprobe --functions GLOB' lists "
			  "functions");
		return err;
	}
	if (!is_symbol(p, name))
		return 0;
	err = diag_at(p->diag, -EINVAL, line, "'%s' is not a function's name; bprobe does not know source lines",
		      span_quote(p, line));
	diag_note(p->diag, "help: the function's entry is %s; a place inside it is written with an offset in bytes, as in %s+0x10",
		  span_quote(p, name), span_quote(p, name));
	return err;
}

/* ---- tracepoints ---- */

/* @at is GROUP:NAME or GROUP/NAME. */
static int refuse_tracepoint(struct parse *p, struct span at)
{
	struct span group = up_to(p, at, ":/"), name = span_tail(at, MIN(group.len + 1, at.len));
	bool enters = span_starts(p, name, "sys_enter_"), exits = span_starts(p, name, "sys_exit_");
	int err = diag_at(p->diag, -EINVAL, at, "'%s' is a tracepoint, and bprobe probes functions", span_quote(p, at));

	if (span_is(p, group, "syscalls") && enters)
		diag_note(p->diag, "help: p sys_%s $arg*", span_quote(p, span_tail(name, sizeof("sys_enter_") - 1)));
	else if (span_is(p, group, "syscalls") && exits)
		diag_note(p->diag, "help: r sys_%s $retval", span_quote(p, span_tail(name, sizeof("sys_exit_") - 1)));
	else
		diag_note(p->diag, "help: 'bprobe --functions GLOB' lists functions");
	return err;
}

/* GROUP:NAME without a word in front can also be a module's function. */
static int refuse_pair(struct parse *p, struct span at)
{
	int err = refuse_tracepoint(p, at);

	if (span_ptr(p, at)[span_find(p, at, ":/")] == ':' && !span_starts(p, at, "syscalls:"))
		diag_note(p->diag, "help: if it is a module's function: p %s", span_quote(p, at));
	return err;
}

/* ---- other words for what bprobe has ---- */

/* @rest is the text behind a provider's ':', [MODULE:]FUNCTION. */
static int refuse_provider(struct parse *p, const struct provider *provider, struct span head, struct span rest)
{
	struct span module = up_to(p, rest, ":");
	int err;

	if (provider->letter == 't')
		return refuse_tracepoint(p, rest);
	if (!provider->letter || !rest.len) {
		err = diag_at(p->diag, -EINVAL, head, "'%s' is a word of another tracer; bprobe probes the kernel's functions",
			      span_quote(p, head));
		diag_note(p->diag, "help: p FUNCTION at its entry, r FUNCTION at its return");
		return err;
	}
	if (span_is(p, module, "vmlinux"))
		rest = span_tail(rest, MIN(module.len + 1, rest.len));
	err = diag_at(p->diag, -EINVAL, head, "'%s' is a word of bpftrace; bprobe prints a line for each hit, and has no programs",
		      span_quote(p, head));
	diag_note(p->diag, "help: %c %s", provider->letter, span_quote(p, rest));
	return err;
}

static int refuse_function(struct parse *p, struct span head, struct span symbol)
{
	struct span text = { head.off, (uint32_t)strcspn(span_ptr(p, head), "\n") };
	bool at_entry = symbol.len == head.len;
	int err = diag_at(p->diag, -EINVAL, head, "a definition starts with 'p', 'r' or '-', and a function's name follows");

	while (text.len && strchr(PARSE_SPACE, span_ptr(p, text)[text.len - 1]))
		text.len--;
	diag_note(p->diag, "help: p %s", span_dup(p, text));
	if (at_entry)
		diag_note(p->diag, "help: for the function's return: r %s", span_dup(p, text));
	return err;
}

bool foreign_is_alone(const struct parse *p, struct span head)
{
	const char *next = span_ptr(p, span_end(head));

	next += strspn(next, PARSE_SPACE);
	return !*next || strchr("{/#", *next);
}

int foreign_refuse(struct parse *p, struct span head)
{
	/* bpftrace's { and / may follow without a space. */
	struct span word = up_to(p, head, "{"), name = up_to(p, word, ":");
	const struct provider *provider = name.len < word.len ? find_provider(p, name) : NULL;
	struct span symbol = up_to(p, word, "+%"), pair;
	int err;

	if (provider) {
		struct span rest = span_tail(word, name.len + 1);

		return refuse_provider(p, provider, head, provider->letter == 't' ? rest : up_to(p, rest, "/"));
	}
	if (span_is(p, word, "BEGIN") || span_is(p, word, "END"))
		return refuse_provider(p, &(struct provider){ "", 0 }, head, word);
	err = foreign_refuse_line(p, word);
	if (err) {
		if (!is_source_file(p, name))
			diag_note(p->diag, "help: p %s", span_dup(p, name));
		return err;
	}
	pair = up_to(p, word, ":/");
	if (foreign_is_alone(p, head) && pair.len < word.len && is_symbol(p, pair) && is_symbol(p, span_tail(word, pair.len + 1)))
		return refuse_pair(p, word);
	return is_symbol(p, symbol) ? refuse_function(p, head, symbol) : 0;
}
