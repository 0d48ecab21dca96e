// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_emit.c - from a definition to a printed line, with the generated code run
 * by bpf_vm.h: resolve, layout, emit, decode and text, together.
 *
 * The expected text follows from the values that the test puts into registers and
 * memory and from the printf forms of the kernel's types (6.12, kernel/trace/trace_probe.c).
 */
#include <errno.h>

#include "attach/backends.h"
#include "attach/trampoline.h"
#include "gen/emit.h"
#include "lang/dialect.h"
#include "print/text.h"

#include "bpf_vm.h"
#include "tap.h"

#define KERNEL	0xffff888000001000ull
#define USER	0x10000000ull
#define LONGEST	8000			/* bytes of the string that ends at USER + 4096 + LONGEST */
#define STACK	0xffffc90000013f00ull	/* 0x100 bytes below the end of a 16 KiB stack */

static unsigned char kernel_page[256], user_page[16384], stack_page[256];

/* What the entry probe kept: the parameters 0x100, USER, 0x102 ..., the caller, and the time. */
static uint64_t saved[16] = {
	0x100, USER, 0x102, 0x103, 0x104, 0x105, 0x106, 0x107, 0x108, 0x109, 0x10a, 0x10b, 0x10c, 0x10d,
};
_Static_assert(sizeof(saved) == sizeof(struct bp_saved), "as the entry probe keeps it");
static uint64_t entry_time;
static bool entry_missed;
static uint64_t pointers_to;		/* what 64 pointers at USER + 12288 point to; 0: there are none */

static unsigned stacks;			/* of the definition; with them: */
static int frames[2];			/* how many there are of each; less than 0: an error */
static uint64_t first_frame = 0x1001;	/* where a hit at 0x1000 goes on */
static unsigned stack_bytes;		/* of the last record, after it has given the rest back */

static void fill(struct vm *vm)
{
	static const uint64_t regs[21] = {
		[X86_DI] = 0xffffff9c, [X86_SI] = USER, [X86_DX] = KERNEL, [X86_CX] = 0xffffffffffffff85ull,
		[X86_AX] = (uint64_t)-2, [X86_SP] = STACK, [X86_R8] = 8, [X86_R9] = USER + 4096,
		[X86_IP] = 0xffffffff81000001ull,
	};
	static const unsigned char address[8] = { 2, 0, 0, 80, 127, 0, 0, 1 };	/* a struct sockaddr_in: AF_INET, port 80, 127.0.0.1 */
	uint64_t pointer = USER, bad = 8, words[2] = { 0x1122334455667788ull, 0x99aabbccddeeff00ull };

	memset(vm, 0, sizeof(*vm));
	memset(vm->record, 0xaa, sizeof(vm->record));	/* bytes that an older record may have left */
	memcpy(vm->regs, regs, sizeof(regs));
	memset(user_page, 0, sizeof(user_page));
	memcpy(user_page, "/etc/xyz", 9);
	memcpy(user_page + 16, "a\"b\\c\n\x01\x7f", 9);
	memset(user_page + 4096, 'x', LONGEST);
	for (unsigned i = 0; pointers_to && i < 64; i++)
		memcpy(user_page + 12288 + 8 * i, &pointers_to, 8);
	memcpy(kernel_page, words, sizeof(words));
	memcpy(kernel_page + 16, &pointer, 8);
	memcpy(kernel_page + 24, &bad, 8);
	memcpy(kernel_page + 32, "kernel text", 12);
	memcpy(kernel_page + 64, address, sizeof(address));
	memcpy(kernel_page + sizeof(kernel_page) - 16, address, sizeof(address));
	memcpy(stack_page, words, sizeof(words));
	vm->regions[0] = (struct vm_region){ KERNEL, kernel_page, sizeof(kernel_page) };
	vm->regions[1] = (struct vm_region){ USER, user_page, sizeof(user_page) };
	vm->regions[2] = (struct vm_region){ STACK, stack_page, sizeof(stack_page) };
	vm->nr_regions = 3;
	saved[15] = entry_time;
	vm->saved = entry_missed ? NULL : saved;
	memcpy(vm->frames, frames, sizeof(frames));
	vm->first = first_frame;
}

/* By a trampoline the context is an array: four parameters and the return value, some of them read by a helper. */
static int trampoline_helpers = -1;	/* trampoline.by_helper; -1: the backend is another one */
static unsigned trampoline_cast;	/* trampoline.cast_func */

static void fill_trampoline(struct vm *vm, struct plan *plan)
{
	const uint64_t values[5] = { 0xffffff9c, USER, KERNEL, 0xffffffffffffff85ull, (uint64_t)-2 };
	static struct trampoline own;

	memcpy(vm->regs, values, sizeof(values));
	own = (struct trampoline){ .nr_params = 4, .by_helper = (unsigned)trampoline_helpers, .cast_func = trampoline_cast };
	plan->layout.backend = &backend_fentry;
	plan->own = &own;
}

/* What bpf/capture.bpf.h writes into the head. */
static void fill_head(struct vm *vm, const struct plan *plan)
{
	struct bp_rec *rec = (void *)vm->record;
	uint64_t location[2] = { 0x1000, 0x2000 };

	*rec = (struct bp_rec){
		.ts = 1234567890123456ull, .tgid = 7, .cpu = 3, .preempt = 0x80000001, .eflags = 0x246,
		.migrate = 1, .comm = "wl", .common_pid = 42,
	};
	memcpy(rec + 1, location, plan->layout.is_return ? 16 : 8);
}

/*
 * Runs one body as the program does; returns what it returned. The short body is between a
 * beginning and an end that convert between the stub's registers and the program's.
 */
static uint64_t run_body(struct vm *vm, struct arena *arena, const struct plan *plan, bool is_long,
			 struct diag *diag)
{
	struct code code = { .arena = arena };
	struct emitter *e;

	if (!is_long) {
		code_mov(&code, BPF_REG_6, BPF_REG_1);
		code_mov(&code, BPF_REG_7, BPF_REG_2);
		code_mov(&code, BPF_REG_8, BPF_REG_3);
	}
	e = emit_hot(plan, NULL, is_long, is_long ? 0 : 40, &code);
	if (!is_long) {
		code_mov(&code, BPF_REG_0, BPF_REG_9);
		code_exit(&code);
	}
	if (emit_rest(e, diag))
		return 99;
	vm->record_size = is_long ? plan->layout.long_size : plan->layout.short_size;
	fill_head(vm, plan);
	return vm_run(vm, code.insns, code.nr);
}

static unsigned long_bytes;		/* of the last long record */

/* The part of the line after the location, or the error. */
static void trace(const char *text, struct buf *out, uint64_t *ret_result)
{
	static struct vm vm;
	struct arena arena = { 0 };
	struct diag diag = { 0 };
	struct facts facts = { 0 };
	struct text opts = { .style = STYLE_KPROBE };
	struct probe_def *def = NULL;
	struct plan *plan = NULL;
	struct event ev;

	*ret_result = 0;
	context_rules_init(&opts.rules, 6 << 16 | 12 << 8, true);
	if (dialect_parse(&arena, text, DIALECT_DETECT, &def, &diag) ||
	    (def->stacks = stacks, plan_resolve(&arena, def, &facts, &plan, &diag))) {
		buf_adds(out, buf_str(&diag.msg));
		goto out;
	}
	fill(&vm);
	if (trampoline_helpers >= 0)
		fill_trampoline(&vm, plan);
	*ret_result = run_body(&vm, &arena, plan, false, &diag);
	if (*ret_result & BP_FETCH_FILLED) {
		uint64_t result;

		fill(&vm);
		result = run_body(&vm, &arena, plan, true, &diag);
		/* The program gives the rest of the long record back. */
		vm.record_size = MIN(vm.record_size, BP_BODY_OFF + plan->layout.dyn_off + (unsigned)(result >> BP_FETCH_USED_SHIFT));
		*ret_result = BP_FETCH_FILLED | (result & ((1 << BP_FETCH_USED_SHIFT) - 1));
		long_bytes = vm.record_size;
	} else if (stacks) {
		vm.record_size = BP_BODY_OFF + plan->layout.dyn_off + (unsigned)(*ret_result >> BP_FETCH_USED_SHIFT);
		*ret_result &= (1 << BP_FETCH_USED_SHIFT) - 1;
	}
	stack_bytes = vm.record_size;
	if (vm.error)
		buf_adds(out, vm.error);
	else if (!event_decode(&plan->layout, (void *)vm.record, vm.record_size, &ev))
		buf_adds(out, "not decoded");
	else
		text_event(&opts, &ev, out);
out:
	text_fini(&opts);
	diag_fini(&diag);
	arena_fini(&arena);
}

static const struct {
	const char *def, *values;
	uint64_t result;
} cases[] = {
	/* registers, cut to the type's width before they are printed */
	{ "p f v=%di", "v=0xffffff9c", 0 },
	{ "p f v=%di:s32", "v=-100", 0 },
	{ "p f v=%di:s64", "v=4294967196", 0 },
	{ "p f v=%di:u8", "v=156", 0 },
	{ "p f v=%di:s8", "v=-100", 0 },
	{ "p f v=%cx:s16", "v=-123", 0 },
	{ "p f v=%cx:u16", "v=65413", 0 },
	{ "p f v=%cx:x8", "v=0x85", 0 },
	{ "p f %di %si", "arg1=0xffffff9c arg2=0x10000000", 0 },
	{ "r f $retval:s32", "arg1=-2", 0 },
	{ "r f v=%ip", "v=0x2000", 0 },				/* the caller, not the context's */
	/* the stack: words within the 16 KiB, 0 beyond */
	{ "p f v=$stack", "v=0xffffc90000013f00", 0 },
	{ "p f v=$stack0", "v=0x1122334455667788", 0 },
	{ "p f v=$stack1:u8", "v=0", 0 },
	{ "p f v=$stack32", "v=0x0", 0 },
	{ "p f v=+0($stack)", "v=0x1122334455667788", 0 },
	/* memory */
	{ "p f v=+0(%dx)", "v=0x1122334455667788", 0 },
	{ "p f v=+8(%dx):u32", "v=3723427584", 0 },
	{ "p f v=+1(%dx):x16", "v=0x6677", 0 },
	{ "p f v=-4(+4(%dx))", "v=(fault)", BP_FETCH_FAULT },
	{ "p f v=@0xffff888000001008:x8", "v=0x0", 0 },
	{ "p f v=+0(+16(%dx)):x8", "v=0x2f", 0 },
	{ "p f v=+u0(%si):x8", "v=0x2f", 0 },
	{ "p f v=+u0(%dx):x8", "v=(fault)", BP_FETCH_FAULT },
	{ "p f a=+0(%r8) b=%di:s32", "a=(fault) b=-100", BP_FETCH_FAULT },
	{ "p f a=+0(+24(%dx)):u8 b=+0(%dx):u8", "a=(fault) b=136", BP_FETCH_FAULT },
	/* strings */
	{ "p f v=+0(%si):string", "v=\"/etc/xyz\"", 0 },
	{ "p f v=+0(%si):ustring", "v=\"/etc/xyz\"", 0 },
	{ "p f v=+0(+16(%dx)):string", "v=\"/etc/xyz\"", 0 },
	{ "p f v=+32(%dx):string", "v=\"kernel text\"", 0 },
	{ "p f v=+32(%dx):ustring", "v=(fault)", BP_FETCH_FAULT },
	{ "p f v=+8(%si):string", "v=\"\"", 0 },
	{ "p f v=+16(%si):string", "v=\"a\\\"b\\\\c\\n\\x01\\x7f\"", 0 },
	{ "p f v=+0(%r8):string w=+0(%si):string", "v=(fault) w=\"/etc/xyz\"", BP_FETCH_FAULT },
	{ "p f a=+0(%si):string b=+4(%si):string c=%r8", "a=\"/etc/xyz\" b=\"/xyz\" c=0x8", 0 },
	{ "p f a=$comm b=+0(%si):string", "a=\"wl\" b=\"/etc/xyz\"", 0 },
	{ "p f v=$comm:string", "v=\"wl\"", 0 },
	/* immediates */
	{ "p f v=\\1 w=\\-1:s8 x=\\0x10:u64", "v=0x1 w=-1 x=16", 0 },
	{ "p f v=\\\"foobar\" w=%r8", "v=\"foobar\" w=0x8", 0 },
	{ "p f v=\\\"\" w=\\\"abc\" x=+0(%si):string", "v=\"\" w=\"abc\" x=\"/etc/xyz\"", 0 },
	/* 0xffffff9c: bits 4 to 7 are 9; all 32 bits are the number itself */
	{ "p f v=%di:b4@4/8", "v=9", 0 },
	{ "p f v=%di:b32@0/32", "v=4294967196", 0 },
	{ "p f v=%di:b64@0/64 w=%cx:b1@63/64", "v=4294967196 w=1", 0 },
	{ "p f v=+0(%dx):b12@4/16", "v=1912", 0 },		/* 0x7788 >> 4 = 0x778 */
	/* characters and symbols: without symbols an address is printed as a number */
	{ "p f v=+1(%si):char w=+22(%si):char", "v='e' w='\\x01'", 0 },
	{ "p f v=%dx:symbol w=%dx:symstr", "v=0xffff888000001000 w=\"0xffff888000001000\"", 0 },
	{ "p f v=\\0:symbol w=\\0x1:symbol", "v=0x0 w=0x1", 0 },
	{ "p f v=+16(%dx):symstr w=+0(%r8):symstr", "v=\"0x10000000\" w=(fault)", BP_FETCH_FAULT },
	/* arrays: numbers follow each other, strings are behind pointers */
	{ "p f v=+0(%si):u8[4]", "v={47,101,116,99}", 0 },
	{ "p f v=+0(%dx):x64[2] w=%r8", "v={0x1122334455667788,0x99aabbccddeeff00} w=0x8", 0 },
	{ "p f v=+0(%si):char[3]", "v={'/','e','t'}", 0 },
	{ "p f v=+0(%si):b4@0/8[2]", "v={15,5}", 0 },
	{ "p f v=+0(%r8):u16[3] w=%r8", "v={(fault),(fault),(fault)} w=0x8", BP_FETCH_FAULT },
	{ "p f v=+0(+24(%dx)):x8[2]", "v={(fault),(fault)}", BP_FETCH_FAULT },
	{ "p f v=+0(+0(%r8)):x8[2]", "v={(fault),(fault)}", BP_FETCH_FAULT },
	{ "p f v=+248(%dx):x64[2]", "v={0x0,(fault)}", BP_FETCH_FAULT },
	{ "p f v=+16(%dx):string[2] w=%r8", "v={\"/etc/xyz\",(fault)} w=0x8", BP_FETCH_FAULT },
	{ "p f v=+0(+0(%r8)):string[2]", "v={(fault),(fault)}", BP_FETCH_FAULT },
	/* a part of an array: the page ends after 2 of its 4 elements; what comes after the array keeps its place */
	{ "p f v=+254(%dx):b4@4/8[4] w=%r8", "v={0,0,(fault),(fault)} w=0x8", BP_FETCH_FAULT },
	{ "p f v=+1(%si):b7@1/8[11] w=%r8", "v={50,58,49,23,60,60,61,0,0,0,0} w=0x8", 0 },
	{ "p f v=+0(%dx):b12@4/16[3] w=+0(%dx):b33@31/64[2]", "v={1912,1366,820} w={574908040,5156206489}", 0 },
	/* strings of each kind, after one that could not be read */
	{ "p f a=+0(%r8):symstr b=+0(%si):string c=+0(%r8):string d=$comm e=+4(%si):string",
	  "a=(fault) b=\"/etc/xyz\" c=(fault) d=\"wl\" e=\"/xyz\"", BP_FETCH_FAULT },
	{ "p f a=+0(+0(%r8)):string[3] b=+16(%dx):string[3] c=+0(%si):string",
	  "a={(fault),(fault),(fault)} b={\"/etc/xyz\",(fault),(fault)} c=\"/etc/xyz\"", BP_FETCH_FAULT },
	/* network byte order: the bytes at %dx are 88 77 66 55 44 33 22 11 00 ff ee dd cc bb aa 99 */
	{ "p f v=+0(%dx):be16 w=+0(%dx):be32 x=%r8:be16 y=%r8:be32", "v=34935 w=2289526357 x=2048 y=134217728", 0 },
	{ "p f v=+0(%dx):be16[2] w=+0(%dx):be32[2] x=%r8", "v={34935,26197} w={2289526357,1144201745} x=0x8", 0 },
	{ "p f v=+254(%dx):be16[2] w=+0(%r8):be32", "v={0,(fault)} w=(fault)", BP_FETCH_FAULT },
	{ "p f v=+0(%dx):ip4 w=+0(%dx):ip4[2] x=%r8:ip4", "v=136.119.102.85 w={136.119.102.85,68.51.34.17} x=8.0.0.0", 0 },
	{ "p f v=+0(%dx):ip6 w=%r8", "v=8877:6655:4433:2211:ff:eedd:ccbb:aa99 w=0x8", 0 },
	{ "p f v=+248(%dx):ip6 w=+0(%r8):ip6[2]", "v=(fault) w={(fault),(fault)}", BP_FETCH_FAULT },
	{ "p f v=+0(%dx):mac[2] w=+1(%dx):mac x=%r8", "v={88:77:66:55:44:33,22:11:00:ff:ee:dd} w=77:66:55:44:33:22 x=0x8", 0 },
	/* the page ends after 2 of its 3 elements, of 6 bytes each */
	{ "p f v=+16372(%si):mac[3] w=%r8", "v={00:00:00:00:00:00,00:00:00:00:00:00,(fault)} w=0x8", BP_FETCH_FAULT },
	/* errors: -2 is ENOENT, 0x...85 is -123 */
	{ "r f v=$retval:errno w=%cx:errno x=%r8:errno", "v=ENOENT w=ENOMEDIUM x=8", 0 },
	/* struct sockaddr: 110 bytes are there; 16, which hold all; 12, whose family is 0x007f; 2; 1, which is less than a family */
	{ "p f v=+64(%dx):sockaddr w=+0(%si):string", "v=\"AF_INET:127.0.0.1:80\" w=\"/etc/xyz\"", 0 },
	{ "p f v=+240(%dx):sockaddr w=+0(%si):string", "v=\"AF_INET:127.0.0.1:80\" w=\"/etc/xyz\"", 0 },
	{ "p f v=+244(%dx):sockaddr w=+254(%dx):sockaddr", "v=\"AF_127\" w=\"AF_UNSPEC\"", 0 },
	{ "p f v=+255(%dx):sockaddr w=+0(%si):string", "v=(fault) w=\"/etc/xyz\"", BP_FETCH_FAULT },
	{ "p f v=+u0(%dx):sockaddr w=+0(%r8):sockaddr x=+u0(%si):sockaddr", "v=(fault) w=(fault) x=\"AF_25903\"", BP_FETCH_FAULT },
	/* as many bytes as a number, a register, memory or another argument says; a signed one below 0 means none */
	{ "p f v=+0(%si):bytes(%r8) w=+0(%si):string", "v=\"/etc/xyz\" w=\"/etc/xyz\"", 0 },
	{ "p f v=+0(%si):hex(4) w=+0(%si):bytes(9) x=%r8", "v=2f657463 w=\"/etc/xyz\\x00\" x=0x8", 0 },
	{ "p f v=+16(%si):bytes(9)", "v=\"a\\\"b\\\\c\\n\\x01\\x7f\\x00\"", 0 },
	{ "p f v=+0(%dx):bytes(n) n=%r8:u8 w=+0(%dx):hex(n)", "v=\"\\x88wfUD3\\\"\\x11\" n=8 w=8877665544332211", 0 },
	{ "p f v=+0(%si):bytes(%di:s32) w=+0(%si):hex(%cx) x=+0(%si):bytes(%cx:s8) y=%r8", "v=\"\" w= x=\"\" y=0x8", 0 },
	{ "r f v=+0(%si):bytes($retval) w=+0(%si):string", "v=\"\" w=\"/etc/xyz\"", 0 },
	{ "p f v=+0(%si):bytes(+8(%dx):u8) w=+1(%si):bytes(+0(%dx):b4@3/8)", "v=\"\" w=\"e\"", 0 },
	{ "p f v=+0(%si):hex(+8(%dx):be16)", "v=2f6574632f78797a00000000000000006122625c630a017f00"
	  "000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
	  "000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
	  "000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
	  "0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000", BP_FETCH_FILLED },
	/* what cannot be read: the bytes, their address, their length; without bytes no address is read */
	{ "p f v=+0(%r8):bytes(4) w=+0(+0(%r8)):hex(4) x=+0(%si):bytes(+0(%r8)) y=+0(%si):string",
	  "v=(fault) w=(fault) x=(fault) y=\"/etc/xyz\"", BP_FETCH_FAULT },
	{ "p f v=+0(%r8):bytes(%di:s32) w=+u0(%dx):hex(2) x=+u0(%si):hex(2)", "v=\"\" w=(fault) x=2f65", BP_FETCH_FAULT },
	{ "p f n=+0(%r8):u8 v=+0(%si):bytes(n) w=%r8", "n=(fault) v=(fault) w=0x8", BP_FETCH_FAULT },
	/* memory ends with the page, behind 4 bytes of 8 and of 4; 0 bytes there are none that cannot be read */
	{ "p f v=+16380(%si):hex(%r8) w=+16380(%si):hex(4) x=+16384(%si):hex(4) y=+0(%si):string",
	  "v=00000000... w=00000000 x=(fault) y=\"/etc/xyz\"", BP_FETCH_FAULT },
	{ "p f v=+16380(%si):bytes(8) w=+16383(%si):bytes(%r8)", "v=\"\\x00\\x00\\x00\\x00\"... w=\"\\x00\"...", 0 },
	/* pointers to a string, to 8, and two that are text; then NULL */
	{ "p f v=+16(%dx):string[*] w=%r8", "v={\"/etc/xyz\",(fault),(fault),(fault)} w=0x8", BP_FETCH_FAULT },
	{ "p f v=+16(%dx):ustring[*] w=+0(%si):string", "v={\"/etc/xyz\",(fault),(fault),(fault)} w=\"/etc/xyz\"", BP_FETCH_FAULT },
	/* empty; one whose first pointer cannot be read; one whose address cannot be read; one at the end of memory, without NULL */
	{ "p f v=+128(%dx):string[*] w=%r8", "v={} w=0x8", 0 },
	{ "p f v=+0(%r8):string[*] w=%r8", "v={(fault)} w=0x8", BP_FETCH_FAULT },
	{ "p f v=+0(+0(%r8)):string[*] w=+0(%si):string", "v={(fault)} w=\"/etc/xyz\"", BP_FETCH_FAULT },
	{ "p f v=+240(%dx):string[*] w=+16(%dx):string[*]",
	  "v={(fault)} w={\"/etc/xyz\",(fault),(fault),(fault)}", BP_FETCH_FAULT },
};

/* A prototype's +N after the last [N] is added to the number. */
static void test_sums(void)
{
	static const struct {
		const char *def, *values;
		uint64_t result;
	} sums[] = {
		{ "f(int a+4)", " a=-96\n", 0 },
		{ "f(NULL, NULL, x32 b[0]+3 | x64 c+8)", " b=0x5566778b c=0xffff888000001008\n", 0 },
		{ "f(NULL, NULL, x8 b[7]+0xff)", " b=0x10\n", 0 },	/* 0x11 - 1 in a byte */
		{ "f(NULL, NULL, NULL, NULL, x8 b[0]+1)", " b=(fault)\n", BP_FETCH_FAULT },
	};

	for (unsigned i = 0; i < ARRAY_SIZE(sums); i++) {
		struct buf got = { 0 };
		uint64_t result;

		trace(sums[i].def, &got, &result);
		CHECK(strstr(buf_str(&got), sums[i].values) && result == sums[i].result, "'%s' prints %s", sums[i].def,
		      buf_str(&got));
		buf_fini(&got);
	}
}

static void test_lines(void)
{
	for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
		bool is_return = cases[i].def[0] == 'r';
		struct buf got = { 0 }, want = { 0 };
		uint64_t result;

		/* 1234567.890123456 s, cut to microseconds; addresses without symbols are numbers */
		buf_addf(&want, "              wl-42      [003] ..... 1234567.890123: %s_f_0: (%s) %s\n",
			 is_return ? "r" : "p", is_return ? "0x2000 <- 0x1000" : "0x1000", cases[i].values);
		trace(cases[i].def, &got, &result);
		CHECK(!strcmp(buf_str(&got), buf_str(&want)), "%s", cases[i].def);
		if (strcmp(buf_str(&got), buf_str(&want)))
			printf("#  got: %s# want: %s", buf_str(&got), buf_str(&want));
		CHECK(result == cases[i].result, "%s returns %lu", cases[i].def, (unsigned long)cases[i].result);
		buf_fini(&got);
		buf_fini(&want);
	}
}

/* A string of @len characters: kept whole up to 4095, cut and marked above. */
static void test_long_string(unsigned len)
{
	struct buf def = { 0 }, got = { 0 }, want = { 0 };
	bool cut = len > 4095;
	uint64_t result;

	buf_addf(&want, "              wl-42      [003] ..... 1234567.890123: p_f_0: (0x1000) v=\"");
	buf_pad(&want, 'x', cut ? 4095 : len);
	buf_addf(&want, "\"%s w=0x8\n", cut ? "..." : "");
	buf_addf(&def, "p f v=%+d(%%r9):string w=%%r8", LONGEST - (int)len);
	trace(buf_str(&def), &got, &result);
	CHECK(!strcmp(buf_str(&got), buf_str(&want)), "a string of %u", len);
	CHECK(result == (len < 63 ? 0 : BP_FETCH_FILLED), "a string of %u: %s", len,
	   len < 63 ? "one reservation" : "two");
	/*
	 * Behind the head: ip and the word of v's __data_loc and w (20 bytes, filled up to 24), the word of marks, then the string
	 * with its NUL (4097 bytes if it is cut), filled up to 8.
	 */
	if (len >= 63)
		CHECK(long_bytes == 64 + 24 + 8 + ROUND_UP((cut ? 4096 : len) + 1, 8u), "... in %u bytes", long_bytes);
	buf_fini(&got);
	buf_fini(&want);
	buf_fini(&def);
}

/* 64 strings: each is cut where the record is full; none is lost, none is outside of the record. */
static void test_many_strings(void)
{
	struct buf def = { 0 }, got = { 0 };
	unsigned strings = 0, cuts = 0;
	uint64_t result;

	buf_adds(&def, "p f");
	for (unsigned i = 0; i < 64; i++)
		buf_adds(&def, " +3905(%r9):string");
	trace(buf_str(&def), &got, &result);
	for (const char *p = buf_str(&got); (p = strstr(p, "=\"")); p++)
		strings++;
	for (const char *p = buf_str(&got); (p = strstr(p, "\"...")); p++)
		cuts++;
	CHECK(strings == 64, "64 strings are there: %u", strings);
	/* 61440 bytes of body hold 14 whole strings of 4095; the strings after them have no room. */
	CHECK(cuts == 64 - 14, "and those that had no room are marked: %u", cuts);
	buf_fini(&def);
	buf_fini(&got);
}

/* Marks of arrays that begin and end in the middle of their words. */
static void test_marks(void)
{
	struct buf def = { 0 }, got = { 0 };
	unsigned faults = 0;
	uint64_t result;

	buf_adds(&def, "p f");
	for (unsigned i = 0; i < 60; i++)
		buf_adds(&def, " +0(%dx):u8");
	buf_adds(&def, " a=+252(%dx):u8[8] b=+0(%r8):u8[60] c=+192(%dx):u8[64] d=+193(%dx):u8[64]");
	trace(buf_str(&def), &got, &result);
	for (const char *p = buf_str(&got); (p = strstr(p, "(fault)")); p++)
		faults++;
	CHECK(strstr(buf_str(&got), " a={0,0,0,0,(fault),(fault),(fault),(fault)} b={(fault),") != NULL, "the marks of an array");
	CHECK(strstr(buf_str(&got), ",0,(fault)}\n") != NULL, "the last element of the last array");
	CHECK(faults == 4 + 60 + 0 + 1 && result == BP_FETCH_FAULT, "as many faults as there are: %u", faults);
	buf_fini(&def);
	buf_fini(&got);
}

/* 64 strings of an array: as 64 arguments, in test_many_strings(). */
static void test_string_array(void)
{
	struct buf got = { 0 };
	unsigned strings = 0, cuts = 0;
	uint64_t result;

	pointers_to = USER + 4096 + LONGEST - 4095;
	trace("p f a=+12288(%si):string[64] z=+0(%si):string w=%r8", &got, &result);
	pointers_to = 0;
	for (const char *p = buf_str(&got); (p = strstr(p, "x\"")); p++)
		strings++;
	for (const char *p = buf_str(&got); (p = strstr(p, "\"\"...")); p++)
		cuts++;
	CHECK(strings == 14 && cuts == 50 + 1, "an array of 64 long strings: %u whole, %u without room", strings, cuts);
	CHECK(strstr(buf_str(&got), "... w=0x8\n") && result == BP_FETCH_FILLED, "what comes after them is printed");
	buf_reset(&got);
	/* If one is too long (4096 bytes) the others are cut as well, but a text of fixed length has its room. */
	pointers_to = USER + 4096 + LONGEST - 4096;
	trace("p f a=+12288(%si):string[64] c=$comm t=\\\"text\" z=$comm", &got, &result);
	pointers_to = 0;
	CHECK(strstr(buf_str(&got), "x\"...,\"\"...") && strstr(buf_str(&got), " c=\"wl\" t=\"text\" z=\"wl\"\n"),
	      "texts that cannot grow keep their room");
	buf_fini(&got);
}

/* @nr strings, then NULL: string[*] prints 63 of them. */
static void test_vector(unsigned nr, unsigned len)
{
	struct buf def = { 0 }, got = { 0 };
	unsigned strings = 0, want = MIN(nr, 63u);
	uint64_t result;

	pointers_to = USER + 4096 + LONGEST - len;
	buf_addf(&def, "p f a=+%u(%%si):string[*] w=%%r8", 12288 + 8 * (64 - nr));
	trace(buf_str(&def), &got, &result);
	pointers_to = 0;
	for (const char *p = buf_str(&got); (p = strstr(p, "x\"")); p++)
		strings++;
	/* 61440 bytes of body hold 14 whole strings of 4095. */
	CHECK(strings == (len < 4095 ? want : MIN(want, 14u)), "string[*] of %u strings of %u: %u whole", nr, len, strings);
	CHECK(strstr(buf_str(&got), nr > 63 ? ",...} w=0x8\n" : "} w=0x8\n") && !strstr(buf_str(&got), "(fault)") &&
	      (nr > 63 || !strstr(buf_str(&got), ",...}")), "... and three dots if there are more: %s",
	      buf_str(&got) + (got.len > 60 ? got.len - 60 : 0));
	CHECK(result == (len < 63 ? 0 : BP_FETCH_FILLED), "... %s", len < 63 ? "one reservation" : "two");
	buf_fini(&def);
	buf_fini(&got);
}

/* @nr buffers whose length is at USER + 12288: @length; and a string behind them. */
static void test_buffers(unsigned nr, uint64_t length)
{
	unsigned len = (unsigned)MIN(length, 4095), whole = 0, cut = 0;
	struct buf def = { 0 }, got = { 0 };
	uint64_t result;

	buf_addf(&def, "p f");
	for (unsigned i = 0; i < nr; i++)
		buf_addf(&def, " v%u=+4096(%%si):bytes(+12288(%%si):u64)", i);
	buf_adds(&def, " w=+0(%si):string");
	pointers_to = length;
	trace(buf_str(&def), &got, &result);
	pointers_to = 0;
	for (const char *p = buf_str(&got); (p = strstr(p, "=\"x")); p += 3) {
		size_t xs = strspn(p + 2, "x");

		whole += xs == len && p[2 + xs] == '"';
		cut += xs == len && !strncmp(p + 2 + xs, "\"...", 4);
	}
	/* 61440 bytes of body hold 14 of 4095, and the string's space. */
	CHECK(whole == (length < 2048 ? nr : MIN(nr, 14u)), "%u buffers of %llu bytes: %u whole", nr, (unsigned long long)length, whole);
	CHECK(cut == (length > 4095 ? whole : 0), "... %u of them cut", cut);
	CHECK(strstr(buf_str(&got), whole < nr ? " w=\"\"...\n" : " w=\"/etc/xyz\"\n") && !strstr(buf_str(&got), "(fault)"), "... and the string: %s",
	      buf_str(&got) + (got.len > 60 ? got.len - 60 : 0));
	CHECK(result == (length > 64 ? BP_FETCH_FILLED : 0), "... %s", length > 64 ? "two reservations" : "one");
	buf_fini(&def);
	buf_fini(&got);
}

/* The most that the kernel accepts: 128 arguments, 3072 bytes without the strings' own bytes. */
static void test_largest(void)
{
	static const struct {
		const char *arg, *last;
		unsigned nr;
	} largest[] = {
		{ "+0(%si):b3@4/8[64]", " arg48={2,6,", 48 },		/* '/' is 0x2f, 'e' 0x65 */
		{ "+0(%si):char[64]", " arg48={'/','e',", 48 },
		{ "+0(%dx):x64[32]", " arg12={0x1122334455667788,0x99aabbccddeeff00,", 12 },
		{ "+0(%si):string", " arg128=\"/etc/xyz\"\n", 128 },
		{ "+0(+16(%dx)):ustring", " arg128=\"/etc/xyz\"\n", 128 },
		{ "+0(+16(%dx)):symstr", " arg128=\"", 128 },
		{ "+16(%dx):string[64]", " arg12={\"/etc/xyz\",(fault),", 12 },
		{ "+16(%dx):string[*]", " arg12={\"/etc/xyz\",(fault),(fault),(fault)}\n", 12 },
		{ "+64(%dx):sockaddr", " arg128=\"AF_INET:127.0.0.1:80\"\n", 128 },
		{ "+254(%dx):sockaddr", " arg128=\"AF_UNSPEC\"\n", 128 },
		{ "+0(%si):bytes(%r8)", " arg128=\"/etc/xyz\"\n", 128 },
		{ "+0(%si):hex(400)", " arg128=2f657463", 128 },
		{ "+0(%dx):mac[64]", " arg8={88:77:66:55:44:33,22:11:00:ff:ee:dd,", 8 },
		{ "+0(%dx):be32[64]", " arg12={2289526357,1144201745,", 12 },
	};

	for (unsigned i = 0; i < ARRAY_SIZE(largest); i++) {
		struct buf def = { 0 }, got = { 0 };
		uint64_t result;

		buf_adds(&def, "p f");
		for (unsigned k = 0; k < largest[i].nr; k++)
			buf_addf(&def, " %s", largest[i].arg);
		trace(buf_str(&def), &got, &result);
		CHECK(strstr(buf_str(&got), largest[i].last) != NULL, "%u times %s", largest[i].nr, largest[i].arg);
		buf_fini(&def);
		buf_fini(&got);
	}
}

/* Each parameter has the same value by a load, by the helper and by the cast. */
static void test_trampoline(void)
{
	static const char def[] = "p f a=%di:s32 b=+0(%si):string c=+0(%dx):x32 d=%cx:s8";
	static const char ret[] = "r f a=$arg1:s32 b=+0($arg2):string c=+0($arg3):x32 d=$retval:s32";

	for (int way = 0; way < 2 << 5; way++) {
		struct buf got = { 0 };
		uint64_t result;

		trampoline_helpers = way & 0x1f;
		trampoline_cast = way >> 5;
		trace(def, &got, &result);
		CHECK(strstr(buf_str(&got), " a=-100 b=\"/etc/xyz\" c=0x55667788 d=-123\n") != NULL, "entry, by helpers: %x",
		      (unsigned)way);
		buf_reset(&got);
		trace(ret, &got, &result);
		CHECK(strstr(buf_str(&got), " a=-100 b=\"/etc/xyz\" c=0x55667788 d=-2\n") != NULL, "return, by helpers: %x",
		      (unsigned)way);
		buf_fini(&got);
	}
	trampoline_helpers = -1;
	trampoline_cast = 0;
}

/* Parameters in a return probe have their values from the entry; without an entry they are faults. */
static void test_saved(void)
{
	static const char def[] = "r f a=$arg1 b=$arg14:u16 c=+0($arg2):string d=%r8";
	struct buf got = { 0 };
	uint64_t result;

	trace(def, &got, &result);
	CHECK(strstr(buf_str(&got), " a=0x100 b=269 c=\"/etc/xyz\" d=0x8\n") && result == 0, "%s", def);
	buf_reset(&got);
	entry_missed = true;
	trace(def, &got, &result);
	entry_missed = false;
	CHECK(strstr(buf_str(&got), " a=(fault) b=(fault) c=(fault) d=0x8\n") && result == BP_FETCH_FAULT,
	      "%s, the entry missed", def);
	buf_reset(&got);
	trace("r f $arg15", &got, &result);
	CHECK(strstr(buf_str(&got), "only 14 words of parameters") != NULL, "the fifteenth is refused");
	buf_fini(&got);
}

/* The time between the saved one and the record's, which fill_head() sets: 1234567890123456. */
static void test_elapsed(void)
{
	static const struct {
		uint64_t entry;
		const char *def, *values;
		uint64_t result;
	} times[] = {
		{ 1234567890123455, "r f $elapsed", " elapsed=1\n", 0 },
		{ 1234567890123456, "r f $elapsed:x64", " elapsed=0x0\n", 0 },
		{ 1234567890000000, "r f $arg1 t=$elapsed d=%r8", " arg1=0x100 t=123456 d=0x8\n", 0 },
		{ 1234560000000000, "r f $elapsed:u32 a=$elapsed:s64", " elapsed=3595156160 a=7890123456\n", 0 },	/* 7890123456 - 2^32 */
		{ 0, "r f $elapsed a=$arg1 d=%r8", " elapsed=(fault) a=(fault) d=0x8\n", BP_FETCH_FAULT },
		/* Clocks of two CPUs differ by less than a millisecond. More is no time of this call. */
		{ 1234567890123457, "r f $elapsed", " elapsed=0\n", 0 },
		{ 1234567890123456 + (1 << 20), "r f $elapsed", " elapsed=0\n", 0 },
		{ 1234567890123457 + (1 << 20), "r f $elapsed", " elapsed=(fault)\n", BP_FETCH_FAULT },
		{ 0xf234567890123457, "r f $elapsed", " elapsed=(fault)\n", BP_FETCH_FAULT },
		{ UINT64_MAX, "r f $elapsed", " elapsed=(fault)\n", BP_FETCH_FAULT },
		/* in a filter */
		{ 1234567890123400, "r f $elapsed if elapsed > 55", " elapsed=56\n", 0 },
		{ 1234567890123400, "r f $elapsed if elapsed > 56", NULL, BP_FETCH_FILTERED },
		{ 0, "r f $elapsed if elapsed < 56", NULL, BP_FETCH_FAULT | BP_FETCH_FILTERED | BP_FETCH_UNDECIDED },
	};

	for (unsigned i = 0; i < ARRAY_SIZE(times); i++) {
		struct buf got = { 0 };
		uint64_t result;

		entry_time = times[i].entry;
		trace(times[i].def, &got, &result);
		CHECK((!times[i].values || strstr(buf_str(&got), times[i].values)) && result == times[i].result, "%s, entry %llu: %s",
		      times[i].def, (unsigned long long)times[i].entry, buf_str(&got));
		buf_fini(&got);
	}
	entry_time = 0;
}

static unsigned count(const struct buf *text, const char *what)
{
	unsigned nr = 0;

	for (const char *p = buf_str(text); (p = strstr(p, what)); p++)
		nr++;
	return nr;
}

/* As many frames as there are, up to 127 of each stack. A record has no more bytes than they need, and is never too small. */
static void test_stacks(void)
{
	static const int numbers[] = { -EFAULT, 0, 1, 2, 126, 127, 128 };
	static const struct { const char *def; unsigned dyn_off, strings; } defs[] = {
		{ "p f", 24, 0 },				/* 16, two __data_locs */
		{ "p f a=%di", 32, 0 },				/* 8 more */
		{ "p f a=+0(%si):string", 40, 16 },		/* a __data_loc and a word of marks; "/etc/xyz" and NUL are 9 */
		{ "p f a=+0(%r8):string", 40, 8 },		/* a string that could not be read takes a byte */
		{ "p f a=+0(%r9):string", 40, 4104 },		/* cut: 4097 bytes */
	};

	stacks = 1u << STACK_KERNEL | 1u << STACK_USER;
	for (unsigned d = 0; d < ARRAY_SIZE(defs); d++) {
		for (unsigned i = 0; i < ARRAY_SIZE(numbers) * ARRAY_SIZE(numbers); i++) {
			struct buf got = { 0 };
			unsigned kernel, user, want;
			uint64_t result;

			frames[0] = numbers[i / ARRAY_SIZE(numbers)];
			frames[1] = numbers[i % ARRAY_SIZE(numbers)];
			kernel = (unsigned)MIN(MAX(frames[0], 0), 127);
			user = (unsigned)MIN(MAX(frames[1], 0), 127);
			want = BP_BODY_OFF + defs[d].dyn_off + defs[d].strings + 8 * (kernel + user);
			trace(defs[d].def, &got, &result);
			CHECK(count(&got, " => ") == kernel + user && count(&got, "<stack trace>") == (kernel > 0) &&
			      count(&got, "<user stack trace>") == (user > 0) && stack_bytes == want,
			      "%s: %d and %d frames: a record of %u bytes, want %u", defs[d].def, frames[0], frames[1], stack_bytes,
			      want);
			buf_fini(&got);
		}
	}
	stacks = 0;
}

/*
 * A kernel stack begins with the place 0x1000, whose hit goes on at 0x1001, or 5 bytes behind it. At a return the first frame is the
 * caller, so the function comes before it; but not if the entry has kept its stack.
 */
static void test_first_frame(void)
{
	static const struct { const char *def; uint64_t first; const char *lines; } begins[] = {
		{ "p f", 0x1001, ": <stack trace>\n => 0x1000\n => 0x1101\n" },
		{ "p f", 0x1005, ": <stack trace>\n => 0x1000\n => 0x1105\n" },
		{ "p f", 0x1006, ": <stack trace>\n => 0x1000\n => 0x1006\n => 0x1106\n" },
		{ "r f", 0x2000, ": <stack trace>\n => 0x1000\n => 0x2000\n => 0x2100\n" },
		{ "r f", 0x1001, ": <stack trace>\n => 0x1000\n => 0x1101\n" },
	};

	stacks = 1u << STACK_KERNEL;
	frames[0] = 2;
	for (size_t i = 0; i < ARRAY_SIZE(begins); i++) {
		struct buf got = { 0 };
		uint64_t result;

		first_frame = begins[i].first;
		trace(begins[i].def, &got, &result);
		CHECK(strstr(buf_str(&got), begins[i].lines) != NULL, "%s, whose stack begins at 0x%llx", begins[i].def,
		      (unsigned long long)begins[i].first);
		buf_fini(&got);
	}
	stacks = 0;
}

static void test_many_registers(void)
{
	struct buf def = { 0 }, got = { 0 };
	uint64_t result;

	buf_adds(&def, "p f");
	for (unsigned i = 0; i < 128; i++)
		buf_adds(&def, " +0(%dx):u8");
	trace(buf_str(&def), &got, &result);
	CHECK(strstr(buf_str(&got), " arg128=136\n") != NULL, "128 arguments");
	buf_fini(&def);
	buf_fini(&got);
}

int main(void)
{
	static const unsigned lengths[] = { 0, 1, 62, 63, 64, 65, 4094, 4095, 4096, 4097, 7999 };
	static const uint64_t buffers[] = { 1, 63, 64, 65, 4094, 4095, 4096, 1ull << 32 };

	test_lines();
	test_sums();
	for (unsigned i = 0; i < ARRAY_SIZE(lengths); i++)
		test_long_string(lengths[i]);
	test_many_strings();
	test_many_registers();
	test_marks();
	test_string_array();
	for (unsigned nr = 1; nr <= 64; nr += nr == 1 ? 61 : 1) {
		test_vector(nr, 8);
		test_vector(nr, 4095);
	}
	for (unsigned i = 0; i < ARRAY_SIZE(buffers); i++) {
		test_buffers(1, buffers[i]);
		test_buffers(13, buffers[i]);
		test_buffers(16, buffers[i]);
	}
	test_largest();
	test_trampoline();
	test_saved();
	test_elapsed();
	test_stacks();
	test_first_frame();
	return tap_done();
}
