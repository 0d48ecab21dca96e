/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * markers.h - a program's USDT markers: places that its authors made for tracers (section .note.stapsdt).
 *
 * One marker can have several places, because a function can be inlined. At each its arguments are elsewhere.
 */
#ifndef ELF_MARKERS_H
#define ELF_MARKERS_H

#include "arch/operand.h"
#include "elf/program.h"

struct marker_arg {
	const char *text;		/* as in the file: "-4@%eax" */
	const char *unsupported;	/* why it cannot be fetched; NULL: it can */
	uint8_t size;			/* bytes: 1, 2, 4, 8 */
	bool is_signed;
	bool is_float;
	/*
	 * Where it is. A symbol is resolved already: its address is a distance from the marker's place, so operand.reg is REG_IP, and
	 * operand.symbol NULL.
	 */
	struct asm_operand operand;
};

struct marker {
	const char *provider, *name;
	const char *refusal;		/* why it cannot be probed; NULL: it can */
	uint64_t addr;			/* of the place, as the file numbers its addresses */
	uint64_t off;			/* of the place, in the file */
	uint64_t semaphore;		/* where in the file a counter of tracers is, 2 bytes; 0: none. Without it the marker may be skipped */
	const struct marker_arg *args;
	unsigned nr_args;
};

/*
 * Finds all places of the markers that @match accepts, sorted by provider, name and place. *ret and all texts are in @arena. Returns their
 * number.
 */
size_t markers_match(struct program *p, struct arena *arena, bool (*match)(void *ctx, const char *provider, const char *name), void *ctx,
		     const struct marker **ret);

/* Finds all places of one marker. @provider NULL: of any. */
size_t markers_find(struct program *p, struct arena *arena, const char *provider, const char *name, const struct marker **ret);

#endif
