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
. "$(dirname "$0")/../rig/suite.sh"
suite_options bw "$@"
shift "$suite_shift"
bprobe=$(realpath "$bprobe")
dir=$work/files			# files from the guest, and what is made of them

same() {	# same NAME WANT GOT: both are equal and not empty
	diff "$2" "$3" > "$dir/diff" && { [ -s "$2" ] || ! echo "$2 is empty" > "$dir/diff"; }
	check $? "$1" "$dir/diff"
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
report() { trace-cmd report -t "$@" 2> "$dir/said" | theirs; }

# In bprobe's lines a long string that was cut ends in dots, and bytes that a terminal would not print are escaped.
plain() { sed -E 's/"\.\.\./"/g; s/\\(["\\])/\1/g; s/\\t/\t/g'; }

host() {
	local name
	for name in types packed lost; do
		ours "$dir/$name.txt" | plain > "$dir/want"
		report "$dir/$name.dat" > "$dir/got"
		same "trace-cmd report: $name: the same $(wc -l < "$dir/want") events, times and values" "$dir/want" "$dir/got"
		[ ! -s "$dir/said" ]
		check $? "trace-cmd report: $name: without a warning" "$dir/said"
		grep -v '^#' "$dir/$name.txt" > "$dir/want"
		"$bprobe" --read -q "$dir/$name.dat" > "$dir/got" 2> "$dir/said"
		same "--read: $name: the same lines on another kernel" "$dir/want" "$dir/got"
		LC_ALL=C "$bprobe" --report "$dir/$name.dat" > "$dir/got" 2> "$dir/said"
		grep -q "^events  $(grep -vc '^CPU:' "$dir/want")," "$dir/got" &&
			awk -F '[][ ]+' '/^CPU:/ { lost += $3 } END { print lost + 0 }' "$dir/want" | {
				read -r lost
				grep -qE "^lost    $([ "$lost" = 0 ] && echo none || echo "$lost events,")" "$dir/got"
			}
		check $? "--report: $name: as many events, and as many lost ones" "$dir/got"
	done
	[ "$(head -c 12 "$dir/packed.dat" | tail -c 2 | head -c 1)" = 7 ]
	check $? "--compress makes version 7"

	trace-cmd dump --options -i "$dir/boot.dat" > "$dir/got" 2>&1
	grep -q '^\[boot\]' "$dir/got"
	check $? "--clock=boot is the file's clock" "$dir/got"

	ours "$dir/types.txt" | plain | grep ' many: .* name="/etc/xyz"' > "$dir/want"
	report -F 'many: name == "/etc/xyz" && COMM == "wl"' "$dir/types.dat" > "$dir/got"
	same "trace-cmd report -F: $(wc -l < "$dir/want") events" "$dir/want" "$dir/got"
	[ -s "$dir/want" ]
	check $? "... which are some"

	ours "$dir/types.txt" | plain > "$dir/want"
	trace-cmd convert --file-version 7 -i "$dir/types.dat" -o "$dir/seven.dat" > "$dir/said" 2>&1
	check $? "trace-cmd convert --file-version 7" "$dir/said"
	report "$dir/seven.dat" > "$dir/got"
	same "... trace-cmd report: the same events" "$dir/want" "$dir/got"
	grep -v '^#' "$dir/types.txt" > "$dir/want"
	"$bprobe" --read -q "$dir/seven.dat" > "$dir/got" 2> "$dir/said"
	same "... --read: the same lines" "$dir/want" "$dir/got"
	grep -v '^#' "$dir/packed.txt" > "$dir/want"
	trace-cmd convert --file-version 6 -i "$dir/packed.dat" -o "$dir/six.dat" > "$dir/said" 2>&1
	"$bprobe" --read -q "$dir/six.dat" > "$dir/got" 2> "$dir/said"
	same "trace-cmd convert --file-version 6 of a compressed one, --read: the same lines" "$dir/want" "$dir/got"
}

# A file of records of version 1, which bprobe wrote before it had version 2 (commit 2112965, on 6.12, of all types in dat.guest).
# Its symbols were cut to those of its places.
old_file() {
	base64 -d "$here/../../dat/version-1.dat.gz.b64" | gzip -dc > "$dir/old.dat"
	"$bprobe" --read -q "$dir/old.dat" > "$dir/old.txt" 2> "$dir/said"
	[ $? = 0 ] && [ ! -s "$dir/said" ]
	check $? "--read: a file of version 1" "$dir/said"
	ours "$dir/old.txt" | plain > "$dir/want"
	report "$dir/old.dat" > "$dir/got"
	same "--read: version 1: the $(wc -l < "$dir/want") events that trace-cmd report prints" "$dir/want" "$dir/got"
	# No other reader shows what was only in version 1's extra words: flags, and marks of numbers. So it printed these.
	[ "$(grep -c ' \.\.\.1\. .* many: .* bad=(fault) ' "$dir/old.txt") $(grep -c ' X\.\.\.\. .* back: ' "$dir/old.txt")" = "5 5" ]
	check $? "--read: version 1: flags and faults" "$dir/old.txt"
}

tests() {
	rm -rf "$dir"
	mkdir "$dir"
	suite_guest -f "$wl=/bin/wl" -f "$build/tests/setcaps=/bin/setcaps" "$here/dat.guest" | suite_unpack "$dir"
	if command -v trace-cmd > /dev/null; then
		host
		old_file
	else
		echo "ok - # SKIP there is no trace-cmd (package trace-cmd)"
	fi
	[ -z "${KEEP:-}" ] || cp "$dir"/* "$KEEP"
}
suite_kernels tests "$@"
