# SPDX-License-Identifier: GPL-2.0-only
#
# perf.py - the places of source lines and functions, and where their variables are, compared with perf probe
#
#	perf.py PLACES SCOPES FILE NUMBER SEED
#
# PLACES is build/tests/places, SCOPES build/tests/scopes; FILE a vmlinux or a module with debug information. NUMBER functions of it are
# drawn, with a line of each, or none; two of five are functions that are inlined wherever they are called. TAP on stdout.
#
# A difference fails, unless the debug information itself says that bprobe is right. scopes.c reads it for that, and has none of bprobe's
# code. Where the line table begins a statement of the line in the function, bprobe must have a place in any case. These are the reasons,
# each with what must hold. Of places:
#
#	shared		perf refuses a line if the first line of an address of it is another. It is a line of each of bprobe's addresses, and one
#			of these has another line, too, or it is also a line outside of the function.
#	beyond		the line is one of another function, which is declared between, and perf takes what is there: C has no function inside
#			another.
#	unfounded	perf takes an address of the function that has other lines, but not this one: by the table, by what is called there and by
#			what is declared there.
#	part		the compiler has divided the function: perf also takes FUNCTION.part.N, which the rest of the same call enters.
#	missed		perf leaves out a place where the table begins a statement of the line.
#	init		perf leaves out what is not between _stext and _etext.
#	macro		perf leaves out an inlined copy that is called in the line of its own declaration, for one of the parts into which the
#			compiler has divided a function. But a macro has declared both functions.
#
# and of variables:
#
#	called		the line calls an inlined function, and perf also takes variables of that one. The scopes of the line's function have
#			no such variable here, one that is inlined there has it, and bprobe says that no such variable is visible.
#	calculated	perf takes only the first step of a value, and memory for an address that is the value. bprobe has just the steps that
#			there are, or says that it cannot.
#	address		the value is a register plus an offset, or a symbol's address, which a probe cannot fetch; perf reads the memory at this
#			address instead.
#	pieces		perf takes the first of several pieces.
#	entered		the line is one of an inlined copy that has no code there: perf takes variables of the function around it. The copy has no
#			such variable, or none there, the scopes around have it, and bprobe says so. The same just behind a copy, and in code that
#			was moved out of it ('moved').
#	divided		a part of the function is inlined into the function itself, and perf takes the variable of the outer one. bprobe has what
#			the inner scopes have.
#	ambiguous	perf names a static variable by a symbol that several have; bprobe by one that no other has, and the distance from it.
#	view		gcc has several views of the address, and the variable another place in each: perf takes the one that holds for the
#			instruction, bprobe that of the entry, before any change.
#	unset		a local of a block inside an inlined function, at the function's entry: it has no value before its statement.
import random
import re
import subprocess
import sys

REGISTERS = 'ax dx cx bx si di bp sp r8 r9 r10 r11 r12 r13 r14 r15'.split()


def run(words, text=''):
    done = subprocess.run(words, input=text, capture_output=True, text=True)
    return done.stdout + done.stderr


class Scopes:
    """What the debug information has at an address."""

    def __init__(self, program, name):
        self.said = {}
        self.process = subprocess.Popen([program, name], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def lines_of(self, question):
        if question not in self.said:
            self.process.stdin.write(question + '\n')
            self.process.stdin.flush()
            self.said[question] = []
            for line in iter(self.process.stdout.readline, '\n'):
                if not line:
                    sys.exit('scopes has ended')
                self.said[question].append(line.split())
        return self.said[question]

    # Several symbols can have a name: then the one is meant that is in the function, or has a copy of it.
    def at(self, place, function, nr):
        for n in range(nr):
            found = self.parse(self.lines_of('%s %d' % (place, n)))
            if any(s['name'] == function for s in found['scopes']):
                return found
        return self.parse(self.lines_of(place))

    @staticmethod
    def parse(lines):
        found = {'addr': None, 'rows': [], 'scopes': [], 'frame': None}
        for words in lines:
            if words[0] == 'addr':
                found['addr'] = int(words[1], 16)
            elif words[0] == 'row':
                found['rows'].append((words[1], int(words[2])))
            elif words[0] == 'frame':
                found['frame'] = int(words[1]), int(words[2])
            elif words[0] == 'scope':
                file, line = words[6].rsplit(':', 1)
                found['scopes'].append({'tag': words[1], 'name': words[2], 'file': words[3], 'line': int(words[4]),
                                        'begins': words[5] != 'inside', 'around': words[5] != 'enters',
                                        'call': (file, int(line)), 'variables': [], 'views': []})
            elif words[0] == 'view':
                found['scopes'][-1]['views'].append((words[1], words[2]))
            elif words[0] == 'var':
                found['scopes'][-1]['variables'].append((words[1], words[3]))
        return found

    def lines(self, function):
        for words in self.lines_of('= ' + function):
            return sorted({int(n) for n in words[1:]})
        return []

    # Where statements of this line begin by the table: the addresses in the function's ranges ('in'), those outside of them ('moved'), and
    # those of a line that is none of the function ('beyond').
    def line(self, function, line):
        found = [words for words in self.lines_of('@ %s %d' % (function, line)) if words]
        return [{int(w[1], 16) for w in found if w[0] == where} for where in ('in', 'moved', 'beyond')]


# { 'SYMBOL+OFFSET': { VARIABLE: [FETCH, ...] } }, and what perf said if it refused. A name of several variables is there for each.
def ask_perf(name, place):
    file = ['-m' if name.endswith('.ko') else '-k', name]
    said = run(['perf', 'probe', *file, '--max-probes', '1024', '-D', place + ' $vars'])
    # It refuses all if one of the variables is in pieces, or if there is none. Then only the places are asked for.
    if 'p:' not in said and 'sharing' not in said and 'not found' not in said:
        said = run(['perf', 'probe', *file, '--max-probes', '1024', '-D', place])
    found = {}
    for line in said.splitlines():
        words = line.split()
        if not words or not words[0].startswith('p:'):
            continue
        at = words[1].split(':')[-1]
        values = found.setdefault(at if '+' in at else at + '+0', {})
        for word in words[2:]:
            if '=' in word:
                variable, fetch = word.split('=', 1)
                values.setdefault(variable, []).append(fetch)
    return found, said


def without_type(fetch):
    return re.sub(r':[a-z0-9@/]*$', '', fetch)


def ask_ours(places, name, place, variables):
    found = {}
    for line in run([places, name], ' '.join([place, *variables]) + '\n').splitlines():
        words = line.split()
        if words and words[0] != '#':
            found[words[0]] = dict(w.split('=', 1) for w in words[1:])
    return found


# Of symbols with one name, as __func__.6, perf says the name.
def same_fetch(theirs, ours):
    return theirs == ours or re.sub(r'\+0$', '', theirs) == re.sub(r'\.[0-9]+$', '', ours)


# What a place of DWARF is in the language of probes, derived here for all that begins with a register: the text; 'address' if it is
# an address that is the value; None: none of these.
def fetch_of(ops, frame):
    base, off, memory = None, 0, False
    for op in ops.split(','):
        kind, number = (op + ':0').split(':')[:2]
        if kind.startswith('reg') and base is None:
            base = '%' + REGISTERS[int(kind[3:])] if int(kind[3:]) < 16 else None
        elif kind.startswith('breg') and base is None and int(kind[4:]) < 16:
            base, off, memory = '%' + REGISTERS[int(kind[4:])], int(number), True
        elif kind == 'fbreg' and base is None and frame and frame[0] < 16:
            base, off, memory = '%' + REGISTERS[frame[0]], frame[1] + int(number), True
        elif kind == 'plus_uconst' and memory:
            off += int(number)
        elif kind == 'deref' and memory and base != '@':
            base, off = '%+d(%s)' % (off, base), 0
        elif kind == 'addr' and base is None:
            base, off, memory = '@', 0, True
        elif kind == 'stack_value' and memory:
            return 'address' if off or base == '@' else base
        else:
            return None
        if base is None:
            return None
    if base == '@':		# the symbol is not known here
        return None
    return '%+d(%s)' % (off, base) if memory else base


# The scopes around an address, divided: those of the function, from the inside out, and those of what is inlined into these.
def divide(scopes, function):
    named = [i for i, s in enumerate(scopes) if s['name'] == function and s['tag'] != 'block' and s['around']]
    if not named:
        entered = [s for s in scopes if s['name'] == function and s['tag'] != 'block']
        return (entered, []) if entered else (None, [])		# entered where it has no code: 'around' is false for all of them
    end = named[-1] + 1
    while end < len(scopes) and scopes[end]['tag'] == 'block':
        end += 1
    return scopes[named[-1]:end][::-1], scopes[end:]


# The reason why the values of a variable are different, '' if they are not, None if it has none.
def judge(found, function, line, variable, theirs, ours):
    own, called = divide(found['scopes'], function)
    if own is None:
        return 'entered' if ours.startswith('-') and any(v == variable for s in found['scopes'] for v, o in s['variables']) else None
    ops = [o for s in own for v, o in s['variables'] if v == variable]
    outer = [s for s in found['scopes'] if s['around'] and s not in own]
    said = '-no_variable' if not ops else '-it_is_optimized_out' if ops[0] == '-' else None
    if not any(s['around'] for s in own) and said and ours.startswith(said) and \
            any(v == variable for s in outer for v, o in s['variables']):
        return 'entered'
    inner = [o for s in own[:-1] for v, o in s['variables'] if v == variable and o != '-']
    if line is None and inner and ours.startswith('-no_variable') and own[-1]['tag'] == 'inlined' and own[-1]['begins']:
        return 'unset'
    there = [o for s in called for v, o in s['variables'] if v == variable and o != '-']
    wanted = fetch_of(ops[0], found['frame']) if ops else None
    if any(same_fetch(f, ours) for f in theirs):
        # A variable of the line's function hides one of the same name that is inlined. A part of the function may be inlined into the function
        # itself, without the variable.
        there = [o for s in found['scopes'] if s['name'] == function or s in own for v, o in s['variables'] if v == variable and o != '-']
        return '' if there and any(fetch_of(o, found['frame']) in (None, ours) for o in there) else None
    if wanted and ours == wanted and any(s['name'] == function and s['tag'] != 'block' for s in outer):
        return 'divided'
    if any(v == variable and fetch_of(o, found['frame']) == ours for s in own for v, o in s['views']):
        return 'view'
    if not ops:
        return 'called' if there and ours.startswith('-no_variable') else None
    if ops[0] == '-':
        return 'called' if there and ours.startswith('-it_is_optimized_out') else None
    if wanted == 'address':
        return 'address' if ours.startswith(('-its_value_is_an_address', '-it_is_an_address_that_is_a_constant')) else None
    if ops[0].count('piece') > 1:
        return 'pieces' if ours.startswith('-it_is_in_several_pieces') else None
    if wanted and ',' in ops[0]:
        return 'calculated' if ours == wanted else None
    if not wanted and ',' in ops[0] and ours.startswith('-its_value_is_calculated'):
        return 'calculated'
    return None


# The lines that an address has: by the table, by what is called there, and by the declaration of what begins there.
def lines_at(found):
    begun = [s for s in found['scopes'] if s['begins'] and s['tag'] != 'block']
    return {*found['rows'], *((s['file'], s['line']) for s in begun), *(s['call'] for s in begun if s['call'][1])}


def is_shared(founds, function, line):
    shared = False
    declared = [(s['file'], s['line']) for found in founds for s in found['scopes'] if s['name'] == function and s['tag'] != 'block']
    for found in founds:
        at = [(s['file'], s['line'] + line) for s in found['scopes'] if s['name'] == function and s['tag'] != 'block'][-1:]
        lines = lines_at(found)
        # Where the function has no code, its line may be that of a call there.
        at = at or [(file, base + line) for file, base in declared[:1]]
        if not at or at[0] not in lines:
            return False
        shared |= len(lines) > 1
    return shared


class Comparison:
    def __init__(self, places, scopes, name):
        self.places, self.name, self.scopes = places, name, Scopes(scopes, name)
        self.passed = self.none = self.failed = self.addresses = self.variables = 0
        self.reasons = {}
        symbols = {}
        for line in run(['nm', name]).splitlines():
            words = line.split()
            if len(words) == 3:
                symbols.setdefault(words[2], []).append((words[1], int(words[0], 16)))
        self.functions = sorted(s for s, found in symbols.items()
                                if len(found) == 1 and found[0][0] in 'tT' and re.match('^[a-z][a-z0-9_]*$', s))
        self.text = [symbols[s][0][1] for s in ('_stext', '_etext') if s in symbols]
        self.symbols = symbols
        self.nr_symbols = {s: len(values) for s, values in symbols.items()}
        known = {s.split('.')[0] for s in symbols}
        self.inlined = []
        for line in run([scopes, name, 'inlined']).splitlines():
            function, copies = line.split()
            if int(copies) <= 40 and function not in known and not function.startswith('__'):
                self.inlined.append(function)

    def count(self, reason, more=1):
        self.reasons[reason] = self.reasons.get(reason, 0) + more

    def fail(self, place, what):
        self.failed += 1
        print('not ok - %s: %s' % (place, what), flush=True)

    def at(self, place, function):
        return self.scopes.at(place, function, self.nr_symbols.get(place.split('+')[0], 0))

    # The reason why a place is only perf's, or only bprobe's; None: it has none.
    def judge_place(self, function, line, found, is_ours, is_beyond, wanted):
        if is_ours and found['addr'] in wanted:
            return 'missed'
        if not is_ours:
            at = [(s['file'], s['line'] + (line or 0)) for s in found['scopes'] if s['name'] == function and s['tag'] != 'block'][-1:]
            return 'beyond' if is_beyond else 'unfounded' if line and at and at[0] not in lines_at(found) else None
        if len(self.text) == 2 and not self.text[0] <= found['addr'] < self.text[1]:
            return 'init'
        copies = [s for s in found['scopes'] if s['name'] == function and s['tag'] == 'inlined' and s['begins']]
        return 'macro' if line is None and any(s['call'] == (s['file'], s['line']) for s in copies) else None

    def compare(self, function, line):
        place = '%s:%d' % (function, line) if line is not None else function
        theirs, said = ask_perf(self.name, place)
        wanted = sorted({v for values in theirs.values() for v in values})
        ours = ask_ours(self.places, self.name, place, wanted)
        # An address may have several symbols (init_module is init_xfs_fs).
        only_ours = {self.at(at, function)['addr']: at for at in set(ours) - set(theirs)}
        theirs = {at if at in ours else only_ours.get(self.at(at, function)['addr'], at): values for at, values in theirs.items()}
        inside, moved, beyond = self.scopes.line(function, line) if line is not None else (set(), set(), set())
        wanted_at = inside | moved
        if wanted_at - {self.at(at, function)['addr'] for at in ours}:
            return self.fail(place, 'statements of the line begin at %s; perf %s, ours %s' % (
                ' '.join('0x%x' % a for a in sorted(wanted_at)), sorted(theirs) or said.split('\n', maxsplit=1)[0], sorted(ours)))
        if 'sharing' in said and not theirs and ours:
            if not moved | beyond and not is_shared([self.at(at, function) for at in ours], function, line or 0):
                return self.fail(place, 'perf says that the line shares its address, ours %s' % sorted(ours))
            self.count('shared')
            return None
        # perf also takes where such a line calls what is inlined: the table has no row for that.
        is_beyond = bool(beyond) and not wanted_at
        reasons = {at: 'part' if at.startswith(function + '.part.') and at.endswith('+0') and line is None and at not in ours else
                   self.judge_place(function, line, self.at(at, function), at in ours, is_beyond, wanted_at) for at in set(theirs) ^ set(ours)}
        if None in reasons.values():
            return self.fail(place, 'places: perf %s, ours %s' % (sorted(theirs), sorted(ours)))
        for reason in set(reasons.values()):
            self.count(reason)
        same = sorted(set(theirs) & set(ours))
        bad = []
        for at, variable, fetches in [(at, v, f) for at in same for v, f in theirs[at].items()]:
            mine = ours[at].get(variable, '-')
            reason = judge(self.at(at, function), function, line, variable, [without_type(f) for f in fetches], mine)
            if reason is None and self.is_ambiguous(fetches[0], mine):
                reason = 'ambiguous'
            if reason is None:
                bad.append('%s at %s: perf %s, ours %s' % (variable, at, ' '.join(fetches), mine))
            elif reason:
                self.count(reason)
            else:
                self.variables += 1
        if bad:
            return self.fail(place, '; '.join(bad))
        self.addresses += len(same)
        if same:
            self.passed += 1
        elif not reasons:
            self.none += 1
        return None

    # A static variable, such as __key of many functions, by the name of all of them; bprobe has the name of another symbol at its address.
    def is_ambiguous(self, theirs, mine):
        names = [re.match(r'@([A-Za-z_0-9.]+)([+-][0-9]+)?', fetch) for fetch in (theirs, mine)]
        if not all(names):
            return False
        off = int(names[1][2] or 0)
        all_of = {addr for s, found in self.symbols.items() if re.sub(r'\.[0-9]+$', '', s) == names[0][1] for kind, addr in found}
        return len(all_of) > 1 and all_of & {addr + off for kind, addr in self.symbols.get(names[1][1], [])}

    def draw(self, n):
        if n % 5 < 2 and self.inlined:
            return random.choice(self.inlined), random.choice([None, None, 2, 2, 3, 4])
        # A module's init_module is another name of its function.
        function = random.choice([f for f in self.functions if f not in ('init_module', 'cleanup_module')])
        lines = self.scopes.lines(function)
        # One line in eight need not have code, or be one of the function.
        line = random.randrange(0, 16) if not lines or n % 8 == 7 else random.choice([0, *lines])
        return function, line if line else None


def main():
    places, scopes, name, number, seed = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5])
    random.seed(seed)
    c = Comparison(places, scopes, name)
    for n in range(number):
        c.compare(*c.draw(n))
    print('%s - %s: %d places have the %d addresses that perf probe has, and %d variables; %d places are none to both; %s' % (
        'not ok' if c.failed else 'ok', '/'.join(name.split('/')[-2:]), c.passed, c.addresses, c.variables, c.none,
        ', '.join('%d %s' % (n, r) for r, n in sorted(c.reasons.items())) or 'no other'))
    sys.exit(1 if c.failed else 0)


if __name__ == '__main__':
    main()
