#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# arm64.sh BUILD - does all of user/ compile for arm64?
#
# Only the compiler looks at it: it makes no objects, and nothing is linked. BUILD has the skeletons. TAP on standard output.
set -u
cd "$(dirname "$0")/.." || exit 1
O=$1 cc=aarch64-linux-gnu-gcc
said=$(mktemp)
trap 'rm -f "$said"' EXIT

echo 1..1
if ! echo '#include <stdio.h>' | $cc -E -o /dev/null - 2> /dev/null; then
	echo "ok 1 - user/ compiles for arm64 # SKIP there is no $cc with its libc: install gcc-aarch64-linux-gnu and libc6-dev-arm64-cross"
	exit 0
fi
# Without the variables of the make that runs this.
if env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s -k ARCH=arm64 O="$O" B="$O/tests/arm64" CFLAGS='-O0 -fsyntax-only' WERROR=1 objects > "$said" 2>&1; then
	echo "ok 1 - user/ compiles for arm64"
else
	echo "not ok 1 - user/ compiles for arm64"
	sed 's/^/# /' "$said"
fi
