#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# kernels.sh - distribution kernels to boot in a guest
#
#   kernels.sh names             the names it knows, oldest first
#   kernels.sh fetch [NAME...]   put them (default: all) into the cache, unless they are there
#   kernels.sh path NAME         print the directory that fetch made
#   kernels.sh vmlinux NAME      print the ELF file inside its vmlinuz, unpacked beside it when first asked for
#
# A directory holds vmlinuz, version (the release, one line), config and modules/*.ko. To have a
# newer kernel, remove its directory and fetch again. The cache lies outside the tree, in
# $XDG_CACHE_HOME/bprobe/kernels (XDG_CACHE_HOME being ~/.cache if unset), and nothing but
# fetch needs the network. DEBIAN_MIRROR=URL says where from.
set -u

cache=${XDG_CACHE_HOME:-$HOME/.cache}/bprobe/kernels
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
modules='crc-itu-t dummy'
names="5.10 6.1 6.12 sid"

die() {
	printf 'kernels.sh: %s\n' "$1" >&2
	shift
	for line; do printf '  %s\n' "$line" >&2; done
	exit 1
}

# What a name stands for: package name pattern, then suites ("+" marks the security archive).
# Versions move, so nothing is pinned; the newest that matches is taken.
recipe() {
	case $1 in
	5.10)	echo '^linux-image-5[.]10[.0-9]*-[0-9]+-cloud-amd64-unsigned$ bullseye' ;;
	6.1)	echo '^linux-image-6[.]1[.]0-[0-9]+-cloud-amd64-unsigned$ bookworm +bookworm-security' ;;
	6.12)	echo '^linux-image-6[.]12[.].*-cloud-amd64-unsigned$ bookworm +bookworm-security' ;;
	sid)	echo '^linux-(binary-unsigned-[0-9].*-cloud-amd64|image-[0-9].*-cloud-amd64-unsigned)$ sid' ;;
	*)	return 1 ;;
	esac
}

# The archive's address is this machine's business: Debian's own sources know it, and on
# its relatives debootstrap does.
mirror() {
	m=${DEBIAN_MIRROR:-}
	[ -n "$m" ] || m=$(apt-get indextargets 'Origin: Debian' 'Label: Debian' --format '$(SITE)' 2>/dev/null | head -n 1)
	[ -n "$m" ] || m=$(awk '!/^[ \t]*#/ { for (i = 1; i <= NF; i++) if ($i ~ /:\/\/.*\/debian\/?$/) { print $i; exit } }' \
		/etc/apt/sources.list.d/debian.sources /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null)
	[ -n "$m" ] || m=$(grep -ho '[a-z]*://[^" ]*/debian/*' /usr/share/debootstrap/scripts/sid \
		/usr/share/debootstrap/scripts/debian-common /usr/sbin/debootstrap 2>/dev/null | head -n 1)
	[ -n "$m" ] || die "no Debian mirror known to this machine" \
		"set one: DEBIAN_MIRROR=http://HOST/debian $0 fetch"
	printf '%s\n' "${m%/}"
}

security_mirror() {
	m=
	[ -n "${DEBIAN_MIRROR:-}" ] ||
		m=$(apt-get indextargets 'Origin: Debian' 'Label: Debian-Security' --format '$(SITE)' 2>/dev/null | head -n 1)
	[ -n "$m" ] || m=$(mirror)-security || exit 1
	printf '%s\n' "${m%/}"
}

# apt with a root of its own: the machine's sources, lists and package state stay untouched.
# The user running this owns the directory, so apt's unprivileged download user could not write.
own_apt() {
	tool=$1
	shift
	"$tool" -qq -o Dir::Etc::sourcelist="$root/sources.list" -o Dir::Etc::sourceparts=/dev/null \
		-o Dir::State="$root/state" -o Dir::State::lists="$root/lists" \
		-o Dir::State::status="$root/status" -o Dir::Cache="$root/cache" \
		-o APT::Architecture=amd64 -o APT::Architectures::=amd64 \
		-o APT::Sandbox::User="$(id -un)" -o Acquire::Languages=none -o Acquire::Retries=3 "$@"
}

apt_root() {	# apt_root SUITE...: make $root and read the suites' package lists
	mkdir -p "$root/lists/partial" "$root/cache/archives/partial" "$root/state" "$root/deb" "$root/fs" || exit 1
	: > "$root/status"
	base=$(mirror) || exit 1
	for suite; do
		case $suite in
		+*)	url=$(security_mirror) || exit 1 ;;
		*)	url=$base ;;
		esac
		echo "deb [arch=amd64 signed-by=$keyring] $url ${suite#+} main"
	done > "$root/sources.list"
	own_apt apt-get update --error-on=any || die "cannot read the package lists of these sources (is there a network?)" \
		"$(cat "$root/sources.list")" "another mirror: DEBIAN_MIRROR=http://HOST/debian $0 fetch"
}

newest() {	# newest PATTERN: the package of the highest version
	own_apt apt-cache dumpavail | awk -v pattern="$1" '
		/^Package: / { package = $2 }
		/^Version: / && package ~ pattern { print $2, package }' | sort -V | tail -n 1 | cut -d' ' -f2
}

unpack() {	# unpack PACKAGE: download it and lay it out under $root/fs
	(cd "$root/deb" && rm -f ./*.deb && own_apt apt-get download "$1") ||
		die "cannot download $1" "run it again; another mirror: DEBIAN_MIRROR=http://HOST/debian $0 fetch"
	dpkg-deb -x "$root"/deb/*.deb "$root/fs" || die "cannot unpack $1 (disk full?)" "it needs about 200 MB under $cache"
}

keep_modules() {	# keep_modules DIR: uncompressed, since the guest's insmod knows no xz
	mkdir -p "$1/modules"
	for module in $modules; do
		file=$(find "$root/fs" -name "$module.ko*" | head -n 1)
		case $file in
		'')	;;
		*.xz)	xz -dc "$file" > "$1/modules/$module.ko" ;;
		*.zst)	zstd -qdc "$file" > "$1/modules/$module.ko" ;;
		*)	cp "$file" "$1/modules/$module.ko" ;;
		esac || die "cannot uncompress $file"
	done
}

fetch() {
	name=$1
	what=$(recipe "$name") || die "no kernel is called '$name'" "known: $names"
	[ -f "$cache/$name/vmlinuz" ] && return
	[ -f "$keyring" ] || die "$keyring is missing" "install debian-archive-keyring, or run tests/setup.sh"
	mkdir -p "$cache" || die "cannot make $cache"

	# Two runs at once each fetch into a directory of their own; the rename lets one win.
	root=$(mktemp -d "$cache/.fetch-$name.XXXXXX") || exit 1
	trap 'rm -rf "$root"' EXIT
	trap 'exit 130' INT TERM HUP
	echo "kernels.sh: fetching $name" >&2
	pattern=${what%% *}
	apt_root ${what#* }

	package=$(newest "$pattern")
	[ -n "$package" ] || die "no package matches $pattern in" "$(cat "$root/sources.list")" \
		"the kernel may have moved to another suite: see recipe() in $0"
	release=$(echo "$package" | sed -E 's/^linux-(image|binary-unsigned)-//; s/-unsigned$//')
	unpack "$package"
	# Newer Debian keeps modules and config in packages beside the image's.
	for extra in "linux-modules-$release" "linux-base-$release"; do
		[ -z "$(newest "^$(echo "$extra" | sed 's/[.+]/[&]/g')\$")" ] || unpack "$extra"
	done

	new=$root/new
	mkdir "$new" || exit 1
	image=$(find "$root/fs" -name 'vmlinuz*' -type f | head -n 1)
	[ -n "$image" ] && cp "$image" "$new/vmlinuz" || die "$package has no vmlinuz"
	find "$root/fs" -type f \( -name config -o -name 'config-*' \) -exec cp {} "$new/config" \;
	keep_modules "$new"
	echo "$release" > "$new/version"
	mv -T "$new" "$cache/$name" 2>/dev/null || [ -f "$cache/$name/vmlinuz" ] || die "cannot make $cache/$name"
	echo "kernels.sh: $name is $release" >&2
	rm -rf "$root"
	trap - EXIT
}

# An unsigned number of SIZE bytes at OFFSET of the file.
number_at() {	# number_at FILE OFFSET SIZE
	od -An "-tu$3" -j"$2" -N"$3" "$1" | tr -d ' '
}

# The payload of a bzImage (Documentation/arch/x86/boot.rst: setup_sects, payload_offset,
# payload_length); its last four bytes are the unpacked size, which no unpacker wants.
unpack_vmlinux() {	# unpack_vmlinux VMLINUZ OUT
	start=$((($(number_at "$1" 497 1) + 1) * 512 + $(number_at "$1" 584 4)))
	length=$(($(number_at "$1" 588 4) - 4))
	case $(od -An -tx1 -j"$start" -N4 "$1" | tr -d ' ') in
	02214c18) unpacker='lz4 -dc' ;;
	28b52ffd) unpacker='zstd -dc' ;;
	fd377a58) unpacker='xz -dc --single-stream' ;;
	1f8b*)	unpacker='gzip -dc' ;;
	*)	die "$1 is packed in a way that this script does not know" ;;
	esac
	command -v "${unpacker%% *}" > /dev/null || die "${unpacker%% *} is missing" "run tests/setup.sh"
	tail -c +$((start + 1)) "$1" | head -c "$length" | $unpacker > "$2" 2> /dev/null
	readelf -h "$2" > /dev/null 2>&1 || die "cannot unpack $1"
}

vmlinux() {
	elf=$cache/$1/vmlinux
	if [ ! -f "$elf" ]; then
		new=$(mktemp "$elf.XXXXXX") || exit 1
		trap 'rm -f "$new"' EXIT
		unpack_vmlinux "$cache/$1/vmlinuz" "$new"
		mv "$new" "$elf"
		trap - EXIT
	fi
	echo "$elf"
}

case ${1:-} in
names)
	echo "$names" ;;
fetch)
	shift
	[ $# -gt 0 ] || set -- $names
	for arg; do fetch "$arg"; done ;;
path)
	[ $# = 2 ] && recipe "$2" > /dev/null || die "path NAME, where NAME is one of $names"
	[ -f "$cache/$2/vmlinuz" ] || die "kernel $2 is not in the cache" "fetch it: $0 fetch $2"
	echo "$cache/$2" ;;
vmlinux)
	[ $# = 2 ] || die "vmlinux NAME, where NAME is one of $names"
	"$0" path "$2" > /dev/null || exit 1
	vmlinux "$2" ;;
functions)	# for a script that sources this one: tests/bench/programs.sh
	;;
*)
	sed -n '4,10s/^# \{0,1\}//p' "$0" >&2
	exit 64 ;;
esac
