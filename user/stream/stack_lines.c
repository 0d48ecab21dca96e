// SPDX-License-Identifier: GPL-2.0-only
/*
 * stack_lines.c - looks for the lines of stacks' frames.
 *
 * Frames are sorted by the file that has their code, and each file's debug information is asked once for all of them. A line is
 * taken only from the same build: the build ids must be equal. A program without a build id must be the same file. The kernel's symbols must
 * be at the frames' places, too.
 */
#include "stream/stack_lines.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arch/user.h"
#include "base/cleanup.h"
#include "base/escape.h"
#include "base/progress.h"
#include "elf/debug_file.h"
#include "elf/demangle.h"
#include "elf/dwarf/lines.h"
#include "elf/symbols.h"
#include "kernel/syms/ksyms.h"
#include "plan/debug_files.h"
#include "print/later.h"
#include "stream/options.h"
#include "stream/stream.h"

/* Frames whose code is in one file. */
struct group {
	struct group *next;
	const char *name;		/* of the program's file, or of the module; NULL: the kernel itself */
	bool is_program;
	struct build_id id;		/* of a program's file, */
	uint64_t ino;			/* ... and its number; 0: not known */
	struct frame **frames;		/* in the scratch arena */
	unsigned nr, size;
};

struct asker {
	const struct stack_builds *of;
	const struct builds *running;	/* without @of */
	const struct ksyms *ks;
	struct debug_files *debug_files;
	struct arena *lines;		/* what is found lives as long as the frames */
	struct arena scratch;
	struct group *groups, **end;
	bool no_symbols;		/* the recording has frames of the kernel, and none of its symbols */
	struct buf without;		/* names of files without debug information, */
	struct buf others;		/* ... of those that are another build now, */
	struct buf unknown;		/* ... and of those whose build is not known */
};

/* ---- groups ---- */

static bool same_name(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static struct group *group_of(struct asker *a, const char *name, bool is_program, const struct build_id *id, uint64_t ino)
{
	struct group *g = a->groups;

	while (g && (g->is_program != is_program || !same_name(g->name, name) || !build_id_same(&g->id, id) || g->ino != ino))
		g = g->next;
	if (g)
		return g;
	g = arena_new(&a->scratch, struct group);
	*g = (struct group){ .name = name, .is_program = is_program, .id = *id, .ino = ino };
	*a->end = g;
	a->end = &g->next;
	return g;
}

static struct build_id program_id(const struct asker *a, const struct frame *f)
{
	struct build_id id = { .len = 0 };

	if (a->of)
		return builds_find(a->of->builds, f->file);
	if (f->build_id_len && f->build_id_len <= sizeof(id.bytes)) {
		id.len = f->build_id_len;
		memcpy(id.bytes, f->build_id, id.len);
	}
	return id;
}

/*
 * A return to the first byte of a function: another function ends with the call, or an interrupt came there. So the call is in no line of the
 * function that the frame shows.
 */
static bool is_between(uint64_t off, const struct frame *f)
{
	return f->is_return && !off;
}

static void add_to_group(struct asker *a, struct frame *f)
{
	const struct build_id none = { .len = 0 };
	const struct ksym *sym = f->file || !a->ks ? NULL : ksyms_lookup(a->ks, f->addr, NULL);
	struct build_id id;
	struct group *g;

	a->no_symbols |= !f->file && !a->ks;
	if (f->file ? !f->has_addr || (f->symbol && is_between(f->off, f)) : !sym || is_between(f->addr - sym->addr, f))
		return;
	id = f->file ? program_id(a, f) : none;
	g = group_of(a, f->file ? f->file : sym->module, f->file, &id, f->ino);
	g->frames = arena_grow(&a->scratch, g->frames, g->nr, &g->size);
	g->frames[g->nr++] = f;
}

/* ---- asking ---- */

/* Anybody can name a file. */
static void add_name(struct buf *out, const char *name)
{
	if (out->len)
		buf_adds(out, ", ");
	escape_text(out, name, strlen(name), "");
}

static void print_diag(const struct diag *diag)
{
	struct buf text = { 0 };

	diag_format(diag, "bprobe", &text);
	fputs(buf_str(&text), stderr);
	buf_fini(&text);
}

/* The names of C++ and Rust are readable in the rest of the stack, too. */
static void take_answer(struct asker *a, const struct group *g, const struct lines_answer *answer)
{
	struct buf name = { 0 };
	bool any = false;

	for (unsigned i = 0; i < g->nr; i++) {
		struct lines_frames *lines = &answer->frames[i];

		for (unsigned n = 0; n < lines->nr; n++) {
			buf_reset(&name);
			if (demangle(lines->all[n].function, &name))
				lines->all[n].function = arena_strdup(a->lines, buf_str(&name));
		}
		if (lines->nr)
			g->frames[i]->lines = lines;
	}
	buf_fini(&name);
	/* Symbols that are elsewhere in the file belong to another build. */
	for (unsigned i = 0; i < g->nr && !any; i++)
		any = g->frames[i]->lines;
	if (!any && !g->is_program)
		fprintf(stderr, "bprobe: no frame of %s has a line: the functions are at other places in its debug information\n",
			g->name ? g->name : "the kernel");
}

static void ask(struct asker *a, struct group *g, int fd, const char *name, const struct lines_address *addresses)
{
	const struct lines_query q = { .want = LINES_OF_ADDRESSES, .addresses = addresses, .nr_addresses = g->nr };
	struct lines_answer answer;
	struct diag diag = { 0 };
	int err;

	if (!g->nr)
		return;
	err = lines_ask(a->lines, fd, name, &q, 1, &answer, &diag);
	if (!err && answer.help)
		fprintf(stderr, "bprobe: stacks may have no lines in %s: %s\n", name, answer.help);
	if (!err)
		take_answer(a, g, &answer);
	else
		print_diag(&diag);
	diag_fini(&diag);
}

/* ---- the kernel and its modules ---- */

/*
 * The kernel is moved as a whole when it starts: all is relative to one symbol. Of a module each section is loaded anywhere, so the base
 * is a symbol near the frame. It must be the only one of its name, and another one than the frame's own if there is one, so that the frame's
 * symbol tells whether it is the same build.
 */
static bool find_base(const struct asker *a, const struct frame *f, const struct ksym *sym, struct lines_address *ret)
{
	static const char text[] = "_stext";
	const struct ksym *const *all;
	const struct ksym *base = sym;
	uint64_t at = ksyms_address(a->ks, text);
	bool found = false;

	*ret = (struct lines_address){ .base = text, .distance = f->addr - at, .symbol = sym->name, .off = f->addr - sym->addr,
				       .is_return = f->is_return };
	if (!sym->module)
		return at;
	for (; base && base->module == sym->module; base = ksyms_lookup(a->ks, base->addr - 1, NULL)) {
		if (ksyms_find(a->ks, base->name, sym->module, &all) == 1) {
			ret->base = base->name;
			ret->distance = f->addr - base->addr;
			found = true;
			if (base != sym)
				break;
		}
	}
	return found;
}

static void ask_kernel(struct asker *a, struct group *g)
{
	struct lines_address *addresses = arena_array(&a->scratch, struct lines_address, g->nr);
	struct diag diag = { 0 };
	const char *name;
	unsigned nr = 0;
	int fd;

	/* A module that was loaded anew since the tracing began has two builds, and so none that is known. */
	if (!a->of && g->name && !builds_find(a->running, g->name).len) {
		add_name(&a->others, g->name);
		return;
	}
	if (debug_files_kernel(a->debug_files, g->name, false, &fd, &name, &diag)) {
		print_diag(&diag);
		diag_fini(&diag);
		return;
	}
	for (unsigned i = 0; i < g->nr; i++) {
		g->frames[nr] = g->frames[i];
		nr += find_base(a, g->frames[i], ksyms_lookup(a->ks, g->frames[i]->addr, NULL), &addresses[nr]);
	}
	g->nr = nr;
	ask(a, g, fd, name, addresses);
}

/* ---- programs ---- */

/* A recorded frame has no address: only a name, a size and a distance. */
struct search {
	struct elf_symbols *symbols;
	bool was_read;
};

static bool find_address(struct search *s, int own_fd, int debug_fd, const struct frame *f, uint64_t *ret)
{
	if (f->addr != FRAME_NO_ADDR) {
		*ret = f->addr;
		return true;
	}
	if (!s->was_read) {
		s->was_read = true;
		if (elf_symbols_read(own_fd >= 0 ? own_fd : debug_fd, &s->symbols))
			s->symbols = NULL;
		else if (own_fd >= 0 && debug_fd >= 0 && debug_fd != own_fd)
			elf_symbols_add(s->symbols, debug_fd);
	}
	if (!s->symbols || !elf_symbols_named(s->symbols, f->symbol, f->size, ret))
		return false;
	*ret += f->off;
	return true;
}

/* The file itself. *ret_other: there is one, but of another build. A device is not opened. */
static int open_program(const struct group *g, bool *ret_other)
{
	struct stat st;
	struct build_id id;
	int fd;

	if (*g->name != '/' || stat(g->name, &st) || !S_ISREG(st.st_mode))
		return -1;
	fd = open(g->name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return -1;
	id = build_id_of_file(fd);
	if (build_id_same(&id, &g->id) && (g->id.len || (!fstat(fd, &st) && st.st_ino == g->ino)))
		return fd;
	*ret_other = true;
	close(fd);
	return -1;
}

/* The file with its debug information, which may be the program itself. */
static int open_debug(const struct group *g, int own_fd)
{
	struct elf_file *file;
	int fd = g->id.len ? debug_file_checked(debug_file_by_id("", g->id.bytes, g->id.len), &g->id) : -1;

	if (fd < 0 && own_fd >= 0 && debug_file_has_info(own_fd))
		return fcntl(own_fd, F_DUPFD_CLOEXEC, 0);
	if (fd < 0 && own_fd >= 0 && !elf_file_open(own_fd, &file)) {
		fd = debug_file_by_link("", file, g->name);
		elf_file_close(file);
	}
	return fd >= 0 || !g->id.len ? fd : debug_file_checked(debug_file_by_server(g->id.bytes, g->id.len), &g->id);
}

/*
 * The innermost frame of a program that has called the kernel is behind that instruction, and its line is the one of the call. Otherwise the
 * innermost frame is where the program was.
 */
static bool is_behind_syscall(struct elf_file *file, int fd, uint64_t addr)
{
	uint8_t bytes[USER_SYSCALL_SIZE];
	uint64_t off;

	return file && elf_file_off(file, addr - sizeof(bytes), &off) && pread(fd, bytes, sizeof(bytes), (off_t)off) == sizeof(bytes) &&
	       user_is_syscall(bytes);
}

static void ask_program(struct asker *a, struct group *g)
{
	struct lines_address *addresses = arena_array(&a->scratch, struct lines_address, g->nr);
	bool is_other = false, is_known = g->id.len || (!a->of && g->ino);
	auto_fd own_fd = is_known ? open_program(g, &is_other) : -1;
	auto_fd debug_fd = is_known ? open_debug(g, own_fd) : -1;
	struct search search = { .was_read = false };
	struct elf_file *own = NULL;
	unsigned nr = 0;

	if (debug_fd < 0) {
		add_name(!is_known ? &a->unknown : is_other ? &a->others : &a->without, g->name);
		return;
	}
	if (own_fd >= 0 && elf_file_open(own_fd, &own))
		own = NULL;
	for (unsigned i = 0; i < g->nr; i++) {
		struct lines_address *to = &addresses[nr];

		g->frames[nr] = g->frames[i];
		/* Without the program it is not known whether a system call is in front of the innermost frame. */
		if ((!own && !g->frames[i]->is_return) || !find_address(&search, own_fd, debug_fd, g->frames[i], &to->distance))
			continue;
		to->is_return = g->frames[i]->is_return || is_behind_syscall(own, own_fd, to->distance);
		nr++;
	}
	elf_file_close(own);
	elf_symbols_free(search.symbols);
	g->nr = nr;
	ask(a, g, debug_fd, g->name, addresses);
}

/* ---- all ---- */

static void print_names(const struct buf *names, const char *why)
{
	if (names->len)
		fprintf(stderr, "bprobe: stacks have no lines where %s: %s\n", why, buf_str(names));
}

struct wish {
	const struct options *opts;
	const struct stack_builds *of;
	struct builds running;		/* of the kernel and its modules, when the tracing began */
};

static void ask_all(struct asker *a)
{
	for (struct group *g = a->groups; g; g = g->next) {
		if (progress_interrupted()) {
			fputs("bprobe: a signal ended the search for lines: not all frames have theirs\n", stderr);
			return;
		}
		if (g->is_program)
			ask_program(a, g);
		else
			ask_kernel(a, g);
	}
}

static void look_for_lines(void *ctx, const struct text *t, struct frames *frames)
{
	struct wish *w = ctx;
	struct asker a = { .of = w->of, .ks = t->ks, .lines = frames_arena(frames) };

	a.end = &a.groups;
	a.debug_files = debug_files_new(w->opts->set.machine.vmlinux, false);
	if (w->of)
		debug_files_of(a.debug_files, w->of->builds, w->of->release);
	else
		builds_add_running(&w->running);
	a.running = &w->running;
	for (struct frame *f = frames_first(frames); f; f = f->next) {
		if (!f->is_asked)
			add_to_group(&a, f);
		f->is_asked = true;
	}
	ask_all(&a);
	if (a.no_symbols)
		fputs("bprobe: the kernel's frames have no lines: its symbols are not known\n", stderr);
	print_names(&a.without, "there is no debug information");
	print_names(&a.others, "another build is there now, or none is known");
	print_names(&a.unknown, w->of ? "the recording has no build id" : "the file has no build id, and is not known");
	debug_files_close(a.debug_files);
	buf_fini(&a.without);
	buf_fini(&a.others);
	buf_fini(&a.unknown);
	arena_fini(&a.scratch);
}

static void free_wish(void *ctx)
{
	struct wish *w = ctx;

	builds_fini(&w->running);
	free(w);
}

/* An event that waits for its module is not known yet. */
static bool has_stacks(const struct stream *s)
{
	bool has = false;

	for (unsigned i = 0; i < s->nr_sources; i++)
		has |= !s->sources[i].layout || s->sources[i].layout->stacks;
	return has;
}

int stack_lines_open(const struct options *o, const struct stack_builds *of, struct stream *s, struct diag *diag)
{
	static const struct later_asker asker = { look_for_lines, free_wish };
	struct wish *w;
	int err;

	if (!o->lines.lines_in_stacks)
		return 0;
	if (!has_stacks(s))
		fputs("bprobe: warning: --lines-in-stacks has nothing to do: no event has a stack; -k and -u record stacks\n", stderr);
	if (!lines_is_known)
		return diag_set(diag, -EOPNOTSUPP, "this bprobe was built without libdw, which reads debug information");
	w = calloc(1, sizeof(*w));
	if (!w)
		return diag_set(diag, -ENOMEM, "out of memory");
	w->opts = o;
	w->of = of;
	if (!of)
		builds_add_running(&w->running);
	err = later_open(s->sink, &asker, w, &s->text.later, diag);
	if (err)
		return err;
	s->to = s->text.later;
	s->sink = later_sink(s->text.later);
	return 0;
}
