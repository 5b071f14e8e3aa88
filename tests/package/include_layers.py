#!/usr/bin/python3
"""Reads every #include of include/ and src/ against the layers below, and who asks a clock; prints what breaks the rules.

    include_layers.py <root of the source tree>

Arrows point down only. A directory that is not in the table has no place in the architecture yet: give it one
here, and in docs/architecture.md.
"""

import pathlib
import re
import sys

# Libraries any implementation may use: text, logging, results as values.
PLAIN = ("fmt", "spdlog", "tl")

# layer: (whose headers it may include, which libraries). Where layers nest, the longest name wins.
LAYERS = {
    "include/holdfast": (("holdfast",), ()),
    "src/base": (("base", "holdfast/clock.h"), PLAIN),
    "src/lock": (("holdfast", "base", "lock", "net/reactor.h"), (*PLAIN, "asio")),
    "src/declare": (("holdfast", "base", "declare", "lock/core.h", "lock/unusable.h"), (*PLAIN, "openssl")),
    "src/local": (("holdfast", "base", "local"), PLAIN),
    "src/backend": (("holdfast", "base", "backend", "local", "lock/session_key.h", "net", "server/engines.h", "zk"), PLAIN),
    "src/backend/memory": (("holdfast", "base", "backend/memory"), PLAIN),
    "src/backend/zookeeper": (("holdfast", "base", "backend/zookeeper", "net", "wire", "zk"), PLAIN),
    "src/backend/local": (("holdfast", "base", "backend/local", "local", "zk"), PLAIN),
    "src/backend/redis": (("holdfast", "base", "backend/redis", "net", "redis", "resp"), PLAIN),
    "src/backend/embedded": (("holdfast", "base", "backend/embedded", "server", "zk"), PLAIN),
    "src/settings": (("holdfast", "backend/redis/address.h", "backend/zookeeper/address.h", "base", "lock/companion.h", "lock/core.h", "settings"), (*PLAIN, "yaml-cpp")),
    "src/testing": (("holdfast", "base", "backend/memory", "testing"), PLAIN),
    "src/wire": (("base", "wire"), PLAIN),
    "src/net": (("holdfast", "base", "wire", "net"), (*PLAIN, "openssl")),
    "src/resp": (("resp",), PLAIN),
    "src/redis": (("holdfast", "base", "net", "resp", "redis"), PLAIN),
    "src/zk": (("holdfast", "base", "wire", "net", "zk"), PLAIN),
    "src/engine": (("base", "wire", "engine"), PLAIN),
    "src/store": (("base", "store"), (*PLAIN, "xxhash.h")),
    "src/server": (("holdfast", "base", "net", "wire", "engine", "store", "server"), (*PLAIN, "asio", "openssl")),
    "src/cli": (("holdfast", "base", "cli", "lock/session_key.h", "backend/redis/address.h", "backend/session_end.h", "backend/zookeeper/address.h", "local/engine_process.h", "net/server_address.h", "settings", "wire/four_letter_words.h"), (*PLAIN, "CLI", "nlohmann")),
    # What speaks ZooKeeper's protocol itself.
    "src/cli/doctor": (("holdfast", "backend/redis/make_backend.h", "base", "cli", "net", "redis", "resp", "settings", "wire", "zk/sasl_steps.h", "zk/trouble.h"), (*PLAIN, "nlohmann")),
    "src/cli/shell": (("holdfast", "cli", "base", "net", "settings", "wire", "zk"), (*PLAIN, "CLI", "histedit.h")),
}

# What a test may include on top of what the code beside it may.
TEST_HEADERS = ("support",)
TEST_LIBRARIES = ("gtest", "gmock")

# Clients of others: for tests and benchmarks only.
FOREIGN = ("hiredis", "zookeeper")

LIBRARIES = {library for _, libraries in LAYERS.values() for library in libraries} | {*TEST_LIBRARIES, *FOREIGN}

# Where no clock is asked: time comes in through a seam (the Executor, an argument), so that a test can own it. Wall-clock time that only
# people read is no decision, and is left alone.
TIMELESS = ("src/lock", "src/engine", "src/store", "src/server")
# The loops, and what looks after sockets or after how often a line is logged: real ones only.
SEAMS = (
    "src/lock/loop.h",
    "src/server/threaded_loop.cc",
    "src/server/acceptor.cc",
    "src/server/timeout_list.cc",
    "src/server/refusals.cc",
)
ASKS_A_CLOCK = re.compile(r"\b(Clock|steady_clock)::now\(")

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
STANDARD = re.compile(r"[a-z_0-9]+")  # <vector>, but neither <unistd.h> nor <sys/types.h>


def under(path, prefixes):
    return any(path == prefix or path.startswith(prefix + "/") for prefix in prefixes)


def layer_of(file):
    return max((layer for layer in LAYERS if file.startswith(layer + "/")), key=len, default=None)


def objection(file, quote, header):
    """Why `file` may not include `header`; None if it may. Paths are relative to the root."""
    layer = layer_of(file)
    if layer is None:
        return "is in no layer; give its directory a place in include_layers.py"
    headers, libraries = LAYERS[layer]
    if file.endswith("_test.cc"):
        headers, libraries = headers + TEST_HEADERS, libraries + TEST_LIBRARIES
    if quote == '"':
        return None if under(header, headers) else f'{layer} may include "" only from {", ".join(headers)}'
    if layer == "include/holdfast":
        return None if STANDARD.fullmatch(header) else "a public header includes the standard library only"
    library = header.split("/")[0].removesuffix(".hpp")
    if library in LIBRARIES and library not in libraries:
        return f"{layer} may use only {', '.join(libraries)}"
    return None


def clock_objection(file, line):
    """Why `line` of `file` may not ask a clock; None if it may."""
    if file in SEAMS or file.endswith("_test.cc") or not under(file, TIMELESS) or not ASKS_A_CLOCK.search(line):
        return None
    return "time comes in through a seam here: ask the Executor, or take it as an argument"


def violations(root):
    root = pathlib.Path(root)
    for path in sorted([*root.glob("include/**/*"), *root.glob("src/**/*")]):
        if path.suffix not in (".h", ".cc"):
            continue
        file = path.relative_to(root).as_posix()
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            match = INCLUDE.match(line)
            why = objection(file, match[1], match[2]) if match else clock_objection(file, line)
            if why:
                yield f"{file}:{number}: {line.strip()}: {why}"


def main():
    found = list(violations(sys.argv[1]))
    print("\n".join(found) if found else "every include points down, and no clock is asked where time is an input")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
