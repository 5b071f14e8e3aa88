#!/usr/bin/python3
"""script/tidy finds what it should, and nothing else; and reads again what has changed."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parent / "tidy"
BOTH_SAY_HELPER = "namespace {{ int helper() {{ return {0}; }} }}\nint call_{0}() {{ return helper(); }}\n"
FINDING = '#include "a.h"\nint late(A a) { A b = static_cast<A&&>(a); return b.size(); }\nint* p = 0;\n'


class TidyTest(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.root = pathlib.Path(directory.name).resolve()
        (self.root / "script").mkdir()
        (self.root / "build/clang").mkdir(parents=True)
        (self.root / "script/tidy").write_text(SCRIPT.read_text(encoding="utf-8"), encoding="utf-8")
        checks = "Checks: '-*,clang-diagnostic-*,bugprone-suspicious-include,modernize-use-nullptr'\nWarningsAsErrors: '*'\nHeaderFilterRegex: '/src/'\n"
        (self.root / ".clang-tidy").write_text(checks, encoding="utf-8")
        self.write("a.h", "#pragma once\nstruct A {\n  int size() const { return 0; }\n};\n")
        for number in (1, 2):
            self.write(f"{number}.cc", BOTH_SAY_HELPER.format(number))
        self.write("3.cc", '#include "a.h"\nint three(const A& a) { return a.size(); }\n')

    def write(self, name, text):
        file = self.root / "src" / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
        sources = sorted((self.root / "src").glob("*.cc"))
        entries = [
            {
                "directory": str(self.root / "build/clang"),
                "command": f"ccache clang++ -Wall -Wextra -std=c++20 -o {source.name}.o -c {source}",
                "file": str(source),
            }
            for source in sources
        ]
        (self.root / "build/clang/compile_commands.json").write_text(json.dumps(entries), encoding="utf-8")

    def run_it(self):
        ran = subprocess.run([sys.executable, "-B", self.root / "script/tidy"], capture_output=True, text=True, check=False)
        return ran.returncode, ran.stdout + ran.stderr

    def test_sources_that_call_different_things_by_one_name_are_clean(self):
        code, said = self.run_it()
        self.assertEqual(code, 0, said)
        self.assertIn("3 sources, 3 of them read", said)

    def test_programs_are_clean_although_each_has_a_main(self):
        for number in (4, 5):
            self.write(f"{number}.cc", "int main() { return 0; }\n")
        code, said = self.run_it()
        self.assertEqual(code, 0, said)

    def test_a_finding_is_reported_with_its_place_and_once(self):
        self.write("4.cc", FINDING)
        code, said = self.run_it()
        self.assertEqual(code, 1, said)
        self.assertEqual(said.count("/src/4.cc:3:10: error: use nullptr"), 1, said)
        self.assertNotIn("/src/1.cc", said)

    def test_a_warning_of_the_compiler_is_a_finding(self):
        self.write("4.cc", "int four(int unused) { return 4; }\n")
        code, said = self.run_it()
        self.assertEqual(code, 1, said)
        self.assertIn("clang-diagnostic-unused-parameter", said)

    def test_a_finding_in_a_header_is_reported(self):
        self.write("a.h", "#pragma once\nstruct A {\n  int* next = 0;\n  int size() const { return next != nullptr; }\n};\n")
        code, said = self.run_it()
        self.assertEqual(code, 1, said)
        self.assertIn("/src/a.h:3:15: error: use nullptr", said)

    def test_what_was_clean_is_read_again_only_when_it_has_changed(self):
        self.assertEqual(self.run_it()[0], 0)
        self.assertIn("3 sources, 0 of them read", self.run_it()[1])
        self.write("a.h", "#pragma once\nstruct A {\n  int size() const { return 1; }\n};\n")
        self.assertIn("3 sources, 3 of them read", self.run_it()[1])

    def test_what_was_found_is_found_again(self):
        self.write("4.cc", FINDING)
        self.assertEqual(self.run_it()[0], 1)
        self.assertEqual(self.run_it()[0], 1)

    def test_a_source_that_does_not_compile_is_a_finding(self):
        self.write("4.cc", "int four() { return five(); }\n")
        code, said = self.run_it()
        self.assertEqual(code, 1, said)
        self.assertIn("use of undeclared identifier 'five'", said)


if __name__ == "__main__":
    unittest.main()
