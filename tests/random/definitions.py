#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
#
# definitions.py - random definitions
#
#   definitions.py trace FIRST NUMBER KERNEL     for compare.guest: id, event, who, departure, workload, definition
#   definitions.py load FIRST NUMBER KERNEL      a definition on each line, whose function is {{N}}: the guest's function number N
#   definitions.py smaller KERNEL ROW            rows for compare.guest that are one step smaller than ROW
#
# Definition FIRST + i is made from the number FIRST + i alone, so each can be made again. Its arguments are made from the grammar of kprobetrace.rst
# that KERNEL knows. Most are right, and some have a fault; the kernel decides which, beside bprobe. Left out is memory that changes between
# the two tracers of a hit: what is below the stack pointer, and counters of time. Left out, too, is orig_ax: behind a trampoline of BPF it is an
# address in it.
import random
import sys

REGISTERS = "di si dx cx r8 r9 ax bx bp sp ip flags cs ss r10 r11 r12 r13 r14 r15".split()
POINTERS = "di si dx cx r8 r9 bx r12 r13 r14 r15".split()
SYMBOLS = ["linux_banner", "sys_call_table", "init_uts_ns", "saved_command_line"]
NUMBERS = [f"{kind}{bits}" for kind in "usx" for bits in (8, 16, 32, 64)]
OFFSETS = [0, 0, 0, 1, 2, 3, 4, 7, 8, 12, 16, 24, 32, 40, 64, 100, 128, 255, 256, 511, 1024]
# Functions, with a call that reaches them once or a few times. A return probe changes the return address, which is $stack0: so those have their own.
PLACES = [
    ("do_sys_openat2", "wl open /etc/xyz"), ("path_openat", "wl open /etc/passwd"), ("ksys_write", "wl write"), ("vfs_write", "wl write"),
    ("vfs_read", "wl read"), ("ksys_lseek", "wl lseek"), ("do_getpgid", "wl getpgid 1"),
]
RETURN_PLACES = [("do_filp_open", "wl open /etc/xyz"), ("ksys_read", "wl read"), ("vfs_statx", "wl stat"), ("ksys_mmap_pgoff", "wl mmap")]
ORDER = ["5.10", "6.1", "6.12", "6.18"]


def known(kernel, since):
    rank = ORDER.index(kernel) if kernel in ORDER else len(ORDER)
    return rank >= ORDER.index(since)


# At a return the others are scratch, and have what the tracers that came before left there.
RETURN_REGISTERS = "ax bx bp sp ip flags cs ss r12 r13 r14 r15".split()
RETURN_POINTERS = "ax bx r12 r13 r14 r15".split()


def fetch(r, is_return, depth=0):
    """What an argument fetches, without its type."""
    registers, pointers = (RETURN_REGISTERS, RETURN_POINTERS) if is_return else (REGISTERS, POINTERS)
    roll = r.random()
    if depth < 4 and roll < (0.45 if depth else 0.55):
        inner = fetch(r, is_return, depth + 1) if r.random() < 0.7 else "%" + r.choice(pointers)
        user = "u" if r.random() < 0.15 else ""
        if inner.startswith("\\") or inner == "$comm":
            inner = "%" + r.choice(pointers)
        return f"+{user}{r.choice(OFFSETS)}({inner})"
    if roll < 0.7:
        return "%" + r.choice(registers)
    if roll < 0.78:
        return f"$stack{r.choice([0, 1, 2, 3, 5, 8, 13, 21, 40])}"
    if roll < 0.82:
        return "$stack"
    if roll < 0.88:
        return "$retval" if is_return else f"$arg{r.randint(1, 6)}"
    if roll < 0.93:
        return f"@{r.choice(SYMBOLS)}" + (f"+{r.choice(OFFSETS)}" if r.random() < 0.5 else "")
    if roll < 0.96 or depth:
        return "\\" + r.choice(["0", "1", "-1", "0x10", "65535", "0xffffffffffffffff", "-9223372036854775808"])
    return r.choice(["$comm", "\\\"text\"", "\\\"\""])


def levels(what):
    """The dereferences in a fetch, the innermost one first."""
    if what[0] == "@":
        return [what]
    return levels(what[what.index("(") + 1:-1]) + [what] if what[0] == "+" else []


def kind(r, what, kernel):
    memory = what[0] in "+@"
    roll = r.random()
    if what == "$comm" or what.startswith('\\"'):
        return r.choice(["", ":string"])
    if roll < 0.2:
        return ""
    if roll < 0.55:
        return ":" + r.choice(NUMBERS)
    if roll < 0.65:
        size = r.choice([8, 16, 32, 64])
        width = r.randint(1, size)
        return f":b{width}@{r.randint(0, size - width)}/{size}"
    if roll < 0.70:
        return ":symbol"
    if roll < 0.73 and known(kernel, "6.12"):
        return ":symstr" if memory or r.random() < 0.5 else ":char"
    if not memory:
        return ":" + r.choice(NUMBERS)
    if roll < 0.86:
        return ":" + r.choice(["string", "ustring"]) + (f"[{r.randint(1, 5)}]" if r.random() < 0.15 else "")
    return f":{r.choice(NUMBERS)}[{r.choice([1, 2, 3, 8, 16, 31, 64])}]"


def arguments(r, is_return, kernel):
    words = []
    for i in range(r.choice([1, 1, 2, 3, 5, 8, 16])):
        what = fetch(r, is_return)
        name = r.choice([f"a{i}=", f"a{i}=", f"x_{i}=", "same=" if r.random() < 0.05 else f"b{i}=", "" if r.random() < 0.3 else f"c{i}="])
        if what.startswith("$arg") and not name:
            name = f"d{i}="         # else it has the parameter's name
        words.append(name + what + kind(r, what, kernel))
    # The kernel prints (fault) for strings alone, and not if a pointer on the way could not be read. So a string at each place on the way says
    # whether it can be read: f0_0 is the innermost one of the first argument.
    for i, word in enumerate(list(words)):
        level = levels(word.split("=")[-1].split(":")[0])
        words += [f"f{i}_{n}={what}:string" for n, what in enumerate(level)]
    return words


def returns(number):
    return random.Random(number).random() < 0.25


def definition(number, kernel, place, event):
    r = random.Random(number)
    is_return = returns(number)
    return f"{'r' if is_return else 'p'}:{event} {place} " + " ".join(arguments(r, is_return, kernel))


def row(name, workload, text):
    print("\t".join([name, name, "own", "-", workload[3:], text]))


def smaller(words):
    """The arguments without one of them, and without the strings that belong to it."""
    mine = [w for w in words if not w.startswith("f")]
    for left in range(len(mine)):
        kept = mine[:left] + mine[left + 1:]
        strings = []
        for i, word in enumerate(kept):
            strings += [f"f{i}_{n}={what}:string" for n, what in enumerate(levels(word.split("=")[-1].split(":")[0]))]
        yield kept + strings


def main():
    how = sys.argv[1]
    if how == "smaller":
        name, _, _, _, workload, text = sys.argv[3].split("\t")
        head, place, words = text.split(" ")[0], text.split(" ")[1], text.split(" ")[2:]
        for i, less in enumerate(smaller(words)):
            if less:
                row(f"S{i}", "wl " + workload, " ".join([head.split(":")[0] + f":S{i}", place] + less))
        return
    first, number, kernel = int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    for n in range(first, first + number):
        if how == "trace":
            place, workload = random.Random(-n - 1).choice(RETURN_PLACES if returns(n) else PLACES)
            row(f"D{n}", workload, definition(n, kernel, place, f"D{n}"))
        else:
            r = random.Random(-n - 1)
            place = f"{{{{{r.randrange(1 << 30)}}}}}" + (f"+{r.randint(1, 40)}" if r.random() < 0.1 else "")
            print(definition(n, kernel, place, f"L{n}"))


main()
