/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * caps.h - what this process may do: its capabilities, and the other conditions of the kernel.
 */
#ifndef KERNEL_CAPS_H
#define KERNEL_CAPS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"

/* The effective capabilities of this process, one bit each. */
uint64_t caps_effective(void);

/* CAP_BPF and CAP_PERFMON, or CAP_SYS_ADMIN, which includes both. */
bool caps_may_trace(uint64_t caps);

/* CAP_SYS_ADMIN. */
bool caps_may_all(uint64_t caps);

/*
 * Adds a note to @diag: which of these capabilities are missing, and what to do. Adds nothing if none is missing.
 * Returns whether one is missing.
 */
bool caps_note_missing(struct diag *diag);

/* Adds a note to @diag: something else than CAP_BPF and CAP_PERFMON may be the cause. */
void caps_note_forbidden(struct diag *diag);

/* kernel.perf_event_paranoid; INT_MIN: unknown. */
int caps_paranoid(void);

/*
 * Does this kernel refuse perf events to this user because of perf_event_paranoid? Tests it with an event that counts
 * nothing. From level 3 on, Debian's and Ubuntu's kernels want CAP_SYS_ADMIN, whatever other capabilities there are. At
 * lower levels something else refuses: a container's seccomp filter or a security module.
 */
bool caps_perf_refused(void);

/* Bytes that this process may lock. Before 5.11 this also limits the memory of BPF. UINT64_MAX: no limit for BPF. */
uint64_t caps_memlock(void);

#endif
