#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# layers.sh - a lower room never includes a higher one, and only set/ and the rooms above it print or exit.
#
# The table below says which other layers each layer may include; everything else is
# an error. TAP on standard output.
set -u
cd "$(dirname "$0")/.."
n=0 failed=0

# Some rooms have folders.
sources() { find "$@" -name '*.[ch]'; }

result() { # ok|not ok, text
	n=$((n + 1))
	[ "$1" = ok ] || failed=$((failed + 1))
	echo "$1 $n - $2"
}

# A room may include the rooms below it. lang and kernel do not see each other, nor do run and print.
allowed() {
	case $1 in
	base) echo "base" ;;
	cexpr) echo "base cexpr" ;;
	compat) echo "compat" ;;
	arch) echo "base arch" ;;
	elf) echo "base cexpr arch elf" ;;
	lang) echo "base cexpr arch lang" ;;
	kernel) echo "base arch kernel" ;;
	plan) echo "base cexpr elf arch lang kernel plan" ;;
	gen) echo "base cexpr arch lang kernel plan gen" ;;
	attach) echo "base cexpr arch lang kernel plan gen attach" ;;
	run) echo "base elf arch lang kernel plan gen attach run" ;;
	print) echo "base elf arch lang kernel plan print" ;;
	hist) echo "base elf arch lang kernel plan print hist" ;;
	live) echo "base elf arch lang kernel plan print hist live" ;;
	dat) echo "base elf arch lang kernel plan print dat" ;;
	timeline) echo "base elf arch lang kernel plan print timeline" ;;
	report) echo "base elf arch lang kernel plan print report" ;;
	registry) echo "base lang run registry" ;;
	set) echo "base elf arch lang kernel plan gen attach run print hist registry set" ;;
	stream) echo "base elf arch lang kernel plan run print hist dat timeline set stream" ;;
	keep) echo "base elf arch lang kernel plan gen attach run print hist dat timeline registry set stream keep" ;;
	trace) echo "base elf arch lang kernel plan gen attach run print hist live dat timeline report registry set stream keep trace" ;;
	cli) echo "base elf arch lang kernel plan gen attach run print hist live dat timeline report registry set stream keep trace cli" ;;
	*) return 1 ;;
	esac
}

# What a room declares for a higher one to define: plan chooses from the table of backends, whose rows attach.
filled_above() { [ "$1" = plan ] && echo backends; }

for dir in user/*/; do
	layer=$(basename "$dir")
	if ! may=$(allowed "$layer"); then
		result "not ok" "user/$layer is a layer that tests/layers.sh does not know"
		continue
	fi
	bad=$(sources "$dir" | xargs sed -n "s|^#include \"\([a-z]*\)/.*|\1|p" | sort -u | while read -r other; do
		case " $may " in *" $other "*) ;; *) echo "$other" ;; esac
	done)
	if [ -z "$bad" ]; then
		result ok "$layer includes: $may"
	else
		result "not ok" "$layer includes a layer above or beside it: $bad"
		for other in $bad; do sources "$dir" | xargs grep -n "^#include \"$other/" | sed 's/^/# /'; done
	fi
done

# "ROOM SYMBOL FILE OTHER-ROOM OTHER-FILE" for each symbol that a room takes from another.
links() {
	sources user | sed -n "s|\(.*\)\.c$|$o/\1.o|p" | while read -r object; do [ -f "$object" ] && echo "$object"; done | xargs nm -A 2> /dev/null |
		awk -v skip=$((${#o} + 1)) '{
			split($0, part, ":"); file = substr(part[1], skip + 1); type = $(NF - 1); split(file, path, "/")
			if (type == "U") { if (!(($NF, file) in wants)) { wants[$NF, file]; order[++nr] = $NF SUBSEP file } }
			else if (type ~ /^[A-Zvw]$/) has[$NF] = file
		} END {
			for (i = 1; i <= nr; i++) {
				split(order[i], w, SUBSEP)
				if (!(w[1] in has)) continue
				split(w[2], path, "/"); split(has[w[1]], other, "/")
				if (path[2] != other[2]) { sub(/o$/, "c", w[2]); file = has[w[1]]; sub(/o$/, "c", file); print path[2], w[1], w[2], other[2], file }
			}
		}'
}

o=${O:-build}
if [ -f "$o/bprobe" ]; then
	all=$(links)
	for dir in user/*/; do
		layer=$(basename "$dir")
		may=$(allowed "$layer") || continue
		bad=$(echo "$all" | awk -v room="$layer" -v may=" $may " -v filled=" $(filled_above "$layer") " '
			$1 == room && !index(may, " " $4 " ") && !index(filled, " " $2 " ") { print $3 ": " $2 " is in " $5 }')
		if [ -z "$bad" ]; then
			result ok "$layer links what it may include"
		else
			result "not ok" "$layer links a layer above or beside it"
			echo "$bad" | sort | sed 's/^/# /'
		fi
	done
else
	result ok "links # SKIP nothing is built in $o"
fi

# A room that is renamed or removed must not stay here: its rule would hold for nothing.
bad=$({ sed -n 's/^	\([a-z]*\)) echo "\([a-z ]*\)" ;;$/\1 \2/p' "$0" | tr ' ' '\n'; grep -v '^[[:space:]]*#' "$0" | grep -oE 'user/(\\\()?[a-z]+([\\|a-z]+\\\))?' |
	sed 's|user/||' | tr -c 'a-z\n' '\n'; } | sort -u | while read -r room; do
	[ -z "$room" ] || [ -d "user/$room" ] || echo "$room"
done)
if [ -z "$bad" ]; then result ok "the rooms that this names are there"; else result "not ok" "this names rooms that are not there: $(echo $bad)"; fi

# What BPF and user space share is not needed for the text and for the facts about the kernel.
bad=$(sources user/base user/arch user/lang user/kernel | xargs grep -ln '"bprobe_abi.h"')
if [ -z "$bad" ]; then result ok "include/ is for plan and what is above it"; else result "not ok" "include/ is used by $bad"; fi

# What is true of one CPU only is known to user/arch/CPU, and in bpf/ to a header of the CPU: names of CPUs, registers, instructions and
# their bytes, prefixes of system calls, symbols that other CPUs' kernels lack. SSE2 is one of the forms of base/scan.h.
cpu_facts() {	# cpu_facts PATTERN FILE...: where they have it
	pattern=$1
	shift
	grep -nE -e "$pattern" "$@" /dev/null
}
letter='(^|[^A-Za-z0-9_])' end='($|[^A-Za-z0-9_])'
names="x86|x86_64|x86-64|X86_[A-Z0-9_]+|amd64|i[36]86|arm64|aarch64|ARM64_[A-Z0-9_]+|EM_(386|X86_64|ARM|AARCH64)|R_(X86_64|AARCH64)_[A-Z0-9_]+"
names="$names|int3|INT3|rel8|rel32|ud2|brk #[0-9]+|[A-Za-z_]*(endbr|ENDBR)[A-Za-z0-9_]*|__x64_[a-z_*]*|[A-Za-z_]*ia32[a-z_]*|__arm64_[a-z_*]*"
names="$names|pcpu_hot|__preempt_count"
registers="%%?(r?(ax|bx|cx|dx|di|si|bp|sp|ip)|r(8|9|1[0-5])|e?flags|orig_ax|[xw][0-9]+|pstate)"
bad=$({
	elsewhere=$(sources user | grep -v '^user/arch/')
	cpu_facts "$letter($names)$end" $elsewhere
	cpu_facts "(^|[^A-Za-z0-9_%])($registers)$end" $elsewhere
	cpu_facts "\"arch/(x86_64|arm64)/" $elsewhere
	cpu_facts "_mm_|__m[0-9]+i?|[a-z]mmintrin|__SSE|__asm__|asm( volatile)?\(" $(echo "$elsewhere" | grep -vx user/base/scan.h)
	cpu_facts "${letter}0x[0-9a-f]{2}$end" $(sources user/kernel/text user/kernel/xref user/attach) |
		grep -vE '^[^:]*:[0-9]+:[[:space:]]*(/?\*|//)|/\*[^*]*0x'
	programs=$(find bpf -name '*.[ch]' | grep -v '^bpf/arch')
	cpu_facts "$letter($names)$end" $programs
	cpu_facts "->(r?(ax|bx|cx|dx|di|si|bp|sp|ip)|r(8|9|1[0-5])|flags|orig_ax|regs|pc|pstate)$end" $programs |
		grep -v 'thread_info.flags'
})
if [ -z "$bad" ]; then result ok "only arch/ knows what is true of one CPU"; else result "not ok" "a CPU's facts outside of arch/"; echo "$bad" | sed 's/^/# /'; fi

# Out of memory is the one exception (base/memory.c). Children end themselves: the one that reads debug files, and the one that detaches.
bad=$(sources user | grep -v '^user/\(set\|stream\|keep\|trace\|cli\)/\|^user/elf/dwarf/child.c$\|^user/base/\(report\|memory\).c$\|^user/registry/detach_child.c$' |
	xargs grep -nE '(^|[^a-z_])(printf|puts|putchar|perror|exit|_exit|abort|fprintf|fputs)\(')
if [ -z "$bad" ]; then
	result ok "nothing below set/ prints or exits"
else
	result "not ok" "something below set/ prints or exits"
	echo "$bad" | sed 's/^/# /'
fi
echo "1..$n"
[ "$failed" -eq 0 ]
