// SPDX-License-Identifier: GPL-2.0-only
/*
 * places.c - what debug information says of a place, for perf.py
 *
 *	places FILE < questions		each a line: FUNCTION[:LINE]|SOURCE:LINE [EXPRESSION]...
 *
 * Prints for each place: "SYMBOL+OFFSET EXPRESSION=FETCH ...", for one that cannot be fetched "EXPRESSION=-REASON" with
 * '_' for blanks; then an empty line.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elf/dwarf/lines.h"

static void print_value(const char *expr, const struct lines_value *v)
{
	printf(" %s=%s", expr, v->fetch ? v->fetch : "-");
	for (const char *c = v->fetch ? "" : v->trouble; *c; c++)
		putchar(*c == ' ' ? '_' : *c);
}

static void answer(int fd, const char *name, char *line)
{
	struct arena arena = { 0 };
	struct diag diag = { 0 };
	struct lines_expr exprs[128];
	struct lines_query q = { .exprs = exprs };
	struct lines_answer a;
	char *rest, *place = strtok_r(line, " \n", &rest), *colon, *word;

	if (!place)
		return;
	colon = strrchr(place, ':');
	if (colon) {
		*colon = '\0';
		q.has_line = true;
		q.line = (unsigned)strtoul(colon + 1, NULL, 10);
	}
	*(strchr(place, '.') ? &q.file : &q.function) = place;
	while (q.nr_exprs < 128 && (word = strtok_r(NULL, " \n", &rest)))
		exprs[q.nr_exprs++] = (struct lines_expr){ .text = word };
	if (lines_ask(&arena, fd, name, &q, 1, &a, &diag))
		printf("# %s\n", buf_str(&diag.msg));
	else if (a.trouble)
		printf("# %s\n", a.trouble);
	for (unsigned i = 0; !diag.err && i < a.nr; i++) {
		printf("%s+%llu", a.places[i].symbol, (unsigned long long)a.places[i].off);
		for (unsigned n = 0; n < q.nr_exprs; n++)
			print_value(exprs[n].text, &a.places[i].values[n]);
		putchar('\n');
	}
	putchar('\n');
	fflush(stdout);
	diag_fini(&diag);
	arena_fini(&arena);
}

int main(int argc, char **argv)
{
	int fd = argc == 2 ? open(argv[1], O_RDONLY) : -1;
	char *line = NULL;
	size_t size = 0;

	if (fd < 0) {
		fprintf(stderr, "usage: places FILE < questions\n");
		return 64;
	}
	while (getline(&line, &size, stdin) > 0)
		answer(fd, argv[1], line);
	free(line);
	return 0;
}
