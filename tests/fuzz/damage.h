/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * damage.h - what the fuzz targets share whose inputs are bytes of a file or of memory: copies of what is right are damaged. (fuzz.h is for texts.)
 *
 * The target defines fuzz_name before, and LLVMFuzzerTestOneInput(); and for STANDALONE a main() that calls damage().
 *
 *	clang -fsanitize=fuzzer,address ...		libFuzzer's own driver
 *	cc -DSTANDALONE ...; TARGET FILE N [SEED]
 *
 * The second damages each original N times with a fixed seed of chance, so that a finding can be repeated without clang.
 */
#ifndef FUZZ_DAMAGE_H
#define FUZZ_DAMAGE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/macros.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void require(int good, const char *what)
{
	if (!good) {
		fprintf(stderr, "%s: %s\n", fuzz_name, what);
		abort();
	}
}

#ifdef STANDALONE

#include "../roll.h"
#include "seeds.h"

/* What is right, and the part of it where three of four changes are. */
struct original {
	struct buf bytes;
	size_t from, to;
};

static void damage_once(uint8_t *data, size_t len, const struct original *o)
{
	size_t at = roll(4) ? o->from + roll((uint32_t)(o->to - o->from)) : roll((uint32_t)len);
	size_t few = MIN(len - at, (size_t)8);

	switch (roll(7)) {
	case 0:
		data[at] = (uint8_t)roll(256);
		break;
	case 1:
		data[at] ^= (uint8_t)(1u << roll(8));
		break;
	case 2:
		memset(data + at, roll(2) ? 0xff : 0, few);
		break;
	case 3:
		data[at] = (uint8_t)roll(64);		/* small numbers have a meaning, and digits */
		break;
	case 4:
		memmove(data + at, data + roll((uint32_t)(len - few)), few);
		break;
	case 5:						/* copies a pointer over another one near it: a list can then have a circle */
		at -= at % 8;
		memmove(data + at, data + (at + 8 * roll(64)) % (len - 7), MIN(len - at, (size_t)8));
		break;
	default:
		memmove(data + at, data + o->from + roll((uint32_t)MAX(o->to - o->from, few) - (uint32_t)few + 1), MIN(few, o->to - o->from));
	}
}

/* Each original as it is, and then damaged ones of all. The status of main(). */
static int damage(int argc, char **argv, struct original *all, unsigned nr)
{
	unsigned long n = argc > 2 ? strtoul(argv[2], NULL, 0) : 10000;

	for (unsigned i = 0; i < nr; i++) {
		require(all[i].bytes.len > 16 && all[i].from < all[i].to && all[i].to <= all[i].bytes.len, "there is nothing to damage");
		LLVMFuzzerTestOneInput((const uint8_t *)all[i].bytes.data, all[i].bytes.len);
		if (seeds_asked(argc, argv))
			seed_write(argv[2], all[i].bytes.data, all[i].bytes.len);
	}
	if (seeds_asked(argc, argv))
		n = 0;
	else if (argc > 3)
		seed = strtoull(argv[3], NULL, 0) | 1;
	for (unsigned long i = 0; i < n; i++) {
		const struct original *o = &all[roll(nr)];
		size_t len = roll(20) ? o->bytes.len : roll((uint32_t)o->bytes.len) + 1;
		uint8_t *data = malloc(len);		/* of this size, so that a read behind it shows */

		memcpy(data, o->bytes.data, len);
		for (unsigned m = roll(10); len == o->bytes.len && m; m--)
			damage_once(data, len, o);
		LLVMFuzzerTestOneInput(data, len);
		free(data);
	}
	for (unsigned i = 0; i < nr; i++)
		buf_fini(&all[i].bytes);
	printf("%s: %lu damaged ones of %u\n", fuzz_name, n, nr);
	return 0;
}

/* The file of the command line, if the target damages one. */
static inline const char *original_path(int argc, char **argv)
{
	return seeds_asked(argc, argv) ? argv[3] : argc > 1 ? argv[1] : "";
}

static inline void original_read(const char *path, struct original *o)
{
	FILE *f = fopen(path, "re");
	char bytes[4096];
	size_t len;

	require(f != NULL, "there is no file to damage");
	while ((len = fread(bytes, 1, sizeof(bytes), f)))
		buf_add(&o->bytes, bytes, len);
	fclose(f);
	o->to = o->bytes.len;
}

#endif

#endif
