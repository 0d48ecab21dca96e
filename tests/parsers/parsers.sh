#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# parsers.sh [-b BPROBE] [-w WL] [-k KERNEL] [all] - other projects' programs read what bprobe prints
#
# bprobe makes the texts in a guest (texts.guest); the readers run here, on $O/parsers/. With `all` those
# too that are large to install (tests/setup.sh parsers): the kernel's own scripts, and a program with windows,
# whose picture stays there. What is not installed is skipped. TAP on standard output.
set -u
cd "$(dirname "$0")/../.." || exit 1
: "${O:=build}"
bprobe=$O/bprobe wl=$O/tests/wl kernel=6.12

while getopts b:w:k: option; do
	case $option in
	b)	bprobe=$OPTARG ;;
	w)	wl=$OPTARG ;;
	k)	kernel=$OPTARG ;;
	*)	exit 64 ;;
	esac
done
shift $((OPTIND - 1))
texts=$O/parsers/$kernel
here=tests/parsers

. tests/guest/rig/lib.sh

built() {	# built NAME PACKAGE: the program of that name, from source
	make --no-print-directory O="$O" "$O/tests/parsers/$1" > "$texts/make.$1" 2>&1 && return
	check 1 "$1 builds ($2: tests/setup.sh installs it)" "$texts/make.$1"
	return 1
}

# run NAME COMMAND...: runs a test that prints TAP itself, and adds its results
run() {
	local name=$1
	shift
	"$@" > "$texts/tap" 2> "$texts/tap.err"
	local status=$?
	grep -v '^1\.\.' "$texts/tap" | sed -E "s/^((not )?ok) [0-9]+/\1/"
	[ $status = 0 ] && grep -q '^ok' "$texts/tap" && return
	failed=1
	grep -q '^not ok' "$texts/tap" || check 1 "$name ends with status $status" "$texts/tap.err"
}

# perf-tools: the program of its script, which it would start as root behind its own probe.
opensnoop() {
	local script
	script=$(PATH=$PATH:/usr/sbin command -v opensnoop-perf) || { skip opensnoop "there is no perf-tools-unstable"; return; }
	command -v gawk > /dev/null || { skip opensnoop "there is no gawk"; return; }
	sed -n "/^    -v opt_duration=.*-v opt_fail=/,\$p" "$script" | sed "1,/'\$/d; /^'\$/,\$d" > "$texts/opensnoop.awk"
	sed -n "/^offset=.*awk '/,/' trace)/p" "$script" | sed "1s/^[^']*'//; \$s/'[^']*\$//" > "$texts/offset.awk"
	[ -s "$texts/opensnoop.awk" ] && [ -s "$texts/offset.awk" ]
	check $? "opensnoop: its programs are found in $script"

	local offset
	offset=$(gawk -f "$texts/offset.awk" "$texts/opensnoop.txt")
	[ "$offset" = 1 ]
	check $? "opensnoop: the header tells of one more column (is ${offset:-none})"
	gawk -v o="${offset:-0}" -f "$texts/opensnoop.awk" "$texts/opensnoop.txt" 2> "$texts/opensnoop.err" |
		awk '$1 == "wl"' > "$texts/opensnoop.out"
	# Three files, of which the second does not exist: the workload of texts.guest.
	awk '$2 !~ /^[0-9]+$/ { exit 1 } { $2 = "PID"; print }' "$texts/opensnoop.out" > "$texts/opensnoop.got"
	printf '%s\n' 'wl PID 0x3 /etc/xyz' 'wl PID -1 /tmp/a name with blanks' 'wl PID 0x3 /etc/passwd' |
		cmp -s - "$texts/opensnoop.got"
	check $? "opensnoop: files, results, losses of none" "$texts/opensnoop.out" "$texts/opensnoop.err"

	offset=$(gawk -f "$texts/offset.awk" "$texts/lost.txt")
	gawk -v o="${offset:-0}" -f "$texts/opensnoop.awk" "$texts/lost.txt" 2>&1 > /dev/null |
		grep '^WARNING' > "$texts/lost.got"
	sed -n 's/^CPU:[0-9]* \[LOST [0-9]* EVENTS\]$/WARNING: &/p' "$texts/lost.txt" > "$texts/lost.want"
	[ -s "$texts/lost.want" ] && cmp -s "$texts/lost.want" "$texts/lost.got"
	check $? "opensnoop: warns of $(wc -l < "$texts/lost.want") losses" "$texts/lost.got" "$texts/lost.err"
}

# One warning of what the reader would not take, none where it takes all.
warnings() {
	local reader
	for reader in trace-cmd traceshark; do
		[ ! -s "$texts/$reader.err" ]
		check $? "--for=$reader takes any event" "$texts/$reader.err"
	done
	for reader in catapult perfetto trappy tracecompass perf-tools sleepgraph; do
		[ "$(grep -c "^bprobe: warning: .*: $reader " "$texts/$reader.err")" = 1 ] && [ "$(wc -l < "$texts/$reader.err")" = 1 ]
		check $? "--for=$reader warns once" "$texts/$reader.err"
	done
	! grep -q warning "$texts/snoop.err" "$texts/sleepgraph-calls.err"
	check $? "... and not of what it takes" "$texts/snoop.err" "$texts/sleepgraph-calls.err"
}

# ---- with `all` ----

source=/usr/src/linux-source-6.1.tar.xz
scripts=$O/parsers/linux-source

vmscan() {
	local script=$scripts/Documentation/trace/postprocess/trace-vmscan-postprocess.pl
	# The events of texts.guest are one reclaim of order 5 by the workload.
	perl "$script" < "$texts/vmscan.txt" > "$texts/vmscan.out" 2> "$texts/vmscan.err"
	grep -qE '^wl-[0-9]+ +1 .* direct-5=1 *$' "$texts/vmscan.out" &&
		grep -qE '^Direct reclaims: +[[:space:]]*1$' "$texts/vmscan.out"
	check $? "trace-vmscan-postprocess.pl: a direct reclaim" "$texts/vmscan.out" "$texts/vmscan.err"
}

sleepgraph() {
	local dir=$O/parsers/suspend-$kernel
	if ! "$here/texts.sh" -b "$bprobe" -w "$wl" -s suspend.guest "$kernel" "$dir"; then
		check 1 "the guest sleeps" "$dir/guest"
		return
	fi
	python3 "$scripts/tools/power/pm-graph/sleepgraph.py" -dev -ftrace "$dir/ftrace.txt" -dmesg "$dir/dmesg.txt" \
		-o "$dir/sleepgraph.html" > "$dir/out" 2>&1
	# Arguments, caller and result are bprobe's: 'title="schedule_timeout(timeout=1) <- rcu_gp_fqs_loop, ret=0 (...'
	grep -oE 'title="schedule_timeout\(timeout=-?[0-9]+\)(\(x[0-9]+\))? <- [a-z_0-9.]+, ret=[0-9]+ ' "$dir/sleepgraph.html" > "$dir/calls"
	[ -s "$dir/calls" ]
	check $? "sleepgraph.py: $(wc -l < "$dir/calls") calls of bprobe's in the timeline of a suspend" "$dir/out" "$dir/bprobe.err"
}

# picture NAME: traceshark's window with that text, as it is when it does not change any more
picture() {
	local pid old=
	traceshark "$texts/$1.txt" > "$texts/traceshark.$1.out" 2>&1 & pid=$!
	for try in $(seq 100); do
		kill -0 $pid 2> /dev/null || break
		! grep -q '^tracePlot->show' "$texts/traceshark.$1.out" || break
		sleep 0.3
	done
	for try in $(seq 50); do
		import -window root "$texts/traceshark.$1.png" 2>> "$texts/traceshark.$1.out" || break
		[ "$(md5sum < "$texts/traceshark.$1.png")" != "$old" ] || break
		old=$(md5sum < "$texts/traceshark.$1.png")
		sleep 1
	done
	kill $pid
	wait $pid
} 2> /dev/null

traceshark_window() {
	local pid differ
	for program in traceshark Xvfb import; do
		command -v $program > /dev/null || { skip traceshark "there is no $program"; return; }
	done
	rm -f "$texts/display"
	Xvfb -displayfd 3 -screen 0 1400x900x24 3> "$texts/display" 2> "$texts/xvfb.err" & pid=$!
	for try in $(seq 100); do
		[ ! -s "$texts/display" ] || break
		sleep 0.3
	done
	DISPLAY=:$(cat "$texts/display") XDG_RUNTIME_DIR=$texts picture traceshark
	DISPLAY=:$(cat "$texts/display") XDG_RUNTIME_DIR=$texts picture flags-5
	kill $pid
	wait $pid
	grep -q '^showTrace() took' "$texts/traceshark.traceshark.out"
	check $? "traceshark: shows --for=traceshark ($texts/traceshark.traceshark.png)" "$texts/traceshark.traceshark.out"
	# It reads no line with five flags: its window is without events.
	differ=$(compare -metric AE "$texts/traceshark.traceshark.png" "$texts/traceshark.flags-5.png" /dev/null 2>&1)
	[ "${differ%%[!0-9]*}" -gt 5000 ] 2> /dev/null
	check $? "traceshark: another picture than of what it does not take ($differ pixels)" "$texts/traceshark.flags-5.out"
}

# A trace.dat of a guest; the guest has a suite of its own.
kernelshark_window() {
	KEEP=$texts tests/guest/suites/dat.sh -b "$bprobe" -w "$wl" "$kernel" > "$texts/dat.tap" 2>&1
	check $? "bprobe makes a trace.dat on $kernel" "$texts/dat.tap"
	run kernelshark "$here/kernelshark.sh" "$texts/types.dat" "$texts/kernelshark.png"
}

large_readers() {
	if [ ! -r $source ]; then
		skip "sleepgraph.py, trace-vmscan-postprocess.pl" "there is no $source"
	else
		mkdir -p "$scripts"
		[ -e "$scripts/done" ] || tar -xJf $source -C "$scripts" --strip-components=1 --wildcards '*/pm-graph/sleepgraph.py' \
			'*/trace-vmscan-postprocess.pl' && touch "$scripts/done"
		vmscan
		sleepgraph
	fi
	traceshark_window
	kernelshark_window
	run big tests/dat/big.sh -m 1024
}

tests/guest/rig/kernels.sh fetch "$kernel" || exit 1
"$here/texts.sh" -b "$bprobe" -w "$wl" "$kernel" "$texts"
check $? "bprobe makes the texts on $kernel" "$texts/guest"
[ -s "$texts/records.json" ] || exit 1

if command -v python3 > /dev/null; then
	run lines.py python3 "$here/lines.py" "$texts"
else
	skip "readers' regular expressions" "there is no python3"
fi
if python3 -c 'import jsonschema' 2> /dev/null; then
	run schema.py python3 "$here/schema.py" doc/json.schema.json "$texts"
else
	skip "the JSON Schema" "there is no python3-jsonschema"
fi
warnings
opensnoop
if built formats libtraceevent-dev; then
	run formats "$O/tests/parsers/formats" "$texts"/formats/fmt?? "$texts"/formats/fmt?
fi
if built hostile "nothing but bprobe's own"; then
	"$O/tests/parsers/hostile" "$texts/hostile.json" "$texts/hostile.want"
	check $? "100,000 hostile hits are printed"
	run hostile.py python3 "$here/hostile.py" "$texts/hostile.json" "$texts/hostile.want"
fi
[ "${1:-}" != all ] || large_readers
exit $failed
