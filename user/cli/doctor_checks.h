/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * doctor_checks.h - what the doctor's checks share. For the doctor's own files.
 */
#ifndef CLI_DOCTOR_CHECKS_H
#define CLI_DOCTOR_CHECKS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/macros.h"
#include "kernel/syms/ksyms.h"

enum level {
	LEVEL_OK,
	LEVEL_INFO,		/* not needed, or no matter of good and bad */
	LEVEL_WARN,		/* probes run, but something will be worse */
	LEVEL_UNKNOWN,		/* cannot tell without root */
	LEVEL_MISSING,		/* no probe can run */
};

struct doctor {
	FILE *out;
	unsigned counts[LEVEL_MISSING + 1];
	unsigned release;	/* as RELEASE() makes them */
	uint64_t caps;		/* effective capabilities, one bit each */
	bool may_trace;		/* enough of them for BPF and perf events */
	struct ksyms *ks;	/* NULL: no readable symbol table */
	struct buf config;	/* /boot/config-RELEASE; empty: not there */
};

void say(struct doctor *d, enum level level, const char *what, const char *fmt, ...)
	PRINTF_LIKE(4, 5);

/* The first line of a small file, without its newline. 0 or -errno. */
int doctor_read(const char *path, struct buf *ret);

/* Whether the kernel has a function or variable of this name. */
bool doctor_has_symbol(const struct doctor *d, const char *name);

/* 'y', 'm' or 'n' for "CONFIG_NAME"; 0 when this kernel's configuration is not at hand. */
char doctor_config(const struct doctor *d, const char *name);

bool doctor_has_cap(const struct doctor *d, unsigned cap);

/* In the order of the report. */
void doctor_check_kernel(struct doctor *d);
void doctor_check_privileges(struct doctor *d);
void doctor_check_bpf(struct doctor *d);
void doctor_check_kprobes(struct doctor *d);
void doctor_check_attachments(struct doctor *d);
void doctor_check_memory(struct doctor *d);
void doctor_check_mounts(struct doctor *d);

#endif
