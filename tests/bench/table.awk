# SPDX-License-Identifier: GPL-2.0-only
#
# table.awk - figures.tsv as a table for people
BEGIN {
	FS = "\t"
	rows = split("open call pgid ret-open ret-pgid ret-time reg8 reg32 reg128 str4 last-part path mid", row, " ")
	columns = split("kernel perf bpftrace-12-kprobe bpftrace-12-fentry bpftrace-sid-kprobe bpftrace-sid-fentry " \
		"bprobe-auto bprobe-fentry bprobe-pattern bprobe-multi bprobe-kprobe floor-fentry floor-fmulti floor-multi floor-kprobe", column, " ")
	for (c = 1; c <= columns; c++)
		format[c] = (c == 3 || c == 7 || c == 12 ? " | " : " ") (column[c] ~ /^(kernel|bpftrace|bprobe-pattern)/ ? "%7s" : "%6s")
	title["open"] = "entry, number and string"
	title["call"] = "system call, string"
	title["pgid"] = "entry, one register"
	title["ret-open"] = "return, do_sys_openat2"
	title["ret-pgid"] = "return, do_getpgid"
	title["ret-time"] = "... and $elapsed"
	title["reg8"] = "8 registers"
	title["reg32"] = "32 registers"
	title["reg128"] = "128 registers"
	title["str4"] = "4 strings"
	title["last-part"] = "a file, %pD: its last part"
	title["path"] = "... path, of 5 parts"
	title["mid"] = "inside, number and string"
}

{
	name = $1
	sub(/-machine$/, "", name)
	if (!(name in known)) { known[name] = 1; kernel[++kernels] = name }
	value[$1, $2, $3] = $4
	spread[$1, $2, $3] = $5
	if ($5 > 2) wide[++nr_wide] = $1 " " $2 " " $3 ": " $5 " %"
}

function cell(k, r, c)
{
	return ((k, r, c) in value) ? sprintf("%.0f", value[k, r, c]) : "-"
}

# 0 if there is none; a plain look into the array would make one.
function get(k, r, c)
{
	return ((k, r, c) in value) ? value[k, r, c] : 0
}

function ratio(a, b)
{
	return a > 0 && b > 0 && a / b < 1000 ? sprintf("%.2f", a / b) : "-"
}

# The column of the smallest figure among those whose name matches, or none.
function least_of(k, r, pattern,    c, best)
{
	for (c = 1; c <= columns; c++)
		if (column[c] ~ pattern && (k, r, column[c]) in value &&
		    (best == "" || value[k, r, column[c]] < value[k, r, best]))
			best = column[c]
	return best
}

function least(k, r, pattern,    c)
{
	c = least_of(k, r, pattern)
	return c == "" ? 0 : value[k, r, c]
}

# The way that bprobe chooses; if there is no choice, by kprobe.
function own(k, r)
{
	return get(k, r, "bprobe-auto") ? get(k, r, "bprobe-auto") : get(k, r, "bprobe-kprobe")
}

# The floor of a definition's hook does not depend on what it reads.
function floors(k, r,    c)
{
	if (r !~ /^(reg|str|last-part|path)/)
		return
	for (c = 1; c <= columns; c++)
		if (column[c] ~ /^floor/ && (k, "open", column[c]) in value)
			value[k, r, column[c]] = value[k, "open", column[c]]
}

function hits(k,    r, c)
{
	printf "\n%s: instructions a hit\n\n%-26s %7s %6s | %7s %7s %7s %7s | %6s %6s %7s %6s %6s | %6s %6s %6s %6s | %5s %6s %7s %6s\n", k, "",
		"kernel", "perf", "bt12-k", "bt12-f", "btsid-k", "btsid-f",
		"auto", "fentry", "pattern", "multi", "kprobe", "0-fent", "0-fmul", "0-mult", "0-kpro", "auto", "kprobe", "pattern", "auto/"
	printf "%-26s %7s %6s | %7s %7s %7s %7s | %6s %6s %7s %6s %6s | %6s %6s %6s %6s | %5s %6s %7s %6s\n", "",
		"", "record", "", "", "", "", "bprobe", "bprobe", "bprobe", "bprobe", "bprobe", "floor", "floor", "floor", "floor",
		"/kern", "/kern", "/kern", "bpftr."
	for (r = 1; r <= rows; r++) {
		floors(k, row[r])
		auto = own(k, row[r])
		printf "%-26s", title[row[r]]
		for (c = 1; c <= columns; c++)
			printf format[c], cell(k, row[r], column[c])
		printf " | %5s %6s %7s %6s\n", ratio(auto, get(k, row[r], "kernel")),
			ratio(get(k, row[r], "bprobe-kprobe"), get(k, row[r], "kernel")),
			ratio(get(k, row[r], "bprobe-pattern"), get(k, row[r], "kernel")), ratio(auto, least(k, row[r], "^bpftrace"))
	}
}

# A rejected hit, compared with an empty program on the same hook.
function drops(k,    i, n, row_of, what, kind, hook, h, c)
{
	n = split("drop-number drop-pgid drop-task drop-task-pgid drop-string", row_of, " ")
	what["drop-number"] = "a number, of do_sys_openat2"; kind["drop-number"] = "open"
	what["drop-pgid"] = "a number, of do_getpgid"; kind["drop-pgid"] = "pgid"
	what["drop-task"] = "-p, of do_sys_openat2"; kind["drop-task"] = "open"
	what["drop-task-pgid"] = "-p, of do_getpgid"; kind["drop-task-pgid"] = "pgid"
	what["drop-string"] = "a string, of do_sys_openat2"; kind["drop-string"] = "open"
	split("fentry multi kprobe", hook, " ")
	printf "\n%s: instructions a hit that is turned away, and how many times an empty program's on the same hook\n\n%-30s", k, "by"
	for (h = 1; h <= 3; h++)
		printf " | %7s %6s", hook[h], "/floor"
	print ""
	for (i = 1; i <= n; i++) {
		printf "%-30s", what[row_of[i]]
		for (h = 1; h <= 3; h++)
			printf " | %7s %6s", cell(k, row_of[i], "bprobe-" hook[h]),
				ratio(get(k, row_of[i], "bprobe-" hook[h]), get(k, kind[row_of[i]], "floor-" hook[h]))
		print ""
	}
}

# A figure that is not of a hit, in @unit.
function amount(k, r, c, unit)
{
	return ((k, r, c) in value) ? sprintf(unit >= 1000 ? "%.1f" : "%.0f", value[k, r, c] / unit) : "-"
}

# A figure of a kernel, and below it that of the same kernel in the machine flavour.
function line(k, r, text, unit)
{
	one_line(k, r, text, unit)
	one_line(k "-machine", r, "  ... on a machine with modules", unit)
}

function one_line(k, r, text, unit,    mine, wild)
{
	wild = get(k, r, "wild-auto") ? "wild-auto" : "wild-kprobe"
	mine = get(k, r, wild) ? get(k, r, wild) : own(k, r)
	if (!mine && !get(k, r, "kernel") && !least(k, r, "^bpftrace"))
		return
	printf "%-44s %9s | %9s %9s | %9s %9s %9s %9s %9s | %6s %6s\n", text, amount(k, r, "kernel", unit),
		amount(k, r, least_of(k, r, "^bpftrace-12"), unit), amount(k, r, least_of(k, r, "^bpftrace-sid"), unit),
		amount(k, r, "bprobe-auto", unit), amount(k, r, "bprobe-fentry", unit), amount(k, r, "bprobe-multi", unit),
		amount(k, r, "bprobe-kprobe", unit), amount(k, r, wild, unit),
		ratio(mine, get(k, r, "kernel")), ratio(mine, least(k, r, "^bpftrace"))
}

# All functions by one pattern. The bare link stands in the kernel's column.
function every(k,    i, row_of, what)
{
	row_of[1] = "every"; what[1] = "attach every function (left: a bare link)"
	row_of[2] = "every-added"; what[2] = "... without the start"
	for (i = 1; i <= 2; i++) {
		if (get(k, row_of[i], "bprobe-auto"))
			printf "%-44s %9s | %9s %9s | %9s %9s %9s %9s %9s | %6s %6s\n", what[i], amount(k, row_of[i], "floor-multi", 1e6),
				"-", "-", amount(k, row_of[i], "bprobe-auto", 1e6), "-", "-", "-", "-",
				ratio(get(k, row_of[i], "bprobe-auto"), get(k, row_of[i], "floor-multi")), "-"
	}
}

# Hits that are counted, not recorded.
function counts(k,    i, n, row_of, what)
{
	n = split("hist-pid hist-sum hist-log2 hist-func hist-elapsed hist-pair hist-made hist-stack hist-string", row_of, " ")
	what["hist-pid"] = "by pid"; what["hist-sum"] = "... and a sum"; what["hist-log2"] = "powers of two of a number"
	what["hist-func"] = "by function, of a pattern"
	what["hist-elapsed"] = "powers of two of a duration"; what["hist-pair"] = "... between two events"; what["hist-made"] = "... by a synthetic event"; what["hist-stack"] = "by kernel stack"
	what["hist-string"] = "by string (of do_sys_openat2)"
	printf "\n%s: instructions a hit that is counted in a histogram, of do_getpgid\n\n%-30s %7s | %7s %7s | %7s %7s | %6s %6s\n", k, "",
		"kernel", "bt-k", "bt-f", "auto", "kprobe", "/kern", "/bpftr"
	for (i = 1; i <= n; i++)
		printf "%-30s %7s | %7s %7s | %7s %7s | %6s %6s\n", what[row_of[i]], cell(k, row_of[i], "kernel"),
			cell(k, row_of[i], "bpftrace-kprobe"), cell(k, row_of[i], "bpftrace-fentry"), cell(k, row_of[i], "bprobe-auto"),
			cell(k, row_of[i], "bprobe-kprobe"), ratio(get(k, row_of[i], "bprobe-auto"), get(k, row_of[i], "kernel")),
			ratio(get(k, row_of[i], "bprobe-auto"), less(get(k, row_of[i], "bpftrace-kprobe"), get(k, row_of[i], "bpftrace-fentry")))
}

# User probes, events and tracepoints. What is beyond the empty program on the same hook is the tracers' own work.
function dynamics(k,    i, n, row_of, what, bare, kernel_bare, own_work, kernel_work, r)
{
	n = split("user user-ret event call tracepoint", row_of, " ")
	what["user"] = "user probe, string"; what["user-ret"] = "... return, number and string"
	what["call"] = "... of a system call, string"
	what["event"] = "event (e), two fields"; what["tracepoint"] = "tracepoint (t), two arguments"
	printf "\n%s: instructions a hit of a user probe, an event, a tracepoint\n\n%-30s %7s %7s | %7s | %7s %7s | %7s %7s | %7s %6s\n", k, "",
		"kernel", "... no", "bpftr.", "auto", "its", "bprobe", "kernel", "beyond/", "auto/"
	printf "%-30s %7s %7s | %7s | %7s %7s | %7s %7s | %7s %6s\n", "", "", "args", "sid", "bprobe", "floor", "beyond", "beyond", "beyond", "bpftr."
	for (i = 1; i <= n; i++) {
		r = "dynamic-" row_of[i]
		kernel_bare = get(k, r, "floor-uprobe") + get(k, r, "floor-tracepoint") + get(k, r, "floor-raw_tp")	# it has one of them
		bare = get(k, r, "floor-umulti") ? get(k, r, "floor-umulti") : kernel_bare
		own_work = get(k, r, "bprobe-auto") && bare ? get(k, r, "bprobe-auto") - bare : 0
		kernel_work = get(k, r, "kernel") && kernel_bare ? get(k, r, "kernel") - kernel_bare : 0
		printf "%-30s %7s %7s | %7s | %7s %7.0f | %7.0f %7.0f | %7s %6s\n", what[row_of[i]], cell(k, r, "kernel"), cell(k, r, "kernel-bare"),
			cell(k, r, "bpftrace"), cell(k, r, "bprobe-auto"), bare, own_work, kernel_work, ratio(own_work, kernel_work),
			ratio(get(k, r, "bprobe-auto"), get(k, r, "bpftrace"))
	}
}

function less(a, b) { return !b || (a && a < b) ? a : b }

function others(k,    i, n, count, what)
{
	printf "\n%s: the rest\n\n%-44s %9s | %9s %9s | %9s %9s %9s %9s %9s | %6s %6s\n", k, "", "kernel", "bpftr. 12", "bpftr.sid",
		"auto", "fentry", "multi", "kprobe", "wildcard", "/kern", "/bpftr"
	line(k, "stream-slow", "hit to line, 100 a second (instructions)", 1)
	line(k, "stream-steady", "hit to line, 20 each ms", 1)
	line(k, "stream-full", "hit to line, as fast as they come", 1)
	line(k, "dat", "hit to complete trace.dat (trace-cmd)", 1)
	line(k, "dat-bytes", "... bytes an event", 1)
	n = split("1 10 100 1000", count, " ")
	for (i = 1; i <= n; i++)
		line(k, "attach-" count[i], "attach " count[i] " (million instructions)", 1e6)
	every(k)
	for (i = 1; i <= n; i++)
		line(k, "detach-" count[i], "detach " count[i], 1e6)
	for (i = 1; i <= n; i++)
		line(k, "attach-" count[i] "-time", "attach " count[i] " (ms, idle time with it)", 1)
	for (i = 1; i <= n; i++)
		line(k, "detach-" count[i] "-time", "detach " count[i], 1)
	line(k, "start-open", "start to attached, string (mill. instr.)", 1e6)
	line(k, "start-pgid", "start to attached, one register", 1e6)
	line(k, "life-command", "whole command, string, -- true", 1e6)
	line(k, "life-no-lint", "... --no-lint", 1e6)
	line(k, "life-pattern", "whole command, vfs_*, -- true", 1e6)
	line(k, "life-explain", "--explain", 1e6)
	line(k, "life-keep", "--keep", 1e6)
	line(k, "life-list", "-l", 1e6)
	line(k, "life-remove", "-r", 1e6)
	line(k, "memory-open", "peak memory, string (MB)", 1e6)
	line(k, "maps-open", "its maps' part", 1e6)
}

END {
	for (i = 1; i <= kernels; i++) {
		hits(kernel[i])
		drops(kernel[i])
		counts(kernel[i])
		dynamics(kernel[i])
		others(kernel[i])
	}
	print "\nkernel: kprobe_events. bt12, btsid: bpftrace of Debian 12 and sid by kprobe and fentry. floor: an empty program."
	print "auto/...: bprobe as it chooses (by kprobe where it has no choice) against the kernel's tracer and bpftrace's best."
	if (nr_wide) {
		print "\nNot within 2 % from one attachment to the next:"
		for (i = 1; i <= nr_wide; i++)
			print "  " wide[i]
	}
}
