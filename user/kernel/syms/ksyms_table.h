/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ksyms_table.h - the structures behind ksyms.h, for its own files only.
 *
 * The symbols come from one of two places:
 *
 *	a text	sym contains all of them, in the text's order, which is the kernel's
 *	memory	packed contains the kernel's own; core[i] is filled in when symbol i is first
 *		asked for. sym contains those of modules, BPF programs and pages of ftrace and
 *		kprobes; it is read when a question may be about one of them: from the kernel's lists, or if these
 *		are not as expected, from /proc/kallsyms
 */
#ifndef KERNEL_SYMS_KSYMS_TABLE_H
#define KERNEL_SYMS_KSYMS_TABLE_H

#include "base/arena.h"
#include "base/buf.h"
#include "kernel/syms/ksyms.h"

struct kbtf;
struct kmem;
struct kpacked;

/*
 * The symbols of sym by the hash of their names: heads[hash & mask] is 1 + the number of the first symbol of a chain, next[i] of the one
 * behind symbol i; 0: there is none. A chain is in the table's order.
 */
struct name_index {
	uint32_t *heads;		/* NULL until the first ksyms_find() */
	uint32_t *next;
	uint32_t mask;
};

/* Symbols by ascending address, aliases in table order. */
struct addr_list {
	const struct ksym **sym;
	size_t count;
};

/* A range of addresses, without its end. Empty if both are 0. */
struct addr_range {
	uint64_t start, end;
};

/* A line of /proc/modules. */
struct ksym_module {
	const char *name;
	struct addr_range at;
};

/* The result of a lookup, kept because events come from few places. */
struct addr_seen {
	uint64_t addr, size;
	const struct ksym *sym;
};

enum { ADDRS_SEEN = 1024 };

struct addr_index {
	struct addr_seen *seen;		/* ADDRS_SEEN of them, by the lower bits of the address; NULL: nothing is built */
	bool listed;			/* the lists and modules were built */
	struct addr_list core, modules;
	struct addr_range text[2];	/* addresses that the kernel looks up in its own table */
	struct ksym_module *module;	/* sorted by name */
	size_t module_count;
};

/* Each part is filled in when a question first needs it. */
struct ksyms_lazy {
	struct arena arena;		/* all arrays and names */
	const char *modules_path;	/* NULL: no list of modules to read */
	struct buf sym_room;		/* the memory of sym */
	struct ksym *sym;
	size_t count;
	struct name_index names;
	struct addr_index addrs;
	/* if the symbols come from memory */
	struct kmem *mem;
	struct kbtf *btf;		/* borrowed; NULL: opened where it is needed */
	struct kpacked *packed;		/* NULL: all symbols are in sym */
	struct ksym *core;
	size_t nr_core;
	uint64_t etext, boot, boot_end;	/* see ksyms_core.c */
	bool rest_read;			/* sym was read */
	bool by_lists;			/* ... from the kernel's lists */
	bool modules_asked, modules_loaded;
};

struct ksyms {
	bool hidden;
	struct ksyms_lazy *lazy;
};

/* ---- ksyms_read.c ---- */

/*
 * Reads the text at @path into @t->sym; with @modules_only, only the lines with a module's name. *ret_hidden: all
 * addresses are 0. -errno with @diag.
 */
int ksyms_read_table(struct ksyms_lazy *t, const char *path, bool modules_only, bool *ret_hidden, struct diag *diag);

/*
 * Passes the symbols of the text's first piece, about a page, to @take. -EBADMSG: @take returned false, or there are
 * none.
 */
int ksyms_read_start(const char *path, bool (*take)(void *ctx, const struct ksym *sym), void *ctx);

/*
 * The right type of a symbol that the kernel lists with @type: data that it lists as text is corrected (see
 * correct_types()).
 */
static inline char ksyms_right_type(char type, uint64_t addr, uint64_t etext, uint64_t boot, uint64_t boot_end)
{
	if ((type != 't' && type != 'T') || !etext || addr <= etext || (addr >= boot && addr <= boot_end))
		return type;
	return type == 't' ? 'd' : 'D';
}

/* ---- ksyms_core.c: the kernel's own symbols by memory ---- */

/* Reads the symbols from the running kernel's memory. False: they are not there, or differ from /proc/kallsyms. */
bool ksyms_open_core(struct ksyms_lazy *t);
void ksyms_close_core(struct ksyms_lazy *t);

/* Symbol @i, which must be below nr_core. */
const struct ksym *ksyms_core(struct ksyms_lazy *t, size_t i);

/* As ksyms_find(), for the kernel's own symbols. */
size_t ksyms_find_core(struct ksyms_lazy *t, const char *name, const struct ksym *const **ret_first);

/* The symbol of the kernel that covers @addr, and its size; NULL: none. */
const struct ksym *ksyms_lookup_core(struct ksyms_lazy *t, uint64_t addr, uint64_t *ret_size);

/* ---- ksyms_modules.c ---- */

/* Reads the symbols that packed does not contain into @t->sym, from the kernel's memory. False: it is not as expected. */
bool ksyms_read_lists(struct ksyms_lazy *t, struct kbtf *btf);

/* Reads the symbols that packed does not contain, once. */
void ksyms_read_rest(struct ksyms_lazy *t);

/* May one of those symbols be called @name (NULL: any name)? */
bool ksyms_rest_may_have(struct ksyms_lazy *t, const char *name);

#endif
