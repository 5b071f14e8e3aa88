#!/usr/bin/python3
"""Compares what the JSON schema says about a client's file with what the reader says: settings_schema_test.py COMMAND

Each text is right or wrong for both.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import jsonschema
import yaml

RIGHT = [
    "",
    "url: local",
    "url: zk://a:2181/app\nnamespace: billing\nsession-timeout: 15s\nconnect_timeout: 0.5s\npurpose: nightly\n",
    "namespace: 42",
    "tls: {ca: ca.pem, certificate: me.pem, key: me.key, server-name: zk, verify: no}\nurl: zks://a\n",
    "sasl: {mechanism: DIGEST-MD5, user: ann, password_file: secret, service: zookeeper}",
    "retry: {policy: exponential-backoff, base: 100ms, max-retries: 10, max_delay: 5 s}",
    "retry: {policy: n_times, n: 3, interval: .5s}",
    "locks:",
    "locks:\n  '**': {slow-hold: 30s}\n  a/*: {type: non-reentrant, wait: 0s, min_hold: 1ms, max-hold: 366d}\n",
    "locks: {a: {type: semaphore, permits: 2147483647, hand-over: {count: 0, time: 1h}}}",
    "locks: {a: {lock-delay: 2m, type: write}}",
    "zk-lock: {address: 'a:2181,b:2181', connection-timeout: 1500000000, sessionTimeout: 600000}",
    "zk-lock: {address: a, retry-policy: retry-forever, retry_forever: {retry-interval-ms: 3000}}",
    "zk_lock: {address: a, retryPolicy: retry-n-times, retry-n-times: {n: 3, sleepMsBetweenRetries: 10}}",
    "zk-lock: {address: a, exponential_back_off_retry: {base-sleep-time-ms: 1, max-retries: 2, max-sleep-ms: 3}}",
]
WRONG = [
    "just text",
    "urll: local",
    "url: [a, b]",
    "url: ''",
    "session-timeout: 15",
    "session-timeout: 15 seconds",
    "connect-timeout: -1s",
    "tls: ca.pem",
    "tls: {sertificate: a}",
    "tls: {verify: maybe}",
    "retry: forever",
    "retry: {policy: for-ever}",
    "retry: {policy: n-times, n: many}",
    "retry: {policy: n-times, n: -1}",
    "locks: [a]",
    "locks: {a: 1m}",
    "locks: {a: {max-hodl: 1m}}",
    "locks: {a: {type: mutx}}",
    "locks: {a: {hand-over: 3}}",
    "locks: {a: {hand-over: {count: 1.5}}}",
    "locks: {a: {permits: 0}}",
    "zk-lock: a:2181",
    "zk-lock: {adress: a}",
    "zk-lock: {address: a, session-timeout: soon}",
    "zk-lock: {address: a, session-timeout: -1}",
    "zk-lock: {address: a, retry-policy: retry-for-ever}",
    "zk-lock: {address: a, retry_forever: {n: 3}}",
]


def accepted_by_reader(command, text):
    with tempfile.TemporaryDirectory() as directory:
        file = pathlib.Path(directory, "client.yaml")
        file.write_text(text, encoding="utf-8")
        done = subprocess.run([command, "config", "check", file], capture_output=True, text=True, check=False)
        if done.returncode not in (0, 64) or bool(done.stderr) == (done.returncode == 0):
            sys.exit(f"{text!r}: exit status {done.returncode}, {done.stderr}")
        return done.returncode == 0


def main():
    command = sys.argv[1]
    schema = json.loads(subprocess.run([command, "config", "schema"], capture_output=True, check=True).stdout)
    jsonschema.Draft7Validator.check_schema(schema)
    validator = jsonschema.Draft7Validator(schema)
    failures = []
    for expected, texts in ((True, RIGHT), (False, WRONG)):
        for text in texts:
            verdicts = {"schema": validator.is_valid(yaml.safe_load(text)), "reader": accepted_by_reader(command, text)}
            failures += [f"{who} takes {text!r} for {'right' if says else 'wrong'}"
                         for who, says in verdicts.items() if says != expected]
    print("\n".join(failures) or f"{len(RIGHT) + len(WRONG)} texts are the same to both")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
