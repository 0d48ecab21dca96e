// SPDX-License-Identifier: GPL-2.0-only
/*
 * red.c - functions that keep a value below the stack pointer, beside nops, for truth.sh
 *
 *	red N		calls each N times, and prints how many calls returned a wrong value
 *
 * The functions are called red_*. At the labels red_*_nop is a nop of five bytes behind which others can come, so a probe cannot go there instead.
 */
#include <stdio.h>
#include <stdlib.h>

#define FUNCTION(name, body)								\
	"	.balign 64\n	.globl " name "\n	.type " name ", @function\n"		\
	name ":\n" body "	.size " name ", . - " name "\n"
#define NOP5	"	.byte 0x0f, 0x1f, 0x44, 0x00, 0x00\n"
#define KEEP	"	movq $42, -8(%rsp)\n"
#define RETURN	"	movq -8(%rsp), %rax\n	ret\n"

asm("	.text\n"
    FUNCTION("red_middle", KEEP NOP5 RETURN)
    FUNCTION("red_two", KEEP NOP5 NOP5 "	nop\n" RETURN)
    FUNCTION("red_entry", NOP5 KEEP "	nop\n" RETURN)
    FUNCTION("red_endbr", "	endbr64\n" NOP5 KEEP RETURN)
    FUNCTION("red_frame", "	push %rbp\n	mov %rsp, %rbp\n	sub $16, %rsp\n	movq $42, -8(%rbp)\n" NOP5
			   "	movq -8(%rbp), %rax\n	leave\n	ret\n")
    FUNCTION("red_loop", KEEP "	mov $3, %ecx\n	jmp 1f\n"
			  "	.globl red_loop_nop\nred_loop_nop:\n" NOP5 "1:	dec %ecx\n	jnz red_loop_nop\n" RETURN)
    FUNCTION("red_table", KEEP "	lea 1f(%rip), %rdx\n"
			   "	.globl red_table_nop\nred_table_nop:\n" NOP5 "	test %rdx, %rdx\n	jz 1f\n	jmp *%rdx\n1:\n" RETURN)
    FUNCTION("red_others", KEEP "	nop\n	xchg %ax, %ax\n	nopl (%rax)\n	.byte 0x0f, 0x1f, 0x40, 0\n	nopw 0(%rax,%rax,1)\n"
			    "	.byte 0x0f, 0x1f, 0x80, 0, 0, 0, 0\n	.byte 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0\n"
			    "	.byte 0x66, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0\n" RETURN));

long red_middle(void), red_two(void), red_entry(void), red_endbr(void), red_frame(void), red_loop(void), red_table(void), red_others(void);

int main(int argc, char **argv)
{
	static long (*const all[])(void) = { red_middle, red_two, red_entry, red_endbr, red_frame, red_loop, red_table, red_others };
	int calls = argc > 1 ? atoi(argv[1]) : 100;
	long bad = 0;

	for (int i = 0; i < calls; i++) {
		for (unsigned f = 0; f < sizeof(all) / sizeof(all[0]); f++)
			bad += all[f]() != 42;
	}
	printf("bad %ld\n", bad);
	return 0;
}
