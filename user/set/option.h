/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * option.h - the options of a set: a row for each. cli/ takes them from the command line. Those that a kept event depends on are kept
 * with it as words, and keep/ reads these again.
 */
#ifndef SET_OPTION_H
#define SET_OPTION_H

#include "base/arena.h"
#include "base/diag.h"
#include "set/opts.h"

struct set_option {
	const char *name;		/* without its dashes */
	int has_arg;			/* as in struct option of getopt_long(3) */
	char letter;			/* the same as a short option; 0: none */
	bool kept;			/* a kept event depends on it */
	bool is_path;			/* it is kept as an absolute path, because it is used from other directories, too */
	bool selects;			/* it chooses tasks: --not may stand in front of it */
	enum tasks_kind kind;		/* ... by this */
	/* Sets what the option means, @arg NULL: it was given without a value. -EINVAL with a sentence in @diag. NULL: it is a flag. */
	int (*take)(struct arena *arena, struct set_opts *opts, const char *arg, struct diag *diag);
	size_t at;			/* of a flag, or of a text that is taken as it is: its offset in struct set_opts */
};

extern const struct set_option set_options[];
extern const unsigned nr_set_options;

/*
 * Takes one option for @opts; @inverted: --not stands in front of it. -EINVAL with a sentence in @diag. Texts are borrowed; the rest of the
 * memory is from @arena.
 */
int set_option_take(const struct set_option *o, struct arena *arena, struct set_opts *opts, bool inverted, const char *arg,
		    struct diag *diag);

/* The word by which a kept event keeps @o, in @arena. */
const char *set_option_word(const struct set_option *o, struct arena *arena, const char *arg);

/* Reads the words of a kept event. "--not" is a word of its own. -EINVAL with @diag: a word is none of this bprobe's. */
int set_options_read(struct arena *arena, const char *const *words, unsigned nr, struct set_opts *ret, struct diag *diag);

#define SET_OPTION_NOT	"--not"

#endif
