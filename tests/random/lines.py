#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""lines.py - random programs whose lines have known values, for random-lines.sh

  lines.py make SEED DIR                      writes DIR/prog.c and DIR/marks
  lines.py choose BPROBE BUILD DIR            writes DIR/BUILD.defs: what bprobe takes of DIR/marks for the program DIR/BUILD. TAP of the rest
  lines.py check BUILD DIR < LINES            compares bprobe's lines with DIR/known: TAP

A program has marks. Each is a line with one "nop". At a mark, random expressions of C are asked for: variables, members, elements,
bit-fields, what pointers point to, casts and sums. The variables are numbers, structures in structures, arrays, pointers, unions,
parameters, statics, and variables that hide others of the same name.

What is right comes from the program itself. Compiled with -DSHOW it prints the expressions at each mark (DIR/known); this needs no bprobe.
The program that is traced does not print them, so the compiler is free to leave variables out. Both count the marks that they pass in
`serial`, and each definition asks for it. So a hit is compared with what was printed at the same moment.

The text of a program is made so that only the variable's place is in question:

- memory is complete at a mark: the address of each structure and each array is known to an asm that may change memory;
- nothing is uninitialized, and nothing depends on addresses.
"""
import random
import re
import subprocess
import sys

INTS = [("signed char", 8, 1), ("unsigned char", 8, 0), ("short", 16, 1), ("unsigned short", 16, 0), ("int", 32, 1), ("unsigned", 32, 0),
        ("long", 64, 1), ("unsigned long", 64, 0)]

HEAD = """#include <stdio.h>
#define USE(x) __asm__ volatile("" : : "r"(&(x)) : "memory")
#define KEEP(x) __asm__ volatile("" : : "r"(x) : "memory")
#define COUNT serial++; __asm__ volatile("" : : : "memory")
#define MARK __asm__ volatile("nop" : : : "memory")
#ifdef SHOW
#define SAY(line, values) printf("%d %lu", line, serial); values printf("\\n")
#define V(name, e) ((e) * 0 - 1 < 0 ? printf(" %s=%lld", name, (long long)(e)) : printf(" %s=%llu", name, (unsigned long long)(e)));
#define S(name, e) printf(" %s=\\"%s\\"", name, e);
#else
#define SAY(line, values)
#endif
enum colour { RED = -7, GREEN = 0, BLUE = 3 };
volatile unsigned long serial;
volatile long sink = 3;
"""


class Struct:
    """Members are (name, kind, more); kind is int, bits, array, text, enum, struct, structs, pointer, number: a pointer to one."""

    def __init__(self, r, nr, known):
        self.name, self.members = f"struct s{nr}", []
        parts = []
        for i in range(r.randrange(3, 8)):
            kind = r.choice(["int", "int", "bits", "array", "text", "enum", "number", *(["struct", "structs", "pointer", "pointer"] if known else []),
                             "union"])
            name, c = f"m{i}", r.choice(INTS)[0]
            if kind == "int":
                parts.append(f"{c} {name};")
            elif kind == "bits":
                size = dict((n, b) for n, b, _ in INTS)[c]
                parts.append(f"{c} {name} : {r.randrange(1, size + 1)};")
            elif kind == "array":
                parts.append(f"{c} {name}[4];")
            elif kind == "text":
                parts.append(f"char {name}[8];")
            elif kind == "enum":
                parts.append(f"enum colour {name};")
            elif kind == "number":
                parts.append(f"{c} *{name};")
            elif kind == "union":       # the members of a union without a name: the first one is filled
                parts.append(f"union {{ unsigned long {name}; short {name}h[4]; }};")
            else:
                to = r.choice(known)
                parts.append(f"{to.name} {'*' if kind == 'pointer' else ''}{name}{'[2]' if kind == 'structs' else ''};")
                c = to
            self.members.append((name, kind, c))
        self.text = f"{self.name} {{ {' '.join(parts)} }};"


class Program:
    def __init__(self, seed):
        self.r = r = random.Random(seed)
        self.out = HEAD.splitlines()
        self.out.insert(0, f"/* made by lines.py, seed {seed} */")
        self.structs, self.fills, self.marks, self.functions, self.nr, self.statics = [], [], [], [], 0, set()
        self.out.append("")
        hidden = len(self.out) - 1
        for c, _, _ in INTS:
            self.out.append(f"{c} n_{c.replace(' ', '_')} = ({c}){r.getrandbits(63)};")
        for i in range(4):
            s = Struct(r, i, list(self.structs))
            self.structs.append(s)
            self.out += [s.text, f"{'static ' if r.randrange(2) else ''}{s.name} g{i}[2];"]
        for i, s in enumerate(self.structs):
            for j in range(2):
                self.fill(s, f"g{i}[{j}]")
        for i in range(r.randrange(4, 7)):
            self.function(i)
        self.out += ["int main(void)", "{"] + [f"\t{f}" for f in self.fills] + [f"\tUSE(g{i});" for i in range(4)]
        for name, params in self.functions:
            self.out.append(f"\tsink += {name}({', '.join(self.argument(p) for p in params)});")
        self.out += ["\treturn 0;", "}"]
        # Variables outside of functions with the names of those inside. No expression means one of them. Not of static ones: clang does not say
        # which function these are in, so bprobe refuses them then.
        names = [n for n in [f"p{i}" for i in range(6)] + [f"v{i}" for i in range(60)] if n not in self.statics]
        self.out[hidden] = "long " + ", ".join(f"{n} = {-1000 - i}" for i, n in enumerate(names)) + ";"

    def fill(self, s, at):
        r = self.r
        for name, kind, c in s.members:
            m = f"{at}.{name}"
            if kind in ("int", "bits", "union"):
                self.fills.append(f"{m} = ({'unsigned long' if kind == 'union' else c}){r.getrandbits(63)};")
            elif kind == "array":
                self.fills += [f"{m}[{i}] = ({c}){r.getrandbits(63)};" for i in range(4)]
            elif kind == "text":
                text = "".join(r.choice("abcxyz_09") for _ in range(r.randrange(8)))
                self.fills += [f"{m}[{i}] = '{ch}';" for i, ch in enumerate(text)]
            elif kind == "enum":
                self.fills.append(f"{m} = {r.choice(['RED', 'GREEN', 'BLUE'])};")
            elif kind == "number":
                self.fills.append(f"{m} = &n_{c.replace(' ', '_')};")
            elif kind == "struct":
                self.fill(c, m)
            elif kind == "structs":
                self.fill(c, f"{m}[0]")
                self.fill(c, f"{m}[1]")
            else:
                self.fills.append(f"{m} = &g{self.structs.index(c)}[{r.randrange(2)}];")

    # ---- expressions ----

    def leaf(self, at, s, depth=0):
        """A number in the structure @at: (text, whether its address can be taken). None: only texts are there."""
        r = self.r
        dot = at[1:] + "->" if at[0] == "*" else at + "."
        for _ in range(20):
            name, kind, c = r.choice(s.members)
            m = dot + name
            if kind in ("int", "enum"):
                return m, True
            if kind == "bits":
                return m, False
            if kind == "array":
                return f"{m}[{self.index()}]", True
            if kind == "union":
                return r.choice([(m, True), (f"{m}h[{r.randrange(4)}]", True)])
            if kind == "number":
                return r.choice([f"*{m}", f"{m}[0]"]), True
            if kind == "text" and r.randrange(2):
                return f"{m}[{self.index()}]", True
            if kind in ("struct", "structs", "pointer") and depth < 5:
                inner = {"struct": m, "structs": f"{m}[{r.randrange(2)}]", "pointer": r.choice(["*" + m, f"(*{m})"])}[kind]
                found = self.leaf(inner, c, depth + 1)
                if found:
                    return found
        return None

    def index(self):
        if self.numbers and self.r.randrange(4) == 0:
            return f"({self.r.choice(self.numbers)})&3"
        return str(self.r.randrange(4))

    def expression(self):
        """Text in C of what can be asked for here, and whether it is a string."""
        r = self.r
        kind = r.randrange(10)
        if kind < 4 and self.numbers:
            e, memory = r.choice(self.numbers[-6:]), False
        elif kind == 4 and self.arrays:
            e, memory = f"{r.choice(self.arrays)}[{self.index()}]", True
        else:
            at, s = r.choice(self.places[-5:])
            texts = [m for m, k, _ in s.members if k == "text"]
            if texts and r.randrange(8) == 0:
                return (at[1:] + "->" if at[0] == "*" else at + ".") + r.choice(texts), True
            e, memory = self.leaf(at, s) or ("sink", False)
        how = r.randrange(10)
        if how == 0:
            return f"({r.choice(INTS)[0]}){'(' + e + ')' if e[0] == '*' else e}", False
        if how == 1:
            return f"({e}){r.choice(['+', '-', '*', '&', '^'])}{r.randrange(1, 100)}", False
        if how == 2 and memory and not e.startswith("*"):
            return f"*({r.choice(INTS[:2])[0]} *)&{e}", False
        if how == 3 and self.numbers:
            return f"({e}){r.choice(['<', '>', '==', '-', '+'])}({r.choice(self.numbers)})", False
        return e, False

    # ---- statements ----

    def number(self):
        return self.r.choice([*self.numbers, str(self.r.randrange(1000)), "sink"])

    def argument(self, param):
        r = self.r
        if param.startswith("struct"):
            i = int(re.match(r"struct s(\d+)", param).group(1))
            return f"{'&' if '*' in param else ''}g{i}[{r.randrange(2)}]"
        if "enum" in param:
            return r.choice(["RED", "GREEN", "BLUE"])
        return f"({param.rsplit(' ', 1)[0]}){r.choice([r.getrandbits(63), r.randrange(100), 'sink'])}"

    def new(self):
        self.nr += 1
        return f"v{self.nr}"

    def function(self, i):
        r = self.r
        self.numbers, self.arrays, self.places = [], [], [(f"g{k}[{r.randrange(2)}]", s) for k, s in enumerate(self.structs)]
        params = []
        for k in range(r.randrange(1, 7)):
            kind, s = r.choice(["int", "int", "pointer", "enum", "struct"]), r.choice(self.structs)
            if kind == "int":
                params.append(f"{r.choice(INTS)[0]} p{k}")
                self.numbers.append(f"p{k}")
            elif kind == "enum":
                params.append(f"enum colour p{k}")
                self.numbers.append(f"p{k}")
            else:
                params.append(f"{s.name} {'*' if kind == 'pointer' else ''}p{k}")
                self.places.append((f"{'*' if kind == 'pointer' else ''}p{k}", s))
        name = f"f{i}"
        how = r.choice(["static __attribute__((__noinline__))", "static inline __attribute__((__always_inline__))", "__attribute__((__noinline__))"])
        self.out.append(f"{how} long {name}({', '.join(params)})")
        self.declared, self.current = len(self.out), name
        self.out.append("{")
        for text in params:     # a structure that was passed by value is complete in memory, too
            if text.startswith("struct") and "*" not in text:
                self.out.append(f"\tUSE({text.rsplit(' ', 1)[1]});")
        self.body("\t", 0, r.randrange(4, 8))
        self.mark("\t")
        self.out += [f"\treturn sink + {self.number()};", "}"]
        self.functions.append((name, params))

    def mark(self, tab):
        asked = [self.expression() for _ in range(self.r.randrange(2, 6))]
        self.out += [f"{tab}COUNT;", f"{tab}MARK;"]
        line = len(self.out)
        said = " ".join(f'{"S" if s else "V"}("x{i}", {e})' for i, (e, s) in enumerate(asked))
        self.out.append(f"{tab}SAY({line}, {said});")
        place = self.r.choice([f"prog.c:{line}", f"{self.current}:{line - self.declared}"])
        self.marks.append((line, place, [e + (":string" if s else "") for e, s in asked]))
        if self.numbers and self.r.randrange(2):
            self.out.append(f"{tab}KEEP({self.r.choice(self.numbers)});")

    def body(self, tab, depth, nr):
        out, r = self.out, self.r
        before = list(self.numbers), list(self.arrays), list(self.places)
        for _ in range(nr):
            kind = r.choice(["int", "int", "struct", "array", "pointer", "if", "loop", "call", "static", "set", "hide", "mark"])
            if kind == "int":
                v, c = self.new(), r.choice(INTS)[0]
                out.append(f"{tab}{c} {v} = ({c})({self.number()} * {r.randrange(2, 9)}ul + {self.number()});")
                self.numbers.append(v)
            elif kind == "struct":
                v, k = self.new(), r.randrange(len(self.structs))
                out += [f"{tab}{self.structs[k].name} {v} = g{k}[{r.randrange(2)}];", f"{tab}USE({v});"]
                self.places.append((v, self.structs[k]))
            elif kind == "array":
                v, c = self.new(), r.choice(INTS)[0]
                out += [f"{tab}{c} {v}[4] = {{ {', '.join(f'({c}){self.number()}' for _ in range(4))} }};", f"{tab}USE({v});"]
                self.arrays.append(v)
            elif kind == "pointer":
                v, k = self.new(), r.randrange(len(self.structs))
                out += [f"{tab}{self.structs[k].name} *{v} = &g{k}[sink & 1];"]
                self.places.append(("*" + v, self.structs[k]))
            elif kind == "static":
                v = self.new()
                out += [f"{tab}static long {v} = {r.randrange(100)};", f"{tab}USE({v});", f"{tab}{v} += sink;"]
                self.numbers.append(v)
                self.statics.add(v)
            elif kind == "set" and self.numbers:
                v = r.choice(self.numbers)
                if v[0] == "v":
                    out.append(f"{tab}{v} ^= {self.number()};")
            elif kind == "if" and depth < 2:
                out.append(f"{tab}if ({self.number()} > sink) {{")
                self.body(tab + "\t", depth + 1, r.randrange(1, 4))
                out.append(f"{tab}}} else {{")
                self.body(tab + "\t", depth + 1, r.randrange(1, 4))
                out.append(f"{tab}}}")
            elif kind == "loop" and depth < 2:
                v = self.new()
                out.append(f"{tab}for (int i{v} = 0; i{v} < (int)(sink & 3); i{v}++) {{")
                self.numbers.append("i" + v)
                self.body(tab + "\t", depth + 1, r.randrange(1, 4))
                self.mark(tab + "\t")
                self.numbers.remove("i" + v)
                out.append(f"{tab}}}")
            elif kind == "hide" and depth < 2 and any(n[0] == "v" for n in self.numbers):       # another variable of the same name
                v, c = r.choice([n for n in self.numbers if n[0] == "v"]), r.choice(INTS)[0]
                out += [f"{tab}{{", f"{tab}\t{c} {v} = ({c})(sink * {r.randrange(99)});"]
                self.body(tab + "\t", depth + 1, r.randrange(1, 3))
                self.mark(tab + "\t")
                out.append(f"{tab}}}")
            elif kind == "call" and self.functions and not depth:
                name, params = r.choice(self.functions)
                out.append(f"{tab}sink ^= {name}({', '.join(self.argument(p) for p in params)}) & 7;")
            elif kind == "mark":
                self.mark(tab)
        if depth:
            self.numbers, self.arrays, self.places = before


def make(seed, where):
    p = Program(seed)
    with open(f"{where}/prog.c", "w") as out:
        out.write("\n".join(p.out) + "\n")
    with open(f"{where}/marks", "w") as out:
        for line, place, asked in p.marks:
            out.write("\t".join([str(line), place, *asked]) + "\n")


def marks_of(where):
    with open(f"{where}/marks") as file:
        for text in file:
            line, place, *asked = text.rstrip("\n").split("\t")
            yield line, place, asked


def known_of(where):
    """{ LINE: { SERIAL: { NAME: VALUE } } }"""
    known = {}
    with open(f"{where}/known") as file:
        for text in file:
            line, serial, *values = text.split()
            known.setdefault(line, {})[int(serial)] = dict(v.split("=", 1) for v in values)
    return known


# What the compiler may do to a variable, as the error says it. All else is no reason.
REASONS = re.compile(r"optimized out|in several pieces|is calculated|is a constant|need not be what it was|of floating point|only its value at the function's entry")


def explained(bprobe, definition):
    ran = subprocess.run([bprobe, "--explain", "--no-lint", definition], capture_output=True, text=True, check=False)
    return ran.returncode == 0, ran.stderr


def choose(bprobe, build, where):
    known = known_of(where)
    left_out = 0
    with open(f"{where}/{build}.defs", "w") as defs:
        for line, place, asked in marks_of(where):
            if line not in known:
                continue
            head = f"p:m{line} {where}/{build}:{place} serial"
            args = [f"x{i}={e}" for i, e in enumerate(asked)]
            taken, said = explained(bprobe, " ".join([head, *args]))
            if not taken and "-O0" not in build:
                kept = []
                for a in args:
                    ok, said = explained(bprobe, f"{head} {a}")
                    if ok and explained(bprobe, " ".join([head, *kept, a]))[0]:
                        kept.append(a)
                    elif ok or REASONS.search(said):
                        left_out += 1
                    else:
                        print(f"not ok - {head} {a}: refused: {said.splitlines()[0]}")
                args, taken = kept, True
            if not taken:
                print(f"not ok - {head} {' '.join(args)}: refused:")
                print("".join(f"#   {t}\n" for t in said.splitlines()), end="")
                continue
            if args:
                defs.write(" ".join([head, *args]) + "\n")
    with open(f"{where}/{build}.left", "w") as file:
        file.write(f"{left_out}\n")


def number(text):
    try:
        return int(text, 0)
    except ValueError:
        return text


def check(build, where):
    known, hits, definitions = known_of(where), {}, {}
    for text in sys.stdin:
        m = re.search(r" m(\d+): (?:\(.*?\) )?serial=(\d+) ?(.*)$", text)
        if m:
            values = dict(re.findall(r'(x\d+)=("[^"]*"|\S+)', m.group(3)))
            hits.setdefault(m.group(1), []).append((int(m.group(2)), values))
    with open(f"{where}/{build}.defs") as file:
        for text in file:
            definitions[re.match(r"p:m(\d+)", text).group(1)] = text.rstrip("\n").replace(where + "/", "")
    equal, bad = 0, 0
    for line, definition in definitions.items():
        asked = {a.split("=", 1)[0]: a for a in re.findall(r"(?<= )x\d+=.*?(?= x\d+=|$)", definition)}
        passed = {s for s, _ in hits.get(line, [])}
        # Optimized, a line may have places where an argument cannot be fetched: bprobe leaves these out, and says so.
        if "-O0" in build and sorted(s for s, _ in hits.get(line, [])) != sorted(known[line]) or passed - set(known[line]):
            print(f"not ok - {definition}: hit at the marks {sorted(s for s, _ in hits.get(line, []))}, the program passes {sorted(known[line])}")
            bad += 1
        wrong = {}
        for serial, values in hits.get(line, []):
            for name in asked:
                want, got = known[line].get(serial, {}).get(name), values.get(name)
                if want is None or got is None or number(got) != number(want):
                    wrong.setdefault(name, f"is {got} at mark {serial}, the program has {want}")
                else:
                    equal += 1
        for name, text in wrong.items():
            print(f"not ok - {definition.split(' serial')[0]} {asked[name]}: {text}")
        bad += len(wrong)
    with open(f"{where}/{build}.left") as file:
        left = file.read().strip()
    print(f"{'not ok' if bad or not equal else 'ok'} - {equal} values at {len(definitions)} lines are the program's; {left} expressions are optimized out")


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(int(sys.argv[2]), sys.argv[3])
    elif sys.argv[1] == "choose":
        choose(*sys.argv[2:5])
    else:
        check(*sys.argv[2:4])
