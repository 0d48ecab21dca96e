// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_kbtf.c - types of crafted BTF files: very deep, very long, and in circles.
 */
#include <errno.h>

#include "../fuzz/btf_seed.h"
#include "base/buf.h"
#include "kernel/btf/btf_check.h"
#include "kernel/btf/kbtf.h"
#include "kernel/btf/kbtf_print.h"
#include "kernel/btf/kbtf_subset.h"
#include "tap.h"

static struct btf_dir dir;

/* The caller closes. @b is freed. */
static struct kbtf *kbtf_of(struct btf *b)
{
	uint32_t len;
	const void *data = btf__raw_data(b, &len);

	btf_dir_write(&dir, data, len);
	btf__free(b);
	return kbtf_open(dir.path);
}

/* A typedef of a typedef and so on, @nr of them, of an int; with @ends false of the first one. */
static struct btf *chain(unsigned nr, bool ends)
{
	struct btf *b = btf__new_empty();

	btf__add_int(b, "int", 4, BTF_INT_SIGNED);
	for (unsigned i = 0; i < nr; i++)
		btf__add_typedef(b, i == nr - 1 ? "last" : "one", i ? (int)i + 1 : ends ? 1 : (int)nr + 1);
	return b;
}

static void test_chains(void)
{
	static const struct { unsigned nr; bool ends; enum kbtf_kind kind; } cases[] = {
		{ 1, true, KBTF_INT }, { 32, true, KBTF_INT }, { 33, true, KBTF_OTHER },
		{ 1, false, KBTF_OTHER }, { 2, false, KBTF_OTHER }, { 100, false, KBTF_OTHER },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct kbtf *kb = kbtf_of(chain(cases[i].nr, cases[i].ends));
		struct kbtf_type type = { 0 };
		struct kbtf_member m;
		struct kbtf_id id;

		CHECK(!kbtf_find_type(kb, "last", &id), "the last of %u", cases[i].nr);
		kbtf_describe(id, &type);
		CHECK(type.kind == cases[i].kind, "%u typedefs, %s", cases[i].nr, cases[i].ends ? "of an int" : "in a circle");
		CHECK(kbtf_find_member(id, "x", &m) == -ENOENT && !kbtf_member_name(id, 0), "... and no structure");
		kbtf_close(kb);
	}
}

/* @nr structures without a name, one in the other, below one called "outer"; the innermost has a member x. */
static struct btf *nest(unsigned nr)
{
	struct btf *b = btf__new_empty();
	int id = btf__add_int(b, "int", 4, BTF_INT_SIGNED);

	for (unsigned i = 0; i <= nr; i++) {
		int inner = id;

		id = btf__add_struct(b, i == nr ? "outer" : NULL, 1024);
		btf__add_field(b, i ? NULL : "x", inner, i ? 8 : 0, 0);
	}
	return b;
}

static void test_nested(void)
{
	for (unsigned nr = 0; nr <= 64; nr++) {
		struct kbtf *kb = kbtf_of(nest(nr));
		struct kbtf_member m = { .bit_off = 1 };
		struct kbtf_id id;
		int err = kbtf_find_struct(kb, "outer", &id);

		if (!err)
			err = kbtf_find_member(id, "x", &m);
		CHECK(nr <= 63 ? !err && m.bit_off == nr * 8 : err == -ENOENT, "x is in %u structures", nr);
		kbtf_close(kb);
	}
}

/* A structure, a union, a typedef of a structure, and what is none. */
static void test_composites(void)
{
	struct btf *b = btf__new_empty();
	struct kbtf_type type;
	struct kbtf_id id;
	struct kbtf *kb;

	btf__add_int(b, "number", 4, 0);
	btf__add_struct(b, "fixed", 8);
	btf__add_union(b, "either", 16);
	btf__add_typedef(b, "fixed_t", 2);
	btf__add_typedef(b, "number_t", 1);
	btf__add_fwd(b, "hidden", BTF_FWD_STRUCT);
	kb = kbtf_of(b);
	CHECK(!kbtf_find_composite(kb, "fixed", NULL, &id) && id.id == 2, "a structure");
	CHECK(!kbtf_find_composite(kb, "either", "nosuch", &id) && id.id == 3, "a union, although there is no such module");
	CHECK(!kbtf_find_composite(kb, "fixed_t", NULL, &id), "a typedef of a structure");
	kbtf_describe(id, &type);
	CHECK(type.kind == KBTF_STRUCT && type.self.id == 2, "... is that structure");
	CHECK(kbtf_find_composite(kb, "number", NULL, &id) == -ENOENT && kbtf_find_composite(kb, "number_t", NULL, &id) == -ENOENT,
	      "a number is none");
	CHECK(kbtf_find_composite(kb, "hidden", NULL, &id) == -ENOENT, "a structure that is only declared is none");
	CHECK(!strcmp(kbtf_similar_composite(kb, "fixedd"), "fixed") && !strcmp(kbtf_similar_composite(kb, "eithr"), "either"),
	      "similar names");
	CHECK(!kbtf_similar_composite(kb, "numbr") && !kbtf_similar_composite(kb, ""), "... of structures only");
	kbtf_close(kb);
	kb = kbtf_open("/nosuch");
	CHECK(kbtf_find_composite(kb, "fixed", NULL, &id) == -EOPNOTSUPP && !kbtf_similar_composite(kb, "fixed"), "no BTF");
	kbtf_close(kb);
}

/* Structures of two members each: one holds itself twice, or each holds the next one twice. */
static void test_circles(void)
{
	for (unsigned nr = 1; nr <= 40; nr += 39) {
		struct btf *b = btf__new_empty();
		struct kbtf_member m;
		struct kbtf_id id;
		struct kbtf *kb;

		for (unsigned i = 0; i < nr; i++) {
			int next = i == nr - 1 ? 1 : (int)i + 2;

			btf__add_struct(b, i ? NULL : "outer", 8);
			btf__add_field(b, NULL, next, 0, 0);
			btf__add_field(b, NULL, next, 0, 0);
		}
		kb = kbtf_of(b);
		CHECK(!kbtf_find_struct(kb, "outer", &id) && kbtf_find_member(id, "x", &m) == -ENOENT,
		      "no member of a structure that contains itself by way of %u", nr);
		kbtf_close(kb);
	}
}

/* A structure called @name with a member for each of @nr, of type int but the last, which is @last's: NULL, or x of an int. */
static int wide(struct btf *b, const char *name, unsigned nr, const char *last)
{
	int id = btf__add_struct(b, name, 8);

	for (unsigned i = 0; i < nr; i++)
		btf__add_field(b, i == nr - 1 ? last : "y", 1, 0, 0);
	return id;
}

static void check_wide(struct btf *b, bool there, const char *what)
{
	struct kbtf *kb = kbtf_of(b);
	struct kbtf_member m;
	struct kbtf_id id;
	int err = kbtf_find_struct(kb, "outer", &id);

	if (!err)
		err = kbtf_find_member(id, "x", &m);
	CHECK(there ? !err : err == -ENOENT, "%s", what);
	kbtf_close(kb);
}

/* As many members as a structure can have; and 16 such ones in one, where x is member 1 << 20, or the one behind that. */
static void test_wide(void)
{
	struct btf *b = btf__new_empty();

	btf__add_int(b, "int", 4, BTF_INT_SIGNED);
	wide(b, "outer", BTF_MAX_VLEN, "x");
	check_wide(b, true, "the last of 65535 members");
	for (unsigned more = 0; more < 2; more++) {
		int filler, last;

		b = btf__new_empty();
		btf__add_int(b, "int", 4, BTF_INT_SIGNED);
		filler = wide(b, NULL, BTF_MAX_VLEN, "y");
		last = wide(b, NULL, BTF_MAX_VLEN, "x");
		btf__add_struct(b, "outer", 8);
		for (unsigned i = 0; i < more; i++)
			btf__add_field(b, "y", 1, 0, 0);
		for (unsigned i = 0; i < 15; i++)
			btf__add_field(b, NULL, filler, 0, 0);
		btf__add_field(b, NULL, last, 0, 0);
		check_wide(b, !more, more ? "x after 1 << 20 members" : "x as member 1 << 20");
	}
}

/* A structure with 40 members that are itself, with names and without: 8 levels of that would never end. */
static void test_near_in_circles(void)
{
	for (unsigned named = 0; named < 2; named++) {
		struct btf *b = btf__new_empty();
		struct buf path = { 0 };
		struct kbtf_id id;
		struct kbtf *kb;
		char name[16];

		btf__add_struct(b, "outer", 8);
		for (unsigned i = 0; i < 40; i++) {
			snprintf(name, sizeof(name), "m%u", i);
			btf__add_field(b, named ? name : NULL, 1, 0, 0);
		}
		kb = kbtf_of(b);
		CHECK(!kbtf_find_struct(kb, "outer", &id) && !kbtf_find_inside(id, "nosuch", &path) && !path.len,
		      "nothing is found in a structure that contains itself 40 times");
		CHECK(!kbtf_similar_member(id, "nosuch"), "... and nothing is like it");
		buf_fini(&path);
		kbtf_close(kb);
	}
}

static void test_odd_numbers(void)
{
	struct btf *b = btf__new_empty();
	struct kbtf_type type;
	struct kbtf_member m;
	struct kbtf *kb;
	struct kbtf_id id;
	struct btf_type *t;

	btf__add_int(b, "odd", 4, 0);
	btf__add_struct(b, "wide", 64);
	btf__add_field(b, "b64", 1, 0, 64);
	btf__add_field(b, "b65", 1, 0, 65);
	btf__add_typedef(b, "gone", 1000);
	t = (struct btf_type *)btf__type_by_id(b, 1);
	t->size = 3;
	kb = kbtf_of(b);
	CHECK(!kbtf_find_type(kb, "odd", &id), "an int of 3 bytes");
	kbtf_describe(id, &type);
	CHECK(type.kind == KBTF_OTHER, "... is none");
	CHECK(!kbtf_find_type(kb, "gone", &id), "a typedef of what is not there");
	kbtf_describe(id, &type);
	CHECK(type.kind == KBTF_OTHER, "... is no type");
	CHECK(!kbtf_find_struct(kb, "wide", &id) && !kbtf_find_member(id, "b64", &m) && m.bit_size == 64, "64 bits");
	CHECK(kbtf_find_member(id, "b65", &m) == -ENOENT, "65 bits");
	kbtf_close(kb);
}

/* int f(ARG x), whose type is made of @nr pointers to @end (0: void), or of pointers in a circle. */
static void check_proto(unsigned nr, bool circle, const char *expect)
{
	struct btf *b = btf__new_empty();
	struct kbtf_printer *pr;
	struct buf out = { 0 };
	struct kbtf_func func;
	struct kbtf *kb;
	int proto;

	btf__add_int(b, "int", 4, BTF_INT_SIGNED);
	for (unsigned i = 0; i < nr; i++)
		btf__add_ptr(b, i ? (int)i + 1 : circle ? (int)nr + 1 : 1);
	proto = btf__add_func_proto(b, 1);
	btf__add_func_param(b, "x", (int)nr + 1);
	btf__add_func(b, "f", BTF_FUNC_GLOBAL, proto);
	kb = kbtf_of(b);
	pr = kbtf_printer_new(kb);
	CHECK(!kbtf_find_func(kb, "f", NULL, &func), "f is found");
	kbtf_print_proto(pr, &func, "f", &out);
	CHECK(!strcmp(buf_str(&out), expect), "its prototype with %u pointers%s: '%s'", nr, circle ? " in a circle" : "",
	      buf_str(&out));
	buf_fini(&out);
	kbtf_printer_free(pr);
	kbtf_close(kb);
}

static void test_prototypes(void)
{
	check_proto(0, false, "int f(int x)");
	check_proto(31, false, "int f(int *******************************x)");
	check_proto(32, false, "");
	check_proto(1, true, "");
	check_proto(3, true, "");
}

/* int f(int, int, ...): its parts are the parameters, the result and the whole. */
static void test_parts(void)
{
	for (unsigned parts = 4096; parts <= 4097; parts++) {
		struct btf *b = btf__new_empty();
		char path[96];
		struct btf_raw *raw;
		const void *data;
		uint32_t len;
		int proto;

		btf__add_int(b, "int", 4, BTF_INT_SIGNED);
		proto = btf__add_func_proto(b, 1);
		for (unsigned i = 0; i < parts - 2; i++)
			btf__add_func_param(b, "x", 1);
		data = btf__raw_data(b, &len);
		btf_dir_write(&dir, data, len);
		snprintf(path, sizeof(path), "%s/vmlinux", dir.path);
		raw = btf_raw_open(path, NULL);
		CHECK(raw && btf_check_declaration(raw, (uint32_t)proto) == (parts == 4096), "a declaration of %u parts", parts);
		btf_raw_close(raw);
		btf__free(b);
	}
}

/* Strings and types that do not exist, which libbpf would follow. */
static void test_files(void)
{
	for (int odd = 0; odd < 4; odd++) {
		struct btf *b = btf_seed();
		char path[96];
		struct btf_raw *raw;
		struct btf_type *t = (struct btf_type *)btf__type_by_id(b, odd == 1 ? 1 : 3);
		const void *data;
		uint32_t len;

		if (odd == 1)
			t->name_off = 1 << 20;
		else if (odd == 2)
			t->type = 1000;
		else if (odd == 3)
			btf_params((struct btf_type *)btf__type_by_id(b, btf__type_cnt(b) - 2))[1].name_off = 1 << 20;
		data = btf__raw_data(b, &len);
		btf_dir_write(&dir, data, len);
		snprintf(path, sizeof(path), "%s/vmlinux", dir.path);
		raw = btf_raw_open(path, NULL);
		CHECK(raw && btf_check_file(raw) == !odd, "a file is in order or not (%d)", odd);
		btf_raw_close(raw);
		btf__free(b);
	}
}

/*
 * A file that cannot be mapped, because nothing may be read behind it: its strings are dropped after each pass by name, and are read
 * again when they are needed. Names are 100 bytes long, so some are in two pages. The strings that were given out stay what they are.
 * The ninth new name makes a table.
 */
static void test_dropped_strings(void)
{
	enum { NR = 2000, FOUND = 12 };
	struct btf *b = btf__new_empty();
	char path[96], name[128];
	const char *given[FOUND];
	struct buf file = { 0 };
	struct btf_raw *raw;
	const void *data;
	uint32_t len, good = 0;
	int proto;

	btf__add_int(b, "int", 4, BTF_INT_SIGNED);
	proto = btf__add_func_proto(b, 1);
	for (unsigned i = 0; i < NR; i++) {
		snprintf(name, sizeof(name), "f%099u", i);
		btf__add_func(b, name, BTF_FUNC_GLOBAL, proto);
	}
	data = btf__raw_data(b, &len);
	buf_add(&file, data, len);
	while (file.len % 4096)
		buf_add(&file, "", 1);
	btf_dir_write(&dir, file.data, (uint32_t)file.len);
	snprintf(path, sizeof(path), "%s/vmlinux", dir.path);
	raw = btf_raw_open(path, NULL);
	CHECK(raw, "a file of whole pages is read");
	for (unsigned k = 0; raw && k < FOUND; k++) {
		uint32_t id;

		snprintf(name, sizeof(name), "f%099u", k * 163);
		id = btf_raw_find(raw, name, BTF_KIND_FUNC, NULL);
		given[k] = btf_raw_string(raw, btf_raw_type(raw, id)->name_off);
		good += id == 3 + k * 163 && !strcmp(given[k], name);
	}
	CHECK(good == FOUND, "%u functions are found by their names: %u", FOUND, good);
	good = 0;
	for (unsigned k = 0; raw && k < FOUND; k++) {
		snprintf(name, sizeof(name), "f%099u", k * 163);
		good += !strcmp(given[k], name);
	}
	CHECK(good == FOUND, "... and strings that were given out stay: %u of %u", good, FOUND);
	good = 0;
	for (unsigned i = 0; raw && i < NR; i++) {
		snprintf(name, sizeof(name), "f%099u", i);
		good += !strcmp(btf_raw_string(raw, btf_raw_type(raw, 3 + i)->name_off), name);
	}
	CHECK(good == NR, "... and all others can be had: %u of %u", good, NR);
	btf_raw_close(raw);
	buf_fini(&file);
	btf__free(b);
}

/* What the programs name is copied, unless it is made from itself. */
static void test_subset(void)
{
	struct btf *names = btf__new_empty();
	int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);

	btf__add_struct(names, "task_struct", 0);
	for (int circle = 0; circle < 2; circle++) {
		struct btf *b = circle ? btf__new_empty() : btf_seed();
		struct kbtf *kb;

		if (circle) {
			btf__add_struct(b, "task_struct", 8);
			btf__add_field(b, "a", 2, 0, 0);
			btf__add_array(b, 2, 2, 2);
		}
		kb = kbtf_of(b);
		CHECK(!kbtf_write_subset(kb, names, fd) == !circle, "a subset of %s", circle ? "a circle" : "the seed");
		kbtf_close(kb);
	}
	/* Four structures of 65535 members in one are 1 << 18 types. */
	for (unsigned more = 0; more < 2; more++) {
		struct btf *b = btf__new_empty();
		struct kbtf *kb;
		int part;

		btf__add_int(b, "int", 4, BTF_INT_SIGNED);
		part = wide(b, NULL, BTF_MAX_VLEN, "y");
		btf__add_struct(b, "task_struct", 8);
		for (unsigned i = 0; i < 4; i++)
			btf__add_field(b, NULL, part, 0, 0);
		for (unsigned i = 0; i < more; i++)
			btf__add_field(b, "y", 1, 0, 0);
		kb = kbtf_of(b);
		CHECK(!kbtf_write_subset(kb, names, fd) == !more, "a subset of %u types", (1 << 18) + more);
		kbtf_close(kb);
	}
	close(fd);
	btf__free(names);
}

/* ---- enumerations ---- */

static bool is_constant(struct kbtf_id id, unsigned i, const char *name, uint64_t value)
{
	uint64_t got = 0;
	const char *found = kbtf_enumerator(id, i, &got);

	return found && !strcmp(found, name) && got == value;
}

static void test_enums(void)
{
	struct btf *b = btf__new_empty(), *m;
	struct kbtf_type type;
	struct kbtf_id id;
	struct kbtf *kb;
	char path[96];
	uint32_t len;
	const void *data;
	int fd;

	btf__add_enum(b, "flat", 4);			/* without a negative constant libbpf makes it unsigned */
	btf__add_enum_value(b, "FLAT_MOST", 0xffffffff);
	btf__add_enum(b, "deep", 4);
	btf__add_enum_value(b, "DEEP_ZERO", 0);
	btf__add_enum_value(b, "DEEP_MINUS", -1);
	btf__add_enum64(b, "wide", 8, false);
	btf__add_enum64_value(b, "WIDE_ONE", 1ull << 40);
	btf__add_typedef(b, "wide_t", 3);
	btf__add_struct(b, "other", 4);
	m = btf__new_empty_split(b);			/* its numbers continue those of b */
	btf__add_enum(m, "flat", 4);
	btf__add_enum_value(m, "FLAT_OF_MODULE", 7);
	btf__add_enum(m, "only", 4);
	btf__add_enum_value(m, "ONLY_HERE", 8);
	btf__add_struct(m, "other", 8);			/* 8; the kernel's is 5 */
	btf__add_struct(m, "private", 8);
	data = btf__raw_data(m, &len);
	snprintf(path, sizeof(path), "%s/helper", dir.path);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	CHECK(fd >= 0 && write(fd, data, len) == (ssize_t)len, "a module's types");
	close(fd);
	btf__free(m);
	kb = kbtf_of(b);
	CHECK(!kbtf_find_enum(kb, "flat", NULL, &id) && is_constant(id, 0, "FLAT_MOST", 0xffffffff), "the kernel's, unsigned");
	CHECK(!kbtf_enumerator(id, 1, &(uint64_t){ 0 }), "it ends");
	CHECK(!kbtf_find_enum(kb, "deep", NULL, &id) && is_constant(id, 1, "DEEP_MINUS", UINT64_MAX), "a signed one");
	kbtf_describe(id, &type);
	CHECK(type.kind == KBTF_ENUM && type.size == 4 && type.is_signed, "... as it is described");
	CHECK(!kbtf_find_enum(kb, "wide_t", NULL, &id) && is_constant(id, 0, "WIDE_ONE", 1ull << 40), "64 bits, by a typedef");
	CHECK(kbtf_find_composite(kb, "flat", NULL, &id) == -ENOENT && kbtf_find_composite(kb, "none", "helper", &id) == -ENOENT,
	      "an enumeration is no structure");
	CHECK(!kbtf_find_composite(kb, "other", NULL, &id) && id.id == 5 && !kbtf_find_composite(kb, "other", "helper", &id) && id.id == 8,
	      "a structure of the kernel, and the module's own with the same name");
	CHECK(!kbtf_find_composite(kb, "private", NULL, &id) && id.id == 9, "one that only a module has");
	CHECK(!strcmp(kbtf_similar_composite(kb, "privat"), "private"), "... and a similar name");
	CHECK(!kbtf_find_enum(kb, "flat", "helper", &id) && is_constant(id, 0, "FLAT_OF_MODULE", 7), "the module's own comes first");
	CHECK(!kbtf_find_enum(kb, "only", NULL, &id) && is_constant(id, 0, "ONLY_HERE", 8), "one that only a module has");
	CHECK(!kbtf_find_enum(kb, "deep", "helper", &id) && is_constant(id, 0, "DEEP_ZERO", 0), "one that the module does not have");
	CHECK(kbtf_find_enum(kb, "other", NULL, &id) == -ENOENT && kbtf_find_enum(kb, "none", "helper", &id) == -ENOENT,
	      "neither a structure nor another name");
	kbtf_close(kb);
	unlink(path);
}

/* ---- many functions ---- */

static void test_functions(void)
{
	enum { NR = 1000 };
	const char *names[NR] = { "no_function", "f7", "f007", "x", "", "f7" };
	struct btf *b = btf__new_empty();
	struct kbtf_func funcs[NR];
	char *own[NR] = { 0 };
	unsigned good = 0;
	struct kbtf *kb;
	int proto;

	btf__add_int(b, "int", 4, BTF_INT_SIGNED);
	proto = btf__add_func_proto(b, 1);
	btf__add_func_param(b, "p", 1);
	btf__add_struct(b, "x", 4);
	for (unsigned i = 0; i < NR; i++) {
		char name[16];

		snprintf(name, sizeof(name), "f%u", i / 2);	/* each twice: the first counts */
		btf__add_func(b, name, BTF_FUNC_STATIC, proto);
	}
	kb = kbtf_of(b);
	CHECK(!kbtf_find_funcs(kb, names, 6, funcs), "many are looked for");
	CHECK(!funcs[0].self.id && !funcs[2].self.id && !funcs[3].self.id && !funcs[4].self.id,
	      "neither another name nor a structure is a function");
	CHECK(funcs[1].self.id == 4 + 14 && funcs[5].self.id == 4 + 14 && funcs[1].nr_params == 1 && funcs[1].proto.id == 2,
	      "the first of this name is found, for each that asks");
	for (unsigned i = 0; i < NR; i++)
		names[i] = asprintf(&own[i], "f%u", i) < 0 ? "" : own[i];
	kbtf_find_funcs(kb, names, NR, funcs);
	for (unsigned i = 0; i < NR; i++) {
		good += funcs[i].self.id == (i < NR / 2 ? 4 + 2 * i : 0);
		free(own[i]);
	}
	CHECK(good == NR, "%u of %u", good, NR);
	CHECK(!kbtf_find_funcs(kb, names, 0, funcs), "none");
	kbtf_close(kb);
}

int main(void)
{
	if (btf_dir_make(&dir))
		return 1;
	test_chains();
	test_nested();
	test_composites();
	test_circles();
	test_wide();
	test_near_in_circles();
	test_odd_numbers();
	test_prototypes();
	test_parts();
	test_files();
	test_subset();
	test_dropped_strings();
	test_enums();
	test_functions();
	btf_dir_remove(&dir);
	return tap_done();
}
