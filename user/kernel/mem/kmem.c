// SPDX-License-Identifier: GPL-2.0-only
/*
 * kmem.c - reads bytes of the kernel's memory, from a file or with BPF.
 *
 * /proc/kcore is an ELF core file, so the same code reads it, core dumps and vmlinux: the program headers tell where in
 * the file the memory is. Only this file uses libelf for these headers. The bytes are read with pread(2), because kcore
 * claims to be as large as the address space.
 */
#include "kernel/mem/kmem.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdbool.h>
#include <unistd.h>

#include "arch/user.h"
#include "base/cleanup.h"
#include "base/macros.h"
#include "base/memory.h"
#include "kernel/disabled.h"
#include "kernel/mem/kmem_bpf.h"

#define KCORE	"/proc/kcore"

struct segment {
	uint64_t vaddr, offset;
	uint64_t filesz, memsz;		/* the bytes between the two are zero */
};

struct kmem {
	char *name;
	struct kmem_bpf *bpf;		/* NULL: the file is read */
	int fd;
	bool running;
	struct segment *segs;
	size_t nr_segs;
	uint64_t notes, notes_len;	/* where they are in the file; 0, 0: it has none */
};

/* None of the kernel's notes is longer than this. */
#define NOTES_MAX	((uint64_t)1 << 20)

/* ---- the file's headers ---- */

static int no_elf(const char *path, struct diag *diag)
{
	diag_set(diag, -ENOEXEC, "%s is not an ELF file", path);
	if (!strcmp(path, KCORE))
		diag_note(diag, "help: it is hidden, as it is in containers: run bprobe outside of the container");
	else
		diag_note(diag, "help: bprobe reads a core dump or a vmlinux; a vmlinuz must be unpacked first");
	return -ENOEXEC;
}

/* Checks that it is an ELF file for this type of machine. */
static int check_kind(Elf *elf, const char *path, GElf_Ehdr *ret, struct diag *diag)
{
	if (elf_kind(elf) != ELF_K_ELF)
		return no_elf(path, diag);
	if (!gelf_getehdr(elf, ret))
		return diag_set(diag, -ENOEXEC, "%s: %s", path, elf_errmsg(-1));
	if (gelf_getclass(elf) != ELFCLASS64 || ret->e_machine != user_machine)
		return diag_set(diag, -ENOEXEC, "%s is for another machine (%s bits, ELF machine number %u), not for %s",
				path, gelf_getclass(elf) == ELFCLASS64 ? "64" : "32", ret->e_machine, user_machine_name);
	return 0;
}

/* Keeps the segments that contain memory. */
static int read_segments(Elf *elf, const char *path, struct kmem *km, struct diag *diag)
{
	auto_free struct segment *segs = NULL;
	size_t nr, kept = 0;
	GElf_Ehdr ehdr;
	GElf_Phdr ph;
	int err = check_kind(elf, path, &ehdr, diag);

	if (err)
		return err;
	/* libelf reduces the number to what the file has room for. */
	if (elf_getphdrnum(elf, &nr) || (ehdr.e_phnum != PN_XNUM && nr < ehdr.e_phnum))
		return diag_set(diag, -EBADMSG, "%s is cut off in its program headers", path);
	segs = calloc(nr + 1, sizeof(*segs));
	if (!segs)
		return diag_set(diag, -ENOMEM, "out of memory");
	for (size_t i = 0; i < nr; i++) {
		if (!gelf_getphdr(elf, (int)i, &ph))
			return diag_set(diag, -EBADMSG, "%s: program header %zu: %s", path, i,
					elf_errmsg(-1));
		if (ph.p_type == PT_NOTE && ph.p_filesz <= NOTES_MAX) {
			km->notes = ph.p_offset;
			km->notes_len = ph.p_filesz;
		}
		if (ph.p_type == PT_LOAD && ph.p_memsz)
			segs[kept++] = (struct segment){ ph.p_vaddr, ph.p_offset,
							 MIN(ph.p_filesz, ph.p_memsz), ph.p_memsz };
	}
	if (!kept) {
		diag_set(diag, -ENOEXEC, "%s holds no memory: it has no segments of type LOAD", path);
		diag_note(diag, "help: give a core dump or a vmlinux, which have them");
		return -ENOEXEC;
	}
	km->segs = take_ptr(segs);
	km->nr_segs = kept;
	return 0;
}

static int open_file(const char *path, struct kmem *km, struct diag *diag)
{
	auto_fd fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf *elf;
	int err;

	if (fd < 0)
		return diag_set(diag, -errno, "cannot open %s: %s", path, strerror(errno));
	elf_version(EV_CURRENT);
	/* Not ELF_C_READ_MMAP, because kcore cannot be mapped. */
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (!elf)
		return no_elf(path, diag);
	err = read_segments(elf, path, km, diag);
	elf_end(elf);
	if (!err) {
		km->name = must(strdup(path));
		km->fd = take_fd(fd);
	}
	return err;
}

/* ---- the running kernel ---- */

static int open_kcore(struct kmem *km, struct diag *diag)
{
	int err = open_file(KCORE, km, diag);

	if (err == -ENOENT)
		diag_note(diag, "help: mount /proc; if it is mounted, this kernel was built without CONFIG_PROC_KCORE");
	else if (err == -EPERM && disabled_by_lockdown())
		disabled_note_lockdown(diag);
	else if (err == -EPERM || err == -EACCES)
		diag_note(diag, "help: " KCORE " can be read only by root with CAP_SYS_RAWIO");
	return err;
}

static int open_bpf(struct kmem *km, struct diag *diag)
{
	int err = kmem_bpf_open(&km->bpf, diag);

	if (!err) {
		km->name = must(strdup("BPF"));
		return 0;
	}
	if (disabled_by_lockdown()) {
		/* Lockdown hides the helper, so loading fails with -EINVAL (6.12, kernel/bpf/helpers.c). */
		err = diag_set(diag, -EPERM, "BPF cannot read the kernel's memory: %s", strerror(EPERM));
		disabled_note_lockdown(diag);
	} else if (err == -EPERM) {
		diag_note(diag, "help: only root, or a user with CAP_BPF and CAP_PERFMON, can use BPF");
	} else if (err == -ENOSYS) {
		diag_note(diag, "help: this kernel was built without CONFIG_BPF_SYSCALL");
	} else {
		diag_note(diag, "help: this needs Linux 5.10 or newer with CONFIG_BPF_EVENTS");
	}
	return err;
}

static int open_any(struct kmem *km, struct diag *diag)
{
	struct diag kcore = { 0 }, bpf = { 0 };
	int err = open_kcore(km, &kcore);

	if (err)
		err = open_bpf(km, &bpf);
	if (err) {
		diag_set(diag, err, "%s, and %s", buf_str(&kcore.msg), buf_str(&bpf.msg));
		buf_adds(&diag->notes, buf_str(&kcore.notes));
		if (strcmp(buf_str(&kcore.notes), buf_str(&bpf.notes)))
			buf_adds(&diag->notes, buf_str(&bpf.notes));
	}
	diag_fini(&kcore);
	diag_fini(&bpf);
	return err;
}

int kmem_open(const char *path, enum kmem_source source, struct kmem **ret, struct diag *diag)
{
	struct kmem *km = calloc(1, sizeof(*km));
	int err;

	if (!km)
		return diag_set(diag, -ENOMEM, "out of memory");
	km->fd = -1;
	km->running = !path;
	if (path)
		err = open_file(path, km, diag);
	else if (source == KMEM_KCORE)
		err = open_kcore(km, diag);
	else if (source == KMEM_BPF)
		err = open_bpf(km, diag);
	else
		err = open_any(km, diag);
	if (!err && !km->name)
		err = diag_set(diag, -ENOMEM, "out of memory");
	if (err) {
		kmem_close(km);
		return err;
	}
	*ret = km;
	return 0;
}

static int reopen_bpf(struct kmem *km)
{
	struct diag ignored = { 0 };
	int err;

	kmem_bpf_close(km->bpf);
	km->bpf = NULL;
	err = kmem_bpf_open(&km->bpf, &ignored);
	diag_fini(&ignored);
	return err;
}

int kmem_reopen(struct kmem *km)
{
	int fd;

	if (km->bpf)
		return reopen_bpf(km);
	fd = open(km->name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	close(km->fd);
	km->fd = fd;
	return 0;
}

void kmem_close(struct kmem *km)
{
	if (!km)
		return;
	kmem_bpf_close(km->bpf);
	if (km->fd >= 0)
		close(km->fd);
	free(km->segs);
	free(km->name);
	free(km);
}

const char *kmem_name(const struct kmem *km)
{
	return km->name;
}

bool kmem_is_running(const struct kmem *km)
{
	return km->running;
}

/* ---- reading ---- */

static const struct segment *find_segment(const struct kmem *km, uint64_t addr)
{
	for (size_t i = 0; i < km->nr_segs; i++) {
		if (addr - km->segs[i].vaddr < km->segs[i].memsz)
			return &km->segs[i];
	}
	return NULL;
}

/* Also returns -EFAULT if the file ends early, or if the kernel cannot read the page. */
static int read_at(int fd, char *to, uint64_t len, uint64_t offset)
{
	while (len) {
		ssize_t got = pread(fd, to, len, (off_t)offset);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got < 0 && errno == EPERM ? -EPERM : -EFAULT;
		to += got;
		len -= (uint64_t)got;
		offset += (uint64_t)got;
	}
	return 0;
}

static int read_file(const struct kmem *km, uint64_t addr, char *to, uint64_t len)
{
	while (len) {
		const struct segment *seg = find_segment(km, addr);
		uint64_t at, piece;
		int err = 0;

		if (!seg)
			return -EFAULT;
		at = addr - seg->vaddr;
		piece = MIN(len, (at < seg->filesz ? seg->filesz : seg->memsz) - at);
		if (at < seg->filesz)
			err = read_at(km->fd, to, piece, seg->offset + at);
		else
			memset(to, 0, piece);
		if (err)
			return err;
		addr += piece;
		to += piece;
		len -= piece;
	}
	return 0;
}

int kmem_read(struct kmem *km, uint64_t addr, void *to, size_t len)
{
	if (len && addr + (len - 1) < addr)
		return -EFAULT;
	return km->bpf ? kmem_bpf_read(km->bpf, addr, to, len) : read_file(km, addr, to, len);
}

/* ---- notes ---- */

/* Finds name and bytes of the note at @at of @notes. Returns where the next one begins; 0: the note is cut off. */
static uint64_t next_note(const char *notes, uint64_t len, uint64_t at, const char **ret_name,
			  const char **ret_bytes, uint64_t *ret_len)
{
	Elf64_Nhdr head;
	uint64_t name, bytes;

	if (len - at < sizeof(head))
		return 0;
	memcpy(&head, notes + at, sizeof(head));
	name = at + sizeof(head);
	bytes = name + ROUND_UP((uint64_t)head.n_namesz, 4u);
	if (bytes > len || head.n_descsz > len - bytes || !head.n_namesz || notes[name + head.n_namesz - 1])
		return 0;
	*ret_name = notes + name;
	*ret_bytes = notes + bytes;
	*ret_len = head.n_descsz;
	return MIN(bytes + ROUND_UP((uint64_t)head.n_descsz, 4u), len);
}

char *kmem_note(const struct kmem *km, const char *name)
{
	auto_free char *notes = km->notes_len ? malloc(km->notes_len) : NULL;
	uint64_t at = 0, len;
	const char *found, *bytes;

	if (!notes || read_at(km->fd, notes, km->notes_len, km->notes))
		return NULL;
	while ((at = next_note(notes, km->notes_len, at, &found, &bytes, &len))) {
		if (!strcmp(found, name))
			return strndup(bytes, len);
	}
	return NULL;
}
