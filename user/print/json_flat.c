// SPDX-License-Identifier: GPL-2.0-only
/*
 * json_flat.c - objects without objects in them.
 *
 * It works on the text of the nested object, so there is one place that knows what an object has. The text is bprobe's own: valid, without
 * blanks, and nested as deep as json.c nests it.
 */
#include "print/json_flat.h"

#include <stdbool.h>
#include <string.h>

#include "base/arena.h"

struct piece {
	const char *text;
	size_t len;
};

/* A value in an element of an array of objects. */
struct cell {
	const char *path;		/* behind the array's own name */
	struct piece value;
	size_t element;
	bool told;
};

struct flat {
	struct arena arena;		/* names, and cells */
	const char *at;			/* what is read next */
	struct buf path;		/* the names on the way */
	struct cell *cells;		/* while an array of objects is read; else NULL */
	unsigned nr_cells, size_cells;
	size_t element;
	const char **names;		/* of the members that the object has already */
	unsigned nr_names, size_names;
	struct buf *out;
};

/* ---- reading ---- */

/* Behind the string that begins at @at. */
static const char *behind_string(const char *at)
{
	for (at++; *at != '"'; at++)
		at += *at == '\\';
	return at + 1;
}

/* Behind the value that begins at @at. */
static const char *behind_value(const char *at)
{
	unsigned depth = 0;

	do {
		if (*at == '"') {
			at = behind_string(at);
			continue;
		}
		depth += *at == '{' || *at == '[';
		depth -= *at == '}' || *at == ']';
		at++;
	} while (depth || (*at != ',' && *at != '}' && *at != ']' && *at != '\n' && *at));
	return at;
}

static bool has_objects(const char *array, const char *end)
{
	for (const char *at = array + 1; at < end; at++) {
		if (*at == '{')
			return true;
		if (*at == '"')
			at = behind_string(at) - 1;
	}
	return false;
}

/* ---- writing ---- */

static bool is_taken(const struct flat *f, const char *name)
{
	for (unsigned i = 0; i < f->nr_names; i++) {
		if (!strcmp(f->names[i], name))
			return true;
	}
	return false;
}

static void add_name(struct flat *f, const char *path)
{
	const char *name = path;

	for (unsigned n = 2; is_taken(f, name); n++)
		name = arena_printf(&f->arena, "%s_%u", path, n);
	f->names = arena_grow(&f->arena, f->names, f->nr_names, &f->size_names);
	f->names[f->nr_names++] = name == path ? arena_strdup(&f->arena, path) : name;
	buf_adds(f->out, f->nr_names > 1 ? ",\"" : "\"");
	buf_adds(f->out, name);
	buf_adds(f->out, "\":");
}

/* The path has a '_' in front. */
static void give(struct flat *f, struct piece value)
{
	if (value.len == 4 && !memcmp(value.text, "null", 4))
		return;
	if (f->cells) {
		f->cells = arena_grow(&f->arena, f->cells, f->nr_cells, &f->size_cells);
		f->cells[f->nr_cells++] = (struct cell){ arena_strndup(&f->arena, buf_str(&f->path), f->path.len), value, f->element, false };
		return;
	}
	add_name(f, buf_str(&f->path) + 1);
	buf_add(f->out, value.text, value.len);
}

static void flatten_value(struct flat *f);

/* Reads one object. */
static void flatten_object(struct flat *f)
{
	size_t len = f->path.len;

	for (f->at++; *f->at != '}'; f->at += *f->at == ',') {
		const char *end = behind_string(f->at);

		buf_addc(&f->path, '_');
		buf_add(&f->path, f->at + 1, (size_t)(end - f->at) - 2);
		f->at = end + 1;	/* the ':' */
		flatten_value(f);
		f->path.len = len;
	}
	f->at++;
}

/* One array for the cells with this path: null where an element has none. */
static void give_column(struct flat *f, const char *base, struct cell *cells, unsigned nr, unsigned first, size_t nr_elements)
{
	const char *path = cells[first].path;
	unsigned at = first;

	add_name(f, arena_printf(&f->arena, "%s%s", base, path));
	for (size_t i = 0; i < nr_elements; i++) {
		buf_addc(f->out, i ? ',' : '[');
		while (at < nr && (cells[at].element < i || strcmp(cells[at].path, path)))
			at++;
		if (at < nr && cells[at].element == i) {
			buf_add(f->out, cells[at].value.text, cells[at].value.len);
			cells[at].told = true;
		} else {
			buf_adds(f->out, "null");
		}
	}
	buf_addc(f->out, ']');
}

/* Reads an array of objects. */
static void flatten_array(struct flat *f)
{
	const char *base = arena_strndup(&f->arena, buf_str(&f->path) + 1, f->path.len - 1);
	struct buf outer = f->path;
	struct cell *cells;
	unsigned nr;

	f->path = (struct buf){ 0 };
	f->cells = arena_grow(&f->arena, f->cells, f->nr_cells, &f->size_cells);
	f->element = 0;
	for (f->at++; *f->at != ']'; f->at += *f->at == ',') {
		flatten_value(f);
		f->element++;
	}
	f->at++;
	buf_fini(&f->path);
	f->path = outer;
	cells = f->cells;
	nr = f->nr_cells;
	f->cells = NULL;
	f->nr_cells = f->size_cells = 0;
	for (unsigned i = 0; i < nr; i++) {
		if (!cells[i].told)
			give_column(f, base, cells, nr, i, f->element);
	}
}

static void flatten_value(struct flat *f)
{
	const char *end = behind_value(f->at);

	if (*f->at == '{') {
		flatten_object(f);
	} else if (*f->at == '[' && !f->cells && has_objects(f->at, end)) {
		flatten_array(f);
	} else {
		give(f, (struct piece){ f->at, (size_t)(end - f->at) });
		f->at = end;
	}
}

void json_flatten(struct buf *out, size_t from)
{
	struct buf nested = { 0 };
	struct flat f = { .out = out };

	buf_add(&nested, out->data + from, out->len - from);
	f.at = buf_str(&nested);
	out->len = from;
	buf_addc(out, '{');
	flatten_object(&f);
	buf_adds(out, "}\n");
	buf_fini(&nested);
	buf_fini(&f.path);
	arena_fini(&f.arena);
}
