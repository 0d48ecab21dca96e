#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# renew.sh - what the bprobe before the last change of kept records has kept, in the hands of this one, on each KERNEL given
#
#   renew.sh [-b BPROBE] [-w WL] KERNEL...	(names that kernels.sh knows)
#
# The older bprobe is built from this repository's history, once, into $XDG_CACHE_HOME/bprobe/programs. TAP on stdout. The tests
# are in renew.guest.
set -u
. "$(dirname "$0")/../rig/suite.sh"
suite_options bw "$@"
shift "$suite_shift"

header=include/bprobe_abi.h version=$(sed -n 's/^#define BP_ABI_VERSION[[:space:]]*//p' "$here/../../../include/bprobe_abi.h")
changed=$(git -C "$here" log --format=%H -G"define BP_ABI_VERSION.*$version" -- ":/$header" 2> /dev/null | tail -n 1)
before=$(git -C "$here" rev-parse -q --verify "$changed^" 2> /dev/null)
old=${XDG_CACHE_HOME:-$HOME/.cache}/bprobe/programs/bprobe-$before

if [ -z "$changed" ] || [ -z "$before" ]; then
	echo "ok - what an older bprobe kept # SKIP the history of this repository is not here, so there is no older bprobe to build"
	exit 0
fi
if [ ! -x "$old" ]; then
	git -C "$here/../../.." archive "$before" | tar -x -C "$work" --one-top-level=source &&
		(unset MAKEFLAGS MAKELEVEL MFLAGS O && make -C "$work/source" -s all) > "$work/build.log" 2>&1 &&
		mkdir -p "${old%/*}" && cp "$work/source/build/bprobe" "$old.new.$$" && mv "$old.new.$$" "$old" || {
			echo "not ok - building the bprobe of $before"
			tail -n 20 "$work/build.log" | sed 's/^/# /'
			exit 1
		}
fi
tests() { suite_guest -f "$old=/bin/old" -f "$wl=/bin/wl" "$here/renew.guest"; }
suite_kernels tests "$@"
