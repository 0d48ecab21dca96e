// SPDX-License-Identifier: GPL-2.0-only
/*
 * ksyms_modules.c - reads the symbols that are not the kernel's own from the lists that the kernel keeps: of modules, of ftrace's
 * trampolines, of BPF programs, and of the pages that kprobes use.
 *
 * /proc/kallsyms tells the same, but the kernel prints all of its own symbols first: with a hundred modules that takes 650
 * million instructions, and these lists take 20. They are in the order in which /proc/kallsyms prints them (6.12,
 * kernel/kallsyms.c, update_iter_mod()). BTF tells where the members of structures are.
 *
 * One list of the kernel is left out: functions of modules' boot code that ftrace has traced (ftrace_mod_maps). This code is freed, other
 * modules may be at its addresses, and the kernel's own lookup asks this list last.
 *
 * Nothing here is trusted: addresses, lengths and counts have limits, and the list of modules must be the one that
 * /proc/modules shows. If anything is not as expected, the caller reads /proc/kallsyms.
 */
#include <elf.h>
#include <string.h>

#include "kernel/btf/kbtf.h"
#include "kernel/mem/kmem.h"
#include "kernel/syms/ksyms_table.h"

enum {
	MAX_ENTRIES = 1 << 20,		/* of one list */
	MAX_SYMBOLS = 1 << 20,		/* of one module */
	MAX_NAMES = 1 << 26,		/* bytes of one module's names */
	MAX_STRUCT = 4096,		/* bytes of a structure, up to the last member that is read */
	NAME_SIZE = 512,		/* KSYM_NAME_LEN; 128 until 6.0 */
	UNFORMED = 3,			/* MODULE_STATE_UNFORMED (include/linux/module.h) */
};

/* ---- where members are ---- */

enum structure { STRUCT_MODULE, STRUCT_KALLSYMS, STRUCT_OPS, STRUCT_BPF, STRUCT_CACHE, STRUCT_PAGE, STRUCTS };

static const char *const struct_names[STRUCTS] = {
	[STRUCT_MODULE] = "module", [STRUCT_KALLSYMS] = "mod_kallsyms", [STRUCT_OPS] = "ftrace_ops",
	[STRUCT_BPF] = "bpf_ksym", [STRUCT_CACHE] = "kprobe_insn_cache", [STRUCT_PAGE] = "kprobe_insn_page",
};

enum member {
	MODULE_STATE, MODULE_LIST, MODULE_NAME, MODULE_KALLSYMS,
	KALLSYMS_SYMTAB, KALLSYMS_NUMBER, KALLSYMS_STRTAB, KALLSYMS_TYPETAB,
	OPS_LIST, OPS_TRAMPOLINE, BPF_LIST, BPF_START, BPF_NAME,
	CACHE_NAME, CACHE_PAGES, PAGE_LIST, PAGE_INSNS,
	MEMBERS
};

static const struct {
	enum structure type;
	const char *name;
} members[MEMBERS] = {
	[MODULE_STATE] = { STRUCT_MODULE, "state" }, [MODULE_LIST] = { STRUCT_MODULE, "list" },
	[MODULE_NAME] = { STRUCT_MODULE, "name" }, [MODULE_KALLSYMS] = { STRUCT_MODULE, "kallsyms" },
	[KALLSYMS_SYMTAB] = { STRUCT_KALLSYMS, "symtab" }, [KALLSYMS_NUMBER] = { STRUCT_KALLSYMS, "num_symtab" },
	[KALLSYMS_STRTAB] = { STRUCT_KALLSYMS, "strtab" }, [KALLSYMS_TYPETAB] = { STRUCT_KALLSYMS, "typetab" },
	[OPS_LIST] = { STRUCT_OPS, "list" }, [OPS_TRAMPOLINE] = { STRUCT_OPS, "trampoline" },
	[BPF_LIST] = { STRUCT_BPF, "lnode" }, [BPF_START] = { STRUCT_BPF, "start" }, [BPF_NAME] = { STRUCT_BPF, "name" },
	[CACHE_NAME] = { STRUCT_CACHE, "sym" }, [CACHE_PAGES] = { STRUCT_CACHE, "pages" },
	[PAGE_LIST] = { STRUCT_PAGE, "list" }, [PAGE_INSNS] = { STRUCT_PAGE, "insns" },
};

struct lists {
	struct ksyms_lazy *t;
	struct buf syms;		/* of struct ksym */
	unsigned off[MEMBERS];
	unsigned size[STRUCTS];		/* bytes to read: up to 8 behind the last member; 0: this kernel has no such type */
	const char *listing;		/* the rest of /proc/modules */
	const char *page_name;		/* of kprobes' pages that are read */
};

static bool find_members(struct lists *l, struct kbtf *btf)
{
	struct kbtf_id types[STRUCTS];

	for (unsigned i = 0; i < STRUCTS; i++)
		l->size[i] = kbtf_find_struct(btf, struct_names[i], &types[i]) ? 0 : 8;
	for (unsigned i = 0; i < MEMBERS; i++) {
		enum structure type = members[i].type;
		struct kbtf_member m;

		if (!l->size[type])
			continue;
		if (kbtf_find_member(types[type], members[i].name, &m) || m.bit_off / 8 > MAX_STRUCT - 8)
			return false;
		l->off[i] = m.bit_off / 8;
		l->size[type] = MAX(l->size[type], l->off[i] + 8);
	}
	return l->size[STRUCT_MODULE] && l->size[STRUCT_KALLSYMS];
}

/* ---- memory ---- */

static bool read_at(const struct lists *l, uint64_t addr, void *to, size_t len)
{
	return addr >> 63 && !kmem_read(l->t->mem, addr, to, len);
}

/* The member @which of a structure that was read to @bytes. */
static uint64_t word(const struct lists *l, const uint8_t *bytes, enum member which)
{
	uint64_t value;

	memcpy(&value, bytes + l->off[which], sizeof(value));
	return value;
}

/* A string of 1 to @size - 1 bytes; it may end at the end of the mapped memory. NULL: it cannot be read. */
static const char *read_string(const struct lists *l, uint64_t addr, size_t size)
{
	char text[NAME_SIZE];
	size_t len = MIN(size, sizeof(text));

	while (len && !read_at(l, addr, text, len))
		len /= 2;
	return memchr(text, '\0', len) && *text ? arena_strdup(&l->t->arena, text) : NULL;
}

/*
 * Calls @visit for each entry of the list whose head is at @head, with the entry's address and bytes. The list is in the member
 * @list. False: @visit returned false, or the list cannot be read.
 */
static bool walk(struct lists *l, uint64_t head, enum member list, bool (*visit)(struct lists *l, uint64_t entry, const uint8_t *bytes))
{
	uint8_t bytes[MAX_STRUCT];
	uint64_t at = head;

	if (!read_at(l, head, &at, sizeof(at)))
		return false;
	for (unsigned nr = 0; at != head; nr++) {
		uint64_t entry = at - l->off[list];

		if (nr == MAX_ENTRIES || !read_at(l, entry, bytes, l->size[members[list].type]))
			return false;
		at = word(l, bytes, list);
		if (!visit(l, entry, bytes))
			return false;
	}
	return true;
}

/* The same for the list that the kernel's variable @name heads. A kernel without it has no such list. */
static bool walk_named(struct lists *l, const char *name, enum member list,
		       bool (*visit)(struct lists *l, uint64_t entry, const uint8_t *bytes))
{
	const struct ksym *const *syms;

	if (!ksyms_find_core(l->t, name, &syms))
		return true;
	return l->size[members[list].type] && walk(l, syms[0]->addr, list, visit);
}

static void add(struct lists *l, uint64_t addr, char type, const char *name, const char *module)
{
	struct ksym sym = { .addr = addr, .name = name, .module = module, .type = type };

	buf_add(&l->syms, &sym, sizeof(sym));
}

/* ---- modules ---- */

/* Is @name the next module of /proc/modules? */
static bool is_listed(struct lists *l, const char *name)
{
	size_t len = strlen(name);

	if (strncmp(l->listing, name, len) || l->listing[len] != ' ')
		return false;
	l->listing += strcspn(l->listing, "\n");
	l->listing += *l->listing == '\n';
	return true;
}

/* A module's tables, as struct mod_kallsyms tells where they are. */
struct tables {
	Elf64_Sym *sym;
	char *names, *types;
	size_t nr, names_len;
};

/* The names end where the types begin (6.12, kernel/module/kallsyms.c, layout_symtab()). */
static bool read_tables(struct lists *l, uint64_t kallsyms, struct buf *room, struct tables *ret)
{
	uint64_t symtab, strtab, typetab;
	uint8_t bytes[MAX_STRUCT];

	if (!read_at(l, kallsyms, bytes, l->size[STRUCT_KALLSYMS]))
		return false;
	symtab = word(l, bytes, KALLSYMS_SYMTAB);
	strtab = word(l, bytes, KALLSYMS_STRTAB);
	typetab = word(l, bytes, KALLSYMS_TYPETAB);
	ret->nr = (uint32_t)word(l, bytes, KALLSYMS_NUMBER);
	if (ret->nr > MAX_SYMBOLS || strtab >= typetab || typetab - strtab > MAX_NAMES)
		return false;
	ret->names_len = (size_t)(typetab - strtab);
	buf_reset(room);
	ret->sym = (Elf64_Sym *)(void *)buf_room(room, ret->nr * (sizeof(*ret->sym) + 1));
	ret->types = (char *)(ret->sym + ret->nr);
	ret->names = arena_alloc(&l->t->arena, ret->names_len + 1);
	ret->names[ret->names_len] = '\0';
	return !ret->nr || (read_at(l, symtab, ret->sym, ret->nr * sizeof(*ret->sym)) &&
			    read_at(l, typetab, ret->types, ret->nr) && read_at(l, strtab, ret->names, ret->names_len));
}

static bool add_module(struct lists *l, uint64_t entry, const uint8_t *bytes)
{
	struct buf room = { 0 };
	struct tables tables;
	const char *name;
	uint32_t state;
	bool good;

	memcpy(&state, bytes + l->off[MODULE_STATE], sizeof(state));
	if (state == UNFORMED)
		return true;
	name = read_string(l, entry + l->off[MODULE_NAME], NAME_SIZE);
	good = name && is_listed(l, name) && read_tables(l, word(l, bytes, MODULE_KALLSYMS), &room, &tables);
	for (size_t i = 0; good && i < tables.nr; i++) {
		const char *text = tables.names + tables.sym[i].st_name;

		good = tables.sym[i].st_name < tables.names_len;
		if (!good || !*text)
			continue;
		/* Lower case: upper case for what the module exports is kallsyms' own addition, and nobody asks for it. */
		add(l, tables.sym[i].st_value, tables.types[i] | 0x20, text, name);
	}
	buf_fini(&room);
	return good;
}

/* ---- ftrace, BPF, kprobes ---- */

static bool add_trampoline(struct lists *l, uint64_t entry, const uint8_t *bytes)
{
	(void)entry;
	add(l, word(l, bytes, OPS_TRAMPOLINE), 't', "ftrace_trampoline", "__builtin__ftrace");
	return true;
}

static bool add_program(struct lists *l, uint64_t entry, const uint8_t *bytes)
{
	const char *name = read_string(l, entry + l->off[BPF_NAME], NAME_SIZE);

	if (name)
		add(l, word(l, bytes, BPF_START), 't', name, "bpf");
	return name;
}

static bool add_page(struct lists *l, uint64_t entry, const uint8_t *bytes)
{
	(void)entry;
	add(l, word(l, bytes, PAGE_INSNS), 't', l->page_name, "__builtin__kprobes");
	return true;
}

/* @name: the kernel's variable, a struct kprobe_insn_cache. */
static bool add_cache(struct lists *l, const char *name)
{
	const struct ksym *const *syms;
	uint8_t bytes[MAX_STRUCT];

	if (!ksyms_find_core(l->t, name, &syms))
		return true;
	if (!l->size[STRUCT_CACHE] || !l->size[STRUCT_PAGE] || !read_at(l, syms[0]->addr, bytes, l->size[STRUCT_CACHE]))
		return false;
	l->page_name = read_string(l, word(l, bytes, CACHE_NAME), NAME_SIZE);
	return l->page_name && walk(l, syms[0]->addr + l->off[CACHE_PAGES], PAGE_LIST, add_page);
}

/* The kernel lists programs only with these settings (6.12, include/linux/filter.h, bpf_jit_kallsyms_enabled()). */
static bool shows_programs(const struct lists *l)
{
	const struct ksym *const *harden, *const *shows;
	int32_t on;

	return ksyms_find_core(l->t, "bpf_jit_harden", &harden) && read_at(l, harden[0]->addr, &on, sizeof(on)) && !on &&
	       ksyms_find_core(l->t, "bpf_jit_kallsyms", &shows) && read_at(l, shows[0]->addr, &on, sizeof(on)) && on == 1;
}

bool ksyms_read_lists(struct ksyms_lazy *t, struct kbtf *btf)
{
	struct lists l = { .t = t };
	const struct ksym *const *head;
	struct buf listing = { 0 };
	bool good;

	good = t->mem && t->modules_path && find_members(&l, btf) && ksyms_find_core(t, "modules", &head) &&
	       !ksyms_read_file(t->modules_path, &listing);
	l.listing = buf_str(&listing);
	good = good && walk(&l, head[0]->addr, MODULE_LIST, add_module) && !*l.listing &&
	       walk_named(&l, "ftrace_ops_trampoline_list", OPS_LIST, add_trampoline) &&
	       (!shows_programs(&l) || walk_named(&l, "bpf_kallsyms", BPF_LIST, add_program)) &&
	       add_cache(&l, "kprobe_insn_slots") && add_cache(&l, "kprobe_optinsn_slots");
	buf_fini(&listing);
	if (!good) {
		buf_fini(&l.syms);
		return false;
	}
	t->sym_room = l.syms;
	t->sym = (struct ksym *)(void *)l.syms.data;
	t->count = l.syms.len / sizeof(*t->sym);
	return true;
}
