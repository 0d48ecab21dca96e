#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# selftests.sh - the kernel's own tests of ftrace's dynamic events, passed with bprobe, on each KERNEL given
#
#   selftests.sh [-b BPROBE] [-r 'TEST ...'] KERNEL...       (6.12 and newest)
#
#   -r TEST...   only these tests, such as kprobe/kprobe_args.tc
#
# The tests are those of the kernel's source (kerneltests.sh). Each runs on the kernel, and if it passes there, again with bprobe:
# selftests.sed rewrites its reads and writes of tracefs into calls of selftests.put and selftests.fresh, which use bprobe's commands.
# Each definition that a test has the kernel refuse is one of the tests here: bprobe refuses it, with its caret at the kernel's
# column. selftests.tsv and selftests-carets.tsv list what is different on purpose, with the reason. TAP on stdout.
set -u
. "$(dirname "$0")/../rig/suite.sh"
suite_options br "$@"
shift "$suite_shift"

tests() {
	source=$("$rig/kerneltests.sh" path "$kernel") || { echo "not ok - the kernel's tests are missing: kerneltests.sh fetch $kernel"; return; }
	rm -rf "$work/selftests"
	: > "$work/slow"
	mkdir -p "$work/selftests/test.d"
	for dir in kprobe dynevent filter trigger; do cp -r "$source/test.d/$dir" "$work/selftests/test.d/"; done
	cp "$source/test.d/functions" "$work/selftests/test.d/"
	for test in "$work"/selftests/test.d/*/*.tc "$work"/selftests/test.d/*/*/*.tc; do
		name=${test#"$work/selftests/test.d/"}
		awk -F '\t' -v name="$name" '$1 == "edit" && $2 == name { print $3 }' "$here/../rows/selftests.tsv" > "$work/edit"
		sed -E -f "$work/edit" "$test" | sed -E -f "$here/../tools/selftests.sed" > "$test.ours"
	done
	if [ -n "$rows" ]; then
		printf '%s\n' $rows > "$work/only"
	else
		(cd "$work/selftests/test.d" && ls */*.tc */*/*.tc) > "$work/all"
		awk -F '\t' '$1 == "slow" { print $2 }' "$here/../rows/selftests.tsv" | grep -vxFf - "$work/all" > "$work/only"
		awk -F '\t' '$1 == "slow" { print "=slow " $2, $3 }' "$here/../rows/selftests.tsv" > "$work/slow"
	fi
	# readelf of the guest's shell, since the guest has none.
	busybox=$(command -v busybox)
	{
		printf '#!/bin/sh\ncase $1 in -hW) cat << END\n'
		LC_ALL=C readelf -hW "$busybox"
		printf 'END\n;; -lW) cat << END\n'
		LC_ALL=C readelf -lW "$busybox"
		printf 'END\n;; esac\n'
	} > "$work/readelf"
	# The shell of the guests has no nice.
	nice=$(command -v nice)
	libraries=$(ldd "$nice" | sed -n 's%.*[ \t]\(/[^ ]*\) (0x.*%\1%p' | while read -r library; do echo "-f $(readlink -f "$library")=$library"; done)
	suite_guest -f "$nice=/bin/nice" $libraries -f "$work/selftests=/selftests" -f "$work/only=/only" -f "$work/readelf=/bin/readelf" -f "$here/../tools/selftests.put=/bin/put" \
		-f "$here/../tools/selftests.fresh=/bin/fresh" -f "$here/../tools/selftests.refuse=/bin/refuse" -f "$here/../tools/selftests.layout=/bin/layout" \
		"$here/selftests.guest" > "$work/raw"
	[ -z "${RAW:-}" ] || cp "$work/raw" "$RAW"
	awk -v kernel="$kernel" -f "$here/selftests.awk" "$here/../rows/selftests.tsv" "$here/../rows/selftests-carets.tsv" "$work/slow" "$work/raw"
}
suite_kernels tests "$@"
