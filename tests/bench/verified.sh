#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# verified.sh - what the verifier has to do for the programs of 60 definitions (verified.defs), on each KERNEL given
#
#   verified.sh [-b BPROBE] [-l PERCENT] KERNEL...		TAP: each against verified.tsv; more than PERCENT (2) growth has failed
#   verified.sh [-b BPROBE] --reference KERNEL...		writes these kernels' rows of verified.tsv
#
# Columns of verified.tsv: kernel, definition, its programs, their instructions, those that the verifier walked (bprobe -v), and the time of that in
# thousands of instructions, in a guest that counts them. Only what the verifier walked is held: the kernel has a limit for it (1,000,000), and time
# follows it. A kernel's new build may change it a little. A definition that is missing there is reported and not held.
#
# It has found a planted fault: user/gen/fold.c without the removal of loads that nothing reads. 52 of 60 definitions failed on 6.12.
set -u
here=$(dirname "$0")
guest=$here/../guest
bprobe=${O:-$here/../../build}/bprobe
wl=${O:-$here/../../build}/tests/wl
percent=2 mode=check reference=$here/verified.tsv
while [ $# -gt 0 ]; do
	case $1 in
	--reference)	mode=reference ;;
	-b)	bprobe=$2; shift ;;
	-l)	percent=$2; shift ;;
	-*)	sed -n '6,7s/^# \{0,1\}//p' "$0" >&2; exit 64 ;;
	*)	break ;;
	esac
	shift
done
[ $# -gt 0 ] || { sed -n '6,7s/^# \{0,1\}//p' "$0" >&2; exit 64; }
definitions=$(grep -vc -e '^#' -e '^$' "$here/verified.defs")
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
: > "$work/rows"
for kernel; do
	"$guest/rig/kernels.sh" fetch "$kernel"
	case $? in
	0)	;;
	3)	[ $mode = check ] || exit 1		# its rows stay
		echo "ok - kernel $kernel # SKIP its archive does not have it any more"
		continue ;;
	*)	exit 1 ;;
	esac
	"$guest/rig/guest.sh" -i -k "$kernel" -t 900 -f "$bprobe=/bin/bprobe" -f "$wl=/bin/wl" -f "$here/verified.defs=/verified.defs" \
		"$here/verified.guest" > "$work/said" 2>&1
	awk -v kernel="$kernel" -v OFS='\t' '/^=verified / { print kernel, $2, $3, $4, $5, $6 } /^=refused / { print "# " kernel " " substr($0, 2) }' \
		"$work/said" > "$work/new"
	told=$(wc -l < "$work/new")
	[ "$told" = "$definitions" ] || echo "# $kernel: the guest told about $told of $definitions definitions" >> "$work/new"
	cat "$work/new" >> "$work/rows"
done
if [ $mode = reference ]; then
	[ -e "$reference" ] || echo '# kernel, definition, programs, instructions, verified, thousands of instructions: verified.sh --reference' > "$reference"
	! grep '^#' "$work/rows" || exit 1
	awk -F '\t' -v kernels=" $* " 'index(kernels, " " $1 " ") == 0' "$reference" > "$work/new"
	cat "$work/rows" >> "$work/new"
	{ grep '^#' "$work/new"; grep -v '^#' "$work/new" | sort -s -t '	' -k 1,1V; } > "$reference"
	exit
fi
awk -F '\t' -v percent="$percent" '
	NR == FNR { was[$1, $2] = $5; next }
	/^#/ { print "not ok - " substr($0, 3); failed++; next }
	{
		sum[$1] += $5; time[$1] += $6; n[$1]++
		if (!(($1, $2) in was)) { print "ok - " $1 " " $2 ": " $5 " instructions verified # SKIP verified.tsv has no row for it"; next }
		old[$1] += was[$1, $2]
		failed += $5 > was[$1, $2] * (1 + percent / 100)
		print ($5 <= was[$1, $2] * (1 + percent / 100) ? "ok" : "not ok") " - " $1 " " $2 ": " $5 " instructions verified (" was[$1, $2] " in verified.tsv)"
	}
	END {
		for (i in sum) printf "# %s: %d definitions, %d instructions verified (%d), %d million instructions for that\n", i, n[i], sum[i], old[i], time[i] / 1000
		exit failed > 0
	}' "$reference" "$work/rows"
