#!/usr/bin/python3
"""The check of the names in the docs finds what it should, and nothing else."""

import pathlib
import tempfile
import unittest

from named_in_docs import SCREEN, violations

SOURCES = {
    "src/lock/turn.h": "class Turn {\n  void listen();\n  int ahead() const { return ahead_; }\n};\n",
    "src/lock/turn.cc": '#include "lock/turn.h"\nvoid Turn::listen() {}\nvoid Turn::list() {}\n',
    "src/lock/claim.h": "class Turn;\nclass Claim {\n  void start();\n};\n",
    "src/lock/admission.cc": "bool admit(int queue) { return queue == 0; }\n",
    "src/zk/client.h": "class Client {\n  void answered();\n};\n",
    "src/lock/client.cc": "void Client::mutex() {}\n",
}


class NamedInDocs(unittest.TestCase):
    def found(self, text):
        with tempfile.TemporaryDirectory() as root:
            for name, content in {**SOURCES, "docs/tour.md": text}.items():
                file = pathlib.Path(root, name)
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(content, encoding="utf-8")
            return list(violations(pathlib.Path(root), "docs/tour.md"))

    def test_what_exists_may_be_named(self):
        self.assertEqual(self.found("1. `src/lock/turn.cc`: `Turn::listen`, `Turn::ahead`, `Turn`, then `Claim::start`."), [])
        self.assertEqual(self.found("`src/lock/admission.cc` `admit()`"), [])

    def test_a_file_that_does_not_exist_is_found_with_its_line(self):
        self.assertEqual(self.found("`Turn`\n\n1. `src/lock/gate.cc`"), ["docs/tour.md:3: there is no file src/lock/gate.cc"])

    def test_a_member_or_a_type_that_does_not_exist_is_found(self):
        self.assertEqual(self.found("`src/lock/turn.cc` `Turn::wait`"), ["docs/tour.md:1: src/lock/turn.cc has no Turn::wait"])
        self.assertEqual(self.found("`Claim::wait`"), ["docs/tour.md:1: there is no Claim::wait"])
        self.assertEqual(self.found("`Gate`"), ["docs/tour.md:1: there is no type Gate"])

    def test_of_two_types_with_one_name_the_one_of_the_named_file_counts(self):
        self.assertEqual(self.found("`src/zk/client.h` `Client::answered`"), [])
        self.assertEqual(len(self.found("`src/zk/client.h` `Client::mutex`")), 1)
        self.assertEqual(len(self.found("`src/lock/client.cc` `Client::answered`")), 1)

    def test_a_function_is_looked_for_in_the_file_that_was_named_last_in_its_step(self):
        self.assertEqual(len(self.found("`src/lock/turn.cc` `admit()`")), 1)
        self.assertEqual(self.found("1. `src/lock/admission.cc`\n2. `admit()`"), ["docs/tour.md:2: admit() is named without its file"])

    def test_a_forward_declaration_is_not_a_type(self):
        with tempfile.TemporaryDirectory() as root:
            page = pathlib.Path(root, "docs/tour.md")
            page.parent.mkdir()
            page.write_text("`Turn`", encoding="utf-8")
            header = pathlib.Path(root, "src/claim.h")
            header.parent.mkdir()
            header.write_text("class Turn;\n", encoding="utf-8")
            self.assertEqual(len(list(violations(pathlib.Path(root), "docs/tour.md"))), 1)

    def test_other_words_in_backticks_are_let_be(self):
        self.assertEqual(self.found("`Turn`, `timed_out`, `zk://`, `holdfast run nightly`"), [])

    def test_a_section_that_does_not_fit_on_a_screen_is_found(self):
        self.assertEqual(self.found("## `Turn`\n" + "line\n" * (SCREEN - 1)), [])
        self.assertEqual(len(self.found("## `Turn`\n" + "line\n" * SCREEN)), 1)

    def test_a_page_that_names_nothing_is_found(self):
        self.assertEqual(len(self.found("no names")), 1)


if __name__ == "__main__":
    unittest.main()
