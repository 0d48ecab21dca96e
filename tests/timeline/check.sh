#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# check.sh [own] - files for Perfetto, decoded with Perfetto's own definitions, have what the JSON files of the same events have
#
# Three pairs of files: of all kinds of tracks and of hostile names, which tests/unit/test_timeline.c writes; of all types, out of an old
# trace.dat; of known calls with stacks, in a guest. Perfetto's .proto files are in Debian's source package perfetto, of which the cache
# keeps 2 MB. PERFETTO=DIR: they are in this clone of its source instead.
#
# With `own`, our pftrace.proto is taken, and there is no guest: that is quick, and says that both files agree. TAP on stdout. $O: where
# things were built.
set -u
cd "$(dirname "$0")/../.." || exit 1
: "${O:=build}"
how=${1:-}
cache=${XDG_CACHE_HOME:-$HOME/.cache}/bprobe/perfetto
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# Debian's newest version, from the archive that tests/guest/rig/kernels.sh takes kernels from.
fetch() (
	set -- functions
	. tests/guest/rig/kernels.sh
	root=$work/root
	cache=$1
	mkdir -p "$root"
	apt_root sid
	sed -i 's/^deb /deb-src /' "$root/sources.list"
	own_apt apt-get update --error-on=any && cd "$root/deb" && own_apt apt-get source --download-only perfetto
)

perfetto() {	# prints the directory that has protos/
	if [ -n "${PERFETTO:-}" ]; then
		echo "$PERFETTO"
		return
	fi
	if [ ! -e "$cache/protos/perfetto/trace/trace.proto" ]; then
		fetch > "$work/log" 2>&1 || return 1
		mkdir -p "$work/new" "${cache%/*}" &&
			tar -xzf "$work"/root/deb/perfetto_*.orig.tar.gz -C "$work/new" --strip-components=1 --wildcards '*/protos/perfetto/*.proto' >> "$work/log" 2>&1 &&
			rm -rf "$cache" && mv "$work/new" "$cache" || return 1
	fi
	echo "$cache"
}

proto=pftrace.proto message=pf.Trace include=user/timeline
if [ "$how" != own ]; then
	if dir=$(perfetto) && [ -e "$dir/protos/perfetto/trace/trace.proto" ]; then
		proto=protos/perfetto/trace/trace.proto message=perfetto.protos.Trace include=$dir
	else
		echo "ok - # SKIP Perfetto's definitions cannot be had, so ours are taken: $(tail -n 1 "$work/log" 2> /dev/null)"
	fi
fi
command -v protoc > /dev/null || { echo "ok - # SKIP there is no protoc (package protobuf-compiler)"; echo 1..1; exit; }
[ -e "$O/pftrace.pb-c.o" ] || { echo "ok - # SKIP this bprobe was built without protobuf-c"; echo 1..1; exit; }

compare() {	# compare NAME FILE-WITHOUT-ENDING
	python3 tests/timeline/compare.py "$1" "$2.json" "$2.pftrace" "$proto" "$message" "$include" || failed=1
}

TIMELINE_DIR=$work "$O/tests/unit/test_timeline" > "$work/log" 2>&1 || { failed=1; echo "not ok - test_timeline writes files"; sed 's/^/# /' "$work/log"; }
compare "all kinds of tracks" "$work/all"

base64 -d tests/dat/version-1.dat.gz.b64 | gzip -dc > "$work/old.dat"
for kind in json pftrace; do
	"$O/bprobe" --read "$work/old.dat" -o "$work/old.$kind" 2> "$work/said" || { failed=1; echo "not ok - --read -o old.$kind"; sed 's/^/# /' "$work/said"; }
done
compare "all types" "$work/old"
if [ "$how" != own ]; then
	mkdir "$work/guest"
	KEEP=$work/guest tests/guest/suites/timeline.sh -b "$O/bprobe" -w "$O/tests/wl" 6.12 || failed=1
	compare "calls in a guest" "$work/guest/read"
fi
exit $failed
