// SPDX-License-Identifier: GPL-2.0-only
/*
 * kevents.c - the kernel's events.
 */
#include "kernel/events/kevents.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/memory.h"
#include "kernel/events/kevents_priv.h"
#include "kernel/events/near.h"
#include "kernel/syms/ksyms.h"

struct kevents *kevents_new(enum kevents_source source, const char *tracefs, const struct ksyms *ks, struct kbtf *btf,
			    struct kmem *mem)
{
	struct kevents *k = must(calloc(1, sizeof(*k)));

	*k = (struct kevents){ .source = source, .ks = ks, .btf = btf, .mem = mem, .tracefs = tracefs ? must(strdup(tracefs)) : NULL };
	return k;
}

void kevents_close(struct kevents *k)
{
	if (!k)
		return;
	kevents_memory_close(k);
	free(k->tracefs);
	free(k);
}

/* ---- tracefs ---- */

static bool can_read(struct arena *arena, const char *root)
{
	return *root && !access(arena_printf(arena, "%s/events", root), R_OK | X_OK);
}

/* The directory of tracefs; NULL: none can be read. */
static const char *tracefs_root(struct kevents *k)
{
	static const char *const usual[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };
	struct arena arena = { 0 };

	if (k->looked)
		return k->root;
	k->looked = true;
	if (k->source == KEVENTS_MEMORY)
		return NULL;
	if (k->tracefs && can_read(&arena, k->tracefs))
		k->root = k->tracefs;
	for (size_t i = 0; !k->tracefs && !k->root && i < ARRAY_SIZE(usual); i++) {
		if (can_read(&arena, usual[i]))
			k->root = usual[i];
	}
	arena_fini(&arena);
	return k->root;
}

static bool has_symbol(const struct kevents *k, const char *name, const char **ret_module)
{
	const struct ksym *const *syms;

	*ret_module = NULL;
	if (!k->ks || (!ksyms_find(k->ks, name, "vmlinux", &syms) && !ksyms_find(k->ks, name, NULL, &syms)))
		return false;
	*ret_module = syms[0]->module;
	return true;
}

/* The lines of dynamic_events are "p:GROUP/NAME DEFINITION". A kernel without such events has no such file. */
static bool is_dynamic(const struct kevents *k, const char *group, const char *name)
{
	struct arena arena = { 0 };
	struct buf text = { 0 };
	const char *wanted = arena_printf(&arena, ":%s/%s", group, name), *at;
	bool found = false;

	if (!ksyms_read_file(arena_printf(&arena, "%s/dynamic_events", k->root), &text)) {
		for (at = buf_str(&text); !found && (at = strstr(at, wanted)); at++)
			found = strchr(" ;\n", at[strlen(wanted)]);
	}
	buf_fini(&text);
	arena_fini(&arena);
	return found;
}

/*
 * A format file tells neither the tracepoint nor the module. An event that was compiled has the name of its tracepoint, and
 * is in the same module.
 */
static void find_tracepoint(const struct kevents *k, struct arena *arena, struct kevent *ev)
{
	const char *module;

	if (!strcmp(ev->group, "ftrace") || !strcmp(ev->group, "syscalls") ||
	    !has_symbol(k, arena_printf(arena, "__traceiter_%s", ev->name), &module) || is_dynamic(k, ev->group, ev->name))
		return;
	ev->module = module ? arena_strdup(arena, module) : NULL;
	ev->tracepoint = ev->name;
}

static int tracefs_find(struct kevents *k, struct arena *arena, const char *group, const char *name, struct kevent *ret)
{
	struct buf text = { 0 };
	int err;

	if (!*group || !*name || strchr(group, '/') || strchr(name, '/') || *group == '.' || *name == '.')
		return -ENOENT;
	err = ksyms_read_file(arena_printf(arena, "%s/events/%s/%s/format", k->root, group, name), &text);
	if (!err) {
		err = kevent_parse_format(arena, buf_str(&text), text.len, ret);
		ret->group = arena_strdup(arena, group);
		if (!err && strcmp(ret->name, name))
			err = -EINVAL;
		if (!err)
			find_tracepoint(k, arena, ret);
	} else {
		err = -ENOENT;
	}
	buf_fini(&text);
	return err;
}

/* The lines of available_events are GROUP:NAME. */
static int tracefs_each(struct kevents *k, bool (*take)(void *ctx, const char *group, const char *name), void *ctx)
{
	struct arena arena = { 0 };
	struct buf text = { 0 };
	int err = ksyms_read_file(arena_printf(&arena, "%s/available_events", k->root), &text);
	bool more = true;

	for (char *line = text.data, *end; !err && more && line && (end = strchr(line, '\n')); line = end + 1) {
		char *colon = memchr(line, ':', (size_t)(end - line));

		*end = '\0';
		if (!colon)
			continue;
		*colon = '\0';
		more = take(ctx, line, colon + 1);
	}
	buf_fini(&text);
	arena_fini(&arena);
	return err ? -EOPNOTSUPP : 0;
}

/* ---- questions ---- */

const char *kevents_from(struct kevents *k)
{
	if (tracefs_root(k))
		return "tracefs";
	return k->source != KEVENTS_TRACEFS && kevents_memory_works(k) ? "memory" : NULL;
}

static void name_syscall_tracepoint(struct kevent *ev)
{
	if (!strcmp(ev->group, "syscalls"))
		ev->tracepoint = !strncmp(ev->name, "sys_exit_", strlen("sys_exit_")) ? "sys_exit" : "sys_enter";
}

int kevent_find(struct kevents *k, struct arena *arena, const char *group, const char *name, struct kevent *ret)
{
	int err = -EOPNOTSUPP;

	*ret = (struct kevent){ 0 };
	if (tracefs_root(k))
		err = tracefs_find(k, arena, group, name, ret);
	else if (k->source != KEVENTS_TRACEFS && kevents_memory_works(k))
		err = kevents_memory_find(k, arena, group, name, ret);
	if (!err)
		name_syscall_tracepoint(ret);
	return err;
}

const struct kevent_field *kevent_field(const struct kevent *ev, const char *name)
{
	for (unsigned i = 0; i < ev->nr_fields; i++) {
		if (!strcmp(ev->fields[i].name, name))
			return &ev->fields[i];
	}
	return NULL;
}

int kevents_each(struct kevents *k, bool (*take)(void *ctx, const char *group, const char *name), void *ctx)
{
	if (tracefs_root(k))
		return tracefs_each(k, take, ctx);
	if (k->source != KEVENTS_TRACEFS && kevents_memory_works(k))
		return kevents_memory_each(k, take, ctx);
	return -EOPNOTSUPP;
}

struct suggestions {
	struct near_words words;
	const char *group;
	struct buf text;
};

/* The same name in another group is what was meant; else the group must be right. */
static bool suggest(void *ctx, const char *group, const char *name)
{
	struct suggestions *s = ctx;

	buf_reset(&s->text);
	buf_addf(&s->text, "%s.%s", group, name);
	if (!s->group || !strcmp(s->group, group) || !strcmp(s->words.wanted, name))
		near_offer(&s->words, name, buf_str(&s->text));
	return true;
}

unsigned kevents_similar(struct kevents *k, struct arena *arena, const char *group, const char *name, const char **ret,
			 unsigned max)
{
	struct suggestions s = { .words = { .arena = arena, .wanted = name, .ret = ret, .max = max }, .group = group };

	kevents_each(k, suggest, &s);
	if (!s.words.nr && group) {		/* the group may be wrong, too */
		s.group = NULL;
		kevents_each(k, suggest, &s);
	}
	buf_fini(&s.text);
	return s.words.nr;
}

const char *kevent_similar_field(const struct kevent *ev, const char *name)
{
	struct arena arena = { 0 };
	const char *best = NULL, *field = NULL;
	struct near_words words = { .arena = &arena, .wanted = name, .ret = &best, .max = 1 };

	for (unsigned i = 0; i < ev->nr_fields; i++) {
		if (ev->fields[i].is_common)
			continue;
		near_offer(&words, ev->fields[i].name, ev->fields[i].name);
		if (best && !strcmp(best, ev->fields[i].name))
			field = ev->fields[i].name;
	}
	arena_fini(&arena);
	return field;
}
