// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_kmem.c - memory in ELF files that the test makes: what is read from where, and
 * which files are refused.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernel/mem/kmem.h"
#include "tap.h"

#define TEXT	0xffffffff81000000ull

enum { FILE_SIZE = 0x3000 };

static char dir[] = "/tmp/test_kmem.XXXXXX";

/* A file of these bytes; its name is good until the next call. */
static const char *make_file(const char *name, const void *bytes, size_t len)
{
	static char path[sizeof(dir) + 40];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (fd < 0 || write(fd, bytes, len) != (ssize_t)len || close(fd)) {
		perror(path);
		exit(1);
	}
	return path;
}

/* The byte at @offset, after the headers, of each file here. */
static uint8_t byte_at(size_t offset)
{
	return (uint8_t)(offset * 7 + offset / 256 + 1);
}

/* Headers, then numbered bytes. Returns what was written: FILE_SIZE bytes. */
static uint8_t *make_elf(const Elf64_Phdr *ph, size_t nr)
{
	static uint8_t image[FILE_SIZE];
	Elf64_Ehdr ehdr = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_CORE, .e_machine = EM_X86_64, .e_version = EV_CURRENT,
		.e_phoff = sizeof(ehdr), .e_ehsize = sizeof(ehdr),
		.e_phentsize = sizeof(*ph), .e_phnum = (Elf64_Half)nr,
	};

	for (size_t i = 0; i < sizeof(image); i++)
		image[i] = byte_at(i);
	memcpy(image, &ehdr, sizeof(ehdr));
	if (nr)
		memcpy(image + sizeof(ehdr), ph, nr * sizeof(*ph));
	return image;
}

/* Not in the order of addresses; two touch, one has a tail, one lies beyond the file. */
static const Elf64_Phdr segments[] = {
	{ .p_type = PT_NOTE, .p_offset = 0x400, .p_vaddr = 0x1000, .p_filesz = 0x100, .p_memsz = 0x100 },
	{ .p_type = PT_LOAD, .p_offset = 0x1800, .p_vaddr = TEXT + 0x800, .p_filesz = 0x800, .p_memsz = 0x1000 },
	{ .p_type = PT_LOAD, .p_offset = 0x1000, .p_vaddr = TEXT, .p_filesz = 0x800, .p_memsz = 0x800 },
	{ .p_type = PT_LOAD, .p_offset = 0x2000, .p_vaddr = 0xffff888000000000ull, .p_filesz = 0x100, .p_memsz = 0x100 },
	{ .p_type = PT_LOAD, .p_offset = 0x500, .p_vaddr = -0x1000ull, .p_filesz = 0x1000, .p_memsz = 0x1000 },
	{ .p_type = PT_LOAD, .p_offset = 0x2f00, .p_vaddr = 0xffff999000000000ull, .p_filesz = 0x1000, .p_memsz = 0x1000 },
	{ .p_type = PT_LOAD, .p_offset = -16ull, .p_vaddr = 0xffffaaa000000000ull, .p_filesz = 0x1000, .p_memsz = 0x1000 },
	{ .p_type = PT_LOAD, .p_offset = 0x500, .p_vaddr = 0, .p_filesz = 0x100, .p_memsz = 0x100 },
	{ .p_type = PT_LOAD, .p_offset = 0x600, .p_vaddr = 0x10000, .p_filesz = 0x100, .p_memsz = 0x10 },
};

static const struct {
	const char *what;
	uint64_t addr;
	size_t len, offset;		/* of the first byte in the file */
	size_t from_file;		/* bytes; zeroes from there on */
	int err;
} reads[] = {
	{ "nothing",				0x555, 0 },
	{ "a segment's first byte",		TEXT, 1, 0x1000, 1 },
	{ "a whole segment",			TEXT, 0x800, 0x1000, 0x800 },
	{ "across the border of two",		TEXT + 0x7f0, 0x20, 0x17f0, 0x20 },
	{ "into the tail that the file lacks",	TEXT + 0xff8, 0x10, 0x1ff8, 8 },
	{ "the tail",				TEXT + 0x1000, 0x800, 0, 0 },
	{ "two segments and the tail",		TEXT, 0x1800, 0x1000, 0x1000 },
	{ "beyond the tail",			TEXT + 0x17ff, 2, 0, 0, -EFAULT },
	{ "before the first byte",		TEXT - 1, 2, 0, 0, -EFAULT },
	{ "the last byte of a segment",		0xffff8880000000ffull, 1, 0x20ff, 1 },
	{ "into a gap",				0xffff8880000000ffull, 2, 0, 0, -EFAULT },
	{ "in a gap",				0xffff888000000100ull, 1, 0, 0, -EFAULT },
	{ "a note, which is no memory",		0x1000, 1, 0, 0, -EFAULT },
	{ "up to the last address",		-0x10ull, 0x10, 0x14f0, 0x10 },
	{ "over the last address",		-0x10ull, 0x11, 0, 0, -EFAULT },
	{ "all that there is and more",		TEXT, SIZE_MAX, 0, 0, -EFAULT },
	{ "up to the end of the file",		0xffff999000000000ull, 0x100, 0x2f00, 0x100 },
	{ "over the end of the file",		0xffff999000000000ull, 0x101, 0, 0, -EFAULT },
	{ "at no offset of a file",		0xffffaaa000000000ull, 1, 0, 0, -EFAULT },
	{ "address 0",				0, 4, 0x500, 4 },
	{ "a part that has no memory",		0x10010, 1, 0, 0, -EFAULT },
};

static bool is_right(const uint8_t *got, size_t i)
{
	for (size_t b = 0; b < reads[i].len; b++) {
		if (got[b] != (b < reads[i].from_file ? byte_at(reads[i].offset + b) : 0))
			return false;
	}
	return true;
}

static void test_reads(void)
{
	const char *path = make_file("core", make_elf(segments, ARRAY_SIZE(segments)), FILE_SIZE);
	struct diag diag = { 0 };
	static uint8_t got[0x2000];
	struct kmem *km;

	if (!CHECK(!kmem_open(path, KMEM_BPF, &km, &diag), "a core file, whatever the source says")) {
		printf("# %s\n", buf_str(&diag.msg));
		exit(1);
	}
	CHECK(!strcmp(kmem_name(km), path), "it is called %s", kmem_name(km));
	unlink(path);
	for (size_t i = 0; i < ARRAY_SIZE(reads); i++) {
		int err;

		memset(got, 0xee, sizeof(got));
		err = kmem_read(km, reads[i].addr, got, reads[i].len);
		CHECK(err == reads[i].err, "read %s: %d", reads[i].what, err);
		CHECK(err || is_right(got, i), "... the right bytes");
	}
	kmem_close(km);
	diag_fini(&diag);
}

/* Opening @path fails with @err and says @words; the notes have @help. */
static void refused(const char *what, const char *path, int err, const char *words, const char *help)
{
	struct kmem *km = (void *)1;
	struct diag diag = { 0 };
	int got = kmem_open(path, KMEM_ANY, &km, &diag);

	CHECK(got == err && diag.err == err, "%s: %d, not %d", what, got, err);
	CHECK(km == (void *)1, "... leaves the output alone");
	CHECK(strstr(buf_str(&diag.msg), words), "... '%s'", buf_str(&diag.msg));
	CHECK(strstr(buf_str(&diag.msg), path), "... with its name");
	CHECK(!*help || strstr(buf_str(&diag.notes), help), "... and help: '%s'", help);
	diag_fini(&diag);
}

static void test_other_machines(void)
{
	uint8_t *image = make_elf(segments, ARRAY_SIZE(segments));
	Elf64_Ehdr *ehdr = (void *)image;
	Elf32_Ehdr i386 = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS32, ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_CORE, .e_machine = EM_386, .e_version = EV_CURRENT, .e_ehsize = sizeof(i386),
	};

	refused("32 bits", make_file("i386", &i386, sizeof(i386)), -ENOEXEC, "another machine (32 bits", "");
	i386.e_machine = EM_X86_64;
	refused("32 bits of x86-64", make_file("x32", &i386, sizeof(i386)), -ENOEXEC, "another machine (32 bits", "");
	ehdr->e_machine = EM_AARCH64;
	refused("arm64", make_file("arm64", image, FILE_SIZE), -ENOEXEC, "another machine (64 bits", "");
}

static void test_broken(void)
{
	static const Elf64_Phdr note = { .p_type = PT_NOTE, .p_offset = 0x400, .p_filesz = 16, .p_memsz = 16 };
	uint8_t *image = make_elf(segments, ARRAY_SIZE(segments));

	refused("cut off in its program headers", make_file("cut", image, 200), -EBADMSG, "cut off", "");
	refused("cut off before them", make_file("cut", image, sizeof(Elf64_Ehdr)), -EBADMSG, "cut off", "");
	refused("cut off in its first header", make_file("cut", image, 40), -ENOEXEC, "", "");
	refused("four bytes", make_file("cut", image, 4), -ENOEXEC, "", "");
	refused("an empty file", make_file("empty", "", 0), -ENOEXEC, "not an ELF file", "vmlinux");
	refused("text", make_file("text", "#!/bin/sh\necho\n", 15), -ENOEXEC, "not an ELF file", "vmlinux");
	refused("a directory", dir, -ENOEXEC, "not an ELF file", "vmlinux");
	refused("no file", "/nonexistent/vmcore", -ENOENT, "No such file", "");
	refused("notes only", make_file("notes", make_elf(&note, 1), FILE_SIZE), -ENOEXEC, "holds no memory",
		"core dump");
	refused("no program headers", make_file("none", make_elf(NULL, 0), FILE_SIZE), -ENOEXEC,
		"holds no memory", "core dump");
	kmem_close(NULL);
}

/* The test's own program is an ELF file like a vmlinux: its text is here to compare. */
static void test_program(void)
{
	struct diag diag = { 0 };
	struct kmem *km;
	uint8_t magic[4];

	if (CHECK(!kmem_open("/proc/self/exe", KMEM_ANY, &km, &diag), "a program is read by its segments")) {
		CHECK(!kmem_read(km, 0, magic, sizeof(magic)) && !memcmp(magic, ELFMAG, SELFMAG),
		      "... its first segment holds the header");
		kmem_close(km);
	}
	diag_fini(&diag);
}

int main(void)
{
	char command[60];

	if (!mkdtemp(dir)) {
		perror(dir);
		return 1;
	}
	test_reads();
	test_other_machines();
	test_broken();
	test_program();
	snprintf(command, sizeof(command), "rm -r %s", dir);
	if (system(command))
		perror(dir);
	return tap_done();
}
