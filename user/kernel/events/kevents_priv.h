/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kevents_priv.h - what the files of kevents.h share.
 */
#ifndef KERNEL_EVENTS_KEVENTS_PRIV_H
#define KERNEL_EVENTS_KEVENTS_PRIV_H

#include "kernel/events/kevents.h"

/* How the kernel's structures of events are laid out (kevents_memory.c). */
struct kevents_layout;

struct kevents {
	enum kevents_source source;
	char *tracefs;			/* as the caller said */
	const struct ksyms *ks;
	struct kbtf *btf;
	struct kmem *mem;
	const char *root;		/* the directory of tracefs that can be read; NULL: none, or not looked for yet */
	bool looked;
	struct kevents_layout *layout;	/* NULL: not made yet */
};

/*
 * Parses a format file: @len bytes of @text, from anybody. Fills in name, id, fields and print_fmt; these live in @arena. 0, or
 * -EINVAL: it is no format file, or a field lacks its offset or size.
 */
int kevent_parse_format(struct arena *arena, const char *text, size_t len, struct kevent *ret);

/* Fills in what the texts of @f's name and type tell. @f->type, ->offset, ->size and ->is_signed are known. */
void kevent_describe_field(struct arena *arena, struct kevent_field *f);

/* Are its offset and size possible? */
bool kevent_field_fits(const struct kevent_field *f);

/* kevent_find() and kevents_each() by the kernel's memory. */
int kevents_memory_find(struct kevents *k, struct arena *arena, const char *group, const char *name, struct kevent *ret);
int kevents_memory_each(struct kevents *k, bool (*take)(void *ctx, const char *group, const char *name), void *ctx);

/* Are there types, symbols and memory to read the list with? */
bool kevents_memory_works(struct kevents *k);
void kevents_memory_close(struct kevents *k);

#endif
