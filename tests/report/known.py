# SPDX-License-Identifier: GPL-2.0-only
#
# known.py - what the recording "known" of recording.c must be summed up to, and how to read a page of --report
#
# The numbers are computed here from what recording.c says of its events, without anything of bprobe.
import base64
import hashlib
import html.parser
import json
import math
import re

TOP = 25_000_000


def percentile(values, percent):
    """The nearest rank: the smallest value that is not below so many of all."""
    return sorted(values)[max(math.ceil(len(values) * percent / 100), 1) - 1]


class Known:
    """Of so many calls."""

    def __init__(self, calls):
        self.calls = calls
        self.naps = [(i % 7 + 1) * 1000000 for i in range(9, calls, 10)]
        # Events were lost during call 5.
        self.pairs = [1000 * (1 + i % 100) for i in range(calls) if i != 5]
        self.events = 2 * calls + len(self.naps)
        self.first = 1000000000
        last = calls - 1
        self.last = self.first + last * 2000000 + 1000 * (1 + last % 100) + (1000 if last % 10 == 9 else 0)
        self.tasks = {101 + t: 2 * len(range(t, calls, 3)) + len([i for i in range(9, calls, 10) if i % 3 == t]) for t in range(3)}
        self.flame = {('worker%d' % t, 'do_syscall', caller, 'alpha_fn'): len([i for i in range(t, calls, 3) if i % 2 == odd])
                      for t in range(3) for odd, caller in ((0, 'caller_fn'), (1, 'other_fn'))}


class Tags(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags = []
        self.policy = ''
        self.addresses = []
        self.handlers = []
        self.text = {}
        self.inside = None

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.tags.append(tag)
        if attrs.get('http-equiv') == 'Content-Security-Policy':
            self.policy = attrs['content']
        self.addresses += [v for k, v in attrs.items() if k in ('src', 'href', 'action', 'data', 'srcset')]
        self.handlers += [k for k in attrs if k.startswith('on')]
        self.inside = (tag, attrs.get('type'))
        self.text.setdefault(self.inside, [])

    def handle_endtag(self, tag):
        self.inside = None

    def handle_data(self, text):
        if self.inside:
            self.text[self.inside].append(text)


class Page:
    def __init__(self, path):
        with open(path, 'rb') as f:
            self.bytes = f.read()
        self.source = self.bytes.decode('utf-8')
        self.raw = re.search(r'<script type="application/json" id="data">(.*)</script>\n<script>', self.source, re.S).group(1)
        self.data = json.loads(self.raw)

    def parse(self):
        parser = Tags()
        parser.feed(self.source)
        parser.close()
        return parser

    def string(self, number):
        return self.data['strings'][number]

    def hash_is_allowed(self, tags, tag):
        text = ''.join(tags.text[(tag, None)])
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        return "%s-src 'sha256-%s'" % (tag, digest) in tags.policy

    def flame(self):
        """How many stacks end at each path."""
        data, paths = self.data, [()]
        for parent, name in zip(data['parents'], data['frames']):
            paths.append(paths[parent] + (self.string(name),))
        return {paths[i + 1]: n for i, n in enumerate(data['selves']) if n}
