# SPDX-License-Identifier: GPL-2.0-only
#
# corpus-rows.awk - the corpus, or a part of it, as files for corpus.guest; -v dir= shards= shard= only=
#
#   rows/ROW.1, ROW.2...   what one write(2) gets        rows/ROW.all   all of them, for bprobe
#   rows/ROW.op            the workload                  places         each `[pr] PLACE` once
#   judged                 the rows that are in it

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
}

FNR == 1 || (n && !($1 in in_wanted)) { next }
nr++ % shards != shard - 1 { next }
{
	print $1 > (dir "/judged")
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
	if (sub(/^wl /, "", $4))
		write_to("rows/" $1 ".op", $4 "\n")
	add_places(all)
}
END { if (!nr) print "no such row" > "/dev/stderr"; exit !nr }
