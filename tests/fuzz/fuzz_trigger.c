// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_trigger.c - any bytes into the trigger parser (see fuzz.h). What is accepted must print to something that is accepted and prints
 * alike, except a sort modifier, which the kernel prints and refuses. Links only base/ and lang/.
 */
#include "base/macros.h"

static const char fuzz_name[] = "fuzz_trigger";
static const char *const fuzz_seeds[] = {
	"hist:keys=fd,off.log2:vals=len.hex:sort=len.descending,fd:size=4096:name=n:nohitcount if fd > 2",
	"!hist:keys=$p,common_stacktrace:p=common_pid,t=common_timestamp.usecs-$t0:v=-(a+b)*2:clock=boot",
	"hist:keys=a.buckets=100,b.sym-offset:onmatch(g.e).trace(n,$v,ab):onmax($v).save(ab,cd):onchange(g.e.$w).snapshot()",
	"stacktrace:5 if len == 0",
	"disable_event:kprobes:e:1 if COMM == \"tw-b\"",
};

static const char *const fuzz_words[] = {
	"hist", "stacktrace", "snapshot", "traceon", "traceoff", "enable_event", "disable_hist", ":", "!", "keys=", "vals=", "sort=", "size=",
	"name=", "clock=", "nohitcount", "pause", "cont", "clear", "hitcount", ",", "=", ".", "$", "$v", "g.e.$v", "v=", "+", "-", "*", "/",
	"-(", "(", ")", "a", "common_pid", "common_timestamp", "common_stacktrace", "cpu", ".hex", ".sym", ".sym-offset", ".execname", ".syscall",
	".log2", ".buckets=10", ".usecs", ".percent", ".graph", ".stacktrace", ".descending", "onmatch(g.e)", "onmax($v)", "onchange($v)",
	".trace(n,$v)", ".save(ab)", ".snapshot()", " if ", "fd == 1", "5", "0x10", "131072", "18446744073709551616", "\"", "\x80", "\n", "\t",
};

#include "fuzz.h"
#include "lang/filter.h"
#include "lang/trigger.h"

static void check_text(const char *text)
{
	struct trigger *t = NULL, *again = NULL;
	struct buf printed = { 0 }, twice = { 0 };
	struct arena arena = { 0 };
	struct diag d = { 0 };

	if (trigger_parse(&arena, text, &t, &d)) {
		require(!t, "refused, but not quite", text);
		check_refusal(&d, text);
	} else {
		check_span(t->at, text);
		trigger_uses_field(t, "fd");
		trigger_is_for_field(t, "fd");
		require(!t->hist || hist_is_for_programs(t->hist) || !t->hist->nr_vars, "variables that no program needs", text);
		trigger_print(t, &printed);
		/* What is listed has more words than what was typed. */
		if (printed.len <= FILTER_MAX_TEXT && !trigger_parse(&arena, buf_str(&printed), &again, &d)) {
			trigger_print(again, &twice);
			require(!strcmp(buf_str(&printed), buf_str(&twice)), "printed differently again", text);
		} else if (printed.len <= FILTER_MAX_TEXT) {
			require(strstr(buf_str(&d.msg), "is no order") || strstr(buf_str(&d.msg), "neither a key nor a value"),
				"printed as what is refused", text);
		}
	}
	buf_fini(&printed);
	buf_fini(&twice);
	diag_fini(&d);
	arena_fini(&arena);
}
