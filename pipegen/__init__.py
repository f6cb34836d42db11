"""pipegen: area manifests in, a checked Buildkite pipeline out."""

__version__ = "0.1.0"
