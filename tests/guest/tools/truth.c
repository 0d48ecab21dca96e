// SPDX-License-Identifier: GPL-2.0-only
/*
 * truth.c - calls whose values are known, for truth.guest: those of public reports of wrong values
 *
 *	truth values	bpf() with a size of 0x48, setsockopt(TCP_NODELAY) with a length of 4
 *	truth sleeps	two nanosleep() of 700 ns, and one whose pointer is bad
 *	truth cold	opens a file whose name is in memory that this process has not touched: "/etc/cold-name"
 *	truth far	lseek() to both ends of the numbers, to -5 and to 3; all fail
 */
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int values(void)
{
	char bytes[200] = { 0 };
	int fd, one = 1;

	syscall(SYS_bpf, 0x77, bytes, 0x48);
	fd = socket(AF_INET, SOCK_STREAM, 0);
	return setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
}

static int sleeps(void)
{
	struct timespec t = { 0, 700 };

	syscall(SYS_nanosleep, &t, 0);
	syscall(SYS_nanosleep, &t, 0);
	syscall(SYS_nanosleep, 8, 0);
	return 0;
}

static int cold(void)
{
	char page[4096] = "/etc/cold-name", *name;
	int fd = open("/tmp/cold", O_RDWR | O_CREAT | O_TRUNC, 0600);

	if (fd < 0 || write(fd, page, sizeof(page)) != sizeof(page))
		return 1;
	name = mmap(NULL, sizeof(page), PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	open(name, O_RDONLY);
	return 0;
}

static int far(void)
{
	static const long to[] = { LONG_MAX, LONG_MIN, LONG_MAX, -5, 3 };

	for (unsigned i = 0; i < sizeof(to) / sizeof(*to); i++)
		syscall(SYS_lseek, 99, to[i], 0);
	return 0;
}

int main(int argc, char **argv)
{
	static const struct { const char *name; int (*run)(void); } ops[] = {
		{ "values", values }, { "sleeps", sleeps }, { "cold", cold }, { "far", far },
	};

	for (unsigned i = 0; argc == 2 && i < sizeof(ops) / sizeof(*ops); i++) {
		if (!strcmp(argv[1], ops[i].name))
			return ops[i].run();
	}
	return 64;
}
