// SPDX-License-Identifier: GPL-2.0-only
/*
 * main.c - which of bprobe's verbs was asked for. trace.c is the page to read first.
 */
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/diag.h"
#include "cli/doctor.h"
#include "cli/explain.h"
#include "cli/functions.h"
#include "cli/keep.h"
#include "cli/kept_verbs.h"
#include "cli/options.h"
#include "cli/read_dat.h"
#include "cli/read_kept.h"
#include "cli/refilter.h"
#include "cli/remove.h"
#include "cli/trace.h"
#include "cli/translate.h"
#include "cli/version.h"
#include "run/registry.h"

/* What is opened must not become standard input, output or error where those are closed. */
static void open_standard_io(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

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
		return kept_enable(opts);
	case VERB_CLEAR:
		return kept_clear(opts);
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

int main(int argc, char **argv)
{
	struct arena arena = { 0 };
	struct options opts;
	int status;

	open_standard_io();
	status = options_parse(&arena, argc, argv, &opts);
	if (!status) {
		libbpf_set_print(opts.verbose ? libbpf_loud : libbpf_quiet);
		status = run_verb(&opts);
	}
	if (fflush(stdout) && !status && errno != EPIPE)
		status = EXIT_KERNEL;
	arena_fini(&arena);
	return status;
}
