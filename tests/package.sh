#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# package.sh - what 'make install', 'make uninstall' and 'make deb' do, and the example of a unit
#
# All of it into temporary directories, and nothing of it runs a probe. $O: where things were built
# (default build). TAP on standard output.
set -u
cd "$(dirname "$0")/.." || exit 1
: "${O:=build}"
unset MAKEFLAGS MAKELEVEL MFLAGS DESTDIR prefix
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

listing() { (cd "$1" && find . -type f -printf '%m %P\n' | sort -k 2) }

state() { git status --porcelain 2> /dev/null; }
state > "$tmp/state"

# ---- install, uninstall ----

{
	cat << 'END'
755 usr/local/sbin/bprobe
644 usr/local/share/bash-completion/completions/bprobe
644 usr/local/share/doc/bprobe/CHANGELOG.md
644 usr/local/share/doc/bprobe/LICENSE
644 usr/local/share/doc/bprobe/README.md
END
	for file in doc/*.md; do echo "644 usr/local/share/doc/bprobe/${file#doc/}"; done
	cat << 'END'
644 usr/local/share/doc/bprobe/examples/bprobe-kept.service
644 usr/local/share/man/man8/bprobe.8
644 usr/local/share/zsh/site-functions/_bprobe
END
} | sort -k 2 > "$tmp/want"
make O="$O" install DESTDIR="$tmp/root" > "$tmp/said" 2>&1
result $? "make install DESTDIR=" "$tmp/said"
listing "$tmp/root" | diff "$tmp/want" - > "$tmp/diff"
result $? "it installs $(wc -l < "$tmp/want") files" "$tmp/diff"
"$tmp/root/usr/local/sbin/bprobe" --version > "$tmp/version" 2>&1 &&
	grep -qE '^bprobe [0-9a-z.-]+ \(libbpf [0-9]+\.[0-9]+\)$' "$tmp/version"
result $? "what is installed tells its commit and libbpf: $(cat "$tmp/version")"

: > "$tmp/root/usr/local/share/man/man8/another.8"
make O="$O" uninstall DESTDIR="$tmp/root" > "$tmp/said" 2>&1
result $? "make uninstall" "$tmp/said"
listing "$tmp/root" | diff <(echo "644 usr/local/share/man/man8/another.8") - > "$tmp/diff" &&
	[ ! -e "$tmp/root/usr/local/share/doc/bprobe" ]
result $? "it leaves what others installed, and nothing else" "$tmp/diff"

make O="$O" install DESTDIR="$tmp/other" prefix=/usr mandir=/man > "$tmp/said" 2>&1 &&
	[ -x "$tmp/other/usr/sbin/bprobe" ] && [ -e "$tmp/other/man/man8/bprobe.8" ] && [ ! -e "$tmp/other/usr/local" ]
result $? "prefix= and mandir= are followed" "$tmp/said"

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
755 usr/sbin/bprobe
644 usr/share/bash-completion/completions/bprobe
644 usr/share/doc/bprobe/README.md
644 usr/share/doc/bprobe/changelog.Debian.gz
644 usr/share/doc/bprobe/changelog.gz
644 usr/share/doc/bprobe/copyright
644 usr/share/doc/bprobe/examples/bprobe-kept.service
644 usr/share/lintian/overrides/bprobe
644 usr/share/man/man8/bprobe.8.gz
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
	"$tmp/deb/usr/sbin/bprobe" --version > "$tmp/said" 2>&1 && diff "$tmp/version" "$tmp/said" > "$tmp/diff"
	result $? "its bprobe runs" "$tmp/diff"
	# dpkg puts it into a directory of ours, and takes it out again.
	mkdir -p "$tmp/system/var/lib/dpkg/info" "$tmp/system/var/lib/dpkg/updates"
	touch "$tmp/system/var/lib/dpkg/status"
	dpkg="dpkg --root=$tmp/system --log=/dev/null --force-not-root"
	PATH=$PATH:/usr/sbin:/sbin $dpkg -i "$deb" > "$tmp/said" 2>&1 && [ -x "$tmp/system/usr/sbin/bprobe" ] &&
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
# What its comment keeps is what it removes.
sed -n 's/^#\t\(p:.*\)/\1/p' "$unit" > "$tmp/probes"
"$O/bprobe" --translate -f "$tmp/probes" > "$tmp/said" 2>&1 && grep -q '^p:boot/' "$tmp/said" && grep -q '^ExecStop=.*-r boot/$' "$unit"
result $? "its example is a definition in the group that it removes" "$tmp/said"

state | diff "$tmp/state" - > "$tmp/diff"
result $? "nothing was generated outside $O" "$tmp/diff"
echo "1..$n"
[ "$failed" -eq 0 ]
