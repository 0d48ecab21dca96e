#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# userland.sh - Debian 12's programs for guest.sh -M: dash, bash and the GNU tools, linked to glibc
#
#   userland.sh fetch    put it into the cache, unless it is there
#   userland.sh path     print the directory that fetch made
#
# A directory holds userland.cpio (an initramfs: /bin, /lib, /etc/pam.d) commands (the names in its /bin, one
# a line) and packages (what it was made from). What has no name there stays busybox's. The cache and the mirror are those of kernels.sh.
set -u

action=${1:-}
set -- functions
. "$(dirname "$0")/kernels.sh"
userland=${cache%/*}/userland

# Those whose programs a test or a person types; they bring libraries, and nothing else.
packages='dash bash coreutils findutils grep sed mawk gzip diffutils util-linux procps hostname iproute2 iputils-ping kmod
libpam-modules libc-bin'

layout() {	# layout DIR: the packages' files as guest.sh lays out its root: /bin and /lib for all
	libraries=$1/lib/x86_64-linux-gnu
	mkdir -p "$1/bin" "$libraries/security" "$1/lib64" "$1/etc/pam.d" || exit 1
	for package in $packages; do
		rm -rf "$root/one"
		dpkg-deb -x "$root"/cache/archives/"${package}"_*.deb "$root/one" || die "cannot unpack $package (disk full?)"
		for dir in bin sbin usr/bin usr/sbin; do
			[ ! -d "$root/one/$dir" ] || cp -an "$root/one/$dir/." "$1/bin/" || exit 1
		done
	done
	# What maintainers' scripts would link.
	ln -sf dash "$1/bin/sh" && ln -sf mawk "$1/bin/awk" || exit 1
	# busybox's reads a modules.dep that no depmod has indexed.
	rm -f "$1/bin/modprobe" "$1/bin/depmod"
	find "$1/bin" -type l ! -exec test -e {} \; -exec rm {} +
	for file in "$1"/bin/*; do keep_libraries "$file" "$libraries" || exit 1; done
	mv "$libraries/ld-linux-x86-64.so.2" "$1/lib64/" || exit 1
	echo /lib/x86_64-linux-gnu > "$1/etc/ld.so.conf"	# machine.init runs ldconfig
	# su asks PAM, which loads its modules by name.
	for module in pam_permit.so pam_rootok.so; do
		cp "$(library $module)" "$libraries/security/" && keep_libraries "$libraries/security/$module" "$libraries" || exit 1
	done
	printf '%s\n' 'auth sufficient pam_rootok.so' 'account required pam_permit.so' 'session required pam_permit.so' |
		tee "$1/etc/pam.d/su" > "$1/etc/pam.d/su-l"
}

complete_userland() { [ -f "$1/userland.cpio" ] && printf %s "$packages" | cmp -s - "$1/packages"; }

fetch_userland() {
	complete_userland "$userland" && return
	[ -f "$keyring" ] || die "$keyring is missing" "install debian-archive-keyring, or run tests/setup.sh"
	mkdir -p "${userland%/*}" || die "cannot make $userland"
	root=$(mktemp -d "$userland.XXXXXX") || exit 1
	trap 'rm -rf "$root"' EXIT
	trap 'exit 130' INT TERM HUP
	echo "userland.sh: fetching Debian 12's programs" >&2
	apt_root bookworm
	own_apt apt-get install -y --no-install-recommends --download-only -o Debug::NoLocking=1 $packages > "$root/log" 2>&1 ||
		die "cannot download $packages" "$(tail -n 3 "$root/log")"
	for deb in "$root"/cache/archives/*.deb; do
		dpkg-deb -x "$deb" "$root/fs" || die "cannot unpack $deb (disk full?)" "it needs about 200 MB under ${userland%/*}"
	done
	layout "$root/tree"
	mkdir "$root/new" && ls "$root/tree/bin" > "$root/new/commands" && printf %s "$packages" > "$root/new/packages" || exit 1
	(cd "$root/tree" && find . | cpio --quiet -o -H newc -R 0:0) > "$root/new/userland.cpio" || die "cannot write userland.cpio (disk full?)"
	replace "$root/new" "$userland" complete_userland
	rm -rf "$root"
	trap - EXIT
}

case $action in
fetch)
	fetch_userland ;;
path)
	complete_userland "$userland" || die "the user land is not in the cache" "fetch it: $0 fetch"
	echo "$userland" ;;
*)
	sed -n '4,7s/^# \{0,1\}//p' "$0" >&2
	exit 64 ;;
esac
