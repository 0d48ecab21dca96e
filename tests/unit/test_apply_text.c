// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_apply_text.c - the form of files for --apply: which lines are definitions, what belongs to them, and where they stand.
 */
#include "keep/apply_text.h"

#include <errno.h>
#include <string.h>

#include "kernel/release.h"
#include "tap.h"

/* The blocks as one text: definitions and settings with their lines, "DEF@LINE+DEF@LINE{NAME=VALUE@LINE;...}". */
static const char *blocks_of(struct arena *arena, const char *text, struct diag *diag)
{
	struct apply_block *blocks;
	struct buf out = { 0 };
	const char *ret;
	unsigned nr;

	if (apply_text_parse(arena, text, &blocks, &nr, diag))
		return "refused";
	for (unsigned i = 0; i < nr; i++) {
		for (unsigned n = 0; n < blocks[i].nr_definitions; n++)
			buf_addf(&out, "%s%s@%u", n ? "+" : "", blocks[i].definitions[n].text, blocks[i].definitions[n].line);
		buf_addc(&out, '{');
		for (unsigned n = 0; n < blocks[i].nr_settings; n++) {
			const struct apply_setting *s = &blocks[i].settings[n];

			buf_addf(&out, "%s=%s@%u;", s->name, s->value, s->from.line);
			CHECK(!memcmp(s->from.text + s->name_at.off, s->name, s->name_at.len) && strlen(s->name) == s->name_at.len &&
			      s->from.text + s->value_at.off == s->value && strlen(s->value) == s->value_at.len,
			      "the caret of '%s'", s->name);
		}
		buf_addc(&out, '}');
	}
	ret = arena_strdup(arena, buf_str(&out));
	buf_fini(&out);
	return ret;
}

static void test_blocks(void)
{
	static const struct { const char *text, *want; } rows[] = {
		{ "", "" },
		{ "\n\n# only a comment\n  \n\t# and one more\n", "" },
		{ "p:a f", "p:a f@1{}" },
		{ "p:a f\n", "p:a f@1{}" },
		{ "p:a f\r\n\tonce\r\n", "p:a f@1{once=@2;}" },
		{ "p:a f   \n  rate   100/s \t\n\tfilter a == 1 || b\n", "p:a f@1{rate=100/s@2;filter=a == 1 || b@3;}" },
		/* Definitions one below the other are a block; a blank line, or an indented one, ends the list. */
		{ "p:a f\np:b g\n\tonce\np:c h\n", "p:a f@1+p:b g@2{once=@3;}p:c h@4{}" },
		{ "p:a f\n\np:b g\n\tonce\n", "p:a f@1{}p:b g@3{once=@4;}" },
		/* A comment ends nothing, and indented lines may have blank lines between them. */
		{ "p:a f\n# why\np:b g\n\tonce\n\n\tself\n", "p:a f@1+p:b g@3{once=@4;self=@6;}" },
		{ "p:a f\n\tfilter s == \"#\"\n", "p:a f@1{filter=s == \"#\"@2;}" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct arena arena = { 0 };
		struct diag diag = { 0 };
		const char *got = blocks_of(&arena, rows[i].text, &diag);

		CHECK(!strcmp(got, rows[i].want), "'%s' is '%s'%s%s", rows[i].text, rows[i].want, strcmp(got, rows[i].want) ? ", not " : "",
		      strcmp(got, rows[i].want) ? got : "");
		diag_fini(&diag);
		arena_fini(&arena);
	}
}

static void test_orphan(void)
{
	struct arena arena = { 0 };
	struct diag diag = { 0 };

	CHECK(!strcmp(blocks_of(&arena, "# x\n\n\tonce\n", &diag), "refused") && diag.err == -EINVAL && diag.line == 3 && diag.at.off == 1 &&
	      diag.at.len == 4, "an indented line without a definition: line %u", diag.line);
	diag_fini(&diag);
	arena_fini(&arena);
}

/* A range has both ends; what is missing is the first or the last kernel of all. */
static void test_ranges(void)
{
	static const struct { const char *text; bool good; unsigned from, to; } rows[] = {
		{ "5.15", true, RELEASE(5, 15), RELEASE(5, 15) }, { "5.15-6.1", true, RELEASE(5, 15), RELEASE(6, 1) },
		{ "5.15-", true, RELEASE(5, 15), UINT32_MAX }, { "-6.1", true, 0, RELEASE(6, 1) }, { "6.1-6.1", true, RELEASE(6, 1), RELEASE(6, 1) },
		{ "5.255", true, RELEASE(5, 255), RELEASE(5, 255) },
		{ "5.256", false }, { "6.1-5.15", false }, { "-", false }, { "", false }, { "5", false }, { "5.", false }, { ".5", false },
		{ "5.1.2", false }, { "5.x", false }, { "5.1 ", false }, { "5.1--6.1", false }, { "10000.1", false }, { "v5.1", false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct apply_range r = { 0 };
		int err = apply_range_parse(rows[i].text, &r);

		CHECK(rows[i].good ? !err && r.from == rows[i].from && r.to == rows[i].to : err == -EINVAL, "'%s' is %s", rows[i].text,
		      rows[i].good ? "a range" : "none");
	}
}

int main(void)
{
	test_blocks();
	test_orphan();
	test_ranges();
	return tap_done();
}
