// CuratorBench -- Curator's mutex, taken and given back as fast as it goes.
//
//   CuratorBench <host:port>
//
// Reads "run SESSIONS THREADS own|one MILLISECONDS" from stdin and answers "done COUNT": how often the lock was taken
// by as many sessions with as many threads each, who all want one lock or each its own. Stays, so that the JVM is warm
// the next time.

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.retry.ExponentialBackoffRetry;

public final class CuratorBench {
  private static final int SESSION_TIMEOUT_MS = 30_000;
  private static final int CONNECTION_TIMEOUT_MS = 15_000;

  private final String address;
  private final List<CuratorFramework> clients = new ArrayList<>();

  private CuratorBench(String address) {
    this.address = address;
  }

  private CuratorFramework client(int number) throws InterruptedException {
    while (clients.size() <= number) {
      CuratorFramework client = CuratorFrameworkFactory.newClient(
          address, SESSION_TIMEOUT_MS, CONNECTION_TIMEOUT_MS, new ExponentialBackoffRetry(100, 10));
      client.start();
      client.blockUntilConnected();
      clients.add(client);
    }
    return clients.get(number);
  }

  private long run(int sessions, int threads, boolean own, long milliseconds) throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(sessions * threads);
    CyclicBarrier start = new CyclicBarrier(sessions * threads);
    List<Future<Long>> counts = new ArrayList<>();
    for (int session = 0; session < sessions; ++session) {
      CuratorFramework client = client(session);
      for (int thread = 0; thread < threads; ++thread) {
        String path = own ? "/curator/own-" + session + "-" + thread : "/curator/one";
        Callable<Long> loop = () -> {
          InterProcessMutex mutex = new InterProcessMutex(client, path);
          start.await();
          long deadline = System.nanoTime() + milliseconds * 1_000_000;
          long count = 0;
          for (; System.nanoTime() < deadline; ++count) {
            mutex.acquire();
            mutex.release();
          }
          return count;
        };
        counts.add(pool.submit(loop));
      }
    }
    long total = 0;
    for (Future<Long> count : counts) {
      total += count.get();
    }
    pool.shutdown();
    return total;
  }

  public static void main(String[] args) throws Exception {
    CuratorBench bench = new CuratorBench(args[0]);
    System.out.println("ready");
    BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line; (line = commands.readLine()) != null;) {
      String[] words = line.trim().split("\\s+");
      System.out.println("done "
          + bench.run(Integer.parseInt(words[1]), Integer.parseInt(words[2]), words[3].equals("own"),
              Long.parseLong(words[4])));
      System.out.flush();
    }
    System.exit(0); // whatever threads Curator left running
  }
}
