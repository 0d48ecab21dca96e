/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CLI_VERSION_H
#define CLI_VERSION_H

/* The commit that this was built from. */
extern const char version[];

#endif
