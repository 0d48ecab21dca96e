// SPDX-License-Identifier: GPL-2.0-only
/*
 * kmemcheck.c - user/kernel/mem/kmem.c on a running kernel, for kmem.guest
 *
 *	kmemcheck compare			what kcore and BPF say about the same memory, in TAP
 *	kmemcheck lockdown			what they say once the kernel is locked down, in TAP
 *	kmemcheck open any|kcore|bpf [rawio]	which one it is ("kcore: the banner is right"), or why
 *						none; rawio: without any capability but CAP_SYS_RAWIO
 */
#include <bpf/libbpf.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "kernel/mem/kmem.h"
#include "kernel/release.h"
#include "kernel/syms/ksyms_table.h"
#include "tap.h"

#define MODULE		"dummy"
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
	ksyms_close(ks);
	diag_fini(&diag);
	return status;
}
