/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * remarks.h - what a definition's form in kprobe_events' grammar does not tell of it.
 */
#ifndef CLI_REMARKS_H
#define CLI_REMARKS_H

#include "base/buf.h"
#include "lang/ast.h"

/*
 * Words for a comment behind @def's translation, "; " between them; nothing where all is said. For a script that
 * is read elsewhere: what system calls' functions get, and what %ip was then, is remarked, too.
 */
void remarks_print(const struct probe_def *def, struct buf *out);

/* Of a system call's function: are some of its arguments what it gets itself, which is not what the call's caller gave? */
bool remarks_fetches_registers(const struct probe_def *def);

#endif
