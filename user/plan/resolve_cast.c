// SPDX-License-Identifier: GPL-2.0-only
/*
 * resolve_cast.c - (STRUCT)ARG and (STRUCT,MEMBER)ARG: which structure a value points to, or into.
 */
#include <errno.h>

#include "lang/parse.h"
#include "plan/resolver.h"

static int no_struct(const struct resolver *r, const struct expr *e)
{
	const char *similar = kbtf_similar_composite(r->btf, e->name);
	int err = diag_at(r->diag, -ENOENT, e->name_at, "neither this kernel nor a loaded module has a structure '%s'", e->name);

	if (similar)
		diag_note(r->diag, "help: did you mean %s?", similar);
	return err;
}

static int find_struct(const struct resolver *r, const struct expr *e, struct kbtf_id *ret)
{
	int err = r->btf ? kbtf_find_composite(r->btf, e->name, resolve_own_module(r), ret) : -EOPNOTSUPP;

	if (err == -ENOENT)
		return no_struct(r, e);
	if (err)
		return diag_at(r->diag, err, e->name_at, "this needs the kernel's types, and there is no BTF that tells them");
	return 0;
}

/* One name of MEMBER.MEMBER, in @structure; *structure becomes its type. */
static int add_member(const struct resolver *r, const struct expr *e, struct span at, struct kbtf_id *structure, uint32_t *bits)
{
	const char *name = arena_strndup(r->arena, r->def->text + at.off, at.len);
	struct kbtf_member m;
	struct kbtf_type type;
	int err;

	kbtf_describe(*structure, &type);
	if (type.kind != KBTF_STRUCT)
		return diag_at(r->diag, -EINVAL, at, "'.' needs a structure before it");
	if (!kbtf_find_member(*structure, name, &m)) {
		*bits += m.bit_off;
		*structure = m.type;
		if (!m.bit_size)
			return 0;
		return diag_at(r->diag, -EINVAL, at, "'%s' is a bit-field: no address points to it", name);
	}
	err = diag_at(r->diag, -ENOENT, at, "the structure has no field '%s'", name);
	resolve_note_fields(r, *structure, name, (struct span){ e->member_at.off, at.off - e->member_at.off }, "");
	return err;
}

static int member_offset(const struct resolver *r, const struct expr *e, struct kbtf_id structure, int64_t *ret)
{
	struct span rest = e->member_at;
	uint32_t bits = 0;

	while (rest.len) {
		const char *name = r->def->text + rest.off, *dot = memchr(name, '.', rest.len);
		struct span at = span_head(rest, dot ? (uint32_t)(dot - name) : rest.len);
		int err = add_member(r, e, at, &structure, &bits);

		if (err)
			return err;
		rest = span_tail(rest, dot ? at.len + 1 : at.len);
	}
	*ret = bits / 8;
	return 0;
}

/* A number of another size is no address, and no structure or array is in a register. */
static int check_address(const struct resolver *r, const struct expr *e, const struct value *v)
{
	const struct kbtf_type *type = &v->btf;
	int err;

	if (!v->has_btf || (type->size == 8 && !v->bit_width &&
			    (type->kind == KBTF_PTR || type->kind == KBTF_INT || type->kind == KBTF_ENUM)))
		return 0;
	if (type->kind == KBTF_STRUCT || type->kind == KBTF_ARRAY)
		err = diag_at(r->diag, -EINVAL, e->inner->at, "this is %s, not an address: it cannot be cast",
			      type->kind == KBTF_STRUCT ? "a structure" : "an array");
	else
		err = diag_at(r->diag, -EINVAL, e->inner->at, "this is a number of %u bits, not an address: it cannot be cast",
			      v->bit_width ? v->bit_width : type->size * 8);
	if (type->kind == KBTF_STRUCT && e->inner->kind == EXPR_FIELD)
		diag_note(r->diag, "help: write its own fields behind a '.', as in %.*s.FIELD", (int)e->inner->at.len,
			  r->def->text + e->inner->at.off);
	return err;
}

int resolve_cast(const struct resolver *r, const struct expr *e, struct kbtf_id *ret_struct, int64_t *ret_off, struct value *v)
{
	struct kbtf_id structure;
	int64_t off = 0;
	int err = value_expr(r, e->inner, v);

	if (!err)
		err = check_address(r, e, v);
	if (!err)
		err = find_struct(r, e, &structure);
	if (!err && e->member)
		err = member_offset(r, e, structure, &off);
	if (err)
		return err;
	*ret_struct = structure;
	*ret_off = -off;
	return 0;
}
