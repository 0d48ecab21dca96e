/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * layout.h - where each value is in a record, as in the event's format text.
 *
 * All offsets are in bytes from the start of the body (include/bprobe_abi.h).
 */
#ifndef PLAN_LAYOUT_H
#define PLAN_LAYOUT_H

#include "base/arena.h"
#include "base/buf.h"
#include "lang/ast.h"
#include "plan/names.h"

enum {
	LAYOUT_COMMON = 8,		/* bytes of the common fields */
	LAYOUT_SHORT_STRING = 64,	/* space for a string in a short record, with its NUL */
	LAYOUT_SHORT_PATH = 256,	/* ... for a path: its record gives back what it does not need */
	LAYOUT_LONG_STRING = 4097,	/* space in a long record: 4095 bytes, NUL, one byte to detect a cut */
	LAYOUT_MAX_STRING = 4095,	/* bytes of a string that are kept, without NUL */
	LAYOUT_COMM_STRING = 16,
	LAYOUT_BLOCK = 112,		/* TYPE_BLOCK: struct sockaddr_un has 110 bytes; the last byte: how many could be read */
	LAYOUT_MAX_CHARS = 512,		/* a char array of this many bytes is read as one; a longer one up to its NUL */
	LAYOUT_MAX_BYTES = LANG_MAX_BYTES,	/* of TYPE_BUFFER */
	LAYOUT_MAX_BODY = 61440,	/* __data_loc has 16 bits for an offset */
	LAYOUT_MAX_FRAMES = 127,	/* of a stack; kernel.perf_event_max_stack is 127, unless root has changed it */
	LAYOUT_FRAME_ID = 32,		/* bytes of a frame of STACK_USER_IDS: struct bpf_stack_build_id; of the others 8 */
};

struct backend;

/* How the place of a hit is shown. */
enum layout_site {
	SITE_KERNEL,		/* as a symbol */
	SITE_USER,		/* as an address of the program */
	SITE_EVENT,		/* as the event's name: @site_name */
};

/* Is a number the time that something took ($elapsed), up to the record's own time? */
enum layout_elapsed {
	ELAPSED_NOT,
	ELAPSED_CALL,		/* ns since the entry of the call that returns now */
	ELAPSED_PAIR,		/* ns since the hit that began a pair (--pair) */
};

struct layout_field {
	const char *name;
	const char *label;		/* its name in the dialect's own output lines; NULL: @name */
	const char *own_type;		/* "pid_t": what the kernel's event calls it, if this field has its size and sign; else NULL */
	bool typed;			/* the user typed the type; else it was found */
	struct type type;		/* as resolved: never TYPE_NONE */
	uint32_t off;
	uint32_t size;			/* bytes of all elements; 4 for each __data_loc */
	uint32_t count;			/* elements; 1 when it is not an array */
	uint32_t mark;			/* first mark bit, one bit for each element; or LAYOUT_NO_MARK */
	uint32_t room;			/* strings: bytes for one string in the short record */
	bool grows;			/* strings: a longer one gets a long record */
	uint8_t bit_off, bit_width;	/* the bits of the value that are used; width 0: all */
	bool bit_signed;		/* ... the highest of them is the sign. The record has the number with all its bits */
	enum layout_elapsed elapsed;
	uint32_t length;		/* BUFFER: index + 1 of the field that says how many bytes are read; 0: as many as there is room for */
	bool is_length;			/* it is one: it is fetched first. Both are for the code that fetches, and the layout's text has neither */
	const struct names *names;	/* SHOW_ERRNO, SHOW_ENUM, SHOW_SYSCALL: the names of its numbers; else NULL */
};

/* The number of bits that a number's value has. */
unsigned layout_bits(const struct layout_field *f);

#define LAYOUT_NO_MARK	UINT32_MAX

/* The name of the field with the number of the task's cgroup (--containers). */
#define LAYOUT_CGROUP	"cgroup"

struct layout {
	const char *group, *event;
	const char *func;		/* the probed function; NULL: an address */
	const char *typed;		/* the function's name as typed; NULL: an address */
	enum dialect dialect;
	bool has_parent;		/* the first field is the caller of an entry */
	enum probe_kind probe;
	enum layout_site site;		/* of this kind: layout_site_of() */
	const char *site_name;		/* SITE_EVENT: "sched.sched_switch"; SITE_USER: the file; else NULL */
	uint64_t site_off;		/* SITE_USER: bytes behind @func, or if that is NULL in the file */
	bool at_entry;			/* the typed place is the function's first byte */
	bool is_return;
	bool is_synthetic;		/* it has no place: triggers make the event (plan/synthetic.h) */
	const struct backend *backend;	/* it determines what the hook adds to the flags */
	bool at_breakpoint;			/* not at the function's entry: a breakpoint until it is optimised */
	struct layout_field *fields;
	unsigned nr_fields;
	unsigned nr_hidden;		/* of @fields behind these: nobody sees them. The filter compares them, or they are lengths */
	unsigned stacks;		/* bits of enum stack_kind */
	uint32_t stack_off[STACK_KINDS];	/* of its __data_loc, which counts bytes; its frames are behind the strings */
	uint32_t args_off;		/* behind ip, or behind func and ret_ip */
	uint32_t fixed;			/* where the fixed part ends */
	uint32_t marks_off, nr_marks;	/* start of the marks (u64 words); number of bits */
	uint32_t dyn_off;		/* where the strings begin */
	unsigned nr_strings;
	uint32_t short_size;		/* of a whole record with its head; reserved first */
	uint32_t long_size;		/* reserved after a string has filled its space; 0: no string can */
	uint32_t stack_size;		/* the part of both that is for stacks */
};

/* The number of fields that a record has, hidden ones included. */
static inline unsigned layout_all(const struct layout *l)
{
	return l->nr_fields + l->nr_hidden;
}

enum layout_site layout_site_of(enum probe_kind kind);

/*
 * Places the fields one after the other without alignment, as the kernel does,
 * and sets the members behind nr_fields and stacks. A field must have its name, type and
 * count, and mark != NO_MARK if the read of its value can fault. Returns the index
 * of the first argument that does not fit in LANG_MAX_RECORD, or -1 if all fit.
 */
int layout_compute(struct layout *l);

/*
 * Is there room in the largest record for all strings and buffers of a computed layout that have a fixed space, and for one that
 * grows? Returns the index of the first argument for which there is none, or -1.
 */
int layout_overflow(const struct layout *l);

/* The space that a stack of this kind has while its record is made: a finished record has only what it takes. */
uint32_t layout_stack_room(enum stack_kind kind);

enum layout_difference {
	LAYOUT_SAME,
	LAYOUT_OTHER_DETAIL,		/* can share an event, but one layout cannot read the other's records */
	LAYOUT_OTHER_TYPE,		/* a field has another type */
	LAYOUT_OTHER_NAME,		/* a field has another name */
	LAYOUT_OTHER_NUMBER,		/* another number of fields */
	LAYOUT_OTHER_KIND,		/* one is a return, the other an entry */
};

/*
 * How two layouts differ. Their hooks may differ. Layouts can share an event if their fields have the same names and types.
 * *ret_field is the index of the first field whose name or type differs.
 */
enum layout_difference layout_compare(const struct layout *a, const struct layout *b, unsigned *ret_field);

/* The type to compare for shared events: a bit-field counts as the number that holds it, as in the kernel's list of fields. */
struct type layout_shared_type(const struct type *type);

#endif
