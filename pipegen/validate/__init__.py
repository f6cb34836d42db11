"""The checks of what Buildkite accepts: plain data in, problems out; nothing here knows manifests or spans."""
