"""`python -m pipegen`."""

from pipegen.cli import main

if __name__ == "__main__":
    main()
