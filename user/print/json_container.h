/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * json_container.h - which container an event is from, as a member of its object.
 */
#ifndef PRINT_JSON_CONTAINER_H
#define PRINT_JSON_CONTAINER_H

#include "base/buf.h"
#include "print/event.h"

struct cgroups;

/* Appends the member "container", with a comma before it, if @ev has the field LAYOUT_CGROUP: null if @cgroups do not know its number. */
void json_container(struct cgroups *cgroups, const struct event *ev, struct buf *out);

#endif
