// SPDX-License-Identifier: GPL-2.0-only
/*
 * ringcheck.c - reads bprobe's lines of the events of rings.guest, and says what is wrong with them
 *
 *	ringcheck [-s]		-s: reads slowly, so that rings become full
 *
 * The events: calls (a number, six times the same), opens (a path with a number and as many x as belong to it),
 * ticks (a number, twice the same), which come from interrupts. The numbers of a task's calls and opens go up by one, or by
 * more if events were lost. It prints
 *
 *	lines=N lost=N again=N torn=N backwards=N
 *
 * lost: the sum of the LOST lines; again: lines that came a second time; torn: lines whose parts do not fit together;
 * backwards: lines with an earlier time than the line before.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PIDS = 1 << 16, SLOW_LINES = 20000, SLOW_US = 300000 };

static unsigned long lines, lost, again, torn, backwards;
static unsigned last_call[PIDS], last_open[PIDS];

/* As workload.c's op_rings() makes it. */
static bool path_is_right(const char *path, unsigned n)
{
	char wanted[256];
	int len = snprintf(wanted, sizeof(wanted), "\"/no/%u/", n);

	memset(wanted + len, 'x', n % 97);
	strcpy(wanted + len + n % 97, "\"\n");
	return !strcmp(path, wanted);
}

static void take_number(unsigned *last, unsigned pid, unsigned n)
{
	if (pid >= PIDS)
		torn++;
	else if (n <= last[pid])
		again++;
	else
		last[pid] = n;
}

static void torn_line(const char *line)
{
	if (torn++ < 5)
		fprintf(stderr, "torn: %s", line);
}

static void take_values(const char *line, unsigned pid, const char *event, const char *values)
{
	unsigned n[6], bytes = 0;
	const char *path;

	if (!strncmp(event, "calls:", 6)) {
		if (sscanf(values, "a=%u b=%u c=%u d=%u e=%u f=%u", &n[0], &n[1], &n[2], &n[3], &n[4], &n[5]) != 6 ||
		    n[1] != n[0] || n[2] != n[0] || n[3] != n[0] || n[4] != n[0] || n[5] != n[0])
			torn_line(line);
		else
			take_number(last_call, pid, n[0]);
	} else if (!strncmp(event, "opens:", 6)) {
		if (!strncmp(values, "path=\"/no/", 10)) {
			path = values + 5;
			if (sscanf(path, "\"/no/%u/%n", &n[0], (int *)&bytes) != 1 || !path_is_right(path, n[0]))
				torn_line(line);
			else
				take_number(last_open, pid, n[0]);
		}
	} else if (!strncmp(event, "ticks:", 6)) {
		if (sscanf(values, "a=%x b=%x", &n[0], &n[1]) != 2 || n[0] != n[1])
			torn_line(line);
	} else {
		torn_line(line);
	}
}

/* "   TASK-PID   [CPU] FLAGS  SECONDS.MICROSECONDS: EVENT: (PLACE) VALUES" */
static void take_line(const char *line)
{
	static double last;
	unsigned cpu, pid;
	unsigned long n;
	const char *bracket = strstr(line, " ["), *at, *values;
	double time;
	char *end;

	if (*line == '#' || *line == '\n')
		return;
	if (sscanf(line, "CPU:%u [LOST %lu EVENTS]", &cpu, &n) == 2) {
		lost += n;
		return;
	}
	lines++;
	for (at = bracket; at && at > line && at[-1] != '-'; at--)
		;
	pid = at ? (unsigned)strtoul(at, NULL, 10) : 0;
	at = bracket ? strstr(bracket, "] ") : NULL;
	if (!at || strlen(at) < 8) {
		torn_line(line);
		return;
	}
	time = strtod(at + 7, &end);
	if (time < last)
		backwards++;
	last = time;
	values = strstr(end, ") ");
	if (strncmp(end, ": ", 2) || !values)
		torn_line(line);
	else
		take_values(line, pid, end + 2, values + 2);
}

int main(int argc, char **argv)
{
	bool slow = argc > 1 && !strcmp(argv[1], "-s");
	char line[8192];

	while (fgets(line, sizeof(line), stdin)) {
		take_line(line);
		if (slow && lines % SLOW_LINES == 0)
			usleep(SLOW_US);
	}
	printf("lines=%lu lost=%lu again=%lu torn=%lu backwards=%lu\n", lines, lost, again, torn, backwards);
	return 0;
}
