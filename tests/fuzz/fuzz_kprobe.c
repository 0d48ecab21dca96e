// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_kprobe.c - any bytes into the kprobe_events parser (see fuzz_def.h). Links only base/ and lang/.
 */
#include "base/macros.h"

static const char fuzz_name[] = "fuzz_kprobe";
static const char *const fuzz_seeds[] = { "p:e m:f a=%di", "p f p->a[3] n+1", "p f+8 a $vars", "r2:g/e m:f+4%return a=+0(%si):string $arg* b->c.d:u8",
	"p f a=+0(%si):string[*] b=%di:errno c=%si:enum(x) s=%dx:syscall d=+0(%di):sockaddr e=+8(%di):ip6[2] f=%dx:be16 g=+0(%di):mac h=%di:ip4",
	"p f a=+0(%si):bytes(%dx) b=+0(%si):hex(16) c=b:bytes(n) n=%di:s32 d=(a)%di->b:hex((c)%si->d:u16)", "r f a=b:bytes($retval)",
	"r:e f $elapsed:u32 t=$elapsed $retval",
	"p f (a)%di->b c=(a,b.c)(d->e)->f.g (struct a *)$arg1->b ((const union a *)(b)@s->c)->d:u8 (a)(@s+8)->b (a)+8(%di)->b",
	"r f $current $current->a.b (a)$current->b +8((a)$retval->c) ((a)((b)((c)%di->d)->e))->f",
	"r:e f a:path b=$arg1:path (a,b)%di->b:path $retval->c.d:path $current->fs->pwd:path",
	"p:e /bin/sh:ns::f(int)+0x10%return(0x20) @+0x10 $arg1:string +8(%ax,%dx,4)", "p ./a:prov:name $arg*", "f:e f%return $retval a",
	"t:e sched_switch prev->pid $arg2", "e:g/e sched.sched_switch p=$next_pid $comm",
	/* of other tracers */
	"uretprobe:/bin/sh:cpp:\"a::b(int)\" { }", "usdt:libc:prov:name", "tracepoint:syscalls:sys_enter_read", "rt:m:x", "probe_libc:f__return",
	"sdt_a:b", "t:sched:sched_switch", "p:c:malloc", "a:b", "libc.so.6:f",
	/* that were accepted, but not as they were printed */
	"p:e ./a:f((=+0(+0", "p:e ./a:f+1+0", "p:e ./a:f(1)(0)", "f 9p:f", "p 3c59x.c:5", "p @0x1;w", "p f c=(a)(@sb 5g)->b", "-:(a b)" };

static const char *const fuzz_words[] = {
	"p", "r", "-:", ":", "g/", "e", " ", "\t", "%return", "+", "-", "+0(", "-u8(", ")", "(",
	"%di", "%rdi", "$arg*", "$arg1", "$stack", "$stack3", "$retval", "$elapsed", "$comm", "@", "@sym",
	"\\1", "\\\"", "\"", "->", ".", "=", "a=", "[2]", "[", "]", ":u8", ":string", ":symstr", "$current", "(a)", "(a,b.c)", "(struct a *)", "((a)", ",", "->x",
	":b4@4/8", ":bytes(", ":hex(", ":hex(4095)", ":%pd", ":path", ":x64[64]", "0x", "0xffffffff81000000", "9223372036854775808", "#",
	"vfs_read", "dfd", "mod:", "/", ".so", "::", "uprobe:", "usdt:", "tracepoint:", "probe_", "sdt_", "__return", "t", "f", "e:", "$f", ";", "*", "\n", "\x80", "\xff", "\x1b[", "common_pid=",
};

#include "fuzz_def.h"

/* As a line of kprobe_events; with its place in a program; and with a function of the source. */
enum way { PLAIN, IN_PROGRAM, IN_SOURCE };

static void check_way(const char *text, enum way way)
{
	struct arena arena = { 0 };
	struct probe_def *def = NULL;
	struct diag d = { 0 };
	struct buf printed = { 0 };
	int err = way == IN_SOURCE ? kprobe_parse_source(&arena, text, false, &def, &d) : way == IN_PROGRAM ?
		  kprobe_parse_program(&arena, text, &def, &d) : kprobe_parse(&arena, text, &def, &d);

	if (err) {
		require(err == d.err && !def, "refused, but not quite", text);
		check_refusal(&d, text);
	} else if (def) {
		check_spans(def);
		def_print(def, &printed);
		if (way == PLAIN)		/* the others need not be read so again */
			check_again(buf_str(&printed), text, 0);
		def->from_tree = true;
		buf_reset(&printed);
		def_print(def, &printed);
		if (way == PLAIN)
			check_again(buf_str(&printed), text, 1);
	}
	buf_fini(&printed);
	diag_fini(&d);
	arena_fini(&arena);
}

/* Only what is in a module may be meant for a program that has this name. */
static bool may_be_program(const char *text)
{
	struct arena arena = { 0 };
	struct probe_def *def = NULL;
	struct diag d = { 0 };
	bool may = !kprobe_parse(&arena, text, &def, &d) && def && def->kind != DEF_REMOVE && def->probe == PROBE_KPROBE && def->place.module;

	diag_fini(&d);
	arena_fini(&arena);
	return may;
}

static void check_text(const char *text)
{
	check_way(text, PLAIN);
	if (may_be_program(text))
		check_way(text, IN_PROGRAM);
	check_way(text, IN_SOURCE);
}
