#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# big.sh - trace.dat of many megabytes, written and read back
#
#   big.sh [-x BIG] [-m MB] [-d DIR]      (default: 64 MB in a directory under TMPDIR; 1024: the whole of what is promised)
#
# TAP on stdout.
set -u

here=$(dirname "$0")
big=${O:-$here/../../build}/tests/big mb=64 dir=${TMPDIR:-/tmp}

while getopts x:m:d: option; do
	case $option in
	x)	big=$OPTARG ;;
	m)	mb=$OPTARG ;;
	d)	dir=$OPTARG ;;
	*)	exit 64 ;;
	esac
done

work=$(mktemp -d "$dir/big.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP

"$big" "$mb" "$work" | sed 's/^\(not ok\|ok\) [0-9]* - /\1 - /; /^1\.\./d'
"$big" $((mb / 4 + 1)) "$work" zlib | sed 's/^\(not ok\|ok\) [0-9]* - /\1 - zlib: /; /^1\.\./d'
