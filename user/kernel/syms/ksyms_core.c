// SPDX-License-Identifier: GPL-2.0-only
/*
 * ksyms_core.c - the kernel's own symbols by its memory, and when to read all others.
 */
#include <errno.h>
#include <sys/mman.h>

#include "kernel/btf/kbtf.h"
#include "kernel/mem/kmem.h"
#include "kernel/syms/ksyms_packed.h"
#include "kernel/syms/ksyms_table.h"

#define KALLSYMS	"/proc/kallsyms"

/* ---- one symbol ---- */

const struct ksym *ksyms_core(struct ksyms_lazy *t, size_t i)
{
	struct ksym *sym = &t->core[i];
	char name[KPACKED_NAME_MAX];
	size_t len;

	if (sym->name)
		return sym;
	len = kpacked_name(t->packed, i, &sym->type, name);
	sym->name = len ? arena_strndup(&t->arena, name, len) : "";
	if (!len || !kpacked_addr(t->packed, i, &sym->addr)) {	/* the kernel has been locked down meanwhile */
		sym->type = '?';
		sym->addr = 0;
	}
	sym->type = ksyms_right_type(sym->type, sym->addr, t->etext, t->boot, t->boot_end);
	return sym;
}

/* ---- names ---- */

static void add_number(void *ctx, size_t i)
{
	struct buf *numbers = ctx;

	buf_add(numbers, &i, sizeof(i));
}

static int compare_numbers(const void *a, const void *b)
{
	size_t x = *(const size_t *)a, y = *(const size_t *)b;

	return x < y ? -1 : x > y;
}

size_t ksyms_find_core(struct ksyms_lazy *t, const char *name, const struct ksym *const **ret_first)
{
	struct buf numbers = { 0 };
	const struct ksym **found;
	size_t nr, *number;

	kpacked_find(t->packed, name, add_number, &numbers);
	number = (size_t *)(void *)numbers.data;
	nr = numbers.len / sizeof(*number);
	if (nr > 1)
		qsort(number, nr, sizeof(*number), compare_numbers);
	found = nr ? arena_array(&t->arena, const struct ksym *, nr) : NULL;
	for (size_t i = 0; i < nr; i++)
		found[i] = ksyms_core(t, number[i]);
	buf_fini(&numbers);
	*ret_first = found;
	return nr;
}

bool ksyms_find_begins(const struct ksyms *ks, const char *const *prefixes, size_t nr_prefixes, struct buf *ret)
{
	struct ksyms_lazy *t = ks->lazy;
	size_t *number, nr, kept = 0;

	for (size_t i = 0; i < nr_prefixes; i++) {
		if (!t->packed || !kpacked_find_prefix(t->packed, prefixes[i], add_number, ret))
			return false;
	}
	number = (size_t *)(void *)ret->data;
	nr = ret->len / sizeof(*number);
	if (nr > 1)
		qsort(number, nr, sizeof(*number), compare_numbers);
	for (size_t i = 0; i < nr; i++) {
		if (!i || number[i] != number[i - 1])
			number[kept++] = number[i];
	}
	ret->len = kept * sizeof(*number);
	return true;
}

/* ---- addresses ---- */

const struct ksym *ksyms_lookup_core(struct ksyms_lazy *t, uint64_t addr, uint64_t *ret_size)
{
	size_t next = kpacked_up_to(t->packed, addr), first = next;
	uint64_t at, before, above;

	if (!next || !kpacked_addr(t->packed, --first, &at))
		return NULL;
	while (first && kpacked_addr(t->packed, first - 1, &before) && before == at)
		first--;
	*ret_size = next < t->nr_core && kpacked_addr(t->packed, next, &above) ? above - at : 0;
	return ksyms_core(t, first);
}

/* ---- what is no symbol of the kernel's own ---- */

void ksyms_read_rest(struct ksyms_lazy *t)
{
	struct kbtf *own = NULL;
	struct diag ignored = { 0 };
	bool hidden;

	if (!t->packed || t->rest_read)
		return;
	t->rest_read = true;
	if (!t->btf)
		own = kbtf_open(NULL);
	t->by_lists = ksyms_read_lists(t, own ? own : t->btf);
	if (!t->by_lists)
		ksyms_read_table(t, KALLSYMS, true, &hidden, &ignored);
	kbtf_close(own);
	diag_fini(&ignored);
}

/* If the list of modules cannot be read, it counts as a list with modules. */
static bool has_modules(struct ksyms_lazy *t)
{
	struct buf text = { 0 };

	if (!t->modules_asked)
		t->modules_loaded = !t->modules_path || ksyms_read_file(t->modules_path, &text) || text.len;
	t->modules_asked = true;
	buf_fini(&text);
	return t->modules_loaded;
}

/*
 * Without modules, the other symbols are BPF's programs and trampolines, and pages of ftrace and kprobes. Their names
 * begin with these.
 */
bool ksyms_rest_may_have(struct ksyms_lazy *t, const char *name)
{
	static const char *const made[] = { "bpf_", "ftrace_", "kprobe_" };

	if (!name || has_modules(t))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(made); i++) {
		if (!strncmp(name, made[i], strlen(made[i])))
			return true;
	}
	return false;
}

/* ---- open and close ---- */

/* Compares the beginning of /proc/kallsyms with the same symbols from memory. */
struct comparison {
	struct ksyms_lazy *t;
	size_t i;
	bool seen_address;
};

static bool is_same(void *ctx, const struct ksym *sym)
{
	struct comparison *c = ctx;
	char name[KPACKED_NAME_MAX], type;
	uint64_t addr;

	c->seen_address |= sym->addr != 0;
	if (c->i == c->t->nr_core || !kpacked_name(c->t->packed, c->i, &type, name) ||
	    !kpacked_addr(c->t->packed, c->i, &addr))
		return false;
	c->i++;
	return addr == sym->addr && type == sym->type && !strcmp(name, sym->name);
}

static uint64_t first_address(struct ksyms_lazy *t, const char *name)
{
	const struct ksym *const *syms;

	return ksyms_find_core(t, name, &syms) ? syms[0]->addr : 0;
}

static bool open_core(struct ksyms_lazy *t)
{
	struct comparison c = { .t = t };
	struct diag ignored = { 0 };
	int err = kmem_open(NULL, KMEM_KCORE, &t->mem, &ignored);
	void *core;

	diag_fini(&ignored);
	t->packed = err ? NULL : kpacked_open(t->mem);
	if (!t->packed)
		return false;
	t->nr_core = kpacked_count(t->packed);
	if (ksyms_read_start(KALLSYMS, is_same, &c) || !c.seen_address)
		return false;
	/* Not calloc(), because symbols that are never asked for must not take memory. */
	core = mmap(NULL, t->nr_core * sizeof(*t->core), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (core == MAP_FAILED)
		return false;
	madvise(core, t->nr_core * sizeof(*t->core), MADV_NOHUGEPAGE);
	t->core = core;
	return true;
}

bool ksyms_open_core(struct ksyms_lazy *t)
{
	uint64_t etext, boot, boot_end;

	if (!open_core(t)) {
		ksyms_close_core(t);
		return false;
	}
	etext = first_address(t, "_etext");
	boot = first_address(t, "__init_begin");
	boot_end = first_address(t, "__init_end");
	t->etext = etext;
	t->boot = boot;
	t->boot_end = boot_end;
	return true;
}

int ksyms_reopen(const struct ksyms *ks)
{
	return ks->lazy->mem ? kmem_reopen(ks->lazy->mem) : 0;
}

void ksyms_close_core(struct ksyms_lazy *t)
{
	if (t->core)
		munmap(t->core, t->nr_core * sizeof(*t->core));
	kpacked_close(t->packed);
	kmem_close(t->mem);
	t->core = NULL;
	t->packed = NULL;
	t->mem = NULL;
	t->nr_core = 0;
}
