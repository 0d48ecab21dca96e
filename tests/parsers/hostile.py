#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""hostile.py JSON WANTED - Python's json and jq read what hostile.c made, and lose nothing. TAP on standard output."""
import base64
import json
import shutil
import subprocess
import sys

count = failed = 0


def result(good, name, why=''):
    global count, failed
    count += 1
    failed += not good
    print('%s %d - %s' % ('ok' if good else 'not ok', count, name))
    if why and not good:
        print('# ' + why)


def is_utf8(data):
    try:
        data.decode('utf-8')
    except UnicodeDecodeError:
        return False
    return True


def once(pairs):
    """An object that has no name twice."""
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError('a name stands there twice: %r' % pairs)
    return members


def text_is(value, data):
    """A string if it can be one, else an object of its bytes."""
    if is_utf8(data):
        return isinstance(value, str) and value.encode('utf-8') == data
    return value == {'bytes': data.hex()}


def number_is(value, number):
    """A number up to 2^53, which every reader has room for; else text."""
    if abs(number) <= 1 << 53:
        return type(value) is int and value == number
    return isinstance(value, str) and int(value, 0) == number


def check_python(lines, wanted):
    wrong = []
    for line, want in zip(lines, wanted):
        args = json.loads(line, object_pairs_hook=once)['args']
        string, char, unsigned, number, signed = want
        if not (text_is(args['s'], string) and text_is(args['c'], char) and number_is(args['n'], unsigned) and
                number_is(args['x'], number) and number_is(args['i'], signed)):
            wrong.append(line)
    result(not wrong, "Python's json: %d lines" % len(lines), '%d wrong: %r' % (len(wrong), wrong[:1]))


def check_jq(path, wanted):
    program = r'''[.args.s, .args.c | if type == "object" then "bytes " + .bytes else "text " + @base64 end] +
        [.args.n, .args.x, .args.i | (type + " " + tostring)] | join(",")'''
    out = subprocess.run(['jq', '-r', program, path], capture_output=True, text=True, check=False)
    got = out.stdout.splitlines()

    def text(data):
        return 'text ' + base64.b64encode(data).decode() if is_utf8(data) else 'bytes ' + data.hex()

    def number(value, form='%d'):
        return ('number %d' if abs(value) <= 1 << 53 else 'string ' + form) % value

    want = [','.join((text(s), text(c), number(n), number(x, '%#x'), number(i))) for s, c, n, x, i in wanted]
    first = [(g, w) for g, w in zip(got, want) if g != w][:1]
    result(out.returncode == 0 and got == want, 'jq: %d lines' % len(got), '%s %r' % (out.stderr.strip(), first))


def main():
    with open(sys.argv[1], 'rb') as file:
        lines = file.read().split(b'\n')[:-1]
    wanted = []
    with open(sys.argv[2], encoding='ascii') as file:
        for line in file:
            string, char, *numbers = line.rstrip('\n').split(' ')
            wanted.append((bytes.fromhex(string), bytes.fromhex(char), *map(int, numbers)))
    result(len(lines) == len(wanted) == 100000, '100,000 hits are as many lines', str(len(lines)))
    check_python(lines, wanted)
    if shutil.which('jq'):
        check_jq(sys.argv[1], wanted)
    else:
        result(True, 'jq # SKIP there is no jq')
    print('1..%d' % count)
    return failed > 0


sys.exit(main())
