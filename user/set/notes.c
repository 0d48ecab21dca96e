// SPDX-License-Identifier: GPL-2.0-only
/*
 * notes.c - what the user should know about accepted definitions.
 */
#include "set/notes.h"

#include <inttypes.h>

#include "arch/kernel.h"
#include "arch/user.h"
#include "elf/library.h"
#include "kernel/ksyscall.h"
#include "kernel/mem/kmem.h"
#include "kernel/rename.h"
#include "lang/dialect.h"
#include "lang/kind.h"
#include "lang/place.h"
#include "set/set.h"
#include "set/translate_notes.h"

/*
 * Documents from the time of 32-bit kernels fetch a function's arguments from the register of return values, and others. Now it may
 * hold no argument at a function's entry.
 */
static bool looks_32_bit(const struct probe_def *def)
{
	if (def->kind != DEF_ENTRY || !def_reaches_args(def) || reg_param_of(REG_RETURN) >= 0)
		return false;
	for (unsigned i = 0; i < def->nr_args; i++) {
		const struct expr *e = expr_innermost(def->args[i].expr);

		if (e->kind == EXPR_REG && e->reg == REG_RETURN)
			return true;
	}
	return false;
}

/* Values that definitions of 2009's dialects fetch without any check of their type. */
static void note_values(const struct probe_def *def, const struct plan *plan, FILE *out)
{
	if (plan->no_value)
		fprintf(out, "bprobe: %s: %s returns nothing (void): rv is whatever %s holds\n", def->event,
			plan->def->place.symbol, REG_NAME_RETURN);
	if (plan->no_trampoline)
		fprintf(out, "bprobe: %s: --faithful needs the address of the return probes' trampoline, which %s\n",
			def->event, plan->no_trampoline);
}

/* What differs from the typed text: another dialect, or another function's name. */
static void note_reading(const struct probe_def *def, const struct plan *plan, FILE *out)
{
	const struct target *t = &plan->target;
	const struct rename *renamed = t->renamed;

	if (def->detected)
		fprintf(out, "bprobe: %s: read as --dialect=%s\n", def->event, dialect_name(def->dialect));
	if (def->place.before)
		fprintf(out, "bprobe: %s: %s-%" PRIu64 " is %s%s0x%" PRIx64 "\n", def->event, def->place.symbol,
			def->place.off, t->symbol ? t->symbol : "", t->symbol ? "+" : "", t->symbol ? t->off : t->addr);
	if (renamed)
		fprintf(out, "bprobe: %s: %s is %s since Linux %s: %s\n", def->event, renamed->was, renamed->now,
			renamed->since, renamed->note);
}

/* Which functions are probed for one system call, or for a pattern of system calls; and which are not. */
static void note_syscall(const struct set *s, const struct probe *p, FILE *out)
{
	static const char *const wrappers_32[] = { SYSCALL_WRAPPERS_32 };
	const struct target *t = &p->plan->target;
	struct arena arena = { 0 };
	const char *event = p->def->event, *call = p->family.def ? "read" : ksyscall_run_by(t->symbol);	/* each kernel has read */
	const char *other = s->machine.ks && call ? ksyscall_function_32(&arena, s->machine.ks, call) : NULL;

	if (p->family.def)
		fprintf(out, "bprobe: %s: system calls are the functions " SYSCALL_WRAPPER "* in this kernel", event);
	else
		fprintf(out, "bprobe: %s: %s is %s in this kernel", event, t->syscall, t->symbol);
	for (size_t i = 0; other && p->family.def && i < ARRAY_SIZE(wrappers_32); i++)
		fprintf(out, "%s%s*", i ? " and " : "; those of 32-bit programs are ", wrappers_32[i]);
	if (other && !p->family.def)
		fprintf(out, "; 32-bit programs call %s", other);
	fputc('\n', out);
	arena_fini(&arena);
	if (translate_notes_fetches_registers(p->def))
		fprintf(out, "bprobe: %s: registers are those of %s, whose %s points to the caller's registers; $arg1 to $arg%d "
			"and names mean the system call's parameters\n", event, p->family.def ? "these functions" : t->symbol, REG_NAME_FIRST,
			SYSCALL_PARAMS);
}

/* A function with the name of a system call that no program reaches. */
static void note_uncalled(const struct set *s, const struct probe *p, FILE *out)
{
	const struct target *t = &p->plan->target;
	struct arena arena = { 0 };
	const char *run = p->family.def || !t->symbol || !s->machine.ks ? NULL : ksyscall_run_instead_of(&arena, s->machine.ks, t->symbol);

	if (run)
		fprintf(out, "bprobe: %s: no program calls %s: those of 32 bits call %s\n", p->def->event, t->symbol, run);
	arena_fini(&arena);
}

/* @told: another place of the same event had this note. What is not known of one place is not known of the others. */
static void note_doubt(const struct set *s, const struct probe_def *def, const struct target *t, bool told, FILE *out)
{
	const char *doubt = t->doubt;

	/* A function's first byte always begins an instruction. */
	if (!doubt && !told && !s->machine.text && t->addr != t->func)
		doubt = s->machine.mem_missing;
	if (doubt)
		fprintf(out, "bprobe: %s: cannot check that an instruction begins there (%s); the kernel decides\n",
			def->event, doubt);
}

/* Processes that start later have the new file. */
static void note_replaced(const struct probe_def *def, const struct target *t, FILE *out)
{
	if (t->replaced)
		fprintf(out, "bprobe: %s: the file was replaced or removed while the process runs: the process's own one is traced, %s\n",
			def->event, t->site_name);
}

/* See resolve_user.c, avoid_nop(). */
static void note_nop(const struct probe_def *def, const struct target *t, FILE *out)
{
	if (t->behind_nop)
		fprintf(out, "bprobe: %s: the probe is at the instruction behind the nop, %s+0x%" PRIx64 ": on this kernel one on the nop itself "
			"would damage the program\n", def->event, t->site_func ? t->site_func : "the function", t->site_off);
}

/* The kernel has put its own return address into the stack (6.12, kernel/events/uprobes.c): an exception finds no way behind it. */
static void note_exceptions(const struct probe_def *def, const struct target *t, FILE *out)
{
	if (t->throws)
		fprintf(out, "bprobe: %s: warning: an exception that leaves %s while it is traced ends the program\n", def->event,
			t->site_func ? t->site_func : "the function");
}

/*
 * Kprobes may be switched off as a whole (debugfs, kprobes/enabled; 6.12, kernel/kprobes.c, kprobes_all_disarmed). Then they
 * can be attached, but they never hit. Trampolines are not affected.
 */
static void note_disarmed(const struct set *s, FILE *out)
{
	uint64_t at = s->machine.mem ? ksyms_address(s->machine.ks, "kprobes_all_disarmed") : 0;
	unsigned nr = 0;
	uint8_t disarmed;

	for (unsigned i = 0; i < s->nr_probes; i++)
		nr += s->probes[i].state == PROBE_ACTIVE && s->probes[i].plan->layout.backend->is_kprobe;
	if (nr && at && !kmem_read(s->machine.mem, at, &disarmed, sizeof(disarmed)) && disarmed)
		fprintf(out, "bprobe: warning: kprobes are switched off, so %u of %u probes do not fire; to switch them on: echo 1 "
			"> /sys/kernel/debug/kprobes/enabled\n", nr, s->nr_active);
}

static bool has_function(const struct ksyms *ks, const char *name)
{
	const struct ksym *const *syms;
	size_t n = ks ? ksyms_find(ks, name, "vmlinux", &syms) : 0;

	return n && ksym_is_function(syms[0]);
}

/* The program or library that other tracers would find by this name; NULL: none. It lives in @arena. */
static const char *program_called(struct arena *arena, const char *name)
{
	struct library_places places = library_places_here();
	struct diag ignored = { 0 };
	const char *path = NULL;

	if (!*name || library_find(arena, &places, name, &path, &ignored))
		path = NULL;
	diag_fini(&ignored);
	return path;
}

/* A module may come later. But the text before ':' may mean something else; then no such module ever comes. */
static void note_waiting(const struct set *s, const struct probe_def *def, FILE *out)
{
	const char *module = def->place.module, *symbol = def->place.symbol, *path;
	struct arena arena = { 0 };

	fprintf(out, "bprobe: %s: module %s is not loaded: the probe waits for it", def->event, module);
	/* The function that calls a tracepoint's probes (5.10 and newer, include/linux/tracepoint.h). */
	if (has_function(s->machine.ks, arena_printf(&arena, "__traceiter_%s", symbol)))
		fprintf(out, " (%s is a tracepoint of the kernel: t %s, or e %s.%s)", symbol, symbol, module, symbol);
	else if (has_function(s->machine.ks, symbol))
		fprintf(out, " (the kernel itself has a function %s)", symbol);
	else if (has_function(s->machine.ks, module))
		fprintf(out, " (%s is a function of the kernel: a place in it is %s+BYTES)", module, module);
	else if ((path = program_called(&arena, module)))
		fprintf(out, " (a function of the program %s is written %s:%s)", module, path, symbol);
	fputc('\n', out);
	arena_fini(&arena);
}

static const char *what_matches(const struct probe_def *pattern)
{
	switch (pattern->probe) {
	case PROBE_TRACEPOINT:
		return "tracepoint";
	case PROBE_EVENT:
		return "event";
	default:
		return pattern->place.provider ? "place" : "function";
	}
}

/* Where the code of a line, or of an inlined function, is. */
static void note_source(const struct probe *p, unsigned nr_probes, FILE *out)
{
	enum { SHOWN = 6 };
	struct buf text = { 0 };
	unsigned nr = 0;

	while (nr < nr_probes && p[nr].family.def == p->family.def)
		nr++;
	place_source_print(&p->family.def->place, &text);
	buf_addf(&text, ": %u place%s", nr, nr == 1 ? "" : "s");
	if (p->family.nr_files > 1)
		buf_addf(&text, " in %u files", p->family.nr_files);
	if (p->family.left_out)
		buf_addf(&text, " of %u; %u left out%s", nr + p->family.left_out, p->family.left_out, p->family.why_left_out ? "" :
			 ", where an argument cannot be fetched, or no probe can be");
	for (unsigned i = 0; i < nr && i < SHOWN; i++) {
		const struct place *place = &p[i].def->place;

		buf_adds(&text, i ? ", " : ": ");
		if (p[i].plan && p[i].plan->target.symbol && !place->path)
			buf_addf(&text, "%s+0x%" PRIx64, p[i].plan->target.symbol, p[i].plan->target.off);
		else if (p[i].plan && p[i].plan->target.site_func)
			buf_addf(&text, "%s+0x%" PRIx64, p[i].plan->target.site_func, p[i].plan->target.site_off);
		else
			kind_of(p[i].def->probe)->print(place, &text);
	}
	fprintf(out, "bprobe: %s: %s%s\n", p->def->event, buf_str(&text), nr > SHOWN ? ", …" : "");
	buf_fini(&text);
	if (p->family.left_out && p->family.why_left_out)
		fprintf(out, "bprobe: %s: %s left out: %s\n", p->def->event, p->family.left_out == 1 ? "why it is" : "why one of them is", p->family.why_left_out);
	if (p->family.nr_repeated)
		fprintf(out, "bprobe: %s: a call may hit more than one of these places: %u are in the same copy of the function as another one\n",
			p->def->event, p->family.nr_repeated);
	if (p->family.nr_files > 1)
		fprintf(out, "bprobe: %s: the files: ", p->def->event);
	for (unsigned i = 0; p->family.nr_files > 1 && i < p->family.nr_files && i < SHOWN; i++)
		fprintf(out, "%s%s%s", i ? ", " : "", p->family.files[i], i + 1 == p->family.nr_files ? "\n" : i + 1 == SHOWN ? ", …\n" : "");
}

/* A function and its copies. */
static void note_copies(const struct probe *p, unsigned nr, FILE *out)
{
	const char *event = p->def->event;

	fprintf(out, "bprobe: %s: %s is %u function%s:", event, p->family.def->place.symbol, nr, nr == 1 ? "" : "s");
	for (unsigned i = 0; i < nr; i++)
		fprintf(out, "%s %s", i ? "," : "", p[i].def->place.symbol);
	fputc('\n', out);
	if (p->family.why_left_out)
		fprintf(out, "bprobe: %s: not probed: %s\n", event, p->family.why_left_out);
}

/* How many functions match the pattern of @p, its first probe. @nr_probes: how many there are from @p on. */
static void note_pattern(const struct probe *p, unsigned nr_probes, bool verbose, FILE *out)
{
	const char *what = what_matches(p->family.def);
	unsigned nr = 0, all;

	if (p->family.def->place.in_source) {
		note_source(p, nr_probes, out);
		return;
	}
	for (unsigned i = 0; i < nr_probes && p[i].family.def == p->family.def; i++)
		nr += p[i].family.nr ? p[i].family.nr_functions : 0;
	if (!p->family.def->place.pattern && p->family.def->probe != PROBE_UPROBE) {
		note_copies(p, nr, out);
		return;
	}
	all = nr + p->family.left_out;
	fprintf(out, "bprobe: %s: %s: %u ", p->def->event, p->family.def->place.symbol, nr);
	if (p->family.left_out)
		fprintf(out, "of %u %ss; %u cannot be probed this way%s%s\n", all, what, p->family.left_out, p->family.why_left_out ? ", most of them: " : "",
			p->family.why_left_out ? p->family.why_left_out : "");
	else
		fprintf(out, "%s%s\n", what, nr == 1 ? "" : "s");
	for (const char *at = verbose ? p->family.all_left_out : NULL; at && *at; at += strcspn(at, "\n") + (at[strcspn(at, "\n")] == '\n'))
		fprintf(out, "bprobe: %s: not probed: %.*s\n", p->def->event, (int)strcspn(at, "\n"), at);
}

void note_fallback(const struct probe_def *def, const struct plan *plan, FILE *out)
{
	fprintf(out, "bprobe: %s: uses a %s, which costs more: %s\n", def->event, backend_hook(plan), plan->why_dearer);
}

/* Are both places inside functions, and of one definition? */
static bool is_next_place(const struct probe *before, const struct probe *p)
{
	return p->family.def && before->family.def == p->family.def && before->plan && before->plan->target.addr != before->plan->target.func;
}

void notes_print(const struct set *s, FILE *out)
{
	bool warned = false;

	note_disarmed(s, out);

	for (unsigned i = 0; i < s->nr_probes; i++) {
		const struct probe *p = &s->probes[i];

		bool told = probe_follows(p);

		if (p->def->maxactive && !told)
			fprintf(out, "bprobe: %s: MAXACTIVE %u has no effect: the kernel takes no such number for perf-event "
				"return probes\n", p->def->event, p->def->maxactive);
		if (p->replaced && !told)
			fprintf(out, "bprobe: %s: replaces '%s', as v13's definitions do\n", p->def->event,
				p->replaced->text);
		if (!p->plan) {
			note_waiting(s, p->def, out);
			continue;
		}
		if (p->family.nr && (!i || s->probes[i - 1].family.def != p->family.def))
			note_pattern(p, s->nr_probes - i, s->opts->verbose, out);
		if (p->why_not_inlined)
			fprintf(out, "bprobe: %s: %s may be inlined somewhere, too, which is not traced: %s\n", p->def->event,
				p->def->place.symbol, p->why_not_inlined);
		if (p->copies_left_out)
			fprintf(out, "bprobe: %s: not probed: %s\n", p->def->event, p->copies_left_out);
		if (p->plan->fell_back && !told)
			note_fallback(p->def, p->plan, out);
		note_reading(p->def, p->plan, out);
		note_values(p->def, p->plan, out);
		note_uncalled(s, p, out);
		note_doubt(s, p->def, &p->plan->target, i && is_next_place(&s->probes[i - 1], p), out);
		if (!p->family.def || !told) {
			note_exceptions(p->def, &p->plan->target, out);
			note_replaced(p->def, &p->plan->target, out);
			note_nop(p->def, &p->plan->target, out);
		}
		if (p->family.def ? p->family.nr_calls && !told : p->plan->target.syscall != NULL) {
			note_syscall(s, p, out);
		} else if (!warned && !p->plan->target.is_go && looks_32_bit(p->def)) {
			fprintf(out, "bprobe: %s: %s holds no argument at a function's entry on %s; "
				"the arguments are in %s\n", p->def->event, REG_NAME_RETURN, user_machine_name, REG_PARAMS_NAMES);
			warned = true;
		}
	}
}
