/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * recorded_symbols.h - the symbols that recordings have. Recordings with the same symbols share them: those of --rotate are many.
 */
#ifndef TRACE_RECORDED_SYMBOLS_H
#define TRACE_RECORDED_SYMBOLS_H

#include "base/arena.h"
#include "base/diag.h"

struct dat_file;
struct ksyms;

/* Starts as zeroes. */
struct recorded_symbols {
	struct arena arena;
	struct symbols_set *sets;
};

/* The symbols of @f, whose texts need not live any longer. *ret NULL: it has none. -errno with @diag. They live until recorded_symbols_fini(). */
int recorded_symbols_get(struct recorded_symbols *all, const struct dat_file *f, struct ksyms **ret, struct diag *diag);

void recorded_symbols_fini(struct recorded_symbols *all);

#endif
