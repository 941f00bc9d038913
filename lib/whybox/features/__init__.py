"""From a table of posts to the features of users, and to the documents that topics are fitted on.

Per post (:func:`post_features`), then sums per user that merge in any order (:func:`user_sums`,
:func:`merge_sums`), then means (:func:`user_features`). Documents go the same way
(:func:`document_counts`, :func:`merge_documents`, :func:`encode_documents`).
"""

from whybox._lazy import lazy_exports

_NAMES = {
    "FEATURES": "names",
    "Recipe": "recipe",
    "UserFeatures": "users",
    "document_counts": "documents",
    "document_frequencies": "documents",
    "encode_documents": "documents",
    "merge_documents": "documents",
    "merge_sums": "users",
    "post_features": "posts",
    "post_level_features": "posts",
    "select_posts": "posts",
    "user_features": "users",
    "user_sums": "users",
    "vocabulary": "documents",
}

__all__ = sorted(_NAMES)
__getattr__, __dir__ = lazy_exports(__name__, _NAMES)
