// SPDX-License-Identifier: GPL-2.0-only
/*
 * resolve_c.c - C expressions over the kernel's types: what BTF says to the rules of cexpr/value.c, and what their result is to a plan.
 */
#include <errno.h>

#include "kernel/syms/ksyms.h"
#include "plan/fetches.h"
#include "plan/resolver.h"

/* ---- types ---- */

static struct kbtf_id id_of(const struct c_type *t)
{
	return (struct kbtf_id){ t->own, (uint32_t)t->own_id };
}

static uint64_t bytes_of(struct kbtf_id id)
{
	struct kbtf_type t;

	kbtf_describe(id, &t);
	return t.kind == KBTF_ARRAY ? t.nr_elements * bytes_of(t.target) : t.size;
}

static struct c_type describe(struct kbtf_id id)
{
	static const enum c_kind kinds[] = {
		[KBTF_VOID] = C_VOID, [KBTF_INT] = C_NUMBER, [KBTF_ENUM] = C_NUMBER, [KBTF_PTR] = C_POINTER, [KBTF_STRUCT] = C_STRUCT,
		[KBTF_ARRAY] = C_ARRAY, [KBTF_OTHER] = C_OTHER,
	};
	struct kbtf_type t;

	kbtf_describe(id, &t);
	return (struct c_type){ .kind = kinds[t.kind], .size = bytes_of(id), .is_signed = t.is_signed, .is_char = t.is_char,
				.is_enum = t.kind == KBTF_ENUM, .own = t.self.btf, .own_id = t.self.id };
}

/* A type that BTF knows, or one that was made of what is known: a pointer to the running task. */
static struct c_type type_of(struct c_look *l, const struct kbtf_type *t)
{
	struct c_type to;

	if (t->self.btf)
		return describe(t->self);
	if (t->kind == KBTF_INT || t->kind == KBTF_ENUM)
		return c_number_type((uint8_t)t->size, t->is_signed);
	to = describe(t->target);
	return c_pointer_type(l, &to, false);
}

/* @t as the rest of plan/ knows types. */
static struct kbtf_type to_btf(const struct resolver *r, const struct c_type *t)
{
	struct kbtf_type ret = { .kind = KBTF_PTR, .size = 8 }, to;

	if (t->own && !t->to) {
		kbtf_describe(id_of(t), &ret);
		return ret;
	}
	if (t->kind != C_POINTER)
		return (struct kbtf_type){ .kind = KBTF_INT, .size = (uint32_t)t->size, .is_signed = t->is_signed, .is_char = t->is_char };
	if (!t->to)
		return ret;
	to = to_btf(r, t->to);
	ret.target = to.self;
	if (!ret.target.btf && to.kind == KBTF_PTR && kbtf_find_pointer(to.target, &ret.target))
		ret.target = (struct kbtf_id){ 0 };
	return ret;
}

static bool target(struct c_look *l, const struct c_type *t, const struct cexpr *e, struct c_type *ret)
{
	struct kbtf_type type;

	(void)e;
	(void)l;
	kbtf_describe(id_of(t), &type);
	*ret = describe(type.target);
	return true;
}

/* A member that is a bit-field is in a number, unless it goes beyond that. */
static void take_bits(const struct kbtf_member *m, struct c_member *ret)
{
	uint64_t size = ret->type.size;

	ret->off = m->bit_off / 8;
	if (!m->bit_size)
		return;
	ret->bit_size = m->bit_size;
	ret->bit_off = m->bit_off % 8;
	if (!size || m->bit_off % (8 * size) + m->bit_size > 8 * size)
		return;
	ret->off = (int64_t)(m->bit_off / 8 / size * size);
	ret->bit_off = m->bit_off - (uint32_t)ret->off * 8;
	ret->bit_bytes = (unsigned)size;
}

static bool member(struct c_look *l, const struct c_type *t, const struct cexpr *e, const char *name, struct span at, struct c_member *ret)
{
	struct resolver *r = l->own;
	struct kbtf_member m;

	if (!kbtf_find_member(id_of(t), name, &m)) {
		ret->type = describe(m.type);
		take_bits(&m, ret);
		return true;
	}
	c_fails(l, at, NULL, "the structure has no field '%s'", name);
	resolve_note_fields(r, id_of(t), name, e->inner->at, e->kind == CEXPR_ARROW ? "->" : e->kind == CEXPR_FIELD ? "." : "");
	return false;
}

static bool find_type(const struct resolver *r, const struct cexpr_type *name, struct kbtf_id *ret)
{
	const char *module = resolve_own_module(r);

	if (name->tag == C_TAG_ENUM)
		return !kbtf_find_enum(r->btf, name->name, module, ret);
	if (!kbtf_find_composite(r->btf, name->name, module, ret))
		return true;
	return name->tag == C_TAG_NONE && (!kbtf_find_typedef(r->btf, name->name, module, ret) || !kbtf_find_typedef(r->btf, name->name, NULL, ret));
}

static bool named_type(struct c_look *l, const struct cexpr_type *name, struct c_type *ret)
{
	struct resolver *r = l->own;
	const char *similar;
	struct kbtf_id id;

	if (name->is_void) {
		*ret = (struct c_type){ .kind = C_VOID };
		return true;
	}
	if (name->is_number) {
		*ret = c_number_type(name->size, name->is_signed);
		ret->is_char = !strcmp(name->name, "char") || !strcmp(name->name, "unsigned char") || !strcmp(name->name, "signed char");
		ret->is_bool = name->is_bool;
		/* What a pointer points to must have a number in BTF, which knows whether char has a sign (since 6.2 it has none). */
		if (r->btf && !kbtf_find_type(r->btf, name->name, &id)) {
			ret->is_signed = ret->is_char ? describe(id).is_signed : ret->is_signed;
			ret->own = id.btf;
			ret->own_id = id.id;
		}
		return true;
	}
	if (r->def->probe == PROBE_UPROBE)
		return c_fails(l, name->at, NULL, "the types of a program are not known here, only those of numbers, such as u32");
	if (!r->btf || !kbtf_raw(r->btf))
		return c_fails(l, name->at, NULL, "this needs the kernel's types, and there is no BTF that tells them");
	if (find_type(r, name, &id)) {
		*ret = describe(id);
		return true;
	}
	similar = kbtf_similar_composite(r->btf, name->name);
	return c_fails(l, name->at, similar ? arena_printf(l->arena, "did you mean %s?", similar) : NULL,
		       "neither this kernel nor a loaded module has a type '%s'", name->name);
}

/* ---- values ---- */

/* Where @f begins. */
static const struct calc *source_leaf(struct c_look *l, const struct fetch *f, const struct c_type *type, bool is_value)
{
	struct fetch *source = arena_new(l->arena, struct fetch);
	bool whole = !is_value || type->kind != C_NUMBER || !(type->size == 1 || type->size == 2 || type->size == 4);

	*source = *f;
	source->derefs = NULL;
	source->nr_derefs = 0;
	if (source->src == FETCH_CALC)
		return source->calc;
	if (source->src == FETCH_VALUE)
		return calc_number(l->arena, source->value, 8, false);
	return calc_leaf(l->arena, source, whole ? 8 : (uint8_t)type->size, !whole && type->is_signed);
}

/* @v, which a word of the probe language is, as what C calculates with. */
static void take_value(struct c_look *l, const struct value *v, struct c_value *ret)
{
	const struct fetch *f = &v->fetch;

	*ret = (struct c_value){ .where = C_RESULT, .is_known = v->has_btf, .user = v->is_user };
	if (v->has_btf)
		ret->type = type_of(l, &v->btf);
	ret->base = source_leaf(l, f, &ret->type, v->has_btf && !f->nr_derefs);
	for (unsigned i = 0; i + 1 < f->nr_derefs; i++)
		ret->base = calc_read(l->arena, ret->base, f->derefs[i].off, 8, false, f->derefs[i].user);
	if (!f->nr_derefs)
		return;
	ret->where = C_MEMORY;
	ret->off = f->derefs[f->nr_derefs - 1].off;
	ret->user = f->derefs[f->nr_derefs - 1].user;
	ret->to_user = v->is_user;
	ret->bit_size = v->bit_width;
	ret->bit_off = v->bit_off;
	calc_split(&ret->base, &ret->off);
}

static bool fails_as_reported(struct c_look *l)
{
	l->failed = true;
	return false;
}

/* The type of the variable in this_cpu_ptr(@NAME). */
static void take_percpu_type(struct c_look *l, const struct expr *e, struct c_value *ret)
{
	struct resolver *r = l->own;
	struct c_type type;
	struct kbtf_id id;

	if (e->inner->kind != EXPR_MEMSYM || e->inner->off || !r->btf || kbtf_percpu_type(r->btf, e->inner->name, &id))
		return;
	type = describe(id);
	ret->type = e->reads ? type : c_pointer_type(l, &type, false);
	ret->is_known = true;
}

/* By itself $argN is a number of 64 bits, as in the kernel's language. In C it has the parameter's type. */
static void take_param_type(const struct resolver *r, const struct expr *word, struct value *v)
{
	if (word->kind != EXPR_ARG || !r->proto.known || word->n > r->proto.nr_params)
		return;
	v->btf = r->proto.types[word->n - 1];
	v->has_btf = true;
}

static bool operand(struct c_look *l, const struct cexpr *e, struct c_value *ret)
{
	struct resolver *r = l->own;
	const struct expr *word = e->word;
	struct value v = { 0 };

	if (value_expr(r, word, &v))
		return fails_as_reported(l);
	if (v.fetch.src == FETCH_COMM || v.fetch.src == FETCH_TEXT)
		return c_fails(l, e->at, NULL, "'%s' is a text, and no number", e->name);
	if (v.fetch.src == FETCH_FIELD && v.fetch.form != FIELD_NUMBER && !v.fetch.nr_derefs)
		return c_fails(l, e->at, NULL, "'%s' is %s, and no number", e->name, v.is_text ? "a text" : "an array");
	take_param_type(r, word, &v);
	if (v.by_value) {
		*ret = (struct c_value){ .where = C_PARTS, .parts = v.by_value, .type = type_of(l, &v.btf), .is_known = true };
		return true;
	}
	take_value(l, &v, ret);
	/* Only the running task is the kernel's. */
	if (r->def->probe == PROBE_UPROBE && v.fetch.src != FETCH_TASK)
		ret->user = true;
	if (word->kind == EXPR_PERCPU)
		take_percpu_type(l, word, ret);
	return true;
}

/* Some bytes of a structure in registers, or where it is in memory. */
static bool part(struct c_look *l, const struct cexpr *e, uint64_t size, struct c_value *v)
{
	struct resolver *r = l->own;
	struct value at = { .btf = to_btf(r, &v->type), .has_btf = true };
	uint32_t bits = (uint32_t)v->off * 8 + (v->bit_size ? v->bit_off : 0);
	struct calc *c;

	if (value_part(r, e->at, v->parts, bits, &at))
		return fails_as_reported(l);
	if (at.fetch.nr_derefs) {
		v->where = C_MEMORY;
		v->base = source_leaf(l, &at.fetch, &v->type, false);
		v->off = at.fetch.derefs[0].off;
		v->bit_off %= v->bit_size ? 8 : UINT32_MAX;
		v->bit_bytes = 0;
		v->user = at.fetch.derefs[0].user;
		return true;
	}
	c = arena_new(l->arena, struct calc);
	*c = *source_leaf(l, &at.fetch, &v->type, true);
	((struct fetch *)(uintptr_t)c->leaf)->shift = 0;
	c->bit_off = at.fetch.shift;
	c->bit_size = (uint8_t)(v->bit_size ? v->bit_size : at.fetch.shift ? 8 * MIN(size, 8u - at.fetch.shift / 8) : 0);
	*v = (struct c_value){ .where = C_RESULT, .base = c, .type = v->type, .is_known = true };
	return true;
}

static void fail(struct c_look *l, struct span at, const char *msg, const char *help)
{
	struct resolver *r = l->own;

	diag_at(r->diag, -EINVAL, at, "%s", msg);
	if (help)
		diag_note(r->diag, "help: %s", help);
}

static const struct c_source btf_source = {
	.operand = operand, .target = target, .member = member, .type = named_type, .part = part, .fail = fail,
};

/* ---- the result ---- */

static int take_calc(const struct resolver *r, const struct expr *e, const struct calc *c, struct value *v)
{
	v->fetch = (struct fetch){ .src = FETCH_CALC, .calc = c };
	if (calc_words(c) <= FETCH_CALC_WORDS)
		return 0;
	return diag_at(r->diag, -E2BIG, e->at, "this is too much to calculate at one hit: at most %d results can wait for others", FETCH_CALC_WORDS);
}

/* The fetch of a number of 64 bits, as the kernel's language does it if it can. */
static int take_base(const struct resolver *r, const struct expr *e, const struct calc *c, struct value *v)
{
	int64_t off;
	int err;

	if (!c || c->kind == CALC_NUMBER) {
		v->fetch = (struct fetch){ .src = FETCH_VALUE, .value = c ? c->number : 0 };
		return 0;
	}
	if (c->kind == CALC_LEAF && c->size == 8 && !c->bit_size) {
		v->fetch = *(const struct fetch *)c->leaf;
		return 0;
	}
	if (c->kind != CALC_READ || c->size != 8 || c->bit_size)
		return take_calc(r, e, c, v);
	off = c->off;
	err = take_base(r, e, c->a, v);
	if (!err)
		value_follow(r, v, off, c->user);
	return err;
}

void resolve_c_rebase(const struct resolver *r, struct value *v, int64_t *off)
{
	const struct calc *base = v->fetch.calc;
	const struct expr nowhere = { 0 };

	calc_split(&base, off);
	if (base != v->fetch.calc)
		take_base(r, &nowhere, base, v);	/* it needs no more words than before, so it does not fail */
}

static int take_memory(const struct resolver *r, const struct expr *e, const struct c_value *from, struct value *v)
{
	const struct calc *base = from->base;
	int64_t off = from->off;
	int err;

	calc_split(&base, &off);
	err = take_base(r, e, base, v);
	if (err)
		return err;
	v->bit_width = (uint8_t)from->bit_size;
	v->bit_off = from->bit_size ? from->bit_off % 8 : 0;
	v->bit_signed = from->bit_size && from->type.is_signed;
	value_follow(r, v, off + (from->bit_size ? from->bit_off / 8 : 0), from->user);
	v->is_user = from->user || from->to_user;
	return 0;
}

static int take_result(const struct resolver *r, const struct expr *e, const struct c_value *from, struct value *v)
{
	const struct calc *c = from->base;

	v->is_user = from->user;
	if (c->kind == CALC_LEAF) {
		v->fetch = *(const struct fetch *)c->leaf;
		v->fetch.shift = c->bit_off;
		v->bit_width = c->bit_size;
		v->bit_signed = c->bit_size && from->type.is_signed;
		return 0;
	}
	if (c->kind != CALC_NUMBER)
		return take_calc(r, e, c, v);
	v->fetch = (struct fetch){ .src = FETCH_VALUE, .value = c->number };
	return 0;
}

static int finish(struct c_look *l, const struct expr *e, struct c_value *from, struct value *v)
{
	const struct resolver *r = l->own;

	if (from->where == C_PARTS && !part(l, e->tree, from->bit_size ? from->bit_bytes : from->type.size, from))
		return r->diag->err;
	*v = (struct value){ .has_btf = from->is_known };
	if (from->is_known)
		v->btf = to_btf(r, &from->type);
	return from->where == C_MEMORY ? take_memory(r, e, from, v) : take_result(r, e, from, v);
}

int resolve_c(const struct resolver *r, const struct expr *e, struct value *v)
{
	struct resolver own = *r;
	struct c_look l = { .source = &btf_source, .arena = r->arena, .own = &own };
	struct c_value value = { 0 };

	if (!c_evaluate(&l, e->tree, &value))
		return r->diag->err;
	return finish(&l, e, &value, v);
}

/* ---- this CPU's variables ---- */

static int no_percpu(const struct resolver *r, const struct expr *e)
{
	return diag_at(r->diag, -EOPNOTSUPP, e->at, "this kernel has no __per_cpu_offset, so it is not known where this CPU's variables are");
}

/*
 * this_cpu_read(X) is +0(this_cpu_ptr(X)). Of @SYM the address is meant (7.3; compared in the guests). Without symbols the addresses
 * stay 0, as for @SYM.
 */
int resolve_percpu(const struct resolver *r, const struct expr *e, struct value *v)
{
	struct resolver own = *r;
	struct c_look l = { .source = &btf_source, .arena = r->arena, .own = &own };
	struct fetch *offset = arena_new(r->arena, struct fetch);
	struct c_value inner = { 0 };
	const struct calc *at;
	int err = e->inner->kind == EXPR_MEMSYM || e->inner->kind == EXPR_MEM ? value_address(r, e->inner, v) : value_expr(r, e->inner, v);

	if (err)
		return err;
	if (v->by_value || v->is_text || v->fetch.src == FETCH_COMM || v->fetch.src == FETCH_TEXT ||
	    (v->fetch.src == FETCH_FIELD && v->fetch.form != FIELD_NUMBER && !v->fetch.nr_derefs))
		return diag_at(r->diag, -EINVAL, e->inner->at, "this is no address of per-CPU memory");
	v->has_btf = false;
	take_value(&l, v, &inner);
	if (!c_calculate(&l, &(struct cexpr){ .at = e->inner->at }, &inner))
		return r->diag->err;
	*offset = (struct fetch){ .src = FETCH_PERCPU };
	if (r->ks && !ksyms_hidden(r->ks)) {
		offset->value = ksyms_address(r->ks, "__per_cpu_offset");
		if (!offset->value)
			return no_percpu(r, e);
	}
	at = calc_op(r->arena, C_ADD, calc_leaf(r->arena, offset, 8, false), inner.base, 8, false);
	*v = (struct value){ 0 };
	if (!e->reads)
		return take_calc(r, e, at, v);
	return take_memory(r, e, &(struct c_value){ .where = C_MEMORY, .base = at }, v);
}
