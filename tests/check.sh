#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# check.sh quick|short|full|kernels|distro|long - runs the tests and adds them up
#
# suites.tsv has the suites. quick boots no kernel. short adds guests with 6.12, full adds guests with all kernels of `make check`.
# long runs the long forms of the attacks. kernels runs three suites on each minor release. distro (for tests/distros.sh) is most of quick,
# a package and two guests.
#
#   SUITES="life keep"      only these suites
#   KERNELS="6.12 newest"   only on these kernels; with SUITES, also where `make check` does not run them
#   JOBS=N                  so many at a time (default: one more than there are processors, at most 6: a guest sleeps a third of its time)
#   BUDGET=check            more CPU seconds than budget.tsv allows are a failure
#
# Each suite writes TAP into $O/tests/NAME.tap. Shown are failures, skips with their reasons, one line a suite, a list of the suites
# with their CPU seconds, and at the end 'N passed, N failed, N skipped'. $O: where things were built (default build).
set -u
cd "$(dirname "$0")/.." || exit 1
: "${O:=build}" "${SUITES:=}" "${KERNELS:=}" "${BUDGET:=}"
bprobe=$O/bprobe
size=$1
taps=$O/tests
mkdir -p "$taps/cpu"
rm -rf "$taps"/*.tap "$taps"/cpu/* "$taps/seconds" "$taps/queue" "$taps"/batch.*
export BATCH_CPU=$taps/cpu

# All that it has started ends with it.
queue=
trap '[ -z "$queue" ] || kill -- "-$queue"; exit 130' INT TERM HUP

# ---- suites that are functions ----

demonstration() {
	if tests/guest/suites/demo.sh "$bprobe"; then echo "ok 1 - make demo traces a kernel"; else echo "not ok 1 - make demo"; fi
	echo 1..1
}

fuzz() {
	if [ "$size" = quick ]; then tests/fuzz/run.sh -q "$O"/tests/fuzz; else tests/fuzz/run.sh "$O"/tests/fuzz; fi
}

# ---- running ----

# suite NAME COMMAND...: a suite that prints no test at all, or dies, has failed.
suite() {
	local name=$1 start=$SECONDS tap=$taps/$1.tap status TIMEFORMAT='%U %S' guest='0 0' cpu
	shift
	{ time "$@" > "$tap" 2> "$tap.err" < /dev/null; } 2> "$tap.cpu"
	status=$?
	if ! grep -qE '^(ok|not ok)' "$tap" || { [ $status -ne 0 ] && ! grep -q '^not ok' "$tap"; }; then
		echo "not ok - $name: ended with status $status" >> "$tap"
		tail -n 20 "$tap.err" | sed 's/^/# /' >> "$tap"
	fi
	[ ! -e "$BATCH_CPU/$name" ] || guest=$(awk '{ cpu += $1; boot += $2 } END { print cpu, boot }' "$BATCH_CPU/$name")
	# Its CPU seconds, and with the boots that it shares with others
	cpu=$(echo "$(tail -n 1 "$tap.cpu") $guest" | awk '{ printf "%.1f %.1f", $1 + $2 + $3, $1 + $2 + $3 + $4 }')
	echo "$name $cpu" >> "$taps/seconds"
	# Suites may end at the same time: the lines of each stay together.
	flock "$taps/seconds" awk -v name="$name" -v seconds=$((SECONDS - start)) -v cpu="${cpu% *}" '
		/^ok .*# *[Ss][Kk][Ii][Pp]/ { skipped++; print "  " $0; next }
		/^ok/ { passed++; shown = 0; next }
		/^not ok/ { failed++; shown = 1; print "  " $0; next }
		/^# kernel/ || /^# .*: [0-9]+ equal/ || (/^#/ && shown) { print "  " $0 }
		END { printf "%-20s %4d passed, %d failed, %d skipped; CPU %.0f s\n", name, passed, failed, skipped, cpu }' "$tap"
}

# job suite NAME COMMAND... | job batch LIST
job() {
	case $1 in
	suite)	"$@" ;;
	batch)	tests/guest/rig/batch.sh suite < "$2" ;;
	esac
}

run_queue() {
	local processors
	processors=$(nproc)
	setsid xargs -d '\n' -P "${JOBS:-$((processors < 6 ? processors + 1 : 6))}" -I % bash -c 'job %' < "$taps/queue" &
	queue=$!
	wait $queue
	queue=
}

# Nothing of what was planned may be missing.
find_missing() {
	cut -d ' ' -f 3 "$taps/plan" | while read -r name; do
		grep -qs "^$name " "$taps/seconds" || echo "not ok - $name: did not run"
	done > "$taps/missing.tap"
	sed 's/^/  /' "$taps/missing.tap"
}

# fetch KERNEL...: those that are there, one a line. One that its archive dropped is a skip, any other that is missing a failure.
fetch_kernels() {
	local kernel
	for kernel; do
		tests/guest/rig/kernels.sh fetch "$kernel"
		case $? in
		0)	echo "$kernel" ;;
		3)	echo "ok - kernel $kernel # SKIP its archive does not have it any more" >> "$taps/kernels.tap" ;;
		*)	echo "not ok - fetching kernel $kernel" >> "$taps/kernels.tap" ;;
		esac
	done
}

# ---- which suites ----

# The kernels of a level. KERNELS says others.
kernels_of_level() {
	case $size in
	quick|distro)	;;
	short)		echo "${KERNELS:-6.12}" ;;
	full|long)	echo "${KERNELS:-$(tests/guest/rig/kernels.sh names)}" ;;
	kernels)	echo "${KERNELS:-$(tests/guest/rig/kernels.sh order)}" ;;
	esac
}

# Lines: SECONDS, GROUP (own; or the guests that it shares: FLAVOUR-KERNEL), NAME, COMMAND
plan() {	# plan KERNEL...
	awk -F '\t' -v size="$size" -v suites=" $SUITES " -v asked="$KERNELS" -v kernels="$*" '
		function runs(level) {
			if (size == "distro") return level == "quick" && $1 != "server" || $1 == "package" || level == "distro"
			if (size == "quick") return level == "quick"
			if (size == "kernels" || size == "long") return level == size
			if (size == "short") return level ~ /^(quick|short|short-only)$/
			return level ~ /^(quick|short|full)$/
		}
		function has(list, kernel,	i, n, one) {
			n = split(list, one, " ")
			for (i = 1; i <= n; i++) if (one[i] == kernel) return 1
			return 0
		}
		/^#/ || !runs($2) || (suites !~ /^ *$/ && index(suites, " " $1 " ") == 0) { next }
		$3 == "-" {
			if (asked == "" || suites !~ /^ *$/)
				print $5, "own", $1, $6
			next
		}
		# A suite runs on the kernels of its row. If both SUITES and KERNELS are given, it runs there as well.
		{
			n = split(kernels, kernel, " ")
			for (i = 1; i <= n; i++) {
				k = kernel[i]
				key = $1 SUBSEP k
				explicit = asked != "" && suites !~ /^ *$/
				if ($4 != "-" && size != "short" && !has($4, k)) {
					if (!explicit) continue
					if (!(key in spare) || $3 != "machine") spare[key] = line($5, $3, $1, k, $6)
					continue
				}
				found[key]
				print line($5, $3, $1, k, $6)
			}
		}
		function line(seconds, guest, name, k, command) {
			return seconds " " (guest == "own" ? "own" : guest "-" k) " " name "-" k (guest == "machine" ? "-machine" : "") \
				" " command (guest == "machine" ? " -M" : "") " " k
		}
		END { for (key in spare) if (!(key in found)) print spare[key] }' tests/suites.tsv | sort -rn
}

# Suites with the same guests are divided into batches of about $batch CPU seconds: the boot of a guest should not count, and the
# last jobs should be short.
batch=200
write_queue() {
	awk -v batch=$batch -v taps="$taps" '
		$2 == "own" { seconds = $1; $1 = $2 = ""; sub(/^ +/, ""); print seconds, "suite", $0; next }
		{
			seconds = $1 + 0; group = $2
			$1 = $2 = ""; sub(/^ +/, "")
			for (i = 1; (group, i) in sum && sum[group, i] + seconds > batch; i++)
				;
			sum[group, i] += seconds
			print $0 > (taps "/batch." group "." i)
		}
		END { for (key in sum) { split(key, part, SUBSEP); print sum[key], "batch", taps "/batch." part[1] "." part[2] } }' |
		sort -rn | cut -d ' ' -f 2-
}

# ---- all of it ----

limit_of() { awk -v size="$size" -F '\t' '$1 == size { print $2 }' tests/budget.tsv; }

# What all of this took, with everything that it started and that has ended. (In a subshell, times knows nothing.)
spent() {
	times > "$taps/times"
	awk 'NR == 2 { split($1, u, /[ms]/); split($2, s, /[ms]/); printf "%d\n", (u[1] + s[1]) * 60 + u[2] + s[2] + 0.5 }' "$taps/times" > "$taps/spent"
}

export -f suite job demonstration fuzz
export bprobe taps O size
kernels=$(kernels_of_level)
if [ -n "$kernels" ]; then
	tests/guest/rig/userland.sh fetch || echo "not ok - fetching the user land" > "$taps/userland.tap"
	kernels=$(fetch_kernels $kernels)
	cat "$taps/kernels.tap" "$taps/userland.tap" 2> /dev/null
elif [ "$size" = distro ]; then
	tests/guest/rig/kernels.sh fetch 6.12
	kernels=6.12
fi
spent
before=$(cat "$taps/spent")
plan $kernels > "$taps/plan"
for name in $SUITES; do
	cut -d ' ' -f 3 "$taps/plan" | grep -qE "^$name(-[0-9]+\.[0-9]+|-newest)?(-machine)?\$" || {
		echo "check.sh: no suite '$name' runs at this level${KERNELS:+ on $KERNELS}: tests/suites.tsv has the names" >&2
		exit 64
	}
done
write_queue < "$taps/plan" > "$taps/queue"
run_queue
find_missing

echo "CPU seconds of each suite, and what it costs alone, with its boots:"
sort -k2,2rn "$taps/seconds" | awk '
	{ text = sprintf("%s %.0f (%.0f)", $1, $2, $3); if (length(line text) > 130) { print "  " line; line = "" } line = line text ", " }
	END { sub(/, $/, "", line); print "  " line }'
spent
seconds=$(($(cat "$taps/spent") - before)) limit=$(limit_of) whole=yes
over=
[ -z "$SUITES$KERNELS" ] || whole=
[ -z "$limit" ] || [ -z "$whole" ] || [ "$seconds" -le "$limit" ] || over=yes
echo "$size: $seconds CPU seconds${limit:+ of $limit (tests/budget.tsv)}, $SECONDS seconds${over:+: MORE THAN ITS BUDGET}"
[ "$BUDGET" != check ] || [ -n "$whole" ] || echo "not ok - a part has no budget: without SUITES and KERNELS" > "$taps/budget.tap"
if [ "$BUDGET" = check ] && [ -n "$over" ]; then
	echo "not ok - $size takes more CPU seconds than its budget" > "$taps/budget.tap"
fi
cat "$taps"/*.tap | awk '
	/^ok .*# *[Ss][Kk][Ii][Pp]/ { skipped++; next }
	/^ok/ { passed++ }
	/^not ok/ { failed++ }
	END { printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped; exit failed > 0 || !passed }'
