/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * format.h - the text that describes the layout of an event's records.
 */
#ifndef PRINT_FORMAT_H
#define PRINT_FORMAT_H

#include <stdint.h>

#include "base/buf.h"
#include "plan/layout.h"

/*
 * Appends the text that the kernel's events/GROUP/EVENT/format would have (6.12, kernel/trace/trace_events.c, f_show();
 * trace_probe.c, traceprobe_set_print_fmt()). @id: the event's number, common_type.
 */
void format_print(const struct layout *l, uint32_t id, struct buf *out);

/* ---- parts of such a text, for dat_format.c ---- */

/* A field's line; @decl: its type and name. */
void format_field(struct buf *out, const char *decl, uint32_t off, uint32_t size, bool is_signed);

/* The fields that all events have, and those for the probe's place. */
void format_common(struct buf *out);
void format_places(const struct layout *l, struct buf *out);

/* How one value is printed (6.12, kernel/trace/trace_probe.c, the types' fmt). */
const char *format_conversion(const struct type *type);

/* The same for a field of @l: the kernel prints those of synthetic events in another way. */
const char *format_conversion_in(const struct layout *l, const struct type *type);

/* Appends what print fmt passes for one conversion, with a comma before; @ref: the value, "REC->ret". */
void format_argument(const struct layout_field *f, const char *ref, struct buf *out);

#endif
