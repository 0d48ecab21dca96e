// SPDX-License-Identifier: GPL-2.0-only
/*
 * registry.c - the owner's side: answers other bprobes that ask for its probes.
 *
 * The protocol is text over a stream socket, one request per connection:
 *
 *	request	list\n			all probes, one line each
 *		remove NAME [WORD ...]\n	up to REGISTRY_NAME_MAX bytes
 *	reply	STATUS LENGTH\n		decimal; STATUS a count (0 for list) or -errno
 *		LENGTH bytes		the lines, or the sentence of an error
 *
 * then the owner closes. LENGTH shows if the owner ended in the middle of a reply.
 * The asker keeps its side open until it has the reply. If it has closed its side, the
 * request is not carried out, because the asker has reported that it was not.
 *
 * Nothing here waits. One epoll instance holds the listening socket, the clients,
 * and a timer for the next deadline of a client.
 */
#include "registry/registry.h"

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "registry/registry_dir.h"

enum {
	MAX_CLIENTS = 16,
	CLIENT_MS = 2000,			/* from the connection to the reply's last byte */
	REQUEST_MAX = REGISTRY_NAME_MAX + 8,	/* "remove " and the newline */
};

/* The source of an epoll event: a client's index or one of these. */
enum { EVENT_LISTEN = MAX_CLIENTS, EVENT_TIMER };

struct client {
	int fd;				/* -1: this place is free */
	uint64_t deadline_ms;
	struct buf in, out;
	size_t sent;			/* sent bytes of out */
};

struct registry {
	struct arena arena;
	struct registry_ops ops;
	const char *name;		/* NULL: nothing claimed */
	int dir_fd, lock_fd, listen_fd, epoll_fd, timer_fd;
	struct client clients[MAX_CLIENTS];
};

static uint64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

/* ---- clients ---- */

static void drop(struct client *c)
{
	if (c->fd >= 0)
		close(c->fd);		/* closing its last descriptor removes it from the epoll set */
	buf_fini(&c->in);
	buf_fini(&c->out);
	*c = (struct client){ .fd = -1 };
}

/* Finds a free place. If there is none, the client that has waited longest is dropped. */
static struct client *place_for_client(struct registry *r)
{
	struct client *oldest = &r->clients[0];

	for (unsigned i = 0; i < MAX_CLIENTS; i++) {
		if (r->clients[i].fd < 0)
			return &r->clients[i];
		if (r->clients[i].deadline_ms < oldest->deadline_ms)
			oldest = &r->clients[i];
	}
	drop(oldest);
	return oldest;
}

static int watch(int epoll_fd, int op, int fd, uint32_t events, unsigned which)
{
	struct epoll_event ev = { .events = events, .data.u32 = which };

	return epoll_ctl(epoll_fd, op, fd, &ev) ? -errno : 0;
}

static void accept_clients(struct registry *r)
{
	for (unsigned i = 0; i < MAX_CLIENTS; i++) {
		int fd = accept4(r->listen_fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
		struct client *c;

		if (fd < 0)
			return;
		c = place_for_client(r);
		c->fd = fd;
		c->deadline_ms = now_ms() + CLIENT_MS;
		if (watch(r->epoll_fd, EPOLL_CTL_ADD, fd, EPOLLIN, (unsigned)(c - r->clients)))
			drop(c);
	}
}

/* ---- requests ---- */

static void carry_out(struct registry *r, const char *request, struct buf *out)
{
	struct buf text = { 0 };
	int status = 0;

	if (!strcmp(request, "list")) {
		r->ops.list(r->ops.ctx, &text);
	} else if (!strncmp(request, "remove ", 7) && request[7]) {
		status = r->ops.remove(r->ops.ctx, request + 7, &text);
	} else {
		status = -EOPNOTSUPP;
		buf_adds(&text, "this bprobe does not know that request; it may be of another version");
	}
	buf_addf(out, "%d %zu\n", status, text.len);
	buf_add(out, text.data, text.len);
	buf_fini(&text);
}

static bool has_hung_up(int fd)
{
	struct pollfd pfd = { .fd = fd, .events = POLLRDHUP };

	return poll(&pfd, 1, 0) > 0 && pfd.revents & (POLLRDHUP | POLLHUP | POLLERR);
}

/* Sends as much as the socket takes now; the rest is sent later. */
static void send_reply(struct registry *r, struct client *c)
{
	while (c->sent < c->out.len) {
		ssize_t n = send(c->fd, c->out.data + c->sent, c->out.len - c->sent,
				 MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN &&
		    !watch(r->epoll_fd, EPOLL_CTL_MOD, c->fd, EPOLLOUT, (unsigned)(c - r->clients)))
			return;
		if (n < 0)
			break;
		c->sent += (size_t)n;
	}
	drop(c);
}

/* Reads a request. If it is not one line of a sensible length, the client is dropped. */
static void read_request(struct registry *r, struct client *c)
{
	ssize_t n = recv(c->fd, buf_room(&c->in, REQUEST_MAX + 1), REQUEST_MAX + 1, MSG_DONTWAIT);
	char *end;

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		drop(c);
		return;
	}
	end = memchr(c->in.data + c->in.len, '\n', (size_t)n);
	c->in.len += (size_t)n;
	if (!end && c->in.len <= REQUEST_MAX)
		return;
	if (!end || end + 1 != c->in.data + c->in.len || has_hung_up(c->fd)) {
		drop(c);
		return;
	}
	*end = '\0';
	carry_out(r, c->in.data, &c->out);
	send_reply(r, c);
}

static void serve_client(struct registry *r, struct client *c)
{
	if (c->fd < 0)
		return;			/* dropped earlier in this round */
	if (c->out.len)
		send_reply(r, c);
	else
		read_request(r, c);
}

/* Drops clients whose deadline has passed, and sets the timer to the next deadline. */
static void check_deadlines(struct registry *r)
{
	struct itimerspec when = { 0 };		/* all zeroes: no alarm */
	uint64_t now = now_ms(), first = UINT64_MAX;

	for (unsigned i = 0; i < MAX_CLIENTS; i++) {
		struct client *c = &r->clients[i];

		if (c->fd >= 0 && c->deadline_ms <= now)
			drop(c);
		if (c->fd >= 0)
			first = MIN(first, c->deadline_ms);
	}
	if (first != UINT64_MAX) {
		when.it_value.tv_sec = (time_t)(first / 1000);
		when.it_value.tv_nsec = (long)(first % 1000 * 1000000);
	}
	timerfd_settime(r->timer_fd, TFD_TIMER_ABSTIME, &when, NULL);	/* this also clears the timer's event */
}

int registry_fd(const struct registry *r)
{
	return r->epoll_fd;
}

void registry_serve(struct registry *r)
{
	struct epoll_event events[MAX_CLIENTS + 2];
	int n = epoll_wait(r->epoll_fd, events, ARRAY_SIZE(events), 0);
	bool newcomers = false;

	for (int i = 0; i < n; i++) {
		if (events[i].data.u32 < MAX_CLIENTS)
			serve_client(r, &r->clients[events[i].data.u32]);
		else if (events[i].data.u32 == EVENT_LISTEN)
			newcomers = true;
	}
	/* New clients come last, so that no event of this round reaches a new client in an old client's place. */
	if (newcomers)
		accept_clients(r);
	check_deadlines(r);
}

/* ---- open and close ---- */

static int open_socket(struct registry *r)
{
	struct sockaddr_un addr;

	r->listen_fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (r->listen_fd < 0)
		return -errno;
	/* The file of the socket gets the mode that the socket has now (net/unix/af_unix.c, unix_bind_bsd()). */
	fchmod(r->listen_fd, 0600);
	registry_dir_address(r->dir_fd, r->name, &addr);
	/* A dead process with our number may have left a file of this name. We hold the lock, so the name is ours. */
	unlink(addr.sun_path);
	if (bind(r->listen_fd, (const struct sockaddr *)&addr, sizeof(addr)) ||
	    listen(r->listen_fd, MAX_CLIENTS))
		return -errno;
	return 0;
}

static int open_events(struct registry *r)
{
	int err;

	r->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	if (r->timer_fd < 0)
		return -errno;
	r->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (r->epoll_fd < 0)
		return -errno;
	err = watch(r->epoll_fd, EPOLL_CTL_ADD, r->listen_fd, EPOLLIN, EVENT_LISTEN);
	if (!err)
		err = watch(r->epoll_fd, EPOLL_CTL_ADD, r->timer_fd, EPOLLIN, EVENT_TIMER);
	return err;
}

static int open_parts(struct registry *r, const char *dir, struct diag *diag)
{
	const char **others;
	int err = registry_dir_open(dir, true, &r->dir_fd, diag);

	if (err)
		return err;
	registry_dir_scan(r->dir_fd, &r->arena, &others);
	err = registry_dir_claim(r->dir_fd, &r->arena, &r->name, &r->lock_fd, diag);
	if (err)
		return err;
	err = open_socket(r);
	if (!err)
		err = open_events(r);
	if (err)
		diag_set(diag, err, "cannot open a socket for 'bprobe -l' and '-r': %s",
			 strerror(-err));
	return err;
}

int registry_open(const char *dir, const struct registry_ops *ops, struct registry **ret,
		  struct diag *diag)
{
	struct arena arena = { 0 };
	struct registry *r = arena_new(&arena, struct registry);
	int err;

	*r = (struct registry){
		.arena = arena, .ops = *ops, .dir_fd = -1, .lock_fd = -1, .listen_fd = -1,
		.epoll_fd = -1, .timer_fd = -1,
	};
	for (unsigned i = 0; i < MAX_CLIENTS; i++)
		r->clients[i].fd = -1;
	err = open_parts(r, dir, diag);
	if (err) {
		registry_close(r);
		return err;
	}
	*ret = r;
	return 0;
}

static void close_if(int fd)
{
	if (fd >= 0)
		close(fd);
}

void registry_close(struct registry *r)
{
	struct arena arena;

	if (!r)
		return;
	/* Release the lock first: an asker whose connection is closed checks the lock to find out whether we have ended. */
	if (r->name)
		registry_dir_release(r->dir_fd, r->name, r->lock_fd);
	for (unsigned i = 0; i < MAX_CLIENTS; i++)
		drop(&r->clients[i]);
	close_if(r->timer_fd);
	close_if(r->epoll_fd);
	close_if(r->listen_fd);
	close_if(r->dir_fd);
	arena = r->arena;		/* it holds r itself */
	arena_fini(&arena);
}
