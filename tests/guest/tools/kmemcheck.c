// SPDX-License-Identifier: GPL-2.0-only
/*
 * kmemcheck.c - user/kernel/mem/kmem.c on a running kernel, for kmem.guest
 *
 *	kmemcheck compare			what kcore and BPF say about the same memory, in TAP
 *	kmemcheck symbols [FILE]		symbols by memory and by FILE (/proc/kallsyms), in TAP
 *	kmemcheck events			events and fields by memory and by tracefs, in TAP
 *	kmemcheck event SOURCE GROUP NAME	what it costs to find one event (guest.sh -i) by memory, tracefs or any
 *	kmemcheck tracepoint NAME		what it costs to find one (guest.sh -i)
 *	kmemcheck tracepoints			tracepoints and what the kernel's memory says of them, in TAP
 *	kmemcheck lockdown			what they say once the kernel is locked down, in TAP
 *	kmemcheck open any|kcore|bpf [rawio]	which one it is ("kcore: the banner is right"), or why
 *						none; rawio: without any capability but CAP_SYS_RAWIO
 */
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "kernel/btf/kbtf.h"
#include "kernel/events/kevents.h"
#include "kernel/events/ktracepoints.h"
#include "kernel/mem/kmem.h"
#include "kernel/release.h"
#include "kernel/syms/ksyms_table.h"
#include "tap.h"

#define MODULE		"dummy"
#define MACHINE_TRACEPOINT	"xfs_file_buffered_read"	/* of a module of guest.sh -M */
#define NOWHERE		0xffffffffffe00000ull	/* never mapped: Documentation/x86/x86_64/mm.rst */
#define PAGE		4096ull

static double now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec / 1e6;
}

static struct kmem *open_or_exit(enum kmem_source source)
{
	struct buf text = { 0 };
	struct diag diag = { 0 };
	struct kmem *km = NULL;

	if (kmem_open(NULL, source, &km, &diag)) {
		diag_format(&diag, "kmemcheck", &text);
		fputs(buf_str(&text), stdout);
		exit(1);
	}
	return km;
}

static const struct ksym *find(const struct ksyms *ks, const char *name, const char *module)
{
	const struct ksym *const *syms;

	if (ksyms_find(ks, name, module, &syms))
		return syms[0];
	printf("not ok - there is no symbol %s in %s\n", name, module);
	exit(1);
}

static bool banner_is_right(struct kmem *km, const struct ksyms *ks)
{
	char want[600] = "", got[sizeof(want)];
	FILE *f = fopen("/proc/version", "re");

	if (!f || !fgets(want, sizeof(want), f))
		return false;
	fclose(f);
	return !kmem_read(km, find(ks, "linux_banner", "vmlinux")->addr, got, strlen(want) + 1) &&
	       !memcmp(got, want, strlen(want) + 1);
}

static struct kmem *open_timed(enum kmem_source source)
{
	double start = now_ms();
	struct kmem *km = open_or_exit(source);

	printf("# %s: opened in %.3f ms\n", kmem_name(km), now_ms() - start);
	return km;
}

/* Reads and says how long it took. */
static int read_timed(struct kmem *km, uint64_t addr, void *to, size_t len)
{
	double start = now_ms();
	int err = kmem_read(km, addr, to, len);

	printf("# %s: %zu bytes in %.3f ms\n", kmem_name(km), len, now_ms() - start);
	return err;
}

/* Both ways from @addr on: no error, no difference, and something in it. */
static void compare(struct kmem *kcore, struct kmem *bpf, const struct ksyms *ks, const char *what,
		    uint64_t addr, size_t len)
{
	uint8_t *a = calloc(1, len), *b = calloc(1, len);
	size_t differ = 0, zeroes = 0;

	memset(a, 0, len);		/* not the page faults' time */
	memset(b, 1, len);
	CHECK(!read_timed(kcore, addr, a, len), "%s is read by kcore", what);
	CHECK(!read_timed(bpf, addr, b, len), "%s is read by BPF", what);
	for (size_t i = 0; i < len; i++) {
		const struct ksym *sym;

		zeroes += !a[i];
		if (a[i] == b[i] || differ++ >= 20)
			continue;
		sym = ksyms_lookup(ks, addr + i, NULL);
		printf("# %s+%#llx: %02x by kcore, %02x by BPF\n", sym ? sym->name : "?",
		       (unsigned long long)(addr + i - (sym ? sym->addr : 0)), a[i], b[i]);
	}
	CHECK(!differ, "%s: %zu of %zu bytes differ", what, differ, len);
	CHECK(zeroes < len, "... and not all are zero");
	free(a);
	free(b);
}

static void compare_range(struct kmem *kcore, struct kmem *bpf, const struct ksyms *ks,
			  const char *first, const char *end)
{
	uint64_t from = find(ks, first, "vmlinux")->addr;
	char what[80];

	snprintf(what, sizeof(what), "%s to %s", first, end);
	compare(kcore, bpf, ks, what, from, find(ks, end, "vmlinux")->addr - from);
}

/* After the end of the module's memory BPF gives an error, and /proc/kcore zeroes. */
static void compare_hole(struct kmem *kcore, struct kmem *bpf, uint64_t in_module)
{
	uint64_t hole = (in_module & ~(PAGE - 1)) + PAGE, a, b[2];
	int err;

	while (!kmem_read(bpf, hole, b, 1))
		hole += PAGE;
	printf("# the first hole is %#llx behind the module's function\n",
	       (unsigned long long)(hole - in_module));
	CHECK(!kmem_read(bpf, hole - 8, b, 8), "BPF: the last word before the hole");
	CHECK(!kmem_read(kcore, hole - 8, &a, 8) && a == b[0], "kcore: the same");
	CHECK(kmem_read(bpf, hole - 8, b, 9) == -EFAULT, "BPF: into the hole: -EFAULT");
	CHECK(kmem_read(bpf, hole, b, 8) == -EFAULT, "BPF: in the hole: -EFAULT");
	a = 1;
	err = kmem_read(kcore, hole, &a, 8);
	CHECK(err == -EFAULT || (!err && !a), "kcore: in the hole: %s", err ? "-EFAULT" : "zeroes");
}

static void compare_nowhere(struct kmem *km)
{
	static const uint64_t places[] = { NOWHERE, 0, 0x1000, 0x8000000000000000ull, -1ull };
	uint64_t here;

	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		int err = kmem_read(km, places[i], &here, 1 + (places[i] == -1ull));

		CHECK(err == -EFAULT, "%s: %#llx is not there: %d", kmem_name(km),
		      (unsigned long long)places[i], err);
	}
	CHECK(kmem_read(km, (uintptr_t)places, &here, 8) == -EFAULT, "%s: user memory is not the kernel's",
	      kmem_name(km));
	CHECK(!kmem_read(km, NOWHERE, &here, 0), "%s: nothing can be read anywhere", kmem_name(km));
}

enum { READS = 20000 };

/* How many of @nr reads failed, or gave other bytes than those at @addr, where the first one is @first? */
static unsigned wrong_reads(struct kmem *km, uint64_t addr, char first, unsigned nr)
{
	unsigned wrong = 0;

	for (unsigned i = 0; i < nr; i++) {
		char got[2048] = "";

		wrong += kmem_read(km, addr, got, sizeof(got)) || got[0] != first;
	}
	return wrong;
}

/* A child that reads other memory all the time takes no byte from its parent, and gets none of its bytes. */
static void compare_child(struct kmem *km, const struct ksyms *ks)
{
	uint64_t banner = find(ks, "linux_banner", "vmlinux")->addr, other = find(ks, "vfs_read", "vmlinux")->addr;
	char first[2] = "";
	int status = 0;
	pid_t pid;

	CHECK(!kmem_read(km, banner, &first[0], 1) && !kmem_read(km, other, &first[1], 1) && first[0] != first[1], "two texts differ");
	pid = fork();
	if (!pid)
		_exit(kmem_reopen(km) || wrong_reads(km, other, first[1], READS));
	CHECK(!wrong_reads(km, banner, first[0], READS), "%s: a child that reads, too, changes no byte of its parent's", kmem_name(km));
	CHECK(waitpid(pid, &status, 0) == pid && !status, "... nor the parent one of its child's");
}

static int do_compare(const struct ksyms *ks)
{
	struct kmem *kcore = open_timed(KMEM_KCORE), *bpf = open_timed(KMEM_BPF);
	const struct ksym *xmit = find(ks, "dummy_xmit", MODULE);
	uint64_t len;

	ksyms_lookup(ks, xmit->addr, &len);
	CHECK(!strcmp(kmem_name(kcore), "/proc/kcore") && !strcmp(kmem_name(bpf), "BPF"), "names");
	CHECK(banner_is_right(kcore, ks), "kcore: linux_banner is /proc/version");
	CHECK(banner_is_right(bpf, ks), "BPF: linux_banner is /proc/version");
	compare_range(kcore, bpf, ks, "_stext", "_etext");
	compare_range(kcore, bpf, ks, "__start_rodata", "__end_rodata");
	compare(kcore, bpf, ks, "a function", find(ks, "vfs_read", "vmlinux")->addr, 256);
	compare(kcore, bpf, ks, "a module's function", xmit->addr, len);
	compare_hole(kcore, bpf, xmit->addr);
	compare_nowhere(kcore);
	compare_nowhere(bpf);
	compare_child(kcore, ks);
	compare_child(bpf, ks);
	kmem_close(kcore);
	kmem_close(bpf);
	return tap_done();
}

/* ---- symbols ---- */

enum { FIND_EACH = 101, SHOWN = 10 };

static bool same_symbol(const struct ksym *a, const struct ksym *b)
{
	if (!a || !b)
		return a == b;
	/* The case of a module's letter means nothing (ksyms.h). */
	return a->addr == b->addr && (a->type == b->type || (a->module && tolower(a->type) == tolower(b->type))) && !strcmp(a->name, b->name) &&
	       !strcmp(a->module ? a->module : "", b->module ? b->module : "");
}

static void show(size_t *bad, const struct ksym *a, const struct ksym *b)
{
	if ((*bad)++ < SHOWN)
		printf("# %llx %c %s [%s], but %llx %c %s [%s]\n", a ? (unsigned long long)a->addr : 0, a ? a->type : ' ',
		       a ? a->name : "nothing", a && a->module ? a->module : "", b ? (unsigned long long)b->addr : 0,
		       b ? b->type : ' ', b ? b->name : "nothing", b && b->module ? b->module : "");
}

/* Before all symbols are expanded: each one alone, by its name and by its address. */
static void compare_questions(const struct ksyms *fast, const struct ksyms *text)
{
	size_t bad_names = 0, bad_addrs = 0, names = 0;

	for (size_t i = 0; i < ksyms_count(text); i++) {
		const struct ksym *want = ksyms_at(text, i), *const *a, *const *b;
		uint64_t size_a, size_b, inside = want->addr + (i % 5);
		const struct ksym *at = ksyms_lookup(fast, inside, &size_a), *at_text = ksyms_lookup(text, inside, &size_b);

		if (!same_symbol(at, at_text) || size_a != size_b)
			show(&bad_addrs, at, at_text);
		if (i % FIND_EACH && (!want->module || i % 7))
			continue;
		for (unsigned which = 0; which < 3; which++) {
			const char *module = which == 0 ? NULL : which == 1 ? "vmlinux" : MODULE;
			size_t nr_a = ksyms_find(fast, want->name, module, &a);
			size_t nr_b = ksyms_find(text, want->name, module, &b);

			names++;
			for (size_t k = 0; k < nr_a && k < nr_b; k++) {
				if (!same_symbol(a[k], b[k]))
					show(&bad_names, a[k], b[k]);
			}
			if (nr_a != nr_b)
				show(&bad_names, nr_a ? a[0] : NULL, nr_b ? b[0] : NULL);
		}
	}
	CHECK(!bad_addrs, "the symbol at each of %zu addresses", ksyms_count(text));
	CHECK(names && !bad_names, "the symbols of each of %zu names", names);
	CHECK(!ksyms_find(fast, "no_such_symbol", NULL, &(const struct ksym *const *){ NULL }), "what is not there");
}

/* @path: the text to compare with. */
static int do_symbols(const char *path)
{
	struct ksyms *fast, *text;
	struct diag diag = { 0 };
	size_t bad = 0;
	double start = now_ms();

	if (ksyms_load(NULL, &fast, &diag))
		return 1;
	printf("# symbols by %s in %.3f ms\n", fast->lazy->packed ? "memory" : "/proc/kallsyms", now_ms() - start);
	start = now_ms();
	if (ksyms_load_with(path, "/proc/modules", &text, &diag))
		return 1;
	printf("# %zu symbols by %s in %.3f ms\n", ksyms_count(text), path, now_ms() - start);
	CHECK(fast->lazy->packed || release_running() < RELEASE(6, 0), "from 6.0 on they come from memory");
	compare_questions(fast, text);
	CHECK(ksyms_count(fast) == ksyms_count(text), "%zu symbols", ksyms_count(fast));
	for (size_t i = 0; i < ksyms_count(fast) && i < ksyms_count(text); i++) {
		if (!same_symbol(ksyms_at(fast, i), ksyms_at(text, i)))
			show(&bad, ksyms_at(fast, i), ksyms_at(text, i));
	}
	CHECK(!bad, "all are the same, in the same order");
	CHECK(fast->lazy->by_lists || !fast->lazy->packed, "modules' symbols come from the kernel's lists");
	ksyms_close(fast);
	ksyms_close(text);
	return tap_done();
}

/* ---- events ---- */

enum { MAX_NAMES = 8192 };

/* "GROUP.NAME" of all events, sorted. */
struct names {
	struct arena arena;
	const char *name[MAX_NAMES];
	size_t nr;
};

static bool add_event(void *ctx, const char *group, const char *name)
{
	struct names *n = ctx;

	if (n->nr < MAX_NAMES)
		n->name[n->nr++] = arena_printf(&n->arena, "%s.%s", group, name);
	return true;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static struct names *all_events(struct kevents *k)
{
	struct names *n = calloc(1, sizeof(*n));

	CHECK(!kevents_each(k, add_event, n), "events are listed by %s", kevents_from(k));
	qsort(n->name, n->nr, sizeof(n->name[0]), compare_names);
	return n;
}

static size_t differences(const struct names *a, const struct names *b)
{
	size_t i = 0, j = 0, differ = 0;

	while (i < a->nr || j < b->nr) {
		int order = i == a->nr ? 1 : j == b->nr ? -1 : strcmp(a->name[i], b->name[j]);

		if (order && differ++ < SHOWN)
			printf("# only one has %s\n", order < 0 ? a->name[i] : b->name[j]);
		i += order <= 0;
		j += order >= 0;
	}
	return differ;
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static bool same_field(const struct kevent_field *a, const struct kevent_field *b)
{
	return same_text(a->name, b->name) && same_text(a->type, b->type) && same_text(a->element, b->element) &&
	       a->offset == b->offset && a->size == b->size && a->kind == b->kind && a->element_size == b->element_size &&
	       a->nr_elements == b->nr_elements && a->is_signed == b->is_signed && a->is_common == b->is_common &&
	       a->is_pointer == b->is_pointer && a->is_string == b->is_string && a->is_cpumask == b->is_cpumask;
}

static bool same_event(const struct kevent *a, const struct kevent *b)
{
	bool same = true;

	if (!same_text(a->group, b->group) || !same_text(a->name, b->name) || a->id != b->id || a->nr_fields != b->nr_fields ||
	    !same_text(a->tracepoint, b->tracepoint) || !same_text(a->module, b->module) ||
	    !same_text(a->print_fmt, b->print_fmt)) {
		printf("# id %u, %u fields, tracepoint %s, module %s; but %u, %u, %s, %s\n", a->id, a->nr_fields, a->tracepoint,
		       a->module, b->id, b->nr_fields, b->tracepoint, b->module);
		return false;
	}
	for (unsigned i = 0; i < a->nr_fields; i++) {
		const struct kevent_field *f = &a->fields[i], *g = &b->fields[i];

		if (same_field(f, g))
			continue;
		printf("# '%s' '%s' %u %u %d; but '%s' '%s' %u %u %d\n", f->type, f->name, f->offset, f->size, f->is_signed,
		       g->type, g->name, g->offset, g->size, g->is_signed);
		same = false;
	}
	return same;
}

/* Where the fields are is told by the kernel; so they may not overlap, and each must be after the one before. */
static bool is_in_order(const struct kevent *ev)
{
	for (unsigned i = 1; i < ev->nr_fields; i++) {
		if (ev->fields[i].offset < ev->fields[i - 1].offset + ev->fields[i - 1].size)
			return false;
	}
	return ev->nr_fields > 3 && !strcmp(ev->fields[0].name, "common_type") && ev->fields[0].is_common;
}

struct counted {
	size_t bad, fields, kinds[KEVENT_BYTES + 1], strings, unknown, unordered, modules;
};

static void compare_event(struct kevents *files, struct kevents *memory, const char *group, const char *name, struct counted *c)
{
	struct arena arena = { 0 };
	struct kevent a, b;
	int err_a = kevent_find(files, &arena, group, name, &a), err_b = kevent_find(memory, &arena, group, name, &b);

	if (err_a || err_b || !same_event(&a, &b)) {
		if (c->bad++ < SHOWN)
			printf("# %s.%s: %d by tracefs, %d by memory\n", group, name, err_a, err_b);
	} else {
		c->fields += a.nr_fields;
		c->modules += a.module != NULL;
		c->unordered += !is_in_order(&a);
		for (unsigned i = 0; i < a.nr_fields; i++) {
			const struct kevent_field *f = &a.fields[i];

			c->kinds[f->kind]++;
			c->strings += f->is_string;
			if (f->kind != KEVENT_NUMBER && (f->kind == KEVENT_BYTES || !f->element_size) && c->unknown++ < 2 * SHOWN)
				printf("# %s.%s: %s %s, %u bytes, has elements of unknown size\n", group, name, f->type, f->name,
				       f->size);
		}
	}
	arena_fini(&arena);
}

/* The group ftrace is not listed, but described. */
static void compare_ftrace(struct kevents *files, struct kevents *memory, struct counted *c)
{
	DIR *dir = opendir("/sys/kernel/tracing/events/ftrace");
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		if (strchr(entry->d_name, '.') || !strcmp(entry->d_name, "enable") || !strcmp(entry->d_name, "filter"))
			continue;
		compare_event(files, memory, "ftrace", entry->d_name, c);
	}
	if (dir)
		closedir(dir);
}

struct world {
	const struct ksyms *ks;
	struct kbtf *btf;
	struct kmem *mem;
};

static struct kevents *events_by(const struct world *w, enum kevents_source source)
{
	return kevents_new(source, NULL, w->ks, w->btf, w->mem);
}

static bool is_among(const char *wanted, const char *const *words, unsigned nr)
{
	while (nr && strcmp(words[nr - 1], wanted))
		nr--;
	return nr;
}

static void check_refusals(struct kevents *k)
{
	static const struct { const char *group, *name; } wrong[] = {
		{ "sched", "nosuch" }, { "nosuch", "sched_switch" }, { "", "sched_switch" }, { "sched", "" },
		{ "..", "sched_switch" },
		{ "sched", "." }, { "sched/sched_switch", "." }, { "syscalls", "sys_enter_nosuch" }, { "irq", "sched_switch" },
	};
	struct arena arena = { 0 };
	const char *similar[4];
	struct kevent ev;

	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		CHECK(kevent_find(k, &arena, wrong[i].group, wrong[i].name, &ev) == -ENOENT, "%s: no event %s.%s", kevents_from(k),
		      wrong[i].group, wrong[i].name);
	CHECK(kevents_similar(k, &arena, "sched", "sched_swich", similar, 4) && !strcmp(similar[0], "sched.sched_switch"),
	      "... sched_swich is like sched_switch");
	CHECK(is_among("sched.sched_switch", similar, kevents_similar(k, &arena, "shed", "sched_switch", similar, 4)),
	      "... the group may be wrong");
	CHECK(!kevent_find(k, &arena, "sched", "sched_switch", &ev) && same_text(kevent_similar_field(&ev, "prev_pit"), "prev_pid"),
	      "... prev_pit is like prev_pid");
	arena_fini(&arena);
}

static int do_events(const struct world *w)
{
	struct kevents *files = events_by(w, KEVENTS_TRACEFS), *memory = events_by(w, KEVENTS_MEMORY);
	struct names *a = all_events(files), *b = all_events(memory);
	struct counted c = { 0 };

	CHECK(same_text(kevents_from(files), "tracefs") && same_text(kevents_from(memory), "memory"), "sources");
	CHECK(a->nr > 1000 && !differences(a, b), "the same %zu events", a->nr);
	for (size_t i = 0; i < a->nr; i++) {
		const char *dot = strchr(a->name[i], '.');

		compare_event(files, memory, arena_strndup(&a->arena, a->name[i], (size_t)(dot - a->name[i])), dot + 1, &c);
	}
	compare_ftrace(files, memory, &c);
	CHECK(!c.bad && c.fields, "the same %zu fields", c.fields);
	CHECK(!c.unordered, "%zu events whose fields are not in order", c.unordered);
	printf("# %zu numbers, %zu arrays, %zu texts, %zu dynamic, %zu relative, %zu other; %zu strings; %zu events of modules\n",
	       c.kinds[KEVENT_NUMBER], c.kinds[KEVENT_ARRAY], c.kinds[KEVENT_TEXT], c.kinds[KEVENT_DYNAMIC], c.kinds[KEVENT_RELATIVE],
	       c.kinds[KEVENT_BYTES], c.strings, c.modules);
	check_refusals(files);
	check_refusals(memory);
	kevents_close(files);
	kevents_close(memory);
	return tap_done();
}

/* What a question costs: with -icount a nanosecond of this clock is an instruction. */
static int do_event(const struct world *w, const char *source, const char *group, const char *name)
{
	enum kevents_source by = !strcmp(source, "memory") ? KEVENTS_MEMORY : !strcmp(source, "any") ? KEVENTS_ANY : KEVENTS_TRACEFS;
	struct kevents *k = events_by(w, by);
	struct arena arena = { 0 };
	struct kevent ev;

	for (unsigned i = 0; i < 3; i++) {
		double start = now_ms();
		int err = kevent_find(k, &arena, group, name, &ev);

		printf("%s: %s.%s: %d, %u fields in %.0f instructions\n", kevents_from(k), group, name, err, ev.nr_fields,
		       (now_ms() - start) * 1e6);
	}
	kevents_close(k);
	arena_fini(&arena);
	return 0;
}

/* ---- tracepoints ---- */

static bool add_tracepoint(void *ctx, const char *name, const char *module)
{
	struct names *n = ctx;

	(void)module;
	if (n->nr < MAX_NAMES)
		n->name[n->nr++] = arena_strdup(&n->arena, name);
	return true;
}

/* By the structures: each symbol __tracepoint_NAME. 7.2 has a __tracepoint_ext_NAME beside some. */
static struct names *tracepoint_symbols(const struct ksyms *ks)
{
	static const char prefix[] = "__tracepoint_", more[] = "ext_";
	struct names *n = calloc(1, sizeof(*n));
	const struct ksym *const *syms;

	for (size_t i = 0; i < ksyms_count(ks); i++) {
		const struct ksym *sym = ksyms_at(ks, i);
		const char *name = sym->name;

		/* __tracepoint_probe_module_cb is a function. */
		if (strncmp(name, prefix, strlen(prefix)) || ksym_is_function(sym))
			continue;
		name += strlen(prefix);
		if (strncmp(name, more, strlen(more)) ||
		    !ksyms_find(ks, arena_printf(&n->arena, "%s%s", prefix, name + strlen(more)), NULL, &syms))
			add_tracepoint(n, name, NULL);
	}
	qsort(n->name, n->nr, sizeof(n->name[0]), compare_names);
	return n;
}

/* A word of a structure in the kernel's memory; 0: the structure has no such member. */
static uint64_t word_of(const struct world *w, uint64_t addr, const char *structure, const char *name, size_t len)
{
	struct kbtf_member m;
	struct kbtf_id id;
	uint64_t value = 0;

	if (kbtf_find_struct(w->btf, structure, &id) || kbtf_find_member(id, name, &m) ||
	    kmem_read(w->mem, addr + m.bit_off / 8, &value, len))
		return 0;
	return value;
}

/* What the kernel itself has as the tracepoint's function, and as the number of its arguments. */
static bool is_true(const struct world *w, struct arena *arena, const struct ktracepoint *tp)
{
	const char *module = tp->module ? tp->module : "vmlinux";
	const struct ksym *const *at, *const *map;
	uint64_t stub, args;

	if (!ksyms_find(w->ks, arena_printf(arena, "__tracepoint_%s", tp->name), module, &at))
		return false;
	stub = word_of(w, at[0]->addr, "tracepoint", "probestub", 8);
	if (!stub)
		stub = word_of(w, at[0]->addr, "tracepoint", "iterator", 8);
	if (!ksyms_find(w->ks, arena_printf(arena, "__bpf_trace_tp_map_%s", tp->name), module, &map))
		return stub == tp->addr && !tp->takes_bpf && !tp->typedef_id.id;
	args = word_of(w, map[0]->addr, "bpf_raw_event_map", "num_args", 4);
	return stub == tp->addr && tp->takes_bpf && (!tp->has_types || args == tp->nr_params);
}

struct tally {
	size_t lacking, wrong, nameless, typeless, no_bpf, modules, params;
};

static void check_tracepoint(const struct world *w, struct ktracepoints *t, const char *name, struct tally *c)
{
	struct arena arena = { 0 };
	struct ktracepoint tp;
	bool nameless = false;

	if (ktracepoint_find(t, &arena, name, NULL, &tp)) {
		printf("# no answer for %s\n", name);
		c->lacking++;
	} else {
		if (!is_true(w, &arena, &tp) && c->wrong++ < SHOWN)
			printf("# %s: %s at %llx, %u params, BPF %d\n", name, tp.symbol, (unsigned long long)tp.addr,
			       tp.nr_params, tp.takes_bpf);
		for (unsigned i = 0; i < tp.nr_params; i++)
			nameless |= !*tp.params[i].name;
		c->nameless += nameless;
		c->params += tp.nr_params;
		if (!tp.has_types && c->typeless++ < SHOWN)
			printf("# %s of %s has no types\n", name, tp.module);
		if (!tp.takes_bpf && c->no_bpf++ < 2 * SHOWN)
			printf("# %s takes no BPF\n", name);
		c->modules += tp.module != NULL;
	}
	arena_fini(&arena);
}

/* Probes' events have these fields (kernel/trace/trace_probe.h), and all synthetic ones are in one group. */
static bool is_made(struct kevents *k, struct arena *arena, const char *event)
{
	const char *dot = strchr(event, '.'), *group = arena_strndup(arena, event, (size_t)(dot - event));
	struct kevent ev;

	return !strcmp(group, "synthetic") || kevent_find(k, arena, group, dot + 1, &ev) || kevent_field(&ev, "__probe_ip") ||
	       kevent_field(&ev, "__probe_func") || kevent_field(&ev, "__probe_ret_ip");
}

/* Each event of tracefs that was compiled has the tracepoint of its name, and the others have no event. */
static void compare_with_events(const struct world *w, struct ktracepoints *t, const struct names *all)
{
	struct kevents *k = events_by(w, KEVENTS_TRACEFS);
	struct names *events = all_events(k);
	size_t compiled = 0, found = 0, with = 0;
	struct arena arena = { 0 };
	struct ktracepoint tp;
	const struct ksym *const *syms;

	for (size_t i = 0; i < events->nr; i++) {
		const char *name = strchr(events->name[i], '.') + 1;

		if (!strncmp(events->name[i], "syscalls.", strlen("syscalls.")) || is_made(k, &arena, events->name[i]))
			continue;
		compiled++;
		if (!ktracepoint_find(t, &arena, name, NULL, &tp))
			found++;
		else
			printf("# event %s has no tracepoint\n", events->name[i]);
	}
	for (size_t i = 0; i < all->nr; i++)
		with += ksyms_find(w->ks, arena_printf(&arena, "event_%s", all->name[i]), NULL, &syms) != 0;
	CHECK(found == compiled, "%zu events of tracefs, and %zu have a tracepoint", compiled, found);
	CHECK(with == compiled, "%zu of %zu tracepoints have an event", with, all->nr);
	arena_fini(&arena);
	kevents_close(k);
}

/* The typedef must have the same number in what the kernel gives for the object. */
static void check_object(const struct world *w, struct ktracepoints *t, const char *name)
{
	struct arena arena = { 0 };
	struct ktracepoint tp;
	struct btf *btf = NULL, *base = btf__load_vmlinux_btf();
	uint32_t id = 0;

	if (!ktracepoint_find(t, &arena, name, NULL, &tp) && tp.typedef_id.id)
		id = kbtf_object_id(w->btf, tp.typedef_id.btf);
	if (id)
		btf = tp.module ? btf__load_from_kernel_by_id_split(id, base) : btf__load_from_kernel_by_id(id);
	CHECK(btf && btf__find_by_name_kind(btf, arena_printf(&arena, "btf_trace_%s", name), BTF_KIND_TYPEDEF) == (int)tp.typedef_id.id,
	      "%s: type %u of BTF object %u", name, tp.typedef_id.id, id);
	btf__free(btf);
	btf__free(base);
	arena_fini(&arena);
}

/* What a question costs (guest.sh -i). The passes over BTF that it needs were made before, as in a run. */
static int do_tracepoint(const struct world *w, const char *name)
{
	struct ktracepoints *t = ktracepoints_new(w->ks, w->btf);
	struct arena arena = { 0 };
	struct ktracepoint tp;
	struct kbtf_id id;

	ktracepoint_expect(w->btf, name);
	kbtf_find_struct(w->btf, "task_struct", &id);
	for (unsigned i = 0; i < 3; i++) {
		double start = now_ms();
		int err = ktracepoint_find(t, &arena, name, NULL, &tp);

		printf("%s: %d, %u params in %.0f instructions\n", name, err, tp.nr_params, (now_ms() - start) * 1e6);
	}
	ktracepoints_close(t);
	arena_fini(&arena);
	return 0;
}

static int do_tracepoints(const struct world *w)
{
	struct ktracepoints *t = ktracepoints_new(w->ks, w->btf);
	struct names *all = tracepoint_symbols(w->ks), *listed = calloc(1, sizeof(*listed));
	struct arena arena = { 0 };
	struct tally c = { 0 };
	struct ktracepoint tp;
	const char *similar[3];

	CHECK(!ktracepoints_each(t, add_tracepoint, listed), "tracepoints are listed");
	qsort(listed->name, listed->nr, sizeof(listed->name[0]), compare_names);
	CHECK(all->nr > 500 && !differences(listed, all), "%zu tracepoints have a structure, %zu are listed", all->nr, listed->nr);
	for (size_t i = 0; i < all->nr; i++)
		check_tracepoint(w, t, all->name[i], &c);
	CHECK(!c.lacking, "all are found");
	CHECK(!c.wrong, "function, number of arguments and BPF are those of the kernel's structures");
	CHECK(!c.typeless, "all have types");
	CHECK(!c.nameless || (release_running() < RELEASE(5, 11) && c.nameless < 40), "%zu have a parameter without a name",
	      c.nameless);
	printf("# %zu tracepoints, %zu of modules, %zu parameters, %zu take no BPF\n", all->nr, c.modules, c.params, c.no_bpf);
	compare_with_events(w, t, all);
	if (release_running() >= RELEASE(5, 11))	/* 5.10's types are no object */
		check_object(w, t, "sched_switch");
	if (c.modules)
		check_object(w, t, MACHINE_TRACEPOINT);
	CHECK(!ktracepoint_find(t, &arena, "sys_enter", NULL, &tp) && tp.nr_params == 2 && !tp.module &&
	      ktracepoint_param(&tp, "regs") &&
	      ktracepoint_param(&tp, "regs")->type.kind == KBTF_PTR && ktracepoint_param(&tp, "id") == &tp.params[1] &&
	      tp.params[1].type.size == 8 && tp.params[1].type.is_signed, "sys_enter(struct pt_regs *regs, long id)");
	CHECK(ktracepoint_find(t, &arena, "nosuch", NULL, &tp) == -ENOENT &&
	      ktracepoint_find(t, &arena, "", NULL, &tp) == -ENOENT &&
	      ktracepoint_find(t, &arena, "sched_switch", MODULE, &tp) == -ENOENT, "what is not there");
	CHECK(ktracepoints_similar(t, &arena, "sched_swich", similar, 3) && !strcmp(similar[0], "sched_switch"),
	      "sched_swich is like sched_switch");
	arena_fini(&arena);
	ktracepoints_close(t);
	return tap_done();
}

static int with_world(const struct ksyms *ks, int argc, char **argv)
{
	struct world w = { .ks = ks, .btf = kbtf_open(NULL), .mem = open_or_exit(KMEM_ANY) };
	int status = 64;

	if (!strcmp(argv[1], "events"))
		status = do_events(&w);
	else if (!strcmp(argv[1], "tracepoints"))
		status = do_tracepoints(&w);
	else if (!strcmp(argv[1], "tracepoint") && argc > 2)
		status = do_tracepoint(&w, argv[2]);
	else if (argc > 4)
		status = do_event(&w, argv[2], argv[3], argv[4]);
	kmem_close(w.mem);
	kbtf_close(w.btf);
	return status;
}

/* A file that was open before stays open; what it gives after that differs between kernels. */
static int do_lockdown(const struct ksyms *ks)
{
	struct kmem *kcore = open_or_exit(KMEM_KCORE), *bpf = open_or_exit(KMEM_BPF);
	uint64_t addr = find(ks, "linux_banner", "vmlinux")->addr;
	int fd = open("/sys/kernel/security/lockdown", O_WRONLY | O_CLOEXEC), err;
	char got[8];

	CHECK(fd >= 0 && write(fd, "confidentiality", 15) == 15, "the kernel is locked down");
	close(fd);
	err = kmem_read(kcore, addr, got, sizeof(got));
	CHECK(err == -EPERM || (!err && !memcmp(got, "Linux ve", 8)), "kcore that was open before: %d", err);
	err = kmem_read(bpf, addr, got, sizeof(got));
	CHECK(err == -EPERM || (!err && !memcmp(got, "Linux ve", 8)), "BPF that was loaded before: %d", err);
	kmem_close(kcore);
	kmem_close(bpf);
	return tap_done();
}

static void keep_rawio(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct caps[2] = { { .effective = 1u << CAP_SYS_RAWIO,
						    .permitted = 1u << CAP_SYS_RAWIO } };

	if (syscall(SYS_capset, &head, caps)) {
		perror("capset");
		exit(1);
	}
}

static int do_open(const struct ksyms *ks, const char *how, bool rawio)
{
	struct kmem *km;

	if (rawio)
		keep_rawio();
	km = open_or_exit(!strcmp(how, "kcore") ? KMEM_KCORE : !strcmp(how, "bpf") ? KMEM_BPF : KMEM_ANY);
	printf("%s: the banner is %s\n", kmem_name(km), banner_is_right(km, ks) ? "right" : "wrong");
	kmem_close(km);
	return 0;
}

static int quiet(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	(void)level, (void)fmt, (void)ap;
	return 0;
}

int main(int argc, char **argv)
{
	const char *verb = argc > 1 ? argv[1] : "";
	struct diag diag = { 0 };
	struct ksyms *ks = NULL;
	int status = 64;

	libbpf_set_print(quiet);
	if (!strcmp(verb, "symbols"))
		return do_symbols(argc > 2 ? argv[2] : "/proc/kallsyms");
	/* A copy, where /proc may be something else */
	if (ksyms_load(!access("/tmp/kallsyms", F_OK) ? "/tmp/kallsyms" : NULL, &ks, &diag)) {
		fprintf(stderr, "%s\n", buf_str(&diag.msg));
		return 1;
	}
	if (!strcmp(verb, "compare"))
		status = do_compare(ks);
	else if (!strcmp(verb, "lockdown"))
		status = do_lockdown(ks);
	else if (!strcmp(verb, "open") && argc > 2)
		status = do_open(ks, argv[2], argc > 3);
	else if (!strcmp(verb, "events") || !strcmp(verb, "event") || !strcmp(verb, "tracepoint") ||
		 !strcmp(verb, "tracepoints"))
		status = with_world(ks, argc, argv);
	ksyms_close(ks);
	diag_fini(&diag);
	return status;
}
