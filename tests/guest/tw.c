// SPDX-License-Identifier: GPL-2.0-only
// tw.c - a fixed set of calls for histograms, from three named tasks; the same numbers at each run.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static void seek_(int fd, long off, int wh) { syscall(SYS_lseek, fd, off, wh); }
static void name(const char *s) { syscall(SYS_openat, AT_FDCWD, s, O_RDONLY); }
static void task(const char *comm, void (*f)(void)) { pid_t k = fork(); if (!k) { prctl(PR_SET_NAME, comm); f(); _exit(0); } waitpid(k, NULL, 0); }
static void a(void) { char s[32]; for (int i = 0; i < 100; i++) seek_(100 + i % 4, (long)i * i, i % 3); for (int i = 0; i < 10; i++) for (int k = 0; k <= i; k++) { snprintf(s, sizeof s, "/nx/%d", i); name(s); } }
static void b(void) { for (int i = 0; i < 60; i++) seek_(200, 1L << i % 20, 0); for (int i = 0; i < 12; i++) name(i % 3 ? "/nx/b one" : "/nx/\"q\""); }
static void c(void) { for (int i = 1; i < 8; i++) seek_(-i, -(1L << 4 * i), 2); name(""); name("/nx/5"); }
int main(void) { task("tw-a", a); task("tw-b", b); task("tw-c", c); return 0; }
