// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_events.c - events and tracepoints of made-up kernels: format files, lists in memory, and types.
 *
 * The lines of format files are those of f_show() (6.12, kernel/trace/trace_events.c). The structures in memory have members at
 * offsets that no kernel has, so only BTF can tell where they are. tests/guest/suites/kmem.sh asks real kernels.
 */
#include <errno.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../fuzz/btf_seed.h"
#include "base/buf.h"
#include "kernel/events/kevents_priv.h"
#include "kernel/events/ktracepoints.h"
#include "kernel/mem/kmem.h"
#include "kernel/syms/ksyms.h"
#include "events_memory.h"
#include "tap.h"

static struct btf_dir dir;

/* ---- format files ---- */

/* Flags: c common, p pointer, s string, m mask of CPUs. */
static const struct {
	const char *declaration;
	uint32_t size;
	enum kevent_kind kind;
	const char *name, *type, *element;
	uint32_t element_size, nr_elements;
	const char *flags;
} declarations[] = {
	{ "int pid", 4, KEVENT_NUMBER, "pid", "int", "int", 0, 0, "" },
	{ "unsigned short common_type", 2, KEVENT_NUMBER, "common_type", "unsigned short", "unsigned short", 0, 0, "c" },
	{ "bool on", 1, KEVENT_NUMBER, "on", "bool", "bool", 0, 0, "" },
	{ "enum zone_type zone", 4, KEVENT_NUMBER, "zone", "enum zone_type", "enum zone_type", 0, 0, "" },
	{ "struct mm_struct * mm", 8, KEVENT_NUMBER, "mm", "struct mm_struct *", "struct mm_struct *", 0, 0, "p" },
	{ "const char * name", 8, KEVENT_NUMBER, "name", "const char *", "const char *", 0, 0, "ps" },
	/* filter_assign_type() compares whole types, so this is no string. */
	{ "unsigned char * name", 8, KEVENT_NUMBER, "name", "unsigned char *", "unsigned char *", 0, 0, "p" },
	{ "char comm[16]", 16, KEVENT_TEXT, "comm", "char[16]", "char", 1, 16, "s" },
	{ "unsigned char mac[6]", 6, KEVENT_TEXT, "mac", "unsigned char[6]", "unsigned char", 1, 6, "s" },
	/* 5.10 prints the constant's name. */
	{ "char comm[TASK_COMM_LEN]", 16, KEVENT_TEXT, "comm", "char[TASK_COMM_LEN]", "char", 1, 16, "s" },
	{ "unsigned int rc[EXT4_FC_REASON_MAX]", 40, KEVENT_ARRAY, "rc", "unsigned int[EXT4_FC_REASON_MAX]", "unsigned int",
	  4, 10, "" },
	{ "foo_t rc[SOME + 1]", 40, KEVENT_BYTES, "rc", "foo_t[SOME + 1]", "foo_t", 0, 0, "" },
	{ "foo_t rc[5]", 40, KEVENT_ARRAY, "rc", "foo_t[5]", "foo_t", 8, 5, "" },
	{ "unsigned long args[6]", 48, KEVENT_ARRAY, "args", "unsigned long[6]", "unsigned long", 8, 6, "" },
	{ "u32 odd[3]", 13, KEVENT_BYTES, "odd", "u32[3]", "u32", 4, 0, "" },
	{ "u32 none[0]", 0, KEVENT_ARRAY, "none", "u32[0]", "u32", 4, 0, "" },
	{ "__data_loc char[] name", 4, KEVENT_DYNAMIC, "name", "__data_loc char[]", "char", 1, 0, "s" },
	{ "__data_loc u64[] list", 4, KEVENT_DYNAMIC, "list", "__data_loc u64[]", "u64", 8, 0, "" },
	{ "__data_loc cpumask_t mask", 4, KEVENT_DYNAMIC, "mask", "__data_loc cpumask_t", "cpumask_t", 8, 0, "m" },
	{ "__rel_loc char[] name", 4, KEVENT_RELATIVE, "name", "__rel_loc char[]", "char", 1, 0, "s" },
	{ "__data_loc struct x[] list", 4, KEVENT_DYNAMIC, "list", "__data_loc struct x[]", "struct x", 0, 0, "" },
	{ "uuid_t id", 16, KEVENT_BYTES, "id", "uuid_t", "uuid_t", 0, 0, "" },
	{ "struct x id", 8, KEVENT_BYTES, "id", "struct x", "struct x", 0, 0, "" },
};

static bool is_declared(const struct kevent_field *f, size_t i)
{
	const char *flags = declarations[i].flags;

	return !strcmp(f->name, declarations[i].name) && !strcmp(f->type, declarations[i].type) &&
	       !strcmp(f->element, declarations[i].element) && f->kind == declarations[i].kind && f->size == declarations[i].size &&
	       f->element_size == declarations[i].element_size && f->nr_elements == declarations[i].nr_elements &&
	       f->is_common == !!strchr(flags, 'c') && f->is_pointer == !!strchr(flags, 'p') &&
	       f->is_string == !!strchr(flags, 's') && f->is_cpumask == !!strchr(flags, 'm');
}

static int parse(struct arena *arena, const char *text, struct kevent *ret)
{
	*ret = (struct kevent){ 0 };
	return kevent_parse_format(arena, text, strlen(text), ret);
}

static void test_declarations(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(declarations); i++) {
		const char *text = declarations[i].declaration;
		struct arena arena = { 0 };
		const struct kevent_field *f;
		struct kevent ev;
		const char *line = arena_printf(&arena, "\tfield:%s;\toffset:8;\tsize:%u;\tsigned:1;\n", text, declarations[i].size);
		int err = parse(&arena, arena_printf(&arena, "name: x\nID: 7\nformat:\n%s", line), &ev);

		if (CHECK(!err && ev.nr_fields == 1, "%s: %d", text, err)) {
			f = &ev.fields[0];
			CHECK(is_declared(f, i) && f->offset == 8 && f->is_signed, "... '%s' '%s', kind %d, %u of %u", f->name,
			      f->type, f->kind, f->nr_elements, f->element_size);
		}
		arena_fini(&arena);
	}
}

#define FIELD	"\tfield:int a;\toffset:8;\tsize:4;\tsigned:1;\n"

static void test_formats(void)
{
	static const struct { const char *what, *text; int err; } cases[] = {
		{ "one field", "name: x\nID: 1\nformat:\n" FIELD, 0 },
		{ "no newline at the end", "name: x\nID: 1\nformat:\n\tfield:int a;\toffset:8;\tsize:4;\tsigned:1;", 0 },
		{ "without signed, as 2.6.30", "name: x\nID: 1\n\tfield:int a;\toffset:8;\tsize:4;\n", 0 },
		{ "lines that are not known", "name: x\nflags: 3\nID: 1\n\nformat:\n" FIELD "\tother:u;\n", 0 },
		{ "words that are not known", "name: x\nID: 1\n\tfield:int a;\talign:4;\toffset:8;\tsize:4;\tsigned:1;\tx\n", 0 },
		{ "nothing", "", -EINVAL },
		{ "no name", "ID: 1\n" FIELD, -EINVAL },
		{ "no number", "name: x\n" FIELD, -EINVAL },
		{ "a negative number", "name: x\nID: -1\n" FIELD, -EINVAL },
		{ "a large number", "name: x\nID: 4294967296\n" FIELD, -EINVAL },
		{ "no fields", "name: x\nID: 1\nformat:\n", -EINVAL },
		{ "a field without an offset", "name: x\nID: 1\n" FIELD "\tfield:int b;\tsize:4;\tsigned:1;\n", -EINVAL },
		{ "a field without a size", "name: x\nID: 1\n" FIELD "\tfield:int b;\toffset:12;\tsigned:1;\n", -EINVAL },
		{ "a field far outside", "name: x\nID: 1\n\tfield:int b;\toffset:4294967295;\tsize:4;\tsigned:1;\n", -EINVAL },
		{ "a field without a type", "name: x\nID: 1\n\tfield:b;\toffset:8;\tsize:4;\tsigned:1;\n", -EINVAL },
		{ "a field without a name", "name: x\nID: 1\n\tfield:;\toffset:8;\tsize:4;\tsigned:1;\n", -EINVAL },
		{ "a bracket alone", "name: x\nID: 1\n\tfield:int b];\toffset:8;\tsize:4;\tsigned:1;\n", -EINVAL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct arena arena = { 0 };
		struct kevent ev;
		int err = parse(&arena, cases[i].text, &ev);

		CHECK(err == cases[i].err, "%s: %d", cases[i].what, err);
		CHECK(err || (ev.id == 1 && !strcmp(ev.name, "x") && ev.nr_fields == 1 && !ev.print_fmt), "... one field");
		arena_fini(&arena);
	}
}

static void test_print_fmt(void)
{
	struct arena arena = { 0 };
	struct kevent ev;
	int err = parse(&arena, "name: x\nID: 1\n" FIELD "\nprint fmt: \"%d\", REC->a\nfield: not one\n", &ev);

	CHECK(!err && ev.nr_fields == 1 && !strcmp(ev.print_fmt, "\"%d\", REC->a\nfield: not one"), "print fmt is the rest: '%s'",
	      ev.print_fmt);
	CHECK(kevent_field(&ev, "a") == &ev.fields[0] && !kevent_field(&ev, "b"), "a field by its name");
	CHECK(kevent_similar_field(&ev, "b") == ev.fields[0].name && !kevent_similar_field(&ev, "bcd"),
	      "a field by a similar name");
	arena_fini(&arena);
}

/* ---- a tracefs ---- */

static char root[] = "/tmp/test_events.XXXXXX";

static void write_file(const char *name, const char *text)
{
	struct buf path = { 0 };
	int fd;

	buf_addf(&path, "%s/%s", root, name);
	for (char *slash = path.data + sizeof(root); (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		mkdir(path.data, 0700);
		*slash = '/';
	}
	fd = open(path.data, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		abort();
	close(fd);
	buf_fini(&path);
}

static struct ksyms *symbols(const char *const *lines)
{
	struct ksyms *ks = NULL;
	struct diag diag = { 0 };
	struct buf text = { 0 };
	char path[40];
	int fd = memfd_create("kallsyms", 0);

	buf_adds(&text, "ffffffff81000000 T _stext\nffffffff81000000 T _text\n");
	for (; *lines; lines++)
		buf_addf(&text, "%s\n", *lines);
	buf_adds(&text, "ffffffff81800000 T _etext\n");
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (write(fd, text.data, text.len) != (ssize_t)text.len || ksyms_load(path, &ks, &diag))
		printf("# symbols: %s\n", buf_str(&diag.msg));
	close(fd);
	buf_fini(&text);
	diag_fini(&diag);
	return ks;
}

static bool add_event(void *ctx, const char *group, const char *name)
{
	buf_addf(ctx, "%s.%s ", group, name);
	return true;
}

static bool same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static bool add_first(void *ctx, const char *group, const char *name)
{
	add_event(ctx, group, name);
	return false;
}

static void test_tracefs(void)
{
	static const char *const lines[] = {
		"ffffffff81000100 t __traceiter_one", "ffffffff81000200 t __traceiter_two",
		"ffffffffc0000100 t __traceiter_far\t[extra]", NULL
	};
	static const struct { const char *group, *name, *tracepoint, *module; int err; } cases[] = {
		{ "g", "one", "one", NULL, 0 }, { "h", "far", "far", "extra", 0 },
		{ "syscalls", "sys_enter_x", "sys_enter", NULL, 0 },
		{ "syscalls", "sys_exit_x", "sys_exit", NULL, 0 }, { "ftrace", "two", NULL, NULL, 0 },
		{ "kprobes", "two", NULL, NULL, 0 },		/* of a probe that has a tracepoint's name */
		{ "g", "none", NULL, NULL, -ENOENT }, { "g", "../g/one", NULL, NULL, -ENOENT },
		{ "..", "events", NULL, NULL, -ENOENT },
		{ "g", "other", NULL, NULL, -EINVAL },		/* another event's file */
	};
	struct ksyms *ks = symbols(lines);
	struct kevents *k;
	struct buf all = { 0 };
	struct arena arena = { 0 };
	const char *similar[3];

	write_file("events/g/one/format", "name: one\nID: 5\n" FIELD);
	write_file("events/g/other/format", "name: one\nID: 5\n" FIELD);
	write_file("events/h/far/format", "name: far\nID: 6\n" FIELD);
	write_file("events/ftrace/two/format", "name: two\nID: 6\n" FIELD);
	write_file("events/kprobes/two/format", "name: two\nID: 7\n" FIELD);
	write_file("events/syscalls/sys_enter_x/format", "name: sys_enter_x\nID: 8\n" FIELD);
	write_file("events/syscalls/sys_exit_x/format", "name: sys_exit_x\nID: 9\n" FIELD);
	write_file("available_events", "g:one\nkprobes:two\nno event\nh:far\n");
	write_file("dynamic_events", "p:kprobes/twofold vfs_read\np:kprobes/two vfs_read a=%di\n");
	k = kevents_new(KEVENTS_ANY, root, ks, NULL, NULL);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct kevent ev;
		int err = kevent_find(k, &arena, cases[i].group, cases[i].name, &ev);

		if (!CHECK(err == cases[i].err, "%s.%s: %d", cases[i].group, cases[i].name, err) || err)
			continue;
		CHECK(!strcmp(ev.group, cases[i].group) && !strcmp(ev.name, cases[i].name) && ev.nr_fields == 1,
		      "... it is that one");
		CHECK(same(ev.tracepoint, cases[i].tracepoint), "... tracepoint %s", ev.tracepoint ? ev.tracepoint : "none");
		CHECK(same(ev.module, cases[i].module), "... module %s", ev.module ? ev.module : "none");
	}
	CHECK(!kevents_each(k, add_event, &all) && !strcmp(buf_str(&all), "g.one kprobes.two h.far "), "all: %s", buf_str(&all));
	buf_reset(&all);
	CHECK(!kevents_each(k, add_first, &all) && !strcmp(buf_str(&all), "g.one "), "the first one: %s", buf_str(&all));
	CHECK(kevents_similar(k, &arena, "g", "oen", similar, 3) == 1 && !strcmp(similar[0], "g.one"), "similar");
	CHECK(kevents_similar(k, &arena, "g", "far", similar, 3) == 1 && !strcmp(similar[0], "h.far"),
	      "the same name in another group");
	CHECK(!kevents_similar(k, &arena, "g", "abcdefgh", similar, 3) && !kevents_similar(k, &arena, "g", "one", similar, 0),
	      "nothing similar");
	kevents_close(k);
	k = kevents_new(KEVENTS_ANY, "", ks, NULL, NULL);
	CHECK(!kevents_from(k) && kevents_each(k, add_event, &all) == -EOPNOTSUPP &&
	      kevent_find(k, &arena, "g", "one", &(struct kevent){ 0 }) ==
	      -EOPNOTSUPP, "neither tracefs nor memory");
	kevents_close(k);
	buf_fini(&all);
	arena_fini(&arena);
	ksyms_close(ks);
}

/* ---- a list in memory ---- */

static struct kmem *open_memory(void)
{
	int fd = memfd_create("core", 0);
	struct diag diag = { 0 };
	struct kmem *km = NULL;
	char path[40];

	make_head();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (write(fd, image, sizeof(image)) != (ssize_t)sizeof(image) || kmem_open(path, KMEM_ANY, &km, &diag))
		printf("# memory: %s\n", buf_str(&diag.msg));
	close(fd);
	diag_fini(&diag);
	return km;
}

static struct kbtf *kbtf_of(struct btf *b)
{
	uint32_t len;
	const void *data = btf__raw_data(b, &len);

	btf_dir_write(&dir, data, len);
	btf__free(b);
	return kbtf_open(dir.path);
}

static void check_one(struct kevents *k)
{
	struct arena arena = { 0 };
	struct kevent ev;
	int err = kevent_find(k, &arena, "g", "one", &ev);

	if (CHECK(!err && ev.nr_fields == 4 && ev.id == 5, "an event with its tracepoint: %d", err)) {
		CHECK(ev.tracepoint && !strcmp(ev.tracepoint, "one") && !ev.module && !strcmp(ev.print_fmt, "\"%d\", REC->a"),
		      "... its names");
		CHECK(!strcmp(ev.fields[0].name, "common_type") && ev.fields[0].is_common && !ev.fields[0].is_signed &&
		      ev.fields[0].size == 2, "... first");
		CHECK(!strcmp(ev.fields[1].name, "common_pid") && ev.fields[1].offset == 4 && ev.fields[1].is_signed, "... second");
		CHECK(!strcmp(ev.fields[2].type, "char[16]") && ev.fields[2].kind == KEVENT_TEXT &&
		      ev.fields[2].nr_elements == 16, "... third");
		CHECK(!strcmp(ev.fields[3].type, "__data_loc u32[]") && ev.fields[3].kind == KEVENT_DYNAMIC &&
		      ev.fields[3].offset == 24, "... last");
	}
	arena_fini(&arena);
}

static void test_memory(bool has_len)
{
	struct ksyms *ks = symbols(memory_symbols);
	struct kbtf *kb = kbtf_of(types_of(has_len));
	struct arena arena = { 0 };
	struct buf all = { 0 };
	struct kmem *mem;
	struct kevents *k;
	struct kevent ev;

	make_memory(has_len, has_len ? 8 : 1);
	mem = open_memory();
	k = kevents_new(KEVENTS_ANY, "", ks, kb, mem);
	CHECK(kevents_from(k) && !strcmp(kevents_from(k), "memory"), "memory, a kernel %s lengths", has_len ? "with" : "without");
	check_one(k);
	CHECK(!kevent_find(k, &arena, "g", "static_name", &ev) && !ev.tracepoint && ev.id == 6 && ev.module &&
	      !strcmp(ev.module, "extra"),
	      "an event with a name, of a module");
	CHECK(!kevent_find(k, &arena, "syscalls", "sys_enter_x", &ev) && ev.nr_fields == 3 &&
	      !strcmp(ev.fields[2].name, "__syscall_nr") &&
	      ev.tracepoint && !strcmp(ev.tracepoint, "sys_enter"), "a system call's");
	CHECK(kevent_find(k, &arena, "h", "odd", &ev) == -EINVAL, "fields that only the kernel can find");
	CHECK(!kevent_find(k, &arena, "g", "ab", &ev) && !ev.module && !ev.tracepoint && ev.id == 9, "a probe's");
	CHECK(!kevent_find(k, &arena, "g", "made", &ev) && !ev.tracepoint, "a synthetic one");
	CHECK(kevent_find(k, &arena, "g", "n", &ev) == -ENOENT && kevent_find(k, &arena, "h", "one", &ev) == -ENOENT &&
	      kevent_find(k, &arena, "g", "on", &ev) == -ENOENT && kevent_find(k, &arena, "g", "ones", &ev) == -ENOENT, "none");
	CHECK(!kevents_each(k, add_event, &all) && !strcmp(buf_str(&all),
							   "g.one g.static_name syscalls.sys_enter_x h.odd g.ab g.made "),
	      "all: %s", buf_str(&all));
	kevents_close(k);
	kmem_close(mem);
	kbtf_close(kb);
	ksyms_close(ks);
	buf_fini(&all);
	arena_fini(&arena);
}

/* What is found if the word at @addr is @value. */
static void broken(const char *what, uint64_t addr, uint64_t value, int find, int each)
{
	struct ksyms *ks = symbols(memory_symbols);
	struct kbtf *kb = kbtf_of(types_of(true));
	struct arena arena = { 0 };
	struct buf all = { 0 };
	struct kevents *k;
	struct kmem *mem;
	struct kevent ev;
	int err;

	make_memory(true, 8);
	put(addr, value, 8);
	mem = open_memory();
	k = kevents_new(KEVENTS_MEMORY, NULL, ks, kb, mem);
	err = kevent_find(k, &arena, "g", "one", &ev);
	CHECK(err == find, "%s: %d", what, err);
	err = kevents_each(k, add_event, &all);
	CHECK(err == each, "... all: %d", err);
	kevents_close(k);
	kmem_close(mem);
	kbtf_close(kb);
	ksyms_close(ks);
	buf_fini(&all);
	arena_fini(&arena);
}

static void test_broken(void)
{
	uint64_t fields = CLASS(0) + CLASS_FIELDS;

	broken("the list leads to user memory", CALL(1) + CALL_LIST, 0x1000, 0, -EOPNOTSUPP);
	broken("the list leads to itself", CALL(1) + CALL_LIST, CALL(1) + CALL_LIST, 0, -EOPNOTSUPP);
	broken("the list leads to a gap", EVENTS, IMAGE + 0x100000, 0, -EOPNOTSUPP);
	broken("no class", CALL(0) + CALL_CLASS, 0, -ENOENT, -EOPNOTSUPP);
	broken("no name", CALL(0) + CALL_NAME, 0, -ENOENT, -EOPNOTSUPP);
	broken("no group", CLASS(0) + CLASS_SYSTEM, 0, -ENOENT, 0);
	broken("fields that lead to a gap", fields + 8, IMAGE + 0x100000, -EINVAL, 0);
	broken("fields that lead to themselves", HEAP + FIELD_LINK + 8, HEAP + FIELD_LINK, -EINVAL, 0);
	broken("a field without a name", HEAP + FIELD_NAME, 0, -EINVAL, 0);
	broken("a field of four gigabytes", HEAP + FIELD_SIZE, UINT32_MAX, -EINVAL, 0);
}

/* ---- tracepoints ---- */

/* void NAME(void *__data, int a, struct task *b), with names or without. */
static int proto(struct btf *b, const char *first, const char *second)
{
	int id = btf__add_func_proto(b, 0);

	btf__add_func_param(b, *first ? "__data" : NULL, 3);
	btf__add_func_param(b, first, 1);
	btf__add_func_param(b, second, 4);
	return id;
}

static struct btf *points(void)
{
	struct btf *b = btf__new_empty();
	int plain, named, more, task;

	btf__add_int(b, "int", 4, BTF_INT_SIGNED);
	task = btf__add_struct(b, "task", 8);
	btf__add_ptr(b, 0);
	btf__add_ptr(b, task);
	plain = proto(b, "", "");
	named = proto(b, "a", "b");
	more = proto(b, "x", "y");
	btf__add_typedef(b, "btf_trace_both", btf__add_ptr(b, plain));
	btf__add_func(b, "__probestub_both", BTF_FUNC_STATIC, named);
	btf__add_func(b, "__traceiter_both", BTF_FUNC_STATIC, more);
	btf__add_typedef(b, "btf_trace_older", btf__add_ptr(b, plain));
	btf__add_func(b, "__traceiter_older", BTF_FUNC_STATIC, more);
	btf__add_typedef(b, "btf_trace_nameless", btf__add_ptr(b, plain));
	btf__add_func(b, "__traceiter_bare", BTF_FUNC_STATIC, named);
	btf__add_typedef(b, "btf_trace_wrong", task);
	return b;
}

static bool add_point(void *ctx, const char *name, const char *module)
{
	buf_addf(ctx, "%s%s%s ", module ? module : "", module ? ":" : "", name);
	return true;
}

static void test_points(void)
{
	static const char *const lines[] = {
		"ffffffff81000100 T __traceiter_both", "ffffffff81000180 T __probestub_both",
		"ffffffff81000200 T __traceiter_older",
		"ffffffff81000300 T __traceiter_nameless", "ffffffff81000400 T __traceiter_bare",
		"ffffffff81000500 T __traceiter_wrong",
		"ffffffff81000600 t __traceiter_both.cold", "ffffffff81400000 d __bpf_trace_tp_map_wrong",
		"ffffffffc0000100 t __traceiter_far\t[extra]", NULL
	};
	static const struct {
		const char *name, *symbol, *module;
		uint64_t addr;
		bool bpf, typed, types;
		const char *first, *second;
	} cases[] = {
		{ "both", "__probestub_both", NULL, 0xffffffff81000180, true, true, true, "a", "b" },
		{ "older", "__traceiter_older", NULL, 0xffffffff81000200, true, true, true, "x", "y" },
		{ "nameless", "__traceiter_nameless", NULL, 0xffffffff81000300, true, true, true, "", "" },
		{ "bare", "__traceiter_bare", NULL, 0xffffffff81000400, false, false, true, "a", "b" },
		{ "wrong", "__traceiter_wrong", NULL, 0xffffffff81000500, true, false, false, "", "" },
		{ "far", "__traceiter_far", "extra", 0xffffffffc0000100, false, false, false, "", "" },
	};
	struct ksyms *ks = symbols(lines);
	struct kbtf *kb = kbtf_of(points());
	struct ktracepoints *t = ktracepoints_new(ks, kb);
	struct arena arena = { 0 };
	struct buf all = { 0 };
	struct ktracepoint tp;
	const char *similar[2];

	ktracepoint_expect(kb, "both");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		int err = ktracepoint_find(t, &arena, cases[i].name, NULL, &tp);

		if (!CHECK(!err && !strcmp(tp.name, cases[i].name) && !strcmp(tp.symbol, cases[i].symbol) &&
			   tp.addr == cases[i].addr, "%s: %d",
			   cases[i].name, err))
			continue;
		CHECK(tp.takes_bpf == cases[i].bpf && !tp.typedef_id.id == !cases[i].typed && tp.has_types == cases[i].types,
		      "... BPF, types");
		CHECK(cases[i].module ? !strcmp(tp.module, cases[i].module) : !tp.module, "... module");
		CHECK(!tp.has_types || (tp.nr_params == 2 && !strcmp(tp.params[0].name, cases[i].first) &&
					!strcmp(tp.params[1].name, cases[i].second)),
		      "... names");
		CHECK(!tp.has_types || (tp.params[0].type.kind == KBTF_INT && tp.params[0].type.size == 4 &&
					tp.params[1].type.kind == KBTF_PTR),
		      "... types");
		CHECK(!*cases[i].second || ktracepoint_param(&tp, cases[i].second) == &tp.params[1], "... by name");
		CHECK(!ktracepoint_param(&tp, "__data") && !ktracepoint_param(&tp, ""), "... no others");
	}
	CHECK(ktracepoint_find(t, &arena, "none", NULL, &tp) == -ENOENT &&
	      ktracepoint_find(t, &arena, "both.cold", NULL, &tp) == -ENOENT &&
	      ktracepoint_find(t, &arena, "", NULL, &tp) == -ENOENT &&
	      ktracepoint_find(t, &arena, "both", "extra", &tp) == -ENOENT &&
	      ktracepoint_find(t, &arena, "far", "vmlinux", &tp) == -ENOENT &&
	      !ktracepoint_find(t, &arena, "far", "extra", &tp), "none");
	CHECK(!ktracepoints_each(t, add_point, &all) && !strcmp(buf_str(&all), "both older nameless bare wrong extra:far "),
	      "all: %s",
	      buf_str(&all));
	CHECK(ktracepoints_similar(t, &arena, "odler", similar, 2) == 1 && !strcmp(similar[0], "older"), "similar");
	ktracepoints_close(t);
	t = ktracepoints_new(NULL, kb);
	CHECK(ktracepoint_find(t, &arena, "both", NULL, &tp) == -EOPNOTSUPP &&
	      ktracepoints_each(t, add_point, &all) == -EOPNOTSUPP, "no symbols");
	ktracepoints_close(t);
	t = ktracepoints_new(ks, NULL);
	CHECK(!ktracepoint_find(t, &arena, "both", NULL, &tp) && !tp.has_types && !tp.takes_bpf, "no types");
	ktracepoints_close(t);
	kbtf_close(kb);
	ksyms_close(ks);
	buf_fini(&all);
	arena_fini(&arena);
}

int main(void)
{
	struct buf command = { 0 };

	if (btf_dir_make(&dir) || !mkdtemp(root))
		return 1;
	test_declarations();
	test_formats();
	test_print_fmt();
	test_tracefs();
	test_memory(true);
	test_memory(false);
	test_broken();
	test_points();
	btf_dir_remove(&dir);
	buf_addf(&command, "rm -rf %s", root);
	if (system(command.data))
		return 1;
	buf_fini(&command);
	return tap_done();
}
