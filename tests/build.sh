#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# build.sh - how bprobe is built: static, hardened, with the libraries that it names
#
#   build.sh BPROBE OBJECTS			TAP on stdout. OBJECTS: the folder that it was built in
#
# CC=clang: for a build by clang with CFLAGS='-O2 -gdwarf-4 -grecord-command-line'. Without these, clang does not write down its options, or so that
# readelf (2.40) reads those of one file only.
#
# A check is a function that names what a file lacks. Each is tried first on a program or an object that lacks just that: a planted fault, which
# must be named.
set -u
cd "$(dirname "$0")/.." || exit 1
bprobe=$1 built=$2
export LC_ALL=C
: "${CC:=gcc}"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
n=0

is() {	# is TEXT WHAT WANTED
	n=$((n + 1))
	if [ "$2" = "$3" ]; then
		echo "ok $n - $1"
	else
		echo "not ok $n - $1"
		printf '# is "%s", should be "%s"\n' "$2" "$3"
	fi
}

# ---- what a program or an object lacks ----

program_lacks() {
	readelf -hldW "$1" > "$tmp/elf" 2>&1
	{
		! grep -qE 'INTERP|\(NEEDED\)' "$tmp/elf" || echo static
		grep -q 'Type: *DYN' "$tmp/elf" || echo pie
		grep -q GNU_RELRO "$tmp/elf" || echo relro
		grep -qE 'FLAGS_1.* NOW' "$tmp/elf" || echo now
		grep -qE 'GNU_STACK .* RW +0x' "$tmp/elf" || echo noexecstack
		! grep -qE 'LOAD .* RWE ' "$tmp/elf" || echo no-writable-code
		! grep -q TEXTREL "$tmp/elf" || echo no-relocated-code
	} | paste -sd ' '
}

# objects_lack FILE...: a line "FILE: WHAT..." for each that lacks something. The compiler's options are in the debug information. With
# _FORTIFY_SOURCE=2 a call of fprintf() is always one of __fprintf_chk().
objects_lack() {
	{
		for file; do printf 'file\t%s\n' "$file"; done
		# With one file, readelf does not say its name.
		readelf --debug-dump=info --dwarf-depth=1 "$@" /dev/null 2> /dev/null | awk '
			/^File: / { file = substr($0, 7) }
			/DW_AT_producer/ {
				if (/fstack-protector-strong/ && !/fno-stack-protector/) print "stack-protector\t" file
				if (/fstack-clash-protection/ && !/fno-stack-clash/) print "stack-clash\t" file
				if (/fPIE/ && !/fno-pie/) print "fPIE\t" file
			}'
		readelf -n "$@" /dev/null 2> /dev/null | awk '/^File: / { file = substr($0, 7) } /IBT, SHSTK/ { print "cet\t" file }'
		nm -A "$@" | awk '/ U v?fprintf$/ { sub(/:[^:]*$/, ""); print "unfortified\t" $0 }'
		# clang's own list of its options may have it.
		grep -aoH ".\{0,18\}$PWD" "$@" | grep -av -e '-ffile-prefix-map=' | cut -d : -f 1 | sort -u | sed 's/^/place\t/'
	} | awk -F '\t' '
		{ seen[$1, $2] }
		$1 == "file" { files[++n] = $2 }
		END {
			for (i = 1; i <= n; i++) {
				lacks = ""
				for (k = split("stack-protector stack-clash fPIE cet", wanted, " "); k; k--)
					if (!((wanted[k], files[i]) in seen))
						lacks = wanted[k] (lacks == "" ? "" : " ") lacks
				if (("unfortified", files[i]) in seen) lacks = lacks (lacks == "" ? "" : " ") "fortify"
				if (("place", files[i]) in seen) lacks = lacks (lacks == "" ? "" : " ") "no-path-of-its-builder"
				if (lacks != "") print files[i] ": " lacks
			}
		}'
}

# What a BPF object has that bprobe has no use for: libbpf reads all of it at each start. struct btf_ext_header has line_info_len at byte 20.
bpf_has() {
	readelf -SW "$1" > "$tmp/elf" 2> /dev/null
	{
		! grep -q ' \.debug_info ' "$tmp/elf" || echo debug-information
		! readelf -sW "$1" 2> /dev/null | grep -q ' LBB[0-9]' || echo labels
		offset=0x$(sed -n 's/.* \.BTF\.ext *PROGBITS *[0-9a-f]* \([0-9a-f]*\) .*/\1/p' "$tmp/elf")
		[ "$(od -An -tu4 -j $((offset + 20)) -N 4 "$1" | tr -d ' ')" = 0 ] || echo lines
	} | paste -sd ' '
}

# ---- planted faults ----

cat > "$tmp/hello.c" << 'END'
int main(int argc, char **argv)
{
	char text[64];

	snprintf(text, (size_t)argc * 8, "%s", argv[0]);
	fprintf(stderr, "%s\n", text);
	return 0;
}
END
harden=$(make -s -f - O="$built" harden << 'END'
include Makefile
harden:
	@echo $(CFLAGS) $(if $(findstring clang,$(CC)),-grecord-command-line) -fPIE $(HARDEN)
END
)
nr=$(make -s -f - O="$built" nr << 'END'
include Makefile
nr:
	@echo $(words $(OBJS) $(wildcard user/compat/*.c))
END
)
map=-ffile-prefix-map=$PWD=.
plant() {	# plant WHAT OPTIONS: the program lacks just this
	# shellcheck disable=SC2086
	$CC $harden -include stdio.h "$map" "$tmp/hello.c" -o "$tmp/planted" $2 2> "$tmp/err" || sed 's/^/# /' "$tmp/err"
	is "a program that lacks ${1:-nothing}" "$(program_lacks "$tmp/planted")" "$1"
}
all='-static-pie -Wl,-z,relro,-z,now,-z,noexecstack'
plant "" "$all"
plant static '-pie -Wl,-z,relro,-z,now,-z,noexecstack'
plant "pie now" "-static -no-pie -Wl,-z,relro,-z,noexecstack"
plant now "-static-pie -Wl,-z,relro,-z,lazy,-z,noexecstack"
echo 'asm(".pushsection .text; .quad main; .popsection");' > "$tmp/relocated.c"
plant no-relocated-code "$all -Wl,-z,notext $tmp/relocated.c"
plant relro "-static-pie -Wl,-z,norelro,-z,now"
plant noexecstack "$all -Wl,-z,execstack"
# No linker makes this one, so the code's segment is made writable: its flags (7) are 4 bytes behind the begin of its header.
$CC $harden -include stdio.h "$map" "$tmp/hello.c" -o "$tmp/planted" $all
code=$(readelf -lW "$tmp/planted" | awk '/^  [A-Z_]+ +0x/ { n++ } /LOAD .* R E / { print n - 1; exit }')
printf '\7' | dd of="$tmp/planted" bs=1 seek=$((64 + 56 * code + 4)) conv=notrunc 2> /dev/null
is "a program that lacks no-writable-code" "$(program_lacks "$tmp/planted")" no-writable-code

plant_object() {	# plant_object WHAT OPTIONS
	# shellcheck disable=SC2086
	$CC $harden -include stdio.h "$map" ${2:-} -c "$tmp/hello.c" -o "$tmp/planted.o" 2> "$tmp/err" || sed 's/^/# /' "$tmp/err"
	is "an object that lacks ${1:-nothing}" "$(objects_lack "$tmp/planted.o")" "${1:+$tmp/planted.o: $1}"
}
plant_object ""
plant_object stack-protector -fno-stack-protector
plant_object stack-clash -fno-stack-clash-protection
plant_object fPIE -fno-pie
plant_object cet -fcf-protection=none
plant_object fortify '-U_FORTIFY_SOURCE'
# shellcheck disable=SC2086
$CC $harden -include stdio.h -c "$tmp/hello.c" -o "$tmp/planted.o"
is "an object that names the folder of its builder is found" "$(objects_lack "$tmp/planted.o")" "$tmp/planted.o: no-path-of-its-builder"

is "an object as clang makes it is found" "$(bpf_has "$built/probe.bpf.o")" "debug-information labels lines"

# ---- bprobe ----

is "$bprobe is static, and hardened" "$(program_lacks "$bprobe")" ""
mapfile -t objects < <(sed -n "s|^LOAD \($built/.*\.o\)\$|\1|p" "$built/bprobe.map" | sort; ls "$built"/user/compat/*.o)
is "the objects of the program are known" ${#objects[@]} "$nr"
is "each of its ${#objects[@]} objects is hardened" "$(objects_lack "${objects[@]}" | head -n 5)" ""

for object in probe cgroup ktext; do
	is "the BPF object $object has nothing that only costs a start" "$(bpf_has "$built/$object.skel.o")" ""
done

# ---- what it says it is made of ----

# The linker's own list of archives, and the one that the build made for --version -v and the SPDX document.
libraries() { sed -n 's/^LOAD .*\/\(lib[^/]*\)\.a$/\1/p' "$1" | sort -u | paste -sd ' '; }
named() { cut -f 4 "$1" | tr ' ' '\n' | sort -u | paste -sd ' '; }
is "linked.tsv has the libraries that the linker read" "$(named "$built/linked.tsv")" "$(libraries "$built/bprobe.map")"
grep -v '^zlib' "$built/linked.tsv" > "$tmp/linked.tsv"
[ "$(named "$tmp/linked.tsv")" != "$(libraries "$built/bprobe.map")" ]
is "... a list without zlib is found" $? 0
# What each library says of itself.
words=$(make -s -f - O="$built" words << 'END'
include Makefile
words:
	@echo $(filter -DHAVE_%,$(CPPFLAGS_ALL)) $(if $(PROTO_LIBS),-DHAVE_PROTOBUF) $(LIBS)
END
)
# shellcheck disable=SC2086
gcc -static -o "$tmp/versions" tests/versions.c $words 2> "$tmp/err" || sed 's/^/# /' "$tmp/err"
unlike() {	# unlike TABLE: the projects whose version is another one than the library itself says
	"$tmp/versions" | awk -F '\t' 'FILENAME == ARGV[1] { version[$1] = $2; next }
		{ split($0, said, /[ ,]/) }
		said[1] in version && index(version[said[1]] ".", said[2] ".") != 1 { print said[1] ": " version[said[1]] ", it says " said[2] }' "$1" -
}
is "the versions in linked.tsv are those that $("$tmp/versions" | wc -l) libraries say themselves" "$(unlike "$built/linked.tsv")" ""
awk -F '\t' -v OFS='\t' '$1 == "zlib" { $2 = "1.2.1" } { print }' "$built/linked.tsv" > "$tmp/linked.tsv"
is "... another version of zlib is found" "$(unlike "$tmp/linked.tsv" | cut -d : -f 1)" zlib
# dpkg-query of each archive that the linker read: package and version.
if command -v dpkg-query > /dev/null; then
	sed -n 's/^LOAD \(\/.*\/lib[^/]*\.a\)$/\1/p' "$built/bprobe.map" | sort -u | grep -vF "$(realpath -m "$built")/" | while read -r archive; do
		archive=$(realpath "$archive")
		owner=$(dpkg-query -S "$archive" 2> /dev/null || dpkg-query -S "${archive#/usr}" 2> /dev/null) || continue
		dpkg-query -W -f '${Version}\n' "${owner%%: *}"
	done | sort -u > "$tmp/dpkg"
	is "the packages' versions in linked.tsv are those that dpkg has" "$(cut -f 6 "$built/linked.tsv" | grep -v '^-$' | sort -u)" "$(cat "$tmp/dpkg")"
fi
"$bprobe" --version -v | sed -n 's/^  \([^ ]*\) \([^ ]*\) .*/\1 \2/p' > "$tmp/told"
is "--version -v names them" "$(cat "$tmp/told")" "$(cut -f 1,2 "$built/linked.tsv" | tr '\t' ' ')"
is "the SPDX document has them" "$(jq -r '.packages[1:][] | .name + " " + (.versionInfo // "-")' "$built/bprobe.spdx.json")" "$(cat "$tmp/told")"
is "... each is linked statically into bprobe" "$(jq -r '.relationships[1:][] | .spdxElementId + " " + .relationshipType' "$built/bprobe.spdx.json" | sort -u)" "SPDXRef-bprobe STATIC_LINK"
is "... and each relationship is to a package of the document" \
	"$(jq -r '([.packages[].SPDXID] + ["SPDXRef-DOCUMENT"]) as $ids | .relationships[] | (.spdxElementId, .relatedSpdxElement) | select(. as $id | $ids | index($id) | not)' "$built/bprobe.spdx.json")" ""

# user/compat has what libelf.a may lack: it is in bprobe if this libelf.a calls it without having it, and only then.
lacks=$(nm "$($CC -print-file-name=libelf.a)" 2> /dev/null | awk '
	$NF == "eu_search_tree_init" { if ($(NF - 1) == "U") called = 1; else defined = 1 }
	END { print called && !defined ? "yes" : "no" }')
! nm "$bprobe" | grep -q ' eu_trees_lock$' && has=no || has=yes
is "bprobe has the search trees that libelf.a lacks ($lacks)" $has "$lacks"
echo "1..$n"
