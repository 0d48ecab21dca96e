# SPDX-License-Identifier: GPL-2.0-only
#
# table.awk - figures.tsv as a table for people
BEGIN {
	FS = "\t"
	rows = split("open pgid ret-open ret-pgid reg8 reg32 reg128 str4 mid", row, " ")
	columns = split("kernel perf bpftrace-12-kprobe bpftrace-12-fentry bpftrace-sid-kprobe bpftrace-sid-fentry " \
		"bprobe-auto bprobe-fentry bprobe-multi bprobe-kprobe floor-fentry floor-multi floor-kprobe", column, " ")
	for (c = 1; c <= columns; c++)
		format[c] = (c == 3 || c == 7 || c == 11 ? " | " : " ") (column[c] ~ /^(kernel|bpftrace)/ ? "%7s" : "%6s")
	title["open"] = "entry, number and string"
	title["pgid"] = "entry, one register"
	title["ret-open"] = "return, do_sys_openat2"
	title["ret-pgid"] = "return, do_getpgid"
	title["reg8"] = "8 registers"
	title["reg32"] = "32 registers"
	title["reg128"] = "128 registers"
	title["str4"] = "4 strings"
	title["mid"] = "inside, number and string"
}

{
	if (!($1 in known)) { known[$1] = 1; kernel[++kernels] = $1 }
	value[$1, $2, $3] = $4
	spread[$1, $2, $3] = $5
	if ($5 > 2) wide[++nr_wide] = $1 " " $2 " " $3 ": " $5 " %"
}

function cell(k, r, c)
{
	return ((k, r, c) in value) ? sprintf("%.0f", value[k, r, c]) : "-"
}

function ratio(a, b)
{
	return a > 0 && b > 0 ? sprintf("%.2f", a / b) : "-"
}

function least(k, r, pattern,    c, v, best)
{
	for (c = 1; c <= columns; c++) {
		v = value[k, r, column[c]]
		if (column[c] ~ pattern && v > 0 && (!best || v < best))
			best = v
	}
	return best
}

# The floor of a definition's hook does not depend on what it reads.
function floors(k, r,    c)
{
	if (r !~ /^(reg|str)/)
		return
	for (c = 1; c <= columns; c++)
		if (column[c] ~ /^floor/ && (k, "open", column[c]) in value)
			value[k, r, column[c]] = value[k, "open", column[c]]
}

function hits(k,    r, c)
{
	printf "\n%s: instructions a hit\n\n%-26s %7s %6s | %7s %7s %7s %7s | %6s %6s %6s %6s | %6s %6s %6s | %5s %6s %6s\n", k, "",
		"kernel", "perf", "bt12-k", "bt12-f", "btsid-k", "btsid-f",
		"auto", "fentry", "multi", "kprobe", "0-fent", "0-mult", "0-kpro", "auto", "kprobe", "auto/"
	printf "%-26s %7s %6s | %7s %7s %7s %7s | %6s %6s %6s %6s | %6s %6s %6s | %5s %6s %6s\n", "",
		"", "record", "", "", "", "", "bprobe", "bprobe", "bprobe", "bprobe", "floor", "floor", "floor", "/kern", "/kern", "bpftr."
	for (r = 1; r <= rows; r++) {
		floors(k, row[r])
		auto = value[k, row[r], "bprobe-auto"]
		if (!auto)
			auto = value[k, row[r], "bprobe-kprobe"]
		printf "%-26s", title[row[r]]
		for (c = 1; c <= columns; c++)
			printf format[c], cell(k, row[r], column[c])
		printf " | %5s %6s %6s\n", ratio(auto, value[k, row[r], "kernel"]),
			ratio(value[k, row[r], "bprobe-kprobe"], value[k, row[r], "kernel"]), ratio(auto, least(k, row[r], "^bpftrace"))
	}
}

END {
	for (i = 1; i <= kernels; i++)
		hits(kernel[i])
	print "\nkernel: kprobe_events. bt12, btsid: bpftrace of Debian 12 and sid by kprobe and fentry. floor: an empty program."
	print "auto/...: bprobe as it chooses (by kprobe where it has no choice) against the kernel's tracer and bpftrace's best."
	if (nr_wide) {
		print "\nNot within 2 % from one attachment to the next:"
		for (i = 1; i <= nr_wide; i++)
			print "  " wide[i]
	}
}
