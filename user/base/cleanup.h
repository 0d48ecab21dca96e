/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cleanup.h - locals that release what they hold on every return.
 *
 *	auto_fd fd = open(...);		closed when the scope ends
 *	*ret_fd = take_fd(fd);		unless it is handed over, visibly
 */
#ifndef BASE_CLEANUP_H
#define BASE_CLEANUP_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static inline void cleanup_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static inline void cleanup_file(FILE **f)
{
	if (*f)
		fclose(*f);
}

static inline void cleanup_free(void *p)
{
	free(*(void **)p);
}

#define auto_fd		__attribute__((cleanup(cleanup_fd))) int
#define auto_file	__attribute__((cleanup(cleanup_file))) FILE *
#define auto_free	__attribute__((cleanup(cleanup_free)))

#define take_fd(fd) __extension__ ({ int fd_ = (fd); (fd) = -1; fd_; })
#define take_ptr(p) __extension__ ({ __typeof__(p) p_ = (p); (p) = NULL; p_; })

#endif
