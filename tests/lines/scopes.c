// SPDX-License-Identifier: GPL-2.0-only
/*
 * scopes.c - what the debug information has at an address, without any of bprobe's code: by this perf.py judges differences
 *
 *	scopes FILE inlined		the functions that have no code but their inlined copies: "NAME COPIES"
 *	scopes FILE < questions		each a line, answered by lines and an empty one:
 *
 * "SYMBOL+OFFSET", or "SYMBOL+OFFSET N" for the N-th symbol of this name, from 0 on, or "0xADDRESS"; other numbers are decimal:
 *
 *	addr 0xADDRESS			as the file numbers it (of a module, as libdwfl lays it out)
 *	row FILE LINE			what the line table has for just this address, where a statement begins
 *	frame REGISTER OFFSET		DWARF's canonical frame address here
 *	scope TAG NAME FILE LINE HOW CALLFILE:CALLLINE
 *					the scopes around it, outermost first; HOW is "begins" if a range of it begins there, else "inside".
 *					Then those of inlined functions that are entered there, but have no code there: "enters"
 *	var NAME parameter|variable|declaration OPS
 *					a variable of the scope above; OPS is its place here, "-" if it has none here, "const" for a constant
 *
 * "= FUNCTION": the lines, counted from its declaration, where the table begins statements of the function that has a symbol:
 *
 *	declared FILE LINE
 *	lines N N N...
 *
 * "@ FUNCTION LINE": the addresses where the table begins a statement of this line, counted from the function's declaration
 *
 *	in 0xADDRESS			the innermost function there is this one, or a copy of it is entered there
 *	out 0xADDRESS			it is another one
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static Dwfl_Module *module;
static Dwarf *dwarf;
static Dwarf_Addr bias;

static const char *base_of(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path ? path : "-";
}

/* clang's files have no .debug_aranges, by which libdwfl finds units. */
static Dwarf_Die *unit_at(Dwarf_Addr at, Dwarf_Addr *ret_bias)
{
	static Dwarf_Die unit;
	Dwarf_Die *found = dwfl_module_addrdie(module, at, ret_bias);
	Dwarf_Off off = 0, next;
	size_t header;

	*ret_bias = found ? *ret_bias : bias;
	for (; !found && !dwarf_nextcu(dwarf, off, &next, &header, NULL, NULL, NULL); off = next) {
		if (dwarf_offdie(dwarf, off + header, &unit) && dwarf_haspc(&unit, at - bias) > 0)
			found = &unit;
	}
	return found;
}

static bool is_around(int tag);

/* The entries around the address in what is in a namespace, which has no addresses itself: libdw passes over it. */
static int look_inside(Dwarf_Die *die, Dwarf_Addr addr, unsigned depth, Dwarf_Die **ret)
{
	Dwarf_Die child;
	int err = dwarf_child(die, &child), nr;

	for (; !err; err = dwarf_siblingof(&child, &child)) {
		int tag = dwarf_tag(&child);
		bool is_code = tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block;

		if (!is_around(tag) && !(is_code && dwarf_haspc(&child, addr) > 0))
			continue;
		nr = look_inside(&child, addr, depth + 1, ret);
		if (nr <= 0 && is_code && (*ret = calloc(depth + 1, sizeof(**ret))))
			nr = (int)depth + 1;
		if (nr > 0) {
			(*ret)[(unsigned)nr - depth - 1] = child;
			return nr;
		}
	}
	return 0;
}

static int scopes_at(Dwarf_Die *unit, Dwarf_Addr addr, Dwarf_Die **ret)
{
	int nr = dwarf_getscopes(unit, addr, ret), tag;

	for (int i = 0; i < nr; i++) {
		tag = dwarf_tag(&(*ret)[i]);
		if (tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine)
			return nr;
	}
	if (nr > 0)
		free(*ret);
	nr = look_inside(unit, addr, 1, ret);
	if (nr > 0)
		(*ret)[nr - 1] = *unit;
	return nr;
}

/* For dwarf_decl_file() of elfutils 0.188 file 0 is none. It is the first one of DWARF 5, and clang uses it. */
static const char *declared_in(Dwarf_Die *die)
{
	const char *file = dwarf_decl_file(die);
	Dwarf_Attribute attr;
	Dwarf_Word number = 1;
	Dwarf_Files *files;
	Dwarf_Half version;
	Dwarf_Die unit;
	size_t nr;

	if (file || dwarf_formudata(dwarf_attr_integrate(die, DW_AT_decl_file, &attr), &number) || number ||
	    !dwarf_cu_die(attr.cu, &unit, &version, NULL, NULL, NULL, NULL, NULL) || version < 5 || dwarf_getsrcfiles(&unit, &files, &nr) || !nr)
		return file;
	return dwarf_filesrc(files, 0, NULL, NULL);
}

/* ---- inlined ---- */

struct origin {
	Dwarf_Off off;
	const char *name;
	unsigned nr;			/* inlined copies */
	bool has_code;
};

static struct origin *origins;
static size_t nr_origins, size_origins;

static struct origin *origin_at(Dwarf_Off off)
{
	size_t low = 0, high = nr_origins;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (origins[middle].off == off)
			return &origins[middle];
		if (origins[middle].off < off)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/* Entries come by their offsets, so the array is in order. */
static void note_origin(Dwarf_Die *die)
{
	const char *name = dwarf_diename(die);

	if (!name || !dwarf_hasattr(die, DW_AT_inline))
		return;
	if (nr_origins == size_origins) {
		size_origins = size_origins ? 2 * size_origins : 65536;
		origins = realloc(origins, size_origins * sizeof(*origins));
		if (!origins)
			exit(1);
	}
	origins[nr_origins++] = (struct origin){ dwarf_dieoffset(die), name, 0, false };
}

static void note_copy(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	struct origin *o;
	Dwarf_Die from;

	if (!dwarf_formref_die(dwarf_attr(die, DW_AT_abstract_origin, &attr), &from))
		return;
	o = origin_at(dwarf_dieoffset(&from));
	if (o && dwarf_tag(die) == DW_TAG_subprogram)
		o->has_code = true;
	else if (o)
		o->nr++;
}

/* C++ and Rust have functions in these. */
static bool is_around(int tag)
{
	return tag == DW_TAG_namespace || tag == DW_TAG_class_type || tag == DW_TAG_structure_type;
}

static void each_function(Dwarf_Die *die, void (*fn)(Dwarf_Die *), bool inside)
{
	Dwarf_Die child;
	int err = dwarf_child(die, &child);

	for (; !err; err = dwarf_siblingof(&child, &child)) {
		int tag = dwarf_tag(&child);

		if (tag == DW_TAG_subprogram || (inside && tag == DW_TAG_inlined_subroutine))
			fn(&child);
		if (inside && (tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block))
			each_function(&child, fn, inside);
		if (is_around(tag))
			each_function(&child, fn, inside);
	}
}

static void each_unit(void (*fn)(Dwarf_Die *), bool inside)
{
	Dwarf_Off off = 0, next;
	size_t header;
	Dwarf_Die unit;

	for (; !dwarf_nextcu(dwarf, off, &next, &header, NULL, NULL, NULL); off = next) {
		if (dwarf_offdie(dwarf, off + header, &unit))
			each_function(&unit, fn, inside);
	}
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct origin *)a)->name, ((const struct origin *)b)->name);
}

static int print_inlined(void)
{
	each_unit(note_origin, false);
	each_unit(note_copy, true);
	qsort(origins, nr_origins, sizeof(*origins), by_name);
	for (size_t i = 0, end; i < nr_origins; i = end) {
		unsigned nr = 0;
		bool has_code = false;

		for (end = i; end < nr_origins && !strcmp(origins[i].name, origins[end].name); end++) {
			nr += origins[end].nr;
			has_code |= origins[end].has_code;
		}
		if (nr && !has_code)
			printf("%s %u\n", origins[i].name, nr);
	}
	return 0;
}

/* ---- an address ---- */

static bool find_symbol(const char *name, unsigned n, GElf_Addr *ret)
{
	int nr = dwfl_module_getsymtab(module);

	for (int i = 0; i < nr; i++) {
		GElf_Sym sym;
		const char *is = dwfl_module_getsym_info(module, i, &sym, ret, NULL, NULL, NULL);

		if (is && sym.st_shndx != SHN_UNDEF && !strcmp(is, name) && !n--)
			return true;
	}
	return false;
}

static void print_op(const Dwarf_Op *op)
{
	static const struct {
		unsigned op;
		const char *name;
	} names[] = {
		{ DW_OP_fbreg, "fbreg" },	{ DW_OP_deref, "deref" },	{ DW_OP_plus_uconst, "plus_uconst" },
		{ DW_OP_stack_value, "stack_value" }, { DW_OP_addr, "addr" },	{ DW_OP_call_frame_cfa, "cfa" },
		{ DW_OP_entry_value, "entry_value" }, { DW_OP_GNU_entry_value, "entry_value" }, { DW_OP_piece, "piece" },
		{ DW_OP_implicit_pointer, "implicit_pointer" }, { DW_OP_GNU_implicit_pointer, "implicit_pointer" },
		{ DW_OP_implicit_value, "implicit_value" },
	};

	if (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31) {
		printf("reg%u", op->atom - DW_OP_reg0);
		return;
	}
	if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31) {
		printf("breg%u:%" PRId64, op->atom - DW_OP_breg0, (int64_t)op->number);
		return;
	}
	if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31) {
		printf("number:%u", op->atom - DW_OP_lit0);
		return;
	}
	if (op->atom >= DW_OP_const1u && op->atom <= DW_OP_consts) {
		printf("number:%" PRId64, (int64_t)op->number);
		return;
	}
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (names[i].op == op->atom) {
			printf("%s:%" PRId64, names[i].name, (int64_t)op->number);
			return;
		}
	}
	printf("op_%x", op->atom);
}

static void print_ops(const Dwarf_Op *ops, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		if (i)
			putchar(',');
		print_op(&ops[i]);
	}
	if (!nr)
		putchar('-');
}

/*
 * Locations that hold for no instruction: gcc has several views of an address, and a variable may have another place in each. libdw knows no
 * views.
 */
static void print_views(const char *name, Dwarf_Attribute *location, Dwarf_Addr addr)
{
	Dwarf_Addr base, start, end;
	Dwarf_Op *ops;
	ptrdiff_t i = 0;
	size_t nr;

	while ((i = dwarf_getlocations(location, i, &base, &start, &end, &ops, &nr)) > 0) {
		if (start != addr || end != addr)
			continue;
		printf("view %s ", name);
		print_ops(ops, nr);
		putchar('\n');
	}
}

static void print_variables(Dwarf_Die *scope, Dwarf_Addr addr)
{
	Dwarf_Die die;
	int err = dwarf_child(scope, &die);

	for (; !err; err = dwarf_siblingof(&die, &die)) {
		int tag = dwarf_tag(&die);
		const char *name = tag == DW_TAG_variable || tag == DW_TAG_formal_parameter ? dwarf_diename(&die) : NULL;
		Dwarf_Attribute attr;
		Dwarf_Op *ops;
		size_t nr;

		if (!name)
			continue;
		printf("var %s %s ", name, dwarf_hasattr(&die, DW_AT_declaration) ? "declaration" :
		       tag == DW_TAG_variable ? "variable" : "parameter");
		if (dwarf_attr_integrate(&die, DW_AT_const_value, &attr))
			printf("const");
		else if (dwarf_attr_integrate(&die, DW_AT_location, &attr) && dwarf_getlocation_addr(&attr, addr, &ops, &nr, 1) == 1)
			print_ops(ops, nr);
		else
			putchar('-');
		putchar('\n');
		if (dwarf_attr_integrate(&die, DW_AT_location, &attr) && !dwarf_hasattr_integrate(&die, DW_AT_const_value))
			print_views(name, &attr, addr);
	}
}

static bool begins(Dwarf_Die *die, Dwarf_Addr addr)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t off = 0;

	if (!dwarf_entrypc(die, &start) && start == addr)
		return true;
	while ((off = dwarf_ranges(die, off, &base, &start, &end)) > 0) {
		if (start == addr)
			return true;
	}
	return false;
}

static void print_scope(Dwarf_Die *die, Dwarf_Die *unit, Dwarf_Addr addr, const char *how)
{
	const char *name = dwarf_diename(die), *file = declared_in(die), *call = NULL;
	Dwarf_Word call_file, call_line = 0;
	Dwarf_Attribute attr;
	Dwarf_Files *files;
	size_t nr;
	int line = 0;

	dwarf_decl_line(die, &line);
	if (!dwarf_formudata(dwarf_attr(die, DW_AT_call_file, &attr), &call_file) &&
	    !dwarf_formudata(dwarf_attr(die, DW_AT_call_line, &attr), &call_line) && !dwarf_getsrcfiles(unit, &files, &nr) && call_file < nr)
		call = dwarf_filesrc(files, call_file, NULL, NULL);
	printf("scope %s %s %s %d %s %s:%u\n",
	       dwarf_tag(die) == DW_TAG_subprogram ? "function" : dwarf_tag(die) == DW_TAG_inlined_subroutine ? "inlined" : "block",
	       name ? name : "-", base_of(file), line, how, base_of(call), (unsigned)call_line);
	print_variables(die, addr);
}

static void print_entered(Dwarf_Die *die, Dwarf_Die *unit, Dwarf_Addr addr)
{
	Dwarf_Die child;
	int err = dwarf_child(die, &child);

	for (; !err; err = dwarf_siblingof(&child, &child)) {
		int tag = dwarf_tag(&child);

		if (tag == DW_TAG_inlined_subroutine && begins(&child, addr) && dwarf_haspc(&child, addr) <= 0)
			print_scope(&child, unit, addr, "enters");
		if (tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block)
			print_entered(&child, unit, addr);
	}
}

/* Only a frame that is a register and an offset: what the compilers write for the kernel. */
static void print_frame(Dwarf_Addr addr)
{
	Dwarf_CFI *cfi = dwarf_getcfi(dwarf);
	Dwarf_Frame *frame = NULL;
	Dwarf_Op *ops;
	size_t nr;

	if (!cfi || dwarf_cfi_addrframe(cfi, addr, &frame))
		return;
	if (!dwarf_frame_cfa(frame, &ops, &nr) && nr == 1 && ops[0].atom == DW_OP_bregx)
		printf("frame %u %" PRId64 "\n", (unsigned)ops[0].number, (int64_t)ops[0].number2);
	else if (nr == 1 && ops[0].atom >= DW_OP_breg0 && ops[0].atom <= DW_OP_breg31)
		printf("frame %u %" PRId64 "\n", ops[0].atom - DW_OP_breg0, (int64_t)ops[0].number);
	free(frame);
}

static void print_rows(Dwarf_Die *unit, Dwarf_Addr addr)
{
	Dwarf_Lines *lines;
	size_t nr;

	if (dwarf_getsrclines(unit, &lines, &nr))
		return;
	for (size_t i = 0; i < nr; i++) {
		Dwarf_Line *row = dwarf_onesrcline(lines, i);
		bool end, statement;
		Dwarf_Addr at;
		int line;

		if (!dwarf_lineaddr(row, &at) && at == addr && !dwarf_lineno(row, &line) && !dwarf_lineendsequence(row, &end) && !end &&
		    !dwarf_linebeginstatement(row, &statement) && statement)
			printf("row %s %d\n", base_of(dwarf_linesrc(row, NULL, NULL)), line);
	}
}

/* dwarf_getscopes() goes on, behind an inlined function, with the scopes where that was written: those around are others. */
static void print_address(GElf_Addr at)
{
	Dwarf_Addr unit_bias, addr;
	Dwarf_Die *unit = unit_at(at, &unit_bias), *inner, *around, function = { 0 };
	int nr;

	printf("addr 0x%" PRIx64 "\n", (uint64_t)(at - bias));
	if (!unit)
		return;
	addr = at - unit_bias;
	print_rows(unit, addr);
	print_frame(addr);
	if (scopes_at(unit, addr, &inner) <= 0)
		return;
	nr = dwarf_getscopes_die(&inner[0], &around);
	for (int i = nr - 1; i >= 0; i--) {
		int tag = dwarf_tag(&around[i]);

		if (tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block)
			print_scope(&around[i], unit, addr, begins(&around[i], addr) ? "begins" : "inside");
		if (tag == DW_TAG_subprogram)
			function = around[i];
	}
	if (function.addr)
		print_entered(&function, unit, addr);
	free(inner);
	if (nr > 0)
		free(around);
}

/* ---- the lines of a function ---- */

static void print_lines(const char *name)
{
	Dwarf_Addr unit_bias;
	GElf_Addr at;
	Dwarf_Die *unit, *scopes;
	Dwarf_Lines *lines;
	const char *file;
	size_t nr;
	int nr_scopes, declared;

	if (!find_symbol(name, 0, &at) || !(unit = unit_at(at, &unit_bias)))
		return;
	nr_scopes = scopes_at(unit, at - unit_bias, &scopes);
	for (int i = 0; i < nr_scopes; i++) {
		const char *is = dwarf_tag(&scopes[i]) == DW_TAG_subprogram ? dwarf_diename(&scopes[i]) : NULL;

		if (!is || strcmp(is, name) || dwarf_decl_line(&scopes[i], &declared) || !(file = declared_in(&scopes[i])) ||
		    dwarf_getsrclines(unit, &lines, &nr))
			continue;
		printf("declared %s %d\nlines", base_of(file), declared);
		for (size_t r = 0; r < nr; r++) {
			Dwarf_Line *row = dwarf_onesrcline(lines, r);
			const char *source = dwarf_linesrc(row, NULL, NULL);
			bool statement;
			Dwarf_Addr addr;
			int line;

			if (source && !strcmp(base_of(source), base_of(file)) && !dwarf_lineno(row, &line) && line > declared &&
			    !dwarf_linebeginstatement(row, &statement) && statement && !dwarf_lineaddr(row, &addr) &&
			    dwarf_haspc(&scopes[i], addr) > 0)
				printf(" %d", line - declared);
		}
		putchar('\n');
		break;
	}
	if (nr_scopes > 0)
		free(scopes);
}

static bool enters(Dwarf_Die *die, Dwarf_Addr addr, const char *name)
{
	Dwarf_Die child;
	int err = dwarf_child(die, &child);

	for (; !err; err = dwarf_siblingof(&child, &child)) {
		int tag = dwarf_tag(&child);
		const char *is = tag == DW_TAG_inlined_subroutine ? dwarf_diename(&child) : NULL;

		if (is && !strcmp(is, name) && begins(&child, addr))
			return true;
		if ((tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block) && enters(&child, addr, name))
			return true;
	}
	return false;
}

/* A row may be behind the last instruction of a function. */
static bool has_function(Dwarf_Die *unit, Dwarf_Addr addr)
{
	Dwarf_Die *scopes;
	int nr = scopes_at(unit, addr, &scopes);

	if (nr > 0)
		free(scopes);
	return nr > 1;			/* one is the unit */
}

static bool is_in(Dwarf_Die *unit, Dwarf_Addr addr, const char *name)
{
	Dwarf_Die *inner, *around;
	bool is = false, innermost = true;
	int nr;

	if (scopes_at(unit, addr, &inner) <= 0)
		return false;
	nr = dwarf_getscopes_die(&inner[0], &around);
	for (int i = 0; i < nr && !is; i++) {
		int tag = dwarf_tag(&around[i]);

		if (innermost && (tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine)) {
			innermost = false;
			is = dwarf_diename(&around[i]) && !strcmp(dwarf_diename(&around[i]), name);
		}
		if (tag == DW_TAG_subprogram)
			is = is || enters(&around[i], addr, name);
	}
	free(inner);
	if (nr > 0)
		free(around);
	return is;
}

static const char *wanted_function;
static int wanted_line;

/* The lines behind the declaration of the function, up to the wanted one. */
struct between {
	const char *file;
	int from, to;
	bool found;
};

static struct between *between;

static void look_between(Dwarf_Die *function)
{
	struct between *b = between;
	const char *file = declared_in(function);
	int line;

	if (file && !strcmp(file, b->file) && !dwarf_hasattr(function, DW_AT_declaration) && !dwarf_decl_line(function, &line))
		b->found |= line > b->from && line <= b->to;
}

/* Is another function declared between the wanted one and its line? Then the line is none of the wanted one: in C they are not nested. */
static bool is_beyond(Dwarf_Die *unit, const char *file, int declared)
{
	struct between b = { file, declared, declared + wanted_line, false };

	between = &b;
	each_function(unit, look_between, false);
	return b.found;
}

static void print_line_in(Dwarf_Die *die)
{
	const char *name = dwarf_diename(die), *file;
	Dwarf_Lines *lines;
	Dwarf_Die unit;
	bool beyond;
	int declared;
	size_t nr;

	if (!name || strcmp(name, wanted_function) || dwarf_hasattr(die, DW_AT_declaration) || dwarf_decl_line(die, &declared) ||
	    !(file = declared_in(die)) || !dwarf_diecu(die, &unit, NULL, NULL) || dwarf_getsrclines(&unit, &lines, &nr))
		return;
	beyond = is_beyond(&unit, file, declared);
	if (beyond)			/* the line may have no row: it is the declaration's */
		puts("beyond 0x0");
	for (size_t i = 0; i < nr; i++) {
		Dwarf_Line *row = dwarf_onesrcline(lines, i);
		const char *source = dwarf_linesrc(row, NULL, NULL);
		bool statement, end;
		Dwarf_Addr addr;
		int line;

		if (source && !strcmp(source, file) && !dwarf_lineno(row, &line) && line == declared + wanted_line &&
		    !dwarf_linebeginstatement(row, &statement) && statement && !dwarf_lineendsequence(row, &end) && !end &&
		    !dwarf_lineaddr(row, &addr))
			if (has_function(&unit, addr))
				printf("%s 0x%" PRIx64 "\n", beyond ? "beyond" : is_in(&unit, addr, name) ? "in" : "moved", (uint64_t)addr);
	}
}

static void answer(char *question)
{
	char *plus = strrchr(question, '+'), *n = strchr(question, ' ');
	GElf_Addr at;

	question[strcspn(question, "\n")] = '\0';
	if (!strncmp(question, "= ", 2)) {
		print_lines(question + 2);
	} else if (!strncmp(question, "@ ", 2) && n && strchr(n + 1, ' ')) {
		wanted_function = strtok(question + 2, " ");
		wanted_line = atoi(strtok(NULL, " "));
		each_unit(print_line_in, false);
	} else if (!strncmp(question, "0x", 2)) {
		print_address(strtoull(question, NULL, 16) + bias);
	} else if (plus) {
		*plus = '\0';
		if (find_symbol(question, n ? (unsigned)strtoul(n, NULL, 10) : 0, &at))
			print_address(at + strtoull(plus + 1, NULL, 10));
	}
	putchar('\n');
	fflush(stdout);
}

static int find_nothing(Dwfl_Module *m, void **data, const char *name, Dwarf_Addr base, const char *file, const char *link, GElf_Word crc,
			char **ret)
{
	(void)m, (void)data, (void)name, (void)base, (void)file, (void)link, (void)crc, (void)ret;
	return -1;
}

int main(int argc, char **argv)
{
	static const Dwfl_Callbacks callbacks = {
		.section_address = dwfl_offline_section_address, .find_debuginfo = find_nothing,
	};
	Dwfl *dwfl = dwfl_begin(&callbacks);
	char *line = NULL;
	size_t size = 0;

	if (argc < 2 || !dwfl || !(module = dwfl_report_offline(dwfl, argv[1], argv[1], -1)) || dwfl_report_end(dwfl, NULL, NULL) ||
	    !(dwarf = dwfl_module_getdwarf(module, &bias))) {
		fprintf(stderr, "usage: scopes FILE inlined, or: scopes FILE < questions (%s)\n", dwfl_errmsg(-1));
		return 64;
	}
	if (argc > 2)
		return print_inlined();
	while (getline(&line, &size, stdin) > 0)
		answer(line);
	free(line);
	return 0;
}
