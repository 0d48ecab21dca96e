#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# linked.sh - the projects whose code is linked into bprobe, out of the linker's words
#
#   CC=gcc linked.sh WORD...	a line each: project, version, licence, libraries, package, its version (tab-separated; -: unknown)
#
# WORDs are those of LIBS in the Makefile: -lNAME, -LFOLDER, -pthread; files are the project's own. The C library and the compiler's own are always
# linked. The version is that of Debian's package without its revision, or else pkg-config's. Of a project with several packages the
# first is named. tests/build.sh compares the libraries with what the linker took.
set -eu
: "${CC:=gcc}" "${PKG_CONFIG:=pkg-config}"

# NAME of -lNAME, its project, its name for pkg-config, its licence by SPDX.
projects='
bpf		libbpf		libbpf		LGPL-2.1-only OR BSD-2-Clause
dw		elfutils	libdw		GPL-2.0-or-later OR LGPL-3.0-or-later
elf		elfutils	libelf		GPL-2.0-or-later OR LGPL-3.0-or-later
z		zlib		zlib		Zlib
zstd		zstd		libzstd		BSD-3-Clause OR GPL-2.0-only
bz2		bzip2		bzip2		bzip2-1.0.6
lzma		xz		liblzma		LicenseRef-public-domain
iberty		libiberty	-		LGPL-2.0-or-later
protobuf-c	protobuf-c	libprotobuf-c	BSD-2-Clause
c		glibc		-		LGPL-2.1-or-later
pthread		glibc		-		LGPL-2.1-or-later
gcc		gcc		-		GPL-3.0-or-later WITH GCC-exception-3.1
gcc_eh		gcc		-		GPL-3.0-or-later WITH GCC-exception-3.1
'

project() {	# project NAME: project, name for pkg-config, licence
	echo "$projects" | awk -v name="$1" '$1 == name { print $2 "\t" $3 "\t" substr($0, match($0, $4 "[^\t]*$")); found = 1 }
		END { if (!found) print name "\t-\tNOASSERTION" }'
}

package() {	# package FILE: the Debian package that has it, and the package's version
	command -v dpkg-query > /dev/null || return 0
	file=$(readlink -f "$1") || return 0
	# Where /lib is a link to /usr/lib, dpkg may know the file by the other name.
	owner=$(dpkg-query -S "$file" 2> /dev/null || dpkg-query -S "${file#/usr}" 2> /dev/null) || return 0
	dpkg-query -W -f '${Package}\t${Version}\n' "${owner%%: *}" 2> /dev/null | head -n 1
}

# 1:1.3.dfsg+really1.3.1-1 is 1.3.1, and 1:1.2.13.dfsg-1 is 1.2.13.
upstream() { echo "$1" | sed 's/^[0-9]*://; s/-[^-]*$//; s/.*+really//; s/[+.]dfsg.*//'; }

archive() {	# archive NAME: the file that the linker takes for -lNAME
	for folder in $folders; do
		[ ! -e "$folder/lib$1.a" ] || { echo "$folder/lib$1.a"; return; }
	done
	$CC -print-file-name="lib$1.a"
}

folders=
for word in "$@"; do
	case $word in -L*) folders="$folders ${word#-L}" ;; esac
done
lines=$(for word in "$@" -lc -lgcc -lgcc_eh; do
	case $word in
	-l*)		name=${word#-l} ;;
	-pthread)	name=pthread ;;
	*)		continue ;;
	esac
	path=$(archive "$name")
	case $path in /*) ;; *) continue ;; esac
	IFS='	' read -r project config licence << END
$(project "$name")
END
	IFS='	' read -r owner version << END || :
$(package "$path")
END
	if [ -n "$version" ]; then
		upstream=$(upstream "$version")
	else
		upstream=$($PKG_CONFIG --modversion "$config" 2> /dev/null) || upstream=-
	fi
	printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$project" "$upstream" "$licence" "lib$name" "${owner:--}" "${version:--}"
done)
echo "$lines" | LC_ALL=C sort -u | awk -F '\t' -v OFS='\t' '
	# One line for each project.
	{
		if ($1 != last) {
			flush()
			last = $1; version = $2; licence = $3; libraries = $4; owner = $5; full = $6
			next
		}
		libraries = libraries " " $4
		if (owner == "-") { owner = $5; full = $6; version = $2 }
	}
	function flush() { if (last != "") print last, version, licence, libraries, owner, full }
	END { flush() }'
