# SPDX-License-Identifier: GPL-2.0-only
#
# suite.sh - what the drivers of guest tests share; they source it
#
#	. "$(dirname "$0")/../rig/suite.sh"
#	suite_options bw "$@"		# letters, and -M for the machine flavour of guest.sh; sets the variables below
#	shift "$suite_shift"
#	tests() { suite_guest -f "$wl=/bin/wl" "$here/x.guest"; }
#	suite_kernels tests "$@"	# tests is called for each $kernel; TAP on stdout; exits
#
# Every program a driver puts into its guests has the same letter everywhere.
here=$(dirname "$0")
rig=$here/../rig
. "$rig/lib.sh"
build=${O:-$here/../../../build}
bprobe=$build/bprobe wl=$build/tests/wl bpfcount=$build/tests/bpfcount kmemcheck=$build/tests/kmemcheck
attach=auto kills=500 machine= rows=

suite_options() {
	suite_letters=M$(echo "$1" | sed 's/./&:/g')
	shift
	while getopts "$suite_letters" option; do
		case $option in
		a)	attach=$OPTARG ;;
		b)	bprobe=$OPTARG ;;
		c)	bpfcount=$OPTARG ;;
		k)	kmemcheck=$OPTARG ;;
		M)	machine=-M ;;
		n)	kills=$OPTARG ;;
		r)	rows=$OPTARG ;;
		w)	wl=$OPTARG ;;
		*)	exit 64 ;;
		esac
	done
	suite_shift=$((OPTIND - 1))
}

work=$(mktemp -d "${TMPDIR:-/tmp}/guest-tests.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP

# suite_guest [WORD OF guest.sh]... SCRIPT: $kernel with bprobe; tests without a result because the guest died have failed.
suite_guest() {
	if [ -n "${BATCH:-}" ]; then
		suite_asks -k "$kernel" $machine -t "${GUEST_SECONDS:-900}" -f "$bprobe=/bin/bprobe" "$@"
	else
		"$rig/guest.sh" -k "$kernel" $machine -t "${GUEST_SECONDS:-900}" -f "$bprobe=/bin/bprobe" "$@" 2>&1
	fi
	[ $? -ne 125 ] || echo "not ok - the guest ended early"
}

# Instead of a guest of its own, the script gets its turn in one that batch.sh boots for several suites. What it needs goes into a
# directory: payload, root/ (its files), words (how the guest must be booted), memory, seconds. batch.sh is told, and answers there.
suite_asks() {
	local request words= memory=1024 option word status OPTIND=1
	[ -z "$machine" ] || memory=2048
	request=$(mktemp -d "$BATCH/$SUITE.XXXXXX") || return 125
	mkdir "$request/root" && mkfifo "$request/answer" || return 125
	while getopts k:Mt:p:m:ia:f: option; do
		case $option in
		t)	echo "$OPTARG" > "$request/seconds" ;;
		m)	memory=$OPTARG ;;
		f)	suite_puts "$OPTARG" || return 125 ;;
		M|i)	words="$words -$option" ;;
		a)	for word in $OPTARG; do words="$words -a $word"; done ;;
		*)	words="$words -$option $OPTARG" ;;
		esac
	done
	shift $((OPTIND - 1))
	cp "$1" "$request/payload" && echo "$words" > "$request/words" && echo "$memory" > "$request/memory" || return 125
	echo "asks ${request##*/}" > "$BATCH/news"
	cat "$request/answer"
	status=$(cat "$request/status")
	return "$status"
}

# A hard link if possible: then a file of many suites is in the archive once.
suite_puts() {	# suite_puts FILE[=PATH], into $request
	local to file
	case $1 in
	*=*)	to=$request/root${1#*=} file=${1%%=*} ;;
	*)	to=$request/root/bin/$(basename "$1") file=$1 ;;
	esac
	mkdir -p "$(dirname "$to")" && { cp -rLl "$file" "$to" 2> /dev/null || { rm -rf "$to" && cp -rL "$file" "$to"; }; }
}

# What the guest has sent by send_file (lib.sh) becomes files in DIR; the rest are the guest's own lines.
suite_unpack() {	# suite_unpack DIR
	local file
	awk -v dir="$1" '
		/^@@ / { file = dir "/" $2 ".b64"; printf "" > file; next }
		/^@@$/ { close(file); file = ""; next }
		file { print > file; next }
		{ print; fflush() }'
	for file in "$1"/*.b64; do
		[ -e "$file" ] || continue
		base64 -d "$file" | gzip -dc > "${file%.b64}"
		rm "$file"
	done
}

# The oldest kernel is 1, for cases that say since when they hold; one with another name is the newest.
suite_rank() {
	"$rig/kernels.sh" order | tr ' ' '\n' | awk -v name="$1" '$0 == name { rank = NR } END { print rank ? rank : NR }'
}

# suite_kernels TESTS KERNEL...: TESTS prints TAP without numbers, or with, and lines that begin with '#'.
suite_kernels() {
	run=$1 suite_failed=0
	shift
	for kernel; do
		start=$(date +%s)
		"$run" | sed -u "s/^\(not ok\|ok\) [0-9 ]*- /\1 - $kernel${machine:+ machine} /; /^1\.\.[0-9]/d" > "$work/tap"
		grep -q '^ok\|^not ok' "$work/tap" || echo "not ok - $kernel${machine:+ machine} no test has a result" > "$work/tap"
		cat "$work/tap"
		! grep -q '^not ok' "$work/tap" || suite_failed=1
		awk -v kernel="$kernel${machine:+ machine}" -v seconds=$(($(date +%s) - start)) '
			/^ok .*# *[Ss][Kk][Ii][Pp]/ { skipped++; next } /^ok/ { passed++ } /^not ok/ { failed++ }
			END { printf "# kernel %s: %d passed, %d failed, %d skipped in %d s\n",
				kernel, passed, failed, skipped, seconds }' "$work/tap"
	done
	exit $suite_failed
}
