// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_packed.c - any bytes as the kernel's packed symbol tables, and as a core file (--kcore). What is found are whole names, at addresses that
 * agree with each other.
 *
 * An input is the text of the note VMCOREINFO, a NUL, and the memory with the tables; or an ELF file. See damage.h: the originals have the tables of
 * test_packed.
 */
#include "../unit/packed_tables.h"

static const char fuzz_name[] = "fuzz_packed";

#include "damage.h"

static void take_number(void *ctx, size_t i)
{
	require(i < kpacked_count(ctx), "a symbol that is not there");
}

struct pass {
	struct kpacked *kp;
	size_t next;
};

static void take_function(void *ctx, const struct kpacked_function *f)
{
	struct pass *p = ctx;

	require(f->i < kpacked_count(p->kp) && f->i >= p->next, "functions are not in their order");
	require(!f->next || f->next > f->addr, "the next symbol is not behind this one");
	require(!f->name || (strchr(f->name, '.') && strlen(f->name) < KPACKED_NAME_MAX), "a name that needs not be told");
	p->next = f->i + 1;
}

static void check_tables(struct kpacked *kp)
{
	size_t count = kpacked_count(kp);
	struct pass pass = { .kp = kp };

	for (size_t i = 0; i < MIN(count, (size_t)320); i++) {
		char name[KPACKED_NAME_MAX], type = 0;
		size_t len = kpacked_name(kp, i, &type, name);
		uint64_t addr;

		require(!len || (len < KPACKED_NAME_MAX && strlen(name) <= len), "a name without an end");
		if (len && !(i % 64)) {
			kpacked_find(kp, name, take_number, kp);
			name[1] = '\0';
			kpacked_find_prefix(kp, name, take_number, kp);
		}
		kpacked_may_be_function(kp, i);
		if (kpacked_addr(kp, i, &addr) && !(i % 32))
			require(kpacked_up_to(kp, addr) <= count, "more symbols than there are");
	}
	kpacked_pass(kp, take_function, &pass);
}

static void check_memory(struct kmem *km)
{
	struct kpacked *kp = kpacked_open(km);
	uint8_t bytes[64];

	kmem_read(km, DATA, bytes, sizeof(bytes));
	kmem_read(km, DATA + AREA - 32, bytes, sizeof(bytes));
	kmem_read(km, UINT64_MAX - 8, bytes, sizeof(bytes));
	if (kp)
		check_tables(kp);
	kpacked_close(kp);
}

/* The core file that is made of an input. */
static int make_file(const uint8_t *data, size_t size, struct buf *path)
{
	const uint8_t *end = memchr(data, '\0', size);
	struct buf note = { 0 };
	int fd;

	if (size > 4 && !memcmp(data, ELFMAG, SELFMAG)) {
		fd = memfd_create("core", MFD_CLOEXEC);
		if (write(fd, data, size) != (ssize_t)size)
			abort();
		buf_addf(path, "/proc/self/fd/%d", fd);
		return fd;
	}
	buf_add(&note, data, MIN(end ? (size_t)(end - data) : size, (size_t)4096));
	memset(area, 0, sizeof(area));
	if (end)
		memcpy(area, end + 1, MIN((size_t)(data + size - end - 1), sizeof(area)));
	fd = make_core(&note, path);
	buf_fini(&note);
	return fd;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf path = { 0 };
	struct kmem *km = NULL;
	struct diag d = { 0 };
	int fd, err;

	if (!size)
		return 0;
	fd = make_file(data, size, &path);
	err = kmem_open(buf_str(&path), KMEM_ANY, &km, &d);
	require(!err == !!km && (!err || (d.err == err && d.msg.len)), "refused without a reason");
	if (km)
		check_memory(km);
	kmem_close(km);
	close(fd);
	buf_fini(&path);
	diag_fini(&d);
	return 0;
}

#ifdef STANDALONE

enum { SEEDS = KINDS + 1 };

/* Number KINDS is a whole core file, which the others are not. */
static void make_seed(enum kind kind, struct buf *out)
{
	struct buf note = { 0 }, path = { 0 };

	used = 0;
	memset(area, 0, sizeof(area));
	make_symbols(kind % KINDS);
	buf_addf(&note, "OSRELEASE=6.12\nSYMBOL(_stext)=%llx\n", (unsigned long long)syms[2].addr);
	put_names(&note, true);
	put_tokens(&note);
	put_offsets(&note, kind % KINDS, true);
	if (kind < KINDS) {
		buf_add(out, note.data, note.len);
		buf_addc(out, '\0');
		buf_add(out, area, used);
	} else {
		int fd = make_core(&note, &path);

		out->len += (size_t)pread(fd, buf_room(out, 1 << 17), 16384 + used, 0);
		close(fd);
	}
	buf_fini(&note);
	buf_fini(&path);
}

int main(int argc, char **argv)
{
	struct original all[SEEDS] = { 0 };

	for (unsigned i = 0; i < SEEDS; i++) {
		make_seed(i, &all[i].bytes);
		all[i].to = MIN(all[i].bytes.len, (size_t)512);		/* the note, or the headers */
	}
	return damage(argc, argv, all, SEEDS);
}

#endif
