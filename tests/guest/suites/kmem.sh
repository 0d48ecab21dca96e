#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# kmem.sh - the kernel's memory by /proc/kcore and by BPF, on each KERNEL given
#
#   kmem.sh [-b BPROBE] [-k KMEMCHECK] KERNEL...       (names that kernels.sh knows)
#
# TAP on stdout. The tests are in kmem.guest and kmemcheck.c.
set -u
. "$(dirname "$0")/../rig/suite.sh"
suite_options bk "$@"
shift "$suite_shift"

tests() { suite_guest -f "$kmemcheck=/bin/kmemcheck" "$here/kmem.guest"; }
suite_kernels tests "$@"
