# SPDX-License-Identifier: GPL-2.0-only
#
# perf.py - the places of source lines and functions, and where their variables are, compared with perf probe
#
#	perf.py PLACES SCOPES FILE NUMBER SEED [FUNCTIONS]
#
# PLACES is build/tests/places, SCOPES build/tests/scopes; FILE a vmlinux or a module with debug information. NUMBER functions of it are
# drawn, with a line of each, or none; two of five are functions that are inlined wherever they are called. With FUNCTIONS, a file of names,
# FILE is a program, and those are drawn. TAP on stdout.
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
#	crashed		perf has ended with a signal. What bprobe says is a line of each of its addresses.
#	init		perf leaves out what is not between _stext and _etext.
#	prologue	of a program that does not say how it was optimized, perf takes the function's second row, behind its first instructions.
#			bprobe has the entry.
#	macro		perf leaves out an inlined copy that is called in the line of its own declaration, for one of the parts into which the
#			compiler has divided a function. But a macro has declared both functions.
#
# and of variables:
#
#	alone		perf has crashed. bprobe has just what the debug information has.
#	called		the line calls an inlined function, and perf also takes variables of that one. The scopes of the line's function have
#			no such variable here, one that is inlined there has it, and bprobe says that no such variable is visible.
#	calculated	perf takes only the first step of a value, and memory for an address that is the value. bprobe has just the steps that
#			there are, or says that it cannot.
#	address		the value is a register plus an offset, or a symbol's address, which a probe cannot fetch; perf reads the memory at this
#			address instead.
#	pieces		perf takes the first piece of a value that is in several, or only in part.
#	symbol		perf reads a program's variable by its name, which the kernel refuses. bprobe has its address, relative to the code's.
#	entered		the line is one of an inlined copy that has no code there: perf takes variables of the function around it. The copy has no
#			such variable, or none there, the scopes around have it, and bprobe says so. The same just behind a copy, and in code that
#			was moved out of it ('moved').
#	divided		a part of the function is inlined into the function itself, and perf takes the variable of the outer one. bprobe has what
#			the inner scopes have. If these have nothing, it has nothing, too: the part may have changed its own variable.
#	unnamed		perf names a static variable by its own name, which no symbol has (__func__, what a section dropped). bprobe refuses.
#	ambiguous	perf names a static variable by a symbol that several have; bprobe by one that no other has, and the distance from it.
#	view		gcc has several views of the address, and the variable another place in each: perf takes the one that holds for the
#			instruction, bprobe that of the entry, before any change.
#	later		perf takes at the entry the first place behind it. gcc has made a copy of the function with parameters that are parts of
#			others, and bprobe says that they are not known; or the calling convention passes a structure in two registers, and
#			bprobe says that.
#	unready		at the entry, perf takes a place in the function's own frame, which the function has not made yet. bprobe says so.
#	unset		a local of a block inside a function, at the function's entry: it has no value before its statement.
import random
import re
import subprocess
import sys

REGISTERS = 'ax dx cx bx si di bp sp r8 r9 r10 r11 r12 r13 r14 r15'.split()


def run(words, text=''):
    done = subprocess.run(words, input=text, capture_output=True, text=True)
    return done.stdout + done.stderr + ('killed by a signal' if done.returncode < 0 else '')


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

    # Several symbols can have a name: then those are meant that are in the function, or have a copy of it.
    def all_at(self, place, function, nr):
        founds = [self.parse(self.lines_of('%s %d' % (place, n))) for n in range(nr)]
        return [f for f in founds if any(s['name'] == function for s in f['scopes'])] or [self.parse(self.lines_of(place))]

    def at(self, place, function, nr):
        return self.all_at(place, function, nr)[0]

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
            if words and words[0] == 'lines':
                return sorted({int(n) for n in words[1:]})
        return []

    def declared(self, function):
        for words in self.lines_of('= ' + function):
            if words and words[0] == 'declared':
                return words[1], int(words[2])
        return None, 0

    # Where statements of this line begin by the table: the addresses in the function's ranges ('in'), those outside of them ('moved'), and
    # those of a line that is none of the function ('beyond').
    def line(self, function, line):
        found = [words for words in self.lines_of('@ %s %d' % (function, line)) if words]
        return [{int(w[1], 16) for w in found if w[0] == where} for where in ('in', 'moved', 'beyond')]


# perf says a program's places as offsets in the file.
def read_segments(name):
    found = []
    for line in run(['readelf', '-lW', name]).splitlines():
        words = line.split()
        if words and words[0] == 'LOAD':
            found.append((int(words[1], 16), int(words[2], 16), int(words[4], 16)))
    return found


def address_of(off, segments):
    for start, addr, size in segments:
        if start <= off < start + size:
            return '0x%x' % (off - start + addr)
    return '0x%x' % off


# { 'SYMBOL+OFFSET': { VARIABLE: [FETCH, ...] } }, and what perf said if it refused. A name of several variables is there for each.
def ask_perf(name, place, segments):
    file = ['-x' if segments else '-m' if name.endswith('.ko') else '-k', name]
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
        values = found.setdefault(address_of(int(at, 16), segments) if segments else at if '+' in at else at + '+0', {})
        for word in words[2:]:
            if '=' in word:
                variable, fetch = word.split('=', 1)
                values.setdefault(variable, []).append(fetch)
    return found, said


def without_type(fetch):
    return re.sub(r':[a-z0-9@/]*$', '', fetch)


def ask_ours(places, name, place, variables, is_program):
    found = {}
    for line in run([places, *(['-x'] if is_program else []), name], ' '.join([place, *variables]) + '\n').splitlines():
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
    # A macro may have declared several functions in one line (SYSCALL_DEFINE, BPF_CALL): all of them have the line.
    declared = {(s['file'], s['line']) for s in scopes if s['name'] == function and s['tag'] != 'block' and s['around']}
    named = [i for i, s in enumerate(scopes) if (s['file'], s['line']) in declared and s['tag'] != 'block' and s['around']]
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
        # A constant is the copy's at any place. perf's is that of the function around it.
        if any(v == variable and fetch_of(o, found['frame']) in theirs for s in found['scopes'] for v, o in s['variables']):
            return 'entered'
        return 'entered' if ours.startswith(('-', '\\')) and any(v == variable for s in found['scopes'] for v, o in s['variables']) else None
    ops = [o for s in own for v, o in s['variables'] if v == variable]
    outer = [s for s in found['scopes'] if s['around'] and s not in own]
    said = '-no_variable' if not ops else '-it_is_optimized_out' if ops[0] == '-' else None
    if not any(s['around'] for s in own) and said and ours.startswith(said) and \
            any(v == variable for s in outer for v, o in s['variables']):
        return 'entered'
    inner = [o for s in own[:-1] for v, o in s['variables'] if v == variable and o != '-']
    if line is None and inner and ours.startswith('-no_variable') and own[-1]['begins']:
        return 'unset'
    there = [o for s in called for v, o in s['variables'] if v == variable and o != '-']
    wanted = fetch_of(ops[0], found['frame']) if ops else None
    if any(same_fetch(f, ours) for f in theirs):
        # A variable of the line's function hides one of the same name that is inlined. A part of the function may be inlined into the function
        # itself, without the variable.
        there = [o for s in found['scopes'] if s['name'] == function or s in own for v, o in s['variables'] if v == variable and o != '-']
        return '' if there and any(fetch_of(o, found['frame']) in (None, ours) for o in there) else None
    again = any(s['name'] == function and s['tag'] != 'block' for s in outer)
    if again and (wanted and ours == wanted or ops and ops[0] == '-' and ours.startswith('-it_is_optimized_out')):
        return 'divided'
    if any(v == variable and fetch_of(o, found['frame']) == ours for s in own for v, o in s['views']):
        return 'view'
    if not ops:
        return 'called' if there and ours.startswith('-no_variable') else None
    if ops[0].startswith('fbreg') and line is None and own[-1]['begins'] and ours.startswith('-the_function_has_not_put_it'):
        return 'unready'
    if ops[0] == '-' and line is None and own[-1]['begins'] and ours.startswith('-it_is_in_several_pieces'):
        return 'later'
    if ops[0] == '-':
        return 'called' if there and ours.startswith('-it_is_optimized_out') else None
    # Where the stack was aligned, the caller's frame is where a word of this one says.
    fbreg = re.match('fbreg:(-?[0-9]+)$', ops[0])
    if fbreg and not found['frame'] and any(ours == '%+d(%s)' % (int(fbreg[1]), f) for f in theirs):
        return 'calculated'
    if wanted == 'address':
        return 'address' if ours.startswith(('-its_value_is_an_address', '-it_is_an_address_that_is_a_constant')) else None
    if 'piece' in ops[0]:
        steps = ('stack_value' in ops[0] or 'op_' in ops[0]) and ours.startswith('-its_value_is_calculated')
        return 'pieces' if steps or ours.startswith('-it_is_in_several_pieces') else None
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
    def __init__(self, places, scopes, name, functions):
        self.places, self.name, self.scopes = places, name, Scopes(scopes, name)
        self.segments = read_segments(name) if functions else None
        self.none = self.failed = 0
        # Of places and of variables: equal, better, worse, different.
        self.verdicts = {of: dict.fromkeys(('equal', 'better', 'worse', 'different'), 0) for of in ('places', 'variables')}
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
        if functions:
            self.functions = functions
            return
        for line in run([scopes, name, 'inlined']).splitlines():
            function, copies = line.split()
            if int(copies) <= 40 and function not in known and not function.startswith('__'):
                self.inlined.append(function)

    def count(self, of, reason):
        self.reasons[reason] = self.reasons.get(reason, 0) + 1
        self.verdicts[of]['better'] += 1

    # worse: perf has what bprobe has not.
    def fail(self, place, what, of='places', worse=False):
        self.failed += 1
        self.verdicts[of]['worse' if worse else 'different'] += 1
        print('not ok - %s: %s' % (place, what), flush=True)

    def at(self, place, function):
        return self.scopes.at(place, function, self.nr_symbols.get(place.split('+')[0], 0))

    # The reason why a place is only perf's, or only bprobe's; None: it has none.
    def judge_place(self, place, function, line, found, is_ours, is_beyond, wanted, both):
        if is_ours and found['addr'] in wanted:
            return 'missed'
        # perf names a place in code that the kernel drops (__exit) by a symbol of data.
        base = self.symbols.get(place.split('+')[0])
        if not is_ours and base and not self.segments and all(kind not in 'tTwWi' for kind, addr in base):
            return 'unfounded'
        if self.segments and line is None and self.is_prologue(function, found, both):
            return 'prologue'
        if not is_ours:
            at = [(s['file'], s['line'] + (line or 0)) for s in found['scopes'] if s['name'] == function and s['tag'] != 'block'][-1:]
            if not at and line:		# another function alone is there
                file, base = self.scopes.declared(function)
                at = [(file, base + line)] if base else []
            return 'beyond' if is_beyond else 'unfounded' if line and at and at[0] not in lines_at(found) else None
        if len(self.text) == 2 and not self.text[0] <= found['addr'] < self.text[1]:
            return 'init'
        copies = [s for s in found['scopes'] if s['name'] == function and s['tag'] == 'inlined' and s['begins']]
        return 'macro' if line is None and any(s['call'] == (s['file'], s['line']) for s in copies) else None

    # Without perf: each variable that is around the place must be where the debug information has it.
    def judge_alone(self, function, line, place, ours):
        founds = {at: self.at(at, function) for at in ours}
        names = sorted({v for found in founds.values() for s in found['scopes'] for v, o in s['variables'] if re.match('[a-z]', v)})
        ours = ask_ours(self.places, self.name, place, names, self.segments)
        for at, found in founds.items():
            own = divide(found['scopes'], function)[0] or []
            first = {}
            for s in own:
                for v, o in s['variables']:
                    first.setdefault(v, o)
            for v, o in first.items():
                wanted, mine = fetch_of(o, found['frame']), ours.get(at, {}).get(v, '-')
                if o == '-' or wanted == 'address':
                    good = mine.startswith('-')
                elif line is None or not wanted:	# the entry has rules of its own
                    continue
                else:
                    good = same_fetch(wanted, mine)
                if not good:
                    return self.fail(place, '%s at %s: the debug information %s, ours %s' % (v, at, o, mine), 'variables')
                self.count('variables', 'alone')
        return None

    @staticmethod
    def has_line(found, function, line):
        return not found['scopes'] or any((s['file'], s['line'] + line) in lines_at(found) for s in found['scopes'] if s['name'] == function)

    # perf's place is a row of the function, the first one behind bprobe's, which is its entry.
    def is_prologue(self, function, found, both):
        theirs, ours = ([int(at, 16) for at in places] for places in both)
        pairs = [(t, o) for t in theirs for o in ours if o < t < o + 1024 and found['addr'] in (t, o)]
        for their_at, our_at in pairs:
            entry = self.at('0x%x' % our_at, function)['scopes']
            if entry and entry[0]['name'] == function and entry[0]['begins'] and self.at('0x%x' % their_at, function)['rows'] and \
                    not any(self.at('0x%x' % a, function)['rows'] for a in range(our_at + 1, their_at)):
                return True
        return False

    def compare(self, function, line):
        place = '%s:%d' % (function, line) if line is not None else function
        theirs, said = ask_perf(self.name, place, self.segments)
        wanted = sorted({v for values in theirs.values() for v in values})
        ours = ask_ours(self.places, self.name, place, wanted, self.segments)
        # An address may have several symbols (init_module is init_xfs_fs).
        only_ours = {self.at(at, function)['addr']: at for at in set(ours) - set(theirs)}
        theirs = {at if at in ours else only_ours.get(self.at(at, function)['addr'], at): values for at, values in theirs.items()}
        inside, moved, beyond = self.scopes.line(function, line) if line is not None else (set(), set(), set())
        wanted_at = inside | moved
        if wanted_at - {self.at(at, function)['addr'] for at in ours}:
            return self.fail(place, 'statements of the line begin at %s; perf %s, ours %s' % (
                ' '.join('0x%x' % a for a in sorted(wanted_at)), sorted(theirs) or said.split('\n', maxsplit=1)[0], sorted(ours)), worse=True)
        if 'killed' in said and ours:
            if line is not None and not all(self.has_line(self.at(at, function), function, line) for at in ours):
                return self.fail(place, 'perf has crashed, and the line is not one of all of %s' % sorted(ours))
            self.count('places', 'crashed')
            return self.judge_alone(function, line, place, ours)
        if 'sharing' in said and not theirs and ours:
            if not moved | beyond and not is_shared([self.at(at, function) for at in ours], function, line or 0):
                return self.fail(place, 'perf says that the line shares its address, ours %s' % sorted(ours))
            self.count('places', 'shared')
            return None
        # perf also takes where such a line calls what is inlined: the table has no row for that.
        is_beyond = bool(beyond) and not wanted_at
        reasons = {at: 'part' if at.startswith(function + '.part.') and at.endswith('+0') and line is None and at not in ours else
                   self.judge_place(at, function, line, self.at(at, function), at in ours, is_beyond, wanted_at, (theirs, ours)) for at in set(theirs) ^ set(ours)}
        if None in reasons.values():
            return self.fail(place, 'places: perf %s, ours %s' % (sorted(theirs), sorted(ours)),
                             worse=any(reasons[at] is None for at in set(theirs) - set(ours)))
        for reason in reasons.values():
            self.count('places', reason)
        same = sorted(set(theirs) & set(ours))
        bad, worse = [], False
        for at, variable, fetches in [(at, v, f) for at in same for v, f in theirs[at].items()]:
            mine = ours[at].get(variable, '-')
            reasons_of = [judge(found, function, line, variable, [without_type(f) for f in fetches], mine)
                          for found in self.scopes.all_at(at, function, self.nr_symbols.get(at.split('+')[0], 0))]
            reason = next((r for r in reasons_of if r is not None), None)
            if reason is None and self.is_ambiguous(fetches[0], mine):
                reason = 'ambiguous'
            if reason is None and self.is_unnamed(variable, fetches[0], mine):
                reason = 'unnamed'
            if reason is None and line is None and mine.startswith('-it_is_optimized_out') and self.is_copy(at):
                reason = 'later'
            if reason is None and self.segments and self.is_symbol(self.at(at, function), variable, fetches[0], mine):
                reason = 'symbol'
            if reason is None:
                worse |= mine.startswith('-')
                bad.append('%s at %s: perf %s, ours %s' % (variable, at, ' '.join(fetches), mine))
            elif reason:
                self.count('variables', reason)
            else:
                self.verdicts['variables']['equal'] += 1
        if bad:
            return self.fail(place, '; '.join(bad), 'variables', worse)
        self.verdicts['places']['equal'] += len(same)
        if not same and not reasons:
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

    def is_unnamed(self, variable, theirs, mine):
        return mine.startswith(('-no_symbol_near', '-each_CPU')) and theirs.startswith('@' + variable) and variable not in self.symbols

    def is_copy(self, at):
        addr = int(at, 16) if at.startswith('0x') else None
        names = [s for s, found in self.symbols.items() if (found[0][1] == addr if addr is not None else s + '+0' == at)]
        return any('.isra.' in s or '.constprop.' in s for s in names)

    # @+OFFSET is counted from where the probe's own offset would be 0 (6.12, kernel/trace/trace_uprobe.c, translate_user_vaddr()).
    def is_symbol(self, found, variable, theirs, mine):
        offset = re.match(r'@\+(0x[0-9a-f]+|[0-9]+)$', mine)
        if not theirs.startswith('@' + variable) or not offset:
            return False
        shift = [addr - start for start, addr, size in self.segments if addr <= found['addr'] < addr + size]
        return any(v == variable and re.match('addr:[0-9]+$', o) and int(o[5:]) - shift[0] == int(offset[1], 0)
                   for s in found['scopes'] for v, o in s['variables'])

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
    c = Comparison(places, scopes, name, open(sys.argv[6]).read().split() if len(sys.argv) > 6 else None)
    for n in range(number):
        c.compare(*c.draw(n))
    verdicts = '; '.join('%s: %s' % (of, ', '.join('%d %s' % (n, what) for what, n in c.verdicts[of].items())) for of in c.verdicts)
    print('%s - %s: %s; %d places are none to both; better by: %s' % (
        'not ok' if c.failed else 'ok', '/'.join(name.split('/')[-2:]), verdicts, c.none,
        ', '.join('%d %s' % (n, r) for r, n in sorted(c.reasons.items())) or 'nothing'))
    sys.exit(1 if c.failed else 0)


if __name__ == '__main__':
    main()
