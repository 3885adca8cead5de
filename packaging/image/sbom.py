#!/usr/bin/env python3
"""Lists what the image is made of, in SPDX 2.3 (JSON), from dpkg's records of the machine that made it.

    sbom.py VERSION BINARY --runtime PACKAGE… --compiled-in PACKAGE…

`--runtime` packages have files in the image, `--compiled-in` ones left code of their headers in the binary.
Licences are not guessed: each package's notices are in the image, and NOASSERTION says that they were not read by
a program. The same input gives the same text: the time is $SOURCE_DATE_EPOCH, the document's name space a hash.
"""
import argparse
import datetime
import hashlib
import json
import os
import pathlib
import re
import subprocess

NAME = "dra-controller-manager"
BINARY = f"SPDXRef-{NAME}"


def record(package):
    """dpkg's record of an installed package."""
    form = "\t".join(f"${{{field}}}" for field in (
        "Version", "Architecture", "source:Package", "source:Version", "Maintainer", "Homepage"))
    fields = subprocess.run(["dpkg-query", "-W", "-f", form + "\n", package], check=True, text=True,
                            capture_output=True).stdout.splitlines()[0].split("\t")
    return dict(zip(("version", "architecture", "source", "source_version", "maintainer", "homepage"), fields))


def reference(package):
    return "SPDXRef-Package-" + re.sub(r"[^A-Za-z0-9.-]", "-", package)


def locator(package, found):
    """The package URL. A plus sign has a meaning of its own in it."""
    def quoted(text):
        return text.replace("+", "%2B").replace(":", "%3A")
    return (f"pkg:deb/debian/{quoted(package)}@{quoted(found['version'])}"
            f"?arch={found['architecture']}&distro=debian-12")


def described(package):
    found = record(package)
    return {
        "SPDXID": reference(package), "name": package, "versionInfo": found["version"],
        "supplier": "Organization: Debian", "originator": f"Person: {found['maintainer']}",
        "homepage": found["homepage"] or "NOASSERTION", "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
        "sourceInfo": f"built from {found['source']} {found['source_version']}",
        "licenseConcluded": "NOASSERTION", "licenseDeclared": "NOASSERTION", "copyrightText": "NOASSERTION",
        "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                          "referenceLocator": locator(package, found)}]}


def ours(version, binary):
    return {
        "SPDXID": BINARY, "name": NAME, "versionInfo": version, "supplier": "NOASSERTION",
        "downloadLocation": "NOASSERTION", "filesAnalyzed": False, "primaryPackagePurpose": "APPLICATION",
        "licenseConcluded": "NOASSERTION", "licenseDeclared": "Apache-2.0", "copyrightText": "NOASSERTION",
        "checksums": [{"algorithm": "SHA256",
                       "checksumValue": hashlib.sha256(binary.read_bytes()).hexdigest()}]}


def relation(one, kind, other):
    return {"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other}


def document(version, binary, runtime, compiled_in):
    packages = [ours(version, binary), *[described(name) for name in sorted({*runtime, *compiled_in})]]
    relations = [relation("SPDXRef-DOCUMENT", "DESCRIBES", BINARY)]
    relations += [relation(BINARY, "DEPENDS_ON", reference(name)) for name in sorted(runtime)]
    relations += [relation(BINARY, "STATIC_LINK", reference(name)) for name in sorted(compiled_in)]
    digest = hashlib.sha256(json.dumps([packages, relations]).encode()).hexdigest()
    time = datetime.datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", 0)), datetime.timezone.utc)
    return {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"{NAME}-{version}",
        "documentNamespace": f"urn:sha256:{digest}",
        "creationInfo": {"created": time.strftime("%Y-%m-%dT%H:%M:%SZ"), "creators": ["Tool: packaging-image-sbom"]},
        "packages": packages, "relationships": relations}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("version")
    parser.add_argument("binary", type=pathlib.Path)
    parser.add_argument("--runtime", nargs="+", required=True)
    parser.add_argument("--compiled-in", nargs="+", required=True)
    given = parser.parse_args()
    print(json.dumps(document(given.version, given.binary, given.runtime, given.compiled_in), indent=1))


if __name__ == "__main__":
    main()
