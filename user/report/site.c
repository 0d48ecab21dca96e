// SPDX-License-Identifier: GPL-2.0-only
/*
 * site.c - the place of a hit as a row.
 */
#include "report/site.h"

#include "base/escape.h"
#include "base/memory.h"
#include "kernel/syms/ksyms.h"
#include "print/text.h"
#include "report/report.h"

uint32_t report_name(struct report *r, const char *text, size_t len, bool may_be_new)
{
	buf_reset(&r->text);
	escape_text(&r->text, text, len, "");
	return may_be_new ? strings_add(&r->names, buf_str(&r->text), r->text.len) : strings_find(&r->names, buf_str(&r->text), r->text.len);
}

static uint32_t add_name(struct report *r, const char *text)
{
	return report_name(r, text, strlen(text), true);
}

/* ---- events ---- */

/* The layout knows $elapsed. In a file of an older bprobe it is known by its name. */
static const struct layout_field *find_elapsed(const struct layout *l)
{
	for (unsigned i = 0; i < l->nr_fields; i++) {
		const struct layout_field *f = &l->fields[i];

		if (f->elapsed || (!strcmp(f->name, "elapsed") && f->type.kind == TYPE_UNSIGNED && f->type.size == 8 && !f->type.count))
			return f;
	}
	return NULL;
}

static bool is_of_function(const struct layout *l)
{
	return !l->is_synthetic && l->site != SITE_EVENT && l->probe != PROBE_TRACEPOINT;
}

/* The flag is only for functions of the kernel. */
static bool is_entry(const struct layout *l)
{
	return !l->is_return && (l->site == SITE_USER ? l->func && !l->site_off : l->at_entry);
}

static uint32_t event_of(struct report *r, const struct layout *l)
{
	struct report_event wanted = { .group = add_name(r, l->group), .name = add_name(r, l->event) };
	uint64_t hash = index_mix(index_mix(11, wanted.group), wanted.name);
	uint32_t at = 0, nr;

	wanted.enters = is_of_function(l) && is_entry(l);
	wanted.leaves = is_of_function(l) && l->is_return;
	while ((nr = index_next(&r->by_event, hash, &at)) != INDEX_NONE) {
		const struct report_event *e = &r->events[nr];

		if (e->group == wanted.group && e->name == wanted.name && e->enters == wanted.enters && e->leaves == wanted.leaves)
			return nr;
	}
	r->events = heap_grow(r->events, r->nr_events, &r->size_events);
	r->events[r->nr_events] = wanted;
	index_add(&r->by_event, hash, r->nr_events);
	return r->nr_events++;
}

static uint32_t layout_of(struct report *r, const struct layout *l)
{
	uint64_t hash = index_mix(7, (uintptr_t)l);
	uint32_t at = 0, nr;

	while ((nr = index_next(&r->by_layout, hash, &at)) != INDEX_NONE) {
		if (r->layouts[nr].layout == l)
			return nr;
	}
	r->layouts = heap_grow(r->layouts, r->nr_layouts, &r->size_layouts);
	r->layouts[r->nr_layouts] = (struct report_layout){ .layout = l, .elapsed = find_elapsed(l), .event = event_of(r, l) };
	index_add(&r->by_layout, hash, r->nr_layouts);
	return r->nr_layouts++;
}

/* ---- functions ---- */

static const struct ksym *symbol_of(const struct text *t, const struct event *ev)
{
	uint64_t addr = ev->layout->site == SITE_KERNEL ? event_addr(ev) : 0;

	return addr && t->ks ? ksyms_lookup(t->ks, addr, NULL) : NULL;
}

/* Programs have their functions at other addresses in each process, but their names are in the layout. */
static void put_function(const struct text *t, const struct event *ev, struct buf *out)
{
	const struct layout *l = ev->layout;

	if (l->is_synthetic)
		return;
	if (l->site == SITE_EVENT) {
		buf_adds(out, l->site_name);
	} else if (l->site == SITE_USER) {
		const char *slash = strrchr(l->site_name, '/');

		buf_adds(out, l->func ? l->func : "");
		if (l->site_off || !l->func)
			buf_addf(out, "+0x%llx", (unsigned long long)l->site_off);
		buf_addf(out, " [%s]", slash ? slash + 1 : l->site_name);
	} else if (l->func && (l->at_entry || l->is_return) && !symbol_of(t, ev)) {
		buf_adds(out, l->func);		/* the kernel hid its addresses */
	} else {
		text_symbol(out, t->ks, event_addr(ev), is_of_function(l) && !l->is_return && !l->at_entry);
	}
}

/* What is the same at the entry and at the return of a function. */
static void find_key(const struct text *t, const struct event *ev, uint32_t name, struct report_call *ret)
{
	const struct ksym *sym = symbol_of(t, ev);

	*ret = (struct report_call){ .enters = INDEX_NONE, .leaves = INDEX_NONE, .latency = INDEX_NONE };
	ret->by_name = !sym;
	ret->key = sym ? sym->addr : name;
}

static uint32_t called_of(struct report *r, const struct text *t, const struct event *ev, uint32_t name)
{
	struct report_call wanted;
	uint32_t at = 0, nr;
	uint64_t hash;

	find_key(t, ev, name, &wanted);
	hash = index_mix(index_mix(8, wanted.key), wanted.by_name);
	while ((nr = index_next(&r->by_called, hash, &at)) != INDEX_NONE) {
		if (r->called[nr].key == wanted.key && r->called[nr].by_name == wanted.by_name)
			return nr;
	}
	r->called = heap_grow(r->called, r->nr_called, &r->size_called);
	r->called[r->nr_called] = wanted;
	index_add(&r->by_called, hash, r->nr_called);
	return r->nr_called++;
}

/* ---- rows ---- */

static uint32_t row_of(struct report *r, uint32_t event, uint32_t function)
{
	uint64_t hash = index_mix(index_mix(9, event), function);
	uint32_t at = 0, nr;

	while ((nr = index_next(&r->by_site, hash, &at)) != INDEX_NONE) {
		if (r->sites[nr].event == event && r->sites[nr].function == function)
			return nr;
	}
	if (r->nr_sites == REPORT_ROWS)
		return REPORT_ROWS;
	r->sites = heap_grow(r->sites, r->nr_sites, &r->size_sites);
	r->sites[r->nr_sites] = (struct report_site){ .event = event, .function = function, .latency = INDEX_NONE, .called = INDEX_NONE };
	index_add(&r->by_site, hash, r->nr_sites);
	return r->nr_sites++;
}

/* Most hits are at a place that is known by its address. */
static uint64_t place_of(const struct event *ev)
{
	return ev->layout->site == SITE_KERNEL && !ev->layout->is_synthetic ? event_addr(ev) : 0;
}

static uint32_t find_place(const struct report *r, uint64_t hash, uint32_t layout, uint64_t addr)
{
	uint32_t at = 0, nr;

	while ((nr = index_next(&r->by_place, hash, &at)) != INDEX_NONE) {
		if (r->places[nr].layout == layout && r->places[nr].addr == addr)
			return r->places[nr].site;
	}
	return INDEX_NONE;
}

static void keep_place(struct report *r, uint64_t hash, uint32_t layout, uint64_t addr, uint32_t site)
{
	if (r->nr_places == REPORT_ROWS) {
		index_fini(&r->by_place);
		r->nr_places = 0;
	}
	r->places = heap_grow(r->places, r->nr_places, &r->size_places);
	r->places[r->nr_places] = (struct report_place){ .addr = addr, .layout = layout, .site = site };
	index_add(&r->by_place, hash, r->nr_places++);
}

uint32_t report_site_of(struct report *r, const struct text *t, const struct event *ev, const struct layout_field **ret_elapsed)
{
	uint32_t layout = layout_of(r, ev->layout), event = r->layouts[layout].event, site, name;
	uint64_t addr = place_of(ev), hash = index_mix(index_mix(10, layout), addr);

	*ret_elapsed = r->layouts[layout].elapsed;
	site = find_place(r, hash, layout, addr);
	if (site != INDEX_NONE)
		return site;
	buf_reset(&r->raw);
	put_function(t, ev, &r->raw);
	name = report_name(r, buf_str(&r->raw), r->raw.len, r->nr_sites < REPORT_ROWS);
	site = row_of(r, event, name);
	if (site != REPORT_ROWS && r->sites[site].called == INDEX_NONE && !*ret_elapsed &&
	    (r->events[event].enters || r->events[event].leaves))
		r->sites[site].called = called_of(r, t, ev, name);
	keep_place(r, hash, layout, addr, site);
	return site;
}
