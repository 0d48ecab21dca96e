// SPDX-License-Identifier: GPL-2.0-only
/*
 * hooks.c - does the machine survive a hook on every function?
 *
 *	hooks list			each function of the kernel by which bprobe would attach a trampoline:
 *					"NUMBER HOOKS NAME"; HOOKS are p (entry), r (return), or -
 *	hooks trampolines FROM COUNT SIZE	attaches those of COUNT symbols, with load on the machine, SIZE at a time
 *	hooks multi FROM COUNT SIZE	the same by kprobe.multi for all functions that it takes, SIZE at a time
 *	hooks fmulti FROM COUNT SIZE	the same by fentry.multi and fexit.multi for all functions that bprobe would attach trampolines to
 *	hooks near LEVELS		trampolines on what the trampoline's own code calls, LEVELS deep
 *	hooks draw SEED COUNT		trampolines on COUNT functions that are drawn at random
 *	hooks force NAME...		a trampoline on each, whatever bprobe thinks of it
 *
 * bprobe's own code (plan_resolve()) says what bprobe would do. The program only counts, but it is attached
 * as bprobe attaches its own: one for each function, by the same calls. Before each attachment a line "at FIRST
 * LAST HOOK NAME" is printed, with the numbers of symbols, so the last lines name those that the machine died of. At the end "done ATTACHED HIT
 * REFUSED", where HIT are those that ran while they were attached, and REFUSED those that the kernel did not take.
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "attach/backends.h"
#include "base/arena.h"
#include "gen/code.h"
#include "kernel/btf/kbtf.h"
#include "kernel/features.h"
#include "kernel/mem/kmem.h"
#include "kernel/syms/ksyms.h"
#include "kernel/text/ktext.h"
#include "lang/kprobe.h"
#include "plan/plan.h"

static struct {
	struct ksyms *ks;
	struct kmem *mem;
	struct kbtf *btf;
	struct ktext *text;
	struct features features;
} kernel;

static struct {
	unsigned attached, hit, refused;
} count;

/* The hooks that are attached and wait for the load; each has a counter of its own. */
enum { BATCH_MAX = 64 };

static struct {
	int prog, link;
} batch[BATCH_MAX];

static unsigned nr_batch, batch_size = 1;
static int map_fd;
static volatile uint64_t *hits;

static void die(const char *what)
{
	printf("not ok - %s: %s\n", what, strerror(errno));
	exit(1);
}

/* ---- the load: forks, files, pipes, pages, RCU, timers, and a task that preempts all of that ---- */

static int go[2], gone[2];

static void nap(long ns)
{
	struct timespec t = { .tv_nsec = ns };

	clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL);
}

/* Wakes up while the others work; its real-time priority takes the CPU from them. */
static void preempter(void)
{
	struct sched_param param = { .sched_priority = 10 };
	char byte;

	close(go[1]);		/* so that it ends with its parent */
	close(gone[0]);
	sched_setscheduler(0, SCHED_FIFO, &param);
	while (read(go[0], &byte, 1) == 1) {
		for (int i = 0; i < 12; i++)
			nap(17000 + i * 1300);
		if (write(gone[1], &byte, 1) != 1)
			break;
	}
	_exit(0);
}

static void load_start(void)
{
	if (pipe(go) || pipe(gone))
		die("pipe");
	if (!fork())
		preempter();
}

static void files(void)
{
	char page[4096] = { 0 };
	struct stat st;
	int fd = open("/tmp/hooks.file", O_RDWR | O_CREAT | O_TRUNC, 0600);

	if (fd < 0 || write(fd, page, sizeof(page)) < 0 || pread(fd, page, sizeof(page), 0) < 0)
		return;
	fsync(fd);
	close(fd);
	rename("/tmp/hooks.file", "/tmp/hooks.other");
	unlink("/tmp/hooks.other");
	for (int i = 0; i < 5; i++)
		stat("/sys/kernel/mm/transparent_hugepage/enabled", &st);
	fd = open("/proc/self/status", O_RDONLY);
	if (read(fd, page, sizeof(page)) < 0)
		return;
	close(fd);
}

static void pages(void)
{
	char *p = mmap(NULL, 8 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (int i = 0; p != MAP_FAILED && i < 8; i++)
		p[i * 4096] = 1;
	munmap(p, 8 * 4096);
}

static void affinity(void)
{
	cpu_set_t all, one;

	sched_getaffinity(0, sizeof(all), &all);
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	sched_setaffinity(0, sizeof(one), &one);
	sched_setaffinity(0, sizeof(all), &all);
	sched_yield();
}

static void on_alarm(int sig)
{
	(void)sig;
}

static void timers(void)
{
	struct itimerspec once = { .it_value.tv_nsec = 30000 };
	timer_t timer;

	signal(SIGALRM, on_alarm);
	if (timer_create(CLOCK_MONOTONIC, NULL, &timer))
		return;
	timer_settime(timer, 0, &once, NULL);
	nap(60000);
	timer_delete(timer);
}

static void load(void)
{
	char byte = 1;
	pid_t pid;

	if (write(go[1], &byte, 1) != 1)
		die("write");
	for (int round = 0; round < 2; round++) {
		pid = fork();
		if (!pid) {
			files();
			pages();
			affinity();
			_exit(0);
		}
		files();
		timers();
		kill(getpid(), SIGCONT);
		waitpid(pid, NULL, 0);
	}
	syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
	if (read(gone[0], &byte, 1) != 1)
		die("read");
}

/* ---- one hook ---- */

static void map_open(void)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE);

	map_fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "hits", 4, 8 * BATCH_MAX, 1, &opts);
	hits = map_fd < 0 ? MAP_FAILED : mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, map_fd, 0);
	if (hits == MAP_FAILED)
		die("the counter's map");
}

/* Counts its hits. Returns a descriptor or -errno. */
static int program(enum bpf_prog_type type, enum bpf_attach_type attach, unsigned btf_id)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_LD | BPF_IMM | BPF_DW, .dst_reg = 1, .src_reg = BPF_PSEUDO_MAP_VALUE, .imm = map_fd },
		{ .imm = (int)nr_batch * 8 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 2, .imm = 1 },
		{ .code = BPF_STX | BPF_DW | 0xc0 /* atomic */, .dst_reg = 1, .src_reg = 2 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = attach, .attach_btf_id = btf_id);
	int fd = bpf_prog_load(type, "hooks", "GPL", insns, ARRAY_SIZE(insns), &opts);

	return fd < 0 ? -errno : fd;
}

/* Lets the load run, and detaches. */
static void flush_batch(void)
{
	if (nr_batch)
		load();
	for (unsigned i = 0; i < nr_batch; i++) {
		count.attached++;
		count.hit += hits[i] > 0;
		close(batch[i].link);
		close(batch[i].prog);
	}
	nr_batch = 0;
}

/* Owns both descriptors from now on; @prog or @link is negative if the kernel refused it. */
static void add_to_batch(int prog, int link, int error)
{
	if (link < 0) {
		printf("# refused: %s\n", strerror(error));
		count.refused++;
		if (prog >= 0)
			close(prog);
		return;
	}
	batch[nr_batch].prog = prog;
	batch[nr_batch++].link = link;
	if (nr_batch == batch_size)
		flush_batch();
}

static void try_trampoline(unsigned number, bool is_return, unsigned btf_id, const char *name)
{
	int fd, link = -1;

	printf("at %u %u %s %s\n", number, number, is_return ? "fexit" : "fentry", name);
	fflush(stdout);
	hits[nr_batch] = 0;
	fd = program(BPF_PROG_TYPE_TRACING, is_return ? BPF_TRACE_FEXIT : BPF_TRACE_FENTRY, btf_id);
	if (fd >= 0)
		link = bpf_raw_tracepoint_open(NULL, fd);
	add_to_batch(fd, link, fd < 0 ? -fd : errno);
}

static int link_kprobes(int fd, bool is_return, const uint64_t *addrs, unsigned nr)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts,
		.kprobe_multi.flags = is_return ? BPF_F_KPROBE_MULTI_RETURN : 0,
		.kprobe_multi.addrs = (const unsigned long *)addrs,
		.kprobe_multi.cnt = nr,
	);

	return bpf_link_create(fd, 0, BPF_TRACE_KPROBE_MULTI, &opts);
}

/* attach/fmulti.c makes the same request. */
static int link_trampolines(int fd, bool is_return, const uint32_t *ids, unsigned nr)
{
	struct {
		uint32_t prog_fd, target_fd, attach_type, flags;
		uint64_t ids, cookies;
		uint32_t cnt, pad;
	} attr = { .prog_fd = (uint32_t)fd, .attach_type = backend_fmulti.program.attach_types[is_return],
		   .ids = (uint64_t)(uintptr_t)ids, .cnt = nr };

	return (int)syscall(SYS_bpf, BPF_LINK_CREATE, &attr, sizeof(attr) - sizeof(attr.pad));
}

/* By trampolines if @ids is not NULL. False: the kernel refused it. */
static bool try_multi(unsigned first, unsigned last, bool is_return, const uint64_t *addrs, const uint32_t *ids, unsigned nr)
{
	const struct backend *b = ids ? &backend_fmulti : &backend_multi;
	int fd, link = -1;

	printf("at %u %u %s %s\n", first, last, b->hooks[is_return], ksyms_lookup(kernel.ks, addrs[0], NULL)->name);
	fflush(stdout);
	hits[nr_batch] = 0;
	fd = program(b->program.type, b->program.attach_types[is_return], 0);
	if (fd >= 0)
		link = ids ? link_trampolines(fd, is_return, ids, nr) : link_kprobes(fd, is_return, addrs, nr);
	if (link < 0 && nr > 1) {		/* one of them is refused, so all are */
		if (fd >= 0)
			close(fd);
		return false;
	}
	add_to_batch(fd, link, fd < 0 ? -fd : errno);
	return true;
}

/* If functions are refused together, each half is tried. */
static void try_halves(unsigned first, unsigned last, bool is_return, const uint64_t *addrs, const uint32_t *ids, unsigned nr)
{
	unsigned half = nr / 2;

	if (!nr || try_multi(first, last, is_return, addrs, ids, nr))
		return;
	try_halves(first, last, is_return, addrs, ids, half);
	try_halves(first, last, is_return, addrs + half, ids ? ids + half : NULL, nr - half);
}

/* ---- which functions ---- */

static bool plan_of(struct arena *arena, const char *definition, struct plan **ret)
{
	struct facts facts = { .ks = kernel.ks, .btf = kernel.btf, .mem = kernel.mem, .text = kernel.text,
			       .features = &kernel.features, .nr_cpus = 1 };
	struct diag diag = { 0 };
	struct probe_def *def;
	bool good = !kprobe_parse(arena, definition, &def, &diag) && !plan_resolve(arena, def, &facts, ret, &diag);

	diag_fini(&diag);
	return good;
}

struct function {
	const struct ksym *sym;
	bool entry, exit;		/* by a trampoline */
	unsigned btf_id;
};

/* False: no probe at all. */
static bool judge_function(const struct ksym *sym, struct function *ret)
{
	struct arena arena = { 0 };
	char text[512];
	struct plan *plan;
	bool good;

	*ret = (struct function){ .sym = sym };
	snprintf(text, sizeof(text), "p:e %s", sym->name);
	good = plan_of(&arena, text, &plan);
	if (good && plan->layout.backend == &backend_fentry) {
		ret->entry = true;
		ret->btf_id = backend_fentry.program.btf_id(plan);
	}
	text[0] = 'r';
	if (good && plan_of(&arena, text, &plan) && plan->layout.backend == &backend_fentry) {
		ret->exit = true;
		ret->btf_id = backend_fentry.program.btf_id(plan);
	}
	arena_fini(&arena);
	return good;
}

/* Is it the kernel's own, a function, and the one that the kernel finds at its address? */
static bool is_candidate(const struct ksym *sym)
{
	return ksym_is_function(sym) && !ksym_is_marker(sym) && !sym->module &&
	       ksyms_lookup(kernel.ks, sym->addr, NULL) == sym;
}

static void list(void)
{
	struct function f;

	for (size_t i = 0; i < ksyms_own_count(kernel.ks); i++) {
		const struct ksym *sym = ksyms_at(kernel.ks, i);

		if (is_candidate(sym) && judge_function(sym, &f))
			printf("%zu %s%s%s %s\n", i, f.entry ? "p" : "", f.exit ? "r" : "", f.entry || f.exit ? "" : "-",
			       sym->name);
	}
}

/* The hooks with which bprobe would attach to it; at a return the trampoline makes the calls of an entry, and more. */
static bool try_function(size_t i, const struct ksym *sym, bool both)
{
	struct function f;

	if (!is_candidate(sym) || !judge_function(sym, &f))
		return false;
	if (f.entry && (both || !f.exit))
		try_trampoline((unsigned)i, false, f.btf_id, sym->name);
	if (f.exit)
		try_trampoline((unsigned)i, true, f.btf_id, sym->name);
	return f.entry || f.exit;
}

static void trampolines(size_t from, size_t nr, unsigned size)
{
	batch_size = size < 1 ? 1 : MIN(size, (unsigned)BATCH_MAX);
	for (size_t i = from; i < from + nr && i < ksyms_own_count(kernel.ks); i++)
		try_function(i, ksyms_at(kernel.ks, i), false);
}

static void draw(uint64_t seed, size_t nr)
{
	size_t own = ksyms_own_count(kernel.ks);

	seed = seed * 0x9e3779b97f4a7c15ull | 1;
	while (nr) {
		size_t i;

		/* xorshift64*, Vigna 2014 */
		seed ^= seed >> 12;
		seed ^= seed << 25;
		seed ^= seed >> 27;
		i = (seed * 0x2545f4914f6cdd1dull >> 16) % own;
		nr -= try_function(i, ksyms_at(kernel.ks, i), false);
	}
}

/* ---- near the trampoline ---- */

enum { NEAR_MAX = 4096 };

static size_t add_near(const struct ksym **list, size_t nr, const struct ksym *sym)
{
	for (size_t i = 0; i < nr; i++) {
		if (list[i] == sym)
			return nr;
	}
	if (nr < NEAR_MAX)
		list[nr++] = sym;
	return nr;
}

static size_t add_callees(const struct ksym **list, size_t nr, const struct ksym *sym)
{
	uint64_t callees[256], size;
	size_t nr_callees;

	ksyms_lookup(kernel.ks, sym->addr, &size);
	nr_callees = ktext_callees(kernel.text, sym->addr, sym->addr + size, callees, ARRAY_SIZE(callees));
	for (size_t i = 0; i < nr_callees; i++) {
		const struct ksym *callee = ksyms_lookup(kernel.ks, callees[i], NULL);

		if (callee && !callee->module && callees[i] - callee->addr <= 4)
			nr = add_near(list, nr, callee);
	}
	return nr;
}

/* Level by level, from all that is called __bpf_prog_enter..., __bpf_prog_exit..., __bpf_tramp_... */
static void near(unsigned levels)
{
	const struct ksym **list = calloc(NEAR_MAX, sizeof(*list));
	size_t nr = 0, level = 0;

	for (size_t i = 0; list && i < ksyms_own_count(kernel.ks); i++) {
		const struct ksym *sym = ksyms_at(kernel.ks, i);

		if (!strncmp(sym->name, "__bpf_prog_e", 12) || !strncmp(sym->name, "__bpf_tramp_e", 13))
			nr = add_near(list, nr, sym);
	}
	while (list && levels--) {
		for (size_t end = nr; level < end; level++)
			nr = add_callees(list, nr, list[level]);
	}
	printf("# near: %zu functions\n", nr);
	for (size_t i = 0; i < nr; i++)
		try_function(i, list[i], true);
	free(list);
}

static void multi(size_t from, size_t nr, size_t size)
{
	uint64_t *addrs = calloc(size, sizeof(*addrs));
	size_t have = 0, first = from, latest = from;

	for (size_t i = from; addrs && i <= from + nr; i++) {
		bool last = i == from + nr || i >= ksyms_own_count(kernel.ks);
		const struct ksym *sym = last ? NULL : ksyms_at(kernel.ks, i);

		if (sym && is_candidate(sym) && !ktext_banned(kernel.text, sym->addr)) {
			first = have ? first : i;
			latest = i;
			addrs[have++] = sym->addr + (ktext_has_pad(kernel.text, sym->addr) ? 4 : 0);
		}
		if (have && (last || have == size)) {
			try_halves((unsigned)first, (unsigned)latest, false, addrs, NULL, (unsigned)have);
			try_halves((unsigned)first, (unsigned)latest, true, addrs, NULL, (unsigned)have);
			have = 0;
		}
		if (last)
			break;
	}
	free(addrs);
}

/* A batch of functions for one hook. */
struct many {
	uint64_t *addrs;
	uint32_t *ids;
	size_t nr, first, last;		/* numbers of symbols */
};

static void add_many(struct many *m, size_t i, const struct function *f)
{
	m->first = m->nr ? m->first : i;
	m->last = i;
	m->addrs[m->nr] = f->sym->addr;
	m->ids[m->nr++] = f->btf_id;
}

static void try_many(struct many *m, bool is_return)
{
	try_halves((unsigned)m->first, (unsigned)m->last, is_return, m->addrs, m->ids, (unsigned)m->nr);
	m->nr = 0;
}

static void fmulti(size_t from, size_t nr, size_t size)
{
	struct many many[2];
	struct function f;

	for (unsigned is_return = 0; is_return < 2; is_return++)
		many[is_return] = (struct many){ calloc(size, sizeof(uint64_t)), calloc(size, sizeof(uint32_t)), 0, 0, 0 };
	for (size_t i = from; i < from + nr && i < ksyms_own_count(kernel.ks); i++) {
		const struct ksym *sym = ksyms_at(kernel.ks, i);

		if (!is_candidate(sym) || !judge_function(sym, &f))
			continue;
		for (unsigned is_return = 0; is_return < 2; is_return++) {
			if (is_return ? f.exit : f.entry)
				add_many(&many[is_return], i, &f);
			if (many[is_return].nr == size)
				try_many(&many[is_return], is_return);
		}
	}
	for (unsigned is_return = 0; is_return < 2; is_return++) {
		try_many(&many[is_return], is_return);
		free(many[is_return].addrs);
		free(many[is_return].ids);
	}
}

static void force(char **names)
{
	struct kbtf_func func;

	for (unsigned i = 0; names[i]; i++) {
		if (kbtf_find_func(kernel.btf, names[i], "vmlinux", &func)) {
			printf("# BTF does not know %s\n", names[i]);
			continue;
		}
		for (unsigned round = 0; round < 20; round++) {
			try_trampoline(i, false, func.self.id, names[i]);
			try_trampoline(i, true, func.self.id, names[i]);
		}
	}
}

int main(int argc, char **argv)
{
	const char *verb = argc > 1 ? argv[1] : "";
	size_t from = argc > 2 ? strtoul(argv[2], NULL, 10) : 0, nr = argc > 3 ? strtoul(argv[3], NULL, 10) : 0;
	struct diag diag = { 0 };

	kernel.btf = kbtf_open(NULL);
	if (!kernel.btf || ksyms_load(NULL, &kernel.ks, &diag) || kmem_open(NULL, KMEM_ANY, &kernel.mem, &diag)) {
		printf("Bail out! %s\n", buf_str(&diag.msg));
		return 1;
	}
	kernel.text = ktext_open(kernel.ks, kernel.btf, kernel.mem);
	features_init(&kernel.features, kernel.btf, kernel.ks, true);
	if (!strcmp(verb, "list")) {
		list();
		return 0;
	}
	map_open();
	load_start();
	if (!strcmp(verb, "trampolines") && argc == 5)
		trampolines(from, nr, (unsigned)strtoul(argv[4], NULL, 10));
	else if (!strcmp(verb, "multi") && argc == 5)
		multi(from, nr, strtoul(argv[4], NULL, 10));
	else if (!strcmp(verb, "fmulti") && argc == 5)
		fmulti(from, feature(&kernel.features, FEATURE_TRAMPOLINES) ? nr : 0, strtoul(argv[4], NULL, 10));
	else if (!strcmp(verb, "near") && argc == 3)
		near((unsigned)from);
	else if (!strcmp(verb, "draw") && argc == 4)
		draw(from, nr);
	else if (!strcmp(verb, "force") && argc > 2)
		force(argv + 2);
	else
		return 64;
	flush_batch();
	printf("done %u %u %u\n", count.attached, count.hit, count.refused);
	return 0;
}
