# SPDX-License-Identifier: GPL-2.0-only
#
# runs.awk - do the numbers of a run add up? For runs.guest, which says what must be true
#
#   awk -f runs.awk -v output=OUTPUT -v reader=READER ROW.known SUMMARY EVENTS
#
# SUMMARY is that of a run, or a profile of kept events. It prints a line for each thing that is wrong.
function wrong(text) { print text }

FNR == 1 { file++ }

file == 1 {
	names[++nr] = $1
	seen[$1] = $2
	taken[$1] = $3
	undecided[$1] = $4
	next
}

# NAME: hits: N, counted: N, ...
file == 2 && /^e[0-9]+: hits: / {
	name = $1
	sub(/:$/, "", name)
	said[name]++
	for (i = 2; i < NF; i++) {
		word = $i
		value = $(i + 1)
		sub(/,$/, "", value)
		if (word ~ /^[a-z]+:$/ && (value ~ /^[0-9]+$/ || value == "unknown"))
			number[name, substr(word, 1, length(word) - 1)] = value
	}
	if (/in a histogram of several definitions/)
		together = 1
	next
}

# The table of --profile -v.
file == 2 && /^# event / { for (i = 3; i <= NF; i++) column[i - 1] = $i; next }
file == 2 && /^  e[0-9]+(\(counted\))? / {
	name = $1
	in_table = sub(/\(counted\)$/, "", name)
	if (in_table) {
		number[name, "counted"] = $3
		next
	}
	said[name]++
	for (i = 2; i <= NF; i++)
		number[name, column[i]] = $i
	next
}

# ---- the events ----
file == 3 && /LOST [0-9]+ EVENTS/ { match($0, /LOST [0-9]+/); told += substr($0, RSTART + 5, RLENGTH - 5); next }
file == 3 && /^\{"lost":/ { match($0, /[0-9]+/); told += substr($0, RSTART, RLENGTH); next }
file == 3 && /^ *[0-9]+ events? lost on CPU / { told += $1; next }
file == 3 && output ~ /json|flat/ && match($0, /"event":"e[0-9]+"/) {
	shown[substr($0, RSTART + 9, RLENGTH - 10)]++
	match($0, /"time_ns":[0-9]+/)
	time(substr($0, RSTART + 10, RLENGTH - 10))
	next
}
file == 3 && output == "short" && match($0, /[ \/]e[0-9]+( |$)/) {
	match($0, /[ \/]e[0-9]+/)
	shown[substr($0, RSTART + 1, RLENGTH - 1)]++
	time($1)
	next
}
file == 3 && output !~ /hist|count|live/ && match($0, /[0-9]: e[0-9]+: \(/) {
	shown[substr($0, RSTART + 3, RLENGTH - 6)]++
	match($0, / [0-9]+\.[0-9]+: /)
	time(substr($0, RSTART + 1, RLENGTH - 3))
	next
}
# Without the columns of its home, an event of the kernel has no place.
file == 3 && output !~ /hist|count|live/ && match($0, / [0-9]+\.[0-9]+: e[0-9]+:/) {
	text = substr($0, RSTART + 1, RLENGTH - 1)
	split(text, part, ": ")
	time(part[1])
	sub(/:.*/, "", part[2])
	shown[part[2]]++
	next
}
file == 3 && output ~ /hist/ && /^    Hits: [0-9]+$/ { tallied += $2; next }
file == 3 && output == "count" && /^ *[0-9]+ +[0-9]+/ { tallied += $2; next }

function time(now) {
	# Numbers of this size have all their digits in a double: 2^53 ns are 104 days.
	if (now + 0 < last + 0)
		wrong("the time " now " comes after " last)
	last = now
}

function n(name, word) { return number[name, word] + 0 }

END {
	for (i = 1; i <= nr; i++) {
		name = names[i]
		if (said[name] != 1) {
			wrong(name " is " said[name] + 0 " times in the summary")
			continue
		}
		sum = n(name, "hits") + n(name, "filtered") + n(name, "limited") + (together ? 0 : n(name, "counted"))
		lost += n(name, "lost")
		counted += n(name, "counted")
		missed = number[name, "missed"]
		if (seen[name] >= 0 && reader != "gone" && !together) {
			# A miss can be another task's: the kernel does not know which tasks are traced.
			if (sum > seen[name] || (missed != "unknown" && sum + missed < seen[name]))
				wrong(name ": seen " sum ", missed " missed ", of " seen[name] " calls")
			if (missed == 0) {
				rest = seen[name] - taken[name]
				if (n(name, "filtered") != rest) wrong(name ": filtered " n(name, "filtered") ", should be " rest)
				if (n(name, "undecided") != undecided[name]) wrong(name ": undecided " n(name, "undecided") ", should be " undecided[name])
			}
		}
		if (number[name, "seen"] != "" && number[name, "seen"] != n(name, "hits") + n(name, "filtered") + n(name, "limited"))
			wrong(name ": seen is " number[name, "seen"] " in the profile")
		if (n(name, "undecided") > n(name, "filtered")) wrong(name ": more undecided than filtered")
		recorded = n(name, "hits") - n(name, "overwritten") - n(name, "lost")
		if (reader == "gone" ? shown[name] > recorded : output !~ /hist|count|live/ && shown[name] + 0 != recorded)
			wrong(name ": " shown[name] + 0 " events are shown, and " recorded " recorded: hits " n(name, "hits") \
				", overwritten " n(name, "overwritten") ", lost " n(name, "lost"))
	}
	if (reader != "gone" && output !~ /overwrite|live/ && told + 0 != lost)
		wrong("the output tells of " told + 0 " losses, the summary of " lost)
	if (output ~ /hist/ && reader != "gone" && tallied + 0 != counted)
		wrong("the tables have " tallied + 0 " hits, the summary " counted)
}
