// SPDX-License-Identifier: GPL-2.0-only
/*
 * ktext_lists.c - the lists that the kernel itself uses: its kprobes, code that must not have one, and the places that
 * it patches. Each list is read when it is first needed.
 *
 * They are read without the kernel's locks, while the kernel may change them. If something does not look right, reading
 * stops, and the list counts as not known.
 */
#include <string.h>

#include "base/macros.h"
#include "kernel/btf/kbtf.h"
#include "kernel/syms/ksyms.h"
#include "kernel/text/ktext_priv.h"

enum {
	PROBE_BUCKETS = 64,		/* KPROBE_TABLE_SIZE, kernel/kprobes.c, all versions */
	MAX_NODES = 1 << 20,		/* a longer list is no real list */
	MAX_TABLE = 1 << 26,		/* bytes; a larger table is no real table */
	FEW_SEARCHES = 32, FEW_PAGES = 64,	/* most in ftrace's records; then all are read */
	BANNED_PAGE = 4096,
};

unsigned ktext_offset(struct ktext *kt, const char *name, const char *member, unsigned usual)
{
	struct kbtf_id structure;
	struct kbtf_member m;

	if (!kt->btf || kbtf_find_struct(kt->btf, name, &structure) || kbtf_find_member(structure, member, &m))
		return usual;
	return m.bit_off / 8;
}

static unsigned struct_size(struct ktext *kt, const char *name, unsigned usual)
{
	struct kbtf_type type;
	struct kbtf_id id;

	if (!kt->btf || kbtf_find_struct(kt->btf, name, &id))
		return usual;
	kbtf_describe(id, &type);
	return type.size ? type.size : usual;
}

/* ---- lists of addresses ---- */

void ktext_list_add(struct ktext *kt, struct ktext_list *list, unsigned *size, uint64_t addr)
{
	list->addr = arena_grow(&kt->arena, list->addr, list->nr, size);
	list->addr[list->nr++] = addr;
}

static int compare_addr(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void list_sort(struct ktext_list *list)
{
	size_t i = 1;

	while (i < list->nr && list->addr[i - 1] <= list->addr[i])
		i++;
	if (i < list->nr)
		qsort(list->addr, list->nr, sizeof(*list->addr), compare_addr);
}

/* The last address of @list at or below @addr; 0: there is none. First looks near the last answer. */
static uint64_t list_below(struct ktext_list *list, uint64_t addr)
{
	size_t low = 0, high = list->nr;

	if (!list->near || list->addr[list->near - 1] <= addr) {
		low = list->near;
		if (low < high && list->addr[low] <= addr)
			low++;
		if (low < high && list->addr[low] > addr)
			high = low;
	}
	while (low < high) {
		size_t mid = (low + high) / 2;

		if (list->addr[mid] <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	list->near = low;
	return low ? list->addr[low - 1] : 0;
}

/* ---- kprobes ---- */

/* Reads struct kprobe: its hlist_node and the address of the probe (include/linux/kprobes.h). */
static bool read_bucket(struct ktext *kt, uint64_t node, uint64_t hlist, uint64_t addr, unsigned *size)
{
	unsigned nodes = 0;

	while (node) {
		uint64_t at;

		if (++nodes > MAX_NODES || !ktext_object(kt, node - hlist + addr, &at, sizeof(at)))
			return false;
		ktext_list_add(kt, &kt->probes, size, at);
		if (!ktext_object(kt, node, &node, sizeof(node)))
			return false;
	}
	return true;
}

static void read_probes(struct ktext *kt)
{
	unsigned hlist = ktext_offset(kt, "kprobe", "hlist", 0), addr = ktext_offset(kt, "kprobe", "addr", 40);
	uint64_t heads[PROBE_BUCKETS];
	unsigned size = 0;

	kt->probes.asked = true;
	kt->probes.known = ktext_object(kt, ktext_symbol(kt, "kprobe_table"), heads, sizeof(heads));
	for (unsigned i = 0; kt->probes.known && i < PROBE_BUCKETS; i++)
		kt->probes.known = read_bucket(kt, heads[i], hlist, addr, &size);
	list_sort(&kt->probes);
}

bool ktext_is_probe(struct ktext *kt, uint64_t addr, bool *ret_known)
{
	if (!kt->probes.asked)
		read_probes(kt);
	*ret_known = kt->probes.known;
	return list_below(&kt->probes, addr) == addr;
}

/* ---- ftrace ---- */

/* A struct ftrace_page: the records of some functions, and where the next one is. */
struct ftrace_page {
	uint64_t records, next;
	uint32_t nr;
};

/* Where its members are, and the size of a record. 5.10 to 7.2: kernel/trace/ftrace.c and include/linux/ftrace.h */
struct ftrace_layout {
	unsigned next, records, index, record;
};

static struct ftrace_layout ftrace_layout(struct ktext *kt)
{
	return (struct ftrace_layout){
		.next = ktext_offset(kt, "ftrace_page", "next", 0),
		.records = ktext_offset(kt, "ftrace_page", "records", 8),
		.index = ktext_offset(kt, "ftrace_page", "index", 16),
		.record = struct_size(kt, "dyn_ftrace", 16),
	};
}

static bool read_page(struct ktext *kt, const struct ftrace_layout *l, uint64_t at, struct ftrace_page *ret)
{
	return ktext_object(kt, at + l->records, &ret->records, sizeof(ret->records)) &&
	       ktext_object(kt, at + l->index, &ret->nr, sizeof(ret->nr)) &&
	       ktext_object(kt, at + l->next, &ret->next, sizeof(ret->next)) && (uint64_t)ret->nr * l->record <= MAX_TABLE;
}

/* The first page; 0: not known. */
static uint64_t first_page(struct ktext *kt)
{
	uint64_t page;

	return ktext_object(kt, ktext_symbol(kt, "ftrace_pages_start"), &page, sizeof(page)) ? page : 0;
}

/* Appends the addresses of a page's records to the list, which has room for them. struct dyn_ftrace begins with the address. */
static bool read_records(struct ktext *kt, const struct ftrace_page *page, unsigned record)
{
	uint8_t bytes[1 << 14];
	uint32_t some = sizeof(bytes) / record, got;

	for (uint32_t done = 0; done < page->nr; done += got) {
		got = MIN(some, page->nr - done);
		if (!ktext_object(kt, page->records + (uint64_t)done * record, bytes, (size_t)got * record))
			return false;
		for (uint32_t i = 0; i < got; i++)
			memcpy(&kt->ftrace.addr[kt->ftrace.nr++], bytes + (size_t)i * record, sizeof(uint64_t));
	}
	return true;
}

/* How many records all pages have; 0: not known. */
static uint64_t count_records(struct ktext *kt, const struct ftrace_layout *l)
{
	unsigned nodes = 0;
	uint64_t nr = 0;

	for (uint64_t at = first_page(kt); at;) {
		struct ftrace_page page;

		if (++nodes >= MAX_NODES || !read_page(kt, l, at, &page) || nr * l->record > MAX_TABLE)
			return 0;
		nr += page.nr;
		at = page.next;
	}
	return nr;
}

/* A module that is loaded meanwhile adds pages at the end: they are left out. */
static void read_ftrace(struct ktext *kt)
{
	struct ftrace_layout l = ftrace_layout(kt);
	uint64_t nr = l.record >= sizeof(uint64_t) && l.record <= 64 ? count_records(kt, &l) : 0, at = first_page(kt);

	kt->ftrace.asked = true;
	kt->ftrace.known = nr;
	kt->ftrace.addr = arena_array(&kt->arena, uint64_t, nr);
	while (kt->ftrace.known && at) {
		struct ftrace_page page;

		kt->ftrace.known = read_page(kt, &l, at, &page);
		if (!kt->ftrace.known || page.nr > nr - kt->ftrace.nr)
			break;
		kt->ftrace.known = read_records(kt, &page, l.record);
		at = page.next;
	}
	list_sort(&kt->ftrace);
}

/* Reads the address of record @i; false: it cannot be read. */
static bool read_record(struct ktext *kt, uint64_t records, uint32_t i, unsigned record, uint64_t *ret)
{
	return ktext_object(kt, records + (uint64_t)i * record, ret, sizeof(*ret));
}

/* Searches one page as lookup_rec() does: its records are in ascending order (ftrace_process_locs()). */
static bool search_ftrace_page(struct ktext *kt, uint64_t records, uint32_t nr, unsigned record,
			       struct ktext_range in, bool *ret_found)
{
	uint32_t low = 0, high = nr;
	uint64_t addr;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (!read_record(kt, records, mid, record, &addr))
			return false;
		if (addr < in.start)
			low = mid + 1;
		else
			high = mid;
	}
	if (low < nr) {
		if (!read_record(kt, records, low, record, &addr))
			return false;
		*ret_found = addr < in.end;
	}
	return true;
}

/* Is there a record in @in? Does not read all records. False: this way gives no answer. */
static bool search_ftrace(struct ktext *kt, struct ktext_range in, bool *ret_found)
{
	struct ftrace_layout l = ftrace_layout(kt);
	uint64_t at = first_page(kt), first, last;
	unsigned pages = 0;

	*ret_found = false;
	if (!at)
		return false;
	while (at && !*ret_found) {
		struct ftrace_page page;

		if (++pages > FEW_PAGES || !read_page(kt, &l, at, &page))
			return false;
		at = page.next;
		if (!page.nr)
			continue;
		if (!read_record(kt, page.records, 0, l.record, &first) ||
		    !read_record(kt, page.records, page.nr - 1, l.record, &last) || first > last)
			return false;
		if (in.start <= last && in.end > first && !search_ftrace_page(kt, page.records, page.nr, l.record, in, ret_found))
			return false;
	}
	return true;
}

bool ktext_is_traceable(struct ktext *kt, uint64_t start, uint64_t end, bool *ret_known)
{
	bool found;

	if (!kt->ftrace.asked && end > start && kt->ftrace_searches++ < FEW_SEARCHES &&
	    search_ftrace(kt, (struct ktext_range){ start, end }, &found)) {
		*ret_known = true;
		return found;
	}
	if (!kt->ftrace.asked)
		read_ftrace(kt);
	*ret_known = kt->ftrace.known;
	return end > start && list_below(&kt->ftrace, end - 1) >= start;
}

uint64_t ktext_ftrace_from(struct ktext *kt, uint64_t addr, bool *ret_known)
{
	if (!kt->ftrace.asked)
		read_ftrace(kt);
	*ret_known = kt->ftrace.known;
	list_below(&kt->ftrace, addr - 1);		/* leaves the next one in near */
	return kt->ftrace.near < kt->ftrace.nr ? kt->ftrace.addr[kt->ftrace.near] : 0;
}

/* ---- the blacklist ---- */

static int compare_ranges(const void *a, const void *b)
{
	const struct ktext_banned_range *x = a, *y = b;

	return x->at.start < y->at.start ? -1 : x->at.start > y->at.start;
}

/* The page that was read last. The kernel allocates the entries one after the other, so one page has about a hundred of them. */
struct banned_page {
	uint64_t at;			/* 0: none was read */
	uint8_t bytes[BANNED_PAGE];
};

static bool read_banned_bytes(struct ktext *kt, struct banned_page *page, uint64_t addr, void *to, size_t len)
{
	uint64_t at = addr - addr % BANNED_PAGE;

	if (addr % BANNED_PAGE + len > BANNED_PAGE)
		return ktext_object(kt, addr, to, len);
	if (page->at != at && !ktext_object(kt, at, page->bytes, BANNED_PAGE)) {
		page->at = 0;
		return ktext_object(kt, addr, to, len);
	}
	page->at = at;
	memcpy(to, page->bytes + addr % BANNED_PAGE, len);
	return true;
}

/* Reads a struct kprobe_blacklist_entry: a list_head, then two addresses. Moves *node to the next one. */
static bool read_banned(struct ktext *kt, struct banned_page *page, unsigned start, unsigned end, uint64_t *node,
			struct ktext_range *ret)
{
	uint8_t entry[64];
	unsigned size = MAX(start, end) + sizeof(uint64_t);

	if (size > sizeof(entry) || !read_banned_bytes(kt, page, *node, entry, size))
		return false;
	memcpy(node, entry, sizeof(*node));
	memcpy(&ret->start, entry + start, sizeof(ret->start));
	memcpy(&ret->end, entry + end, sizeof(ret->end));
	return true;
}

static void read_blacklist(struct ktext *kt)
{
	unsigned start = ktext_offset(kt, "kprobe_blacklist_entry", "start_addr", 16);
	unsigned end = ktext_offset(kt, "kprobe_blacklist_entry", "end_addr", 24);
	uint64_t head = ktext_symbol(kt, "kprobe_blacklist"), node;
	struct banned_page page = { 0 };
	size_t nr = 0;
	unsigned size = 0;

	kt->blacklist_asked = true;
	if (!ktext_object(kt, head, &node, sizeof(node)))
		return;
	while (node != head && nr < MAX_NODES) {
		struct ktext_range range;

		kt->blacklist = arena_grow(&kt->arena, kt->blacklist, nr, &size);
		if (!read_banned(kt, &page, start, end, &node, &range))
			break;
		kt->blacklist[nr++].at = range;
	}
	kt->nr_blacklist = nr;
	if (nr)
		qsort(kt->blacklist, nr, sizeof(*kt->blacklist), compare_ranges);
	for (size_t i = 0; i < nr; i++)
		kt->blacklist[i].reach = MAX(kt->blacklist[i].at.end, i ? kt->blacklist[i - 1].reach : 0);
}

/* How many ranges begin at @addr or below. First looks near the last answer. */
static size_t ranges_up_to(struct ktext *kt, uint64_t addr)
{
	const struct ktext_banned_range *list = kt->blacklist;
	size_t low = 0, high = kt->nr_blacklist;

	if (!kt->near_blacklist || list[kt->near_blacklist - 1].at.start <= addr) {
		low = kt->near_blacklist;
		if (low < high && list[low].at.start > addr)
			high = low;
	}
	while (low < high) {
		size_t mid = (low + high) / 2;

		if (list[mid].at.start <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	kt->near_blacklist = low;
	return low;
}

/* Ranges may be nested (a function in a section). So the ranges below are tried too, as long as one of them reaches so far. */
bool ktext_blacklisted(struct ktext *kt, uint64_t addr)
{
	size_t near = kt->near_blacklist, low;

	if (!kt->blacklist_asked)
		read_blacklist(kt);
	low = ranges_up_to(kt, addr);
	/* The ranges that begin below an address without reaching it do not reach a higher one. */
	if (low == near && kt->unbanned && addr >= kt->unbanned)
		return false;
	kt->unbanned = 0;
	while (low && kt->blacklist[low - 1].reach > addr) {
		low--;
		if (addr < kt->blacklist[low].at.end)
			return true;
	}
	kt->unbanned = addr;
	return false;
}

/* ---- what the kernel patches itself ---- */

/*
 * Tables of entries that begin with the place, as its distance from the entry: struct jump_entry, static_call_site,
 * bug_entry (5.10 and newer). A module's tables are found through its struct module, which kallsyms calls
 * __this_module.
 */
static const struct table {
	const char *start, *stop;	/* symbols of the kernel's table */
	const char *array, *count;	/* for a module's table: members of struct module */
	const char *entry;		/* the entry's type; BTF tells its size */
	unsigned size;			/* its size without BTF */
} tables[SITES_COUNT] = {
	[SITES_JUMP_LABEL] = { "__start___jump_table", "__stop___jump_table", "jump_entries",
			       "num_jump_entries", "jump_entry", 16 },
	[SITES_STATIC_CALL] = { "__start_static_call_sites", "__stop_static_call_sites", "static_call_sites",
				"num_static_call_sites", "static_call_site", 8 },
	[SITES_BUG] = { "__start___bug_table", "__stop___bug_table", "bug_table", "num_bugs", "bug_entry", 12 },
};

static bool find_table(struct ktext *kt, const struct table *t, const char *module, unsigned entry,
		       struct ktext_range *ret)
{
	const struct ksym *const *syms;
	unsigned array, count;
	uint32_t nr;

	if (!module) {
		*ret = (struct ktext_range){ ktext_symbol(kt, t->start), ktext_symbol(kt, t->stop) };
		return ret->start && ret->start < ret->end;
	}
	array = ktext_offset(kt, "module", t->array, 0);
	count = ktext_offset(kt, "module", t->count, 0);
	if (!array || !count || !ksyms_find(kt->ks, "__this_module", module, &syms) ||
	    !ktext_object(kt, syms[0]->addr + array, &ret->start, sizeof(ret->start)) ||
	    !ktext_object(kt, syms[0]->addr + count, &nr, sizeof(nr)))
		return false;
	ret->end = ret->start + (uint64_t)nr * entry;
	return nr;
}

static void read_sites(struct ktext *kt, const struct table *t, const char *module, struct ktext_list *list)
{
	unsigned entry = struct_size(kt, t->entry, t->size);
	struct ktext_range range;
	struct arena arena = { 0 };
	uint8_t *bytes;
	unsigned size = 0;

	list->asked = true;
	if (!find_table(kt, t, module, entry, &range) || range.end - range.start > MAX_TABLE)
		return;
	bytes = arena_array(&arena, uint8_t, range.end - range.start);
	list->known = ktext_object(kt, range.start, bytes, range.end - range.start);
	for (uint64_t at = range.start; list->known && at + entry <= range.end; at += entry) {
		int32_t distance;

		memcpy(&distance, bytes + (at - range.start), sizeof(distance));
		ktext_list_add(kt, list, &size, at + (uint64_t)(int64_t)distance);
	}
	arena_fini(&arena);
	list_sort(list);
}

static struct ktext_tables *tables_of(struct ktext *kt, const char *module)
{
	struct ktext_tables *t;

	for (t = kt->tables; t; t = t->next) {
		if (module ? t->module && !strcmp(t->module, module) : !t->module)
			return t;
	}
	t = arena_new(&kt->arena, struct ktext_tables);
	*t = (struct ktext_tables){ .next = kt->tables, .module = module };
	kt->tables = t;
	return t;
}

uint64_t ktext_site_below(struct ktext *kt, enum ktext_sites kind, const char *module, uint64_t addr)
{
	struct ktext_list *list = &tables_of(kt, module)->sites[kind];

	if (!list->asked)
		read_sites(kt, &tables[kind], module, list);
	return list_below(list, addr);
}
