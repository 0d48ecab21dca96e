# hist.awk - judges what hist.guest sent out: TAP
#
# -v departures=FILE (hist-departures.tsv), -v unsupported=FILE: rows that bprobe cannot take yet.
#
# Entries are compared as a set, because the kernel's order of equal sort keys is not defined. A number of 2^63 and more of the kernel is
# one with a sign that it shows without: bprobe shows it with its sign.

function signed(text, low, high, n) {	# the 20 digits as a number below 0
	high = 1844674407 - substr(text, 1, 10)
	low = 3709551616 - substr(text, 11)
	return sprintf("-%.0f", high * 10000000000 + low)
}

# Each number of 20 digits that begins with 1844674 is one of those.
function normal(line, out, at, n) {
	out = ""
	while (match(line, / *1844674[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]/)) {
		n = substr(line, RSTART, RLENGTH)
		sub(/^ */, "", n)
		out = out substr(line, 1, RSTART - 1) sprintf("%*s", (RLENGTH > 20 ? 11 : 0), (RLENGTH > 20 ? " " : "") signed(n))
		line = substr(line, RSTART + RLENGTH)
	}
	return out line
}

function flush_row(i, same, why) {
	if (row == "")
		return
	refused_kernel = verdicts ~ /refused/
	if (row in departure) {
		departures_seen++
		print "ok - " row ": departs: " departure[row]
	} else if (refused_kernel != (status == 125)) {
		print "not ok - " row ": " (refused_kernel ? "the kernel refuses" : "the kernel takes it") ": bprobe " status " " complaint
	} else if (refused_kernel) {
		equal++
		print "ok - " row ": both refuse"
	} else {
		same = nr["kernel"] == nr["ours"]
		for (i in lines)
			if (lines[i] != 0) {
				same = 0
				why = why "\n# " (lines[i] > 0 ? "kernel: " : "bprobe: ") i
			}
		print (same ? "ok - " : "not ok - ") row (same ? "" : why)
		equal += same
	}
	delete lines
	nr["kernel"] = nr["ours"] = 0
}

BEGIN {
	while ((getline text < departures) > 0)
		if (text !~ /^#/ && split(text, part, "\t") >= 2)
			departure[part[1]] = part[2]
}
/^=row / { flush_row(); row = $2; verdicts = ""; status = ""; side = ""; next }
/^=kernel/ { verdicts = substr($0, 9); next }
/^=bprobe / { status = $2; complaint = substr($0, 10 + length($2)); next }
/^=hist / { side = $2; next }
side == "" || /^$/ || /^# event histogram/ || /^#$/ || /^    Dropped:/ { next }
{
	text = side == "kernel" ? normal($0) : $0
	gsub(/ +/, " ", text)
	lines[text] += side == "kernel" ? 1 : -1
	nr[side]++
}
END {
	flush_row()
	print "# " equal " equal, " departures_seen + 0 " departures"
}
