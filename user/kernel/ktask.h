/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ktask.h - where the kernel stores the data that identify a task.
 *
 *	task_struct  pid, tgid, comm, start_time, cred -> uid
 *	             nsproxy -> mnt_ns -> inum
 *	             thread_pid (for the process: that of group_leader) -> struct pid
 *	             utask -> depth
 *	struct pid   level, numbers[level] = { number in that pid namespace, -> namespace -> inum }
 */
#ifndef KERNEL_KTASK_H
#define KERNEL_KTASK_H

#include <stdbool.h>

struct kbtf;

/* Every number is a byte offset; -1: not known. */
struct ktask {
	bool plain;			/* bpf_get_current_task_btf() exists (5.11): plain loads read the task's members */
	int pid, tgid, comm, start_time, cred, nsproxy, thread_pid, group_leader;	/* struct task_struct */
	int children, sibling, utask;
	int cred_uid;			/* struct cred */
	int nsproxy_mnt;		/* struct nsproxy */
	int mnt_inum;			/* struct mnt_namespace */
	int pid_level, pid_numbers;	/* struct pid; each of its numbers takes KTASK_UPID bytes */
	int pidns_inum;			/* struct pid_namespace */
	int utask_depth;		/* struct uprobe_task: how many calls of user functions wait for their return probe */
};

/* struct upid: the number is first, the namespace is 8 bytes after it (5.10 to 7.2, include/linux/pid.h). */
enum { KTASK_UPID = 16, KTASK_UPID_NS = 8 };

/* Reads the kernel's BTF. If @kb is NULL or has none: nothing is known, and @ret->plain is false. */
void ktask_find(struct kbtf *kb, struct ktask *ret);

#endif
