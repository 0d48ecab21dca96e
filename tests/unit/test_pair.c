// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_pair.c - the value of --pair, and the code that finds the key of a pair.
 */
#include <errno.h>

#include "bprobe_abi.h"
#include "gen/pair.h"
#include "lang/kprobe.h"
#include "lang/pair.h"

#include "bpf_vm.h"
#include "tap.h"

static struct arena arena;

static const struct accepted {
	const char *text, *begin_group, *begin, *end_group, *end, *field;
} accepted[] = {
	{ "a:b", NULL, "a", NULL, "b", NULL },
	{ "a:b=f", NULL, "a", NULL, "b", "f" },
	{ "g/a:h/b=f_1", "g", "a", "h", "b", "f_1" },
	{ "g/a:h/a", "g", "a", "h", "a", NULL },
};

static bool same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static void test_accepted(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(accepted); i++) {
		const struct accepted *t = &accepted[i];
		struct diag d = { 0 };
		struct pair p;
		int err = pair_parse(&arena, t->text, &p, &d);

		CHECK(!err && same(p.begin.group, t->begin_group) && same(p.begin.event, t->begin) &&
		      same(p.end.group, t->end_group) && same(p.end.event, t->end) && same(p.field, t->field), "'%s'", t->text);
		diag_fini(&d);
	}
}

/* Where the caret is: at what cannot be, or where something is missing. */
static const struct { const char *text; unsigned off, len; } refused[] = {
	{ "", 0, 0 }, { "a", 1, 0 }, { ":", 0, 0 }, { "a:", 2, 0 }, { ":b", 0, 0 }, { "a:a", 2, 1 }, { "a:b=", 4, 0 },
	{ "a:b=f=g", 4, 3 }, { "a b:c", 0, 3 }, { "a:b:c", 2, 3 }, { "/a:b", 0, 0 }, { "g/:b", 2, 0 }, { "a:1", 2, 1 }, { "a:b=1", 4, 1 },
	{ "a=f:b", 1, 0 },
	{ "g/a:a", 4, 1 },		/* it may be the same event */
};

static void test_refused(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
		struct diag d = { 0 };
		struct pair p;
		int err = pair_parse(&arena, refused[i].text, &p, &d);

		CHECK(err == -EINVAL && d.err == err && d.at.off == refused[i].off && d.at.len == refused[i].len,
		      "'%s' is refused at %u, %u (%u, %u)", refused[i].text, refused[i].off, refused[i].len, d.at.off, d.at.len);
		diag_fini(&d);
	}
}

/* ---- the key ---- */

static uint64_t run_key(struct vm *vm, const struct plan *plan, unsigned result)
{
	struct code code = { .arena = &arena };
	uint64_t value;

	code_mov(&code, BPF_REG_6, BPF_REG_1);
	code_mov(&code, BPF_REG_8, BPF_REG_3);
	pair_emit_key(plan, 128, &code);
	code_mov(&code, BPF_REG_0, result);
	code_exit(&code);
	value = vm_run(vm, code.insns, code.nr);
	CHECK(!vm->error, "the code for the key is allowed: %s", vm->error ? vm->error : "yes");
	return value;
}

/* %si is 0xfffffffffffffffe, and %dx the address of the bytes f1 f2 f3 f4 f5 f6 f7 f8. @known: it can be read. */
static void check_key(const char *text, bool known, uint64_t wanted)
{
	static const unsigned char bytes[] = { 0xf1, 0xf2, 0xf3, 0xf4, 0xf5, 0xf6, 0xf7, 0xf8 };
	struct pair pair = { .text = "e:x=k", .field = "k", .field_at = { 4, 1 } };
	struct bp_saved saved = { .param = { [1] = 77 }, .caller = 1 };
	struct vm vm = { .regions = { { 0xffff888000001000, bytes, sizeof(bytes) } }, .nr_regions = 1,
			 .saved = (uint64_t *)&saved };
	struct facts facts = { 0 };
	struct probe_def *def = NULL;
	struct plan *plan = NULL;
	struct diag d = { 0 };
	uint64_t value;

	vm.regs[reg_params[1]] = -2ull;
	vm.regs[reg_params[2]] = 0xffff888000001000;
	if (!kprobe_parse(&arena, text, &def, &d)) {
		def->pair = &pair;
		plan_resolve(&arena, def, &facts, &plan, &d);
	}
	CHECK(plan, "'%s': %s", text, buf_str(&d.msg));
	if (plan) {
		CHECK(run_key(&vm, plan, BPF_REG_9) == known, "'%s' %s known", text, known ? "is" : "is not");
		value = run_key(&vm, plan, BPF_REG_8);
		CHECK(!known || value == wanted, "'%s' has the key %#llx: %#llx", text, (unsigned long long)wanted,
		      (unsigned long long)value);
	}
	diag_fini(&d);
}

/* A value has as many bytes as its field, whatever its sign. */
static void test_keys(void)
{
	check_key("p:e f k=%si:u64", true, 0xfffffffffffffffe);
	check_key("p:e f k=%si:s32", true, 0xfffffffe);
	check_key("p:e f k=%si:u8", true, 0xfe);
	check_key("p:e f k=%si:b4@4/8", true, 0xf);
	check_key("p:e f k=+0(%dx):u64", true, 0xf8f7f6f5f4f3f2f1);
	check_key("p:e f k=+1(%dx):s16", true, 0xf3f2);
	check_key("p:e f k=+0(%dx):b8@4/16", true, 0x2f);
	check_key("p:e f a=+0(%si):string k=+7(%dx):x8", true, 0xf8);
	check_key("p:e f k=+8(%dx):u64", false, 0);
	check_key("p:e f k=+0(+0(%dx)):u64", false, 0);
	check_key("r:e f k=$arg2:u16", true, 77);
}

int main(void)
{
	test_accepted();
	test_refused();
	test_keys();
	arena_fini(&arena);
	return tap_done();
}
