// SPDX-License-Identifier: GPL-2.0-only
/*
 * text.c - events as the lines that ftrace prints.
 */
#include "out/text.h"

#include <emmintrin.h>

#include "kernel/ksyms.h"

enum { TASK_WIDTH = 16, PID_WIDTH = 7, CPU_WIDTH = 3, SECONDS_WIDTH = 5, MICROS_WIDTH = 6 };

void text_header(struct buf *out)
{
	buf_adds(out,
		 "# tracer: nop\n"
		 "#\n"
		 "#                                _-----=> irqs-off/BH-disabled\n"
		 "#                               / _----=> need-resched\n"
		 "#                              | / _---=> hardirq/softirq\n"
		 "#                              || / _--=> preempt-depth\n"
		 "#                              ||| / _-=> migrate-disable\n"
		 "#                              |||| /     delay\n"
		 "#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION\n"
		 "#              | |         |   |||||     |         |\n");
}

static unsigned digits(uint64_t n)
{
	unsigned count = 1;

	for (; n >= 10; n /= 10)
		count++;
	return count;
}

/* @n in at least @width columns, filled with @pad on the left. */
static void add_padded(struct buf *out, uint64_t n, unsigned width, char pad)
{
	unsigned len = digits(n);

	if (len < width)
		buf_pad(out, pad, width - len);
	buf_dec(out, n);
}

static void add_task(struct buf *out, const struct bp_rec *rec)
{
	const char *comm = rec->common_pid ? rec->comm : "<idle>";
	size_t len = rec->common_pid ? strnlen(comm, BP_COMM_LEN) : strlen(comm);
	size_t start;

	if (len < TASK_WIDTH)
		buf_pad(out, ' ', TASK_WIDTH - len);
	buf_add(out, comm, len);
	buf_addc(out, '-');
	start = out->len;
	buf_sdec(out, rec->common_pid);
	if (out->len - start < PID_WIDTH)
		buf_pad(out, ' ', PID_WIDTH - (out->len - start));
}

/* Seconds and microseconds, cut and not rounded. */
static void add_time(struct buf *out, uint64_t ns)
{
	add_padded(out, ns / 1000000000u, SECONDS_WIDTH, ' ');
	buf_addc(out, '.');
	add_padded(out, ns / 1000 % 1000000, MICROS_WIDTH, '0');
}

/* ---- addresses ---- */

/* SYM+0xOFF/0xSIZE [MODULE], or with @with_offset false SYM [MODULE] */
static void add_symbol(struct buf *out, const struct ksyms *ks, uint64_t addr, bool with_offset)
{
	uint64_t size = 0;
	const struct ksym *sym = ks ? ksyms_lookup(ks, addr, &size) : NULL;
	const char *module;

	if (!sym) {
		buf_adds(out, "0x");
		buf_hex(out, addr);
		return;
	}
	buf_adds(out, sym->name);
	if (with_offset) {
		buf_adds(out, "+0x");
		buf_hex(out, addr - sym->addr);
		buf_adds(out, "/0x");
		buf_hex(out, size);
	}
	module = ksym_brackets(sym);
	if (module) {
		buf_adds(out, " [");
		buf_adds(out, module);
		buf_addc(out, ']');
	}
}

/* Of a location the kernel prints 0 as "0", of a value as "0x0". */
static void add_caller(const struct text_opts *opts, uint64_t addr, struct buf *out)
{
	if (addr)
		add_symbol(out, opts->ks, addr, true);
	else
		buf_addc(out, '0');
}

static void add_location(const struct text_opts *opts, const struct event *ev, struct buf *out)
{
	buf_addc(out, '(');
	if (ev->layout->is_return) {
		add_caller(opts, event_caller(ev), out);
		buf_adds(out, " <- ");
		if (!event_addr(ev) && ev->layout->func)	/* the kernel hides addresses */
			buf_adds(out, ev->layout->func);
		else
			add_symbol(out, opts->ks, event_addr(ev), false);
	} else {
		add_symbol(out, opts->ks, event_addr(ev), true);
	}
	buf_addc(out, ')');
}

/* ---- values ---- */

/* Which of the 16 bytes at @s are printed in another way: a bit for each. */
static unsigned odd_bytes(const char *s, char quote)
{
	__m128i v = _mm_loadu_si128((const __m128i *)(const void *)s);
	__m128i low = _mm_cmpeq_epi8(_mm_min_epu8(v, _mm_set1_epi8(0x1f)), v);
	__m128i other = _mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8(0x7f)), _mm_cmpeq_epi8(v, _mm_set1_epi8('\\')));

	return (unsigned)_mm_movemask_epi8(_mm_or_si128(_mm_or_si128(low, other),
							_mm_cmpeq_epi8(v, _mm_set1_epi8(quote))));
}

/* How many characters from the start are printed as they are. */
static uint32_t plain_run(const char *s, uint32_t len, char quote)
{
	uint32_t i;

	for (i = 0; i + 16 <= len; i += 16) {
		unsigned odd = odd_bytes(s + i, quote);

		if (odd)
			return i + (uint32_t)__builtin_ctz(odd);
	}
	for (; i < len; i++) {
		unsigned char c = (unsigned char)s[i];

		if (c < 0x20 || c == 0x7f || c == '\\' || c == (unsigned char)quote)
			break;
	}
	return i;
}

static void add_escaped(struct buf *out, const char *s, uint32_t len, char quote)
{
	static const char hex[] = "0123456789abcdef";

	for (uint32_t i = 0; i < len; i++) {
		uint32_t plain = plain_run(s + i, len - i, quote);
		unsigned char c;

		buf_add(out, s + i, plain);
		i += plain;
		if (i == len)
			break;
		c = (unsigned char)s[i];
		if (c == (unsigned char)quote || c == '\\') {
			buf_addc(out, '\\');
			buf_addc(out, (char)c);
		} else if (c == '\n') {
			buf_adds(out, "\\n");
		} else if (c == '\t') {
			buf_adds(out, "\\t");
		} else if (c == '\r') {
			buf_adds(out, "\\r");
		} else if (c < 0x20 || c == 0x7f) {
			char text[4] = { '\\', 'x', hex[c >> 4], hex[c & 15] };

			buf_add(out, text, sizeof(text));
		} else {
			buf_addc(out, (char)c);
		}
	}
}

static void add_string(const struct text_opts *opts, const struct event *ev,
		       const struct layout_field *f, unsigned element, struct buf *out)
{
	const char *s;
	uint32_t len;
	bool cut;

	if (!event_string(ev, f, element, &s, &len, &cut)) {
		buf_adds(out, "(fault)");
		return;
	}
	buf_addc(out, '"');
	if (opts->raw_strings)
		buf_add(out, s, len);
	else
		add_escaped(out, s, len, '"');
	buf_addc(out, '"');
	if (cut)
		buf_adds(out, "...");
}

static void add_char(const struct text_opts *opts, char c, struct buf *out)
{
	buf_addc(out, '\'');
	if (opts->raw_strings)
		buf_addc(out, c);
	else
		add_escaped(out, &c, 1, '\'');
	buf_addc(out, '\'');
}

static void add_number(const struct text_opts *opts, const struct event *ev,
		       const struct layout_field *f, unsigned element, struct buf *out)
{
	uint64_t n = event_number(ev, f, element);

	if (event_marked(ev, f, element)) {
		buf_adds(out, "(fault)");
		return;
	}
	switch (f->type.kind) {
	case TYPE_SIGNED:
		buf_sdec(out, (int64_t)n);
		break;
	case TYPE_UNSIGNED:
	case TYPE_BITFIELD:
		buf_dec(out, n);
		break;
	case TYPE_CHAR:
		add_char(opts, (char)n, out);
		break;
	case TYPE_SYMBOL:
		add_symbol(out, opts->ks, n, true);
		break;
	default:
		buf_adds(out, "0x");
		buf_hex(out, n);
		break;
	}
}

static void add_symstr(const struct text_opts *opts, const struct event *ev,
		       const struct layout_field *f, unsigned element, struct buf *out)
{
	uint64_t addr;

	if (!event_symstr(ev, f, element, &addr)) {
		buf_adds(out, "(fault)");
		return;
	}
	buf_addc(out, '"');
	add_symbol(out, opts->ks, addr, true);
	buf_addc(out, '"');
}

static void add_value(const struct text_opts *opts, const struct event *ev,
		      const struct layout_field *f, unsigned element, struct buf *out)
{
	if (f->type.kind == TYPE_SYMSTR)
		add_symstr(opts, ev, f, element, out);
	else if (type_is_dynamic(&f->type))
		add_string(opts, ev, f, element, out);
	else
		add_number(opts, ev, f, element, out);
}

static void add_field(const struct text_opts *opts, const struct event *ev,
		      const struct layout_field *f, struct buf *out)
{
	buf_addc(out, ' ');
	buf_adds(out, f->name);
	buf_addc(out, '=');
	if (!f->type.count) {
		add_value(opts, ev, f, 0, out);
		return;
	}
	buf_addc(out, '{');
	for (unsigned i = 0; i < f->count; i++) {
		if (i)
			buf_addc(out, ',');
		add_value(opts, ev, f, i, out);
	}
	buf_addc(out, '}');
}

/* ---- lines ---- */

void text_event(const struct text_opts *opts, const struct event *ev, struct buf *out)
{
	const struct layout *l = ev->layout;
	char flags[5];

	context_flags(&opts->rules, ev->rec, l, flags);
	add_task(out, ev->rec);
	buf_adds(out, " [");
	add_padded(out, ev->rec->cpu, CPU_WIDTH, '0');
	buf_adds(out, "] ");
	buf_add(out, flags, sizeof(flags));
	buf_addc(out, ' ');
	add_time(out, ev->rec->ts);
	buf_adds(out, ": ");
	buf_adds(out, l->event);
	buf_adds(out, ": ");
	add_location(opts, ev, out);
	for (unsigned i = 0; i < l->nr_fields; i++)
		add_field(opts, ev, &l->fields[i], out);
	buf_addc(out, '\n');
}

void text_lost(unsigned cpu, uint64_t count, struct buf *out)
{
	buf_adds(out, "CPU:");
	buf_dec(out, cpu);
	buf_adds(out, " [LOST ");
	buf_dec(out, count);
	buf_adds(out, " EVENTS]\n");
}
