# SPDX-License-Identifier: GPL-2.0-only
#
# picture.py PAGE PNG - a picture of a page of --report
import sys

sys.dont_write_bytecode = True
from browser import Browser

b = Browser()
try:
    b.open(sys.argv[1], 1100, 900)
    # Fewer rows of the table make a picture that fits on a screen, and a middle of the timeline shows single calls.
    b.value('''(() => { document.querySelector('#panel-events .scroll').style.maxHeight = '270px'; timeline.zoom(.5);
        [...document.querySelectorAll('#durations-table tbody tr')].find((tr) => tr.textContent.includes('vfs_read')).click(); })()''')
    b.settle()
    b.picture(sys.argv[2])
    if b.troubles:
        sys.exit('picture.py: ' + b.troubles[0])
finally:
    b.close()
