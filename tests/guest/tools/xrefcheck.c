// SPDX-License-Identifier: GPL-2.0-only
/*
 * xrefcheck.c - asks xref_scan() for every function of the running kernel at once
 *
 *	xrefcheck [kcore|bpf]
 *
 * One line a function: "ref ADDRESS TYPE NAME BRANCHES POINTERS ENTRY VERDICT SITE", where
 * TYPE is that of a global name if it has one, ENTRY and VERDICT are numbers of enums, and
 * SITE is 1 if ftrace has one at its start. Preambles, .cold parts and modules are left out.
 */
#include <stdio.h>
#include <time.h>

#include "base/macros.h"
#include "base/number.h"
#include "kernel/btf/kbtf.h"
#include "kernel/mem/kmem.h"
#include "kernel/syms/ksyms.h"
#include "kernel/xref/reach.h"
#include "kernel/xref/xref.h"

struct function {
	uint64_t addr;
	char type;
	char name[128];
};

static struct function *function;
static struct xref *refs;
static size_t count, nr;

static int by_addr(const void *a, const void *b)
{
	uint64_t x = ((const struct function *)a)->addr, y = ((const struct function *)b)->addr;

	return x < y ? -1 : x > y;
}

static bool is_part(const char *name)
{
	return !strncmp(name, "__pfx_", 6) || !strncmp(name, "__cfi_", 6) || strstr(name, ".cold");
}

/* "ADDRESS TYPE NAME", what is behind a tab being a module. */
static void read_functions(void)
{
	FILE *f = fopen("/proc/kallsyms", "r");
	char line[1024];

	function = calloc(400000, sizeof(*function));
	while (f && function && fgets(line, sizeof(line), f) && count < 400000) {
		struct function *fn = &function[count];
		size_t len = strcspn(line + 19, "\n\t");

		if (line[19 + len] == '\t' || !strchr("tTwW", line[17]) || is_part(line + 19) ||
		    number_u64(line, 16, 16, &fn->addr) || !(fn->addr >> 63))
			continue;
		fn->type = line[17];
		snprintf(fn->name, sizeof(fn->name), "%.*s", (int)len, line + 19);
		count++;
	}
	if (f)
		fclose(f);
}

/* Several names of one place count as one. */
static void merge(const struct ksyms *ks)
{
	qsort(function, count, sizeof(*function), by_addr);
	refs = calloc(count + 1, sizeof(*refs));
	if (!refs)
		abort();
	for (size_t i = 0; i < count; i++) {
		struct function *last = nr ? &function[nr - 1] : NULL;
		uint64_t size;

		if (last && last->addr == function[i].addr) {
			if (strchr("tw", last->type) && strchr("TW", function[i].type))
				*last = function[i];
			continue;
		}
		ksyms_lookup(ks, function[i].addr, &size);
		refs[nr] = (struct xref){ .addr = function[i].addr, .end = function[i].addr + size };
		function[nr++] = function[i];
	}
}

/* The 5 bytes behind the ENDBR: a call where ftrace is on, or a nop: one, or two up to 5.10. */
static bool has_site(struct kmem *km, const struct xref *ref)
{
	static const uint8_t nops[][5] = {
		{ 0x0f, 0x1f, 0x44, 0x00, 0x00 },
		{ 0x66, 0x66, 0x66, 0x66, 0x90 },
		{ 0x66, 0x66, 0x66, 0x90, 0x90 },
		{ 0x66, 0x66, 0x90, 0x66, 0x90 },
	};
	uint64_t at = ref->addr + (ref->entry > ENTRY_PLAIN ? 4 : 0);
	uint8_t bytes[5];

	if (!ref->entry || kmem_read(km, at, bytes, sizeof(bytes)))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(nops); i++) {
		if (!memcmp(bytes, nops[i], sizeof(bytes)))
			return true;
	}
	return bytes[0] == 0xe8;
}

static void print_all(struct kmem *km, const struct reach_source *source)
{
	for (size_t i = 0; i < nr; i++) {
		const struct ksym sym = { .addr = function[i].addr, .name = function[i].name,
			.type = function[i].type };
		struct reach_facts facts = { 0 };

		if (!refs[i].branches && !refs[i].pointers)
			reach_find(source, &sym, &facts);
		printf("ref %016lx %c %s %u %u %u %u %u\n", refs[i].addr, function[i].type,
		       function[i].name, refs[i].branches, refs[i].pointers, refs[i].entry,
		       reach_judge(&sym, &refs[i], &facts), has_site(km, &refs[i]));
	}
}

int main(int argc, char **argv)
{
	enum kmem_source source = argc > 1 && !strcmp(argv[1], "bpf") ? KMEM_BPF : KMEM_ANY;
	struct timespec start, end;
	struct diag diag = { 0 };
	struct buf text = { 0 };
	struct ksyms *ks;
	struct reach_source *facts;
	struct kbtf *kb;
	struct kmem *km;

	read_functions();
	if (ksyms_load(NULL, &ks, &diag) || kmem_open(NULL, source, &km, &diag))
		goto failed;
	merge(ks);
	clock_gettime(CLOCK_MONOTONIC, &start);
	if (xref_scan(km, ks, refs, nr, &diag))
		goto failed;
	clock_gettime(CLOCK_MONOTONIC, &end);
	fprintf(stderr, "# %zu functions in %.2f s from %s\n", nr,
		(double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) / 1e9,
		kmem_name(km));
	kb = kbtf_open(NULL);
	facts = reach_open(km, ks, kb);
	print_all(km, facts);
	reach_close(facts);
	kbtf_close(kb);
	kmem_close(km);
	ksyms_close(ks);
	return 0;
failed:
	diag_format(&diag, "xrefcheck", &text);
	fputs(buf_str(&text), stderr);
	return 1;
}
