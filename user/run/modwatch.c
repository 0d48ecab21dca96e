// SPDX-License-Identifier: GPL-2.0-only
/*
 * modwatch.c - reports loading and unloading of modules.
 *
 * The kernel announces "add" after the module's init functions have run (kernel/module/main.c, do_init_module(): the announcement is
 * held back until then), and "remove" when it is unloaded.
 */
#include "run/modwatch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run/uevents.h"

struct modwatch {
	int fd;
};

int modwatch_open(struct modwatch **ret, struct diag *diag)
{
	struct modwatch *w = calloc(1, sizeof(*w));

	if (!w)
		return diag_set(diag, -ENOMEM, "out of memory");
	w->fd = uevents_open();
	if (w->fd < 0) {
		int err = w->fd;

		modwatch_close(w);
		return diag_set(diag, err, "cannot watch for modules that are loaded: %s", strerror(-err));
	}
	*ret = w;
	return 0;
}

void modwatch_close(struct modwatch *w)
{
	if (!w)
		return;
	if (w->fd >= 0)
		close(w->fd);
	free(w);
}

int modwatch_fd(const struct modwatch *w)
{
	return w->fd;
}

void modwatch_serve(struct modwatch *w, modwatch_fn fn, void *ctx)
{
	char text[UEVENT_MAX + 1];
	int err;

	while ((err = uevents_next(w->fd, text)) != -EAGAIN) {
		const char *came, *went;

		if (err) {	/* the queue was full */
			fn(ctx, NULL, true);
			continue;
		}
		came = uevents_behind(text, "add@/module/");
		went = uevents_behind(text, "remove@/module/");
		/* A name with '/' is a part of a module. */
		if ((came || went) && !strchr(came ? came : went, '/'))
			fn(ctx, came ? came : went, went);
	}
}
