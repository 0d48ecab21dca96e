// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_registry.c - any bytes as what another bprobe asks, and as what it answers (see fuzz.h). An owner carries out a whole line only, and
 * what it answers is an answer to the one that asks. No bytes make an asker take more or fewer than the length that they name.
 */
#define FUZZ_BYTES
#include "registry/registry.c"
#include "registry/registry_ask.c"

static const char fuzz_name[] = "fuzz_registry";
static const char *const fuzz_seeds[] = {
	"list\n", "remove g/e\n", "remove e f a=%di\n", "0 0\n", "1 0\n", "-16 5\nbusy\n", "0 18\np:e f  # running\n\n", "-9223372036854775808 0\n",
};

static const char *const fuzz_words[] = { "list", "remove ", "\n", " ", "0", "1", "-1", "-4096", "18446744073709551615", "5\n", "g/e", "\x80", "+" };

#include "fuzz.h"

struct owner {
	const char *name;		/* that was to be removed */
	unsigned asked;
};

static void list_none(void *ctx, struct buf *out)
{
	((struct owner *)ctx)->asked++;
	buf_adds(out, "p:e f\n");
}

static int remove_none(void *ctx, const char *name, struct buf *why)
{
	struct owner *o = ctx;

	o->asked++;
	require(*name && !strchr(name, '\n') && strlen(name) <= REGISTRY_NAME_MAX, "a name that nothing can have", name);
	buf_adds(why, "busy");
	return *name == 'g' ? -EBUSY : 2;
}

/* As from a client that waits for the reply. */
static void check_request(const char *data, size_t len)
{
	struct owner owner = { 0 };
	struct registry r = { .ops = { .list = list_none, .remove = remove_none, .ctx = &owner }, .epoll_fd = -1 };
	struct client *c = &r.clients[0];
	struct reply reply = { 0 };
	struct buf got = { 0 };
	char text[256];
	ssize_t n;
	int ends[2];

	if (len > 2 * REQUEST_MAX)
		len = 2 * REQUEST_MAX;
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) || send(ends[0], data, len, 0) != (ssize_t)len)
		abort();
	*c = (struct client){ .fd = ends[1] };
	for (unsigned i = 0; i < 3 && c->fd >= 0; i++)
		read_request(&r, c);
	require(!owner.asked || (len && data[len - 1] == '\n'), "a part of a line was carried out", "");
	while ((n = recv(ends[0], text, sizeof(text), MSG_DONTWAIT)) > 0)
		buf_add(&got, text, (size_t)n);
	require(!got.len || !parse_reply(&got, &reply), "the reply is none", buf_str(&got));
	buf_fini(&reply.text);
	buf_fini(&got);
	drop(c);
	close(ends[0]);
}

static void check_reply(const char *data, size_t len)
{
	struct reply reply = { 0 };
	struct buf in = { 0 }, head = { 0 };

	buf_add(&in, data, len);
	buf_str(&in);
	if (!parse_reply(&in, &reply)) {
		const char *end = memchr(data, '\n', len);

		require(end && reply.text.len == len - (size_t)(end + 1 - data), "another length than the text has", buf_str(&in));
		require(!reply.text.len || !memcmp(reply.text.data, end + 1, reply.text.len), "another text", buf_str(&in));
	}
	buf_fini(&in);
	buf_fini(&head);
	buf_fini(&reply.text);
}

static void check_bytes(const char *data, size_t len)
{
	check_request(data, len);
	check_reply(data, len);
}
