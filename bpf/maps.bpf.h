/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * maps.bpf.h - the maps that the programs use.
 *
 * bp_rings, bp_bell, bp_saved, bp_times, bp_skips, bp_pairs and bp_scratches are placeholders: a definition's copy gets the maps of its
 * channel (user/run/channel.c) or of its engine in their place. user/run/engine.c sets the sizes of the other maps.
 */
#ifndef MAPS_BPF_H
#define MAPS_BPF_H

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);				/* number of rings */
	__type(key, __u32);
	__type(value, struct bp_ring);			/* and its data */
} bp_rings SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);				/* BP_SCRATCH_LEVELS for each possible CPU */
	__type(key, __u32);
	__type(value, struct bp_scratch);		/* and room for the longest record */
} bp_scratches SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);		/* of the kernel's kind, which can wake a reader */
	__uint(max_entries, 4096);
} bp_bell SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);				/* number of possible CPUs */
	__type(key, __u32);
	__type(value, struct bp_cpu);
} bp_cpus SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);				/* pid_max / BP_TASKS_PER_ENTRY */
	__type(key, __u32);
	__type(value, __u8[BP_TASKS_PER_ENTRY]);	/* 1: this task is traced */
} bp_tasks SEC(".maps");

/*
 * The map drops the least recently used entries: a call that never returns (exit) must
 * not keep its entry for ever. If a return finds no entry, its parameters count as faults.
 */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1);
	__type(key, struct bp_saved_key);
	__type(value, struct bp_saved);
} bp_saved SEC(".maps");

/* The same if only the time of the entry is needed. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1);
	__type(key, struct bp_saved_key);
	__type(value, __u64);
} bp_times SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, BP_SKIPS_CPUS);		/* and one for each possible CPU */
	__type(key, __u32);
	__type(value, __u64);
} bp_skips SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, __u64);
	__type(value, struct bp_pair);
} bp_pairs SEC(".maps");

/* The stacks of entries, for returns. Calls that never return are dropped in time, as above. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1);
	__type(key, struct bp_saved_key);
	__type(value, struct bp_saved_stack);
} bp_stacks SEC(".maps");

/* A stack is too large for the program's own. Programs of kprobes are not preempted. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct bp_saved_stack);
} bp_stack SEC(".maps");

/* The byte that says whether task @pid is traced; NULL beyond the map. */
static __always_inline __u8 *task_mark(__u32 pid)
{
	__u32 entry = pid / BP_TASKS_PER_ENTRY;
	__u8 *marks = bpf_map_lookup_elem(&bp_tasks, &entry);

	if (!marks)
		return (void *)0;
	/* Without this, clang 21 adds before it tests: "R8 pointer arithmetic on map_value_or_null prohibited" (6.12). */
	barrier_var(marks);
	return marks + pid % BP_TASKS_PER_ENTRY;
}

#endif
