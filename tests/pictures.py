# SPDX-License-Identifier: GPL-2.0-only
#
# pictures.py REMARK COLUMNS - draws the lines of a terminal on standard input, with their escapes for colours, as SVG
#
# It knows what bprobe prints: bold, and the eight colours for letters. Each run of letters has its place and its length, so that
# columns stay columns in any font.
import re
import sys
from html import escape

WIDTH, HEIGHT, MARGIN = 8, 17, 10
PAPER, INK = '#1c1c1c', '#d0d0d0'
COLOURS = ['#585858', '#ff6c60', '#a8ff60', '#ffffb6', '#96cbfe', '#ff73fd', '#c6c5fe', '#eeeeee']


def change(state, numbers):
    bold, colour = state
    for n in [int(n or 0) for n in numbers.split(';')]:
        if n == 0:
            bold, colour = False, INK
        elif n in (1, 22):
            bold = n == 1
        elif 30 <= n <= 37:
            colour = COLOURS[n - 30]
        elif n == 39:
            colour = INK
    return bold, colour


def draw(line, y, state):
    column = 0
    for part in re.split(r'(\033\[[0-9;]*m)', line):
        if part.startswith('\033'):
            state = change(state, part[2:-1])
            continue
        for run in re.finditer(r'\S+(?: \S+)*', part):
            x, length, text = MARGIN + (column + run.start()) * WIDTH, len(run[0]) * WIDTH, escape(run[0], quote=False)
            bold = ' font-weight="bold"' if state[0] else ''
            print(f'<text x="{x}" y="{y}" textLength="{length}" lengthAdjust="spacingAndGlyphs" fill="{state[1]}"{bold}>{text}</text>')
        column += len(part)
    return state


lines = sys.stdin.read().rstrip().split('\n')
width, height = int(sys.argv[2]) * WIDTH + 2 * MARGIN, len(lines) * HEIGHT + 2 * MARGIN
print(f'<!-- {sys.argv[1]} -->')
print(f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">')
print(f'<rect width="{width}" height="{height}" rx="6" fill="{PAPER}"/>')
print('<g font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="13" xml:space="preserve">')
state = (False, INK)
for number, line in enumerate(lines):
    state = draw(line, MARGIN + 13 + number * HEIGHT, state)
print('</g>\n</svg>')
