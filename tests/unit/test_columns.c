// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_columns.c - headers by column, offsets of clocks, the sets of --for.
 *
 * The kernel's own headers are compared in a guest (tests/guest/suites/columns.sh); here each header must name the
 * columns at the places where the lines have them.
 */
#include "print/preset.h"
#include "print/text.h"

#include "tap.h"

static const char *last_line(const char *text)
{
	size_t len = strlen(text) - 1;

	while (len && text[len - 1] != '\n')
		len--;
	return text + len;
}

/* Each bar of the last line is above its column: `line` has this column at the same place. */
static void test_headers(void)
{
	static const struct { struct columns columns; const char *line; } forms[] = {
		{ { 0 }, "              wl-42      [003] .....     1.234567: e: (f)" },
		{ { .flags = COLUMN_FLAGS_4 }, "              wl-42      [003] ....     1.234567: e: (f)" },
		{ { .flags = COLUMN_FLAGS_NONE }, "              wl-42      [003]      1.234567: e: (f)" },
		{ { .tgid = true }, "              wl-42      (     42) [003] .....     1.234567: e: (f)" },
		{ { .flags = COLUMN_FLAGS_4, .tgid = true }, "              wl-42      (     42) [003] ....     1.234567: e: (f)" },
		{ { .flags = COLUMN_FLAGS_NONE, .tgid = true }, "              wl-42      (     42) [003]      1.234567: e: (f)" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		const char *line = forms[i].line, *bars, *flags = strstr(line, "] .") ? strstr(line, "] .") + 2 : NULL;
		unsigned nr_flags = forms[i].columns.flags == COLUMN_FLAGS_5 ? 5 : forms[i].columns.flags == COLUMN_FLAGS_4 ? 4 : 0;
		struct buf text = { 0 };
		bool over = true;

		columns_header(&forms[i].columns, NULL, &text);
		bars = last_line(buf_str(&text));
		over &= bars[15] == '|' && bars[17] == '|';
		over &= bars[strchr(line, '[') + 2 - line] == '|';
		for (unsigned f = 0; f < nr_flags; f++)
			over &= bars[flags + f - line] == '|';
		if (forms[i].columns.tgid)
			over &= bars[strchr(line, '(') + 4 - line] == '|';	/* the middle of (%7d) */
		CHECK(over, "the bars of header %zu are above its columns", i);
		buf_fini(&text);
	}
}

static void test_names(void)
{
	enum column_flags flags;
	enum timebase_clock clock;
	bool ns;

	CHECK(columns_find_flags("4", &flags) && flags == COLUMN_FLAGS_4 && columns_find_flags("none", &flags) &&
	      flags == COLUMN_FLAGS_NONE && !columns_find_flags("3", &flags), "flags have names");
	CHECK(columns_find_time("ns", &ns) && ns && columns_find_time("us", &ns) && !ns && !columns_find_time("ms", &ns),
	      "units have names");
	CHECK(timebase_find("tai", &clock) && clock == TIMEBASE_TAI && timebase_find("real", &clock) && clock == TIMEBASE_REAL && !timebase_find("raw", &clock), "clocks have names");
}

static void test_base(void)
{
	struct timebase b = { .clock = TIMEBASE_TAI };

	CHECK(timebase_of(&b, 5) == 5, "without an offset times are CLOCK_MONOTONIC's");
	/* between 1000 and 1100 the other clock showed 501050: it is 500000 ahead, plus or minus 50 */
	timebase_learn(&b, 1000, 501050, 1100);
	CHECK(b.offset == 500000 && b.error == 51, "the middle of what can be: %lld, give or take %lld",
	      (long long)b.offset, (long long)b.error);
	timebase_learn(&b, 2000, 502040, 2010);
	timebase_learn(&b, 3000, 503060, 3200);
	CHECK(b.offset == 500000, "what agrees changes nothing");
	CHECK(timebase_of(&b, 1) == 500001 && timebase_of(&b, 3100) == 503100, "one offset for all");
	/* the clock was set back by 400000 somewhere between 3000 and 4000 */
	timebase_learn(&b, 4000, 104005, 4010);
	CHECK(b.offset == 100000, "another offset is taken");
	CHECK(timebase_of(&b, 3500) == 103500 && timebase_of(&b, 3000) == 103000 && timebase_of(&b, 2999) == 502999,
	      "from the last time on at which the one before was true");

	b = (struct timebase){ .clock = TIMEBASE_BOOT };
	timebase_learn(&b, 1000, 1010, 1100);
	CHECK(b.offset == 0, "a machine that has not slept: exactly 0");
	timebase_learn(&b, 2000, 900002010, 2100);
	CHECK(b.offset == 900000000 - 40 && timebase_of(&b, 999) == 999, "one that has");

	b = (struct timebase){ 0 };
	timebase_take(&b);
	CHECK(!b.is_taken && timebase_of(&b, 7) == 7, "CLOCK_MONOTONIC needs no offset");
	b.clock = TIMEBASE_BOOT;
	timebase_take(&b);
	CHECK(b.is_taken && b.offset >= 0, "CLOCK_BOOTTIME is never behind CLOCK_MONOTONIC");
}

/* What each reader's source does with an event; tests/parsers/ runs them. */
static void test_presets(void)
{
	static struct layout_field arg1 = { .name = "arg1", .type = { .kind = TYPE_HEX, .size = 8 }, .count = 1 };
	static struct layout_field text = { .name = "s", .type = { .kind = TYPE_STRING }, .count = 1 };
	static const struct { const char *reader; struct layout layout; bool doubt; } cases[] = {
		{ "sleepgraph", { .event = "async_run_cal" }, false },
		{ "sleepgraph", { .event = "async_run" }, true },
		{ "sleepgraph", { .event = "_cal" }, true },
		{ "sleepgraph", { .event = "x_ret", .is_return = true, .fields = &arg1, .nr_fields = 1 }, false },
		{ "sleepgraph", { .event = "x_ret", .is_return = true }, true },
		{ "sleepgraph", { .event = "x_cal", .is_return = true, .fields = &arg1, .nr_fields = 1 }, true },
		{ "perf-tools", { .event = "getnameprobe", .fields = &arg1, .nr_fields = 1 }, false },
		{ "perf-tools", { .event = "getnameprobe", .fields = &text, .nr_fields = 1 }, true },
		{ "trappy", { .event = "e", .fields = &arg1, .nr_fields = 1 }, false },
		{ "trappy", { .event = "e", .fields = &text, .nr_fields = 1 }, true },
		{ "tracecompass", { .event = "e" }, false },
		{ "tracecompass", { .event = "e", .fields = &arg1, .nr_fields = 1 }, true },
		{ "catapult", { .event = "sched_switch" }, false },
		{ "perfetto", { .event = "myprobe" }, true },
	};
	struct buf names = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct preset *p = preset_find(cases[i].reader);

		CHECK(p && p->doubt && !!p->doubt(&cases[i].layout) == cases[i].doubt, "%s: %s is %staken", cases[i].reader,
		      cases[i].layout.event, cases[i].doubt ? "not " : "");
	}
	CHECK(!preset_find("") && !preset_find("Perfetto"), "others are none");
	CHECK(preset_find("trace-cmd") && !preset_find("trace-cmd")->doubt && !preset_find("traceshark")->doubt,
	      "those that take any event");
	preset_names(&names);
	CHECK(!strncmp(buf_str(&names), "trace-cmd, traceshark, ", 23), "their names: %s", buf_str(&names));
	buf_fini(&names);
}

int main(void)
{
	test_headers();
	test_names();
	test_base();
	test_presets();
	return tap_done();
}
