// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_copies.c - which symbols are copies or parts of a function. The suffixes are gcc's and clang's.
 */
#include "plan/copies.h"

#include "tap.h"

int main(void)
{
	static const struct {
		const char *symbol, *name;
		enum copy_kind kind;
	} cases[] = {
		{ "f.isra.0", "f", COPY_ISRA }, { "f.isra.123", "f", COPY_ISRA }, { "f.isra", "f", COPY_ISRA },
		{ "f.constprop.0", "f", COPY_CONSTPROP }, { "f.constprop.0.isra.1", "f", COPY_ISRA }, { "f.isra.0.constprop.0", "f", COPY_ISRA },
		{ "f.part.0", "f", COPY_PART }, { "f.part.0.isra.0", "f", COPY_PART }, { "f.isra.0.part.0", "f", COPY_PART },
		{ "f.cold", "f", COPY_COLD }, { "f.cold.3", "f", COPY_COLD }, { "f.part.0.cold", "f", COPY_COLD },
		{ "f.constprop.0.cold", "f", COPY_COLD }, { "f.llvm.1234567890123456789", "f", COPY_RENAMED },
		{ "f.llvm.1.cold", "f", COPY_COLD }, { "__f_1.isra.0", "__f_1", COPY_ISRA },
		{ "f", "f", COPY_NONE }, { "f.", "f", COPY_NONE }, { "f.0", "f", COPY_NONE }, { "f.slowpath", "f", COPY_NONE },
		{ "f.isra.0x", "f", COPY_NONE }, { "f..cold", "f", COPY_NONE }, { "f.cold.", "f", COPY_NONE }, { "f.colder", "f", COPY_NONE },
		{ "ff.isra.0", "f", COPY_NONE }, { "f.isra.0", "ff", COPY_NONE }, { "f.isra.0", "", COPY_NONE }, { ".cold", "", COPY_NONE },
		{ "f.isra.0.slowpath", "f", COPY_NONE }, { "f.isra.0", "f.isra.0", COPY_NONE }, { "f.isra.0.cold", "f.isra.0", COPY_COLD },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		enum copy_kind kind = copy_kind_of(cases[i].symbol, cases[i].name);

		CHECK(kind == cases[i].kind, "%s of '%s' is %d: %d", cases[i].symbol, cases[i].name, (int)cases[i].kind, (int)kind);
	}
	return tap_done();
}
