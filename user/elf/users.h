/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * users.h - what is mapped where in which process, and the functions there.
 *
 * The caller tells what happens in the order of time (run/mapwatch.h), and asks for an address as of the present state. What is not known
 * is read from /proc/PID/maps, as long as the process exists.
 */
#ifndef ELF_USERS_H
#define ELF_USERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elf/maps.h"
#include "elf/symbols.h"

struct users;

/* An address of a process. */
struct user_frame {
	const char *path;		/* of the file; NULL: nothing that is known is mapped there */
	uint64_t off;			/* the address as the file numbers it, for addr2line; without symbols the offset in the file */
	bool has_addr;			/* ... it is that address */
	uint64_t ino;			/* the file's number in its file system; 0: not known */
	const struct elf_symbol *symbol;	/* NULL: the file has none there */
	const unsigned char *build_id;	/* NULL: not known */
	size_t build_id_len;
};

/* @sync, @ctx: users_find() calls it first, so that the caller can tell what happened up to that time. NULL: nobody. */
struct users *users_new(void (*sync)(void *ctx, uint64_t ts), void *ctx);
void users_free(struct users *u);	/* NULL is fine */

/* A file was mapped just now. It is looked for at once: its process may end soon, and the file may be only in its mount namespace. */
void users_file(struct users *u, uint32_t tgid, const struct user_map *m);

/* What happened, in the order of time. A thread is not a process: only @tgid counts. */
void users_map(struct users *u, uint32_t tgid, const struct user_map *m);
void users_exec(struct users *u, uint32_t tgid);	/* nothing is mapped any more */
void users_fork(struct users *u, uint32_t parent, uint32_t child);
void users_exit(struct users *u, uint32_t tgid);

/* Reads what all processes have mapped now, and forgets what they had before. */
void users_read_all(struct users *u);

/*
 * Finds what process @tgid had at @addr at the time @ts (CLOCK_MONOTONIC ns). An address is taken as it is, as the kernel and perf take it:
 * the return from a call that is the last instruction of its function is in the next function. What *ret points to is valid
 * until the next call of any of these functions.
 */
void users_find(struct users *u, uint32_t tgid, uint64_t ts, uint64_t addr, struct user_frame *ret);

#endif
