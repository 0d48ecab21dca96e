// SPDX-License-Identifier: GPL-2.0-only
/*
 * reach.c - decides from the references whether a function can be called.
 *
 * If live memory has no reference, there are two possible cases. Nobody calls the function. Or boot code, which is
 * freed, has stored its address where bprobe does not look: in the heap.
 *
 * Kernels that seal landing pads show which case it is. The compiler gives a landing pad to each function that is global or whose address
 * is taken. At link time, objtool lists the functions that no pointer refers to, boot code included. The kernel
 * overwrites their landing pads when it starts (KERNEL_SEALS).
 * So an intact landing pad means: something took the address. One that is missing or sealed means: there are only direct
 * calls, and those would have been found.
 *
 * Other kernels do not show it. A static function without any reference would not exist, so boot code referred to it,
 * in an unknown way. The same can be true for a global function, but it is rare; the global ones whose address is
 * passed on are callbacks for seq_file.
 */
#include "kernel/xref/reach.h"

#include <ctype.h>
#include <dirent.h>

#include "arch/kernel.h"
#include "base/cleanup.h"
#include "base/macros.h"
#include "kernel/btf/kbtf.h"
#include "kernel/mem/kmem.h"
#include "kernel/syms/ksyms.h"

/* .BTF_ids is smaller than this on every kernel: 6 KiB in 7.2. */
#define BTF_IDS_MAX	((uint64_t)1 << 18)

struct reach_source {
	struct kbtf *kb;
	bool seals;
	uint32_t *ids;		/* .BTF_ids */
	size_t nr_ids;
	struct buf stacks;	/* stacks of all tasks: lines of "[<0>] NAME+0x..." */
};

/* ---- the rules ---- */

static bool is_global(const struct ksym *sym)
{
	return sym->type == 'T' || sym->type == 'W';
}

enum reach reach_judge(const struct ksym *sym, const struct xref *ref,
		       const struct reach_facts *facts)
{
	if (ref->branches || ref->pointers || facts->on_stack)
		return REACH_YES;
	/* In modules, the tables of symbols and of ftrace's sites would have to be told apart from references. */
	if (sym->module || ref->entry == ENTRY_UNSEEN)
		return REACH_UNKNOWN;
	if (facts->kfunc)
		return REACH_BPF;
	if (ref->entry == ENTRY_PAD)
		return REACH_UNKNOWN;
	if (facts->seals || ref->entry == ENTRY_SEALED)
		return REACH_NEVER;
	return is_global(sym) && !facts->callback ? REACH_NEVER : REACH_UNKNOWN;
}

/* ---- the kernel's lists for BPF ---- */

/*
 * .BTF_ids has no symbols, but it lies between .BTF and the end of rodata. It contains sets of functions that BPF
 * programs may call, and of types, by their numbers in BTF. Its other numbers are small: counts and flags. Other sets
 * contain functions that have callers.
 */
static void read_btf_ids(struct reach_source *source, struct kmem *km, const struct ksyms *ks)
{
	uint64_t start = ROUND_UP(ksyms_address(ks, "__stop_BTF"), 4), end = ksyms_address(ks, "__end_rodata");

	if (!start || end <= start || end - start > BTF_IDS_MAX)
		return;
	source->ids = malloc((size_t)(end - start));
	if (source->ids && !kmem_read(km, start, source->ids, (size_t)(end - start)))
		source->nr_ids = (size_t)(end - start) / sizeof(*source->ids);
}

static bool is_listed(const struct reach_source *source, uint32_t btf_id)
{
	for (size_t i = 0; i < source->nr_ids; i++) {
		if (source->ids[i] == btf_id)
			return true;
	}
	return false;
}

/* int show(struct seq_file *, ...): boot code passes such functions to proc_create_single(). */
static bool takes_seq_file(struct kbtf *kb, const struct kbtf_func *func)
{
	struct kbtf_type param;
	struct kbtf_id id, seq;

	if (!func->nr_params || kbtf_find_struct(kb, "seq_file", &seq))
		return false;
	kbtf_param(func, 0, &id);
	kbtf_describe(id, &param);
	if (param.kind != KBTF_PTR)
		return false;
	kbtf_describe(param.target, &param);
	return param.self.id == seq.id && param.self.btf == seq.btf;
}

/* ---- stacks ---- */

static void read_stack(struct reach_source *source, const char *pid)
{
	auto_file f = NULL;
	char path[300];
	size_t got;

	snprintf(path, sizeof(path), "/proc/%s/stack", pid);
	f = fopen(path, "re");
	do {
		got = f ? fread(buf_room(&source->stacks, 4096), 1, 4096, f) : 0;
		source->stacks.len += got;
	} while (got);
	if (f)
		source->stacks.data[source->stacks.len] = '\0';
}

/* Only the kernel's own threads matter, and each of them is a process. */
static void read_stacks(struct reach_source *source)
{
	DIR *proc = opendir("/proc");
	const struct dirent *entry;

	while (proc && (entry = readdir(proc))) {
		if (isdigit((unsigned char)entry->d_name[0]))
			read_stack(source, entry->d_name);
	}
	if (proc)
		closedir(proc);
}

static bool is_on_stack(const struct reach_source *source, const char *name)
{
	const char *at = buf_str(&source->stacks);
	size_t len = strlen(name);

	while ((at = strstr(at, name))) {
		if (at > source->stacks.data && at[-1] == ' ' && at[len] == '+')
			return true;
		at += len;
	}
	return false;
}

/* ---- the whole ---- */

struct reach_source *reach_open(struct kmem *km, const struct ksyms *ks, struct kbtf *kb)
{
	struct reach_source *source = calloc(1, sizeof(*source));

	if (!source)
		return NULL;
	source->kb = kb;
	source->seals = KERNEL_SEALS && ksyms_address(ks, KERNEL_SEALS);
	read_btf_ids(source, km, ks);
	read_stacks(source);
	return source;
}

void reach_close(struct reach_source *source)
{
	if (!source)
		return;
	free(source->ids);
	buf_fini(&source->stacks);
	free(source);
}

void reach_find(const struct reach_source *source, const struct ksym *sym, struct reach_facts *ret)
{
	struct kbtf_func func;

	*ret = (struct reach_facts){
		.seals = source->seals,
		.on_stack = is_on_stack(source, sym->name),
	};
	if (source->kb && !kbtf_find_func(source->kb, sym->name, "vmlinux", &func)) {
		ret->kfunc = is_listed(source, func.self.id);
		ret->callback = takes_seq_file(source->kb, &func);
	}
}
