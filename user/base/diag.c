// SPDX-License-Identifier: GPL-2.0-only
/*
 * diag.c - errors with spans, carets and help.
 */
#include "base/diag.h"

#include <ctype.h>

void diag_fini(struct diag *d)
{
	buf_fini(&d->msg);
	buf_fini(&d->notes);
	*d = (struct diag){ 0 };
}

static void vset(struct diag *d, int err, struct span at, const char *fmt, va_list ap)
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

/* A terminal shows a UTF-8 sequence in one column: only its first byte counts. */
static int is_continuation(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

/*
 * The text on one line and the caret under its span. Control characters are
 * shown as one '?', tabs as one space, so that the columns agree.
 */
static void format_caret(const struct diag *d, struct buf *out)
{
	size_t len = strlen(d->text), end = MIN((size_t)d->at.off + d->at.len, len);

	while (len && isspace((unsigned char)d->text[len - 1]) && len > end)
		len--;
	buf_adds(out, "  ");
	for (size_t i = 0; i < len; i++) {
		char c = d->text[i];

		buf_addc(out, isspace((unsigned char)c) ? ' ' :
			      iscntrl((unsigned char)c) ? '?' : c);
	}
	buf_adds(out, "\n  ");
	for (size_t i = 0; i < d->at.off; i++) {
		if (i >= len || !is_continuation(d->text[i]))
			buf_addc(out, ' ');
	}
	buf_addc(out, '^');
	for (size_t i = (size_t)d->at.off + 1; i < end; i++) {
		if (!is_continuation(d->text[i]))
			buf_addc(out, '~');
	}
	buf_addc(out, '\n');
}

void diag_format(const struct diag *d, const char *prog, struct buf *out)
{
	buf_addf(out, "%s: ", prog);
	if (d->file)
		buf_addf(out, "%s:%u: ", d->file, d->line);
	buf_addf(out, "%s\n", buf_str(&d->msg));
	if (d->text)
		format_caret(d, out);
	for (const char *at = buf_str(&d->notes); *at;) {
		size_t len = strcspn(at, "\n");

		buf_addf(out, "  %.*s\n", (int)len, at);
		at += len + (at[len] == '\n');
	}
}
