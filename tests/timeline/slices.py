# SPDX-License-Identifier: GPL-2.0-only
#
# slices.py PROTO DIR - what timeline.guest has recorded is in the files of DIR: the calls that `wl` made, no more and no fewer
#
# TAP on standard output. PROTO is our own pftrace.proto: without protoc its files are not looked at.

import os
import shutil
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from trace import Bad, check_nesting, decode, read_json, read_perfetto, require

proto, directory = sys.argv[1:3]
failed = 0


def load(name):
    path = os.path.join(directory, name)
    if name.endswith('.json'):
        with open(path, encoding='utf-8') as file:
            return read_json(file.read())
    return read_perfetto(decode(path, os.path.basename(proto), 'pf.Trace', os.path.dirname(proto)))


def test(name, what, function):
    global failed
    if name.endswith('.pftrace') and not shutil.which('protoc'):
        print('ok - %s: %s # SKIP there is no protoc (package protobuf-compiler)' % (name, what))
        return
    try:
        trace = load(name)
        function(trace)
        print('ok - %s: %s' % (name, what))
    except (Bad, OSError, ValueError, KeyError, TypeError) as e:
        failed += 1
        print('not ok - %s: %s\n# %s: %s' % (name, what, type(e).__name__, str(e)[:2000].replace('\n', '\n# ')))


def of_kind(trace, kind):
    return [e for e in trace.events if e.kind == kind]


def is_seek(trace, calls):
    """Each number from 1 on once: __x64_sys_lseek around ksys_lseek."""
    parents = check_nesting(trace)
    slices = of_kind(trace, 'slice')
    require(len(slices) == 2 * calls and not of_kind(trace, 'instant') and not of_kind(trace, 'open'), '%d events' % len(trace.events))
    for outer, name in ((True, '__x64_sys_lseek'), (False, 'ksys_lseek')):
        mine = [e for e in slices if e.name == name]
        require([e.args['off'] for e in mine] == list(range(1, calls + 1)), 'numbers of %s' % name)
        for e in mine:
            require(e.args['return']['ret'] == e.args['off'], 'what %s returns' % name)
            require(e.args['bprobe']['event'] == ('outer' if outer else 'inner'), 'the event of %s' % name)
            require(e.category == 'kprobes' and trace.threads[e.track[1:]] == 'wl' and trace.processes[e.track[1]] == 'wl', 'names')
            parent = parents[id(e)]
            require(parent is None if outer else parent.name == '__x64_sys_lseek' and parent.args['off'] == e.args['off'], 'the parent')


def has_counter(trace, calls):
    samples = of_kind(trace, 'counter')
    require([e.args for e in samples] == list(range(1, calls + 1)) and {e.name for e in samples} == {'inner_back.ret'}, 'samples')


def calls_json(trace):
    is_seek(trace, 200)
    has_counter(trace, 200)
    machine, = trace.machines
    real = min(e.start for e in trace.events) + int(machine['realtime_offset_ns'])
    # The guest's clock is that of this machine, if it has one; in any case it is after 2020.
    require(real > 1577836800 * 10 ** 9 and machine['clock'] == 'mono' and len(machine['boot_id']) == 36, 'the machine: %s' % machine)


def calls_pftrace(trace):
    is_seek(trace, 200)
    has_counter(trace, 200)
    require(trace.clock == 'boot' and len(trace.snapshots) == 2, 'clocks')
    first, last = trace.snapshots
    require(all(first[c] < last[c] for c in first), 'clocks go on')
    require(all(first['boot'] <= e.start <= last['boot'] for e in trace.events), 'times of events are between the snapshots')
    require(abs((last['real'] - last['mono']) - (first['real'] - first['mono'])) < 10 ** 9, 'offsets')


def read_calls(trace):
    is_seek(trace, 50)
    # What the recording bprobe has read of the clocks, not the converting one: so events are between the two readings.
    if trace.snapshots:
        first, last = trace.snapshots
        require(all(first['mono'] <= e.start <= last['mono'] for e in trace.events), 'clocks')
    for e in of_kind(trace, 'slice'):
        stack = e.args['bprobe']['kernel_stack']
        require(stack and stack[0].startswith(e.name + '+0x'), 'the stack of %s: %s' % (e.name, stack))


def depth(e, parents):
    n = 0
    while parents[id(e)]:
        e = parents[id(e)]
        n += 1
    return n


def nest(trace):
    """`wl nest 20` adds the fourth instance 20 times, from which three others are found, and before that each of these once."""
    parents = check_nesting(trace)
    slices = of_kind(trace, 'slice')
    require(slices and not of_kind(trace, 'instant'), '%d slices' % len(slices))
    depths = [depth(e, parents) for e in slices]
    counts = [depths.count(d) for d in range(max(depths) + 1)]
    # Where the compiler has put the function into itself (5.10), fewer are calls.
    require(len(counts) > 1 and counts == [23, 22, 21, 20][:len(counts)], 'calls of each depth: %s' % counts)
    for e in slices:
        require(parents[id(e)] is None or parents[id(e)].name == e.name, 'the caller')


def elapsed(trace):
    parents = check_nesting(trace)
    slices = of_kind(trace, 'slice')
    outer = [e for e in slices if e.name == '__x64_sys_lseek']
    inner = [e for e in slices if e.name == 'ksys_lseek']
    require(len(outer) == len(inner) == 100 and len(slices) == len(trace.events), '%d slices' % len(slices))
    require(sorted(e.args['return']['ret'] for e in outer) == list(range(1, 101)), 'numbers')
    require(all(abs(e.end - e.start - e.args['return']['elapsed']) <= 1 for e in outer), 'durations')
    require(all(parents[id(e)] and parents[id(e)].name == '__x64_sys_lseek' for e in inner), 'the parents')


def pair(trace):
    lanes = [e for e in of_kind(trace, 'slice') if e.track[0] == 'lane']
    require(len(lanes) == 100 and all(e.track == ('lane', 0) and e.name == 'end' for e in lanes), 'pairs')
    require(all(e.end - e.start == e.args['elapsed'] for e in lanes) and [e.args['ret'] for e in lanes] == list(range(1, 101)), 'durations')
    begins = {e.start: e.args['off'] for e in of_kind(trace, 'instant') if e.name == 'begin'}
    require(all(begins.get(e.start) == e.args['ret'] for e in lanes), 'each begins at the first event')
    check_nesting(trace)


def user(trace):
    """A function of the program is around what it calls in the kernel."""
    parents = check_nesting(trace)
    slices = of_kind(trace, 'slice')
    mine = [e for e in slices if e.name == 'op_seeks']
    require(len(mine) == 1 and mine[0].args['return']['ret'] == 0 and parents[id(mine[0])] is None, 'the function')
    outer = [e for e in slices if e.name == '__x64_sys_lseek']
    require(len(outer) == 5 and all(parents[id(e)] is mine[0] for e in outer), 'what it calls')


def odd(trace):
    names = set(trace.threads.values())
    require('"\\\\x0a\\x01\\xff\\xc3' in names, 'names of tasks: %s' % names)
    mine = [e for e in of_kind(trace, 'slice') if e.name == '__x64_sys_getppid' and trace.threads[e.track[1:]].startswith('"')]
    require(len(mine) == 3, 'calls of the task: %d' % len(mine))
    machine, = trace.machines
    require(machine['clock'] == 'real' and machine['realtime_offset_ns'] == '0', 'the clock: %s' % machine)
    require(all(e.start > 1577836800 * 10 ** 9 for e in mine), 'times after 2020')


def lost(trace):
    check_nesting(trace)
    losses = [e for e in of_kind(trace, 'instant') if e.track[0] == 'cpu']
    require(losses and sum(e.args['lost'] for e in losses) > 0, 'losses')
    for e in of_kind(trace, 'slice'):
        require(not any(e.start < loss.start < e.end for loss in losses), 'a slice over a loss')


def killed(trace):
    is_seek_prefix = [e for e in of_kind(trace, 'slice') if e.name == '__x64_sys_lseek']
    require(is_seek_prefix and [e.args['off'] for e in is_seek_prefix] == list(range(1, len(is_seek_prefix) + 1)), 'calls')


def load_killed(text):
    return text.rstrip().rstrip(',') + '\n]}'


test('calls.json', 'each call is a slice, inside its caller', calls_json)
test('calls.pftrace', 'each call is a slice, inside its caller', calls_pftrace)
test('read.json', 'out of a trace.dat, with stacks', read_calls)
test('read.pftrace', 'out of a trace.dat, with stacks', read_calls)
test('nest.json', 'recursion', nest)
test('elapsed.json', 'durations of returns', elapsed)
test('pair.json', 'pairs', pair)
test('user.json', 'a function of a program', user)
test('flight.pftrace', 'what full buffers kept', lambda trace: is_seek(trace, 20))
test('odd.json', 'names that are no text', odd)
test('lost.json', 'lost events', lost)
test('snap.pftrace', 'a snapshot', check_nesting)

path = os.path.join(directory, 'killed.json')
if os.path.exists(path):
    with open(path, encoding='utf-8') as file:
        text = load_killed(file.read())
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text)
test('killed.json', 'what a killed bprobe had written, with its end', killed)
sys.exit(failed != 0)
