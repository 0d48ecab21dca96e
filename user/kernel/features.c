// SPDX-License-Identifier: GPL-2.0-only
/*
 * features.c - what this kernel has that decides how a probe can be attached.
 */
#include "kernel/features.h"

#include "kernel/kbtf.h"
#include "kernel/release.h"

void features_find(struct kbtf *kb, struct features *ret)
{
	struct kbtf_id prog;
	struct kbtf_member active;

	*ret = (struct features){
		.fentry = kb && !kbtf_find_struct(kb, "bpf_prog", &prog) &&
			  !kbtf_find_member(prog, "active", &active),
		.whole_args = release_running() >= RELEASE(6, 6),
	};
}
