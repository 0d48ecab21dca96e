// SPDX-License-Identifier: GPL-2.0-only
/*
 * engine.c - the BPF programs and maps of one bprobe.
 *
 * libbpf opens and relocates the object once. The copy for each definition is made from the
 * relocated instructions of a model and loaded separately. This takes a hundredth of the
 * time that opening the object again would take. The verifier sees only the copies: for a
 * model, libbpf loads a program that does nothing.
 */
#include "run/engine.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/membarrier.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "arch/kernel.h"
#include "base/cleanup.h"
#include "gen/act_code.h"
#include "gen/count_code.h"
#include "gen/dispatch.h"
#include "gen/fault_in.h"
#include "gen/model.h"
#include "gen/tasks.h"
#include "kernel/btf/kbtf.h"
#include "kernel/caps.h"
#include "kernel/disabled.h"
#include "kernel/features.h"
#include "kernel/release.h"
#include "kernel/syms/ksyms.h"
#include "lang/pair.h"
#include "plan/context.h"
#include "plan/head.h"
#include "plan/pair.h"
#include "probe.skel.h"
#include "run/cpus.h"
#include "run/object_types.h"

enum {
	NR_FOLLOW = 2,
	LOG_SIZE = 1 << 20,
	STATS_SIZE = 1 << 14,
	ENOTSUPP = 524,				/* the kernel's own number; the C library has no text for it */
	STACK_CALLS = 4096,			/* active calls whose stacks are saved: 1 KiB each */
	PID_MAX_LIMIT = 4 << 20,		/* 64-bit kernels (6.12, include/linux/threads.h) */
};

/* What libbpf has made of a model. */
struct relocated {
	const struct bpf_program *program;
	const struct bpf_insn *insns;
	unsigned nr;
};

struct engine {
	struct probe_bpf *skel;
	struct arena arena;			/* the instructions of models */
	struct buf models;			/* of struct relocated */
	int types_fd;				/* valid while the object is loaded */
	struct bpf_link *links[NR_FOLLOW];	/* fork, exec */
	struct features *features;
	struct feature_ids ids;
	struct gate_env gate;			/* the part that is the same for all definitions */
	uint64_t patch[BP_PATCH_END - BP_PATCH_BASE];
	int scratch_fd;				/* bp_scratches; -1: no definition has needed it */
	uint32_t scratch_bytes;			/* of a record that it has room for */
	struct buf mades;			/* of struct slot: where the records of synthetic events go */
	void (*loaded)(void *ctx, const struct plan *plan, unsigned nr_insns, uint64_t verified, uint64_t usecs);	/* engine_opts.loaded */
	void *ctx;
};

/* ---- opening ---- */

/* From now on the map holds the directories. */
static int create_cgroups(struct engine *e, const struct tasks *tasks)
{
	unsigned nr = tasks ? tasks_nr_cgroups(tasks) : 0;
	uint32_t key = 0;

	if (!nr)
		return 0;
	e->gate.cgroups_fd = bpf_map_create(BPF_MAP_TYPE_CGROUP_ARRAY, "bp_cgroups", 4, 4, nr, NULL);
	if (e->gate.cgroups_fd < 0)
		return -errno;
	for (unsigned inverted = 0; inverted < 2; inverted++) {
		const struct tasks_condition *c = &tasks->conditions[TASKS_CGROUP][inverted];

		for (unsigned i = 0; i < c->nr; i++, key++) {
			if (bpf_map_update_elem(e->gate.cgroups_fd, &key, &c->numbers[i], BPF_ANY))
				return -errno;
		}
	}
	return 0;
}

static int open_gate(struct engine *e, const struct engine_opts *opts, struct diag *diag)
{
	int err;

	e->gate = opts->gate;
	err = create_cgroups(e, opts->gate.tasks);
	return err ? diag_set(diag, err, "the kernel cannot test in which cgroup a task is: %s", strerror(-err)) : 0;
}

static void set_patch(struct engine *e, enum bp_patch which, uint64_t value)
{
	e->patch[which - BP_PATCH_BASE] = value;
}

/* Finds the addresses that the programs need, if this kernel has them. */
static void find_addresses(struct engine *e, const struct ksyms *ks, bool paths)
{
	static const struct {
		const char *variable, *member;
	} counts[] = { PREEMPT_VARIABLES { NULL, NULL } };
	uint64_t preempt = 0;
	uint64_t table = ksyms_address(ks, "kretprobe_inst_table");
	uint64_t trampoline = ksyms_address(ks, "kretprobe_trampoline");	/* until 5.15 */

	if (!trampoline)
		trampoline = ksyms_address(ks, "__kretprobe_trampoline");
	for (unsigned i = 0; counts[i].variable && !preempt; i++)
		preempt = ksyms_address(ks, counts[i].variable);
	set_patch(e, BP_PATCH_PERCPU, ksyms_address(ks, "__per_cpu_offset"));
	set_patch(e, BP_PATCH_PREEMPT, e->patch[BP_PATCH_PERCPU - BP_PATCH_BASE] ? preempt : 0);
	set_patch(e, BP_PATCH_INST_TABLE, table);
	set_patch(e, BP_PATCH_ACTIVE, ksyms_address(ks, "bpf_prog_active"));
	if (paths) {
		set_patch(e, BP_PATCH_RENAME_LOCK, ksyms_address(ks, "rename_lock"));
		set_patch(e, BP_PATCH_MOUNT_LOCK, ksyms_address(ks, "mount_lock"));
	}
	set_patch(e, BP_PATCH_RETHOOK, ksyms_address(ks, "arch_rethook_trampoline"));
	if (table || engine_hides_caller(e))
		set_patch(e, BP_PATCH_TRAMPOLINE, trampoline);
}

/* Says which of the kernel's requirements is not met. */
static void explain_permission(int err, struct diag *diag)
{
	uint64_t memlock = caps_memlock();

	diag_set(diag, err, "this user may not load BPF programs");
	if (caps_note_missing(diag))
		return;
	if (memlock == UINT64_MAX) {
		caps_note_forbidden(diag);
		return;
	}
	diag_set(diag, err, "BPF's maps need more memory than this user may lock (%" PRIu64 " KiB)", memlock / 1024);
	diag_note(diag, "help: before Linux 5.11 maps count as locked memory; as root: ulimit -l unlimited");
}

int engine_explain_open(struct diag *diag, int err)
{
	if ((err == -EINVAL || err == -EPERM) && disabled_by_lockdown())
		return disabled_explain_lockdown(diag);
	switch (-err) {
	case EPERM:
	case EACCES:
		explain_permission(err, diag);
		break;
	case ESRCH:			/* libbpf's error for "no BTF found" */
	case ENOENT:
		diag_set(diag, -EOPNOTSUPP, "this kernel shows no BTF (/sys/kernel/btf/vmlinux), and bprobe's programs need it");
		if (access("/sys/kernel", F_OK))
			diag_note(diag, "help: mount sysfs first: mount -t sysfs sysfs /sys");
		else
			diag_note(diag, "help: use a kernel with CONFIG_DEBUG_INFO_BTF");
		break;
	case E2BIG:			/* 5.10: a map's entry has at most 4 MiB (kernel/bpf/arraymap.c) */
		diag_set(diag, err, "the counters for so many functions and CPUs are larger than this kernel allows");
		diag_note(diag, "help: probe fewer functions at once");
		break;
	case ENOMEM:
		diag_set(diag, err, "not enough memory for BPF's ring buffers");
		diag_note(diag, "help: make them smaller: --buffer 256K");
		break;
	default:
		diag_set(diag, err, "the kernel refused bprobe's BPF programs: %s", strerror(-err));
		break;
	}
	diag_note(diag, "help: 'bprobe --doctor' says what is missing; -v prints libbpf's messages");
	return err;
}

static int size_maps(struct engine *e, const struct engine_opts *opts)
{
	struct probe_bpf *s = e->skel;
	unsigned tasks = !opts->gate.marks ? 1 : PID_MAX_LIMIT / BP_TASKS_PER_ENTRY;

	if (bpf_map__set_max_entries(s->maps.bp_stacks, opts->saves_stacks ? STACK_CALLS : 1) ||
	    bpf_map__set_max_entries(s->maps.bp_cpus, cpus_possible()) ||
	    bpf_map__set_max_entries(s->maps.bp_tasks, tasks))
		return -errno;
	return 0;
}

/*
 * libbpf would read all of the kernel's types, although the programs name only a few. So it gets a file with only these. The types are freed before
 * libbpf opens the object: both at once would be the peak of a start (2 MB more on 6.12). They are needed again only if a module is loaded.
 */
static int open_skeleton(struct engine *e, struct kbtf *btf)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts);
	size_t len;
	const void *object = probe_bpf__elf_bytes(&len);
	auto_fd types = btf ? object_types(btf, object, len) : -1;
	char path[40];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", types);
	opts.btf_custom_path = types >= 0 && !access(path, R_OK) ? path : NULL;
	if (btf)
		kbtf_forget(btf);
	e->skel = probe_bpf__open_opts(&opts);
	if (!e->skel)
		return -errno;
	e->types_fd = take_fd(types);
	return 0;
}

static struct engine *opening;		/* the one whose object libbpf loads */

/* libbpf calls this when it is about to load @program, which it has relocated. */
static int keep_model(struct bpf_program *program, struct bpf_prog_load_opts *opts, long cookie)
{
	struct engine *e = opening;
	struct bpf_insn nothing[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K },	/* r0 = 0 */
		{ .code = BPF_JMP | BPF_EXIT },
	};
	size_t nr = bpf_program__insn_cnt(program);
	struct bpf_insn *insns = arena_array(&e->arena, struct bpf_insn, nr);
	struct relocated model = { .program = program, .insns = insns, .nr = (unsigned)nr };

	(void)cookie;
	memcpy(insns, bpf_program__insns(program), nr * sizeof(*insns));
	buf_add(&e->models, &model, sizeof(model));
	opts->func_info_cnt = 0;		/* they are the model's */
	opts->line_info_cnt = 0;
	return bpf_program__set_insns(program, nothing, ARRAY_SIZE(nothing));
}

static struct relocated relocated_of(const struct engine *e, const struct bpf_program *program)
{
	const struct relocated *model = (const struct relocated *)(const void *)e->models.data;
	size_t nr = e->models.len / sizeof(*model);

	for (size_t i = 0; i < nr; i++) {
		if (model[i].program == program)
			return model[i];
	}
	return (struct relocated){ .program = program };
}

/* Finds a program by the name that its backend uses. */
static struct bpf_program *program(const struct engine *e, const char *name)
{
	return bpf_object__find_program_by_name(e->skel->obj, name);
}

static bool is_for_entries(enum backend_model model)
{
	return model == MODEL_ENTRY || model == MODEL_ENTRY_WAITS || model == MODEL_PAIR_ENTRY;
}

/* May a definition's program be made from it? */
static bool model_is_wanted(const struct engine *e, const struct engine_opts *opts, enum backend_model model)
{
	switch (model) {
	case MODEL_ENTRY_WAITS:
	case MODEL_RETURN_WAITS:
		return opts->waits;
	case MODEL_RETURN_SAVED:
	case MODEL_SAVER:
		return opts->saves || engine_hides_caller(e);
	case MODEL_RETURN_COPIED:
	case MODEL_RETURN_TIMED:
	case MODEL_SAVER_TIMED:
		return opts->saves_time;
	case MODEL_RETURN_CALLED:
	case MODEL_SAVER_CALLED:
		return opts->saves_time && feature(e->features, FEATURE_ATOMICS);
	case MODEL_PAIR_ENTRY:
	case MODEL_PAIR_RETURN:
	case MODEL_PAIR_RETURN_SAVED:
		return opts->pairs;
	default:
		return true;
	}
}

/* Backends may share models: the first one that wants a model gets it loaded. Before, all are left out: @opts is NULL. */
static void choose_models(const struct engine *e, const struct backend *b, const struct engine_opts *opts)
{
	for (enum backend_model m = 0; m < BACKEND_MODELS; m++) {
		if (!b->program.models[m])
			continue;
		if (!opts)
			bpf_program__set_autoload(program(e, b->program.models[m]), false);
		else if (opts->may_load(opts->ctx, b, !is_for_entries(m)) && model_is_wanted(e, opts, m))
			bpf_program__set_autoload(program(e, b->program.models[m]), true);
	}
}

/* To relocate a program takes time. So only the models that definitions need are relocated. */
static void leave_out_programs(struct engine *e, const struct engine_opts *opts)
{
	const struct probe_bpf *s = e->skel;
	const struct { struct bpf_program *prog; bool wanted; } programs[] = {
		{ s->progs.bp_note_skip, opts->saves_time || opts->pairs || opts->links },
		{ s->progs.bp_pair_free, opts->pairs },
		{ s->progs.bp_path, opts->paths },
		{ s->progs.bp_made, opts->makes },
		{ s->progs.bp_mark_self, opts->gate.marks },
		{ s->progs.bp_fork, opts->gate.marks },
		{ s->progs.bp_exec, opts->gate.marks },
	};

	for (unsigned i = 0; i < ARRAY_SIZE(programs); i++)
		bpf_program__set_autoload(programs[i].prog, programs[i].wanted);
	for (unsigned i = 0; backends[i]; i++)
		choose_models(e, backends[i], NULL);
	for (unsigned i = 0; backends[i]; i++)
		choose_models(e, backends[i], opts);
}

/* Once: libbpf before 1.3 uses freed memory after its last handler was taken back. */
static int register_models(void)
{
	LIBBPF_OPTS(libbpf_prog_handler_opts, handler, .prog_prepare_load_fn = keep_model);
	static int models = -1;

	if (models < 0)
		models = libbpf_register_prog_handler("model", BPF_PROG_TYPE_SOCKET_FILTER, 0, &handler);
	return models < 0 ? models : 0;
}

static int open_object(struct engine *e, const struct engine_opts *opts)
{
	int err = register_models();

	if (!err)
		err = open_skeleton(e, opts->btf);

	if (!err)
		leave_out_programs(e, opts);
	if (!err)
		err = size_maps(e, opts);
	opening = e;
	if (!err)
		err = probe_bpf__load(e->skel);
	opening = NULL;
	if (e->types_fd >= 0)
		close(e->types_fd);
	e->types_fd = -1;
	return err;
}

int engine_open(const struct engine_opts *opts, const struct ksyms *ks, struct engine **ret,
		struct diag *diag)
{
	struct engine *e = calloc(1, sizeof(*e));
	int err;

	if (!e)
		return diag_set(diag, -ENOMEM, "out of memory");
	e->types_fd = e->scratch_fd = -1;
	set_patch(e, BP_PATCH_CPUS, cpus_possible());
	set_patch(e, BP_PATCH_ALL_TASKS, !opts->gate.marks);
	set_patch(e, BP_PATCH_SELF, opts->gate.leaves_out);
	e->features = opts->features;
	e->loaded = opts->loaded;
	e->ctx = opts->ctx;
	features_find_ids(e->features, &e->ids);
	set_patch(e, BP_PATCH_PREEMPT_VAR, e->ids.preempt_var ? BP_PREEMPT_LOAD : BP_PREEMPT_SEARCH);
	set_patch(e, BP_PATCH_PREEMPT_WIDE, e->ids.preempt_wide);
	set_patch(e, BP_PATCH_CAST, e->ids.cast_func != 0);
	if (ks)
		find_addresses(e, ks, opts->paths);
	err = open_gate(e, opts, diag);
	if (!err) {
		err = open_object(e, opts);
		if (err)
			engine_explain_open(diag, err);
	}
	if (err)
		engine_close(e);
	else
		*ret = e;
	return err;
}

void engine_close(struct engine *e)
{
	if (!e)
		return;
	for (unsigned i = 0; i < ARRAY_SIZE(e->links); i++)
		bpf_link__destroy(e->links[i]);
	probe_bpf__destroy(e->skel);
	buf_fini(&e->models);
	buf_fini(&e->mades);
	arena_fini(&e->arena);
	if (e->gate.cgroups_fd >= 0)
		close(e->gate.cgroups_fd);
	if (e->scratch_fd >= 0)
		close(e->scratch_fd);
	free(e);
}

/* ---- a definition's copy ---- */

bool engine_needs_saver(const struct engine *e, const struct plan *plan)
{
	enum backend_model saved = plan->paired.pair ? MODEL_PAIR_RETURN_SAVED : MODEL_RETURN_SAVED;

	return plan->layout.backend->program.models[saved] && (plan->saved.any || (plan->target.is_return && engine_hides_caller(e)));
}

bool engine_saver_is_last(const struct engine *e, const struct plan *plan)
{
	return engine_hides_caller(e) || plan->saved.stack;
}

bool engine_hides_caller(const struct engine *e)
{
	return feature(e->features, FEATURE_HIDES_CALLER);
}

static enum backend_model waiting(const struct plan *plan, enum backend_model plain, enum backend_model waits)
{
	return plan->faults_in && plan->layout.backend->program.models[waits] ? waits : plain;
}

static enum backend_model model_of(const struct engine *e, const struct plan *plan, const struct channel *ch)
{
	bool saver = engine_needs_saver(e, plan);

	if (!plan->target.is_return)
		return plan->paired.pair ? MODEL_PAIR_ENTRY : waiting(plan, MODEL_ENTRY, MODEL_ENTRY_WAITS);
	if (plan->paired.pair)
		return saver ? MODEL_PAIR_RETURN_SAVED : MODEL_PAIR_RETURN;
	if (!saver)
		return waiting(plan, MODEL_RETURN, MODEL_RETURN_WAITS);
	if (!plan->saved.time)
		return MODEL_RETURN_SAVED;
	return ch->saves_calls ? MODEL_RETURN_CALLED : ch->saves_only_time ? MODEL_RETURN_TIMED : MODEL_RETURN_COPIED;
}

static enum backend_model saver_of(const struct channel *ch)
{
	return ch->saves_calls ? MODEL_SAVER_CALLED : ch->saves_only_time ? MODEL_SAVER_TIMED : MODEL_SAVER;
}

static bool is_saver(enum backend_model model)
{
	return model >= MODEL_SAVER && model <= MODEL_SAVER_CALLED;
}

static uint32_t short_bytes(const struct plan *plan)
{
	return plan->layout.short_size + plan_room(plan);
}

static uint32_t long_bytes(const struct plan *plan)
{
	return plan->layout.long_size ? plan->layout.long_size + plan_room(plan) : 0;
}

/* Strings end at a multiple of 8. The verifier knows that, but for it a stack behind them may begin at up to 7 bytes more. */
enum { SCRATCH_SLACK = 8 };

/*
 * Programs that were loaded before go on with the map that they have: what is in it lasts no longer than a hit. A hit of a definition that
 * counts or switches becomes a record only if it could not be counted, or if its event is switched on.
 */
static int open_scratch(struct engine *e, const struct plan *plan)
{
	uint32_t bytes = plan_uses_scratch(plan) ? MAX(short_bytes(plan), long_bytes(plan)) : 0;
	int fd;

	if (bytes <= e->scratch_bytes)
		return 0;
	fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "bp_scratches", 4, (uint32_t)sizeof(struct bp_scratch) + bytes + SCRATCH_SLACK,
			    cpus_possible() * BP_SCRATCH_LEVELS, NULL);
	if (fd < 0)
		return -errno;
	if (e->scratch_fd >= 0)
		close(e->scratch_fd);
	e->scratch_fd = fd;
	e->scratch_bytes = bytes;
	return 0;
}

/* The values of a channel for records of @size bytes. */
static void set_ring(struct model *m, const struct channel *ch, uint32_t size)
{
	uint64_t *values = m->values;

	values[BP_PATCH_SHORT - BP_PATCH_BASE] = size;
	values[BP_PATCH_SECRET - BP_PATCH_BASE] = ch->secret;
	values[BP_PATCH_SHORT_SEAL - BP_PATCH_BASE] = ch->secret ^ (uint64_t)size << BP_SEAL_SHIFT;
	values[BP_PATCH_RING_BYTES - BP_PATCH_BASE] = ch->ring_size;
	values[BP_PATCH_RING_MASK - BP_PATCH_BASE] = ch->ring_size - 8;
	values[BP_PATCH_OVERWRITES - BP_PATCH_BASE] = ch->overwrites;
	values[BP_PATCH_PART_MASK - BP_PATCH_BASE] = ch->ring_size / BP_RING_PARTS - 1;
	values[BP_PATCH_PART_SHIFT - BP_PATCH_BASE] = (uint64_t)__builtin_ctzll(ch->ring_size / BP_RING_PARTS);
}

static void set_head(struct model *m, unsigned parts)
{
	uint64_t *values = m->values;

	values[BP_PATCH_HEAD_TIME - BP_PATCH_BASE] = !!(parts & HEAD_TIME);
	values[BP_PATCH_HEAD_PID - BP_PATCH_BASE] = !!(parts & HEAD_PID);
	values[BP_PATCH_HEAD_COMM - BP_PATCH_BASE] = !!(parts & HEAD_COMM);
	values[BP_PATCH_HEAD_PLACE - BP_PATCH_BASE] = !!(parts & HEAD_PLACE);
	values[BP_PATCH_HEAD_LINE - BP_PATCH_BASE] = !!(parts & HEAD_LINE);
}

static void set_record(struct model *m, const struct plan *plan, const struct channel *ch)
{
	const struct layout *l = &plan->layout;
	uint64_t *values = m->values;

	set_head(m, head_parts(plan));
	values[BP_PATCH_ONLY_COUNTS - BP_PATCH_BASE] = count_is_all(plan);

	set_ring(m, ch, short_bytes(plan));
	values[BP_PATCH_LONG - BP_PATCH_BASE] = long_bytes(plan);
	values[BP_PATCH_SCRATCH - BP_PATCH_BASE] = plan_uses_scratch(plan) ? MAX(short_bytes(plan), long_bytes(plan)) : 0;
	values[BP_PATCH_STRINGS - BP_PATCH_BASE] = BP_BODY_OFF + l->dyn_off;
	values[BP_PATCH_SHRINKS - BP_PATCH_BASE] = count_gives_back(plan);
}

void engine_set_made(struct engine *e, const struct slot *slot)
{
	buf_add(&e->mades, slot, sizeof(*slot));
}

/* What writes the records of synthetic event @nr. */
static void make_writer(const struct engine *e, const struct count_made *made, struct model *m)
{
	const struct slot *slot = &((const struct slot *)(const void *)e->mades.data)[made->nr];
	const struct relocated relocated = relocated_of(e, e->skel->progs.bp_made);
	const struct channel *ch = slot->channel;
	uint64_t *values = m->values;

	*m = (struct model){
		.insns = relocated.insns, .nr = relocated.nr, .ids = &e->ids, .stats_fd = ch->stats_fd, .gate = e->gate,
		.maps = { { bpf_map__fd(e->skel->maps.bp_rings), ch->rings_fd }, { bpf_map__fd(e->skel->maps.bp_bell), ch->bell_fd },
			  { -1, -1 }, { -1, -1 }, { -1, -1 }, { -1, -1 }, { -1, -1 } },
	};
	memcpy(values, e->patch, sizeof(e->patch));
	set_ring(m, ch, made->plan->layout.short_size);
	values[BP_PATCH_PROBE - BP_PATCH_BASE] = slot->id;
	values[BP_PATCH_STATS - BP_PATCH_BASE] = channel_stat_offset(slot->index);
	values[BP_PATCH_STATS_SHIFT - BP_PATCH_BASE] = ch->shift;
	values[BP_PATCH_ATOMICS - BP_PATCH_BASE] = e->gate.atomics;
	m->gate.tracing = ch->tracing;
	m->gate.event = (struct act_word){ -1, 0 };
	m->gate.stats_fd = ch->stats_fd;
	m->gate.stat_offset = channel_stat_offset(slot->index);
	m->gate.shift = ch->shift;
	m->gate.nr_cpus = ch->nr_cpus;
	if (ch->tracing.fd >= 0) {
		values[BP_PATCH_SWITCHED - BP_PATCH_BASE] = BP_SWITCHED_TRACING;
		values[BP_PATCH_TRACING - BP_PATCH_BASE] = ch->tracing.off;
	}
}

static const struct model *make_writers(const struct engine *e, const struct plan *plan, struct arena *arena)
{
	struct model *writers;
	unsigned nr = 0;

	for (const struct count_made *made = plan->sets_off.mades; made; made = made->next)
		nr++;
	writers = arena_array(arena, struct model, nr);
	for (const struct count_made *made = plan->sets_off.mades; made; made = made->next) {
		if (made->is_line || made->plan->filter)
			make_writer(e, made, &writers[made->nr]);
	}
	return writers;
}

/* Makes a definition's own instructions: a copy of its backend's @which with its values and its code. */
static int make_program(const struct engine *e, const struct plan *plan, const struct slot *slot,
			enum backend_model which, struct code *c, struct diag *diag)
{
	const struct channel *ch = slot->channel;
	const struct relocated relocated = relocated_of(e, program(e, plan->layout.backend->program.models[which]));
	const struct relocated path = plan->path_room ? relocated_of(e, e->skel->progs.bp_path) : (struct relocated){ 0 };
	uint32_t stat = channel_stat_offset(slot->index);
	struct model model = {
		.insns = relocated.insns,
		.nr = relocated.nr,
		.path = path.insns,
		.nr_path = path.nr,
		.ids = &e->ids,
		.stats_fd = ch->stats_fd,
		.selves_fd = ch->selves_fd,
		.calls_fd = ch->saved_fd,
		.places_fd = plan->paired.pair ? ch->pair_place_fds[plan->paired.pair->nr] : -1,
		.on_stack_of_task = plan->target.path && feature(e->features, FEATURE_PRIVATE_STACKS),
		.maps = { { bpf_map__fd(e->skel->maps.bp_rings), ch->rings_fd },
			  { bpf_map__fd(e->skel->maps.bp_bell), ch->bell_fd },
			  { bpf_map__fd(e->skel->maps.bp_saved), ch->saved_fd },
			  { bpf_map__fd(e->skel->maps.bp_times), ch->saved_fd },
			  { bpf_map__fd(e->skel->maps.bp_skips), ch->skips_fd },
			  { bpf_map__fd(e->skel->maps.bp_scratches), e->scratch_fd },
			  { bpf_map__fd(e->skel->maps.bp_pairs), plan->paired.pair ? ch->pair_fds[plan->paired.pair->nr] : -1 } },
		.gate = e->gate,
		.is_saver = is_saver(which),
	};
	uint64_t *values = model.values;

	model.writers = make_writers(e, plan, c->arena);
	model.gate.stats_fd = ch->stats_fd;
	model.gate.selves_fd = ch->selves_fd;
	model.gate.stat_offset = stat;
	model.gate.shift = ch->shift;
	model.gate.nr_cpus = ch->nr_cpus;
	model.gate.probe = slot->index - slot->behind;
	model.gate.marks_fd = bpf_map__fd(e->skel->maps.bp_tasks);
	model.gate.rate_offset = channel_rate_offset(ch, slot->index - slot->behind);
	model.gate.once_fd = ch->once_fd;
	model.gate.id = slot->id;
	model.gate.bell_fd = ch->bell_fd;
	model.gate.skips_fd = ch->skips_fd;
	model.gate.tif_resched = context_tif_resched(release_running());
	if (plan->layout.backend->adds_depth && release_counts_preemption())
		model.gate.adds_depth = plan->layout.backend->adds_depth(release_running(), plan->target.is_return);
	model.gate.tracing = ch->tracing;
	model.gate.event = slot->event;
	model.gate.stacks_fd = bpf_map__fd(e->skel->maps.bp_stacks);
	memcpy(values, e->patch, sizeof(e->patch));
	if (plan->bundled && e->ids.cast_func && values[BP_PATCH_PREEMPT - BP_PATCH_BASE])
		values[BP_PATCH_PREEMPT_VAR - BP_PATCH_BASE] = BP_PREEMPT_CAST;
	/* What the gate tests, the program need not test. */
	if (gate_is_needed(plan, &model.gate, model.is_saver))
		values[BP_PATCH_ALL_TASKS - BP_PATCH_BASE] = 1;
	values[BP_PATCH_PROBE - BP_PATCH_BASE] = slot->id;
	values[BP_PATCH_SAVES_STACK - BP_PATCH_BASE] = plan->saved.stack;
	values[BP_PATCH_STATS - BP_PATCH_BASE] = stat;
	values[BP_PATCH_STATS_SHIFT - BP_PATCH_BASE] = ch->shift;
	set_record(&model, plan, ch);
	values[BP_PATCH_FUNC - BP_PATCH_BASE] = plan->seen_func;
	values[BP_PATCH_COUNTS - BP_PATCH_BASE] = counter_in_program(plan);
	if (model.gate.tracing.fd >= 0 && !plan->sets_off.counts)
		values[BP_PATCH_SWITCHED - BP_PATCH_BASE] = act_code_tests(plan);
	values[BP_PATCH_TRACING - BP_PATCH_BASE] = model.gate.tracing.off;
	values[BP_PATCH_EVENT - BP_PATCH_BASE] = model.gate.event.off;
	values[BP_PATCH_FLAGS - BP_PATCH_BASE] = plan->layout.backend->shows_flags &&
							  plan->layout.backend->shows_flags(e->features);
	values[BP_PATCH_FUNC_IP - BP_PATCH_BASE] = plan->layout.backend->hit.places[plan->target.is_return] == PLACE_FUNC_IP;
	values[BP_PATCH_USER - BP_PATCH_BASE] = plan->target.path != NULL;
	values[BP_PATCH_FAULTS_IN - BP_PATCH_BASE] = !plan->faults_in ? BP_FAULTS_IN_NEVER :
						     fault_in_acts_once(plan) ? BP_FAULTS_IN_ONCE : BP_FAULTS_IN_AGAIN;
	values[BP_PATCH_ATOMICS - BP_PATCH_BASE] = model.gate.atomics;
	values[BP_PATCH_NESTS - BP_PATCH_BASE] = plan->layout.backend->program.may_nest;
	values[BP_PATCH_WATCHES - BP_PATCH_BASE] = ch->skips_fd >= 0;
	values[BP_PATCH_SAVES_TIME - BP_PATCH_BASE] = plan->saved.time;
	values[BP_PATCH_PAIR_ENDS - BP_PATCH_BASE] = plan->paired.ends;
	values[BP_PATCH_PAIR_FIELD - BP_PATCH_BASE] = plan->paired.pair && plan->paired.pair->field;
	values[BP_PATCH_SILENT - BP_PATCH_BASE] = pair_is_silent(plan);
	values[BP_PATCH_PAIR_SIEVE - BP_PATCH_BASE] = plan->paired.pair && pair_needs_record(plan);
	if (plan->layout.backend->program.patch)
		plan->layout.backend->program.patch(plan, values);
	return model_copy(&model, plan, c, diag);
}

/* Names of BPF objects have 15 characters of [A-Za-z0-9_.]. Event names have the same characters, but are longer. */
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
		return;
	}
	if (err == -ENOTSUPP) {
		diag_at(diag, err, plan->def->head_at, "the kernel refused the program of this definition: it is not supported%s",
			disabled_jit() ? " while the BPF compiler is switched off" : "");
		if (disabled_jit())
			diag_note(diag, "help: sysctl net.core.bpf_jit_enable=1");
	} else {
		diag_at(diag, err, plan->def->head_at, "the kernel refused the program of this definition: %s",
			strerror(-err));
		/* Since 6.9 maps and other programs need CAP_BPF only, so this is the first one that needs more. */
		if (err == -EPERM && caps_note_missing(diag))
			return;
	}
	/* The verifier's verdict is the last line before its statistics. */
	for (size_t at = len + 1; at-- > 0 && shown < 4;) {
		const char *line = log + at;

		if ((!at || line[-1] == '\n') && *line && *line != '\n' && strncmp(line, "processed ", 10)) {
			diag_note(diag, "verifier: %.*s", (int)strcspn(line, "\n"), line);
			shown++;
		}
	}
}

/*
 * The verifier's statistics are "verification time 350 usec", ..., "processed 498 insns (limit 1000000) ...": print_verification_stats() (5.10 to 7.2,
 * kernel/bpf/verifier.c). The kernel gives the number itself since 5.16 only (bpf_prog_info.verified_insns).
 */
static void tell_size(const struct engine *e, const struct plan *plan, const struct code *c, const char *stats)
{
	const char *time = strstr(stats, "verification time "), *at = strstr(stats, "processed ");

	if (time && at)
		e->loaded(e->ctx, plan, c->nr, strtoull(at + strlen("processed "), NULL, 10), strtoull(time + strlen("verification time "), NULL, 10));
}

/*
 * A signal ends the verifier with EAGAIN (do_check(), kernel/bpf/verifier.c, 5.10 to 7.2). A signal that never reaches bprobe's handlers does it,
 * too: a stop, a debugger, the freezer. libbpf tries five times. That is not enough for a large program if such signals come again and again.
 */
#define LOAD_ATTEMPTS 1000

/* Loads @c. After a failure loads it again to get the verifier's message. */
static int load_code(const struct engine *e, const struct plan *plan, const struct code *c, bool sleeps, int *ret_fd, struct diag *diag)
{
	const struct backend *backend = plan->layout.backend;
	LIBBPF_OPTS(bpf_prog_load_opts, opts,
		.expected_attach_type = backend->program.attach_types[plan->target.is_return],
		.attach_btf_id = backend->program.btf_id ? backend->program.btf_id(plan) : 0,
		.prog_flags = sleeps ? BPF_F_SLEEPABLE : 0,
		.attempts = LOAD_ATTEMPTS,
	);
	char name[16], *log, *stats = e->loaded ? calloc(1, STATS_SIZE) : NULL;
	int err, fd;

	program_name(plan, name);
	if (stats) {
		opts.log_buf = stats;
		opts.log_size = STATS_SIZE;
		opts.log_level = 4;	/* BPF_LOG_STATS: include/linux/bpf_verifier.h */
	}
	fd = bpf_prog_load(backend->program.type, name, "GPL", c->insns, c->nr, &opts);
	if (fd >= 0) {
		if (stats)
			tell_size(e, plan, c, stats);
		free(stats);
		*ret_fd = fd;
		return 0;
	}
	err = -errno;
	free(stats);
	log = calloc(1, LOG_SIZE);
	opts.log_buf = log;
	opts.log_size = log ? LOG_SIZE : 0;
	opts.log_level = log ? 1 : 0;
	fd = bpf_prog_load(backend->program.type, name, "GPL", c->insns, c->nr, &opts);
	if (fd >= 0)
		close(fd);
	explain_load(plan, err, log ? log : "", diag);
	free(log);
	return err;
}

static int load_copy(struct engine *e, const struct plan *plan, const struct slot *slot,
		     enum backend_model which, int *ret_fd, struct diag *diag)
{
	struct arena arena = { 0 };
	struct code code = { .arena = &arena };
	int err = open_scratch(e, plan);

	if (err)
		return engine_explain_open(diag, err);
	err = make_program(e, plan, slot, which, &code, diag);
	if (!err)
		err = load_code(e, plan, &code, plan->faults_in, ret_fd, diag);
	arena_fini(&arena);
	return err;
}

/* ---- tasks that may miss programs ---- */

static bool misses_entries(const struct engine *e, const struct backend *b)
{
	return b->misses_entries && b->misses_entries(e->features);
}

/* A task misses hits of both events of a pair on the same CPUs, so it does not matter which backends the events have. */
bool engine_must_watch(const struct engine *e, const struct plan *plan, bool for_all)
{
	if (plan->saved.time && misses_entries(e, plan->layout.backend))
		return true;
	return ((plan->saved.time && for_all) || plan->paired.ends || plan->def->is_linked) && misses_entries(e, backend_last_resort(PROBE_KPROBE));
}

/*
 * Attaches a copy of @program, which is of no definition, to @tracepoint. It uses the map @to in place of @from. @places: the map of a
 * bp_pair_places; -1: it needs none.
 */
static int attach_copy(const struct engine *e, const struct bpf_program *program, int from, int to, int places, const char *tracepoint,
		       int *ret_link)
{
	struct arena arena = { 0 };
	struct code code = { .arena = &arena };
	const struct relocated relocated = relocated_of(e, program);
	struct model model = { .insns = relocated.insns, .nr = relocated.nr, .ids = &e->ids, .places_fd = places, .gate = e->gate };
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .attempts = LOAD_ATTEMPTS);
	struct diag ignored = { 0 };
	auto_fd fd = -1;
	int err;

	memcpy(model.values, e->patch, sizeof(e->patch));
	model.values[BP_PATCH_ATOMICS - BP_PATCH_BASE] = e->gate.atomics;
	for (unsigned i = 0; i < ARRAY_SIZE(model.maps); i++)
		model.maps[i].from = -1;
	model.maps[0].from = from;
	model.maps[0].to = to;
	err = model_copy_plain(&model, &code, &ignored);
	if (!err) {
		fd = bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, bpf_program__name(program), "GPL", code.insns, code.nr, &opts);
		err = fd < 0 ? -errno : 0;
	}
	if (!err) {
		*ret_link = bpf_raw_tracepoint_open(tracepoint, fd);
		err = *ret_link < 0 ? -errno : 0;
	}
	diag_fini(&ignored);
	arena_fini(&arena);
	return err;
}

int engine_watch(struct engine *e, struct channel *ch, struct diag *diag)
{
	int err;

	if (ch->watch_fd >= 0)
		return 0;
	ch->skips_fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "bp_switches", 4, 8, BP_SKIPS_CPUS + ch->nr_cpus, NULL);	/* as in older stores */
	err = ch->skips_fd < 0 ? -errno : 0;
	if (!err)
		err = attach_copy(e, e->skel->progs.bp_note_skip, bpf_map__fd(e->skel->maps.bp_skips), ch->skips_fd, -1,
				  "sched_switch", &ch->watch_fd);
	return err ? diag_set(diag, err, "cannot watch where tasks run, so durations would not be certain: %s", strerror(-err)) : 0;
}

int engine_clean_pair(struct engine *e, struct channel *ch, unsigned nr, struct diag *diag)
{
	int *places = &ch->pair_place_fds[nr], err = 0;

	if (e->gate.atomics) {
		*places = bpf_map_create(BPF_MAP_TYPE_ARRAY, "bp_pair_places", 4, sizeof(struct bp_pair_places), 1, NULL);
		err = *places < 0 ? -errno : 0;
	}
	if (!err)
		err = attach_copy(e, e->skel->progs.bp_pair_free, bpf_map__fd(e->skel->maps.bp_pairs), ch->pair_fds[nr], *places,
				  "sched_process_free", &ch->pair_clean_fds[nr]);
	return err ? diag_set(diag, err, "cannot watch which tasks end, so their pairs would stay: %s", strerror(-err)) : 0;
}

/* ---- loading ---- */

int engine_load(struct engine *e, const struct plan *plan, const struct slot *slot, int *ret_fd,
		struct diag *diag)
{
	return load_copy(e, plan, slot, model_of(e, plan, slot->channel), ret_fd, diag);
}

static int create_programs(const int *prog_fds, unsigned nr)
{
	auto_fd fd = bpf_map_create(BPF_MAP_TYPE_PROG_ARRAY, "bp_programs", 4, 4, nr, NULL);

	for (uint32_t i = 0; fd >= 0 && i < nr; i++) {
		if (bpf_map_update_elem(fd, &i, &prog_fds[i], BPF_ANY))
			return -errno;
	}
	return fd < 0 ? -errno : take_fd(fd);
}

int engine_load_dispatcher(const struct engine *e, const struct plan *plan, const int *prog_fds, int *ret_fd, int *ret_map_fd, struct diag *diag)
{
	const struct target *t = &plan->target;
	struct arena arena = { 0 };
	struct code code = { .arena = &arena };
	auto_fd map = create_programs(prog_fds, t->nr_addrs);
	int err;

	if (map < 0)
		return diag_set(diag, map, "the kernel refused a map of programs: %s", strerror(-map));
	dispatch_emit(t->addrs, t->nr_addrs, map, REG_IP, &code);
	err = code.overflow ? diag_set(diag, -E2BIG, "too many functions for one program") : load_code(e, plan, &code, false, ret_fd, diag);
	if (!err)
		*ret_map_fd = take_fd(map);
	arena_fini(&arena);
	return err;
}

int engine_load_saver(struct engine *e, const struct plan *plan, const struct slot *slot, int *ret_fd,
		      struct diag *diag)
{
	return load_copy(e, plan, slot, saver_of(slot->channel), ret_fd, diag);
}

/* This command waits for a grace period of RCU (kernel/sched/membarrier.c). Where it is missing, a program that runs may be too late. */
void engine_wait_for_programs(void)
{
	syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
}

/* ---- COMMAND and its descendants ---- */

int engine_follow(struct engine *e, struct diag *diag)
{
	struct bpf_program *const follow[] = { e->skel->progs.bp_fork, e->skel->progs.bp_exec };

	for (unsigned i = 0; i < ARRAY_SIZE(follow); i++) {
		e->links[i] = bpf_program__attach(follow[i]);
		if (!e->links[i])
			return diag_set(diag, -errno, "cannot follow forks and execs, so bprobe does not know which tasks descend "
					"from COMMAND: %s; use -a to trace every task", strerror(errno));
	}
	return 0;
}

int engine_mark_fd(const struct engine *e)
{
	return bpf_program__fd(e->skel->progs.bp_mark_self);
}

int engine_mark_self(const struct engine *e)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);

	return bpf_prog_test_run_opts(bpf_program__fd(e->skel->progs.bp_mark_self), &opts) ? -errno : 0;
}
