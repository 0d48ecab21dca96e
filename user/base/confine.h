/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * confine.h - takes rights from this process that it does not need any more. Nothing gives them back.
 */
#ifndef BASE_CONFINE_H
#define BASE_CONFINE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * A system call that stays allowed if (argument & mask) == value: the low 32 bits of argument @arg count, the first one is 0. A @mask of 0
 * allows it with any arguments. A call may have several rows.
 */
struct confine_call {
	uint32_t nr;
	uint8_t arg;
	bool unknown;			/* the call fails with ENOSYS, so that the C library takes an older one */
	uint32_t mask, value;
};

struct confine_list {
	const struct confine_call *calls;
	unsigned nr;
};

#define CONFINE_ALLOW(name)			{ .nr = SYS_##name }
#define CONFINE_ONLY(name, n, bits, wanted)	{ .nr = SYS_##name, .arg = (n), .mask = (bits), .value = (wanted) }
#define CONFINE_UNKNOWN(name)			{ .nr = SYS_##name, .unknown = true }

/*
 * From now on this thread and its children can do no system call but those of @lists: each other one fails with EPERM. With @logs the
 * kernel's log names it (seccomp(2), SECCOMP_FILTER_FLAG_LOG). Calls that stand first cost least. @audit_arch: how seccomp knows this CPU
 * (arch/user.h). Calls of another CPU's kind end the process. The process must have set no_new_privs or have CAP_SYS_ADMIN. 0 or -errno.
 */
int confine_calls(uint32_t audit_arch, const struct confine_list *lists, unsigned nr, bool logs);

/* Of the capabilities that this thread has, it keeps those in @keep, one bit each. None is left for what it executes. 0 or -errno. */
int confine_capabilities(uint64_t keep);

/* What it executes gets no more rights than it has itself, be it a set-user-ID program. 0 or -errno. */
int confine_executed(void);

#endif
