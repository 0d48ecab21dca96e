/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * packed_tables.h - small packed symbol tables, as the kernel keeps them, in a core file. test_packed reads them, fuzz_packed damages them.
 */
#ifndef PACKED_TABLES_H
#define PACKED_TABLES_H

#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buf.h"
#include "kernel/mem/kmem.h"
#include "kernel/syms/ksyms_packed.h"

#define BASE	0xffffffff81000000ull
#define DATA	0xffffffff82000000ull		/* where the tables are */

enum { SYMS = 300, AREA = 1 << 16, LONG = 200 };

enum kind { PERCPU_612, BASE_615, PLACE_72, KINDS };

struct symbol {
	char name[256];
	uint64_t addr;
};

static struct symbol syms[SYMS];
static uint8_t area[AREA];
static size_t used;

static uint64_t put(const void *bytes, size_t len, size_t align)
{
	size_t at = used = (used + align - 1) & ~(align - 1);

	memcpy(area + at, bytes, len);
	used += len;
	return DATA + at;
}

/* Markers and names that only begin like one, in all the ways in which tokens make them up; names with a dot. */
static const char *const like_markers[] = {
	"t__pfx_a", "T__pfx_b", "T__cfi_xy", "W__cfi_c", "w_cfi_d", "t__pfy", "T__pf", "t_", "t__", "d__pfx_e",
	"tpart.cold", "Tpart.isra.0", "t.x", "ddata.0",
};

enum { LIKE_MARKERS = 20 };	/* the first of them */

/* The first is the type. Symbol 5 and 250 have one name, symbol 7 a long one, 9 and 10 one address. */
static void make_symbols(enum kind kind)
{
	for (size_t i = 0; i < SYMS; i++) {
		struct symbol *s = &syms[i];

		snprintf(s->name, sizeof(s->name), "%csys_%zu_ro%c", i % 3 ? 'T' : 'd', i * 7919 % 1000, (char)('a' + i % 26));
		s->addr = kind == PERCPU_612 && i < 2 ? 0x1000 * i : BASE + 0x40 * (i - (i == 10));
	}
	snprintf(syms[2].name, sizeof(syms[2].name), "T_stext");
	snprintf(syms[5].name, sizeof(syms[5].name), "ttwice");
	snprintf(syms[250].name, sizeof(syms[250].name), "dtwice");
	for (size_t i = 0; i < ARRAY_SIZE(like_markers); i++)
		snprintf(syms[LIKE_MARKERS + i].name, sizeof(syms[0].name), "%s", like_markers[i]);
	memset(syms[7].name, 'x', LONG);
	syms[7].name[0] = 't';
	syms[7].name[LONG] = '\0';
}

static const char *const tokens[] = { [1] = "sys_", [2] = "ro", [3] = "Tsys_", [4] = "_",
					[5] = "__pfx_", [6] = "t__p", [7] = "T__cfi_x", [8] = "rt.co" };

static const char *token(unsigned t, char text[2])
{
	text[0] = (char)t;
	text[1] = '\0';
	return t < ARRAY_SIZE(tokens) ? (tokens[t] ? tokens[t] : "") : t >= 128 ? "" : text;
}

/* As many tokens as fit at each place, longest first. */
static size_t pack(const char *name, uint8_t *to)
{
	size_t nr = 0;

	while (*name) {
		static const unsigned order[] = { 3, 1, 2, 5, 6, 7, 8 };
		unsigned best = (unsigned char)*name;

		for (size_t k = 0; k < ARRAY_SIZE(order); k++) {
			if (!strncmp(name, tokens[order[k]], strlen(tokens[order[k]]))) {
				best = order[k];
				break;
			}
		}
		to[nr++] = (uint8_t)best;
		name += best < ARRAY_SIZE(tokens) ? strlen(tokens[best]) : 1;
	}
	return nr;
}

static int by_name(const void *a, const void *b)
{
	unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
	int order = strcmp(syms[x].name + 1, syms[y].name + 1);

	return order ? order : (int)x - (int)y;
}

static void put_names(struct buf *note, bool markers)
{
	uint32_t marker[(SYMS + 255) / 256], nr = SYMS, off = 0;
	struct buf names = { 0 };

	for (size_t i = 0; i < SYMS; i++) {
		uint8_t packed[300];
		size_t len = pack(syms[i].name, packed);

		if (!(i % 256))
			marker[i / 256] = (uint32_t)names.len;
		if (len < 128) {
			buf_addc(&names, (char)len);
		} else {
			buf_addc(&names, (char)(0x80 | (len & 0x7f)));
			buf_addc(&names, (char)(len >> 7));
		}
		buf_add(&names, packed, len);
	}
	(void)off;
	buf_addf(note, "SYMBOL(kallsyms_num_syms)=%llx\n", (unsigned long long)put(&nr, sizeof(nr), 8));
	buf_addf(note, "SYMBOL(kallsyms_names)=%llx\n", (unsigned long long)put(names.data, names.len, 8));
	if (!markers)
		memset(marker, 0xff, sizeof(marker));
	put(marker, sizeof(marker), 8);
	buf_fini(&names);
}

static void put_tokens(struct buf *note)
{
	uint16_t index[256];
	struct buf table = { 0 };

	for (unsigned t = 0; t < 256; t++) {
		char text[2];
		const char *s = token(t, text);

		index[t] = (uint16_t)table.len;
		buf_add(&table, s, strlen(s) + 1);
	}
	buf_addf(note, "SYMBOL(kallsyms_token_table)=%llx\n", (unsigned long long)put(table.data, table.len, 8));
	buf_addf(note, "SYMBOL(kallsyms_token_index)=%llx\n", (unsigned long long)put(index, sizeof(index), 8));
	buf_fini(&table);
}

static void put_offsets(struct buf *note, enum kind kind, bool seqs)
{
	uint64_t at = DATA + ((used + 7) & ~7ull), base = BASE;
	unsigned order[SYMS];
	int32_t off[SYMS];

	for (unsigned i = 0; i < SYMS; i++) {
		order[i] = i;
		if (kind == PERCPU_612)
			off[i] = syms[i].addr < BASE ? (int32_t)syms[i].addr : (int32_t)(base - 1 - syms[i].addr);
		else
			off[i] = (int32_t)(syms[i].addr - (kind == BASE_615 ? base : at + 4ull * i));
	}
	put(off, sizeof(off), 8);
	buf_addf(note, "SYMBOL(kallsyms_offsets)=%llx\n", (unsigned long long)at);
	if (kind != PLACE_72)
		buf_addf(note, "SYMBOL(kallsyms_relative_base)=%llx\n", (unsigned long long)put(&base, sizeof(base), 8));
	qsort(order, SYMS, sizeof(*order), by_name);
	for (unsigned i = 0; i < SYMS && seqs; i++) {
		uint8_t three[] = { (uint8_t)(order[i] >> 16), (uint8_t)(order[i] >> 8), (uint8_t)order[i] };

		put(three, sizeof(three), i ? 1 : 4);
	}
}

/* A core file with one note and the tables; its path. */
static int make_core(const struct buf *note, struct buf *path)
{
	int fd = memfd_create("core", MFD_CLOEXEC);
	Elf64_Ehdr eh = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
			  .e_type = ET_CORE, .e_machine = EM_X86_64, .e_version = EV_CURRENT, .e_phoff = sizeof(eh),
			  .e_ehsize = sizeof(eh), .e_phentsize = sizeof(Elf64_Phdr), .e_phnum = 2 };
	Elf64_Nhdr nh = { .n_namesz = 11, .n_descsz = (uint32_t)note->len };
	size_t note_len = sizeof(nh) + 12 + ((note->len + 3) & ~3ull);
	Elf64_Phdr ph[] = {
		{ .p_type = PT_NOTE, .p_offset = 4096, .p_filesz = note_len },
		{ .p_type = PT_LOAD, .p_offset = 16384, .p_vaddr = DATA, .p_filesz = AREA, .p_memsz = AREA },
	};

	if (pwrite(fd, &eh, sizeof(eh), 0) < 0 || pwrite(fd, ph, sizeof(ph), sizeof(eh)) < 0 ||
	    pwrite(fd, &nh, sizeof(nh), 4096) < 0 || pwrite(fd, "VMCOREINFO\0", 12, 4096 + sizeof(nh)) < 0 ||
	    pwrite(fd, note->data, note->len, 4096 + sizeof(nh) + 12) < 0 || pwrite(fd, area, AREA, 16384) < 0)
		exit(1);
	buf_addf(path, "/proc/self/fd/%d", fd);
	return fd;
}

static struct kpacked *open_tables(enum kind kind, bool markers, bool seqs, uint64_t stext, struct kmem **ret)
{
	struct buf note = { 0 }, path = { 0 };
	struct diag diag = { 0 };
	struct kpacked *kp = NULL;
	int fd;

	used = 0;
	memset(area, 0, sizeof(area));
	make_symbols(kind);
	buf_addf(&note, "OSRELEASE=6.12\nSYMBOL(_stext)=%llx\n", (unsigned long long)stext);
	put_names(&note, markers);
	put_tokens(&note);
	put_offsets(&note, kind, seqs);
	fd = make_core(&note, &path);
	if (!kmem_open(buf_str(&path), KMEM_ANY, ret, &diag))
		kp = kpacked_open(*ret);
	close(fd);
	buf_fini(&note);
	buf_fini(&path);
	diag_fini(&diag);
	return kp;
}

#endif
