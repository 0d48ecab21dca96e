// SPDX-License-Identifier: GPL-2.0-only
/*
 * count_map.c - the tables in which programs count.
 */
#include "run/count_map.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/macros.h"
#include "run/engine.h"

enum {
	ENTRY_HEAD = 48 + 16,		/* bytes of struct htab_elem (6.12, kernel/bpf/hashtab.c), and of one bucket for each entry */
	ENTRIES_MIN = 1024,
	GROWING = 64 << 20, AT_ONCE = 8 << 20,	/* bytes */
	SHARES = 4,				/* tables that have so much each; more tables share what these have */
	BATCH = 256,
};

/*
 * The kernel makes as many buckets of 16 bytes as there may be entries, rounded up to a power of two, and takes the memory for these at once.
 * That should be little, because most tables stay small: 100 tables with the size of one took 800 MB.
 */
static uint32_t entries_for(const struct count_map_opts *opts, const struct count_table *t)
{
	uint64_t usual = (uint64_t)(opts->grows ? GROWING : AT_ONCE) * SHARES / MAX(opts->sharing, (unsigned)SHARES);
	uint64_t memory = opts->memory ? opts->memory : usual;
	uint64_t nr = memory / (ENTRY_HEAD + t->key_size + count_value_size(t));

	return (uint32_t)MIN(MAX(nr, (uint64_t)ENTRIES_MIN), (uint64_t)1 << 30);
}

int count_map_create(const struct count_map_opts *opts, struct count_table *t)
{
	LIBBPF_OPTS(bpf_map_create_opts, map_opts, .map_flags = opts->grows ? BPF_F_NO_PREALLOC : 0);
	LIBBPF_OPTS(bpf_map_create_opts, mmapable, .map_flags = BPF_F_MMAPABLE);
	struct bp_count_state state = { .paused = opts->paused, .left = (int64_t)MIN(opts->left, (uint64_t)INT64_MAX) };
	uint32_t zero = 0;

	if (!opts->only_state)
		t->fd = bpf_map_create(BPF_MAP_TYPE_HASH, "bp_table", t->key_size, count_value_size(t), entries_for(opts, t), &map_opts);
	if (t->fd < 0 && !opts->only_state)
		return -errno;
	t->state_fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "bp_table_state", sizeof(zero), sizeof(state), 1, &mmapable);
	if (t->state_fd < 0 || bpf_map_update_elem(t->state_fd, &zero, &state, BPF_ANY))
		return -errno;
	return 0;
}

void count_map_close(struct count_table *t)
{
	if (t->fd >= 0)
		close(t->fd);
	if (t->state_fd >= 0)
		close(t->state_fd);
	t->fd = t->state_fd = -1;
}

int count_map_state(const struct count_table *t, struct bp_count_state *ret)
{
	uint32_t zero = 0;

	return bpf_map_lookup_elem(t->state_fd, &zero, ret) ? -errno : 0;
}

/* The programs add to `dropped` at the same time, so the state is mapped. */
static struct bp_count_state *state_map(const struct count_table *t)
{
	struct bp_count_state *state = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE, MAP_SHARED, t->state_fd, 0);

	return state == MAP_FAILED ? NULL : state;
}

static void state_unmap(struct bp_count_state *state)
{
	munmap(state, (size_t)sysconf(_SC_PAGESIZE));
}

int count_map_pause(const struct count_table *t, bool paused)
{
	struct bp_count_state *state = state_map(t);

	if (!state)
		return -errno;
	__atomic_store_n(&state->paused, paused, __ATOMIC_RELAXED);
	state_unmap(state);
	return 0;
}

static int delete_all(const struct count_table *t)
{
	unsigned char *key = malloc(t->key_size);
	int err = key ? 0 : -ENOMEM;

	while (!err && !bpf_map_get_next_key(t->fd, NULL, key)) {
		if (bpf_map_delete_elem(t->fd, key))
			err = -errno;
	}
	free(key);
	return err;
}

/*
 * A program that has found an entry adds to it later. If the entry were removed meanwhile, its memory could be another key's. So this waits
 * for running programs.
 */
int count_map_clear(const struct count_table *t)
{
	struct bp_count_state *state = state_map(t);
	uint64_t was;
	int err;

	if (!state)
		return -errno;
	was = __atomic_exchange_n(&state->paused, 1, __ATOMIC_SEQ_CST);
	engine_wait_for_programs();
	err = delete_all(t);
	engine_wait_for_programs();		/* those of other events may have found an entry, and read its variables */
	state->dropped = state->raced = 0;
	__atomic_store_n(&state->paused, was, __ATOMIC_SEQ_CST);
	state_unmap(state);
	return err;
}

struct batch {
	const struct count_table *table;
	uint32_t size;			/* of a value */
	unsigned char *keys;
	unsigned char *values;		/* each a struct bp_tally, with what is behind it */
	uint64_t at;			/* where the next batch begins: an index of the kernel's */
};

/* -ENOSPC: one bucket has more entries than there is room for. -ENOENT: these were the last ones. */
static int read_batch(struct batch *b, uint32_t room, bool begun, uint32_t *ret_nr)
{
	*ret_nr = room;
	return bpf_map_lookup_batch(b->table->fd, begun ? &b->at : NULL, &b->at, b->keys, b->values, ret_nr, NULL) ? -errno : 0;
}

static int grow(struct batch *b, uint32_t room)
{
	unsigned char *keys = reallocarray(b->keys, room, b->table->key_size);
	unsigned char *values;

	if (!keys)
		return -ENOMEM;
	b->keys = keys;
	values = reallocarray(b->values, room, b->size);
	if (!values)
		return -ENOMEM;
	b->values = values;
	return 0;
}

/*
 * Programs may have written to the entry while the kernel copied it. So it is read until two copies are equal, and nobody has it. If that does
 * not come, its variables have no values.
 */
static void settle_version(const struct count_table *t, const unsigned char *key, unsigned char *value)
{
	enum { TRIES = 16 };
	uint32_t size = count_value_size(t);
	unsigned char *again = malloc(size);
	bool settled = false;

	for (unsigned i = 0; again && i < TRIES && !settled; i++) {
		const struct bp_version *version = (const struct bp_version *)(const void *)(again + sizeof(struct bp_tally));

		if (bpf_map_lookup_elem(t->fd, key, again))
			break;
		/* Sums are added to all the time, and each by itself. */
		settled = !memcmp(again + sizeof(struct bp_tally), value + sizeof(struct bp_tally), size - sizeof(struct bp_tally)) &&
			  !(uint32_t)version->lock;
		memcpy(value, again, size);
	}
	for (unsigned i = 0; i < t->nr_slots && !settled; i++)
		memset(value + t->slots[i].off, 0, sizeof(struct bp_slot));
	free(again);
}

int count_map_read(const struct count_table *t, count_entry_fn entry, void *arg, struct count_missing *ret)
{
	struct bp_count_state state;
	struct batch b = { .table = t, .size = ROUND_UP(count_value_size(t), 8u) };
	uint32_t room = BATCH, nr;
	int err = count_map_state(t, &state), got = 0;
	bool begun = false;

	if (err)
		return err;
	*ret = (struct count_missing){ .dropped = state.dropped, .raced = state.raced };
	err = grow(&b, room);
	while (!err && got != -ENOENT) {
		got = read_batch(&b, room, begun, &nr);
		if (got == -ENOSPC) {
			room *= 2;
			err = grow(&b, room);
			continue;
		}
		if (got && got != -ENOENT) {
			err = got;
			break;
		}
		for (uint32_t i = 0; i < nr; i++) {
			unsigned char *key = b.keys + (size_t)i * t->key_size, *value = b.values + (size_t)i * b.size;

			if (t->nr_slots)
				settle_version(t, key, value);
			entry(arg, key, (const struct bp_tally *)(const void *)value);
		}
		begun = true;
	}
	free(b.keys);
	free(b.values);
	return err;
}

struct taking {
	const struct count_table *table;
	uint64_t generation;
	count_entry_fn entry;
	void *arg;
	struct buf keys;		/* those to remove */
};

static void take_entry(void *arg, const unsigned char *key, const struct bp_tally *tally)
{
	struct taking *t = arg;

	if (memcmp(key, &t->generation, sizeof(t->generation)))
		return;
	t->entry(t->arg, key, tally);
	buf_add(&t->keys, key, t->table->key_size);
}

/* When no program that has read the last generation runs any more, nothing is added to its entries. */
int count_map_take(const struct count_table *t, count_entry_fn entry, void *arg, struct count_missing *ret)
{
	struct bp_count_state *state = state_map(t);
	struct taking taking = { .table = t, .entry = entry, .arg = arg };
	int err;

	if (!state)
		return -errno;
	taking.generation = __atomic_fetch_add(&state->generation, 1, __ATOMIC_SEQ_CST);
	engine_wait_for_programs();
	err = count_map_read(t, take_entry, &taking, ret);
	ret->dropped = __atomic_exchange_n(&state->dropped, 0, __ATOMIC_RELAXED);
	ret->raced = __atomic_exchange_n(&state->raced, 0, __ATOMIC_RELAXED);
	for (size_t at = 0; !err && at < taking.keys.len; at += t->key_size) {
		if (bpf_map_delete_elem(t->fd, taking.keys.data + at))
			err = -errno;
	}
	buf_fini(&taking.keys);
	state_unmap(state);
	return err;
}
