#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# load.sh - how long do kernels verify the largest programs? On each KERNEL given
#
#   load.sh [-b BPROBE] KERNEL...		(names that kernels.sh knows)
#
# In a guest that counts instructions. TAP on stdout.
set -u
. "$(dirname "$0")/../rig/suite.sh"
suite_options b "$@"
shift "$suite_shift"

tests() { suite_guest -i "$here/load.guest"; }
suite_kernels tests "$@"
