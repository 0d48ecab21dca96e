/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * doctor_checks.h - what the doctor's checks share. Only for the doctor's own files.
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
	LEVEL_INFO,		/* not needed, or neither good nor bad */
	LEVEL_WARN,		/* probes run, but something works less well */
	LEVEL_UNKNOWN,		/* cannot tell without root */
	LEVEL_NO_CODE,		/* no probe of the kernel's functions can run; other kinds may */
	LEVEL_MISSING,		/* no probe can run */
};

struct doctor {
	FILE *out;
	unsigned counts[LEVEL_MISSING + 1];
	unsigned release;	/* in the form of RELEASE() */
	uint64_t caps;		/* effective capabilities, one bit each */
	unsigned loaded;	/* backends whose programs load: a bit for each row of the table */
	bool may_trace;		/* the capabilities are enough for BPF and perf events */
	struct ksyms *ks;	/* NULL: no readable symbol table */
	struct buf config;	/* /boot/config-RELEASE; empty: the file does not exist */
};

void say(struct doctor *d, enum level level, const char *what, const char *fmt, ...)
	PRINTF_LIKE(4, 5);

/* Reads the first line of a small file, without its newline. 0 or -errno. */
int doctor_read(const char *path, struct buf *ret);

/* Does the kernel have a function or variable of this name? */
bool doctor_has_symbol(const struct doctor *d, const char *name);

/* 'y', 'm' or 'n' for "CONFIG_NAME"; 0: the configuration of this kernel is not available. */
char doctor_config(const struct doctor *d, const char *name);

bool doctor_has_cap(const struct doctor *d, unsigned cap);

/* In the order of the report. */
void doctor_check_kernel(struct doctor *d);
void doctor_check_privileges(struct doctor *d);
void doctor_check_bpf(struct doctor *d);
void doctor_check_kprobes(struct doctor *d);
void doctor_check_attachments(struct doctor *d);
void doctor_check_events(struct doctor *d);
void doctor_check_memory(struct doctor *d);
void doctor_check_mounts(struct doctor *d);

#endif
