// SPDX-License-Identifier: GPL-2.0-only
/*
 * kbtf_call.c - a type as the calling convention sees it: the numbers that are in it, each with its place.
 */
#include <linux/btf.h>
#include <bpf/btf.h>

#include "arch/call.h"
#include "kernel/btf/btf_raw.h"
#include "kernel/btf/kbtf.h"

/* Registers pass no type in which more types are nested, because each nested type has at least one byte or is empty. */
enum { INSIDE_MAX = 32 };

/* Bytes of a type; 0: unknown. */
static uint64_t size_of(const struct btf_raw *btf, uint32_t id, unsigned depth)
{
	const struct btf_type *t = btf_raw_bare(btf, &id);

	if (!t || depth > INSIDE_MAX || btf_is_void(t) || btf_is_func_proto(t))
		return 0;
	if (btf_is_ptr(t))
		return sizeof(uint64_t);
	if (btf_is_array(t))
		return btf_array(t)->nelems * size_of(btf, btf_array(t)->type, depth + 1);
	return t->size;
}

static void add_type(struct kbtf_id id, uint64_t bits, uint32_t bit_size, unsigned depth, struct call_type *ret);

static void add_members(const struct btf_raw *btf, const struct btf_type *t, uint64_t bits, unsigned depth, struct call_type *ret)
{
	for (unsigned i = 0; i < btf_vlen(t); i++) {
		struct kbtf_id type = { btf, btf_members(t)[i].type };

		add_type(type, bits + btf_member_bit_offset(t, i), btf_member_bitfield_size(t, i), depth, ret);
	}
}

static void add_array(const struct btf_raw *btf, const struct btf_array *array, uint64_t bits, unsigned depth, struct call_type *ret)
{
	struct kbtf_id type = { btf, array->type };
	uint64_t size = size_of(btf, array->type, depth);

	/* Elements behind the words that registers pass change nothing. */
	for (uint32_t i = 0; size && i < array->nelems && (!i || bits / 64 + i * size / 8 < CALL_WORDS); i++)
		add_type(type, bits + 8 * i * size, 0, depth, ret);
}

/* Adds all that is in type @id, which is @bits from the start of @ret. @bit_size: it is a bit-field; else 0. */
static void add_type(struct kbtf_id id, uint64_t bits, uint32_t bit_size, unsigned depth, struct call_type *ret)
{
	const struct btf_type *t = id.btf ? btf_raw_bare(id.btf, &id.id) : NULL;

	if (!t || depth > INSIDE_MAX)
		return;
	if (bit_size)
		call_type_add(ret, bits / 8 * 8, (bits % 8 + bit_size + 7) / 8, 1, false);
	else if (btf_is_composite(t))
		add_members(id.btf, t, bits, depth + 1, ret);
	else if (btf_is_array(t))
		add_array(id.btf, btf_array(t), bits, depth + 1, ret);
	else
		call_type_add(ret, bits, btf_is_ptr(t) ? sizeof(uint64_t) : t->size, 0, btf_is_float(t));
}

void kbtf_call_type(struct kbtf_id id, struct call_type *ret)
{
	call_type_start(ret, id.btf ? size_of(id.btf, id.id, 0) : 0);
	/* What registers do not pass needs no more than its size and alignment, and only 128-bit integers are aligned to more than 8. */
	if (ret->size)
		add_type(id, 0, 0, 0, ret);
}
