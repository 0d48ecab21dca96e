/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ksyms_table.h - the table behind ksyms.h, for its own three files only.
 *
 *	text	|ffffffff81000000 T _stext\0ffffffff81000000 T _text\0 ...|
 *	                             ^ sym[0].name                ^ sym[1].name
 *
 * The file is kept as it was read and cut into strings in place: one block for
 * all names, one array of symbols in the file's order, which is the kernel's.
 */
#ifndef KERNEL_KSYMS_TABLE_H
#define KERNEL_KSYMS_TABLE_H

#include "base/arena.h"
#include "base/buf.h"
#include "kernel/ksyms.h"

/*
 * Symbols grouped by the hash of their names:
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
	bool built;			/* by the first ksyms_lookup() */
	struct addr_seen *seen;		/* ADDRS_SEEN of them, by the address' lower bits */
	struct addr_list core, modules;
	struct addr_range text[2];	/* where the kernel looks into its own table */
	struct ksym_module *module;	/* sorted by name */
	size_t module_count;
};

/* What the first question builds; the table itself never changes. */
struct ksyms_lazy {
	struct arena arena;		/* all arrays, the symbols' included */
	const char *modules_path;	/* NULL: no list of modules to read */
	struct name_index names;
	struct addr_index addrs;
};

struct ksyms {
	struct buf text;
	struct ksym *sym;
	size_t count;
	bool hidden;
	struct ksyms_lazy *lazy;
};

/* The whole of a file that does not tell its size, as those in /proc. 0 or -errno. */
int ksyms_read_file(const char *path, struct buf *out);

#endif
