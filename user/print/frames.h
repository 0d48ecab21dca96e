/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * frames.h - the places that frames of stacks have, each once, and the lines of the source there (--lines-in-stacks).
 *
 * later.c collects them while events come. Who reads debug information goes through them at the end, and fills in their lines.
 */
#ifndef PRINT_FRAMES_H
#define PRINT_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct lines_frames;

struct frame {
	const char *file;		/* the program's file; NULL: the kernel's code */
	const unsigned char *build_id;	/* ... and its build id; NULL: not known */
	size_t build_id_len;
	uint64_t ino;			/* ... and its number in its file system; 0: not known */
	uint64_t addr;			/* in the kernel, or as the file numbers it; FRAME_NO_ADDR: only the symbol is known */
	bool has_addr;			/* false: @addr is an offset in the file, since nobody could read it */
	const char *symbol;		/* of a program, as demangle() has it; NULL: none */
	uint64_t off, size;		/* bytes behind the symbol's start, and its size */
	bool is_return;			/* the program goes on here: the frame's line is that of the call in front of it */
	bool is_asked;			/* debug information was asked for the lines */
	const struct lines_frames *lines;	/* whoever fills it in owns it; NULL: none are known */
	struct frame *next;		/* in the order in which they came */
	struct frame *in_bucket;
};

#define FRAME_NO_ADDR	UINT64_MAX

struct frames;

/* frames_free() frees everything. If memory runs out, the process ends, as in arena.h. */
struct frames *frames_new(void);
void frames_free(struct frames *f);	/* NULL is fine */

/* The frame with the place of @wanted, whose members may be the caller's: a copy is made. It lives until frames_free(). */
struct frame *frames_get(struct frames *f, const struct frame *wanted);

/* Memory that lives as long as they do, for their lines. */
struct arena *frames_arena(struct frames *f);

/* All of them; ->next leads on. NULL: none. */
struct frame *frames_first(const struct frames *f);

#endif
