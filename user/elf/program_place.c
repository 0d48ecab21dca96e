// SPDX-License-Identifier: GPL-2.0-only
/*
 * program_place.c - what is at a place of a program, and whether a probe can be there.
 *
 * The bytes are the file's: the kernel decides by them, too, and a breakpoint of another user probe is only in memory.
 */
#include <errno.h>
#include <inttypes.h>
#include <unistd.h>

#include "arch/insn.h"
#include "arch/kernel.h"
#include "arch/text.h"
#include "arch/user.h"
#include "base/macros.h"
#include "elf/program_priv.h"

/* ---- what is there ---- */

static struct elf_symbols *by_addr(struct program *p)
{
	struct program_symbols *s = program_symbols(p);

	if (!s->by_addr && !elf_symbols_of(p->file, &s->by_addr) && s->debug)
		elf_symbols_add_file(s->by_addr, s->debug);
	return s->by_addr;
}

/* What @find says of the byte at @off, whose address becomes *ret_addr. */
static const struct elf_symbol *symbol_by(struct program *p, const struct elf_symbol *(*find)(struct elf_symbols *, uint64_t), uint64_t off,
					  uint64_t *ret_addr)
{
	struct elf_symbols *s = by_addr(p);

	return s && elf_file_addr(p->file, off, ret_addr) ? find(s, *ret_addr) : NULL;
}

bool program_symbol_at(struct program *p, uint64_t off, struct program_place *ret)
{
	uint64_t addr;
	const struct elf_symbol *symbol = symbol_by(p, elf_symbols_find, off, &addr);

	if (!symbol)
		return false;
	*ret = (struct program_place){ symbol->name, symbol->addr, addr - symbol->addr, symbol->size };
	return true;
}

/* ---- instructions ---- */

enum { PAGE = 4096 };

/* The bytes of a segment of the file, a window of them at a time. */
struct code {
	int fd;
	uint64_t end;			/* of the segment in the file */
	uint64_t off;			/* of the window */
	size_t len;
	uint8_t bytes[4096];
};

/* The bytes at @off: at least INSN_MAX, or all up to the end of the segment. NULL: the file has none there. */
static const uint8_t *bytes_at(struct code *c, uint64_t off, size_t *ret_len)
{
	if (off < c->off || off + INSN_MAX > c->off + c->len) {
		size_t want = (size_t)MIN(c->end - off, (uint64_t)sizeof(c->bytes));
		ssize_t n = pread(c->fd, c->bytes, want, (off_t)off);

		c->off = off;
		c->len = n > 0 ? (size_t)n : 0;
	}
	*ret_len = c->len - (size_t)(off - c->off);
	return *ret_len ? c->bytes + (off - c->off) : NULL;
}

struct insn_place {
	uint64_t off;			/* in the file */
	uint8_t bytes[INSN_MAX];
	unsigned len;			/* 0: there is none */
};

static bool decode_at(struct code *c, uint64_t off, struct insn_place *ret)
{
	size_t avail = 0;
	const uint8_t *bytes = off < c->end ? bytes_at(c, off, &avail) : NULL;
	struct insn insn;

	*ret = (struct insn_place){ .off = off };
	if (!bytes || insn_decode(bytes, avail, &insn) <= 0)
		return false;
	ret->len = insn.len;
	memcpy(ret->bytes, bytes, insn.len);
	return true;
}

const struct elf_segment *program_code(const struct program *p, uint64_t off)
{
	unsigned nr;
	const struct elf_segment *all = elf_file_segments(p->file, &nr);

	for (unsigned i = 0; i < nr; i++) {
		if (off - all[i].off < all[i].size && all[i].exec)
			return &all[i];
	}
	return NULL;
}

/* ---- refusing ---- */

/* "main+4", "offset 0x1234" */
static const char *place_text(struct program *p, uint64_t off)
{
	struct program_place place;

	if (!program_symbol_at(p, off, &place))
		return arena_printf(p->arena, "offset 0x%" PRIx64, off);
	return place.off ? arena_printf(p->arena, "%s+%" PRIu64, place.name, place.off) : place.name;
}

static void note_insn(struct program *p, const struct insn_place *i, uint64_t inside, struct diag *diag)
{
	struct buf line = { 0 };

	if (!i->len)
		return;
	buf_addf(&line, "%-20s", place_text(p, i->off));
	for (unsigned n = 0; n < i->len; n++)
		buf_addf(&line, " %02x", i->bytes[n]);
	if (inside)
		buf_addf(&line, "    <- +%" PRIu64 " of it is meant", inside - i->off);
	diag_note(diag, "%s", buf_str(&line));
	buf_fini(&line);
}

static int refuse_inside(struct program *p, struct code *c, uint64_t off, const struct insn_place *before, const struct insn_place *at,
			 struct diag *diag)
{
	int err = diag_set(diag, -EILSEQ, "%s of %s is inside an instruction", place_text(p, off), p->shown);
	struct insn_place after;

	decode_at(c, at->off + at->len, &after);
	note_insn(p, before, 0, diag);
	note_insn(p, at, off, diag);
	note_insn(p, &after, 0, diag);
	if (after.len)
		diag_note(diag, "help: nearest: %s, %s", place_text(p, at->off), place_text(p, after.off));
	else
		diag_note(diag, "help: nearest: %s", place_text(p, at->off));
	return err;
}

static int refuse_data(struct program *p, uint64_t off, struct diag *diag)
{
	int err;
	uint64_t addr;

	if (elf_file_addr(p->file, off, &addr))
		return diag_set(diag, -EINVAL, "%s of %s is data, and only code can be probed", place_text(p, off), p->shown);
	err = diag_set(diag, -EINVAL, "offset 0x%" PRIx64 " of %s is no code", off, p->shown);
	/* The same number may be an address: it is in files that are linked to a fixed one. */
	if (elf_file_off(p->file, off, &addr) && program_code(p, addr))
		diag_note(diag, "help: if it is an address: its offset in the file is 0x%" PRIx64, addr);
	return err;
}

/* The kernel's own reasons. */
static int check_insn(struct program *p, struct code *c, uint64_t off, struct diag *diag)
{
	struct insn_place at;
	const char *reason = decode_at(c, off, &at) ? user_probe_refusal(at.bytes, at.len) : NULL;
	int err;

	if (!reason)
		return 0;
	err = diag_set(diag, -EOPNOTSUPP, "the kernel cannot probe the instruction at %s of %s: %s", place_text(p, off), p->shown, reason);
	note_insn(p, &at, 0, diag);
	diag_note(diag, "help: probe the instruction before or behind it");
	return err;
}

/* ---- asking ---- */

/* Decodes from @start to @off. 0, or -EILSEQ; *ret_doubt: it is not known. */
static int walk(struct program *p, struct code *c, uint64_t start, uint64_t off, const char **ret_doubt, struct diag *diag)
{
	struct insn_place before = { .len = 0 }, at;

	for (uint64_t i = start; i < off; i += at.len, before = at) {
		if (!decode_at(c, i, &at)) {
			*ret_doubt = arena_printf(p->arena, "the bytes at %s are not an instruction", place_text(p, i));
			return 0;
		}
		if (off - i < at.len)
			return refuse_inside(p, c, off, &before, &at, diag);
	}
	return 0;
}

int program_boundary(struct program *p, uint64_t off, const char **ret_doubt, struct diag *diag)
{
	const struct elf_segment *segment = program_code(p, off);
	struct code c = { .fd = p->fd };
	struct program_place place = { 0 };
	int err;

	*ret_doubt = NULL;
	if (!segment)
		return refuse_data(p, off, diag);
	c.end = segment->off + segment->size;
	if (!program_symbol_at(p, off, &place))
		*ret_doubt = arena_printf(p->arena, "no function is known at offset 0x%" PRIx64,
					  off);
	else if (place.off > off - segment->off)
		*ret_doubt = arena_printf(p->arena, "%s begins outside of the code", place.name);
	err = *ret_doubt ? 0 : walk(p, &c, off - place.off, off, ret_doubt, diag);
	return err ? err : check_insn(p, &c, off, diag);
}

bool program_first_place(struct program *p, uint64_t entry, uint64_t *ret)
{
	enum { FAR = 64 };
	const struct elf_segment *segment = program_code(p, entry);
	struct code c = { .fd = p->fd, .end = segment ? segment->off + segment->size : 0 };
	struct insn_place at = { .off = entry };
	uint64_t off = entry;

	while (off < entry + FAR && decode_at(&c, off, &at)) {
		if (!user_probe_refusal(at.bytes, at.len)) {
			*ret = off;
			return true;
		}
		off += at.len;
	}
	return false;
}

/* ---- instructions in whose place the kernel puts a call ---- */

/* A function, by offsets in the file. */
struct span_of_code {
	uint64_t from, to;
};

static bool function_around(struct program *p, uint64_t off, struct span_of_code *ret)
{
	uint64_t addr;
	const struct elf_symbol *symbol = symbol_by(p, elf_symbols_around, off, &addr);

	if (symbol)
		*ret = (struct span_of_code){ off - (addr - symbol->addr), off - (addr - symbol->addr) + symbol->size };
	return symbol;
}

/* The first instruction of a function, or the one behind its landing pad. */
static bool is_entry(struct code *c, uint64_t off, const struct span_of_code *f)
{
	struct insn_place first;

	if (off == f->from)
		return true;
	return off == f->from + ENTRY_PAD_SIZE && decode_at(c, f->from, &first) && first.len == ENTRY_PAD_SIZE &&
	       text_entry(first.bytes) == ENTRY_PAD;
}

/* Can anything in the function lead to its place @to, but the instruction in front of it? Jumps by a table may lead anywhere. */
static bool is_target(struct code *c, const struct span_of_code *f, uint64_t to)
{
	struct insn_place at;
	struct insn insn;

	for (uint64_t i = f->from; i < f->to; i += at.len) {
		if (!decode_at(c, i, &at) || insn_decode(at.bytes, at.len, &insn) <= 0 || insn.flow == INSN_JMP_INDIRECT)
			return true;
		if ((insn.flow == INSN_JMP || insn.flow == INSN_JCC) && i + at.len + (uint64_t)(int64_t)insn.rel == to)
			return true;
	}
	return false;
}

bool program_call_damages(struct program *p, uint64_t off, uint64_t *ret_next, bool *ret_alone)
{
	const struct elf_segment *segment = program_code(p, off);
	struct code c = { .fd = p->fd, .end = segment ? segment->off + segment->size : 0 };
	struct span_of_code f;
	struct insn_place at;
	bool known;

	/* The kernel leaves one alone that is in two pages: it could not replace it at once. */
	if (!segment || !decode_at(&c, off, &at) || !user_probe_may_call(at.bytes, at.len) || off % PAGE + at.len > PAGE)
		return false;
	known = function_around(p, off, &f);
	if (known && is_entry(&c, off, &f))
		return false;
	*ret_next = off + at.len;
	*ret_alone = known && f.to > *ret_next && !is_target(&c, &f, *ret_next);
	return true;
}
