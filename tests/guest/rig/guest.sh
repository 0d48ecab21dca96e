#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# guest.sh - run a shell script on another kernel
#
#   guest.sh [-k KERNEL] [-M] [-t SECONDS] [-p CPUS] [-m MB] [-i] [-a WORDS] [-f FILE[=PATH]]... [-I CPIO] [-P FILE] [-D FILE] SCRIPT
#
#   -k KERNEL        a name that kernels.sh knows, or a vmlinuz (default 6.12)
#   -M               a machine like a user's instead of a bare kernel: see below
#   -t SECONDS       give up after that long (default 120)
#   -p CPUS          processors (default 2; with -M 4)
#   -m MB            memory (default 1024; with -M 2048)
#   -i               count instructions: one processor, whose clocks advance by a nanosecond an instruction
#   -a WORDS         more words for the kernel's command line
#   -f FILE[=PATH]   copy FILE into the guest, to PATH or to /bin/NAME; a directory with all in it
#   -I CPIO          an archive (newc) that is unpacked in the guest too
#   -P FILE          write QEMU's process id there
#   -D FILE          a disk: what the guest writes to /dev/vda is in FILE (only with -M, whose modules have virtio_blk)
#
# SCRIPT runs under busybox sh as root, with proc, sysfs, devtmpfs, devpts, tracefs, bpffs, /run
# and /tmp mounted and the kernel's modules in /modules. What it prints comes out here as it
# prints it, and its exit status is this command's. If there is none (the guest hangs, panics
# or does not boot), the status is 125 and the end of the console is shown on stderr.
#
# There are two flavours of guest, and $GUEST tells SCRIPT its own. "bare" is as above. "machine" (-M) has over 100
# modules loaded, cgroups with services in them as systemd makes them, Debian's settings, other tracers at work, and
# Debian's programs linked to glibc, busybox having only what they lack: machine.init is what makes it.
set -u

here=$(dirname "$0")
kernel=6.12 seconds=120 cpus= memory= accel=tcg,thread=single icount= words= files= machine= one= archive= pidfile= disk=

# Emulation goes through `rep stosb` and `rep movsb` byte by byte, and kernels clear and copy pages with them if the processor says that
# they are fast. This one does not say so: no ERMS, and a model before those on which Linux sets REP_GOOD (6.12,
# arch/x86/kernel/cpu/amd.c, init_amd_k8()). A start of bprobe costs a third less then.
cpu=max,erms=off,model=4,stepping=0

die() { printf 'guest.sh: %s\n' "$1" >&2; exit 125; }

while getopts k:Mt:p:m:ia:f:I:P:D: option; do
	case $option in
	k)	kernel=$OPTARG ;;
	M)	machine=yes ;;
	t)	seconds=$OPTARG ;;
	p)	cpus=$OPTARG ;;
	m)	memory=$OPTARG ;;
	i)	one=1 accel=tcg cpu=max icount='-icount shift=0,sleep=off' words="$words tsc=reliable randomize_kstack_offset=off" ;;
	a)	words="$words $OPTARG" ;;
	f)	files="$files$OPTARG
" ;;
	I)	archive=$OPTARG ;;
	P)	pidfile=$OPTARG ;;
	D)	disk=$OPTARG ;;
	*)	sed -n '6,18s/^# \{0,1\}//p' "$0" >&2; exit 125 ;;
	esac
done
shift $((OPTIND - 1))
[ $# = 1 ] && [ -f "$1" ] || die "no script to run: '$*'"

command -v qemu-system-x86_64 > /dev/null ||
	die "qemu-system-x86_64 is missing: install the package qemu-system-x86 (tests/setup.sh does)"
: "${cpus:=${one:-${machine:+4}}}" "${memory:=${machine:+2048}}"
modules=
case $kernel in
*/*)	vmlinuz=$kernel
	[ -z "$machine" ] || die "-M wants the modules of a kernel that kernels.sh knows, and $kernel is a file" ;;
*)	dir=$("$here/kernels.sh" path "$kernel") || exit 125
	vmlinuz=$dir/vmlinuz modules=$dir/modules ;;
esac

work=$(mktemp -d "${TMPDIR:-/tmp}/guest.XXXXXX") || exit 125
trap 'rm -rf "$work"' EXIT
trap 'exit 125' INT TERM HUP

# A machine's initramfs is three, one behind the other: the kernel takes that. Two of them lie ready in the cache.
initrd=
if [ -n "$machine" ]; then
	userland=$("$here/userland.sh" path) || exit 125
	[ -f "$dir/machine.cpio" ] || die "the modules of kernel $kernel are not in the cache: $here/kernels.sh fetch $kernel"
	initrd="$userland/userland.cpio $dir/machine.cpio"
	floor=${O:-$here/../../../build}/tests/floor
	[ -x "$floor" ] || die "there is no $floor, a machine's other tracer: make tests"
	files="$floor=/bin/floor
$here/machine.init=/machine.init
$files"
fi

# The root file system: busybox, which the guest's init links to its names, then what the caller gave.
busybox=$(command -v busybox) || die "busybox is not installed: run tests/setup.sh"
root=$work/root
mkdir -p "$root/bin" "$root/etc" "$root/modules" "$root/usr"
ln -s bin "$root/sbin" && ln -s ../bin "$root/usr/bin" && ln -s ../bin "$root/usr/sbin"
cp "$busybox" "$root/bin/busybox"
# The user land has a shell of its own.
[ -n "$machine" ] || ln -s busybox "$root/bin/sh"
cp "$here/init" "$root/init" && cp "$here/lib.sh" "$here/last-words" "$root/" && cp "$1" "$root/payload" && chmod 755 "$root/init" || exit 125
[ -z "$modules" ] || cp "$modules"/*.ko "$root/modules/"
printf 'root:x:0:0::/:/bin/sh\nuser:x:1000:1000::/:/bin/sh\n' > "$root/etc/passwd"
printf 'root:x:0:\nuser:x:1000:\n' > "$root/etc/group"

printf %s "$files" | while IFS= read -r file; do
	case $file in
	*=*)	to=$root${file#*=} file=${file%%=*} ;;
	*)	to=$root/bin/$(basename "$file") ;;
	esac
	mkdir -p "$(dirname "$to")" && cp -r "$file" "$to"
done || die "cannot copy the files"
{ [ -z "$initrd" ] || cat $initrd; [ -z "$archive" ] || cat "$archive"; (cd "$root" && find . | cpio --quiet -o -H newc -R 0:0); } > "$work/initrd" || die "cannot build the initramfs"

# Then a guest that hangs can say where, before it is ended (init).
[ -n "$icount" ] || words="$words guest_seconds=$seconds"

# The kernel's tests of its own ciphers are a sixth of a boot. Its test of the timer waits for ticks that come late on a busy machine: once it
# found no timer ("8254 timer not connected to IO-APIC"), and the guest hung for 35 minutes.
words="$words cryptomgr.notests no_timer_check"

# When QEMU's processors are threads of their own, kernels crash now and then while they patch their
# code: 7.x nearly always, 6.12 in 2 of some 60 boots (an int3 in sched_clock_cpu). So one thread.
# Console and payload have a port each, so no kernel message gets into the payload's lines.
timeout -k 5 "$seconds" qemu-system-x86_64 -accel "$accel" $icount -smp "${cpus:-2}" -cpu $cpu -m "${memory:-1024}" \
	${pidfile:+-pidfile "$pidfile"} ${disk:+-drive "file=$disk,format=raw,if=virtio,cache=unsafe"} -nodefaults -display none -no-reboot -kernel "$vmlinuz" -initrd "$work/initrd" \
	-append "console=ttyS0 quiet panic=-1 $words" \
	-serial file:"$work/console" -serial stdio < /dev/null
qemu=$?

status=$(tr -d '\r' < "$work/console" | sed -n 's/.*guest-status: \([0-9][0-9]*\)$/\1/p' | tail -n 1)
[ -z "$status" ] || exit "$status"
{
	if [ $qemu = 124 ] || [ $qemu = 137 ]; then
		echo "guest.sh: kernel $kernel: no result within $seconds s"
	else
		echo "guest.sh: kernel $kernel ended without a result (QEMU's status $qemu)"
	fi
	echo "the console's last lines:"
	tail -n 150 "$work/console" 2>/dev/null | tr -d '\r' | sed 's/^/    /'
} >&2
exit 125
