#!/usr/bin/python3
"""The check of the layers finds what it should, and nothing else."""

import pathlib
import tempfile
import unittest

from include_layers import clock_objection, objection, violations


class IncludeLayers(unittest.TestCase):
    def allowed(self, file, include):
        self.assertIsNone(objection(file, include[0], include[1:-1]))

    def refused(self, file, include):
        self.assertIsNotNone(objection(file, include[0], include[1:-1]))

    def test_a_public_header_includes_std_and_public_headers_only(self):
        self.allowed("include/holdfast/client.h", "<vector>")
        self.allowed("include/holdfast/spi/queue_backend.h", '"holdfast/clock.h"')
        self.refused("include/holdfast/client.h", "<fmt/format.h>")
        self.refused("include/holdfast/client.h", "<sys/types.h>")
        self.refused("include/holdfast/client.h", '"lock/name.h"')

    def test_the_lock_knows_no_backend(self):
        self.allowed("src/lock/core.cc", '"base/log.h"')
        self.refused("src/lock/core.cc", '"backend/memory/backend.h"')
        self.refused("src/lock/core.cc", "<zookeeper/zookeeper.h>")

    def test_a_backend_knows_its_own_client_and_no_other_backend(self):
        self.allowed("src/backend/redis/backend.cc", '"redis/client.h"')
        self.refused("src/backend/memory/backend.cc", '"redis/client.h"')
        self.refused("src/backend/redis/backend.cc", "<hiredis/hiredis.h>")
        self.refused("src/zk/client.cc", "<zookeeper/zookeeper.h>")
        self.refused("src/zk/client.cc", '"backend/memory/backend.h"')
        self.refused("src/zk/client.cc", '"lock/core.h"')

    def test_sockets_are_in_net_and_the_protocol_is_data(self):
        self.allowed("src/zk/client.cc", '"net/reactor.h"')
        self.refused("src/wire/records.cc", '"net/frame_socket.h"')
        self.refused("src/net/frame_socket.cc", '"zk/client.h"')
        self.refused("src/lock/core.cc", '"net/frame_socket.h"')

    def test_the_command_uses_the_public_face(self):
        self.allowed("src/cli/main.cc", "<CLI/CLI.hpp>")
        self.refused("src/cli/main.cc", '"lock/core.h"')

    def test_the_engine_has_no_network(self):
        self.refused("src/engine/tree.cc", "<asio.hpp>")
        self.refused("src/engine/tree.cc", '"server/connection.h"')

    def test_no_clock_is_asked_where_time_is_an_input(self):
        self.assertIsNotNone(clock_objection("src/lock/hold.h", "return Clock::now() < until;"))
        self.assertIsNotNone(clock_objection("src/engine/tree.cc", "std::chrono::steady_clock::now()"))
        self.assertIsNone(clock_objection("src/lock/loop.h", "return Clock::now();"))
        self.assertIsNone(clock_objection("src/lock/core.cc", "card.since = std::chrono::system_clock::now();"))
        self.assertIsNotNone(clock_objection("src/server/service.cc", "steady_clock::now()"))
        self.assertIsNone(clock_objection("src/server/threaded_loop.cc", "steady_clock::now()"))

    def test_a_unit_test_may_use_the_test_library_and_the_code_beside_it_may_not(self):
        self.allowed("src/lock/name_test.cc", "<gtest/gtest.h>")
        self.refused("src/lock/name.cc", "<gtest/gtest.h>")

    def test_paths_start_at_the_root(self):
        self.refused("src/lock/name.cc", '"name.h"')

    def test_a_directory_outside_the_table_is_refused(self):
        self.refused("src/helpers/string.h", "<string>")

    def test_a_violation_is_reported_with_file_and_line(self):
        with tempfile.TemporaryDirectory() as root:
            header = pathlib.Path(root, "include/holdfast/bad.h")
            header.parent.mkdir(parents=True)
            header.write_text("#pragma once\n\n#include <fmt/core.h>\n", encoding="utf-8")
            found = list(violations(root))
        self.assertEqual(len(found), 1)
        self.assertTrue(found[0].startswith("include/holdfast/bad.h:3: "), found[0])


if __name__ == "__main__":
    unittest.main()
