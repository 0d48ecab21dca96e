// SPDX-License-Identifier: GPL-2.0-only
/*
 * ksyscall.c - finds system calls by name.
 *
 * With CONFIG_FTRACE_SYSCALLS, the kernel keeps a struct syscall_metadata for each system call (6.12,
 * include/trace/syscall.h), for its own system call events. It holds the call's name, and arrays with the names and
 * types of its parameters. BTF describes only the wrapper.
 */
#include "kernel/ksyscall.h"

#include <errno.h>

#include "arch/kernel.h"
#include "base/macros.h"
#include "kernel/btf/kbtf.h"
#include "kernel/mem/kmem.h"
#include "kernel/syms/ksyms.h"

enum { MAX_WORD = 256 };

/*
 * Where the members of struct syscall_metadata are. The number of parameters is an int up to 6.12 and seven bits in
 * 7.2; BTF tells which.
 */
struct layout {
	unsigned nr_off, nr_bits;	/* bits */
	unsigned types, args;		/* bytes */
};

static const struct layout usual = { .nr_off = 8 * 12, .nr_bits = 32, .types = 16, .args = 24 };

enum { METADATA_BYTES = 64 };

unsigned ksyscall_param_offset(unsigned i)
{
	return 8 * (unsigned)syscall_params[i];
}

/* Reads a string from the kernel's memory. It may end at the end of the mapped memory. */
static const char *read_string(struct arena *arena, struct kmem *mem, uint64_t addr)
{
	char text[MAX_WORD];

	for (size_t len = 0; len < sizeof(text); len++) {
		if (kmem_read(mem, addr + len, text + len, 1))
			return NULL;
		if (!text[len])
			return arena_strdup(arena, text);
	}
	return NULL;
}

static const char *const *read_strings(struct arena *arena, struct kmem *mem, uint64_t array, unsigned nr)
{
	const char **words = arena_array(arena, const char *, nr);
	uint64_t addrs[SYSCALL_PARAMS];

	if (nr && kmem_read(mem, array, addrs, nr * sizeof(addrs[0])))
		return NULL;
	for (unsigned i = 0; i < nr; i++) {
		words[i] = read_string(arena, mem, addrs[i]);
		if (!words[i])
			return NULL;
	}
	return words;
}

static struct layout find_layout(struct kbtf *kb)
{
	struct kbtf_member nr, types, args;
	struct kbtf_id meta;

	if (!kb || kbtf_find_struct(kb, "syscall_metadata", &meta) || kbtf_find_member(meta, "nb_args", &nr) ||
	    kbtf_find_member(meta, "types", &types) || kbtf_find_member(meta, "args", &args) ||
	    types.bit_off / 8 > METADATA_BYTES - 8 || args.bit_off / 8 > METADATA_BYTES - 8 ||
	    nr.bit_off / 8 > METADATA_BYTES - 8 || nr.bit_size > 32)
		return usual;
	return (struct layout){
		.nr_off = nr.bit_off, .nr_bits = nr.bit_size ? nr.bit_size : 32,
		.types = types.bit_off / 8, .args = args.bit_off / 8,
	};
}

static uint64_t word_at(const uint8_t *bytes, unsigned off)
{
	uint64_t word;

	memcpy(&word, bytes + off, sizeof(word));
	return word;
}

static void read_metadata(struct arena *arena, const struct ksyms *ks, struct kbtf *kb, struct kmem *mem,
			  struct ksyscall *call)
{
	struct layout at = find_layout(kb);
	const struct ksym *const *syms;
	uint8_t meta[METADATA_BYTES];
	uint64_t nr;

	if (!mem || ksyms_hidden(ks) ||
	    !ksyms_find(ks, arena_printf(arena, "__syscall_meta__%s", call->name), "vmlinux", &syms) ||
	    kmem_read(mem, syms[0]->addr, meta, sizeof(meta)))
		return;
	nr = word_at(meta, at.nr_off / 8) >> at.nr_off % 8 & ((1ull << at.nr_bits) - 1);
	if (nr > SYSCALL_PARAMS)
		return;
	call->nr_params = (unsigned)nr;
	call->types = read_strings(arena, mem, word_at(meta, at.types), call->nr_params);
	call->params = read_strings(arena, mem, word_at(meta, at.args), call->nr_params);
	call->known = call->types && call->params;
}

static const char wrapper_prefix[] = SYSCALL_WRAPPER;

const char *ksyscall_run_by(const char *function)
{
	size_t len = strlen(wrapper_prefix);

	/* NAME.cold is only a part of the function. */
	return strncmp(function, wrapper_prefix, len) || strchr(function, '.') ? NULL : function + len;
}

static const char *const wrapper_prefixes_32[] = { SYSCALL_WRAPPERS_32 };

static uint64_t address_of(const struct ksyms *ks, const char *name)
{
	const struct ksym *const *syms;

	return ksyms_find(ks, name, "vmlinux", &syms) ? syms[0]->addr : 0;
}

const char *ksyscall_function_32(struct arena *arena, const struct ksyms *ks, const char *call)
{
	uint64_t of_64 = address_of(ks, ksyscall_function(arena, call));

	for (unsigned i = 0; i < ARRAY_SIZE(wrapper_prefixes_32); i++) {
		const char *name = arena_printf(arena, "%s%s", wrapper_prefixes_32[i], call);
		uint64_t addr = address_of(ks, name);

		if (addr)
			return addr == of_64 ? NULL : name;
	}
	return NULL;
}

const char *ksyscall_run_instead_of(struct arena *arena, const struct ksyms *ks, const char *function)
{
	for (unsigned i = 1; i < ARRAY_SIZE(wrapper_prefixes_32); i++) {
		size_t len = strlen(wrapper_prefixes_32[i]);
		const char *run = strncmp(function, wrapper_prefixes_32[i], len) ? NULL : ksyscall_function_32(arena, ks, function + len);

		if (run && strcmp(run, function))
			return run;
	}
	return NULL;
}

const char *ksyscall_function(struct arena *arena, const char *call)
{
	return arena_printf(arena, "%s%s", wrapper_prefix, call);
}

const char *ksyscall_wanted(const struct ksyms *ks, const char *pattern)
{
	const char *call = ksyscall_bare_name(pattern);
	const struct ksym *const *syms;

	/*
	 * The kernel may have functions whose names begin with __do_, so such a pattern means functions. With the other
	 * prefixes it has no functions, or the system calls are meant.
	 */
	if (call && strpbrk(pattern, "*?["))
		return strncmp(pattern, "__do_", strlen("__do_")) ? call : NULL;
	return call && !ksyms_find(ks, pattern, NULL, &syms) ? call : NULL;
}

const char *ksyscall_name(struct arena *arena, const struct ksyms *ks, const char *call)
{
	const struct ksym *const *syms;
	const char *name = arena_printf(arena, "sys_%s", call);

	return ksyms_find(ks, name, NULL, &syms) ? arena_printf(arena, "SyS_%s", call) : name;
}

const char *ksyscall_bare_name(const char *name)
{
	static const char *const prefixes[] = { "sys_", "SyS_", "__se_sys_", "__do_sys_" };

	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++) {
		if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
			return name + strlen(prefixes[i]);
	}
	return NULL;
}

struct alias {
	struct arena *arena;
	const struct ksyms *ks;
	const char *name;		/* NULL: none yet */
};

/* A call without metadata is none. sys_ni_syscall, which stands for calls that are gone, has some (6.12, find_syscall_meta()). */
static void take_alias(void *ctx, const char *name)
{
	const struct ksym *const *meta;
	struct alias *a = ctx;
	const char *call = ksyscall_run_by(name);

	if (call && strcmp(call, "ni_syscall") && ksyms_find(a->ks, arena_printf(a->arena, "__syscall_meta__%s", call), "vmlinux", &meta))
		a->name = arena_printf(a->arena, "sys_%s", call);
}

/* The call that the function at @addr runs; NULL: none. A call without parameters has the same function for 32-bit tasks. */
static const char *name_at(struct arena *arena, const struct ksyms *ks, uint64_t addr)
{
	struct alias a = { .arena = arena, .ks = ks };
	const struct ksym *sym;

	if (addr && !ksyms_names_between(ks, addr, addr + 1, take_alias, &a)) {
		sym = ksyms_lookup(ks, addr, NULL);
		if (sym && sym->addr == addr)
			take_alias(&a, sym->name);
	}
	return a.name;
}

/* The table is taken to end where the next symbol begins, which may be too far. What follows the table is no system call. */
void ksyscall_names_read(struct ksyscall_names *names, const struct ksyms *ks, struct kmem *mem)
{
	enum { MOST = 4096 };
	uint64_t table = ks ? ksyms_address(ks, "sys_call_table") : 0, size = 0, *addrs;

	if (names->read)
		return;
	names->read = true;
	if (!table || !mem)
		return;
	ksyms_lookup(ks, table, &size);
	names->nr = (unsigned)MIN(size / 8, (uint64_t)MOST);
	addrs = arena_array(&names->arena, uint64_t, names->nr);
	names->names = arena_array(&names->arena, const char *, names->nr);
	if (kmem_read(mem, table, addrs, names->nr * sizeof(*addrs))) {
		names->nr = 0;
		return;
	}
	for (unsigned i = 0; i < names->nr; i++)
		names->names[i] = name_at(&names->arena, ks, addrs[i]);
}

void ksyscall_names_fini(struct ksyscall_names *names)
{
	arena_fini(&names->arena);
	*names = (struct ksyscall_names){ 0 };
}

const char *ksyscall_by_number(struct ksyscall_names *names, const struct ksyms *ks, struct kmem *mem, uint64_t nr)
{
	ksyscall_names_read(names, ks, mem);
	return nr < names->nr ? names->names[nr] : NULL;
}

int ksyscall_find(struct arena *arena, const struct ksyms *ks, struct kbtf *kb, struct kmem *mem,
		  const char *name, struct ksyscall *ret)
{
	const char *call = ksyscall_bare_name(name);
	const struct ksym *const *syms;

	if (!call || !ksyms_find(ks, ksyscall_function(arena, call), "vmlinux", &syms))
		return -ENOENT;
	*ret = (struct ksyscall){ .wrapper = syms[0], .name = arena_strdup(arena, call) };
	read_metadata(arena, ks, kb, mem, ret);
	return 0;
}
