"""The modules of this folder import each other by their names, as the processes they start do."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
