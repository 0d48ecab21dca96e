// SPDX-License-Identifier: GPL-2.0-only
/*
 * lines.c - the sink and the form of lines that the options ask for.
 */
#include "stream/lines.h"

#include <stdio.h>
#include <unistd.h>

#include "base/terminal.h"
#include "stream/record.h"
#include "stream/stream.h"

const struct sink *lines_sink(const struct options *o, int fd)
{
	const struct sink *sink = o->record.output ? record_kind_of(o->record.output)->sink : o->lines.sink ? o->lines.sink : style_sink(o->lines.style);

	return sink->on_terminal && !o->lines.raw_strings && isatty(fd) ? sink->on_terminal : sink;
}

struct text lines_text(const struct options *o, const struct ksyms *ks, int fd)
{
	bool utf8 = terminal_is_utf8();

	return (struct text){ .ks = ks, .raw_strings = o->lines.raw_strings, .style = o->lines.style, .columns = o->lines.columns,
			      .base.clock = o->lines.clock, .sender = o->lines.sender, .comma_arrays = o->lines.comma_arrays,
			      .utf8 = utf8, .ascii = !utf8 && isatty(fd),
			      .palette.on = terminal_has_colours(fd, o->lines.colour) };
}

void lines_warn(const struct options *o, const struct source *sources, unsigned nr)
{
	const char *doubt = NULL, *event = NULL;
	unsigned others = 0;

	for (unsigned i = 0; o->lines.preset && o->lines.preset->doubt && i < nr; i++) {
		const struct layout *l = sources[i].layout;
		const char *found = l ? o->lines.preset->doubt(l) : NULL;

		if (found && doubt) {
			others++;
		} else if (found) {
			doubt = found;
			event = l->event;
		}
	}
	if (!doubt)
		return;
	fprintf(stderr, "bprobe: warning: %s", event);
	if (others)
		fprintf(stderr, " and %u more", others);
	fprintf(stderr, ": %s %s\n", o->lines.preset->name, doubt);
}

const struct record_kind *lines_snapshot_kind(const struct options *o)
{
	return o->record.snapshot ? record_kind_of_snapshot(o->record.snapshot) : NULL;
}
