// SPDX-License-Identifier: GPL-2.0-only
/*
 * emit.c - a plan as straight-line BPF.
 *
 * Registers while the body runs:
 *
 *	r6  the context			r8  bytes of strings so far (at first: the kept parameters)
 *	r7  the record			r9  BP_FETCH_* bits
 *	r3  the value or address that an argument is being brought to
 *
 * What happens rarely (a fault, a cut string) stands behind the body and jumps
 * back, so that the hot path falls through.
 */
#include "plan/emit.h"

#include <errno.h>
#include <stddef.h>

#include "bprobe_abi.h"
#include "plan/fetch.h"
#include "plan/filter_code.h"
#include "plan/gate.h"
#include "plan/limit.h"

/*
 * Words of the BPF stack: a value on the way to another read, where an array
 * begins, and the parameters that were kept at the entry.
 */
enum { SPILL = -8, ARRAY = -16, SAVED = -EMIT_STACK };

enum cold_kind {
	COLD_FAULT,			/* the element could not be read */
	COLD_ARRAY_FAULT,		/* nor any of its array */
	COLD_NO_STRING,			/* a string's helper returned 0 or an error */
	COLD_CUT,			/* a string filled all the room that there can be */
	COLD_FULL,			/* the record has no room left for a string */
	COLD_FILLED,			/* a string filled its short room */
	COLD_KERNEL_STRING,		/* it is not in the user's half of the addresses */
};

struct cold {
	struct cold *next;
	enum cold_kind kind;
	unsigned jump;			/* the jump that goes here */
	unsigned back;			/* where it resumes, behind the element */
	unsigned store;			/* where a string of r0 bytes is stored */
	const struct layout_field *field;
	unsigned element;
};

struct emitter {
	struct code *code;
	const struct plan *plan;
	bool is_long;			/* in a program of its own, which returns */
	int stack;			/* of the program around: the words above are below that */
	bool begun;			/* strings: else r8 is 0 */
	unsigned left;			/* strings to come; behind the last one r8 is not needed */
	unsigned end;			/* behind the hot part */
	struct cold *cold;		/* latest first */
	const struct limit_jump *limited;	/* jumps of hits that a limit drops */
	const struct layout_field *field;	/* the one being emitted */
	unsigned element;
	struct fetcher fetcher;
	enum cold_kind failing;
};

static int16_t word(const struct emitter *e, int which)
{
	return (int16_t)(which - e->stack);
}

static int16_t slot(const struct layout_field *f, unsigned element)
{
	return (int16_t)(BP_BODY_OFF + f->off + element * type_slot_size(&f->type));
}

/* The jump @jump leads to code behind the body; it resumes at cold_resume(). */
static struct cold *cold_add(struct emitter *e, enum cold_kind kind, unsigned jump)
{
	struct cold *c = arena_new(e->code->arena, struct cold);

	*c = (struct cold){
		.next = e->cold, .kind = kind, .jump = jump,
		.field = e->field, .element = e->element,
	};
	e->cold = c;
	return c;
}

/* All cold paths of the current element that fail resume here. */
static void cold_resume(struct emitter *e, const struct cold *until)
{
	for (struct cold *c = e->cold; c != until; c = c->next) {
		if (!c->back)
			c->back = e->code->nr;
	}
}

/* ---- reads ---- */

/* What fetch.c could not read goes to cold code of the kind in @e->failing. */
static void read_failed(void *ctx, unsigned jump)
{
	struct emitter *e = ctx;

	cold_add(e, e->failing, jump);
}

/* read(dst = r1, size, r3), with a jump to @kind when it fails. */
static void emit_read(struct emitter *e, unsigned bytes, bool user, enum cold_kind kind)
{
	e->failing = kind;
	fetch_read(&e->fetcher, bytes, user);
}

/* r3 = the word at r3 */
static void emit_follow(struct emitter *e, bool user, enum cold_kind kind)
{
	e->failing = kind;
	fetch_follow(&e->fetcher, user);
}

/* Brings r3 to the value, or with derefs to the address that the last one reads. */
static void emit_address(struct emitter *e, const struct fetch *f, enum cold_kind kind)
{
	e->failing = kind;
	fetch_address(&e->fetcher, f);
}

static bool reads_user(const struct fetch *f)
{
	return f->nr_derefs && f->derefs[f->nr_derefs - 1].user;
}

/* The slot's number is the part of it that a bit-field names. */
static void emit_bits(struct emitter *e, int16_t to, unsigned from)
{
	const struct layout_field *f = e->field;
	struct code *c = e->code;

	if (from == BPF_REG_10)
		code_load(c, 8, BPF_REG_1, BPF_REG_10, word(e, SPILL));
	else
		code_load(c, f->type.size, BPF_REG_1, BPF_REG_7, to);
	code_alu_imm(c, BPF_LSH, BPF_REG_1, 64 - f->bit_off - f->bit_width);
	code_alu_imm(c, BPF_RSH, BPF_REG_1, 64 - f->bit_width);
	code_store(c, f->type.size, BPF_REG_7, to, BPF_REG_1);
}

/* What is added to a number that was read. */
static void emit_add(struct emitter *e, int16_t to, int64_t add)
{
	unsigned size = e->field->type.size;
	struct code *c = e->code;

	code_load(c, size, BPF_REG_1, BPF_REG_7, to);
	code_add_const(c, BPF_REG_1, add, BPF_REG_2);
	code_store(c, size, BPF_REG_7, to, BPF_REG_1);
}

/* A number: r3 is its value, or with derefs where it lies. */
static void emit_number_at(struct emitter *e, const struct fetch *f)
{
	const struct layout_field *field = e->field;
	/* A structure's bit-field may begin in the last byte of its type's size. */
	bool wide = field->bit_off + field->bit_width > 8 * field->type.size;
	int16_t to = slot(field, e->element);
	struct code *c = e->code;

	if (!f->nr_derefs) {
		code_add_const(c, BPF_REG_3, f->add, BPF_REG_1);
		code_store(c, field->type.size, BPF_REG_7, to, BPF_REG_3);
	} else {
		code_mov(c, BPF_REG_1, wide ? BPF_REG_10 : BPF_REG_7);
		code_alu_imm(c, BPF_ADD, BPF_REG_1, wide ? word(e, SPILL) : to);
		emit_read(e, wide ? 8 : field->type.size, reads_user(f), COLD_FAULT);
	}
	if (f->nr_derefs && f->add)
		emit_add(e, to, f->add);
	if (field->bit_width)
		emit_bits(e, to, wide ? BPF_REG_10 : BPF_REG_7);
}

/* ---- strings ---- */

/* Bytes that a string may take in this body, with its NUL. */
static uint32_t string_room(const struct emitter *e)
{
	return e->is_long && e->field->grows ? LAYOUT_LONG_STRING : e->field->room;
}

/* Stores the __data_loc of a string of r0 bytes at r8, for a length in @len_reg or none. */
static void emit_data_loc(struct emitter *e, const struct layout_field *f, unsigned element,
			  bool has_len)
{
	struct code *c = e->code;

	if (has_len) {
		code_mov(c, BPF_REG_1, BPF_REG_0);
		code_alu_imm(c, BPF_LSH, BPF_REG_1, 16);
		if (e->begun)
			code_alu(c, BPF_ADD, BPF_REG_1, BPF_REG_8);
	} else {
		code_mov(c, BPF_REG_1, BPF_REG_8);
	}
	code_alu_imm(c, BPF_ADD, BPF_REG_1, (int32_t)e->plan->layout.dyn_off);
	code_store(c, 4, BPF_REG_7, slot(f, element), BPF_REG_1);
}

/* In a long record that cannot hold all strings at full length, is there room for one? */
static void emit_room_check(struct emitter *e)
{
	const struct layout *l = &e->plan->layout;
	uint32_t window = l->long_size - BP_BODY_OFF - l->dyn_off;
	uint32_t room = string_room(e);

	if (!e->is_long || l->nr_strings * (uint32_t)LAYOUT_LONG_STRING <= window)
		return;
	cold_add(e, COLD_FULL, code_jump_imm(e->code, BPF_JGT, BPF_REG_8, (int32_t)(window - room - 8)));
}

/*
 * Reads a string of up to r2 bytes from r3 to r1. An address of the user's is read as the user's,
 * as the kernel's own fetch does; probe_read_str decides so, too, but takes longer. Addresses between
 * the halves are mapped by neither helper.
 */
static void emit_read_string(struct emitter *e, const struct fetch *f)
{
	struct code *c = e->code;

	if (f->src == FETCH_COMM) {
		code_call(c, BPF_FUNC_probe_read_kernel_str);
	} else if (e->field->type.kind == TYPE_USTRING || reads_user(f)) {
		code_call(c, BPF_FUNC_probe_read_user_str);
	} else {
		struct cold *kernel = cold_add(e, COLD_KERNEL_STRING, code_jump_imm(c, BPF_JSLT, BPF_REG_3, 0));

		code_call(c, BPF_FUNC_probe_read_user_str);
		kernel->back = c->nr;
	}
}

/* The text at r3. */
static void emit_string_at(struct emitter *e, const struct fetch *f)
{
	struct code *c = e->code;
	uint32_t room = string_room(e);
	struct cold *none;

	code_mov(c, BPF_REG_1, BPF_REG_7);
	if (e->begun)
		code_alu(c, BPF_ADD, BPF_REG_1, BPF_REG_8);
	code_alu_imm(c, BPF_ADD, BPF_REG_1, (int32_t)(BP_BODY_OFF + e->plan->layout.dyn_off));
	code_mov_imm(c, BPF_REG_2, (int32_t)room);
	emit_read_string(e, f);
	none = cold_add(e, COLD_NO_STRING, code_jump_imm(c, BPF_JSLE, BPF_REG_0, 0));
	if (e->field->grows)		/* a full room may hold a part only */
		cold_add(e, e->is_long ? COLD_CUT : COLD_FILLED,
			 code_jump_imm(c, BPF_JEQ, BPF_REG_0, (int32_t)room))->back = c->nr;
	none->store = c->nr;
	emit_data_loc(e, e->field, e->element, true);
	e->begun = true;
	if (--e->left)
		code_alu(c, BPF_ADD, BPF_REG_8, BPF_REG_0);
}

/* @len bytes of the strings' part from r8 on are filled: r0 becomes their number. */
static void emit_filled(struct emitter *e, uint32_t len)
{
	code_mov_imm(e->code, BPF_REG_0, (int32_t)len);
	emit_data_loc(e, e->field, e->element, true);
	code_alu_imm(e->code, BPF_ADD, BPF_REG_8, (int32_t)len);
	e->begun = true;
	e->left--;
}

/* An immediate string, four bytes an instruction. */
static void emit_text(struct emitter *e, const char *text)
{
	int16_t at = (int16_t)(BP_BODY_OFF + e->plan->layout.dyn_off);
	uint32_t len = (uint32_t)strlen(text) + 1, done = 0;
	struct code *c = e->code;

	code_mov(c, BPF_REG_1, BPF_REG_7);
	code_alu(c, BPF_ADD, BPF_REG_1, BPF_REG_8);
	for (; done + 4 <= len; done += 4) {
		int32_t word;

		memcpy(&word, text + done, sizeof(word));
		code_store_imm(c, 4, BPF_REG_1, (int16_t)(at + done), word);
	}
	for (; done < len; done++)
		code_store_imm(c, 1, BPF_REG_1, (int16_t)(at + done), text[done]);
	emit_filled(e, len);
}

/* A symstr: the address travels, its name is looked up when the line is made. */
static void emit_symstr(struct emitter *e, const struct fetch *f)
{
	struct code *c = e->code;

	emit_address(e, f, COLD_FAULT);
	if (f->nr_derefs)
		emit_follow(e, reads_user(f), COLD_FAULT);
	code_mov(c, BPF_REG_1, BPF_REG_7);
	code_alu(c, BPF_ADD, BPF_REG_1, BPF_REG_8);
	code_store(c, 8, BPF_REG_1, (int16_t)(BP_BODY_OFF + e->plan->layout.dyn_off), BPF_REG_3);
	emit_filled(e, sizeof(uint64_t));
}

/* ---- what happens rarely ---- */

static void emit_mark(struct emitter *e, const struct layout_field *field, unsigned element)
{
	uint32_t bit = field->mark + element;
	int16_t word = (int16_t)(BP_BODY_OFF + e->plan->layout.marks_off + bit / 64 * 8);
	struct code *c = e->code;

	code_load(c, 8, BPF_REG_1, BPF_REG_7, word);
	code_const(c, BPF_REG_2, 1ull << (bit % 64));
	code_alu(c, BPF_OR, BPF_REG_1, BPF_REG_2);
	code_store(c, 8, BPF_REG_7, word, BPF_REG_1);
}

/* One value that could not be read. */
static void emit_fault(struct emitter *e, const struct layout_field *field, unsigned element)
{
	struct code *c = e->code;

	if (type_is_dynamic(&field->type)) {
		emit_data_loc(e, field, element, false);
	} else {
		code_store_imm(c, field->type.size, BPF_REG_7, slot(field, element), 0);
		emit_mark(e, field, element);
	}
	code_alu_imm(c, BPF_OR, BPF_REG_9, BP_FETCH_FAULT);
}

static void emit_cold(struct emitter *e, const struct cold *cold)
{
	struct code *c = e->code;
	unsigned error;

	code_land(c, cold->jump);
	switch (cold->kind) {
	case COLD_NO_STRING:
		/*
		 * For an empty string of the user's 0 is returned instead of 1 until
		 * 7.x (mm/maccess.c, strncpy_from_user_nofault()): its NUL is there.
		 */
		error = code_jump_imm(c, BPF_JNE, BPF_REG_0, 0);
		code_mov_imm(c, BPF_REG_0, 1);
		code_land_at(c, code_jump(c), cold->store);
		code_land(c, error);
		emit_fault(e, cold->field, cold->element);
		break;
	case COLD_FAULT:
		emit_fault(e, cold->field, cold->element);
		break;
	case COLD_ARRAY_FAULT:
		for (unsigned i = 0; i < cold->field->count; i++)
			emit_fault(e, cold->field, i);
		break;
	case COLD_CUT:
		emit_mark(e, cold->field, cold->element);
		break;
	case COLD_FULL:			/* an empty string that was cut */
		emit_mark(e, cold->field, cold->element);
		code_mov_imm(c, BPF_REG_0, 1);
		emit_data_loc(e, cold->field, cold->element, true);
		break;
	case COLD_KERNEL_STRING:
		code_call(c, BPF_FUNC_probe_read_kernel_str);
		break;
	case COLD_FILLED:
		code_mov_imm(c, BPF_REG_9, BP_FETCH_FILLED);
		code_land_at(c, code_jump(c), e->end);
		return;
	}
	code_land_at(c, code_jump(c), cold->back);
}

/* ---- the whole ---- */

static void emit_start(struct emitter *e)
{
	const struct layout *l = &e->plan->layout;
	struct code *c = e->code;

	if (e->is_long) {
		code_mov(c, BPF_REG_6, BPF_REG_1);
		code_mov(c, BPF_REG_7, BPF_REG_2);
		code_mov(c, BPF_REG_8, BPF_REG_3);
	}
	if (e->plan->saves && e->plan->backend == BACKEND_KPROBE)
		code_store(c, 8, BPF_REG_10, word(e, SAVED), BPF_REG_8);
	code_mov_imm(c, BPF_REG_8, 0);
	code_mov_imm(c, BPF_REG_9, 0);
	/* Ring memory comes as the last record left it. */
	for (uint32_t i = 0; i < ROUND_UP(l->nr_marks, 64u) / 64; i++)
		code_store_imm(c, 8, BPF_REG_7, (int16_t)(BP_BODY_OFF + l->marks_off + 8 * i), 0);
}

static void emit_scalar(struct emitter *e, const struct fetch *f)
{
	enum type_kind kind = e->field->type.kind;

	if (f->src == FETCH_TEXT) {
		emit_text(e, f->text);
	} else if (kind == TYPE_SYMSTR) {
		emit_symstr(e, f);
	} else if (type_is_dynamic(&e->field->type)) {
		emit_room_check(e);
		emit_address(e, f, COLD_FAULT);
		emit_string_at(e, f);
	} else {
		emit_address(e, f, COLD_FAULT);
		emit_number_at(e, f);
	}
}

/* Numbers lie there one after the other; of strings, their addresses do. */
static void emit_array(struct emitter *e, const struct fetch *f)
{
	const struct layout_field *field = e->field;
	bool strings = type_is_dynamic(&field->type);
	unsigned stride = strings ? sizeof(uint64_t) : field->type.size;
	struct code *c = e->code;

	emit_address(e, f, COLD_ARRAY_FAULT);
	code_store(c, 8, BPF_REG_10, word(e, ARRAY), BPF_REG_3);
	for (e->element = 0; e->element < field->count; e->element++) {
		const struct cold *element = e->cold;

		if (strings)
			emit_room_check(e);
		code_load(c, 8, BPF_REG_3, BPF_REG_10, word(e, ARRAY));
		code_add_const(c, BPF_REG_3, e->element * stride, BPF_REG_1);
		if (strings) {
			emit_follow(e, reads_user(f), COLD_FAULT);
			emit_string_at(e, f);
		} else {
			emit_number_at(e, f);
		}
		cold_resume(e, element);
	}
}

static void emit_field(struct emitter *e, const struct layout_field *field, const struct fetch *f)
{
	const struct cold *before = e->cold;

	e->field = field;
	e->element = 0;
	if (field->type.count)
		emit_array(e, f);
	else
		emit_scalar(e, f);
	cold_resume(e, before);
}

_Static_assert(ARRAY + (int)sizeof(struct limit_once_key) <= 0, "a key takes the words of numbers and arrays");

/* These are done with; r6 to r9 stay. */
static void emit_limits(struct emitter *e, const struct gate_env *env)
{
	unsigned unwanted;

	if (!env || !limit_is_set(env->limit) || !limit_is_late(e->plan))
		return;
	/* What the filter has turned away takes no token. */
	unwanted = code_jump_imm(e->code, BPF_JSET, BPF_REG_9, BP_FETCH_FILTERED);
	e->limited = limit_emit(env, e->code, word(e, ARRAY));
	code_land(e->code, unwanted);
}

struct emitter *emit_hot(const struct plan *plan, const struct gate_env *env, bool is_long, unsigned stack,
			 struct code *code)
{
	struct emitter *e = arena_new(code->arena, struct emitter);

	*e = (struct emitter){ .code = code, .plan = plan, .is_long = is_long, .stack = (int)stack };
	e->fetcher = (struct fetcher){ .code = code, .plan = plan, .spill = word(e, SPILL), .saved = word(e, SAVED),
				       .failed = read_failed, .ctx = e };
	emit_start(e);
	for (unsigned i = 0; i < plan->layout.nr_fields; i++) {
		const struct type *type = &plan->layout.fields[i].type;

		e->left += type_is_dynamic(type) ? MAX(type->count, 1u) : 0;
	}
	for (unsigned i = 0; i < plan->layout.nr_fields; i++)
		emit_field(e, &plan->layout.fields[i], &plan->fetches[i]);
	filter_emit_sieve(plan, is_long, code);
	emit_limits(e, env);
	e->end = code->nr;
	if (is_long) {
		code_mov(code, BPF_REG_0, BPF_REG_9);
		code_exit(code);
	}
	return e;
}

int emit_rest(struct emitter *e, struct diag *diag)
{
	for (const struct cold *c = e->cold; c; c = c->next)
		emit_cold(e, c);
	for (const struct limit_jump *j = e->limited; j; j = j->next)
		code_land(e->code, j->jump);
	if (e->limited) {
		code_alu_imm(e->code, BPF_OR, BPF_REG_9, BP_FETCH_LIMITED);
		code_land_at(e->code, code_jump(e->code), e->end);
	}
	if (e->code->overflow)
		return diag_at(diag, -E2BIG, e->plan->def->head_at,
			       "the arguments need more code than one BPF program can hold");
	return 0;
}
