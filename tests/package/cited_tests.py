#!/usr/bin/python3
"""Looks up every test that the docs cite; prints each citation that no test answers to.

    cited_tests.py <root of the source tree>

A citation stands in backticks and is the CTest name of a test, or the beginning of some:

    `Cost.watches_do_not_pile_up`    `Cost.watches_do_not_…`    `Cost.*`    `interop.*`    `interop.Kill.*`

Cases of the conformance suite are cited without the name of a backend, or with it; those that run with several parameters,
without them.
"""

import pathlib
import re
import sys

# As in tests/*/CMakeLists.txt: what CTest puts before the names of a directory's tests. "" if they may go without.
PREFIXES = {
    "tests/conformance": ("", "memory.", "zookeeper."),
    "tests/interop": ("interop.",),
}

TEST = re.compile(r"^TEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\s*\)", re.MULTILINE)
# Test names are sentences, so they have an underscore; CMakeLists.txt has none.
CITATION = re.compile(r"`((?:[a-z]+\.)?[A-Z]\w*\.(?:\w*_\w*|\w*(?=[*…]))|[a-z]+\.(?:[A-Z]\w*)?(?=\*))([*…]?)`")


def tests(root):
    """The names of all gtest cases, as CTest has them."""
    names = set()
    for file in [*root.glob("src/**/*_test.cc"), *root.glob("tests/**/*.cc")]:
        directory = file.parent.relative_to(root).as_posix()
        for suite, name in TEST.findall(file.read_text(encoding="utf-8")):
            names |= {f"{prefix}{suite}.{name}" for prefix in PREFIXES.get(directory, ("",))}
    return names


def is_answered(cited, open_end, names):
    return any(name.startswith(cited) for name in names) if open_end else cited in names


def violations(root):
    root = pathlib.Path(root)
    names = tests(root)
    cited = 0
    for path in sorted(root.glob("docs/**/*.md")):
        file = path.relative_to(root).as_posix()
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            for start, end in CITATION.findall(line):
                cited += 1
                if not is_answered(start, end, names):
                    yield f"{file}:{number}: there is no test {start}{end}"
    if not names or not cited:
        yield f"found {len(names)} tests and {cited} citations: this checks nothing"


def main():
    found = list(violations(sys.argv[1]))
    print("\n".join(found) if found else "every test that is cited exists")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
