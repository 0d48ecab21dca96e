// SPDX-License-Identifier: GPL-2.0-only
/*
 * registry_ask.c - asks the running bprobes of this machine.
 *
 * They are asked one after the other, each with a time limit. A bprobe that is stopped is
 * reported, and the others are asked nevertheless. registry.c describes the
 * protocol.
 */
#include "registry/registry.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/number.h"
#include "registry/registry_dir.h"

/* How long a bprobe may be silent. None of its work takes a tenth of this. */
#define SILENCE_MS	2000

/* Far more than the list of 100,000 probes. */
#define REPLY_MAX	((uint64_t)64 << 20)

/* How often a bprobe is asked if it closes the connection. */
#define MAX_ASKS	3

/* One bprobe's answer. */
struct reply {
	int64_t status;		/* a count, or -errno */
	struct buf text;
};

/* All bprobes that can be asked. */
struct peers {
	int dir_fd;
	struct arena arena;
	const char **names;
	size_t count;
	unsigned failed;	/* number of failures so far; the first one is the diag's message */
};

/* ---- one bprobe ---- */

/* Returns 0, or -ETIMEDOUT. */
static int wait_for(int fd, short events)
{
	struct pollfd pfd = { .fd = fd, .events = events };
	int n;

	do
		n = poll(&pfd, 1, SILENCE_MS);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	return n ? 0 : -ETIMEDOUT;
}

static int send_all(int fd, const struct buf *request)
{
	for (size_t done = 0; done < request->len;) {
		ssize_t n = send(fd, request->data + done, request->len - done, MSG_NOSIGNAL);
		int err;

		if (n >= 0) {
			done += (size_t)n;
			continue;
		}
		if (errno == EINTR)
			continue;
		if (errno != EAGAIN)
			return -errno;
		err = wait_for(fd, POLLOUT);
		if (err)
			return err;
	}
	return 0;
}

/* Receives everything until the other side closes. */
static int receive_all(int fd, struct buf *in)
{
	for (;;) {
		ssize_t n = recv(fd, buf_room(in, 65536), 65536, 0);
		int err;

		if (n > 0) {
			in->len += (size_t)n;
			in->data[in->len] = '\0';
			if (in->len > REPLY_MAX)
				return -EMSGSIZE;
			continue;
		}
		if (!n)
			return 0;
		if (errno == EINTR)
			continue;
		if (errno != EAGAIN)
			return -errno;
		err = wait_for(fd, POLLIN);
		if (err)
			return err;
	}
}

/* "STATUS LENGTH\n" and LENGTH bytes. Anything else was cut off or does not come from a bprobe. */
static int parse_reply(const struct buf *in, struct reply *ret)
{
	const char *text = buf_str(in), *space = strchr(text, ' ');
	const char *end = strchr(text, '\n');
	uint64_t len;

	if (!space || !end || space > end ||
	    number_s64(text, (size_t)(space - text), 10, &ret->status) ||
	    number_u64(space + 1, (size_t)(end - space - 1), 10, &len) ||
	    len != in->len - (size_t)(end + 1 - text))
		return -EPROTO;
	buf_add(&ret->text, end + 1, (size_t)len);
	return 0;
}

/*
 * If so many processes ask that the kernel does not queue more of them, this waits: connect(2) of a unix socket obeys the
 * limit for sending, and poll(2) cannot tell when there is room.
 */
static int connect_to(int fd, int dir_fd, const char *name)
{
	struct timeval limit = { .tv_sec = SILENCE_MS / 1000 };
	struct sockaddr_un addr;

	registry_dir_address(dir_fd, name, &addr);
	if (setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit)))
		return -errno;
	while (connect(fd, (const struct sockaddr *)&addr, sizeof(addr))) {
		if (errno == EAGAIN)
			return -ETIMEDOUT;
		if (errno != EINTR)
			return errno == ECONNREFUSED ? -ENOENT : -errno;
	}
	return fcntl(fd, F_SETFL, O_NONBLOCK) ? -errno : 0;
}

/*
 * Asks one bprobe. -ENOENT: it is not ready yet or is just ending. Then there is a lock without a socket, or nobody listens
 * on the socket.
 */
static int ask(int dir_fd, const char *name, const struct buf *request, struct reply *ret)
{
	auto_fd fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct buf in = { 0 };
	int err;

	if (fd < 0)
		return -errno;
	err = connect_to(fd, dir_fd, name);
	if (err)
		return err;
	err = send_all(fd, request);
	if (!err)
		err = receive_all(fd, &in);
	if (!err)
		err = parse_reply(&in, ret);
	buf_fini(&in);
	return err;
}

/* ---- all bprobes ---- */

/* Returns 0 and no names if the directory does not exist: then no bprobe runs. */
static int find_peers(const char *dir, struct peers *ret, struct diag *diag)
{
	struct peers p = { .dir_fd = -1 };
	struct diag why = { 0 };
	int err = registry_dir_open(dir, false, &p.dir_fd, &why);

	if (err == -ENOENT) {
		diag_fini(&why);
		*ret = p;
		return 0;
	}
	if (err) {
		diag_set(diag, err, "%s", buf_str(&why.msg));
		buf_adds(&diag->notes, buf_str(&why.notes));
		diag_fini(&why);
		return err;
	}
	p.count = registry_dir_scan(p.dir_fd, &p.arena, &p.names);
	*ret = p;
	return 0;
}

static void close_peers(struct peers *p)
{
	if (p->dir_fd >= 0)
		close(p->dir_fd);
	arena_fini(&p->arena);
}

/* The first failure is the error; further ones become notes. */
static void report(struct peers *p, int err, struct diag *diag, const char *sentence)
{
	if (!p->failed++)
		diag_set(diag, err, "%s", sentence);
	else
		diag_note(diag, "%s", sentence);
}

static void report_silent(struct peers *p, const char *name, int err, struct diag *diag)
{
	int pid_len = (int)strcspn(name, "-");

	if (err == -ETIMEDOUT) {
		report(p, err, diag, arena_printf(&p->arena, "bprobe %s does not answer", name));
		diag_note(diag, "help: if it was stopped, 'kill -CONT %.*s' lets it go on; "
			  "'kill -KILL %.*s' removes its probes", pid_len, name, pid_len, name);
		return;
	}
	report(p, err, diag, arena_printf(&p->arena, "cannot ask bprobe %s: %s", name,
					  err == -EPROTO ? "it closed the connection before its answer was "
					  "complete" : strerror(-err)));
}

static bool is_hang_up(int err)
{
	return err == -EPROTO || err == -ECONNRESET || err == -EPIPE;
}

/*
 * Asks @name and reports a failure. True: there is an answer with a status >= 0.
 *
 * If the connection was closed without an answer, it asks again. An owner that ends releases its lock before it closes
 * connections, so then it has simply gone. An owner that had too many clients has a free place now.
 */
static bool ask_peer(struct peers *p, const char *name, const struct buf *request,
		     struct reply *ret, struct diag *diag)
{
	int err = ask(p->dir_fd, name, request, ret);

	for (unsigned i = 1; i < MAX_ASKS && is_hang_up(err); i++) {
		if (registry_dir_alive(p->dir_fd, &p->arena, name))
			err = ask(p->dir_fd, name, request, ret);
		else
			err = -ENOENT;
	}
	if (err && err != -ENOENT)
		report_silent(p, name, err, diag);
	else if (!err && ret->status < 0)
		report(p, (int)MAX(ret->status, (int64_t)-4095), diag,
		       arena_printf(&p->arena, "bprobe %s: %s", name, buf_str(&ret->text)));
	return !err && ret->status >= 0;
}

int registry_list(const char *dir, struct buf *out, struct diag *diag)
{
	struct buf request = { 0 };
	struct peers p;
	int err = find_peers(dir, &p, diag);

	if (err)
		return err;
	buf_adds(&request, "list\n");
	for (size_t i = 0; i < p.count; i++) {
		struct reply reply = { 0 };

		if (ask_peer(&p, p.names[i], &request, &reply, diag))
			buf_add(out, reply.text.data, reply.text.len);
		buf_fini(&reply.text);
	}
	err = p.failed ? diag->err : 0;
	close_peers(&p);
	buf_fini(&request);
	return err;
}

int registry_remove(const char *dir, const char *name, struct diag *diag)
{
	struct buf request = { 0 };
	int64_t removed = 0;
	struct peers p;
	int err;

	if (!*name || strchr(name, '\n') || strlen(name) > REGISTRY_NAME_MAX)
		return diag_set(diag, -EINVAL, "'%.64s' is not the name of a probe", name);
	err = find_peers(dir, &p, diag);
	if (err)
		return err;
	buf_addf(&request, "remove %s\n", name);
	for (size_t i = 0; i < p.count; i++) {
		struct reply reply = { 0 };

		if (ask_peer(&p, p.names[i], &request, &reply, diag))
			removed += reply.status;
		buf_fini(&reply.text);
	}
	if (p.failed && removed)
		diag_note(diag, "%lld removed in other bprobes", (long long)removed);
	err = p.failed ? diag->err : (int)MIN(removed, (int64_t)INT_MAX);
	close_peers(&p);
	buf_fini(&request);
	return err;
}
