// SPDX-License-Identifier: GPL-2.0-only
/*
 * machine.c - all sources of facts about the kernel that a run needs, opened once.
 */
#include "set/machine.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "arch/kernel.h"
#include "elf/programs.h"
#include "kernel/btf/kbtf.h"
#include "kernel/caps.h"
#include "kernel/disabled.h"
#include "kernel/events/kevents.h"
#include "kernel/events/ktracepoints.h"
#include "kernel/mem/kmem.h"
#include "kernel/syms/ksyms.h"
#include "kernel/text/ktext.h"
#include "plan/asked.h"
#include "plan/debug_files.h"
#include "run/cpus.h"
#include "set/uprobe_trial.h"

/* May programs be loaded to ask what this kernel can do? Not if it is about another kernel, and not without privilege. */
static bool may_ask(const struct set_host *host, const struct set_opts *opts)
{
	return !opts->machine.kallsyms && (host->attaches || (host->explains && caps_may_trace(caps_effective())));
}

/*
 * Opens the kernel's memory, if the symbols are those of the running kernel. Without it nothing is checked in advance; this
 * is no error, and it is reported where it matters. Only a verb that traces may load a program to read memory.
 */
static int open_memory(struct machine *m, const struct set_host *host, const struct set_opts *opts, struct arena *arena, struct diag *diag)
{
	enum kmem_source source = host->attaches ? KMEM_ANY : KMEM_KCORE;
	struct diag why = { 0 };
	int err = 0;

	if (opts->machine.kcore)
		err = kmem_open(opts->machine.kcore, source, &m->mem, diag);
	else if (opts->machine.kallsyms)
		m->mem_missing = "--kallsyms names another kernel, and there is no --kcore of that kernel";
	else if (ksyms_hidden(m->ks))
		m->mem_missing = "the kernel hides its addresses (kernel.kptr_restrict)";
	else if (kmem_open(NULL, source, &m->mem, &why))
		m->mem_missing = arena_strdup(arena, buf_str(&why.msg));
	/* No probe could run. Verbs that attach none (--explain, --functions) continue as far as possible. */
	if (!err && !m->mem && source == KMEM_ANY && disabled_by_lockdown())
		err = disabled_explain_lockdown(diag);
	diag_fini(&why);
	return err;
}

/* The process whose libraries are meant; 0: none. */
static unsigned first_pid(const struct set_opts *opts)
{
	const struct tasks_condition *pids = &opts->tasks.conditions[TASKS_PID][0];

	return pids->nr ? pids->numbers[0] : 0;
}

/* Whom events that stay trace, can be changed later. */
static unsigned only_pid(const struct set_host *host, const struct set_opts *opts)
{
	return host->stays || opts->tasks.conditions[TASKS_PID][0].nr != 1 ? 0 : first_pid(opts);
}

int machine_open(struct machine *m, const struct set_host *host, const struct set_opts *opts, struct arena *arena, struct diag *diag)
{
	int err;

	if (kernel_refusal)
		return diag_set(diag, -EOPNOTSUPP, "%s", kernel_refusal);
	if (opts->machine.vmlinux && access(opts->machine.vmlinux, R_OK))
		return diag_set(diag, -errno, "cannot read %s: %s", opts->machine.vmlinux, strerror(errno));
	err = ksyms_load(opts->machine.kallsyms, &m->ks, diag);

	m->btf = kbtf_open(opts->machine.btf);
	if (!err && !opts->machine.kallsyms && !opts->machine.btf)
		ksyms_use_types(m->ks, m->btf);
	if (err && (opts->machine.kallsyms || !host->explains))
		return err;
	if (!err)
		err = open_memory(m, host, opts, arena, diag);
	else			/* --explain continues as far as possible */
		err = 0;
	if (m->mem && !ksyms_hidden(m->ks))
		m->text = ktext_open(m->ks, m->btf, m->mem);
	m->events = kevents_new(KEVENTS_ANY, opts->machine.kallsyms ? "" : NULL, m->ks, m->btf, m->mem);
	m->tracepoints = ktracepoints_new(m->ks, m->btf);
	m->programs = programs_new(first_pid(opts));
	m->debug_files = debug_files_new(opts->machine.vmlinux, opts->machine.kallsyms || opts->machine.btf);
	m->asked = asked_new();
	features_init(&m->features, m->btf, m->ks, may_ask(host, opts));
	m->features.try_uprobe = host->attaches && may_ask(host, opts) ? uprobe_try : NULL;
	return err;
}

void machine_close(struct machine *m)
{
	kevents_close(m->events);
	ktracepoints_close(m->tracepoints);
	programs_close(m->programs);
	asked_close(m->asked);
	debug_files_close(m->debug_files);
	ksyscall_names_fini(&m->calls);
	ktext_close(m->text);
	kmem_close(m->mem);
	kbtf_close(m->btf);
	ksyms_close(m->ks);
	*m = (struct machine){ 0 };
}

struct facts machine_facts(struct machine *m, const struct set_host *host, const struct set_opts *opts)
{
	return (struct facts){ .ks = m->ks, .btf = m->btf, .mem = m->mem, .text = m->text, .events = m->events, .tracepoints = m->tracepoints,
			       .programs = m->programs, .debug_files = m->debug_files, .asked = m->asked, .calls = &m->calls,
			       .features = &m->features, .attach = opts->attach, .single = opts->single, .limit = &opts->limit,
			       .nr_cpus = opts->machine.kallsyms ? 0 : cpus_possible(),
			       .only_pid = only_pid(host, opts),
			       .explains = host->explains,
			       .no_inline = opts->no_inline, .inline_chain = opts->inline_chain, .source = opts->machine.source,
			       .faithful = opts->faithful, .enum_names = opts->enum_names, .alias = opts->alias };
}
