/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * patch.bpf.h - values and code that each definition's copy of a program has for itself.
 */
#ifndef PATCH_BPF_H
#define PATCH_BPF_H

/*
 * A value that each definition has for itself. This is inline assembly, so that the
 * compiler can neither fold the marker into other code, nor compute one marker from
 * another by an addition.
 */
#define PATCH(which) ({						\
	__u64 value_;						\
	asm volatile("%0 = %1" : "=r"(value_) : "i"(which));	\
	value_;							\
})
#define PATCH64(which) ({					\
	__u64 value_;						\
	asm volatile("%0 = %1 ll" : "=r"(value_) : "i"(which));	\
	value_;							\
})

/*
 * @value after an operation with a definition's own value, as one instruction. For a shift there is another reason:
 * 6.1's verifier would consider a product out of bounds.
 */
#define PATCH_OP(value, op, which) ({				\
	__u64 value_ = (value);					\
	asm volatile("%0 " op "= %1" : "+r"(value_) : "i"(which));	\
	value_;							\
})

/*
 * Loads the two words at @at. From 6.2 on bpf_rdonly_cast() makes any address the address of a structure of two numbers. Loads from it read
 * 0 where nothing is mapped. This takes a tenth of the helper's cost. user/gen/patch.c fills in the BTF ids of that kernel function and
 * structure.
 */
static __always_inline void words_load(void *at, __u64 word[2])
{
	if (PATCH(BP_PATCH_CAST)) {
		asm volatile("r1 = %2\n"
			     "r2 = %3\n"
			     "r0 = 0\n"
			     "%0 = r0\n"
			     "%1 = r0\n"
			     : "=&r"(word[0]), "=&r"(word[1])
			     : "r"(at), "i"(BP_PATCH_CAST_CODE) : "r0", "r1", "r2", "r3", "r4", "r5");
		return;
	}
	bpf_probe_read_kernel(word, 2 * sizeof(word[0]), at);
}

/* *word, which becomes 0. From 5.12 on this is one step. */
static __always_inline __u64 word_take(__u64 *word)
{
	__u64 old;

	asm volatile("%0 = %2\n"
		     "%0 = %1\n"
		     : "=&r"(old) : "r"(word), "i"(BP_PATCH_TAKE_CODE) : "memory");
	return old;
}

#endif
