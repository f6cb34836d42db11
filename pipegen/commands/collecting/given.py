"""What a call of pytest is given: paths with node ids, those that count, and what they have in common."""

from collections.abc import Sequence


def normalized(given: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Targets without those that another one contains, in order of their paths (pytest 9 drops them)."""
    kept: list[tuple[str, str]] = []
    for path, node in sorted(set(given), key=lambda one: (one[0].split("/") if one[0] else [], one[1])):
        if not kept or not _contains(kept[-1], (path, node)):
            kept.append((path, node))
    return kept


def _contains(outer: tuple[str, str], inner: tuple[str, str]) -> bool:
    path, node = outer
    if path != inner[0]:
        return not node and (not path or inner[0].startswith(path + "/"))
    return not node or inner[1] == node or inner[1].startswith((node + "::", node + "["))


def common_folder(folders: Sequence[str]) -> str:
    """The folder that all of these lie in."""
    parts = [folder.split("/") if folder else [] for folder in folders]
    common: list[str] = []
    for names in zip(*parts, strict=False):
        if len(set(names)) > 1:
            break
        common.append(names[0])
    return "/".join(common)
