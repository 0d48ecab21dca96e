#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# kernelshark.sh FILE.dat PICTURE.png - KernelShark opens the file on a display of its own, and its window is kept as a picture
#
# TAP on stdout. Wants kernelshark, xvfb and imagemagick. As root it is run as nobody: it asks root whether that was meant,
# and waits for the answer.
set -u

skip() { echo "ok - KernelShark # SKIP $1"; exit 0; }
for program in kernelshark Xvfb import compare; do
	command -v $program > /dev/null || skip "there is no $program (packages kernelshark, xvfb, imagemagick)"
done

work=$(mktemp -d) || exit 1
trap 'kill $shark $server 2> /dev/null; rm -rf "$work"' EXIT
server= shark=
cp "$1" "$work/trace.dat" && chmod -R a+rwX "$work" || exit 1

# The server finds a free display, and says which.
mkfifo "$work/display"
Xvfb -displayfd 3 -screen 0 1280x900x24 3> "$work/display" > /dev/null 2>&1 &
server=$!
read -r display < "$work/display"
export DISPLAY=:$display

user=
[ "$(id -u)" -ne 0 ] || user="setpriv --reuid=nobody --regid=nogroup --clear-groups"

# shoot PICTURE [ARG...]: until two pictures in a row are the same, and not of an empty display (which has one colour)
shoot() {
	local picture=$1 colors
	shift
	HOME=$work XDG_RUNTIME_DIR=$work $user kernelshark "$@" > "$work/said" 2>&1 &
	shark=$!
	for _ in $(seq 60); do
		sleep 1
		kill -0 $shark 2> /dev/null || return
		mv -f "$picture" "$work/before.png" 2> /dev/null
		import -window root "$picture"
		colors=$(identify -format %k "$picture")
		[ "$colors" -gt 1 ] && cmp -s <(convert "$picture" rgb:- 2> /dev/null) <(convert "$work/before.png" rgb:- 2> /dev/null) && break
	done
	kill $shark
	wait $shark 2> /dev/null
	return 0
}

shoot "$work/empty.png" && shoot "$2" -i "$work/trace.dat"
status=$?
# Without a file it shows the same window, with nothing in it: graphs and rows of a table are thousands of pixels.
different=$(compare -metric AE "$work/empty.png" "$2" null: 2>&1)
if [ $status = 0 ] && [ "${different%%[!0-9]*}" -gt 3000 ] && grep -q '^Loading' "$work/said" &&
   ! grep -qiE 'unknown|unable|cannot|error' "$work/said"; then
	echo "ok - KernelShark shows the file: $2"
else
	echo "not ok - KernelShark shows the file: $2 ($different pixels)"
	head -n 20 "$work/said" | sed 's/^/# /'
	exit 1
fi
