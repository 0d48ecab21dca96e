// SPDX-License-Identifier: GPL-2.0-only
/*
 * terminal.c - what the terminal of a descriptor, if it is one, can show.
 */
#include "base/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/macros.h"

bool colour_find(const char *name, enum colour_when *ret)
{
	static const char *const names[] = {
		[COLOUR_AUTO] = "auto", [COLOUR_ALWAYS] = "always", [COLOUR_NEVER] = "never",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (!strcmp(name, names[i])) {
			*ret = (enum colour_when)i;
			return true;
		}
	}
	return false;
}

/* Is the variable set, and not empty? */
static const char *value_of(const char *variable)
{
	const char *value = getenv(variable);

	return value && *value ? value : NULL;
}

bool terminal_has_colours(int fd, enum colour_when when)
{
	const char *term = value_of("TERM");

	if (when != COLOUR_AUTO)
		return when == COLOUR_ALWAYS;
	return term && strcmp(term, "dumb") && !value_of("NO_COLOR") && isatty(fd);
}

unsigned terminal_width(int fd)
{
	struct winsize size;

	return ioctl(fd, TIOCGWINSZ, &size) ? 0 : size.ws_col;
}

unsigned terminal_height(int fd)
{
	struct winsize size;

	return ioctl(fd, TIOCGWINSZ, &size) ? 0 : size.ws_row;
}

bool terminal_is_utf8(void)
{
	static const char *const variables[] = { "LC_ALL", "LC_CTYPE", "LANG" };

	for (size_t i = 0; i < ARRAY_SIZE(variables); i++) {
		const char *locale = value_of(variables[i]);

		if (locale)
			return strcasestr(locale, "UTF-8") || strcasestr(locale, "UTF8");
	}
	return false;
}
