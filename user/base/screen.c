// SPDX-License-Identifier: GPL-2.0-only
/*
 * screen.c - a whole screen of the terminal on standard output.
 *
 * What it changes is global, and a handler of a signal undoes it: so the state is in static variables. The handlers use only what
 * signal-safety(7) allows.
 */
#include "base/screen.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "base/macros.h"

/* The other screen; no cursor; characters behind the last column are not those of a next line. */
#define ENTER	"\033[?1049h\033[?25l\033[?7l" SCREEN_HOME SCREEN_CLEAR
#define LEAVE	"\033[?7h\033[?25h\033[?1049l"

static struct termios before, during;
static volatile sig_atomic_t is_open, was_stopped;
static int tty = -1;			/* the terminal once more, of which reads and writes do not wait */

/* Signals that end a process, and that bprobe does not read itself. */
static const int fatal[] = { SIGQUIT, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGXCPU, SIGUSR1, SIGUSR2 };
static struct sigaction fatal_before[ARRAY_SIZE(fatal)], stop_before;
static int signals[] = { SIGINT, SIGTERM, SIGHUP };	/* ... before it reads them, and after it has stopped */
static struct sigaction signals_before[ARRAY_SIZE(signals)];

/* A user may have stopped the output (Ctrl-S): it goes on, so that the terminal takes what follows. False: it takes nothing. */
static bool put(const char *text, size_t len)
{
	tcflow(tty, TCOOFF);		/* TCOON alone does not undo Ctrl-S (6.12, drivers/tty/tty_ioctl.c) */
	tcflow(tty, TCOON);
	return write(tty, text, len) == (ssize_t)len;
}

static bool give_back(void)
{
	bool left = put(LEAVE, sizeof(LEAVE) - 1);

	tcsetattr(tty, TCSANOW, &before);
	return left;
}

static void take(void)
{
	tcsetattr(tty, TCSANOW, &during);
	put(ENTER, sizeof(ENTER) - 1);
}

/* ---- signals ---- */

static void end(int number)
{
	if (is_open)
		give_back();
	is_open = false;
	signal(number, SIG_DFL);
	raise(number);
}

/* The shell sees a process that was stopped by SIGTSTP, and a terminal as it was. */
static void stop(int number)
{
	int saved = errno;
	sigset_t only, mask;

	if (is_open)
		give_back();
	signal(number, SIG_DFL);
	raise(number);
	sigemptyset(&only);
	sigaddset(&only, number);
	sigprocmask(SIG_UNBLOCK, &only, &mask);		/* it stops here */
	sigprocmask(SIG_SETMASK, &mask, NULL);
	sigaction(number, &(struct sigaction){ .sa_handler = stop, .sa_flags = SA_RESTART }, NULL);
	if (is_open)
		take();
	was_stopped = true;
	errno = saved;
}

static void watch(int number, void (*handler)(int), struct sigaction *ret_before)
{
	struct sigaction new = { .sa_handler = handler, .sa_flags = SA_RESTART };

	sigaction(number, NULL, ret_before);
	if (ret_before->sa_handler != SIG_IGN)
		sigaction(number, &new, NULL);
}

static void watch_all(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(fatal); i++)
		watch(fatal[i], end, &fatal_before[i]);
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		watch(signals[i], end, &signals_before[i]);
	watch(SIGTSTP, stop, &stop_before);
}

static void unwatch_all(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(fatal); i++)
		sigaction(fatal[i], &fatal_before[i], NULL);
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		sigaction(signals[i], &signals_before[i], NULL);
	sigaction(SIGTSTP, &stop_before, NULL);
}

static void at_exit(void)
{
	screen_close(NULL);
}

/* ---- the screen ---- */

bool screen_possible(void)
{
	const char *term = getenv("TERM");
	pid_t foreground = isatty(STDOUT_FILENO) ? tcgetpgrp(STDOUT_FILENO) : getpgrp();

	/* -1: the terminal controls another session, or none: nobody is in its foreground. */
	return term && *term && strcmp(term, "dumb") && isatty(STDOUT_FILENO) && (foreground < 0 || foreground == getpgrp());
}

bool screen_open(void)
{
	static bool registered;

	/* O_NONBLOCK belongs to the open file, which other processes share. So the terminal is opened once more. */
	tty = open("/proc/self/fd/1", O_RDWR | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (tty < 0 || tcgetattr(tty, &before)) {
		if (tty >= 0)
			close(tty);
		tty = -1;
		return false;
	}
	during = before;
	during.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	during.c_cc[VMIN] = 1;
	during.c_cc[VTIME] = 0;
	if (!registered)
		atexit(at_exit);
	registered = true;
	watch_all();
	is_open = true;
	take();
	return true;
}

bool screen_close(struct buf *left)
{
	bool good;

	if (!is_open)
		return true;
	is_open = false;
	good = give_back();
	unwatch_all();
	close(tty);
	tty = -1;
	if (!good && left)
		buf_adds(left, LEAVE);
	return good;
}

bool screen_is_open(void)
{
	return is_open;
}

int screen_fd(void)
{
	return tty;
}

bool screen_was_stopped(void)
{
	bool stopped = was_stopped;

	was_stopped = false;
	return stopped;
}

/* ---- keys ---- */

/* What terminals send for keys that are no characters, behind the escape character. */
static const struct { const char *text; int key; } sequences[] = {
	{ "[A", SCREEN_UP }, { "OA", SCREEN_UP }, { "[B", SCREEN_DOWN }, { "OB", SCREEN_DOWN },
	{ "[5~", SCREEN_PAGE_UP }, { "[6~", SCREEN_PAGE_DOWN },
	{ "[H", SCREEN_BEGIN }, { "OH", SCREEN_BEGIN }, { "[1~", SCREEN_BEGIN },
	{ "[F", SCREEN_LAST }, { "OF", SCREEN_LAST }, { "[4~", SCREEN_LAST },
};

static char typed[64];
static size_t nr_typed;

static void drop(size_t len)
{
	nr_typed -= len;
	memmove(typed, typed + len, nr_typed);
}

/* Bytes of the sequence at the start of what was typed: up to its last byte, a letter or '~'. */
static size_t sequence_len(void)
{
	size_t len = 2;

	if (nr_typed < 2 || (typed[1] != '[' && typed[1] != 'O'))
		return 1;
	while (len < nr_typed && (typed[len] < '@' || typed[len] > '~'))
		len++;
	return MIN(len + 1, nr_typed);
}

int screen_key(void)
{
	ssize_t n = tty < 0 ? 0 : read(tty, typed + nr_typed, sizeof(typed) - nr_typed);
	int key = SCREEN_NO_KEY;

	nr_typed += n > 0 ? (size_t)n : 0;
	while (nr_typed && key == SCREEN_NO_KEY) {
		size_t len = *typed == '\033' ? sequence_len() : 1;

		if (*typed != '\033')
			key = (unsigned char)*typed;
		for (size_t i = 0; *typed == '\033' && i < ARRAY_SIZE(sequences); i++) {
			if (strlen(sequences[i].text) == len - 1 && !memcmp(typed + 1, sequences[i].text, len - 1))
				key = sequences[i].key;
		}
		drop(len);
	}
	return key;
}
