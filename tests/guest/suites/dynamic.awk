# SPDX-License-Identifier: GPL-2.0-only
#
# dynamic.awk - compares the lines that dynamic.guest sends; -v kernel=NAME
#
# Task, pid, event, place and arguments are compared, of each process by itself and in its order. Other lines are printed unchanged.
#
#   =verdict ID ACCEPTED STATUS DEPARTURE DEFINITION             (tab-separated)
#   =refused, =asked ID EVENT ACCEPTED COMMAND DEPARTURE WANT DEFINITION
#   =said LINE OF BPROBE
#   =run PID COMMAND
#   =kernel|bprobe LINE
#   =summary LINE OF BPROBE'S SUMMARY
#   =ended STATUS OF BPROBE
BEGIN { FS = "\t" }

# What is compared of a line: the event into part["event"], pid, task, place and arguments.
function dissect(line, part,	rest)
{
	if (!match(line, /-[0-9]+ +\[[0-9]+\] [^ ]+ +[0-9]+\.[0-9]+: [^ ]+: \(/))
		return 0
	part["task"] = substr(line, 1, RSTART - 1)
	sub(/^ +/, "", part["task"])
	rest = substr(line, RSTART + 1)
	part["whole"] = rest
	part["pid"] = rest + 0
	match(rest, /\[[0-9]+\] [^ ]+ +[0-9.]+/)
	part["when"] = substr(rest, RSTART, RLENGTH)
	sub(/^[^:]*: /, "", rest)
	part["event"] = rest
	sub(/: .*/, "", part["event"])
	rest = substr(rest, length(part["event"]) + 3)
	part["text"] = rest
	# A program's place has no symbol, an event's has no parenthesis in it.
	match(rest, /^\([^)]*\)/)
	part["args"] = substr(rest, RLENGTH + 1)
	sub(/^ /, "", part["args"])
	part["place"] = substr(rest, 1, RLENGTH)
	return 1
}

function result(ok, id, text, why)
{
	print (ok ? "ok" : "not ok") " - row " id ": " text (why == "" ? "" : " # " why)
	if (!ok && why != "")
		print "#   " why
}

/^=verdict / {
	sub(/^=verdict /, "")
	id = $1
	refused = $3 != 0
	theirs = $2 == "no" ? "refuses" : $2 == "yes" ? "accepts" : "does not know"
	ours = refused ? "refuses" : "accepts"
	if ($4 ~ /^(accepted|refused)/) {
		ok = ($4 ~ /^accepted/) == !refused && theirs != ours
		departures += ok
		if (!ok) different++
	} else {
		ok = theirs == ours
		equal += ok
		if (!ok) different++
	}
	result(ok, id, $5, "the kernel " theirs ", bprobe " ours ($4 == "-" ? "" : " (" $4 ")"))
	says = !ok
	next
}
/^=refused / {
	sub(/^=refused /, "")
	ok = $5 ~ /^refused/
	if (ok) departures++; else different++
	result(ok, $1, $7, "bprobe refuses" (ok ? " (" $5 ")" : ""))
	says = !ok
	next
}
/^=said / {
	if (says)
		print "#   " substr($0, 7)
	next
}
/^=run / {
	runs++
	first[runs] = substr($1, 6) + 0
	command[runs] = $2
	next
}
/^=asked / {
	sub(/^=asked /, "")
	ids[++rows] = $1
	sub(/.*\//, "", $2)
	row_of[$2] = $1
	event[$1] = $2; accepted[$1] = $3; operation[$1] = $4; departure[$1] = $5; want[$1] = $6; definition[$1] = $7
	next
}
/^=(kernel|bprobe) / {
	who = substr($0, 2, 6)
	line = substr($0, 9)
	if (dissect(line, part)) {
		last = ""
		# Sometimes the kernel gives a part of the file `trace` again, from the middle of a line on: the same lines with the same times. The first
		# may have the rest of another line in front of it.
		if (who == "kernel" && part["whole"] in had) {
			repeated++
			next
		}
		if (who == "kernel")
			had[part["whole"]]
		if (!(part["event"] in row_of))
			next
		id = row_of[part["event"]]
		for (i = runs; i > 0 && part["pid"] < first[i]; i--)
			;
		if (!i || command[i] != operation[id])
			next
		n = ++count[id, who, part["pid"]]
		if (!((id, part["pid"]) in seen)) {
			seen[id, part["pid"]]
			pids[id] = pids[id] " " part["pid"]
		}
		last = id SUBSEP who SUBSEP part["pid"] SUBSEP n
		when[last] = part["when"]
		task[last] = part["task"]; text[last] = part["text"]; args[last] = part["args"]; place[last] = part["place"]
	} else if (who == "kernel" && line ~ /[0-9]\.[0-9]+: [^ ]+: \(/) {
		last = ""
	} else if (last != "") {	# a string with a newline
		text[last] = text[last] "\\n" line
		args[last] = args[last] "\\n" line
	}
	next
}
/^=summary / {
	name = substr($0, 10)
	sub(/:.*/, "", name)
	summary[name] = summary[name] " " substr($0, 10)
	next
}
/^=ended / { print ($0 == "=ended 0" ? "ok" : "not ok") " - bprobe ends with 0 on SIGINT (is " substr($0, 8) ")"; next }
{ print }

function short(s) { return length(s) > 300 ? substr(s, 1, 200) "... (" length(s) " characters)" : s }

# x{N} in a pattern is N x
function expand(pattern,	n, letters)
{
	while (match(pattern, /[a-z]\{[0-9]+\}/)) {
		n = substr(pattern, RSTART + 2) + 0
		for (letters = substr(pattern, RSTART, 1); length(letters) < n; letters = letters letters)
			;
		pattern = substr(pattern, 1, RSTART - 1) substr(letters, 1, n) substr(pattern, RSTART + RLENGTH)
	}
	return pattern
}

# * is any text
function like(s, pattern,	piece, n, i, at)
{
	pattern = expand(pattern)
	n = split(pattern, piece, "*")
	if (n == 1)
		return s == pattern
	if (index(s, piece[1]) != 1)
		return 0
	s = substr(s, length(piece[1]) + 1)
	for (i = 2; i < n; i++) {
		at = index(s, piece[i])
		if (!at)
			return 0
		s = substr(s, at + length(piece[i]))
	}
	return length(s) >= length(piece[n]) && substr(s, length(s) - length(piece[n]) + 1) == piece[n]
}

# May bprobe have missed this line of the kernel's? The kernel runs no program in an interrupt that came while another one ran. From 6.7 on it
# counts that for an event, and bprobe says how often; before, bprobe says "missed: unknown".
function may_miss(k)
{
	return in_interrupt(k) && (unknown || missed-- > 0)
}

function in_interrupt(k,	flags)
{
	flags = when[k]
	sub(/^[^ ]* /, "", flags)
	return substr(flags, 3, 1) ~ /[hHsZ]/
}

function same(k, b) { return text[k] == text[b] && (task[k] == task[b] || task[k] == "<...>") }

# The two tracers take a hit one after the other. An interrupt in between them is behind the hit for the first tracer, and in front of it for the
# second. Then bprobe's line for @k comes later than @b SUBSEP @at. It is moved there if @k is of an interrupt, or if all lines that it passes are.
function put_in_order(k, b, at,	m, between, from, to, held)
{
	for (m = at; (b SUBSEP m) in text && !(same(k, b SUBSEP m) && in_interrupt(k) == in_interrupt(b SUBSEP m)); m++)
		between += !in_interrupt(b SUBSEP m)
	if (!((b SUBSEP m) in text) || (between && !in_interrupt(k)))
		return
	for (; m > at; m--) {
		from = b SUBSEP m; to = b SUBSEP (m - 1)
		held = text[to]; text[to] = text[from]; text[from] = held
		held = task[to]; task[to] = task[from]; task[from] = held
		held = when[to]; when[to] = when[from]; when[from] = held
	}
}

function judge(id,	n, i, pid, list, nr, k, b, at, name, theirs, ours, wanted, nr_wanted, shown, number)
{
	nr = split(pids[id], list, " ")
	# Ascending: the order in which processes were made.
	for (i = 2; i <= nr; i++)
		for (n = i; n > 1 && list[n] + 0 < list[n - 1] + 0; n--) {
			pid = list[n]; list[n] = list[n - 1]; list[n - 1] = pid
		}
	wanted = accepted[id] == "unknown" ? want[id] : departure[id]
	if (wanted ~ /^[a-z ]*: /)
		sub(/^[^:=]*: /, "", wanted)
	name = event[id]
	sub(/.*\//, "", name)
	unknown = summary[name] ~ /missed: unknown/
	missed = match(summary[name], /missed: [0-9]+/) ? substr(summary[name], RSTART + 8) + 0 : 0
	nr_wanted = wanted == "-" ? 0 : wanted == "(nothing)" ? 0 : split(wanted, piece, / \|\| /)
	for (i = 1; i <= nr; i++) {
		pid = list[i]
		theirs += count[id, "kernel", pid]
		ours += count[id, "bprobe", pid]
		for (n = at = 1; n <= count[id, "kernel", pid] || at <= count[id, "bprobe", pid]; n++) {
			k = id SUBSEP "kernel" SUBSEP pid SUBSEP n
			b = id SUBSEP "bprobe" SUBSEP pid SUBSEP at
			if (wanted == "-" && (k in text) && (b in text) && !same(k, b))
				put_in_order(k, id SUBSEP "bprobe" SUBSEP pid, at)
			if (wanted == "-" && (k in text) && (!(b in text) || text[k] != text[b]) && may_miss(k))
				continue
			at++
			number++
			if (wanted == "(nothing)") {
				if (b in args)
					shown = shown "#   bprobe: " short(args[b]) "\n#   wanted: no line\n"
			} else if (wanted != "-") {
				if (!(b in args) || !like(args[b], number in piece && number <= nr_wanted ? piece[number] : piece[nr_wanted]))
					shown = shown "#   bprobe: " short(b in args ? args[b] : "(nothing)") "\n#   wanted: " short(piece[number <= nr_wanted ? number : nr_wanted]) "\n"
				if (accepted[id] == "yes" && (k in text) && (b in text) && (task[k] != task[b] || (place[k] != place[b] && departure[id] !~ /^caller/)))
					shown = shown "#   kernel: " task[k] "-" pid " " short(text[k]) "\n#   bprobe: " task[b] "-" pid " " short(text[b]) "\n"
			} else if (!(k in text) || !(b in text) || text[k] != text[b] || (task[k] != task[b] && task[k] != "<...>"))
				shown = shown "#   kernel: " (k in text ? task[k] "-" pid " " when[k] " " short(text[k]) : "(nothing)") "\n" \
					"#   bprobe: " (b in text ? task[b] "-" pid " " when[b] " " short(text[b]) : "(nothing)") "\n"
		}
	}
	if (accepted[id] == "yes" && !theirs && want[id] != "(nothing)")
		shown = shown "#   no line from the kernel\n"
	if (accepted[id] == "yes" && want[id] == "(nothing)" && theirs + ours)
		shown = shown "#   lines, and there should be none\n"
	if ((accepted[id] == "unknown" || departure[id] != "-") && ours != nr_wanted && nr_wanted > 1)
		shown = shown "#   " ours + 0 " lines, and there should be " nr_wanted "\n"
	if (shown != "") different++
	else if (departure[id] != "-") departures++
	else if (accepted[id] == "unknown") derived++
	else equal++
	print (shown == "" ? "ok" : "not ok") " - row " id ": " short(definition[id]) " (" operation[id] ")" (departure[id] == "-" ? "" : " # " departure[id])
	nr = split(shown, list, "\n")
	for (i = 1; i <= nr && i <= 8; i++)
		if (list[i] != "") print list[i]
	if (nr)
		print "#   lines: kernel " theirs + 0 ", bprobe " ours + 0 ";" short(summary[name])
}

END {
	for (i = 1; i <= rows; i++)
		judge(ids[i])
	if (repeated)
		printf "# %s: the kernel gave %d lines more than once\n", kernel, repeated
	printf "# %s: %d equal, %d as derived from the workload, %d departures, %d different\n", kernel, equal, derived, departures, different
}
