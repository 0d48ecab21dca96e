/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * span.h - a part of the text that the user typed.
 */
#ifndef BASE_SPAN_H
#define BASE_SPAN_H

#include <stdint.h>

struct span {
	uint32_t off;		/* bytes from the text's start */
	uint32_t len;		/* bytes; 0: a place between two characters */
};

#endif
