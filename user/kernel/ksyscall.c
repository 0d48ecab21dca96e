// SPDX-License-Identifier: GPL-2.0-only
/*
 * ksyscall.c - system calls by name.
 *
 * With CONFIG_FTRACE_SYSCALLS the kernel keeps, for its own system call events, a
 * struct syscall_metadata for each call (6.12, include/trace/syscall.h): its name, and
 * arrays with the names and types of its parameters. BTF knows the wrapper only.
 */
#include "kernel/ksyscall.h"

#include <errno.h>

#include "base/macros.h"
#include "kernel/kmem.h"
#include "kernel/ksyms.h"

enum { MAX_WORD = 256 };

/* The beginning of struct syscall_metadata; the same since 2.6.33. */
struct metadata {
	uint64_t name;
	int32_t number, nr_args;
	uint64_t types, args;
};

/* rdi, rsi, rdx, r10, r8, r9 in struct pt_regs (arch/x86/include/asm/syscall.h). */
unsigned ksyscall_param_offset(unsigned i)
{
	static const unsigned char offsets[KSYSCALL_PARAMS] = { 112, 104, 96, 56, 72, 64 };

	return offsets[i];
}

/* A string of the kernel's, up to the end of what is mapped. */
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
	uint64_t addrs[KSYSCALL_PARAMS];

	if (nr && kmem_read(mem, array, addrs, nr * sizeof(addrs[0])))
		return NULL;
	for (unsigned i = 0; i < nr; i++) {
		words[i] = read_string(arena, mem, addrs[i]);
		if (!words[i])
			return NULL;
	}
	return words;
}

static void read_metadata(struct arena *arena, const struct ksyms *ks, struct kmem *mem, struct ksyscall *call)
{
	const struct ksym *const *syms;
	struct metadata meta;

	if (!mem || ksyms_hidden(ks) ||
	    !ksyms_find(ks, arena_printf(arena, "__syscall_meta__%s", call->name), "vmlinux", &syms) ||
	    kmem_read(mem, syms[0]->addr, &meta, sizeof(meta)) || meta.nr_args < 0 ||
	    meta.nr_args > KSYSCALL_PARAMS)
		return;
	call->nr_params = (unsigned)meta.nr_args;
	call->types = read_strings(arena, mem, meta.types, call->nr_params);
	call->params = read_strings(arena, mem, meta.args, call->nr_params);
	call->known = call->types && call->params;
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

int ksyscall_find(struct arena *arena, const struct ksyms *ks, struct kmem *mem, const char *name,
		  struct ksyscall *ret)
{
	const char *call = ksyscall_bare_name(name);
	const struct ksym *const *syms;

	if (!call || !ksyms_find(ks, arena_printf(arena, "__x64_sys_%s", call), "vmlinux", &syms))
		return -ENOENT;
	*ret = (struct ksyscall){ .wrapper = syms[0], .name = arena_strdup(arena, call) };
	read_metadata(arena, ks, mem, ret);
	return 0;
}
