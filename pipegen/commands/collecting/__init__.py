"""The files that test runs collect."""
