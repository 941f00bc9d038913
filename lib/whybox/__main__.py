"""``python -m whybox``: the same as the command ``whybox``."""

from whybox.cli import main

if __name__ == "__main__":
    main()
