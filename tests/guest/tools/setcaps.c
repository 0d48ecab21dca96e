// SPDX-License-Identifier: GPL-2.0-only
/*
 * setcaps.c - executes a command as user 1000, who has certain capabilities and no other.
 *
 *	setcaps 'BPF PERFMON' COMMAND...
 *
 * capsh(1) and setpriv(1) do the same, but busybox has neither.
 */
#define _GNU_SOURCE
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { USER = 1000, WRONG = 96 };

static const struct {
	const char *name;
	unsigned number;
} capabilities[] = {
	{ "DAC_OVERRIDE", CAP_DAC_OVERRIDE }, { "DAC_READ_SEARCH", CAP_DAC_READ_SEARCH }, { "KILL", CAP_KILL }, { "SYS_ADMIN", CAP_SYS_ADMIN },
	{ "SYS_RAWIO", CAP_SYS_RAWIO }, { "SYS_PTRACE", CAP_SYS_PTRACE }, { "SYS_RESOURCE", CAP_SYS_RESOURCE }, { "SYSLOG", CAP_SYSLOG },
	{ "PERFMON", CAP_PERFMON }, { "BPF", CAP_BPF }, { "CHECKPOINT_RESTORE", CAP_CHECKPOINT_RESTORE },
};

/* The bit of the capability; 0: there is none of this name. */
static unsigned long long bit_of(const char *name)
{
	for (size_t i = 0; i < sizeof(capabilities) / sizeof(*capabilities); i++) {
		if (!strcmp(name, capabilities[i].name))
			return 1ull << capabilities[i].number;
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct caps[2] = { { 0 } };
	unsigned long long bits = 0, one;

	if (argc < 3) {
		fprintf(stderr, "usage: setcaps 'NAME NAME...' COMMAND...\n");
		return WRONG;
	}
	for (char *name = strtok(argv[1], " "); name; name = strtok(NULL, " ")) {
		one = bit_of(name);
		if (!one) {
			fprintf(stderr, "setcaps: no capability '%s'\n", name);
			return WRONG;
		}
		bits |= one;
	}
	for (unsigned i = 0; i < 2; i++)
		caps[i].effective = caps[i].inheritable = caps[i].permitted = (unsigned)(bits >> 32 * i);
	if (prctl(PR_SET_KEEPCAPS, 1) || setresgid(USER, USER, USER) || setresuid(USER, USER, USER) || syscall(SYS_capset, &head, caps)) {
		perror("setcaps");
		return WRONG;
	}
	for (unsigned long cap = 0; cap < 64; cap++) {
		if (bits >> cap & 1 && prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, cap, 0, 0)) {
			perror("setcaps");
			return WRONG;
		}
	}
	execvp(argv[2], &argv[2]);
	perror(argv[2]);
	return WRONG;
}
