// SPDX-License-Identifier: GPL-2.0-only
/*
 * later.c - events that are printed only at the end.
 */
#include "print/later.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "print/stack.h"
#include "print/text.h"

enum { BLOCK = 64 << 10, PRINTED = 64 << 10 };

enum item_kind { ITEM_EVENT, ITEM_LOST, ITEM_GAP, ITEM_TIMEBASE };

/* What stands in front of each item in the file. Pointers are good: this process reads it. */
struct item {
	enum item_kind kind;
	uint32_t len;			/* bytes behind this, a multiple of 8 */
	union {
		struct {
			const struct layout *layout;
			uint32_t body;		/* bytes of the record's body; behind it are, from a multiple of 8 on, */
			uint32_t nr_frames;	/* pointers to the places of the user stack's frames */
			unsigned hidden_stacks;
			const struct series *series;
			uint64_t number;
		} event;
		struct { uint64_t count; unsigned cpu; } lost;
		struct gap gap;
		struct timebase base;	/* the times of the items behind it are converted so */
	};
};

struct later {
	const struct sink *inner;
	struct sink own;
	const struct later_asker *asker;
	void *ctx;
	struct frames *frames;
	int fd;
	struct buf block;		/* what is not in the file yet; or what was read of it */
	size_t at;			/* reading: what was printed of @block */
	uint64_t written, read;		/* bytes of the file */
	struct timebase base;		/* that the last item has; reading: the caller's own */
	int full;			/* -errno: the file takes no more. What it has is printed */
	int err;			/* -errno: it could not be read */
	bool reading;
};

/* ---- the file ---- */

/* Some file systems have no files without a name. */
static int open_in(const char *dir)
{
	struct buf path = { 0 };
	int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL))
		return fd;
	buf_addf(&path, "%s/bprobe.XXXXXX", dir);
	fd = mkostemp(path.data, O_CLOEXEC);
	if (fd >= 0)
		unlink(path.data);
	buf_fini(&path);
	return fd;
}

/* Large files belong into /var/tmp: /tmp may be memory. If the user has named a directory, no other one is taken. */
static int open_file(const char **ret_dir)
{
	static const char *const dirs[] = { "/var/tmp", "/tmp" };
	const char *named = getenv("TMPDIR");
	int fd = -1;

	for (size_t i = 0; i < ARRAY_SIZE(dirs) && fd < 0; i++) {
		*ret_dir = named && *named ? named : dirs[i];
		fd = open_in(*ret_dir);
	}
	return fd;
}

static void write_block(struct later *l)
{
	size_t done = 0;

	while (done < l->block.len && !l->full) {
		ssize_t n = pwrite(l->fd, l->block.data + done, l->block.len - done, (off_t)(l->written + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			l->full = n ? -errno : -ENOSPC;
		else
			done += (size_t)n;
	}
	/* Only whole blocks count: they end with a whole item. */
	l->written += l->full ? 0 : done;
	buf_reset(&l->block);
}

static void end_item(struct later *l, size_t start)
{
	struct item item;

	buf_pad(&l->block, '\0', ROUND_UP(l->block.len, (size_t)8) - l->block.len);
	memcpy(&item, l->block.data + start, sizeof(item));
	item.len = (uint32_t)(l->block.len - start - sizeof(item));
	memcpy(l->block.data + start, &item, sizeof(item));
	if (l->block.len >= BLOCK)
		write_block(l);
}

static size_t begin_item(struct later *l, const struct item *item)
{
	size_t start = l->block.len;

	buf_add(&l->block, item, sizeof(*item));
	return start;
}

/* ---- keeping ---- */

static void note_stack(struct later *l, struct text *t, const struct event *ev, enum stack_kind kind, struct item *item)
{
	struct stack stack;

	if (!stack_get(ev, kind, &stack))
		return;
	for (unsigned i = 0; i < stack.nr; i++) {
		struct frame wanted, *frame = stack_place(t, ev, &stack, i, &wanted) ? frames_get(l->frames, &wanted) : NULL;

		if (kind == STACK_USER) {
			buf_add(&l->block, &frame, sizeof(frame));
			item->event.nr_frames++;
		}
	}
}

static void keep_event(void *to, struct text *t, const struct event *ev, struct buf *out)
{
	struct later *l = to;
	struct item item = { .kind = ITEM_EVENT, .event = { ev->layout, ev->len, 0, ev->hidden_stacks, ev->series, ev->number } };
	size_t start;

	(void)out;
	if (memcmp(&t->base, &l->base, sizeof(l->base))) {
		const struct item base = { .kind = ITEM_TIMEBASE, .base = t->base };

		end_item(l, begin_item(l, &base));
		l->base = t->base;
	}
	start = begin_item(l, &item);
	buf_add(&l->block, ev->rec, BP_BODY_OFF);
	buf_add(&l->block, ev->body, ev->len);
	buf_pad(&l->block, '\0', ROUND_UP(l->block.len, (size_t)8) - l->block.len);
	for (unsigned i = 0; ev->layout->stacks && i < STACK_KINDS; i++)
		note_stack(l, t, ev, (enum stack_kind)i, &item);
	memcpy(l->block.data + start, &item, sizeof(item));
	end_item(l, start);
}

static void keep_lost(void *to, const struct text *t, unsigned cpu, uint64_t count, struct buf *out)
{
	const struct item item = { .kind = ITEM_LOST, .lost = { count, cpu } };

	(void)t, (void)out;
	end_item(to, begin_item(to, &item));
}

static void keep_gap(void *to, const struct text *t, const struct gap *gap, struct buf *out)
{
	const struct item item = { .kind = ITEM_GAP, .gap = *gap };

	(void)t, (void)out;
	end_item(to, begin_item(to, &item));
}

static void learn(struct text *t, const struct layout *layout)
{
	if (t->later->inner->learn)
		t->later->inner->learn(t, layout);
}

static void header(struct text *t, enum style style, const struct entries *entries, struct buf *out)
{
	if (t->later->inner->header)
		t->later->inner->header(t, style, entries, out);
}

/* ---- printing ---- */

/* Reads on. False: there is no whole item left. */
static bool fill(struct later *l)
{
	size_t rest = l->block.len - l->at;

	if (rest)
		memmove(l->block.data, l->block.data + l->at, rest);
	l->block.len = rest;
	l->at = 0;
	while (l->read < l->written) {
		ssize_t n = pread(l->fd, buf_room(&l->block, BLOCK), MIN((uint64_t)BLOCK, l->written - l->read), (off_t)l->read);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			l->err = n ? -errno : -EIO;
			return false;
		}
		l->block.len += (size_t)n;
		l->read += (uint64_t)n;
		return true;
	}
	return false;
}

/* The next item, which is valid until the next call. NULL: there is none. */
static const struct item *next_item(struct later *l)
{
	const struct item *item = NULL;

	for (;;) {
		size_t left = l->block.len - l->at;

		if (left >= sizeof(*item)) {
			item = (const void *)(l->block.data + l->at);
			if (left - sizeof(*item) >= item->len)
				break;
		}
		if (!fill(l))
			return NULL;
	}
	l->at += sizeof(*item) + item->len;
	return item;
}

static void print_event(struct later *l, struct text *t, const struct item *item, struct buf *out)
{
	const char *rec = (const char *)(item + 1);
	struct event ev = {
		.layout = item->event.layout, .rec = (const void *)rec, .body = (const unsigned char *)rec + BP_BODY_OFF,
		.len = item->event.body, .hidden_stacks = item->event.hidden_stacks,
		.frames = (const void *)(rec + ROUND_UP(BP_BODY_OFF + (size_t)item->event.body, (size_t)8)),
		.nr_frames = item->event.nr_frames, .series = item->event.series, .number = item->event.number,
	};

	l->inner->event(NULL, t, &ev, out);
}

static void begin_reading(struct later *l, struct text *t)
{
	write_block(l);
	l->asker->ask(l->ctx, t, l->frames);
	l->reading = true;
	l->read = l->at = 0;
	buf_reset(&l->block);
	l->base = t->base;
}

/* What comes now waits again. */
static void end_reading(struct later *l, struct text *t)
{
	t->base = l->base;
	l->reading = false;
	l->written = 0;
	buf_reset(&l->block);
	l->base = (struct timebase){ 0 };
}

/* Prints until @out has @most bytes. False: nothing waits any more, or the file cannot be read: ->err. */
static bool print_some(struct later *l, struct text *t, size_t most, struct buf *out)
{
	const struct item *item;

	if (!l->reading)
		begin_reading(l, t);
	while (!l->err && out->len < most && (item = next_item(l))) {
		if (item->kind == ITEM_EVENT)
			print_event(l, t, item, out);
		else if (item->kind == ITEM_LOST)
			l->inner->lost(NULL, t, item->lost.cpu, item->lost.count, out);
		else if (item->kind == ITEM_GAP)
			l->inner->gap(NULL, t, &item->gap, out);
		else
			t->base = item->base;
	}
	if (!l->err && out->len >= most)
		return true;
	end_reading(l, t);
	return false;
}

static void settle(struct text *t, struct buf *out)
{
	print_some(t->later, t, SIZE_MAX, out);
	/* Another module may come to an address. */
	frames_free(t->later->frames);
	t->later->frames = frames_new();
}

static int end(struct text *t, struct buf *out)
{
	struct later *l = t->later;

	if (print_some(l, t, PRINTED, out))
		return SINK_MORE;
	if (l->err || l->full)
		return l->err ? l->err : l->full;
	return l->inner->end ? l->inner->end(t, out) : 0;
}

static int flush(void *to, bool idle)
{
	const struct later *l = to;

	(void)idle;
	return l->full;
}

static const char *missing(const void *to)
{
	const struct later *l = to;

	return l->full ? "the last events are missing, since no more can wait for their lines (TMPDIR names another directory)" : NULL;
}

static void free_ctx(const struct later_asker *asker, void *ctx)
{
	if (asker->free)
		asker->free(ctx);
}

int later_open(const struct sink *sink, const struct later_asker *asker, void *ctx, struct later **ret, struct diag *diag)
{
	struct later *l;
	const char *dir;
	int fd = open_file(&dir);

	l = calloc(1, sizeof(*l));
	if (fd < 0 || !l) {
		diag_set(diag, fd < 0 ? -errno : -ENOMEM, "cannot make a file in %s for the events that wait for their lines: %s", dir,
			 strerror(errno));
		diag_note(diag, "help: TMPDIR names another directory");
		if (fd >= 0)
			close(fd);
		free(l);
		free_ctx(asker, ctx);
		return diag->err;
	}
	l->inner = sink;
	l->asker = asker;
	l->ctx = ctx;
	l->fd = fd;
	l->frames = frames_new();
	l->own = (struct sink){ .prints = true, .fits = sink->fits, .learn = learn, .header = header, .event = keep_event, .lost = keep_lost,
				.gap = sink->gap ? keep_gap : NULL,
				.settle = settle, .end = end, .flush = flush, .missing = missing };
	*ret = l;
	return 0;
}

void later_close(struct later *l)
{
	if (!l)
		return;
	close(l->fd);
	buf_fini(&l->block);
	frames_free(l->frames);
	free_ctx(l->asker, l->ctx);
	free(l);
}

const struct sink *later_sink(const struct later *l)
{
	return &l->own;
}

struct frames *later_frames(const struct later *l)
{
	return l->frames;
}
