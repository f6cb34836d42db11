"""Misspell every word of every workspace of this repository, and see whether each is found as it must be.

python -m bench.typos                      each word once at each kind of place
python -m bench.typos --every              every occurrence
python -m bench.typos --share 3/8          the third of eight equal shares, for several machines
"""

import argparse
import collections
import sys
import time
from collections.abc import Iterator

from tests.support.bases import Base, fleet_pieces, goldens, own_ci, selection_cases
from tests.support.typos import Place, distinct, misspellings
from tests.support.typostrial import Outcome, places_of, trial


def bases() -> Iterator[Base]:
    """Every workspace without mistakes."""
    yield from fleet_pieces()
    yield own_ci()
    yield from goldens()
    yield selection_cases()


def main() -> int:
    """Run them; 1 if one was not found as it must be."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--every", action="store_true", help="every occurrence of a word, not one of each kind")
    parser.add_argument("--share", default="1/1", help="which of how many shares")
    parser.add_argument("--sort", default="", help="only places of this kind")
    arguments = parser.parse_args()
    share, shares = map(int, arguments.share.split("/"))
    started = time.monotonic()
    where: list[tuple[Base, Place]] = [(base, place) for base in bases() for place in places_of(base)]
    if not arguments.every:
        kept = distinct(place for _, place in where)
        first = {id(place) for place in kept}
        where = [(base, place) for base, place in where if id(place) in first]
    counts: collections.Counter[str] = collections.Counter()
    faults = 0
    number = 0
    for base, place in where:
        if arguments.sort not in place.sort:
            continue
        for word in misspellings(place.word):
            number += 1
            if number % shares != share - 1:
                continue
            outcome = trial(base, place, word)
            match outcome:
                case Outcome():
                    counts[outcome.value] += 1
                case _:
                    faults += 1
                    sys.stdout.write(f"{base.name} {place.name} -> {word}: {outcome}\n")
    for what, count in sorted(counts.items()):
        sys.stdout.write(f"{count:8,} {what}\n")
    seconds = time.monotonic() - started
    sys.stdout.write(f"{faults:8,} not found as they must be; {len(where):,} places, {seconds:,.0f} s\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
