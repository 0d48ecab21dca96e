// SPDX-License-Identifier: GPL-2.0-only
/*
 * btf.c - a small model of a kernel: compiled for BPF with -g, its BTF replaces the
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
	enum hint { HINT_NONE, HINT_SHORT = 2, HINT_BAD = -1 } f_hint;
	char f_tag[8];
	char **f_words;
	enum hint f_small : 4;
};

/* The properties by which tasks are chosen. */
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

/* A socket: its address is in a member, not in itself. */
struct sock_common {
	union { struct { unsigned int skc_daddr, skc_rcv_saddr; }; long skc_addrpair; };
	int skc_twice;
};
struct sock { struct sock_common __sk_common; struct { int skc_twice; } other; int sk_backlog; };

/* A trampoline's guard against recursion. */
struct bpf_prog { int pages; int *active; };

struct task_struct task;
struct bpf_prog program;
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

int tcp_connect(struct sock *sk)
{
	return sk->sk_backlog;
}

/* image.S has them, as what a trampoline calls by itself. */
void tramp_called(int a)
{
	(void)a;
}

void tramp_jumped_to(int a)
{
	(void)a;
}

void tramp_second(int a)
{
	(void)a;
}

void tramp_third(int a)
{
	(void)a;
}

void tramp_deep(int a)
{
	(void)a;
}

void tramp_locked(int a)
{
	(void)a;
}

void two_params(int a)
{
	(void)a;
}

void tramp_ended(int a)
{
	(void)a;
}

void __set_cpus_allowed_ptr(int a)
{
	(void)a;
}

/* Structures by value: of two words, of one, of more than registers pass; and 128 bits, which take two registers. */
struct bpfptr { union { void *kernel; void *user; }; bool is_kernel : 1; };
struct small { signed char a; short b; };
struct large { long a; int b, c; long d; };
struct pieces { int count; signed int low : 5; unsigned int high : 3; char tag[6]; };

int by_value(int cmd, struct bpfptr ptr, unsigned int size)
{
	return cmd + ptr.is_kernel + size;
}

int two_values(struct small s, struct pieces p, int last)
{
	return s.a + p.low + last;
}

/* BPF has no such functions, so these are only declared: BTF has no names of their parameters. */
extern int many_values(struct small, struct pieces, struct bpfptr, __int128, int, int, ...);
int (*many)(struct small, struct pieces, struct bpfptr, __int128, int, int, ...);

extern struct large returns_large(int);
struct large (*returns)(int);

void use(void)
{
	many = many_values;
	returns = returns_large;
}

int large_value(int cmd, struct large l, int size)
{
	return cmd + l.b + size;
}

/* A tracepoint: its arguments' types, and the function that has their names. */
typedef void (*btf_trace_job_done)(void *__data, struct file *file, const char *name, int status);

btf_trace_job_done job_done_type;

int __probestub_job_done(void *__data, struct file *file, const char *name, int status)
{
	(void)__data;
	(void)file;
	(void)name;
	(void)status;
	return 0;
}
