// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_packed.c - the kernel's packed symbol tables, with small ones made by hand.
 */
#include "kernel/syms/ksyms_packed_priv.h"
#include "packed_tables.h"
#include "tap.h"

struct seen {
	size_t nr, sum;
};

static void count(void *ctx, size_t i)
{
	struct seen *s = ctx;

	s->nr++;
	s->sum += i;
}

static void check_all(struct kpacked *kp, const char *what)
{
	size_t bad = 0, unfound = 0;
	struct seen seen = { 0 };

	for (size_t i = SYMS; i--;) {
		char name[KPACKED_NAME_MAX], type = 0;
		uint64_t addr = 0;
		size_t len = kpacked_name(kp, i, &type, name);

		bad += !len || type != syms[i].name[0] || strcmp(name, syms[i].name + 1) || !kpacked_addr(kp, i, &addr) ||
		       addr != syms[i].addr;
		seen = (struct seen){ 0 };
		unfound += !kpacked_find(kp, syms[i].name + 1, count, &seen) || !seen.nr;
	}
	CHECK(kpacked_count(kp) == SYMS && !bad, "%s: all are right, backwards", what);
	CHECK(!unfound, "%s: all are found", what);
	seen = (struct seen){ 0 };
	CHECK(kpacked_find(kp, "twice", count, &seen) && seen.nr == 2 && seen.sum == 255, "%s: one name, two symbols", what);
	seen = (struct seen){ 0 };
	CHECK(kpacked_find(kp, "twic", count, &seen) && kpacked_find(kp, "twices", count, &seen) &&
	      kpacked_find(kp, "", count, &seen) && kpacked_find(kp, "zzz", count, &seen) && !seen.nr,
	      "%s: no others", what);
	CHECK(kpacked_up_to(kp, syms[9].addr - 1) == 9 && kpacked_up_to(kp, syms[9].addr) == 11 &&
	      kpacked_up_to(kp, UINT64_MAX) == SYMS, "%s: by address, aliases together", what);
}

/* A search that cannot read the addresses must not end at another symbol. */
static void check_unread(struct kpacked *kp, const char *what)
{
	const struct kview offsets = kp->offsets;

	kp->offsets.addr += 1ull << 32;		/* no segment of the core file has that */
	kp->offsets.have[0] = kp->offsets.have[1] = 0;
	CHECK(!kpacked_up_to(kp, syms[9].addr), "%s: an address whose symbol cannot be read has none", what);
	kp->offsets = offsets;
	CHECK(kpacked_up_to(kp, syms[9].addr) == 11, "%s: ... and has one when it can be read again", what);
}

static bool is_function(const char *name)
{
	return strchr("tTwW", *name) && strncmp(name + 1, "__pfx_", 6) && strncmp(name + 1, "__cfi_", 6);
}

struct passed {
	size_t i, bad;		/* all before symbol @i were there */
};

/* What is told must be what make_symbols() made. */
static void check_one(void *ctx, const struct kpacked_function *f)
{
	struct passed *p = ctx;
	const struct symbol *s = &syms[f->i];
	size_t next = f->i + 1;

	while (p->i < f->i)
		p->bad += is_function(syms[p->i++].name);
	p->i++;
	while (next < SYMS && syms[next].addr <= s->addr)
		next++;
	p->bad += !is_function(s->name) || f->addr != s->addr || f->type != s->name[0] || !f->name != !strchr(s->name, '.') ||
		  (f->name && strcmp(f->name, s->name + 1)) || f->first != (!f->i || syms[f->i - 1].addr != s->addr) ||
		  f->next != (next < SYMS ? syms[next].addr : 0);
}

static void check_pass(struct kpacked *kp, const char *what)
{
	struct passed p = { 0 };
	bool whole = kpacked_pass(kp, check_one, &p);
	char name[KPACKED_NAME_MAX], type;
	size_t bad = 0;

	while (p.i < SYMS)
		p.bad += is_function(syms[p.i++].name);
	CHECK(whole && !p.bad, "%s: a pass tells of each function, and of nothing else", what);
	for (size_t i = SYMS; i--;)
		bad += !kpacked_name(kp, i, &type, name) || strcmp(name, syms[i].name + 1) ||
		       kpacked_may_be_function(kp, i) != is_function(syms[i].name);
	CHECK(!bad, "%s: after it all names are found as before", what);
}

int main(void)
{
	static const char *const names[KINDS] = { "6.12", "6.15", "7.2" };
	struct kmem *km = NULL;
	struct kpacked *kp;

	for (enum kind kind = 0; kind < KINDS; kind++) {
		for (unsigned how = 0; how < 3; how++) {
			char what[60];

			snprintf(what, sizeof(what), "%s%s%s", names[kind], how == 1 ? ", no markers" : "", how == 2 ? ", no seqs" : "");
			make_symbols(kind);
			kp = open_tables(kind, how != 1, how != 2, syms[2].addr, &km);
			CHECK(kp, "%s: tables are found", what);
			if (kp)
				check_all(kp, what);
			if (kp)
				check_pass(kp, what);
			if (kp)
				check_unread(kp, what);
			kpacked_close(kp);
			kmem_close(km);
		}
	}
	kp = open_tables(PERCPU_612, true, true, BASE, &km);
	CHECK(!kp, "_stext is elsewhere: not these tables");
	kmem_close(km);
	kpacked_close(NULL);
	return tap_done();
}
