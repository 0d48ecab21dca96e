#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# run.sh BINARY... - unit tests, as many at a time as there are processors, as one TAP stream with names.
#
# test_corpus gets the corpus of definitions.
set -u
corpus=$(dirname "$0")/../corpus/kernel.tsv
export corpus
# A finding of UBSan alone would only be printed.
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
for test; do
	case $test in *.tap|*.err|*.status) continue ;; esac	# what an earlier run printed
	[ ! -d "$test" ] || continue
	rm -f "$test.tap" "$test.err" "$test.status"
	echo "$test"
done | xargs -P "$(nproc)" -I % sh -c '"%" "$corpus" > "%.tap" 2> "%.err" < /dev/null; echo $? > "%.status"'

failed=0
for test; do
	case $test in *.tap|*.err|*.status) continue ;; esac
	[ ! -d "$test" ] || continue
	name=$(basename "$test")
	status=$(cat "$test.status" 2> /dev/null)
	sed "s/^\(not ok\|ok\) [0-9]* - /\1 - $name: /" "$test.tap"
	if [ "$status" != 0 ]; then
		failed=1
		grep -q '^not ok' "$test.tap" || echo "not ok - $name: ended with status ${status:-unknown}"
		sed 's/^/# /' "$test.err"
	fi
done
exit "$failed"
