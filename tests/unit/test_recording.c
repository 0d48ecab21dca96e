// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_recording.c - what a file says of where and when it was recorded comes back, and nothing that is damaged does.
 */
#include <string.h>
#include <sys/utsname.h>

#include "base/clock.h"
#include "print/recording.h"

#include "tap.h"

static struct arena arena;

#define ID "0f0e0d0c-0b0a-0908-0706-050403020100"

static void test_round_trip(void)
{
	struct recording want = { .boot_id = ID, .readings = { { 1, 2, 1700000000123456789, 1700000037123456789 }, { 11, 12, 13, 14 } },
				  .nr_readings = 2 };
	struct buf text = { 0 };
	struct recording got;

	buf_adds(&text, "bprobe 1.2\n");
	recording_print(&want, &text);
	buf_adds(&text, "build 00 vmlinux\n");
	got = recording_parse(&arena, buf_str(&text), "Linux host 6.12.1 x86_64", "boot");
	CHECK(!strcmp(got.system, "Linux") && !strcmp(got.host, "host") && !strcmp(got.release, "6.12.1") && !strcmp(got.machine, "x86_64"),
	      "names come back");
	CHECK(got.clock == TIMEBASE_BOOT && !strcmp(got.boot_id, ID), "clock and boot come back");
	CHECK(got.nr_readings == 2 && !memcmp(got.readings, want.readings, sizeof(want.readings)), "readings come back");
	buf_fini(&text);
}

static void test_damaged(void)
{
	static const char *const texts[] = {
		"", "clocks", "clocks 1 2 3", "clocks 1 2 3 x", "clocks 1 2 3 99999999999999999999", "boot-id", "boot-id short",
		"boot-id 0f0e0d0c-0b0a-0908-0706-05040302010\"", "Clocks 1 2 3 4",
	};
	struct recording got;

	for (unsigned i = 0; i < ARRAY_SIZE(texts); i++) {
		got = recording_parse(&arena, texts[i], NULL, "other");
		CHECK(!got.nr_readings && !*got.boot_id && !*got.host && got.clock == TIMEBASE_MONO, "nothing is known of '%s'", texts[i]);
	}
	got = recording_parse(&arena, "clocks 1 2 3 4\nclocks 5 6 7 8\nclocks 9 9 9 9\n", "Linux", NULL);
	CHECK(got.nr_readings == 2 && got.readings[1].tai == 8, "there are two readings at most");
	CHECK(!strcmp(got.system, "Linux") && !*got.release, "a short name of the system");
	got = recording_parse(&arena, NULL, NULL, NULL);
	CHECK(!got.nr_readings && !*got.release, "nothing at all");
}

static void test_here(void)
{
	uint64_t before = now_ns(), after;
	struct recording here = recording_here(&arena, TIMEBASE_TAI);
	struct utsname u;

	after = now_ns();
	uname(&u);
	CHECK(here.nr_readings == 1 && here.readings[0].mono >= before && here.readings[0].mono <= after, "CLOCK_MONOTONIC is read");
	CHECK(here.readings[0].boot >= here.readings[0].mono - (after - before), "CLOCK_BOOTTIME is not behind it");
	CHECK(clock_reading_of(&here.readings[0], TIMEBASE_TAI) == here.readings[0].tai, "the clock that was asked for");
	CHECK(!strcmp(here.host, u.nodename) && !strcmp(here.release, u.release), "uname(2)");
}

int main(void)
{
	test_round_trip();
	test_damaged();
	test_here();
	arena_fini(&arena);
	return tap_done();
}
