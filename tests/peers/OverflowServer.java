// OverflowServer -- a real ZooKeeper server whose sequence counters can be wound forward.
//
//   OverflowServer <port on 127.0.0.1> <data directory> <tick in ms>
//
// A sequence number overflows after 2^31 creates under one parent: weeks of work, or one command here. Prints
// "ready", then answers each line on stdin with one line:
//
//   cversion <path> <n>   "ok": the next sequential child of <path> gets the suffix n. Only forward, and only in
//                         memory: gone after a restart, unless a snapshot was taken since. Call it while nobody
//                         writes there. "error TEXT" if it cannot be done.
//   exit, or end of file  stops the server
//
// Unlike the packaged server it runs no container manager, so that an empty lock directory keeps its counter.

import java.io.BufferedReader;
import java.io.File;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import org.apache.zookeeper.server.DataNode;
import org.apache.zookeeper.server.DataTree;
import org.apache.zookeeper.server.ServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;

public final class OverflowServer {
  private static String reply(ZooKeeperServer server, String command) {
    String[] words = command.trim().split("\\s+");
    try {
      if (!words[0].equals("cversion") || words.length != 3) {
        return "error unknown command " + command;
      }
      setCounter(server.getZKDatabase().getDataTree(), words[1], Integer.parseInt(words[2]));
      return "ok";
    } catch (Exception failure) {
      return "error " + failure.toString().replace('\n', ' ');
    }
  }

  // The server derives a sequential child's suffix from the parent's stored cversion (PrepRequestProcessor).
  // The tree's own setter keeps its digest right, and moves forward only.
  private static void setCounter(DataTree tree, String path, int next) throws Exception {
    tree.setCversionPzxid(path, next, tree.lastProcessedZxid);
    DataNode parent = tree.getNode(path);
    synchronized (parent) {
      if (parent.stat.getCversion() != next) {
        throw new IllegalArgumentException(
            "the counter of " + path + " is past " + next + " already: " + parent.stat.getCversion());
      }
    }
  }

  public static void main(String[] args) throws Exception {
    System.setProperty("zookeeper.4lw.commands.whitelist", "*");

    int port = Integer.parseInt(args[0]);
    File data = new File(args[1]);
    ZooKeeperServer server = new ZooKeeperServer(data, data, Integer.parseInt(args[2]));
    ServerCnxnFactory factory =
        ServerCnxnFactory.createFactory(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
    factory.startup(server);
    System.out.println("ready");
    BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line; (line = commands.readLine()) != null && !line.trim().equals("exit");) {
      System.out.println(reply(server, line));
      System.out.flush();
    }
    factory.shutdown();
    System.exit(0);
  }
}
