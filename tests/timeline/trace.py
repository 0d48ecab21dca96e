# SPDX-License-Identifier: GPL-2.0-only
#
# trace.py - reads files of events on a time axis: trace-event JSON, and what `protoc --decode` prints of Perfetto's files
#
# Both become a list of events with the same members, so that they can be compared. Everything that is not as the formats have it is an
# error with a text.

import json
import re
import subprocess

MACHINE_PID = 4194305			# of JSON; no process can have it
FIRST_CPU = MACHINE_PID + 1
FIRST_IDLE = FIRST_CPU + 65536
FIRST_LANE = FIRST_IDLE + 65536


class Bad(Exception):
    pass


def require(condition, text):
    if not condition:
        raise Bad(text)


class Event:
    """kind: slice, open (a slice without an end), instant, counter. track: (kind, numbers). Times in ns."""

    def __init__(self, kind, track, start, end, name, category, args):
        self.kind, self.track, self.start, self.end = kind, track, start, end
        self.name, self.category, self.args = name, category, args

    def key(self):
        return (self.kind, self.track, self.start, self.end or 0, self.name, self.category or '', json.dumps(self.args, sort_keys=True))


class Trace:
    def __init__(self):
        self.events, self.processes, self.threads, self.machines, self.snapshots = [], {}, {}, [], []


def as_double(number):
    """What a counter shows; JSON has its digits only as far as a double has them."""
    return number if type(number) is int and abs(number) <= 1 << 53 else float(number)


# ---- JSON ----

def once(pairs):
    names = [name for name, _ in pairs]
    require(len(names) == len(set(names)), 'a member comes twice: %s' % names)
    return dict(pairs)


def ns(text):
    """Microseconds with three decimals, as they are written."""
    match = re.fullmatch(r'(\d+)\.(\d{3})', str(text))
    require(match, 'no time: %s' % text)
    return int(match.group(1)) * 1000 + int(match.group(2))


PHASES = {
    'X': {'ph', 'pid', 'tid', 'ts', 'dur', 'name', 'cat', 'args'},
    'B': {'ph', 'pid', 'tid', 'ts', 'name', 'cat', 'args'},
    'i': {'ph', 'pid', 'tid', 'ts', 's', 'name', 'cat', 'args'},
    'C': {'ph', 'pid', 'tid', 'ts', 'name', 'args'},
    'M': {'ph', 'pid', 'tid', 'name', 'args'},
}


def json_track(pid, tid):
    if pid == MACHINE_PID:
        return ('lane', tid - FIRST_LANE) if tid >= FIRST_LANE else ('cpu', tid - FIRST_CPU)
    return ('idle', tid - FIRST_IDLE) if pid == 0 else ('thread', pid, tid)


def read_json(text):
    root = json.loads(text, parse_float=str, object_pairs_hook=once)
    require(set(root) == {'displayTimeUnit', 'otherData', 'traceEvents'}, 'members of the file: %s' % sorted(root))
    require(root['displayTimeUnit'] == 'ns', 'displayTimeUnit')
    trace = Trace()
    trace.machines = root['otherData']['machines']
    for e in root['traceEvents']:
        phase = e.get('ph')
        require(phase in PHASES and set(e) == PHASES[phase], 'members of an event: %s' % e)
        require(type(e['pid']) is int and type(e['tid']) is int and type(e['name']) is str and type(e['args']) is dict, 'types: %s' % e)
        if phase == 'M':
            require(e['name'] in ('process_name', 'thread_name') and list(e['args']) == ['name'], 'metadata: %s' % e)
            names = trace.processes if e['name'] == 'process_name' else trace.threads
            names[e['pid'] if e['name'] == 'process_name' else (e['pid'], e['tid'])] = e['args']['name']
            continue
        start = ns(e['ts'])
        if phase == 'C':
            require(e['pid'] == MACHINE_PID, 'a counter of a process')
            trace.events.append(Event('counter', ('counter', e['name']), start, None, e['name'], None, as_double(e['args']['value'])))
            continue
        require(phase != 'i' or e['s'] == 't', 'scope of an instant')
        end = start + ns(e['dur']) if phase == 'X' else None
        kind = {'X': 'slice', 'B': 'open', 'i': 'instant'}[phase]
        trace.events.append(Event(kind, json_track(e['pid'], e['tid']), start, end, e['name'], e['cat'], e['args']))
    return trace


# ---- Perfetto ----

def unescape(text):
    """A string of protobuf's text format."""
    out = bytearray()
    for match in re.finditer(rb'\\([0-7]{3})|\\(.)|([^\\]+)', text.encode()):
        octal, char, plain = match.groups()
        out += bytes([int(octal, 8)]) if octal else {b'n': b'\n', b't': b'\t', b'r': b'\r'}.get(char, char) if char else plain
    return out.decode('utf-8')


def parse_text(lines):
    """What protoc prints, as lists of (name, value); a value is a list, a number, a text, or the name of an enumeration's member."""
    root = []
    stack = [root]
    for line in lines:
        line = line.strip()
        if line.endswith('{'):
            inner = []
            name = line[:-1].strip()
            require(not name.isdigit(), 'a field without a name: %s' % name)
            stack[-1].append((name, inner))
            stack.append(inner)
        elif line == '}':
            stack.pop()
        elif line:
            name, value = line.split(': ', 1)
            require(not name.isdigit(), 'a field without a name: %s' % name)
            if value.startswith('"'):
                value = unescape(value[1:-1])
            elif re.fullmatch(r'-?\d+', value):
                value = int(value)
            stack[-1].append((name, value))
    require(len(stack) == 1, 'the text ends too early')
    return root


class Fields:
    """The fields of a message. All that is not taken is an error: nothing may be there that nobody has looked at."""

    def __init__(self, pairs, what):
        self.pairs, self.what = pairs, what
        self.taken = set()

    def all(self, name):
        self.taken.add(name)
        return [value for key, value in self.pairs if key == name]

    def get(self, name, default=None):
        values = self.all(name)
        require(len(values) <= 1, '%s: %s comes %d times' % (self.what, name, len(values)))
        return values[0] if values else default

    def message(self, name):
        value = self.get(name)
        return None if value is None else Fields(value, name)

    def done(self):
        rest = {key for key, _ in self.pairs} - self.taken
        require(not rest, '%s: unknown fields %s' % (self.what, sorted(rest)))


KINDS = {1: 'machine', 2: 'process', 3: 'thread', 4: 'idle', 5: 'cpu', 6: 'lane', 7: 'counter'}
TYPES = {'TYPE_SLICE_BEGIN': 1, 'TYPE_SLICE_END': 2, 'TYPE_INSTANT': 3, 'TYPE_COUNTER': 4}
CLOCKS = {1: 'real', 3: 'mono', 6: 'boot', 64: 'tai'}


class Perfetto:
    def __init__(self, packets):
        self.trace = Trace()
        self.names = {}
        self.tracks = {}
        self.snapshots = []
        self.events = []
        self.clock = None
        for i, packet in enumerate(packets):
            self.packet(Fields(packet, 'TracePacket'), i)

    def packet(self, p, i):
        require(p.get('trusted_packet_sequence_id') == 1, 'trusted_packet_sequence_id')
        flags = p.get('sequence_flags')
        require(flags == (3 if i == 0 else 2), 'sequence_flags of packet %d: %s' % (i, flags))
        defaults = p.message('trace_packet_defaults')
        require((defaults is not None) == (i == 0), 'trace_packet_defaults of packet %d' % i)
        if defaults:
            self.clock = CLOCKS[defaults.get('timestamp_clock_id')]
            defaults.done()
        interned = p.message('interned_data')
        if interned:
            for table in ('event_categories', 'event_names', 'debug_annotation_names'):
                for entry in interned.all(table):
                    entry = Fields(entry, table)
                    iid, name = entry.get('iid'), entry.get('name')
                    require((table, iid) not in self.names, '%s %d is told twice' % (table, iid))
                    self.names[table, iid] = name
                    entry.done()
            interned.done()
        track, event, snapshot, system = (p.message(name) for name in ('track_descriptor', 'track_event', 'clock_snapshot', 'system_info'))
        timestamp = p.get('timestamp')
        require(sum(x is not None for x in (track, event, snapshot, system)) == 1, 'what is in packet %d' % i)
        require((timestamp is not None) == (event is not None), 'timestamp of packet %d' % i)
        if track:
            self.track(track)
        if event:
            self.event(event, timestamp)
        if snapshot:
            self.snapshot(snapshot)
        if system:
            name = system.message('utsname')
            self.trace.machines.append({'kernel': name.get('release'), 'machine': name.get('machine')})
            require(name.get('sysname') == 'Linux', 'sysname')
            name.done()
            system.done()
        p.done()

    def track(self, t):
        uuid = t.get('uuid')
        kind, number = KINDS[uuid >> 56], uuid & 0xffffffff
        process, thread, name = t.message('process'), t.message('thread'), t.get('name')
        parent, counter = t.get('parent_uuid'), t.message('counter')
        require((process is not None) == (kind == 'process') and (thread is not None) == (kind == 'thread'), 'descriptor of %s' % kind)
        require((counter is not None) == (kind == 'counter'), 'counter of %s' % kind)
        require((parent is not None) == (kind in ('idle', 'cpu', 'lane', 'counter')), 'parent of %s' % kind)
        require(parent is None or parent == 1 << 56, 'parent_uuid')
        if process:
            require(process.get('pid') == number, 'pid')
            self.trace.processes[number] = process.get('process_name')
            process.done()
        elif thread:
            require(thread.get('tid') == number, 'tid')
            pid = thread.get('pid')
            self.trace.threads[pid, number] = thread.get('thread_name')
            self.tracks[uuid] = ('thread', pid, number)
            thread.done()
        else:
            self.tracks[uuid] = (kind, name if kind == 'counter' else number)
            if kind == 'idle':
                self.trace.processes[0] = 'swapper'
                self.trace.threads[0, FIRST_IDLE + number] = name
            elif kind in ('cpu', 'lane'):
                self.trace.threads[MACHINE_PID, number + (FIRST_LANE if kind == 'lane' else FIRST_CPU)] = name
            elif kind == 'machine':
                self.trace.processes[MACHINE_PID] = name
        t.done()

    def value(self, d):
        d = Fields(d, 'DebugAnnotation')
        iid = d.get('name_iid')
        name = None if iid is None else self.names['debug_annotation_names', iid]
        entries, elements = d.all('dict_entries'), d.all('array_values')
        value = [self.value(e)[1] for e in elements] if elements else once([self.value(e) for e in entries]) if entries else None
        for field in ('uint_value', 'int_value', 'string_value', 'pointer_value', 'bool_value'):
            got = d.get(field)
            if got is None:
                continue
            require(value is None, 'two values of %s' % name)
            value = '0x%x' % got if field == 'pointer_value' else got
            if field in ('uint_value', 'int_value') and abs(got) > 1 << 53:
                value = str(got)
            if value == '(fault)':
                value = None
        d.done()
        return name, value

    def event(self, e, timestamp):
        kind, track = TYPES[e.get('type')], self.tracks[e.get('track_uuid')]
        name, categories = e.get('name_iid'), e.all('category_iids')
        args = once([self.value(d) for d in e.all('debug_annotations')])
        count = e.get('counter_value')
        e.done()
        require((count is not None) == (kind == 4) and (name is not None) == (kind in (1, 3)) and len(categories) == (kind in (1, 3)), 'an event of type %d' % kind)
        text = self.names['event_names', name] if name else None
        category = self.names['event_categories', categories[0]] if categories else None
        if kind == 2:
            begun = self.events.pop() if self.events else None
            require(begun and begun.kind == 'open' and begun.track == track and begun.start <= timestamp, 'an end without its beginning')
            begun.kind, begun.end = 'slice', timestamp
            begun.args.update(args)
            self.events.append(begun)
        elif kind == 4:
            self.events.append(Event('counter', track, timestamp, None, track[1], None, as_double(count)))
        elif track[0] == 'machine':
            require(text == 'recording' and category == 'bprobe', 'an event of the machine')
            self.trace.machines[0].update({key: args[key] for key in ('host', 'boot_id', 'clock')})
            require(args['kernel'] == self.trace.machines[0]['kernel'], 'two kernels')
        else:
            self.events.append(Event('open' if kind == 1 else 'instant', track, timestamp, None, text, category, args))

    def snapshot(self, s):
        clocks = {}
        for clock in s.all('clocks'):
            clock = Fields(clock, 'Clock')
            clocks[CLOCKS[clock.get('clock_id')]] = clock.get('timestamp')
            clock.done()
        primary = s.get('primary_trace_clock')
        require((primary is None) == (len(clocks) == 4), 'primary_trace_clock')
        s.done()
        self.snapshots.append(clocks)


def decode(path, proto, message, include):
    with open(path, 'rb') as file:
        done = subprocess.run(['protoc', '--proto_path=' + include, '--decode=' + message, proto], stdin=file, capture_output=True)
    require(done.returncode == 0, done.stderr.decode())
    return done.stdout.decode()


# Our own pftrace.proto has enumerations as numbers, and other names for what has the same fields.
OWN = {'type: %d' % n: 'type: %s' % name for name, n in TYPES.items()}


def read_perfetto(text):
    root = parse_text(OWN.get(line.strip(), line) for line in text.splitlines())
    require(all(name == 'packet' for name, _ in root), 'Trace has other fields than packet')
    p = Perfetto([value for _, value in root])
    p.trace.events = p.events
    p.trace.snapshots = p.snapshots
    p.trace.clock = p.clock
    return p.trace


# ---- rules ----

def check_nesting(trace):
    """Slices of a track are one inside the other. Returns how many there are, and the parent of each."""
    parents = {}
    tracks = {}
    for e in trace.events:
        if e.kind == 'slice':
            require(e.end >= e.start, 'a slice ends before it begins: %s' % e.name)
            tracks.setdefault(e.track, []).append(e)
    for track, all_of in tracks.items():
        stack = []
        for e in sorted(all_of, key=lambda e: (e.start, -e.end)):
            while stack and stack[-1].end <= e.start:
                stack.pop()
            require(not stack or e.end <= stack[-1].end, 'slices cross on %s: %s at %d' % (track, e.name, e.start))
            parents[id(e)] = stack[-1] if stack else None
            stack.append(e)
    return parents
