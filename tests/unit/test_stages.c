// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_stages.c - who decides and counts a hit, and when: of many definitions the stages and the generated code are those of stages.tsv.
 *
 *	test_stages .../tests/corpus/kernel.tsv		compares
 *	RENEW=1 test_stages .../tests/corpus/kernel.tsv	writes stages.tsv anew: for a change that is meant
 *
 * The matrix: definitions with backends, filters, triggers, limits, and where the records go (a run, one that overwrites, a kept event),
 * and what is left when the verifier refuses programs. stages.tsv begins with what its columns mean.
 */
#include <stdlib.h>

#include "attach/backends.h"
#include "attach/trampoline.h"
#include "base/cleanup.h"
#include "gen/act_code.h"
#include "gen/count_code.h"
#include "gen/emit.h"
#include "gen/fault_in.h"
#include "gen/gate.h"
#include "gen/limit.h"
#include "hist/triggers.h"
#include "kernel/ktask.h"
#include "lang/kprobe.h"
#include "lang/pair.h"
#include "plan/act.h"
#include "plan/pair.h"

#include "tap.h"

enum { TRIGGERS = 2 };			/* of one definition */

/* ---- the matrix ---- */

static const struct pair pair = { .text = "a:b" };

static const struct row {
	const char *name, *text;
	const struct backend *backend;
	unsigned stacks;
	bool saves_stack;		/* as on a kernel that cannot unwind at a return */
	bool faults_in;			/* as on one whose programs may sleep there */
	bool ends, begins;		/* pairs */
} rows[] = {
#define ENTRY	"p:e f a=%di:s64"
#define STRING	ENTRY " m=+0(%dx):s32 s=+0(%si):string"
#define CALL	"p:e f a=+96(%di):s64 m=+8(+104(%di)):s32 s=+0(+112(%di)):string"	/* of a system call: di is its registers */
#define RETURN	"r:e f a=$retval:s64 m=+8($retval):s32"
#define PARAMS	"r:e f a=$arg1:s64 m=+8($retval):s32 s=+0($arg2):string"
	{ "entry", ENTRY, &backend_kprobe },
	{ "entry", ENTRY, &backend_multi },
	{ "entry", ENTRY, &backend_fentry },
	{ "string", STRING, &backend_kprobe },
	{ "string", STRING, &backend_fmulti },
	{ "stack", ENTRY, &backend_kprobe, .stacks = 1u << STACK_KERNEL },
	{ "return", RETURN, &backend_kprobe },
	{ "return", RETURN, &backend_fentry },
	{ "return", RETURN, &backend_session },
	{ "params", PARAMS, &backend_kprobe },
	{ "params", PARAMS, &backend_multi },
	{ "params", PARAMS, &backend_fentry },
	{ "elapsed", "r:e f a=$retval:s64 m=$elapsed", &backend_kprobe },
	{ "elapsed", "r:e f a=$retval:s64 m=$elapsed", &backend_session },
	{ "oldstack", "r:e f a=$retval:s64", &backend_kprobe, .stacks = 1u << STACK_KERNEL, .saves_stack = true },
	{ "user", STRING, &backend_uprobe, .faults_in = true },
	{ "uret", RETURN, &backend_uprobe, .faults_in = true },
	{ "uret", RETURN, &backend_umulti },
	{ "call", CALL, &backend_fentry, .faults_in = true },
	{ "begins", ENTRY, &backend_kprobe, .begins = true },
	{ "ends", ENTRY, &backend_multi, .ends = true },
	{ "ends", PARAMS, &backend_kprobe, .ends = true },
};

static const char *const filters[] = {
	NULL, "a > 5", "m == 3", "common_pid == 7", "__probe_ip > 9", "__probe_func > 9", "COMM == \"wl\"", "s == \"x\"", "s ~ \"*q*\"",
	"a > 5 && s == \"x\"", "a > 5 || COMM == \"wl\"", "common_preempt_count != 0", "a > 5 && s ~ \"*a*b*c*\"",
	"COMM == \"wl\" && s ~ \"*a*b*c*\"",
};

static const char *const triggers[][TRIGGERS] = {
	{ NULL },
	{ "hist:keys=common_pid" },
	{ "hist:keys=a:vals=m" },
	{ "hist:keys=s" },
	{ "hist:keys=common_comm if COMM == \"wl\"" },
	{ "hist:keys=common_stacktrace,common_pid" },
	{ "hist:keys=__probe_ret_ip" },
	{ "hist:keys=common_pid if s ~ \"*a*b*c*\"" },
	{ "hist:keys=common_pid:t0=a" },
	{ "hist:keys=a", "hist:keys=common_cpu:vals=m if m > 3" },
	{ "traceoff" },
	{ "traceoff:3 if a > 5" },
	{ "traceoff if COMM == \"wl\"" },
	{ "traceon if m == 3", "disable_event:kprobes:e if s == \"x\"" },
	{ "snapshot if s ~ \"*a*b*c*\"" },
	{ "hist:keys=common_pid", "traceon:1 if a == 1" },
	{ "hist:keys=a:vals=m", "traceoff if COMM == \"wl\"" },
};

/* Where records go: user/set/trigger_run.c. */
enum host { RUN, OVERWRITES, KEPT, HOSTS };

/* ---- a plan ---- */

struct rig {
	struct arena arena;
	struct diag diag;
	struct facts facts;
	struct triggers_probe probe;
	struct triggers *ts;
	struct plan *plan;
	enum host host;
	const struct limit *limit;
};

static void close_rig(struct rig *r)
{
	triggers_close(r->ts);
	diag_fini(&r->diag);
	arena_fini(&r->arena);
}

static bool parse(struct rig *r, const struct row *row, const char *filter, struct probe_def **ret)
{
	const char *text = filter ? arena_printf(&r->arena, "%s if %s", row->text, filter) : row->text;

	if (kprobe_parse(&r->arena, text, ret, &r->diag))
		return false;
	(*ret)->stacks = row->stacks;
	(*ret)->pair = row->begins || row->ends ? &pair : NULL;
	(*ret)->ends_pair = row->ends;
	return true;
}

/* The definition is parsed as one of the kernel. */
static void read_user(struct plan *plan)
{
	for (unsigned i = 0; i < layout_all(&plan->layout); i++) {
		for (unsigned k = 0; k < plan->fetches[i].nr_derefs; k++)
			((struct deref *)(uintptr_t)plan->fetches[i].derefs)[k].user = true;
	}
}

/* What only a kernel's facts would give. */
static void take_facts(const struct row *row, struct plan *plan)
{
	static const struct trampoline own = { .nr_params = 4 };

	backend_change(plan, row->backend);
	plan->own = &own;
	plan->saved.stack = row->saves_stack;
	plan->saved.params |= row->saves_stack;
	plan->saved.any |= row->saves_stack;
	plan->faults_in = row->faults_in;
	if (row->backend == &backend_uprobe)
		read_user(plan);
	stage_settle(plan);
}

static bool parse_triggers(struct rig *r, const char *const texts[TRIGGERS])
{
	const struct trigger **last = &r->probe.first;
	struct trigger *t;

	for (unsigned i = 0; i < TRIGGERS && texts[i]; i++) {
		if (trigger_parse(&r->arena, arena_strdup(&r->arena, texts[i]), &t, &r->diag))
			return false;
		t->order = i;
		*last = t;
		last = (const struct trigger **)(uintptr_t)&t->next;
	}
	return true;
}

static int make_table(void *ctx, const struct trigger *trigger, struct count_table *table)
{
	(void)ctx;
	(void)trigger;
	table->fd = table->state_fd = 5;
	return 0;
}

static void set_words(struct plan *plan)
{
	static const struct act_word word = { 6, 8 };

	for (struct act *a = plan->sets_off.acts; a; a = a->next) {
		a->words = &word;
		a->nr_words = a->trigger->kind != TRIGGER_SNAPSHOT;
	}
}

/* As trigger_run_open() does it. */
static bool take_triggers(struct rig *r)
{
	bool alone = r->host != RUN;
	const struct triggers_opts opts = {
		.arena = &r->arena, .probes = &r->probe, .nr_probes = 1, .facts = &r->facts, .reach.snapshots = true,
		.kernel = { .atomics = true, .acts = alone, .pauses = alone, .drops = r->host == KEPT, .generations = r->host == KEPT },
	};

	r->probe.plan = r->plan;
	r->probe.group = "kprobes";
	r->probe.event = "e";
	if (r->probe.first && triggers_open(&opts, &r->ts, &r->diag))
		return false;
	if (!r->ts)
		return true;
	r->plan->sets_off.counts = triggers_counts(r->ts, 0);
	r->plan->sets_off.key_room = count_key_room(r->plan);
	if (alone)
		r->plan->sets_off.acts = triggers_acts(r->ts, 0, &r->plan->sets_off.acts_conditional);
	stage_settle(r->plan);
	set_words(r->plan);
	triggers_tables(r->ts, make_table, NULL);
	triggers_states(r->ts, make_table, NULL);
	return true;
}

/* False: there is no such definition, because a field does not exist. */
static bool open_rig(struct rig *r, const struct row *row, const char *filter, const char *const texts[TRIGGERS])
{
	struct probe_def *def;

	r->facts.nr_cpus = 8;
	r->facts.limit = r->limit;
	if (!parse(r, row, filter, &def) || plan_resolve(&r->arena, def, &r->facts, &r->plan, &r->diag) || !parse_triggers(r, texts))
		return false;
	take_facts(row, r->plan);
	return take_triggers(r);
}

/* ---- its stages ---- */

/* Before a record in the gate, or in the program; by the record; in user space, or nowhere. */
static char letter(enum stage stage)
{
	return "ugpru"[stage];
}

static struct gate_env env_of(enum count_apart apart)
{
	static const struct ktask task = { .plain = true, .pid = 8, .start_time = 64 };

	return (struct gate_env){ .nr_cpus = 1, .task = &task, .atomics = true, .apart = apart,
				  .tracing = { 7, 0 }, .event = { 7, 64 } };
}

/* The leaves; then which parts there are. */
static void print_filter(struct rig *r, struct buf *out)
{
	const struct filter *filter = r->plan->filter;

	for (unsigned i = 0; filter && i < filter->nr_leaves; i++)
		buf_addc(out, letter(filter->leaves[i]->stage));
	buf_addc(out, ':');
	buf_adds(out, filter && filter->in_gate ? "g" : "");
	buf_adds(out, filter && filter->by_record[false] ? "r" : "");
	buf_adds(out, filter && filter->by_record[true] ? "l" : "");
	buf_adds(out, filter_needs_user(r->plan) ? "u" : "");
}

/* Where limits are tested if there are any. */
static char limit_stage(struct rig *r)
{
	static const struct limit some = { .once = true };
	enum stage stage;

	r->plan->limit = &some;
	stage_settle(r->plan);
	stage = r->plan->limit_stage;
	r->plan->limit = r->limit;
	stage_settle(r->plan);
	return letter(stage);
}

static void fall_back(struct rig *r)
{
	if (r->plan->layout.backend->may_be_refused && backend_fallback(r->plan))
		backend_fall_back(r->plan, "");
}

/* ---- its code ---- */

struct sum {
	uint32_t hash;			/* FNV-1a of all instructions */
	unsigned insns;
};

static void add_code(struct sum *sum, const struct code *code)
{
	const unsigned char *bytes = (const void *)code->insns;

	for (size_t i = 0; i < code->nr * sizeof(*code->insns); i++)
		sum->hash = (sum->hash ^ bytes[i]) * 16777619u;
	sum->hash = (sum->hash ^ code->nr) * 16777619u;
	sum->insns += code->nr;
}

static void add_functions(struct rig *r, struct code *code)
{
	for (enum code_function f = CODE_COUNT; f <= CODE_COUNT_LONG; f++) {
		if (code_link(code, f))
			counter_emit_function(r->plan, f, code);
	}
}

static void add_body(struct rig *r, const struct gate_env *env, bool is_long, struct sum *sum)
{
	struct code code = { .arena = &r->arena };

	emit_rest(emit_hot(r->plan, env, is_long, 0, &code), &r->diag);
	add_functions(r, &code);
	add_code(sum, &code);
}

static void add_all(struct rig *r, enum count_apart apart, struct sum *sum)
{
	const struct gate_env env = env_of(apart);
	struct code gate = { .arena = &r->arena }, early = gate;

	if (gate_is_needed(r->plan, &env, false))
		gate_emit(r->plan, &env, false, &gate, &r->diag);
	add_code(sum, &gate);
	if (counter_in_program(r->plan)) {
		counter_emit_rest(counter_emit_hot(r->plan, &env, 0, &early));
		add_functions(r, &early);
	}
	add_code(sum, &early);
	add_body(r, &env, false, sum);
	if (r->plan->layout.long_size)
		add_body(r, &env, true, sum);
}

/* ---- one cell ---- */

/* No program is made whose triggers it cannot decide: trigger_run.c refuses the definition. */
static bool is_refused(const struct rig *r)
{
	return r->plan->sets_off.acts && stage_of_acts(r->plan) == STAGE_USER;
}

static void print_stages(struct rig *r, struct buf *out, struct sum *sum)
{
	buf_addc(out, letter(stage_of_counts(r->plan)));
	buf_addc(out, letter(stage_of_acts(r->plan)));
	buf_addc(out, (char)('0' + act_code_tests(r->plan)));
	if (is_refused(r))
		return;
	add_all(r, APART_NONE, sum);
	add_all(r, APART_ALL, sum);
}

/* What set_load_probe() tries one after the other. */
static void print_refused(struct rig *r, struct buf *out, struct sum *sum)
{
	bool must_count = (r->plan->sets_off.counts && r->host != RUN) || r->plan->sets_off.acts;

	if (!must_count && stage_filter_to_user(r->plan)) {
		buf_addc(out, '>');
		print_filter(r, out);
		print_stages(r, out, sum);
		stage_filter_back(r->plan);
	}
	if (!must_count && r->plan->sets_off.counts) {
		stage_counts_to_user(r->plan);
		buf_addc(out, '>');
		print_stages(r, out, sum);
	}
	fall_back(r);
	buf_addc(out, '>');
	buf_addc(out, limit_stage(r));
	print_stages(r, out, sum);
}

/* False: there is no such definition. */
static bool print_host(const struct row *row, const char *filter, const char *const texts[TRIGGERS], enum host host,
		       const struct limit *limit, struct buf *out, struct sum *sum)
{
	struct rig r = { .host = host, .limit = limit };
	bool is = open_rig(&r, row, filter, texts);

	if (is && host == RUN) {
		buf_addc(out, limit_stage(&r));
		buf_adds(out, r.plan->paired.pair && pair_needs_record(r.plan) ? "s" : "");
		buf_adds(out, fault_in_acts_once(r.plan) ? "F" : r.plan->faults_in ? "f" : "");
		buf_addc(out, ' ');
	}
	if (is) {
		print_stages(&r, out, sum);
		print_refused(&r, out, sum);
	}
	close_rig(&r);
	return is;
}

/* A text that was appended to @out at @start, and is the same as @before, is left out. */
static void leave_out(struct buf *out, size_t start, const struct buf *before)
{
	if (strcmp(buf_str(out) + start, buf_str(before)))
		return;
	out->len = start;
	out->data[start] = '\0';
}

static void print_hosts(const struct row *row, const char *filter, const char *const texts[TRIGGERS], const struct limit *limit,
			struct buf *out, struct sum *sum)
{
	struct buf one = { 0 };

	for (enum host host = RUN; host < HOSTS; host++) {
		size_t start = out->len;

		buf_addc(out, ' ');
		if (!print_host(row, filter, texts, host, limit, out, sum)) {
			out->data[start] = '-';
			break;
		}
		leave_out(out, start, &one);
		buf_reset(&one);
		buf_adds(&one, buf_str(out) + start);
	}
	buf_fini(&one);
}

static void print_cell(const struct row *row, const char *filter, const char *const texts[TRIGGERS], struct buf *out, struct sum *sum)
{
	static const struct limit none = { 0 }, both = { .interval_ns = 1000, .burst_ns = 5000, .once = true };
	struct buf free = { 0 }, limited = { 0 };

	print_hosts(row, filter, texts, &none, &free, sum);
	print_hosts(row, filter, texts, &both, &limited, sum);
	buf_adds(out, buf_str(&free));
	if (strcmp(buf_str(&free), buf_str(&limited)))
		buf_addf(out, ", limited%s", buf_str(&limited));
	buf_fini(&free);
	buf_fini(&limited);
}

/* ---- the table ---- */

static const char head[] =
"# What test_stages.c finds, of each definition with a backend.\n"
"#\n"
"#	filters: a column for each filter: the stages of its leaves, and behind a colon the parts that it has\n"
"#	others: a cell for each filter that changes the cell before it, with the number of the filter; then the number of instructions\n"
"#	of all programs, and a hash of them\n"
"#\n"
"# A cell: the stage of limits, s if pairs need the record, f if memory is waited for, F if what acts by the record\n"
"# acts only at the last try. Then the stages of histograms and of other\n"
"# triggers, and what is tested before these (BP_SWITCHED_*): of a run, one that overwrites and a kept event, each only if it is another one,\n"
"# and the same with limits, if that is another one.\n"
"# Behind >: the same when a program was refused: parts of the filter left to user space, histograms left to it, another backend.\n"
"#\n"
"# Stages: g by the gate, p by the program before there is a record, r by the record, u by user space or nowhere. -: there is no such definition.\n";

static void print_filters(const struct row *row, struct buf *out)
{
	buf_addf(out, "%s/%s\tfilters", row->name, row->backend->name);
	for (unsigned i = 0; i < ARRAY_SIZE(filters); i++) {
		struct rig r = { 0 };

		buf_addc(out, '\t');
		if (open_rig(&r, row, filters[i], triggers[0]))
			print_filter(&r, out);
		else
			buf_addc(out, '-');
		close_rig(&r);
	}
	buf_addc(out, '\n');
}

static void print_line(const struct row *row, const char *const texts[TRIGGERS], struct buf *out)
{
	struct sum sum = { .hash = 2166136261u };
	struct buf cell = { 0 }, before = { 0 };
	size_t start = out->len;

	buf_addf(out, "%s/%s\t%s%s%s", row->name, row->backend->name, texts[0] ? texts[0] : "none", texts[1] ? " || " : "",
		 texts[1] ? texts[1] : "");
	for (unsigned i = 0; i < ARRAY_SIZE(filters); i++) {
		buf_reset(&cell);
		print_cell(row, filters[i], texts, &cell, &sum);
		if (strcmp(buf_str(&cell), buf_str(&before)))
			buf_addf(out, "\t%u%s", i, buf_str(&cell));
		buf_reset(&before);
		buf_adds(&before, buf_str(&cell));
	}
	if (sum.insns)
		buf_addf(out, "\t%u\t%08x\n", sum.insns, sum.hash);
	else
		out->len = start;
	buf_fini(&cell);
	buf_fini(&before);
}

static void print_table(struct buf *out)
{
	buf_adds(out, head);
	for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
		print_filters(&rows[i], out);
		for (unsigned k = 0; k < ARRAY_SIZE(triggers); k++)
			print_line(&rows[i], triggers[k], out);
	}
}

static const char *path_of(struct arena *arena, const char *corpus)
{
	return arena_printf(arena, "%.*s../unit/stages.tsv", (int)(strrchr(corpus, '/') + 1 - corpus), corpus);
}

/* The first two columns of @line: the definition, its backend and its triggers. */
static int name_len(const char *line)
{
	size_t first = strcspn(line, "\t\n");

	return (int)(line[first] == '\t' ? first + 1 + strcspn(line + first + 1, "\t\n") : first);
}

static void compare(const char *path, const struct buf *got)
{
	auto_file f = fopen(path, "re");
	auto_free char *line = NULL;
	const char *at = buf_str(got);
	size_t size = 0;
	ssize_t len;

	while (f && (len = getline(&line, &size, f)) > 0) {
		bool same = !strncmp(at, line, (size_t)len);

		CHECK(same, "%.*s", name_len(line), line);
		if (!same)
			printf("# now  %.*s\n# then %s", (int)strcspn(at, "\n"), at, line);
		at += strcspn(at, "\n");
		at += *at == '\n';
	}
	CHECK(f && !*at, "as many lines as %s", path);
}

int main(int argc, char **argv)
{
	struct arena arena = { 0 };
	struct buf table = { 0 };
	const char *path;

	if (argc < 2) {
		fprintf(stderr, "usage: test_stages .../tests/corpus/kernel.tsv\n");
		return 2;
	}
	path = path_of(&arena, argv[1]);
	print_table(&table);
	if (getenv("RENEW")) {
		auto_file f = fopen(path, "we");

		CHECK(f && fputs(buf_str(&table), f) >= 0, "written: %s", path);
	} else {
		compare(path, &table);
	}
	buf_fini(&table);
	arena_fini(&arena);
	return tap_done();
}
