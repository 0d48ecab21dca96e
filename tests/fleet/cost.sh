#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# cost.sh [-b BPROBE] [-w WL] [KERNEL] - what a node costs: bprobe --pipe --json=flat --host --clock=real with 0 to 1000 events a second
#
# Prints doc/fleet.md's table. The guest counts instructions (guest.sh -i), so its figures do not depend on the machine; 3,000 million instructions
# are about a second of one processor. Kernel side: what the probe's program costs is in doc/benchmark.md.
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
"$here/../guest/rig/guest.sh" -i -k "${1:-6.12}" -t 900 -f "$bprobe=/bin/bprobe" -f "$wl=/bin/wl" "$here/cost.guest" 2>&1 | tr -d '\r' | awk '
	BEGIN {
		print "| events a second | instructions of the reader an event | ... of a processor | bytes a second | bytes an event | memory (RSS) |"
		print "|---|---|---|---|---|---|"
	}
	# The rest of the time is the same with no event: 100 tenths of a second, and what the loop took.
	$1 == "COST" && $2 == 0 { idle = $4 }
	$1 == "COST" && $2 > 0 {
		seconds = $3 / $2
		printf "| %d | %d | %.4f %% | %d | %d | %.1f MB |\n", $2, ($4 - idle) / $3, 100 * $4 / seconds / 3e9, $5 / seconds, $5 / $3, $6 / 1024
	}
	$1 == "COST" { rows++ }
	END { if (rows != 4) exit 1 }'
