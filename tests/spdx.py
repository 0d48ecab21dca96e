# SPDX-License-Identifier: GPL-2.0-only
#
# spdx.py FILE - the SPDX document is one by the specification (2.3, JSON), and a document with a mistake is told. TAP on standard output
#
# The fields, their forms and their words are those of the specification: chapters 6 (document), 7 (packages), 11 (relationships), and annexes B and
# D (licences). Of the list of licences there are those that linked.sh can name.
import copy
import json
import re
import sys

import jsonschema

LICENCES = {'GPL-2.0-only', 'GPL-2.0-or-later', 'GPL-3.0-or-later', 'LGPL-2.0-or-later', 'LGPL-2.1-only', 'LGPL-2.1-or-later', 'LGPL-3.0-or-later',
            'BSD-2-Clause', 'BSD-3-Clause', 'Zlib', 'bzip2-1.0.6'}
EXCEPTIONS = {'GCC-exception-3.1'}
ID = '^SPDXRef-[A-Za-z0-9.-]+$'
TEXT = {'type': 'string', 'minLength': 1}


def table(required, **properties):
    return {'type': 'object', 'additionalProperties': False, 'required': required.split(), 'properties': properties}


PACKAGE = table('SPDXID name downloadLocation', SPDXID={'type': 'string', 'pattern': ID}, name=TEXT, versionInfo=TEXT, comment=TEXT, copyrightText=TEXT,
                downloadLocation={'enum': ['NOASSERTION', 'NONE']}, filesAnalyzed={'type': 'boolean'}, licenseConcluded=TEXT, licenseDeclared=TEXT,
                primaryPackagePurpose={'enum': ['APPLICATION', 'LIBRARY', 'SOURCE', 'ARCHIVE', 'FILE', 'INSTALL', 'FRAMEWORK', 'CONTAINER', 'FIRMWARE',
                                                'DEVICE', 'OPERATING-SYSTEM', 'OTHER']},
                externalRefs={'type': 'array', 'items': table('referenceCategory referenceType referenceLocator',
                                                              referenceCategory={'enum': ['SECURITY', 'PACKAGE-MANAGER', 'PERSISTENT-ID', 'OTHER']},
                                                              referenceType={'enum': ['purl']},
                                                              referenceLocator={'type': 'string',
                                                                                'pattern': r'^pkg:deb/[a-z]+/[a-z0-9][a-z0-9+.-]+@[A-Za-z0-9.~%-]+\?arch=[a-z0-9]+$'})})
RELATIONSHIP = table('spdxElementId relationshipType relatedSpdxElement', spdxElementId={'type': 'string', 'pattern': ID},
                     relatedSpdxElement={'type': 'string', 'pattern': ID}, relationshipType={'enum': ['DESCRIBES', 'STATIC_LINK']})
SCHEMA = table('spdxVersion dataLicense SPDXID name documentNamespace creationInfo packages relationships',
               spdxVersion={'const': 'SPDX-2.3'}, dataLicense={'const': 'CC0-1.0'}, SPDXID={'const': 'SPDXRef-DOCUMENT'}, name=TEXT,
               documentNamespace={'type': 'string', 'pattern': '^https?://[^#\\s]+$'},
               creationInfo=table('created creators', created={'type': 'string', 'pattern': r'^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$'},
                                  creators={'type': 'array', 'minItems': 1, 'items': {'type': 'string', 'pattern': '^(Tool|Person|Organization): .'}}),
               hasExtractedLicensingInfos={'type': 'array', 'items': table('licenseId extractedText', name=TEXT, extractedText=TEXT,
                                                                           licenseId={'type': 'string', 'pattern': '^LicenseRef-[A-Za-z0-9.-]+$'})},
               packages={'type': 'array', 'minItems': 2, 'items': PACKAGE}, relationships={'type': 'array', 'minItems': 2, 'items': RELATIONSHIP})


def licence_trouble(text, refs):
    """Annex D: identifiers, WITH an exception, joined by AND and OR."""
    if text in ('NOASSERTION', 'NONE'):
        return None
    for part in re.split(' (?:AND|OR) ', text):
        licence, _, exception = part.partition(' WITH ')
        if licence not in LICENCES and licence not in refs or exception and exception not in EXCEPTIONS:
            return 'no licence: ' + part
    return None


def trouble(document):
    """What is wrong with it; None: nothing."""
    error = next(jsonschema.Draft7Validator(SCHEMA).iter_errors(document), None)
    if error:
        return '%s: %s' % ('.'.join(map(str, error.path)), error.message)
    ids = [document['SPDXID']] + [p['SPDXID'] for p in document['packages']]
    if len(set(ids)) != len(ids):
        return 'two elements have one id'
    refs = {i['licenseId'] for i in document.get('hasExtractedLicensingInfos', [])}
    for p in document['packages']:
        # 7.8: without it the files of the package are meant, which are not listed.
        if p.get('filesAnalyzed', True):
            return p['name'] + ': its files are not analysed'
        for field in ('licenseConcluded', 'licenseDeclared'):
            if field in p and licence_trouble(p[field], refs):
                return p['name'] + ': ' + licence_trouble(p[field], refs)
    for r in document['relationships']:
        if r['spdxElementId'] not in ids or r['relatedSpdxElement'] not in ids:
            return 'a relationship of an element that is not there'
    if not any(r['relationshipType'] == 'DESCRIBES' and r['spdxElementId'] == document['SPDXID'] for r in document['relationships']):
        return 'it describes nothing'
    return None


def change(document, path, value):
    at = document
    for step in path[:-1]:
        at = at[step]
    if value is None:
        del at[path[-1]]
    else:
        at[path[-1]] = value


FAULTS = [
    (['spdxVersion'], 'SPDX-2.2'), (['SPDXID'], 'SPDXRef-bprobe'), (['documentNamespace'], 'https://spdx.org/a#b'), (['creationInfo', 'created'], '2026-11-28'),
    (['creationInfo', 'creators'], ['spdx.sh']), (['packages', 1, 'downloadLocation'], None), (['packages', 1, 'SPDXID'], 'SPDXRef-lib_z'),
    (['packages', 2, 'SPDXID'], 'SPDXRef-bprobe'), (['packages', 1, 'licenseDeclared'], 'GPLv2'), (['packages', 1, 'licenseDeclared'], 'LicenseRef-none'),
    (['packages', 1, 'licenseDeclared'], 'GPL-3.0-or-later WITH nothing'), (['packages', 1, 'filesAnalyzed'], None), (['packages', 1, 'version'], '1'),
    (['packages', 1, 'externalRefs', 0, 'referenceLocator'], 'pkg:deb/debian/libz@1:2'), (['relationships', 1, 'relationshipType'], 'LINKED'),
    (['relationships', 1, 'relatedSpdxElement'], 'SPDXRef-none'), (['relationships', 0, 'spdxElementId'], 'SPDXRef-bprobe'),
]


def main():
    with open(sys.argv[1]) as f:
        document = json.load(f)
    found = trouble(document)
    print('%s 1 - an SPDX document of %d packages' % ('not ok' if found else 'ok', len(document['packages'])))
    if found:
        print('# ' + found)
    # Without dpkg there are no package URLs.
    faults = [f for f in FAULTS if 'externalRefs' not in f[0] or 'externalRefs' in document['packages'][1]]
    missed = []
    for path, value in faults:
        wrong = copy.deepcopy(document)
        change(wrong, path, value)
        if not trouble(wrong):
            missed.append('%s = %s' % ('.'.join(map(str, path)), value))
    print('%s 2 - %d documents with a mistake are told' % ('not ok' if missed else 'ok', len(faults)))
    for text in missed:
        print('# ' + text)
    print('1..2')


main()
