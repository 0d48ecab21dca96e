# SPDX-License-Identifier: GPL-2.0-only
#
# numbers.awk - which numbers do the objects of bprobe --json --host have? For each event a line:
#
#	EVENT: N numbers, N events, N lost, N skipped, N twice, N missing
#
# A number belongs to a host, boot, creation, probe and CPU. It is in one event, or in one gap. Those from 1 to the highest one are expected.
function text(name) {
	if (!match($0, "\"" name "\":\"[^\"]*\"")) return ""
	return substr($0, RSTART + length(name) + 4, RLENGTH - length(name) - 5)
}
function number(name) {
	if (!match($0, "\"" name "\":\"?[0-9]+")) return -1
	$1 = substr($0, RSTART, RLENGTH)
	sub(/.*:"?/, "", $1)
	return $1 + 0
}
function take(series, seq) {
	if ((series, seq) in seen) twice[event]++
	seen[series, seq] = 1
	if (seq > highest[series]) highest[series] = seq
}
{
	line = $0
	event = text("event")
	series = text("host") " " text("boot") " " number("creation"); $0 = line
	series = series " " number("probe"); $0 = line
	series = series " " number("cpu"); $0 = line
	first = number("first_seq"); $0 = line
	last = number("last_seq"); $0 = line
	seq = number("seq"); $0 = line
	lost = number("lost"); $0 = line
	skipped = number("skipped"); $0 = line
	if (event == "" || (seq < 0 && first < 0)) { print NR ": no number: " line; next }
	events[event] += seq > 0
	of[series] = event
	if (seq > 0) take(series, seq)
	for (n = first; first > 0 && n <= last; n++) take(series, n)
	if (first > 0 && (lost > 0 ? lost : skipped) != last - first + 1) print NR ": the count is not that of the range: " line
	if (lost > 0) losts[event] += lost
	if (skipped > 0) skips[event] += skipped
}
END {
	for (series in of) {
		event = of[series]
		all[event] += highest[series]
		for (n = 1; n <= highest[series]; n++) missing[event] += !((series, n) in seen)
	}
	for (event in all)
		printf "%s: %d numbers, %d events, %d lost, %d skipped, %d twice, %d missing\n", event, all[event], events[event], losts[event],
			skips[event], twice[event], missing[event]
}
