// SPDX-License-Identifier: GPL-2.0-only
/*
 * doctor_system.c - checks the kernel, the privileges, the switches and the mounts.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "arch/kernel.h"
#include "base/number.h"
#include "cli/doctor_checks.h"
#include "elf/dwarf/lines.h"
#include "kernel/caps.h"
#include "kernel/disabled.h"
#include "kernel/release.h"
#include "plan/debug_files.h"
#include "plan/layout.h"

#include "attach/backends.h"

/* On old build machines <linux/magic.h> lacks some of these. */
enum { MAGIC_BPF_FS = 0xcafe4a11, MAGIC_TRACEFS = 0x74726163, MAGIC_DEBUGFS = 0x64626720 };

static bool is_mounted(const char *path, unsigned long magic)
{
	struct statfs st;

	return !statfs(path, &st) && (unsigned long)st.f_type == magic;
}

/* ---- the kernel ---- */

static void check_version(struct doctor *d, const struct utsname *uts)
{
	if (d->release >= RELEASE(5, 10))
		say(d, LEVEL_OK, "kernel", "%s", uts->release);
	else
		say(d, LEVEL_MISSING, "kernel", "%s: bprobe needs Linux 5.10 or newer", uts->release);
	if (strcmp(uts->machine, KERNEL_MACHINE))
		say(d, LEVEL_MISSING, "machine", "%s: bprobe supports %s only", uts->machine, KERNEL_MACHINE);
	else if (kernel_refusal)
		say(d, LEVEL_MISSING, "machine", "%s: %s", KERNEL_MACHINE, kernel_refusal);
	else
		say(d, LEVEL_OK, "machine", KERNEL_MACHINE);
}

/*
 * Integrity forbids changes to the kernel. Confidentiality also forbids reading it: kprobes, bpf_probe_read() and
 * /proc/kcore (6.12, include/linux/security.h, enum lockdown_reason).
 */
static void check_lockdown(struct doctor *d)
{
	struct buf text = { 0 };
	int err = doctor_read("/sys/kernel/security/lockdown", &text);

	if (err == -ENOENT && is_mounted("/sys/kernel/security", 0x73636673))
		say(d, LEVEL_OK, "lockdown", "this kernel has no lockdown");
	else if (err ? d->may_trace && disabled_by_lockdown() : !!strstr(buf_str(&text), "[confidentiality]"))
		say(d, LEVEL_MISSING, "lockdown", "confidentiality, " DISABLED_LOCKDOWN_FORBIDS ": " DISABLED_LOCKDOWN_HELP);
	else if (err && d->may_trace)
		say(d, LEVEL_OK, "lockdown", "does not forbid tracing: programs can read the kernel's memory");
	else if (err == -ENOENT)
		say(d, LEVEL_INFO, "lockdown",
		    "cannot tell, because securityfs is not mounted: mount -t securityfs securityfs /sys/kernel/security");
	else if (err)
		say(d, LEVEL_UNKNOWN, "lockdown", "cannot tell without root");
	else
		say(d, LEVEL_OK, "lockdown", "%s", strstr(buf_str(&text), "[integrity]") ?
		    "integrity, which allows tracing" : "off");
	buf_fini(&text);
}

void doctor_check_kernel(struct doctor *d)
{
	struct utsname uts;

	if (uname(&uts))
		return;
	check_version(d, &uts);
	if (access("/sys/kernel", F_OK))
		say(d, LEVEL_MISSING, "sysfs", "not mounted on /sys: mount -t sysfs sysfs /sys");
	if (access("/proc/self", F_OK))
		say(d, LEVEL_MISSING, "proc", "not mounted on /proc: mount -t proc proc /proc");
	check_lockdown(d);
}

/* ---- the user ---- */

void doctor_check_privileges(struct doctor *d)
{
	const char *why = "root";

	if (!d->may_trace) {
		say(d, LEVEL_MISSING, "privilege", "user %u has neither CAP_SYS_ADMIN nor CAP_BPF and "
		    "CAP_PERFMON: run as root (sudo bprobe ...)", geteuid());
		return;
	}
	if (geteuid())
		why = doctor_has_cap(d, CAP_SYS_ADMIN) ? "CAP_SYS_ADMIN" : "CAP_BPF and CAP_PERFMON";
	say(d, LEVEL_OK, "privilege", "%s", why);
}

/* ---- kprobes ---- */

/* The first missing configuration option for kprobes by perf events; NULL: cannot tell. */
static const char *missing_option(const struct doctor *d)
{
	static const struct {
		const char *option, *symbol;
	} needs[] = {
		{ "CONFIG_KPROBES", "register_kprobe" },
		{ "CONFIG_PERF_EVENTS", "perf_event_init_task" },
		{ "CONFIG_KPROBE_EVENTS", "create_local_trace_kprobe" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(needs); i++) {
		if (doctor_config(d, needs[i].option) == 'n')
			return needs[i].option;
		if (d->ks && !doctor_has_symbol(d, needs[i].symbol))
			return needs[i].option;
	}
	return NULL;
}

static bool check_pmu(struct doctor *d)
{
	const char *option;

	if (!access(ATTACH_KPROBE_PMU "/type", F_OK)) {
		say(d, LEVEL_OK, "kprobes", "by perf events (%s)", ATTACH_KPROBE_PMU);
		return true;
	}
	if (access("/sys/kernel", F_OK)) {
		say(d, LEVEL_UNKNOWN, "kprobes", "no sysfs: mount -t sysfs sysfs /sys");
		return false;
	}
	option = missing_option(d);
	say(d, LEVEL_NO_CODE, "kprobes", "%s%sno %s): use a distribution's kernel, or rebuild with "
	    "CONFIG_KPROBES=y, CONFIG_KPROBE_EVENTS=y and CONFIG_BPF_EVENTS=y",
	    option ? option : "", option ? " is off (" : "(", ATTACH_KPROBE_PMU);
	return false;
}

/* Only debugfs shows this; it is not reported if debugfs is not mounted. */
static void check_armed(struct doctor *d)
{
	const char *path = "/sys/kernel/debug/kprobes/enabled";
	struct buf text = { 0 };
	int err = doctor_read(path, &text);

	if (!err && buf_str(&text)[0] == '0')
		say(d, LEVEL_NO_CODE, "armed", "all kprobes are switched off; to switch them on: echo 1 > %s", path);
	else if (!err)
		say(d, LEVEL_OK, "armed", "kprobes are switched on");
	else if (err == -EACCES)
		say(d, LEVEL_UNKNOWN, "armed", "cannot tell without root whether all kprobes are switched off");
	else
		say(d, LEVEL_INFO, "armed", "cannot tell without debugfs whether all kprobes are switched off; they are on unless "
		    "somebody switched them off");
	buf_fini(&text);
}

/* Function entries are probed by means of ftrace (CONFIG_KPROBES_ON_FTRACE). */
static void check_ftrace(struct doctor *d)
{
	struct buf text = { 0 };

	if (!doctor_read("/proc/sys/kernel/ftrace_enabled", &text) && !strcmp(buf_str(&text), "0"))
		say(d, LEVEL_NO_CODE, "ftrace",
		    "switched off, so probes on function entries are never hit; to switch it on: sysctl kernel.ftrace_enabled=1");
	if (!doctor_read("/proc/sys/debug/kprobes-optimization", &text))
		say(d, LEVEL_INFO, "optimization", "kprobes inside functions %s (debug.kprobes-optimization)",
		    !strcmp(buf_str(&text), "0") ? "trap: sysctl debug.kprobes-optimization=1 makes them jump" :
		    "become jumps where they can");
	buf_fini(&text);
}

void doctor_check_kprobes(struct doctor *d)
{
	if (!check_pmu(d))
		return;
	check_armed(d);
	check_ftrace(d);
}

/* ---- the kernel's memory and names ---- */

static void check_symbols(struct doctor *d)
{
	struct buf text = { 0 };
	bool known = !doctor_read("/proc/sys/kernel/kptr_restrict", &text);
	const char *level = known ? buf_str(&text) : "unknown";

	if (!d->ks)
		say(d, LEVEL_MISSING, "symbols", "no readable /proc/kallsyms: the kernel needs CONFIG_KALLSYMS=y");
	else if (!ksyms_hidden(d->ks))
		say(d, LEVEL_OK, "symbols", "/proc/kallsyms with addresses (kernel.kptr_restrict is %s)", level);
	else if (!strcmp(level, "2"))
		say(d, LEVEL_WARN, "symbols", "kernel.kptr_restrict is 2, which hides addresses even from root, so places are "
		    "printed as numbers: sysctl kernel.kptr_restrict=1");
	else if (!doctor_has_cap(d, CAP_SYSLOG))
		say(d, LEVEL_UNKNOWN, "symbols", "addresses are hidden from this user (kernel.kptr_restrict is %s): "
		    "cannot tell without root (CAP_SYSLOG)", level);
	else
		say(d, LEVEL_WARN, "symbols",
		    "addresses are hidden, although kernel.kptr_restrict is %s: places are printed as numbers", level);
	buf_fini(&text);
}

static void check_kcore(struct doctor *d)
{
	int fd = open("/proc/kcore", O_RDONLY | O_CLOEXEC);

	if (fd >= 0)
		say(d, LEVEL_OK, "kcore", "/proc/kcore shows the kernel's code");
	else if (errno == ENOENT)
		say(d, LEVEL_INFO, "kcore", "no /proc/kcore (it needs CONFIG_PROC_KCORE=y): the kernel's code is not read there");
	else if (doctor_has_cap(d, CAP_SYS_RAWIO) && !geteuid())
		say(d, LEVEL_WARN, "kcore", "/proc/kcore: %s: see lockdown", strerror(errno));
	else
		say(d, LEVEL_UNKNOWN, "kcore", "/proc/kcore: cannot tell without root (CAP_SYS_RAWIO)");
	if (fd >= 0)
		close(fd);
}

/* Only definitions with source lines need it. */
static void check_debug_info(struct doctor *d)
{
	struct debug_files *files = debug_files_new(NULL, false);
	struct diag why = { 0 };
	const char *name;
	int fd;

	if (!lines_is_known)
		say(d, LEVEL_INFO, "source lines", "this bprobe was built without libdw, so it knows no source lines");
	else if (!files || debug_files_kernel(files, NULL, true, &fd, &name, &why))
		say(d, LEVEL_INFO, "source lines", "no debug information of this kernel (doc/lines.md): source lines of the kernel are not known");
	else
		say(d, LEVEL_OK, "source lines", "%s has the kernel's debug information", name);
	diag_fini(&why);
	debug_files_close(files);
}

/* The hooks that work here, and that perf_event_paranoid forbids or not: "kprobe, uprobe". */
static void add_hooks(const struct doctor *d, bool forbidden, struct buf *out)
{
	for (unsigned i = 0; backends[i]; i++) {
		if (backends[i]->doctor.needs_paranoid == forbidden && d->loaded >> i & 1)
			buf_addf(out, "%s%s", out->len ? ", " : "", backends[i]->hooks[0]);
	}
}

static void check_paranoid(struct doctor *d, const char *value)
{
	struct buf forbidden = { 0 }, others = { 0 };

	add_hooks(d, true, &forbidden);
	add_hooks(d, false, &others);
	if (d->may_trace && caps_perf_refused())
		say(d, LEVEL_WARN, "paranoid", "kernel.perf_event_paranoid is %s: then this kernel allows %s only with CAP_SYS_ADMIN; "
		    "these work: %s; to allow the others: sysctl kernel.perf_event_paranoid=2", value, buf_str(&forbidden),
		    others.len ? buf_str(&others) : "none");
	else
		say(d, LEVEL_INFO, "paranoid", "kernel.perf_event_paranoid is %s, which does not restrict %s", value,
		    d->may_trace ? "this user" : "root");
	buf_fini(&forbidden);
	buf_fini(&others);
}

static void check_sysctls(struct doctor *d)
{
	struct buf text = { 0 };

	if (!doctor_read("/proc/sys/kernel/perf_event_paranoid", &text))
		check_paranoid(d, buf_str(&text));
	if (!doctor_read("/proc/sys/kernel/unprivileged_bpf_disabled", &text))
		say(d, LEVEL_INFO, "unpriv. BPF",
		    "kernel.unprivileged_bpf_disabled is %s; tracing needs privilege in any case", buf_str(&text));
	buf_fini(&text);
}

/* A stack of -k or -u has no more frames than this. */
static void check_stacks(struct doctor *d)
{
	struct buf text = { 0 };
	uint64_t most;

	if (!doctor_read("/proc/sys/kernel/perf_event_max_stack", &text) && !number_u64(text.data, text.len, 10, &most)) {
		if (most < LAYOUT_MAX_FRAMES)
			say(d, LEVEL_WARN, "stacks", "have at most %s frames; for %d: sysctl kernel.perf_event_max_stack=%d", text.data,
			    LAYOUT_MAX_FRAMES, LAYOUT_MAX_FRAMES);
		else
			say(d, LEVEL_OK, "stacks", "have up to %d frames", LAYOUT_MAX_FRAMES);
	}
	buf_fini(&text);
}

void doctor_check_memory(struct doctor *d)
{
	check_symbols(d);
	check_kcore(d);
	check_debug_info(d);
	check_sysctls(d);
	check_stacks(d);
}

/* ---- file systems ---- */

/* -l and -r find this bprobe there. */
static void check_run(struct doctor *d)
{
	if (!access("/run", W_OK))
		say(d, LEVEL_OK, "/run", "writable: 'bprobe -l' and '-r' work from other shells");
	else if (errno == EACCES)
		say(d, LEVEL_UNKNOWN, "/run", "cannot tell without root whether 'bprobe -l' and '-r' work");
	else
		say(d, LEVEL_WARN, "/run", "%s, so 'bprobe -l' and '-r' cannot work: mount -t tmpfs tmpfs /run",
		    strerror(errno));
}

void doctor_check_mounts(struct doctor *d)
{
	bool debug = is_mounted("/sys/kernel/debug", MAGIC_DEBUGFS);
	bool trace = is_mounted("/sys/kernel/tracing", MAGIC_TRACEFS);

	check_run(d);
	if (is_mounted("/sys/fs/bpf", MAGIC_BPF_FS))
		say(d, LEVEL_OK, "bpffs", "mounted on /sys/fs/bpf");
	else
		say(d, LEVEL_INFO, "bpffs", "not mounted; only kept probes need it, and --keep mounts it");
	say(d, LEVEL_INFO, "tracefs", "%s; not needed", trace ? "mounted" : debug ?
	    "not mounted on /sys/kernel/tracing" : "not mounted");
}
