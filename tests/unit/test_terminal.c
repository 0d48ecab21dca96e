// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_terminal.c - what a terminal can show, by a pseudo terminal and the environment.
 *
 * Expected is what no-color.org, GNU's --color and setlocale(3) say.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/terminal.h"
#include "print/palette.h"

#include "tap.h"

static void set(const char *name, const char *value)
{
	if (value)
		setenv(name, value, 1);
	else
		unsetenv(name);
}

static void test_colours(int terminal, int pipe)
{
	static const struct { const char *term, *no_color; bool colours; } cases[] = {
		{ "xterm", NULL, true },
		{ "xterm", "", true },		/* "when present and not an empty string" */
		{ "xterm", "1", false },
		{ "xterm", "0", false },	/* "regardless of its value" */
		{ "dumb", NULL, false },
		{ "", NULL, false },
		{ NULL, NULL, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		set("TERM", cases[i].term);
		set("NO_COLOR", cases[i].no_color);
		CHECK(terminal_has_colours(terminal, COLOUR_AUTO) == cases[i].colours, "auto, case %zu", i);
		CHECK(!terminal_has_colours(pipe, COLOUR_AUTO), "... not in a pipe");
		CHECK(terminal_has_colours(terminal, COLOUR_ALWAYS) && terminal_has_colours(pipe, COLOUR_ALWAYS), "... always");
		CHECK(!terminal_has_colours(terminal, COLOUR_NEVER), "... never");
	}
}

static void test_names(void)
{
	enum colour_when when = COLOUR_ALWAYS;

	CHECK(!colour_find("maybe", &when) && !colour_find("", &when) && when == COLOUR_ALWAYS, "another name changes nothing");
	CHECK(colour_find("never", &when) && when == COLOUR_NEVER, "never");
	CHECK(colour_find("auto", &when) && when == COLOUR_AUTO, "auto");
}

static void test_width(int terminal, int pipe)
{
	struct winsize size = { .ws_row = 24, .ws_col = 97 };

	CHECK(!terminal_width(terminal), "a new terminal does not know its width");
	ioctl(terminal, TIOCSWINSZ, &size);
	CHECK(terminal_width(terminal) == 97, "one that was told");
	CHECK(!terminal_width(pipe) && !terminal_width(-1), "a pipe and a closed descriptor have none");
}

static void test_utf8(void)
{
	static const struct { const char *all, *ctype, *lang; bool utf8; } cases[] = {
		{ NULL, NULL, NULL, false },
		{ NULL, NULL, "en_US.UTF-8", true },
		{ NULL, NULL, "de_DE.utf8", true },
		{ NULL, NULL, "de_DE", false },
		{ "C", NULL, "en_US.UTF-8", false },
		{ "", "C.UTF-8", "C", true },		/* an empty one counts as not set */
		{ NULL, "ja_JP.eucJP", "C.UTF-8", false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		set("LC_ALL", cases[i].all);
		set("LC_CTYPE", cases[i].ctype);
		set("LANG", cases[i].lang);
		CHECK(terminal_is_utf8() == cases[i].utf8, "UTF-8, case %zu", i);
	}
}

static void test_palette(void)
{
	static const char *const names[] = { "a", "b", "c", "d", "e", "f", "g" };
	struct palette off = { 0 }, on = { .on = true };
	const char *got[ARRAY_SIZE(names)];
	unsigned same = 0;

	CHECK(!*palette_event(&off, "a"), "no colours");
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		got[i] = palette_event(&on, names[i]);
	for (size_t i = 0; i < PALETTE_EVENTS; i++) {
		for (size_t k = 0; k < i; k++)
			same += got[i] == got[k];
	}
	CHECK(!same, "the first %d events have different colours", PALETTE_EVENTS);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		same += palette_event(&on, names[i]) != got[i];
	CHECK(!same, "all keep theirs");
}

int main(void)
{
	int terminal = posix_openpt(O_RDWR | O_NOCTTY), fds[2], slave = -1;

	if (!CHECK(terminal >= 0 && !grantpt(terminal) && !unlockpt(terminal) && !pipe(fds) &&
		   (slave = open(ptsname(terminal), O_RDWR | O_NOCTTY)) >= 0, "a terminal and a pipe"))
		return tap_done();
	test_colours(slave, fds[1]);
	test_names();
	test_width(slave, fds[1]);
	test_utf8();
	test_palette();
	return tap_done();
}
