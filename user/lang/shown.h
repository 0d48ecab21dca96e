/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * shown.h - the types that show more than a number: a row for each. Each room takes the columns that it needs.
 *
 *	SHOWN_TYPES(ROW)	ROW(id, kept, names, btf, print, without, words)
 *
 *	id	SHOW_id of enum type_show
 *	kept	the word in the text of a kept layout (plan/layout_text.c). It never changes
 *	names	names of numbers: NONE; ERRORS, which every reader knows; or OWN, which a layout must have with it
 *	btf	what BTF must say of the value: the function of plan/resolve_show.c whose name ends with it
 *	print	the text, JSON, and format text: the struct show of print/ whose name ends with it. A filter compares the text
 *	without	what kprobe_events prints instead, for --translate
 *	words	the words for it, WORD(word, kind, bytes, SHOW_id, further members of struct type_word). The kind says how it is stored:
 *		a number; TYPE_BYTES; or TYPE_BLOCK and TYPE_BUFFER, whose bytes are 0. OWN and ERRORS may have any kind of number
 */
#ifndef LANG_SHOWN_H
#define LANG_SHOWN_H

#define SHOWN_TYPES(ROW) \
	ROW(ERRNO, "errno", ERRORS, errno_name, errno, "the number, not the error's name", \
	    WORD("errno", SIGNED, 4, ERRNO)) \
	ROW(ENUM, "enum", OWN, enum, enum, "the number, not the enumeration's name for it", \
	    WORD("enum", SIGNED, 4, ENUM)) \
	ROW(SYSCALL, "syscall", OWN, syscall, enum, "the number, not the system call's name", \
	    WORD("syscall", SIGNED, 4, SYSCALL)) \
	ROW(IP4, "ip4", NONE, pointer, ip4, "the address as a number, with its bytes in reverse order", \
	    WORD("ip4", HEX, 4, IP4)) \
	ROW(IP6, "ip6", NONE, memory, ip6, "the address byte by byte", \
	    WORD("ip6", BYTES, 16, IP6)) \
	ROW(MAC, "mac", NONE, memory, mac, "the address byte by byte", \
	    WORD("mac", BYTES, 6, MAC)) \
	ROW(BIG_ENDIAN, "be", NONE, big_endian, number, "the bytes in reverse order", \
	    WORD("be16", UNSIGNED, 2, BIG_ENDIAN) WORD("be32", UNSIGNED, 4, BIG_ENDIAN)) \
	ROW(SOCKADDR, "sockaddr", NONE, memory, sockaddr, "the structure byte by byte", \
	    WORD("sockaddr", BLOCK, 0, SOCKADDR, .array = "")) \
	ROW(BYTES, "bytes", NONE, buffer, bytes, "the bytes as numbers", \
	    WORD("bytes", BUFFER, 0, BYTES, .array = "")) \
	ROW(HEX, "hex", NONE, buffer, hex, "the bytes as numbers", \
	    WORD("hex", BUFFER, 0, HEX, .array = ""))

#endif
