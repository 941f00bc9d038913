"""Posts from files: readers that account for every line, storage, publication, pseudonyms."""

from whybox._lazy import lazy_exports

_HOMES = {  # resolve and pseudonym, named like their modules, are imported from there
    "accounting": ("QUARANTINE", "Accounting", "Counts", "InputCounts"),
    "blocks": ("Block", "Span", "plan_blocks"),
    "detect": ("detect_format", "settle_format"),
    "parquet": ("Part", "write_parquet"),
    "pseudonym": ("Key", "load_key"),
    "publish": ("publishing",),
    "reader": ("BlockResult", "line_offsets", "merge_results", "read_block", "shift_lines"),
    "records": ("Records", "account", "conflicts", "read_records", "settle"),
    "resolve": ("PostKeys", "mark_anchors", "post_keys", "verdict_counts"),
    "schema": ("MAX_TEXT", "POSTS"),
    "source": ("FORMATS", "ColumnMap", "Input", "Source", "column_map", "find_inputs"),
    "storage": ("file_sha256",),
}

__getattr__, __dir__ = lazy_exports(
    __name__, {name: module for module, names in _HOMES.items() for name in names}
)
