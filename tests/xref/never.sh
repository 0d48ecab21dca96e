#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# never.sh - who refers to each function of a kernel, by its vmlinux and objdump
#
#   never.sh VMLINUX KALLSYMS IMGREFS      (KALLSYMS of that kernel, booted with nokaslr)
#
# One line a function of .text, __pfx_ and __cfi_ preambles and .cold parts left out:
#
#   ADDRESS TYPE NAME BRANCHES POINTERS BOOT_BRANCHES BOOT_POINTERS
#
# References from outside the function's own body are counted. The last two come from code that is gone when the kernel
# runs: .init.* and .exit.text, and the alternatives. The never list is the lines with 0 0 after the name. This script
# shares no code with user/kernel/xref/xref.c, which is compared with it.
set -eu
[ $# = 3 ] || { sed -n '6,14p' "$0" >&2; exit 64; }
vmlinux=$1 kallsyms=$2 imgrefs=$3
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' INT TERM HUP
LC_ALL=C
export LC_ALL

# Functions with their ends. Several names of one place are one function, global if one of them is.
awk 'NF == 3 && $2 ~ /^[tTwW]$/ && $1 >= "ffffffff80000000" { print $1, $2, $3 }' "$kallsyms" |
	sort -s -k 1,1 | awk '
	$3 == "_etext" { etext = $1 }
	$3 == "_stext" { stext = $1 }
	{ at[NR] = $1; type[NR] = $2; name[NR] = $3 }
	END {
		for (i = 1; i <= NR; i = j) {
			kept = ""
			for (j = i; j <= NR && at[j] == at[i]; j++) {
				if (name[j] ~ /^__(pfx|cfi)_|\.cold(\.[0-9]*)?$/ || name[j] ~ /^_(s?text|etext)$|_text_(start|end)$/)
					continue
				if (kept == "" || (type[kept] ~ /[tw]/ && type[j] ~ /[TW]/))
					kept = j
			}
			if (kept != "" && j <= NR && at[i] >= stext && at[i] < etext)
				print at[i], at[j], type[kept], name[kept]
		}
	}' > "$tmp/functions"
cut -d' ' -f1 "$tmp/functions" > "$tmp/addresses"

# "TARGET FROM KIND": code first.
command -v objdump > /dev/null
objdump -d -w --no-show-raw-insn -j .text -j .init.text -j .exit.text -j .altinstr_aux -j .altinstr_replacement \
	"$vmlinux" 2> /dev/null | awk '
	NR == FNR { function_at[$1]; next }
	/^Disassembly of section/ { when = $4 == ".text:" ? "" : "boot_"; next }
	index($0, "0xffffffff") {
		rest = substr($0, 18)
		kind = when (rest ~ /^[ \t]*([a-z,]+ )*(call|j[a-z]+|xbegin) / ? "branch" : "pointer")
		while (match(rest, /0xffffffff[0-9a-f]+/)) {
			target = substr(rest, RSTART + 2, RLENGTH - 2)
			rest = substr(rest, RSTART + RLENGTH)
			if (target in function_at)
				print target, substr($1, 1, 16), kind
		}
	}' "$tmp/addresses" - > "$tmp/refs"

# Then data. Some tables list places that nobody calls.
awk '$3 ~ /^__st(art|op)_(mcount_loc|kprobe_blacklist|error_injection_whitelist)$/ { print $3, $1 }' "$kallsyms" > "$tmp/marks"
"$imgrefs" "$vmlinux" < "$tmp/addresses" > "$tmp/words"
awk '
	NR == FNR { mark[$1] = $2; next }
	function within(table) {
		return $2 >= mark["__start_" table] && $2 < mark["__stop_" table]
	}
	$5 || within("mcount_loc") || within("kprobe_blacklist") || within("error_injection_whitelist") { next }
	$4 == "abs64" && $3 ~ /^(\.rodata|\.data|\.data\.\.percpu|__param|__modver|__init_rodata|\.notes)$/ { print $1, $2, "pointer" }
	$4 == "prel32" && $3 ~ /^(__ksymtab(_gpl)?|\.pci_fixup|__ex_table)$/ { print $1, $2, "pointer" }
	$4 == "abs64" && $3 ~ /^(\.init\.data|\.iommu_table|\.apicdrivers|\.x86_cpu_dev\.init)$/ { print $1, $2, "boot_pointer" }
	$4 == "prel32" && $3 == ".init.data" { print $1, $2, "boot_pointer" }' "$tmp/marks" "$tmp/words" >> "$tmp/refs"

# Addresses are 16 digits, so comparing text compares numbers.
awk '
	NR == FNR { end[$1] = $2; name[++count] = $3 " " $4; at[count] = $1; next }
	($2 "") < ($1 "") || ($2 "") >= (end[$1] "") { refs[$1, $3]++ }
	END {
		for (i = 1; i <= count; i++)
			print at[i], name[i], refs[at[i], "branch"] + 0, refs[at[i], "pointer"] + 0,
				refs[at[i], "boot_branch"] + 0, refs[at[i], "boot_pointer"] + 0
	}' "$tmp/functions" "$tmp/refs"
