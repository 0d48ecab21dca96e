// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_lines.c - lines, functions and variables, from this program's own debug information; C expressions; damaged files.
 *
 * What is fetched is compared in guests (tests/guest/suites/lines.sh) and with perf probe (make check-lines).
 */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elf/dwarf/answer.h"
#include "plan/asked.h"
#include "tap.h"

struct thing { int number; char name[8]; struct thing *next; short cube[2][3][4]; };

static volatile int sink;

static inline __attribute__((always_inline)) int inner(struct thing *t)
{
	sink += t->number;
	return t->number;
}

static __attribute__((noinline)) int outer(struct thing *t, int times)
{
	int sum = 0;

	for (int i = 0; i < times; i++)
		sum += inner(t);
	return sum + inner(t->next);		/* two copies */
}

enum { OUTER = __LINE__ - 9 };		/* the line of "outer" */

static struct arena arena;

static bool ask(int fd, const struct lines_query *q, struct lines_answer *a)
{
	struct diag diag = { 0 };
	int err = lines_ask(&arena, fd, "test", q, 1, a, &diag);

	if (err)
		printf("# %s\n", buf_str(&diag.msg));
	diag_fini(&diag);
	return !err;
}

static void test_places(int fd)
{
	const struct lines_expr exprs[] = { { "t->number", false }, { "t->name", true }, { "times", false }, { "nosuch", false }, { "t->", false } };
	struct lines_query q = { .function = "outer", .exprs = exprs, .nr_exprs = 5 };
	char *here = get_current_dir_name();		/* tests are built and run there */
	struct lines_answer a;

	CHECK(ask(fd, &q, &a) && a.nr == 1 && !strcmp(a.places[0].symbol, "outer") && !a.places[0].off && a.places[0].is_entry, "a function's entry");
	CHECK(a.nr == 1 && a.places[0].values[0].fetch && !strcmp(a.places[0].values[0].type, "s32"), "... a field of a parameter");
	CHECK(a.nr == 1 && a.places[0].values[1].fetch && !strcmp(a.places[0].values[1].type, "string"), "... a text");
	CHECK(a.nr == 1 && a.places[0].values[2].fetch && !strcmp(a.places[0].values[2].type, "s32"), "... a parameter");
	CHECK(a.nr == 1 && !a.places[0].values[3].fetch && strstr(a.places[0].values[3].trouble, "no variable 'nosuch'"), "... none of another name");
	CHECK(a.nr == 1 && !a.places[0].values[4].fetch && strstr(a.places[0].values[4].trouble, "the name of a member"), "... nor what is no C");
	q.nr_exprs = 0;
	q.function = "inner";
	CHECK(ask(fd, &q, &a) && a.nr == 2 && !strcmp(a.places[0].symbol, "outer") && !strcmp(a.places[1].chain, "inner"),
	      "an inlined function has two places");
	q.is_return = true;
	CHECK(ask(fd, &q, &a) && !a.nr && strstr(a.trouble, "inlined wherever it is called") && a.is_known && a.help, "... and no return");
	q = (struct lines_query){ .function = "inner", .file = "other.c" };
	CHECK(ask(fd, &q, &a) && !a.nr && strstr(a.trouble, "no function inner in other.c") && !a.is_known, "a function of another file");
	q = (struct lines_query){ .file = "test_lines.c", .has_line = true, .line = OUTER + 6 };
	CHECK(ask(fd, &q, &a) && a.nr && !strcmp(a.places[0].symbol, "outer") && !*a.places[0].chain, "a line of a file");
	q.file = "unit/test_lines.c";
	CHECK(ask(fd, &q, &a) && a.nr, "... with the end of its path");
	q.file = "./tests/unit/test_lines.c";
	CHECK(ask(fd, &q, &a) && a.nr, "... from the directory of the compiler");
	q.file = arena_printf(&arena, "%s/tests/unit/test_lines.c", here);
	CHECK(ask(fd, &q, &a) && a.nr, "... with that directory");
	q.file = strchr(q.file + 1, '/') + 1;
	CHECK(ask(fd, &q, &a) && a.nr, "... with its end: %s", q.file);
	CHECK(ask(fd, &(struct lines_query){ .function = "test_lines.c", .has_line = true, .line = OUTER + 6 }, &a) && a.nr &&
	      !strcmp(a.places[0].symbol, "outer"), "... whose name is taken for a function's at first");
	q.file = "nosuch/unit/test_lines.c";
	CHECK(ask(fd, &q, &a) && !a.nr, "... with another one");
	q.file = "est_lines.c";
	CHECK(ask(fd, &q, &a) && !a.nr && strstr(a.trouble, "no file est_lines.c"), "... which begins behind a '/'");
	q = (struct lines_query){ .function = "outer", .has_line = true, .line = 6 };
	CHECK(ask(fd, &q, &a) && a.nr && !strcmp(a.places[0].symbol, "outer"), "a line of a function");
	q.line = 100000;
	CHECK(ask(fd, &q, &a) && !a.nr && strstr(a.trouble, "line 100000 of outer has no code") && a.help, "... that has none");
	free(here);
}

/* Is it +OFF(%REGISTER), of this type? */
static bool is_at(const struct lines_value *v, size_t off, const char *type)
{
	return v->fetch && strtoul(v->fetch, NULL, 10) == off && !strcmp(v->type, type);
}

/* Each index takes one dimension. What is left is an array of all the rest. */
static void test_dimensions(int fd)
{
	const struct lines_expr exprs[] = { { "t->cube[1][2][3]", false }, { "t->cube[1][2]", false }, { "t->cube[1]", false }, { "t->cube", false },
					    { "t->cube[0][0][0][0]", false }, { "*t->cube[1][0]", false } };
	const struct lines_query q = { .function = "outer", .exprs = exprs, .nr_exprs = 6 };
	const size_t cube = offsetof(struct thing, cube);
	struct lines_answer a;

	CHECK(ask(fd, &q, &a) && a.nr == 1 && is_at(&a.places[0].values[0], cube + 2 * (12 + 8 + 3), "s16"), "an element of three dimensions");
	CHECK(a.nr == 1 && is_at(&a.places[0].values[1], cube + 2 * (12 + 8), "s16[4]"), "... a row of them");
	CHECK(a.nr == 1 && is_at(&a.places[0].values[2], cube + 2 * 12, "s16[12]"), "... a plane");
	CHECK(a.nr == 1 && is_at(&a.places[0].values[3], cube, "s16[24]"), "... all of them");
	CHECK(a.nr == 1 && !a.places[0].values[4].fetch, "... there is no fourth one");
	CHECK(a.nr == 1 && is_at(&a.places[0].values[5], cube + 2 * 12, "s16"), "... the first of a row");
}

static void test_similar(int fd)
{
	const struct lines_expr exprs[] = { { "timse", false }, { "t->nubmer", false }, { "zzzzzzz", false } };
	struct lines_query q = { .function = "outer", .exprs = exprs, .nr_exprs = 3 };
	struct lines_answer a;

	CHECK(ask(fd, &q, &a) && a.nr == 1 && a.places[0].values[0].similar && !strcmp(a.places[0].values[0].similar, "times"), "a name like a parameter's");
	CHECK(a.nr == 1 && a.places[0].values[1].similar && !strcmp(a.places[0].values[1].similar, "number"), "... like a member's");
	CHECK(a.nr == 1 && !a.places[0].values[2].similar, "... like none");
	q = (struct lines_query){ .function = "outre" };
	CHECK(ask(fd, &q, &a) && a.help && strstr(a.help, "did you mean outer?"), "... like a function's");
	q = (struct lines_query){ .file = "unit/tset_lines.c", .has_line = true, .line = 3 };
	CHECK(ask(fd, &q, &a) && a.help && strstr(a.help, "did you mean test_lines.c?"), "... like a file's");
}

static bool has_line(const struct lines_answer *a, unsigned line)
{
	unsigned i = 0;

	while (i < a->nr_lines && a->lines[i] != line)
		i++;
	return i < a->nr_lines;
}

static void test_lists(int fd)
{
	static const char *const names[] = { "outer", "inner", "nosuch", "inner" };
	struct lines_query q = { .want = LINES_WITH_CODE, .function = "outer" };
	struct lines_answer a;

	CHECK(ask(fd, &q, &a) && a.base == OUTER && strstr(a.path, "test_lines.c"), "a function's lines: where it is");
	CHECK(has_line(&a, OUTER + 5) && has_line(&a, OUTER + 6) && !has_line(&a, OUTER + 3), "... those with code, and no other");
	CHECK(a.nr_lines && a.lines[0] >= OUTER && a.lines[a.nr_lines - 1] <= OUTER + 7, "... of this function alone");
	q = (struct lines_query){ .want = LINES_WITH_CODE, .file = "test_lines.c" };
	CHECK(ask(fd, &q, &a) && !a.base && has_line(&a, OUTER + 6) && has_line(&a, OUTER - 6), "a file's lines");
	q.file = "nosuch.c";
	CHECK(ask(fd, &q, &a) && a.trouble, "... of no file");
	q = (struct lines_query){ .want = LINES_INLINED, .functions = names, .nr_functions = 4 };
	CHECK(ask(fd, &q, &a) && !a.inlined[0] && a.inlined[1] && !a.inlined[2] && a.inlined[3], "which functions are inlined");
	q = (struct lines_query){ .function = "outer", .lists = true, .describes = true };
	CHECK(ask(fd, &q, &a) && a.nr == 1 && a.places[0].nr_variables >= 2 && !strcmp(a.places[0].variables[0].name, "t") &&
	      !strcmp(a.places[0].variables[0].type, "struct thing *") && a.places[0].variables[0].is_parameter, "a parameter, and its type in C");
	q = (struct lines_query){ .function = "inner", .is_symbol = true };
	CHECK(ask(fd, &q, &a) && !a.nr, "a function that has no symbol, if that is wanted");
}

/* Whatever is in a file, there is an answer or an error: the child may die, and nothing else. */
static void test_damage(int fd)
{
	struct stat st;
	unsigned char *whole;
	unsigned state = 1, answers = 0, nr = 40;
	const struct lines_expr expr = { "t->number", false };
	const struct lines_query q = { .function = "outer", .exprs = &expr, .nr_exprs = 1 };

	fstat(fd, &st);
	whole = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	for (unsigned i = 0; i < nr; i++) {
		int copy = memfd_create("damaged", 0);
		struct lines_answer a;
		struct diag diag = { 0 };

		if (write(copy, whole, (size_t)st.st_size) != st.st_size)
			break;
		for (unsigned n = 0; n < 2000; n++) {
			unsigned char byte = (unsigned char)((state = state * 1103515245 + 12345) >> 16);

			state = state * 1103515245 + 12345;
			/* Mostly behind the code, where the debug information is. */
			if (pwrite(copy, &byte, 1, st.st_size / 4 + (off_t)(((uint64_t)state * (uint64_t)st.st_size * 3 / 4) >> 32)) != 1)
				break;
		}
		if (i % 4 == 3 && ftruncate(copy, st.st_size - (off_t)(state % (unsigned)st.st_size)))
			break;
		answers += !lines_ask(&arena, copy, "test", &q, 1, &a, &diag) || diag.msg.len;
		diag_fini(&diag);
		close(copy);
	}
	CHECK(answers == nr, "%u damaged files: each has an answer or an error, but %u", nr, nr - answers);
	munmap(whole, (size_t)st.st_size);
}

static char dir[] = "/tmp/test_lines.XXXXXX";

static bool make_file(const char *name, const char *text)
{
	FILE *f = fopen(arena_printf(&arena, "%s/%s", dir, name), "we");

	return f && fputs(text, f) >= 0 && !fclose(f);
}

/* A weak function that another one has overridden is still in the program, and its line table, too. */
static void test_overridden(void)
{
	const struct lines_query weak = { .file = "a.c", .has_line = true, .line = 3 }, strong = { .file = "b.c", .has_line = true, .line = 3 };
	const struct lines_query both = { .function = "over", .has_line = true, .line = 2 };
	struct lines_answer a;
	int fd;

	CHECK(make_file("a.c", "__attribute__((weak, noipa)) int over(int n)\n{\n\treturn n;\n}\nint main(void) { return over(1); }\n") &&
	      make_file("b.c", "__attribute__((noipa)) int over(int n)\n{\n\treturn n + 1;\n}\n") &&
	      !system(arena_printf(&arena, "cd %s && gcc -g -O1 -o o a.c b.c && gcc -g -O1 -o w a.c", dir)), "two programs");
	fd = open(arena_printf(&arena, "%s/o", dir), O_RDONLY | O_CLOEXEC);
	CHECK(ask(fd, &weak, &a) && !a.nr && strstr(a.trouble, "another function of the name has taken its place"), "a line of the weak function");
	CHECK(ask(fd, &strong, &a) && a.nr == 1 && !strcmp(a.places[0].symbol, "over"), "... of the other one");
	CHECK(ask(fd, &both, &a) && a.nr == 1, "... and of both");
	close(fd);
	fd = open(arena_printf(&arena, "%s/w", dir), O_RDONLY | O_CLOEXEC);
	CHECK(ask(fd, &weak, &a) && a.nr == 1, "a weak function that is used");
	close(fd);
}

/* What is fetched for local[2] at "return" of work() in @debug, the debug information of the program @path. */
static const char *fetched(const char *debug, const char *path)
{
	const struct lines_expr exprs[] = { { "local[2]", false } };
	struct lines_query q = { .function = "work", .has_line = true, .line = 5, .exprs = exprs, .nr_exprs = 1 };
	int fd = open(arena_printf(&arena, "%s/%s", dir, debug), O_RDONLY | O_CLOEXEC);
	struct elf_file *file = NULL;
	struct lines_answer a = { 0 };

	q.program_fd = open(arena_printf(&arena, "%s/%s", dir, path), O_RDONLY | O_CLOEXEC);
	if (!elf_file_open(q.program_fd, &file)) {
		q.segments = elf_file_segments(file, &q.nr_segments);
		ask(fd, &q, &a);
	}
	elf_file_close(file);
	close(q.program_fd);
	close(fd);
	return a.nr ? a.places[0].values[0].fetch : NULL;
}

/* The frame information is in .eh_frame of the program, and a separate debug file has none. */
static void test_separate(void)
{
	static const char source[] = "__attribute__((noipa)) static void fill(int *p) { p[2] = 5; }\n__attribute__((noipa)) static int work(int n)\n"
				     "{\n\tint local[8];\n\n\tfill(local);\n\treturn local[n];\n}\nint main(void) { return work(2); }\n";
	const char *whole;

	CHECK(make_file("t.c", source) &&
	      !system(arena_printf(&arena, "cd %s && gcc -g -O1 -o t t.c && objcopy --only-keep-debug t t.debug && strip -o s t", dir)), "a program");
	whole = fetched("t", "t");
	CHECK(whole && strstr(whole, "(%sp)"), "a variable on the stack: %s", whole ? whole : "none");
	CHECK(whole && fetched("t.debug", "s") && !strcmp(whole, fetched("t.debug", "s")), "... with a separate debug file");
	CHECK(!fetched("t.debug", "t.debug"), "... which alone does not tell");
}

/* Each question has the answer that it has alone, whatever was asked before it. More names than are looked for one by one. */
static void test_together(int fd)
{
	static const struct lines_expr expr = { "t->number", false };
	const struct lines_query q[] = {
		{ .function = "outer", .exprs = &expr, .nr_exprs = 1 }, { .function = "inner" }, { .file = "test_lines.c", .has_line = true, .line = OUTER + 6 },
		{ .function = "nosuch" }, { .want = LINES_WITH_CODE, .function = "outer" }, { .function = "test_places" }, { .function = "main" },
		{ .function = "has_line" },
		/* One name is the end of the other. */
		{ .want = LINES_WITH_CODE, .file = "elf/file.c" }, { .want = LINES_WITH_CODE, .file = "debug_file.c" },
		{ .want = LINES_WITH_CODE, .file = "similar.c" }, { .file = "nosuch.c", .has_line = true, .line = 1 }, { .function = "inner", .is_return = true },
	};
	enum { NR = sizeof(q) / sizeof(*q) };
	struct lines_answer together[NR], alone;
	struct buf a = { 0 }, b = { 0 };
	struct diag diag = { 0 };

	CHECK(!lines_ask(&arena, fd, "test", q, NR, together, &diag), "%d questions together", NR);
	for (unsigned i = 0; i < NR; i++) {
		buf_reset(&a);
		buf_reset(&b);
		answer_print(&together[i], &q[i], &a);
		if (ask(fd, &q[i], &alone))
			answer_print(&alone, &q[i], &b);
		CHECK(b.len && !strcmp(buf_str(&a), buf_str(&b)), "... question %u has the answer that it has alone", i);
	}
	buf_fini(&a);
	buf_fini(&b);
}

/* $vars asks twice: in two rounds the file is read twice, and not for each definition. What was answered needs no file any more. */
static void test_asked(int fd)
{
	struct lines_query first = { .function = "outer" }, second = { .function = "inner" };
	struct asked *asked = asked_new();
	struct diag diag = { 0 };
	struct lines_answer a;
	int closed = open("/dev/null", O_RDONLY);

	asked_collect(asked);
	CHECK(asked_ask(asked, &arena, fd, "test", &first, &a, &diag) == -EAGAIN && asked_ask(asked, &arena, fd, "test", &second, &a, &diag) == -EAGAIN &&
	      asked_ask(asked, &arena, fd, "test", &first, &a, &diag) == -EAGAIN && !diag.msg.len, "questions that are collected");
	CHECK(asked_answer(asked), "... are answered");
	asked_collect(asked);
	CHECK(!asked_ask(asked, &arena, fd, "test", &second, &a, &diag) && a.nr == 2, "... each with its own answer");
	second.is_return = true;
	CHECK(asked_ask(asked, &arena, fd, "test", &second, &a, &diag) == -EAGAIN && asked_answer(asked), "... which may bring another one");
	CHECK(!asked_ask(asked, &arena, fd, "test", &second, &a, &diag) && a.trouble, "... that has none");
	asked_collect(asked);
	CHECK(asked_ask(asked, &arena, closed, "test", &first, &a, &diag) == -EAGAIN && !asked_answer(asked), "a file that cannot be read");
	CHECK(asked_ask(asked, &arena, closed, "test", &first, &a, &diag) == -EBADMSG && diag.msg.len, "... has its error when it is asked alone");
	diag_fini(&diag);
	asked_close(asked);
	close(closed);
}

int main(void)
{
	struct thing b = { 2, "b", NULL }, a = { 1, "a", &b };
	struct lines_answer answer;
	const struct lines_query q = { .function = "main" };
	int fd = open("/proc/self/exe", O_RDONLY), null = open("/dev/null", O_RDONLY);

	CHECK(outer(&a, 3) == 5, "the functions that are looked for");
	if (!lines_is_known) {
		CHECK(!ask(fd, &q, &answer), "without libdw each question is an error");
		return tap_done();
	}
	CHECK(!ask(null, &q, &answer), "a file that is no program");
	test_places(fd);
	test_dimensions(fd);
	test_similar(fd);
	test_lists(fd);
	test_together(fd);
	test_asked(fd);
	test_damage(fd);
	CHECK(mkdtemp(dir), "a directory");
	test_separate();
	test_overridden();
	CHECK(!system(arena_printf(&arena, "rm -r %s", dir)), "removed");
	arena_fini(&arena);
	return tap_done();
}
