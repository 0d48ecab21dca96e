#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# setup.sh [parsers | fleet | pictures | page | fuzz | analyzers | distros | missing] - installs what building and testing need, on Debian and Ubuntu
#
# With `fleet`, what 'make check-fleet' needs more; Debian's packages start services of their own, which the tests do not use.
# With `pictures`, what 'make check-pictures' needs more.
# With `parsers`, what 'make check-parsers' needs more, if it can be had: it skips what is missing.
# With `page`, what 'make check-page' needs more: a browser without a screen.
# With `fuzz`, what tests/long/fuzz.sh and coverage.sh need more: libFuzzer, and the reader of clang's counts.
# With `analyzers`, what tests/long/analyzed.sh and clang.sh there need more.
# With `distros`, what 'make check-distros' needs and nothing else: it builds and tests elsewhere.
# With `missing` it installs nothing: it names what a build lacks with the packages that have it, as
# the build finds it ($CC, $CLANG, $BPFTOOL, $PKG_CONFIG), which is how a failed build asks for the cause.
# Says what it installs and asks nothing; does nothing, and says nothing, when all is there. On
# other systems it names the packages. Needs root or sudo only for the installation.
set -u

# A command or file that must be there, and the package that has it on Debian 12 and Ubuntu 24.04.
needs='
command:gcc			gcc
command:g++			g++
file:/usr/include/stdio.h	libc6-dev
file:/usr/include/linux/bpf.h	linux-libc-dev
command:make			make
command:git			git
command:pkg-config		pkg-config
command:clang			clang
file:/usr/include/bpf/bpf.h	libbpf-dev
file:/usr/include/libelf.h	libelf-dev
file:/usr/include/zlib.h	zlib1g-dev
file:/usr/include/elfutils/libdwfl.h	libdw-dev
file:/usr/include/bzlib.h	libbz2-dev
file:/usr/include/lzma.h	liblzma-dev
file:/usr/include/zstd.h	libzstd-dev
file:/usr/include/libiberty/demangle.h	libiberty-dev
file:/usr/include/protobuf-c/protobuf-c.h	libprotobuf-c-dev
command:protoc-c		protobuf-c-compiler
command:protoc			protobuf-compiler
command:qemu-system-x86_64	qemu-system-x86
command:busybox			busybox-static
command:cpio			cpio
command:xz			xz-utils
command:zstd			zstd
command:lz4			lz4
file:/usr/include/Zydis/Zydis.h	libzydis-dev
command:file			file
command:spin			spin
command:groff			groff-base
command:mandoc			mandoc
command:lintian			lintian
command:zsh			zsh
command:jq			jq
file:/usr/lib/python3/dist-packages/jsonschema/__init__.py	python3-jsonschema
command:python3			python3
file:/usr/lib/python3/dist-packages/yaml/__init__.py	python3-yaml
command:tmux			tmux
command:gawk			gawk
command:opensnoop-perf		perf-tools-unstable
file:/usr/include/traceevent/event-parse.h	libtraceevent-dev
command:trace-cmd		trace-cmd
command:mkfs.xfs		xfsprogs
command:dwz			dwz
command:pahole			pahole
command:patchelf		patchelf
command:aarch64-linux-gnu-gcc	gcc-aarch64-linux-gnu
file:/usr/aarch64-linux-gnu/include/stdio.h	libc6-dev-arm64-cross
command:debuginfod		debuginfod
command:debuginfod-find		debuginfod
file:/usr/share/keyrings/debian-archive-keyring.gpg	debian-archive-keyring
'

# Large, and not everywhere.
wanted='
file:/usr/src/linux-source-6.1.tar.xz	linux-source-6.1
command:perl			perl
command:traceshark		traceshark
command:kernelshark		kernelshark
command:Xvfb			xvfb
command:import			imagemagick
'

# What collects metrics.
fleet='
command:prometheus		prometheus
command:prometheus-node-exporter	prometheus-node-exporter
command:rsyslogd		rsyslog
file:/usr/lib/x86_64-linux-gnu/rsyslog/omrelp.so	rsyslog-relp
command:clickhouse-server	clickhouse-server
command:clickhouse-client	clickhouse-client
'

# What decodes Perfetto's files.
pictures='
command:protoc			protobuf-compiler
'

# What opens the pages of --report. On Ubuntu the package only installs a snap, which may not be possible: then there is no test.
page='
command:chromium		chromium
file:/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf	fonts-dejavu-core
'

# What clang's fuzzer and sanitizers are linked with. (clang's package only recommends it.)
fuzz='
clang:libclang_rt.fuzzer-x86_64.a	libclang-rt-dev
command:llvm-cov		llvm
'

# What looks for mistakes in the source, and clang's sanitizers.
analyzers='
command:clang-tidy		clang-tidy
command:cppcheck		cppcheck
clang:libclang_rt.asan-x86_64.a	libclang-rt-dev
'

# To make another release of Debian in a directory.
chroots='
command:debootstrap		debootstrap
command:git			git
file:/usr/share/keyrings/debian-archive-keyring.gpg	debian-archive-keyring
'
system=
[ ! -r /etc/os-release ] || system=$(. /etc/os-release && echo " ${ID:-} ${ID_LIKE:-} ")
# A package of its own on Debian; on Ubuntu it lies under a kernel's version, and /usr/sbin/bpftool is a script that
# looks for the running kernel's.
bpftool=bpftool
case $system in *ubuntu*) bpftool=linux-tools-generic ;; esac

# What building calls and includes: variable or kind, its name, its package.
building="
CC		gcc		gcc
CLANG		clang		clang
BPFTOOL		bpftool		$bpftool
PKG_CONFIG	pkg-config	pkg-config
header		stdio.h		libc6-dev
header		linux/bpf.h	linux-libc-dev
header		bpf/bpf.h	libbpf-dev
header		libelf.h	libelf-dev
header		zlib.h		zlib1g-dev
archive		libc.a		libc6-dev
archive		libbpf.a	libbpf-dev
archive		libelf.a	libelf-dev
archive		libz.a		zlib1g-dev
"
what_for=${1:-build}
[ "$what_for" != distros ] || needs=$chroots

have() {
	case $1 in
	command:*)	PATH=$PATH:/usr/sbin:/sbin command -v "${1#command:}" > /dev/null 2>&1 ;;
	file:*)		[ -e "${1#file:}" ] ;;
	clang:*)	[ -e "$(clang -print-runtime-dir 2> /dev/null)/${1#clang:}" ] ;;
	esac
}

# build_has KIND NAME: what a variable calls may have options behind it.
build_has() {
	case $1 in
	header)		echo "#if !__has_include(<$2>)
#error
#endif" | $CC -E -o /dev/null - 2> /dev/null ;;
	archive)	[ -e "$($CC -print-file-name="$2")" ] ;;
	BPFTOOL)	$BPFTOOL version > /dev/null 2>&1 ;;
	*)		eval "set -- \$$1" && command -v "$1" > /dev/null ;;
	esac
}

if [ "$what_for" = missing ]; then
	: "${CC:=gcc}" "${CLANG:=clang}" "${BPFTOOL:=bpftool}" "${PKG_CONFIG:=pkg-config}"
	echo "$building" | while read -r kind name package; do
		[ -n "$kind" ] || continue
		called=
		case $kind in
		header|archive)	build_has CC gcc || continue ;;	# nothing is known of these without it
		*)		eval "called=\$$kind" ;;
		esac
		case $called in ''|*"$name") called= ;; *) called=" ($kind=$called)" ;; esac
		build_has "$kind" "$name" ||
			echo "$name is missing$called: install the package $package (tests/setup.sh does)"
	done
	exit
fi

missing=$(echo "$needs" | while read -r what package; do
	[ -z "$what" ] || have "$what" || echo "$package"
done)

if [ "$what_for" != distros ] && { ! have command:bpftool || ! PATH=$PATH:/usr/sbin bpftool version > /dev/null 2>&1; }; then
	case $system in
	*ubuntu*)
		ls /usr/lib/linux-tools*/*/bpftool /usr/lib/linux-tools*/bpftool > /dev/null 2>&1 ||
			missing="$missing $bpftool" ;;
	*)	missing="$missing $bpftool" ;;
	esac
fi
# Elsewhere than on Debian, debootstrap knows an archive that has Debian's kernels.
case $system in
*ubuntu*)	[ -e /usr/share/debootstrap/scripts/sid ] || missing="$missing debootstrap" ;;
esac
missing=$(echo $missing)
optional=
[ "$what_for" != fleet ] || wanted=$fleet
[ "$what_for" != pictures ] || wanted=$pictures
[ "$what_for" != page ] || wanted=$page
[ "$what_for" != fuzz ] || wanted=$fuzz
[ "$what_for" != analyzers ] || wanted=$analyzers
case $what_for in parsers|fleet|pictures|page|fuzz|analyzers) optional=$(echo $(echo "$wanted" | while read -r what package; do
	[ -z "$what" ] || have "$what" || echo "$package"
done)) ;; esac
[ -n "$missing$optional" ] || exit 0

case $system in
*' debian '*|*' ubuntu '*) ;;
*)
	cat >&2 << END
setup.sh: this is neither Debian nor Ubuntu; install what they call:
    $missing $optional
  Fedora:  gcc make git pkgconf clang bpftool libbpf-devel libbpf-static elfutils-libelf-devel elfutils-libelf-devel-static
           zlib-devel zlib-static protobuf-c-devel protobuf-c-compiler binutils-devel glibc-static qemu-system-x86-core busybox cpio xz zstd lz4 zydis-devel groff-base mandoc zsh jq python3 tmux gawk
           libtraceevent-devel debian-keyring dpkg apt
  Arch:    gcc make git pkgconf clang bpf libbpf libelf zlib binutils protobuf-c qemu-system-x86 busybox cpio xz zstd lz4 zydis groff mandoc zsh jq python tmux gawk
           libtraceevent debian-archive-keyring dpkg apt
END
	exit 1 ;;
esac

sudo=
if [ "$(id -u)" -ne 0 ]; then
	command -v sudo > /dev/null || {
		echo "setup.sh: as root, install: apt-get install $missing" >&2
		exit 1
	}
	sudo=sudo
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT

install() {	# install PACKAGE...
	$sudo env DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends install "$@" > "$log" 2>&1 < /dev/null
}

echo "setup.sh: installing $(echo $missing $optional)" >&2
{ $sudo apt-get -qq update > "$log" 2>&1 < /dev/null && { [ -z "$missing" ] || install $missing; }; } || {
	tail -n 20 "$log" >&2
	echo "setup.sh: the installation failed; by hand: apt-get update && apt-get install $missing" >&2
	exit 1
}
for package in $optional; do
	install "$package" || echo "setup.sh: $package cannot be installed: what it tests is skipped" >&2
done
