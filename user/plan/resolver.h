/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * resolver.h - what the files of plan/ that resolve a definition share.
 */
#ifndef PLAN_RESOLVER_H
#define PLAN_RESOLVER_H

#include "arch/call.h"
#include "cexpr/value.h"
#include "kernel/btf/kbtf.h"
#include "kernel/ksyscall.h"
#include "plan/plan.h"

/* What is known of the probed function's parameters and of what it returns. */
struct proto {
	bool known;			/* the parameters are known */
	bool is_syscall;		/* the parameters are in the struct pt_regs that the function gets */
	bool is_shared;			/* several functions have the name, and BTF may have the prototype of another one: it is not used */
	bool has_ret;
	unsigned nr_params;
	const char *const *names;	/* "" for a parameter without a name */
	const struct kbtf_type *types;
	const struct call_place *places;	/* of the parameters, and behind them that of the return value; NULL: not known */
	struct kbtf_type ret;
};

struct kevent;
struct ktracepoint;

struct resolver {
	struct arena *arena;
	const struct probe_def *def;
	const char *typed;		/* the function's name as typed; NULL: an address */
	const struct ksyms *ks;
	struct kbtf *btf;
	struct diag *diag;
	const struct facts *facts;
	struct ksyscall call;		/* .wrapper NULL: no system call was named */
	const struct ksym *chosen;	/* the function that SYM@ADDR, or vmlinux:SYM, means; else NULL */
	const struct rename *renamed;	/* the typed name is an old one; or NULL */
	uint64_t file_off;		/* user probes: target.file_off */
	const struct ktracepoint *tracepoint;	/* TRACEPOINT; else NULL */
	const struct kevent *event;	/* EVENT; else NULL */
	struct arg *hidden;		/* fields of the event that only the filter names; behind these: lengths */
	unsigned nr_hidden, first_length;
	struct proto proto;
	uint32_t expanded;		/* bytes of the kernel's own text for the %pd and %pD arguments so far */
};

/* A resolved expression: how it is fetched, and its type by BTF. */
struct value {
	struct fetch fetch;
	bool is_memory;			/* its last step reads memory */
	const struct call_place *by_value;	/* it is a structure that is no pointer's target: a parameter, or what a function returns; or NULL */
	const char *no_trampoline;	/* --faithful: the value is the trampoline's address; why that is unknown; or NULL */
	bool is_text;			/* the value of a field of an event is the address of a text */
	const char *own_type;		/* what the event calls the type of its field; or NULL */
	uint8_t array_bytes;		/* of an array: its first number may have so many bytes; 0: it has none */
	bool is_user;			/* it points to user memory */
	bool has_btf;
	struct kbtf_type btf;
	uint8_t bit_off, bit_width;	/* a bit-field of a structure; width 0: none */
	bool bit_signed;		/* ... with a sign */
};

/* place.c: where to attach the probe; may set r->call or r->renamed. */
int resolve_target(struct resolver *r, struct target *ret);

/* Each of these does it for one kind: resolve_user.c, resolve_event.c. */
int resolve_user(struct resolver *r, struct target *ret);
int resolve_tracepoint(struct resolver *r, struct target *ret);
int resolve_event(struct resolver *r, struct target *ret);

int resolve_unknown_symbol(const struct resolver *r, const char *name, struct span at);

/* resolve.c: like resolve_target(), and replaces the place in r->def by the one that this kernel has for the typed place. */
int resolve_place(struct resolver *r, struct target *ret);

/* check.c: whether the kernel will accept a probe there. May set @t->doubt. */
int check_code(const struct resolver *r, struct target *t);

/* resolve_event.c: what EXPR_EVENT_FIELD @e of the event fetches. */
int resolve_event_field(const struct resolver *r, const struct expr *e, struct value *v);

/* ... and arguments for up to @max of the event's own fields, with the types that the event has. Returns their number. */
unsigned event_fields(const struct resolver *r, struct arg *ret, unsigned max);

/*
 * ... sets r->hidden: the fields of the event that @filter names. The condition in an event probe's definition is on the event's own
 * fields (6.12, kernel/trace/trace_eprobe.c, trace_eprobe_parse_filter()), which need not be among its arguments. @all false: only the
 * texts at addresses, FIELD.ustring of a number.
 */
void event_hide_fields(struct resolver *r, const struct filter_expr *filter, bool all);

/* What such a text is called among the hidden fields, in front of the field's name. */
#define FILTER_TEXT_PREFIX	"__text_at_"

/* ... the arguments of r->tracepoint. */
void tracepoint_proto(const struct resolver *r, struct proto *p);

/* resolve_proto.c: the parameters of the probed function. */
void proto_find(const struct resolver *r, struct proto *ret);

/* resolve_value.c: what an argument fetches. */
/* Adds a note: what to do if BTF does not have the parameters. */
void resolve_note_registers(const struct resolver *r);

/* Adds a read: the value of @v so far is an address, and the new value is the memory at @off from it. */
void value_follow(const struct resolver *r, struct value *v, int64_t off, bool user);
int resolve_value(const struct resolver *r, const struct arg *arg, struct value *ret);

/* ... the bytes at bit @bits of a structure that is passed or returned by value at @place: a word, or memory. */
int value_part(const struct resolver *r, struct span at, const struct call_place *place, uint32_t bits, struct value *v);

/* ... the address in an EXPR_MEM or EXPR_MEMSYM. */
int value_address(const struct resolver *r, const struct expr *e, struct value *v);

/* resolve_c.c: an EXPR_C, by the kernel's types. Sets *v. */
int resolve_c(const struct resolver *r, const struct expr *e, struct value *v);

/* ... @v is a calculation that is followed with @off: a constant that it adds moves into *off, so a pointer plus a constant costs nothing. */
void resolve_c_rebase(const struct resolver *r, struct value *v, int64_t *off);

/* ... an EXPR_PERCPU. Sets *v, which must be empty before. */
int resolve_percpu(const struct resolver *r, const struct expr *e, struct value *v);

/* Resolves one node with all that is inside it. @v must be empty before. */
int value_expr(const struct resolver *r, const struct expr *e, struct value *v);

/*
 * cast.c: resolves a cast into @v's address, and *ret_struct, which is *ret_off bytes from that address: 0, or negative if the
 * address is that of a member.
 */
int resolve_cast(const struct resolver *r, const struct expr *e, struct kbtf_id *ret_struct, int64_t *ret_off, struct value *v);

/* Adds notes: which fields @structure has, because it has no @name. @at: the text in front of @name; @link: the arrow or dot. */
void resolve_note_fields(const struct resolver *r, struct kbtf_id structure, const char *name, struct span at, const char *link);

/* The module that is searched first for types: that of the probed function; NULL: none. */
const char *resolve_own_module(const struct resolver *r);

/*
 * resolve_show.c: what a type that is more than its kind needs: *@type's kind and size by BTF, another read in @v, the names of
 * @ret's numbers. Called for each type before all else is set in @ret.
 */
int resolve_show(struct resolver *r, const struct arg *arg, struct value *v, struct type *type, struct layout_field *ret);

/* ... Are the names of system calls known, so that :syscall is of use? With --explain they may be unknown. */
bool resolve_knows_calls(const struct resolver *r);

/* resolve_path.c: what :path fetches: the address of a struct path or dentry. @v: the value, of which BTF must say what it is. */
int resolve_path(const struct resolver *r, const struct arg *arg, struct value *v);
/*
 * resolve_length.c: adds those lengths to r->hidden that are no other argument's value. lengths_link() connects the fields of @l with
 * their lengths when all are resolved: a length must be a number.
 */
int lengths_hide(struct resolver *r, const struct probe_def *def);
int lengths_link(const struct resolver *r, const struct probe_def *def, struct layout *l);

/* type.c: how the value is stored and printed; may add the step that a string needs. */
int resolve_type(struct resolver *r, const struct arg *arg, struct value *value,
		 struct layout_field *ret);

#endif
