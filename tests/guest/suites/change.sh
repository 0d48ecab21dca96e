#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# change.sh - what changes under a bprobe: on each KERNEL given
#
#   change.sh [-b BPROBE] [-w WL] [-c BPFCOUNT] [-r THEME] [-n ROUNDS] KERNEL...
#
# THEME is cpus, late (CPUs that were off line at boot), clock, modules, programs, tracers, or foreign (bpftrace and perf, if
# this machine has them); its tests are in change-THEME.guest.
# change.guest is what they share. ROUNDS (0): the short form, where each test takes another way to attach; from 1 on each takes all of them.
# TAP on stdout.
#
# Each theme has found planted faults:
#
#   tracers   a bprobe that ends the function tracer of another instance when it starts: 1 failed
#   modules   peers_module_changed() (trace/peers.c) does not see that a module went: the first round failed
#   programs  --enable does not look whether its file is another one (kept_file.c): 3 failed
#   late      cpus_possible() (run/cpus.c) counts the CPUs that are on line: 12 of 20 failed
#   cpus      no new perf events for CPUs that come (mapwatch.c, as it was): the stacks of programs there have no names
#   clock     the same, after a suspend: 1 failed
set -u
. "$(dirname "$0")/../rig/suite.sh"
kills=0				# suite_options calls the number of -n so
suite_options bwcnr "$@"
shift "$suite_shift"
theme=${rows:-cpus}
[ -e "$here/change-$theme.guest" ] || { echo "change.sh: no theme '$theme'" >&2; exit 64; }

# syscall_at: where the function syscall() is in the file wl, as uprobe_events takes it
place_of_syscall() {
	address=0x$(readelf -sW "$wl" | awk '$8 == "syscall" { print $2; exit }')
	readelf -lW "$wl" | awk '$1 == "LOAD" { print $2, $3, $5 }' | while read -r offset start length; do
		[ $((address)) -lt $((start)) ] || [ $((address)) -ge $((start + length)) ] || printf '0x%x\n' $((address - start + offset))
	done
}

# libraries_of PROGRAM: options for guest.sh
libraries_of() {
	ldd "$1" | sed -nE 's!^\t([^ ]*/)?([^/ ]+) (=> ([^ ]+) )?\(.*!\2 \4!p' | while read -r name file; do
		case $name in
		ld-linux*) echo "-f $(realpath "/lib64/$name")=/lib64/$name" ;;
		*)	[ -z "$file" ] || echo "-f $(realpath "$file")=/lib/x86_64-linux-gnu/$name" ;;
		esac
	done
}

# What a theme needs in its guest beyond the programs of all. A module has debug information, for source lines.
files_of() {
	files="-f $build/tests/floor=/bin/floor"
	case $theme in
	tracers) module=patchmod ;;
	modules) module=changemod ;;
	late)	boot='-a maxcpus=2'; return ;;
	foreign)
		for program in bpftrace perf; do
			file=$(command -v $program) || { echo "ok - $theme # SKIP this machine has no $program (packages bpftrace, linux-perf)"; exit; }
			files="$files -f $file=/bin/$program $(libraries_of "$file")"
		done
		memory='-m 4096' parts="$here/change-foreign.guest $here/change-tracers.guest"
		return ;;
	*)	return ;;
	esac
	. "$rig/module.sh"
	module_headers && module_build $module "$here/../tools/$module.c" -g CC="${CC:-gcc}" || return
	files="$files -f $modules/$module/$module.ko=/modules/$module.ko"
}

tests() {
	files= memory= boot= parts=$here/change-$theme.guest
	files_of
	{ echo "rounds=$kills syscall_at=$(place_of_syscall)"; cat "$here/change.guest" $parts; } > "$work/script"
	suite_guest -p 4 $boot $memory -f "$wl=/bin/wl" -f "$bpfcount=/bin/bpfcount" $files "$work/script"
}
suite_kernels tests "$@"
