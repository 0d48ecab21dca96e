# SPDX-License-Identifier: GPL-2.0-only
#
# figures.awk - from "KERNEL ROW KIND COLUMN ROUND VALUE" to "KERNEL ROW COLUMN VALUE SPREAD"
#
# Kinds of call (open, pgid) come in hundredths of an instruction a call, and lose the smallest that
# the call took with no probe. The value is the mean of the rounds, the spread what the largest is
# above the smallest, in percent of it.
BEGIN { FS = OFS = "\t" }

$2 == "none" {
	if (!(($1, $3) in base) || $6 < base[$1, $3])
		base[$1, $3] = $6
	next
}

{
	key = $1 FS $2 FS $4
	if (!(key in kind))
		order[++n] = key
	kind[key] = $3
	values[key] = values[key] " " $6
}

END {
	for (i = 1; i <= n; i++) {
		key = order[i]
		split(key, part, FS)
		nr = split(values[key], value, " ")
		calls = (part[1], kind[key]) in base
		sum = 0
		for (j = 1; j <= nr; j++) {
			v = calls ? (value[j] - base[part[1], kind[key]]) / 100 : value[j]
			sum += v
			if (j == 1 || v < low) low = v
			if (j == 1 || v > high) high = v
		}
		printf "%s\t%.1f\t%.2f\n", key, sum / nr, sum ? (high - low) * 100 * nr / sum : 0
	}
}
