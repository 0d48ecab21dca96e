#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# picture.sh BPROBE - makes the picture of a page in doc/pictures: page.png
#
# A guest (Linux 6.12) records what its tasks do, bprobe makes a page of that, and a headless Chromium shows it. make pictures runs this.
# Programs and numbers differ from run to run.
set -eu -o pipefail
export O=${O:-build}
bprobe=$(realpath "$1")
here=$(realpath "$(dirname "$0")")
to=$here/../../doc/pictures
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$here/../guest/rig/guest.sh" -M -k 6.12 -t 200 -f "$bprobe=/bin/bprobe" "$here/../guest/suites/page.guest" > "$work/read.b64" 2> "$work/errors" ||
	{ cat "$work/errors" "$work/read.b64" >&2; exit 1; }
cd "$work"
base64 -d read.b64 | gzip -dc > read.dat
"$bprobe" --report --html read.dat -o page.html
python3 "$here/picture.py" page.html "$to/page.png"
echo "doc/pictures/page.png"
