#!/usr/bin/python3
"""Looks up every snippet that a page quotes; prints each that is not in the file it names.

    quoted_snippets.py <root of the source tree> <page>...

A quotation is a code block whose first line names a file: ```cpp examples/toy_store/toy_store.h
Or a cell of a table's last column, whose head is a link to a file; there, layout does not count.
"""

import pathlib
import re
import sys

QUOTATION = re.compile(r"^```\w+ (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TABLE = re.compile(r"^\|.*\| \[[^]]*\]\((\S+)\) \|\n\|[ -|]*\n((?:\|.*\n)+)", re.MULTILINE)
CODE = re.compile(r"`([^`]+)`")


def quotations(root, page):
    """(file, snippet, is it in that file)"""
    text = (root / page).read_text(encoding="utf-8")
    for file, snippet in QUOTATION.findall(text):
        path = root / file
        yield file, snippet, path.is_file() and snippet in path.read_text(encoding="utf-8")
    for link, rows in TABLE.findall(text):
        path = (root / page).parent / link
        source = "".join(path.read_text(encoding="utf-8").split()) if path.is_file() else ""
        for row in rows.splitlines():
            for snippet in CODE.findall(row.split(" | ")[-1]):
                yield link, snippet + "\n", "".join(snippet.split()) in source


def violations(root, page):
    found = list(quotations(root, page))
    if not found:
        yield f"{page}: quotes nothing: this checks nothing"
    for file, snippet, is_there in found:
        if not is_there:
            yield f"{page}: this is not in {file}:\n{snippet}"


def main():
    root = pathlib.Path(sys.argv[1])
    found = [each for page in sys.argv[2:] for each in violations(root, page)]
    print("\n".join(found) if found else "every snippet is in the file that it names")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
