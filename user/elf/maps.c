// SPDX-License-Identifier: GPL-2.0-only
/*
 * maps.c - reads /proc/PID/maps.
 */
#include "elf/maps.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/macros.h"
#include "base/number.h"

/* START-END rwxp OFFSET MAJOR:MINOR INODE   PATH. False: it is not executable, or not such a line. */
static bool parse_line(char *line, struct user_map *m)
{
	char *at = line;

	m->start = strtoull(at, &at, 16);
	if (*at++ != '-')
		return false;
	m->end = strtoull(at, &at, 16);
	if (*at++ != ' ' || strlen(at) < 5 || at[2] != 'x' || at[4] != ' ')
		return false;
	m->off = strtoull(at + 5, &at, 16);
	m->inode.major = (uint32_t)strtoul(at, &at, 16);
	if (*at++ != ':')
		return false;
	m->inode.minor = (uint32_t)strtoul(at, &at, 16);
	m->inode.ino = strtoull(at, &at, 10);
	at += strspn(at, " ");
	at[strcspn(at, "\n")] = '\0';
	m->path = at;
	return *at;
}

static FILE *open_maps(uint32_t tgid)
{
	char path[40];

	snprintf(path, sizeof(path), "/proc/%u/maps", tgid);
	return fopen(path, "re");
}

int maps_read(uint32_t tgid, void (*each)(void *ctx, const struct user_map *m), void *ctx)
{
	auto_file maps = open_maps(tgid);
	auto_free char *line = NULL;
	size_t room = 0;

	if (!maps)
		return -errno;
	while (getline(&line, &room, maps) > 0) {
		struct user_map m;

		if (parse_line(line, &m))
			each(ctx, &m);
	}
	return ferror(maps) ? -EIO : 0;
}

void maps_processes(bool (*each)(void *ctx, uint32_t tgid), void *ctx)
{
	DIR *dir = opendir("/proc");
	const struct dirent *e;
	uint64_t tgid;
	bool more = true;

	while (dir && more && (e = readdir(dir))) {
		if (!number_u64(e->d_name, strlen(e->d_name), 10, &tgid) && tgid <= UINT32_MAX)
			more = each(ctx, (uint32_t)tgid);
	}
	if (dir)
		closedir(dir);
}
