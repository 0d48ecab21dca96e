// SPDX-License-Identifier: GPL-2.0-only
/*
 * diag.c - errors with spans, carets and help.
 */
#include "base/diag.h"

#include <ctype.h>

#include "base/escape.h"

void diag_fini(struct diag *d)
{
	buf_fini(&d->msg);
	buf_fini(&d->notes);
	*d = (struct diag){ 0 };
}

static void PRINTF_LIKE(4, 0) vset(struct diag *d, int err, struct span at, const char *fmt, va_list ap)
{
	buf_reset(&d->msg);
	buf_reset(&d->notes);
	buf_vaddf(&d->msg, fmt, ap);
	d->err = err;
	d->at = at;
}

int diag_at(struct diag *d, int err, struct span at, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vset(d, err, at, fmt, ap);
	va_end(ap);
	return err;
}

int diag_set(struct diag *d, int err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vset(d, err, (struct span){ 0, 0 }, fmt, ap);
	va_end(ap);
	d->text = NULL;
	return err;
}

void diag_note(struct diag *d, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	buf_vaddf(&d->notes, fmt, ap);
	va_end(ap);
	buf_addc(&d->notes, '\n');
}

/* The text as it is displayed, on one line, and the columns of the span in it. */
struct shown {
	struct buf text;
	size_t before, inside;		/* columns before the span, and in it */
};

/* Each blank character, of any kind, becomes one space. */
static size_t show_character(struct shown *s, const char *at, size_t len, unsigned *ret_columns)
{
	if (!isspace((unsigned char)*at))
		return escape_character(&s->text, at, len, ret_columns);
	buf_addc(&s->text, ' ');
	*ret_columns = 1;
	return 1;
}

static void show(const struct diag *d, struct shown *s)
{
	size_t len = strlen(d->text), begin = d->at.off, end = MIN(begin + d->at.len, len);
	unsigned columns;

	while (len && isspace((unsigned char)d->text[len - 1]) && len > end)
		len--;
	for (size_t i = 0; i < len;) {
		size_t first = i;

		i += show_character(s, d->text + i, len - i, &columns);
		if (first < begin)
			s->before += columns;
		else if (first < end)
			s->inside += columns;
	}
	if (begin > len)
		s->before += begin - len;
}

/* Appends the text, and the caret below its span. */
static void format_caret(const struct diag *d, struct buf *out)
{
	struct shown s = { { 0 } };

	show(d, &s);
	buf_addf(out, "  %s\n  ", buf_str(&s.text));
	buf_pad(out, ' ', s.before);
	buf_addc(out, '^');
	if (s.inside > 1)
		buf_pad(out, '~', s.inside - 1);
	buf_addc(out, '\n');
	buf_fini(&s.text);
}

static void add_escaped(struct buf *out, const char *text)
{
	escape_text(out, text, strlen(text), "");
}

void diag_format(const struct diag *d, const char *prog, struct buf *out)
{
	buf_addf(out, "%s: ", prog);
	if (d->file) {
		add_escaped(out, d->file);
		buf_addf(out, ":%u: ", d->line);
	}
	add_escaped(out, buf_str(&d->msg));
	buf_addc(out, '\n');
	if (d->text)
		format_caret(d, out);
	for (const char *at = buf_str(&d->notes); *at;) {
		size_t len = strcspn(at, "\n");

		buf_adds(out, "  ");
		escape_text(out, at, len, "");
		buf_addc(out, '\n');
		at += len + (at[len] == '\n');
	}
}
