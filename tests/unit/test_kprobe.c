// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_kprobe.c - the kprobe_events language: what is accepted and what it
 * means, what is refused and where the caret is.
 */
#include <errno.h>

#include "lang/kprobe.h"
#include "refused.h"
#include "tap.h"

#define ZEROS_50 "00000000000000000000000000000000000000000000000000"
#define ZEROS_249 ZEROS_50 ZEROS_50 ZEROS_50 ZEROS_50 "0000000000000000000000000000000000000000000000000"

static struct arena arena;

/* As text; expressions and types are printed from the tree, not as they were typed. */
static void dump(const struct probe_def *def, struct buf *out)
{
	for (unsigned i = 0; i < def->nr_args; i++) {
		const struct arg *arg = &def->args[i];

		buf_addf(out, "%s%s%s=", i ? " " : "", arg->name,
			 arg->name_provisional ? "?" : "");
		expr_print(arg->expr, out);
		if (arg->type.kind != TYPE_NONE) {
			buf_addc(out, ':');
			type_print(&arg->type, out);
		}
	}
}

/* The definition @text, or NULL; what went wrong in *d. */
static struct probe_def *parse(const char *text, struct diag *d, int *ret_err)
{
	static struct probe_def untouched;
	struct probe_def *def = &untouched;

	*ret_err = kprobe_parse(&arena, text, &def, d);
	if (!*ret_err)
		return def;
	CHECK(def == &untouched, "'%s' leaves the output alone", text);
	return NULL;
}

static const struct accepted {
	const char *text;
	const char *printed;	/* def_print() */
	const char *args;	/* dump() */
} accepted[] = {
	/* the head and names */
	{ "p vfs_read", "p:kprobes/p_vfs_read_0 vfs_read", "" },
	{ "  p:e\tvfs_read  ", "p:kprobes/e vfs_read", "" },
	{ "p vfs_read\n", "p:kprobes/p_vfs_read_0 vfs_read", "" },
	{ "r vfs_read", "r:kprobes/r_vfs_read_0 vfs_read", "" },
	{ "r16:e vfs_read", "r16:kprobes/e vfs_read", "" },
	{ "r0x10 vfs_read", "r16:kprobes/r_vfs_read_0 vfs_read", "" },
	{ "r010 vfs_read", "r8:kprobes/r_vfs_read_0 vfs_read", "" },
	{ "r4096 vfs_read", "r4096:kprobes/r_vfs_read_0 vfs_read", "" },
	{ "p:g/e f", "p:g/e f", "" },
	{ "p:g.e f", "p:g/e f", "" },
	{ "p:-g-r/_e1 f", "p:-g-r/_e1 f", "" },
	{ "p:g/ f+8", "p:g/p_f_8 f+8", "" },
	{ "p:g. f", "p:g/p_f_0 f", "" },
	{ "p:e f # %di", "p:kprobes/e f", "" },
	{ "p:e f %di#x", "p:kprobes/e f arg1=%di", "arg1=%di" },
	{ "p:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa f",
	  "p:kprobes/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa f", "" },
	/* the place */
	{ "p f+0x10", "p:kprobes/p_f_16 f+16", "" },
	{ "p f+010", "p:kprobes/p_f_8 f+8", "" },
	{ "p f-0", "p:kprobes/p_f_0 f", "" },
	{ "p f+4294967295", "p:kprobes/p_f_4294967295 f+4294967295", "" },
	{ "p m:f+1", "p:kprobes/p_m_f_1 m:f+1", "" },
	{ "p a.b:c*d-0", "p:kprobes/p_a_b_c_d_0 a.b:c*d", "" },
	{ "p f.isra.0", "p:kprobes/p_f_isra_0_0 f.isra.0", "" },
	{ "p f$x", "p:kprobes/p_f_x_0 f$x", "" },
	{ "p:e :f", "p:kprobes/e :f", "" },
	{ "p f:", "p:kprobes/p_f__0 f:", "" },
	{ "p f%return", "r:kprobes/r_f_0 f", "" },
	{ "r f+0%return", "r:kprobes/r_f_0 f", "" },
	{ "p 0xffffffff81445480", "p:kprobes/p_0xffffffff81445480 0xffffffff81445480", "" },
	{ "r 18446744071583290496",
	  "r:kprobes/r_0xffffffff8143d480 0xffffffff8143d480", "" },
	{ "p btrfs_this_is_a_very_long_module_name_to_get_truncated:and_a_very_long_symbol",
	  "p:kprobes/p_btrfs_this_is_a_very_long_module_name_to_get_truncated_and_a_ "
	  "btrfs_this_is_a_very_long_module_name_to_get_truncated:and_a_very_long_symbol", "" },
	/* what is fetched */
	{ "p:e f %di v=%orig_ax", "p:kprobes/e f arg1=%di v=%orig_ax", "arg1=%di v=%orig_ax" },
	{ "p:e f $stack $stack0 $stack01 $stack2048",
	  "p:kprobes/e f arg1=$stack arg2=$stack0 arg3=$stack01 arg4=$stack2048",
	  "arg1=$stack arg2=$stack0 arg3=$stack1 arg4=$stack2048" },
	{ "p:e f $comm $COMM:string", "p:kprobes/e f arg1=$comm arg2=$COMM:string",
	  "arg1=$comm arg2=$comm:string" },
	{ "r:e f $retval:s32", "r:kprobes/e f arg1=$retval:s32", "arg1=$retval:s32" },
	{ "r:e f $elapsed", "r:kprobes/e f elapsed=$elapsed", "elapsed=$elapsed" },
	{ "r:e f t=$elapsed:u32 $elapsed:x64 $arg1", "r:kprobes/e f t=$elapsed:u32 elapsed=$elapsed:x64 $arg1",
	  "t=$elapsed:u32 elapsed=$elapsed:x64 arg3?=$arg1" },
	{ "p:e f $elapsed", "p:kprobes/e f elapsed=$elapsed", "elapsed=$elapsed" },	/* with --pair */
	{ "p:e f%return $arg* $elapsed", "r:kprobes/e f $arg* elapsed=$elapsed", "arg1?=$arg* elapsed=$elapsed" },
	/* casts, as 7.3 has them; C's spelling is printed as the kernel's */
	{ "p:e f (a)%di->b c=(a_1,m)$arg1->b.c:u8", "p:kprobes/e f arg1=(a)%di->b c=(a_1,m)$arg1->b.c:u8",
	  "arg1=(a)%di->b c=(a_1,m)$arg1->b.c:u8" },
	{ "p:e f (a,b.c.d)x->y->z (a)(x->y)->z (a)(x)->y", "p:kprobes/e f arg1=(a,b.c.d)x->y->z arg2=(a)(x->y)->z arg3=(a)(x)->y",
	  "arg1=(a,b.c.d)x->y->z arg2=(a)(x->y)->z arg3=(a)x->y" },
	{ "p:e f (a)$stack->b (a)$stack2->b (a)@s->b (a)(@s-8)->b (a)@0x10->b (a)\\1->b",
	  "p:kprobes/e f arg1=(a)$stack->b arg2=(a)$stack2->b arg3=(a)@s->b arg4=(a)(@s-8)->b arg5=(a)@0x10->b arg6=(a)\\1->b",
	  "arg1=(a)$stack->b arg2=(a)$stack2->b arg3=(a)@s->b arg4=(a)(@s-8)->b arg5=(a)@0x10->b arg6=(a)\\1->b" },
	{ "p:e f (a)+8(%di)->b (a)-u8(x->y)->b +8((a)%di->b):string", "p:kprobes/e f arg1=(a)+8(%di)->b arg2=(a)-u8(x->y)->b "
	  "arg3=+8((a)%di->b):string", "arg1=(a)+8(%di)->b arg2=(a)-u8(x->y)->b arg3=+8((a)%di->b):string" },
	{ "r:e f (a)$retval->b", "r:kprobes/e f arg1=(a)$retval->b", "arg1=(a)$retval->b" },
	{ "p:e f+8 (a)((b)((c)%di->d)->c)->b", "p:kprobes/e f+8 arg1=(a)((b)((c)%di->d)->c)->b",
	  "arg1=(a)((b)((c)%di->d)->c)->b" },
	{ "p:e f+8 $current t=$current:u64 $current->a->b.c (a)$current->b", "p:kprobes/e f+8 arg1=$current t=$current:u64 "
	  "arg3=$current->a->b.c arg4=(a)$current->b", "arg1=$current t=$current:u64 arg3=$current->a->b.c arg4=(a)$current->b" },
	{ "p:e f (struct a)%di->b (struct a *)%si->b (union a*)%dx->b (const struct  a * , m )%cx->b (a *)%r8->b",
	  "p:kprobes/e f arg1=(a)%di->b arg2=(a)%si->b arg3=(a)%dx->b arg4=(a,m)%cx->b arg5=(a)%r8->b",
	  "arg1=(a)%di->b arg2=(a)%si->b arg3=(a)%dx->b arg4=(a,m)%cx->b arg5=(a)%r8->b" },
	{ "p:e f ((struct a *)%di)->b:u8 ((a)x->y)->z ((struct a *)((struct b *)$arg1)->c)->d ((a)(x))->y ((a)@s+8)->b",
	  "p:kprobes/e f arg1=(a)%di->b:u8 arg2=(a)(x->y)->z arg3=(a)((b)$arg1->c)->d arg4=(a)x->y arg5=(a)(@s+8)->b",
	  "arg1=(a)%di->b:u8 arg2=(a)(x->y)->z arg3=(a)((b)$arg1->c)->d arg4=(a)x->y arg5=(a)(@s+8)->b" },
	/* C: printed as typed; spaces are in parentheses and brackets only */
	{ "p:e f *p &p->m:u8 x=p->a[3].b y=p[i] %di+8 ((struct a *)(p->b + p->c))->d:u16 $arg1-1 z=a==b w=(a | 1)",
	  "p:kprobes/e f arg1=*p arg2=&p->m:u8 x=p->a[3].b y=p[i] arg5=%di+8 arg6=(a)(p->b + p->c)->d:u16 $arg1-1 z=a==b w=(a | 1)",
	  "arg1=*p arg2=&p->m:u8 x=p->a[3].b y=p[i] arg5=%di+8 arg6=(a)(p->b + p->c)->d:u16 arg7?=$arg1-1 z=a==b w=(a | 1)" },
	{ "p:e f+8 *(u32 *)(%di + 8*%si) +8(%di[3]) $current->a[$stack2].b",
	  "p:kprobes/e f+8 arg1=*(u32 *)(%di + 8*%si) arg2=+8(%di[3]) arg3=$current->a[$stack2].b",
	  "arg1=*(u32 *)(%di + 8*%si) arg2=+8(%di[3]) arg3=$current->a[$stack2].b" },
	{ "p:e f this_cpu_ptr(@a) this_cpu_read(@a+8):u8 +4(this_cpu_ptr(%di)) (a)this_cpu_ptr(@b)->c (a)this_cpu_read(x->y)->c this_cpu_ptr(@a)->b",
	  "p:kprobes/e f arg1=this_cpu_ptr(@a) arg2=this_cpu_read(@a+8):u8 arg3=+4(this_cpu_ptr(%di)) arg4=(a)this_cpu_ptr(@b)->c "
	  "arg5=(a)this_cpu_read(x->y)->c arg6=this_cpu_ptr(@a)->b",
	  "arg1=this_cpu_ptr(@a) arg2=this_cpu_read(@a+8):u8 arg3=+4(this_cpu_ptr(%di)) arg4=(a)this_cpu_ptr(@b)->c arg5=(a)this_cpu_read(x->y)->c "
	  "arg6=this_cpu_ptr(@a)->b" },
	{ "p:e f (struct a *)%di->b#c", "p:kprobes/e f arg1=(a)%di->b", "arg1=(a)%di->b" },
	{ "p:e f (structure_of_some_length,member_of_it.member)$arg1->a_longer_f",
	  "p:kprobes/e f arg1=(structure_of_some_length,member_of_it.member)$arg1->a_longer_f",
	  "arg1=(structure_of_some_length,member_of_it.member)$arg1->a_longer_f" },
	{ "r:e f $retval->a.b->c", "r:kprobes/e f arg1=$retval->a.b->c",
	  "arg1=$retval->a.b->c" },
	{ "p:e f @0x10 @010:u8 @sym @sym+0x10 @sym-1:string",
	  "p:kprobes/e f arg1=@0x10 arg2=@010:u8 arg3=@sym arg4=@sym+0x10 arg5=@sym-1:string",
	  "arg1=@0x10 arg2=@0x8:u8 arg3=@sym arg4=@sym+16 arg5=@sym-1:string" },
	{ "p:e f \\1 \\-1 \\+1 \\0x10 \\18446744073709551615",
	  "p:kprobes/e f arg1=\\1 arg2=\\-1 arg3=\\+1 arg4=\\0x10 arg5=\\18446744073709551615",
	  "arg1=\\1 arg2=\\-1 arg3=\\1 arg4=\\16 arg5=\\-1" },
	{ "p:e f \\\"a\"b\" v=\\\"a=b\" \\\"\":string",
	  "p:kprobes/e f arg1=\\\"a\"b\" v=\\\"a=b\" arg3=\\\"\":string",
	  "arg1=\\\"a\"b\" v=\\\"a=b\" arg3=\\\"\":string" },
	{ "p:e f +0(%si):string -0x10(%di) +u8(%dx):ustring -u1(%cx)",
	  "p:kprobes/e f arg1=+0(%si):string arg2=-0x10(%di) arg3=+u8(%dx):ustring arg4=-u1(%cx)",
	  "arg1=+0(%si):string arg2=-16(%di) arg3=+u8(%dx):ustring arg4=-u1(%cx)" },
	{ "p:e f ++8(%si) +-8(%si) +9223372036854775807(%di) -9223372036854775808(%di)",
	  "p:kprobes/e f arg1=++8(%si) arg2=+-8(%si) arg3=+9223372036854775807(%di) "
	  "arg4=-9223372036854775808(%di)",
	  "arg1=+8(%si) arg2=-8(%si) arg3=+9223372036854775807(%di) "
	  "arg4=-9223372036854775808(%di)" },
	{ "p:e f +0(+8(-u4(@sym+4)))", "p:kprobes/e f arg1=+0(+8(-u4(@sym+4)))",
	  "arg1=+0(+8(-u4(@sym+4)))" },
	/* the function's own variables */
	{ "p:e f dfd filename:ustring how->a.b->c",
	  "p:kprobes/e f dfd=dfd filename=filename:ustring arg3=how->a.b->c",
	  "dfd=dfd filename=filename:ustring arg3=how->a.b->c" },
	{ "p:e f file:%pd %di:%pD", "p:kprobes/e f arg1=file:%pd arg2=%di:%pD",
	  "arg1=file:%pd arg2=%di:%pD" },
	{ "p:e f $arg1 $arg2:x8 a=$arg3 +0($arg4)",
	  "p:kprobes/e f $arg1 $arg2:x8 a=$arg3 arg4=+0($arg4)",
	  "arg1?=$arg1 arg2?=$arg2:x8 a=$arg3 arg4=+0($arg4)" },
	{ "p:e f %di $arg* %si x=%dx y", "p:kprobes/e f arg1=%di $arg* %si x=%dx y=y",
	  "arg1=%di arg2?=$arg* arg3?=%si x=%dx y=y" },
	{ "p:e f $arg*:x64", "p:kprobes/e f $arg*", "arg1?=$arg*" },
	{ "p:e f $arg1:%pd", "p:kprobes/e f arg1=$arg1:%pd", "arg1=$arg1:%pd" },
	{ "p:e f+4 $arg1 x", "p:kprobes/e f+4 $arg1 x=x", "arg1?=$arg1 x=x" },
	{ "r:e f $arg* $retval", "r:kprobes/e f $arg* $retval", "arg1?=$arg* arg2?=$retval" },
	{ "p:e f a23456789012345678901234567890123", "p:kprobes/e f a23456789012345678901234567890123",
	  "a23456789012345678901234567890123=a23456789012345678901234567890123" },
	/* types */
	{ "p:e f %di:u8 %di:u16 %di:u32 %di:u64",
	  "p:kprobes/e f arg1=%di:u8 arg2=%di:u16 arg3=%di:u32 arg4=%di:u64",
	  "arg1=%di:u8 arg2=%di:u16 arg3=%di:u32 arg4=%di:u64" },
	{ "p:e f %di:s8 %di:s64 %di:x8 %di:x64 %di:char %di:symbol %di:symstr",
	  "p:kprobes/e f arg1=%di:s8 arg2=%di:s64 arg3=%di:x8 arg4=%di:x64 arg5=%di:char "
	  "arg6=%di:symbol arg7=%di:symstr",
	  "arg1=%di:s8 arg2=%di:s64 arg3=%di:x8 arg4=%di:x64 arg5=%di:char "
	  "arg6=%di:symbol arg7=%di:symstr" },
	{ "p:e f %di:b4@4/8 %di:b0x4@0x4/0x8 %di:b64@0/64",
	  "p:kprobes/e f arg1=%di:b4@4/8 arg2=%di:b0x4@0x4/0x8 arg3=%di:b64@0/64",
	  "arg1=%di:b4@4/8 arg2=%di:b4@4/8 arg3=%di:b64@0/64" },
	{ "p:e f +0(%si):u8[64] +0(%si):b4@4/8[0x4] +0(%si):ustring[2] +u0(%si):string[2]",
	  "p:kprobes/e f arg1=+0(%si):u8[64] arg2=+0(%si):b4@4/8[0x4] arg3=+0(%si):ustring[2] "
	  "arg4=+u0(%si):string[2]",
	  "arg1=+0(%si):u8[64] arg2=+0(%si):b4@4/8[4] arg3=+0(%si):ustring[2] "
	  "arg4=+u0(%si):string[2]" },
	{ "p:e f \\1:string \\1:string[2] @sym:symstr a->b:string a->b:u8[2] a:symstr",
	  "p:kprobes/e f arg1=\\1:string arg2=\\1:string[2] arg3=@sym:symstr arg4=a->b:string "
	  "arg5=a->b:u8[2] a=a:symstr",
	  "arg1=\\1:string arg2=\\1:string[2] arg3=@sym:symstr arg4=a->b:string "
	  "arg5=a->b:u8[2] a=a:symstr" },
	{ "p:e f %di:sb4@4/8 +0(%si):sb64@0/64 s.a s.b.c", "p:kprobes/e f arg1=%di:sb4@4/8 arg2=+0(%si):sb64@0/64 arg3=s.a arg4=s.b.c",
	  "arg1=%di:sb4@4/8 arg2=+0(%si):sb64@0/64 arg3=s.a arg4=s.b.c" },
	/* names of arguments */
	{ "p:e f comm=$comm _=%di x234567890123456789012345678901x=%si",
	  "p:kprobes/e f comm=$comm _=%di x234567890123456789012345678901x=%si",
	  "comm=$comm _=%di x234567890123456789012345678901x=%si" },
	{ "p:e f arg1=%si %di", "p:kprobes/e f arg1=%si arg2=%di", "arg1=%si arg2=%di" },
	/* limits: 255 bytes, 14 dereferences of a register, 13 of @ADDR, 12 of @SYM */
	{ "p:e f v=+" ZEROS_249 "(%si)", "p:kprobes/e f v=+" ZEROS_249 "(%si)",
	  "v=+0(%si)" },
	{ "p:e f +0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(%si)))))))))))))):u8",
	  "p:kprobes/e f arg1=+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(%si)))))))))))))):u8",
	  "arg1=+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(%si)))))))))))))):u8" },
	{ "p:e f +0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(@0)))))))))))))",
	  "p:kprobes/e f arg1=+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(@0)))))))))))))",
	  "arg1=+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(@0x0)))))))))))))" },
	{ "p:e f +0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(@_text))))))))))))",
	  "p:kprobes/e f arg1=+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(@_text))))))))))))",
	  "arg1=+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(@_text))))))))))))" },
	/* removal */
	{ "-:e", "-:e", "" },
	{ "-:g/e", "-:g/e", "" },
	{ "-:g/", "-:g/", "" },
	{ "-:e f+5  a=%di # x", "-:e f+5 a=%di", "" },
	/* programs: offsets as in uprobe_events (6.12, kernel/trace/trace_uprobe.c), and names */
	{ "p /bin/sh:0x1040", "p:uprobes/p_sh_0x1040 /bin/sh:0x0000000000001040", "" },
	{ "r /lib/lib-c.so.6:010 $retval", "r:uprobes/p_lib_0x8 /lib/lib-c.so.6:0x0000000000000008 arg1=$retval", "arg1=$retval" },
	{ "p /bin/sh:10%return", "r:uprobes/p_sh_0xa /bin/sh:0x000000000000000a", "" },
	{ "p:e /bin/sh:10(0x20)", "p:uprobes/e /bin/sh:0x000000000000000a(0x20)", "" },
	{ "p:e /bin/sh:10%return(0x20)", "r:uprobes/e /bin/sh:0x000000000000000a(0x20)", "" },
	{ "p:e /bin/sh:f name", "p:uprobes/e /bin/sh:f name=name", "name=name" },
	{ "p:e vfs_read:5 p->a.b[3]:u8 *q &z (*p).x (file)%di->f_mode", "p:kprobes/e vfs_read:5 arg1=p->a.b[3]:u8 arg2=*q arg3=&z arg4=(*p).x arg5=(file)%di->f_mode",
	  "arg1=p->a.b[3]:u8 arg2=*q arg3=&z arg4=(*p).x arg5=(file)%di->f_mode" },
	{ "p:e fs/read_write.c:5", "p:kprobes/e fs/read_write.c:5", "" },
	{ "p 3c59x.c:5", "p:kprobes/_3c59x_5 3c59x.c:5", "" },
	{ "p:e /a:b/sh:16", "p:uprobes/e /a:b/sh:0x0000000000000010", "" },
	{ "p:e libc.so.6:malloc+4", "p:uprobes/e libc.so.6:malloc+4", "" },
	{ "p libc.so.6:malloc", "p:uprobes/p_libc_malloc_0 libc.so.6:malloc", "" },
	{ "r libc.so.6:malloc", "r:uprobes/r_libc_malloc_0 libc.so.6:malloc", "" },
	{ "p:e ./a:ns::f(int,char)", "p:uprobes/e ./a:ns::f(int,char)", "" },
	{ "p:e ./a:ns::f(int*)+0x10", "p:uprobes/e ./a:ns::f(int*)+16", "" },
	{ "p:e ./a:ns::operator+", "p:uprobes/e ./a:ns::operator+", "" },
	{ "p:e ./a:f<(1+2)>+4", "p:uprobes/e ./a:f<(1+2)>+4", "" },
	{ "p:e ./a:f((+0(+0", "p:uprobes/e ./a:f((+0(", "" },
	{ "p:e ./a:f(0x30)", "p:uprobes/e ./a:f(0x30)", "" },
	{ "p /bin/p:prov:name", "p:uprobes/prov_name /bin/p:prov:name", "" },
	{ "p:e /bin/sh:1 %di @+0x10 @16:u8 $stack3000 +0(%si):string $comm", "p:uprobes/e /bin/sh:0x0000000000000001 arg1=%di "
	  "arg2=@+0x10 arg3=@16:u8 arg4=$stack3000 arg5=+0(%si):string arg6=$comm",
	  "arg1=%di arg2=@+0x10 arg3=@0x10:u8 arg4=$stack3000 arg5=+0(%si):string arg6=$comm" },
	{ "p:e /bin/sh:f $arg1 $arg7", "p:uprobes/e /bin/sh:f $arg1 $arg7", "arg1?=$arg1 arg2?=$arg7" },
	{ "p:e f +8(%ax,%dx,4) -8(,%cx,8):u8 +0(+8(%di,%si,1)):string", "p:kprobes/e f arg1=+8(%ax,%dx,4) arg2=-8(,%cx,8):u8 "
	  "arg3=+0(+8(%di,%si,1)):string", "arg1=+8(%ax,%dx,4) arg2=-8(,%cx,8):u8 arg3=+0(+8(%di,%si,1)):string" },
	{ "p:e /bin/sh:f n=$arg1:string", "p:uprobes/e /bin/sh:f n=$arg1:string", "n=$arg1:string" },
	/* functions, tracepoints, events: kernel/trace/trace_fprobe.c and trace_eprobe.c */
	{ "f vfs_read", "f:fprobes/vfs_read__entry vfs_read", "" },
	{ "f vfs_read%return", "f:fprobes/vfs_read__exit vfs_read%return", "" },
	{ "f8:e m:f%return", "f8:fprobes/e m:f%return", "" },
	{ "f 8021q:f", "f:fprobes/_8021q_f__entry 8021q:f", "" },
	{ "f:g/e f a=$retval", "f:g/e f%return a=$retval", "a=$retval" },
	{ "f:e f $stack1 @sym file", "f:fprobes/e f arg1=$stack1 arg2=@sym file=file", "arg1=$stack1 arg2=@sym file=file" },
	{ "t kfree", "t:tracepoints/kfree kfree", "" },
	{ "t 9p_x", "t:tracepoints/_9p_x 9p_x", "" },
	{ "t:e sched_switch $arg2 prev", "t:tracepoints/e sched_switch $arg2 prev=prev", "arg1?=$arg2 prev=prev" },
	{ "e sched.sched_switch", "e:eprobes/sched_switch sched.sched_switch", "" },
	{ "e:e sched/sched_switch p=$next_pid:s32 $comm c=$COMM:string", "e:eprobes/e sched.sched_switch p=$next_pid:s32 arg2=$comm "
	  "c=$COMM:string", "p=$next_pid:s32 arg2=$comm c=$COMM:string" },
	{ "e:e raw_syscalls.sys_enter $args $arg", "e:eprobes/e raw_syscalls.sys_enter arg1=$args arg2=$arg", "arg1=$args arg2=$arg" },
	{ "e:e a.b $current_temp $current->pid", "e:eprobes/e a.b arg1=$current_temp arg2=$current->pid", "arg1=$current_temp arg2=$current->pid" },
};

static void check_accepted(const struct accepted *c)
{
	struct buf printed = { 0 }, args = { 0 }, again = { 0 };
	struct diag d = { 0 };
	int err;
	struct probe_def *def = parse(c->text, &d, &err);

	if (!CHECK(def, "'%s' is accepted: %s", c->text, buf_str(&d.msg)))
		goto out;
	def_print(def, &printed);
	dump(def, &args);
	CHECK(!strcmp(buf_str(&printed), c->printed), "'%s' prints %s", c->text,
	      buf_str(&printed));
	CHECK(!strcmp(buf_str(&args), c->args), "'%s' has %s", c->text, buf_str(&args));
	def = parse(buf_str(&printed), &d, &err);
	if (def)
		def_print(def, &again);
	CHECK(!strcmp(buf_str(&printed), buf_str(&again)), "'%s' is printed alike again",
	      buf_str(&printed));
out:
	buf_fini(&printed);
	buf_fini(&args);
	buf_fini(&again);
	diag_fini(&d);
}

#define A32 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

static const struct refused refused[] = {
	/* the head */
	{ "^x:e^ f", -EINVAL, "starts with", "p FUNCTION" },
	{ "^P^ f", -EINVAL, "starts with", "small 'p'" },
	{ "^!e^", -EINVAL, "needs ':'", "-:e" },
	{ "^!^", -EINVAL, "needs ':'", "-:EVENT" },
	{ "!p:^^", -EINVAL, "no event name", "-:EVENT" },
	{ "!p:^/^e", -EINVAL, "no group name", NULL },
	{ "^ ^!p:e", -EINVAL, "before '!'", NULL },
	{ "p^^", -EINVAL, "nothing to probe", "p vfs_read" },
	{ "p:e^^", -EINVAL, "nothing to probe", "p:e vfs_read" },
	{ "p:a^^#b f", -EINVAL, "nothing to probe", "comment" },
	{ "printk^^", -EINVAL, "nothing to probe", "write: p printk" },
	{ "p^fo^:e f", -EINVAL, "'fo' after 'p'", "write p:e" },
	{ "r^-1^ f", -EINVAL, "'-1' after 'r'", NULL },
	{ "p^10^ f", -EINVAL, "only 'r'", "r10" },
	{ "p^1a^:e f%return", -EINVAL, "only 'r'", NULL },
	{ "r^0^ f", -EINVAL, "not a number", NULL },
	{ "r^1a111^ f", -EINVAL, "not a number", NULL },
	{ "r^4294967296^ f", -EINVAL, "not a number", NULL },
	{ "r^4097^:e f", -EINVAL, "too many", NULL },
	/* names */
	{ "p:^^ f", -EINVAL, "no event name", NULL },
	{ "p:^/^e f", -EINVAL, "no group name", NULL },
	{ "p:^.^e f", -EINVAL, "no group name", NULL },
	{ "p:^1g^/e f", -EINVAL, "bad group name", NULL },
	{ "p:^g.h^/e f", -EINVAL, "bad group name", NULL },
	{ "p:^" A32 A32 "^/e f", -EINVAL, "64 bytes", NULL },
	{ "p:^" A32 A32 "^ f", -EINVAL, "64 bytes", NULL },
	{ "p:ev.^1^ f", -EINVAL, "bad event name", NULL },
	{ "p:g/^e/f^ f", -EINVAL, "bad event name", NULL },
	{ "p:^e+1^ f", -EINVAL, "bad event name", NULL },
	{ "p:^\xc3\xa9^ f", -EINVAL, "bad event name", NULL },
	{ "r:^10^ f", -EINVAL, "bad event name", "r10:NAME" },
	/* the place */
	{ "p ^:e^ f", -EINVAL, "must follow the letter", "write p:e" },
	{ "p ^0^", -EINVAL, "no kernel code", NULL },
	{ "p ^0x1000^", -EINVAL, "no kernel code", NULL },
	{ "p ^0xffffffffffffffff^", -EINVAL, "no kernel code", NULL },
	{ "p ^0x1ffffffffffffffff^", -EINVAL, "64 bits", NULL },
	{ "p ^0xffffffff81000000+5^", -EINVAL, "'+5'", "SYMBOL+5" },
	{ "p ^0x1ffffffffffffffff+0^", -EINVAL, "'+0'", NULL },
	{ "p ^0x1ffffffffffffffff%return^", -EINVAL, "'%return'", NULL },
	{ "p ^0xffffffff81000000%return^", -EINVAL, "'%return'", "r 0xffffffff81000000" },
	{ "p:a f^;p:b^ g", -EINVAL, "';'", NULL },
	{ "p f^%hoge^", -EINVAL, "suffix", "%return" },
	{ "p f^%returnx^", -EINVAL, "suffix", NULL },
	{ "p ^f+^", -EINVAL, "not an offset", NULL },
	{ "p ^f+x^", -EINVAL, "not an offset", NULL },
	{ "p ^f+1-1^", -EINVAL, "not an offset", NULL },
	{ "p ^f-1^ x", -EINVAL, "points before", NULL },
	{ "p ^f+4294967296^", -EINVAL, "too large", NULL },
	{ "p ^-0^", -EINVAL, "no symbol", NULL },
	/* registers */
	{ "p f ^%rdi^", -EINVAL, "unknown register '%rdi'", "write %di" },
	{ "p f v=^%eax^", -EINVAL, "unknown register", "write %ax:u32" },
	{ "p f ^%RSP^:u8", -EINVAL, "unknown register", "write %sp" },
	{ "p f ^%r8d^", -EINVAL, "unknown register", "write %r8:u32" },
	{ "p f ^%al^", -EINVAL, "unknown register", "write %ax:u8" },
	{ "p f ^%flgas^", -EINVAL, "unknown register", "did you mean %flags" },
	{ "p f ^%none_reg^", -EINVAL, "unknown register", "%r15 " },
	{ "p f ^%^", -EINVAL, "unknown register", NULL },
	{ "p f ^%di,%si^", -EINVAL, "unknown register", "separated by spaces" },
	{ "p f +0(^%r16^)", -EINVAL, "unknown register", NULL },
	/* variables */
	{ "p f ^$retval^", -EINVAL, "no $retval", "r instead of p" },
	{ "r 0xffffffff81000000 ^$retval^", -EINVAL, "no $retval", "name instead" },
	{ "r f ^$retvalx^", -EINVAL, "unknown variable", "$retval" },
	{ "r 0xffffffff81000000 ^$elapsed^", -EINVAL, "no $elapsed", "name instead" },
	{ "r f ^$elapsedx^", -EINVAL, "unknown variable", "$elapsed" },
	{ "r f $elapsed^.x^", -EINVAL, "no fields", NULL },
	{ "r f +8(^$elapsed^)", -EINVAL, "cannot be dereferenced", "without" },
	{ "r f $elapsed:^b4@0/8^", -EINVAL, "cannot be 'b4@0/8'", "u64" },
	{ "r f $elapsed:^symbol^", -EINVAL, "cannot be 'symbol'", "u64" },
	{ "r f $elapsed:^%pd^", -EINVAL, "cannot be '%pd'", "u64" },
	{ "p f ^$stack2049^", -EINVAL, "$stack2048", NULL },
	{ "p f ^$stack0x1^", -EINVAL, "unknown variable", "decimal" },
	{ "p f ^$stackp^", -EINVAL, "unknown variable", NULL },
	{ "p f ^$stack99999999999999999999^", -EINVAL, "unknown variable", NULL },
	{ "p f ^$none^", -EINVAL, "unknown variable", NULL },
	{ "p f ^$Comm^", -EINVAL, "unknown variable", "did you mean $comm" },
	{ "p f v=^$^", -EINVAL, "unknown variable", NULL },
	{ "p f ^$arg0^", -EINVAL, "$arg1", NULL },
	{ "p f ^$arg2049^", -EINVAL, "$arg2048", NULL },
	{ "p f ^$arg^", -EINVAL, "unknown variable", NULL },
	{ "p f a=^$arg1->x^", -EINVAL, "unknown variable", "name, not its number" },
	{ "p f a=^$arg*^", -EINVAL, "whole arguments", "alone" },
	{ "p f +0(^$arg*^)", -EINVAL, "whole arguments", "alone" },
	{ "p f $arg* ^$arg*^", -EINVAL, "only once", NULL },
	{ "p f+20 ^$arg*^", -EINVAL, "entry or return", "f+20" },
	{ "p f+9 a=^$arg1^", -EINVAL, "entry or return", NULL },
	{ "p 0xffffffff81000000 ^count^", -EINVAL, "entry or return", "name instead" },
	{ "p f+9 ^count^", -EINVAL, "entry or return", "registers" },
	{ "p f file^-^.x", -EINVAL, "single '-'", "->" },
	/*
	 * Casts. The texts and places of 7.3 are in its selftests (kprobe_syntax_errors.tc): TYPECAST_REQ_FIELD, TOO_MANY_NESTED,
	 * TYPECAST_BAD_ARROW, NO_BTF_FIELD three times, TYPECAST_SYM_OFFSET.
	 */
	{ "p vfs_read arg1=(task_struct)file^^", -EINVAL, "needs a field", "(task_struct)file->FIELD" },
	{ "p vfs_read arg1=(a)((b)((c)(^(d)file^->d)->c)->b)->a", -E2BIG, "4 casts inside each other", NULL },
	{ "p vfs_read arg1=(task_struct,se^->^group_node)file->comm", -EINVAL, "not behind a pointer", "se.group_node" },
	{ "p vfs_read arg1=(task_struct,^->pid^)file->comm", -EINVAL, "not the name of a member", NULL },
	{ "p vfs_read arg1=(task_struct,^.^pid)file->comm", -EINVAL, "no name of a member", NULL },
	{ "p vfs_read arg1=(task_struct,^.^)file->comm", -EINVAL, "no name of a member", NULL },
	{ "p vfs_read arg1=(task_struct)^@symbol+10^->comm", -EINVAL, "only in parentheses", "(@symbol+10)" },
	{ "p f (a,b.^^)%di->c", -EINVAL, "no name of a member", NULL },
	{ "p f (a,^^)%di->c", -EINVAL, "no name of a member", NULL },
	{ "p f (a,b.^1^)%di->c", -EINVAL, "not the name of a member", NULL },
	{ "p f (^^)%di->c", -EINVAL, "no structure", "(STRUCT)ARG" },
	{ "p f (^^,b)%di->c", -EINVAL, "no structure", "(STRUCT)ARG" },
	{ "p f (^1a^)%di->c", -EINVAL, "not the name of a structure", "(STRUCT)ARG" },
	{ "p f (^a **^)%di->c", -EINVAL, "pointer to a pointer", "(STRUCT)ARG" },
	{ "p f (a%di->b^^", -EINVAL, "'(' is not closed", NULL },
	{ "p f (a)(%di->b^^", -EINVAL, "'(' is not closed", NULL },
	{ "p f ((a)%di->b^^", -EINVAL, "'(' is not closed", NULL },
	{ "p f (a)+8(%di->b^^", -EINVAL, "'+8(' is not closed", NULL },
	{ "p f (a)^^", -EINVAL, "nothing to cast", NULL },
	{ "p f (a)^->b^", -EINVAL, "nothing to cast", NULL },
	{ "p f (a)(^^)->b", -EINVAL, "nothing to fetch", NULL },
	{ "p f (a)^$comm^->b", -EINVAL, "is a text, not an address", "$current" },
	{ "p f (a)^\\\"b\"^->c", -EINVAL, "is a text, not an address", NULL },
	{ "r f (a)^$elapsed^->b", -EINVAL, "is a time", NULL },
	{ "p f (a)(^$arg*^)->b", -EINVAL, "whole arguments", NULL },
	{ "p f (a)((b)x^^)->c", -EINVAL, "needs a field", "(b)x->FIELD" },
	{ "p f (a)(b)^x->c^", -EINVAL, "needs a field", NULL },
	{ "p f (a)^%di.b^", -EINVAL, "unknown register", NULL },
	{ "p f ((a)%di)^.b^", -EINVAL, "needs a field", NULL },
	{ "p f (a)%di->b.^^", -EINVAL, "no field after '.'", NULL },
	{ "p f+8 (a)^$arg1^->b", -EINVAL, "only at the entry or return", NULL },
	{ "p f (a)^$retval^->b", -EINVAL, "no $retval", NULL },
	{ "p f $current.^x^", -EOPNOTSUPP, "not a structure", "$current->x" },
	{ "p f ^$currenta^", -EINVAL, "unknown variable", "$current?" },
	{ "p f $arg1:string $current:^symstr^", -EINVAL, "cannot print", NULL },
	{ "p f v=^+0" ZEROS_249 "(%si)^", -E2BIG, "256 bytes, at most 255", NULL },
	{ "p f +0(file)^.x^", -EINVAL, "after the last", "+8(...)" },
	{ "p f ^$arg1.x^", -EINVAL, "unknown variable", "$arg1" },
	{ "p f a=%di:^sb5@60/64^", -EINVAL, "bad bit-field", "sbWIDTH@OFFSET/SIZE" },
	{ "p f a=%di:^sb^", -EINVAL, "unknown type", "s8" },
	{ "p f a=+0(%di):^sb4@0/8[2]^", -EINVAL, "with a sign cannot be an array", "of its own" },
	{ "p f file->^^", -EINVAL, "no field", NULL },
	{ "p f file->a.^^", -EINVAL, "no field", NULL },
	{ "p f ^u0(%si)^", -EINVAL, "not a name", "write +u0(%si)" },
	{ "p f ^a,b^", -EINVAL, "not a name", "separated by spaces" },
	/* memory and constants */
	{ "p f ^@1x^", -EINVAL, "not a memory address", NULL },
	{ "p f ^@18446744073709551616^:u8", -ERANGE, "64 bits", NULL },
	{ "p f ^@+10^", -EINVAL, "in a file", NULL },
	{ "p f ^@^", -EINVAL, "no symbol", NULL },
	{ "p f ^@-10^", -EINVAL, "no symbol", NULL },
	{ "p f ^@sym+x^", -EINVAL, "not an offset", NULL },
	{ "p f @m:^sym^", -EINVAL, "unknown type", "@sym without the module" },
	{ "p f \\^x^", -EINVAL, "not a number", NULL },
	{ "p f \\^^", -EINVAL, "not a number", NULL },
	{ "p f \\^-^", -EINVAL, "not a number", NULL },
	{ "p f \\^18446744073709551616^", -ERANGE, "64 bits", NULL },
	{ "p f v=\\\"abc^^", -EINVAL, "not closed", NULL },
	{ "p f v=\\\"^^", -EINVAL, "not closed", NULL },
	{ "p f v=\\\"a^^ b\"", -EINVAL, "not closed", "cannot have a space" },
	/* dereferences */
	{ "p f ^+0@0)^", -EINVAL, "no '('", NULL },
	{ "p f ^+0^", -EINVAL, "no '('", NULL },
	{ "p f ^+0ab1^(@0)", -EINVAL, "not an offset", NULL },
	{ "p f ^+^(%si)", -EINVAL, "not an offset", "+0(...)" },
	{ "p f ^+u^(%si)", -EINVAL, "not an offset", NULL },
	{ "p f ^-+0^(%si)", -EINVAL, "not an offset", NULL },
	{ "p f ^+9223372036854775808^(%si)", -ERANGE, "64 bits", NULL },
	{ "p f +0(+0(@0^^)", -EINVAL, "not closed", NULL },
	{ "p f +0(%si^^", -EINVAL, "not closed", NULL },
	{ "p f +0(%si)^+10^", -EINVAL, "after the last ')'", NULL },
	{ "p f +0(+8(%si)^x^):u8", -EINVAL, "after the last ')'", NULL },
	{ "p f +0(^^)", -EINVAL, "nothing to fetch", NULL },
	{ "p f +0(^$comm^)", -EINVAL, "is a text", NULL },
	{ "p f +0(^\\\"x\"^)", -EINVAL, "is a text", NULL },
	{ "p f ^$comm^:%pd", -EINVAL, "is a text", NULL },
	{ "p f +0(^+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(@0)))))))))))))^)", -EINVAL, "deep",
	  "14 times" },
	{ "p f +0(^+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(@_text))))))))))))^)", -EINVAL, "deep",
	  NULL },
	{ "p f ^+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(@_text))))))))))))^:%pd", -EINVAL, "deep",
	  NULL },
	{ "p f +0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(@_a)))))))))))):^u8[2]^", -EINVAL, "deep",
	  NULL },
	/* C */
	{ "p f p->a[3^^", -EINVAL, "ends where ']'", NULL },
	{ "p f p->a[^]^", -EINVAL, "where a name, a number or '('", NULL },
	{ "p f x=a^/^b[0]", -EINVAL, "cannot divide", "'>>' divides" },
	{ "p f x=*a^&&^b", -EINVAL, "cannot evaluate '&&'", "filter" },
	{ "p f x=f[1]^(^2)", -EINVAL, "cannot call", NULL },
	{ "p f x=~^$comm^", -EINVAL, "is a text", NULL },
	{ "r f x=^$elapsed^<<1", -EINVAL, "cannot be calculated with", NULL },
	{ "p f x=^99999999999999999999^&a", -EINVAL, "64 bits", NULL },
	{ "p f+8 x=&^a^", -EINVAL, "known only at the entry", "%di" },
	{ "p f this_cpu_read(@a^^", -EINVAL, "not closed", NULL },
	{ "p ./a:f ^this_cpu_read(%di)^", -EINVAL, "no variables of the kernel's CPUs", NULL },
	{ "p f ^&1^", -EINVAL, "is a constant", "\\NUMBER" },
	{ "p f v=^1^", -EINVAL, "cannot be fetched", "\\1" },
	{ "p f v=^^:u8", -EINVAL, "nothing to fetch", NULL },
	/* types */
	{ "p f @11:^unknown_type^", -EINVAL, "unknown type", NULL },
	{ "p f %di:^^", -EINVAL, "no type", NULL },
	{ "p f %di:^:u8^", -EINVAL, "unknown type", NULL },
	{ "p f %di:^int^", -EINVAL, "unknown type", "s32" },
	{ "p f %di:^U8^", -EINVAL, "unknown type", "did you mean u8" },
	{ "p f %di:^sting^", -EINVAL, "unknown type", "did you mean string" },
	{ "p f +0(%si:^u8)^", -EINVAL, "unknown type", "last ')'" },
	{ "p f %di:^%pd[2]^", -EINVAL, "unknown type", NULL },
	{ "p f +0(@11):u8[10^^", -EINVAL, "not closed", NULL },
	{ "p f +0(@11):u8[10]^a^", -EINVAL, "after the array's", NULL },
	{ "p f +0(@11):u8[^10a^]", -EINVAL, "number of elements", NULL },
	{ "p f +0(@11):u8[^0^]", -EINVAL, "number of elements", NULL },
	{ "p f +0(@11):u8[^^]", -EINVAL, "number of elements", NULL },
	{ "p f +0(@11):u8[^65^]", -EINVAL, "up to 64", NULL },
	{ "p f $stack0:^string^", -EINVAL, "reads memory", "+0($stack0):string" },
	{ "p f a=$arg1:^string^", -EINVAL, "reads memory", NULL },
	{ "p f %si:^u8[2]^", -EINVAL, "reads memory", NULL },
	{ "p f dfd:^u8[2]^", -EINVAL, "reads memory", NULL },
	{ "p f +u0(%si):^u8[2]^", -EINVAL, "'+u'", NULL },
	{ "p f %di:^symstr[2]^", -EINVAL, "cannot be an array", "symbol[2]" },
	{ "p f \\1:^symstr^", -EINVAL, "symstr", NULL },
	{ "p f $stack:^symstr^", -EINVAL, "symstr", NULL },
	{ "p f +u0(%si):^symstr^", -EINVAL, "symstr", NULL },
	{ "r f a=$arg1:^symstr^", -EINVAL, "symstr", NULL },
	{ "p f @11:^b10@a/16^", -EINVAL, "bad bit-field", NULL },
	{ "p f @11:^b9@0/8^", -EINVAL, "bad bit-field", NULL },
	{ "p f @11:^b0@0/8^", -EINVAL, "bad bit-field", NULL },
	{ "p f @11:^b1@64/64^", -EINVAL, "bad bit-field", NULL },
	{ "p f @11:^b4@4/7^", -EINVAL, "unknown type", "bit-field" },
	{ "p f @11:^b4@4^", -EINVAL, "unknown type", "bit-field" },
	{ "p f $comm:^u8^", -EINVAL, "has the type 'string'", NULL },
	{ "p f $comm:^string[1]^", -EINVAL, "has the type 'string'", NULL },
	{ "p f a=\\\"abc\":^u8^", -EINVAL, "has the type 'string'", NULL },
	/* names of arguments, and limits */
	{ "p f ^x2345678901234567890123456789012x^=@11", -EINVAL, "33 bytes", NULL },
	{ "p f ^=^@11", -EINVAL, "no name", NULL },
	{ "p f ^var.1^=@11", -EINVAL, "bad argument name", NULL },
	{ "p f ^\\\"a^=b\"", -EINVAL, "bad argument name", "NAME=" },
	{ "p f v=@11 ^v^=@12", -EINVAL, "argument 1 is called 'v'", NULL },
	{ "p f arg2=%di ^%si^", -EINVAL, "called 'arg2'", "NAME=%si" },
	{ "p f %di ^arg1^=%si", -EINVAL, "called 'arg1'", NULL },
	{ "p f dfd=%di ^dfd^", -EINVAL, "called 'dfd'", NULL },
	{ "p f ^common_pid^=@11", -EINVAL, "already", NULL },
	{ "p f ^__probe_func^=@11", -EINVAL, "already", NULL },
	{ "p f a=^^", -EINVAL, "nothing to fetch", NULL },
	{ "p f ^$comm" ZEROS_249 "00^", -E2BIG, "256 bytes", NULL },
	{ "p f a=+0(%si):x64[64] b=+0(%si):x64[64] c=+0(%si):x64[64] d=+0(%si):x64[64] "
	  "e=+0(%si):x64[64] f=+0(%si):x64[64] g=^%si:u8^", -E2BIG, "3073 bytes", NULL },
	/* removal */
	{ "^ ^-:e", -EINVAL, "before '-'", NULL },
	{ "^-^", -EINVAL, "needs ':'", NULL },
	{ "^-e^", -EINVAL, "needs ':'", NULL },
	{ "-:^^", -EINVAL, "no event name", NULL },
	{ "-:^/^e", -EINVAL, "no group name", NULL },
	{ "-:^g.e^", -EINVAL, "no event", "-:g/e" },
	{ "-:g/^a/b^", -EINVAL, "no event", NULL },
	/* programs */
	{ "p:e ^/bin/sh^", -EINVAL, "which place in it", "/bin/sh:FUNCTION" },
	{ "p:e /bin/sh:^^", -EINVAL, "no function or offset", NULL },
	{ "p:e /bin/sh:^10a^", -EINVAL, "not an offset", NULL },
	{ "p:e /bin/sh:10(^1a^)", -EINVAL, "counter", NULL },
	{ "p:e /bin/sh:10(10^^", -EINVAL, "not closed", NULL },
	{ "p:e /bin/sh:10(10)^a^", -EINVAL, "behind the last", NULL },
	{ "p:e /bin/sh:10(10)^%return^", -EINVAL, "behind the last", "10%return(10)" },
	{ "p:e /bin/sh:10^%hoge^", -EINVAL, "suffix", NULL },
	{ "p:e /bin/sh:f^%hoge^", -EINVAL, "suffix", NULL },
	{ "-:^(a b)^", -EINVAL, "no event can be called", NULL },
	{ "p:e ^@0x10.c;w^", -EINVAL, "in front of '@'", NULL },
	{ "p:e ^f@;w^", -EINVAL, "behind '@'", NULL },
	{ "p:e f c=(a)(@^sb 5g^)->b", -EINVAL, "a space in it", NULL },
	{ "p:e /bin/sh:f+1^+0^", -EINVAL, "second offset", NULL },
	{ "p:e /bin/sh:f^(1)^(0)", -EINVAL, "once, at the end", NULL },
	{ "p:e /bin/sh:f^(1)^%return", -EINVAL, "once, at the end", NULL },
	{ "p:e /bin/sh:f^(1)^+0", -EINVAL, "once, at the end", NULL },
	{ "p:e /bin/sh:10 ^@+ab^", -EINVAL, "offset in the file", NULL },
	{ "p:e /bin/sh:10 ^@symbol^", -EINVAL, "a symbol", NULL },
	{ "p:e /bin/sh:10 $stack0:^symstr^", -EINVAL, "symstr", NULL },
	{ "p:e /bin/sh:10 %di:^symbol^", -EINVAL, "symbol", NULL },
	{ "p:e /bin/sh:10 %di:^%pd^", -EINVAL, "%pd", NULL },
	{ "p:e /bin/sh:f +0(%ax,%dx,^3^)", -EINVAL, "1, 2, 4 or 8", NULL },
	{ "p:e /bin/sh:f +0(^%ax,%dx^)", -EINVAL, "1, 2, 4 or 8", NULL },
	{ "p:e /bin/sh:f +0(%ax,^dx^,4)", -EINVAL, "not a register", NULL },
	{ "p:e /bin/sh:f +0(^%xx^,%dx,4)", -EINVAL, "unknown register", NULL },
	{ "p:e /bin/sh:f ^%ax,%dx,4^", -EINVAL, "unknown register", NULL },
	{ "f:e g +0(^%ax,%dx,4^)", -EINVAL, "registers", NULL },
	{ "p:e /bin/sh:f+4 ^$arg1^", -EINVAL, "known only", NULL },
	{ "p:e /bin/sh:10 ^$retval^", -EINVAL, "no $retval", NULL },
	{ "r^4^:e /bin/sh:10", -EINVAL, "number of instances", NULL },
	{ "p:e /bin/sh:^:name^", -EINVAL, "not a marker", NULL },
	{ "r:e /bin/sh:^prov:name^", -EINVAL, "not a marker", NULL },
	/* functions, tracepoints, events */
	{ "f^100^ vfs_read", -EINVAL, "only a return", "f100 FUNCTION%return" },
	{ "f^1a111^ vfs_read", -EINVAL, "number of instances", NULL },
	{ "f^100000^ vfs_read", -EINVAL, "too many", NULL },
	{ "f ^vfs_read+10^", -EINVAL, "never at an offset", "p vfs_read+10" },
	{ "f ^0xffffffff81000000^", -EINVAL, "not an address", NULL },
	{ "f ^/bin/sh:f^", -EINVAL, "place in a program", NULL },
	{ "f vfs_read ^%ax^", -EINVAL, "registers", NULL },
	{ "f vfs_read^%hoge^", -EINVAL, "suffix", NULL },
	{ "t kfree ^$retval^", -EINVAL, "no $retval", NULL },
	{ "t^100^ kfree", -EINVAL, "only a return", NULL },
	{ "t sched^:^sched_switch", -EINVAL, "not a tracepoint", "e sched.sched_switch" },

	/* what other tracers' users type: bpftrace, BCC, perf */
	{ "^uprobe:/bin/bash:readline^", -EINVAL, "word of bpftrace", "p /bin/bash:readline\n" },
	{ "^u:./a.out:main^", -EINVAL, "word of bpftrace", "p ./a.out:main\n" },
	{ "^uprobe:bash:\"main\"^ { }", -EINVAL, "word of bpftrace", "p /usr/bin/bash:main\n" },
	{ "^uprobe:libc:malloc+4^", -EINVAL, "word of bpftrace", "p libc.so.6:malloc+4\n" },
	{ "^uretprobe:/bin/sh:cpp:\"a::b(int)\"^", -EINVAL, "word of bpftrace", "r /bin/sh:a::b(int)\n" },
	{ "^usdt:/bin/p:prov:name^", -EINVAL, "word of bpftrace", "p /bin/p:prov:name\n" },
	{ "^U:/bin/p:name^", -EINVAL, "word of bpftrace", "p /bin/p:*:name\n" },
	{ "^tracepoint:sched:sched_switch^ { @ = 1; }", -EINVAL, "word of bpftrace", "e sched.sched_switch\n" },
	{ "^tracepoint:syscalls:sys_exit_read^", -EINVAL, "word of bpftrace", "e syscalls.sys_exit_read\nhelp: or r sys_read $retval\n" },
	{ "^rawtracepoint:sched_switch^", -EINVAL, "word of bpftrace", "t sched_switch\n" },
	{ "^rt:xfs:xfs_x^", -EINVAL, "word of bpftrace", "t xfs_x\n" },
	{ "^tp_btf:sched_switch^", -EINVAL, "word of bpftrace", "t sched_switch\n" },
	{ "^sched:sched_switch^", -EINVAL, "no letter in front", "e sched.sched_switch\n" },
	{ "^ext4/ext4_sync_fs^", -EINVAL, "no letter in front", "e ext4.ext4_sync_fs\n" },
	{ "^a:b^", -EINVAL, "no letter in front", "help: if it is a module's function: p a:b\nhelp: if it is a program's: p /usr/bin/a:b\n" },
	{ "^probe_libc:malloc^", -EINVAL, "no letter in front", "p libc.so.6:malloc\n" },
	{ "^probe_bash:f__return^", -EINVAL, "no letter in front", "r /usr/bin/bash:f\n" },
	{ "^uprobe:libssl:SSL_read^", -EINVAL, "word of bpftrace", "p libssl.so:SSL_read\n" },
	{ "^probe:vfs_read^", -EINVAL, "no letter in front", "p vfs_read\n" },
	{ "^sdt_python:gc__start^", -EINVAL, "no letter in front", "p PATH:python:gc__start" },
	{ "^/bin/bash:f^", -EINVAL, "place in a program", "p /bin/bash:f\nhelp: for the function's return: r /bin/bash:f\n" },
	{ "^libc.so.6:malloc^", -EINVAL, "place in a program", "p libc.so.6:malloc\n" },
	{ "p^^", -EINVAL, "nothing to probe", NULL },
	{ "t:^^", -EINVAL, "nothing to probe", NULL },
	{ "p:c:^^", -EINVAL, "nothing to probe", NULL },
	{ "^p:c:malloc^", -EINVAL, "a blank is between", "p libc.so.6:malloc, or of a module: p c:malloc" },
	{ "^r:/bin/sh:main^", -EINVAL, "a blank is between", "r /bin/sh:main\n" },
	{ "^t:sched:sched_switch^", -EINVAL, "a blank is between", "e sched.sched_switch\n" },
	{ "^interval:s:1^ { }", -EINVAL, "no equal", "t TRACEPOINT" },
	{ "t kfree^%return^", -EINVAL, "no return", NULL },
	{ "t kfree ^%rax^", -EINVAL, "registers", NULL },
	{ "e ^a.^", -EINVAL, "not an event", NULL },
	{ "e ^.b^", -EINVAL, "not an event", NULL },
	{ "e ^a^", -EINVAL, "not an event", "GROUP.EVENT" },
	{ "e ^a:b^", -EINVAL, "not an event", "a.b" },
	{ "e:foo/bar syscalls/sys_enter_openat arg=^dfd^", -EINVAL, "cannot be fetched", "$dfd" },
	{ "e:e a.b ^%di^", -EINVAL, "registers", NULL },
	{ "e:e a.b ^$^", -EINVAL, "not the name of a field", NULL },
	{ "e:e a.b $f:^%pd^", -EINVAL, "%pd", NULL },
};

static void test_spans(void)
{
	static const char text[] = "r8:g/e m:f+0x10%return v=+8(a->b):x8[2] %si";
	struct diag d = { 0 };
	int err;
	struct probe_def *def = parse(text, &d, &err);
	const struct {
		const char *what;
		struct span at;
		const char *expect;
	} spans[] = {
		{ "head", def->head_at, "r8:g/e" },
		{ "maxactive", def->maxactive_at, "8" },
		{ "group", def->group_at, "g" },
		{ "event", def->event_at, "e" },
		{ "place", def->place.at, "m:f+0x10" },
		{ "module", def->place.module_at, "m" },
		{ "symbol", def->place.symbol_at, "f" },
		{ "offset", def->place.off_at, "+0x10" },
		{ "argument", def->args[0].at, "v=+8(a->b):x8[2]" },
		{ "its name", def->args[0].name_at, "v" },
		{ "its body", def->args[0].body_at, "+8(a->b):x8[2]" },
		{ "its type", def->args[0].type.at, "x8[2]" },
		{ "its count", def->args[0].type.count_at, "2" },
		{ "its expression", def->args[0].expr->at, "+8(a->b)" },
		{ "the inner one", def->args[0].expr->inner->at, "a->b" },
		{ "the field", def->args[0].expr->inner->name_at, "b" },
		{ "the variable", def->args[0].expr->inner->inner->at, "a" },
		{ "a name not typed", def->args[1].name_at, "" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(spans); i++)
		CHECK(spans[i].at.len == strlen(spans[i].expect) &&
		      !memcmp(def->text + spans[i].at.off, spans[i].expect, spans[i].at.len),
		      "span of the %s", spans[i].what);
	CHECK(def->kind == DEF_RETURN && def->suffix_return && def->maxactive == 8 &&
	      def->place.off == 16, "the rest of '%s'", text);
	diag_fini(&d);
}

/* An empty line is no error, and gives no definition. */
static void test_blank(void)
{
	static const char *const blank[] = { "", " ", "\t\n", "# p f", "  # x", "#" };

	for (size_t i = 0; i < ARRAY_SIZE(blank); i++) {
		struct diag d = { 0 };
		int err;

		CHECK(!parse(blank[i], &d, &err) && !err, "blank text %zu", i);
		diag_fini(&d);
	}
}

/* The error of "p:e f" followed by @count times @word. */
static int parse_repeated(const char *word, unsigned count, struct diag *d)
{
	struct buf text = { 0 };
	int err;

	buf_adds(&text, "p:e f");
	for (unsigned i = 0; i < count; i++)
		buf_addf(&text, " %s", word);
	parse(buf_str(&text), d, &err);
	buf_fini(&text);
	return err;
}

static void test_limits(void)
{
	struct diag d = { 0 };
	struct buf text = { 0 };
	int err;

	CHECK(!parse_repeated("%di", 128, &d), "128 arguments fit");
	CHECK(parse_repeated("%di", 129, &d) == -E2BIG && d.at.off == 5 + 4 * 128 + 1 &&
	      d.at.len == 3, "the 129th argument does not");
	buf_adds(&text, "p:e f #");
	buf_pad(&text, 'c', 4094 - text.len);
	parse(buf_str(&text), &d, &err);
	CHECK(!err, "a line of 4094 bytes fits");
	buf_addc(&text, 'c');
	parse(buf_str(&text), &d, &err);
	CHECK(err == -EINVAL && !d.text, "a line of 4095 bytes does not, and is not shown");
	buf_reset(&text);
	buf_adds(&text, "p:e f ");
	buf_pad(&text, '(', 1 << 24);
	parse(buf_str(&text), &d, &err);
	CHECK(err == -EINVAL, "16 MiB of parentheses");
	parse("p f\np g", &d, &err);
	CHECK(err == -EINVAL && !d.text, "two lines are not one definition");
	buf_fini(&text);
	diag_fini(&d);
}

/* A typed text may have any bytes; a message shows them in a harmless form. */
static void test_odd_bytes(void)
{
	struct diag d = { 0 };
	struct buf out = { 0 };
	int err;

	for (int c = 1; c < 256; c++) {
		char text[] = { 'p', ' ', 'f', ' ', '%', (char)c, 'x', (char)c, '\0' };

		kprobe_parse(&arena, text, &(struct probe_def *){ NULL }, &d);
	}
	parse("p f %\x1b[31m", &d, &err);
	diag_format(&d, "bprobe", &out);
	CHECK(err == -EINVAL && !strchr(buf_str(&out), 0x1b), "no escape sequence in a message");
	parse("\x01\x02", &d, &err);
	buf_reset(&out);
	diag_format(&d, "bprobe", &out);
	CHECK(err == -EINVAL && !strpbrk(buf_str(&out), "\x01\x02"), "no control byte either");
	buf_fini(&out);
	diag_fini(&d);
}

int main(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(accepted); i++)
		check_accepted(&accepted[i]);
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++)
		check_refused(&arena, kprobe_parse, &refused[i]);
	test_spans();
	test_blank();
	test_limits();
	test_odd_bytes();
	arena_fini(&arena);
	return tap_done();
}
