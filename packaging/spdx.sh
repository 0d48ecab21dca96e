#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# spdx.sh - what bprobe is made of, as an SPDX 2.3 document in JSON
#
#   spdx.sh RELEASE COMMIT LINKED		(LINKED: the file that linked.sh wrote)
#
# The same bytes for the same commit and libraries: its time is the commit's ($SOURCE_DATE_EPOCH, if it is set).
set -eu
release=$1 commit=$2
epoch=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2> /dev/null || echo 0)}
distribution=$([ ! -r /etc/os-release ] || . /etc/os-release; echo "${ID:-linux}")
created=$(date -u -d "@$epoch" +%Y-%m-%dT%H:%M:%SZ)

awk -F '\t' -v release="$release" -v commit="$commit" -v created="$created" -v distribution="$distribution" '
function field(name, value) { return "      \"" name "\": \"" value "\"" }
# The id of a project in this document.
function id(name) { gsub(/[^A-Za-z0-9.-]/, "-", name); return "SPDXRef-" name }
# A version in a package URL. Of the characters in a version of Debian, these two have another meaning there.
function quoted(version,	out, i, c)
{
	for (i = 1; i <= length(version); i++) {
		c = substr(version, i, 1)
		out = out (c == ":" ? "%3A" : c == "+" ? "%2B" : c)
	}
	return out
}
{
	packages = packages ",\n    {\n" field("SPDXID", id($1)) ",\n" field("name", $1) ",\n" \
		($2 == "-" ? "" : field("versionInfo", $2) ",\n") field("downloadLocation", "NOASSERTION") ",\n" \
		"      \"filesAnalyzed\": false,\n" field("licenseConcluded", "NOASSERTION") ",\n" field("licenseDeclared", $3) ",\n" \
		field("copyrightText", "NOASSERTION") ",\n" field("comment", "linked statically: " $4)
	if ($5 != "-")
		packages = packages ",\n      \"externalRefs\": [ { \"referenceCategory\": \"PACKAGE-MANAGER\", \"referenceType\": \"purl\", " \
			"\"referenceLocator\": \"pkg:deb/" distribution "/" $5 "@" quoted($6) "?arch=amd64\" } ]"
	packages = packages "\n    }"
	relations = relations ",\n    { \"spdxElementId\": \"SPDXRef-bprobe\", \"relationshipType\": \"STATIC_LINK\", " \
		"\"relatedSpdxElement\": \"" id($1) "\" }"
	if ($3 ~ /LicenseRef-public-domain/)
		domain = 1
}
END {
	print "{"
	print "  \"spdxVersion\": \"SPDX-2.3\","
	print "  \"dataLicense\": \"CC0-1.0\","
	print "  \"SPDXID\": \"SPDXRef-DOCUMENT\","
	print "  \"name\": \"bprobe-" release "-" commit "\","
	print "  \"documentNamespace\": \"https://spdx.org/spdxdocs/bprobe-" release "-" commit "\","
	print "  \"creationInfo\": { \"created\": \"" created "\", \"creators\": [ \"Tool: bprobe-packaging/spdx.sh\" ] },"
	if (domain)
		print "  \"hasExtractedLicensingInfos\": [ { \"licenseId\": \"LicenseRef-public-domain\", \"name\": \"public domain\", " \
			"\"extractedText\": \"liblzma is in the public domain.\" } ],"
	print "  \"packages\": ["
	print "    {\n" field("SPDXID", "SPDXRef-bprobe") ",\n" field("name", "bprobe") ",\n" field("versionInfo", release "-" commit) ",\n" \
		field("downloadLocation", "NOASSERTION") ",\n      \"filesAnalyzed\": false,\n" field("licenseConcluded", "GPL-2.0-only") ",\n" \
		field("licenseDeclared", "GPL-2.0-only") ",\n" field("copyrightText", "NOASSERTION") ",\n" \
		field("primaryPackagePurpose", "APPLICATION") "\n    }" packages
	print "  ],"
	print "  \"relationships\": ["
	print "    { \"spdxElementId\": \"SPDXRef-DOCUMENT\", \"relationshipType\": \"DESCRIBES\", \"relatedSpdxElement\": \"SPDXRef-bprobe\" }" relations
	print "  ]"
	print "}"
}' "$3"
