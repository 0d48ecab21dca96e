// SPDX-License-Identifier: GPL-2.0-only
/*
 * format.c - the text that describes the layout of an event's records.
 */
#include "print/format.h"

#include <inttypes.h>

#include "print/show.h"

void format_field(struct buf *out, const char *decl, uint32_t off, uint32_t size, bool is_signed)
{
	buf_addf(out, "\tfield:%s;\toffset:%u;\tsize:%u;\tsigned:%d;\n", decl, off, size, is_signed);
}

static void add_named(struct buf *out, const char *type, const char *name, uint32_t off, uint32_t size, bool is_signed)
{
	struct buf decl = { 0 };

	buf_addf(&decl, "%s %s", type, name);
	format_field(out, buf_str(&decl), off, size, is_signed);
	buf_fini(&decl);
}

/* u8 is used for x8, char and symbol, too: the field says how it is stored, and print fmt says how it looks. */
static void add_arg(struct buf *out, const struct layout_field *f)
{
	bool is_signed = f->type.kind == TYPE_SIGNED, is_dynamic = type_is_dynamic(&f->type);
	unsigned bits = 8 * type_slot_size(&f->type);
	struct buf decl = { 0 };

	if (f->type.kind == TYPE_BUFFER)
		buf_addf(&decl, "__data_loc u8[] %s", f->name);
	else if (is_dynamic && f->type.count)
		buf_addf(&decl, "__data_loc char[][%u] %s", f->count, f->name);
	else if (is_dynamic)
		buf_addf(&decl, "__data_loc char[] %s", f->name);
	else if (!type_is_number(&f->type))
		buf_addf(&decl, "u8 %s[%u]", f->name, f->size);
	else
		buf_addf(&decl, "%c%u %s%s", is_signed ? 's' : 'u', bits, f->name, f->type.count ? "[]" : "");
	format_field(out, buf_str(&decl), f->off, f->size, is_signed || (is_dynamic && f->type.kind != TYPE_BUFFER));
	buf_fini(&decl);
}

void format_common(struct buf *out)
{
	add_named(out, "unsigned short", "common_type", 0, 2, false);
	add_named(out, "unsigned char", "common_flags", 2, 1, false);
	add_named(out, "unsigned char", "common_preempt_count", 3, 1, false);
	add_named(out, "int", "common_pid", 4, 4, true);
	buf_addc(out, '\n');
}

void format_places(const struct layout *l, struct buf *out)
{
	if (l->is_synthetic)
		return;
	if (l->is_return) {
		add_named(out, "unsigned long", "__probe_func", LAYOUT_COMMON, 8, false);
		add_named(out, "unsigned long", "__probe_ret_ip", LAYOUT_COMMON + 8, 8, false);
	} else {
		add_named(out, "unsigned long", "__probe_ip", LAYOUT_COMMON, 8, false);
	}
}

static void add_fields(const struct layout *l, struct buf *out)
{
	format_common(out);
	format_places(l, out);
	for (unsigned i = 0; i < l->nr_fields; i++)
		add_arg(out, &l->fields[i]);
}

const char *format_conversion(const struct type *type)
{
	bool is_long = type_slot_size(type) == 8;
	const struct show *show = show_of(type);

	if (show && show->conversion)
		return show->conversion(type);
	switch (type->kind) {
	case TYPE_SIGNED:
		return is_long ? "%Ld" : "%d";
	case TYPE_UNSIGNED:
	case TYPE_BITFIELD:
		return is_long ? "%Lu" : "%u";
	case TYPE_CHAR:
		return "'%c'";
	case TYPE_SYMBOL:
		return "%pS";
	default:
		if (type_is_dynamic(type))
			return "\\\"%s\\\"";
		return is_long ? "0x%Lx" : "0x%x";
	}
}

void format_argument(const struct layout_field *f, const char *ref, struct buf *out)
{
	const struct show *show = show_of(&f->type);

	if (show && show->arguments)
		show->arguments(f, ref, out);
	else
		buf_addf(out, ", %s", ref);
}

/* The kernel prints strings of synthetic events without quotes, and hexadecimal numbers without 0x. */
const char *format_conversion_in(const struct layout *l, const struct type *type)
{
	if (l->is_synthetic && type_is_dynamic(type))
		return "%s";
	return l->is_synthetic && type->kind == TYPE_HEX ? "%x" : format_conversion(type);
}

static void add_print_fmt(const struct layout *l, struct buf *out)
{
	bool placeless = l->site == SITE_EVENT || l->is_synthetic;
	struct buf ref = { 0 };

	buf_adds(out, placeless ? "print fmt: \"" : l->is_return ? "print fmt: \"(%lx <- %lx)" : "print fmt: \"(%lx)");
	for (unsigned i = 0; i < l->nr_fields; i++) {
		const struct layout_field *f = &l->fields[i];

		buf_addf(out, "%s%s=", i || !l->is_synthetic ? " " : "", f->name);
		if (!f->type.count) {
			buf_adds(out, format_conversion_in(l, &f->type));
			continue;
		}
		for (unsigned k = 0; k < f->count; k++)
			buf_addf(out, "%c%s", k ? ',' : '{', format_conversion(&f->type));
		buf_addc(out, '}');
	}
	buf_adds(out, placeless ? "\"" : l->is_return ? "\", REC->__probe_func, REC->__probe_ret_ip" : "\", REC->__probe_ip");
	for (unsigned i = 0; i < l->nr_fields; i++) {
		const struct layout_field *f = &l->fields[i];
		bool is_dynamic = type_is_dynamic(&f->type);

		for (unsigned k = 0; k < f->count; k++) {
			buf_reset(&ref);
			buf_addf(&ref, "%s%s", is_dynamic ? "__get_str(" : "REC->", f->name);
			if (f->type.count)
				buf_addf(&ref, "[%u]", k);
			if (is_dynamic)
				buf_addc(&ref, ')');
			format_argument(f, buf_str(&ref), out);
		}
	}
	buf_addc(out, '\n');
	buf_fini(&ref);
}

void format_print(const struct layout *l, uint32_t id, struct buf *out)
{
	buf_addf(out, "name: %s\nID: %" PRIu32 "\nformat:\n", l->event, id);
	add_fields(l, out);
	buf_addc(out, '\n');
	add_print_fmt(l, out);
}
