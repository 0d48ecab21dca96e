// SPDX-License-Identifier: GPL-2.0-only
/*
 * dw.c - the program that dynamic.sh traces: functions with known arguments, and events of the kernel with known fields
 *
 *	dw OP		do one thing; its comm is `dw`
 *
 * It is built three times: static at fixed addresses, as a PIE with a library of its own, and (DW_LIBRARY) as this library.
 * The values of dynamic.tsv come from here: a change of a number here is a change there.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROBED __attribute__((noinline, noclone, used))

long dw_lib(long n, const char *text);

#if defined(DW_LIBRARY) || !defined(DW_DYNAMIC)
PROBED long dw_lib(long n, const char *text)
{
	asm volatile("" : "+r"(n) : "r"(text) : "memory");
	return n + (long)strlen(text);
}
#endif

#ifndef DW_LIBRARY

enum { PAGE = 4096 };

struct node {
	long value;
	struct node *next;
	const char *name;
	char tag[8];
};

/* Each byte has another value, and each number that begins at the first eight is negative. */
unsigned char dw_bytes[16] = { 0xf0, 0xe1, 0xd2, 0xc3, 0xb4, 0xa5, 0x96, 0x87, 0x78, 0x69, 0x5a, 0x4b, 0x3c, 0x2d, 0x1e, 0x0f };
char dw_text[32] = "text of dw";
char dw_odd[16] = "a\"b\\c\001\x7f\xc3\xa9 d";
char dw_lines[8] = "a\nb";
char dw_long[6000];
const char *dw_names[4] = { "one", "two", "", "four" };
const char *dw_holes[4] = { "one", NULL, "three", (const char *)16 };
struct node dw_nodes[3] = {
	{ 100, &dw_nodes[1], "first", "tag one" },
	{ -200, &dw_nodes[2], "second", "tag two" },
	{ 300, NULL, NULL, "three" },
};

/* What a tracer adds one to while it is attached to dw_marker. */
unsigned short dw_counter __attribute__((section(".probes"), used));

/* They are global, so that the compiler keeps the calling convention of each. */
long dw_sum(long a, int b, unsigned char c);
int dw_name(const char *name, const char *const *names);
long dw_path(const char *path);
long dw_huge(const char *path);
long dw_many(long a, long b, long c, long d, long e, long f, long g, long h);
const char *dw_node(const struct node *node, const void *bytes);
int dw_deep(int n);
long dw_turn(long n);

/* Every register has a value of its own at dw_regs_full. */
void dw_regs(void);
asm(".pushsection .text\n"
    ".globl dw_regs, dw_regs_full, dw_marker\n"
    ".type dw_regs, @function\n"
    "dw_regs:\n"
    "	push %rbx\n	push %rbp\n	push %r12\n	push %r13\n	push %r14\n	push %r15\n"
    "	movabs $0x8101010101010101, %rax\n"
    "	movabs $0x8202020202020202, %rbx\n"
    "	movabs $0x8303030303030303, %rcx\n"
    "	movabs $0x8404040404040404, %rdx\n"
    "	movabs $0x8505050505050505, %rsi\n"
    "	movabs $0x8606060606060606, %rdi\n"
    "	movabs $0x8707070707070707, %rbp\n"
    "	movabs $0x8808080808080808, %r8\n"
    "	movabs $0x8909090909090909, %r9\n"
    "	movabs $0x8a0a0a0a0a0a0a0a, %r10\n"
    "	movabs $0x8b0b0b0b0b0b0b0b, %r11\n"
    "	movabs $0x8c0c0c0c0c0c0c0c, %r12\n"
    "	movabs $0x8d0d0d0d0d0d0d0d, %r13\n"
    "	movabs $0x8e0e0e0e0e0e0e0e, %r14\n"
    "	movabs $0x8f0f0f0f0f0f0f0f, %r15\n"
    "dw_regs_full:\n"
    "	nop\n"
    "	pop %r15\n	pop %r14\n	pop %r13\n	pop %r12\n	pop %rbp\n	pop %rbx\n"
    "dw_marker:\n"
    "	nop\n"
    "	ret\n"
    ".size dw_regs, . - dw_regs\n"
    ".popsection\n");

PROBED long dw_sum(long a, int b, unsigned char c)
{
	asm volatile("" : "+r"(a), "+r"(b));
	return a + b + c;
}

PROBED int dw_name(const char *name, const char *const *names)
{
	asm volatile("" : : "r"(name), "r"(names) : "memory");
	return names ? -3 : 4;
}

PROBED long dw_path(const char *path)
{
	asm volatile("" : : "r"(path) : "memory");
	return 1;
}

/* 5.10's own tracer crashes the kernel when the strings of a program's record fill a page. Only one row is about this function. */
PROBED long dw_huge(const char *path)
{
	asm volatile("" : : "r"(path) : "memory");
	return 2;
}

PROBED long dw_many(long a, long b, long c, long d, long e, long f, long g, long h)
{
	asm volatile("" : "+r"(a), "+r"(h) : : "memory");
	return a + b + c + d + e + f + g + h;
}

PROBED const char *dw_node(const struct node *node, const void *bytes)
{
	asm volatile("" : : "r"(node), "r"(bytes) : "memory");
	return node->name;
}

PROBED int dw_deep(int n)
{
	int below = n ? dw_deep(n - 1) : 0;

	asm volatile("" : "+r"(below));
	return below + 1;
}

PROBED long dw_turn(long n)
{
	asm volatile("" : "+r"(n));
	return -n;
}

/* ---- functions ---- */

static int op_calls(void)
{
	dw_regs();
	dw_sum(1000, -7, 255);
	dw_sum(-1, 7, 128);
	dw_name("a name", dw_names);
	dw_name(dw_text, dw_holes);
	dw_name("", dw_names);
	dw_name(NULL, NULL);
	dw_many(1, -2, 3, 4, 5, 6, -7, 8);
	dw_node(&dw_nodes[0], dw_bytes);
	dw_node(&dw_nodes[2], dw_bytes + 8);
	dw_deep(3);
	dw_lib(42, "for the library");
	return 0;
}

static int op_text(void)
{
	dw_name(dw_odd, NULL);
	dw_name(dw_lines, NULL);
	return 0;
}

static const char *letters(char letter, unsigned length)
{
	memset(dw_long, letter, length);
	dw_long[length] = 0;
	return dw_long;
}

static int op_long(void)
{
	dw_path(letters('x', 200));
	dw_path(letters('y', 3000));
	dw_path(letters('z', 3990));
	return 0;
}

static int op_huge(void)
{
	dw_huge(letters('a', 4094));
	dw_huge(letters('b', 4095));
	dw_huge(letters('c', 4096));
	dw_huge(letters('d', 5000));
	return 0;
}

/* A page of a file that nobody has touched, one that the second call touches, memory that must not be read, and a string without end. */
static int op_absent(void)
{
	static const char page[PAGE] = "in a file";
	int fd = open("/tmp/absent", O_RDWR | O_CREAT | O_TRUNC, 0600);
	char *edge = mmap((void *)0x30000000UL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	char *path, *closed;

	if (write(fd, page, sizeof(page)) != sizeof(page))
		return 1;
	path = mmap((void *)0x20000000UL, PAGE, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, 0);
	dw_name(path, NULL);
	dw_sum(*(volatile char *)path, 0, 0);
	dw_name(path, NULL);
	closed = mmap((void *)0x28000000UL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	dw_turn((long)closed);
	munmap(edge + PAGE, PAGE);
	memset(edge + PAGE - 6, 'z', 6);
	dw_turn((long)(edge + PAGE - 6));
	return 0;
}

static void *thread(void *n)
{
	dw_turn((long)n);
	return NULL;
}

static int op_threads(void)
{
	pthread_t id[3];

	for (long i = 0; i < 3; i++)
		pthread_create(&id[i], NULL, thread, (void *)(i + 1));
	for (long i = 0; i < 3; i++)
		pthread_join(id[i], NULL);
	dw_turn(4);
	return 0;
}

static int op_forks(void)
{
	for (long i = 0; i < 3; i++) {
		pid_t child = fork();

		if (!child) {
			dw_turn(10 + i);
			_exit(0);
		}
		waitpid(child, NULL, 0);
	}
	dw_turn(13);
	return 0;
}

/* What the tracers have added to the counter. */
static int op_counter(void)
{
	dw_regs();
	printf("%u\n", dw_counter);
	return 0;
}

/* The test writes a line when the tracers are there. */
static int op_hold(void)
{
	char byte;

	while (read(0, &byte, 1) > 0 && byte != '\n')
		;
	dw_turn(21);
	dw_regs();
	return 0;
}

/* ---- events of the kernel ---- */

static void nothing(int signal) { (void)signal; }

static int op_signal(void)
{
	signal(SIGUSR2, nothing);
	syscall(SYS_kill, getpid(), SIGUSR2);
	return 0;
}

static int op_rename(void)
{
	prctl(PR_SET_NAME, "first name");
	prctl(PR_SET_NAME, "dw");
	prctl(PR_SET_NAME, "fifteen letters");
	prctl(PR_SET_NAME, "dw");
	return 0;
}

static int op_syscalls(void)
{
	syscall(SYS_lseek, 77, -5L, 2);
	syscall(SYS_openat, AT_FDCWD, dw_text, O_RDONLY, 0);
	syscall(SYS_openat, -7, NULL, O_WRONLY | O_CREAT, 0640);
	syscall(SYS_getpriority, 1, 0);
	syscall(SYS_write, -1, dw_bytes, 16);
	syscall(SYS_dup, 1234567);
	return 0;
}

static int op_fork(void)
{
	pid_t child = fork();

	if (!child)
		_exit(3);
	waitpid(child, NULL, 0);
	return 0;
}

static int op_exec(void)
{
	execl("/bin/dw", "dw", "nothing", NULL);
	return 1;
}

static int op_nothing(void) { return 0; }

/* A datagram over the loopback, and a connection that nobody takes. */
static int op_net(void)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(4660), .sin_addr = { htonl(0x7f000001) } };
	int udp = socket(AF_INET, SOCK_DGRAM, 0), tcp = socket(AF_INET, SOCK_STREAM, 0);

	sendto(udp, dw_text, 10, 0, (struct sockaddr *)&to, sizeof(to));
	connect(tcp, (struct sockaddr *)&to, sizeof(to));
	return 0;
}

static int op_files(void)
{
	int fd = open("/tmp/dw.file", O_RDWR | O_CREAT | O_TRUNC, 0640);

	if (write(fd, dw_text, 10) != 10)
		return 1;
	close(fd);
	mkdir("/tmp/dw.dir", 0700);
	rmdir("/tmp/dw.dir");
	unlink("/tmp/dw.file");
	unlink("/tmp/dw.none");
	return 0;
}

static const struct op {
	const char *name;
	int (*run)(void);
} ops[] = {
	{ "calls", op_calls }, { "text", op_text }, { "long", op_long }, { "huge", op_huge }, { "absent", op_absent },
	{ "threads", op_threads }, { "forks", op_forks }, { "counter", op_counter }, { "hold", op_hold }, { "signal", op_signal },
	{ "rename", op_rename }, { "syscalls", op_syscalls }, { "fork", op_fork }, { "exec", op_exec }, { "nothing", op_nothing },
	{ "net", op_net }, { "files", op_files },
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc == 2 && i < sizeof(ops) / sizeof(*ops); i++) {
		if (!strcmp(argv[1], ops[i].name))
			return ops[i].run();
	}
	fprintf(stderr, "usage: dw OP (see dw.c)\n");
	return 64;
}
#endif
