// SPDX-License-Identifier: GPL-2.0-only
/*
 * elapsedcheck.c - compares the durations in bprobe's lines with the times of the lines themselves
 *
 *	bprobe --time ns 'p:in FUNCTION ...' 'r:out FUNCTION $elapsed ...' | elapsedcheck [-k | -p | -f] [-n NS]
 *
 * A return belongs to the task's latest entry that has not returned: calls of a task nest. With -k both lines have a number
 * "k", which identifies the call; the task's numbers go up, and its calls do not nest. Then lines may be missing. A number "r" of
 * a return's line must be the same.
 *
 * The time of the line minus the duration is when the call began. That is a time between the task's line before the entry's and
 * its line after that. If it is not, the duration is of another call: a wrong pair.
 *
 * With -p the lines are those of 'bprobe --pair in:out', and with -f of 'bprobe --pair in:out=f', where both lines have a
 * number "f". The time of the return's line minus the duration must be exactly the time of the last entry's line of the task (-f: with this f),
 * and no other return may have had this one. If entries' lines were lost, it may be later, and is not checked. With a number "k" in
 * both lines it must be the same.
 *
 * It prints
 *
 *	calls=N checked=N unmeasured=N wrong=N slower=N max=NS
 *
 * calls: returns; unmeasured: those without a duration; checked: those of which the entry's line is there; slower: those of these
 * whose beginning is more than NS (5000) away from the time of the entry's line; max: the longest such distance.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIDS = 1 << 16, DEEP = 32 };

typedef unsigned long long u64;

struct call {
	u64 before, at, after;		/* times of the task's lines: before the entry, the entry, after it (0: none yet) */
	u64 key;
};

struct task {
	u64 last;			/* the time of the latest line */
	struct call calls[DEEP];
	unsigned nr;
};

static struct task *tasks[PIDS];
static unsigned long calls, checked, unmeasured, wrong, slower;
static u64 limit = 5000, max;
static bool by_key, pairs, by_field;

static void wrong_pair(const char *line, const struct call *c, u64 begun)
{
	if (wrong++ < 5)
		fprintf(stderr, "wrong: begun at %llu, entry at %llu between %llu and %llu: %s", begun, c ? c->at : 0,
			c ? c->before : 0, c ? c->after : 0, line);
}

static void take_entry(struct task *t, u64 at, u64 key)
{
	if (by_key)
		t->nr = 0;
	if (t->nr == DEEP) {		/* the oldest ones have died */
		memmove(t->calls, t->calls + 1, (DEEP - 1) * sizeof(t->calls[0]));
		t->nr--;
	}
	t->calls[t->nr++] = (struct call){ .before = t->last, .at = at, .key = key };
}

static void take_return(struct task *t, u64 at, u64 key, const char *elapsed, const char *line)
{
	struct call *c = t->nr ? &t->calls[--t->nr] : NULL;
	u64 begun, away;

	calls++;
	if (by_key && c && c->key != key)
		c = NULL;
	if (*elapsed == '(') {
		unmeasured++;
		return;
	}
	begun = at - strtoull(elapsed, NULL, 10);
	if (begun > at || (by_key && begun <= t->last && !c) || (c && (begun <= c->before || begun >= c->after))) {
		wrong_pair(line, c, begun);
		return;
	}
	if (!c)
		return;
	checked++;
	away = begun > c->at ? begun - c->at : c->at - begun;
	slower += away > limit;
	if (away > max)
		max = away;
}

/* The last entry of a task, or with a number. */
struct last {
	u64 at, key;
	bool taken;
};

static struct last *find_last(u64 id)
{
	static struct last *chunks[1 << 12];
	struct last **chunk = &chunks[id >> 12 & 0xfff];

	if (!*chunk)
		*chunk = calloc(1 << 12, sizeof(**chunk));
	return &(*chunk)[id & 0xfff];
}

static void take_pair(u64 id, bool ends, u64 at, u64 key, const char *elapsed, const char *line)
{
	struct last *last = find_last(id);
	struct call c = { .at = last->at };
	u64 begun;

	if (!ends) {
		*last = (struct last){ .at = at, .key = key };
		return;
	}
	calls++;
	if (*elapsed == '(') {
		unmeasured++;
		return;
	}
	begun = at - strtoull(elapsed, NULL, 10);
	if (begun > at || begun < last->at || (begun == last->at && (last->taken || last->key != key))) {
		wrong_pair(line, &c, begun);
	} else if (begun == last->at) {
		checked++;
		last->taken = true;
	}
}

static void take(const char *line)
{
	const char *event = strstr(line, ": in: ("), *value, *same, *cpu = strstr(line, " ["), *pid = cpu;
	bool is_return = !event;
	u64 sec, nsec, at, key = 0;
	struct task *t;

	if (is_return)
		event = strstr(line, ": out: (");
	if (!event || !cpu)
		return;
	while (pid > line && pid[-1] == ' ')
		pid--;
	while (pid > line && pid[-1] != '-')
		pid--;
	for (value = event; value > line && value[-1] != ' '; value--)
		;
	if (sscanf(value, "%llu.%9llu", &sec, &nsec) != 2)
		return;
	at = sec * 1000000000 + nsec;
	value = strstr(event, " k=");
	if (pairs) {
		key = value ? strtoull(value + 3, NULL, 0) : 0;
		same = strstr(event, " f=");
		value = strstr(event, " elapsed=");
		take_pair(by_field ? strtoull(same ? same + 3 : "0", NULL, 0) : strtoull(pid, NULL, 10), is_return, at, key,
			  value ? value + strlen(" elapsed=") : "(", line);
		return;
	}
	t = tasks[atoi(pid) % PIDS];
	if (!t)
		t = tasks[atoi(pid) % PIDS] = calloc(1, sizeof(*t));
	value = strstr(event, " k=");
	same = strstr(event, " r=");
	if (value)
		key = strtoull(value + 3, NULL, 0);
	if (value && same && same[3] != '(' && key != strtoull(same + 3, NULL, 0))
		wrong_pair(line, NULL, 0);
	for (unsigned i = 0; i < t->nr; i++) {
		if (!t->calls[i].after)
			t->calls[i].after = at;
	}
	if (is_return) {
		value = strstr(event, " elapsed=");
		take_return(t, at, key, value ? value + strlen(" elapsed=") : "(", line);
	} else {
		take_entry(t, at, key);
	}
	t->last = at;
}

int main(int argc, char **argv)
{
	static char line[1 << 16];

	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "-k"))
			by_key = true;
		else if (!strcmp(argv[i], "-p") || !strcmp(argv[i], "-f"))
			pairs = true, by_field = by_field || argv[i][1] == 'f';
		else if (!strcmp(argv[i], "-n") && i + 1 < argc)
			limit = strtoull(argv[++i], NULL, 10);
	}
	while (fgets(line, sizeof(line), stdin))
		take(line);
	printf("calls=%lu checked=%lu unmeasured=%lu wrong=%lu slower=%lu max=%llu\n", calls, checked, unmeasured, wrong, slower, max);
	return 0;
}
