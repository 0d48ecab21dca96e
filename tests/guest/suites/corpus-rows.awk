# SPDX-License-Identifier: GPL-2.0-only
#
# corpus-rows.awk - the corpus, or a part of it, as files for corpus.guest; -v dir= only= kernel=
#
#	awk -f corpus-rows.awk corpus-departures.tsv kernel.tsv
#
#   rows/ROW.1, ROW.2...   what one write(2) gets        rows/ROW.all   all of them, for bprobe
#   rows/ROW.op            the workload                  places         each `[pr] PLACE` once
#   rows/ROW.named         rows/ROW.all with the row as the event's name, where that is `e`
#   judged                 the rows that are in it       likely         those of one definition of the event `e` that bprobe should
#                          accept: it is asked for many at once
#   groups                 those of them that can run together, 16 on a line; each has a workload

function write_to(file, text)
{
	printf "%s", text > (dir "/" file)
	close(dir "/" file)
}

# Letter and place alone, to find out what this build of the kernel says about the place.
function add_places(text,	line, n, i, word)
{
	n = split(text, line, "\n")
	for (i = 1; i <= n; i++) {
		sub(/#.*/, "", line[i])
		if (split(line[i], word, " ") >= 2 && word[1] ~ /^[pr]/)
			print substr(word[1], 1, 1) " " word[2] > (dir "/places")
	}
}

BEGIN {
	FS = "\t"
	n = split(only, wanted, " ")
	for (i = 1; i <= n; i++)
		in_wanted[wanted[i]]
	printf "" > (dir "/places")
	printf "" > (dir "/judged")
	printf "" > (dir "/likely")
	printf "" > (dir "/groups")
}

FILENAME ~ /departures/ {
	id = $1
	if (!/^#/ && (sub(/^[^:]*:/, "", id) ? $1 == kernel ":" id : 1) && $3 == "refused")
		refused[id]
	next
}
FNR == 1 || (n && !($1 in in_wanted)) { next }
{
	nr++
	print $1 > (dir "/judged")
	likely = $11 !~ /E/ && !($1 in refused)
	count = split($3, piece, / \|\| /)
	all = ""
	for (i = 1; i <= count; i++) {
		gsub(/\^n/, "\n", piece[i])
		gsub(/\^t/, "\t", piece[i])
		piece[i] = piece[i] "\n"
		write_to("rows/" $1 "." i, piece[i])
		all = all piece[i]
	}
	write_to("rows/" $1 ".all", all)
	named = all
	one = sub(/^[pr]:e /, substr(named, 1, 2) $1 " ", named) && likely && named !~ /\n./
	if (one)
		print $1 > (dir "/likely")
	# Return probes: with several on one function, the kernel prints no caller. Strings and arrays: see corpus.guest.
	if (one && named ~ /^p/ && named !~ /str|%return|\[/ && $4 ~ /^wl /)
		printf "%s%s", $1, (++grouped % 16 ? " " : "\n") > (dir "/groups")
	write_to("rows/" $1 ".named", named)
	if (sub(/^wl /, "", $4))
		write_to("rows/" $1 ".op", $4 "\n")
	add_places(all)
}
END {
	print "" > (dir "/groups")
	if (!nr) print "no such row" > "/dev/stderr"
	exit !nr
}
