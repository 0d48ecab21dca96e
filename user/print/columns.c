// SPDX-License-Identifier: GPL-2.0-only
/*
 * columns.c - the columns in front of the event in a line of today's style, and the header that names them.
 *
 * The headers are those of the kernel (6.12 and 5.10, kernel/trace/trace.c, print_func_help_header*());
 * tests/guest/suites/columns.sh compares them.
 */
#include "print/columns.h"

#include "base/macros.h"

bool columns_find_flags(const char *name, enum column_flags *ret)
{
	static const char *const names[] = {
		[COLUMN_FLAGS_5] = "5", [COLUMN_FLAGS_4] = "4", [COLUMN_FLAGS_NONE] = "none",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (!strcmp(name, names[i])) {
			*ret = (enum column_flags)i;
			return true;
		}
	}
	return false;
}

bool columns_find_time(const char *name, bool *ret_ns)
{
	bool ns = !strcmp(name, "ns");

	if (!ns && strcmp(name, "us"))
		return false;
	*ret_ns = ns;
	return true;
}

/* The drawing above the flags moves to the right by the width of the TGID column. */
static void add_drawing(const struct columns *c, struct buf *out)
{
	static const char *const five[] = {
		"  _-----=> irqs-off/BH-disabled", " / _----=> need-resched", "| / _---=> hardirq/softirq",
		"|| / _--=> preempt-depth", "||| / _-=> migrate-disable", "|||| /     delay",
	};
	static const char *const four[] = {
		"  _-----=> irqs-off", " / _----=> need-resched", "| / _---=> hardirq/softirq",
		"|| / _--=> preempt-depth", "||| /     delay",
	};
	const char *const *lines = c->flags == COLUMN_FLAGS_4 ? four : five;
	size_t nr = c->flags == COLUMN_FLAGS_NONE ? 0 : c->flags == COLUMN_FLAGS_4 ? ARRAY_SIZE(four) : ARRAY_SIZE(five);

	for (size_t i = 0; i < nr; i++)
		buf_addf(out, "#%*s%s\n", c->tgid ? 40 : 30, "", lines[i]);
}

static void add_names(const struct columns *c, struct buf *out)
{
	static const struct { const char *names, *bars; } behind[] = {
		[COLUMN_FLAGS_5] = { "  |||||  TIMESTAMP  FUNCTION\n", "   |||||     |         |\n" },
		[COLUMN_FLAGS_4] = { "  ||||   TIMESTAMP  FUNCTION\n", "   ||||      |         |\n" },
		[COLUMN_FLAGS_NONE] = { "     TIMESTAMP  FUNCTION\n", "         |         |\n" },
	};

	buf_adds(out, "#           TASK-PID  ");
	buf_adds(out, c->tgid ? "     TGID    CPU#" : "   CPU#");
	buf_adds(out, behind[c->flags].names);
	buf_adds(out, "#              | |    ");
	buf_adds(out, c->tgid ? "       |       |" : "     |");
	buf_adds(out, behind[c->flags].bars);
}

void columns_entries(const struct entries *entries, struct buf *out)
{
	buf_adds(out, "# entries-in-buffer/entries-written: ");
	buf_dec(out, entries->in_buffer);
	buf_addc(out, '/');
	buf_dec(out, entries->written);
	buf_adds(out, "   #P:");
	buf_dec(out, entries->cpus);
	buf_adds(out, "\n#\n");
}

void columns_header(const struct columns *c, const struct entries *entries, struct buf *out)
{
	buf_adds(out, "# tracer: nop\n#\n");
	if (entries)
		columns_entries(entries, out);
	add_drawing(c, out);
	add_names(c, out);
}
