#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# kernels.sh - distribution kernels to boot in a guest
#
#   kernels.sh names             those of `make check`, oldest first
#   kernels.sh order             all that it knows, oldest first
#   kernels.sh fetch [NAME...]   put them (default: those of `make check`) into the cache, unless they are there
#   kernels.sh path NAME         print the directory that fetch made
#   kernels.sh vmlinux NAME      print the ELF file inside its vmlinuz, unpacked beside it when first asked for
#
# A directory holds vmlinuz, version (the release, one line), config, modules/*.ko (some for tests to load and
# unload) and machine.cpio (what guest.sh -M loads: /lib/modules with modules.dep and the list `machine`; machine.names
# is what it was made from). What an older version of this script made is fetched again when it lacks something. To have
# a newer kernel, remove its directory and fetch again. The cache lies outside the tree, in $XDG_CACHE_HOME/bprobe/kernels
# (XDG_CACHE_HOME being ~/.cache if unset), and nothing but fetch needs the network. DEBIAN_MIRROR=URL says where from.
set -u

cache=${XDG_CACHE_HOME:-$HOME/.cache}/bprobe/kernels
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
modules='crc-itu-t dummy'
names="5.10 6.1 6.12 6.18 newest"
# `newest` is the newest of Debian's backports and of unstable. Each minor release has features that the one before it lacks.
order="5.10 6.1 6.12 6.16 6.17 6.18 6.19 7.0 7.1 7.2 newest"

# A suite of backports drops a kernel some time after a newer one was added. Then fetch ends with status 3.
passes() { case $1 in 5.10|6.1|6.12|newest) return 1 ;; esac; }

# What a machine has loaded. None of these needs its hardware, and none needs crc-itu-t, which tests load themselves. Their
# dependencies are added. If a kernel's package lacks a name, it is built in or was removed: it is left out.
machine_modules='
xfs btrfs nfs nfsv3 nfsd overlay squashfs isofs vfat autofs4 binfmt_misc fuse nls_ascii nls_cp437 configfs

loop nbd dm-mod dm-crypt raid1 sd_mod sg virtio_blk virtio_scsi

nf_tables nft_chain_nat nft_ct nft_masq nft_nat nft_log nft_limit nft_reject_inet nft_compat nf_conntrack_netlink
ip_tables iptable_filter iptable_nat ip6table_filter xt_conntrack xt_addrtype xt_comment xt_mark xt_multiport xt_MASQUERADE xt_LOG

bridge br_netfilter 8021q veth macvlan tun tap virtio_net vsock
sch_fq sch_htb sch_ingress cls_bpf act_mirred tcp_bbr tcp_diag udp_diag unix_diag af_packet_diag xfrm_user

kvm vhost_net vfio virtio_balloon virtio-rng
algif_hash algif_skcipher ccm cmac cryptd
evdev mousedev button softdog uio msr cpuid
'

die() {
	printf 'kernels.sh: %s\n' "$1" >&2
	shift
	for line; do printf '  %s\n' "$line" >&2; done
	exit 1
}

# What a name means: a pattern of package names, then suites ("+" marks the security archive).
# Versions move, so nothing is pinned; the newest that matches is taken.
recipe() {
	case $1 in
	5.10)	echo '^linux-image-5[.]10[.0-9]*-[0-9]+-cloud-amd64-unsigned$ bullseye' ;;
	6.1)	echo '^linux-image-6[.]1[.]0-[0-9]+-cloud-amd64-unsigned$ bookworm +bookworm-security' ;;
	6.12)	echo '^linux-image-6[.]12[.].*-cloud-amd64-unsigned$ bookworm +bookworm-security' ;;
	6.1[6-9]|7.[0-2])	echo "^linux-image-${1%.*}[.]${1#*.}[.].*-cloud-amd64\$ trixie-backports" ;;
	newest)	echo '^linux-(binary-unsigned-[0-9].*-cloud-amd64|image-[0-9].*-cloud-amd64-unsigned)$ trixie-backports sid' ;;
	*)	return 1 ;;
	esac
}

# The address of the archive comes from this machine: from Debian's own sources, and on
# its relatives from debootstrap.
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

library() {	# library SONAME: where it lies under $root/fs
	find "$root/fs" -name "$1" \( -type f -o -type l \) -path '*lib*' ! -path '*/debug/*' | head -n 1
}

# An ELF file's libraries and theirs. What is loaded by name at run time is not among them.
keep_libraries() {	# keep_libraries FILE DIR
	readelf -d "$1" 2> /dev/null | sed -n 's/.*(NEEDED).*\[\(.*\)\]$/\1/p' | while read -r soname; do
		[ ! -e "$2/$soname" ] || continue
		file=$(library "$soname")
		[ -n "$file" ] || die "$1 wants $soname, which no package has"
		cp -L "$file" "$2/$soname" || exit 1
		keep_libraries "$2/$soname" "$2" || exit 1
	done
}

uncompress() {	# uncompress FILE: to stdout
	case $1 in
	*.xz)	xz -dc "$1" ;;
	*.zst)	zstd -qdc "$1" ;;
	*)	cat "$1" ;;
	esac
}

keep_modules() {	# keep_modules DIR: uncompressed, since the guest's insmod knows no xz
	mkdir -p "$1/modules"
	for module in $modules; do
		file=$(find "$root/fs" -name "$module.ko*" | head -n 1)
		[ -z "$file" ] || uncompress "$file" > "$1/modules/$module.ko" || die "cannot uncompress $file"
	done
}

# The modules of $machine_modules and what they depend on, one line of `depends=` in each module's .modinfo. modules.dep
# is as depmod writes it (the nearest first, each with all that it needs), and "machine" lists them in the order to load.
keep_machine() {	# keep_machine DIR RELEASE: makes DIR/machine.cpio
	tree=$root/machine lib=$root/machine/lib/modules/$2
	mkdir -p "$lib" || exit 1
	find "$root/fs" -name '*.ko*' | awk -F/ '{ name = $NF; sub(/\.ko.*/, "", name); gsub(/-/, "_", name); print name, $0 }' > "$root/index"
	printf '%s\n' $machine_modules | tr - _ > "$root/todo"
	: > "$root/depends"
	while [ -s "$root/todo" ]; do
		awk -v done="$root/depends" 'BEGIN { while ((getline line < done) > 0) { sub(/:.*/, "", line); seen[line] } }
			FNR == NR { path[$1] = $2; next } $1 in path && !($1 in seen) { seen[$1]; print $1, path[$1] }' \
			"$root/index" "$root/todo" > "$root/now"
		while read -r module file; do
			uncompress "$file" > "$lib/$module.ko" || die "cannot uncompress $file"
			echo "$module: $(tr '\0' '\n' < "$lib/$module.ko" | sed -n 's/^depends=//p' | tr ,- ' _')"
		done < "$root/now" > "$root/found"
		cat "$root/found" >> "$root/depends"
		sed 's/.*: *//' "$root/found" | tr ' ' '\n' > "$root/todo"
	done
	awk -F ': *' -v dep="$lib/modules.dep" -v list="$lib/machine" '
		function walk(name, of,    i, n, needs) {
			if ((name, of) in walked)
				return
			walked[name, of]
			n = split(depends[name], needs, " ")
			for (i = 1; i <= n; i++)
				walk(needs[i], of)
			order[of] = name ".ko " order[of]
			if (!(name in loaded)) { loaded[name]; print name > list }
		}
		{ depends[$1] = $2; all[NR] = $1 }
		END {
			for (j = 1; j <= NR; j++) {
				walk(all[j], all[j])
				sub(/ /, ": ", order[all[j]])
				print order[all[j]] > dep
			}
		}' "$root/depends"
	(cd "$tree" && find . | LC_ALL=C sort | cpio --quiet -o -H newc -R 0:0) > "$1/machine.cpio" ||
		die "cannot write $1/machine.cpio (disk full?)" "it needs about 100 MB under $cache"
	printf %s "$machine_modules" > "$1/machine.names"
}

# Is everything there that fetch makes? The directory may come from an older version of this script, with other modules.
complete() {	# complete DIR
	[ -f "$1/vmlinuz" ] && [ -f "$1/machine.cpio" ] && printf %s "$machine_modules" | cmp -s - "$1/machine.names"
}

# A new directory replaces an incomplete one. If several are made at once, the first one stays.
replace() {	# replace NEW OLD COMPLETE: COMPLETE tells whether a directory is
	[ ! -e "$2" ] || "$3" "$2" || mv -T "$2" "$root/old" 2> /dev/null
	mv -T "$1" "$2" 2> /dev/null || "$3" "$2" || die "cannot make $2"
}

fetch() {
	name=$1
	what=$(recipe "$name") || die "no kernel is called '$name'" "known: $order"
	complete "$cache/$name" && return
	[ -f "$keyring" ] || die "$keyring is missing" "install debian-archive-keyring, or run tests/setup.sh"
	mkdir -p "$cache" || die "cannot make $cache"

	# Two runs at the same time each fetch into a directory of their own; the rename decides which one stays.
	root=$(mktemp -d "$cache/.fetch-$name.XXXXXX") || exit 1
	trap 'rm -rf "$root"' EXIT
	trap 'exit 130' INT TERM HUP
	echo "kernels.sh: fetching $name" >&2
	pattern=${what%% *}
	apt_root ${what#* }

	package=$(newest "$pattern")
	[ -n "$package" ] || {
		! passes "$name" || exit 3
		die "no package matches $pattern in" "$(cat "$root/sources.list")" \
			"the kernel may have moved to another suite: see recipe() in $0"
	}
	release=$(echo "$package" | sed -E 's/^linux-(image|binary-unsigned)-//; s/-unsigned$//')
	unpack "$package"
	# From 6.19 on, Debian has the image, the modules and the config in packages of their own.
	for extra in "linux-binary-$release" "linux-binary-unsigned-$release" "linux-modules-$release" "linux-base-$release"; do
		[ "$extra" = "$package" ] || [ -z "$(newest "^$(echo "$extra" | sed 's/[.+]/[&]/g')\$")" ] || unpack "$extra"
	done

	new=$root/new
	mkdir "$new" || exit 1
	image=$(find "$root/fs" -name 'vmlinuz*' -type f | head -n 1)
	[ -n "$image" ] && cp "$image" "$new/vmlinuz" || die "$package has no vmlinuz"
	find "$root/fs" -type f \( -name config -o -name 'config-*' \) -exec cp {} "$new/config" \;
	keep_modules "$new"
	keep_machine "$new" "$release"
	echo "$release" > "$new/version"
	replace "$new" "$cache/$name" complete
	echo "kernels.sh: $name is $release" >&2
	rm -rf "$root"
	trap - EXIT
}

# An unsigned number of SIZE bytes at OFFSET of the file.
number_at() {	# number_at FILE OFFSET SIZE
	od -An "-tu$3" -j"$2" -N"$3" "$1" | tr -d ' '
}

# The payload of a bzImage (Documentation/arch/x86/boot.rst: setup_sects, payload_offset,
# payload_length); its last four bytes are the unpacked size, which is not for the unpacker.
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
order)
	echo "$order" ;;
fetch)
	shift
	[ $# -gt 0 ] || set -- $names
	for arg; do fetch "$arg"; done ;;
path)
	[ $# = 2 ] && recipe "$2" > /dev/null || die "path NAME, where NAME is one of $order"
	[ -f "$cache/$2/vmlinuz" ] || die "kernel $2 is not in the cache" "fetch it: $0 fetch $2"
	echo "$cache/$2" ;;
vmlinux)
	[ $# = 2 ] || die "vmlinux NAME, where NAME is one of $order"
	"$0" path "$2" > /dev/null || exit 1
	vmlinux "$2" ;;
functions)	# for a script that sources this one: userland.sh, tests/bench/programs.sh
	;;
*)
	sed -n '4,11s/^# \{0,1\}//p' "$0" >&2
	exit 64 ;;
esac
