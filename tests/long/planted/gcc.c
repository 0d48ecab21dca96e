// SPDX-License-Identifier: GPL-2.0-only
/* gcc.c - faults that gcc -fanalyzer must find */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct list {
	struct list *next;
	char *name;
};

char *first_line(const char *path)
{
	FILE *f = fopen(path, "re");
	char *line = malloc(100);

	if (!f)				/* finds: analyzer-malloc-leak */
		return NULL;
	line[0] = '\0';			/* finds: analyzer-possible-null-dereference */
	fgets(line, 100, f);
	fclose(f);
	return line;
}

void list_free(struct list *l)
{
	free(l->name);
	free(l);
	if (l->next)			/* finds: analyzer-use-after-free */
		free(l->next);
}

void name_free(char *name, int err)
{
	if (err)
		free(name);
	free(name);			/* finds: analyzer-double-free */
}
