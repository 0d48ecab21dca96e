// SPDX-License-Identifier: GPL-2.0-only
/*
 * ksyms_read.c - reads the text of /proc/kallsyms, or of a file like it, into a table of symbols.
 *
 * It reads piece by piece, so only the symbols that are kept stay in memory.
 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "kernel/syms/ksyms_table.h"

/* A seq_file returns about one page for each read(2), whatever size is requested. */
enum { READ_SIZE = 1 << 16, NAMES_SIZE = 1 << 16, LONGEST_LINE = 1 << 16 };

/* 0 at the end of the file, -errno, or the number of bytes added. */
static ssize_t read_more(int fd, struct buf *out)
{
	ssize_t got;

	do
		got = read(fd, buf_room(out, READ_SIZE), READ_SIZE);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return -errno;
	out->len += (size_t)got;
	out->data[out->len] = '\0';
	return got;
}

int ksyms_read_file(const char *path, struct buf *out)
{
	auto_fd fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = 1;

	if (fd < 0)
		return -errno;
	while (got > 0)
		got = read_more(fd, out);
	return (int)got;
}

/* ---- the text ---- */

/* 1 + the value of a hexadecimal digit; 0 for every other character. */
static const unsigned char hex_digit[256] = {
	['0'] = 1, ['1'] = 2, ['2'] = 3, ['3'] = 4, ['4'] = 5, ['5'] = 6, ['6'] = 7, ['7'] = 8,
	['8'] = 9, ['9'] = 10, ['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15,
	['f'] = 16, ['A'] = 11, ['B'] = 12, ['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
};

static bool is_type(char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '?' || c == '-';
}

/* Returns the end of a word. The NUL after the text also ends a word, so the search stays in the text. */
static char *skip_word(char *at)
{
	while ((unsigned char)*at > ' ')
		at++;
	return at;
}

/* Parses "\t[MODULE]". */
static char *parse_module(char *at, struct ksym *sym)
{
	char *name = at + 2, *end;

	if (at[0] != '\t' || at[1] != '[')
		return NULL;
	end = skip_word(name);
	if (end - name < 2 || end[-1] != ']')
		return NULL;
	end[-1] = '\0';
	sym->module = name;
	return end;
}

/*
 * Cuts one line into strings: "ADDRESS TYPE NAME", and "\t[MODULE]" after it for a module's symbol. Returns the next
 * line, and the length of the name; NULL: the line is something else.
 */
static char *parse_line(char *at, struct ksym *sym, size_t *name_len)
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
	*name_len = (size_t)(end - sym->name);
	if (*end == '\t') {
		at = parse_module(end, sym);
		if (!at)
			return NULL;
	}
	if (*at != '\n' && *at != '\0')
		return NULL;
	at += *at == '\n';
	*end = '\0';
	return at;
}

/*
 * From 7.0 on, the kernel's .data is executable in the ELF file, so nm gives its symbols the type of text ('t'). This
 * changes symbols that are after the text and not in boot code back to data ('d').
 */
static void correct_types(struct ksyms_lazy *t)
{
	uint64_t etext = 0, boot = 0, boot_end = 0;

	for (size_t i = 0; i < t->count && !t->sym[i].module; i++) {
		const char *name = t->sym[i].name;

		/* Most names do not get as far as strcmp(). */
		if (name[0] != '_' || (name[1] != 'e' && (name[1] != '_' || name[2] != 'i')))
			continue;
		if (!strcmp(name, "_etext"))
			etext = t->sym[i].addr;
		else if (!strcmp(name, "__init_begin"))
			boot = t->sym[i].addr;
		else if (!strcmp(name, "__init_end"))
			boot_end = t->sym[i].addr;
	}
	for (size_t i = 0; etext && i < t->count && !t->sym[i].module; i++) {
		struct ksym *sym = &t->sym[i];

		sym->type = ksyms_right_type(sym->type, sym->addr, etext, boot, boot_end);
	}
}

static int read_error(const char *path, int err, struct diag *diag)
{
	diag_set(diag, err, "cannot read %s: %s", path, strerror(-err));
	if (err == -ENOENT)
		diag_note(diag, "help: mount /proc; if it is mounted, this kernel was built without CONFIG_KALLSYMS");
	else if (err == -EACCES || err == -EPERM)
		diag_note(diag, "help: run as root");
	return err;
}

/* ---- the table ---- */

/* The state while a file is read. */
struct input {
	struct ksyms_lazy *t;
	bool modules_only, seen_address;
	struct buf syms;		/* of struct ksym */
	char *names;			/* room for more names */
	size_t names_left;
	const char *module;		/* of the symbol before; its pointer is used again */
	size_t lines;
};

static const char *store_name(struct input *r, const char *name, size_t len)
{
	size_t size = len + 1;
	char *kept;

	if (size > r->names_left) {
		r->names_left = MAX(size, (size_t)NAMES_SIZE);
		r->names = arena_alloc(&r->t->arena, r->names_left);
	}
	kept = memcpy(r->names, name, size);
	r->names += size;
	r->names_left -= size;
	return kept;
}

/*
 * The modules' symbols come one module after the other. Comparing with the symbol before is enough to give each module
 * only one pointer.
 */
static void keep(struct input *r, struct ksym *sym, size_t name_len)
{
	if (sym->addr)
		r->seen_address = true;
	if (r->modules_only && !sym->module)
		return;
	if (sym->module && (!r->module || strcmp(r->module, sym->module)))
		r->module = store_name(r, sym->module, strlen(sym->module));
	sym->module = sym->module ? r->module : NULL;
	sym->name = store_name(r, sym->name, name_len);
	buf_add(&r->syms, sym, sizeof(*sym));
}

/* Takes the lines of @text up to its last newline, or all of it at the end of the file. Moves the rest to the front. */
static int take_lines(struct input *r, struct buf *text, bool end, const char *path, struct diag *diag)
{
	char *stop = end ? text->data + text->len : memrchr(text->data, '\n', text->len), *at = text->data;

	if (!stop && text->len > LONGEST_LINE)
		return diag_set(diag, -EBADMSG, "%s: line %zu has more than %d bytes, so it is not a symbol", path, r->lines + 1,
				LONGEST_LINE);
	if (!stop)
		return 0;
	for (stop += !end; at < stop; r->lines++) {
		struct ksym sym;
		size_t name_len;
		char *next = parse_line(at, &sym, &name_len);

		if (!next)
			return diag_set(diag, -EBADMSG,
					"%s: line %zu is not 'ADDRESS TYPE NAME': '%.*s'", path,
					r->lines + 1, (int)MIN(strcspn(at, "\n"), (size_t)60), at);
		keep(r, &sym, name_len);
		at = next;
	}
	text->len -= (size_t)(at - text->data);
	memmove(text->data, at, text->len + 1);
	return 0;
}

static int read_lines(struct input *r, int fd, const char *path, struct diag *diag)
{
	struct buf text = { 0 };
	int err = 0;

	while (!err) {
		ssize_t got = read_more(fd, &text);

		if (got < 0)
			err = read_error(path, (int)got, diag);
		else
			err = take_lines(r, &text, !got, path, diag);
		if (got <= 0)
			break;
	}
	buf_fini(&text);
	if (!err && !r->lines)
		err = diag_set(diag, -EBADMSG, "%s is empty: no symbol of the kernel is known", path);
	return err;
}

int ksyms_read_table(struct ksyms_lazy *t, const char *path, bool modules_only, bool *ret_hidden, struct diag *diag)
{
	auto_fd fd = open(path, O_RDONLY | O_CLOEXEC);
	struct input r = { .t = t, .modules_only = modules_only };
	int err;

	if (fd < 0)
		return read_error(path, -errno, diag);
	err = read_lines(&r, fd, path, diag);
	t->sym_room = r.syms;
	t->sym = (struct ksym *)(void *)r.syms.data;
	t->count = r.syms.len / sizeof(*t->sym);
	*ret_hidden = !r.seen_address;
	if (!err && !modules_only)
		correct_types(t);
	return err;
}

int ksyms_read_start(const char *path, bool (*take)(void *ctx, const struct ksym *sym), void *ctx)
{
	auto_fd fd = open(path, O_RDONLY | O_CLOEXEC);
	struct buf text = { 0 };
	ssize_t got = fd < 0 ? -errno : read_more(fd, &text);
	char *stop = got > 0 ? memrchr(text.data, '\n', text.len) : NULL, *at = text.data;
	struct ksym sym;
	size_t name_len;

	while (stop && at && at < stop) {
		at = parse_line(at, &sym, &name_len);
		if (at && !take(ctx, &sym))
			at = NULL;
	}
	buf_fini(&text);
	return stop && at ? 0 : -EBADMSG;
}
