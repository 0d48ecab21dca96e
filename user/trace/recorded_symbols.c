// SPDX-License-Identifier: GPL-2.0-only
/*
 * recorded_symbols.c - the symbols that recordings have.
 */
#include "trace/recorded_symbols.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "dat/dat.h"
#include "kernel/syms/ksyms.h"

/* What one kernel had at one time. The texts stay in a file in memory, to be compared with those of other recordings. */
struct symbols_set {
	struct symbols_set *next;
	struct ksyms *ks;
	int fd;
	size_t len;			/* bytes of the symbols' text; behind them is the list of modules, */
	size_t all;			/* ... up to here */
};

static bool write_text(int fd, const char *text, size_t len)
{
	for (size_t done = 0; done < len;) {
		ssize_t n = write(fd, text + done, len - done);

		if (n <= 0)
			return false;
		done += (size_t)n;
	}
	return true;
}

/* Symbols are read from files, so the text becomes a file in memory. */
static int memory_file(const char *name, const char *text, size_t len)
{
	auto_fd fd = memfd_create(name, MFD_CLOEXEC);

	return fd >= 0 && write_text(fd, text, len) ? take_fd(fd) : -1;
}

static const char *modules_of(const struct dat_file *f)
{
	return f->modules ? f->modules : "";
}

static bool has_same(const struct symbols_set *s, const struct dat_file *f)
{
	const char *modules = modules_of(f);
	char *text;
	bool same;

	if (s->len != f->kallsyms_len || s->all != s->len + strlen(modules))
		return false;
	text = mmap(NULL, s->all, PROT_READ, MAP_SHARED, s->fd, 0);
	if (text == MAP_FAILED)
		return false;
	same = !memcmp(text, f->kallsyms, s->len) && !memcmp(text + s->len, modules, s->all - s->len);
	munmap(text, s->all);
	return same;
}

static int load(const struct dat_file *f, struct symbols_set *s, struct diag *diag)
{
	const char *modules_text = modules_of(f);
	auto_fd symbols = memory_file("kallsyms", f->kallsyms, f->kallsyms_len);
	auto_fd modules = symbols >= 0 && f->modules ? memory_file("modules", modules_text, strlen(modules_text)) : -1;
	struct buf path = { 0 }, modules_path = { 0 };
	int err;

	if (symbols < 0 || (f->modules && modules < 0))
		return diag_set(diag, -errno, "no memory for the symbols: %s", strerror(errno));
	buf_addf(&path, "/proc/self/fd/%d", symbols);
	buf_addf(&modules_path, "/proc/self/fd/%d", modules);
	err = ksyms_load_with(buf_str(&path), modules < 0 ? NULL : buf_str(&modules_path), &s->ks, diag);
	if (!err)
		ksyms_lookup(s->ks, 0, NULL);	/* reads the modules now */
	buf_fini(&path);
	buf_fini(&modules_path);
	if (err)
		return err;
	if (!write_text(symbols, modules_text, strlen(modules_text))) {
		ksyms_close(s->ks);
		return diag_set(diag, -errno, "no memory for the symbols: %s", strerror(errno));
	}
	s->len = f->kallsyms_len;
	s->all = s->len + strlen(modules_text);
	s->fd = take_fd(symbols);
	return 0;
}

int recorded_symbols_get(struct recorded_symbols *all, const struct dat_file *f, struct ksyms **ret, struct diag *diag)
{
	struct symbols_set *s;
	int err;

	*ret = NULL;
	if (!f->kallsyms)
		return 0;
	for (s = all->sets; s; s = s->next) {
		if (has_same(s, f)) {
			*ret = s->ks;
			return 0;
		}
	}
	s = arena_new(&all->arena, struct symbols_set);
	err = load(f, s, diag);
	if (err)
		return err;
	s->next = all->sets;
	all->sets = s;
	*ret = s->ks;
	return 0;
}

void recorded_symbols_fini(struct recorded_symbols *all)
{
	for (struct symbols_set *s = all->sets; s; s = s->next) {
		ksyms_close(s->ks);
		close(s->fd);
	}
	arena_fini(&all->arena);
	all->sets = NULL;
}
