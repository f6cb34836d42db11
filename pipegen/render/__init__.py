"""The fifth stage: each emitted job becomes a Buildkite step, through the template of its hardware."""

from pipegen.render.pipeline import render

__all__ = ["render"]
