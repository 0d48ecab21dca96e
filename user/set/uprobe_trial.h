/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * uprobe_trial.h - finds out whether a user probe on a nop of five bytes damages a program.
 *
 * From 6.18 on the kernel puts a call in the place of such a nop, after its first hit. Until 7.1 (measured: 6.18.15, 6.19.14, 7.0.13 and
 * 7.1.13) the call writes the return address below the stack pointer, where a function that calls no other may keep its data: the red zone
 * of the System V ABI. 7.2.13 and 7.3.4 leave it alone.
 */
#ifndef SET_UPROBE_TRIAL_H
#define SET_UPROBE_TRIAL_H

#include "kernel/features.h"

/* Attaches a user probe, without a program, to a function of bprobe that a child runs. Only the child is traced. It takes a few ms. */
enum feature_trial uprobe_try(void);

#endif
