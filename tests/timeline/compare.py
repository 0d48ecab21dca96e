# SPDX-License-Identifier: GPL-2.0-only
#
# compare.py NAME FILE.json FILE.pftrace PROTO MESSAGE INCLUDE - both files have the same: events, arguments, names, machine
#
# protoc decodes FILE.pftrace as MESSAGE of PROTO. Each field of it must be known here by its name, and each must be in FILE.json. Prints
# one line of TAP for each.

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from trace import MACHINE_PID, Bad, check_nesting, decode, read_json, read_perfetto

name, json_path, perfetto_path, proto, message, include = sys.argv[1:7]
failed = 0


def result(good, text, detail=''):
    global failed
    failed += not good
    print('%s - %s: %s' % ('ok' if good else 'not ok', name, text))
    if not good and detail:
        print('# ' + str(detail)[:3000].replace('\n', '\n# '))


def machine(of, perfetto):
    m = {key: of[key] for key in ('kernel', 'machine')}
    if perfetto.snapshots and len(perfetto.snapshots[0]) == 4:
        m.update({key: of[key] for key in ('host', 'boot_id', 'clock')})
    return m


def main():
    with open(json_path, encoding='utf-8') as file:
        a = read_json(file.read())
    result(True, 'JSON is as its format wants it')
    b = read_perfetto(decode(perfetto_path, proto, message, include))
    result(True, 'each field is known by its name (%s)' % message)
    for which, trace in (('JSON', a), ('Perfetto', b)):
        check_nesting(trace)
        result(True, '%s: slices are nested' % which)
    x, y = sorted(e.key() for e in a.events), sorted(e.key() for e in b.events)
    kinds = sorted({e.kind for e in a.events})
    result(x == y and x, 'the same %d events: %s' % (len(x), ', '.join(kinds)),
           '\n'.join('%s\n%s' % pair for pair in zip(x, y) if pair[0] != pair[1]) or '%d and %d' % (len(x), len(y)))
    if MACHINE_PID not in a.processes:
        b.processes.pop(MACHINE_PID)    # Perfetto's file always has this track
    result(a.processes == b.processes and a.threads == b.threads, 'the same names of %d tracks' % len(a.threads),
           '%s\n%s\n%s\n%s' % (a.processes, b.processes, a.threads, b.threads))
    result(machine(a.machines[0], b) == machine(b.machines[0], b), 'the same machine', '%s\n%s' % (a.machines, b.machines))
    if len(b.snapshots[0]) == 4:
        first = b.snapshots[0]
        offset = int(a.machines[0]['realtime_offset_ns'])
        # Two readings of the clocks, unless both files were made of one.
        result(abs(first['real'] - first[b.clock] - offset) < 10 ** 8, 'the same clocks', '%s %s' % (first, offset))


try:
    main()
except (Bad, OSError, ValueError, KeyError, TypeError) as e:
    result(False, 'can be read', '%s: %s' % (type(e).__name__, e))
sys.exit(failed != 0)
