// SPDX-License-Identifier: GPL-2.0-only
/*
 * ksyms_addr.c - which symbol covers an address, as the kernel would print it.
 *
 * Does what kallsyms_lookup() does (6.12, kernel/kallsyms.c): it looks in the kernel's own table between _stext and
 * _end, then in the modules, then in BPF programs. kallsyms also lists pages of ftrace and kprobes, but the kernel
 * gives no names to addresses in these.
 */
#include <errno.h>

#include "arch/kernel.h"
#include "base/number.h"
#include "kernel/syms/ksyms_table.h"

#define PAGE	((uint64_t)4096)

/* Longer than any normal BPF program. kallsyms does not tell where a program ends. */
#define BPF_REACH	((uint64_t)1 << 16)

static uint64_t page_up(uint64_t addr)
{
	return ROUND_UP(addr, PAGE);
}

static bool in_range(const struct addr_range *r, uint64_t addr)
{
	return addr >= r->start && addr < r->end;
}

/* ---- the index ---- */

/* Compares addresses. Symbols are stored in the table's order, so for equal addresses their places in memory decide. */
static int compare_syms(const void *a, const void *b)
{
	const struct ksym *x = *(const struct ksym *const *)a;
	const struct ksym *y = *(const struct ksym *const *)b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* The kernel's own table is sorted already; only a module's is not. */
static void sort_list(struct addr_list *list)
{
	for (size_t i = 1; i < list->count; i++) {
		if (list->sym[i - 1]->addr > list->sym[i]->addr) {
			qsort(list->sym, list->count, sizeof(*list->sym), compare_syms);
			return;
		}
	}
}

/*
 * Does a module's symbol take part in lookups? Per-CPU symbols of modules are listed by their offset, far below the
 * kernel. Undefined symbols are defined elsewhere.
 */
static bool is_module_place(const struct ksym *sym)
{
	return sym->type != 'U' && sym->addr >> 63 && strcmp(sym->module, "__builtin__ftrace") &&
	       strcmp(sym->module, "__builtin__kprobes");
}

static void fill_lists(struct ksyms_lazy *t, struct addr_index *ix)
{
	const struct ksym **at = arena_array(&t->arena, const struct ksym *, t->count);

	ix->core.sym = at;
	for (size_t i = 0; i < t->count; i++) {
		if (!t->sym[i].module)
			*at++ = &t->sym[i];
	}
	ix->core.count = (size_t)(at - ix->core.sym);
	ix->modules.sym = at;
	for (size_t i = 0; i < t->count; i++) {
		if (t->sym[i].module && is_module_place(&t->sym[i]))
			*at++ = &t->sym[i];
	}
	ix->modules.count = (size_t)(at - ix->modules.sym);
	sort_list(&ix->core);
	sort_list(&ix->modules);
}

/*
 * The addresses for which the kernel uses its own table (6.12, include/linux/kallsyms.h, is_ksym_addr()): _stext to
 * _end with CONFIG_KALLSYMS_ALL, which is what puts _end into the table; otherwise its two texts. A table without these
 * symbols is not a kernel's. Then the range is from its first function to the end of the last symbol's page.
 */
static void find_text(const struct ksyms *ks, struct addr_index *ix)
{
	uint64_t stext = ksyms_address(ks, "_stext"), end = ksyms_address(ks, "_end");
	uint64_t etext = ksyms_address(ks, "_etext");

	if (stext && end > stext) {
		ix->text[0] = (struct addr_range){ stext, end };
		return;
	}
	if (stext && etext > stext) {
		ix->text[0] = (struct addr_range){ stext, etext };
		ix->text[1].start = ksyms_address(ks, "_sinittext");
		ix->text[1].end = ksyms_address(ks, "_einittext");
		return;
	}
	for (size_t i = 0; i < ix->core.count; i++) {
		const struct ksym *sym = ix->core.sym[i];

		if (!sym->addr || !ksym_is_function(sym))
			continue;
		end = ix->core.sym[ix->core.count - 1]->addr;
		ix->text[0] = (struct addr_range){ sym->addr, page_up(end + 1) };
		return;
	}
}

/* ---- /proc/modules ---- */

/* Returns the next word of a line, and cuts the text at its end. Never NULL. */
static char *next_word(char **at)
{
	char *word = *at;

	*at += strcspn(*at, " ");
	if (**at)
		*(*at)++ = '\0';
	return word;
}

/* Parses "NAME SIZE REFS USERS STATE ADDRESS [TAINTS]"; false for anything else. */
static bool parse_module_line(char *line, struct ksym_module *m)
{
	const char *size_word, *addr_word;
	uint64_t size, base;

	m->name = next_word(&line);
	size_word = next_word(&line);
	next_word(&line);
	next_word(&line);
	next_word(&line);
	addr_word = next_word(&line);
	if (number_u64(size_word, strlen(size_word), 10, &size) ||
	    number_u64(addr_word, strlen(addr_word), 0, &base) || !base || base + size < base)
		return false;
	m->at = (struct addr_range){ base, base + size };
	return true;
}

static int compare_modules(const void *a, const void *b)
{
	const struct ksym_module *x = a, *y = b;

	return strcmp(x->name, y->name);
}

/* If the list cannot be read (no CONFIG_MODULES, no privilege), only the symbols are used. */
static void read_modules(struct ksyms_lazy *t, struct addr_index *ix)
{
	struct buf text = { 0 };
	size_t lines = 0;
	char *at;

	if (!t->modules_path || ksyms_read_file(t->modules_path, &text) ||
	    !text.len) {
		buf_fini(&text);
		return;
	}
	at = arena_strndup(&t->arena, text.data, text.len);
	buf_fini(&text);
	for (const char *p = at; *p; p++)
		lines += *p == '\n';
	ix->module = arena_array(&t->arena, struct ksym_module, lines + 1);
	while (*at) {
		char *line = at;

		at += strcspn(at, "\n");
		if (*at)
			*at++ = '\0';
		if (parse_module_line(line, &ix->module[ix->module_count]))
			ix->module_count++;
	}
	qsort(ix->module, ix->module_count, sizeof(*ix->module), compare_modules);
}

static const struct addr_range *module_range(const struct addr_index *ix, const char *name)
{
	struct ksym_module key = { .name = name };
	const struct ksym_module *m = NULL;

	if (ix->module_count)
		m = bsearch(&key, ix->module, ix->module_count, sizeof(key), compare_modules);
	return m ? &m->at : NULL;
}

/* ---- lookup ---- */

/* How many symbols of @list have an address of @addr or below. */
static size_t count_up_to(const struct addr_list *list, uint64_t addr)
{
	size_t low = 0, high = list->count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (list->sym[mid]->addr <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static size_t first_alias(const struct addr_list *list, size_t at)
{
	while (at && list->sym[at - 1]->addr == list->sym[at]->addr)
		at--;
	return at;
}

static const struct ksym *lookup_core(const struct addr_index *ix, uint64_t addr, uint64_t *size)
{
	size_t next = count_up_to(&ix->core, addr);
	const struct ksym *sym;

	if (!next)
		return NULL;
	sym = ix->core.sym[first_alias(&ix->core, next - 1)];
	*size = next < ix->core.count ? ix->core.sym[next]->addr - sym->addr : 0;
	return sym;
}

/*
 * The latest possible end of the module's part that contains @addr, if no symbol follows. The kernel uses the end of
 * that part, which is a number of whole pages (find_kallsyms_symbol(): 5.10 core_layout.text_size, 6.4 on mem[].size).
 * No file tells this end: /proc/modules has the sum of all parts. The last symbol seldom reaches into another page, so
 * this returns the end of its page. If @addr is after that and within the module, it returns the end of @addr's page.
 */
static uint64_t module_part_end(const struct addr_index *ix, const struct ksym *sym, uint64_t addr)
{
	const struct addr_range *range = module_range(ix, sym->module);
	uint64_t end = page_up(sym->addr + 1);

	if (addr >= end && range && in_range(range, addr))
		end = page_up(addr + 1);
	return end;
}

/*
 * In 6.4 and later, the parts of modules are mixed (text of one next to data of another), but each part has its own
 * pages. So a symbol of another module ends the range of this one.
 */
static const struct ksym *lookup_module(const struct addr_index *ix, uint64_t addr, uint64_t *size)
{
	size_t next = count_up_to(&ix->modules, addr);
	const struct ksym *sym, *after;
	uint64_t end;

	if (!next)
		return NULL;
	/* Aliases share a page, and so a module. So the first alias is also the first one in the module. */
	sym = ix->modules.sym[first_alias(&ix->modules, next - 1)];
	after = next < ix->modules.count ? ix->modules.sym[next] : NULL;

	if (!strcmp(sym->module, "bpf")) {
		if (addr - sym->addr >= BPF_REACH)
			return NULL;
		*size = after && after->addr - sym->addr < BPF_REACH ? after->addr - sym->addr : 0;
		return sym;
	}
	if (after && after->module == sym->module &&
	    ksym_is_function(after) == ksym_is_function(sym)) {
		*size = after->addr - sym->addr;
		return sym;
	}
	end = module_part_end(ix, sym, addr);
	if (after && after->module == sym->module && after->addr < end)
		end = after->addr;
	if (addr >= end)
		return NULL;
	*size = end - sym->addr;
	return sym;
}

/*
 * Builds the lists from sym. If the kernel's own symbols come from memory, this waits until an address is outside of
 * it.
 */
static void list_addrs(struct ksyms_lazy *t, struct addr_index *ix)
{
	ix->listed = true;
	ksyms_read_rest(t);
	fill_lists(t, ix);
	if (ix->modules.count)
		read_modules(t, ix);
}

static void build_addrs(const struct ksyms *ks, struct addr_index *ix)
{
	ix->seen = arena_array(&ks->lazy->arena, struct addr_seen, ADDRS_SEEN);
	if (ks->hidden)
		return;
	if (!ks->lazy->packed)
		list_addrs(ks->lazy, ix);
	find_text(ks, ix);
}

static const struct ksym *lookup(const struct ksyms *ks, struct addr_index *ix, uint64_t addr, uint64_t *size)
{
	struct ksyms_lazy *t = ks->lazy;

	if (in_range(&ix->text[0], addr) || in_range(&ix->text[1], addr))
		return t->packed ? ksyms_lookup_core(t, addr, size) : lookup_core(ix, addr, size);
	if (t->packed && addr < KERNEL_CODE_FIRST)
		return NULL;
	if (!ix->listed && !ks->hidden)
		list_addrs(t, ix);
	return lookup_module(ix, addr, size);
}

const struct ksym *ksyms_lookup(const struct ksyms *ks, uint64_t addr, uint64_t *ret_size)
{
	struct addr_index *ix = &ks->lazy->addrs;
	struct addr_seen *seen;

	if (!ix->seen)
		build_addrs(ks, ix);
	seen = &ix->seen[(addr ^ addr >> 10) % ADDRS_SEEN];
	if (seen->addr != addr || !addr) {
		uint64_t size = 0;

		seen->sym = lookup(ks, ix, addr, &size);
		seen->addr = addr;
		seen->size = size;
	}
	if (ret_size)
		*ret_size = seen->size;
	return seen->sym;
}
