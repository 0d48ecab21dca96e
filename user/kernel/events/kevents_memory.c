// SPDX-License-Identifier: GPL-2.0-only
/*
 * kevents_memory.c - events as the kernel itself lists them (6.12, kernel/trace/trace_events.c, ftrace_events).
 *
 *	struct trace_event_call		one for each event: its class, its name or its tracepoint, its number
 *	struct trace_event_class	events with the same fields share one: the group's name, the list of fields
 *	struct ftrace_event_field	a field
 *
 * They are read without the kernel's locks. What does not look right ends the search, and is never followed further than the limits
 * here. BTF tells where the members are.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "kernel/btf/kbtf.h"
#include "kernel/events/kevents_priv.h"
#include "kernel/mem/kmem.h"
#include "kernel/syms/ksyms.h"

enum {
	MAX_EVENTS = 1 << 16,
	MAX_FIELDS = 1 << 12,		/* of one event */
	MAX_STRUCT = 1024,		/* bytes up to the last member that is read */
	MAX_TEXT = 1 << 16,		/* bytes of a name, a type or a print fmt */
	PAGE = 4096,
};

/* ---- where members are ---- */

enum structure { STRUCT_CALL, STRUCT_EVENT, STRUCT_CLASS, STRUCT_FIELD, STRUCT_MODULE, STRUCT_SYSCALL, STRUCT_USER, STRUCTS };

static const char *const struct_names[STRUCTS] = {
	[STRUCT_CALL] = "trace_event_call", [STRUCT_EVENT] = "trace_event", [STRUCT_CLASS] = "trace_event_class",
	[STRUCT_FIELD] = "ftrace_event_field", [STRUCT_MODULE] = "module", [STRUCT_SYSCALL] = "syscall_metadata",
	[STRUCT_USER] = "user_event",
};

enum member {
	CALL_LIST, CALL_CLASS, CALL_NAME, CALL_EVENT, CALL_PRINT, CALL_MODULE, CALL_MOD, CALL_DATA,
	EVENT_TYPE, CLASS_SYSTEM, CLASS_GET_FIELDS, CLASS_FIELDS,
	FIELD_LINK, FIELD_NAME, FIELD_TYPE, FIELD_OFFSET, FIELD_SIZE, FIELD_SIGNED, FIELD_LEN,
	MODULE_NAME, SYSCALL_FIELDS, USER_FIELDS,
	MEMBERS
};

static const struct {
	enum structure type;
	const char *name;
	bool may_lack;			/* not on all kernels, or not needed for most events */
} members[MEMBERS] = {
	[CALL_LIST] = { STRUCT_CALL, "list" }, [CALL_CLASS] = { STRUCT_CALL, "class" }, [CALL_NAME] = { STRUCT_CALL, "name" },
	[CALL_EVENT] = { STRUCT_CALL, "event" }, [CALL_PRINT] = { STRUCT_CALL, "print_fmt" }, [CALL_DATA] = { STRUCT_CALL, "data" },
	[CALL_MODULE] = { STRUCT_CALL, "module", true },	/* 5.16 on */
	[CALL_MOD] = { STRUCT_CALL, "mod", true },		/* before that */
	[EVENT_TYPE] = { STRUCT_EVENT, "type" }, [CLASS_SYSTEM] = { STRUCT_CLASS, "system" },
	[CLASS_GET_FIELDS] = { STRUCT_CLASS, "get_fields" }, [CLASS_FIELDS] = { STRUCT_CLASS, "fields" },
	[FIELD_LINK] = { STRUCT_FIELD, "link" }, [FIELD_NAME] = { STRUCT_FIELD, "name" }, [FIELD_TYPE] = { STRUCT_FIELD, "type" },
	[FIELD_OFFSET] = { STRUCT_FIELD, "offset" }, [FIELD_SIZE] = { STRUCT_FIELD, "size" },
	[FIELD_SIGNED] = { STRUCT_FIELD, "is_signed" }, [FIELD_LEN] = { STRUCT_FIELD, "len", true },	/* 5.17 on */
	[MODULE_NAME] = { STRUCT_MODULE, "name", true }, [SYSCALL_FIELDS] = { STRUCT_SYSCALL, "enter_fields", true },
	[USER_FIELDS] = { STRUCT_USER, "fields", true },	/* 5.18 on */
};

struct kevents_layout {
	bool good;
	uint64_t head;			/* the address of ftrace_events */
	bool has[MEMBERS];
	unsigned off[MEMBERS], bits[MEMBERS];	/* bytes from the start of the structure; bits: of a bit-field, else 0 */
	unsigned bit[MEMBERS];			/* of a bit-field: the first one, from @off */
	unsigned size[STRUCTS];		/* bytes to read: 8 bytes behind the last member's offset */
};

static bool find_member(struct kevents_layout *at, enum member m, struct kbtf_id structure)
{
	enum structure type = members[m].type;
	struct kbtf_member found;

	if (kbtf_find_member(structure, members[m].name, &found) || found.bit_off / 8 > MAX_STRUCT - 8)
		return false;
	at->off[m] = found.bit_off / 8;
	at->bit[m] = found.bit_off % 8;
	at->bits[m] = found.bit_size;
	at->size[type] = MAX(at->size[type], at->off[m] + 8);
	return true;
}

static bool find_layout(struct kevents *k, struct kevents_layout *at)
{
	struct kbtf_id types[STRUCTS];
	bool has[STRUCTS], good = true;

	for (unsigned i = 0; i < STRUCTS; i++)
		kbtf_expect(k->btf, struct_names[i]);
	for (unsigned i = 0; i < STRUCTS; i++)
		has[i] = !kbtf_find_struct(k->btf, struct_names[i], &types[i]);
	for (unsigned i = 0; i < MEMBERS; i++) {
		at->has[i] = has[members[i].type] && find_member(at, i, types[members[i].type]);
		good = good && (at->has[i] || members[i].may_lack);
	}
	return good;
}

static struct kevents_layout *layout(struct kevents *k)
{
	if (k->layout)
		return k->layout;
	k->layout = calloc(1, sizeof(*k->layout));
	if (k->layout && k->ks && k->btf && k->mem && !ksyms_hidden(k->ks)) {
		k->layout->head = ksyms_address(k->ks, "ftrace_events");
		k->layout->good = k->layout->head && find_layout(k, k->layout);
	}
	return k->layout;
}

bool kevents_memory_works(struct kevents *k)
{
	return layout(k) && k->layout->good;
}

void kevents_memory_close(struct kevents *k)
{
	free(k->layout);
}

/* ---- memory ---- */

/* Half of all addresses are the kernel's. With five levels of page tables they begin with ff only. */
static bool is_address(uint64_t addr)
{
	return addr >> 56 == UINT8_MAX;
}

static bool read_at(const struct kevents *k, uint64_t addr, void *to, size_t len)
{
	return is_address(addr) && !kmem_read(k->mem, addr, to, len);
}

/* The member @m, of at most 8 bytes, of a structure that was read to @bytes. */
static uint64_t word(const struct kevents *k, const uint8_t *bytes, enum member m)
{
	uint64_t value;

	memcpy(&value, bytes + k->layout->off[m], sizeof(value));
	return value;
}

static uint32_t half(const struct kevents *k, const uint8_t *bytes, enum member m)
{
	return (uint32_t)word(k, bytes, m);
}

/* A text in the kernel's memory, in @arena; NULL: there is none. It may end at the end of the mapped memory. */
static const char *read_text(const struct kevents *k, struct arena *arena, uint64_t addr)
{
	enum { FIRST = 64 };
	struct buf text = { 0 };
	const char *ret = NULL;

	while (!ret && text.len < MAX_TEXT) {
		uint64_t at = addr + text.len;
		size_t len = MIN(PAGE - at % PAGE, text.len ? (uint64_t)PAGE : FIRST);
		char *to = buf_room(&text, len);

		if (!read_at(k, at, to, len))
			break;
		text.len += len;
		if (memchr(to, '\0', len))
			ret = arena_strdup(arena, text.data);
	}
	buf_fini(&text);
	return ret;
}

static bool text_is(const struct kevents *k, uint64_t addr, const char *wanted)
{
	size_t len = strlen(wanted) + 1, done = 0;
	char part[64];

	while (done < len) {
		size_t n = MIN(len - done, sizeof(part));

		if (!read_at(k, addr + done, part, n) || memcmp(part, wanted + done, n))
			return false;
		done += n;
	}
	return true;
}

/* ---- events ---- */

struct call {
	uint8_t bytes[MAX_STRUCT], class[MAX_STRUCT];
	uint64_t name;		/* the address of the name's text */
	bool has_tracepoint;
};

/*
 * The event's name, or its tracepoint, whose first member is the name. A flag of the event tells which, and it has another
 * number on each kernel. So look at what is there: an address, or characters, which are below 0x80. Synthetic events and those
 * of users have tracepoints that were made at run time; only the static ones are real. Their names are in the kernel's image
 * or in a module.
 */
static bool find_name(const struct kevents *k, struct call *c)
{
	uint64_t at = word(k, c->bytes, CALL_NAME), first;
	char letter;

	if (!read_at(k, at, &first, sizeof(first)))
		return false;
	c->name = is_address(first) && read_at(k, first, &letter, 1) && letter > ' ' ? first : at;
	c->has_tracepoint = c->name == first && first >> 32 == UINT32_MAX;
	return true;
}

static bool read_call(const struct kevents *k, uint64_t addr, struct call *c)
{
	return read_at(k, addr, c->bytes, k->layout->size[STRUCT_CALL]) &&
	       read_at(k, word(k, c->bytes, CALL_CLASS), c->class, k->layout->size[STRUCT_CLASS]) && find_name(k, c);
}

static uint32_t call_id(const struct kevents *k, const struct call *c)
{
	uint32_t id;

	memcpy(&id, c->bytes + k->layout->off[CALL_EVENT] + k->layout->off[EVENT_TYPE], sizeof(id));
	return id;
}

static bool call_is(const struct kevents *k, const struct call *c, const char *group, const char *name)
{
	return call_id(k, c) && text_is(k, word(k, c->class, CLASS_SYSTEM), group) && text_is(k, c->name, name);
}

/* Calls @visit with each event until it returns false. False: the list cannot be read to its end. */
static bool walk(struct kevents *k, bool (*visit)(void *ctx, const struct call *c), void *ctx)
{
	unsigned list = k->layout->off[CALL_LIST];
	uint64_t at;
	struct call c;

	if (!read_at(k, k->layout->head, &at, sizeof(at)))
		return false;
	for (unsigned nr = 0; at != k->layout->head; nr++) {
		if (nr == MAX_EVENTS || !read_call(k, at - list, &c))
			return false;
		at = word(k, c.bytes, CALL_LIST);
		if (!visit(ctx, &c))
			break;
	}
	return true;
}

struct search {
	const struct kevents *k;
	const char *group, *name;
	struct call *ret;
	bool found;
};

static bool look_at(void *ctx, const struct call *c)
{
	struct search *s = ctx;

	s->found = call_is(s->k, c, s->group, s->name);
	if (s->found)
		*s->ret = *c;
	return !s->found;
}

/*
 * The variable of an event that was compiled: event_NAME, and event_enter__CALL or event_exit__CALL for system calls
 * (include/trace/stages/stage7_class_define.h, include/linux/syscalls.h).
 */
static const char *variable_of(struct arena *arena, const char *group, const char *name)
{
	static const char *const prefixes[] = { "sys_enter_", "sys_exit_" };
	static const char *const variables[] = { "event_enter__", "event_exit__" };

	for (size_t i = 0; !strcmp(group, "syscalls") && i < ARRAY_SIZE(prefixes); i++) {
		if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
			return arena_printf(arena, "%s%s", variables[i], name + strlen(prefixes[i]));
	}
	return arena_printf(arena, "event_%s", name);
}

/* By its variable, else by the list, which costs a hundred times more. */
static bool find_call(struct kevents *k, const char *group, const char *name, struct call *ret)
{
	struct search s = { .k = k, .group = group, .name = name, .ret = ret };
	const struct ksym *const *syms;
	struct arena arena = { 0 };
	size_t nr = ksyms_find(k->ks, variable_of(&arena, group, name), NULL, &syms);

	for (size_t i = 0; !s.found && i < nr; i++)
		s.found = read_call(k, syms[i]->addr, ret) && call_is(k, ret, group, name);
	arena_fini(&arena);
	if (!s.found)
		walk(k, look_at, &s);
	return s.found;
}

/* ---- fields ---- */

/* ftrace's type is "char[TASK_COMM_LEN]" where the file prints [16]: 5.17 on, the number is in a member of its own. */
static const char *type_text(const struct kevents *k, struct arena *arena, const uint8_t *field)
{
	const char *type = read_text(k, arena, word(k, field, FIELD_TYPE));
	const char *array = type ? strchr(type, '[') : NULL;
	uint32_t len;

	if (!array || !k->layout->has[FIELD_LEN] || !strncmp(type, "__data_loc", strlen("__data_loc")))
		return type;
	len = half(k, field, FIELD_LEN);
	return len ? arena_printf(arena, "%.*s[%u]", (int)(array - type), type, len) :
		arena_printf(arena, "%.*s[]", (int)(array - type), type);
}

static bool read_field(const struct kevents *k, struct arena *arena, const uint8_t *bytes, struct kevent_field *f)
{
	unsigned bits = k->layout->bits[FIELD_SIGNED];
	uint64_t sign = word(k, bytes, FIELD_SIGNED) >> k->layout->bit[FIELD_SIGNED];

	*f = (struct kevent_field){
		.name = read_text(k, arena, word(k, bytes, FIELD_NAME)), .type = type_text(k, arena, bytes),
		.offset = half(k, bytes, FIELD_OFFSET), .size = half(k, bytes, FIELD_SIZE),
		.is_signed = sign & (bits ? ((uint64_t)1 << bits) - 1 : UINT32_MAX),
	};
	if (!f->name || !f->type || !kevent_field_fits(f))
		return false;
	kevent_describe_field(arena, f);
	return true;
}

/* Appends the fields of the list at @head. The kernel adds each new field at the front, so the first one is the last. */
static bool read_fields(const struct kevents *k, struct arena *arena, uint64_t head, struct buf *fields)
{
	enum { PREVIOUS = 8 };		/* struct list_head: next, prev */
	unsigned link = k->layout->off[FIELD_LINK];
	uint8_t bytes[MAX_STRUCT];
	uint64_t at;

	if (!read_at(k, head + PREVIOUS, &at, sizeof(at)))
		return false;
	for (unsigned nr = 0; at != head; nr++) {
		struct kevent_field f;

		if (nr == MAX_FIELDS || !read_at(k, at - link, bytes, k->layout->size[STRUCT_FIELD]) ||
		    !read_field(k, arena, bytes, &f))
			return false;
		buf_add(fields, &f, sizeof(f));
		memcpy(&at, bytes + link + PREVIOUS, sizeof(at));
	}
	return true;
}

/* What the functions that a class may have as get_fields() return: a member of what the event's data points to. */
static const struct {
	const char *function;
	enum member list;
} getters[] = {
	{ "syscall_get_enter_fields", SYSCALL_FIELDS },
	{ "user_event_get_fields", USER_FIELDS },
};

/* The address of the list of the event's own fields; 0: not known. */
static uint64_t fields_of(const struct kevents *k, const struct call *c)
{
	uint64_t getter = word(k, c->class, CLASS_GET_FIELDS);

	if (!getter)
		return word(k, c->bytes, CALL_CLASS) + k->layout->off[CLASS_FIELDS];
	for (size_t i = 0; i < ARRAY_SIZE(getters); i++) {
		if (k->layout->has[getters[i].list] && ksyms_address(k->ks, getters[i].function) == getter)
			return word(k, c->bytes, CALL_DATA) + k->layout->off[getters[i].list];
	}
	return 0;
}

static bool read_all_fields(const struct kevents *k, struct arena *arena, const struct call *c, struct kevent *ret)
{
	uint64_t common = ksyms_address(k->ks, "ftrace_common_fields"), own = fields_of(k, c);
	struct buf fields = { 0 };
	bool good = common && own && read_fields(k, arena, common, &fields) && read_fields(k, arena, own, &fields);

	if (good) {
		ret->nr_fields = (unsigned)(fields.len / sizeof(struct kevent_field));
		ret->fields = arena_array(arena, struct kevent_field, ret->nr_fields);
		if (fields.len)
			memcpy((void *)ret->fields, fields.data, fields.len);
	}
	buf_fini(&fields);
	return good;
}

/* A dynamic event has a small number where the others have their module. */
static const char *module_of(const struct kevents *k, struct arena *arena, const struct call *c)
{
	enum member m = k->layout->has[CALL_MODULE] ? CALL_MODULE : CALL_MOD;
	uint64_t module = k->layout->has[m] ? word(k, c->bytes, m) : 0;

	return is_address(module) && k->layout->has[MODULE_NAME] ? read_text(k, arena, module + k->layout->off[MODULE_NAME]) : NULL;
}

int kevents_memory_find(struct kevents *k, struct arena *arena, const char *group, const char *name, struct kevent *ret)
{
	struct call c;

	if (!find_call(k, group, name, &c))
		return -ENOENT;
	*ret = (struct kevent){
		.group = arena_strdup(arena, group), .name = arena_strdup(arena, name), .id = call_id(k, &c),
		.module = module_of(k, arena, &c), .print_fmt = read_text(k, arena, word(k, c.bytes, CALL_PRINT)),
	};
	if (c.has_tracepoint)
		ret->tracepoint = ret->name;
	return read_all_fields(k, arena, &c, ret) ? 0 : -EINVAL;
}

struct each {
	const struct kevents *k;
	bool (*take)(void *ctx, const char *group, const char *name);
	void *ctx;
};

static bool give(void *ctx, const struct call *c)
{
	const struct each *e = ctx;
	struct arena arena = { 0 };
	const char *group = read_text(e->k, &arena, word(e->k, c->class, CLASS_SYSTEM)), *name = read_text(e->k, &arena, c->name);
	bool more = true;

	if (group && name && call_id(e->k, c) && strcmp(group, "ftrace"))
		more = e->take(e->ctx, group, name);
	arena_fini(&arena);
	return more;
}

int kevents_memory_each(struct kevents *k, bool (*take)(void *ctx, const char *group, const char *name), void *ctx)
{
	struct each e = { k, take, ctx };

	return walk(k, give, &e) ? 0 : -EOPNOTSUPP;
}
