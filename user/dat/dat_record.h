/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dat_record.h - converts a hit to a record of a trace.dat, and back.
 *
 *	0         8            fixed       end of the strings, rounded up to 4
 *	| common_* | ip, args … | strings … | marks | dat_extra | dat_end |
 *	                                    `-- only if a record needs them
 *
 * This is the body of the ring's record (include/bprobe_abi.h) without the marks, and with strings of the length that they
 * have. The format text describes it to other readers, as far as the strings.
 *
 * Most records end with their strings. One that is longer ends with struct dat_end, which says what is before it:
 *	marks		if one of them is set
 *	dat_extra	what the common fields have no room for. A record without dat_extra has that of the last record before it
 *			in its page that begins with the same 8 bytes (event, flags, depth, pid). So each page says all about
 *			its records, and a task's name is usually in it once.
 *
 * Other readers print the text that a __data_loc points to. Therefore, as in the kernel, a string that could not be read
 * points to the text (fault); dat_end tells where this text is. A symstr points to its symbol, with the address behind the NUL.
 */
#ifndef DAT_DAT_RECORD_H
#define DAT_DAT_RECORD_H

#include "base/buf.h"
#include "dat/dat_page.h"
#include "print/event.h"

struct text;

/* As in struct bp_rec; of tif and eflags only the bits that decide about a line's flags. */
struct dat_extra {
	uint32_t tgid;
	uint16_t cpu, migrate;
	uint32_t preempt;
	uint16_t tif, eflags;		/* eflags: DAT_EFLAGS_UNKNOWN: not known */
	char comm[BP_COMM_LEN];
};
_Static_assert(sizeof(struct dat_extra) == 32, "struct dat_extra is a file's");

#define DAT_EFLAGS_UNKNOWN	0xffff

struct dat_end {
	uint16_t fault_off;		/* offset of the text (fault); 0: there is none */
	uint8_t has_marks, has_extra;	/* 0 or 1 */
};
_Static_assert(sizeof(struct dat_end) == 4, "struct dat_end is a file's");

/* No record of this layout has more bytes. */
uint32_t dat_record_max(const struct layout *l);

/*
 * Appends the format text of events of this layout: what other readers need, followed by lines for dat_format_parse() with
 * what other readers have no words for. @id: common_type of the records. @release, @counts: as for context_rules_init().
 */
void dat_format_print(const struct layout *l, uint32_t id, unsigned release, bool counts, struct buf *out);

struct dat_format {
	uint32_t id;
	struct layout layout;		/* with its event name, but no group */
	unsigned release;
	unsigned version;		/* of the records: 1 or 2 */
	bool counts;
};

/* Reads such a text into @arena. -ENOENT: bprobe did not write it. -EBADMSG: not understood. */
int dat_format_parse(struct arena *arena, const char *text, struct dat_format *ret);

/* ---- writing (dat_record.c) ---- */

/*
 * The layout that the file says for records of @l. @names: their user stacks become lines of text (STACK_USER_TEXT), because what was mapped
 * is known only while they are written.
 */
struct layout dat_layout(const struct layout *l, bool names);

/* What is the same for all records of an event, and the flags of the last one. */
struct dat_shape {
	const struct layout *layout;
	uint32_t *texts;		/* offset of the __data_loc of each string, then of each stack */
	unsigned nr_texts;
	uint32_t copied;		/* bytes of the fields; 0: some are symstrs, which are not copied */
	bool names;			/* user stacks become text */
	bool has_context;		/* @common is for a record with this: */
	uint16_t migrate;
	uint64_t context;
	uint64_t common;		/* its first 8 bytes without the pid */
};

/* Prepares for the records of a layout (borrowed). @names: as for dat_layout(). The memory is @arena's. */
void dat_shape_init(struct dat_shape *s, const struct layout *l, bool names, uint32_t id, struct arena *arena);

enum { DAT_SAID_BITS = 6, DAT_EXTRA_WORDS = sizeof(struct dat_extra) / 8 };

/* Writes the records of a CPU. The caller zeroes it, sets and starts the page, and frees with dat_pen_fini(). */
struct dat_pen {
	struct dat_page page;		/* behind its bytes there is room for DAT_PEN_SLACK more */
	struct buf scratch;
	/* The extras that the page has said, as far as they are remembered. */
	struct dat_said {
		uint64_t page;		/* dat_page.number */
		uint64_t common;	/* the record's first 8 bytes */
		uint64_t extra[DAT_EXTRA_WORDS];
	} said[1 << DAT_SAID_BITS];
};

enum { DAT_PEN_SLACK = 16 };

void dat_pen_fini(struct dat_pen *pen);

enum dat_added {
	DAT_NO_ROOM,			/* the page is unchanged: see dat_page_place() */
	DAT_ADDED,
	DAT_ADDED_EXTRA,		/* the record has a dat_extra: the first one of a task in a page, or its name has changed */
};

/* Adds the record of @ev, whose layout is that of @s, to the page. @t: how to read its context, and the symbols. */
enum dat_added dat_record_add(struct dat_pen *pen, struct dat_shape *s, const struct event *ev, uint64_t ts, const struct text *t);

/* ---- stacks (dat_stack.c) ---- */

/* Fills in the format texts of ftrace's own events for stacks, at most STACK_KINDS; returns how many. */
unsigned dat_stack_formats(const char **ret);

/* Is it the number of such an event? */
bool dat_stack_is(uint16_t id);

/*
 * Adds the event for a stack of @ev, if it has one. @s: of the record of @ev, which was added just before. False: it does not fit in the
 * page, which is unchanged.
 */
bool dat_stack_add(struct dat_pen *pen, const struct dat_shape *s, const struct event *ev, enum stack_kind kind, uint64_t ts);

/* ---- reading (dat_unpack.c) ---- */

/* The extras that the records of one CPU have said so far. Starts as all zeroes; the caller frees with dat_extras_fini(). */
struct dat_extras {
	struct dat_extras_slot *young, *old;
	uint32_t size, nr, old_size;
};

void dat_extras_fini(struct dat_extras *e);

/*
 * The opposite of dat_record_add(): replaces *out by the ring's record, except ->ts, ->probe, ->lost and ->cpu. The records of
 * a CPU must come in their order. -EBADMSG: @len bytes are too few for this layout, or its end is not one.
 */
int dat_record_unpack(const struct dat_format *f, struct dat_extras *extras, const unsigned char *record, uint32_t len,
		      struct buf *out);

#endif
