/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TRACE_VERSION_H
#define TRACE_VERSION_H

/* The commit that this was built from. */
extern const char version[];

#endif
