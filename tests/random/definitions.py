#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
#
# definitions.py - random definitions
#
#   definitions.py trace FIRST NUMBER KERNEL VMLINUX DW KINDS     for compare.guest: id, event, who, departure, workload, definition
#   definitions.py load FIRST NUMBER KERNEL VMLINUX DW KINDS      a definition on each line, for random-loads.guest. {{N}} is the guest's function
#                                                                 number N, {{event N}} its event, {{field N}} a field of this event
#   definitions.py smaller ROW                                    rows for compare.guest that are one step smaller than ROW
#
# Definition FIRST + i is made from the number FIRST + i alone, so each can be made again. It is made from the grammar of kprobetrace.rst and its like
# that KERNEL knows, and from the types in VMLINUX. DW is the program dw.c, for user probes. KINDS: "all", or "kprobes". Most are right, and some
# have a fault; the kernel decides which, beside bprobe. Left out is memory that changes between the two tracers of a hit: what is below the stack
# pointer, counters, and what a tracer itself changes in a task. Left out, too, is orig_ax: behind a trampoline of BPF it is an address in it.
import os
import random
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
import cexprs  # noqa: E402

REGISTERS = "di si dx cx r8 r9 ax bx bp sp ip flags cs ss r10 r11 r12 r13 r14 r15".split()
POINTERS = "di si dx cx r8 r9 bx r12 r13 r14 r15".split()
SYMBOLS = ["linux_banner", "sys_call_table", "init_uts_ns", "saved_command_line"]
# Some of these point to the task, whose flags change between the two probes (TIF_NEED_RESCHED: the kernel's probe wakes its reader).
MOVING = ["%r12", "%r13", "%r14", "%r15"]
NUMBERS = [f"{kind}{bits}" for kind in "usx" for bits in (8, 16, 32, 64)]
OFFSETS = [0, 0, 0, 1, 2, 3, 4, 7, 8, 12, 16, 24, 32, 40, 64, 100, 128, 255, 256, 511, 1024]
# Functions, with a call that reaches them once or a few times. A return probe changes the return address, which is $stack0: so those have their own.
PLACES = [
    ("do_sys_openat2", "open /etc/xyz"), ("path_openat", "open /etc/passwd"), ("ksys_write", "write"), ("vfs_write", "write"),
    ("vfs_read", "read"), ("ksys_lseek", "lseek"), ("do_getpgid", "getpgid 1"),
]
RETURN_PLACES = [("do_filp_open", "open /etc/xyz"), ("ksys_read", "read"), ("vfs_statx", "stat"), ("ksys_mmap_pgoff", "mmap")]
ORDER = ["5.10", "6.1", "6.12", "6.18"]


def known(kernel, since):
    rank = ORDER.index(kernel) if kernel in ORDER else len(ORDER)
    return rank >= ORDER.index(since)


# At a return the others are scratch, and have what the tracers that came before left there.
RETURN_REGISTERS = "ax bx bp sp ip flags cs ss r12 r13 r14 r15".split()
RETURN_POINTERS = "ax bx r12 r13 r14 r15".split()

# ---- events of the kernel, with calls of wl that reach them, and their fields: n a number, p a pointer, s a text ----
EVENTS = [
    ("signal.signal_generate", "run signal", "sig:n errno:n code:n comm:s pid:n group:n result:n"),
    ("signal.signal_deliver", "run signal", "sig:n errno:n code:n sa_handler:n sa_flags:n"),
    ("syscalls.sys_enter_openat", "open /etc/xyz", "dfd:n filename:p flags:n mode:n __syscall_nr:n"),
    ("syscalls.sys_enter_lseek", "various", "fd:n offset:n whence:n"),
    ("syscalls.sys_exit_lseek", "various", "ret:n __syscall_nr:n"),
    ("syscalls.sys_enter_write", "writebin", "fd:n buf:p count:n"),
    ("raw_syscalls.sys_exit", "run syscalls", "id:n ret:n"),
    ("sock.inet_sock_set_state", "run net", "skaddr:p oldstate:n newstate:n sport:n dport:n family:n protocol:n"),
    ("net.net_dev_queue", "run net", "skbaddr:p len:n name:s"),
]
# ---- tracepoints, with the structures at which their arguments point ----
TRACEPOINTS = [
    ("signal_generate", "run signal", "sig group result task=task_struct"),
    ("signal_deliver", "run signal", "sig ka=k_sigaction"),
    ("sys_enter", "run syscalls", "id regs=pt_regs"),
    ("sys_exit", "run syscalls", "ret regs=pt_regs"),
    ("task_newtask", "run fork", "task=task_struct clone_flags"),
    ("inet_sock_set_state", "run net", "sk=sock oldstate newstate"),
    ("net_dev_queue", "run net", "skb=sk_buff"),
]
# What comes with each system call needs a field and a filter.
STREAMS = {"sys_enter": ("id=id:s64", "id == 8"), "sys_exit": ("ret=ret:s64", "ret == -9"), "raw_syscalls.sys_exit": (None, "id == 8")}
# ---- functions of dw.c: the parameters that are pointers ----
USER_PLACES = [("dw_sum", ""), ("dw_name", "di si"), ("dw_many", ""), ("dw_node", "di si"), ("dw_deep", ""), ("dw_lib", "si"), ("dw_regs_full", "")]
USER_RETURN_PLACES = [("dw_sum", ""), ("dw_name", ""), ("dw_node", "ax"), ("dw_deep", ""), ("dw_many", "")]
USER_MEMORY = ["dw_bytes", "dw_text", "dw_names", "dw_nodes", "dw_odd"]

# Members that change from a tracer to the next, or that a tracer itself changes.
UNSTEADY = re.compile(r"count|nesting|disable|lock|recurs|depth|flags|bpf|trace|rcu|time|stamp|clock|sum|avg|seq|stack|kcov|pagefault|preempt|sched|^se$|"
                      r"^rt$|^dl$|vruntime|exec|ptrace|pending|thread|last|on_cpu|wake|cpu|refs|users|ref$|nr_|stat|load|utime|jit|lru|worker|perf|nv?csw|flt")


def u32(r):
    return r.randrange(1 << 30)


class Kind:
    """What arguments of a kind of definition are made of. stack: has it one; names: parameters by their names, with the structures at which they
    point; pointers: what else can be dereferenced."""

    def __init__(self, kernel, btf=None, registers=(), pointers=(), stack=True, retval=False, args=0, names=(), symbols=SYMBOLS, texts=True,
                 memory=True, user=False, numbers=()):
        self.kernel, self.btf, self.registers, self.pointers, self.stack = kernel, btf, list(registers), list(pointers), stack
        self.retval, self.args, self.names, self.symbols, self.texts = retval, args, list(names), symbols, texts
        self.memory, self.user, self.numbers = memory, user, list(numbers)

    def chain(self, r):
        """A parameter, or members behind it."""
        name, t = r.choice(self.names)
        for _ in range(r.choice([0, 1, 1, 2, 3])):
            to = self.target(t)
            found = [] if to is None else [m for m in self.btf.members(to) if self.steady(m)]
            if not found:
                break
            member, t, _, _ = r.choice(found)
            if len(name) + len(member) > 50:
                break
            name = f"{name}->{member}"
        return name, t

    # The kernel takes a bit-field without its sign, and arrays and structures in ways of its own (doc/differences.md).
    def steady(self, member):
        name, t, _, bits = member
        return not bits and self.btf.number(t) and not UNSTEADY.search(name)

    def target(self, t):
        t = self.btf.bare(t)
        if self.btf.types[t][0] != cexprs.PTR:
            return None
        to = self.btf.bare(self.btf.types[t][2])
        return to if self.btf.types[to][0] in (cexprs.STRUCT, cexprs.UNION) else None

    def pointer(self, r):
        if self.names and (not self.pointers or r.random() < 0.4):
            for _ in range(8):
                name, t = self.chain(r)
                if self.btf is None or self.btf.types[self.btf.bare(t)][0] == cexprs.PTR:
                    return name
        return r.choice(self.pointers) if self.pointers else None

    # Behind the banner are other constants. On 7.3 their bytes have no NUL for over a page, and the kernel has no room for such a string.
    def symbol(self, r):
        name = r.choice(self.symbols)
        if r.random() >= 0.5 or self.user:
            return "@" + name
        offset = r.choice(OFFSETS)
        return f"@{name}+{min(offset, 100) if name == 'linux_banner' else offset}"

    def plain(self, r):
        forms = []
        if self.registers:
            forms += [lambda: "%" + r.choice(self.registers)] * 4
        if self.stack:
            forms += [lambda: f"$stack{r.choice([0, 1, 2, 3, 5, 8, 13, 21, 40])}", lambda: "$stack"]
        if self.retval:
            forms += [lambda: "$retval"] * 2
        if self.args:
            forms += [lambda: f"$arg{r.randint(1, self.args)}"] * 2
        if self.names:
            forms += [lambda: self.chain(r)[0]] * 3
        if self.numbers:
            forms += [lambda: r.choice(self.numbers)] * 6
        if self.symbols:
            forms += [lambda: self.symbol(r)]
        forms += [lambda: "\\" + r.choice(["0", "1", "-1", "0x10", "65535", "0xffffffffffffffff", "-9223372036854775808"])]
        return r.choice(forms)()

    def fetch(self, r, depth=0):
        """What an argument fetches, without its type."""
        if self.memory and depth < 4 and r.random() < (0.45 if depth else 0.55):
            inner = self.fetch(r, depth + 1) if r.random() < 0.5 else self.pointer(r)
            if inner is None or inner.startswith("\\") or inner == "$comm":
                inner = self.pointer(r)
            if inner in MOVING and not self.user:
                inner = "%ax" if self.retval else "%di"
            if inner == "%ip" and self.retval and self.kernel == "5.10" and not self.user:
                inner = "%ax"           # the kernel's %ip is its own code there (doc/differences.md)
            if inner is not None:
                return f"+{'u' if r.random() < 0.15 else ''}{r.choice(OFFSETS)}({inner})"
        if not depth and self.texts and r.random() < 0.05:
            return r.choice(["$comm", "\\\"text\"", "\\\"\""])
        return self.plain(r)

    def type(self, r, what):
        memory = what[0] in "+@"
        roll = r.random()
        if what == "$comm" or what.startswith('\\"'):
            return r.choice(["", ":string"])
        if roll < 0.2 or (roll < 0.4 and re.match(r"[a-z_]|\$retval", what)):
            return ""
        if roll < 0.55:
            return ":" + r.choice(NUMBERS)
        if roll < 0.65:
            size = r.choice([8, 16, 32, 64])
            width = r.randint(1, size)
            return f":b{width}@{r.randint(0, size - width)}/{size}"
        if roll < 0.70 and not self.user:
            return ":symbol"
        if roll < 0.73 and known(self.kernel, "6.12"):
            return ":symstr" if (memory or r.random() < 0.5) and not self.user else ":char"
        if not memory:
            return ":" + r.choice(NUMBERS)
        if roll < 0.86:
            return ":" + r.choice(["string", "ustring"]) + (f"[{r.randint(1, 5)}]" if r.random() < 0.15 else "")
        return f":{r.choice(NUMBERS)}[{r.choice([1, 2, 3, 8, 16, 31, 64])}]"

    def arguments(self, r, numbers=(1, 1, 2, 3, 5, 8, 16)):
        words = []
        for i in range(r.choice(numbers)):
            what = self.fetch(r)
            name = r.choice([f"a{i}=", f"a{i}=", f"x_{i}=", "same=" if r.random() < 0.05 else f"b{i}=", "" if r.random() < 0.3 else f"c{i}="])
            if not name and (what[0].isalpha() or what.startswith("$arg")):
                name = f"d{i}="         # else it has the parameter's name
            words.append(name + what + self.type(r, what))
        return words + witnesses(words)


def levels(what):
    """The memory that is read for a fetch, the innermost one first: what can be fetched at each of these places."""
    if what[0] == "@":
        return [what]
    if what[0] == "+":
        return levels(what[what.index("(") + 1:-1]) + [what]
    parts = what.split("->")
    return ["+0(" + "->".join(parts[:n]) + ")" for n in range(1, len(parts))]


# The kernel prints (fault) for strings alone, and not if a pointer on the way could not be read. So a string at each place on the way says whether
# it can be read: f0_0 is the innermost one of the first argument.
def witnesses(words):
    return [f"f{i}_{n}={what}:string" for i, word in enumerate(words) for n, what in enumerate(levels(word.split("=")[-1].split(":")[0]))]


# ---- arrays whose elements can be read up to a known place ----
# `wl writeedge N` has N bytes in front of memory that is not there, and `wl writeptrs N` has 64 pointers, of which some point nowhere.
def arrays(r, event):
    place, pointer = r.choice([("ksys_write", "%si"), ("vfs_write", "%si"), ("ksys_write", "$arg2"), ("vfs_write", "$arg2")])
    words, room = [], 3000
    if r.random() < 0.5:
        workload = f"writeptrs {r.randrange(1 << 16)}"
        for i in range(r.choice([1, 2, 3, 4])):
            n = r.choice([1, 31, 32, 33, 40, 63, 64, r.randint(1, 64)])
            words.append(f"a{i}=+{8 * r.randint(0, 64 - n)}({pointer}):{r.choice(['string', 'ustring'])}[{n}]")
            if r.random() < 0.3:
                words.append(f"n{i}=+{r.choice([0, 8, 64])}({pointer}):string")
    else:
        edge = r.choice([8, 40, 64, 65, 127, 200, 260, 300, 500])
        workload = f"writeedge {edge}"
        for i in range(r.choice([1, 2, 3, 4, 6])):
            kind, size = r.choice([(t, int(t[1:]) // 8) for t in NUMBERS] + [(f"b{w}@{o}/{b}", b // 8) for w, o, b in ((1, 0, 8), (3, 5, 8), (9, 7, 16), (31, 1, 32), (33, 20, 64))])
            n = r.choice([33, 40, 48, 63, 64, 64, r.randint(1, 64)])
            if size * n > room:
                continue
            room -= size * n
            # Most begin where they can be read, and end behind that.
            start = r.choice([max(0, edge - size * r.randint(1, n)), r.choice([0, 1, 8, 33]), edge, edge + 5])
            words.append(f"a{i}=+{'u' if r.random() < 0.1 else ''}{start}({pointer}):{kind}[{n}]")
            if r.random() < 0.5:
                words.append(f"n{i}=+{r.choice([0, edge - 1, edge, edge - 4])}({pointer}):{r.choice(NUMBERS)}")
    return "p", place, words, workload


# ---- filters by themselves: fields with known numbers, which `wl various` passes ----
FILTERED = [
    ("p", "ksys_lseek", [("fd", "%di"), ("off", "%si"), ("wh", "%dx")], []),
    ("p", "do_getpgid", [("pid", "%di"), ("low", "%di"), ("again", "%di")], []),
    ("r", "vfs_llseek", [("ret", "$retval"), ("more", "$retval")], []),
    ("r", "vfs_llseek", [("ret", "$retval")], []),
    ("p", "do_sys_openat2", [("dfd", "%di")], ["name"]),
]
VALUES = [0, 1, 2, 3, 4, 5, 7, 8, 11, 12, 16, 63, 98, 100, 102, 255, 256, 1024, 4096, 65535, 65536, 1 << 20, (1 << 31) - 1, 1 << 31, (1 << 32) - 1, 1 << 32, 1 << 45]
PATTERNS = ["/etc/xyz", "/etc/*", "*xyz", "*tc*", "/x", "4x", "abc??", "?bcij", "[a-c]bcij", "[!a]*", "/tmp/*", "*[[]x]", "*.c", "*a*b*", "\\*", "", "*", "!/etc/*",
            "/[d-f]*", "*j", "/etc/?yz", "x*"]


def number(r, text):
    value = r.choice(VALUES) + r.choice([0, 0, 1, -1])
    if text[0] == "s" and r.random() < 0.5:
        value = -value
    return r.choice([str, str, str, hex, lambda n: f"0{n:o}" if n >= 0 else str(n)])(value)


def predicate(r, fields):
    name, text = r.choice(fields)
    roll = r.random()
    if roll < 0.06:
        return f"common_pid {r.choice(['==', '!=', '>', '>=', '<', '&'])} {r.choice([0, 1, 2, 64, 1000])}"
    if roll < 0.09:
        return f"COMM {r.choice(['==', '!=', '~'])} {r.choice(['wl', 'sh', 'w*', '?l'])!r}".replace("'", '"')
    blank = r.choice(["", " ", " "])
    if text == "string":
        quote = r.choice(['"', '"', "'"])
        if r.random() < 0.5:
            return f"{name}{blank or ' '}~{blank}{quote}{r.choice(PATTERNS)}{quote}"
        return f"{name}{blank}{r.choice(['==', '!='])}{blank}{quote}{r.choice(['/etc/xyz', '/x', '4x', '', '/etc/', 'abcij', '/etc/xy'])}{quote}"
    op = r.choice(["==", "==", "!=", "<", "<=", ">", ">=", "&"])
    value = number(r, text)
    return f"{name}{blank}{op}{blank}{value.replace('-', '') if op == '&' else value}"


def condition(r, fields, depth=0):
    roll = r.random()
    if depth > 3 or roll < 0.4:
        return predicate(r, fields)
    if roll < 0.5:
        return f"!({condition(r, fields, depth + 1)})"
    blank = r.choice(["", " "])
    text = f"{condition(r, fields, depth + 1)}{blank}{r.choice(['&&', '||'])}{blank}{condition(r, fields, depth + 1)}"
    return f"({text})" if r.random() < 0.7 else text


def filtered(r, event):
    letter, place, numbers, texts = r.choice(FILTERED)
    fields = [(name, r.choice(NUMBERS)) for name, _ in numbers]
    words = [f"{name}={what}:{kind}" for (name, what), (_, kind) in zip(numbers, fields)]
    for name in texts:
        fields += [(name, "string")] * 2
        words.append(f"{name}=+0(%si):{r.choice(['string', 'ustring'])}")
    if r.random() < 0.08:
        fields.append(("nosuch", "u32"))
    return letter, place, words, "various", condition(r, fields)


# ---- each kind of definition: letter, place, words, workload, perhaps a filter ----
class Maker:
    def __init__(self, kernel, vmlinux, dw, kinds):
        self.kernel, self.all = kernel, kinds == "all"
        self.btf = cexprs.Btf(cexprs.section(vmlinux, ".BTF")) if self.all and known(kernel, "6.12") else None
        self.symbols = {}
        if self.all:
            for line in subprocess.run(["nm", dw], stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines():
                at, _, name = (line.split() + [""])[:3]
                self.symbols[name] = at

    def names(self, function):
        return [] if self.btf is None else [(n, t) for n, t in self.btf.parameters(function) or [] if n]

    def kprobe(self, r, is_return, function):
        return Kind(self.kernel, self.btf, RETURN_REGISTERS if is_return else REGISTERS, ["%" + p for p in (RETURN_POINTERS if is_return else POINTERS)],
                    retval=is_return, args=0 if is_return else 6, names=self.names(function) if function and r.random() < 0.5 else [])

    def kprobes(self, r):
        is_return = r.random() < 0.25
        place, workload = r.choice(RETURN_PLACES if is_return else PLACES)
        return "r" if is_return else "p", place, self.kprobe(r, is_return, place).arguments(r), workload

    def user(self, r):
        is_return = r.random() < 0.3
        place, pointers = r.choice(USER_RETURN_PLACES if is_return else USER_PLACES)
        kind = Kind(self.kernel, registers=RETURN_REGISTERS if is_return else REGISTERS, pointers=["%" + p for p in pointers.split()], retval=is_return,
                    symbols=["0x" + self.symbols[name] for name in USER_MEMORY], user=True)
        if not kind.pointers:
            kind.pointers = ["@" + name for name in kind.symbols]
        return "r" if is_return else "p", f"/dw/wl:0x{int(self.symbols[place], 16) - 0x40000000:x}", kind.arguments(r, (1, 2, 3, 5, 8)), "run calls"

    def event(self, r):
        place, workload, fields = r.choice(EVENTS)
        fields = [f.split(":") for f in fields.split()]
        kind = Kind(self.kernel, pointers=[f"${n}" for n, k in fields if k == "p"], stack=False,
                    numbers=[f"${n}" for n, k in fields if k != "s"])
        words = kind.arguments(r, (1, 2, 3, 5))
        words += [f"t{i}=${n}:string" for i, (n, k) in enumerate(fields) if k == "s" and r.random() < 0.5]
        condition_text = None
        numbers = [(n, "s64") for n, k in fields if k == "n" and n != "sa_handler"]
        if place in STREAMS:
            condition_text = STREAMS[place][1]
        elif r.random() < 0.3 and numbers:
            condition_text = condition(r, numbers)
        return "e", place, words, workload, condition_text

    def tracepoint(self, r):
        place, workload, names = r.choice(TRACEPOINTS)
        names = [n.split("=") for n in names.split()]
        typed = [(n[0], ("to", n[1])) if len(n) > 1 else (n[0], None) for n in names]
        kind = Kind(self.kernel, self.btf, stack=False, names=[(n, t) for n, t in typed])
        kind.target, inner = lambda t: self.btf.structs[t[1]] if isinstance(t, tuple) else None if t is None else inner(t), kind.target
        kind.pointer = lambda r: r.choice([n for n, t in typed if t] or [None])
        if not known(self.kernel, "6.18"):
            kind.args = 0
        words = kind.arguments(r, (1, 2, 3, 5))
        if place in STREAMS:
            return "t", place, words + [STREAMS[place][0]], workload, STREAMS[place][1]
        return "t", place, words, workload

    def function(self, r, function=None):
        is_return = r.random() < 0.3
        place, workload = r.choice(RETURN_PLACES if is_return else PLACES)
        place = function or place
        kind = Kind(self.kernel, self.btf, stack=False, retval=is_return, args=len(self.names(place)), names=self.names(place))
        kind.pointers = ["$retval"] if is_return else [f"$arg{n}" for n in range(1, 1 + kind.args)]
        return "f", place + ("%return" if is_return else ""), kind.arguments(r, (1, 2, 3, 5, 8)), workload

    def one(self, n):
        """Of a definition to be traced: letter, place, words, workload, filter or None"""
        r = random.Random(n)
        roll = r.random()
        if self.all and roll < 0.7:
            if roll < 0.1:
                made = arrays(r, n)
            elif roll < 0.24:
                made = self.user(r)
            elif roll < 0.38:
                made = filtered(r, n)
            elif roll < 0.5 and known(self.kernel, "6.1"):
                made = self.event(r)
            elif roll < 0.6 and known(self.kernel, "6.12"):
                made = self.tracepoint(r)
            elif roll < 0.7 and known(self.kernel, "6.12"):
                made = self.function(r)
            else:
                made = self.kprobes(r)
        else:
            made = self.kprobes(r)
        return made if len(made) == 5 else (*made, None)

    def traced(self, n, event):
        letter, place, words, workload, condition_text = self.one(n)
        return workload, f"{letter}:{event} {place} " + " ".join(words) + (f" if {condition_text}" if condition_text else "")

    def loaded(self, n, event):
        r = random.Random(-n - 1)
        roll, function = r.random(), f"{{{{{u32(r)}}}}}"
        if self.all and roll < 0.1:
            letter, place, words, _ = self.user(r)
        elif self.all and roll < 0.2 and known(self.kernel, "6.1"):
            # A field can be a text, a number or an array: what does not go with the type is refused by the kernel.
            kind = Kind(self.kernel, stack=False, numbers=[f"{{{{field {u32(r)}}}}}" for _ in range(3)])
            letter, place, words = "e", f"{{{{event {u32(r)}}}}}", kind.arguments(r, (1, 2, 3))
        elif self.all and roll < 0.28 and self.btf:
            letter, place, words = self.tracepoint(r)[:3]
        elif self.all and roll < 0.55 and self.btf:
            name = r.choice(self.functions())
            if roll < 0.4:
                letter, place, words, _ = self.function(r, name)
            else:
                is_return = r.random() < 0.25
                kind = self.kprobe(r, is_return, name)
                kind.names = self.names(name)
                letter, place, words = "r" if is_return else "p", name, kind.arguments(r)
        elif self.all and roll < 0.6:
            letter, _, words, _ = arrays(r, n)
            place = function
        else:
            is_return = r.random() < 0.25
            letter, place, words = "r" if is_return else "p", function, self.kprobe(r, is_return, None).arguments(r)
            if not is_return and r.random() < 0.1:
                place += f"+{r.randint(1, 40)}"
        return f"{letter}:{event} {place} " + " ".join(words)

    def functions(self):
        if not hasattr(self, "sorted"):
            self.sorted = sorted(n for n in self.btf.functions if not n.startswith(("__x64", "__ia32", "__do_sys", "__se_sys", "bpf_")))
        return self.sorted


def row(name, workload, text):
    print("\t".join([name, name, "own", "-", workload, text]))


# ---- smaller ones ----

def smaller_words(words):
    """The arguments without one of them, or with one that fetches less; the strings that belong to them are made anew."""
    mine = [w for w in words if not re.match(r"f\d+_\d+=", w)]
    had = len(mine) != len(words)
    for left in range(len(mine)):
        if len(mine) > 1:
            kept = mine[:left] + mine[left + 1:]
            yield kept + (witnesses(kept) if had else [])
    for i, word in enumerate(mine):
        name, mark, what = word.partition("=")
        what, colon, kind = (what if mark else name).partition(":")
        less = [what[what.index("(") + 1:-1]] if what[0] == "+" else [what.rpartition("->")[0]] if "->" in what else []
        for one in less:
            kept = mine[:i] + [name + mark + one + ("" if re.search(r"\[|str", kind) else colon + kind)] + mine[i + 1:]
            yield kept + (witnesses(kept) if had else [])


def smaller_condition(text):
    """Parts of a condition: each side of its && and ||, and what is in its parentheses."""
    depth, quote = 0, ""
    for i, c in enumerate(text):
        quote = "" if c == quote else quote or (c if c in "\"'" else "")
        depth += 0 if quote else (c == "(") - (c == ")")
        if not depth and not quote and text[i:i + 2] in ("&&", "||"):
            yield text[:i].strip()
            yield text[i + 2:].strip()
    inner = text.lstrip("!").strip()
    if inner.startswith("(") and inner.endswith(")"):
        yield inner[1:-1]
    if text.startswith("!"):
        yield text[1:]


def smaller(text):
    head, _, condition_text = text.partition(" if ")
    head, place, words = head.split(" ")[0], head.split(" ")[1], head.split(" ")[2:]
    if condition_text:
        yield head, place, words, ""
        for less in smaller_condition(condition_text):
            yield head, place, words, less
    for less in smaller_words(words):
        # A filter needs its fields.
        if all(w.split("=")[0] in [l.split("=")[0] for l in less] or not re.search(rf"\b{re.escape(w.split('=')[0])}\b", condition_text) for w in words):
            yield head, place, less, condition_text


def main():
    how = sys.argv[1]
    if how == "smaller":
        _, _, _, _, workload, text = sys.argv[2].split("\t")
        for i, (head, place, words, condition_text) in enumerate(smaller(text)):
            row(f"S{i}", workload, " ".join([head.split(":")[0] + f":S{i}", place] + words) + (f" if {condition_text}" if condition_text else ""))
        return
    first, nr = int(sys.argv[2]), int(sys.argv[3])
    maker = Maker(*sys.argv[4:])
    for n in range(first, first + nr):
        if how == "trace":
            row(f"D{n}", *maker.traced(n, f"D{n}"))
        else:
            print(maker.loaded(n, f"L{n}"))


main()
