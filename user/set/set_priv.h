/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * set_priv.h - what the files of a set call of each other. All return 0 or -errno with @diag.
 */
#ifndef SET_SET_PRIV_H
#define SET_SET_PRIV_H

#include "set/set.h"

/* Resolves @p. -EAGAIN without a message: it waits for its module, and p->plan is unchanged. */
int set_resolve_probe(struct set *s, struct probe *p, struct diag *diag);

/* The types of the named functions are needed in nearly every case: they are found in one pass. */
void set_expect_functions(struct set *s);

/* If the kernel refuses a program, a dearer backend is used, and this is reported. True: the caller may try again. */
bool set_fall_back(struct set *s, struct probe *p, struct diag *diag);
int set_load_as_planned(struct set *s, struct probe *p, struct diag *diag);

/* Attaches @p, or what it becomes if the kernel refuses it. */
int set_attach_probe(struct set *s, struct probe *p, struct diag *diag);
void set_close_probe(struct probe *p);

/* -EMFILE: says in @diag how many descriptors are needed. Returns @err. */
int set_advise_files(const struct set *s, int err, struct diag *diag);

#endif
