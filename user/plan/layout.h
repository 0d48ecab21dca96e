/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * layout.h - what lies where in a record, as the event's format text says it.
 *
 * All offsets are in bytes from the start of the body (include/bprobe_abi.h).
 */
#ifndef PLAN_LAYOUT_H
#define PLAN_LAYOUT_H

#include "base/arena.h"
#include "base/buf.h"
#include "lang/ast.h"

enum {
	LAYOUT_COMMON = 8,		/* bytes of the common fields */
	LAYOUT_SHORT_STRING = 64,	/* a string's room at first, with its NUL */
	LAYOUT_LONG_STRING = 4097,	/* and when it filled that: 4095 bytes, NUL, one to tell a cut */
	LAYOUT_MAX_STRING = 4095,	/* bytes of a string that are kept, without NUL */
	LAYOUT_COMM_STRING = 16,
	LAYOUT_MAX_BODY = 61440,	/* __data_loc has 16 bits for an offset */
};

struct backend;

struct layout_field {
	const char *name;
	const char *label;		/* what lines of the definition's own time call it; NULL: @name */
	bool typed;			/* the type was typed, and not found */
	struct type type;		/* as resolved: never TYPE_NONE */
	uint32_t off;
	uint32_t size;			/* bytes of all elements; 4 for each __data_loc */
	uint32_t count;			/* elements; 1 when it is not an array */
	uint32_t mark;			/* first mark bit, one for each element; LAYOUT_NO_MARK */
	uint32_t room;			/* strings: bytes of one in the short record */
	bool grows;			/* strings: a longer one gets a long record */
	uint8_t bit_off, bit_width;	/* the part of what was read that counts; width 0: all */
};

#define LAYOUT_NO_MARK	UINT32_MAX

struct layout {
	const char *group, *event;
	const char *func;		/* the probed function; NULL: an address */
	const char *typed;		/* its name as typed; NULL: an address */
	enum dialect dialect;
	bool has_parent;		/* the first field is the caller of an entry */
	bool at_entry;			/* what was typed is its function's first byte */
	bool is_return;
	const struct backend *backend;	/* what the hook adds to the flags depends on it */
	bool at_int3;			/* off the function's entry: an int3 until optimised */
	struct layout_field *fields;
	unsigned nr_fields;
	uint32_t args_off;		/* behind ip, or func and ret_ip */
	uint32_t fixed;			/* where the fixed part ends */
	uint32_t marks_off, nr_marks;	/* u64 words from there; number of bits */
	uint32_t dyn_off;		/* where the strings begin */
	unsigned nr_strings;
	uint32_t short_size;		/* of a whole record with its head, as reserved first */
	uint32_t long_size;		/* when a string filled its room; 0: no string can */
};

/*
 * Places the fields one after the other, unaligned as the kernel does, and sets
 * everything behind nr_fields. Fields need name, type, count, and mark != NO_MARK
 * where the value can fault. Returns the index of the first argument that does
 * not fit in LAYOUT_MAX_FIXED, or -1 when all do.
 */
int layout_compute(struct layout *l);

enum layout_difference {
	LAYOUT_SAME,
	LAYOUT_OTHER_DETAIL,		/* can share an event, but records of one are not read by the other */
	LAYOUT_OTHER_TYPE,		/* of a field */
	LAYOUT_OTHER_NAME,		/* of a field */
	LAYOUT_OTHER_NUMBER,		/* of fields */
	LAYOUT_OTHER_KIND,		/* a return and an entry */
};

/*
 * What tells two layouts apart, which can be of different hooks. Fields of one name and type can share an event. What *ret_field
 * says is the first one whose name or type is another.
 */
enum layout_difference layout_compare(const struct layout *a, const struct layout *b, unsigned *ret_field);

/* The type that counts where events are shared: a bit-field is the number that holds it, as in the kernel's list of fields. */
struct type layout_shared_type(const struct type *type);

#endif
