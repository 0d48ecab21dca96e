// SPDX-License-Identifier: GPL-2.0-only
/*
 * recording.c - where events were recorded, and what the clocks showed there.
 */
#include "print/recording.h"

#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/words.h"

enum { TRIES = 16 };

struct clock_reading clocks_read(void)
{
	struct clock_reading best = { 0 };
	uint64_t shortest = UINT64_MAX;

	for (unsigned i = 0; i < TRIES; i++) {
		uint64_t early = now_ns();
		struct clock_reading r = { .boot = clock_ns(CLOCK_BOOTTIME), .real = clock_ns(CLOCK_REALTIME), .tai = clock_ns(CLOCK_TAI) };
		uint64_t late = now_ns();

		if (late - early >= shortest)
			continue;
		shortest = late - early;
		best = r;
		best.mono = early + shortest / 2;
	}
	return best;
}

uint64_t clock_reading_of(const struct clock_reading *r, enum timebase_clock clock)
{
	return clock == TIMEBASE_BOOT ? r->boot : clock == TIMEBASE_TAI ? r->tai : clock == TIMEBASE_REAL ? r->real : r->mono;
}

const char *boot_id_here(struct arena *arena)
{
	auto_fd fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	char text[64];
	ssize_t len = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);

	if (len <= 0)
		return NULL;
	text[len] = '\0';
	return arena_strndup(arena, text, strcspn(text, "\n"));
}

struct recording recording_here(struct arena *arena, enum timebase_clock clock)
{
	const char *boot_id = boot_id_here(arena);
	struct utsname u = { 0 };

	uname(&u);
	return (struct recording){
		.system = arena_strdup(arena, u.sysname), .host = arena_strdup(arena, u.nodename), .release = arena_strdup(arena, u.release),
		.machine = arena_strdup(arena, u.machine), .boot_id = boot_id ? boot_id : "", .clock = clock,
		.readings = { clocks_read() }, .nr_readings = 1,
	};
}

void recording_print(const struct recording *o, struct buf *out)
{
	if (*o->boot_id)
		buf_addf(out, "boot-id %s\n", o->boot_id);
	for (unsigned i = 0; i < o->nr_readings; i++) {
		const struct clock_reading *r = &o->readings[i];

		buf_addf(out, "clocks %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", r->mono, r->boot, r->real, r->tai);
	}
}

/* Is it a UUID, as the kernel prints it? */
static bool is_boot_id(const char *s)
{
	return strlen(s) == 36 && strspn(s, "0123456789abcdef-") == 36;
}

static void parse_line(struct arena *arena, const char *line, struct recording *o)
{
	struct words w;

	if (words_open(&w, line, "boot-id")) {
		const char *id = words_rest(&w, arena);

		o->boot_id = is_boot_id(id) ? id : o->boot_id;
	} else if (words_open(&w, line, "clocks") && o->nr_readings < RECORDING_READINGS) {
		struct clock_reading *r = &o->readings[o->nr_readings];

		r->mono = words_number(&w, INT64_MAX);
		r->boot = words_number(&w, INT64_MAX);
		r->real = words_number(&w, INT64_MAX);
		r->tai = words_number(&w, INT64_MAX);
		o->nr_readings += !w.bad;
	}
}

/* The next word at *at, which is moved behind it and the blanks after it. */
static const char *take_word(struct arena *arena, const char **at)
{
	size_t len = strcspn(*at, " ");
	const char *word = arena_strndup(arena, *at, len);

	*at += len;
	*at += strspn(*at, " ");
	return word;
}

struct recording recording_parse(struct arena *arena, const char *text, const char *uname_text, const char *clock)
{
	struct recording o = { .boot_id = "" };
	const char *at = uname_text ? uname_text : "";

	o.system = take_word(arena, &at);
	o.host = take_word(arena, &at);
	o.release = take_word(arena, &at);
	o.machine = take_word(arena, &at);
	if (clock)
		timebase_find(clock, &o.clock);
	for (; text && *text; text = words_next_line(text))
		parse_line(arena, text, &o);
	return o;
}
