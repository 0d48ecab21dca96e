// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_plan.c - any bytes as a definition that is made into a program (see fuzz.h): names are resolved by the symbols and types of a small kernel,
 * for each way to attach. It is refused with a reason, or its layout is printed as a text that means the same, and there are instructions.
 * Lines behind the definition are triggers, which programs carry out as for a kept event, and options that choose hits (--comm=sh).
 *
 * The planted fault: a layout_print() that leaves out the width of bit fields; found from the seeds.
 */
#include <elf.h>
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/macros.h"
#include "btf_seed.h"
#include "gen/act_code.h"
#include "gen/code.h"
#include "gen/count_code.h"
#include "gen/gate.h"
#include "gen/model.h"
#include "hist/triggers.h"
#include "kernel/btf/kbtf.h"
#include "kernel/features.h"
#include "kernel/ktask.h"
#include "kernel/mem/kmem.h"
#include "kernel/syms/ksyms.h"
#include "kernel/text/ktext.h"
#include "lang/kprobe.h"
#include "plan/act.h"
#include "plan/layout_text.h"
#include "plan/plan.h"
#include "run/identity.h"
#include "set/option.h"

static const char fuzz_name[] = "fuzz_plan";
static const char *const fuzz_seeds[] = {
	"p:e vfs_read task name=name:string pid=task->pid low=task->low bits=task->bits c=task->comm:string",
	"r:e vfs_read $retval pid=task->pid n=$elapsed:s32 $comm", "p f+5 a=%di:b3@5/32 b=+0(%si):x8[16] c=$stack3 if a == 3 && c > 0x10",
	"p:e vfs_read a=%di:enum(state) b=%si:errno c=+0(%dx):sockaddr d=%cx:be16 e=+0(%di):mac if a == \"STATE_ON\" || b < 0 && d & 1",
	"p f s=+0(%si):string t=+0(%di):ustring[3] u=+0(%dx):string[*] if s ~ \"/etc/*\" && s != \"x\" || s == \"yes\"",
	"p vfs_read a=(struct task_struct *)%di->pid:u16 b=$current->comm:string c=@f d=@f+8:x64 e=\\1 g=\\\"text\\\"",
	"p vfs_read sum=(task->pid+4)*2 sh=task->low>>3 n=count%7", "p f a=+0(%di):bytes(%si) b=+0(%di):hex(16) n=%si:s32 c=+0(%di):hex(n)",
	"p 0xffffffff81000020 %ax:u8 %bx:s16 %cx:x32 %dx:char %r8:symbol %r9:symstr", "p f a=$comm b=%di if common_pid == 4 && b < 2 || comm ~ \"s*\"",
	"p f a=%di:u32 if a & 0x10 && !(a == 5) || a > 100", "r f ret=$retval:ip4 p=$arg1 e=$elapsed if e > 1000", "p vfs_read $arg*", "r vfs_read $arg* $retval",
	"p:e vfs_read pid=task->pid count\nhist:keys=pid,common_pid:vals=count,hitcount:sort=count\ntraceoff:3 if pid > 5",
	"p:e vfs_read name=name:string c=$comm\nhist:keys=name,common_stacktrace:vals=hitcount\nhist:keys=c.execname if common_cpu == 1\nsnapshot",
	"r:e f $retval d=$elapsed\nhist:keys=d.log2:vals=d\nhist:keys=d.buckets=100:ts0=common_timestamp.usecs\n--uid=0\n--rate=5/s",
	"p f a=%di if a == 3\n--comm=sh\n--not\n--comm=cat\n--uid=0\n--once", "p vfs_read p=name:path", "f:e vfs_read count", "f:e vfs_read%return $retval",
};

static const char *const fuzz_words[] = {
	"p", "r", ":e", " ", "vfs_read", "f", "g", "task", "name", "->", "pid", "low", "bits", "comm", "%di", "%si", "%ax", "$arg1", "$arg*", "$retval", "$elapsed",
	"$current", "$comm", "$stack", "$stack9", "@f", "+0(", "+u8(", "-4(", ")", "(", "=", "a", "b", ":string", ":ustring", ":u8", ":s16", ":x64", ":char",
	":b3@5/32", ":symbol", ":symstr", ":errno", ":enum(state)", ":sockaddr", ":ip4", ":ip6", ":mac", ":be16", ":bytes(4)", ":hex(", ":path", "[3]", "[*]", "[64]",
	" if ", "==", "!=", "<", "&", "&&", "||", "!", "~", "\"x*\"", "0x10", "-1", "18446744073709551615", "(task_struct)", "(struct task_struct *)", "+", "-", "*", "/",
	"<<", "?", "\\1", "STATE_ON", "common_pid", "\nhist:keys=a", "\nhist:keys=", ":vals=", "hitcount", ".log2", ".buckets=8", ".hex", ".execname", ":sort=", ":size=128",
	"common_stacktrace", "common_timestamp", "ts0=", "$ts0", "\ntraceoff", "\ntraceon", ":3", "\nsnapshot", "\nenable_event:kprobes:e", "\n--comm=sh", "\n--not",
	"\n--uid=0", "\n--rate=5/s", "\n--once", "common_cpu", ":clear", ":pause", ":name=x",
};

#include "fuzz.h"

/* It needs bpf(2). */
uint32_t identity_pidns(void)
{
	return 0;
}

/* A kernel with two functions. */
static struct btf *make_types(void)
{
	struct btf *b = btf__new_empty();
	int number = btf__add_int(b, "int", 4, BTF_INT_SIGNED), letter = btf__add_int(b, "char", 1, BTF_INT_SIGNED);
	int word = btf__add_int(b, "unsigned long", 8, 0), name = btf__add_ptr(b, btf__add_const(b, letter));
	int comm = btf__add_array(b, number, letter, 16), inner = btf__add_union(b, NULL, 4), task, proto;

	btf__add_field(b, "low", number, 0, 0);
	btf__add_field(b, "bits", number, 0, 3);
	task = btf__add_struct(b, "task_struct", 32);
	btf__add_field(b, "pid", number, 0, 0);
	btf__add_field(b, NULL, inner, 32, 0);
	btf__add_field(b, "comm", comm, 64, 0);
	btf__add_enum(b, "state", 4);
	btf__add_enum_value(b, "STATE_ON", 1);
	task = btf__add_ptr(b, task);
	proto = btf__add_func_proto(b, word);
	btf__add_func_param(b, "task", task);
	btf__add_func_param(b, "name", name);
	btf__add_func_param(b, "count", word);
	btf__add_func(b, "vfs_read", BTF_FUNC_GLOBAL, proto);
	proto = btf__add_func_proto(b, number);
	btf__add_func_param(b, "a", number);
	btf__add_func(b, "f", BTF_FUNC_GLOBAL, proto);
	return b;
}

static struct facts facts;
static struct features features;
static struct ktask task;

#define TEXT	0xffffffff81000000u

/* A core file with code: each function begins with the five bytes of an ftrace site. */
static struct kmem *make_memory(void)
{
	static uint8_t code[0x400];
	const Elf64_Phdr ph = { .p_type = PT_LOAD, .p_offset = 4096, .p_vaddr = TEXT, .p_filesz = sizeof(code), .p_memsz = sizeof(code) };
	const Elf64_Ehdr eh = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT }, .e_type = ET_CORE, .e_machine = EM_X86_64,
		.e_version = EV_CURRENT, .e_phoff = sizeof(eh), .e_ehsize = sizeof(eh), .e_phentsize = sizeof(ph), .e_phnum = 1,
	};
	struct kmem *km = NULL;
	struct diag d = { 0 };
	char path[40];
	int fd = memfd_create("core", MFD_CLOEXEC);

	memset(code, 0x90, sizeof(code));
	for (size_t at = 0; at < sizeof(code); at += 16)
		memcpy(code + at, "\x0f\x1f\x44\x00\x00", 5);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (pwrite(fd, &eh, sizeof(eh), 0) != sizeof(eh) || pwrite(fd, &ph, sizeof(ph), sizeof(eh)) != sizeof(ph) ||
	    pwrite(fd, code, sizeof(code), 4096) != sizeof(code) || kmem_open(path, KMEM_ANY, &km, &d))
		abort();
	close(fd);
	return km;
}

static void make_kernel(void)
{
	static const char text[] = "ffffffff81000000 T _stext\nffffffff81000010 T vfs_read\nffffffff81000100 T f\nffffffff81000200 t g\nffffffff81000300 t g\n"
				   "ffffffff81000310 T register_ftrace_direct\nffffffff81000400 T _etext\nffffffff81001000 D data\nffffffff81002000 B _end\n";
	struct btf *b = make_types();
	struct btf_dir dir;
	struct ksyms *ks = NULL;
	struct diag d = { 0 };
	char path[40];
	uint32_t len;
	const void *data = btf__raw_data(b, &len);
	int fd = memfd_create("symbols", MFD_CLOEXEC);

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (btf_dir_make(&dir) || write(fd, text, sizeof(text) - 1) != sizeof(text) - 1 || ksyms_load_with(path, NULL, &ks, &d))
		abort();
	close(fd);
	btf_dir_write(&dir, data, len);
	btf__free(b);
	facts = (struct facts){ .ks = ks, .btf = kbtf_open(dir.path), .nr_cpus = 4, .mem = make_memory() };
	facts.text = ktext_open(ks, facts.btf, facts.mem);
	require(kbtf_raw(facts.btf) != NULL, "the types", "");
	features_init(&features, facts.btf, ks, false);
	ktask_find(facts.btf, &task);
	btf_dir_remove(&dir);
}

/* As it is kept, and read by another bprobe. */
static void check_layout(const struct layout *l, const char *text)
{
	struct arena arena = { 0 };
	struct buf printed = { 0 }, again = { 0 };
	struct layout back;
	const char *at;

	require(l->fixed <= l->marks_off && l->dyn_off <= LAYOUT_MAX_BODY && l->short_size, "a layout that is not computed", text);
	layout_print(l, &printed);
	at = buf_str(&printed);
	require(!layout_parse(&arena, &at, &back) && !*at, "a layout that is refused", buf_str(&printed));
	layout_print(&back, &again);
	require(!strcmp(buf_str(&printed), buf_str(&again)), "another layout", buf_str(&printed));
	require(layout_all(&back) == layout_all(l), "another number of fields", buf_str(&printed));
	for (unsigned i = 0; i < layout_all(l); i++) {
		const struct layout_field *is = &back.fields[i], *was = &l->fields[i];

		require(!strcmp(is->name, was->name) && is->off == was->off && is->count == was->count && is->mark == was->mark &&
			is->bit_off == was->bit_off && is->bit_width == was->bit_width && is->type.kind == was->type.kind &&
			is->type.size == was->type.size && is->type.show == was->type.show && is->grows == was->grows, "another field", buf_str(&printed));
	}
	require(back.fixed == l->fixed && back.dyn_off == l->dyn_off && back.short_size == l->short_size && back.long_size == l->long_size, "other sizes",
		buf_str(&printed));
	buf_fini(&printed);
	buf_fini(&again);
	arena_fini(&arena);
}

static void check_code(const struct code *code, int err, const struct diag *d, const char *text)
{
	struct buf printed = { 0 };

	require(err ? err == d->err && d->msg.len : code->nr <= 1000000, "refused without a reason", text);
	if (!err && code->nr)
		code_print(code->insns, code->nr, &printed);
	require_printable(buf_str(&printed), printed.len, '\n', text);
	buf_fini(&printed);
}

static void check_program(const struct plan *plan, const struct tasks *tasks, const char *text)
{
	const struct gate_env env = { .stats_fd = 3, .shift = 6, .nr_cpus = 4, .task = &task, .tasks = tasks, .atomics = true, .skips_fd = -1,
				      .leaves_out = tasks != NULL, .selves_fd = 4, .once_fd = 5, .tracing = { 7, 0 }, .event = { 7, 64 } };

	for (unsigned part = 0; part < 4; part++) {
		struct arena arena = { 0 };
		struct code code = { .arena = &arena };
		struct diag d = { 0 };
		int err;

		if (part < 2)
			err = model_add_body(plan, &env, part, &code, &d);
		else
			err = part == 2 ? model_add_gate(plan, &env, false, &code, &d) : model_add_count(plan, &env, &code, &d);
		check_code(&code, err, &d, text);
		diag_fini(&d);
		arena_fini(&arena);
	}
}

/* What is behind the definition. */
struct more {
	struct arena *arena;
	struct set_opts opts;
	struct triggers_probe probe;
	struct triggers *ts;
	unsigned nr;
};

/* A line more, which may be an option or a trigger; others are left out. */
static void take_line(struct more *m, const char *line)
{
	static const char *const allowed[] = { "--comm=", "--uid=", "--rate=", "--once", "--not" };	/* the others ask for processes and files */
	const struct trigger **last = &m->probe.first;
	struct diag d = { 0 };
	struct trigger *t;

	for (size_t i = 0; i < ARRAY_SIZE(allowed); i++) {
		if (!strncmp(line, allowed[i], strlen(allowed[i])))
			set_options_read(m->arena, &line, 1, &m->opts, &d);
	}
	if (*line != '-' && !trigger_parse(m->arena, line, &t, &d) && t && !t->remove && m->nr < 4) {
		t->order = m->nr++;
		while (*last)
			last = (const struct trigger **)(uintptr_t)&(*last)->next;
		*last = t;
	}
	diag_fini(&d);
}

static int make_table(void *ctx, const struct trigger *trigger, struct count_table *table)
{
	(void)ctx;
	(void)trigger;
	table->fd = table->state_fd = 5;
	return 0;
}

/* As for a kept event; false: they are refused, or programs cannot carry them out. */
static bool take_triggers(struct more *m, struct plan *plan, const char *text)
{
	static const struct act_word word = { 6, 8 };
	const struct triggers_opts opts = {
		.arena = m->arena, .probes = &m->probe, .nr_probes = 1, .facts = &facts, .reach.snapshots = true,
		.kernel = { .atomics = true, .acts = true, .pauses = true, .drops = true, .generations = true },
	};
	struct diag d = { 0 };
	bool taken;

	if (!m->probe.first)
		return true;
	m->probe.plan = plan;
	m->probe.group = "kprobes";
	m->probe.event = "e";
	taken = !triggers_open(&opts, &m->ts, &d);
	if (!taken)
		check_refusal(&d, text);
	diag_fini(&d);
	if (!taken || !m->ts)
		return taken;
	plan->sets_off.counts = triggers_counts(m->ts, 0);
	plan->sets_off.key_room = count_key_room(plan);
	plan->sets_off.acts = triggers_acts(m->ts, 0, &plan->sets_off.acts_conditional);
	stage_settle(plan);
	for (struct act *a = plan->sets_off.acts; a; a = a->next) {
		a->words = &word;
		a->nr_words = a->trigger->kind != TRIGGER_SNAPSHOT;
	}
	triggers_tables(m->ts, make_table, NULL);
	triggers_states(m->ts, make_table, NULL);
	return !(plan->sets_off.acts && stage_of_acts(plan) == STAGE_USER);
}

static void check_way(const char *text, const char *way)
{
	struct arena arena = { 0 };
	struct more more = { .arena = &arena };
	char *line = arena_strdup(&arena, text), *rest = line + strcspn(line, "\n");
	struct probe_def *def = NULL;
	struct plan *plan = NULL;
	struct diag d = { 0 };
	struct facts f = facts;

	while (*rest) {
		*rest++ = '\0';
		take_line(&more, arena_strndup(&arena, rest, strcspn(rest, "\n")));
		rest += strcspn(rest, "\n");
	}
	f.attach = way ? backend_find(way) : NULL;
	f.features = way ? &features : NULL;
	f.limit = &more.opts.limit;
	f.explains = true;
	if (!kprobe_parse(&arena, line, &def, &d) && def && def->kind != DEF_REMOVE && !def->place.pattern) {
		int err = plan_resolve(&arena, def, &f, &plan, &d);

		if (err) {
			require(err == d.err, "refused, but not quite", text);
			if (err != -EAGAIN)		/* it waits for a module */
				check_refusal(&d, text);
		} else {
			check_layout(&plan->layout, text);
			if (take_triggers(&more, plan, text))
				check_program(plan, way ? &more.opts.tasks : NULL, text);
		}
	}
	triggers_close(more.ts);
	diag_fini(&d);
	arena_fini(&arena);
}

static void check_text(const char *text)
{
	if (!facts.ks)
		make_kernel();
	check_way(text, NULL);
	check_way(text, "fentry");
	check_way(text, "kprobe");
}
