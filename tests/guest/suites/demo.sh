#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# demo.sh BPROBE - boots a distribution kernel and shows bprobe tracing it
set -u
here=$(dirname "$0")
rig=$here/../rig
"$rig/kernels.sh" fetch 6.12 || exit 1
echo "booting Linux $(cat "$("$rig/kernels.sh" path 6.12)/version") in QEMU (a few seconds) ..."
"$rig/guest.sh" -k 6.12 -f "$1=/bin/bprobe" "$here/demo.guest" || exit 1
cat << END

That was this build of bprobe on another kernel. On this machine, or any x86-64 one with Linux 5.10 or newer, as root:

    $1 'p:myprobe do_sys_openat2 dfd=%di:s32 filename=+0(%si):string'

END
