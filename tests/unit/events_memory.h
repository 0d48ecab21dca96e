/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * events_memory.h - the list of events of a made-up kernel, in a core file, and the types that tell where its members are. test_events reads it,
 * fuzz_kmem damages it.
 */
#ifndef EVENTS_MEMORY_H
#define EVENTS_MEMORY_H

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <bpf/btf.h>

#include "base/macros.h"

#define IMAGE	0xffffffff81400000ull		/* what is static */
#define HEAP	0xff11000000400000ull		/* what the kernel made, with five levels of page tables */

enum { PART = 0x2000, OFFSET = 0x1000 };	/* each part in the file */

static uint8_t image[OFFSET + 2 * PART];

static uint8_t *at(uint64_t addr)
{
	return addr >= IMAGE ? image + OFFSET + (addr - IMAGE) : image + OFFSET + PART + (addr - HEAP);
}

static void put(uint64_t addr, uint64_t value, size_t len)
{
	memcpy(at(addr), &value, len);
}

static uint64_t put_text(uint64_t addr, const char *text)
{
	memcpy(at(addr), text, strlen(text) + 1);
	return addr;
}

/* The layout of these kernels, in bytes: each member at an offset that Linux does not have. */
enum {
	CLASS_SYSTEM = 8, CLASS_GETTER = 24, CLASS_FIELDS = 40,
	CALL_CLASS = 8, CALL_NAME = 16, CALL_LIST = 24, CALL_TYPE = 40 + 4, CALL_PRINT = 48, CALL_MODULE = 56, CALL_DATA = 64,
	FIELD_TYPE = 0, FIELD_NAME = 8, FIELD_LINK = 16, FIELD_SIZE = 32, FIELD_OFFSET = 36, FIELD_SIGN = 40, FIELD_LEN = 44,
	META_FIELDS = 16, MODULE_TEXT = 24,
};

static void member(struct btf *b, const char *name, int type, unsigned off)
{
	btf__add_field(b, name, type, 8 * off, 0);
}

static struct btf *types_of(bool has_len)
{
	struct btf *b = btf__new_empty();
	int number = btf__add_int(b, "int", 4, BTF_INT_SIGNED), bits = btf__add_int(b, "unsigned int", 4, 0);
	int pointer = btf__add_ptr(b, 0), list, name, event;

	list = btf__add_struct(b, "list_head", 16);
	member(b, "next", pointer, 0);
	member(b, "prev", pointer, 8);
	event = btf__add_struct(b, "trace_event", 8);
	member(b, "type", number, 4);
	name = btf__add_union(b, NULL, 8);
	member(b, "name", pointer, 0);
	member(b, "tp", pointer, 0);
	btf__add_struct(b, "trace_event_call", 80);
	member(b, "class", pointer, CALL_CLASS);
	member(b, NULL, name, CALL_NAME);
	member(b, "list", list, CALL_LIST);
	member(b, "event", event, CALL_TYPE - 4);
	member(b, "print_fmt", pointer, CALL_PRINT);
	member(b, has_len ? "module" : "mod", pointer, CALL_MODULE);
	member(b, "data", pointer, CALL_DATA);
	btf__add_struct(b, "trace_event_class", 64);
	member(b, "system", pointer, CLASS_SYSTEM);
	member(b, "get_fields", pointer, CLASS_GETTER);
	member(b, "fields", list, CLASS_FIELDS);
	btf__add_struct(b, "ftrace_event_field", 48);
	member(b, "type", pointer, FIELD_TYPE);
	member(b, "name", pointer, FIELD_NAME);
	member(b, "link", list, FIELD_LINK);
	member(b, "size", number, FIELD_SIZE);
	member(b, "offset", number, FIELD_OFFSET);
	if (has_len) {
		btf__add_field(b, "is_signed", bits, 8 * FIELD_SIGN + 3, 1);
		member(b, "len", number, FIELD_LEN);
	} else {
		member(b, "is_signed", number, FIELD_SIGN);
	}
	btf__add_struct(b, "syscall_metadata", 32);
	member(b, "enter_fields", list, META_FIELDS);
	btf__add_struct(b, "module", 64);
	member(b, "name", number, MODULE_TEXT);
	return b;
}

/* Adds the list's entry @link at its end: behind the last one. An empty list's head points to itself. */
static void append(uint64_t head, uint64_t link)
{
	uint64_t last;

	memcpy(&last, at(head + 8), sizeof(last));
	put(link, head, 8);
	put(link + 8, last, 8);
	put(last, link, 8);
	put(head + 8, link, 8);
}

static void empty_list(uint64_t head)
{
	put(head, head, 8);
	put(head + 8, head, 8);
}

/* The kernel puts each new field before the others. */
static void prepend(uint64_t head, uint64_t link)
{
	uint64_t first;

	memcpy(&first, at(head), sizeof(first));
	append(first, link);
}

static uint64_t heap_end;

static uint64_t alloc(size_t len)
{
	uint64_t addr = heap_end;

	heap_end += (len + 15) & ~(uint64_t)15;
	return addr;
}

static void add_field(uint64_t head, const char *type, const char *name, unsigned off, unsigned size, unsigned sign, unsigned len)
{
	uint64_t f = alloc(48), t = alloc(strlen(type) + 1), n = alloc(strlen(name) + 1);

	put(f + FIELD_TYPE, put_text(t, type), 8);
	put(f + FIELD_NAME, put_text(n, name), 8);
	put(f + FIELD_SIZE, size, 4);
	put(f + FIELD_OFFSET, off, 4);
	put(f + FIELD_SIGN, sign, 4);
	put(f + FIELD_LEN, len, 4);
	prepend(head, f + FIELD_LINK);
}

/* Static things, each in a place of its own. */
#define EVENTS		(IMAGE + 0x000)		/* ftrace_events */
#define COMMON		(IMAGE + 0x010)		/* ftrace_common_fields */
#define CLASS(n)	(IMAGE + 0x100 + 0x40 * (n))
#define CALL(n)		(IMAGE + 0x400 + 0x80 * (n))
#define TEXT(n)		(IMAGE + 0x900 + 0x40 * (n))
#define POINT(n)	(IMAGE + 0xe00 + 0x40 * (n))
#define META		(IMAGE + 0x1000)
#define MODULE		(IMAGE + 0x1100)
#define GETTER		0xffffffff81000300ull

static void make_class(unsigned n, const char *group, uint64_t getter)
{
	put(CLASS(n) + CLASS_SYSTEM, put_text(TEXT(n), group), 8);
	put(CLASS(n) + CLASS_GETTER, getter, 8);
	empty_list(CLASS(n) + CLASS_FIELDS);
}

/* @name: the address of the name, or of its tracepoint. */
static void make_call(uint64_t call, unsigned class, uint64_t name, unsigned id)
{
	put(call + CALL_CLASS, CLASS(class), 8);
	put(call + CALL_NAME, name, 8);
	put(call + CALL_TYPE, id, 4);
	put(call + CALL_PRINT, put_text(TEXT(16), "\"%d\", REC->a"), 8);
	append(EVENTS, call + CALL_LIST);
}

static uint64_t make_point(unsigned n, uint64_t name)
{
	put(POINT(n), name, 8);
	return POINT(n);
}

/* @sign: how this kernel stores that a field is signed. */
static void make_memory(bool has_len, unsigned sign)
{
	uint64_t call;

	memset(image, 0, sizeof(image));
	heap_end = HEAP;
	empty_list(EVENTS);
	empty_list(COMMON);
	add_field(COMMON, "unsigned short", "common_type", 0, 2, 0, 0);
	add_field(COMMON, "int", "common_pid", 4, 4, sign, 0);
	make_class(0, "g", 0);
	add_field(CLASS(0) + CLASS_FIELDS, has_len ? "char[LEN]" : "char[16]", "comm", 8, 16, 0, has_len ? 16 : 0);
	add_field(CLASS(0) + CLASS_FIELDS, "__data_loc u32[]", "list", 24, 4, 0, 0);
	make_class(1, "syscalls", GETTER);
	empty_list(META + META_FIELDS);
	add_field(META + META_FIELDS, "int", "__syscall_nr", 8, 4, sign, 0);
	make_class(2, "h", GETTER + 0x100);		/* nobody knows what that function returns */
	put_text(MODULE + MODULE_TEXT, "extra");
	make_call(CALL(0), 0, make_point(0, put_text(TEXT(8), "one")), 5);
	make_call(CALL(1), 0, put_text(TEXT(9), "static_name"), 6);
	put(CALL(1) + CALL_MODULE, MODULE, 8);
	make_call(CALL(2), 1, put_text(TEXT(10), "sys_enter_x"), 7);
	put(CALL(2) + CALL_DATA, META, 8);
	make_call(CALL(3), 2, put_text(TEXT(11), "odd"), 8);
	call = alloc(80);
	make_call(call, 0, put_text(alloc(8), "ab"), 9);	/* a kprobe's: a count where others have the module */
	put(call + CALL_MODULE, 3, 8);
	call = alloc(80);
	make_call(call, 0, put_text(alloc(8), "n"), 0);		/* not registered */
	make_call(CALL(4), 0, make_point(1, put_text(alloc(8), "made")), 10);	/* a synthetic event's own tracepoint */
}

/* The head of a core file in front of both parts. */
static void make_head(void)
{
	const Elf64_Phdr ph[] = {
		{ .p_type = PT_LOAD, .p_offset = OFFSET, .p_vaddr = IMAGE, .p_filesz = PART, .p_memsz = PART },
		{ .p_type = PT_LOAD, .p_offset = OFFSET + PART, .p_vaddr = HEAP, .p_filesz = PART, .p_memsz = PART },
	};
	const Elf64_Ehdr ehdr = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_CORE, .e_machine = EM_X86_64, .e_version = EV_CURRENT,
		.e_phoff = sizeof(ehdr), .e_ehsize = sizeof(ehdr), .e_phentsize = sizeof(*ph), .e_phnum = ARRAY_SIZE(ph),
	};

	memcpy(image, &ehdr, sizeof(ehdr));
	memcpy(image + sizeof(ehdr), ph, sizeof(ph));
}

static const char *const memory_symbols[] = {
	"ffffffff81000300 t syscall_get_enter_fields", "ffffffff81400000 d ftrace_events",
	"ffffffff81400010 d ftrace_common_fields",
	"ffffffff81400400 d event_one", "ffffffff81400500 d event_enter__x", NULL
};

#endif
