"""The fifth stage: each emitted job becomes a Buildkite step, through the template of its hardware."""

from pipegen.render.pipeline import render
from pipegen.render.templates import TemplateFiles

__all__ = ["TemplateFiles", "render"]
