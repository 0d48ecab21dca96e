// SPDX-License-Identifier: GPL-2.0-only
/*
 * strings.c - strings of 15 bytes that no compiler made, here and by Zydis.
 *
 *	random		bytes, as they come
 *	shaped		prefixes, an escape to some map, then bytes
 *	every		each opcode of each map, with each ModRM byte and each kind of SIB
 *			byte, behind each set of prefixes
 *
 * Whenever both accept, all must be alike. What only one accepts is counted, by reason.
 */
#include "oracle.h"

/* Where an opcode was, after the prefixes. */
enum place { ONE, MAP_0F, MAP_0F38, MAP_0F3A, VEX, EVEX, XOP, REX2, PLACE_NR };

static const char *const place_names[PLACE_NR] = {
	"one byte", "0F", "0F 38", "0F 3A", "VEX", "EVEX", "XOP", "REX2",
};

struct count {
	uint64_t strings, both, neither, length, flow, only_zydis, cuts, wrong_cuts;
	uint64_t only_here[WHY_NR][PLACE_NR];
	uint8_t accepts[2][256];	/* "every": ACCEPT_*, by opcode of the one-byte map and of 0F */
	unsigned shown;
};

enum { ACCEPT_HERE = 1, ACCEPT_ZYDIS = 2 };

static uint64_t state;

/* xorshift64*: the same numbers everywhere. */
static uint64_t roll(void)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return state * 0x2545f4914f6cdd1du;
}

static enum place place_of(const uint8_t *bytes)
{
	static const char legacy[] = "\x26\x2e\x36\x3e\x64\x65\x66\x67\xf0\xf2\xf3";
	int at = 0;

	while (at < 12 && ((bytes[at] & 0xf0) == 0x40 || memchr(legacy, bytes[at], sizeof(legacy) - 1)))
		at++;
	switch (bytes[at]) {
	case 0x0f:
		return bytes[at + 1] == 0x38 ? MAP_0F38 : bytes[at + 1] == 0x3a ? MAP_0F3A : MAP_0F;
	case 0xc4:
	case 0xc5:
		return VEX;
	case 0x62:
		return EVEX;
	case 0x8f:
		return (bytes[at + 1] & 0x1f) >= 8 ? XOP : ONE;
	case 0xd5:
		return REX2;
	default:
		return ONE;
	}
}

static void show(struct count *n, const char *what, const uint8_t *bytes,
		 const struct insn *ours, int len, const struct answer *zydis)
{
	char buf[INSN_MAX * 3 + 1];

	if (n->shown++ < 40)
		printf("# %s: %s: here %d (flow %u, rel %d), Zydis %d (flow %u, rel %d)\n", what,
		       hex(bytes, INSN_MAX, buf), len, len > 0 ? ours->flow : 0,
		       len > 0 ? ours->rel : 0, zydis->len, zydis->insn.flow, zydis->insn.rel);
}

/* With fewer bytes at hand it is the same answer, or -1; with all of an instruction, the same. */
static void check_cuts(struct count *n, const uint8_t *bytes, const struct insn *whole, int len)
{
	struct answer none = { 0 };
	struct insn insn;

	n->cuts++;
	for (int avail = 0; avail < INSN_MAX; avail++) {
		int cut = insn_decode(bytes, avail, &insn);
		bool good = len > 0 ? cut == (avail < len ? -1 : len) : cut == 0 || cut == -1;

		if (good && (cut <= 0 || same_flow(whole, &insn)))
			continue;
		n->wrong_cuts++;
		show(n, "cut off", bytes, &insn, cut, &none);
		return;
	}
}

/* Compares the two; returns ACCEPT_* of those that accept. */
static unsigned check(struct count *n, const uint8_t *bytes)
{
	struct insn insn = { 0 };
	int len = insn_decode(bytes, INSN_MAX, &insn);
	struct answer zydis = oracle_ask(bytes, INSN_MAX);

	if (!(n->strings++ & 15))
		check_cuts(n, bytes, &insn, len);
	if (len <= 0 && !zydis.len) {
		n->neither++;
		n->length += len < 0;
	} else if (!zydis.len) {
		n->only_here[zydis.why][place_of(bytes)]++;
	} else if (len <= 0) {
		n->only_zydis++;
		show(n, "only Zydis accepts", bytes, &insn, len, &zydis);
	} else {
		n->both++;
		if (len != zydis.len) {
			n->length++;
			show(n, "lengths differ", bytes, &insn, len, &zydis);
		} else if (!same_flow(&insn, &zydis.insn)) {
			n->flow++;
			show(n, "flows differ", bytes, &insn, len, &zydis);
		}
	}
	return (len > 0 ? ACCEPT_HERE : 0) | (zydis.len ? ACCEPT_ZYDIS : 0);
}

static void fill(uint8_t *bytes, int from)
{
	uint64_t low = roll(), high = roll();
	uint8_t random[16];

	memcpy(random, &low, 8);
	memcpy(random + 8, &high, 8);
	memcpy(bytes + from, random + from, INSN_MAX - from);
}

static const char *const escapes[] = {
	"", "", "\x0f", "\x0f", "\x0f\x38", "\x0f\x3a", "\xc4", "\xc5", "\x62", "\x8f",
};

static const uint8_t prefixes[] = {
	0x66, 0xf2, 0xf3, 0xf0, 0x67, 0x2e, 0x36, 0x3e, 0x26, 0x64, 0x65, 0x40, 0x48, 0x41, 0x4f, 0x66,
};

static void shape(uint8_t *bytes)
{
	uint64_t dice = roll();
	const char *escape = escapes[(dice >> 8) % ARRAY_SIZE(escapes)];
	int at = 0;

	for (unsigned nr = dice & 3 ? dice & 3 : dice >> 4 & 15; nr-- && at < 12;)
		bytes[at++] = prefixes[roll() >> 32 & 15];
	for (; *escape; escape++)
		bytes[at++] = (uint8_t)*escape;
	fill(bytes, at);
}

static const char *const prefix_sets[] = {
	"", "\x66", "\xf2", "\xf3", "\x67", "\x2e", "\xf0", "\x40", "\x48", "\x66\x48", "\x48\x66",
	"\xf2\x48", "\xf3\x48", "\x66\xf2", "\x66\xf3", "\xf2\x66", "\xf3\x66", "\xf2\xf3", "\xf3\xf2",
	"\x67\x48", "\x66\x67", "\x48\x40", "\x40\x48", "\x66\x4f",
	"\x2e\x2e\x2e\x2e\x2e\x2e", "\x2e\x2e\x2e\x2e\x2e\x2e\x2e\x2e\x2e\x2e",
};

/* All opcodes at bytes + @at, with all that can follow; @accepts gets ACCEPT_* of each. */
static void every_opcode(struct count *n, uint8_t *bytes, int at, uint8_t *accepts)
{
	static const uint8_t sibs[] = { 0x00, 0x25, 0xe4 };

	if (at + 3 > INSN_MAX)
		return;
	for (unsigned op = 0; op < 256; op++) {
		for (unsigned modrm = 0; modrm < 256; modrm++) {
			for (unsigned i = 0; i < ARRAY_SIZE(sibs); i++) {
				fill(bytes, at);
				bytes[at] = op;
				bytes[at + 1] = modrm;
				bytes[at + 2] = sibs[i];
				accepts[op] |= check(n, bytes);
				if ((modrm & 0xc7) != 4)
					break;
			}
		}
	}
}

/* The maps after C4, 62 and 8F, with all values of the byte after the map's. */
static void every_vector(struct count *n, uint8_t *bytes, int at)
{
	uint8_t ignored[256] = { 0 };

	for (unsigned second = 0; second < 16; second++) {
		unsigned w_l_pp = second >> 3 << 7 | (second >> 2 & 1) << 2 | (second & 3) | 0x78;

		bytes[at] = 0xc5;
		bytes[at + 1] = w_l_pp;
		every_opcode(n, bytes, at + 2, ignored);
		for (unsigned map = 0; map < 12; map++) {
			bytes[at] = map < 8 ? 0xc4 : 0x8f;
			bytes[at + 1] = 0xe0 | map;
			bytes[at + 2] = w_l_pp;
			every_opcode(n, bytes, at + 3, ignored);
		}
		for (unsigned map = 0; map < 8; map++) {
			static const uint8_t thirds[] = { 0x08, 0x48, 0x99 };

			bytes[at] = 0x62;
			bytes[at + 1] = 0xf0 | map;
			bytes[at + 2] = w_l_pp;		/* its bit 2 chooses between EVEX and MVEX */
			bytes[at + 3] = thirds[(second + map) % ARRAY_SIZE(thirds)];
			every_opcode(n, bytes, at + 4, ignored);
		}
	}
}

static void every(struct count *n)
{
	static const char *const maps[] = { "", "\x0f", "\x0f\x38", "\x0f\x3a" };
	uint8_t bytes[INSN_MAX], ignored[256] = { 0 };

	for (unsigned i = 0; i < ARRAY_SIZE(prefix_sets); i++) {
		size_t len = strlen(prefix_sets[i]), escape;

		memcpy(bytes, prefix_sets[i], len);
		for (unsigned map = 0; map < ARRAY_SIZE(maps); map++) {
			escape = strlen(maps[map]);
			memcpy(bytes + len, maps[map], escape);
			every_opcode(n, bytes, len + escape, map < 2 ? n->accepts[map] : ignored);
		}
	}
	every_vector(n, bytes, 0);
	memset(bytes, 0x2e, 7);
	every_vector(n, bytes, 7);
}

/* The two maps with tables: what never is an opcode for Zydis is none here, and the other way round. */
static bool same_opcodes(const struct count *n)
{
	static const uint8_t apart[] = { 0x62, 0xc4, 0xc5, 0xd5, 0xd6 };
	unsigned more = 0, nr = 0;

	for (unsigned map = 0; map < 2; map++)
		for (unsigned op = 0; op < 256; op++) {
			uint8_t accepts = n->accepts[map][op];

			nr += accepts & ACCEPT_HERE;
			if (accepts == 0 || accepts == (ACCEPT_HERE | ACCEPT_ZYDIS) ||
			    (!map && memchr(apart, op, sizeof(apart))))
				continue;
			more++;
			printf("# an opcode for one of the two: %s%02x\n", map ? "0f " : "", op);
		}
	return result(!more, "every: %u opcodes in tables, %u not Zydis's; VEX, EVEX, REX2, UDB apart",
		      nr, more);
}

static void only_here(const struct count *n)
{
	for (unsigned w = 0; w < WHY_NR; w++) {
		uint64_t sum = 0;

		for (unsigned p = 0; p < PLACE_NR; p++)
			sum += n->only_here[w][p];
		if (!sum)
			continue;
		printf("# only here, for Zydis '%s': %llu (", oracle_why_names[w], (unsigned long long)sum);
		for (unsigned p = 0, more = 0; p < PLACE_NR; p++)
			if (n->only_here[w][p])
				printf("%s%s %llu", more++ ? ", " : "", place_names[p],
				       (unsigned long long)n->only_here[w][p]);
		puts(")");
	}
}

int strings(const char *what, uint64_t count, uint64_t seed)
{
	static struct count n;
	uint8_t bytes[INSN_MAX];
	bool good;

	state = seed | 1;
	if (!strcmp(what, "every"))
		every(&n);
	else
		for (uint64_t i = 0; i < count; i++) {
			if (!strcmp(what, "shaped"))
				shape(bytes);
			else
				fill(bytes, 0);
			check(&n, bytes);
		}
	printf("# %s: %llu strings, %llu accepted by both, %llu by neither\n", what,
	       (unsigned long long)n.strings, (unsigned long long)n.both,
	       (unsigned long long)n.neither);
	only_here(&n);
	good = result(n.both && !n.length, "%s: %llu lengths, %llu unlike Zydis's", what,
		      (unsigned long long)n.both, (unsigned long long)n.length);
	good &= result(!n.flow, "%s: %llu flows and targets unlike Zydis's", what,
		       (unsigned long long)n.flow);
	good &= result(!n.only_zydis, "%s: only Zydis accepts %llu", what,
		       (unsigned long long)n.only_zydis);
	good &= result(n.cuts && !n.wrong_cuts,
		       "%s: %llu strings cut off everywhere, %llu badly answered", what,
		       (unsigned long long)n.cuts, (unsigned long long)n.wrong_cuts);
	if (!strcmp(what, "every"))
		good &= same_opcodes(&n);
	return !good;
}
