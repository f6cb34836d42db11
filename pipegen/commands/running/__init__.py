"""Shell text run without a machine: words expanded, variables and folders followed."""
