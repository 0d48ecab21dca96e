// SPDX-License-Identifier: GPL-2.0-only
/*
 * places.c - what debug information says of a place, for perf.py and tests/bench/lines.sh
 *
 *	places FILE < questions		each a line: FUNCTION[:LINE]|SOURCE:LINE [EXPRESSION]...
 *	places -t FILE < questions	all together, in this process: what callgrind counts
 *	places -x FILE < questions	FILE is a program, and its places are addresses: 0xADDRESS
 *	places -a FILE < addresses	their lines, for addresses.sh; each a hexadecimal number
 *
 * Prints for each place: "SYMBOL+OFFSET EXPRESSION=FETCH ...", for one that cannot be fetched "EXPRESSION=-REASON" with
 * '_' for blanks; then an empty line. For an address, "0xADDRESS", then "FUNCTION" and "FILE:LINE" for each function there, the
 * innermost first.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elf/dwarf/lines.h"
#include "elf/file.h"

static void print_value(const char *expr, const struct lines_value *v)
{
	printf(" %s=%s", expr, v->fetch ? v->fetch : "-");
	for (const char *c = v->fetch ? "" : v->trouble; *c; c++)
		putchar(*c == ' ' ? '_' : *c);
}

/* Of a program, whose variables are in its file, and not symbols of a kernel. */
static struct elf_file *program;
static int program_fd = -1;

static bool parse(struct arena *arena, const char *text, struct lines_query *q)
{
	struct lines_expr *exprs = arena_array(arena, struct lines_expr, strlen(text));
	char *rest, *place = strtok_r(arena_strdup(arena, text), " \n", &rest), *colon, *word;

	if (!place)
		return false;
	*q = (struct lines_query){ .exprs = exprs };
	if (program) {
		q->segments = elf_file_segments(program, &q->nr_segments);
		q->program_fd = program_fd;
	}
	colon = strrchr(place, ':');
	if (colon) {
		*colon = '\0';
		q->has_line = true;
		q->line = (unsigned)strtoul(colon + 1, NULL, 10);
	}
	*(strchr(place, '.') ? &q->file : &q->function) = place;
	while ((word = strtok_r(NULL, " \n", &rest)))
		exprs[q->nr_exprs++] = (struct lines_expr){ .text = word };
	return true;
}

static bool as_addresses;

static void print_answer(void *ctx, const struct lines_query *q, const struct lines_answer *a)
{
	(void)ctx;
	if (a->trouble)
		printf("# %s\n", a->trouble);
	for (unsigned i = 0; i < a->nr; i++) {
		if (as_addresses)
			printf("0x%llx", (unsigned long long)a->places[i].addr);
		else
			printf("%s+%llu", a->places[i].symbol, (unsigned long long)a->places[i].off);
		for (unsigned n = 0; n < q->nr_exprs; n++)
			print_value(q->exprs[n].text, &a->places[i].values[n]);
		putchar('\n');
	}
	putchar('\n');
	fflush(stdout);
}

static void answer(int fd, const char *name, const char *line)
{
	struct arena arena = { 0 };
	struct diag diag = { 0 };
	struct lines_query q;
	struct lines_answer a;

	if (!parse(&arena, line, &q))
		return;
	if (lines_ask(&arena, fd, name, &q, 1, &a, &diag))
		printf("# %s\n\n", buf_str(&diag.msg));
	else
		print_answer(NULL, &q, &a);
	diag_fini(&diag);
	arena_fini(&arena);
}

static int answer_together(int fd, const char *name)
{
	struct arena arena = { 0 };
	struct diag diag = { 0 };
	struct lines_query *queries = NULL;
	unsigned nr = 0, size_queries = 0;
	char *line = NULL;
	size_t size = 0;
	int err;

	while (getline(&line, &size, stdin) > 0) {
		queries = arena_grow(&arena, queries, nr, &size_queries);
		nr += parse(&arena, line, &queries[nr]);
	}
	err = nr ? lines_look(&arena, fd, name, queries, nr, print_answer, NULL, &diag) : 0;
	free(line);
	diag_fini(&diag);
	arena_fini(&arena);
	return err ? 1 : 0;
}

static void print_frame(const struct lines_frame *f)
{
	printf("%s\n%s:", f->function, f->file);
	printf(f->line ? "%u\n" : "?\n", f->line);
}

static int answer_addresses(int fd, const char *name)
{
	struct arena arena = { 0 };
	struct diag diag = { 0 };
	struct lines_address *all = NULL;
	struct lines_query q = { .want = LINES_OF_ADDRESSES };
	struct lines_answer a;
	unsigned room = 0;
	char *line = NULL;
	size_t size = 0;
	int err;

	while (getline(&line, &size, stdin) > 0) {
		all = arena_grow(&arena, all, q.nr_addresses, &room);
		all[q.nr_addresses++] = (struct lines_address){ .distance = strtoull(line, NULL, 16) };
	}
	q.addresses = all;
	err = lines_ask(&arena, fd, name, &q, 1, &a, &diag);
	for (unsigned i = 0; !err && i < q.nr_addresses; i++) {
		printf("0x%016llx\n", (unsigned long long)all[i].distance);
		for (unsigned n = 0; n < a.frames[i].nr; n++)
			print_frame(&a.frames[i].all[n]);
	}
	if (err)
		fprintf(stderr, "places: %s\n", buf_str(&diag.msg));
	free(line);
	diag_fini(&diag);
	arena_fini(&arena);
	return err ? 1 : 0;
}

int main(int argc, char **argv)
{
	bool together = argc == 3 && !strcmp(argv[1], "-t"), addresses = argc == 3 && !strcmp(argv[1], "-a");
	bool option;
	int fd;
	char *line = NULL;
	size_t size = 0;

	as_addresses = argc == 3 && !strcmp(argv[1], "-x");
	option = together || addresses || as_addresses;
	fd = argc == 2 + option ? open(argv[1 + option], O_RDONLY) : -1;
	if (fd < 0) {
		fprintf(stderr, "usage: places [-t | -x | -a] FILE < questions\n");
		return 64;
	}
	if (as_addresses && elf_file_open(program_fd = fd, &program))
		return 1;
	if (together)
		return answer_together(fd, argv[2]);
	if (addresses)
		return answer_addresses(fd, argv[2]);
	while (getline(&line, &size, stdin) > 0)
		answer(fd, argv[1 + option], line);
	free(line);
	return 0;
}
