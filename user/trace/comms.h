/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * comms.h - the last name of each task that was seen.
 */
#ifndef TRACE_COMMS_H
#define TRACE_COMMS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "bprobe_abi.h"

struct comm {
	int32_t pid;
	char name[BP_COMM_LEN];
	bool used;
};

/* Begins as zeroes; comms_fini() frees what is in it. */
struct comms {
	struct comm *all;		/* a hash table with open addressing */
	uint32_t size, nr;		/* a power of two; in use */
};

void comms_fini(struct comms *c);

void comms_set(struct comms *c, int32_t pid, const char name[BP_COMM_LEN]);

/* Appends "PID NAME\n" for each but the idle tasks, as the kernel's saved_cmdlines; control characters as '?'. */
void comms_print(const struct comms *c, struct buf *out);

#endif
