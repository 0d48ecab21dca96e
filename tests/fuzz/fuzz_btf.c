// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_btf.c - any bytes as the kernel's types (--btf).
 *
 * All questions that bprobe has are asked of the file: none may read outside of it, end in a circle or take long.
 *
 *	clang -fsanitize=fuzzer,address ...		libFuzzer's own driver
 *	cc -DSTANDALONE ...; fuzz_btf - N [SEED]
 *
 * The second changes numbers of a small file that libbpf makes, N times with a fixed seed of chance.
 */
#include <bpf/libbpf.h>
#include <elf.h>

#include "btf_seed.h"

#include "base/buf.h"
#include "base/macros.h"
#include "kernel/btf/ctype.h"
#include "kernel/btf/kbtf.h"
#include "kernel/btf/kbtf_print.h"
#include "kernel/btf/kbtf_subset.h"
#include "kernel/features.h"
#include "kernel/ktask.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct btf_dir dir;
static struct btf *named;		/* as a compiled program names types */
static int nowhere;

static void open_once(void)
{
	if (named)
		return;
	named = btf__new_empty();
	btf__add_struct(named, "task_struct", 0);
	btf__add_enum(named, "state", 4);
	nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (btf_dir_make(&dir))
		abort();
}

static void ask_structure(struct kbtf_id id)
{
	static const char *const names[] = { "pid", "low", "bits", "comm", "nosuch" };
	struct kbtf_member m;
	struct kbtf_type type;

	kbtf_is_loadable(id);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct buf path = { 0 };

		if (!kbtf_find_member(id, names[i], &m)) {
			kbtf_describe(m.type, &type);
			kbtf_is_loadable(m.type);
		}
		kbtf_find_inside(id, names[i], &path);
		kbtf_similar_member(id, names[i]);
		buf_fini(&path);
	}
	for (unsigned i = 0; i < 100 && kbtf_member_name(id, i); i++)
		;
}

static void ask_enumeration(struct kbtf *kb, const char *name)
{
	struct kbtf_id id;
	uint64_t value;
	const char *one;

	if (kbtf_find_enum(kb, name, NULL, &id))
		return;
	for (unsigned i = 0; (one = kbtf_enumerator(id, i, &value)); i++)
		value += strlen(one);
}

static void ask_typedef(struct kbtf *kb, const char *name)
{
	struct kbtf_func proto;
	struct kbtf_id id;

	if (kbtf_find_typedef(kb, name, NULL, &id) || kbtf_find_proto(id, &proto))
		return;
	for (unsigned i = 0; i < proto.nr_params; i++) {
		struct kbtf_type type;
		struct kbtf_id param;

		if (!kbtf_param(&proto, i, &param))
			abort();
		kbtf_describe(param, &type);
	}
}

static void ask_function(struct kbtf *kb, const struct kbtf_func *func)
{
	struct kbtf_printer *pr = kbtf_printer_new(kb);
	struct buf out = { 0 };
	struct kbtf_type type;

	kbtf_describe(func->ret, &type);
	for (unsigned i = 0; i < func->nr_params; i++) {
		struct kbtf_id param;

		kbtf_param(func, i, &param);
		kbtf_is_text(param);
		kbtf_is_loadable(param);
		kbtf_describe(param, &type);
		kbtf_describe(type.target, &type);
		ask_structure(type.self);
	}
	kbtf_print_proto(pr, func, "vfs_read", &out);
	buf_fini(&out);
	kbtf_printer_free(pr);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const functions[] = { "vfs_read", "vfs_write", "", "nosuch" };
	static const char *const types[] = { "task_struct", "task_t", "state", "int", "char", "nosuch" };
	struct kbtf_func found[ARRAY_SIZE(functions)];
	struct features features;
	struct feature_ids ids;
	struct kbtf_func func;
	struct kbtf_type type;
	struct ktask task;
	struct kbtf_id id;
	struct kbtf *kb;

	open_once();
	libbpf_set_print(NULL);
	btf_dir_write(&dir, data, size);
	kb = kbtf_open(dir.path);
	if (!kbtf_find_funcs(kb, functions, ARRAY_SIZE(functions), found) && found[0].self.id)
		ask_function(kb, &found[0]);
	if (!kbtf_find_func(kb, "vfs_read", NULL, &func))
		ask_function(kb, &func);
	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		if (!kbtf_find_type(kb, types[i], &id)) {
			kbtf_describe(id, &type);
			ask_structure(id);
		}
	}
	ctype_describe(kb, "const struct task_struct *", &type);
	kbtf_find_percpu(kb, "__preempt_count", &id, NULL);
	kbtf_has_enumerator(kb, "state", "TASK_DEAD");
	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		ask_enumeration(kb, types[i]);
	ask_typedef(kb, "task_t");
	ask_typedef(kb, "btf_trace_task");
	features_init(&features, kb, NULL, false);
	for (unsigned i = 0; i < FEATURES; i++)
		feature(&features, i);
	features_find_ids(&features, &ids);
	ktask_find(kb, &task);
	kbtf_write_subset(kb, named, nowhere);
	kbtf_close(kb);
	return 0;
}

#ifdef STANDALONE

#include "../roll.h"
#include "seeds.h"

/* A number of the file becomes another one: a small one, as numbers of types are; one of the file's own; any. */
static void mutate(uint32_t *words, size_t nr)
{
	uint32_t *w = &words[roll((uint32_t)nr)];

	switch (roll(6)) {
	case 0:
		*w = roll(32);
		break;
	case 1:
		*w = words[roll((uint32_t)nr)];
		break;
	case 2:
		*w = roll(20) << 24 | roll(4) | roll(2) << 31;	/* a kind, and how many parts it has */
		break;
	case 3:
		*w ^= 1u << roll(32);
		break;
	case 4:
		((uint8_t *)w)[roll(4)] = (uint8_t)roll(256);
		break;
	default:
		*w = roll(1u << 31);
	}
}

/* The same in a section of an ELF file. */
static void write_as_elf(const char *to, const void *data, uint32_t len)
{
	static const char names[] = "\0.BTF\0.shstrtab";
	const Elf64_Ehdr eh = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT }, .e_type = ET_REL, .e_machine = EM_BPF,
		.e_version = EV_CURRENT, .e_ehsize = sizeof(eh), .e_shoff = sizeof(eh), .e_shentsize = sizeof(Elf64_Shdr), .e_shnum = 3, .e_shstrndx = 2,
	};
	const Elf64_Shdr sh[3] = {
		[1] = { .sh_name = 1, .sh_type = SHT_PROGBITS, .sh_offset = sizeof(eh) + sizeof(sh), .sh_size = len, .sh_addralign = 1 },
		[2] = { .sh_name = 6, .sh_type = SHT_STRTAB, .sh_offset = sizeof(eh) + sizeof(sh) + len, .sh_size = sizeof(names), .sh_addralign = 1 },
	};
	struct buf out = { 0 };

	buf_add(&out, &eh, sizeof(eh));
	buf_add(&out, sh, sizeof(sh));
	buf_add(&out, data, len);
	buf_add(&out, names, sizeof(names));
	seed_write(to, out.data, out.len);
	buf_fini(&out);
}

int main(int argc, char **argv)
{
	unsigned long n = argc > 2 ? strtoul(argv[2], NULL, 0) : 100000;
	struct btf *b = btf_seed();
	uint32_t len;
	const void *data = btf__raw_data(b, &len);
	uint32_t *words = malloc(len + 4);

	if (argc > 3)
		seed = strtoull(argv[3], NULL, 0) | 1;
	if (seeds_asked(argc, argv)) {
		write_as_elf(argv[2], data, len);
		seed_write(argv[2], data, len);
		n = 0;
	}
	for (unsigned long i = 0; i < n; i++) {
		size_t size = roll(50) ? len : roll(len + 1);

		memcpy(words, data, len);
		for (unsigned m = roll(8); m; m--)
			mutate(words, len / 4);
		LLVMFuzzerTestOneInput((const uint8_t *)words, size);
	}
	free(words);
	btf__free(b);
	btf__free(named);
	if (named)
		btf_dir_remove(&dir);
	printf("fuzz_btf: %lu files from one of %u bytes\n", n, len);
	return 0;
}

#endif
