// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_maps.c - any bytes as a line of /proc/PID/maps (see fuzz.h): what is accepted has a name, and means the same when it is printed as the
 * kernel prints it.
 */
#include "elf/maps.c"

static const char fuzz_name[] = "fuzz_maps";
static const char *const fuzz_seeds[] = {
	"55d0c8a00000-55d0c8a2c000 r-xp 0002f000 fe:01 1234567                    /usr/bin/a name\n",
	"7ffd1d3f2000-7ffd1d3f4000 r-xp 00000000 00:00 0                          [vdso]\n",
	"ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  [vsyscall]\n",
	"7f1c5c000000-7f1c5c021000 rw-p 00000000 00:00 0 \n",
};

static const char *const fuzz_words[] = {
	"-", " ", "r-xp", "--xp", "rwxs", ":", "00:00", "fe:01", "/bin/sh", "\n", "0", "ffffffffffffffff", "10000000000000000", "[vdso]", "(deleted)",
	"\x80", "\t", "0x", "+",
};

#include "fuzz.h"

static bool parse(const char *text, struct buf *line, struct user_map *ret)
{
	buf_reset(line);
	buf_adds(line, text);
	buf_str(line);
	return parse_line(line->data, ret);
}

static void check_text(const char *text)
{
	struct buf line = { 0 }, printed = { 0 }, other = { 0 };
	struct user_map m, again;

	if (parse(text, &line, &m)) {
		require(*m.path && !strchr(m.path, '\n'), "a mapping without a name", text);
		buf_addf(&printed, "%llx-%llx r-xp %llx %x:%x %llu %s\n", (unsigned long long)m.start, (unsigned long long)m.end,
			 (unsigned long long)m.off, m.inode.major, m.inode.minor, (unsigned long long)m.inode.ino, m.path);
		require(parse(buf_str(&printed), &other, &again), "printed as what is refused", buf_str(&printed));
		require(m.start == again.start && m.end == again.end && m.off == again.off && m.inode.major == again.inode.major &&
			m.inode.minor == again.inode.minor && m.inode.ino == again.inode.ino && !strcmp(m.path, again.path),
			"another mapping when it is printed", text);
	}
	buf_fini(&line);
	buf_fini(&printed);
	buf_fini(&other);
}
