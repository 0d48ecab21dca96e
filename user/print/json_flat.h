/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * json_flat.h - objects without objects in them, for databases that have columns.
 *
 * A member's name is the names on the way to it, joined by '_'. An array of objects becomes an array for each of their members. What
 * is null is left out, and so is an array without any value.
 */
#ifndef PRINT_JSON_FLAT_H
#define PRINT_JSON_FLAT_H

#include <stddef.h>

#include "base/buf.h"

/*
 * Changes the object that @out has from @from on, a line of bprobe's own JSON, into such an object. If two members would have one name, the
 * second one gets "_2" behind it, the next one "_3".
 */
void json_flatten(struct buf *out, size_t from);

#endif
