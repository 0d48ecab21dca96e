// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_insn.c - any bytes into the instruction decoder.
 *
 * It must not read beyond its input, or write when it refuses. The length that it finds is not longer
 * than its input and INSN_MAX, and stays the same if there are more bytes.
 * Links only user/arch/x86_64/insn*.c.
 *
 *	clang -fsanitize=fuzzer,address ...		libFuzzer's own driver
 *	cc -DSTANDALONE -fsanitize=address ...; fuzz_insn - N [SEED]
 */
#include "arch/insn.h"
#include "base/macros.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int good, const char *what, const uint8_t *bytes, size_t avail)
{
	if (good)
		return;
	fprintf(stderr, "fuzz_insn: %s:", what);
	for (size_t i = 0; i < avail && i < 2 * INSN_MAX; i++)
		fprintf(stderr, " %02x", bytes[i]);
	fputc('\n', stderr);
	abort();
}

/* The sanitizer sees reads beyond a copy that is exactly as long as the input. */
static int decode_exactly(const uint8_t *bytes, size_t avail, struct insn *ret)
{
	uint8_t *copy = malloc(avail);
	int len;

	if (avail)
		memcpy(copy, bytes, avail);
	len = insn_decode(copy, avail, ret);
	free(copy);
	return len;
}

static void check(const uint8_t *bytes, size_t avail)
{
	struct insn insn = { 77, 78, 79 }, more;
	int len = decode_exactly(bytes, avail, &insn);

	require(len >= -1 && len <= (int)MIN(avail, (size_t)INSN_MAX), "length", bytes, avail);
	require(len != -1 || avail < INSN_MAX, "enough, and not enough", bytes, avail);
	if (len <= 0) {
		require(insn.len == 77 && insn.flow == 78 && insn.rel == 79, "wrote", bytes, avail);
		return;
	}
	require(insn.len == len && insn.flow <= INSN_UNDEFINED, "what it says", bytes, avail);
	require(!insn.rel || (insn.flow >= INSN_CALL && insn.flow <= INSN_JCC), "target", bytes, avail);
	require(decode_exactly(bytes, len, &more) == len && more.flow == insn.flow && more.rel == insn.rel,
		"as many bytes as it has", bytes, avail);
	for (int cut = 0; cut < len; cut++)
		require(decode_exactly(bytes, cut, &more) == -1, "fewer bytes than it has", bytes, cut);
}

/* From each byte on, as a caller at a wrong place would. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	for (size_t at = 0; at <= size && at < 64; at++)
		check(data + at, size - at);
	return 0;
}

#ifdef STANDALONE

#include "../roll.h"
#include "seeds.h"

int main(int argc, char **argv)
{
	/* Bytes with a meaning come more often. */
	static const uint8_t often[] = {
		0x66, 0x67, 0xf2, 0xf3, 0xf0, 0x2e, 0x48, 0x41, 0x0f, 0x0f, 0x38, 0x3a, 0xc4, 0xc5, 0x62,
		0x8f, 0xd5, 0xf6, 0xf7, 0xff, 0xc6, 0xc7, 0x04, 0x84, 0x25, 0x05, 0xe8, 0xe9, 0x78, 0xb8,
	};
	unsigned long n = argc > 2 ? strtoul(argv[2], NULL, 0) : 100000;

	if (seeds_asked(argc, argv)) {
		seed_write(argv[2], often, sizeof(often));
		return 0;
	}
	if (argc > 3)
		seed = strtoull(argv[3], NULL, 0) | 1;
	for (unsigned long i = 0; i < n; i++) {
		uint8_t bytes[32];
		size_t size = roll(sizeof(bytes) + 1);

		for (size_t k = 0; k < size; k++)
			bytes[k] = (uint8_t)(roll(2) ? often[roll(ARRAY_SIZE(often))] : roll(256));
		LLVMFuzzerTestOneInput(bytes, size);
	}
	printf("fuzz_insn: %lu strings\n", n);
	return 0;
}

#endif
