// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_names.c - any bytes as text from elsewhere: as the name of a symbol that is demangled, as what is shown on a terminal or in a line, as a
 * number, and as the head of a recording (see fuzz.h). What is shown has no control characters, a number that is printed is the same one, and a head
 * that is printed means the same.
 */
#define FUZZ_BYTES
#include <inttypes.h>

#include "base/escape.h"
#include "base/escape_line.h"
#include "base/number.h"
#include "elf/demangle.h"
#include "print/recording.h"

#include "../unit/json_reader.h"

static const char fuzz_name[] = "fuzz_names";
static const char *const fuzz_seeds[] = {
	"_ZN3net6Socket4readEPcm", "_ZplRK1AS1_@@V_1.2", "_RNvC6_123foo3bar", "_RNvNtCs1234_7mycrate3foo3bar", "_ZN4core3ptr13drop_in_placeE.llvm.1",
	"0x1f", "-9223372036854775808", "18446744073709551615", "017", "a \xc3\xa9 \xe2\x82\xac \xf0\x9f\x90\x9d \x1b[31m \xe2\x80\xae \xc2\x9f",
	"boot-id 01234567-89ab-cdef-0123-456789abcdef\nclocks 1 2 3 4\nclocks 5 6 7 8\n",
};

static const char *const fuzz_words[] = {
	"_Z", "_R", "N", "E", "3net", "St", "IiE", "RK", "S_", "S1_", "C1", "D0", "Pc", "m", "@@V", ".cold", ".llvm.", "0x", "-", "+", "\x80", "\xc2", "\xe2\x80",
	"\xe2\x80\xae", "\xf4\x90", "\x1b", "\x7f", "\n", "boot-id ", "clocks ", "9223372036854775807", " ", "\"", "\\",
};

#include "fuzz.h"

static void check_escaped(const char *data, size_t len)
{
	struct buf out = { 0 }, again = { 0 };
	unsigned columns;

	escape_text(&out, data, len, "\n");
	require_printable(buf_str(&out), out.len, '\n', "escape_text()");
	require(utf8_is_valid(buf_str(&out), out.len), "not UTF-8", buf_str(&out));
	escape_text(&again, out.data, out.len, "\n");
	require(out.len == again.len, "what is safe is changed", buf_str(&out));
	if (len)
		require(escape_character(&again, data, len, &columns) <= len, "more bytes than there are", buf_str(&out));
	require(escape_unfinished(data, len) <= 3, "more bytes than a character lacks", buf_str(&out));
	for (unsigned i = 0; i < 3; i++) {
		buf_reset(&out);
		escape_line(&out, data, (uint32_t)len, "\"'"[i]);
		require_printable(buf_str(&out), out.len, 0, "escape_line()");
		require(strlen(buf_str(&out)) == out.len, "a line with a NUL in it, or no end", buf_str(&out));
	}
	buf_fini(&out);
	buf_fini(&again);
}

static void check_demangled(const char *name)
{
	struct buf out = { 0 };

	buf_adds(&out, "x");
	if (demangle(name, &out))
		require(demangle_may(name) && out.len > 1 && out.len <= 1 + DEMANGLED_MAX + strlen(name), "a name without letters, or too long", name);
	else
		require(!strcmp(buf_str(&out), "x"), "no name, but not quite", name);
	buf_reset(&out);
	demangle_short(name, &out);
	buf_fini(&out);
}

static void check_number(const char *text, size_t len)
{
	uint64_t n = 5, same;
	int64_t s, sames;
	char shown[32];

	for (unsigned base = 0; base <= 16; base += base < 10 ? 10 : 6) {
		if (!number_u64(text, len, base, &n)) {
			snprintf(shown, sizeof(shown), "%" PRIu64, n);
			require(!number_u64(shown, strlen(shown), 10, &same) && same == n, "another number", text);
		}
		if (!number_s64(text, len, base, &s)) {
			snprintf(shown, sizeof(shown), "%" PRId64, s);
			require(!number_s64(shown, strlen(shown), 10, &sames) && sames == s, "another number with a sign", text);
		}
	}
}

static void check_recording(const char *text)
{
	struct arena arena = { 0 };
	const struct recording r = recording_parse(&arena, text, text, text);
	struct buf out = { 0 }, again = { 0 };
	struct recording back;

	recording_print(&r, &out);
	back = recording_parse(&arena, buf_str(&out), NULL, NULL);
	recording_print(&back, &again);
	require(!strcmp(buf_str(&out), buf_str(&again)), "another recording", text);
	buf_fini(&out);
	buf_fini(&again);
	arena_fini(&arena);
}

static void check_bytes(const char *data, size_t len)
{
	struct buf text = { 0 };

	buf_add(&text, data, len);
	check_escaped(data, len);
	check_demangled(buf_str(&text));
	check_number(buf_str(&text), strlen(buf_str(&text)));
	check_recording(buf_str(&text));
	buf_fini(&text);
}
