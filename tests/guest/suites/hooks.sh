#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# hooks.sh - does the machine survive a hook on every function? On each KERNEL given
#
#   hooks.sh [-w WHAT] [-p CPUS] [-n COUNT] [-t MINUTES] [-o DIR] KERNEL...	(names that kernels.sh knows)
#
#   -w all        every function that bprobe would attach a trampoline to, 16 at a time (the default)
#   -w multi      every function that kprobe.multi takes, 500 at a time, at entries and returns
#   -w fmulti     every function that bprobe would attach a trampoline to, by 7.2's links to many, 500 at a time
#   -w near       what the trampoline's own code calls, 5 levels deep
#   -w draw       COUNT (-n, default 2000) functions at random
#   -w short      what make check asks for: 4 levels deep, and 100 at random
#   -p CPUS       processors (default 1)
#   -t MINUTES    stop after so long (default 35) and go on from there when called again
#   -o DIR        where the state is (default $O/hooks); remove it to begin anew
#
# The kernels run with preempt=full, as only then a trampoline's own code is preempted. What is attached and what
# load is made is described in hooks.c. When the machine dies, those that were attached are tried again one by one. The one
# that kills it then is noted, and the run goes on after it.
# TAP on stdout, and a line '# KERNEL WHAT: ... attached, ... ran, ... refused by the kernel'.
set -u
. "$(dirname "$0")/../rig/suite.sh"

what=all cpus=1 number=2000 minutes=35 states=$build/hooks hooks=$build/tests/hooks
while getopts w:p:n:t:o:x: option; do
	case $option in
	w)	what=$OPTARG ;;
	p)	cpus=$OPTARG ;;
	n)	number=$OPTARG ;;
	t)	minutes=$OPTARG ;;
	o)	states=$OPTARG ;;
	x)	hooks=$OPTARG ;;
	*)	exit 64 ;;
	esac
done
shift $((OPTIND - 1))
mkdir -p "$states" || exit 1
deadline=$(($(date +%s) + minutes * 60))

# The state is a few shell variables: where to go on, the sums so far, what the machine died of.
save() {
	printf 'next=%s attached=%s ran=%s refused=%s finished=%s\ndied="%s"\n' \
		"$next" "$attached" "$ran" "$refused" "$finished" "$died" > "$state.new" && mv "$state.new" "$state"
}

# guest ARGUMENTS...: one guest that runs 'hooks ARGUMENTS' for each; its lines are in $work/out.
guest() {
	local processors="-p $cpus"
	# Counting instructions, waiting for RCU costs nothing.
	[ "$cpus" != 1 ] || processors=-i
	printf '%s\n' "$@" | sed 's/^/hooks /' > "$work/payload"
	"$rig/guest.sh" -k "$kernel" $processors -t 2400 -a 'preempt=full oops=panic rcupdate.rcu_expedited=1' \
		-f "$hooks=/bin/hooks" "$work/payload" > "$work/out" 2> "$work/err"
}

# take RUNS: adds what the guest did; if it died it is not known what ran. False: it died, of what $last names.
take() {
	local sums
	sums=$(awk '/^done / { n++; a += $2; h += $3; r += $4 } END { print n + 0, a + 0, h + 0, r + 0 }' "$work/out")
	if [ "${sums%% *}" != "$1" ]; then
		last=$(grep '^at ' "$work/out" | tail -n 1)
		[ -z "$last" ] || attached=$((attached + $(grep -c '^at ' "$work/out") - 1))
		return 1
	fi
	set -- $sums
	attached=$((attached + $2)) ran=$((ran + $3)) refused=$((refused + $4))
}

# In turns of one guest each, so that little is lost when the machine dies or the time is up.
in_turns() {	# in_turns VERB STEP SIZE
	local step=$2 size=$3
	total=$(echo 'wc -l < /proc/kallsyms' > "$work/payload"
		"$rig/guest.sh" -k "$kernel" "$work/payload" | tr -d '\r')
	while [ "$next" -lt "$total" ] && [ "$(date +%s)" -lt "$deadline" ]; do
		guest "$1 $next $step $size"
		if take 1; then
			next=$((next + step)) step=$2 size=$3
		elif [ -z "$last" ]; then
			died="$died (no-start)"
			cat "$work/err" >&2
			break
		elif [ "$size" -gt 1 ]; then	# one by one, from the first of those that were attached
			next=$(grep '^at ' "$work/out" | tail -n "$size" | head -n 1 | cut -d' ' -f2)
			step=$(($(echo "$last" | cut -d' ' -f3) - next + 1)) size=1
		else
			died="$died ${last##* }"
			next=$(($(echo "$last" | cut -d' ' -f3) + 1)) step=$2 size=$3
		fi
		save
	done
	[ "$next" -lt "$total" ] || finished=1
}

at_once() {	# at_once ARGUMENTS...
	guest "$@"
	take $# || died="$died ${last##* }"
	finished=1
}

tests() {
	state=$states/$kernel-$what-$cpus
	next=0 attached=0 ran=0 refused=0 finished= died= total=
	[ "$what" = short ] || [ ! -f "$state" ] || . "$state"
	if [ -z "$finished" ]; then
		case $what in
		all)	in_turns trampolines 4000 16 ;;
		multi)	in_turns multi 40000 500 ;;
		fmulti)	in_turns fmulti 20000 500 ;;
		near)	at_once 'near 5' ;;
		draw)	at_once "draw 1 $number" ;;
		short)	at_once 'near 4' 'draw 1 100' ;;
		esac
		save
	fi
	echo "# $kernel $what, $cpus CPUs: $attached attached, $ran of them ran, $refused refused by the kernel"
	if [ -n "$died" ]; then
		echo "not ok - the machine died of:$died"
	elif [ -z "$finished" ]; then
		echo "ok - the machine lives # SKIP up to symbol $next of $total: call it again"
	else
		echo "ok - the machine lives"
	fi
}
suite_kernels tests "$@"
