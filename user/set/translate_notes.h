/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * translate_notes.h - what the translation of a definition to kprobe_events' grammar does not show.
 */
#ifndef SET_TRANSLATE_NOTES_H
#define SET_TRANSLATE_NOTES_H

#include "base/buf.h"
#include "lang/ast.h"

/*
 * Appends text for a comment behind @def's translation, with "; " between the remarks; nothing if the translation shows
 * everything. Since the script may be read elsewhere, there are also remarks about what a system call's function receives,
 * and about the meaning of the program counter then.
 */
void translate_notes_print(const struct probe_def *def, struct buf *out);

/*
 * For the function of a system call: do some of its arguments fetch what the function itself receives, which is not what the
 * caller of the system call passed?
 */
bool translate_notes_fetches_registers(const struct probe_def *def);

/* For --translate: which words of @def only new kernels read. Appends to @out, behind "; " if it is not empty. */
void translate_notes_casts(const struct probe_def *def, struct buf *out);

/*
 * For --translate: which file and which kernels take @def if it is no p or r of kprobe_events, and what they do not take of it. Appends to
 * @out, behind "; " if it is not empty.
 */
void translate_notes_kind(const struct probe_def *def, struct buf *out);

/* For --translate: what the kernel's types do not print of @def's values. Appends to @out, behind "; " if it is not empty. */
void translate_notes_types(const struct probe_def *def, struct buf *out);

#endif
