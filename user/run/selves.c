// SPDX-License-Identifier: GPL-2.0-only
/*
 * selves.c - the processes whose hits are left out.
 *
 * Any number of bprobes may change the map at the same time: an entry is taken by a compare and exchange of its number. A killed
 * process leaves its entry in the map. The entry does no harm (struct bp_self), and the next process in its row takes it.
 */
#include "run/selves.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/macros.h"

/* Takes ownership of @fd; closes it after an error. */
static int map_table(int fd, struct selves *ret)
{
	void *at = mmap(NULL, sizeof(*ret->table), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (at == MAP_FAILED) {
		int err = -errno;

		close(fd);
		return err;
	}
	*ret = (struct selves){ at, fd };
	return 0;
}

int selves_create(struct selves *ret)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE);
	int fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "bp_selves", 4, sizeof(struct bp_selves), 1, &opts);
	int err = fd < 0 ? -errno : map_table(fd, ret);

	for (unsigned row = 0; !err && row < BP_SELF_ROWS; row++) {
		for (unsigned i = 0; i < 2; i++)
			ret->table->rows[row][i].tgid = BP_SELF_NONE;
	}
	return err;
}

int selves_open(const char *path, struct selves *ret)
{
	auto_fd fd = bpf_obj_get(path);
	struct bpf_map_info info = { 0 };
	__u32 len = sizeof(info);

	if (fd < 0)
		return -errno;
	if (bpf_obj_get_info_by_fd(fd, &info, &len) || info.type != BPF_MAP_TYPE_ARRAY ||
	    info.value_size != sizeof(struct bp_selves))
		return -EBADMSG;
	return map_table(take_fd(fd), ret);
}

int selves_pin(const struct selves *s, const char *path)
{
	return bpf_obj_pin(s->fd, path) ? -errno : 0;
}

void selves_close(struct selves *s)
{
	if (s->table) {
		munmap(s->table, sizeof(*s->table));
		close(s->fd);
	}
	*s = (struct selves){ 0 };
}

/* ---- entries ---- */

static struct bp_self *row_of(const struct selves *s, uint32_t tgid)
{
	return s->table->rows[tgid & (BP_SELF_ROWS - 1)];
}

static uint32_t holder(const struct bp_self *entry)
{
	return __atomic_load_n(&entry->tgid, __ATOMIC_ACQUIRE);
}

static bool is_free(uint32_t tgid, uint32_t own, bool initial)
{
	return tgid == BP_SELF_NONE || tgid == own || (initial && kill((pid_t)tgid, 0) && errno == ESRCH);
}

void selves_add(const struct selves *s, uint32_t own, bool initial)
{
	struct bp_self *row = row_of(s, own), *entry;
	uint32_t before;

	do {
		entry = row[0].since <= row[1].since ? &row[0] : &row[1];
		for (unsigned i = 0; i < 2; i++) {
			if (is_free(holder(&row[i]), own, initial)) {
				entry = &row[i];
				break;
			}
		}
		before = holder(entry);
	} while (!__atomic_compare_exchange_n(&entry->tgid, &before, own, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
	/* The first call of the clock reads a file (base/clock.c); this must not be recorded either. */
	__atomic_store_n(&entry->since, UINT64_MAX, __ATOMIC_RELEASE);
	__atomic_store_n(&entry->since, now_ns(), __ATOMIC_RELEASE);
}

void selves_remove(const struct selves *s, uint32_t own)
{
	struct bp_self *row = row_of(s, own);

	for (unsigned i = 0; i < 2; i++) {
		uint32_t tgid = own;

		__atomic_compare_exchange_n(&row[i].tgid, &tgid, BP_SELF_NONE, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
	}
}
