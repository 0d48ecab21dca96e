#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
#
# runs.py - random runs of bprobe whose calls are known, as rows for runs.guest, and smaller ones of a row that failed
#
#   runs.py make FIRST NUMBER DIRECTORY      writes DIRECTORY/list, and of each row ROW.sh, ROW.words and ROW.known
#   runs.py smaller DIRECTORY ROW            the same of all rows that are one step smaller than ROW (the JSON of a row, as rows.json has it)
#
# Row FIRST + i is made from the number FIRST + i alone, so each row can be made again. A row is a run: definitions, how each is attached, a filter or a
# limit of each, an output, a reader, the size of the buffers. The workload makes as many calls as the row says, so what
# each definition has seen is known before: see known().
import copy
import json
import os
import random
import sys

# What each call reaches once: the kind and the place of a definition, and whether it has values of the entry
PLACES = [
    ("p", "ksys_lseek", True), ("p", "__x64_sys_lseek", False), ("r", "ksys_lseek", False), ("f", "ksys_lseek", True),
    ("f", "ksys_lseek%return", False), ("p", "do_getpgid", False), ("r", "do_getpgid", False), ("p", "__x64_sys_getpgid", False),
    ("e", "syscalls.sys_enter_lseek", False), ("e", "syscalls.sys_exit_getpgid", False),
    ("p", "/bin/wl:syscall", False), ("r", "/bin/wl:syscall", False),
]
VALUES = ["off=%si:s64", "off=%si:s64 fd=%di:s32", "off=%si:s64 c=$comm:string", "off=%si:s64 gone=+0(%si):u64", "off=%si:s64 text=+0(%si):string"]
OUTPUTS = ["text", "json", "flat", "short", "dat", "zstd", "rotated", "overwrite", "overwrite-dat", "count", "hist", "live", "kept", "kept-overwrite", "kept-hist"]
READERS = ["keeps up", "keeps up", "slow", "stopped", "gone"]
LIMITS = ["--rate 10", "--rate 100/ms", "--rate 50/s", "--once"]
PLAIN = ["--tgid", "--time ns", "--flags none", "--raw-strings", "--clock boot"]


def row(number):
    r = random.Random(number)
    made = {"tasks": r.choice([1, 1, 2, 4, 8]), "calls": r.choice([1, 50, 500, 3000]), "output": r.choice(OUTPUTS), "reader": r.choice(READERS)}
    made["options"], made["defs"] = [], []
    if made["output"].startswith("kept"):
        made["reader"] = "keeps up"
    if r.random() < 0.6:
        made["options"].append("--buffer " + r.choice(["4K", "16K", "64K", "256K"]))
    if r.random() < 0.2:
        made["options"].append(r.choice(LIMITS))
    if made["output"] == "text" and r.random() < 0.5:
        made["options"].append(r.choice(PLAIN))
    attach = r.choice(["kprobe", "fentry", "single"]) if r.random() < 0.5 else ""
    if attach:
        made["options"].append("--attach " + attach)
    for _ in range(r.choice([1, 1, 2, 3, 5, 20, 100])):
        kind, place, entry = r.choice(PLACES[:6] if attach else PLACES)
        d = {"kind": kind, "place": place, "values": r.choice(VALUES) if entry else "", "filter": None}
        if kind == "f":                     # it has parameters, and no registers
            d["values"] = d["values"].replace("%si", "$arg2").replace("%di", "$arg1")
        if place[0] == "/" and kind == "p":
            d["values"] = "nr=%di:s64"
            d["filter"] = r.choice([None, "lseek"])
        if entry and r.random() < 0.4:
            d["filter"] = r.choice(list(FILTERS))
        made["defs"].append(d)
    # Interrupts come when they want: what they do must only add up.
    if r.random() < 0.2:
        made["defs"].append({"kind": "p", "place": "update_process_times", "values": "", "filter": None})
    return made


FILTERS = {"even": "off & 1", "below": "off <= 100", "none": "off > 1000000000", "undecided": "gone == 5"}


def known(d, made):
    """Of a definition: the hits that it sees, how many of them its filter takes, how many lack a value that the filter needs. -1: not known."""
    calls = made["tasks"] * made["calls"]
    if d["place"] == "update_process_times":
        return -1, -1, 0
    if d["place"][0] == "/":            # two calls, and one of each task before them (op_paired() in tests/guest/tools/workload.c)
        seen = 2 * calls + made["tasks"]
        return seen, calls if d["filter"] else seen, 0
    if d["filter"] == "even":           # the offsets are the numbers from 1 to `calls`
        return calls, (calls + 1) // 2, 0
    if d["filter"] == "below":
        return calls, min(calls, 100), 0
    if d["filter"] == "none":
        return calls, 0, 0
    if d["filter"] == "undecided":      # no such small number is an address of the task
        return calls, 0, calls
    return calls, calls, 0


def definition(d, i):
    """With its options, as words for a shell."""
    values = d["values"]
    if d["filter"] == "undecided" and "gone=" not in values:
        values += " gone=+0($arg2):u64" if d["kind"] == "f" else " gone=+0(%si):u64"
    text = f"{d['kind']}:e{i} {d['place']} {values}".rstrip()
    words = f"'{text}'"
    if d["filter"]:
        words += f" --filter '{'nr == 8' if d['filter'] == 'lseek' else FILTERS[d['filter']]}'"
    return words


def write(directory, rows):
    os.makedirs(directory, exist_ok=True)
    with open(f"{directory}/list", "w") as names, open(f"{directory}/rows.json", "w") as kept:
        for name, made in rows:
            names.write(name + "\n")
            kept.write(json.dumps([name, made]) + "\n")
            with open(f"{directory}/{name}.known", "w") as out:
                for i, d in enumerate(made["defs"]):
                    out.write("\t".join([f"e{i}"] + [str(n) for n in known(d, made)]) + "\n")
            with open(f"{directory}/{name}.sh", "w") as out:
                out.write(f"tasks={made['tasks']} calls={made['calls']} output={made['output']} reader='{made['reader']}'\n")
                out.write(f"options='{' '.join(made['options'])}'\n")
            trigger = " --trigger hist:keys=common_pid" if made["output"].endswith("hist") else ""
            with open(f"{directory}/{name}.words", "w") as out:
                out.write("\n".join(definition(d, i) + trigger for i, d in enumerate(made["defs"])) + "\n")


def smaller(made):
    for key, values in (("tasks", [1]), ("calls", [1, 50, 500]), ("output", ["text"]), ("reader", ["keeps up"])):
        for value in values:
            if made[key] != value and (key != "calls" or value < made["calls"]):
                less = copy.deepcopy(made)
                less[key] = value
                yield less
    for i in range(len(made["options"])):
        less = copy.deepcopy(made)
        del less["options"][i]
        yield less
    n = len(made["defs"])
    parts = [range(0, n // 2), range(n // 2, n)] if n > 4 else [[i] for i in range(n)]
    for part in parts:
        if n > 1:
            less = copy.deepcopy(made)
            less["defs"] = [d for i, d in enumerate(made["defs"]) if i not in part]
            yield less
    for i, d in enumerate(made["defs"]):
        for key, value in (("filter", None), ("values", d["values"].split(" ")[0])):
            if n <= 4 and d[key] and d[key] != value and d["place"][0] != "/":
                less = copy.deepcopy(made)
                less["defs"][i][key] = value
                yield less


def main():
    if sys.argv[1] == "make":
        first, number, directory = int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
        write(directory, [(f"N{n}", row(n)) for n in range(first, first + number)])
    else:
        write(sys.argv[2], [(f"S{i}", made) for i, made in enumerate(smaller(json.loads(sys.argv[3])))])


main()
