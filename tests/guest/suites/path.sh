#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# path.sh - the type path, on each KERNEL given
#
#   path.sh [-M] [-b BPROBE] [-n FILES] KERNEL...       (names that kernels.sh knows; -n: files in each of four file systems, 50)
#
# TAP on stdout. The tests are in path.guest. The program pw (tools/pw.c) opens files and says what the kernel calls them. A bare guest
# gets the modules of XFS and overlayfs from the kernel's machine.cpio, and an empty XFS.
set -u
. "$(dirname "$0")/../rig/suite.sh"
kills=50
suite_options bn "$@"
shift "$suite_shift"
pw=$build/tests/pw
cache=${XDG_CACHE_HOME:-$HOME/.cache}/bprobe/kernels

if command -v mkfs.xfs > /dev/null && truncate -s 20M "$work/xfs" && mkfs.xfs -q --unsupported -d size=20m "$work/xfs" > /dev/null 2>&1; then
	gzip -9 "$work/xfs"
else
	: > "$work/xfs.gz"
fi
echo "$kills" > "$work/files"

tests() {
	mkdir -p "$work/modules.$kernel"
	(cd "$work/modules.$kernel" && cpio -id --quiet '*/loop.ko' '*/libcrc32c.ko' '*/xfs.ko' '*/overlay.ko' < "$cache/$kernel/machine.cpio" &&
		find . -name '*.ko' -exec mv {} . \;) 2> /dev/null
	suite_guest -f "$pw=/bin/pw" -f "$work/xfs.gz=/xfs.gz" -f "$work/files=/files" -f "$work/modules.$kernel=/path-modules" \
		"$here/path.guest"
}
suite_kernels tests "$@"
