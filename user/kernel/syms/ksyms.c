// SPDX-License-Identifier: GPL-2.0-only
/*
 * ksyms.c - the kernel's symbols: reads them, and finds names among them.
 *
 * ksyms_addr.c looks up addresses, ksyms_near.c finds similar names.
 */
#include "kernel/syms/ksyms.h"

#include <errno.h>

#include "kernel/syms/ksyms_packed.h"
#include "kernel/syms/ksyms_table.h"

/* ---- open and close ---- */

static struct ksyms *new_ksyms(const char *modules)
{
	struct arena arena = { 0 };
	struct ksyms_lazy *lazy = arena_new(&arena, struct ksyms_lazy);
	struct ksyms *ks = arena_new(&arena, struct ksyms);

	ks->lazy = lazy;
	lazy->modules_path = modules ? arena_strdup(&arena, modules) : NULL;
	lazy->arena = arena;		/* it also contains lazy: see ksyms_close() */
	return ks;
}

int ksyms_load_with(const char *path, const char *modules, struct ksyms **ret, struct diag *diag)
{
	struct ksyms *ks = new_ksyms(modules);
	int err = ksyms_read_table(ks->lazy, path, false, &ks->hidden, diag);

	if (err) {
		ksyms_close(ks);
		return err;
	}
	*ret = ks;
	return 0;
}

int ksyms_load(const char *path, struct ksyms **ret, struct diag *diag)
{
	struct ksyms *ks;

	if (path)
		return ksyms_load_with(path, NULL, ret, diag);
	ks = new_ksyms("/proc/modules");
	if (ksyms_open_core(ks->lazy)) {
		*ret = ks;
		return 0;
	}
	ksyms_close(ks);
	return ksyms_load_with("/proc/kallsyms", "/proc/modules", ret, diag);
}

void ksyms_close(struct ksyms *ks)
{
	struct arena arena;

	if (!ks)
		return;
	ksyms_close_core(ks->lazy);
	buf_fini(&ks->lazy->sym_room);
	arena = ks->lazy->arena;
	arena_fini(&arena);
}

void ksyms_use_types(struct ksyms *ks, struct kbtf *btf)
{
	ks->lazy->btf = btf;
}

bool ksyms_hidden(const struct ksyms *ks)
{
	return ks->hidden;
}

/* The modules' symbols come after the kernel's own, one module after the other. */
bool ksyms_has_module(const struct ksyms *ks, const char *name)
{
	struct ksyms_lazy *t = ks->lazy;
	const char *seen = NULL;

	ksyms_read_rest(t);
	for (size_t i = t->count; i && t->sym[i - 1].module; i--) {
		const char *module = t->sym[i - 1].module;

		if (module != seen && !strcmp(module, name))
			return true;
		seen = module;
	}
	return false;
}

/* Symbols of the per-CPU area are listed by their offsets in it, which are far below the kernel's addresses. */
bool ksyms_module_span(const struct ksyms *ks, uint64_t *ret_low, uint64_t *ret_high)
{
	struct ksyms_lazy *t = ks->lazy;
	uint64_t low = UINT64_MAX, high = 0;

	ksyms_read_rest(t);
	for (size_t i = t->count; i && t->sym[i - 1].module; i--) {
		const struct ksym *sym = &t->sym[i - 1];

		if (sym->type == 'U' || !(sym->addr >> 63))
			continue;
		low = MIN(low, sym->addr);
		high = MAX(high, sym->addr);
	}
	if (!high)
		return false;
	*ret_low = low;
	*ret_high = high;
	return true;
}

bool ksym_is_function(const struct ksym *sym)
{
	return sym->type == 't' || sym->type == 'T' || sym->type == 'w' || sym->type == 'W';
}

bool ksym_is_marker(const struct ksym *sym)
{
	return sym->name[0] == '_' && (!strncmp(sym->name, "__pfx_", 6) || !strncmp(sym->name, "__cfi_", 6));
}

size_t ksyms_count(const struct ksyms *ks)
{
	ksyms_read_rest(ks->lazy);
	return ks->lazy->nr_core + ks->lazy->count;
}

size_t ksyms_own_count(const struct ksyms *ks)
{
	return ks->lazy->nr_core ? ks->lazy->nr_core : ksyms_count(ks);
}

const struct ksym *ksyms_at(const struct ksyms *ks, size_t i)
{
	struct ksyms_lazy *t = ks->lazy;

	return i < t->nr_core ? ksyms_core(t, i) : &t->sym[i - t->nr_core];
}

bool ksyms_may_be_function(const struct ksyms *ks, size_t i)
{
	struct ksyms_lazy *t = ks->lazy;

	return i >= t->nr_core || kpacked_may_be_function(t->packed, i);
}

uint64_t ksyms_address_at(const struct ksyms *ks, size_t i)
{
	struct ksyms_lazy *t = ks->lazy;
	uint64_t addr;

	if (i < t->nr_core)
		return kpacked_addr(t->packed, i, &addr) ? addr : 0;
	return t->sym[i - t->nr_core].addr;
}

const char *ksym_brackets(const struct ksym *sym)
{
	return sym->module && strcmp(sym->module, "bpf") ? sym->module : NULL;
}

/* ---- names ---- */

static uint32_t hash_name(const char *name)
{
	uint64_t h = 0xcbf29ce484222325ull;

	for (; *name; name++)
		h = (h ^ (unsigned char)*name) * 0x100000001b3ull;
	return (uint32_t)(h >> 32 ^ h);
}

/* From the last symbol to the first one, so each chain is in the table's order. */
static void build_names(struct ksyms_lazy *t, struct name_index *ix)
{
	size_t buckets = 1;

	while (buckets < t->count)
		buckets *= 2;
	ix->mask = (uint32_t)buckets - 1;
	ix->heads = arena_array(&t->arena, uint32_t, buckets);
	ix->next = arena_array(&t->arena, uint32_t, t->count);
	for (size_t i = t->count; i--;) {
		uint32_t *head = &ix->heads[hash_name(t->sym[i].name) & ix->mask];

		ix->next[i] = *head;
		*head = (uint32_t)i + 1;
	}
}

static bool in_module(const struct ksym *sym, const char *module)
{
	if (!sym->module)
		return !strcmp(module, "vmlinux");
	return !strcmp(module, sym->module);
}

/* The first symbol of a chain that is called @name and is of @module (NULL: of any), as 1 + its number; 0: there is none. */
static uint32_t next_called(const struct ksyms_lazy *t, uint32_t at, const char *name, const char *module)
{
	while (at && (strcmp(t->sym[at - 1].name, name) || (module && !in_module(&t->sym[at - 1], module))))
		at = t->names.next[at - 1];
	return at;
}

/* Searches sym. */
static size_t find_in_table(struct ksyms_lazy *t, const char *name, const char *module,
			    const struct ksym *const **ret_first)
{
	struct name_index *ix = &t->names;
	const struct ksym **found;
	uint32_t first, at;
	size_t nr = 0;

	if (!t->count)
		return 0;
	if (!ix->heads)
		build_names(t, ix);
	first = next_called(t, ix->heads[hash_name(name) & ix->mask], name, module);
	for (at = first; at; at = next_called(t, ix->next[at - 1], name, module))
		nr++;
	if (!nr)
		return 0;
	found = arena_array(&t->arena, const struct ksym *, nr);
	nr = 0;
	for (at = first; at; at = next_called(t, ix->next[at - 1], name, module))
		found[nr++] = &t->sym[at - 1];
	*ret_first = found;
	return nr;
}

size_t ksyms_find(const struct ksyms *ks, const char *name, const char *module,
		  const struct ksym *const **ret_first)
{
	struct ksyms_lazy *t = ks->lazy;
	const struct ksym *const *rest = NULL;
	const struct ksym **all;
	size_t nr_core = 0, nr_rest;

	*ret_first = NULL;
	if (!t->packed)
		return find_in_table(t, name, module, ret_first);
	if (!module || !strcmp(module, "vmlinux"))
		nr_core = ksyms_find_core(t, name, ret_first);
	if (module ? !strcmp(module, "vmlinux") : !ksyms_rest_may_have(t, name))
		return nr_core;
	ksyms_read_rest(t);
	nr_rest = find_in_table(t, name, module, &rest);
	if (nr_core && nr_rest) {
		all = arena_array(&t->arena, const struct ksym *, nr_core + nr_rest);
		memcpy(all, *ret_first, nr_core * sizeof(*all));
		memcpy(all + nr_core, rest, nr_rest * sizeof(*all));
		*ret_first = all;
	} else if (nr_rest) {
		*ret_first = rest;
	}
	return nr_core + nr_rest;
}

uint64_t ksyms_address(const struct ksyms *ks, const char *name)
{
	const struct ksym *const *syms;

	return ksyms_find(ks, name, "vmlinux", &syms) ? syms[0]->addr : 0;
}
