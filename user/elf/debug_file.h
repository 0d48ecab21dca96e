/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * debug_file.h - the separate file that has a stripped file's symbols (package NAME-dbgsym).
 */
#ifndef ELF_DEBUG_FILE_H
#define ELF_DEBUG_FILE_H

#include "elf/builds.h"
#include "elf/file.h"

/*
 * Opens it by the build id. @root stands before /usr/lib/debug: "" or the root of another process ("/proc/PID/root"). A descriptor, which the
 * caller closes; -1: there is none.
 */
int debug_file_by_id(const char *root, const unsigned char *id, size_t len);

/* May debug_file_by_server() execute debuginfod-find? */
bool debug_file_servers(void);

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

/*
 * Takes @fd, which may be an error. It is returned if it has debug information, and is of the build @wanted (NULL: of any); else it is
 * closed. -ENOENT: it is another file. A file that was found by its name may be of another build, and /boot/vmlinux has no debug information.
 */
int debug_file_checked(int fd, const struct build_id *wanted);

/* Has the file debug information? */
bool debug_file_has_info(int fd);

#endif
