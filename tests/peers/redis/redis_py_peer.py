#!/usr/bin/python3
"""redis_py_peer -- redis-py's own Lock, in a process of its own.

    redis_py_peer.py <host:port> <name> <time to live in ms>

Speaks the line protocol of ../README.md. It has no tokens.
"""

import os
import sys

import redis


def enter(directory, owner):
    """Whether we are alone, as ../README.md says."""
    try:
        with open(os.path.join(directory, "inside"), "x", encoding="utf-8") as inside:
            inside.write(owner)
        return True
    except FileExistsError:
        with open(os.path.join(directory, "overlaps"), "a", encoding="utf-8") as overlaps:
            overlaps.write(f"{owner} found another\n")
        return False


def leave(directory, owner):
    with open(os.path.join(directory, "grants"), "ab", buffering=0) as grants:
        grants.write(f"{owner} -\n".encode())
    os.unlink(os.path.join(directory, "inside"))


class Peer:
    def __init__(self, client, name, time):
        self._lock = client.lock(name, timeout=time, sleep=0.02)

    def reply(self, command):
        word, *args = command.split() or [""]
        try:
            if word == "acquire":
                timeout = int(args[0]) / 1000 if args else None
                return "acquired -" if self._lock.acquire(blocking_timeout=timeout) else "timeout"
            if word == "release":
                self._lock.release()
                return "released"
            if word == "rounds":
                return self._rounds(int(args[0]), args[1], args[2])
            return f"error unknown command {word}"
        except Exception as failure:  # the test wants to read about it, whatever it is
            return "error " + repr(failure).replace("\n", " ")

    def _rounds(self, count, directory, owner):
        for number in range(count):
            self._lock.acquire()
            if not enter(directory, owner):
                return f"overlap in round {number}"
            leave(directory, owner)
            self._lock.release()
        return f"done {count}"


def main():
    host, port = sys.argv[1].split(":")
    client = redis.Redis(host=host, port=int(port))
    client.ping()
    peer = Peer(client, sys.argv[2], int(sys.argv[3]) / 1000)
    print("ready", flush=True)
    for line in sys.stdin:
        if line.strip() == "exit":
            break
        print(peer.reply(line), flush=True)


if __name__ == "__main__":
    main()
