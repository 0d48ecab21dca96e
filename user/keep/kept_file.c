// SPDX-License-Identifier: GPL-2.0-only
/*
 * kept_file.c - the files of kept places in programs.
 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "keep/kept.h"

void kept_name_file(struct kept_probe *p, struct arena *arena)
{
	struct target *t = &p->plan.target;
	char name[4096];
	struct stat st;
	ssize_t len;

	if (!t->path || stat(t->path, &st))
		return;
	p->file_dev = st.st_dev;
	p->file_ino = st.st_ino;
	/* The target has /proc/self/fd/N, which is the opened file whatever happens to its name, but only in this process. */
	len = readlink(t->path, name, sizeof(name));
	if (len > 0 && len < (ssize_t)sizeof(name))
		t->path = arena_strndup(arena, name, (size_t)len);
}

int kept_check_file(const struct kept_probe *p, const char *text, struct span at, struct diag *diag)
{
	const struct target *t = &p->plan.target;
	struct stat st;

	if (!t->path)
		return 0;
	diag->text = text;
	if (stat(t->path, &st))
		return diag_at(diag, -errno, at, "cannot find %s: %m", t->path);
	if (st.st_dev == p->file_dev && st.st_ino == p->file_ino)
		return 0;
	diag_at(diag, -ESTALE, at, "another file is %s now, and this place may be other code in it", t->path);
	diag_note(diag, "help: remove the kept event (bprobe -r NAME) and keep it anew");
	return -ESTALE;
}
