// SPDX-License-Identifier: GPL-2.0-only
/*
 * verbs.c - what bprobe can be asked to do: one row for each verb, with what it takes.
 */
#include "cli/verbs.h"

#include <bpf/libbpf.h>
#include <stdio.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/version.h"
#include "cli/options.h"
#include "elf/demangle.h"
#include "elf/dwarf/lines.h"
#include "keep/keep.h"
#include "keep/kept_verbs.h"
#include "keep/remove.h"
#include "registry/registry.h"
#include "trace/trace.h"

static int list(const struct options *opts)
{
	struct diag diag = { 0 };
	struct buf text = { 0 };
	int status = 0;

	if (opts->keep.as_apply) {
		status = apply_list(opts, &text, &diag) ? report_error(&diag, EXIT_KERNEL) : 0;
		diag_fini(&diag);
		fputs(buf_str(&text), stdout);
		buf_fini(&text);
		return status;
	}
	/* All that can be listed are listed, even if others cannot. */
	if (kept_list(opts, &text, &diag))
		status = report_error(&diag, EXIT_KERNEL);
	diag_fini(&diag);
	if (registry_list(NULL, &text, &diag))
		status = report_error(&diag, EXIT_KERNEL);
	fputs(buf_str(&text), stdout);
	buf_fini(&text);
	diag_fini(&diag);
	return status;
}

static int doctor(const struct options *opts)
{
	(void)opts;
	return doctor_run(stdout) ? EXIT_KERNEL : 0;
}

static int help(const struct options *opts)
{
	(void)opts;
	fputs(options_help, stdout);
	return 0;
}

static int tell_version(const struct options *opts)
{
	printf("bprobe %s (commit %s, libbpf %u.%u%s%s)\n", bprobe_release, bprobe_commit, libbpf_major_version(), libbpf_minor_version(),
	       demangle_is_known ? "" : ", without libiberty", lines_is_known ? "" : ", without libdw");
	if (!opts->set.verbose)
		return 0;
	printf("compiler: %s\nlinked statically:\n", version_compiler);
	for (const struct version_linked *l = version_linked; l->project; l++) {
		printf("  %s %s (%s; %s", l->project, l->version, l->libraries, l->licence);
		if (strcmp(l->package, "-"))
			printf("; package %s %s", l->package, l->package_version);
		printf(")\n");
	}
	return 0;
}

static const char *remove_trouble(const struct options *opts)
{
	if (opts->all_tasks && opts->nr_words)
		return "-r takes --all or names, not both";
	if (!opts->nr_words && !opts->all_tasks)
		return "-r wants the names of the probes to remove ('bprobe -l' lists them), or --all";
	return NULL;
}

/* Definitions have blanks, brackets or a colon; names of kept probes have none of these. */
static bool names_kept(const struct options *opts)
{
	for (unsigned i = 0; i < opts->nr_words; i++) {
		if (opts->words[i].is_file || strpbrk(opts->words[i].text, " \t:("))
			return false;
	}
	return opts->record.snapshot && !opts->command;
}

static bool asks_schema(const struct options *opts)
{
	return opts->keep.schema;
}

static const char *report_trouble(const struct options *opts)
{
	if (opts->report_html && !opts->record.output && isatty(STDOUT_FILENO))
		return "--html is for a file or a pipe, not for a terminal: --report --html FILE.dat -o FILE.html";
	return NULL;
}

#define NO_DEFINITION	"no definition: say what to trace, such as 'p:myprobe do_sys_openat2'"
#define WANTS_NAMES	" wants the names of kept probes ('bprobe -l' lists them; '*' means all)"

enum {
	DEFINITIONS = TAKES_DEFINITIONS | TAKES_FILES | TAKES_SOURCE,
	PRINTED = TAKES_EVENTS | TAKES_LINES,
};

const struct verb verbs[] = {
	{ .run = trace_run, .least = 1, .wants = NO_DEFINITION,
	  .takes = DEFINITIONS | PRINTED | TAKES_CLOCK | TAKES_COMMAND | TAKES_DURATION | TAKES_OUTPUT | TAKES_KERNEL |
		   TAKES_WAIT | TAKES_SNAPSHOT | TAKES_STACK_LINES | TAKES_PRIVILEGES },
	{ .option = "--explain", .run = explain_run, .least = 1, .wants = NO_DEFINITION, .for_people = true, .explains = true,
	  .takes = DEFINITIONS | TAKES_COMMAND | TAKES_KERNEL | TAKES_SNAPSHOT },
	{ .option = "--translate", .run = translate_run, .takes = TAKES_FILES | TAKES_SOURCE },
	{ .option = "--functions", .run = functions_run, .least = 1, .takes = TAKES_KERNEL | TAKES_PROCESS,
	  .wants = "--functions wants a pattern of names, such as 'vfs_*', 'libc.so.6:mem*', 't:sched_*' or 'e:sched.*'" },
	{ .option = "--lines", .run = lines_run, .least = 1, .takes = TAKES_KERNEL | TAKES_SOURCE,
	  .wants = "--lines wants functions or files of the source, such as vfs_read, 'vfs_read:5-20', read_write.c or /bin/prog:main" },
	{ .option = "--vars", .run = vars_run, .least = 1, .takes = TAKES_KERNEL | TAKES_SOURCE,
	  .wants = "--vars wants places in the source, such as vfs_read, vfs_read:11, read_write.c:460 or /bin/prog:main.c:30" },
	{ .option = "--doctor", .run = doctor, .no_words = true, .for_people = true },
	{ .option = "--help", .letter = 'h', .run = help, .takes = TAKES_ANYTHING },
	{ .option = "--version", .letter = 'V', .run = tell_version, .takes = TAKES_ANYTHING },

	/* prints the events of a trace.dat */
	{ .option = "--read", .run = read_dat_run, .least = 1, .takes = PRINTED | TAKES_STACK_LINES | TAKES_CONVERSION | TAKES_RECORDED | TAKES_PRIVILEGES,
	  .wants = "--read wants a trace.dat that -o has written, such as: --read FILE.dat" },

	{ .option = "--report", .run = report_run, .least = 1, .takes = TAKES_EVENTS | TAKES_REPORT | TAKES_PRIVILEGES, .trouble = report_trouble,
	  .wants = "--report wants a trace.dat that -o has written, such as: --report FILE.dat" },

	/* for running bprobes and kept probes */
	{ .option = "--list", .letter = 'l', .run = list, .no_words = true, .takes_synthetic = true, .takes = TAKES_AS },
	{ .option = "--remove", .letter = 'r', .run = remove_run, .trouble = remove_trouble, .silent = true,
	  .takes = TAKES_WAIT },

	/* for kept probes */
	{ .option = "--keep", .run = keep_run, .least = 1, .wants = NO_DEFINITION, .takes = DEFINITIONS,
	  .silent = true, .keeps = true },
	{ .option = "--apply", .run = apply_run, .least = 1, .takes = TAKES_APPLY | TAKES_PRIVILEGES,
	  .wants = "--apply wants files or a directory, such as: --apply /etc/bprobe.d" },
	{ .option = "--enable", .run = enable_run, .silent = true },
	{ .option = "--disable", .run = disable_run, .least = 1, .wants = "--disable" WANTS_NAMES, .silent = true },
	{ .option = "--tracing-on", .run = tracing_on_run, .no_words = true, .silent = true },
	{ .option = "--tracing-off", .run = tracing_off_run, .no_words = true, .silent = true },
	{ .option = "--trace", .takes_synthetic = true, .run = read_kept_look, .takes = TAKES_LINES | TAKES_CLOCK | TAKES_STACK_LINES },
	{ .option = "--pipe", .takes_synthetic = true, .run = read_kept_pipe, .takes = PRINTED | TAKES_CLOCK | TAKES_DURATION | TAKES_OUTPUT | TAKES_PRIVILEGES },
	{ .option = "--snapshot", .takes_synthetic = true, .meant = names_kept, .run = read_kept_snapshot,
	  .takes = TAKES_LINES | TAKES_CLOCK | TAKES_SNAPSHOT, .silent = true },
	{ .option = "--renew", .run = renew_run, .silent = true },
	{ .option = "--clear", .takes_synthetic = true, .run = clear_run, .silent = true },
	{ .option = "--profile", .takes_synthetic = true, .run = kept_profile },
	{ .option = "--metrics", .takes_synthetic = true, .run = metrics_run, .takes = TAKES_METRICS },
	{ .option = "--format", .takes_synthetic = true, .run = kept_format, .least = 1, .wants = "--format" WANTS_NAMES },
	{ .option = "--schema", .takes_synthetic = true, .meant = asks_schema, .run = kept_schema, .least = 1, .wants = "--schema=clickhouse" WANTS_NAMES },
	{ .option = "--set-filter", .run = refilter_run, .least = 2, .most = 2, .silent = true,
	  .wants = "--set-filter wants a name of kept probes and a filter, such as: --set-filter myprobe 'dfd == -100'; "
		   "0 removes the filter" },
	{ .option = "--set-trigger", .takes_synthetic = true, .run = set_trigger_run, .least = 2, .most = 2, .silent = true,
	  .wants = "--set-trigger wants a name of kept probes and a trigger, such as: --set-trigger myprobe 'hist:keys=dfd'; "
		   "'!' before the trigger removes it" },
	{ .option = "--triggers", .takes_synthetic = true, .run = triggers_run, .least = 1, .wants = "--triggers" WANTS_NAMES },
	{ .option = "--hist", .takes_synthetic = true, .run = hist_run, .least = 1, .wants = "--hist" WANTS_NAMES },
};

const unsigned nr_verbs = sizeof(verbs) / sizeof(*verbs);

const struct verb *verb_of_letter(int letter)
{
	for (unsigned i = 0; i < nr_verbs; i++) {
		if (verbs[i].letter && verbs[i].letter == letter)
			return &verbs[i];
	}
	return NULL;
}
