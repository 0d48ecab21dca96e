# SPDX-License-Identifier: GPL-2.0-only
#
# perf.py - the places of source lines and functions, and where their variables are, compared with perf probe
#
#	perf.py PLACES FILE NUMBER SEED
#
# PLACES is build/tests/places; FILE a vmlinux or a module with debug information. NUMBER functions of it are drawn, with a line of each, or
# none. TAP on stdout. What is different is counted under a reason, and a difference without one fails:
#
#	shared		perf refuses a line whose first address another line has, too, and names that line
#	beyond		the line is behind the function's end: perf takes what is there, bprobe says that the function has no such line
#
# and of variables:
#
#	called		the line calls an inlined function: perf also takes variables of that one
#	calculated	the value is calculated from memory: perf takes only the first step
#	address		the value is a register plus an offset, which a probe cannot fetch: perf reads the memory at this address instead
import random
import re
import subprocess
import sys

places, name, number, seed = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
is_module = name.endswith('.ko')
random.seed(seed)


def run(words, text=''):
    done = subprocess.run(words, input=text, capture_output=True, text=True)
    return done.stdout + done.stderr


def functions():
    count = {}
    for line in run(['nm', name]).splitlines():
        words = line.split()
        if len(words) == 3 and words[1] in 'tT' and re.match(r'^[a-z][a-z0-9_]*$', words[2]):
            count[words[2]] = count.get(words[2], 0) + 1
    return sorted(f for f in count if count[f] == 1)


# { 'SYMBOL+OFFSET': { VARIABLE: FETCH } }, and what perf said if it refused
def ask_perf(place):
    said = run(['perf', 'probe', *(['-m', name] if is_module else ['-k', name]), '-D', place + ' $vars'])
    if 'Failed to find' in said or 'no matching' in said:
        said = run(['perf', 'probe', *(['-m', name] if is_module else ['-k', name]), '-D', place])
    found = {}
    for line in said.splitlines():
        words = line.split()
        if not words or not words[0].startswith('p:'):
            continue
        at = words[1].split(':')[-1]
        fetches = dict(w.split('=', 1) for w in words[2:] if '=' in w)
        found[at if '+' in at else at + '+0'] = {n: re.sub(r':[a-z0-9@/]*$', '', f) for n, f in fetches.items()}
    return found, said


def ask_ours(place, variables):
    found = {}
    for line in run([places, name], ' '.join([place, *variables]) + '\n').splitlines():
        words = line.split()
        if words and words[0] != '#':
            found[words[0]] = dict(w.split('=', 1) for w in words[1:])
    return found


# Of symbols with one name, as __func__.6, perf says the name.
def same_fetch(a, b):
    return a == b or re.sub(r'\+0$', '', a) == re.sub(r'\.[0-9]+$', '', b)


def reason_of(ours):
    return 'called' if ours.startswith('-no_variable') else 'address' if ours.startswith('-its_value_is_an_address') else \
        'calculated' if ours.startswith('-its_value_is_calculated') else None


passed = failed = variables = 0
reasons = {}
names = functions()
for n in range(number):
    function, line = random.choice(names), random.randrange(0, 16)
    place = function if not line else '%s:%d' % (function, line)
    theirs, said = ask_perf(place)
    wanted = sorted({v for values in theirs.values() for v in values})
    ours = ask_ours(place, wanted)
    reason = None
    if 'sharing' in said:
        reason = 'shared'
    elif set(theirs) != set(ours) and not ours and not any(at.split('+')[0] == function for at in theirs):
        reason = 'beyond'
    elif set(theirs) != set(ours):
        failed += 1
        print('not ok - %s: places: perf %s, ours %s' % (place, sorted(theirs), sorted(ours)))
        continue
    if reason:
        reasons[reason] = reasons.get(reason, 0) + 1
        continue
    bad = []
    for at, v, theirs_is in [(at, v, f) for at, values in theirs.items() for v, f in values.items()]:
        ours_is = ours[at].get(v, '-')
        if same_fetch(theirs_is, ours_is):
            variables += 1
        elif reason_of(ours_is):
            reasons[reason_of(ours_is)] = reasons.get(reason_of(ours_is), 0) + 1
        else:
            bad.append('%s at %s: perf %s, ours %s' % (v, at, theirs_is, ours_is))
    if bad:
        failed += 1
        print('not ok - %s: %s' % (place, '; '.join(bad)))
    else:
        passed += 1
print('ok - %s: %d places as perf probe has them, %d variables; %s' % (name.split('/')[-1], passed, variables,
      ', '.join('%d %s' % (c, r) for r, c in sorted(reasons.items())) or 'no other'))
sys.exit(1 if failed else 0)
