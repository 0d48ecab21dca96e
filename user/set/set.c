// SPDX-License-Identifier: GPL-2.0-only
/*
 * set.c - the probes of one command.
 */
#include "set/set.h"

#include <errno.h>
#include <unistd.h>

#include "base/files.h"
#include "base/progress.h"
#include "lang/dialect.h"
#include "plan/bundle.h"
#include "plan/count.h"
#include "plan/filter_plan.h"
#include "run/cpus.h"
#include "run/modload.h"
#include "run/switch_map.h"
#include "set/bundle.h"
#include "set/definitions.h"
#include "set/pairs.h"

enum { EXPECTED = 64 };		/* expecting more names at once gains nothing */

void set_init(struct set *s, const struct set_host *host, void *ctx, const struct set_opts *opts)
{
	*s = (struct set){ .host = host, .host_ctx = ctx, .opts = opts };
}

int set_parse(struct set *s, const struct word *words, unsigned nr_words, struct diag *diag)
{
	s->words = words;
	s->nr_words = nr_words;
	return definitions_read(s, diag);
}

/* ---- names ---- */

struct facts set_facts(struct set *s)
{
	return machine_facts(&s->machine, s->host, s->opts);
}

/* -EAGAIN without a message: the probe waits for its module; then p->plan is unchanged. */
static int resolve(struct set *s, struct probe *p, struct diag *diag)
{
	struct facts facts = set_facts(s);
	int err;

	if (p->many.backend)
		facts.attach = p->many.backend;
	err = plan_resolve(&s->arena, p->def, &facts, &p->plan, diag);

	if (err == -EAGAIN) {
		diag_fini(diag);
	} else if (err) {
		diag->file = p->from.file;
		diag->line = p->from.line;
	} else if (p->many.addrs) {
		p->plan->target.addrs = p->many.addrs;
		p->plan->target.ids = p->many.ids;
		p->plan->target.nr_addrs = p->many.nr;
		p->plan->why_dearer = p->many.why_dearer;
	}
	return err;
}

/* The types of the named functions are needed in nearly every case. */
static void expect_functions(struct set *s)
{
	for (unsigned i = 0; s->machine.btf && i < s->nr_probes && i < EXPECTED; i++) {
		const struct place *place = &s->probes[i].def->place;

		if (place->symbol && !place->module && !place->pattern)
			kbtf_expect(s->machine.btf, place->symbol);
	}
}

int set_open_kernel(struct set *s, struct diag *diag)
{
	int err = machine_open(&s->machine, s->host, s->opts, &s->arena, diag);

	if (!err)
		expect_functions(s);
	return err;
}

/* Together, some definitions get other backends than each for itself. */
static int settle(struct set *s, struct diag *diag)
{
	struct plan **plans = arena_array(&s->arena, struct plan *, s->nr_probes);
	struct facts facts = set_facts(s);
	int err;

	for (unsigned i = 0; i < s->nr_probes; i++)
		plans[i] = s->probes[i].plan;
	err = plan_settle_crowds(&s->arena, plans, s->nr_probes, &facts, diag);
	if (!err)
		err = plan_settle_locks(&s->arena, plans, s->nr_probes, &facts, diag);
	if (!err && !s->host->stays)
		plan_bundle(plans, s->nr_probes, &facts);
	return err;
}

int set_resolve(struct set *s, struct diag *diag)
{
	int err = dialects_settle(s, diag);

	/* Those of kept events come later, and their tables with them. */
	if (!err && !s->host->stays)
		definitions_share_triggers(s);
	if (!err)
		err = pairs_settle(s, diag);
	if (!err)
		err = expand_patterns(s, diag);
	if (err)
		return err;
	for (unsigned i = 0; i < s->nr_probes; i++) {
		err = s->probes[i].plan ? 0 : resolve(s, &s->probes[i], diag);
		if (err && err != -EAGAIN && expand_inlined(s, i, diag)) {
			diag_fini(diag);
			err = 0;
		} else if (err && err != -EAGAIN) {
			err = diag->err;
		}
		if (err && err != -EAGAIN)
			return err;
	}
	err = settle(s, diag);
	if (!err)
		err = definitions_check_events(s, diag);
	return err ? err : pairs_check(s, diag);
}

/* ---- programs and places ---- */

/* What a record takes while it is made. A trigger that is set later may need the room for a key, too. */
static uint32_t record_room(const struct layout *l)
{
	return MAX(l->short_size, l->long_size) + (l->nr_strings ? COUNT_MAX_KEY : 0);
}

/* No record may be larger than its ring. The rest of the ring is for records that come while this one is read. */
uint64_t set_ring_size(const struct set *s)
{
	uint64_t size = s->opts->buffer;

	for (unsigned i = 0; size && i < s->nr_probes; i++) {
		const struct layout *l = s->probes[i].plan ? &s->probes[i].plan->layout : NULL;

		if (l)
			size = MAX(size, 4 * (uint64_t)record_room(l));
	}
	return size;
}

/* If the kernel refuses a program, a dearer backend is used, and this is reported. True: the caller may try again. */
static bool fall_back(struct set *s, struct probe *p, struct diag *diag)
{
	if (s->opts->attach || !p->plan->layout.backend->may_be_refused || !backend_fallback(p->plan))
		return false;
	attached_close(&p->attached);
	backend_fall_back(p->plan, arena_strdup(&s->arena, buf_str(&diag->msg)));
	diag_fini(diag);
	return true;
}

static int load_as_planned(struct set *s, struct probe *p, struct diag *diag)
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

int set_load_probe(struct set *s, struct probe *p, struct diag *diag)
{
	int err = load_as_planned(s, p, diag);
	bool must_count = (p->plan->counts && (p->plan->counts->drops || s->opts->overwrites)) || p->plan->acts;

	/* The verifier may refuse the tests of the filter. */
	if (err && !must_count && filter_leave_to_user(p->plan)) {
		attached_close(&p->attached);
		diag_fini(diag);
		err = load_as_planned(s, p, diag);
		if (err)
			filter_take_back(p->plan);
	}
	/* ... or what counts: then user space does. */
	if (err && p->plan->counts && !must_count) {
		p->plan->counts = NULL;
		attached_close(&p->attached);
		diag_fini(diag);
		err = load_as_planned(s, p, diag);
	}
	return err && fall_back(s, p, diag) ? load_as_planned(s, p, diag) : err;
}

static void close_one(struct probe *p)
{
	attached_close(&p->attached);
	attached_close(&p->saver);
}

static int attach_as_planned(struct set *s, struct probe *p, struct diag *diag)
{
	return attach_whole(&s->attacher, p->plan, engine_saver_is_last(s->engine, p->plan), &p->attached, &p->saver, diag);
}

static int attach_one(struct set *s, struct probe *p, struct diag *diag)
{
	int err = attach_as_planned(s, p, diag);

	if (err && fall_back(s, p, diag)) {
		err = load_as_planned(s, p, diag);
		if (!err)
			err = attach_as_planned(s, p, diag);
	}
	if (!err) {
		p->state = PROBE_ACTIVE;
		s->nr_active++;
	}
	return err;
}

/* For a waiting probe this is not known yet: it counts as one that saves. */
static bool has_saver(const struct set *s)
{
	for (unsigned i = 0; i < s->nr_probes; i++) {
		if (!s->probes[i].plan || s->probes[i].plan->saves)
			return true;
	}
	return false;
}

static bool has_times(const struct set *s)
{
	for (unsigned i = 0; i < s->nr_probes; i++) {
		if (!s->probes[i].plan || s->probes[i].plan->saves_time)
			return true;
	}
	return false;
}

static bool saves_stacks(const struct set *s)
{
	for (unsigned i = 0; i < s->nr_probes; i++) {
		const struct probe *p = &s->probes[i];

		if (p->plan ? p->plan->saves_stack : p->def->kind == DEF_RETURN && p->def->stacks & 1u << STACK_KERNEL)
			return true;
	}
	return false;
}

/* Bytes that are kept of an entry, if something is. */
static uint32_t saved_bytes(const struct set *s)
{
	bool whole = s->engine && engine_hides_caller(s->engine);

	for (unsigned i = 0; !whole && i < s->nr_probes; i++)
		whole = !s->probes[i].plan || s->probes[i].plan->saves_params;
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
			       (plan->bundled && backend == plan->alone))))
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

		nr += plan && plan->saves ? 2 * EACH : EACH;
	}
	return nr;
}

static int advise(const struct set *s, int err, struct diag *diag)
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
		const struct layout *l = s->probes[i].plan ? &s->probes[i].plan->layout : NULL;

		longest = MAX(longest, l ? record_room(l) : BP_BODY_OFF + LAYOUT_MAX_BODY + COUNT_MAX_KEY);
	}
	return longest;
}

struct channel_opts set_channel_opts(struct set *s, bool saves)
{
	return (struct channel_opts){
		.nr_probes = s->nr_probes,
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

static int open_channel(struct set *s, bool saves, struct diag *diag)
{
	const struct channel_opts opts = set_channel_opts(s, saves);
	int err;

	if (s->host->open_channels)
		return s->host->open_channels(s->host_ctx, s, opts.saves, diag);
	err = !s->selves.table ? selves_create(&s->selves) : 0;
	if (!err)
		err = channel_create(&opts, &s->channel, diag);
	if (!err)
		s->channel->selves_fd = s->selves.fd;
	if (!err && s->has_switches)
		s->channel->tracing = switch_map_word(s->switch_fd, 0);
	for (unsigned i = 0; !err && i < s->nr_probes; i++)
		s->probes[i].slot = (struct slot){ .channel = s->channel, .index = i, .id = i, .event = s->probes[i].slot.event };
	return err && !diag->err ? engine_explain_open(diag, err) : err;
}

bool set_leaves_out(const struct set *s, bool all_tasks)
{
	return all_tasks && !s->opts->self && !tasks_lists_pids(&s->opts->tasks);
}

struct gate_env set_gate(struct set *s, bool all_tasks)
{
	const struct limit *limit = &s->opts->limit;

	return (struct gate_env){
		.tasks = &s->opts->tasks, .limit = limit, .task = &s->task, .pid_level = s->self.level, .marks = !all_tasks,
		.leaves_out = set_leaves_out(s, all_tasks),
		/* An explanation has no rings, so only its limits ask for this. */
		.atomics = (!s->host->explains || limit_is_set(limit)) && feature(&s->machine.features, FEATURE_ATOMICS),
		.stats_fd = -1, .selves_fd = -1, .marks_fd = -1, .cgroups_fd = -1, .once_fd = -1, .bell_fd = -1,
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

int set_load(struct set *s, bool all_tasks, struct diag *diag)
{
	struct engine_opts opts = {
		.may_load = may_load,
		.ctx = s,
		.saves = has_saver(s),
		.saves_time = has_times(s),
		.saves_stacks = saves_stacks(s),
		.pairs = s->nr_pairs,
		.features = &s->machine.features,
		.btf = s->machine.btf,
	};
	struct progress progress;
	int err;

	err = find_tasks(s, all_tasks, diag);
	opts.gate = set_gate(s, all_tasks);
	if (!err)
		err = engine_open(&opts, s->machine.ks, &s->engine, diag);
	/* Frees memory for the rings. The types are needed again only if a module is loaded. */
	if (s->machine.btf)
		kbtf_forget(s->machine.btf);
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
	return advise(s, err, diag);
}

int set_attach(struct set *s, struct diag *diag)
{
	struct progress progress;
	int err = 0;

	attacher_init(&s->attacher);
	progress_start(&progress, "attaching", s->nr_probes);
	err = bundle_attach(s, diag);
	for (unsigned i = 0; !err && i < s->nr_probes; i++) {
		s->probes[i].outcomes.missed_known = true;	/* none, until it is attached */
		if (!s->probes[i].plan) {
			s->probes[i].state = PROBE_WAITS;
			s->nr_waiting++;
		} else if (s->probes[i].state == PROBE_READY) {
			err = attach_one(s, &s->probes[i], diag);
		}
		progress_step(&progress, i + 1);
		if (!err && i + 1 < s->nr_probes && progress_interrupted())
			err = diag_set(diag, -EINTR, "ended by a signal while probes were attached");
	}
	progress_end(&progress);
	return advise(s, err, diag);
}

/*
 * How many hits of @p the kernel has missed. False: that is not known. Of a link of many it is not known whose hits it has missed; of
 * a user function that is nested deeper than the kernel keeps returns, not how many returns it has missed.
 */
static bool read_missed(const struct set *s, const struct probe *p, uint64_t *ret)
{
	struct bp_stat stat = { 0 };

	if (s->channel)
		channel_stat(s->channel, (unsigned)(p - s->probes), &stat);
	if (stat.deepest)
		return false;
	if (p->plan->bundled)
		return bundle_missed(s, p, ret) && !*ret;
	return attached_missed(&s->attacher, p->plan->layout.backend, &p->attached, ret);
}

/* It counts as detached. What the kernel knows of it can be read only before it is. */
static void deactivate(struct set *s, struct probe *p)
{
	uint64_t missed;

	if (p->state != PROBE_ACTIVE)
		return;
	p->outcomes.missed_known = read_missed(s, p, &missed);
	if (p->outcomes.missed_known)
		p->outcomes.missed += missed;
	p->state = PROBE_DETACHED;
	s->nr_active--;
}

/* Like deactivate(), while others go on. */
static void stop_one(struct set *s, struct probe *p)
{
	bool leaves = p->state == PROBE_ACTIVE && p->plan->bundled;

	deactivate(s, p);
	if (leaves)
		bundle_leave(s, p);
}

void set_detach(struct set *s, struct probe *p)
{
	stop_one(s, p);
	close_one(p);
}

void set_detach_all(struct set *s)
{
	for (unsigned i = 0; i < s->nr_probes; i++)
		set_detach(s, &s->probes[i]);
	bundle_close(s);
}

static unsigned detach_ms(const struct probe *p)
{
	unsigned links = (p->attached.link_fd >= 0 || p->attached.event_fd >= 0) +
			 (p->saver.link_fd >= 0 || p->saver.event_fd >= 0);

	return p->plan ? links * p->plan->layout.backend->detach_ms : 0;
}

bool set_detaches_some_slowly(const struct set *s, const bool *marks)
{
	unsigned ms = 0;

	for (unsigned i = 0; i < s->nr_probes; i++)
		ms += !marks || marks[i] ? detach_ms(&s->probes[i]) : 0;
	return ms > DETACH_SLOW_MS;
}

bool set_detaches_slowly(const struct set *s)
{
	return set_detaches_some_slowly(s, NULL);
}

void set_stop(struct set *s)
{
	if (s->channel) {
		channel_stop(s->channel);
		engine_wait_for_programs();
	}
	for (unsigned i = 0; i < s->nr_probes; i++)
		deactivate(s, &s->probes[i]);
}

static void hand_over(struct set *s, struct probe *p, struct detach *to)
{
	unsigned ms = p->plan ? p->plan->layout.backend->detach_ms : 0;
	struct buf listing = { 0 };

	/* All functions of a pattern are one definition. */
	if (!probe_follows(p)) {
		probe_print_listing(p, s->opts->faithful, &listing);
		detach_add_event(to, p->def->group, p->def->event, buf_str(&listing));
	}
	detach_add(to, &p->attached, ms);
	detach_add(to, &p->saver, ms);
	buf_fini(&listing);
}

void set_hand_over(struct set *s, struct detach *to)
{
	for (unsigned i = 0; i < s->nr_probes; i++)
		hand_over(s, &s->probes[i], to);
	bundle_close(s);
}

void set_hand_over_some(struct set *s, const bool *marks, struct detach *to)
{
	for (unsigned i = 0; s->channel && i < s->nr_probes; i++) {
		if (marks[i])
			channel_stop_one(s->channel, s->probes[i].slot.index);
	}
	for (unsigned i = 0; i < s->nr_probes; i++) {
		if (!marks[i])
			continue;
		stop_one(s, &s->probes[i]);
		hand_over(s, &s->probes[i], to);
	}
}

void set_close(struct set *s)
{
	set_detach_all(s);
	channel_close(s->channel);
	selves_close(&s->selves);
	if (s->has_switches && s->switch_fd >= 0)
		close(s->switch_fd);
	engine_close(s->engine);
	machine_close(&s->machine);
	arena_fini(&s->arena);
}

/* ---- modules that come and go ---- */

bool probe_waits(const struct probe *p)
{
	return p->state == PROBE_WAITS || p->state == PROBE_FAILED;
}

bool probe_follows(const struct probe *p)
{
	return p->family.def && !p->family.nr;
}

void probe_print_function(const struct probe *p, struct buf *out)
{
	struct probe_def def = p->plan ? *p->plan->def : *p->def;

	/* A system call's parameters are available only under its name: its function has other parameters. */
	if (p->plan && p->plan->target.syscall) {
		def.place.symbol = p->plan->target.syscall;
		def.from_tree = true;
	}
	def_print(&def, out);
	def_print_filter(p->def, out);
}

void probe_print_definition(const struct probe *p, struct buf *out)
{
	if (!p->family.def) {
		probe_print_function(p, out);
		return;
	}
	def_print(p->family.def, out);
	def_print_filter(p->def, out);
}

void probe_print_listing(const struct probe *p, bool faithful, struct buf *out)
{
	probe_print_definition(p, out);
	dialect_print_listed(p->def, faithful, out);
}

bool probe_in_module(const struct probe *p, const char *name)
{
	return p->def->place.module && (!name || !strcmp(p->def->place.module, name));
}

const char *set_find_module(const struct set *s, const struct probe *p, uint64_t *ret_load)
{
	uint64_t addr = p->many.nr ? p->many.addrs[0] : p->plan->target.addr;
	const struct ksym *sym = ksyms_lookup(s->machine.ks, addr, NULL);
	const char *module = sym && sym->module ? sym->module : p->def->place.module;

	*ret_load = module ? modload_id(module) : 0;
	/* "vmlinux", or another word that kallsyms uses in place of a module, was never loaded. */
	return *ret_load ? module : NULL;
}

bool set_names_module(const struct set *s, const char *name)
{
	for (unsigned i = 0; i < s->nr_probes; i++) {
		if (probe_in_module(&s->probes[i], name) && s->probes[i].state != PROBE_REMOVED)
			return true;
	}
	return false;
}

int set_reread_symbols(struct set *s, struct diag *diag)
{
	struct machine now = { 0 };
	int err = machine_open(&now, s->host, s->opts, &s->arena, diag);

	if (err) {
		machine_close(&now);
		return err;
	}
	machine_close(&s->machine);
	s->machine = now;
	expect_functions(s);
	return 0;
}

int set_attach_waiting(struct set *s, struct probe *p, int (*ready)(void *ctx, unsigned i, struct diag *diag), void *ctx,
			   struct diag *diag)
{
	struct plan *before = p->plan;		/* older records may still come */
	int err;

	/* Its end is announced, too. Until then there may be no BTF of it. */
	if (!modload_is_complete(p->def->place.module))
		return -EAGAIN;
	err = resolve(s, p, diag);
	if (err == -EAGAIN)
		return err;
	if (!err)
		err = definitions_check_events(s, diag);
	if (!err)
		err = set_load_probe(s, p, diag);
	if (!err)
		err = ready(ctx, (unsigned)(p - s->probes), diag);
	if (!err)
		err = attach_one(s, p, diag);
	if (err) {
		close_one(p);
		p->plan = before;
		p->state = PROBE_FAILED;
		return err;
	}
	s->nr_waiting--;
	return 0;
}

void set_detach_gone(struct set *s, struct probe *p)
{
	set_detach(s, p);
	p->state = PROBE_WAITS;
	s->nr_waiting++;
}
