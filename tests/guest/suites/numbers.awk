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
function number(name,  digits) {
	if (!match($0, "\"" name "\":\"?[0-9]+")) return -1
	digits = substr($0, RSTART, RLENGTH)
	sub(/.*:"?/, "", digits)
	return digits + 0
}
function take(series, seq) {
	if ((series, seq) in seen) twice[event]++
	seen[series, seq] = 1
	if (seq > highest[series]) highest[series] = seq
}
{
	event = text("event")
	series = text("host") " " text("boot") " " number("creation") " " number("probe") " " number("cpu")
	seq = number("seq")
	# Events are the most, and have no other number.
	first = last = lost = skipped = -1
	if (seq < 0) {
		first = number("first_seq"); last = number("last_seq")
		lost = number("lost"); skipped = number("skipped")
	}
	if (event == "" || (seq < 0 && first < 0)) { print NR ": no number: " $0; next }
	events[event] += seq > 0
	of[series] = event
	if (seq > 0) take(series, seq)
	for (n = first; first > 0 && n <= last; n++) take(series, n)
	if (first > 0 && (lost > 0 ? lost : skipped) != last - first + 1) print NR ": the count is not that of the range: " $0
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
