// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_option.c - the options of a set: those that a kept event depends on become words, and these words are read again.
 *
 * What each option must set is written here; so is what an older bprobe kept (0.1.0 wrote the same words).
 */
#include "set/option.h"

#include <errno.h>
#include <getopt.h>
#include <string.h>

#include "run/identity.h"
#include "tap.h"

uint32_t identity_pidns(void)
{
	return 0;
}

static const struct set_option *find(const char *name)
{
	for (unsigned i = 0; i < nr_set_options; i++) {
		if (!strcmp(set_options[i].name, name))
			return &set_options[i];
	}
	return NULL;
}

static void test_kept_words(void)
{
	static const char *const words[] = {
		"--vmlinux=/no/such/vmlinux", "--source=/no/such/dir", "--no-inline", "--inline-chain", "--enum-names", "--alias",
		"--faithful", "--attach=kprobe", "--overwrite", "--buffer=2M", "--hist-memory=4M", "--not", "--comm=sh,cat", "--uid=7", "--self",
		"--rate=5/m", "--once",
	};
	struct arena arena = { 0 };
	struct set_opts o = { 0 };
	struct diag diag = { 0 };
	const struct tasks_condition *comms, *uids;

	CHECK(!set_options_read(&arena, words, ARRAY_SIZE(words), &o, &diag), "all words are read: %s", buf_str(&diag.msg));
	CHECK(!strcmp(o.machine.vmlinux, "/no/such/vmlinux") && !strcmp(o.machine.source, "/no/such/dir"), "the files");
	CHECK(o.no_inline && o.inline_chain && o.enum_names && o.alias && o.faithful && o.overwrites && o.self, "the flags");
	CHECK(o.attach && !strcmp(o.attach->name, "kprobe") && !o.single, "the way to attach");
	CHECK(o.hist_memory == 4 << 20 && o.buffer == 2 << 20, "2M and 4M are 2097152 and 4194304 bytes");
	/* Five hits a minute: one each 12 seconds. */
	CHECK(o.limit.once && o.limit.interval_ns == 12000000000ull, "the limits: one each %llu ns", (unsigned long long)o.limit.interval_ns);
	comms = &o.tasks.conditions[TASKS_COMM][1];
	uids = &o.tasks.conditions[TASKS_UID][0];
	CHECK(comms->nr == 2 && !o.tasks.conditions[TASKS_COMM][0].nr, "--not is for the next option");
	CHECK(uids->nr == 1 && uids->numbers[0] == 7 && !o.tasks.conditions[TASKS_UID][1].nr, "... and for no other one");
	CHECK(!o.no_lint && !o.verbose && !o.machine.kallsyms, "nothing else is set");
	diag_fini(&diag);
	arena_fini(&arena);
}

/* A word that is none must never be taken for another one: the programs would be loaded with other options. */
static void test_refused_words(void)
{
	static const char *const words[] = {
		"", "--", "-p", "--pid", "--sel", "--selfish", "--self=1", "--attach", "--attach=none", "--rate=0", "--rate=", "--hist-memory=0",
		"--hist-memory=1025G", "--uid=4294967295", "--pidns=/no/such", "self",
		"--kallsyms=/x", "--btf=/x", "--verbose", "--no-lint",	/* options of a set that are not kept */
		"--json", "--keep",						/* other options */
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		struct arena arena = { 0 };
		struct set_opts o = { 0 };
		struct diag diag = { 0 };
		int err = set_options_read(&arena, &words[i], 1, &o, &diag);

		CHECK(err == -EINVAL && diag.msg.len, "'%s' is refused: %s", words[i], buf_str(&diag.msg));
		diag_fini(&diag);
		arena_fini(&arena);
	}
}

/* Limits of sizes: N is taken, and N + 1 is not. */
static void test_sizes(void)
{
	static const struct { const char *name, *text; bool good; uint64_t value; } rows[] = {
		{ "buffer", "1", true, 1 }, { "buffer", "0", false, 0 }, { "buffer", "1G", true, 1ull << 30 },
		{ "buffer", "1073741824", true, 1ull << 30 }, { "buffer", "1073741825", false, 0 }, { "buffer", "1048577K", false, 0 },
		{ "hist-memory", "1024G", true, 1ull << 40 }, { "hist-memory", "1025G", false, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct arena arena = { 0 };
		struct set_opts o = { 0 };
		struct diag diag = { 0 };
		int err = set_option_take(find(rows[i].name), &arena, &o, false, rows[i].text, &diag);

		CHECK(!err == rows[i].good && o.buffer + o.hist_memory == rows[i].value, "--%s %s is %s", rows[i].name, rows[i].text,
		      rows[i].good ? "taken" : "refused");
		diag_fini(&diag);
		arena_fini(&arena);
	}
}

/* Each row can be kept and read again, and no two rows have one name. */
static void test_rows(void)
{
	for (unsigned i = 0; i < nr_set_options; i++) {
		const struct set_option *o = &set_options[i];
		struct arena arena = { 0 };
		const char *word = set_option_word(o, &arena, o->has_arg == no_argument ? NULL : "/dev/null");

		CHECK(find(o->name) == o, "%s: one row", o->name);
		CHECK(!strncmp(word + 2, o->name, strlen(o->name)), "%s: its word is %s", o->name, word);
		CHECK(!o->selects || o->kept, "%s: what chooses tasks is kept", o->name);
		arena_fini(&arena);
	}
}

int main(void)
{
	test_kept_words();
	test_refused_words();
	test_sizes();
	test_rows();
	return tap_done();
}
