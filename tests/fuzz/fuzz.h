/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fuzz.h - what the parsers' fuzz targets share: bytes and mutations, and that a refusal has its caret
 * inside the text.
 *
 * The target defines fuzz_name, fuzz_words and fuzz_seeds before, and check_text(); or with FUZZ_BYTES, which takes a NUL inside, too,
 * check_bytes().
 *
 *	clang -fsanitize=fuzzer,address ...		libFuzzer's own driver
 *	cc -DSTANDALONE ...; TARGET FILE N [SEED]
 *
 * The second mutates the lines of a file (seeds.sh), or without one (-) the target's seeds, N times with a
 * fixed seed of chance, so that a finding can be repeated without clang.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdint.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/cleanup.h"
#include "base/diag.h"
#include "base/macros.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#ifdef FUZZ_BYTES
static void check_bytes(const char *data, size_t len);
#else
static void check_text(const char *text);
#endif

static void fail(const char *what, const char *text)
{
	fprintf(stderr, "%s: %s: <<%s>>\n", fuzz_name, what, text);
	abort();
}

static void require(int good, const char *what, const char *text)
{
	if (!good)
		fail(what, text);
}

/* What is shown to somebody has no control characters, but for @but. */
static inline void require_printable(const char *shown, size_t len, char but, const char *text)
{
	for (size_t i = 0; i < len; i++)
		require(((unsigned char)shown[i] >= ' ' && shown[i] != 0x7f) || (but && shown[i] == but), "a control character is shown", text);
}

static void check_span(struct span at, const char *text)
{
	size_t len = strlen(text);

	require(at.off <= len && at.len <= len - at.off, "span outside of the text", text);
}

static void check_refusal(const struct diag *d, const char *text)
{
	struct buf out = { 0 };

	require(d->err < 0 && d->msg.len, "refused without a reason", text);
	if (d->text)
		check_span(d->at, d->text);
	diag_format(d, "fuzz", &out);
	for (size_t i = 0; i < out.len; i++)
		require(out.data[i] == '\n' || ((unsigned char)out.data[i] >= ' ' &&
						out.data[i] != 0x7f),
			"control byte in a report", text);
	buf_fini(&out);
}

#ifndef FUZZ_BYTES
/* A NUL inside ends the text, as in argv. It is in memory that is as long as it is, so that ASan sees what is read behind it. */
static void check_bytes(const char *data, size_t len)
{
	char *text = strndup(data, len);

	check_text(text);
	free(text);
}
#endif

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	check_bytes((const char *)data, size);
	return 0;
}

#ifdef STANDALONE

static const size_t fuzz_nr_words = ARRAY_SIZE(fuzz_words);

#include "../roll.h"
#include "seeds.h"

/* One change somewhere in @text: a byte, a word, a cut, a repetition. */
static void mutate(struct buf *text)
{
	struct buf out = { 0 };
	size_t at = roll((uint32_t)text->len + 1), rest = text->len - at;
	size_t cut = rest ? roll((uint32_t)MIN(rest, (size_t)12) + 1) : 0;
	const char *word = fuzz_words[roll((uint32_t)fuzz_nr_words)];

	buf_add(&out, text->data, at);
	switch (roll(5)) {
	case 0:
#ifdef FUZZ_BYTES
		buf_addc(&out, (char)roll(256));
#else
		buf_addc(&out, (char)(1 + roll(255)));
#endif
		cut = rest ? 1 : 0;
		break;
	case 1:
		buf_adds(&out, word);
		break;
	case 2:
		buf_adds(&out, word);
		cut = 0;
		break;
	case 3:
		for (unsigned n = roll(20) * roll(8); n; n--)
			buf_adds(&out, word);
		cut = 0;
		break;
	default:
		buf_add(&out, text->data + at, cut);	/* twice */
		cut = 0;
	}
	buf_add(&out, text->data + at + cut, rest - cut);
	buf_fini(text);
	*text = out;
}

/* The third column of each row is a definition. */
static size_t corpus_load(const char *path, struct buf *texts, size_t max)
{
	auto_file f = fopen(path, "re");
	auto_free char *line = NULL;
	size_t size = 0, n = 0;

	while (f && n < max && getline(&line, &size, f) > 0) {
		char *start = strchr(line, '\t');

		start = start ? strchr(start + 1, '\t') : NULL;
		if (start)
			buf_add(&texts[n++], start + 1, strcspn(start + 1, "\t\n"));
	}
	return n;
}

/* The target's own, and the lines of the corpus at @path, if there is one. */
static void write_all_seeds(const char *dir, const char *path, struct buf *texts, size_t max)
{
	size_t count = path ? corpus_load(path, texts, max) : 0;

	for (size_t i = 0; i < ARRAY_SIZE(fuzz_seeds); i++)
		seed_write(dir, fuzz_seeds[i], strlen(fuzz_seeds[i]));
	for (size_t i = 0; i < count; i++) {
		seed_write(dir, texts[i].data, texts[i].len);
		buf_fini(&texts[i]);
	}
	words_write(dir, fuzz_words, fuzz_nr_words);
}

int main(int argc, char **argv)
{
	static struct buf texts[2048];
	size_t count = argc > 1 && !seeds_asked(argc, argv) ? corpus_load(argv[1], texts, ARRAY_SIZE(texts)) : 0;
	unsigned long n = argc > 2 ? strtoul(argv[2], NULL, 0) : 100000;

	if (seeds_asked(argc, argv)) {
		write_all_seeds(argv[2], argc > 3 ? argv[3] : NULL, texts, ARRAY_SIZE(texts));
		return 0;
	}
	if (argc > 3)
		seed = strtoull(argv[3], NULL, 0) | 1;
	for (size_t i = 0; !count && i < ARRAY_SIZE(fuzz_seeds); i++)
		buf_adds(&texts[i], fuzz_seeds[i]);
	if (!count)
		count = ARRAY_SIZE(fuzz_seeds);
	for (unsigned long i = 0; i < n; i++) {
		struct buf text = { 0 };

		const struct buf *from = &texts[roll((uint32_t)count)];

		buf_add(&text, from->data, from->len);
		for (unsigned m = roll(6); m; m--)
			mutate(&text);
		check_bytes(buf_str(&text), text.len);
		buf_fini(&text);
	}
	for (size_t i = 0; i < count; i++)
		buf_fini(&texts[i]);
	printf("%s: %lu texts from %zu lines\n", fuzz_name, n, count);
	return 0;
}

#endif

#endif
