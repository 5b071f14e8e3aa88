#!/usr/bin/python3
"""kazoo_peer -- a rival in the queue from another family: kazoo's Lock, with Curator's node names.

    kazoo_peer.py <host:port[,host:port]> <lock path> <session timeout in ms> [KIND]

KIND is mutex (default), revocable, read, write or semaphore:N. Speaks the line protocol of README.md. Not re-entrant,
because kazoo's Lock is not.
"""

import os
import sys
import time
import uuid

from kazoo.client import KazooClient
from kazoo.exceptions import LockTimeout, NoNodeError
from kazoo.recipe.lock import Lock
from kazoo.retry import ForceRetryError

REVOKE = b"__REVOKE__"


def sequence(node):
    """The digits that the server put behind the name; all have ten, so that they can be compared as they are."""
    return node[-10:]


def say(line):
    """From any thread: one write, so lines do not mix."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


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

    def acquire_within(self, timeout):
        """acquire() with one way to say that the time was up, where kazoo has two."""
        try:
            return self.acquire(timeout=timeout)
        except LockTimeout:
            return False


class CuratorNamedWriteLock(CuratorNamedLock):
    _NODE_NAME = "-__WRIT__"
    _EXCLUDE_NAMES = ["-__WRIT__", "-__READ__"]


class CuratorNamedReadLock(CuratorNamedLock):
    _NODE_NAME = "-__READ__"
    _EXCLUDE_NAMES = ["-__WRIT__"]

    def _get_predecessor(self, node):
        """The first writer before us. kazoo 2.8 takes the last of all writers, so that a reader and a writer behind it
        may wait for each other."""
        children = self.client.get_children(self.path)
        if node not in children:
            raise ForceRetryError()  # as kazoo does
        before = [child for child in children if self._contenders_re.search(child) and sequence(child) < sequence(node)]
        return min(before, key=sequence, default=None)


class EphemeralNode:
    """What is held by a node that is there, without a queue: a permit, or a read lock beside a write lock."""

    def __init__(self, client, path, name, numbered):
        self.client = client
        self.path = path
        made = client.create(f"{path}/_c_{uuid.uuid4()}-{name}", ephemeral=True, sequence=numbered)
        self.node = made.rpartition("/")[2]

    def release(self):
        self.client.retry(self.client.delete, f"{self.path}/{self.node}")


class CuratorNamedSemaphore:
    """In the layout of Curator's InterProcessSemaphoreV2, which no recipe of kazoo's has: who acquires holds a mutex
    (locks/) until there are no more nodes in leases/ than permits, its own included."""

    def __init__(self, client, path, permits):
        self._client = client
        self._locks = f"{path}/locks"
        self._leases = f"{path}/leases"
        self._permits = permits

    def acquire_within(self, timeout):
        """The node of the permit; none if the time was up."""
        deadline = None if timeout is None else time.monotonic() + timeout
        lock = CuratorNamedLock(self._client, self._locks)
        if not lock.acquire_within(timeout):
            return None
        try:
            self._client.ensure_path(self._leases)
            lease = EphemeralNode(self._client, self._leases, "lease-", numbered=True)
            if self._wait_for(lease, deadline):
                return lease
            lease.release()
            return None
        finally:
            lock.release()

    def _wait_for(self, lease, deadline):
        while True:
            changed = self._client.handler.event_object()
            leases = self._client.retry(self._client.get_children, self._leases, lambda _, event=changed: event.set())
            if lease.node not in leases:
                raise RuntimeError("the lease is gone")
            if len(leases) <= self._permits:
                return True
            left = None if deadline is None else deadline - time.monotonic()
            if left is not None and left <= 0:
                return False
            changed.wait(left)


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
    LOCKS = {
        "mutex": CuratorNamedLock,
        "revocable": CuratorNamedLock,
        "read": CuratorNamedReadLock,
        "write": CuratorNamedWriteLock,
    }

    def __init__(self, client, path, kind):
        self._client = client
        self._path = path
        self._kind, _, permits = kind.partition(":")
        self._semaphore = CuratorNamedSemaphore(client, path, int(permits)) if self._kind == "semaphore" else None
        if not self._semaphore and kind not in self.LOCKS:
            raise ValueError(f"unknown kind {kind}")
        self._held = []  # each has a path and a node, and can be released

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
            if word == "share":
                self._share()
                return f"acquired {self._token()}"
            if word == "downgrade":
                self._downgrade()
                return f"downgraded {self._token()}"
            if word == "revoke":
                self._revoke()
                return "asked"
            if word == "rounds":
                return self._rounds(int(args[0]), Oracle(args[1], args[2]))
            return f"error unknown command {word}"
        except Exception as failure:  # the test wants to read about it, whatever it is
            return "error " + repr(failure).replace("\n", " ")

    def _acquire(self, timeout):
        while True:
            try:
                hold = self._semaphore.acquire_within(timeout) if self._semaphore else self._take_lock(timeout)
            except NoNodeError:
                continue  # the parent is a container of Curator's and was reaped before our create
            if hold:
                self._held.append(hold)
                if self._kind == "revocable":
                    self._client.DataWatch(f"{hold.path}/{hold.node}", self._look_for_revocation)
            return hold is not None

    def _take_lock(self, timeout):
        if self._held:
            raise RuntimeError("held already")
        # A new object each time: a new uuid, as Curator has, and no belief that the parent still exists.
        lock = self.LOCKS[self._kind](self._client, self._path)
        return lock if lock.acquire_within(timeout) else None

    def _release(self):
        if not self._held:
            raise RuntimeError("not held")
        self._held[-1].release()
        self._held.pop()

    def _share(self):
        """The read lock beside the write lock, as Curator takes it since 5.5: a node with the write lock's own number,
        so that it stands before all who wait."""
        if self._kind != "write" or len(self._held) != 1:
            raise RuntimeError("the write lock is not held")
        name = f"__READ__{sequence(self._held[0].node)}"
        self._held.append(EphemeralNode(self._client, self._path, name, numbered=False))

    def _downgrade(self):
        if len(self._held) == 1:
            self._share()
        self._held[0].release()
        del self._held[0]

    def _revoke(self):
        """As Curator's Revoker: asks the first in the queue."""
        first = min(self._client.get_children(self._path), key=sequence)
        self._client.set(f"{self._path}/{first}", REVOKE)

    @staticmethod
    def _look_for_revocation(data, stat):
        if data == REVOKE:
            say("revoked")
        return stat is not None  # the watch ends with the node

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
        stat = self._client.retry(self._client.exists, f"{self._held[-1].path}/{self._held[-1].node}")
        return stat.czxid if stat else "-"


def main():
    hosts, path, session_timeout, *kind = sys.argv[1:]
    # As patient as the Curator peer: ten tries from 100 ms on.
    retry = {"max_tries": 10, "delay": 0.1}
    client = KazooClient(hosts, timeout=int(session_timeout) / 1000, command_retry=retry)
    client.start()
    peer = Peer(client, path, *kind or ["mutex"])
    say("ready")
    for line in sys.stdin:
        if line.strip() == "exit":
            break
        say(peer.reply(line))
    client.stop()
    client.close()


if __name__ == "__main__":
    main()
