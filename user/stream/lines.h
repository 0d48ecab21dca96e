/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lines.h - the sink and the form of lines that the options ask for.
 */
#ifndef STREAM_LINES_H
#define STREAM_LINES_H

#include "print/text.h"
#include "stream/options.h"

struct record_kind;
struct source;

/* The sink that @o asks for. @fd: where lines go. */
const struct sink *lines_sink(const struct options *o, int fd);

/* The form of lines for @fd that @o asks for, with symbols of @ks (or NULL). The caller must add the rules of the context. */
struct text lines_text(const struct options *o, const struct ksyms *ks, int fd);

/* Prints the one warning of --for to standard error: what the reading program does with the events of @sources. */
void lines_warn(const struct options *o, const struct source *sources, unsigned nr);

/* The kind of the file of --snapshot, as its name says. NULL: the option is not given, or lines are written. */
const struct record_kind *lines_snapshot_kind(const struct options *o);

#endif
