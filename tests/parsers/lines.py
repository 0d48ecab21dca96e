#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""lines.py DIR - readers' regular expressions on bprobe's lines: a test of their shape

DIR has the same records in every form and as JSON (texts.guest). Each reader's expression, restated from
its source, must find in each line what the JSON says: task, process, CPU, time, event. And it must not take
the forms that it is known not to take, or this test would not see a difference. TAP on standard output.
"""
import json
import re
import sys

# catapult, tracing/tracing/extras/importer/linux_perf/ftrace_importer.html; one of three, by the first line
CATAPULT = [re.compile(start + flags + r'\s+(?P<time>\d+\.\d+):\s+(?P<event>\S+):\s(?P<rest>.*)$') for start, flags in (
    (r'^\s*(?P<task>.+)-(?P<pid>\d+)\s+\(\s*(?P<tgid>\d+|-+)\)\s\[(?P<cpu>\d+)\]', r'\s+[dX.][N.][Hhs.][0-9a-f.]'),
    (r'^\s*(?P<task>.+)-(?P<pid>\d+)\s+\[(?P<cpu>\d+)\]', r'\s+[dX.][N.][Hhs.][0-9a-f.]'),
    (r'^\s*(?P<task>.+)-(?P<pid>\d+)\s+\[(?P<cpu>\d+)\]', r''))]
# Perfetto, src/trace_processor/importers/systrace/systrace_line_tokenizer.cc: up to 4 flags until 2022, then 5;
# found anywhere in the line, what is in front is the task
PERFETTO = [re.compile(r'(?P<task>^.*?)-(?P<pid>\d+)\s+\(?\s*(?P<tgid>\d+|-+)?\)?\s?\[(?P<cpu>\d+)\]\s*[a-zA-Z0-9.]{0,%d}\s+'
                       r'(?P<time>\d+\.\d+):\s+(?P<event>\S+):' % n) for n in (4, 5)]
# trappy/ftrace.py, SPECIAL_FIELDS_RE; what is the event, its classes look for in the line
TRAPPY = re.compile(r'^\s*(?P<task>.*)-(?P<pid>\d+)(?:\s+\(.*\))?\s+\[(?P<cpu>\d+)\](?:\s+....)?\s+'
                    r'(?P<time>[0-9]+(?P<us>\.[0-9]+)?): (?:(?P<event>\w+):\s+)+(?P<rest>.+)')
# TraceCompass incubator, IGenericFtraceConstants.java: first that of 2018, then that of today
TRACECOMPASS = [re.compile(r'^\s*(?P<task>.*)-(?P<pid>\d+)(?:\s+\(.*\))?\s+\[(?P<cpu>\d+)\](?:\s+....)?\s+'
                           r'(?P<time>[0-9]+(?P<us>\.[0-9]+)?): (?:(?P<event>\w+):\s+)+(?P<rest>.+)'),
                re.compile(r'^\s*(?P<task>.*)-(?P<pid>\d+)(?:\s+\([^0-9]*(?P<tgid>\d+)?\))?\s+\[(?P<cpu>\d+)\](?:\s+[^\s]*)?\s+'
                           r'(?P<time>[0-9]+(?P<us>\.[0-9]+)?): (?P<event>\w+)(?P<sep>:\s+|\(|\s+->\s+)(?P<rest>[^\)]*)(\))?')]
# Linux 6.1, tools/power/pm-graph/sleepgraph.py, ftrace_line_fmt_nop
SLEEPGRAPH = re.compile(r' *(?P<task>.*)-(?P<pid>[0-9]*) *\[(?P<cpu>[0-9]*)\] *(?P<flags>\S*) *(?P<time>[0-9\.]*): *(?P<event>.*?): .*')


def traceshark(line):
    """Blank-separated tokens: a name up to '[CPU]', a time, an event that ends in ':' (parser/tracecmd.cpp)."""
    match = re.match(r'^ *(?P<task>.*)-(?P<pid>\d+) +\[(?P<cpu>\d+)\] +(?P<time>\d+\.\d+): +(?P<event>[^ ]+): (?P<rest>.*)$', line)
    return match


def first_form(lines):
    """catapult's choice."""
    for expression in CATAPULT:
        if expression.match(lines[0]):
            return expression.match
    return lambda line: None


def read_lines(path):
    with open(path, encoding='utf-8', errors='surrogateescape', newline='\n') as file:
        return [line.rstrip('\n') for line in file if not line.startswith('#')]


def name_of(record):
    """A task's name as the text has it: without control characters; bytes that are no UTF-8 are an object."""
    task = record['task']
    if isinstance(task, dict):
        task = bytes.fromhex(task['bytes']).decode('utf-8', 'surrogateescape')
    return re.sub(r'[\x00-\x1f\x7f]', '?', task)


def wrong(match, record):
    """What the reader would get wrong, or None."""
    if not match:
        return 'is not taken'
    found = match.groupdict()
    want = {'task': name_of(record).strip(), 'pid': str(record['pid']), 'cpu': '%03d' % record['cpu'],
            'time': '%d.%06d' % divmod(record['time_ns'] // 1000, 1000000), 'event': record['event'],
            'tgid': str(record['tgid'])}
    for name, value in want.items():
        if found.get(name) is not None and found[name].strip() != value:
            return '%s is %r, not %r' % (name, found[name], value)
    return None


count = failed = 0


def result(good, name, why=''):
    global count, failed
    count += 1
    failed += not good
    print('%s %d - %s' % ('ok' if good else 'not ok', count, name))
    if why and not good:
        print('# ' + why)


def takes(name, path, matcher, records, also=None):
    lines = read_lines(path)
    if len(lines) != len(records) or not lines:
        result(False, name, '%d lines of %d records' % (len(lines), len(records)))
        return
    for line, record in zip(lines, records):
        match = matcher(line)
        why = wrong(match, record) or (also and also(match, record))
        if why:
            result(False, name, '%s: %r' % (why, line))
            return
    result(True, '%s: %d lines' % (name, len(lines)))


def refuses(name, path, matcher):
    lines = read_lines(path)
    taken = [line for line in lines if matcher(line)]
    result(lines and not taken, name, 'takes %r' % taken[:1])


def has_tgid(match, record):
    return None if match.group('tgid') else 'there is no TGID'


def main(folder):
    def path(name):
        return '%s/%s.txt' % (folder, name)

    with open(folder + '/records.json', encoding='utf-8') as file:
        records = [json.loads(line) for line in file]
    events = {record['event'] for record in records}
    result(events == {'sched_waking', 'myprobe', 'myret', 'bare'}, 'records of every event', str(events))
    result({'a b-c:d', '(x) [y]', '<...>', '-1', 'kworker/1:2', 'two?lines', '<idle>'} <= {name_of(r) for r in records}, 'records of odd tasks')
    result(any('irqs_off' in r['flags'] and 'hardirq' in r['flags'] for r in records), 'records of interrupts')
    result(any(r['pid'] != r['tgid'] for r in records), 'records of threads')

    takes('catapult, --for=catapult', path('catapult'), first_form(read_lines(path('catapult'))), records, has_tgid)
    for form in 'flags-4', 'flags-none':
        takes('catapult, %s' % form, path(form), first_form(read_lines(path(form))), records)
    for form in 'flags-5', 'flags-5-tgid':
        refuses('catapult does not take %s' % form, path(form), first_form(read_lines(path(form))))
    for expression, when in zip(PERFETTO, ('until 2022', 'today')):
        takes('perfetto %s, --for=perfetto' % when, path('perfetto'), expression.match, records, has_tgid)
        takes('perfetto %s, flags-none' % when, path('flags-none'), expression.match, records)
    refuses('perfetto until 2022 does not take flags-5', path('flags-5'), PERFETTO[0].match)
    takes('trappy, --for=trappy', path('trappy'), TRAPPY.match, records)
    takes('trappy, flags-none', path('flags-none'), TRAPPY.match, records)
    refuses('trappy does not take flags-5', path('flags-5'), TRAPPY.match)
    for expression, when in zip(TRACECOMPASS, ('of 2018', 'of today')):
        takes('TraceCompass %s, --for=tracecompass' % when, path('tracecompass'), expression.match, records)
    refuses('TraceCompass of 2018 does not take flags-5', path('flags-5'), TRACECOMPASS[0].match)
    takes('sleepgraph, --for=sleepgraph', path('sleepgraph'), SLEEPGRAPH.match, records)
    refuses('sleepgraph does not take a TGID', path('flags-5-tgid'), SLEEPGRAPH.match)
    takes('traceshark, --for=traceshark', path('traceshark'), traceshark, records)
    refuses('traceshark of Debian 12 does not take flags', path('flags-5'), traceshark)
    takes('report\'s readers, --for=trace-cmd', path('trace-cmd'), traceshark, records)
    print('1..%d' % count)
    return failed > 0


sys.exit(main(sys.argv[1]))
