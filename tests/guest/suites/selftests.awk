# SPDX-License-Identifier: GPL-2.0-only
#
# selftests.awk - judges what selftests.guest sent: awk -v kernel=NAME -f selftests.awk selftests.tsv selftests-carets.tsv RAW
#
# TAP, and a count at the end.
BEGIN { FS = "\t" }

function text(line, words) {	# text(LINE, N): LINE without its first N words
	while (words-- > 0)
		sub(/^[^ ]* */, "", line)
	return line
}

function not_applicable(file, reason) {
	print "ok - " file " # SKIP not applicable: " reason
	skipped++
}

function not_run(line,	word) {
	split(line, word, " ")
	print "ok - " word[1] " # SKIP slow: " text(line, 1) "; by hand: selftests.sh -r " word[1]
	slow++
}

function failed(name) {
	print "not ok - " name
	shown = 1
}

function judge_kernel(line,	word, why) {
	split(line, word, " ")
	if (word[3] == "passed")
		return
	why = text(line, 4)
	if (why == "" || why ~ /^sh: /)
		why = word[3]
	not_applicable(word[2], (word[3] == "failed" ? "fails on the kernel itself: " : "the kernel: ") why)
}

function judge_ours(line,	word, file) {
	split(line, word, " ")
	file = word[2]
	if (word[3] == "passed" && file in departure) {
		failed(file ": passes, but selftests.tsv says: " departure[file])
		bad++
	} else if (word[3] == "passed") {
		print "ok - " file
		passed++
	} else if (file in departure) {
		not_applicable(file, departure[file])
	} else if (line ~ /no translation of/) {
		not_applicable(file, text(line, 4))
	} else {
		failed(file ": " word[3] ": " text(line, 4))
		bad++
	}
}

function judge_caret(line,	part, name, key) {
	split(line, part, "|")
	name = part[1] " '" part[2] "'"
	key = part[1] SUBSEP part[2]
	if (part[4] == part[3] && !(key in ours)) {
		print "ok - " name
		equal++
	} else if (key in ours && part[4] == ours[key]) {
		print "ok - " name ": " ours[key] ": " reason[key]
		elsewhere++
	} else {
		failed(name ": the kernel's column is " part[3] ", bprobe's " part[4] (key in ours ? ", listed " ours[key] : ""))
		print "#   " part[5]
		wrong++
	}
}

/^#/ && FILENAME ~ /\.tsv$/ { next }
FILENAME ~ /selftests-carets\.tsv$/ { ours[$1, $2] = $4; reason[$1, $2] = $5; next }
FILENAME ~ /selftests\.tsv$/ { if ($1 == "differs") departure[$2] = $3; next }
/^=slow / { not_run(substr($0, 7)); next }
/^=kernel / { shown = 0; judge_kernel($0); next }
/^=ours / { shown = 0; judge_ours($0); next }
/^=caret / { shown = 0; judge_caret(substr($0, 8)); next }
/^=log / { if (shown) print "#   " substr($0, 6); next }
/^=end/ { ended = 1; next }
/^not ok/ { print; next }
{ print "# " $0 }
END {
	if (!ended)
		print "not ok - the tests have not ended"
	printf "# kernel %s: tests: %d passed, %d failed, %d not applicable, %d slow ones not run; definitions to refuse: %d at the kernel's column, %d elsewhere and listed, %d wrong\n",
		kernel, passed, bad, skipped, slow, equal, elsewhere, wrong
}
