// SPDX-License-Identifier: GPL-2.0-only
/*
 * tasks_option.c - the options that choose the traced tasks.
 */
#include "set/tasks_option.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/nsfs.h>
#include <pwd.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/number.h"
#include "run/identity.h"

#define CGROUP2_MAGIC	0x63677270	/* include/uapi/linux/magic.h */

enum { PID_LIMIT = 4 << 20 };		/* 64-bit kernels (6.12, include/linux/threads.h) */

struct values {
	struct arena *arena;
	struct tasks *tasks;
	enum tasks_kind kind;
	bool inverted;
};

static void add(const struct values *v, uint32_t number, const char *name)
{
	tasks_add(v->arena, v->tasks, v->kind, v->inverted, number, name);
}

/* ---- processes and threads ---- */

/* Signal 0 is not delivered: it only tests whether the task exists. */
static bool thread_exists(int tid)
{
	return !syscall(SYS_tkill, tid, 0) || errno == EPERM;
}

static bool leads_process(int pid)
{
	return !syscall(SYS_tgkill, pid, pid, 0) || errno == EPERM;
}

static int parse_pid(const char *option, const char *text, int *ret, struct diag *diag)
{
	uint64_t n;

	if (number_u64(text, strlen(text), 10, &n) || n >= PID_LIMIT)
		return diag_set(diag, -EINVAL, "%s wants numbers such as 1234, not '%s'", option, text);
	*ret = (int)n;
	return 0;
}

static int add_process(const struct values *v, const char *text, struct diag *diag)
{
	int pid, err = parse_pid("--pid", text, &pid, diag);

	if (!err)
		add(v, (uint32_t)pid, NULL);
	return err;
}

static int add_thread(const struct values *v, const char *text, struct diag *diag)
{
	int tid, err = parse_pid("--tid", text, &tid, diag);

	if (!err)
		add(v, (uint32_t)tid, NULL);
	return err;
}

/* 0 is the idle task, which exists on every CPU. */
static int number_exists(enum tasks_kind kind, int n, struct diag *diag)
{
	if (kind == TASKS_TID)
		return !n || thread_exists(n) ? 0 : diag_set(diag, -EINVAL, "there is no thread %d", n);
	if (n && !thread_exists(n))
		return diag_set(diag, -EINVAL, "there is no process %d", n);
	if (n && !leads_process(n))
		return diag_set(diag, -EINVAL, "%d is a thread, not a process: use --tid", n);
	return 0;
}

int tasks_exist(const struct tasks *tasks, struct diag *diag)
{
	static const enum tasks_kind kinds[] = { TASKS_PID, TASKS_TID };
	int err = 0;

	for (unsigned i = 0; tasks && i < 2 * ARRAY_SIZE(kinds); i++) {
		const struct tasks_condition *c = &tasks->conditions[kinds[i / 2]][i % 2];

		for (unsigned n = 0; !err && n < c->nr; n++)
			err = number_exists(kinds[i / 2], (int)c->numbers[n], diag);
	}
	return err;
}

/* ---- names and users ---- */

static int add_comm(const struct values *v, const char *text, struct diag *diag)
{
	(void)diag;
	/* Cut as the kernel cuts it. */
	add(v, 0, arena_strndup(v->arena, text, strnlen(text, TASKS_COMM_SIZE - 1)));
	return 0;
}

/* getpwnam() is not used: in a static binary the name service would need the C library's own files at run time. */
static int find_user(const char *name, uint32_t *ret)
{
	auto_file file = fopen("/etc/passwd", "re");
	const struct passwd *entry;

	while (file && (entry = fgetpwent(file))) {
		if (!strcmp(entry->pw_name, name)) {
			*ret = entry->pw_uid;
			return 0;
		}
	}
	return -ENOENT;
}

static int add_user(const struct values *v, const char *text, struct diag *diag)
{
	uint32_t uid;
	uint64_t n;

	if (!number_u64(text, strlen(text), 10, &n)) {
		if (n >= UINT32_MAX)
			return diag_set(diag, -EINVAL, "no user can have the number %s", text);
		uid = (uint32_t)n;
	} else if (find_user(text, &uid)) {
		return diag_set(diag, -EINVAL, "/etc/passwd has no user '%s'", text);
	}
	add(v, uid, NULL);
	return 0;
}

/* ---- namespaces and cgroups ---- */

static int add_namespace(const struct values *v, const char *text, struct diag *diag)
{
	bool pid = v->kind == TASKS_PIDNS;
	const char *option = pid ? "--pidns" : "--mntns", *what = pid ? "pid" : "mnt";
	const char *number = text ? text : "self", *path = number;
	struct stat st;
	auto_fd fd = -1;
	uint64_t n;

	if (!text || !number_u64(number, strlen(number), 10, &n))
		path = arena_printf(v->arena, "/proc/%s/ns/%s", number, what);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st))
		return diag_set(diag, -EINVAL, "%s: cannot open %s: %s", option, path, strerror(errno));
	if (ioctl(fd, NS_GET_NSTYPE) != (pid ? CLONE_NEWPID : CLONE_NEWNS))
		return diag_set(diag, -EINVAL, "%s: %s is no %s namespace", option, path, pid ? "pid" : "mount");
	add(v, (uint32_t)st.st_ino, NULL);
	return 0;
}

/* The kernel identifies a cgroup by the descriptor of its directory. */
static int add_cgroup(const struct values *v, const char *text, struct diag *diag)
{
	auto_fd fd = open(text, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct statfs fs;

	if (fd < 0 || fstatfs(fd, &fs))
		return diag_set(diag, -EINVAL, "--cgroup: cannot open %s: %s", text, strerror(errno));
	if (fs.f_type != CGROUP2_MAGIC)
		return diag_set(diag, -EINVAL, "--cgroup: %s is not in a cgroup2 file system, the only kind that BPF can test",
				text);
	add(v, (uint32_t)take_fd(fd), text);
	return 0;
}

/* ---- one option ---- */

int tasks_option(struct arena *arena, struct tasks *tasks, enum tasks_kind kind, bool inverted, const char *arg,
		 struct diag *diag)
{
	static int (*const adders[TASKS_KINDS])(const struct values *, const char *, struct diag *) = {
		[TASKS_PID] = add_process, [TASKS_TID] = add_thread, [TASKS_COMM] = add_comm, [TASKS_UID] = add_user,
		[TASKS_CGROUP] = add_cgroup, [TASKS_PIDNS] = add_namespace, [TASKS_MNTNS] = add_namespace,
	};
	struct values v = { .arena = arena, .tasks = tasks, .kind = kind, .inverted = inverted };
	int err = 0;

	if (kind == TASKS_PID || kind == TASKS_TID)
		tasks->pidns = identity_pidns();		/* numbers are those that the caller sees */
	if (!arg)
		return adders[kind](&v, NULL, diag);
	for (const char *at = arg; !err && at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
		size_t len = strcspn(at, ",");

		if (!len)
			return diag_set(diag, -EINVAL, "an empty value in '%s'", arg);
		err = adders[kind](&v, arena_strndup(arena, at, len), diag);
	}
	return err;
}
