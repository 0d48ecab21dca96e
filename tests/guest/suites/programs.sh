#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# programs.sh - user probes in real programs, on each KERNEL given
#
#   programs.sh [-b BPROBE] [-n HITS] KERNEL...	(names that kernels.sh knows)
#
# HITS (1000000) of the storm. TAP on stdout. The tests are in programs.guest. python3, libc and libstdc++ are this machine's.
set -u
. "$(dirname "$0")/../rig/suite.sh"
kills=1000000				# suite_options calls the number of -n so
suite_options bn "$@"
shift "$suite_shift"
: "${CC:=gcc}" "${CXX:=g++}"

files=()
add() { files+=(-f "$(readlink -f "$1")=$2"); }

with_libraries() {	# with_libraries FILE: what the loader would load for it
	while read -r library; do
		[[ " ${files[*]} " == *"=$library "* ]] || add "$library" "$library"
	done < <(ldd "$1" | grep -o '/[^ ]*')
}

c_programs() {
	"$CC" -O2 -std=gnu11 -Wall -Wextra -fPIE -pie -pthread -o "$work/pw" "$here/../tools/programs.c" &&
		"$CC" -O2 -std=gnu11 -fno-pie -no-pie -pthread -o "$work/pw-fixed" "$here/../tools/programs.c" || return
	# What makes a program one of Go's is this section.
	echo table > "$work/table" && objcopy --add-section .gopclntab="$work/table" "$work/pw" "$work/pw-go" || return
	with_libraries "$work/pw"
	add "$work/pw" /bin/pw
	add "$work/pw-go" /bin/pw-go
	add "$work/pw-fixed" /bin/pw-fixed
	# No library for this is needed.
	if echo 'void _start(void) { for (;;); }' | "$CC" -m32 -ffreestanding -nostdlib -static -o "$work/pw32" -x c - 2> /dev/null; then
		add "$work/pw32" /bin/pw32
	fi
}

# A stripped program's names are in a file that is found by the program's build id.
cxx_programs() {
	local id
	"$CXX" -O1 -Wall -Wextra -fPIE -pie -o "$work/pwx" "$here/../tools/programs.cc" &&
		"$CXX" -O1 -fno-pie -no-pie -Wl,--build-id -o "$work/pwx-fixed" "$here/../tools/programs.cc" &&
		objcopy --only-keep-debug "$work/pwx-fixed" "$work/debug" && strip -o "$work/pwx-stripped" "$work/pwx-fixed" &&
		strip -o "$work/pwx-nameless" "$work/pwx" || return
	id=$(readelf -n "$work/pwx-fixed" | sed -n 's/.*Build ID: //p')
	with_libraries "$work/pwx"
	add "$work/pwx" /bin/pwx
	add "$work/pwx-fixed" /bin/pwx-fixed
	add "$work/pwx-stripped" /bin/pwx-stripped
	add "$work/pwx-nameless" /bin/pwx-nameless
	add "$work/debug" "/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug"
}

# Debian's python3 starts with three files of its library.
python() {
	local program version dir file
	program=$(readlink -f /usr/bin/python3) && readelf -n "$program" 2> /dev/null | grep -q 'function__entry' || return 1
	dir=$("$program" -S -I -c 'import os; print(os.path.dirname(os.__file__))') || return 1
	with_libraries "$program"
	add "$program" /usr/bin/python3
	version=${dir##*/}
	for file in os.py $("$program" -S -I -c 'import sys
for m in sys.modules.values():
	if getattr(m, "__file__", None): print(m.__file__)' | sed -n "s|^$dir/||p"); do
		add "$dir/$file" "/usr/lib/$version/$file"
	done
}

c_programs || { echo "not ok - the C program cannot be built"; exit 1; }
cxx_programs || echo "# there is no C++ compiler that works ($CXX)"
python || echo "# /usr/bin/python3 has no markers"
{ echo "hits=$kills"; cat "$here/programs.guest"; } > "$work/programs"
{ echo "hits=$kills storm=yes"; cat "$here/programs.guest"; } > "$work/storm"
tests() {
	suite_guest "${files[@]}" -f "$build/tests/bpfcount=/bin/bpfcount" "$work/programs"
	suite_guest -p 4 -a preempt=full "${files[@]}" -f "$build/tests/elapsedcheck=/bin/elapsedcheck" "$work/storm"
}
suite_kernels tests "$@"
