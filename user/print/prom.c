// SPDX-License-Identifier: GPL-2.0-only
/*
 * prom.c - the Prometheus text format.
 *
 * https://prometheus.io/docs/instrumenting/exposition_formats/: label values escape backslash, double quote and newline; help texts only
 * backslash and newline.
 */
#include "print/prom.h"

#include <stdbool.h>
#include <string.h>

#include "base/utf8.h"

struct buf *prom_family(struct prom *p, const char *name, const char *type, const char *help)
{
	for (unsigned i = 0; i < p->nr; i++) {
		if (!strcmp(p->families[i].name, name))
			return &p->families[i].samples;
	}
	p->families = arena_grow(&p->arena, p->families, p->nr, &p->size);
	p->families[p->nr] = (struct prom_family){ .name = arena_strdup(&p->arena, name), .type = type, .help = help };
	return &p->families[p->nr++].samples;
}

static bool is_name(char c, bool first)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (!first && c >= '0' && c <= '9');
}

void prom_name(const char *name, struct buf *out)
{
	if (!*name)
		buf_addc(out, '_');
	for (const char *at = name; *at; at++) {
		if (at == name && *at >= '0' && *at <= '9')
			buf_addc(out, '_');
		buf_addc(out, is_name(*at, false) ? *at : '_');
	}
}

static void add_value(const char *value, struct buf *out)
{
	for (size_t left = strlen(value); left;) {
		unsigned len = utf8_size(value, left);

		if (*value == '\\' || *value == '"')
			buf_addf(out, "\\%c", *value);
		else if (*value == '\n')
			buf_adds(out, "\\n");
		else if (!len || len > left)
			buf_addf(out, "\\\\x%02x", (unsigned char)*value);
		else
			buf_add(out, value, len);
		len = len && len <= left ? len : 1;
		value += len;
		left -= len;
	}
}

void prom_label(struct buf *labels, const char *name, const char *value)
{
	buf_addf(labels, "%s%s=\"", labels->len ? "," : "", name);
	add_value(value, labels);
	buf_addc(labels, '"');
}

void prom_print(const struct prom *p, struct buf *out)
{
	for (unsigned i = 0; i < p->nr; i++) {
		const struct prom_family *f = &p->families[i];

		if (f->samples.len)
			buf_addf(out, "# HELP %s %s\n# TYPE %s %s\n%s", f->name, f->help, f->name, f->type, buf_str(&f->samples));
	}
}

void prom_fini(struct prom *p)
{
	for (unsigned i = 0; i < p->nr; i++)
		buf_fini(&p->families[i].samples);
	arena_fini(&p->arena);
	*p = (struct prom){ 0 };
}
