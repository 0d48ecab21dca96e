// SPDX-License-Identifier: GPL-2.0-only
/*
 * features.c - features of this kernel that decide how a probe can be attached.
 */
#include "kernel/features.h"

#include "kernel/btf/kbtf.h"
#include "kernel/release.h"
#include "kernel/switches.h"
#include "kernel/syms/ksyms.h"

/* preempt_count is a variable (6.1, 6.15 on), or a member of pcpu_hot (6.2 to 6.14). */
static void find_preempt(struct kbtf *kb, struct features *ret)
{
	struct kbtf_id var, hot;
	struct kbtf_member m;

	if (!kbtf_find_percpu(kb, "__preempt_count", &var)) {
		ret->preempt_var = var.id;
	} else if (!kbtf_find_percpu(kb, "pcpu_hot", &var) && !kbtf_find_struct(kb, "pcpu_hot", &hot) &&
		   !kbtf_find_member(hot, "preempt_count", &m)) {
		ret->preempt_var = var.id;
		ret->preempt_off = m.bit_off / 8;
	}
}

static void find_cast(struct kbtf *kb, struct features *ret)
{
	struct kbtf_func cast;
	struct kbtf_id pair;

	/* Without the JIT, the kernel refuses programs that call kernel functions. */
	if (switches_jit_off() || kbtf_find_func(kb, "bpf_rdonly_cast", "vmlinux", &cast) ||
	    kbtf_find_struct(kb, "timespec64", &pair))
		return;
	ret->cast_func = cast.self.id;
	ret->cast_struct = pair.id;
}

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
	if (kb) {
		ret->func_arg = kbtf_has_enumerator(kb, "bpf_func_id", "BPF_FUNC_get_func_ret");
		find_preempt(kb, ret);
		find_cast(kb, ret);
	}
}
