"""`python -m ragtester`."""

from ragtester.cli import main

if __name__ == "__main__":
    main()
