/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * doctor.h - checks whether this kernel and this user have what tracing needs.
 */
#ifndef CLI_DOCTOR_H
#define CLI_DOCTOR_H

#include <stdio.h>

/*
 * Prints one line for each check to @out, with the remedy where something is missing. Attaches nothing. Returns how many
 * things are missing without which no probe can run.
 */
int doctor_run(FILE *out);

#endif
