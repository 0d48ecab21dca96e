/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * place_id.h - a number for each place that is not in the kernel's code: what histograms have as key when they count by function.
 *
 * A program's addresses differ from process to process, and no symbol of the kernel names them. But a definition in a program, or of an
 * event, is one place, and its layout has the name.
 */
#ifndef PLAN_PLACE_ID_H
#define PLAN_PLACE_ID_H

#include "base/buf.h"
#include "plan/layout.h"

/*
 * The number of the place of @l, made of file, function and offset (of an event: its name). It is the same in each run and for each
 * process, it is never an address of the kernel, and never 0. 0: the place is in the kernel's code, so its address is the key.
 */
uint64_t place_id(const struct layout *l);

/* Appends "FUNCTION", with @with_offset "FUNCTION+0xOFF"; "FILE:0xOFF" if no function is known; of an event its name. */
void place_id_print(const struct layout *l, bool with_offset, struct buf *out);

#endif
