// SPDX-License-Identifier: GPL-2.0-only
/*
 * main.c - which of bprobe's verbs was asked for. trace.c is the page to read first.
 */
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>

#include "base/diag.h"
#include "cli/clear.h"
#include "cli/doctor.h"
#include "cli/enable.h"
#include "cli/explain.h"
#include "cli/functions.h"
#include "cli/keep.h"
#include "cli/kept_verbs.h"
#include "cli/options.h"
#include "cli/read_dat.h"
#include "cli/read_kept.h"
#include "cli/refilter.h"
#include "cli/remove.h"
#include "cli/standard.h"
#include "cli/trace.h"
#include "cli/translate.h"
#include "run/registry.h"
#include "run/store.h"
#include "trace/signals.h"
#include "trace/version.h"

static int libbpf_quiet(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	(void)level;
	(void)fmt;
	(void)ap;
	return 0;
}

static int libbpf_loud(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	return level <= LIBBPF_INFO ? vfprintf(stderr, fmt, ap) : 0;
}

static int list(const struct options *opts)
{
	struct diag diag = { 0 };
	struct buf text = { 0 };
	int status = 0;

	/* Those that can be listed are, even if others cannot. */
	if (kept_list(opts, &text, &diag))
		status = trace_failed(opts, &diag, EXIT_KERNEL);
	diag_fini(&diag);
	if (registry_list(NULL, &text, &diag))
		status = trace_failed(opts, &diag, EXIT_KERNEL);
	fputs(buf_str(&text), stdout);
	buf_fini(&text);
	diag_fini(&diag);
	return status;
}

static int run_verb(const struct options *opts)
{
	switch (opts->verb) {
	case VERB_LIST:
		return list(opts);
	case VERB_REMOVE:
		return remove_run(opts);
	case VERB_EXPLAIN:
		return explain_run(opts);
	case VERB_FUNCTIONS:
		return functions_run(opts);
	case VERB_DOCTOR:
		return doctor_run(stdout) ? EXIT_KERNEL : 0;
	case VERB_TRANSLATE:
		return translate_run(opts);
	case VERB_HELP:
		fputs(options_help, stdout);
		return 0;
	case VERB_VERSION:
		printf("bprobe %s (libbpf %u.%u)\n", version, libbpf_major_version(),
		       libbpf_minor_version());
		return 0;
	case VERB_KEEP:
		return keep_run(opts);
	case VERB_ENABLE:
	case VERB_DISABLE:
		return enable_run(opts);
	case VERB_CLEAR:
		return clear_run(opts);
	case VERB_PROFILE:
		return kept_profile(opts);
	case VERB_FORMAT:
		return kept_format(opts);
	case VERB_SET_FILTER:
		return refilter_run(opts);
	case VERB_DUMP:
		return read_kept_look(opts);
	case VERB_READ:
		return read_dat_run(opts);
	case VERB_PIPE:
		return read_kept_pipe(opts);
	default:
		return trace_run(opts);
	}
}

/* Lines of a listing are definitions again, so control characters in them are escaped for a terminal only. */
static bool is_for_people(enum verb verb)
{
	return verb == VERB_EXPLAIN || verb == VERB_DOCTOR;
}

/* Does it print what was asked for, and not on standard error? */
static bool prints(const struct options *opts)
{
	switch (opts->verb) {
	case VERB_KEEP:
	case VERB_ENABLE:
	case VERB_DISABLE:
	case VERB_REMOVE:
	case VERB_CLEAR:
	case VERB_SET_FILTER:
		return false;
	default:
		return !opts->output;
	}
}

static int told(const struct options *opts, struct diag *diag)
{
	int status = trace_failed(opts, diag, EXIT_KERNEL);

	diag_fini(diag);
	return status;
}

static int run(const struct options *opts)
{
	struct diag diag = { 0 };
	int status, err;

	libbpf_set_print(opts->verbose ? libbpf_loud : libbpf_quiet);
	if (prints(opts) && standard_output_closed()) {
		diag_set(&diag, -EBADF, "standard output is closed, or was opened for reading only: there is nowhere to print to");
		return told(opts, &diag);
	}
	if (is_for_people(opts->verb))
		standard_escape_output();
	status = run_verb(opts);
	err = standard_end();
	if (err && err != -EPIPE) {
		int own;

		diag_set(&diag, err, "cannot write to standard output: %s", strerror(-err));
		own = told(opts, &diag);
		status = status ? status : own;
	}
	return status;
}

int main(int argc, char **argv)
{
	struct arena arena = { 0 };
	struct left_out self = { 0 };
	struct options opts;
	int status;

	standard_open();
	signals_ignore_file_size();
	status = options_parse(&arena, argc, argv, &opts);
	if (!status && !opts.self)
		store_leave_out(opts.store, &self);
	if (!status)
		status = run(&opts);
	store_rejoin(&self);
	arena_fini(&arena);
	return status;
}
