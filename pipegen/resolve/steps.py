"""Steps and the layers that they inherit from."""

from collections.abc import Iterable, Iterator

from pipegen import codes
from pipegen.diagnostics import Diagnostic, Related, Span
from pipegen.manifest.layers import Layer
from pipegen.manifest.load import Loaded
from pipegen.manifest.located import Report, Scalar
from pipegen.model import AreaSource, Catalogue, Manifest, Step
from pipegen.resolve.references import check_layer, check_quarantine


def resolve(loaded: Loaded) -> tuple[Catalogue, tuple[Diagnostic, ...]]:
    """Check every reference and lay out every step's layers.

    Steps with a broken layer are left out: their mistakes are reported already. Where not every manifest could be
    read, references to keys cannot be judged.
    """
    report = Report()
    twice = _check_area_names(loaded.manifests, report)
    for layer in _layers(loaded):
        check_layer(layer, loaded, report)
    check_quarantine(loaded, report)
    steps: list[Step] = []
    uncertain: list[str] = []
    bad = {id(layer) for layer in _layers(loaded) if layer.broken}
    for manifest in loaded.manifests:
        for step in _steps_of(manifest, report):
            if any(id(layer) in bad for layer in step.layers):
                uncertain += step.references
            elif not any(layer.place in twice for layer in step.layers):
                steps.append(step)
    catalogue = Catalogue(
        workspace=loaded.workspace,
        hardware=loaded.hardware,
        steps=tuple(steps),
        uncertain=tuple(sorted(set(uncertain))) if loaded.whole else None,
        test_files=loaded.test_files,
    )
    return catalogue, tuple(report.found)


def _layers(loaded: Loaded) -> Iterator[Layer]:
    for lane in loaded.workspace.lanes.values():
        yield lane.layer
    for hardware in loaded.hardware.values():
        yield hardware.layer
    for manifest in loaded.manifests:
        yield manifest.layer
        for area in manifest.areas:
            yield area.layer
            yield from area.steps.values()
        yield from manifest.steps


def _check_area_names(manifests: Iterable[Manifest], report: Report) -> frozenset[Span]:
    """Report areas that have the name of an earlier one, and give back where those stand."""
    first: dict[str, AreaSource] = {}
    twice: set[Span] = set()
    for manifest in manifests:
        for area in manifest.areas:
            earlier = first.setdefault(area.name, area)
            if earlier is not area:
                report.add(
                    codes.DUPLICATE_NAME,
                    area.span,
                    f'area "{area.name}" is defined twice',
                    hint="give one of them another name, or move its keys into the other",
                    related=(Related(span=earlier.span, note="first here"),),
                )
                twice.add(area.span)
    return frozenset(twice)


def _steps_of(manifest: Manifest, report: Report) -> Iterator[Step]:
    for area in manifest.areas:
        if not _has_owner((area.layer, manifest.layer)):
            report.add(
                codes.MISSING_KEY,
                area.span,
                f'area "{area.name}" has no owner',
                hint="add owner: a name under owners in the workspace file, here or at the top of the manifest",
            )
        layers = (manifest.layer, area.layer)
        if not area.steps:
            yield Step(area=area.name, name=None, manifest=manifest, layers=layers, rest=False, span=area.span)
        for name, layer in area.steps.items():
            yield Step(
                area=area.name,
                name=name,
                manifest=manifest,
                layers=(*layers, layer),
                rest=is_true(layer, "rest"),
                span=layer.span,
            )
    for layer in manifest.steps:
        yield Step(area=None, name=None, manifest=manifest, layers=(manifest.layer, layer), rest=False, span=layer.span)


def _has_owner(layers: Iterable[Layer]) -> bool:
    """Whether an owner is given, or meant to be, in one of the layers, the most special first."""
    for layer in layers:
        owner = layer.nodes.get("owner")
        if owner is not None or "owner" in layer.faulty:
            return not (isinstance(owner, Scalar) and owner.is_null)
    return False


def is_true(layer: Layer, name: str) -> bool:
    """Whether one of the layer's own keys says `true`."""
    node = layer.extra.get(name)
    return isinstance(node, Scalar) and node.text == "true"
