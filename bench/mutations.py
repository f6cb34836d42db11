"""Make every mistake with tests, patterns, commands and toggles in the reference fleet: does `lint` catch it?

python -m bench.mutations                  all of them, which takes long
python -m bench.mutations --count 10       ten of each kind, drawn by --seed
python -m bench.mutations --kind drop-entry
"""

import argparse
import collections
import random
import sys
import time

from tests.support.mutations import KINDS, caught_by, clean
from tests.support.mutations_of_exceptions import EXCEPTIONS
from tests.support.mutations_of_selection import MORE_KINDS


def main() -> int:
    """Run them; 1 if one was missed that has no excuse."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--count", type=int, default=0, help="how many of each kind; all by default")
    parser.add_argument("--seed", type=int, default=0, help="which ones")
    parser.add_argument("--kind", default="", help="one kind alone")
    arguments = parser.parse_args()
    started = time.monotonic()
    fleet = clean()
    missed = 0
    sums = collections.Counter[str]()
    for name, kind in {**KINDS, **MORE_KINDS, **EXCEPTIONS}.items():
        if arguments.kind not in ("", name):
            continue
        every = list(kind.mutations(fleet))
        some = every
        if arguments.count:
            some = random.Random(arguments.seed).sample(every, min(arguments.count, len(every)))  # noqa: S311 - no secret
        codes = collections.Counter[str]()
        misses = []
        harmless = 0
        for mutation in some:
            found = caught_by(fleet, mutation)
            codes.update(found)
            harmless += not found and bool(mutation.harmless)
            if not found:
                misses.append(f"{mutation.what}: {mutation.harmless or kind.excuse or 'NO EXCUSE'}")
                missed += not (mutation.harmless or kind.excuse)
        sums.update(caught=len(some) - len(misses), total=len(some), harmless=harmless)
        shown = ", ".join(f"{code} {count}" for code, count in sorted(codes.items()))
        sys.stdout.write(f"{name:28} {len(some) - len(misses):5}/{len(some):<5} of {len(every):<5} {shown}\n")
        sys.stdout.writelines(f"    not caught: {what}\n" for what in misses)
    seconds = time.monotonic() - started
    sys.stdout.write(
        f"{sums['caught']}/{sums['total']} caught in {seconds:.0f} s, {sums['harmless']} did no harm, "
        f"{missed} missed without excuse\n"
    )
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
