// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_trigger.c - triggers: text, messages, and what 6.12 made of the corpus.
 *
 *	test_trigger DIR/kernel.tsv
 *
 * hist.tsv is in the same directory. If 6.12's verdict on a trigger follows from its text alone, trigger_parse() must give the same
 * one, and must list what it accepts as the kernel's trigger file does.
 */
#include <errno.h>
#include <libgen.h>

#include "base/cleanup.h"
#include "lang/trigger.h"
#include "tap.h"

/* ---- texts ---- */

#define NAME15 "abcdefghijklmno"
#define NAME255 NAME15 NAME15 NAME15 NAME15 NAME15 NAME15 NAME15 NAME15 NAME15 NAME15 NAME15 NAME15 NAME15 NAME15 NAME15 NAME15 NAME15

static const struct {
	const char *text;
	const char *printed;		/* NULL: refused */
	const char *message;		/* a part of it */
	unsigned off, len;		/* the caret */
} texts[] = {
	{ "hist:keys=fd", "hist:keys=fd:vals=hitcount:sort=hitcount:size=2048", NULL, 0, 0 },
	{ "  hist:key=fd  ", "hist:keys=fd:vals=hitcount:sort=hitcount:size=2048", NULL, 0, 0 },
	{ "!hist:keys=fd", "hist:keys=fd:vals=hitcount:sort=hitcount:size=2048", NULL, 0, 0 },
	{ "hist:keys=cpu,stacktrace", "hist:keys=common_cpu,common_stacktrace:vals=hitcount:sort=hitcount:size=2048", NULL, 0, 0 },
	{ "hist:keys=a.sym-offset:vals=b.hex,hitcount", "hist:keys=a.sym-offset:vals=hitcount,b.hex:sort=hitcount:size=2048", NULL, 0, 0 },
	{ "hist:keys=a.bucket=0x10", "hist:keys=a.buckets=16:vals=hitcount:sort=hitcount:size=2048", NULL, 0, 0 },
	/* Operators: from left to right, * and / first. */
	{ "hist:keys=a:v=a-b-c", "hist:keys=a:vals=hitcount:v=a-b-c:sort=hitcount:size=2048", NULL, 0, 0 },
	{ "hist:keys=a:v=a+b*c/2", "hist:keys=a:vals=hitcount:v=a+b*c/2:sort=hitcount:size=2048", NULL, 0, 0 },
	/* A clock is looked at if there is a time stamp. */
	{ "hist:keys=a:t=common_timestamp:clock=boot", "hist:keys=a:vals=hitcount:t=common_timestamp:sort=hitcount:size=2048:clock=boot", NULL, 0, 0 },
	{ "hist:keys=a:t=common_timestamp:clock=uptime", "hist:keys=a:vals=hitcount:t=common_timestamp:sort=hitcount:size=2048:clock=uptime", NULL, 0, 0 },
	{ "hist:keys=a:t=common_timestamp:clock=counter", NULL, "does not count nanoseconds", 37, 7 },
	{ "hist:keys=a:t=common_timestamp:clock=bood", NULL, "there is no clock 'bood'", 37, 4 },
	{ "hist:keys=a:clock=bood", "hist:keys=a:vals=hitcount:sort=hitcount:size=2048", NULL, 0, 0 },
	/* Two numbers are one (6.12 lists these so). */
	{ "hist:keys=a:v=16-8-4-2", "hist:keys=a:vals=hitcount:v=2:sort=hitcount:size=2048", NULL, 0, 0 },
	{ "hist:keys=a:v=1-2", "hist:keys=a:vals=hitcount:v=18446744073709551615:sort=hitcount:size=2048", NULL, 0, 0 },
	{ "hist:keys=a:v=7/2", "hist:keys=a:vals=hitcount:v=3:sort=hitcount:size=2048", NULL, 0, 0 },
	{ "hist:keys=a:v=a+3*2", "hist:keys=a:vals=hitcount:v=a+6:sort=hitcount:size=2048", NULL, 0, 0 },
	{ "hist:keys=a:v=a+2-1", "hist:keys=a:vals=hitcount:v=a+2-1:sort=hitcount:size=2048", NULL, 0, 0 },
	{ "hist:keys=a:v=-(5)", "hist:keys=a:vals=hitcount:v=-(5):sort=hitcount:size=2048", NULL, 0, 0 },
	{ "hist:keys=a:v=1/0", "hist:keys=a:vals=hitcount:v=1/0:sort=hitcount:size=2048", NULL, 0, 0 },
	{ "!traceoff:unlimited", "traceoff", NULL, 0, 0 },
	{ "traceoff:unlimited", NULL, "no number of times", 9, 9 },
	{ "hist:keys=a:v=-(a+b)", "hist:keys=a:vals=hitcount:v=-(a+b):sort=hitcount:size=2048", NULL, 0, 0 },
	{ "hist:keys=a.sym-offset:v=a.sym-offset-1", "hist:keys=a.sym-offset:vals=hitcount:v=a.sym-offset-1:sort=hitcount:size=2048",
	  NULL, 0, 0 },
	{ "hist:keys=a:v=g.e.$w", "hist:keys=a:vals=hitcount:v=g.e.$w:sort=hitcount:size=2048", NULL, 0, 0 },
	/* A variable that is a field stands for it, wherever it is used; one that is more does not. */
	{ "hist:keys=$p:p=pid:vals=$p", "hist:keys=pid:vals=hitcount,pid:p=pid:sort=hitcount:size=2048", NULL, 0, 0 },
	{ "hist:keys=a:p=pid+1:w=$p", "hist:keys=a:vals=hitcount:p=pid+1,w=$p:sort=hitcount:size=2048", NULL, 0, 0 },
	{ "hist:keys=a:ts=common_timestamp.usecs", "hist:keys=a:vals=hitcount:ts=common_timestamp.usecs:sort=hitcount:size=2048:clock=global",
	  NULL, 0, 0 },
	{ "hist:keys=a:ts=common_timestamp:clock=boot", "hist:keys=a:vals=hitcount:ts=common_timestamp:sort=hitcount:size=2048:clock=boot",
	  NULL, 0, 0 },
	/* Documentation/trace/histogram.rst of 6.12 */
	{ "hist:keys=next_pid:wakeup_lat=common_timestamp.usecs-$ts0:onmax($wakeup_lat).save(next_comm,prev_pid,prev_prio,prev_comm) "
	  "if next_comm == \"cyclictest\"",
	  "hist:keys=next_pid:vals=hitcount:wakeup_lat=common_timestamp.usecs-$ts0:sort=hitcount:size=2048:clock=global:"
	  "onmax($wakeup_lat).save(next_comm,prev_pid,prev_prio,prev_comm) if next_comm == \"cyclictest\"", NULL, 0, 0 },
	{ "hist:keys=$testpid:testpid=pid:onmatch(sched.sched_wakeup_new).wakeup_new_test($testpid) if comm==\"cyclictest\"",
	  "hist:keys=pid:vals=hitcount:testpid=pid:sort=hitcount:size=2048:onmatch(sched.sched_wakeup_new).wakeup_new_test($testpid) "
	  "if comm==\"cyclictest\"", NULL, 0, 0 },
	{ "hist:keys=prev_pid:delta=common_timestamp.usecs-$ts,s=$st:onmax($delta).trace(block_lat,prev_pid,$delta,$s)",
	  "hist:keys=prev_pid:vals=hitcount:delta=common_timestamp.usecs-$ts,s=$st:sort=hitcount:size=2048:clock=global:"
	  "onmax($delta).trace(block_lat,prev_pid,$delta,$s)", NULL, 0, 0 },
	{ "hist:keys=dport:cwnd=snd_cwnd:onchange($cwnd).snapshot()",
	  "hist:keys=dport:vals=hitcount:cwnd=snd_cwnd:sort=hitcount:size=2048:onchange($cwnd).snapshot()", NULL, 0, 0 },
	{ "hist:keys=delta.buckets=100,stack.stacktrace:sort=delta",
	  "hist:keys=delta.buckets=100,stack.stacktrace:vals=hitcount:sort=delta.buckets=100:size=2048", NULL, 0, 0 },
	{ "stacktrace", "stacktrace", NULL, 0, 0 },
	{ "stacktrace:5 if fd > 2", "stacktrace if fd > 2", NULL, 0, 0 },
	{ "enable_event:g:e:1", "enable_event:g:e", NULL, 0, 0 },
	{ "disable_hist:net:netif_receive_skb if comm==\"wget\"", "disable_hist:net:netif_receive_skb if comm==\"wget\"", NULL, 0, 0 },
	/* refused */
	{ "", NULL, "a trigger is expected here", 0, 0 },
	{ "histo:keys=a", NULL, "'histo' is no trigger", 0, 5 },
	{ "hist", NULL, "'' is no option of hist", 4, 0 },
	{ "hist:vals=a", NULL, "keys= is missing", 5, 6 },
	{ "hist:keys=", NULL, "nothing follows 'keys='", 5, 5 },
	{ "hist:keys=a,,b", NULL, "a field, a variable or a number is expected here", 12, 0 },
	{ "hist:keys=a,b,c,d", NULL, "more than 3 keys", 16, 1 },
	{ "hist:keys=a:vals=b,c,d", NULL, "more than 2 values", 21, 1 },
	{ "hist:keys=a.hexx", NULL, "unknown modifier '.hexx'", 12, 4 },
	{ "hist:keys=a.log2:vals=a.log2", NULL, "a value cannot have '.log2'", 24, 4 },
	{ "hist:keys=a.percent", NULL, "a key cannot have '.percent'", 12, 7 },
	{ "hist:keys=a:v=a.graph", NULL, "a variable cannot have '.graph'", 16, 5 },
	{ "hist:keys=a.buckets", NULL, "'.buckets' needs the width", 19, 0 },
	{ "hist:keys=a.buckets=0", NULL, "'0' is no width", 20, 1 },
	{ "hist:keys=a.execname", NULL, "'.execname' belongs to common_pid", 12, 8 },
	{ "hist:keys=a:sort=b", NULL, "'b' is neither a key nor a value", 17, 1 },
	{ "hist:keys=a:sort=a.desc", NULL, "'.desc' is no order", 19, 4 },
	{ "hist:keys=a,b:sort=a,b,a", NULL, "more than 2 fields to sort by", 23, 1 },
	{ "hist:keys=a:v=(a+1)*2", NULL, "'(a' is no name of a field", 14, 2 },
	{ "hist:keys=a:v=-a", NULL, "needs a parenthesis", 14, 2 },
	{ "hist:keys=a:v=a+", NULL, "'+' needs something on both sides", 15, 1 },
	{ "hist:keys=a:v=a+b+c+d+e", NULL, "more than 3 operators", 14, 3 },
	{ "hist:keys=a:v=1x", NULL, "'1x' is no number", 14, 2 },
	{ "hist:keys=a:v=18446744073709551616", NULL, "does not fit in 64 bits", 14, 20 },
	{ "hist:keys=a:v=a,v=b", NULL, "the variable 'v' is already defined", 16, 1 },
	{ "hist:keys=a:pauses", NULL, "'pauses' is no option of hist", 12, 6 },
	{ "hist:keys=a:size=64", NULL, "a size from 65 to 131072 is expected", 17, 2 },
	{ "hist:keys=a:size=131073", NULL, "a size from 65 to 131072 is expected", 17, 6 },
	{ "hist:keys=a:nohitcount", NULL, "nohitcount needs another value", 5, 17 },
	{ "hist:keys=a:onmatch(g.e.trace(n,$v)", NULL, "'g.e.trace(n,$v' is no event", 20, 14 },	/* up to the first ')' */
	{ "hist:keys=a:onmatch(e).trace(n,$v)", NULL, "'e' is no event", 20, 1 },
	{ "hist:keys=a:onmatch(g.e).save(ab)", NULL, "onmatch() cannot 'save'", 25, 4 },
	{ "hist:keys=a:onmax(v).save(ab)", NULL, "'v' is no variable", 18, 1 },
	{ "hist:keys=a:onmax($v).save(a)", NULL, "the parameter 'a' is too short", 27, 1 },
	{ "hist:keys=a:onmax($v).save(ab", NULL, "a ')' is missing", 29, 0 },
	{ "hist:keys=a:onmax($v).save(ab):onchange($v).save(ab)", NULL, "only one save()", 31, 21 },
	{ "stacktrace:x", NULL, "'x' is no number of times", 11, 1 },
	{ "stacktrace:", NULL, "how many times is expected here", 11, 0 },
	{ "enable_event:kprobes", NULL, "GROUP:EVENT is expected here", 13, 7 },
	{ "traceoff if", NULL, "nothing follows 'if'", 11, 0 },
	{ "traceoff if fd =", NULL, "'=' is not an operator", 15, 1 },
};

static void check_text(const char *text, const char *printed, const char *message, unsigned off, unsigned len)
{
	struct trigger *t = NULL, *again = NULL;
	struct arena arena = { 0 };
	struct buf out = { 0 }, twice = { 0 };
	struct diag d = { 0 };
	int err = trigger_parse(&arena, text, &t, &d);

	if (!printed) {
		CHECK(err && !t && strstr(buf_str(&d.msg), message), "%s: %s", text, buf_str(&d.msg));
		CHECK(d.at.off == off && d.at.len == len, "... with its caret: %u, %u", d.at.off, d.at.len);
	} else {
		CHECK(!err, "%s is accepted %s", text, buf_str(&d.msg));
		if (!err)
			trigger_print(t, &out);
		CHECK(!strcmp(buf_str(&out), printed), "... and listed as %s", buf_str(&out));
		err = trigger_parse(&arena, buf_str(&out), &again, &d);
		if (!err)
			trigger_print(again, &twice);
		/* The kernel lists a sorted field with its modifier, and refuses to read that. */
		CHECK(err ? strstr(buf_str(&d.msg), "is no order") != NULL : !strcmp(buf_str(&out), buf_str(&twice)),
		      "... which reads back %s", buf_str(&d.msg));
	}
	buf_fini(&out);
	buf_fini(&twice);
	diag_fini(&d);
	arena_fini(&arena);
}

/* ---- limits ---- */

/* @nr times @part with a number in it, then the rest. */
static void check_many(const char *before, const char *part, unsigned nr, const char *behind, bool accepted)
{
	struct trigger *t = NULL;
	struct arena arena = { 0 };
	struct buf text = { 0 };
	struct diag d = { 0 };
	int err;

	buf_adds(&text, before);
	for (unsigned i = 0; i < nr; i++)
		buf_addf(&text, "%s%s%u", i ? "," : "", part, i + 10);
	buf_adds(&text, behind);
	err = trigger_parse(&arena, buf_str(&text), &t, &d);
	CHECK(accepted ? !err : err == -E2BIG, "%u of '%s' %s", nr, part, buf_str(&d.msg));
	buf_fini(&text);
	diag_fini(&d);
	arena_fini(&arena);
}

static void test_limits(void)
{
	check_many("hist:keys=a:", "v=", 1, "", true);
	for (unsigned more = 0; more < 2; more++) {
		check_many("hist:keys=a:onmatch(g.e).trace(n,", "p", HIST_MAX_PARAMS + more, ")", !more);
		check_many("stacktrace if (", "a==1||a==", 1, more ? ")" : ")", true);
	}
	for (unsigned nr = HIST_MAX_VARS; nr <= HIST_MAX_VARS + 1; nr++) {
		struct buf text = { 0 };

		buf_adds(&text, "hist:keys=a");
		for (unsigned i = 0; i < nr; i++)
			buf_addf(&text, ":v%u=a", i);
		check_many(buf_str(&text), "", 0, "", nr == HIST_MAX_VARS);
		buf_fini(&text);
	}
	for (unsigned nr = HIST_MAX_ACTIONS; nr <= HIST_MAX_ACTIONS + 1; nr++) {
		struct buf text = { 0 };

		buf_adds(&text, "hist:keys=a");
		for (unsigned i = 0; i < nr; i++)
			buf_addf(&text, ":onmatch(g.e).trace(n,ab)");
		check_many(buf_str(&text), "", 0, "", nr == HIST_MAX_ACTIONS);
		buf_fini(&text);
	}
	check_many("hist:keys=" NAME255, "", 0, "", true);
	check_many("hist:keys=" NAME255 "a", "", 0, "", false);
	check_many("hist:keys=a:name=" NAME255, "", 0, "", true);
	check_many("hist:keys=a:name=" NAME255 "a", "", 0, "", false);
}

/* ---- the corpus ---- */

enum { COL_ID, COL_TRIGGERS = 3, COL_VERDICTS, COL_ERROR, COL_LISTED, COL_COUNT };

/* Verdicts that do not follow from the text. */
static const struct {
	const char *id, *why;
} elsewhere[] = {
	{ "HVAL015", "no such field" }, { "HERR004", "no such field" }, { "HERR007", "no such field" }, { "HERR009", "no such field" },
	{ "HERR039", "there is no such histogram yet" }, { "HERR040", "there is no such histogram yet" },
	{ "HMUL002", "it exists already" }, { "HMUL014", "it exists already" }, { "HACT005", "it exists already" },
	{ "HACT012", "it exists already" },
	{ "HVAR010", "no such variable of an earlier hit" }, { "HVAR011", "no such variable of an earlier hit" },
	{ "HVAR013", "no such variable of an earlier hit" }, { "HVAR016", "no such variable of an earlier hit" },
	{ "HVAR017", "no such variable of an earlier hit" },
	{ "HTYP010", "no such event" },
};

static bool decided_elsewhere(const char *id)
{
	for (size_t i = 0; i < ARRAY_SIZE(elsewhere); i++) {
		if (!strcmp(elsewhere[i].id, id))
			return true;
	}
	return false;
}

/* Cuts the next part of *rest at @separator. */
static char *next_part(char **rest, const char *separator)
{
	char *part = *rest, *end = part ? strstr(part, separator) : NULL;

	if (end)
		*end = '\0';
	*rest = end ? end + strlen(separator) : NULL;
	return part;
}

/* The kernel's line without its state and its count. */
static void strip_state(char *line)
{
	char *at;

	for (size_t i = 0; i < 2; i++) {
		const char *state = i ? " [paused]" : " [active]";

		at = strstr(line, state);
		if (at && !at[strlen(state)])
			*at = '\0';
	}
	at = strstr(line, ":unlimited");
	if (!at)
		at = strstr(line, ":count=");
	if (at)
		memmove(at, at + strcspn(at, " "), strlen(at + strcspn(at, " ")) + 1);
}

static unsigned nr_same, nr_listed;

/* The lists' lines are in the order of events; all that are accepted and not removed must be among them. */
static void check_listed(const char *id, const struct trigger *t, const char *listed)
{
	struct buf printed = { 0 };
	char *copy = strdup(listed), *rest = copy;
	bool found = false;

	trigger_print(t, &printed);
	for (char *line; !found && (line = next_part(&rest, "^n"));) {
		strip_state(line);
		found = !strcmp(line, buf_str(&printed));
	}
	CHECK(found, "%s is listed as %s", id, buf_str(&printed));
	nr_listed++;
	free(copy);
	buf_fini(&printed);
}

static void check_row(char **col)
{
	const char *id = col[COL_ID];
	char *verdicts = col[COL_VERDICTS], *triggers = col[COL_TRIGGERS], *text;
	bool removes = strstr(triggers, " !") || strstr(triggers, ":clear");	/* what is listed then is no trigger as typed */

	if (!strncmp(verdicts, "definition:", 11))
		next_part(&verdicts, " ");
	while ((text = next_part(&triggers, " || "))) {
		const char *verdict;
		struct trigger *t = NULL;
		struct arena arena = { 0 };
		struct diag d = { 0 };
		bool accepts;
		int err;

		if (!strcmp(text, "@run"))
			continue;
		verdict = next_part(&verdicts, " ");
		accepts = verdict && !strcmp(verdict, "ok");
		next_part(&text, " ");		/* the event */
		err = trigger_parse(&arena, text ? text : "", &t, &d);
		CHECK(decided_elsewhere(id) ? !err : !err == accepts, "%s: %s %s", id, text, buf_str(&d.msg));
		nr_same += !decided_elsewhere(id);
		if (!err && accepts && !removes && *col[COL_LISTED] && !strstr(text, ":pause"))
			check_listed(id, t, col[COL_LISTED]);
		diag_fini(&d);
		arena_fini(&arena);
	}
}

static void test_corpus(const char *path)
{
	auto_file f = path ? fopen(path, "re") : NULL;
	auto_free char *line = NULL;
	char *col[COL_COUNT];
	size_t size = 0;

	CHECK(f, "the corpus can be read: %s", path ? path : "no path");
	for (unsigned n = 0; f && getline(&line, &size, f) > 0; n++) {
		char *rest = line;

		for (unsigned i = 0; i < COL_COUNT; i++)
			col[i] = next_part(&rest, "\t");
		if (n)
			check_row(col);
	}
	CHECK(nr_same > 150 && nr_listed > 100, "%u verdicts by the text, %u lines of the trigger files", nr_same, nr_listed);
}

int main(int argc, char **argv)
{
	auto_free char *kernel = argc > 1 ? strdup(argv[1]) : NULL, *hist = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		check_text(texts[i].text, texts[i].printed, texts[i].message, texts[i].off, texts[i].len);
	test_limits();
	if (!kernel || asprintf(&hist, "%s/hist.tsv", dirname(kernel)) < 0)
		hist = NULL;
	test_corpus(hist);
	return tap_done();
}
