// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_prom.c - the text format of Prometheus: names, labels and families.
 *
 * What is expected is what https://prometheus.io/docs/instrumenting/exposition_formats/ says of version 0.0.4.
 */
#include "print/prom.h"

#include <string.h>

#include "tap.h"

static void test_labels(void)
{
	static const struct { const char *value, *want; } rows[] = {
		{ "", "n=\"\"" }, { "wl", "n=\"wl\"" }, { "a\"b\\c\nd", "n=\"a\\\"b\\\\c\\nd\"" }, { "h\xc3\xa9", "n=\"h\xc3\xa9\"" },
		/* Bytes that are no UTF-8: a lone one, one that ends too early, a surrogate. */
		{ "\xff", "n=\"\\\\xff\"" }, { "a\xc3", "n=\"a\\\\xc3\"" }, { "\xed\xa0\x80", "n=\"\\\\xed\\\\xa0\\\\x80\"" },
		{ "{le=\"1\"} 3", "n=\"{le=\\\"1\\\"} 3\"" }, { "\t\r", "n=\"\t\r\"" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct buf out = { 0 };

		prom_label(&out, "n", rows[i].value);
		CHECK(!strcmp(buf_str(&out), rows[i].want), "%s", rows[i].want);
		buf_fini(&out);
	}
}

static void test_names(void)
{
	static const struct { const char *name, *want; } rows[] = {
		{ "count", "count" }, { "a.b-c", "a_b_c" }, { "9lives", "_9lives" }, { "", "_" }, { "h\xc3\xa9", "h__" }, { "Z_9", "Z_9" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct buf out = { 0 };

		prom_name(rows[i].name, &out);
		CHECK(!strcmp(buf_str(&out), rows[i].want), "'%s' becomes '%s'", rows[i].name, rows[i].want);
		buf_fini(&out);
	}
}

/* Samples of a family stand together, in whatever order they come; a family without samples is not there. */
static void test_families(void)
{
	struct prom p = { 0 };
	struct buf labels = { 0 }, out = { 0 };
	char name[32];

	buf_adds(prom_family(&p, "a_total", "counter", "A."), "a_total 1\n");
	buf_adds(prom_family(&p, "b", "gauge", "B."), "b 2\n");
	prom_family(&p, "none", "gauge", "Nothing.");
	buf_adds(prom_family(&p, "a_total", "counter", "A."), "a_total{x=\"1\"} 3\n");
	prom_print(&p, &out);
	CHECK(!strcmp(buf_str(&out), "# HELP a_total A.\n# TYPE a_total counter\na_total 1\na_total{x=\"1\"} 3\n"
				     "# HELP b B.\n# TYPE b gauge\nb 2\n"), "two families");
	for (unsigned i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "f%u", i);
		buf_addf(prom_family(&p, name, "gauge", "F."), "%s %u\n", name, i);
	}
	CHECK(p.nr == 1003 && !strcmp(buf_str(&p.families[1002].samples), "f999 999\n"), "1003 families");
	prom_label(&labels, "a", "1");
	prom_label(&labels, "b", "2");
	CHECK(!strcmp(buf_str(&labels), "a=\"1\",b=\"2\""), "two labels");
	buf_fini(&labels);
	buf_fini(&out);
	prom_fini(&p);
}

int main(void)
{
	test_labels();
	test_names();
	test_families();
	return tap_done();
}
