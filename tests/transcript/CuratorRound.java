// CuratorRound -- what Curator, and under it ZooKeeper's Java client, sees of a server, told line by line.
//
//   CuratorRound <host:port>
//
// Nodes of every kind, watches, ACLs, transactions. An event is told when it is waited for, so that the order of the
// lines does not depend on threads.

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.api.CuratorWatcher;
import org.apache.curator.framework.api.transaction.CuratorOp;
import org.apache.curator.framework.api.transaction.CuratorTransactionResult;
import org.apache.curator.framework.api.transaction.TransactionOp;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.AddWatchMode;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.apache.zookeeper.data.Stat;

public final class CuratorRound {
  // Long enough for a starved machine.
  private static final int TIMEOUT_SECONDS = 30;
  private static final int SESSION_MS = 30_000;

  private interface Call {
    Object run() throws Exception;
  }

  private final CuratorFramework client;
  private final CuratorFramework stranger;
  private final BlockingQueue<String> events = new LinkedBlockingQueue<>();
  private final CuratorWatcher watcher =
      event -> events.add("event " + event.getType() + " " + event.getState() + " " + event.getPath());

  private CuratorRound(CuratorFramework client, CuratorFramework stranger) {
    this.client = client;
    this.stranger = stranger;
  }

  // Says what was done, and what came of it.
  private static void step(String what, Call call) throws Exception {
    Object result;
    try {
      result = call.run();
    } catch (KeeperException refused) {
      result = refused.code() + " " + refused.getPath();
    }
    System.out.println(what + ": " + show(result));
  }

  private static String show(Object result) {
    if (result instanceof byte[]) {
      return new String((byte[]) result, StandardCharsets.UTF_8);
    }
    return result instanceof Stat ? describe((Stat) result) : String.valueOf(result);
  }

  // As normalise.h reads it.
  private static String describe(Stat stat) {
    return String.format("czxid=%x mzxid=%x pzxid=%x version=%d cversion=%d aversion=%d ephemeralOwner = %x "
            + "dataLength=%d numChildren=%d", stat.getCzxid(), stat.getMzxid(), stat.getPzxid(), stat.getVersion(),
        stat.getCversion(), stat.getAversion(), stat.getEphemeralOwner(), stat.getDataLength(), stat.getNumChildren());
  }

  private void tellEvent() throws InterruptedException {
    System.out.println(events.poll(TIMEOUT_SECONDS, TimeUnit.SECONDS));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static List<String> sorted(List<String> names) {
    List<String> copy = new ArrayList<>(names);
    Collections.sort(copy);
    return copy;
  }

  private String create(CreateMode mode, String path) throws Exception {
    return client.create().withMode(mode).forPath(path, bytes("new"));
  }

  private Stat stat(String path) throws Exception {
    return client.checkExists().forPath(path);
  }

  private void nodes() throws Exception {
    step("create", () -> create(CreateMode.PERSISTENT, "/u"));
    step("create again", () -> create(CreateMode.PERSISTENT, "/u"));
    step("create under nothing", () -> create(CreateMode.PERSISTENT, "/missing/child"));
    step("create -s -e", () -> create(CreateMode.EPHEMERAL_SEQUENTIAL, "/u/seq-"));
    step("create -s -e", () -> create(CreateMode.EPHEMERAL_SEQUENTIAL, "/u/seq-"));
    step("create -s", () -> create(CreateMode.PERSISTENT_SEQUENTIAL, "/u/plain-"));
    step("create -c", () -> create(CreateMode.CONTAINER, "/u/container"));
    step("create under an ephemeral", () -> create(CreateMode.PERSISTENT, "/u/seq-0000000000/child"));
    step("create -t", () -> client.create().withTtl(100_000).withMode(CreateMode.PERSISTENT_WITH_TTL)
        .forPath("/u/lives", bytes("lasts")));
    Stat created = new Stat();
    step("create with its stat",
        () -> client.create().storingStatIn(created).creatingParentContainersIfNeeded().forPath("/u/deep/down"));
    step("its stat", () -> created);
    step("ls", () -> sorted(client.getChildren().forPath("/u")));
    Stat listed = new Stat();
    step("ls -s", () -> sorted(client.getChildren().storingStatIn(listed).forPath("/u")));
    step("its stat", () -> listed);
    for (String name : List.of("seq-0000000001", "plain-0000000002", "container", "lives", "deep")) {
      step("stat " + name, () -> stat("/u/" + name));
    }
    step("stat of nothing", () -> stat("/u/none"));
    step("get", () -> client.getData().forPath("/u/lives"));
    step("get of nothing", () -> client.getData().forPath("/u/none"));
    step("set", () -> client.setData().forPath("/u", bytes("changed")));
    step("set -v 7", () -> client.setData().withVersion(7).forPath("/u", bytes("x")));
  }

  private void watches() throws Exception {
    step("get -w", () -> client.getData().usingWatcher(watcher).forPath("/u"));
    step("set", () -> client.setData().forPath("/u", bytes("watched")));
    tellEvent();
    step("set, unwatched", () -> client.setData().forPath("/u", bytes("not watched")));
    step("stat -w of nothing", () -> client.checkExists().usingWatcher(watcher).forPath("/u/later"));
    step("create", () -> create(CreateMode.PERSISTENT, "/u/later"));
    tellEvent();
    step("ls -w", () -> sorted(client.getChildren().usingWatcher(watcher).forPath("/u")));
    step("stat -w", () -> client.checkExists().usingWatcher(watcher).forPath("/u/later"));
    step("delete -v 3", () -> client.delete().withVersion(3).forPath("/u/later"));
    step("delete", () -> client.delete().forPath("/u/later"));
    tellEvent();
    tellEvent();
    step("delete again", () -> client.delete().forPath("/u/later"));
    step("delete of a parent", () -> client.delete().forPath("/u"));
    step("addWatch", () -> client.watchers().add().withMode(AddWatchMode.PERSISTENT_RECURSIVE)
        .usingWatcher(watcher).forPath("/u/deep"));
    step("create", () -> create(CreateMode.PERSISTENT, "/u/deep/down/below"));
    tellEvent();
    step("delete", () -> client.delete().deletingChildrenIfNeeded().forPath("/u/deep/down"));
    tellEvent();
    tellEvent();
    step("removewatches", () -> client.watchers().remove(watcher).forPath("/u/deep"));
    tellEvent();
    step("removewatches again", () -> client.watchers().remove(watcher).forPath("/u/deep"));
  }

  private void acls() throws Exception {
    step("getAcl", () -> client.getACL().forPath("/u"));
    step("auth without an identity",
        () -> stranger.create().withACL(Ids.CREATOR_ALL_ACL).forPath("/u/theirs", bytes("x")));
    step("create for oneself", () -> client.create().withACL(Ids.CREATOR_ALL_ACL).forPath("/u/hers", bytes("mine")));
    step("getAcl", () -> client.getACL().forPath("/u/hers"));
    step("get", () -> client.getData().forPath("/u/hers"));
    step("get by a stranger", () -> stranger.getData().forPath("/u/hers"));
    step("stat by a stranger", () -> stranger.checkExists().forPath("/u/hers"));
    step("getAcl by a stranger", () -> stranger.getACL().forPath("/u/hers"));
    step("setAcl by a stranger", () -> stranger.setACL().withACL(Ids.OPEN_ACL_UNSAFE).forPath("/u/hers"));
    step("setAcl -v 7", () -> client.setACL().withVersion(7).withACL(Ids.READ_ACL_UNSAFE).forPath("/u/hers"));
    step("setAcl", () -> client.setACL().withACL(Ids.READ_ACL_UNSAFE).forPath("/u/hers"));
    step("getAcl by a stranger", () -> stranger.getACL().forPath("/u/hers"));
    step("get by a stranger", () -> stranger.getData().forPath("/u/hers"));
    step("set by a stranger", () -> stranger.setData().forPath("/u/hers", bytes("stolen")));
    step("a scheme that nobody knows", () -> client.create()
        .withACL(List.of(new ACL(31, new Id("nonsense", "x")))).forPath("/u/odd", bytes("x")));
  }

  private Object multi(CuratorOp... operations) throws Exception {
    StringBuilder all = new StringBuilder();
    try {
      for (CuratorTransactionResult part : client.transaction().forOperations(operations)) {
        Stat stat = part.getResultStat();
        all.append(String.format("%n  %s %s %s", part.getType(), part.getResultPath(), stat == null ? "-" : show(stat)));
      }
    } catch (KeeperException refused) {
      all.append(refused.code());
      for (OpResult part : refused.getResults()) {
        all.append(String.format("%n  %s", KeeperException.Code.get(((OpResult.ErrorResult) part).getErr())));
      }
    }
    return all;
  }

  private void multis() throws Exception {
    TransactionOp op = client.transactionOp();
    step("multi", () -> multi(op.check().withVersion(3).forPath("/u"), op.create().forPath("/u/a", bytes("a")),
        op.create().withMode(CreateMode.EPHEMERAL_SEQUENTIAL).forPath("/u/a/seq-", bytes("b")),
        op.setData().withVersion(3).forPath("/u", bytes("by multi")), op.delete().forPath("/u/hers")));
    step("stat", () -> stat("/u"));
    step("multi with a wrong version", () -> multi(op.create().forPath("/u/b", bytes("b")),
        op.check().withVersion(99).forPath("/u"), op.delete().forPath("/u/a")));
    step("multi with a parent", () -> multi(op.delete().forPath("/u/a"), op.create().forPath("/u/b", bytes("b"))));
    step("nothing came of either", () -> stat("/u/b"));
    step("sync", () -> client.sync().forPath("/u"));
    step("getEphemerals", () -> sorted(client.getZookeeperClient().getZooKeeper().getEphemerals()));
    step("getAllChildrenNumber", () -> client.getZookeeperClient().getZooKeeper().getAllChildrenNumber("/u"));
    step("delete all", () -> client.delete().deletingChildrenIfNeeded().forPath("/u"));
    step("ls", () -> sorted(client.getChildren().forPath("/")));
  }

  public static void main(String[] args) throws Exception {
    RetryOneTime retry = new RetryOneTime(100);
    try (CuratorFramework client = CuratorFrameworkFactory.builder().connectString(args[0])
             .sessionTimeoutMs(SESSION_MS).retryPolicy(retry).authorization("digest", bytes("ann:secret")).build();
         CuratorFramework stranger = CuratorFrameworkFactory.newClient(args[0], SESSION_MS, SESSION_MS, retry)) {
      client.start();
      stranger.start();
      client.blockUntilConnected();
      stranger.blockUntilConnected();
      CuratorRound round = new CuratorRound(client, stranger);
      round.nodes();
      round.watches();
      round.acls();
      round.multis();
    }
    System.out.println("done");
    System.exit(0); // whatever threads Curator left running
  }
}
