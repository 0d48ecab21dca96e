// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_filter.c - filters: text, names, and that BPF and user space decide the same.
 *
 * What is accepted and refused, and what a filter means, follows from the kernel's own filters (6.12,
 * kernel/trace/trace_events_filter.c). Carets are the kernel's unless noted.
 */
#include <arpa/inet.h>

#include "gen/emit.h"
#include "gen/filter_code.h"
#include "lang/glob.h"
#include "lang/kprobe.h"
#include "print/select.h"
#include "print/text.h"

#include "bpf_vm.h"
#include "../roll.h"
#include "tap.h"

/* ---- text ---- */

static const struct {
	const char *text;
	const char *printed;		/* NULL: refused */
	const char *message;		/* a part of it */
	unsigned off, len;		/* the caret */
} texts[] = {
	{ "dfd == -100", "dfd == -100", NULL, 0, 0 },
	{ "dfd==-100", "dfd == -100", NULL, 0, 0 },
	{ "dfd&4", "dfd & 4", NULL, 0, 0 },
	{ "  dfd  <=  0x10  ", "dfd <= 0x10", NULL, 0, 0 },
	{ "a != 1 && b < 2 || c > 3 && d >= 017", "a != 1 && b < 2 || c > 3 && d >= 017", NULL, 0, 0 },
	{ "(a == 1 && b == 2) || c == 3", "a == 1 && b == 2 || c == 3", NULL, 0, 0 },
	{ "a == 1 && (b == 2 || c == 3)", "a == 1 && (b == 2 || c == 3)", NULL, 0, 0 },
	{ "a == 1 && (b == 2 && (c == 3))", "a == 1 && b == 2 && c == 3", NULL, 0, 0 },
	{ "!dfd == -100", "!dfd == -100", NULL, 0, 0 },
	{ "!!dfd == -100", "dfd == -100", NULL, 0, 0 },
	{ "! ! !a==1", "!a == 1", NULL, 0, 0 },
	{ "!(a == 1 || b == 2)", "!(a == 1 || b == 2)", NULL, 0, 0 },
	{ "!(!(a == 1))", "a == 1", NULL, 0, 0 },
	{ "fn ~ \"/etc/*\"", "fn ~ \"/etc/*\"", NULL, 0, 0 },
	{ "fn == '/etc/x\"y'", "fn == '/etc/x\"y'", NULL, 0, 0 },
	{ "fn == \"\"", "fn == \"\"", NULL, 0, 0 },
	{ "fn == \"a\" && x == 1", "fn == \"a\" && x == 1", NULL, 0, 0 },
	{ "fn == \"a && (b\"", "fn == \"a && (b\"", NULL, 0, 0 },
	{ "fn.ustring == \"a\"", "fn.ustring == \"a\"", NULL, 0, 0 },
	{ "__probe_ip.function == vfs_read", "__probe_ip.function == vfs_read", NULL, 0, 0 },
	{ "(s.function != 0xffffffff81000000)&&a==1", "s.function != 0xffffffff81000000 && a == 1", NULL, 0, 0 },
	{ "cpu & CPUS{0-3}", "cpu & CPUS{0-3}", NULL, 0, 0 },
	{ "cpu == CPUS{0-3,7}", "cpu == CPUS{0-3,7}", NULL, 0, 0 },
	{ "ch == '/'", "ch == '/'", NULL, 0, 0 },
	{ "a == 12345678901234567890", "a == 12345678901234567890", NULL, 0, 0 },
	{ "a == -9223372036854775808", "a == -9223372036854775808", NULL, 0, 0 },
	{ "a == 00000000000000000000001", "a == 00000000000000000000001", NULL, 0, 0 },
	/* The kernel's caret is after the wrong text, ours is below it. */
	{ "dfd = 1", NULL, "'=' is not an operator", 4, 1 },
	{ "dfd", NULL, "no operator after 'dfd'", 3, 0 },
	{ "dfd in {1}", NULL, "'in' is not an operator", 4, 2 },
	{ "fn == /etc/xyz", NULL, "'/etc/xyz' is neither a number nor a text", 6, 8 },
	{ "dfd === 1", NULL, "'=' is neither", 6, 1 },
	{ "dfd ==", NULL, "nothing to compare 'dfd' with", 6, 0 },
	{ "dfd == +1", NULL, "'+1' is neither", 7, 2 },
	{ "dfd <> 1", NULL, "'>' is neither", 5, 1 },
	{ "dfd == 0x", NULL, "'0x' is not a number", 7, 2 },
	{ "dfd == - 1", NULL, "'-' is not a number", 7, 1 },
	{ "dfd == 09", NULL, "'09' is not a number", 7, 2 },
	{ "dfd == 12ab", NULL, "'12ab' is not a number", 7, 4 },
	{ "dfd == 18446744073709551616", NULL, "does not fit in 64 bits", 7, 20 },
	{ "dfd == -9223372036854775809", NULL, "does not fit in 64 bits", 7, 20 },
	{ "dfd == 000000000000000000000001", NULL, "24 characters, at most 23", 7, 24 },
	{ "fn < \"ab\"", NULL, "'<' does not compare texts", 3, 1 },
	{ "dfd ~ 5", NULL, "'~' does not compare numbers", 4, 1 },
	{ "fn == \"/etc", NULL, "the text is not closed", 6, 5 },
	{ "fn == \"a\"b\"", NULL, "'b\"' after a complete comparison", 9, 2 },
	{ "(dfd == 1", NULL, "this '(' is not closed", 0, 1 },
	{ "(dfd == 1 && (a == 2)", NULL, "this '(' is not closed", 0, 1 },
	{ "dfd == 1)", NULL, "no '(' belongs to this ')'", 8, 1 },
	{ "a == 1 & b == 2", NULL, "'&' after a complete comparison", 7, 1 },
	{ "a == 1 | b == 2", NULL, "'|' after a complete comparison", 7, 1 },
	{ "a == 1 and b == 2", NULL, "'and' after a complete comparison", 7, 3 },
	{ "a == 1 # c", NULL, "'#' after a complete comparison", 7, 1 },
	{ "a == 1 == 1", NULL, "'==' after a complete comparison", 7, 2 },
	{ "fl & 8 == 8", NULL, "'==' after a complete comparison", 7, 2 },
	{ "a == 1 (b == 2)", NULL, "after a complete comparison", 7, 2 },
	{ "a == 1 &&", NULL, "nothing follows '&&'", 9, 0 },
	{ "a == 1 ||", NULL, "nothing follows '||'", 9, 0 },
	{ "!", NULL, "nothing follows '!'", 1, 0 },
	{ "", NULL, "the filter is empty", 0, 0 },
	{ "== 1", NULL, "a field is expected here, not '=='", 0, 2 },
	{ "&& x == 1", NULL, "a field is expected here, not '&&'", 0, 2 },
	{ "a == 1 && || b == 2", NULL, "a field is expected here, not '||'", 10, 2 },
	{ "()", NULL, "a field is expected here, not ')'", 1, 1 },
	{ "a.b == 1", NULL, "a field has no '.b'", 1, 2 },
	{ "a.function > b", NULL, "'>' does not compare functions", 11, 1 },
	{ "a.function == \"b\"", NULL, "is written without quotes", 14, 3 },
	{ "cpu & CPUS0-3", NULL, "in braces", 6, 4 },
	{ "cpu & CPUS{0-3", NULL, "not closed with '}'", 6, 8 },
	{ "cpu & CPUS{}", NULL, "neither a CPU nor a range", 11, 0 },
	{ "cpu & CPUS{3-1}", NULL, "neither a CPU nor a range", 11, 3 },
	{ "cpu & CPUS{1,,2}", NULL, "neither a CPU nor a range", 13, 0 },
	{ "cpu < CPUS{1}", NULL, "'<' does not compare lists of CPUs", 4, 1 },
};

static int parse(struct arena *arena, const char *text, const struct filter_expr **ret, struct diag *diag)
{
	char *copy = arena_strdup(arena, text);

	return filter_parse(arena, copy, (struct span){ 0, (uint32_t)strlen(copy) }, ret, diag);
}

static void test_texts(void)
{
	for (unsigned i = 0; i < ARRAY_SIZE(texts); i++) {
		const struct filter_expr *filter = NULL;
		struct arena arena = { 0 };
		struct diag diag = { 0 };
		struct buf got = { 0 };
		int err = parse(&arena, texts[i].text, &filter, &diag);

		if (!err)
			filter_print(filter, &got);
		if (texts[i].printed)
			CHECK(!err && !strcmp(buf_str(&got), texts[i].printed), "'%s' is '%s' (%s%s)", texts[i].text,
			      texts[i].printed, buf_str(&got), buf_str(&diag.msg));
		else
			CHECK(err < 0 && !filter && strstr(buf_str(&diag.msg), texts[i].message) &&
			      diag.at.off == texts[i].off && diag.at.len == texts[i].len,
			      "'%s' is refused: %s at %u+%u", texts[i].text, buf_str(&diag.msg), diag.at.off, diag.at.len);
		buf_fini(&got);
		diag_fini(&diag);
		arena_fini(&arena);
	}
}

/* @n times @open, a comparison, and @n times @close */
static int parse_nested(unsigned n, const char *open, const char *close, struct buf *printed)
{
	const struct filter_expr *filter;
	struct arena arena = { 0 };
	struct diag diag = { 0 };
	struct buf text = { 0 };
	int err;

	for (unsigned i = 0; i < n; i++)
		buf_adds(&text, open);
	buf_adds(&text, "a<1");
	for (unsigned i = 0; i < n; i++)
		buf_adds(&text, close);
	err = parse(&arena, buf_str(&text), &filter, &diag);
	if (!err)
		filter_print(filter, printed);
	buf_fini(&text);
	diag_fini(&diag);
	arena_fini(&arena);
	return err;
}

static void test_depth(void)
{
	struct buf printed = { 0 };

	CHECK(!parse_nested(40, "(", ")", &printed) && !strcmp(buf_str(&printed), "a < 1"), "40 parentheses");
	buf_reset(&printed);
	CHECK(!parse_nested(2046, "(", ")", &printed), "as many parentheses as fit");
	CHECK(parse_nested(2047, "(", ")", &printed) == -E2BIG, "a text of more than a page");
	CHECK(parse_nested(4000, "(", "", &printed) == -EINVAL, "4000 parentheses that are not closed");
	buf_reset(&printed);
	CHECK(!parse_nested(4001, "!", "", &printed) && !strcmp(buf_str(&printed), "!a < 1"), "4001 negations");
	buf_reset(&printed);
	CHECK(!parse_nested(450, "!(b<2&&", ")", &printed), "450 negations of parentheses");
	buf_reset(&printed);
	CHECK(!parse_nested(500, "a<1 || ", "", &printed), "501 comparisons");
	buf_fini(&printed);
}

/* In a definition 'if' begins the filter, and a '#' outside of quotes ends it. */
static void test_definitions(void)
{
	static const struct { const char *text, *printed; } cases[] = {
		{ "p:e f a=%di if a == 1", "p:kprobes/e f a=%di if a == 1" },
		{ "p:e f a=%di if a == 1 # all", "p:kprobes/e f a=%di if a == 1" },
		{ "p:e f a=+0(%di):string if a == \"#\" # all", "p:kprobes/e f a=+0(%di):string if a == \"#\"" },
		{ "p:e f # if a == 1", "p:kprobes/e f" },
		{ "p:e f if common_pid>5", "p:kprobes/e f if common_pid > 5" },
		{ "r:e f if=$retval if if > 5", "r:kprobes/e f if=$retval if if > 5" },
		{ "p:e f a=%di if", NULL },
		{ "p:e f a=%di if # a == 1", NULL },
		{ "p if a == 1", NULL },
	};

	for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
		struct probe_def *def = NULL;
		struct arena arena = { 0 };
		struct diag diag = { 0 };
		struct buf got = { 0 };
		int err = kprobe_parse(&arena, cases[i].text, &def, &diag);

		if (!err) {
			def_print(def, &got);
			def_print_filter(def, &got);
		}
		CHECK(cases[i].printed ? !err && !strcmp(buf_str(&got), cases[i].printed) : err < 0, "%s (%s%s)",
		      cases[i].text, buf_str(&got), buf_str(&diag.msg));
		buf_fini(&got);
		diag_fini(&diag);
		arena_fini(&arena);
	}
}

/* ---- patterns ---- */

/* Written from lib/glob.c's documentation, not from its code: it tries each length for each star. */
static bool glob_by_trial(const char *pat, const char *text)
{
	const char *class = pat + 1;
	bool inverted, in = false;

	if (!*pat)
		return !*text;
	if (*pat == '*')
		return glob_by_trial(pat + 1, text) || (*text && glob_by_trial(pat, text + 1));
	if (!*text)
		return false;
	if (*pat == '?')
		return glob_by_trial(pat + 1, text + 1);
	if (*pat == '\\' && pat[1])
		return *text == pat[1] && glob_by_trial(pat + 2, text + 1);
	if (*pat != '[' || !strchr(class + (*class == '!') + 1, ']'))
		return *text == *pat && glob_by_trial(pat + 1, text + 1);
	inverted = *class == '!';
	class += inverted;
	do {
		unsigned char c = (unsigned char)*text, first = (unsigned char)*class, last = first;

		if (class[1] == '-' && class[2] != ']') {
			last = (unsigned char)class[2];
			class += 2;
		}
		in |= c >= first && c <= last;
	} while (*++class != ']');
	return in != inverted && glob_by_trial(class + 1, text + 1);
}

static void random_text(struct buf *out, unsigned longest)
{
	for (unsigned n = roll(longest + 1); n; n--)
		buf_addc(out, "abc-"[roll(4)]);
}

/* Classes are closed, and none begins with ']': glob_by_trial() knows no others. */
static void random_glob(struct buf *out, unsigned longest)
{
	static const char *const parts[] = { "a", "b", "c", "-", "*", "?", "[ab]", "[!a]", "[a-c]", "[!b-c]", "\\a", "*" };

	for (unsigned n = roll(longest + 1); n; n--)
		buf_adds(out, parts[roll(ARRAY_SIZE(parts))]);
}

static void test_globs(void)
{
	static const struct { const char *glob, *text; bool matches; } cases[] = {
		{ "/etc", "/etc/xyz", false }, { "/etc*", "/etc/xyz", true }, { "*xyz", "/etc/xyz", true },
		{ "*tc*", "/etc/xyz", true }, { "/e?c/*", "/etc/xyz", true }, { "/[a-e]tc/xyz", "/etc/xyz", true },
		{ "/[!e]tc/xyz", "/etc/xyz", false }, { "/etc\\/xyz", "/etc/xyz", true }, { "", "", true },
		{ "", "a", false }, { "*", "", true }, { "**", "a", true }, { "*a*b*c*", "xaxbxcx", true },
		{ "*a*b*c*", "xaxcxbx", false }, { "[a", "[a", true }, { "[]]", "]", true }, { "[!]]", "]", false },
		{ "a*a", "a", false }, { "a*a", "aa", true }, { "[a-]", "-", true }, { "\\*", "*", true },
	};
	struct arena arena = { 0 };
	unsigned wrong = 0;

	for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct glob *glob = glob_parse(&arena, cases[i].glob, strlen(cases[i].glob));

		CHECK(glob_matches(glob, cases[i].text, strlen(cases[i].text)) == cases[i].matches, "%s %s %s",
		      cases[i].glob, cases[i].matches ? "matches" : "does not match", cases[i].text);
	}
	for (unsigned i = 0; i < 20000; i++) {
		struct buf glob = { 0 }, text = { 0 };

		random_glob(&glob, 6);
		random_text(&text, 8);
		if (glob_matches(glob_parse(&arena, buf_str(&glob), glob.len), buf_str(&text), text.len) !=
		    glob_by_trial(buf_str(&glob), buf_str(&text)) && !wrong++)
			printf("# %s on %s\n", buf_str(&glob), buf_str(&text));
		buf_fini(&glob);
		buf_fini(&text);
	}
	CHECK(!wrong, "20000 random patterns are decided as by trial: %u are not", wrong);
	arena_fini(&arena);
}

/* ---- decisions ---- */

#define KERNEL	0xffff888000001000ull
#define USER	0x10000000ull
#define FIELDS	"s8=%di:s8 u8=%di:u8 s16=%di:s16 u16=%di:u16 s32=%di:s32 u32=%di:x32 s64=%di:s64 u64=%di ch=%di:char " \
		"b=%di:b7@5/16 m8=+0(%dx):s8 m32=+0(%dx):u32 m64=+0(%dx):s64 mb=+0(%dx):b5@2/8 st=$stack0:s32 " \
		"fn=+0(%si):string fu=+0(%si):ustring task=$comm lit=\\\"abc\" n16=%di:be16 n32=%di:be32 mn16=+0(%dx):be16 mn32=+0(%dx):be32"

/* The values of a hit. */
struct hit {
	uint64_t di;
	uint64_t memory;
	bool faults;			/* +0(%dx) cannot be read */
	const char *text;		/* NULL: +0(%si) cannot be read */
	const char *comm;
	uint32_t pid, cpu;
};

static unsigned char memory_page[64], stack_page[16];
static char text_page[8192];

static void fill(struct vm *vm, const struct hit *hit)
{
	size_t len = hit->text ? strlen(hit->text) + 1 : 0;

	memset(vm, 0, sizeof(*vm));
	memset(vm->record, 0xaa, sizeof(vm->record));
	vm->regs[X86_DI] = hit->di;
	vm->regs[X86_DX] = hit->faults ? 16 : KERNEL;
	vm->regs[X86_SI] = hit->text ? USER : 16;
	vm->regs[X86_SP] = KERNEL + 0x8000;
	vm->regs[X86_IP] = 0xffffffff81000001ull;
	memcpy(memory_page, &hit->memory, 8);
	memcpy(stack_page, &hit->memory, 8);
	memset(text_page, 0, sizeof(text_page));
	if (hit->text)
		memcpy(text_page, hit->text, len);
	vm->regions[0] = (struct vm_region){ KERNEL, memory_page, sizeof(memory_page) };
	vm->regions[1] = (struct vm_region){ USER, (unsigned char *)text_page, sizeof(text_page) };
	vm->regions[2] = (struct vm_region){ KERNEL + 0x8000, stack_page, sizeof(stack_page) };
	vm->nr_regions = 3;
	vm->pid_tgid = (uint64_t)(hit->pid + 1) << 32 | hit->pid;
	vm->cpu = hit->cpu;
}

static void fill_head(struct vm *vm, const struct hit *hit)
{
	struct bp_rec *rec = (void *)vm->record;
	uint64_t place = 0xffffffff81000000ull;

	*rec = (struct bp_rec){ .cpu = (uint16_t)hit->cpu, .common_pid = (int32_t)hit->pid, .eflags = 0x246,
				.preempt = 0x80000001, .migrate = 1 };
	memcpy(rec->comm, hit->comm, strlen(hit->comm));
	memcpy(rec + 1, &place, 8);
}

/* The kernel refuses code that cannot be reached. */
static bool all_reached(const struct code *c, struct arena *arena)
{
	unsigned *todo = arena_array(arena, unsigned, c->nr + 1), nr = 0, reached = 0;
	bool *seen = arena_array(arena, bool, c->nr + 1);

	todo[nr++] = 0;
	while (nr) {
		for (unsigned i = todo[--nr]; i < c->nr && !seen[i]; i++) {
			const struct bpf_insn *insn = &c->insns[i];
			bool jumps = BPF_CLASS(insn->code) == BPF_JMP || BPF_CLASS(insn->code) == BPF_JMP32;

			seen[i] = true;
			reached++;
			if (insn->code == (BPF_LD | BPF_IMM | BPF_DW)) {
				seen[++i] = true;
				reached++;
			} else if (insn->code == (BPF_JMP | BPF_EXIT)) {
				break;
			} else if (jumps && BPF_OP(insn->code) != BPF_CALL) {
				todo[nr++] = (unsigned)((int)i + 1 + insn->off);
				if (BPF_OP(insn->code) == BPF_JA)
					break;
			}
		}
	}
	return reached == c->nr;
}

enum { GATE_REJECTS, GATE_ACCEPTS, GATE_DOUBTS };

/* Where the gate's jumps to this exit go: returns @value. */
static void land_exit(struct gate *gate, enum gate_exit how, int value)
{
	for (struct gate_jump *j = gate->jumps[how]; j; j = j->next)
		code_land(gate->code, j->jump);
	if (!gate->jumps[how])
		return;
	code_mov_imm(gate->code, BPF_REG_0, value);
	code_exit(gate->code);
}

/* Does the gate accept the hit? If not: because of a value that could not be read? */
static uint64_t gate_verdict(struct vm *vm, const struct plan *plan, const struct hit *hit, struct arena *arena)
{
	struct code code = { .arena = arena };
	struct gate gate = { .code = &code, .plan = plan };

	code_mov(&code, BPF_REG_6, BPF_REG_1);
	filter_emit_gate(&gate);
	code_mov_imm(&code, BPF_REG_0, GATE_ACCEPTS);
	code_exit(&code);
	land_exit(&gate, GATE_FILTERED, GATE_REJECTS);
	land_exit(&gate, GATE_UNDECIDED, GATE_DOUBTS);
	fill(vm, hit);
	if (!all_reached(&code, arena))
		vm->error = "code of the gate that is not reached";
	return vm_run(vm, code.insns, code.nr);
}

static uint64_t run_body(struct vm *vm, const struct plan *plan, const struct hit *hit, bool is_long, struct arena *arena)
{
	struct code code = { .arena = arena };
	struct diag diag = { 0 };
	struct emitter *e;

	if (!is_long) {
		code_mov(&code, BPF_REG_6, BPF_REG_1);
		code_mov(&code, BPF_REG_7, BPF_REG_2);
		code_mov(&code, BPF_REG_8, BPF_REG_3);
	}
	e = emit_hot(plan, NULL, is_long, 0, &code);
	if (!is_long) {
		code_mov(&code, BPF_REG_0, BPF_REG_9);
		code_exit(&code);
	}
	if (emit_rest(e, &diag))
		vm->error = "no room";
	diag_fini(&diag);
	fill(vm, hit);
	if (!all_reached(&code, arena))
		vm->error = "code that is not reached";
	fill_head(vm, hit);
	vm->record_size = is_long ? plan->layout.long_size : plan->layout.short_size;
	return vm_run(vm, code.insns, code.nr);
}

enum verdict { V_GATE, V_SIEVE, V_USER, V_PASSED, V_WRONG };

/* How the hit ends; @ret_select: what user space decides about its record. */
static enum verdict decide(const struct plan *plan, const struct hit *hit, bool *ret_select, const char **ret_error)
{
	static struct vm vm;
	struct arena arena = { 0 };
	struct text text = { 0 };
	struct event ev;
	enum verdict verdict = V_PASSED;
	uint64_t gate = gate_verdict(&vm, plan, hit, &arena), bits;
	bool doubts;

	*ret_error = vm.error;
	context_rules_init(&text.rules, 6 << 16 | 12 << 8, true);
	bits = run_body(&vm, plan, hit, false, &arena);
	if (bits & BP_FETCH_FILLED)
		bits = run_body(&vm, plan, hit, true, &arena);
	*ret_error = *ret_error ? *ret_error : vm.error;
	if (!event_decode(&plan->layout, (void *)vm.record, vm.record_size, &ev))
		*ret_error = "not decoded";
	else
		*ret_select = select_event(plan->filter, &text, &ev);
	if (gate != GATE_ACCEPTS)
		verdict = V_GATE;
	else if (bits & BP_FETCH_FILTERED)
		verdict = V_SIEVE;
	else if (filter_needs_user(plan) && !*ret_select)
		verdict = V_USER;
	/* What decides only a part says so more often: the rest may reject the hit whatever could not be read. */
	doubts = verdict == V_GATE ? gate == GATE_DOUBTS : bits & BP_FETCH_UNDECIDED;
	if (!*ret_error && (verdict == V_GATE || verdict == V_SIEVE)) {
		bool whole = select_undecided(plan->filter, &text, &ev);

		if (whole && !doubts)
			*ret_error = "a value could not be read, and nothing says so";
		if (doubts && !whole && verdict == V_SIEVE && !filter_needs_user(plan))
			*ret_error = "said to be undecided, but it is not";
	}
	text_fini(&text);
	arena_fini(&arena);
	return *ret_error ? V_WRONG : verdict;
}

static struct plan *resolve(struct arena *arena, const char *fields, const char *filter, struct diag *diag)
{
	struct facts facts = { .nr_cpus = 8 };
	struct probe_def *def = NULL;
	struct plan *plan = NULL;
	struct buf text = { 0 };
	int err;

	buf_addf(&text, "%s if %s", fields, filter);
	err = kprobe_parse(arena, buf_str(&text), &def, diag);
	if (!err)
		plan_resolve(arena, def, &facts, &plan, diag);
	buf_fini(&text);
	return plan;
}

/* ---- names and values ---- */

static const struct { const char *filter, *message; } refusals[] = {
	{ "nofield == 1", "no field 'nofield'" },
	{ "S32 == 1", "no field 'S32'" },
	{ "stacktrace == 1", "no field 'stacktrace'" },
	{ "__probe_ret_ip == 1", "no field '__probe_ret_ip'" },
	{ "u32 == -1", "'u32' is unsigned" },
	{ "ch == -1", "'ch' is unsigned" },
	{ "b == -1", "'b' is unsigned" },
	{ "s64 == 9223372036854775808", "larger than any signed number" },
	{ "fn == 5", "'fn' is a string" },
	{ "COMM == 5", "'COMM' is a string" },
	{ "s32 == \"x\"", "'s32' is a number" },
	{ "common_pid == \"x\"", "'common_pid' is a number" },
	{ "fn < \"a\"", "texts are compared with" },
	{ "fn & 'a'", "texts are compared with" },
	{ "ch == \"x\"", "'ch' is one character" },
	{ "ch == 'xy'", "'ch' is one character" },
	{ "ch ~ 'x'", "'ch' is one character" },
	{ "s32.ustring == 1", ".ustring is for strings" },
	{ "s32.function == f", "'s32' is not an address" },
	{ "cpu & CPUS{0-8}", "CPUs 0 to 7" },
	{ "fn & CPUS{0}", "'fn' is a string" },
	{ "a == 1", "'a' is an array" },
	{ "a == \"x\"", "'a' is an array" },
};

static void test_refusals(void)
{
	for (unsigned i = 0; i < ARRAY_SIZE(refusals); i++) {
		struct arena arena = { 0 };
		struct diag diag = { 0 };
		bool refused = !resolve(&arena, "p:e f " FIELDS " a=+0(%dx):char[4]", refusals[i].filter, &diag);

		CHECK(refused && strstr(buf_str(&diag.msg), refusals[i].message) && diag.at.len, "'%s': %s",
		      refusals[i].filter, buf_str(&diag.msg));
		diag_fini(&diag);
		arena_fini(&arena);
	}
}

#define LONG63	"aaaaaaaaaabbbbbbbbbbccccccccccaaaaaaaaaabbbbbbbbbbcccccccccc123"

static const struct hit plain = { .di = 0xffffff9cffffff9cull, .memory = 0x8081828384858687ull, .text = "/etc/xyz",
				  .comm = "wl", .pid = 42, .cpu = 3 };
static const struct hit faulty = { .di = 0xffffff9c, .faults = true, .comm = "wl", .pid = 42, .cpu = 3 };
static const struct hit empty = { .di = 0, .text = "", .comm = "a-long-comm-015", .pid = 1, .cpu = 0 };
static const struct hit longer = { .text = LONG63 LONG63, .comm = "wl", .pid = 42, .cpu = 3 };

/* Section 9, one rule after the other. The bytes in memory are 87 86 85 84 83 82 81 80. */
static const struct { const char *filter; const struct hit *hit; enum verdict verdict; } decisions[] = {
	{ "s32 == -100", &plain, V_PASSED },		{ "s32 == 4294967196", &plain, V_PASSED },
	{ "s32 > 4294967195", &plain, V_PASSED },	{ "s32 < -100", &plain, V_GATE },
	{ "s8 == 156", &plain, V_PASSED },		{ "s8 == -100", &plain, V_PASSED },
	{ "s8 < 0", &plain, V_PASSED },			{ "u8 < 0", &plain, V_GATE },
	{ "u8 >= 156", &plain, V_PASSED },		{ "u32 == 0xffffff9c", &plain, V_PASSED },
	{ "s32 == 4294967296", &empty, V_PASSED },	{ "s32 == 4294967296", &plain, V_GATE },
	{ "s64 < 0", &plain, V_PASSED },		{ "u64 < 0", &plain, V_GATE },
	{ "u64 & 0x8000000000000000", &plain, V_PASSED }, { "u64 & 0x63", &plain, V_GATE },
	{ "u8 & 4", &plain, V_PASSED },			{ "!u8 & 4", &plain, V_GATE },
	{ "u16 > 0xff9b", &plain, V_PASSED },		{ "s16 > -101 && s16 < -99", &plain, V_PASSED },
	{ "b == 124", &plain, V_PASSED },		{ "ch == 156", &plain, V_PASSED },
	{ "m8 == -121", &plain, V_PASSED },		{ "m32 == 0x84858687", &plain, V_PASSED },
	{ "m64 < 0", &plain, V_PASSED },		{ "mb == 1", &plain, V_PASSED },
	{ "st == 0x84858687", &plain, V_PASSED },	{ "st > 0", &plain, V_GATE },
	{ "common_pid == 42", &plain, V_PASSED },	{ "common_pid != 42", &plain, V_GATE },
	{ "cpu == 3", &plain, V_PASSED },		{ "CPU & 4", &plain, V_GATE },
	{ "cpu & CPUS{0-2,3}", &plain, V_PASSED },	{ "common_cpu & CPUS{0-2}", &plain, V_GATE },
	{ "cpu == CPUS{3}", &plain, V_PASSED },		{ "cpu == CPUS{2-3}", &plain, V_GATE },
	{ "cpu != CPUS{2-3}", &plain, V_PASSED },	{ "__probe_ip == 0xffffffff81000000", &plain, V_PASSED },
	{ "__probe_ip < 5", &plain, V_GATE },
	/* a fault matches nothing but a negation */
	{ "m32 == 0", &faulty, V_GATE },		{ "m32 >= 0", &faulty, V_GATE },
	{ "m32 != 0", &faulty, V_PASSED },		{ "!m32 >= 0", &faulty, V_PASSED },
	{ "fn == \"\"", &faulty, V_SIEVE },		{ "fn != \"x\"", &faulty, V_PASSED },
	{ "fn ~ \"*\"", &faulty, V_SIEVE },		{ "fn ~ \"!*\"", &faulty, V_PASSED },
	{ "!(fn ~ \"*\" || m32 > 0)", &faulty, V_PASSED }, { "m32 > 0 || fn ~ \"*\"", &faulty, V_SIEVE },
	/* strings */
	{ "fn == \"/etc/xyz\"", &plain, V_PASSED },	{ "fn == \"/etc/*\"", &plain, V_SIEVE },
	{ "fn == \"/etc/xy\"", &plain, V_SIEVE },	{ "fn == \"/etc/xyzz\"", &plain, V_SIEVE },
	{ "fn ~ \"/etc\"", &plain, V_SIEVE },		{ "fn ~ \"/etc/*\"", &plain, V_PASSED },
	{ "fn ~ \"!x*\"", &plain, V_PASSED },		{ "fn ~ \"!/etc/*\"", &plain, V_SIEVE },
	{ "fn == \"!x\"", &plain, V_SIEVE },		{ "fn ~ \"*xyz\"", &plain, V_PASSED },
	{ "fn ~ \"/e?c/[x-z]y*z\"", &plain, V_PASSED },	{ "fn ~ \"*[!a-y]\"", &plain, V_PASSED },
	{ "fn ~ \"*tc*\"", &plain, V_PASSED },		{ "fn ~ \"*t*c*x*\"", &plain, V_PASSED },
	{ "fn ~ \"*t*c*a*\"", &plain, V_USER },		{ "fn ~ \"\"", &plain, V_SIEVE },
	{ "fn == \"\"", &empty, V_PASSED },		{ "fn ~ \"*\"", &empty, V_PASSED },
	{ "fn ~ \"\"", &empty, V_PASSED },		{ "fn ~ \"!\"", &plain, V_PASSED },
	{ "fu.ustring ~ \"/etc*\"", &plain, V_PASSED },	{ "lit == \"abc\"", &plain, V_PASSED },
	{ "lit ~ \"*b*\"", &plain, V_PASSED },		{ "lit ~ \"*b*d\"", &plain, V_SIEVE },
	{ "COMM == \"wl\"", &plain, V_PASSED },		{ "comm != \"wl\"", &plain, V_SIEVE },
	{ "COMM ~ \"w*\"", &plain, V_PASSED },		{ "COMM ~ \"?l\"", &plain, V_PASSED },
	{ "COMM ~ \"w??*\"", &plain, V_SIEVE },		{ "COMM ~ \"*l\"", &plain, V_PASSED },
	{ "COMM ~ \"*x\"", &plain, V_USER },		{ "COMM == \"a-long-comm-015\"", &empty, V_PASSED },
	{ "COMM == \"a-long-comm-0156\"", &empty, V_SIEVE }, { "task ~ \"*l\"", &plain, V_PASSED },
	/* long strings: user space searches the text between two stars */
	{ "fn ~ \"*123\"", &longer, V_PASSED },		{ "fn ~ \"aaaa*124\"", &longer, V_SIEVE },
	{ "fn == \"" LONG63 LONG63 "\"", &longer, V_PASSED }, { "fn == \"" LONG63 "\"", &longer, V_SIEVE },
	{ "fn ~ \"*23a*\"", &longer, V_PASSED },	{ "fn ~ \"*23b*\"", &longer, V_USER },
	/* joints */
	{ "s32 == -100 && fn ~ \"/etc*\" || COMM == \"x\"", &plain, V_PASSED },
	{ "s32 == -100 && (fn ~ \"/tmp*\" || COMM == \"x\")", &plain, V_SIEVE },
	{ "s32 == 5 && (fn ~ \"/tmp*\" || COMM == \"x\")", &plain, V_GATE },
	{ "!(s32 == 5 || fn ~ \"/tmp*\")", &plain, V_PASSED },
	{ "!!s32 == 5", &plain, V_GATE },		{ "common_flags == 0", &plain, V_PASSED },
	{ "common_preempt_count != 0 && s32 == -100", &plain, V_USER },
	{ "common_type == 0 || s32 == 5", &plain, V_PASSED },
	/* always, or never */
	{ "COMM ~ \"*\"", &plain, V_PASSED },		{ "!COMM ~ \"*\"", &plain, V_SIEVE },
	{ "COMM != \"a-long-comm-0156\"", &plain, V_PASSED }, { "lit == \"a-long-comm\"", &plain, V_SIEVE },
	{ "fn ~ \"*[b-a]*\"", &plain, V_SIEVE },	{ "fn ~ \"/*??*z\"", &plain, V_PASSED },
	{ "cpu == CPUS{0-1} || s32 == -100", &plain, V_PASSED },
};

static void test_decisions(void)
{
	for (unsigned i = 0; i < ARRAY_SIZE(decisions); i++) {
		static const char *const names[] = { "gate", "sieve", "user", "passed", "wrong" };
		struct arena arena = { 0 };
		struct diag diag = { 0 };
		struct plan *plan = resolve(&arena, "p:e f " FIELDS, decisions[i].filter, &diag);
		const char *error = buf_str(&diag.msg);
		enum verdict verdict = V_WRONG;
		bool select = false;

		if (plan)
			verdict = decide(plan, decisions[i].hit, &select, &error);
		CHECK(verdict == decisions[i].verdict && select == (verdict == V_PASSED), "'%.100s': %s (%s%s)",
		      decisions[i].filter, names[decisions[i].verdict], names[verdict], error ? error : "");
		diag_fini(&diag);
		arena_fini(&arena);
	}
}

/* ---- at random ---- */

static const char *const ops[] = { "==", "!=", "<", "<=", ">", ">=", "&" };

#define COMPARE(type, a, b, op) \
	((op) == 0 ? (type)(a) == (type)(b) : (op) == 1 ? (type)(a) != (type)(b) : (op) == 2 ? (type)(a) < (type)(b) : \
	 (op) == 3 ? (type)(a) <= (type)(b) : (op) == 4 ? (type)(a) > (type)(b) : (op) == 5 ? (type)(a) >= (type)(b) : \
	 ((type)(a) & (type)(b)) != 0)

/* One comparison of a number: appends its text, and returns its value for @hit. */
static bool random_number(const struct hit *hit, struct buf *out)
{
	static const char *const names[] = { "s8", "u8", "s16", "u16", "s32", "u32", "s64", "u64", "m8", "m32", "m64",
					     "common_pid", "cpu", "n16", "n32", "mn16", "mn32" };
	unsigned name = roll(ARRAY_SIZE(names)), op = roll(ARRAY_SIZE(ops));
	const uint64_t near[] = { hit->di, hit->memory, ntohl((uint32_t)hit->di), ntohs((uint16_t)hit->memory), hit->pid, hit->cpu, 0,
				  (uint64_t)-1, roll(300) };
	uint64_t value = near[roll(ARRAY_SIZE(near))] + roll(3) - 1;
	bool is_signed = strchr("s", *names[name]) || name == 8 || (name >= 10 && name <= 12);
	bool fault = hit->faults && *names[name] == 'm';

	buf_addf(out, "%s %s ", names[name], ops[op]);
	if (is_signed)
		buf_addf(out, "%lld", (long long)value);
	else
		buf_addf(out, roll(2) ? "%llu" : "0x%llx", (unsigned long long)value);
	if (fault)
		return op == 1;
	switch (name) {
	case 0: return COMPARE(int8_t, hit->di, value, op);
	case 1: return COMPARE(uint8_t, hit->di, value, op);
	case 2: return COMPARE(int16_t, hit->di, value, op);
	case 3: return COMPARE(uint16_t, hit->di, value, op);
	case 4: return COMPARE(int32_t, hit->di, value, op);
	case 5: return COMPARE(uint32_t, hit->di, value, op);
	case 6: return COMPARE(int64_t, hit->di, value, op);
	case 7: return COMPARE(uint64_t, hit->di, value, op);
	case 8: return COMPARE(int8_t, hit->memory, value, op);
	case 9: return COMPARE(uint32_t, hit->memory, value, op);
	case 10: return COMPARE(int64_t, hit->memory, value, op);
	case 11: return COMPARE(int32_t, hit->pid, value, op);
	case 12: return COMPARE(int32_t, hit->cpu, value, op);
	case 13: return COMPARE(uint16_t, ntohs((uint16_t)hit->di), value, op);
	case 14: return COMPARE(uint32_t, ntohl((uint32_t)hit->di), value, op);
	case 15: return COMPARE(uint16_t, ntohs((uint16_t)hit->memory), value, op);
	default: return COMPARE(uint32_t, ntohl((uint32_t)hit->memory), value, op);
	}
}

static bool random_string(const struct hit *hit, struct buf *out)
{
	bool comm = !roll(4), like = roll(3) != 0, not = roll(3) == 0;
	const char *text = comm ? hit->comm : hit->text;
	struct buf pattern = { 0 };
	bool result;

	if (like && roll(2))
		random_glob(&pattern, 5);
	else if (roll(2) && text && strlen(text) < 200)
		buf_addf(&pattern, roll(2) && like ? "%.*s*" : "%.*s", (int)strlen(text), text);
	else
		random_text(&pattern, 6);
	if (like)
		buf_addf(out, "%s ~ \"%s%s\"", comm ? "COMM" : "fn", not ? "!" : "", buf_str(&pattern));
	else
		buf_addf(out, "%s %s \"%s\"", comm ? "COMM" : "fn", not ? "!=" : "==", buf_str(&pattern));
	result = text && (like ? glob_by_trial(buf_str(&pattern), text) : !strcmp(text, buf_str(&pattern)));
	buf_fini(&pattern);
	return result != not;
}

/* An expression with all operators, by their precedence. */
static bool random_expr(const struct hit *hit, unsigned depth, struct buf *out)
{
	bool any = false;

	for (unsigned terms = 1 + roll(3), i = 0; i < terms; i++) {
		bool all = true;

		buf_adds(out, i ? " || " : "");
		for (unsigned factors = 1 + roll(3), k = 0; k < factors; k++) {
			bool not = roll(4) == 0, value;

			buf_adds(out, k ? "&& " : "");
			buf_adds(out, not ? "!" : "");
			if (depth && roll(3) == 0) {
				buf_addc(out, '(');
				value = random_expr(hit, depth - 1, out);
				buf_addc(out, ')');
			} else {
				value = roll(2) ? random_number(hit, out) : random_string(hit, out);
			}
			all = all && value != not;
		}
		any = any || all;
	}
	return any;
}

static void random_hit(struct hit *hit, struct buf *text, struct buf *comm)
{
	*hit = (struct hit){ .di = (uint64_t)roll(1u << 31) << roll(34) ^ roll(300), .faults = roll(5) == 0,
			     .memory = (uint64_t)roll(1u << 31) << roll(34) ^ roll(300), .pid = roll(100), .cpu = roll(8) };
	random_text(text, roll(8) ? 8 : 100);
	random_text(comm, 15);
	hit->text = roll(5) ? buf_str(text) : NULL;
	hit->comm = buf_str(comm);
}

static void test_random(const char *definition, unsigned rounds)
{
	unsigned counts[V_WRONG + 1] = { 0 }, wrong = 0;

	for (unsigned i = 0; i < rounds; i++) {
		struct buf filter = { 0 }, text = { 0 }, comm = { 0 };
		struct arena arena = { 0 };
		struct diag diag = { 0 };
		const char *error = NULL;
		enum verdict verdict = V_WRONG;
		bool want, select = false;
		struct plan *plan;
		struct hit hit;

		random_hit(&hit, &text, &comm);
		want = random_expr(&hit, 3, &filter);
		plan = resolve(&arena, definition, buf_str(&filter), &diag);
		if (plan && !roll(8))		/* as if the kernel had refused it */
			stage_filter_to_user(plan);
		if (plan)
			verdict = decide(plan, &hit, &select, &error);
		counts[verdict]++;
		if ((verdict == V_PASSED) != want || select != want || verdict == V_WRONG) {
			if (!wrong++)
				printf("# %s wants %d: verdict %d, select %d, %s%s\n", buf_str(&filter), want, verdict, select,
				       error ? error : "", buf_str(&diag.msg));
		}
		buf_fini(&filter);
		buf_fini(&text);
		buf_fini(&comm);
		diag_fini(&diag);
		arena_fini(&arena);
	}
	CHECK(!wrong, "%u random filters: %u wrong; %u by the gate, %u by the record, %u in user space, %u passed", rounds, wrong,
	      counts[V_GATE], counts[V_SIEVE], counts[V_USER], counts[V_PASSED]);
}

int main(void)
{
	test_texts();
	test_depth();
	test_definitions();
	test_globs();
	test_refusals();
	test_decisions();
	test_random("p:e f " FIELDS, 5000);
	return tap_done();
}
