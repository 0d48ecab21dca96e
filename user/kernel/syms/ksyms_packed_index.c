// SPDX-License-Identifier: GPL-2.0-only
/*
 * ksyms_packed_index.c - finds names in tables without seqs (Linux 6.0 and 6.1).
 *
 * To look at all names for one takes a million instructions, and a start of bprobe asks for some fifty. So from the third one on, a hash
 * table knows the numbers of all symbols. It is made of the tokens, without their text: the hash of two texts one behind the other is
 * hash(a) * FACTOR ^ length(b) + hash(b).
 */
#include <stdlib.h>
#include <string.h>

#include "kernel/syms/ksyms_packed_priv.h"

enum { FACTOR = 16777619, BITS = 15, FEW_FINDS = 2 };

struct kpacked_index {
	uint32_t hash[KPACKED_TOKENS];	/* of the text of each token */
	uint32_t tail[KPACKED_TOKENS];	/* ... without its first letter: that of a symbol's first token is its type */
	uint32_t power[KPACKED_TOKENS];	/* FACTOR ^ length */
	uint32_t heads[1 << BITS];	/* 1 + the first symbol of each chain; 0: none */
	uint32_t next[];		/* 1 + the next symbol of the same chain, in ascending order */
};

static uint32_t hash_text(const char *text)
{
	uint32_t hash = 0;

	for (; *text; text++)
		hash = hash * FACTOR + (unsigned char)*text;
	return hash;
}

static size_t chain_of(uint32_t hash)
{
	return hash * 2654435769u >> (32 - BITS);
}

static void hash_tokens(const struct kpacked *kp, struct kpacked_index *x)
{
	for (unsigned t = 0; t < KPACKED_TOKENS; t++) {
		const char *text = kp->text + kp->token[t];

		x->hash[t] = hash_text(text);
		x->tail[t] = hash_text(*text ? text + 1 : text);
		x->power[t] = 1;
		for (; *text; text++)
			x->power[t] *= FACTOR;
	}
}

/* Calls @take for each symbol: its number and its tokens. False: the table is not whole. */
static bool for_each(struct kpacked *kp, bool (*take)(void *ctx, size_t i, const uint8_t *p, size_t len), void *ctx)
{
	const uint8_t *names = kview_at(&kp->names, 0, kp->names.len);
	size_t off = 0;

	for (size_t i = 0; names && i < kp->nr; i++) {
		size_t start = off + 1, len;

		if (kp->names.len - off < 3)
			return false;
		len = names[off];
		if (len & 0x80)
			len = (len & 0x7f) | (size_t)names[start++] << 7;
		if (!len || len > kp->names.len - start || !take(ctx, i, names + start, len))
			return false;
		off = start + len;
	}
	return names;
}

/* Are the @len tokens at @p a type and @name? For most symbols the first token shows that they are not. */
static bool is_named(const struct kpacked *kp, const uint8_t *p, size_t len, const char *name)
{
	const char *text = kp->text + kp->token[*p];

	if (!*text++)		/* a token that no name uses */
		return false;
	for (;;) {
		for (; *text; text++) {
			if (*text != *name++)
				return false;
		}
		if (!--len)
			return !*name;
		text = kp->text + kp->token[*++p];
	}
}

/* ---- one name: looks at all ---- */

struct search {
	const struct kpacked *kp;
	const char *name;
	void (*found)(void *ctx, size_t i);
	void *ctx;
};

static bool look_at(void *ctx, size_t i, const uint8_t *p, size_t len)
{
	const struct search *s = ctx;

	if (is_named(s->kp, p, len, s->name))
		s->found(s->ctx, i);
	return true;
}

/* ---- the hash table ---- */

struct making {
	struct kpacked_index *x;
	uint32_t *last;			/* of each chain: 1 + its last symbol */
};

static bool add(void *ctx, size_t i, const uint8_t *p, size_t len)
{
	struct making *m = ctx;
	uint32_t hash = m->x->tail[*p];
	size_t chain;

	while (--len) {
		p++;
		hash = hash * m->x->power[*p] + m->x->hash[*p];
	}
	chain = chain_of(hash);
	*(m->last[chain] ? &m->x->next[m->last[chain] - 1] : &m->x->heads[chain]) = (uint32_t)i + 1;
	m->last[chain] = (uint32_t)i + 1;
	return true;
}

static void make_index(struct kpacked *kp)
{
	struct making m = { calloc(1, sizeof(*m.x) + kp->nr * sizeof(m.x->next[0])), calloc(1u << BITS, sizeof(*m.last)) };

	if (m.x && m.last) {
		hash_tokens(kp, m.x);
		if (for_each(kp, add, &m)) {
			kp->index = m.x;
			m.x = NULL;
		}
	}
	free(m.x);
	free(m.last);
}

static bool look_up(struct kpacked *kp, const char *name, void (*found)(void *ctx, size_t i), void *ctx)
{
	const struct kpacked_index *x = kp->index;
	uint32_t at = x->heads[chain_of(hash_text(name))];

	for (; at; at = x->next[at - 1]) {
		char text[KPACKED_NAME_MAX], type;

		if (!kpacked_name(kp, at - 1, &type, text))
			return false;
		if (!strcmp(text, name))
			found(ctx, at - 1);
	}
	return true;
}

bool kpacked_find_unsorted(struct kpacked *kp, const char *name, void (*found)(void *ctx, size_t i), void *ctx)
{
	struct search s = { kp, name, found, ctx };

	if (!kp->index && ++kp->finds > FEW_FINDS)
		make_index(kp);
	return kp->index ? look_up(kp, name, found, ctx) : for_each(kp, look_at, &s);
}

void kpacked_index_free(struct kpacked_index *x)
{
	free(x);
}
