// SPDX-License-Identifier: GPL-2.0-only
/*
 * apply_text.c - the form of files for --apply.
 */
#include "keep/apply_text.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/release.h"

#define BLANKS " \t\r\f\v"

/* The line without blanks at its end. */
static const char *take_line(struct arena *arena, const char *at, size_t len)
{
	while (len && strchr(BLANKS, at[len - 1]))
		len--;
	return arena_strndup(arena, at, len);
}

static void add_definition(struct arena *arena, struct apply_block *b, struct apply_line line)
{
	b->definitions = arena_grow(arena, b->definitions, b->nr_definitions, &b->size_definitions);
	b->definitions[b->nr_definitions++] = line;
}

static void add_setting(struct arena *arena, struct apply_block *b, struct apply_line line)
{
	uint32_t name = (uint32_t)strspn(line.text, BLANKS), len = (uint32_t)strcspn(line.text + name, BLANKS);
	uint32_t value = name + len + (uint32_t)strspn(line.text + name + len, BLANKS);

	b->settings = arena_grow(arena, b->settings, b->nr_settings, &b->size_settings);
	b->settings[b->nr_settings++] = (struct apply_setting){
		.from = line, .name = arena_strndup(arena, line.text + name, len), .value = line.text + value,
		.name_at = { name, len }, .value_at = { value, (uint32_t)strlen(line.text + value) },
	};
}

static int refuse_orphan(const struct apply_line *line, struct diag *diag)
{
	uint32_t indent = (uint32_t)strspn(line->text, BLANKS);

	diag->text = line->text;
	diag->line = line->line;
	diag_at(diag, -EINVAL, (struct span){ indent, (uint32_t)strlen(line->text) - indent },
		"this line is indented, but no definition stands above it");
	diag_note(diag, "help: a definition begins at the beginning of its line");
	return -EINVAL;
}

int apply_text_parse(struct arena *arena, const char *text, struct apply_block **ret, unsigned *ret_nr, struct diag *diag)
{
	struct apply_block *blocks = NULL, *b = NULL;
	unsigned nr = 0, size = 0, number = 0;
	bool blank = false;

	for (const char *at = text; *at; at += strcspn(at, "\n"), at += *at == '\n') {
		struct apply_line line = { take_line(arena, at, strcspn(at, "\n")), ++number };
		size_t indent = strspn(line.text, BLANKS);

		if (line.text[indent] == '#')
			continue;
		if (!line.text[indent]) {
			blank = true;
			continue;
		}
		if (indent && !b)
			return refuse_orphan(&line, diag);
		if (indent) {
			add_setting(arena, b, line);
			continue;
		}
		if (!b || b->nr_settings || blank) {
			blocks = arena_grow(arena, blocks, nr, &size);
			b = &blocks[nr++];
			*b = (struct apply_block){ 0 };
		}
		add_definition(arena, b, line);
		blank = false;
	}
	*ret = blocks;
	*ret_nr = nr;
	return 0;
}

/* "5.15": the first or the last release that it means. False: it is none. */
static bool read_release(const char *at, size_t len, unsigned *ret)
{
	unsigned major = 0, minor = 0;
	size_t i = 0;

	for (; i < len && isdigit((unsigned char)at[i]) && major < 1000; i++)
		major = major * 10 + (unsigned)(at[i] - '0');
	if (!i || i == len || at[i++] != '.' || i == len)
		return false;
	for (; i < len && isdigit((unsigned char)at[i]) && minor < 1000; i++)
		minor = minor * 10 + (unsigned)(at[i] - '0');
	*ret = RELEASE(major, minor);
	return i == len && minor < 256;
}

int apply_range_parse(const char *text, struct apply_range *ret)
{
	const char *dash = strchr(text, '-');
	size_t first = strcspn(text, "-"), last = dash ? strlen(dash + 1) : 0;
	struct apply_range range = { 0, UINT32_MAX };

	if (first && !read_release(text, first, &range.from))
		return -EINVAL;
	if (!dash)
		range.to = range.from;
	else if (last && !read_release(dash + 1, last, &range.to))
		return -EINVAL;
	if ((!first && !last) || range.from > range.to)
		return -EINVAL;
	*ret = range;
	return 0;
}
