#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# hist-kept.sh - the rows of hist.sh as kept events, with no bprobe running, beside the kernel's own on each KERNEL given
#
#   hist-kept.sh [-b BPROBE] [-r 'ROW...'] KERNEL...       (names that kernels.sh knows)
HIST_KEPT=yes exec "${0%/*}/hist.sh" "$@"
