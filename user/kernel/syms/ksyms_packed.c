// SPDX-License-Identifier: GPL-2.0-only
/*
 * ksyms_packed.c - reads the kernel's own symbols from the tables that the kernel itself keeps.
 *
 * vmcoreinfo tells where names, their number and offsets are. It does not tell where markers and seqs are. They are
 * expected where scripts/kallsyms.c puts them. If the bytes there do not look right, this file works without them.
 */
#include "kernel/syms/ksyms_packed.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/macros.h"
#include "base/number.h"
#include "kernel/mem/kmem.h"
#include "kernel/syms/ksyms_packed_priv.h"

enum {
	GROUP = 256,			/* symbols for each marker */
	FEW_WALKS = 256,		/* walks from a marker; then places are kept */
	MAX_SYMS = 1 << 24,		/* a number in seqs has three bytes */
	MAX_NAMES = 1 << 28,
	MAX_TEXT = 1 << 14,		/* of all tokens; really about 1 KiB */
	SAMPLES = 8,
};

/* ---- names ---- */

/*
 * The number of bytes of the name at @off, and where they begin; 0: it cannot be read. A length of 128 or more takes
 * two bytes (6.1).
 */
static size_t name_len(struct kpacked *kp, size_t off, size_t *ret_start)
{
	const uint8_t *p = kview_byte(&kp->names, off);
	size_t len = p ? *p : 0;

	*ret_start = off + 1;
	if (len & 0x80) {
		p = kview_byte(&kp->names, off + 1);
		len = p ? (len & 0x7f) | (size_t)*p << 7 : 0;
		*ret_start = off + 2;
	}
	return len;
}

/* Symbol @at begins at *off. Moves *off to where symbol @i begins, at @at or after it. */
static bool walk(struct kpacked *kp, size_t at, size_t i, size_t *off)
{
	for (; at < i; at++) {
		size_t start, len = name_len(kp, *off, &start);

		if (!len)
			return false;
		*off = start + len;
	}
	return true;
}

bool kpacked_make_places(struct kpacked *kp)
{
	if (!kp->places)
		kp->places = calloc(kp->nr / KPACKED_STRIDE + 1, sizeof(*kp->places));
	return kp->places;
}

/* Keeps the places of the group's symbols, when symbols are asked for in no order and often. */
static void learn_group(struct kpacked *kp, size_t group)
{
	size_t off = kp->markers[group], end = MIN((group + 1) * GROUP, kp->nr);

	if (!kp->places && ++kp->walks > FEW_WALKS)
		kpacked_make_places(kp);
	if (!kp->places || kp->places[group * GROUP / KPACKED_STRIDE])
		return;
	for (size_t i = group * GROUP; i < end; i += KPACKED_STRIDE) {
		kp->places[i / KPACKED_STRIDE] = (uint32_t)off + 1;
		if (!walk(kp, i, MIN(i + KPACKED_STRIDE, end), &off))
			return;
	}
}

/* Where symbol @i begins in names. */
static bool find_name(struct kpacked *kp, size_t i, size_t *ret)
{
	size_t at = i & ~(size_t)(GROUP - 1), off = kp->markers[i / GROUP];

	if (kp->at <= i && i - kp->at < KPACKED_STRIDE) {
		at = kp->at;
		off = kp->at_off;
	} else {
		learn_group(kp, i / GROUP);
		if (kp->places && kp->places[i / KPACKED_STRIDE]) {
			at = i & ~(size_t)(KPACKED_STRIDE - 1);
			off = kp->places[i / KPACKED_STRIDE] - 1;
		} else if (kp->at > at && kp->at <= i) {
			at = kp->at;
			off = kp->at_off;
		}
	}
	if (!walk(kp, at, i, &off))
		return false;
	kp->at = i;
	kp->at_off = off;
	*ret = off;
	return true;
}

size_t kpacked_expand(const struct kpacked *kp, const uint8_t *p, size_t len, char to[KPACKED_NAME_MAX + 1])
{
	size_t out = 0;

	for (; len; len--) {
		const char *text = kp->text + kp->token[*p++];

		for (; *text; text++) {
			if (out == KPACKED_NAME_MAX)
				return 0;
			to[out++] = *text;
		}
	}
	to[out] = '\0';
	return out;
}

/* The text of the name at @off; its first letter is the type. Returns its length; 0: it cannot be read. */
static size_t expand(struct kpacked *kp, size_t off, char to[KPACKED_NAME_MAX + 1])
{
	size_t start, len = name_len(kp, off, &start);
	const uint8_t *p = len ? kview_at(&kp->names, start, len) : NULL;

	return p ? kpacked_expand(kp, p, len, to) : 0;
}

size_t kpacked_name(struct kpacked *kp, size_t i, char *ret_type, char name[KPACKED_NAME_MAX])
{
	char text[KPACKED_NAME_MAX + 1];
	size_t off, len;

	if (!find_name(kp, i, &off))
		return 0;
	len = expand(kp, off, text);
	if (len < 2)
		return 0;
	*ret_type = text[0];
	memcpy(name, text + 1, len);
	return len - 1;
}

/* Does the text that the @len tokens at @p stand for begin with @prefix, behind the type? */
static bool begins(const struct kpacked *kp, const uint8_t *p, size_t len, const char *prefix)
{
	const char *text = kp->text + kp->token[*p];

	for (text += *text != '\0'; *prefix; text++, prefix++) {
		while (!*text) {
			if (!--len)
				return false;
			text = kp->text + kp->token[*++p];
		}
		if (*text != *prefix)
			return false;
	}
	return true;
}

bool kpacked_is_marker(const struct kpacked *kp, const uint8_t *p, size_t len)
{
	return begins(kp, p, len, "__pfx_") || begins(kp, p, len, "__cfi_");
}

bool kpacked_may_be_function(struct kpacked *kp, size_t i)
{
	size_t off, start, len = find_name(kp, i, &off) ? name_len(kp, off, &start) : 0;
	const uint8_t *p = len ? kview_at(&kp->names, start, len) : NULL;

	if (!p)
		return true;
	return memchr("tTwW", kp->text[kp->token[*p]], 4) && !kpacked_is_marker(kp, p, len);
}

size_t kpacked_count(const struct kpacked *kp)
{
	return kp->nr;
}

/* ---- addresses ---- */

static bool read_offset(struct kpacked *kp, size_t i, int32_t *ret)
{
	const uint8_t *p = kview_at(&kp->offsets, i * sizeof(*ret), sizeof(*ret));

	if (p)
		memcpy(ret, p, sizeof(*ret));
	return p;
}

bool kpacked_addr(struct kpacked *kp, size_t i, uint64_t *ret)
{
	int32_t off;

	if (!read_offset(kp, i, &off))
		return false;
	*ret = kpacked_decode(kp, i, off);
	return true;
}

/* Is symbol @i at @addr or below? If that cannot be read, *@failed is set. */
static bool is_up_to(struct kpacked *kp, size_t i, uint64_t addr, bool *failed)
{
	uint64_t at;

	if (kpacked_addr(kp, i, &at))
		return at <= addr;
	*failed = true;
	return false;
}

/*
 * Addresses are often asked for in ascending order: first looks near the last answer. A search that could not read one symbol would end at
 * another one, and a wrong name is worse than none.
 */
size_t kpacked_up_to(struct kpacked *kp, uint64_t addr)
{
	size_t low = 0, high = kp->nr;
	bool failed = false;

	if (kp->near && is_up_to(kp, kp->near - 1, addr, &failed)) {
		low = kp->near;
		for (size_t step = 1; low + step <= high; step *= 2) {
			if (!is_up_to(kp, low + step - 1, addr, &failed)) {
				high = low + step - 1;
				break;
			}
			low += step;
		}
	}
	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (is_up_to(kp, mid, addr, &failed))
			low = mid + 1;
		else
			high = mid;
	}
	if (failed)
		return 0;
	kp->near = low;
	return low;
}

/* ---- looking for a name ---- */

/* The number of the symbol at @place in the order of names. */
static bool sorted_number(struct kpacked *kp, size_t place, size_t *ret)
{
	const uint8_t *p = kview_at(&kp->seqs, place * 3, 3);

	*ret = p ? (size_t)p[0] << 16 | (size_t)p[1] << 8 | p[2] : kp->nr;
	return *ret < kp->nr;
}

/* < 0: the name at @place comes before @name. *ret becomes false if it cannot be read. */
static int compare_sorted(struct kpacked *kp, size_t place, const char *name, bool *ret)
{
	char text[KPACKED_NAME_MAX], type;
	size_t i;

	*ret = sorted_number(kp, place, &i) && kpacked_name(kp, i, &type, text);
	return *ret ? strcmp(text, name) : 0;
}

/* The first place, from @low on, whose name does not come before @name. With @len, names that begin with it come before it, too. */
static bool find_place(struct kpacked *kp, size_t low, const char *name, size_t len, size_t *ret)
{
	size_t high = kp->nr;

	while (low < high) {
		size_t mid = low + (high - low) / 2, i;
		char text[KPACKED_NAME_MAX], type;

		if (!sorted_number(kp, mid, &i) || !kpacked_name(kp, i, &type, text))
			return false;
		if (len ? strncmp(text, name, len) <= 0 : strcmp(text, name) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	*ret = low;
	return true;
}

static bool find_sorted(struct kpacked *kp, const char *name, void (*found)(void *ctx, size_t i), void *ctx)
{
	bool good = true;
	size_t at, i;

	if (!find_place(kp, 0, name, 0, &at))
		return false;
	for (; at < kp->nr && !compare_sorted(kp, at, name, &good) && good; at++) {
		sorted_number(kp, at, &i);
		found(ctx, i);
	}
	return at == kp->nr || good;
}

bool kpacked_find_prefix(struct kpacked *kp, const char *prefix, void (*found)(void *ctx, size_t i), void *ctx)
{
	size_t at, end, i;

	if (!kp->sorted || !*prefix || !find_place(kp, 0, prefix, 0, &at) ||
	    !find_place(kp, at, prefix, strlen(prefix), &end))
		return false;
	for (; at < end; at++) {
		if (!sorted_number(kp, at, &i))
			return false;
		found(ctx, i);
	}
	return true;
}

bool kpacked_find(struct kpacked *kp, const char *name, void (*found)(void *ctx, size_t i), void *ctx)
{
	return kp->sorted ? find_sorted(kp, name, found, ctx) : kpacked_find_unsorted(kp, name, found, ctx);
}

/* ---- finding the tables ---- */

/* Reads vmcoreinfo's line "SYMBOL(name)=ffff..."; 0: it has no such line. */
static uint64_t noted(const char *note, const char *name)
{
	struct buf line = { 0 };
	const char *at;
	uint64_t addr = 0;

	buf_addf(&line, "SYMBOL(%s)=", name);
	at = strstr(note, buf_str(&line));
	if (at && (at == note || at[-1] == '\n')) {
		at += line.len;
		if (number_u64(at, strcspn(at, "\n"), 16, &addr))
			addr = 0;
	}
	buf_fini(&line);
	return addr;
}

static bool read_tokens(struct kpacked *kp, uint64_t table, uint64_t index)
{
	size_t len;

	if (kmem_read(kp->mem, index, kp->token, sizeof(kp->token)))
		return false;
	for (unsigned t = 1; t < KPACKED_TOKENS; t++) {
		if (kp->token[t] <= kp->token[t - 1])
			return false;
	}
	/* The last token may be as long as the table has room for, but no name is that long. */
	len = kp->token[KPACKED_TOKENS - 1] + (size_t)KPACKED_NAME_MAX;
	if (kp->token[0] || len > MAX_TEXT)
		return false;
	kp->text = calloc(len + 1, 1);
	if (!kp->text || kmem_read(kp->mem, table, kp->text, len))
		return false;
	for (unsigned t = 1; t < KPACKED_TOKENS; t++) {
		if (kp->text[kp->token[t] - 1])
			return false;
	}
	return true;
}

/* Starting at the last marker, do as many names as there should be end within @room bytes? */
static bool ends_right(struct kpacked *kp, size_t room)
{
	size_t off = kp->markers[(kp->nr - 1) / GROUP], start;

	for (size_t i = (kp->nr - 1) & ~(size_t)(GROUP - 1); i < kp->nr; i++) {
		size_t len = name_len(kp, off, &start);

		if (!len)
			return false;
		off = start + len;
	}
	return off <= room && room - off < 8;
}

/* The markers are after the names and before the tokens. Both ends are padded to 8 or to 4 bytes. */
static bool read_markers(struct kpacked *kp, uint64_t names, uint64_t table)
{
	size_t nr = (kp->nr + GROUP - 1) / GROUP, size = nr * sizeof(*kp->markers);

	for (unsigned align = 4; align <= 8; align += 4) {
		size_t room = table - names - ROUND_UP(size, (size_t)align), i = 1;

		if (table - names < ROUND_UP(size, (size_t)align) || kmem_read(kp->mem, names + room, kp->markers, size))
			return false;
		while (i < nr && kp->markers[i] >= kp->markers[i - 1] + 2 * GROUP &&
		       kp->markers[i] - kp->markers[i - 1] < GROUP * KPACKED_NAME_MAX)
			i++;
		if (!kp->markers[0] && i == nr && ends_right(kp, room))
			return true;
	}
	return false;
}

/* Computes the markers from the names themselves. */
static bool make_markers(struct kpacked *kp)
{
	size_t off = 0, start;

	for (size_t i = 0; i < kp->nr; i++) {
		size_t len = name_len(kp, off, &start);

		if (!len)
			return false;
		if (!(i % GROUP))
			kp->markers[i / GROUP] = (uint32_t)off;
		off = start + len;
	}
	return true;
}

/* Takes samples of seqs, and compares the name at each place with the next one. Are they in order? */
static bool is_sorted(struct kpacked *kp)
{
	char name[KPACKED_NAME_MAX], type;

	for (size_t k = 0; k < SAMPLES; k++) {
		size_t place = (kp->nr - 2) / SAMPLES * k, i, next;
		bool good;

		if (!sorted_number(kp, place, &i) || !sorted_number(kp, place + 1, &next) || i == next ||
		    !kpacked_name(kp, i, &type, name) ||
		    compare_sorted(kp, place + 1, name, &good) < 0 || !good)
			return false;
	}
	return true;
}

/* seqs is the last table (6.12): after relative_base, or after the offsets if there is no relative_base. */
static void find_seqs(struct kpacked *kp, uint64_t base_at)
{
	uint64_t end = base_at ? base_at + sizeof(kp->base) : kp->offsets.addr + kp->offsets.len;

	for (unsigned align = 4; align <= 8 && !kp->sorted; align += 4) {
		kview_close(&kp->seqs);
		kp->sorted = kview_open(&kp->seqs, kp->mem, ROUND_UP(end, (uint64_t)align), kp->nr * 3) && is_sorted(kp);
	}
}

static bool find_encoding(struct kpacked *kp, uint64_t base_at)
{
	int32_t last;

	kp->encoding = ENCODING_PLACE;
	if (!base_at)
		return true;
	if (kmem_read(kp->mem, base_at, &kp->base, sizeof(kp->base)) || !read_offset(kp, kp->nr - 1, &last))
		return false;
	kp->encoding = last < 0 ? ENCODING_PERCPU : ENCODING_BASE;
	return true;
}

static void take_first(void *ctx, size_t i)
{
	size_t *first = ctx;

	*first = MIN(*first, i);
}

/* Is _stext at the address that vmcoreinfo tells? */
static bool is_right(struct kpacked *kp, uint64_t stext)
{
	size_t first = SIZE_MAX;
	uint64_t addr;

	return kpacked_find(kp, "_stext", take_first, &first) && first < kp->nr &&
	       kpacked_addr(kp, first, &addr) && addr == stext;
}

static bool open_tables(struct kpacked *kp, const char *note)
{
	uint64_t names = noted(note, "kallsyms_names"), nr_at = noted(note, "kallsyms_num_syms");
	uint64_t table = noted(note, "kallsyms_token_table"), index = noted(note, "kallsyms_token_index");
	uint64_t offsets = noted(note, "kallsyms_offsets"), base_at = noted(note, "kallsyms_relative_base");
	uint32_t nr;

	/* Names come before the tokens in all versions whose vmcoreinfo tells their addresses. */
	if (!names || !nr_at || table <= names || table - names > MAX_NAMES || !index || !offsets ||
	    kmem_read(kp->mem, nr_at, &nr, sizeof(nr)) || nr < 2 * SAMPLES || nr > MAX_SYMS)
		return false;
	kp->nr = nr;
	kp->markers = calloc(nr / GROUP + 1, sizeof(*kp->markers));
	if (!kp->markers || !read_tokens(kp, table, index) ||
	    !kview_open(&kp->names, kp->mem, names, table - names) ||
	    !kview_open(&kp->offsets, kp->mem, offsets, (size_t)nr * sizeof(int32_t)) ||
	    !find_encoding(kp, base_at) || (!read_markers(kp, names, table) && !make_markers(kp)))
		return false;
	find_seqs(kp, base_at);
	if (kp->sorted && !is_right(kp, noted(note, "_stext")))
		kp->sorted = false;
	return is_right(kp, noted(note, "_stext"));
}

struct kpacked *kpacked_open(struct kmem *mem)
{
	char *note = kmem_note(mem, "VMCOREINFO");
	struct kpacked *kp = note ? calloc(1, sizeof(*kp)) : NULL;

	if (kp) {
		kp->mem = mem;
		if (!open_tables(kp, note)) {
			kpacked_close(kp);
			kp = NULL;
		}
	}
	free(note);
	return kp;
}

void kpacked_close(struct kpacked *kp)
{
	if (!kp)
		return;
	kview_close(&kp->names);
	kview_close(&kp->offsets);
	kview_close(&kp->seqs);
	free(kp->markers);
	free(kp->places);
	kpacked_index_free(kp->index);
	free(kp->text);
	free(kp);
}
