/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * report.h - what a recording is summed up to, and the sink that its events go to.
 *
 * Events are counted while they are read. What is kept of each one is for the page, and is dropped when there are more than REPORT_HITS:
 * so memory does not depend on the length of a recording. Each table has a limit, and counts what it has no row for.
 */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "print/sink.h"
#include "report/calls.h"
#include "report/flame.h"
#include "report/latency.h"
#include "report/rate.h"
#include "report/strings.h"

enum {
	REPORT_HITS = 200000,		/* events that the page shows one by one */
	REPORT_ROWS = 1 << 16,		/* of each table */
	REPORT_TRACKS = 2048,		/* tasks, and CPUs, whose events are counted over time; the others together */
	REPORT_GAPS = 10000,		/* losses whose time is kept */
	REPORT_TEXT = 4096,		/* bytes of an event's text */
	REPORT_TEXTS = 64 << 20,	/* ... of all of them; then only REPORT_SHORT of each further one */
	REPORT_SHORT = 64,
};

#define REPORT_END	UINT64_MAX	/* after the last event */

/* What records look like. Only while events come: it points to what the reader has. */
struct report_layout {
	const struct layout *layout;
	const struct layout_field *elapsed;	/* the field with the duration; NULL: none */
	uint32_t event;
};

/* An event that was defined; in several files it may have several layouts. */
struct report_event {
	uint32_t group, name;
	uint64_t count;
	bool enters, leaves;		/* its hits can be the entry or the return of a call */
};

/* A place of an event. */
struct report_site {
	uint32_t event, function;	/* function: its name */
	uint64_t count;
	uint32_t latency;		/* its durations; INDEX_NONE: none */
	uint32_t called;		/* the function whose entries or returns these are; INDEX_NONE: none */
};

/* A place by its address. */
struct report_place {
	uint64_t addr;
	uint32_t layout, site;		/* layout: another file may be of another kernel */
};

struct report_task {
	uint32_t comm;
	int32_t pid;
	uint64_t count;
};

struct report_cpu {
	uint64_t count, last;		/* last: the time of its last event */
	uint64_t lost, gaps;
	bool some_lost;			/* of some losses the number is not known */
	bool in_gap;			/* events were lost, and there was none since */
	uint64_t gap_lost;
};

/* Losses of one CPU between two of its events. */
struct report_gap {
	uint32_t cpu;
	uint64_t from, to;		/* ns; from 0: before its first event; to REPORT_END: behind its last one */
	uint64_t lost;			/* UINT64_MAX: not known */
};

/* Durations of one kind: of $elapsed, or from the entry to the return of a function. */
struct report_latency {
	uint32_t event, begin;		/* begin: the event of the entry; INDEX_NONE: $elapsed */
	uint32_t function;
	struct latency latency;
	uint64_t unknown;		/* hits whose $elapsed could not be read */
};

/* Of a function with events at its entry and at its return. Only the first event of each side counts. */
struct report_call {
	uint64_t key;			/* the function's address, or the number of its name */
	bool by_name;
	uint32_t enters, leaves;	/* events; INDEX_NONE: none so far */
	uint32_t latency;		/* INDEX_NONE: no pair so far */
	struct calls_count count;
};

/* Hits of one task at one place. */
struct report_row {
	uint32_t site, task;
	uint64_t count, first, last;	/* ns */
	uint64_t durations, sum, max;	/* how many are known; ns */
};

struct report_hit {
	uint64_t ts, duration;
	uint32_t site, task, text;
	uint16_t cpu;
	bool has_duration;
};

struct report {
	bool for_page;			/* the caller's: keep what only the page shows */
	struct strings names, texts;
	struct report_layout *layouts;
	struct report_event *events;
	struct report_site *sites;
	struct report_place *places;
	struct report_task *tasks;
	struct report_cpu *cpus;
	struct report_gap *gaps;
	struct report_latency *latencies;
	struct report_call *called;
	struct report_row *rows;
	struct report_hit *hits;
	unsigned nr_layouts, size_layouts, nr_events, size_events, nr_sites, size_sites, nr_places, size_places, nr_tasks, size_tasks, nr_cpus, size_cpus;
	unsigned nr_gaps, size_gaps, nr_latencies, size_latencies, nr_called, size_called, nr_rows, size_rows, nr_hits, size_hits;
	struct index by_layout, by_event, by_site, by_place, by_task, by_called, by_row;
	uint64_t other_sites, other_tasks, other_rows, other_gaps;	/* hits, and losses, for which there was no row */
	struct rate rate, by_cpu_rate, by_task_rate;
	struct calls calls;
	struct flame flame;
	uint64_t exact_room;		/* for so many more exact durations there is memory: latency.h */
	uint64_t count, first, last;	/* events, and their times (ns) */
	uint64_t lost;
	bool some_lost;			/* of some losses the number is not known */
	bool dropped;			/* there were more than REPORT_HITS */
	struct buf raw, text;
	/* About the files; see report_file(). */
	struct buf files;
	uint32_t node, kernel, writer;	/* names; INDEX_NONE: not known */
	uint64_t bad_pages, bad_events;
	bool incomplete;
};

/* The caller sets ->for_page of a zeroed one, and calls this. */
void report_init(struct report *r);
void report_fini(struct report *r);

/* A file is read: its name, "SYSTEM NODE RELEASE MACHINE" (or NULL), and what wrote it (or NULL). */
void report_file(struct report *r, const char *path, const char *uname, const char *writer, bool complete);

/* So many of the file's pages and events could not be read. */
void report_damage(struct report *r, uint64_t pages, uint64_t events);

/* All events were given. */
void report_end(struct report *r);

/* Its @to is a struct report. It prints nothing. */
extern const struct sink sink_report;

/* ---- the forms ---- */

struct report_view {
	unsigned width;			/* columns */
	bool utf8;
	uint64_t top;			/* rows of a table; 0: REPORT_TOP */
};
enum { REPORT_TOP = 10 };

/* Appends the summary for people. Nothing in it is a command to a terminal. */
void report_text(struct report *r, const struct report_view *view, struct buf *out);

/* Appends the whole page: at most PAGE_MOST bytes, whatever was recorded. */
void report_page(struct report *r, struct buf *out);
#define PAGE_MOST	25000000

#endif
