#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# dat.sh - trace.dat: written in a guest, read there and here, on each KERNEL given
#
#   dat.sh [-b BPROBE] [-w WL] KERNEL...       (names that kernels.sh knows)
#
# TAP on stdout. What the guest does is in dat.guest. Files come out of it; here `trace-cmd report` is asked for the same
# events, times and values as bprobe's own lines of the same records.
set -u

here=$(dirname "$0")
build=${O:-$here/../../build}
bprobe=$build/bprobe wl=$build/tests/wl

while getopts b:w: option; do
	case $option in
	b)	bprobe=$OPTARG ;;
	w)	wl=$OPTARG ;;
	*)	exit 64 ;;
	esac
done
shift $((OPTIND - 1))
bprobe=$(realpath "$bprobe")

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP

check() {	# check STATUS NAME [FILE]
	if [ "$1" = 0 ]; then echo "ok - $2"; else
		echo "not ok - $2"
		[ $# -lt 3 ] || head -n 20 "$3" | sed 's/^/#   /'
	fi
}

same() {	# same NAME FILE FILE
	diff "$2" "$3" > "$work/diff"
	check $? "$1" "$work/diff"
}

# Between @@ NAME and @@ are files; the rest are the guest's own lines.
unpack() {
	awk -v dir="$work" '
		/^@@ / { file = dir "/" $2 ".b64"; printf "" > file; next }
		/^@@$/ { close(file); file = ""; next }
		file { print > file; next }
		{ print; fflush() }'
	for file in "$work"/*.b64; do
		[ -e "$file" ] || continue
		base64 -d "$file" | gzip -dc > "${file%.b64}"
		rm "$file"
	done
}

# TASK-PID [CPU] TIME EVENT: (PLACE) ARGS, of both: without flags, sizes and modules of places (which trace-cmd's %pS
# lacks), of numbers that could not be read (0 there), with LOST in one way; of two names of one address trace-cmd takes
# the other. Times have microseconds in bprobe's lines
# and nanoseconds in trace-cmd's; both are cut.
ours() {
	grep -v '^#' "$1" | sed -E 's/^ +//; s/^CPU:([0-9]+) \[LOST ([0-9]+) EVENTS\]$/lost \1 \2/; s/-([0-9]+) +\[([0-9]+)\] [^ ]+ +([0-9.]+): /-\1 [\2] \3 /
		s:(\+0x[0-9a-f]+)/0x[0-9a-f]+( \[[a-z0-9_]+\])?:\1:g; s/ bad=[^ ]+//; s/__(do|ia32)_sys_/__x64_sys_/'
}
theirs() {
	sed -E '/^cpus=/d; /^trace-cmd|^version/d; s/^ +//; s/^CPU:([0-9]+) \[([0-9]+) EVENTS DROPPED\]$/lost \1 \2/; s/-([0-9]+) +\[([0-9]+)\] +([0-9]+\.[0-9]{6})[0-9]*: ([^ ]+) +/-\1 [\2] \3 \4 /
		s:(\+0x[0-9a-f]+)/0x[0-9a-f]+( \[[a-z0-9_]+\])?:\1:g; s/ bad=[^ ]+//; s/"\(fault\)"/(fault)/g; s/__(do|ia32)_sys_/__x64_sys_/'
}
report() { trace-cmd report -t "$@" 2> "$work/said" | theirs; }

# A long string that was cut has dots behind it in ours, and bytes that a terminal would not print are escaped.
plain() { sed -E 's/"\.\.\./"/g; s/\\(["\\])/\1/g; s/\\t/\t/g'; }

host() {
	local name
	for name in types packed lost; do
		ours "$work/$name.txt" | plain > "$work/want"
		report "$work/$name.dat" > "$work/got"
		same "trace-cmd report: $name: the same $(wc -l < "$work/want") events, times and values" "$work/want" "$work/got"
		[ ! -s "$work/said" ]
		check $? "trace-cmd report: $name: without a warning" "$work/said"
		grep -v '^#' "$work/$name.txt" > "$work/want"
		"$bprobe" --read -q "$work/$name.dat" > "$work/got" 2> "$work/said"
		same "--read: $name: the same lines on another kernel" "$work/want" "$work/got"
	done
	[ "$(head -c 12 "$work/packed.dat" | tail -c 2 | head -c 1)" = 7 ]
	check $? "--compress makes version 7"

	ours "$work/types.txt" | plain | grep ' many: .* name="/etc/xyz"' > "$work/want"
	report -F 'many: name == "/etc/xyz" && __probe_comm == "wl"' "$work/types.dat" > "$work/got"
	same "trace-cmd report -F: $(wc -l < "$work/want") events" "$work/want" "$work/got"
	[ -s "$work/want" ]
	check $? "... which are some"

	ours "$work/types.txt" | plain > "$work/want"
	trace-cmd convert --file-version 7 -i "$work/types.dat" -o "$work/seven.dat" > "$work/said" 2>&1
	check $? "trace-cmd convert --file-version 7" "$work/said"
	report "$work/seven.dat" > "$work/got"
	same "... trace-cmd report: the same events" "$work/want" "$work/got"
	grep -v '^#' "$work/types.txt" > "$work/want"
	"$bprobe" --read -q "$work/seven.dat" > "$work/got" 2> "$work/said"
	same "... --read: the same lines" "$work/want" "$work/got"
	grep -v '^#' "$work/packed.txt" > "$work/want"
	trace-cmd convert --file-version 6 -i "$work/packed.dat" -o "$work/six.dat" > "$work/said" 2>&1
	"$bprobe" --read -q "$work/six.dat" > "$work/got" 2> "$work/said"
	same "trace-cmd convert --file-version 6 of a compressed one, --read: the same lines" "$work/want" "$work/got"
}

failed=0
for kernel; do
	start=$(date +%s)
	rm -f "$work"/*
	{
		{
			"$here/guest.sh" -k "$kernel" -t "${GUEST_SECONDS:-900}" -f "$bprobe=/bin/bprobe" -f "$wl=/bin/wl" "$here/dat.guest" 2>&1
			# Tests that went missing with their guest have failed.
			[ $? -ne 125 ] || echo "not ok - the guest ended early"
		} | unpack
		if command -v trace-cmd > /dev/null; then
			host
		else
			echo "ok - # SKIP there is no trace-cmd (package trace-cmd)"
		fi
	} | sed "s/^\(not ok\|ok\) - /&$kernel /" > "$work.tap"
	cat "$work.tap"
	! grep -q '^not ok' "$work.tap" || failed=1
	echo "# kernel $kernel: $(grep -c '^ok' "$work.tap") passed, $(grep -c '^not ok' "$work.tap") failed in $(($(date +%s) - start)) s"
	[ -z "${KEEP:-}" ] || cp "$work"/* "$KEEP"
	rm -f "$work.tap"
done
exit $failed
