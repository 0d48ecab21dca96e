# SPDX-License-Identifier: GPL-2.0-only
#
# compare.awk - compares xref's verdicts on a kernel's functions with objdump's, and with the functions that ran
#
#	awk -v name=KERNEL -f compare.awk NEVER OUTPUT		(of never.sh, of xref.guest)
#
# TAP on stdout, with the figures. Only functions with a site of ftrace count: no probe can
# be put on the others. Numbers of verdicts are those of user/kernel/xref/reach.h.

function say(good, text) {
	print (good ? "ok" : "not ok") " - " name ": " text
}

function shorten(text) {
	return length(text) > 700 ? substr(text, 1, 700) "..." : text
}

# A site is 4 bytes after an ENDBR. Addresses have 16 digits, so only the last digit matters.
function before(addr,	digit) {
	digit = index("0123456789abcdef", substr(addr, 16)) - 1
	return digit < 4 ? "" : substr(addr, 1, 15) substr("0123456789abcdef", digit - 3, 1)
}

NR == FNR {
	live[$1] = $4 + $5; boot_calls[$1] = $6; boot_pointers[$1] = $7
	next
}
$1 == "ref" {
	named[$2] = $4; refs[$2] = $5 + $6; verdict[$2] = $8; site[$2] = $9
	next
}
$1 == "run" { ran[$2] }

END {
	for (addr in live) {
		if (!site[addr])
			continue
		functions++
		if (live[addr]) {
			if (!refs[addr] && !boot_pointers[addr] && !boot_calls[addr]) {
				lost++
				lost_names = lost_names " " named[addr]
			}
			continue
		}
		kind = boot_pointers[addr] ? "handed" : boot_calls[addr] ? "booting" : "never"
		all[kind]++
		warned[kind] += verdict[addr] >= 2
		if (kind == "never" && refs[addr]) {
			extra++
			extra_names = extra_names " " named[addr]
		}
	}
	for (at in ran) {
		addr = at in refs ? at : before(at)
		if (!(addr in refs))
			continue
		executed++
		if (!refs[addr]) {
			quiet++
			quiet_names = quiet_names " " named[addr]
		}
		if (verdict[addr] >= 2) {
			alarms++
			alarm_names = alarm_names " " named[addr]
		}
	}
	say(functions > 20000, functions + 0 " functions that a probe may be put on")
	say(all["never"] > 400 && warned["never"] >= 0.95 * all["never"],
		sprintf("of %d that nothing in the image refers to, %d are warned of (%.1f %%)", all["never"],
			warned["never"], 100 * warned["never"] / (all["never"] + !all["never"])))
	say(extra <= 0.01 * all["never"], extra + 0 " of these are referred to in memory")
	if (extra)
		print "#   " shorten(extra_names)
	say(lost <= 10, lost + 0 " others have lost their references while the kernel started")
	if (lost)
		print "#   " shorten(lost_names)
	printf "# kernel %s: only boot code calls %d, %d are warned of; boot code takes the addresses of %d, %d are warned of\n",
		name, all["booting"], warned["booting"], all["handed"], warned["handed"]
	say(executed >= 2000, executed + 0 " functions were seen to run, " quiet + 0 " of them without a reference")
	if (quiet)
		print "#   " shorten(quiet_names)
	say(!alarms, "of those that ran, " alarms + 0 " are warned of")
	if (alarms)
		print "#   " shorten(alarm_names)
}
