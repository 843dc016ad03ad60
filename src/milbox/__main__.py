"""`python -m milbox` is the command line."""

from milbox.cli import main

if __name__ == "__main__":
    main()
