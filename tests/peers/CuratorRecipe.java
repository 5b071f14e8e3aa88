// CuratorRecipe -- what the commands of CuratorPeer act on, whichever of Curator's recipes is behind it.
//
// KIND                           recipe
// mutex                          InterProcessMutex
// revocable                      InterProcessMutex; says "revoked" when it is asked to give the lock back
// read, write                    one side of InterProcessReadWriteLock
// semaphore:N                    InterProcessSemaphoreV2 of N permits
// semaphore-shared-count:PATH    InterProcessSemaphoreV2 of as many permits as the SharedCount at PATH says

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock;
import org.apache.curator.framework.recipes.locks.InterProcessSemaphoreV2;
import org.apache.curator.framework.recipes.locks.Lease;
import org.apache.curator.framework.recipes.shared.SharedCount;

abstract class CuratorRecipe {
  static CuratorRecipe of(String kind, CuratorFramework client, String path) throws Exception {
    int colon = kind.indexOf(':');
    String argument = kind.substring(colon + 1);
    switch (colon < 0 ? kind : kind.substring(0, colon)) {
      case "mutex": return new Exclusion(new Mutex(client, path), null, false);
      case "revocable": return new Exclusion(new Mutex(client, path), null, true);
      case "read": return new Exclusion(new ReadWrite(client, path).read, null, false);
      case "write": {
        ReadWrite lock = new ReadWrite(client, path);
        return new Exclusion(lock.write, lock.read, false);
      }
      case "semaphore":
        return new Semaphore(new InterProcessSemaphoreV2(client, path, Integer.parseInt(argument)), path, null);
      case "semaphore-shared-count": {
        SharedCount count = new SharedCount(client, argument, 1);
        count.start();
        return new Semaphore(new InterProcessSemaphoreV2(client, path, count), path, count);
      }
      default: throw new IllegalArgumentException("unknown kind " + kind);
    }
  }

  // Waits for ever if there is no timeout; otherwise whether it was in time.
  abstract boolean acquire(Long milliseconds) throws Exception;
  // Gives back what was acquired last.
  abstract void release() throws Exception;
  // The path of the node of what was acquired last.
  abstract String node();

  // The path of the node that is asked to go.
  String holder() throws Exception {
    throw new UnsupportedOperationException("this kind cannot be revoked");
  }
  // Beside the write lock the read lock.
  void share() throws Exception {
    throw new UnsupportedOperationException("this kind has no read side");
  }
  // Instead of the write lock the read lock.
  void downgrade() throws Exception {
    throw new UnsupportedOperationException("this kind has no read side");
  }
  void setCount(int permits) throws Exception {
    throw new UnsupportedOperationException("this kind has no shared count");
  }

  // Curator keeps the path of the node it holds to itself and its subclasses.
  private interface Lock {
    InterProcessMutex mutex();
    String node();
  }

  private static final class Mutex extends InterProcessMutex implements Lock {
    Mutex(CuratorFramework client, String path) {
      super(client, path);
    }
    @Override
    public InterProcessMutex mutex() {
      return this;
    }
    @Override
    public String node() {
      return getLockPath();
    }
  }

  private static final class ReadWrite {
    private static final class Write extends InterProcessReadWriteLock.WriteLock implements Lock {
      Write(CuratorFramework client, String path) {
        super(client, path, null);
      }
      @Override
      public InterProcessMutex mutex() {
        return this;
      }
      @Override
      public String node() {
        return getLockPath();
      }
    }

    private static final class Read extends InterProcessReadWriteLock.ReadLock implements Lock {
      Read(CuratorFramework client, String path, Write write) {
        super(client, path, null, write);
      }
      @Override
      public InterProcessMutex mutex() {
        return this;
      }
      @Override
      public String node() {
        return getLockPath();
      }
    }

    final Write write;
    final Read read;

    ReadWrite(CuratorFramework client, String path) {
      write = new Write(client, path);
      read = new Read(client, path, write);
    }
  }

  private static final class Exclusion extends CuratorRecipe {
    private final Lock lock;
    private final Lock shared; // null: no such side
    private final boolean revocable;
    private final Deque<Lock> held = new ArrayDeque<>(); // the last first

    Exclusion(Lock lock, Lock shared, boolean revocable) {
      this.lock = lock;
      this.shared = shared;
      this.revocable = revocable;
    }

    @Override
    boolean acquire(Long milliseconds) throws Exception {
      if (revocable) { // a release forgets it
        lock.mutex().makeRevocable(asked -> System.out.println("revoked"));
      }
      if (milliseconds == null) {
        lock.mutex().acquire();
      } else if (!lock.mutex().acquire(milliseconds, TimeUnit.MILLISECONDS)) {
        return false;
      }
      held.push(lock);
      return true;
    }

    @Override
    void release() throws Exception {
      Lock last = held.isEmpty() ? lock : held.peek(); // Curator itself has to refuse
      last.mutex().release();
      held.poll();
    }

    @Override
    String node() {
      return held.peek().node();
    }

    @Override
    String holder() throws Exception {
      return lock.mutex().getParticipantNodes().iterator().next();
    }

    @Override
    void share() throws Exception {
      if (shared == null) {
        super.share();
      }
      shared.mutex().acquire();
      held.push(shared);
    }

    @Override
    void downgrade() throws Exception {
      if (held.peek() != shared) {
        share();
      }
      lock.mutex().release();
      held.remove(lock);
    }
  }

  private static final class Semaphore extends CuratorRecipe {
    private final InterProcessSemaphoreV2 semaphore;
    private final String leases;
    private final SharedCount count; // null: the number of permits is fixed
    private final Deque<Lease> held = new ArrayDeque<>();

    Semaphore(InterProcessSemaphoreV2 semaphore, String path, SharedCount count) {
      this.semaphore = semaphore;
      this.leases = path + "/leases/";
      this.count = count;
    }

    @Override
    boolean acquire(Long milliseconds) throws Exception {
      Lease lease =
          milliseconds == null ? semaphore.acquire() : semaphore.acquire(milliseconds, TimeUnit.MILLISECONDS);
      if (lease == null) {
        return false;
      }
      held.push(lease);
      return true;
    }

    @Override
    void release() {
      semaphore.returnLease(held.pop());
    }

    @Override
    String node() {
      return leases + held.peek().getNodeName();
    }

    @Override
    void setCount(int permits) throws Exception {
      if (count == null) {
        super.setCount(permits);
      }
      count.setCount(permits);
    }
  }
}
