# SPDX-License-Identifier: GPL-2.0-only
#
# hist.awk - judges what hist.guest sent out: TAP
#
# -v kernel=NAME, -v departures=FILE (hist-departures.tsv), -v random=1 (a row that is listed as a departure may be equal, too).
# The first file has the rows (hist.tsv), the second what was sent out.
#
# Compared are: the verdicts; the triggers at the end; the entries of each histogram with its head and totals, as a set, because the
# kernel's order of equal sort keys is not defined; and the lines of each task, from the event's name on, in their order (the
# kernel's clock differs from CPU to CPU). A stack belongs to the lines of its task. It is compared from the traced function on, because
# the kernel's has the tracer's own frames before it.

# ---- departures ----

function departs(kind) {
	return (row in departure) && departure[row] == kind
}

# signed: the kernel shows a number below zero as one of 2^63 and more, with 20 digits. @text has these digits.
function negative(text, high, low) {
	high = 1844674407 - substr(text, 1, 10)
	low = 3709551616 - substr(text, 11)
	if (low < 0) {
		low += 10000000000
		high--
	}
	return high > 0 ? sprintf("-%.0f%010.0f", high, low) : sprintf("-%.0f", low)
}

# Which names of this row have a sign: arguments of such types, fields of synthetic events, and variables made from them.
function learn_signs(definitions, triggers, word, n, i, part, name) {
	delete has_sign
	has_sign["common_pid"] = 1
	n = split(detail[row], word, " ")
	for (i = 1; departs("signed") && i <= n; i++)
		has_sign[word[i]] = 1
	n = split(definitions, word, /[ ;]+/)
	for (i = 1; i <= n; i++) {
		if (word[i] ~ /^[A-Za-z_0-9]+=.*:(s8|s16|s32|s64)$/) {
			name = word[i]
			sub(/=.*/, "", name)
			has_sign[name] = 1
		} else if (word[i] ~ /^(s8|s16|s32|s64|int|long|pid_t)$/) {
			has_sign[word[i + 1]] = 1
		}
	}
	n = split(triggers, word, /[ :,]/)
	for (i = 1; i <= n; i++)
		if (split(word[i], part, "=") == 2 && part[1] !~ /^(keys|vals|values|sort|size|name)$/ && mentions_signed(part[2]))
			has_sign[part[1]] = 1
	tracked_sign = 0
	if (match(triggers, /on(max|change)\(\$[A-Za-z_0-9]+/))
		tracked_sign = substr(triggers, RSTART, RLENGTH) ~ /\$/ && mentions_signed(substr(triggers, RSTART, RLENGTH))
	has_sign["max"] = has_sign["changed"] = tracked_sign
}

function mentions_signed(text, name) {
	for (name in has_sign)
		if (has_sign[name] && text ~ ("(^|[^A-Za-z_0-9])" name "([^A-Za-z_0-9]|$)"))
			return 1
	return 0
}

function with_signs(line, out, name, number) {
	out = ""
	while (match(line, /[A-Za-z_0-9]+: +1844674[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]/)) {
		name = number = substr(line, RSTART, RLENGTH)
		sub(/:.*/, "", name)
		sub(/.*: +/, "", number)
		out = out substr(line, 1, RSTART - 1) name ": " (has_sign[name] ? negative(number) : number)
		line = substr(line, RSTART + RLENGTH)
	}
	return out line
}

# clock: the kernel's clock is another one. Entries are counted by what else they have; the totals of hits stay.
function without_time(line, hits) {
	if (line ~ /^ Entries:/)
		return ""
	if (line ~ /^{ common_timestamp:/) {
		hits = line
		sub(/.*hitcount: */, "", hits)
		timed[side] += hits
		return ""
	}
	gsub(/common_timestamp: *[0-9]+/, "common_timestamp: *", line)
	return line
}

# text: a part of the kernel's lines is replaced: KERNEL => BPROBE.
function replaced(line, n, i, pair, part) {
	n = split(detail[row], pair, / \|\| /)
	for (i = 1; i <= n; i++) {
		split(pair[i], part, " => ")
		if (line == part[1]) {
			used++
			return part[2]
		}
	}
	return line
}

# stack: the kernel's begins with its own functions. bprobe's begins with the place in the traced function, which the row's detail names;
# the kernel prints where the code goes on, behind the call of ftrace.
function from_function(line) {
	if (line ~ /common_stacktrace:$/)
		own = 1
	else if (own && line ~ ("^ +" detail[row] "\\+0x5/")) {
		own = 0
		sub(/\+0x5\//, "+0x0/", line)
	} else if (own)
		return ""
	return line
}

function expected(line) {
	if (departs("stack"))
		return from_function(line)
	if (departs("signed"))
		return with_signs(line)
	if (departs("text"))
		return replaced(line)
	return line
}

# ---- comparing ----

function note(from, line, text) {
	text = line
	gsub(/ +/, " ", text)
	if (from == "kernel") {
		plain[text]++
		text = expected(line)
		gsub(/ +/, " ", text)
	} else {
		plain[text]--
	}
	if (departs("clock"))
		text = without_time(text)
	if (text == "")
		return
	lines[text] += from == "kernel" ? 1 : -1
}

function differences(i, why) {
	for (i in lines)
		if (lines[i] != 0)
			why = why "\n# " (lines[i] > 0 ? "kernel: " : "bprobe: ") i
	if (departs("clock") && timed["kernel"] != timed["bprobe"])
		why = why "\n# other numbers of hits: " timed["kernel"] ", " timed["bprobe"]
	return why other_lines("tw-a") other_lines("tw-b") other_lines("tw-c")
}

function other_lines(task) {
	if (events["kernel", task] == events["bprobe", task])
		return ""
	return "\n# other lines:\n# kernel: " first_other(events["kernel", task], events["bprobe", task])
}

function first_other(a, b, i, x, y, n, m) {
	n = split(a, x, "\n")
	m = split(b, y, "\n")
	for (i = 1; i <= n || i <= m; i++)
		if (x[i] != y[i])
			return i ". " x[i] "\n# bprobe: " y[i]
}

function is_plain(i) {
	for (i in plain)
		if (plain[i] != 0)
			return 0
	return 1
}

function verdict(refused, why) {
	# bprobe's language is that of 6.12 on all kernels. 5.10's is built without histograms, and others refuse what 6.12 takes.
	refused = kernel == "6.12" ? verdicts ~ /refused|definition/ : known[row] ~ /E[A-Z]/
	if (departs("open"))
		return "ok - " row " # SKIP " detail[row]
	if (departs("refused")) {
		departed += refused == 0 && status == 125
		return (refused == 0 && status == 125 ? "ok - " : "not ok - ") row ": departs: refused: " detail[row]
	}
	if (refused != (status == 125))
		return "not ok - " row ": " (refused ? "6.12 refuses it" : "6.12 takes it") ": bprobe " status " " complaint
	if (refused || kernel != "6.12") {
		equal++
		return "ok - " row ": both " (refused ? "refuse" : "take it")
	}
	why = differences()
	if (why != "")
		return "not ok - " row why
	if (row in departure && !random && is_plain())
		return "not ok - " row ": is listed as a departure, but is none"
	if (row in departure && !(random && is_plain()))
		departed++
	else
		equal++
	return "ok - " row (row in departure ? ": departs: " departure[row] : "")
}

# The function of the row's first definition.
function traced(word, n) {
	n = split(definitions[row], word, " ")
	sub(/\+.*/, "", word[2])
	return n > 1 ? word[2] : ""
}

# The traced function's own frame has no offset: the kernel has the address behind ftrace's call there, bprobe has the place.
function add_frame(frame, name) {
	name = frame
	sub(/^ => /, "", name)
	sub(/\+.*/, "", name)
	if (!inside && name != traced())
		return
	events[side, task] = events[side, task] task " => " (inside ? frame : name) "\n"
	inside = 1
}

function flush_row(text) {
	if (row == "")
		return
	text = verdict()
	different += text ~ /^not ok/
	open += text ~ /# SKIP/
	print text
	delete lines
	delete plain
	delete timed
	delete events
	verdicts = status = side = what = ""
}

BEGIN {
	while ((getline text < departures) > 0)
		if (text !~ /^#/ && split(text, part, "\t") >= 2) {
			departure[part[1]] = part[2]
			gsub(/\^t/, "\t", part[3])
			detail[part[1]] = part[3]
		}
}
FILENAME == "-" {
	split($0, part, "\t")
	definitions[part[1]] = part[3]
	triggers[part[1]] = part[4]
	known[part[1]] = part[5]
	next
}
/^=row / { flush_row(); row = $2; learn_signs(definitions[row], triggers[row]); next }
/^=kernel/ { verdicts = substr($0, 9); next }
/^=bprobe / { status = $2; complaint = substr($0, 10 + length($2)); next }
/^=(hist|lines|triggers) / { what = substr($1, 2); side = $2; next }
what == "triggers" && /^[^#]/ {
	lines["trigger " $0] += side == "kernel" ? 1 : -1
	plain["trigger " $0] += side == "kernel" ? 1 : -1
	next
}
side == "" || what == "triggers" || /^$/ || /^# event histogram/ || /^#$/ { next }
/^ => / {
	if (task != "")
		add_frame($0)
	next
}
{ task = ""; inside = 0 }
/^ *tw-[abc].*\[[0-9]+\]/ {
	match($0, /tw-[abc]/)
	task = substr($0, RSTART, RLENGTH)
	sub(/^.* [0-9]+\.[0-9]+: /, "")
	events[side, task] = events[side, task] task " " $0 "\n"
	next
}
what == "lines" || / \[[0-9][0-9][0-9]\] .* [0-9]+\.[0-9]+: / { next }
{ note(side, $0) }
END {
	flush_row()
	printf "# %d equal, %d departures, %d different, %d open\n", equal, departed, different, open
}
