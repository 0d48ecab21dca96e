// SPDX-License-Identifier: GPL-2.0-only
/*
 * expand.c - definitions with a pattern.
 */
#include "set/expand_priv.h"

#include <errno.h>

#include "plan/match.h"

struct probe *probes_add(struct probes *to, const struct probe *p)
{
	to->probes = arena_grow(&to->s->arena, to->probes, to->nr, &to->size);
	to->probes[to->nr] = *p;
	return &to->probes[to->nr++];
}

/* Makes the same definition for one function. */
static struct probe_def *for_function(struct set *s, const struct probe_def *def, const char *name)
{
	struct probe_def *one = arena_new(&s->arena, struct probe_def);

	*one = *def;
	one->place.symbol = arena_strdup(&s->arena, name);	/* a copy: symbols are read again when modules are loaded */
	one->place.pattern = false;
	one->place.calls = false;
	one->from_tree = true;
	return one;
}

/* All functions of a pattern are one event: do these two plans have the same fields? */
static bool shares_event(const struct plan *a, const struct plan *b)
{
	unsigned field;

	return layout_compare(&a->layout, &b->layout, &field) <= LAYOUT_OTHER_DETAIL;
}

/* Why members of a pattern have no probe: how many for each reason. */
struct reason {
	struct reason *next;
	const char *text;
	unsigned nr;
};

static void add_reason(struct arena *arena, struct reason **all, const char *text)
{
	struct reason *r;

	for (r = *all; r && strcmp(r->text, text); r = r->next)
		;
	if (!r) {
		r = arena_new(arena, struct reason);
		*r = (struct reason){ .next = *all, .text = arena_strdup(arena, text) };
		*all = r;
	}
	r->nr++;
}

static const char *most_frequent(const struct reason *all)
{
	const struct reason *most = all;

	for (const struct reason *r = all; r; r = r->next)
		most = r->nr > most->nr ? r : most;
	return most ? most->text : NULL;
}

/* Each reason with its number, one on a line; NULL: there is none. */
static const char *list_reasons(struct arena *arena, const struct reason *all)
{
	struct buf text = { 0 };
	const char *ret;

	for (const struct reason *r = all; r; r = r->next)
		buf_addf(&text, "%s%u: %s", r == all ? "" : "\n", r->nr, r->text);
	ret = all ? arena_strdup(arena, buf_str(&text)) : NULL;
	buf_fini(&text);
	return ret;
}

/* The members of a pattern, resolved. */
struct members {
	struct probe *all;
	unsigned nr, left_out;
	struct reason *reasons;
};

static bool same_event(const struct probe *a, const struct probe *b)
{
	return !strcmp(a->def->event, b->def->event);
}

/* How many of the event of member @i share its fields? */
static unsigned family_of(const struct members *m, unsigned i)
{
	unsigned nr = 0;

	for (unsigned k = 0; k < m->nr; k++)
		nr += same_event(&m->all[i], &m->all[k]) && shares_event(m->all[i].plan, m->all[k].plan);
	return nr;
}

/* The member of the event of member @i with which most others share their fields; the first one of several. */
static unsigned head_of(const struct members *m, unsigned i)
{
	unsigned head = i, most = 0;

	for (unsigned k = 0; k < m->nr; k++) {
		unsigned nr;

		if (!same_event(&m->all[i], &m->all[k]) || (most && shares_event(m->all[head].plan, m->all[k].plan)))
			continue;
		nr = family_of(m, k);
		if (nr > most) {
			head = k;
			most = nr;
		}
	}
	return head;
}

/* Adds those that can be one event with most others. One member's fields are not the measure of all. */
static void add_members(struct probes *to, struct members *m)
{
	unsigned head = 0;

	for (unsigned i = 0; i < m->nr; i++) {
		if (!i || !same_event(&m->all[i - 1], &m->all[i]))
			head = head_of(m, i);
		if (shares_event(m->all[head].plan, m->all[i].plan)) {
			probes_add(to, &m->all[i]);
			continue;
		}
		m->left_out++;
		add_reason(&to->s->arena, &m->reasons, "its arguments have other types than those of most others, and all are one event");
	}
}

/* Adds a probe for each function that has what the definition asks for. The pattern's probes begin at @first. */
static void add_each(struct probes *to, const struct probe *p, const struct match_set *set, unsigned first, struct diag *diag,
		     const struct reason **ret_reasons)
{
	struct set *s = to->s;
	struct members m = { .all = arena_array(&s->arena, struct probe, set->nr) };

	for (unsigned i = 0; i < set->nr; i++) {
		struct facts facts = set_facts(s);
		struct probe *one = &m.all[m.nr];
		struct diag why = { 0 };

		*one = *p;
		one->def = for_function(s, p->def, match_name(&s->arena, set, i));
		one->family.nr_functions = 1;
		if (!plan_resolve(&s->arena, one->def, &facts, &one->plan, &why)) {
			/* What many functions share has no plan yet; the rest must fit to each other. */
			if (to->nr == first || !to->probes[first].plan || shares_event(to->probes[first].plan, one->plan))
				m.nr++;
		} else {
			add_reason(&s->arena, &m.reasons, buf_str(&why.msg));
			if (!diag->err) {	/* reported if no function can be probed */
				*diag = why;
				continue;
			}
		}
		diag_fini(&why);
	}
	add_members(to, &m);
	*ret_reasons = m.reasons;
}

/* Adds one probe for the picked functions of *set, and leaves the others in it. */
static void add_multi(struct probes *to, const struct probe *p, const struct backend *backend, const struct backend_pick *picks,
		      unsigned nr, struct match_set *set)
{
	struct arena *arena = &to->s->arena;
	struct probe *one = probes_add(to, p);
	uint64_t *addrs = arena_array(arena, uint64_t, nr);
	uint32_t *ids = picks ? arena_array(arena, uint32_t, nr) : NULL;
	struct matched *others = arena_array(arena, struct matched, set->nr - nr);
	unsigned left = 0;

	one->many.backend = backend;
	for (unsigned i = 0; i < set->nr; i++) {
		if (picks && !picks[i].id) {
			others[left++] = set->at[i];
			continue;
		}
		if (picks)
			ids[one->many.nr] = picks[i].id;
		addrs[one->many.nr++] = picks ? picks[i].addr : set->at[i].addr;
	}
	/* All these functions are system calls: their parameters are at the same places in what the functions receive. */
	if (set->nr_calls == set->nr) {
		struct probe_def *def = arena_new(arena, struct probe_def);

		*def = *p->def;
		def->place.calls = true;
		one->def = def;
	}
	one->many.addrs = addrs;
	one->many.ids = ids;
	one->family.nr_functions = nr;
	set->nr_calls = set->nr_calls == set->nr ? left : 0;
	set->at = others;
	set->nr = left;
}

/* The number of patterns that have functions by @b. */
static unsigned nr_by(const struct probes *to, const struct backend *b)
{
	unsigned nr = 0;

	for (unsigned i = 0; i < to->nr; i++)
		nr += to->probes[i].many.backend == b;
	return nr;
}

/* Why @b takes no function of this pattern; NULL: it may take some. */
static const char *trouble_of(const struct probes *to, const struct backend *b, const struct probe *p, const struct match_set *set)
{
	struct set *s = to->s;
	const char *why = backend_stack_trouble(b, p->def->stacks);

	if (!why)
		why = b->pattern_trouble(p->def, set->nr_calls && set->nr_calls < set->nr, &s->machine.features);
	if (ksyms_hidden(s->machine.ks))
		return "the kernel hides its addresses (kernel.kptr_restrict)";
	if (!why && !s->opts->attach && b->takes.functions_max && set->nr > b->takes.functions_max)
		why = arena_printf(&s->arena, "for more than %u functions %s takes too long to attach", b->takes.functions_max, b->hooks[0]);
	if (!why)
		why = backend_unpaired(b, p->def);
	return why ? why : backend_crowded(&s->arena, b, nr_by(to, b));
}

/* Adds a probe for those functions of *set that @b takes, and leaves the others in it. *why: why not for the first of the others. */
static void add_picked(struct probes *to, const struct probe *p, const struct backend *b, struct match_set *set, const char **why)
{
	struct set *s = to->s;
	struct facts facts = set_facts(s);
	struct backend_pick *picks = b->pick ? arena_array(&s->arena, struct backend_pick, set->nr) : NULL;
	unsigned nr = b->pick ? b->pick(&s->arena, p->def, &facts, set, picks, why) : set->nr;

	if (nr)
		add_multi(to, p, b, picks, nr, set);
}

/* Adds a probe for each backend that takes many functions at once. @first: as for add_each(). */
static int add_many(struct probes *to, const struct probe *p, struct match_set *set, unsigned first, struct diag *diag)
{
	const struct backend *attach = to->s->opts->attach;
	const char *dearer = NULL;

	for (unsigned i = 0; backends[i] && set->nr; i++) {
		const struct backend *b = backends[i];
		unsigned before = to->nr;
		const char *why;

		if (!b->takes.for_patterns || (attach && attach != b))
			continue;
		why = trouble_of(to, b, p, set);
		if (why && attach)
			return diag_at(diag, -EOPNOTSUPP, p->def->head_at, "--attach=%s cannot do this: %s", b->name, why);
		if (!why)
			add_picked(to, p, b, set, &why);
		if (to->nr > before)
			to->probes[before].many.why_dearer = dearer;
		/* The reason is why it is no trampoline. Where there are none, the next backend is not dearer than anything. */
		if (b->pick && !b->missing(&to->s->machine.features))
			dearer = why;
		if (attach && to->nr == first)
			return diag_at(diag, -EOPNOTSUPP, p->def->head_at, "--attach=%s cannot do this: %s", b->name, why);
	}
	return 0;
}

/* The probes of a pattern that are one event are a family. A pattern of tracepoints, events or markers may be several events. */
static void divide(struct probe *probes, unsigned nr)
{
	for (unsigned i = 0, end; i < nr; i = end) {
		for (end = i + 1; end < nr && !strcmp(probes[i].def->event, probes[end].def->event); end++)
			;
		probes[i].family.nr = probes[i].family.nr_functions = end - i;
	}
}

/* Resolves the members; @diag: the first error. */
static void resolve_members(struct set *s, const struct probe *p, struct probe_def *const *defs, unsigned nr, struct members *m,
			    struct diag *diag)
{
	struct facts facts = set_facts(s);

	for (unsigned i = 0; i < nr; i++) {
		struct probe *one = &m->all[m->nr];
		struct diag why = { 0 };

		*one = *p;
		one->def = defs[i];
		if (!plan_resolve(&s->arena, one->def, &facts, &one->plan, &why)) {
			m->nr++;
			diag_fini(&why);
			continue;
		}
		m->left_out++;
		add_reason(&s->arena, &m->reasons, buf_str(&why.msg));
		if (diag->err)
			diag_fini(&why);
		else
			*diag = why;
	}
}

int expand_each(struct probes *to, struct probe *p, expand_function *expand, struct diag *diag)
{
	struct set *s = to->s;
	struct facts facts = set_facts(s);
	unsigned first = to->nr;
	struct expanded e = { 0 };
	struct members m;
	int err = expand(&s->arena, p->def, &facts, &e, diag);

	p->family.def = p->def;
	if (err)
		return diag->err;
	m = (struct members){ .all = arena_array(&s->arena, struct probe, e.nr) };
	resolve_members(s, p, e.defs, e.nr, &m, diag);
	/* Events without arguments: where their own fields differ, they have none. */
	if (p->def->probe == PROBE_EVENT && !p->def->nr_args && m.nr && family_of(&m, 0) < m.nr && same_event(&m.all[0], &m.all[m.nr - 1])) {
		for (unsigned i = 0; i < e.nr; i++)
			e.defs[i]->bare = true;
		m = (struct members){ .all = m.all };
		resolve_members(s, p, e.defs, e.nr, &m, diag);
	}
	add_members(to, &m);
	if (to->nr == first)
		return diag->err;
	diag_fini(diag);
	divide(to->probes + first, to->nr - first);
	to->probes[first].family.left_out = e.left_out + m.left_out;
	to->probes[first].family.why_left_out = e.left_out >= m.left_out && e.why_left_out ? e.why_left_out : most_frequent(m.reasons);
	to->probes[first].family.nr_repeated = e.nr_repeated;
	to->probes[first].family.files = e.files;
	to->probes[first].family.nr_files = e.nr_files;
	to->probes[first].family.all_left_out = list_reasons(&s->arena, m.reasons);
	return 0;
}

static int expand_one(struct probes *to, struct probe *p, struct diag *diag)
{
	struct set *s = to->s;
	struct facts facts = set_facts(s);
	const struct backend *attach = s->opts->attach;
	unsigned first = to->nr, all;
	const struct reason *reasons = NULL;
	struct match_set set;
	struct probe *head;
	int err = match_functions(&s->arena, p->def, &facts, &set, diag);

	p->family.def = p->def;
	if (err)
		return err;
	p->family.nr_calls = set.nr_calls;
	all = set.nr + set.nr_refused;
	err = add_many(to, p, &set, first, diag);
	if (err)
		return err;
	if (!attach || !attach->takes.for_patterns)
		add_each(to, p, &set, first, diag, &reasons);
	if (to->nr == first)
		return diag->err;
	head = &to->probes[first];
	head->family.why_left_out = most_frequent(reasons);
	head->family.all_left_out = list_reasons(&s->arena, reasons);
	diag_fini(diag);
	head->family.nr = to->nr - first;
	for (unsigned i = first + 1; i < to->nr; i++)
		head->family.nr_functions += to->probes[i].family.nr_functions;
	head->family.left_out = all - head->family.nr_functions;
	return 0;
}

/* One definition. */
static int expand_probe(struct probes *to, struct probe *p, bool several, struct inlined *inlined, const struct copies *copies, struct diag *diag)
{
	static expand_function *const expands[PROBE_KINDS] = {
		[PROBE_UPROBE] = user_expand, [PROBE_TRACEPOINT] = event_expand, [PROBE_EVENT] = event_expand,
	};
	struct probe *one;

	if (p->def->place.in_source)
		return expand_each(to, p, lines_expand, diag);
	if (p->def->place.pattern || several)
		return expands[p->def->probe] ? expand_each(to, p, expands[p->def->probe], diag) : expand_one(to, p, diag);
	if ((inlined->def && expand_add_inlined(to, p, inlined->def, &inlined->why_not)) || expand_add_copies(to, p, copies))
		return 0;
	one = probes_add(to, p);
	one->why_not_inlined = inlined->why_not;
	one->copies_left_out = copies->has_own ? copies_left_out(&to->s->arena, copies) : NULL;
	return 0;
}

int expand_patterns(struct set *s, struct diag *diag)
{
	struct inlined *inlined = expand_find_inlined(s);
	struct copies *copies = expand_find_copies(s);
	bool *several = arena_array(&s->arena, bool, s->nr_probes);
	struct facts facts = set_facts(s);
	struct probes to = { .s = s };
	bool any = false;

	for (unsigned i = 0; i < s->nr_probes; i++) {
		several[i] = user_names_several(&s->arena, s->probes[i].def, &facts);
		any = any || several[i] || copies[i].nr || inlined[i].def || inlined[i].why_not || s->probes[i].def->place.pattern || s->probes[i].def->place.in_source;
	}
	if (any)
		expand_prepare_lines(s, inlined);
	for (unsigned i = 0; any && i < s->nr_probes; i++) {
		struct probe *p = &s->probes[i];
		int err = expand_probe(&to, p, several[i], &inlined[i], &copies[i], diag);

		if (err) {
			/* What was typed stands for what is refused. */
			if (p->def->place.in_source && diag->text && diag->text != p->def->text)
				diag->at = p->def->place.at;
			diag->text = p->def->text;
			diag->file = p->from.file;
			diag->line = p->from.line;
			return err;
		}
	}
	if (any) {
		s->probes = to.probes;
		s->nr_probes = to.nr;
		s->size_probes = to.size;
	}
	return 0;
}
