"""Memory while reading does not grow with the size of a compressed file."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys

import pytest

READ = """
import sys
from whybox.data import Source, find_inputs, plan_blocks, read_block
path, format = sys.argv[1:]
source = Source(format)
rows = 0
for block in plan_blocks(find_inputs(path, format), source):
    for table in read_block(block, source):
        rows += table.num_rows
status = open("/proc/self/status").read().split()  # of this program alone, as rusage is not
print(rows, status[status.index("VmHWM:") + 1])
"""
TWEET = {
    **{"created_at": "Mon Apr 06 22:19:45 +0000 2009", "text": "hello " * 20, "lang": "en"},
    "user": {"id": 9, "id_str": "9", "description": "d" * 2_000, "followers_count": 3},
}


def write(path, format, rows):
    """A compressed file of posts, some 2.4 KB each."""
    with gzip.open(path, "wb", compresslevel=1) as stream:
        if format == "csv":
            stream.write(b"text,other\n")
        for n in range(rows):
            if format == "csv":
                stream.write(b'"hello,\n%d","%s"\n' % (n, b"o" * 2_400))
            else:
                stream.write(json.dumps({"id": n, "id_str": str(n), **TWEET}).encode() + b"\n")
    return path


def peak(path, format):
    """Rows read, and the most memory held in MiB, by a process of its own."""
    command = [sys.executable, "-c", READ, str(path), format]
    found = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    return int(found[0]), int(found[1]) / 1024


@pytest.mark.skipif(sys.platform != "linux", reason="reads the peak of memory from /proc")
@pytest.mark.parametrize("format", ["twitter-v1", "csv"])
def test_four_times_the_data_take_no_more_memory(tmp_path, format):
    small = write(tmp_path / "small.gz", format, 12_000)
    large = write(tmp_path / "large.gz", format, 48_000)  # 115 MB when unpacked
    rows, low = peak(small, format)
    more_rows, high = peak(large, format)
    assert (rows, more_rows) == (12_000, 48_000)
    print(f"{format}: {low:.0f} MiB, {high:.0f} MiB")
    assert high < low + 24, f"{low:.0f} MiB grew to {high:.0f} MiB"
    assert high < 500
