// SPDX-License-Identifier: GPL-2.0-only
/*
 * resolve_proto.c - what is known about the probed function's parameters.
 */
#include "kernel/btf/ctype.h"
#include "plan/own_place.h"
#include "plan/resolver.h"

static void params_by_btf(const struct resolver *r, const struct kbtf_func *func, struct proto *p)
{
	const char **names = arena_array(r->arena, const char *, func->nr_params);
	struct kbtf_type *types = arena_array(r->arena, struct kbtf_type, func->nr_params);

	for (unsigned i = 0; i < func->nr_params; i++) {
		struct kbtf_id type;

		names[i] = arena_strdup(r->arena, kbtf_param(func, i, &type));
		kbtf_describe(type, &types[i]);
	}
	p->known = true;
	p->nr_params = func->nr_params;
	p->names = names;
	p->types = types;
}

/* Where the function's parameters are, and its return value. */
static void places_by_btf(const struct resolver *r, const struct kbtf_func *func, struct proto *p)
{
	struct call_type *types = arena_array(r->arena, struct call_type, func->nr_params + 1);
	struct call_place *places = arena_array(r->arena, struct call_place, func->nr_params + 1);

	for (unsigned i = 0; i < func->nr_params; i++) {
		struct kbtf_id type;

		kbtf_param(func, i, &type);
		kbtf_call_type(type, &types[i]);
	}
	kbtf_call_type(func->ret, &types[func->nr_params]);
	call_places(types, func->nr_params, &types[func->nr_params], places);
	call_return_place(&types[func->nr_params], &places[func->nr_params]);
	p->places = places;
}

static void params_by_metadata(const struct resolver *r, struct proto *p)
{
	const struct ksyscall *call = &r->call;
	struct kbtf_type *types = arena_array(r->arena, struct kbtf_type, call->nr_params);

	for (unsigned i = 0; i < call->nr_params; i++)
		ctype_describe(r->btf, call->types[i], &types[i]);
	p->known = call->known;
	p->nr_params = call->nr_params;
	p->names = call->params;
	p->types = types;
}

/* NAME.llvm.HASH is the function NAME, and BTF has the name that the source has. */
static const char *name_in_btf(const struct resolver *r, const char *symbol)
{
	const char *hash = strstr(symbol, ".llvm.");
	size_t digits = hash ? strspn(hash + strlen(".llvm."), "0123456789") : 0;

	if (!digits || hash[strlen(".llvm.") + digits])
		return symbol;
	return arena_strndup(r->arena, symbol, (size_t)(hash - symbol));
}

void proto_find(const struct resolver *r, struct proto *ret)
{
	const struct place *place = &r->def->place;
	struct proto p = { .is_syscall = r->call.wrapper || place->calls };
	struct kbtf_func func;

	*ret = (struct proto){ 0 };
	if (r->tracepoint)
		tracepoint_proto(r, ret);
	if (r->def->probe != PROBE_KPROBE && r->def->probe != PROBE_FPROBE)
		return;
	if (place->symbol && !place->pattern && def_reaches_args(r->def)) {
		const char *module = r->chosen ? own_place_module(r->chosen) : place->module;

		p.is_shared = r->chosen && own_place_is_mixed_up(r->ks, r->facts->features, r->chosen);
		p.has_ret = !p.is_shared && r->btf && !kbtf_find_func(r->btf, name_in_btf(r, place->symbol), module, &func);
		if (p.has_ret)
			kbtf_describe(func.ret, &p.ret);
		if (p.is_syscall)
			params_by_metadata(r, &p);
		else if (p.has_ret) {
			params_by_btf(r, &func, &p);
			places_by_btf(r, &func, &p);
		}
	}
	*ret = p;
}
