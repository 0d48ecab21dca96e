// SPDX-License-Identifier: GPL-2.0-only
/*
 * features.c - what this kernel has that decides how a probe can be attached.
 */
#include "kernel/features.h"

#include "kernel/kbtf.h"
#include "kernel/ksyms.h"
#include "kernel/release.h"

void features_find(struct kbtf *kb, const struct ksyms *ks, struct features *ret)
{
	struct kbtf_id prog;
	const struct ksym *const *syms;
	struct kbtf_member active;

	*ret = (struct features){
		.fentry = kb && !kbtf_find_struct(kb, "bpf_prog", &prog) &&
			  !kbtf_find_member(prog, "active", &active),
		.whole_args = release_running() >= RELEASE(6, 6),
		.multi = release_running() >= RELEASE(5, 18) && ks && ksyms_find(ks, "register_fprobe_ips", "vmlinux", &syms),
		.multi_whole = release_running() < RELEASE(6, 14),
	};
}
