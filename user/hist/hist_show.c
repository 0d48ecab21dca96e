// SPDX-License-Identifier: GPL-2.0-only
/*
 * hist_show.c - a histogram as text.
 */
#include "hist/hist_show.h"

#include <stdlib.h>

#include "hist/hist_sort.h"
#include "hist/hist_text.h"
#include "print/text.h"

enum { BAR = 20 };			/* characters of .graph */

struct show {
	struct histogram *h;
	const struct hist *hist;
	const struct hist_table *table;
	const struct text *text;
	hist_syscall_fn syscall;
	void *ctx;
	struct buf *out;
	struct hist_entry **sorted;
	size_t nr;
	uint64_t max[HIST_MAX_VALUES], total[HIST_MAX_VALUES];
};

/* ---- keys ---- */

static void put_number(struct buf *out, uint64_t n, bool is_signed)
{
	if (is_signed)
		buf_addf(out, "%10lld", (long long)n);
	else
		buf_addf(out, "%10llu", (unsigned long long)n);
}

static void put_symbol(const struct show *s, const struct hist_key *k, uint64_t addr, bool with_offset)
{
	struct buf name = { 0 };

	if (!hist_text_place(s->h, k, addr, &name))
		text_symbol(&name, s->text->ks, addr, with_offset);
	buf_addf(s->out, "[%llx] %-*s", (unsigned long long)addr, with_offset ? 55 : 45, buf_str(&name));
	buf_fini(&name);
}

static void put_bucket(const struct show *s, const struct hist_key *k, uint64_t n)
{
	uint64_t last = hist_text_bucket_last(&k->node->value, n);

	if (k->node->is_signed)
		buf_addf(s->out, "~ %lld-%lld", (long long)n, (long long)last);
	else
		buf_addf(s->out, "~ %llu-%llu", (unsigned long long)n, (unsigned long long)last);
}

static void put_syscall(const struct show *s, uint64_t nr)
{
	const char *name = s->syscall ? s->syscall(s->ctx, nr) : NULL;

	buf_addf(s->out, "%-30s[%3llu]", name ? name : "unknown_syscall", (unsigned long long)nr);
}

/*
 * A line for each frame, from the traced function on (6.12, hist_trigger_stacktrace_print()). If the stack is a field, its first frame stands
 * in the line of the field's name.
 */
static void put_stack(const struct show *s, const struct hist_key *k, const struct hist_entry *e)
{
	uint64_t frames[COUNT_FRAMES + 1];
	unsigned nr = hist_text_frames(s->h, k, e, frames);
	struct buf name = { 0 };

	buf_addf(s->out, k->node->value.field ? "%s.stacktrace" : "%s:\n", k->node->value.name);
	for (unsigned i = 0; i < nr; i++) {
		buf_reset(&name);
		text_symbol(&name, s->text->ks, frames[i], true);
		buf_addf(s->out, "         %s\n", buf_str(&name));
	}
	buf_fini(&name);
}

static bool has_stack(const struct show *s)
{
	for (unsigned i = 0; i < s->hist->nr_keys; i++) {
		if (s->h->keys[i].node->is_stack)
			return true;
	}
	return false;
}

static void put_key(const struct show *s, const struct hist_key *k, const struct hist_entry *e)
{
	uint64_t n = hist_key_number(e, k);
	struct buf *out = s->out;

	if (k->node->is_stack) {
		put_stack(s, k, e);
		return;
	}
	buf_addf(out, "%s: ", k->node->value.name);
	switch (k->node->value.modifier) {
	case HIST_HEX:
		buf_addf(out, "%llx", (unsigned long long)n);
		break;
	case HIST_SYM:
	case HIST_SYM_OFFSET:
		put_symbol(s, k, n, k->node->value.modifier == HIST_SYM_OFFSET);
		break;
	case HIST_EXECNAME:
		buf_addf(out, "%-16.16s[%10llu]", e->comm, (unsigned long long)n);
		break;
	case HIST_SYSCALL:
		put_syscall(s, n);
		break;
	case HIST_LOG2:
		buf_addf(out, "~ 2^%-2llu", (unsigned long long)n);
		break;
	case HIST_BUCKETS:
		put_bucket(s, k, n);
		break;
	default:
		if (k->node->is_string)
			buf_addf(out, "%-50s", (const char *)e->key + k->off);
		else
			put_number(out, n, k->node->is_signed);
		break;
	}
}

/* ---- values ---- */

/* Hundredths of a percent; UINT64_MAX: not defined (6.12, __get_percentage()). */
static uint64_t percentage(uint64_t n, uint64_t total)
{
	if (total && n < UINT64_MAX / 10000)
		return n * 10000 / total;
	total /= 10000;
	if (total)
		return n / total;
	return n ? UINT64_MAX : 0;
}

static void put_bar(const struct show *s, uint64_t n, uint64_t max)
{
	uint64_t percent = percentage(n, max);

	if (percent == UINT64_MAX) {
		buf_addf(s->out, "%*s", BAR, "[ERROR]");
		return;
	}
	for (unsigned i = 0; i < BAR; i++)
		buf_addc(s->out, i < percent * BAR / 10000 ? '#' : ' ');
}

/* A constant has none: the kernel prints nothing there. */
static const char *value_name(const struct hist_expr *e)
{
	const char *name = hist_expr_meant(e)->name;

	return name ? name : "";
}

static const char *value_unit(enum hist_modifier modifier)
{
	switch (modifier) {
	case HIST_PERCENT:
		return " (%)";
	case HIST_AVG:
		return " (avg)";
	case HIST_MIN:
		return " (min)";
	case HIST_MAX:
		return " (max)";
	default:
		return "";
	}
}

static void put_value(const struct show *s, unsigned i, const struct hist_entry *e)
{
	const struct hist_node *node = s->h->values[i];
	const struct hist_expr *expr = hist_expr_meant(s->hist->values[i]);
	enum hist_modifier modifier = expr->kind == HIST_FIELD ? expr->modifier : HIST_PLAIN;
	uint64_t n, percent;
	hist_sum value;

	if (node->kind == HIST_NODE_OPERATION)	/* the kernel prints none of these */
		return;
	histogram_value(s->h, i, e, &value);
	n = (uint64_t)value;
	buf_addf(s->out, "  %s%s: ", value_name(expr), value_unit(modifier));
	switch (modifier) {
	case HIST_PERCENT:
		percent = percentage(n, s->total[i]);
		if (percent == UINT64_MAX) {
			s->out->len--;
			buf_adds(s->out, "[ERROR]");
		} else {
			buf_addf(s->out, "%3llu.%02llu", (unsigned long long)percent / 100, (unsigned long long)percent % 100);
		}
		break;
	case HIST_GRAPH:
		put_bar(s, n, s->max[i]);
		break;
	case HIST_HEX:
		buf_addf(s->out, "%10llx", (unsigned long long)n);
		break;
	default:
		put_number(s->out, n, node->is_signed);
		break;
	}
}

static void put_tracked(const struct show *s, const struct hist_do *d, const struct hist_entry *e)
{
	const struct hist_slot *slot = &e->slots[d->slot];

	buf_addf(s->out, "\n\t%s: ", d->action->handler == HIST_ONMAX ? "max" : "changed");
	put_number(s->out, slot->number, s->h->refs[d->tracked].is_signed);
	for (unsigned i = 0; d->action->kind == HIST_SAVE && i < d->action->nr_params; i++) {
		const struct hist_assignment *a = &d->saved[i];
		const struct hist_slot *saved = &e->slots[a->slot];

		buf_addf(s->out, "  %s: ", a->name);
		if (a->node->is_string)
			buf_addf(s->out, "%-32s", saved->string ? saved->string : "");
		else
			put_number(s->out, saved->number, a->node->is_signed);
	}
}

/* ---- all ---- */

static void put_entry(const struct show *s, const struct hist_entry *e)
{
	buf_adds(s->out, "{ ");
	for (unsigned i = 0; i < s->hist->nr_keys; i++) {
		if (i)
			buf_adds(s->out, ", ");
		put_key(s, &s->h->keys[i], e);
	}
	buf_adds(s->out, has_stack(s) ? "}" : " }");
	if (!s->hist->nohitcount)
		buf_addf(s->out, " hitcount: %10llu", (unsigned long long)e->hits);
	for (unsigned i = 0; i < s->hist->nr_values; i++)
		put_value(s, i, e);
	for (unsigned i = 0; i < s->hist->nr_actions; i++) {
		const struct hist_do *d = &s->h->dos[i];

		if (d->action->handler != HIST_ONMATCH && d->action->kind != HIST_SNAPSHOT)
			put_tracked(s, d, e);
	}
	buf_addc(s->out, '\n');
}

void hist_show_trigger(const struct histogram *h, struct buf *out)
{
	trigger_print(h->trigger, out);
	buf_adds(out, h->paused ? " [paused]" : " [active]");
}

void hist_show(struct histogram *h, const struct hist_table *table, const struct text *t, hist_syscall_fn syscall, void *ctx,
	       struct buf *out)
{
	struct show s = { .h = h, .hist = h->trigger->hist, .table = table, .text = t, .syscall = syscall, .ctx = ctx, .out = out };

	s.sorted = hist_sort(h, table, &s.nr);
	for (size_t e = 0; e < s.nr; e++) {
		for (unsigned i = 0; i < s.hist->nr_values; i++) {
			s.total[i] += (uint64_t)s.sorted[e]->sums[i];
			s.max[i] = MAX(s.max[i], (uint64_t)s.sorted[e]->sums[i]);
		}
	}
	buf_adds(out, "# event histogram\n#\n# trigger info: ");
	hist_show_trigger(h, out);
	buf_adds(out, "\n#\n\n");
	for (size_t e = 0; e < s.nr; e++)
		put_entry(&s, s.sorted[e]);
	buf_addf(out, "\nTotals:\n    Hits: %llu\n    Entries: %zu\n    Dropped: %llu\n", (unsigned long long)table->hits, s.nr,
		 (unsigned long long)table->dropped);
	if (table->raced)			/* the kernel's variables mix hits then */
		buf_addf(out, "    Raced: %llu\n", (unsigned long long)table->raced);
	free(s.sorted);
}
