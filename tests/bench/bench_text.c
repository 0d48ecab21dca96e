// SPDX-License-Identifier: GPL-2.0-only
/*
 * bench_text.c - formats a hit's line again and again.
 *
 *	bench_text KALLSYMS LINES [json]
 *
 * The hit is that of the benchmark's row "open": a number and a string.
 */
#include <stdio.h>
#include <stdlib.h>

#include "attach/backends.h"
#include "kernel/release.h"
#include "kernel/syms/ksyms.h"
#include "print/json.h"
#include "print/text.h"

static const char name[] = "/nonexistent-name-of-moderate-length";

static struct layout_field fields[] = {
	{ .name = "dfd", .type = { .kind = TYPE_HEX, .size = 8 }, .count = 1, .mark = LAYOUT_NO_MARK },
	{ .name = "filename", .type = { .kind = TYPE_STRING }, .count = 1, .mark = 0, .room = LAYOUT_SHORT_STRING, .grows = true },
};

static struct layout layout = { .backend = &backend_kprobe, .event = "open", .group = "kprobes", .fields = fields, .nr_fields = 2 };

static union {
	struct bp_rec rec;
	char bytes[512];
} hit;

static void fill(uint64_t addr)
{
	char *body = hit.bytes + BP_BODY_OFF;
	uint64_t dfd = 0xffffff9c;
	uint32_t loc;

	layout_compute(&layout);
	loc = (uint32_t)sizeof(name) << 16 | layout.dyn_off;
	hit.rec = (struct bp_rec){
		.ts = 12345678901234, .tgid = 159, .migrate = 1, .preempt = 0x80000001, .eflags = 0x246,
		.comm = "calls", .common_pid = 159,
	};
	memcpy(body + LAYOUT_COMMON, &addr, sizeof(addr));
	memcpy(body + fields[0].off, &dfd, sizeof(dfd));
	memcpy(body + fields[1].off, &loc, sizeof(loc));
	memcpy(body + layout.dyn_off, name, sizeof(name));
}

int main(int argc, char **argv)
{
	struct text opts = { 0 };
	struct diag diag = { 0 };
	struct ksyms *ks = NULL;
	struct buf out = { 0 };

	if (argc < 3 || ksyms_load_with(argv[1], NULL, &ks, &diag)) {
		fprintf(stderr, "bench_text: %s\n", argc < 3 ? "too few words" : buf_str(&diag.msg));
		return 1;
	}
	opts.ks = ks;
	context_rules_init(&opts.rules, RELEASE(6, 12), true);
	fill(ksyms_address(ks, "do_sys_openat2"));
	buf_room(&out, 1 << 16);
	for (unsigned long i = strtoul(argv[2], NULL, 0); i; i--) {
		struct event ev;

		buf_reset(&out);
		hit.rec.ts += 1234567;
		if (!event_decode(&layout, &hit.rec, layout.short_size, &ev))
			continue;
		if (argc > 3)
			json_event(&opts, &ev, &out);
		else
			text_event(&opts, &ev, &out);
	}
	fputs(buf_str(&out), stdout);
	buf_fini(&out);
	text_fini(&opts);
	ksyms_close(ks);
	return 0;
}
