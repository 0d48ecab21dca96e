// SPDX-License-Identifier: GPL-2.0-only
/*
 * cgroups.c - the paths of cgroups by their numbers.
 *
 * A table with open addressing finds a number's place in a ring, which has the cgroups in the order in which they were learned.
 */
#include "kernel/cgroup/cgroups.h"

#include <dirent.h>
#include <errno.h>
#include <mntent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"

enum { TABLE = 4 * CGROUPS_MOST };	/* a power of two, never more than half full of live places */

struct cgroups {
	struct cgroup_known *ring;	/* grows to CGROUPS_MOST */
	unsigned nr, size;
	unsigned oldest;		/* once the ring is full */
	uint32_t *table;		/* 1 + the place in the ring; 0: free; GONE */
	unsigned used;			/* places of the table that are not free */
	void (*more)(void *ctx);
	void *ctx;
};

#define GONE	UINT32_MAX

static unsigned first_place(uint64_t id)
{
	return (unsigned)(id * 0x9e3779b97f4a7c15ull >> 32) & (TABLE - 1);
}

struct cgroups *cgroups_new(void)
{
	struct cgroups *all = must(calloc(1, sizeof(*all)));

	all->table = must(calloc(TABLE, sizeof(*all->table)));
	return all;
}

void cgroups_free(struct cgroups *all)
{
	if (!all)
		return;
	for (unsigned i = 0; i < all->nr; i++) {
		free((char *)all->ring[i].path);
		buf_fini(&all->ring[i].text);
	}
	free(all->ring);
	free(all->table);
	free(all);
}

/* The place of the table that has @id; NULL: none has. */
static uint32_t *place_of(struct cgroups *all, uint64_t id)
{
	for (unsigned at = first_place(id);; at = (at + 1) & (TABLE - 1)) {
		uint32_t *place = &all->table[at];

		if (!*place)
			return NULL;
		if (*place != GONE && all->ring[*place - 1].id == id)
			return place;
	}
}

static void put(struct cgroups *all, uint64_t id, uint32_t place)
{
	unsigned at = first_place(id);

	while (all->table[at])
		at = (at + 1) & (TABLE - 1);
	all->table[at] = place;
	all->used++;
}

/* Places of forgotten cgroups are never free again, so the table is made anew when they are too many. */
static void tidy(struct cgroups *all)
{
	if (all->used < TABLE / 2)
		return;
	memset(all->table, 0, TABLE * sizeof(*all->table));
	all->used = 0;
	for (unsigned i = 0; i < all->nr; i++)
		put(all, all->ring[i].id, i + 1);
}

static void fill(struct cgroup_known *known, uint64_t id, const char *path)
{
	free((char *)known->path);
	buf_fini(&known->text);
	*known = (struct cgroup_known){ .id = id, .path = must(strdup(path)) };
}

void cgroups_learn(struct cgroups *all, uint64_t id, const char *path)
{
	uint32_t *place = place_of(all, id);
	unsigned at;

	if (place) {
		if (strcmp(all->ring[*place - 1].path, path))
			fill(&all->ring[*place - 1], id, path);
		return;
	}
	if (all->nr < CGROUPS_MOST) {
		all->ring = heap_grow(all->ring, all->nr, &all->size);
		at = all->nr++;
		all->ring[at] = (struct cgroup_known){ 0 };
	} else {
		at = all->oldest;
		all->oldest = (at + 1) % CGROUPS_MOST;
		*place_of(all, all->ring[at].id) = GONE;
	}
	fill(&all->ring[at], id, path);
	put(all, id, at + 1);
	tidy(all);
}

void cgroups_ask(struct cgroups *all, void (*more)(void *ctx), void *ctx)
{
	all->more = more;
	all->ctx = ctx;
}

struct cgroup_known *cgroups_find(struct cgroups *all, uint64_t id)
{
	uint32_t *place = place_of(all, id);

	if (!place && all->more) {
		all->more(all->ctx);
		place = place_of(all, id);
	}
	return place ? &all->ring[*place - 1] : NULL;
}

/* ---- those that exist ---- */

/* Adds the directories below @path, whose first @root bytes are the mount point. Symbolic links are not followed. */
static void scan(struct cgroups *all, struct buf *path, size_t root)
{
	DIR *dir = opendir(buf_str(path));
	size_t len = path->len;
	struct dirent *entry;
	struct stat st;

	while (dir && (entry = readdir(dir))) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..") || (entry->d_type != DT_DIR && entry->d_type != DT_UNKNOWN))
			continue;
		buf_addc(path, '/');
		buf_adds(path, entry->d_name);
		if (!lstat(buf_str(path), &st) && S_ISDIR(st.st_mode)) {
			cgroups_learn(all, st.st_ino, buf_str(path) + root);
			scan(all, path, root);
		}
		path->len = len;
		path->data[len] = '\0';
	}
	if (dir)
		closedir(dir);
}

int cgroups_scan(struct cgroups *all)
{
	FILE *mounts = setmntent("/proc/self/mounts", "re");
	struct buf path = { 0 };
	struct mntent *entry;
	struct stat st;

	if (!mounts)
		return -errno;
	while (!path.len && (entry = getmntent(mounts))) {
		if (!strcmp(entry->mnt_type, "cgroup2"))
			buf_adds(&path, entry->mnt_dir);
	}
	endmntent(mounts);
	if (!path.len)
		return -ENOENT;
	if (!stat(buf_str(&path), &st))
		cgroups_learn(all, st.st_ino, "/");
	scan(all, &path, path.len);
	buf_fini(&path);
	return 0;
}
