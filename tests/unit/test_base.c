// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_base.c - arena, buffers, numbers and error reports.
 */
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/diag.h"
#include "base/escape.h"
#include "base/escape_line.h"
#include "base/memory.h"
#include "base/number.h"
#include "tap.h"

static void test_arena(void)
{
	struct arena a = { 0 };
	bool aligned = true, zeroed = true, kept = true;
	char *first = arena_strdup(&a, "first"), *large;

	for (size_t i = 0; i < 3000; i++) {
		unsigned char *p = arena_alloc(&a, i);

		aligned = aligned && (uintptr_t)p % _Alignof(max_align_t) == 0;
		for (size_t j = 0; j < i; j++)
			zeroed = zeroed && !p[j];
		memset(p, 0xaa, i);
	}
	large = arena_alloc(&a, 5 << 20);
	zeroed = zeroed && !large[0] && !large[(5 << 20) - 1];
	kept = !strcmp(first, "first");
	CHECK(aligned, "arena memory is aligned for any type");
	CHECK(zeroed, "arena memory is zeroed");
	CHECK(kept, "growing leaves what is there");
	CHECK(!strcmp(arena_strndup(&a, "abcdef", 3), "abc"), "strndup cuts");
	CHECK(!strcmp(arena_strndup(&a, "", 0), ""), "strndup of nothing");
	CHECK(!strcmp(arena_printf(&a, "%s-%d", "x", 7), "x-7"), "printf");
	arena_fini(&a);
	CHECK(!a.head, "fini leaves an empty arena");
	arena_fini(&a);
}

static void test_buf(void)
{
	struct buf b = { 0 };

	CHECK(!strcmp(buf_str(&b), ""), "an empty buffer is \"\"");
	buf_adds(&b, "ab");
	buf_addc(&b, 'c');
	buf_add(&b, "\0d", 2);
	CHECK(b.len == 5 && !memcmp(b.data, "abc\0d", 6), "bytes with a NUL inside");
	buf_reset(&b);
	CHECK(b.len == 0 && !strcmp(buf_str(&b), ""), "reset empties");
	buf_pad(&b, ' ', 3);
	buf_addf(&b, "%s", "x");
	CHECK(!strcmp(buf_str(&b), "   x"), "pad and addf");
	buf_reset(&b);
	buf_dec(&b, UINT64_MAX);
	buf_addc(&b, ' ');
	buf_sdec(&b, INT64_MIN);
	buf_addc(&b, ' ');
	buf_hex(&b, UINT64_MAX);
	buf_addc(&b, ' ');
	buf_dec(&b, 0);
	CHECK(!strcmp(buf_str(&b), "18446744073709551615 -9223372036854775808 ffffffffffffffff 0"),
	      "numbers at their limits: %s", buf_str(&b));
	buf_reset(&b);
	for (unsigned i = 0; i < 10000; i++)
		buf_addf(&b, "%u,", i % 10);
	CHECK(b.len == 20000 && b.data[19998] == '9' && !b.data[20000], "a buffer grows");
	buf_fini(&b);
	CHECK(!b.data && !b.len && !b.size, "fini zeroes");
	buf_fini(&b);
}

static void test_unsigned(void)
{
	static const struct {
		const char *text;
		unsigned base;
		int err;
		uint64_t value;
	} cases[] = {
		{ "0", 0, 0, 0 },
		{ "10", 0, 0, 10 },
		{ "010", 0, 0, 8 },
		{ "0x10", 0, 0, 16 },
		{ "0X1f", 0, 0, 31 },
		{ "+7", 0, 0, 7 },
		{ "010", 10, 0, 10 },
		{ "ff", 16, 0, 255 },
		{ "0xff", 16, 0, 255 },
		{ "18446744073709551615", 0, 0, UINT64_MAX },
		{ "0xffffffffffffffff", 0, 0, UINT64_MAX },
		{ "18446744073709551616", 0, -ERANGE },
		{ "0x10000000000000000", 0, -ERANGE },
		{ "99999999999999999999999", 0, -ERANGE },
		{ "99999999999999999999999x", 0, -EINVAL },
		{ "", 0, -EINVAL },
		{ "+", 0, -EINVAL },
		{ "-1", 0, -EINVAL },
		{ "++1", 0, -EINVAL },
		{ "0x", 0, -EINVAL },
		{ "08", 0, -EINVAL },
		{ "1a", 0, -EINVAL },
		{ "0x1g", 0, -EINVAL },
		{ " 1", 0, -EINVAL },
		{ "1 ", 0, -EINVAL },
		{ "0x10", 10, -EINVAL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint64_t n = 99;
		int err = number_u64(cases[i].text, strlen(cases[i].text), cases[i].base, &n);

		CHECK(err == cases[i].err && n == (err ? 99 : cases[i].value),
		      "unsigned '%s' in base %u", cases[i].text, cases[i].base);
	}
}

static void test_signed(void)
{
	static const struct {
		const char *text;
		int err;
		int64_t value;
	} cases[] = {
		{ "5", 0, 5 },
		{ "-5", 0, -5 },
		{ "-0x10", 0, -16 },
		{ "-010", 0, -8 },
		{ "+5", 0, 5 },
		{ "-0", 0, 0 },
		{ "9223372036854775807", 0, INT64_MAX },
		{ "-9223372036854775808", 0, INT64_MIN },
		{ "9223372036854775808", -ERANGE },
		{ "-9223372036854775809", -ERANGE },
		{ "-18446744073709551616", -ERANGE },
		{ "-", -EINVAL },
		{ "--5", -EINVAL },
		{ "-+5", -EINVAL },
		{ "+-5", -EINVAL },
		{ "", -EINVAL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		int64_t n = 99;
		int err = number_s64(cases[i].text, strlen(cases[i].text), 0, &n);

		CHECK(err == cases[i].err && n == (err ? 99 : cases[i].value), "signed '%s'",
		      cases[i].text);
	}
	CHECK(number_u64("123", 2, 0, &(uint64_t){ 0 }) == 0, "only the length given counts");
}

static void test_diag(void)
{
	static const struct {
		const char *what, *text;
		struct span at;
		const char *expect;
	} cases[] = {
		{ "a word", "p f %zx", { 4, 3 },
		  "bprobe: bad 7\n  p f %zx\n      ^~~\n  help: h\n" },
		{ "one byte", "p f x", { 4, 1 },
		  "bprobe: bad 7\n  p f x\n      ^\n  help: h\n" },
		{ "between two bytes", "p f x=", { 6, 0 },
		  "bprobe: bad 7\n  p f x=\n        ^\n  help: h\n" },
		{ "the start", "x", { 0, 0 },
		  "bprobe: bad 7\n  x\n  ^\n  help: h\n" },
		{ "a tab", "p\tf %zx", { 4, 3 },
		  "bprobe: bad 7\n  p f %zx\n      ^~~\n  help: h\n" },
		{ "UTF-8 in front", "p:\xc3\xa9 f %zx", { 7, 3 },
		  "bprobe: bad 7\n  p:\xc3\xa9 f %zx\n        ^~~\n  help: h\n" },
		{ "UTF-8 inside", "p:x\xc3\xa9y f", { 2, 4 },
		  "bprobe: bad 7\n  p:x\xc3\xa9y f\n    ^~~\n  help: h\n" },
		{ "an escape sequence", "p \x1b[31m x", { 8, 1 },
		  "bprobe: bad 7\n  p \\x1b[31m x\n             ^\n  help: h\n" },
		{ "escapes inside", "p \x1b\x7f\x01 x", { 2, 3 },
		  "bprobe: bad 7\n  p \\x1b\\x7f\\x01 x\n    ^~~~~~~~~~~~\n  help: h\n" },
		/* C1: U+009B is CSI, and a terminal may take the byte 9b alone for CSI, too. */
		{ "C1 in UTF-8", "\xc2\x9b\xc2\xa0 x", { 5, 1 },
		  "bprobe: bad 7\n  \\xc2\\x9b\xc2\xa0 x\n            ^\n  help: h\n" },
		{ "a byte of C1", "\x9b x", { 0, 1 },
		  "bprobe: bad 7\n  \\x9b x\n  ^~~~\n  help: h\n" },
		{ "half a character", "x\xe2\x82", { 0, 1 },
		  "bprobe: bad 7\n  x\\xe2\\x82\n  ^\n  help: h\n" },
		{ "a final newline", "p x\n", { 2, 1 },
		  "bprobe: bad 7\n  p x\n    ^\n  help: h\n" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct diag d = { .text = cases[i].text };
		struct buf out = { 0 };
		int err = diag_at(&d, -EINVAL, cases[i].at, "bad %d", 7);

		diag_note(&d, "help: %c", 'h');
		diag_format(&d, "bprobe", &out);
		CHECK(err == -EINVAL && d.err == err && !strcmp(buf_str(&out), cases[i].expect),
		      "caret at %s", cases[i].what);
		buf_fini(&out);
		diag_fini(&d);
	}
}

/* File names and typed texts are in messages and notes, too. */
static void test_diag_escaped(void)
{
	struct diag d = { .text = "x", .file = "a\x1b]0;b\a", .line = 1 };
	struct buf out = { 0 };

	diag_at(&d, -EINVAL, (struct span){ 0, 1 }, "bad '%s'", "\x1b[2J\n\xc3\xa9");
	diag_note(&d, "help: %s", "\x9b" "1m");
	diag_format(&d, "bprobe", &out);
	CHECK(!strcmp(buf_str(&out), "bprobe: a\\x1b]0;b\\x07:1: bad '\\x1b[2J\\x0a\xc3\xa9'\n  x\n  ^\n  help: \\x9b1m\n"),
	      "control characters of names and notes are escaped");
	buf_fini(&out);
	diag_fini(&d);
}

static void test_escape(void)
{
	static const struct {
		const char *text, *expect;
		size_t unfinished;
	} cases[] = {
		{ "plain \n\t \xc3\xa9 \xe2\x82\xac \xf0\x9f\x90\x9d", "plain \n\\x09 \xc3\xa9 \xe2\x82\xac \xf0\x9f\x90\x9d", 0 },
		{ "\xc2\x9f\xc2\xa0", "\\xc2\\x9f\xc2\xa0", 0 },
		{ "\xed\xa0\x80", "\\xed\\xa0\\x80", 0 },		/* a surrogate */
		{ "\xc0\x9b", "\\xc0\\x9b", 0 },			/* ESC, in more bytes than it needs */
		{ "x\xf0\x9f\x90", "x\\xf0\\x9f\\x90", 3 },
		{ "\xc3", "\\xc3", 1 },
		{ "\x9f", "\\x9f", 0 },
		/* the first and the last bidi control of both ranges, and their neighbours: U+2029, U+202F, U+2065, U+206A */
		{ "\xe2\x80\xaa \xe2\x80\xae", "\\xe2\\x80\\xaa \\xe2\\x80\\xae", 0 },
		{ "\xe2\x81\xa6 \xe2\x81\xa9", "\\xe2\\x81\\xa6 \\xe2\\x81\\xa9", 0 },
		{ "\xe2\x80\xa9\xe2\x80\xaf\xe2\x81\xa5\xe2\x81\xaa", "\xe2\x80\xa9\xe2\x80\xaf\xe2\x81\xa5\xe2\x81\xaa", 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct buf out = { 0 };

		escape_text(&out, cases[i].text, strlen(cases[i].text), "\n");
		CHECK(!strcmp(buf_str(&out), cases[i].expect), "escaped: %s", cases[i].expect);
		CHECK(escape_unfinished(cases[i].text, strlen(cases[i].text)) == cases[i].unfinished,
		      "what the end of it lacks: %s", cases[i].expect);
		buf_fini(&out);
	}
}

static void test_round_up(void)
{
	uint64_t n = 0xfffffffdu;

	CHECK(ROUND_UP(n, 4u) == 1ull << 32 && ROUND_UP(n, 4) == 1ull << 32, "rounded up beyond 32 bits, with a narrow step");
	CHECK(ROUND_UP(5u, (size_t)4) == 8 && ROUND_UP(8u, 8u) == 8 && !ROUND_UP(0u, 8u), "... and others");
}

/* Without a quote a NUL is a control character like others. */
static void test_escape_line(void)
{
	static const char text[] = "a\0b\"c\\d\n\x1b\x7f\xff";
	struct buf out = { 0 };

	escape_line(&out, text, sizeof(text) - 1, '\0');
	CHECK(!strcmp(buf_str(&out), "a\\x00b\"c\\\\d\\n\\x1b\\x7f\xff"), "no quote: %s", buf_str(&out));
	buf_reset(&out);
	escape_line(&out, text, sizeof(text) - 1, '"');
	CHECK(!strcmp(buf_str(&out), "a\\x00b\\\"c\\\\d\\n\\x1b\\x7f\xff"), "a quote: %s", buf_str(&out));
	buf_fini(&out);
}

/* Bytes below 0x80 stay, even ESC; what stands before @from stays, too. */
static void test_escape_high(void)
{
	static const struct { const char *text, *utf8, *ascii; } cases[] = {
		{ "", "", "" },
		{ "\x1b[36me\x1b[m: a\tb\n", "\x1b[36me\x1b[m: a\tb\n", "\x1b[36me\x1b[m: a\tb\n" },
		{ "\x1b\xc3\xa9\n", "\x1b\xc3\xa9\n", "\x1b\\xc3\\xa9\n" },
		{ "x\xc2\x9by\x9bz", "x\\xc2\\x9by\\x9bz", "x\\xc2\\x9by\\x9bz" },
		{ "\xe2\x80\xae\xe2\x82\xac", "\\xe2\\x80\\xae\xe2\x82\xac", "\\xe2\\x80\\xae\\xe2\\x82\\xac" },
		{ "\xe2\x82", "\\xe2\\x82", "\\xe2\\x82" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		for (unsigned utf8 = 0; utf8 < 2; utf8++) {
			struct buf out = { 0 };

			buf_adds(&out, "\x9b");
			buf_adds(&out, cases[i].text);
			escape_high(&out, 1, utf8);
			CHECK(!strncmp(buf_str(&out), "\x9b", 1) && !strcmp(buf_str(&out) + 1, utf8 ? cases[i].utf8 : cases[i].ascii),
			      "bytes from 0x80 on, case %zu, %s", i, utf8 ? "UTF-8" : "another locale");
			buf_fini(&out);
		}
	}
}

static void test_diag_replaced(void)
{
	struct diag d = { .text = "abc", .file = "probes", .line = 12 };
	struct buf out = { 0 };

	diag_at(&d, -EINVAL, (struct span){ 1, 1 }, "first");
	diag_note(&d, "note of the first");
	diag_at(&d, -E2BIG, (struct span){ 2, 1 }, "second");
	diag_format(&d, "bprobe", &out);
	CHECK(d.err == -E2BIG && !strcmp(buf_str(&out),
					 "bprobe: probes:12: second\n  abc\n    ^\n"),
	      "a second error replaces the first with its notes");
	buf_reset(&out);
	diag_set(&d, -EINVAL, "third");
	diag_format(&d, "bprobe", &out);
	CHECK(!strcmp(buf_str(&out), "bprobe: probes:12: third\n"), "diag_set has no caret");
	buf_fini(&out);
	diag_fini(&d);
	CHECK(!d.text && !d.err && !d.msg.data && !d.notes.data, "fini zeroes");
}

static void test_arena_grow(void)
{
	struct arena arena = { 0 };
	unsigned *all = NULL, *first = NULL, nr = 0, size = 0, bad = 0;

	for (; nr < 1000; nr++) {
		unsigned *now = arena_grow(&arena, all, nr, &size);

		bad += now != all && nr && (nr & (nr - 1));		/* it moves only when it is full */
		all = now;
		first = first ? first : all;
		all[nr] = nr;
	}
	for (unsigned i = 0; i < nr; i++)
		bad += all[i] != i;
	CHECK(!bad && size == 1024 && first != all && first[15] == 15, "an array that grows keeps what it has, and its old copies stay");
	arena_fini(&arena);
}

/* What an array of @nr members with room for @size does for one more: its new size, or 0 if the process ends. */
static unsigned grown(bool heap, size_t nr, unsigned size, size_t each)
{
	int pipes[2], status;
	unsigned after = 0;
	pid_t child;

	fflush(NULL);
	child = pipe(pipes) ? -1 : fork();
	if (!child) {
		struct arena arena = { 0 };
		char *none = NULL;

		close(STDERR_FILENO);		/* "out of memory" */
		signal(SIGABRT, SIG_DFL);
		if (heap)
			must(heap_grow_of(none, nr, &size, each));
		else
			arena_grow_of(&arena, none, nr, &size, each);
		_exit(write(pipes[1], &size, sizeof(size)) != sizeof(size));
	}
	close(pipes[1]);
	if (child < 0 || read(pipes[0], &after, sizeof(after)) != sizeof(after))
		after = 0;
	close(pipes[0]);
	if (child > 0)
		waitpid(child, &status, 0);
	return after;
}

static void test_grow_limits(void)
{
	unsigned *all = NULL, nr = 0, size = 0, bad = 0;

	for (; nr < 1000; nr++) {
		unsigned before = size;

		all = heap_grow(all, nr, &size);
		bad += size != (nr < before ? before : nr ? 2 * before : 16);
		all[nr] = nr;
	}
	for (unsigned i = 0; i < nr; i++)
		bad += all[i] != i;
	CHECK(!bad && size == 1024, "an array of malloc() grows, too");
	CHECK(heap_grow(all, 1023, &size) == all && size == 1024, "it stays while it has room for one");
	all = heap_grow(all, 1024, &size);
	CHECK(size == 2048 && all[999] == 999, "and has twice the room when it has none");
	all = heap_grow(all, 5000, &size);
	CHECK(size == 8192, "or as often as many members need");
	size = 16;
	CHECK(!heap_grow_of(NULL, 16, &size, SIZE_MAX / 32 + 1) && size == 16, "too many bytes: NULL, and the size stays");
	free(all);

	CHECK(grown_size(0, 0) == 16 && grown_size(15, 16) == 16 && grown_size(16, 16) == 32, "sizes at the first limit");
	CHECK(grown_size((1u << 31) - 1, 1u << 31) == 1u << 31 && !grown_size(1u << 31, 1u << 31) && !grown_size(SIZE_MAX, 16),
	      "no size has more than 32 bits");
	CHECK(grown(true, 0, 0, 1) == 16 && grown(false, 0, 0, 1) == 16, "a first array has room for 16");
	CHECK(!grown(true, 1u << 31, 1u << 31, 1) && !grown(false, 1u << 31, 1u << 31, 1), "too many members end the process");
	CHECK(!grown(true, 16, 16, SIZE_MAX / 32 + 1) && !grown(false, 16, 16, SIZE_MAX / 32 + 1), "and too many bytes");
	CHECK(memory_bytes(2, SIZE_MAX / 2) == SIZE_MAX - 1 && memory_bytes(2, SIZE_MAX / 2 + 1) == SIZE_MAX && memory_bytes(0, 8) == 0, "bytes of an array");
}

int main(void)
{
	test_arena_grow();
	test_grow_limits();
	test_arena();
	test_buf();
	test_unsigned();
	test_signed();
	test_diag();
	test_diag_escaped();
	test_escape();
	test_escape_line();
	test_round_up();
	test_escape_high();
	test_diag_replaced();
	return tap_done();
}
