// SPDX-License-Identifier: GPL-2.0-only
/*
 * foreign.c - recognizes text that is not a definition.
 */
#include "lang/foreign.h"

#include <errno.h>

#include "lang/bpftrace.h"
#include "lang/place.h"

/* What bprobe's definition of the same place looks like. */
enum equal {
	EQUAL_NONE,
	EQUAL_FUNCTION,			/* p FUNCTION */
	EQUAL_PROGRAM,			/* p PATH:FUNCTION */
	EQUAL_MARKER,			/* p PATH:PROVIDER:NAME */
	EQUAL_EVENT,			/* e GROUP.NAME */
	EQUAL_TRACEPOINT,		/* t NAME */
};

/* The words in front of ':' in the syntax of other tracers (bpftrace 0.21, docs/language.adoc; perf-probe(1); libbpf's sections). */
static const struct provider {
	const char *name;
	char letter;			/* of bprobe's equal definition */
	enum equal equal;
} providers[] = {
	{ "kprobe", 'p', EQUAL_FUNCTION }, { "k", 'p', EQUAL_FUNCTION }, { "kretprobe", 'r', EQUAL_FUNCTION }, { "kr", 'r', EQUAL_FUNCTION },
	{ "fentry", 'p', EQUAL_FUNCTION }, { "f", 'p', EQUAL_FUNCTION }, { "kfunc", 'p', EQUAL_FUNCTION },
	{ "fexit", 'r', EQUAL_FUNCTION }, { "fr", 'r', EQUAL_FUNCTION }, { "kretfunc", 'r', EQUAL_FUNCTION },
	{ "tracepoint", 'e', EQUAL_EVENT }, { "t", 'e', EQUAL_EVENT }, { "tp", 'e', EQUAL_EVENT },
	{ "rawtracepoint", 't', EQUAL_TRACEPOINT }, { "rt", 't', EQUAL_TRACEPOINT }, { "raw_tp", 't', EQUAL_TRACEPOINT },
	{ "raw_tracepoint", 't', EQUAL_TRACEPOINT }, { "tp_btf", 't', EQUAL_TRACEPOINT },
	{ "uprobe", 'p', EQUAL_PROGRAM }, { "u", 'p', EQUAL_PROGRAM }, { "uretprobe", 'r', EQUAL_PROGRAM }, { "ur", 'r', EQUAL_PROGRAM },
	{ "usdt", 'p', EQUAL_MARKER }, { "U", 'p', EQUAL_MARKER },
	{ "profile", 0, EQUAL_NONE }, { "interval", 0, EQUAL_NONE }, { "i", 0, EQUAL_NONE }, { "software", 0, EQUAL_NONE },
	{ "s", 0, EQUAL_NONE }, { "hardware", 0, EQUAL_NONE }, { "h", 0, EQUAL_NONE }, { "watchpoint", 0, EQUAL_NONE },
	{ "w", 0, EQUAL_NONE }, { "iter", 0, EQUAL_NONE }, { "it", 0, EQUAL_NONE },
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
	static const char *const endings[] = {
		".c", ".h", ".S", ".s", ".cc", ".cpp", ".cxx", ".C", ".hh", ".hpp", ".hxx", ".rs", ".inc", ".ipp",
	};

	for (size_t i = 0; i < ARRAY_SIZE(endings); i++) {
		if (span_is(p, ending, endings[i]))
			return true;
	}
	return false;
}

bool foreign_is_source_file(const struct parse *p, struct span at)
{
	return is_source_file(p, at);
}

bool foreign_is_line(const struct parse *p, struct span at)
{
	uint32_t colon = span_find_last(p, at, ':');

	return colon < at.len && is_source_file(p, span_head(at, colon)) &&
	       is_number(p, up_to(p, span_tail(at, colon + 1), "+-%"));
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
		err = diag_at(p->diag, -EINVAL, at, "'%s' is a line of a source file, which only a 'p' can have", span_quote(p, at));
		diag_note(p->diag, "help: p %s", span_quote(p, at));
		return err;
	}
	if (!is_symbol(p, name))
		return 0;
	err = diag_at(p->diag, -EINVAL, line, "'%s' is not a function's name", span_quote(p, line));
	diag_note(p->diag, "help: the function's entry is %s, and its line %s is p %s:%s, without an offset", span_quote(p, name),
		  span_quote(p, line), span_quote(p, name), span_quote(p, line));
	return err;
}

/* ---- the equal definitions ---- */

/* @at is GROUP:NAME or GROUP/NAME: an event. */
static void note_event(struct parse *p, struct span at)
{
	struct span group = up_to(p, at, ":/"), name = span_tail(at, MIN(group.len + 1, at.len));

	diag_note(p->diag, "help: e %s.%s", span_quote(p, group), name.len ? span_quote(p, name) : "EVENT");
	if (!span_is(p, group, "syscalls"))
		return;
	if (span_starts(p, name, "sys_enter_"))
		diag_note(p->diag, "help: or p sys_%s $arg*", span_quote(p, span_tail(name, sizeof("sys_enter_") - 1)));
	else if (span_starts(p, name, "sys_exit_"))
		diag_note(p->diag, "help: or r sys_%s $retval", span_quote(p, span_tail(name, sizeof("sys_exit_") - 1)));
}

/* rawtracepoint:[MODULE:]NAME, rawtracepoint:GROUP:NAME */
static void note_tracepoint(struct parse *p, struct span at)
{
	diag_note(p->diag, "help: t %s", span_quote(p, span_tail(at, span_find(p, at, ":") < at.len ? span_find_last(p, at, ':') + 1 : 0)));
}

/*
 * The file that other tracers find by a bare name. Other names than paths would be modules here, unless ".so" is in them. libc.so and
 * libm.so are texts for the linker.
 */
static const char *program_path(struct parse *p, const char *text)
{
	if (strchr(text, '/') || strstr(text, ".so"))
		return text;
	if (!strcmp(text, "libc") || !strcmp(text, "libm"))
		return arena_printf(p->arena, "%s.so.6", text);
	return arena_printf(p->arena, strncmp(text, "lib", 3) ? "/usr/bin/%s" : "%s.so", text);
}

/* PATH:FUNCTION, PATH:"FUNCTION", PATH:LANGUAGE:FUNCTION (bpftrace) */
static void note_program(struct parse *p, char letter, struct span at)
{
	struct span path = up_to(p, at, ":"), function = span_tail(at, MIN(path.len + 1, at.len));
	char *name, *to;

	if (span_starts(p, function, "cpp:"))
		function = span_tail(function, 4);
	name = to = span_dup(p, function);
	for (const char *from = name; *from; from++) {
		if (*from != '"')
			*to++ = *from;
	}
	*to = '\0';
	diag_note(p->diag, "help: %c %s:%s", letter, program_path(p, span_dup(p, path)), *name ? name : "FUNCTION");
}

/* PATH:[PROVIDER:]NAME */
static void note_marker(struct parse *p, struct span at)
{
	struct span path = up_to(p, at, ":"), rest = span_tail(at, MIN(path.len + 1, at.len));
	bool has_provider = span_find(p, rest, ":") < rest.len;

	diag_note(p->diag, "help: p %s:%s%s", program_path(p, span_dup(p, path)), has_provider ? "" : "*:", span_quote(p, rest));
}

/* @rest is the text behind a provider's ':'. */
static void note_equal(struct parse *p, const struct provider *provider, struct span rest)
{
	struct span module = up_to(p, rest, ":");

	switch (provider->equal) {
	case EQUAL_FUNCTION:
		if (span_is(p, module, "vmlinux"))
			rest = span_tail(rest, MIN(module.len + 1, rest.len));
		diag_note(p->diag, "help: %c %s", provider->letter, span_quote(p, rest));
		break;
	case EQUAL_PROGRAM:
		note_program(p, provider->letter, rest);
		break;
	case EQUAL_MARKER:
		note_marker(p, rest);
		break;
	case EQUAL_EVENT:
		note_event(p, rest);
		break;
	case EQUAL_TRACEPOINT:
		note_tracepoint(p, rest);
		break;
	case EQUAL_NONE:
		break;
	}
}

/* The command that does what the program behind the probe does, if bprobe has it. @rest: see note_equal(). */
static void note_program_of(struct parse *p, const struct provider *provider, struct span rest)
{
	struct buf place = { 0 }, command = { 0 };
	struct span first = up_to(p, rest, ":");

	if (provider->equal == EQUAL_EVENT && first.len < rest.len)
		buf_addf(&place, "e %s.%s", span_quote(p, first), span_quote(p, span_tail(rest, first.len + 1)));
	else if (provider->equal == EQUAL_FUNCTION)
		buf_addf(&place, "%c %s", provider->letter,
			 span_quote(p, span_is(p, first, "vmlinux") ? span_tail(rest, MIN(first.len + 1, rest.len)) : rest));
	if (place.len && bpftrace_translate(span_ptr(p, span_end(rest)), buf_str(&place), &command))
		diag_note(p->diag, "help: %s", buf_str(&command));
	buf_fini(&place);
	buf_fini(&command);
}

static int refuse_provider(struct parse *p, const struct provider *provider, struct span head, struct span rest)
{
	int err;

	if (!provider->letter || !rest.len) {
		err = diag_at(p->diag, -EINVAL, head, "'%s' is a word of another tracer%s", span_quote(p, head),
			      provider->letter ? "" : ", and bprobe has no equal");
		diag_note(p->diag, "help: p FUNCTION at its entry, r FUNCTION at its return, t TRACEPOINT, e GROUP.EVENT");
		return err;
	}
	err = diag_at(p->diag, -EINVAL, head, "'%s' is a word of bpftrace; bprobe prints a line for each hit, and has no programs",
		      span_quote(p, head));
	note_program_of(p, provider, rest);
	note_equal(p, provider, rest);
	return err;
}

/* ---- words without a provider ---- */

/* perf's groups: probe of the kernel's functions, probe_EXEC of a program's, sdt_PROVIDER of markers. False: @at is none of these. */
static bool note_perf(struct parse *p, struct span at)
{
	struct span group = up_to(p, at, ":"), name = span_tail(at, MIN(group.len + 1, at.len));
	uint32_t len = name.len > 8 && span_is(p, span_tail(name, name.len - 8), "__return") ? name.len - 8 : name.len;
	char letter = len < name.len ? 'r' : 'p';

	name = span_head(name, len);
	if (!name.len)
		return false;
	if (span_is(p, group, "probe"))
		diag_note(p->diag, "help: %c %s", letter, span_quote(p, name));
	else if (span_starts(p, group, "probe_"))
		diag_note(p->diag, "help: %c %s:%s", letter, program_path(p, span_dup(p, span_tail(group, 6))), span_quote(p, name));
	else if (span_starts(p, group, "sdt_"))
		diag_note(p->diag, "help: p PATH:%s:%s; PATH is the program or library", span_quote(p, span_tail(group, 4)), span_quote(p, name));
	else
		return false;
	return true;
}

/*
 * GROUP:NAME or GROUP/NAME alone. It can also be a function of a module or of a program: but not if the name begins with the group's, as
 * most events' do.
 */
static int refuse_pair(struct parse *p, struct span at)
{
	struct span group = up_to(p, at, ":/"), name = span_tail(at, MIN(group.len + 1, at.len));
	int err = diag_at(p->diag, -EINVAL, at, "'%s' has no letter in front, which says what it is", span_quote(p, at));

	if (note_perf(p, at))
		return err;
	note_event(p, at);
	if (span_ptr(p, at)[group.len] != ':' || span_is(p, group, "syscalls") || span_starts(p, name, span_quote(p, group)))
		return err;
	diag_note(p->diag, "help: if it is a module's function: p %s", span_quote(p, at));
	diag_note(p->diag, "help: if it is a program's: p %s:%s", program_path(p, span_dup(p, group)), span_quote(p, name));
	return err;
}

/* PATH:FUNCTION alone. */
static int refuse_program(struct parse *p, struct span at)
{
	int err = diag_at(p->diag, -EINVAL, at, "a definition starts with 'p' or 'r', and a place in a program follows");

	diag_note(p->diag, "help: p %s", span_quote(p, at));
	diag_note(p->diag, "help: for the function's return: r %s", span_quote(p, at));
	return err;
}

int foreign_refuse_lonely(struct parse *p, struct span head)
{
	struct span rest = span_tail(head, MIN(2u, head.len)), path = up_to(p, rest, ":");
	char letter = *span_ptr(p, head);
	int err;

	if (head.len < 2 || span_ptr(p, head)[1] != ':' || !path.len || path.len + 1 >= rest.len)
		return 0;
	err = diag_at(p->diag, -EINVAL, head, "'%s' is no definition: a blank is between the letter and the place", span_quote(p, head));
	if (letter == 't' || letter == 'e')
		note_event(p, rest);
	else if (place_is_user(p, rest) || letter == 'f')
		diag_note(p->diag, "help: %c %s", letter, span_quote(p, rest));
	else			/* BCC: p:c:malloc is malloc of libc */
		diag_note(p->diag, "help: %c %s:%s, or of a module: %c %s", letter,
			  program_path(p, arena_printf(p->arena, "lib%s", span_dup(p, path))), span_quote(p, span_tail(rest, path.len + 1)),
			  letter, span_quote(p, rest));
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

		/* A program's path has '/', too. */
		return refuse_provider(p, provider, head, provider->equal == EQUAL_FUNCTION ? up_to(p, rest, "/") : rest);
	}
	if (span_is(p, word, "BEGIN") || span_is(p, word, "END"))
		return refuse_provider(p, &(struct provider){ "", 0, EQUAL_NONE }, head, word);
	if (name.len < word.len && !foreign_is_line(p, word) && place_is_user(p, word))
		return refuse_program(p, word);
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
