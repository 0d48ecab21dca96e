// SPDX-License-Identifier: GPL-2.0-only
/*
 * show_address.c - network addresses, as the kernel prints them with %pI4, %pI6c and %pM.
 */
#include "print/show.h"

void show_put_ip4(const unsigned char *at, struct buf *out)
{
	buf_addf(out, "%u.%u.%u.%u", at[0], at[1], at[2], at[3]);
}

/* The longest run of two or more words that are 0, the first one of several; *ret_len: its length, or 0. */
static unsigned longest_zeros(const unsigned char *at, unsigned words, unsigned *ret_len)
{
	unsigned best = 0, len = 0;

	for (unsigned i = 0, run = 0; i < words; i++) {
		run = at[2 * i] || at[2 * i + 1] ? 0 : run + 1;
		if (run > 1 && run > len) {
			len = run;
			best = i + 1 - run;
		}
	}
	*ret_len = len;
	return best;
}

/* RFC 5952; the last four bytes of a mapped or an ISATAP address as ip4 (lib/vsprintf.c, %pI6c). */
void show_put_ip6(const unsigned char *at, struct buf *out)
{
	static const unsigned char mapped[12] = { [10] = 0xff, [11] = 0xff };
	bool isatap = !(at[8] & 0xfd) && !at[9] && at[10] == 0x5e && at[11] == 0xfe;
	bool has_ip4 = !memcmp(at, mapped, sizeof(mapped)) || isatap, colon = false;
	unsigned words = has_ip4 ? 6 : 8, len, zeros = longest_zeros(at, words, &len);

	for (unsigned i = 0; i < words; i++) {
		if (len && i == zeros) {
			buf_adds(out, "::");
			i += len - 1;
			colon = false;
		} else {
			buf_addf(out, "%s%x", colon ? ":" : "", at[2 * i] << 8 | at[2 * i + 1]);
			colon = true;
		}
	}
	if (has_ip4) {
		if (colon)
			buf_addc(out, ':');
		show_put_ip4(at + 12, out);
	}
}

static void add_ip4(const struct event *ev, const struct layout_field *f, unsigned element, struct buf *out)
{
	show_put_ip4(event_bytes(ev, f, element), out);
}

static void add_ip6(const struct event *ev, const struct layout_field *f, unsigned element, struct buf *out)
{
	show_put_ip6(event_bytes(ev, f, element), out);
}

static void add_mac(const struct event *ev, const struct layout_field *f, unsigned element, struct buf *out)
{
	const unsigned char *at = event_bytes(ev, f, element);

	for (unsigned i = 0; i < 6; i++)
		buf_addf(out, "%s%02x", i ? ":" : "", at[i]);
}

static const char *ip4_conversion(const struct type *type)
{
	(void)type;
	return "%pI4";
}

static const char *ip6_conversion(const struct type *type)
{
	(void)type;
	return "%pI6c";
}

static const char *mac_conversion(const struct type *type)
{
	(void)type;
	return "%pM";
}

/* These conversions want the field itself. */
static void arguments(const struct layout_field *f, const char *ref, struct buf *out)
{
	(void)f;
	buf_addf(out, ", %s", ref);
}

const struct show show_ip4 = { .text = add_ip4, .conversion = ip4_conversion, .arguments = arguments, .by_element = true };
const struct show show_ip6 = { .text = add_ip6, .conversion = ip6_conversion, .arguments = arguments, .by_element = true };
const struct show show_mac = { .text = add_mac, .conversion = mac_conversion, .arguments = arguments, .by_element = true };
