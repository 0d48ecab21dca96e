#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
#
# applies.py - random files for --apply, as rows for random-applies.guest, and smaller ones of a row that failed
#
#   applies.py make FIRST NUMBER DIRECTORY      writes DIRECTORY/list, and of each row ROW.before, ROW.file, ROW.bad, ROW.want and ROW.known
#   applies.py smaller DIRECTORY ROW            the same of all rows that are one step smaller than ROW (the JSON of a row, as rows.json has it)
#
# Row FIRST + i is made from the number FIRST + i alone. ROW.before and ROW.file are files; ROW.bad is a third one with one line that is wrong. ROW.want
# has what ROW.file says, a line for each definition and each setting. ROW.known has of each definition how many of the calls of
# `wl paired 1:CALLS` it sees, and how many pass its filter: the numbers of these calls are 1 to CALLS (op_paired() in workload.c).
import copy
import json
import os
import random
import sys

CALLS = 120
# Kind, place, its field, group
PLACES = [
    ("p", "ksys_lseek", "off=%si:s64", "kprobes"), ("r", "ksys_lseek", "off=$retval:s64", "kprobes"), ("p", "ksys_lseek", "off=%si:u16 fd=%di:s32", "kprobes"),
    ("p", "do_getpgid", "off=%di:s32", "kprobes"), ("p", "do_getpgid", "off=%di:u64 who=$comm", "kprobes"),
    ("e", "syscalls.sys_enter_lseek", "off=$offset:u64", "eprobes"),
]
TRIGGERS = ["hist:keys=off", "hist:keys=common_pid", "hist:keys=common_pid,off", "hist:keys=off.log2"]
WRONG = ["p:e9 no_such_function", "\tcom wl", "\tfilter nosuch == 1", "\tfilter off ==", "\ttrigger hist:keys=nosuch", "\ttrigger hist:kez=off", "x:e9 ksys_lseek",
         "p:e9 ksys_lseek off=%nosuch", "p:e9 ksys_lseek off=%si:u7", "\tcomm", "\tdisabled now"]


# The kernel's filters of numbers: text, and what passes
def condition(r):
    n, m = r.randint(0, CALLS), r.randint(0, CALLS)
    return r.choice([
        (f"off <= {n}", [i for i in range(1, CALLS + 1) if i <= n]),
        (f"off > {n} && off != {m}", [i for i in range(1, CALLS + 1) if i > n and i != m]),
        (f"off & {n}", [i for i in range(1, CALLS + 1) if i & n]),
        (f"off == {n} || off == {m}", [i for i in range(1, CALLS + 1) if i in (n, m)]),
        (f"!off < {n}", [i for i in range(1, CALLS + 1) if i >= n]),
    ])


def block(r, name):
    kind, place, values, group = r.choice(PLACES)
    made = {"name": name, "kind": kind, "place": place, "values": values, "group": group, "settings": [], "passed": CALLS, "comment": r.choice(["", "", "# a word", "\t # if\n"])}
    if r.random() < 0.5:
        text, passed = condition(r)
        made["settings"].append(f"filter {text}")
        made["passed"] = len(passed)
    for trigger in r.sample(TRIGGERS, r.choice([0, 0, 1, 2])):
        made["settings"].append(f"trigger {trigger}")
    if r.random() < 0.25:
        made["settings"].append("disabled")
    # Other tasks would be counted, too. No limit is reached.
    made["settings"].append("comm wl")
    if r.random() < 0.3:
        made["settings"].append("rate 1000000/s")
    r.shuffle(made["settings"])
    return made


def blocks(r):
    return [block(r, name) for name in r.sample([f"e{i}" for i in range(6)], r.randint(1, 6))]


def row(number):
    r = random.Random(number)
    before = blocks(r)
    now = blocks(r)
    # Some are as before, or differ in one thing.
    for i, b in enumerate(now):
        same = [old for old in before if old["name"] == b["name"]]
        if same and r.random() < 0.7:
            now[i] = copy.deepcopy(same[0])
            if r.random() < 0.6:
                other = block(r, b["name"])
                if r.random() < 0.5:
                    now[i].update({key: other[key] for key in ("kind", "place", "values", "group")})
                else:
                    now[i].update({key: other[key] for key in ("settings", "passed")})
    return {"before": before, "now": now, "bad": blocks(r), "wrong": r.choice(WRONG), "at": r.random()}


def written(made):
    lines = []
    for b in made:
        if b["comment"]:
            lines.append(b["comment"].rstrip("\n"))
        lines.append(f"{b['kind']}:{b['name']} {b['place']} {b['values']}")
        lines += [f"\t{s}" for s in b["settings"]]
        if b["comment"].endswith("\n"):
            lines += ["", ""]
    return lines


def write(directory, rows):
    os.makedirs(directory, exist_ok=True)
    with open(f"{directory}/list", "w") as names, open(f"{directory}/rows.json", "w") as kept:
        for name, made in rows:
            names.write(f"{name}\n")
            kept.write(json.dumps([name, made]) + "\n")
            bad = written(made["bad"])
            # A setting belongs to a definition: it comes behind the first line that is one.
            first = next(i for i, line in enumerate(bad) if line[1] == ":") + 1
            bad.insert(first + int(made["at"] * (len(bad) - first + 1)), made["wrong"])
            for kind, lines in (("before", written(made["before"])), ("file", written(made["now"])), ("bad", bad)):
                with open(f"{directory}/{name}.{kind}", "w") as out:
                    out.write("\n".join(lines) + "\n")
            with open(f"{directory}/{name}.want", "w") as out:
                for b in made["now"]:
                    values = b["values"]
                    event = f"{b['group']}/{b['name']}"
                    out.write("\n".join([f"{event} {b['kind']} {b['place']} {values}"] + [f"{event} {s}" for s in b["settings"]]) + "\n")
            with open(f"{directory}/{name}.known", "w") as out:
                for b in made["now"]:
                    seen = 0 if "disabled" in b["settings"] else CALLS
                    out.write(f"{b['name']}\t{seen}\t{b['passed'] if seen else 0}\n")


def smaller(made):
    for part in ("now", "before", "bad"):
        for i in range(len(made[part])):
            if len(made[part]) > 1:
                less = copy.deepcopy(made)
                del less[part][i]
                yield less
        for i, b in enumerate(made[part]):
            for k, setting in enumerate(b["settings"]):
                less = copy.deepcopy(made)
                del less[part][i]["settings"][k]
                if setting.startswith("filter"):
                    less[part][i]["passed"] = CALLS
                yield less
            if b["comment"]:
                less = copy.deepcopy(made)
                less[part][i]["comment"] = ""
                yield less


def main():
    if sys.argv[1] == "make":
        first, number, directory = int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
        write(directory, [(f"A{n}", row(n)) for n in range(first, first + number)])
    else:
        write(sys.argv[2], [(f"S{i}", made) for i, made in enumerate(smaller(json.loads(sys.argv[3])))])


main()
