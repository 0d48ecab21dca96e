// SPDX-License-Identifier: GPL-2.0-only
/*
 * resolve_type.c - how an argument is stored and printed.
 */
#include <errno.h>

#include "plan/fetches.h"
#include "plan/resolver.h"

enum { MAX_EXPANDED = 256 };	/* MAX_DENTRY_ARGS_LEN (6.12, kernel/trace/trace_probe.h) */

static bool is_string(const struct type *type)
{
	return type->kind == TYPE_STRING || type->kind == TYPE_USTRING;
}

/*
 * The type by BTF: an int by its size and sign, an enumeration as a signed int,
 * everything else as 64 bits (6.12, kernel/trace/trace_probe.c,
 * fetch_type_from_btf_type()).
 */
static struct type type_by_btf(const struct resolver *r, const struct value *v)
{
	struct type type = { .kind = TYPE_HEX, .size = 8 };

	if (v->btf.kind == KBTF_INT && v->btf.size <= 8) {
		type.kind = v->btf.is_signed ? TYPE_SIGNED : TYPE_UNSIGNED;
		type.size = (uint8_t)v->btf.size;
	} else if (v->btf.kind == KBTF_ENUM) {
		type.kind = TYPE_SIGNED;
		type.size = (uint8_t)v->btf.size;
		type.show = r->facts->enum_names ? SHOW_ENUM : SHOW_PLAIN;
	} else if (v->by_value && (v->btf.size == 1 || v->btf.size == 2 || v->btf.size == 4)) {
		type.size = (uint8_t)v->btf.size;
	}
	return type;
}

static bool points_to_char(const struct value *v)
{
	struct kbtf_type to;

	if (v->btf.kind != KBTF_PTR && v->btf.kind != KBTF_ARRAY)
		return false;
	kbtf_describe(v->btf.target, &to);
	return to.kind == KBTF_INT && to.is_char;
}

/* A structure's array of characters. The kernel prints its first eight bytes as a number (doc/differences.md). */
static bool is_char_array(const struct value *v)
{
	return v->has_btf && v->is_memory && v->btf.kind == KBTF_ARRAY && points_to_char(v);
}

static struct type default_type(const struct resolver *r, const struct value *v)
{
	if (v->fetch.src == FETCH_COMM || v->fetch.src == FETCH_TEXT)
		return (struct type){ .kind = TYPE_STRING };
	if (is_char_array(v) || v->is_text)
		return (struct type){ .kind = TYPE_STRING };
	if (v->has_btf)
		return type_by_btf(r, v);
	if (v->fetch.src == FETCH_ELAPSED)
		return (struct type){ .kind = TYPE_UNSIGNED, .size = 8 };
	return (struct type){ .kind = TYPE_HEX, .size = 8 };
}

/*
 * A parameter or field as a string: 'char *' needs one more read, 'char []' is the
 * text itself, and all other types are refused.
 */
static int btf_string(const struct resolver *r, const struct arg *arg, const struct type *type,
		      struct value *v)
{
	int err;

	if (points_to_char(v)) {
		if (v->btf.kind == KBTF_PTR)
			value_follow(r, v, 0, type->kind == TYPE_USTRING);
		return 0;
	}
	err = diag_at(r->diag, -EINVAL, arg->expr->at, "this is neither 'char *' nor 'char []', so it is "
		      "no string");
	diag_note(r->diag, "help: the text at an address is written +0(ADDRESS):string");
	return err;
}

/* string[*] of 'char **' needs one more read: the pointers behind it. Of 'char *[]', the pointers are here. */
static int vector(const struct resolver *r, const struct arg *arg, const struct type *type, struct value *v)
{
	struct value element = { 0 };
	bool unknown;
	int err;

	if (!v->has_btf) {
		if (r->proto.is_syscall && arg->expr->kind == EXPR_ARG)
			value_follow(r, v, 0, type->kind == TYPE_USTRING);
		return 0;
	}
	if (v->btf.kind == KBTF_PTR || v->btf.kind == KBTF_ARRAY)
		kbtf_describe(v->btf.target, &element.btf);
	/* A system call's metadata has the text "const char *const *", and BTF has no type of that name. */
	unknown = r->proto.is_syscall && v->btf.kind == KBTF_PTR && !v->btf.target.btf;
	if (!unknown && (element.btf.kind != KBTF_PTR || !points_to_char(&element))) {
		err = diag_at(r->diag, -EINVAL, arg->expr->at, "this is neither 'char **' nor 'char *[]', so it is no array of "
			      "strings");
		diag_note(r->diag, "help: the array at an address is written +0(ADDRESS):%s[*]",
			  type->kind == TYPE_USTRING ? "ustring" : "string");
		return err;
	}
	if (v->btf.kind == KBTF_PTR)
		value_follow(r, v, 0, type->kind == TYPE_USTRING);
	return 0;
}

/*
 * The kernel replaces %pd and %pD by other text (6.12, kernel/trace/trace_probe.c, traceprobe_expand_dentry_args()). That
 * text has the limits of a typed argument. With names and NULs, all such texts of a definition may have 256 bytes.
 */
static int check_expansion(struct resolver *r, const struct arg *arg, const uint32_t offs[2], bool is_file)
{
	const char *name = arg->expr->kind == EXPR_ARG && !arg->name_at.len && r->proto.known
			   ? r->proto.names[arg->expr->n - 1] : NULL;
	uint32_t len = name ? (uint32_t)strlen(name) : arg->body_at.len - (uint32_t)strlen(":%pd");
	int outer = snprintf(NULL, 0, "+0x0(+0x%x()):string", offs[0]);
	int inner = is_file ? snprintf(NULL, 0, "+0x%x()", offs[1]) : 0;

	len += (uint32_t)(outer + inner);
	r->expanded += len + (arg->name_at.len ? arg->name_at.len + 1 : 0) + 1;
	if (len > LANG_MAX_ARG_TEXT)
		return diag_at(r->diag, -E2BIG, arg->body_at, "this expands to a dereference of %u bytes, at most %d fit", len,
			       LANG_MAX_ARG_TEXT);
	if (r->expanded > MAX_EXPANDED)
		return diag_at(r->diag, -E2BIG, arg->body_at,
			       "the %%pd and %%pD arguments up to here expand to %u bytes, at most %d fit", r->expanded,
			       MAX_EXPANDED);
	return 0;
}

/* %pd and %pD: the name of a struct dentry, or of the dentry of a struct file. */
static int path_string(struct resolver *r, const struct arg *arg, struct value *v)
{
	struct kbtf_id file, dentry;
	struct kbtf_member path, in_path, name, in_name;
	bool is_file = arg->type.kind == TYPE_FILE;
	uint32_t offs[2];

	if (!r->btf || kbtf_find_struct(r->btf, "file", &file) || kbtf_find_struct(r->btf, "dentry", &dentry) ||
	    kbtf_find_member(file, "f_path", &path) || kbtf_find_member(path.type, "dentry", &in_path) ||
	    kbtf_find_member(dentry, "d_name", &name) || kbtf_find_member(name.type, "name", &in_name))
		return diag_at(r->diag, -EOPNOTSUPP, arg->type.at, "this needs the layout of struct file and "
			       "struct dentry, and there is no BTF that tells it");
	offs[0] = (name.bit_off + in_name.bit_off) / 8;
	offs[1] = (path.bit_off + in_path.bit_off) / 8;
	if (is_file)
		value_follow(r, v, offs[1], false);
	value_follow(r, v, offs[0], false);
	value_follow(r, v, 0, false);
	return check_expansion(r, arg, offs, is_file);
}

/* Does @v's string end where its char array ends, at the latest? Then it needs a NUL more. */
static bool has_end(const struct value *v, const struct type *type)
{
	return type->kind == TYPE_STRING && !type->count && is_char_array(v) && v->btf.nr_elements &&
	       v->btf.nr_elements <= LAYOUT_MAX_CHARS;
}

static uint32_t string_room(const struct value *v, const struct type *type)
{
	if (type->kind == TYPE_SYMSTR)
		return sizeof(uint64_t);	/* the address; the name is looked up when the line is printed */
	if (v->fetch.path)
		return LAYOUT_SHORT_PATH;
	if (v->fetch.src == FETCH_COMM)
		return LAYOUT_COMM_STRING;
	if (v->fetch.src == FETCH_TEXT)
		return (uint32_t)strlen(v->fetch.text) + 1;
	if (type->kind == TYPE_BLOCK)
		return LAYOUT_BLOCK;
	if (type->bytes)
		return type->bytes;
	if (has_end(v, type))
		return v->btf.nr_elements + 1;
	return LAYOUT_SHORT_STRING;
}

/*
 * A field of an event. A string is read where the value points: at the text in the record, or what a pointer in it points to (6.12,
 * kernel/trace/trace_probe.c, finalize_fetch_insn()). What is longer than a number is an array or a text. Of an array, a
 * type for a number means the first one.
 */
static int event_type(const struct resolver *r, const struct arg *arg, const struct type *type, struct value *v)
{
	bool here = v->fetch.form != FIELD_NUMBER;

	if (is_string(type) && !type->count) {
		value_follow(r, v, 0, type->kind == TYPE_USTRING);
		return 0;
	}
	if (type->count && here) {
		value_follow(r, v, 0, false);
		return 0;
	}
	if (!here)
		return 0;
	if (arg->type.at.len && type->size && type->size <= v->array_bytes) {
		value_follow(r, v, 0, false);
		return 0;
	}
	diag_at(r->diag, -EINVAL, arg->type.at.len ? arg->type.at : arg->at, "$%s is %s, not a number", arg->expr->name,
		v->is_text ? "a text" : "an array");
	diag_note(r->diag, v->is_text ? "help: its type is string" : "help: write the type of its elements and their number: TYPE[N]");
	return -EINVAL;
}

int resolve_type(struct resolver *r, const struct arg *arg, struct value *v,
		 struct layout_field *ret)
{
	struct type type = arg->type.kind == TYPE_NONE ? default_type(r, v) : arg->type;
	int err = resolve_show(r, arg, v, &type, ret);

	if (err)
		return err;
	if (type.kind == TYPE_DENTRY || type.kind == TYPE_FILE) {
		err = path_string(r, arg, v);
		type.kind = TYPE_STRING;
	} else if (type.kind == TYPE_PATH) {
		err = resolve_path(r, arg, v);
		type.kind = TYPE_STRING;
	} else if (type.until_null) {
		err = vector(r, arg, &type, v);
	} else if (is_string(&type) && r->def->probe == PROBE_UPROBE && arg->expr->kind == EXPR_ARG) {
		value_follow(r, v, 0, true);
	} else if (v->fetch.src == FETCH_FIELD && !v->fetch.nr_derefs) {
		err = event_type(r, arg, &type, v);
	} else if (is_string(&type) && v->has_btf) {
		err = btf_string(r, arg, &type, v);
	} else if (is_string(&type) && r->proto.is_syscall && arg->expr->kind == EXPR_ARG) {
		/* Its type is unknown, so the type that the user gave is used. */
		value_follow(r, v, 0, type.kind == TYPE_USTRING);
	}
	if (err)
		return err;
	if (type.kind == TYPE_BITFIELD) {
		ret->bit_off = type.bit_off;
		ret->bit_width = type.bit_width;
		ret->bit_signed = type.bit_signed;
		/* From here on it is a number like others. */
		if (type.bit_signed)
			type = (struct type){ .kind = TYPE_SIGNED, .size = type.size, .at = type.at };
	} else if (v->bit_width && v->bit_width != 8 * type.size && !type_is_dynamic(&type)) {
		ret->bit_off = v->bit_off;
		ret->bit_width = v->bit_width;
		ret->bit_signed = v->bit_signed;
	}
	if (arg->own_bits) {
		ret->bit_off = 0;
		ret->bit_width = arg->own_bits < 8 * type.size ? arg->own_bits : 0;
		ret->bit_signed = ret->bit_width && arg->own_signed;
		v->fetch.read = v->fetch.nr_derefs ? arg->own_bits / 8 : 0;
		v->fetch.shift = arg->own_off;
	}
	if (type.count && !v->is_memory)
		return diag_at(r->diag, -EINVAL, arg->type.at, "an array is read from memory, and this is only a value: write "
			       "+0(ADDRESS):TYPE[N]");
	ret->type = type;
	ret->grows = (is_string(&type) && v->is_memory && !has_end(v, &type)) || type.length;
	ret->count = type.count ? type.count : 1;
	/* A value saved at the entry is missing if the entry probe missed its hit. */
	ret->mark = fetch_can_fail(&v->fetch) ? 0 : LAYOUT_NO_MARK;
	ret->room = type_is_dynamic(&type) ? string_room(v, &type) : 0;
	return 0;
}
