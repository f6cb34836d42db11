"""Everything that pipegen can find in a workspace: what generate would report, and what the rules find."""

from collections.abc import Callable, Iterable, Mapping
from functools import cache

from pipegen.app.expansion import Plan, choose_pipeline, labels_of, plan_for
from pipegen.app.generating import check_steps
from pipegen.app.inventory import inventory
from pipegen.app.known import known_codes
from pipegen.app.place import Place
from pipegen.app.request import Request
from pipegen.app.seen import SeenTree
from pipegen.app.templates import TemplateFolders
from pipegen.commands import no_content
from pipegen.dataclass import dataclass, replace
from pipegen.diagnostics import Code, Diagnostic, has_errors, ordered
from pipegen.git import landed_changes
from pipegen.manifest.load import MANIFEST_SUFFIXES, load_workspaces
from pipegen.model import Waiver, Workspace
from pipegen.rules import RULES
from pipegen.rules.ends import Touched, judged, untouched
from pipegen.rules.facts import Facts, Landed, Pipeline
from pipegen.rules.frame import Rule
from pipegen.rules.gather import gather
from pipegen.rules.subjects import Names
from pipegen.rules.suppress import suppress
from pipegen.rules.waivers import Before, Waived, waive
from pipegen.select import Circumstances
from pipegen.select.switches import heard_schedules
from pipegen.source import Tree


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What was found, sorted, after inline ignores and waivers.

    `ignored` is what the former silenced, `waived` what the latter did, `unwaived` all that is not ignored.
    `texts` are the files of the workspace that were read, `paths` the files and folders of the repository. `whole` says
    whether the rules looked: they do not while there are errors in what they would look at. `names_only` are rules that
    could not, since only the names of the repository's files are known. `plans` are the workspace's pipelines.
    """

    diagnostics: tuple[Diagnostic, ...]
    unwaived: tuple[Diagnostic, ...]
    ignored: tuple[Diagnostic, ...]
    waived: tuple[Diagnostic, ...]
    texts: Mapping[str, str]
    paths: frozenset[str]
    whole: bool
    names_only: tuple[Rule, ...]
    plans: tuple[Plan, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Earlier:
    """The workspace at another revision: what was found there, the new names of files since, and what it is called."""

    checked: Checked
    renames: Mapping[str, str]
    called: str

    def touched(self, now: Mapping[str, str]) -> Touched:
        """Which lines of the workspace's files have changed since."""
        return Touched(before=self.checked.texts, now=now, renames=self.renames)

    @property
    def defaults(self) -> Mapping[str, str]:
        """What the default of each toggle was."""
        toggles = (plan.workspace.toggles for plan in self.checked.plans)
        return {name: toggle.default for by_name in toggles for name, toggle in by_name.items()}


def check(request: Request, today: str, rules: Iterable[Rule] = RULES, earlier: Earlier | None = None) -> Checked:
    """Find everything in the workspace of a request, in all of its pipelines. `today` is a date as `YYYY-MM-DD`.

    Raises:
        PipegenError: the workspace cannot be read, or git refuses the repository.
    """
    memory = SeenTree(request.place.tree)
    seen = replace(request, place=replace(request.place, held=memory))
    plans, found = every_plan(memory, seen)
    steps = [diagnostic for plan in plans for diagnostic in check_steps(seen, plan)]
    whole = bool(plans) and not has_errors(found)
    facts = facts_of(request, plans, today, memory.text, earlier) if whole else None
    looking, names_only = _looking(rules, facts)
    from_rules = [] if facts is None else [one for rule in looking for one in rule.check(facts)]
    texts = {path: text for path in memory.paths if (text := memory.text(path)) is not None}
    judging = _Judging.of(tuple(rules), looking, whole=whole)
    done = suppress(
        ordered((*found, *steps, *from_rules)),
        {path: text for path, text in texts.items() if path.endswith(MANIFEST_SUFFIXES)},
        judging.known,
        judging.judged,
    )
    waived = _waived(done.kept, plans, judging, today, earlier)
    diagnostics = judged(
        ordered((*waived.kept, *waived.found, *done.found)),
        scheduled=_is_scheduled(request, plans),
        touched=untouched if earlier is None else earlier.touched(texts),
    )
    return Checked(
        diagnostics=diagnostics,
        unwaived=done.kept,
        ignored=done.ignored,
        waived=waived.waived,
        texts=texts,
        paths=frozenset() if facts is None else facts.inventory.files.known | facts.inventory.files.folders,
        whole=whole,
        names_only=names_only,
        plans=plans,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Judging:
    """All codes by their number, and of which of them all that reports it has looked."""

    known: Mapping[str, Code]
    looked: frozenset[Code]

    @classmethod
    def of(cls, rules: tuple[Rule, ...], looking: tuple[Rule, ...], *, whole: bool) -> "_Judging":
        known = known_codes(rules)
        of_rules = {code for rule in rules for code in rule.codes}
        of_stages = {code for code in known.values() if code not in of_rules} if whole else set()
        return cls(known=known, looked=frozenset(of_stages | {code for rule in looking for code in rule.codes}))

    def judged(self, code: Code) -> bool:
        """Whether what is not reported is not there."""
        return code in self.looked


def _waived(
    diagnostics: tuple[Diagnostic, ...],
    plans: tuple[Plan, ...],
    judging: _Judging,
    today: str,
    earlier: Earlier | None,
) -> Waived:
    """Take out what the workspace waives."""
    before = None
    if earlier is not None:
        checked = earlier.checked
        before = Before(
            diagnostics=checked.unwaived,
            waivers=_waivers(checked.plans),
            names=Names.of(_pipelines(checked.plans)),
            called=earlier.called,
        )
    waivers = _waivers(plans)
    return waive(
        diagnostics,
        waivers,
        names=Names.of(_pipelines(plans) if waivers else ()),
        known=judging.known,
        judged=judging.judged,
        today=today,
        before=before,
    )


def _waivers(plans: Iterable[Plan]) -> tuple[Waiver, ...]:
    return tuple(dict.fromkeys(waiver for plan in plans for waiver in plan.workspace.waivers))


def _pipelines(plans: Iterable[Plan]) -> tuple[Pipeline, ...]:
    return tuple(
        Pipeline(
            workspace=plan.workspace,
            catalogue=plan.catalogue,
            expansion=plan.expansion,
            templates=plan.templates.files.sources,
        )
        for plan in plans
    )


def _is_scheduled(request: Request, plans: tuple[Plan, ...]) -> bool:
    """Whether the build is of any schedule, of the workspace's or of Buildkite's, as its environment says."""
    if any(plan.build.facts["source"] == "schedule" for plan in plans):
        return True
    said = Circumstances(environment=request.environment, labels=labels_of(request.environment))
    return any(heard_schedules(plan.workspace, said) for plan in plans)


def every_plan(tree: Tree, request: Request) -> tuple[tuple[Plan, ...], tuple[Diagnostic, ...]]:
    """Every pipeline of the workspace, or the one that is asked for, up to its jobs, and all that is found on the way.

    There is none where there is no workspace to speak of.

    Raises:
        PipegenError: see `make_plan`.
    """
    workspaces, found = load_workspaces(tree, request.place.path)
    if any("pipelines" in workspace.faulty and workspace.pipeline is None for workspace in workspaces):
        return (), ordered(found)
    if workspaces and request.pipeline is not None:
        workspaces = (choose_pipeline(workspaces, request.pipeline),)
    folders = TemplateFolders(tree)
    plans = tuple(plan_for(workspace, found, tree, request, folders) for workspace in workspaces)
    return plans, ordered((*found, *(diagnostic for plan in plans for diagnostic in plan.diagnostics)))


def facts_of(
    request: Request,
    plans: Iterable[Plan],
    today: str,
    source: Callable[[str], str | None] = no_content,
    earlier: Earlier | None = None,
) -> Facts:
    """What rules may look at, of plans without errors. `source` gives the text of a file of the workspace.

    Raises:
        GitError: git refuses the repository.
    """
    pipelines = _pipelines(plans)
    workspaces = tuple(pipeline.workspace for pipeline in pipelines)
    return gather(
        pipelines=pipelines,
        inventory=inventory(request.place, workspaces, request.environment),
        today=today,
        landed=_landed(request.place, workspaces, request.environment),
        source=source,
        defaults_before={} if earlier is None else earlier.defaults,
    )


def _landed(place: Place, workspaces: tuple[Workspace, ...], environment: Mapping[str, str]) -> Callable[[], Landed]:
    """Which changes are in the history of HEAD. It is read when somebody asks, and that is not often."""

    @cache
    def landed() -> Landed:
        if any(workspace.listing is not None for workspace in workspaces):
            return Landed(changes=frozenset(), unknown="the areas describe another repository")
        history = landed_changes(place.git(environment))
        return Landed(changes=history.landed, unknown=history.unknown)

    return landed


def _looking(rules: Iterable[Rule], facts: Facts | None) -> tuple[tuple[Rule, ...], tuple[Rule, ...]]:
    """The rules that can look, and those that cannot since they would read what is in the repository's files."""
    if facts is None:
        return (), ()
    readable = facts.inventory.readable
    looking = tuple(rule for rule in rules if readable or not rule.reads_content)
    return looking, tuple(rule for rule in rules if rule.reads_content and not readable)
