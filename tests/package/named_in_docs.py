#!/usr/bin/python3
"""Looks up every file, type and function that a page names; prints each that does not exist, and each section that is too long.

    named_in_docs.py <root of the source tree> <page>...

What is named stands in backticks:

    `src/lock/turn.cc`    a file
    `Turn::listen`        a member, of a type that some header or source has; if a file was named before it in the same step and the
                          type is that file's, the member has to be in that file or in its header
    `Turn`                a type
    `admit()`             a function that stands alone, in the file that was named last

A step is an item of a list or a paragraph. A section has to fit on a screen.
"""

import pathlib
import re
import sys

SCREEN = 24

NAME = re.compile(r"`([^`\n]+)`")
FILE = re.compile(r"^[\w.-]+(?:/[\w.-]+)+\.(?:h|cc|md|py)$")
MEMBER = re.compile(r"^([A-Z]\w*)::(\w+)$")
TYPE = re.compile(r"^[A-Z][a-z]\w*$")
FUNCTION = re.compile(r"^(\w+)\(\)$")


def twins(path):
    """The file, and the header or source of the same name."""
    stem = path.with_suffix("")
    return [each for each in (stem.with_suffix(".h"), stem.with_suffix(".cc")) if each.is_file()] or [path]


def defines(text, name):
    return re.search(rf"\b(?:class|struct|enum|enum class|using) {name}\b(?!;)", text) is not None


def has_member(text, of, member):
    """Defined outside of its class, or in a file that has the class."""
    if re.search(rf"\b{of}::{member}\b", text):
        return True
    return defines(text, of) and re.search(rf"\b{member}\b", text) is not None


class Tree:
    def __init__(self, root):
        self.root = root
        files = [*root.glob("include/**/*.h"), *root.glob("src/**/*.h"), *root.glob("src/**/*.cc")]
        self.texts = {file: file.read_text(encoding="utf-8") for file in files if not file.name.endswith("_test.cc")}

    def text_of(self, path):
        return "\n".join(self.texts.get(each) or each.read_text(encoding="utf-8") for each in twins(path))

    def has_type(self, name):
        return any(defines(text, name) for text in self.texts.values())

    def has_member(self, of, member):
        return any(has_member(text, of, member) for text in self.texts.values())


def steps(page):
    """The number of the first line and the text of each."""
    start, lines = 1, []
    for number, line in enumerate(page.splitlines(), start=1):
        if lines and (not line.strip() or re.match(r"^(?:\d+\.|\*|#)", line)):
            yield start, "\n".join(lines)
            lines = []
        if line.strip():
            if not lines:
                start = number
            lines.append(line)
    if lines:
        yield start, "\n".join(lines)


def lookup(tree, name, file):
    """What is wrong with the name, or None. `file`: named last in this step, or None."""
    if FUNCTION.match(name):
        function = FUNCTION.match(name)[1]
        if file is None:
            return f"{name} is named without its file"
        found = re.search(rf"\b{function}\(", tree.text_of(file))
        return None if found else f"{file.relative_to(tree.root)} has no {name}"
    if MEMBER.match(name):
        of, member = MEMBER.match(name).groups()
        if file is not None and re.search(rf"\b{of}::|\b(?:class|struct) {of}\b[^;]*{{", tree.text_of(file)):
            found = has_member(tree.text_of(file), of, member)
            return None if found else f"{file.relative_to(tree.root)} has no {name}"
        return None if tree.has_member(of, member) else f"there is no {name}"
    if TYPE.match(name) and not tree.has_type(name):
        return f"there is no type {name}"
    return None


def violations(root, page):
    tree = Tree(root)
    text = (root / page).read_text(encoding="utf-8")
    named = 0
    for number, step in steps(text):
        file = None
        for name in NAME.findall(step):
            named += 1
            if FILE.match(name):
                if (root / name).is_file():
                    file = root / name
                else:
                    yield f"{page}:{number}: there is no file {name}"
            elif wrong := lookup(tree, name, file):
                yield f"{page}:{number}: {wrong}"
    for section in re.split(r"^(?=## )", text, flags=re.MULTILINE):
        if (length := len(section.rstrip().splitlines())) > SCREEN:
            yield f"{page}: \"{section.splitlines()[0]}\" has {length} lines; a screen has {SCREEN}"
    if not named:
        yield f"{page}: names nothing: this checks nothing"


def main():
    root = pathlib.Path(sys.argv[1])
    found = [each for page in sys.argv[2:] for each in violations(root, page)]
    print("\n".join(found) if found else "everything that is named exists")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
