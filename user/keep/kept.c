// SPDX-License-Identifier: GPL-2.0-only
/*
 * kept.c - what the store knows about a kept event, as text.
 *
 *	bprobe-store 5 5		KEPT_VERSION, BP_ABI_VERSION
 *	by VERSION
 *	created NS
 *	option TEXT			any number
 *	trigger NUMBER TEXT		any number; since version 4
 *	line DEFINITION			each followed by the probes that came from it; a synthetic event (since version 5) has one that says only
 *					what its records are like (since version 6)
 *	source DIALECT TEXT		as it was typed, without its filter
 *	dropped				it was removed from the event
 *	probe ID SAVER USER		SAVER: saver, last or -; USER: user or -, as in struct kept_probe
 *	target OFF ADDR FUNC [LOOKUP]
 *	file OFF COUNTER DEV INO PATH	a place in a program; COUNTER: offset of the counter to raise, or 0; since version 5
 *	event ID			the number of the event's type; since version 5
 *	at ADDR [ID]			one program for many functions: each function; ID: its number in BTF, for trampolines
 *	module LOAD NAME		its module, and which loading of it (modload_id())
 *	why TEXT			why no cheaper backend
 *	layout ...			plan/layout_text.h
 *	end				a text without it was cut
 */
#include "keep/kept.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/words.h"
#include "bprobe_abi.h"
#include "lang/synthetic.h"
#include "plan/layout_text.h"

enum { KEPT_WITHOUT_TRIGGERS = 3, KEPT_WITH_TRIGGERS = 4, KEPT_WITH_PROGRAMS = 5, KEPT_WITH_MADE = 6 };

/* ---- to text ---- */

static void print_probe(const struct kept_probe *p, struct buf *out)
{
	const struct target *t = &p->plan.target;

	buf_addf(out, "probe %u %s %s\n", p->id, p->has_saver ? p->saver_last ? "last" : "saver" : "-",
		 p->selects ? "user" : "-");
	buf_addf(out, "target %" PRIu64 " %" PRIu64 " %" PRIu64 " %s\n", t->off, t->addr, t->func,
		 t->lookup ? t->lookup : "");
	if (t->path)
		buf_addf(out, "file %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %s\n", t->file_off, t->ref_ctr, p->file_dev,
			 p->file_ino, t->path);
	if (t->event_id)
		buf_addf(out, "event %" PRIu32 "\n", t->event_id);
	for (unsigned i = 0; i < t->nr_addrs; i++) {
		buf_addf(out, "at %" PRIu64, t->addrs[i]);
		if (t->ids)
			buf_addf(out, " %u", t->ids[i]);
		buf_adds(out, "\n");
	}
	if (p->module)
		buf_addf(out, "module %" PRIu64 " %s\n", p->module_load, p->module);
	if (p->plan.why_dearer)
		buf_addf(out, "why %.*s\n", (int)strcspn(p->plan.why_dearer, "\n"), p->plan.why_dearer);
	layout_print(&p->plan.layout, out);
}

/* The oldest version that has all that the event needs: then an earlier bprobe can read it. */
static int version_for(const struct kept *k)
{
	if (kept_is_synthetic(k))
		return k->nr_probes ? KEPT_WITH_MADE : KEPT_WITH_PROGRAMS;
	for (unsigned i = 0; i < k->nr_probes; i++) {
		if (k->probes[i].plan.layout.probe != PROBE_KPROBE)
			return KEPT_WITH_PROGRAMS;
	}
	return k->nr_triggers ? KEPT_WITH_TRIGGERS : KEPT_WITHOUT_TRIGGERS;
}

void kept_print(const struct kept *k, struct buf *out)
{
	buf_addf(out, "bprobe-store %d %d\nby %s\ncreated %" PRIu64 "\n", version_for(k), k->abi, k->version, k->created);
	for (unsigned i = 0; i < k->nr_options; i++)
		buf_addf(out, "option %s\n", k->options[i]);
	for (unsigned i = 0; i < k->nr_triggers; i++)
		buf_addf(out, "trigger %u %s\n", k->triggers[i].number, k->triggers[i].text);
	for (unsigned line = 0; line < k->nr_lines; line++) {
		buf_addf(out, "line %s\nsource %s %s\n%s", k->lines[line], k->dialects[line], k->sources[line],
			 k->dropped && k->dropped[line] ? "dropped\n" : "");
		for (unsigned i = 0; i < k->nr_probes; i++) {
			if (k->probes[i].line == line)
				print_probe(&k->probes[i], out);
		}
	}
	buf_adds(out, "end\n");
}

/* ---- from text ---- */

struct reader {
	struct arena *arena;
	const char *at;			/* the line to read next */
	bool bad;
};

static unsigned count_lines(const char *text, const char *key)
{
	unsigned nr = 0;

	for (; *text; text = words_next_line(text))
		nr += words_line_is(text, key);
	return nr;
}

/* The rest of the line if it has this key; otherwise NULL. */
static const char *read_text(struct reader *r, const char *key)
{
	return words_take_line(&r->at, r->arena, key);
}

static void read_file(struct reader *r, struct kept_probe *p)
{
	struct target *t = &p->plan.target;
	struct words w;

	if (!words_open(&w, r->at, "file"))
		return;
	t->file_off = words_number(&w, UINT64_MAX);
	t->ref_ctr = words_number(&w, UINT64_MAX);
	p->file_dev = words_number(&w, UINT64_MAX);
	p->file_ino = words_number(&w, UINT64_MAX);
	t->path = words_rest(&w, r->arena);
	r->bad |= w.bad || !*t->path;
	r->at = words_next_line(r->at);
}

static void read_event(struct reader *r, struct target *t)
{
	struct words w;

	if (!words_open(&w, r->at, "event"))
		return;
	t->event_id = (uint32_t)words_number(&w, UINT32_MAX);
	r->bad |= w.bad;
	r->at = words_next_line(r->at);
}

static void read_target(struct reader *r, struct kept_probe *p)
{
	struct target *t = &p->plan.target;
	unsigned nr = 0, nr_ids = 0;
	uint64_t *addrs;
	uint32_t *ids;
	struct words w;

	if (!words_open(&w, r->at, "target")) {
		r->bad = true;
		return;
	}
	t->off = words_number(&w, UINT64_MAX);
	t->addr = words_number(&w, UINT64_MAX);
	t->func = words_number(&w, UINT64_MAX);
	t->lookup = words_rest(&w, r->arena);
	if (!*t->lookup)
		t->lookup = NULL;
	r->bad |= w.bad;
	r->at = words_next_line(r->at);
	read_file(r, p);
	read_event(r, t);
	for (const char *at = r->at; words_line_is(at, "at"); at = words_next_line(at))
		nr++;
	if (!nr)
		return;
	addrs = arena_array(r->arena, uint64_t, nr);
	ids = arena_array(r->arena, uint32_t, nr);
	for (unsigned i = 0; i < nr; i++, r->at = words_next_line(r->at)) {
		words_open(&w, r->at, "at");
		addrs[i] = words_number(&w, UINT64_MAX);
		if (w.len)
			ids[nr_ids++] = (uint32_t)words_number(&w, UINT32_MAX);
		r->bad |= w.bad;
	}
	r->bad |= nr_ids && nr_ids != nr;
	t->addrs = addrs;
	t->ids = nr_ids ? ids : NULL;
	t->nr_addrs = nr;
}

static void read_module(struct reader *r, struct kept_probe *p)
{
	struct words w;

	if (!words_open(&w, r->at, "module"))
		return;
	p->module_load = words_number(&w, UINT64_MAX);
	p->module = words_rest(&w, r->arena);
	r->bad |= w.bad || !*p->module;
	r->at = words_next_line(r->at);
}

static void read_probe(struct reader *r, const struct kept *k, struct kept_probe *p)
{
	static const char *const savers[] = { "-", "saver", "last" };
	struct plan *plan = &p->plan;
	struct words w;
	int saver;

	words_open(&w, r->at, "probe");
	p->id = (uint32_t)words_number(&w, UINT32_MAX);
	saver = words_choice(&w, savers, ARRAY_SIZE(savers));
	p->has_saver = saver > 0;
	p->saver_last = saver == 2;
	p->selects = words_flag(&w, "user");
	r->bad |= w.bad;
	r->at = words_next_line(r->at);
	read_target(r, p);
	read_module(r, p);
	plan->why_dearer = read_text(r, "why");
	if (r->bad || layout_parse(r->arena, &r->at, &plan->layout)) {
		r->bad = true;
		return;
	}
	plan->layout.group = k->group;
	plan->layout.event = k->event;
	plan->target.is_return = plan->layout.is_return;
}

static void read_source(struct reader *r, struct kept *k, unsigned line)
{
	const char *text = read_text(r, "source");
	size_t len = text ? strcspn(text, " ") : 0;

	r->bad |= !text || !text[len];
	if (r->bad)
		return;
	k->dialects[line] = arena_strndup(r->arena, text, len);
	k->sources[line] = text + len + 1;
}

static void read_triggers(struct reader *r, struct kept *k)
{
	struct kept_trigger *triggers;

	k->nr_triggers = count_lines(r->at, "trigger");
	triggers = arena_array(r->arena, struct kept_trigger, k->nr_triggers);
	for (unsigned i = 0; i < k->nr_triggers && !r->bad; i++) {
		struct words w;

		r->bad |= !words_open(&w, r->at, "trigger");
		triggers[i].number = (unsigned)words_number(&w, UINT32_MAX);
		triggers[i].text = words_rest(&w, r->arena);
		r->bad |= w.bad;
		r->at = words_next_line(r->at);
	}
	k->triggers = triggers;
}

static void read_probes(struct reader *r, struct kept *k)
{
	k->nr_lines = count_lines(r->at, "line");
	k->nr_probes = count_lines(r->at, "probe");
	k->lines = arena_array(r->arena, const char *, k->nr_lines);
	k->sources = arena_array(r->arena, const char *, k->nr_lines);
	k->dialects = arena_array(r->arena, const char *, k->nr_lines);
	k->dropped = arena_array(r->arena, bool, k->nr_lines);
	k->probes = arena_array(r->arena, struct kept_probe, k->nr_probes);
	for (unsigned line = 0, probe = 0; line < k->nr_lines && !r->bad; line++) {
		k->lines[line] = read_text(r, "line");
		r->bad |= !k->lines[line];
		read_source(r, k, line);
		k->dropped[line] = words_line_is(r->at, "dropped");
		if (k->dropped[line])
			r->at = words_next_line(r->at);
		for (; words_line_is(r->at, "probe") && !r->bad; probe++) {
			k->probes[probe].line = line;
			read_probe(r, k, &k->probes[probe]);
		}
	}
}

/* "p:GRP/EVENT MOD:SYM ...": only here the text of version 1 names the module. NULL: no module was typed. */
static const char *typed_module(const char *line, struct arena *arena)
{
	const char *place = line + strcspn(line, " ");
	size_t len;

	place += strspn(place, " ");
	len = strcspn(place, ": ");
	return len && place[len] == ':' && !memchr(place, '[', len) ? arena_strndup(arena, place, len) : NULL;
}

/* Finds the modules in a text of version 1. */
static void find_modules(struct kept *k, struct arena *arena)
{
	for (unsigned i = 0; i < k->nr_probes; i++) {
		if (!k->probes[i].module)
			k->probes[i].module = typed_module(k->lines[k->probes[i].line], arena);
	}
}

static bool within(uint64_t n, unsigned first, unsigned last)
{
	return n >= first && n <= last;
}

static int read_versions(struct reader *r, uint64_t *ret_version, unsigned *ret_abi, const char **ret_by)
{
	uint64_t version, abi;
	struct words w;

	if (!words_open(&w, r->at, "bprobe-store"))
		return -EBADMSG;
	version = words_number(&w, UINT32_MAX);
	abi = words_number(&w, UINT32_MAX);
	r->at = words_next_line(r->at);
	*ret_by = read_text(r, "by");
	*ret_version = version;
	*ret_abi = (unsigned)abi;
	return w.bad || !within(version, KEPT_OLDEST, KEPT_VERSION) || !within(abi, KEPT_ABI_OLDEST, BP_ABI_VERSION) || !*ret_by
	       ? -EPROTONOSUPPORT : 0;
}

/* Every definition has a probe, but for that of a synthetic event. */
static bool is_whole(const struct kept *k)
{
	return k->nr_probes || (k->nr_lines == 1 && synthetic_is(k->lines[0]));
}

int kept_parse(struct arena *arena, const char *group, const char *event, const char *text, struct kept *ret,
	       const char **ret_by)
{
	struct reader r = { .arena = arena, .at = text };
	struct kept k = { .group = group, .event = event };
	struct words w;
	uint64_t version;
	int err;

	*ret_by = NULL;
	err = read_versions(&r, &version, &k.abi, ret_by);
	if (err)
		return err;
	k.version = *ret_by;
	r.bad = !words_open(&w, r.at, "created");
	k.created = words_number(&w, UINT64_MAX);
	r.at = words_next_line(r.at);
	k.nr_options = count_lines(r.at, "option");
	k.options = arena_array(arena, const char *, k.nr_options);
	for (unsigned i = 0; i < k.nr_options; i++) {
		k.options[i] = read_text(&r, "option");
		r.bad |= !k.options[i];
	}
	read_triggers(&r, &k);
	if (!r.bad)
		read_probes(&r, &k);
	if (r.bad || w.bad || strcmp(r.at, "end\n") || !is_whole(&k))
		return -EBADMSG;
	if (version == 1)
		find_modules(&k, arena);
	*ret = k;
	return 0;
}

bool kept_is_synthetic(const struct kept *k)
{
	return k->nr_lines == 1 && synthetic_is(k->lines[0]);
}

bool kept_is_current(const struct kept *k)
{
	return k->abi >= BP_ABI_OLDEST;
}

bool kept_overwrites(const struct kept *k)
{
	for (unsigned i = 0; i < k->nr_options; i++) {
		if (!strcmp(k->options[i], "--overwrite"))
			return true;
	}
	return false;
}

bool kept_is_text(const char *text)
{
	return words_line_is(text, "bprobe-store");
}

unsigned kept_stacks(const struct kept *k, unsigned line)
{
	for (unsigned i = 0; i < k->nr_probes; i++) {
		if (k->probes[i].line == line)
			return k->probes[i].plan.layout.stacks;
	}
	return 0;
}

unsigned kept_count(const struct kept *k)
{
	unsigned nr = 0;

	for (unsigned line = 0; line < k->nr_lines; line++)
		nr += !k->dropped || !k->dropped[line];
	return nr;
}

int kept_write(const struct kept *k, struct buf *out)
{
	size_t from = out->len;
	struct arena arena = { 0 };
	const char *by;
	struct kept back;
	int err;

	kept_print(k, out);
	err = kept_parse(&arena, k->group, k->event, buf_str(out) + from, &back, &by);
	arena_fini(&arena);
	return err ? -EBADMSG : 0;
}
