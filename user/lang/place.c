// SPDX-License-Identifier: GPL-2.0-only
/*
 * place.c - where to attach a probe.
 */
#include "lang/place.h"

#include <errno.h>

#include "arch/kernel.h"
#include "base/number.h"
#include "lang/foreign.h"

static int check_address(struct parse *p, struct span at, uint64_t addr)
{
	int err;

	if (addr >= KERNEL_CODE_FIRST && addr <= KERNEL_CODE_LAST)
		return 0;
	err = diag_at(p->diag, -EINVAL, at, "no kernel code is ever at 0x%llx", (unsigned long long)addr);
	diag_note(p->diag, "help: give a symbol, or an address from /proc/kallsyms (read by root)");
	return err;
}

static int address_parse(struct parse *p, struct span at, uint64_t addr)
{
	int err = check_address(p, at, addr);

	if (!err)
		p->def->place = (struct place){ .addr = addr, .at = at };
	return err;
}

/* SYM@ADDR: one of several functions with this name. All dialects have this, because each is printed as a definition of kprobe_events. */
static int own_address_parse(struct parse *p, struct place *place)
{
	uint32_t sign = span_find(p, place->symbol_at, "@");
	struct span number;
	int err;

	if (place->pattern || !sign || sign >= place->symbol_at.len)
		return 0;
	number = span_tail(place->symbol_at, sign + 1);
	err = number_u64(span_ptr(p, number), number.len, 0, &place->addr);
	if (err == -ERANGE)
		return diag_at(p->diag, -EINVAL, number, "the address does not fit in 64 bits");
	if (err)		/* no symbol has such a name */
		return 0;
	place->symbol_at = span_head(place->symbol_at, sign);
	return check_address(p, number, place->addr);
}

/* The kernel treats such text as a symbol, which does not exist. */
static int refuse_extended_address(struct parse *p, struct span at, struct span number)
{
	struct span rest = span_tail(at, number.len);
	int err = diag_at(p->diag, -EINVAL, at, "an address cannot be followed by '%s'",
			  span_quote(p, rest));

	if (*span_ptr(p, rest) == '%')
		diag_note(p->diag, "help: for a return probe write: r %s",
			  span_quote(p, number));
	else
		diag_note(p->diag, "help: add the offset yourself, or write SYMBOL%s",
			  span_quote(p, rest));
	return err;
}

int place_suffix_parse(struct parse *p, struct span at)
{
	int err;

	if (!at.len)
		return 0;
	if (!span_is(p, at, "%return")) {
		err = diag_at(p->diag, -EINVAL, at, "unknown suffix '%s'", span_quote(p, at));
		diag_note(p->diag, "help: the only one is %%return, for a return probe");
		return err;
	}
	p->def->kind = DEF_RETURN;
	p->def->suffix_return = true;
	return 0;
}

/* @at is the whole place, @off_at starts at the offset's sign. Kernels accepted a negative offset only until 2.6.33. */
static int offset_parse(struct parse *p, struct span at, struct span off_at, struct place *ret)
{
	int64_t off;
	int err = number_s64(span_ptr(p, off_at), off_at.len, 0, &off);

	if (err == -EINVAL) {
		err = diag_at(p->diag, -EINVAL, at, "'%s' is not an offset",
			      span_quote(p, off_at));
		diag_note(p->diag, "help: an offset is one number of bytes, as in %s+0x10",
			  span_quote(p, span_head(at, at.len - off_at.len)));
		return err;
	}
	if (err || off > UINT32_MAX || off < -(int64_t)UINT32_MAX)
		return diag_at(p->diag, -EINVAL, at, "the offset '%s' is too large",
			       span_quote(p, off_at));
	if (off < 0 && p->def->dialect == DIALECT_KPROBE)
		return diag_at(p->diag, -EINVAL, at,
			       "the offset '%s' points before the symbol",
			       span_quote(p, off_at));
	ret->before = off < 0;
	ret->off = off < 0 ? 0 - (uint64_t)off : (uint64_t)off;
	return 0;
}

static int symbol_parse(struct parse *p, struct span at)
{
	struct place place = { .at = at, .symbol_at = at };
	/* The '-' in [a-z] belongs to a pattern; it does not begin an offset. */
	uint32_t bracket = span_find_last(p, at, ']'), skip = bracket < at.len ? bracket : 0;
	uint32_t sign = skip + span_find(p, span_tail(at, skip), "+-"), colon;
	int err;

	place.pattern = span_find(p, at, "*?[,") < at.len;
	if (sign < at.len) {
		place.off_at = span_tail(at, sign);
		place.symbol_at = span_head(at, sign);
		err = offset_parse(p, at, place.off_at, &place);
		if (err)
			return err;
	}
	if (place.pattern && place.off) {
		err = diag_at(p->diag, -EINVAL, place.off_at, "a pattern means functions, so it cannot have an offset");
		diag_note(p->diag, "help: leave it out: the probes are then at the functions' entries");
		return err;
	}
	if (!place.symbol_at.len)
		return diag_at(p->diag, -EINVAL, at, "no symbol in '%s'", span_quote(p, at));
	colon = span_find(p, place.symbol_at, ":");
	if (colon < place.symbol_at.len) {
		place.module_at = span_head(place.symbol_at, colon);
		place.symbol_at = span_tail(place.symbol_at, colon + 1);
		place.is_vmlinux = span_is(p, place.module_at, "vmlinux");
		place.module = place.is_vmlinux ? NULL : span_dup(p, place.module_at);
	}
	err = own_address_parse(p, &place);
	if (err)
		return err;
	place.symbol = span_dup(p, place.symbol_at);
	p->def->place = place;
	return 0;
}

int place_parse(struct parse *p, struct span at)
{
	struct span name = span_head(at, span_find(p, at, "%"));
	struct span number = span_head(name, span_find(p, name, "+-"));
	uint32_t semicolon = span_find(p, at, ";");
	uint64_t addr;
	int err = number_u64(span_ptr(p, at), at.len, 0, &addr);

	if (!err)
		return address_parse(p, at, addr);
	if (err == -ERANGE)
		return diag_at(p->diag, -EINVAL, at, "the address does not fit in 64 bits");
	if (p->def->probe == PROBE_KPROBE && p->def->dialect == DIALECT_KPROBE && (p->in_source || place_is_source(p, at))) {
		struct place place = { .at = name };

		err = place_source_parse(p, at, &place);
		if (!err)
			p->def->place = place;
		return err;
	}
	err = place_refuse_file(p, at);
	if (!err)
		err = foreign_refuse_line(p, at);
	if (err)
		return err;
	if (span_find(p, at, "/") < at.len || place_is_user(p, at))
		return diag_at(p->diag, -EINVAL, at, "'%s' is a place in a program, which %s cannot have", span_quote(p, at),
			       p->def->dialect == DIALECT_KPROBE ? "'f'" : "this dialect");
	if (semicolon < at.len) {
		err = diag_at(p->diag, -EINVAL, span_tail(at, semicolon),
			      "';' does not separate definitions");
		diag_note(p->diag, "help: give each definition by itself");
		return err;
	}
	if (number_u64(span_ptr(p, number), number.len, 0, &addr) != -EINVAL)
		return refuse_extended_address(p, at, number);
	err = place_suffix_parse(p, span_tail(at, name.len));
	return err ? err : symbol_parse(p, name);
}

void place_print(const struct place *place, struct buf *out)
{
	if (!place->symbol && !place->in_source) {
		buf_adds(out, "0x");
		buf_hex(out, place->addr);
		return;
	}
	if (place->module || place->is_vmlinux) {
		buf_adds(out, place->module ? place->module : "vmlinux");
		buf_addc(out, ':');
	}
	if (place->in_source) {
		place_source_print(place, out);
		return;
	}
	buf_adds(out, place->symbol);
	if (place->addr) {
		buf_adds(out, "@0x");
		buf_hex(out, place->addr);
	}
	if (place->off) {
		buf_addc(out, place->before ? '-' : '+');
		buf_dec(out, place->off);
	}
}

char *place_event_name(struct parse *p)
{
	const struct place *place = &p->def->place;
	char letter = p->def->kind == DEF_RETURN ? 'r' : 'p';

	if (place->in_source)
		return place_source_event_name(p);
	if (!place->symbol)
		return arena_printf(p->arena, "%c_0x%lx", letter, (unsigned long)place->addr);
	return arena_printf(p->arena, "%c_%s%s%s_%s%lu", letter, place->module ? place->module : "", place->module ? ":" : "",
			    place->symbol, place->before ? "-" : "", (unsigned long)place->off);
}
