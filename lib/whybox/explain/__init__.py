"""Why a model answers as it does: Shapley values, pictures, a report and a model card.

The only package that draws. Names are imported when first used.
"""

from whybox._lazy import lazy_exports

__all__ = [
    "Attribution",
    "CrossValidation",
    "DataSummary",
    "FeatureTable",
    "History",
    "InputCount",
    "ModelSummary",
    "OutOfFold",
    "Person",
    "ReportData",
    "ScoreRow",
    "ThresholdChoice",
    "base_values",
    "build_report",
    "feature_table",
    "model_card",
    "shap_interactions",
    "shap_values",
    "software_versions",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "Attribution": "context",
        "CrossValidation": "context",
        "DataSummary": "context",
        "FeatureTable": "summaries",
        "History": "context",
        "InputCount": "context",
        "ModelSummary": "context",
        "OutOfFold": "context",
        "Person": "context",
        "ReportData": "context",
        "ScoreRow": "context",
        "ThresholdChoice": "context",
        "base_values": "values",
        "build_report": "report",
        "feature_table": "summaries",
        "model_card": "card",
        "shap_interactions": "values",
        "shap_values": "values",
        "software_versions": "card",
    },
)
