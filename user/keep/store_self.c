// SPDX-License-Identifier: GPL-2.0-only
/*
 * store_self.c - leaves bprobe's own processes out of kept events.
 */
#include <errno.h>
#include <string.h>

#include "keep/store.h"
#include "keep/store_dir.h"

static const char *path_in(const char *dir, struct arena *arena)
{
	return arena_printf(arena, "%s/%s", dir, STORE_SELVES);
}

int store_selves(const struct store *s, struct selves *ret, struct diag *diag)
{
	struct arena arena = { 0 };
	const char *path = path_in(s->dir, &arena);
	int err = selves_open(path, ret);

	if (err == -ENOENT) {
		err = selves_create(ret);
		if (!err) {
			err = selves_pin(ret, path);
			if (err)
				selves_close(ret);
		}
	}
	if (err)
		diag_set(diag, err, "cannot open the list of bprobe's own processes, %s: %s", path, strerror(-err));
	arena_fini(&arena);
	return err;
}

void store_leave_out(const char *dir, struct left_out *ret)
{
	struct arena arena = { 0 };
	struct left_out l = { 0 };
	struct diag ignored = { 0 };

	if (!selves_open(path_in(dir ? dir : STORE_DEFAULT, &arena), &l.selves) && !identity_find_self(&l.self, &ignored))
		selves_add(&l.selves, l.self.tgid, !l.self.level);
	diag_fini(&ignored);
	arena_fini(&arena);
	*ret = l;
}

/*
 * In the initial pid namespace the entry stays: it does no harm. So everything that this process does until its end is left
 * out, too.
 */
void store_rejoin(struct left_out *l)
{
	if (l->selves.table && l->self.level)
		selves_remove(&l->selves, l->self.tgid);
	selves_close(&l->selves);
}
