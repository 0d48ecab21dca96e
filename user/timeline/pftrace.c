// SPDX-License-Identifier: GPL-2.0-only
/*
 * pftrace.c - a timeline in Perfetto's own form: TracePackets with TrackEvents, written by protobuf-c from pftrace.proto.
 *
 * All packets are of one sequence. Names that come often have numbers, which are told in the packet that needs them first. When there
 * are too many names, the sequence begins again, so that a long recording needs no more memory.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "pftrace.pb-c.h"
#include "timeline/encoder.h"
#include "timeline/intern.h"

enum { SEQUENCE = 1 };
enum { STATE_CLEARED = 1, NEEDS_STATE = 2 };		/* TracePacket.SequenceFlags */
enum { SLICE_BEGIN = 1, SLICE_END, INSTANT, COUNTER };	/* TrackEvent.Type */
/* BuiltinClock. A number from 64 on is a clock that only this sequence knows; its ClockSnapshots say what it is. */
enum { CLOCK_ID_REAL = 1, CLOCK_ID_MONO = 3, CLOCK_ID_BOOT = 6, CLOCK_ID_TAI = 64 };

enum interned_names { CATEGORIES, EVENTS, ANNOTATIONS, NAMES };

/* Names that are told in the packet that is being made. */
struct news {
	Pf__Name *all, **pointers;
	unsigned nr, room, room_pointers;
};

struct pftrace {
	const struct recording *machines;
	unsigned nr;
	bool begun;			/* the sequence has begun, and needs not begin again */
	struct intern interns[NAMES];
	struct news news[NAMES];
	/* Annotations of the packet that is being made: as many as the args. */
	Pf__DebugAnnotation *pool, **pointers;
	unsigned nr_pool, nr_pointers, room;
};

/* ---- packets ---- */

static uint32_t clock_id(const struct recording *m)
{
	static const uint32_t ids[] = {
		[TIMEBASE_MONO] = CLOCK_ID_MONO, [TIMEBASE_BOOT] = CLOCK_ID_BOOT, [TIMEBASE_TAI] = CLOCK_ID_TAI, [TIMEBASE_REAL] = CLOCK_ID_REAL,
	};

	/* Without a reading no reader knows what a clock of our own is. */
	return m->nr_readings || m->clock != TIMEBASE_TAI ? ids[m->clock] : CLOCK_ID_MONO;
}

/* Before the first name of a packet is asked for. */
static void begin_packet(struct pftrace *p)
{
	for (unsigned i = 0; i < NAMES; i++) {
		p->news[i].nr = 0;
		p->begun = p->begun && p->interns[i].nr < INTERN_MAX;
	}
	for (unsigned i = 0; i < NAMES && !p->begun; i++)
		intern_reset(&p->interns[i]);
	p->nr_pool = p->nr_pointers = 0;
}

/* The names may have moved while others were added. */
static size_t pointers_of(struct news *n)
{
	while (n->room_pointers < n->nr)
		n->pointers = heap_grow(n->pointers, n->nr, &n->room_pointers);
	for (unsigned i = 0; i < n->nr; i++)
		n->pointers[i] = &n->all[i];
	return n->nr;
}

static void put(struct pftrace *p, Pf__TracePacket *packet, struct buf *out)
{
	Pf__InternedData data = PF__INTERNED_DATA__INIT;
	Pf__TracePacketDefaults defaults = PF__TRACE_PACKET_DEFAULTS__INIT;
	Pf__Trace trace = PF__TRACE__INIT;
	size_t len;

	packet->has_trusted_packet_sequence_id = packet->has_sequence_flags = true;
	packet->trusted_packet_sequence_id = SEQUENCE;
	packet->sequence_flags = p->begun ? NEEDS_STATE : NEEDS_STATE | STATE_CLEARED;
	if (!p->begun) {
		defaults.has_timestamp_clock_id = true;
		defaults.timestamp_clock_id = clock_id(&p->machines[0]);
		packet->trace_packet_defaults = &defaults;
		p->begun = true;
	}
	data.n_event_categories = pointers_of(&p->news[CATEGORIES]);
	data.n_event_names = pointers_of(&p->news[EVENTS]);
	data.n_debug_annotation_names = pointers_of(&p->news[ANNOTATIONS]);
	data.event_categories = p->news[CATEGORIES].pointers;
	data.event_names = p->news[EVENTS].pointers;
	data.debug_annotation_names = p->news[ANNOTATIONS].pointers;
	if (data.n_event_categories + data.n_event_names + data.n_debug_annotation_names)
		packet->interned_data = &data;
	trace.n_packet = 1;
	trace.packet = &packet;
	len = pf__trace__get_packed_size(&trace);
	pf__trace__pack(&trace, (uint8_t *)buf_room(out, len));
	out->len += len;
}

/* The number of @text, which lives until the packet is written. */
static uint64_t name_id(struct pftrace *p, enum interned_names which, const char *text)
{
	struct news *n = &p->news[which];
	bool new;
	uint64_t id = intern_get(&p->interns[which], text, &new);

	if (!new)
		return id;
	n->all = heap_grow(n->all, n->nr, &n->room);
	n->all[n->nr] = (Pf__Name)PF__NAME__INIT;
	n->all[n->nr].has_iid = true;
	n->all[n->nr].iid = id;
	n->all[n->nr++].name = (char *)text;
	return id;
}

/* ---- args ---- */

static size_t annotate(struct pftrace *p, const struct details *a, unsigned from, unsigned to, Pf__DebugAnnotation ***ret);

static void set_value(struct pftrace *p, const struct details *a, unsigned i, Pf__DebugAnnotation *d)
{
	const struct detail *arg = &a->all[i];
	unsigned end = i + 1 + (unsigned)arg->n;

	switch (arg->kind) {
	case DETAIL_FAULT:
		d->string_value = (char *)"(fault)";
		break;
	case DETAIL_UNSIGNED:
		d->has_uint_value = true;
		d->uint_value = arg->n;
		break;
	case DETAIL_SIGNED:
		d->has_int_value = true;
		d->int_value = (int64_t)arg->n;
		break;
	case DETAIL_HEX:
		d->has_pointer_value = true;
		d->pointer_value = arg->n;
		break;
	case DETAIL_FLAG:
		d->has_bool_value = d->bool_value = true;
		break;
	case DETAIL_TEXT:
		d->string_value = (char *)details_at(a, arg->at);
		break;
	case DETAIL_LIST:
		d->n_array_values = annotate(p, a, i + 1, end, &d->array_values);
		break;
	case DETAIL_DICTIONARY:
		d->n_dict_entries = annotate(p, a, i + 1, end, &d->dict_entries);
		break;
	}
}

static unsigned next_of(const struct details *a, unsigned i)
{
	bool has_members = a->all[i].kind == DETAIL_LIST || a->all[i].kind == DETAIL_DICTIONARY;

	return i + 1 + (has_members ? (unsigned)a->all[i].n : 0);
}

/* Those of @from to @to that are not inside others. make_room() has been called. */
static size_t annotate(struct pftrace *p, const struct details *a, unsigned from, unsigned to, Pf__DebugAnnotation ***ret)
{
	Pf__DebugAnnotation **all = p->pointers + p->nr_pointers;
	size_t nr = 0;

	*ret = all;
	for (unsigned i = from; i < to; i = next_of(a, i))
		nr++;
	p->nr_pointers += (unsigned)nr;
	for (unsigned i = from; i < to; i = next_of(a, i)) {
		Pf__DebugAnnotation *d = &p->pool[p->nr_pool++];

		*d = (Pf__DebugAnnotation)PF__DEBUG_ANNOTATION__INIT;
		*all++ = d;
		if (a->all[i].name != DETAIL_NO_NAME) {
			d->has_name_iid = true;
			d->name_iid = name_id(p, ANNOTATIONS, details_at(a, a->all[i].name));
		}
		set_value(p, a, i, d);
	}
	return nr;
}

static void make_room(struct pftrace *p, unsigned nr)
{
	if (nr <= p->room)
		return;
	p->room = MAX(2 * p->room, nr);
	p->pool = must(realloc(p->pool, memory_bytes(p->room, sizeof(*p->pool))));
	p->pointers = must(realloc(p->pointers, memory_bytes(p->room, sizeof(*p->pointers))));
}

/* ---- tracks ---- */

static uint64_t uuid_of(const struct track *t)
{
	return (uint64_t)(t->kind + 1) << 56 | (uint64_t)t->machine << 40 | t->number;
}

static void put_track(void *e, const struct track *t, struct buf *out)
{
	const struct track machine = { .kind = TRACK_MACHINE, .machine = t->machine };
	Pf__TracePacket packet = PF__TRACE_PACKET__INIT;
	Pf__TrackDescriptor track = PF__TRACK_DESCRIPTOR__INIT;
	Pf__ProcessDescriptor process = PF__PROCESS_DESCRIPTOR__INIT;
	Pf__ThreadDescriptor thread = PF__THREAD_DESCRIPTOR__INIT;
	Pf__CounterDescriptor counter = PF__COUNTER_DESCRIPTOR__INIT;

	begin_packet(e);
	track.has_uuid = true;
	track.uuid = uuid_of(t);
	packet.track_descriptor = &track;
	if (t->kind == TRACK_PROCESS) {
		process.has_pid = true;
		process.pid = (int32_t)t->number;
		process.process_name = (char *)t->name;
		track.process = &process;
	} else if (t->kind == TRACK_THREAD) {
		thread.has_pid = thread.has_tid = true;
		thread.pid = (int32_t)t->pid;
		thread.tid = (int64_t)t->number;
		thread.thread_name = (char *)t->name;
		track.thread = &thread;
	} else {
		track.name = (char *)t->name;
		track.has_parent_uuid = t->kind != TRACK_MACHINE;
		track.parent_uuid = uuid_of(&machine);
		track.counter = t->kind == TRACK_COUNTER ? &counter : NULL;
	}
	put(e, &packet, out);
}

/* ---- events ---- */

static void put_event(struct pftrace *p, const struct track *t, int type, uint64_t at, Pf__TrackEvent *event, struct buf *out)
{
	Pf__TracePacket packet = PF__TRACE_PACKET__INIT;

	event->has_type = event->has_track_uuid = true;
	event->type = type;
	event->track_uuid = uuid_of(t);
	packet.has_timestamp = true;
	packet.timestamp = at;
	packet.track_event = event;
	put(p, &packet, out);
}

static void put_begin(struct pftrace *p, const struct slice *s, int type, struct buf *out)
{
	Pf__TrackEvent event = PF__TRACK_EVENT__INIT;
	uint64_t category;

	begin_packet(p);
	make_room(p, s->args->nr);
	category = name_id(p, CATEGORIES, s->category);
	event.n_category_iids = 1;
	event.category_iids = &category;
	event.has_name_iid = true;
	event.name_iid = name_id(p, EVENTS, s->name);
	event.n_debug_annotations = annotate(p, s->args, 0, s->args->nr, &event.debug_annotations);
	put_event(p, &s->track, type, s->start, &event, out);
}

static void put_instant(void *e, const struct slice *s, struct buf *out)
{
	put_begin(e, s, INSTANT, out);
}

static void put_slice(void *e, const struct slice *s, struct buf *out)
{
	Pf__TrackEvent event = PF__TRACK_EVENT__INIT;

	put_begin(e, s, SLICE_BEGIN, out);
	if (s->unfinished)
		return;
	begin_packet(e);
	if (s->rest) {
		make_room(e, s->rest->nr);
		event.n_debug_annotations = annotate(e, s->rest, 0, s->rest->nr, &event.debug_annotations);
	}
	put_event(e, &s->track, SLICE_END, s->end, &event, out);
}

static void put_counter(void *e, const struct sample *s, struct buf *out)
{
	Pf__TrackEvent event = PF__TRACK_EVENT__INIT;

	begin_packet(e);
	event.has_counter_value = true;
	event.counter_value = s->is_signed ? (int64_t)s->n : (int64_t)MIN(s->n, (uint64_t)INT64_MAX);
	put_event(e, &s->track, COUNTER, s->at, &event, out);
}

/* ---- the file ---- */

static Pf__Clock clock_of(uint32_t id, uint64_t at)
{
	Pf__Clock clock = PF__CLOCK__INIT;

	clock.has_clock_id = clock.has_timestamp = true;
	clock.clock_id = id;
	clock.timestamp = at;
	return clock;
}

/* The first machine's: all times are of its clock. */
static void put_clocks(void *e, unsigned machine, const struct clock_reading *r, struct buf *out)
{
	Pf__TracePacket packet = PF__TRACE_PACKET__INIT;
	Pf__ClockSnapshot snapshot = PF__CLOCK_SNAPSHOT__INIT;
	Pf__Clock clocks[] = { clock_of(CLOCK_ID_REAL, r->real), clock_of(CLOCK_ID_MONO, r->mono), clock_of(CLOCK_ID_BOOT, r->boot),
			       clock_of(CLOCK_ID_TAI, r->tai) };
	Pf__Clock *pointers[] = { &clocks[0], &clocks[1], &clocks[2], &clocks[3] };

	(void)machine;
	begin_packet(e);
	snapshot.n_clocks = ARRAY_SIZE(pointers);
	snapshot.clocks = pointers;
	packet.clock_snapshot = &snapshot;
	put(e, &packet, out);
}

/* Without a reading the clock of the times is the only one that is known, and readers shall not convert them. */
static void put_unknown_clocks(struct pftrace *p, struct buf *out)
{
	Pf__TracePacket packet = PF__TRACE_PACKET__INIT;
	Pf__ClockSnapshot snapshot = PF__CLOCK_SNAPSHOT__INIT;
	Pf__Clock clock = clock_of(clock_id(&p->machines[0]), 1), *pointer = &clock;

	begin_packet(p);
	snapshot.n_clocks = 1;
	snapshot.clocks = &pointer;
	snapshot.has_primary_trace_clock = true;
	snapshot.primary_trace_clock = (int32_t)clock.clock_id;
	packet.clock_snapshot = &snapshot;
	put(p, &packet, out);
}

static char *clean(struct details *a, const char *s)
{
	details_reset(a);
	details_copy(a, s, strlen(s));
	return a->text.data;
}

static void put_system(struct pftrace *p, const struct recording *m, struct buf *out)
{
	Pf__TracePacket packet = PF__TRACE_PACKET__INIT;
	Pf__SystemInfo system = PF__SYSTEM_INFO__INIT;
	Pf__Utsname name = PF__UTSNAME__INIT;
	struct details texts[3] = { 0 };

	begin_packet(p);
	name.sysname = clean(&texts[0], m->system);
	name.release = clean(&texts[1], m->release);
	name.machine = clean(&texts[2], m->machine);
	system.utsname = &name;
	packet.system_info = &system;
	put(p, &packet, out);
	for (unsigned i = 0; i < ARRAY_SIZE(texts); i++)
		details_fini(&texts[i]);
}

/* An instant on the machine's track, since no message has a place for its name. */
static void put_recording(struct pftrace *p, unsigned machine, const char *version, struct buf *out)
{
	const struct recording *m = &p->machines[machine];
	struct details args = { 0 }, name = { 0 };
	struct slice s = { .track = { .kind = TRACK_MACHINE, .machine = machine, .name = clean(&name, *m->host ? m->host : "machine") },
			   .name = "recording", .category = "bprobe", .args = &args };

	put_track(p, &s.track, out);
	s.start = m->nr_readings ? clock_reading_of(&m->readings[0], m->clock) : 0;
	details_text(&args, "writer", version);
	details_text(&args, "host", m->host);
	details_text(&args, "boot_id", m->boot_id);
	details_text(&args, "kernel", m->release);
	details_text(&args, "clock", timebase_name(m->clock));
	if (m->nr_readings)
		put_begin(p, &s, INSTANT, out);
	details_fini(&args);
	details_fini(&name);
}

static void *open_pftrace(const struct recording *machines, unsigned nr, const char *version, struct buf *out)
{
	struct pftrace *p = must(calloc(1, sizeof(*p)));

	p->machines = machines;
	p->nr = nr;
	if (machines[0].nr_readings)
		put_clocks(p, 0, &machines[0].readings[0], out);
	else
		put_unknown_clocks(p, out);
	put_system(p, &machines[0], out);
	for (unsigned i = 0; i < nr; i++)
		put_recording(p, i, version, out);
	return p;
}

/* A file ends with its last packet. */
static void end_pftrace(void *e, struct buf *out)
{
	(void)e;
	(void)out;
}

static void close_pftrace(void *e)
{
	struct pftrace *p = e;

	for (unsigned i = 0; i < NAMES; i++) {
		intern_reset(&p->interns[i]);
		free(p->news[i].all);
		free(p->news[i].pointers);
	}
	free(p->pool);
	free(p->pointers);
	free(p);
}

const struct encoder encoder_pftrace = {
	.name = "Perfetto's protobuf", .open = open_pftrace, .track = put_track, .slice = put_slice, .instant = put_instant,
	.counter = put_counter, .clocks = put_clocks, .end = end_pftrace, .close = close_pftrace,
};
