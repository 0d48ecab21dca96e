// SPDX-License-Identifier: GPL-2.0-only
/*
 * ksyms_packed_index.c - finds names in tables without seqs (Linux 6.0 and 6.1).
 *
 * To search all names for one takes a million instructions, and a start of bprobe asks for some fifty names. So a hash table has the
 * numbers of all symbols. It is made from the tokens, without their text, because the hash of two texts one behind the other is hash(a) *
 * FACTOR ^ length(b) + hash(b).
 */
#include <stdlib.h>
#include <string.h>

#include "kernel/syms/ksyms_packed_priv.h"

enum { FACTOR = 16777619, BITS = 15 };

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

/* The hash of a name of @len tokens at @p, behind its type. */
static uint32_t hash_name(const struct kpacked_index *x, const uint8_t *p, size_t len)
{
	uint32_t hash = x->tail[*p];

	while (--len) {
		p++;
		hash = hash * x->power[*p] + x->hash[*p];
	}
	return hash;
}

/* @last: for each chain, 1 + the number of its last symbol. False: the table of names is not whole. */
static bool fill(struct kpacked *kp, struct kpacked_index *x, uint32_t *last)
{
	const uint8_t *names = kview_at(&kp->names, 0, kp->names.len);
	size_t off = 0;

	hash_tokens(kp, x);
	for (size_t i = 0; names && i < kp->nr; i++) {
		size_t start = off + 1, len, chain;

		if (kp->names.len - off < 3)
			return false;
		len = names[off];
		if (len & 0x80)
			len = (len & 0x7f) | (size_t)names[start++] << 7;
		if (!len || len > kp->names.len - start)
			return false;
		chain = chain_of(hash_name(x, names + start, len));
		*(last[chain] ? &x->next[last[chain] - 1] : &x->heads[chain]) = (uint32_t)i + 1;
		last[chain] = (uint32_t)i + 1;
		off = start + len;
	}
	return names;
}

static struct kpacked_index *make_index(struct kpacked *kp)
{
	struct kpacked_index *x = calloc(1, sizeof(*x) + kp->nr * sizeof(x->next[0]));
	uint32_t *last = calloc(1u << BITS, sizeof(*last));

	if (!x || !last || !fill(kp, x, last)) {
		free(x);
		x = NULL;
	}
	free(last);
	return x;
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
	if (!kp->index)
		kp->index = make_index(kp);
	return kp->index && look_up(kp, name, found, ctx);
}

void kpacked_index_free(struct kpacked_index *x)
{
	free(x);
}
