# SPDX-License-Identifier: GPL-2.0-only
"""schema.py SCHEMA DIR - what bprobe has printed as JSON is what doc/json.schema.json says; TAP on standard output.

It validates DIR/objects.json, which has every kind of object, and DIR/records.json. Then each kind is damaged in each member, and
a damaged object must not be valid.
"""
import copy
import json
import sys

import jsonschema

count = failed = 0


def check(good, what, why=""):
    global count, failed
    count += 1
    failed += not good
    print(f"{'ok' if good else 'not ok'} {count} - {what}")
    if not good:
        print(f"# {str(why)[:800]}")


with open(sys.argv[1]) as f:
    schema = json.load(f)
jsonschema.Draft7Validator.check_schema(schema)
validator = jsonschema.Draft7Validator(schema)


def lines(name):
    with open(f"{sys.argv[2]}/{name}") as f:
        return [json.loads(line) for line in f]


def kind_of(o):
    kind = next((k for k in ("hist", "skipped", "interval_ns", "lost") if k in o), "event")
    kind = kind.replace("interval_ns", "live")
    return f"{kind}{' of a host' if 'schema' in o else ''}{' in a range' if 'first_seq' in o and 'lost' in o else ''}"


objects = lines("objects.json")
kinds = {}
wrong = []
for o in objects + lines("records.json")[:300]:
    if kind_of(o) not in kinds:
        kinds[kind_of(o)] = o
    if not validator.is_valid(o):
        wrong.append(o)
check(not wrong, f"{len(objects)} objects and 300 records are valid", wrong[:1])
wanted = ["event", "event of a host", "hist", "hist of a host", "live", "live of a host", "lost", "lost of a host in a range", "skipped of a host"]
check(sorted(kinds) == wanted, f"each kind of object is there: {', '.join(sorted(kinds))}")

# Without one of these an object still says all that it must.
optional = {"function", "offset", "address", "module", "caller", "faults", "truncated", "kernel_stack", "user_stack", "source", "file", "container",
            "seq", "creation", "probe"}
for kind, o in sorted(kinds.items()):
    accepted = []
    for member in o:
        damaged = copy.deepcopy(o)
        damaged[member] = {"no": ["such", 1.5]}
        if validator.is_valid(damaged):
            accepted.append(f"{member} of another type")
        del damaged[member]
        if member not in optional and member != "schema" and validator.is_valid(damaged):
            accepted.append(f"without {member}")
    check(not accepted, f"{kind}: damaged, it is not valid", accepted)

flat = lines("flat.json")
check(flat and not any(isinstance(v, dict) for o in flat for v in o.values()), "--json=flat has no objects in objects")
check(flat and not any(v is None for o in flat for v in o.values()), "... and no null")
check(flat and not any(isinstance(e, dict) for o in flat for v in o.values() if isinstance(v, list) for e in v), "... nor in arrays")
want = {"args_str": "/etc/xyz", "args_e_number": -100}
event = next((o for o in flat if o.get("args_str") == "/etc/xyz"), {})
check(all(event.get(k) == v for k, v in want.items()), f"... and members have names on the way to them: {want}", flat[:1])
check(len(event.get("kernel_stack_symbol", [])) == len(event.get("kernel_stack_address", [])) > 2, "... a stack is two arrays")
check(len(event.get("args_list_number", [])) == len(event.get("args_list_name", [0, 0])) == 2, "... an array of objects is one for each member", event)
bare = [o for o in flat if o.get("event") == "kernel"]
check(bare and not any(k in o for o in bare for k in ("user_stack", "args_bad")), "... an empty stack, and an array of nothing, are no members", bare[:1])
print(f"1..{count}")
sys.exit(failed != 0)
