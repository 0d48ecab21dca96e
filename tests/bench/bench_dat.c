// SPDX-License-Identifier: GPL-2.0-only
/*
 * bench_dat.c - so many hits into a trace.dat, for callgrind to count the instructions
 *
 *	bench_dat NR FILE
 *
 * The hit is that of dat.guest: a number and a string of 36 characters.
 */
#include <stdio.h>
#include <stdlib.h>

#include "attach/backends.h"
#include "kernel/release.h"
#include "stream/record.h"
#include "stream/stream.h"

enum { BURST = 1000 };			/* hits of one look at the rings */

static struct layout_field fields[] = {
	{ .name = "dfd", .type = { .kind = TYPE_HEX, .size = 8 }, .count = 1, .mark = LAYOUT_NO_MARK },
	{ .name = "filename", .type = { .kind = TYPE_STRING }, .count = 1, .room = LAYOUT_SHORT_STRING, .grows = true },
};

static struct layout layout = { .backend = &backend_kprobe, .group = "bench", .event = "open", .fields = fields, .nr_fields = ARRAY_SIZE(fields) };

int main(int argc, char **argv)
{
	static const char name[] = "/nonexistent-name-of-moderate-length";
	static char bytes[4096] __attribute__((aligned(8)));
	struct options opts = { .record.output = argc > 2 ? argv[2] : NULL };
	struct source source = { .layout = &layout, .losses = calloc(1, sizeof(struct losses)) };
	struct stream s = { .sources = &source, .nr_sources = 1, .nr_cpus = 1, .sink = record_dat.sink };
	struct bp_rec *rec = (void *)bytes;
	struct record *w = NULL;
	struct diag diag = { 0 };
	unsigned nr = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 1;
	uint32_t loc;

	layout_compute(&layout);
	context_rules_init(&s.text.rules, RELEASE(6, 12), true);
	if (!opts.record.output || record_open(&record_dat, &opts, &w, &diag) || record_start(w, &s, false, &diag))
		return 1;
	s.to = record_to(w);
	*rec = (struct bp_rec){ .ts = 1000000000, .tgid = 77, .common_pid = 77, .preempt = 0x80000001, .eflags = 0x246, .comm = "calls" };
	loc = (uint32_t)(sizeof(name) << 16 | layout.dyn_off);
	memcpy(bytes + BP_BODY_OFF + fields[1].off, &loc, sizeof(loc));
	memcpy(bytes + BP_BODY_OFF + layout.dyn_off, name, sizeof(name));
	for (unsigned i = 0; i < nr; i++) {
		rec->ts += 1500;
		rec->seq++;
		stream_take_record(&s, rec, layout.short_size);
		if (i % BURST == BURST - 1)
			record_dat.sink->flush(s.to, false);
	}
	record_finish(w);
	record_close(w);
	return 0;
}
