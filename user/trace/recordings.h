/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * recordings.h - the records of one trace.dat or of several, in the order of their times, as events for a sink.
 *
 *	files -> recorded.h -> recordings.c: one order, which are wanted -> stream -> sink
 *
 * Memory does not depend on how many records there are. A file's pages are in memory from its first record to its last one.
 */
#ifndef TRACE_RECORDINGS_H
#define TRACE_RECORDINGS_H

struct dat_reader;
struct options;
struct sink;

/*
 * Sends the events of the files that @o names to @sink: those that @o wants (names, filters, tasks, times, -n). @to is where the sink writes;
 * what it prints goes to @fd (the caller's). If @o names a file (-o), @sink is that of its kind, and the file is made here.
 * @reader (or NULL) is told of the files; its ->sink and ->to are not asked. text.h's ->ks and ->rules are those of the event's own kernel.
 *
 * Errors go to standard error. A file that cannot be read does not keep the others from being read. Returns the exit status:
 * EXIT_BAD_DEFINITION: there is no such file, or it is no trace.dat of bprobe, or a name or a filter fits nothing; EXIT_KERNEL: a file is damaged,
 * or the output cannot be written.
 */
int recordings_run(const struct options *o, const struct sink *sink, void *to, int fd, const struct dat_reader *reader);

#endif
