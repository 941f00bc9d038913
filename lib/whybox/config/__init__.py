"""What a run is told: one frozen value a verb, from flags, from a TOML file, or from both.

These classes are the one place where an option has its name, type, default and explanation: the
command line is made from them, and a TOML file has the same names. Common keys stand at the top of
the file, then one table a verb; a flag given on the command line wins::

    scheduler = "local"
    workers = 2

    [train]
    target = "label"
    n_estimators = 200
"""

from whybox.config.base import PostsConfig, RunConfig
from whybox.config.looking import DemoConfig, ExplainConfig, ExportConfig, InspectConfig
from whybox.config.posts import ExtractConfig, SynthesisConfig, TopicsConfig
from whybox.config.scoring import CancelConfig, ScoreConfig, StatusConfig, SubmitConfig
from whybox.config.training import CompareConfig, TrainConfig

__all__ = [
    "CONFIGS",
    "CancelConfig",
    "CompareConfig",
    "DemoConfig",
    "ExplainConfig",
    "ExportConfig",
    "ExtractConfig",
    "InspectConfig",
    "PostsConfig",
    "RunConfig",
    "ScoreConfig",
    "StatusConfig",
    "SubmitConfig",
    "SynthesisConfig",
    "TopicsConfig",
    "TrainConfig",
]

CONFIGS: dict[str, type[RunConfig]] = {
    "demo": DemoConfig,
    "synth": SynthesisConfig,
    "extract": ExtractConfig,
    "topics": TopicsConfig,
    "train": TrainConfig,
    "compare": CompareConfig,
    "score": ScoreConfig,
    "submit": SubmitConfig,
    "status": StatusConfig,
    "cancel": CancelConfig,
    "explain": ExplainConfig,
    "inspect": InspectConfig,
    "export": ExportConfig,
}
