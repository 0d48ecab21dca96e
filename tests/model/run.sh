#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# run.sh [-l] [-k] [PATTERN] - the models of the rings' protocol, searched exhaustively by SPIN, as TAP
#
# A model that describes the protocol must hold in every state that can be reached. A model with a mistake must fail, or it
# proves nothing. Each line says how many states were searched. A search that was cut short is a failure.
# -l searches larger models too: minutes, and up to 8 GB. -k searches without partial order reduction, as a check of the
# checker: 2 to 3 times as many states. PATTERN: only the models whose line matches it.
set -u
here=$(cd "$(dirname "$0")" && pwd)
larger= reduce= memory=2000
while getopts lk option; do
	case $option in
	l)	larger=1 memory=8000 ;;
	k)	reduce=-DNOREDUCE memory=8000 ;;
	*)	sed -n '4,9p' "$0" >&2; exit 64 ;;
	esac
done
shift $((OPTIND - 1))
pattern=${1:-}
n=0 total=0
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' INT TERM HUP
cd "$tmp" || exit 1

# search MODEL DEFINE...: pan's output in $tmp/said.
search() {
	local model=$1 optimise=-O1
	shift
	rm -f pan* ./*.trail
	[ "$expected" = holds ] || optimise=-O0		# found early: compiling takes longer
	{ spin -a "$@" "$here/$model.pml" && ${CC:-gcc} $optimise -w -DSAFETY -DNOCOMP -DMEMLIM=$memory $reduce -o pan pan.c &&
		./pan -b -m5000 -w22; } > said 2>&1
	states=$(awk '/states, stored/ { print $1 }' said)
}

result() {	# result ok|not ok TEXT
	n=$((n + 1))
	echo "$1 $n - $2"
	[ "$1" = ok ] || sed 's/^/# /' said | head -n 40
}

# What a failure looks like: the last steps of the trace.
trace() {
	[ ! -e "$1.pml.trail" ] || spin -t -p -k "$1.pml.trail" "${@:2}" "$here/$1.pml" |
		grep -E '^ *[0-9]+:' | grep -vF tso.pml | tail -n 40 | sed 's/^/# /'
}

# holds TEXT MODEL DEFINE...
holds() {
	local text=$1 expected=holds
	shift
	[[ "$1: $text" =~ $pattern ]] || return
	search "$@"
	if grep -q 'errors: 0$' said && grep -q '^Full statespace search' said && [ -n "$states" ] &&
	   ! grep -qiE 'not completed|truncat|too small|memlim|hash-compact' said; then
		total=$(awk "BEGIN { printf \"%.0f\", $total + $states }")
		result ok "$1: $text: $states states, all that there are"
	else
		result "not ok" "$1: $text"
		trace "$@"
	fi
}

large() { [ -z "$larger" ] || holds "$@"; }

# fails TEXT ERROR MODEL DEFINE...: ERROR is what the search must find.
fails() {
	local text=$1 error=$2 expected=fails
	shift 2
	[[ "$1: mistake found: $text" =~ $pattern ]] || return
	search "$@"
	if grep -q '^pan:1: ' said && grep '^pan:1: ' said | grep -qF -- "$error"; then
		result ok "$1: mistake found: $text ($states states until then)"
	else
		result "not ok" "$1: a mistake is not found: $text"
	fi
}

torn='assertion violated (word==reserved_by'
missed='assertion violated (lost_seqs'
order='assertion violated (end_of_pass>=before)'
torn_copy='copy[((at-first)+1)]'
asleep='invalid end state'

two='-DPROGRAMS=2 -DRUNS0=2 -DRUNS1=1'
three='-DPROGRAMS=3 -DRUNS0=1 -DRUNS1=1 -DRUNS2=1'
holds "two programs nest, 3 records, the reader is killed" discard $two -DKILLS=1
large "the same, killed twice" discard $two -DKILLS=2
large "4 records" discard -DPROGRAMS=2 -DRUNS0=2 -DRUNS1=2 -DKILLS=1
holds "the same with long and short records of both" discard $two -DKILLS=0 -DVARIED
holds "three programs on two CPUs" discard $three -DKILLS=0
large "the same, killed" discard $three -DKILLS=1
holds "switched off at any time" discard $two -DKILLS=0 -DSTOP
holds "plain stores, one program at a time, killed once" discard $two -DKILLS=1 -DPLAIN
fails "plain stores without a barrier behind 'reserved'" "$order" discard $two -DKILLS=0 -DPLAIN -DNO_FENCE
fails "plain stores and programs that nest" "$missed" discard $two -DKILLS=0 -DPLAIN -DNEST
fails "no compare and exchange" "$missed" discard $two -DKILLS=0 -DPLAIN_RESERVE
fails "a seal without the position" "$torn" discard $two -DKILLS=0 -DSIZE_SEAL
fails "the seal before the record is filled" "$torn" discard $two -DKILLS=0 -DEARLY_SEAL
fails "'free' before the record is written out" "$torn" discard $two -DKILLS=0 -DEARLY_FREE
fails "a hit is counted, and then recording is off" "$missed" discard $two -DKILLS=0 -DCOUNT_FIRST -DSTOP

three='-DRUNS0=1 -DRUNS1=1 -DRUNS2=1'
two='-DRUNS0=2 -DRUNS1=1 -DRUNS2=0'
large "three programs on two CPUs" sleep $three
holds "two programs, one in an NMI" sleep $two -DNMI
large "three programs, two in NMIs" sleep $three -DNMI
holds "NMIs on two CPUs" sleep -DRUNS0=2 -DRUNS1=0 -DRUNS2=2 -DNMI
holds "a small bell" sleep $two -DSMALL_BELL
holds "the reader looks at seals" sleep $two -DNMI -DLOOK_AT_SEALS
holds "plain stores and a barrier" sleep $two -DNMI -DPLAIN
fails "the seal is a plain store, the reader looks at seals" "$asleep" sleep $two -DPLAIN_SEAL -DLOOK_AT_SEALS
fails "the reader has no barrier" "$asleep" sleep $two -DNO_FENCE
fails "the reader does not look again" "$asleep" sleep $two -DNO_LOOK
fails "the reader empties the bell too late" "$asleep" sleep $two -DLATE_DRAIN
fails "the bell is rung before 'waiting' is cleared" "$asleep" sleep $two -DBELL_FIRST
fails "the reader takes what is not committed from the bell, and an NMI rings in vain" "$asleep" sleep $two -DNMI -DDRAIN_ALL
fails "a small bell and NMIs" "$asleep" sleep -DRUNS0=1 -DRUNS1=2 -DRUNS2=0 -DNMI -DSMALL_BELL

two='-DPROGRAMS=2 -DRUNS0=1 -DRUNS1=3'
holds "a slow program and three records of another one" overwrite $two
holds "two records, long and short ones of both" overwrite -DPROGRAMS=2 -DRUNS0=1 -DRUNS1=2 -DVARIED
holds "three programs on two CPUs" overwrite -DPROGRAMS=3 -DRUNS0=1 -DRUNS1=1 -DRUNS2=1
large "three programs, 4 records" overwrite -DPROGRAMS=3 -DRUNS0=1 -DRUNS1=2 -DRUNS2=1
large "three records, long and short ones of both" overwrite -DPROGRAMS=2 -DRUNS0=1 -DRUNS1=3 -DVARIED
holds "plain stores, one program at a time" overwrite $two -DPLAIN
fails "a part is entered before its last lap is finished" "$torn_copy" overwrite $two -DNO_COMMITTED
fails "the reader does not look at 'reserved' again" "$torn_copy" overwrite $two -DNO_SECOND_LOOK
fails "a record counts as finished before it is filled" "$torn_copy" overwrite $two -DEARLY_COMMIT
fails "plain stores and programs that nest" "assertion violated" overwrite $two -DPLAIN -DNEST

wrong='assertion violated ( !(done)'
holds "two tasks, two places" calls -DTASKS=2 -DPLACES=2 -DRUNS=2
holds "three tasks, two places" calls -DTASKS=3 -DPLACES=2 -DRUNS=1
large "three tasks, two places, two calls of each" calls -DTASKS=3 -DPLACES=2 -DRUNS=2
holds "two tasks, one place" calls -DTASKS=2 -DPLACES=1 -DRUNS=3
fails "an entry makes a place its own before it writes the time" "$wrong" calls -DTASKS=2 -DPLACES=1 -DRUNS=2 -DNO_BUSY
fails "the stack pointer before the time" "$wrong" calls -DTASKS=2 -DPLACES=1 -DRUNS=2 -DSP_FIRST
fails "a return gives its place back by a plain store" "$wrong" calls -DTASKS=2 -DPLACES=1 -DRUNS=2 -DPLAIN_END
fails "an entry does not look for an earlier call's place" "$wrong" calls -DTASKS=2 -DPLACES=2 -DRUNS=3 -DNO_LOOK

echo "# $total states searched in the models that hold; no search was cut short"
echo "1..$n"
