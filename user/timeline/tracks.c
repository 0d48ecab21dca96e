// SPDX-License-Identifier: GPL-2.0-only
/*
 * tracks.c - tracks, which are described before their first event.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "timeline/timeline_priv.h"

static void tell_machine(struct timeline *tl, unsigned machine)
{
	const char *host = tl->machines[machine].host;
	struct track track = { .kind = TRACK_MACHINE, .machine = machine };
	struct details name = { 0 };

	if (tl->told_machines[machine])
		return;
	tl->told_machines[machine] = true;
	details_copy(&name, *host ? host : "machine", strlen(*host ? host : "machine"));
	track.name = details_at(&name, 0);
	tl->encoder->track(tl->e, &track, tl->out);
	details_fini(&name);
}

/* A track of the machine as a whole. */
void tell_track(struct timeline *tl, const struct track *track, const char *name)
{
	struct track named = *track;
	struct details text = { 0 };

	tell_machine(tl, track->machine);
	details_copy(&text, name, strlen(name));
	named.name = details_at(&text, 0);
	tl->encoder->track(tl->e, &named, tl->out);
	details_fini(&text);
}

static void tell_named(struct timeline *tl, enum track_kind kind, unsigned machine, uint32_t number, uint32_t pid, const char *comm)
{
	struct track track = { .kind = kind, .machine = machine, .number = number, .pid = pid };
	struct details text = { 0 };

	details_copy(&text, comm, strnlen(comm, BP_COMM_LEN));
	track.name = details_at(&text, 0);
	tl->encoder->track(tl->e, &track, tl->out);
	details_fini(&text);
}

/* Idle tasks have the number 0 on all CPUs. */
static uint64_t key_of(unsigned machine, uint32_t tid, unsigned cpu)
{
	return (uint64_t)machine << 40 | (tid ? tid : 1ull << 32 | cpu);
}

/* The process has the name of its first thread; as long as that has had no event, that of the thread which had one. */
static void tell_process(struct timeline *tl, unsigned machine, uint32_t pid, const char *comm)
{
	bool new;
	struct thread *first = threads_get(&tl->threads, key_of(machine, pid, 0), &new);

	if (first->as_process)
		return;
	first->as_process = true;
	first->pid = pid;
	tell_named(tl, TRACK_PROCESS, machine, pid, pid, comm);
}

struct track track_of(unsigned machine, const struct thread *t)
{
	bool idle = t->key >> 32 & 1;

	return (struct track){ .kind = idle ? TRACK_IDLE : TRACK_THREAD, .machine = machine, .number = (uint32_t)t->key, .pid = t->pid };
}

/* A number can be given to another task. What the one before has entered does not return. */
struct thread *thread_of(struct timeline *tl, unsigned machine, const struct bp_rec *rec)
{
	uint32_t tid = (uint32_t)rec->common_pid;
	struct thread *t;
	struct track track;
	bool new;

	if (tid && rec->tgid && rec->tgid != tid)
		tell_process(tl, machine, rec->tgid, rec->comm);
	t = threads_get(&tl->threads, key_of(machine, tid, rec->cpu), &new);
	if (t->told && t->pid != rec->tgid) {
		forget_calls(tl, t, 0, t->nr, "its thread ended before it returned", &tl->counts.no_return);
		t->told = t->as_process = false;
		t->nr_over = 0;
	}
	if (t->told && !memcmp(t->comm, rec->comm, BP_COMM_LEN))
		return t;
	t->pid = rec->tgid;
	memcpy(t->comm, rec->comm, BP_COMM_LEN);
	track = track_of(machine, t);
	if (tid && rec->tgid == tid) {
		tell_named(tl, TRACK_PROCESS, machine, tid, tid, t->comm);
		t->as_process = true;
	}
	if (!tid)
		tell_machine(tl, machine);
	tell_named(tl, track.kind, machine, track.number, track.pid, t->comm);
	t->told = true;
	return t;
}

void tell_cpu(struct timeline *tl, unsigned machine, unsigned cpu)
{
	struct track track = { .kind = TRACK_CPU, .machine = machine, .number = cpu };
	unsigned bit = machine * (UINT16_MAX + 1u) + cpu;
	char name[16];

	while (tl->nr_told_cpus <= bit / 64) {
		unsigned old = tl->nr_told_cpus;

		tl->nr_told_cpus = MAX(2 * old, 16);
		tl->told_cpus = must(realloc(tl->told_cpus, tl->nr_told_cpus * sizeof(*tl->told_cpus)));
		memset(tl->told_cpus + old, 0, (tl->nr_told_cpus - old) * sizeof(*tl->told_cpus));
	}
	if (tl->told_cpus[bit / 64] >> bit % 64 & 1)
		return;
	tl->told_cpus[bit / 64] |= 1ull << bit % 64;
	snprintf(name, sizeof(name), "CPU %u", cpu);
	tell_track(tl, &track, name);
}
