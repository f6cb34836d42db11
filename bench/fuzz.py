"""Give pipegen files that nobody would write: no traceback, no half of a pipeline, always an exit code.

python -m bench.fuzz --count 1000000                  a million inputs
python -m bench.fuzz --seconds 60 --seed today        a minute of them, others than last time
python -m bench.fuzz --seed today --number 4711       one input again, with what it is
"""

import argparse
import collections
import json
import multiprocessing
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from typing import Final

from pipegen.plain import Plain
from tests.support.fuzzing import fault, make, outcome, reproduced

BATCH: Final = 200
"""Inputs that a process takes at a time."""


def batch(task: tuple[str, int, int]) -> tuple[int, Mapping[str, int], list[Mapping[str, Plain]]]:
    """Try some inputs: how many, what became of them by mode, and those that something is wrong with."""
    seed, start, count = task
    outcomes: collections.Counter[str] = collections.Counter()
    faults: list[Mapping[str, Plain]] = []
    for number in range(start, start + count):
        given = make(seed, number)
        wrong = fault(given)
        if wrong is not None:
            faults.append({"fault": wrong, **reproduced(given)})
        outcomes[given.mode] += 1
    return count, outcomes, faults


def tasks(seed: str, count: int | None, started: float, seconds: float) -> Iterator[tuple[str, int, int]]:
    """Batches until there are as many inputs, or so much time has gone by, as was asked for."""
    start = 0
    while (count is None or start < count) and (count is not None or time.monotonic() - started < seconds):
        size = BATCH if count is None else min(BATCH, count - start)
        yield seed, start, size
        start += size


def main() -> int:
    """Try them; 1 if something is wrong with any."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--count", type=int, help="how many inputs")
    parser.add_argument("--seconds", type=float, default=10, help="for how long, where no --count is given")
    parser.add_argument("--seed", default="0", help="which inputs")
    parser.add_argument("--number", type=int, help="only this one, shown")
    parser.add_argument("--processes", type=int, default=2)
    arguments = parser.parse_args()
    if arguments.number is not None:
        given = make(arguments.seed, arguments.number)
        shown = {**reproduced(given), "outcome": outcome(given), "fault": fault(given)}
        sys.stdout.write("".join(f"{name}: {value}\n" for name, value in shown.items()))
        return 0 if shown["fault"] is None else 1
    return _run(arguments)


def _run(arguments: argparse.Namespace) -> int:
    started = time.monotonic()
    done, wrong = 0, 0
    modes: collections.Counter[str] = collections.Counter()
    free = threading.Semaphore(2 * arguments.processes)
    with multiprocessing.Pool(arguments.processes) as pool:
        given = tasks(arguments.seed, arguments.count, started, arguments.seconds)
        for count, outcomes, faults in pool.imap_unordered(batch, _throttled(given, free)):
            free.release()
            done += count
            modes.update(outcomes)
            wrong += len(faults)
            for found in faults:
                sys.stdout.write(json.dumps(found) + "\n")
                sys.stdout.flush()
    seconds = time.monotonic() - started
    for mode, count in sorted(modes.items()):
        sys.stdout.write(f"{count:10,} {mode}\n")
    sys.stdout.write(f"{done:10,} inputs in {seconds:,.0f} s, {done / seconds:,.0f} a second, {wrong} wrong\n")
    return 1 if wrong else 0


def _throttled(given: Iterator[tuple[str, int, int]], free: threading.Semaphore) -> Iterator[tuple[str, int, int]]:
    """The same; a pool asks for all tasks at once, which for `--seconds` would be without end."""
    for task in given:
        free.acquire()
        yield task


if __name__ == "__main__":
    sys.exit(main())
