/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fuzz.h - what the parsers' fuzz targets share: a refusal must have its caret inside the text;
 * what is accepted must print to something that kprobe_events accepts and that prints alike.
 *
 * The target defines fuzz_name, fuzz_words and fuzz_seed before, and check_text().
 *
 *	clang -fsanitize=fuzzer,address ...		libFuzzer's own driver
 *	cc -DSTANDALONE ...; TARGET kernel.tsv N [SEED]
 *
 * The second mutates the lines of the corpus N times with a fixed seed, so that a finding can be
 * repeated without clang.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <errno.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "lang/kprobe.h"

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

static void check_spans(const struct probe_def *def)
{
	check_span(def->head_at, def->text);
	check_span(def->place.at, def->text);
	for (unsigned i = 0; i < def->nr_args; i++) {
		const struct arg *arg = &def->args[i];

		require(arg->name && arg->expr, "argument without name or expression", def->text);
		check_span(arg->at, def->text);
		check_span(arg->body_at, def->text);
		check_span(arg->type.at, def->text);
		for (const struct expr *e = arg->expr; e; e = e->inner)
			check_span(e->at, def->text);
	}
}

/* @printed came from @from; parsed, it must print the same. */
static void check_again(const char *printed, const char *from, int tree)
{
	struct arena arena = { 0 };
	struct probe_def *def = NULL;
	struct diag d = { 0 };
	struct buf again = { 0 };
	int err = kprobe_parse(&arena, printed, &def, &d);

	/* Canonical numbers and explicit names may be longer than what was typed. */
	if (!err) {
		require(def != NULL, "printed as nothing", from);
		def->from_tree = tree;
		def_print(def, &again);
		require(!strcmp(buf_str(&again), printed), "printed differently again", printed);
	} else {
		require(strlen(printed) > LANG_MAX_LINE || (tree && err == -E2BIG),
			"printed as what is refused", printed);
	}
	buf_fini(&again);
	diag_fini(&d);
	arena_fini(&arena);
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

static uint64_t seed = 0x9e3779b97f4a7c15u;

/* xorshift64*: the same numbers everywhere. */
static uint32_t roll(uint32_t sides)
{
	seed ^= seed >> 12;
	seed ^= seed << 25;
	seed ^= seed >> 27;
	return (uint32_t)((seed * 0x2545f4914f6cdd1du) >> 33) % sides;
}

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
	if (!count)
		buf_adds(&texts[count++], fuzz_seed);
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
