// SPDX-License-Identifier: GPL-2.0-only
/*
 * resolve_path.c - what :path fetches: the address of a struct path or of a struct dentry.
 */
#include <errno.h>

#include "lang/parse.h"
#include "plan/resolver.h"

enum { MAX_HINTS = 3 };

/* Is this structure a path, or does it lead to one? Then its path is @ret_off bytes from its start. */
static enum fetch_path path_in(struct kbtf_id id, uint32_t *ret_off)
{
	const char *name = kbtf_name(id);
	struct kbtf_member m;

	*ret_off = 0;
	if (!strcmp(name, "path"))
		return FETCH_PATH;
	if (!strcmp(name, "dentry"))
		return FETCH_DENTRY_PATH;
	if (strcmp(name, "file") || kbtf_find_member(id, "f_path", &m))
		return FETCH_NO_PATH;
	*ret_off = m.bit_off / 8;
	return FETCH_PATH;
}

/* The structure that @type is or points to; NULL: none. */
static const struct kbtf_id *structure_of(const struct kbtf_type *type)
{
	struct kbtf_type to;

	if (type->kind == KBTF_STRUCT)
		return &type->self;
	if (type->kind != KBTF_PTR)
		return NULL;
	kbtf_describe(type->target, &to);
	return to.kind == KBTF_STRUCT ? &type->target : NULL;
}

/* Adds a note: which of the structure's fields have a path. */
static void note_paths(const struct resolver *r, const struct arg *arg, struct kbtf_id structure, bool is_pointer)
{
	struct buf names = { 0 };
	const char *name;

	for (unsigned i = 0, nr = 0; nr < MAX_HINTS && (name = kbtf_member_name(structure, i)); i++) {
		const struct kbtf_id *inside;
		struct kbtf_member m;
		struct kbtf_type type;
		uint32_t off;

		if (!*name || kbtf_find_member(structure, name, &m))
			continue;
		kbtf_describe(m.type, &type);
		inside = structure_of(&type);
		if (inside && path_in(*inside, &off))
			buf_addf(&names, "%s%.*s%s%s:path", nr++ ? ", " : "", (int)arg->expr->at.len, r->def->text + arg->expr->at.off,
				 is_pointer ? "->" : ".", name);
	}
	if (names.len)
		diag_note(r->diag, "help: it has a path: %s", buf_str(&names));
	buf_fini(&names);
}

/* Adds a note: what to write if only the user knows that this is a file's address. */
static void note_cast(const struct resolver *r, const struct arg *arg)
{
	bool is_field = arg->expr->kind == EXPR_FIELD;

	diag_note(r->diag, "help: if it is the address of a struct file, write (file)%s%.*s%s->f_path:path", is_field ? "(" : "",
		  (int)arg->expr->at.len, r->def->text + arg->expr->at.off, is_field ? ")" : "");
}

static int refuse(const struct resolver *r, const struct arg *arg, const struct kbtf_type *type)
{
	const struct kbtf_id *structure = structure_of(type);
	bool is_pointer = type->kind == KBTF_PTR;
	const char *name = structure ? kbtf_name(*structure) : "";
	int err;

	if (*name)
		diag_at(r->diag, -EINVAL, arg->expr->at, "this is %sa struct %s, and :path needs a struct path, file or dentry",
			is_pointer ? "a pointer to " : "", name);
	else
		diag_at(r->diag, -EINVAL, arg->expr->at, "this is %s, and :path needs a pointer to a struct path, file or dentry",
			is_pointer ? "a pointer to something else" : type->kind == KBTF_STRUCT ? "a structure" : "a number");
	err = r->diag->err;
	if (structure)
		note_paths(r, arg, *structure, is_pointer);
	else if (type->size == 8)
		note_cast(r, arg);
	return err;
}

/* The structure is here: its path is @off bytes further on. */
static void move_last(const struct resolver *r, struct value *v, uint32_t off)
{
	struct deref *derefs = arena_array(r->arena, struct deref, v->fetch.nr_derefs);

	memcpy(derefs, v->fetch.derefs, v->fetch.nr_derefs * sizeof(*derefs));
	derefs[v->fetch.nr_derefs - 1].off += off;
	v->fetch.derefs = derefs;
}

/* The reads of the last part's name: of the dentry's, which a struct path points to. */
static void find_last_part(const struct resolver *r, struct value *v)
{
	struct kbtf_member in_path, name, in_name;
	struct kbtf_id path, dentry;
	unsigned nr = v->fetch.nr_derefs;
	struct deref *derefs = arena_array(r->arena, struct deref, nr + 2);

	if (kbtf_find_struct(r->btf, "path", &path) || kbtf_find_struct(r->btf, "dentry", &dentry) ||
	    kbtf_find_member(path, "dentry", &in_path) || kbtf_find_member(dentry, "d_name", &name) ||
	    kbtf_find_member(name.type, "name", &in_name))
		return;
	memcpy(derefs, v->fetch.derefs, nr * sizeof(*derefs));
	if (v->fetch.path == FETCH_PATH) {
		derefs[nr - 1].off += in_path.bit_off / 8;
		derefs[nr++].off = 0;
	}
	derefs[nr - 1].off += (name.bit_off + in_name.bit_off) / 8;
	derefs[nr++].off = 0;
	v->fetch.last_part = derefs;
	v->fetch.nr_last_part = nr;
}

/* $argN with a name of its own is only a number in the kernel's grammar, but BTF knows the parameter all the same. */
static bool type_of_value(const struct resolver *r, const struct arg *arg, const struct value *v, struct kbtf_type *ret)
{
	bool is_param = arg->expr->kind == EXPR_ARG && r->proto.known && !r->proto.is_syscall && arg->expr->n - 1 < r->proto.nr_params;

	if (v->has_btf)
		*ret = v->btf;
	else if (is_param)
		*ret = r->proto.types[arg->expr->n - 1];
	return v->has_btf || is_param;
}

int resolve_path(const struct resolver *r, const struct arg *arg, struct value *v)
{
	const struct kbtf_id *structure;
	struct kbtf_type type;
	uint32_t off;
	int err;

	if (!type_of_value(r, arg, v, &type)) {
		err = diag_at(r->diag, -EOPNOTSUPP, arg->expr->at, "BTF does not tell what this is, so its path cannot be found");
		note_cast(r, arg);
		return err;
	}
	structure = structure_of(&type);
	v->fetch.path = structure ? path_in(*structure, &off) : FETCH_NO_PATH;
	if (!v->fetch.path)
		return refuse(r, arg, &type);
	if (type.kind != KBTF_PTR && (!v->is_memory || v->by_value))
		return diag_at(r->diag, -EOPNOTSUPP, arg->expr->at, "this structure is passed in registers, and :path needs one in memory");
	if (type.kind == KBTF_PTR)
		value_follow(r, v, off, false);
	else if (off)
		move_last(r, v, off);
	find_last_part(r, v);
	return 0;
}
