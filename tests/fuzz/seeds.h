/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * seeds.h - writes what a target changes as files, for libFuzzer (tests/long/fuzz.sh): TARGET -w DIR [FILE]
 *
 * DIR gets a file for each seed, and DIR.words the words of the target in the form of libFuzzer's -dict.
 */
#ifndef FUZZ_SEEDS_H
#define FUZZ_SEEDS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The directory that is asked for; NULL: this is no such call. */
static const char *seeds_asked(int argc, char **argv)
{
	return argc > 2 && !strcmp(argv[1], "-w") ? argv[2] : NULL;
}

static FILE *seeds_open(const char *to, const char *behind)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s%s", to, behind);
	f = fopen(path, "we");
	if (!f) {
		perror(path);
		exit(1);
	}
	return f;
}

static void seed_write(const char *to, const void *data, size_t len)
{
	static unsigned number;
	char name[32];
	FILE *f;

	snprintf(name, sizeof(name), "/seed-%04u", number++);
	f = seeds_open(to, name);
	if (fwrite(data, 1, len, f) != len || fclose(f))
		exit(1);
}

static void words_write(const char *to, const char *const *words, size_t nr)
{
	FILE *f = seeds_open(to, ".words");

	for (size_t i = 0; i < nr; i++) {
		if (!*words[i])
			continue;
		fputc('"', f);
		for (const char *at = words[i]; *at; at++) {
			if (*at >= ' ' && *at <= '~' && *at != '"' && *at != '\\')
				fputc(*at, f);
			else
				fprintf(f, "\\x%02x", (unsigned char)*at);
		}
		fputs("\"\n", f);
	}
	fclose(f);
}

#endif
