// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_option.c - any bytes as the value of each option of a set (see fuzz.h): it is refused with a reason, or the word by which it is kept is read
 * again and kept alike. Numbers, sizes and rates are read here. And as a time (--since, --until): the same digits mean the same one.
 */
#include "set/option.h"

#include <getopt.h>

#include "base/number.h"
#include "cli/options_read.h"
#include "run/identity.h"

static const char fuzz_name[] = "fuzz_option";
static const char *const fuzz_seeds[] = {
	"100/s", "5/m", "2/ms", "256K", "4M", "1G", "kprobe", "auto", "single", "rfc-v2", "1,2,3", "sh,cat", "root", "0", "self", "a?b*", "\"x,y\"", "1234.567890",
	"+1.5",
};

static const char *const fuzz_words[] = {
	"/s", "/m", "/ms", "K", "M", "G", ",", "0", "1", "10000000", "10000001", "18446744073709551615", "18446744073709551616", "root", "sh", "fentry", "single",
	"v13", "-", "+", "=", "\x80", "\n", "\x1b[", "0x10", "4194304", ".", "18446744073",
	"000000001",
};

#include "fuzz.h"

/* It needs bpf(2). */
uint32_t identity_pidns(void)
{
	return 0;
}

/* Option number @i as a word. */
static void check_word(struct arena *arena, const struct set_option *o, const char *text)
{
	const char *word = set_option_word(o, arena, text);
	struct set_opts opts = { 0 };
	struct diag d = { 0 };

	/* A process may not exist, which is asked when the word is read. */
	if (set_options_read(arena, &word, 1, &opts, &d))
		require(o->selects && (o->kind == TASKS_PID || o->kind == TASKS_TID), "kept as a word that is refused", word);
	diag_fini(&d);
}

static void check_option(const struct set_option *o, const char *text)
{
	struct set_opts opts = { 0 };
	struct arena arena = { 0 };
	struct diag d = { 0 };
	int err = set_option_take(o, &arena, &opts, false, text, &d);

	if (err) {
		require(err == d.err, "refused, but not quite", text);
		check_refusal(&d, text);
	} else if (o->kept) {
		check_word(&arena, o, text);
	}
	diag_fini(&d);
	arena_fini(&arena);
}

/* What was read is printed with all digits, and is read as the same time again. */
static void check_moment(const char *text)
{
	struct options o = { 0 }, again = { 0 };
	struct diag d = { 0 };
	struct buf printed = { 0 };

	if (options_moment(&o, true, text, &d)) {
		check_refusal(&d, text);
	} else {
		const struct moment *m = &o.run.until;

		buf_addf(&printed, "%s%llu.%09llu", m->relative ? "+" : "", (unsigned long long)m->ns / 1000000000u, (unsigned long long)m->ns % 1000000000u);
		require(m->given && !options_moment(&again, false, buf_str(&printed), &d) && again.run.since.ns == m->ns &&
			again.run.since.relative == m->relative, "another time", text);
	}
	diag_fini(&d);
	buf_fini(&printed);
}

static void check_text(const char *text)
{
	check_moment(text);
	for (unsigned i = 0; i < nr_set_options; i++) {
		const struct set_option *o = &set_options[i];

		/* Files are only opened later. A directory of cgroups stays open until the end. */
		if (o->has_arg != no_argument && (o->take || o->selects) && o->kind != TASKS_CGROUP)
			check_option(o, text);
	}
}
