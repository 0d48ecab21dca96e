// SPDX-License-Identifier: GPL-2.0-only
/*
 * dat_format.c - the format text of a trace.dat's events.
 *
 * libtraceevent reads such a text up to the end of print fmt, and keeps all of it (1.7.1; trace-cmd 3.1.6 also passes it
 * on when it converts a file). So the part that only bprobe understands comes after print fmt. After an argument that
 * libtraceevent takes as one value, such as an array, it reads on in the next line. Only a character that it cannot read
 * ends print fmt for certain, so a line with the character 1 comes first:
 *
 *	\001
 *	bprobe 2 396288 counts			version, release (kernel/release.h); whether the kernel counts preemption
 *	layout ...				plan/layout_text.h
 */
#include <errno.h>

#include "base/words.h"
#include "dat/dat_record.h"
#include "plan/layout_text.h"
#include "print/format.h"
#include "print/show.h"
#include "print/stack.h"

enum { DAT_OLDEST = 1, DAT_VERSION = 2 };	/* version of the lines and of the records */

/* libtraceevent (1.7.1) does not know %c, and prints '>c<'. So a character is stored as a text of one character. */
static bool is_text(const struct type *type)
{
	return type_is_dynamic(type) || type->kind == TYPE_CHAR;
}

/* libtraceevent prints these only if each element is a field of its own. */
static bool is_separate(const struct type *type)
{
	const struct show *show = show_of(type);

	return is_text(type) || (show && show->by_element && type->count);
}

/* The type and the length of such a field. */
static const char *part_type(const struct type *type)
{
	if (type->kind == TYPE_BUFFER)
		return "__data_loc u8[]";
	return type_is_dynamic(type) ? "__data_loc char[]" : type->kind == TYPE_CHAR ? "char" : "u8";
}

static void add_part_length(const struct type *type, struct buf *out)
{
	if (!type_is_dynamic(type))
		buf_addf(out, "[%u]", type->size);
}

/*
 * Declares an argument. An array of numbers is one field with its size. Each text of an array is a separate field, since
 * format texts have no name for a text in an array.
 */
static void add_arg(const struct layout_field *f, struct buf *out)
{
	bool is_signed = f->type.kind == TYPE_SIGNED, is_dynamic = type_is_dynamic(&f->type);
	unsigned size = type_slot_size(&f->type);
	struct buf decl = { 0 };

	for (unsigned i = 0; is_separate(&f->type) && i < f->count; i++) {
		buf_reset(&decl);
		buf_addf(&decl, "%s %s", part_type(&f->type), f->name);
		if (f->type.count)
			buf_addf(&decl, "_%u", i);
		add_part_length(&f->type, &decl);
		format_field(out, buf_str(&decl), f->off + size * i, size, is_dynamic && f->type.kind != TYPE_BUFFER);
	}
	if (!is_separate(&f->type) && !type_is_number(&f->type)) {
		buf_addf(&decl, "u8 %s[%u]", f->name, size);
		format_field(out, buf_str(&decl), f->off, f->size, false);
	} else if (!is_separate(&f->type)) {
		buf_addf(&decl, "%c%u %s", is_signed ? 's' : 'u', 8 * size, f->name);
		if (f->type.count)
			buf_addf(&decl, "[%u]", f->count);
		format_field(out, buf_str(&decl), f->off, f->size, is_signed);
	}
	buf_fini(&decl);
}

/* The frames as the program found them. The line of the event does not show them: ftrace's own event behind it does (dat_stack.c). */
static void add_stack(const struct layout *l, enum stack_kind kind, struct buf *out)
{
	static const char *const types[STACK_KINDS] = {
		[STACK_KERNEL] = "unsigned long", [STACK_USER] = "unsigned long", [STACK_USER_IDS] = "u8", [STACK_USER_TEXT] = "char",
	};
	struct buf decl = { 0 };

	buf_addf(&decl, "__data_loc %s[] %s", types[kind], stack_name(kind));
	if (l->stacks & 1u << kind)
		format_field(out, buf_str(&decl), l->stack_off[kind], 4, false);
	buf_fini(&decl);
}

static void add_print_arg(const struct layout_field *f, unsigned element, struct buf *out)
{
	bool is_dynamic = type_is_dynamic(&f->type);
	struct buf ref = { 0 };

	buf_addf(&ref, "%s%s", is_dynamic ? "__get_str(" : f->type.kind == TYPE_SYMBOL ? "(void *)REC->" : "REC->", f->name);
	if (f->type.count)
		buf_addf(&ref, is_separate(&f->type) ? "_%u" : "[%u]", element);
	if (is_dynamic)
		buf_addc(&ref, ')');
	format_argument(f, buf_str(&ref), out);
	buf_fini(&ref);
}

/* Elements that print fmt prints: string[*] is one text, which the record has in front of its first string. */
static unsigned printed(const struct layout_field *f)
{
	return f->type.until_null ? 1 : f->count;
}

static const char *conversion(const struct layout *l, const struct type *type)
{
	return type->kind == TYPE_CHAR ? "'%s'" : format_conversion_in(l, type);
}

/* Prints places by name, as in bprobe's own lines; the kernel's text has numbers. */
static void add_place(const struct layout *l, struct buf *out)
{
	if (l->site == SITE_EVENT)
		buf_addf(out, "(%s)", l->site_name);
	else if (l->site == SITE_USER)
		buf_adds(out, l->is_return ? "(0x%lx <- 0x%lx)" : "(0x%lx)");
	else if (!l->is_synthetic)
		buf_adds(out, l->is_return ? "(%pS <- %ps)" : "(%pS)");
}

static void add_place_values(const struct layout *l, struct buf *out)
{
	const char *cast = l->site == SITE_USER ? "" : "(void *)";

	if (l->is_synthetic || l->site == SITE_EVENT)
		return;
	if (l->is_return)
		buf_addf(out, ", %sREC->__probe_ret_ip, %sREC->__probe_func", cast, cast);
	else
		buf_addf(out, ", %sREC->__probe_ip", cast);
}

static void add_print_fmt(const struct layout *l, struct buf *out)
{
	buf_adds(out, "print fmt: \"");
	add_place(l, out);
	for (unsigned i = 0; i < l->nr_fields; i++) {
		const struct layout_field *f = &l->fields[i];

		buf_addf(out, "%s%s=%s", i || !l->is_synthetic ? " " : "", f->name, f->type.until_null ? "%s" : "");
		if (f->type.until_null)
			continue;
		for (unsigned k = 0; k < f->count; k++) {
			if (f->type.count)
				buf_addc(out, k ? ',' : '{');
			buf_adds(out, conversion(l, &f->type));
		}
		if (f->type.count)
			buf_addc(out, '}');
	}
	buf_addc(out, '"');
	add_place_values(l, out);
	for (unsigned i = 0; i < l->nr_fields; i++) {
		for (unsigned k = 0; k < printed(&l->fields[i]); k++)
			add_print_arg(&l->fields[i], k, out);
	}
	buf_addc(out, '\n');
}

void dat_format_print(const struct layout *l, uint32_t id, unsigned release, bool counts, struct buf *out)
{
	buf_addf(out, "name: %s\nID: %u\nformat:\n", l->event, id);
	format_common(out);
	format_places(l, out);
	for (unsigned i = 0; i < l->nr_fields; i++)
		add_arg(&l->fields[i], out);
	for (unsigned i = 0; i < STACK_KINDS; i++)
		add_stack(l, (enum stack_kind)i, out);
	buf_addc(out, '\n');
	add_print_fmt(l, out);
	buf_addf(out, "\n\001\nbprobe %u %u %s\n", DAT_VERSION, release, counts ? "counts" : "-");
	layout_print(l, out);
}

/* The first line of @text, from @at on, that has this key; NULL: there is none. */
static const char *find_line(const char *at, const char *key)
{
	for (; *at; at = words_next_line(at)) {
		if (words_line_is(at, key))
			return at;
	}
	return NULL;
}

int dat_format_parse(struct arena *arena, const char *text, struct dat_format *ret)
{
	const char *id = find_line(text, "ID:"), *at = find_line(text, "bprobe");
	struct dat_format f = { 0 };
	struct words w;
	int err;

	if (!at)
		return -ENOENT;
	if (!id || !words_open(&w, id, "ID:"))
		return -EBADMSG;
	f.id = (uint32_t)words_number(&w, UINT16_MAX);
	if (w.bad || !words_open(&w, at, "bprobe"))
		return -EBADMSG;
	f.version = (unsigned)words_number(&w, UINT32_MAX);
	if (f.version < DAT_OLDEST || f.version > DAT_VERSION)
		return -EBADMSG;
	f.release = (unsigned)words_number(&w, UINT32_MAX);
	f.counts = words_flag(&w, "counts");
	at = words_next_line(at);
	err = w.bad ? -EBADMSG : layout_parse(arena, &at, &f.layout);
	if (err || !words_open(&w, text, "name:"))
		return -EBADMSG;
	f.layout.event = words_rest(&w, arena);
	if (!name_is_ident(f.layout.event, strlen(f.layout.event)))
		return -EBADMSG;
	*ret = f;
	return 0;
}
