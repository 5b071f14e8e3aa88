#!/usr/bin/python3
"""Looks up the examples of public headers in a program that is compiled and run; prints what is not in there, and which header has none.

    quoted_headers.py <root of the source tree> <file with the examples>

An example is what follows "// Example:" and is indented. Comments of the code may be laid out differently there. A header that defines a
class needs one.
"""

import pathlib
import re
import sys

EXAMPLE = re.compile(r"^// Example\b.*:\n//\n((?:// {3}.*\n|//\n(?=// {3}))+)", re.MULTILINE)
CLASS = re.compile(r"^(?:class|struct) (?:\[\[\w+\]\] )?\w+(?: final)?(?: : [^;{]*)? \{", re.MULTILINE)


def plain(text):
    """Lines without what layout decides: how far they are indented, and how far away a comment is."""
    return "\n".join(" ".join(line.removeprefix("//").split()) for line in text.splitlines()) + "\n"


def violations(root, header, program):
    text = header.read_text(encoding="utf-8")
    found = EXAMPLE.findall(text)
    name = header.relative_to(root)
    if not found and CLASS.search(text):
        yield f"{name}: has a class and no example"
    for example in found:
        if "\n" + plain(example) not in program:
            yield f"{name}: this is not in the program:\n{example}"


def main():
    root = pathlib.Path(sys.argv[1])
    program = plain((root / sys.argv[2]).read_text(encoding="utf-8"))
    headers = sorted((root / "include").rglob("*.h"))
    found = [each for header in headers for each in violations(root, header, program)]
    print("\n".join(found) if found else f"the examples of {len(headers)} headers are in the program")
    return 1 if found or not headers else 0


if __name__ == "__main__":
    sys.exit(main())
