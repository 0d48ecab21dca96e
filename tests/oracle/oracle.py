#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""oracle.py - programs whose calls carry known values, and what bprobe must print of them

  oracle.py make [--seed N] [--functions N] [--user] DIR    writes DIR/orac.c, DIR/defs and DIR/want
  oracle.py make --no-btf ... DIR                           the same for a module without BTF: its DWARF describes the parameters
  oracle.py markers [--seed N] [--functions N] DIR          the same for a program with USDT markers
  oracle.py check DIR < LINES                               compares bprobe's lines with DIR/want: TAP on stdout

The kernel's own tracer is no judge of these values: it takes register N for parameter N. Here the truth is what the caller passes. The
generator writes functions of random prototypes, and one call of each with known values. The C compiler decides where they are.

  defs   a definition in each line; @ stands for the program ("orac" for the module)
  want   event TAB field TAB value TAB the case in words

A wrong value prints the prototype, the call and the definition with this one argument: a case that can be kept.
"""
import argparse
import random
import re
import sys

INTS = [("s8", 1, True), ("u8", 1, False), ("s16", 2, True), ("u16", 2, False), ("s32", 4, True), ("u32", 4, False),
        ("s64", 8, True), ("u64", 8, False), ("bool", 1, False)]


def cut(value, bits, signed):
    """The number that @bits bits of @value are."""
    value &= (1 << bits) - 1
    return value - (1 << bits) if signed and value >> (bits - 1) else value


class Gen:
    def __init__(self, seed, user, no_int128, static=False, btf=True):
        self.r = random.Random(seed)
        self.user = user
        self.btf = btf and not user
        self.static = static
        self.no_int128 = no_int128
        self.types = []         # C text of the structures
        self.nr_structs = 0

    def number(self, bits, signed):
        """Small, large, negative, and at both ends."""
        kind = self.r.randrange(5)
        if kind == 0:
            n = self.r.choice([0, 1, -1, 1 << (bits - 1), (1 << (bits - 1)) - 1])
        elif kind == 1:
            n = self.r.randrange(-100, 100)
        else:
            n = self.r.getrandbits(bits)
        return cut(n, bits, signed)


class Int:
    def __init__(self, g, which=None):
        self.c, self.size, self.signed = which or g.r.choice(INTS)

    def decl(self, name):
        return f"{self.c} {name}"

    def make(self, g):
        if self.c == "bool":
            return g.r.randrange(2)
        return g.number(8 * self.size, self.signed)

    def init(self, v):
        if self.c == "bool":
            return str(v)
        return f"({self.c})0x{v & ((1 << 8 * self.size) - 1):x}ull"

    def shown(self, name, v):
        """(fetch, what is printed) for each part that can be asked for."""
        return [(name, str(v))]

    def typed(self, v):
        return (f"{'s' if self.signed else 'u'}{8 * self.size}", str(v))


class Enum(Int):
    def __init__(self, g):
        self.c, self.size, self.signed = "enum colour", 4, True

    def make(self, g):
        return g.r.choice([-7, 0, 3, 2147483647])

    def init(self, v):
        return f"(enum colour)({v})"


class Pointer:
    size = 8

    def __init__(self, g):
        self.c = g.r.choice(["void *", "const u32 *", "struct nobody *"])

    def decl(self, name):
        return f"{self.c}{name}"

    def make(self, g):
        return g.r.choice([0, 8, g.r.getrandbits(64)])

    def init(self, v):
        return f"(void *)0x{v:x}ul"

    def shown(self, name, v):
        return [(name, hex(v))]

    def typed(self, v):
        return ("x64", hex(v))


class Text:
    size = 8

    def __init__(self, g):
        pass

    def decl(self, name):
        return f"const char *{name}"

    def make(self, g):
        return "".join(g.r.choice("abcxyz019_") for _ in range(g.r.randrange(0, 20)))

    def init(self, v):
        return f'"{v}"'

    def shown(self, name, v):
        return [(f"{name}:string", f'"{v}"')]

    typed = None


class Int128:
    size = 16
    c = "unsigned __int128"

    def __init__(self, g):
        self.btf = g.btf

    def decl(self, name):
        return f"{self.c} {name}"

    def make(self, g):
        return g.r.getrandbits(128)

    def init(self, v):
        return f"((unsigned __int128)0x{v >> 64:x}ull << 64 | 0x{v & (1 << 64) - 1:x}ull)"

    def shown(self, name, v):
        return [(name if self.btf else f"{name}:x64", hex(v & (1 << 64) - 1))]

    def typed(self, v):
        return ("x64", hex(v & (1 << 64) - 1))


class Double:
    """Only between the parameters of programs: it takes no general register."""
    size = 8

    def __init__(self, g):
        self.c = g.r.choice(["double", "float"])

    def decl(self, name):
        return f"{self.c} {name}"

    def make(self, g):
        return g.r.randrange(100)

    def init(self, v):
        return f"{v}.5f"

    def shown(self, name, v):
        return []

    typed = None


class Struct:
    """1 to 40 bytes. Its members are numbers, pointers, arrays, structures and bit-fields of both signs."""

    def __init__(self, g, room=None, depth=0):
        room = room or g.r.choice([1, 2, 3, 4, 6, 8, 12, 16, 16, 16, 24, 40])
        self.members = []       # (name, type, bits or 0, array length or 0)
        left = room
        while left > 0 and len(self.members) < 8:
            name = f"m{len(self.members)}"
            kind = g.r.randrange(10)
            if kind < 2:
                t = Int(g, g.r.choice([i for i in INTS if i[0] != "bool"]))
                if t.size <= left:
                    bits = g.r.randrange(1, 8 * t.size + 1)
                    self.members.append((name, t, bits, 0))
                    left -= t.size
                    continue
            if kind == 2 and left >= 3:
                n = g.r.randrange(1, min(left, 9))
                self.members.append((name, Int(g, INTS[1]), 0, n))
                left -= n
                continue
            if kind == 3 and depth == 0 and left >= 4:
                t = Struct(g, g.r.randrange(1, min(left, 12) + 1), 1)
                if t.bound <= left:
                    self.members.append((name, t, 0, 0))
                    left -= t.bound
                    continue
            t = Pointer(g) if kind == 4 and left >= 8 else Enum(g) if kind == 5 and left >= 4 else Int(g)
            if t.size > left:
                t = Int(g, INTS[g.r.randrange(2)])
            self.members.append((name, t, 0, 0))
            left -= t.size
        self.bound = room
        self.c = f"struct s{g.nr_structs}"
        g.nr_structs += 1
        body = "".join(f" {t.decl(n)}{f' : {b}' if b else ''}{f'[{a}]' if a else ''};" for n, t, b, a in self.members)
        g.types.append(f"{self.c} {{{body} }};")

    def decl(self, name):
        return f"{self.c} {name}"

    def make(self, g):
        out = []
        for _, t, bits, array in self.members:
            if bits:
                out.append(g.number(bits, t.signed))
            elif array:
                out.append([g.r.randrange(256) for _ in range(array)])
            else:
                out.append(t.make(g))
        return out

    def init(self, v):
        parts = []
        for (name, t, bits, array), m in zip(self.members, v):
            text = "{ " + ", ".join(map(str, m)) + " }" if array else str(m) + ("ull" if m > 0x7fffffffffffffff else "ll") if bits else t.init(m)
            if bits and m == -(1 << 63):
                text = "(-0x7fffffffffffffffll - 1)"
            parts.append(f".{name} = {text}")
        inner = ", ".join(parts)
        return f"({self.c}){{ {inner} }}"

    def shown(self, name, v):
        out = []
        for (m, t, bits, array), value in zip(self.members, v):
            if bits:
                out.append((f"{name}.{m}", str(value)))
            elif not array:
                out += t.shown(f"{name}.{m}", value)
        return out

    typed = None


class PointerToStruct:
    size = 8

    def __init__(self, g):
        self.to = Struct(g)

    def decl(self, name):
        return f"{self.to.c} *{name}"

    def make(self, g):
        return None if g.r.randrange(6) == 0 else self.to.make(g)

    def init(self, v):
        return "(void *)8" if v is None else f"&{self.to.init(v)}"

    def shown(self, name, v):
        if v is None:
            return [(f"{name}->{m}", "(fault)") for m, t, bits, array in self.to.members
                    if not array and not isinstance(t, Struct)]
        return [(fetch.replace(".", "->", 1), value) for fetch, value in self.to.shown(name, v)]

    typed = None


def some_type(g):
    if g.user and g.r.randrange(5) == 0:
        return Double(g)
    kind = g.r.choice([Int, Int, Int, Enum, Pointer, Text, Int128, Struct, Struct, Struct, PointerToStruct])
    return (Int if kind is Int128 and g.no_int128 else kind)(g)


def some_return(g):
    return g.r.choice([None, Int, Int, Pointer, Enum, Int128, Struct, Struct])


def parse_args():
    p = argparse.ArgumentParser()
    p.add_argument("what", choices=["make", "markers", "check"])
    p.add_argument("dir")
    p.add_argument("--seed", type=int, default=None)
    p.add_argument("--functions", type=int, default=40)
    p.add_argument("--user", action="store_true")
    p.add_argument("--no-btf", action="store_true")
    p.add_argument("--static", action="store_true", help="half of the functions; clang -O changes how such functions are called")
    p.add_argument("--no-int128", action="store_true", help="clang before 18 does not pass these as the psABI says: half of one in a register")
    return p.parse_args()


# ---- make ----

HEAD = """/* made by oracle.py, seed {seed} */
#ifdef __KERNEL__
#include <linux/module.h>
#else
#include <stdbool.h>
typedef signed char s8; typedef short s16; typedef int s32; typedef long long s64;
typedef unsigned char u8; typedef unsigned short u16; typedef unsigned int u32; typedef unsigned long long u64;
#endif
#ifdef __clang__
#define OPAQUE __attribute__((__noinline__))
#else
#define OPAQUE __attribute__((noipa))
#endif
#define USE(x) asm volatile("" :: "r"(&(x)) : "memory")
enum colour {{ RED = -7, GREEN = 0, BLUE = 3, WHITE = 2147483647 }};
struct nobody;
volatile long orac_calls;
"""

TAIL = """
#ifdef __KERNEL__
static int run(const char *value, const struct kernel_param *param) { call(); return 0; }
static const struct kernel_param_ops ops = { .set = run };
module_param_cb(run, &ops, NULL, 0200);
MODULE_LICENSE("GPL");
#else
int main(void) { call(); return 0; }
#endif
"""


class Function:
    def __init__(self, g, n):
        self.n, self.name = n, f"f{n}"
        self.btf = g.btf
        self.params = [(f"p{i}", some_type(g)) for i in range(g.r.choice([0, 1, 2, 3, 4, 5, 6, 7, 8, 12]))]
        self.variadic = bool(self.params) and g.r.randrange(8) == 0 and not isinstance(self.params[-1][1], (Double, Int, Enum))
        kind = some_return(g)
        self.ret = kind(g) if kind else None
        self.static = "static " if g.static and g.r.randrange(2) else ""
        self.values = [t.make(g) for _, t in self.params]
        self.returned = self.ret.make(g) if self.ret else None

    def proto(self):
        inside = [t.decl(n) for n, t in self.params] + (["..."] if self.variadic else [])
        return f"{self.static}{self.ret.decl(self.name) if self.ret else 'void ' + self.name}({', '.join(inside) or 'void'})"

    def body(self):
        result = f" return {self.ret.init(self.returned)};" if self.ret else ""
        used = " ".join(f'USE({n});' for n, _ in self.params)        # clang passes nothing that is not used
        return f"OPAQUE {self.proto()} {{ orac_calls++; {used}{result} }}"

    def call(self):
        args = [t.init(v) for (_, t), v in zip(self.params, self.values)] + (["1", "2ull"] if self.variadic else [])
        return f"{self.name}({', '.join(args)});"

    def names(self):
        return [part for (n, t), v in zip(self.params, self.values) for part in t.shown(n, v)]

    def numbers(self):
        """$argN with a type of its own."""
        out = []
        for i, ((_, t), v) in enumerate(zip(self.params, self.values)):
            if t.typed:
                kind, text = t.typed(v)
                out.append((f"$arg{i + 1}:{kind}", text))
        return out

    def results(self):
        """The return value, and the parameters that are kept for the return: those in the first 14 words."""
        if not self.btf:    # nothing keeps the parameters, and the type must be said
            kind, text = self.ret.typed(self.returned) if self.ret and self.ret.typed else (None, None)
            return [(f"$retval:{kind}", text)] if kind else []
        out = self.ret.shown("$retval", self.returned) if self.ret else []
        left = 13
        for (n, t), v in zip(self.params, self.values):
            left -= words_at_most(t)
            if left >= 0:
                out += t.shown(n, v)
        return out


def words_at_most(t):
    """An upper limit of the words that a parameter takes."""
    if isinstance(t, Struct):
        return sum(2 if array else words_at_most(m) for _, m, _, array in t.members)
    return 3 if isinstance(t, Int128) else 1


def named(parts):
    """Arguments with the names a0, a1, ..."""
    return [(f"a{i}", fetch, value) for i, (fetch, value) in enumerate(parts)]


def make(a):
    seed = a.seed if a.seed is not None else random.SystemRandom().randrange(1 << 31)
    g = Gen(seed, a.user, a.no_int128, a.static, not a.no_btf)
    functions = [Function(g, i) for i in range(a.functions)]
    code = [HEAD.format(seed=seed)] + g.types
    code += [f"{f.proto()};" for f in functions] + [f.body() for f in functions]
    code += ["static OPAQUE void call(void)\n{"] + [f"\t{f.call()}" for f in functions] + ["}", TAIL]
    with open(f"{a.dir}/orac.c", "w") as out:
        out.write("\n".join(code))
    with open(f"{a.dir}/seed", "w") as out:
        out.write(f"{seed}\n")
    defs, want = [], []

    def add(kind, event, f, parts, suffix=""):
        if not parts:
            return
        text = f"{kind}:{event}{f.n} @:{f.name}{suffix} " + " ".join(f"{n}={fetch}" for n, fetch, _ in parts)
        if len(parts) > 100:
            return
        defs.append(text)
        for n, fetch, value in parts:
            want.append((f"{event}{f.n}", n, value, f"{kind} {f.name}{suffix} {fetch}   of {f.proto()};   called {f.call()}"))

    for f in functions:
        at = "" if g.btf else "@orac.c"
        add("p", "n", f, named(f.names()), at)
        add("p", "t", f, named(f.numbers()), at)
        add("r", "r", f, named(f.results()))
        if g.btf and f.params:
            defs.append(f"p:s{f.n} @:{f.name} $arg*")
            for (n, t), v in zip(f.params, f.values):
                if not isinstance(t, (Struct, Text, PointerToStruct, Double)):
                    want.append((f"s{f.n}", n, t.shown(n, v)[0][1], f"p {f.name} $arg*   of {f.proto()};   called {f.call()}"))
    with open(f"{a.dir}/defs", "w") as out:
        out.write("\n".join(defs) + "\n")
    with open(f"{a.dir}/want", "w") as out:
        out.writelines("\t".join(row) + "\n" for row in want)


# ---- markers ----

REGISTERS = [("rax", "eax", "ax", "al", "ah"), ("rbx", "ebx", "bx", "bl", "bh"), ("rcx", "ecx", "cx", "cl", "ch"), ("rdx", "edx", "dx", "dl", "dh"),
             ("rsi", "esi", "si", "sil", None), ("r8", "r8d", "r8w", "r8b", None), ("r12", "r12d", "r12w", "r12b", None)]
MEMORY = 4096                   # bytes that operands in memory point into; rdi has the address, r13 and r14 are an index


def shown_as(kind, width, value):
    value = cut(value, width, kind == "s")
    return hex(value) if kind == "x" else str(value)


class Marker:
    """A marker with operands of every width, sign, part of a register, index and constant. The registers have known values."""

    def __init__(self, g, n, memory):
        self.n = n
        self.registers = {r[0]: g.r.getrandbits(64) for r in REGISTERS}
        self.index = g.r.randrange(1, 100)
        self.args = []          # (text, size, signed, the operand's bits)
        for _ in range(g.r.randrange(1, 7)):
            size, signed = g.r.choice([1, 2, 4, 8]), bool(g.r.randrange(2))
            bits = 8 * size
            kind = g.r.randrange(5)
            if kind == 0:
                value = cut(g.number(bits, signed), min(bits, 31), signed)
                text = f"${value}"
            elif kind == 1:
                names = g.r.choice(REGISTERS)
                high = size == 1 and names[4] and g.r.randrange(2)
                value = self.registers[names[0]] >> (8 if high else 0)
                text = "%" + (names[4] if high else names[[8, 4, 2, 1].index(size)])
            else:
                scale = g.r.choice([1, 2, 4, 8])
                at = g.r.randrange(0, MEMORY - 1024)
                where = at + self.index * scale if kind == 3 else at
                value = int.from_bytes(memory[where:where + size], "little")
                text = f"{at}(%rdi,%r13,{scale})" if kind == 3 else f"{at}(%rdi)" if kind == 2 else f"{at - 64}(%r14)"
            self.args.append((f"{'-' if signed else ''}{size}@{text}", size, signed, cut(value, bits, signed)))

    def code(self):
        loads = "".join(f"movabs ${v:#x}, %{r}\\n" for r, v in self.registers.items())
        clobbers = ", ".join(f'"{r}"' for r in self.registers)
        text = f"""	asm volatile("lea memory(%rip), %rdi\\nlea memory+64(%rip), %r14\\nmov ${self.index}, %r13\\n{loads}"
		"990: nop\\n.pushsection .note.stapsdt,\\"?\\",\\"note\\"\\n.balign 4\\n.4byte 992f-991f,994f-993f,3\\n991: .asciz \\"stapsdt\\"\\n992: .balign 4\\n"
		"993: .8byte 990b,_.stapsdt.base,0\\n.asciz \\"orac\\"\\n.asciz \\"m{self.n}\\"\\n.asciz \\"{' '.join(a[0] for a in self.args)}\\"\\n"
		"994: .balign 4\\n.popsection\\n" ::: "rdi", "r13", "r14", {clobbers}, "memory");"""
        return text.replace("%", "%%")


def markers(a):
    seed = a.seed if a.seed is not None else random.SystemRandom().randrange(1 << 31)
    g = Gen(seed, True, False)
    memory = bytes(g.r.randrange(256) for _ in range(MEMORY))
    made = [Marker(g, n, memory) for n in range(a.functions)]
    with open(f"{a.dir}/orac.c", "w") as out:
        out.write(f"/* made by oracle.py, seed {seed} */\n"
                  'asm(".pushsection .stapsdt.base,\\"aG\\",\\"progbits\\",.stapsdt.base,comdat\\n.weak _.stapsdt.base\\n.hidden _.stapsdt.base\\n"\n'
                  '    "_.stapsdt.base: .space 1\\n.size _.stapsdt.base, 1\\n.popsection\\n");\n'
                  f"__attribute__((used)) unsigned char memory[{MEMORY}] = {{ {', '.join(map(str, memory))} }};\nint main(void)\n{{\n")
        out.write("\n".join(m.code() for m in made) + "\n	return 0;\n}\n")
    with open(f"{a.dir}/seed", "w") as out:
        out.write(f"{seed}\n")
    with open(f"{a.dir}/defs", "w") as defs, open(f"{a.dir}/want", "w") as want:
        for m in made:
            text, n = [], 0
            for i, (operand, size, signed, value) in enumerate(m.args):
                own = "s" if signed else "x" if size == 8 else "u"
                forms = [("", own, 8 * size)] + [(f":{k}{w}", k, w) for k in "sux" for w in (8, 16, 32, 64) if w >= 8 * size]
                for suffix, kind, width in forms:
                    text.append(f"a{n}=$arg{i + 1}{suffix}")
                    want.write(f"m{m.n}\ta{n}\t{shown_as(kind, width, value)}\tmarker argument {operand}, $arg{i + 1}{suffix}\n")
                    n += 1
            defs.write(f"p:m{m.n} @:orac:m{m.n} {' '.join(text)}\n")


# ---- check ----

def check(a):
    got = {}
    for line in sys.stdin:
        m = re.search(r" ([a-z]\d+): \((?:[^()]*)\)(.*)$", line)
        if m:
            got.setdefault(m.group(1), []).append(dict(p.split("=", 1) for p in m.group(2).split() if "=" in p))
    seed = open(f"{a.dir}/seed").read().strip()
    cases, failed, bad = {}, {}, 0
    for row in open(f"{a.dir}/want"):
        event, field, value, words = row.rstrip("\n").split("\t")
        kind = {"n": "names and members", "t": "$argN", "r": "returns", "s": "$arg*", "m": "operands of markers"}[event[0]]
        cases[kind] = cases.get(kind, 0) + 1
        hits = got.get(event, [])
        seen = hits[0].get(field) if len(hits) == 1 else f"{len(hits)} lines"
        if seen != value:
            failed.setdefault(kind, []).append(f"is {seen}, should be {value}: {words}")
    for kind, nr in sorted(cases.items()):
        wrong = failed.get(kind, [])
        print(f"{'not ok' if wrong else 'ok'} - {kind}: {nr - len(wrong)} of {nr} known values (seed {seed})")
        for text in wrong[:4]:
            print(f"#   {text}")
        bad += len(wrong)
    if not cases:
        print("not ok - no case at all")
    return 1 if bad or not cases else 0


if __name__ == "__main__":
    arguments = parse_args()
    sys.exit({"make": make, "markers": markers, "check": check}[arguments.what](arguments))
