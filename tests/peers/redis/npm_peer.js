// npm_peer -- locks on Redis from npm, in a process of their own.
//
//     node npm_peer.js <directory of node_modules> <host:port> <name> <time to live in ms> KIND
//
// KIND is redlock, redlock-4, redis-semaphore or node-redisson. Speaks the line protocol of ../README.md; none has tokens.
'use strict';

const fs = require('fs');
const path = require('path');
const readline = require('readline');
const { createRequire } = require('module');

const [modules, address, name, timeText, kind] = process.argv.slice(2);
const from = createRequire(path.join(modules, 'here.js'));
const Redis = from('ioredis');
const time = Number(timeText);
const [host, port] = address.split(':');
const options = { host, port: Number(port), lazyConnect: true };
const kAskAgain = 20; // ms
const kLookAgain = 500; // ms
const kForever = 600000; // ms

// Each makes {acquire(milliseconds), release()}; acquire says whether it has the lock.
const makers = {
  async redlock() {
    const { default: Redlock, ResourceLockedError, ExecutionError } = from('redlock');
    const client = await connected();
    const redlock = new Redlock([client], { retryCount: 0 });
    redlock.on('error', () => {}); // "locked already" is one of them
    return polling(async () => {
      try {
        return await redlock.acquire([name], time);
      } catch (error) {
        if (error instanceof ResourceLockedError || error instanceof ExecutionError) return null;
        throw error;
      }
    }, (lock) => lock.release());
  },
  async 'redlock-4'() {
    const Redlock = from('redlock-4');
    const client = await connected();
    const redlock = new Redlock([client], { retryCount: 0 });
    redlock.on('clientError', () => {});
    return polling(async () => {
      try {
        return await redlock.lock(name, time);
      } catch (error) {
        if (error instanceof Redlock.LockError) return null;
        throw error;
      }
    }, (lock) => lock.unlock());
  },
  async 'redis-semaphore'() {
    const { Mutex } = from('redis-semaphore');
    const client = await connected();
    return polling(async () => {
      const mutex = new Mutex(client, name, { lockTimeout: time, acquireTimeout: 1, retryInterval: 1 });
      return (await mutex.tryAcquire()) ? mutex : null;
    }, (mutex) => mutex.release());
  },
  async 'node-redisson'() {
    const { Redisson } = from('node-redisson');
    const redisson = new Redisson({ redis: { options }, lockWatchdogTimeout: BigInt(time) });
    let held = null;
    return {
      async acquire(milliseconds) {
        const lock = redisson.getLock(name);
        const deadline = Date.now() + milliseconds;
        // In short waits: it does not look again once it listens, and would sleep through a release that came just before that.
        do {
          const left = BigInt(Math.max(Math.min(deadline - Date.now(), kLookAgain), 0));
          if (await lock.tryLock(left, true)) held = lock; // true: its watchdog renews it
        } while (!held && Date.now() < deadline);
        return held !== null;
      },
      async release() {
        const lock = held;
        held = null;
        await lock.unlock();
      },
    };
  },
};

async function connected() {
  const client = new Redis(options);
  await client.connect();
  return client;
}

function polling(tryIt, giveBack) {
  let held = null;
  return {
    async acquire(milliseconds) {
      const deadline = Date.now() + milliseconds;
      do {
        held = await tryIt();
        if (held) return true;
        await new Promise((done) => setTimeout(done, kAskAgain / 2 + Math.random() * kAskAgain));
      } while (Date.now() < deadline);
      return false;
    },
    async release() {
      const lock = held;
      held = null;
      await giveBack(lock);
    },
  };
}

// ../README.md: whether we are alone.
function enter(directory, id) {
  try {
    fs.writeFileSync(path.join(directory, 'inside'), id, { flag: 'wx' });
    return true;
  } catch (error) {
    fs.appendFileSync(path.join(directory, 'overlaps'), `${id} found another\n`);
    return false;
  }
}

function leave(directory, id) {
  fs.appendFileSync(path.join(directory, 'grants'), `${id} -\n`);
  fs.unlinkSync(path.join(directory, 'inside'));
}

async function reply(lock, [word, ...args]) {
  switch (word) {
    case 'acquire':
      return (await lock.acquire(args.length ? Number(args[0]) : kForever)) ? 'acquired -' : 'timeout';
    case 'release':
      await lock.release();
      return 'released';
    case 'rounds': {
      const [count, directory, id] = args;
      for (let round = 0; round < Number(count); ++round) {
        if (!(await lock.acquire(kForever))) return `error no lock in round ${round}`;
        if (!enter(directory, id)) return `overlap in round ${round}`;
        leave(directory, id);
        await lock.release();
      }
      return `done ${count}`;
    }
    default:
      return `error unknown command ${word}`;
  }
}

async function main() {
  const lock = await makers[kind]();
  console.log('ready');
  for await (const line of readline.createInterface({ input: process.stdin })) {
    if (line === 'exit') break;
    try {
      console.log(await reply(lock, line.split(' ')));
    } catch (error) {
      console.log(`error ${error}`.replace(/\n/g, ' '));
    }
  }
  process.exit(0);
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
