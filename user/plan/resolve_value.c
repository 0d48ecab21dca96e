// SPDX-License-Identifier: GPL-2.0-only
/*
 * resolve_value.c - what an argument fetches: a source, then reads through memory.
 *
 * The expression is evaluated from the inside to the outside: the innermost node is
 * the source, and each node around it is a read. Names of parameters and fields
 * become registers and offsets here, so every kernel understands them.
 */
#include <errno.h>

#include "arch/kernel.h"
#include "bprobe_abi.h"
#include "kernel/syms/ksyms.h"
#include "lang/dialect.h"
#include "lang/parse.h"
#include "plan/resolver.h"

enum { BPF_MAX_ARGS = 12 };		/* MAX_BPF_FUNC_ARGS (6.12, include/linux/bpf.h) */

/* ---- steps ---- */

void value_follow(const struct resolver *r, struct value *v, int64_t off, bool user)
{
	struct deref *more;

	if (v->fetch.src == FETCH_CALC && !v->fetch.nr_derefs)
		resolve_c_rebase(r, v, &off);
	more = arena_array(r->arena, struct deref, v->fetch.nr_derefs + 1);
	/* Of a calculation it is known whose memory it points to. */
	user = user || (r->def->probe == PROBE_UPROBE && (v->fetch.src == FETCH_CALC ? v->is_user : v->fetch.src != FETCH_TASK));
	if (v->fetch.nr_derefs)
		memcpy(more, v->fetch.derefs, v->fetch.nr_derefs * sizeof(*more));
	more[v->fetch.nr_derefs++] = (struct deref){ .off = off, .user = user };
	v->fetch.derefs = more;
	v->is_memory = true;
}

static void set_btf(struct value *v, const struct kbtf_type *type)
{
	v->btf = *type;
	v->has_btf = true;
}

/* What is no number is printed as the bits that are in its first word: a register has other bits above them. */
static void limit_to_word(struct value *v)
{
	struct call_type type;

	if (v->btf.kind != KBTF_STRUCT && v->btf.kind != KBTF_ARRAY)
		return;
	kbtf_call_type(v->btf.self, &type);
	if (type.size && type.size * 8 < 64u - v->fetch.shift)
		v->bit_width = (uint8_t)(type.size * 8);
	else if (v->fetch.shift)
		v->bit_width = (uint8_t)(64 - v->fetch.shift);
}

/* ---- sources ---- */

static int resolve_data(const struct resolver *r, const struct expr *e, uint64_t *ret)
{
	const struct ksym *const *syms;

	if (!r->ks || ksyms_hidden(r->ks)) {
		*ret = 0;
		return 0;
	}
	if (!ksyms_find(r->ks, e->name, NULL, &syms))
		return resolve_unknown_symbol(r, e->name, e->name_at);
	*ret = syms[0]->addr + (uint64_t)e->off;
	return 0;
}

int value_address(const struct resolver *r, const struct expr *e, struct value *v)
{
	v->fetch.src = FETCH_VALUE;
	v->fetch.value = e->value;
	return e->kind == EXPR_MEMSYM ? resolve_data(r, e, &v->fetch.value) : 0;
}

/* Of a variable that each CPU has, the symbol's address is only where they begin: nothing that can be read is there. */
static int check_one_for_all(const struct resolver *r, const struct expr *e, uint64_t addr)
{
	uint64_t start, end;
	int err;

	if (!r->ks || ksyms_hidden(r->ks))
		return 0;
	start = ksyms_address(r->ks, "__per_cpu_start");
	end = ksyms_address(r->ks, "__per_cpu_end");
	if (addr < start || addr >= end)
		return 0;
	err = diag_at(r->diag, -EINVAL, e->at, "each CPU has its own %s, and this means none of them", e->name);
	diag_note(r->diag, "help: this CPU's is this_cpu_read(%.*s)", (int)e->at.len, r->def->text + e->at.off);
	return err;
}

/* What an entry probe has saved: the registers that pass parameters, and behind them the first words of the stack. */
static int saved_word(const struct resolver *r, unsigned n, struct span at, struct value *v)
{
	v->fetch.src = FETCH_SAVED;
	v->fetch.n = n;
	return n < BP_SAVED_PARAMS ? 0
	     : diag_at(r->diag, -EOPNOTSUPP, at, "only %d words of parameters are kept until the function returns", BP_SAVED_PARAMS);
}

/* A word that a register passed. */
static int register_word(const struct resolver *r, unsigned n, struct span at, struct value *v)
{
	if (r->def->kind == DEF_RETURN)
		return saved_word(r, n, at, v);
	v->fetch.src = FETCH_REG;
	v->fetch.reg = reg_params[n];
	return 0;
}

/* A word that the stack passed, as a distance from the stack pointer at the entry: the first one is STACK_PARAMS. */
static int stack_word(const struct resolver *r, unsigned n, struct span at, struct value *v)
{
	if (r->def->kind == DEF_RETURN)
		return saved_word(r, REG_PARAMS + n - STACK_PARAMS, at, v);
	v->fetch.src = FETCH_STACKN;
	v->fetch.n = n;
	return 0;
}

/* A word of the program's stack. The kernel's tracer gives 0 if it cannot be read, and this a fault. */
static void user_stack_word(const struct resolver *r, unsigned n, struct value *v)
{
	v->fetch.src = FETCH_REG;
	v->fetch.reg = REG_SP;
	value_follow(r, v, 8 * (int64_t)n, true);
	v->is_memory = false;		/* for types it is a value */
}

static int user_param(const struct resolver *r, unsigned n, struct value *v)
{
	if (n >= REG_PARAMS) {
		user_stack_word(r, n - REG_PARAMS + STACK_PARAMS, v);
		return 0;
	}
	v->fetch.src = FETCH_REG;
	v->fetch.reg = reg_params[n];
	return 0;
}

/* A program gets only the arguments that there are. */
static int tracepoint_param(const struct resolver *r, unsigned n, struct span at)
{
	if (!r->proto.known || n < r->proto.nr_params)
		return n < BPF_MAX_ARGS ? 0 : diag_at(r->diag, -EOPNOTSUPP, at, "a program sees only %d arguments", BPF_MAX_ARGS);
	return diag_at(r->diag, -ENOENT, at, "%s has %u arguments, so there is no $arg%u", r->def->place.symbol, r->proto.nr_params, n + 1);
}

static int refuse_vector(const struct resolver *r, struct span at)
{
	return diag_at(r->diag, -EOPNOTSUPP, at, "a vector register passes this, and a probe sees none of these");
}

/* Word @n of @place, where a parameter is. */
static int param_word(const struct resolver *r, const struct call_place *place, unsigned n, struct span at, struct value *v)
{
	if (place->on_stack)
		return stack_word(r, place->word + n, at, v);
	if (n >= CALL_WORDS || place->reg[n] == CALL_NO_REG)
		return refuse_vector(r, at);
	return register_word(r, (unsigned)place->reg[n], at, v);
}

/* Parameter @n (from 0) of a function whose types are known: what is in front of it may take two words, or none. */
static int typed_param(const struct resolver *r, unsigned n, struct span at, struct value *v)
{
	const struct call_place *place = &r->proto.places[n];

	if (r->proto.types[n].kind == KBTF_STRUCT)
		v->by_value = place;
	return param_word(r, place, 0, at, v);
}

/* Parameter @n (from 0). A system call's parameters are in the struct to which its function's only parameter points. */
static int resolve_param(const struct resolver *r, unsigned n, struct span at, struct value *v)
{
	if (r->proto.is_syscall && n >= SYSCALL_PARAMS)
		return diag_at(r->diag, -EOPNOTSUPP, at, "a system call has %d parameters at most",
			       SYSCALL_PARAMS);
	if (r->proto.is_syscall) {
		register_word(r, 0, at, v);
		value_follow(r, v, ksyscall_param_offset(n), false);
		v->is_user = true;
		return 0;
	}
	if (r->def->probe == PROBE_UPROBE)
		return user_param(r, n, v);
	if (r->tracepoint) {
		v->fetch.src = FETCH_WORD;
		v->fetch.n = n;
		return tracepoint_param(r, n, at);
	}
	if (r->proto.places && n < r->proto.nr_params)
		return typed_param(r, n, at, v);
	return n < REG_PARAMS ? register_word(r, n, at, v) : stack_word(r, n - REG_PARAMS + STACK_PARAMS, at, v);
}

/* Names of parameters come from BTF. Without BTF, bprobe cannot trace the kernel at all. */
void resolve_note_registers(const struct resolver *r)
{
	if (!r->btf || !kbtf_raw(r->btf))
		diag_note(r->diag, "help: this kernel shows no BTF (CONFIG_DEBUG_INFO_BTF), and bprobe cannot trace without it: "
			  "see 'bprobe --doctor'");
	else
		diag_note(r->diag, "help: fetch registers: the first %s parameters are in %s", REG_PARAMS_WORD, REG_PARAMS_NAMES);
}

/* True: @r's function gets a system call's parameters in a struct. Adds a note with the name that gives access to them. */
static bool note_call(const struct resolver *r)
{
	const struct place *place = &r->def->place;
	const char *call = place->symbol && !place->module && r->ks ? ksyscall_run_by(place->symbol) : NULL;

	if (!call || r->proto.is_syscall)
		return false;
	diag_note(r->diag, "help: %s gives access to the call's own parameters", ksyscall_name(r->arena, r->ks, call));
	return true;
}

static int no_parameters(const struct resolver *r, struct span at, const char *what)
{
	int err = diag_at(r->diag, -EOPNOTSUPP, at, "%s does not tell the parameters of %s%s, so %s is not known",
			  r->proto.is_syscall ? "the kernel" : "BTF",
			  r->proto.is_shared ? "each function called " : "",
			  r->def->place.symbol ? r->def->place.symbol : "this place", what);

	if (r->proto.is_syscall)
		diag_note(r->diag, "help: the call's metadata (CONFIG_FTRACE_SYSCALLS) is missing or cannot be read: write $arg1 "
			  "to $arg6");
	else if (!note_call(r))
		resolve_note_registers(r);
	return err;
}

static void note_parameters(const struct resolver *r)
{
	const struct proto *proto = &r->proto;
	struct buf names = { 0 };

	for (unsigned i = 0; i < proto->nr_params; i++)
		buf_addf(&names, "%s%s", i ? ", " : "", proto->names[i]);
	if (proto->nr_params)
		diag_note(r->diag, "help: its parameters are %s", buf_str(&names));
	buf_fini(&names);
}

static int resolve_var(const struct resolver *r, const struct expr *e, struct value *v)
{
	const struct proto *proto = &r->proto;
	const char *similar;
	int err;

	if (!proto->known)
		return no_parameters(r, e->at, e->name);
	for (unsigned i = 0; i < proto->nr_params; i++) {
		if (strcmp(proto->names[i], e->name))
			continue;
		err = resolve_param(r, i, e->at, v);
		set_btf(v, &proto->types[i]);
		if (v->by_value)
			limit_to_word(v);
		return err;
	}
	err = diag_at(r->diag, -ENOENT, e->at, "%s has no parameter '%s'", r->def->place.symbol, e->name);
	if (note_call(r))
		return err;
	similar = spell_nearest(e->name, proto->names, proto->nr_params);
	if (similar)
		diag_note(r->diag, "help: did you mean %s?", similar);
	note_parameters(r);
	return err;
}

/* Without BTF of the function the value has 64 bits, as before 6.12. It also has 64 bits in dialects without types. */
static int resolve_retval(const struct resolver *r, const struct expr *e, struct value *v)
{
	v->fetch.src = FETCH_REG;
	v->fetch.reg = REG_RETURN;
	if (!r->proto.has_ret || dialect_is_untyped(r->def->dialect))
		return 0;
	set_btf(v, &r->proto.ret);
	if (r->proto.ret.kind == KBTF_STRUCT && r->proto.places)
		v->by_value = &r->proto.places[r->proto.nr_params];
	if (v->by_value && !v->by_value->on_stack)
		limit_to_word(v);
	if (r->proto.ret.kind != KBTF_VOID)
		return 0;
	return diag_at(r->diag, -ENOENT, e->at, "%s returns nothing (void), so it has no $retval",
		       r->def->place.symbol);
}

/* Without BTF it is only an address. */
static int resolve_task(const struct resolver *r, struct value *v)
{
	struct kbtf_id task;

	v->fetch.src = FETCH_TASK;
	if (!r->btf || kbtf_find_struct(r->btf, "task_struct", &task))
		return 0;
	v->btf = (struct kbtf_type){ .kind = KBTF_PTR, .size = 8, .target = task };
	v->has_btf = true;
	return 0;
}

/* ---- fields ---- */

void resolve_note_fields(const struct resolver *r, struct kbtf_id structure, const char *name, struct span at, const char *link)
{
	const char *other = kbtf_similar_member(structure, name);
	struct buf path = { 0 };

	if (kbtf_find_inside(structure, name, &path))
		diag_note(r->diag, "help: it is in %.*s: %.*s%s%s", (int)strcspn(buf_str(&path), "."), buf_str(&path),
			  (int)at.len, r->def->text + at.off, link, buf_str(&path));
	else if (other)
		diag_note(r->diag, "help: did you mean %s?", other);
	buf_reset(&path);
	for (unsigned i = 0, shown = 0; shown < 8 && (other = kbtf_member_name(structure, i)); i++) {
		if (*other)
			buf_addf(&path, "%s%s", shown++ ? ", " : "", other);
	}
	if (path.len)
		diag_note(r->diag, "help: its fields are %s%s", buf_str(&path), other ? ", ..." : "");
	buf_fini(&path);
}

static int no_field(const struct resolver *r, const struct expr *e, struct kbtf_id structure)
{
	int err = diag_at(r->diag, -ENOENT, e->name_at, "the structure has no field '%s'", e->name);

	resolve_note_fields(r, structure, e->name, e->inner->at, e->arrow ? "->" : ".");
	return err;
}

/* Where a field is: from the address that a cast was given, or else from the start of the structure. */
struct location {
	int64_t cast_off;		/* bytes from that address to the structure */
	uint32_t bits;			/* from the start of the structure */
};

/* inner->NAME and the .NAMEs behind it are one read at the sum of their offsets. */
static int resolve_field(const struct resolver *r, const struct expr *e, struct kbtf_id structure,
			 struct location *at, struct value *v)
{
	struct kbtf_member m;

	if (kbtf_find_member(structure, e->name, &m))
		return no_field(r, e, structure);
	at->bits += m.bit_off;
	kbtf_describe(m.type, &v->btf);
	v->has_btf = true;
	v->bit_width = (uint8_t)m.bit_size;
	v->bit_off = m.bit_size ? at->bits % 8 : 0;
	v->bit_signed = m.bit_size && v->btf.is_signed;
	return 0;
}

/* What @e is, in front of '->', if its type is not known. */
static int unknown_target(const struct resolver *r, const struct expr *e)
{
	if (e->kind == EXPR_TASK)
		return diag_at(r->diag, -EOPNOTSUPP, e->at, "this needs the kernel's types, and there is no BTF that tells them");
	return no_parameters(r, e->at, "what this points to");
}

/* What is before '->' has another type than a pointer to a structure. */
static int refuse_arrow(const struct resolver *r, const struct expr *e, const struct value *v)
{
	int err = diag_at(r->diag, -EINVAL, e->name_at, "the part before '->%s' is not a pointer to a structure or union", e->name);
	bool is_field = e->inner->kind == EXPR_FIELD;

	if (v->btf.kind == KBTF_STRUCT && (is_field || v->by_value))
		diag_note(r->diag, "help: it is a structure itself: write .%s", e->name);
	else if (v->btf.size == 8 && !v->bit_width && (v->btf.kind == KBTF_PTR || v->btf.kind == KBTF_INT))
		diag_note(r->diag, "help: if it is the address of one, write (STRUCT)%s%.*s%s->%s", is_field ? "(" : "",
			  (int)e->inner->at.len, r->def->text + e->inner->at.off, is_field ? ")" : "", e->name);
	return err;
}

/* Is @e, in front of a '.', a structure itself? Then the value of its first word is in @v. */
static int resolve_by_value(const struct resolver *r, const struct expr *e, struct value *v)
{
	int err = value_expr(r, e->inner, v);
	const char *text = r->def->text + e->inner->at.off;

	if (err || v->by_value)
		return err;
	err = diag_at(r->diag, -EINVAL, e->name_at, "'%.*s' is not a structure, so it has no fields", (int)e->inner->at.len, text);
	diag_note(r->diag, "help: write %.*s->%s if it points to one", (int)e->inner->at.len, text, e->name);
	return err;
}

/* For a field, finds the pointer at which its chain of dots begins, and where the field is from there. */
static int resolve_chain(const struct resolver *r, const struct expr *e, struct location *at,
			 struct value *v)
{
	struct kbtf_id structure;
	int err;

	if (!e->arrow) {
		err = e->inner->kind == EXPR_FIELD ? resolve_chain(r, e->inner, at, v) : resolve_by_value(r, e, v);
		if (err)
			return err;
		return resolve_field(r, e, v->btf.self, at, v);
	}
	if (e->inner->kind == EXPR_CAST) {
		err = resolve_cast(r, e->inner, &structure, &at->cast_off, v);
		return err ? err : resolve_field(r, e, structure, at, v);
	}
	err = value_expr(r, e->inner, v);
	if (err)
		return err;
	if (!v->has_btf)
		return unknown_target(r, e->inner);
	if (v->btf.kind == KBTF_PTR) {
		struct kbtf_type to;

		kbtf_describe(v->btf.target, &to);
		if (to.kind == KBTF_STRUCT)
			return resolve_field(r, e, v->btf.target, at, v);
	}
	return refuse_arrow(r, e, v);
}

/* Word @n of what a function returns in registers. */
static int return_word(const struct resolver *r, const struct call_place *place, unsigned n, struct span at, struct value *v)
{
	if (n >= CALL_WORDS || place->reg[n] == CALL_NO_REG)
		return refuse_vector(r, at);
	v->fetch.src = FETCH_REG;
	v->fetch.reg = reg_returns[place->reg[n]];
	return 0;
}

int value_part(const struct resolver *r, struct span at, const struct call_place *place, uint32_t bits, struct value *v)
{
	bool returned = place == &r->proto.places[r->proto.nr_params];

	v->by_value = NULL;
	v->fetch = (struct fetch){ .src = FETCH_REG, .reg = returned ? REG_RETURN : REG_SP };
	if (place->on_stack && (returned || r->def->kind != DEF_RETURN)) {
		value_follow(r, v, (returned ? 0 : 8 * (int64_t)place->word) + bits / 8, false);
		return 0;
	}
	v->fetch.shift = (uint8_t)(bits % 64);
	v->bit_off = 0;
	limit_to_word(v);
	return returned ? return_word(r, place, bits / 64, at, v) : param_word(r, place, bits / 64, at, v);
}

static int resolve_fields(const struct resolver *r, const struct expr *e, struct value *v)
{
	struct location at = { 0 };
	int err = resolve_chain(r, e, &at, v);

	if (err)
		return err;
	if (v->by_value)
		return value_part(r, e->at, v->by_value, at.bits, v);
	value_follow(r, v, at.cast_off + at.bits / 8, v->is_user);
	return 0;
}

/* ---- the complete value ---- */

/*
 * The instruction pointer at a return. In 6.12 it is the address to which the function returns, and bprobe gives
 * this address on every kernel. The sources of 2009 gave the address of their own trampoline, where the
 * instruction pointer is while a probe runs.
 */
static int return_place(const struct resolver *r, const struct expr *e, struct value *v)
{
	static const char *const trampolines[] = {
		"arch_rethook_trampoline", "__kretprobe_trampoline", "kretprobe_trampoline",
	};

	int err;

	v->fetch.src = FETCH_CALLER;
	if (!r->facts->faithful || r->def->dialect == DIALECT_KPROBE)
		return 0;
	v->fetch.src = FETCH_VALUE;
	for (size_t i = 0; r->ks && i < ARRAY_SIZE(trampolines) && !v->fetch.value; i++)
		v->fetch.value = ksyms_address(r->ks, trampolines[i]);
	if (v->fetch.value)
		return 0;
	v->no_trampoline = !r->ks ? "cannot be found without symbols"
			 : ksyms_hidden(r->ks) ? "the kernel hides (kernel.kptr_restrict)"
					       : "is not among this kernel's symbols";
	if (r->facts->explains)
		return 0;
	err = diag_at(r->diag, -EOPNOTSUPP, e->at, "--faithful needs the address of the return probes' trampoline, which %s",
		      v->no_trampoline);
	diag_note(r->diag, "help: without --faithful this is the address to which the function returns");
	return err;
}

static int refuse_elapsed(const struct resolver *r, const struct expr *e)
{
	int err = diag_at(r->diag, -EINVAL, e->at, "there is no $elapsed at this place");

	diag_note(r->diag, "help: the time from a function's entry to its return is known when it returns: write r instead of p");
	diag_note(r->diag, "help: for the time from another event to this one add --pair EVENT:%s", r->def->event);
	return err;
}

/*
 * @+OFFS: the file is mapped in one piece, so the distance from the place is the same (6.12, kernel/trace/trace_uprobe.c,
 * translate_user_vaddr()).
 */
static void file_word(const struct resolver *r, const struct expr *e, struct value *v)
{
	v->fetch.src = FETCH_PLACE;
	value_follow(r, v, e->off - (int64_t)r->file_off, true);
}

/* The kernel's own event shows the stack of the empty function that it hooks. */
static int no_stack(const struct resolver *r, const struct expr *e)
{
	return diag_at(r->diag, -EOPNOTSUPP, e->at, "a tracepoint's program has no stack pointer, so there is no %.*s here", (int)e->at.len,
		       r->def->text + e->at.off);
}

/* An event can have a field of this name, so only here it is known that it is the task's. Other kinds: lang/expr.c. */
static int refuse_comm_deref(const struct resolver *r, const struct expr *e)
{
	return diag_at(r->diag, -EINVAL, e->at, "$%s is the task's name here, a text: it cannot be dereferenced", e->name);
}

int value_expr(const struct resolver *r, const struct expr *e, struct value *v)
{
	int err;

	switch (e->kind) {
	case EXPR_REG:
	case EXPR_STACK:
		if (r->tracepoint)
			return no_stack(r, e);
		v->fetch.src = FETCH_REG;
		v->fetch.reg = e->kind == EXPR_REG ? e->reg : REG_SP;
		return v->fetch.reg == REG_IP && r->def->kind == DEF_RETURN ? return_place(r, e, v) : 0;
	case EXPR_STACKN:
		if (r->def->probe == PROBE_UPROBE) {
			user_stack_word(r, e->n, v);
			return 0;
		}
		if (r->tracepoint)
			return no_stack(r, e);
		v->fetch.src = FETCH_STACKN;
		v->fetch.n = e->n;
		return 0;
	case EXPR_INDEXED:
		v->fetch = (struct fetch){ .src = FETCH_REG, .has_index = true, .no_base = e->reg == REG_COUNT, .reg = e->reg == REG_COUNT ? 0 : e->reg,
					   .index = e->index, .scale = (uint8_t)e->n };
		return 0;
	case EXPR_FILE:
		file_word(r, e, v);
		return 0;
	case EXPR_EVENT_FIELD:
		return resolve_event_field(r, e, v);
	case EXPR_RETVAL:
		return resolve_retval(r, e, v);
	case EXPR_ELAPSED:
		v->fetch.src = FETCH_ELAPSED;
		return r->def->kind == DEF_RETURN || r->def->ends_pair ? 0 : refuse_elapsed(r, e);
	case EXPR_COMM:
		v->fetch.src = FETCH_COMM;
		return 0;
	case EXPR_TASK:
		return resolve_task(r, v);
	case EXPR_ARG:
		return resolve_param(r, e->n - 1, e->at, v);
	case EXPR_MEM:
	case EXPR_MEMSYM:
		err = value_address(r, e, v);
		if (!err && e->kind == EXPR_MEMSYM)
			err = check_one_for_all(r, e, v->fetch.value);
		value_follow(r, v, 0, false);
		return err;
	case EXPR_C:
		return resolve_c(r, e, v);
	case EXPR_PERCPU:
		return resolve_percpu(r, e, v);
	case EXPR_IMM:
		v->fetch.src = FETCH_VALUE;
		v->fetch.value = e->value;
		return 0;
	case EXPR_IMMSTR:
		v->fetch.src = FETCH_TEXT;
		v->fetch.text = e->name;
		return 0;
	case EXPR_DEREF:
		err = value_expr(r, e->inner, v);
		if (!err && v->fetch.src == FETCH_COMM)
			return refuse_comm_deref(r, e->inner);
		value_follow(r, v, e->off, e->user);
		v->has_btf = false;
		v->bit_width = 0;
		v->bit_signed = false;
		return err;
	case EXPR_VAR:
		return resolve_var(r, e, v);
	case EXPR_FIELD:
		return resolve_fields(r, e, v);
	case EXPR_SUM:
		err = value_expr(r, e->inner, v);
		v->fetch.add = e->off;
		return err;
	default:
		return diag_at(r->diag, -EINVAL, e->at, "$arg* means whole arguments only");
	}
}

int resolve_value(const struct resolver *r, const struct arg *arg, struct value *ret)
{
	struct value v = { 0 };
	int err = value_expr(r, arg->expr, &v);

	if (!err)
		*ret = v;
	return err;
}
