/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * refused.h - tables of definitions for the parsers' tests: what is refused, and where the caret
 * must be; what is accepted, and how it is printed.
 */
#ifndef REFUSED_H
#define REFUSED_H

#include "lang/ast.h"
#include "lang/kprobe.h"
#include "tap.h"

typedef int parse_fn(struct arena *arena, const char *text, struct probe_def **ret_def, struct diag *diag);

/* The caret must be below the text between the two '^'. */
struct refused {
	const char *text;
	int err;
	const char *msg, *help;		/* parts of them; NULL: any text */
};

/* Removes the two marks from @marked; *ret_at is the text between them. */
static inline void unmark(const char *marked, struct buf *out, struct span *ret_at)
{
	const char *first = strchr(marked, '^'), *second = strchr(first + 1, '^');

	buf_add(out, marked, (size_t)(first - marked));
	buf_add(out, first + 1, (size_t)(second - first - 1));
	buf_adds(out, second + 1);
	*ret_at = (struct span){ (uint32_t)(first - marked), (uint32_t)(second - first - 1) };
}

static inline void check_refused(struct arena *arena, parse_fn *parse, const struct refused *c)
{
	static struct probe_def untouched;
	struct probe_def *def = &untouched;
	struct buf text = { 0 };
	struct diag d = { 0 };
	struct span at;
	int err;

	unmark(c->text, &text, &at);
	err = parse(arena, buf_str(&text), &def, &d);
	CHECK(def == &untouched, "'%s' leaves the output alone", buf_str(&text));
	CHECK(err == c->err && d.err == err, "'%s' gives %d, not %d", buf_str(&text), c->err, err);
	CHECK(d.at.off == at.off && d.at.len == at.len, "caret of '%s' at %u+%u, not %u+%u",
	      buf_str(&text), at.off, at.len, d.at.off, d.at.len);
	CHECK(d.text && !strncmp(d.text, buf_str(&text), text.len), "'%s' is what is shown",
	      buf_str(&text));
	CHECK(strstr(buf_str(&d.msg), c->msg), "'%s' says '%s'", buf_str(&text), buf_str(&d.msg));
	CHECK(!c->help || strstr(buf_str(&d.notes), c->help), "'%s' helps with '%s'",
	      buf_str(&text), c->help ? c->help : "");
	buf_fini(&text);
	diag_fini(&d);
}

/* A definition of another dialect, and the same in kprobe_events' grammar. */
struct translated {
	const char *text;
	const char *printed;		/* def_print() */
};

/* What is printed is accepted again, and prints the same, from the text and from the tree. */
static inline void check_translated(struct arena *arena, parse_fn *parse, const struct translated *c)
{
	struct buf printed = { 0 }, again = { 0 }, tree = { 0 };
	struct probe_def *def = NULL, *second = NULL;
	struct diag d = { 0 };

	if (!CHECK(!parse(arena, c->text, &def, &d) && def, "'%s' is accepted: %s", c->text, buf_str(&d.msg)))
		goto out;
	def_print(def, &printed);
	CHECK(!strcmp(buf_str(&printed), c->printed), "'%s' prints %s", c->text, buf_str(&printed));
	if (!CHECK(!kprobe_parse(arena, buf_str(&printed), &second, &d) && second, "'%s' is kprobe_events': %s",
		   buf_str(&printed), buf_str(&d.msg)))
		goto out;
	def_print(second, &again);
	CHECK(!strcmp(buf_str(&printed), buf_str(&again)), "'%s' is printed alike again", buf_str(&printed));
	second->from_tree = true;
	def_print(second, &tree);
	CHECK(!strcmp(buf_str(&printed), buf_str(&tree)), "'%s' is printed alike from the tree", buf_str(&printed));
out:
	buf_fini(&printed);
	buf_fini(&again);
	buf_fini(&tree);
	diag_fini(&d);
}

#endif
