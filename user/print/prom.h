/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * prom.h - the Prometheus text format, version 0.0.4: families of samples with their help and type.
 *
 *	# HELP bprobe_hits_total Hits that were wanted.
 *	# TYPE bprobe_hits_total counter
 *	bprobe_hits_total{group="kprobes",event="open"} 12
 *
 * All samples of a family stand together, so they are collected first.
 */
#ifndef PRINT_PROM_H
#define PRINT_PROM_H

#include "base/arena.h"
#include "base/buf.h"

struct prom_family {
	const char *name, *type, *help;
	struct buf samples;
};

/* All zeroes: nothing yet. prom_fini() frees. */
struct prom {
	struct arena arena;
	struct prom_family *families;
	unsigned nr, size;
};

/*
 * The samples of the family @name; a new family if there is none. @name must be one that prom_name() could have made; it is copied. @type and
 * @help are literals. What is appended are whole lines. The buffer moves when another family is added.
 */
struct buf *prom_family(struct prom *p, const char *name, const char *type, const char *help);

/* Appends @name with '_' for each character that no name can have; an empty one is "_". */
void prom_name(const char *name, struct buf *out);

/*
 * Appends NAME="VALUE" and a comma in front if @labels is not empty. Of the value, '\', '"' and newlines are escaped, and bytes that are no
 * UTF-8, which a value cannot have, are written \xNN.
 */
void prom_label(struct buf *labels, const char *name, const char *value);

/* Appends the families in the order in which they were added. */
void prom_print(const struct prom *p, struct buf *out);
void prom_fini(struct prom *p);

#endif
