/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * switches.h - what of the kernel an administrator has switched off, where that silences or stops probes.
 */
#ifndef KERNEL_SWITCHES_H
#define KERNEL_SWITCHES_H

#include <stdbool.h>

#include "base/diag.h"

/*
 * kernel.ftrace_enabled=0: functions' entries and returns are never hit, by kprobe, kprobe.multi or trampoline (seen on
 * 5.10, 6.1, 6.12 and 7.2). Places inside functions are not concerned.
 */
bool switches_ftrace_off(void);

/* net.core.bpf_jit_enable=0: programs are interpreted, and those that call kernel functions refused (ENOTSUPP). */
bool switches_jit_off(void);

/* lockdown=confidentiality. Without securityfs the kernel is asked by a program. */
bool switches_locked_down(void);

/* What it forbids and what to do, for all who say it: in one sentence or in two. */
#define SWITCHES_LOCKDOWN_FORBIDS	"which forbids kprobes and reading the kernel's memory, even to root"
#define SWITCHES_LOCKDOWN_HELP		"boot with lockdown=integrity"

/* Says so in @diag. Returns -EPERM. */
int switches_explain_lockdown(struct diag *diag);

/* Adds to @diag, where something else failed, that this is why. */
void switches_note_lockdown(struct diag *diag);

#endif
