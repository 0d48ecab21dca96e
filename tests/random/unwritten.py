#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
#
# unwritten.py - is there the pattern of unwritten.guest in what came out? TAP
#
#   unwritten.py DIRECTORY       of its files *.dat and *.out
#
# A gap of one or two bytes would not be told from a number by chance, so three bytes 0xa5 are looked for. Each kind of gap has that many bytes in one
# of the definitions. In text these bytes can also be numbers: in hexadecimal, or in decimal digits of 8, 16, 32 and 64 bits.
import os
import re
import sys

NUMBERS = [0xa5a5, 0xa5a5a5a5, 0xa5a5a5a5a5a5a5a5]
SIGNED = [n - (1 << bits) for n, bits in zip(NUMBERS, (16, 32, 64))]
TEXT = re.compile(b"a5a5a5|\\\\xa5\\\\xa5|165,165,165|" + b"|".join(rb"\b%d\b" % n for n in NUMBERS) + b"|" + b"|".join(b"%d" % n for n in SIGNED), re.I)
EVENT = re.compile(rb"[ \"/]([bcd]\d)[\": ]")


def main():
    directory = sys.argv[1]
    files = sorted(f for f in os.listdir(directory) if f.endswith((".dat", ".out")))
    for name in files:
        with open(os.path.join(directory, name), "rb") as f:
            data = f.read()
        found = [m.start() for m in re.finditer(b"\xa5{3,}", data)]
        if name.endswith(".out"):
            found += [m.start() for m in TEXT.finditer(data)]
        print(f"{'not ok' if found else 'ok'} - {name}: {len(data)} bytes, and none that nobody wrote")
        for at in found[:5]:
            print(f"#   at {at}: {data[max(0, at - 40):at + 24]!r}")
        if name in ("kept.out", "table.out") or name.startswith("stacks"):
            continue
        if name.endswith(".out") and data and not name.endswith("dat.out"):
            events = sorted({e.decode() for e in EVENT.findall(data)})
            print(f"{'ok' if len(events) > 12 else 'not ok'} - {name}: it has events: {' '.join(events)}")


main()
