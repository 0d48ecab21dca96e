// SPDX-License-Identifier: GPL-2.0-only
/*
 * kbtf_print.c - writes prototypes of functions in C, with libbpf's btf_dump.
 */
#include "kernel/btf/kbtf_print.h"

#include <bpf/btf.h>

#include "base/macros.h"
#include "base/memory.h"
#include "kernel/btf/btf_check.h"
#include "kernel/btf/btf_raw.h"

/* There is one for the kernel's BTF, and one for each module's. */
struct dump {
	struct dump *next;
	const struct btf_raw *btf;
	struct btf_dump *dump;
};

struct kbtf_printer {
	struct kbtf *kb;
	struct dump *dumps;
	struct buf *out;		/* the output of the current call */
};

struct kbtf_printer *kbtf_printer_new(struct kbtf *kb)
{
	struct kbtf_printer *pr = must(calloc(1, sizeof(*pr)));

	pr->kb = kb;
	return pr;
}

void kbtf_printer_free(struct kbtf_printer *pr)
{
	while (pr && pr->dumps) {
		struct dump *d = pr->dumps;

		pr->dumps = d->next;
		btf_dump__free(d->dump);
		free(d);
	}
	free(pr);
}

static void PRINTF_LIKE(2, 0) take_text(void *ctx, const char *fmt, va_list args)
{
	struct kbtf_printer *pr = ctx;
	char *text;

	if (vasprintf(&text, fmt, args) < 0)
		return;
	buf_adds(pr->out, text);
	free(text);
}

static struct btf_dump *dump_of(struct kbtf_printer *pr, const struct btf_raw *btf)
{
	const struct btf *types;
	struct dump *d;

	for (d = pr->dumps; d; d = d->next) {
		if (d->btf == btf)
			return d->dump;
	}
	types = kbtf_libbpf(pr->kb, btf);
	d = types ? calloc(1, sizeof(*d)) : NULL;
	if (!d)
		return NULL;
	*d = (struct dump){ .next = pr->dumps, .btf = btf, .dump = btf_dump__new(types, take_text, pr, NULL) };
	pr->dumps = d;
	return d->dump;
}

static void print_decl(struct btf_dump *dump, struct kbtf_id type, const char *name)
{
	LIBBPF_OPTS(btf_dump_emit_type_decl_opts, opts, .field_name = name);

	btf_dump__emit_type_decl(dump, type.id, &opts);
}

static bool can_be_printed(const struct kbtf_func *func)
{
	bool can = btf_check_declaration(func->ret.btf, func->ret.id);

	for (unsigned i = 0; can && i < func->nr_params; i++) {
		struct kbtf_id type;

		kbtf_param(func, i, &type);
		can = btf_check_declaration(type.btf, type.id);
	}
	return can;
}

void kbtf_print_proto(struct kbtf_printer *pr, const struct kbtf_func *func, const char *name,
		      struct buf *out)
{
	struct btf_dump *dump = pr ? dump_of(pr, func->proto.btf) : NULL;

	if (!dump || !can_be_printed(func))
		return;
	pr->out = out;
	print_decl(dump, func->ret, name);
	buf_addc(out, '(');
	for (unsigned i = 0; i < func->nr_params; i++) {
		struct kbtf_id type;
		const char *param = kbtf_param(func, i, &type);

		if (i)
			buf_adds(out, ", ");
		print_decl(dump, type, param);
	}
	if (func->is_variadic)
		buf_adds(out, func->nr_params ? ", ..." : "...");
	buf_adds(out, func->nr_params || func->is_variadic ? ")" : "void)");
}

void kbtf_print_param(struct kbtf_printer *pr, struct kbtf_id id, const char *name, struct buf *out)
{
	struct btf_dump *dump = pr && btf_check_declaration(id.btf, id.id) ? dump_of(pr, id.btf) : NULL;

	if (!dump)
		return;
	pr->out = out;
	print_decl(dump, id, name);
}

bool kbtf_is_text(struct kbtf_id id)
{
	const struct btf_type *t = btf_raw_type(id.btf, id.id);
	struct kbtf_type to;

	if (!t || !btf_is_ptr(t))
		return false;
	id.id = t->type;
	t = btf_raw_type(id.btf, id.id);
	if (!t || !btf_is_const(t))
		return false;
	kbtf_describe(id, &to);
	return to.kind == KBTF_INT && to.is_char && to.is_signed;
}
