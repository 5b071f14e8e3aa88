#!/usr/bin/python3
"""kazoo_peer -- a rival in the queue from another family: kazoo's Lock, with Curator's node names.

    kazoo_peer.py <host:port[,host:port]> <lock path> <session timeout in ms>

Speaks the line protocol of README.md. Not re-entrant, because kazoo's Lock is not.
"""

import os
import sys
import uuid

from kazoo.client import KazooClient
from kazoo.exceptions import LockTimeout, NoNodeError
from kazoo.recipe.lock import Lock


class CuratorNamedLock(Lock):
    """Stands in one queue with Curator's mutex: each waits for the other's nodes.

    kazoo by itself writes <32 hex digits>__lock__<number> and looks at nothing else. Two differences to Curator
    remain: the parents are plain persistent nodes, and the node holds no address.
    """

    _NODE_NAME = "-lock-"
    _EXCLUDE_NAMES = ["-lock-"]

    def __init__(self, client, path):
        super().__init__(client, path)
        # kazoo writes the uuid without dashes and without the mark by which Curator knows a protected node.
        self.prefix = f"_c_{uuid.uuid4()}{self._NODE_NAME}"
        self.create_path = f"{self.path}/{self.prefix}"


class Oracle:
    """Says whether two are inside at once, in whatever language: a file that only one can create."""

    def __init__(self, directory, owner):
        self._directory = directory
        self._owner = owner

    def enter(self):
        """Whether we are alone; if not, who is inside has been written down."""
        try:
            with open(self._file("inside"), "x", encoding="utf-8") as inside:
                inside.write(self._owner)
            return True
        except FileExistsError:
            self._append("overlaps", f"{self._owner} found {self._who_is_inside()}\n")
            return False

    def leave(self, token):
        self._append("grants", f"{self._owner} {token}\n")
        os.unlink(self._file("inside"))

    def _who_is_inside(self):
        try:
            with open(self._file("inside"), encoding="utf-8") as inside:
                return inside.read()
        except FileNotFoundError:
            return "another"  # left between our create and this read; an overlap all the same

    def _append(self, name, line):
        # Unbuffered, so that the line is one write.
        with open(self._file(name), "ab", buffering=0) as file:
            file.write(line.encode())

    def _file(self, name):
        return os.path.join(self._directory, name)


class Peer:
    def __init__(self, client, path):
        self._client = client
        self._path = path
        self._held = None

    def reply(self, command):
        word, *args = command.split() or [""]
        try:
            if word == "acquire":
                if not self._acquire(int(args[0]) / 1000 if args else None):
                    return "timeout"
                return f"acquired {self._token()}"
            if word == "release":
                self._release()
                return "released"
            if word == "rounds":
                return self._rounds(int(args[0]), Oracle(args[1], args[2]))
            return f"error unknown command {word}"
        except Exception as failure:  # the test wants to read about it, whatever it is
            return "error " + repr(failure).replace("\n", " ")

    def _acquire(self, timeout):
        if self._held:
            raise RuntimeError("held already")
        while True:
            # A new object each time: a new uuid, as Curator has, and no belief that the parent still exists.
            lock = CuratorNamedLock(self._client, self._path)
            try:
                if not lock.acquire(timeout=timeout):
                    return False
            except LockTimeout:
                return False
            except NoNodeError:
                continue  # the parent is a container of Curator's and was reaped before our create
            self._held = lock
            return True

    def _release(self):
        if not self._held:
            raise RuntimeError("not held")
        self._held.release()
        self._held = None

    def _rounds(self, count, oracle):
        for number in range(count):
            self._acquire(None)
            try:
                if not oracle.enter():
                    return f"overlap in round {number}"
                oracle.leave(self._token())
            finally:
                self._release()
        return f"done {count}"

    def _token(self):
        """The czxid of the node we hold by; "-" if it is gone, which kazoo itself does not notice."""
        stat = self._client.retry(self._client.exists, f"{self._path}/{self._held.node}")
        return stat.czxid if stat else "-"


def main():
    hosts, path, session_timeout = sys.argv[1:4]
    # As patient as the Curator peer: ten tries from 100 ms on.
    retry = {"max_tries": 10, "delay": 0.1}
    client = KazooClient(hosts, timeout=int(session_timeout) / 1000, command_retry=retry)
    client.start()
    peer = Peer(client, path)
    print("ready", flush=True)
    for line in sys.stdin:
        if line.strip() == "exit":
            break
        print(peer.reply(line), flush=True)
    client.stop()
    client.close()


if __name__ == "__main__":
    main()
