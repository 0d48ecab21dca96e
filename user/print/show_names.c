// SPDX-License-Identifier: GPL-2.0-only
/*
 * show_names.c - errno, enum and syscall: numbers that have names.
 *
 * In a line a name is a word without quotes, as the kernel's __print_symbolic() prints it. An error without a name is a number in
 * decimal, since a function that returns errors returns counts, too. A number that an enumeration does not have is
 * hexadecimal, as __print_symbolic() prints it: it may be several flags. So is the number of an unknown system call: those of x32
 * have a flag, too.
 */
#include <inttypes.h>

#include "print/put.h"
#include "print/show.h"

static const char *name_of(const struct event *ev, const struct layout_field *f, unsigned element)
{
	return names_find(f->names, names_cut(event_number(ev, f, element), layout_bits(f)));
}

static void add_decimal(const struct event *ev, const struct layout_field *f, unsigned element, struct buf *out)
{
	uint64_t n = event_number(ev, f, element);

	if (f->type.kind != TYPE_SIGNED)
		buf_dec(out, n);
	else
		buf_sdec(out, (int64_t)n);
}

static void add_errno(const struct event *ev, const struct layout_field *f, unsigned element, struct buf *out)
{
	const char *name = name_of(ev, f, element);
	uint64_t n = event_number(ev, f, element);

	if (name) {
		buf_adds(out, name);
	} else if (f->type.kind == TYPE_HEX) {
		buf_adds(out, "0x");
		buf_hex(out, n);
	} else {
		add_decimal(ev, f, element, out);
	}
}

static void add_enum(const struct event *ev, const struct layout_field *f, unsigned element, struct buf *out)
{
	const char *name = name_of(ev, f, element);

	if (name) {
		buf_adds(out, name);
		return;
	}
	buf_adds(out, "0x");
	buf_hex(out, names_cut(event_number(ev, f, element), layout_bits(f)));
}

/* Beyond 2^53 JSON's readers round. So such numbers are strings, as in json.c. */
static void json_number(const struct event *ev, const struct layout_field *f, unsigned element, struct buf *out)
{
	uint64_t n = event_number(ev, f, element), size = f->type.kind == TYPE_SIGNED && (int64_t)n < 0 ? 0 - n : n;
	bool exact = size <= 1ull << 53;

	buf_adds(out, "{\"number\":");
	if (!exact)
		buf_addc(out, '"');
	if (!exact && f->type.kind == TYPE_HEX) {
		buf_adds(out, "0x");
		buf_hex(out, n);
	} else {
		add_decimal(ev, f, element, out);
	}
	if (!exact)
		buf_addc(out, '"');
}

static void json_named(const struct event *ev, const struct layout_field *f, unsigned element, struct buf *out)
{
	const char *name = name_of(ev, f, element);

	json_number(ev, f, element, out);
	if (name)
		buf_addf(out, ",\"name\":\"%s\"}", name);
	else
		buf_adds(out, ",\"name\":null}");
}

/* ---- the format text ---- */

/* libtraceevent (1.7.1) takes the field's bytes as an unsigned number, and knows no negative ones in the list. The caller adds ')'. */
static void add_symbolic(const struct layout_field *f, const char *ref, struct buf *out)
{
	buf_addf(out, "__print_symbolic(%s", ref);
	for (unsigned i = 0; i < f->names->nr; i++)
		buf_addf(out, ", {0x%" PRIx64 ", \"%s\"}", f->names->all[i].value, f->names->all[i].name);
}

static void enum_arguments(const struct layout_field *f, const char *ref, struct buf *out)
{
	buf_adds(out, ", ");
	add_symbolic(f, ref, out);
	buf_addc(out, ')');
}

/* Error @n as an unsigned number of the field's bits. */
static uint64_t error(const struct layout_field *f, unsigned n)
{
	return names_cut(0 - (uint64_t)n, layout_bits(f));
}

/* Numbers from @first to @last that are no errors are in the list as numbers: -41 is "-41". */
static void add_gaps(const struct layout_field *f, unsigned first, unsigned last, struct buf *out)
{
	for (unsigned n = first; n <= last; n++) {
		if (names_find(f->names, error(f, n)))
			continue;
		buf_addf(out, ", {0x%" PRIx64 ", \"", error(f, n));
		if (f->type.kind == TYPE_HEX)
			buf_addf(out, "0x%" PRIx64 "\"}", error(f, n));
		else
			buf_addf(out, "-%u\"}", n);
	}
}

/* A condition: is @ref a number of the list? */
static void add_range(const struct layout_field *f, const char *ref, struct buf *out)
{
	buf_addf(out, "((%s > 0x%" PRIx64 ") || ((%s > 0x%" PRIx64 ") && (%s < 0x%" PRIx64 ")))", ref,
		 error(f, NAMES_LAST_ERRNO + 1), ref, error(f, NAMES_LAST_OWN_ERRNO + 1), ref, error(f, NAMES_FIRST_OWN_ERRNO - 1));
}

/*
 * Three arguments for "%s%.0d%s": the name or nothing; the number or 0, which %.0d prints as nothing; and nothing. A 0 that is
 * meant is a text. libtraceevent (1.7.1) needs the parentheses, because it reads a?b:c?d:e as (a?b:c)?d:e. It needs the third
 * argument, because it takes the line behind print fmt for a part of the condition, and of a text it does not.
 */
static void errno_arguments(const struct layout_field *f, const char *ref, struct buf *out)
{
	buf_adds(out, ", ");
	add_range(f, ref, out);
	buf_adds(out, " ? ");
	add_symbolic(f, ref, out);
	add_gaps(f, 1, NAMES_LAST_ERRNO, out);
	add_gaps(f, NAMES_FIRST_OWN_ERRNO, NAMES_LAST_OWN_ERRNO, out);
	buf_addf(out, f->type.kind == TYPE_HEX ? ") : (%s ? \"0x\" : \"0x0\"), (" : ") : (%s ? \"\" : \"0\"), (", ref);
	add_range(f, ref, out);
	buf_addf(out, " ? 0 : %s), \"\"", ref);
}

static const char *errno_conversion(const struct type *type)
{
	if (type->kind == TYPE_HEX)
		return type->size == 8 ? "%s%.0Lx%s" : "%s%.0x%s";
	return type->size == 8 ? "%s%.0Ld%s" : "%s%.0d%s";
}

static const char *enum_conversion(const struct type *type)
{
	(void)type;
	return "%s";
}

static const struct column_part parts[] = { { "number", COLUMN_SIGNED, 8 }, { "name", COLUMN_TEXT, 0 }, { 0 } };

const struct show show_errno = {
	.text = add_errno, .json = json_named, .parts = parts, .conversion = errno_conversion, .arguments = errno_arguments,
};
const struct show show_enum = {
	.text = add_enum, .json = json_named, .parts = parts, .conversion = enum_conversion, .arguments = enum_arguments,
};
