# SPDX-License-Identifier: GPL-2.0-only
#
# values.py - the values that perf's and bprobe's definitions of the same places fetch
#
#	values.py draw PLACES SCOPES BPROBE VMLINUX DIR NUMBER SEED
#	values.py compare DIR			TAP
#
# DIR/hits is what the first guest has said. `draw` draws functions from it, with a line of each or their entry, until NUMBER places have
# variables for both, and writes DIR/theirs and DIR/ours: "NAME DEFINITION", and DIR/places: "NAME PLACE ADDRESS VARIABLE...", with the
# variables that are compared. A variable of which perf.py knows that perf is wrong is not. `compare` reads the second guest's DIR/out.
#
# Each value is compared, for each task of the workload, in the order of its hits; so their number is, too. Of the workload's first task
# nothing is compared, since bprobe traces it before the kernel does.
import random
import re
import sys

sys.dont_write_bytecode = True
import perf  # noqa: E402


def definitions_of(bprobe, vmlinux, kallsyms, place):
    said = perf.run([bprobe, '--explain', '--kallsyms', kallsyms, '--vmlinux', vmlinux, 'p:e %s $vars' % place])
    found = {}
    for line in said.splitlines():
        words = line.split()
        if words and words[0] == 'p:kprobes/e':
            at = words[1] if '+' in words[1] else words[1] + '+0'
            found[at] = dict(w.split('=', 1) for w in words[2:])
    return found


# Without one the kernel takes 64 bits.
def type_of(fetch):
    return fetch.rsplit(':', 1)[1] if ':' in fetch else 'x64'


def draw(places, scopes, bprobe, vmlinux, directory, number, seed):
    random.seed(seed)
    c = perf.Comparison(places, scopes, vmlinux, None)
    with open(directory + '/kallsyms', 'w', encoding='utf-8') as file:
        file.write(''.join(sorted(perf.run(['nm', vmlinux]).splitlines(True))))
    hits = []
    with open(directory + '/hits', encoding='utf-8') as file:
        for line in file:
            words = line.split()
            if len(words) == 3 and words[0] == '=hit' and 1 <= int(words[1]) <= 400:
                hits.append(words[2])
    pool = sorted(set(hits) & set(c.functions))
    random.shuffle(pool)
    print('# %d functions are hit, %d of them are drawn from' % (len(hits), len(pool)))
    theirs_file, ours_file, places_file = (open(directory + '/' + n, 'w', encoding='utf-8') for n in ('theirs', 'ours', 'places'))
    nr = 0
    for function in pool:
        if nr >= number:
            break
        entry = c.at(function + '+0', function)
        lines = c.scopes.lines(function)
        if not entry['scopes']:
            continue
        line = random.choice(lines) if lines and random.randrange(4) else None
        place = '%s:%d' % (function, line) if line is not None else '%s@%s' % (function, entry['scopes'][0]['file'])
        theirs, _ = perf.ask_perf(vmlinux, place, None)
        if not 1 <= len(theirs) <= 4:
            continue
        ours = definitions_of(bprobe, vmlinux, directory + '/kallsyms', place)
        wanted = sorted({v for values in theirs.values() for v in values})
        said = perf.ask_ours(places, vmlinux, function if line is None else place, wanted, None)
        for at in sorted(set(theirs) & set(ours)):
            same = []
            for variable, fetches in theirs[at].items():
                mine = said.get(at, {}).get(variable, '-')
                reason = perf.judge(c.at(at, function), function, line, variable, [perf.without_type(f) for f in fetches], mine)
                if reason == '' and len(fetches) == 1 and variable in ours[at] and bits_of(type_of(ours[at][variable])):
                    same.append(variable)
            if not same:
                continue
            nr += 1
            theirs_file.write('v%d p:theirs/v%d %s %s\n' % (nr, nr, at, ' '.join('%s=%s' % (v, theirs[at][v][0]) for v in same)))
            ours_file.write('v%d p:ours/v%d %s %s\n' % (nr, nr, at, ' '.join('%s=%s' % (v, f) for v, f in ours[at].items())))
            places_file.write('v%d %s %s %s\n' % (nr, place, at, ' '.join(
                '%s:%s:%s' % (v, type_of(theirs[at][v][0]), type_of(ours[at][v])) for v in same)))
    for file in theirs_file, ours_file, places_file:
        file.close()


# How many bits a type of the language has: u64[5] has 320.
def bits_of(kind):
    m = re.match(r'^[usx]([0-9]+)(?:\[([0-9]+)\])?$', kind)
    return int(m.group(1)) * int(m.group(2) or 1) if m else None


# What a value is in memory, of that the first BITS: the two write the same one in another way, 0xffffffff and -1.
def number(text, kind, bits):
    one = bits_of(kind.split('[', maxsplit=1)[0])
    try:
        numbers = [int(word, 0) & ((1 << one) - 1) for word in text.strip('{}').split(',')]
    except ValueError:		# (fault)
        return text
    return sum(n << (i * one) for i, n in enumerate(numbers)) & ((1 << bits) - 1)


# { EVENT: { TASK: [ { NAME: TEXT } ] } }, and who is whose child
def hits_of(lines):
    found, child_of = {}, {}
    for line in lines:
        m = re.match(r'^ *.+-([0-9]+) +\[[0-9]+\] +\S+ +[0-9.]+: (\S+): (.*)$', line)
        if not m:
            continue
        task, event, rest = int(m.group(1)), m.group(2), m.group(3)
        if event == 'sched_process_fork':
            child_of[int(re.search('child_pid=([0-9]+)', rest).group(1))] = int(re.search(r'[ ]?\bpid=([0-9]+)', rest).group(1))
        else:
            found.setdefault(event, {}).setdefault(task, []).append(dict(re.findall(r'(\w+)=(\S+)', rest)))
    return found, child_of


def compare(directory):
    sides = {'=theirs': [], '=ours': []}
    root = 0
    with open(directory + '/out', encoding='utf-8', errors='replace') as file:
        for line in file:
            kind, _, rest = line.rstrip('\n').partition(' ')
            if kind in sides:
                sides[kind].append(rest)
            elif kind == '=root':
                root = int(rest)
            elif kind == '=refused':
                print('# the kernel refuses %s' % rest)
            else:
                print(line, end='')
    theirs, child_of = hits_of(sides['=theirs'])
    ours, _ = hits_of(sides['=ours'])

    def is_workload(task):
        for _ in range(100):
            task = child_of.get(task)
            if task == root or not task:
                return task == root
        return False

    equal = hit = count = 0
    with open(directory + '/places', encoding='utf-8') as file:
        lines = file.read().splitlines()
    for line in lines:
        event, place, at, *variables = line.split()
        a = {t: h for t, h in theirs.get(event, {}).items() if is_workload(t)}
        b = {t: h for t, h in ours.get(event, {}).items() if is_workload(t)}
        wrong = ['task %d: %d hits, and %d of bprobe' % (t, len(a.get(t, [])), len(b.get(t, [])))
                 for t in sorted({*a, *b}) if len(a.get(t, [])) != len(b.get(t, []))]
        for variable in variables:
            name, kind, own_kind = variable.split(':')
            bits, own_bits = bits_of(kind), bits_of(own_kind)
            # Of an array perf takes the first 64 bits.
            bits = min(bits, own_bits) if '[' in own_kind else bits
            if bits != own_bits and '[' not in own_kind:
                wrong.append('%s: the type is %s, and %s of bprobe' % (name, kind, own_kind))
                continue
            pairs = [(t, x.get(name), y.get(name)) for t in a for x, y in zip(a[t], b.get(t, []))]
            bad = [p for p in pairs if p[1] is None or p[2] is None or number(p[1], kind, bits) != number(p[2], own_kind, bits)]
            if bad:
                wrong.append('%s: task %d has %s, and %s of bprobe' % (name, *bad[0]))
            equal += bool(pairs) and not bad
        count += sum(len(h) for h in a.values())
        if wrong:
            print('not ok - %s %s: %s' % (place, at, '; '.join(wrong[:4])))
        else:
            hit += bool(a)
    print('# %d of %d places are hit, %d times' % (hit, len(lines), count))
    print('ok - %d variables at %d places have the values that the kernel\'s own tracer has for perf\'s definition' % (equal, hit))


if __name__ == '__main__':
    if sys.argv[1] == 'draw':
        draw(*sys.argv[2:7], int(sys.argv[7]), int(sys.argv[8]))
    else:
        compare(sys.argv[2])
