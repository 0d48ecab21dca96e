// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_format.c - any bytes as the format file of an event (see fuzz.h): the fields that are accepted are complete, and agree with
 * their sizes. Links only base/ and kernel/.
 */
#include <errno.h>

#include "kernel/events/kevents_priv.h"

static const char fuzz_name[] = "fuzz_format";
static const char *const fuzz_seeds[] = {
	"name: sched_switch\nID: 310\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
	"\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
	"\tfield:__data_loc u32[] list;\toffset:24;\tsize:4;\tsigned:0;\n"
	"\nprint fmt: \"%s\", REC->prev_comm\n",
	"name: x\nID: 1\nformat:\n\tfield:unsigned int rc[EXT4_FC_REASON_MAX];\toffset:8;\tsize:40;\tsigned:0;\n"
	"\tfield:const char * p;\toffset:48;\tsize:8;\tsigned:0;\n\tfield:__rel_loc cpumask_t m;\toffset:56;\tsize:4;\tsigned:0;\n",
};

static const char *const fuzz_words[] = {
	"name:", "ID:", "format:", "field:", "offset:", "size:", "signed:", "print fmt:", ";", "\t", "\n", " ", "[", "]", "[]",
	"[0]", "[4]",
	"char", "unsigned char", "__data_loc ", "__rel_loc ", "cpumask_t", "u64", "*", "0", "1", "3", "8",
	"4294967295", "4294967296",
	"-1",
	"18446744073709551616", "\x80", "\xff", "struct x",
};

#include "fuzz.h"

static void check_field(const struct kevent_field *f, const char *text)
{
	bool counted = f->kind == KEVENT_ARRAY || f->kind == KEVENT_TEXT;

	require(f->name && f->type && *f->type && f->element, "a field without a name or a type", text);
	require(f->kind <= KEVENT_BYTES && kevent_field_fits(f), "a field that cannot be", text);
	require(!counted || (uint64_t)f->nr_elements * f->element_size == f->size, "an array whose elements are not its size",
		text);
	require(f->kind != KEVENT_NUMBER || f->size == 1 || f->size == 2 || f->size == 4 || f->size == 8, "no number", text);
	require((f->kind != KEVENT_DYNAMIC && f->kind != KEVENT_RELATIVE) || f->size == 4, "no place of data", text);
}

static void check_text(const char *text)
{
	struct arena arena = { 0 };
	struct kevent ev = { 0 };
	int err = kevent_parse_format(&arena, text, strlen(text), &ev);

	require(!err || err == -EINVAL, "another error", text);
	require(err || (ev.name && ev.nr_fields), "an event without a name or fields", text);
	for (unsigned i = 0; !err && i < ev.nr_fields; i++)
		check_field(&ev.fields[i], text);
	arena_fini(&arena);
}
