#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# deb.sh - makes $O/bprobe_VERSION_amd64.deb out of what was built in $O
#
# By dpkg-deb alone, as any user, the same bytes for the same commit and the same binary. The version is
# the Makefile's RELEASE with the commit's day and name. The maintainer is $DEBFULLNAME <$DEBEMAIL>, else the
# commit's author. Prints the package's name.
set -eu
cd "$(dirname "$0")/.."
: "${O:=build}" "${MAKE:=make}"
umask 022
for tool in dpkg-deb dpkg-query gzip; do
	command -v $tool > /dev/null || {
		echo "deb.sh: there is no $tool; this makes packages on Debian and Ubuntu (packages dpkg, gzip)" >&2
		exit 1
	}
done

commit=$(git describe --always --dirty --abbrev=12 2> /dev/null || echo unknown)
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2> /dev/null || date +%s)}
export SOURCE_DATE_EPOCH
case $commit in
v[0-9]*)	version=$(echo "${commit#v}" | sed 's/-/+/; s/-/./g') ;;
*)		release=$(sed -n 's/^RELEASE[[:space:]]*:= //p' Makefile)
		version=$release+git$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y%m%d).$(echo "$commit" | sed 's/-/./g') ;;
esac
version=$version-1
author=$(git log -1 --format='%an <%ae>' 2> /dev/null || echo "nobody <nobody@localhost>")
maintainer=${DEBEMAIL:+${DEBFULLNAME:-$DEBEMAIL} <$DEBEMAIL>}
maintainer=${maintainer:-$author}

root=$O/deb
doc=$root/usr/share/doc/bprobe
rm -rf "$root" "$O"/bprobe_*.deb
"$MAKE" --no-print-directory -s install O="$O" DESTDIR="$root" prefix=/usr bindir=/usr/bin mandir=/usr/share/man \
	docdir=/usr/share/doc/bprobe bashcompdir=/usr/share/bash-completion/completions \
	zshcompdir=/usr/share/zsh/vendor-completions >&2

gzip -9n "$root/usr/share/man/man1/bprobe.1"
rm "$doc/LICENSE"			# copyright names Debian's own copy
mv "$doc/CHANGELOG.md" "$doc/changelog"
gzip -9n "$doc/changelog"
gzip -9n > "$doc/changelog.Debian.gz" << END
bprobe ($version) unstable; urgency=medium

  * Built from commit $commit; changelog.gz says what is new.

 -- $maintainer  $(LC_ALL=C date -u -d "@$SOURCE_DATE_EPOCH" '+%a, %d %b %Y %H:%M:%S +0000')
END
cat > "$doc/copyright" << END
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: bprobe
Source: the repository that this package was built in, commit $commit

Files: *
Copyright: $(date -u -d "@$SOURCE_DATE_EPOCH" +%Y) the authors of bprobe
License: GPL-2
Comment:
 The binary is linked with
$(awk -F '\t' '{ print " " $1 " " $2 " (" $3 ")" }' "$O/linked.tsv")
 bprobe.spdx.json has the same list in a form that programs read.

License: GPL-2
 This program is free software; you can redistribute it and/or modify it under the terms of the GNU
 General Public License version 2 as published by the Free Software Foundation.
 .
 On Debian systems its text is in /usr/share/common-licenses/GPL-2.
END
# One file for every kernel and every distribution, so Debian's libraries are in it (Built-Using); and this is no
# upload to Debian.
mkdir -p "$root/usr/share/lintian/overrides"
cat > "$root/usr/share/lintian/overrides/bprobe" << END
bprobe: statically-linked-binary [usr/bin/bprobe]
bprobe: embedded-library zlib [usr/bin/bprobe]
bprobe: embedded-library bzip2 [usr/bin/bprobe]
bprobe: initial-upload-closes-no-bugs *
END

# libgcc's exception asks for nothing.
using=$(cut -f 5 "$O/linked.tsv" | grep -vx -e - -e 'libgcc-.*' | xargs -r dpkg-query -W -f '${source:Package} (= ${source:Version})\n' 2> /dev/null |
	sort -u | paste -sd, | sed 's/,/, /g')
mkdir "$root/DEBIAN"
(cd "$root" && find usr -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum) > "$root/DEBIAN/md5sums"
cat > "$root/DEBIAN/control" << END
Package: bprobe
Version: $version
Architecture: amd64
Maintainer: $maintainer
Section: utils
Priority: optional
Installed-Size: $(du -k -s --apparent-size "$root/usr" | cut -f 1)
${using:+Built-Using: $using
}Description: trace the kernel with BPF, in the language of kprobe_events
 bprobe traces the Linux kernel in the language of ftrace's kprobe_events, and
 does the work in BPF. Whoever knows kprobe events knows bprobe; whatever
 parses ftrace's text parses its output.
 .
 Nothing is compiled at run time and nothing is written into tracefs. It takes
 filters and names of parameters and fields on every kernel from 5.10 on that
 has BTF, keeps probes without a process when asked to, and says what it lost,
 what it missed and what it could not read.
END
deb=$O/bprobe_${version}_amd64.deb
dpkg-deb --root-owner-group --build "$root" "$deb" > /dev/null
echo "$deb"
