/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sender.h - the machine whose events an object shows, for programs that collect the events of many machines.
 */
#ifndef PRINT_SENDER_H
#define PRINT_SENDER_H

#include <stddef.h>

#include "base/arena.h"
#include "base/buf.h"

enum { SENDER_SCHEMA = 1 };		/* the version of the form of such objects: doc/json.md, "Versions" */

struct sender {
	const char *members;		/* "schema", "host", "boot" and "kernel" as members of a JSON object, each with a comma behind it */
	size_t len;
};

/* The sender with these names. Each may be NULL: not known. What it has lives in @arena. */
struct sender sender_make(struct arena *arena, const char *host, const char *boot, const char *kernel);

/* This machine: @host, or if that is NULL the name that uname(2) has; the kernel's boot id and its release. As sender_make(). */
struct sender sender_here(struct arena *arena, const char *host);

/* Begins an object: '{' and the members of @s, which may be NULL: none. */
void sender_begin(const struct sender *s, struct buf *out);

#endif
