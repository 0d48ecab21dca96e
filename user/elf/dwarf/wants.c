// SPDX-License-Identifier: GPL-2.0-only
/*
 * wants.c - finds the units that may have what is asked for.
 *
 * To look at each entry of a kernel for a name costs seconds. A name is in .debug_str once, and every entry that has it holds its offset
 * there. So a unit without the bytes of that offset cannot have the name, and a search for four bytes is fast. It is the same for the files
 * of a line table, whose names are in .debug_line_str. What is found by chance costs time, but is no error: only wanted units are read
 * then. One search finds the offsets of a thousand names.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/macros.h"
#include "base/scan.h"
#include "elf/dwarf/lines_priv.h"

/* The name of a function, or the last part of a file's path. */
struct want {
	struct want *next;
	const char *text;
	size_t len;
	bool any;			/* each unit may have it */
	bool has_words;			/* its text is in the section of texts */
	bool *units;			/* one for each unit: it may have it */
};

/* Where texts are, what refers to them by their offsets, and which units a place of that is of. */
struct kind {
	const char *texts, *users;
	bool is_path;			/* texts that end with the wanted one are meant, too: from a '/' on */
	bool is_mixed;			/* a text may be among the users, even if the section of texts has it */
	void (*mark)(struct debug *d, struct want *w, uint64_t at);
};

/* The offset of a text. */
struct word {
	uint32_t at;
	struct want *want;
};

struct words {
	struct word *at;
	unsigned nr, size;
};

static void add_word(struct debug *d, struct words *w, size_t at, struct want *want)
{
	w->at = arena_grow(d->arena, w->at, w->nr, &w->size);
	w->at[w->nr++] = (struct word){ (uint32_t)at, want };
	want->has_words = true;
}

/* ---- units ---- */

static void mark_info(struct debug *d, struct want *w, uint64_t at)
{
	unsigned low = 0, high = d->nr_units;

	while (high - low > 1) {
		unsigned mid = (low + high) / 2;

		if (d->units[mid].start <= at)
			low = mid;
		else
			high = mid;
	}
	w->units[low] = true;
}

/* Several units may have one table of lines. */
static void mark_line(struct debug *d, struct want *w, uint64_t at)
{
	uint64_t best = 0;

	for (unsigned i = 0; i < d->nr_units; i++)
		best = d->units[i].line <= at ? MAX(best, d->units[i].line) : best;
	for (unsigned i = 0; i < d->nr_units; i++)
		w->units[i] |= d->units[i].line == best;
}

/* ---- texts ---- */

enum { HASH = 1 << 16, SHORTEST = 4 };

static unsigned hash_of(uint32_t word)
{
	return (word * 2654435761u) >> 16;
}

static uint32_t word_at(const unsigned char *at)
{
	uint32_t word;

	memcpy(&word, at, sizeof(word));
	return word;
}

/* Which texts are looked for, and the hashes of their last four bytes. */
struct texts {
	struct want *const *wants;
	unsigned nr;
	unsigned char ends[HASH];
};

static void init_texts(struct texts *t, struct want *const *wants, unsigned nr)
{
	*t = (struct texts){ .wants = wants, .nr = nr };
	for (unsigned i = 0; i < nr; i++)
		t->ends[hash_of(word_at((const unsigned char *)wants[i]->text + wants[i]->len - SHORTEST))] = 1;
}

typedef void (*text_fn)(void *ctx, struct want *w, const unsigned char *at);

static void find_text(struct want *w, struct bytes in, text_fn each, void *ctx)
{
	const unsigned char *at = in.data, *end = in.data + in.len;

	while (at && (at = memmem(at, (size_t)(end - at), w->text, w->len + 1)))
		each(ctx, w, at++);
}

/* Calls @each for each text that ends like a wanted one: the linker stores "read" inside "vfs_read". */
static void find_texts(const struct texts *t, struct bytes in, text_fn each, void *ctx)
{
	enum { FEW = 4 };		/* so many are faster one by one */
	const unsigned char *at = in.data, *end = in.data + in.len, *zero;

	if (t->nr <= FEW) {
		for (unsigned i = 0; i < t->nr; i++)
			find_text(t->wants[i], in, each, ctx);
		return;
	}
	for (; at && at < end && (zero = memchr(at, 0, (size_t)(end - at))); at = zero + 1) {
		if (zero - at < SHORTEST || !t->ends[hash_of(word_at(zero - SHORTEST))])
			continue;
		for (unsigned i = 0; i < t->nr; i++) {
			struct want *w = t->wants[i];

			if (w->len <= (size_t)(zero - at) && !memcmp(zero - w->len, w->text, w->len))
				each(ctx, w, zero - w->len);
		}
	}
}

/* ---- words ---- */

/* Where four bytes may be an offset. */
struct scan {
	struct debug *d;
	const struct kind *kind;
	struct bytes in;		/* what is looked at, */
	uint64_t start;			/* ... and where it begins in the section */
};

static void find_one(const struct scan *s, const struct word *word)
{
	const uint32_t wanted = word->at;
	size_t i = 0;

	for (; i + 19 <= s->in.len; i += 16) {
		const unsigned char *at = s->in.data + i;

		for (unsigned mask = scan_word(at, wanted); mask; mask &= mask - 1) {
			unsigned n = (unsigned)__builtin_ctz(mask);

			if (word_at(at + n) == wanted)
				s->kind->mark(s->d, word->want, s->start + i + n);
		}
	}
	for (; i + 4 <= s->in.len; i++) {
		if (word_at(s->in.data + i) == wanted)
			s->kind->mark(s->d, word->want, s->start + i);
	}
}

static int by_offset(const void *a, const void *b)
{
	const struct word *x = a, *y = b;

	return x->at < y->at ? -1 : x->at > y->at;
}

static void try_word(const struct scan *s, const struct words *w, const unsigned char *some, size_t i)
{
	struct word key = { .at = word_at(s->in.data + i) }, *found;

	if (!some[hash_of(key.at)])
		return;
	found = bsearch(&key, w->at, w->nr, sizeof(key), by_offset);
	if (found)
		s->kind->mark(s->d, found->want, s->start + i);
}

/* The words are sorted, so the last one has the greatest upper half. Most places are told by that: a section of texts has few megabytes. */
static void find_many(const struct scan *s, const struct words *w, const unsigned char *some)
{
	uint32_t most = w->at[w->nr - 1].at;
	size_t i = 0;

	for (; i + 19 <= s->in.len; i += 16) {
		for (unsigned mask = scan_below(s->in.data + i, most); mask; mask &= mask - 1)
			try_word(s, w, some, i + (unsigned)__builtin_ctz(mask));
	}
	for (; i + 4 <= s->in.len; i++)
		try_word(s, w, some, i);
}

static void find_in(const struct scan *s, const struct words *w, const unsigned char *some)
{
	enum { FEW = 2 };		/* so many are faster one by one */

	if (w->nr > FEW) {
		find_many(s, w, some);
		return;
	}
	for (unsigned i = 0; i < w->nr; i++)
		find_one(s, &w->at[i]);
}

/* Marks the units that have one of the words. */
static void find_words(struct debug *d, const struct kind *kind, struct words *w)
{
	enum { CHUNK = 1 << 20 };
	struct bytes all = debug_section(d, kind->users);
	struct scan s = { .d = d, .kind = kind, .in = all };
	unsigned char *some, *chunk;
	off_t off;

	if (!w->nr)
		return;
	qsort(w->at, w->nr, sizeof(*w->at), by_offset);
	some = arena_alloc(d->arena, HASH);
	memset(some, 0, HASH);
	for (unsigned i = 0; i < w->nr; i++)
		some[hash_of(w->at[i].at)] = 1;
	if (!debug_section_in_file(d, kind->users, all, &off)) {
		find_in(&s, w, some);
		return;
	}
	chunk = arena_alloc(d->arena, CHUNK + 3);
	for (size_t at = 0; at < all.len; at += CHUNK) {
		ssize_t n = pread(d->fd, chunk, MIN(all.len - at, (size_t)CHUNK + 3), off + (off_t)at);

		if (n <= 0)
			break;
		s.in = (struct bytes){ chunk, (size_t)n };
		s.start = at;
		find_in(&s, w, some);
	}
}

/* ---- looking ---- */

static const struct kind names = { ".debug_str", ".debug_info", .mark = mark_info };
static const struct kind files = { ".debug_line_str", ".debug_line", true, true, mark_line };

struct looking {
	struct debug *d;
	const struct kind *kind;
	struct bytes in;
	struct words words;
};

static void take_text(void *ctx, struct want *w, const unsigned char *at)
{
	struct looking *l = ctx;
	size_t i = (size_t)(at - l->in.data);

	add_word(l->d, &l->words, i, w);
	/* "namespace.c" may be stored as the end of "pid_namespace.c", which is no path to it. */
	if (i && l->in.data[i - 1] && l->in.data[i - 1] != '/')
		return;
	for (; l->kind->is_path && i && l->in.data[i - 1]; i--) {
		if (i == 1 || !l->in.data[i - 2] || l->in.data[i - 2] == '/')
			add_word(l->d, &l->words, i - 1, w);
	}
}

static void take_user(void *ctx, struct want *w, const unsigned char *at)
{
	struct looking *l = ctx;

	l->kind->mark(l->d, w, (uint64_t)(at - l->in.data));
}

static void look_for(struct debug *d, const struct kind *kind, struct want **wants, unsigned nr)
{
	struct looking l = { .d = d, .kind = kind, .in = debug_section(d, kind->texts) };
	struct texts *texts = arena_new(d->arena, struct texts);
	unsigned left = 0;

	for (unsigned i = 0; i < nr; i++) {
		/* A text that is not longer than an offset is in the entry itself. */
		wants[i]->any = wants[i]->len < SHORTEST || d->is_scattered;
		if (!wants[i]->any)
			wants[left++] = wants[i];
	}
	if (!left)
		return;
	init_texts(texts, wants, left);
	find_texts(texts, l.in, take_text, &l);
	find_words(d, kind, &l.words);
	/* Compilers may put longer texts there, too. */
	nr = left;
	left = 0;
	for (unsigned i = 0; i < nr; i++) {
		if (kind->is_mixed || !wants[i]->has_words)
			wants[left++] = wants[i];
	}
	if (!left)
		return;
	l.in = debug_section(d, kind->users);
	init_texts(texts, wants, left);
	find_texts(texts, l.in, take_user, &l);
}

/* ---- what is wanted ---- */

static struct want *find_want(struct want *all, const char *text)
{
	while (all && strcmp(all->text, text))
		all = all->next;
	return all;
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Adds those that are not there yet, and looks for them. */
static void look(struct debug *d, const struct kind *kind, struct want **all, const char *const *texts, unsigned nr)
{
	struct want **added = arena_array(d->arena, struct want *, nr);
	unsigned nr_added = 0;

	for (unsigned i = 0; i < nr; i++) {
		struct want *w;

		if (find_want(*all, texts[i]))
			continue;
		w = arena_new(d->arena, struct want);
		*w = (struct want){ .next = *all, .text = texts[i], .len = strlen(texts[i]), .units = arena_array(d->arena, bool, d->nr_units) };
		*all = added[nr_added++] = w;
	}
	if (nr_added)
		look_for(d, kind, added, nr_added);
}

static void mark(struct debug *d, const struct want *w)
{
	for (unsigned i = 0; i < d->nr_units; i++)
		d->units[i].wanted |= w->any || w->units[i];
}

static void mark_none(struct debug *d)
{
	for (unsigned i = 0; i < d->nr_units; i++)
		d->units[i].wanted = false;
}

void debug_want_names(struct debug *d, const char *const *texts, unsigned nr)
{
	mark_none(d);
	look(d, &names, &d->names, texts, nr);
	for (unsigned i = 0; i < nr; i++)
		mark(d, find_want(d->names, texts[i]));
}

void debug_want_file(struct debug *d, const char *file)
{
	const char *text = last_part(file);

	mark_none(d);
	look(d, &files, &d->files, &text, 1);
	mark(d, find_want(d->files, text));
}

void debug_offer_files(struct debug *d, struct similar *similar)
{
	struct bytes in = debug_section(d, ".debug_line_str");
	const unsigned char *at = in.data, *end = in.data + in.len, *zero;

	for (; at && at < end && (zero = memchr(at, 0, (size_t)(end - at))); at = zero + 1) {
		if (zero > at)
			similar_offer(similar, last_part((const char *)at), NULL);
	}
}

const char *debug_own_name(const char *name)
{
	const char *own = name;
	int depth = 0;

	/* Pair<a::b, c>::sum */
	for (const char *c = name; *c; c++) {
		depth += (*c == '<' || *c == '(') - (*c == '>' || *c == ')');
		if (!depth && c[0] == ':' && c[1] == ':')
			own = c + 2;
	}
	return own;
}

void debug_prepare(struct debug *d, const struct lines_query *queries, unsigned nr)
{
	const char **texts = arena_array(d->arena, const char *, nr);
	unsigned nr_texts = 0;

	for (unsigned i = 0; i < nr; i++) {
		if (queries[i].function)
			texts[nr_texts++] = debug_own_name(queries[i].function);
	}
	look(d, &names, &d->names, texts, nr_texts);
	nr_texts = 0;
	for (unsigned i = 0; i < nr; i++) {
		if (!queries[i].function && queries[i].file)
			texts[nr_texts++] = last_part(queries[i].file);
	}
	look(d, &files, &d->files, texts, nr_texts);
}
