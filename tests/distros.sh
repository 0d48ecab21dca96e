#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# distros.sh [NAME...] - builds and tests this tree in Debian 12, Debian 13 and sid
#
# Each is made by debootstrap in a directory and kept there; tests/setup.sh installs in it what
# building and testing need, the tree is built with WERROR=1, and tests/check.sh runs its size
# `distro`. So package names, compilers, libbpf, QEMU and all other tools are that release's own.
# What the tests say is in $XDG_CACHE_HOME/bprobe/distros/NAME.log, beside the directory NAME; to
# have newer packages, remove the directory. Needs root, and 2 GB for each.
set -u
cd "$(dirname "$0")/.." || exit 1

all='debian-12 debian-13 sid'
what=("$@")
set -- functions
. tests/guest/rig/kernels.sh
distros=${XDG_CACHE_HOME:-$HOME/.cache}/bprobe/distros
passed=0 failed=0 skipped=0

# die() names kernels.sh.
fail() {
	printf 'distros.sh: %s\n' "$@" >&2
	exit 1
}

suite_of() {
	case $1 in
	debian-12)	echo bookworm ;;
	debian-13)	echo trixie ;;
	sid)		echo sid ;;
	*)		return 1 ;;
	esac
}

# How this machine's apt reaches a mirror (a proxy), and takes one whose lists are old (a snapshot).
apt_settings() { apt-config dump 2> /dev/null | grep -E '^Acquire::([A-Za-z:]*Proxy|Check-Valid-Until)'; }

# make_root NAME: the release itself, under its own name when it is whole. Its script is sid's, which
# also serves releases that an older debootstrap does not know.
make_root() {
	local name=$1 root=$distros/$1 new url
	[ ! -d "$root" ] || return 0
	url=$(mirror) || return 1
	new=$(mktemp -d "$distros/.new-$name.XXXXXX") || return 1
	chmod 755 "$new"
	debootstrap --variant=minbase --include=ca-certificates --keyring="$keyring" "$(suite_of "$name")" "$new" "$url" \
		/usr/share/debootstrap/scripts/sid &&
		printf '#!/bin/sh\nexit 101\n' > "$new/usr/sbin/policy-rc.d" && chmod 755 "$new/usr/sbin/policy-rc.d" &&
		mv -T "$new" "$root" && return
	rm -rf "$new"
	return 1
}

# inside NAME COMMAND: what it mounts and starts is gone when it ends.
inside() {
	local root=$distros/$1
	cp -L /etc/resolv.conf "$root/etc/resolv.conf"
	apt_settings > "$root/etc/apt/apt.conf.d/90bprobe"
	unshare --mount --pid --fork --kill-child --propagation private sh -c '
		mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" &&
		exec chroot "$1" env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 \
			${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} \
			${DEBIAN_MIRROR:+DEBIAN_MIRROR="$DEBIAN_MIRROR"} ${GUEST_SECONDS:+GUEST_SECONDS="$GUEST_SECONDS"} \
			${SUITES:+SUITES="$SUITES"} \
			sh -c "cd /root/bprobe && $2"' sh "$root" "$2"
}

# put_tree NAME: the tree as it is now, changes and new files too, with the history that versions are taken from.
put_tree() {
	local to=$distros/$1/root/bprobe
	rm -rf "$to" && git clone -q --no-checkout --no-local . "$to" &&
		git ls-files -z --cached --others --exclude-standard |
			xargs -0 sh -c 'for file; do [ ! -e "$file" ] || printf "%s\0" "$file"; done' sh |
			tar -c --null --no-recursion -T - | tar -x --no-same-owner -C "$to" && git -C "$to" reset -q
}

# step NAME TEXT COMMAND...: one test; the end of what it said, if it fails.
step() {
	local name=$1 text=$2 start=$SECONDS
	shift 2
	if "$@" >> "$distros/$name.log" 2>&1; then
		passed=$((passed + 1))
		echo "ok - $name: $text, $((SECONDS - start)) s"
	else
		failed=$((failed + 1))
		echo "not ok - $name: $text"
		tail -n 20 "$distros/$name.log" | sed 's/^/# /'
		return 1
	fi
}

# check NAME: the size `distro` of check.sh. What failed and what was skipped is shown, its sum is added.
check() {
	local name=$1 out=$distros/$1.check sum
	inside "$name" 'tests/check.sh distro' 2>&1 | tee -a "$distros/$name.log" | tee "$out" | sed -u 's/^/  /'
	sum=$(tail -n 1 "$out" | sed -nE 's/^([0-9]+) passed, ([0-9]+) failed, ([0-9]+) skipped$/\1 \2 \3/p')
	rm -f "$out"
	if [ -z "$sum" ]; then
		echo "not ok - $name: tests/check.sh ended without a result"
		failed=$((failed + 1))
		return
	fi
	set -- $sum
	passed=$((passed + $1)) failed=$((failed + $2)) skipped=$((skipped + $3))
}

tools='gcc --version | head -n 1; clang --version | head -n 1; bpftool version | head -n 1;
	qemu-system-x86_64 --version | head -n 1; dpkg-query -W libbpf-dev libelf-dev libc6-dev'

distro() {
	local name=$1
	: > "$distros/$name.log"
	[ -d "$distros/$name" ] || echo "distros.sh: making $name (some minutes)"
	step "$name" "debootstrap makes it" make_root "$name" &&
		step "$name" "the tree is copied" put_tree "$name" &&
		step "$name" "tests/setup.sh installs what is needed" inside "$name" tests/setup.sh &&
		inside "$name" "$tools" | sed 's/^/# /' &&
		step "$name" "tests/setup.sh finds all there" inside "$name" '[ -z "$(tests/setup.sh 2>&1)" ]' &&
		step "$name" "make WERROR=1 all tests" inside "$name" "make -j$(nproc) WERROR=1 all tests" &&
		check "$name"
}

[ ${#what[@]} -gt 0 ] || what=($all)
for name in "${what[@]}"; do suite_of "$name" > /dev/null || fail "no release is called '$name'; known: $all"; done
[ "$(id -u)" -eq 0 ] || fail "another release is installed in a directory and entered by chroot(2), which root alone may do:" \
	"sudo make check-distros"
unshare --mount --pid --fork true 2> /dev/null || fail "unshare(2) is refused; in a container, it needs CAP_SYS_ADMIN"
tests/setup.sh distros || exit 1
mkdir -p "$distros" || exit 1
for name in "${what[@]}"; do distro "$name"; done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
