# SPDX-License-Identifier: GPL-2.0-only
#
# inlined.awk - compares what one build of inlmod.c shows with what another shows, for inlined.guest
#
#   awk -f inlined.awk LEFT WANTED GOT
#
# WANTED and GOT have a hit on each line: its event and its arguments. LEFT has events of which bprobe has said that places are left out:
# they may have fewer hits, but no other ones. No file is empty. Compared is what both have asked for. A line on stdout for each event, beginning with "same"
# or "different".
function parse(line, fields,    text, at) {
	delete fields
	while (match(line, /[a-z_0-9]+=("[^"]*"|\{[^}]*\}|[^ ]+)/)) {
		text = substr(line, RSTART, RLENGTH)
		at = index(text, "=")
		fields[substr(text, 1, at - 1)] = substr(text, at + 1)
		line = substr(line, RSTART + RLENGTH)
	}
}

# What differs between two hits; "": nothing.
function difference(a, b,    name, first, second, text) {
	parse(a, first)
	parse(b, second)
	for (name in first)
		if (name in second) {
			compared[event]++
			if (first[name] != second[name])
				text = text " " name "=" second[name] ", not " first[name]
		}
	return text
}

FNR == 1 { file++ }
file == 1 { left[$1]; next }
{ event = $1; sub(/^[^ ]* ?/, "") }
file == 2 { wanted[event, ++nr_wanted[event]] = $0; if (nr_wanted[event] == 1) events[++nr_events] = event; next }
{ got[event, ++nr_got[event]] = $0 }

END {
	for (i = 1; i <= nr_events; i++) {
		event = events[i]
		said = ""
		at = 1
		if (!(event in left) && nr_got[event] != nr_wanted[event])
			said = " is hit " nr_got[event] + 0 " times, not " nr_wanted[event] + 0
		for (hit = 1; hit <= nr_got[event] && said == ""; hit++) {
			what = difference(wanted[event, at], got[event, hit])
			while (what != "" && (event in left) && at < nr_wanted[event])
				what = difference(wanted[event, ++at], got[event, hit])
			if (what != "" || at > nr_wanted[event])
				said = " at hit " hit ":" (what == "" ? " more than there are" : what)
			at++
		}
		print (said == "" ? "same " : "different ") event " " nr_got[event] + 0 " " nr_wanted[event] " " compared[event] + 0 said
	}
}
