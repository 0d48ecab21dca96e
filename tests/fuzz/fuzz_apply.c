// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_apply.c - any bytes as a file for --apply (see fuzz.h): each caret lies in its line, and no line is lost. Links only base/ and
 * keep/apply_text.c.
 */
#include "base/macros.h"

static const char fuzz_name[] = "fuzz_apply";
static const char *const fuzz_seeds[] = {
	"# who\np:open do_sys_openat2 filename=+0(%si):string\n\tfilter dfd == -100\n\trate 100/s\n\nr:back f $retval\n\tonly kernel 5.15-6.1\n",
	"p:a f\np:b g\n  trigger hist:keys=a\n\n  disabled\n",
	"\tonce\n",
};

static const char *const fuzz_words[] = {
	"p:", "\n", "\t", " ", "#", "\r", "filter ", "trigger ", "only ", "except ", "kernel ", "host ", "5.15-6.1", "-", "5.255", ".", "not ", "comm ",
	"disabled", "\n\n", "\n\t", "\x80", "\v",
};

#include "fuzz.h"
#include "keep/apply_text.h"

static void check_setting(const struct apply_setting *s, const char *text)
{
	struct apply_range range;

	check_span(s->name_at, s->from.text);
	require(s->value_at.off + s->value_at.len == strlen(s->from.text), "a value does not end with its line", text);
	require(s->name_at.len, "a setting without a name", text);
	if (!apply_range_parse(s->value, &range))
		require(range.from <= range.to, "an empty range", text);
}

static void check_text(const char *text)
{
	struct apply_block *blocks = NULL;
	struct arena arena = { 0 };
	struct diag d = { 0 };
	unsigned nr = 0, last = 0;

	if (apply_text_parse(&arena, text, &blocks, &nr, &d)) {
		require(d.line && d.text && d.at.off + d.at.len <= strlen(d.text), "refused without a place", text);
	} else {
		for (unsigned i = 0; i < nr; i++) {
			require(blocks[i].nr_definitions, "a block without a definition", text);
			for (unsigned n = 0; n < blocks[i].nr_definitions; n++) {
				require(blocks[i].definitions[n].line > last, "lines are not in their order", text);
				last = blocks[i].definitions[n].line;
			}
			for (unsigned n = 0; n < blocks[i].nr_settings; n++) {
				require(blocks[i].settings[n].from.line > last, "settings are not in their order", text);
				last = blocks[i].settings[n].from.line;
				check_setting(&blocks[i].settings[n], text);
			}
		}
	}
	diag_fini(&d);
	arena_fini(&arena);
}
