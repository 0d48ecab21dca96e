#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# embed.sh - prints a C header with the page: page.html with page.css and the scripts in it, and the hashes of both for its policy
#
# The page is cut where what was recorded comes between its parts (@PART@).
set -eu -o pipefail
cd "$(dirname "$0")"
scripts="data.js canvas.js timeline.js timeline_input.js table.js tables.js durations.js flame.js begin.js"

# The hash of a style or script in a Content-Security-Policy: SHA-256 as base64.
hash_of() {
	local hex
	hex=$(cat "$@" | sha256sum)
	hex=${hex%% *}
	printf "$(sed 's/../\\x&/g' <<< "$hex")" | base64
}

css=$(hash_of page.css) js=$(hash_of $scripts)
# In a style or a script the browser looks for the end of the element only.
if grep -qi '</\(style\|script\)\|<!--' page.css $scripts; then
	echo "embed.sh: page.css and the scripts must not have </style, </script or <!-- in them" >&2
	exit 1
fi
echo '/* Made by embed.sh. */'
echo 'static const char *const report_page_parts[] = {'
# A letter in front of each piece says what it is: a line, a text without a newline, or a cut.
awk -v css="$css" -v js="$js" -v scripts="$scripts" '
	function put_file(name,	line) { while ((getline line < name) > 0) print "L" line; close(name) }
	BEGIN { n = split(scripts, script, " ") }
	{
		sub(/@CSS_HASH@/, css); sub(/@JS_HASH@/, js)
		rest = $0
		while (match(rest, /@(CSS|JS|PART)@/)) {
			word = substr(rest, RSTART, RLENGTH)
			print "T" substr(rest, 1, RSTART - 1)
			rest = substr(rest, RSTART + RLENGTH)
			if (word == "@PART@") print "P"
			else if (word == "@CSS@") put_file("page.css")
			else for (i = 1; i <= n; i++) put_file(script[i])
		}
		print "L" rest
	}' page.html |
	sed 's/\\/\\\\/g; s/"/\\"/g; s/^L\(.*\)/\t"\1\\n"/; s/^T\(.*\)/\t"\1"/; s/^P$/\t,/'
echo '};'
