// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_context.c - ftrace's five letters from raw context words.
 *
 * The words are built from the kernel's layout of preempt_count (low byte depth,
 * 0x100 serving a softirq, 0x200 bottom halves disabled, 0x10000 hard interrupt,
 * 0x100000 NMI, top bit set while nobody needs the CPU); the letters are those
 * that ftrace prints (6.12, kernel/trace/trace_output.c).
 */
#include "attach/backends.h"
#include "kernel/release.h"
#include "print/event.h"

#include "tap.h"

#define IDLE	0x80000000u		/* nobody needs the CPU */
#define IRQS_ON	0x246u
#define IRQS_OFF 0x046u

static const struct {
	unsigned release;
	bool counts, at_breakpoint;
	uint32_t preempt, eflags, tif;
	uint16_t migrate;
	const char *flags;
	const struct backend *backend;
	bool is_return;
} cases[] = {
	/* the program's own preempt_disable() and migrate_disable() do not show */
	{ RELEASE(6, 12), true, false, IDLE | 1, IRQS_ON, 0, 1, ".....", &backend_kprobe },
	{ RELEASE(6, 12), true, false, IDLE | 2, IRQS_ON, 0, 2, "...11", &backend_kprobe },
	{ RELEASE(6, 12), true, false, IDLE | 1, IRQS_OFF, 0, 1, "d....", &backend_kprobe },
	{ RELEASE(5, 10), true, false, IDLE | 2, IRQS_ON, 0, 0, ".....", &backend_kprobe },
	{ RELEASE(5, 10), false, false, IDLE, IRQS_ON, 0, 0, ".....", &backend_kprobe },
	{ RELEASE(5, 10), false, false, IDLE | 0x101, IRQS_ON, 0, 0, "..s1.", &backend_kprobe },
	/* depths are one hexadecimal digit, capped */
	{ RELEASE(6, 12), true, false, IDLE | 16, IRQS_ON, 0, 11, "...fa", &backend_kprobe },
	{ RELEASE(6, 12), true, false, IDLE | 200, IRQS_ON, 0, 300, "...ff", &backend_kprobe },
	/* interrupts and bottom halves */
	{ RELEASE(6, 12), true, false, IDLE | 0x201, IRQS_ON, 0, 1, "b....", &backend_kprobe },
	{ RELEASE(6, 12), true, false, IDLE | 0x201, IRQS_OFF, 0, 1, "D....", &backend_kprobe },
	{ RELEASE(6, 12), true, false, IDLE | 0x101, IRQS_ON, 0, 1, "..s..", &backend_kprobe },
	{ RELEASE(6, 12), true, false, IDLE | 0x301, IRQS_ON, 0, 1, "b.s..", &backend_kprobe },
	{ RELEASE(6, 12), true, false, IDLE | 0x10001, IRQS_OFF, 0, 1, "d.h..", &backend_kprobe },
	{ RELEASE(6, 12), true, false, IDLE | 0x10101, IRQS_OFF, 0, 1, "d.H..", &backend_kprobe },
	{ RELEASE(6, 12), true, false, IDLE | 0x110001, IRQS_OFF, 0, 1, "d.Z..", &backend_kprobe },
	{ RELEASE(6, 12), true, false, IDLE | 0x100001, IRQS_OFF, 0, 1, "d.z..", &backend_kprobe },
	/* an int3's own exception is subtracted, once, and only if there can be one */
	{ RELEASE(6, 12), true, true, IDLE | 0x110001, IRQS_ON, 0, 1, ".....", &backend_kprobe },
	{ RELEASE(6, 12), true, true, IDLE | 0x120001, IRQS_OFF, 0, 1, "d.h..", &backend_kprobe },
	{ RELEASE(6, 12), true, true, IDLE | 1, IRQS_ON, 0, 1, ".....", &backend_kprobe },
	/* somebody needs the CPU: by the task's flag, by the count's bit, and lazily */
	{ RELEASE(6, 12), true, false, 1, IRQS_ON, 1 << 3, 1, ".N...", &backend_kprobe },
	{ RELEASE(6, 12), true, false, IDLE | 1, IRQS_ON, 1 << 3, 1, ".n...", &backend_kprobe },
	{ RELEASE(6, 12), true, false, 1, IRQS_ON, 0, 1, ".p...", &backend_kprobe },
	{ RELEASE(7, 2), true, false, 1, IRQS_ON, 1 << 4, 1, ".N...", &backend_kprobe },
	{ RELEASE(7, 2), true, false, IDLE | 1, IRQS_ON, 1 << 5, 1, ".l...", &backend_kprobe },
	{ RELEASE(7, 2), true, false, IDLE | 1, IRQS_ON, 3 << 4, 1, ".b...", &backend_kprobe },
	{ RELEASE(7, 2), true, false, 1, IRQS_ON, 1 << 5, 1, ".L...", &backend_kprobe },
	{ RELEASE(7, 2), true, false, 1, IRQS_ON, 3 << 4, 1, ".B...", &backend_kprobe },
	/* in older kernels bit 4 means something else */
	{ RELEASE(6, 12), true, false, IDLE | 1, IRQS_ON, 1 << 4, 1, ".....", &backend_kprobe },
	/* unknown, and printed as such; the interrupt flag is known nevertheless */
	{ RELEASE(6, 12), true, false, BP_PREEMPT_UNKNOWN, IRQS_OFF, 0, 1, "d????", &backend_kprobe },
	/* a trampoline disables migration only, and does not see the interrupt flag (ftrace's X) */
	{ RELEASE(6, 12), true, false, IDLE, BP_EFLAGS_UNKNOWN, 0, 1, "X....", &backend_fentry },
	{ RELEASE(6, 12), true, false, IDLE | 1, BP_EFLAGS_UNKNOWN, 0, 2, "X..11", &backend_fentry },
	{ RELEASE(6, 12), true, false, IDLE | 0x10000, BP_EFLAGS_UNKNOWN, 0, 1, "X.h..", &backend_fentry },
	{ RELEASE(6, 12), true, false, IDLE | 0x200, BP_EFLAGS_UNKNOWN, 0, 1, "b....", &backend_fentry },
	{ RELEASE(6, 12), true, false, BP_PREEMPT_UNKNOWN, BP_EFLAGS_UNKNOWN, 0, 1, "X????", &backend_fentry },
	/* kprobe.multi: ftrace's guard counts once, or twice if a function has several users */
	{ RELEASE(6, 12), true, false, IDLE | 1, IRQS_ON, 0, 1, ".....", &backend_multi },
	{ RELEASE(6, 12), true, false, IDLE | 2, IRQS_ON, 0, 1, "...?.", &backend_multi },
	{ RELEASE(6, 12), true, false, IDLE | 3, IRQS_ON, 0, 1, "...2.", &backend_multi },
	{ RELEASE(6, 12), true, false, IDLE | 2, IRQS_OFF, 0, 1, "d....", &backend_multi, true },
	{ RELEASE(7, 2), true, false, IDLE | 2, BP_EFLAGS_UNKNOWN, 0, 1, "X....", &backend_multi, true },
	/* Entries: one guard until 6.18, two since 6.19 (kernel/trace/fprobe.c); a further one may be there. */
	{ RELEASE(6, 18), true, false, IDLE | 1, BP_EFLAGS_UNKNOWN, 0, 1, "X....", &backend_multi },
	{ RELEASE(6, 18), true, false, IDLE | 5, BP_EFLAGS_UNKNOWN, 0, 1, "X..4.", &backend_multi },
	{ RELEASE(6, 19), true, false, IDLE | 2, BP_EFLAGS_UNKNOWN, 0, 1, "X....", &backend_multi },
	{ RELEASE(6, 19), true, false, IDLE | 6, BP_EFLAGS_UNKNOWN, 0, 1, "X..4.", &backend_multi },
};

/* Four columns in the letters of 3.x (3.18, kernel/trace/trace_output.c, trace_print_lat_fmt()). */
static const struct {
	uint32_t preempt, eflags, tif;
	const char *flags;
	const struct backend *backend;
} cases4[] = {
	{ IDLE | 1, IRQS_ON, 0, "....", &backend_kprobe },
	{ IDLE | 17, IRQS_OFF, 0, "d..f", &backend_kprobe },
	/* bottom halves had no letter */
	{ IDLE | 0x201, IRQS_ON, 0, "....", &backend_kprobe },
	{ IDLE | 0x201, IRQS_OFF, 0, "d...", &backend_kprobe },
	/* an NMI had no letter either; it counts as a hard interrupt */
	{ IDLE | 0x110001, IRQS_OFF, 0, "d.h.", &backend_kprobe },
	{ IDLE | 0x100101, IRQS_OFF, 0, "d.H.", &backend_kprobe },
	{ IDLE | 0x10101, IRQS_OFF, 0, "d.H.", &backend_kprobe },
	{ IDLE | 0x101, IRQS_ON, 0, "..s.", &backend_kprobe },
	/* N was the task's flag; a folded request alone came with 3.13 */
	{ 1, IRQS_ON, 1 << 3, ".N..", &backend_kprobe },
	{ IDLE | 1, IRQS_ON, 1 << 3, ".N..", &backend_kprobe },
	{ 1, IRQS_ON, 0, "....", &backend_kprobe },
	/* if the flags are not known, only the interrupts have an X */
	{ IDLE, BP_EFLAGS_UNKNOWN, 0, "X...", &backend_fentry },
	{ BP_PREEMPT_UNKNOWN, IRQS_OFF, 0, "d...", &backend_kprobe },
	{ BP_PREEMPT_UNKNOWN, BP_EFLAGS_UNKNOWN, 0, "X...", &backend_fentry },
	{ IDLE | 2, IRQS_ON, 0, "....", &backend_multi },
};

static void test_four(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases4); i++) {
		struct context_rules rules;
		struct bp_rec rec = {
			.preempt = cases4[i].preempt, .eflags = cases4[i].eflags, .tif = cases4[i].tif, .migrate = 1,
		};
		struct layout layout = { .backend = cases4[i].backend };
		char flags[4];

		context_rules_init(&rules, RELEASE(6, 12), true);
		context_flags4(&rules, &rec, &layout, flags);
		CHECK(!memcmp(flags, cases4[i].flags, 4), "four columns of %#x: '%.4s', expected %s", cases4[i].preempt,
		      flags, cases4[i].flags);
	}
}

int main(void)
{
	test_four();
	for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
		struct bp_rec rec = {
			.preempt = cases[i].preempt, .eflags = cases[i].eflags,
			.tif = cases[i].tif, .migrate = cases[i].migrate,
		};
		struct layout layout = {
			.backend = cases[i].backend, .is_return = cases[i].is_return,
			.at_breakpoint = cases[i].at_breakpoint,
		};
		struct context_rules rules;
		char flags[6] = "";

		context_rules_init(&rules, cases[i].release, cases[i].counts);
		context_flags(&rules, &rec, &layout, flags);
		CHECK(!strcmp(flags, cases[i].flags), "%x %x %x %x: %s, got %s", cases[i].release,
		      cases[i].preempt, cases[i].eflags, cases[i].tif, cases[i].flags, flags);
	}
	return tap_done();
}
