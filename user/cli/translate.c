// SPDX-License-Identifier: GPL-2.0-only
/*
 * translate.c - translates definitions of any dialect to the grammar of kprobe_events, as text.
 */
#include "arch/regs.h"
#include "cli/verbs.h"

#include <errno.h>

#include "base/diag.h"
#include "lang/dialect.h"
#include "lang/filter.h"
#include "lang/kprobe.h"
#include "lang/synthetic.h"
#include "lang/type_words.h"
#include "plan/asked.h"
#include "plan/debug_files.h"
#include "plan/expand.h"
#include "set/definitions.h"
#include "set/translate_notes.h"
#include "trace/trace.h"

struct translator {
	const struct options *opts;
	struct set set;		/* with the definitions so far; it does not use the kernel */
	struct facts facts;		/* of places in the source */
	int status;
};

/* One line, or the lines of a definition that is a word. */
struct text {
	const char *text;
	const struct word *word;	/* NULL: it is of a file, */
	const char *file;		/* ... which has this name, */
	unsigned line;			/* ... and this is its number */
};

struct texts {
	struct text *all;
	unsigned nr, size;
};

enum { OLD_ARG_TEXT = 63 };		/* up to 7.2, kernel/trace/trace_probe.h, MAX_ARGSTR_LEN */

/* The definition is one of 7.3, and too long for earlier kernels. */
static void add_old_limit(const struct probe_def *def, struct buf *remarks)
{
	for (unsigned i = 0; i < def->nr_args; i++) {
		if (def->args[i].body_at.len <= OLD_ARG_TEXT)
			continue;
		buf_addf(remarks, "%skprobe_events before Linux 7.3 refuses it: the argument has %u bytes, at most %d fit",
			 remarks->len ? "; " : "", def->args[i].body_at.len, OLD_ARG_TEXT);
		return;
	}
}

/* Today's grammar may have limits that the dialect does not have: lengths, numbers, places. */
static void add_limit(const char *text, struct buf *remarks)
{
	struct arena arena = { 0 };
	struct diag diag = { 0 };
	struct probe_def *def;

	if (kprobe_parse(&arena, text, &def, &diag))
		buf_addf(remarks, "%skprobe_events refuses it: %s", remarks->len ? "; " : "", buf_str(&diag.msg));
	else
		add_old_limit(def, remarks);
	diag_fini(&diag);
	arena_fini(&arena);
}

/* There is no BTF here to tell what a function returns. With BTF, rv of a void function is listed as that register. */
static void add_void(const struct probe_def *def, struct buf *remarks)
{
	for (unsigned i = 0; dialect_is_untyped(def->dialect) && i < def->nr_args; i++) {
		const struct expr *e = expr_innermost(def->args[i].expr);

		if (e->kind != EXPR_RETVAL)
			continue;
		buf_addf(remarks, "%swrite %s for $retval if %s returns nothing (void)", remarks->len ? "; " : "",
			 REG_NAME_RETURN, def->place.symbol);
		return;
	}
}

/*
 * If the user did not choose the dialect, the line was only guessed to be v13's: p and r lines can be read in other ways (a
 * prototype cannot).
 */
static void add_reading(const struct probe_def *def, struct buf *remarks)
{
	struct buf rest = { 0 };

	if (def->detected && def->dialect != DIALECT_FUNCTION)
		buf_addf(remarks, "read as %s", dialect_name(def->dialect));
	translate_notes_print(def, &rest);
	if (rest.len)
		buf_addf(remarks, "%s%s", remarks->len ? "; " : "", buf_str(&rest));
	buf_fini(&rest);
}

/* A pointer that BTF knows is followed by bprobe's own types; the kernel's arrays want the read itself. */
static struct expr *as_memory(struct translator *t, struct expr *expr)
{
	struct expr *read = arena_new(&t->set.arena, struct expr);

	*read = (struct expr){ .kind = EXPR_DEREF, .at = expr->at, .inner = expr };
	return read;
}

static bool needs_read(const struct arg *arg, const struct type *classic)
{
	enum expr_kind kind = arg->expr->kind;

	return classic->count && (kind == EXPR_VAR || kind == EXPR_ARG || kind == EXPR_RETVAL);
}

/* @def with the kernel's types; @def itself if it has no other ones. */
static struct probe_def *with_classic_types(struct translator *t, struct probe_def *def)
{
	struct probe_def *copy = NULL;

	for (unsigned i = 0; i < def->nr_args; i++) {
		struct type type = type_classic(&def->args[i].type);

		if (!type_own_part(&def->args[i].type))
			continue;
		if (!copy) {
			copy = arena_new(&t->set.arena, struct probe_def);
			*copy = *def;
			copy->from_tree = true;
			copy->args = arena_array(&t->set.arena, struct arg, def->nr_args);
			memcpy(copy->args, def->args, def->nr_args * sizeof(*def->args));
		}
		if (needs_read(&def->args[i], &type))
			copy->args[i].expr = as_memory(t, def->args[i].expr);
		copy->args[i].type = type;
	}
	return copy ? copy : def;
}

/* The kernel has a trigger and an option for stacks, outside of the definition. */
static void add_stacks(const struct probe_def *def, struct buf *remarks)
{
	if (def->stacks & 1u << STACK_KERNEL)
		buf_addf(remarks, "%s-k: echo stacktrace > events/%s/%s/trigger", remarks->len ? "; " : "", def->group, def->event);
	if (def->stacks & STACKS_USER)
		buf_addf(remarks, "%s-u: echo 1 > options/userstacktrace", remarks->len ? "; " : "");
}

/* Blanks before a definition, and a comment behind it, stay. */
static void print_definition(struct translator *t, const char *line, struct probe_def *def)
{
	struct buf text = { 0 }, remarks = { 0 };
	/* Strings in a filter may contain '#'. */
	size_t end = def->filter && def->filter->text == def->text ? def->filter->at.off + def->filter->at.len : 0;
	const char *comment = strchr(line + end, '#');

	buf_add(&text, line, strspn(line, " \t"));
	def_print(with_classic_types(t, def), &text);
	def_print_filter(def, &text);
	if (def->kind != DEF_REMOVE) {
		add_reading(def, &remarks);
		add_void(def, &remarks);
		translate_notes_kind(def, &remarks);
		translate_notes_types(def, &remarks);
		translate_notes_casts(def, &remarks);
		add_limit(buf_str(&text), &remarks);
		add_stacks(def, &remarks);
	}
	if (remarks.len)
		buf_addf(&text, "  # %s", buf_str(&remarks));
	if (comment)
		buf_addf(&text, "  %s", comment);
	puts(buf_str(&text));
	buf_fini(&remarks);
	buf_fini(&text);
}

/*
 * With --vmlinux, debug information says what a place in the source is. It may be several places: each is a line, and all of them
 * are one event.
 */
static int print_places(struct translator *t, const char *line, struct probe_def *def, struct diag *diag)
{
	struct expanded e = { 0 };
	int err = lines_expand(&t->set.arena, def, &t->facts, &e, diag);

	for (unsigned i = 0; !err && i < e.nr; i++)
		print_definition(t, i ? "" : line, e.defs[i]);
	if (!err && e.nr_repeated)
		printf("# a call may hit more than one of these places: %u are in the same copy of the function as another one\n", e.nr_repeated);
	if (!err && e.left_out)
		printf("# %u more places are left out: %s\n", e.left_out, e.why_left_out ? e.why_left_out : "an argument cannot be fetched there");
	return err;
}

/*
 * If the dialect's definition replaces an earlier one, a '-:' line is printed first: in today's grammar it would join the
 * earlier one.
 */
static void add(struct translator *t, struct probe_def *def)
{
	unsigned before = t->set.nr_probes;

	if (def->kind == DEF_REMOVE) {
		definitions_remove(&t->set, def);		/* its name becomes free again */
		return;
	}
	definitions_add(&t->set, def);
	if (t->set.nr_probes <= before)
		printf("-:%s/%s\n", def->group, def->event);
}

static int take_filter(struct translator *t, const char *text, struct probe_def *def, struct diag *diag)
{
	if (!text)
		return 0;
	if (!def || def->kind == DEF_REMOVE || def->filter)
		return diag_set(diag, -EINVAL, "--filter wants before it a probe's definition that has no filter yet");
	return filter_parse(&t->set.arena, text, (struct span){ 0, (uint32_t)strlen(text) }, &def->filter, diag);
}

/* A synthetic event is in today's grammar already: s: lines are for dynamic_events, others for kprobe_events. */
static int print_synthetic(struct translator *t, const char *line, struct diag *diag)
{
	struct synthetic_def *def;
	struct buf text = { 0 };
	int err = synthetic_parse(&t->set.arena, line, &def, diag);

	if (err)
		return err;
	synthetic_print(def, &text);
	puts(buf_str(&text));
	buf_fini(&text);
	return 0;
}

static bool is_synthetic(const struct translator *t, const char *line)
{
	return synthetic_is(line) && (t->opts->set.dialect == DIALECT_DETECT || t->opts->set.dialect == DIALECT_KPROBE);
}

static void print_added(struct translator *t, const char *line, struct probe_def *def)
{
	add(t, def);
	print_definition(t, line, def);
}

static bool is_in_source(const struct translator *t, const struct probe_def *def)
{
	return def && def->place.in_source && def->probe == PROBE_KPROBE && t->opts->set.machine.vmlinux;
}

static void take(struct translator *t, const struct text *text)
{
	const struct word *word = text->word;
	const char *line = text->text;
	struct diag diag = { 0 };
	struct probe_def *def = NULL;
	bool synthetic = is_synthetic(t, line);
	int err = synthetic ? print_synthetic(t, line, &diag)
			    : dialect_parse(&t->set.arena, line, t->opts->set.dialect, &def, &diag);

	if (!err)
		err = take_filter(t, word ? word->filter : NULL, def, &diag);
	if (!err && def && word)
		def->stacks = word->stacks;
	/* Without a kernel it is not known whether the words are names of parameters. */
	if (!err && def && def->readings && !def->detected)
		err = dialect_refuse(def, NULL, &diag);
	if (!err && is_in_source(t, def))
		err = print_places(t, line, def, &diag);
	else if (!err && def)
		print_added(t, line, def);
	if (err) {
		diag.file = text->file;
		diag.line = text->line;
		fflush(stdout);
		t->status = report_error(&diag, EXIT_BAD_DEFINITION);
		for (const char *at = line; at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL)
			printf("# %.*s  # not translated: %s\n", (int)strcspn(at, "\n"), at, buf_str(&diag.msg));
	} else if (!def && !synthetic) {
		puts(line);
	}
	diag_fini(&diag);
}

static void add_text(struct translator *t, struct texts *to, const struct text *text)
{
	to->all = arena_grow(&t->set.arena, to->all, to->nr, &to->size);
	to->all[to->nr++] = *text;
}

static void add_file(struct translator *t, const char *path, struct texts *to)
{
	struct diag diag = { 0 };
	struct buf text = { 0 };
	unsigned number = 0;

	if (definitions_read_file(path, &text, &diag))
		t->status = report_error(&diag, EXIT_BAD_DEFINITION);
	else
		for (const char *line = text.data; *line;) {
			size_t len = strcspn(line, "\n");

			add_text(t, to, &(struct text){ arena_strndup(&t->set.arena, line, len), NULL,
							strcmp(path, "-") ? path : "standard input", ++number });
			line += len + !!line[len];
		}
	buf_fini(&text);
	diag_fini(&diag);
}

/* The places of all lines are looked for together: the file with the debug information is read once. */
static void prepare_lines(struct translator *t, const struct texts *texts)
{
	struct probe_def **defs = arena_array(&t->set.arena, struct probe_def *, texts->nr);
	unsigned nr = 0;

	for (unsigned i = 0; t->opts->set.machine.vmlinux && i < texts->nr; i++) {
		struct diag ignored = { 0 };

		defs[nr] = NULL;
		nr += !dialect_parse(&t->set.arena, texts->all[i].text, t->opts->set.dialect, &defs[nr], &ignored) && is_in_source(t, defs[nr]);
		diag_fini(&ignored);
	}
	if (nr > 1)
		lines_prepare(&t->set.arena, defs, nr, &t->facts);
}

int translate_run(const struct options *opts)
{
	struct debug_files *files = debug_files_new(opts->set.machine.vmlinux, true);
	struct asked *asked = asked_new();
	struct translator t = { .opts = opts, .facts = { .debug_files = files, .asked = asked, .source = opts->set.machine.source,
							 .no_inline = opts->set.no_inline, .inline_chain = opts->set.inline_chain } };
	struct texts texts = { 0 };

	for (unsigned i = 0; i < opts->nr_words; i++) {
		const struct word *word = &opts->words[i];

		if (word->is_file)
			add_file(&t, word->text, &texts);
		else
			add_text(&t, &texts, &(struct text){ .text = word->text, .word = word });
	}
	if (!opts->nr_words)
		add_file(&t, "-", &texts);
	prepare_lines(&t, &texts);
	for (unsigned i = 0; i < texts.nr; i++)
		take(&t, &texts.all[i]);
	asked_close(asked);
	debug_files_close(files);
	arena_fini(&t.set.arena);
	return t.status;
}
