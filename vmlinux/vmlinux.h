/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vmlinux.h - the few kernel types that the programs in bpf/ name.
 *
 * Hand-trimmed: libbpf finds the fields' real offsets in the running kernel's
 * BTF when it loads the programs (CO-RE), so only names and kinds matter here.
 * VMLINUX_H=file builds with a full dump instead.
 */
#ifndef VMLINUX_H
#define VMLINUX_H

typedef unsigned char __u8;
typedef unsigned short __u16;
typedef unsigned int __u32;
typedef unsigned long long __u64;
typedef signed char __s8;
typedef short __s16;
typedef int __s32;
typedef long long __s64;
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u32 __wsum;
typedef _Bool bool;
#define true	1
#define false	0

enum bpf_map_type {
	BPF_MAP_TYPE_HASH = 1,
	BPF_MAP_TYPE_ARRAY = 2,
	BPF_MAP_TYPE_PERCPU_ARRAY = 6,
	BPF_MAP_TYPE_LRU_HASH = 9,
	BPF_MAP_TYPE_ARRAY_OF_MAPS = 12,
	BPF_MAP_TYPE_RINGBUF = 27,
};

enum {
	BPF_ANY = 0,
};

enum {
	BPF_F_MMAPABLE = 1 << 10,
};

/* Helpers that not every kernel has: their presence is asked through CO-RE. */
enum bpf_func_id {
	BPF_FUNC_get_current_task_btf = 158,
	BPF_FUNC_get_func_ip = 173,
	BPF_FUNC_get_attach_cookie = 174,
	BPF_FUNC_get_func_arg_cnt = 185,
};

/* What each CPU has of its own: at least struct pt_regs. */
#if defined(__TARGET_ARCH_x86)
#include "vmlinux_x86.h"
#endif

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct kernfs_node {
	__u64 id;
};

struct cgroup_root {
	int hierarchy_id;
};

struct cgroup {
	struct kernfs_node *kn;
	struct cgroup_root *root;
};

struct thread_info {
	unsigned long flags;
};

struct task_struct {
	struct thread_info thread_info;
	int pid;
	int tgid;
	char comm[16];
	unsigned short migration_disabled;
	struct task_struct *group_leader;
	unsigned long long start_time;
	struct uprobe_task *utask;
	struct fs_struct *fs;
};

/* Of a task that is in a user probe: vaddr is the address of the next one. */
struct uprobe_task {
	unsigned long vaddr;
};

struct uprobe_dispatch_data {
	unsigned long bp_addr;
};

struct hlist_node {
	struct hlist_node *next;
};

struct hlist_head {
	struct hlist_node *first;
};

/* As 5.10 has it (include/linux/kprobes.h); libbpf ignores what follows the ___. */
struct kretprobe_instance___5_10 {
	struct hlist_node hlist;
	void *ret_addr;
	struct task_struct *task;
};

struct llist_node {
	struct llist_node *next;
};

struct llist_head {
	struct llist_node *first;
};

/* 5.18 and newer. */
struct task_struct___rethook {
	struct llist_head rethooks;
};

struct rethook_node {
	struct llist_node llist;
	unsigned long ret_addr;
	unsigned long frame;
};

/* ---- paths ---- */

struct dentry;

struct qstr {
	__u64 hash_len;
	const unsigned char *name;
};

struct hlist_bl_node {
	struct hlist_bl_node **pprev;
};

struct dentry_operations {
	char *(*d_dname)(struct dentry *dentry, char *buffer, int bytes);
};

struct super_block {
	unsigned long s_magic;
};

struct inode {
	unsigned long i_ino;
	void *i_private;
};

struct dentry {
	struct hlist_bl_node d_hash;
	struct dentry *d_parent;
	struct qstr d_name;
	struct inode *d_inode;
	const struct dentry_operations *d_op;
	struct super_block *d_sb;
	void *d_fsdata;
};

struct vfsmount {
	struct dentry *mnt_root;
};

struct mount {
	struct mount *mnt_parent;
	struct dentry *mnt_mountpoint;
	struct vfsmount mnt;
};

struct path {
	struct vfsmount *mnt;
	struct dentry *dentry;
};

struct fs_struct {
	struct path root;
};

struct proc_ns_operations {
	const char *name;
};

struct ns_common {
	const struct proc_ns_operations *ops;
};

struct dma_buf {
	const char *name;
};

#pragma clang attribute pop

#endif
