"""The options of pytest 9 and of plugins that CI commands use, told apart by what their parsers say of them."""

from typing import Final

from pipegen.commands.programs.tables import PytestOptions

_FLAGS: Final = """
    --cache-clear --co --collect-in-virtualenv --collect-only --collectonly --continue-on-collection-errors
    --disable-plugin-autoload --disable-pytest-warnings --disable-warnings --doctest-continue-on-failure
    --doctest-ignore-import-errors --doctest-modules --exitfirst --failed-first --ff --fixtures --fixtures-per-test
    --force-short-summary --full-trace --fulltrace --funcargs --help --keep-duplicates --keepduplicates --last-failed
    --lf --markers --new-first --nf --no-fold-skipped --no-header --no-showlocals --no-summary --noconftest --pdb
    --pyargs --quiet --runxfail --setup-only --setup-plan --setup-show --setuponly --setupplan --setupshow
    --showlocals --stepwise --stepwise-reset --stepwise-skip --strict --strict-config --strict-markers --sw --sw-reset
    --sw-skip --trace --trace-config --traceconfig --verbose --version --xfail-tb -V -h -l -q -s -v -x
"""

_VALUED: Final = """
    --assert --basetemp --capture --code-highlight --color --confcutdir --config-file --deselect --doctest-glob
    --doctest-report --durations --durations-min --ignore --ignore-glob --import-mode --junit-prefix --junit-xml
    --junitprefix --junitxml --last-failed-no-failures --lfnf --log-auto-indent --log-cli-date-format
    --log-cli-format --log-cli-level --log-date-format --log-disable --log-file --log-file-date-format
    --log-file-format --log-file-level --log-file-mode --log-format --log-level --max-warnings --maxfail
    --override-ini --pastebin --pdbcls --pythonwarnings --report-chars --rootdir --show-capture --tb --verbosity
    -W -c -k -m -o -p -r
"""

_OPTIONAL: Final = "--cache-show --debug"

# xdist, timeout, cov, shard, split, test-groups, forked, rerunfailures, asyncio, randomly, random-order, order, repeat,
# html, metadata, json-report, benchmark, sugar, instafail, buildkite-test-collector.
_PLUGIN_FLAGS: Final = """
    --asyncio-debug --benchmark-autosave --benchmark-disable --benchmark-disable-gc --benchmark-enable
    --benchmark-only --benchmark-quiet --benchmark-save-data --benchmark-skip --benchmark-verbose --clean-durations
    --cov-append --cov-branch --cov-reset --error-on-failed-ordering --fail-all-on-failed-ordering --fail-on-flaky
    --force-sugar --forked --indulgent-ordering --instafail --json-report --json-report-summary --loadscope-reorder
    --looponfail --merge-json --no-cov --no-cov-on-fail --no-loadscope-reorder --old-summary --order-after-ff
    --order-dependencies --random-order --randomly-dont-reorganize --randomly-dont-reset-seed
    --rerun-show-tracebacks --self-contained-html --sparse-ordering --store-durations --sugar-no-trace
    --timeout-disable-debugger-detection -d -f
"""

_PLUGIN_VALUED: Final = """
    --asyncio-mode --benchmark-calibration-precision --benchmark-columns --benchmark-confidence --benchmark-cprofile
    --benchmark-cprofile-loops --benchmark-cprofile-top --benchmark-group-by --benchmark-json --benchmark-max-time
    --benchmark-min-rounds --benchmark-min-time --benchmark-name --benchmark-precision --benchmark-save
    --benchmark-sort --benchmark-storage --benchmark-time-unit --benchmark-timer --benchmark-warmup-iterations
    --count --cov-config --cov-context --cov-fail-under --cov-precision --cov-report --css --dist --durations-path
    --force-reruns --group --html --json --json-report-file --json-report-indent --json-report-verbosity
    --max-suite-reruns --max-worker-restart --maxprocesses --maxschedchunk --metadata-from-json
    --metadata-from-json-file --num-shards --numprocesses --only-rerun --order-group-scope --order-marker-prefix
    --order-scope --order-scope-level --px --random-order-bucket --random-order-seed --randomly-seed --repeat-scope
    --rerun-except --rerun-exclude-path --reruns --reruns-delay --reruns-delay-backoff-factor --reruns-mode
    --rsyncdir --rsyncignore --session-timeout --shard-id --splits --splitting-algorithm --sugar-trace-dir
    --tag-filters --test-group --test-group-by --test-group-count --test-group-random-seed --testrunuid --timeout
    --timeout-method --timeout_method --tx -n
"""

_PLUGIN_OPTIONAL: Final = """
    --benchmark-compare --benchmark-cprofile-dump --benchmark-histogram --benchmark-netrc --benchmark-warmup --cov
"""

_PLUGIN_MANY: Final = "--benchmark-compare-fail --json-report-omit"

_SHARDS: Final = "--shard-id --num-shards --splits --group --test-group --test-group-count"

_LISTS: Final = """
    --co --collect-only --collectonly --fixtures --funcargs --fixtures-per-test --markers --setup-only --setuponly
    --setup-plan --setupplan --cache-show --help -h --version -V
"""


def _words(*texts: str) -> frozenset[str]:
    return frozenset(word for text in texts for word in text.split())


PYTEST: Final = PytestOptions(
    flags=_words(_FLAGS, _PLUGIN_FLAGS),
    valued=_words(_VALUED, _PLUGIN_VALUED),
    optional=_words(_OPTIONAL, _PLUGIN_OPTIONAL),
    many=_words(_PLUGIN_MANY),
    shards=_words(_SHARDS),
    lists=_words(_LISTS),
)
"""pytest's own options and those of common plugins."""
