// SPDX-License-Identifier: GPL-2.0-only
/*
 * ktracepoints.c - the tracepoints of the kernel and its modules.
 *
 * The types of the arguments are those of btf_trace_NAME, which the verifier goes by. Their names are not there; they are in
 * the functions that the tracepoint has. __probestub_NAME (6.12, 7.2) and __traceiter_NAME have all names on 6.1, 6.12 and 7.2. In
 * 5.10's BTF 28 of 663 such functions are missing. __bpf_trace_CLASS has the names, too, but it belongs to a class of events, so
 * its own name is another one, and 5.10's BTF lacks it.
 */
#include "kernel/events/ktracepoints.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/memory.h"
#include "kernel/events/near.h"
#include "kernel/syms/ksyms.h"

static const char iterator[] = "__traceiter_", stub[] = "__probestub_";

struct ktracepoints {
	const struct ksyms *ks;
	struct kbtf *btf;
};

struct ktracepoints *ktracepoints_new(const struct ksyms *ks, struct kbtf *btf)
{
	struct ktracepoints *t = must(calloc(1, sizeof(*t)));

	*t = (struct ktracepoints){ ks, btf };
	return t;
}

void ktracepoints_close(struct ktracepoints *t)
{
	free(t);
}

static void expect(struct kbtf *btf, const char *prefix, const char *name)
{
	struct arena arena = { 0 };

	kbtf_expect(btf, arena_printf(&arena, "%s%s", prefix, name));
	arena_fini(&arena);
}

void ktracepoint_expect(struct kbtf *btf, const char *name)
{
	expect(btf, "btf_trace_", name);
	expect(btf, stub, name);
	expect(btf, iterator, name);
}

/* ---- one ---- */

/* The symbol @prefix@name. With @module NULL, the kernel's comes first, and modules' symbols are read only if there is none. */
static const struct ksym *find_symbol(const struct ktracepoints *t, const char *prefix, const char *name, const char *module)
{
	const struct ksym *const *syms = NULL;
	struct arena arena = { 0 };
	const char *full = arena_printf(&arena, "%s%s", prefix, name);
	bool found = ksyms_find(t->ks, full, module ? module : "vmlinux", &syms) ||
		     (!module && ksyms_find(t->ks, full, NULL, &syms));

	arena_fini(&arena);
	return found ? syms[0] : NULL;
}

/* The function whose parameters have names. */
static bool find_named(struct ktracepoints *t, const char *name, const char *module, struct kbtf_func *ret)
{
	static const char *const prefixes[] = { stub, iterator };
	bool found = false;

	for (size_t i = 0; !found && i < ARRAY_SIZE(prefixes); i++) {
		struct arena arena = { 0 };

		found = !kbtf_find_func(t->btf, arena_printf(&arena, "%s%s", prefixes[i], name), module, ret);
		arena_fini(&arena);
	}
	return found;
}

/* Parameter 0 is __data. */
static void describe_params(struct arena *arena, const struct kbtf_func *proto, const struct kbtf_func *named,
			    struct ktracepoint *ret)
{
	struct ktracepoint_param *params;

	ret->has_types = true;
	ret->nr_params = proto->nr_params - 1;
	params = arena_array(arena, struct ktracepoint_param, ret->nr_params);
	for (unsigned i = 0; i < ret->nr_params; i++) {
		struct kbtf_id ignored;

		params[i].name = arena_strdup(arena, kbtf_param(named ? named : proto, i + 1, named ? &ignored : &params[i].id));
		if (named)
			kbtf_param(proto, i + 1, &params[i].id);
		kbtf_describe(params[i].id, &params[i].type);
	}
	ret->params = params;
}

static void find_types(struct ktracepoints *t, struct arena *arena, struct ktracepoint *ret)
{
	const char *module = ret->module ? ret->module : "vmlinux";
	struct kbtf_func proto, named;
	bool has_names, has_proto;

	if (!t->btf)
		return;
	has_proto = !kbtf_find_typedef(t->btf, arena_printf(arena, "btf_trace_%s", ret->name), module, &ret->typedef_id) &&
		    !kbtf_find_proto(ret->typedef_id, &proto) && proto.nr_params;
	if (!has_proto)
		ret->typedef_id = (struct kbtf_id){ 0 };
	has_names = find_named(t, ret->name, module, &named) && named.nr_params;
	if (has_proto)
		describe_params(arena, &proto, has_names && named.nr_params == proto.nr_params ? &named : NULL, ret);
	else if (has_names)
		describe_params(arena, &named, NULL, ret);
}

int ktracepoint_find(struct ktracepoints *t, struct arena *arena, const char *name, const char *module, struct ktracepoint *ret)
{
	const struct ksym *iter = NULL, *hooked, *map;

	*ret = (struct ktracepoint){ 0 };
	if (!t->ks)
		return -EOPNOTSUPP;
	/* A dot would be a part of the function that the compiler made. */
	if (*name && !strchr(name, '.'))
		iter = find_symbol(t, iterator, name, module);
	if (!iter)
		return -ENOENT;
	ret->name = arena_strdup(arena, name);
	ret->module = iter->module ? arena_strdup(arena, iter->module) : NULL;
	module = ret->module ? ret->module : "vmlinux";
	hooked = find_symbol(t, stub, name, module);
	if (!hooked)
		hooked = iter;
	ret->symbol = arena_strdup(arena, hooked->name);
	ret->addr = hooked->addr;
	find_types(t, arena, ret);
	map = ret->typedef_id.id ? NULL : find_symbol(t, "__bpf_trace_tp_map_", name, module);
	ret->takes_bpf = ret->typedef_id.id || map;
	return 0;
}

const struct ktracepoint_param *ktracepoint_param(const struct ktracepoint *tp, const char *name)
{
	for (unsigned i = 0; *name && i < tp->nr_params; i++) {
		if (!strcmp(tp->params[i].name, name))
			return &tp->params[i];
	}
	return NULL;
}

/* ---- all ---- */

struct each {
	bool (*take)(void *ctx, const char *name, const char *module);
	void *ctx;
	bool more;
};

static void give(struct each *e, const struct ksym *sym)
{
	size_t len = strlen(iterator);

	if (e->more && !strncmp(sym->name, iterator, len) && !strchr(sym->name, '.'))
		e->more = e->take(e->ctx, sym->name + len, sym->module);
}

int ktracepoints_each(struct ktracepoints *t, bool (*take)(void *ctx, const char *name, const char *module), void *ctx)
{
	static const char *const prefixes[] = { iterator };
	struct each e = { take, ctx, true };
	struct buf found = { 0 };
	size_t own;

	if (!t->ks)
		return -EOPNOTSUPP;
	own = ksyms_own_count(t->ks);
	if (ksyms_find_begins(t->ks, prefixes, 1, &found)) {
		const size_t *numbers = (const size_t *)(const void *)found.data;

		for (size_t i = 0; e.more && i < found.len / sizeof(*numbers); i++)
			give(&e, ksyms_at(t->ks, numbers[i]));
	} else {
		for (size_t i = 0; e.more && i < own; i++) {
			if (ksyms_may_be_function(t->ks, i))
				give(&e, ksyms_at(t->ks, i));
		}
	}
	buf_fini(&found);
	for (size_t i = own, count = e.more ? ksyms_count(t->ks) : 0; e.more && i < count; i++)
		give(&e, ksyms_at(t->ks, i));
	return 0;
}

static bool offer(void *ctx, const char *name, const char *module)
{
	(void)module;
	near_offer(ctx, name, name);
	return true;
}

unsigned ktracepoints_similar(struct ktracepoints *t, struct arena *arena, const char *name, const char **ret, unsigned max)
{
	struct near_words words = { .arena = arena, .wanted = name, .ret = ret, .max = max };

	ktracepoints_each(t, offer, &words);
	return words.nr;
}
