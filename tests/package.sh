#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# package.sh - what 'make install', 'make uninstall' and 'make deb' do, the example of a unit, and what a build lacks
#
# Everything goes into temporary directories, and no probe runs. $O: where things were built
# (default build). TAP on standard output.
set -u
cd "$(dirname "$0")/.." || exit 1
: "${O:=build}"
unset MAKEFLAGS MAKELEVEL MFLAGS DESTDIR prefix bindir sbindir mandir docdir STRIP STRIP_FLAGS
export LC_ALL=C
n=0 failed=0
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

result() { # status, text, file that tells what went wrong
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $n - $2"
	else
		failed=$((failed + 1))
		echo "not ok $n - $2"
		[ $# -lt 3 ] || sed 's/^/# /' "$3"
	fi
}

skip() {
	n=$((n + 1))
	echo "ok $n - $1 # SKIP $2"
}

# symbols FILE: those in its symbol table, which a stripped program has none of.
symbols() { nm "$1" 2> /dev/null | grep -c ' [Tt] '; }

listing() { (cd "$1" && find . -type f -printf '%m %P\n' | sort -k 2) }

state() { git status --porcelain 2> /dev/null; }
state > "$tmp/state"

# ---- install, uninstall ----

{
	cat << 'END'
755 usr/local/bin/bprobe
644 usr/local/share/bash-completion/completions/bprobe
644 usr/local/share/doc/bprobe/CHANGELOG.md
644 usr/local/share/doc/bprobe/LICENSE
644 usr/local/share/doc/bprobe/README.md
END
	for file in doc/*.md; do echo "644 usr/local/share/doc/bprobe/${file#doc/}"; done
	cat << 'END'
644 usr/local/share/doc/bprobe/bprobe.spdx.json
644 usr/local/share/doc/bprobe/examples/bprobe-kept.service
644 usr/local/share/doc/bprobe/examples/bprobe-metrics.service
644 usr/local/share/doc/bprobe/examples/bprobe-metrics.timer
644 usr/local/share/doc/bprobe/examples/bprobe-modules.rules
644 usr/local/share/man/man1/bprobe.1
644 usr/local/share/zsh/site-functions/_bprobe
END
} | sort -k 2 > "$tmp/want"
# An older one put these into sbin and section 8.
former='usr/local/sbin/bprobe usr/local/share/man/man8/bprobe.8'
leave_former() { (cd "$1" && install -D /dev/null "${former% *}" && install -D -m 644 /dev/null "${former#* }"); }
mkdir "$tmp/root"
leave_former "$tmp/root"
make O="$O" install DESTDIR="$tmp/root" > "$tmp/said" 2>&1
result $? "make install DESTDIR=" "$tmp/said"
listing "$tmp/root" | diff "$tmp/want" - > "$tmp/diff"
result $? "it installs $(wc -l < "$tmp/want") files, and removes what an older one left in sbin and man8" "$tmp/diff"
"$tmp/root/usr/local/bin/bprobe" --version > "$tmp/version" 2>&1 &&
	grep -qE '^bprobe [0-9.]+ \(commit [0-9a-z.-]+, libbpf [0-9]+\.[0-9]+\)$' "$tmp/version"
result $? "what is installed tells its version, commit and libbpf: $(cat "$tmp/version")"
newest=$(sed -nE 's/^## ([0-9.]+) \([0-9]{4}-[0-9]{2}-[0-9]{2}\)$/\1/p' CHANGELOG.md | head -n 1)
[ -n "$newest" ] && [ "$(cut -d ' ' -f 2 "$tmp/version")" = "$newest" ]
result $? "its version is the newest one with a date in CHANGELOG.md, $newest"
[ "$(symbols "$O/bprobe")" -gt 100 ] && [ "$(symbols "$tmp/root/usr/local/bin/bprobe")" -eq 0 ]
result $? "what is installed is stripped, what was built is not"

: > "$tmp/root/usr/local/share/man/man8/another.8"
leave_former "$tmp/root"
make O="$O" uninstall DESTDIR="$tmp/root" > "$tmp/said" 2>&1
result $? "make uninstall" "$tmp/said"
listing "$tmp/root" | diff <(echo "644 usr/local/share/man/man8/another.8") - > "$tmp/diff" &&
	[ ! -e "$tmp/root/usr/local/share/doc/bprobe" ]
result $? "it leaves what others installed, and nothing else, of an older one neither" "$tmp/diff"

make O="$O" install DESTDIR="$tmp/other" prefix=/usr mandir=/man > "$tmp/said" 2>&1 &&
	[ -x "$tmp/other/usr/bin/bprobe" ] && [ -e "$tmp/other/man/man1/bprobe.1" ] && [ ! -e "$tmp/other/usr/local" ]
result $? "prefix= and mandir= are followed" "$tmp/said"
mkdir -p "$tmp/merged/usr/local/bin"
ln -s bin "$tmp/merged/usr/local/sbin"
make O="$O" install DESTDIR="$tmp/merged" STRIP= > "$tmp/said" 2>&1 && [ -x "$tmp/merged/usr/local/bin/bprobe" ]
result $? "where sbin is a link to bin, bprobe is there" "$tmp/said"
cmp "$O/bprobe" "$tmp/merged/usr/local/bin/bprobe" > "$tmp/said" 2>&1
result $? "STRIP= installs it as it was built" "$tmp/said"

# ---- the package ----

if ! command -v dpkg-deb > /dev/null; then
	skip "make deb" "there is no dpkg-deb"
elif ! make O="$O" deb > "$tmp/said" 2>&1; then
	result 1 "make deb" "$tmp/said"
else
	deb=$(tail -n 1 "$tmp/said")
	result 0 "make deb: $deb"
	{
		for file in doc/*.md; do echo "644 usr/share/doc/bprobe/${file#doc/}"; done
		cat << 'END'
755 usr/bin/bprobe
644 usr/share/bash-completion/completions/bprobe
644 usr/share/doc/bprobe/README.md
644 usr/share/doc/bprobe/bprobe.spdx.json
644 usr/share/doc/bprobe/changelog.Debian.gz
644 usr/share/doc/bprobe/changelog.gz
644 usr/share/doc/bprobe/copyright
644 usr/share/doc/bprobe/examples/bprobe-kept.service
644 usr/share/doc/bprobe/examples/bprobe-metrics.service
644 usr/share/doc/bprobe/examples/bprobe-metrics.timer
644 usr/share/doc/bprobe/examples/bprobe-modules.rules
644 usr/share/lintian/overrides/bprobe
644 usr/share/man/man1/bprobe.1.gz
644 usr/share/zsh/vendor-completions/_bprobe
END
	} | sort -k 2 > "$tmp/want.deb"
	dpkg-deb -x "$deb" "$tmp/deb" && listing "$tmp/deb" | diff "$tmp/want.deb" - > "$tmp/diff"
	result $? "it has $(wc -l < "$tmp/want.deb") files" "$tmp/diff"
	dpkg-deb -c "$deb" | awk '$2 != "root/root"' > "$tmp/owners"
	[ ! -s "$tmp/owners" ]
	result $? "all of them are root's" "$tmp/owners"
	dpkg-deb -e "$deb" "$tmp/control" && (cd "$tmp/deb" && md5sum --quiet -c ../control/md5sums) > "$tmp/said" 2>&1
	result $? "their sums are right" "$tmp/said"
	[ "$(dpkg-deb -f "$deb" Package Architecture | paste -sd ' ')" = "Package: bprobe Architecture: amd64" ] &&
		dpkg --validate-version "$(dpkg-deb -f "$deb" Version)" && [ -z "$(dpkg-deb -f "$deb" Depends)" ]
	result $? "version $(dpkg-deb -f "$deb" Version), and nothing that it depends on"
	"$tmp/deb/usr/bin/bprobe" --version > "$tmp/said" 2>&1 && diff "$tmp/version" "$tmp/said" > "$tmp/diff"
	result $? "its bprobe runs" "$tmp/diff"
	cmp "$tmp/deb/usr/bin/bprobe" "$tmp/other/usr/bin/bprobe" > "$tmp/diff" 2>&1
	result $? "it is what make install installs" "$tmp/diff"
	# dpkg puts it into a directory of ours, and takes it out again.
	mkdir -p "$tmp/system/var/lib/dpkg/info" "$tmp/system/var/lib/dpkg/updates"
	touch "$tmp/system/var/lib/dpkg/status"
	dpkg="dpkg --root=$tmp/system --log=/dev/null --force-not-root"
	PATH=$PATH:/usr/sbin:/sbin $dpkg -i "$deb" > "$tmp/said" 2>&1 && [ -x "$tmp/system/usr/bin/bprobe" ] &&
		PATH=$PATH:/usr/sbin:/sbin $dpkg -P bprobe >> "$tmp/said" 2>&1 && [ ! -e "$tmp/system/usr" ]
	result $? "dpkg installs and purges it" "$tmp/said"
	cp "$deb" "$tmp/first.deb"
	make O="$O" deb > "$tmp/said" 2>&1 && cmp "$deb" "$tmp/first.deb" > "$tmp/diff" 2>&1
	result $? "the same again is the same bytes" "$tmp/diff"
	if command -v lintian > /dev/null; then
		lintian --allow-root --fail-on error "$deb" > "$tmp/said" 2>&1
		result $? "lintian finds no error ($(grep -c '^W:' "$tmp/said") warnings)" "$tmp/said"
	else
		skip "lintian finds no error" "there is no lintian"
	fi
fi

# ---- the unit ----

unit=doc/bprobe-kept.service
if command -v systemd-analyze > /dev/null; then
	# bprobe need not be installed here.
	sed "s|^\(Exec[A-Za-z]*=-\{0,1\}\)bprobe |\1$PWD/$O/bprobe |" "$unit" > "$tmp/bprobe-kept.service"
	case $O in /*) sed -i "s|$PWD/$O|$O|" "$tmp/bprobe-kept.service" ;; esac
	systemd-analyze verify --man=no "$tmp/bprobe-kept.service" > "$tmp/said" 2>&1 && ! grep -q bprobe-kept "$tmp/said"
	result $? "systemd-analyze verifies $unit" "$tmp/said"
else
	skip "systemd-analyze verifies $unit" "there is no systemd-analyze"
fi
# Its example is a file for --apply. This machine's kernel need not have the function: that is another error.
sed -n 's/^#\t\([pr\t].*\)/\1/p' "$unit" > "$tmp/x.bprobe"
"$O/bprobe" --apply --dry-run "$tmp/x.bprobe" > "$tmp/said" 2>&1
grep -q '^p:boot/' "$tmp/x.bprobe" && [ "$(grep -c '^	' "$tmp/x.bprobe")" = 2 ] && ! grep -qE "is no setting|unknown|is indented" "$tmp/said"
result $? "its example is a file for --apply" "$tmp/said"

# ---- the udev rule ----

rules=doc/bprobe-modules.rules
if udevadm verify --help > /dev/null 2>&1; then
	udevadm verify --no-summary "$rules" > "$tmp/said" 2>&1
	result $? "udevadm verifies $rules" "$tmp/said"
else
	skip "udevadm verifies $rules" "there is no 'udevadm verify' (systemd 254)"
fi
grep -v '^#' "$rules" | grep . > "$tmp/rule"
grep -qx 'ACTION=="add", SUBSYSTEM=="module", .*, RUN+=".* bprobe --enable"' "$tmp/rule" && [ "$(wc -l < "$tmp/rule")" = 1 ]
result $? "it runs bprobe --enable when a module was loaded" "$tmp/rule"

# ---- what is missing ----

# lacks WORD=VALUE TARGET LINE: making TARGET fails, and says LINE.
lacks() {
	make O="$tmp/lacks" "$1" "$tmp/lacks/$2" > "$tmp/said" 2>&1
	[ $? -ne 0 ] && grep -qxF "$3" "$tmp/said"
	result $? "make $1: $3" "$tmp/said"
}

lacks CC=nosuch user/base/words.o "gcc is missing (CC=nosuch): install the package gcc (tests/setup.sh does)"
lacks CLANG=nosuch ktext.bpf.o "clang is missing (CLANG=nosuch): install the package clang (tests/setup.sh does)"
case $(. /etc/os-release 2> /dev/null && echo "${ID:-} ${ID_LIKE:-}") in
*ubuntu*)	bpftool=linux-tools-generic ;;
*)		bpftool=bpftool ;;
esac
lacks BPFTOOL=nosuch ktext.skel.h "bpftool is missing (BPFTOOL=nosuch): install the package $bpftool (tests/setup.sh does)"
lacks 'CC=gcc -nostdinc' user/base/words.o "bpf/bpf.h is missing: install the package libbpf-dev (tests/setup.sh does)"
printf '#!/bin/sh\ncase $1 in -print-file-name=libbpf.a) echo libbpf.a ;; *) exec gcc "$@" ;; esac\n' > "$tmp/cc"
chmod 755 "$tmp/cc"
[ "$(CC=$tmp/cc tests/setup.sh missing)" = "libbpf.a is missing: install the package libbpf-dev (tests/setup.sh does)" ]
result $? "a static library that is missing is named with its package"
tests/setup.sh missing > "$tmp/said" 2>&1 && [ ! -s "$tmp/said" ]
result $? "nothing is missing where bprobe was built" "$tmp/said"
mkdir "$tmp/few" && ln -s "$(command -v dirname)" "$tmp/few/dirname"
PATH=$tmp/few /bin/sh tests/guest/rig/guest.sh -k /nosuch/vmlinuz tests/guest/suites/demo.guest > "$tmp/said" 2>&1
grep -qxF 'guest.sh: qemu-system-x86_64 is missing: install the package qemu-system-x86 (tests/setup.sh does)' "$tmp/said"
result $? "a guest without QEMU names its package" "$tmp/said"

state | diff "$tmp/state" - > "$tmp/diff"
result $? "nothing was generated outside $O" "$tmp/diff"
echo "1..$n"
[ "$failed" -eq 0 ]
