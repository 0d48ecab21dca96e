/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dat_record.h - converts a hit to a record of a trace.dat, and back.
 *
 *	0         8            fixed   marks      dyn       dyn + 40
 *	| common_* | ip, args … | pad | u64 bits | dat_extra | strings … |
 *
 * This is the body of the ring's record (include/bprobe_abi.h). Between marks and strings is dat_extra, for what the kernel's
 * common fields have no room for. The format text describes all of it to other readers, as fields that print fmt does not show.
 *
 * Other readers print the text that a __data_loc points to. Therefore, as in the kernel, a string that could not be read
 * points to the text (fault); dat_extra tells where this text is. A symstr points to its symbol, with the address behind the NUL.
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
	uint16_t fault_off;		/* offset of the text (fault); 0: there is none */
	uint32_t reserved;
};
_Static_assert(sizeof(struct dat_extra) == 40, "struct dat_extra is a file's");

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
	bool counts;
};

/* Reads such a text into @arena. -ENOENT: bprobe did not write it. -EBADMSG: not understood. */
int dat_format_parse(struct arena *arena, const char *text, struct dat_format *ret);

/* Replaces *out by the record: a multiple of 4 bytes. @ks (or NULL) names addresses for other readers. */
void dat_record_pack(const struct event *ev, uint32_t id, const struct context_rules *rules, const struct ksyms *ks,
		     struct buf *out);

/*
 * The opposite: replaces *out by the ring's record, except ->ts, ->probe, ->lost and ->cpu. -EBADMSG: @len bytes are too few
 * for this layout.
 */
int dat_record_unpack(const struct layout *l, const unsigned char *record, uint32_t len, struct buf *out);

#endif
