// SPDX-License-Identifier: GPL-2.0-only
/*
 * functions.c - lists what can be probed: one line for each function. The line is a definition
 * that bprobe accepts, with the prototype as its comment. Here are the kernel's functions; other
 * kinds of places have files of their own.
 */
#include "cli/verbs.h"

#include <errno.h>
#include <fnmatch.h>

#include "cli/functions.h"
#include "kernel/btf/kbtf_print.h"
#include "kernel/ksyscall.h"
#include "lang/legacy.h"
#include "lang/name.h"
#include "plan/copies.h"
#include "plan/own_place.h"
#include "set/lint.h"
#include "set/set.h"
#include "trace/trace.h"

/* Why functions were left out, as the summary says it. */
static const char *const left_out[] = {
	[KTEXT_NO_CODE] = "no code",
	[KTEXT_BOOT] = "boot code",
	[KTEXT_PREAMBLE] = "padding",
	[KTEXT_ENTRY] = "entry code",
	[KTEXT_NOINSTR] = "noinstr",
	[KTEXT_KPROBES] = "of kprobes",
	[KTEXT_NOKPROBE] = "on the kprobe blacklist",
	[KTEXT_NOTRACE] = "notrace",
	[KTEXT_JUMP_LABEL] = "that begin with a static key",
	[KTEXT_STATIC_CALL] = "that begin with a static call",
	[KTEXT_BUG] = "that begin with a BUG()",
	[KTEXT_BREAKPOINT] = "of padding",
};

struct lister {
	struct set s;
	const struct options *opts;
	const char **words;		/* that mean functions of the kernel */
	unsigned nr_words;
	struct kbtf_printer *printer;
	struct buf line;
	const char **calls;		/* for each word: the pattern for names of system calls; NULL: the word means functions */
	const struct ksym **found;
	bool *as_call;			/* for each function found: it is a system call, and was found by such a name */
	const char **copied;		/* ... the function of which it is a copy, and whose name was given; or NULL */
	size_t nr_found;
	unsigned nr_never, nr_ambiguous, nr_banned[ARRAY_SIZE(left_out)];
};

static bool matches_one(const char *pattern, const struct ksym *sym)
{
	const char *colon = strchr(pattern, ':');
	struct buf module = { 0 };
	bool same;

	if (!colon)
		return !fnmatch(pattern, sym->name, 0);
	buf_add(&module, pattern, (size_t)(colon - pattern));
	same = !fnmatch(buf_str(&module), sym->module ? sym->module : "vmlinux", 0);
	buf_fini(&module);
	return same && !fnmatch(colon + 1, sym->name, 0);
}

/* Is @sym a copy of the function that @word names? NULL: it is not; else the function's name. */
static const char *copied(struct lister *l, const char *word, const struct ksym *sym)
{
	const char *colon = strchr(word, ':'), *name = colon ? colon + 1 : word;

	if (strpbrk(word, "*?[") || (colon && (!sym->module || strlen(sym->module) != (size_t)(colon - word) || strncmp(sym->module, word, (size_t)(colon - word)))))
		return NULL;
	return copy_kind_of(sym->name, name) != COPY_NONE ? arena_strdup(&l->s.arena, name) : NULL;
}

/* Does @sym match a word? The first matching word decides whether it is listed as a system call, or as a copy. */
static bool matches(struct lister *l, const struct ksym *sym, bool *ret_call, const char **ret_copied)
{
	const char *call = sym->module ? NULL : ksyscall_run_by(sym->name);

	*ret_copied = NULL;

	for (unsigned i = 0; i < l->nr_words; i++) {
		const char *wanted = l->calls[i];

		*ret_call = wanted;
		if (wanted ? call && !fnmatch(wanted, call, 0) : matches_one(l->words[i], sym))
			return true;
		*ret_copied = wanted ? NULL : copied(l, l->words[i], sym);
		if (*ret_copied)
			return true;
	}
	return false;
}

/* ---- one line ---- */

/* An event's name is an identifier of at most LANG_MAX_EVENT_NAME characters. "::" of C++ becomes one '_'. */
void functions_add_event(struct buf *out, char letter, const char *name)
{
	bool replaced = false;

	buf_addf(out, "%c:%s", letter, name[0] >= '0' && name[0] <= '9' ? "_" : "");
	for (size_t i = 0; name[i] && i < LANG_MAX_EVENT_NAME - 1; i++) {
		bool fits = name_is_ident(name + i, 1) || (name[i] >= '0' && name[i] <= '9');

		if (fits || !replaced)
			buf_addc(out, fits ? name[i] : '_');
		replaced = !fits;
	}
}

/* Alone, @name could be a keyword of 2009's dialects. With a name in front it is read as kprobe_events' grammar. */
static bool is_old_word(const char *name, size_t len)
{
	const struct parse p = { .text = name };

	return legacy_is_word(&p, (struct span){ 0, (uint32_t)len });
}

void functions_add_param(struct buf *out, unsigned i, const char *name, bool text)
{
	size_t len = strlen(name);

	if (!name_is_ident(name, len) || len > LANG_MAX_ARG_NAME || name_is_reserved(name))
		buf_addf(out, " arg%u=$arg%u", i + 1, i + 1);
	else
		buf_addf(out, " %s%s%s%s", is_old_word(name, len) ? name : "", is_old_word(name, len) ? "=" : "", name,
			 text ? ":string" : "");
}

static void add_params(struct buf *out, const struct kbtf_func *func)
{
	for (unsigned i = 0; i < func->nr_params; i++) {
		struct kbtf_id type;
		const char *name = kbtf_param(func, i, &type);

		if (type.id)		/* not "..." */
			functions_add_param(out, i, name, kbtf_is_text(type));
	}
}

/* "sys_openat(int dfd, const char *filename, ...)" */
static void add_call_proto(struct buf *out, const struct ksyscall *call, const char *name)
{
	buf_addf(out, "%s(", name);
	for (unsigned i = 0; i < call->nr_params; i++) {
		const char *type = call->types[i];
		bool pointer = *type && type[strlen(type) - 1] == '*';

		buf_addf(out, "%s%s%s%s", i ? ", " : "", type, pointer ? "" : " ", call->params[i]);
	}
	buf_adds(out, call->nr_params ? ")" : "void)");
}

/* Prints a system call under the name that gives access to the call's own parameters. */
static void print_call(struct lister *l, const struct ksym *sym, bool never)
{
	const char *name = ksyscall_name(&l->s.arena, l->s.machine.ks, ksyscall_run_by(sym->name));
	struct ksyscall call = { 0 };
	struct buf *out = &l->line;

	buf_reset(out);
	functions_add_event(out, 'p', name);
	buf_addf(out, " %s", name);
	ksyscall_find(&l->s.arena, l->s.machine.ks, l->s.machine.btf, l->s.machine.mem, name, &call);
	for (unsigned i = 0; i < call.nr_params && call.known; i++)
		functions_add_param(out, i, call.params[i], !strcmp(call.types[i], "const char *"));
	buf_addf(out, "  # %s", never ? "never called: " : "");
	if (call.known)
		add_call_proto(out, &call, name);
	else
		buf_adds(out, "a system call: its parameters are $arg1 to $arg6");
	puts(buf_str(out));
}

static void print_line(struct lister *l, const struct ksym *sym, const char *copied, bool never)
{
	struct kbtf_func func;
	struct buf *out = &l->line;

	buf_reset(out);
	functions_add_event(out, 'p', sym->name);
	buf_addf(out, " %s", own_place(&l->s.arena, l->s.machine.ks, sym));
	if (!own_place_is_mixed_up(l->s.machine.ks, &l->s.machine.features, sym) &&
	    !kbtf_find_func(l->s.machine.btf, sym->name, own_place_module(sym), &func)) {
		add_params(out, &func);
		buf_adds(out, never ? "  # never called: " : "  # ");
		kbtf_print_proto(l->printer, &func, sym->name, out);
	} else if (copied) {
		buf_addf(out, "  # %s%s", never ? "never called: " : "", copy_says(&l->s.arena, copy_kind_of(sym->name, copied), copied));
	} else if (never) {
		buf_adds(out, "  # never called");
	}
	puts(buf_str(out));
}

/* ---- all of them ---- */

/* What only looks like a function has no line of its own. */
static bool is_part(struct lister *l, const struct ksym *sym, const char *copied)
{
	enum copy_kind kind = copied ? copy_kind_of(sym->name, copied) : COPY_NONE;

	if (kind < COPY_COLD)
		return false;
	printf("# %s: %s\n", sym->name, copy_says(&l->s.arena, kind, copied));
	return true;
}

static void take_function(struct lister *l, const struct ksym *sym, bool call, const char *copied)
{
	enum ktext_ban ban = l->s.machine.text ? ktext_banned(l->s.machine.text, sym->addr) : KTEXT_FREE;

	if (ban) {
		l->nr_banned[ban]++;
	} else if (ksyms_hidden(l->s.machine.ks) && !own_place(&l->s.arena, l->s.machine.ks, sym)) {
		l->nr_ambiguous++;
	} else {
		l->as_call[l->nr_found] = call;
		l->copied[l->nr_found] = copied;
		l->found[l->nr_found++] = sym;
	}
}

void functions_print_number(size_t nr, const char *what)
{
	fprintf(stderr, "bprobe: %zu %s%s", nr, what, nr == 1 ? "" : "s");
}

static void print_summary(const struct lister *l)
{
	unsigned nr = l->nr_ambiguous;
	const char *comma = "";

	for (size_t i = 0; i < ARRAY_SIZE(left_out); i++)
		nr += l->nr_banned[i];
	functions_print_number(l->nr_found, "function");
	fputs(" can be probed", stderr);
	if (l->nr_never)
		fprintf(stderr, "; nothing calls %u of them", l->nr_never);
	if (nr)
		fprintf(stderr, "; %u left out: ", nr);
	for (size_t i = 0; i < ARRAY_SIZE(left_out); i++) {
		if (l->nr_banned[i]) {
			fprintf(stderr, "%s%u %s", comma, l->nr_banned[i], left_out[i]);
			comma = ", ";
		}
	}
	if (l->nr_ambiguous)
		fprintf(stderr, "%s%u with a name that several have, and with a hidden address", comma, l->nr_ambiguous);
	fputc('\n', stderr);
	if (!l->s.machine.text)
		fprintf(stderr, "bprobe: some of them may be refused: the kernel's code cannot be read (%s)\n",
			l->s.machine.mem_missing);
}

static void print_found(struct lister *l)
{
	enum reach *reach = arena_array(&l->s.arena, enum reach, l->nr_found);
	struct diag ignored = { 0 };
	bool judged = !l->opts->set.no_lint && l->s.machine.text && l->nr_found &&
		      !lint_functions(&l->s, l->found, l->nr_found, reach, &ignored);

	for (size_t i = 0; i < l->nr_found; i++) {
		bool never = judged && reach[i] == REACH_NEVER;

		if (l->as_call[i])
			print_call(l, l->found[i], never);
		else
			print_line(l, l->found[i], l->copied[i], never);
		l->nr_never += never;
	}
	diag_fini(&ignored);
}

static int list_all(struct lister *l, struct diag *diag)
{
	unsigned nr = 0;

	l->calls = arena_array(&l->s.arena, const char *, l->nr_words);
	for (unsigned i = 0; i < l->nr_words; i++)
		l->calls[i] = ksyscall_wanted(l->s.machine.ks, l->words[i]);
	l->found = arena_array(&l->s.arena, const struct ksym *, ksyms_count(l->s.machine.ks));
	l->as_call = arena_array(&l->s.arena, bool, ksyms_count(l->s.machine.ks));
	l->copied = arena_array(&l->s.arena, const char *, ksyms_count(l->s.machine.ks));
	for (size_t i = 0; i < ksyms_count(l->s.machine.ks); i++) {
		const struct ksym *sym = ksyms_at(l->s.machine.ks, i);
		const char *copied;
		bool call;

		if (!ksym_is_function(sym) || ksym_is_marker(sym) || !matches(l, sym, &call, &copied))
			continue;
		if (!is_part(l, sym, copied))
			take_function(l, sym, call, copied);
		nr++;
	}
	if (nr) {
		print_found(l);
		print_summary(l);
		return 0;
	}
	diag_set(diag, -ENOENT, "no function of this kernel matches '%s'%s", l->words[0],
		 l->nr_words > 1 ? " or like the others" : "");
	diag_note(diag, "help: a pattern can have * ? and [...] as in file names; MODULE:PATTERN means functions of a module");
	return -ENOENT;
}

/* ---- the kinds of places ---- */

/* Functions of the kernel: all such words are one list. */
static int list_kernel(struct lister *l, struct diag *diag)
{
	int err;

	l->printer = kbtf_printer_new(l->s.machine.btf);
	err = list_all(l, diag);
	kbtf_printer_free(l->printer);
	return err ? EXIT_BAD_DEFINITION : 0;
}

/* What words other than names of the kernel's functions mean. */
static const struct {
	bool (*takes)(const struct function_list *l, const char *word);
	int (*list)(struct function_list *l, const char *word, struct diag *diag);
	bool needs_kernel;
} kinds[] = {
	{ functions_is_tracepoint, functions_list_tracepoints, true },
	{ functions_is_event, functions_list_events, true },
	{ functions_is_program, functions_list_program, false },
};

/* ARRAY_SIZE(kinds): a function of the kernel. */
static unsigned kind_of_word(const struct function_list *list, const char *word)
{
	unsigned i = 0;

	while (i < ARRAY_SIZE(kinds) && !kinds[i].takes(list, word))
		i++;
	return i;
}

/* What was asked for is listed, as far as it can be, although something else fails. The status is the last failure's. */
static int list_words(struct lister *l, struct function_list *list)
{
	struct diag diag = { 0 };
	int status = 0;

	if (l->nr_words && list_kernel(l, &diag))
		status = report_error(&diag, EXIT_BAD_DEFINITION);
	for (unsigned i = 0; i < l->opts->nr_words; i++) {
		const char *word = l->opts->words[i].text;
		unsigned kind = kind_of_word(list, word);
		int err = 0;

		if (kind < ARRAY_SIZE(kinds))
			err = kinds[kind].list(list, word, &diag);
		if (err)
			status = report_error(&diag, err);
		diag_fini(&diag);
	}
	return status;
}

int functions_run(const struct options *opts)
{
	const struct tasks_condition *pids = &opts->set.tasks.conditions[TASKS_PID][0];
	static const struct set_host host;		/* it only asks the kernel */
	struct lister l = { .opts = opts };
	struct function_list list = { .opts = opts, .arena = &l.s.arena, .machine = &l.s.machine, .pid = pids->nr ? pids->numbers[0] : 0 };
	struct diag diag = { 0 };
	bool needs_kernel = false;
	int status;

	set_init(&l.s, &host, NULL, &opts->set);
	l.words = arena_array(&l.s.arena, const char *, opts->nr_words);
	for (unsigned i = 0; i < opts->nr_words; i++) {
		unsigned kind = kind_of_word(&list, opts->words[i].text);

		if (kind == ARRAY_SIZE(kinds))
			l.words[l.nr_words++] = opts->words[i].text;
		needs_kernel |= kind == ARRAY_SIZE(kinds) || kinds[kind].needs_kernel;
	}
	if (needs_kernel && set_open_kernel(&l.s, &diag))
		status = report_error(&diag, EXIT_KERNEL);
	else
		status = list_words(&l, &list);
	buf_fini(&list.line);
	buf_fini(&l.line);
	set_close(&l.s);
	diag_fini(&diag);
	return status;
}
