// SPDX-License-Identifier: GPL-2.0-only
/*
 * depth.c - sees at the return of a user function whether the kernel may have missed other returns.
 */
#include "gen/depth.h"

/*
 * The kernel's depth of the deepest call, while its return is handled. Up to 6.12 it counts this call, and on 6.18 and newer kernels it
 * does not (measured). So on the older ones the call before the deepest is taken for it.
 */
enum { DEEPEST = 63, WORD = -8 };

bool depth_is_checked(const struct plan *plan, const struct ktask *task)
{
	return plan->def->probe == PROBE_UPROBE && plan->target.is_return && task && task->utask >= 0 && task->utask_depth >= 0;
}

unsigned depth_emit(const struct ktask *task, struct code *c, unsigned ret[DEPTH_JUMPS])
{
	unsigned nr = 0;

	if (task->plain) {
		code_call(c, BPF_FUNC_get_current_task_btf);
		code_load(c, 8, BPF_REG_3, BPF_REG_0, (int16_t)task->utask);
		ret[nr++] = code_jump_imm(c, BPF_JEQ, BPF_REG_3, 0);	/* never: the verifier wants it */
		code_load(c, 4, BPF_REG_3, BPF_REG_3, (int16_t)task->utask_depth);
	} else {
		code_call(c, BPF_FUNC_get_current_task);
		code_mov(c, BPF_REG_3, BPF_REG_0);
		code_follow(c, task->utask, 8, WORD);
		code_follow(c, task->utask_depth, 4, WORD);
	}
	ret[nr++] = code_jump_imm(c, BPF_JLT, BPF_REG_3, DEEPEST);
	return nr;
}
