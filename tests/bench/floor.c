// SPDX-License-Identifier: GPL-2.0-only
/*
 * floor.c - an empty BPF program on a hook, until a signal ends it
 *
 *	floor kprobe|kretprobe|multi|retmulti|fentry|fexit|fmulti|retfmulti FUNC [OFFSET]
 *	floor uprobe|uretprobe|umulti|uretmulti PATH OFFSET	a place in a program's file
 *	floor tracepoint SYSTEM/EVENT	by perf
 *	floor raw_tp TRACEPOINT
 *	floor multi|retmulti @FILE	on all functions whose addresses are in FILE (8 bytes each)
 *	floor addresses FILE		write the functions of the largest kprobe.multi link there is to FILE, and end
 *	floor started FD FILE COMMAND...	run COMMAND until it says on FD (1 or 2) that it is attached or tracing; print its pid
 *					and how many nanoseconds it ran; then copy to FILE what it says there until it ends
 *
 * What a hook costs before any work is done: no tracer on it can be cheaper. Prints
 * "attached", or what the kernel refuses (status 2).
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

static const struct bpf_insn empty[] = {
	{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
	{ .code = BPF_JMP | BPF_EXIT },
};

static int load(enum bpf_prog_type type, struct bpf_prog_load_opts *opts)
{
	return bpf_prog_load(type, "floor", "GPL", empty, sizeof(empty) / sizeof(empty[0]), opts);
}

/* A number that a sysfs file holds behind a prefix, as in "config:0". */
static int number_in(const char *path, const char *prefix)
{
	char text[64] = "";
	FILE *f = fopen(path, "r");

	if (!f)
		return -errno;
	if (!fgets(text, sizeof(text), f))
		text[0] = 0;
	fclose(f);
	return strncmp(text, prefix, strlen(prefix)) ? -EINVAL : atoi(text + strlen(prefix));
}

/* A perf event that runs an empty program. */
static int attach_event(struct perf_event_attr *attr, enum bpf_prog_type type)
{
	int prog = load(type, NULL), fd;

	if (prog < 0)
		return prog;
	attr->size = sizeof(*attr);
	attr->sample_period = attr->wakeup_events = 1;
	fd = (int)syscall(SYS_perf_event_open, attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0 || ioctl(fd, PERF_EVENT_IOC_SET_BPF, prog) || ioctl(fd, PERF_EVENT_IOC_ENABLE, 0))
		return -errno;
	return 0;
}

/* @pmu is kprobe or uprobe, @place a function or a file. */
static int attach_perf(const char *pmu, const char *place, unsigned long offset, bool is_return)
{
	struct perf_event_attr attr = { .kprobe_func = (uint64_t)(uintptr_t)place, .probe_offset = offset };
	char path[96];
	int type, bit;

	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/type", pmu);
	type = number_in(path, "");
	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/format/retprobe", pmu);
	bit = number_in(path, "config:");
	if (type < 0 || bit < 0)
		return -ENOENT;
	attr.type = (uint32_t)type;
	attr.config = is_return ? 1ull << bit : 0;
	return attach_event(&attr, BPF_PROG_TYPE_KPROBE);
}

/* The link to places in a program (6.6). This libbpf does not know it. */
static int attach_user(const char *file, unsigned long offset, bool is_return)
{
	enum { UPROBE_MULTI = 48 };
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = (enum bpf_attach_type)UPROBE_MULTI);
	struct {
		uint32_t prog_fd, target_fd, attach_type, flags;
		uint64_t path, offsets, ref_ctrs, cookies;
		uint32_t cnt, multi_flags, pid, pad;
	} attr = { .attach_type = UPROBE_MULTI, .path = (uint64_t)(uintptr_t)file, .cnt = 1, .multi_flags = is_return };
	int prog = load(BPF_PROG_TYPE_KPROBE, &opts);

	if (prog < 0)
		return prog;
	attr.prog_fd = (uint32_t)prog;
	attr.offsets = (uint64_t)(uintptr_t)&offset;
	return syscall(SYS_bpf, BPF_LINK_CREATE, &attr, sizeof(attr) - sizeof(attr.pad)) < 0 ? -errno : 0;
}

static int attach_tracepoint(const char *event)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT };
	char path[128];
	int id;

	snprintf(path, sizeof(path), "/sys/kernel/tracing/events/%s/id", event);
	id = number_in(path, "");
	if (id < 0)
		return id;
	attr.config = (uint64_t)id;
	return attach_event(&attr, BPF_PROG_TYPE_TRACEPOINT);
}

static int attach_raw_tp(const char *name)
{
	int prog = load(BPF_PROG_TYPE_RAW_TRACEPOINT, NULL), fd;

	if (prog < 0)
		return prog;
	fd = bpf_raw_tracepoint_open(name, prog);
	return fd < 0 ? fd : 0;
}

/* The addresses of a file; *ret is allocated. */
static int read_addresses(const char *path, unsigned long **ret, uint32_t *ret_nr)
{
	FILE *f = fopen(path, "r");
	long size = f && !fseek(f, 0, SEEK_END) ? ftell(f) : -1;
	int err = -EINVAL;

	if (size <= 0)
		goto out;
	rewind(f);
	*ret = malloc((size_t)size);
	*ret_nr = (uint32_t)((size_t)size / sizeof(**ret));
	if (*ret && fread(*ret, sizeof(**ret), *ret_nr, f) == *ret_nr)
		err = 0;
out:
	if (f)
		fclose(f);
	return err;
}

static int attach_multi(const char *func, bool is_return)
{
	LIBBPF_OPTS(bpf_prog_load_opts, load_opts, .expected_attach_type = BPF_TRACE_KPROBE_MULTI);
	LIBBPF_OPTS(bpf_link_create_opts, link_opts);
	int prog = load(BPF_PROG_TYPE_KPROBE, &load_opts), link, err = 0;
	unsigned long *addrs = NULL;

	if (prog < 0)
		return prog;
	link_opts.kprobe_multi.cnt = 1;
	if (*func == '@')
		err = read_addresses(func + 1, &addrs, &link_opts.kprobe_multi.cnt);
	else
		link_opts.kprobe_multi.syms = &func;
	if (err)
		return err;
	link_opts.kprobe_multi.addrs = addrs;
	link_opts.kprobe_multi.flags = is_return ? BPF_F_KPROBE_MULTI_RETURN : 0;
	link = bpf_link_create(prog, 0, BPF_TRACE_KPROBE_MULTI, &link_opts);
	return link < 0 ? link : 0;
}

static int attach_trampoline(const char *func, enum bpf_attach_type type)
{
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = type);
	int id = libbpf_find_vmlinux_btf_id(func, type), prog, fd;

	if (id < 0)
		return id;
	opts.attach_btf_id = (uint32_t)id;
	prog = load(BPF_PROG_TYPE_TRACING, &opts);
	if (prog < 0)
		return prog;
	fd = bpf_raw_tracepoint_open(NULL, prog);
	return fd < 0 ? fd : 0;
}

/* The link of 7.2 to the trampolines of many functions, here to one. This libbpf does not know it. */
static int attach_trampolines(const char *func, bool is_return)
{
	enum { FENTRY_MULTI = 59, FEXIT_MULTI = 60 };
	int type = is_return ? FEXIT_MULTI : FENTRY_MULTI;
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = (enum bpf_attach_type)type);
	struct {
		uint32_t prog_fd, target_fd, attach_type, flags;
		uint64_t ids, cookies;
		uint32_t cnt, pad;
	} attr = { .attach_type = (uint32_t)type, .cnt = 1 };
	int id = libbpf_find_vmlinux_btf_id(func, BPF_TRACE_FENTRY), prog;

	if (id < 0)
		return id;
	prog = load(BPF_PROG_TYPE_TRACING, &opts);
	if (prog < 0)
		return prog;
	attr.prog_fd = (uint32_t)prog;
	attr.ids = (uint64_t)(uintptr_t)&id;
	return syscall(SYS_bpf, BPF_LINK_CREATE, &attr, sizeof(attr) - sizeof(attr.pad)) < 0 ? -errno : 0;
}

/* struct bpf_link_info of a kprobe.multi link (6.8 on). This libbpf does not know that part. */
struct multi_info {
	uint32_t type, id, prog_id, pad;
	uint64_t addrs;
	uint32_t count, flags;
	uint64_t more[4];
};

/* Asks link @fd; without room for addresses (@addrs is NULL) only their number is written to @info. */
static bool ask_multi(int fd, struct multi_info *info, uint64_t *addrs, uint32_t nr)
{
	enum { KPROBE_MULTI = 8 };	/* BPF_LINK_TYPE_KPROBE_MULTI */
	uint32_t len = sizeof(*info);

	*info = (struct multi_info){ .addrs = (uint64_t)(uintptr_t)addrs, .count = nr };
	return !bpf_obj_get_info_by_fd(fd, info, &len) && info->type == KPROBE_MULTI;
}

/* Writes the functions of the largest kprobe.multi link to a file. */
static int save_addresses(const char *path)
{
	struct multi_info info;
	uint32_t id = 0, largest = 0;
	uint64_t *addrs;
	int best = -1, err = -EIO;
	FILE *f;

	while (!bpf_link_get_next_id(id, &id)) {
		int fd = bpf_link_get_fd_by_id(id);

		if (fd >= 0 && ask_multi(fd, &info, NULL, 0) && info.count > largest) {
			largest = info.count;
			best = fd;
		}
	}
	addrs = largest ? calloc(largest, sizeof(*addrs)) : NULL;
	f = addrs ? fopen(path, "w") : NULL;
	if (f && ask_multi(best, &info, addrs, largest) && fwrite(addrs, sizeof(*addrs), largest, f) == largest)
		err = 0;
	if (f && fclose(f))
		err = -EIO;
	free(addrs);
	return err;
}

/* The nanoseconds that a process with one thread ran; -1: not known. */
static long long ran(pid_t pid)
{
	char path[64], text[64] = "";
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/schedstat", (int)pid);
	f = fopen(path, "r");
	if (!f)
		return -1;
	if (!fgets(text, sizeof(text), f))
		text[0] = 0;
	fclose(f);
	return text[0] ? strtoll(text, NULL, 10) : -1;
}

/* With all functions probed, each byte that a shell reads costs a hundred hits, and the tracer has to read these. */
static int wait_for_start(int fd, const char *path, char **command)
{
	FILE *out = fopen(path, "w");
	bool told = false;
	int fds[2], status;
	ssize_t len;
	char text[4096];
	pid_t pid;

	if (!out || pipe(fds))
		return 2;
	pid = fork();
	if (!pid) {
		freopen("/dev/null", "w", fd == STDOUT_FILENO ? stderr : stdout);
		dup2(fds[1], fd);
		close(fds[0]);
		close(fds[1]);
		execvp(command[0], command);
		_exit(127);
	}
	close(fds[1]);
	while ((len = read(fds[0], text, sizeof(text) - 1)) > 0) {
		long long ns = -1;

		text[len] = 0;
		if (!told && (strstr(text, "tracing ") || strstr(text, "attached")))
			ns = ran(pid);
		if (ns >= 0) {
			printf("%d %lld\n", (int)pid, ns);
			fflush(stdout);
			told = true;
		}
		fwrite(text, 1, (size_t)len, out);
		fflush(out);
	}
	fclose(out);
	return waitpid(pid, &status, 0) == pid && told ? 0 : 2;
}

static int attach(const char *hook, const char *func, unsigned long offset)
{
	if (!strcmp(hook, "kprobe"))
		return attach_perf("kprobe", func, offset, false);
	if (!strcmp(hook, "kretprobe"))
		return attach_perf("kprobe", func, 0, true);
	if (!strcmp(hook, "multi"))
		return attach_multi(func, false);
	if (!strcmp(hook, "retmulti"))
		return attach_multi(func, true);
	if (!strcmp(hook, "uprobe") || !strcmp(hook, "uretprobe"))
		return attach_perf("uprobe", func, offset, hook[1] == 'r');
	if (!strcmp(hook, "umulti") || !strcmp(hook, "uretmulti"))
		return attach_user(func, offset, hook[1] == 'r');
	if (!strcmp(hook, "tracepoint"))
		return attach_tracepoint(func);
	if (!strcmp(hook, "raw_tp"))
		return attach_raw_tp(func);
	if (!strcmp(hook, "fentry"))
		return attach_trampoline(func, BPF_TRACE_FENTRY);
	if (!strcmp(hook, "fexit"))
		return attach_trampoline(func, BPF_TRACE_FEXIT);
	if (!strcmp(hook, "fmulti"))
		return attach_trampolines(func, false);
	if (!strcmp(hook, "retfmulti"))
		return attach_trampolines(func, true);
	return -EINVAL;
}

int main(int argc, char **argv)
{
	int err;

	if (argc < 3) {
		fprintf(stderr, "usage: floor kprobe|kretprobe|multi|retmulti|fentry|fexit|fmulti|retfmulti FUNC [OFFSET]\n");
		return 64;
	}
	libbpf_set_print(NULL);
	if (!strcmp(argv[1], "started") && argc > 4)
		return wait_for_start(atoi(argv[2]), argv[3], argv + 4);
	if (!strcmp(argv[1], "addresses")) {
		err = save_addresses(argv[2]);
		if (err)
			fprintf(stderr, "floor: no link's functions could be written to %s\n", argv[2]);
		return err ? 2 : 0;
	}
	err = attach(argv[1], argv[2], argc > 3 ? strtoul(argv[3], NULL, 0) : 0);
	if (err) {
		fprintf(stderr, "floor: %s on %s: %s\n", argv[1], argv[2], strerror(-err));
		return 2;
	}
	printf("attached\n");
	fflush(stdout);
	for (;;)
		pause();
}
