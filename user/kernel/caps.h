/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * caps.h - what this process may do: capabilities, and what else the kernel asks for.
 */
#ifndef KERNEL_CAPS_H
#define KERNEL_CAPS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"

/* The effective ones of this process, a bit each. */
uint64_t caps_effective(void);

/* CAP_BPF and CAP_PERFMON, or CAP_SYS_ADMIN, which has both in it. */
bool caps_may_trace(uint64_t caps);

/* Adds to @diag which of those lack, and what to do; nothing if none does. Returns whether one does. */
bool caps_note_missing(struct diag *diag);

/* Adds to @diag that something else than a missing capability forbids it. */
void caps_note_forbidden(struct diag *diag);

/* kernel.perf_event_paranoid; INT_MIN: unknown. */
int caps_paranoid(void);

/*
 * Does this kernel refuse perf events to this user because of perf_event_paranoid? Asked by one that counts nothing. From level 3
 * on Debian's and Ubuntu's kernels want CAP_SYS_ADMIN, whatever other capabilities there are. At lower levels it is somebody
 * else who refuses: a container's seccomp filter, a security module.
 */
bool caps_perf_refused(void);

/* Bytes that this process may lock, which before 5.11 is what BPF may take; UINT64_MAX: no limit for it. */
uint64_t caps_memlock(void);

#endif
