// SPDX-License-Identifier: GPL-2.0-only
/*
 * engine.c - BPF programs and maps of one bprobe.
 *
 * libbpf opens, relocates and loads the object once. A definition's copy is then
 * made from the relocated instructions and loaded by itself, which takes a
 * hundredth of the time that opening the object again would.
 */
#include "run/engine.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "kernel/features.h"
#include "kernel/kbtf_subset.h"
#include "kernel/ksyms.h"
#include "kernel/release.h"
#include "plan/emit.h"
#include "probe.skel.h"
#include "run/cpus.h"

enum {
	RING_MIN = 256 << 10, RING_MAX = 4 << 20, RINGS_TOTAL = 64 << 20,
	NR_STUBS = 2,
	LOG_SIZE = 1 << 20,
	SAVED_CALLS = 16384,		/* calls under way whose parameters are kept */
	TRACE_KPROBE_MULTI = 42,	/* BPF_TRACE_KPROBE_MULTI (5.18): the building machine's headers may be older */
	PID_MAX_LIMIT = 4 << 20,		/* 64-bit kernels (6.12, include/linux/threads.h) */
};

struct engine {
	struct probe_bpf *skel;
	int types_fd;				/* while the object is loaded */
	struct bpf_link *links[NR_STUBS];	/* fork, exec */
	int *rings;				/* one for each online CPU */
	unsigned nr_rings, nr_cpus;		/* online, possible */
	uint64_t ring_size;
	unsigned stride;			/* statistics of one CPU */
	bool hides_caller;			/* from return probes */
	struct features features;
	uint64_t patch[BP_PATCH_END - BP_PATCH_BASE];
};

/* ---- sizes ---- */

/* The smallest size that the kernel takes for a ring of at least @want bytes. */
static uint64_t round_ring(uint64_t want)
{
	uint64_t size = (uint64_t)sysconf(_SC_PAGESIZE);

	/* A power of two that the record length's 30 bits can address (6.12, kernel/bpf/ringbuf.c) */
	while (size < want && size < (1ull << 30))
		size *= 2;
	return size;
}

/* 64 MiB in all, between 256 KiB and 4 MiB for each online CPU. */
static uint64_t default_ring(void)
{
	uint64_t share = RINGS_TOTAL / (uint64_t)MAX(sysconf(_SC_NPROCESSORS_ONLN), 1);
	uint64_t size = RING_MIN;

	while (size * 2 <= share && size < RING_MAX)
		size *= 2;
	return size;
}

/* ---- opening ---- */

static void set_patch(struct engine *e, enum bp_patch which, uint64_t value)
{
	e->patch[which - BP_PATCH_BASE] = value;
}

/* Addresses that the programs need, where this kernel has them. */
static void find_addresses(struct engine *e, const struct ksyms *ks)
{
	uint64_t preempt = ksyms_address(ks, "__preempt_count");
	uint64_t table = ksyms_address(ks, "kretprobe_inst_table");
	uint64_t trampoline = ksyms_address(ks, "kretprobe_trampoline");	/* until 5.15 */

	if (!trampoline)
		trampoline = ksyms_address(ks, "__kretprobe_trampoline");
	if (!preempt)
		preempt = ksyms_address(ks, "pcpu_hot");
	set_patch(e, BP_PATCH_PERCPU, ksyms_address(ks, "__per_cpu_offset"));
	set_patch(e, BP_PATCH_PREEMPT, e->patch[BP_PATCH_PERCPU - BP_PATCH_BASE] ? preempt : 0);
	set_patch(e, BP_PATCH_INST_TABLE, table);
	set_patch(e, BP_PATCH_RETHOOK, ksyms_address(ks, "arch_rethook_trampoline"));
	if (table || e->hides_caller)
		set_patch(e, BP_PATCH_TRAMPOLINE, trampoline);
}

static int explain_open(struct diag *diag, int err)
{
	switch (-err) {
	case EPERM:
	case EACCES:
		diag_set(diag, err, "this user may not load BPF programs");
		diag_note(diag, "help: run as root (or with CAP_BPF and CAP_PERFMON): sudo bprobe ...");
		break;
	case ESRCH:			/* libbpf's for "no BTF found" */
	case ENOENT:
		diag_set(diag, -EOPNOTSUPP, "there is no BTF of this kernel (/sys/kernel/btf/vmlinux), and "
			 "bprobe's programs need it");
		if (access("/sys/kernel", F_OK))
			diag_note(diag, "help: mount sysfs first: mount -t sysfs sysfs /sys");
		else
			diag_note(diag, "help: it needs a kernel with CONFIG_DEBUG_INFO_BTF");
		break;
	case ENOMEM:
		diag_set(diag, err, "not enough memory for BPF's ring buffers");
		diag_note(diag, "help: give them less: --buffer 256K");
		break;
	default:
		diag_set(diag, err, "the kernel refused bprobe's BPF programs: %s", strerror(-err));
		break;
	}
	diag_note(diag, "help: 'bprobe --doctor' says what is missing here; -v shows libbpf's own words");
	return err;
}

static int size_maps(struct engine *e, const struct engine_opts *opts, int inner)
{
	struct probe_bpf *s = e->skel;
	unsigned tasks = opts->all_tasks ? 1 : PID_MAX_LIMIT / BP_TASKS_PER_ENTRY;

	if (bpf_map__set_inner_map_fd(s->maps.bp_rings, inner) ||
	    bpf_map__set_max_entries(s->maps.bp_rings, e->nr_cpus) ||
	    bpf_map__set_max_entries(s->maps.bp_cpus, e->nr_cpus) ||
	    bpf_map__set_max_entries(s->maps.bp_stats, e->nr_cpus * e->stride) ||
	    bpf_map__set_max_entries(s->maps.bp_saved, opts->saves || e->hides_caller ? SAVED_CALLS : 1) ||
	    bpf_map__set_max_entries(s->maps.bp_tasks, tasks))
		return -errno;
	return 0;
}

static int ring_create(uint64_t size)
{
	int fd = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "bp_ring", 0, 0, (uint32_t)size, NULL);

	return fd < 0 ? -errno : fd;
}

/*
 * A ring for each CPU that is online. CPUs that may come later share the first
 * one: a ring takes any number of writers, only not without contention.
 */
static int create_rings(struct engine *e)
{
	int outer = bpf_map__fd(e->skel->maps.bp_rings);

	for (unsigned cpu = 0; cpu < e->nr_cpus; cpu++) {
		bool own = cpus_online(cpu) || !e->nr_rings;
		int fd = own ? ring_create(e->ring_size) : e->rings[0];

		if (fd < 0)
			return fd;
		if (own)
			e->rings[e->nr_rings++] = fd;
		if (bpf_map_update_elem(outer, &cpu, &fd, BPF_ANY))
			return -errno;
	}
	return 0;
}

/*
 * libbpf would read all of the kernel's types, for the few that the programs name: it is given
 * a file of those. The path is told when the object is opened, which tells what to write.
 */
static int open_skeleton(struct engine *e, struct kbtf *btf)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts);
	auto_fd types = btf ? memfd_create("types", MFD_CLOEXEC) : -1;
	char path[40];
	int err;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", types);
	opts.btf_custom_path = types >= 0 && !access(path, R_OK) ? path : NULL;
	e->skel = probe_bpf__open_opts(&opts);
	if (e->skel && opts.btf_custom_path && kbtf_write_subset(btf, bpf_object__btf(e->skel->obj), types)) {
		probe_bpf__destroy(e->skel);
		e->skel = probe_bpf__open();
	}
	err = e->skel ? 0 : -errno;
	e->types_fd = err ? -1 : take_fd(types);
	return err;
}

/* The verifier looks at each program that is loaded: only at those that something is made from. */
static void leave_out_programs(struct engine *e, const struct engine_opts *opts)
{
	const struct probe_bpf *s = e->skel;
	const struct { struct bpf_program *prog; bool wanted; } programs[] = {
		{ s->progs.bp_entry, opts->models[BACKEND_KPROBE][0] },
		{ s->progs.bp_return, opts->models[BACKEND_KPROBE][1] },
		{ s->progs.bp_multi, opts->models[BACKEND_MULTI][0] },
		{ s->progs.bp_multi_return, opts->models[BACKEND_MULTI][1] },
		{ s->progs.bp_fentry, opts->models[BACKEND_FENTRY][0] },
		{ s->progs.bp_fexit, opts->models[BACKEND_FENTRY][1] },
		{ s->progs.bp_save, opts->saves || e->hides_caller },
		{ s->progs.bp_mark_self, !opts->all_tasks },
		{ s->progs.bp_fork, !opts->all_tasks },
		{ s->progs.bp_exec, !opts->all_tasks },
	};

	for (unsigned i = 0; i < ARRAY_SIZE(programs); i++)
		bpf_program__set_autoload(programs[i].prog, programs[i].wanted);
}

static int open_object(struct engine *e, const struct engine_opts *opts)
{
	/* What stands for all rings need not be of their size (6.12, kernel/bpf/map_in_map.c). */
	auto_fd inner = ring_create((uint64_t)sysconf(_SC_PAGESIZE));
	int err;

	if (inner < 0)
		return inner;
	err = open_skeleton(e, opts->btf);
	if (!err)
		leave_out_programs(e, opts);
	if (!err)
		err = size_maps(e, opts, inner);
	if (!err)
		err = probe_bpf__load(e->skel);
	if (e->types_fd >= 0)
		close(e->types_fd);
	e->types_fd = -1;
	return err ? err : create_rings(e);
}

int engine_open(const struct engine_opts *opts, const struct ksyms *ks, struct engine **ret,
		struct diag *diag)
{
	struct engine *e = calloc(1, sizeof(*e));
	int err;

	if (!e)
		return diag_set(diag, -ENOMEM, "out of memory");
	e->nr_cpus = cpus_possible();
	e->rings = calloc(e->nr_cpus, sizeof(*e->rings));
	e->ring_size = round_ring(opts->ring_size ? opts->ring_size : default_ring());
	e->stride = ROUND_UP(MAX(opts->nr_probes, 1u), 2u);	/* a cache line holds two */
	set_patch(e, BP_PATCH_STRIDE, e->stride);
	set_patch(e, BP_PATCH_ALL_TASKS, opts->all_tasks);
	e->hides_caller = release_running() >= RELEASE(5, 11) && release_running() < RELEASE(5, 16);
	if (opts->features)
		e->features = *opts->features;
	set_patch(e, BP_PATCH_PREEMPT_VAR, e->features.preempt_var != 0);
	set_patch(e, BP_PATCH_CAST, e->features.cast_func != 0);
	if (ks)
		find_addresses(e, ks);
	err = e->rings ? open_object(e, opts) : -ENOMEM;
	if (err) {
		engine_close(e);
		return explain_open(diag, err);
	}
	*ret = e;
	return 0;
}

void engine_close(struct engine *e)
{
	if (!e)
		return;
	for (unsigned i = 0; i < ARRAY_SIZE(e->links); i++)
		bpf_link__destroy(e->links[i]);
	for (unsigned i = 0; i < e->nr_rings; i++)
		close(e->rings[i]);
	free(e->rings);
	probe_bpf__destroy(e->skel);
	free(e);
}

/* ---- a definition's copy ---- */

static bool is_local_call(const struct bpf_insn *i)
{
	return i->code == (BPF_JMP | BPF_CALL) && i->src_reg == BPF_PSEUDO_CALL;
}

/*
 * libbpf has put the stubs behind the main program, in the order of the calls.
 * Finds where each begins; the first one is where the main program ends.
 */
static int find_stubs(const struct bpf_insn *insns, unsigned nr, unsigned stubs[NR_STUBS])
{
	unsigned found = 0;

	for (unsigned i = 0; i < nr; i++) {
		unsigned to;

		if (!is_local_call(&insns[i]))
			continue;
		to = (unsigned)((int)i + 1 + insns[i].imm);
		if (found == NR_STUBS || to >= nr || (found && to <= stubs[found - 1]))
			return -EINVAL;
		stubs[found++] = to;
	}
	return found == NR_STUBS ? 0 : -EINVAL;
}

/* Writes the definition's own values over the markers. */
static void patch_constants(const uint64_t *values, struct code *c)
{
	for (unsigned i = 0; i < c->nr; i++) {
		struct bpf_insn *insn = &c->insns[i];
		bool wide = insn->code == (BPF_LD | BPF_IMM | BPF_DW);
		unsigned which = (unsigned)insn->imm - BP_PATCH_BASE;

		if ((wide ? !insn->src_reg : insn->code == (BPF_ALU64 | BPF_MOV | BPF_K)) &&
		    which < BP_PATCH_END - BP_PATCH_BASE) {
			insn->imm = (int32_t)values[which];
			if (wide)
				insn[1].imm = (int32_t)(values[which] >> 32);
		}
		i += wide;
	}
}

/* See preempt_load() in bpf/compat.bpf.h: which variable it is BTF tells. */
static void patch_preempt(const struct engine *e, struct code *c)
{
	const struct bpf_insn code[] = {
		{ .code = BPF_LD | BPF_IMM | BPF_DW, .dst_reg = BPF_REG_1, .src_reg = BPF_PSEUDO_BTF_ID,
		  .imm = (int32_t)e->features.preempt_var },
		{ 0 },
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_this_cpu_ptr },
		{ .code = BPF_LDX | BPF_MEM | BPF_W, .dst_reg = BPF_REG_0, .src_reg = BPF_REG_0,
		  .off = (int16_t)e->features.preempt_off },
	};

	for (unsigned i = 0; e->features.preempt_var && i + ARRAY_SIZE(code) <= c->nr; i++) {
		if (c->insns[i].code == (BPF_ALU64 | BPF_MOV | BPF_K) && c->insns[i].imm == BP_PATCH_PREEMPT_CODE)
			memcpy(c->insns + i, code, sizeof(code));
	}
}

/* See words_load() there: a call of the kernel's function, and two loads from what it returns. */
static void patch_cast(const struct engine *e, struct code *c)
{
	for (unsigned i = 0; e->features.cast_func && i + 4 <= c->nr; i++) {
		struct bpf_insn *at = c->insns + i;

		if (at->code != (BPF_ALU64 | BPF_MOV | BPF_K) || at->imm != BP_PATCH_CAST_CODE)
			continue;
		at[0].imm = (int32_t)e->features.cast_struct;
		at[1] = (struct bpf_insn){ .code = BPF_JMP | BPF_CALL, .src_reg = BPF_PSEUDO_KFUNC_CALL,
					   .imm = (int32_t)e->features.cast_func };
		for (unsigned k = 2; k < 4; k++)
			at[k] = (struct bpf_insn){ .code = BPF_LDX | BPF_MEM | BPF_DW, .dst_reg = at[k].dst_reg,
						   .src_reg = BPF_REG_0, .off = (int16_t)(8 * (k - 2)) };
	}
}

bool engine_needs_saver(const struct engine *e, const struct plan *plan)
{
	return plan->backend == BACKEND_KPROBE &&
	       (plan->saves || (plan->target.is_return && e->hides_caller));
}

bool engine_saver_is_last(const struct engine *e)
{
	return e->hides_caller;
}

/* The first @nr instructions of @model with the definition's values in them. */
static void copy_model(const struct engine *e, const struct plan *plan, unsigned index,
		       const struct bpf_insn *model, unsigned nr, struct code *c)
{
	uint64_t values[ARRAY_SIZE(e->patch)];

	memcpy(values, e->patch, sizeof(values));
	values[BP_PATCH_PROBE - BP_PATCH_BASE] = index;
	values[BP_PATCH_SHORT - BP_PATCH_BASE] = plan->layout.short_size;
	values[BP_PATCH_LONG - BP_PATCH_BASE] = plan->layout.long_size;
	values[BP_PATCH_SAVES - BP_PATCH_BASE] = engine_needs_saver(e, plan);
	values[BP_PATCH_FUNC - BP_PATCH_BASE] = plan->backend == BACKEND_FENTRY && !plan->target.is_return
						? plan->entry : plan->target.func;
	values[BP_PATCH_FLAGS - BP_PATCH_BASE] = release_running() < RELEASE(6, 14);
	values[BP_PATCH_FRAME - BP_PATCH_BASE] = 8 * plan->nr_params;
	for (unsigned i = 0; i < nr; i++)
		code_add(c, model[i]);
	patch_preempt(e, c);
	patch_cast(e, c);
	patch_constants(values, c);
}

static const struct bpf_program *model_of(const struct engine *e, const struct plan *plan)
{
	if (plan->backend == BACKEND_FENTRY)
		return plan->target.is_return ? e->skel->progs.bp_fexit : e->skel->progs.bp_fentry;
	if (plan->backend == BACKEND_MULTI)
		return plan->target.is_return ? e->skel->progs.bp_multi_return : e->skel->progs.bp_multi;
	return plan->target.is_return ? e->skel->progs.bp_return : e->skel->progs.bp_entry;
}

/* The main program, then both bodies, with the calls and constants set. */
static int splice(const struct engine *e, const struct plan *plan, unsigned index,
		  struct code *c, struct diag *diag)
{
	const struct bpf_program *model = model_of(e, plan);
	const struct bpf_insn *insns = bpf_program__insns(model);
	unsigned stubs[NR_STUBS], bodies[NR_STUBS];

	if (find_stubs(insns, (unsigned)bpf_program__insn_cnt(model), stubs))
		return diag_set(diag, -EINVAL, "bprobe's own program has not the shape that it expects: "
				"it was built with a clang that lays out calls differently");
	copy_model(e, plan, index, insns, stubs[0], c);
	for (unsigned i = 0; i < NR_STUBS; i++) {
		int err;

		bodies[i] = c->nr;
		err = emit_fetch(plan, i == 1, c, diag);
		if (err)
			return err;
	}
	for (unsigned i = 0, call = 0; i < stubs[0]; i++) {
		if (is_local_call(&c->insns[i]))
			c->insns[i].imm = (int32_t)(bodies[call++] - i - 1);
	}
	return 0;
}

/* BPF object names: 15 of [A-Za-z0-9_.]; event names are that already, but longer. */
static const char *program_name(const struct plan *plan, char name[16])
{
	snprintf(name, 16, "%s", plan->layout.event);
	for (char *p = name; *p; p++) {
		if (!strchr("_.", *p) && !(*p >= '0' && *p <= '9') &&
		    !((*p | 0x20) >= 'a' && (*p | 0x20) <= 'z'))
			*p = '_';
	}
	return name;
}

static void explain_load(const struct plan *plan, int err, const char *log, struct diag *diag)
{
	size_t len = strlen(log), shown = 0;

	diag->text = plan->def->text;
	if (err == -EMFILE) {
		diag_at(diag, err, plan->def->head_at, "too many probes for this user's limit of open files");
		diag_note(diag, "help: each probe needs three; raise the limit: ulimit -n 65536");
		return;
	}
	diag_at(diag, err, plan->def->head_at, "the kernel refused the program of this definition: %s",
		strerror(-err));
	/* The verifier's verdict is the last line before its statistics. */
	for (const char *line = log + len; line > log && shown < 4; line--) {
		if (line[-1] != '\n' && line != log + len)
			continue;
		if (*line && *line != '\n' && strncmp(line, "processed ", 10)) {
			diag_note(diag, "verifier: %.*s", (int)strcspn(line, "\n"), line);
			shown++;
		}
	}
}

/* Loads @c; on failure loads it again for the verifier's words. */
static int load_code(const struct plan *plan, const struct code *c, int *ret_fd, struct diag *diag)
{
	LIBBPF_OPTS(bpf_prog_load_opts, opts);
	enum bpf_prog_type type = BPF_PROG_TYPE_KPROBE;
	char name[16], *log;
	int err, fd;

	program_name(plan, name);
	if (plan->backend == BACKEND_FENTRY) {
		type = BPF_PROG_TYPE_TRACING;
		opts.expected_attach_type = plan->target.is_return ? BPF_TRACE_FEXIT : BPF_TRACE_FENTRY;
		opts.attach_btf_id = plan->btf_id;
	} else if (plan->backend == BACKEND_MULTI) {
		opts.expected_attach_type = (enum bpf_attach_type)TRACE_KPROBE_MULTI;
	}
	fd = bpf_prog_load(type, name, "GPL", c->insns, c->nr, &opts);
	if (fd >= 0) {
		*ret_fd = fd;
		return 0;
	}
	err = -errno;
	log = calloc(1, LOG_SIZE);
	opts.log_buf = log;
	opts.log_size = log ? LOG_SIZE : 0;
	opts.log_level = log ? 1 : 0;
	fd = bpf_prog_load(type, name, "GPL", c->insns, c->nr, &opts);
	if (fd >= 0)
		close(fd);
	explain_load(plan, err, log ? log : "", diag);
	free(log);
	return err;
}

int engine_load(struct engine *e, const struct plan *plan, unsigned index, int *ret_fd,
		struct diag *diag)
{
	struct arena arena = { 0 };
	struct code code = { .arena = &arena };
	int err = splice(e, plan, index, &code, diag);

	if (!err)
		err = load_code(plan, &code, ret_fd, diag);
	arena_fini(&arena);
	return err;
}

int engine_load_saver(struct engine *e, const struct plan *plan, unsigned index, int *ret_fd,
		      struct diag *diag)
{
	const struct bpf_program *model = e->skel->progs.bp_save;
	struct arena arena = { 0 };
	struct code code = { .arena = &arena };
	int err;

	copy_model(e, plan, index, bpf_program__insns(model),
		   (unsigned)bpf_program__insn_cnt(model), &code);
	err = load_code(plan, &code, ret_fd, diag);
	arena_fini(&arena);
	return err;
}

/* ---- what the programs counted ---- */

unsigned engine_rings(const struct engine *e, const int **ret_fds, uint64_t *ret_size)
{
	*ret_fds = e->rings;
	*ret_size = e->ring_size;
	return e->nr_rings;
}

void engine_stat(const struct engine *e, unsigned index, struct bp_stat *ret)
{
	int fd = bpf_map__fd(e->skel->maps.bp_stats);

	*ret = (struct bp_stat){ 0 };
	for (unsigned cpu = 0; cpu < e->nr_cpus; cpu++) {
		uint32_t at = cpu * e->stride + index;
		struct bp_stat one;

		if (bpf_map_lookup_elem(fd, &at, &one))
			continue;
		ret->hits += one.hits;
		ret->lost += one.lost;
		ret->faults += one.faults;
	}
}

unsigned engine_cpus(const struct engine *e)
{
	return e->nr_cpus;
}

void engine_lost(const struct engine *e, unsigned index, uint64_t *ret)
{
	int fd = bpf_map__fd(e->skel->maps.bp_stats);

	for (unsigned cpu = 0; cpu < e->nr_cpus; cpu++) {
		uint32_t at = cpu * e->stride + index;
		struct bp_stat one;

		ret[cpu] = bpf_map_lookup_elem(fd, &at, &one) ? 0 : one.lost;
	}
}

/* ---- COMMAND and its descendants ---- */

int engine_follow(struct engine *e, struct diag *diag)
{
	struct bpf_program *const follow[] = { e->skel->progs.bp_fork, e->skel->progs.bp_exec };

	for (unsigned i = 0; i < ARRAY_SIZE(follow); i++) {
		e->links[i] = bpf_program__attach(follow[i]);
		if (!e->links[i])
			return diag_set(diag, -errno, "cannot follow forks and execs, so COMMAND's "
					"descendants cannot be told from other tasks: %s; "
					"use -a to trace every task", strerror(errno));
	}
	return 0;
}

int engine_mark_self(const struct engine *e)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);

	return bpf_prog_test_run_opts(bpf_program__fd(e->skel->progs.bp_mark_self), &opts) ? -errno : 0;
}
