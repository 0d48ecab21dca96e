// SPDX-License-Identifier: GPL-2.0-only
/*
 * load.c - loads the programs of a set, and makes the rings that they write to.
 */
#include "set/set_priv.h"

#include <errno.h>
#include <inttypes.h>

#include "base/files.h"
#include "base/progress.h"
#include "bprobe_abi.h"
#include "gen/tasks.h"
#include "plan/cold.h"
#include "plan/count.h"
#include "plan/filter_plan.h"
#include "run/cpus.h"
#include "run/switch_map.h"
#include "set/links.h"
#include "set/pairs.h"

/* What a record takes while it is made. A trigger that is set later may need the room for a key, too. */
static uint32_t record_room(const struct plan *plan)
{
	const struct layout *l = &plan->layout;

	return MAX(l->short_size, l->long_size) + MAX(l->nr_strings ? (uint32_t)COUNT_MAX_KEY : 0, plan->path_room);
}

/* No record may be larger than its ring. The rest of the ring is for records that come while this one is read. */
uint64_t set_ring_size(const struct set *s)
{
	uint64_t size = s->opts->buffer;

	for (unsigned i = 0; size && i < s->nr_probes; i++) {
		if (s->probes[i].plan)
			size = MAX(size, 4 * (uint64_t)record_room(s->probes[i].plan));
	}
	return size;
}

/* If the kernel refuses a program, a dearer backend is used, and this is reported. True: the caller may try again. */
bool set_fall_back(struct set *s, struct probe *p, struct diag *diag)
{
	if (s->opts->attach || !p->plan->layout.backend->may_be_refused || !backend_fallback(p->plan))
		return false;
	attached_close(&p->attached);
	backend_fall_back(p->plan, arena_strdup(&s->arena, buf_str(&diag->msg)));
	diag_fini(diag);
	return true;
}

int set_load_as_planned(struct set *s, struct probe *p, struct diag *diag)
{
	/* What is kept may be refused when it is enabled again. Then it gets another backend for the same channel. */
	int err = engine_must_watch(s->engine, p->plan, s->host->stays) ? engine_watch(s->engine, p->slot.channel, diag) : 0;

	if (err)
		return err;
	/* All functions of a pattern belong to one definition. */
	p->slot.behind = 0;
	while (probe_follows(p - p->slot.behind))
		p->slot.behind++;
	err = engine_load(s->engine, p->plan, &p->slot, &p->attached.prog_fd, diag);
	p->selects = filter_needs_user(p->plan);
	if (!err && engine_needs_saver(s->engine, p->plan))
		err = engine_load_saver(s->engine, p->plan, &p->slot, &p->saver.prog_fd, diag);
	return err;
}

/* Programs that may sleep may use fewer kinds of maps: until 7.3 none for --cgroup. */
static int load_planned(struct set *s, struct probe *p, struct diag *diag)
{
	int err = set_load_as_planned(s, p, diag);

	if (!err || !cold_stop_waiting(p->plan))
		return err;
	attached_close(&p->attached);
	diag_fini(diag);
	return set_load_as_planned(s, p, diag);
}

int set_load_probe(struct set *s, struct probe *p, struct diag *diag)
{
	int err = load_planned(s, p, diag);
	bool must_count = (p->plan->sets_off.counts && (p->plan->sets_off.counts->drops || s->opts->overwrites)) || p->plan->sets_off.acts;

	/* The verifier may refuse the tests of the filter. */
	if (err && !must_count && stage_filter_to_user(p->plan)) {
		attached_close(&p->attached);
		diag_fini(diag);
		err = set_load_as_planned(s, p, diag);
		if (err)
			stage_filter_back(p->plan);
	}
	/* ... or what counts: then user space does. */
	if (err && p->plan->sets_off.counts && !must_count) {
		stage_counts_to_user(p->plan);
		attached_close(&p->attached);
		diag_fini(diag);
		err = set_load_as_planned(s, p, diag);
	}
	return err && set_fall_back(s, p, diag) ? set_load_as_planned(s, p, diag) : err;
}

/* For a waiting probe this is not known yet: it counts as one that saves. */
static bool has_saver(const struct set *s)
{
	for (unsigned i = 0; i < s->nr_probes; i++) {
		if (!s->probes[i].plan || s->probes[i].plan->saved.any)
			return true;
	}
	return false;
}

static bool has_times(const struct set *s)
{
	for (unsigned i = 0; i < s->nr_probes; i++) {
		if (!s->probes[i].plan || s->probes[i].plan->saved.time)
			return true;
	}
	return false;
}

static bool waits(const struct set *s)
{
	for (unsigned i = 0; i < s->nr_probes; i++) {
		if (!s->probes[i].plan || s->probes[i].plan->faults_in)
			return true;
	}
	return false;
}

static bool saves_stacks(const struct set *s)
{
	for (unsigned i = 0; i < s->nr_probes; i++) {
		const struct probe *p = &s->probes[i];

		if (p->plan ? p->plan->saved.stack : p->def->kind == DEF_RETURN && p->def->stacks & 1u << STACK_KERNEL)
			return true;
	}
	return false;
}

static bool makes_paths(const struct set *s)
{
	for (unsigned i = 0; i < s->nr_probes; i++) {
		const struct probe_def *def = s->probes[i].def;

		for (unsigned k = 0; k < def->nr_args; k++) {
			if (def->args[k].type.kind == TYPE_PATH)
				return true;
		}
	}
	return false;
}

/* Bytes that are saved of an entry, if something is. */
static uint32_t saved_bytes(const struct set *s)
{
	bool whole = s->engine && engine_hides_caller(s->engine);

	for (unsigned i = 0; !whole && i < s->nr_probes; i++)
		whole = !s->probes[i].plan || s->probes[i].plan->saved.params;
	if (!has_times(s))
		return BP_SAVED_NO_TIME;
	return whole ? sizeof(struct bp_saved) : sizeof(uint64_t);
}

/*
 * Which programs may be loaded: the planned ones, or those that they become if the kernel refuses them or the link that they
 * share. For a waiting probe: any.
 */
static bool may_load(void *ctx, const struct backend *backend, bool is_return)
{
	const struct set *s = ctx;

	for (unsigned i = 0; i < s->nr_probes; i++) {
		const struct plan *plan = s->probes[i].plan;

		if (!plan || (plan->target.is_return == is_return &&
			      (backend == plan->layout.backend || backend == backend_fallback(plan) ||
			       (plan->bundled && backend == plan->alone.backend))))
			return true;
	}
	return false;
}

/* The number of descriptors for all probes, for the rings and for bprobe itself. */
static uint64_t nr_descriptors(const struct set *s)
{
	enum { EACH = 3, OWN = 64 };	/* a program, a perf event and a link; maps, streams and the like */
	uint64_t nr = OWN + 2 * (uint64_t)cpus_possible();

	for (unsigned i = 0; i < s->nr_probes; i++) {
		const struct plan *plan = s->probes[i].plan;

		nr += plan && plan->saved.any ? 2 * EACH : EACH;
	}
	return nr;
}

int set_advise_files(const struct set *s, int err, struct diag *diag)
{
	if (err == -EMFILE)
		files_advise(nr_descriptors(s), diag);
	return err;
}

/* Of a waiting probe the records are not known yet. */
static uint32_t longest_record(const struct set *s)
{
	uint32_t longest = 0;

	for (unsigned i = 0; i < s->nr_probes; i++) {
		const struct plan *plan = s->probes[i].plan;

		longest = MAX(longest, plan ? record_room(plan) : BP_BODY_OFF + LAYOUT_MAX_BODY + sizeof(struct bp_path));
	}
	for (const struct count_made *made = s->mades; made; made = made->next)
		longest = MAX(longest, made->plan->layout.short_size);
	return longest;
}

struct channel_opts set_channel_opts(struct set *s, bool saves)
{
	return (struct channel_opts){
		.nr_probes = s->nr_probes + (s->mades && !s->host->open_channels ? s->nr_synthetics : 0),
		.ring_size = set_ring_size(s),
		.max_record = longest_record(s),
		.atomics = feature(&s->machine.features, FEATURE_ATOMICS),
		.saves = saves || (s->engine && engine_hides_caller(s->engine)),
		.saved_bytes = saved_bytes(s),
		.once = s->opts->limit.once,
		.overwrites = s->opts->overwrites,
		.nr_pairs = s->nr_pairs,
	};
}

/* Kept synthetic events have channels of their own. */
static int open_mades(struct set *s, struct diag *diag)
{
	int err = 0;

	for (const struct count_made *made = s->mades; made && !err; made = made->next) {
		struct slot slot;

		err = s->host->open_made(s->host_ctx, s, made->nr, &slot, diag);
		if (!err)
			engine_set_made(s->engine, &slot);
	}
	return err;
}

static int open_channel(struct set *s, bool saves, struct diag *diag)
{
	const struct channel_opts opts = set_channel_opts(s, saves);
	int err;

	if (s->host->open_channels) {
		err = s->host->open_channels(s->host_ctx, s, opts.saves, diag);
		return err ? err : open_mades(s, diag);
	}
	err = !s->selves.table ? selves_create(&s->selves) : 0;
	if (!err)
		err = channel_create(&opts, &s->channel, diag);
	if (!err)
		s->channel->selves_fd = s->selves.fd;
	if (!err && s->has_switches)
		s->channel->tracing = switch_map_word(s->switch_fd, 0);
	for (unsigned i = 0; !err && i < s->nr_probes; i++)
		s->probes[i].slot = (struct slot){ .channel = s->channel, .index = i, .id = i, .event = s->probes[i].slot.event };
	for (const struct count_made *made = err ? NULL : s->mades; made; made = made->next) {
		unsigned i = s->nr_probes + made->nr;

		engine_set_made(s->engine, &(struct slot){ .channel = s->channel, .index = i, .id = i });
	}
	return err && !diag->err ? engine_explain_open(diag, err) : err;
}

bool set_leaves_out(const struct set *s, bool all_tasks)
{
	return all_tasks && !s->opts->self && !tasks_lists_pids(&s->opts->tasks);
}

struct gate_env set_gate(struct set *s, bool all_tasks)
{
	return (struct gate_env){
		.tasks = &s->opts->tasks, .task = &s->task, .pid_level = s->self.level, .marks = !all_tasks,
		.leaves_out = set_leaves_out(s, all_tasks),
		/* An explanation has no rings, so only its limits ask for this. */
		.atomics = (!s->host->explains || limit_is_set(&s->opts->limit)) && feature(&s->machine.features, FEATURE_ATOMICS),
		.stats_fd = -1, .selves_fd = -1, .marks_fd = -1, .cgroups_fd = -1, .once_fd = -1, .bell_fd = -1, .skips_fd = -1,
		.tracing = { -1, 0 }, .event = { -1, 0 },
	};
}

static bool has_user_returns(const struct set *s)
{
	for (unsigned i = 0; i < s->nr_probes; i++) {
		const struct probe *p = &s->probes[i];

		if (p->def->probe == PROBE_UPROBE && (!p->plan || p->plan->target.is_return))
			return true;
	}
	return false;
}

/* Finds what the tests of tasks, the limits and the returns of user functions need to know, if they are used. */
static int find_tasks(struct set *s, bool all_tasks, struct diag *diag)
{
	const struct tasks *tasks = &s->opts->tasks;
	int err = 0;

	ktask_find(NULL, &s->task);
	if (!tasks_is_all(tasks) || limit_is_set(&s->opts->limit) || identity_pidns() || has_user_returns(s))
		ktask_find(s->machine.btf, &s->task);
	if (s->opts->limit.once && s->task.start_time < 0)
		err = diag_set(diag, -EOPNOTSUPP, "--once needs the kernel's BTF, to know when a task was started");
	if (!err)
		err = tasks_check(tasks, &s->task, diag);
	if (!err && (tasks_is_nested(tasks) || set_leaves_out(s, all_tasks)))
		err = identity_find(&s->task, &s->self, diag);
	return err;
}

int set_leave_out(struct set *s, pid_t helper, struct diag *diag)
{
	uint32_t other = 0;
	int err = 0;

	if (!s->self.tgid || !s->selves.table)
		return 0;
	if (helper)
		err = identity_of_child(&s->task, &s->self, helper, &other, diag);
	if (err)
		return err;
	selves_add(&s->selves, s->self.tgid, !s->self.level);
	if (other)
		selves_add(&s->selves, other, !s->self.level);
	return 0;
}

static void print_size(void *ctx, const struct plan *plan, unsigned nr_insns, uint64_t verified, uint64_t usecs)
{
	(void)ctx;
	fprintf(stderr, "%s: program of %u instructions, verified: %" PRIu64 ", in %" PRIu64 " us\n", plan->layout.event, nr_insns, verified, usecs);
}

int set_load(struct set *s, bool all_tasks, struct diag *diag)
{
	struct engine_opts opts = {
		.may_load = may_load,
		.ctx = s,
		.saves = has_saver(s),
		.saves_time = has_times(s),
		.waits = waits(s),
		.saves_stacks = saves_stacks(s),
		.paths = makes_paths(s),
		.pairs = s->nr_pairs,
		.makes = s->nr_synthetics,
		.links = links_any(s),
		.loaded = s->opts->verbose ? print_size : NULL,
		.features = &s->machine.features,
		.btf = s->machine.btf,
	};
	struct progress progress;
	int err;

	err = find_tasks(s, all_tasks, diag);
	opts.gate = set_gate(s, all_tasks);
	if (!err)
		err = engine_open(&opts, s->machine.ks, &s->engine, diag);
	if (!err)
		err = open_channel(s, opts.saves, diag);
	if (!err)
		err = pairs_watch(s, diag);
	progress_start(&progress, "loading", s->nr_probes);
	for (unsigned i = 0; !err && i < s->nr_probes; i++) {
		if (s->probes[i].plan)
			err = set_load_probe(s, &s->probes[i], diag);
		progress_step(&progress, i + 1);
	}
	progress_end(&progress);
	return set_advise_files(s, err, diag);
}
