/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * demangle.h - the names of C++ and Rust functions as their sources have them.
 */
#ifndef ELF_DEMANGLE_H
#define ELF_DEMANGLE_H

#include <stdbool.h>

#include "base/buf.h"

enum { DEMANGLED_MAX = 4096 };		/* bytes */

/* Was this bprobe built with a demangler (libiberty)? Without one, demangle() is always false. */
extern const bool demangle_is_known;

/*
 * Appends what the symbol @name means, as addr2line -C prints it: _ZN3net4readEPcm is net::read(char*, unsigned long). A version
 * behind '@' stays there. False, and @out is as before: it is no such symbol, or its text has more than DEMANGLED_MAX bytes.
 */
bool demangle(const char *name, struct buf *out);

/* The same without parameters, return type and version: net::read. Clones of the compiler (net::read [clone .cold]) have this name, too. */
bool demangle_short(const char *name, struct buf *out);

/* Is @name one that demangle() looks at? Most others can be skipped without a call of it. */
static inline bool demangle_may(const char *name)
{
	return name[0] == '_' && (name[1] == 'Z' || name[1] == 'R');
}

#endif
