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
#include "cli/options.h"
#include "cli/trace.h"
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

	int err = registry_list(NULL, &text, &diag);

	/* Those that answered are listed even if one did not. */
	fputs(buf_str(&text), stdout);
	fflush(stdout);
	if (err)
		status = trace_failed(opts, &diag, EXIT_KERNEL);
	buf_fini(&text);
	diag_fini(&diag);
	return status;
}

/* Every name is tried, so that one wrong name does not keep the others alive. */
static int remove_named(const struct options *opts)
{
	int status = 0;

	for (unsigned i = 0; i < opts->nr_words; i++) {
		const char *name = opts->words[i].text;
		struct diag diag = { 0 };
		int n;

		if (!strncmp(name, "-:", 2))
			name += 2;
		n = registry_remove(NULL, name, &diag);
		if (n == 0)
			diag_set(&diag, -ENOENT, "no running bprobe has a probe called '%s'; "
				 "'bprobe -l' lists those that there are", name);
		if (n <= 0)
			status = trace_failed(opts, &diag, n == 0 ? EXIT_BAD_DEFINITION : EXIT_KERNEL);
		diag_fini(&diag);
	}
	return status;
}

static int run_verb(const struct options *opts)
{
	switch (opts->verb) {
	case VERB_LIST:
		return list(opts);
	case VERB_REMOVE:
		return remove_named(opts);
	case VERB_EXPLAIN:
		return explain_run(opts);
	case VERB_FUNCTIONS:
		return functions_run(opts);
	case VERB_DOCTOR:
		return doctor_run(stdout) ? EXIT_KERNEL : 0;
	case VERB_HELP:
		fputs(options_help, stdout);
		return 0;
	case VERB_VERSION:
		printf("bprobe %s (libbpf %u.%u)\n", version, libbpf_major_version(),
		       libbpf_minor_version());
		return 0;
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
