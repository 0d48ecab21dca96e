// SPDX-License-Identifier: GPL-2.0-only
/*
 * btf_check.c - can a BTF file be given to a reader that trusts it?
 */
#include "kernel/btf/btf_check.h"

#include <bpf/btf.h>

/* A declaration in C has only a few parts. Compilers must accept twelve (C11, 5.2.4.1). */
enum { MAX_DEPTH = 32, MAX_PARTS = 4096 };

/* ---- files ---- */

static bool is_type(const struct btf_raw *b, uint32_t id)
{
	return id < btf_raw_count(b);
}

static bool members_are_sound(const struct btf_raw *b, const struct btf_type *t)
{
	for (unsigned i = 0; i < btf_vlen(t); i++) {
		if (!btf_raw_has_string(b, btf_members(t)[i].name_off) || !is_type(b, btf_members(t)[i].type))
			return false;
	}
	return true;
}

static bool params_are_sound(const struct btf_raw *b, const struct btf_type *t)
{
	for (unsigned i = 0; i < btf_vlen(t); i++) {
		if (!btf_raw_has_string(b, btf_params(t)[i].name_off) || !is_type(b, btf_params(t)[i].type))
			return false;
	}
	return is_type(b, t->type);
}

/* For both kinds of enums, which differ only in the size of each value. */
static bool values_are_sound(const struct btf_raw *b, const struct btf_type *t)
{
	const char *at = (const char *)(t + 1);
	size_t size = btf_kind(t) == BTF_KIND_ENUM ? sizeof(struct btf_enum) : 12;

	for (unsigned i = 0; i < btf_vlen(t); i++, at += size) {
		uint32_t name_off;

		memcpy(&name_off, at, sizeof(name_off));
		if (!btf_raw_has_string(b, name_off))
			return false;
	}
	return true;
}

static bool variables_are_sound(const struct btf_raw *b, const struct btf_type *t)
{
	for (unsigned i = 0; i < btf_vlen(t); i++) {
		if (!is_type(b, btf_var_secinfos(t)[i].type))
			return false;
	}
	return true;
}

static bool is_sound(const struct btf_raw *b, const struct btf_type *t)
{
	if (!btf_raw_has_string(b, t->name_off))
		return false;
	switch (btf_kind(t)) {
	case BTF_KIND_INT:
	case BTF_KIND_FWD:
	case BTF_KIND_FLOAT:
		return true;
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return members_are_sound(b, t);
	case BTF_KIND_ENUM:
	case 19 /* ENUM64 */:
		return values_are_sound(b, t);
	case BTF_KIND_FUNC_PROTO:
		return params_are_sound(b, t);
	case BTF_KIND_DATASEC:
		return variables_are_sound(b, t);
	case BTF_KIND_ARRAY:
		return is_type(b, btf_array(t)->type) && is_type(b, btf_array(t)->index_type);
	default:			/* a type that is made from another type */
		return is_type(b, t->type);
	}
}

bool btf_check_file(const struct btf_raw *b)
{
	for (uint32_t id = btf_raw_first(b); id < btf_raw_count(b); id++) {
		if (!is_sound(b, btf_raw_type(b, id)))
			return false;
	}
	return true;
}

/* ---- declarations ---- */

static bool is_finite(const struct btf_raw *b, uint32_t id, unsigned depth, unsigned *parts)
{
	for (; depth < MAX_DEPTH && *parts; depth++) {
		const struct btf_type *t = btf_raw_type(b, id);

		--*parts;
		if (!t)
			return false;
		switch (btf_kind(t)) {
		case BTF_KIND_UNKN:
		case BTF_KIND_INT:
		case BTF_KIND_FLOAT:
		case BTF_KIND_ENUM:
		case 19 /* ENUM64 */:
			return true;
		case BTF_KIND_STRUCT:
		case BTF_KIND_UNION:
		case BTF_KIND_FWD:
		case BTF_KIND_TYPEDEF:
			return t->name_off;	/* only the name is written */
		case BTF_KIND_ARRAY:
			id = btf_array(t)->type;
			break;
		case BTF_KIND_FUNC_PROTO:
			for (unsigned i = 0; i < btf_vlen(t); i++) {
				if (!is_finite(b, btf_params(t)[i].type, depth + 1, parts))
					return false;
			}
			id = t->type;
			break;
		case BTF_KIND_PTR:
		case BTF_KIND_CONST:
		case BTF_KIND_VOLATILE:
		case BTF_KIND_RESTRICT:
		case 18 /* TYPE_TAG */:
			id = t->type;
			break;
		default:			/* not a type that a value can have */
			return false;
		}
	}
	return false;
}

bool btf_check_declaration(const struct btf_raw *b, uint32_t id)
{
	unsigned parts = MAX_PARTS;

	return is_finite(b, id, 0, &parts);
}
