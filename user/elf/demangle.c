// SPDX-License-Identifier: GPL-2.0-only
/*
 * demangle.c - names of C++ and Rust functions, by libiberty.
 *
 * A name comes from a file that anybody can make, and a short one can stand for a text of gigabytes: it may say "the type before,
 * twice" again and again. So the text is taken in the pieces that libiberty writes. A long jump leaves libiberty when the text is
 * too long.
 *
 * The jump must not lose memory. With a callback libiberty works on the stack, and limits its depth. There is one exception: a Rust
 * identifier that is not ASCII (punycode) is in allocated memory while it is written, as one piece. Such a piece has a byte that is
 * not ASCII, so the jump waits for a piece without. What doubles a text writes such pieces, too: "::", "<", ", "
 * (libiberty/rust-demangle.c).
 */
#include "elf/demangle.h"

#include <string.h>

#ifndef HAVE_LIBIBERTY

const bool demangle_is_known = false;

bool demangle(const char *name, struct buf *out)
{
	(void)name;
	(void)out;
	return false;
}

bool demangle_short(const char *name, struct buf *out)
{
	(void)name;
	(void)out;
	return false;
}

#else

#include <setjmp.h>
#if __has_include(<libiberty/demangle.h>)
#include <libiberty/demangle.h>
#else
#include <demangle.h>
#endif

#include "base/macros.h"

const bool demangle_is_known = true;

struct text {
	struct buf *out;
	size_t before;			/* out->len at the begin */
	bool may_own;			/* a piece may be in memory that libiberty has allocated */
	bool is_long;			/* and what follows is not wanted */
	jmp_buf too_long;
};

static bool is_ascii(const char *piece, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if ((unsigned char)piece[i] > 127)
			return false;
	}
	return true;
}

static void add(const char *piece, size_t len, void *arg)
{
	struct text *t = arg;

	t->is_long |= t->out->len + len > t->before + DEMANGLED_MAX;
	if (t->is_long && (!t->may_own || is_ascii(piece, len)))
		longjmp(t->too_long, 1);
	if (!t->is_long)
		buf_add(t->out, piece, len);
}

typedef int (*demangle_fn)(const char *name, int how, demangle_callbackref add, void *arg);

/* False: @t->out may have a part. */
static bool try(demangle_fn fn, const char *name, int how, struct text *t)
{
	t->may_own = fn == rust_demangle_callback;
	t->is_long = false;
	return setjmp(t->too_long) == 0 && fn(name, how, add, t) && !t->is_long;
}

/* Rust's first: its older names are names of C++, too, with a hash at the end. */
static bool demangle_plain(const char *name, int how, struct buf *out)
{
	static const demangle_fn fns[] = { rust_demangle_callback, cplus_demangle_v3_callback };
	struct text t = { .out = out, .before = out->len };

	for (size_t i = 0; i < ARRAY_SIZE(fns); i++) {
		if (try(fns[i], name, how, &t))
			return true;
		out->len = t.before;
		buf_add(out, "", 0);	/* ends the text */
	}
	return false;
}

/* libiberty takes other words for Rust's too, such as R... Only @name without its version is one. */
static bool demangle_cut(const char *name, size_t len, int how, struct buf *out)
{
	struct buf plain = { 0 };
	bool ok;

	if (!demangle_may(name))
		return false;
	if (!name[len])
		return demangle_plain(name, how, out);
	buf_add(&plain, name, len);
	ok = demangle_plain(buf_str(&plain), how, out);
	buf_fini(&plain);
	return ok;
}

bool demangle(const char *name, struct buf *out)
{
	size_t len = strcspn(name, "@");

	if (!demangle_cut(name, len, DMGL_PARAMS | DMGL_ANSI, out))
		return false;
	buf_adds(out, name + len);
	return true;
}

bool demangle_short(const char *name, struct buf *out)
{
	return demangle_cut(name, strcspn(name, "@"), DMGL_ANSI, out);
}

#endif
