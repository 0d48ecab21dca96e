// SPDX-License-Identifier: GPL-2.0-only
/*
 * remarks.c - what a definition's form in kprobe_events' grammar does not tell of it.
 */
#include "cli/remarks.h"

#include <string.h>

#include "kernel/ksyscall.h"
#include "lang/dialect.h"

static bool begins(const char *name, const char *prefix)
{
	return !strncmp(name, prefix, strlen(prefix));
}

/*
 * sys_ and SyS_ of 2009 to 2018 had the call's parameters; since 4.17 its functions get a struct pt_regs
 * (arch/x86/include/asm/syscall_wrapper.h). bprobe finds them by the old names, those of 64-bit calls.
 */
static void add_syscall(const struct probe_def *def, struct buf *out)
{
	const char *name = def->place.symbol;

	if (!name)
		return;
	if (ksyscall_bare_name(name))
		buf_addf(out, "%s is a system call, and bprobe fetches its own parameters", name);
	else if (begins(name, "__x64_sys_"))
		buf_addf(out, "%s gets a struct pt_regs: %s has the call's own parameters", name, name + strlen("__x64_"));
	else if (begins(name, "compat_sys_"))
		buf_addf(out, "%s is __ia32_%s since 4.17, and gets a struct pt_regs", name, name);
}

void remarks_print(const struct probe_def *def, struct buf *out)
{
	struct buf rest = { 0 };

	if (def->dialect != DIALECT_KPROBE)
		add_syscall(def, out);
	dialect_print_remarks(def, &rest);
	if (rest.len)
		buf_addf(out, "%s%s", out->len ? "; " : "", buf_str(&rest));
	buf_fini(&rest);
}
