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
#include "base/macros.h"

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

/* A member's name: where it is in the new object. */
struct place {
	size_t off, len;
};

struct flat {
	struct arena arena;		/* of cells: most objects have none */
	const char *at;			/* what is read next */
	struct buf path;		/* the names on the way */
	struct cell *cells;		/* while an array of objects is read; else NULL */
	unsigned nr_cells, size_cells;
	size_t element;
	struct place *names;		/* of the members that the object has already */
	unsigned nr_names, size_names;
	uint64_t seen;			/* bits of these names: most names have a bit that no other one has */
	struct buf *out;
};

/* ---- reading ---- */

/* Behind the string that begins at @at. */
static const char *behind_string(const char *at)
{
	for (;;) {
		const char *end = strchr(at + 1, '"'), *slash = end;

		while (slash[-1] == '\\' && slash - 1 > at)
			slash--;
		if ((end - slash) % 2 == 0)
			return end + 1;
		at = end;
	}
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

/* Is there nothing in the array, or nothing but null? */
static bool is_bare(const char *array, const char *end)
{
	while (array < end && strchr("[],nul", *array))
		array++;
	return array == end;
}

/* ---- writing ---- */

/* One bit of 64. */
static uint64_t bit_of(struct piece name)
{
	unsigned mix = (unsigned)name.len * 7 + (unsigned char)name.text[name.len - 1] * 3 + (unsigned char)name.text[name.len / 2];

	return 1ull << (mix & 63);
}

static bool is_taken(const struct flat *f, struct piece name)
{
	if (!name.len || !(f->seen & bit_of(name)))
		return false;
	for (unsigned i = 0; i < f->nr_names; i++) {
		if (f->names[i].len == name.len && !memcmp(f->out->data + f->names[i].off, name.text, name.len))
			return true;
	}
	return false;
}

static void add_name(struct flat *f, struct piece path)
{
	struct piece name = path;
	struct buf other = { 0 };

	for (unsigned n = 2; is_taken(f, name); n++) {
		buf_reset(&other);
		buf_add(&other, path.text, path.len);
		buf_addf(&other, "_%u", n);
		name = (struct piece){ other.data, other.len };
	}
	buf_adds(f->out, f->nr_names ? ",\"" : "\"");
	f->names = arena_grow(&f->arena, f->names, f->nr_names, &f->size_names);
	f->names[f->nr_names++] = (struct place){ f->out->len, name.len };
	f->seen |= name.len ? bit_of(name) : 0;
	buf_add(f->out, name.text, name.len);
	buf_adds(f->out, "\":");
	buf_fini(&other);
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
	add_name(f, (struct piece){ buf_str(&f->path) + 1, f->path.len - 1 });
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
	struct piece name = { arena_printf(&f->arena, "%s%s", base, path), 0 };
	unsigned at = first;

	name.len = strlen(name.text);
	add_name(f, name);
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
	} else if (*f->at == '[' && !f->cells && is_bare(f->at, end)) {
		f->at = end;		/* an array of objects would have other names than this one */
	} else {
		give(f, (struct piece){ f->at, (size_t)(end - f->at) });
		f->at = end;
	}
}

void json_flatten(struct buf *out, size_t from)
{
	struct place room[64];		/* nearly every object has less members */
	struct buf nested = { 0 };
	struct flat f = { .out = out, .names = room, .size_names = ARRAY_SIZE(room) };

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
