// SPDX-License-Identifier: GPL-2.0-only
/*
 * recorded.c - one trace.dat that bprobe has written.
 *
 * Each record is converted back to the ring's form. Nothing of the running kernel is used.
 */
#include "trace/recorded.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "elf/builds.h"
#include "lang/name.h"
#include "stream/dat_part.h"
#include "trace/recorded_symbols.h"

/* Like an event's name, but '-' is allowed, too. */
static bool is_group(const char *name)
{
	for (const char *s = name; *s; s++) {
		if (*s != '-' && !name_is_ident(s, 1) && !(*s >= '0' && *s <= '9'))
			return false;
	}
	return *name;
}

static int learn_event(struct recorded *r, const struct dat_event *from, struct diag *diag)
{
	struct recorded_event *e = &r->events[r->nr_events];
	int err = dat_format_parse(&r->arena, from->text, &e->format);

	if (err == -ENOENT) {
		r->nr_foreign++;
		return 0;
	}
	if (err)
		return diag_set(diag, err, "the events in %s are damaged, or another version of bprobe recorded them", r->path);
	if (!is_group(from->system))
		return diag_set(diag, -EBADMSG, "%s is damaged: a group of its events has no name", r->path);
	e->format.layout.group = arena_strdup(&r->arena, from->system);
	e->wanted = true;
	r->has_stacks |= e->format.layout.stacks != 0;
	r->nr_ids = MAX(r->nr_ids, e->format.id + 1);
	r->nr_events++;
	return 0;
}

static int learn_events(struct recorded *r, const struct dat_file *f, struct diag *diag)
{
	const struct dat_format *last;

	r->events = arena_array(&r->arena, struct recorded_event, f->nr_events);
	for (unsigned i = 0; i < f->nr_events; i++) {
		int err = learn_event(r, &f->events[i], diag);

		if (err)
			return err;
	}
	if (!r->nr_events && r->nr_foreign)
		return diag_set(diag, -EBADMSG, "%s has no events that bprobe recorded: 'trace-cmd report %s' reads it", r->path, r->path);
	r->by_id = arena_array(&r->arena, uint32_t, r->nr_ids);
	for (unsigned i = 0; i < r->nr_events; i++)
		r->by_id[r->events[i].format.id] = i + 1;
	last = r->nr_events ? &r->events[r->nr_events - 1].format : NULL;
	context_rules_init(&r->home.rules, last ? last->release : 0, last && last->counts);
	return 0;
}

/*
 * Adds the pages of the files beside the file to those in it. If there are pages of a CPU in both, somebody was killed while he
 * copied them from the file, so those in the file are the whole ones.
 */
static void take_stripes(struct recorded *r, const struct dat_file *f)
{
	r->stripes = arena_array(&r->arena, struct dat_stripe, f->nr_stripes + r->nr_found);
	for (unsigned i = 0; i < f->nr_stripes; i++)
		r->stripes[r->nr_stripes++] = f->stripes[i];
	for (unsigned i = 0; i < r->nr_found; i++) {
		if (!f->nr_stripes || r->found[i].cpu != f->stripes[0].cpu)
			r->stripes[r->nr_stripes++] = r->found[i];
	}
	for (unsigned i = 0; i < r->nr_stripes; i++)
		r->nr_cpus = MAX(r->nr_cpus, r->stripes[i].cpu + 1);
	r->lost = arena_array(&r->arena, uint64_t, r->nr_cpus);
	r->extras = arena_array(&r->arena, struct dat_extras, r->nr_cpus);
	r->page_size = f->page_size;
}

static int find_pages(struct recorded *r, const struct dat_file *f, struct diag *diag)
{
	if (!f->complete) {
		int err = dat_part_find(&r->arena, r->path, &r->found, &r->nr_found, diag);

		if (err)
			return err;
		fprintf(stderr, "bprobe: %s was not completed: %s\n", r->path,
			r->nr_found ? "its events are read from it and from the files beside it" :
			f->nr_stripes ? "its events are read as far as they are there" : "there are no events in it or beside it");
	}
	take_stripes(r, f);
	return 0;
}

static int take_symbols(struct recorded *r, const struct dat_file *f, struct recorded_symbols *symbols, struct diag *diag)
{
	struct ksyms *ks;
	int err = recorded_symbols_get(symbols, f, &ks, diag);

	r->home.ks = ks;
	if (!err && !ks)
		fprintf(stderr, "bprobe: %s has no symbols, because the kernel hid its addresses: places are printed as numbers\n",
			r->path);
	return err;
}

static const char *copy(struct arena *arena, const char *text)
{
	return text ? arena_strdup(arena, text) : NULL;
}

static const char *known(const char *text)
{
	return *text ? text : NULL;
}

/* The head is read into @scratch: its symbols have megabytes. */
static int read_head(struct recorded *r, struct arena *scratch, struct recorded_symbols *symbols, struct builds *builds, struct diag *diag)
{
	struct dat_file f = { .fd = r->fd };
	int err = dat_open(scratch, r->fd, &f, diag);

	if (err) {
		const char *why = arena_strdup(scratch, buf_str(&diag->msg));

		return diag_set(diag, err, "%s: %s", r->path, why);
	}
	if (builds && f.writer)
		builds_parse(builds, f.writer);
	err = find_pages(r, &f, diag);
	if (!err)
		err = learn_events(r, &f, diag);
	if (!err)
		err = take_symbols(r, &f, symbols, diag);
	r->head = (struct dat_file){ .fd = -1, .complete = f.complete, .uname = copy(&r->arena, f.uname), .writer = copy(&r->arena, f.writer),
				     .clock = copy(&r->arena, f.clock) };
	r->made = recording_parse(&r->arena, f.writer, f.uname, f.clock);
	r->home.host = known(r->made.host);
	r->home.boot = known(r->made.boot_id);
	r->home.kernel = known(r->made.release);
	return err;
}

int recorded_open(struct recorded *r, const char *path, struct recorded_symbols *symbols, struct builds *builds, struct diag *diag)
{
	struct arena scratch = { 0 };
	int err;

	*r = (struct recorded){ .path = path, .fd = open(path, O_RDONLY | O_CLOEXEC), .begins = UINT64_MAX };
	if (r->fd < 0)
		return diag_set(diag, -errno, "cannot open %s: %s", path, strerror(errno));
	err = read_head(r, &scratch, symbols, builds, diag);
	arena_fini(&scratch);
	return err;
}

void recorded_close(struct recorded *r)
{
	recorded_end(r);
	for (unsigned i = 0; i < r->nr_found; i++)
		close(r->found[i].fd);
	if (r->fd >= 0)
		close(r->fd);
	r->fd = -1;
	arena_fini(&r->arena);
}

/* ---- records ---- */

void recorded_begin(struct recorded *r)
{
	r->hit.ts = 0;
	r->cursors = dat_cursors_open(&r->pages, r->stripes, r->nr_stripes, r->page_size);
	recorded_next(r);
}

void recorded_next(struct recorded *r)
{
	uint64_t last = r->hit.ts;

	r->has_hit = dat_cursors_next(r->cursors, &r->hit);
	if (r->has_hit)			/* losses that no event follows have no time of their own */
		r->hit.ts = r->hit.ts == UINT64_MAX ? last : r->hit.ts + (uint64_t)r->shift;
}

void recorded_end(struct recorded *r)
{
	if (!r->cursors)
		return;
	r->bad += dat_cursors_bad(r->cursors);
	dat_cursors_close(r->cursors);
	r->cursors = NULL;
	r->has_hit = false;
	for (unsigned i = 0; i < r->nr_cpus; i++)
		dat_extras_fini(&r->extras[i]);
	memset(r->extras, 0, r->nr_cpus * sizeof(*r->extras));
	arena_fini(&r->pages);
	r->pages = (struct arena){ 0 };
}

void recorded_look(struct recorded *r)
{
	recorded_begin(r);
	r->begins = r->has_hit && r->hit.record ? r->hit.ts : UINT64_MAX;
	recorded_end(r);
	r->bad = 0;			/* they are counted when the records are read */
}

const struct bp_rec *recorded_unpack(struct recorded *r, struct buf *room, const struct recorded_event **ret)
{
	const struct dat_hit *hit = &r->hit;
	const struct recorded_event *e;
	struct bp_rec *rec;
	uint16_t id = 0;
	unsigned which;

	if (hit->len >= sizeof(id))
		memcpy(&id, hit->record, sizeof(id));
	which = id < r->nr_ids ? r->by_id[id] : 0;
	if (!which && r->has_stacks && dat_stack_is(id))
		return NULL;
	e = which ? &r->events[which - 1] : NULL;
	if (!e || dat_record_unpack(&e->format, &r->extras[hit->cpu], hit->record, hit->len, room)) {
		r->skipped++;
		return NULL;
	}
	rec = (void *)room->data;
	rec->ts = hit->ts;
	rec->probe = r->first + which - 1;
	rec->cpu = (uint16_t)hit->cpu;
	*ret = e;
	return rec;
}
