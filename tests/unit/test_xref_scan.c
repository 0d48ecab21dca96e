// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_xref_scan.c - references to a function, in a kernel that the test makes: a few pages
 * in an ELF file, and a table of symbols for it.
 */
#include <elf.h>
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buf.h"
#include "kernel/mem/kmem.h"
#include "kernel/syms/ksyms.h"
#include "kernel/xref/xref.h"
#include "tap.h"

#define BYTES(s)	s, sizeof(s) - 1

/* ---- the kernel ---- */
enum { TEXT_SIZE = 0x90000, PIECE = 256 << 10 };

#define TEXT		0xffffffff81000000ul
#define RODATA		(TEXT + 0x100000)
#define DATA		(TEXT + 0x200000)
#define INIT		(DATA + 0x2000)
#define INIT_END	(DATA + 0x3000)
#define BSS_END		(DATA + 0x3800)
#define END		(DATA + 0x4000)
#define MODULE		(TEXT + 0x20000000)

/* The function is after the border of the first piece. */
#define FUNC_AT		(TEXT + PIECE + 0x1000)
#define AFTER		(FUNC_AT + 0x40)

/* What xref_scan() reads, as an ELF file. */
struct image {
	uint8_t text[TEXT_SIZE], rodata[0x1000], data[0x4000], module[0x1000];
};

static int image_file(const struct image *im, struct buf *ret_path)
{
	const struct { uint64_t addr; const uint8_t *bytes; size_t len; } part[] = {
		{ TEXT, im->text, sizeof(im->text) }, { RODATA, im->rodata, sizeof(im->rodata) },
		{ DATA, im->data, sizeof(im->data) }, { MODULE, im->module, sizeof(im->module) },
	};
	Elf64_Ehdr eh = { .e_ident = ELFMAG, .e_type = ET_CORE, .e_machine = EM_X86_64, .e_version = 1,
		.e_phoff = sizeof(eh), .e_ehsize = sizeof(eh), .e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = ARRAY_SIZE(part) };
	uint64_t off = sizeof(eh) + sizeof(Elf64_Phdr) * ARRAY_SIZE(part);
	int fd = memfd_create("image", MFD_CLOEXEC);
	struct buf file = { 0 };

	eh.e_ident[EI_CLASS] = ELFCLASS64;
	eh.e_ident[EI_DATA] = ELFDATA2LSB;
	eh.e_ident[EI_VERSION] = EV_CURRENT;
	buf_add(&file, &eh, sizeof(eh));
	for (size_t i = 0; i < ARRAY_SIZE(part); off += part[i++].len) {
		Elf64_Phdr ph = { .p_type = PT_LOAD, .p_offset = off, .p_vaddr = part[i].addr,
			.p_filesz = part[i].len, .p_memsz = part[i].len };

		buf_add(&file, &ph, sizeof(ph));
	}
	for (size_t i = 0; i < ARRAY_SIZE(part); i++)
		buf_add(&file, part[i].bytes, part[i].len);
	if (write(fd, file.data, file.len) != (ssize_t)file.len)
		abort();
	buf_fini(&file);
	buf_addf(ret_path, "/proc/self/fd/%d", fd);
	return fd;
}

/* Its kallsyms; @left_out: a symbol that is not listed. */
static int symbols_file(const char *left_out, struct buf *ret_path)
{
	static const struct { uint64_t addr; char type; const char *name; } sym[] = {
		{ TEXT, 'T', "_stext" }, { FUNC_AT - 0x50, 't', "before" },
		{ FUNC_AT - 16, 't', "__pfx_func" }, { FUNC_AT, 't', "func" },
		{ FUNC_AT + 0x40, 't', "after" }, { FUNC_AT + 0x80, 't', "rest" },
		{ TEXT + TEXT_SIZE, 'T', "_etext" }, { RODATA, 'D', "__start_rodata" },
		{ RODATA + 0x101, 'D', "__start_orc_unwind_ip" },
		{ RODATA + 0x1ff, 'D', "__stop_orc_unwind_ip" },
		{ RODATA + 0x300, 'D', "kallsyms_offsets" }, { RODATA + 0x400, 'D', "behind" },
		{ RODATA + 0x1000, 'D', "__end_rodata" }, { DATA, 'D', "_sdata" },
		{ INIT, 'D', "__init_begin" }, { INIT_END, 'D', "__init_end" }, { BSS_END, 'B', "__bss_stop" },
		{ END, 'B', "_end" },
	};
	int fd = memfd_create("symbols", MFD_CLOEXEC);
	struct buf text = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(sym); i++) {
		if (!left_out || strcmp(left_out, sym[i].name))
			buf_addf(&text, "%lx %c %s\n", sym[i].addr, sym[i].type, sym[i].name);
	}
	buf_addf(&text, "%lx t init\t[mod]\n", MODULE + 0x10);
	if (write(fd, text.data, text.len) != (ssize_t)text.len)
		abort();
	buf_fini(&text);
	buf_addf(ret_path, "/proc/self/fd/%d", fd);
	return fd;
}

/* Scans the image for a function, 64 bytes long; -errno, or *ret is what it found. */
static int scan_for(const struct image *im, uint64_t addr, const char *left_out, struct xref *ret)
{
	struct buf image = { 0 }, symbols = { 0 };
	int fd = image_file(im, &image), syms = symbols_file(left_out, &symbols), err;
	struct ksyms *ks = NULL;
	struct kmem *km = NULL;
	struct diag d = { 0 };

	*ret = (struct xref){ .addr = addr, .end = addr + 0x40 };
	err = ksyms_load(buf_str(&symbols), &ks, &d);
	if (!err)
		err = kmem_open(buf_str(&image), KMEM_ANY, &km, &d);
	if (!err)
		err = xref_scan(km, ks, ret, 1, &d);
	if (err)
		printf("# %s\n", buf_str(&d.msg));
	kmem_close(km);
	ksyms_close(ks);
	close(fd);
	close(syms);
	buf_fini(&image);
	buf_fini(&symbols);
	diag_fini(&d);
	return err;
}

static int scan(const struct image *im, struct xref *ret)
{
	return scan_for(im, FUNC_AT, NULL, ret);
}

/* Its text is int3s, and func is endbr64; ret. */
static struct image *new_image(void)
{
	struct image *im = calloc(1, sizeof(*im));

	memset(im->text, 0xcc, sizeof(im->text));
	memcpy(im->text + (FUNC_AT - TEXT), "\xf3\x0f\x1e\xfa\xc3", 5);
	return im;
}

static void put32(uint8_t *to, uint64_t value)
{
	uint32_t word = (uint32_t)value;

	memcpy(to, &word, sizeof(word));
}

/* Around the borders of pieces, a call at each place is found once. */
static void test_borders(void)
{
	static const uint64_t borders[] = { 0, PIECE, 2 * PIECE, TEXT_SIZE };
	struct xref ref;

	for (size_t b = 0; b < ARRAY_SIZE(borders); b++) {
		unsigned good = 0, tried = 0;

		for (int off = -8; off <= 8; off++) {
			uint64_t at = borders[b] + (uint64_t)off;
			struct image *im;

			if (at >= TEXT_SIZE || at + 5 > TEXT_SIZE)
				continue;
			im = new_image();
			im->text[at] = 0xe8;
			put32(im->text + at + 1, FUNC_AT + 4 - (TEXT + at + 5));
			tried++;
			good += !scan(im, &ref) && ref.branches == 1 && !ref.pointers;
			free(im);
		}
		CHECK(tried && good == tried, "calls around %#lx: %u of %u", (unsigned long)borders[b],
		      good, tried);
	}
}

static void test_regions(void)
{
	static const struct { const char *what; uint64_t addr; bool counts; } cases[] = {
		{ "rodata", RODATA + 8, true }, { "rodata before ORC", RODATA + 0xf8, true },
		{ "ORC", RODATA + 0x108, false }, { "ORC's end", RODATA + 0x1f0, false },
		{ "rodata behind ORC", RODATA + 0x200, true }, { "kallsyms", RODATA + 0x308, false },
		{ "rodata behind kallsyms", RODATA + 0x400, true },
		{ "rodata's end", RODATA + 0xff8, true }, { "data", DATA, true },
		{ "data's end", INIT - 8, true }, { "freed memory", INIT, false },
		{ "freed memory's end", INIT_END - 8, false }, { "bss", INIT_END, true },
		{ "bss' end", BSS_END - 8, true }, { "brk", BSS_END, false }, { "a module", MODULE + 0x100, true },
	};
	struct xref ref;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct image *im = new_image();
		uint8_t *to = cases[i].addr >= MODULE ? im->module + (cases[i].addr - MODULE) :
			cases[i].addr >= DATA ? im->data + (cases[i].addr - DATA) :
			im->rodata + (cases[i].addr - RODATA);
		uint64_t word = FUNC_AT;

		memcpy(to, &word, sizeof(word));
		CHECK(!scan(im, &ref) && ref.pointers == cases[i].counts && !ref.branches &&
		      ref.entry == ENTRY_PAD, "a pointer in %s %s", cases[i].what,
		      cases[i].counts ? "counts" : "does not");
		free(im);
	}
}

/* Jumps of two bytes from the neighbours, and code that continues into the next function. */
static void test_near(void)
{
	static const struct { const char *what; uint64_t to; int at; const char *bytes; size_t len; unsigned count; } cases[] = {
		{ "jmp rel8 from before", FUNC_AT, -0x50, BYTES("\x90\xeb\x4d"), 1 },
		{ "... behind the ENDBR", FUNC_AT, -0x50, BYTES("\x90\xeb\x51"), 1 },
		{ "... into it", FUNC_AT, -0x50, BYTES("\x90\xeb\x50"), 0 },
		{ "je rel8 from behind", FUNC_AT, 0x40, BYTES("\x74\xbe\xc3"), 1 },
		{ "its bytes in another instruction", FUNC_AT, 0x40, BYTES("\x48\xb8\x74\xbc\0\0\0\0\0\0\xc3"), 0 },
		{ "jmp rel8 from itself", FUNC_AT, 0x10, BYTES("\xeb\xee"), 0 },
		{ "code that runs on", AFTER, -8, BYTES("\x90\x90\x90\x90\x90\x90\x31\xc0"), 1 },
		{ "padding", AFTER, -8, BYTES("\x90\x90\x90\x90\x90\x90\x90\x90"), 0 },
		{ "a return and padding", AFTER, -11, BYTES("\xc3\x66\x90\x66\x66\x0f\x1f\x44\0\0\xcc"), 0 },
	};
	struct xref ref;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct image *im = new_image();

		memcpy(im->text + (cases[i].to - TEXT) + cases[i].at, cases[i].bytes, cases[i].len);
		CHECK(!scan_for(im, cases[i].to, NULL, &ref) && ref.branches == cases[i].count &&
		      !ref.pointers, "%s: %u", cases[i].what, ref.branches);
		free(im);
	}
}

/* The padding counts if calls lead there, and only at the thunk. */
static void test_padding(void)
{
	for (unsigned tracking = 0; tracking < 2; tracking++) {
		for (uint64_t distance = 9; distance <= 10; distance++) {
			struct image *im = new_image();
			struct xref ref;

			memset(im->text + (FUNC_AT - TEXT) - 16, 0x90, 16);
			if (tracking)
				memcpy(im->text + (FUNC_AT - TEXT) - 9, "\x65\x48\xc1\x3d\0\0\0\0\x05", 9);
			im->text[0x100] = 0xe8;
			put32(im->text + 0x101, FUNC_AT - distance - (TEXT + 0x105));
			CHECK(!scan(im, &ref) && ref.branches == (tracking && distance == 9),
			      "call depth tracking %s: a call %lu bytes before: %u",
			      tracking ? "on" : "off", (unsigned long)distance, ref.branches);
			free(im);
		}
	}
}

static void test_no_layout(void)
{
	static const char *const needed[] = { "_stext", "_etext", "__end_rodata", "_sdata", "__init_begin", "_end" };
	struct image *im = new_image();
	struct xref ref;

	for (size_t i = 0; i < ARRAY_SIZE(needed); i++)
		CHECK(scan_for(im, FUNC_AT, needed[i], &ref) == -EOPNOTSUPP, "nothing is said without %s", needed[i]);
	free(im);
}

int main(void)
{
	test_borders();
	test_regions();
	test_near();
	test_padding();
	test_no_layout();
	return tap_done();
}
