// SPDX-License-Identifier: GPL-2.0-only
/*
 * big.c - so many megabytes of events into a trace.dat and out of it, with nothing lost.
 *
 *   big MB DIR [zlib|zstd]      (in DIR, which is to have room for twice as much)
 *
 * It uses the code with which bprobe -o records (user/stream/dat_writer.c). Each event has its number; its string, CPU and
 * losses follow from that, so the expected output need not be stored. TAP on stdout.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "attach/backends.h"
#include "base/number.h"
#include "dat/dat_cursor.h"
#include "dat/dat_pack.h"
#include "dat/dat_record.h"
#include "kernel/release.h"
#include "stream/record.h"
#include "stream/stream.h"

#include "tap.h"

enum { CPUS = 4, MAX_STRING = 200, LOSSES = 9973 };

static struct layout_field fields[] = {
	{ .name = "seq", .type = { .kind = TYPE_UNSIGNED, .size = 8 }, .count = 1, .mark = LAYOUT_NO_MARK },
	{ .name = "s", .type = { .kind = TYPE_STRING }, .count = 1, .room = MAX_STRING + 1 },
};

static struct layout layout = { .backend = &backend_kprobe, .group = "big", .event = "big", .fields = fields, .nr_fields = ARRAY_SIZE(fields) };

static uint64_t mix(uint64_t n)
{
	n = (n ^ n >> 31) * 0x9e3779b97f4a7c15u;
	return n ^ n >> 29;
}

static uint32_t make_string(uint64_t seq, char *s)
{
	uint32_t len = (uint32_t)(mix(seq) % MAX_STRING);

	for (uint32_t i = 0; i < len; i++)
		s[i] = (char)('a' + (seq + i) % 26);
	s[len] = '\0';
	return len + 1;
}

static unsigned cpu_of(uint64_t seq)
{
	return (unsigned)(mix(seq + 12345) % CPUS);
}

static uint64_t lost_before(uint64_t seq)
{
	return seq % LOSSES ? 0 : 1 + seq % 100;
}

static uint64_t time_of(uint64_t seq)
{
	return 1000000000 + seq * 1000 + mix(seq) % 1000;
}

static void make_event(uint64_t seq, char *bytes)
{
	char *body = bytes + BP_BODY_OFF;
	uint32_t len = make_string(seq, body + layout.dyn_off), loc = len << 16 | layout.dyn_off;

	*(struct bp_rec *)(void *)bytes = (struct bp_rec){ .ts = time_of(seq), .cpu = (uint16_t)cpu_of(seq), .tgid = 7,
							  .common_pid = (int32_t)(seq % 5000), .comm = "big" };
	memcpy(body + fields[0].off, &seq, sizeof(seq));
	memcpy(body + fields[1].off, &loc, sizeof(loc));
}

/* Returns how many events there are. */
static uint64_t write_all(const struct options *opts, uint64_t bytes)
{
	static char room[4096] __attribute__((aligned(8)));
	struct source source = { .layout = &layout };
	struct stream s = { .sources = &source, .nr_sources = 1, .nr_cpus = CPUS };
	struct diag diag = { 0 };
	struct record *r = NULL;
	uint64_t seq = 0;

	context_rules_init(&s.text.rules, RELEASE(6, 12), true);
	CHECK(!record_open(&record_dat, opts, &r, &diag) && !record_start(r, &s, false, &diag), "%s is opened: %s", opts->record.output,
	      buf_str(&diag.msg));
	if (diag.err) {
		record_close(r);
		return 0;
	}
	/* 24 bytes of places and numbers, 36 for dat_extra, as each event of a page is of another task, and the string. */
	for (uint64_t done = 0; done < bytes; seq++) {
		uint32_t len = layout.short_size;
		struct event ev;

		make_event(seq, room);
		if (!event_decode(&layout, (void *)room, len, &ev))
			break;
		if (lost_before(seq))
			record_dat.sink->lost(record_to(r), NULL, cpu_of(seq), lost_before(seq), NULL);
		record_dat.sink->event(record_to(r), &s.text, &ev, NULL);
		done += 60 + mix(seq) % MAX_STRING;
	}
	CHECK(!record_finish(r), "%" PRIu64 " events are written", seq);
	record_close(r);
	return seq;
}

struct found {
	uint64_t nr, lost, wrong;
};

static void look(const struct dat_format *form, struct dat_extras *extras, const struct dat_hit *hit, struct buf *room,
		 struct found *f)
{
	uint64_t seq = f->nr++;
	char want[MAX_STRING + 1];
	uint32_t want_len = make_string(seq, want), len;
	const char *got;
	struct event ev;
	bool cut;

	f->lost += hit->lost;
	f->wrong += dat_record_unpack(form, &extras[hit->cpu], hit->record, hit->len, room) ||
		    !event_decode(&layout, (void *)room->data, (uint32_t)room->len, &ev) || hit->cpu != cpu_of(seq) ||
		    hit->ts != time_of(seq) || hit->lost != lost_before(seq) || event_number(&ev, &fields[0], 0) != seq ||
		    !event_string(&ev, &fields[1], 0, &got, &len, &cut) || len != want_len - 1 || memcmp(got, want, len);
}

static void read_all(const char *path, uint64_t nr)
{
	struct dat_extras extras[CPUS] = { 0 };
	struct dat_cursors *cursors = NULL;
	struct dat_format form;
	struct arena arena = { 0 };
	struct diag diag = { 0 };
	struct found f = { 0 };
	struct buf room = { 0 };
	struct dat_file file;
	struct dat_hit hit;
	uint64_t lost = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC), err = dat_open(&arena, fd, &file, &diag);

	CHECK(!err && file.complete, "%s is complete: %s", path, buf_str(&diag.msg));
	if (!err)
		err = dat_format_parse(&arena, file.events[0].text, &form);
	if (!err)
		cursors = dat_cursors_open(&arena, file.stripes, file.nr_stripes, file.page_size);
	while (!err && dat_cursors_next(cursors, &hit))
		look(&form, extras, &hit, &room, &f);
	for (uint64_t seq = 0; seq < nr; seq++)
		lost += lost_before(seq);
	CHECK(f.nr == nr && !f.wrong, "%" PRIu64 " of %" PRIu64 " events are read, %" PRIu64 " wrong", f.nr, nr, f.wrong);
	CHECK(f.lost == lost, "losses: %" PRIu64 ", should be %" PRIu64, f.lost, lost);
	CHECK(!err && !dat_cursors_bad(cursors), "no page is damaged");
	dat_cursors_close(cursors);
	for (unsigned i = 0; i < CPUS; i++)
		dat_extras_fini(&extras[i]);
	buf_fini(&room);
	arena_fini(&arena);
	close(fd);
}

int main(int argc, char **argv)
{
	struct options opts = { 0 };
	struct buf path = { 0 };
	struct rusage usage;
	struct stat st = { 0 };
	uint64_t mb, nr;

	if (argc < 3 || number_u64(argv[1], strlen(argv[1]), 10, &mb))
		return 64;
	buf_addf(&path, "%s/big.dat", argv[2]);
	opts.record.output = buf_str(&path);
	opts.record.packing = argc > 3 ? dat_packing_find(argv[3]) : NULL;
	layout_compute(&layout);
	nr = write_all(&opts, mb << 20);
	stat(opts.record.output, &st);
	CHECK(opts.record.packing || (uint64_t)st.st_size >= mb << 20, "the file has %" PRIu64 " MB", (uint64_t)st.st_size >> 20);
	read_all(opts.record.output, nr);
	getrusage(RUSAGE_SELF, &usage);
	/* A page of each CPU, blocks to copy and what a process has anyway. */
	CHECK(usage.ru_maxrss < 32 << 10, "with %ld KiB of memory at most", usage.ru_maxrss);
	unlink(opts.record.output);
	buf_fini(&path);
	return tap_done();
}
