// SPDX-License-Identifier: GPL-2.0-only
/*
 * answers.c - the short forms of histograms, as triggers.
 */
#include "set/answers.h"

#include <string.h>

#include "base/buf.h"

/* Words for what every event has: at entries, and at returns. */
static const struct word_key {
	const char *word, *key[2];
} words[] = {
	{ "function", { "__probe_ip.sym", "__probe_func.sym" } },
	{ "caller", { NULL, "__probe_ret_ip.sym" } },
	{ "comm", { "common_comm", "common_comm" } },
	{ "pid", { "common_pid", "common_pid" } },
	{ "cpu", { "common_cpu", "common_cpu" } },
	{ "stack", { "common_stacktrace", "common_stacktrace" } },
};

static bool has_argument(const struct probe_def *def, const char *name, size_t len)
{
	for (unsigned i = 0; i < def->nr_args; i++) {
		if (def->args[i].name && strlen(def->args[i].name) == len && !memcmp(def->args[i].name, name, len))
			return true;
	}
	return false;
}

/* The key for one word of a list. *ret_common: every event has it. */
static void add_key(const struct probe_def *def, const char *word, size_t len, struct buf *out, bool *ret_common)
{
	const char *key = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(words) && !has_argument(def, word, len); i++) {
		if (strlen(words[i].word) == len && !memcmp(words[i].word, word, len))
			key = words[i].key[def->kind == DEF_RETURN];
	}
	*ret_common &= key != NULL;
	if (key)
		buf_adds(out, key);
	else
		buf_add(out, word, len);
}

static void add_keys(const struct probe_def *def, const char *list, struct buf *out, bool *ret_common)
{
	for (const char *at = list; *at;) {
		size_t len = strcspn(at, ",");

		if (at > list)
			buf_addc(out, ',');
		add_key(def, at, len, out, ret_common);
		at += len + (at[len] == ',');
	}
}

static void add_scale(const char *scale, struct buf *out)
{
	const char *colon = strchr(scale, ':');

	if (colon)
		buf_addf(out, "%.*s.buckets=%s", (int)(colon - scale), scale, colon + 1);
	else
		buf_addf(out, "%s.log2", scale);
}

static const char *suffix(enum hist_modifier how)
{
	switch (how) {
	case HIST_AVG:
		return ".avg";
	case HIST_MIN:
		return ".min";
	case HIST_MAX:
		return ".max";
	default:
		return "";
	}
}

/* The name of an argument $elapsed; NULL: there is none. */
static const char *elapsed_name(const struct probe_def *def)
{
	for (unsigned i = 0; i < def->nr_args; i++) {
		if (def->args[i].expr->kind == EXPR_ELAPSED)
			return def->args[i].name;
	}
	return NULL;
}

/* Counts by key, and for each key by the power of two of the duration: from this an average and percentiles follow. */
static const char *live_trigger(struct arena *arena, const struct answers *a, const struct probe_def *def)
{
	const char *elapsed = elapsed_name(def), *ret;
	struct buf text = { 0 };
	bool common = true;

	buf_adds(&text, "hist:keys=");
	add_keys(def, a->keys ? a->keys : "comm", &text, &common);
	if (elapsed)
		buf_addf(&text, ",%s.log2:vals=%s", elapsed, elapsed);
	ret = arena_strdup(arena, buf_str(&text));
	buf_fini(&text);
	return ret;
}

const char *answers_trigger(struct arena *arena, const struct answers *a, const struct probe_def *def, bool several)
{
	bool common = !a->scale && !a->nr_values;
	struct buf text = { 0 };
	const char *ret;

	if (a->live)
		return live_trigger(arena, a, def);
	buf_adds(&text, "hist:keys=");
	if (a->keys || !a->scale)
		add_keys(def, a->keys ? a->keys : "function", &text, &common);
	if (a->scale) {
		if (a->keys)
			buf_addc(&text, ',');
		add_scale(a->scale, &text);
	}
	for (unsigned i = 0; i < a->nr_values; i++)
		buf_addf(&text, "%s%s%s", i ? "," : ":vals=", a->values[i].field, suffix(a->values[i].how));
	if (!a->scale)
		buf_addf(&text, ":sort=%s.descending", a->nr_values ? a->values[0].field : "hitcount");
	if (several && common)
		buf_addf(&text, ":name=%s", def->kind == DEF_RETURN ? "returns" : "entries");
	ret = arena_strdup(arena, buf_str(&text));
	buf_fini(&text);
	return ret;
}
