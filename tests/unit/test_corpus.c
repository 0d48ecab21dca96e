// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_corpus.c - definitions that a real kernel judged: does lang/ agree?
 *
 *	test_corpus kernel.tsv
 *
 * If the verdict of 6.12 on a row follows from the text alone, kprobe_parse() must
 * give the same verdict, and must list what it accepts in the same way. A row that
 * the kernel refused because of its own facts (no such symbol, no boundary, BTF) must
 * be accepted here: plan/ refuses it.
 */
#include <errno.h>

#include "base/cleanup.h"
#include "lang/kprobe.h"
#include "tap.h"

enum { COL_ID, COL_DEFS = 2, COL_RESULT = 10, COL_LISTING = 14, COL_ERROR, COL_COUNT };

enum { LISTING_CUT = 400 };	/* the corpus keeps only so much of a listing */

/* What bprobe refuses on purpose, though 6.12 accepts it. */
static const struct {
	const char *id, *departure;
} departures[] = {
	{ "POINT134", "an address where no kernel code is" },
	{ "POINT138", "an address where no kernel code is" },
	{ "POINT151", "junk after the letter" },
	{ "DRF715", "text after the last ')'" },
	/* The newest kernel's limit holds for all. */
	{ "LEN764", "more than 63 bytes" },
	{ "LEN765", "more than 63 bytes" },
	{ "LEN770", "more than 63 bytes" },
};

/* What bprobe accepts on purpose, though 6.12 refuses it: C expressions. */
static const char *const ours[] = { "REGBAD038", "STK534", "STK538", "BTF616", "BTF617", "DRF737" };

/* Messages of 6.12 that speak of the running kernel, not of the text... */
static const char *const kernel_messages[] = {
	"Probe point is not an instruction boundary",
	"Invalid probed address or symbol",
	"The symbol is not unique",
	"Failed to register probe event",
	"Retprobe address must be an function entry",
	"Given group/event name is already used by another event",
	"This function returns 'void' type",
	"This variable is not found at this probe point",
	"This field is not found.",
	"This is not a pointer to union/structure.",
	"This type does not fit for string.",
	"Failed to get BTF type info.",
	"Non pointer structure/union argument is not supported.",	/* a parameter may be a structure */
};

/* ... except in these rows, where the text decides nevertheless. */
static const struct {
	const char *id, *why;
} text_decides[] = {
	{ "POINT058", "a negative offset" },
	{ "POINT060", "no offset after '+'" },
	{ "POINT061", "an offset that is no number" },
	{ "POINT063", "no offset after '+'" },
	{ "RET237", "an address with a suffix" },
	{ "RET245", "no such $-variable" },
	{ "XBTF156", "no such $-variable" },
	{ "BTF594", "no field after '->'" },
	{ "XBTF116", "no field after '->'" },
	{ "ARG561", "larger than any $argN" },
	{ "ARG562", "larger than any $argN" },
	{ "DRF707", "not a name" },
	{ "MEM679", "an offset that is no number" },
	{ "XADDR057", "no symbol after '@'" },
	{ "POINT132", "address 0" },
	{ "POINT137", "an address of more than 64 bits" },
	{ "ANAME793", "'=' without a name" },
};

/* Names that are equal only when BTF has replaced $arg* and $argN. */
static const char *const btf_names[] = { "ARG570", "BTF601", "XBTF134" };

static struct {
	unsigned same, kernel, several;
} counts;

static const char *departure_of(const char *id)
{
	for (size_t i = 0; i < ARRAY_SIZE(departures); i++) {
		if (!strcmp(departures[i].id, id))
			return departures[i].departure;
	}
	return NULL;
}

static bool kernel_decides(const char *id, const char *message)
{
	for (size_t i = 0; i < ARRAY_SIZE(ours); i++) {
		if (!strcmp(ours[i], id))
			return true;
	}
	for (size_t i = 0; i < ARRAY_SIZE(text_decides); i++) {
		if (!strcmp(text_decides[i].id, id))
			return false;
	}
	/* It was written to kprobe_events. In dynamic_events, whose language this is, it is a user probe. */
	if (!strcmp(id, "POINT078"))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(btf_names); i++) {
		if (!strcmp(btf_names[i], id))
			return true;
	}
	for (size_t i = 0; i < ARRAY_SIZE(kernel_messages); i++) {
		if (!strcmp(kernel_messages[i], message))
			return true;
	}
	return false;
}

/* The kernel's ENOENT means that its tables lack something; here it is syntax. */
static int errno_of(const char *result)
{
	if (!strcmp(result, "E2BIG"))
		return -E2BIG;
	if (!strcmp(result, "ERANGE"))
		return -ERANGE;
	if (!strcmp(result, "EOPNOTSUPP"))
		return -EOPNOTSUPP;
	return -EINVAL;
}

/* 6.12 refuses these for their length, before it sees that they are nested too deeply, as 7.3 does. */
static bool is_nested(const char *id)
{
	return !strcmp(id, "NEST753") || !strcmp(id, "NEST756") || !strcmp(id, "NEST758");
}

/* Replaces the corpus's escapes: ^t, and {{SYM+N}} for an address. */
static void unescape(const char *s, struct buf *out)
{
	while (*s) {
		if (!strncmp(s, "^t", 2)) {
			buf_addc(out, '\t');
			s += 2;
		} else if (!strncmp(s, "{{", 2) && strstr(s, "}}")) {
			buf_adds(out, "0xffffffff81234560");
			s = strstr(s, "}}") + 2;
		} else {
			buf_addc(out, *s++);
		}
	}
}

/*
 * The kernel's listing holds addresses as hashes, and what BTF made of $arg*,
 * $argN and %pd: those cannot be compared.
 */
static bool listing_is_text(const char *defs, const char *listing)
{
	return *listing && !strstr(defs, "{{") && !strstr(defs, " $arg") && !strstr(defs, ":%p") &&
	       !strstr(listing, " 0x");
}

static void check_listing(const char *id, const struct probe_def *def, const char *listing)
{
	struct buf printed = { 0 };

	def_print(def, &printed);
	if (strlen(listing) >= LISTING_CUT && printed.len > LISTING_CUT)
		printed.data[strlen(listing)] = '\0';
	/* The kernel lists the MAXACTIVE that it chose itself as well. */
	if (!strncmp(listing, "r10:", 4) && !def->maxactive)
		CHECK(printed.len > 2 && !strcmp(printed.data + 2, listing + 4),
		      "%s lists '%s'", id, listing);
	else
		CHECK(!strcmp(buf_str(&printed), listing), "%s lists '%s'", id, listing);
	buf_fini(&printed);
}

static void check_row(char **col)
{
	const char *id = col[COL_ID], *departure = departure_of(id);
	bool accepts = !strcmp(col[COL_RESULT], "ok");
	struct probe_def *def = NULL;
	struct arena arena = { 0 };
	struct diag d = { 0 };
	struct buf text = { 0 };
	int err;

	unescape(col[COL_DEFS], &text);
	err = kprobe_parse(&arena, buf_str(&text), &def, &d);
	if (departure) {
		CHECK(accepts ? err == -EINVAL : !err, "%s departs: %s", id, departure);
	} else if (accepts) {
		counts.same++;
		CHECK(!err, "%s is accepted %s", id, buf_str(&d.msg));
		if (def && listing_is_text(col[COL_DEFS], col[COL_LISTING]))
			check_listing(id, def, col[COL_LISTING]);
	} else if (kernel_decides(id, col[COL_ERROR])) {
		counts.kernel++;
		CHECK(!err, "%s is left to plan/ %s", id, buf_str(&d.msg));
	} else {
		counts.same++;
		CHECK(err == (is_nested(id) ? -EINVAL : errno_of(col[COL_RESULT])), "%s is refused: %s", id, buf_str(&d.msg));
	}
	buf_fini(&text);
	diag_fini(&d);
	arena_fini(&arena);
}

/* Cuts @line at its tabs; false if it has too few columns. */
static bool split(char *line, char **col)
{
	unsigned n = 0;

	line[strcspn(line, "\n")] = '\0';
	while (n < COL_COUNT) {
		char *tab = strchr(line, '\t');

		col[n++] = line;
		if (!tab)
			break;
		*tab = '\0';
		line = tab + 1;
	}
	return n == COL_COUNT;
}

int main(int argc, char **argv)
{
	auto_file f = argc > 1 ? fopen(argv[1], "re") : NULL;
	auto_free char *line = NULL;
	char *col[COL_COUNT];
	size_t size = 0;

	if (!f) {
		CHECK(false, "the corpus can be read: give the path of kernel.tsv");
		return tap_done();
	}
	for (unsigned n = 0; getline(&line, &size, f) > 0; n++) {
		if (!n || !split(line, col))
			continue;
		if (strstr(col[COL_DEFS], " || ") || strstr(col[COL_DEFS], "^n"))
			counts.several++;
		else
			check_row(col);
	}
	CHECK(counts.same > 100, "%u verdicts by the text, %u by the kernel; "
	      "%u rows of several definitions not judged", counts.same, counts.kernel,
	      counts.several);
	return tap_done();
}
