<?php
// symfony_peer -- Symfony's Lock on Redis, in a process of its own.
//
//     php symfony_peer.php <host:port> <name> <time to live in ms>
//
// Speaks the line protocol of ../README.md. It has no tokens.

require '/usr/share/php/Symfony/Component/Lock/autoload.php';

use Symfony\Component\Lock\LockFactory;
use Symfony\Component\Lock\Store\RedisStore;

const ASK_AGAIN_AFTER = 20000; // microseconds

function acquire($lock, ?float $seconds): bool
{
    $deadline = null === $seconds ? INF : microtime(true) + $seconds;
    while (!$lock->acquire()) {
        if (microtime(true) >= $deadline) {
            return false;
        }
        usleep(ASK_AGAIN_AFTER);
    }

    return true;
}

// ../README.md: whether we are alone.
function enter(string $directory, string $id): bool
{
    $inside = @fopen("$directory/inside", 'x');
    if (false === $inside) {
        file_put_contents("$directory/overlaps", "$id found another\n", FILE_APPEND);

        return false;
    }
    fwrite($inside, $id);
    fclose($inside);

    return true;
}

function leave(string $directory, string $id): void
{
    file_put_contents("$directory/grants", "$id -\n", FILE_APPEND);
    unlink("$directory/inside");
}

function reply($lock, array $words): string
{
    switch ($words[0]) {
        case 'acquire':
            return acquire($lock, isset($words[1]) ? $words[1] / 1000 : null) ? 'acquired -' : 'timeout';
        case 'release':
            $lock->release();

            return 'released';
        case 'rounds':
            [, $count, $directory, $id] = $words;
            for ($round = 0; $round < $count; ++$round) {
                acquire($lock, null);
                if (!enter($directory, $id)) {
                    return "overlap in round $round";
                }
                leave($directory, $id);
                $lock->release();
            }

            return "done $count";
        default:
            return "error unknown command $words[0]";
    }
}

[$host, $port] = explode(':', $argv[1]);
$redis = new Redis();
$redis->connect($host, (int) $port);
$factory = new LockFactory(new RedisStore($redis));
$lock = $factory->createLock($argv[2], $argv[3] / 1000);
echo "ready\n";
while (false !== ($line = fgets(STDIN)) && 'exit' !== trim($line)) {
    try {
        echo reply($lock, explode(' ', trim($line))), "\n";
    } catch (Throwable $failure) {
        echo 'error ', str_replace("\n", ' ', $failure->getMessage()), "\n";
    }
}
