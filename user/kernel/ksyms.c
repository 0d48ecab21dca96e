// SPDX-License-Identifier: GPL-2.0-only
/*
 * ksyms.c - the kernel's symbol table: reading it, and finding names in it.
 *
 * One pass over /proc/kallsyms; nothing is copied out of the text. Addresses
 * are looked up in ksyms_addr.c, similar names in ksyms_near.c.
 */
#include "kernel/ksyms.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "kernel/ksyms_table.h"

/* A seq_file hands out about a page a read(2), whatever it is asked for. */
#define READ_SIZE	((size_t)1 << 18)

int ksyms_read_file(const char *path, struct buf *out)
{
	auto_fd fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	for (;;) {
		ssize_t got = read(fd, buf_room(out, READ_SIZE), READ_SIZE);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (!got)
			break;
		out->len += (size_t)got;
	}
	out->data[out->len] = '\0';
	return 0;
}

/* ---- the text ---- */

/* 1 + the value of a hexadecimal digit; 0 for everything else. */
static const unsigned char hex_digit[256] = {
	['0'] = 1, ['1'] = 2, ['2'] = 3, ['3'] = 4, ['4'] = 5, ['5'] = 6, ['6'] = 7, ['7'] = 8,
	['8'] = 9, ['9'] = 10, ['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15,
	['f'] = 16, ['A'] = 11, ['B'] = 12, ['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
};

static bool is_type(char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '?' || c == '-';
}

/* The end of a word. The text's own NUL ends one too, so no scan runs off. */
static char *skip_word(char *at)
{
	while ((unsigned char)*at > ' ')
		at++;
	return at;
}

/*
 * "\t[MODULE]". The modules' symbols come module by module, so comparing with the
 * symbol before is enough to give each module one pointer.
 */
static char *parse_module(char *at, const char *before, struct ksym *sym)
{
	char *name = at + 2, *end;

	if (at[0] != '\t' || at[1] != '[')
		return NULL;
	end = skip_word(name);
	if (end - name < 2 || end[-1] != ']')
		return NULL;
	end[-1] = '\0';
	sym->module = before && !strcmp(before, name) ? before : name;
	return end;
}

/*
 * One line, "ADDRESS TYPE NAME" with "\t[MODULE]" behind it for a module's symbol,
 * cut into strings. Returns the next line, NULL if it is something else.
 */
static char *parse_line(char *at, const char *before, struct ksym *sym)
{
	char *start = at, *end;
	uint64_t addr = 0;
	unsigned digit;

	while ((digit = hex_digit[(unsigned char)*at])) {
		addr = addr << 4 | (digit - 1);
		at++;
	}
	if (at == start || at - start > 16 || at[0] != ' ' || !is_type(at[1]) || at[2] != ' ')
		return NULL;
	sym->addr = addr;
	sym->type = at[1];
	sym->name = at + 3;
	sym->module = NULL;
	at = end = skip_word(at + 3);
	if (end == sym->name)
		return NULL;
	if (*end == '\t') {
		at = parse_module(end, before, sym);
		if (!at)
			return NULL;
	}
	if (*at != '\n' && *at != '\0')
		return NULL;
	at += *at == '\n';
	*end = '\0';
	return at;
}

static size_t count_lines(const struct buf *text)
{
	const char *at = text->data, *end = at + text->len;
	size_t count = 0;

	while ((at = memchr(at, '\n', (size_t)(end - at)))) {
		count++;
		at++;
	}
	return count + (text->len && end[-1] != '\n');
}

/*
 * From 7.0 on the kernel's .data is executable in the ELF file, and nm calls what is in it
 * text ('t'): what lies behind the text and is no boot code is made data again ('d').
 */
static void correct_types(struct ksyms *ks)
{
	uint64_t etext = 0, boot = 0, boot_end = 0;

	for (size_t i = 0; i < ks->count && !ks->sym[i].module; i++) {
		const char *name = ks->sym[i].name;

		if (name[0] != '_')
			continue;
		if (!strcmp(name, "_etext"))
			etext = ks->sym[i].addr;
		else if (!strcmp(name, "__init_begin"))
			boot = ks->sym[i].addr;
		else if (!strcmp(name, "__init_end"))
			boot_end = ks->sym[i].addr;
	}
	for (size_t i = 0; etext && i < ks->count && !ks->sym[i].module; i++) {
		struct ksym *sym = &ks->sym[i];

		if ((sym->type == 't' || sym->type == 'T') && sym->addr > etext &&
		    (sym->addr < boot || sym->addr > boot_end))
			sym->type = sym->type == 't' ? 'd' : 'D';
	}
}

static int parse_text(struct ksyms *ks, const char *path, struct diag *diag)
{
	char *at = ks->text.data, *end = at + ks->text.len, *next;
	const char *module = NULL;

	ks->sym = arena_array(&ks->lazy->arena, struct ksym, count_lines(&ks->text));
	ks->hidden = true;
	for (; at < end; at = next) {
		struct ksym *sym = &ks->sym[ks->count];

		next = parse_line(at, module, sym);
		if (!next)
			return diag_set(diag, -EBADMSG,
					"%s: line %zu is not 'ADDRESS TYPE NAME': '%.*s'", path,
					ks->count + 1, (int)MIN(strcspn(at, "\n"), (size_t)60), at);
		if (sym->addr)
			ks->hidden = false;
		module = sym->module;
		ks->count++;
	}
	if (!ks->count)
		return diag_set(diag, -EBADMSG, "%s is empty: no symbol of the kernel is known",
				path);
	correct_types(ks);
	return 0;
}

/* ---- open and close ---- */

static int read_error(const char *path, int err, struct diag *diag)
{
	diag_set(diag, err, "cannot read %s: %s", path, strerror(-err));
	if (err == -ENOENT)
		diag_note(diag, "help: mount /proc; if it is mounted, this kernel was built without CONFIG_KALLSYMS");
	else if (err == -EACCES || err == -EPERM)
		diag_note(diag, "help: run as root");
	return err;
}

int ksyms_load_with(const char *path, const char *modules, struct ksyms **ret, struct diag *diag)
{
	struct arena arena = { 0 };
	struct ksyms_lazy *lazy = arena_new(&arena, struct ksyms_lazy);
	struct ksyms *ks = arena_new(&arena, struct ksyms);
	int err;

	ks->lazy = lazy;
	lazy->modules_path = modules ? arena_strdup(&arena, modules) : NULL;
	lazy->arena = arena;		/* which holds lazy too: see ksyms_close() */

	err = ksyms_read_file(path, &ks->text);
	if (err)
		read_error(path, err, diag);
	else
		err = parse_text(ks, path, diag);
	if (err) {
		ksyms_close(ks);
		return err;
	}
	*ret = ks;
	return 0;
}

int ksyms_load(const char *path, struct ksyms **ret, struct diag *diag)
{
	return ksyms_load_with(path ? path : "/proc/kallsyms", path ? NULL : "/proc/modules",
			       ret, diag);
}

void ksyms_close(struct ksyms *ks)
{
	struct arena arena;

	if (!ks)
		return;
	buf_fini(&ks->text);
	arena = ks->lazy->arena;
	arena_fini(&arena);
}

bool ksyms_hidden(const struct ksyms *ks)
{
	return ks->hidden;
}

/* The modules' symbols stand behind the kernel's own, module by module. */
bool ksyms_has_module(const struct ksyms *ks, const char *name)
{
	const char *seen = NULL;

	for (size_t i = ks->count; i && ks->sym[i - 1].module; i--) {
		const char *module = ks->sym[i - 1].module;

		if (module != seen && !strcmp(module, name))
			return true;
		seen = module;
	}
	return false;
}

/* Symbols of the per-CPU area are listed by their offsets in it, far below the kernel. */
bool ksyms_module_span(const struct ksyms *ks, uint64_t *ret_low, uint64_t *ret_high)
{
	uint64_t low = UINT64_MAX, high = 0;

	for (size_t i = ks->count; i && ks->sym[i - 1].module; i--) {
		const struct ksym *sym = &ks->sym[i - 1];

		if (sym->type == 'U' || !(sym->addr >> 63))
			continue;
		low = MIN(low, sym->addr);
		high = MAX(high, sym->addr);
	}
	if (!high)
		return false;
	*ret_low = low;
	*ret_high = high;
	return true;
}

bool ksym_is_function(const struct ksym *sym)
{
	return sym->type == 't' || sym->type == 'T' || sym->type == 'w' || sym->type == 'W';
}

bool ksym_is_marker(const struct ksym *sym)
{
	return sym->name[0] == '_' && (!strncmp(sym->name, "__pfx_", 6) || !strncmp(sym->name, "__cfi_", 6));
}

size_t ksyms_count(const struct ksyms *ks)
{
	return ks->count;
}

const struct ksym *ksyms_at(const struct ksyms *ks, size_t i)
{
	return &ks->sym[i];
}

const char *ksym_brackets(const struct ksym *sym)
{
	return sym->module && strcmp(sym->module, "bpf") ? sym->module : NULL;
}

/* ---- names ---- */

static uint32_t hash_name(const char *name)
{
	uint64_t h = 0xcbf29ce484222325ull;

	for (; *name; name++)
		h = (h ^ (unsigned char)*name) * 0x100000001b3ull;
	return (uint32_t)(h >> 32 ^ h);
}

/* Stable, and linear where all names are the same, as in the large buckets. */
static void sort_bucket(const struct ksym **sym, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		const struct ksym *moved = sym[i];
		size_t to = i;

		while (to && strcmp(sym[to - 1]->name, moved->name) > 0) {
			sym[to] = sym[to - 1];
			to--;
		}
		sym[to] = moved;
	}
}

/* Counting sort by bucket; start[] runs one ahead while it counts and places. */
static void build_names(const struct ksyms *ks, struct name_index *ix)
{
	struct buf room = { 0 };
	uint32_t *bucket = (uint32_t *)(void *)buf_room(&room, ks->count * sizeof(*bucket));
	struct arena *arena = &ks->lazy->arena;
	size_t buckets = 1;

	while (buckets < ks->count)
		buckets *= 2;
	ix->mask = (uint32_t)buckets - 1;
	ix->start = arena_array(arena, uint32_t, buckets + 2);
	ix->sym = arena_array(arena, const struct ksym *, ks->count);

	for (size_t i = 0; i < ks->count; i++) {
		bucket[i] = hash_name(ks->sym[i].name) & ix->mask;
		ix->start[bucket[i] + 2]++;
	}
	for (size_t b = 0; b < buckets; b++)
		ix->start[b + 2] += ix->start[b + 1];
	for (size_t i = 0; i < ks->count; i++)
		ix->sym[ix->start[bucket[i] + 1]++] = &ks->sym[i];
	for (size_t b = 0; b < buckets; b++)
		sort_bucket(ix->sym + ix->start[b], ix->start[b + 1] - ix->start[b]);
	buf_fini(&room);
}

static bool in_module(const struct ksym *sym, const char *module)
{
	if (!sym->module)
		return !strcmp(module, "vmlinux");
	return !strcmp(module, sym->module);
}

size_t ksyms_find(const struct ksyms *ks, const char *name, const char *module,
		  const struct ksym *const **ret_first)
{
	struct name_index *ix = &ks->lazy->names;
	uint32_t bucket;
	size_t at, end, first;

	if (!ix->sym)
		build_names(ks, ix);
	bucket = hash_name(name) & ix->mask;
	at = ix->start[bucket];
	end = ix->start[bucket + 1];
	while (at < end && strcmp(ix->sym[at]->name, name))
		at++;
	/* A module's symbols stand together in the table, so in here too. */
	while (at < end && module && !strcmp(ix->sym[at]->name, name) &&
	       !in_module(ix->sym[at], module))
		at++;
	for (first = at; at < end && !strcmp(ix->sym[at]->name, name); at++) {
		if (module && !in_module(ix->sym[at], module))
			break;
	}
	*ret_first = ix->sym + first;
	return at - first;
}

uint64_t ksyms_address(const struct ksyms *ks, const char *name)
{
	const struct ksym *const *syms;

	return ksyms_find(ks, name, "vmlinux", &syms) ? syms[0]->addr : 0;
}
