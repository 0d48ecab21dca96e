# SPDX-License-Identifier: GPL-2.0-only
#
# report.py BPROBE RECORDING - --report of recordings whose events are known: the text, the page, and its limits
#
# The page is read here as a file; page.py opens it in a browser. TAP on standard output.
import os
import pty
import re
import resource
import stat
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from known import TOP, Known, Page, percentile

bprobe, recording = os.path.realpath(sys.argv[1]), os.path.realpath(sys.argv[2])
symbols = os.path.join(os.path.dirname(os.path.realpath(__file__)), 'symbols.txt')
number = failed = 0
os.environ['LC_ALL'] = 'C.UTF-8'


def check(good, text, got=None):
    global number, failed
    number += 1
    failed += not good
    print('%s %d - %s' % ('ok' if good else 'not ok', number, text))
    if not good and got is not None:
        print('# ' + str(got).replace('\n', '\n# ')[:3000])
    return good


def is_same(got, wanted, text):
    return check(got == wanted, text, 'got %r, wanted %r' % (got, wanted))


def run(*args, status=0, **more):
    done = subprocess.run([bprobe] + list(args), stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, **more)
    out, err = done.stdout.decode(), done.stderr.decode()
    if done.returncode != status:
        check(False, '%s: status %d' % (' '.join(args), done.returncode), out + err)
    return out, err


def record(name, *args):
    subprocess.run([recording, name, symbols] + list(args), check=True)


def rows_of(text, title):
    """The lines of a table, each as words."""
    lines = text.split('\n')
    start = next(i for i, line in enumerate(lines) if line.startswith(title))
    return [line.split('|')[0].split() for line in lines[start + 1:lines.index('', start)]]


def text_form():
    known = Known(1000)
    record('known.dat', 'known', '1000')
    out, err = run('--report', 'known.dat')
    is_same(err, '', 'nothing on standard error')
    check(re.search(r'^events +%d, ' % known.events, out, re.M), 'the number of events', out)
    check('time    1.000000 to %d.%06d seconds' % (known.last // 10**9, known.last // 1000 % 10**6) in out, 'the first and the last one', out)
    check('lost    3 events, in 1 gap' in out and 'CPU 2: 3, 0.010000\u20130.010006' in out, 'losses, and when', out)
    is_same([row[:3] for row in rows_of(out, 'EVENT')], [['enter', 'alpha_fn', '1000'], ['leave', 'alpha_fn', '1000'], ['naps', 'nap_fn', '100']],
            'events by function')
    is_same({int(row[1]): int(row[2]) for row in rows_of(out, 'TASK')}, known.tasks, 'events by task')
    is_same(sum(int(row[1]) for row in rows_of(out, 'CPU ')), known.events, 'events by CPU')
    check('calls: 1.' in out, 'the call during which events were lost is not timed', out)
    bars = re.search(r'^\(64K, 128K\] +(\d+) \|', out, re.M)
    is_same(bars and int(bars.group(1)), len([p for p in known.pairs if 65536 < p <= 131072]), 'a row of the histogram')
    is_same(max(len(line) for line in out.split('\n')) <= 80, True, 'no line has more than 80 columns')
    ascii_out, _ = run('--report', 'known.dat', env=dict(os.environ, LC_ALL='C'))
    check(ascii_out.isascii() and '|####' in ascii_out, 'without UTF-8 it is ASCII', ascii_out)
    some, _ = run('--report', 'known.dat', 'naps')
    check(re.search(r'^events +100, ', some, re.M), 'names of events restrict it', some)
    few, _ = run('--report', 'known.dat', '-n', '7', '--top', '1')
    check(re.search(r'^events +7, ', few, re.M) and len(rows_of(few, 'TASK')) == 2, '-n and --top', few)
    run('--report', 'known.dat', '-o', 'text.txt')
    with open('text.txt') as f:
        is_same(f.read(), out, '-o writes the same text into a file')


def page_form():
    known = Known(1000)
    out, err = run('--report', '--html', 'known.dat', '-o', 'known.html')
    is_same(out + err, '', 'a page in a file, and nothing else')
    is_same(stat.S_IMODE(os.stat('known.html').st_mode), 0o600, 'only its owner may read it: it has addresses of the kernel')
    piped, _ = run('--report', '--html', 'known.dat')
    page = Page('known.html')
    is_same(piped, page.source, 'a page in a pipe is the same')
    data = page.data
    is_same((data['count'], int(data['first']), data['span'], data['lost']), (known.events, known.first, known.last - known.first, 3), 'counts and times')
    is_same({row[1]: row[2] for row in data['tasks']}, known.tasks, 'tasks')
    is_same(page.flame(), known.flame, 'stacks')
    latency = {page.string(data['events'][l['event']][0]): l for l in data['latencies']}
    for name, values in (('leave', known.pairs), ('naps', known.naps)):
        l = latency[name]
        is_same([l['count'], l['sum'], l['min'], l['max'], l['avg'], l['p50'], l['p90'], l['p99'], l['exact']],
                [len(values), sum(values), min(values), max(values), sum(values) // len(values)] + [percentile(values, p) for p in (50, 90, 99)] + [True],
                'durations of %s are exact' % name)
    hits = data['hits']
    is_same({k: len(v) for k, v in hits.items()}, {k: known.events for k in ('time', 'cpu', 'task', 'site', 'duration', 'text')}, 'each event')
    is_same(sum(hits['time']), known.last - known.first, 'times lead from the first event to the last')
    is_same([page.string(n) for n in hits['text'][:4]], ['n=0 name="even"', 'ret=-2', 'n=1 name="odd"', 'ret=-2'], 'arguments')
    is_same(data['gaps'], [[2, 10000000, 10006000, 3]], 'losses')
    tags = page.parse()
    check(page.hash_is_allowed(tags, 'script') and page.hash_is_allowed(tags, 'style') and "default-src 'none'" in tags.policy,
          'the policy allows its own script and style by their hashes, and nothing else', tags.policy)
    is_same(tags.addresses + tags.handlers, [], 'the page loads nothing, and has no handler')
    check('enter \u2192 leave' in page.source.split('<noscript>')[1].split('</noscript>')[0], 'without a script the text is there')
    return tags.tags


def hostile(tags):
    record('"><script>a()<b>.dat', 'hostile')
    run('--report', '--html', '"><script>a()<b>.dat', '-o', 'hostile.html')
    page = Page('hostile.html')
    is_same(page.parse().tags, tags, 'hostile names make no element')
    check(not re.search('[<>&\u2028\u2029\x00-\x1f\x7f]', page.raw), 'the data has no character that HTML or a script takes for another', page.raw)
    strings = ' '.join(page.data['strings'])
    for part in ('</script><img ', '<svg onload=a>', "</script><script>document.title='pwned'", '<!--<script>', '\\xff\\xfe\\x80'):
        check(part in strings, 'it is there as a text: %s' % part)
    out, _ = run('--report', '"><script>a()<b>.dat')
    check('\x1b' not in out and '\\x1b[31mred\\xff' in out, 'no escape for a terminal is in the text')


def limits():
    """A page has each event up to 200,000 of them, then bins; and never more than 25 MB."""
    for events in (200000, 200001):
        record('many.dat', 'many', str(events))
        run('--report', '--html', 'many.dat', '-o', 'many.html')
        page = Page('many.html')
        each = events <= 200000
        is_same((page.data['count'], 'hits' in page.data, 'task_rows' in page.data), (events, each, not each), '%d events: %s' % (events, 'each one' if each else 'bins'))
        if not each:
            rows = page.data['task_rows']
            is_same(sum(sum(bins[1::2]) for bins in rows[1::2]), events, 'the bins have all of them')
            is_same(sum(row[4] for row in page.data['rows']) + page.data['other_rows'], events, 'the rows, too')
            is_same((page.data['width'], page.data['bins']), (2000000, 2501), 'bins of 2 ms, for 5 seconds')
    record('worst.dat', 'worst', '200000')
    run('--report', '--html', 'worst.dat', '-o', 'worst.html')
    page = Page('worst.html')
    check(TOP * 9 // 10 < len(page.bytes) <= TOP, 'texts are cut, so the page has %d bytes of at most %d' % (len(page.bytes), TOP))
    check(len(page.data['hits']['time']) == 200000 and page.data['cut'] > 0, '... with all events, and says so: behind %d bytes' % page.data['cut'])
    check(page.data['cut_stacks'] > 0, '... and with not all frames')
    check(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss < 400 << 10,
          'with %d MiB of memory at most' % (resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10))


def refused():
    for args, status, words in (
            (['--report'], 64, '--report wants a trace.dat'), (['--html', '--read', 'known.dat'], 64, '--html is for --report'),
            (['--report', 'none.dat'], 1, 'cannot open none.dat'), (['--report', 'known.dat', 'nosuch'], 1, "no event called 'nosuch'"),
            (['--report', '--read', 'known.dat'], 64, 'cannot be done at the same time'), (['--report', 'known.dat', '--json'], 64, ''),
            (['--report', symbols], 1, ''), (['--report', 'known.dat', '-o', 'none/x.html'], 2, 'cannot write none/x.html')):
        out, err = run(*args, status=status)
        check(words in err and err and not out, ' '.join(args).replace(symbols, 'FILE') + ': ' + err.split('\n')[0].replace(symbols, 'FILE'), err)
    check(not os.path.exists('none'), 'nothing was made')
    main, other = pty.openpty()
    done = subprocess.run([bprobe, '--report', '--html', 'known.dat'], stdout=other, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
    os.close(other)
    check(done.returncode == 64 and b'not for a terminal' in done.stderr, 'a page is not for a terminal', done.stderr.decode())
    os.close(main)


with tempfile.TemporaryDirectory(prefix='report.') as work:
    os.chdir(work)
    text_form()
    hostile(page_form())
    limits()
    refused()
    os.chdir('/')
print('1..%d' % number)
sys.exit(failed > 0)
