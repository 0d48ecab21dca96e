// SPDX-License-Identifier: GPL-2.0-only
/*
 * doctor_events.c - checks where tracepoints and events can be looked up: doctor_bpf.c asks whether
 * programs can be attached to them.
 */
#include "cli/doctor_checks.h"
#include "kernel/btf/kbtf.h"
#include "kernel/events/kevents.h"
#include "kernel/events/ktracepoints.h"
#include "kernel/mem/kmem.h"

static bool count(void *ctx, const char *name, const char *module)
{
	(void)name;
	(void)module;
	(*(unsigned *)ctx)++;
	return true;
}

static bool count_event(void *ctx, const char *group, const char *name)
{
	return count(ctx, group, name);
}

static void check_tracepoints(struct doctor *d, struct kbtf *btf)
{
	struct ktracepoints *all = ktracepoints_new(d->ks, btf);
	unsigned nr = 0;

	if (all && !ktracepoints_each(all, count, &nr) && nr)
		say(d, LEVEL_OK, "tracepoints", "%u in /proc/kallsyms, their arguments %s", nr, kbtf_raw(btf) ? "by BTF" : "unknown without BTF");
	else if (d->ks)
		say(d, LEVEL_WARN, "tracepoints", "none (CONFIG_TRACEPOINTS): definitions with t and e cannot work, all others can");
	else
		say(d, LEVEL_WARN, "tracepoints", "they cannot be found without /proc/kallsyms: definitions with t cannot work");
	ktracepoints_close(all);
}

/* How many events @source shows; 0: it cannot be read. */
static unsigned count_events(const struct doctor *d, enum kevents_source source, struct kbtf *btf, struct kmem *mem)
{
	struct kevents *all = kevents_new(source, NULL, d->ks, btf, mem);
	unsigned nr = 0;

	if (all && kevents_each(all, count_event, &nr))
		nr = 0;
	kevents_close(all);
	return nr;
}

/* The kernel's memory has the same lists. It is read only if tracefs cannot be, as when probes are defined. */
static unsigned count_in_memory(const struct doctor *d, struct kbtf *btf)
{
	struct diag why = { 0 };
	struct kmem *mem = NULL;
	unsigned nr = 0;

	if (d->ks && !ksyms_hidden(d->ks) && !kmem_open(NULL, d->may_trace ? KMEM_ANY : KMEM_KCORE, &mem, &why))
		nr = count_events(d, KEVENTS_MEMORY, btf, mem);
	kmem_close(mem);
	diag_fini(&why);
	return nr;
}

static void check_fields(struct doctor *d, struct kbtf *btf)
{
	unsigned nr = count_events(d, KEVENTS_TRACEFS, btf, NULL), in_memory = nr ? 0 : count_in_memory(d, btf);

	if (nr)
		say(d, LEVEL_OK, "events", "%u in tracefs, with their fields", nr);
	else if (in_memory)
		say(d, LEVEL_OK, "events", "%u in the kernel's memory, with their fields: tracefs cannot be read, and is not needed", in_memory);
	else if (!d->may_trace)
		say(d, LEVEL_UNKNOWN, "events", "neither tracefs nor the kernel's memory can be read: cannot tell without root");
	else
		say(d, LEVEL_WARN, "events", "neither tracefs nor the kernel's memory shows them: definitions with e cannot work, all others "
		    "can: mount -t tracefs tracefs /sys/kernel/tracing");
}

void doctor_check_events(struct doctor *d)
{
	struct kbtf *btf = kbtf_open(NULL);

	check_tracepoints(d, btf);
	check_fields(d, btf);
	kbtf_close(btf);
}
