/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dat_record.h - a hit as a record of a trace.dat, and back.
 *
 *	0         8            fixed   marks      dyn       dyn + 40
 *	| common_* | ip, args … | pad | u64 bits | dat_extra | strings … |
 *
 * That is the body of the ring's record (include/bprobe_abi.h), with what the kernel's common fields have no room for
 * between marks and strings. Other readers know all of it by the format text as fields that print fmt does not show.
 *
 * What those readers print of a __data_loc is text, so a string that could not be read has the text (fault) there (as
 * the kernel's have), which dat_extra points to, and a symstr its symbol, with the address behind the NUL.
 */
#ifndef DAT_DAT_RECORD_H
#define DAT_DAT_RECORD_H

#include "base/buf.h"
#include "print/event.h"

struct ksyms;

struct dat_extra {
	char comm[BP_COMM_LEN];
	uint32_t tgid, preempt, tif, eflags;	/* as in struct bp_rec */
	uint16_t migrate;
	uint16_t fault_off;		/* where the text (fault) lies; 0: there is none */
	uint32_t reserved;
};
_Static_assert(sizeof(struct dat_extra) == 40, "struct dat_extra is a file's");

/* Bytes that no record of this layout exceeds. */
uint32_t dat_record_max(const struct layout *l);

/*
 * Appends the format text of events of this layout: what other readers need, and behind it lines that say to
 * dat_format_parse() what they have no words for. @id: common_type of the records. @release, @counts: as
 * context_rules_init() takes them.
 */
void dat_format_print(const struct layout *l, uint32_t id, unsigned release, bool counts, struct buf *out);

struct dat_format {
	uint32_t id;
	struct layout layout;		/* with its event, but no group */
	unsigned release;
	bool counts;
};

/* Reads such a text; all is in @arena. -ENOENT: it is not of our making; -EBADMSG: not understood. */
int dat_format_parse(struct arena *arena, const char *text, struct dat_format *ret);

/* *out becomes the record: a multiple of 4 bytes. @ks (or NULL) names addresses for other readers. */
void dat_record_pack(const struct event *ev, uint32_t id, const struct context_rules *rules, const struct ksyms *ks,
		     struct buf *out);

/*
 * The other way: *out becomes what the ring had, all but ->ts, ->probe, ->lost and ->cpu. -EBADMSG: @len bytes are too
 * few for this layout.
 */
int dat_record_unpack(const struct layout *l, const unsigned char *record, uint32_t len, struct buf *out);

#endif
