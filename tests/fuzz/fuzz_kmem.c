// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_kmem.c - any bytes as a core file of a kernel, in whose memory bprobe reads lists: of events, of modules and their symbols, of what may not be
 * probed; and code. No list leads outside of the file or in a circle.
 *
 * See damage.h: the originals are the events of test_events, modules that are made here, and FILE, the kernel of tests/golden/image.S. Its symbols
 * are those of the file itself.
 *
 * The planted faults: no check of st_name in add_module() (kernel/syms/ksyms_modules.c; found in the first 1,600 damaged ones), and a list of
 * fields without its limit (read_fields(), kernel/events/kevents_memory.c: of 30,000 with seed 41, one does not end).
 */
#include <fcntl.h>
#include <gelf.h>
#include <sys/mman.h>
#include <unistd.h>

static const char fuzz_name[] = "fuzz_kmem";

#include "damage.h"

#include "../unit/events_memory.h"
#include "arch/user.h"
#include "btf_seed.h"
#include "kernel/btf/kbtf.h"
#include "kernel/events/kevents.h"
#include "kernel/ksyscall.h"
#include "kernel/mem/kmem.h"
#include "kernel/syms/ksyms.h"
#include "kernel/syms/ksyms_table.h"
#include "kernel/text/ktext.h"
#include "kernel/xref/xref.h"

/* The reader of modules' symbols, with variables at places of ours. */
static size_t find_variable(struct ksyms_lazy *t, const char *name, const struct ksym *const **ret_first);
static int read_listing(const char *path, struct buf *ret);
#define ksyms_find_core	find_variable
#define ksyms_read_file	read_listing
#define ksyms_read_lists read_lists
#include "kernel/syms/ksyms_modules.c"
#undef ksyms_find_core
#undef ksyms_read_file
#undef ksyms_read_lists

static unsigned long events, symbols, functions, banned, calls;

static int memory_file(const void *data, size_t len, struct buf *path)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, len) != (ssize_t)len)
		abort();
	buf_reset(path);
	buf_addf(path, "/proc/self/fd/%d", fd);
	return fd;
}

static struct kbtf *types_file(struct btf *b)
{
	struct btf_dir dir;
	struct kbtf *kb;
	uint32_t len;
	const void *data = btf__raw_data(b, &len);

	if (btf_dir_make(&dir))
		abort();
	btf_dir_write(&dir, data, len);
	btf__free(b);
	kb = kbtf_open(dir.path);
	require(kbtf_raw(kb) != NULL, "the types");
	btf_dir_remove(&dir);
	return kb;
}

static struct ksyms *symbols_file(const struct buf *text)
{
	struct buf path = { 0 };
	struct ksyms *ks = NULL;
	struct diag d = { 0 };
	int fd = memory_file(text->data, text->len, &path);

	ksyms_load_with(buf_str(&path), NULL, &ks, &d);
	close(fd);
	diag_fini(&d);
	buf_fini(&path);
	return ks;
}

/* ---- events ---- */

static bool take_event(void *ctx, const char *group, const char *name)
{
	events += strlen(group) && strlen(name);
	return ++*(unsigned *)ctx < 1000;
}

static void read_events(struct kmem *km)
{
	static struct kbtf *kb;
	static struct ksyms *ks;
	static const char *const names[][2] = { { "g", "one" }, { "g", "static_name" }, { "syscalls", "sys_enter_x" }, { "h", "odd" }, { "g", "ab" }, { "x", "y" } };
	struct arena arena = { 0 };
	struct kevents *k;
	struct kevent ev;
	unsigned nr = 0;

	if (!kb) {
		struct buf text = { 0 };

		for (size_t i = 0; memory_symbols[i]; i++)
			buf_addf(&text, "%s\n", memory_symbols[i]);
		kb = types_file(types_of(true));
		ks = symbols_file(&text);
		buf_fini(&text);
	}
	k = kevents_new(KEVENTS_MEMORY, NULL, ks, kb, km);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (kevent_find(k, &arena, names[i][0], names[i][1], &ev))
			continue;
		for (unsigned n = 0; n < ev.nr_fields; n++)
			require(ev.fields[n].name && ev.fields[n].type, "a field without a name or a type");
	}
	kevents_each(k, take_event, &nr);
	kevents_close(k);
	arena_fini(&arena);
}

/* ---- modules ---- */

/* Where the variables are, and the members of the structures. */
enum { AT_MODULES = 0x000, AT_OPS = 0x010, AT_PROGRAMS = 0x020, AT_HARDEN = 0x030, AT_SHOWS = 0x034, AT_SLOTS = 0x040 };
enum { IN_STATE = 0, IN_LIST = 8, IN_NAME = 24, IN_KALLSYMS = 56, IN_TRAMPOLINE = 24, IN_START = 24, IN_KSYM_NAME = 40, IN_SYM = 8, IN_PAGES = 16, IN_INSNS = 24 };

static const struct ksym variables[] = {
	{ .name = "modules", .addr = IMAGE + AT_MODULES }, { .name = "ftrace_ops_trampoline_list", .addr = IMAGE + AT_OPS },
	{ .name = "bpf_kallsyms", .addr = IMAGE + AT_PROGRAMS }, { .name = "bpf_jit_harden", .addr = IMAGE + AT_HARDEN },
	{ .name = "bpf_jit_kallsyms", .addr = IMAGE + AT_SHOWS }, { .name = "kprobe_insn_slots", .addr = IMAGE + AT_SLOTS },
};

static size_t find_variable(struct ksyms_lazy *t, const char *name, const struct ksym *const **ret_first)
{
	static const struct ksym *one;

	(void)t;
	for (size_t i = 0; i < ARRAY_SIZE(variables); i++) {
		one = &variables[i];
		*ret_first = &one;
		if (!strcmp(one->name, name))
			return 1;
	}
	return 0;
}

static int read_listing(const char *path, struct buf *ret)
{
	(void)path;
	buf_adds(ret, "second 8192 0 - Live 0x0\nfirst 16384 1 second, Live 0x0\n");
	return 0;
}

static struct btf *module_types(void)
{
	struct btf *b = btf__new_empty();
	int number = btf__add_int(b, "int", 4, BTF_INT_SIGNED), pointer = btf__add_ptr(b, 0), text = btf__add_int(b, "char", 1, BTF_INT_SIGNED);
	int list = btf__add_struct(b, "list_head", 16);

	member(b, "next", pointer, 0);
	member(b, "prev", pointer, 8);
	text = btf__add_array(b, number, text, 32);
	btf__add_struct(b, "module", 64);
	member(b, "state", number, IN_STATE);
	member(b, "list", list, IN_LIST);
	member(b, "name", text, IN_NAME);
	member(b, "kallsyms", pointer, IN_KALLSYMS);
	btf__add_struct(b, "mod_kallsyms", 32);
	member(b, "symtab", pointer, 0);
	member(b, "num_symtab", number, 8);
	member(b, "strtab", pointer, 16);
	member(b, "typetab", pointer, 24);
	btf__add_struct(b, "ftrace_ops", 32);
	member(b, "list", list, IN_LIST);
	member(b, "trampoline", pointer, IN_TRAMPOLINE);
	btf__add_struct(b, "bpf_ksym", 72);
	member(b, "lnode", list, IN_LIST);
	member(b, "start", pointer, IN_START);
	member(b, "name", text, IN_KSYM_NAME);
	btf__add_struct(b, "kprobe_insn_cache", 40);
	member(b, "sym", pointer, IN_SYM);
	member(b, "pages", list, IN_PAGES);
	btf__add_struct(b, "kprobe_insn_page", 40);
	member(b, "list", list, IN_LIST);
	member(b, "insns", pointer, IN_INSNS);
	return b;
}

static void read_modules(struct kmem *km)
{
	static struct kbtf *kb;
	struct ksyms_lazy t = { .mem = km, .modules_path = "" };

	if (!kb)
		kb = types_file(module_types());
	if (read_lists(&t, kb)) {
		for (size_t i = 0; i < t.count; i++)
			require(*t.sym[i].name && t.sym[i].module, "a symbol without a name or a module");
		symbols += t.count;
		buf_fini(&t.sym_room);
	}
	arena_fini(&t.arena);
}

/* ---- code ---- */

/* As nm has them. */
static struct ksyms *own_symbols(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf *elf = (elf_version(EV_CURRENT), elf_begin(fd, ELF_C_READ, NULL));
	struct buf text = { 0 };
	struct ksyms *ks = NULL;
	GElf_Shdr head;
	GElf_Sym sym;

	for (Elf_Scn *scn = NULL; elf && (scn = elf_nextscn(elf, scn));) {
		Elf_Data *data = gelf_getshdr(scn, &head) && head.sh_type == SHT_SYMTAB ? elf_getdata(scn, NULL) : NULL;

		for (int i = 1; data && i < 400 && gelf_getsym(data, i, &sym); i++) {
			const char *name = elf_strptr(elf, head.sh_link, sym.st_name);

			if (name && *name)
				buf_addf(&text, "%016llx %c %s\n", (unsigned long long)sym.st_value, GELF_ST_TYPE(sym.st_info) == STT_FUNC ? 't' : 'd', name);
		}
	}
	elf_end(elf);
	close(fd);
	if (text.len)
		ks = symbols_file(&text);
	buf_fini(&text);
	return ks;
}

static void look_at_code(struct ktext *kt, uint64_t addr)
{
	struct ktext_where where;
	uint64_t callees[8];
	bool known;

	banned += ktext_banned(kt, addr) != KTEXT_FREE;
	for (unsigned off = 0; off < 12; off += 3) {
		if (ktext_boundary(kt, addr, addr + off, &where) == KTEXT_INSIDE)
			require(where.at.addr < addr + off && where.at.addr + where.at.len > addr + off, "an instruction that does not cover the address");
	}
	ktext_has_pad(kt, addr);
	require(ktext_callees(kt, addr, addr + 64, callees, ARRAY_SIZE(callees)) <= ARRAY_SIZE(callees), "more callees than there is room for");
	ktext_trampoline_calls(kt, addr, &known);
	ktext_under_lock(kt, addr, &known);
	ktext_trampoline_denied(kt, 5, addr & 1);
	ktext_params_read(kt, addr);
	functions++;
}

/* What the kernel's memory tells of system calls. */
static void read_calls(const struct ksyms *ks, struct kmem *km)
{
	static const char *const names[] = { "sys_openat", "__se_sys_getpid", "sys_nosuch", "vfs_read" };
	struct arena arena = { 0 };
	struct ksyscall call;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (ksyscall_find(&arena, ks, NULL, km, names[i], &call) || !call.known)
			continue;
		for (unsigned n = 0; n < call.nr_params; n++)
			require(call.params[n] && call.types[n], "a parameter without a name or a type");
		calls++;
	}
	arena_fini(&arena);
}

static void read_code(struct kmem *km, const char *path)
{
	struct ksyms *ks = own_symbols(path);
	struct xref refs[4] = { 0 };
	struct diag d = { 0 };
	struct ktext *kt;
	size_t nr = 0;

	if (!ks)
		return;
	kt = ktext_open(ks, NULL, km);
	for (size_t i = 0; i < ksyms_count(ks) && i < 400; i++) {
		const struct ksym *sym = ksyms_at(ks, i);

		look_at_code(kt, sym->addr);
		if (ksym_is_function(sym) && nr < ARRAY_SIZE(refs) && (!nr || sym->addr >= refs[nr - 1].end))
			refs[nr++] = (struct xref){ .addr = sym->addr, .end = sym->addr + 4 };
	}
	xref_find_near(km, ks, refs, nr);
	read_calls(ks, km);
	ktext_close(kt);
	ksyms_close(ks);
	diag_fini(&d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf path = { 0 };
	struct kmem *km = NULL;
	struct diag d = { 0 };
	int fd = memory_file(data, size, &path);

	if (!kmem_open(buf_str(&path), KMEM_ANY, &km, &d)) {
		read_events(km);
		read_modules(km);
		read_code(km, buf_str(&path));
	}
	kmem_close(km);
	close(fd);
	diag_fini(&d);
	buf_fini(&path);
	return 0;
}

#ifdef STANDALONE

static uint64_t make_module(const char *name)
{
	static const char strings[] = "\0init_module\0helper.cold\0data";
	uint64_t m = alloc(72), k = alloc(32), tab = alloc(4 * sizeof(Elf64_Sym)), str = alloc(sizeof(strings)), types = str + sizeof(strings);

	alloc(16);
	memcpy(at(str), strings, sizeof(strings));
	memcpy(at(types), "\0ttd", 4);
	for (unsigned i = 0; i < 4; i++) {
		const Elf64_Sym sym = { .st_name = (Elf64_Word)(i == 1 ? 1 : i == 2 ? 13 : i == 3 ? 25 : 0), .st_value = 0xffffffffc0000000 + 16 * i };

		memcpy(at(tab + i * sizeof(sym)), &sym, sizeof(sym));
	}
	put(k, tab, 8);
	put(k + 8, 4, 4);
	put(k + 16, str, 8);
	put(k + 24, types, 8);
	put_text(m + IN_NAME, name);
	put(m + IN_KALLSYMS, k, 8);
	return m;
}

static void make_modules(void)
{
	uint64_t ops, program, page;

	memset(image, 0, sizeof(image));
	heap_end = HEAP;
	empty_list(IMAGE + AT_MODULES);
	empty_list(IMAGE + AT_OPS);
	empty_list(IMAGE + AT_PROGRAMS);
	empty_list(IMAGE + AT_SLOTS + IN_PAGES);
	put(IMAGE + AT_SHOWS, 1, 4);
	append(IMAGE + AT_MODULES, make_module("second") + IN_LIST);
	append(IMAGE + AT_MODULES, make_module("first") + IN_LIST);
	ops = alloc(40);
	put(ops + IN_TRAMPOLINE, 0xffffffffc0001000, 8);
	append(IMAGE + AT_OPS, ops + IN_LIST);
	program = alloc(80);
	put(program + IN_START, 0xffffffffc0002000, 8);
	put_text(program + IN_KSYM_NAME, "bpf_prog_6deef7357e7b4530");
	append(IMAGE + AT_PROGRAMS, program + IN_LIST);
	put(IMAGE + AT_SLOTS + IN_SYM, put_text(alloc(32), "kprobe_insn_page"), 8);
	page = alloc(48);
	put(page + IN_INSNS, 0xffffffffc0003000, 8);
	append(IMAGE + AT_SLOTS + IN_PAGES, page + IN_LIST);
}

static void take_image(struct original *o)
{
	make_head();
	buf_add(&o->bytes, image, sizeof(image));
	o->from = OFFSET;
	o->to = OFFSET + PART + (heap_end - HEAP);
}

int main(int argc, char **argv)
{
	struct original all[3] = { 0 };

	make_memory(true, 8);
	take_image(&all[0]);
	make_modules();
	take_image(&all[1]);
	original_read(original_path(argc, argv), &all[2]);
	for (unsigned i = 0; i < ARRAY_SIZE(all); i++)
		LLVMFuzzerTestOneInput((const uint8_t *)all[i].bytes.data, all[i].bytes.len);
	/* Six events. Three symbols of each module, and three others. More than a hundred symbols of the kernel, of which many are banned. */
	require(events == 6 && symbols == 9 && functions > 100 && banned > 20 && calls, "what is read of the originals");
	return damage(argc, argv, all, ARRAY_SIZE(all));
}

#endif
