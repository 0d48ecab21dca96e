// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_features.c - what bprobe concludes from a kernel's BTF, symbols and version, most of all if these disagree.
 *
 * The kernels are made up from facts of real ones: the symbols and types are those that Linux has in these versions
 * (kernel/kprobes.c, kernel/trace/rethook.c, kernel/trace/fprobe.c, include/linux/fprobe.h, include/uapi/linux/bpf.h).
 */
#include <bpf/btf.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../fuzz/btf_seed.h"
#include "arch/kernel.h"
#include "base/buf.h"
#include "base/diag.h"
#include "kernel/btf/kbtf.h"
#include "kernel/disabled.h"
#include "kernel/features.h"
#include "kernel/release.h"
#include "kernel/syms/ksyms.h"
#include "tap.h"

static struct btf_dir dir;

static struct ksyms *symbols(const char *const *names, bool hidden)
{
	struct ksyms *ks = NULL;
	struct diag diag = { 0 };
	struct buf text = { 0 };
	char path[40];
	int fd = memfd_create("kallsyms", 0);

	buf_addf(&text, "%s T _stext\n%s T _text\n", hidden ? "0000000000000000" : "ffffffff81000000",
		 hidden ? "0000000000000000" : "ffffffff81000000");
	for (unsigned i = 0; names[i]; i++)
		buf_addf(&text, "%016lx T %s\n", hidden ? 0 : 0xffffffff81000000 + 16ul * (i + 1), names[i]);
	buf_addf(&text, "%016lx T _etext\n", hidden ? 0 : 0xffffffff81800000);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (write(fd, text.data, text.len) != (ssize_t)text.len || ksyms_load(path, &ks, &diag))
		printf("# symbols: %s\n", buf_str(&diag.msg));
	close(fd);
	buf_fini(&text);
	diag_fini(&diag);
	return ks;
}

/* ---- by symbols: kretprobes that hide the caller ---- */

/*
 * 5.10 has the table, 5.11 to 5.15 have nothing, 5.16 has a function, 6.1 a rethook. RHEL 9 calls itself 5.14 and has
 * later functions: its version means that the caller is hidden, but its symbols show that it is not.
 */
static void test_hidden_caller(void)
{
	static const struct { const char *what; unsigned release; const char *names[4]; bool hidden, wanted, unwinds; } cases[] = {
		{ "5.10", RELEASE(5, 10), { "kretprobe_inst_table", "kretprobe_trampoline" }, false, false, false },
		{ "5.14", RELEASE(5, 14), { "kretprobe_trampoline" }, false, true, false },
		{ "5.14 with 5.16's kretprobes", RELEASE(5, 14), { "__kretprobe_trampoline", "kretprobe_find_ret_addr" }, false, false, true },
		{ "5.14 with 6.1's rethook", RELEASE(5, 14), { "arch_rethook_trampoline", "rethook_find_ret_addr" }, false, false, true },
		{ "6.12", RELEASE(6, 12), { "arch_rethook_trampoline", "rethook_find_ret_addr" }, false, false, true },
		{ "5.14 that hides its symbols", RELEASE(5, 14), { "kretprobe_trampoline" }, true, true, false },
		{ "6.1 that hides its symbols", RELEASE(6, 1), { "arch_rethook_trampoline", "rethook_find_ret_addr" }, true, false, true },
		{ "5.14 with 6.1's rethook that hides its symbols", RELEASE(5, 14), { "arch_rethook_trampoline", "rethook_find_ret_addr" }, true,
		  false, true },
		{ "5.14 without kretprobes in its symbols", RELEASE(5, 14), { "vfs_read" }, false, true, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct ksyms *ks = symbols(cases[i].names, cases[i].hidden);
		struct features f;

		features_init(&f, NULL, ks, false);
		f.release = cases[i].release;
		CHECK(feature(&f, FEATURE_HIDES_CALLER) == cases[i].wanted, "%s: the caller is %s", cases[i].what,
		      cases[i].wanted ? "hidden" : "shown");
		CHECK(feature(&f, FEATURE_UNWINDS_RETURNS) == cases[i].unwinds, "%s: the unwinder %s", cases[i].what,
		      cases[i].unwinds ? "passes a return probe" : "stops at a return probe");
		ksyms_close(ks);
	}
}

/* ---- by BTF ---- */

struct types {
	bool active;		/* struct bpf_prog has the member (5.12) */
	bool func_ret, multi;	/* the enumerators (5.17, 5.18) */
	const char *fprobe;	/* the last member of struct fprobe; NULL: no such structure */
	unsigned ids;		/* the offset of tracing_multi.ids in bpf_attr; 0: there is neither that nor the enumerators */
	bool session;		/* the attach type of sessions, and the functions for their programs (6.10; used from 6.14 on) */
	bool mappings;		/* the iterator of a task's mappings (6.7) */
	bool call;		/* a system call's function. No type tells that its programs may sleep (7.1) */
	bool faultable;		/* the function that runs programs of system calls' events where they may sleep (7.2) */
};

static void add_functions(struct btf *b, const struct types *t)
{
	int proto = btf__add_func_proto(b, 1);

	if (t->session) {
		btf__add_func(b, "bpf_session_is_return", BTF_FUNC_GLOBAL, proto);
		btf__add_func(b, "bpf_session_cookie", BTF_FUNC_GLOBAL, proto);
	}
	if (t->mappings) {
		btf__add_func(b, "bpf_iter_task_vma_new", BTF_FUNC_STATIC, proto);
		btf__add_func(b, "bpf_iter_task_vma_next", BTF_FUNC_STATIC, proto);
		btf__add_func(b, "bpf_iter_task_vma_destroy", BTF_FUNC_STATIC, proto);
		btf__add_struct(b, "vm_area_struct", 16);
		btf__add_field(b, "vm_start", 1, 0, 0);
		btf__add_field(b, "vm_flags", 1, 64, 0);
	}
	if (t->call)
		btf__add_func(b, SYSCALL_WRAPPER "close", BTF_FUNC_STATIC, proto);
	if (t->faultable)
		btf__add_func(b, "trace_call_bpf_faultable", BTF_FUNC_STATIC, proto);
}

/* union bpf_attr { struct { ...; struct { ids; cookies; cnt; } tracing_multi; } link_create; }, as in 7.2. */
static void add_attr(struct btf *b, unsigned ids)
{
	int u64 = btf__add_int(b, "__u64", 8, 0), multi, create;

	multi = btf__add_struct(b, NULL, 24);
	btf__add_field(b, "ids", u64, 0, 0);
	btf__add_field(b, "cookies", u64, 64, 0);
	btf__add_field(b, "cnt", 1, 128, 0);
	create = btf__add_struct(b, NULL, 40);
	btf__add_field(b, "prog_fd", 1, 0, 0);
	btf__add_field(b, "tracing_multi", multi, 8 * ids, 0);
	btf__add_union(b, "bpf_attr", 40);
	btf__add_field(b, "link_create", create, 0, 0);
}

static struct kbtf *types(const struct types *t)
{
	struct btf *b = btf__new_empty();
	uint32_t len;
	const void *data;

	btf__add_int(b, "int", 4, BTF_INT_SIGNED);
	btf__add_struct(b, "task_struct", 8);
	btf__add_field(b, "pid", 1, 0, 0);
	btf__add_struct(b, "bpf_prog", 8);
	btf__add_field(b, t->active ? "active" : "pages", 1, 0, 0);
	btf__add_enum(b, "bpf_func_id", 4);
	btf__add_enum_value(b, "BPF_FUNC_unspec", 0);
	if (t->func_ret)
		btf__add_enum_value(b, "BPF_FUNC_get_func_ret", 184);
	btf__add_enum(b, "bpf_attach_type", 4);
	btf__add_enum_value(b, "BPF_CGROUP_INET_INGRESS", 0);
	if (t->multi)
		btf__add_enum_value(b, "BPF_TRACE_KPROBE_MULTI", 42);
	if (t->session)
		btf__add_enum_value(b, "BPF_TRACE_KPROBE_SESSION", 56);
	if (t->ids) {
		btf__add_enum_value(b, "BPF_TRACE_FENTRY_MULTI", 59);
		btf__add_enum_value(b, "BPF_TRACE_FEXIT_MULTI", 60);
		add_attr(b, t->ids);
	}
	add_functions(b, t);
	if (t->fprobe) {
		btf__add_struct(b, "fprobe", 8);
		btf__add_field(b, t->fprobe, 1, 0, 0);
	}
	data = btf__raw_data(b, &len);
	btf_dir_write(&dir, data, len);
	btf__free(b);
	return kbtf_open(dir.path);
}

static void test_types(void)
{
	static const char *const names[] = { "register_fprobe_ips", "register_ftrace_direct", NULL }, *const none[] = { "vfs_read", NULL };
	static const struct {
		const char *what;
		unsigned release;
		struct types types;
		bool no_symbols, guard, func_arg, multi, whole, trampolines;
	} cases[] = {
		{ "5.10", RELEASE(5, 10), { false, false, false, NULL, 0 }, true, false, false, false, false, false },
		{ "5.14", RELEASE(5, 14), { true, false, false, NULL, 0 }, true, true, false, false, false, false },
		{ "5.15 with direct calls", RELEASE(5, 15), { true, false, false, NULL, 0 }, false, true, false, false, false, false },
		{ "5.14 with 6.1's BPF", RELEASE(5, 14), { true, true, true, "rethook", 0 }, false, true, true, true, true, false },
		{ "6.12", RELEASE(6, 12), { true, true, true, "rethook", 0, true, .mappings = true, .call = true }, false, true, true, true, true, false },
		{ "6.12 with 6.14's fprobe", RELEASE(6, 12), { true, true, true, "hlist_array", 0 }, false, true, true, true, false, false },
		{ "6.14", RELEASE(6, 14), { true, true, true, "hlist_array", 0, true }, false, true, true, true, false, false },
		{ "7.1", RELEASE(7, 1), { true, true, true, "hlist_array", 0, .mappings = true, .call = true }, false, true, true, true, false, false },
		{ "7.2", RELEASE(7, 2), { true, true, true, "hlist_array", 16, .mappings = true, .call = true, .faultable = true }, false, true, true, true, false, true },
		{ "7.2 with another form", RELEASE(7, 2), { true, true, true, "hlist_array", 24 }, false, true, true, true, false, false },
		{ "6.12 with 7.2's BPF", RELEASE(6, 12), { true, true, true, "rethook", 16 }, false, true, true, true, true, true },
		{ "7.2 without ftrace", RELEASE(7, 2), { true, true, true, NULL, 16, true }, true, true, true, false, false, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct kbtf *kb = types(&cases[i].types);
		struct ksyms *ks = symbols(cases[i].no_symbols ? none : names, false);
		const char *what = cases[i].what;
		struct features f;

		features_init(&f, kb, ks, false);
		f.release = cases[i].release;
		CHECK(feature(&f, FEATURE_GUARD) == cases[i].guard, "%s: a guard", what);
		CHECK(feature(&f, FEATURE_FUNC_ARG) == cases[i].func_arg, "%s: bpf_get_func_ret()", what);
		CHECK(feature(&f, FEATURE_MULTI) == cases[i].multi, "%s: kprobe.multi", what);
		CHECK(feature(&f, FEATURE_MULTI_WHOLE) == cases[i].whole, "%s: ... with all registers", what);
		/* Without the JIT of this machine's kernel, no program can call the functions. */
		CHECK(feature(&f, FEATURE_SESSION) == (cases[i].types.session && cases[i].multi && !cases[i].whole && !disabled_jit()),
		      "%s: sessions", what);
		CHECK(feature(&f, FEATURE_TRAMPOLINES) == cases[i].trampolines, "%s: links to many trampolines", what);
		CHECK(feature(&f, FEATURE_DIRECT_CALLS) == !cases[i].no_symbols && feature(&f, FEATURE_BTF), "%s: direct calls, BTF", what);
		CHECK(feature(&f, FEATURE_SYSCALL_SLEEPS) == (cases[i].types.call && cases[i].release >= RELEASE(7, 1)),
		      "%s: trampolines of system calls that sleep", what);
		CHECK(feature(&f, FEATURE_EVENT_SLEEPS) == cases[i].types.faultable, "%s: events of system calls that sleep", what);
		CHECK(feature(&f, FEATURE_MAPPINGS) == (cases[i].types.mappings && !disabled_jit()), "%s: mappings", what);
		ksyms_close(ks);
		kbtf_close(kb);
	}
}

/* ---- by the version, which --explain prints ---- */

static void test_guesses(void)
{
	struct buf text = { 0 };
	struct features f;

	features_init(&f, NULL, NULL, false);
	f.release = RELEASE(6, 1);
	features_print_guessed(&f, "", &text);
	CHECK(!text.len, "nothing was asked, so nothing was guessed");
	CHECK(!feature(&f, FEATURE_GUARD), "without BTF there are no trampolines");
	features_print_guessed(&f, "", &text);
	CHECK(!text.len, "... which is no guess");
	CHECK(!feature(&f, FEATURE_WHOLE_ARGS) && feature(&f, FEATURE_ATOMICS), "6.1 by its version");
	features_print_guessed(&f, "", &text);
	CHECK(strstr(buf_str(&text), "assumed of Linux 6.1: no whole registers in trampolines (") &&
	      strstr(buf_str(&text), "assumed of Linux 6.1: compare and exchange in BPF (no program could be loaded to ask)\n"),
	      "guesses are told");
	buf_fini(&text);

	CHECK(!feature_by_release(FEATURE_HIDES_CALLER, RELEASE(5, 10)) && feature_by_release(FEATURE_HIDES_CALLER, RELEASE(5, 11)) &&
	      feature_by_release(FEATURE_HIDES_CALLER, RELEASE(5, 15)) && !feature_by_release(FEATURE_HIDES_CALLER, RELEASE(5, 16)),
	      "a feature that came and went");
	CHECK(!feature_by_release(FEATURE_WHOLE_ARGS, RELEASE(6, 5)) && feature_by_release(FEATURE_WHOLE_ARGS, RELEASE(6, 6)) &&
	      feature_by_release(FEATURE_WHOLE_ARGS, RELEASE(7, 2)), "one that stayed");
}

int main(void)
{
	if (btf_dir_make(&dir))
		return 1;
	test_hidden_caller();
	test_types();
	test_guesses();
	btf_dir_remove(&dir);
	return tap_done();
}
