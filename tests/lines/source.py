#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""source.py - C programs with many kinds of variables, for programs.sh: what is where in them is up to the compiler

  source.py SEED NR DIR       writes DIR/prog.c and DIR/part.h, and DIR/functions, their names

The text is C and C++. Each statement uses variables that are there, so that compilers cannot leave out all of them.
"""
import random
import sys

INTS = ["char", "signed char", "short", "int", "long", "unsigned char", "unsigned short", "unsigned", "unsigned long"]

HEAD = """static volatile long sink = 3;
#define USE(x) __asm__ volatile("" : : "r"(&(x)) : "memory")
#define KEEP static __attribute__((__noinline__))
#define INLINE static inline __attribute__((__always_inline__))
enum colour { RED, GREEN = 7, BLUE };
struct pair { int a; long b; };
struct mixed { unsigned short id; struct pair in[2]; char name[12]; unsigned low : 3, high : 9; struct mixed *next; enum colour c; };
union word { long whole; short parts[4]; };
static struct mixed mixes[3];
"""


class Function:
    def __init__(self, r, name, out, known, inlined):
        self.r, self.name, self.out, self.known = r, name, out, known
        self.numbers, self.pointers, self.nr = [], [], 0
        params = []
        for i in range(r.randrange(1, 7)):
            kind = r.choice(["int", "int", "pointer", "enum", "struct"])
            if kind == "pointer":
                params.append(f"struct mixed *p{i}")
                self.pointers.append(f"p{i}")
            elif kind == "enum":
                params.append(f"enum colour p{i}")
                self.numbers.append(f"(long)p{i}")
            elif kind == "struct":
                params.append(f"struct pair p{i}")
                self.numbers += [f"p{i}.a", f"p{i}.b"]
            else:
                params.append(f"{r.choice(INTS)} p{i}")
                self.numbers.append(f"p{i}")
        self.params = params
        for _ in range(r.randrange(3)):
            out.append("")
        out.append(f"{'INLINE' if inlined else 'KEEP'} long {name}({', '.join(params)})")
        out.append("{")
        self.body("\t", 0, r.randrange(2, 7))
        out.append(f"\treturn sink + {self.number()};")
        out.append("}")

    def number(self):
        return self.r.choice([*self.numbers, str(self.r.randrange(100))])

    def pointer(self):
        return self.r.choice([*self.pointers, "&mixes[sink & 1]"])

    def argument(self, param):
        if "mixed *" in param:
            return self.pointer()
        if "enum" in param:
            return "(enum colour)(sink & 7)"
        if "pair" in param:
            return "mixes[sink & 1].in[0]"
        return f"({param.rsplit(' ', 1)[0]}){self.number()}"

    def new(self):
        self.nr += 1
        return f"v{self.nr}"

    def body(self, tab, depth, nr):
        out, r = self.out, self.r
        numbers, pointers = list(self.numbers), list(self.pointers)
        for _ in range(nr):
            kind = r.choice(["int", "int", "struct", "array", "pointer", "union", "if", "loop", "call", "static", "set", "blank"])
            if kind == "int":
                v = self.new()
                out.append(f"{tab}{r.choice(INTS)} {v} = (char)({self.number()} * {r.randrange(2, 9)} + sink);")
                self.numbers.append(v)
            elif kind == "struct":
                v = self.new()
                is_pair = r.randrange(2)
                member = "a" if is_pair else "id"
                out.append(f"{tab}struct {'pair' if is_pair else 'mixed'} {v};")
                out.append(f"{tab}{v}.{member} = (short){self.number()};")
                out.append(f"{tab}USE({v});" if r.randrange(2) else f"{tab}sink += {v}.{member};")
                self.numbers.append(f"{v}.{member}")
            elif kind == "array":
                v = self.new()
                out.append(f"{tab}int {v}[4] = {{ {r.randrange(9)}, (int){self.number()} }};")
                out.append(f"{tab}USE({v});")
                self.numbers.append(f"{v}[sink & 3]")
            elif kind == "pointer":
                v = self.new()
                out.append(f"{tab}struct mixed *{v} = {self.pointer()};")
                out.append(f"{tab}sink += {v}->in[1].a;")
                self.pointers.append(v)
            elif kind == "union":
                v = self.new()
                out.append(f"{tab}union word {v};")
                out.append(f"{tab}{v}.whole = {self.number()};")
                out.append(f"{tab}sink += {v}.parts[1];")
            elif kind == "if" and depth < 3:
                out.append(f"{tab}if ({self.number()} > sink) {{")
                self.body(tab + "\t", depth + 1, r.randrange(1, 4))
                out.append(f"{tab}}} else {{")
                self.body(tab + "\t", depth + 1, r.randrange(1, 3))
                out.append(f"{tab}}}")
            elif kind == "loop" and depth < 2:
                v = self.new()
                out.append(f"{tab}for (int {v} = 0; {v} < (int)(sink & 3); {v}++) {{")
                self.numbers.append(v)
                self.body(tab + "\t", depth + 1, r.randrange(1, 4))
                self.numbers.remove(v)
                out.append(f"{tab}}}")
            elif kind == "call" and self.known:
                f = r.choice(self.known)
                out.append(f"{tab}sink {r.choice(['+=', '^='])} {f.name}({', '.join(self.argument(p) for p in f.params)});")
            elif kind == "static":
                out.append(f"{tab}static long {self.new()} = {r.randrange(100)};")
                out.append(f"{tab}v{self.nr} += sink;")
                self.numbers.append(f"v{self.nr}")
            elif kind == "set":
                out.append(f"{tab}({self.pointer()})->high = (unsigned){self.number()};")
            else:
                out.append("")
        if depth:
            self.numbers, self.pointers = numbers, pointers


def main():
    seed, nr, where = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    r = random.Random(seed)
    texts = {"part.h": [], "prog.c": HEAD.splitlines() + ['#include "part.h"']}
    known = []
    for n in range(nr):
        out = texts["part.h" if n < nr // 3 else "prog.c"]
        known.append(Function(r, f"{r.choice(['walk', 'take', 'x'])}_{n}", out, list(known), r.randrange(3) == 0))
    main_text = texts["prog.c"]
    main_text += ["int main(void)", "{"]
    for f in known:
        args = ["&mixes[0]" if "mixed *" in p else "RED" if "enum" in p else "mixes[1].in[0]" if "pair" in p else "(char)sink" for p in f.params]
        main_text.append(f"\tsink += {f.name}({', '.join(args)});")
    main_text += ["\treturn 0;", "}"]
    for name, text in texts.items():
        with open(f"{where}/{name}", "w") as out:
            out.write("\n".join(text) + "\n")
    with open(f"{where}/functions", "w") as out:
        out.write("\n".join(f.name for f in known) + "\n")


main()
