/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fuzz.h - what the parsers' fuzz targets share: bytes and mutations, and that a refusal has its caret
 * inside the text.
 *
 * The target defines fuzz_name, fuzz_words and fuzz_seeds before, and check_text().
 *
 *	clang -fsanitize=fuzzer,address ...		libFuzzer's own driver
 *	cc -DSTANDALONE ...; TARGET kernel.tsv N [SEED]
 *
 * The second mutates the lines of the corpus, or without one (-) the target's seeds, N times with a
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

static void check_text(const char *text);

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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf text = { 0 };

	buf_add(&text, data, size);	/* a NUL inside ends it, as in argv */
	check_text(buf_str(&text));
	buf_fini(&text);
	return 0;
}

#ifdef STANDALONE

static const size_t fuzz_nr_words = ARRAY_SIZE(fuzz_words);

#include "../roll.h"

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
		buf_addc(&out, (char)(1 + roll(255)));
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

int main(int argc, char **argv)
{
	static struct buf texts[2048];
	size_t count = argc > 1 ? corpus_load(argv[1], texts, ARRAY_SIZE(texts)) : 0;
	unsigned long n = argc > 2 ? strtoul(argv[2], NULL, 0) : 100000;

	if (argc > 3)
		seed = strtoull(argv[3], NULL, 0) | 1;
	for (size_t i = 0; !count && i < ARRAY_SIZE(fuzz_seeds); i++)
		buf_adds(&texts[i], fuzz_seeds[i]);
	if (!count)
		count = ARRAY_SIZE(fuzz_seeds);
	for (unsigned long i = 0; i < n; i++) {
		struct buf text = { 0 };

		buf_adds(&text, buf_str(&texts[roll((uint32_t)count)]));
		for (unsigned m = roll(6); m; m--)
			mutate(&text);
		check_text(buf_str(&text));
		buf_fini(&text);
	}
	for (size_t i = 0; i < count; i++)
		buf_fini(&texts[i]);
	printf("%s: %lu texts from %zu lines\n", fuzz_name, n, count);
	return 0;
}

#endif

#endif
