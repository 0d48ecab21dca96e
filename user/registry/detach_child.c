// SPDX-License-Identifier: GPL-2.0-only
/*
 * detach_child.c - closes what attaches many probes, in a process of its own.
 *
 * In this process a thread closes, because close(2) waits. The main thread answers other bprobes.
 *
 * The last copy of a descriptor is the one whose close(2) waits, so bprobe closes its copies first:
 *
 *	bprobe	fork ........ closes its copies, shuts down its side ........ returns
 *	child	answers others, says so ................................. reads the end, closes
 */
#include "registry/detach_child.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "lang/event_name.h"
#include "lang/listing.h"
#include "registry/registry.h"

/* The child's work. */
struct work {
	const struct detach *d;
	size_t closed;			/* number of descriptors that are closed; atomic */
	int done_fd;			/* closed when all are */
	struct registry *registry;
};

/* ---- the child answers other bprobes ---- */

static bool is_over(const struct work *w, const struct detach_event *ev)
{
	return __atomic_load_n(&w->closed, __ATOMIC_ACQUIRE) >= ev->end;
}

static void list(void *ctx, struct buf *out)
{
	const struct work *w = ctx;

	for (size_t i = 0; i < detach_nr_events(w->d); i++) {
		const struct detach_event *ev = detach_event_at(w->d, i);

		if (!is_over(w, ev))
			buf_addf(out, "%s # detaching, bprobe %d\n", ev->listing, (int)getpid());
	}
}

/* What is being detached need not be removed. It counts as removed, so that -r of what -l lists is no error. */
static int remove_event(void *ctx, const char *name, struct buf *why)
{
	const struct work *w = ctx;
	struct arena arena = { 0 };
	unsigned nr_words;
	const struct match *words = listing_words(&arena, name, &name, &nr_words);
	int removed = 0;

	(void)why;
	for (size_t i = 0; i < detach_nr_events(w->d); i++) {
		const struct detach_event *ev = detach_event_at(w->d, i);

		removed += !is_over(w, ev) && name_matches(ev->group, ev->event, name) &&
			   listing_begins(ev->listing, words, nr_words);
	}
	arena_fini(&arena);
	return removed;
}

/* ---- the child ---- */

static void *close_all(void *ctx)
{
	struct work *w = ctx;
	const int *fds = (const int *)(const void *)w->d->fds.data;

	for (size_t i = 0; i < detach_nr_fds(w->d); i++) {
		close(fds[i]);
		__atomic_store_n(&w->closed, i + 1, __ATOMIC_RELEASE);
	}
	close(w->done_fd);
	return NULL;
}

static int compare_fds(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static void close_between(int first, int last)
{
	if (first <= last && syscall(SYS_close_range, first, last, 0)) {
		for (int fd = first; fd <= last && fd < sysconf(_SC_OPEN_MAX); fd++)
			close(fd);
	}
}

/*
 * Closes everything but @keep and what the child has to close. What the caller of bprobe left open is among it: its pipes end
 * when bprobe ends. So is the lock of bprobe's own registry.
 */
static void close_others(const struct detach *d, int keep)
{
	size_t nr = detach_nr_fds(d) + 1;
	int *kept = calloc(nr, sizeof(*kept)), from = STDERR_FILENO + 1;

	if (!kept)
		_exit(1);		/* the kernel closes everything */
	memcpy(kept, d->fds.data, d->fds.len);
	kept[nr - 1] = keep;
	qsort(kept, nr, sizeof(*kept), compare_fds);
	for (size_t i = 0; i < nr; i++) {
		close_between(from, kept[i] - 1);
		from = MAX(from, kept[i] + 1);
	}
	close_between(from, INT_MAX);
	free(kept);
}

/* The terminal's signals and the caller's pipes are not for this process. */
static void leave_caller(const struct detach *d, int parent_fd)
{
	static const int defaults[] = { SIGINT, SIGTERM, SIGHUP, SIGCHLD, SIGALRM, SIGXFSZ };
	sigset_t none;
	int null;

	setsid();
	for (size_t i = 0; i < ARRAY_SIZE(defaults); i++)
		signal(defaults[i], SIG_DFL);
	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	prctl(PR_SET_NAME, "bprobe-detach");
	if (chdir("/"))
		errno = 0;		/* then a file system stays in use a little longer */
	close_others(d, parent_fd);
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO && null != fd; fd++) {
		if (null < 0)
			close(fd);
		else
			dup2(null, fd);
	}
}

/* Answers until all is closed. Without a registry it only waits. */
static void serve(struct work *w, int over_fd)
{
	struct pollfd fds[] = {
		{ .fd = over_fd, .events = POLLIN },
		{ .fd = w->registry ? registry_fd(w->registry) : -1, .events = POLLIN },
	};

	while (!fds[0].revents) {
		if (poll(fds, ARRAY_SIZE(fds), -1) < 0)
			fds[0].revents = fds[1].revents = 0;
		if (fds[1].revents)
			registry_serve(w->registry);
	}
}

/* Waits until the other side of the socket says something or is closed. */
static void await(int fd)
{
	char byte;

	while (read(fd, &byte, 1) < 0 && errno == EINTR)
		;
}

static void __attribute__((noreturn)) detach_in_child(const struct detach *d, int parent_fd)
{
	struct work w = { .d = d };
	struct registry_ops ops = { .list = list, .remove = remove_event, .ctx = &w };
	struct diag ignored = { 0 };
	pthread_t thread;
	int done[2];

	leave_caller(d, parent_fd);
	registry_open(NULL, &ops, &w.registry, &ignored);
	if (write(parent_fd, "", 1) != 1)
		errno = 0;		/* bprobe was killed meanwhile */
	await(parent_fd);
	if (!pipe2(done, O_CLOEXEC)) {
		w.done_fd = done[1];
		if (pthread_create(&thread, NULL, close_all, &w))
			close_all(&w);
		serve(&w, done[0]);
	}
	registry_close(w.registry);
	_exit(0);			/* the kernel closes what is left */
}

int detach_child_start(struct detach *d, int *ret_fd)
{
	int pair[2], err = 0;
	pid_t pid;

	*ret_fd = -1;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair)) {
		err = -errno;
		detach_now(d);
		return err;
	}
	fflush(NULL);
	pid = fork();
	if (!pid) {
		close(pair[0]);
		detach_in_child(d, pair[1]);
	}
	if (pid < 0)
		err = -errno;
	else
		*ret_fd = pair[0];
	close(pair[1]);
	if (!err)
		await(pair[0]);
	detach_now(d);			/* with a child, these are not the last copies */
	if (err)
		close(pair[0]);
	else
		shutdown(pair[0], SHUT_WR);
	return err;
}
