// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_kept.c - the text of a kept event: written, read back, damaged, from another version.
 */
#include <errno.h>

#include "attach/backends.h"
#include "bprobe_abi.h"
#include "keep/kept_module.c"
#include "lang/dialect.h"
#include "plan/layout_text.h"
#include "plan/plan.h"
#include "plan/synthetic.h"
#include "tap.h"

static struct arena arena;

static struct plan *plan_of(const char *text)
{
	struct facts facts = { 0 };
	struct probe_def *def = NULL;
	struct plan *plan = NULL;
	struct diag diag = { 0 };

	if (dialect_parse(&arena, text, DIALECT_DETECT, &def, &diag) || plan_resolve(&arena, def, &facts, &plan, &diag))
		printf("# %s: %s\n", text, buf_str(&diag.msg));
	diag_fini(&diag);
	return plan;
}

/* ---- layouts ---- */

static bool same_layout(const struct layout *a, const struct layout *b)
{
	bool same = a->nr_fields == b->nr_fields && a->is_return == b->is_return && a->backend == b->backend &&
		    a->at_breakpoint == b->at_breakpoint && !strcmp(a->func ? a->func : "", b->func ? b->func : "") &&
		    a->fixed == b->fixed && a->marks_off == b->marks_off && a->nr_marks == b->nr_marks &&
		    a->dyn_off == b->dyn_off && a->nr_strings == b->nr_strings && a->short_size == b->short_size &&
		    a->long_size == b->long_size && a->args_off == b->args_off;

	same = same && a->dialect == b->dialect && a->has_parent == b->has_parent && a->at_entry == b->at_entry &&
	       !strcmp(a->typed ? a->typed : "", b->typed ? b->typed : "");
	for (unsigned i = 0; same && i < a->nr_fields; i++) {
		const struct layout_field *x = &a->fields[i], *y = &b->fields[i];

		same = !strcmp(x->name, y->name) && x->off == y->off && x->size == y->size && x->count == y->count &&
		       x->mark == y->mark && x->room == y->room && x->grows == y->grows && x->bit_off == y->bit_off &&
		       x->bit_width == y->bit_width && x->type.kind == y->type.kind && x->type.size == y->type.size &&
		       x->type.count == y->type.count && x->type.bit_width == y->type.bit_width &&
		       x->type.bit_off == y->type.bit_off && x->typed == y->typed && x->type.show == y->type.show &&
		       x->type.until_null == y->type.until_null && x->type.is_stack == y->type.is_stack && names_same(x->names, y->names) &&
		       x->elapsed == y->elapsed && !strcmp(x->label ? x->label : "-", y->label ? y->label : "-");
	}
	return same;
}

static void test_layouts(void)
{
	static const char *const texts[] = {
		"p f", "r f $retval", "p 0xffffffff81000000 a=%di", "p f+9 a=%di:u8 b=%di:s16 c=%di:x32 d=%di:char",
		"p f a=+0(%di):string b=+0(%si):ustring[3] c=$comm d=\\\"text\\\"", "p f a=%di:b3@5/32 b=%di:symbol c=%di:symstr",
		"f(int dfd, string path, x32 flags, NULL, x16 mode)", "p:e f a0 a1", "r f $retval",
		"p f a=+0(%di):u8[64] b=+8(+0(%si)):s64 c=+u0(%dx):x8",
		"p f a=%di:errno b=+0(%di):string[*] c=+0(%di):sockaddr d=+0(%di):ip6[3] e=%di:be16 g=%si:ip4 h=+0(%di):mac",
		"r f $elapsed t=$elapsed:s32 $retval",
		"p f a=+0(%di):bytes(%si) b=+0(%di):hex(4095) n=%si:s32 c=+0(%di):hex(n) d=+0(%di):bytes(+0(%si):be16)",
	};

	for (unsigned i = 0; i < ARRAY_SIZE(texts); i++) {
		struct plan *plan = plan_of(texts[i]);
		struct layout back = { 0 };
		struct buf text = { 0 };
		const char *at;
		int err = -EINVAL;

		if (plan) {
			layout_print(&plan->layout, &text);
			at = buf_str(&text);
			err = layout_parse(&arena, &at, &back);
		}
		CHECK(plan && !err && !*at && same_layout(&plan->layout, &back), "a layout comes back: %s", texts[i]);
		buf_fini(&text);
	}
}

/* The array of frames ends at the first one that is 0, and only addresses can be frames. */
static void test_stack_field(void)
{
	struct layout back = { 0 };
	struct synthetic_def *def;
	struct diag diag = { 0 };
	struct buf text = { 0 };
	struct plan *plan;
	const char *at;
	char *word;

	CHECK(!synthetic_parse(&arena, "s:n u32 fd; unsigned long[] st; char c[8]", &def, &diag), "a definition with a stack");
	plan = synthetic_plan(&arena, def);
	layout_print(&plan->layout, &text);
	at = buf_str(&text);
	CHECK(!layout_parse(&arena, &at, &back) && !*at && same_layout(&plan->layout, &back), "a layout with a stack comes back");
	word = strstr(buf_str(&text), "field symbol");
	CHECK(word, "frames are addresses");
	memcpy(word, "field string", strlen("field string"));
	at = buf_str(&text);
	CHECK(layout_parse(&arena, &at, &back) == -EBADMSG, "texts are no frames");
	buf_fini(&text);
}

/* A text may come from another version, or from a file. Two stacks of the program would not have the places of one. */
static void test_stacks(void)
{
	static const struct { const char *lines; unsigned stacks; } cases[] = {
		{ "", 0 }, { "stack kernel\n", 1u << STACK_KERNEL }, { "stack user\n", 1u << STACK_USER },
		{ "stack kernel\nstack user-ids\n", 1u << STACK_KERNEL | 1u << STACK_USER_IDS },
		{ "stack kernel\nstack user-text\n", 1u << STACK_KERNEL | 1u << STACK_USER_TEXT },
	};
	static const char *const bad[] = { "stack other\n", "stack \n", "stack kernel\nstack kernel\n", "stack user\nstack user-ids\n" };

	for (unsigned i = 0; i < ARRAY_SIZE(cases) + ARRAY_SIZE(bad); i++) {
		const char *lines = i < ARRAY_SIZE(cases) ? cases[i].lines : bad[i - ARRAY_SIZE(cases)], *at;
		struct layout back = { 0 }, want = { .backend = backends[0], .func = "f", .stacks = i < ARRAY_SIZE(cases) ? cases[i].stacks : 0 };
		struct buf text = { 0 }, again = { 0 };
		int err;

		buf_addf(&text, "layout p %s - kprobe - - f\n%s", backends[0]->name, lines);
		at = buf_str(&text);
		err = layout_parse(&arena, &at, &back);
		if (i >= ARRAY_SIZE(cases)) {
			CHECK(err == -EBADMSG, "wrong stacks are refused: %u", i);
		} else {
			layout_compute(&want);
			layout_print(&want, &again);
			CHECK(!err && same_layout(&want, &back) && back.stacks == want.stacks && back.stack_size == want.stack_size &&
			      !memcmp(back.stack_off, want.stack_off, sizeof(want.stack_off)) && !strcmp(buf_str(&text), buf_str(&again)),
			      "stacks of a layout come back: %x", want.stacks);
		}
		buf_fini(&text);
		buf_fini(&again);
	}
}

/* ---- events ---- */

static const uint32_t ids[] = { 7, 0xffffffffu, 70000 };
static const uint64_t addrs[] = { 0xffffffff81000010u, 0xffffffff81000020u, 0xffffffffffffffffu };

static struct kept some_event(void)
{
	static const char *lines[] = { "p:g/e f a=%di", "r:g/e h* a=$retval" };
	static const char *sources[] = { "p:e f a0", "r:g/e h* $retval" }, *dialects[] = { "v13", "kprobe" };
	static const char *options[] = { "--pid 1,2", "--rate 5/s" };
	static bool dropped[] = { false, true };
	struct kept_probe *probes = arena_array(&arena, struct kept_probe, 3);

	for (unsigned i = 0; i < 3; i++) {
		probes[i] = (struct kept_probe){ .id = 7 + i, .line = i > 0, .has_saver = i == 2, .saver_last = i == 2 };
		probes[i].plan = *plan_of(i ? "r:g/e h a=$retval" : "p:g/e f a=%di");
		probes[i].plan.target.lookup = i ? "h" : "mod:f";
		probes[i].plan.target.off = i;
	}
	probes[1].plan.layout.backend = &backend_multi;
	probes[1].plan.target.addrs = addrs;
	probes[1].plan.target.nr_addrs = ARRAY_SIZE(addrs);
	probes[2].plan.layout.backend = &backend_fmulti;
	probes[2].plan.target.addrs = addrs;
	probes[2].plan.target.ids = ids;
	probes[2].plan.target.nr_addrs = ARRAY_SIZE(addrs);
	probes[2].plan.why_dearer = "because of this\nand that";
	return (struct kept){ .group = "g", .event = "e", .abi = BP_ABI_VERSION, .dropped = dropped, .created = UINT64_MAX, .version = "v1-2-g3 dirty", .lines = lines,
			      .sources = sources, .dialects = dialects,
			      .nr_lines = 2, .options = options, .nr_options = 2, .probes = probes, .nr_probes = 3 };
}

static void test_event(void)
{
	struct kept k = some_event(), back = { 0 };
	struct buf text = { 0 }, again = { 0 };
	const char *by = NULL;

	kept_print(&k, &text);
	CHECK(!kept_parse(&arena, "g", "e", buf_str(&text), &back, &by), "an event comes back");
	kept_print(&back, &again);
	CHECK(!strcmp(buf_str(&text), buf_str(&again)), "... as the same text");
	CHECK(back.created == UINT64_MAX && !strcmp(back.version, "v1-2-g3 dirty") && back.nr_lines == 2 &&
	      !strcmp(back.lines[1], "r:g/e h* a=$retval") &&
	      !strcmp(back.sources[0], "p:e f a0") && !strcmp(back.dialects[0], "v13") && !strcmp(back.sources[1], "r:g/e h* $retval") && back.nr_options == 2 && !strcmp(back.options[1], "--rate 5/s"),
	      "... with what was said of it");
	CHECK(back.nr_probes == 3 && back.probes[0].id == 7 && back.probes[2].line == 1 && back.probes[2].has_saver &&
	      back.probes[2].saver_last && !back.probes[1].has_saver, "... and its probes");
	CHECK(back.probes[1].plan.layout.backend == &backend_multi && back.probes[1].plan.target.is_return &&
	      back.probes[1].plan.target.nr_addrs == 3 && back.probes[1].plan.target.addrs[2] == UINT64_MAX,
	      "... where they attach");
	CHECK(!back.probes[1].plan.target.ids && back.probes[2].plan.layout.backend == &backend_fmulti &&
	      back.probes[2].plan.target.nr_addrs == 3 && back.probes[2].plan.target.addrs[1] == addrs[1] &&
	      back.probes[2].plan.target.ids[0] == 7 && back.probes[2].plan.target.ids[2] == 70000, "... with BTF ids, where there are any");
	CHECK(!strcmp(back.probes[0].plan.target.lookup, "mod:f") && back.probes[2].plan.target.off == 2 &&
	      !strcmp(back.probes[2].plan.why_dearer, "because of this"), "... and how");
	CHECK(!back.dropped[0] && back.dropped[1] && kept_count(&back) == 1, "... and which of its definitions were removed");
	buf_fini(&text);
	buf_fini(&again);
}

/* What kept_parse() would refuse is not written: an event that nothing can list must not exist. */
static void test_write(void)
{
	struct kept k = some_event(), read;
	struct buf text = { 0 };
	struct layout_field *field;
	const char *by;

	CHECK(!kept_write(&k, &text) && !kept_parse(&arena, "g", "e", buf_str(&text), &read, &by), "what is written can be read");
	buf_reset(&text);
	field = &k.probes[0].plan.layout.fields[0];
	field->name = "";
	CHECK(kept_write(&k, &text) == -EBADMSG, "... and a field without a name is not written");
	field->name = "a";
	k.probes[0].plan.target.lookup = "f\nprobe 1 - -";
	buf_reset(&text);
	CHECK(kept_write(&k, &text) == -EBADMSG, "... nor a name that makes another line");
	buf_fini(&text);
}

/* What attaches a probe again that was disabled: of a program its file and place, of an event its number. */
static void test_places(void)
{
	struct kept k = some_event(), back = { 0 };
	struct buf text = { 0 };
	const char *by = NULL;

	k.probes[0].plan.layout.probe = PROBE_UPROBE;
	k.probes[0].plan.layout.site_name = "/bin/sh";
	k.probes[0].plan.target.path = "/a path/of a program";
	k.probes[0].plan.target.file_off = 0x1234567890;
	k.probes[0].plan.target.ref_ctr = 0xffffffff;
	k.probes[0].file_dev = UINT64_MAX;
	k.probes[0].file_ino = 77;
	k.probes[1].plan.layout.probe = PROBE_EVENT;
	k.probes[1].plan.layout.site_name = "g.e";
	k.probes[1].plan.target.event_id = 0xffff;
	kept_print(&k, &text);
	CHECK(!kept_parse(&arena, "g", "e", buf_str(&text), &back, &by) && back.nr_probes == 3, "an event with other places comes back");
	CHECK(back.nr_probes == 3 && !strcmp(back.probes[0].plan.target.path, "/a path/of a program") &&
	      back.probes[0].plan.target.file_off == 0x1234567890 && back.probes[0].plan.target.ref_ctr == 0xffffffff &&
	      back.probes[0].file_dev == UINT64_MAX && back.probes[0].file_ino == 77 && !back.probes[0].plan.target.event_id,
	      "... a place in a program");
	CHECK(back.nr_probes == 3 && back.probes[1].plan.target.event_id == 0xffff && !back.probes[1].plan.target.path &&
	      back.probes[1].plan.target.nr_addrs == 3 && !back.probes[2].plan.target.path, "... and an event");
	CHECK(!strncmp(buf_str(&text), "bprobe-store 5 ", 15),
	      "... of a version that an earlier bprobe does not read");
	buf_fini(&text);
}

/* Without a probe only the definition of a synthetic event is whole. */
static void test_synthetic(void)
{
	const char *line = "s:synthetic/lat u64 ns; char[16] c", *dialect = "today", *by = NULL;
	struct kept k = { .group = "synthetic", .event = "lat", .version = "v1", .abi = BP_ABI_VERSION, .lines = &line, .sources = &line,
			  .dialects = &dialect, .nr_lines = 1 }, back = { 0 };
	struct buf text = { 0 };

	kept_print(&k, &text);
	CHECK(!kept_parse(&arena, "synthetic", "lat", buf_str(&text), &back, &by), "a synthetic event comes back");
	CHECK(kept_is_synthetic(&back) && !strcmp(back.lines[0], line) && kept_count(&back) == 1 && kept_is_current(&back),
	      "... as one, with its definition");
	CHECK(!strncmp(buf_str(&text), "bprobe-store 5 ", 15), "... of a version that an earlier bprobe does not read");
	buf_reset(&text);
	line = "p:g/e f";
	kept_print(&k, &text);
	CHECK(kept_parse(&arena, "synthetic", "lat", buf_str(&text), &back, &by) == -EBADMSG, "another definition needs a probe");
	buf_fini(&text);
}

/* Nothing is read beyond the text: the sanitizer checks that. */
static void test_damage(void)
{
	struct kept k = some_event(), back;
	struct buf text = { 0 };
	unsigned accepted = 0;
	const char *by;

	kept_print(&k, &text);
	for (size_t cut = 0; cut < text.len; cut++)
		accepted += !kept_parse(&arena, "g", "e", arena_strndup(&arena, text.data, cut), &back, &by);
	CHECK(!accepted, "none of %zu texts that were cut is taken, but %u", text.len, accepted);
	for (size_t i = 0; i < text.len; i++) {
		char *other = arena_strndup(&arena, text.data, text.len);

		other[i] = '\x01';
		kept_parse(&arena, "g", "e", other, &back, &by);
	}
	CHECK(kept_parse(&arena, "g", "e", "", &back, &by) == -EBADMSG, "an empty text is none");
	CHECK(kept_parse(&arena, "g", "e", "something else\n", &back, &by) == -EBADMSG, "nor is any other");
	buf_fini(&text);
}

static void test_versions(void)
{
	struct kept k = some_event(), back;
	struct buf own = { 0 };
	const char *by;
	char *text;

	/* Version 1 has the same lines, except for later features. */
	k.dropped = NULL;
	kept_print(&k, &own);
	text = arena_printf(&arena, "bprobe-store 1 3\n%s", strchr(buf_str(&own), '\n') + 1);
	CHECK(!kept_parse(&arena, "g", "e", text, &back, &by) && back.abi == 3 && back.nr_lines == 2 && !back.dropped[1],
	      "an event of version 1 is read");
	CHECK(!kept_is_current(&back), "... but not its records");
	text = arena_printf(&arena, "bprobe-store 2 4\n%s", strchr(buf_str(&own), '\n') + 1);
	CHECK(!kept_parse(&arena, "g", "e", text, &back, &by) && back.abi == 4 && !kept_is_current(&back), "and of version 2");
	CHECK(!kept_parse(&arena, "g", "e", buf_str(&own), &back, &by) && kept_is_current(&back), "of this one the records, too");
	buf_fini(&own);

	text = arena_printf(&arena, "bprobe-store %d %d\nby v9\nnew things\n", KEPT_VERSION + 1, BP_ABI_VERSION);
	CHECK(kept_parse(&arena, "g", "e", text, &back, &by) == -EPROTONOSUPPORT && by && !strcmp(by, "v9"),
	      "a later store is told from this one, and who made it");
	text = arena_printf(&arena, "bprobe-store %d %d\nby v0\n", KEPT_VERSION, BP_ABI_VERSION + 1);
	CHECK(kept_parse(&arena, "g", "e", text, &back, &by) == -EPROTONOSUPPORT, "so are later records");
	text = arena_printf(&arena, "bprobe-store %d %d\nby v0\n", KEPT_OLDEST, KEPT_ABI_OLDEST - 1);
	CHECK(kept_parse(&arena, "g", "e", text, &back, &by) == -EPROTONOSUPPORT, "so are those of a text that nobody reads any more");
	CHECK(kept_parse(&arena, "g", "e", "bprobe-store\n", &back, &by) == -EPROTONOSUPPORT && !by, "and one that names no version");
}

/* ---- modules ---- */

static uint64_t loaded;			/* how module "mod" is loaded now; no other is */

uint64_t modload_id(const char *name)
{
	return strcmp(name, "mod") ? 0 : loaded;
}

static const char *module_words(const struct kept *k, unsigned line)
{
	static const char *const words[] = {
		[KEPT_MODULE_NONE] = "none", [KEPT_MODULE_HERE] = "here", [KEPT_MODULE_MAYBE] = "maybe",
		[KEPT_MODULE_AGAIN] = "again", [KEPT_MODULE_GONE] = "gone",
	};
	const char *name;
	enum kept_module which = kept_module(k, line, &name);

	return arena_printf(&arena, "%s %s", words[which], name ? name : "-");
}

/* A definition is of one module; version 1 does not say for which loading of it, and its name may not be in the text. */
static void test_modules(void)
{
	static const char *lines[] = { "p:g/e mod:f a=%di", "r:g/e :h* a=$retval" };
	struct kept k = some_event(), back;
	struct buf own = { 0 };
	const char *by, *text;

	k.lines = lines;
	k.dropped = NULL;
	kept_print(&k, &own);
	text = arena_printf(&arena, "bprobe-store 1 3\n%s", strchr(buf_str(&own), '\n') + 1);
	CHECK(!kept_parse(&arena, "g", "e", text, &back, &by), "an event of version 1 with a module");
	loaded = 5;
	CHECK(!strcmp(module_words(&back, 0), "maybe mod"), "... is perhaps another loading's: %s", module_words(&back, 0));
	CHECK(!strcmp(module_words(&back, 1), "none -"), "... where none was typed there is none, not one without a name: %s", module_words(&back, 1));
	loaded = 0;
	CHECK(!strcmp(module_words(&back, 0), "gone mod"), "... or it is not loaded: %s", module_words(&back, 0));

	buf_reset(&own);
	k.probes[0].module = "mod";
	k.probes[0].module_load = 5;
	kept_print(&k, &own);
	CHECK(!kept_parse(&arena, "g", "e", buf_str(&own), &back, &by), "an event of this version with a module");
	loaded = 5;
	CHECK(!strcmp(module_words(&back, 0), "here mod"), "... is that loading's: %s", module_words(&back, 0));
	loaded = 6;
	CHECK(!strcmp(module_words(&back, 0), "again mod"), "... or the module was loaded again: %s", module_words(&back, 0));
	loaded = 0;
	CHECK(!strcmp(module_words(&back, 0), "gone mod"), "... or is not loaded: %s", module_words(&back, 0));
	buf_fini(&own);
}

static void test_names(void)
{
	static const struct { const char *name; bool matches; } names[] = {
		{ "open", true }, { "ope", false }, { "open2", false }, { "o*", true }, { "*", true }, { "[a-o]pen", true },
		{ "grp/open", true }, { "grp/", true }, { "g*/", true }, { "gr/", false }, { "other/open", false },
		{ "*/open", true }, { "grp/o?en", true }, { "grp/x", false }, { "", false }, { "/", false }, { "/open", false },
	};

	for (unsigned i = 0; i < ARRAY_SIZE(names); i++)
		CHECK(name_matches("grp", "open", names[i].name) == names[i].matches, "'%s' %s grp/open", names[i].name,
		      names[i].matches ? "means" : "does not mean");
	CHECK(name_same_event("g", "e", "g", "e") && !name_same_event("g", "e", "g", "f") && !name_same_event("g", "e", "h", "e"),
	      "an event is told by its group's name and its own");
}

int main(void)
{
	test_layouts();
	test_write();
	test_stacks();
	test_stack_field();
	test_event();
	test_places();
	test_synthetic();
	test_damage();
	test_versions();
	test_modules();
	test_names();
	arena_fini(&arena);
	return tap_done();
}
