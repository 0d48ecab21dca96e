// SPDX-License-Identifier: GPL-2.0-only
/*
 * main.c - reads the command line and runs its verb (verbs.c). Read trace.c first.
 */
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>

#include "base/diag.h"
#include "base/signals.h"
#include "cli/options.h"
#include "cli/standard.h"
#include "keep/store.h"
#include "trace/trace.h"

static int libbpf_quiet(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	(void)level;
	(void)fmt;
	(void)ap;
	return 0;
}

static int PRINTF_LIKE(2, 0) libbpf_loud(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	return level <= LIBBPF_INFO ? vfprintf(stderr, fmt, ap) : 0;
}

static int told(const struct options *opts, struct diag *diag)
{
	int status = report_error(diag, opts->command ? EXIT_COMMAND_OWN : EXIT_KERNEL);

	diag_fini(diag);
	return status;
}

static int run(const struct options *opts)
{
	struct diag diag = { 0 };
	int status, err;

	libbpf_set_print(opts->set.verbose ? libbpf_loud : libbpf_quiet);
	if (!opts->verb->silent && !opts->record.output && standard_output_closed()) {
		diag_set(&diag, -EBADF, "standard output is closed or opened for reading only, so bprobe cannot print");
		return told(opts, &diag);
	}
	/* Listed lines can be used as definitions. So their control characters are escaped only for a terminal. */
	if (opts->verb->for_people)
		standard_escape_output();
	status = opts->verb->run(opts);
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
	if (!status && !opts.set.self)
		store_leave_out(opts.keep.store, &self);
	if (!status)
		status = run(&opts);
	store_rejoin(&self);
	arena_fini(&arena);
	return status;
}
