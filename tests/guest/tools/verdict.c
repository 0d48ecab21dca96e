// SPDX-License-Identifier: GPL-2.0-only
/*
 * verdict.c - compares bprobe's verdict on a place with the kernel's.
 *
 *	verdict COUNT SEED KALLSYMS [kcore|bpf]
 *
 * Draws COUNT pairs of a function (of the kernel and its modules) and an offset in it, asks
 * ktext, and has the kernel open a perf-event kprobe there. Prints TAP: the two must agree on
 * accepted and EILSEQ; where the kernel says EINVAL, bprobe must have a reason, and for
 * blacklist and notrace the kernel's own files (debugfs kprobes/blacklist, tracefs
 * available_filter_functions) must confirm it.
 */
#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/arena.h"
#include "kernel/btf/kbtf.h"
#include "kernel/mem/kmem.h"
#include "kernel/syms/ksyms.h"
#include "kernel/text/ktext.h"

static const char *const names[] = {
	"free", "no code", "boot", "preamble", "entry", "noinstr", "kprobes", "nokprobe", "notrace",
	"jump label", "static call", "bug", "int3",
};

static struct {
	unsigned accepted, eilseq, einval, other;
	unsigned disagree, doubt, no_reason, wrong_reason;
	unsigned reasons[ARRAY_SIZE(names)];
} count;

static uint64_t seed;

static uint64_t draw(uint64_t below)
{
	/* xorshift64*, Vigna 2014 */
	seed ^= seed >> 12;
	seed ^= seed << 25;
	seed ^= seed >> 27;
	return (seed * 0x2545f4914f6cdd1dull >> 16) % below;
}

/* ---- the kernel's files ---- */

struct name_set {
	char **name;
	size_t nr;
};

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The first words of a file's lines. */
static struct name_set read_names(const char *path)
{
	struct name_set set = { 0 };
	size_t room = 0, cap = 0;
	char *line = NULL;
	FILE *f = fopen(path, "r");

	while (f && getline(&line, &cap, f) > 0) {
		line[strcspn(line, " \n")] = '\0';
		if (set.nr == room)
			set.name = realloc(set.name, (room = room ? room * 2 : 1024) * sizeof(*set.name));
		set.name[set.nr++] = strdup(line);
	}
	if (f)
		fclose(f);
	free(line);
	if (set.nr)
		qsort(set.name, set.nr, sizeof(*set.name), compare_names);
	return set;
}

static bool has_name(const struct name_set *set, const char *name)
{
	return set->nr && bsearch(&name, set->name, set->nr, sizeof(*set->name), compare_names);
}

/* Lines of "0xSTART-0xEND\tNAME"; an entry's range may hold many functions. */
static bool in_blacklist(uint64_t addr)
{
	static uint64_t (*range)[2];
	static size_t nr, room;
	FILE *f = range ? NULL : fopen("/sys/kernel/debug/kprobes/blacklist", "r");
	uint64_t start, end;

	while (f && fscanf(f, "0x%" SCNx64 "-0x%" SCNx64 "%*[^\n]\n", &start, &end) == 2) {
		if (nr == room)
			range = realloc(range, (room = room ? room * 2 : 1024) * sizeof(*range));
		range[nr][0] = start;
		range[nr++][1] = end;
	}
	if (f)
		fclose(f);
	for (size_t i = 0; i < nr; i++) {
		if (addr >= range[i][0] && addr < range[i][1])
			return true;
	}
	return false;
}

/* ---- one pair ---- */

static unsigned pmu_type(void)
{
	FILE *f = fopen("/sys/bus/event_source/devices/kprobe/type", "r");
	unsigned type = 0;

	if (!f || fscanf(f, "%u", &type) != 1)
		exit(2);
	fclose(f);
	return type;
}

static int ask_kernel(uint64_t addr)
{
	static unsigned type;
	struct perf_event_attr attr = { .size = sizeof(attr), .kprobe_addr = addr };
	int fd;

	if (!type)
		type = pmu_type();
	attr.type = type;
	fd = (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, 0);
	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

static void complain(const char *what, const struct ksym *sym, uint64_t off, int kernel, int ban, int verdict)
{
	printf("# %s: %s+%" PRIu64 "%s%s: kernel %s, bprobe: ban %s, verdict %d\n", what, sym->name, off,
	       sym->module ? " " : "", sym->module ? sym->module : "", kernel ? strerror(-kernel) : "accepts",
	       names[ban], verdict);
}

/* A file with names only says nothing about a name that several functions have. */
static bool is_shared(const struct ksyms *ks, const char *name)
{
	const struct ksym *const *syms;

	return ksyms_find(ks, name, NULL, &syms) > 1;
}

/* Do the kernel's own files confirm the reason? */
static bool is_borne_out(const struct ksyms *ks, enum ktext_ban ban, const struct ksym *sym, uint64_t addr,
			 const struct name_set *traced)
{
	char whole[512];

	snprintf(whole, sizeof(whole), "%.*s", (int)strcspn(sym->name, "."), sym->name);
	switch (ban) {
	case KTEXT_NOTRACE:
		return !has_name(traced, sym->name) || is_shared(ks, sym->name);
	case KTEXT_NOKPROBE:
	case KTEXT_NOINSTR:
	case KTEXT_ENTRY:
	case KTEXT_KPROBES:
		return in_blacklist(addr) || strcmp(whole, sym->name);
	default:
		return true;
	}
}

static void take_pair(const struct ksyms *ks, struct ktext *kt, const struct ksym *sym, uint64_t off,
		      const struct name_set *traced)
{
	uint64_t addr = sym->addr + off;
	enum ktext_ban ban = ktext_banned(kt, addr);
	enum ktext_verdict verdict = ktext_boundary(kt, sym->addr, addr, NULL);
	int kernel = ask_kernel(addr);

	count.reasons[ban]++;
	if (verdict > KTEXT_INSIDE && !ban) {
		count.doubt++;
		complain("cannot vouch", sym, off, kernel, ban, verdict);
	}
	if (kernel == -EINVAL) {
		count.einval++;
		if (!ban && count.no_reason++ < 20)
			complain("no reason", sym, off, kernel, ban, verdict);
		if (ban && !is_borne_out(ks, ban, sym, addr, traced) && count.wrong_reason++ < 20)
			complain("wrong reason", sym, off, kernel, ban, verdict);
		return;
	}
	count.accepted += !kernel;
	count.eilseq += kernel == -EILSEQ;
	count.other += kernel && kernel != -EILSEQ;
	/* Padding is refused for one of several reasons. */
	if (ban == KTEXT_BREAKPOINT && kernel == -EILSEQ)
		return;
	if (ban || (kernel != 0 && kernel != -EILSEQ) || (kernel == 0) != (verdict == KTEXT_BOUNDARY)) {
		count.disagree++;
		complain("disagreement", sym, off, kernel, ban, verdict);
	}
}

static void result(bool good, unsigned n, const char *what)
{
	static unsigned nr;

	printf("%s %u - %u %s\n", good ? "ok" : "not ok", ++nr, n, what);
}

int main(int argc, char **argv)
{
	struct diag diag = { 0 };
	struct ksyms *ks;
	struct kmem *mem;
	struct kbtf *btf = kbtf_open(NULL);
	struct ktext *kt;
	struct name_set traced = read_names("/sys/kernel/tracing/available_filter_functions");
	unsigned pairs = argc > 3 ? (unsigned)strtoul(argv[1], NULL, 10) : 0, total = pairs;

	if (argc < 4)
		return 64;
	seed = strtoull(argv[2], NULL, 0) * 0x9e3779b97f4a7c15ull | 1;
	if (ksyms_load_with(argv[3], "/proc/modules", &ks, &diag) ||
	    kmem_open(NULL, argc > 4 && !strcmp(argv[4], "bpf") ? KMEM_BPF : KMEM_KCORE, &mem, &diag)) {
		printf("Bail out! %s\n", buf_str(&diag.msg));
		return 1;
	}
	kt = ktext_open(ks, btf, mem);
	while (pairs) {
		const struct ksym *sym = ksyms_at(ks, draw(ksyms_count(ks)));
		uint64_t size;

		/* The symbol that the kernel finds for the address is where decoding begins. */
		if (!ksym_is_function(sym) || ksym_is_marker(sym) || ksyms_lookup(ks, sym->addr, &size) != sym || !size ||
		    (sym->module && !ksym_brackets(sym)) || (sym->module && !strncmp(sym->module, "__builtin__", 11)))
			continue;
		take_pair(ks, kt, sym, draw(size), &traced);
		pairs--;
	}
	printf("# accepted %u, EILSEQ %u, EINVAL %u, other %u; cannot vouch %u\n", count.accepted, count.eilseq,
	       count.einval, count.other, count.doubt);
	for (size_t i = 1; i < ARRAY_SIZE(names); i++)
		printf("# %s: %u\n", names[i], count.reasons[i]);
	result(!count.disagree, count.disagree, "disagreements on accepted or EILSEQ");
	result(!count.doubt, count.doubt, "times bprobe cannot vouch");
	result(!count.no_reason, count.no_reason, "EINVAL without a reason of bprobe's");
	result(!count.wrong_reason, count.wrong_reason, "reasons that the kernel's files do not bear out");
	result(traced.nr > 1000 && count.accepted && count.eilseq && count.einval, total,
	       "pairs, and all three answers came");
	puts("1..5");
	return count.disagree || count.doubt || count.no_reason || count.wrong_reason;
}
