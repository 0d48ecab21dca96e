// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_layout.c - how two layouts differ: not at all, in a detail, or so that they cannot share an event.
 */
#include <string.h>

#include "attach/backends.h"
#include "lang/dialect.h"
#include "plan/layout_text.h"
#include "plan/plan.h"
#include "tap.h"

static struct arena arena;

static struct layout layout_of(const char *text)
{
	struct facts facts = { 0 };
	struct probe_def *def = NULL;
	struct plan *plan = NULL;
	struct diag diag = { 0 };

	if (dialect_parse(&arena, text, DIALECT_KPROBE, &def, &diag) || plan_resolve(&arena, def, &facts, &plan, &diag))
		printf("# %s: %s\n", text, buf_str(&diag.msg));
	diag_fini(&diag);
	return plan ? plan->layout : (struct layout){ 0 };
}

static void test_definitions(void)
{
	static const struct {
		const char *a, *b;
		enum layout_difference difference;
		unsigned field;
	} cases[] = {
		{ "p f a=%di b=%si:u8", "p f a=%di b=%si:u8", LAYOUT_SAME, 0 },
		{ "p f", "p g", LAYOUT_OTHER_DETAIL, 0 },
		{ "p f a=%di", "p f+9 a=%di", LAYOUT_OTHER_DETAIL, 0 },
		{ "p f a=%di:u8", "p f a=%di:b3@2/8", LAYOUT_OTHER_DETAIL, 0 },
		{ "p f a=%di:b3@2/8", "p f a=%di:b3@1/8", LAYOUT_OTHER_DETAIL, 0 },
		{ "p f a=%di:b3@2/8", "p f a=%di:b4@2/8", LAYOUT_OTHER_DETAIL, 0 },
		{ "p f a=%di:u8", "p f a=+0(%di):u8", LAYOUT_OTHER_DETAIL, 0 },		/* this one can fault */
		{ "p f a=%di:u16", "p f a=%di:b3@2/8", LAYOUT_OTHER_TYPE, 0 },
		{ "p f a=%di b=%si:u8", "p f a=%di b=%si:s8", LAYOUT_OTHER_TYPE, 1 },
		{ "p f a=%di b=%si:u8", "p f a=%di b=%si:u16", LAYOUT_OTHER_TYPE, 1 },
		{ "p f a=+0(%di):u8[2]", "p f a=+0(%di):u8[3]", LAYOUT_OTHER_TYPE, 0 },
		{ "p f a=+0(%di):u8", "p f a=+0(%di):u8[1]", LAYOUT_OTHER_TYPE, 0 },
		{ "p f a=+0(%di):string", "p f a=+0(%di):ustring", LAYOUT_OTHER_TYPE, 0 },
		{ "p f a=%di:s32", "p f a=%di:errno", LAYOUT_OTHER_TYPE, 0 },
		{ "p f a=%di:x32", "p f a=%di:ip4", LAYOUT_OTHER_TYPE, 0 },
		{ "p f a=%di:u16", "p f a=%di:be16", LAYOUT_OTHER_TYPE, 0 },
		{ "p f a=+0(%di):string[64]", "p f a=+0(%di):string[*]", LAYOUT_OTHER_TYPE, 0 },
		{ "p f a=+0(%di):ip6", "p f a=+0(%di):ip6", LAYOUT_SAME, 0 },
		{ "p f a=%di b=%si:u8", "p f c=%di b=%si:u16", LAYOUT_OTHER_NAME, 0 },
		{ "p f a=%di b=%si", "p f a=%di", LAYOUT_OTHER_NUMBER, 0 },
		{ "p f", "p f a=%di", LAYOUT_OTHER_NUMBER, 0 },
		{ "p f a=%di", "r f b=$retval", LAYOUT_OTHER_KIND, 0 },
	};

	for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
		struct layout a = layout_of(cases[i].a), b = layout_of(cases[i].b);
		unsigned there = 0, back = 0;

		CHECK(layout_compare(&a, &b, &there) == cases[i].difference &&
		      layout_compare(&b, &a, &back) == cases[i].difference && there == cases[i].field && back == there,
		      "'%s' and '%s': difference %d, in field %u", cases[i].a, cases[i].b, (int)cases[i].difference,
		      cases[i].field);
	}
}

/* Each thing that layout_print() prints, changed one at a time. */
static void change(unsigned which, struct layout *l)
{
	struct layout_field *f = l->fields;

	switch (which) {
	case 0:		l->at_breakpoint = !l->at_breakpoint; break;
	case 1:		l->dialect = DIALECT_V13; break;
	case 2:		l->has_parent = !l->has_parent; break;
	case 3:		l->at_entry = !l->at_entry; break;
	case 4:		l->func = NULL; break;
	case 5:		l->typed = "another"; break;
	case 6:		f->mark = f->mark == LAYOUT_NO_MARK ? 0 : LAYOUT_NO_MARK; break;
	case 7:		f->room++; break;
	case 8:		f->grows = !f->grows; break;
	case 9:		f->bit_off++; break;
	case 10:	f->bit_width++; break;
	case 11:	f->typed = !f->typed; break;
	case 12:	f->label = "another"; break;
	case 13:	f->type.bit_width++; break;
	case 14:	f->type.bit_off++; break;
	case 15:	f->count++; break;
	case 16:	f->elapsed = ELAPSED_PAIR; break;
	case 17:	l->nr_fields--; l->nr_hidden++; break;
	}
}

static void test_details(void)
{
	struct layout a = layout_of("p f a=+0(%di):string b=%si"), hook = a;
	unsigned field;

	for (unsigned i = 0; i < 17; i++) {	/* 17: one field less is seen, which is another number */
		struct layout b = a;
		struct buf x = { 0 }, y = { 0 };

		b.fields = arena_array(&arena, struct layout_field, a.nr_fields);
		memcpy(b.fields, a.fields, a.nr_fields * sizeof(*a.fields));
		change(i, &b);
		layout_print(&a, &x);
		layout_print(&b, &y);
		CHECK(strcmp(buf_str(&x), buf_str(&y)) && layout_compare(&a, &b, &field) == LAYOUT_OTHER_DETAIL,
		      "detail %u is told and compared", i);
		buf_fini(&x);
		buf_fini(&y);
	}
	change(17, &hook);
	CHECK(layout_compare(&a, &hook, &field) == LAYOUT_OTHER_NUMBER && layout_all(&a) == layout_all(&hook), "a field is hidden");
	hook = a;
	hook.backend = hook.backend == &backend_kprobe ? &backend_multi : &backend_kprobe;
	CHECK(layout_compare(&a, &hook, &field) == LAYOUT_SAME, "the hook is no difference");
}

int main(void)
{
	test_definitions();
	test_details();
	arena_fini(&arena);
	return tap_done();
}
