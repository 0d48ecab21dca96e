#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# batch.sh RUNNER < LIST - suites that share guests
#
# Each line of LIST is NAME COMMAND..., quoted for the shell: batch.sh calls RUNNER NAME COMMAND... for each, all at once. The commands
# are drivers (suite.sh): instead of booting a guest, each asks for one here and waits. When all of them wait or have ended, their
# scripts run in as few guests as the ways to boot allow, one after the other (batch.guest). Then the drivers judge what their
# scripts have printed, and may ask again. If a guest dies, the script that ran has failed, and the others get a new guest.
#
# For each NAME, $BATCH_CPU/NAME gets lines: the CPU seconds that QEMU needed for one of its scripts, and those of the boot.
set -u
here=$(dirname "$0")
runner=$1
mkdir -p "${O:-build}/batch" && BATCH=$(mktemp -d "${O:-build}/batch/XXXXXX") || exit 1
BATCH=$(realpath "$BATCH")
export BATCH
trap 'rm -rf "$BATCH"' EXIT
trap 'kill $(jobs -p) 2> /dev/null; exit 1' INT TERM HUP
mkfifo "$BATCH/news"
exec 3<> "$BATCH/news"

running=0 waiting=()
while read -r line; do
	(
		SUITE=${line%% *}
		export SUITE
		eval "$runner $line"
		echo "ended $SUITE" > "$BATCH/news"
	) &
	running=$((running + 1))
done

# refuse REQUEST: no guest for it. Its driver may be gone: so nobody waits for it here.
refuse() {
	echo 125 > "$BATCH/$1/status"
	cat "$guest/err" > "$BATCH/$1/answer" &
}

# A script that hangs ends its guest.
watch_guest() {
	local began limit
	while sleep 5; do
		read -r began limit 2> /dev/null < "$guest/current" || continue
		[ $(($(date +%s) - began)) -lt "$limit" ] && continue
		echo "batch.sh: $(cat "$guest/began") took more than $limit s" >> "$guest/err"
		kill "$(cat "$guest/pid")"
	done
}

# boot WORDS REQUEST...: the scripts of these in one guest; sets $left to those that had no turn
boot() {
	local words=$1 request memory=0 seconds=300 got watcher began
	shift
	guest=$BATCH/guest
	rm -rf "$guest"
	mkdir -p "$guest/tree/suites"
	for request; do
		mkdir "$guest/tree/suites/$request"
		mv "$BATCH/$request/payload" "$BATCH/$request/root" "$guest/tree/suites/$request/"
		cp "$BATCH/$request/seconds" "$guest/tree/suites/$request/"
		echo "$request" >> "$guest/tree/suites/list"
		got=$(cat "$BATCH/$request/memory")
		memory=$((got > memory ? got : memory)) seconds=$((seconds + $(cat "$BATCH/$request/seconds")))
	done
	(cd "$guest/tree" && find . | LC_ALL=C sort | cpio --quiet -o -H newc -R 0:0) > "$guest/cpio"
	[ $# = 1 ] || memory=$((memory + 512))
	watch_guest & watcher=$!
	"$here/guest.sh" $words -t $seconds -m $memory -I "$guest/cpio" -P "$guest/pid" "$here/batch.guest" 2> "$guest/err" |
		LC_ALL=C gawk -v dir="$BATCH" -v guest="$guest" -v sums="$BATCH_CPU" -f "$here/batch.awk"
	kill $watcher
	# One of them has always ended: if the guest did not boot it is the first one, if awk has died the one that ran.
	began=$(cat "$guest/began" 2> /dev/null) left=()
	for request; do
		[ -e "$BATCH/$request/status" ] && continue
		if [ "$request" = "${began:-$1}" ]; then
			refuse "$request"
		else
			left+=("$request")
			mv "$guest/tree/suites/$request/payload" "$guest/tree/suites/$request/root" "$BATCH/$request/"
		fi
	done
}

while [ $running -gt 0 ]; do
	read -r what name <&3
	running=$((running - 1))
	[ "$what" != asks ] || waiting+=("$name")
	[ $running = 0 ] || continue
	# All that can share a guest with the first one.
	while [ ${#waiting[@]} -gt 0 ]; do
		words=$(cat "$BATCH/${waiting[0]}/words") same=() others=()
		for name in "${waiting[@]}"; do
			if [ "$(cat "$BATCH/$name/words")" = "$words" ]; then same+=("$name"); else others+=("$name"); fi
		done
		running=$((running + ${#same[@]}))
		boot "$words" "${same[@]}"
		running=$((running - ${#left[@]}))
		waiting=("${left[@]}" "${others[@]}")
	done
done
wait
