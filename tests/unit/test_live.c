// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_live.c - the live view: figures from a histogram, and the table that is drawn of them.
 */
#include <stdlib.h>
#include <string.h>

#include "live/table.h"

#include "tap.h"

/* ---- figures ---- */

static void test_percentile(void)
{
	struct live_figures f = { 0 };
	uint64_t ns;

	CHECK(!live_percentile(&f, 99, &ns) && !live_average(&f, &ns), "without durations there are no figures of them");
	f = (struct live_figures){ .timed = 99, .sum = 99 * 900 };
	f.buckets[10] = 99;
	CHECK(live_percentile(&f, 99, &ns) && ns == 1024, "all are up to 1024 ns");
	CHECK(live_average(&f, &ns) && ns == 900, "the average");
	f.timed = 100;
	f.buckets[20] = 1;
	CHECK(live_percentile(&f, 99, &ns) && ns == 1024, "one of 100 is longer: 99 of 100 are not");
	f.timed = 101;
	f.buckets[20] = 2;
	CHECK(live_percentile(&f, 99, &ns) && ns == 1 << 20, "two of 101 are longer: only 98 %% are not");
	CHECK(live_percentile(&f, 50, &ns) && ns == 1024, "the median");
	f = (struct live_figures){ .timed = UINT64_MAX };
	f.buckets[64] = UINT64_MAX;
	CHECK(live_percentile(&f, 99, &ns) && ns == UINT64_MAX, "the last bucket");
	f = (struct live_figures){ .timed = 1 };
	f.buckets[0] = 1;
	CHECK(live_percentile(&f, 99, &ns) && ns == 1, "the first bucket");
}

static void test_durations(void)
{
	static const struct { uint64_t ns; const char *text; } all[] = {
		{ 0, "0ns" }, { 999, "999ns" }, { 1000, "1.00us" }, { 9994, "9.99us" }, { 9996, "10.0us" }, { 99949, "99.9us" },
		{ 99960, "100us" }, { 999499, "999us" }, { 999500, "1.00ms" }, { 4194304, "4.19ms" }, { 1500000000, "1.50s" },
		{ 3600000000000, "3600s" },
	};
	struct buf text = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		buf_reset(&text);
		live_duration(all[i].ns, &text);
		CHECK(!strcmp(buf_str(&text), all[i].text), "%llu ns is %s, should be %s", (unsigned long long)all[i].ns, buf_str(&text),
		      all[i].text);
	}
	buf_fini(&text);
}

static void test_counters(void)
{
	struct live_row row = { .group = "g", .event = "e" };

	live_row_begin(&row);
	live_row_count(&row, &(struct live_counters){ .hits = 10, .lost = 1, .missed = 2, .missed_known = true });
	CHECK(row.now.hits == 10 && row.all.hits == 10 && row.lost == 1 && row.missed == 2, "the first reading");
	live_row_begin(&row);
	row.dropped = 3;
	live_row_count(&row, &(struct live_counters){ .hits = 15, .lost = 1 });
	CHECK(row.now.hits == 8 && row.all.hits == 18 && row.lost == 4 && !row.missed_known, "hits without room in the table are hits, and lost");
	live_row_fini(&row);
}

/* ---- the table ---- */

static struct live_key keys[] = {
	{ .name = (char *)"nginx", .f = { .hits = 800, .timed = 800, .sum = 800 * 12000ll } },
	{ .name = (char *)"a name\033[2J that is long, \xe4\xb8\xad\xe6\x96\x87", .f = { .hits = 434 } },
};

static struct live_row rows[] = {
	{ .group = "kprobes", .event = "opened", .has_elapsed = true, .has_key = true, .now = { .hits = 1234, .timed = 1234, .sum = 1234 * 12000ll },
	  .all = { .hits = 56789 }, .keys = keys, .nr_keys = 2, .missed_known = true },
	{ .group = "kprobes", .event = "a_rather_long_name_of_an_event", .now = { .hits = 5 }, .all = { .hits = 12345678901 }, .lost = 77, .missed = 3 },
	{ .group = "mine", .event = "twice", .missed_known = true },
	{ .group = "kprobes", .event = "twice", .missed_known = true },
};

static const struct live_table table = { .rows = rows, .nr_rows = ARRAY_SIZE(rows), .ns = 1000000000, .key = "comm" };

/* The longest line, in characters. */
static unsigned longest(const char *text)
{
	unsigned most = 0, width = 0;

	for (; *text; text++) {
		width = *text == '\n' ? 0 : width + ((*text & 0xc0) != 0x80);
		most = MAX(most, width);
	}
	return most;
}

static bool has_word(const char *text, const char *word)
{
	const char *at = strstr(text, word);
	char before = at && at > text ? at[-1] : ' ', behind = at ? at[strlen(word)] : 'x';

	return at && strchr(" \n", before) && strchr(" \n", behind);
}

static void test_widths(void)
{
	static const struct { unsigned width; const char *has, *lacks; } all[] = {
		{ 20, "HITS/S", "P99" }, { 40, "P99", "LOST" }, { 80, "MISSED", "nothing" }, { 200, "MISSED", "nothing" }, { 0, "MISSED", "nothing" },
	};
	struct buf text = { 0 };

	rows[0].now.buckets[14] = 1234;
	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		struct live_view view = { .width = all[i].width, .sort = LIVE_RATE };

		buf_reset(&text);
		live_table_text(&table, &view, &text);
		CHECK(!all[i].width || longest(buf_str(&text)) <= all[i].width, "%u columns: the longest line has %u", all[i].width,
		      longest(buf_str(&text)));
		CHECK(has_word(buf_str(&text), all[i].has) && !has_word(buf_str(&text), all[i].lacks), "%u columns: there is %s, and no %s",
		      all[i].width, all[i].has, all[i].lacks);
		CHECK(!strchr(buf_str(&text), '\033'), "%u columns: no control character", all[i].width);
	}
	for (unsigned width = 1; width < 120; width++) {
		struct live_view view = { .width = width, .letters = true, .utf8 = true };

		buf_reset(&text);
		live_table_text(&table, &view, &text);
		if (longest(buf_str(&text)) > MAX(width, 10u))	/* HITS/S needs ten */
			CHECK(false, "%u columns: the longest line has %u", width, longest(buf_str(&text)));
	}
	buf_fini(&text);
}

static void test_text(void)
{
	/* The longest name is that of a key: 2 + 30 characters, of which \\x1b are four. */
	static const char want[] =
		"EVENT                               HITS/S      TOTAL     AVG      P99    LOST   MISSED\n"
		"opened                                1234      56789  12.0us <=16.4us       0        0\n"
		"  nginx                                800             12.0us        -\n"
		"  a name\\x1b[2J that is long, \xe4\xb8\xad\xe6\x96\x87       434                  -        -\n"
		"a_rather_long_name_of_an_event         5.0      12.3G                       77        ?\n"
		"mine/twice                               0          0                        0        0\n"
		"kprobes/twice                            0          0                        0        0\n";
	struct live_view view = { .sort = LIVE_RATE };
	struct buf text = { 0 };

	live_table_text(&table, &view, &text);
	CHECK(!strcmp(buf_str(&text), want), "the table as it should be");
	if (strcmp(buf_str(&text), want))
		printf("# got:\n# %s", buf_str(&text));
	buf_fini(&text);
}

/* The events in the order of their lines. */
static void check_order(enum live_column sort, bool reverse, const char *want)
{
	struct live_view view = { .sort = sort, .reverse = reverse };
	struct buf text = { 0 }, got = { 0 };

	live_table_text(&table, &view, &text);
	for (const char *line = strchr(text.data, '\n') + 1; *line; line = strchr(line, '\n') + 1) {
		if (*line != ' ')
			buf_addc(&got, *line);
	}
	CHECK(!strcmp(buf_str(&got), want), "sorted by %u%s: %s, should be %s", sort, reverse ? ", reversed" : "", buf_str(&got), want);
	buf_fini(&text);
	buf_fini(&got);
}

static void test_order(void)
{
	enum live_column c;

	check_order(LIVE_RATE, false, "oamk");
	check_order(LIVE_RATE, true, "mkao");		/* equal ones stay in their order */
	check_order(LIVE_TOTAL, false, "aomk");
	check_order(LIVE_EVENT, false, "aomk");
	check_order(LIVE_LOST, false, "aomk");
	check_order(LIVE_MISSED, false, "aomk");
	check_order(LIVE_AVG, false, "oamk");
	CHECK(live_column_of('9', &c) && c == LIVE_P99 && live_column_of('s', &c) && c == LIVE_RATE, "letters of columns");
	CHECK(!live_column_of('q', &c) && !live_column_of(0, &c), "other letters");
}

static void test_whole(void)
{
	struct live_table whole = table;
	struct live_view view = { .sort = LIVE_RATE };
	struct buf text = { 0 };

	whole.whole = true;
	whole.ns = 10000000000;
	live_table_text(&whole, &view, &text);
	CHECK(strstr(buf_str(&text), "5679") && !strstr(buf_str(&text), "nginx"), "of the whole time: the rate of all hits, and no keys");
	buf_fini(&text);
}

int main(void)
{
	test_percentile();
	test_durations();
	test_counters();
	test_widths();
	test_text();
	test_order();
	test_whole();
	return tap_done();
}
