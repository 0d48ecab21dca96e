// SPDX-License-Identifier: GPL-2.0-only
/*
 * btf.c - a kernel in miniature: compiled for BPF with -g, its BTF stands in for the
 * running kernel's in the golden cases. Never run, never linked.
 */
typedef long ssize_t;
typedef unsigned long size_t;
typedef unsigned int fmode_t;
typedef _Bool bool;

struct qstr { unsigned long long hash_len; const char *name; };
struct dentry { unsigned int d_flags; struct qstr d_name; char d_iname[32]; };
struct path { void *mnt; struct dentry *dentry; };
struct file {
	union { long f_lock; void *f_anon; };
	fmode_t f_mode;
	struct path f_path;
	unsigned int f_low : 3, f_high : 7;
	void *private_data;
};

/* What tells tasks apart. */
enum bpf_func_id { BPF_FUNC_get_current_task_btf = 158 };
struct ns_common { long stashed; void *ops; unsigned int inum; };
struct mnt_namespace { struct ns_common ns; };
struct nsproxy { int count; struct mnt_namespace *mnt_ns; };
struct cred { int usage; struct { unsigned int val; } uid; };
struct task_struct {
	unsigned long flags;
	int pid, tgid;
	unsigned long long start_time;
	struct cred *cred;
	char comm[16];
	struct nsproxy *nsproxy;
};

struct task_struct task;
struct nsproxy nsproxy;
struct mnt_namespace mnt_ns;
struct cred cred;
enum bpf_func_id helper;
struct dentry root;			/* clang keeps no structure that is only pointed to */

ssize_t vfs_read(struct file *file, char *buf, size_t count, long long *pos)
{
	return file->f_mode + buf[count] + *pos;
}

ssize_t vfs_write(struct file *file, const char *buf, size_t count, long long *pos)
{
	return vfs_read(file, (char *)buf, count, pos) + file->f_path.dentry->d_iname[0];
}

void kfree(const void *object)
{
	(void)object;
}

bool do_exit(int code)
{
	return code;
}

/* Its parameters have names that are words of old dialects. */
int do_sys_openat2(int a0, int s1)
{
	return a0 + s1;
}
