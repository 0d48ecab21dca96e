# SPDX-License-Identifier: GPL-2.0-only
#
# module.sh - builds kernel modules for guests; drivers source it behind suite.sh
#
#	module_headers			# fetches $kernel's headers: $headers, and $modules, a directory for modules of this release
#	module_build NAME SOURCE "FLAGS" [WORD OF make]...	# $modules/NAME/BASE.ko of SOURCE, unless it is newer than SOURCE and than this file
#	module_btf FILE.ko		# adds BTF, as the kernel's own build does
unset MAKEFLAGS MAKELEVEL MFLAGS MAKEOVERRIDES ARCH CROSS_COMPILE

# A kernel may be configured for a newer gcc than this machine's.
for_this_gcc='CONFIG_CC_HAS_MIN_FUNCTION_ALIGNMENT='

# Debian's kernels are configured for gcc. For clang: no flags of gcc, and a program of the kernel's to list the calls of __fentry__, without
# which the kernel takes a function for one that must not be probed. clang 14 warns of headers of 6.12.
for_clang='LLVM_IAS=1 CONFIG_CC_IS_GCC= CONFIG_CC_IS_CLANG=y KCFLAGS=-w
CONFIG_FTRACE_MCOUNT_USE_CC= CONFIG_FTRACE_MCOUNT_USE_RECORDMCOUNT=y BUILD_C_RECORDMCOUNT=y
CONFIG_RETHUNK= CONFIG_MITIGATION_RETHUNK= CONFIG_SLS= CONFIG_MITIGATION_SLS= CONFIG_INIT_STACK_ALL_ZERO= CONFIG_INIT_STACK_NONE=y
CONFIG_STACKPROTECTOR= CONFIG_STACKPROTECTOR_STRONG= CONFIG_UBSAN='

module_headers() {
	"$rig/headers.sh" fetch "$kernel" && headers=$("$rig/headers.sh" path "$kernel") || return 1
	mkdir -p "$build/tests" && modules=$(cd "$build/tests" && pwd)/modules/$(cat "${headers%/build}/version")
}

module_build() {
	local name=$1 source=$2 flags=$3 dir=$modules/$1 base
	base=$(basename "$source" .c)
	[ -e "$dir/$base.ko" ] && [ "$dir/$base.ko" -nt "$source" ] && [ "$dir/$base.ko" -nt "$rig/module.sh" ] && return
	shift 3
	rm -rf "$dir"
	mkdir -p "$dir" && cp "$source" "$dir/" && printf 'obj-m := %s.o\nccflags-y := %s\n' "$base" "$flags" > "$dir/Makefile" || return 1
	make -s -C "$headers" M="$dir" $for_this_gcc "$@" modules > "$dir/log" 2>&1 < /dev/null && return
	tail -n 20 "$dir/log" | sed 's/^/#   /'
	rm -f "$dir/$base.ko"
	return 1
}

module_btf() {
	local vmlinux
	! readelf -S "$1" | grep -q ' \.BTF ' || return 0
	vmlinux=$("$rig/kernels.sh" vmlinux "$kernel") || return 1
	pahole -J --btf_base "$vmlinux" "$1" > "$1.log" 2>&1 || { sed 's/^/#   /' "$1.log"; return 1; }
}
