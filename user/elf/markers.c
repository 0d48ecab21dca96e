// SPDX-License-Identifier: GPL-2.0-only
/*
 * markers.c - reads a program's USDT markers.
 *
 * Each is a note "stapsdt" of type 3: three addresses (the place, .stapsdt.base as it was then, the semaphore or 0) and three texts (provider,
 * name, arguments). If the linker or prelink moved the file afterwards, .stapsdt.base says how far. The format is described in SystemTap's wiki
 * (UserSpaceProbeImplementation).
 */
#include "elf/markers.h"

#include <stdlib.h>
#include <string.h>

#include "base/macros.h"
#include "base/memory.h"
#include "elf/program_priv.h"

enum { NOTE_TYPE = 3, MARKERS_MAX = 1 << 20 };

struct header {
	uint32_t name_len, len, type;
};

struct addresses {
	uint64_t place, base, semaphore;
};

/* A note, as it is in the file. */
struct note {
	struct addresses at;
	const char *provider, *name, *args;
};

struct reading {
	struct program *p;
	struct arena *arena;
	bool (*match)(void *ctx, const char *provider, const char *name);
	void *ctx;
	bool has_base;
	uint64_t base;			/* where .stapsdt.base is */
	struct marker *all;		/* malloc */
	size_t nr;
	unsigned room;
};

/* ---- arguments ---- */

/* -4@, 8f@ and the like before the operand; without it 8@ is meant. The length of that part. */
static size_t parse_size(const char *text, size_t len, struct marker_arg *arg)
{
	size_t at = 0;
	unsigned size = 0;

	arg->size = 8;
	if (len && text[at] == '-')
		at++;
	for (; at < len && text[at] >= '0' && text[at] <= '9' && size < 1000; at++)
		size = size * 10 + (unsigned)(text[at] - '0');
	if (!size)
		return 0;
	arg->is_float = at < len && text[at] == 'f';
	at += arg->is_float;
	if (at == len || text[at] != '@') {
		arg->is_float = false;
		return 0;
	}
	arg->is_signed = *text == '-';
	if (size == 1 || size == 2 || size == 4 || size == 8)
		arg->size = (uint8_t)size;
	else
		arg->unsupported = "only arguments of 1, 2, 4 and 8 bytes can be fetched";
	return at + 1;
}

/* The operand's symbol becomes a distance from the marker's place. */
static void resolve_symbol(const struct reading *r, const struct marker *m, struct marker_arg *arg)
{
	struct asm_operand *o = &arg->operand;
	const struct program_symbols *s = program_symbols(r->p);
	const char *name = arena_strndup(r->arena, o->symbol, o->symbol_len);
	bool several;
	uint64_t addr;

	o->symbol = NULL;
	if (!elf_file_symbol(r->p->file, name, &addr, &several) && (!s->debug || !elf_file_symbol(s->debug, name, &addr, &several)))
		arg->unsupported = arena_printf(r->arena, "the file has no symbol '%s'", name);
	else if (several)
		arg->unsupported = arena_printf(r->arena, "the file has several symbols '%s'", name);
	else if (o->has_reg)
		arg->unsupported = "its address needs a symbol and a register";
	o->has_reg = true;
	o->reg = REG_IP;
	o->value = (int64_t)((uint64_t)o->value + (arg->unsupported ? 0 : addr - m->addr));
}

static void parse_arg(const struct reading *r, const struct marker *m, const char *text, size_t len, struct marker_arg *arg)
{
	const char *unsupported;
	size_t at;

	*arg = (struct marker_arg){ .text = arena_strndup(r->arena, text, len) };
	at = parse_size(text, len, arg);
	unsupported = asm_operand_parse(text + at, len - at, &arg->operand);
	if (!arg->unsupported)
		arg->unsupported = unsupported;
	if (!arg->unsupported && arg->is_float)
		arg->unsupported = "it is a floating point number";
	if (!arg->unsupported && arg->operand.symbol)
		resolve_symbol(r, m, arg);
	arg->operand.symbol = NULL;
}

/* The length of the argument at @text: up to a blank outside of parentheses. */
static size_t arg_len(const char *text)
{
	bool inside = false;
	size_t len = 0;

	for (; text[len] && (inside || text[len] != ' '); len++)
		inside = text[len] == '(' || (inside && text[len] != ')');
	return len;
}

static void parse_args(const struct reading *r, struct marker *m, const char *text)
{
	unsigned nr = 0;
	struct marker_arg *args;

	for (const char *at = text + strspn(text, " "); *at; at += arg_len(at), at += strspn(at, " "))
		nr++;
	args = arena_array(r->arena, struct marker_arg, nr);
	m->args = args;
	for (const char *at = text + strspn(text, " "); *at; at += arg_len(at), at += strspn(at, " "))
		parse_arg(r, m, at, arg_len(at), &args[m->nr_args++]);
}

/* ---- notes ---- */

static const char *take_text(const char **at, const char *end)
{
	const char *text = *at, *nul = memchr(text, '\0', (size_t)(end - text));

	*at = nul ? nul + 1 : end;
	return nul ? text : NULL;
}

/* The next note of @at; NULL: there is no other. *ret_ok: it is a marker's. */
static const char *next_note(const char *at, const char *end, struct note *ret, bool *ret_ok)
{
	static const char owner[] = "stapsdt";
	struct header h;
	const char *desc, *desc_end;

	*ret_ok = false;
	if ((size_t)(end - at) < sizeof(h))
		return NULL;
	memcpy(&h, at, sizeof(h));
	at += sizeof(h);
	if (h.name_len > (size_t)(end - at) || ROUND_UP((size_t)h.name_len, 4) > (size_t)(end - at))
		return NULL;
	desc = at + ROUND_UP((size_t)h.name_len, 4);
	if (h.len > (size_t)(end - desc))
		return NULL;
	desc_end = desc + h.len;
	if (h.type == NOTE_TYPE && h.name_len == sizeof(owner) && !memcmp(at, owner, sizeof(owner)) && h.len >= sizeof(ret->at)) {
		memcpy(&ret->at, desc, sizeof(ret->at));
		desc += sizeof(ret->at);
		ret->provider = take_text(&desc, desc_end);
		ret->name = take_text(&desc, desc_end);
		ret->args = take_text(&desc, desc_end);
		*ret_ok = ret->provider && ret->name && ret->args;
	}
	return desc_end + MIN(ROUND_UP((size_t)h.len, 4) - h.len, (size_t)(end - desc_end));
}

static void add_marker(struct reading *r, const struct note *n)
{
	uint64_t moved = r->has_base && n->at.base ? r->base - n->at.base : 0;
	struct marker m = { .provider = arena_strdup(r->arena, n->provider), .name = arena_strdup(r->arena, n->name), .addr = n->at.place + moved };

	if (!elf_file_off(r->p->file, m.addr, &m.off) || !program_code(r->p, m.off))
		m.refusal = "its place is not in the program's code";
	/* The kernel counts in it, so it must be at an even place in the file. */
	else if (n->at.semaphore && (!elf_file_off(r->p->file, n->at.semaphore + moved, &m.semaphore) || m.semaphore % 2))
		m.refusal = "its semaphore is not in the program's data";
	parse_args(r, &m, n->args);
	r->all = heap_grow(r->all, r->nr, &r->room);
	r->all[r->nr++] = m;
}

static void read_notes(struct reading *r)
{
	size_t len;
	uint64_t addr;
	const char *at = elf_file_section(r->p->file, ".note.stapsdt", &len, &addr), *end = at ? at + len : NULL;
	struct note n;
	bool ok;

	while (at && r->nr < MARKERS_MAX) {
		at = next_note(at, end, &n, &ok);
		if (ok && r->match(r->ctx, n.provider, n.name))
			add_marker(r, &n);
	}
}

/* ---- asking ---- */

static int compare(const void *a, const void *b)
{
	const struct marker *x = a, *y = b;
	int order = strcmp(x->provider, y->provider);

	if (!order)
		order = strcmp(x->name, y->name);
	return order ? order : x->addr < y->addr ? -1 : x->addr > y->addr;
}

size_t markers_match(struct program *p, struct arena *arena, bool (*match)(void *ctx, const char *provider, const char *name), void *ctx,
		     const struct marker **ret)
{
	struct reading r = { p, arena, match, ctx };
	struct marker *all;
	size_t nr = 0, len;

	elf_file_section(p->file, ".stapsdt.base", &len, &r.base);
	r.has_base = r.base;
	read_notes(&r);
	if (r.nr)
		qsort(r.all, r.nr, sizeof(*r.all), compare);
	all = arena_array(arena, struct marker, r.nr);
	for (size_t i = 0; i < r.nr; i++) {	/* a place counts once */
		if (!nr || compare(&all[nr - 1], &r.all[i]))
			all[nr++] = r.all[i];
	}
	free(r.all);
	*ret = all;
	return nr;
}

struct wanted {
	const char *provider, *name;
};

static bool is_wanted(void *ctx, const char *provider, const char *name)
{
	const struct wanted *w = ctx;

	return (!w->provider || !strcmp(w->provider, provider)) && !strcmp(w->name, name);
}

size_t markers_find(struct program *p, struct arena *arena, const char *provider, const char *name, const struct marker **ret)
{
	struct wanted w = { provider, name };

	return markers_match(p, arena, is_wanted, &w, ret);
}
