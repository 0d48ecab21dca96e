// SPDX-License-Identifier: GPL-2.0-only
/*
 * insn_table.c - the two opcode maps that are so irregular that they need a table.
 *
 * Each of the other maps takes a line or two in insn.c.
 */
#include "arch/x86_64/insn_table.h"

/* Names with a capital M have a ModRM byte. */
enum {
	no = STEP_REFUSE,
	o = 0,					/* only the opcode */
	b = 1,					/* an immediate of 8 bits */
	w = 2,
	e = 3,					/* enter: 16 and 8 bits */
	z = 4 | FORM_Z,				/* 32, or 16 */
	v = 4 | FORM_V,				/* 32, 16 or 64 */
	a = 8 | FORM_ADDRESS,			/* 64, or 32 */
	M = FORM_MODRM,
	MB = FORM_MODRM | b,
	MZ = FORM_MODRM | z,

	/* On Intel these have 32 bits even with prefix 66. On AMD they would have 16 (APM vol. 3, "near branches"). */
	cl = 4 | FORM_FLOWS(INSN_CALL),
	js = 1 | FORM_FLOWS(INSN_JMP),
	jl = 4 | FORM_FLOWS(INSN_JMP),
	cs = 1 | FORM_FLOWS(INSN_JCC),
	cc = 4 | FORM_FLOWS(INSN_JCC),
	r = FORM_FLOWS(INSN_RET),
	rw = 2 | FORM_FLOWS(INSN_RET),
	i3 = FORM_FLOWS(INSN_BREAKPOINT),
	u = FORM_FLOWS(INSN_UNDEFINED),
	MU = FORM_MODRM | FORM_FLOWS(INSN_UNDEFINED),

	s = STEP_PREFIX,			/* segment prefixes */
	os = STEP_PREFIX | SEEN_66,
	as = STEP_PREFIX | SEEN_67,
	lk = STEP_PREFIX | SEEN_LOCK,
	f2 = STEP_PREFIX | SEEN_F2,
	f3 = STEP_PREFIX | SEEN_F3,
	R = STEP_REX,
	R2 = STEP_REX2,
	F = STEP_0F,
	F8 = STEP_0F38,
	FA = STEP_0F3A,
	V2 = STEP_VEX2,
	V3 = STEP_VEX3,
	EV = STEP_EVEX,

	Ga = STEP_GROUP | GROUP_F6,
	Gb = STEP_GROUP | GROUP_F7,
	Gc = STEP_GROUP | GROUP_FE,
	Gd = STEP_GROUP | GROUP_FF,
	Ge = STEP_GROUP | GROUP_8F,
	Gf = STEP_GROUP | GROUP_C6,
	Gg = STEP_GROUP | GROUP_C7,
	Gh = STEP_GROUP | GROUP_0F01,
	Gi = STEP_GROUP | GROUP_0F78,
	Gj = STEP_GROUP | GROUP_0FB8,
};

/* D6 is Intel's UDB, a #UD of one byte. Kernels after 6.12 contain it. */
const uint16_t insn_one[256] = {
	/*	x0  x1  x2  x3  x4  x5  x6  x7  x8  x9  xa  xb  xc  xd  xe  xf */
	/* 0 */	M,  M,  M,  M,  b,  z,  no, no, M,  M,  M,  M,  b,  z,  no, F,
	/* 1 */	M,  M,  M,  M,  b,  z,  no, no, M,  M,  M,  M,  b,  z,  no, no,
	/* 2 */	M,  M,  M,  M,  b,  z,  s,  no, M,  M,  M,  M,  b,  z,  s,  no,
	/* 3 */	M,  M,  M,  M,  b,  z,  s,  no, M,  M,  M,  M,  b,  z,  s,  no,
	/* 4 */	R,  R,  R,  R,  R,  R,  R,  R,  R,  R,  R,  R,  R,  R,  R,  R,
	/* 5 */	o,  o,  o,  o,  o,  o,  o,  o,  o,  o,  o,  o,  o,  o,  o,  o,
	/* 6 */	no, no, EV, M,  s,  s,  os, as, z,  MZ, b,  MB, o,  o,  o,  o,
	/* 7 */	cs, cs, cs, cs, cs, cs, cs, cs, cs, cs, cs, cs, cs, cs, cs, cs,
	/* 8 */	MB, MZ, no, MB, M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  Ge,
	/* 9 */	o,  o,  o,  o,  o,  o,  o,  o,  o,  o,  no, o,  o,  o,  o,  o,
	/* a */	a,  a,  a,  a,  o,  o,  o,  o,  b,  z,  o,  o,  o,  o,  o,  o,
	/* b */	b,  b,  b,  b,  b,  b,  b,  b,  v,  v,  v,  v,  v,  v,  v,  v,
	/* c */	MB, MB, rw, r,  V3, V2, Gf, Gg, e,  o,  rw, r,  i3, b,  no, r,
	/* d */	M,  M,  M,  M,  no, R2, u,  o,  M,  M,  M,  M,  M,  M,  M,  M,
	/* e */	cs, cs, cs, cs, b,  b,  b,  b,  cl, jl, no, js, o,  o,  o,  o,
	/* f */	lk, o,  f2, f3, o,  o,  Ga, Gb, o,  o,  o,  o,  o,  o,  Gc, Gd,
};

/*
 * 0f: 3DNow! has its opcode at the place where others have an immediate. 20 to 23 are moves with control and debug
 * registers. They ignore mod, so they never have a SIB byte or a displacement.
 */
const uint16_t insn_0f[256] = {
	/*	x0  x1  x2  x3  x4  x5  x6  x7  x8  x9  xa  xb  xc  xd  xe  xf */
	/* 0 */	M,  Gh, M,  M,  no, o,  o,  r,  o,  o,  no, u,  no, M,  o,  MB,
	/* 1 */	M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,
	/* 2 */	b,  b,  b,  b,  no, no, no, no, M,  M,  M,  M,  M,  M,  M,  M,
	/* 3 */	o,  o,  o,  o,  o,  r,  no, o,  F8, no, FA, no, no, no, no, no,
	/* 4 */	M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,
	/* 5 */	M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,
	/* 6 */	M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,
	/* 7 */	MB, MB, MB, MB, M,  M,  M,  o,  Gi, M,  no, no, M,  M,  M,  M,
	/* 8 */	cc, cc, cc, cc, cc, cc, cc, cc, cc, cc, cc, cc, cc, cc, cc, cc,
	/* 9 */	M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,
	/* a */	o,  o,  o,  M,  MB, M,  M,  M,  o,  o,  r,  M,  MB, M,  M,  M,
	/* b */	M,  M,  M,  M,  M,  M,  M,  M,  Gj, MU, MB, M,  M,  M,  M,  M,
	/* c */	M,  M,  MB, M,  MB, MB, MB, M,  o,  o,  o,  o,  o,  o,  o,  o,
	/* d */	M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,
	/* e */	M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,
	/* f */	M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  M,  MU,
};
