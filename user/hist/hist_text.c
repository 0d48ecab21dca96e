// SPDX-License-Identifier: GPL-2.0-only
/*
 * hist_text.c - keys and values of a histogram as people read them, and as JSON.
 */
#include "hist/hist_text.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/escape_line.h"
#include "base/memory.h"
#include "hist/hist_sort.h"
#include "plan/layout.h"
#include "plan/place_id.h"
#include "print/bar.h"
#include "print/json_string.h"
#include "print/sender.h"
#include "print/text.h"

bool hist_text_is_scale(const struct hist_key *k)
{
	return k->node->value.modifier == HIST_LOG2 || k->node->value.modifier == HIST_BUCKETS;
}

const char *hist_text_name(const struct hist_expr *e)
{
	static const struct { const char *name, *shown; } names[] = {
		{ "__probe_ip", "function" }, { "__probe_func", "function" }, { "__probe_ret_ip", "caller" }, { "hitcount", "count" },
		{ "common_pid", "pid" }, { "common_cpu", "cpu" }, { "common_comm", "comm" }, { "common_timestamp", "time" },
		{ "common_stacktrace", "stack" }, { "stacktrace", "stack" },
	};

	e = hist_expr_meant(e);
	for (size_t i = 0; e->name && i < ARRAY_SIZE(names); i++) {
		if (!strcmp(e->name, names[i].name))
			return names[i].shown;
	}
	return e->name ? e->name : "value";
}

/* ---- numbers ---- */

static void add_number(struct buf *out, uint64_t n, bool is_signed)
{
	if (is_signed)
		buf_addf(out, "%" PRId64, (int64_t)n);
	else
		buf_addf(out, "%" PRIu64, n);
}

/* A number as lines print it: as if a record had it. */
static void add_typed(const struct histogram *h, const struct layout_field *f, uint64_t n, const struct text *t, struct buf *out)
{
	size_t size = BP_BODY_OFF + h->layout->dyn_off + 8;
	unsigned char *record = must(calloc(1, size));
	struct event ev;

	memcpy(record + BP_BODY_OFF + f->off, &n, MIN(f->type.size, 8u));
	if (event_decode(h->layout, (const struct bp_rec *)(const void *)record, (uint32_t)size, &ev))
		text_value(t, &ev, f, 0, out);
	buf_add(out, "", 0);		/* ends the text */
	free(record);
}

/* A number of any size. */
static void add_sum(struct buf *out, hist_sum n)
{
	unsigned __int128 rest = n < 0 ? 0 - (unsigned __int128)n : (unsigned __int128)n;
	char digits[40];
	unsigned at = sizeof(digits);

	do
		digits[--at] = (char)('0' + (unsigned)(rest % 10));
	while (rest /= 10);
	if (n < 0)
		buf_addc(out, '-');
	buf_add(out, digits + at, sizeof(digits) - at);
	buf_add(out, "", 0);
}

uint64_t hist_text_bucket_last(const struct hist_value *v, uint64_t n)
{
	uint64_t most = v->is_signed ? (uint64_t)INT64_MAX : UINT64_MAX;

	if (v->is_signed && n == (uint64_t)INT64_MIN && v->buckets <= INT64_MAX && n % v->buckets)
		return n + n % v->buckets - 1;		/* -2^63 is as far from a multiple as 2^63 */
	return most - n < v->buckets - 1 ? most : n + v->buckets - 1;
}

void hist_text_bucket(const struct hist_key *k, uint64_t n, struct buf *out)
{
	const struct hist_value *v = &k->node->value;
	uint64_t end;

	if (v->modifier == HIST_BUCKETS) {
		buf_addc(out, '[');
		add_number(out, n, v->is_signed);
		buf_adds(out, ", ");
		end = hist_text_bucket_last(v, n);
		if (end == (v->is_signed ? (uint64_t)INT64_MAX : UINT64_MAX)) {	/* the next number does not exist */
			add_number(out, end, v->is_signed);
			buf_addc(out, ']');
			return;
		}
		add_number(out, end + 1, v->is_signed);
		buf_addc(out, ')');
	} else if (n >= 64 && v->is_signed) {
		buf_adds(out, "negative");
	} else {
		bar_put_bucket(out, (unsigned)MIN(n, (uint64_t)64));
	}
}

static const struct layout *layout_with(const struct histogram *h, uint64_t id)
{
	for (h = h->shared ? h->shared : h; h; h = h->sharing) {
		if (place_id(h->layout) == id)
			return h->layout;
		for (unsigned i = 0; i < h->nr_places; i++) {
			if (place_id(h->places[i]) == id)
				return h->places[i];
		}
	}
	return NULL;
}

bool hist_text_place(const struct histogram *h, const struct hist_key *k, uint64_t n, struct buf *out)
{
	const struct hist_value *v = &k->node->value;
	bool is_named = v->source == HIST_FROM_PLACE && (v->modifier == HIST_SYM || v->modifier == HIST_SYM_OFFSET);
	const struct layout *l = is_named && n ? layout_with(h, n) : NULL;

	if (l)
		place_id_print(l, v->modifier == HIST_SYM_OFFSET, out);
	return l != NULL;
}

static void add_symbol(const struct histogram *h, const struct hist_key *k, uint64_t addr, const struct text *t, struct buf *out)
{
	const struct hist_value *v = &k->node->value;
	bool is_place = v->source == HIST_FROM_PLACE || v->source == HIST_FROM_CALLER;

	if (hist_text_place(h, k, addr, out))
		return;
	text_symbol(out, t->ks, addr, v->modifier == HIST_SYM_OFFSET || (is_place && v->modifier != HIST_SYM));
}

/*
 * The kernel gives the place as the address where the code goes on, up to 5 bytes behind it; of a return it begins with the caller (see
 * print/stack.c).
 */
unsigned hist_text_frames(const struct histogram *h, const struct hist_key *k, const struct hist_entry *e, uint64_t ret[COUNT_FRAMES + 1])
{
	enum { GOES_ON = 5 };
	uint64_t raw[COUNT_FRAMES];
	unsigned nr = 0;

	memcpy(raw, e->key + k->off, sizeof(raw));
	if (h->place && raw[0] - h->place > GOES_ON)
		ret[nr++] = h->place;
	for (unsigned i = 0; i < COUNT_FRAMES && raw[i]; i++)
		ret[nr++] = raw[i];
	if (h->place && nr)
		ret[0] = h->place;
	return nr;
}

static void add_stack(const struct histogram *h, const struct hist_key *k, const struct hist_entry *e, const struct text *t,
		      struct buf *out)
{
	uint64_t frames[COUNT_FRAMES + 1];
	unsigned nr = hist_text_frames(h, k, e, frames);

	for (unsigned i = 0; i < nr; i++) {
		buf_adds(out, i ? " <- " : "");
		text_symbol(out, t->ks, frames[i], false);
	}
}

/* Bytes of the traced machine, which may be anything. */
static void add_string(struct buf *out, const char *s, size_t size)
{
	escape_line(out, s, (uint32_t)strnlen(s, size), 0);
	buf_add(out, "", 0);		/* ends the text */
}

void hist_text_key(const struct histogram *h, const struct hist_key *k, const struct hist_entry *e, const struct text *t, struct buf *out)
{
	const struct hist_value *v = &k->node->value;
	uint64_t n;

	if (histogram_key_faulted(h, (unsigned)(k - h->keys), e)) {
		buf_adds(out, "(fault)");
		return;
	}
	if (k->node->is_stack) {
		add_stack(h, k, e, t, out);
		return;
	}
	if (k->node->is_string) {
		add_string(out, (const char *)e->key + k->off, k->size);
		return;
	}
	n = hist_key_number(e, k);
	if (hist_text_is_scale(k))
		hist_text_bucket(k, n, out);
	else if (v->modifier == HIST_SYM || v->modifier == HIST_SYM_OFFSET || v->source == HIST_FROM_PLACE || v->source == HIST_FROM_CALLER)
		add_symbol(h, k, n, t, out);
	else if (v->modifier == HIST_HEX)
		buf_addf(out, "0x%" PRIx64, n);
	else if (v->source == HIST_FROM_ARGUMENT)
		add_typed(h, v->field, n, t, out);
	else
		add_number(out, n, k->node->is_signed);
	if (v->modifier == HIST_EXECNAME) {
		buf_addc(out, ' ');
		add_string(out, e->comm, sizeof(e->comm));
	}
}

void hist_text_value(const struct histogram *h, unsigned i, const struct hist_entry *e, struct buf *out)
{
	hist_sum n;

	if (histogram_value(h, i, e, &n))
		add_sum(out, n);
	else
		buf_adds(out, "(fault)");
}

/* ---- JSON ---- */

/* A double can hold whole numbers up to 2^53. */
static void json_number(struct buf *out, uint64_t n, bool is_signed)
{
	bool exact = is_signed ? (int64_t)n <= 1ll << 53 && (int64_t)n >= -(1ll << 53) : n <= 1ull << 53;

	if (!exact)
		buf_addc(out, '"');
	add_number(out, n, is_signed);
	if (!exact)
		buf_addc(out, '"');
}

static void json_sum(struct buf *out, hist_sum n)
{
	bool exact = n <= 1ll << 53 && n >= -(1ll << 53);

	if (!exact)
		buf_addc(out, '"');
	add_sum(out, n);
	if (!exact)
		buf_addc(out, '"');
}

/* The smallest and the largest number of a bucket. */
static void json_bucket(const struct hist_value *v, uint64_t n, struct buf *out)
{
	bool is_signed = v->is_signed;
	uint64_t from, to;

	if (v->modifier == HIST_BUCKETS) {
		from = n;
		to = hist_text_bucket_last(v, n);
	} else if (n < 64) {
		from = n ? (1ull << (n - 1)) + 1 : 0;
		to = 1ull << n;
		is_signed = false;	/* 2^63 */
	} else {
		from = (1ull << 63) + !is_signed;
		to = UINT64_MAX;	/* -1 */
	}
	buf_adds(out, "{\"from\":");
	json_number(out, from, is_signed);
	buf_adds(out, ",\"to\":");
	json_number(out, to, is_signed);
	buf_addc(out, '}');
}

static void json_stack(const struct histogram *h, const struct hist_key *k, const struct hist_entry *e, const struct text *t,
		       struct buf *out)
{
	uint64_t frames[COUNT_FRAMES + 1];
	unsigned nr = hist_text_frames(h, k, e, frames);
	struct buf text = { 0 };

	buf_addc(out, '[');
	for (unsigned i = 0; i < nr; i++) {
		buf_reset(&text);
		text_symbol(&text, t->ks, frames[i], true);
		buf_adds(out, i ? "," : "");
		json_text(out, buf_str(&text));
	}
	buf_addc(out, ']');
	buf_fini(&text);
}

/* Numbers stay numbers; what has a name is that name. */
static void json_key(const struct histogram *h, const struct hist_key *k, const struct hist_entry *e, const struct text *t, struct buf *out)
{
	const struct hist_value *v = &k->node->value;
	uint64_t n = k->node->is_string ? 0 : hist_key_number(e, k);
	struct buf text = { 0 };

	if (histogram_key_faulted(h, (unsigned)(k - h->keys), e)) {
		buf_adds(out, "null");
	} else if (k->node->is_stack) {
		json_stack(h, k, e, t, out);
	} else if (k->node->is_string) {
		const char *s = (const char *)e->key + k->off;

		json_string(out, s, (uint32_t)strnlen(s, k->size), false);
	} else if (hist_text_is_scale(k)) {
		json_bucket(v, n, out);
	} else if (v->modifier == HIST_PLAIN && v->source != HIST_FROM_PLACE && v->source != HIST_FROM_CALLER) {
		json_number(out, n, k->node->is_signed);
	} else {
		hist_text_key(h, k, e, t, &text);
		json_text(out, buf_str(&text));
	}
	buf_fini(&text);
}

static void value_name(const struct hist_expr *e, struct buf *out)
{
	static const char *const suffixes[] = { [HIST_AVG] = ".avg", [HIST_MIN] = ".min", [HIST_MAX] = ".max" };
	const struct hist_expr *meant = hist_expr_meant(e);

	buf_adds(out, hist_text_name(e));
	if (meant->kind == HIST_FIELD && meant->modifier < ARRAY_SIZE(suffixes) && suffixes[meant->modifier])
		buf_adds(out, suffixes[meant->modifier]);
}

/* Names of an entry's members: "count", the keys, the values. */
struct member_names {
	struct buf names[HIST_MAX_KEYS + 1 + HIST_MAX_VALUES];
	unsigned nr;
};

static bool is_taken(const struct member_names *m, const char *name)
{
	for (unsigned i = 0; i < m->nr; i++) {
		if (!strcmp(buf_str(&m->names[i]), name))
			return true;
	}
	return false;
}

/* Takes @name, which is freed. An object must not have the same name twice: the second one gets "_2" behind it. */
static void add_name(struct member_names *m, struct buf *name)
{
	struct buf *own = &m->names[m->nr];

	buf_adds(own, buf_str(name));
	for (unsigned n = 2; is_taken(m, buf_str(own)); n++) {
		buf_reset(own);
		buf_addf(own, "%s_%u", buf_str(name), n);
	}
	m->nr++;
	buf_fini(name);
}

/* "count" keeps its name whatever the keys are. */
static void find_names(const struct hist *hist, struct member_names *m)
{
	struct buf name = { 0 };

	buf_adds(&m->names[m->nr++], "count");
	for (unsigned i = 0; i < hist->nr_keys; i++) {
		buf_adds(&name, hist_text_name(hist->keys[i]));
		add_name(m, &name);
	}
	for (unsigned i = 0; i < hist->nr_values; i++) {
		value_name(hist->values[i], &name);
		add_name(m, &name);
	}
}

static void free_names(struct member_names *m)
{
	for (unsigned i = 0; i < m->nr; i++)
		buf_fini(&m->names[i]);
}

static void json_entry(const struct histogram *h, const struct hist_entry *e, const struct member_names *m, const struct text *t,
		       struct buf *out)
{
	const struct hist *hist = h->trigger->hist;
	const struct buf *name = &m->names[1];
	hist_sum value;

	buf_addc(out, '{');
	for (unsigned i = 0; i < hist->nr_keys; i++) {
		json_text(out, buf_str(name++));
		buf_addc(out, ':');
		json_key(h, &h->keys[i], e, t, out);
		buf_addc(out, ',');
	}
	buf_adds(out, "\"count\":");
	json_number(out, e->hits, false);
	for (unsigned i = 0; i < hist->nr_values; i++) {
		buf_addc(out, ',');
		json_text(out, buf_str(name++));
		buf_addc(out, ':');
		if (histogram_value(h, i, e, &value))
			json_sum(out, value);
		else
			buf_adds(out, "null");
	}
	buf_addc(out, '}');
}

void hist_text_json(const struct histogram *h, const struct hist_table *table, const struct text *t, uint64_t ts, size_t top,
		    struct buf *out)
{
	struct member_names names = { 0 };
	struct buf trigger = { 0 };
	size_t nr;
	struct hist_entry **sorted = hist_sort(h, table, &nr);

	find_names(h->trigger->hist, &names);
	trigger_print(h->trigger, &trigger);
	sender_begin(t->sender, out);
	buf_addf(out, "\"hist\":");
	json_text(out, h->event);
	buf_addf(out, ",\"group\":");
	json_text(out, h->group);
	buf_adds(out, ",\"trigger\":");
	json_text(out, buf_str(&trigger));
	buf_addf(out, ",\"time_ns\":%" PRIu64 ",\"entries\":[", ts);
	for (size_t i = 0; i < nr && (!top || i < top); i++) {
		if (i)
			buf_addc(out, ',');
		json_entry(h, sorted[i], &names, t, out);
	}
	buf_addf(out, "],\"nr_entries\":%zu,\"hits\":", nr);
	json_number(out, table->hits, false);
	buf_adds(out, ",\"dropped\":");
	json_number(out, table->dropped, false);
	if (table->raced) {
		buf_adds(out, ",\"raced\":");
		json_number(out, table->raced, false);
	}
	buf_adds(out, "}\n");
	free(sorted);
	free_names(&names);
	buf_fini(&trigger);
}
