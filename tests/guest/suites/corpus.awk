# SPDX-License-Identifier: GPL-2.0-only
#
# corpus.awk - compares what corpus.guest sends; -v kernel=NAME
#
#   awk -f corpus.awk corpus-departures.tsv kernel.tsv ROWS OUTPUT...
#
# Equal means: both accept the row and print the same lines, or both refuse it. A row of which the kernel
# accepts only a part is neither.

BEGIN {
	FS = "\t"
	for (i = 1; i < 256; i++) ordinal[sprintf("%c", i)] = i
}

FNR == 1 { file++ }

# corpus-departures.tsv: ROW or KERNEL:ROW
file == 1 {
	if (/^#/) next
	id = $1
	if (sub(/^[^:]*:/, "", id) ? $1 == kernel ":" id : kernel == "6.12" || $3 == "refused" || $3 == "accepted") {
		departure[id] = $2
		expected[id] = $3
	}
	next
}
file == 2 {
	definition[$1] = $3
	verdict_612[$1] = $11 ~ /E/ ? "refused" : "ok"
	message_612[$1] = $16
	next
}
file == 3 { ids[++rows] = $1; next }

/^=seconds / { if (substr($0, 10) + 0 > seconds) seconds = substr($0, 10) + 0; next }
/^=address / { split($0, word, " "); address[file, word[3]] = word[2]; next }
/^=row / { id = substr($0, 6); guest[id] = file; next }
/^=end/ { mine = 0; next }
/^=writes / { writes[id] = substr($0, 9); next }
/^=error / { error[id] = substr($0, 8); next }
/^=bprobe / {
	status[id] = substr($0, 9)
	why[id] = status[id]
	sub(/^[0-9]* ?/, "", why[id])
	sub(/ .*/, "", status[id])
	next
}
/^=place / {
	text = $0
	sub(/^=place [a-z]* [a-z]* /, "", text)
	split($0, word, " ")
	place_kernel[text] = word[2]
	place_ours[text] = word[3]
	next
}
/^=lines / { split($0, word, " "); who = word[2]; pid = word[3] + 0; mine = 0; next }
# The workload runs in a child of `wl batch`, which may have children of its own.
match($0, /-[0-9]+ +\[[0-9]+\] [^ ]+ +[0-9]+\.[0-9]+: /) && /^ *[^ ]/ {
	rest = substr($0, RSTART + RLENGTH)
	mine = /^ *wl-[0-9]/ && substr($0, RSTART + 1) + 0 >= pid
	if (!mine) next
	line[id, who, ++count[id, who]] = rest
	if (who == "kernel" && match(rest, /\([^ )]*\/0x[0-9a-f]*\)/)) {
		location = substr(rest, RSTART, RLENGTH)
		sub(/0x[0-9a-f]*\)$/, "", location)
		size[location] = substr(rest, RSTART + length(location), RLENGTH - length(location))
	}
	next
}
/^#/ { next }
# A raw string has a newline, which broke the line.
mine { line[id, who, count[id, who]] = line[id, who, count[id, who]] "\n" $0; next }

# {{SYM}} of the corpus means the symbol's address in the guest of this row.
function with_addresses(text, id,	symbol)
{
	while (match(text, /\{\{[^}]*\}\}/)) {
		symbol = substr(text, RSTART + 2, RLENGTH - 4)
		text = substr(text, 1, RSTART - 1) address[guest[id], symbol] substr(text, RSTART + RLENGTH)
	}
	return text
}

# The N letters a to z and again that `wl openlong` has for a path: {a-z*N}.
function with_letters(text,	n, letters)
{
	while (match(text, /\{a-z\*[0-9]+\}/)) {
		n = substr(text, RSTART + 5, RLENGTH - 6) + 0
		letters = "abcdefghijklmnopqrstuvwxyz"
		while (length(letters) < n) letters = letters letters
		text = substr(text, 1, RSTART - 1) substr(letters, 1, n) substr(text, RSTART + RLENGTH)
	}
	return text
}

# The value of argument NAME in a line of the kernel: up to the next argument or the end.
function value_of(text, name,	at, rest)
{
	at = index(text, " " name "=")
	if (!at) return "(none)"
	rest = substr(text, at + length(name) + 2)
	if (match(rest, / [A-Za-z_][A-Za-z0-9_]*=/)) rest = substr(rest, 1, RSTART - 1)
	return rest
}

# A string or character of the kernel, raw, as bprobe prints it.
function escaped(value,	quote, text, i, c, code)
{
	quote = substr(value, 1, 1)
	text = quote
	for (i = 2; i < length(value); i++) {
		c = substr(value, i, 1)
		code = ordinal[c]
		if (c == quote || c == "\\") c = "\\" c
		else if (c == "\n") c = "\\n"
		else if (c == "\t") c = "\\t"
		else if (c == "\r") c = "\\r"
		else if (code < 32 || code == 127) c = sprintf("\\x%02x", code)
		text = text c
	}
	return text quote
}

# What a departure expects, with the kernel's own text where it says *: for (*) its location,
# for NAME=* its value, for NAME=\* its string escaped. Where the kernel printed no line, (SYM+0xN/*) has
# what it prints as the size of that function elsewhere.
function wanted(want, theirs, id,	at, name, mark, value, location)
{
	want = with_letters(with_addresses(want, id))
	at = index(want, "(*)")
	if (at && match(theirs, /\([^)]*\)/))
		want = substr(want, 1, at - 1) substr(theirs, RSTART, RLENGTH) substr(want, at + 3)
	if (match(want, /\([^ )]*\/\*\)/)) {
		location = substr(want, RSTART, RLENGTH - 2)
		want = substr(want, 1, RSTART + RLENGTH - 3) size[location] substr(want, RSTART + RLENGTH)
	}
	while (match(want, / [A-Za-z_][A-Za-z0-9_]*=\\?\*( |$)/)) {
		name = substr(want, RSTART + 1)
		sub(/=.*/, "", name)
		at = RSTART + length(name) + 1
		mark = substr(want, at + 1, 1) == "*" ? 1 : 2
		value = value_of(theirs, name)
		if (mark == 2) value = escaped(value)
		want = substr(want, 1, at) value substr(want, at + mark + 1)
	}
	return want
}

function accepted(id)
{
	return status[id] == 0 && why[id] == "" || why[id] ~ /no definition is left to trace/
}

function cut(text, n) { return length(text) > n ? substr(text, 1, n) "..." : text }

function difference(theirs, ours, want)
{
	gsub(/\n/, "^J", theirs)
	gsub(/\n/, "^J", want)
	diff[++diffs] = "#   kernel: " cut(theirs, 500) "\n#   bprobe: " cut(ours, 500) \
		(want == "" ? "" : "\n#   wanted: " cut(want, 500))
}

function compare_verdicts(id, theirs, want,	ours)
{
	ours = accepted(id) ? "ok" : "refused"
	if (!accepted(id) && (why[id] == "" || status[id] != 125))
		ours = "ended with status " status[id]
	if (ours != want)
		difference(theirs (error[id] == "" ? "" : ": " error[id]), ours ": " why[id], want == theirs ? "" : want)
	return ours == want
}

# The last four digits of a number.
function low(hex,	n, i)
{
	for (i = length(hex) - 3; i <= length(hex); i++) n = 16 * n + index("0123456789abcdef", substr(hex, i, 1)) - 1
	return n
}

# Two probes of one call read the clock one after the other: their values may be some ticks apart.
function is_near(id, theirs, ours,	at, ticks)
{
	at = definition[id] ~ / v=@jiffies$/ ? index(theirs, " v=0x") : 0
	ticks = low(ours) - low(theirs)
	return at && substr(theirs, 1, at) == substr(ours, 1, at) && (ticks + 65536 + 25) % 65536 <= 50
}

# Both have printed lines, or one of them: compare line by line.
function compare_lines(id, want,	n, k, o, w, piece, pieces)
{
	pieces = want == "" ? 0 : split(want, piece, / \|\| /)
	for (n = 1; n <= count[id, "kernel"] || n <= count[id, "ours"] || n <= pieces; n++) {
		k = n <= count[id, "kernel"] ? line[id, "kernel", n] : "(nothing)"
		o = n <= count[id, "ours"] ? line[id, "ours", n] : "(nothing)"
		w = want == "" ? k : n <= pieces ? wanted(piece[n], k, id) : "(nothing)"
		if (o != w && !is_near(id, w, o))
			difference(k, o, want == "" ? "" : w)
	}
}

function judge_lines(id,	theirs, want)
{
	theirs = writes[id] !~ /refused/ ? "ok" : writes[id] ~ /ok/ ? "partly" : "refused"
	want = id in expected ? expected[id] : ""
	if (want == "refused" || want == "accepted")
		compare_verdicts(id, theirs, want == "accepted" ? "ok" : "refused")
	else if (compare_verdicts(id, theirs, want == "" ? theirs : "ok") && accepted(id))
		compare_lines(id, want)
}

# For kernels other than 6.12: which refusals of 6.12 depend on its build.
function build_decides(message)
{
	return message ~ /instruction boundary|Failed to register|Invalid probed address|must be an function entry/
}

function judge_verdict(id,	text, n, i, word, part, live, want, place)
{
	live = writes[id] ~ /refused/ ? "refused" : "ok"
	if (verdict_612[id] == "refused")
		want = build_decides(message_612[id]) ? live : "refused"
	else
		want = "ok"
	text = definition[id]
	gsub(/\^n| \|\| /, "\n", text)
	gsub(/\^t/, " ", text)
	n = split(text, part, "\n")
	for (i = 1; i <= n; i++) {
		sub(/#.*/, "", part[i])
		if (split(part[i], word, " ") < 2 || word[1] !~ /^[pr]/)
			continue
		place = substr(word[1], 1, 1) " " word[2]
		if (place_kernel[place] == "refused")
			want = "refused"
		if (accepted(id) && place_ours[place] == "refused") {
			status[id] = 125
			why[id] = "(its place)"
		}
	}
	# --explain ends with 1 where tracing a command ends with 125.
	if (status[id] == 1 || status[id] == 2) status[id] = 125
	if (id in expected)
		want = expected[id] == "accepted" ? "ok" : "refused"
	compare_verdicts(id, live, want)
}

function judge(id,	name, n)
{
	name = id ": " cut(definition[id], 160)
	diffs = 0
	if (!(id in status)) {
		print "not ok - " name ": no result"
		different++
		return
	}
	if (kernel == "6.12") judge_lines(id)
	else judge_verdict(id)
	if (diffs) {
		print "not ok - " name
		different++
	} else if (id in expected) {
		print "ok - " name " # departure " departure[id]
		departures++
	} else {
		print "ok - " name
		equal++
	}
	for (n = 1; n <= diffs && n <= 3; n++) print diff[n]
}

END {
	for (n = 1; n <= rows; n++) judge(ids[n])
	printf "# %s: %d equal, %d departures, %d different (%d s)\n", kernel, equal, departures, different, seconds
}
