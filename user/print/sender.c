// SPDX-License-Identifier: GPL-2.0-only
/*
 * sender.c - the machine whose events an object shows.
 */
#include "print/sender.h"

#include <string.h>
#include <sys/utsname.h>

#include "print/json_string.h"
#include "print/recording.h"

static void add_member(struct buf *out, const char *name, const char *value)
{
	buf_addf(out, "\"%s\":", name);
	if (value)
		json_text(out, value);
	else
		buf_adds(out, "null");
	buf_addc(out, ',');
}

struct sender sender_make(struct arena *arena, const char *host, const char *boot, const char *kernel)
{
	struct buf text = { 0 };
	struct sender s;

	buf_addf(&text, "\"schema\":%d,", SENDER_SCHEMA);
	add_member(&text, "host", host);
	add_member(&text, "boot", boot);
	add_member(&text, "kernel", kernel);
	s = (struct sender){ .members = arena_strdup(arena, buf_str(&text)), .len = text.len };
	buf_fini(&text);
	return s;
}

struct sender sender_here(struct arena *arena, const char *host)
{
	struct utsname names;
	bool known = !uname(&names);

	return sender_make(arena, host ? host : known ? names.nodename : NULL, boot_id_here(arena), known ? names.release : NULL);
}

void sender_begin(const struct sender *s, struct buf *out)
{
	buf_addc(out, '{');
	if (s)
		buf_add(out, s->members, s->len);
}
