/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * program.h - a program or a library that is to be probed: its file, its functions, and the places in it.
 *
 * Nothing in the file is trusted. A place is an offset in the file: the kernel knows a user probe by inode and offset.
 */
#ifndef ELF_PROGRAM_H
#define ELF_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/arena.h"
#include "base/diag.h"

struct elf_file;
struct program_symbols;

struct program {
	/*
	 * For the kernel: the file that was opened here, whatever happens to its name: /proc/self/fd/N. It is right in this process (and its
	 * children before they execute) until program_close().
	 */
	const char *path;
	const char *shown;		/* for people: the path where it was found; of a process: as the process has it */
	int fd;
	dev_t dev;
	ino_t ino;
	unsigned pid;			/* as it was given to program_open(); 0: none */
	bool replaced;			/* the path names another file now, or none: this is the one that the process has mapped */
	struct arena *arena;
	struct elf_file *file;
	struct program_symbols *symbols;	/* read when they are first asked for */
	int debug_fd;			/* of program_debug_fd(); 0: not looked for */
};

/*
 * Finds and opens the program @name, which lives in @arena. The caller closes it with program_close() before the arena is freed.
 *
 *	/usr/bin/bash	this file; with a @pid the one that this process sees. If it has mapped a file of this path that was replaced or
 *			removed meanwhile, that one. A relative path is always one of our own.
 *	libc.so.6	without a '/': with a @pid what this process has mapped under this name; else library_find()
 *
 * @pid 0: of no process. -ENOENT, -ESRCH, -EACCES, ...: @diag says what was found. -ENOEXEC: it is no program of this CPU.
 */
int program_open(struct arena *arena, const char *name, unsigned pid, struct program **ret, struct diag *diag);

void program_close(struct program *p);	/* NULL is fine; twice is fine */

/*
 * Was it made by Go's own compiler? It passes arguments its own way (the first one where a result is), and moves stacks: it ends a program whose return
 * addresses are not its own. The section with Go's table of functions stays in a stripped file.
 */
bool program_is_go(struct program *p);

/* Does it throw exceptions of C++, or panics of Rust? They find their way by return addresses. A stripped static program does not tell. */
bool program_throws(struct program *p);

/* ---- functions ---- */

struct program_function {
	const char *name;		/* as in the file, without a version; of C++ and Rust mangled: demangle() makes it readable */
	const char *version;		/* "GLIBC_2.14"; NULL: it has none, or none is known */
	uint64_t addr;			/* as the file numbers its addresses */
	uint64_t size;			/* bytes; 0: not known */
	uint64_t off;			/* in the file */
	bool is_old;			/* another version is the default one, which programs are linked to now */
	bool is_ifunc;			/* runs once for each process, and returns the address of the code that calls of this name run */
	bool is_whole;			/* callers enter at its first byte. If not, it is a label or a part (NAME.cold): no place for a return probe */
};

/*
 * Finds the functions with the name @name. One for each address: several mean that the name is ambiguous. Sorted by address; *ret is in @arena,
 * and the names in it live until program_close().
 *
 *	malloc			the name in the file. Of several versions the default one, as the linker does
 *	malloc@GLIBC_2.2.5	this version; also malloc@@GLIBC_2.2.5
 *	net::read		C++ and Rust, without parameters
 *	net::read(char*, int)	C++ with parameters, as demangle() has them; blanks do not matter
 *
 * Returns their number.
 */
size_t program_find(struct program *p, struct arena *arena, const char *name, const struct program_function **ret);

/*
 * Finds the functions whose name in the file, or whose C++ or Rust name without parameters, @match accepts. Labels, parts (NAME.cold) and old
 * versions are left out. One for each address, sorted by address; *ret is in @arena. Returns their number.
 */
size_t program_match(struct program *p, struct arena *arena, bool (*match)(void *ctx, const char *name), void *ctx,
		     const struct program_function **ret);

enum { PROGRAM_SIMILAR = 5 };

/* The names that are most like @name, the best one first; in @arena. Returns their number, at most PROGRAM_SIMILAR. */
size_t program_similar(struct program *p, struct arena *arena, const char *name, const char *ret[PROGRAM_SIMILAR]);

/*
 * What calls of the IFUNC @f run. The dynamic linker has written it into the memory of each process that has the program mapped and calls @f: the
 * program's own calls are known by its own words, and with ->pid those of other files by theirs. Without ->pid it asks any process of root or of
 * this user: most choices depend on the processor only (glibc has tunables, too). Returns the process that has answered, and *ret_off is the place in
 * the file; 0: none has.
 */
uint32_t program_chosen(struct program *p, const struct program_function *f, uint64_t *ret_off);

/* How many functions have names; and is that all of them? False: the file is stripped and has no debug file, so only exported names are known. */
size_t program_functions(struct program *p, bool *ret_whole);

/* Its build id as text, in the program's arena; NULL: it has none. Debug files are found by it. */
const char *program_build_id(struct program *p);

/*
 * The file that has its debug information: a separate one if its build id is there, else the program itself. It lives until program_close().
 * Whether there is debug information is not looked at. @local: no server is asked.
 */
int program_debug_fd(struct program *p, bool local);

/* ---- places ---- */

/* What is at a place. */
struct program_place {
	const char *name;		/* of C++ and Rust: readable, as in stacks */
	uint64_t addr;			/* of the function's first byte, as the file numbers it */
	uint64_t off;			/* of the place in the function */
	uint64_t size;			/* of the function; 0: not known */
};

/* The function that contains the place @off of the file. What *ret has lives until program_close(). False: none is known. */
bool program_symbol_at(struct program *p, uint64_t off, struct program_place *ret);

/*
 * Can a probe be at the place @off of the file? 0: yes; then *ret_doubt is NULL, or (in the program's arena) why it could not be checked whether an
 * instruction begins there. -EINVAL: it is no code; -EILSEQ: it is inside an instruction; -EOPNOTSUPP: the kernel refuses this instruction.
 */
int program_boundary(struct program *p, uint64_t off, const char **ret_doubt, struct diag *diag);

/*
 * The first place behind the entry @entry of a function where the kernel can put a probe; both in the file. It takes no vector instructions, with
 * which fast code often begins. False: there is none within 64 bytes.
 */
bool program_first_place(struct program *p, uint64_t entry, uint64_t *ret);

/*
 * Would a probe at @off damage the program where the kernel puts a call in the place of some instructions (arch/user.h,
 * user_probe_may_call())? It would not at the entry of a function, which keeps nothing below the stack pointer yet. If so, *ret_next is the
 * place of the next instruction, and *ret_alone says whether that runs only after this one. False also if it is not known.
 */
bool program_call_damages(struct program *p, uint64_t off, uint64_t *ret_next, bool *ret_alone);

#endif
