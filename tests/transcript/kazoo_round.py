#!/usr/bin/python3
"""kazoo_round -- what kazoo sees of a server, told line by line.

    kazoo_round.py <host:port>

Nodes of every kind, watches, ACLs, transactions. An event is told when it is waited for, so that the order of the lines
does not depend on threads.
"""

import queue
import sys
import time

from kazoo.client import KazooClient
from kazoo.exceptions import KazooException
from kazoo.security import ACL, CREATOR_ALL_ACL, Id, OPEN_ACL_UNSAFE, READ_ACL_UNSAFE

# Long enough for a starved machine.
TIMEOUT = 30
# A node made in this round is not older than that.
LATELY = 600


def describe(stat):
    """As normalise.h reads it."""
    now = time.time() * 1000
    times = "now" if now - LATELY * 1000 < stat.ctime <= stat.mtime < now + LATELY * 1000 else "odd"
    return (
        f"czxid={stat.czxid:x} mzxid={stat.mzxid:x} pzxid={stat.pzxid:x} version={stat.version} "
        f"cversion={stat.cversion} aversion={stat.aversion} ephemeralOwner = {stat.ephemeralOwner % 2**64:x} "
        f"dataLength={stat.dataLength} numChildren={stat.numChildren} times={times}"
    )


def show(result):
    """One line, whatever kazoo returned."""
    if hasattr(result, "czxid"):
        return describe(result)
    if isinstance(result, ACL):
        return f"{result.perms}:{result.id.scheme}:{result.id.id}"
    if isinstance(result, tuple):
        return "(" + ", ".join(show(part) for part in result) + ")"
    if isinstance(result, list):
        return "[" + ", ".join(show(part) for part in result) + "]"
    if isinstance(result, Exception):
        return type(result).__name__
    return repr(result)


def step(what, call):
    """Says what was done, and what came of it."""
    try:
        result = call()
    except KazooException as error:
        result = error
    print(f"{what}: {show(result)}", flush=True)
    return result


def commit(client, *operations):
    transaction = client.transaction()
    for name, *arguments in operations:
        getattr(transaction, name)(*arguments)
    return transaction.commit()


class Events:
    def __init__(self):
        self.queue = queue.Queue()

    def __call__(self, event):
        self.queue.put(f"event {event.type} {event.state} {event.path}")

    def tell(self):
        print(self.queue.get(timeout=TIMEOUT), flush=True)


def nodes(client):
    step("create /k", lambda: client.create("/k", b"top"))
    step("create /k again", lambda: client.create("/k", b"top"))
    step("create under nothing", lambda: client.create("/missing/child", b""))
    step("create -s -e", lambda: client.create("/k/seq-", b"one", ephemeral=True, sequence=True))
    step("create -s -e", lambda: client.create("/k/seq-", b"two", ephemeral=True, sequence=True))
    step("create -s with its stat", lambda: client.create("/k/plain-", b"three", sequence=True, include_data=True))
    step("create under an ephemeral", lambda: client.create("/k/seq-0000000000/child", b""))
    step("makepath", lambda: client.create("/k/deep/down/here", b"", makepath=True))
    step("ls", lambda: sorted(client.get_children("/k")))
    step("ls -s", lambda: client.get_children("/k", include_data=True)[1])
    step("get", lambda: client.get("/k/seq-0000000001"))
    step("stat", lambda: client.exists("/k/plain-0000000002"))
    step("stat of nothing", lambda: client.exists("/k/none"))
    step("get of nothing", lambda: client.get("/k/none"))
    step("set", lambda: client.set("/k", b"changed"))
    step("set -v 7", lambda: client.set("/k", b"changed", version=7))
    step("get", lambda: client.get("/k"))


def watches(client, events):
    step("get -w", lambda: client.get("/k", watch=events)[0])
    step("set", lambda: client.set("/k", b"watched").version)
    events.tell()
    step("set, unwatched", lambda: client.set("/k", b"not watched").version)
    step("stat -w of nothing", lambda: client.exists("/k/later", watch=events))
    step("create", lambda: client.create("/k/later", b""))
    events.tell()
    step("ls -w", lambda: sorted(client.get_children("/k", watch=events)))
    step("stat -w", lambda: client.exists("/k/later", watch=events))
    step("delete -v 3", lambda: client.delete("/k/later", version=3))
    step("delete", lambda: client.delete("/k/later"))
    events.tell()
    events.tell()
    step("delete again", lambda: client.delete("/k/later"))
    step("delete of a parent", lambda: client.delete("/k"))


def acls(client, address):
    step("getAcl", lambda: client.get_acls("/k"))
    step("auth without an identity", lambda: client.create("/k/hers", b"", acl=CREATOR_ALL_ACL))
    step("addauth", lambda: client.add_auth("digest", "ann:secret"))
    step("create for oneself", lambda: client.create("/k/hers", b"mine", acl=CREATOR_ALL_ACL))
    step("getAcl", lambda: client.get_acls("/k/hers"))
    step("get", lambda: client.get("/k/hers"))
    stranger = KazooClient(address)
    stranger.start(TIMEOUT)
    step("get by a stranger", lambda: stranger.get("/k/hers"))
    step("stat by a stranger", lambda: stranger.exists("/k/hers"))
    step("getAcl by a stranger", lambda: stranger.get_acls("/k/hers"))
    step("setAcl by a stranger", lambda: stranger.set_acls("/k/hers", OPEN_ACL_UNSAFE))
    step("setAcl", lambda: client.set_acls("/k/hers", [*CREATOR_ALL_ACL, *READ_ACL_UNSAFE]))
    step("setAcl -v 7", lambda: client.set_acls("/k/hers", OPEN_ACL_UNSAFE, version=7))
    step("getAcl", lambda: client.get_acls("/k/hers"))
    step("get by a stranger", lambda: stranger.get("/k/hers"))
    step("set by a stranger", lambda: stranger.set("/k/hers", b"stolen"))
    step("no ACL", lambda: client.create("/k/none", b"", acl=[ACL(31, Id("nonsense", "x"))]))
    step("multi by a stranger", lambda: commit(stranger, ("create", "/k/a"), ("set_data", "/k/hers", b"stolen")))
    stranger.stop()
    stranger.close()


def multis(client):
    step(
        "multi",
        lambda: commit(
            client,
            ("check", "/k", 3),
            ("create", "/k/a", b"a"),
            ("create", "/k/a/seq-", b"", None, True, True),
            ("set_data", "/k", b"by multi"),
            ("create", "/k/b", b"b"),
            ("delete", "/k/b"),
        ),
    )
    step("get", lambda: client.get("/k"))
    step("ls -s", lambda: client.get_children("/k/a", include_data=True))
    step("multi with a wrong version", lambda: commit(client, ("create", "/k/c"), ("check", "/k", 99), ("delete", "/k/a")))
    step("multi with a missing node", lambda: commit(client, ("delete", "/k/none"), ("create", "/k/c")))
    step("nothing came of either", lambda: client.exists("/k/c"))
    step("multi of nothing", lambda: commit(client))
    step("sync", lambda: client.sync("/k"))
    step("delete all", lambda: client.delete("/k", recursive=True))
    step("ls", lambda: sorted(client.get_children("/")))


def main():
    client = KazooClient(sys.argv[1])
    client.start(TIMEOUT)
    print(f"server version {client.server_version()}", flush=True)
    nodes(client)
    watches(client, Events())
    acls(client, sys.argv[1])
    multis(client)
    client.stop()
    client.close()
    print("done", flush=True)


if __name__ == "__main__":
    main()
