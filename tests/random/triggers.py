#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
#
# triggers.py - random triggers, as rows for hist.sh, and smaller ones of a row that failed
#
#   triggers.py make FIRST NUMBER DIRECTORY      writes DIRECTORY/rows.tsv and DIRECTORY/departures.tsv
#   triggers.py smaller DIRECTORY ROW            the same of all rows that are one step smaller than ROW ("DEFINITIONS<tab>TRIGGERS")
#
# Row FIRST + i is made from the number FIRST + i alone, so each row can be made again. Its definitions are those of hist.tsv with other types, and
# its triggers are made from the grammar of histogram.rst: most are right, some have a fault. Whether a trigger is right is not decided here: the
# kernel decides, beside bprobe (hist.guest). Left out are: stacks and time stamps, which differ by design; sums of strings, which bprobe
# refuses (hist-departures.tsv); common_cpu and tables that are full, since they depend on the order of tasks; and what doc/triggers.md names as
# different on purpose. ("||" in a filter has no blanks, since " || " separates triggers.)
import os
import random
import re
import sys

OURS = 'COMM ~ "tw-*"'
NUMBERS = ["u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "x8", "x16", "x32", "x64"]
MODIFIERS = [".hex", ".log2", ".sym", ".sym-offset", ".syscall", ".buckets=1", ".buckets=3", ".buckets=10", ".buckets=100", ".buckets=4096"]


class Event:
    def __init__(self, r, head, name, fields):
        self.name, self.strings, self.fields = name, [], []
        words = []
        for field, fetch, types in fields:
            kind = r.choice(types)
            words.append(f"{field}={fetch}:{kind}")
            (self.strings if "string" in kind else self.fields).append(field)
        self.types = {w.split("=")[0]: w.rsplit(":", 1)[1] for w in words}
        self.text = f"{head} {' '.join(words)}"


def seek(r, name, types=None):
    return Event(r, f"p:{name} ksys_lseek", name, [(field, place, types or NUMBERS) for field, place in (("fd", "%di"), ("off", "%si"), ("wh", "%dx"))])


def seek_return(r, name):
    return Event(r, f"r:{name} ksys_lseek", name, [("ret", "$retval", NUMBERS)])


def opening(r, name, types=None):
    return Event(r, f"p:{name} do_sys_openat2", name, [("dfd", "%di", types or NUMBERS), ("name", "+0(%si)", ["ustring"])])


def opening_return(r, name):
    return Event(r, f"r:{name} do_sys_openat2", name, [("ret", "$retval", NUMBERS)])


def number(r):
    return r.choice([0, 1, 2, 3, 99, 100, 102, 103, 199, 200, 255, 1000, 4096, 9801, 65536, 524288, -1, -2, -16, -100, 2147483647, 4294967295])


# What the workload's calls have (tests/corpus/tw.c), so that a comparison is often with just that.
USUAL = {"fd": [100, 101, 102, 103, 200], "off": [0, 1, 4, 9, 16, 64, 1024, 9801, 524288], "wh": [0, 1, 2], "dfd": [-100, 4294967196], "ret": [-9, 4294967287]}


def predicate(r, event):
    if event.strings and r.random() < 0.3:
        text = r.choice(['"/nx*"', '"/nx/5"', '"*b one"', '""', '"*5"'])
        return f"{r.choice(event.strings)} {r.choice(['==', '!=', '~'])} {text}"
    field = r.choice(event.fields + ["common_pid"])
    if r.random() < 0.2:
        return f"{field} & {abs(number(r))}"
    value = r.choice(USUAL[field]) if field in USUAL and r.random() < 0.8 else number(r)
    return f"{field} {r.choice(['==', '!=', '<', '<=', '>', '>='])} {value}"


def condition(r, event, depth=0):
    if depth > 2 or r.random() < 0.45:
        text = predicate(r, event)
        return f"!({text})" if r.random() < 0.1 else text
    return f"({condition(r, event, depth + 1)}{r.choice(['&&', '||'])}{condition(r, event, depth + 1)})"


def filtered(r, event):
    # The strings of tw-c are often not in memory. The kernel compares with what its buffer held then, and bprobe with nothing.
    ours = OURS + (' && COMM != "tw-c"' if event.strings else "")
    return f" if {ours}" + (f" && {condition(r, event)}" if r.random() < 0.6 else "")


def expression(r, names, depth=0):
    if depth > 1 or r.random() < 0.35:
        return r.choice(names) if r.random() < 0.8 else str(r.choice([1, 2, 3, 7, 16, 1000]))
    if r.random() < 0.1:
        return f"-{r.choice(names)}"
    text = f"{expression(r, names, depth + 1)}{r.choice('+-*/')}{expression(r, names, depth + 1)}"
    # The kernel's division by a constant that is no power of 2 is not exact.
    return re.sub(r"/(3|7|1000)\b", "/16", text)


def key(r, event):
    kind = r.random()
    if kind < 0.15:
        return r.choice(["common_pid", "common_pid.execname", "common_pid.hex"])
    if event.strings and kind < 0.35:
        return r.choice(event.strings)
    field = r.choice(event.fields)
    modifier = r.choice(MODIFIERS) if r.random() < 0.4 else ""
    # A bucket below zero, and one that ends above 2^64, are shown in another way on purpose.
    return field if "buckets" in modifier and (event.types[field][0] in "sip" or "64" in event.types[field] or "long" in event.types[field]) else field + modifier


def keys(r, event):
    chosen = {}
    for _ in range(r.choice([1, 1, 1, 2, 2, 3])):
        one = key(r, event)
        chosen.setdefault(one.split(".")[0], one)
    return list(chosen.values())


def values(r, event):
    chosen = []
    for _ in range(r.choice([1, 1, 2, 3])):
        kind = r.random()
        if kind < 0.2:
            chosen.append("hitcount" + r.choice(["", ".percent", ".graph"]) if r.random() < 0.5 else "hitcount")
        elif kind < 0.75:
            field = r.choice(event.fields)
            more = [".hex"] if event.types[field][0] in "sip" else [".hex", ".percent", ".graph"]
            chosen.append(field + (r.choice(more) if r.random() < 0.2 else ""))
        else:
            chosen.append(expression(r, event.fields))
    return chosen


def histogram(r, event, more=""):
    of = keys(r, event)
    vals = values(r, event) if r.random() < 0.5 else []
    text = f"hist:{r.choice(['keys', 'key'])}={','.join(of)}"
    if vals:
        text += f":{r.choice(['vals', 'values', 'val'])}={','.join(vals)}"
    if r.random() < 0.3:
        by = r.sample([k.split(".")[0] for k in of] + ["hitcount"] + [v.split(".")[0] for v in vals if re.fullmatch(r"\w+(\.\w+)?", v)], 1)
        text += f":sort={by[0]}" + r.choice(["", ".descending", ".ascending"])
    if r.random() < 0.1:
        text += f":size={r.choice([256, 512, 2048, 4096])}"
    return text + more


def variables(r, event, prefix="v"):
    """Variables of a table: their names, and their part of the text."""
    names, parts = [], []
    for i in range(r.choice([1, 1, 2, 3])):
        name = f"{prefix}{i}"
        kind = r.random()
        if kind < 0.6:
            parts.append(f"{name}={r.choice(event.fields)}")
        elif kind < 0.7:
            parts.append(f"{name}=common_pid")
        else:
            parts.append(f"{name}={expression(r, event.fields)}")
        names.append(name)
    text = ":" + ",".join(parts) if r.random() < 0.5 else "".join(":" + p for p in parts)
    return names, text


def fault(r, text):
    """The same with a change that is often a mistake."""
    kind = r.randrange(8)
    if kind == 0:
        return text.replace("hist:key", "hist:kez", 1)
    if kind == 1:
        return re.sub(r"=(\w+)", r"=\1x", text, count=1)
    if kind == 2:
        return re.sub(r"keys?=[^: ]*", "keys=", text, count=1)
    if kind == 3:
        return re.sub(r"(keys?=\w+)", r"\1.nosuch", text, count=1)
    if kind == 4:
        return re.sub(r":sort=\w+", ":sort=nosuch", text) if ":sort=" in text else text.replace(" if ", ":sort=nosuch if ", 1)
    if kind == 5:
        return text.replace(" if ", " if nosuch == 1 && ", 1)
    if kind == 6:
        return text.replace(" if ", ":vals=$nosuch if ", 1)
    return re.sub(r"(keys?=)(\w+)", r"\1\2,\2", text, count=1)


def single(r):
    event = r.choice([seek, seek, opening, seek_return])(r, "e")
    triggers = [f"e {histogram(r, event)}{filtered(r, event)}"]
    if r.random() < 0.25:
        triggers.append(f"e {histogram(r, event)}{filtered(r, event)}")
    return [event.text], triggers


def tracked(r):
    # onmax() compares numbers with a sign as such, on purpose, so there are none.
    event = r.choice([seek, seek, opening])(r, "e", [t for t in NUMBERS if t[0] != "s"])
    names, text = variables(r, event)
    save = f".save({','.join(r.sample(event.fields, r.randint(1, len(event.fields))))})"
    action = f":{r.choice(['onmax', 'onmax', 'onchange'])}(${r.choice(names)}){save}"
    return [event.text], [f"e {histogram(r, event, text + action)}{filtered(r, event)}"]


def pair(r):
    first, second = r.choice([(seek, seek_return), (opening, opening_return)])
    e, x = first(r, "e"), second(r, "x")
    names, text = variables(r, e)
    triggers = [f"e hist:keys=common_pid{text}{filtered(r, e)}"]
    defs = [e.text, x.text]
    known = ["$" + n for n in names] + x.fields
    more = ""
    if r.random() < 0.6:
        more = f":w={expression(r, known)}"
        known.append("$w")
    if r.random() < 0.6:
        fields = [(f"f{i}", r.choice(["u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "int", "unsigned long", "pid_t"])) for i in range(r.choice([1, 2, 3]))]
        defs.insert(0, "s:made " + "; ".join(f"{t} {n}" for n, t in fields))
        given = [r.choice(known) for _ in fields]
        if r.random() < 0.1:
            given.pop()
        call = f"trace(made,{','.join(given)})" if r.random() < 0.5 else f"made({','.join(given)})"
        more += f":onmatch(kprobes.e).{call}"
        triggers.append(f"x hist:keys=common_pid{more}{filtered(r, x)}")
        made = Event.__new__(Event)
        made.name, made.strings, made.fields, made.types = "made", [], [n for n, _ in fields], dict(fields)
        if r.random() < 0.6:
            triggers.append("synthetic/made " + re.sub(r"common_pid(\.\w+)?", made.fields[0], histogram(r, made)))
    else:
        # Variables are values, too.
        vals = r.choice(known)
        triggers.append(f"x hist:keys=common_pid:vals={vals}{more}{filtered(r, x)}")
    return defs, triggers


def shared(r):
    e = seek(r, "e")
    other = Event.__new__(Event)
    other.name, other.strings, other.fields, other.types, other.text = "g", [], e.fields, e.types, e.text.replace("p:e ", "p:g ", 1)
    text = histogram(r, e)
    return [e.text, other.text], [f"e {text}:name=both{filtered(r, e)}", f"g {text}:name=both{filtered(r, other)}"]


def row(n):
    r = random.Random(n)
    defs, triggers = r.choices([single, tracked, pair, shared], [5, 3, 5, 1])[0](r)
    if r.random() < 0.12:
        i = r.randrange(len(triggers))
        triggers[i] = fault(r, triggers[i])
    return defs, triggers


def write(directory, rows):
    os.makedirs(directory, exist_ok=True)
    with open(f"{directory}/rows.tsv", "w") as f:
        for name, defs, triggers in rows:
            f.write(f"{name}\t5.10\t{' || '.join(defs)}\t{' || '.join(triggers)}\t\n")
    # Numbers with a sign are the one departure that any row can have: hist.awk derives which by the types.
    with open(f"{directory}/departures.tsv", "w") as f:
        for name, _, _ in rows:
            f.write(f"{name}\tsigned\n")


# ---- smaller rows ----

def without_each(parts):
    for i in range(len(parts)):
        yield parts[:i] + parts[i + 1:]


def smaller_filter(text):
    ours = max((o for o in (OURS, OURS + ' && COMM != "tw-c"') if text.startswith(o)), key=len, default="")
    if not ours or text == ours:
        return
    yield ours
    rest = text[len(ours) + 4:]
    if rest.startswith("!(") and rest.endswith(")"):
        yield f"{ours} && {rest[2:-1]}"
    if rest.startswith("(") and rest.endswith(")"):
        depth = 0
        for i, c in enumerate(rest):
            depth += (c == "(") - (c == ")")
            if depth == 1 and rest[i:i + 2] in ("&&", "||"):
                yield f"{ours} && {rest[1:i]}"
                yield f"{ours} && {rest[i + 2:-1]}"


def smaller_part(part):
    head, mark, rest = part.partition("=")
    if mark and "(" not in head:
        words = rest.split(",")
        for fewer in without_each(words) if len(words) > 1 else []:
            yield f"{head}={','.join(fewer)}"
        for i, word in enumerate(words):
            for small in dict.fromkeys(re.sub(part, "", word) for part in (r"\.[a-z-]+(=\d+)?$", r"[-+*/][$\w]+$", r"^[$\w]*[-+*/]")):
                if small in (word, ""):
                    continue
                yield f"{head}={','.join(words[:i] + [small] + words[i + 1:])}"
    if part.startswith("on") and ").save(" in part:
        before, saved = part.split(").save(")
        for fewer in without_each(saved[:-1].split(",")):
            if fewer:
                yield f"{before}).save({','.join(fewer)})"


def smaller_trigger(text):
    event, _, trigger = text.partition(" ")
    head, mark, condition_text = trigger.partition(" if ")
    for small in smaller_filter(condition_text):
        yield f"{event} {head} if {small}"
    parts = head.split(":")
    for i in range(1, len(parts)):
        yield f"{event} {':'.join(parts[:i] + parts[i + 1:])}{mark}{condition_text}"
        for small in smaller_part(parts[i]):
            yield f"{event} {':'.join(parts[:i] + [small] + parts[i + 1:])}{mark}{condition_text}"


def smaller(defs, triggers):
    for fewer in without_each(triggers) if len(triggers) > 1 else []:
        yield defs, fewer
    for fewer in without_each(defs) if len(defs) > 1 else []:
        yield fewer, triggers
    for i, trigger in enumerate(triggers):
        for small in smaller_trigger(trigger):
            yield defs, triggers[:i] + [small] + triggers[i + 1:]
    for i, definition in enumerate(defs):
        words = definition.split(" ")
        if not definition.startswith("s:") and len(words) > 3:
            for k in range(2, len(words)):
                yield defs[:i] + [" ".join(words[:k] + words[k + 1:])] + defs[i + 1:], triggers


def main():
    if len(sys.argv) == 5 and sys.argv[1] == "make":
        first, count = int(sys.argv[2]), int(sys.argv[3])
        write(sys.argv[4], [(f"R{n}", *row(n)) for n in range(first, first + count)])
    elif len(sys.argv) == 4 and sys.argv[1] == "smaller":
        defs, triggers = (part.split(" || ") for part in sys.argv[3].split("\t"))
        seen, rows = set(), []
        for d, t in smaller(defs, triggers):
            if (text := str((d, t))) not in seen:
                seen.add(text)
                rows.append((f"S{len(rows)}", d, t))
        write(sys.argv[2], rows)
    else:
        sys.exit(64)


main()
