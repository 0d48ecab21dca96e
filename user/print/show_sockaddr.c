// SPDX-License-Identifier: GPL-2.0-only
/*
 * show_sockaddr.c - struct sockaddr: FAMILY:ADDRESS:PORT.
 *
 *	AF_INET:127.0.0.1:80	AF_INET6:[fe80::1%2]:80		%2: the scope, if it is not 0
 *	AF_UNIX:/run/socket	AF_UNIX:@name			@: an abstract name, as ss(8) and /proc/net/unix print it
 *	AF_UNIX			without a name
 *	AF_NETLINK:1234:0x1	the port id, and the mask of groups
 *	AF_17			another family
 *
 * The type does not know how many bytes the call gave. So an abstract name ends at its first NUL.
 */
#include "print/show.h"

#include "base/escape_line.h"
#include "print/json_string.h"
#include "print/text.h"

enum { UNSPEC = 0, UNIX = 1, INET = 2, INET6 = 10, NETLINK = 16, PATH_OFF = 2 };

struct block {
	const unsigned char *at;
	uint32_t len;			/* bytes that could be read */
};

struct family {
	unsigned number;
	const char *name;
	uint32_t least;			/* bytes without which there is only the family */
	void (*text)(const struct block *b, struct buf *out);	/* what follows the family's name */
	void (*json)(const struct block *b, struct buf *out);	/* further members */
};

static unsigned be16(const unsigned char *at)
{
	return (unsigned)at[0] << 8 | at[1];
}

static uint32_t word(const unsigned char *at)
{
	uint32_t n;

	memcpy(&n, at, sizeof(n));
	return n;
}

static void inet_text(const struct block *b, struct buf *out)
{
	buf_addc(out, ':');
	show_put_ip4(b->at + 4, out);
	buf_addf(out, ":%u", be16(b->at + 2));
}

static void inet_json(const struct block *b, struct buf *out)
{
	buf_adds(out, ",\"address\":\"");
	show_put_ip4(b->at + 4, out);
	buf_addf(out, "\",\"port\":%u", be16(b->at + 2));
}

static void inet6_text(const struct block *b, struct buf *out)
{
	uint32_t scope = word(b->at + 24);

	buf_adds(out, ":[");
	show_put_ip6(b->at + 8, out);
	if (scope)
		buf_addf(out, "%%%u", scope);
	buf_addf(out, "]:%u", be16(b->at + 2));
}

static void inet6_json(const struct block *b, struct buf *out)
{
	buf_adds(out, ",\"address\":\"");
	show_put_ip6(b->at + 8, out);
	buf_addf(out, "\",\"port\":%u,\"scope\":%u", be16(b->at + 2), word(b->at + 24));
}

/* The path's or the abstract name's bytes. *ret_cut: what could be read has no NUL behind them, and is less than a whole path. */
static const char *unix_name(const struct block *b, uint32_t *ret_len, bool *ret_abstract, bool *ret_cut)
{
	const char *path = (const char *)b->at + PATH_OFF;
	uint32_t room = b->len - PATH_OFF;

	*ret_abstract = room > 1 && !path[0] && path[1];
	if (*ret_abstract) {
		path++;
		room--;
	}
	*ret_len = (uint32_t)strnlen(path, room);
	*ret_cut = *ret_len == room && b->len < 110;
	return path;
}

static void unix_text(const struct block *b, struct buf *out)
{
	bool abstract, is_cut;
	uint32_t len;
	const char *path = unix_name(b, &len, &abstract, &is_cut);

	if (!len && !is_cut)
		return;
	buf_adds(out, abstract ? ":@" : ":");
	escape_line(out, path, len, '"');
	if (is_cut)
		buf_adds(out, "...");
}

static void unix_json(const struct block *b, struct buf *out)
{
	bool abstract, is_cut;
	uint32_t len;
	const char *path = unix_name(b, &len, &abstract, &is_cut);

	buf_adds(out, abstract ? ",\"abstract\":" : ",\"path\":");
	json_string(out, path, len, is_cut);
	if (is_cut)
		buf_adds(out, ",\"cut\":true");
}

static void netlink_text(const struct block *b, struct buf *out)
{
	buf_addf(out, ":%u:0x%x", word(b->at + 4), word(b->at + 8));
}

static void netlink_json(const struct block *b, struct buf *out)
{
	buf_addf(out, ",\"port\":%u,\"groups\":%u", word(b->at + 4), word(b->at + 8));
}

static const struct family families[] = {
	{ UNSPEC, "AF_UNSPEC", 2, NULL, NULL },
	{ UNIX, "AF_UNIX", 3, unix_text, unix_json },
	{ INET, "AF_INET", 8, inet_text, inet_json },
	{ INET6, "AF_INET6", 28, inet6_text, inet6_json },
	{ NETLINK, "AF_NETLINK", 12, netlink_text, netlink_json },
};

static const struct family *family_of(unsigned number)
{
	for (unsigned i = 0; i < ARRAY_SIZE(families); i++) {
		if (families[i].number == number)
			return &families[i];
	}
	return NULL;
}

/* The family is in the CPU's order. */
static unsigned family_number(const struct block *b)
{
	uint16_t n;

	memcpy(&n, b->at, sizeof(n));
	return n;
}

static void add_text(const struct event *ev, const struct layout_field *f, unsigned element, struct buf *out)
{
	const struct family *family;
	struct block b = { 0 };

	b.at = event_block(ev, f, element, &b.len);
	if (!b.at)
		return;
	family = family_of(family_number(&b));
	if (!family)
		buf_addf(out, "AF_%u", family_number(&b));
	else
		buf_adds(out, family->name);
	if (family && family->text && b.len >= family->least)
		family->text(&b, out);
	else if (family && family->text)
		buf_adds(out, ":...");
}

static void add_json(const struct event *ev, const struct layout_field *f, unsigned element, struct buf *out)
{
	const struct family *family;
	struct block b = { 0 };

	b.at = event_block(ev, f, element, &b.len);
	if (!b.at) {
		buf_adds(out, "null");
		return;
	}
	family = family_of(family_number(&b));
	buf_addf(out, "{\"family\":%u,\"name\":", family_number(&b));
	if (family)
		buf_addf(out, "\"%s\"", family->name);
	else
		buf_adds(out, "null");
	if (family && family->json && b.len >= family->least)
		family->json(&b, out);
	else if (family && family->json)
		buf_adds(out, ",\"cut\":true");
	buf_addc(out, '}');
}

static const struct column_part parts[] = {
	{ "family", COLUMN_UNSIGNED, 2 }, { "name", COLUMN_TEXT, 0 }, { "address", COLUMN_TEXT, 0 }, { "port", COLUMN_UNSIGNED, 4 },
	{ "scope", COLUMN_UNSIGNED, 4 }, { "groups", COLUMN_UNSIGNED, 4 }, { "path", COLUMN_TEXT, 0 }, { "path_bytes", COLUMN_TEXT, 0 },
	{ "abstract", COLUMN_TEXT, 0 }, { "abstract_bytes", COLUMN_TEXT, 0 }, { "cut", COLUMN_TRUE, 0 }, { 0 },
};

const struct show show_sockaddr = { .text = add_text, .json = add_json, .parts = parts, .quoted = true };
