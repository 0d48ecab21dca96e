/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ktask.h - where the kernel keeps what tells tasks apart.
 *
 *	task_struct  pid, tgid, comm, start_time, cred -> uid
 *	             nsproxy -> mnt_ns -> inum
 *	             thread_pid (of the process: group_leader's) -> struct pid
 *	struct pid   level, numbers[level] = { number in that pid namespace, -> namespace -> inum }
 */
#ifndef KERNEL_KTASK_H
#define KERNEL_KTASK_H

#include <stdbool.h>

struct kbtf;

/* Every number is a byte offset; -1: not known. */
struct ktask {
	bool plain;			/* bpf_get_current_task_btf() (5.11): members of the task are plain loads */
	int pid, tgid, comm, start_time, cred, nsproxy, thread_pid, group_leader;	/* struct task_struct */
	int children, sibling;
	int cred_uid;			/* struct cred */
	int nsproxy_mnt;		/* struct nsproxy */
	int mnt_inum;			/* struct mnt_namespace */
	int pid_level, pid_numbers;	/* struct pid; its numbers are of KTASK_UPID bytes each */
	int pidns_inum;			/* struct pid_namespace */
};

/* struct upid: the number first, the namespace 8 bytes behind it (5.10 to 7.2, include/linux/pid.h). */
enum { KTASK_UPID = 16, KTASK_UPID_NS = 8 };

/* Asks the kernel's BTF; NULL or none: nothing is known, and @ret->plain is false. */
void ktask_find(struct kbtf *kb, struct ktask *ret);

#endif
