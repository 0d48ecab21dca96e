# SPDX-License-Identifier: GPL-2.0-only
#
# memory.py [-n RUNS] [-r FIRST] - the golden cases, each with one allocation that fails: bprobe says so, or prints what it prints otherwise
#
# RUNS (1000) runs from number FIRST (0) on. FIRST can be "next": those that were not run in this build folder yet. The number of a run chooses
# the case and the allocation. bprobe is linked to the shared libraries here, so that failing.c can refuse memory. TAP on standard output.
#
# It found six runs of the first 400, before kbtf_open() and its like ended the process: bprobe said that there is no BTF. That is the planted
# fault, too.
import argparse
import os
import random
import re
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.realpath(__file__))
tree = os.path.dirname(os.path.dirname(here))
golden = os.path.join(tree, 'tests/golden')
built = os.path.realpath(os.path.join(tree, os.environ.get('O', 'build')))
WRAPPER = '''#!/bin/sh
LD_PRELOAD=$PRELOAD "$REAL" "$@" 2> "$SAID.$$"
status=$?
cat "$SAID.$$" >&2
case $status in
134) grep -q 'out of memory' "$SAID.$$" ;;
12[89]|1[3-9]?) [ $status -eq 141 ] ;;
esac || echo "ended with status $status: $*" >> "$SAID"
cat "$SAID.$$" >> "$SAID.all"
rm -f "$SAID.$$"
exit $status
'''


def commands():
    for name in sorted(os.listdir(golden)):
        if name.endswith('.case'):
            with open(os.path.join(golden, name)) as f:
                for line in f:
                    # A limit of the shell's own is another test.
                    if line.startswith('$ ') and 'ulimit' not in line:
                        yield line[2:].rstrip('\n')


def build(folder):
    words = subprocess.run(['make', '-s', '-f', '-', 'O=' + built, 'words'], cwd=tree, stdout=subprocess.PIPE, check=True, text=True,
                           input='include Makefile\nwords:\n\t@echo $(CC) $(CFLAGS) -pie $(OBJS) $(LIBS)\n').stdout.split()
    subprocess.run(words + ['-o', folder + '/real'], cwd=tree, check=True)
    subprocess.run(['gcc', '-O2', '-shared', '-fPIC', '-o', folder + '/failing.so', here + '/failing.c'], check=True)
    os.mkdir(folder + '/bin')
    with open(folder + '/bin/bprobe', 'w') as f:
        f.write(WRAPPER)
    os.chmod(folder + '/bin/bprobe', 0o755)


class Runner:
    def __init__(self, folder):
        self.folder = folder
        self.env = dict(os.environ, PATH=folder + '/bin:' + os.environ['PATH'], BTF=built + '/tests/btf', IMAGE=built + '/tests/image',
                        TMP=folder + '/files', REAL=folder + '/real', SAID=folder + '/said', FAILED=folder + '/failed', LC_ALL='C.UTF-8')
        os.mkdir(folder + '/files')

    def run(self, command, failing=0):
        for name in ('said', 'said.all', 'failed'):
            if os.path.exists(self.folder + '/' + name):
                os.unlink(self.folder + '/' + name)
        env = dict(self.env, FAILING=str(failing), PRELOAD=self.folder + '/failing.so' if failing else '')
        done = subprocess.run(['sh', '-c', command], cwd=golden, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=120)
        # Numbers of processes and times differ.
        out = re.sub(r'\d+', 'N', done.stdout.decode(errors='replace'))
        return done.returncode, out

    def text(self, name):
        path = self.folder + '/' + name
        if not os.path.exists(path):
            return ''
        with open(path, errors='replace') as f:
            return f.read()

    def trouble(self, command, failing):
        """What is wrong if allocation number @failing is refused; None: there are not so many; '': nothing."""
        got = self.run(command, failing)
        if not os.path.exists(self.folder + '/failed'):
            return None
        said, every = self.text('said'), self.text('said.all')
        if said:
            return said
        if re.search('memory', every, re.I):
            return ''
        wanted = self.run(command)
        if got != wanted and wanted == self.run(command):	# some commands print something else each time
            return 'printed without a word about memory, status %d: %s' % got
        return ''


def main():
    args = argparse.ArgumentParser()
    args.add_argument('-n', type=int, default=1000)
    args.add_argument('-r', default='0')
    args = args.parse_args()
    state = built + '/memory.next'
    first = args.r
    if first == 'next':
        first = open(state).read() if os.path.exists(state) else '0'
    first = int(first)
    every = list(commands())
    bad = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        build(folder)
        runner = Runner(folder)
        for number in range(first, first + args.n):
            chance = random.Random(number)
            command, failing = chance.choice(every), chance.randint(1, chance.choice([40, 200, 1000]))
            trouble = runner.trouble(command, failing)
            failed += trouble is not None
            if trouble:
                bad += 1
                print('not ok %d - run %d: allocation %d of: %s' % (bad, number, failing, command))
                print('# ' + trouble.rstrip().replace('\n', '\n# ')[:1000])
                sys.stdout.flush()
    print('%s %d - runs %d to %d: in %d of them an allocation failed' % ('ok' if failed else 'not ok', bad + 1, first, first + args.n - 1, failed))
    print('1..%d' % (bad + 1))
    with open(state, 'w') as f:
        f.write(str(first + args.n))


main()
