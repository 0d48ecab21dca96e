// SPDX-License-Identifier: GPL-2.0-only
/*
 * units.c - opens debug information, and lists its units. A kernel has 3000 of them, with 200 MB.
 */
#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/macros.h"
#include "elf/dwarf/lines_priv.h"

static int find_no_elf(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base, char **file, Elf **elf)
{
	(void)module, (void)userdata, (void)name, (void)base, (void)file, (void)elf;
	return -1;
}

/* dwfl would look for separate files by itself. */
static int find_no_debuginfo(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base, const char *file, const char *link,
			     GElf_Word sum, char **debug)
{
	(void)module, (void)userdata, (void)name, (void)base, (void)file, (void)link, (void)sum, (void)debug;
	return -1;
}

/* ---- sections ---- */

struct bytes debug_section(struct debug *d, const char *name)
{
	const struct bytes nothing = { (const unsigned char *)"", 0 };		/* not NULL: callers calculate with it */
	Elf *elf = dwarf_getelf(d->dwarf);
	size_t names;
	Elf_Scn *scn = NULL;

	if (elf_getshdrstrndx(elf, &names))
		return nothing;
	while ((scn = elf_nextscn(elf, scn))) {
		GElf_Shdr mem, *head = gelf_getshdr(scn, &mem);
		const char *is = head ? elf_strptr(elf, names, head->sh_name) : NULL;
		Elf_Data *data;

		if (!is || strcmp(is, name) || head->sh_type == SHT_NOBITS)
			continue;
		data = elf_getdata(scn, NULL);
		return data && data->d_buf ? (struct bytes){ data->d_buf, data->d_size } : nothing;
	}
	return nothing;
}

bool debug_section_in_file(struct debug *d, const char *name, struct bytes is, off_t *ret)
{
	Elf *elf = elf_begin(d->fd, ELF_C_READ, NULL);
	size_t names = 0;
	Elf_Scn *scn = NULL;
	GElf_Ehdr mem, *file = elf ? gelf_getehdr(elf, &mem) : NULL;
	bool found = false;

	if (!file || file->e_type == ET_REL || elf_getshdrstrndx(elf, &names)) {
		elf_end(elf);
		return false;
	}
	while (!found && (scn = elf_nextscn(elf, scn))) {
		GElf_Shdr head_mem, *head = gelf_getshdr(scn, &head_mem);
		const char *its = head ? elf_strptr(elf, names, head->sh_name) : NULL;

		if (!its || strcmp(its, name))
			continue;
		found = !(head->sh_flags & SHF_COMPRESSED) && head->sh_size == is.len;
		*ret = (off_t)head->sh_offset;
		break;
	}
	elf_end(elf);
	return found;
}

static void list_code_sections(struct debug *d)
{
	Elf *elf = dwarf_getelf(d->dwarf);
	unsigned size = 0;
	Elf_Scn *scn = NULL;

	/* The sections of a module have the addresses that libdwfl gives them. */
	while (!d->is_relocatable && (scn = elf_nextscn(elf, scn))) {
		GElf_Shdr mem, *head = gelf_getshdr(scn, &mem);

		if (!head || !(head->sh_flags & SHF_EXECINSTR))
			continue;
		d->code_sections = arena_grow(d->arena, d->code_sections, d->nr_code_sections, &size);
		d->code_sections[d->nr_code_sections++] = (struct code_section){ head->sh_addr, head->sh_addr + head->sh_size };
	}
}

bool debug_is_code(struct debug *d, Dwarf_Addr addr)
{
	for (unsigned i = 0; i < d->nr_code_sections; i++) {
		if (addr >= d->code_sections[i].start && addr < d->code_sections[i].end)
			return true;
	}
	return !d->nr_code_sections;
}

/* Does a question need the places of variables, or what is around them? */
static bool wants_values(const struct lines_query *queries, unsigned nr)
{
	for (unsigned i = 0; i < nr; i++) {
		if (queries[i].nr_exprs || queries[i].lists)
			return true;
	}
	return false;
}

/*
 * libdw uncompresses all sections when it begins, which is nearly all that a question costs then. So it does not see those that no question
 * needs: a tenth of a kernel's.
 */
static void hide_sections(struct debug *d, bool values)
{
	static const struct { const char *name; bool for_values; } hidden[] = {
		{ ".debug_loclists", true }, { ".debug_loc", true }, { ".debug_frame", true }, { ".debug_aranges" }, { ".debug_pubnames" },
		{ ".debug_pubtypes" }, { ".debug_gnu_pubnames" }, { ".debug_gnu_pubtypes" }, { ".debug_macro" }, { ".debug_macinfo" },
		{ ".debug_names" },
	};
	GElf_Addr bias;
	Elf *elf = dwfl_module_getelf(d->module, &bias);
	Elf_Scn *scn = NULL;
	size_t names;

	if (!elf || elf_getshdrstrndx(elf, &names))
		return;
	while ((scn = elf_nextscn(elf, scn))) {
		GElf_Shdr head;		/* a copy: libelf's own may lie anywhere in the file */
		const char *is = gelf_getshdr(scn, &head) && head.sh_flags & SHF_COMPRESSED ? elf_strptr(elf, names, head.sh_name) : NULL;

		for (size_t i = 0; is && i < ARRAY_SIZE(hidden); i++) {
			if (strcmp(is, hidden[i].name) || (values && hidden[i].for_values))
				continue;
			head.sh_type = SHT_NOBITS;
			gelf_update_shdr(scn, &head);
		}
	}
}

/* ---- units ---- */

/*
 * The heads of 3000 units are far from each other, and with each the kernel maps the pages around it. What is mapped of the file
 * can be read again.
 */
void debug_forget(struct debug *d)
{
	struct bytes is = d->forgettable;
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), start = ROUND_UP((uintptr_t)is.data, page);
	uintptr_t end = ((uintptr_t)is.data + is.len) / page * page;

	if (end > start)
		madvise((void *)start, end - start, MADV_DONTNEED);
}

/* Is it the mapped file, and not a copy in memory, which would be gone? One page tells. */
static bool is_mapped(struct bytes is)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	unsigned char *first = (unsigned char *)ROUND_UP((uintptr_t)is.data, page), *copy = malloc(page);
	bool same = true;

	if (!copy || is.len < 2 * page) {
		free(copy);
		return false;
	}
	memcpy(copy, first, page);
	madvise(first, page, MADV_DONTNEED);
	if (memcmp(copy, first, page)) {
		memcpy(first, copy, page);
		same = false;
	}
	free(copy);
	return same;
}

/* Where the rest of a unit is. */
static const char *dwo_name(struct debug *d, Dwarf_Die *unit)
{
	Dwarf_Attribute attr;
	const char *name = dwarf_formstring(dwarf_attr(unit, DW_AT_dwo_name, &attr));

	if (!name)
		name = dwarf_formstring(dwarf_attr(unit, DW_AT_GNU_dwo_name, &attr));
	return name ? arena_strdup(d->arena, name) : NULL;
}

static void list_units(struct debug *d)
{
	enum { EACH = 128 };
	struct bytes info = debug_section(d, ".debug_info");
	off_t off;
	unsigned size = 0;
	Dwarf_CU *cu = NULL;
	Dwarf_Die die, split, skeleton;
	uint8_t type;

	if (debug_section_in_file(d, ".debug_info", info, &off) && is_mapped(info))
		d->forgettable = info;
	d->is_scattered = d->alternate || debug_section(d, ".debug_str_offsets").len;
	while (!dwarf_get_units(d->dwarf, cu, &cu, NULL, &type, &die, &split)) {
		Dwarf_Attribute attr;
		struct lines_unit *u;
		Dwarf_Word line;

		if (type != DW_UT_compile && type != DW_UT_skeleton && type != DW_UT_partial)
			continue;
		if (type == DW_UT_skeleton && !split.addr && !d->missing)
			d->missing = dwo_name(d, &die);
		d->is_scattered |= type == DW_UT_partial || split.addr;
		d->units = arena_grow(d->arena, d->units, d->nr_units, &size);
		skeleton = die;
		if (split.addr)
			die = split;
		u = &d->units[d->nr_units++];
		if (d->nr_units % EACH == 0)
			debug_forget(d);
		*u = (struct lines_unit){ .die = die, .skeleton = skeleton, .start = dwarf_dieoffset(&die), .line = UINT64_MAX };
		if (!dwarf_formudata(dwarf_attr(&die, DW_AT_stmt_list, &attr), &line))
			u->line = line;
	}
}

/*
 * The file that dwz has made of what several files have in common. Its name may be relative to the directory of this file. It must
 * have the build id that this file says.
 */
static void open_alternate(struct debug *d, const char *dir)
{
	const char *name;
	const void *id, *its;
	ssize_t len = dwelf_dwarf_gnu_debugaltlink(d->dwarf, &name, &id);
	int fd;

	if (len <= 0)
		return;
	d->missing = name;
	if (*name != '/' && !dir)
		return;
	fd = open(*name == '/' ? name : arena_printf(d->arena, "%s/%s", dir, name), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	d->alternate = fd < 0 ? NULL : dwarf_begin(fd, DWARF_C_READ);
	if (d->alternate && dwelf_elf_gnu_build_id(dwarf_getelf(d->alternate), &its) == len && !memcmp(its, id, (size_t)len)) {
		dwarf_setalt(d->dwarf, d->alternate);
		d->missing = NULL;
		return;
	}
	dwarf_end(d->alternate);
	d->alternate = NULL;
	if (fd >= 0)
		close(fd);
}

int debug_open(struct debug *d, struct arena *arena, int fd, const char *name, const struct lines_query *q, unsigned nr, struct diag *diag)
{
	static const Dwfl_Callbacks callbacks = {
		.find_elf = find_no_elf, .find_debuginfo = find_no_debuginfo, .section_address = dwfl_offline_section_address,
	};
	int own = dup(fd);
	GElf_Ehdr mem;

	*d = (struct debug){ .arena = arena, .fd = fd, .dwfl = dwfl_begin(&callbacks),
			     .program_fd = q->segments ? q->program_fd : -1 };
	if (d->dwfl && own >= 0)
		d->module = dwfl_report_offline(d->dwfl, name, name, own);
	if (!d->module && own >= 0)
		close(own);
	if (d->dwfl)
		dwfl_report_end(d->dwfl, NULL, NULL);
	if (d->module)
		hide_sections(d, wants_values(q, nr));
	d->dwarf = d->module ? dwfl_module_getdwarf(d->module, &d->bias) : NULL;
	d->is_relocatable = d->dwarf && gelf_getehdr(dwarf_getelf(d->dwarf), &mem) && mem.e_type == ET_REL;
	if (d->dwarf) {
		list_code_sections(d);
		open_alternate(d, q->dir);
		list_units(d);
	}
	if (d->nr_units)
		return 0;
	diag_set(diag, -EBADMSG, "%s has no debug information", name);
	debug_close(d);
	return -EBADMSG;
}

/* The frame information of the program itself: a debug file has no .eh_frame. */
static Dwarf_CFI *program_frames(struct debug *d)
{
	if (d->program_fd >= 0) {
		d->program = elf_begin(d->program_fd, ELF_C_READ, NULL);
		d->program_frames = d->program ? dwarf_getcfi_elf(d->program) : NULL;
		d->program_fd = -1;
	}
	return d->program_frames;
}

Dwarf_Frame *debug_frame_at(struct debug *d, Dwarf_Addr addr, Dwarf_Addr *ret_end)
{
	Dwarf_Addr bias = 0, eh_bias = 0, start, end = 0;
	const struct { Dwarf_CFI *cfi; Dwarf_Addr addr; } all[] = {
		{ dwfl_module_dwarf_cfi(d->module, &bias), addr }, { dwfl_module_eh_cfi(d->module, &eh_bias), addr + d->bias - eh_bias },
		{ program_frames(d), addr },
	};
	Dwarf_Frame *frame = NULL;
	bool is_signal;

	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		if (!all[i].cfi || dwarf_cfi_addrframe(all[i].cfi, all[i].addr, &frame))
			continue;
		dwarf_frame_info(frame, &start, &end, &is_signal);
		*ret_end = end - all[i].addr + addr;
		return frame;
	}
	return NULL;
}

void debug_close(struct debug *d)
{
	if (d->program_frames)
		dwarf_cfi_end(d->program_frames);
	elf_end(d->program);
	if (d->dwfl)
		dwfl_end(d->dwfl);
	dwarf_end(d->alternate);
	*d = (struct debug){ 0 };
}

const char *debug_missing(struct debug *d)
{
	return d->missing ? arena_printf(d->arena, "a part of the debug information is in %s, which cannot be read without privileges", d->missing)
			  : NULL;
}

bool debug_ends(const char *path, const char *end)
{
	size_t len = strlen(path), end_len = strlen(end);

	return len >= end_len && !strcmp(path + len - end_len, end) && (len == end_len || path[len - end_len - 1] == '/' || *end == '/');
}
