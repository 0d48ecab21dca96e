// SPDX-License-Identifier: GPL-2.0-only
/*
 * locations.c - where a variable is at an address.
 *
 * DWARF says for each address: in a register, in memory behind a register, at an address, or that it is a constant.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "arch/text.h"
#include "arch/user.h"
#include "elf/dwarf/values_priv.h"

static bool take_ops(struct look *l, Dwarf_Attribute *attr, const Dwarf_Op *ops, size_t nr, struct value *v, unsigned depth);

/* The frame base: usually the address of the caller's frame, which the frame information has for this address. */
static bool take_frame(struct look *l, struct value *v, unsigned depth)
{
	Dwarf_Attribute attr;
	Dwarf_Die function = l->spot->function;
	Dwarf_Op *ops;
	size_t nr;

	if (!dwarf_attr_integrate(&function, DW_AT_frame_base, &attr) || dwarf_getlocation_addr(&attr, l->spot->addr, &ops, &nr, 1) != 1)
		return look_fails(l, "the debug information does not say where its function's frame is here");
	if (!take_ops(l, &attr, ops, nr, v, depth + 1))
		return false;
	if (v->where == IN_MEMORY)		/* an address was calculated */
		v->where = IN_REGISTER;
	return true;
}

static bool take_cfa(struct look *l, struct value *v, unsigned depth)
{
	Dwarf_Addr end;
	Dwarf_Frame *frame = debug_frame_at(l->d, l->spot->addr, &end);
	Dwarf_Op *ops;
	size_t nr;
	bool ok;

	if (!frame)
		return look_fails(l, "there is no frame information for this place");
	ok = !dwarf_frame_cfa(frame, &ops, &nr) && take_ops(l, NULL, ops, nr, v, depth + 1);
	free(frame);
	if (!ok)
		return look_fails(l, "its place in the frame cannot be written as a register and an offset");
	if (v->where == IN_MEMORY)
		v->where = IN_REGISTER;
	return true;
}

static bool is_register(const struct value *v)
{
	return v->where == IN_REGISTER;
}

static bool set_register(struct look *l, struct value *v, unsigned n, int64_t off, enum where where)
{
	v->base = user_dwarf_register(n);
	v->off = off;
	v->where = where;
	return v->base ? true : look_fails(l, "it is in a register that cannot be fetched, such as one of floating point");
}

/*
 * What @+OFFSET means: the kernel adds the distance between the probe's place and its offset in the file (6.12,
 * kernel/trace/trace_uprobe.c, translate_user_vaddr()). So it is the offset as if all of the file was mapped like the code.
 */
static bool file_offset(struct look *l, Dwarf_Addr addr, int64_t *ret)
{
	Dwarf_Addr code = l->spot->addr;

	for (unsigned i = 0; i < l->q->nr_segments; i++) {
		const struct elf_segment *s = &l->q->segments[i];

		if (s->exec && code >= s->addr && code - s->addr < s->size) {
			*ret = (int64_t)(addr - s->addr + s->off);
			return true;
		}
	}
	return false;
}

static bool take_address(struct look *l, Dwarf_Addr addr, struct value *v)
{
	v->where = AT_SYMBOL;
	if (l->q->segments) {
		v->base = NULL;
		return file_offset(l, addr, &v->off) ? true : look_fails(l, "it is in no part of the file");
	}
	/* Of a linked kernel they are numbered from 0: each CPU has its own. */
	if (!l->d->is_relocatable && addr < 1ull << 63)
		return look_fails(l, "each CPU has its own: which one is not known here");
	v->base = debug_variable_at(l->d, addr, &v->off);
	return v->base ? true : look_fails(l, "no symbol near it has a name of its own");
}

/* A single piece that has all of the value is no piece. */
static bool is_whole(struct value *v, uint64_t bytes)
{
	Dwarf_Word size;

	return v->has_type && !dwarf_aggregate_size(&v->type, &size) && size <= bytes;
}

/*
 * DWARF's expression for a place: its value is the value's address, unless a register or DW_OP_stack_value ends it. Those that the
 * compilers write for variables are a base and offsets.
 */
static bool take_ops(struct look *l, Dwarf_Attribute *attr, const Dwarf_Op *ops, size_t nr, struct value *v, unsigned depth)
{
	static const char no_piece[] = "it is in several pieces here", no_way[] = "its value is calculated here, which a probe cannot do";
	bool empty = true;

	if (depth > 4)
		return look_fails(l, no_way);
	for (size_t i = 0; i < nr; i++) {
		unsigned op = ops[i].atom;
		int64_t n = (int64_t)ops[i].number, n2 = (int64_t)ops[i].number2;

		if (op == DW_OP_piece && i + 1 == nr && !empty && is_whole(v, (uint64_t)n))
			continue;
		if (op == DW_OP_piece && !depth && attr) {
			*v = (struct value){ .where = IN_PIECES, .attr = *attr, .pieces = ops, .nr_pieces = nr, .type = v->type,
					     .has_type = v->has_type };
			return true;
		}
		if (op == DW_OP_piece || op == DW_OP_bit_piece)
			return look_fails(l, no_piece);
		if (op >= DW_OP_reg0 && op <= DW_OP_reg31) {
			if (!set_register(l, v, op - DW_OP_reg0, 0, IN_REGISTER))
				return false;
		} else if (op == DW_OP_regx) {
			if (!set_register(l, v, (unsigned)n, 0, IN_REGISTER))
				return false;
		} else if (op >= DW_OP_breg0 && op <= DW_OP_breg31 && empty) {
			if (!set_register(l, v, op - DW_OP_breg0, n, IN_MEMORY))
				return false;
		} else if (op == DW_OP_bregx && empty) {
			if (!set_register(l, v, (unsigned)n, n2, IN_MEMORY))
				return false;
		} else if (op == DW_OP_fbreg && empty) {
			if (!take_frame(l, v, depth))
				return false;
			if (!is_register(v))
				return look_fails(l, no_way);
			v->off = value_off(v->off, n);
			v->where = IN_MEMORY;
		} else if (op == DW_OP_call_frame_cfa && empty) {
			if (!take_cfa(l, v, depth))
				return false;
			v->where = IN_MEMORY;
		} else if (op == DW_OP_addr && empty) {
			if (!take_address(l, (Dwarf_Addr)n, v))
				return false;
		} else if ((op == DW_OP_addrx || op == DW_OP_GNU_addr_index) && empty && attr) {
			Dwarf_Attribute address;
			Dwarf_Addr addr;

			if (dwarf_getlocation_attr(attr, &ops[i], &address) || dwarf_formaddr(&address, &addr))
				return look_fails(l, no_way);
			if (!take_address(l, addr, v))
				return false;
		} else if (op == DW_OP_plus_uconst && !empty) {
			v->off = value_off(v->off, n);
		} else if (op == DW_OP_deref && !empty && v->where != IS_CONSTANT) {
			v->base = value_fetch(l, v);
			v->off = 0;
			v->where = IN_MEMORY;
		} else if (op >= DW_OP_lit0 && op <= DW_OP_lit31 && empty) {
			v->where = IS_CONSTANT;
			v->off = op - DW_OP_lit0;
		} else if (op >= DW_OP_const1u && op <= DW_OP_consts && empty) {
			v->where = IS_CONSTANT;
			v->off = n;
		} else if (op == DW_OP_stack_value && !empty) {
			if (v->where == AT_SYMBOL)
				return look_fails(l, "it is an address that is a constant");
			v->where = v->where == IN_MEMORY ? IN_REGISTER : v->where;
		} else if ((op == DW_OP_entry_value || op == DW_OP_GNU_entry_value) && empty) {
			return look_fails(l, "it is optimized out here; only its value at the function's entry is known");
		} else if (op == DW_OP_implicit_pointer || op == DW_OP_GNU_implicit_pointer) {
			return look_fails(l, "it is optimized out here: it points to something that is in no memory");
		} else if (op == DW_OP_form_tls_address || op == DW_OP_GNU_push_tls_address) {
			return look_fails(l, "it is in memory of the thread, whose address a probe does not know");
		} else {
			return look_fails(l, no_way);
		}
		empty = false;
	}
	return empty ? look_fails(l, "it is optimized out here") : true;
}

bool locate_piece(struct look *l, struct value *v, uint64_t size)
{
	const Dwarf_Op *ops = v->pieces;
	uint64_t at = 0, off = (uint64_t)v->off;
	struct value piece = *v;
	size_t first = 0;

	for (size_t i = 0; i < v->nr_pieces; i++) {
		if (ops[i].atom == DW_OP_bit_piece)
			break;
		if (ops[i].atom != DW_OP_piece)
			continue;
		/* The numbers are the file's: no sum of them may wrap. */
		if (off >= at && size <= ops[i].number && off - at <= ops[i].number - size) {
			piece.off = 0;
			if (!take_ops(l, &v->attr, ops + first, i - first, &piece, 1))
				return false;
			if (off > at && piece.where == IS_CONSTANT)
				return look_fails(l, "it is in the upper part of a constant here");
			if (piece.where == IN_REGISTER)
				piece.skip = (unsigned)(off - at);
			else
				piece.off = value_off(piece.off, (int64_t)(off - at));
			*v = piece;
			return true;
		}
		at += ops[i].number;
		first = i + 1;
	}
	return look_fails(l, "it is in several pieces here");
}

static bool take_implicit(struct look *l, Dwarf_Attribute *attr, const Dwarf_Op *op, struct value *v)
{
	Dwarf_Block block;

	if (dwarf_getlocation_implicit_value(attr, op, &block) || block.length > 8)
		return look_fails(l, "its value is a constant that is no number");
	v->where = IS_CONSTANT;
	v->off = 0;
	memcpy(&v->off, block.data, block.length);
	return true;
}

static bool take_constant(struct look *l, Dwarf_Attribute *attr, struct value *v)
{
	unsigned form = dwarf_whatform(attr);
	Dwarf_Sword number;
	Dwarf_Word positive;

	v->where = IS_CONSTANT;
	/* Of a given size: compilers write positive numbers so, and libdw would take the highest bit for a sign. */
	if (form == DW_FORM_data1 || form == DW_FORM_data2 || form == DW_FORM_data4 || form == DW_FORM_data8) {
		if (dwarf_formudata(attr, &positive))
			return look_fails(l, "its value is a constant that is no number");
		v->off = (int64_t)positive;
		return true;
	}
	if (!dwarf_formsdata(attr, &number)) {
		v->off = number;
		return true;
	}
	if (dwarf_formudata(attr, &positive))
		return look_fails(l, "its value is a constant that is no number");
	v->off = (int64_t)positive;
	return true;
}

/* ---- which location ---- */

static bool take_number(const unsigned char **at, const unsigned char *end, uint64_t *ret)
{
	*ret = 0;
	for (unsigned shift = 0; *at < end && shift < 64; shift += 7) {
		unsigned char byte = *(*at)++;

		*ret |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return true;
	}
	return false;
}

static bool is_before(uint64_t addr, uint64_t view, uint64_t other_addr, uint64_t other_view)
{
	return addr < other_addr || (addr == other_addr && view < other_view);
}

/*
 * gcc says of each location from which view of its first address to which view of its last one it holds (DW_AT_GNU_locviews: two
 * numbers for each entry of the list, elsewhere in the same section; gcc 7.5, "-gvariable-location-views"). libdw knows the list only.
 * False: there is nothing about views. *ret_nr is 0 if no location has this one, and none begins after it at the same address.
 */
static bool find_view(struct look *l, Dwarf_Die *variable, Dwarf_Attribute *location, Dwarf_Op **ret, size_t *ret_nr)
{
	Dwarf_Attribute attr;
	Dwarf_Word off;
	Dwarf_Half version;
	Dwarf_Die unit;
	Dwarf_Addr base, start, end;
	const unsigned char *at;
	struct bytes in;
	Dwarf_Op *ops;
	size_t nr;
	ptrdiff_t i = 0;
	uint64_t earliest = UINT64_MAX;
	bool found = false;

	if (!l->spot->has_view || dwarf_cu_getdwarf(location->cu) != l->d->dwarf || !dwarf_hasattr(variable, DW_AT_location) ||
	    dwarf_formudata(dwarf_attr(variable, DW_AT_GNU_locviews, &attr), &off) ||
	    !dwarf_cu_die(location->cu, &unit, &version, NULL, NULL, NULL, NULL, NULL))
		return false;
	in = debug_section(l->d, version < 5 ? ".debug_loc" : ".debug_loclists");
	if (off >= in.len)
		return false;
	at = in.data + off;
	*ret_nr = 0;
	while ((i = dwarf_getlocations(location, i, &base, &start, &end, &ops, &nr)) > 0) {
		uint64_t first, last;

		if (!take_number(&at, in.data + in.len, &first) || !take_number(&at, in.data + in.len, &last))
			return false;
		if (!is_before(l->spot->addr, l->spot->view, start, first) && is_before(l->spot->addr, l->spot->view, end, last)) {
			found = true;
		} else if (found || start != l->spot->addr || first < l->spot->view || first >= earliest) {
			continue;
		} else {		/* it has its first value a little later, before any instruction */
			earliest = first;
		}
		*ret = ops;
		*ret_nr = nr;
	}
	return true;
}

/*
 * clang says nothing of the instructions in front of a function's own, the landing pad and the call of ftrace's. Parameters are there in the same
 * registers as behind them.
 */
static bool find_start(struct look *l, Dwarf_Attribute *location, Dwarf_Op **ret, size_t *ret_nr)
{
	static const unsigned char distances[] = { TEXT_LEADS };
	Dwarf_Addr base, start, end;
	ptrdiff_t i = 0;

	if (!l->spot->is_start)
		return false;
	while ((i = dwarf_getlocations(location, i, &base, &start, &end, ret, ret_nr)) > 0) {
		for (size_t n = 0; n < sizeof(distances); n++) {
			if (start == l->spot->addr + distances[n] && end > start && *ret_nr == 1 && user_is_parameter((*ret)->atom - DW_OP_reg0))
				return true;
		}
	}
	return false;
}

/* A location without addresses is right for the instructions of its scope only: the last one may have changed the register. */
static bool may_be_over(const struct look *l, Dwarf_Attribute *location, const Dwarf_Op *first)
{
	unsigned form = dwarf_whatform(location);

	return l->spot->is_behind && form != DW_FORM_sec_offset && form != DW_FORM_data4 && form != DW_FORM_loclistx &&
	       ((first->atom >= DW_OP_reg0 && first->atom <= DW_OP_breg31) || first->atom == DW_OP_regx || first->atom == DW_OP_bregx);
}

static bool find_location(struct look *l, Dwarf_Die *variable, Dwarf_Attribute *location, Dwarf_Op **ret, size_t *ret_nr)
{
	/* A local has no value at the entry; it may have its first one before any instruction, which is what is wanted then. */
	if (find_view(l, variable, location, ret, ret_nr) && (*ret_nr || dwarf_tag(variable) == DW_TAG_formal_parameter))
		return *ret_nr || find_start(l, location, ret, ret_nr);
	return dwarf_getlocation_addr(location, l->spot->addr, ret, ret_nr, 1) == 1 || find_start(l, location, ret, ret_nr);
}

bool locate(struct look *l, Dwarf_Die *variable, struct value *v)
{
	Dwarf_Attribute attr;
	const char *trouble;
	Dwarf_Op *ops;
	size_t nr;

	if (!die_type(variable, &v->type))
		return look_fails(l, "the debug information does not say its type");
	v->has_type = true;
	if (dwarf_attr_integrate(variable, DW_AT_const_value, &attr))
		return take_constant(l, &attr, v);
	if (!dwarf_attr_integrate(variable, DW_AT_location, &attr))
		return look_fails(l, "it is optimized out");
	if (entry_hides(l, variable, &attr))
		return locate_at_entry(l, variable, &attr, v);
	if (!find_location(l, variable, &attr, &ops, &nr) || may_be_over(l, &attr, ops))
		look_fails(l, "it is optimized out here");
	else if (nr == 1 && ops[0].atom == DW_OP_implicit_value ? take_implicit(l, &attr, ops, v) : take_ops(l, &attr, ops, nr, v, 0))
		return true;
	trouble = l->trouble;
	return (entry_has(l, variable) && locate_at_entry(l, variable, &attr, v)) || look_fails(l, trouble);
}

/* The variable is in another file, and only its declaration in this one. The kernel's symbols know where. */
bool locate_elsewhere(struct look *l, Dwarf_Die *declaration, const char *name, struct value *v)
{
	if (l->q->segments)
		return look_fails(l, "it is defined in another file of the program");
	if (!die_type(declaration, &v->type))
		return look_fails(l, "the debug information does not say its type");
	v->has_type = true;
	v->where = AT_SYMBOL;
	v->base = name;
	v->off = 0;
	return true;
}
