#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# corpus.sh - every row of the corpus under the kernel's own tracer and under bprobe
#
#   corpus.sh [-b BPROBE] [-w WL] [-j GUESTS] [-k KERNEL]... [-r ROW]... [ROW...]
#
#   -j GUESTS   so many run at a time (default 2)
#   -k KERNEL   only there (default: all that kernels.sh knows)
#   -r ROW      only these rows
#
# The corpus is tests/corpus/kernel.tsv ($CORPUS: elsewhere). On 6.12 both
# tracers see the same run of the row's workload, and compared are acceptance and each line of
# the workload's process from the event's name on. On the other kernels only acceptance counts: what
# the grammar decides must be as on 6.12, what the build decides (symbols, boundaries, notrace) as
# that kernel's own tracer says. corpus-departures.tsv lists the rows where bprobe's answer is another
# on purpose. TAP on stdout, a count for each kernel at the end.
set -u

here=$(dirname "$0")
rig=$here/../rig
bprobe=$here/../../../build/bprobe wl=$here/../../../build/tests/wl kernels= rows= guests=2
corpus=${CORPUS:-$here/../../corpus/kernel.tsv}

while getopts b:w:j:k:r: option; do
	case $option in
	b)	bprobe=$OPTARG ;;
	w)	wl=$OPTARG ;;
	j)	guests=$OPTARG ;;
	k)	kernels="$kernels $OPTARG" ;;
	r)	rows="$rows $OPTARG" ;;
	*)	sed -n '6,10s/^# \{0,1\}//p' "$0" >&2; exit 64 ;;
	esac
done
shift $((OPTIND - 1))
rows="$rows $*"
[ -n "$kernels" ] || kernels="6.12 5.10 6.1 newest"

if [ ! -f "$corpus" ]; then
	echo "not ok 1 - the corpus: $corpus is not there"
	echo "1..1"
	exit 1
fi

work=$(mktemp -d "${TMPDIR:-/tmp}/corpus.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP

cut -f 3,14 "$corpus" | tr -c 'A-Za-z0-9_.' '\n' | sort -u > "$work/symbols"

# If a guest dies its rows are lost, and several guests run at a time. So 6.12's rows, which need most time,
# go to several guests. A few rows are not worth more than one boot.
shards=4
[ "$rows" = " " ] || shards=1
for kernel in $kernels; do
	n=1
	[ "$kernel" != 6.12 ] || n=$shards
	for shard in $(seq $n); do
		guest=$work/$kernel.$shard
		mkdir -p "$guest/rows"
		: > "$guest/mode"
		[ "$kernel" = 6.12 ] || echo verdicts > "$guest/mode"
		LC_ALL=C awk -v dir="$guest" -v shards="$n" -v shard="$shard" -v only="$rows" \
			-f "$here/corpus-rows.awk" "$corpus" || exit 1
	done
done

# One processor: with two, lines of the same time could come in either order, and 7.2 crashes QEMU.
export work here rig bprobe wl
for kernel in $kernels; do
	for guest in "$work/$kernel".*; do echo "$kernel $guest"; done
done | xargs -P "$guests" -L 1 sh -c '
	start=$(date +%s)
	"$rig/guest.sh" -k "$1" -p 1 -t "${GUEST_SECONDS:-1200}" -a rcupdate.rcu_expedited=1 \
		-f "$bprobe=/bin/bprobe" -f "$wl=/bin/wl" -f "$2/rows=/rows" -f "$2/mode=/mode" \
		-f "$2/places=/places" -f "$work/symbols=/symbols" \
		"$here/corpus.guest" > "$2/raw" 2> "$2/err"
	{
		tr "\000" "\376" < "$2/raw"	# awk ends a line at a zero byte; no row prints the other one
		sed "s/^/=broken /" "$2/err"
		echo "=seconds $(($(date +%s) - start))"
	} > "$2/out"' sh

for kernel in $kernels; do
	sort -u "$work/$kernel".*/judged > "$work/rows"
	LC_ALL=C awk -v kernel="$kernel" -f "$here/corpus.awk" "$here/../rows/corpus-departures.tsv" "$corpus" \
		"$work/rows" "$work/$kernel".*/out | cat -v
done > "$work/tap"
# Numbered here, since a kernel is judged by itself.
awk '/^(not )?ok / { n++; sub(/ok /, "ok " n " ") } { print } END { print "1.." n + 0 }' "$work/tap"
! grep -q '^not ok' "$work/tap"
