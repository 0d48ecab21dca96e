// SPDX-License-Identifier: GPL-2.0-only
/*
 * apply_watch.c - --apply --watch: applies files again when they change.
 *
 * What changes is only a reason to look: all files are read again, and what is as it should be is not touched. The directories of the files are
 * watched, not the files: editors, and Kubernetes for a ConfigMap, put new ones in their places.
 */
#include "keep/apply_priv.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/signals.h"
#include "elf/debug_file.h"
#include "keep/keep.h"
#include "stream/options.h"
#include "stream/privileges.h"

enum {
	QUIET_MS = 200,			/* files are complete when nothing has changed for so long */
	AGAIN_MS = 5000,		/* a directory that is not there is looked for so often */
	CHANGES = IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_CLOSE_WRITE | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF,
};

/* The directory of a file; of a directory itself. */
static char *directory_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	struct stat st;

	if (!stat(path, &st) && S_ISDIR(st.st_mode))
		return strdup(path);
	return !slash ? strdup(".") : slash == path ? strdup("/") : strndup(path, (size_t)(slash - path));
}

/* False: one of them cannot be watched now. */
static bool watch(int fd, const struct options *opts)
{
	bool all = true;

	for (unsigned i = 0; i < opts->nr_words; i++) {
		auto_free char *dir = directory_of(opts->words[i].text);

		all &= dir && inotify_add_watch(fd, dir, CHANGES) >= 0;
	}
	return all;
}

/* Takes what has been told; false: nothing has. */
static bool take_changes(int fd)
{
	char events[16384];
	bool any = false;

	while (read(fd, events, sizeof(events)) > 0)
		any = true;
	return any;
}

enum news { NEWS_NONE, NEWS_CHANGE, NEWS_END };

/* SIGHUP means "read the files again", as for daemons. */
static enum news take_signal(int fd)
{
	struct signalfd_siginfo info;

	if (read(fd, &info, sizeof(info)) != sizeof(info))
		return NEWS_NONE;
	signals_end_echo(&info);
	return info.ssi_signo == SIGHUP ? NEWS_CHANGE : info.ssi_signo == SIGINT || info.ssi_signo == SIGTERM ? NEWS_END : NEWS_NONE;
}

/* Waits for a change, and then until nothing changes any more. */
static enum news wait_for_change(int inotify, int signals, bool complete)
{
	int timeout = complete ? -1 : AGAIN_MS;

	for (enum news news = NEWS_NONE;;) {
		struct pollfd fds[] = { { .fd = inotify, .events = POLLIN }, { .fd = signals, .events = POLLIN } };
		int n = poll(fds, ARRAY_SIZE(fds), news ? QUIET_MS : timeout);
		enum news one = n > 0 && fds[1].revents ? take_signal(signals) : NEWS_NONE;

		if (one == NEWS_END)
			return one;
		if (one == NEWS_CHANGE || (n > 0 && fds[0].revents && take_changes(inotify)))
			news = NEWS_CHANGE;
		else if (!n)
			return NEWS_CHANGE;
	}
}

int apply_watch(const struct options *opts, int (*apply)(const struct options *opts, bool again))
{
	/* It may attach anything. Children read debug information for lines of the source. */
	const struct rights rights = {
		.wanted = RIGHT_MAPS | RIGHT_MEMORY | RIGHT_ATTACH | RIGHT_TASKS | RIGHT_FILES | RIGHT_CHILDREN | RIGHT_CONFINE |
			  (debug_file_servers() ? RIGHT_EXECUTE : 0),
	};
	struct signals before;
	struct diag diag = { 0 };
	enum news news = NEWS_CHANGE;
	int signals;

	if (signals_open(&before, 0, &signals, &diag))
		return report_error(&diag, EXIT_KERNEL);
	privileges_keep(opts, &rights);
	for (bool again = false; news != NEWS_END; again = true) {
		/* Watched first: what changes while files are read is seen afterwards. */
		auto_fd inotify = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
		bool complete = inotify >= 0 && watch(inotify, opts);

		apply(opts, again);
		fflush(stdout);
		news = wait_for_change(inotify, signals, complete);
	}
	close(signals);
	return 0;
}
