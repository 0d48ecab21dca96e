// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_insn.c - lengths, flows and targets of instructions, worked out by hand.
 *
 * From the Intel SDM (vol. 2: 2.1 to 2.7 the encoding, appendix A the maps), the AMD APM
 * (vol. 3) for XOP and 3DNow!, and the APX specification. tests/insn/proof.sh compares the
 * decoder with two others; here is what it should say according to the manuals.
 */
#include "arch/insn.h"
#include "tap.h"

struct insn_case {
	const char *hex;	/* the instruction; what follows it must not matter */
	uint8_t flow;
	int32_t rel;
	const char *what;
};

/* Each digit is written, so the length follows from the string. */
static const struct insn_case cases[] = {
	{ "90", INSN_NEXT, 0, "nop" },
	{ "f390", INSN_NEXT, 0, "pause" },
	{ "c9", INSN_NEXT, 0, "leave" },
	{ "f4", INSN_NEXT, 0, "hlt" },
	{ "f1", INSN_NEXT, 0, "int1" },
	{ "cd80", INSN_NEXT, 0, "int imm8" },
	{ "6a01", INSN_NEXT, 0, "push imm8" },
	{ "e6ff", INSN_NEXT, 0, "out" },
	{ "c8100001", INSN_NEXT, 0, "enter: imm16, imm8" },
	{ "4155", INSN_NEXT, 0, "push %r13" },

	/* ModRM, SIB and displacements (SDM 2.1.5, tables 2-2 and 2-3). */
	{ "8bc1", INSN_NEXT, 0, "mod 3" },
	{ "8bc4", INSN_NEXT, 0, "mod 3, rm 4: no SIB byte" },
	{ "8b01", INSN_NEXT, 0, "mod 0" },
	{ "8b0511223344", INSN_NEXT, 0, "mod 0, rm 5: rip and disp32" },
	{ "418b0511223344", INSN_NEXT, 0, "so with REX.B" },
	{ "8b4110", INSN_NEXT, 0, "mod 1" },
	{ "8b4510", INSN_NEXT, 0, "mod 1, rm 5" },
	{ "8b8111223344", INSN_NEXT, 0, "mod 2" },
	{ "8b0424", INSN_NEXT, 0, "SIB" },
	{ "8b042511223344", INSN_NEXT, 0, "SIB, mod 0, base 5: disp32" },
	{ "438b042511223344", INSN_NEXT, 0, "so with REX.B" },
	{ "8b442510", INSN_NEXT, 0, "SIB, mod 1, base 5: disp8" },
	{ "8b442410", INSN_NEXT, 0, "SIB, mod 1" },
	{ "8b84e511223344", INSN_NEXT, 0, "SIB, mod 2, base 5" },
	{ "678b0424", INSN_NEXT, 0, "67 has no 16-bit addresses in 64-bit mode" },
	{ "0f20c0", INSN_NEXT, 0, "mov %cr0, %rax" },
	{ "0f2004", INSN_NEXT, 0, "mov with %cr heeds no mod: no SIB byte" },
	{ "0f2380", INSN_NEXT, 0, "nor a displacement" },

	/* Operand sizes: 66 makes it 16 bits, unless there is a REX.W. */
	{ "0511223344", INSN_NEXT, 0, "add imm32, %eax" },
	{ "66051122", INSN_NEXT, 0, "add imm16, %ax" },
	{ "480511223344", INSN_NEXT, 0, "add imm32, %rax" },
	{ "66480511223344", INSN_NEXT, 0, "66 and REX.W" },
	{ "b811223344", INSN_NEXT, 0, "mov imm32, %eax" },
	{ "66b81122", INSN_NEXT, 0, "mov imm16, %ax" },
	{ "48b81122334455667788", INSN_NEXT, 0, "mov imm64, %rax" },
	{ "6649b81122334455667788", INSN_NEXT, 0, "66 and REX.W: imm64" },
	{ "4866b81122", INSN_NEXT, 0, "REX before 66 is no REX" },
	{ "4840b811223344", INSN_NEXT, 0, "of two REX the last counts" },
	{ "482eb811223344", INSN_NEXT, 0, "REX before a segment is none" },
	{ "b0ff", INSN_NEXT, 0, "mov imm8" },
	{ "48b0ff", INSN_NEXT, 0, "with REX.W, too" },
	{ "6811223344", INSN_NEXT, 0, "push imm32" },
	{ "66681122", INSN_NEXT, 0, "push imm16" },
	{ "69c011223344", INSN_NEXT, 0, "imul imm32" },
	{ "6669c01122", INSN_NEXT, 0, "imul imm16" },
	{ "6bc001", INSN_NEXT, 0, "imul imm8" },
	{ "48c7c0ffffffff", INSN_NEXT, 0, "mov imm32 sign-extended" },
	{ "66c7001122", INSN_NEXT, 0, "movw imm16" },
	{ "c60011", INSN_NEXT, 0, "movb imm8" },
	{ "a01122334455667788", INSN_NEXT, 0, "moffs: 64 bits" },
	{ "67a111223344", INSN_NEXT, 0, "moffs with 67: 32 bits" },
	{ "66a31122334455667788", INSN_NEXT, 0, "moffs heeds no 66" },
	{ "48a11122334455667788", INSN_NEXT, 0, "nor REX.W" },
	{ "c1e004", INSN_NEXT, 0, "shl imm8" },
	{ "d1e0", INSN_NEXT, 0, "shl 1" },

	/* Group 3: only test has an immediate, and /1 is test as well. */
	{ "f6c001", INSN_NEXT, 0, "testb imm8" },
	{ "f6c801", INSN_NEXT, 0, "testb imm8, as /1" },
	{ "f6d0", INSN_NEXT, 0, "notb" },
	{ "f7c011223344", INSN_NEXT, 0, "test imm32" },
	{ "66f7c01122", INSN_NEXT, 0, "test imm16" },
	{ "48f7c011223344", INSN_NEXT, 0, "test imm32, %rax" },
	{ "f704251122334455667788", INSN_NEXT, 0, "test imm32, disp32" },
	{ "f7f1", INSN_NEXT, 0, "div" },

	/* Flows. Targets are signed and count from the end. */
	{ "e878563412", INSN_CALL, 0x12345678, "call" },
	{ "e8fbffffff", INSN_CALL, -5, "call of itself" },
	{ "66e8fbffffff", INSN_CALL, -5, "call heeds no 66 on Intel" },
	{ "48e8fbffffff", INSN_CALL, -5, "call with REX.W" },
	{ "2ee8fbffffff", INSN_CALL, -5, "call with a prefix for padding" },
	{ "e900000080", INSN_JMP, INT32_MIN, "jmp rel32" },
	{ "ebfe", INSN_JMP, -2, "jmp rel8 to itself" },
	{ "eb7f", INSN_JMP, 127, "jmp rel8" },
	{ "2ee9ffffff7f", INSN_JMP, INT32_MAX, "jmp with a prefix for padding" },
	{ "7580", INSN_JCC, -128, "jne rel8" },
	{ "3e7410", INSN_JCC, 16, "je with a hint" },
	{ "0f8400010000", INSN_JCC, 256, "je rel32" },
	{ "660f8400010000", INSN_JCC, 256, "heeds no 66 on Intel" },
	{ "e2fe", INSN_JCC, -2, "loop" },
	{ "e302", INSN_JCC, 2, "jrcxz" },
	{ "67e302", INSN_JCC, 2, "jecxz" },
	{ "c7f810000000", INSN_JCC, 16, "xbegin" },
	{ "66c7f8f0ff", INSN_JCC, -16, "xbegin rel16" },
	{ "ffd0", INSN_CALL_INDIRECT, 0, "call *%rax" },
	{ "41ffd3", INSN_CALL_INDIRECT, 0, "call *%r11" },
	{ "ff1511223344", INSN_CALL_INDIRECT, 0, "call *disp(%rip)" },
	{ "ff14c511223344", INSN_CALL_INDIRECT, 0, "call *table(,%rax,8)" },
	{ "48ff18", INSN_CALL_INDIRECT, 0, "far call" },
	{ "ffe0", INSN_JMP_INDIRECT, 0, "jmp *%rax" },
	{ "3effe0", INSN_JMP_INDIRECT, 0, "notrack jmp *%rax" },
	{ "ff24c511223344", INSN_JMP_INDIRECT, 0, "jmp *table(,%rax,8)" },
	{ "48ff6808", INSN_JMP_INDIRECT, 0, "far jmp" },
	{ "ff30", INSN_NEXT, 0, "push" },
	{ "ffc0", INSN_NEXT, 0, "inc" },
	{ "c3", INSN_RET, 0, "ret" },
	{ "f3c3", INSN_RET, 0, "rep ret" },
	{ "c20800", INSN_RET, 0, "ret imm16" },
	{ "cb", INSN_RET, 0, "far ret" },
	{ "48ca0800", INSN_RET, 0, "far ret imm16" },
	{ "48cf", INSN_RET, 0, "iretq" },
	{ "480f07", INSN_RET, 0, "sysretq" },
	{ "480f35", INSN_RET, 0, "sysexit" },
	{ "0faa", INSN_RET, 0, "rsm" },
	{ "f20f01ca", INSN_RET, 0, "erets" },
	{ "f30f01ca", INSN_RET, 0, "eretu" },
	{ "f30f01ec", INSN_RET, 0, "uiret" },
	{ "0f01ca", INSN_NEXT, 0, "clac" },
	{ "0f05", INSN_NEXT, 0, "syscall" },
	{ "0f01f8", INSN_NEXT, 0, "swapgs" },
	{ "cc", INSN_BREAKPOINT, 0, "int3" },
	{ "0f0b", INSN_UNDEFINED, 0, "ud2" },
	{ "0fb9c0", INSN_UNDEFINED, 0, "ud1" },
	{ "670fb94010", INSN_UNDEFINED, 0, "ud1 with an address, as for UBSan traps" },
	{ "0fffc0", INSN_UNDEFINED, 0, "ud0 with ModRM, as Intel has it" },
	{ "d6", INSN_UNDEFINED, 0, "udb" },

	/* What compilers and the kernel use as padding and as marks. */
	{ "f30f1efa", INSN_NEXT, 0, "endbr64" },
	{ "6690", INSN_NEXT, 0, "two-byte nop" },
	{ "0f1f00", INSN_NEXT, 0, "three-byte nop" },
	{ "0f1f440000", INSN_NEXT, 0, "five-byte nop" },
	{ "660f1f440000", INSN_NEXT, 0, "six-byte nop" },
	{ "0f1f8000000000", INSN_NEXT, 0, "seven-byte nop" },
	{ "662e0f1f840000000000", INSN_NEXT, 0, "ten-byte nop" },
	{ "66662e0f1f840000000000", INSN_NEXT, 0, "eleven-byte nop" },
	{ "65488b042528000000", INSN_NEXT, 0, "mov %gs:0x28" },
	{ "f0480fb10f", INSN_NEXT, 0, "lock cmpxchg" },
	{ "f3a4", INSN_NEXT, 0, "rep movsb" },

	/* Two-byte and three-byte maps. */
	{ "0fa2", INSN_NEXT, 0, "cpuid" },
	{ "0fba2810", INSN_NEXT, 0, "bts imm8" },
	{ "0fa4c110", INSN_NEXT, 0, "shld imm8" },
	{ "0fa5c1", INSN_NEXT, 0, "shld %cl" },
	{ "660fc2c100", INSN_NEXT, 0, "cmppd imm8" },
	{ "660f70c01b", INSN_NEXT, 0, "pshufd imm8" },
	{ "0f77", INSN_NEXT, 0, "emms" },
	{ "480fc8", INSN_NEXT, 0, "bswap" },
	{ "0f0fc1bf", INSN_NEXT, 0, "3DNow!: the opcode is last" },
	{ "0f0f4410109e", INSN_NEXT, 0, "and behind SIB and displacement" },
	{ "0f78c1", INSN_NEXT, 0, "vmread" },
	{ "660f78c00102", INSN_NEXT, 0, "extrq: two imm8" },
	{ "f20f78c00102", INSN_NEXT, 0, "insertq: two imm8" },
	{ "0f79c1", INSN_NEXT, 0, "vmwrite" },
	{ "f30fb8c1", INSN_NEXT, 0, "popcnt" },
	{ "f20f00f7", INSN_NEXT, 0, "lkgs" },
	{ "660f38cf00", INSN_NEXT, 0, "0F 38" },
	{ "f2480f38f1c0", INSN_NEXT, 0, "crc32" },
	{ "660f3a0fc108", INSN_NEXT, 0, "0F 3A: imm8" },
	{ "8f00", INSN_NEXT, 0, "pop" },

	/* VEX: c5 and one byte, c4 and two (SDM 2.3.5). */
	{ "c5f877", INSN_NEXT, 0, "vzeroupper: no ModRM" },
	{ "c5f5fec1", INSN_NEXT, 0, "vpaddd" },
	{ "c5f5fe0511223344", INSN_NEXT, 0, "vpaddd disp32(%rip)" },
	{ "c5f970c01b", INSN_NEXT, 0, "vpshufd imm8" },
	{ "c5f9c5c001", INSN_NEXT, 0, "vpextrw imm8" },
	{ "c4e17877", INSN_NEXT, 0, "c4 with map 1" },
	{ "c4e2f1f7c1", INSN_NEXT, 0, "shlx: map 2" },
	{ "c4e37d39c101", INSN_NEXT, 0, "vextracti128: map 3, imm8" },
	{ "c4e37b4b04251122334455", INSN_NEXT, 0, "SIB, disp32 and imm8" },
	{ "c4e77bf8c078563412", INSN_NEXT, 0, "urdmsr: map 7, imm32" },
	{ "2ec5f877", INSN_NEXT, 0, "VEX behind a segment" },
	{ "482ec5f877", INSN_NEXT, 0, "and behind a REX that is none" },

	/* EVEX: 62 and three bytes; displacements of 8 bits are scaled, not longer. */
	{ "62f17c481000", INSN_NEXT, 0, "vmovups" },
	{ "62f17c48104001", INSN_NEXT, 0, "vmovups disp8" },
	{ "62f17d4870c01b", INSN_NEXT, 0, "vpshufd: map 1, imm8" },
	{ "62f27d4858c0", INSN_NEXT, 0, "map 2" },
	{ "62f37d4825c0ff", INSN_NEXT, 0, "vpternlogd: map 3, imm8" },
	{ "62f57c4858c0", INSN_NEXT, 0, "vaddph: map 5" },
	{ "62f67d4898c0", INSN_NEXT, 0, "map 6" },

	/* APX: EVEX map 4 takes the immediates of the one-byte map, and REX2. */
	{ "62f47c1801c8", INSN_NEXT, 0, "add with a new destination" },
	{ "62f47c1883c001", INSN_NEXT, 0, "add imm8" },
	{ "62f47c1881c011223344", INSN_NEXT, 0, "add imm32" },
	{ "62f47d1881c01122", INSN_NEXT, 0, "add imm16 by the prefix inside" },
	{ "62f4fd1881c011223344", INSN_NEXT, 0, "W wins over it" },
	{ "62f47c18f7c011223344", INSN_NEXT, 0, "ctest imm32" },
	{ "62f47c18f7d0", INSN_NEXT, 0, "not" },
	{ "d54003c1", INSN_NEXT, 0, "REX2 add" },
	{ "d508b81122334455667788", INSN_NEXT, 0, "REX2.W mov imm64" },
	{ "d510b811223344", INSN_NEXT, 0, "REX2 mov imm32" },
	{ "d580afc1", INSN_NEXT, 0, "REX2 imul: the map of 0F" },
	{ "d500a11122334455667788", INSN_JMP_INDIRECT, 0, "jmpabs" },
	{ "d510ffd0", INSN_CALL_INDIRECT, 0, "REX2 call *%r16" },

	/* XOP: 8f with a map from 8 on (APM vol. 3, 1.2.7). */
	{ "8fe878c0c105", INSN_NEXT, 0, "vprotb: map 8, imm8" },
	{ "8fe97801c9", INSN_NEXT, 0, "map 9" },
	{ "8fea7810c111223344", INSN_NEXT, 0, "bextr: map 10, imm32" },

	/* An instruction has at most fifteen bytes. */
	{ "2e2e2e2e2e2e2e2e2e2e2e2e2e2e90", INSN_NEXT, 0, "fourteen prefixes" },
	{ "2e2e6748c784251122334455667788", INSN_NEXT, 0, "everything at its longest" },
};

/* Bytes that are no instruction, whatever follows. */
static const struct insn_case refused[] = {
	{ "06", 0, 0, "push %es" },
	{ "07", 0, 0, "pop %es" },
	{ "0e", 0, 0, "push %cs" },
	{ "16", 0, 0, "push %ss" },
	{ "17", 0, 0, "pop %ss" },
	{ "1e", 0, 0, "push %ds" },
	{ "1f", 0, 0, "pop %ds" },
	{ "27", 0, 0, "daa" },
	{ "2f", 0, 0, "das" },
	{ "37", 0, 0, "aaa" },
	{ "3f", 0, 0, "aas" },
	{ "60", 0, 0, "pusha" },
	{ "61", 0, 0, "popa" },
	{ "82", 0, 0, "group 1 once more" },
	{ "9a", 0, 0, "far call" },
	{ "ce", 0, 0, "into" },
	{ "d4", 0, 0, "aam" },
	{ "ea", 0, 0, "far jmp" },
	{ "0f04", 0, 0, "nothing" },
	{ "0f0a", 0, 0, "nothing" },
	{ "0f0c", 0, 0, "nothing" },
	{ "0f24", 0, 0, "mov with test registers" },
	{ "0f25", 0, 0, "nothing" },
	{ "0f26", 0, 0, "mov with test registers" },
	{ "0f27", 0, 0, "nothing" },
	{ "0f36", 0, 0, "nothing" },
	{ "0f39", 0, 0, "nothing" },
	{ "0f3b", 0, 0, "nothing" },
	{ "0f3c", 0, 0, "nothing" },
	{ "0f3d", 0, 0, "nothing" },
	{ "0f3e", 0, 0, "nothing" },
	{ "0f3f", 0, 0, "nothing" },
	{ "0f7a", 0, 0, "nothing" },
	{ "0f7b", 0, 0, "nothing" },
	{ "0fb8", 0, 0, "jmpe, of Itanium" },
	{ "f20fb8", 0, 0, "popcnt with the wrong prefix" },
	{ "f3f20fb8", 0, 0, "of f2 and f3 the last one counts" },
	{ "f30f78", 0, 0, "vmread with f3" },
	{ "fed0", 0, 0, "group 4 ends at /1" },
	{ "ffff", 0, 0, "group 5 ends at /6" },
	{ "ffd8", 0, 0, "far call to a register" },
	{ "ffe8", 0, 0, "far jmp to a register" },
	{ "c6c8", 0, 0, "group 11 is /0" },
	{ "c7f9", 0, 0, "or xbegin" },
	{ "8f20", 0, 0, "group 1A is /0" },
	{ "8feb", 0, 0, "XOP has no map 11" },
	{ "668fe8", 0, 0, "66 before XOP" },
	{ "66c5", 0, 0, "66 before VEX" },
	{ "f2c5", 0, 0, "f2 before VEX" },
	{ "f0c4", 0, 0, "lock before VEX" },
	{ "48c5", 0, 0, "REX before VEX" },
	{ "2e48c4", 0, 0, "REX before VEX" },
	{ "c4e0", 0, 0, "VEX has no map 0" },
	{ "c4e4", 0, 0, "VEX has no map 4" },
	{ "c5f884", 0, 0, "jkzd, of Knights Corner" },
	{ "f362", 0, 0, "f3 before EVEX" },
	{ "62f0", 0, 0, "EVEX has no map 0" },
	{ "48d5", 0, 0, "REX before REX2" },
	{ "d5080f", 0, 0, "0f behind REX2" },
	{ "d50048", 0, 0, "REX behind REX2" },
	{ "d50066", 0, 0, "66 behind REX2" },
	{ "d50070", 0, 0, "jo behind REX2" },
	{ "d500a3", 0, 0, "moffs behind REX2" },
	{ "d500e8", 0, 0, "call behind REX2" },
	{ "d500c5", 0, 0, "VEX behind REX2" },
	{ "d5008fe8", 0, 0, "XOP behind REX2" },
	{ "d58038", 0, 0, "0f 38 behind REX2" },
	{ "d58084", 0, 0, "je behind REX2" },
	{ "2e2e2e2e2e2e2e2e2e2e2e2e2e2e2e", 0, 0, "fifteen prefixes" },
	{ "2e2e2e2e2e2e2e2e2e2e2e2e2e2e0f", 0, 0, "sixteen bytes" },
	{ "2e2e2e6748c7842511223344556677", 0, 0, "sixteen bytes, all that can be long" },
	{ "4040404040404048b8112233445566", 0, 0, "seventeen bytes" },
};

static int unhex(const char *hex, uint8_t *bytes)
{
	int len = 0;

	for (; *hex; hex += 2) {
		char pair[3] = { hex[0], hex[1] };

		bytes[len++] = (uint8_t)strtoul(pair, NULL, 16);
	}
	return len;
}

/* Decodes a copy that ends where the bytes end, so that the sanitizer sees a read beyond them. */
static int decode_exactly(const uint8_t *bytes, size_t avail, struct insn *ret)
{
	uint8_t *copy = malloc(avail ? avail : 1);
	int len;

	memcpy(copy, bytes, avail);
	len = insn_decode(copy + (avail ? 0 : 1), avail, ret);
	free(copy);
	return len;
}

static bool untouched(const struct insn *insn)
{
	return insn->len == 77 && insn->flow == 78 && insn->rel == 79;
}

static void check_accepted(const struct insn_case *c)
{
	uint8_t bytes[INSN_MAX + 9];
	struct insn insn = { 0 };
	int len = unhex(c->hex, bytes), got;

	got = decode_exactly(bytes, len, &insn);
	CHECK(got == len && insn.len == len && insn.flow == c->flow && insn.rel == c->rel,
	      "%s (%s): %d bytes, flow %u, rel %d", c->hex, c->what, got, insn.flow, insn.rel);
	for (unsigned fill = 0; fill < 256; fill += 0x33) {
		memset(bytes + len, fill, sizeof(bytes) - len);
		got = insn_decode(bytes, sizeof(bytes), &insn);
		if (got != len || insn.len != len || insn.flow != c->flow || insn.rel != c->rel)
			CHECK(false, "%s, then %02x: %d bytes", c->hex, fill, got);
	}
	for (int avail = 0; avail < len; avail++) {
		insn = (struct insn){ 77, 78, 79 };
		got = decode_exactly(bytes, avail, &insn);
		if (got != -1 || !untouched(&insn))
			CHECK(false, "%s, its first %d bytes: %d", c->hex, avail, got);
	}
}

static void check_refused(const struct insn_case *c)
{
	uint8_t bytes[INSN_MAX + 9];
	struct insn insn = { 77, 78, 79 };
	int len = unhex(c->hex, bytes);

	CHECK(decode_exactly(bytes, len, &insn) == 0 && untouched(&insn), "%s (%s) is none", c->hex, c->what);
	for (unsigned fill = 0; fill < 256; fill += 0x33) {
		memset(bytes + len, fill, sizeof(bytes) - len);
		if (insn_decode(bytes, sizeof(bytes), &insn) != 0 || !untouched(&insn))
			CHECK(false, "%s, then %02x, is none", c->hex, fill);
	}
	for (int avail = 0; avail < len; avail++) {
		int got = decode_exactly(bytes, avail, &insn);

		if ((got != 0 && got != -1) || !untouched(&insn))
			CHECK(false, "%s, its first %d bytes: %d", c->hex, avail, got);
	}
}

/* Any number of any bytes has one answer, and more bytes do not change it. */
static void check_random(void)
{
	uint64_t state = 1, wrong = 0;

	for (unsigned i = 0; i < 200000; i++) {
		uint8_t bytes[INSN_MAX + 1];
		struct insn whole = { 77, 78, 79 }, cut = whole;
		int avail, len, got;

		for (size_t at = 0; at < sizeof(bytes); at += 8) {
			state = state * 6364136223846793005u + 1442695040888963407u;
			for (size_t k = 0; k < 8; k++)
				bytes[at + k] = (uint8_t)(state >> (16 + 5 * k));
		}
		len = decode_exactly(bytes, INSN_MAX, &whole);
		avail = bytes[INSN_MAX] % INSN_MAX;
		got = decode_exactly(bytes, avail, &cut);
		wrong += len < 0 || len > INSN_MAX;
		if (got > 0)
			wrong += got != len || whole.len != cut.len || whole.flow != cut.flow ||
				 whole.rel != cut.rel;
		else
			wrong += !untouched(&cut) || (len > 0 && (got != -1 || avail >= len));
	}
	CHECK(!wrong, "200000 random strings: %llu wrong answers", (unsigned long long)wrong);
}

int main(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		check_accepted(&cases[i]);
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++)
		check_refused(&refused[i]);
	check_random();
	return tap_done();
}
