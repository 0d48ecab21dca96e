// SPDX-License-Identifier: GPL-2.0-only
/*
 * option.c - the options of a set.
 */
#include "set/option.h"

#include <errno.h>
#include <getopt.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/number.h"
#include "lang/dialect.h"
#include "set/tasks_option.h"

/* ---- options with a value of their own form ---- */

/* "20", "20/s", "5/m", "3/ms" */
static int take_rate(struct arena *arena, struct set_opts *opts, const char *text, struct diag *diag)
{
	static const struct { const char *name; uint64_t ns; } units[] = {
		{ "", 1000000000 }, { "/s", 1000000000 }, { "/m", 60000000000 }, { "/ms", 1000000 },
	};
	size_t len = strspn(text, "0123456789");
	uint64_t n;

	(void)arena;
	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		if (strcmp(text + len, units[i].name) || number_u64(text, len, 10, &n))
			continue;
		if (!limit_set_rate(&opts->limit, n, units[i].ns))
			return 0;
		return diag_set(diag, -EINVAL, "--rate wants 1 hit or more, and no more than %d a second, not '%s'", LIMIT_MAX_PER_SECOND,
				text);
	}
	return diag_set(diag, -EINVAL, "--rate wants hits for each second, minute or millisecond, such as 100/s, 5/m or 2/ms, not '%s'", text);
}

static int take_attach(struct arena *arena, struct set_opts *opts, const char *text, struct diag *diag)
{
	struct buf names = { 0 };

	(void)arena;
	opts->attach = backend_find(text);
	opts->single = !strcmp(text, "single");
	if (opts->attach || opts->single || !strcmp(text, "auto"))
		return 0;
	for (unsigned i = 0; backends[i]; i++)
		buf_addf(&names, "%s%s", backends[i + 1] ? ", " : " or ", backends[i]->name);
	diag_set(diag, -EINVAL, "--attach wants auto, single%s, not '%s'", buf_str(&names), text);
	buf_fini(&names);
	return -EINVAL;
}

static int take_dialect(struct arena *arena, struct set_opts *opts, const char *text, struct diag *diag)
{
	(void)arena;
	return dialect_find(text, &opts->dialect) ? 0 :
	       diag_set(diag, -EINVAL, "--dialect wants kprobe, rfc-v2, v13 or function, not '%s'", text);
}

static int take_buffer(struct arena *arena, struct set_opts *opts, const char *text, struct diag *diag)
{
	(void)arena;
	return number_size("--buffer", text, SET_BUFFER_MAX, "1G", &opts->buffer, diag);
}

static int take_hist_memory(struct arena *arena, struct set_opts *opts, const char *text, struct diag *diag)
{
	(void)arena;
	return number_size("--hist-memory", text, 1ull << 40, "1024G", &opts->hist_memory, diag);
}

/* ---- the table ---- */

#define FLAG(member)	.has_arg = no_argument, .at = offsetof(struct set_opts, member)
#define TEXT(member)	.has_arg = required_argument, .at = offsetof(struct set_opts, member)
#define VALUE(how)	.has_arg = required_argument, .take = how
#define TASKS(by)	.selects = true, .kept = true, .kind = by

const struct set_option set_options[] = {
	{ "verbose", FLAG(verbose), .letter = 'v' },
	{ "no-lint", FLAG(no_lint) },
	{ "kallsyms", TEXT(machine.kallsyms) },
	{ "btf", TEXT(machine.btf) },
	{ "kcore", TEXT(machine.kcore) },
	{ "vmlinux", TEXT(machine.vmlinux), .kept = true, .is_path = true },
	{ "source", TEXT(machine.source), .kept = true, .is_path = true },
	{ "no-inline", FLAG(no_inline), .kept = true },
	{ "inline-chain", FLAG(inline_chain), .kept = true },
	{ "dialect", VALUE(take_dialect) },
	{ "containers", FLAG(containers) },
	{ "enum-names", FLAG(enum_names), .kept = true },
	{ "alias", FLAG(alias), .kept = true },
	{ "faithful", FLAG(faithful), .kept = true },
	{ "attach", VALUE(take_attach), .kept = true },
	{ "buffer", VALUE(take_buffer), .kept = true },
	{ "overwrite", FLAG(overwrites), .kept = true },
	{ "hist-memory", VALUE(take_hist_memory), .kept = true },
	{ "pid", .has_arg = required_argument, .letter = 'p', TASKS(TASKS_PID) },
	{ "tid", .has_arg = required_argument, TASKS(TASKS_TID) },
	{ "comm", .has_arg = required_argument, TASKS(TASKS_COMM) },
	{ "uid", .has_arg = required_argument, TASKS(TASKS_UID) },
	{ "cgroup", .has_arg = required_argument, TASKS(TASKS_CGROUP) },
	{ "pidns", .has_arg = optional_argument, TASKS(TASKS_PIDNS) },
	{ "mntns", .has_arg = optional_argument, TASKS(TASKS_MNTNS) },
	{ "self", FLAG(self), .kept = true },
	{ "rate", VALUE(take_rate), .kept = true },
	{ "once", FLAG(limit.once), .kept = true },
};

const unsigned nr_set_options = ARRAY_SIZE(set_options);

int set_option_take(const struct set_option *o, struct arena *arena, struct set_opts *opts, bool inverted, const char *arg,
		    struct diag *diag)
{
	void *at = (char *)opts + o->at;

	if (o->selects)
		return tasks_option(arena, &opts->tasks, o->kind, inverted, arg, diag);
	if (o->take)
		return o->take(arena, opts, arg, diag);
	if (o->has_arg == no_argument)
		*(bool *)at = true;
	else
		*(const char **)at = arg;
	return 0;
}

/* ---- as words ---- */

const char *set_option_word(const struct set_option *o, struct arena *arena, const char *arg)
{
	auto_free char *whole = o->is_path ? realpath(arg, NULL) : NULL;

	return arg ? arena_printf(arena, "--%s=%s", o->name, whole ? whole : arg) : arena_printf(arena, "--%s", o->name);
}

static const struct set_option *find_word(const char *word, const char **ret_arg)
{
	size_t len = strcspn(word, "=");

	*ret_arg = word[len] ? word + len + 1 : NULL;
	for (unsigned i = 0; len > 2 && i < nr_set_options; i++) {
		const struct set_option *o = &set_options[i];

		if (strlen(o->name) == len - 2 && !memcmp(o->name, word + 2, len - 2) && o->kept &&
		    (*ret_arg ? o->has_arg != no_argument : o->has_arg != required_argument))
			return o;
	}
	return NULL;
}

int set_options_read(struct arena *arena, const char *const *words, unsigned nr, struct set_opts *ret, struct diag *diag)
{
	bool inverted = false;

	for (unsigned i = 0; i < nr; i++) {
		const struct set_option *o;
		const char *arg;
		int err;

		if (!strcmp(words[i], SET_OPTION_NOT)) {
			inverted = true;
			continue;
		}
		o = find_word(words[i], &arg);
		if (!o)
			return diag_set(diag, -EINVAL, "%s is no option that this bprobe keeps", words[i]);
		err = set_option_take(o, arena, ret, inverted, arg, diag);
		if (err)
			return err;
		inverted = false;
	}
	return tasks_exist(&ret->tasks, diag);
}
