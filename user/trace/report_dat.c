// SPDX-License-Identifier: GPL-2.0-only
/*
 * report_dat.c - --report: sums up what -o has recorded.
 */
#include "trace/trace.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/own_file.h"
#include "base/terminal.h"
#include "base/write_all.h"
#include "dat/dat.h"
#include "report/report.h"

enum { WIDTH = 80 };			/* of a file or a pipe */

struct reporter {
	struct report report;
	bool opened;
};

static void take_file(void *to, const char *path, const struct dat_file *f)
{
	struct reporter *p = to;

	p->opened = true;
	report_file(&p->report, path, f->uname, f->writer, f->complete);
}

static void take_damage(void *to, uint64_t pages, uint64_t events)
{
	struct reporter *p = to;

	report_damage(&p->report, pages, events);
}

static void take_event(void *to, struct text *t, const struct event *ev, struct buf *out)
{
	struct reporter *p = to;

	sink_report.event(&p->report, t, ev, out);
}

static void take_lost(void *to, const struct text *t, unsigned cpu, uint64_t count, struct buf *out)
{
	struct reporter *p = to;

	sink_report.lost(&p->report, t, cpu, count, out);
}

static int flush(void *to, bool idle)
{
	(void)to;
	(void)idle;
	return 0;
}

static const struct sink sink_reporter = { .event = take_event, .lost = take_lost, .flush = flush };

static void make(const struct options *opts, struct report *r, struct buf *out)
{
	bool terminal = !opts->record.output && isatty(STDOUT_FILENO), utf8 = terminal_is_utf8();
	unsigned width = terminal ? terminal_width(STDOUT_FILENO) : 0;

	if (opts->report_html) {
		report_page(r, out);
		return;
	}
	report_text(r, &(struct report_view){ .width = width ? width : WIDTH, .utf8 = utf8, .top = opts->run.top }, out);
	if (terminal && !utf8)
		escape_high(out, 0, false);
}

static int print(const struct options *opts, const struct buf *out, struct diag *diag)
{
	int err;

	if (opts->record.output)	/* as the recording it has addresses of the kernel: only this user may read it */
		return own_file_replace(opts->record.output, out, false, diag);
	err = write_all(STDOUT_FILENO, out->data, out->len);
	return err && err != -EPIPE ? diag_set(diag, err, "cannot write: %s", strerror(-err)) : 0;
}

int report_run(const struct options *opts)
{
	struct reporter p = { .report.for_page = opts->report_html };
	const struct dat_reader reader = { .sink = &sink_reporter, .to = &p, .opened = take_file, .damaged = take_damage };
	struct options reading = *opts;
	struct diag diag = { 0 };
	struct buf out = { 0 };
	int status;

	/* A large recording takes a while: what is wrong with the output is said before. */
	if (opts->record.output && own_file_check("-o", opts->record.output, &diag)) {
		status = report_error(&diag, EXIT_KERNEL);
		diag_fini(&diag);
		return status;
	}
	report_init(&p.report);
	reading.record.output = NULL;	/* it is not for events */
	status = read_dat_for(&reading, &reader);
	if (p.opened) {
		report_end(&p.report);
		make(opts, &p.report, &out);
		if (print(opts, &out, &diag))
			status = report_error(&diag, EXIT_KERNEL);
	}
	diag_fini(&diag);
	buf_fini(&out);
	report_fini(&p.report);
	return status;
}
