/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kbtf_print.h - prototypes of functions as C writes them.
 */
#ifndef KERNEL_BTF_KBTF_PRINT_H
#define KERNEL_BTF_KBTF_PRINT_H

#include "base/buf.h"
#include "kernel/btf/kbtf.h"

struct kbtf_printer;

/* Keeps what libbpf needs from one prototype to the next; must end before the kbtf. */
struct kbtf_printer *kbtf_printer_new(struct kbtf *kb);
void kbtf_printer_free(struct kbtf_printer *pr);	/* NULL is fine */

/* Appends "ssize_t vfs_read(struct file *file, ...)" for function @name. */
void kbtf_print_proto(struct kbtf_printer *pr, const struct kbtf_func *func, const char *name,
		      struct buf *out);

/* Is it "const char *"? What one may write to is no text yet. */
bool kbtf_is_text(struct kbtf_id id);

#endif
