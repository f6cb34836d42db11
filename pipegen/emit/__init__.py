"""Plain data as text: the last stage, pure, and the same bytes for the same tree.

`pipegen.emit.yaml` and `pipegen.emit.json` write one document that every reader takes for the same value: the
Buildkite agent (go-yaml v3), PyYAML and libyaml (YAML 1.1), a YAML 1.2 reader and, for JSON, any JSON reader. What
one of them could not read back exactly is refused with a ValueError that names it, never changed or dropped.
"""
