#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# kerneltests.sh - the kernel's own tests of ftrace (tools/testing/selftests/ftrace), from Debian's sources of a kernel
#
#   kerneltests.sh fetch NAME    put them into the cache, unless they are there
#   kerneltests.sh path NAME     print the directory that fetch made
#
# NAME is a kernel of kernels.sh. A directory holds test.d, ftracetest and version (the package and its version). The sources are a
# download of about 150 MB; only the tests stay. The cache and the mirror are those of kernels.sh.
set -u

action=${1:-} name=${2:-}
set -- functions
. "$(dirname "$0")/kernels.sh"
tests=${cache%/*}/kerneltests

# A pattern of package names, then suites. Fetched are the tests of the newest source that matches.
source_recipe() {
	case $1 in
	6.12)	echo '^linux-source-6[.]12$ bookworm +bookworm-security' ;;
	newest)	echo '^linux-source-[0-9][.][0-9]+$ trixie-backports sid' ;;
	*)	return 1 ;;
	esac
}

complete_tests() { [ -f "$1/test.d/functions" ] && [ -f "$1/version" ]; }

fetch_tests() {
	what=$(source_recipe "$1") || die "no tests of a kernel '$1'" "known: 6.12 newest"
	complete_tests "$tests/$1" && return
	[ -f "$keyring" ] || die "$keyring is missing" "install debian-archive-keyring, or run tests/setup.sh"
	mkdir -p "$tests" || die "cannot make $tests"
	root=$(mktemp -d "$tests/.fetch-$1.XXXXXX") || exit 1
	trap 'rm -rf "$root"' EXIT
	trap 'exit 130' INT TERM HUP
	echo "kerneltests.sh: fetching the source of $1" >&2
	apt_root ${what#* }
	package=$(newest "${what%% *}")
	[ -n "$package" ] || die "no package matches ${what%% *} in" "$(cat "$root/sources.list")"
	unpack "$package"
	archive=$(find "$root/fs/usr/src" -name 'linux-source-*.tar.*' | head -n 1)
	new=$root/new
	mkdir "$new" && tar -xf "$archive" -C "$new" --strip-components=5 --wildcards '*/tools/testing/selftests/ftrace/*' ||
		die "cannot unpack $archive (disk full?)"
	dpkg-deb -f "$root"/deb/*.deb Package Version > "$new/version" || exit 1
	replace "$new" "$tests/$1" complete_tests
	rm -rf "$root"
	trap - EXIT
}

case $action in
fetch)
	fetch_tests "$name" ;;
path)
	source_recipe "$name" > /dev/null || die "path NAME, where NAME is 6.12 or newest"
	complete_tests "$tests/$name" || die "the tests of kernel $name are not in the cache" "fetch them: $0 fetch $name"
	echo "$tests/$name" ;;
*)
	sed -n '6,7s/^# \{0,1\}//p' "$0" >&2
	exit 64 ;;
esac
