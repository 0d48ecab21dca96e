/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * made_file.h - files that a test makes, with the compiler and the binutils: in a directory of its own that is removed at the end.
 */
#ifndef MADE_FILE_H
#define MADE_FILE_H

#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/macros.h"

static char made_dir[] = "/tmp/bprobe-test-XXXXXX";

/* Runs a shell command in the directory. Returns its status. */
static inline int PRINTF_LIKE(1, 2) run(const char *fmt, ...)
{
	char command[4096];
	int n = snprintf(command, sizeof(command), "cd %s && { ", made_dir);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(command + n, sizeof(command) - (size_t)n - 16, fmt, ap);
	va_end(ap);
	snprintf(command + strlen(command), 16, "; } 2>&1");
	return system(command);
}

static inline void made_remove(void)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -rf %s", made_dir);
	if (system(command))
		fprintf(stderr, "%s is left\n", made_dir);
}

static inline void made_begin(void)
{
	if (!mkdtemp(made_dir))
		abort();
	atexit(made_remove);
}

/* The path of a file there. Valid until the next but seven calls. */
static inline const char *made(const char *name)
{
	static char paths[8][128];
	static unsigned next;
	char *path = paths[next++ % 8];

	snprintf(path, sizeof(paths[0]), "%s/%s", made_dir, name);
	return path;
}

static inline void made_write(const char *name, const char *data, size_t len)
{
	FILE *f = fopen(made(name), "we");

	if (!f || fwrite(data, 1, len, f) != len || fclose(f))
		abort();
}

/* Are the bytes at @off of the file @text? */
static inline int file_has(int fd, uint64_t off, const char *text)
{
	char bytes[64] = "";

	return pread(fd, bytes, strlen(text), (off_t)off) == (ssize_t)strlen(text) && !strcmp(bytes, text);
}

#endif
