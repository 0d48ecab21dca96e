// SPDX-License-Identifier: GPL-2.0-only
/*
 * dat_page.c - the pages with the events of a trace.dat.
 */
#include "dat/dat_page.h"

#include <errno.h>

#include "base/macros.h"

enum { TYPE_LONG = 0, TYPE_DATA_MAX = DAT_SHORT_MAX / 4, TYPE_PADDING = 29, TYPE_EXTEND = 30, TYPE_STAMP = 31 };

enum { DELTA_BITS = DAT_DELTA_BITS, STAMP_BITS = 59 };

#define COMMIT_MISSED	(1u << 31)	/* RB_MISSED_EVENTS */
#define COMMIT_STORED	(1u << 30)	/* RB_MISSED_STORED */
#define COMMIT_LEN	((1u << 20) - 1)

uint32_t dat_page_size(uint32_t len)
{
	uint32_t size = DAT_PAGE_MIN;

	/* A page's first record has the page's time, so it needs no time entry before it. */
	while (size < len + DAT_PAGE_SPARE)
		size *= 2;
	return size <= DAT_PAGE_MAX ? size : 0;
}

void dat_page_start(struct dat_page *p, uint64_t ts, uint64_t lost)
{
	memcpy(p->bytes, &ts, sizeof(ts));
	p->len = DAT_PAGE_HEAD;
	p->ts = ts;
	p->lost = lost;
	p->number++;
}

static unsigned char *put_u32(unsigned char *at, uint32_t n)
{
	memcpy(at, &n, sizeof(n));
	return at + sizeof(n);
}

unsigned char *dat_page_place_any(struct dat_page *p, uint64_t ts, uint32_t len)
{
	uint64_t delta = ts - p->ts;
	bool extends = delta >> DELTA_BITS, is_long = len > 4 * TYPE_DATA_MAX || !len;
	uint32_t need = (extends ? 8 : 0) + (is_long ? 8 : 4) + len;
	unsigned char *at = p->bytes + p->len;

	if (ts < p->ts || delta >> STAMP_BITS || p->len + need + sizeof(p->lost) > p->size)
		return NULL;
	if (extends) {
		at = put_u32(at, TYPE_EXTEND | (uint32_t)delta << 5);
		at = put_u32(at, (uint32_t)(delta >> DELTA_BITS));
		delta = 0;
	}
	at = put_u32(at, (is_long ? TYPE_LONG : len / 4) | (uint32_t)delta << 5);
	if (is_long)
		at = put_u32(at, len + 4);
	p->len += need;
	p->ts = ts;
	return at;
}

bool dat_page_add(struct dat_page *p, uint64_t ts, const void *record, uint32_t len)
{
	unsigned char *at = dat_page_place(p, ts, len);

	if (at)
		memcpy(at, record, len);
	return at;
}

uint32_t dat_page_seal(struct dat_page *p)
{
	uint64_t commit = p->len - DAT_PAGE_HEAD;
	uint32_t end = p->len;

	if (p->lost) {
		commit |= COMMIT_MISSED | COMMIT_STORED;
		memcpy(p->bytes + end, &p->lost, sizeof(p->lost));
		end += (uint32_t)sizeof(p->lost);
	}
	memcpy(p->bytes + 8, &commit, sizeof(commit));
	memset(p->bytes + end, 0, p->size - end);
	return end;
}

int dat_iter_start(struct dat_iter *it, const unsigned char *page, uint32_t size, uint32_t have)
{
	uint64_t commit, len;

	if (have < DAT_PAGE_HEAD)
		return -EBADMSG;
	memcpy(&it->ts, page, sizeof(it->ts));
	memcpy(&commit, page + 8, sizeof(commit));
	len = commit & COMMIT_LEN;
	if (len > size - DAT_PAGE_HEAD)
		return -EBADMSG;
	it->at = page + DAT_PAGE_HEAD;
	it->end = it->at + MIN(len, have - DAT_PAGE_HEAD);
	it->lost = commit & COMMIT_MISSED ? UINT64_MAX : 0;
	if (it->lost && commit & COMMIT_STORED && len + sizeof(it->lost) <= have - DAT_PAGE_HEAD)
		memcpy(&it->lost, it->end, sizeof(it->lost));
	return 0;
}

static uint32_t take_u32(struct dat_iter *it)
{
	uint32_t n;

	memcpy(&n, it->at, sizeof(n));
	it->at += sizeof(n);
	return n;
}

int dat_iter_next(struct dat_iter *it, const unsigned char **ret, uint32_t *ret_len)
{
	const uint64_t top = ~((1ull << STAMP_BITS) - 1);

	while (it->end - it->at >= 4) {
		uint32_t word = take_u32(it), type = word & 31, len = 4 * type;
		uint64_t delta = word >> 5;

		if ((type == TYPE_LONG || type > TYPE_DATA_MAX) && it->end - it->at >= 4)
			len = take_u32(it);
		else if (type == TYPE_LONG || type > TYPE_DATA_MAX)
			return type == TYPE_PADDING ? 0 : -EBADMSG;
		if (type == TYPE_PADDING && !delta)
			return 0;
		if (type == TYPE_EXTEND) {
			it->ts += delta + ((uint64_t)len << DELTA_BITS);
			continue;
		}
		if (type == TYPE_STAMP) {
			it->ts = (it->ts & top) | ((delta + ((uint64_t)len << DELTA_BITS)) & ~top);
			continue;
		}
		if (type == TYPE_LONG || type == TYPE_PADDING) {
			if (len < 4)
				return -EBADMSG;
			len = ROUND_UP(len - 4, 4u);
		}
		if (len > (size_t)(it->end - it->at))
			return -EBADMSG;
		it->ts += delta;
		it->at += len;
		if (type == TYPE_PADDING)
			continue;
		*ret = it->at - len;
		*ret_len = len;
		return 1;
	}
	return 0;
}
