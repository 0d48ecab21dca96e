/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kbtf_print.h - writes prototypes of functions in C.
 */
#ifndef KERNEL_BTF_KBTF_PRINT_H
#define KERNEL_BTF_KBTF_PRINT_H

#include "base/buf.h"
#include "kernel/btf/kbtf.h"

struct kbtf_printer;

/* Keeps libbpf's data from one prototype to the next. Must be freed before the kbtf. */
struct kbtf_printer *kbtf_printer_new(struct kbtf *kb);
void kbtf_printer_free(struct kbtf_printer *pr);	/* NULL is fine */

/* Appends "ssize_t vfs_read(struct file *file, ...)" for function @name. */
void kbtf_print_proto(struct kbtf_printer *pr, const struct kbtf_func *func, const char *name,
		      struct buf *out);

/* Appends "struct file *file" for a parameter @name of type @id. Nothing, if the type cannot be read. */
void kbtf_print_param(struct kbtf_printer *pr, struct kbtf_id id, const char *name, struct buf *out);

/* Is it "const char *"? A pointer to writable characters does not count: they may be no text yet. */
bool kbtf_is_text(struct kbtf_id id);

#endif
