# SPDX-License-Identifier: GPL-2.0-only
#
# lib.sh - what all tests share: results as TAP, and waiting. Scripts in guests source /lib.sh, drivers get it from suite.sh
#
# A test's commands write to the files out and err. $explain names the files that explain a failure of is.
explain=err failed=0

check() {	# check STATUS NAME [FILE...]: one result; FILE explains a failure, if it exists. $failed is 1 after a failure
	if [ "$1" = 0 ]; then
		echo "ok - $2"
		return
	fi
	echo "not ok - $2"
	failed=1
	shift 2
	for file; do
		[ ! -e "$file" ] || awk -v name="${file##*/}" '
			NR <= 15 { print "#   " name ": " $0; next }
			{ last[NR % 15] = $0 }
			END {
				if (NR > 30)
					print "#   " name ": (" NR - 30 " lines are not shown)"
				for (n = NR - 14 > 16 ? NR - 14 : 16; n <= NR; n++)
					print "#   " name ": " last[n % 15]
			}' "$file"
	done
	# A program that has crashed in the meantime, such as the workload, may be the reason.
	dmesg 2> /dev/null | grep -e ': segfault at' -e 'general protection' -e 'traps: ' | tail -n 3 | sed 's/^/#   kernel: /'
}

is() {		# is NAME GOT WANTED
	[ "$2" = "$3" ] && check 0 "$1" || check 1 "$1: is '$2', should be '$3'" $explain
}

says() {	# says NAME PATTERN FILE
	grep -q -e "$2" "$3"
	check $? "$1" "$3"
}

same() {	# same NAME WANT GOT: two files
	diff "$2" "$3" > diff.out
	check $? "$1" diff.out err
}

skip() {	# skip NAME REASON: a test that cannot run here
	echo "ok - $1 # SKIP $2"
}

# Before 6.0 each start of bprobe reads /proc/kallsyms, and the kernel needs 100 ms to write it. Where no module is loaded and no name of a
# BPF program is printed, a script calls this: then a copy is read. batch.guest takes the copy away.
copied_symbols() {
	case $(uname -r) in
	5.*)	cat /proc/kallsyms > /tmp/kallsyms.copy && mount --bind /tmp/kallsyms.copy /proc/kallsyms ;;
	esac
}

# A task may be moved to another CPU between the programs of the two tracers: then its two lines have different CPUs. Where lines are
# compared whole, a script calls this: it and all that it starts stay on one CPU.
stay_on_cpu() { taskset -p 1 $$ > /dev/null; }

# A file goes out of the guest: suite_unpack (suite.sh) makes a file of it.
send_file() {
	echo "@@ $1"
	gzip -1 -c "$1" | base64
	echo "@@"
}

# ---- waiting ----

# A test that looks once may look too early: what it looks for happens in another process. So it waits until it sees it. The length of a
# wait matters only when a test fails. A slow machine gets a longer one: a second counts half when the fixed loop takes twice $loop_ms.
patience=60 loop_ms=20

clock_ms() {	# sets $now
	read -r now _ < /proc/uptime
	now=${now%.*}${now#*.}0
}

loop_now() {	# sets $took: the ms that the loop needs now, at least $loop_ms
	local i=0 now
	clock_ms
	took=$now
	while [ $i -lt 3000 ]; do i=$((i + 1)); done
	clock_ms
	took=$((now - took))
	[ $took -gt $loop_ms ] || took=$loop_ms
}

# What has not come within a second is asked for less often: a question costs the machine more than the wait.
until_true() {	# until_true COMMAND...: within $patience seconds; its output is not shown
	local waited=0 asked=0 took= pause=0.1 ms=99
	until "$@" > /dev/null 2>&1; do
		[ $waited -lt $((patience * 1000)) ] || return 1
		[ $((asked % 10)) != 0 ] || loop_now
		[ $asked != 10 ] || { pause=0.4 ms=399; }
		asked=$((asked + 1)) waited=$((waited + 1 + ms * loop_ms / took))
		sleep $pause
	done
}

# Conditions
not() { ! "$@"; }
gone() { ! kill -0 "$1" 2> /dev/null; }			# gone PID
has_lines() { [ "$(grep -c -e "$1" "$2")" -ge "$3" ]; }	# has_lines PATTERN FILE NUMBER
traces() { until_true grep -q '^tracing' "$1"; }	# traces FILE: the bprobe with this standard error

# ---- load ----

busy() {	# busy COMMAND: a script that runs it while six tasks map and unmap memory all the time
	echo 'for i in 1 2 3 4 5 6; do wl maps & maps="$maps $!"; done'
	echo "$1"
	echo 'status=$?; kill $maps; wait $maps 2> /dev/null; exit $status'
}

# ---- privileges ----

# bprobe gives up system calls that it does not need any more (user/kernel/rights.c). One that it does all the same fails, and the kernel's
# log has it. So each script in a guest also tests that nothing is missing there.
bprobe_refusals() { dmesg | grep 'type=1326 .*comm="bprobe'; }
nr_refused_calls() { bprobe_refusals | wc -l; }
refused_calls() {	# refused_calls NUMBER: prints a failure if the log has more of them
	[ "$(nr_refused_calls)" -le "$1" ] || {
		echo 'not ok - bprobe does no system call that it has given up'
		bprobe_refusals | tail -n +$(($1 + 1)) | head -n 10 | sed 's/^/# /'
	}
}
