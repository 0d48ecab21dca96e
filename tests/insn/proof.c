// SPDX-License-Identifier: GPL-2.0-only
/*
 * proof.c - holds the length decoder of arch/insn.h against objdump and Zydis.
 *
 *	objdump -d -w -z -M intel64 ELF | proof sweep NAME ELF KNOWN
 *	proof random|shaped COUNT SEED
 *	proof every
 *
 * Prints TAP, and what it counted as comments. See tests/insn/proof.sh.
 */
#include <stdarg.h>

#include "oracle.h"

bool result(bool good, const char *fmt, ...)
{
	va_list ap;

	fputs(good ? "ok - " : "not ok - ", stdout);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	return good;
}

const char *hex(const uint8_t *bytes, int len, char *buf)
{
	static const char digits[] = "0123456789abcdef";
	char *out = buf;

	for (int i = 0; i < len && i < INSN_MAX; i++) {
		*out++ = digits[bytes[i] >> 4];
		*out++ = digits[bytes[i] & 15];
		*out++ = ' ';
	}
	out[out > buf ? -1 : 0] = '\0';
	return buf;
}

int main(int argc, char **argv)
{
	oracle_init();
	if (argc == 5 && !strcmp(argv[1], "sweep"))
		return sweep(argv[2], argv[3], argv[4]);
	if (argc == 4 && (!strcmp(argv[1], "random") || !strcmp(argv[1], "shaped")))
		return strings(argv[1], strtoull(argv[2], NULL, 0), strtoull(argv[3], NULL, 0));
	if (argc == 2 && !strcmp(argv[1], "every"))
		return strings("every", 0, 1);
	fputs("usage: proof sweep NAME ELF KNOWN | random|shaped COUNT SEED | every\n", stderr);
	return 64;
}
