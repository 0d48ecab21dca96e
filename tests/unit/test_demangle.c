// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_demangle.c - names of C++ and Rust. Each symbol is what a compiler makes of the declaration on its right: the C++ ABI's mangling, Rust's
 * own (RFC 2603), and Rust's older one, which is C++'s with a hash.
 */
#include "elf/demangle.h"

#include <string.h>

#include "base/macros.h"
#include "tap.h"

static void test_names(void)
{
	static const struct { const char *name, *meant; } names[] = {
		{ "_Z3foov", "foo()" },
		{ "_ZN3net6Socket4readEPcm", "net::Socket::read(char*, unsigned long)" },
		{ "_ZNK3net6Socket4nameEv", "net::Socket::name() const" },
		{ "_ZN3net6SocketC1Ei", "net::Socket::Socket(int)" },
		{ "_ZN3net6SocketD0Ev", "net::Socket::~Socket()" },
		{ "_ZN12_GLOBAL__N_16helperEv", "(anonymous namespace)::helper()" },
		{ "_Z5applyRA3_i", "apply(int (&) [3])" },
		{ "_ZN3net4readEv.cold", "net::read() [clone .cold]" },
		{ "_ZN3net4readEv@@NET_1.0", "net::read()@@NET_1.0" },
		{ "_ZplRK1AS1_", "operator+(A const&, A const&)" },
		{ "_RNvNtCs_3std2io4copy", "std::io::copy" },
		{ "_RINvNtC3std3mem8align_ofjdE", "std::mem::align_of::<usize, f64>" },
		{ "_RNvC1au8gdel_5qa", "a::g\303\266del" },		/* RFC 2603 has this identifier */
		{ "_ZN4core3fmt5write17h0123456789abcdefE", "core::fmt::write" },
	};
	struct buf out = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		bool ok;

		buf_reset(&out);
		buf_addc(&out, ' ');
		ok = demangle(names[i].name, &out);
		CHECK(ok && *buf_str(&out) == ' ' && !strcmp(buf_str(&out) + 1, names[i].meant), "%s is %s:%s", names[i].name, names[i].meant,
		      buf_str(&out));
	}
	buf_fini(&out);
}

static void test_others(void)
{
	static const char *const names[] = {
		"", "_", "main", "_start", "_Z", "_R", "__Z3foov", "Z3foov", "R", "RNvC3foo3bar", "_ZN", "_ZN3foo", "_Z3fo", "_Z3fo@x", "@", "_@x",
		"_RNvC5mycra", "_RNvNtCs_", "_Zero", "_Reset", "_GLOBAL__sub_I_main",
	};
	struct buf out = { 0 };

	buf_addc(&out, 'x');
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		CHECK(!demangle(names[i], &out) && !strcmp(buf_str(&out), "x"), "'%s' is no such name, and nothing is appended", names[i]);
	buf_fini(&out);
}

/*
 * f(A<int, int>, A<B, B>, A<C, C>, ...), where B is the first type, C the second one, and so on: each is twice as long as the one before. S_
 * is A, S0_ the first type, S1_ the second one.
 */
static void doubling(struct buf *name, unsigned types)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

	buf_reset(name);
	buf_adds(name, "_Z1f1AIiiE");
	for (unsigned i = 0; i + 1 < types; i++)
		buf_addf(name, "S_IS%c_S%c_E", digits[i], digits[i]);
}

static void test_long(void)
{
	struct buf name = { 0 }, out = { 0 };
	bool ok;

	doubling(&name, 3);
	ok = demangle(buf_str(&name), &out);
	CHECK(ok && !strcmp(buf_str(&out), "f(A<int, int>, A<A<int, int>, A<int, int> >, A<A<A<int, int>, A<int, int> >, A<A<int, int>, A<int, int> > >)"),
	      "three types, the last one of 8 int: '%s'", buf_str(&out));
	buf_reset(&out);
	doubling(&name, 36);
	CHECK(!demangle(buf_str(&name), &out) && !out.len, "a name of %zu bytes whose text has 2^36 int", name.len);
	buf_reset(&name);
	buf_adds(&name, "_Z");
	buf_pad(&name, 'P', 100000);
	CHECK(!demangle(buf_str(&name), &out) && !out.len, "100,000 nested types");
	buf_reset(&name);
	buf_adds(&name, "_ZN1000");
	buf_pad(&name, 'a', 1000);
	buf_adds(&name, "E");
	ok = demangle(buf_str(&name), &out);
	CHECK(ok && out.len == 1000, "an identifier of 1000 bytes: %zu", out.len);
	/* An identifier that is not ASCII, which is too long. The address sanitizer says whether memory is lost. */
	buf_reset(&out);
	buf_reset(&name);
	buf_adds(&name, "_RNvC1au5004");
	buf_pad(&name, 'a', 5000);
	buf_adds(&name, "_5qa");
	CHECK(!demangle(buf_str(&name), &out) && !out.len, "a Rust identifier of 5000 characters, one of which is not ASCII");
	buf_reset(&name);
	buf_adds(&name, "_RINvC1au5004");
	buf_pad(&name, 'a', 5000);
	buf_adds(&name, "_5qajdE");
	CHECK(!demangle(buf_str(&name), &out) && !out.len, "... and parameters behind it");
	buf_fini(&name);
	buf_fini(&out);
}

int main(void)
{
	if (demangle_is_known) {
		test_names();
		test_long();
	} else {
		TAP_SKIP("built without libiberty");
	}
	test_others();
	return tap_done();
}
