#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# analyzed.sh BUILD [TOOL...] - tools that look for mistakes find none in user/ and include/, or only those of suppressed.tsv
#
# analyzers.tsv has a row for each tool. BUILD has the headers that the build makes. TAP on stdout; comments say what was found, and in how many
# CPU seconds.
#
# The planted faults: in planted/TOOL.c the lines that end with "finds: NAME..." have one, and the tool must name just these. Then one of them
# is suppressed, by a table that has a row for nothing, too: the judge must tell the other faults and this row.
set -u
cd "$(dirname "$0")/../.." || exit 1
built=$1
shift
chosen=$*
export LC_ALL=C
unset MAKEFLAGS MAKELEVEL MFLAGS
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
here=tests/long
n=0

is() {	# is TEXT WHAT WANTED
	n=$((n + 1))
	if [ "$2" = "$3" ]; then
		echo "ok $n - $1"
	else
		echo "not ok $n - $1"
		diff <(echo "$3") <(echo "$2") | sed -n 's/^< /# missing: /p; s/^> /# /p'
	fi
}

# user/, with what stands for a missing library. And the flags of its build.
make -s -f - O="$built" known > "$tmp/known" << 'END'
include Makefile
known:
	@echo $(sort $(SRCS) $(wildcard user/compat/*.c user/elf/dwarf/none.c user/timeline/pftrace_none.c))
	@echo $(CPPFLAGS_ALL)
END
{ read -ra files; read -r flags; } < "$tmp/known"
flags="$flags -DBPROBE_RELEASE='\"\"' -DBPROBE_COMMIT='\"\"'"

one() {
	{
		echo "file $1"
		eval "$COMMAND" || echo "$1:1:1: error: the tool ended with status $? [ended]"
	} >> "$SAID/$BASHPID" 2>&1
}
export -f one

# findings COMMAND FILE...: lines: the file that was given to the tool, that of the finding, the line, name, text. $tmp/cpu: the CPU seconds.
findings() {
	local TIMEFORMAT='%U %S'
	export COMMAND=${1//FLAGS/$flags} SAID=$tmp/said
	shift
	rm -rf "$SAID" && mkdir "$SAID"
	{ time printf '%s\n' "$@" | xargs -d '\n' -n 1 -P "$(nproc)" bash -c 'one "$1"' -; } 2> "$tmp/cpu"
	cat "$SAID"/* | awk -v here="$PWD/" '
		/^file / { given = substr($0, 6); next }
		match($0, /^[^: ]+:[0-9]+:[0-9]+: [a-z ]+: /) {
			split($0, at, ":")
			name = text = substr($0, RLENGTH + 1)
			if (!match($0, /: (warning|error|fatal error|performance|portability): /)) next
			if (sub(/^.* \[(-W)?/, "", name)) sub(/\]$/, "", name); else name = "error"
			sub(/ (\[CWE-[0-9]+\] )?\[[^[]*\]$/, "", text)
			if (index(at[1], here) == 1) at[1] = substr(at[1], length(here) + 1)
			print given "\t" at[1] "\t" at[2] "\t" name "\t" text
		}' | sort -u
}

# judge TOOL TABLE < FINDINGS: "new" and each finding that no row of the table is for, one line for each place; "idle" and each row that is for
# none; "kept" and how many are suppressed. A row is for the file that was given to the tool or the one that has the finding.
judge() {
	awk -F '\t' -v tool="$1" '
		FILENAME == ARGV[1] {
			if ($1 == tool) { rows++; file[rows] = $2; name[rows] = $3; has[rows] = $4; row[rows] = $2 " " $3 " " $4 }
			next
		}
		{
			if (!($2 in read_)) {
				read_[$2]
				for (i = 1; (getline line < $2) > 0; i++) source[$2, i] = line
				close($2)
			}
			known = 0
			for (i = 1; i <= rows; i++)
				if ((file[i] == $1 || file[i] == $2) && name[i] == $4 && (index(source[$2, $3], has[i]) || index($5, has[i])))
					known = used[i] = 1
			place = $2 ":" $3 ": " $5 " [" $4 "]"
			if (place in seen) next
			seen[place]
			if (known) kept++; else print "new " place
		}
		END {
			for (i = 1; i <= rows; i++) if (!(i in used)) print "idle " row[i]
			print "kept " kept + 0
		}' "$2" -
}

# ---- each tool ----

while IFS=$'\t' read -r tool release command; do
	case $tool in '#'*) continue ;; esac
	case " $chosen " in *" $tool "*|'  ') ;; *) continue ;; esac
	if ! has=$("${command%% *}" --version 2> /dev/null | grep -oE -m 1 '[0-9]+(\.[0-9]+)+' | head -n 1) || [ -z "$has" ]; then
		n=$((n + 1))
		echo "ok $n - $tool # SKIP it is not there: tests/setup.sh analyzers installs it"
		continue
	fi
	if [ "${has%%.*}" != "$release" ]; then
		n=$((n + 1))
		echo "ok $n - $tool # SKIP suppressed.tsv is for release $release, and this is $has: other releases find other things"
		continue
	fi

	planted=$here/planted/$tool.c
	findings "$command" "$planted" > "$tmp/planted"
	is "$tool $has names the planted faults" "$(cut -f 3,4 "$tmp/planted" | tr '\t' ' ' | sort -u)" \
		"$(awk '/finds: / { for (i = NF; $i != "finds:"; i--) if ($i != "*/") print NR, $i }' "$planted" | sort -u)"
	IFS=$'\t' read -r _ file line name text < "$tmp/planted"
	printf '%s\t%s\t%s\t%s\tplanted\n' "$tool" "$file" "$name" "$(sed -n "${line}s/^[[:blank:]]*//p" "$file")" "$tool" "$file" "$name" nowhere > "$tmp/table"
	is "... one is suppressed, and a row for nothing is told" "$(judge "$tool" "$tmp/table" < "$tmp/planted")" \
		"$(sed 1d "$tmp/planted" | awk -F '\t' '{ print "new " $2 ":" $3 ": " $5 " [" $4 "]" }'; echo "idle $file $name nowhere"; echo "kept 1")"

	findings "$command" "${files[@]}" > "$tmp/found"
	judge "$tool" $here/suppressed.tsv < "$tmp/found" > "$tmp/judged"
	new=$(grep '^new ' "$tmp/judged")
	is "$tool finds nothing new in the ${#files[@]} files of user/ and their headers" "${new//new /}" ""
	is "each row of suppressed.tsv for $tool suppresses something" "$(grep '^idle ' "$tmp/judged")" ""
	echo "# $tool: $(grep -c '^new ' "$tmp/judged") new, $(sed -n 's/^kept //p' "$tmp/judged") suppressed; CPU $(awk '{ printf "%.0f", $1 + $2 }' "$tmp/cpu") s"
done < $here/analyzers.tsv
echo "1..$n"
