// SPDX-License-Identifier: GPL-2.0-only
/*
 * confine.c - takes rights from this process that it does not need any more.
 */
#include "base/confine.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/macros.h"

enum {
	LOAD = BPF_LD | BPF_W | BPF_ABS,
	IS_EQUAL = BPF_JMP | BPF_JEQ | BPF_K,
	AND = BPF_ALU | BPF_AND | BPF_K,
	RETURN = BPF_RET | BPF_K,
	MOST_A_CALL = 6,
};

/* The low half of an argument: both CPUs are little-endian. */
static uint32_t place_of(unsigned arg)
{
	return (uint32_t)(offsetof(struct seccomp_data, args) + arg * sizeof(uint64_t));
}

/* The accumulator has the call's number before it and behind it. Returns the next free instruction. */
static struct sock_filter *add_call(struct sock_filter *to, const struct confine_call *c, uint32_t verdict)
{
	*to++ = (struct sock_filter)BPF_JUMP(IS_EQUAL, c->nr, 0, c->mask ? 5 : 1);
	if (c->mask) {
		*to++ = (struct sock_filter)BPF_STMT(LOAD, place_of(c->arg));
		*to++ = (struct sock_filter)BPF_STMT(AND, c->mask);
		*to++ = (struct sock_filter)BPF_JUMP(IS_EQUAL, c->value, 0, 1);
	}
	*to++ = (struct sock_filter)BPF_STMT(RETURN, verdict);
	if (c->mask)
		*to++ = (struct sock_filter)BPF_STMT(LOAD, offsetof(struct seccomp_data, nr));
	return to;
}

static int install(const struct sock_filter *code, size_t len, bool logs)
{
	const struct sock_fprog prog = { .len = (unsigned short)len, .filter = (struct sock_filter *)(uintptr_t)code };

	if (len > BPF_MAXINSNS)
		return -E2BIG;
	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, logs ? SECCOMP_FILTER_FLAG_LOG : 0, &prog) ? -errno : 0;
}

/* Adds rows of the lists to the filter: those that are @unknown, or the others. Returns the next free instruction. */
static struct sock_filter *add_calls(struct sock_filter *to, const struct confine_list *lists, unsigned nr, bool unknown)
{
	for (unsigned i = 0; i < nr; i++) {
		for (unsigned n = 0; n < lists[i].nr; n++) {
			if (unknown && lists[i].calls[n].unknown)
				to = add_call(to, &lists[i].calls[n], SECCOMP_RET_ERRNO | ENOSYS);
			else if (!unknown)
				to = add_call(to, &lists[i].calls[n], SECCOMP_RET_ALLOW);
		}
	}
	return to;
}

int confine_calls(uint32_t audit_arch, const struct confine_list *lists, unsigned nr, bool logs)
{
	const struct sock_filter head[] = {
		BPF_STMT(LOAD, offsetof(struct seccomp_data, arch)),
		BPF_JUMP(IS_EQUAL, audit_arch, 1, 0),
		BPF_STMT(RETURN, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(LOAD, offsetof(struct seccomp_data, nr)),
	};
	struct sock_filter *code, *begin, *at;
	size_t room = ARRAY_SIZE(head) + 1;
	int err;

	for (unsigned i = 0; i < nr; i++)
		room += (size_t)lists[i].nr * MOST_A_CALL;
	code = calloc(room, sizeof(*code));
	if (!code)
		return -ENOMEM;
	memcpy(code, head, sizeof(head));
	begin = code + ARRAY_SIZE(head);
	/* The log is for what is refused, not for what only looks older: this filter is never logged, and its verdict wins. */
	at = add_calls(begin, lists, nr, true);
	*at = (struct sock_filter)BPF_STMT(RETURN, SECCOMP_RET_ALLOW);
	err = at > begin ? install(code, (size_t)(at + 1 - code), false) : 0;
	at = add_calls(begin, lists, nr, false);
	*at = (struct sock_filter)BPF_STMT(RETURN, SECCOMP_RET_ERRNO | EPERM);
	if (!err)
		err = install(code, (size_t)(at + 1 - code), logs);
	free(code);
	return err;
}

int confine_capabilities(uint64_t keep)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { { 0 } };

	if (syscall(SYS_capget, &head, data))
		return -errno;
	for (unsigned i = 0; i < ARRAY_SIZE(data); i++) {
		data[i].effective &= (uint32_t)(keep >> 32 * i);
		data[i].permitted = data[i].effective;
		data[i].inheritable = 0;	/* this empties the ambient set, too */
	}
	return syscall(SYS_capset, &head, data) ? -errno : 0;
}

int confine_executed(void)
{
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ? -errno : 0;
}
