/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * comms.h - the last known name of each task.
 */
#ifndef STREAM_COMMS_H
#define STREAM_COMMS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "bprobe_abi.h"

struct comm {
	int32_t pid;
	char name[BP_COMM_LEN];
	bool used;
};

/* Starts as zeroes; comms_fini() frees its memory. */
struct comms {
	struct comm *all;		/* a hash table with open addressing */
	uint32_t size, nr;		/* size is a power of two; nr entries are in use */
};

void comms_fini(struct comms *c);

void comms_set(struct comms *c, int32_t pid, const char name[BP_COMM_LEN]);

/* Appends "PID NAME\n" for each task except the idle tasks, like the kernel's saved_cmdlines. Control characters become '?'. */
void comms_print(const struct comms *c, struct buf *out);

#endif
