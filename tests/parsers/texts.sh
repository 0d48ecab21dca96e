#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# texts.sh [-b BPROBE] [-w WL] [-s SCRIPT] KERNEL DIR - what bprobe prints on that kernel, into DIR
#
# One boot. What is made is in SCRIPT, texts.guest without one; what was there before is gone.
set -u

here=$(dirname "$0")
build=${O:-$here/../../build}
bprobe=$build/bprobe wl=$build/tests/wl script=texts.guest

while getopts b:w:s: option; do
	case $option in
	b)	bprobe=$OPTARG ;;
	w)	wl=$OPTARG ;;
	s)	script=$OPTARG ;;
	*)	exit 64 ;;
	esac
done
shift $((OPTIND - 1))
[ $# = 2 ] || exit 64

rm -rf "$2"
mkdir -p "$2" || exit 1
"$here/../guest/rig/guest.sh" -k "$1" -t "${GUEST_SECONDS:-900}" -f "$bprobe=/bin/bprobe" -f "$wl=/bin/wl" "$here/$script" > "$2/guest" || {
	tail -n 20 "$2/guest" >&2
	exit 1
}
sed -n '/^=archive/,/^=end/p' "$2/guest" | grep -v ^= | base64 -d | tar -xz -C "$2" --strip-components=1
