// SPDX-License-Identifier: GPL-2.0-only
/*
 * type.c - how an argument is stored and printed.
 */
#include "lang/type.h"

#include <errno.h>

#include "base/number.h"
#include "lang/expr.h"
#include "lang/kind.h"
#include "lang/type_length.h"
#include "lang/type_words.h"

/* The type names of C, which users may write instead. */
static const struct {
	const char *name, *type;
} type_c_names[] = {
	{ "int", "s32" }, { "unsigned", "u32" }, { "uint", "u32" }, { "pid_t", "s32" },
	{ "long", "s64" }, { "ulong", "u64" }, { "short", "s16" }, { "bool", "u8" },
	{ "size_t", "u64" }, { "ssize_t", "s64" }, { "loff_t", "s64" }, { "ptr", "x64" },
	{ "pointer", "x64" }, { "void*", "x64" }, { "char*", "string" }, { "str", "string" },
	{ "hex", "x64" }, { "uint8_t", "u8" }, { "uint16_t", "u16" }, { "uint32_t", "u32" },
	{ "uint64_t", "u64" }, { "int8_t", "s8" }, { "int16_t", "s16" }, { "int32_t", "s32" },
	{ "int64_t", "s64" }, { "byte", "u8" }, { "sym", "symbol" }, { "umode_t", "u16" },
	{ "__be16", "be16" }, { "__be32", "be32" }, { "ipv4", "ip4" }, { "ipv6", "ip6" }, { "argv", "string[*]" },
	{ "strerror", "errno" }, { "err", "errno" }, { "sysnr", "syscall" }, { "syscall_nr", "syscall" },
};

static const char *type_suggest(struct arena *arena, const char *word)
{
	const char **names = arena_array(arena, const char *, nr_type_words);

	for (size_t i = 0; i < ARRAY_SIZE(type_c_names); i++) {
		if (!strcmp(type_c_names[i].name, word))
			return type_c_names[i].type;
	}
	for (unsigned i = 0; i < nr_type_words; i++)
		names[i] = type_words[i].name;
	return spell_nearest(word, names, nr_type_words);
}

static void list_types(struct parse *p)
{
	struct buf shown = { 0 };

	for (unsigned i = 0; i < nr_type_words; i++) {
		if (type_words[i].show)
			buf_addf(&shown, ", %s%s", type_words[i].name, type_words[i].show == SHOW_ENUM ? ", enum(NAME)" :
				 type_words[i].kind == TYPE_BUFFER ? "(LENGTH)" : "");
	}
	diag_note(p->diag, "help: the types are u8 to u64, s8 to s64, x8 to x64, char, "
			   "symbol, symstr, string, ustring, bWIDTH@OFFSET/SIZE, sbWIDTH@OFFSET/SIZE, %%pd, %%pD, path%s", buf_str(&shown));
	buf_fini(&shown);
}

static int refuse_type(struct parse *p, struct span at)
{
	const char *word = span_quote(p, at), *near = type_suggest(p->arena, word);
	int err;

	if (!at.len)
		err = diag_at(p->diag, -EINVAL, at, "no type after ':'");
	else
		err = diag_at(p->diag, -EINVAL, at, "unknown type '%s'", word);
	if (at.len && *word == 'b' && char_is_digit(word[1]))
		diag_note(p->diag, "help: a bit-field is bWIDTH@OFFSET/SIZE, "
				   "with a SIZE of 8, 16, 32 or 64");
	else if (at.len && word[strlen(word) - 1] == ')')
		diag_note(p->diag, "help: write the type after the last ')'");
	else if (near)
		diag_note(p->diag, "help: did you mean %s?", near);
	else
		list_types(p);
	return err;
}

static int refuse_bitfield(struct parse *p, struct span at)
{
	int err = diag_at(p->diag, -EINVAL, at, "bad bit-field '%s'", span_quote(p, at));

	diag_note(p->diag, "help: write bWIDTH@OFFSET/SIZE (with a sign: sbWIDTH@OFFSET/SIZE), with a WIDTH from 1 and "
			   "WIDTH + OFFSET up to SIZE");
	return err;
}

/* Parses bWIDTH@OFFSET/SIZE, or the same with an s in front. A wrong SIZE is an unknown type, other errors are a bad bit-field. */
static int parse_bitfield(struct parse *p, struct span at, struct type *type)
{
	uint32_t slash = span_find(p, at, "/"), sign = span_find(p, span_head(at, slash), "@");
	struct span width_at, off_at, size_at;
	uint64_t width, off, size;

	if (slash == at.len)
		return refuse_type(p, at);
	size_at = span_tail(at, slash + 1);
	if (number_u64(span_ptr(p, size_at), size_at.len, 0, &size) ||
	    (size != 8 && size != 16 && size != 32 && size != 64))
		return refuse_type(p, at);
	if (sign == slash)
		return refuse_bitfield(p, at);
	type->bit_signed = *span_ptr(p, at) == 's';
	width_at = span_tail(span_head(at, sign), type->bit_signed ? 2 : 1);
	off_at = span_tail(span_head(at, slash), sign + 1);
	if (!width_at.len || !char_is_digit(*span_ptr(p, width_at)) ||
	    number_u64(span_ptr(p, width_at), width_at.len, 0, &width) ||
	    !off_at.len || !char_is_digit(*span_ptr(p, off_at)) ||
	    number_u64(span_ptr(p, off_at), off_at.len, 0, &off) ||
	    !width || width > size || off > size - width)
		return refuse_bitfield(p, at);
	type->kind = TYPE_BITFIELD;
	type->size = (uint8_t)(size / 8);
	type->bit_width = (uint8_t)width;
	type->bit_off = (uint8_t)off;
	return 0;
}

/* Parses [N] at the end of @at. *ret_word is the text in front of it. */
static int parse_array(struct parse *p, struct span at, struct type *type, struct span *ret_word)
{
	uint32_t open = span_find(p, at, "["), close;
	struct span inside;
	uint64_t count;

	*ret_word = span_head(at, open);
	if (open == at.len)
		return 0;
	inside = span_tail(at, open + 1);
	close = span_find(p, inside, "]");
	if (close == inside.len)
		return diag_at(p->diag, -EINVAL, span_end(at), "the array is not closed with ']'");
	if (close + 1 < inside.len)
		return diag_at(p->diag, -EINVAL, span_tail(inside, close + 1),
			       "'%s' after the array's ']'",
			       span_quote(p, span_tail(inside, close + 1)));
	inside = span_head(inside, close);
	type->count_at = inside;
	if (span_is(p, inside, "*")) {
		type->until_null = true;
		type->count = LANG_MAX_VECTOR + 1;
		return 0;
	}
	if (number_u64(span_ptr(p, inside), inside.len, 0, &count) || !count ||
	    count > UINT32_MAX)
		return diag_at(p->diag, -EINVAL, inside, "'%s' is not a number of elements",
			       span_quote(p, inside));
	if (count > LANG_MAX_ARRAY)
		return diag_at(p->diag, -EINVAL, inside, "an array has up to %d elements",
			       LANG_MAX_ARRAY);
	type->count = (uint8_t)count;
	return 0;
}

/* enum(NAME): sets *at to the word before '(', and @type's name. */
static int parse_enum_name(struct parse *p, struct span *at, struct type *type)
{
	struct span name;

	if (!span_starts(p, *at, "enum("))
		return 0;
	name = span_tail(*at, (uint32_t)strlen("enum("));
	if (!name.len || span_find(p, name, ")") != name.len - 1)
		return diag_at(p->diag, -EINVAL, span_end(*at), "the enumeration's name is not closed with ')'");
	name = span_head(name, name.len - 1);
	if (!name_is_ident(span_ptr(p, name), name.len))
		return diag_at(p->diag, -EINVAL, name, "'%s' is not the name of an enumeration", span_quote(p, name));
	type->enum_name = span_dup(p, name);
	*at = span_head(*at, (uint32_t)strlen("enum"));
	return 0;
}

static int parse_word(struct parse *p, struct span at, struct type *type)
{
	const struct type_word *word = type_word_find(span_ptr(p, at), at.len);
	int err;

	if (!word && (span_starts(p, at, "b") || span_starts(p, at, "sb")))
		return parse_bitfield(p, at, type);
	err = word ? 0 : parse_enum_name(p, &at, type);
	if (err)
		return err;
	word = type_word_find(span_ptr(p, at), at.len);
	if (!word)
		return refuse_type(p, at);
	if (word->kind == TYPE_BUFFER)
		return length_missing(p, at);
	type->kind = word->kind;
	type->size = word->size;
	type->show = word->show;
	if (type->count && (type->kind == TYPE_DENTRY || type->kind == TYPE_FILE))
		return refuse_type(p, type->at);
	if (type->until_null && type->kind != TYPE_STRING && type->kind != TYPE_USTRING) {
		err = diag_at(p->diag, -EINVAL, type->count_at, "[*] reads strings up to a NULL pointer, and '%s' is no string",
			      word->name);
		diag_note(p->diag, "help: write string[*], or the number of elements");
		return err;
	}
	return 0;
}

int type_parse(struct parse *p, struct span at, bool is_text, struct type *ret)
{
	struct type type = { .at = at };
	struct span word;
	bool is_buffer = length_splits(p, at, &type);
	int err = is_buffer ? 0 : parse_array(p, at, &type, &word);

	if (err)
		return err;
	if (is_buffer && !is_text) {
		err = length_parse(p, &type);
		if (!err)
			*ret = type;
		return err;
	}
	if (is_text && (is_buffer || type.count || !span_is(p, word, "string")))
		return diag_at(p->diag, -EINVAL, at, "a text has the type 'string', not '%s'",
			       span_quote(p, at));
	err = parse_word(p, word, &type);
	if (!err)
		*ret = type;
	return err;
}

/* Is the last step of @expr a read of kernel memory? The next function: of user memory? */
static bool expr_reads_kernel(const struct expr *expr)
{
	return expr->kind == EXPR_MEM || expr->kind == EXPR_MEMSYM || expr->kind == EXPR_FILE ||
	       (expr->kind == EXPR_DEREF && !expr->user) ||
	       expr->kind == EXPR_FIELD;
}

static bool expr_reads_user(const struct expr *expr)
{
	return expr->kind == EXPR_DEREF && expr->user;
}

/*
 * BTF may know that the argument is a char pointer, which points to a string. $argN
 * stands for the parameter's name only if the argument has no NAME= of its own.
 */
static bool arg_has_btf_type(const struct arg *arg)
{
	switch (arg->expr->kind) {
	case EXPR_VAR:
	case EXPR_FIELD:
	case EXPR_RETVAL:
	case EXPR_EVENT_FIELD:		/* the event's format has its type */
	case EXPR_C:			/* ... and debug information */
		return true;
	case EXPR_ARG:
		return !arg->name_at.len;
	default:
		return false;
	}
}

static int refuse_string(struct parse *p, const struct expr *expr, const struct type *type)
{
	const char *word = span_quote(p, expr->at);
	int err = diag_at(p->diag, -EINVAL, type->at, "'%s' reads memory, and '%s' is only a value",
			  span_quote(p, type->at), word);

	diag_note(p->diag, "help: if it is a pointer, write +0(%s):%s", word,
		  span_quote(p, type->at));
	return err;
}

static int refuse_array(struct parse *p, const struct expr *expr, const struct type *type)
{
	int err;

	const char *instead = type->kind == TYPE_BITFIELD ? NULL : type_word_of(type)->array;

	if (type->bit_signed) {
		err = diag_at(p->diag, -EINVAL, type->at, "bit-fields with a sign cannot be an array");
		diag_note(p->diag, "help: fetch each of them as an argument of its own");
		return err;
	}
	if (!expr_reads_user(expr) && !instead)
		return refuse_string(p, expr, type);
	if (instead) {
		err = diag_at(p->diag, -EINVAL, type->at, "'%s' cannot be an array", type_word_of(type)->name);
		diag_note(p->diag, *instead ? "help: write %s[%u]" : "help: fetch each of them as an argument of its own", instead,
			  type->count);
	} else {
		err = diag_at(p->diag, -EINVAL, type->at, "an array of numbers cannot be read with '+u'");
		diag_note(p->diag, "help: +OFFSET(...) reads user addresses as well");
	}
	return err;
}

static bool symstr_fits(const struct parse *p, const struct expr *expr)
{
	switch (expr->kind) {
	case EXPR_REG:
	case EXPR_STACKN:
	case EXPR_RETVAL:
	case EXPR_EVENT_FIELD:
	case EXPR_C:
		return true;
	case EXPR_ARG:			/* at the return it is data saved at the entry */
	case EXPR_VAR:
		return p->def->kind == DEF_ENTRY;
	default:
		return expr_reads_kernel(expr);
	}
}

/* A parameter of a program's function, or an argument of a marker: as a string it is a pointer to one. */
static bool is_user_param(const struct parse *p, const struct arg *arg)
{
	return p->def->probe == PROBE_UPROBE && arg->expr->kind == EXPR_ARG;
}

static bool string_fits(const struct arg *arg)
{
	const struct expr *expr = arg->expr;

	return expr_reads_kernel(expr) || expr_reads_user(expr) || expr->kind == EXPR_IMM ||
	       expr->kind == EXPR_COMM || expr->kind == EXPR_IMMSTR || arg_has_btf_type(arg);
}

/* An array is a loop around a read, which reads the numbers or the strings' pointers. */
static bool array_fits(const struct expr *expr, const struct type *type)
{
	if (type->bit_signed || (type->kind != TYPE_BITFIELD && type_word_of(type)->array))
		return false;
	return type_is_dynamic(type) || expr_reads_kernel(expr) || expr->kind == EXPR_EVENT_FIELD || expr->kind == EXPR_C;
}

/* The number of steps that follow the expression's own in the fetch program: store, bit-field, array. */
static unsigned store_steps(const struct expr *expr, const struct type *type)
{
	bool reads = expr_reads_kernel(expr) || expr_reads_user(expr);
	unsigned steps = reads ? 0 : 1;		/* a store replaces the last read */

	if (type_is_dynamic(type) && (type->kind == TYPE_SYMSTR || type->count))
		steps = 1;
	return steps + (type->kind == TYPE_BITFIELD) + (type->count ? 1 : 0);
}

/* The types that BTF has to know, or that no register can hold. */
static int check_source(struct parse *p, const struct arg *arg)
{
	const struct expr *expr = arg->expr;
	const struct type *type = &arg->type;
	int err;

	if (type->kind == TYPE_NONE || type->kind == TYPE_BITFIELD || arg_has_btf_type(arg))
		return 0;
	if (type_in_memory(type) && !expr_reads_kernel(expr) && !expr_reads_user(expr))
		return refuse_string(p, expr, type);
	if (type->show != SHOW_ENUM || type->enum_name)
		return 0;
	err = diag_at(p->diag, -EINVAL, type->at, "'%s' has no type that BTF knows, so its enumeration is not known",
		      span_quote(p, expr->at));
	diag_note(p->diag, "help: name the enumeration: enum(NAME)");
	return err;
}

/* Only a type says whether a path, a file or a dentry is there. A field of an event has a name and a size. */
static int check_path(struct parse *p, const struct arg *arg)
{
	const struct expr *expr = arg->expr;
	unsigned nr = 1;
	int err;

	if (arg->type.count)
		return refuse_array(p, expr, &arg->type);
	for (const struct arg *a = p->def->args; a < arg; a++)
		nr += a->type.kind == TYPE_PATH;
	if (nr > LANG_MAX_PATHS)
		return diag_at(p->diag, -E2BIG, arg->at, "this is the %uth path, and a definition has at most %d", nr, LANG_MAX_PATHS);
	if (expr->kind == EXPR_TASK)
		return 0;
	if (expr->kind == EXPR_ARG ? p->def->probe != PROBE_UPROBE : arg_has_btf_type(arg) && expr->kind != EXPR_EVENT_FIELD)
		return 0;
	err = diag_at(p->diag, -EINVAL, arg->type.at, "nothing says that '%s' is a path, a file or a dentry", span_quote(p, expr->at));
	if (p->def->probe == PROBE_UPROBE)
		diag_note(p->diag, "help: these are the kernel's: $current leads to them, as in $current->fs->pwd:path");
	else if (expr->kind == EXPR_DEREF || expr->kind == EXPR_MEM || expr->kind == EXPR_MEMSYM)
		diag_note(p->diag, "help: name the structure and its field with a cast, as in (file)$arg1->f_path:path");
	else
		diag_note(p->diag, "help: name the structure with a cast: (file)%.*s->f_path:path if it is a struct file, "
			  "(file,f_path)%.*s->f_path:path if it is a struct path", (int)expr->at.len, span_ptr(p, expr->at), (int)expr->at.len,
			  span_ptr(p, expr->at));
	return err;
}

/* A time is a number. */
static int check_elapsed(struct parse *p, const struct type *type)
{
	bool fits = type->kind == TYPE_NONE || type->kind == TYPE_UNSIGNED || type->kind == TYPE_SIGNED || type->kind == TYPE_HEX;
	int err;

	if (fits && !type->count && type->show == SHOW_PLAIN)
		return 0;
	err = diag_at(p->diag, -EINVAL, type->at, "$elapsed is a number of nanoseconds, so its type cannot be '%s'",
		      span_quote(p, type->at));
	diag_note(p->diag, "help: its types are u8 to u64, s8 to s64 and x8 to x64; without a type it is u64");
	return err;
}

/*
 * Programs have no kernel symbols, and the structures of %pd are the kernel's (6.12, kernel/trace/trace_probe.c, find_fetch_type();
 * trace_uprobe.c and trace_eprobe.c do not replace %pd).
 */
static bool type_fits_kind(const struct parse *p, const struct type *type)
{
	bool user = p->def->probe == PROBE_UPROBE;

	switch (type->kind) {
	case TYPE_SYMBOL:
	case TYPE_SYMSTR:
		return !user;
	case TYPE_DENTRY:
	case TYPE_FILE:
		return !user && p->def->probe != PROBE_EVENT;
	default:
		return true;
	}
}

static int refuse_for_kind(struct parse *p, const struct type *type)
{
	bool is_symbol = type->kind == TYPE_SYMBOL || type->kind == TYPE_SYMSTR;
	int err = diag_at(p->diag, -EINVAL, type->at, "%s has no type '%s'", kind_of(p->def->probe)->name, span_quote(p, type->at));

	diag_note(p->diag, is_symbol ? "help: it names an address of the kernel; x64 prints any address"
				     : "help: only probes of the kernel's functions and tracepoints can follow a struct dentry or file");
	return err;
}

int type_check(struct parse *p, const struct arg *arg)
{
	const struct expr *expr = arg->expr;
	const struct type *type = &arg->type;
	int err;

	if (expr->kind == EXPR_ELAPSED)
		return check_elapsed(p, type);

	if (!type_fits_kind(p, type))
		return refuse_for_kind(p, type);
	if (type->kind == TYPE_DENTRY || type->kind == TYPE_FILE)
		return expr_check_deref(p, expr, type->kind == TYPE_FILE ? 3 : 2);
	if (type->kind == TYPE_PATH)
		return check_path(p, arg);
	if (type->kind == TYPE_SYMSTR && !symstr_fits(p, expr)) {
		err = diag_at(p->diag, -EINVAL, type->at, "'symstr' cannot print a constant, $stack, user memory or a "
			      "value kept from the entry");
		diag_note(p->diag, "help: the type 'symbol' can print any number");
		return err;
	}
	if ((type->kind == TYPE_STRING || type->kind == TYPE_USTRING) && !string_fits(arg) && !is_user_param(p, arg))
		return refuse_string(p, expr, type);
	err = type->kind == TYPE_BUFFER && expr->kind == EXPR_ARG ? 0 : check_source(p, arg);
	if (err)
		return err;
	if (type->count && !array_fits(expr, type))
		return refuse_array(p, expr, type);
	if (expr_steps(expr) + store_steps(expr, type) >= LANG_MAX_OPS)
		return diag_at(p->diag, -EINVAL, type->at, "nested too deeply for this type");
	return 0;
}
