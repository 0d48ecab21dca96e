// SPDX-License-Identifier: GPL-2.0-only
/*
 * programs.c - the programs and libraries of a run.
 */
#include "elf/programs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct known {
	struct known *next;
	const char *name;		/* as it was asked for */
	struct program *program;
};

struct programs {
	struct arena arena;
	unsigned pid;
	struct known *first;
};

struct programs *programs_new(unsigned pid)
{
	struct programs *all = must(calloc(1, sizeof(*all)));

	all->pid = pid;
	return all;
}

void programs_close(struct programs *all)
{
	if (!all)
		return;
	for (struct known *k = all->first; k; k = k->next)
		program_close(k->program);
	arena_fini(&all->arena);
	free(all);
}

int programs_open(struct programs *all, const char *name, struct program **ret, struct diag *diag)
{
	struct program *program;
	struct known *k;
	int err;

	for (k = all->first; k; k = k->next) {
		if (!strcmp(k->name, name)) {
			*ret = k->program;
			return 0;
		}
	}
	err = program_open(&all->arena, name, all->pid, &program, diag);
	if (err)
		return err;
	k = arena_new(&all->arena, struct known);
	*k = (struct known){ .next = all->first, .name = arena_strdup(&all->arena, name), .program = program };
	all->first = k;
	*ret = program;
	return 0;
}
