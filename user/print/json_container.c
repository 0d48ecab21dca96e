// SPDX-License-Identifier: GPL-2.0-only
/*
 * json_container.c - which container an event is from, as a member of its object.
 */
#include "print/json_container.h"

#include <string.h>

#include "base/number.h"
#include "kernel/cgroup/cgroups.h"
#include "kernel/cgroup/container.h"
#include "print/json_string.h"

static void add_part_of_path(struct buf *out, const char *name, const struct container_part *part)
{
	buf_addf(out, ",\"%s\":", name);
	if (part->text)
		json_string(out, part->text, (uint32_t)part->len, false);
	else
		buf_adds(out, "null");
}

/* A pod's uid has '-' where systemd's driver writes '_', and systemd writes characters of a name as \xNN. */
static void add_plain(struct buf *out, const char *name, const struct container_part *part, bool is_uid)
{
	struct buf plain = { 0 };
	struct container_part all;
	uint64_t c;

	for (size_t i = 0; part->text && i < part->len; i++) {
		bool escaped = !is_uid && part->len - i >= 4 && part->text[i] == '\\' && part->text[i + 1] == 'x' &&
			       !number_u64(part->text + i + 2, 2, 16, &c) && c;

		buf_addc(&plain, escaped ? (char)c : is_uid && part->text[i] == '_' ? '-' : part->text[i]);
		i += escaped ? 3 : 0;
	}
	all = (struct container_part){ part->text ? plain.data : NULL, plain.len };
	add_part_of_path(out, name, &all);
	buf_fini(&plain);
}

/* The text is the same for all events of the cgroup. */
static void describe(struct cgroup_known *known)
{
	const struct container c = container_of_path(known->path);
	const struct container_part whole = { known->path, strlen(known->path) };

	buf_adds(&known->text, ",\"container\":{\"runtime\":");
	buf_addf(&known->text, c.runtime ? "\"%s\"" : "null", c.runtime);
	add_plain(&known->text, "id", &c.id, false);
	add_plain(&known->text, "pod", &c.pod, true);
	add_part_of_path(&known->text, "unit", &c.unit);
	add_part_of_path(&known->text, "cgroup", &whole);
	buf_addc(&known->text, '}');
}

static const struct layout_field *cgroup_field(const struct layout *l)
{
	for (unsigned i = l->nr_fields; i--;) {
		const struct layout_field *f = &l->fields[i];

		if (!strcmp(f->name, LAYOUT_CGROUP) && f->type.kind == TYPE_UNSIGNED && f->size == 8)
			return f;
	}
	return NULL;
}

void json_container(struct cgroups *cgroups, const struct event *ev, struct buf *out)
{
	const struct layout_field *f = cgroup_field(ev->layout);
	struct cgroup_known *known = f && !event_marked(ev, f, 0) ? cgroups_find(cgroups, event_number(ev, f, 0)) : NULL;

	if (!f)
		return;
	if (known && !known->text.len)
		describe(known);
	if (known)
		buf_add(out, known->text.data, known->text.len);
	else
		buf_adds(out, ",\"container\":null");
}
