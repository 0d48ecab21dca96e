# SPDX-License-Identifier: GPL-2.0-only
#
# random-definitions.awk - compares the values in the lines that compare.guest sends
#
#   awk -v kernel=KERNEL -f random-definitions.awk
#
# Each definition has one result. Compared are the task, the place, and each value. These departures have names (doc/differences.md):
#
# - What could not be read is (fault). The kernel prints a number that was in its buffer, and a text if a pointer on the way could not be
#   read. Then one of the strings fN_M, which are at each place on the way, must be (fault) in the kernel's line, too; or of an array the first
#   value at least must be there.
# - An empty string in the memory of a program is "". The kernel prints (fault).
# - A text that a definition of a user probe has in it (\"text") is that text. The kernel looks for it in the program's memory, and prints (fault).
# - A text or $comm of an `e` without a type is a text. The kernel prints its address.
# - A symstr ends where it ends. In the kernel it has no end, and the string behind it follows (6.12, fetch_store_symstring(),
#   kernel/trace/trace_kprobe.c: the length that it returns is without the NUL).
#
# A string of an array that could not be read is (fault). On 5.10 the kernel prints the next one that it could read, so another text is a mistake.
#
# A definition means on each kernel what it means in Linux 6.12. $retval without a type is 64 bits in hexadecimal digits in the kernels 5.10 and 6.1.
# At a return of 5.10 the kernel's %ip is the trampoline of kretprobes, and bprobe's the caller.
#
# Arrays of numbers in front of memory that is not there have a rule of their own: exactly those elements are (fault) that end behind it. The
# workload `writeedge N` has N bytes from the argument's pointer on.
#
# A row with a filter may have no line, but then in both.
#
# A string of random memory can have a newline in it, which ends both lines: what comes behind it is not compared.

# Names are searched one behind the other.
function cut(text, values,	k, at, rest)
{
	nr_values = 0
	rest = text
	for (k = 1; k <= nr_names; k++) {
		at = index(rest, " " names[k] "=")
		if (!at)
			break
		if (k > 1)
			values[k - 1] = substr(rest, 1, at - 1)
		rest = substr(rest, at + length(names[k]) + 2)
		nr_values = k
	}
	if (nr_values)
		values[nr_values] = rest
}

function names_of(text,	word, n, i, name)
{
	sub(/ if .*/, "", text)
	n = split(text, word, " ")
	nr_names = 0
	for (i = 3; i <= n; i++) {
		name = word[i]
		if (!sub(/=.*/, "", name))
			name = "arg" (i - 2)
		names[++nr_names] = name
		fetch[nr_names] = word[i]
	}
	split("", witness)
	for (i = 1; i <= nr_names; i++) {
		if (names[i] ~ /^f[0-9]+_[0-9]+$/) {
			name = names[i]
			sub(/_.*/, "", name)
			witness[substr(name, 2) + 1] = witness[substr(name, 2) + 1] " " i
		}
	}
}

# 1: the kernel says that argument I could not be read. 0: it could. -1: the line ends before that.
function unread(i, k, nr,	n, at, w)
{
	n = split(i in witness ? witness[i] : "", at, " ")
	for (w = 1; w <= n; w++) {
		if (at[w] > nr)
			return -1
		if (k[at[w]] == "(fault)")
			return 1
	}
	return 0
}

# The same of the string I itself, by the strings on the way to it.
function inner_unread(i, k,	n, name)
{
	name = names[i]
	sub(/_.*/, "", name)
	for (n = i - 1; n && index(names[n], name "_") == 1; n--) {
		if (k[n] == "(fault)")
			return 1
	}
	return 0
}

# Of two arrays: the values in front of the first (fault) are equal, and there is one, or the witness says (fault).
function arrays(k, b, faulted,	n, i, theirs, ours)
{
	if (b ~ /^\{\(fault\)/)
		return faulted
	n = split(substr(b, 2), ours, ",")
	if (split(substr(k, 2), theirs, ",") != n)
		return 0
	for (i = 1; i <= n; i++) {
		if (ours[i] ~ /^\(fault\)/)
			return i > 1 || faulted
		if (ours[i] != theirs[i])
			return 0
	}
	return 0
}

# Of a number or an array of numbers with @edge bytes that can be read: what is up to there is the kernel's, and the rest (fault).
function at_edge(what, k, b, edge,	n, i, theirs, ours, start, size)
{
	match(what, /[0-9]+\(/)
	start = substr(what, RSTART, RLENGTH - 1) + 0
	size = what
	if (!sub(/\[[0-9]+\]$/, "", size)) {
		k = "{" k "}"
		b = "{" b "}"
	}
	sub(/.*[^0-9]/, "", size)
	size /= 8
	n = split(substr(b, 2, length(b) - 2), ours, ",")
	if (split(substr(k, 2, length(k) - 2), theirs, ",") != n)
		return 0
	for (i = 1; i <= n; i++) {
		if (ours[i] != (start + size * i <= edge ? theirs[i] : "(fault)"))
			return 0
		unreadable += ours[i] == "(fault)"
	}
	return 1
}

# Of two arrays of strings: on 5.10 an element that cannot be read has the text of the next one that can.
function next_text(k, b,	n, i, theirs, ours, following)
{
	n = split(substr(b, 2, length(b) - 2), ours, ",")
	if (split(substr(k, 2, length(k) - 2), theirs, ",") != n)
		return 0
	for (i = n; i >= 1; i--) {
		if (ours[i] != "(fault)")
			following = ours[i]
		# Behind the array it is a text of another argument.
		if (theirs[i] != ours[i] && ours[i] != "(fault)")
			return 0
		if (theirs[i] != ours[i] && following != "" && theirs[i] != following)
			return 0
		unreadable += ours[i] == "(fault)"
	}
	return 1
}

# Is @hex (0x...) the decimal number @value? If it is below 0, it is one of 32 or of 64 bits.
function same_number(hex, value,	i, number)
{
	if (hex !~ /^0x[0-9a-f]+$/ || value !~ /^-?[0-9]+$/)
		return 0
	if (value < 0 && !sub(/^0xffffffff/, "0x", hex) && length(hex) != 10)
		return 0
	for (i = 3; i <= length(hex); i++)
		number = number * 16 + index("0123456789abcdef", substr(hex, i, 1)) - 1
	return number == (value < 0 ? value + 4294967296 : value + 0)
}

# What a fetch of a text, or of $comm, prints: the task that makes the calls is wl.
function text_of(what)
{
	return match(what, /"[^"]*"/) ? substr(what, RSTART, RLENGTH) : "\"wl\""
}

function judge(id,	n, i, k, b, bad, theirs, ours, faulted, shown)
{
	names_of(definition[id])
	nr = count[id, "kernel"] + 0
	if (nr != count[id, "bprobe"] + 0) {
		print "not ok - " id ": " nr " lines from the kernel, " count[id, "bprobe"] + 0 " from bprobe # " definition[id]
		return
	}
	if (definition[id] ~ / if /) {
		filters++
		passed += nr
	} else if (!nr) {
		print "not ok - " id ": no line # " definition[id]
		return
	}
	bad = ""
	for (n = 1; n <= nr; n++) {
		if (place[id, "kernel", n] != place[id, "bprobe", n])
			bad = bad "#   place: kernel " place[id, "kernel", n] ", bprobe " place[id, "bprobe", n] "\n"
		split("", k); split("", b)
		cut(line[id, "kernel", n], k); theirs = nr_values
		cut(line[id, "bprobe", n], b); ours = nr_values
		shown = theirs < ours ? theirs : ours
		# A fault in front of it can move the newline of one line alone.
		for (i = 1; i <= shown; i++) {
			compared++
			if (workload[id] ~ /^writeedge / && at_edge(fetch[i], k[i], b[i], substr(workload[id], 11) + 0))
				continue
			if (kernel == "5.10" && fetch[i] ~ /string\[[0-9]+\]$/ && k[i] != b[i] && b[i] ~ /\(fault\)/ && next_text(k[i], b[i])) {
				faults++
				continue
			}
			if (workload[id] ~ /^writeptrs /)
				unreadable += gsub(/\(fault\)/, "&", k[i])
			if (k[i] == b[i])
				continue
			if (i == theirs && theirs < nr_names && index(b[i], k[i]) == 1) {
				open++
				continue
			}
			if (k[i] == "(fault)" && b[i] == "\"\"") {
				empty++
				continue
			}
			if (definition[id] ~ /^[pr]:[^ ]* \// && k[i] == "(fault)" && fetch[i] ~ /^([a-z0-9_]+=)?\\"/ && b[i] == text_of(fetch[i])) {
				departed++
				continue
			}
			if (definition[id] ~ /^e:/ && fetch[i] ~ /^([a-z0-9_]+=)?(\\"[^"]*"|\$comm)$/ && k[i] ~ /^0xff[0-9a-f]+$/ && length(k[i]) == 18 && b[i] == text_of(fetch[i])) {
				departed++
				continue
			}
			if ((kernel == "5.10" || kernel == "6.1") && definition[id] ~ /^r:[^ ]* [^\/]/ && fetch[i] ~ /^([a-z0-9_]+=)?\$retval$/ && same_number(k[i], b[i])) {
				departed++
				continue
			}
			if (kernel == "5.10" && definition[id] ~ /^r:[^ ]* [^\/]/ && fetch[i] ~ /^([a-z0-9_]+=)?%ip(:|$)/ && b[i] !~ /fault/) {
				departed++
				continue
			}
			if (fetch[i] ~ /:symstr/ && index(k[i], substr(b[i], 1, length(b[i]) - 1)) == 1) {
				endless++
				continue
			}
			if (b[i] ~ /\(fault\)/ && workload[id] !~ /^write(edge|ptrs) /) {
				faulted = names[i] ~ /^f[0-9]/ ? inner_unread(i, k) : unread(i, k, theirs)
				if (faulted < 0) {
					open++
					continue
				}
				if (b[i] ~ /^\{/ ? arrays(k[i], b[i], faulted) : faulted) {
					faults++
					continue
				}
			}
			bad = bad "#   " fetch[i] ": kernel " k[i] ", bprobe " b[i] "\n"
		}
	}
	if (bad == "")
		print "ok - " id
	else
		printf "not ok - %s: %s\n%s", id, definition[id], bad
}

/^=case / {
	split(substr($0, 7), column, "\t")
	id = column[1]
	ids[++cases] = id
	workload[id] = column[5]
	definition[id] = column[6]
	next
}
/^=own / {
	who = $2
	if (who == "kernel" && $0 in printed)	# 5.10 gives a line twice now and then
		next
	if (who == "kernel")
		printed[$0]
	text = substr($0, 13)
	if (!match(text, / [0-9]+\.[0-9][0-9][0-9][0-9][0-9][0-9]: /))
		next
	task = substr(text, 1, RSTART - 1)
	sub(/ +\[.*/, "", task)
	text = substr(text, RSTART + RLENGTH)
	at = index(text, ": (")
	event = substr(text, 1, at - 1)
	text = substr(text, at + 2)
	at = index(text, ")")
	where = substr(text, 1, at)
	sub(/^.* <- /, "(", where)		# the caller: compare.awk has what 6.12 makes of several probes
	n = ++count[event, who]
	line[event, who, n] = substr(text, at + 1)
	place[event, who, n] = task " " where
	next
}
/^=/ { next }
# compare.guest compares the header, whether a bprobe that traces all tasks ends well (there is none here), and times, which lines
# behind a newline do not have.
/^(not )?ok - (the header|bprobe ends with 0 on SIGINT|lines of the workload are in time order)/ { next }
{ print }
END {
	for (c = 1; c <= cases; c++)
		judge(ids[c])
	print "# " compared + 0 " values, " faults + 0 " of them (fault) in bprobe alone, " empty + 0 " (fault) in the kernel alone, " departed + 0 " departures of other kinds, " endless + 0 " symstr without an end, " open + 0 " open"
	# Rules that let too much through would hide mistakes.
	if (compared > 500 && departed > compared / 50)
		print "not ok - " departed " of " compared " values depart, which is more than one of 50"
	print "# " unreadable + 0 " elements of arrays that cannot be read; " filters + 0 " filters, through which " passed + 0 " hits passed"
}
