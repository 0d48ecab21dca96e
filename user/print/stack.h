/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * stack.h - the stacks that a hit was recorded with: --kernel-stack and --user-stack.
 */
#ifndef PRINT_STACK_H
#define PRINT_STACK_H

#include "elf/symbols.h"
#include "print/event.h"

struct frame;
struct lines_frames;
struct text;
struct user_frame;

/* A stack's frames, the innermost first. */
struct stack {
	enum stack_kind kind;
	unsigned nr;
	uint64_t frames[LAYOUT_MAX_FRAMES + 1];	/* addresses. STACK_USER_IDS: offsets in files; STACK_USER_TEXT: where each line is in @bytes */
	const unsigned char *bytes;	/* as they are in the record */
	uint32_t len;
};

/*
 * Does @ev show a stack of this kind, with frames or without? False: its definition has none, or a trigger decided that this hit has
 * none.
 */
bool stack_is_shown(const struct event *ev, enum stack_kind kind);

/*
 * The stack of @ev. False: it shows none of this kind, or one without frames.
 *
 * A kernel stack begins with the traced function: with the probe's own place, or at a return with the function's address (the
 * function itself is no longer on the stack). Then its callers follow.
 */
bool stack_get(const struct event *ev, enum stack_kind kind, struct stack *ret);

/*
 * Finds a frame of a program. False: it is a frame of the kernel, or nothing is known of what is there; then only its address is. What
 * *ret points to is valid until the next call.
 */
bool stack_user_frame(const struct text *t, const struct event *ev, const struct stack *stack, unsigned frame, struct user_frame *ret);

/*
 * The place of a frame, for its lines. False: nothing is known of it but an address, or of what build its file is. What *ret points to
 * is valid until the next call.
 */
bool stack_place(const struct text *t, const struct event *ev, const struct stack *stack, unsigned frame, struct frame *ret);

/* The functions and lines that the frame has, the innermost first. NULL: none are known. */
const struct lines_frames *stack_frame_lines(const struct text *t, const struct event *ev, const struct stack *stack, unsigned frame);

/* The build id of a frame of STACK_USER_IDS; its offset in the file is in frames[]. False: only the address is known, which is there then. */
bool stack_frame_id(const struct stack *stack, unsigned frame, unsigned char ret[ELF_BUILD_ID]);

/* A line of STACK_USER_TEXT, as stack_put_frame() made it. Nothing ends with a NUL. */
struct stack_line {
	const char *text, *file;	/* file: NULL: it has none */
	uint32_t len, file_len;
	uint32_t symbol_len, name_len;	/* of SYM+0xOFF/0xSIZE and of SYM, at the start of @text; 0: it has no symbol */
};

void stack_frame_line(const struct stack *stack, unsigned frame, struct stack_line *ret);

/*
 * SYM+0xOFF/0xSIZE [MODULE], or the address. Of a program: SYM+0xOFF/0xSIZE [FILE]; without a symbol FILE[+0xADDR], as ftrace prints it, with
 * the address as the file numbers it.
 */
void stack_put_frame(const struct text *t, const struct event *ev, const struct stack *stack, unsigned frame, struct buf *out);

/* Only the name of the frame's function; else [FILE], or the address. */
void stack_put_name(const struct text *t, const struct event *ev, const struct stack *stack, unsigned frame, struct buf *out);

/*
 * The frame as one line, or as several, the innermost first: " => FUNCTION FILE:LINE (inlined)" for each function that is inlined there,
 * and " => FRAME FILE:LINE". How many there are; and line @n of them, without a newline.
 */
unsigned stack_nr_lines(const struct text *t, const struct event *ev, const struct stack *stack, unsigned frame);
void stack_put_line(const struct text *t, const struct event *ev, const struct stack *stack, unsigned frame, unsigned n, struct buf *out);

/* All lines of all frames. */
void stack_put_lines(const struct text *t, const struct event *ev, const struct stack *stack, struct buf *out);

/* The line that ftrace prints before the frames, as the text behind the time: "<stack trace>". */
const char *stack_title(enum stack_kind kind);

/* The name of such a stack in JSON, and of ftrace's event. */
const char *stack_name(enum stack_kind kind);

#endif
