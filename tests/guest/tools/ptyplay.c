// SPDX-License-Identifier: GPL-2.0-only
/*
 * ptyplay.c - a command on a terminal: sends keys, and knows what the screen shows
 *
 *   ptyplay STEPS COMMAND		(COMMAND by a shell; STEPS is a file of lines)
 *
 *   wait TEXT		until the screen has TEXT
 *   gone TEXT		until the screen has no TEXT
 *   key KEYS		\e is the escape character, ^C Ctrl-C
 *   kill NUMBER	this signal for COMMAND
 *   stopped		until COMMAND is stopped; then the terminal's settings, as at the end
 *   cont		SIGCONT for COMMAND
 *   size ROWS COLUMNS	the terminal gets another size
 *   dump FILE		writes the lines of the screen
 *   hang		the terminal goes away
 *
 * At the end it prints what it found, a line each: the exit status (128 + N after signal N), whether the terminal has the settings, the first
 * screen and the cursor that it had, and whether a line was longer than the terminal or its other screen scrolled. Status 1: a step was not possible within
 * a minute.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

enum { ROWS = 200, COLUMNS = 300, PATIENCE = 60 };

static struct {
	int master, slave;
	pid_t leader;
	volatile pid_t *command;
	struct termios before;
	unsigned rows, columns;
	/* The terminal that the command sees. Characters of UTF-8 are one cell, with their first byte. */
	char cells[ROWS][COLUMNS + 1];
	unsigned row, column;
	char sequence[32];
	unsigned len;			/* of the sequence; 0: there is none */
	unsigned old;			/* how many screens may still begin for the size that the terminal had before */
	bool other, hidden, too_long, scrolled, ended;
} t;

/* ---- the screen ---- */

static void clear_line(unsigned row, unsigned from)
{
	for (unsigned i = from; i < COLUMNS; i++)
		t.cells[row][i] = ' ';
	t.cells[row][COLUMNS] = '\0';
}

static void clear_from_here(void)
{
	clear_line(t.row, t.column);
	for (unsigned i = t.row + 1; i < ROWS; i++)
		clear_line(i, 0);
}

static void new_line(void)
{
	if (t.row + 1 < t.rows) {
		t.row++;
		return;
	}
	t.scrolled |= t.other && !t.old;
	memmove(t.cells[0], t.cells[1], sizeof(t.cells[0]) * (ROWS - 1));
	clear_line(t.row, 0);
}

static void obey(const char *s)
{
	if (!strcmp(s, "[H")) {
		t.row = t.column = 0;
		t.old -= t.old > 0;
	} else if (!strcmp(s, "[K")) {
		clear_line(t.row, t.column);
	} else if (!strcmp(s, "[J")) {
		clear_from_here();
	} else if (!strcmp(s, "[?25l") || !strcmp(s, "[?25h")) {
		t.hidden = s[4] == 'l';
	} else if (!strcmp(s, "[?1049h") || !strcmp(s, "[?1049l")) {
		t.other = s[6] == 'h';
	}
}

static void show(unsigned char c)
{
	if (t.len) {
		if (t.len < sizeof(t.sequence))
			t.sequence[t.len++ - 1] = (char)c;
		if (t.len > 2 && c >= '@' && c <= '~') {
			t.sequence[t.len - 1] = '\0';
			t.len = 0;
			obey(t.sequence);
		}
		return;
	}
	if (c == '\033')
		t.len = 1;
	else if (c == '\r')
		t.column = 0;
	else if (c == '\n')
		new_line();
	else if (c >= ' ' && (c & 0xc0) != 0x80) {
		t.too_long |= t.other && !t.old && t.column >= t.columns;
		if (t.column < COLUMNS)
			t.cells[t.row][t.column++] = (char)c;
	}
}

/* Takes what the command has printed, for a moment. False: it has ended. */
static bool take(void)
{
	struct pollfd fd = { .fd = t.master, .events = POLLIN };
	char text[4096];
	ssize_t n = 0;
	int status;

	if (t.master < 0)
		usleep(10000);
	else if (poll(&fd, 1, 20) > 0)
		n = read(t.master, text, sizeof(text));
	for (ssize_t i = 0; i < n; i++)
		show((unsigned char)text[i]);
	if (n > 0)
		return true;
	if (!t.ended && waitpid(t.leader, &status, WNOHANG) == t.leader) {
		t.ended = true;
		printf("status %d\n", WEXITSTATUS(status));
	}
	return !t.ended;
}

static void trim(char *to, const char *line)
{
	size_t len = t.columns;

	memcpy(to, line, len);
	while (len && to[len - 1] == ' ')
		len--;
	to[len] = '\0';
}

static bool has(const char *text)
{
	char line[COLUMNS + 1];

	for (unsigned i = 0; i < t.rows; i++) {
		trim(line, t.cells[i]);
		if (strstr(line, text))
			return true;
	}
	return false;
}

static void dump(const char *path)
{
	FILE *f = fopen(path, "w");
	char line[COLUMNS + 1];

	for (unsigned i = 0; f && i < t.rows; i++) {
		trim(line, t.cells[i]);
		fprintf(f, "%s\n", line);
	}
	if (f)
		fclose(f);
}

/* ---- the terminal ---- */

static void report(const char *when)
{
	struct termios now;

	if (tcgetattr(t.slave, &now))
		return;
	printf("%ssettings %s\n", when, now.c_lflag == t.before.c_lflag && now.c_iflag == t.before.c_iflag && now.c_oflag == t.before.c_oflag &&
	       now.c_cflag == t.before.c_cflag && !memcmp(now.c_cc, t.before.c_cc, sizeof(now.c_cc)) ? "same" : "changed");
	printf("%sscreen %s\n", when, t.other ? "other" : "first");
	printf("%scursor %s\n", when, t.hidden ? "hidden" : "shown");
}

static void set_size(unsigned rows, unsigned columns)
{
	struct winsize size = { .ws_row = (unsigned short)rows, .ws_col = (unsigned short)columns };

	t.rows = rows < ROWS ? rows : ROWS;
	t.columns = columns < COLUMNS ? columns : COLUMNS;
	/* The command can have asked for the size just before. That screen is in the terminal already, or the next that begins. */
	t.old = 2;
	ioctl(t.master, TIOCSWINSZ, &size);
}

static bool is_stopped(void)
{
	char path[64], text[512] = "";
	FILE *f;
	char *at;

	snprintf(path, sizeof(path), "/proc/%d/stat", *t.command);
	f = fopen(path, "r");
	if (!f)
		return false;
	if (!fgets(text, sizeof(text), f))
		*text = '\0';
	fclose(f);
	at = strrchr(text, ')');
	return at && at[2] == 'T';
}

/* The session's leader: a shell would be this. A process of an orphaned group could not be stopped. */
static void lead(const char *command)
{
	int status;
	pid_t pid;

	setsid();
	ioctl(t.slave, TIOCSCTTY, 0);
	signal(SIGTTOU, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	pid = fork();
	if (!pid) {
		setpgid(0, 0);
		tcsetpgrp(t.slave, getpid());
		signal(SIGTTOU, SIG_DFL);
		signal(SIGHUP, SIG_DFL);
		dup2(t.slave, 0);
		dup2(t.slave, 1);
		dup2(t.slave, 2);
		close(t.master);
		close(t.slave);
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		_exit(127);
	}
	close(t.master);
	*t.command = pid;
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

/* ---- steps ---- */

static void press(const char *keys)
{
	char text[256];
	size_t len = 0;

	for (; *keys && len < sizeof(text); keys++) {
		if (!strncmp(keys, "\\e", 2)) {
			text[len++] = '\033';
			keys++;
		} else if (*keys == '^' && keys[1]) {
			text[len++] = (char)(*++keys & 31);
		} else {
			text[len++] = *keys;
		}
	}
	if (write(t.master, text, len) != (ssize_t)len)
		perror("write");
}

static bool is_done(const char *step, const char *arg)
{
	if (!strcmp(step, "wait"))
		return has(arg);
	if (!strcmp(step, "gone"))
		return !has(arg);
	return is_stopped();
}

/* False: it was not possible. */
static bool play(char *line)
{
	char *arg = strchr(line, ' ');
	time_t until = time(NULL) + PATIENCE;
	unsigned rows, columns;

	if (arg)
		*arg++ = '\0';
	if (!strcmp(line, "key")) {
		press(arg);
	} else if (!strcmp(line, "kill")) {
		kill(*t.command, atoi(arg));
	} else if (!strcmp(line, "cont")) {
		kill(-*t.command, SIGCONT);
	} else if (!strcmp(line, "dump")) {
		dump(arg);
	} else if (!strcmp(line, "hang")) {
		close(t.master);
		close(t.slave);
		t.master = t.slave = -1;
	} else if (!strcmp(line, "size")) {
		rows = (unsigned)strtoul(arg, &arg, 10);
		columns = (unsigned)strtoul(arg, NULL, 10);
		while (poll(&(struct pollfd){ .fd = t.master, .events = POLLIN }, 1, 0) > 0 && take())
			;
		set_size(rows, columns);
	} else {
		while (!is_done(line, arg)) {
			if (!take() || time(NULL) > until) {
				printf("not possible: %s %s\n", line, arg ? arg : "");
				dump("ptyplay.screen");
				return false;
			}
		}
		if (!strcmp(line, "stopped")) {
			while (poll(&(struct pollfd){ .fd = t.master, .events = POLLIN }, 1, 50) > 0 && take())
				;
			report("stopped: ");
		}
	}
	return true;
}

int main(int argc, char **argv)
{
	FILE *steps = argc > 2 ? fopen(argv[1], "r") : NULL;
	time_t until;
	char line[512];
	int failed = 0;

	if (!steps || openpty(&t.master, &t.slave, NULL, NULL, NULL))
		return 1;
	t.command = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	set_size(24, 80);
	t.old = 0;
	clear_from_here();
	tcgetattr(t.slave, &t.before);
	t.leader = fork();
	if (!t.leader)
		lead(argv[2]);
	while (!*t.command)
		usleep(1000);
	while (!failed && fgets(line, sizeof(line), steps)) {
		line[strcspn(line, "\n")] = '\0';
		if (*line)
			failed = !play(line);
	}
	for (until = time(NULL) + PATIENCE; take() && time(NULL) < until;)
		;
	if (!t.ended) {
		printf("it has not ended\n");
		kill(*t.command, SIGKILL);
		failed = 1;
	}
	while (t.master >= 0 && poll(&(struct pollfd){ .fd = t.master, .events = POLLIN }, 1, 20) > 0 && take())
		;
	report("");
	printf("lines %s\n", t.too_long ? "too long" : t.scrolled ? "scrolled" : "fit");
	return failed;
}
