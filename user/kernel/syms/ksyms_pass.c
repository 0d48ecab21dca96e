// SPDX-License-Identifier: GPL-2.0-only
/*
 * ksyms_pass.c - one pass over the kernel's own functions, for patterns that match them all.
 *
 * A name is expanded only if it has a dot in it. For all other names the tokens themselves have the answers.
 */
#include <string.h>

#include "kernel/syms/ksyms_packed_priv.h"
#include "kernel/syms/ksyms_table.h"

/* What a token tells. */
enum {
	TOKEN_DOT = 1,
	TOKEN_FUNCTION = 2,	/* as the first one of a symbol: it is a function */
	TOKEN_TYPE = 4,		/* ... and nothing else: its name begins with the next token */
	TOKEN_MARKER = 8,	/* a marker's name begins so, behind the type if it is the first token */
	TOKEN_MAY_MARK = 16,	/* the same with the tokens behind it */
	NAME_SHIFT = 2,		/* TOKEN_MARKER << NAME_SHIFT, TOKEN_MAY_MARK << NAME_SHIFT: the same as the second token */
};

struct pass {
	struct kpacked *kp;
	const uint8_t *names, *offsets;
	uint8_t facts[KPACKED_TOKENS];
	char text[KPACKED_NAME_MAX + 1];	/* of the last name that was expanded, with the type before it */
};

static uint8_t marker_facts(const char *text)
{
	static const char *const markers[] = { "__pfx_", "__cfi_" };	/* as ksym_is_marker() */
	uint8_t facts = 0;

	for (unsigned i = 0; i < ARRAY_SIZE(markers); i++) {
		size_t len = strlen(text), all = strlen(markers[i]);

		if (!strncmp(text, markers[i], MIN(len, all)))
			facts |= len < all ? TOKEN_MAY_MARK : TOKEN_MARKER;
	}
	return facts;
}

static void learn_tokens(struct pass *p)
{
	for (unsigned t = 0; t < KPACKED_TOKENS; t++) {
		const char *text = p->kp->text + p->kp->token[t];
		uint8_t *facts = &p->facts[t];

		*facts |= (uint8_t)(marker_facts(text) << NAME_SHIFT);
		if (strchr(text, '.'))
			*facts |= TOKEN_DOT;
		if (*text && strchr("tTwW", *text))
			*facts |= TOKEN_FUNCTION | (text[1] ? marker_facts(text + 1) : TOKEN_TYPE);
	}
}

static uint64_t addr_of(const struct pass *p, size_t i)
{
	int32_t off;

	memcpy(&off, p->offsets + i * sizeof(off), sizeof(off));
	return kpacked_decode(p->kp, i, off);
}

/* Fills in what is known of symbol @i, whose name is the @len tokens. False: the name is too long, or addresses do not ascend. */
static bool describe(struct pass *p, size_t i, const uint8_t *tokens, size_t len, struct kpacked_function *f)
{
	size_t next = i + 1;
	uint8_t any = 0;

	*f = (struct kpacked_function){ .i = i, .addr = addr_of(p, i), .type = p->kp->text[p->kp->token[*tokens]] };
	f->first = !i || addr_of(p, i - 1) != f->addr;
	while (next < p->kp->nr && addr_of(p, next) == f->addr)
		next++;
	f->next = next < p->kp->nr ? addr_of(p, next) : 0;
	if (f->next && f->next < f->addr)
		return false;
	for (size_t k = 0; k < len; k++)
		any |= p->facts[tokens[k]];
	if (!(any & TOKEN_DOT))
		return true;
	f->name = p->text + 1;
	return kpacked_expand(p->kp, tokens, len, p->text);
}

static bool is_function(const struct pass *p, const uint8_t *tokens, size_t len)
{
	uint8_t facts = p->facts[*tokens];

	if (facts & TOKEN_TYPE && len > 1)
		facts = TOKEN_FUNCTION | p->facts[tokens[1]] >> NAME_SHIFT;
	return (facts & (TOKEN_FUNCTION | TOKEN_MARKER)) == TOKEN_FUNCTION &&
	       !(facts & TOKEN_MAY_MARK && kpacked_is_marker(p->kp, tokens, len));
}

/* The number of tokens of the name at @off, and where they begin. 0: the names end before that. As name_len(). */
static inline size_t tokens_at(const struct pass *p, size_t off, size_t *ret_start)
{
	size_t room = p->kp->names.len, len;

	if (room - off < 3)
		return 0;
	len = p->names[off++];
	if (len & 0x80)
		len = (len & 0x7f) | (size_t)p->names[off++] << 7;
	*ret_start = off;
	return len <= room - off ? len : 0;
}

/* Finds where every name begins. So the names that are looked for during the pass are found in less time. */
static bool find_places(struct pass *p)
{
	size_t off = 0, start, len;

	if (!kpacked_make_places(p->kp))
		return false;
	for (size_t i = 0; i < p->kp->nr; i++) {
		if (!(i % KPACKED_STRIDE))
			p->kp->places[i / KPACKED_STRIDE] = (uint32_t)off + 1;
		len = tokens_at(p, off, &start);
		if (!len)
			return false;
		off = start + len;
	}
	return true;
}

bool kpacked_pass(struct kpacked *kp, void (*take)(void *ctx, const struct kpacked_function *f), void *ctx)
{
	struct pass p = { .kp = kp, .names = kview_at(&kp->names, 0, kp->names.len),
			  .offsets = kview_at(&kp->offsets, 0, kp->offsets.len) };
	struct kpacked_function f;
	size_t off = 0;

	if (!p.names || !p.offsets || !find_places(&p))
		return false;
	learn_tokens(&p);
	for (size_t i = 0; i < kp->nr; i++) {
		size_t start = 0, len = tokens_at(&p, off, &start);

		off = start + len;
		if (!is_function(&p, p.names + start, len))
			continue;
		if (!describe(&p, i, p.names + start, len, &f))
			return false;
		take(ctx, &f);
	}
	return true;
}

/* ---- for ksyms.h ---- */

struct functions {
	const struct ksyms_lazy *t;
	void (*take)(void *ctx, const struct ksyms_function *f);
	void *ctx;
};

static void take_one(void *ctx, const struct kpacked_function *f)
{
	const struct functions *to = ctx;
	const struct ksyms_lazy *t = to->t;
	const struct ksym sym = { .type = ksyms_right_type(f->type, f->addr, t->etext, t->boot, t->boot_end) };
	struct ksyms_function one = { .number = f->i, .addr = f->addr, .end = f->next, .first = f->first, .name = f->name };

	if (ksym_is_function(&sym))
		to->take(to->ctx, &one);
}

bool ksyms_pass(const struct ksyms *ks, void (*take)(void *ctx, const struct ksyms_function *f), void *ctx)
{
	struct functions to = { ks->lazy, take, ctx };

	return ks->lazy->packed && kpacked_pass(ks->lazy->packed, take_one, &to);
}

bool ksyms_names_between(const struct ksyms *ks, uint64_t start, uint64_t end, void (*take)(void *ctx, const char *name), void *ctx)
{
	struct kpacked *kp = ks->lazy->packed;
	size_t i = kp && start && start < end ? kpacked_up_to(kp, start - 1) : 0;
	char name[KPACKED_NAME_MAX], type;
	uint64_t addr;

	for (; kp && start < end && i < kp->nr; i++) {
		if (!kpacked_addr(kp, i, &addr))
			return false;
		if (addr >= end)
			break;
		if (!kpacked_name(kp, i, &type, name))
			return false;
		take(ctx, name);
	}
	return kp;
}
