#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# run.sh BINARY... - unit tests one after the other, as one TAP stream with names.
#
# test_corpus gets the corpus of definitions.
set -u
corpus=$(dirname "$0")/../corpus/kernel.tsv
failed=0
for test; do
	case $test in *.tap|*.err) continue ;; esac	# what an earlier run printed
	[ ! -d "$test" ] || continue
	name=$(basename "$test")
	"$test" "$corpus" > "$test.tap" 2> "$test.err"
	status=$?
	sed "s/^\(not ok\|ok\) [0-9]* - /\1 - $name: /" "$test.tap"
	if [ "$status" -ne 0 ]; then
		failed=1
		grep -q '^not ok' "$test.tap" || echo "not ok - $name: ended with status $status"
		sed 's/^/# /' "$test.err"
	fi
done
exit "$failed"
