// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_listing.c - which probe a '-:' line means, and which lines mean the same probe
 *
 * The rules are those of trace_kprobe_match_command_head() of 6.12: the place, then as many arguments as are
 * written, each as it is listed, and never more than the probe has.
 */
#include <string.h>

#include "lang/listing.h"
#include "tap.h"

static const char probe[] = "p:kprobes/e vfs_read+4 a=%di b=+0(%si):string if a == 1 && b ~ \"x y\" # enabled, kept";

static const struct { const char *words; bool begins; } cases[] = {
	{ "e", true }, { "e vfs_read+4", true }, { "e vfs_read+4 a=%di", true }, { "e vfs_read+4 a=%di b=+0(%si):string", true },
	{ "e   vfs_read+4\ta=%di ", true }, { "e vfs_read+4 # a comment", true },
	{ "e vfs_read", false }, { "e vfs_read+0x4", false }, { "e vfs_read+4 %di", false }, { "e vfs_read+4 b=+0(%si):string", false },
	{ "e vfs_read+4 a=%di b=+0(%si):string if", false }, { "e a=%di", false }, { "e vfs_read+4 a=%d", false },
};

/* dynevent/add_remove_eprobe.tc of the kernel's own tests removes with both forms. Of other kinds a '/' is a '/'. */
static const struct { const char *probe, *words; bool begins; } events[] = {
	{ "e:eprobes/e g.ev file=+0($f):ustring", "e g/ev", true }, { "e:eprobes/e g.ev file=+0($f):ustring", "e g.ev", true },
	{ "e:eprobes/e g.ev file=+0($f):ustring", "e g/ev file=+0($f):ustring", true },
	{ "e:eprobes/e g.ev file=+0($f):ustring", "e g/ev file=+0($f):string", false },
	{ "e:eprobes/e g.ev", "e g/e", false }, { "e:eprobes/e g.ev", "e h/ev", false }, { "e:eprobes/e g.ev", "e /gev", false },
	{ "p:uprobes/e /bin/a.b:0x10", "e /bin/a.b:0x10", true }, { "p:uprobes/e /bin/a.b:0x10", "e /bin/a/b:0x10", false },
	{ "t:tracepoints/e g.ev", "e g/ev", false },
};

static const struct { const char *other; bool same; } others[] = {
	{ "p:g/other vfs_read+4 a=%di b=+0(%si):string", true }, { "r9:e vfs_read+4 a=%di b=+0(%si):string if a == 2", true },
	{ "p:kprobes/e vfs_read+4 a=%di", false }, { "p:kprobes/e vfs_read a=%di b=+0(%si):string", false },
	{ "p:kprobes/e vfs_read+4 a=%di b=+0(%si):string c=%di", false },
};

int main(void)
{
	struct arena arena = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *name;
		unsigned nr;
		const struct match *words = listing_words(&arena, cases[i].words, &name, &nr);

		CHECK(!strcmp(name, "e") && listing_begins(probe, words, nr) == cases[i].begins, "-:%s %s it", cases[i].words,
		      cases[i].begins ? "means" : "does not mean");
	}
	for (size_t i = 0; i < ARRAY_SIZE(events); i++) {
		const char *name;
		unsigned nr;
		const struct match *words = listing_words(&arena, events[i].words, &name, &nr);

		CHECK(listing_begins(events[i].probe, words, nr) == events[i].begins, "-:%s %s %s", events[i].words,
		      events[i].begins ? "means" : "does not mean", events[i].probe);
	}
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		CHECK(listing_same(probe, others[i].other) == others[i].same, "%s is %s", others[i].other,
		      others[i].same ? "the same" : "another");
	arena_fini(&arena);
	return tap_done();
}
