#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# coverage.sh [-l] [FILE...] - which lines no input of the fuzz targets reaches (tests/long/fuzz.sh)
#
# Runs the seeds, and the inputs that fuzz.sh has found so far, in a build that counts. Prints for each source file of user/ that a target
# reaches at all: its lines, and those that nothing reached. -l: which ones, with their text (of each FILE; default: of all).
set -u
cd "$(dirname "$0")/../.." || exit 1
: "${O:=build}"
list=
[ "${1:-}" != -l ] || { list=yes; shift; }
work=$O/long/fuzz covered=$O/libfuzzer/covered
export LLVM_PROFILE_FILE

make --no-print-directory -j"$(nproc)" O="$O" covered > "$work/make" 2>&1 || { tail -n 5 "$work/make"; exit 1; }
rm -f "$work"/*.profraw
objects=()
for target in $(basename -s .c -a tests/fuzz/fuzz_*.c); do
	[ -d "$work/$target/seeds" ] || { echo "coverage.sh: run tests/long/fuzz.sh -t 1 $target first" >&2; continue; }
	LLVM_PROFILE_FILE=$work/$target.profraw
	"$covered/$target" -runs=0 "$work/$target/corpus" "$work/$target/seeds" > "$work/$target/covered.log" 2>&1
	objects+=(-object "$covered/$target")
done
llvm-profdata merge -sparse -o "$work/all.profdata" "$work"/*.profraw || exit 1
llvm-cov export -format=lcov -instr-profile="$work/all.profdata" "${objects[@]}" > "$work/all.lcov" 2> /dev/null

awk -F '[:,]' -v list="$list" -v asked="$*" '
	BEGIN { n = split(asked, file, " "); for (i = 1; i <= n; i++) want[file[i]] = 1 }
	FILENAME ~ /unreached.tsv$/ { if (!/^#/) { split($0, row, "\t"); why[row[1]] = row[2] }; next }
	FILENAME ~ /parsers.tsv$/ { split($0, row, "\t"); if (!/^#/ && NF && row[2] != "-") parser[row[1]]; next }
	function reason(	len) {
		for (len = length(name); len; len--) if (substr(name, 1, len) in why) return why[substr(name, 1, len)]
	}
	function show(	i, text, at, of) {
		if (!reached || name !~ /^user\//) return
		if (n && !(name in want)) return
		printf "%-44s %5d lines, %4d not reached\n", name, lines, nr
		all += lines; missed += nr
		of = reason()
		if (of != "") by[of] += nr; else { unsaid += nr; if (nr > 20 && nr > lines / 4) trouble = trouble name ": many lines that nothing reaches, and no row in unreached.tsv\n" }
		if (!list) return
		at = 0
		for (i = 1; i <= nr; i++) {
			while (at < number[i] && (getline text < name) > 0) at++
			printf "%7d %s\n", number[i], text
		}
		close(name)
	}
	/^SF:/ { name = substr($0, 4); sub(/^.*\/user\//, "user/", name); lines = nr = reached = 0 }
	/^FNDA:/ { if ($2 > 0) called[$NF] }		# a static one has its file in front
	/^DA:/ { lines++; if ($3 > 0) reached++; else number[++nr] = $2 }
	/^end_of_record/ { show() }
	END {
		printf "%-44s %5d lines, %4d not reached\n", "all of these", all, missed
		if (n) exit
		print "\nWhat the lines are that no input reaches, and what tests them:"
		for (of in by) printf "%5d  %s\n", by[of], of | "sort -rn"
		close("sort -rn")
		printf "%5d  in files of which nearly all is reached\n", unsaid
		for (p in parser) if (!(p in called)) trouble = trouble p "(): in parsers.tsv, and no input reaches it\n"
		if (trouble != "") { printf "\n%s", trouble; exit 1 }
	}' tests/long/unreached.tsv tests/fuzz/parsers.tsv "$work/all.lcov"
