// SPDX-License-Identifier: GPL-2.0-only
/*
 * store_pin.c - the files in a kept event's directory.
 *
 * A link can be pinned. Before 5.15 perf events have no links. There a map of perf events with BPF_F_PRESERVE_ELEMS (5.10;
 * kernel/bpf/arraymap.c) holds the event itself; the map's entries outlive the process that made them.
 */
#include "keep/store_pin.h"

#include <bpf/bpf.h>
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "keep/store_dir.h"

enum { PRESERVE_ELEMS = 1 << 11 };	/* BPF_F_PRESERVE_ELEMS: the build machine's headers may be older */

enum { PATH_ROOM = 4096 };

/* DIR/NAMEnumber */
static const char *path_of(char path[PATH_ROOM], const char *dir, const char *name, unsigned number)
{
	snprintf(path, PATH_ROOM, "%s/%s%u", dir, name, number);
	return path;
}

static const char *path_named(char path[PATH_ROOM], const char *dir, const char *name)
{
	snprintf(path, PATH_ROOM, "%s/%s", dir, name);
	return path;
}

static int pin(int fd, const char *path)
{
	return bpf_obj_pin(fd, path) ? -errno : 0;
}

static int open_pin(const char *path)
{
	int fd = bpf_obj_get(path);

	return fd < 0 ? -errno : fd;
}

/* ---- text ---- */

int store_pin_text(struct arena *arena, const char *path, const char **ret)
{
	auto_fd fd = open_pin(path);
	struct bpf_map_info info = { 0 };
	__u32 len = sizeof(info), key = 0;
	char *text;

	if (fd < 0)
		return fd;
	if (bpf_obj_get_info_by_fd(fd, &info, &len) || info.type != BPF_MAP_TYPE_ARRAY || !info.value_size)
		return -EBADMSG;
	/* The kernel copies in units of 8 bytes. */
	text = arena_alloc(arena, ROUND_UP((size_t)info.value_size, (size_t)8) + 1);
	if (bpf_map_lookup_elem(fd, &key, text))
		return -errno;
	*ret = text;
	return 0;
}

int store_pin_info(const char *path, const char *text, size_t len)
{
	size_t room = ROUND_UP(len + 1, (size_t)8);
	auto_fd fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "bp_info", 4, (__u32)room, 1, NULL);
	auto_free char *value = calloc(1, room);
	__u32 key = 0;

	if (fd < 0)
		return -errno;
	if (!value)
		return -ENOMEM;
	memcpy(value, text, len);
	return bpf_map_update_elem(fd, &key, value, BPF_ANY) ? -errno : pin(fd, path);
}

/* ---- the channel ---- */

int store_pin_channel(const char *dir, const struct channel *c)
{
	char path[PATH_ROOM];
	int err = pin(c->rings_fd, path_named(path, dir, STORE_RINGS));

	if (!err)
		err = pin(c->bell_fd, path_named(path, dir, "bell"));
	if (!err)
		err = pin(c->stats_fd, path_named(path, dir, "stats"));
	if (!err && c->saved_fd >= 0)
		err = pin(c->saved_fd, path_named(path, dir, "saved"));
	if (!err && c->watch_fd >= 0)
		err = pin(c->skips_fd, path_named(path, dir, "switches"));
	if (!err && c->watch_fd >= 0)
		err = pin(c->watch_fd, path_named(path, dir, "watch"));
	if (!err && c->once_fd >= 0)
		err = pin(c->once_fd, path_named(path, dir, "once"));
	return err;
}

int store_pin_watch(const char *dir, const struct channel *c)
{
	char path[PATH_ROOM];
	int err;

	if (c->watch_fd < 0 || !access(path_named(path, dir, "watch"), F_OK))
		return 0;
	err = pin(c->skips_fd, path_named(path, dir, "switches"));
	return err ? err : pin(c->watch_fd, path_named(path, dir, "watch"));
}

int store_pin_open_channel(const char *dir, unsigned nr_probes, struct channel **ret)
{
	char path[PATH_ROOM];
	int rings_fd = open_pin(path_named(path, dir, STORE_RINGS)), bell_fd = open_pin(path_named(path, dir, "bell"));
	int stats_fd = open_pin(path_named(path, dir, "stats")), saved_fd = open_pin(path_named(path, dir, "saved"));
	int err = channel_adopt(rings_fd, bell_fd, stats_fd, saved_fd, nr_probes, ret);

	if (!err) {
		(*ret)->once_fd = open_pin(path_named(path, dir, "once"));
		(*ret)->skips_fd = open_pin(path_named(path, dir, "switches"));
		(*ret)->watch_fd = open_pin(path_named(path, dir, "watch"));
	}
	return err;
}

/* Up to version 2 each ring had a file of its own, and rings was the map of these. */
static bool is_of_channel(const char *name)
{
	return !strcmp(name, "saved") || !strcmp(name, "once") || !strcmp(name, "switches") || !strcmp(name, "watch") ||
	       (!strncmp(name, "ring", 4) && isdigit((unsigned char)name[4]));
}

int store_pin_drop_channel(const char *dir)
{
	struct arena arena = { 0 };
	const char **names;
	unsigned nr = store_dir_names(dir, &arena, &names);
	int err = 0;

	for (unsigned i = 0; i < nr; i++) {
		if (is_of_channel(names[i]) && unlink(arena_printf(&arena, "%s/%s", dir, names[i])))
			err = -errno;
	}
	arena_fini(&arena);
	return err;
}

/* ---- tables of histograms ---- */

#define TABLE	"table"
#define STATE	"counted"

int store_pin_tables(const char *dir, const struct kept *k)
{
	char path[PATH_ROOM];
	int err = 0;

	for (unsigned i = 0; i < k->nr_triggers && !err; i++) {
		const struct kept_trigger *t = &k->triggers[i];

		if (!t->table)
			continue;
		err = t->table->fd >= 0 ? pin(t->table->fd, path_of(path, dir, TABLE, t->number)) : 0;
		if (!err)
			err = pin(t->table->state_fd, path_of(path, dir, STATE, t->number));
	}
	return err;
}

int store_pin_open_table(const char *dir, unsigned number, struct count_table *ret)
{
	char path[PATH_ROOM];
	struct bpf_map_info info = { 0 };
	__u32 len = sizeof(info);

	ret->fd = open_pin(path_of(path, dir, TABLE, number));
	if (ret->fd < 0 && (ret->key_size || ret->fd != -ENOENT))
		return ret->fd;
	if (ret->fd >= 0 && (bpf_obj_get_info_by_fd(ret->fd, &info, &len) || (ret->key_size && info.key_size != ret->key_size) ||
			     info.value_size != count_value_size(ret)))
		return -EBADMSG;
	ret->state_fd = open_pin(path_of(path, dir, STATE, number));
	return MIN(ret->state_fd, 0);
}

/* Is @name that of a table of which @k has no trigger? */
static bool is_left(const struct kept *k, const char *name)
{
	const char *digits = !strncmp(name, TABLE, strlen(TABLE)) ? name + strlen(TABLE) :
			     !strncmp(name, STATE, strlen(STATE)) ? name + strlen(STATE) : NULL;

	for (unsigned i = 0; digits && i < k->nr_triggers; i++) {
		if (k->triggers[i].number == strtoul(digits, NULL, 10))
			return false;
	}
	return digits;
}

int store_pin_drop_tables(const char *dir, const struct kept *k)
{
	struct arena arena = { 0 };
	const char **names;
	unsigned nr = store_dir_names(dir, &arena, &names);
	int err = 0;

	for (unsigned i = 0; i < nr; i++) {
		if (is_left(k, names[i]) && unlink(arena_printf(&arena, "%s/%s", dir, names[i])))
			err = -errno;
	}
	arena_fini(&arena);
	return err;
}

/* ---- data that readers share ---- */

/* lost_before, missed[], filtered[], cleared[], losses[] */
static size_t state_bytes(unsigned nr_probes, unsigned nr_cpus)
{
	return sizeof(uint64_t) * (1 + 3 * (size_t)nr_probes) + sizeof(struct losses) * nr_probes * nr_cpus;
}

int store_pin_state(const char *path, const struct channel *c)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE);
	__u32 bytes = (__u32)ROUND_UP(state_bytes(c->nr_probes, c->nr_cpus), (size_t)8);
	auto_fd fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "bp_state", 4, bytes, 1, &opts);

	return fd < 0 ? -errno : pin(fd, path);
}

int store_pin_map_state(const char *path, unsigned nr_probes, unsigned nr_cpus, struct store_use *ret)
{
	auto_fd fd = open_pin(path);
	struct bpf_map_info info = { 0 };
	__u32 len = sizeof(info);
	uint64_t *at;

	if (fd < 0)
		return fd;
	if (bpf_obj_get_info_by_fd(fd, &info, &len) ||
	    info.value_size != ROUND_UP(state_bytes(nr_probes, nr_cpus), (size_t)8))
		return -EBADMSG;
	ret->state_size = ROUND_UP((size_t)info.value_size, (size_t)sysconf(_SC_PAGESIZE));
	at = mmap(NULL, ret->state_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED)
		return -errno;
	ret->state = at;
	ret->lost_before = at;
	ret->missed = at + 1;
	ret->filtered = at + 1 + nr_probes;
	ret->cleared = at + 1 + 2 * (size_t)nr_probes;
	ret->losses = (struct losses *)(at + 1 + 3 * (size_t)nr_probes);
	return 0;
}

/* ---- programs ---- */

/* A map that holds perf events: two for each probe; the second one is the saver's. */
static int open_events(const char *dir, unsigned nr)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = PRESERVE_ELEMS);
	char path[PATH_ROOM];
	int fd = open_pin(path_named(path, dir, "events")), err;

	if (fd != -ENOENT)
		return fd;
	fd = bpf_map_create(BPF_MAP_TYPE_PERF_EVENT_ARRAY, "bp_events", 4, 4, 2 * nr, &opts);
	if (fd < 0)
		return -errno;
	err = pin(fd, path);
	if (err)
		close(fd);
	return err ? err : fd;
}

int store_pin_attached(const char *dir, unsigned i, unsigned nr, bool saver, const struct attached *a)
{
	char path[PATH_ROOM];
	auto_fd events = -1;
	__u32 key = 2 * i + saver;

	if (a->link_fd >= 0)
		return pin(a->link_fd, path_of(path, dir, saver ? "keep" : "link", i));
	if (a->event_fd < 0)
		return 0;		/* disabled */
	events = open_events(dir, nr);
	if (events < 0)
		return events;
	return bpf_map_update_elem(events, &key, &a->event_fd, BPF_ANY) ? -errno : 0;
}

int store_pin_probe(const char *dir, unsigned i, unsigned nr, const struct store_probe *p)
{
	char path[PATH_ROOM];
	int err = pin(p->attached->prog_fd, path_of(path, dir, "prog", i));

	if (!err && p->saver)
		err = pin(p->saver->prog_fd, path_of(path, dir, "saver", i));
	if (!err)
		err = store_pin_attached(dir, i, nr, false, p->attached);
	if (!err && p->saver)
		err = store_pin_attached(dir, i, nr, true, p->saver);
	return err;
}

bool store_pin_enabled(const char *dir)
{
	char path[PATH_ROOM];

	return !access(path_named(path, dir, "on"), F_OK);
}

int store_pin_mark_enabled(const char *dir)
{
	char path[PATH_ROOM];
	auto_fd info = open_pin(path_named(path, dir, "info"));

	return info < 0 ? info : pin(info, path_named(path, dir, "on"));
}

static bool attaches(const char *name)
{
	return !strncmp(name, "link", 4) || !strncmp(name, "keep", 4) || !strcmp(name, "events");
}

bool store_pin_has_remains(const char *dir)
{
	struct arena arena = { 0 };
	const char **names;
	unsigned nr = store_pin_enabled(dir) ? 0 : store_dir_names(dir, &arena, &names);
	bool found = false;

	for (unsigned i = 0; i < nr; i++)
		found |= attaches(names[i]);
	arena_fini(&arena);
	return found;
}

int store_pin_open_program(const char *dir, unsigned i, bool saver)
{
	char path[PATH_ROOM];

	return open_pin(path_of(path, dir, saver ? "saver" : "prog", i));
}

int store_pin_open_link(const char *dir, unsigned i, bool saver)
{
	char path[PATH_ROOM];

	return open_pin(path_of(path, dir, saver ? "keep" : "link", i));
}

void store_pin_drop_probe(const char *dir, unsigned i)
{
	static const char *const names[] = { "link", "keep", "prog", "saver" };
	char path[PATH_ROOM];
	auto_fd events = open_pin(path_named(path, dir, "events"));

	for (unsigned n = 0; n < ARRAY_SIZE(names); n++) {
		auto_fd fd = open_pin(path_of(path, dir, names[n], i));

		if (fd >= 0)
			unlink(path);		/* the descriptor is closed last: see store_pin_detach() */
	}
	for (__u32 key = 2 * i; events >= 0 && key < 2 * i + 2; key++)
		bpf_map_delete_elem(events, &key);
}

/*
 * If a link loses its last descriptor, it is detached before close(2) returns. If it loses its last pin, a worker of the
 * kernel detaches it some time later. So each link is opened first. (On 5.10 the pin lives a little longer than its name.)
 */
int store_pin_detach_later(const char *dir, struct detach *later, unsigned ms)
{
	struct arena arena = { 0 };
	const char **names;
	unsigned nr = store_dir_names(dir, &arena, &names);
	int *fds = arena_array(&arena, int, nr), err = 0;

	if (unlink(arena_printf(&arena, "%s/on", dir)) && errno != ENOENT)
		err = -errno;
	for (unsigned i = 0; i < nr; i++) {
		const char *path = arena_printf(&arena, "%s/%s", dir, names[i]);

		fds[i] = attaches(names[i]) ? open_pin(path) : -1;
		if (attaches(names[i]) && unlink(path))
			err = -errno;
	}
	for (unsigned i = 0; i < nr; i++) {
		if (fds[i] >= 0 && later)
			detach_add_fd(later, fds[i], strcmp(names[i], "events") ? ms : 0);
		else if (fds[i] >= 0)
			close(fds[i]);
	}
	arena_fini(&arena);
	return err;
}

int store_pin_detach(const char *dir)
{
	return store_pin_detach_later(dir, NULL, 0);
}

unsigned store_pin_count_joined(const char *dir)
{
	struct arena arena = { 0 };
	const char **names;
	unsigned nr = store_dir_names(dir, &arena, &names), joined = 0;

	for (unsigned i = 0; i < nr; i++)
		joined += store_is_join(names[i]);
	arena_fini(&arena);
	return joined;
}
