# SPDX-License-Identifier: GPL-2.0-only
#
# compare.awk - compares the lines that compare.guest sends; -v kernel=NAME
#
# These are compared byte for byte: task, pid and CPU columns, event, location and arguments. Flags are compared
# if they are those of the traced code, that is for probes at a function's entry. Of the time only the width is
# compared, since the clocks are read one after the other. Other lines are printed unchanged.
#
#   =case ID EVENT WHO DEPARTURE WORKLOAD DEFINITION     (tab-separated)
#   =own|any kernel|bprobe LINE
#   =header kernel|bprobe LINE

# Splits a line into part[]; false if it is not an event's line.
function dissect(line, part,	rest)
{
	if (!match(line, /-[0-9]+ +\[[0-9]+\] /))
		return 0
	part["task"] = substr(line, 1, RSTART + RLENGTH - 1)
	rest = substr(line, RSTART + RLENGTH)
	if (!match(rest, /^[^ ]+ +[0-9]+\.[0-9][0-9][0-9][0-9][0-9][0-9]: /))
		return 0
	part["time"] = substr(rest, 1, RLENGTH)
	rest = substr(rest, RLENGTH + 1)
	part["flags"] = part["time"]
	sub(/ .*/, "", part["flags"])
	part["time"] = substr(part["time"], length(part["flags"]) + 1)
	gsub(/[ 0-9]/, "0", part["time"])	# the two are seconds apart: 99.9 and 100.0 have one width
	if (!match(rest, /^[^ ]+: /))
		return 0
	part["event"] = substr(rest, 1, RLENGTH - 2)
	rest = substr(rest, RLENGTH + 1)
	if (!match(rest, /^\([^)]*\)/))
		return 0
	part["place"] = substr(rest, 1, RLENGTH)
	part["args"] = substr(rest, RLENGTH + 1)
	return 1
}

# 5.10's tracer has no fifth column, and no letter for soft interrupts disabled.
function flags(text, who, id)
{
	if (!entry[id])
		return ""
	if (loose)
		text = substr(text, 1, 1) "*" substr(text, 3)
	# A trampoline does not see the interrupt flag: X, as ftrace prints it if it cannot know.
	# And with a trampoline ftrace has two users of the function, so the kernel's own line counts ftrace's guard.
	if (blind) {
		sub(/^[.d]/, "X", text)
		sub(/^D/, "b", text)
		if (who == "kernel")
			text = substr(text, 1, 3) substr("..12345678", index(".123456789", substr(text, 4, 1)), 1) substr(text, 5)
	}
	if (kernel != "5.10")
		return text
	if (who == "bprobe") {
		if (length(text) != 5)
			return text " (not five columns)"
		sub(/^b/, ".", text)
		sub(/^D/, "d", text)
	}
	return substr(text, 1, 4)
}

# Of several return probes on a function, 6.12 and later show the caller to one only; the others print
# "[unknown/kretprobe'd]". The caller that one of them shows counts for all.
function caller(place,	callee)
{
	callee = place
	sub(/^.* <- /, "", callee)
	if (index(place, "[unknown/kretprobe'd]") != 2) {
		if (!(callee in known))
			known[callee] = place
		else if (known[callee] != place)
			known[callee] = "several"
		return place
	}
	return callee in known && known[callee] != "several" ? known[callee] : place
}

# The kernel's tracer and bprobe record a hit one after the other, and an interrupt in between may ask
# for a reschedule. So a line may differ in this letter alone, if it is a rare one: see END.
function same(k, b, id, n,	equal, part, hit)
{
	compared++
	dissect(b, part)
	hit = part["task"] part["place"]
	if (!(hit in hits)) {
		hits[hit]
		nr_hits++
	}
	# 5.10 has no trampoline. On other kernels both a kprobe and a trampoline print b.
	blind = part["flags"] ~ /^X/
	if (!blind && essence(k, "kernel", id, n) == essence(b, "bprobe", id, n))
		return 1
	blind = attach != "kprobe" && kernel != "5.10" && part["flags"] ~ /^[Xb]/
	blinds += blind
	if (essence(k, "kernel", id, n) == essence(b, "bprobe", id, n))
		return 1
	loose = 1
	equal = essence(k, "kernel", id, n) == essence(b, "bprobe", id, n)
	if (!equal && was_away(k, b)) {
		anywhere = 1
		equal = essence(k, "kernel", id, n) == essence(b, "bprobe", id, n)
		anywhere = loose = 0
		moved += equal
		if (equal && !(hit in moved_hits)) {
			moved_hits[hit]
			nr_moved++
		}
		return equal
	}
	loose = 0
	late += equal
	if (equal && !(hit in late_hits)) {
		late_hits[hit]
		nr_late++
	}
	return equal
}

# The task can be preempted between a trampoline and the kernel's kprobe, and go on on another CPU. Then a millisecond or more is between
# the two lines of the hit, which are otherwise some microseconds apart.
function was_away(k, b,	gap)
{
	gap = stamp(k) - stamp(b)
	return blind && gap >= 0.001 && gap < 1
}

function stamp(line)
{
	return match(line, / [0-9]+\.[0-9]+: /) ? substr(line, RSTART, RLENGTH) + 0 : 0
}

# What bprobe should have printed for the kernel's line, or what it did print.
function essence(line, who, id, n,	part, args, piece)
{
	if (!dissect(line, part))
		return line
	if (who == "kernel" && part["place"] ~ / <- /)
		part["place"] = caller(part["place"])
	args = part["args"]
	if (anywhere)
		sub(/\[[0-9]+\]/, "[any]", part["task"])
	if (who == "kernel" && departure[id] != "-") {
		split(departure[id], piece, / \|\| /)
		args = " " (n in piece ? piece[n] : piece[1])
	}
	return part["task"] flags(part["flags"], who, id) part["time"] part["event"] ": " part["place"] args
}

function judge(id,	name, theirs, ours, bad, n, k, b)
{
	name = "case " id ": " definition[id] " (" workload[id] ")"
	theirs = count[id, "kernel"] + 0
	ours = count[id, "bprobe"] + 0
	for (n = 1; n <= theirs || n <= ours; n++) {
		k = n <= theirs ? raw[id, "kernel", n] : "(nothing)"
		b = n <= ours ? raw[id, "bprobe", n] : "(nothing)"
		if (!same(k, b, id, n) && ++bad <= 3)
			diff[bad] = "#   kernel: " k "\n#   bprobe: " b (departure[id] == "-" ? "" : "\n#   wanted: " departure[id])
	}
	if (!theirs)
		print "not ok - " name ": no line from the kernel"
	else if (bad)
		print "not ok - " name (theirs == ours ? "" : ": " theirs " lines from the kernel, " ours " from bprobe")
	else
		print "ok - " name " # " theirs (theirs == 1 ? " line" : " lines")
	for (n = 1; n <= bad && n <= 3; n++)
		print diff[n]
}

# bprobe's is 6.1's without the line that counts entries, which a stream cannot know.
function judge_header(	ok)
{
	ok = header["bprobe"] != "" && (kernel == "5.10" || header["bprobe"] == header["kernel"])
	print (ok ? "ok" : "not ok") " - the header is the kernel's"
	if (!ok)
		printf "#   kernel:\n%s#   bprobe:\n%s", header["kernel"], header["bprobe"]
}

/^=case / {
	split(substr($0, 7), column, "\t")
	id = column[1]
	ids[++cases] = id
	case_of[column[2]] = id
	departure[id] = column[4]
	workload[id] = column[5]
	definition[id] = column[6]
	split(column[6], word, " ")
	entry[id] = word[1] ~ /^p/ && word[2] !~ /[+-][1-9]/ && word[2] !~ /^0x/
	next
}
/^=(own|any) / {
	line = substr($0, 13)
	if (dissect(line, part) && part["event"] in case_of) {
		id = case_of[part["event"]]
		raw[id, $2, ++count[id, $2]] = line
		if ($2 == "kernel" && part["place"] ~ / <- /)
			caller(part["place"])
	}
	next
}
/^=header / {
	line = substr($0, 16)
	if (line ~ /entries-in-buffer/)
		getline			# and the empty one behind it
	else
		header[$2] = header[$2] line "\n"
	next
}
{ print }

END {
	if (cases) judge_header()
	for (c = 1; c <= cases; c++)
		judge(ids[c])
	# With 60 definitions on one function, one tick changes all of their lines at once, and so does a task that goes to another CPU. So
	# hits are counted, not lines.
	if (cases)
		print "# " kernel ": " blinds + 0 " of " compared " lines do not know the interrupt flag"
	if (cases)
		print (nr_moved > 2 ? "not ok" : "ok") " - " moved + 0 " of " compared " lines, " nr_moved + 0 \
			" hits, are of tasks that went to another CPU between the tracers"
	if (cases)
		print (nr_late * 3 > nr_hits ? "not ok" : "ok") " - need-resched differs on " late + 0 " of " compared \
			" lines, " nr_late + 0 " of " nr_hits " hits"
}
