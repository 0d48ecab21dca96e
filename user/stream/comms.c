// SPDX-License-Identifier: GPL-2.0-only
/*
 * comms.c - the last known name of each task.
 */
#include "stream/comms.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void comms_fini(struct comms *c)
{
	free(c->all);
	*c = (struct comms){ 0 };
}

/* The entry of @pid, or the place for it. */
static struct comm *find(const struct comms *c, int32_t pid)
{
	uint32_t at = (uint32_t)pid * 2654435761u;

	while (c->all[at & (c->size - 1)].used && c->all[at & (c->size - 1)].pid != pid)
		at++;
	return &c->all[at & (c->size - 1)];
}

static void grow(struct comms *c)
{
	struct comms more = { .size = c->size ? c->size * 2 : 256, .nr = c->nr };

	more.all = must(calloc(more.size, sizeof(*more.all)));
	for (uint32_t i = 0; i < c->size; i++) {
		if (c->all[i].used)
			*find(&more, c->all[i].pid) = c->all[i];
	}
	free(c->all);
	*c = more;
}

void comms_set(struct comms *c, int32_t pid, const char name[BP_COMM_LEN])
{
	struct comm *at;

	if (2 * (c->nr + 1) > c->size)
		grow(c);
	at = find(c, pid);
	c->nr += !at->used;
	at->used = true;
	at->pid = pid;
	memcpy(at->name, name, BP_COMM_LEN);
}

void comms_print(const struct comms *c, struct buf *out)
{
	for (uint32_t i = 0; i < c->size; i++) {
		const struct comm *m = &c->all[i];

		if (!m->used || m->pid <= 0)
			continue;
		buf_dec(out, (uint64_t)m->pid);
		buf_addc(out, ' ');
		for (unsigned k = 0; k < BP_COMM_LEN && m->name[k]; k++)
			buf_addc(out, (unsigned char)m->name[k] < 0x20 || m->name[k] == 0x7f ? '?' : m->name[k]);
		buf_addc(out, '\n');
	}
}
