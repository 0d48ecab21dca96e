/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dat.h - the file that trace-cmd and KernelShark read: trace.dat, versions 6 and 7.
 *
 * doc/trace-dat.md describes the layout and the reasons for it. The format is defined by trace-cmd.dat.v6(5) and v7(5) of
 * trace-cmd 3.1.6.
 */
#ifndef DAT_DAT_H
#define DAT_DAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/diag.h"

struct dat_packing;

#define DAT_MAGIC	"\x17\x08\x44tracing"

/* Stands between an event's format text and the list of modules. */
#define DAT_MODULES	"modules\n"

/* Of dat_note_pages(). */
#define DAT_NOTE	"\x17\x08\x44pages"

enum { DAT_MAGIC_LEN = 10, DAT_WORD_LEN = 10 };	/* of "flyrecord\0" and similar words */

enum dat_option {
	DAT_OPTION_DONE = 0, DAT_OPTION_CPUSTAT = 2, DAT_OPTION_BUFFER = 3, DAT_OPTION_TRACECLOCK = 4, DAT_OPTION_UNAME = 5,
	DAT_OPTION_CPUCOUNT = 8, DAT_OPTION_VERSION = 9,
};

/* Sections of version 7. The options with the same numbers tell where they are. */
enum dat_section {
	DAT_SECTION_OPTIONS = 0, DAT_SECTION_BUFFER = 3, DAT_SECTION_HEADER = 16, DAT_SECTION_FTRACE, DAT_SECTION_EVENTS,
	DAT_SECTION_KALLSYMS, DAT_SECTION_PRINTK, DAT_SECTION_CMDLINES, DAT_SECTION_END
};

/* An event: its system (a probe's group) and its format text. */
struct dat_event {
	const char *system;
	const char *text;
};

/* The pages of one CPU: @size bytes of a file from @off on. */
struct dat_stripe {
	int fd;
	unsigned cpu;
	uint64_t off, size;
	const struct dat_packing *packing;	/* of its chunks (version 7), which begin with their number; NULL: plain pages */
	uint64_t cut;			/* reading: missing bytes at the end, because the file was cut */
};

/* ---- writing (dat_write.c, dat_join.c) ---- */

/* Everything that a file holds except pages. What it points to is the caller's. */
struct dat_meta {
	uint32_t page_size;
	const struct dat_event *events;
	unsigned nr_events;
	const char *kallsyms;		/* NULL: the addresses are hidden */
	size_t kallsyms_len;
	const char *modules;		/* /proc/modules, for the sizes of the modules' last symbols; NULL: not known */
	const char *comms;		/* "PID COMM\n"...; NULL: none */
	const char *clock;		/* "mono" */
	const char *uname;		/* "SYSTEM NODE RELEASE MACHINE" */
	const char *version;		/* "bprobe VERSION", and lines of builds_print() and recording_print() */
	const uint64_t *lost;		/* for each CPU */
	unsigned nr_cpus;
	const char *const *stacks;	/* the format texts of ftrace's own events of stacks */
	unsigned nr_stacks;
};

/* Appends the start of a version 6 file, up to the place of the comms. */
void dat_head(const struct dat_meta *m, struct buf *out);

/*
 * Appends what stands behind the head until a version 6 file is completed, if it has the pages of one CPU already: where they
 * are. They reach to the end of the file. dat_join() replaces this.
 */
void dat_note_pages(unsigned cpu, uint64_t off, struct buf *out);
enum { DAT_NOTE_LEN = 32 };

/* Appends the content of a section, which is the same in both versions, without its size. See enum dat_section. */
void dat_section_text(const struct dat_meta *m, enum dat_section which, struct buf *out);

/* Appends one option; its form is the same in both versions. */
void dat_option_add(struct buf *out, enum dat_option id, const void *data, size_t len);

/* Appends the options that both versions have. */
void dat_options(const struct dat_meta *m, struct buf *out);

/* Called with the number of copied bytes. False ends the work with -EINTR. */
struct dat_progress {
	bool (*step)(void *ctx, uint64_t done);
	void *ctx;
};

/*
 * Completes the version 6 file @fd, which holds dat_head() of @head_len bytes, with the pages of @stripes. A stripe whose fd is
 * @fd itself is at its place already; the others are put behind it. The bytes that make the file complete for dat_open() are
 * written last. -errno. -EFBIG: there is too little room before that stripe; the file is unchanged.
 */
int dat_join(int fd, const struct dat_meta *m, uint64_t head_len, const struct dat_stripe *stripes, unsigned nr,
	     const struct dat_progress *progress);

/* Writes a whole version 7 file into the empty file @fd. @packing compresses its sections and pages. -errno. */
int dat_join_compressed(int fd, const struct dat_meta *m, const struct dat_packing *packing, const struct dat_stripe *stripes,
			unsigned nr, const struct dat_progress *progress);

/* ---- reading (dat_read.c) ---- */

struct dat_file {
	int fd;				/* the caller's */
	unsigned version;
	uint32_t page_size;
	bool complete;			/* false: pages are in other files; at most one CPU's pages are in this file */
	struct dat_event *events;
	unsigned nr_events;
	char *kallsyms, *modules;	/* NULL: the file has none */
	size_t kallsyms_len;
	const char *uname, *writer, *clock;	/* as the uname, version and clock of dat_meta; NULL: the file has none */
	struct dat_stripe *stripes;
	unsigned nr_stripes;
};

/*
 * Reads everything except the pages from the file @fd, into @arena. The stripes are within the file, each CPU has one, and
 * no two overlap. -errno with @diag.
 */
int dat_open(struct arena *arena, int fd, struct dat_file *ret, struct diag *diag);

#endif
