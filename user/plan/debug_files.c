// SPDX-License-Identifier: GPL-2.0-only
/*
 * debug_files.c - finds the debug information of the kernel and its modules.
 *
 * The usual places are those of the distributions' packages (Debian: /usr/lib/debug/boot, Fedora: /usr/lib/debug/lib/modules) and
 * of a kernel that was built here. A file is taken only if it has the build id of what runs.
 */
#include "plan/debug_files.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/macros.h"
#include "base/memory.h"
#include "elf/builds.h"
#include "elf/debug_file.h"
#include "elf/file.h"

struct opened {
	struct opened *next;
	const char *module;		/* NULL: the kernel */
	const char *name;
	int fd;
};

struct debug_files {
	struct arena arena;
	const char *vmlinux;
	bool any;
	const struct builds *builds;	/* of another run; NULL: what runs now */
	const char *release;		/* ... its kernel's; NULL: not known */
	struct opened *all;
	const char *other;		/* a file at one of the usual places, of another build; NULL: none was found */
};

struct debug_files *debug_files_new(const char *vmlinux, bool any)
{
	struct debug_files *f = must(calloc(1, sizeof(*f)));

	f->vmlinux = vmlinux;
	f->any = any;
	return f;
}

void debug_files_close(struct debug_files *f)
{
	for (struct opened *o = f ? f->all : NULL; o; o = o->next)
		close(o->fd);
	if (f)
		arena_fini(&f->arena);
	free(f);
}

void debug_files_of(struct debug_files *f, const struct builds *builds, const char *release)
{
	f->builds = builds;
	f->release = release;
}

const char *debug_files_vmlinux(const struct debug_files *f)
{
	return f->vmlinux;
}

/* ---- build ids ---- */

static struct build_id wanted_id(struct debug_files *f, const char *module)
{
	return f->builds ? builds_find(f->builds, module ? module : BUILDS_KERNEL) : build_id_running(module);
}

/* ---- looking ---- */

static int open_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	return fd < 0 ? -errno : fd;
}

static int try_file(const char *path, const struct build_id *wanted)
{
	return debug_file_checked(open_file(path), wanted);
}

static int find_kernel(struct debug_files *f, const char *release, const struct build_id *id, const char **ret_name)
{
	/* What is before the release, and what is behind it. */
	static const char *const places[][2] = {
		{ "/usr/lib/debug/boot/vmlinux-", "" }, { "/usr/lib/debug/lib/modules/", "/vmlinux" },
		{ "/usr/lib/debug/usr/lib/modules/", "/vmlinux" }, { "/lib/modules/", "/build/vmlinux" }, { "/lib/modules/", "/vmlinux" },
		{ "/boot/vmlinux-", "" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		const char *path = arena_printf(&f->arena, "%s%s%s", places[i][0], release, places[i][1]);
		int fd = try_file(path, id), other = fd < 0 && !f->other ? try_file(path, NULL) : -1;

		if (fd >= 0) {
			*ret_name = path;
			return fd;
		}
		if (other >= 0) {
			f->other = path;
			close(other);
		}
	}
	return -ENOENT;
}

/* nftw() has no argument for this. */
static struct {
	const char *module;
	const struct build_id *id;
	int fd;
	char *path;			/* malloc */
} walk;

/* A module NAME is in a file whose name may have '-' for '_'. */
static bool is_module_file(const char *file)
{
	size_t len = strlen(walk.module);

	for (size_t i = 0; i < len; i++) {
		if (file[i] != walk.module[i] && !(walk.module[i] == '_' && file[i] == '-'))
			return false;
	}
	return !strcmp(file + len, ".ko") || !strcmp(file + len, ".ko.debug");
}

static int look_at(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	if (type != FTW_F || !is_module_file(path + at->base))
		return 0;
	walk.fd = try_file(path, walk.id);
	if (walk.fd < 0)
		return 0;
	walk.path = must(strdup(path));
	return 1;
}

static int find_module(struct debug_files *f, const char *release, const char *module, const struct build_id *id, const char **ret_name)
{
	static const char *const places[] = { "/usr/lib/debug/lib/modules/", "/usr/lib/debug/usr/lib/modules/", "/lib/modules/" };

	walk.module = module;
	walk.id = id;
	walk.fd = -ENOENT;
	for (size_t i = 0; i < ARRAY_SIZE(places) && walk.fd < 0; i++)
		nftw(arena_printf(&f->arena, "%s%s", places[i], release), look_at, 16, FTW_PHYS);
	if (walk.fd >= 0)
		*ret_name = arena_strdup(&f->arena, walk.path);
	free(walk.path);
	walk.path = NULL;
	return walk.fd;
}

static int refuse_build(struct debug_files *f, const char *name, const struct build_id *is, const struct build_id *wanted,
			struct diag *diag)
{
	diag_set(diag, -EXDEV, "%s is of another build than the %s kernel: its build id is %s, and the kernel's is %s", name,
		 f->builds ? "recorded" : "running", build_id_text(&f->arena, is), build_id_text(&f->arena, wanted));
	diag_note(diag, "help: install the debug information of this kernel, or leave out --vmlinux");
	return -EXDEV;
}

static int open_named(struct debug_files *f, const struct build_id *wanted, struct diag *diag)
{
	int fd = open_file(f->vmlinux);
	struct build_id id;

	if (fd < 0)
		return diag_set(diag, fd, "cannot open %s: %s", f->vmlinux, strerror(-fd));
	id = build_id_of_file(fd);
	/* Of a recording without build ids only the symbols tell. */
	if (f->any || build_id_same(&id, wanted) || (f->builds && !wanted->len))
		return fd;
	close(fd);
	return refuse_build(f, f->vmlinux, &id, wanted, diag);
}

static int refuse_missing(struct debug_files *f, const char *release, const char *module, struct diag *diag)
{
	diag_set(diag, -ENOENT, "there is no debug information of %s%s%s", module ? "module " : f->builds ? "the kernel" : "the running kernel",
		 module ? module : "", f->builds && module && !builds_find(f->builds, module).len ? ", whose build is not known" : "");
	if (f->builds)
		return -ENOENT;
	if (f->other && !module)
		diag_note(diag, "note: %s is of another build than the running kernel", f->other);
	diag_note(diag, "help: install it (Debian: linux-image-%s-dbg; Fedora: kernel-debuginfo), or name the file: --vmlinux FILE",
		  release);
	return -ENOENT;
}

/* Beside the named file of another kernel, as its build and the distributions' packages have it. */
static int find_module_beside(struct debug_files *f, const char *module, const struct build_id *id, const char **ret_name)
{
	const char *slash = strrchr(f->vmlinux, '/');
	const char *dir = slash ? arena_strndup(&f->arena, f->vmlinux, (size_t)(slash - f->vmlinux)) : ".";

	walk.module = module;
	walk.id = id;
	walk.fd = -ENOENT;
	nftw(slash == f->vmlinux ? "/" : dir, look_at, 16, FTW_PHYS);
	if (walk.fd >= 0)
		*ret_name = arena_strdup(&f->arena, walk.path);
	free(walk.path);
	walk.path = NULL;
	return walk.fd;
}

static int find(struct debug_files *f, const char *module, bool local, const char **ret_name, struct diag *diag)
{
	struct build_id id = wanted_id(f, module);
	struct utsname uts;
	const char *release;
	int fd = -ENOENT;

	uname(&uts);
	release = f->builds ? f->release : uts.release;
	if (f->any && !f->vmlinux) {
		diag_set(diag, -ENOENT, "the debug information of another kernel%s is not known", module ? "'s module" : "");
		diag_note(diag, "help: name the kernel's file: --vmlinux FILE");
		return -ENOENT;
	}
	if (f->any && module) {
		fd = find_module_beside(f, module, NULL, ret_name);
		return fd >= 0 ? fd : diag_set(diag, -ENOENT, "no file with debug information of module %s is beside %s", module, f->vmlinux);
	}
	if (f->builds && f->vmlinux && module && id.len)
		fd = find_module_beside(f, module, &id, ret_name);
	if (fd >= 0)
		return fd;
	if (!module && f->vmlinux) {
		*ret_name = f->vmlinux;
		return open_named(f, &id, diag);
	}
	if (id.len) {
		*ret_name = arena_printf(&f->arena, "the debug file of build id %s", build_id_text(&f->arena, &id));
		fd = debug_file_checked(debug_file_by_id("", id.bytes, id.len), &id);
	}
	if (fd < 0 && id.len && release)
		fd = module ? find_module(f, release, module, &id, ret_name) : find_kernel(f, release, &id, ret_name);
	if (fd < 0 && id.len && !local) {
		*ret_name = arena_printf(&f->arena, "the debug file of build id %s", build_id_text(&f->arena, &id));
		fd = debug_file_checked(debug_file_by_server(id.bytes, id.len), &id);
	}
	if (fd < 0 && module && !id.len && !f->builds) {
		diag_set(diag, -ENOENT, "module %s is not loaded, or has no build id: its debug information cannot be found", module);
		diag_note(diag, "help: load it first: modprobe %s", module);
		return -ENOENT;
	}
	return fd < 0 ? refuse_missing(f, release, module, diag) : fd;
}

int debug_files_kernel(struct debug_files *f, const char *module, bool local, int *ret_fd, const char **ret_name, struct diag *diag)
{
	const char *name = NULL;
	struct opened *o;
	int fd;

	for (o = f->all; o; o = o->next) {
		if (module ? o->module && !strcmp(o->module, module) : !o->module)
			break;
	}
	if (!o) {
		fd = find(f, module, local, &name, diag);
		if (fd < 0)
			return fd;
		o = arena_new(&f->arena, struct opened);
		*o = (struct opened){ .next = f->all, .module = module ? arena_strdup(&f->arena, module) : NULL, .name = name, .fd = fd };
		f->all = o;
	}
	*ret_fd = o->fd;
	*ret_name = o->name;
	return 0;
}
