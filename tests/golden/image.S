// SPDX-License-Identifier: GPL-2.0-only
/*
 * image.S - a small model of a kernel: code with everything in it that bprobe looks for, and
 * the lists that a kernel keeps of it. Linked at a kernel's addresses; nm makes its kallsyms.
 * The layouts are those that bprobe assumes without BTF (there is none here).
 */
	.macro	function name
	.globl	\name
	.type	\name, @function
\name:
	.endm

	.macro	ftrace_site			// a nop, and a struct dyn_ftrace for it
77:	.byte	0x0f, 0x1f, 0x44, 0x00, 0x00
	.pushsection .data.records, "aw"
	.quad	77b, 0
	.popsection
	.endm

	.section .data.records, "aw"
records:
	.text
	.globl	_stext, _etext
_stext:
function plain
	ftrace_site				// +0
	push	%r12				// +5
	mov	%gs:0x12345678, %rbx		// +7
	call	leaf				// +16
	mov	$0x1122334455667788, %rax	// +21
	pop	%r12				// +31
	ret					// +33
function with_endbr
	endbr64					// +0
	ftrace_site				// +4
	xor	%eax, %eax			// +9
	ret					// +11
function sealed
	.byte	0x66, 0x0f, 0x1f, 0x00		// +0: what a sealed ENDBR is made into
	ftrace_site				// +4
	ret					// +9
function leaf
	ftrace_site
	ret
function traced
77:	call	ftrace_caller			// ftrace has put its call here
	.pushsection .data.records, "aw"
	.quad	77b, 0
	.popsection
	ret
function calls_at_entry				// a call of its own: no ftrace site
	call	leaf
	ret
function ftrace_caller
	ret
function notrace_fn
	push	%rbp
	pop	%rbp
	ret
function whole
	ftrace_site
	jne	whole.cold
	ret
whole.cold:					// goes by the whole function
	call	leaf
	jmp	whole
notrace_fn.cold:
	nop
	ret
function nokprobe_fn
	ftrace_site
	ret
function label_fn
	ftrace_site				// +0
label_site:
	jmp	1f				// +5: a static key
1:	xor	%eax, %eax			// +7
	ret
function key_first				// the nop is a static key's: no ftrace site
key_site:
	.byte	0x0f, 0x1f, 0x44, 0x00, 0x00
	ret
function static_fn
	ftrace_site				// +0
static_site:
	call	leaf				// +5: a static call
	ret					// +10
function bug_fn
	ftrace_site				// +0
bug_site:
	ud2					// +5
	ret					// +7
function padded
	ftrace_site				// +0
	ret					// +5
	int3					// +6: padding
	xor	%eax, %eax			// +7
	ret					// +9
function probed
	ftrace_site				// +0
probe_site:
	int3					// +5: another probe, of "mov %rdi, %rax"
	.byte	0x89, 0xf8
	ret					// +8
function optimised
	ftrace_site				// +0
optimised_site:
	.byte	0xe9				// +5: an optimised probe's jump, far from the kernel
	.long	0x10000000
	ret					// +10
function undecoded
	ftrace_site				// +0
	.byte	0x06, 0x90			// +5: no instruction in 64-bit mode
	ret
	.globl	__pfx_padded_in_front
__pfx_padded_in_front:
	nop
	nop
function padded_in_front
	ftrace_site
	ret
function __x64_sys_openat
	ftrace_site
	ret
function __x64_sys_getpid
	ftrace_site
	ret
function __bpf_prog_enter_recur			// what a trampoline calls, and what that calls
	call	tramp_called
	jmp	tramp_thunk
function __bpf_prog_exit_recur
	call	tramp_called + 4
	test	%eax, %eax
	jne	tramp_jumped_to
	call	__set_cpus_allowed_ptr
	ret
function tramp_called
	endbr64
	ftrace_site
	ret
function tramp_jumped_to
	ftrace_site
	call	tramp_second
	ret
function tramp_second
	ftrace_site
	jmp	tramp_third
function tramp_third
	ftrace_site
	call	tramp_deep
	ret
function tramp_deep				// deeper than bprobe looks
	ftrace_site
	ret
function __bpf_ringbuf_reserve			// under its lock
	call	tramp_locked
	ret
function tramp_locked
	ftrace_site
	ret
function two_params				// BTF has another function of its name, with one
	ftrace_site
	push	%r12
	mov	%rdi, %r12
	test	%rsi, %rsi
	ret
function tramp_thunk
	nop
	ret
function __set_cpus_allowed_ptr			// known to end, and so is all behind it
	ftrace_site
	call	tramp_ended
	ret
function tramp_ended
	ftrace_site
	ret
function never
	ftrace_site				// nothing calls it
	call	leaf
	call	plain
	jmp	with_endbr
function by_pointer
	ftrace_site				// a pointer in the data is all there is
	ret
function __within_notrace_func
	push	%rbx
	ret
function sys_unrelated				// no system call: no __x64_sys_unrelated
	ftrace_site
	ret
	.set	nr, 0
function calls_63				// as many as are looked at
	.rept	63
	call	called + nr
	.set	nr, nr + 1
	.endr
	ret
	.set	nr, 0
function calls_64
	.rept	64
	call	called + nr
	.set	nr, nr + 1
	.endr
	ret
function called
	.fill	64, 1, 0x90
	ret

	.globl	__noinstr_text_start, __noinstr_text_end, __entry_text_start, __entry_text_end
	.globl	__kprobes_text_start, __kprobes_text_end
__noinstr_text_start:
function noinstr_fn
	ret
__noinstr_text_end:
__entry_text_start:
function entry_fn
	ret
__entry_text_end:
__kprobes_text_start:
function kprobes_fn
	ret
__kprobes_text_end:
	call	sealed
	call	traced
	call	whole
	call	padded
	jmp	_stext
_etext:

	.section .data.records, "aw"
records_end:
	.section .rodata, "a"
	.globl	__start_rodata, __end_rodata
__start_rodata:
	.quad	0
__end_rodata:
	.data
	.globl	_sdata
_sdata:
	.globl	ftrace_pages_start
ftrace_pages_start:				// struct ftrace_page: next, records, index, order
	.quad	page1
page1:	.quad	page2, records
	.long	1, 0
page2:	.quad	0, records + 16
	.long	(records_end - records) / 16 - 1, 0

	.globl	some_data
some_data:
	.quad	1
pointers:					// to all functions but never and by_pointer
	.quad	plain, with_endbr, leaf, two_params, calls_at_entry, ftrace_caller, notrace_fn
	.quad	nokprobe_fn, label_fn, key_first, static_fn, bug_fn, probed, optimised, undecoded
	.quad	padded_in_front, __x64_sys_openat, __x64_sys_getpid, noinstr_fn, entry_fn, kprobes_fn
	.quad	sys_unrelated

	.globl	kprobe_blacklist, kprobe_table
kprobe_blacklist:				// struct list_head
	.quad	black1, black2
black1:	.quad	black2, kprobe_blacklist, nokprobe_fn, nokprobe_fn + 6
black2:	.quad	kprobe_blacklist, black1, __noinstr_text_start, __noinstr_text_end

kprobe_table:					// 64 hlist_heads
	.quad	kprobe1
	.fill	31, 8, 0
	.quad	kprobe2
	.fill	31, 8, 0
kprobe1: .quad	0, 0, 0, 0, 0, probe_site	// hlist_node, list_head, nmissed, addr
kprobe2: .quad	0, 0, 0, 0, 0, optimised_site

	.globl	__start___jump_table, __stop___jump_table, __start_static_call_sites
	.globl	__stop_static_call_sites, __start___bug_table, __stop___bug_table
__start___jump_table:
	.long	label_site - ., 0
	.quad	0
	.long	key_site - ., 0
	.quad	0
__stop___jump_table:
__start_static_call_sites:
	.long	static_site - ., 0
__stop_static_call_sites:
__start___bug_table:
	.long	bug_site - ., 0, 0
__stop___bug_table:

	.globl	__syscall_meta__openat, __syscall_meta__getpid
__syscall_meta__openat:				// name, number, nr_args, types, args
	.quad	name_openat
	.long	257, 4
	.quad	types_openat, args_openat
types_openat:
	.quad	type_int, type_text, type_int, type_mode
args_openat:
	.quad	arg_dfd, arg_filename, arg_flags, arg_mode
__syscall_meta__getpid:
	.quad	name_getpid
	.long	39, 0
	.quad	0, 0
name_openat:	.asciz	"sys_openat"
name_getpid:	.asciz	"sys_getpid"
type_int:	.asciz	"int"
type_text:	.asciz	"const char *"
type_mode:	.asciz	"umode_t"
arg_dfd:	.asciz	"dfd"
arg_filename:	.asciz	"filename"
arg_flags:	.asciz	"flags"
arg_mode:	.asciz	"mode"
	.balign 8
	.globl	__per_cpu_offset
__per_cpu_offset:
	.quad	percpu
	.globl	__init_begin, __init_end, __bss_stop, _end
__init_begin:
	// The first CPU's variables; their symbols count from 0, as up to 6.14.
	.globl	__per_cpu_start, entry_stack_storage, percpu_work, __per_cpu_end
	.set	__per_cpu_start, 0
	.set	entry_stack_storage, 16
	.set	percpu_work, 32
	.set	__per_cpu_end, 40
percpu:	.quad	0, 0
	.quad	0, never			// on the stack: what somebody once had in a register
	.quad	by_pointer
function register_ftrace_direct			// only its name counts: this kernel can have trampolines
	ret
function boot_fn				// nm calls it data: the makefile puts that right
	ftrace_site
	ret
__init_end:
__bss_stop:
_end:
