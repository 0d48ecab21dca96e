#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""stacks.py - programs whose stacks are known with their lines, and what --lines-in-stacks must print of them

  stacks.py make [--seed N] [--chains N] DIR      writes DIR/stk.c, the files that it includes, and DIR/want
  stacks.py make --module ... DIR                 the same of a kernel module
  stacks.py check [--cxx] DIR PROGRAM < LINES     compares bprobe's lines with DIR/want: TAP on stdout

Each chain is a row of functions that call each other; the last one makes the system call getpgid(NUMBER OF THE CHAIN). The generator
decides which are inlined, in which file and line each call stands, and what is around it. So the truth is the source itself. In a module
the last one calls stk_hit(), and the first one is called when the parameter "run" is written.

  want   chain TAB function TAB file:line TAB inlined|-      the innermost first
"""
import argparse
import random
import re
import sys

INCLUDED = ["part.h", "sub/deep.h"]


class File:
    def __init__(self, name):
        self.name, self.text = name, []
        self.shown, self.shift = name, 0        # as #line says

    def add(self, text):
        self.text.append(text)

    def here(self):
        """The place of the line that is added next."""
        return f"{self.shown}:{len(self.text) + 1 + self.shift}"

    def set_line(self, name, number):
        self.add(f'#line {number} "{name}"')
        self.shown, self.shift = name, number - len(self.text) - 1


class Gen:
    def __init__(self, seed, module):
        self.r = random.Random(seed)
        self.module = module
        self.files = {name: File(name) for name in INCLUDED + ["stk.c"]}
        self.want = []

    def filler(self, f, indent):
        for _ in range(self.r.randrange(3)):
            n = self.r.randrange(1, 1000)
            f.add(indent + self.r.choice([f"sink += {n};", f"if (n == {n + 5000})", "", f"/* {n} */", f"sink ^= n * {n};"]))
            if f.text[-1].lstrip().startswith("if"):
                f.add(indent + f"\tsink -= {n};")

    def head(self, f, name, inlined):
        f.add(("INLINE " if inlined else "KEEP ") + f"long {name}(long n)")
        f.add("{")

    # gcc gives a function that calls nobody no frame, unless it asks for its address.
    def leaf(self, f, name, chain, inlined):
        self.head(f, name, inlined)
        f.add("\tlong r;")
        self.filler(f, "\t")
        place = f.here()
        if self.module:
            f.add(f"\tr = stk_hit({chain}L);")
        else:
            f.add(f'\t__asm__ volatile("syscall" : "=a"(r) : "0"(121L), "D"({chain}L), "r"(__builtin_frame_address(0)) : "rcx", "r11", "memory");')
        self.filler(f, "\t")
        f.add("\tsink += r;")
        f.add(f"\treturn r + {self.r.randrange(1, 1 << 20)};")
        f.add("}")
        return place

    def caller(self, f, name, callee, inlined):
        n = self.r.randrange(1, 1 << 20)
        by_macro = self.r.randrange(4) == 0
        if by_macro:
            f.add(f"#define CALL_{callee}(x) ({callee}((x) + 1) ^ {n})")
        self.head(f, name, inlined)
        f.add("\tlong r = 0;")
        self.filler(f, "\t")
        call = f"CALL_{callee}(n)" if by_macro else f"{callee}(n + {self.r.randrange(100)})"
        shape = self.r.randrange(5)
        if shape == 0:
            f.add("\tfor (int i = 0; i < one; i++) {")
            self.filler(f, "\t\t")
        elif shape == 1:
            f.add("\tif (one) {")
            f.add("\t\tlong n_inside = n;")
            f.add("\t\tsink += n_inside;")
        elif shape == 2:
            f.add("\tswitch (one) {")
            f.add("\tcase 1:")
        place = f.here()
        f.add(f"\t{'' if shape > 2 else chr(9)}r {self.r.choice(['=', '+=', '^='])} {call};")
        if shape == 0 or shape == 1:
            f.add("\t}")
        elif shape == 2:
            f.add("\t\tbreak;")
            f.add("\tdefault:")
            f.add(f"\t\tsink = {n};")
            f.add("\t}")
        self.filler(f, "\t")
        f.add(f"\tsink += r * {n};")
        f.add(f"\treturn sink + {n};")
        f.add("}")
        return place

    def chain(self, number):
        """Later functions call earlier ones. What a file has, the next file may call."""
        frames = []
        at = 0
        name = None
        for depth in range(self.r.randrange(3, 10)):
            at = min(2, at + (self.r.randrange(3) == 0))
            f = self.files[(INCLUDED + ["stk.c"])[at]]
            if self.r.randrange(4) == 0:
                f.set_line(self.r.choice([f.name, "gen/made.y", "made.rules"]), self.r.randrange(1, 60000))
            inlined = self.r.randrange(2) == 0
            callee, name = name, f"{self.r.choice(['walk', 'do_it', 'x', 'handle'])}_{number}_{depth}"
            self.filler_outside(f)
            place = self.caller(f, name, callee, inlined) if callee else self.leaf(f, name, number, inlined)
            frames.append((name, place, inlined))
        return name, frames

    def filler_outside(self, f):
        for _ in range(self.r.randrange(4)):
            f.add("")

    def program(self, nr):
        main = self.files["stk.c"]
        if self.module:
            main.add("#include <linux/module.h>")
        main.add("static volatile long sink; static volatile int one = 1;")
        main.add("#define KEEP __attribute__((__noinline__, __noclone__, __used__)) static")
        if self.module:
            main.add("KEEP long stk_hit(long n)")
            main.add("{")
            main.add("\tsink += n;")
            main.add("\treturn sink;")
            main.add("}")
        main.add("#define INLINE static inline __attribute__((__always_inline__))")
        for name in INCLUDED:
            main.add(f'#include "{name}"')
        chains = [self.chain(i) for i in range(1, nr + 1)]
        main.set_line("stk.c", len(main.text) + 2)
        first = "stk_run" if self.module else "main"
        main.add("static int stk_run(const char *value, const struct kernel_param *param)" if self.module else "int main(void)")
        main.add("{")
        for i, (name, frames) in enumerate(chains, 1):
            frames.append((first, main.here(), False))
            main.add(f"\tsink += {name}({i});")
            self.want += [f"{i}\t{n}\t{p}\t{'inlined' if x else '-'}" for n, p, x in frames]
        main.add("\treturn 0;")
        main.add("}")
        if self.module:
            main.add("static const struct kernel_param_ops ops = { .set = stk_run };")
            main.add("module_param_cb(run, &ops, NULL, 0200);")
            main.add('MODULE_LICENSE("GPL");')


def make(a):
    import os
    seed = a.seed if a.seed is not None else random.randrange(1 << 32)
    g = Gen(seed, a.module)
    g.program(a.chains)
    os.makedirs(f"{a.dir}/sub", exist_ok=True)
    for f in g.files.values():
        with open(f"{a.dir}/{f.name}", "w") as out:
            out.write("\n".join(f.text) + "\n")
    with open(f"{a.dir}/want", "w") as out:
        out.write("\n".join(g.want) + "\n")
    print(f"# stacks.py: --seed {seed}")


def read_want(path, cxx):
    """Of each chain its lines as bprobe prints them, without what only the compiler knows."""
    want = {}
    for line in open(path):
        chain, name, place, inlined = line.rstrip("\n").split("\t")
        shown = f"{name}(long)" if cxx and name not in ("main", "stk_run") else name
        want.setdefault(int(chain), []).append(f"{shown} {place}" + (" (inlined)" if inlined == "inlined" else ""))
    return want


def check(a):
    want = read_want(f"{a.dir}/want", a.cxx)
    got, chain = {}, None
    for line in sys.stdin:
        hit = re.search(r" pid=(\d+)$", line)
        frame = re.match(r" => (.*)$", line)
        if hit:
            chain = int(hit.group(1))
            got[chain] = []
        elif frame and chain and not frame.group(1).startswith("stk_hit+") and not re.match("(main|stk_run) ", (got[chain] or [""])[-1]):
            got[chain].append(re.sub(r"\+0x[0-9a-f]+/0x[0-9a-f]+ \[[^]]*\]", "", frame.group(1)))
    if a.cxx:       # g++ gives a static function that is only inlined no symbol: then its name in the source is all there is
        got = {c: [re.sub(r"^(\w+_\d+_\d+) (.* \(inlined\))$", r"\1(long) \2", x) for x in lines] for c, lines in got.items()}
    bad = [c for c in want if want[c] != got.get(c)]
    nr = sum(len(w) for w in want.values())
    print(f"{'not ok' if bad else 'ok'} - {a.program}: {nr} frames of {len(want)} stacks have their functions and lines")
    for c in bad[:2]:
        print("\n".join(f"# chain {c}: want {x}" for x in want[c]))
        print("\n".join(f"# chain {c}: got  {x}" for x in got.get(c, ["nothing"])))


def main():
    p = argparse.ArgumentParser()
    sub = p.add_subparsers(dest="what", required=True)
    m = sub.add_parser("make")
    m.add_argument("--seed", type=int)
    m.add_argument("--chains", type=int, default=8)
    m.add_argument("--module", action="store_true")
    m.add_argument("dir")
    c = sub.add_parser("check")
    c.add_argument("--cxx", action="store_true")
    c.add_argument("dir")
    c.add_argument("program")
    a = p.parse_args()
    (make if a.what == "make" else check)(a)


if __name__ == "__main__":
    main()
