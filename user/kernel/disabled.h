/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * disabled.h - kernel features that an administrator has switched off, so that probes are silent or cannot be used.
 */
#ifndef KERNEL_DISABLED_H
#define KERNEL_DISABLED_H

#include <stdbool.h>

#include "base/diag.h"

/*
 * kernel.ftrace_enabled=0: no kprobe, kprobe.multi or trampoline is ever hit at a function's entry or return (seen on
 * 5.10, 6.1, 6.12 and 7.2). Probes inside functions still work.
 */
bool disabled_ftrace(void);

/*
 * net.core.bpf_jit_enable=0: the kernel interprets programs, and refuses those that call kernel functions (ENOTSUPP).
 */
bool disabled_jit(void);

/* lockdown=confidentiality. Without securityfs, loading a test program shows it. */
bool disabled_by_lockdown(void);

/* What lockdown forbids, and what to do: two texts, which a message can use in one sentence or in two. */
#define DISABLED_LOCKDOWN_FORBIDS	"which forbids kprobes and reading the kernel's memory, even to root"
#define DISABLED_LOCKDOWN_HELP		"boot with lockdown=integrity"

/* Writes to @diag that the kernel is locked down. Returns -EPERM. */
int disabled_explain_lockdown(struct diag *diag);

/* Adds a note to @diag, which holds another failure: the lockdown is its cause. */
void disabled_note_lockdown(struct diag *diag);

#endif
