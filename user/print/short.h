/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * short.h - lines for people: time since the start, task, event, arguments.
 *
 *	   TIME(s) TASK[PID]         EVENT   ARGUMENTS
 *	  0.001234 cat[159]          open    dfd=-100 name="/etc/xyz"
 *	  0.001301 cat[159]          opened  = 3
 *	3 events lost on CPU 1
 *	  0.204417 sshd[1102]        vfs     (vfs_read) count=32768
 *
 * Columns only grow. The task column is as wide as the longest task so far, the event column as the longest event that can
 * come. Prints the group unless it is kprobes. Prints the function if the event has several. $retval without a name is
 * printed as '= VALUE'.
 *
 * A line that needs more columns than text.width ends with an ellipsis. Nothing in a line can be a command to a terminal,
 * except the colours.
 */
#ifndef PRINT_SHORT_H
#define PRINT_SHORT_H

struct sink;

extern const struct sink sink_short;

#endif
