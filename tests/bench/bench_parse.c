// SPDX-License-Identifier: GPL-2.0-only
/*
 * bench_parse.c - what definitions cost before anything is attached.
 *
 *	bench_parse parse FILE			parse each line
 *	bench_parse resolve FILE KALLSYMS [BTFDIR]	and resolve it, the reading of symbols included
 *
 * Run under callgrind by tests/bench/cost.sh: instructions, not seconds.
 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "kernel/btf/kbtf.h"
#include "kernel/syms/ksyms.h"
#include "lang/kprobe.h"
#include "plan/plan.h"

static char *read_file(const char *path)
{
	struct buf text = { 0 };
	int fd = open(path, O_RDONLY);
	ssize_t n = -1;

	while (fd >= 0 && (n = read(fd, buf_room(&text, 65536), 65536)) > 0)
		text.len += (size_t)n;
	if (n < 0) {
		fprintf(stderr, "bench_parse: cannot read %s: %s\n", path, strerror(errno));
		exit(1);
	}
	buf_addc(&text, '\0');
	return text.data;
}

int main(int argc, char **argv)
{
	bool resolve = argc > 3 && !strcmp(argv[1], "resolve");
	struct arena arena = { 0 };
	struct diag diag = { 0 };
	struct facts facts = { 0 };
	struct ksyms *ks = NULL;
	unsigned parsed = 0, resolved = 0;
	char *text;

	if (argc < 3)
		return 1;
	text = read_file(argv[2]);
	if (resolve && ksyms_load(argv[3], &ks, &diag)) {
		fprintf(stderr, "bench_parse: %s\n", buf_str(&diag.msg));
		return 1;
	}
	if (resolve) {
		facts.ks = ks;
		facts.btf = kbtf_open(argc > 4 ? argv[4] : NULL);
	}
	for (char *line = strtok_r(text, "\n", &text); line; line = strtok_r(NULL, "\n", &text)) {
		struct probe_def *def = NULL;
		struct plan *plan;

		if (kprobe_parse(&arena, line, &def, &diag) || !def)
			continue;
		parsed++;
		if (resolve && !plan_resolve(&arena, def, &facts, &plan, &diag))
			resolved++;
	}
	printf("%u parsed, %u resolved\n", parsed, resolved);
	return 0;
}
