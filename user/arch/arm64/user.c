// SPDX-License-Identifier: GPL-2.0-only
/*
 * user.c - arm64: files of user programs. Which instructions can be probed is not known yet: none.
 */
#include "arch/user.h"

#include <elf.h>
#include <linux/audit.h>
#include <stddef.h>
#include <string.h>

const uint16_t user_machine = EM_AARCH64;
const uint16_t user_machine_32 = EM_ARM;
const char user_machine_name[] = "arm64";
const uint32_t user_cache_flags = 0x0a03;	/* glibc's FLAG_AARCH64_LIB64 | FLAG_ELF_LIBC6 (sysdeps/generic/ldconfig.h) */

const uint32_t user_audit_arch = AUDIT_ARCH_AARCH64;

const char *const user_library_dirs[] = {
	"/lib64", "/usr/lib64", "/lib/aarch64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/lib", "/usr/lib", NULL,
};

/* ELF for the Arm 64-bit Architecture, 5.7.12 and 5.7.13. */
enum user_relocation user_relocation(uint32_t type)
{
	switch (type) {
	case R_AARCH64_IRELATIVE:
		return USER_RELOCATION_CHOICE;
	case R_AARCH64_JUMP_SLOT:
	case R_AARCH64_GLOB_DAT:
		return USER_RELOCATION_SYMBOL;
	default:
		return USER_RELOCATION_OTHER;
	}
}

/* DWARF for the Arm 64-bit Architecture, 4.1. */
const char *user_dwarf_register(unsigned n)
{
	static const char *const names[] = {
		"%x0", "%x1", "%x2", "%x3", "%x4", "%x5", "%x6", "%x7", "%x8", "%x9", "%x10", "%x11", "%x12", "%x13", "%x14", "%x15", "%x16",
		"%x17", "%x18", "%x19", "%x20", "%x21", "%x22", "%x23", "%x24", "%x25", "%x26", "%x27", "%x28", "%x29", "%x30", "%sp",
	};

	return n < sizeof(names) / sizeof(*names) ? names[n] : NULL;
}

bool user_is_parameter(unsigned n)
{
	return n < 8;
}

unsigned user_dwarf_parameter(unsigned n)
{
	return n;
}

const char *user_probe_refusal(const uint8_t *bytes, unsigned len)
{
	(void)bytes;
	(void)len;
	return "bprobe does not know the instructions of arm64 yet";
}

/* No kernel puts a call in the place of an instruction. */
bool user_probe_may_call(const uint8_t *bytes, unsigned len)
{
	(void)bytes;
	(void)len;
	return false;
}

const uint8_t user_nop_trial_site[1];

int user_nop_trial(void)
{
	return USER_NOP_TRIAL;
}

/* svc #0 */
bool user_is_syscall(const uint8_t *bytes)
{
	static const uint8_t svc[] = { 0x01, 0x00, 0x00, 0xd4 };

	return !memcmp(bytes, svc, sizeof(svc));
}
