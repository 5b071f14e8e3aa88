#!/usr/bin/python3
"""Looks up every snippet that a page quotes; prints each that is not in the file it names.

    quoted_snippets.py <root of the source tree> <page>...

A quotation is a code block whose first line names a file: ```cpp examples/toy_store/toy_store.h
"""

import pathlib
import re
import sys

QUOTATION = re.compile(r"^```\w+ (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def violations(root, page):
    found = QUOTATION.findall((root / page).read_text(encoding="utf-8"))
    if not found:
        yield f"{page}: quotes nothing: this checks nothing"
    for file, snippet in found:
        if not (root / file).is_file():
            yield f"{page}: there is no {file}"
        elif snippet not in (root / file).read_text(encoding="utf-8"):
            yield f"{page}: this is not in {file}:\n{snippet}"


def main():
    root = pathlib.Path(sys.argv[1])
    found = [each for page in sys.argv[2:] for each in violations(root, page)]
    print("\n".join(found) if found else "every snippet is in the file that it names")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
