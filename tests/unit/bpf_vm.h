/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bpf_vm.h - runs generated BPF without a kernel.
 *
 * Enough of the instruction set for what user/gen/emit.c generates, over a small
 * memory of its own: a record, a context and one region of "kernel" and one of
 * "user" memory. Any other address faults, as it does with the helpers.
 */
#ifndef BPF_VM_H
#define BPF_VM_H

#include <errno.h>
#include <linux/bpf.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "bprobe_abi.h"

enum { VM_RECORD = 65536, VM_STACK = 512, VM_DEPTH = 2, VM_STEPS = 1000000 };

#define VM_USER_LIMIT	0x7ffffffff000ull	/* TASK_SIZE: addresses below it are user addresses */

struct vm_region {
	uint64_t addr;
	const unsigned char *data;
	uint64_t size;
};

/* A hash map of a descriptor of its own. */
struct vm_table {
	int fd;
	uint32_t key_size, value_size;		/* at most 512 and 64 */
	unsigned most, nr;			/* entries */
	_Alignas(8) unsigned char keys[64][512];
	_Alignas(8) unsigned char values[64][64];
	bool raced;				/* another CPU makes the next entry a moment earlier, with the same value */
};

struct vm {
	uint64_t regs[21];			/* struct pt_regs */
	_Alignas(8) unsigned char record[VM_RECORD];
	unsigned char stack[VM_DEPTH * VM_STACK];
	uint32_t record_size;			/* the bytes that were reserved */
	const uint64_t *saved;			/* struct bp_saved, or NULL */
	struct vm_region regions[8];
	unsigned nr_regions;
	struct vm_region waits[2];		/* memory that is not there until bpf_copy_from_user() has waited for it */
	unsigned nr_waited;			/* how often it has */
	uint32_t cpu;
	/* What the helpers say about the current task, and the task itself (with its members at the test's own offsets). */
	_Alignas(8) unsigned char task[256];
	uint64_t pid_tgid, uid_gid, now;
	char comm[16];
	uint32_t cgroups;			/* bit n: the task is below the n-th cgroup of the map */
	_Alignas(8) unsigned char map[sizeof(struct bp_selves) + 256];	/* the value of each map that is used by address */
	uint32_t stride;			/* the value of descriptor n begins n times this many bytes behind; 0: all maps have one value */
	unsigned rung;				/* how often bpf_ringbuf_output() was called */
	unsigned char keys[64][16];		/* of the one map that is used by lookup */
	unsigned nr_keys, key_size;		/* how many bytes of each key count; 0: all */
	struct vm_table *tables;		/* malloc or static; with them each map has a descriptor */
	unsigned nr_tables;
	uint64_t raced;				/* another CPU has written this into the number exchanged next; 0: none has */
	unsigned races;				/* ... and one less into the same number at as many exchanges behind that one */
	bool called;				/* a function of the program behind the code: it is not run */
	unsigned tail_calls;			/* each does nothing, as if its entry were empty; the last one's map and index: */
	uint64_t tail_map, tail_index;
	int frames[2];				/* of the kernel's stack and of the user's; less than 0: an error */
	uint64_t first;				/* the kernel's first frame */
	unsigned unwound;			/* how often bpf_get_stack() was called */
	const char *error;			/* set if the program does something that the verifier forbids */
};

static const unsigned char *vm_byte(const struct vm *vm, uint64_t addr)
{
	for (unsigned i = 0; i < vm->nr_regions; i++) {
		const struct vm_region *r = &vm->regions[i];

		if (addr >= r->addr && addr - r->addr < r->size)
			return r->data + (addr - r->addr);
	}
	return NULL;
}

static struct vm_table *vm_table(const struct vm *vm, uint64_t fd)
{
	for (unsigned i = 0; i < vm->nr_tables; i++) {
		if ((uint64_t)vm->tables[i].fd == fd)
			return &vm->tables[i];
	}
	return NULL;
}

static bool vm_is_value(const struct vm *vm, uint64_t addr, uint64_t size)
{
	for (unsigned i = 0; i < vm->nr_tables; i++) {
		const struct vm_table *t = &vm->tables[i];
		uint64_t first = (uint64_t)(uintptr_t)t->values[0];

		if (addr >= first && addr < first + t->nr * sizeof(t->values[0]) &&
		    (addr - first) % sizeof(t->values[0]) + size <= t->value_size)
			return true;
	}
	return false;
}

/* The memory that the program may write or read without helpers: its record, its stack and the values of maps. */
static bool vm_own(const struct vm *vm, uint64_t addr, uint64_t size)
{
	uint64_t rec = (uint64_t)(uintptr_t)vm->record, stack = (uint64_t)(uintptr_t)vm->stack;

	uint64_t map = (uint64_t)(uintptr_t)vm->map;

	return (addr >= rec && addr + size <= rec + vm->record_size) || (addr >= map && addr + size <= map + sizeof(vm->map)) ||
	       (addr >= stack && addr + size <= stack + VM_DEPTH * VM_STACK) || vm_is_value(vm, addr, size);
}

static int64_t vm_read(struct vm *vm, uint64_t dst, uint64_t size, uint64_t src, bool user_only)
{
	unsigned char *to = (unsigned char *)(uintptr_t)dst;

	if (!vm_own(vm, dst, size)) {
		vm->error = "a read out of bounds of the record";
		return -EFAULT;
	}
	for (uint64_t i = 0; i < size; i++) {
		const unsigned char *from = vm_own(vm, src + i, 1) ? (const unsigned char *)(uintptr_t)(src + i) : vm_byte(vm, src + i);

		if (!from || (user_only && src + i >= VM_USER_LIMIT)) {
			memset(to, 0, size);
			return -EFAULT;
		}
		to[i] = *from;
	}
	return 0;
}

static int64_t vm_read_str(struct vm *vm, uint64_t dst, uint64_t size, uint64_t src, bool user_only)
{
	unsigned char *to = (unsigned char *)(uintptr_t)dst;

	if (!vm_own(vm, dst, size)) {
		vm->error = "a string out of bounds of the record";
		return -EFAULT;
	}
	if (!size)
		return 0;
	for (uint64_t i = 0; i < size; i++) {
		const unsigned char *from = vm_own(vm, src + i, 1) ? (const unsigned char *)(uintptr_t)(src + i)
								   : vm_byte(vm, src + i);

		if (!from || (user_only && src + i >= VM_USER_LIMIT)) {
			memset(to, 0, size);
			return -EFAULT;
		}
		to[i] = *from;
		/* Like kernels before 7.x: 0 for an empty string in user memory (mm/maccess.c). */
		if (!*from)
			return !i && src < VM_USER_LIMIT ? 0 : (int64_t)i + 1;
	}
	to[size - 1] = 0;
	return (int64_t)size;
}

static int64_t vm_table_lookup(struct vm *vm, uint64_t fd, uint64_t key)
{
	struct vm_table *t = vm_table(vm, fd);

	if (!t || !vm_own(vm, key, t->key_size)) {
		vm->error = "bad arguments of bpf_map_lookup_elem";
		return 0;
	}
	for (unsigned i = 0; i < t->nr; i++) {
		if (!memcmp(t->keys[i], (const void *)(uintptr_t)key, t->key_size))
			return (int64_t)(intptr_t)t->values[i];
	}
	return 0;
}

/* With BPF_NOEXIST. */
static int64_t vm_table_update(struct vm *vm, const uint64_t r[11])
{
	struct vm_table *t = vm_table(vm, r[1]);
	bool raced;

	if (!t || !vm_own(vm, r[2], t->key_size) || !vm_own(vm, r[3], t->value_size) || r[4] != BPF_NOEXIST) {
		vm->error = "bad arguments of bpf_map_update_elem";
		return 0;
	}
	if (vm_table_lookup(vm, r[1], r[2]))
		return -EEXIST;
	if (t->nr == t->most)
		return -E2BIG;
	raced = t->raced;
	t->raced = false;
	memcpy(t->keys[t->nr], (const void *)(uintptr_t)r[2], t->key_size);
	memcpy(t->values[t->nr], (const void *)(uintptr_t)r[3], t->value_size);
	t->nr++;
	return raced ? -EEXIST : 0;
}

static int64_t vm_lookup(const struct vm *vm, uint64_t key)
{
	for (unsigned i = 0; i < vm->nr_keys; i++) {
		if (!memcmp(vm->keys[i], (const void *)(uintptr_t)key, vm->key_size ? vm->key_size : sizeof(vm->keys[i])))
			return (int64_t)(intptr_t)vm->map;
	}
	return 0;
}

static int64_t vm_current(struct vm *vm, const uint64_t r[11], int32_t helper)
{
	switch (helper) {
	case BPF_FUNC_get_current_task:
	case BPF_FUNC_get_current_task_btf:
		return (int64_t)(intptr_t)vm->task;
	case BPF_FUNC_get_current_pid_tgid:
		return (int64_t)vm->pid_tgid;
	case BPF_FUNC_get_current_uid_gid:
		return (int64_t)vm->uid_gid;
	case BPF_FUNC_get_current_comm:
		memcpy((void *)(uintptr_t)r[1], vm->comm, sizeof(vm->comm));
		return 0;
	case BPF_FUNC_current_task_under_cgroup:
		return vm->cgroups >> r[2] & 1;
	case BPF_FUNC_get_smp_processor_id:
		return vm->cpu;
	case BPF_FUNC_ktime_get_ns:
		return (int64_t)vm->now;
	case BPF_FUNC_map_lookup_elem:
		return vm->tables ? vm_table_lookup(vm, r[1], r[2]) : vm_lookup(vm, r[2]);
	case BPF_FUNC_map_update_elem:
		if (vm->tables)
			return vm_table_update(vm, r);
		memcpy(vm->keys[vm->nr_keys++ % 64], (const void *)(uintptr_t)r[2], sizeof(vm->keys[0]));
		return 0;
	default:
		vm->error = "an unknown helper";
		return 0;
	}
}

/* bpf_get_stack(ctx, frames, size, flags): frame n is 0x100 * n behind the first one, or 0x400000 + n of the user's. It zeroes the rest. */
static int64_t vm_get_stack(struct vm *vm, const uint64_t r[11])
{
	bool user = r[4] & BPF_F_USER_STACK;
	int nr = vm->frames[user];

	vm->unwound++;
	if (r[1] != (uint64_t)(uintptr_t)vm->regs || r[4] & ~(uint64_t)BPF_F_USER_STACK || r[3] % 8 || !vm_own(vm, r[2], r[3])) {
		vm->error = "bad arguments of bpf_get_stack";
		return 0;
	}
	memset((void *)(uintptr_t)r[2], 0, r[3]);
	if (nr > (int)r[3] / 8)
		nr = (int)r[3] / 8;
	for (int i = 0; i < nr; i++) {
		uint64_t frame = user ? 0x400000u + (unsigned)i : vm->first + 0x100 * (unsigned)i;

		memcpy((char *)(uintptr_t)r[2] + 8 * i, &frame, 8);
	}
	return nr < 0 ? nr : 8 * nr;
}

static int64_t vm_copy_from_user(struct vm *vm, const uint64_t r[11])
{
	for (unsigned i = 0; i < 2; i++) {
		struct vm_region *w = &vm->waits[i];

		if (w->size && r[3] < w->addr + w->size && r[3] + r[2] > w->addr) {
			vm->regions[vm->nr_regions++] = *w;
			w->size = 0;
			vm->nr_waited++;
		}
	}
	return vm_read(vm, r[1], r[2], r[3], true);
}

static int64_t vm_call(struct vm *vm, const uint64_t r[11], int32_t helper)
{
	switch (helper) {
	case BPF_FUNC_get_stack:
		return vm_get_stack(vm, r);
	case 183:			/* bpf_get_func_arg(ctx, n, value) and bpf_get_func_ret(ctx, value): the context is an array */
		if (r[1] != (uint64_t)(uintptr_t)vm->regs || r[2] >= 4 || !vm_own(vm, r[3], 8))
			vm->error = "bad arguments of bpf_get_func_arg";
		else
			memcpy((void *)(uintptr_t)r[3], &vm->regs[r[2]], 8);
		return 0;
	case 184:
		if (r[1] != (uint64_t)(uintptr_t)vm->regs || !vm_own(vm, r[2], 8))
			vm->error = "bad arguments of bpf_get_func_ret";
		else
			memcpy((void *)(uintptr_t)r[2], &vm->regs[4], 8);
		return 0;
	case 148:
		return vm_copy_from_user(vm, r);
	case BPF_FUNC_probe_read:
	case BPF_FUNC_probe_read_kernel:
		return vm_read(vm, r[1], r[2], r[3], false);
	case BPF_FUNC_probe_read_user:
		return vm_read(vm, r[1], r[2], r[3], true);
	case BPF_FUNC_probe_read_str:
	case BPF_FUNC_probe_read_kernel_str:
		return vm_read_str(vm, r[1], r[2], r[3], false);
	case BPF_FUNC_probe_read_user_str:
		return vm_read_str(vm, r[1], r[2], r[3], true);
	case BPF_FUNC_tail_call:
		if (r[1] != (uint64_t)(uintptr_t)vm->regs)
			vm->error = "a tail call with another context";
		vm->tail_calls++;
		vm->tail_map = r[2];
		vm->tail_index = r[3];
		return -ENOENT;
	case BPF_FUNC_ringbuf_output:
		if (!vm_own(vm, r[2], r[3]) || r[4] != BPF_RB_FORCE_WAKEUP)
			vm->error = "bad arguments of bpf_ringbuf_output";
		vm->rung++;
		return 0;
	default:
		return vm_current(vm, r, helper);
	}
}

/* BPF_END with BPF_TO_BE: the low bits in the other order; the rest becomes 0. */
static uint64_t vm_swap(uint64_t a, int32_t bits, struct vm *vm)
{
	switch (bits) {
	case 16:
		return __builtin_bswap16((uint16_t)a);
	case 32:
		return __builtin_bswap32((uint32_t)a);
	case 64:
		return __builtin_bswap64(a);
	default:
		vm->error = "a swap of an unknown size";
		return 0;
	}
}

static uint64_t vm_alu(const struct bpf_insn *i, uint64_t a, uint64_t b, struct vm *vm)
{
	switch (BPF_OP(i->code)) {
	case BPF_MOV:
		return b;
	case BPF_ADD:
		return a + b;
	case BPF_SUB:
		return a - b;
	case BPF_MUL:
		return a * b;
	case BPF_MOD:
		return b ? a % b : a;
	case BPF_OR:
		return a | b;
	case BPF_AND:
		return a & b;
	case BPF_XOR:
		return a ^ b;
	case BPF_LSH:
		return a << (b & 63);
	case BPF_RSH:
		return a >> (b & 63);
	case BPF_ARSH:
		return (uint64_t)((int64_t)a >> (b & 63));
	default:
		vm->error = "an unknown operation";
		return 0;
	}
}

static bool vm_jump(const struct bpf_insn *i, uint64_t a, uint64_t b, struct vm *vm)
{
	if (BPF_CLASS(i->code) == BPF_JMP32) {	/* then the comparison is of signed 32-bit numbers */
		bool is_signed = BPF_OP(i->code) >= BPF_JSGT && BPF_OP(i->code) != BPF_JLT && BPF_OP(i->code) != BPF_JLE;

		a = is_signed ? (uint64_t)(int64_t)(int32_t)a : (uint32_t)a;
		b = is_signed ? (uint64_t)(int64_t)(int32_t)b : (uint32_t)b;
	}
	switch (BPF_OP(i->code)) {
	case BPF_JEQ:
		return a == b;
	case BPF_JNE:
		return a != b;
	case BPF_JGT:
		return a > b;
	case BPF_JGE:
		return a >= b;
	case BPF_JLT:
		return a < b;
	case BPF_JLE:
		return a <= b;
	case BPF_JSET:
		return (a & b) != 0;
	case BPF_JSGT:
		return (int64_t)a > (int64_t)b;
	case BPF_JSGE:
		return (int64_t)a >= (int64_t)b;
	case BPF_JSLT:
		return (int64_t)a < (int64_t)b;
	case BPF_JSLE:
		return (int64_t)a <= (int64_t)b;
	case BPF_JA:
		return true;
	default:
		vm->error = "an unknown jump";
		return false;
	}
}

static unsigned vm_size(unsigned code)
{
	return BPF_SIZE(code) == BPF_B ? 1 : BPF_SIZE(code) == BPF_H ? 2 : BPF_SIZE(code) == BPF_W ? 4 : 8;
}

/* An addition, or compare and exchange. */
static void vm_atomic(struct vm *vm, const struct bpf_insn *i, uint64_t r[11], void *at, unsigned size)
{
	uint64_t value = 0;

	if (i->imm == BPF_ADD) {
		memcpy(&value, at, size);
		value += r[i->src_reg];
		memcpy(at, &value, size);
		return;
	}
	if (i->imm != BPF_CMPXCHG)
		vm->error = "an unknown atomic operation";
	if (vm->raced)
		memcpy(at, &vm->raced, size);
	vm->raced = vm->races ? vm->raced - 1 : 0;
	vm->races -= vm->races ? 1 : 0;
	memcpy(&value, at, size);
	if (value == r[0])
		memcpy(at, &r[i->src_reg], size);
	r[0] = value;
}

static void vm_memory(struct vm *vm, const struct bpf_insn *i, uint64_t r[11])
{
	unsigned size = vm_size(i->code);
	uint64_t value = 0, addr = r[BPF_CLASS(i->code) == BPF_LDX ? i->src_reg : i->dst_reg] + (int64_t)i->off;
	uint64_t ctx = (uint64_t)(uintptr_t)vm->regs, saved = (uint64_t)(uintptr_t)vm->saved;
	bool load = BPF_CLASS(i->code) == BPF_LDX;

	/* Kernel memory whose type BTF knows, such as the task. */
	if (load && vm_byte(vm, addr) && vm_byte(vm, addr + size - 1)) {
		memcpy(&value, vm_byte(vm, addr), size);
		r[i->dst_reg] = value;
		return;
	}
	if (!vm_own(vm, addr, size) &&
	    !(load && addr >= ctx && addr + size <= ctx + sizeof(vm->regs)) &&
	    !(load && saved && addr >= saved && addr + size <= saved + sizeof(struct bp_saved))) {
		vm->error = "an access out of bounds";
		return;
	}
	if (load) {
		memcpy(&value, (void *)(uintptr_t)addr, size);
		r[i->dst_reg] = value;
		return;
	}
	if (BPF_CLASS(i->code) == BPF_STX && BPF_MODE(i->code) == BPF_ATOMIC) {
		vm_atomic(vm, i, r, (void *)(uintptr_t)addr, size);
		return;
	}
	value = BPF_CLASS(i->code) == BPF_STX ? r[i->src_reg] : (uint64_t)(int64_t)i->imm;
	memcpy((void *)(uintptr_t)addr, &value, size);
}

/* What a function gives back to its caller. */
struct vm_frame {
	unsigned pc;
	uint64_t kept[5];			/* r6 to r10 */
};

/* Returns r0. */
static uint64_t vm_run(struct vm *vm, const struct bpf_insn *insns, unsigned nr)
{
	struct vm_frame frames[VM_DEPTH - 1];
	uint64_t r[11] = { 0 };
	unsigned pc = 0, depth = 0;

	r[1] = (uint64_t)(uintptr_t)vm->regs;
	r[2] = (uint64_t)(uintptr_t)vm->record;
	r[3] = (uint64_t)(uintptr_t)vm->saved;
	r[10] = (uint64_t)(uintptr_t)vm->stack + VM_DEPTH * VM_STACK;
	for (unsigned steps = 0; steps < VM_STEPS && !vm->error; steps++) {
		const struct bpf_insn *i = &insns[pc++];
		uint64_t operand = BPF_SRC(i->code) == BPF_X ? r[i->src_reg] : (uint64_t)(int64_t)i->imm;

		if (pc > nr) {
			vm->error = "a jump out of the program";
			break;
		}
		switch (BPF_CLASS(i->code)) {
		case BPF_ALU64:
			r[i->dst_reg] = vm_alu(i, r[i->dst_reg], operand, vm);
			break;
		case BPF_ALU:
			if (i->code == (BPF_ALU | BPF_END | BPF_TO_BE))
				r[i->dst_reg] = vm_swap(r[i->dst_reg], i->imm, vm);
			else
				r[i->dst_reg] = (uint32_t)vm_alu(i, r[i->dst_reg], operand, vm);
			break;
		case BPF_LD:
			r[i->dst_reg] = (uint32_t)i->imm | (uint64_t)(uint32_t)insns[pc++].imm << 32;
			if (i->src_reg == BPF_PSEUDO_MAP_VALUE)
				r[i->dst_reg] = (uint64_t)(uintptr_t)vm->map + vm->stride * (uint32_t)i->imm + (uint32_t)insns[pc - 1].imm;
			break;
		case BPF_JMP32:
			if (vm_jump(i, r[i->dst_reg], operand, vm))
				pc = (unsigned)((int)pc + i->off);
			break;
		case BPF_JMP:
			if (BPF_OP(i->code) == BPF_EXIT && !depth)
				return r[0];
			if (BPF_OP(i->code) == BPF_EXIT) {
				pc = frames[--depth].pc;
				memcpy(r + BPF_REG_6, frames[depth].kept, sizeof(frames[depth].kept));
				r[1] = r[2] = r[3] = r[4] = r[5] = 0xdead;
			} else if (BPF_OP(i->code) == BPF_CALL && i->src_reg == BPF_PSEUDO_CALL && pc + (unsigned)i->imm < nr) {
				if (depth == ARRAY_SIZE(frames)) {
					vm->error = "too many calls";
					break;
				}
				frames[depth].pc = pc;
				memcpy(frames[depth++].kept, r + BPF_REG_6, sizeof(frames[0].kept));
				r[10] -= VM_STACK;
				r[6] = r[7] = r[8] = r[9] = 0xdead;
				pc += (unsigned)i->imm;
			} else if (BPF_OP(i->code) == BPF_CALL && i->src_reg == BPF_PSEUDO_CALL) {
				vm->called = true;
				r[0] = 0;
			} else if (BPF_OP(i->code) == BPF_CALL && i->src_reg == BPF_PSEUDO_KFUNC_CALL) {
				r[0] = r[1];		/* bpf_rdonly_cast(), the only one */
				r[1] = r[2] = r[3] = r[4] = r[5] = 0xdead;
			} else if (BPF_OP(i->code) == BPF_CALL) {
				r[0] = (uint64_t)vm_call(vm, r, i->imm);
				r[1] = r[2] = r[3] = r[4] = r[5] = 0xdead;
			} else if (vm_jump(i, r[i->dst_reg], operand, vm)) {
				pc = (unsigned)((int)pc + i->off);
			}
			break;
		default:
			vm_memory(vm, i, r);
		}
	}
	if (!vm->error)
		vm->error = "no end";
	return 0;
}

#endif
