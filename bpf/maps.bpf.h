/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * maps.bpf.h - the maps that all programs of one bprobe share.
 *
 * Sizes are set by user/run/engine.c: they depend on CPUs, probes and pid_max.
 */
#ifndef MAPS_BPF_H
#define MAPS_BPF_H

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);	/* of BPF ring buffers */
	__uint(max_entries, 1);				/* possible CPUs */
	__type(key, __u32);
	__type(value, __u32);
} bp_rings SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);				/* possible CPUs */
	__type(key, __u32);
	__type(value, struct bp_cpu);
} bp_cpus SEC(".maps");

/* One entry, so that its address is a constant: possible CPUs << BP_PATCH_STATS_SHIFT bytes. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct bp_stat);
} bp_stats SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);				/* pid_max / BP_TASKS_PER_ENTRY */
	__type(key, __u32);
	__type(value, __u8[BP_TASKS_PER_ENTRY]);	/* 1: this task is traced */
} bp_tasks SEC(".maps");

/*
 * The least recently used entries make room: a call that never returns (exit) must
 * not keep its entry for ever. A return that finds none has faulted parameters.
 */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1);
	__type(key, struct bp_saved_key);
	__type(value, struct bp_saved);
} bp_saved SEC(".maps");

/* The byte that says whether task @pid is traced; NULL beyond the map. */
static __always_inline __u8 *task_mark(__u32 pid)
{
	__u32 entry = pid / BP_TASKS_PER_ENTRY;
	__u8 *marks = bpf_map_lookup_elem(&bp_tasks, &entry);

	return marks ? marks + pid % BP_TASKS_PER_ENTRY : (void *)0;
}

#endif
