/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kevents.h - the kernel's events (sched.sched_switch, syscalls.sys_enter_openat, ...) and the fields of their records.
 *
 * Knows them from tracefs. If tracefs is not mounted or may not be read, it reads the kernel's own list in the kernel's memory.
 * Dynamic events (kprobes, synthetic events) are among them. Nothing is remembered: each question asks the kernel again, because
 * events come and go with modules.
 */
#ifndef KERNEL_EVENTS_KEVENTS_H
#define KERNEL_EVENTS_KEVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

struct kbtf;
struct kevents;
struct kmem;
struct ksyms;

enum kevent_kind {
	KEVENT_NUMBER,		/* 1, 2, 4 or 8 bytes: a number, a bool, an enumeration, a pointer */
	KEVENT_ARRAY,		/* @nr_elements of @element_size bytes */
	KEVENT_TEXT,		/* an array of characters in the record: its text ends at the first NUL, or with the array */
	/*
	 * __data_loc. The field is a 32-bit word: the length in bytes (upper 16 bits; a string's NUL is counted) and the
	 * offset from the record's start (lower 16 bits) of the bytes themselves.
	 */
	KEVENT_DYNAMIC,
	/* __rel_loc. The same, but the offset counts from the end of this word. (6.12's own event probes count from its start.) */
	KEVENT_RELATIVE,
	KEVENT_BYTES,		/* what else there is: structures, and arrays whose length cannot be told from the text */
};

struct kevent_field {
	const char *name;
	/*
	 * As the kernel defines it: "unsigned long", "char[16]", "const char *", "__data_loc char[]". A format file prints
	 * "char comm[16]" for the second one.
	 */
	const char *type;
	const char *element;	/* ARRAY, TEXT, DYNAMIC, RELATIVE: the type of an element ("u32"); others: @type */
	uint32_t offset, size;	/* bytes, in the record */
	uint32_t element_size;	/* ARRAY, TEXT, DYNAMIC, RELATIVE: bytes; 0: the text does not tell (then BTF may know @element) */
	uint32_t nr_elements;	/* ARRAY, TEXT */
	enum kevent_kind kind;
	bool is_signed;		/* of arrays: their elements */
	bool is_common;		/* common_type, common_flags, ...: all events have it */
	bool is_pointer;	/* NUMBER: an address */
	/*
	 * ftrace takes it for a string (6.12, kernel/trace/trace_events_filter.c, filter_assign_type()): arrays of any char,
	 * dynamic ones too, and pointers whose type is "char *" or "const char *".
	 */
	bool is_string;
	bool is_cpumask;	/* DYNAMIC: a set of processors */
	bool is_stacktrace;	/* its type is a stack trace */
};

struct kevent {
	const char *group, *name;
	/* The number of its type: common_type of its records, and the tracepoint of perf_event_open(2). */
	uint32_t id;
	/*
	 * The tracepoint whose hits it records. A system call's event belongs to sys_enter or sys_exit. NULL: to none (events
	 * of the group ftrace, dynamic events), or it is not known.
	 */
	const char *tracepoint;
	const char *module;	/* the module that has it; NULL: the kernel itself, or not known */
	const struct kevent_field *fields;	/* in the order of their offsets, common ones first */
	unsigned nr_fields;
	const char *print_fmt;	/* how ftrace prints it; NULL: not known */
};

enum kevents_source {
	KEVENTS_ANY,		/* tracefs if it can be read, else memory */
	KEVENTS_TRACEFS,
	KEVENTS_MEMORY,
};

/*
 * Reads nothing yet. @tracefs: the directory where tracefs is mounted; NULL: where the running kernel's usually is; "": there
 * is none. @ks, @btf and @mem may be NULL; they must live as long as the result, which kevents_close() frees.
 */
struct kevents *kevents_new(enum kevents_source source, const char *tracefs, const struct ksyms *ks, struct kbtf *btf,
			    struct kmem *mem);
void kevents_close(struct kevents *k);		/* NULL is fine */

/* Where the answers come from: "tracefs" or "memory"; NULL: neither can be read. */
const char *kevents_from(struct kevents *k);

/*
 * Finds event @name of @group. All of *ret lives in @arena. 0; -ENOENT: there is no such event; -EOPNOTSUPP: neither tracefs
 * nor the kernel's memory can be read; -EINVAL: the kernel describes it in a way that is not known.
 */
int kevent_find(struct kevents *k, struct arena *arena, const char *group, const char *name, struct kevent *ret);

/* The field called @name; NULL: there is none. */
const struct kevent_field *kevent_field(const struct kevent *ev, const char *name);

/*
 * Calls @take with each event that can be traced, in no order: those of the group ftrace are left out. The names live until
 * @take returns. It stops when @take returns false. 0, or -EOPNOTSUPP as above.
 */
int kevents_each(struct kevents *k, bool (*take)(void *ctx, const char *group, const char *name), void *ctx);

/*
 * Up to @max events whose names are similar, as "GROUP.NAME" in @arena, best first: the same name in other groups comes
 * first. @group may be NULL. Returns how many were found.
 */
unsigned kevents_similar(struct kevents *k, struct arena *arena, const char *group, const char *name, const char **ret,
			 unsigned max);

/* The field of @ev whose name is most similar to @name, without the common ones, which no definition can name; NULL: none is similar. */
const char *kevent_similar_field(const struct kevent *ev, const char *name);

#endif
