// SPDX-License-Identifier: GPL-2.0-only
/*
 * classic.c - a plan as a definition in the grammar that every kernel has.
 */
#include "plan/classic.h"

#include "lang/kind.h"
#include "lang/type_words.h"
#include "plan/own_place.h"

/* Where a probe has no registers, a parameter has its number, and the return value its word. */
static void print_register(const struct kind *kind, enum reg reg, struct buf *out)
{
	if (kind->words & KIND_REGISTERS)
		buf_addf(out, "%%%s", reg_name(reg));
	else if (reg == REG_RETURN)
		buf_adds(out, "$retval");
	else
		buf_addf(out, "$arg%d", reg_param_of(reg) + 1);
}

/* @ctx: the kind. In C $argN has the parameter's type, so a cast makes a number of it. */
static void print_leaf(void *ctx, const void *of, struct buf *out)
{
	const struct kind *kind = ctx;
	const struct fetch *f = of;

	switch (f->src) {
	case FETCH_REG:
		if (f->has_index)
			buf_addf(out, "+0(%%%s,%%%s,%u)", f->no_base ? "" : reg_name(f->reg), reg_name(f->index), f->scale);
		else
			buf_adds(out, kind->words & KIND_REGISTERS ? "" : "(u64)");
		if (!f->has_index)
			print_register(kind, f->reg, out);
		break;
	case FETCH_STACKN:
		buf_addf(out, "$stack%u", f->n);
		break;
	case FETCH_WORD:
	case FETCH_SAVED:
		buf_addf(out, "(u64)$arg%u", f->n + 1);
		break;
	case FETCH_VALUE:
		buf_addf(out, "\\0x%llx", (unsigned long long)f->value);
		break;
	case FETCH_TASK:
		buf_adds(out, "$current");
		break;
	case FETCH_CALLER:
	case FETCH_PLACE:
		buf_addf(out, "%%%s", reg_name(REG_IP));
		break;
	case FETCH_PERCPU:
		buf_adds(out, "this_cpu_ptr(\\0)");
		break;
	default:
		buf_adds(out, "?");
		break;
	}
}

/* Prints where the fetch starts. Returns the number of reads that this includes: memory (@) includes the first one. */
static unsigned print_source(const struct kind *kind, const struct fetch *f, const struct expr *source, struct buf *out)
{
	switch (f->src) {
	case FETCH_REG:
		if (f->has_index || source->kind == EXPR_RETVAL || source->kind == EXPR_STACK)
			expr_print(source, out);
		else
			print_register(kind, f->reg, out);
		return 0;
	case FETCH_STACKN:
		buf_addf(out, "$stack%u", f->n);
		return 0;
	case FETCH_WORD:
	case FETCH_SAVED:
		buf_addf(out, "$arg%u", f->n + 1);
		return 0;
	default:
		if (source->kind == EXPR_C) {
			print_leaf((void *)(uintptr_t)kind, f, out);
			return 0;
		}
		expr_print(source, out);
		return source->kind == EXPR_MEM || source->kind == EXPR_MEMSYM || source->kind == EXPR_FILE;
	}
}

/* @shift: the value begins at this bit of a register. */
static void print_type(const struct layout_field *f, unsigned shift, struct buf *out)
{
	struct type type = type_classic(&f->type);

	if ((f->bit_width || shift) && type.kind != TYPE_BITFIELD) {
		type.kind = TYPE_BITFIELD;
		type.bit_off = (uint8_t)(f->bit_off + shift);
		type.bit_width = (uint8_t)layout_bits(f);
		type.size = shift ? 8 : type.size;
	}
	type_print(&type, out);
}

static void print_arg(const struct kind *kind, const struct arg *arg, const struct fetch *f, const struct layout_field *field,
		      struct buf *out)
{
	struct buf source = { 0 };
	const struct deref *derefs = f->nr_last_part ? f->last_part : f->derefs;
	unsigned nr = f->nr_last_part ? f->nr_last_part : f->nr_derefs, first = 0;

	if (f->src == FETCH_CALC)
		calc_print(f->calc, print_leaf, (void *)(uintptr_t)kind, &source);
	else
		first = print_source(kind, f, expr_innermost(arg->expr), &source);

	buf_addf(out, " %s=", field->name);
	for (unsigned i = nr; i > first; i--) {
		const struct deref *d = &derefs[i - 1];

		buf_addf(out, "%c%s%lld(", d->off < 0 ? '-' : '+', d->user && kind->words & KIND_SYMBOLS ? "u" : "",
			 d->off < 0 ? -(long long)d->off : (long long)d->off);
	}
	buf_adds(out, buf_str(&source));
	buf_pad(out, ')', nr - first);
	if (f->src != FETCH_COMM && f->src != FETCH_TEXT) {
		buf_addc(out, ':');
		print_type(field, f->nr_derefs ? 0 : f->shift, out);
	}
	buf_fini(&source);
}

void classic_print(const struct plan *plan, struct buf *out)
{
	const struct kind *kind = kind_of(plan->def->probe);
	struct probe_def head = *plan->def;

	head.nr_args = 0;
	if (place_is_own(&head.place) && plan->target.addr) {
		head.place.symbol = plan->target.symbol;
		head.place.addr = plan->target.symbol ? 0 : plan->target.addr;
		head.place.is_vmlinux = false;
		head.place.module = NULL;
		head.place.off = plan->target.symbol ? head.place.off : 0;
	}
	if (plan->target.path) {
		head.place.symbol = head.place.provider = NULL;
		head.place.addr = plan->target.file_off;
		head.place.path = plan->target.site_name;
		head.place.off = 0;
	}
	def_print(&head, out);
	for (unsigned i = 0; i < plan->layout.nr_fields; i++)
		print_arg(kind, &plan->def->args[i], &plan->fetches[i], &plan->layout.fields[i], out);
}
