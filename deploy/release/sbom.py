"""sbom.py: the components of a statically linked berth, as SPDX 2.3 JSON on standard output.

Nothing is listed by hand: libraries come from the linker's map, headers from what the compiler read, and both lead to
the Debian packages that they belong to. What was built from a source package (deploy/release/static-libraries) is in
its sources.txt.
"""

import argparse
import hashlib
import json
import os
import pathlib
import re
import subprocess
import time

LICENSE_NAMES = re.compile(r"^License: *(\S.*)$", re.MULTILINE)


def owners(files):
    """Debian packages that own the files: {package: version}."""
    real = sorted({os.path.realpath(file) for file in files} | set(files))
    found = {}
    for start in range(0, len(real), 200):
        done = subprocess.run(["dpkg-query", "-S", *real[start:start + 200]], capture_output=True, text=True,
                              check=False)
        for line in done.stdout.splitlines():
            for package in line.rpartition(": ")[0].split(", "):
                found[package.strip()] = ""
    for package in found:
        done = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", package], capture_output=True, text=True,
                              check=True)
        found[package] = done.stdout
    return found


def libraries(build):
    text = (build / "cmd/berth/berth.map").read_text(errors="replace")
    return sorted(set(re.findall(r"(/[^\s:()]+\.a)\(", text)) | set(re.findall(r"(/[^\s:()]+crt\w*\.o):", text)))


def headers(build):
    done = subprocess.run(["ninja", "-C", str(build), "-t", "deps"], capture_output=True, text=True, check=True)
    return sorted({line.strip() for line in done.stdout.splitlines() if line.startswith("    /usr/include")})


def declared_licenses(package):
    """What the package's copyright file names, for readers; SPDX identifiers are not claimed."""
    path = pathlib.Path("/usr/share/doc") / package.split(":")[0] / "copyright"
    if not path.exists():
        return ""
    names = {name.strip() for name in LICENSE_NAMES.findall(path.read_text(errors="replace"))}
    return ", ".join(sorted(names))


def spdx_id(*words):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", "-".join(words))


def component(name, version, comment, purl_kind):
    entry = {
        "SPDXID": spdx_id("Package", name),
        "name": name,
        "versionInfo": version,
        "supplier": "Organization: Debian",
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": "NOASSERTION",
        "licenseDeclared": "NOASSERTION",
        "copyrightText": "NOASSERTION",
        "externalRefs": [{
            "referenceCategory": "PACKAGE-MANAGER",
            "referenceType": "purl",
            "referenceLocator": f"pkg:deb/debian/{name.split(':')[0]}@{version.replace('+', '%2B')}{purl_kind}",
        }],
    }
    if comment:
        entry["licenseComments"] = f"The package's copyright file names: {comment}"
    return entry


def document(arguments):
    build = pathlib.Path(arguments.build)
    program = pathlib.Path(arguments.program).read_bytes()
    from_source = [line.split() for line in
                   (pathlib.Path(arguments.static_libraries) / "sources.txt").read_text().splitlines()]
    own_library_folder = os.path.realpath(arguments.static_libraries)
    linked = [file for file in libraries(build)
              if not file.startswith(str(build.resolve())) and not file.startswith(own_library_folder)]
    if not linked:
        raise SystemExit("sbom.py: the linker's map names no library")
    main = {
        "SPDXID": "SPDXRef-Package-berth",
        "name": "berth",
        "versionInfo": arguments.version,
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": "Apache-2.0",
        "licenseDeclared": "Apache-2.0",
        "copyrightText": "NOASSERTION",
        "primaryPackagePurpose": "APPLICATION",
        "checksums": [{"algorithm": "SHA256", "checksumValue": hashlib.sha256(program).hexdigest()}],
    }
    packages, relationships = [main], [("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-Package-berth")]
    by_library = owners(linked)
    for name, version in sorted(by_library.items()):
        packages.append(component(name, version, declared_licenses(name), ""))
        relationships.append(("SPDXRef-Package-berth", "STATIC_LINK", packages[-1]["SPDXID"]))
    for name, version in sorted(owners(headers(build)).items()):
        if name in by_library:
            continue
        packages.append(component(name, version, declared_licenses(name), ""))
        relationships.append((packages[-1]["SPDXID"], "BUILD_DEPENDENCY_OF", "SPDXRef-Package-berth"))
    for name, version in from_source:
        packages.append(component(f"{name}-source", version, "", "?arch=source"))
        relationships.append(("SPDXRef-Package-berth", "STATIC_LINK", packages[-1]["SPDXID"]))
    created = time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", "0")))
    return {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"berth-{arguments.version}",
        "documentNamespace": f"urn:berth:spdx:{arguments.version}:{hashlib.sha256(program).hexdigest()[:16]}",
        "creationInfo": {"created": time.strftime("%Y-%m-%dT%H:%M:%SZ", created), "creators": ["Tool: berth-sbom.py"]},
        "packages": packages,
        "relationships": [{"spdxElementId": a, "relationshipType": kind, "relatedSpdxElement": b}
                          for a, kind, b in relationships],
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    for option in ("--build", "--static-libraries", "--version", "--program"):
        parser.add_argument(option, required=True)
    print(json.dumps(document(parser.parse_args()), indent=2))
