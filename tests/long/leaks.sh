#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# leaks.sh [CASE...] - the golden cases once more, with a bprobe that has ASan, LeakSanitizer and UBSan ($O/san/bprobe). TAP on stdout
#
# A finding is printed by the case's command, so that the case fails: its output is another one. Nearly all cases of errors.case, usage.case and
# apply.case end on an error path.
#
# The planted fault: the diag_fini() left out in definitions_read_file() of set/text_file.c; six cases of output.case failed.
set -u
for case; do
	shift
	set -- "$@" "$(realpath "$case")"
done
cd "$(dirname "$0")/../.." || exit 1
: "${O:=build}"
make --no-print-directory -j"$(nproc)" O="$O" "$O/san/bprobe" "$O/tests/btf/vmlinux" "$O/tests/image/vmlinux" > /dev/null || exit 1
export SANITIZED=yes ASAN_OPTIONS=detect_leaks=1 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
exec tests/golden/run.sh "$O/san/bprobe" "$O/tests/btf" "$@"
