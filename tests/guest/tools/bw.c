// SPDX-License-Identifier: GPL-2.0-only
/*
 * bw.c - buffers with a length, for buffers.guest: byte i of a buffer is (7 * i + 3) & 255
 *
 *	bw write N...	writes so many bytes, after it has handed them to take(); N may be below 0
 *	bw text TEXT	writes TEXT, which printf(1) has made; bw split: a text with a NUL, a quote and a byte that is no UTF-8
 *	bw edge		writes buffers whose end is behind the end of memory
 *	bw read N...	reads so many bytes from a pipe that has 9 bytes, and then from no file
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PAGE = 4096, PAGES = 4 };

static unsigned char *data;
static int null;

/* For user probes. @len has 32 bits, and what is above them in its register is no part of it. */
long take(int number, const void *bytes, int len);

__attribute__((noinline, used)) long take(int number, const void *bytes, int len)
{
	__asm__ volatile("" : : "r"(number), "r"(bytes), "r"(len) : "memory");
	return len;
}

static void put(const void *bytes, long len)
{
	take(1, bytes, (int)len);
	syscall(SYS_write, null, bytes, len);
}

static void edge(void)
{
	unsigned char *end = data + PAGES * PAGE;

	put(end - 4, 8);
	put(end - 4, 4);
	put(end, 4);
	put(end, 0);
	put(end - 4000, 4095);
}

static void receive(int fd, long len)
{
	memset(data, 0xee, PAGE);
	syscall(SYS_read, fd, data, len);
}

int main(int argc, char **argv)
{
	static const char split[] = "a\0b\"\\\t\x01\x7f\xc3\xa9\xff";
	int ends[2];

	data = mmap((void *)0x20000000UL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	null = open("/dev/null", O_WRONLY);
	if (argc < 2 || data == MAP_FAILED || null < 0 || pipe(ends))
		return 99;
	for (unsigned i = 0; i < PAGES * PAGE; i++)
		data[i] = (unsigned char)(7 * i + 3);
	if (!strcmp(argv[1], "edge"))
		edge();
	else if (!strcmp(argv[1], "split"))
		put(split, sizeof(split) - 1);
	for (int i = 2; i < argc; i++) {
		if (!strcmp(argv[1], "write")) {
			put(data, atol(argv[i]));
		} else if (!strcmp(argv[1], "text")) {
			put(argv[i], (long)strlen(argv[i]));
		} else {
			if (write(ends[1], "one\0two\xff\n", 9) != 9)
				return 1;
			receive(ends[0], atol(argv[i]));
			receive(-1, atol(argv[i]));
		}
	}
	return 0;
}
