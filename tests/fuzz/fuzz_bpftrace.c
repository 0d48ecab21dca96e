// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_bpftrace.c - any bytes as a program of bpftrace (see fuzz.h). The command that is shown in its place has quotes in pairs, one definition
 * in the first pair, and this is a definition that bprobe takes; only a name may be one that it refuses, or a text too long.
 */
#include "base/macros.h"
#include "lang/bpftrace.h"

static const char fuzz_name[] = "fuzz_bpftrace";
static const char *const fuzz_seeds[] = {
	"/pid == 12 && comm == \"sh\"/ { @[comm, tid, cpu, func, kstack] = count(); }", "{ @ = hist(retval); }", "{ @x[arg0] = sum(arg2) }",
	"/arg1 > 0x1f && str(arg0) == \"/etc\" && args->dfd != -100/ { printf(\"%s %d\\n\", str(args.filename), arg3); }",
	"{ @[args->name, str(args.text)] = lhist(args->size, 0, 1000, 10); }", "{ @a = avg(retval); }", "/tid != 7/ { @m[probe] = max(args->x) }",
	"{ printf(\"%d",		/* what is behind its end was read */
	"/str(arg0) == \"a\nb\"/ { @ = count(); }",
};

static const char *const fuzz_words[] = {
	"/", "{", "}", "@", "[", "]", "=", "(", ")", ",", ";", "\"", "\\", "'", "==", "!=", "<", ">=", "&&", "pid", "tid", "comm", "cpu", "func", "probe",
	"kstack", "arg0", "arg9", "args", "->", ".", "retval", "str(", "count()", "hist(", "lhist(", "sum(", "avg(", "min(", "max(", "printf(", "0x1f",
	"-1", "18446744073709551616", "x", "name", "\n", "\t", "\x80", "\x1b", "if", "$",
};

#include "fuzz_def.h"

static const char *const places[] = { "p vfs_read", "r vfs_read", "e sched.sched_switch", "p:probe /bin/sh:main" };

static void check_command(const char *command, const char *text)
{
	const char *from = strchr(command, '\''), *end = from ? strchr(from + 1, '\'') : NULL;
	struct arena arena = { 0 };
	struct probe_def *def = NULL;
	struct diag d = { 0 };
	unsigned quotes = 0;

	for (const char *at = command; *at; at++)
		quotes += *at == '\'';
	require(end && quotes % 2 == 0, "quotes of the shell are not closed", command);
	if (kprobe_parse(&arena, arena_strndup(&arena, from + 1, (size_t)(end - from - 1)), &def, &d))
		require(strstr(buf_str(&d.msg), "at most") || strstr(buf_str(&d.msg), "name") || strstr(buf_str(&d.msg), "argument"), buf_str(&d.msg), command);
	diag_fini(&d);
	arena_fini(&arena);
	(void)text;
}

static void check_text(const char *text)
{
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		struct buf out = { 0 };

		buf_adds(&out, "before");
		if (bpftrace_translate(text, places[i], &out))
			check_command(buf_str(&out) + strlen("before"), text);
		else
			require(!strcmp(buf_str(&out), "before"), "refused, but not quite", text);
		buf_fini(&out);
	}
}
