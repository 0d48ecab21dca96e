// SPDX-License-Identifier: GPL-2.0-only
/*
 * look.c - answers a question from debug information.
 */
#include <string.h>

#include "base/buf.h"
#include "elf/dwarf/lines_priv.h"

const bool lines_is_known = true;

/* The functions that are inlined there. What is inlined in a line that only calls it is not among them. */
static const char *chain_of(struct debug *d, const struct spot *s)
{
	struct buf text = { 0 };
	const char *ret;

	for (unsigned i = 0; i < s->nr; i++) {
		Dwarf_Die die = s->path[i];
		const char *name = dwarf_tag(&die) == DW_TAG_inlined_subroutine ? dwarf_diename(&die) : NULL;

		if (name)
			buf_addf(&text, "%s%s", text.len ? " < " : "", name);
	}
	ret = arena_strdup(d->arena, buf_str(&text));
	buf_fini(&text);
	return ret;
}

static void take_spot(struct debug *d, const struct spot *s, const struct lines_query *q, struct lines_place *p)
{
	Dwarf_Die function = s->function;
	const char *name = dwarf_diename(&function);
	GElf_Off off = 0;
	GElf_Sym sym;
	Dwarf_Addr entry;
	const char *symbol = dwfl_module_addrinfo(d->module, s->addr + d->bias, &off, &sym, NULL, NULL, NULL);

	symbol = symbol ? symbol : name ? name : "";
	*p = (struct lines_place){ .addr = s->addr, .chain = chain_of(d, s), .off = off };
	/* A library's symbol may end with its version: malloc@@GLIBC_2.2.5. */
	p->symbol = arena_strndup(d->arena, symbol, strcspn(symbol, "@"));
	p->is_entry = !dwarf_entrypc(&function, &entry) && entry == s->addr && !s->nr;
	if (q->lists)
		variables_list(d, s, q, p);
	p->values = arena_array(d->arena, struct lines_value, q->nr_exprs);
	for (unsigned i = 0; i < q->nr_exprs; i++)
		p->values[i] = value_find(d, s, q, &q->exprs[i]);
}

int lines_look(struct arena *arena, int fd, const char *name, const struct lines_query *q, struct lines_answer *ret, struct diag *diag)
{
	struct debug d;
	struct spot *spots;
	int err = debug_open(&d, arena, fd, name, diag);

	if (err)
		return err;
	*ret = (struct lines_answer){ 0 };
	ret->nr = spots_find(&d, q, &spots, &ret->trouble, &ret->help);
	ret->places = arena_array(arena, struct lines_place, ret->nr);
	for (unsigned i = 0; i < ret->nr; i++) {
		take_spot(&d, &spots[i], q, &ret->places[i]);
		ret->nr_inlined += *ret->places[i].chain != '\0';
	}
	debug_close(&d);
	return 0;
}
