// SPDX-License-Identifier: GPL-2.0-only
/*
 * xref_regions.c - where in the kernel's memory references to functions can be.
 *
 *	|_stext text _etext|  |rodata __end_rodata|  |_sdata data|init|bss|brk _end|  |modules, BPF|
 *	       freed gap ---^            freed gap ---^     freed ---^      ^--- page tables, and freed
 *
 * Finds these regions by the symbols at their ends (6.12, where its linker script puts them). Leaves out tables that
 * contain places in code for other purposes. Reads the rest piece by piece.
 */
#include <errno.h>

#include "arch/kernel.h"
#include "base/macros.h"
#include "kernel/mem/kmem.h"
#include "kernel/syms/ksyms.h"
#include "kernel/xref/xref_priv.h"

#define PAGE		((uint64_t)4096)
#define PIECE		((size_t)256 << 10)
#define AROUND		((uint64_t)32 << 10)	/* how far xref_find_near() looks */

/* Sections may extend this far before the first and after the last symbol of the modules. */
#define MODULE_MARGIN	((uint64_t)1 << 20)

enum { TEXT = 1, DATA = 2 };

struct scan {
	struct kmem *km;
	const struct ksyms *ks;
	struct xref_set *set;
	struct diag *diag;
	uint8_t *room;		/* XREF_CARRY + PIECE */
	/* xref_find(): the scan ends when each of these has a reference. */
	const struct xref *refs;
	size_t nr;
	size_t *found;			/* how many of the first ones have one; NULL: scan everything */
};

/* ---- reading ---- */

/*
 * Reads @len bytes. If not all of them are mapped, reads only those up to the next page. 0, with *@len reduced if
 * necessary; -EFAULT: not even those.
 */
static int read_some(const struct scan *s, uint64_t at, uint8_t *to, size_t *len)
{
	int err = kmem_read(s->km, at, to, *len);
	size_t page = (size_t)(PAGE - at % PAGE);

	if (err == -EFAULT && *len > page) {
		*len = page;
		err = kmem_read(s->km, at, to, page);
	}
	return err;
}

static bool is_done(const struct scan *s)
{
	if (!s->found)
		return false;
	while (*s->found < s->nr && (s->refs[*s->found].branches || s->refs[*s->found].pointers))
		++*s->found;
	return *s->found == s->nr;
}

/* The end of each piece is kept for the next one, because operands may lie across the border. */
static int scan_region(const struct scan *s, uint64_t from, uint64_t end, int kinds)
{
	uint8_t *piece = s->room + XREF_CARRY;
	size_t len, carry = 0;

	for (uint64_t at = from; at < end; at += len) {
		int err;

		if (is_done(s))
			return 0;
		len = (size_t)MIN(end - at, (uint64_t)PIECE);
		err = read_some(s, at, piece, &len);
		if (err == -EFAULT) {
			carry = 0;
			continue;
		}
		if (err)
			return diag_set(s->diag, err, "cannot read the kernel's memory at %#lx (%s): %s",
					at, kmem_name(s->km), strerror(-err));
		if (kinds & DATA)
			xref_scan_data(s->set, piece, len, at);
		if (kinds & TEXT)
			xref_text_from(s->set, piece - carry, carry ? carry - 3 : 0, carry + len,
				       at - carry);
		carry = len < XREF_CARRY ? 0 : XREF_CARRY;
		memmove(s->room, piece + len - carry, carry);
	}
	return 0;
}

/* ---- what is left out ---- */

/* Tables of places in code, with the symbols at both ends. Newer tables are added when they have such symbols. */
static const char *const tables[][2] = {
	{ "__start___bug_table", "__stop___bug_table" },
	{ "__start_orc_unwind_ip", "__stop_orc_unwind_ip" },
	{ "__start_orc_unwind", "__stop_orc_unwind" },
	{ "orc_lookup", "orc_lookup_end" },
	{ "__start___jump_table", "__stop___jump_table" },
	{ "__start_static_call_sites", "__stop_static_call_sites" },
	{ "__start_BTF", "__stop_BTF" },
	{ "__start_mcount_loc", "__stop_mcount_loc" },
	{ "__smp_locks", "__smp_locks_end" },
	/* ftrace's list of functions. If memory is not encrypted, it is freed and then belongs to the heap. */
	{ "__start_bss_decrypted_unused", "__end_bss_decrypted" },
};

/* Tables that are one object. Since 7.0, kallsyms_offsets points to every function. */
static const char *const objects[] = {
	"kallsyms_names", "kallsyms_markers", "kallsyms_token_table", "kallsyms_token_index",
	"kallsyms_offsets", "kallsyms_seqs_of_names",
};

enum { HOLES_MAX = ARRAY_SIZE(tables) + ARRAY_SIZE(objects) };

static int by_start(const void *a, const void *b)
{
	uint64_t x = ((const struct xref_range *)a)->start, y = ((const struct xref_range *)b)->start;

	return x < y ? -1 : x > y;
}

/* Returns them sorted by address. A table that this kernel does not list does not exist. */
static size_t find_holes(const struct ksyms *ks, struct xref_range *ret)
{
	size_t nr = 0;

	for (size_t i = 0; i < ARRAY_SIZE(tables); i++) {
		struct xref_range r = { ksyms_address(ks, tables[i][0]), ksyms_address(ks, tables[i][1]) };

		if (r.start && r.end > r.start)
			ret[nr++] = r;
	}
	for (size_t i = 0; i < ARRAY_SIZE(objects); i++) {
		uint64_t start = ksyms_address(ks, objects[i]), size = 0;

		if (start)
			ksyms_lookup(ks, start, &size);
		if (size)
			ret[nr++] = (struct xref_range){ start, start + size };
	}
	qsort(ret, nr, sizeof(*ret), by_start);
	return nr;
}

static int scan_data(const struct scan *s, struct xref_range r, const struct xref_range *hole, size_t holes)
{
	for (size_t i = 0; i < holes && r.start < r.end; i++) {
		int err;

		if (hole[i].end <= r.start || hole[i].start >= r.end)
			continue;
		err = scan_region(s, r.start, hole[i].start, DATA);
		if (err)
			return err;
		r.start = ROUND_UP(hole[i].end, 4);
	}
	return scan_region(s, r.start, r.end, DATA);
}

/* ---- what is scanned ---- */

enum mark {
	STEXT, ETEXT, RODATA, RODATA_END, SDATA, INIT, INIT_END, END, MARKS,
};

static const char *const mark_names[MARKS] = {
	"_stext", "_etext", "__start_rodata", "__end_rodata", "_sdata", "__init_begin",
	"__init_end", "_end",
};

static int scan_image(const struct scan *s)
{
	struct xref_range hole[HOLES_MAX];
	uint64_t mark[MARKS];
	size_t holes;
	int err;

	for (unsigned i = 0; i < MARKS; i++) {
		mark[i] = ksyms_address(s->ks, mark_names[i]);
		if (!mark[i] || (i && mark[i] < mark[i - 1]))
			return diag_set(s->diag, -EOPNOTSUPP,
					"kallsyms does not tell where the kernel's data is: %s is missing or out of order",
					mark_names[i]);
	}
	if (ksyms_address(s->ks, "__bss_stop"))
		mark[END] = ksyms_address(s->ks, "__bss_stop");
	holes = find_holes(s->ks, hole);
	err = scan_region(s, mark[STEXT], mark[ETEXT], TEXT);
	if (!err)
		err = scan_data(s, (struct xref_range){ mark[RODATA], mark[RODATA_END] }, hole, holes);
	if (!err)
		err = scan_data(s, (struct xref_range){ mark[SDATA], mark[INIT] }, hole, holes);
	if (!err)
		err = scan_data(s, (struct xref_range){ mark[INIT_END], mark[END] }, hole, holes);
	return err;
}

/*
 * Per-CPU stacks and copies of registers. They contain values from the code that ran last. That includes bprobe itself,
 * if an interrupt came while a register held a function's address.
 */
static const char *const percpu_stacks[] = {
	"irq_stack_backing_store", "exception_stacks", "entry_stack_storage", "nmi_user_regs",
	"ftrace_stacks", "klp_stack_entries", "bpf_raw_tp_regs", "bpf_pt_regs", "__perf_regs",
};

/*
 * The per-CPU stacks that this kernel has, sorted by address. Each ends where the next symbol of @all, the per-CPU
 * variables, begins. ksyms_lookup() cannot find them: up to 6.14 their addresses count from 0.
 */
static size_t find_percpu_stacks(const struct ksyms *ks, struct xref_range all, struct xref_range *ret)
{
	size_t nr = 0;

	for (size_t i = 0; i < ARRAY_SIZE(percpu_stacks); i++) {
		uint64_t start = ksyms_address(ks, percpu_stacks[i]);

		if (start > all.start && start < all.end)
			ret[nr++] = (struct xref_range){ start, all.end };
	}
	for (size_t i = 0; i < ksyms_own_count(ks); i++) {
		uint64_t addr = ksyms_address_at(ks, i);

		for (size_t k = 0; addr < all.end && k < nr; k++) {
			if (addr > ret[k].start && addr < ret[k].end)
				ret[k].end = addr;
		}
	}
	qsort(ret, nr, sizeof(*ret), by_start);
	return nr;
}

/* Scans the first CPU's copy of the static per-CPU variables. The other CPUs' copies begin with the same contents. */
static int scan_percpu(const struct scan *s)
{
	struct xref_range all, hole[ARRAY_SIZE(percpu_stacks)];
	const struct ksym *const *first;
	uint64_t table, offset;
	size_t holes;

	if (!ksyms_find(s->ks, "__per_cpu_start", "vmlinux", &first))
		return 0;
	all = (struct xref_range){ first[0]->addr, ksyms_address(s->ks, "__per_cpu_end") };
	table = ksyms_address(s->ks, "__per_cpu_offset");
	if (!table || all.end <= all.start || kmem_read(s->km, table, &offset, sizeof(offset)))
		return 0;
	holes = find_percpu_stacks(s->ks, all, hole);
	for (size_t i = 0; i < holes; i++)
		hole[i] = (struct xref_range){ hole[i].start + offset, hole[i].end + offset };
	return scan_data(s, (struct xref_range){ all.start + offset, all.end + offset }, hole, holes);
}

/*
 * Since 6.4, each module is in several places. Only the kernel's list of vmalloc areas tells them, and it shows hashed
 * addresses. But all modules are in one area of their own, filled from its start. So this scans everything from the
 * first to the last symbol.
 */
static int scan_modules(const struct scan *s)
{
	uint64_t low, high, end = ksyms_address(s->ks, "_end");

	if (!ksyms_module_span(s->ks, &low, &high) || high > KERNEL_CODE_LAST)
		return 0;
	low = low > end + MODULE_MARGIN ? low - MODULE_MARGIN : end;
	high = MIN(high + MODULE_MARGIN, KERNEL_CODE_LAST + 1);
	return scan_region(s, ROUND_UP(low, PAGE), ROUND_UP(high, PAGE), TEXT | DATA);
}

/*
 * All direct calls may go to an instruction at the end of the function's padding, __pfx_NAME or __cfi_NAME. Where it is
 * missing, the padding is never executed.
 */
static void find_thunk(const struct scan *s, uint64_t addr)
{
	const struct ksym *sym = ksyms_lookup(s->ks, addr - 1, NULL);
	uint8_t padding[64];
	uint64_t len;
	int thunk;

	if (!sym || !ksym_is_marker(sym))
		return;
	len = addr - sym->addr;
	if (len > sizeof(padding) || kmem_read(s->km, sym->addr, padding, (size_t)len))
		return;
	thunk = text_find_thunk(padding, (size_t)len);
	if (thunk >= 0)
		xref_set_thunk(s->set, addr, (unsigned)len - (unsigned)thunk);
}

static int by_place(const void *a, const void *b)
{
	const struct xref *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

size_t xref_find_near(struct kmem *km, const struct ksyms *ks, struct xref *refs, size_t nr)
{
	uint64_t stext = ksyms_address(ks, mark_names[STEXT]), etext = ksyms_address(ks, mark_names[ETEXT]), done = stext;
	struct diag ignored = { 0 };
	struct scan s = { .km = km, .ks = ks, .diag = &ignored };
	size_t found = 0;

	qsort(refs, nr, sizeof(*refs), by_place);
	s.set = xref_set_new(refs, nr);
	s.room = malloc(XREF_CARRY + PIECE);
	for (size_t i = 0; s.set && s.room && i < nr; i++)
		find_thunk(&s, refs[i].addr);
	for (size_t i = 0; s.set && s.room && stext && i < nr; i++) {
		uint64_t end = MIN(etext, refs[i].end + AROUND);

		done = MAX(done, refs[i].addr - AROUND);
		if (refs[i].addr < stext || done >= end)
			continue;
		scan_region(&s, done, end, TEXT);
		done = end - XREF_CARRY;	/* the next piece begins with the last operands of this one */
	}
	for (size_t i = 0; i < nr; i++)
		found += refs[i].branches || refs[i].pointers;
	xref_set_free(s.set);
	free(s.room);
	diag_fini(&ignored);
	return found;
}

static int scan(struct kmem *km, const struct ksyms *ks, struct xref *refs, size_t nr, size_t *found,
		struct diag *diag)
{
	struct scan s = { .km = km, .ks = ks, .diag = diag, .refs = refs, .nr = nr, .found = found };
	struct buf programs = { 0 };
	int err = -ENOMEM;

	s.set = xref_set_new(refs, nr);
	s.room = malloc(XREF_CARRY + PIECE);
	if (s.set && s.room) {
		if (kmem_is_running(km))
			xref_bpf_programs(&programs);
		xref_set_constants(s.set, (const struct xref_range *)(const void *)programs.data, programs.len / sizeof(struct xref_range));
		for (size_t i = 0; i < nr; i++)
			find_thunk(&s, refs[i].addr);
		err = scan_image(&s);
		if (!err)
			err = scan_percpu(&s);
		if (!err)
			err = scan_modules(&s);
		for (size_t i = 0; i < nr && !err; i++) {
			if (!refs[i].branches && !refs[i].pointers)
				xref_near(km, ks, &refs[i]);
		}
	} else {
		diag_set(diag, err, "out of memory");
	}
	xref_set_free(s.set);
	buf_fini(&programs);
	free(s.room);
	return err;
}

int xref_scan(struct kmem *km, const struct ksyms *ks, struct xref *refs, size_t nr,
	      struct diag *diag)
{
	return scan(km, ks, refs, nr, NULL, diag);
}

int xref_find(struct kmem *km, const struct ksyms *ks, struct xref *refs, size_t nr,
	      struct diag *diag)
{
	size_t found = 0;

	return scan(km, ks, refs, nr, &found, diag);
}
