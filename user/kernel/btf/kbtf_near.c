// SPDX-License-Identifier: GPL-2.0-only
/*
 * kbtf_near.c - where else a field may be, if a structure does not have it.
 */
#include <bpf/btf.h>
#include <string.h>

#include "base/edits.h"
#include "kernel/btf/btf_raw.h"
#include "kernel/btf/kbtf.h"

enum {
	DEPTH_MAX = 8,			/* nested structures; in a crafted file, one may contain itself, */
	MEMBERS_MAX = 1 << 20,		/* and many times */
	FOUND_ENOUGH = 2,		/* two are enough: the field is not the only one */
};

static const struct btf_type *composite(struct kbtf_id id, struct kbtf_id *ret)
{
	struct kbtf_type type;

	kbtf_describe(id, &type);
	*ret = type.self;
	return type.kind == KBTF_STRUCT ? btf_raw_type(type.self.btf, type.self.id) : NULL;
}

/*
 * @path leads to @structure. @ret keeps the path of the first one found. *left: how many more members may be looked at.
 */
static unsigned find_inside(struct kbtf_id structure, const char *name, const char *path, unsigned depth, unsigned *left,
			    struct buf *ret)
{
	struct kbtf_id self;
	const struct btf_type *t = composite(structure, &self);
	unsigned found = 0;

	for (unsigned i = 0; t && depth < DEPTH_MAX && found < FOUND_ENOUGH && i < btf_vlen(t); i++) {
		const struct btf_member *m = btf_members(t) + i;
		const char *own = btf_raw_string(self.btf, m->name_off);
		struct kbtf_id type = { self.btf, m->type };
		struct buf inner = { 0 };

		if (!*left)
			return FOUND_ENOUGH;		/* the answer is not known */
		--*left;
		if (own && *own && *path && !strcmp(own, name)) {
			if (!ret->len)
				buf_addf(ret, "%s%s", path, name);
			return 1;
		}
		buf_adds(&inner, path);
		if (own && *own)
			buf_addf(&inner, "%s.", own);
		found += find_inside(type, name, buf_str(&inner), depth + 1, left, ret);
		buf_fini(&inner);
	}
	return found;
}

bool kbtf_find_inside(struct kbtf_id structure, const char *name, struct buf *path)
{
	unsigned left = MEMBERS_MAX;

	return find_inside(structure, name, "", 0, &left, path) == 1;
}

/* Finds the name that is most similar to @name. *edits: how different it is; at the start, one more than is allowed. */
static void find_similar(struct kbtf_id structure, const char *name, unsigned depth, unsigned *left, unsigned *edits,
			 const char **ret)
{
	struct kbtf_id self;
	const struct btf_type *t = composite(structure, &self);

	for (unsigned i = 0; t && depth < DEPTH_MAX && *left && i < btf_vlen(t); i++) {
		const struct btf_member *m = btf_members(t) + i;
		const char *own = btf_raw_string(self.btf, m->name_off);
		size_t len = own ? strlen(own) : 0;
		unsigned far;

		--*left;
		if (!len) {
			find_similar((struct kbtf_id){ self.btf, m->type }, name, depth + 1, left, edits, ret);
			continue;
		}
		if (len > EDITS_LONGEST)
			continue;
		far = edits_between(name, strlen(name), own, len, *edits);
		if (far < *edits && far < len) {
			*edits = far;
			*ret = own;
		}
	}
}

const char *kbtf_similar_member(struct kbtf_id structure, const char *name)
{
	unsigned edits = strlen(name) > 4 ? 3 : 2;	/* one more than is allowed */
	unsigned left = MEMBERS_MAX;
	const char *similar = NULL;

	if (strlen(name) <= EDITS_LONGEST)
		find_similar(structure, name, 0, &left, &edits, &similar);
	return similar;
}
