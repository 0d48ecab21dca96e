// SPDX-License-Identifier: GPL-2.0-only
/*
 * mapwatch.c - what programs map, as perf records it.
 *
 * A software event that never counts is opened on each CPU, as perf does. The kernel writes a record into the event's buffer for each
 * executable mapping, exec, fork and exit, with the time of the clock that hits have. Records wait in a heap until a hit with a later
 * time is printed: so a hit is printed with what was mapped at its time, also after its process has ended.
 *
 * A hit's own mappings were reported before it: the task itself wrote them, before it came to the probe.
 *
 * The kernel takes the event of a CPU away when that CPU goes off line, and does not give it back. So a CPU that comes gets a new event, and
 * what is mapped then is read from /proc. The kernel announces each CPU that comes, but not those that it switches off while the
 * machine is suspended: CLOCK_BOOTTIME, which goes on then, tells that.
 */
#include "run/mapwatch.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/macros.h"
#include "base/memory.h"
#include "elf/users.h"
#include "run/cpus.h"
#include "run/identity.h"
#include "run/uevents.h"

enum { PAGE = 4096, PAGES = 64 };	/* 256 KiB a CPU: some 2000 mappings */

/*
 * Beyond this the earliest record is applied before its time: a flight recorder asks for nothing until its end, and then it has more use
 * for what is mapped now than for what was mapped long ago.
 */
enum { QUEUE_MAX = 1 << 17 };

struct happened {
	uint64_t ts;
	struct perf_event_header *record;	/* malloc */
};

struct cpu {
	int fd;
	struct perf_event_mmap_page *page;	/* NULL: none; the data is behind it */
};

struct mapwatch {
	struct users *users;
	struct cpu *cpus;
	unsigned nr_cpus;
	int epoll_fd, announced_fd;		/* the second: CPUs that come; negative: nobody tells */
	int64_t suspended;			/* ns; at least as long as the machine was suspended until the events were opened */
	struct happened *heap;			/* the earliest is the first */
	unsigned nr, room;
};

/* ---- the heap ---- */

static void apply_first(struct mapwatch *w);

static void push(struct mapwatch *w, struct happened h)
{
	struct happened *more;
	unsigned at;

	if (w->nr == QUEUE_MAX)
		apply_first(w);
	more = heap_try_grow(w->heap, w->nr, &w->room);
	if (!more) {
		free(h.record);
		return;
	}
	w->heap = more;
	at = w->nr++;
	for (; at && w->heap[(at - 1) / 2].ts > h.ts; at = (at - 1) / 2)
		w->heap[at] = w->heap[(at - 1) / 2];
	w->heap[at] = h;
}

static struct perf_event_header *pop(struct mapwatch *w)
{
	struct perf_event_header *first = w->heap[0].record;
	struct happened last = w->heap[--w->nr];
	unsigned at = 0;

	for (unsigned child; (child = 2 * at + 1) < w->nr; at = child) {
		child += child + 1 < w->nr && w->heap[child + 1].ts < w->heap[child].ts;
		if (last.ts <= w->heap[child].ts)
			break;
		w->heap[at] = w->heap[child];
	}
	if (w->nr)
		w->heap[at] = last;
	return first;
}

/* ---- records (6.12, include/uapi/linux/perf_event.h) ---- */

struct record_mmap2 {
	struct perf_event_header head;
	uint32_t pid, tid;
	uint64_t addr, len, off;
	uint32_t major, minor;
	uint64_t ino, generation;
	uint32_t prot, flags;
	char path[];
};

struct record_task {				/* PERF_RECORD_FORK, PERF_RECORD_EXIT */
	struct perf_event_header head;
	uint32_t pid, ppid, tid, ptid;
};

struct record_comm {
	struct perf_event_header head;
	uint32_t pid, tid;
};

static bool is_map(const struct perf_event_header *record, struct user_map *ret)
{
	const struct record_mmap2 *r = (const void *)record;

	if (record->type != PERF_RECORD_MMAP2 || record->size <= sizeof(*r) || !memchr(r->path, '\0', record->size - sizeof(*r)))
		return false;
	*ret = (struct user_map){ .start = r->addr, .end = r->addr + r->len, .off = r->off, .inode = { r->major, r->minor, r->ino },
				  .path = r->path };
	return true;
}

static void tell(struct users *users, const struct perf_event_header *record)
{
	const struct record_task *task = (const void *)record;
	const struct record_comm *comm = (const void *)record;
	struct user_map m;

	switch (record->type) {
	case PERF_RECORD_MMAP2:
		if (is_map(record, &m))
			users_map(users, comm->pid, &m);
		break;
	case PERF_RECORD_COMM:
		if (record->misc & PERF_RECORD_MISC_COMM_EXEC)
			users_exec(users, comm->pid);
		break;
	case PERF_RECORD_FORK:
		users_fork(users, task->ppid, task->pid);
		break;
	case PERF_RECORD_EXIT:
		if (task->pid == task->tid)
			users_exit(users, task->pid);
		break;
	default:
		break;
	}
}

static void apply_first(struct mapwatch *w)
{
	struct perf_event_header *record = pop(w);

	tell(w->users, record);
	free(record);
}

/* The last 8 bytes of each record are its time: sample_type is PERF_SAMPLE_TIME only. */
static uint64_t time_of(const struct perf_event_header *record)
{
	uint64_t ts;

	memcpy(&ts, (const char *)record + record->size - sizeof(ts), sizeof(ts));
	return ts;
}

static void take_one(struct mapwatch *w, const unsigned char *data, uint64_t at)
{
	struct perf_event_header head, *record;
	struct user_map m;
	size_t first;

	memcpy(&head, data + at % (PAGES * PAGE), sizeof(head));	/* records are multiples of 8 bytes, and so is the head */
	record = head.size >= sizeof(head) + sizeof(uint64_t) ? malloc(head.size) : NULL;
	if (!record)
		return;
	first = MIN((size_t)head.size, PAGES * PAGE - at % (PAGES * PAGE));
	memcpy(record, data + at % (PAGES * PAGE), first);
	memcpy((char *)record + first, data, head.size - first);
	if (is_map(record, &m))
		users_file(w->users, ((const struct record_mmap2 *)record)->pid, &m);
	push(w, (struct happened){ time_of(record), record });
}

static void take(struct mapwatch *w, const struct cpu *c)
{
	const unsigned char *data = (const unsigned char *)c->page + PAGE;
	uint64_t head = __atomic_load_n(&c->page->data_head, __ATOMIC_ACQUIRE), at = c->page->data_tail;

	while (at < head) {
		struct perf_event_header h;

		memcpy(&h, data + at % (PAGES * PAGE), sizeof(h));
		if (h.size < sizeof(h) || h.size > head - at)
			break;
		take_one(w, data, at);
		at += h.size;
	}
	__atomic_store_n(&c->page->data_tail, head, __ATOMIC_RELEASE);
}

static void take_all(struct mapwatch *w)
{
	for (unsigned i = 0; i < w->nr_cpus; i++) {
		const struct cpu *c = &w->cpus[i];

		if (c->page && __atomic_load_n(&c->page->data_head, __ATOMIC_RELAXED) != c->page->data_tail)
			take(w, c);
	}
}

/* ---- opening ---- */

static int open_cpu(struct mapwatch *w, unsigned cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .size = sizeof(attr), .config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TIME, .sample_id_all = 1, .mmap = 1, .mmap2 = 1, .comm = 1, .comm_exec = 1, .task = 1,
		.use_clockid = 1, .clockid = CLOCK_MONOTONIC, .watermark = 1,
		.wakeup_watermark = 1,	/* each record: files are looked for at once */
	};
	struct epoll_event event = { .events = EPOLLIN };
	struct cpu *c = &w->cpus[cpu];
	void *page;

	c->fd = (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (c->fd < 0)
		return -errno;
	page = mmap(NULL, (1 + PAGES) * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, c->fd, 0);
	if (page == MAP_FAILED)
		return -errno;
	c->page = page;
	return epoll_ctl(w->epoll_fd, EPOLL_CTL_ADD, c->fd, &event) ? -errno : 0;
}

static void close_cpu(struct cpu *c)
{
	if (c->page)
		munmap(c->page, (1 + PAGES) * PAGE);
	if (c->fd >= 0)
		close(c->fd);
	*c = (struct cpu){ .fd = -1 };
}

/* ---- CPUs that come ---- */

static int64_t now(clockid_t clock)
{
	struct timespec ts = { 0 };

	clock_gettime(clock, &ts);
	return ts.tv_sec * INT64_C(1000000000) + ts.tv_nsec;
}

/* Was it suspended since the last call? This task may be stopped between two clocks: so one bound is from before, the other from behind. */
static bool was_suspended(struct mapwatch *w)
{
	int64_t boot = now(CLOCK_BOOTTIME), mono = now(CLOCK_MONOTONIC);

	if (boot - mono <= w->suspended)
		return false;
	w->suspended = now(CLOCK_BOOTTIME) - mono;
	return true;
}

static bool renew(struct mapwatch *w, unsigned cpu)
{
	if (cpu >= w->nr_cpus || !cpus_online(cpu))
		return false;
	close_cpu(&w->cpus[cpu]);
	open_cpu(w, cpu);	/* without it, stacks of programs that begin there are numbers */
	return true;
}

static bool renew_all(struct mapwatch *w)
{
	bool any = false;

	for (unsigned i = 0; i < w->nr_cpus; i++)
		any |= renew(w, i);
	return any;
}

static bool serve_announced(struct mapwatch *w)
{
	char text[UEVENT_MAX + 1];
	bool any = false;
	int err;

	while (w->announced_fd >= 0 && (err = uevents_next(w->announced_fd, text)) != -EAGAIN) {
		const char *cpu = err ? NULL : uevents_behind(text, "online@/devices/system/cpu/cpu");

		if (err)		/* some were lost */
			any |= renew_all(w);
		else if (cpu)
			any |= renew(w, (unsigned)strtoul(cpu, NULL, 10));
	}
	return any;
}

/* For each stack: so it asks no more than two clocks. */
static void catch_up(struct mapwatch *w)
{
	take_all(w);
	if (was_suspended(w) && renew_all(w))
		users_read_all(w->users);
}

void mapwatch_take(struct mapwatch *w)
{
	catch_up(w);
	if (serve_announced(w))
		users_read_all(w->users);
}

static void sync_users(void *ctx, uint64_t ts)
{
	struct mapwatch *w = ctx;

	catch_up(w);
	while (w->nr && w->heap[0].ts <= ts)
		apply_first(w);
}

/* ---- the whole ---- */

static int open_all(struct mapwatch *w)
{
	int err = 0;

	w->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (w->epoll_fd < 0)
		return -errno;
	was_suspended(w);
	w->announced_fd = uevents_open();
	if (w->announced_fd >= 0)
		epoll_ctl(w->epoll_fd, EPOLL_CTL_ADD, w->announced_fd, &(struct epoll_event){ .events = EPOLLIN });
	for (unsigned i = 0; !err && i < w->nr_cpus; i++) {
		if (cpus_online(i))
			err = open_cpu(w, i);
	}
	return err;
}

int mapwatch_open(bool running, struct mapwatch **ret, struct diag *diag)
{
	struct mapwatch *w;
	int err;

	if (identity_pidns())
		return diag_set(diag, -EOPNOTSUPP, "in a pid namespace processes have other numbers");
	w = calloc(1, sizeof(*w));
	if (!w)
		return diag_set(diag, -ENOMEM, "out of memory");
	w->nr_cpus = cpus_possible();
	w->epoll_fd = w->announced_fd = -1;
	w->users = users_new(sync_users, w);
	w->cpus = calloc(w->nr_cpus, sizeof(*w->cpus));
	for (unsigned i = 0; w->cpus && i < w->nr_cpus; i++)
		w->cpus[i].fd = -1;
	err = w->cpus ? open_all(w) : -ENOMEM;
	if (err) {
		mapwatch_close(w);
		return diag_set(diag, err, "the kernel refused the perf events that report what programs map: %s", strerror(-err));
	}
	if (running)
		users_read_all(w->users);
	*ret = w;
	return 0;
}

void mapwatch_close(struct mapwatch *w)
{
	if (!w)
		return;
	for (unsigned i = 0; w->cpus && i < w->nr_cpus; i++)
		close_cpu(&w->cpus[i]);
	if (w->announced_fd >= 0)
		close(w->announced_fd);
	while (w->nr)
		free(pop(w));
	if (w->epoll_fd >= 0)
		close(w->epoll_fd);
	free(w->heap);
	free(w->cpus);
	users_free(w->users);
	free(w);
}

struct users *mapwatch_users(struct mapwatch *w)
{
	return w->users;
}

int mapwatch_fd(const struct mapwatch *w)
{
	return w->epoll_fd;
}
