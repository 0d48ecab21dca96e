#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
#
# cexprs.py - random C expressions over a kernel's types, and what their values are made of
#
#   cexprs.py make [--seed N] [--number N] VMLINUX DIRECTORY     writes DIRECTORY/defs and expected
#   cexprs.py check DIRECTORY < LINES                            TAP: each value of each line
#
# An expression begins at a parameter or the running task, and goes through members, arrays, pointers, casts and operators. Each value in
# it is fetched a second time in the same hit, by registers and offsets that this program takes from .BTF itself. It calculates with
# these as C does (C11, 6.3.1 and 6.5), and compares. So nothing of bprobe's own types is believed.
import json
import random
import struct
import sys

PTR, STRUCT, UNION, ARRAY, ENUM, FWD, TYPEDEF, VOLATILE, CONST, RESTRICT = 2, 4, 5, 3, 6, 7, 8, 9, 10, 11
INT, FUNC, PROTO, VAR, DATASEC, DECL_TAG, TYPE_TAG, ENUM64 = 1, 12, 13, 14, 15, 17, 18, 19


def section(path, wanted):
    with open(path, "rb") as f:
        head = f.read(64)
        at, = struct.unpack_from("<Q", head, 40)
        size, nr, names = struct.unpack_from("<HHH", head, 58)
        f.seek(at)
        table = f.read(size * nr)
        sections = [struct.unpack_from("<IIQQQQ", table, i * size) for i in range(nr)]
        f.seek(sections[names][4])
        text = f.read(sections[names][5])
        for s in sections:
            if text[s[0]:text.index(b"\0", s[0])].decode() == wanted:
                f.seek(s[4])
                return f.read(s[5])
    sys.exit(f"{path} has no {wanted}")


class Btf:
    def __init__(self, data):
        head, types_off, types_len, text_off, text_len = struct.unpack_from("<IIIII", data, 4)
        types, self.text = data[head + types_off:head + types_off + types_len], data[head + text_off:head + text_off + text_len]
        self.types = [(0, "", 0, 0, [])]
        self.structs = {}
        self.functions = {}
        at = 0
        while at < len(types):
            name, info, size = struct.unpack_from("<III", types, at)
            at += 12
            kind, flag, n = info >> 24 & 31, info >> 31, info & 0xffff
            extra = []
            if kind == INT:
                extra, at = struct.unpack_from("<I", types, at), at + 4
            elif kind == ARRAY:
                extra, at = struct.unpack_from("<III", types, at), at + 12
            elif kind in (STRUCT, UNION):
                extra = [struct.unpack_from("<III", types, at + 12 * i) for i in range(n)]
                at += 12 * n
            elif kind == PROTO:
                extra = [struct.unpack_from("<II", types, at + 8 * i) for i in range(n)]
                at += 8 * n
            elif kind in (VAR, DECL_TAG):
                at += 4
            else:
                at += {ENUM: 8, DATASEC: 12, ENUM64: 12}.get(kind, 0) * n
            if kind in (STRUCT, UNION) and name:
                self.structs.setdefault(self.name(name), len(self.types))
            if kind == FUNC:
                self.functions[self.name(name)] = size
            self.types.append((kind, self.name(name), size, flag, extra))

    def name(self, off):
        return self.text[off:self.text.index(b"\0", off)].decode()

    def bare(self, t):
        while self.types[t][0] in (TYPEDEF, VOLATILE, CONST, RESTRICT, TYPE_TAG):
            t = self.types[t][2]
        return t

    def size(self, t):
        t = self.bare(t)
        kind, _, size, _, extra = self.types[t]
        if kind == PTR:
            return 8
        if kind == ARRAY:
            return extra[2] * self.size(extra[0])
        return size if kind in (INT, STRUCT, UNION, ENUM, ENUM64) else 0

    # All members that C can name, those of members without a name included: (name, type, bits from the start, bits of a bit-field)
    def members(self, t, base=0, depth=0):
        kind, _, _, flag, extra = self.types[self.bare(t)]
        if kind not in (STRUCT, UNION) or depth > 8:
            return
        for name, type, off in extra:
            bits = off >> 24 if flag else 0
            off = (off & 0xffffff if flag else off) + base
            if name:
                yield self.name(name), type, off, bits
            else:
                yield from self.members(type, off, depth + 1)

    # The parameters of a function: (name, type). None: there is no such function.
    def parameters(self, function):
        proto = self.functions.get(function)
        return None if proto is None else [(self.name(name), type) for name, type in self.types[proto][4]]

    def returned(self, function):
        return self.types[self.functions[function]][2]

    # A number: (bytes, sign)
    def number(self, t):
        kind, _, size, flag, extra = self.types[self.bare(t)]
        if kind == INT and size <= 8:
            return size, bool(extra[0] >> 24 & 1)
        if kind in (ENUM, ENUM64) and size <= 8:
            return size, bool(flag)
        return (8, False) if kind == PTR else None


def wrap(n, size, signed):
    n &= (1 << 8 * size) - 1
    return n - (1 << 8 * size) if signed and n >> (8 * size - 1) else n


class Place:
    """Memory: how C names it, and how registers and offsets reach it."""

    def __init__(self, c, classic, off, type):
        self.c, self.classic, self.off, self.type = c, classic, off, type

    def fetch(self, word):
        return f"{self.off:+d}({self.classic}):{word}"


class Maker:
    def __init__(self, btf, rand):
        self.btf, self.rand = btf, rand

    def start(self):
        self.leaves = {}

    # A value that is fetched by registers and offsets; the tree that calculates with it names it.
    def leaf(self, fetch):
        return self.leaves.setdefault(fetch, f"l{len(self.leaves)}")

    def root(self, roots):
        c, classic, struct = self.rand.choice(roots)
        return c, classic, self.btf.structs[struct]

    # A random member of the structure at which a pointer points.
    def member(self, pointer, classic, struct):
        while True:
            name, type, bits, width = self.rand.choice(list(self.btf.members(struct)))
            if bits % 8 == 0 or width:
                break
        form = self.rand.randrange(4)
        c = {0: f"(*{pointer}).{name}", 1: f"{pointer}[0].{name}"}.get(form, f"{pointer}->{name}")
        return Place(c, classic, bits // 8, type), bits % 8, width

    # Goes on through arrays and structures, and perhaps behind a pointer, until there is a number.
    def number(self, roots):
        for _ in range(200):
            place, bit, width = self.member(*self.root(roots))
            for _ in range(12):
                kind, _, _, _, extra = self.btf.types[self.btf.bare(place.type)]
                if width:
                    break
                if kind == ARRAY and extra[2] and self.btf.size(extra[0]):
                    i = self.rand.randrange(min(extra[2], 64))
                    place = Place(f"{place.c}[{i}]", place.classic, place.off + i * self.btf.size(extra[0]), extra[0])
                elif kind in (STRUCT, UNION) and list(self.btf.members(place.type)):
                    name, type, bits, width = self.rand.choice(list(self.btf.members(place.type)))
                    place = Place(f"{place.c}.{name}", place.classic, place.off + bits // 8, type)
                    bit = bits % 8
                elif kind == PTR and self.rand.random() < .8:
                    to = self.btf.bare(self.btf.types[self.btf.bare(place.type)][2])
                    if self.btf.types[to][0] not in (STRUCT, UNION) or not list(self.btf.members(to)):
                        break
                    inner = f"{place.off:+d}({place.classic})"
                    c = place.c
                    if self.rand.random() < .2 and self.btf.types[to][1] and self.btf.structs.get(self.btf.types[to][1]) == to:
                        c = f"(({'struct' if self.btf.types[to][0] == STRUCT else 'union'} {self.btf.types[to][1]} *)({c}))"
                    place, bit, width = self.member(c if c.startswith("((") else f"({c})", inner, to)
                else:
                    break
            found = self.btf.number(place.type)
            if found and len(place.c) < 150 and place.classic.count("(") < 6:
                return place, bit, width, found
        raise SystemExit("no number was found")

    # A tree: ["leaf", name, size, signed], ["n", value, size, signed], [op, a, b]; and its text in C
    def operand(self, roots):
        if self.rand.random() < .2:
            n = self.rand.choice([0, 1, 2, 7, 255, 0x7fffffff, 0x80000000, 0x100000000, self.rand.randrange(1 << 33)])
            return ["n", n, 4 if n < 1 << 31 else 8, True], str(n)
        place, bit, width, (size, signed) = self.number(roots)
        if width:
            name = self.leaf(place.fetch("x64" if bit + width > 32 else "x32"))
            return ["bits", name, bit, width, size, signed], place.c
        if self.rand.random() < .1 and size > 1:
            cast = self.rand.choice([1, 2, 4])
            return ["leaf", self.leaf(place.fetch(f"x{8 * cast}")), cast, False], f"*(u{8 * cast} *)&{place.c}"
        is_pointer = self.btf.types[self.btf.bare(place.type)][0] == PTR
        c = f"(unsigned long){place.c}" if is_pointer else place.c
        return ["leaf", self.leaf(place.fetch(f"{'s' if signed else 'x'}{8 * size}")), size, signed], c

    def calculation(self, roots):
        tree, c = self.operand(roots)
        for _ in range(self.rand.choice([0, 0, 1, 1, 2, 3])):
            form = self.rand.randrange(10)
            if form == 0:
                op = self.rand.choice(["-", "~", "!"])
                tree, c = [op + "1", tree], f"{op}({c})"
            elif form == 1:
                size, signed = self.rand.choice([(1, 0), (1, 1), (2, 0), (2, 1), (4, 0), (4, 1), (8, 0), (8, 1)])
                tree, c = ["cast", tree, size, bool(signed)], f"({'us'[signed]}{8 * size})({c})"
            elif form == 2:
                n = self.rand.randrange(31)
                op = self.rand.choice(["<<", ">>"])
                tree, c = [op, tree, ["n", n, 4, True]], f"({c}){op}{n}"
            else:
                op = self.rand.choice(["+", "-", "*", "&", "|", "^", "<", "<=", ">", ">=", "==", "!="])
                other, d = self.operand(roots)
                tree, c = [op, tree, other], f"({c}){op}({d})"
        return tree, c

    # An element whose index is calculated: each one that it can be is fetched.
    def element(self, roots):
        for _ in range(500):
            place, bit, width = self.member(*self.root(roots))
            kind, _, _, _, extra = self.btf.types[self.btf.bare(place.type)]
            if width or kind != ARRAY or extra[2] < 2 or not self.btf.number(extra[0]):
                continue
            index, c = self.calculation(roots)
            size, signed = self.btf.number(extra[0])
            both = [["leaf", self.leaf(Place("", place.classic, place.off + i * size, 0).fetch(f"{'s' if signed else 'x'}{8 * size}")), size, signed]
                    for i in (0, 1)]
            return ["pick", ["&", index, ["n", 1, 4, True]]] + both, f"{place.c}[({c})&1]"
        return self.calculation(roots)

    # The address of a member: the pointer itself is fetched.
    def address(self, roots):
        c, classic, struct = self.root(roots)
        place, bit, width = self.member(c, classic, struct)
        if width:
            return self.calculation(roots)
        pointer = ["leaf", self.leaf(f"{classic}:x64"), 8, False]
        return ["+", pointer, ["n", place.off, 8, True]], f"(unsigned long)&{place.c}"

    def expression(self, roots):
        form = self.rand.randrange(10)
        return self.element(roots) if form == 0 else self.address(roots) if form == 1 else self.calculation(roots)


# What wl's open hits, with pointers there: how C names them, what fetches them without C, and their structure. A return probe has the
# parameters of the entry. A pointer without a fetch is reached from the others.
PROBES = [
    ("t", "sched_switch", [("prev", "$arg2", "task_struct"), ("next", "$arg3", "task_struct"), ("next->signal", None, "signal_struct"),
                           ("((struct task_struct *)$arg2)", "$arg2", "task_struct")]),
    ("r", "vfs_open", [("path", "$arg1", "path"), ("file", "$arg2", "file"), ("file->f_inode", None, "inode"), ("$current", "$current", "task_struct")]),
    ("p", "vfs_open", [("((struct path *)%di)", "%di", "path"), ("((struct file *)%si)", "%si", "file"), ("((file)$arg2)", "%si", "file")]),
    ("p", "do_sys_openat2", [("how", "%dx", "open_how"), ("$current", "$current", "task_struct"), ("$current->fs", None, "fs_struct"),
                        ("$current->signal", None, "signal_struct"), ("$current->files", None, "files_struct")]),
    ("p", "vfs_open", [("path", "%di", "path"), ("file", "%si", "file"), ("path->dentry", None, "dentry"), ("path->mnt", None, "vfsmount"),
                  ("path->dentry->d_inode", None, "inode"), ("path->dentry->d_sb", None, "super_block"), ("$current", "$current", "task_struct")]),
]


def reach(btf, c, roots):
    """The classic form of a chain of pointers."""
    base, *names = c.split("->")
    classic, struct = next((k, btf.structs[s]) for n, k, s in roots if n == base)
    for name in names:
        type, bits = next((t, b) for n, t, b, w in btf.members(struct) if n == name)
        classic = f"{bits // 8:+d}({classic})"
        struct = btf.bare(btf.types[btf.bare(type)][2])
    return classic


def make(seed, number, vmlinux, directory):
    rand = random.Random(seed)
    btf = Btf(section(vmlinux, ".BTF"))
    expected, made = [], 0
    with open(f"{directory}/defs", "w") as defs:
        while made < number:
            letter, function, roots = rand.choice(PROBES)
            roots = [(c, k or reach(btf, c, roots), s) for c, k, s in roots]
            maker = Maker(btf, rand)
            maker.start()
            args, trees = [], []
            while len(trees) < 4:
                before = dict(maker.leaves)
                tree, c = maker.expression(roots)
                if '->' not in c and '.' not in c:          # a constant
                    maker.leaves = before
                    continue
                if len(c) > 240 or sum(map(len, args)) + len(c) + 2 * sum(len(f) + 6 for f in maker.leaves) > 3500 or len(maker.leaves) > 60:
                    maker.leaves = before
                    if trees:
                        break
                    continue
                args.append(f"x{len(trees)}={c}")
                trees.append(tree)
            name = f"c{len(expected)}"
            # What an expression reads is read before it and behind it: an interrupt may change it meanwhile.
            before, behind = ([f"{n.replace('l', which)}={f}" for f, n in maker.leaves.items()] for which in "kl")
            text = f"{letter}:{name} {function} " + " ".join(before + args + behind)
            defs.write(text + "\n")
            expected.append({"name": name, "text": text, "trees": trees})
            made += len(trees)
    with open(f"{directory}/expected", "w") as f:
        json.dump({"seed": seed, "cases": expected}, f)


# ---- what C makes of it ----

class Fault(Exception):
    pass


def value(text):
    if text == "(fault)":
        raise Fault
    return int(text, 0)


def promote(n, size, signed):
    return (n, 4, True) if size < 4 else (n, size, signed)


def both(a, b):
    a, b = promote(*a), promote(*b)
    if a[1] != b[1]:
        return a[1:] if a[1] > b[1] else b[1:]
    return b[1:] if a[2] else a[1:]


def run(tree, fields):
    op = tree[0]
    if op == "n":
        return tree[1], tree[2], tree[3]
    if op == "leaf":
        return wrap(value(fields[tree[1]]), tree[2], tree[3]), tree[2], tree[3]
    if op == "bits":
        _, name, bit, width, size, signed = tree
        n = value(fields[name]) >> bit & (1 << width) - 1
        if signed and n >> width - 1:
            n -= 1 << width
        return (n, 4, True) if width < 32 else (n, 8 if width > 32 else 4, signed)
    if op == "cast":
        n, _, _ = run(tree[1], fields)
        return wrap(n, tree[2], tree[3]), tree[2], tree[3]
    if op == "pick":
        n, _, _ = run(tree[1], fields)
        return run(tree[2 + n], fields)
    if op in ("-1", "~1"):
        n, size, signed = promote(*run(tree[1], fields))
        return wrap(-n if op == "-1" else ~n, size, signed), size, signed
    if op == "!1":
        return int(not run(tree[1], fields)[0]), 4, True
    a, b = run(tree[1], fields), run(tree[2], fields)
    if op in ("<<", ">>"):
        n, size, signed = promote(*a)
        return wrap(n << b[0] if op == "<<" else n >> b[0], size, signed), size, signed
    size, signed = both(a, b)
    x, y = wrap(a[0], size, signed), wrap(b[0], size, signed)
    if op in ("<", "<=", ">", ">=", "==", "!="):
        return int(eval(f"x {op} y")), 4, True
    n = {"+": x + y, "-": x - y, "*": x * y, "&": x & y, "|": x | y, "^": x ^ y}[op]
    return wrap(n, size, signed), size, signed


def leaves_of(tree):
    """The fields that it is calculated from."""
    if not isinstance(tree, list):
        return []
    if tree and tree[0] in ("leaf", "bits"):
        return [tree[1]]
    return [l for part in tree for l in leaves_of(part)]


def check(directory):
    with open(f"{directory}/expected") as f:
        data = json.load(f)
    lines, right, faults, moved = {}, 0, 0, 0
    for line in sys.stdin:
        for case in data["cases"]:
            mark = f" {case['name']}: ("
            if mark in line and case["name"] not in lines:
                lines[case["name"]] = dict(w.split("=", 1) for w in line.split(") ", 1)[1].split() if "=" in w)
    for case in data["cases"]:
        fields = lines.get(case["name"])
        if fields is None:
            print(f"not ok - {case['name']} has no line: {case['text']}")
            continue
        for i, tree in enumerate(case["trees"]):
            got = fields[f"x{i}"]
            try:
                n, size, _ = run(tree, fields)
                good = got != "(fault)" and (int(got, 0) - n) % (1 << 8 * size) == 0
            except Fault:
                n, good = "(fault)", got == "(fault)"
                faults += good
            right += good
            if not good and any(fields[l] != fields[l.replace("l", "k")] for l in leaves_of(tree)):
                moved += 1
                right += 1
            elif not good:
                print(f"not ok - x{i} is {got}, and C says {n} (seed {data['seed']})")
                print(f"# {case['text']}\n# {fields}")
    print(f"ok - {right} expressions have the values of C, {faults} of them a fault, but for {moved} whose memory changed meanwhile")
    print(f"{'ok' if moved * 50 <= right else 'not ok'} - few of them changed")
    print(f"{'ok' if faults * 3 < right else 'not ok'} - most of them could be read")


def main():
    args, seed, number = sys.argv[2:], random.SystemRandom().randrange(1 << 32), 500
    while args and args[0].startswith("--"):
        seed, number = (int(args[1]), number) if args[0] == "--seed" else (seed, int(args[1]))
        args = args[2:]
    if sys.argv[1] == "make":
        make(seed, number, *args)
    else:
        check(*args)


if __name__ == "__main__":
    main()
