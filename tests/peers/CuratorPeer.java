// CuratorPeer -- a rival in the queue: Curator's own locks, in a JVM of its own.
//
//   CuratorPeer <host:port[,host:port]> <lock path> <session timeout in ms> [KIND]
//
// Speaks the line protocol of README.md; the kinds are those of CuratorRecipe. Re-entrant where Curator is: all
// commands run on one thread.

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.Revoker;
import org.apache.curator.retry.ExponentialBackoffRetry;
import org.apache.zookeeper.data.Stat;

public final class CuratorPeer {
  // Curator's default; never longer than the session, or Curator warns.
  private static final int CONNECTION_TIMEOUT_MS = 15_000;

  // Says whether two are inside at once, across processes and languages: a file that only one can create.
  private static final class Oracle {
    private final Path directory;
    private final String id;

    Oracle(String directory, String id) {
      this.directory = Path.of(directory);
      this.id = id;
    }

    // Whether we are alone; if not, who is inside has been written down.
    boolean enter() throws IOException {
      try {
        Files.writeString(
            directory.resolve("inside"), id, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        return true;
      } catch (FileAlreadyExistsException taken) {
        append("overlaps", id + " found " + whoIsInside() + "\n");
        return false;
      }
    }

    void leave(String token) throws IOException {
      append("grants", id + " " + token + "\n");
      Files.delete(directory.resolve("inside"));
    }

    private String whoIsInside() {
      try {
        return Files.readString(directory.resolve("inside"));
      } catch (IOException gone) {
        return "another"; // left between our create and this read; an overlap all the same
      }
    }

    private void append(String file, String line) throws IOException {
      Files.write(directory.resolve(file), line.getBytes(StandardCharsets.UTF_8), StandardOpenOption.CREATE,
          StandardOpenOption.APPEND);
    }
  }

  private final CuratorFramework client;
  private final CuratorRecipe recipe;

  private CuratorPeer(CuratorFramework client, CuratorRecipe recipe) {
    this.client = client;
    this.recipe = recipe;
  }

  private String reply(String command) {
    String[] words = command.trim().split("\\s+");
    try {
      switch (words[0]) {
        case "acquire":
          return recipe.acquire(words.length > 1 ? Long.valueOf(words[1]) : null) ? "acquired " + token() : "timeout";
        case "release": recipe.release(); return "released";
        case "share": recipe.share(); return "acquired " + token();
        case "downgrade": recipe.downgrade(); return "downgraded " + token();
        case "revoke": Revoker.attemptRevoke(client, recipe.holder()); return "asked";
        case "count": recipe.setCount(Integer.parseInt(words[1])); return "counted";
        case "rounds": return rounds(Integer.parseInt(words[1]), new Oracle(words[2], words[3]));
        default: return "error unknown command " + words[0];
      }
    } catch (Exception failure) {
      return "error " + failure.toString().replace('\n', ' ');
    }
  }

  private String rounds(int count, Oracle oracle) throws Exception {
    for (int round = 0; round < count; ++round) {
      recipe.acquire(null);
      try {
        if (!oracle.enter()) {
          return "overlap in round " + round;
        }
        oracle.leave(token());
      } finally {
        recipe.release();
      }
    }
    return "done " + count;
  }

  // The czxid of the node we hold the lock by; "-" if the node is gone, which Curator itself does not notice.
  private String token() throws Exception {
    Stat stat = client.checkExists().forPath(recipe.node());
    return stat == null ? "-" : Long.toString(stat.getCzxid());
  }

  public static void main(String[] args) throws Exception {
    int sessionTimeout = Integer.parseInt(args[2]);
    try (CuratorFramework client = CuratorFrameworkFactory.newClient(args[0], sessionTimeout,
             Math.min(sessionTimeout, CONNECTION_TIMEOUT_MS), new ExponentialBackoffRetry(100, 10))) {
      client.start();
      client.blockUntilConnected();
      String kind = args.length > 3 ? args[3] : "mutex";
      CuratorPeer peer = new CuratorPeer(client, CuratorRecipe.of(kind, client, args[1]));
      System.out.println("ready");
      BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
      for (String line; (line = commands.readLine()) != null && !line.trim().equals("exit");) {
        System.out.println(peer.reply(line));
        System.out.flush();
      }
    }
    System.exit(0); // whatever threads Curator left running
  }
}
