/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * builds.h - build ids: which build of a program, of the kernel or of a module it was.
 */
#ifndef ELF_BUILDS_H
#define ELF_BUILDS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/buf.h"

struct build_id {
	unsigned char bytes[64];
	size_t len;			/* 0: not known */
};

bool build_id_same(const struct build_id *a, const struct build_id *b);

/* Of the kernel that runs now; of one of its modules that is loaded now, if @module is not NULL. */
struct build_id build_id_running(const char *module);

/* Of the ELF file @fd, which stays the caller's. */
struct build_id build_id_of_file(int fd);

/* In hexadecimal digits, in @arena; "none" if it is not known. */
const char *build_id_text(struct arena *arena, const struct build_id *id);

/* Builds by their names: BUILDS_KERNEL, the name of a module, or the path of a file. Starts as zeroes. */
enum { BUILDS_BUCKETS = 1024 };

struct builds {
	struct arena arena;		/* everything in it; the names are copies */
	struct build *buckets[BUILDS_BUCKETS];
	const char *last;		/* the name that builds_note() took last */
};

#define BUILDS_KERNEL	"vmlinux"

void builds_fini(struct builds *b);

/* Two builds may have one name, one after the other: then it is not known which is meant. */
void builds_add(struct builds *b, const char *name, const unsigned char *id, size_t len);

/* The same for a name that comes often, with the same pointer each time. */
static inline void builds_note(struct builds *b, const char *name, const unsigned char *id, size_t len)
{
	if (b->last == name)
		return;
	b->last = name;
	builds_add(b, name, id, len);
}

/* Its ->len is 0 if the name is not known, or has several builds. */
struct build_id builds_find(const struct builds *b, const char *name);

/* Adds the kernel that runs, and all modules that are loaded now. */
void builds_add_running(struct builds *b);

/* builds_print() writes a line for each: "build ID NAME". builds_parse() adds these, and skips other lines. */
void builds_print(const struct builds *b, struct buf *out);
void builds_parse(struct builds *b, const char *text);

#endif
