/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ktext_priv.h - what the files behind ktext.h share.
 */
#ifndef KERNEL_TEXT_KTEXT_PRIV_H
#define KERNEL_TEXT_KTEXT_PRIV_H

#include "base/arena.h"
#include "kernel/text/ktext.h"

/* Addresses in ascending order. */
struct ktext_list {
	uint64_t *addr;
	size_t nr;
	size_t near;		/* the last answer of a search */
	bool asked;		/* it was read, or reading it was tried */
	bool known;		/* it could be read */
};

/* From @start (included) to @end (not included). */
struct ktext_range {
	uint64_t start, end;
};

struct ktext_banned_range {
	struct ktext_range at;
	uint64_t reach;			/* the largest end of this range and those before it */
};

/* Places that the kernel patches itself. The kernel has one table of each kind, and so has each module. */
enum ktext_sites { SITES_JUMP_LABEL, SITES_STATIC_CALL, SITES_BUG, SITES_COUNT };

/* Tables of one module, or of the kernel (NULL). */
struct ktext_tables {
	struct ktext_tables *next;
	const char *module;
	struct ktext_list sites[SITES_COUNT];
};

enum ktext_section { SECTION_TEXT, SECTION_BOOT /* all that is freed */, SECTION_ENTRY, SECTION_NOINSTR, SECTION_KPROBES,
		     SECTION_COUNT };

struct ktext {
	const struct ksyms *ks;
	struct kbtf *btf;
	struct kmem *mem;
	struct arena arena;
	struct ktext_range sections[SECTION_COUNT];	/* 0, 0: not known */
	uint64_t window_addr;				/* the text that was read last */
	size_t window_len;
	uint8_t *window;
	struct ktext_list probes;			/* addresses of all kprobes in the kernel */
	struct ktext_list ftrace;			/* addresses of all places that ftrace may patch */
	unsigned ftrace_searches;			/* searches that were made without reading the list */
	struct ktext_list tramp;			/* functions that a trampoline itself calls; in no order */
	struct ktext_list locked;			/* functions that programs call under a lock; in no order */
	struct ktext_list denied[2];			/* BTF ids of functions that have no trampolines: at all, at returns */
	struct ktext_banned_range *blacklist;		/* in ascending order */
	size_t nr_blacklist;
	size_t near_blacklist;				/* how many ranges begin at the last address asked for, or below */
	uint64_t unbanned;				/* that address if it was in none of them; else 0 */
	bool blacklist_asked;
	uint64_t *banned_names;				/* see whole_may_be_blacklisted() */
	bool names_known;
	bool notrace_asked, checks_notrace;		/* the kernel refuses kprobes on functions without an ftrace site */
	struct ktext_tables *tables;
};

/* The address of the kernel's symbol @name; 0: there is no such symbol. */
uint64_t ktext_symbol(const struct ktext *kt, const char *name);

/* Reads @len bytes of the kernel's memory. False: they cannot be read. */
bool ktext_object(const struct ktext *kt, uint64_t addr, void *to, size_t len);

bool ktext_in_section(const struct ktext *kt, enum ktext_section section, uint64_t addr);

/*
 * Reads the bytes at @addr and decodes the instruction. Returns its length; 0: there is no valid instruction; -1: its
 * bytes cannot be read, or not all of them.
 */
int ktext_insn_at(struct ktext *kt, uint64_t addr, struct ktext_insn *ret, struct insn *insn);

/* The offset of @member in struct @name, from BTF. Without BTF, @usual: the offset in 6.12. */
unsigned ktext_offset(struct ktext *kt, const char *name, const char *member, unsigned usual);

/* ktext_lists.c */
/* Appends @addr to @list. *size is the number of addresses that the list has room for. */
void ktext_list_add(struct ktext *kt, struct ktext_list *list, unsigned *size, uint64_t addr);
/* Is there a kprobe at @addr, of any tracer? *ret_known: the kernel's list could be read. */
bool ktext_is_probe(struct ktext *kt, uint64_t addr, bool *ret_known);
/* Is there a place that ftrace may patch in [@start, @end)? *ret_known: as above. */
bool ktext_is_traceable(struct ktext *kt, uint64_t start, uint64_t end, bool *ret_known);
/* The first such place at @addr or above; 0: there is none. For many questions: reads the whole list. */
uint64_t ktext_ftrace_from(struct ktext *kt, uint64_t addr, bool *ret_known);
bool ktext_blacklisted(struct ktext *kt, uint64_t addr);
/* The last site of @kind at or below @addr, in the kernel's or @module's table; 0: none. */
uint64_t ktext_site_below(struct ktext *kt, enum ktext_sites kind, const char *module, uint64_t addr);

#endif
