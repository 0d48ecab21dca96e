/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * write_all.h - write(2) that does not stop halfway.
 */
#ifndef BASE_WRITE_ALL_H
#define BASE_WRITE_ALL_H

#include <stddef.h>

/* Writes all @len bytes of @data. If the descriptor was given to bprobe as non-blocking, waits all the same. 0 or -errno. */
int write_all(int fd, const void *data, size_t len);

#endif
