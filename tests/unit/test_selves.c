// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_selves.c - whose hits are ignored if several processes of bprobe share a row of the table.
 */
#include <signal.h>
#include <string.h>

static int process_lives(int pid, int sig);
#define kill process_lives
#include "run/selves.c"
#undef kill

#include "tap.h"

/* Their numbers are congruent modulo the number of rows. */
enum { FIRST = 100, SECOND = FIRST + BP_SELF_ROWS, THIRD = FIRST + 2 * BP_SELF_ROWS, OTHER_ROW = FIRST + 1 };

static int dead;			/* all others live */
static struct bp_selves table;
static const struct selves selves = { &table, -1 };

static int process_lives(int pid, int sig)
{
	(void)sig;
	errno = ESRCH;
	return pid == dead ? -1 : 0;
}

/* As the BPF programs search it: in both entries of its row. */
static bool is_left_out(uint32_t tgid)
{
	const struct bp_self *row = table.rows[tgid % BP_SELF_ROWS];

	return row[0].tgid == tgid || row[1].tgid == tgid;
}

static void begin(void)
{
	dead = 0;
	memset(&table, 0, sizeof(table));
	for (unsigned row = 0; row < BP_SELF_ROWS; row++)
		table.rows[row][0].tgid = table.rows[row][1].tgid = BP_SELF_NONE;
}

/* One after the other, each at another time. */
static void add(uint32_t tgid, bool initial)
{
	uint64_t since = now_ns();

	while (now_ns() == since)
		;
	selves_add(&selves, tgid, initial);
}

static void test_two(void)
{
	begin();
	add(FIRST, true);
	CHECK(is_left_out(FIRST) && !is_left_out(SECOND), "one process is left out");
	CHECK(table.rows[FIRST][0].since <= now_ns(), "... and not one that has its number later");
	add(SECOND, true);
	CHECK(is_left_out(FIRST) && is_left_out(SECOND), "two in one row are");
	add(FIRST, true);
	CHECK(is_left_out(FIRST) && is_left_out(SECOND), "... also when one of them says so again");
	selves_remove(&selves, FIRST);
	CHECK(!is_left_out(FIRST) && is_left_out(SECOND), "one that is taken out leaves the other");
	add(SECOND, true);
	add(FIRST, true);
	CHECK(is_left_out(FIRST) && is_left_out(SECOND), "... and one that says so again leaves room for the other");
}

/* A row has two entries. bprobe's own hits disturb but are no error, so a third process is not refused. */
static void test_three(void)
{
	for (int initial = 0; initial < 2; initial++) {
		begin();
		add(FIRST, initial);
		add(SECOND, initial);
		add(OTHER_ROW, initial);
		add(THIRD, initial);
		CHECK(!is_left_out(FIRST) && is_left_out(SECOND) && is_left_out(THIRD),
		      "a third process in a row takes the place of the first%s", initial ? "" : ", seen from a pid namespace");
		CHECK(is_left_out(OTHER_ROW), "... and not that of one in another row");
		add(FIRST, initial);
		CHECK(is_left_out(FIRST) && !is_left_out(SECOND) && is_left_out(THIRD), "... as does the first, of the second");
		selves_remove(&selves, SECOND);
		CHECK(is_left_out(FIRST) && is_left_out(THIRD), "a process whose entry is gone does not remove another one's");
	}
}

static void test_dead(void)
{
	begin();
	add(FIRST, true);
	add(SECOND, true);
	dead = SECOND;
	add(THIRD, true);
	CHECK(is_left_out(FIRST) && is_left_out(THIRD), "a third one takes the place of one that has ended, be it the younger");
	begin();
	add(FIRST, false);
	add(SECOND, false);
	dead = SECOND;
	add(THIRD, false);
	CHECK(is_left_out(SECOND) && is_left_out(THIRD), "... which nobody can tell from within a pid namespace");
}

int main(void)
{
	test_two();
	test_three();
	test_dead();
	return tap_done();
}
