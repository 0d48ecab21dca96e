// SPDX-License-Identifier: GPL-2.0-only
/*
 * sweep.c - every instruction of a kernel: its length here, by objdump and by Zydis.
 *
 * objdump decodes a section from its start, one instruction after the other. At each
 * address that it lists, the other two are asked about the bytes in the ELF file.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "oracle.h"

struct image {
	const uint8_t *file;
	size_t size;
	const Elf64_Shdr *sections, *last;	/* @last: where the last address was */
	unsigned nr, shstrndx;
};

/* A disagreement between objdump and Zydis, by the bytes that either takes. */
struct known {
	char bytes[INSN_MAX * 3 + 1];
	char with[8];				/* "objdump" or "Zydis": whom insn.c agrees with */
	uint64_t seen;
};

struct tally {
	uint64_t lines, data, compared, bad, disagree, unknown;
	uint64_t not_objdump, not_zydis, flow, foreign;
	uint64_t of_section[128];
	struct known known[64];
	unsigned nr_known, shown;
};

static bool image_open(const char *path, struct image *img)
{
	auto_fd fd = open(path, O_RDONLY | O_CLOEXEC);
	const Elf64_Ehdr *head;
	struct stat st;
	void *map;

	if (fd < 0 || fstat(fd, &st))
		return false;
	map = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (map == MAP_FAILED)
		return false;
	head = map;
	img->file = map;
	img->size = st.st_size;
	img->sections = (const Elf64_Shdr *)(img->file + head->e_shoff);
	img->nr = head->e_shnum;
	img->shstrndx = head->e_shstrndx;
	return true;
}

/* The bytes at @addr of an executable section, and how many there are up to its end. */
static const uint8_t *image_at(struct image *img, uint64_t addr, size_t *ret_avail)
{
	const Elf64_Shdr *s = img->last;

	if (!s || addr - s->sh_addr >= s->sh_size)
		for (s = img->sections; s < img->sections + img->nr; s++)
			if (s->sh_flags & SHF_EXECINSTR && s->sh_type == SHT_PROGBITS &&
			    addr - s->sh_addr < s->sh_size)
				break;
	if (s == img->sections + img->nr)
		return NULL;
	img->last = s;
	*ret_avail = s->sh_size - (addr - s->sh_addr);
	return img->file + s->sh_offset + (addr - s->sh_addr);
}

static bool read_known(const char *path, struct tally *t)
{
	auto_file f = fopen(path, "re");
	char line[400];

	while (f && fgets(line, sizeof(line), f)) {
		struct known *k = &t->known[t->nr_known];
		char *tab = strchr(line, '\t'), *end = tab ? strchr(tab + 1, '\t') : NULL;

		if (line[0] == '#' || line[0] == '\n')
			continue;
		if (!end || tab - line >= (int)sizeof(k->bytes) ||
		    end - tab - 1 >= (int)sizeof(k->with) || t->nr_known == ARRAY_SIZE(t->known))
			return false;
		memcpy(k->bytes, line, tab - line);
		memcpy(k->with, tab + 1, end - tab - 1);
		t->nr_known++;
	}
	return f != NULL;
}

static struct known *find_known(struct tally *t, const char *bytes)
{
	for (unsigned i = 0; i < t->nr_known; i++)
		if (!strcmp(t->known[i].bytes, bytes))
			return &t->known[i];
	return NULL;
}

static void show(struct tally *t, const char *what, uint64_t addr, const uint8_t *bytes, int ours,
		 int objdumps, int zydis)
{
	char buf[INSN_MAX * 3 + 1];

	if (t->shown++ < 40)
		printf("# %s: %llx: %s: %d here, %d by objdump, %d by Zydis\n", what,
		       (unsigned long long)addr, hex(bytes, MAX(MAX(ours, objdumps), MAX(zydis, 1)), buf),
		       ours, objdumps, zydis);
}

static int hex_digit(char ch)
{
	return ch >= '0' && ch <= '9' ? ch - '0' : ch >= 'a' && ch <= 'f' ? ch - 'a' + 10 : -1;
}

/* "ffffffff81000000:\t48 89 f7 \tmov ...": the address, the bytes, and where the text is. */
static int parse_line(const char *line, uint64_t *ret_addr, uint8_t *ret_bytes,
		      const char **ret_text)
{
	uint64_t addr = 0;
	int len = 0;

	while (*line == ' ')
		line++;
	if (hex_digit(*line) < 0)
		return 0;
	for (; hex_digit(*line) >= 0; line++)
		addr = addr << 4 | hex_digit(*line);
	if (line[0] != ':' || line[1] != '\t')
		return 0;
	for (line += 2; hex_digit(line[0]) >= 0 && hex_digit(line[1]) >= 0 && len < 32; line += 3)
		ret_bytes[len++] = hex_digit(line[0]) << 4 | hex_digit(line[1]);
	*ret_addr = addr;
	*ret_text = line + strcspn(line, "\t\n");
	return len;
}

/* objdump and Zydis agree, or it is a known case and insn.c agrees with the one named there. */
static void judge(struct tally *t, uint64_t addr, const uint8_t *bytes, int ours, int objdumps,
		  const struct answer *zydis)
{
	char buf[INSN_MAX * 3 + 1];
	struct known *k;

	if (zydis->len == objdumps) {
		if (ours != objdumps) {
			t->not_objdump++;
			t->not_zydis++;
			show(t, "length", addr, bytes, ours, objdumps, zydis->len);
		}
		return;
	}
	t->disagree++;
	k = find_known(t, hex(bytes, MAX(objdumps, zydis->len), buf));
	if (k && ours == (k->with[0] == 'o' ? objdumps : zydis->len)) {
		k->seen++;
		return;
	}
	t->unknown++;
	t->not_objdump += ours != objdumps;
	t->not_zydis += ours != zydis->len;
	show(t, "length", addr, bytes, ours, objdumps, zydis->len);
}

static void sweep_line(struct image *img, struct tally *t, const char *line)
{
	uint8_t listed[32];
	const uint8_t *bytes;
	const char *text;
	struct answer zydis;
	struct insn insn = { 0 };
	size_t avail;
	uint64_t addr;
	int len = parse_line(line, &addr, listed, &text), ours;

	if (!len)
		return;
	t->lines++;
	bytes = image_at(img, addr, &avail);
	if (img->last && img->last->sh_flags & SHF_WRITE) {
		t->data++;
		return;
	}
	if (!bytes || avail < (size_t)len || memcmp(bytes, listed, len)) {
		t->foreign++;
		return;
	}
	ours = insn_decode(bytes, avail, &insn);
	zydis = oracle_ask(bytes, avail);
	if (strstr(text, "(bad)") || strstr(text, ".byte")) {
		t->bad++;
		show(t, "(bad)", addr, bytes, ours, len, zydis.len);
		return;
	}
	t->compared++;
	if ((size_t)(img->last - img->sections) < ARRAY_SIZE(t->of_section))
		t->of_section[img->last - img->sections]++;
	judge(t, addr, bytes, ours, len, &zydis);
	if (ours > 0 && zydis.len == ours && !same_flow(&insn, &zydis.insn)) {
		t->flow++;
		show(t, "flow", addr, bytes, ours, len, zydis.len);
	}
}

static void print_tally(const struct image *img, const struct tally *t)
{
	const char *names = (const char *)img->file + img->sections[img->shstrndx].sh_offset;

	for (unsigned i = 0; i < img->nr && i < ARRAY_SIZE(t->of_section); i++)
		if (t->of_section[i])
			printf("# %s: %llu\n", names + img->sections[i].sh_name,
			       (unsigned long long)t->of_section[i]);
	for (unsigned i = 0; i < t->nr_known; i++)
		if (t->known[i].seen)
			printf("# known, as %s: %s: %llu times\n", t->known[i].with, t->known[i].bytes,
			       (unsigned long long)t->known[i].seen);
	printf("# %llu lines of objdump: %llu '(bad)', and %llu of sections that are writable as well\n",
	       (unsigned long long)t->lines, (unsigned long long)t->bad, (unsigned long long)t->data);
}

int sweep(const char *name, const char *path, const char *known)
{
	static struct tally t;
	struct image img = { 0 };
	auto_free char *line = NULL;
	size_t size = 0;
	bool good;

	if (!image_open(path, &img))
		return !result(false, "%s: cannot map %s: %s", name, path, strerror(errno));
	if (!read_known(known, &t))
		return !result(false, "cannot make sense of %s", known);
	while (getline(&line, &size, stdin) > 0)
		sweep_line(&img, &t, line);
	print_tally(&img, &t);
	good = result(t.lines && !t.foreign, "%s: %llu lines, %llu of other bytes than the file's", name,
		      (unsigned long long)t.lines, (unsigned long long)t.foreign);
	good &= result(t.compared && !t.not_objdump, "%s: %llu lengths, %llu unlike objdump's", name,
		       (unsigned long long)t.compared, (unsigned long long)t.not_objdump);
	good &= result(t.compared && !t.not_zydis, "%s: %llu lengths, %llu unlike Zydis's", name,
		       (unsigned long long)t.compared, (unsigned long long)t.not_zydis);
	good &= result(t.compared && !t.flow, "%s: %llu flows and targets, %llu unlike Zydis's", name,
		       (unsigned long long)t.compared, (unsigned long long)t.flow);
	good &= result(!t.unknown,
		       "%s: objdump and Zydis disagree %llu times, %llu of them not as in %s", name,
		       (unsigned long long)t.disagree, (unsigned long long)t.unknown, known);
	return !good;
}
