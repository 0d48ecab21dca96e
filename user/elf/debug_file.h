/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * debug_file.h - the separate file that has a stripped file's symbols (package NAME-dbgsym).
 */
#ifndef ELF_DEBUG_FILE_H
#define ELF_DEBUG_FILE_H

#include "elf/file.h"

/*
 * Opens it by the build id. @root stands before /usr/lib/debug: "" or the root of another process ("/proc/PID/root"). A descriptor, which the
 * caller closes; -1: there is none.
 */
int debug_file_by_id(const char *root, const unsigned char *id, size_t len);

/*
 * The same from a debuginfod server, if the environment names one (DEBUGINFOD_URLS): debuginfod-find (elfutils) asks it, and keeps the file in
 * its cache. -1: there is none, or no such program.
 */
int debug_file_by_server(const unsigned char *id, size_t len);

/*
 * Opens it by the name that @f has for it (.gnu_debuglink): beside @f, in .debug/ there, and in /usr/lib/debug. @path is @f's own, as seen from
 * @root. Only a file with the same build id or checksum is taken.
 */
int debug_file_by_link(const char *root, struct elf_file *f, const char *path);

#endif
