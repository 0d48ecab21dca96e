// SPDX-License-Identifier: GPL-2.0-only
/*
 * doctor.c - bprobe --doctor: the report, and what all checks need.
 *
 * Each check prints one line: what it found and, if something is missing, what to do.
 * What cannot be seen is reported as unknown, never guessed. Nothing is attached.
 */
#include "cli/verbs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "cli/doctor_checks.h"
#include "kernel/caps.h"
#include "kernel/release.h"
#include "plan/backend.h"

/* ---- one line ---- */

void say(struct doctor *d, enum level level, const char *what, const char *fmt, ...)
{
	static const char *const words[] = {
		[LEVEL_OK] = "ok", [LEVEL_INFO] = "info", [LEVEL_WARN] = "warn",
		[LEVEL_UNKNOWN] = "unknown", [LEVEL_NO_CODE] = "missing", [LEVEL_MISSING] = "missing",
	};
	va_list ap;

	d->counts[level]++;
	fprintf(d->out, "%-8s %-12s ", words[level], what);
	va_start(ap, fmt);
	vfprintf(d->out, fmt, ap);
	va_end(ap);
	fputc('\n', d->out);
}

/* ---- sources ---- */

int doctor_read(const char *path, struct buf *ret)
{
	auto_fd fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t len;

	buf_reset(ret);
	if (fd < 0)
		return -errno;
	len = read(fd, buf_room(ret, 4096), 4096);
	if (len < 0)
		return -errno;
	ret->data[len] = '\0';
	ret->len = strcspn(ret->data, "\n");
	ret->data[ret->len] = '\0';
	return 0;
}

bool doctor_has_symbol(const struct doctor *d, const char *name)
{
	const struct ksym *const *first;

	return d->ks && ksyms_find(d->ks, name, "vmlinux", &first);
}

char doctor_config(const struct doctor *d, const char *name)
{
	size_t len = strlen(name);
	const char *at = buf_str(&d->config);

	if (!*at)
		return 0;
	/* "CONFIG_X=y" is a line of its own. "# CONFIG_X is not set", or no line, means n. */
	for (; (at = strstr(at, name)); at += len) {
		if (at[len] == '=' && (at == d->config.data || at[-1] == '\n'))
			return at[len + 1];
	}
	return 'n';
}

static void read_config(struct doctor *d, const char *release)
{
	struct buf path = { 0 };
	int fd;

	buf_addf(&path, "/boot/config-%s", release);
	fd = open(buf_str(&path), O_RDONLY | O_CLOEXEC);
	buf_fini(&path);
	for (ssize_t n = fd < 0 ? 0 : 1; n > 0;) {
		n = read(fd, buf_room(&d->config, 65536), 65536);
		if (n > 0)
			d->config.len += (size_t)n;
		d->config.data[d->config.len] = '\0';
	}
	if (fd >= 0)
		close(fd);
}

/* ---- the user ---- */

bool doctor_has_cap(const struct doctor *d, unsigned cap)
{
	return d->caps >> cap & 1;
}

/* ---- the report ---- */

/* What can be probed although the kernel's functions cannot; "": nothing. */
static void add_others(const struct doctor *d, struct buf *out)
{
	static const char *const names[PROBE_KINDS] = {
		[PROBE_UPROBE] = "user probes", [PROBE_TRACEPOINT] = "tracepoints", [PROBE_EVENT] = "events",
	};
	unsigned kinds = 0;

	for (unsigned i = 0; backends[i]; i++)
		kinds |= d->loaded >> i & 1 ? backends[i]->takes.kinds : 0;
	for (unsigned kind = 0; kind < PROBE_KINDS; kind++) {
		if (names[kind] && kinds >> kind & 1)
			buf_addf(out, "%s%s", out->len ? ", " : "", names[kind]);
	}
}

static void sum_up(const struct doctor *d)
{
	unsigned missing = d->counts[LEVEL_MISSING], no_code = d->counts[LEVEL_NO_CODE], unknown = d->counts[LEVEL_UNKNOWN];
	struct buf others = { 0 };

	add_others(d, &others);
	if (!missing && no_code && others.len)
		fprintf(d->out, "\n%u missing: no probe of the kernel's functions can run here until that is changed; these can: %s\n", no_code,
			buf_str(&others));
	else if (missing + no_code)
		fprintf(d->out, "\n%u missing: no probe can run here until that is changed\n", missing + no_code);
	else if (unknown)
		fprintf(d->out, "\nnothing was found to be missing; %u unknown\n", unknown);
	else
		fputs("\nnothing is missing: probes can run here\n", d->out);
	buf_fini(&others);
}

int doctor_run(FILE *out)
{
	struct doctor d = { .out = out, .release = release_running(), .caps = caps_effective() };
	struct diag diag = { 0 };
	struct utsname uts;

	d.may_trace = caps_may_trace(d.caps);
	if (ksyms_load(NULL, &d.ks, &diag))
		d.ks = NULL;
	if (!uname(&uts))
		read_config(&d, uts.release);

	doctor_check_kernel(&d);
	doctor_check_privileges(&d);
	doctor_check_bpf(&d);
	doctor_check_kprobes(&d);
	doctor_check_attachments(&d);
	doctor_check_events(&d);
	doctor_check_memory(&d);
	doctor_check_mounts(&d);
	sum_up(&d);

	ksyms_close(d.ks);
	buf_fini(&d.config);
	diag_fini(&diag);
	return (int)(d.counts[LEVEL_MISSING] + d.counts[LEVEL_NO_CODE]);
}
