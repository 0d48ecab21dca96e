// SPDX-License-Identifier: GPL-2.0-only
/*
 * read_dat.c - --read: prints what -o has recorded, as the same lines that tracing would have printed. Or makes another file of it.
 */
#include <unistd.h>

#include "stream/lines.h"
#include "trace/recordings.h"
#include "trace/trace.h"

int read_dat_run(const struct options *opts)
{
	return recordings_run(opts, lines_sink(opts, STDOUT_FILENO), NULL, STDOUT_FILENO, NULL);
}

int read_dat_for(const struct options *opts, const struct dat_reader *reader)
{
	return recordings_run(opts, reader->sink, reader->to, STDOUT_FILENO, reader);
}
