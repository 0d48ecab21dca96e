/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ksyms_table.h - what is behind ksyms.h, for its own files only.
 *
 * The symbols come from one of two places:
 *
 *	a text	all of them stand in sym, in the text's order, which is the kernel's
 *	memory	the kernel's own are in packed, and core[i] is filled in when symbol i is first
 *		asked for; those of modules, BPF programs and pages of ftrace and kprobes stand
 *		in sym, which is read from /proc/kallsyms when one of them may be meant
 */
#ifndef KERNEL_SYMS_KSYMS_TABLE_H
#define KERNEL_SYMS_KSYMS_TABLE_H

#include "base/arena.h"
#include "base/buf.h"
#include "kernel/syms/ksyms.h"

struct kmem;
struct kpacked;

/*
 * The symbols of sym, grouped by the hash of their names:
 *
 *	start	|0|2|2|5|...		bucket b is sym[start[b]] to sym[start[b + 1] - 1]
 *	sym	|a a|b c c|...		in it sorted by name, equal names in table order
 *
 * so all symbols of one name lie together and can be handed out as an array.
 */
struct name_index {
	const struct ksym **sym;	/* NULL until the first ksyms_find() */
	uint32_t *start;
	uint32_t mask;
};

/* Symbols by ascending address, aliases in table order. */
struct addr_list {
	const struct ksym **sym;
	size_t count;
};

/* An address range, the end not included. Empty where both are 0. */
struct addr_range {
	uint64_t start, end;
};

/* A line of /proc/modules. */
struct ksym_module {
	const char *name;
	struct addr_range at;
};

/* What an address was found to be: events come from few places. */
struct addr_seen {
	uint64_t addr, size;
	const struct ksym *sym;
};

enum { ADDRS_SEEN = 1024 };

struct addr_index {
	struct addr_seen *seen;		/* ADDRS_SEEN of them, by the address' lower bits; NULL: nothing is built */
	bool listed;			/* the lists and modules are there */
	struct addr_list core, modules;
	struct addr_range text[2];	/* where the kernel looks into its own table */
	struct ksym_module *module;	/* sorted by name */
	size_t module_count;
};

/* What is filled in by the questions that need it. */
struct ksyms_lazy {
	struct arena arena;		/* all arrays and names */
	const char *modules_path;	/* NULL: no list of modules to read */
	struct buf sym_room;		/* of sym */
	struct ksym *sym;
	size_t count;
	struct name_index names;
	struct addr_index addrs;
	/* by memory */
	struct kmem *mem;
	struct kpacked *packed;		/* NULL: all symbols are in sym */
	struct ksym *core;
	size_t nr_core;
	uint64_t etext, boot, boot_end;	/* see ksyms_core.c */
	bool rest_read;			/* sym was read */
	bool modules_asked, modules_loaded;
};

struct ksyms {
	bool hidden;
	struct ksyms_lazy *lazy;
};

/* ---- ksyms_read.c ---- */

/*
 * Reads the text at @path into @t->sym, or only the lines with a module's name. *ret_hidden:
 * all addresses are 0. -errno with @diag.
 */
int ksyms_read_table(struct ksyms_lazy *t, const char *path, bool modules_only, bool *ret_hidden, struct diag *diag);

/* Shows @take the symbols of the text's first piece, about a page. -EBADMSG: @take returned false, or there are none. */
int ksyms_read_start(const char *path, bool (*take)(void *ctx, const struct ksym *sym), void *ctx);

/* Is data that the kernel lists as text (see correct_types()) called so? Its right type. */
static inline char ksyms_right_type(char type, uint64_t addr, uint64_t etext, uint64_t boot, uint64_t boot_end)
{
	if ((type != 't' && type != 'T') || !etext || addr <= etext || (addr >= boot && addr <= boot_end))
		return type;
	return type == 't' ? 'd' : 'D';
}

/* ---- ksyms_core.c: the kernel's own symbols by memory ---- */

/* Takes the symbols from the running kernel's memory, if they are there and are those of /proc/kallsyms. */
bool ksyms_open_core(struct ksyms_lazy *t);
void ksyms_close_core(struct ksyms_lazy *t);

/* Symbol @i, below nr_core. */
const struct ksym *ksyms_core(struct ksyms_lazy *t, size_t i);

/* As ksyms_find() for the kernel's own. */
size_t ksyms_find_core(struct ksyms_lazy *t, const char *name, const struct ksym *const **ret_first);

/* The one that covers @addr, and its size; NULL: none. */
const struct ksym *ksyms_lookup_core(struct ksyms_lazy *t, uint64_t addr, uint64_t *ret_size);

/* Reads what packed does not hold, once. */
void ksyms_read_rest(struct ksyms_lazy *t);

/* May a symbol called @name (NULL: any) be among that? */
bool ksyms_rest_may_have(struct ksyms_lazy *t, const char *name);

#endif
