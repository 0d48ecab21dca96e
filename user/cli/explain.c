// SPDX-License-Identifier: GPL-2.0-only
/*
 * explain.c - shows what would be done for each definition: parsed, resolved, laid out
 * and compiled. It serves as debugger, golden test and bug report in one.
 */
#include "cli/verbs.h"

#include <inttypes.h>

#include "bprobe_abi.h"
#include "gen/count_code.h"
#include "gen/model.h"
#include "lang/pair.h"
#include "lang/type_words.h"
#include "plan/classic.h"
#include "plan/filter_plan.h"
#include "plan/own_place.h"
#include "plan/pair.h"
#include "print/stack.h"
#include "run/cpus.h"
#include "run/switch_map.h"
#include "set/lint.h"
#include "set/notes.h"
#include "keep/store.h"
#include "set/set.h"
#include "set/translate_notes.h"
#include "set/trigger_run.h"
#include "trace/trace.h"

static void print_address(const char *what, uint64_t addr)
{
	if (addr)
		printf("  %-10s 0x%" PRIx64 "\n", what, addr);
	else
		printf("  %-10s not known: the kernel hides its addresses (kernel.kptr_restrict, or no privilege)\n", what);
}

static bool names_btf(const struct probe_def *def)
{
	for (unsigned i = 0; i < def->nr_args; i++) {
		const struct arg *arg = &def->args[i];

		if (arg->type.kind == TYPE_DENTRY || arg->type.kind == TYPE_FILE || type_own_part(&arg->type))
			return true;
		for (const struct expr *e = arg->expr; e; e = e->inner) {
			if (e->kind == EXPR_VAR || e->kind == EXPR_CAST || (e->inner && e->inner->kind == EXPR_TASK) ||
			    (e->kind == EXPR_RETVAL && arg->type.kind == TYPE_NONE) || e->kind == EXPR_C)
				return true;
		}
	}
	return false;
}

/* Does a $argN mean another place than in the kernel's grammar, where parameter N is in the N-th register? */
static bool moves_param(const struct plan *plan)
{
	for (unsigned i = 0; i < plan->layout.nr_fields; i++) {
		const struct fetch *f = &plan->fetches[i];
		const struct expr *e = expr_innermost(plan->def->args[i].expr);
		unsigned n;

		if (e->kind != EXPR_ARG || plan->def->probe != PROBE_KPROBE)
			continue;
		n = e->n - 1;
		if (f->src == FETCH_REG && (n >= REG_PARAMS || f->reg != reg_params[n]))
			return true;
		if (f->src == FETCH_STACKN && n != REG_PARAMS + f->n - STACK_PARAMS)
			return true;
		if (f->src == FETCH_SAVED && f->n != n)
			return true;
	}
	return false;
}

/* Prints the definition in the grammar of kernels that have no parameter names, with what BTF says filled in. */
static void print_classic(const struct plan *plan)
{
	struct buf text = { 0 };

	/* Programs of the kernel's own uprobe_events have no functions. Events have no words of BTF. */
	if (plan->def->probe == PROBE_EVENT || !(names_btf(plan->def) || moves_param(plan) || place_is_own(&plan->def->place) ||
						  (plan->target.path && plan->def->place.symbol)))
		return;
	classic_print(plan, &text);
	printf("  classic    %s\n", buf_str(&text));
	buf_fini(&text);
}

/* Prints what the translation of another dialect's definition does not show. */
static void print_remarks(const struct probe_def *def)
{
	struct buf text = { 0 };

	translate_notes_print(def, &text);
	if (text.len)
		printf("  remark     %s\n", buf_str(&text));
	buf_fini(&text);
}

/* Prints where a user probe is: its file, and the place in it. */
static void print_user_place(const struct plan *plan)
{
	const struct target *t = &plan->target;

	printf("  place      ");
	if (t->site_func)
		printf("%s+0x%" PRIx64 " of ", t->site_func, t->site_off);
	printf("%s%s\n  offset     0x%" PRIx64 " in the file\n", t->site_name, t->is_return ? ", when it returns" : "", t->file_off);
	if (t->ref_ctr)
		printf("  counter    0x%" PRIx64 " in the file\n", t->ref_ctr);
}

static void print_place(const struct plan *plan)
{
	const struct target *t = &plan->target;

	if (t->addrs) {
		printf("  place      %u function%s%s\n  backend    %s", t->nr_addrs, t->nr_addrs == 1 ? "" : "s",
		       !t->is_return ? "" : t->nr_addrs == 1 ? ", when it returns" : ", when they return", backend_hook(plan));
		if (plan->why_dearer)
			printf(" (no trampoline: %s)", plan->why_dearer);
		putchar('\n');
		return;
	}
	if (t->path)
		print_user_place(plan);
	else if (plan->layout.site == SITE_EVENT)
		printf("  place      the event %s, number %u\n", t->site_name, t->event_id);
	else if (plan->def->probe == PROBE_TRACEPOINT)
		printf("  place      the tracepoint %s, shown as %s\n", t->lookup, t->symbol);
	else if (t->symbol)
		printf("  place      %s+0x%" PRIx64 "%s\n", t->symbol, t->off,
		       t->is_return ? ", when it returns" : "");
	else
		printf("  place      an address\n");
	if (t->addr || plan->def->probe == PROBE_KPROBE || plan->def->probe == PROBE_FPROBE)
		print_address("address", t->addr);
	printf("  backend    %s", backend_hook(plan));
	if (plan_has_saver(plan) && plan->layout.backend->program.models[MODEL_RETURN_SAVED])
		printf(", and a kprobe that keeps %s at the entry", !plan->saved.time ? "parameters" : plan->saved.params
			? "parameters and the time" : "the time");
	if (plan->why_dearer)
		printf(" (no trampoline: %s)", plan->why_dearer);
	putchar('\n');
	if (plan->faults_in)
		printf("  memory     what is not there yet is waited for\n");
}

/* Prints what its hits mean for the pairs that they belong to. */
static void print_pair(const struct plan *plan)
{
	const struct pair *pair = plan->paired.pair;

	if (!pair)
		return;
	if (!plan->paired.ends)
		printf("  pair       its hits begin %s\n", pair->text);
	else if (pair->field)
		printf("  pair       its hits end %s: $elapsed is the time since the last hit of %s with the same %s\n", pair->text,
		       pair->begin.event, pair->field);
	else
		printf("  pair       its hits end %s: $elapsed is the time since the task's last hit of %s\n", pair->text,
		       pair->begin.event);
}

static void print_field(const struct layout_field *f, const struct arg *arg)
{
	struct buf type = { 0 }, from = { 0 };

	type_print(&f->type, &type);
	expr_print(arg->expr, &from);
	printf("    %5u %5u  %-8s %s = %s\n", f->off, f->size, buf_str(&type), f->name, buf_str(&from));
	buf_fini(&type);
	buf_fini(&from);
}

static void print_layout(const struct plan *plan)
{
	const struct layout *l = &plan->layout;

	if (pair_is_silent(plan)) {
		printf("  record     none: its hits are counted, and begin pairs\n");
		return;
	}
	printf("  record     %u bytes in the ring", l->short_size);
	if (l->long_size)
		printf(", up to %u when a string is long", l->long_size);
	printf("\n    %5s %5s  %-8s %s\n", "off", "bytes", "type", "field");
	printf("    %5d %5d  %-8s common_type, common_flags, common_preempt_count, common_pid\n",
	       0, LAYOUT_COMMON, "");
	if (l->is_return) {
		printf("    %5d %5d  %-8s __probe_func\n", LAYOUT_COMMON, 8, "x64");
		printf("    %5d %5d  %-8s __probe_ret_ip\n", LAYOUT_COMMON + 8, 8, "x64");
	} else {
		printf("    %5d %5d  %-8s __probe_ip\n", LAYOUT_COMMON, 8, "x64");
	}
	for (unsigned i = 0; i < l->nr_fields; i++)
		print_field(&l->fields[i], &plan->def->args[i]);
	for (unsigned i = 0; i < STACK_KINDS; i++) {
		if (l->stacks & 1u << i)
			printf("    %5u %5d  %-8s %s\n", l->stack_off[i], 4, "frames", stack_name((enum stack_kind)i));
	}
	if (l->nr_marks)
		printf("    %5u %5u  %-8s one for each value: could not be read, or was cut\n", l->marks_off,
		       l->dyn_off - l->marks_off, "bits");
	if (l->nr_strings || l->stacks)
		printf("    %5u %5s  %-8s %s%s%s\n", l->dyn_off, "", "", l->nr_strings ? "strings" : "",
		       l->nr_strings && l->stacks ? ", then " : "", l->stacks ? "the frames; what these do not need is given back" : "");
}

/* Prints which parts of the filter are decided where. */
static void print_leaves(const struct plan *plan, enum stage stage, const char *where)
{
	struct buf text = { 0 };

	for (unsigned i = 0; i < plan->filter->nr_leaves; i++) {
		const struct filter_leaf *leaf = plan->filter->leaves[i];

		if (leaf->stage != stage)
			continue;
		buf_adds(&text, text.len ? ", " : "");
		filter_pred_print(plan->filter->expr, leaf->pred, &text);
	}
	if (text.len)
		printf("    %-22s %s\n", where, buf_str(&text));
	buf_fini(&text);
}

static void print_filter(const struct plan *plan)
{
	struct buf text = { 0 };

	if (!plan->filter)
		return;
	filter_print(plan->filter->expr, &text);
	printf("  filter     %s\n", buf_str(&text));
	buf_fini(&text);
	print_leaves(plan, STAGE_GATE, "before the reservation");
	print_leaves(plan, STAGE_RECORD, "by the filled record");
	print_leaves(plan, STAGE_USER, "in user space");
}

static void print_insns(const struct code *code, const char *title)
{
	struct buf text = { 0 };

	code_print(code->insns, code->nr, &text);
	printf("  %s\n%s", title, buf_str(&text));
	buf_fini(&text);
}

static int print_code(const struct plan *plan, const struct gate_env *env, bool is_long, const char *title,
		      struct diag *diag)
{
	struct arena arena = { 0 };
	struct code code = { .arena = &arena };
	int err = model_add_body(plan, env, is_long, &code, diag);

	if (!err)
		print_insns(&code, arena_printf(&arena, "%s (%s context, %s record, body at %+d)", title,
						is_long ? "r1" : "r6", is_long ? "r2" : "r7", BP_BODY_OFF));
	arena_fini(&arena);
	return err;
}

/* Prints what rejects hits before the program, if there is something. */
static int print_gate(const struct plan *plan, const struct gate_env *env, struct diag *diag)
{
	struct arena arena = { 0 };
	struct code code = { .arena = &arena };
	int err = model_add_gate(plan, env, false, &code, diag);

	if (!err && code.nr)
		print_insns(&code, "gate (r1 context; it calls the program, which follows)");
	arena_fini(&arena);
	return err;
}

/* Prints the code that counts hits between the gate and the record, if that is where they are counted. */
static int print_counting(const struct plan *plan, const struct gate_env *env, struct diag *diag)
{
	struct arena arena = { 0 };
	struct code code = { .arena = &arena };
	int err = model_add_count(plan, env, &code, diag);

	if (!err && code.nr)
		print_insns(&code, "counting code (r6 context, r8 what the entry saved; r9 = 1 if the hit needs no record)");
	arena_fini(&arena);
	return err;
}

/* Prints whose hits are recorded, and how many. */
static void print_limits(const struct set_opts *opts)
{
	struct buf text = { 0 };

	tasks_print(&opts->tasks, &text);
	if (text.len)
		printf("  tasks      %s\n", buf_str(&text));
	buf_fini(&text);
	if (opts->limit.interval_ns)
		printf("  rate       one each %" PRIu64 " ns, %" PRIu64 " at once\n", opts->limit.interval_ns,
		       opts->limit.burst_ns / opts->limit.interval_ns);
	if (opts->limit.once)
		printf("  once       the first hit of each task\n");
}

/* As the kernel's trigger file lists them. */
static void print_triggers(const struct triggers *ts, unsigned i)
{
	struct buf text = { 0 };

	if (ts)
		triggers_list(ts, i, &text);
	for (const char *at = buf_str(&text); *at; at += strcspn(at, "\n") + 1)
		printf("  %-10s %.*s\n", at == text.data ? "triggers" : "", (int)strcspn(at, "\n"), at);
	buf_fini(&text);
}

static bool has_histogram(const struct triggers *ts, unsigned i)
{
	struct buf text = { 0 };
	bool has = false;

	if (ts)
		triggers_list(ts, i, &text);
	for (const char *at = buf_str(&text); *at; at += strcspn(at, "\n") + 1)
		has |= !strncmp(at, "hist:", 5);
	buf_fini(&text);
	return has;
}

/* Prints where the histograms of probe @i count its hits. */
static void print_counted(const struct triggers *ts, unsigned i, const struct plan *plan)
{
	static const char *const where[] = {
		[STAGE_GATE] = "by the program's gate, before a record", [STAGE_PROGRAM] = "by the program, before a record",
		[STAGE_RECORD] = "by the program, from a record that is in no ring",
		[STAGE_NONE] = "in user space, from the records", [STAGE_USER] = "in user space, from the records",
	};

	if (has_histogram(ts, i))
		printf("  counted    %s\n", where[stage_of_counts(plan)]);
}

/* Prints which words of its triggers the kernel does not have, or only a newer one. */
static void print_own_words(const struct trigger *t)
{
	static const char *const words[] = { [HIST_AVG] = ".avg", [HIST_MIN] = ".min", [HIST_MAX] = ".max" };

	for (; t; t = t->next) {
		for (unsigned i = 0; t->hist && i < t->hist->nr_keys; i++) {
			const struct hist_expr *key = hist_expr_meant(t->hist->keys[i]);

			if (key->name && !strcmp(key->name, "common_comm"))
				printf("  remark     Linux 6.12 has no common_comm, newer kernels have\n");
		}
		for (unsigned i = 0; t->hist && i < t->hist->nr_values; i++) {
			enum hist_modifier how = hist_expr_meant(t->hist->values[i])->modifier;

			if (how < ARRAY_SIZE(words) && words[how])
				printf("  remark     the kernel has no equal of %s\n", words[how]);
		}
	}
}

static void print_synthetic(const struct set *s, const struct triggers *ts, unsigned n)
{
	const struct synthetic_def *def = s->synthetics[n];
	const struct layout *l = &s->synthetic_plans[n]->layout;
	struct buf text = { 0 };

	synthetic_print(def, &text);
	printf("%s\n  place      none: triggers make it\n  record\n    %5s %5s  %-16s %s\n", buf_str(&text), "off", "bytes", "type", "field");
	buf_fini(&text);
	for (unsigned i = 0; i < l->nr_fields; i++)
		printf("    %5u %5u  %-16s %s\n", l->fields[i].off, l->fields[i].size, def->fields[i].type, def->fields[i].name);
	print_triggers(ts, s->nr_probes + n);
}

static int print_probe(struct set *s, const struct triggers *ts, const struct probe *p, bool all_tasks, struct diag *diag)
{
	struct gate_env env = set_gate(s, all_tasks);
	unsigned i = (unsigned)(p - s->probes);
	struct buf text = { 0 };
	int err;

	env.shift = 6;
	env.nr_cpus = s->opts->machine.kallsyms ? 1 : cpus_possible();
	env.pid_level = 1;
	env.tracing = switch_map_word(-1, 0);
	env.event = p->slot.event;
	probe_print_function(p, &text);
	printf("%s\n", buf_str(&text));
	buf_fini(&text);
	print_remarks(p->def);
	if (!p->plan) {
		printf("  place      waits for module %s to be loaded\n", p->def->place.module);
		return 0;
	}
	print_classic(p->plan);
	print_place(p->plan);
	print_pair(p->plan);
	print_layout(p->plan);
	print_filter(p->plan);
	print_triggers(ts, i);
	print_own_words(p->def->triggers);
	print_counted(ts, i, p->plan);
	print_limits(s->opts);
	err = print_gate(p->plan, &env, diag);
	if (!err)
		err = print_counting(p->plan, &env, diag);
	if (err || pair_is_silent(p->plan))
		return err;
	err = print_code(p->plan, &env, false, "fetch code", diag);
	if (!err && p->plan->layout.long_size)
		err = print_code(p->plan, &env, true, "fetch code for long strings", diag);
	return err;
}

/* Prints each answer that only the version of the running kernel gave. */
static void print_guessed(const struct set *s, FILE *out)
{
	struct buf text = { 0 };

	features_print_guessed(&s->machine.features, "bprobe: ", &text);
	fputs(buf_str(&text), out);
	buf_fini(&text);
}

static const char *find_synthetic(void *ctx, struct arena *arena, const char *name, const struct trigger **ret_first)
{
	const struct options *opts = ctx;

	(void)ret_first;		/* those are for kept events */
	return store_find_synthetic(opts->keep.store, arena, name);
}

static const struct set_host host = { .explains = true, .find_synthetic = find_synthetic };

int explain_run(const struct options *opts)
{
	struct trigger_run_opts run = { .in_kernel = !opts->run.max_events, .takes = opts->run.reset, .reach.snapshots = opts->record.snapshot };
	struct triggers *ts = NULL;
	struct set s;
	struct diag diag = { 0 };
	int status = 0, err;

	set_init(&s, &host, (void *)opts, &opts->set);
	if (set_parse(&s, opts->words, opts->nr_words, &diag))
		status = EXIT_BAD_DEFINITION;
	else if (set_open_kernel(&s, &diag))
		status = EXIT_KERNEL;
	else if ((err = set_resolve(&s, &diag)) || (err = trigger_run_open(&s, &run, &ts, &diag)))
		status = report_resolve_status(err);
	ktask_find(s.machine.btf, &s.task);
	if (!status && tasks_check(&opts->set.tasks, &s.task, &diag))
		status = EXIT_KERNEL;
	for (unsigned i = 0; !status && i < s.nr_probes; i++) {
		if (i)
			putchar('\n');
		if (print_probe(&s, ts, &s.probes[i], !opts->command || opts->all_tasks, &diag))
			status = EXIT_BAD_DEFINITION;
	}
	for (unsigned i = 0; !status && i < s.nr_synthetics; i++) {
		putchar('\n');
		print_synthetic(&s, ts, i);
	}
	fflush(stdout);
	if (status) {
		status = report_error(&diag, opts->command ? EXIT_COMMAND_OWN : status);
	} else {
		notes_print(&s, stderr);
		lint_print(&s, stderr, NULL, NULL);
		print_guessed(&s, stderr);
	}
	trigger_run_close(ts);
	set_close(&s);
	diag_fini(&diag);
	return status;
}
