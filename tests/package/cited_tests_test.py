#!/usr/bin/python3
"""The check of the cited tests finds what it should, and nothing else."""

import pathlib
import tempfile
import unittest

from cited_tests import violations

SOURCES = {
    "src/lock/claim_test.cc": "TEST(Claim, leaves_no_ghost) {\n",
    "tests/conformance/waiting_cases.cc": "TEST_F(Waiting, ends_at_its_deadline) {\n",
    "tests/interop/kill_test.cc": "TEST_F(Kill,\n       of_a_holder_passes_the_lock_on) {\n",
}


class CitedTests(unittest.TestCase):
    def found(self, text, sources=None):
        with tempfile.TemporaryDirectory() as root:
            for name, content in {**(SOURCES if sources is None else sources), "docs/adr/1.md": text}.items():
                file = pathlib.Path(root, name)
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(content, encoding="utf-8")
            return list(violations(root))

    def test_a_test_that_exists_may_be_cited_whole_or_by_its_beginning(self):
        self.assertEqual(self.found("`Claim.leaves_no_ghost`, `Claim.leaves_…`, `Claim.*` and `Claim.leaves_*`"), [])

    def test_a_test_that_does_not_exist_is_found_with_file_and_line(self):
        self.assertEqual(
            self.found("`Claim.*`\n`Claim.leaves_a_ghost`"), ["docs/adr/1.md:2: there is no test Claim.leaves_a_ghost"]
        )
        self.assertEqual(len(self.found("`Claim.leaves_two_…`, `Chaim.*`, `Claims.*`")), 3)

    def test_half_a_name_without_an_ellipsis_is_none(self):
        self.assertEqual(len(self.found("`Claim.leaves_no`")), 1)

    def test_a_conformance_case_may_be_cited_with_a_backend_and_without(self):
        self.assertEqual(self.found("`Waiting.*`, `memory.Waiting.ends_…`, `zookeeper.Waiting.*`, `memory.*`"), [])
        self.assertEqual(len(self.found("`redis.Waiting.*`, `redis.*`")), 2)

    def test_an_interop_test_is_cited_by_its_prefix(self):
        self.assertEqual(self.found("`interop.*` and `interop.Kill.of_a_holder_passes_the_lock_on`"), [])
        self.assertEqual(len(self.found("`Kill.of_a_holder_passes_the_lock_on`")), 1)

    def test_what_is_no_citation_is_let_be(self):
        self.assertEqual(self.found("`Claim.*`, `HandOver::count`, `CMakeLists.txt`, `lost()`, Claim.leaves_a_ghost"), [])

    def test_a_tree_without_tests_or_citations_is_found(self):
        self.assertEqual(len(self.found("no citation")), 1)
        self.assertEqual(len(self.found("no citation", sources={})), 1)


if __name__ == "__main__":
    unittest.main()
