// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_count_code.c - histograms that programs count, with their code run by bpf_vm.h: what they count, together with what user space
 * counts of the hits that found no room, is what user space alone counts.
 *
 * User space is the reference: test_hist.c has its rules, and tests/guest/suites/hist.sh compares it with the kernel.
 */
#include <errno.h>
#include <stdlib.h>

#include "arch/x86_64/regs.h"
#include "gen/count_code.h"
#include "gen/emit.h"
#include "gen/gate.h"
#include "hist/triggers.h"
#include "lang/kprobe.h"
#include "print/text.h"

#include "bpf_vm.h"
#include "../roll.h"
#include "tap.h"

#define KERNEL	0xffff888000000000ull
#define PLACE	0xffffffff81000000ull

enum { STATS = 256, FIRST_FD = 10, ROOM = 64 };	/* STATS: of the counters in the only value of all other maps */

static struct vm vm;
static struct vm_table tables[COUNT_MOST];
/* ---- a definition with triggers ---- */

struct row {
	const char *definition, *triggers[COUNT_MOST];
	enum stage stage;		/* STAGE_NONE: the gate */
	bool stack, kept;
	bool user;			/* the place is in a program */
};

struct rig {
	struct arena arena;
	struct diag diag;
	struct facts facts;
	struct text text;
	struct plan plan;
	struct triggers_probe probe;
	struct triggers *ts;
};

static struct plan *make_plan(struct rig *r, const struct row *row)
{
	struct probe_def *def = NULL;
	struct plan *plan = NULL;

	r->facts.nr_cpus = 8;
	if (kprobe_parse(&r->arena, row->definition, &def, &r->diag))
		return NULL;
	def->stacks = row->stack ? 1u << STACK_KERNEL : 0;
	plan_resolve(&r->arena, def, &r->facts, &plan, &r->diag);
	return plan;
}

static void fail(const char *what, const struct rig *r)
{
	printf("Bail out! %s: %s\n", what, buf_str(&r->diag.msg));
	exit(1);
}

static void open_rig(struct rig *r, const struct row *row, bool counts)
{
	struct plan *plan = make_plan(r, row);
	const struct trigger **last = &r->probe.first;
	struct trigger *t;
	unsigned order = 0;

	if (!plan)
		fail(row->definition, r);
	r->plan = *plan;
	if (row->user) {
		r->plan.layout.site = SITE_USER;
		r->plan.layout.site_name = "/lib/libx.so";
	}
	for (unsigned i = 0; i < COUNT_MOST && row->triggers[i]; i++) {
		if (trigger_parse(&r->arena, arena_strdup(&r->arena, row->triggers[i]), &t, &r->diag))
			fail(row->triggers[i], r);
		t->order = order++;
		*last = t;
		last = (const struct trigger **)(uintptr_t)&t->next;
	}
	r->probe.plan = &r->plan;
	r->probe.group = "kprobes";
	r->probe.event = "e";
	context_rules_init(&r->text.rules, 0x060c00, false);
	if (triggers_open(&(struct triggers_opts){ .arena = &r->arena, .probes = &r->probe, .nr_probes = 1, .facts = &r->facts,
						   .kernel = { .atomics = true, .drops = row->kept, .acts = row->kept, .pauses = row->kept,
							   .generations = row->kept } },
			  &r->ts, &r->diag))
		fail("triggers", r);
	if (counts)
		r->plan.sets_off.counts = triggers_counts(r->ts, 0);
	stage_settle(&r->plan);
}

static void close_rig(struct rig *r)
{
	triggers_close(r->ts);
	text_fini(&r->text);
	diag_fini(&r->diag);
	arena_fini(&r->arena);
	*r = (struct rig){ 0 };
}

static int make_table(void *ctx, const struct trigger *trigger, struct count_table *t)
{
	unsigned *most = ctx;
	struct vm_table *table = &tables[vm.nr_tables];

	(void)trigger;
	t->fd = FIRST_FD + (int)vm.nr_tables++;
	t->state_fd = 0;
	*table = (struct vm_table){ .fd = t->fd, .key_size = t->key_size, .value_size = sizeof(struct bp_tally), .most = *most };
	return t->key_size > sizeof(table->keys[0]) ? -E2BIG : 0;
}

/* Begins with empty tables of @most entries each. */
static void make_tables(struct rig *r, unsigned most)
{
	vm = (struct vm){ .tables = tables };
	if (triggers_tables(r->ts, make_table, &most))
		fail("a key is too large", r);
}

/* ---- hits ---- */

struct hit {
	uint64_t di, si;
	int32_t memory;
	bool faults, missed;		/* missed: no entry probe has kept anything */
	uint32_t pid, cpu;
	int frames;
	uint64_t caller, began, ended;
	char comm[BP_COMM_LEN];
};

static const uint64_t special[] = {
	0, 1, 2, 3, 4, 5, 9, 10, 11, 127, 128, 255, 256, 65535, 65536, (1ull << 31) - 1, 1ull << 31,
	(1ull << 32) - 1, 1ull << 32, (1ull << 32) + 1, INT64_MAX, 1ull << 63, (1ull << 63) + 1, UINT64_MAX, UINT64_MAX - 1, UINT64_MAX - 9, UINT64_MAX - 10, 5000000000u, 4999999999u,
};

static uint64_t random_number(void)
{
	switch (roll(3)) {
	case 0:
		return special[roll(ARRAY_SIZE(special))];
	case 1:
		return roll(20);
	default:
		return ((uint64_t)roll(1u << 31) << 33 | roll(1u << 31)) >> roll(64);
	}
}

static struct hit random_hit(void)
{
	static const char comms[][BP_COMM_LEN] = { "wl", "a-long-comm-015", "sh" };
	struct hit hit = { .di = random_number(), .si = random_number(), .memory = (int32_t)random_number(), .faults = !roll(5),
			   .missed = !roll(5), .pid = 1 + roll(3), .cpu = roll(8), .frames = (int)roll(4),
			   .caller = PLACE + 0x1000 * roll(2), .began = 1000 + roll(100), .ended = 1000 + (1u << roll(31)) };

	memcpy(hit.comm, comms[roll(ARRAY_SIZE(comms))], sizeof(hit.comm));
	return hit;
}

static void fill(const struct rig *r, const struct hit *hit, bool is_long)
{
	static unsigned char memory[8];
	static struct bp_saved saved;
	struct bp_rec *rec = (void *)vm.record;
	const uint64_t places[] = { PLACE, hit->caller };	/* a return has both */

	memset(vm.record, 0xaa, sizeof(vm.record));
	memset(vm.stack, 0xaa, sizeof(vm.stack));
	memset(vm.regs, 0, sizeof(vm.regs));
	memcpy(memory, &hit->memory, sizeof(hit->memory));
	vm.regs[X86_DI] = hit->di;
	vm.regs[X86_SI] = hit->si;
	vm.regs[X86_DX] = hit->faults ? 16 : KERNEL;
	vm.regs[X86_AX] = hit->si;		/* what a function returns */
	vm.regs[X86_IP] = PLACE + 1;
	saved = (struct bp_saved){ .param = { hit->di, hit->si }, .caller = hit->caller, .time = hit->began };
	if (hit->missed)		/* with a time, zeroes stand for what is not known */
		saved = (struct bp_saved){ 0 };
	vm.saved = hit->missed && !r->plan.saved.time ? NULL : (const uint64_t *)&saved;
	vm.regions[0] = (struct vm_region){ KERNEL, memory, sizeof(memory) };
	vm.nr_regions = 1;
	vm.pid_tgid = (uint64_t)hit->pid << 32 | hit->pid;
	vm.cpu = hit->cpu;
	vm.now = hit->ended;
	vm.frames[0] = hit->frames;
	vm.first = hit->caller;
	memcpy(vm.comm, hit->comm, sizeof(vm.comm));
	*rec = (struct bp_rec){ .ts = hit->ended, .cpu = (uint16_t)hit->cpu, .common_pid = (int32_t)hit->pid, .eflags = 0x246,
				.preempt = 0x80000000 };
	memcpy(rec->comm, hit->comm, sizeof(rec->comm));
	memcpy(rec + 1, places, r->plan.layout.is_return ? 16 : 8);
	vm.record_size = is_long ? r->plan.layout.long_size : r->plan.layout.short_size;
	vm.called = false;
}

static uint64_t run(struct rig *r, const struct code *code, const struct hit *hit)
{
	uint64_t ret;

	fill(r, hit, false);
	ret = vm_run(&vm, code->insns, code->nr);
	if (vm.error)
		fail(vm.error, r);
	return ret;
}

/* Functions count in two of four calls, as if the stack were too small for all at once: so one or two calls for a hit try both. */
static const struct gate_env *next_env(void)
{
	static struct gate_env env = { .nr_cpus = 1, .stat_offset = STATS };
	static unsigned calls;

	env.apart = calls++ & 2 ? APART_ALL : APART_NONE;
	return &env;
}

static void append_functions(const struct plan *plan, struct code *code)
{
	for (enum code_function f = CODE_COUNT; f <= CODE_COUNT_LONG; f++) {
		if (code_link(code, f))
			counter_emit_function(plan, f, code);
	}
}

/* The bits of BP_FETCH_*; the record is left. */
static uint64_t run_body(struct rig *r, const struct plan *plan, const struct hit *hit)
{
	struct code code = { .arena = &r->arena };
	struct emitter *e;

	code_mov(&code, BPF_REG_6, BPF_REG_1);
	code_mov(&code, BPF_REG_7, BPF_REG_2);
	code_mov(&code, BPF_REG_8, BPF_REG_3);
	e = emit_hot(plan, next_env(), false, 0, &code);
	code_mov(&code, BPF_REG_0, BPF_REG_9);
	code_exit(&code);
	if (emit_rest(e, &r->diag))
		fail("the program", r);
	append_functions(plan, &code);
	return run(r, &code, hit);
}

static bool count_early(struct rig *r, const struct hit *hit)
{
	struct code code = { .arena = &r->arena };

	if (gate_emit(&r->plan, next_env(), false, &code, &r->diag))
		fail("the gate", r);
	run(r, &code, hit);
	return !vm.called;
}

static bool count_in_program(struct rig *r, const struct hit *hit)
{
	struct code code = { .arena = &r->arena };
	struct counter *counter;

	code_mov(&code, BPF_REG_6, BPF_REG_1);
	code_mov(&code, BPF_REG_8, BPF_REG_3);
	counter = counter_emit_hot(&r->plan, next_env(), 0, &code);
	code_mov(&code, BPF_REG_0, BPF_REG_9);
	code_exit(&code);
	counter_emit_rest(counter);
	append_functions(&r->plan, &code);
	return run(r, &code, hit);
}

/* Does the definition's program count the hit? What an earlier part could not count comes to a later one. */
static bool count(struct rig *r, const struct hit *hit)
{
	enum stage stage = stage_of_counts(&r->plan);

	if (stage == STAGE_GATE && count_early(r, hit))
		return true;
	if (stage == STAGE_PROGRAM && count_in_program(r, hit))
		return true;
	return run_body(r, &r->plan, hit) & BP_FETCH_COUNTED;
}

/* User space takes the hit. */
static void take(struct rig *r, const struct hit *hit)
{
	struct plan plan = r->plan;
	struct event ev;

	plan.sets_off.counts = NULL;
	run_body(r, &plan, hit);
	if (!event_decode(&r->plan.layout, (void *)vm.record, vm.record_size, &ev))
		fail("no record", r);
	triggers_hit(r->ts, 0, &ev, &r->text);
}

/* ---- both ---- */

static int read_table(const struct count_table *t, void (*entry)(void *arg, const unsigned char *key, const struct bp_tally *tally),
		      void *arg, struct count_missing *ret)
{
	const struct vm_table *table = vm_table(&vm, (uint64_t)t->fd);
	struct bp_tally tally;

	for (unsigned i = 0; i < table->nr; i++) {
		memcpy(&tally, table->values[i], sizeof(tally));
		entry(arg, table->keys[i], &tally);
	}
	*ret = (struct count_missing){ .dropped = ((const struct bp_count_state *)(const void *)vm.map)->dropped };
	return 0;
}

static void show(const struct rig *r, triggers_read_fn read, struct buf *out)
{
	buf_reset(out);
	triggers_show(r->ts, &r->text, read, false, out);
}

static void print_comment(const char *what, const struct buf *text)
{
	printf("# %s:\n# ", what);
	for (const char *p = buf_str(text); *p; p++)
		printf(*p == '\n' ? "\n# " : "%c", *p);
	printf("\n");
}

/* @nr random hits. With @most entries in each table, how many hits found no room? */
static void compare(const struct row *row, unsigned nr, unsigned most)
{
	struct rig program = { 0 }, reference = { 0 };
	struct buf got = { 0 }, want = { 0 };
	unsigned left = 0;
	bool same;

	open_rig(&reference, row, false);
	open_rig(&program, row, true);
	if (!program.plan.sets_off.counts || stage_of_counts(&program.plan) != (row->stage ? row->stage : STAGE_GATE)) {
		printf("# at stage %d\n", program.plan.sets_off.counts ? (int)stage_of_counts(&program.plan) : -1);
		fail(row->triggers[0], &program);
	}
	make_tables(&program, most);
	for (unsigned i = 0; i < nr; i++) {
		struct hit hit = random_hit();

		take(&reference, &hit);
		if (!count(&program, &hit)) {
			take(&program, &hit);
			left++;
		}
	}
	show(&program, read_table, &got);
	show(&reference, NULL, &want);
	same = !strcmp(buf_str(&got), buf_str(&want));
	CHECK(same && (most == ROOM || left), "%s, %s: %u hits, %u of them found no room", row->definition, row->triggers[0], nr, left);
	if (!same) {
		print_comment("program", &got);
		print_comment("user space", &want);
	}
	buf_fini(&got);
	buf_fini(&want);
	close_rig(&program);
	close_rig(&reference);
}

#define REGS	"p:e f a=%di:s64 b=%si:u64"
#define SIZES	"p:e f s8=%di:s8 u8=%di:u8 s16=%di:s16 u16=%di:u16 s32=%di:s32 u32=%di:u32"
#define MEMORY	"p:e f m=+0(%dx):s32 a=%di:s64"
#define RETURN	"r:e f ret=$retval:s64 a=$arg1:s64 b=$arg2:u64"	/* with the parameters that an entry probe has kept */

static const struct row rows[] = {
	{ REGS, { "hist:keys=common_pid" } },
	{ REGS, { "hist:keys=common_cpu,common_pid:vals=a,b" } },
	{ REGS, { "hist:keys=a.log2:vals=b" } },
	{ REGS, { "hist:keys=b.log2:vals=a" } },
	{ REGS, { "hist:keys=b.buckets=10000000000000000000:vals=a,b" } },
	{ REGS, { "hist:keys=b.buckets=3000000000000000000:vals=a,b" } },
	{ REGS, { "hist:keys=a.buckets=3000000000000000000:vals=a,b" } },
	{ REGS, { "hist:keys=common_comm:vals=a.min,a.max" } },
	{ REGS, { "hist:keys=common_comm:vals=b.min,b.max" } },
	{ REGS, { "hist:keys=common_pid:vals=a.avg,b.avg" } },
	{ REGS, { "hist:keys=common_pid.execname:vals=b.max,a" } },
	{ REGS, { "hist:keys=__probe_ip,common_cpu" } },
	{ REGS, { "hist:keys=__probe_ip.sym,common_cpu" } },
	{ REGS, { "hist:keys=__probe_ip.sym,common_cpu:vals=a", "hist:keys=__probe_ip", "hist:keys=__probe_ip.sym-offset,__probe_ip.hex" },
	  .user = true },
	{ RETURN, { "hist:keys=__probe_func.sym,common_cpu:vals=a" }, STAGE_PROGRAM, .user = true },
	{ REGS, { "hist:keys=common_cpu if a > 5 && b < 100" } },
	{ REGS, { "hist:keys=common_cpu if a < 0", "hist:keys=common_pid:vals=a.max if b != 3", "hist:keys=common_comm:vals=a,b.min" } },
	{ REGS, { "hist:keys=common_cpu if a == 1", "hist:keys=common_pid if a == 2" } },
	{ SIZES, { "hist:keys=s8.buckets=10:vals=u8,s16", "hist:keys=u8.log2:vals=s16.min,u16.max", "hist:keys=s32.log2:vals=s8.min,s8" } },
	{ SIZES, { "hist:keys=s16.log2,common_cpu.hex:vals=u32,s32.max" } },
	{ SIZES, { "hist:keys=u16.buckets=5000:vals=u32.min,s32.min" } },
	{ MEMORY, { "hist:keys=m.log2:vals=m,a" } },
	{ MEMORY, { "hist:keys=common_pid:vals=m.min,m.max if m > 0" } },
	{ MEMORY, { "hist:keys=common_comm:vals=m", "hist:keys=m.buckets=1000000000 if a >= 0" } },
	{ RETURN, { "hist:keys=common_pid:vals=ret,a" }, STAGE_PROGRAM },
	{ RETURN, { "hist:keys=b.log2:vals=ret.min,b" }, STAGE_PROGRAM },
	{ RETURN, { "hist:keys=common_comm:vals=a.max if ret < 0", "hist:keys=ret.buckets=1000000 if b > 5" }, STAGE_PROGRAM },
	{ RETURN, { "hist:keys=__probe_ret_ip:vals=ret" }, STAGE_RECORD },
	{ "r:e f ret=$retval:s64 $elapsed", { "hist:keys=elapsed.log2:vals=ret", "hist:keys=common_cpu:vals=elapsed.max" }, STAGE_PROGRAM },
	{ REGS, { "hist:keys=common_stacktrace:vals=a" }, STAGE_RECORD, .stack = true },
	/* The name's 8 bytes are compared in r8, where the body has the bytes of strings: a stack comes behind them if the table is full. */
	{ REGS, { "hist:keys=a if COMM == \"a-long-comm-015\"" }, STAGE_RECORD, .stack = true },
	{ MEMORY, { "hist:keys=common_stacktrace,common_pid:vals=m.max", "hist:keys=common_cpu:vals=m" }, STAGE_RECORD, .stack = true },
};

/* Keys of full tables are left to user space; the hits of keys that are there are still counted. */
static void test_rows(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		compare(&rows[i], 300, ROOM);
		compare(&rows[i], 300, 1);
	}
	/* More keys than there is room for. */
	compare(&(struct row){ REGS, { "hist:keys=a:vals=b" } }, 2000, ROOM - 1);
}

/* ---- other CPUs ---- */

static struct bp_tally tally_of(unsigned entry)
{
	struct bp_tally tally;

	memcpy(&tally, tables[0].values[entry], sizeof(tally));
	return tally;
}

/* Another CPU makes the same entry at the same time. */
static void test_made_twice(void)
{
	static const struct row row = { REGS, { "hist:keys=common_pid:vals=a" } };
	const struct hit hit = { .di = 5, .pid = 1, .comm = "wl" };
	struct rig r = { 0 };
	bool counted;

	open_rig(&r, &row, true);
	make_tables(&r, ROOM);
	tables[0].raced = true;
	counted = count(&r, &hit);
	CHECK(counted && tables[0].nr == 1 && tally_of(0).hits == 1 && tally_of(0).sums[0] == 5,
	      "an entry that another CPU made a moment earlier");
	close_rig(&r);
}

/* Another CPU changes the smallest number while the program compares. It tries 8 times. */
static void test_extreme_races(void)
{
	static const struct row row = { REGS, { "hist:keys=common_pid:vals=b.min" } };
	struct hit hit = { .si = 1000, .pid = 1, .comm = "wl" };
	struct rig r = { 0 };
	bool counted;

	open_rig(&r, &row, true);
	make_tables(&r, ROOM);
	count(&r, &hit);
	hit.si = 900;
	vm.raced = 950;
	counted = count(&r, &hit);
	CHECK(counted && tally_of(0).hits == 2 && tally_of(0).sums[0] == 900, "another CPU's number is larger: this one's is taken");
	hit.si = 800;
	vm.raced = 700;
	counted = count(&r, &hit);
	CHECK(counted && tally_of(0).hits == 3 && tally_of(0).sums[0] == 700, "it is smaller: it stays");
	hit.si = 500;
	vm.raced = 690;
	vm.races = 6;
	counted = count(&r, &hit);
	CHECK(counted && tally_of(0).hits == 4 && tally_of(0).sums[0] == 500, "7 other numbers, each larger");
	hit.si = 100;
	vm.raced = 490;
	vm.races = 7;
	counted = count(&r, &hit);
	CHECK(!counted && tally_of(0).hits == 4 && tally_of(0).sums[0] == 483, "8 other numbers: the hit is left to user space");
	close_rig(&r);
}

/* ---- kept events ---- */

static void test_kept(void)
{
	static const struct row rows_kept[] = {
		{ REGS, { "hist:keys=common_pid:vals=a" }, STAGE_GATE, .kept = true },
		{ RETURN, { "hist:keys=common_pid:vals=a" }, STAGE_PROGRAM, .kept = true },
		{ REGS, { "hist:keys=common_stacktrace,common_pid:vals=a" }, STAGE_RECORD, .stack = true, .kept = true },
	};
	struct bp_count_state *state = (void *)vm.map;

	for (size_t i = 0; i < ARRAY_SIZE(rows_kept); i++) {
		struct hit hit = { .di = 5, .pid = 1, .comm = "wl", .caller = PLACE };
		const char *name = rows_kept[i].triggers[0];
		struct rig r = { 0 };
		uint64_t generation;
		bool counted;

		open_rig(&r, &rows_kept[i], true);
		CHECK(r.plan.sets_off.counts && stage_of_counts(&r.plan) == rows_kept[i].stage, "%s: kept", name);
		make_tables(&r, 2);
		state->paused = 1;
		counted = count(&r, &hit);
		CHECK(counted && !tables[0].nr, "it is paused: neither counted nor recorded");
		state->paused = 0;
		state->generation = 7;
		counted = count(&r, &hit);
		memcpy(&generation, tables[0].keys[0], sizeof(generation));
		CHECK(counted && tables[0].nr == 1 && generation == 7 && tally_of(0).hits == 1, "its generation is 7");
		state->generation = 8;
		counted = count(&r, &hit) && count(&r, &hit);
		memcpy(&generation, tables[0].keys[1], sizeof(generation));
		CHECK(counted && tables[0].nr == 2 && generation == 8 && tally_of(0).hits == 1 && tally_of(1).hits == 2,
		      "the next one's entries are others");
		hit.pid = 2;
		counted = count(&r, &hit);
		CHECK(counted && tables[0].nr == 2 && state->dropped == 1, "it is full: the hit of a new key is dropped, and needs no record");
		hit.pid = 1;
		counted = count(&r, &hit);
		CHECK(counted && tally_of(1).hits == 3 && tally_of(1).sums[0] == 15 && state->dropped == 1, "... one of an old key is counted");
		close_rig(&r);
	}
}

int main(void)
{
	test_rows();
	test_made_twice();
	test_extreme_races();
	test_kept();
	return tap_done();
}
