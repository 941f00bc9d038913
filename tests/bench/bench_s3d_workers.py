"""What a decomposition costs on Dask workers that read Parquet files: seconds, and memory a worker.

Run it as ``python tests/bench/bench_s3d_workers.py [--sizes 2000000 4000000] [--max-bins 256]``. The
files hold the table of ``bench_s3d.py``, a million rows each; they are made in a temporary folder.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

from bench_s3d import make_table, reset_peak, resident

ROWS = 1_000_000
FEW = 20_000  # rows of a first fit, which compiles and imports, and leaves little memory behind


def write_parts(folder: Path, n_rows: int, a_file: int = ROWS) -> list[str]:
    """Write files of a million rows, each of its own seed."""
    import pandas as pd

    paths = []
    for seed in range(n_rows // a_file):
        X, y = make_table(a_file, seed)
        path = folder / f"{n_rows}-{seed}.parquet"
        pd.DataFrame(X, columns=[f"x{j}" for j in range(20)]).assign(y=y).to_parquet(path)
        paths.append(str(path))
    return paths


def cpu_seconds() -> float:
    """Processor seconds of this process so far."""
    return time.process_time()


def main() -> None:
    """Print a line a size."""
    from whybox.graph import connect
    from whybox.graph.s3d import fit_on_parquet
    from whybox.s3d import S3DClassifier, estimate_worker_memory

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[2 * ROWS, 4 * ROWS])
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--max-bins", type=int, help="by default all values")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        few = write_parts(Path(folder), FEW, FEW) * (2 * arguments.workers)
        for n_rows in arguments.sizes:
            paths = write_parts(Path(folder), n_rows)
            with connect("local", workers=arguments.workers) as session:
                model = S3DClassifier(max_features=5, noise_floor=0, max_bins=arguments.max_bins)
                fit_on_parquet(session, model, few, "y")  # compile, import
                session.client.run(reset_peak)
                before = session.client.run(resident, "VmRSS")
                cpu = sum(session.client.run(cpu_seconds).values())
                started = time.perf_counter()
                fit_on_parquet(session, model, paths, "y")
                wall = time.perf_counter() - started
                cpu = sum(session.client.run(cpu_seconds).values()) - cpu
                peaks = session.client.run(resident, "VmHWM")
            most = max(peaks[worker] - before[worker] for worker in peaks)
            estimate = estimate_worker_memory(ROWS, -(-len(paths) // arguments.workers), 20)
            print(
                f"{n_rows:>10,} rows x 20: {wall:6.2f} s wall, {cpu:6.2f} s of the workers' "
                f"processors, {most / 2**20:6.1f} MiB at most a worker "
                f"(estimated {estimate / 2**20:.0f}), "
                f"features {model.selected_features_}, R2 {model.r2_:.4f}"
            )


if __name__ == "__main__":
    main()
