"""What Buildkite and its agent accept: checks of plain steps, and, in `rendered`, the way back to the manifests."""
