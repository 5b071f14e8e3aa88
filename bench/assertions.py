#!/usr/bin/python3
"""What assertions cost: runs two builds of bench_micro in turns, with and without them, and prints the ratio of their processor times.

    bench/assertions.py WITH WITHOUT [ROUNDS]

    cmake --preset release -B build/plain -DHOLDFAST_TESTS=ON -DHOLDFAST_BENCH=ON -DHOLDFAST_WERROR=OFF \\
        -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON -DCMAKE_CXX_FLAGS="-include $PWD/bench/without_assertions.h"
    cmake --build build/plain --target bench_micro
    script/build release --target bench_micro
    bench/assertions.py build/release/bench/bench_micro build/plain/bench/bench_micro 15
"""

import json
import statistics
import subprocess
import sys

ROWS = "nodes:(1000|100000)/watches:0$|lock_and_unlock"


def times(program):
    """Of each row, the processor time of one turn."""
    ran = subprocess.run(
        [program, f"--benchmark_filter={ROWS}", "--benchmark_format=json", "--benchmark_min_time=0.3"],
        check=True,
        capture_output=True,
        text=True,
    )
    return {row["name"]: row["cpu_time"] for row in json.loads(ran.stdout)["benchmarks"]}


def main():
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 15
    pairs = []
    for number in range(rounds):
        # The one that comes first has the warmer machine, or the colder: both in turns.
        order = sys.argv[1:3] if number % 2 == 0 else sys.argv[2:0:-1]
        both = {program: times(program) for program in order}
        pairs.append([both[program] for program in sys.argv[1:3]])
    print("| row | with, ns | without, ns | ratio: median (quartiles) |")
    print("| --- | --- | --- | --- |")
    for row in pairs[0][0]:
        ratios = [have[row] / lack[row] for have, lack in pairs]
        low, middle, high = statistics.quantiles(ratios, n=4)
        medians = [statistics.median(each[side][row] for each in pairs) for side in (0, 1)]
        print(f"| {row} | {medians[0]:,.0f} | {medians[1]:,.0f} | {middle:.3f} ({low:.3f} to {high:.3f}) |")


if __name__ == "__main__":
    main()
